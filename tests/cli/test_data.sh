#!/bin/bash
# sinew data as a user meets it: a table of the columns, findings in sentences, exit codes, JSON, and the same look at
# the start of sinew identify. SINEW is the command; all files are made in a folder of their own.
. "${SN_SOURCE_DIR:?}/tests/cli/kit.sh"

two=$SN_SOURCE_DIR/examples/two-bar
# change PROGRAM: the two bars' data with fields of awk changed; columns t, node2.x, node4.y, node5.x, node5.y
change() { awk -F, -v OFS=, "NR > 1 { $1 } { print }" "$two/data/noise-1.csv"; }

# ---- sound data ----
expect 0 data "$two/data/noise-1.csv"
says out "noise seen"
says out "301 rows"
says out "100 Hz"
says out "nothing odd"
expect 0 data --study "$two/identify.yaml"
says out "nothing odd"
expect 0 data --study "$two/identify.yaml" --json
json out 'd["verdicts"] == [] and [c["name"] for c in d["experiments"][0]["channels"]] == ["node2.x", "node4.y", "node5.x", "node5.y"]'
json out 'all(c["count"] == 301 and c["missing"] == 0 and c["min"] < c["mean"] < c["max"] and c["unit"] == "m" for c in d["experiments"][0]["channels"])'
# 1 % of the RMS displacement: 0.01 m of node5.x, seen within 20 %
json out 'abs(d["experiments"][0]["channels"][2]["noise_seen"] / 0.0095 - 1) < 0.2'
expect 0 data "$two/data/noise-1.csv" -q
is "quiet" is_empty out

# ---- what is wrong with a file ----
change '{ if (NR % 10 == 3) $4 = -9999 }' >code.csv
expect 1 data code.csv
says out "30 of 301 values of node5.x are -9999 (first in row 2, t = 0.01 s)"
change '{ if ($4 > 0.9) $4 = 0.9 }' >clip.csv
expect 1 data clip.csv
says out "are exactly 0.9, its largest"
change '{ if (NR > 150 && NR < 190) $4 = 0.123 }' >stuck.csv
expect 1 data stuck.csv
says out "node5.x is stuck: 39 values behind each other are exactly 0.123 (rows 150 to 188, t = 1.49 to 1.87 s)"
change '{ if (NR == 50) $1 = 0.47 }' >again.csv
expect 1 data again.csv
says out "the time of the row before with other values (first row 49, t = 0.47 s)"
change '{ if (NR == 50) $1 = 0.4 }' >back.csv
expect 1 data back.csv
says out "the times go back 1 time (first in row 49, to 0.4 s)"
change '{ $3 = 1 }' >constant.csv
expect 1 data constant.csv
says out "node4.y is constant (1): is it connected?"
change '{ if (NR == 40) $4 = $4 + 0.4 }' >outlier.csv
expect 0 data outlier.csv
says out "1 value of node5.x is far out of the line of the neighbours (first in row 39"
expect 1 data code.csv --json
json out '[(v["level"], v["kind"], v["channel"], v["row"], v["count"], v["t"]) for v in d["verdicts"]] == [("bad", "code", "node5.x", 2, 30, 0.01)]'
head -2 "$two/data/noise-1.csv" >one.csv
expect 1 data one.csv
says out "one row of data only"
printf 'seconds,a\n0,1\n1,2\n2,4\n' >few.csv
expect 0 data few.csv
says out "only 3 rows"
expect 0 data few.csv --time a

# ---- with a study ----
change '{ $4 = 1000 * $4 }' >mm.csv
expect 1 data mm.csv --study "$two/identify.yaml"
says out "a wrong unit (mm for m)?"
change '{ x = $4; $4 = $5; $5 = x }' >exchanged.csv
expect 1 data exchanged.csv --study "$two/identify.yaml"
says out "the columns node5.x and node5.y look exchanged"
change '{ $4 = -$4 }' >sign.csv
expect 1 data sign.csv --study "$two/identify.yaml"
says out "is its sign reversed?"

# ---- bad input ----
expect 2 data
says err "which data?"
expect 2 data nothing.csv
expect 2 data few.csv --time b
says err "no column 'b' of times"
expect 2 data few.csv --set k1=3
says err "needs --study"
expect 2 data --study nothing.yaml
printf 't,x\n' >empty.csv
expect 2 data empty.csv

# ---- identify looks in the same way, before the search ----
cat >study.yaml <<END
study: 1
model: $two/two-bar.yaml
data: code.csv
unknowns: {k1: {start: 690 N/m, bounds: [100, 1e4]}}
loss: huber
end: 0.5 s
starts: 0
END
limited identify study.yaml -o fit --threads 1 >out 2>err
says err "are -9999"
json fit/study.json 'any(v["about"] == "data" and v["level"] == "bad" and v["channel"] == "node5.x" and "-9999" in v["text"] for v in d["verdicts"])'
finish
