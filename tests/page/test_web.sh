#!/bin/bash
# share/view.html and share/report.html are what web/ makes; skipped where node or its packages are not there
# (scripts/setup --test installs them).
exec "$SN_SOURCE_DIR/scripts/web" --check
