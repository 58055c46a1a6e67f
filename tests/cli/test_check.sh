#!/bin/bash
# sinew check: mobility with members taken as rigid, welds, masses, what is not written, places of joints. Closed forms.
. "${SN_SOURCE_DIR:?}/tests/cli/kit.sh"

steel='materials: {steel: {E: 210 GPa, rho: 7850 kg/m^3}}
sections: {strip: {rectangle: , width: 20 mm, height: 10 mm}}'

# ---- a four-bar whose bars share nodes is a frame; with pins at all corners it moves in one way ----
cat >frame.yaml <<END
sinew: 1
gravity: [0, -9.81]
$steel
nodes: {a: [0, 0], b: [0, 0.3], c: [1, 0.4], d: [1, 0]}
elements:
  crank: {beam2d_cr: [a, b], material: steel, section: strip, elements: 2}
  coupler: {beam2d_cr: [b, c], material: steel, section: strip, elements: 3}
  rocker: {beam2d_cr: [c, d], material: steel, section: strip, elements: 2}
joints:
  p1: {revolute2d: [ground, a]}
  p2: {revolute2d: [ground, d]}
  motor: {rotation_drive2d: a}
END
sed -i 's/motor: .*/motor: {drive: a.theta, value: 2*t}/' frame.yaml
expect 0 check frame.yaml
says out "it does not move"
says out "driven against rigid members, so that something has to deform: motor"
says out "node b: beam2d_cr 'crank', beam2d_cr 'coupler'"
expect 0 check frame.yaml --json
# three bars as one part: 3 ways, two pins take 4 equations of which 3 count, the motor's follows too
json out 'd["rigid"]["ways"] == 0 and d["rigid"]["redundant"] == 2 and d["rigid"]["idle_drives"] == ["motor"] and d["rigid"]["moving"] == []'
json out 'len(d["welds"]) == 2'
sed 's/nodes: .*/nodes: {a: [0, 0], b: [0, 0.3], b2: [0, 0.3], c: [1, 0.4], c2: [1, 0.4], d: [1, 0]}/
     s/\[b, c\]/[b2, c]/; s/\[c, d\]/[c2, d]/; s/joints:/joints:\n  p3: {revolute2d: [b, b2]}\n  p4: {revolute2d: [c, c2]}/' frame.yaml >four.yaml
expect 0 check four.yaml
says out "it moves in 1 way, all driven: crank, coupler, rocker"
expect 0 check four.yaml --json
json out 'd["rigid"]["ways"] == 1 and d["rigid"]["driven"] == 1 and d["rigid"]["redundant"] == 0 and d["welds"] == [] and d["rigid"]["singular"] == 0'
json out 'd["rigid"]["dead_centre"] is False and d["rigid"]["instantaneous"] is False'

# drawn, with what meets at its nodes
expect 0 check four.yaml --view
says out "four-check.html: open it in a browser"
is "the page begins with names" grep -q 'names=parts' four-check.html
expect 0 check four.yaml --view -o mine.html --json
json out 'd["nodes"] > 6'
is "the page has the name that was asked for" [ -s mine.html ]

# ---- a parallelogram flat on its base: two ways there, one beside it; a little open: one ----
parallelogram() {
    cat <<END
sinew: 1
nodes: {a: [0, 0], b: [0.3*cos($1), 0.3*sin($1)], b2: [0.3*cos($1), 0.3*sin($1)], c: [1+0.3*cos($1), 0.3*sin($1)], c2: [1+0.3*cos($1), 0.3*sin($1)], d: [1, 0]}
elements:
  crank: {beam2d_cr: [a, b], EA: 1e6, EI: 100, rhoA: 1}
  coupler: {beam2d_cr: [b2, c], EA: 1e6, EI: 100, rhoA: 1}
  rocker: {beam2d_cr: [c2, d], EA: 1e6, EI: 100, rhoA: 1}
joints:
  p1: {revolute2d: [ground, a]}
  p2: {revolute2d: [ground, d]}
  p3: {revolute2d: [b, b2]}
  p4: {revolute2d: [c, c2]}
END
}
parallelogram 0 >flat.yaml
parallelogram 0.2 >open.yaml
expect 0 check flat.yaml --json
json out 'd["rigid"]["ways"] == 2 and d["rigid"]["singular"] == 1 and not d["rigid"]["instantaneous"]'
expect 0 check flat.yaml
says out "it is in a singular position: 1 of these ways exists here only"
expect 0 check open.yaml --json
json out 'd["rigid"]["ways"] == 1 and d["rigid"]["singular"] == 0 and not d["rigid"]["instantaneous"]'

# ---- two bars in line between two fixed pins: a motion for an instant only ----
cat >toggle.yaml <<'END'
sinew: 1
nodes: {a: [0, 0], b: [1, 0], b2: [1, 0], c: [2, 0]}
elements:
  left: {beam2d_cr: [a, b], EA: 1e6, EI: 100, rhoA: 1}
  right: {beam2d_cr: [b2, c], EA: 1e6, EI: 100, rhoA: 1}
joints:
  p1: {revolute2d: [ground, a]}
  p2: {revolute2d: [b, b2]}
  p3: {revolute2d: [ground, c]}
END
expect 0 check toggle.yaml --json
json out 'd["rigid"]["ways"] == 1 and d["rigid"]["instantaneous"]'

# ---- a slider pushed at the dead centre of its crank ----
cat >crank.yaml <<'END'
sinew: 1
parameters: {turn: 0}
nodes: {a: [0, 0], b: [0.1*cos(turn), 0.1*sin(turn)], b2: [0.1*cos(turn), 0.1*sin(turn)], s: [0.1*cos(turn) + sqrt(0.09 - 0.01*sin(turn)^2), 0]}
elements:
  crank: {beam2d_cr: [a, b], EA: 1e6, EI: 100, rhoA: 1}
  rod: {beam2d_cr: [b2, s], EA: 1e6, EI: 100, rhoA: 1}
joints:
  p1: {revolute2d: [ground, a]}
  p2: {revolute2d: [b, b2]}
  guide: {fixed: s, only: y}
  push: {drive: s.x, value: 0.4 - t^2}
END
expect 0 check crank.yaml --json
json out 'd["rigid"]["dead_centre"] and d["rigid"]["ways"] == 1'
sed -i 's/value: 0.4 - t^2/value: 0.1*cos(turn) + sqrt(0.09 - 0.01*sin(turn)^2) - t/' crank.yaml
expect 0 check crank.yaml --set turn=0.5 --json
json out 'not d["rigid"]["dead_centre"] and d["rigid"]["driven"] == 1'

# ---- Bennett's linkage: four hinges in space. Counting says -2, it moves in 1 way, and 3 equations follow ----
cat >bennett.yaml <<'END'
sinew: 1
parameters: {p: 0.2, q: 0.7, h: 0.3}
nodes:
  a: [1, 0, h]
  b: [p, q, -h]
  b2: [p, q, -h]
  c: [-1, 0, h]
  c2: [-1, 0, h]
  d: [-p, -q, -h]
elements:
  ab: {beam3d_cr: [a, b], EA: 1e6, EI_y: 100, EI_z: 100, GJ: 100, rhoA: 1, rhoJ: 1e-3, orientation: [0, 0, 1]}
  bc: {beam3d_cr: [b2, c], EA: 1e6, EI_y: 100, EI_z: 100, GJ: 100, rhoA: 1, rhoJ: 1e-3, orientation: [0, 0, 1]}
  cd: {beam3d_cr: [c2, d], EA: 1e6, EI_y: 100, EI_z: 100, GJ: 100, rhoA: 1, rhoJ: 1e-3, orientation: [0, 0, 1]}
joints:
  ja: {revolute: [ground, a], axis: [4*h*q, 4*h, 2*q]}
  jb: {revolute: [b, b2], axis: [4*h*q, -4*h*p, -2*q]}
  jc: {revolute: [c, c2], axis: [4*h*q, 4*h, -2*q]}
  jd: {revolute: [ground, d], axis: [4*h*q, -4*h*p, 2*q]}
END
python3 - >axes 2>/dev/null <<'END'
# axes perpendicular to both bars at each corner, of the skew quadrilateral with a twofold axis
p, q, h = .2, .7, .3
A, B, C, D = (1, 0, h), (p, q, -h), (-1, 0, h), (-p, -q, -h)
s = lambda u, v: [a - b for a, b in zip(u, v)]
x = lambda u, v: (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
for n, o, l, r in (("ja", A, B, D), ("jb", B, A, C), ("jc", C, B, D), ("jd", D, A, C)):
    print(n, "[%.17g, %.17g, %.17g]" % x(s(l, o), s(r, o)))
END
while read -r name axis; do sed -i "s/\($name: .*axis: \)\[.*\]/\1$axis/" bennett.yaml; done <axes
expect 0 check bennett.yaml --json
json out 'd["rigid"]["ways"] == 1 and d["rigid"]["redundant"] == 3 and not d["rigid"]["instantaneous"] and d["rigid"]["singular"] == 0'
# one axis turned a little: it is rigid
sed 's/\(jb: .*axis: \[\)/\10.05 + /' bennett.yaml >rigid.yaml
expect 0 check rigid.yaml --json
json out 'd["rigid"]["ways"] == 0'

# ---- masses, centres, inertias ----
cat >bodies.yaml <<'END'
sinew: 1
gravity: [0, 0, -9.81]
nodes: {a: [5, 2, 1], b: [5, 2, 1], c: [8, 2, 1]}
elements:
  # 3 x 1 x 2 m, 12 kg, its centre 1 m off: 12/12 (1 + 4), (9 + 4), (9 + 1)
  box: {mass3d: a, shape: {box: , size: [3, 1, 2], density: 2, centre: [1, 0, 0]}}
  turned: {mass3d: a, shape: {box: , size: [3, 1, 2], density: 2, angles: [0.3, -1.1, 2]}}
  # 3 m, 2 kg/m: 6*9/12 = 4.5 across, rhoJ L = 0.03 along
  rod: {beam3d_cr: [b, c], EA: 1e6, EI_y: 100, EI_z: 100, GJ: 100, rhoA: 2, rhoJ: 0.01, orientation: y, elements: 5, damping: 0}
joints: {wall: {fixed: b}, ball: {spherical: [b, a]}}
END
expect 0 check bodies.yaml --json
cat >compare.py <<'END'
import json
d = json.load(open("out"))
b = {k["name"]: k for k in d["bodies"]}
near = lambda u, v: all(abs(x - y) < 1e-8 * 13 for x, y in zip(u, v))
assert near([b["box"]["mass"]] + b["box"]["centre"], [12, 6, 2, 1])
assert near(b["box"]["inertia"], [5, 13, 10, 0, 0, 0]) and near(b["box"]["principal"], [5, 10, 13])
assert near(b["turned"]["principal"], [5, 10, 13]) and not near(b["turned"]["inertia"][:3], [5, 13, 10])
assert near([b["rod"]["mass"]] + b["rod"]["centre"], [6, 6.5, 2, 1])
assert near(b["rod"]["inertia"], [0.03, 4.5, 4.5, 0, 0, 0])
assert abs(sum(k["mass"] for k in b.values()) - d["mass"]) < 1e-9
END
if command -v python3 >/dev/null; then is "masses and inertias" python3 compare.py; fi
json out 'd["rigid"]["ways"] == 3 and sorted(d["rigid"]["moving"]) == ["box", "turned"]'
json out 'd["welds"] == ["node a: mass3d '"'box'"', mass3d '"'turned'"'"]'
json out 'any(z.startswith("damping") for z in d["taken_as_zero"]) and not any(z == "gravity" for z in d["taken_as_zero"])'
json out 'd["defaults"] == ["run.end = 1 s", "run.step = 0.001 s"]'
json out 'any(z == "rhoI_y, rhoI_z of beam3d_cr '"'rod'"'" for z in d["taken_as_zero"])'
sed -i '/gravity/d' bodies.yaml
expect 0 check bodies.yaml
says out "not written, and zero:"
says out "  gravity"

# ---- joints between nodes that are apart ----
cat >apart.yaml <<'END'
sinew: 1
nodes: {knot: [0, 0], centre: [0.5, 0], far: [1, 0]}
elements:
  one: {mass2d: knot, mass: 1, inertia: 1}
  two: {mass2d: centre, mass: 1, inertia: 1}
joints:
  hold: {fixed: knot}
  pin: {revolute2d: [knot, centre]}
sensors: {centre: {position: centre}}
gravity: [0, -9.81]
run: {end: 0.1, step: 1 ms}
END
sed -i 's/, far: \[1, 0\]//' apart.yaml
expect 0 check apart.yaml
says err "revolute2d 'pin' sits at node centre, 0.5 m from node knot, for want of 'at'"
expect 0 run apart.yaml -o apart.h5
says err "revolute2d 'pin' sits at node centre"
sed 's/\[knot, centre\]/[knot, centre], at: [0, 0]/' apart.yaml >given.yaml
expect 0 run given.yaml -o given.h5
is "a written place is not told of" is_empty err
# the ground is everywhere, in either order; the pendulum's bob then falls as if pinned at its own node
sed '/hold:/d; s/\[knot, centre\]/[centre, ground]/; /one:/d; s/knot: \[0, 0\], //' apart.yaml >ground.yaml
expect 0 static ground.yaml --print centre.x
near out 1 0.5 1e-12
is "nothing is told of the ground" eval '! grep -q "want of" err'
# of a rigid body and the end of a beam the joint sits on the beam, in either order
for order in 'body, end' 'end, body'; do
    cat >member.yaml <<END
sinew: 1
nodes: {body: [0.5, 0], end: [0, 0], far: [-1, 0]}
elements:
  rod: {beam2d_cr: [end, far], EA: 1e6, EI: 100}
  rigid: {mass2d: body, mass: 1, inertia: 1}
  push: {force2d: body, force: [0, -0.1]}
joints: {pin: {revolute2d: [$order]}, wall: {fixed: far}, hold: {drive: body.theta, value: 0}}
sensors: {end: {position: end}}
END
    expect 0 static member.yaml --print end.y
    near out 1 -3.333333e-4 1e-4 # F L^3/(3 EI); at the body's centre there would be a moment, too
    is "nothing is told of it" eval '! grep -q "want of" err'
done
# a slider is the same joint at either node
sed 's/revolute2d: \[knot, centre\]/prismatic2d: [knot, centre], axis: x/; s/gravity: .*/gravity: [1, 0]/' apart.yaml >slider.yaml
expect 0 check slider.yaml
is "nothing is told of a slider" is_empty err

# ---- masses are asked for where they count ----
cat >beam.yaml <<'END'
sinew: 1
nodes: {a: [0, 0], b: [1, 0]}
elements:
  beam: {beam2d_cr: [a, b], EA: 1e6, EI: 100}
  load: {force2d: b, force: [0, -3 N]}
joints: {wall: {fixed: a}}
sensors: {b: {displacement: b}}
run: {end: 0.01, step: 1 ms}
END
expect 0 static beam.yaml --print b.y
near out 1 -0.01 1e-3 # F L^3/(3 EI), of small deflections
expect 2 run beam.yaml
says err "beam.yaml:4:3: error: beam2d_cr 'beam': 'rhoA' is missing (mass per unit length, in kg/m, = rho*A)"
expect 2 modes beam.yaml --at static
says err "'rhoA' is missing"
expect 0 check beam.yaml
says out "rhoA of beam2d_cr 'beam'"
expect 0 run beam.yaml --set beam.rhoA=1 -o beam.h5
sed 's/sinew: 1/sinew: 1\ngravity: [0, -9.81]/' beam.yaml >heavy.yaml
expect 2 static heavy.yaml
says err "gravity acts, and it has a weight"
sed 's/EI: 100/EI: 100, rhoA: 0/' heavy.yaml >light.yaml
expect 0 static light.yaml --print b.y
near out 1 -0.01 1e-3

# ---- sensors of joints in space ----
cat >arm.yaml <<'END'
sinew: 1
gravity: [0, 0, -9.81]
nodes: {base: [0, 0, 0], arm: [0, 0, 0]}
elements: {arm: {mass3d: arm, mass: 2, inertia: [0.1, 0.2, 0.3], com: [0.5, 0, 0]}, post: {mass3d: base, mass: 1, inertia: [1, 1, 1]}}
joints:
  floor: {fixed: base}
  knee: {revolute: [base, arm], axis: -y}
  motor: {rotation_drive: [base, arm], axis: -y, angle: 5*t^2}
sensors: {knee: {joint_angle: knee}, nodes: {joint_angle: [arm, base], axis: y}, m2: {drive: motor}}
run: {end: 2 s, step: 1 ms, output: 0.1 s}
END
# angle 20 rad, speed 20 rad/s; torque (I_y + m l^2) 10 + m g l cos 20
expect 0 run arm.yaml -o arm.h5 --print knee.angle@2 --print knee.speed@2 --print nodes.angle@2 --print m2.torque@2 --print m2.torque@0
near out 1 20 1e-6
near out 2 20 1e-6
near out 3 20 1e-6
near out 4 11.003285 1e-4
near out 5 16.81 1e-6
expect 2 run arm.yaml --print knee.angle --set sensors.knee.axis.y=0 -o arm.h5
says err "'axis' is missing"
sed 's/m2: {drive: motor}/m2: {drive: knee}/' arm.yaml >wrong.yaml
expect 2 run wrong.yaml
says err "joint 'knee' has 5 equations"
sed 's/joint_angle: knee/joint_angle: kne/' arm.yaml >wrong.yaml
expect 2 run wrong.yaml
says err "did you mean 'knee'?"
# exact derivatives through the angle and the torque
sed 's/angle: 5\*t^2/angle: rate*t^2/; s/sinew: 1/sinew: 1\nparameters: {rate: 5}/' arm.yaml >rate.yaml
expect 0 gradient rate.yaml --of knee.angle@1 --of m2.torque@1 --wrt rate --wrt arm.mass --check
finish
