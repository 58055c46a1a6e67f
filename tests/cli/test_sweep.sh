#!/bin/bash
# sinew sweep as a user meets it: formats, the result file and its page, bad input, Ctrl-C.
. "${SN_SOURCE_DIR:?}/tests/cli/kit.sh"

bicycle=$SN_SOURCE_DIR/examples/bicycle/bicycle.yaml
expect 0 sweep "$bicycle" --parameter speed --from 1 --to '10 m/s' --points 12 --json -q -o bicycle.h5
# Meijaard et al. (2007), 15 digits
json out '[p["kind"] for p in d["points"]] == ["flutter", "divergence"]'
json out 'abs(d["points"][0]["parameter"] / 4.29238253634111 - 1) < 1e-8'
json out 'abs(d["points"][1]["parameter"] / 6.02426201538837 - 1) < 1e-8'
json out 'all(len(b["parameter"]) == len(b["eigenvalues"]) == len(b["derivatives"]) for b in d["branches"])'
expect 0 view bicycle.h5 -o bicycle.html
cp bicycle.html out
says out '"parameter": "speed"'
expect 0 sweep "$bicycle" -p speed --from 1 --to 2 --points 3 --csv -q -o bicycle.h5
says out 'branch,parameter,re,im,dre,dim'

expect 2 sweep "$bicycle" --parameter sped --from 1 --to 2
says err speed
expect 2 sweep "$bicycle" --from 1 --to 2
expect 2 sweep "$bicycle" --parameter speed --from 1
expect 2 sweep "$bicycle" --parameter speed --from 1 --to 2 --points 1
expect 2 sweep "$bicycle" --parameter speed --from 1 --to 2 --lines 0
expect 2 sweep "$bicycle" --parameter speed --from 1 --to 2 --at noon
cat >idle.yaml <<'EOF'
sinew: 1
parameters: {k: 4, idle: 1}
nodes: {a: [1, 0]}
elements: {m: {mass2d: a, mass: 1}, s: {spring2d: [ground, a], k: k}}
joints: {g: {fixed: a, only: [y]}}
run: {end: 1, step: 1 ms}
EOF
expect 2 sweep idle.yaml --parameter idle --from 1 --to 2
says err "nothing in the model depends on 'idle'"
finish
