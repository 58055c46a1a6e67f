#!/bin/bash
# sinew identify --follow as a user meets it: rows from standard input, each answered at once, rows that cannot be used,
# the end of the input, Ctrl-C and SIGTERM.
. "${SN_SOURCE_DIR:?}/tests/cli/kit.sh"

cat >pushed.yaml <<'END'
sinew: 1
parameters: {m: 2 kg, k: 80 N/m, c: 1.5 N*s/m}
nodes: {b: [1, 0]}
elements:
  bob: {mass2d: b, mass: m}
  s: {spring2d: [ground, b], k: k, c: c, l0: 1 m}
  push: {force2d: b, force: [push*1 N, 0]}
joints: {rail: {fixed: b, only: y}}
signals: {push: {expression: 3*sin(4*t) + 2}}
sensors: {at: {position: b}, a: {acceleration: b}}
run: {end: 1 s, step: 10 ms}
END
cat >study.yaml <<'END'
study: 1
model: pushed.yaml
method: kalman
noise: {a.x: 0.1 m/s^2, at.x: 4 mm}
kalman: {lag: 0.1 s, show: [at.x]}
unknowns:
  push: {history: {form: cubic, spacing: 50 ms, weight: 10, unit: N}}
END
expect 0 run pushed.yaml -o run.h5 -q
expect 0 export run.h5 -o all.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print "t,a.x,at.x"; next }
    { s = (s * 16807 + 11) % 2147483647; printf "%s,%.9f,%.9f\n", $1, $at["a.x"] + 0.3 * (s / 2147483647 - 0.5), $at["at.x"] }' all.csv >data.csv

# follow CODE FILE WORD...: a file as standard input
follow() {
    local code=$1 file=$2 got
    shift 2
    checks=$((checks + 1))
    limited identify study.yaml --follow "$@" <"$file" >out 2>err
    got=$?
    [ "$got" -eq "$code" ] || fail "exit code $got instead of $code: --follow $* <$file"
}

# ---- an unknown beside a force ----
sed 's/^unknowns:/&\n  k: {start: 78, prior: [78, 4]}/' study.yaml >with-k.yaml
timeout 20 "$sinew" identify with-k.yaml --follow <data.csv >out 2>err || fail "with k: $(cat err)"
is "what the standard error rests on is told" grep -q '^note: standard errors of k hold where push changes by chance' err
timeout 20 "$sinew" identify with-k.yaml --follow --quiet <data.csv >out 2>err || fail "with k: $(cat err)"
is "quiet" is_empty err

# ---- a row for each ----
follow 0 data.csv
is "nothing on standard error" is_empty err
is "a header" [ "$(head -1 out)" = "t,push,push.std_error,at.x,at.x.std_error,innovation,past.t,push.past,push.past.std_error,at.x.past,at.x.past.std_error" ]
is "a row for each" [ "$(wc -l <out)" = "$(wc -l <data.csv)" ]
# after 0.2 s: within 4 standard errors, which are less than 1 N, and what was 0.1 s ago is known better
is "the force" awk -F, 'NR > 22 { n++; e = $2 - 3*sin(4*$1) - 2; if (e < 0) e = -e; if (!($3 > 0 && $3 < 1 && e < 4*$3 && $9 < $3 && $7 < $1)) bad++ } END { exit !(n > 70 && !bad) }' out
cp out whole

# ---- rows that cannot be used ----
awk 'NR == 5 { print "0.035,1"; print "0.035,1,2,3"; print "0.035,one,1"; print "0.01,1,1"; print "t,1,1"; print ""; print "# a remark" } { print }' data.csv >bad.csv
follow 0 bad.csv
says err "standard input:5:7: 2 numbers in a row of 3; the row is left out"
says err "standard input:6:11: 4 numbers in a row of 3"
says err "standard input:7:7: 'one' is no number"
says err "standard input:8:1: the time goes back: 0.01 s after 0.02 s"
says err "standard input:9:1: 't' is no number"
says err "note: 5 rows were left out, $(($(wc -l <data.csv) - 1)) taken"
is "they leave no trace" cmp -s out whole
follow 2 bad.csv --strict
is "--strict ends there" [ "$(wc -l <out)" = 4 ]
sed '4s/,[^,]*$/,/; 5s/,.*/,,/' data.csv >missing.csv
follow 0 missing.csv
is "values may be missing" [ "$(wc -l <out)" = "$(wc -l <data.csv)" ]
tr , ';' <data.csv | sed 's/$/\r/' >semicolon.csv
follow 0 semicolon.csv
is "other separators, other line ends" cmp -s out whole
head -c -1 data.csv >open.csv
follow 0 open.csv
is "a last line without an end" cmp -s out whole

# ---- what is refused ----
follow 2 /dev/null
says err "nothing came"
sed '1s/a.x/b.x/' data.csv >other.csv
follow 2 other.csv
says err "standard input"
follow 2 data.csv -o there
says err "no -o"
expect 2 identify study.yaml study.yaml --follow
says err "one study"
sed 's/, weight: 10//' study.yaml >open.yaml
expect_from() { limited identify "$1" --follow <data.csv >out 2>err; }
is "a weight must be known" bash -c "! '$sinew' identify open.yaml --follow <data.csv >out 2>err"
says err "weight of 'push' must be known"
sed 's/, weight: 10//; s/^noise:.*/data: data.csv/' study.yaml >learn.yaml
is "or is found first" expect_from learn.yaml
is "with as many rows" [ "$(wc -l <out)" = "$(wc -l <data.csv)" ]

# ---- as they come ----
mkfifo pipe
gone() { ! kill -0 $id 2>/dev/null; }
answered() { [ "$(wc -l <out)" = 31 ]; }
for signal in INT TERM; do
    "$sinew" identify study.yaml --follow <pipe >out 2>err &
    id=$!
    exec 3>pipe
    head -31 data.csv >&3
    is "answered before the input ends" wait_for answered
    printf '0.31,1' >&3 # half a row: nobody answers it
    kill -$signal $id
    wait_for gone
    kill -KILL $id 2>/dev/null
    wait $id
    got=$?
    exec 3>&-
    is "SIG$signal: exit code $got" [ "$signal $got" = "INT 130" -o "$signal $got" = "TERM 143" ]
    is "SIG$signal: what there was is there" [ "$(head -31 whole)" = "$(cat out)" ]
done
finish
