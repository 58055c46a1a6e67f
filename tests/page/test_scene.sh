#!/bin/bash
# Colours, arrows, exaggeration and comparisons in pages of sinew view, opened in Chromium (test_scene.js).
# PICTURES=FOLDER keeps results, pages and pictures.
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"
node "$here/test_scene.js" "$SINEW" "$folder"
