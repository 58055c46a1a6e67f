#!/bin/bash
# Pages served by sinew view --serve, and pictures of sinew export, in Chromium (test_serve.js).
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"
node "$here/test_serve.js" "$SINEW" "$SN_SOURCE_DIR/examples" "$folder"
