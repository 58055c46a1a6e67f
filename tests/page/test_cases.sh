#!/bin/bash
# The page of a comparison of formulations, opened in Chromium (test_cases.js). PICTURES=FOLDER keeps pages and pictures.
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"
node "$here/test_cases.js" "$SN_BUILD_DIR/sinew" "$SN_SOURCE_DIR/examples/formulations/compare/cases.yaml" "$folder"
