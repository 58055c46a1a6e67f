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
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 2}, .prepare = prepare, .eval = eval, .dparam = dparam};
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

# An integrator: its schemes are words of `run` with settings of their own; what it lacks is refused.
cat >euler.c <<'C'
#include "implicit_euler.h"
#include <sinew/plugin.h>
static const sn_integrator_class *const integrators[] = {&bare_euler, &full_euler, 0};
const sn_plugin sinew_plugin = {SN_PLUGIN_HEAD, .name = "euler", .integrators = integrators};
C
cc -std=c17 -Wall -Wextra -Werror -pedantic -shared -fPIC -I"$SN_SOURCE_DIR/include" -I"$SN_SOURCE_DIR/tests/verify" euler.c -o euler.so ||
    fail "euler.so cannot be compiled"
cat >swing.yaml <<'Y'
sinew: 1
parameters: {k: 4 N/m}
nodes: {a: [1, 0]}
elements: {s: {spring2d: [ground, a], k: k, l0: 0.5}, m: {mass2d: a, mass: 1 kg}}
sensors: {tip: {position: a}}
run: {end: 1 s, step: 1 ms, scheme: full_euler, inertia: 1}
Y
expect 0 --plugin euler.so list schemes
says out bare_euler
expect 0 --plugin euler.so help full_euler
says out "run: {scheme: full_euler, inertia: 1}"
# 0.5 + 0.5 exp(-w^2 h t/2) cos(w t), w = 2: what the scheme damps, but for (w h)^2 = 4e-6
expect 0 --plugin euler.so run swing.yaml --print tip.x@1
near out 1 0.29234233 2e-5
expect 0 --plugin euler.so gradient swing.yaml --of tip.x@1 --wrt k,m.mass --check
expect 2 --plugin euler.so gradient swing.yaml --of tip.x@1 --wrt k --scheme bare_euler
says err "scheme 'bare_euler' has no derivatives (forward)"
expect 2 --plugin euler.so run swing.yaml --scheme bare_euler --sensitivities -o no.h5
says err "scheme 'bare_euler' has no derivatives (forward)"
expect 2 --plugin euler.so run swing.yaml --scheme bare_euler --error 1e-4 -o no.h5
says err "scheme 'bare_euler' does not estimate its error"
expect 2 --plugin euler.so run swing.yaml --set run.rho=0.5 -o no.h5
says err "scheme 'full_euler' has no setting 'rho': it has 'inertia'"
expect 2 run swing.yaml
says err "unknown scheme 'full_euler'"
finish
