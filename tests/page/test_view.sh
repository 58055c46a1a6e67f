#!/bin/bash
# Pages of sinew view, opened in Chromium (test_view.js). PICTURES=FOLDER keeps results, pages and pictures.
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"

# A run that is stopped: long enough to be caught on the way.
"$SINEW" run "$SN_SOURCE_DIR/examples/two-bar/two-bar.yaml" -q --end 2000 -o "$folder/partial.h5" &
run=$!
until "$SINEW" export "$folder/partial.h5" -o - 2>/dev/null | sed -n 101p | grep -q .; do sleep 0.1; done
kill -9 $run
wait $run 2>/dev/null || true
"$SINEW" view "$folder/partial.h5" -q -o "$folder/partial.html"

node "$here/test_view.js" "$SINEW" "$SN_SOURCE_DIR/examples" "$folder"
