#!/bin/bash
# Files as a user names them: outputs that are also inputs, by whatever name; inputs that are no files; what is left behind
# when a command is stopped; texts that would speak to the terminal.
. "${SN_SOURCE_DIR:?}/tests/cli/kit.sh"

mkdir sub
cat >part.yaml <<'EOF'
sinew: 1
nodes: {b: {point2d: [1, 0]}}
EOF
printf 't,f\n0,0\n1,2\n' >table.csv
cat >model.yaml <<'EOF'
sinew: 1
include: [{file: part.yaml}]
signals: {pull: {table: table.csv}}
elements:
  bob: {mass2d: b, mass: 2}
  s: {spring2d: [ground, b], k: 80, l0: 1}
  f: {force2d: b, force: [pull, 0]}
joints: {rail: {fixed: b, only: y}}
sensors: {at: {position: b}}
run: {end: 0.1 s, step: 10 ms}
EOF
cat >study.json <<'EOF'
{"study": 1, "model": "model.yaml", "data": "data.csv", "unknowns": {"s.k": 70}}
EOF
expect 0 run model.yaml -q -o a.h5
expect 0 run model.yaml -q -o b.h5
expect 0 export a.h5 -o all.csv
cut -d, -f1,2 all.csv >data.csv
ln -s ../b.h5 sub/link.h5
ln b.h5 sub/hard.h5
ln -s ../table.csv sub/table.h5
cp table.csv sub/equations.txt
sed 's/table.csv/equations.txt/; /include/d; s/^elements/nodes: {b: {point2d: [1, 0]}}\nelements/' model.yaml >sub/own.yaml
sha256sum ./*.* sub/* >before 2>/dev/null

# refused CODE 2, both files named, nothing changed
refused() { # input, words
    local input=$1
    shift
    expect 2 "$@"
    says err "would replace its own input '$input'"
}
refused model.yaml run model.yaml -o model.yaml
refused model.yaml run model.yaml -o ./sub/../model.yaml
refused ./part.yaml run ./model.yaml -o part.yaml
refused table.csv run model.yaml -o table.csv
refused table.csv run model.yaml -o sub/table.h5
refused table.csv static model.yaml -o table.csv
refused table.csv modes model.yaml -o table.csv
refused table.csv linearise model.yaml -o table.csv
refused sub/equations.txt linearise sub/own.yaml --mtx sub
rm -f sub/*.mtx sub/coordinates.txt
refused b.h5 view a.h5 b.h5 -o b.h5
refused b.h5 view a.h5 b.h5 -o sub/link.h5
refused b.h5 view a.h5 b.h5 -o sub/hard.h5
refused data.csv view a.h5 --data data.csv -o data.csv
refused a.h5 export a.h5 -o a.h5 --csv
refused study.json identify study.json -o .
cp data.csv study.h5 && sha256sum study.h5 >>before
cp study.json other.json
refused study.h5 identify other.json --data study.h5 -o .
rm -f report.html
is "inputs that have changed" sha256sum --quiet -c before
expect 0 run model.yaml -q -o b.h5
expect 0 view a.h5 b.h5 -q -o b.html

# ---- inputs that are no plain files: pipes that somebody writes to are read, nothing waits for ever ----
mkfifo pipe
expect 2 run pipe
says err "pipe: error: this is a pipe that is empty, or that nobody writes to"
expect 2 check pipe
expect 2 identify pipe
expect 2 export pipe
says err "is not a plain file"
expect 2 view a.h5 --data pipe
says err "nobody writes to"
sed 's/table.csv/pipe/' model.yaml >piped.yaml
expect 2 run piped.yaml
says err "nobody writes to"
cat >solid.yaml <<'EOF'
sinew: 1
nodes: {a: {frame3d: [0, 0, 0]}}
elements: {body: {mass3d: a, shape: {stl: pipe, density: 7800}}}
run: {end: 2 ms, step: 1 ms}
EOF
expect 2 run solid.yaml
says err "nobody writes to"
expect 2 run /dev/zero
says err "this is a device, not a file"
sed 's#table.csv#/dev/zero#' model.yaml >zero.yaml
expect 2 run zero.yaml
says err "this is a device, not a file"
expect 2 run sub
says err "Is a directory"
sed "s#part.yaml#$work/part.yaml#; s#table.csv#$work/table.csv#" model.yaml >whole.yaml
expect 0 run <(sleep 0.3 && cat whole.yaml) -q -o piped.h5
checks=$((checks + 1))
"$sinew" run /dev/stdin -q -o stdin.h5 <whole.yaml >out 2>err || fail "standard input is not read"
expect 0 export piped.h5 -o piped.csv
expect 0 export stdin.h5 -o stdin.csv
is "the same result by a pipe" cmp -s piped.csv stdin.csv

# ---- damaged results: one error, and nothing from libhdf5 at the end ----
for at in 8 20 44 60 100 150 200 300 400 600; do
    cp a.h5 damaged.h5
    printf '\245' | dd of=damaged.h5 bs=1 seek=$at conv=notrunc 2>/dev/null
    ASAN_OPTIONS=detect_leaks=0 expect 2 export damaged.h5 -o damaged.csv # libhdf5 itself loses memory
    is "one line of error for byte $at" [ "$(grep -c . err)" -eq 1 ]
done

# ---- texts that would speak to the terminal are shown, not obeyed ----
escape=$(printf '\033')
cat >loud.yaml <<'EOF'
sinew: 1
title: "red \e[31m bell \a csi \x9b31m turned \u202e end"
nodes: {b: {point2d: [1, 0]}}
elements: {bob: {mass2d: b, mass: 2}, s: {spring2d: [ground, b], k: 80, l0: 1}}
joints: {rail: {fixed: b, only: y}}
sensors: {at: {position: b}}
run: {end: 0.1 s, step: 10 ms}
EOF
quiet() { # the last command's output has no control characters
    checks=$((checks + 1))
    ! LC_ALL=C grep -lP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]' out err || fail "control characters: $1"
}
expect 0 check loud.yaml
says out 'red \x1b[31m bell \x07 csi \x9b31m turned \u202e end'
quiet "title"
expect 0 check loud.yaml --json
quiet "JSON"
json out 'd["title"] == "red \x1b[31m bell \x07 csi \x9b31m turned \u202e end"'
sed 's/sensors: {at/sensors: {"at\\e]0;x\\a"/' loud.yaml >names.yaml
expect 2 static names.yaml
says err "'at\x1b]0;x\x07' is no good name"
quiet "names"
sed 's/mass: 2/mass: q/' loud.yaml >"loud$escape[1m.yaml"
expect 2 run "loud$escape[1m.yaml"
says err 'loud\x1b[1m.yaml:4:'
quiet "errors"
expect 0 run loud.yaml -o "out$escape[1m.h5"
quiet "paths"
expect 2 run loud.yaml --print "none$escape[1m"
quiet "arguments"
expect 2 "$(printf 'run\033[1m')"
quiet "commands"
command -v script >/dev/null || echo "skipped: no 'script' to make a terminal"
command -v script >/dev/null && TERM=xterm script -qec "$sinew check 'none$escape[1m'" typescript </dev/null >/dev/null 2>&1
[ ! -e typescript ] || is "a terminal is told a name as it is" grep -qF 'none\x1b[1m' typescript
expect 2 gradient loud.yaml --of "1 + 0*at$escape"
quiet "objectives"
# nor does a page take texts of a file as mark-up
is "pages that write mark-up" [ -z "$(grep -rnE 'innerHTML|outerHTML|insertAdjacentHTML|document[.]write' "$SN_SOURCE_DIR/web/src")" ]
finish
