#!/bin/bash
# examples/control/balance.c, compiled as its head says against an installed sinew, holds the rod upright; without its
# force the rod falls.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cmake --install "$SN_BUILD_DIR" --prefix "$tmp/prefix" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$tmp/prefix" -name sinew.pc)")
export PKG_CONFIG_PATH LD_LIBRARY_PATH=${PKG_CONFIG_PATH%/pkgconfig}
cp "$SN_SOURCE_DIR"/examples/control/balance.* "$tmp"
cd "$tmp"
fail() { echo "$1" && exit 1; }

line=$(sed -n 's/^ *\(cc .*balance\.c .*\) && .*/\1/p' balance.c)
[ -n "$line" ] || fail "balance.c does not say how it is compiled"
eval "$line -Wall -Wextra -Werror" || fail "balance.c does not compile"
./balance balance.yaml >out || fail "balance.c fails"
[ "$(wc -l <out)" -eq 51 ] || fail "balance.c prints $(wc -l <out) lines"
# it leans by 5 degrees at first, never by more than 10, and stands at the end: within a thousandth of a radian and a centimetre
awk 'NR == 1 && ($3 - 0.0872665)^2 > 1e-12 { print "begins with " $3; exit 1 }
     $3^2 > 0.1745^2 { print "leans by " $3 " at " $1; exit 1 }
     END { if ($3^2 > 1e-6 || $2^2 > 1e-4) { print "ends with " $0; exit 1 } }' out || fail "the rod is not held upright"
fallen=$("$SINEW" run balance.yaml --print rod.theta)
awk -v x="$fallen" 'BEGIN { exit !(x < -1) }' || fail "the rod stands without a controller: rod.theta = $fallen"
