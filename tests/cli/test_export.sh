#!/bin/bash
# sinew export --vtk and --mat: the files are read back by readers of our own (read_export.py) and compared with the
# states in the CSV; errors; partial results. Skipped without python3.
set -u
command -v python3 >/dev/null || { echo "skipped: no python3" && exit 77; }
sinew=${SINEW:?path of the command}
work=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    head -5 err
}
good() { "$sinew" "$@" >out 2>err || fail "sinew $*"; }
refused() { # TEXT WORD... : exit code 2 and this text
    local text=$1
    shift
    "$sinew" "$@" >out 2>err
    [ $? -eq 2 ] || fail "not refused: sinew $*"
    grep -qF -- "$text" err || fail "'$text' is not said by: sinew $*"
}
reads() { python3 "$SN_SOURCE_DIR/tests/cli/read_export.py" "$@" >out 2>err || fail "read_export $*: $(tail -1 err)"; }

cat >corner.stl <<'END'
solid corner
facet normal 0 0 -1 outer loop vertex 0 0 0 vertex 0 30 0 vertex 20 0 0 endloop endfacet
facet normal 0 -1 0 outer loop vertex 0 0 0 vertex 20 0 0 vertex 0 0 40 endloop endfacet
facet normal -1 0 0 outer loop vertex 0 0 0 vertex 0 0 40 vertex 0 30 0 endloop endfacet
facet normal 1 1 1 outer loop vertex 20 0 0 vertex 0 30 0 vertex 0 0 40 endloop endfacet
endsolid
END
cat >space.yaml <<'END'
sinew: 1
title: "Größe 𝛼"
gravity: [0, 0, -9.81]
nodes: {root: [0, 0, 0], mid: [0.5, 0, 0], tip: [1, 0, 0], far: {at: [1, 0.5, 0], spin: [1, 2, 3]}}
elements:
  bar: {beam3d_cr: [root, mid], material: {E: 10 MPa, nu: 0.3, rho: 1000}, section: {rectangle: , width: 0.1, height: 0.1}}
  bar_b: {beam3d_cr: [mid, tip], material: {E: 10 MPa, nu: 0.3, rho: 1000}, section: {rectangle: , width: 0.1, height: 0.1}}
  block: {mass3d: tip, shape: {box: , size: [0.1, 0.2, 0.3], density: 500, centre: [0.05, 0, 0]}}
  tube: {mass3d: far, shape: {cylinder: , radius: 0.1, length: 0.4, inner: 0.05, axis: [1, 1, 0], density: 500}}
  ball: {mass3d: far, shape: {sphere: , radius: 0.1, density: 500, centre: [0, 0, 0.1]}}
  corner: {mass3d: far, shape: {stl: corner.stl, scale: 1 mm, density: 500, origin: [0.2, 0, 0]}}
  link: {spring3d: [tip, far], k: 100}
joints: {hold: {fixed: root}}
sensors: {tip: {position: tip}, end: {velocity: far}}
run: {end: 20 ms, step: 0.25 ms, output: 1 ms}
END
cat >plane.yaml <<'END'
sinew: 1
gravity: [0, -9.81]
nodes: {root: [0, 0], tip: [1, 0]}
elements: {bar: {beam2d_cr: [root, tip], EA: 1e5, EI: 1, rhoA: 1}}
joints: {hold: {fixed: root}}
run: {end: 100 ms, step: 1 ms, output: 10 ms}
END
cat >points.yaml <<'END'
sinew: 1
gravity: [0, 0, -9.81]
nodes: {a: {at: [0, 0, 0], spin: [0.1, 0, 0.3]}, b: {at: [0, 0, 1], spin: [0, 0.2, 0.1]}, tip: [1, 0, 1]}
elements:
  stand: {mass3d: a, mass: 3, inertia: [0.3, 0.3, 0.3]}
  body: {mass3d: b, mass: 2, inertia: [0.1, 0.2, 0.3], com: [0, 0, 0.3]}
  left: {spring3d: [a, b], k: 500, point1: [0, 0.9, 0.1], point2: [0, 0.9, -0.1]}
  right: {spring3d: [a, b], k: 500, point1: [0, -0.9, 0.1], point2: [0, -0.9, -0.1]}
  plain: {spring3d: [a, b], k: 100}
  rubber: {bushing: [a, b], k: [50, 50, 50], at: [0.2, 0.3, 0.5]}
  end: {stop3d: [a, b], axis: [0, 0, 1], at: [0, 0.3, 0.5], k: 100, lo: -0.5, hi: 0.5}
  arm: {beam3d_cr: [b, tip], EA: 1e4, EI_y: 50, EI_z: 50, GJ: 50, rhoA: 1, rhoI_y: 0.01, rhoI_z: 0.01, offset1: [0, 0, 0.2], offset2: [0, 0, 0.1]}
  load: {force3d: b, force: [1, 0, 0], point: [0, 0.5, 0]}
joints:
  pin: {revolute: [ground, a], at: [0, 0, -0.2], axis: [0, 0, 1]}
  slide: {point_on_line: [a, b], at: [0.1, 0, 0.5], axis: [0, 0, 1]}
run: {end: 20 ms, step: 0.25 ms, output: 1 ms}
END
cat >free.yaml <<'END'
sinew: 1
nodes: {a: {at: [0, 0], velocity: [1, 0]}}
elements: {m: {mass2d: a, mass: 1}}
run: {end: 1000 s, step: 0.01 ms, output: 1 ms}
END

# ---- what is in the files ----
good run space.yaml -q -o space.h5
good export space.h5 --csv --vtk --mat
good export space.h5 --csv --all -o all.csv
reads space space.pvd all.csv
reads matlab space.mat all.csv
good export space.h5 -o other.pvd
cmp -s space/000003.vtu other/000003.vtu || fail "the ending of -o does not choose --vtk"
good export space.h5 -o other.mat
reads matlab other.mat all.csv
good run plane.yaml -q -o plane.h5
good export plane.h5 --vtk
good export plane.h5 --csv --all -o all.csv
reads plane plane.pvd all.csv
good modes plane.yaml -o modes.h5
good export modes.h5 --vtk -o "a & b.pvd"
good export modes.h5 --all -o all.csv
reads modes "a & b.pvd" all.csv
LC_ALL=de_DE.UTF-8 "$sinew" export plane.h5 --vtk --mat 2>err || fail "another locale"

good run points.yaml -q -o points.h5
good export points.h5 --vtk
good export points.h5 --csv --all -o all.csv
reads points points.pvd all.csv

# bodies that are drawn as meshes, of results that make_meshes.c writes
meshes=$SN_BUILD_DIR/tests/page_make_meshes
for what in run modes; do
    "$meshes" $what bodies.h5 || fail "make_meshes $what"
    good export bodies.h5 -o $what.pvd
done
reads meshes run.pvd
reads mesh_modes modes.pvd
for what in damaged-0-0-3 damaged-0-0-0.5 damaged-1-1-2 damaged-1-1--1 damaged-2-2-8 damaged-2-2-2 damaged-0-3-8 damaged-0-3--2 \
    damaged-0-3-1 damaged-0-3-7 triangle-90 triangle--1 line-13 modes-missing; do
    "$meshes" $what bodies.h5 || fail "make_meshes $what"
    "$sinew" export bodies.h5 -o bad.pvd >out 2>err
    [ $? -eq 2 ] || fail "not refused: $what"
    grep -q "damaged: '/model/mesh.*' makes no sense" err || fail "the mesh is not named: $what"
done

# a reduced body, placed and turned, sags under gravity: its mesh meets the nodes that are tied to it
cat >bar.yaml <<'END'
sinew: 1
nodes: {left: {frame3d: [0, 0, 0]}, right: {frame3d: [0.3, 0, 0]}}
elements:
  bar: {beam3d_cr: [left, right], material: {E: 1 GPa, nu: 0.3, rho: 8000}, section: {rectangle: , height: 6 mm, width: 6 mm}, elements: 6}
END
cat >body.yaml <<'END'
sinew: 1
gravity: [0, 0, -9.81]
nodes: {A: {frame3d: [0.1, 0.2, 0]}, B: {frame3d: [0.1 + 0.3*cos(30 deg), 0.35, 0]}}
elements: {bar: {KIND: [A, B], file: bar.h5, at: [0.1, 0.2, 0], rotation: [0, 0, 30 deg]}}
joints: {hold: {fixed: A}}
run: {end: 40 ms, step: 0.5 ms, output: 5 ms}
END
good reduce bar.yaml --interfaces left,right --modes 4 -o bar.h5
for kind in body_ffr body_fncf; do
    sed "s/KIND/$kind/" body.yaml >$kind.yaml
    good run $kind.yaml -q -o $kind.h5
    good export $kind.h5 --vtk
    good export $kind.h5 --csv --all -o all.csv
    reads body $kind.pvd all.csv
done

# a file of a shape that is gone: its body is a point
rm corner.stl
good export space.h5 -o gone.pvd
reads gone gone.pvd

# ---- partial results ----
"$sinew" run free.yaml -q -o free.h5 >out 2>err &
pid=$!
for _ in $(seq 1200); do
    "$sinew" export free.h5 --all -o all.csv 2>/dev/null && [ "$(wc -l <all.csv)" -gt 12 ] && break
    sleep 0.05
done
kill -KILL "$pid"
wait "$pid" 2>/dev/null
good export free.h5 --all -o all.csv
[ "$(wc -l <all.csv)" -gt 2 ] || fail "a killed run has no frames"
good export free.h5 --mat
reads count_mat free.mat all.csv
[ "$(wc -l <all.csv)" -gt 3000 ] || { good export free.h5 --vtk && reads count free.pvd all.csv; }

# ---- errors ----
refused "unknown ending '.xlsx'" export plane.h5 -o plane.xlsx
refused "must end with .pvd" export plane.h5 --vtk -o plane.vtu
refused "must end with .mat" export plane.h5 --mat -o plane.m
refused "cannot go to standard output" export plane.h5 --vtk -o -
refused "cannot go to standard output" export plane.h5 --mat -o -
refused "one format" export plane.h5 --vtk --mat -o plane.pvd
refused "No such file or directory" export plane.h5 -o no/such/folder.pvd
refused "No such file or directory" export plane.h5 -o no/such/folder.mat
refused "cannot be read" export nothing.h5 --vtk
refused "not HDF5" export plane.yaml --mat
: >blocked
refused "Not a directory" export plane.h5 -o blocked.pvd
[ ! -e blocked.pvd ] || fail "an index without frames"
mkdir closed && chmod a-w closed
if [ ! -w closed ]; then
    refused "Permission denied" export plane.h5 -o closed/x.pvd
    refused "Permission denied" export plane.h5 -o closed/x.mat
fi
for format in vtk mat; do
    (ulimit -f 1 && trap '' XFSZ && "$sinew" export space.h5 --$format >out 2>err)
    [ $? -eq 2 ] || fail "a full disk, --$format"
    grep -qF "cannot be written" err || fail "a full disk, --$format: message"
done
reads matlab space.mat <("$sinew" export space.h5 --csv --all -o -) # the older file is still there
ls -A | grep -q '\.tmp\|\.part' && fail "a temporary file stays"

[ "$failures" -eq 0 ]
