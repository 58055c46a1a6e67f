/* Sizes beyond those of our own kinds, by kinds of the test's own: right numbers up to the limits of
   sinew/limits.h, and beyond them a report that names the entry and the limit. */
#include "compile_kit.h"

#include <math.h>
#include <stdlib.h>

#include "sinew/plugin.h"

#define END                                                                                                  \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }
static const sn_slot none[] = {END};
static char names[SN_MAX_COMPONENTS + 1][16];

/* ---- grains: equal masses at all nodes of an element, without forces between them ---- */

static const sn_slot mass[] = {{"m", "kg", "of each node", 1, SN_POSITIVE, 1, 0, SN_INFINITE, NULL}, END};

static sn_status grains_eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)C;
    for (int i = 0; i < in->nv; i++) {
        r[i] += in->s[0] * (in->a[i] - in->g[i % in->dim]);
        if (K) M[i * in->nv + i] += in->s[0];
    }
    return SN_OK;
}

static sn_status grains_dparam(const sn_in *in, int index, double *dr)
{
    int field = index - in->ns - in->nq;
    for (int i = 0; i < in->nv; i++) {
        if (index == 0) dr[i] += in->a[i] - in->g[i % in->dim];
        if (field >= 0 && i % in->dim == field) dr[i] -= in->s[0];
    }
    return SN_OK;
}

static void grains_energy(const sn_in *in, double *e, sn_dout *de)
{
    e[0] = e[1] = 0;
    for (int i = 0; i < in->nv; i++) {
        e[0] += in->s[0] / 2 * in->v[i] * in->v[i];
        e[1] -= in->s[0] * in->g[i % in->dim] * in->q[i];
        if (de && de->v) de->v[i] = in->s[0] * in->v[i];
        if (de && de->q) de->q[in->nv + i] = -in->s[0] * in->g[i % in->dim];
    }
}

static void grains_denergy(const sn_in *in, int index, double *de)
{
    de[0] = de[1] = 0;
    for (int i = 0; i < in->nv && index == 0; i++) {
        de[0] += in->v[i] * in->v[i] / 2;
        de[1] -= in->g[i % in->dim] * in->q[i];
    }
}

static const sn_element_class grains = {
    .name = "grains",
    .doc = "equal masses",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = SN_MAX_NODES, .ask = SN_POSITION},
    .slots = mass,
    .flags = SN_USES_A,
    .eval = grains_eval,
    .dparam = grains_dparam,
    .energy = grains_energy,
    .denergy = grains_denergy};

/* ---- board: holds x and y of all its nodes, from `from` on by their velocities; `more` equations to boast
 * ---- */

static const sn_option board_options[] = {{"from", "#", "first coordinate held by its velocity", 1000},
                                          {"more", "#", "equations too many", 0},
                                          END};

static sn_status board_layout(sn_layout *l, sn_err *err)
{
    l->m = l->nv + l->opt[1];
    SN_TRY(l->opt[1] > 100 ? sn_layout_has_room(l, l->m, err) : SN_OK);
    for (int i = 0; i < l->nv && i < SN_MAX_EQUATIONS; i++) {
        l->component[i] = names[i], l->unit[i] = "m";
        if (i >= l->opt[0]) l->velocity |= 1ull << i;
    }
    return SN_OK;
}

static sn_status board_eval(const sn_in *in, sn_joint_out *o)
{
    for (int i = 0; i < in->m; i++) {
        int fast = i >= in->opt[0];
        o->r[i] += in->lam[i];
        o->phi[i] = fast ? in->v[i] : in->q[i] - in->X[i];
        if (o->B) (fast ? o->G : o->B)[i * in->nv + i] = 1;
    }
    return SN_OK;
}

static sn_status board_rate(const sn_in *in, double *phi_t, double *gamma)
{
    for (int i = 0; i < in->m; i++) phi_t[i] = gamma[i] = 0;
    return SN_OK;
}

static sn_status board_dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    int x = index - in->ns;
    (void)dr;
    if (x >= 0 && x < in->opt[0]) dphi[x] -= 1;
    return SN_OK;
}

static const sn_joint_class board = {
    .name = "board",
    .doc = "holds all its nodes",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = SN_MAX_NODES, .dim = 2, .ask = SN_POSITION},
    .slots = none,
    .options = board_options,
    .flags = SN_USES_V | SN_VELOCITY_LEVEL,
    .layout = board_layout,
    .eval = board_eval,
    .rate = board_rate,
    .dparam = board_dparam};

/* ---- fan: n multiples of y of a node ---- */

static const sn_option fan_options[] = {{"n", "#", "components", 40}, END};

static sn_status fan_layout(sn_layout *l, sn_err *err)
{
    SN_TRY(sn_layout_has_room(l, l->ny = l->opt[0], err));
    for (int i = 0; i < l->ny; i++) l->component[i] = names[i], l->unit[i] = "m";
    return SN_OK;
}

static sn_status fan_eval(const sn_in *in, double *y, sn_dout *d)
{
    for (int i = 0; i < in->opt[0]; i++) {
        y[i] = (i + 1) * in->q[1];
        if (d) d->q[i * in->nv + 1] = i + 1;
    }
    return SN_OK;
}

static sn_status fan_dparam(const sn_in *in, int index, double *dy)
{
    (void)index;
    for (int i = 0; i < in->opt[0]; i++) dy[i] = 0;
    return SN_OK;
}

static const sn_sensor_class fan = {
    .name = "fan",
    .doc = "multiples of y",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 2, .ask = SN_POSITION},
    .slots = none,
    .options = fan_options,
    .layout = fan_layout,
    .eval = fan_eval,
    .dparam = fan_dparam};

static sn_status three(sn_layout *l, sn_err *err)
{
    (void)err;
    l->ny = 4;
    for (int i = 0; i < 4; i++) l->component[i] = names[i];
    return SN_OK;
}

static const sn_sensor_class odd = {.name = "odd",
                                    .doc = "an energy with a fourth component",
                                    .args = {.what = SN_ARG_NONE | SN_ARG_ELEMENT, .max = 1},
                                    .slots = none,
                                    .source = SN_FROM_ENERGY,
                                    .layout = three};

/* ---- nodes: as many coordinates as are asked for; in space with angles before the place ---- */

static const sn_slot crowd_slots[] = {
    {"at", "", "start of all coordinates", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL}, END};
static const sn_option crowd_options[] = {{"n", "#", "coordinates", 1}, END};
static const sn_offer crowd_offers[] = {{SN_SCALARS, 0, 0}, {0, 0, 0}};
static const char *const crowd_coord[] = {"z"}, *const crowd_unit[] = {""};

static sn_status crowd_layout(sn_node_layout *l, sn_err *err)
{
    (void)err;
    l->n = l->opt[0];
    return SN_OK;
}

static void crowd_start(const sn_node_in *in, double *X, double *q, double *v)
{
    for (int i = 0; i < in->nq; i++) X[i] = 0, q[i] = in->s[0], v[i] = 0;
}

static void crowd_dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    (void)index;
    for (int i = 0; i < in->nq; i++) dX[i] = dv[i] = 0, dq[i] = 1;
}

static const sn_node_class crowd = {.name = "crowd",
                                    .doc = "many numbers",
                                    .slots = crowd_slots,
                                    .options = crowd_options,
                                    .layout = crowd_layout,
                                    .order = 2,
                                    .offers = crowd_offers,
                                    .coord = crowd_coord,
                                    .unit = crowd_unit,
                                    .start = crowd_start,
                                    .dstart = crowd_dstart};

static const sn_slot dial_slots[] = {
    {"at", "m", "place", 3, SN_PLACED, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL}, END};
static const sn_offer dial_offers[] = {{SN_POSITION, 2, 2}, {0, 0, 0}};
static const char *const dial_coord[] = {"a", "b", "x", "y", "z"}, *const dial_unit[] = {"rad", "rad", "m",
                                                                                         "m", "m"};

static void dial_start(const sn_node_in *in, double *X, double *q, double *v)
{
    for (int i = 0; i < 5; i++) X[i] = q[i] = i < 2 ? 0 : in->s[i - 2], v[i] = 0;
}

static void dial_dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    (void)in;
    for (int i = 0; i < 5; i++) dX[i] = dq[i] = i == index + 2, dv[i] = 0;
}

static const sn_node_class dial = {.name = "dial",
                                   .doc = "two angles and a place",
                                   .slots = dial_slots,
                                   .nq = 5,
                                   .nv = 5,
                                   .dim = 3,
                                   .order = 2,
                                   .offers = dial_offers,
                                   .coord = dial_coord,
                                   .unit = dial_unit,
                                   .start = dial_start,
                                   .dstart = dial_dstart};

/* ---- heap: unit masses on plain numbers; pick: holds those that are chosen at 0 ---- */

static sn_status heap_eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)C;
    for (int i = 0; i < in->nv; i++) {
        r[i] += in->a[i];
        if (K) M[i * in->nv + i] += 1;
    }
    return SN_OK;
}

static sn_status heap_dparam(const sn_in *in, int index, double *dr)
{
    (void)in, (void)index, (void)dr;
    return SN_OK;
}

static const sn_element_class heap = {.name = "heap",
                                      .doc = "unit masses",
                                      .args = {.what = SN_ARG_NODE, .min = 1, .max = 2, .ask = SN_SCALARS},
                                      .slots = none,
                                      .flags = SN_USES_A,
                                      .eval = heap_eval,
                                      .dparam = heap_dparam};

static const sn_option pick_options[] = {{"only", "@coords", "held", -1}, END};

static sn_status pick_layout(sn_layout *l, sn_err *err)
{
    SN_TRY(sn_layout_has_room(l, l->nv, err));
    for (int i = 0; i < l->nv; i++)
        if (SN_CHOSEN(l->opt[0], i)) l->component[l->m] = names[i], l->unit[l->m++] = "1";
    return SN_OK;
}

static sn_status pick_eval(const sn_in *in, sn_joint_out *o)
{
    for (int i = 0, e = 0; i < in->nv; i++) {
        if (!SN_CHOSEN(in->opt[0], i)) continue;
        o->phi[e] = in->q[i];
        o->r[i] += in->lam[e];
        if (o->B) o->B[e * in->nv + i] = 1;
        e++;
    }
    return SN_OK;
}

static sn_status pick_dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    (void)in, (void)index, (void)dr, (void)dphi;
    return SN_OK;
}

static const sn_joint_class pick = {.name = "pick",
                                    .doc = "holds plain numbers at 0",
                                    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .ask = SN_SCALARS},
                                    .slots = none,
                                    .options = pick_options,
                                    .layout = pick_layout,
                                    .eval = pick_eval,
                                    .rate = board_rate,
                                    .dparam = pick_dparam};

/* ---- properties with many numbers ---- */

enum { PROPERTIES = 4, NUMBERS = 60 };
static sn_slot many[PROPERTIES][NUMBERS + 1];
static char many_name[PROPERTIES][NUMBERS][32];
static sn_property_class property[PROPERTIES];
static const sn_slot last[] = {{"s", "", "the last number", 1, 0, SN_REQUIRED, 0, SN_INFINITE, "p3_59"}, END};
static sn_element_class asks;

static int add_kinds(void **state)
{
    static const sn_element_class *const elements[] = {&grains, &asks, &heap, NULL};
    static const sn_joint_class *const joints[] = {&board, &pick, NULL};
    static const sn_node_class *const nodes[] = {&crowd, &dial, NULL};
    static const sn_sensor_class *const sensors[] = {&fan, &odd, NULL};
    static const sn_property_class *properties[PROPERTIES + 1];
    static const char *const kind[] = {"p0", "p1", "p2", "p3"};
    (void)state;
    for (int i = 0; i <= SN_MAX_COMPONENTS; i++) snprintf(names[i], sizeof names[i], "c%d", i);
    for (int p = 0; p < PROPERTIES; p++) {
        for (int i = 0; i < NUMBERS; i++) {
            snprintf(many_name[p][i], sizeof many_name[p][i], "p%d_%d", p, i);
            many[p][i] = (sn_slot){many_name[p][i], "", "a number", 1, 0, 1, 0, SN_INFINITE, NULL};
        }
        property[p] = (sn_property_class){.name = kind[p], .doc = "many numbers", .slots = many[p]};
        properties[p] = &property[p];
    }
    asks = grains;
    asks.name = "asks";
    asks.slots = last;
    sn_err err;
    sn_err_clear(&err);
    sn_status s =
        sn_plugin_add(&(sn_plugin){SN_PLUGIN_HEAD, .name = "large", .nodes = nodes, .elements = elements,
                                   .joints = joints, .sensors = sensors, .properties = properties},
                      &err);
    print_reports(&err);
    return s != SN_OK;
}

/* "n0, n1, ..." and "n0: [0, 0], n1: [1, 0], ..." */
static void write_nodes(int n, int dim, char *list, char *nodes, size_t size)
{
    list[0] = nodes[0] = 0;
    for (int i = 0; i < n; i++) {
        size_t a = strlen(list), b = strlen(nodes);
        snprintf(list + a, size - a, "%sn%d", i ? ", " : "", i);
        snprintf(nodes + b, size - b, "%sn%d: [%d, 0%s]", i ? ", " : "", i, i, dim == 3 ? ", 0" : "");
    }
}

static void gradient(const sn_model *m, const sn_values *p, const char *of, const char *wrt,
                     sn_gradient_method method, double *value, double *slope)
{
    const char *const o1[] = {of}, *const w1[] = {wrt};
    sn_gradient_options o = sn_gradient_options_default(m, p);
    sn_err err;
    sn_err_clear(&err);
    o.of = o1, o.n_of = 1, o.wrt = w1, o.n_wrt = 1, o.method = method;
    sn_status s = sn_gradient(m, p, &o, &(sn_gradient_result){.value = value, .gradient = slope}, NULL, &err);
    print_reports(&err);
    assert_int_equal(s, SN_OK);
}

/* 96 coordinates in one element, falling freely: the momentum after 1 s is 32 m g, and its derivative 32 g.
   The scheme is exact for a constant acceleration: what is left is rounding over 100 steps. */
static void test_momentum(void **state)
{
    char list[1024], nodes[2048], text[8192];
    sn_model *m;
    sn_values *p;
    (void)state;
    write_nodes(SN_MAX_NODES, 3, list, nodes, sizeof list);
    snprintf(text, sizeof text,
             "gravity: [0, -10 m/s^2, 0]\nnodes: {%s}\nelements: {g: {grains: [%s], m: 2 kg}}\n"
             "sensors: {p: {momentum: all}, x: {position: n31}}\nrun: {end: 1 s, step: 10 ms}\n",
             nodes, list);
    accepted(text, &m, &p);
    for (int method = SN_GRADIENT_FORWARD; method <= SN_GRADIENT_ADJOINT; method++) {
        double value, slope;
        gradient(m, p, "p.py@1", "g.m", (sn_gradient_method)method, &value, &slope);
        assert_true(fabs(value + 10 * 2 * SN_MAX_NODES) < 1e-9 && fabs(slope + 10 * SN_MAX_NODES) < 1e-9);
    }
    sn_values_free(p);
    sn_model_free(m);
}

/* 40 equations in one joint, those from the 35th on at velocity level: weights are carried, nothing moves,
   and the force on the last node is that of its own weight, of either level. */
static void test_equations(void **state)
{
    char list[1024], nodes[2048], text[8192];
    sn_model *m;
    sn_values *p;
    sn_sizes sizes;
    (void)state;
    write_nodes(20, 2, list, nodes, sizeof list);
    for (int from = 35; from < 1000; from += 900) {
        snprintf(text, sizeof text,
                 "gravity: [0, -10 m/s^2]\nnodes: {%s}\nelements: {g: {grains: [%s], m: 2 kg}}\n"
                 "joints: {b: {board: [%s], from: %d}}\n"
                 "sensors: {f: {reaction: b}, y: {position: n19}}\nrun: {end: 0.1 s, step: 10 ms}\n",
                 nodes, list, list, from);
        accepted(text, &m, &p);
        sn_model_sizes(m, &sizes);
        assert_int_equal(sizes.m, 40);
        for (int method = SN_GRADIENT_FORWARD; method <= SN_GRADIENT_ADJOINT; method++) {
            double value, slope;
            gradient(m, p, "f.fy@0.1", "g.m", (sn_gradient_method)method, &value, &slope);
            assert_true(fabs(value - 20) < 1e-9 && fabs(slope - 10) < 1e-9);
            gradient(m, p, "y.y@0.1", "g.m", (sn_gradient_method)method, &value, &slope);
            assert_true(fabs(value) < 1e-12 && fabs(slope) < 1e-12);
        }
        sn_values_free(p);
        sn_model_free(m);
    }
}

/* y = -g t^2/2: component i is (i + 1) y, and so is its derivative by g. */
static void test_components(void **state)
{
    sn_model *m;
    sn_values *p;
    (void)state;
    accepted("gravity: [0, -10 m/s^2]\nnodes: {a: [0, 0]}\nelements: {g: {grains: a}}\n"
             "sensors: {f: {fan: a, n: 64}}\nrun: {end: 1 s, step: 10 ms}\n",
             &m, &p);
    assert_int_equal(sn_channel_count(m), 64);
    for (int method = SN_GRADIENT_FORWARD; method <= SN_GRADIENT_ADJOINT; method++) {
        double value, slope;
        gradient(m, p, "f.c63@1", "gravity.y", (sn_gradient_method)method, &value, &slope);
        assert_true(fabs(value + 64 * 5) < 1e-9 && fabs(slope - 64 * 0.5) < 1e-9);
    }
    sn_values_free(p);
    sn_model_free(m);
}

/* "0, 0, 0 ..." */
static void write_zeros(int n, const char *number, char *text, size_t size)
{
    size_t at = 0;
    text[0] = 0;
    for (int i = 0; i < n && at + 8 < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", i ? "," : "", number);
}

/* Of 40 numbers that move at 1/s the 31st is held, or all are: the last one stays where the choice says. */
static void test_chosen(void **state)
{
    char at[512], rate[512], text[2048];
    (void)state;
    write_zeros(40, "0", at, sizeof at);
    write_zeros(40, "1", rate, sizeof rate);
    for (int all = 0; all < 2; all++) {
        double z[2], slope;
        sn_model *m;
        sn_values *p;
        snprintf(
            text, sizeof text,
            "nodes: {u: {modal: [%s], velocity: [%s]}}\nelements: {h: {heap: u}}\njoints: {k: {pick: u%s}}\n"
            "sensors: {a: {position: u.z31}, b: {position: u.z40}}\nrun: {end: 1 s, step: 10 ms}\n"
            "parameters: {p: 1}\n",
            at, rate, all ? "" : ", only: [z31]");
        accepted(text, &m, &p);
        gradient(m, p, "a.z31@1", "p", SN_GRADIENT_FORWARD, &z[0], &slope);
        gradient(m, p, "b.z40@1", "p", SN_GRADIENT_FORWARD, &z[1], &slope);
        assert_true(fabs(z[0]) < 1e-12 && fabs(z[1] - !all) < 1e-12);
        sn_values_free(p);
        sn_model_free(m);
    }
    snprintf(text, sizeof text, "nodes: {u: {modal: [%s]}}\njoints: {k: {pick: u, only: [z31, `z32]}}\n", at);
    assert_true(refused(text, "'z32' is coordinate 32 of its node; the first 31 can be chosen"));
}

/* Two nodes of 1025 numbers are one element too large. */
static void test_coordinates(void **state)
{
    char at[2200], text[8192];
    (void)state;
    write_zeros(1025, "0", at, sizeof at);
    snprintf(text, sizeof text,
             "nodes: {u: {modal: [%s]}, w: {modal: [%s]}}\nelements: {`h: {heap: [u, w]}}\n", at, at);
    assert_true(refused(text, "heap 'h': has 2050 coordinates and equations, the most are 2048"));
}

/* More keys than any entry of our own has. */
static void test_keys(void **state)
{
    sn_model *m;
    sn_values *p;
    double x;
    (void)state;
    accepted("nodes: {a: [0, 0]}\nelements: {g: {asks: a, p3_59: 7}}\n", &m, &p);
    assert_int_equal(sn_values_get(p, "g.s", &x, NULL), SN_OK);
    assert_true(x == 7);
    sn_values_free(p);
    sn_model_free(m);
}

/* Coordinates in whatever order: a moment is what turns the axes of a frame, which this node has not. */
static void test_reaction(void **state)
{
    sn_model *m;
    sn_values *p;
    int channel;
    (void)state;
    accepted(
        "nodes: {n: {dial: [0, 0, 0]}}\njoints: {d: {drive: n.b, value: 0}}\nsensors: {r: {reaction: d}}\n",
        &m, &p);
    static const char *const name[] = {"r.fa", "r.fb", "r.fx", "r.fy", "r.fz"};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(sn_channel_find(m, name[i], &channel, NULL), SN_OK);
        assert_int_equal(channel, i);
        assert_string_equal(sn_channel_get(m, i).unit, i < 2 ? "N*m" : "N");
    }
    sn_values_free(p);
    sn_model_free(m);
}

/* An objective of as many names as there may be, and of one more. */
static void test_names(void **state)
{
    char text[4096] = "";
    const char *const of[] = {text}, *const wrt[] = {"gravity.y"};
    sn_model *m;
    sn_values *p;
    sn_err err;
    (void)state;
    accepted("gravity: [0, -10 m/s^2]\nnodes: {a: [0, 0]}\nelements: {g: {grains: a}}\n"
             "sensors: {y: {position: a}}\nrun: {end: 1 s, step: 10 ms}\n",
             &m, &p);
    for (int i = 0; i <= SN_MAX_VARIABLES; i++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%sy.y@.%03d", i ? "+" : "", i + 1);
        double value, slope;
        if (i + 1 == SN_MAX_VARIABLES) gradient(m, p, text, wrt[0], SN_GRADIENT_FORWARD, &value, &slope);
        if (i < SN_MAX_VARIABLES) continue;
        sn_gradient_options o = sn_gradient_options_default(m, p);
        o.of = of, o.n_of = 1, o.wrt = wrt, o.n_wrt = 1;
        sn_err_clear(&err);
        assert_int_equal(
            sn_gradient(m, p, &o, &(sn_gradient_result){.value = &value, .gradient = &slope}, NULL, &err),
            SN_ERR_INPUT);
        assert_non_null(strstr(err.report[0].text, "at most 256 different names"));
    }
    sn_values_free(p);
    sn_model_free(m);
}

static void test_beyond(void **state)
{
    char list[1024], nodes[2048], text[8192];
    (void)state;
    const refusal single[] = {
        {"nodes: {a: [0, 0]}\nsensors: {`f: {fan: a, n: 65}}\n",
         "fan 'f': has 65 components or equations, the most are 64"},
        {"nodes: {a: [0, 0]}\njoints: {`b: {board: a, more: 63}}\n",
         "board 'b': has 65 equations, the most are 64"},
        {"nodes: {a: [0, 0]}\njoints: {`b: {board: a, more: 101}}\n",
         "board 'b': has 103 components or equations, the most are 64"},
        {"nodes: {a: [0, 0]}\njoints: {`b: {board: a, more: 2}}\n",
         "board 'b': its layout gives no name to component 3 of 4"},
        {"nodes: {`c: {crowd: 0, n: 2049}}\n", "crowd 'c': has 2049 coordinates, the most are 2048"},
        {"nodes: {a: [0, 0]}\nelements: {g: {grains: a}}\nsensors: {`e: {odd: }}\n",
         "odd 'e': its layout has 4 components, not 3"},
    };
    REFUSE_ALL(single);
    write_nodes(SN_MAX_NODES + 1, 2, list, nodes, sizeof list);
    snprintf(text, sizeof text, "nodes: {%s}\nelements: {g: {grains: `[%s]}}\n", nodes, list);
    assert_true(refused(text, "grains 'g' takes 1 to 32 nodes"));
}

static void test_tables(void **state)
{
    static sn_slot slots[SN_MAX_SLOTS + 2];
    static char name[SN_MAX_SLOTS + 1][16];
    sn_element_class c = grains;
    const sn_element_class *const list[] = {&c, NULL};
    sn_err err;
    (void)state;
    for (int i = 0; i <= SN_MAX_SLOTS; i++) {
        snprintf(name[i], sizeof name[i], "s%d", i);
        slots[i] = mass[0], slots[i].name = name[i];
    }
    c.name = "large", c.slots = slots, c.args.max = SN_MAX_NODES + 1;
    sn_err_clear(&err);
    assert_int_equal(sn_plugin_add(&(sn_plugin){SN_PLUGIN_HEAD, .name = "p", .elements = list}, &err),
                     SN_ERR_INPUT);
    assert_int_equal(err.count, 2);
    assert_string_equal(err.report[0].text, "plug-in 'p': element 'large': 65 slots, the most are 64");
    assert_string_equal(err.report[1].text, "plug-in 'p': element 'large': 33 nodes, the most are 32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_momentum),    cmocka_unit_test(test_equations),
                                       cmocka_unit_test(test_components),  cmocka_unit_test(test_keys),
                                       cmocka_unit_test(test_reaction),    cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_beyond),      cmocka_unit_test(test_chosen),
                                       cmocka_unit_test(test_coordinates), cmocka_unit_test(test_tables)};
    return cmocka_run_group_tests(tests, add_kinds, NULL);
}
