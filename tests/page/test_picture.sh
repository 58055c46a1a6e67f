#!/bin/bash
# Pictures of sinew export, made by a real Chromium and looked at in one (test_picture.js).
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"
node "$here/test_picture.js" "$SINEW" "$SN_SOURCE_DIR/examples" "$folder"
