#!/bin/bash
# sinew compare as a user meets it: tables, page, what fails, --resume, Ctrl-C, bad input.
. "${SN_SOURCE_DIR:?}/tests/cli/kit.sh"

cat >pendulum.yaml <<'EOF2'
sinew: 1
gravity: [0, -9.81]
nodes: {a: {frame2d: [0.5, 0]}}
elements: {rod: {mass2d: a, mass: 1, inertia: 1/12}}
joints: {pin: {revolute2d: [ground, a], at: [0, 0]}}
sensors: {a: {position: a}}
run: {end: 3, step: 10 ms, tolerance: 1e-12}
EOF2
cat >bar.yaml <<'EOF2'
sinew: 1
parameters: {n: 2}
nodes: {a: [0, 0], b: [1, 0]}
elements: {bar: {beam2d_cr: [a, b], EA: 1e8, EI: 1, rhoA: 1, elements: n}, load: {force2d: b, force: [0, 10]}}
joints: {clamp: {fixed: a}}
sensors: {tip: {position: b}}
EOF2
# inertia that depends on the configuration: energy_momentum refuses it
cat >hinge.yaml <<'EOF2'
sinew: 1
nodes: {a: [0, 0], b: [1, 0]}
elements: {bar: {beam2d_cr: [a, b], EA: 1e4, EI: 1, rhoA: 1}}
joints: {pin: {fixed: a, only: [x, y]}}
sensors: {a: {position: b}}
run: {end: 1, step: 10 ms}
EOF2
cat >cases.yaml <<'EOF2'
compare: 1
title: A few
repeat: 1
problems:
  swing:
    model: pendulum.yaml
    quantities: [a.x@1.5, a.y@1500 ms]
    scale: 50 cm
    refine: {run.step: [20 ms, 10 ms, 5 ms]}
    variants: {given: {}, hht: {run: {scheme: hht, alpha: -0.1}}}
    across: {constraints: [multipliers, augmented]}
  tip:
    analysis: static
    model: bar.yaml
    quantities: [tip.x, tip.y]
    reference: [0.44500440, 0.81060902]
    refine: {n: [4, 8, 16]}
    variants: {beam: {}}
  refused:
    model: hinge.yaml
    quantities: [a.x@1]
    reference: {variant: one, run: {step: 1 ms}}
    refine: {run.step: [20 ms, 10 ms]}
    variants: {one: {}, other: {run: {scheme: energy_momentum}}}
EOF2

expect 0 compare cases.yaml --json -o all
for file in compare.html compare.csv compare.md compare.json; do is "$file is there" test -s "all/$file"; done
cp out all.json
json all.json 'len(d["problems"]) == 3 and not d["stopped"]'
# four variants of three steps each; both schemes are of second order, and extrapolation sees it
json all.json 'len(d["problems"][0]["cases"]) == 12'
json all.json '[c["variant"] for c in d["problems"][0]["cases"]][::3] == ["given, multipliers", "given, augmented", "hht, multipliers", "hht, augmented"]'
json all.json 'all(1.7 < c["order"] < 2.3 for c in d["problems"][0]["cases"] if c["at"]["run.step"]["number"] > 0)'
# augmented is multipliers
json all.json 'max(abs(a - b) for k in (0, 1, 2) for a, b in zip(d["problems"][0]["cases"][k]["values"], d["problems"][0]["cases"][k + 3]["values"])) < 1e-9'
# against the closed form: a prototype of the same formulas had 8.2e-3, 1.8e-3, 4.5e-4 with 4, 8, 16 elements
json all.json 'all(abs(c["error"] / e - 1) < 0.03 for c, e in zip(d["problems"][1]["cases"], [8.2e-3, 1.8e-3, 4.5e-4]))'
json all.json 'all(c["factor_nonzeros"] > 0 for c in d["problems"][1]["cases"])'
# what fails is a row with its reason, and the reference is one of its own
json all.json '[c["state"] for c in d["problems"][2]["cases"]] == ["done"] * 3 + ["failed"] * 2 and d["problems"][2]["cases"][0]["reference"]'
json all.json '"bar" in d["problems"][2]["cases"][4]["reason"] and "error" not in d["problems"][2]["cases"][4]'
is "lines of compare.csv" test "$(wc -l <all/compare.csv)" -eq 21
cp all/compare.md out
says out '| given, multipliers'
says out 'other, run.step 20 ms failed'
expect 1 compare cases.yaml --strict -q -o all

# what is kept is not solved again, and gives the same but for the order of keys; a changed model is solved anew
expect 0 compare cases.yaml --resume --json -o all
cp out again.json
json again.json 'sum(c["kept"] for p in d["problems"] for c in p["cases"]) == 18'
is "the same numbers" cmp <(sed 's/"cpu[a-z_]*": [^,]*,//g; s/"version.*//' all/compare.json | tr -d '\n' | sed 's/"kept": true/"kept": false/g') \
    <(sed 's/"cpu[a-z_]*": [^,]*,//g; s/"version.*//' again.json | tr -d '\n' | sed 's/"kept": true/"kept": false/g')
sed -i 's/EI: 1,/EI: 1.0001,/' bar.yaml
expect 0 compare cases.yaml --resume --json -o all
json out 'sum(c["kept"] for p in d["problems"] for c in p["cases"]) == 15'

# only some
expect 0 compare cases.yaml --only tip --only swing/hht -q -o some
expect 2 compare cases.yaml --only top -o some
says err "'top' is no problem"
expect 0 compare cases.yaml --only 'swing/given, augmented' --json -o some
json out 'len(d["problems"]) == 1 and len(d["problems"][0]["cases"]) == 3'

# bad input, with its place
bad() { # text of sed, what is said
    sed "$1" cases.yaml >bad.yaml
    expect 2 compare bad.yaml -o bad
    says err "$2"
    is "nothing was made by '$1'" test ! -e bad
}
bad 's/compare: 1/compare: 2/' "bad.yaml:1:1: error: a file of cases begins with 'compare: 1'"
bad 's/    scale: 50 cm/    scales: 50 cm/' "bad.yaml:8:5: error: a problem has no key 'scales' (did you mean 'scale'?)"
bad 's/a.x@1.5/b.x@1.5/' "bad.yaml:7:18: error: there is no sensor 'b.x'"
bad 's/a.x@1.5/a.x@4/' "goes from 0 to 3 s"
bad 's/a.x@1.5/a.x/' "needs a time"
bad 's/\[tip.x, tip.y\]/[tip.x@1, tip.y]/' "an equilibrium has no times"
bad 's/model: bar.yaml/model: baer.yaml/' "bad.yaml:14:12"
bad 's/scheme: hht/scheme: hth/' "bad.yaml:10:47: error: unknown scheme 'hth'"
bad 's/0.44500440, //' "1 numbers for 2 quantities"
bad 's/\[20 ms, 10 ms, 5 ms\]/[20 ms, 10 ms, 15 ms]/' "must go one way"
bad 's/variant: one/variant: tow/' "no variant 'tow'"
bad 's/alpha: -0.1/alhpa: -0.1/' "bad.yaml:10"
bad 's/analysis: static/analysis: statics/' "run or static"

# Ctrl-C keeps what is finished
sed 's/end: 3/end: 3000/' pendulum.yaml >long.yaml
sed 's/pendulum.yaml/long.yaml/; s/1500 ms/2900/' cases.yaml >stop.yaml
"$sinew" compare stop.yaml --only tip --only swing -o stop >out 2>err &
id=$!
wait_for catches $id
wait_for has_computed $id 1
kill -INT $id
wait $id
code=$?
is "exit code $code after Ctrl-C" test $code -eq 130
says err 'stopped on request'
is "the page" test -s stop/compare.html
json stop/compare.json 'd["stopped"] and any(c["state"] == "not solved" for p in d["problems"] for c in p["cases"])'

# help
expect 0 help cases
says out 'compare: 1'
says out 'refine'
expect 0 help quantities
says out 'quantities (cases)'
finish
