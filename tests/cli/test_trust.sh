#!/bin/bash
# The short form of bench/trust: right models are not called bad, wrong ones are. Skipped without python3.
set -euo pipefail
command -v python3 >/dev/null || { echo "skipped: no python3" && exit 77; }
export PYTHONDONTWRITEBYTECODE=1
"$SN_SOURCE_DIR/bench/trust" --short --sinew "$SINEW" --jobs 1
