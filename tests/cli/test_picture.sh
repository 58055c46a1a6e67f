#!/bin/bash
# sinew export --png and --gif without a browser: a script stands for Chromium. What is asked of it, what becomes of its
# answers, files that appear whole or not at all, temporary files that are gone afterwards. Real pictures: tests/page.
set -u
sinew=${SINEW:?path of the command}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir temp bin
export TMPDIR=$work/temp
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    head -3 err
}
refused() { # TEXT WORD...
    local text=$1
    shift
    "$sinew" "$@" >out 2>err
    [ $? -eq 2 ] || fail "not refused: sinew $*"
    grep -qF -- "$text" err || fail "'$text' is not said by: sinew $*"
}
clean() { [ -z "$(ls -A temp)" ] || fail "left in the temporary folder: $(ls -A temp)"; }

"$sinew" run "$SN_SOURCE_DIR/examples/pendulum/pendulum.yaml" -q --end 0.1 -o run.h5 || exit 1

# -- no browser
unset CHROMIUM
(PATH=$work/bin exec "$sinew" export run.h5 --png) >out 2>err
[ $? -eq 2 ] || fail "no browser is no error"
grep -qF "install the package 'chromium'" err || fail "nothing is said of a missing browser"
CHROMIUM=/nowhere/browser refused "CHROMIUM=/nowhere/browser cannot be run" export run.h5 --png

# -- a browser that writes down what it was asked for
cat >bin/chromium <<'END'
#!/bin/bash
printf '%s\n' "$@" >"$ARGS"
echo '[1:2:INFO:CONSOLE:3] "sinew-progress 0.5 1.25", source: file:///page.html (7)' >&2
page=${!#}
file=${page%%#*}
grep -q '<script id="header"' "${file#file://}" || exit 1
echo "<html><head><script>'sinew-shot:AAAA'</script></head><body>sinew-shot:aGVsbG8=</body></html>"
END
chmod +x bin/chromium
export ARGS=$work/args PATH=$work/bin:$PATH
"$sinew" export run.h5 --png --time 0.05 --view oblique --size 640x480 --trace 'a&b c' >out 2>err || fail "a picture"
[ "$(cat run.png)" = hello ] || fail "the picture is '$(cat run.png)'"
clean
address=$(tail -1 args)
[[ $address == file://$TMPDIR/sinew-*/page.html#shot=png\&w=640\&h=480\&t=0.050000000000000003\&view=oblique\&trace=a%26b%20c ]] || fail "asked for $address"
"$sinew" export run.h5 -o moving.gif --fps 10 --from 0.01 --to 0.09 --speed 0.5 >out 2>err || fail "a moving picture"
[[ $(tail -1 args) == *"#shot=gif&w=480&h=360&fps=10&speed=0.5&from=0.01&to=0.089999999999999997" ]] || fail "asked for $(tail -1 args)"
[ "$(stat -c %a moving.gif)" = "$(printf %o $((0666 & ~0$(umask))))" ] || fail "rights of the file"
"$sinew" export run.h5 --png --gif >out 2>err || fail "both at once"
[ -s run.gif ] || fail "no GIF beside the PNG"
clean

# -- pages that begin with wishes, and are opened
printf '#!/bin/bash\nprintf "%%s " "$@" >"%s/seen"\n' "$work" >bin/browse
chmod +x bin/browse
BROWSER=browse "$sinew" view run.h5 --open --time 0.05 --view 5 --trace tip --trace 'a&b' --arrows load >out 2>err || fail "a page with wishes"
[ "$(cat out)" = run.html ] || fail "it says $(cat out)"
for _ in $(seq 100); do
    [ ! -s seen ] || break
    sleep 0.1
done
[ "$(cat seen)" = "run.html " ] || fail "the browser was given '$(cat seen)'"
grep -qF '"begin":"t=0.050000000000000003&view=top&trace=tip&trace=a%26b&arrows=load"' run.html || fail "the page does not begin as wished"
(PATH=$work/bin BROWSER='' exec "$sinew" view run.h5 --open -q) >out 2>err
[ $? -eq 2 ] || fail "nothing opens the page and that is no error"
grep -qF "no program that opens pages is found: open run.html yourself" err || fail "nothing is said of a missing browser"
"$sinew" view run.h5 -q || fail "a page without wishes"
! grep -qF '"begin"' run.html || fail "wishes that nobody has"
rm run.html seen bin/browse

# -- bad wishes
refused "--size 10x10" export run.h5 --png --size 10x10
refused "--size 800" export run.h5 --png --size 800
refused "--size 800x600x2" export run.h5 --png --size 800x600x2
refused "--view 7" export run.h5 --png --view 7
refused "did you mean 'oblique'" export run.h5 --png --view obligue
refused "view: --time soon" view run.h5 --time soon
refused "--time soon" export run.h5 --png --time soon
refused "--fps 0" export run.h5 --gif --fps 0
refused "--mode 1.5" export run.h5 --png --mode 1.5
refused "must end with .png" export run.h5 --png -o picture.jpg
refused "cannot go to standard output" export run.h5 --gif -o -
refused "ask for one format" export run.h5 --gif --png -o x.gif
refused "not HDF5" export "$SN_SOURCE_DIR/README.md" --png -o readme.png
refused "cannot be written" export run.h5 --png -o /nowhere/x.png
clean

# -- browsers that fail: no picture, and an older one stays
browser() { printf '#!/bin/bash\n%s\n' "$1" >bin/chromium; }
echo old >run.png
browser "echo '<body>sinew-fail:there is no node x</body>'"
refused "there is no node x" export run.h5 --png
browser 'exit 1'
"$sinew" export run.h5 --png >out 2>err
[ $? -eq 1 ] || fail "a browser that dies"
grep -q "has made no picture" err || fail "a browser that dies says nothing"
[ "$(cat run.png)" = old ] || fail "the older picture is gone"

# -- stopped on the way: the browser and its children end, nothing stays
browser 'echo $$ >"$ARGS"; touch "$(dirname "$ARGS")/began"; sleep 1000 & wait'
began() { # starts an export whose browser does not end
    rm -f began
    "$sinew" export run.h5 --png >out 2>err &
    run=$!
    for _ in $(seq 600); do
        [ ! -e began ] || break
        sleep 0.1
    done
}
for signal in INT TERM HUP; do
    began
    kill -$signal $run
    wait $run
    [ $? -eq $((128 + $(kill -l $signal))) ] || fail "exit code of a stopped export"
    grep -q "stopped on request" err || fail "a stopped export says nothing"
    ! kill -0 "$(cat args)" 2>/dev/null || fail "the browser goes on"
    [ "$(cat run.png)" = old ] || fail "a stopped export has written"
    clean
done

# -- killed: the next export removes the folder, but none that is in use, young, or of others
began
kill -KILL $run
wait $run 2>/dev/null
kill -KILL "$(cat args)"
left=$(ls temp)
[ -n "$left" ] || fail "a killed export leaves nothing: then this test does"
touch -d '1 hour ago' "temp/$left"
mkdir temp/sinew-picture-mine && touch -d '1 hour ago' temp/sinew-picture-mine
began
second=$(ls temp | grep -v mine)
[ "$(echo "$second" | wc -l)" -eq 1 ] && [ "$second" != "$left" ] || fail "folders left by a killed export: $second"
touch -d '1 hour ago' "temp/$second"
browser 'exit 1'
"$sinew" export run.h5 --png >out 2>err
[ -d "temp/$second" ] || fail "the folder of a running export is removed"
[ -d temp/sinew-picture-mine ] || fail "a folder of others is removed"
kill -INT $run
wait $run
rmdir temp/sinew-picture-mine
clean
[ "$(ls)" = "$(printf '%s\n' args began bin err moving.gif out run.gif run.h5 run.png temp)" ] || fail "files left: $(ls | tr '\n' ' ')"
[ $failures -eq 0 ]
