#!/bin/bash
# Every kind there is passes the checks of sinew-conformance, and no check is left out in silence: each kind that has
# functions tells of all checks of its family. Flexible bodies are checked as a rod of two beams.
set -u
told=$(mktemp) folder=$(mktemp -d) || exit 1
trap 'rm -rf "$told" "$folder"' EXIT
cat >"$folder/rod.yaml" <<'YAML'
sinew: 1
nodes: {a: [0, 0, 0], b: [0.4, 0.1, 0], c: [0.8, 0, 0.1]}
elements:
  ab: {beam3d_cr: [a, b], E: 2e5, G: 8e4, rho: 900, section: {rectangle: , width: 0.1, height: 0.2}}
  bc: {beam3d_cr: [b, c], E: 2e5, G: 8e4, rho: 900, section: {rectangle: , width: 0.1, height: 0.2}}
YAML
"${SINEW:?path of sinew}" reduce "$folder/rod.yaml" --interfaces a,c --modes 1 -o "$folder/rod.h5" >"$told" 2>&1 || {
    cat "$told"
    exit 1
}
"${CONFORMANCE:?path of sinew-conformance}" --file "body_ffr=$folder/rod.h5" --file "body_fncf=$folder/rod.h5" all >"$told" 2>&1
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
