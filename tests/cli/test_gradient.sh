#!/bin/bash
# sinew gradient, and run --sensitivities, as a user meets them: an oscillator with a known solution, methods that agree,
# formats, files, bad input, Ctrl-C.
. "${SN_SOURCE_DIR:?}/tests/cli/kit.sh"

# x = 1 + x0 cos wt, w^2 = k/m; at 0.6 s by k, m and x0. The step errs by (w h)^2/24 = 2e-6 of the phase.
cat >spring.yaml <<'EOF'
sinew: 1
parameters: {k: 80 N/m, m: 2 kg, x0: 0.2 m, idle: 3}
nodes: {b: {point2d: [1, 0], displacement: [x0, 0]}}
elements:
  bob: {mass2d: b, mass: m}
  s: {spring2d: [ground, b], k: k, l0: 1}
joints: {rail: {fixed: b, only: y}}
sensors: {at: {position: b}, pull: {force: s}}
run: {end: 1 s, step: 1 ms, output: 10 ms, rho: 1}
EOF
for method in forward adjoint differences; do
    expect 0 gradient spring.yaml --of at.x@0.6 --wrt k,m,x0 --method $method --json -q
    json out 'abs(d["value"] - 0.841164147) < 1e-5'
    json out 'abs(d["gradient"]["k"] - 0.002882496) < 1e-6 and abs(d["gradient"]["m"] + 0.115299847) < 4e-5'
    json out 'abs(d["gradient"]["x0"] + 0.79417926) < 4e-5'
    json out "d['method'] == '$method'"
done

# tables, all parameters, several numbers; what has no influence is said
expect 0 gradient spring.yaml --of at.x@0.6 --of 'rms(pull.fx)' -q
says out "at.x@0.6 = 0.84116"
says out "rms(pull.fx) = "
says out "idle"
says out "(has no influence: nothing in the model depends on it)"
expect 0 gradient spring.yaml --of at.y --wrt k
says out "(no influence on this number)"
says out "forward method, 1000 steps"
expect 0 gradient spring.yaml --of at.x --wrt k,m --check -q
says out "forward and adjoint agree to "
expect 0 gradient spring.yaml --of at.x --set k=100 --step 2ms --end 0.5 --wrt k --json
json out 'd["steps"] == 250 and d["gradient"].keys() == {"k"}'
expect 0 gradient spring.yaml --of at.x --static --wrt k --json
json out 'abs(d["value"] - 1) < 1e-9 and abs(d["gradient"]["k"]) < 1e-9'
expect 0 gradient spring.yaml --of 'frequency(1)' --wrt k,m --json
json out 'abs(d["value"] - 1.0065842) < 1e-6 and abs(d["gradient"]["k"] - d["value"]/160) < 1e-8 and abs(d["gradient"]["m"] + d["value"]/4) < 1e-7'
expect 0 gradient spring.yaml --of 'frequency(1)' --wrt k,m --check
says out "derivatives agree with differences to "

# two forces of 1e8 N whose part across the axis of symmetry is rounding, and so are its derivatives: they are measured by
# the forces, not by 1 N
cat >pair.yaml <<'EOF'
sinew: 1
parameters: {k: 1e9, m: 2, a: 0.3, d: 0.1}
nodes:
  p: [-sin(a), cos(a)]
  q: [sin(a), -cos(a)]
  b: {point2d: [2*cos(a), 2*sin(a)], displacement: [d*cos(a), d*sin(a)]}
elements: {bob: {mass2d: b, mass: m}, s: {spring2d: [p, b], k: k}, s2: {spring2d: [q, b], k: k}}
joints: {hold: {fixed: p}, hold2: {fixed: q}}
sensors: {pull: {force: s}, pull2: {force: s2}}
run: {end: 1 ms, step: 2 us}
EOF
across='cos(0.3)*(pull.fy + pull2.fy) - sin(0.3)*(pull.fx + pull2.fx)'
expect 0 gradient pair.yaml --of "$across" --wrt k,m,d --check -q

# the same bits with little memory and with threads
expect 0 gradient spring.yaml --of at.x --wrt k,m,x0 --method adjoint --json -q
cp out much
expect 0 gradient spring.yaml --of at.x --wrt k,m,x0 --method adjoint --memory 20k --json -q
json out "d['repeated'] > 0 and d['gradient'] == __import__('json').load(open('much'))['gradient']"
expect 0 gradient spring.yaml --of at.x --wrt k,m,x0 --method forward --threads 3 --json -q
cp out three
expect 0 gradient spring.yaml --of at.x --wrt k,m,x0 --method forward --threads 1 --json -q
json out "d['gradient'] == __import__('json').load(open('three'))['gradient']"

# misfit against data: zero, and flat, where they are the model's own
expect 0 run spring.yaml -o run.h5 -q
expect 0 export run.h5 -o all.csv
sed '1s/.*/t,at.x/; s/^\([^,]*,[^,]*\),.*/\1/' all.csv >data.csv
expect 0 gradient spring.yaml --of 'misfit()' --data data.csv --wrt k --json -q
json out 'd["value"] < 1e-15 and abs(d["gradient"]["k"]) < 1e-9'

# histories beside the sensors
expect 0 run spring.yaml --sensitivities --wrt k,x0 -o sens.h5 -q
expect 0 export sens.h5 --all -o sens.csv
is "columns of derivatives" grep -q "x0" sens.csv
expect 2 run spring.yaml --wrt k
says err "--wrt needs --sensitivities"

# bad input: nothing is computed, and it is said why
expect 2 gradient spring.yaml --wrt k
says err "nothing to differentiate: name it with --of"
expect 2 gradient spring.yaml --of at.x --wrt kk
says err "the model has no number 'kk' (did you mean 'k'?)"
expect 2 gradient spring.yaml --of at.x --wrt gravity
says err "'gravity' has several numbers: name one of them, 'gravity.x'"
expect 2 gradient spring.yaml --of at.q
says err "sensor 'at' gives at.x, at.y"
expect 2 gradient spring.yaml --of 'at.x@3' --wrt k
says err "'at.x@3': the run is from 0 s to 1 s"
expect 2 gradient spring.yaml --of 'at.x +' --wrt k
says err "objective:1:"
# names that look like a number of something, and text behind a function, are errors with their place
for of in _0 _1 _99999 '_0 + at.x' 'mean(at.x)1' 'mean(at.x) at.y' 'mean(at.x' 'mean(at.x))' 'mean(_0)' 'mean()' \
    'mean(mean(at.x))' 'peak(at.x, _0)' '1mean(at.x)' 'mean(at.x)mean(at.y)' '@' '@1'; do
    expect 2 gradient spring.yaml --of "$of" --wrt k
    says err "error: "
done
expect 2 gradient spring.yaml --of 'at.x + mean(at.x)1' --wrt k
says err "objective:1:18: error: expected an operator or the end, found '1'"
expect 2 gradient spring.yaml --of '2*mean(at.x + )' --wrt k
says err "objective:1:15: error: expected a number, a name or '('"
expect 0 gradient spring.yaml --of 'at.x@0.6 + 0*mean(at.x) + 0*at.y' --wrt k --json -q
json out 'abs(d["value"] - 0.841164147) < 1e-5 and abs(d["gradient"]["k"] - 0.002882496) < 1e-6'
expect 2 gradient spring.yaml --of at.x --method forwards
says err "unknown method 'forwards' (did you mean 'forward'?)"
expect 2 gradient spring.yaml --of at.x --memory lots
says err "--memory 'lots': write 500M or 2G"
expect 2 gradient spring.yaml --of 'frequency(1.5)'
says err "counted from 1"
expect 2 gradient spring.yaml --of 'frequency(1)' --of at.x
says err "cannot be asked for together"
expect 2 gradient spring.yaml --of 'misfit()' --wrt k
says err "there are no data to compare with"
printf 't,at.x\n0,1\n-1,1\n' >unsorted.csv
expect 2 gradient spring.yaml --of 'misfit()' --data unsorted.csv --wrt k
says err "the times must ascend"
expect 2 gradient missing.yaml --of at.x

# a value that is no number has no derivative, and nothing agrees with it
expect 1 gradient spring.yaml --of 'log(at.x - 100)' --wrt k --check
says err "'log(at.x - 100)' is not a number"
expect 1 gradient spring.yaml --of 'at.x/0' --wrt k --json
says err "'at.x/0' is infinite"

# a number that may move to neither side is refused by what holds the other direction, not by its bound
cat >hinge.yaml <<'END'
sinew: 1
gravity: [0, -9.81]
nodes: {a: [0.5, 0]}
elements: {m: {mass2d: a, mass: 1, inertia: 0.1}}
joints: {h: {revolute2d: [ground, a], at: [0, 0]}}
sensors: {a: {position: a}}
run: {end: 20 ms, step: 2 ms}
END
expect 2 gradient hinge.yaml --of a.x --wrt h.mu --check
says err "needs the bearing's 'radius'"

# Ctrl-C
checks=$((checks + 1))
"$sinew" gradient spring.yaml --of at.x --method adjoint --end 2000 --wrt k >out 2>err </dev/null &
is "it runs" wait_for catches $!
kill -INT $! && wait $!
code=$?
[ $code -eq 130 ] || fail "exit code $code after Ctrl-C"
says err "stopped"
finish
