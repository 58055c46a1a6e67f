#!/bin/bash
# Every kind there is passes the checks of sinew-conformance, and no check is left out in silence: each kind that has
# functions tells of all checks of its family.
set -u
told=$(mktemp) || exit 1
trap 'rm -f "$told"' EXIT
rod=${SN_SOURCE_DIR:?}/examples/slider-crank/rod.h5
"${CONFORMANCE:?path of sinew-conformance}" --file "body_ffr=$rod" --file "body_fncf=$rod" all >"$told" 2>&1
code=$?
grep -E "FAIL|kinds, " "$told"
awk '
/^[a-z]+ [a-z0-9_]+/ { kind = $1 " " $2; family = $1; sub(/:$/, "", kind) }
/^    / { lines[kind]++; of[kind] = family }
END {
    least["element"] = 13; least["joint"] = 7; least["signal"] = 3; least["node"] = 3
    for (k in lines) if (lines[k] < least[of[k]]) { print "of " k " only " lines[k] " checks are told"; bad = 1 }
    exit bad
}' "$told" || code=1
exit $code
