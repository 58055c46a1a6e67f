#!/bin/bash
# A shared library of this build's objects exports the functions that include/ declares and nothing else. (Names that begin
# with _ belong to the compiler.)
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$SN_SOURCE_DIR"
objects=$(find src -name '*.c' | sed "s|.*|$SN_BUILD_DIR/CMakeFiles/sinew.dir/&.o|")
cc -shared -o "$tmp/libsinew.so" $objects
nm -D -P --defined-only "$tmp/libsinew.so" | sed 's/ .*//' | grep -v '^_' | LC_ALL=C sort >"$tmp/exported"

# In a struct a pointer to a function stands as (*name)(...), so that only functions have "name(". Inline ones are not exported.
for header in include/sinew/*.h; do
    cc -E -P -Iinclude "$header"
done | grep -oE '(static inline [a-z_ ]+)?\bsn_[a-z0-9_]+\(' | grep -v '^static' | tr -d '(' | LC_ALL=C sort -u >"$tmp/declared"

if ! diff "$tmp/declared" "$tmp/exported" >"$tmp/difference"; then
    sed -n 's/^< \(.*\)/declared in include\/, but not exported (SN_API?): \1/p
        s/^> \(.*\)/exported, but not declared in include\/: \1/p' "$tmp/difference"
    exit 1
fi
[ "$(wc -l <"$tmp/declared")" -gt 50 ] || { echo "include/ declares no functions?" && exit 1; }
