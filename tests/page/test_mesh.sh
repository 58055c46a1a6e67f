#!/bin/bash
# Bodies drawn as meshes in pages of sinew view and in the report of an identification, opened in Chromium (test_mesh.js).
# PICTURES=FOLDER keeps results, pages and pictures.
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"
node "$here/test_mesh.js" "$SINEW" "$SN_BUILD_DIR/tests" "$folder"
