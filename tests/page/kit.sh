# What the tests of pages share, to be read by them: Chromium, node and playwright-core, or the test is skipped; $folder for
# results, pages and pictures, which PICTURES=FOLDER keeps.
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
