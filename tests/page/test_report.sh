#!/bin/bash
# The report page of an identification, opened in Chromium (test_report.js). PICTURES=FOLDER keeps pages and pictures.
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"
node "$here/test_report.js" "$SN_BUILD_DIR/tests/page_make_page" "$folder"
