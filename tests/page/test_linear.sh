#!/bin/bash
# Pages of linear systems, opened in Chromium (test_linear.js). PICTURES=FOLDER keeps results, pages and pictures.
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"
node "$here/test_linear.js" "$SINEW" "$SN_SOURCE_DIR/examples" "$folder"
