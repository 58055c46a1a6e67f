#!/bin/bash
# How pages of sinew view look: bodies, supports, axes, ruler, shadow, legends, in Chromium (test_look.js).
# PICTURES=FOLDER keeps results, pages and pictures.
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"
node "$here/test_look.js" "$SINEW" "$folder"
