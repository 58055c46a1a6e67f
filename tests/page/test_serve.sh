#!/bin/bash
# Pages served by sinew view --serve, and pictures of sinew export, in Chromium (test_serve.js).
set -euo pipefail
here=$SN_SOURCE_DIR/tests/page
skip() { echo "skipped: $1 (scripts/setup --test installs it)" && exit 77; }
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[ -n "$CHROMIUM" ] || skip "no Chromium"
command -v node >/dev/null || skip "no node"
[ -d "$here/node_modules/playwright-core" ] || skip "no playwright-core in tests/page/node_modules"
export CHROMIUM
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
node "$here/test_serve.js" "$SINEW" "$SN_SOURCE_DIR/examples" "$folder"
