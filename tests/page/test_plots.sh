#!/bin/bash
# The plots of sinew view, opened in Chromium (test_plots.js). PICTURES=FOLDER keeps results, pages and pictures.
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"
node "$here/test_plots.js" "$SINEW" "$folder"
