#!/bin/bash
# sinew design as a user meets it: its files, exit codes, mistakes told at their place, a study that the data can go into.
# SINEW is the command; all files are made in a folder of their own.
. "${SN_SOURCE_DIR:?}/tests/cli/kit.sh"

cat >spring.yaml <<'END'
sinew: 1
parameters: {k: 80 N/m, c: 1.5 N*s/m, x0: 1.2 m}
nodes: {b: {point2d: [x0, 0]}}
elements:
  bob: {mass2d: b, mass: 2}
  s: {spring2d: [ground, b], k: k, c: c, l0: 1}
joints: {rail: {fixed: b, only: y}}
sensors: {at: {position: b}, fast: {velocity: b}, pull: {force: s}}
run: {end: 1 s, step: 5 ms, output: 20 ms}
END
study() { # goals of k and c, then the design
    printf 'study: 1\ntitle: A "design"\nmodel: spring.yaml\nunknowns:\n  k: {start: 80 N/m, %s}\n  c: {start: 1.5, bounds: [0, 100], %s}\n%s\n' "$1" "$2" "$3" >study.yaml
}
sensors='sensors: {candidates: [at.x, fast.x, pull], noise: {position: 1 mm, velocity: 5 mm/s, pull: 1 N}, choose: 1}'
study 'goal: 1 %' 'goal: 0.1' "design: {$sensors, excitation: {x0: [1.05 m, 1.2 m]}, duration: [0.1 s, 5 s], rate: [50 Hz, 100 Hz]}"

# ---- reached ----
expect 0 design study.yaml
says out "D-optimal: 1 of 3 sensors"
says out "x0 = 1.2 m"
says out "ok:      the goals are reached"
says out "study for the data: study-design/design.yaml"
is "three files" [ "$(ls -A study-design | tr '\n' ' ')" = "design.html design.json design.yaml " ]
is "the page ends" grep -q '</html>' study-design/design.html
json study-design/design.json 'd["reached"] and d["criterion"] == "D" and d["title"] == "A \"design\"" and len(d["sensors"]) == 3'
json study-design/design.json 'd["sensors"][0]["chosen"] and not d["sensors"][1]["chosen"] and d["sensors"][0]["adds"] > 0.5'
json study-design/design.json 'all(p["std_error"] <= p["goal"] and p["reached"] for p in d["parameters"].values()) and d["duration"] < 5'
json study-design/design.json 'd["excitation"]["x0"]["value"] == 1.2 and {r["rate"] for r in d["rates"]} == {50, 100}'
expect 0 design study.yaml -o other --json
is "--json is the file, but for the time" [ "$(sed 's/"seconds": [^,]*//' out)" = "$(sed 's/"seconds": [^,]*//' other/design.json)" ]
expect 0 design study.yaml -q
is "quiet" [ ! -s out ]

# ---- the study takes the data ----
column=$(sed -n 's/.*columns t, \([a-z.]*\).*/\1/p' study-design/design.yaml)
expect 0 run spring.yaml -o run.h5 -q
expect 0 export run.h5 -o all.csv
awk -F, -v name="$column" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) n = i; print "t," name; next }
    { s = (s * 16807 + 11) % 2147483647; printf "%s,%.9f\n", $1, $n + 1e-2 * (s / 2147483647 - 0.5) }' all.csv >study-design/measured.csv
expect 0 identify study-design/design.yaml -q -o fit
json fit/study.json 'abs(d["parameters"]["k"]["estimate"] - 80) < 4 * d["parameters"]["k"]["std_error"]'

# ---- not reached, not seen ----
study 'goal: 1e-4 %' 'goal: 0.1' "design: {$sensors, duration: [0.1 s, 1 s], rate: 100 Hz}"
expect 1 design study.yaml
says out "the goal of k, a standard error of 8e-05 N/m, is not reached"
study 'goal: 10 %' 'goal: 10' "design: {sensors: {noise: {at.y: 1 mm}}, duration: 1 s, rate: 100 Hz}"
expect 1 design study.yaml
says out "no candidate sees it"

# ---- mistakes ----
wrong() { # design, what is said
    study 'goal: 1 %' 'goal: 1 %' "design: $1"
    expect 2 design study.yaml
    says err "$2"
}
rest='duration: 1 s, rate: 100 Hz'
wrong "{$rest}" "study.yaml:7:9: error: a design needs 'sensors:"
wrong "{sensors: {candidates: [at.x]}, $rest}" "sensors need 'noise:"
wrong "{sensors: {candidates: [at.q], noise: {at: 1 mm}}, $rest}" "sensor 'at' gives at.x, at.y"
wrong "{sensors: {candidates: [fast.x], noise: {at: 1 mm}}, $rest}" "the noise of 'fast.x' is not stated"
wrong "{sensors: {noise: {at: 1 N}}, $rest}" "'1 N' is in"
wrong "{sensors: {noise: {at: 1 mm}, choose: 7}, $rest}" "'choose' must be a whole number from 1 to 2"
wrong "{sensors: {noise: {at: 1 mm}}, $rest, excitation: {k: [1, 2]}}" "'k' is an unknown: it cannot be set"
wrong "{sensors: {noise: {at: 1 mm}}, $rest, excitation: {x0: 1 m}}" "'x0' needs a range [lower, upper]"
wrong "{sensors: {noise: {at: 1 mm}}, $rest, criterion: E}" "a criterion is D, A or {c: k1}, not 'E'"
wrong "{sensors: {noise: {at: 1 mm}}, $rest, criterion: {c: 3*q}}" "'q' is no unknown"
wrong "{sensors: {noise: {at: 1 mm}}, duration: 1 s}" "a design needs 'rate: 100 Hz'"
wrong "{sensors: {noise: {at: 1 mm}}, duration: 1 s, rate: [30 Hz, 100 Hz]}" "30 Hz does not divide 100 Hz"
wrong "{sensors: {noise: {at: 1 mm}}, duration: [2 s, 1 s], rate: 100 Hz}" "a duration must be positive"
wrong "{sensors: {noise: {at: 1 mm}}, $rest, exitation: {x0: [1, 2]}}" "a design has no key 'exitation' (did you mean 'excitation'?)"
study 'goal: 1 m' 'goal: 1 %' "design: {sensors: {noise: {at: 1 mm}}, $rest}"
expect 2 design study.yaml
says err "study.yaml:5:28: error: '1 m' is in m, where"
sed '/^design/d' study.yaml >none.yaml
expect 2 design none.yaml
says err "there is nothing to design"

# ---- Ctrl-C keeps the best so far ----
study 'goal: 1 %' 'goal: 1 %' "design: {$sensors, excitation: {x0: [1.05 m, 1.2 m]}, duration: 200 s, rate: 1000 Hz, evaluations: 100000}"
"$SINEW" design study.yaml -o cut >out 2>err &
pid=$!
is "it runs" wait_for has_computed $pid 3
kill -INT $pid
wait $pid
code=$?
is "stopped with a design" [ $code -eq 130 ]
says out "stopped on request"
finish
