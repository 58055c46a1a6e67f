#!/bin/bash
# Every model under examples/ runs by the line "# run: ..." in its head, without a word on standard error that its head does not announce, and
# its result is complete: it exports to CSV, and every number in it is finite. Studies that take seconds are
# identified, designs are made, filters on-line get their rows; of the long ones only the input is read.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin"
ln -s "$SINEW" "$tmp/bin/sinew"
ln -s "$SN_SOURCE_DIR/examples" "$tmp/examples"
export PATH=$tmp/bin:$PATH
cd "$tmp"

bad=0
complain() { echo "$1: $2" && bad=1; }

# Nothing on standard error but the warning that the head announces by "# warns: ...", which must come.
quiet_but() { # file
    local text
    text=$(sed -n 's/^# warns: //p' "$1")
    if [ -z "$text" ]; then
        [ ! -s err ]
        return
    fi
    grep -qF "$text" err && ! grep -vF "$text" err | grep -q .
}

run_example() { # file
    local line result
    [ "$(head -c 2 "$1")" = "# " ] || { complain "$1" "the head does not say what it is" && return; }
    line=$(sed -n 's/^# run: //p' "$1")
    [ "$(grep -c . <<<"$line")" -eq 1 ] || { complain "$1" "not one line '# run: ...' in the head" && return; }
    case $line in "sinew reduce $1 "*" -o "*) # a body, which others are made of
        bash -c "$line" >out 2>err || { complain "$1" "'$line' fails: $(cat err)" && return; }
        [ ! -s err ] || complain "$1" "'$line' says: $(cat err)"
        [ -s "${line##* -o }" ] || complain "$1" "'$line' makes no file"
        return
        ;;
    esac
    case $line in "sinew static $1"*)
        bash -c "$line -o static.h5" >out 2>err || complain "$1" "'$line' fails: $(cat err)"
        quiet_but "$1" || complain "$1" "'$line' says: $(cat err)"
        return
        ;;
    esac
    case $line in "sinew run $1"*) ;; *) complain "$1" "its run line is about something else: $line" && return ;; esac
    bash -c "$line" >out 2>err || { complain "$1" "'$line' fails: $(cat err)" && return; }
    quiet_but "$1" || complain "$1" "'$line' says: $(cat err)"
    result=$(basename "$1" .yaml).h5
    sinew export "$result" --all -o out.csv || { complain "$1" "$result cannot be exported" && return; }
    [ "$(wc -l <out.csv)" -gt 10 ] || complain "$1" "only $(wc -l <out.csv) lines of results"
    ! grep -qiE '(^|,)-?(nan|inf)' out.csv || complain "$1" "its results are not all finite"
}

# Of a long file of cases all is read, and its first problem solved.
run_cases() { # file
    local line
    line=$(sed -n 's/^# run: //p' "$1")
    [ "$line" = "sinew compare $1" ] || { complain "$1" "its run line is about something else: $line" && return; }
    ! grep -q '^# long' "$1" || line="$line --only $(sed -n 's/^  \([a-z].*\):$/\1/p' "$1" | head -1)"
    bash -c "$line --repeat 1 --strict -o cases" >out 2>err || complain "$1" "'$line' fails: $(cat out err)"
    [ ! -s err ] || complain "$1" "'$line' says: $(cat err)"
}

run_study() { # file
    local line
    line=$(sed -n 's/^# run: //p' "$1")
    if grep -q '^design:' "$1"; then
        [ "$line" = "sinew design $1" ] || complain "$1" "its run line is about something else: $line"
        bash -c "$line" >out 2>err || complain "$1" "'$line' fails: $(cat out err)"
        return
    fi
    case $line in "sinew identify $1 --follow < "*)
        bash -c "$line" >out 2>err || { complain "$1" "'$line' fails: $(cat err)" && return; }
        [ ! -s err ] || complain "$1" "'$line' says: $(cat err)"
        [ "$(wc -l <out)" = "$(wc -l <"${line##*< }")" ] || complain "$1" "not a row for each"
        return
        ;;
    esac
    [ "$line" = "sinew identify $1" ] || { complain "$1" "its run line is about something else: $line" && return; }
    grep -q '^# long' "$1" && line="$line --start no_such_unknown=1"
    if bash -c "$line" >out 2>err; then
        grep -q '^converged' out || complain "$1" "it does not converge: $(cat out)"
    elif ! grep -q '^# long' "$1" || ! grep -q 'has no such unknown' err; then
        complain "$1" "'$line' fails: $(cat out err)"
    fi
}

# those of plug-ins: test_plugin_examples.sh
for file in $(find examples/ -name '*.yaml' | grep -v '^examples/plugin/' | sort); do
    if grep -q '^study:' "$file"; then run_study "$file"; elif grep -q '^compare:' "$file"; then run_cases "$file"; else run_example "$file"; fi
done
exit $bad
