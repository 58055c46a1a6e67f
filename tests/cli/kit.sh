# What the tests of the command share, to be read by them: a folder of their own, checks that are counted. SINEW is the
# command. A test ends with `finish`.
set -u
sinew=${SINEW:?path of the command}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
checks=0 failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    sed 's/^/    out: /' out | head -5
    sed 's/^/    err: /' err | head -5
}

# The command; it hangs after 40 s of computing (LIMIT), or 5 minutes: on a busy machine 20 s are soon over.
limited() { (ulimit -t "${LIMIT:-40}" && exec timeout 300 "$sinew" "$@"); }

# wait_for CONDITION... : a test of the shell comes true within five minutes
wait_for() {
    for _ in $(seq 6000); do
        ! "$@" || return 0
        sleep 0.05
    done
    return 1
}

# catches ID: the command with this process id is past its start, where a signal would still end it without a word
catches() { [ ! -r /proc/self/status ] || { [ "/proc/$1/exe" -ef "$sinew" ] && grep -q '^SigCgt:.*[2367abef]$' "/proc/$1/status"; }; }

# has_computed ID SECONDS: the command with this process id has had so much time of a processor
has_computed() {
    local stat
    read -r -a stat <"/proc/$1/stat" && [ $((stat[13] + stat[14])) -ge $(($2 * $(getconf CLK_TCK))) ]
}

# expect CODE WORD... : run the command, compare its exit code; output in out and err. Nothing may crash.
expect() {
    local code=$1 got
    shift
    checks=$((checks + 1))
    limited "$@" >out 2>err </dev/null
    got=$?
    [ "$got" -eq "$code" ] || fail "exit code $got instead of $code: sinew $*"
}

# says FILE TEXT: the last command's out or err has this text
says() {
    checks=$((checks + 1))
    grep -qF -- "$2" "$1" || fail "std$1 does not say: $2"
}

# is WHAT CONDITION... : a test of the shell
is() {
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" || fail "$what"
}

is_empty() { [ ! -s "$1" ]; }

# near FILE LINE VALUE RELATIVE: a number on standard output, within a relative tolerance
near() {
    checks=$((checks + 1))
    awk -v line="$2" -v want="$3" -v tol="$4" \
        'NR == line { e = $1 - want; if (e < 0) e = -e; w = want < 0 ? -want : want; good = e <= tol * w } END { exit !good }' "$1" ||
        fail "line $2 is $(sed -n "$2p" "$1"), not $3"
}

json() { # FILE EXPRESSION of d
    command -v python3 >/dev/null || { echo "skipped: no python3 to read JSON" && return 0; }
    checks=$((checks + 1))
    python3 -c 'import json, sys; from math import *; d = json.load(open(sys.argv[1])); sys.exit(not (eval(sys.argv[2])))' "$1" "$2" || fail "JSON: $2"
}

finish() {
    echo "$checks checks, $failures failed"
    [ "$failures" -eq 0 ]
}
