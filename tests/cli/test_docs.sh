#!/bin/bash
# Tutorials and how-to pages, as a reader goes through them: files are written, commands run and their output compared (run_page.py). Each page has
# a folder of its own, with the files of examples/tutorial, and examples/ beside them.
set -euo pipefail
command -v python3 >/dev/null || { echo "skipped: no python3" && exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cmake --install "$SN_BUILD_DIR" --prefix "$tmp/prefix" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$tmp/prefix" -name sinew.pc)")
export PKG_CONFIG_PATH LD_LIBRARY_PATH=${PKG_CONFIG_PATH%/pkgconfig} PATH=$tmp/prefix/bin:$PATH BROWSER=true
bad=0
for page in "$SN_SOURCE_DIR"/docs/tutorial*.md "$SN_SOURCE_DIR"/docs/howto/*.md; do
    folder=$tmp/$(basename "$page" .md)
    mkdir "$folder"
    find "$SN_SOURCE_DIR/examples/tutorial" -maxdepth 1 -type f -exec cp {} "$folder" \;
    cp -r "$SN_SOURCE_DIR/examples" "$folder/examples"
    python3 "$SN_SOURCE_DIR/tests/cli/run_page.py" "$page" "$folder" "$SN_SOURCE_DIR/examples/tutorial" || bad=1
done
exit $bad
