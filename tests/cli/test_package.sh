#!/bin/bash
# The archive that scripts/package makes works wherever it is unpacked, moved too, in a folder with a blank in its name, and says
# nothing of the folder it was built in. The .deb (LONG=1): lintian finds nothing wrong, and it holds what the archive holds.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$1" && exit 1; }
grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Release' "$SN_BUILD_DIR/CMakeCache.txt" || { echo "left out: packages are made of release builds" && exit 0; }
pack() { # kind
    (cd "$SN_BUILD_DIR" && cpack -G "$1" -B "$tmp/$1") >"$tmp/log" 2>&1 || { tail -n 20 "$tmp/log" && fail "cpack -G $1"; }
    find "$tmp/$1" -maxdepth 1 -type f
}
archive=$(pack TGZ)
[ -n "$archive" ] || fail "no archive"
mkdir "$tmp/a folder"
tar xzf "$archive" -C "$tmp/a folder"
top=("$tmp/a folder"/*)
[ ${#top[@]} -eq 1 ] || fail "the archive has more than one folder: ${top[*]}"
mv "${top[0]}" "$tmp/moved to"
for name in share/man/man1/sinew-run.1 share/zsh/site-functions/_sinew lib/pkgconfig/sinew.pc; do
    [ -f "$tmp/moved to/$name" ] || fail "the archive lacks $name"
done
cd "$tmp"
moved="$tmp/moved to/bin/sinew"
[ "$("$moved" --version)" = "$("$SINEW" --version)" ] || fail "the command of the archive has another version"
"$moved" run "$SN_SOURCE_DIR/examples/pendulum/pendulum.yaml" -q -o run.h5
"$moved" view run.h5 -q -o run.html
"$SINEW" view run.h5 -q -o here.html
sed -i 's/"manual":"[^"]*",//' run.html here.html # where the documentation lies, if it was made
cmp run.html here.html || fail "the moved command makes another page"
! grep -rqF "$SN_BUILD_DIR" "$tmp/moved to" || fail "the archive names the folder of the build: $(grep -rlF "$SN_BUILD_DIR" "$tmp/moved to")"

[ -n "${LONG-}" ] || { echo "left out: the .deb and lintian, without LONG=1" && exit 0; }
command -v dpkg-shlibdeps >/dev/null || { echo "skipped: no dpkg-shlibdeps to make a .deb" && exit 0; }
command -v lintian >/dev/null || { echo "skipped: no lintian to check the .deb" && exit 0; }
ninja -C "$SN_BUILD_DIR" sinew_debian >/dev/null
package=$(pack DEB)
lintian --allow-root "$package" 2>/dev/null >"$tmp/lintian" || true
[ ! -s "$tmp/lintian" ] || { cat "$tmp/lintian" && fail "lintian finds faults"; }
dpkg-deb -c "$package" | grep -q 'usr/share/man/man1/sinew-run.1.gz' || fail "the .deb has no manual pages"
dpkg-deb -f "$package" Depends | grep -q libhdf5 || fail "the .deb does not depend on HDF5, which is loaded when first used"
