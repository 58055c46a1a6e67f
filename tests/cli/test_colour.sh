#!/bin/bash
# `colour` of an element: names, '#rrggbb', and what is said of others.
. "${SN_SOURCE_DIR:?}/tests/cli/kit.sh"

model() {
    printf 'sinew: 1\nnodes: {a: [0, 0], b: [1, 0]}\nelements:\n  bar: {beam2d_cr: [a, b], EA: 1e5, EI: 10, rhoA: 1, elements: 2, %s}\njoints: {a: {fixed: a}}\nrun: {end: 0.01, step: 1e-3}\n' "$1" >m.yaml
}

# colours_of ELEMENTS: red, green, blue of so many elements of the page's header, each "r g b"
colours_of() {
    sed -n 's/.*"colours":\(\[[^]]*\]\(,\[[^]]*\]\)*\]\).*/\1/p' m.html | tr -d ' ' | head -1
}

for pair in 'steelblue=70,130,180' "'#8fa3b8'=143,163,184" "'#000000'=0,0,0" 'gray=128,128,128' 'grey=128,128,128'; do
    model "colour: ${pair%=*}"
    expect 0 run m.yaml -q -o m.h5
    expect 0 view m.h5 -q -o m.html
    is "both pieces are ${pair#*=}" [ "$(colours_of)" = "[[0,${pair#*=}],[1,${pair#*=}]]" ]
done

model 'note: none'
expect 0 run m.yaml -q -o m.h5
expect 0 view m.h5 -q -o m.html
is 'no colour is said where none is written' [ "$(colours_of)" = '' ]

model 'colour: steelbleu'
expect 2 check m.yaml
says err "m.yaml:4:75: error: 'colour' is a name or '#rrggbb' in quotes (did you mean 'steelblue'?)"
for bad in '12' "'#12345'" "'#12345g'" '[1, 2, 3]' '{r: 1}'; do
    model "colour: $bad"
    expect 2 check m.yaml
    says err "m.yaml:4:75: error: 'colour' is a name or '#rrggbb' in quotes"
done
sed -i 's/colour: .*$/colour: #12ff00/' m.yaml
expect 2 check m.yaml
model 'color: red'
expect 2 check m.yaml
says err "(did you mean 'colour'?)"
printf 'sinew: 1\nnodes: {a: [0, 0]}\nelements:\n  m: {mass2d: a, mass: 1}\n  bar:\n    mass2d: a\n    mass: 1\n    colour: #12ff00\nrun: {end: 0.01, step: 1e-3}\n' >m.yaml
expect 2 check m.yaml
says err "m.yaml:8:5: error: 'colour' has no value: '#' begins a comment, so write '#rrggbb' in quotes"
expect 0 help colour
says out 'steelblue'
finish
