#!/bin/bash
# The mechanism in the report of an identification, opened in Chromium (test_motion.js). PICTURES=FOLDER keeps studies,
# pages and pictures.
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"
node "$here/test_motion.js" "$SINEW" "$SN_SOURCE_DIR/examples" "$folder"
