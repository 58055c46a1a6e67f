#!/bin/bash
# sinew view --serve over real sockets: it listens on 127.0.0.1 alone, answers what the file has, survives garbage, huge
# headers, idle and broken connections, and ends at once and cleanly. Requests are written by bash itself.
set -u
sinew=${SINEW:?path of the command}
work=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill -9 $server 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}

"$sinew" run "$SN_SOURCE_DIR/examples/two-bar/two-bar.yaml" -q --end 1 -o run.h5 || exit 1

# -- refused from the start
refused() { # TEXT WORD...
    local text=$1
    shift
    "$sinew" "$@" >out 2>err
    [ $? -eq 2 ] || fail "not refused: sinew $*"
    grep -qF -- "$text" err || fail "'$text' is not said by: sinew $*: $(head -1 err)"
}
refused "cannot be read" view missing.h5 --serve
refused "a number from 1 to 65535" view run.h5 --serve --port 0
refused "a number from 1 to 65535" view run.h5 --serve --port 80x
refused "writes no file" view run.h5 --serve -o page.html
refused "add --serve" view run.h5 --port 8000
refused "one result alone" view run.h5 run.h5 --serve
echo "t,tip.x" >data.csv
refused "one result alone" view run.h5 --data data.csv --serve

start() {
    "$sinew" view run.h5 --serve >address 2>errors &
    server=$!
    for _ in $(seq 600); do
        port=$(sed -nE 's|^http://127\.0\.0\.1:([0-9]+)/$|\1|p' address)
        [ -z "$port" ] || return 0
        sleep 0.1
    done
    fail "no address"
    exit 1
}
start
# -- one place only: 0100007F is 127.0.0.1, 0A means listening
if [ -r /proc/net/tcp ]; then
    hex=$(printf '%04X' "$port")
    listening=$(awk -v p=":$hex\$" '$4 == "0A" && $2 ~ p {print $2}' /proc/net/tcp /proc/net/tcp6 2>/dev/null)
    [ "$listening" = "0100007F:$hex" ] || fail "listens on $listening"
fi
refused "cannot be opened" view run.h5 --serve --port "$port"

ask() { # what is sent, as printf takes it; the answer goes to the file `answer`
    exec 3<>"/dev/tcp/127.0.0.1/$port" || { fail "no connection" && return; }
    # shellcheck disable=SC2059
    printf "$1" >&3 2>/dev/null
    timeout 120 cat <&3 >answer 2>/dev/null
    exec 3>&-
}
get() { ask "GET $1 HTTP/1.1\r\nHost: 127.0.0.1:$port\r\n\r\n"; }
says() { # STATUS TEXT
    [ "$(head -c 12 answer)" = "HTTP/1.1 $1" ] || fail "$2: $(head -1 answer), not $1"
}
get /
says 200 "the page"
grep -q '"served":1' answer || fail "the page does not know that it is served"
grep -qa "Content-Security-Policy: default-src 'none'" answer || fail "no security policy"
get "/data?edition=1&column=-1&first=0&count=3&step=50" # 0, 0.5 and 1 s
says 200 "times"
[ "$(tail -c 24 answer | od -An -v -t f8 | tr -s ' \n' ' ')" = " 0 0.5 1 " ] || fail "times: $(tail -c 24 answer | od -An -t f8)"
ask "HEAD / HTTP/1.1\r\nHost: localhost:$port\r\n\r\n"
says 200 HEAD
[ "$(wc -c <answer)" -lt 1000 ] || fail "HEAD with a body"
for path in /../../../etc/passwd /%2e%2e/etc/passwd /run.h5 /data/../run.h5 '/.'; do
    get "$(printf %s "$path" | sed 's/%/%%/g')"
    says 404 "$path"
    ! grep -qa root: answer || fail "$path leads out"
done
ask "POST / HTTP/1.1\r\nHost: 127.0.0.1:$port\r\nContent-Length: 3\r\n\r\nabc"
says 405 POST
ask "GET / HTTP/1.1\r\nHost: attacker.example\r\n\r\n"
says 403 "another host"
ask '\x16\x03\x01\x02\x00\x01\x00\x01\xfc'
says 400 TLS
ask "GET / HTTP/1.1\r\nX: $(head -c 100000 /dev/zero | tr '\0' a)\r\n\r\n"
says 431 "a huge header"
for _ in 1 2 3 4 5; do # noise of all kinds
    { exec 3<>"/dev/tcp/127.0.0.1/$port" && head -c 20000 /dev/urandom >&3; } 2>/dev/null
    exec 3>&-
done
# -- more silent connections than there are places, and one that leaves in the middle of a large answer
fds=()
for _ in $(seq 50); do exec {fd}<>"/dev/tcp/127.0.0.1/$port" && fds+=("$fd"); done
printf 'GET / HT' >&"${fds[0]}" 2>/dev/null
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET / HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n' "$port" >&3
head -c 10 <&3 >/dev/null
exec 3>&-
get /
says 200 "the page beside silent connections"
for fd in "${fds[@]}"; do exec {fd}>&-; done

# -- a result that is gone and comes back
mv run.h5 away.h5
get /
says 500 "a missing result"
mv away.h5 run.h5
get /
says 200 "the result back"

# -- the end
for signal in INT TERM; do
    kill -$signal $server
    wait $server
    code=$?
    server=
    [ $code -eq 0 ] || fail "exit code $code after SIG$signal"
    [ ! -s errors ] || fail "errors: $(head -3 errors)"
    [ $signal = TERM ] || start
done
[ $failures -eq 0 ]
