#!/bin/bash
# An installed sinew serves a foreign program: through find_package, through pkg-config --static, and after the
# installed tree has been moved. Every public header compiles on its own, in C++ as well. Manual pages and completions lie where
# they are looked for; uninstalling leaves nothing of it and everything else.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cmake --install "$SN_BUILD_DIR" --prefix "$tmp/installed" >/dev/null
mv "$tmp/installed" "$tmp/gone"
for file in bin/sinew share/man/man1/sinew.1 share/man/man1/sinew-run.1 share/man/man1/sinew-conformance.1 share/zsh/site-functions/_sinew \
    share/bash-completion/completions/sinew share/fish/vendor_completions.d/sinew.fish share/doc/sinew/LICENSE; do
    [ -f "$tmp/gone/$file" ] || { echo "$file is not installed" && exit 1; }
done
[ ! -e "$tmp/gone/share/zsh/vendor-completions" ] || { echo "files of the Debian package are installed" && exit 1; }
"$tmp/gone/bin/sinew" list commands | while read -r command; do
    [ -f "$tmp/gone/share/man/man1/sinew-$command.1" ] || { echo "sinew $command has no manual page" && exit 1; }
done
touch "$tmp/gone/bin/other"
cmake -P "$tmp/gone/share/sinew/uninstall.cmake" 2>/dev/null
[ "$(find "$tmp/gone" ! -type d)" = "$tmp/gone/bin/other" ] || { echo "uninstalling leaves $(find "$tmp/gone" ! -type d)" && exit 1; }
[ -z "$(find "$tmp/gone" -name sinew)" ] || { echo "uninstalling leaves $(find "$tmp/gone" -name sinew)" && exit 1; }

cmake --install "$SN_BUILD_DIR" --prefix "$tmp/first" >/dev/null
mv "$tmp/first" "$tmp/moved"
version=$(sed -n 's/^#define SN_VERSION "\(.*\)"/\1/p' "$SN_SOURCE_DIR/include/sinew/version.h")

mkdir "$tmp/foreign"
cd "$tmp/foreign"
cat >main.c <<'C'
#include <sinew/sinew.h>
#include <stdio.h>
int main(void) { return puts(sn_version()) < 0; }
C
cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.25)
project(foreign C)
find_package(sinew REQUIRED)
add_executable(foreign main.c)
target_link_libraries(foreign sinew::sinew)
C

expect_version() { # how, program
    local said
    said=$("$2")
    [ "$said" = "$version" ] || { echo "$1: the program says '$said', not '$version'" && exit 1; }
}

cmake -S . -B build -G Ninja "-DCMAKE_PREFIX_PATH=$tmp/moved" >/dev/null
cmake --build build >/dev/null
expect_version find_package build/foreign

pc=$(dirname "$(find "$tmp/moved" -name sinew.pc)")
export PKG_CONFIG_PATH=$pc LD_LIBRARY_PATH=${pc%/pkgconfig}
[ "$(pkg-config --modversion sinew)" = "$version" ] || { echo "sinew.pc has another version" && exit 1; }
cc main.c -o foreign $(pkg-config --static --cflags --libs sinew)
expect_version pkg-config ./foreign

for header in "$tmp"/moved/include/sinew/*.h; do
    printf '#include <sinew/%s>\nextern int unused;\n' "${header##*/}" |
        cc -std=c17 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c $(pkg-config --cflags sinew) -
done
# C++ sees the same functions, by names that are not mangled.
if command -v clang >/dev/null; then
    printf '#include <sinew/%s>\n' sinew.h class.h >cpp.cpp
    echo 'bool all() { return sn_version() && sn_element_all() && sn_status_text(SN_OK); }' >>cpp.cpp
    clang -Wall -Wextra -pedantic -Werror -c cpp.cpp -o cpp.o $(pkg-config --cflags sinew)
    for name in sn_version sn_element_all sn_status_text; do
        nm -P -u cpp.o | grep -q "^$name U" || { echo "C++ does not find $name" && exit 1; }
    done
else
    echo "skipped: no clang to compile C++"
fi
[ -x "$tmp/moved/bin/sinew" ] || { echo "the command is not installed" && exit 1; }
