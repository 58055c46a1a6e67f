#!/bin/bash
# A limit on memory: commands end, with a result or with "out of memory". OpenBLAS would spin for ever where it cannot have its
# buffer: with threads of its own at the end of every command, without them in the first large product (of MUMPS).
# Sanitizers need more room than there is: their builds do not have this test.
. "${SN_SOURCE_DIR:?}/tests/cli/kit.sh"

# within KIB CODE arguments...
within() {
    local limit=$1 code=$2 got
    shift 2
    (ulimit -v "$limit" && ulimit -t 20 && exec timeout -s KILL 300 "$SINEW" "$@") >out 2>err
    got=$?
    is "$* within $limit KiB ends with $got, not $code: $(head -1 err)" [ "$got" = "$code" ]
}

cat >small.yaml <<'END'
sinew: 1
gravity: [0, -9.81]
nodes: {a: [0, 0], b: [1, 0]}
elements: {rod: {beam2d_cr: [a, b], EA: 1e5, EI: 10, rhoA: 1, elements: 4}}
joints: {hold: {fixed: a}}
sensors: {tip: {position: b}}
run: {end: 10 ms, step: 1 ms}
END
sed 's/step: 1 ms/step: 1 ms, solver: mumps/' small.yaml >mumps.yaml
for limit in 120000 180000; do
    within $limit 0 check small.yaml
    within $limit 1 modes small.yaml
    says err "out of memory"
    within $limit 0 run small.yaml -o small.h5 -q
    within $limit 1 run mumps.yaml -o mumps.h5 -q
    says err "out of memory"
done
within 1000000 0 modes small.yaml
within 1000000 0 run mumps.yaml -o mumps.h5 -q
finish
