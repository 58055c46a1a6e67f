#!/bin/bash
# The page of a sweep, opened in Chromium (test_sweep.js). PICTURES=FOLDER keeps pages and pictures.
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"
node "$here/test_sweep.js" "$SN_BUILD_DIR/sinew" "$SN_SOURCE_DIR/examples/rotor/rotor.yaml" "$folder"
