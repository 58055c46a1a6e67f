#!/bin/bash
# What the command says around its numbers: an unknown command is answered by a list of them, --quiet and --digits are for
# all, what is written is named, a zero has no sign, and the keys of study files are told from the tables that read them.
. "$SN_SOURCE_DIR/tests/cli/kit.sh"

cat >rod.yaml <<'E'
sinew: 1
gravity: [0, -9.81]
parameters: {L: 1 m, m: 2 kg}
nodes: {root: [0, 0], bob: {point2d: [L, 0], velocity: [0 m/s, -1 m/s]}}
elements: {bob: {mass2d: bob, mass: m}, s: {spring2d: [root, bob], k: 100 N/m}}
joints: {wall: {fixed: root}}
sensors: {bob: {position: bob}, wall: {reaction: wall}}
run: {end: 10 ms, step: 1 ms}
E

# ---- an unknown command ----
expect 2 rum
says err "did you mean 'run'?"
"$sinew" list commands >commands
while read -r command; do grep -q "^  $command " err || fail "the list lacks $command"; done <commands

# ---- --quiet, of every command ----
while read -r command; do
    expect 0 "$command" --help
    says out "-q, --quiet"
    says out "--digits N"
done <commands
expect 0 run rod.yaml -q
is "run -q" is_empty out
expect 0 check rod.yaml -q
is "check -q" is_empty out
expect 0 static rod.yaml -q -o static.h5
is "static -q" is_empty out
expect 0 modes rod.yaml -q
is "modes -q" is_empty out
expect 0 export rod.h5 -q
is "export -q" is_empty out
expect 0 linearise rod.yaml -q -o linear.h5
is "linearise -q" is_empty out
expect 0 run rod.yaml -q --print bob.x
is "what is asked for is printed" [ "$(wc -l <out)" -eq 1 ]

# ---- what is written is named ----
expect 0 export rod.h5 --mat
says out "rod.mat: written, "
expect 0 export rod.h5
says out "rod.csv: written, "
expect 0 export rod.h5 -o -
is "standard output has the table alone" [ "$(grep -c written out)" -eq 0 ]

# ---- digits ----
expect 0 check rod.yaml --set 'm=1/3'
says out "mass 0.333333 kg"
expect 0 check rod.yaml --set 'm=1/3' --digits 12
says out "mass 0.333333333333 kg"
for n in 0 18 few 3.5 ''; do
    expect 2 check rod.yaml --digits "$n"
    says err "from 1 to 17"
done

# ---- no signed zero: the reaction of a wall that is pulled along x has a component -0 ----
expect 0 run rod.yaml --set gravity.y=0 --set bob.velocity.y=0 --print wall.fx --print wall.fy --print bob.y
is "-0 is printed" [ "$(grep -cx -- '-0' out)" -eq 0 ]
expect 0 run rod.yaml --set gravity.y=0 --set bob.velocity.y=0 -q
expect 0 export rod.h5 -o -
is "-0 is exported" [ "$(grep -cE '(^|,)-0(,|$)' out)" -eq 0 ]
expect 0 static rod.yaml --set gravity.y=0
is "-0 in a table" [ "$(grep -cE ' -0( |$)' out)" -eq 0 ]

# ---- fit.yaml goes into fit, of any name that ends so; not where it would be the file itself ----
"$sinew" run rod.yaml -q -o data.h5 && "$sinew" export data.h5 -q
printf 'study: 1\nmodel: rod.yaml\ndata: data.csv\nunknowns: {m: 2.1 kg}\n' >fit.yaml
cp fit.yaml rod-fit.yaml && cp fit.yaml outfit.yaml && mkdir plain && sed 's/: rod/: ..\/rod/; s/: data/: ..\/data/' fit.yaml >plain/fit
for pair in fit.yaml:fit rod-fit.yaml:rod-fit outfit.yaml:outfit-fit; do
    expect 0 identify "${pair%:*}" --lenient
    says out "report: ${pair#*:}/report.html"
done
(cd plain && "$sinew" identify fit --lenient) >out 2>err
says out "report: fit-fit/report.html"

# ---- keys of studies ----
expect 0 help study
for word in 'unknowns.NAME: a number that is sought' 'bounds            [LOWER, UPPER]' 'design.robust: '; do says out "$word"; done
is "every key has a shape and a text" [ "$(awk '/^    [a-z_]/ && !/^    (study: |model: |data: |unknowns: )/ && NF < 3' out | wc -l)" -eq 0 ]
expect 0 help smoothing
says out "smoothing (study)"
says out "tikhonov|total_variation|none"
expect 2 help smoothin
says err "did you mean 'smoothing'?"

finish
