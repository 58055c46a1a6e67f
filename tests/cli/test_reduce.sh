#!/bin/bash
# sinew reduce: of a model, of the same model's matrices from files, of what CalculiX would have stored; what is wrong.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
bad() { echo "$*" >&2; exit 1; }

cat >rod.yaml <<'END'
sinew: 1
parameters: {EI: 20}
nodes:
  a: [0, 0, 0]
  c: [0.5, 0, 0]
  b: [1, 0, 0]
elements:
  one: {beam3d_cr: [a, c], EA: 1e6, EI_y: EI, EI_z: 30, GJ: 15, rhoA: 0.5, rhoI_y: 1e-4, rhoI_z: 2e-4, rhoJ: 3e-4}
  two: {beam3d_cr: [c, b], EA: 1e6, EI_y: EI, EI_z: 30, GJ: 15, rhoA: 0.5, rhoI_y: 1e-4, rhoI_z: 2e-4, rhoJ: 3e-4}
END
# all frequencies of a JSON report, eight digits
frequencies() { sed 's/.*"frequency": .\([^]]*\).*/\1/' "$1" | tr ',' '\n' | awk '{ printf "%.8g\n", $1 }'; }

"$SINEW" reduce rod.yaml --interfaces a,b --modes 4 --json >own.json 2>messages
[ ! -s messages ] || bad "there are messages: $(cat messages)"
grep -Eq '"modes": 10, "mass": 0\.(5000000000|4999999999)[0-9]*, "centre": \[0\.(5|4999)' own.json || bad "$(cat own.json)"
grep -q '"recovered": 4, "products": true' own.json || bad "$(cat own.json)"
"$SINEW" reduce rod.yaml --interfaces a,b --modes 4 -o again.h5 >table 2>/dev/null
cmp rod.h5 again.h5 || bad "the same body twice makes two files"
# two beams are a little stiffer than Euler's pi^2 EI/L^2 = 197.4 N by the slopes of chords, sinc^-2(pi/4) = 1.23
grep -Eq '"buckling": 2[0-4][0-9]\.[0-9]' own.json || bad "$(cat own.json)"
grep -Eq '^buckling load 2[0-4][0-9]\.[0-9]* N between a and b$' table || bad "$(cat table)"
grep -q '^mass 0.5 kg, centre \[0.5, 0, 0\] m$' table || bad "$(cat table)"
"$SINEW" reduce rod.yaml --interfaces a,b --modes 4 --set EI=40 --json -o stiffer.h5 >stiffer.json
[ "$(frequencies stiffer.json | head -1)" != "$(frequencies own.json | head -1)" ] || bad "--set does nothing"
"$SINEW" reduce rod.yaml --interfaces a,b --up-to '0.001 Hz' -q -o few.h5 >quiet
[ ! -s quiet ] || bad "not quiet"

# the same from matrices, whose integrals of products nobody knows
"$SINEW" linearise rod.yaml --mtx matrices >/dev/null
printf 'id,x,y,z,dofs\n1,0,0,0,6\n2,0.5,0,0,6\n3,1,0,0,6\n' >nodes.csv
"$SINEW" reduce --mass matrices/M.mtx --stiffness matrices/K.mtx --nodes nodes.csv --interfaces a=1,b=3 --modes 4 --json \
    -o outside.h5 >outside.json
grep -q '"buckling": null' outside.json || bad "$(cat outside.json)"
diff <(frequencies own.json) <(frequencies outside.json) || bad "matrices from files differ"
grep -q '"products": false' outside.json || bad "products are known of what"

# the same in N, mm, t: 1 N/m is 0.001 N/mm, 1 N 1 N, 1 N m 1000 N mm; masses likewise
for name in K M; do
    awk '/^%/ { print; next } !n { n = $1; print; next }
        { turns = (($1 - 1)%6 > 2) + (($2 - 1)%6 > 2); printf "%d %d %.17g\n", $1, $2, $3/1000*1000^turns }' matrices/$name.mtx >$name-mm.mtx
done
printf 'id,x,y,z,dofs\n1,0,0,0,6\n2,500,0,0,6\n3,1000,0,0,6\n' >nodes-mm.csv
mm=(--mass M-mm.mtx --stiffness K-mm.mtx --nodes nodes-mm.csv --interfaces a=1,b=3 --modes 4)
"$SINEW" reduce "${mm[@]}" --units mm,t --json -o mm.h5 >mm.json
for set in points/displacement points/rotation modes/inertia2 modes/momentum1; do
    h5diff -d 1e-7 outside.h5 mm.h5 /$set >differ || bad "mm and t: $(cat differ)"
done
diff <(frequencies outside.json) <(frequencies mm.json) || bad "other frequencies in mm and t"
grep -Eq '"mass": 0\.(5|4999999)[0-9]*, "centre": \[0\.(5|4999)' mm.json || bad "$(cat mm.json)"

# the same from what Nastran writes: bulk data with nodes and DMIG entries of one triangle, and text op4 files
awk 'BEGIN { print "GRID,1,,0.,0.,0.\nGRID,2,,0.5,0.,0.\nGRID,3,,1.,0.,0." }
    FNR == 1 { name = FILENAME ~ /K.mtx/ ? "KAAX" : "MAAX"; print "DMIG    " name "    0       6       2       0"; next }
    /^%/ || !size[name]++ { next }
    { i = $1; j = $2; if (i < j) next
      printf "DMIG*   %-16s%16d%16d\n*       %16d%16d%16.9E\n", name, (j - 1)/6 + 1, (j - 1)%6 + 1, (i - 1)/6 + 1, (i - 1)%6 + 1, $3 }
    ' matrices/K.mtx matrices/M.mtx >rod.pch
"$SINEW" reduce --mass rod.pch:MAAX --stiffness rod.pch:KAAX --nodes rod.pch --interfaces a=1,b=3 --modes 4 --json -o bulk.h5 >bulk.json
diff <(frequencies own.json) <(frequencies bulk.json) || bad "matrices from DMIG entries differ"
op4() {
    awk -v name=$1 '/^%/ { next } !n { n = $1; next } { x[$1, $2] = $3; x[$2, $1] = $3 }
        END { printf "%8d%8d%8d%8d%-8s1P,3E23.16\n", n, n, 6, 2, name
              for (j = 1; j <= n; j++) { printf "%8d%8d%8d", j, 1, 2*n
                  for (i = 1; i <= n; i++) printf "%s%23.16E", i%3 == 1 ? "\n" : "", x[i, j]; print "" }
              printf "%8d%8d%8d\n%23.16E\n", n + 1, 1, 1, 1 }' matrices/$1.mtx
}
{ op4 K; op4 M; } >both.op4
"$SINEW" reduce --mass both.op4:M --stiffness both.op4:K --nodes nodes.csv --interfaces a=1,b=3 --modes 4 --json >op4.json
diff <(frequencies own.json) <(frequencies op4.json) || bad "matrices from op4 files differ"

# the same from HDF5, the matrices as linearise writes them, the nodes from text
"$SINEW" linearise rod.yaml -o linear.h5 >/dev/null
printf '0 0 0\n0.5 0 0\n1 0 0\n' >nodes.txt
h5import nodes.txt -d 3,3 -p nodes -t TEXTFP -s 64 -o nodes.h5
"$SINEW" reduce --mass linear.h5:/matrices/M --stiffness linear.h5:/matrices/K --nodes nodes.h5 --interfaces a=1,b=3 --modes 4 \
    --json >hdf5.json
diff <(frequencies own.json) <(frequencies hdf5.json) || bad "matrices from HDF5 differ"
grep -q '"file": "linear-reduced.h5"' hdf5.json || bad "$(cat hdf5.json)"
cat >place.yaml <<'END'
sinew: 1
nodes: {A: [0, 0, 0], B: [1, 0, 0]}
elements:
  rod: {body_ffr: [A, B], reduce: {mass: linear.h5:/matrices/M, stiffness: linear.h5:/matrices/K, nodes: 'nodes.h5:/nodes',
    interfaces: [a=1, b=3], modes: 4}}
END
"$SINEW" check place.yaml >/dev/null || bad "HDF5 in place"

# a plate of shells: its triangles are drawn, and loads at the interfaces do what they do to the shells themselves, since
# static shapes are exact (small loads: to the digits that are printed, rounding of the sums aside); frequencies are Ritz's, from above
cat >plate.yaml <<'END'
sinew: 1
nodes: {a: [0, 0, 0], b: [0.4, 0, 0], c: [0.4, 0.2, 0], d: [0, 0.2, 0]}
elements: {plate: {shell4_mitc: [a, b, c, d], E: 70 GPa, nu: 0.3, rho: 2700, thickness: 3 mm, elements: [4, 2]}}
END
cat >whole.yaml <<'END'
sinew: 1
include: [{file: plate.yaml, prefix: my_}]
elements: {push: {force3d: my_plate.n4_1, force: [0, 2e-5, 1e-5], torque: [1e-6, 0, 0]}}
joints: {wall: {fixed: my_plate.n0_1}}
sensors: {tip: {displacement: my_plate.n4_1}, m: {resultant: my_plate, piece: 6}}
END
cat >reduced.yaml <<'END'
sinew: 1
nodes: {P: [0, 0.1, 0], Q: [0.4, 0.1, 0]}
elements:
  plate: {body_fncf: [P, Q], file: plate.h5}
  push: {force3d: Q, force: [0, 2e-5, 1e-5], torque: [1e-6, 0, 0]}
joints: {wall: {fixed: P}}
sensors: {tip: {displacement: Q}, m: {recovered: plate, at: plate.6}}
END
"$SINEW" reduce plate.yaml --interfaces plate.n0_1,plate.n4_1 --modes 4 --json >plate.json
grep -q '"recovered": 8, "products": true' plate.json || bad "$(cat plate.json)"
h5ls -r plate.h5 | grep -Eq '/mesh/triangles +Dataset \{16, 3\}' || bad "a plate of 8 shells without 16 triangles"
"$SINEW" modes plate.yaml -n 10 >modes.txt
static() { "$SINEW" static $1 -q --print tip.y --print tip.z --print tip.rx --print m.M11 --print m.Q1 2>/dev/null; }
paste <(static whole.yaml) <(static reduced.yaml) >statics
awk 'NF != 2 || ($1 - $2)^2 > 1e-12*$1^2 { exit 1 }' statics || bad "a plate and its reduced body: $(cat statics)"
paste <(awk '$1 > 6 && $1 <= 10 && NF == 3 { print $2 }' modes.txt) <(frequencies plate.json | head -4) >both
awk 'NF != 2 || $2 < $1*(1 - 1e-5) { exit 1 }' both || bad "frequencies from below: $(cat both)"

# interfaces that are edges, held together; nodes of edges by their own names, corners too
"$SINEW" reduce plate.yaml --interfaces left=plate.edge4,right=plate.edge2,plate.n2_1 --points plate.n0_0 --modes 4 -o edges.h5 >/dev/null
h5dump -d /points/place edges.h5 | grep -E '\([0-9]' | tr -d ' \n' >places
[ "$(cat places)" = "(0,0):0,0.1,0,(1,0):0.4,0.1,0,(2,0):0.2,0.1,0,(3,0):0,0,0" ] || bad "places of edges: $(cat places)"
cat >drum.yaml <<'END'
sinew: 1
meshes: {drum: {cylinder: , radius: 0.2, length: 0.5, elements: [12, 4]}}
elements: {skin: {shell4_mitc: drum, E: 70 GPa, nu: 0.3, rho: 2700, thickness: 2 mm}}
END
"$SINEW" reduce drum.yaml --interfaces drum.edge1,drum.edge3 --points drum.n0_2 --modes 4 -o drum.h5 >/dev/null
h5dump -d /points/place drum.h5 | grep -q '(1,0):.* 0.5' || bad "an edge of a mesh: $(h5dump -d /points/place drum.h5)"

# dampers within: with all shapes kept the vibrations of the free body are those of its members, damping included
sed 's/^elements:/  m: [0.5, 0, 0.1]\n&\n  lump: {mass3d: m, mass: 0.2, inertia: [1e-3, 1e-3, 1e-3]}\n  mount: {bushing: [c, m], k: [9000, 8000, 7000], '\
'kt: [30, 40, 50], c: [3, 2, 1], ct: 0.01}/; s/rhoJ: 3e-4/&, damping: 1e-5/' rod.yaml >damped.yaml
for kind in ffr fncf; do
    printf 'sinew: 1\nelements: {part: {body_%s: [], reduce: {model: damped.yaml, interfaces: [a, b], modes: 12}}}\n' $kind >$kind.yaml
    paste <("$SINEW" modes damped.yaml -n 24 --digits 9) <("$SINEW" modes $kind.yaml -n 24 --digits 9) |
        awk '$1 > 6 && NF == 10 { n++; for (i = 2; i <= 5; i++) if (($i - $(i + 5))^2 > 1e-12*$i^2 || $3 <= 1e-4) exit 1 }
            END { exit n != 18 }' || bad "$kind: other vibrations than those of the members"
done

# wrong input: an exit code of 2, a word about it, no file
refused() {
    local says=$1 code=0
    shift
    "$SINEW" reduce "$@" -o none.h5 >out 2>err || code=$?
    [ $code = 2 ] || bad "$*: ends with $code"
    grep -qF "$says" err || bad "$*: $(cat err)"
    [ ! -e none.h5 ] || bad "$*: leaves a file"
}
refused "a body needs an interface" rod.yaml
refused "there is no node or set d" rod.yaml --interfaces a,d
for name in edge5 n9_0 n1 edge all; do refused "there is no node or set plate.$name" plate.yaml --interfaces plate.$name; done
refused "'a' comes twice" rod.yaml --interfaces a,a
refused "is not a number of modes" rod.yaml --interfaces a --modes many
refused "is not a frequency" rod.yaml --interfaces a --up-to '3 kg'
refused "a model is missing" --interfaces a
refused "cannot open the file" missing.yaml --interfaces a
refused "at 'static'" rod.yaml --interfaces a --at 3
refused "a length and a mass are expected" "${mm[@]}" --units mm
refused "a mass is expected" "${mm[@]}" --units 'mm, N'
refused "leave 'units' out" rod.yaml --interfaces a --units mm,t
# what is no part of a body
with() { sed "s/^elements:/&\n  x: {$1}/" rod.yaml; }
with 'force3d: b, force: [0, 1, 0]' >load.yaml
refused "load.yaml:8:3: error: the load 'x' is not in balance" load.yaml --interfaces a
with "force3d: b, force: [0, '2*sin(t)', 0]" >load.yaml
refused "load.yaml:8:3: error: the load 'x' varies in time" load.yaml --interfaces a
{ with 'force3d: b, force: [7, 0, 0]' && echo '  y: {force3d: a, force: [-7, 0, 0]}'; } >load.yaml
"$SINEW" reduce load.yaml --interfaces a -q -o load.h5 || bad "loads in balance"
sed 's/rhoJ: 3e-4/&, damping_mass: 2/' rod.yaml >braked.yaml
refused "brakes it as a whole" braked.yaml --interfaces a
{ sed 's/^elements:/  d: {frame3d: [1, 0, 0]}\n&/' rod.yaml && echo 'joints: {weld: {rigid_link: [b, d]}}'; } >joined.yaml
refused "a joint connects the interfaces 'b' and 'd'" joined.yaml --interfaces a,b,d
# a model and matrices: which of the two is meant?
refused "rod.yaml: error: one body from two sources, this model and the mass matrix 'matrices/M.mtx': leave one of them out" rod.yaml \
    --interfaces a --mass matrices/M.mtx
for kind in stiffness dofs recovery nodes; do
    refused "one body from two sources, this model and the " rod.yaml --interfaces a --$kind matrices/M.mtx
done
printf '*NODE\n1, 0, 0, 0\n' >mesh.inp
refused "this mesh and the nodes 'nodes.csv'" mesh.inp --interfaces a --nodes nodes.csv
refused "'EI=3': matrices from outside have no parameters" --mass matrices/M.mtx --stiffness matrices/K.mtx --nodes nodes.csv \
    --interfaces a=1 --set EI=3
sed 's/reduce: {mass/reduce: {model: rod.yaml, mass/' place.yaml >both.yaml
! "$SINEW" check both.yaml 2>err || bad "a model and matrices in place"
grep -q "this model and the mass matrix" err || bad "in place: $(cat err)"
refused "has no number 'X'" rod.yaml --interfaces a --set X=3
refused "that of no interface" rod.yaml --interfaces a --place q=0,0,0
refused "is not NAME=X,Y,Z" rod.yaml --interfaces a --place a=0,0
refused "needs its mass and stiffness matrices and its nodes" --mass matrices/M.mtx --interfaces a
refused "18 rows, but the nodes have 9 coordinates" --mass matrices/M.mtx --stiffness matrices/K.mtx \
    --nodes <(printf 'id,x,y,z,dofs\n1,0,0,0,3\n2,0.5,0,0,3\n3,1,0,0,3\n') --interfaces a=1
refused "there is no node or set 9" --mass matrices/M.mtx --stiffness matrices/K.mtx --nodes nodes.csv --interfaces a=9
h5() { refused "$1" --mass "$2" --stiffness linear.h5:/matrices/K --nodes "${3:-nodes.h5}" --interfaces a=1,b=3; }
refused "several matrices, 'K' and 'M': say which" --mass both.op4 --stiffness both.op4:K --nodes nodes.csv --interfaces a=1,b=3
refused "both come from DMIG entries, or neither" --mass rod.pch:MAAX --stiffness both.op4:K --nodes rod.pch --interfaces a=1,b=3
refused "has no matrix of that name" --mass rod.pch:NO --stiffness rod.pch:KAAX --nodes rod.pch --interfaces a=1,b=3
refused "is not three numbers" rod.yaml --interfaces a,b --place a=0,0,0,1
h5 "linear.h5: error: has no '/M'" linear.h5
h5 "linear.h5: error: '/time' has 1 dimension, expected are 2" linear.h5:/time
h5 "'/model' is a group, but no sparse matrix" linear.h5:/model
cp nodes.csv text.h5
h5 "text.h5: error: is not an HDF5 file" text.h5:/M
head -c 3000 linear.h5 >cut.h5
h5 "cut.h5: error: is truncated: its end is missing" cut.h5:/matrices/M
h5 "'/matrices/M' is 18 x 18: rows x, y, z or number, x, y, z are expected" linear.h5:/matrices/M linear.h5:/matrices/M
awk '{ if (NR == 4) $3 *= 2; print }' matrices/K.mtx >skew.mtx
refused "resists rigid-body motions" --mass matrices/M.mtx --stiffness skew.mtx --nodes nodes.csv --interfaces a=1,b=3
awk 'NR == 5 { print $1, $2, $3 + 1e6; next } { print }' matrices/K.mtx >skew.mtx
refused "not symmetric" --mass matrices/M.mtx --stiffness skew.mtx --nodes nodes.csv --interfaces a=1,b=3
code=0
"$SINEW" reduce rod.yaml --interfaces a -o rod.yaml 2>err || code=$?
[ $code = 2 ] || bad "the model would be replaced"
grep -q 'beam3d_cr' rod.yaml || bad "the model was replaced"
