/* Every kind: its tables are complete; nodes, signals and sensors against differences. Elements and joints
   have tests of their own. No kind is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kit_rigid.h"

static int complain(const char *family, const char *kind, const char *what, const char *name)
{
    printf("FAIL %s %s: %s %s\n", family, kind, what, name ? name : "?");
    return 1;
}

/* Every table is complete, as one of a plug-in must be, and each keyword finds its own. */
static void every_table(void **state)
{
    int bad = 0;
    sn_err err;
    (void)state;
    sn_err_clear(&err);
    for (int f = 0; f < SN_FAMILIES; f++)
        for (const void *const *k = sn_family_all(f); *k; k++) {
            bad += sn_kind_check(f, *k, &err);
            for (const void *const *other = sn_family_all(f); other != k; other++)
                if (!strcmp(sn_class_name(*other), sn_class_name(*k)) &&
                    (f != SN_FAMILY_PROPERTY || ((const sn_property_class *)*other)->section ==
                                                    ((const sn_property_class *)*k)->section))
                    bad += complain(sn_family_name[f], sn_class_name(*k), "keyword taken twice", "");
        }
    for (int i = 0; i < err.count && i < SN_ERR_MAX; i++) printf("FAIL %s\n", err.report[i].text);
    assert_null(sn_node_find("no such kind"));
    assert_int_equal(bad, 0);
}

/* One of the maps of a node, as a function of the tangent vector behind X in a case's state: see check_node.
 */
enum { BY_STEP, BY_STEP_TANGENT, BY_OLD, BY_OLD_TANGENT };

typedef struct node_test {
    const sn_node_class *c;
    double q[KIT_TABLE], d[KIT_TABLE], E[KIT_TABLE * KIT_TABLE], T[KIT_TABLE * KIT_TABLE];
} node_test;

/* The new configuration when coordinate j of the step or of the old configuration changes by eps: directly,
   and as the tangent maps tell. */
static void node_map(const node_test *t, int map, int j, double eps, double *q1)
{
    double d[KIT_TABLE] = {0}, q[KIT_TABLE];
    const double *tangent = map == BY_STEP_TANGENT ? t->T : t->E;
    int nv = t->c->nv;
    if (map == BY_STEP) {
        memcpy(d, t->d, sizeof d);
        d[j] += eps;
        kit_retract(t->c, t->q, d, q1);
    } else if (map == BY_OLD) {
        d[j] = eps;
        kit_retract(t->c, t->q, d, q);
        kit_retract(t->c, q, t->d, q1);
    } else {
        for (int i = 0; i < nv; i++) d[i] = eps * tangent[i * nv + j];
        kit_retract(t->c, t->q, t->d, q);
        kit_retract(t->c, q, d, q1);
    }
}

/* Derivative of a map by eps; fourth order, h^4 = 1e-12. */
static void node_slope(const node_test *t, int map, int j, double *slope)
{
    const double h = 1e-3;
    double f[4][KIT_TABLE];
    for (int i = 0; i < 4; i++) node_map(t, map, j, (double[]){-2, -1, 1, 2}[i] * h, f[i]);
    for (int l = 0; l < t->c->nq; l++) slope[l] = (8 * (f[2][l] - f[1][l]) - (f[3][l] - f[0][l])) / (12 * h);
}

/* E and T of a node: the change of retract(q, d) by q and by d, as a tangent vector there. */
static double node_tangents(const sn_node_class *c, const double *q, uint64_t *seed)
{
    double worst = 0, direct[KIT_TABLE], told[KIT_TABLE];
    node_test t = {.c = c};
    memcpy(t.q, q, (size_t)c->nq * sizeof *q);
    for (int i = 0; i < c->nv; i++) t.d[i] = kit_random(seed, -1.5, 1.5);
    for (int i = 0; i < c->nv; i++) t.E[i * c->nv + i] = t.T[i * c->nv + i] = 1;
    if (c->tangent) c->tangent(t.d, t.E, t.T);
    for (int map = BY_STEP; map <= BY_OLD; map += 2)
        for (int j = 0; j < c->nv; j++) {
            node_slope(&t, map, j, direct);
            node_slope(&t, map + 1, j, told);
            for (int l = 0; l < c->nq; l++) worst = fmax(worst, fabs(direct[l] - told[l]));
        }
    return worst;
}

/* dstart by each slot: retract(q, eps dq) must follow q(s + eps). The slots enter linearly or smoothly. */
static double node_start(const sn_node_class *c, const double *s, int ns)
{
    const double h = 1e-4;
    double worst = 0, X[2][KIT_TABLE], q[2][KIT_TABLE], v[2][KIT_TABLE], X0[KIT_TABLE], q0[KIT_TABLE],
           v0[KIT_TABLE];
    double dX[KIT_TABLE] = {0}, dq[KIT_TABLE] = {0}, dv[KIT_TABLE] = {0}, moved[KIT_N], d[KIT_TABLE],
           want[2][KIT_TABLE];
    kit_start(c, s, X0, q0, v0);
    for (int j = 0; j < ns; j++) {
        int slot_n[KIT_TABLE], opt[KIT_TABLE];
        const sn_node_in in = kit_node_in(c, s, slot_n, opt);
        c->dstart(&in, j, dX, dq, dv);
        for (int i = 0; i < 2; i++) {
            memcpy(moved, s, (size_t)ns * sizeof *s);
            moved[j] += i ? h : -h;
            kit_start(c, moved, X[i], q[i], v[i]);
            for (int l = 0; l < c->nv; l++) d[l] = (i ? h : -h) * dq[l];
            kit_retract(c, q0, d, want[i]);
        }
        for (int l = 0; l < c->nq; l++) {
            worst = fmax(worst, fabs((X[1][l] - X[0][l]) / (2 * h) - dX[l]));
            worst = fmax(worst, fabs((q[1][l] - q[0][l]) - (want[1][l] - want[0][l])) / (2 * h));
        }
        for (int l = 0; l < c->nv; l++) worst = fmax(worst, fabs((v[1][l] - v[0][l]) / (2 * h) - dv[l]));
    }
    return worst;
}

/* A node moved as a body: `turned` must tell the rotation. */
static double node_turned(const sn_node_class *c, const double *q, uint64_t *seed)
{
    kit_motion t = {.dim = c->dim, .angle = kit_random(seed, -9, 9)};
    double worst = 0, d[3] = {0, 0, t.angle}, q1[KIT_TABLE], X[KIT_TABLE] = {0}, Q[9];
    if (!c->turned) return 0;
    for (int i = 0; i < 3 && t.dim == 3; i++) d[i] = kit_random(seed, -6, 6);
    sn_quat_exp(d, t.p);
    sn_quat_matrix(t.p, t.Q);
    memcpy(q1, q, (size_t)c->nq * sizeof *q);
    kit_turn_node(&t, c, 0, q1, X);
    c->turned(q, q1, Q);
    for (int i = 0; i < t.dim; i++)
        for (int j = 0; j < t.dim; j++) worst = fmax(worst, fabs(Q[t.dim * i + j] - t.Q[3 * i + j]));
    return worst;
}

static void every_node(void **state)
{
    int bad = 0;
    (void)state;
    for (const sn_node_class *const *p = kit_nodes(); *p; p++) {
        const sn_node_class *c = *p;
        uint64_t seed = kit_seed(c->name);
        double s[KIT_N], X[KIT_TABLE], q[KIT_TABLE], v[KIT_TABLE], start = 0, tangent = 0, turn = 0;
        int n[KIT_TABLE], ns = 0;
        for (int l = 0; c->slots[l].name; l++) ns += n[l] = c->slots[l].n;
        assert_true(c->nq >= c->nv && c->nv > 0 && (c->retract || c->nq == c->nv) &&
                    !c->retract == !c->tangent);
        assert_true((c->order == 1 || c->order == 2) && (c->dim == 0 || c->dim == 2 || c->dim == 3) &&
                    c->nv >= c->dim && !c->turned == !kit_turns(c));
        for (int l = 0; l < c->nv; l++) assert_true(c->coord[l] && c->unit[l]);
        for (int i = 0; i < KIT_SAMPLES; i++) {
            kit_draw_slots(&seed, c->slots, n, 0, s);
            kit_start(c, s, X, q, v);
            start = fmax(start, node_start(c, s, ns));
            tangent = fmax(tangent, node_tangents(c, q, &seed));
            turn = fmax(turn, node_turned(c, q, &seed));
        }
        printf("node     %-16s worst %.1e of the start, %.1e of the tangents\n", c->name, start, tangent);
        bad += !(start < KIT_TOL && tangent < KIT_TOL && turn < 1e-13);
    }
    assert_int_equal(bad, 0);
}

static sn_status signal_value(kit_case *k, const void *ctx, double *y)
{
    (void)ctx;
    ((const sn_signal_class *)k->kind->cls)->eval(&k->in, y);
    return SN_OK;
}

/* What lies outside of the slots that a signal names for a time has no influence there. */
static void check_support(kit_case *k)
{
    const sn_signal_class *c = k->kind->cls;
    int slot[SN_MAX_SUPPORT], n = c->support(&k->in, slot), at = 0;
    assert_in_range(n + 1, 0, SN_MAX_SUPPORT + 1);
    for (int i = 0; i < n; i++) assert_in_range(slot[i], i ? slot[i - 1] + 1 : 0, k->in.ns - 1);
    for (int j = 0; n >= 0 && j < k->in.ns; j++) {
        double dy[3];
        if (at < n && slot[at] == j) {
            at++;
            continue;
        }
        c->dparam(&k->in, j, dy);
        assert_true(dy[0] == 0 && dy[1] == 0 && dy[2] == 0);
    }
}

static void check_signal(kit_case *k)
{
    const sn_signal_class *c = k->kind->cls;
    double *y = kit_array(k, 3), *dy = kit_array(k, 3);
    kit_num num;
    signal_value(k, NULL, y);
    kit_diff(k, KIT_TIME, 0, signal_value, NULL, 3, &num);
    kit_check(k, "first time derivative", 0, &num, 0, 1, y + 1, 1);
    kit_check(k, "second time derivative", 0, &num, 1, 1, y + 2, 1);
    for (int j = 0; j < k->in.ns; j++) {
        if (!kit_diff(k, KIT_SLOT, j, signal_value, NULL, 3, &num)) continue;
        c->dparam(&k->in, j, dy);
        for (int i = 0; i < 3; i++) kit_check(k, "dparam", j, &num, i, 1, dy + i, 1);
    }
    if (c->support) check_support(k);
}

static void every_signal(void **state)
{
    int bad = 0;
    (void)state;
    for (const sn_signal_class *const *c = sn_signal_all(); *c; c++) {
        kit_kind kind = KIT_KIND("signal", *c, 1);
        assert_true((*c)->eval && (*c)->dparam);
        bad += kit_run(&kind, check_signal);
    }
    assert_int_equal(bad, 0);
}

static sn_status measure(kit_case *k, const void *ctx, double *y)
{
    (void)ctx;
    return ((const sn_sensor_class *)k->kind->cls)->eval(&k->in, y, NULL);
}

/* What the table says the components are: the value without an offset, and with one the derivatives by places
   (and all of those of an angle). y and its derivatives d by q, v, a. */
static void check_measured(kit_case *k, const double *y, double *const *d)
{
    const sn_sensor_class *c = k->kind->cls;
    int nv = k->in.nv, dim = k->in.dim, flat = k->node[0]->retract ? k->node[0]->turn : nv;
    const double *const value[] = {k->in.q, k->in.v, k->in.a};
    if (!c->measures) return;
    if (k->nn != 1 || c->rate < 0 || c->rate > 2) kit_fail(k, "measures", 0, 0, k->nn, 1);
    for (int i = 0; i < k->l.ny; i++) {
        int at = k->form == SN_ARG_COORD ? k->coord[0] : c->measures == SN_MEASURES_ROTATIONS ? dim + i : i;
        if (at >= flat) continue;
        double want = value[c->rate][at] - (c->measures == SN_MEASURES_DISPLACEMENTS ? k->in.X[at] : 0);
        if (k->in.ns == 0 || at >= dim) kit_same(k, "measured coordinate", i, y + i, &want, 1, 0, 1e-14);
        for (int j = 0; j < (dim && at < dim ? dim : nv); j++)
            if (d[c->rate][i * nv + j] != (j == at))
                kit_fail(k, "measured", i, j, d[c->rate][i * nv + j], j == at);
    }
}

static void check_sensor(kit_case *k)
{
    static const kit_var var[] = {KIT_Q, KIT_V, KIT_A};
    static const char *const name[] = {"y by q", "y by v", "y by a"};
    const sn_sensor_class *c = k->kind->cls;
    int ny = k->l.ny, nv = k->in.nv, j;
    double *y = kit_array(k, ny), *plain = kit_array(k, ny), *d[3];
    kit_num num;
    for (int l = 0; l < 3; l++) d[l] = kit_array(k, ny * nv);
    if (ny < 1 || ny > 12) kit_fail(k, "number of components", 0, 0, ny, 1);
    for (int i = 0; i < ny; i++)
        if (!k->l.component[i] || !k->l.unit[i]) kit_fail(k, "name of a component", i, 0, 0, 1);
    if (measure(k, NULL, plain) != SN_OK) return;
    c->eval(&k->in, y, &(sn_dout){.q = d[0], .v = d[1], .a = d[2]});
    kit_same(k, "y with derivatives", 0, y, plain, ny, 0, 1e-14);
    check_measured(k, y, d);
    for (int l = 0; l < 3; l++)
        for (j = 0; j < nv; j++) {
            kit_diff(k, var[l], j, measure, NULL, ny, &num);
            kit_check(k, name[l], j, &num, 0, ny, d[l] + j, nv);
        }
    for (int index = 0; index < k->in.ns + k->in.nq + 3; index++) {
        kit_var v = kit_parameter(k, index, &j);
        if (!kit_diff(k, v, j, measure, NULL, ny, &num)) continue;
        c->dparam(&k->in, index, y);
        kit_check(k, "dparam", index, &num, 0, ny, y, 1);
    }
}

/* Some element offers the output of that name. */
static int offered(const char *output)
{
    for (const sn_element_class *const *c = sn_element_all(); *c; c++)
        for (int i = 0; (*c)->outputs && (*c)->outputs[i].name; i++)
            if (strcmp((*c)->outputs[i].name, output) == 0) return 1;
    return 0;
}

static void every_sensor(void **state)
{
    int bad = 0;
    (void)state;
    for (const sn_sensor_class *const *p = sn_sensor_all(); *p; p++) {
        const sn_sensor_class *c = *p;
        kit_kind kind = KIT_KIND("sensor", c, 0);
        if (c->source == SN_FROM_ELEMENT && !(c->output && offered(c->output)))
            bad += complain("sensor", c->name, "no element offers", c->output);
        if (c->source == SN_FROM_ELEMENT && c->output_local && !offered(c->output_local))
            bad += complain("sensor", c->name, "no element offers", c->output_local);
        if (c->source != SN_FROM_NODES) continue;
        assert_true(c->layout && c->eval && c->dparam);
        bad += kit_run(&kind, check_sensor);
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_table), cmocka_unit_test(every_node),
                                       cmocka_unit_test(every_signal), cmocka_unit_test(every_sensor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
