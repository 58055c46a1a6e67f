#!/bin/bash
# Forces that were sought in the report of an identification, opened in Chromium (test_forces.js). PICTURES=FOLDER keeps
# studies, pages and pictures.
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"
node "$here/test_forces.js" "$SINEW" "$SN_BUILD_DIR/tests/page_make_page" "$folder"
