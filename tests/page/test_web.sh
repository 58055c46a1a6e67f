#!/bin/bash
# share/view.html and share/report.html are what web/ makes; skipped where node or its packages are not there (npm ci in web/).
exec "$SN_SOURCE_DIR/scripts/web" --check
