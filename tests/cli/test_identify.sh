#!/bin/bash
# sinew identify as a user meets it: a small study, its files, exit codes, other data and starts, and Ctrl-C.
# SINEW is the command; all files are made in a folder of their own.
. "${SN_SOURCE_DIR:?}/tests/cli/kit.sh"

# All files are there and whole, nothing else.
whole() {
    is "$1: four files" [ "$(ls -A "$1" | tr '\n' ' ')" = "report.html resume.bin study.h5 study.json " ]
    json "$1/study.json" '"parameters" in d and all({"level", "about", "channel", "text"} == set(v) for v in d["verdicts"])'
    is "$1: the report ends" grep -q '</html>' "$1/report.html"
    is "$1: HDF5" [ "$(head -c 4 "$1/study.h5" | tail -c 3)" = HDF ]
}

cat >spring.yaml <<'END'
sinew: 1
parameters: {k: 80 N/m, c: 1.5 N*s/m}
nodes: {b: [1.2, 0]}
elements:
  bob: {mass2d: b, mass: 2}
  s: {spring2d: [ground, b], k: k, c: c, l0: 1}
joints: {rail: {fixed: b, only: y}}
sensors: {at: {position: b}, pull: {force: s}}
run: {end: 1 s, step: 5 ms, output: 20 ms}
END
expect 0 run spring.yaml -o run.h5 -q
expect 0 export run.h5 -o all.csv
# the time and the first channel, with some noise that is always the same
awk -F, 'NR == 1 { print "t,at.x"; next } { s = (s * 16807 + 11) % 2147483647; printf "%s,%.9f\n", $1, $2 + 2e-3 * (s / 2147483647 - 0.5) }' all.csv >data.csv
cat >study.yaml <<'END'
study: 1
title: A <spring> & "quotes"
model: spring.yaml
data: data.csv
unknowns: {k: {start: 60 N/m, bounds: [1, 1e4]}, c: {start: 1, bounds: [1e-3, 100]}}
END

# ---- converged ----
expect 0 identify study.yaml
says out "converged:"
says out "95 % interval"
says out "report: study-fit/report.html"
whole study-fit
json study-fit/study.json 'd["converged"] is True and d["reason"] and d["simulations"] > 3 and 0.5 < d["rms"] < 1.5'
json study-fit/study.json 'all(p["interval"][0] < p["estimate"] < p["interval"][1] and p["std_error"] > 0 for p in d["parameters"].values())'
json study-fit/study.json 'abs(d["parameters"]["k"]["estimate"] - 80) < 4 * d["parameters"]["k"]["std_error"] and d["parameters"]["k"]["start"] == 60'
json study-fit/study.json 'd["title"] == "A <spring> & \"quotes\"" and d["experiments"][0]["channels"][0]["sigma"] < 1e-3'
is "the title cannot break the page" [ -z "$(grep -F '<title>A <spring>' study-fit/report.html)" ]
expect 0 identify study.yaml -o other --json
json out 'd["converged"] and list(d["parameters"]) == ["k", "c"]'
is "--json is the file, but for the time" [ "$(sed 's/"seconds": [^,]*//' out)" = "$(sed 's/"seconds": [^,]*//' other/study.json)" ]
expect 0 identify study.yaml -o other -q --threads 1
is "quiet" [ ! -s out ]
whole other

# ---- the mechanism in the report ----
frames() { grep -o 'id="m[0-9]*-header"[^}]*"frames":[0-9]*' "$1/report.html" | grep -o '[0-9]*$' | sort -u | tr '\n' ' '; }
# 51 samples, a motion needs more
is "four frames a sample" [ "$(frames study-fit)" = "201 " ]
is "what was measured" grep -q '"offset":0,"channels":\[{"node":"b","axis":0,"angle":0,"base":0,"offset":\[\]}\]' study-fit/report.html
# 1000 samples a second for 1 s: at most 600 frames
sed 's/output: 20 ms/output: 1 ms/' spring.yaml >fine.yaml
expect 0 run fine.yaml -o fine.h5 -q
expect 0 export fine.h5 -o -
cut -d, -f1,2 out >fine.csv
expect 0 identify study.yaml --data fine.csv -o fine
is "frames are thinned" [ "$(frames fine)" = "501 " ]
# 24 runs of 603 coordinates: 60 frames of each are too much for a page, those of the first few are not
cat >long-beam.yaml <<'END'
sinew: 1
parameters: {E: 2e9 Pa}
nodes: {a: [0, 0], b: [1, 0]}
elements: {bar: {beam2d_cr: [a, b], E: E, A: 1e-4 m^2, I: 1e-9 m^4, rho: 1000, elements: 200}, pull: {force2d: b, force: [0, -1]}}
joints: {wall: {fixed: a}}
sensors: {tip: {position: b}}
run: {end: 0.03 s, step: 10 ms}
END
printf 't,tip.y\n0.01,-1e-5\n0.02,-3e-5\n0.03,-7e-5\n' >tip.csv
{
    printf 'study: 1\nmodel: long-beam.yaml\nnoise: {tip.y: 1 mm}\nunknowns: {E: {start: 2e9, bounds: [1e9, 4e9]}}\nstarts: 0\nexperiments:\n'
    for i in $(seq 24); do echo "  e$i: tip.csv"; done
} >many.yaml
LIMIT=120 limited identify many.yaml -o many -q >out 2>err
is "many experiments of a large model" [ -s many/report.html ]
shown=$(grep -c 'id="m[0-9]*-header"' many/report.html) silent=$(grep -c 'id="m[0-9]*-why"' many/report.html)
is "some have a mechanism ($shown), the others say why not ($silent)" [ "$shown" -gt 3 -a "$silent" -gt 3 -a $((shown + silent)) -eq 24 ]
is "the page stays small" [ "$(wc -c <many/report.html)" -lt 8000000 ]

# ---- other data and starts ----
head -30 data.csv >half.csv
expect 0 identify study.yaml --data half.csv --start k=50 --start 'c=2 N*s/m' -o half
json half/study.json 'd["measured"] == 29 and d["parameters"]["k"]["start"] == 50 and d["parameters"]["c"]["start"] == 2'
expect 0 identify study.yaml -o half --resume
says err "note: the study, its model or its data are not those of the earlier search: begins anew at the estimates in half/study.json (2 of 2 unknowns)"
json half/study.json 'abs(d["parameters"]["k"]["start"] - 80) < 5'

# ---- numbers, scheme and end from the command line, as for a run ----
expect 0 identify study.yaml -o given --set 's.l0=1 m' --set 'bob.mass=4 kg' --end '0.6 s' --step '10 ms' --scheme hht --solver dense --tolerance 1e-9 --error 0
# twice the mass takes twice the stiffness and damping, 31 of the 51 samples
json given/study.json 'd["measured"] == 31 and all(abs(d["parameters"][p]["estimate"] - 2 * x) < 4 * d["parameters"][p]["std_error"] for p, x in (("k", 80), ("c", 1.5)))'
cp given/study.json fine.json
expect 0 identify study.yaml -o given --set 'bob.mass=4 kg' --end 0.6 --scheme newmark --step 0.01
json given/study.json 'd["parameters"]["k"]["estimate"] != json.load(open("fine.json"))["parameters"]["k"]["estimate"]'
expect 2 identify study.yaml -o given --set k=3
says err "'k' is sought by the study: --start gives the place where that begins"
expect 2 identify study.yaml -o given --set kk=3
says err "the model has no number 'kk'"
expect 2 identify study.yaml -o given --set k
says err "write --set name=value"
expect 2 identify study.yaml -o given --scheme hhht
says err "unknown scheme 'hhht': it is one of "
expect 2 identify study.yaml -o given --scheme hht --set run.rho=0.5
says err "scheme 'hht' has no setting 'rho': it has 'alpha'"
expect 0 identify study.yaml -o damped --scheme hht --set run.alpha=-0.3 --step 0.01
cp damped/study.json damped.json
expect 0 identify study.yaml -o damped --scheme hht --set run.alpha=0 --step 0.01 --resume
json damped/study.json 'd["parameters"]["k"]["estimate"] != json.load(open("damped.json"))["parameters"]["k"]["estimate"]'
expect 2 identify study.yaml -o given --solver kluu
expect 2 identify study.yaml -o given --end '3 kg'
expect 2 identify study.yaml -o given --step -1

# ---- not converged ----
cat >apart.yaml <<'END'
sinew: 1
parameters: {h: 0.5 m}
nodes: {b: [1, 0]}
elements: {bob: {mass2d: b, mass: 1}}
joints: {rod: {distance: [ground, b], length: 1}, rail: {fixed: b, only: y, y: h}}
sensors: {at: {position: b}}
run: {end: 1 s, step: 10 ms}
END
sed 's/spring.yaml/apart.yaml/; s/^unknowns.*/unknowns: {h: {start: 2, bounds: [1.5, 3]}}/' study.yaml >apart-study.yaml
expect 1 identify apart-study.yaml -o apart
says out "NOT CONVERGED: the model cannot be simulated at the start values"
whole apart
json apart/study.json 'd["converged"] is False and d["parameters"]["h"]["std_error"] is None and d["rms"] is None'

# ---- bad input ----
expect 2 identify none.yaml
: >empty.yaml
expect 2 identify empty.yaml
says err "empty.yaml: error: the file is empty; a study begins with 'study: 1'"
expect 2 identify spring.yaml
says err "this is no study file"
expect 2 identify study.yaml --start kk=3 -o bad
says err "the study has no such unknown"
expect 2 identify study.yaml --start k=3kg -o bad
expect 2 identify study.yaml --data none.csv -o bad
sed 's/horizon/&/; s/^data/dta/' study.yaml >typo.yaml
expect 2 identify typo.yaml -o bad
says err "typo.yaml:4:1: error: a study has no key 'dta' (did you mean 'data'?)"
expect 2 identify study.yaml --resume -o bad
is "bad input leaves nothing" [ ! -e bad ]
expect 2 identify study.yaml -o data.csv
expect 2 identify study.yaml -o no/such/folder
for n in some 0 -1 2x; do
    expect 2 identify study.yaml --threads=$n
    says err "write a number from 1"
done

# ---- numbers that are not sought ----
expect 0 identify study.yaml -o tried --try
says out "numbers that are not sought"
json tried/study.json 'any(c["name"] == "s.l0" and c["unit"] == "m" and "k" in c["moves"] for c in d["candidates"])'
json tried/study.json 'any(v["about"] == "model" and v["level"] == "good" for v in d["verdicts"])'
expect 0 identify study.yaml -o tried --try 'free length of s' -q
json tried/study.json '[c["name"] for c in d["candidates"]] == ["s.l0"]'
expect 0 identify study.yaml -o tried --try bob.mass # which scales with k and c
says out "the unknowns can do all that it does"
expect 0 identify -o tried --try study.yaml -q # its words may be missing
expect 2 identify study.yaml -o tried --try=magnetism
says err "'magnetism' names no number of the model"
grep -v '^unknowns' study.yaml >less.yaml
printf 'set: {c: 4}\nunknowns: {k: 60}\n' >>less.yaml
"$SINEW" identify less.yaml -o tried >out 2>err
says out "probably a wrong parameter c (c = "
json tried/study.json '[c for c in d["candidates"] if c["named"]][0]["refit"]["bic"] < -10'

# ---- which of several ----
expect 0 identify less.yaml study.yaml -o both
says out "2 studies of the same 51 measured numbers"
says out "study.yaml is what the data support"
says out "report of study.yaml: both/study-fit/report.html"
json both/compare.json 'd["best"] == "study.yaml" and d["studies"][0]["rank"] == 2 and d["studies"][0]["verdicts"]["bad"] > 0'
is "a folder for each" [ "$(ls -A both | tr '\n' ' ')" = "compare.html compare.json less-fit study-fit " ]
is "links to the reports" grep -q '"reports": \["less-fit/report.html", "study-fit/report.html"\]' both/compare.html
whole both/study-fit
expect 0 identify study.yaml less.yaml -o both --json --resume
json out 'd["best"] == "study.yaml" and len(d["studies"]) == 2 and d["ratios"][0]["freed"] == ["c"]'
sed 's/set: {c: 4}/set: {c: 9}/' less.yaml >least.yaml
expect 1 identify less.yaml least.yaml -o both # the best one is bad
says out "is not to be trusted either"
expect 0 identify less.yaml least.yaml -o both --lenient -q
expect 0 identify less.yaml study.yaml -o both --strict -q --step '2 ms' # the bad one is not the best
sed 's/bounds: \[1e-3, 100\]/bounds: [1e-3, 1.48]/' study.yaml >tight.yaml # a warning: c is at its bound
expect 0 identify less.yaml tight.yaml -o both -q
json both/compare.json 'd["best"] == "tight.yaml" and d["stopped"] is False'
expect 1 identify less.yaml tight.yaml -o both -q --strict
expect 2 identify study.yaml less.yaml --strict --lenient
expect 2 identify study.yaml less.yaml -o both --end 0.001
sed 's/data.csv/other.csv/' study.yaml >else.yaml
sed '5s/,.*/,1.3/' data.csv >other.csv
expect 2 identify study.yaml else.yaml -o both
says err "not fitted to the same data"
says err "1 of 51 values of at.x in experiment 'data' differ"

# ---- Ctrl-C: the best so far, with whole files, at any time ----
sed '1a starts: {n: 100000, spread: 3}' study.yaml >long.yaml
for signal in INT TERM HUP; do
    case $signal in INT) want=130 ;; TERM) want=143 ;; HUP) want=129 ;; esac
    rm -rf long
    "$sinew" identify long.yaml -o long >out 2>err &
    pid=$!
    is "it has begun" wait_for grep -qE '"starts_done": [1-9]' long/progress.json
    kill -"$signal" "$pid"
    wait "$pid"
    code=$?
    checks=$((checks + 1))
    [ "$code" -eq "$want" ] || fail "SIG$signal: exit code $code"
    says out "NOT CONVERGED: stopped on request"
    whole long
    json long/study.json 'd["converged"] is False and d["reason"] == "stopped on request" and abs(d["parameters"]["k"]["estimate"] - 80) < 5'
    json long/study.json 'd["stopped"] is True and not any(v["level"] == "good" for v in d["verdicts"])'
    json long/study.json 'any(v["level"] == "bad" and v["about"] == "minimum" and v["text"].startswith("stopped on request") for v in d["verdicts"])'
done

# several studies: the finished one is ranked, the one under way has its files, the last is not begun
for signal in INT TERM HUP; do
    case $signal in INT) want=130 ;; TERM) want=143 ;; HUP) want=129 ;; esac
    rm -rf both
    "$sinew" identify study.yaml long.yaml less.yaml -o both --lenient >out 2>err &
    pid=$!
    is "the second has begun" wait_for [ -e both/long-fit/progress.json ]
    kill -"$signal" "$pid"
    wait "$pid"
    code=$?
    checks=$((checks + 1))
    [ "$code" -eq "$want" ] || fail "several studies, SIG$signal: exit code $code"
    says out "STOPPED on request: 1 of 3 studies are finished"
    says out "report of study.yaml: both/study-fit/report.html"
    json both/compare.json 'd["stopped"] is True and d["best"] == "study.yaml" and [s["rank"] for s in d["studies"]] == [1, None, None]'
    whole both/study-fit
    whole both/long-fit
    is "the third is not begun" [ ! -e both/less-fit ]
done

# a run of hours is left at once, and so is its report; what is not known is null. In the background timeout hands a signal on
# twice, and the second one ends the program at once: --foreground
for threads in 1 2; do
    rm -rf slow
    timeout --foreground -s KILL 300 "$sinew" identify study.yaml -o slow --step '5e-9 s' --threads $threads >out 2>err &
    pid=$!
    is "it has begun" wait_for [ -e slow/resume.bin ]
    sleep 0.3
    kill -TERM "$pid"
    wait "$pid"
    code=$?
    checks=$((checks + 1))
    [ "$code" -eq 143 ] || fail "SIGTERM in a long run: exit code $code"
    whole slow
    json slow/study.json 'd["stopped"] is True and d["rms"] is None and d["parameters"]["k"]["std_error"] is None'
done

# ---- exit codes by verdicts: a model that does not explain its data is bad ----
awk -F, 'NR == 1 { print "t,at.x"; next } { s = (s * 16807 + 11) % 2147483647; printf "%s,%.9f\n", $1, $2 + 0.05 * sin(30 * $1) + 2e-3 * (s / 2147483647 - 0.5) }' all.csv >wrong.csv
expect 1 identify study.yaml --data wrong.csv -o wrong
json wrong/study.json 'd["converged"] is True and any(v["level"] == "bad" and v["about"] == "residuals" for v in d["verdicts"])'
json wrong/study.json 'd["starts"] >= 3 and any(v["about"] == "minimum" for v in d["verdicts"])'
expect 0 identify study.yaml --data wrong.csv -o wrong --lenient -q
expect 0 identify apart-study.yaml -o apart --lenient -q
expect 2 identify study.yaml --strict --lenient
says err "--strict and --lenient contradict each other"
expect 0 identify study.yaml -o other -q --strict --step '2 ms'
# c is at its bound: a warning
sed 's/bounds: \[1e-3, 100\]/bounds: [1e-3, 1.48]/' study.yaml >tight.yaml
expect 0 identify tight.yaml -o tight -q
json tight/study.json 'any(v["level"] == "warning" for v in d["verdicts"]) and not any(v["level"] == "bad" for v in d["verdicts"])'
expect 1 identify tight.yaml -o tight -q --strict

# ---- kill -9, and on ----
# a search of minutes: many starts, one after the other
sed '1a starts: {n: 100000, spread: 3}' study.yaml >killed.yaml
rm -rf killed
starts_done() { sed -nE 's/.*"starts_done": ([0-9]+).*/\1/p' killed/progress.json 2>/dev/null | grep . || echo 0; }
enough() { [ "$(starts_done)" -ge "$wanted" ]; }
for delay in 0.2 0.7 0.1; do
    "$sinew" identify killed.yaml -o killed --threads 1 ${before:+--resume} -q >out 2>err &
    pid=$!
    sleep "$delay"
    wanted=$([ $delay = 0.1 ] && echo 20 || echo 1) # written once a second
    is "it gets on" wait_for enough
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    before=$(wc -c <killed/resume.bin)
    is "no result yet after $delay s" [ ! -e killed/study.json ]
done
json killed/progress.json 'd["length"] == 1 and d["simulations"] > 0 and "seconds_left" in d'
json killed/progress.json 'd["finished"] is False and abs(d["parameters"]["k"]["estimate"] - 80) < 5 and 0 < d["starts_done"] < d["starts"] == 100000'
sed -i 's/n: 100000/n: 20/' killed.yaml # enough of it
expect 0 identify killed.yaml -o killed --resume
says err "note: goes on with "
says out "made earlier)"
whole killed
json killed/study.json 'd["starts"] == 20 and d["simulations"] - d["simulations_kept"] <= 20'
cp killed/study.json first.json
expect 0 identify killed.yaml -o killed --resume -q
is "quiet" is_empty err
json killed/study.json 'd["simulations"] - d["simulations_kept"] == 2 and d["parameters"] == json.load(open("first.json"))["parameters"]'
head -c 20 first.json >killed/resume.bin
expect 2 identify killed.yaml -o killed --resume
says err "killed/resume.bin: error: this is no record of simulations, or a damaged one"

finish
