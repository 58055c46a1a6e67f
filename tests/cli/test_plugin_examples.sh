#!/bin/bash
# The plug-ins of examples/plugin as a foreign author makes them: compiled against an installed sinew by pkg-config,
# with warnings as errors; run by the lines in the heads of their models; checked, helped, drawn, differentiated, and held to
# the checks of the installed sinew-conformance.
. "$(dirname "$0")/kit.sh"
cmake --install "$SN_BUILD_DIR" --prefix "$work/prefix" >/dev/null || exit 1
pc=$(dirname "$(find "$work/prefix" -name sinew.pc)")
export PKG_CONFIG_PATH=$pc LD_LIBRARY_PATH=${pc%/pkgconfig}
sinew=$work/prefix/bin/sinew
conformance=$work/prefix/bin/sinew-conformance
ln -s "$SN_SOURCE_DIR/examples" examples
touch out err

for source in examples/plugin/*.c; do
    name=$(basename "$source" .c)
    checks=$((checks + 1))
    # the line in the head, with warnings
    line=$(sed -n 's/^     cc \(-O2 .*\)$/\1/p' "$source")
    [ -n "$line" ] || fail "$source: no line that says how to compile it"
    cp "$source" . && eval "cc -std=c17 -Wall -Wextra -Werror -pedantic $line" 2>err || fail "$source cannot be compiled"
    run=$(sed -n 's/^# run: sinew //p' "examples/plugin/$name.yaml")
    is "examples/plugin/$name.yaml says how it is run" [ "$run" = "--plugin ./$name.so run examples/plugin/$name.yaml" ]
    expect 0 $run
    is "$name: a run says nothing on standard error" is_empty err
    expect 0 --plugin "$name.so" check "examples/plugin/$name.yaml"
    expect 0 --plugin "$name.so" help "$name"
    expect 0 export "$name.h5" --all -o "$name.csv"
    is "$name: all results are finite" bash -c "! grep -qiE '(^|,)-?(nan|inf)' $name.csv"
    expect 0 view "$name.h5" -o "$name.html"
    [ "$name" = lattice ] || expect 0 export "$name.h5" --vtk -o "${name}_vtk.pvd"
done

# what they look like; coordinates of a chain lie nowhere
expect 2 export lattice.h5 --vtk
says err "there is nothing to draw"
expect 0 --plugin shell4.so help shell4
says out "takes 4 spatial nodes with a director"
frame=$(ls shell4_vtk/*.vtu | tail -1)
is "VTK: six quadrilaterals" [ "$(grep -c 'Name="mises"' "$frame")" -eq 1 ]
is "VTK: the fields of the corners" grep -q 'Name="stretch"' "$frame"
expect 0 --plugin reduced_body.so help reduced_body
says out "mass and stiffness of the body"
expect 0 --plugin implicit_euler.so list schemes --plain
says out implicit_euler

# derivatives: of plug-in kinds by sinew, of all methods alike; refused where the integrator has none
for of in "shell4 tip.z@0.1 modulus,plate.thickness 0.1" "shell4 tip.z@0.1 b.at.x 0.1" "lattice middle.u16@20 cubic,c.m,u.amplitude 20" \
    "reduced_body turn.theta@0.5 stiff,beam.mass,beam.damping 0.5"; do
    set -- $of
    expect 0 --plugin "$1.so" gradient "examples/plugin/$1.yaml" --of "$2" --wrt "$3" --set "run.end=$4 s" --check
    says out "forward and adjoint agree to 1"
done
expect 2 --plugin implicit_euler.so gradient examples/plugin/implicit_euler.yaml --of tip.x@1 --wrt m
says err "scheme 'implicit_euler' has no derivatives"
expect 2 --plugin implicit_euler.so run examples/plugin/implicit_euler.yaml --error 1e-6
says err "does not estimate its error"

# numbers: frequencies of the chain 2 sqrt(k/m) sin(pi/66)/(2 pi); of the cantilever in the file, clamped, sqrt(K)/(2 pi). Both
# come out to rounding.
sed '/^run:/d; s/lattice: 0.3/lattice: 0/' examples/plugin/lattice.yaml >chain.yaml
expect 0 --plugin lattice.so modes chain.yaml -n 1 --json
json out 'abs(d["modes"][0]["frequency"] / (sin(pi/66)/pi) - 1) < 1e-12'
cp examples/plugin/cantilever.txt .
sed 's/, only: \[x, y\]//; s/^gravity.*//' examples/plugin/reduced_body.yaml >clamped.yaml
expect 0 --plugin reduced_body.so modes clamped.yaml -n 2 --undamped --json
json out 'abs(d["modes"][0]["frequency"] / (sqrt(309.059084208155)/(2*pi)) - 1) < 1e-12'

# an integrator of first order: against the built-in scheme the error halves with the step (within what 1/2 + O(h) allows)
for step in 1 2; do
    expect 0 --plugin implicit_euler.so run examples/plugin/implicit_euler.yaml --print tip.x@0.5 --step "$step ms" -o e.h5
    eval "euler$step=$(head -1 out)"
done
expect 0 --plugin implicit_euler.so run examples/plugin/implicit_euler.yaml --print tip.x@0.5 --scheme hht -o e.h5
is "implicit Euler is of first order" awk -v a="$euler1" -v b="$euler2" -v x="$(head -1 out)" \
    'BEGIN { r = (b - x) / (a - x); exit !(r > 1.8 && r < 2.2) }'

# the installed checks
sinew=$conformance
expect 0 --plugin shell4.so director3d shell4
expect 0 --plugin lattice.so lattice chain
says out "does not apply: its nodes lie neither in the plane nor in space"
expect 1 --plugin reduced_body.so reduced_body
says out "not checked but for its table: it needs a file"
expect 0 --plugin reduced_body.so --file reduced_body=cantilever.txt --size 2 reduced_body
says out "free fall"
expect 0 --plugin implicit_euler.so implicit_euler
says out "its table"
expect 2 --plugin shell4.so no_such_kind
expect 2 --plugin cantilever.txt all
expect 2
# and they find mistakes: a shell whose stiffness is that of another thickness
sed 's|K\[i \* N + 3 \* b + k\] += column\[i\]|K[i * N + 3 * b + k] += 1.01 * column[i]|' examples/plugin/shell4.c >wrong.c
cc -O2 -shared -fPIC $(pkg-config --cflags sinew) wrong.c -o wrong.so || exit 1
expect 1 --plugin ./wrong.so shell4
says out "FAIL element shell4: K row"
finish
