#!/bin/bash
# The names of a model (sinew names), all of which --set and --print take; what shells complete (sinew --complete); manual pages.
. "$SN_SOURCE_DIR/tests/cli/kit.sh"

cat >rod.yaml <<'E'
sinew: 1
gravity: [0, -9.81]
parameters: {L: 1 m, n: 4}
materials: {steel: {E: 210 GPa, rho: 7850 kg/m^3}}
sections: {strip: {rectangle: , width: 20 mm, height: 2 mm}}
nodes: {root: [0, 0], tip: [L, 0]}
elements: {bar: {beam2d_cr: [root, tip], material: steel, section: strip, elements: n}}
joints: {wall: {fixed: root}}
sensors: {tip: {position: tip}, wall: {reaction: wall}}
run: {end: 1 ms, step: 1 ms}
E
printf 'study: 1\nmodel: rod.yaml   # beside it\ndata: rod.csv\nunknowns: {L: 1 m}\n' >fit.yaml

# ---- names ----
expect 0 names rod.yaml
says out "steel.E               2.1e+11      Pa          Young's modulus"
says out "steel.nu              not given"
says out "tip.x                              m"
expect 0 names rod.yaml --set L=2 --json
json out "{n['name']: n['value'] for n in d['numbers']}['tip.at.x'] == 2 and d['sensors'][0] == {'name': 'tip.x', 'unit': 'm'}"
expect 0 names rod.yaml -q
is "names -q" is_empty out
expect 2 names rod.yaml sensor
says err "did you mean 'sensors'?"
expect 0 names rod.yaml numbers --plain
cp out numbers
is "there are many numbers" [ "$(wc -l <numbers)" -gt 30 ]
is "names are unique" [ -z "$(sort numbers | uniq -d)" ]
for name in L n steel.E strip.width tip.at.x bar.EA gravity.y run.step; do is "$name is listed" grep -qx -- "$name" numbers; done
is "numbers inside the mesh are not listed" [ "$(grep -c '^bar\.n[0-9]' numbers)" -eq 0 ]
# every one of them is a number for --set: a value in a unit that no number has is refused by the name of the number
set --
while read -r name; do [ "$name" = n ] || set -- "$@" --set "$name=1 kg^7"; done <numbers
expect 2 check rod.yaml "$@"
is "--set knows every name" [ "$(grep -c 'has no number' err)" -eq 0 ]
expect 0 names rod.yaml sensors --plain
set --
while read -r name; do set -- "$@" --print "$name"; done <out
expect 0 run rod.yaml "$@"
is "--print knows every name" [ "$(wc -l <out)" -eq $(($# / 2)) ]

# ---- what a shell is offered ----
offered() { limited --complete "$@" 2>err | cut -f1 | tr '\n' ' ' >out; }
gives() { # what is offered, words...
    local want=$1
    shift
    offered "$@"
    is "'$*' is completed by '$want', not '$(cat out)'" [ "$(cat out)" = "$want " ]
}
gives run ru
gives modes mod
gives '--set --sensitivities' run --se
gives ':files yaml yml' run ''
gives ':files h5' view ''
gives ':files h5' view a.h5 ''
gives ':files' --plugin ''
gives ':files csv' view --data ''
gives 'L=' run rod.yaml --set L
gives '--set=L=' run rod.yaml --set=L
gives 'tip.x tip.y tip.theta' run --end 1 rod.yaml --print tip
gives 'steel.rho' gradient rod.yaml --wrt steel.r
gives 'L=' identify fit.yaml --set L
gives 'numbers sensors' names rod.yaml ''
gives energy_momentum run rod.yaml --scheme energy_m
gives 'arpack' modes --method arp
gives 'beam2d_cr' help beam2d_c
for words in 'nothing x' 'run missing.yaml --set L' 'run rod.yaml --end 1' "run rod.yaml --set 'k" 'run rod.yaml extra'; do
    offered $words
    is "'$words' is completed by nothing" is_empty out
    is "'$words' is completed in silence" is_empty err
done
offered && is "without a word the commands" grep -q 'run static' out
# words that the program offers of its own are those that the help names
while read -r command option words; do
    limited "$command" --help >page
    for word in $words; do is "sinew $command --help does not name '$word'" grep -q "\b$word\b" page; done
done < <(sed -n 's/^ *{"\([a-z]*\)", "\([a-z]*\)", "\([a-z_ ]*\)"},$/\1 \2 \3/p' "$SN_SOURCE_DIR/cli/complete.c")

# ---- the shells themselves ----
shares=$SN_SOURCE_DIR/share/completions
mkdir bin folder && ln -s "$sinew" bin/sinew && PATH=$PWD/bin:$PATH
touch run.h5
cat >try.bash <<'E'
. "$1"
compopt() { :; }
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
COMP_LINE=$2 COMP_POINT=${#2}
_sinew
echo "${COMPREPLY[*]}"
E
in_bash() { # line, what it becomes
    is "bash completes '$1' by '$2', not '$(bash try.bash "$shares/sinew.bash" "$1")'" [ "$(bash try.bash "$shares/sinew.bash" "$1" | tr ' ' '\n' | sort | paste -sd ' ')" = "$2" ]
}
in_bash 'sinew ru' run
in_bash 'sinew view ' 'bin folder run.h5'
in_bash 'sinew run rod.yaml --set=L' L=
in_bash 'sinew run rod.yaml --scheme=energy_m' energy_momentum
in_bash 'sinew run rod.yaml --print tip.t' tip.theta
if command -v fish >/dev/null; then
    in_fish() {
        fish --no-config -c "source $shares/sinew.fish; complete -C '$1'" 2>err | cut -f1 | tr '\n' ' ' >out
        is "fish completes '$1' by '$2', not '$(cat out)'" [ "$(cat out)" = "$2 " ]
    }
    in_fish 'sinew ru' run
    in_fish 'sinew view ' 'bin/ folder/ run.h5'
    in_fish 'sinew run rod.yaml --set=L' --set=L=
    in_fish 'sinew run rod.yaml --print tip.t' tip.theta
else
    echo "skipped: no fish to complete in"
fi
if command -v zsh >/dev/null; then
    cat >try.zsh <<'E'
compset() { true }
_files() { print -r -- "files $*" }
_describe() { local name=$argv[3]; print -rl -- "${(@P)name}" }
. $1
words=("${(@s: :)2}") CURRENT=$#words PREFIX=$words[-1]
_sinew
E
    in_zsh() {
        zsh -f try.zsh "$shares/_sinew" "$1" 2>err | tr '\n' ' ' >out
        is "zsh completes '$1' by '$2', not '$(cat out)'" [ "$(cat out)" = "$2 " ]
    }
    in_zsh 'sinew ru' 'run:motion in time, from the start to the end of the run'
    in_zsh 'sinew view ' 'files -g *.(h5)(-.)'
    in_zsh 'sinew run rod.yaml --set L' 'L=:m'
else
    echo "skipped: no zsh to complete in"
fi

# ---- manual pages ----
"$sinew" list commands >commands
for command in '' $(cat commands); do
    # shellcheck disable=SC2086
    expect 0 help --man $command
    cp out page.1
    is "the page of $command has a name and exit codes" [ "$(grep -cE '^\.SH (NAME|EXIT STATUS)' page.1)" -eq 2 ]
    if command -v mandoc >/dev/null; then
        # without a date: pages of the same version are the same
        mandoc -T lint -W warning page.1 | grep -v 'missing date' >out
        is "mandoc has something to say of $command" is_empty out
    fi
done
command -v mandoc >/dev/null || echo "skipped: no mandoc to check manual pages"
expect 0 help --man
is "the page of sinew names every command" [ "$(grep -c "^\.BR sinew" out)" -eq "$(wc -l <commands)" ]
expect 2 help --man beam2d_cr
says err "there is no command 'beam2d_cr'"

finish
