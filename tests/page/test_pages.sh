#!/bin/bash
# The pages of a comparison and of a design, and candidates in the report, opened in Chromium (test_pages.js). PICTURES=FOLDER
# keeps pages and pictures.
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"
node "$here/test_pages.js" "$SN_BUILD_DIR/tests/page_make_page" "$folder"
