#!/bin/bash
# Surfaces in pages of sinew view and in the report of an identification, opened in Chromium (test_surface.js).
# PICTURES=FOLDER keeps results, pages and pictures.
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"
node "$here/test_surface.js" "$SINEW" "$SN_BUILD_DIR/tests" "$folder"
