#!/bin/bash
# Pages of sinew view, opened in Chromium (test_view.js). PICTURES=FOLDER keeps results, pages and pictures.
set -euo pipefail
here=$SN_SOURCE_DIR/tests/page
skip() { echo "skipped: $1 (scripts/setup --test installs it)" && exit 77; }
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[ -n "$CHROMIUM" ] || skip "no Chromium"
command -v node >/dev/null || skip "no node"
[ -d "$here/node_modules/playwright-core" ] || skip "no playwright-core in tests/page/node_modules"
export CHROMIUM

folder=${PICTURES:-$(mktemp -d)}
mkdir -p "$folder"
[ -n "${PICTURES:-}" ] || trap 'rm -rf "$folder"' EXIT

# A run that is stopped: long enough to be caught on the way.
"$SINEW" run "$SN_SOURCE_DIR/examples/two-bar/two-bar.yaml" -q --end 2000 -o "$folder/partial.h5" &
run=$!
until [ -s "$folder/partial.h5" ]; do sleep 0.1; done
sleep 1
kill -9 $run
wait $run 2>/dev/null || true
"$SINEW" view "$folder/partial.h5" -q -o "$folder/partial.html"

node "$here/test_view.js" "$SINEW" "$SN_SOURCE_DIR/examples" "$folder"
