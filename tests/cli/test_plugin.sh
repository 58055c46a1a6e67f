#!/bin/bash
# sinew --plugin FILE: kinds of a shared library that was compiled with the public headers alone; what is refused.
. "$(dirname "$0")/kit.sh"
cat >pull.c <<'C'
#include <sinew/plugin.h>
static sn_status eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)C, (void)M;
    r[0] += in->s[0] * in->q[0];
    if (K) K[0] += in->s[0];
    return SN_OK;
}
static sn_status dparam(const sn_in *in, int index, double *dr)
{
    if (index == 0) dr[0] += in->q[0];
    return SN_OK;
}
static sn_status prepare(const sn_in *in, double *c, sn_err *err)
{
    (void)c;
    return in->s[0] > 1000 ? sn_fail(err, SN_ERR_INPUT, 0, "k is too much for it") : SN_OK;
}
static const sn_slot slots[] = {{"k", "N/m", "stiffness", 1, 0, 2, 0, SN_INFINITE, 0}, {0}};
static const sn_element_class pull = {.name = NAME, .doc = "spring along x to the origin", .slots = slots,
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 2, .ask = SN_POSITION | SN_FRAME}, .prepare = prepare, .eval = eval, .dparam = dparam};
static const sn_element_class *const elements[] = {&pull, 0};
SYMBOL
C
make() { # NAME FILE [WHAT IT EXPORTS]
    sed "s/SYMBOL/${3:-const sn_plugin sinew_plugin = {SN_PLUGIN_HEAD, .name = \"pulls\", .elements = elements\};}/" pull.c |
        cc -std=c17 -Wall -Wextra -Werror -pedantic -Wno-unused -shared -fPIC -I"$SN_SOURCE_DIR/include" -DNAME="\"$1\"" -x c - -o "$2" ||
        fail "$2 cannot be compiled"
}
make pull pull.so
make push push.so
make beam2d_cr taken.so
make pull nothing.so "int sinew_pulgin = 1;"
make pull older.so "const sn_plugin sinew_plugin = {.version = 0, .name = \"old\"};"
cat >model.yaml <<'Y'
sinew: 1
nodes: {a: [1, 0]}
elements:
  p: {pull: a, k: 4 N/m}
  m: {mass2d: a, mass: 1 kg}
sensors:
  tip: {position: a}
run: {end: 1 s, step: 1 ms}
Y

# cos(2); steps of 1 ms: (w h)^2/12 w t = 7e-7
expect 0 --plugin pull.so run model.yaml --print tip.x@1 -o out.h5
near out 1 -0.41614684 3e-6
expect 0 run model.yaml --plugin ./pull.so --print tip.x@1 -o out.h5
near out 1 -0.41614684 3e-6
expect 0 --plugin=pull.so --plugin push.so list elements --plain
says out pull
says out push
expect 0 help pull --plugin pull.so
says out "spring along x to the origin"
expect 0 --plugin pull.so check model.yaml
expect 0 --plugin pull.so gradient model.yaml --of tip.x@1 --wrt p.k
expect 0 --plugin pull.so export out.h5 --vtk -o moving.pvd
# functions of the library are found in the command
expect 2 --plugin pull.so check model.yaml --set "p.k=2000 N/m"
says err "k is too much for it"
# without it the kind is not there, and a model file has no way to ask for it
expect 2 check model.yaml
says err "unknown kind 'pull'"

expect 2 --plugin taken.so check model.yaml
says err "taken.so: plug-in 'pulls': element 'beam2d_cr': there is already a kind of this name"
expect 2 --plugin pull.so --plugin pull.so check model.yaml
says err "there is already a kind of this name"
expect 2 --plugin nothing.so check model.yaml
says err "nothing.so: this library is no plug-in of sinew: it exports no 'sinew_plugin'"
expect 2 --plugin older.so check model.yaml
says err "compiled with other headers of sinew"
expect 2 --plugin absent.so check model.yaml
says err "absent.so"
expect 2 --plugin model.yaml check model.yaml
says err "cannot be loaded"
expect 2 --plugin pull.so
says err "followed by a command"
expect 2 --plugin
expect 2 run model.yaml --plugin
says err "needs a value"
expect 2 --plugins pull.so run model.yaml
says err "unknown option"
finish
