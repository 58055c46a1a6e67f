#!/bin/bash
# docs/reference.md says what the command says: scripts/reference would write the same file again.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$SN_SOURCE_DIR/scripts/reference" "$SINEW" "$tmp/reference.md"
diff -u "$SN_SOURCE_DIR/docs/reference.md" "$tmp/reference.md" ||
    { echo "docs/reference.md is out of date: run scripts/reference" && exit 1; }
