#!/bin/bash
# The documentation as a site (scripts/site), opened in Chromium (test_site.js): no dead link, search, light and dark, phone. A document with a link
# that leads nowhere is refused. PICTURES=FOLDER keeps pages and pictures.
. "${SN_SOURCE_DIR:?}/tests/page/kit.sh"
[ -d "$SN_SOURCE_DIR/web/node_modules/markdown-it" ] || skip "no markdown-it in web/node_modules"
"$SN_SOURCE_DIR/scripts/site" "$folder/site"

# in a copy, one mistake at a time
copy=$folder/copy
rm -rf "$copy" "$folder/opened"
mkdir -p "$copy/include/sinew"
cp -r "$SN_SOURCE_DIR/docs" "$SN_SOURCE_DIR/examples" "$SN_SOURCE_DIR/bench" "$SN_SOURCE_DIR"/*.md "$SN_SOURCE_DIR/LICENSE" "$copy/"
cp "$SN_SOURCE_DIR"/include/sinew/*.h "$copy/include/sinew/"
make() { node "$SN_SOURCE_DIR/web/site/make.js" "$copy" "$folder/again" >"$folder/said" 2>&1; }
refused() { # text for docs/statics.md, what must be said
    cp "$SN_SOURCE_DIR/docs/statics.md" "$copy/docs/"
    printf '\n%s\n' "$1" >>"$copy/docs/statics.md"
    ! make || { echo "accepted: $1" && exit 1; }
    grep -qF "$2" "$folder/said" || { echo "not said: $2" && cat "$folder/said" && exit 1; }
    cp "$SN_SOURCE_DIR/docs/statics.md" "$copy/docs/"
}
make || { echo "the copy is refused" && cat "$folder/said" && exit 1; }
refused '[gone](no-such-page.md)' "docs/statics.md: 'no-such-page.md' does not exist"
refused '[gone](modes.md#no-such-heading)' "docs/statics.md: 'modes.md#no-such-heading': there is no such heading"
refused '![gone](pictures/no-such.png)' "docs/statics.md: 'pictures/no-such.png' does not exist"
echo '# Alone' >"$copy/docs/alone.md"
! make && grep -qF "docs/README.md does not list docs/alone.md" "$folder/said" || { echo "a document may be unlisted" && exit 1; }
[ -n "${PICTURES:-}" ] || rm -rf "$copy" "$folder/again"

# installed, the command tells where it is, and its pages link to it
mkdir -p "$folder/prefix/bin" "$folder/prefix/share/doc/sinew"
cp "$SINEW" "$folder/prefix/bin/" && cp -r "$folder/site" "$folder/prefix/share/doc/sinew/html"
manual=$(cd "$folder" && pwd -P)/prefix/share/doc/sinew/html/index.html
"$folder/prefix/bin/sinew" help >"$folder/said"
grep -qF "The documentation is $manual;" "$folder/said" || { echo "sinew help does not say where the documentation is" && exit 1; }
printf '#!/bin/sh\necho "$1" >"%s/opened"\n' "$folder" >"$folder/browser" && chmod +x "$folder/browser"
BROWSER=$folder/browser "$folder/prefix/bin/sinew" help --open
for _ in $(seq 600); do [ -s "$folder/opened" ] && break; sleep 0.1; done
[ "$(cat "$folder/opened")" = "$manual" ] || { echo "sinew help --open opens something else" && exit 1; }
"$folder/prefix/bin/sinew" run "$SN_SOURCE_DIR/examples/tutorial/swing.yaml" --end 0.1 -q -o "$folder/swing.h5"
"$folder/prefix/bin/sinew" view "$folder/swing.h5" -q -o "$folder/swing.html"

node "$here/test_site.js" "$folder/site" "$folder" "$manual"
