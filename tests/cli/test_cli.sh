#!/bin/bash
# The command as a user meets it: usage, help, every command on small models, bad input, interruption.
# SINEW is the command; all files are made in a folder of their own.
. "${SN_SOURCE_DIR:?}/tests/cli/kit.sh"

cat >pendulum.yaml <<'END'
sinew: 1
title: Pendulum released from rest
gravity: [0, -9.81]
parameters: {L: 1 m, m: 2 kg}
nodes:
  bob: [L, 0]
elements:
  weight: {mass2d: bob, mass: m}
joints:
  rod: {distance: [ground, bob]}
sensors:
  tip: {position: bob}
  sum: {energy: all}
run: {end: 1 s, step: 1 ms, output: 10 ms}
END
cat >cantilever.yaml <<'END'
sinew: 1
parameters: {F: -1 mN}
materials: {steel: {E: 210 GPa, rho: 7800 kg/m^3}}
sections: {strip: {rectangle: , width: 10 mm, height: 5 mm}}
nodes: {root: [0, 0], end: [1, 0]}
elements:
  beam: {beam2d_cr: [root, end], material: steel, section: strip, elements: 4}
  load: {force2d: end, force: [0, F]}
joints: {wall: {fixed: root}}
sensors:
  tip: {displacement: end}
  clamp: {reaction: wall}
run: {end: 0.1 s, step: 1 ms}
END

# ---- usage ----
expect 2
says err "usage: sinew COMMAND"
expect 0 --help
says out "usage: sinew COMMAND"
is "help is for standard output" is_empty err
expect 0 --version
is "the version has three numbers" grep -qE '^sinew [0-9]+\.[0-9]+\.[0-9]+$' out
expect 2 runn pendulum.yaml
says err "did you mean 'run'?"
is "errors are not for standard output" is_empty out
expect 2 --no-such
expect 2 run
says err "which file?"
expect 2 run pendulum.yaml another.yaml
expect 2 run pendulum.yaml --stpe 1
says err "did you mean '--step'?"
expect 2 run pendulum.yaml --end
says err "needs a value"
expect 2 run pendulum.yaml --quiet=yes
says err "takes no value"
expect 2 run pendulum.yaml -z
for command in run static modes linearise check export help list; do
    expect 0 "$command" --help
    says out "usage: sinew $command"
done
is "no result files from usage errors" [ ! -e pendulum.h5 ]

# ---- list and help ----
expect 0 list
says out "beam2d_cr"
expect 0 list schemes
says out "generalized_alpha"
expect 2 list sensor_s
says err "did you mean 'sensors'?"
expect 0 list --json
json out 'len(d) == 11 and all(k["name"] and k["doc"] for f in d.values() for k in f)'
expect 2 help beam2d_rc
says err "did you mean 'beam2d_cr'?"
for word in run parameters nodes elements joints signals sensors materials sections shapes meshes include units expressions gravity names; do
    expect 0 help "$word"
    is "help $word is longer than a line" [ "$(wc -l <out)" -gt 3 ]
done
expect 0 help rho
says out "kg/m^3"
says out "scheme generalized_alpha"
expect 0 help hht
says out "run: {scheme: hht, alpha: -0.05}"
says out "from -1/3 (most numerical damping) to 0 (none)"
expect 0 help run
says out "numbers of scheme generalized_alpha"

# Every kind has a help page, and its example is a valid entry.
cat >kinds.head <<'END'
sinew: 1
nodes: {n1: {frame2d: [0, 1]}, n2: {frame2d: [1, 1]}, n3: {frame2d: [2, 1]}, z1: {state: 0}}
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7800 kg/m^3}}
sections: {strip: {A: 25 mm^2, I: 52.1 mm^4}}
shapes: {ball: {sphere: , radius: 1}}
elements: {bar: {beam2d_cr: [n1, n2], material: steel, section: strip}, m: {mass2d: n3, mass: 1, inertia: 1}, z: {lag: z1.z, tau: 1}}
joints: {pin: {revolute2d: [n2, n3]}}
signals: {motor: {constant: 1}}
sensors: {tip: {position: n1}}
END
cat >kinds.space <<'END'
sinew: 1
nodes: {n1: {frame3d: [0, 1, 0]}, n2: {frame3d: [1, 1, 0]}, n3: {frame3d: [1, 2, 0]}, n4: {frame3d: [0, 2, 0]}, z1: {state: 0}}
materials: {steel: {E: 210 GPa, nu: 0.3, G: 80 GPa, rho: 7800 kg/m^3}}
sections: {strip: {A: 25 mm^2, I_y: 50 mm^4, I_z: 60 mm^4, J: 90 mm^4}}
elements: {bar: {mass3d: n1, mass: 1, inertia: [1, 1, 1]}, m2: {mass3d: n2, mass: 1, inertia: [1, 1, 1]}, m: {mass3d: n3, mass: 1, inertia: [1, 1, 1]}, m4: {mass3d: n4, mass: 1, inertia: [1, 1, 1]}, z: {lag: z1.z, tau: 1}}
joints: {pin: {spherical: [n2, n3]}}
signals: {motor: {constant: 1}}
sensors: {tip: {position: n1}}
END
cat >kinds.shell <<'END'
sinew: 1
nodes: {n1: [0, 1, 0], n2: [1, 1, 0], n3: [1, 2, 0], n4: [0, 2, 0]}
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7800 kg/m^3}}
elements: {bar: {shell4_mitc: [n1, n2, n3, n4], plies: [{material: steel, thickness: 1 cm}]}}
sensors: {tip: {position: n1}}
END
cat >kinds.cable_ancf <<'END'
sinew: 1
nodes: {n1: {slope3d: [0, 1, 0], slope: [1, 0, 0]}, n2: {slope3d: [1, 1, 0], slope: [1, 0, 0]}}
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7800 kg/m^3}}
sections: {strip: {A: 25 mm^2, I: 50 mm^4}}
elements: {}
joints: {pin: {fixed: n1}}
END
cat >kinds.attach <<'END'
sinew: 1
nodes: {n1: {slope3d: [0, 1, 0], slope: [1, 0, 0]}, n2: {frame3d: [0, 1, 0]}, n3: {slope3d: [1, 1, 0], slope: [1, 0, 0]}}
elements: {m: {mass3d: n2, mass: 1, inertia: [1, 1, 1]}, bar: {cable_ancf: [n1, n3], EA: 1, EI: 1, rhoA: 1}}
joints: {}
END
cat >kinds.slide_on_cable <<'END'
sinew: 1
nodes: {n1: [0.5, 1, 0], n2: {parameter: 0.5}, n3: {slope3d: [0, 1, 0], slope: [1, 0, 0]}, n4: {slope3d: [1, 1, 0], slope: [1, 0, 0]}}
elements: {m: {mass3d: n1, mass: 1}, bar: {cable_ancf: [n3, n4], EA: 1, EI: 1, rhoA: 1}}
joints: {pin: {fixed: n3}}
END
cat >kinds.beam3d_ancf <<'END'
sinew: 1
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7800 kg/m^3}}
sections: {strip: {rectangle: , width: 20 mm, height: 2 mm}}
nodes: {n1: {slopes3d: [0, 0, 0]}, n2: {slopes3d: [1, 0, 0]}}
elements: {}
joints: {pin: {fixed: n1.frame}}
END
cat >kinds.plate_ancf <<'END'
sinew: 1
materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7800 kg/m^3}}
nodes: {n1: {surface3d: [0, 0, 0]}, n2: {surface3d: [1, 0, 0]}, n3: {surface3d: [1, 1, 0]}, n4: {surface3d: [0, 1, 0]}}
elements: {}
joints: {pin: {fixed: n1.frame}}
END
cat >kinds.drive <<'END'
sinew: 1
nodes: {n1: [0, 0]}
elements: {m: {mass2d: n1, mass: 1, inertia: 1}}
joints: {motor: {drive: n1.x, value: 0}}
sensors: {}
END
cat >kinds.point_on_curve <<'END'
sinew: 1
nodes: {n1: [1.5, 1.5], n2: {parameter: 0.5}}
elements: {m: {mass2d: n1, mass: 1}}
joints: {}
END
cat >part.stl <<'END'
solid
vertex 0 0 0 vertex 0 1 0 vertex 1 0 0
vertex 0 0 0 vertex 1 0 0 vertex 0 0 1
vertex 0 0 0 vertex 0 0 1 vertex 0 1 0
vertex 1 0 0 vertex 0 1 0 vertex 0 0 1
END
cat >rod.yaml <<'END'
sinew: 1
nodes: {a: [0, 1, 0], b: [1, 1, 0]}
elements: {rod: {beam3d_cr: [a, b], E: 1 GPa, G: 1 GPa, rho: 1000 kg/m^3, section: {circle: , radius: 1 cm}, elements: 4}}
END
expect 0 reduce rod.yaml --interfaces a,b -o body.h5
for family in nodes elements joints signals sensors materials sections shapes meshes; do
    "$sinew" list "$family" --plain >kinds
    is "list $family" [ -s kinds ]
    while read -r kind; do
        expect 0 help "$kind"
        grep -q "^  made by " out && continue # and cannot be written
        example=$(awk -v head="example, in '$family':" '$0 == head { getline; print; exit }' out)
        is "help $kind has an example" [ -n "$example" ]
        # into its section, under a name that is not there yet, in the plane or in space
        head=kinds.head
        if grep -q "spatial" out || [[ $kind == *3d ]]; then head=kinds.space; fi
        [ ! -e "kinds.$kind" ] || head=kinds.$kind # what it stands between is its own
        case $kind in resultant | stress | ply_stress | strain_gauge) head=kinds.shell ;; esac
        awk -v section="$family:" -v entry="${example#*: }" \
            '$1 == section { sub(/}$/, (/{}$/ ? "" : ", ") "example: " entry "}") } { print }' "$head" >kinds.yaml
        # a node alone is not held by anything; what is recovered is known at places that another file names
        if [ "$family" = nodes ]; then
            expect 1 check kinds.yaml
        elif [ "$kind" = recovered ]; then
            expect 2 check kinds.yaml
            says err "has no places"
        else
            expect 0 check kinds.yaml
        fi
    done <kinds
done

# ---- check ----
expect 0 check pendulum.yaml
says out "degrees of freedom 1"
says out "mass 2 kg"
expect 0 check cantilever.yaml --json
json out 'd["freedom"] == 12 and d["equations"] == 3 and abs(d["mass"] - 0.39) < 1e-12 and d["unsupported"] == []'
sed 's/^  rod:.*/&\n  again: {distance: [bob, ground]}/' pendulum.yaml >redundant.yaml
expect 0 check redundant.yaml
says err "warning:"
says err "redundant"
sed 's/^  bob: .*/&\n  loose: [2, 0]/' pendulum.yaml >loose.yaml
expect 1 check loose.yaml
says err "loose.x"
expect 1 run loose.yaml --print tip.x
says err "loose"
is "what was not reached is nan" [ "$(cat out)" = nan ]

# ---- run ----
expect 0 run pendulum.yaml
says out "1000 steps"
is "the result is in the current folder" [ -s pendulum.h5 ]
is "nothing on stderr" is_empty err
rm pendulum.h5
expect 0 run pendulum.yaml --quiet -o quiet.h5
is "quiet" is_empty out
expect 0 run pendulum.yaml --print tip.x@0.5 --print tip.y --print 'tip.x@500 ms' --print tip.y@1
is "--print writes no file" [ ! -e pendulum.h5 ]
is "one number per line" [ "$(grep -cE '^-?[0-9.]+(e[-+]?[0-9]+)?$' out)" -eq 4 ]
is "the order asked for" [ "$(sed -n 1,2p out)" = "$(sed -n 3,4p out)" ]
is "17 digits" grep -qE '^-?0\.[0-9]{16,18}$' out
# theta'' = -g/L sin(theta) from the horizontal at rest, by Runge-Kutta with 200,000 steps; the scheme is of second order
near out 1 0.39104879155052 1e-4
expect 0 run pendulum.yaml --end '200 ms' --step '0.5 ms' --print tip.x -o short.h5
is "-o with --print" [ -s short.h5 ]
near out 1 0.98086339597773 1e-6
expect 0 run pendulum.yaml --set L='500 mm' --print tip.x@0
near out 1 0.5 1e-15
expect 0 run pendulum.yaml --set L=2 --set run.end=0.1 --print tip.x
expect 0 run pendulum.yaml --scheme hht --tolerance 1e-10 --output 0.1 -o hht.h5 --json --print tip.x --timing
json out 'd["status"] == "complete" and d["file"] == "hht.h5" and d["steps"] == 1000 and d["frames"] == 11 and "residual" in d["timing"]'
json out 'list(d["prints"]) == ["tip.x"] and d["warnings"] == [] and d["t"] == 1'
expect 0 run redundant.yaml --print tip.x
says err "warning:"
expect 2 run pendulum.yaml --print tip.x@1.5
says err "from 0 to 1 s"
expect 2 run pendulum.yaml --print tip.x@-1
expect 2 run pendulum.yaml --print tip.x@soon
says err "is no time"
expect 2 run pendulum.yaml --print 'tip.x@5 kg'
expect 2 run pendulum.yaml --print tap.x
says err "did you mean 'tip.x'?"
expect 2 run pendulum.yaml --print tip.z
expect 2 run pendulum.yaml --set LL=1
says err "did you mean 'L'?"
expect 2 run pendulum.yaml --set L
says err "name=value"
expect 2 run pendulum.yaml --set L='1 kg'
expect 2 run pendulum.yaml --set m=-1
says err "cannot be negative"
expect 2 run pendulum.yaml --end -1
says err "must be positive"
expect 2 run pendulum.yaml --end 'inf'
expect 2 run pendulum.yaml --step 0
expect 2 run pendulum.yaml --scheme nwemark
says err "did you mean 'newmark'?"
expect 2 run pendulum.yaml --solver none
is "errors leave no result" [ ! -e pendulum.h5 ]
cp pendulum.yaml model.h5
expect 2 run model.h5
says err "replace"
is "the model is still there" cmp -s pendulum.yaml model.h5

# ---- static ----
expect 0 static cantilever.yaml
says out "tip.y"
says out "N*m"
# F L^3/(3 E I), small deflection
expect 0 static cantilever.yaml --print tip.y
near out 1 -1.523809523809524e-5 1e-6
expect 0 static cantilever.yaml --json -o static.h5
json out 'abs(d["prints"]["clamp.fy"] - 1e-3) < 1e-12 and d["file"] == "static.h5"'
expect 0 export static.h5 -o -
is "one frame" [ "$(wc -l <out)" -eq 2 ]
expect 2 static cantilever.yaml --print tip.y@0.1
says err "no times"

# ---- modes ----
# Clamped-free beam: omega = 1.875104^2 sqrt(EI/(rho A L^4)) = 26.33252 rad/s; four cubic elements are within 1e-4
expect 0 modes cantilever.yaml -n 3
awk '$1 == 1 { print $3 }' out >first && near first 1 26.33252 1e-4
is "default name" [ -s cantilever-modes.h5 ]
expect 0 modes cantilever.yaml -n 2 --json -o m.h5 --at start --method dense
json out 'len(d["modes"]) == 2 and d["modes"][0]["stable"] and abs(d["modes"][0]["omega"] / 26.33252 - 1) < 1e-4'
expect 0 modes cantilever.yaml -n 2 --at 'static'
expect 0 modes cantilever.yaml -n 2 --at '10 ms'
says err 'at t = 0.01 s is not steady'
expect 2 modes cantilever.yaml -n 2 --at '10 ms' --undamped
says err 'at t = 0.01 s moves'
expect 2 modes cantilever.yaml -n many
expect 2 modes cantilever.yaml --at never
expect 2 modes cantilever.yaml --method power

# ---- assembly ----

cat >loose.yaml <<'EOF'
sinew: 1
nodes: {b: [0.606, 0.808]}
elements: {bob: {mass2d: b, mass: 1}}
joints: {rod: {distance: [ground, b], length: 1}}
EOF
expect 0 check loose.yaml
says out "the start moves 1 node to meet the constraints: b by 0.01 m"
expect 0 check loose.yaml --json
json out 'd["assembles"] and d["moved"][0]["node"] == "b" and abs(d["moved"][0]["length"] - 0.01) < 1e-6'
cat >apart.yaml <<'EOF'
sinew: 1
nodes: {b: [1, 0]}
elements: {bob: {mass2d: b, mass: 1}}
joints: {rod: {distance: [ground, b], length: 1}, rail: {fixed: b, only: y, y: 2}}
EOF
expect 1 check apart.yaml
says err "the constraints cannot be met from the given positions"
says err "rod' stays open by"

# ---- linearise ----

expect 0 linearise cantilever.yaml
says out "nonzeros M"
is "default name" [ -s cantilever-linear.h5 ]
rm -f cantilever-linear.h5
expect 0 linearise cantilever.yaml --at static --mtx mtx --json
json out 'd["file"] is None and d["mtx"] == "mtx" and d["equations"] == 3 and d["nonzeros"]["B"] == 3'
is "matrices" [ -s mtx/M.mtx -a -s mtx/C.mtx -a -s mtx/K.mtx -a -s mtx/B.mtx -a -s mtx/coordinates.txt ]
is "no file besides" [ ! -e cantilever-linear.h5 ]
expect 0 linearise cantilever.yaml --at '10 ms' --mtx mtx -o both.h5
is "both" [ -s both.h5 ]
# Cholesky coordinates of a cable: those of its matrices by hand are 180 nonzeros (9 nodes, Hermite's blocks, two pins)
cat >cable.yaml <<'END'
sinew: 1
nodes: {a: {at: [0, 0], slope: [1, 0]}, b: {at: [1, 0], slope: [1, 0]}}
elements: {c: {cable_ancf: [a, b], EA: 1e4, EI: 1, rhoA: 1, elements: 8}}
joints: {p: {fixed: a}, q: {fixed: b}}
END
expect 0 linearise cable.yaml --mass cholesky -o cable.h5
says out "condition of"
expect 0 linearise cable.yaml --mass cholesky --json -o cable.h5
json out 'd["cholesky"]["nonzeros"]["equations"] == [180, 116] and d["cholesky"]["condition"][1] < 20'
expect 2 linearise cable.yaml --mass lumped
says err "is not known"
expect 2 linearise cantilever.yaml --at never
expect 2 linearise cantilever.yaml --mtx cantilever.yaml
expect 0 linearise cantilever.yaml --input gravity.y --output tip.y --json -o system.h5
json out 'd["about"] == "rest" and d["system"]["inputs"][0]["name"] == "gravity.y" and len(d["system"]["C"]) == 1'
json out 'd["system"]["n"] == len(d["system"]["A"]) == len(d["system"]["poles"])'
expect 0 linearise cantilever.yaml --input gravity.y --reduce modal:4 -o system.h5
says out "4 states"
expect 2 linearise cantilever.yaml --reduce many
says err "'--reduce many' is neither"
expect 2 linearise cantilever.yaml --output tap.y
says err "did you mean 'tip.y'"

# ---- steps by their error ----

expect 0 run cantilever.yaml --error 1e-6 --print tip.y --json
json out 'd["rejections"] >= 0 and d["shortest"] < d["longest"]'
expect 0 run cantilever.yaml --error 1e-6
says out "by their error"
expect 2 run cantilever.yaml --error -1 --print tip.y

# ---- export ----
expect 0 run pendulum.yaml -o result.h5
expect 0 export result.h5
is "a line a frame, and the names" [ "$(wc -l <result.csv)" -eq 102 ]
is "names" [ "$(head -1 result.csv)" = "t,tip.x,tip.y,sum.kinetic,sum.potential,sum.total" ]
expect 0 export result.h5 --csv --all --units -o -
is "units" [ "$(sed -n 2p out | cut -d, -f1-3)" = "# s,m,m" ]
expect 2 export nothing.h5
expect 2 export pendulum.yaml
says err "error:"
head -c 3000 result.h5 >cut.h5
expect 2 export cut.h5
expect 2 export result.h5 -o no/such/folder.csv
expect 2 export result.h5 -o result.h5
says err "replace"

# ---- bad files ----
: >empty.yaml
head -c 4096 /dev/urandom >binary.yaml
truncate -s 100M big.yaml
{ echo "sinew: 1"; printf 'title: '; head -c 10000 /dev/zero | tr '\0' '['; } >deep.yaml
{ printf 'sinew: 1\nparameters: {x: '; head -c 3000 /dev/zero | tr '\0' '('; echo '}'; } >parens.yaml
sed 's/mass: m/mas: m/' pendulum.yaml >key.yaml
sed 's/L: 1 m/L: 1 s/' pendulum.yaml >unit.yaml
sed 's/L: 1 m, m: 2 kg/L: m, m: L/' pendulum.yaml >cycle.yaml
sed 's/mass: m/mass: -3/' pendulum.yaml >negative.yaml
sed 's/end: \[1, 0\]/end: [0, 0]/' cantilever.yaml >short.yaml
mkdir folder.yaml
for file in empty binary big deep parens key unit cycle negative short folder missing; do
    for command in check run static modes; do
        expect 2 "$command" "$file.yaml"
        says err "error:"
        says err "$file.yaml"
        [ "$file" = big ] && break
    done
done
expect 2 check key.yaml
says err "key.yaml:8:25: error: mass2d 'weight': unknown key 'mas' (did you mean 'mass'?)"
expect 2 check unit.yaml
expect 2 check cycle.yaml
says err "itself"
expect 2 check negative.yaml
says err "cannot be negative"
expect 2 check short.yaml
says err "'beam'"
sed 's/mass: m/mas: m/; s/tip: {position: bob}/tip: {postion: bob}/; s/end: 1 s/edn: 1 s/' pendulum.yaml >three.yaml
expect 2 check three.yaml
is "several errors at once" [ "$(grep -c 'error:' err)" -ge 2 ]
{ echo "sinew: 1"; for i in $(seq 50); do echo "nonsense$i: 1"; done; } >many.yaml
expect 2 check many.yaml
says err "more errors"
is "no result from bad files" [ -z "$(ls ./*.tmp* 2>/dev/null)" ]
is "no colours in a file" [ -z "$(grep -l $'\033' err)" ]

# ---- where results go ----
expect 2 run pendulum.yaml -o no/such/folder/result.h5
says err "no/such/folder"
expect 2 run pendulum.yaml -o folder.yaml
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && chmod a-w locked
    expect 2 run pendulum.yaml -o locked/result.h5
fi
checks=$((checks + 1))
(ulimit -f 8 && "$sinew" run pendulum.yaml -o limited.h5) >out 2>err
[ $? -eq 2 ] || fail "a file that may not grow"
is "nothing is left of it" [ -z "$(ls limited.h5* 2>/dev/null)" ]
if [ -w /dev/full ]; then
    checks=$((checks + 1))
    "$sinew" list >/dev/full 2>err
    [ $? -eq 2 ] || fail "a full disk under standard output"
fi

# ---- interruption ----
sed 's/end: 1 s, step: 1 ms, output: 10 ms/end: 1000 s, step: 0.01 ms, output: 1 ms/' pendulum.yaml >long.yaml

# start a run and wait until its file has frames
has_frames() { "$sinew" export long.h5 -q -o long.csv 2>/dev/null && [ "$(wc -l <long.csv)" -gt 12 ]; }
background() {
    rm -f long.h5
    "$sinew" run long.yaml >out 2>err &
    pid=$!
    wait_for has_frames
}

for signal in INT TERM HUP; do
    background
    kill -"$signal" "$pid"
    wait "$pid"
    code=$?
    checks=$((checks + 1))
    [ "$code" -eq $((128 + $(kill -l "$signal"))) ] || fail "SIG$signal: exit code $code"
    says err "stopped on request"
    says err "long.h5"
    expect 0 export long.h5 -o long.csv
    is "SIG$signal keeps frames" [ "$(wc -l <long.csv)" -gt 10 ]
done
background
kill -KILL "$pid"
wait "$pid" 2>/dev/null
expect 0 export long.h5 -o long.csv
is "SIGKILL keeps frames" [ "$(wc -l <long.csv)" -gt 2 ]
is "and they are numbers" [ -z "$(grep nan long.csv)" ]

finish
