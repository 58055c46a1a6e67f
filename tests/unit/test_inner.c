/* Nodes that an entry brings along, and points of it that other nodes are tied to. */
#include "compile_kit.h"

#include <math.h>

#include "sinew/plugin.h"

/* ---- relax: a force through a spring and a damper in series, z the stretch of the damper ---- */

static int branches(const sn_layout *l) { return l->slot_n[0]; }

static sn_status relax_eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    int n = in->ns / 2, z = in->offv[2], b = in->offv[1];
    (void)M;
    for (int i = 0; i < n; i++) {
        double k = in->s[i], c = in->s[n + i],
               f = k * (in->q[in->off[1]] - in->q[in->off[0]] - in->q[in->off[2] + i]);
        int row[3] = {0, b, z + i};
        double side[3] = {-1, 1, -1};
        for (int j = 0; j < 3; j++) {
            r[row[j]] += side[j] * f;
            for (int l = 0; K && l < 3; l++) K[row[j] * in->nv + row[l]] += k * side[j] * side[l];
        }
        r[z + i] += c * in->v[z + i];
        if (K) C[(z + i) * in->nv + z + i] += c;
    }
    return SN_OK;
}

static sn_status relax_dparam(const sn_in *in, int index, double *dr)
{
    int n = in->ns / 2, i = index % n, z = in->offv[2] + i;
    if (index >= 2 * n) return SN_OK;
    if (index >= n) {
        dr[z] += in->v[z];
        return SN_OK;
    }
    double e = in->q[in->off[1]] - in->q[in->off[0]] - in->q[in->off[2] + i];
    dr[0] -= e, dr[in->offv[1]] += e, dr[z] -= e;
    return SN_OK;
}

static const sn_slot relax_slots[] = {{"k", "N/m", "stiffnesses", 0, 0, SN_REQUIRED, 0, SN_INFINITE, NULL},
                                      {"c", "N*s/m", "dampings", 0, 0, SN_REQUIRED, 0, SN_INFINITE, NULL},
                                      {.name = NULL}};
static const sn_inner relax_inner[] = {{"z", "lags", NULL, branches}, {.suffix = NULL}};
static const sn_element_class relax = {
    .name = "relax",
    .doc = "springs and dampers in series along x",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_POSITION},
    .slots = relax_slots,
    .inner = relax_inner,
    .flags = SN_USES_V,
    .eval = relax_eval,
    .dparam = relax_dparam};

/* lags: first-order coordinates, as many as are given */
static sn_status lags_layout(sn_node_layout *l, sn_err *err)
{
    (void)err;
    l->n = l->slot_n[0];
    return SN_OK;
}
static void lags_start(const sn_node_in *in, double *X, double *q, double *v)
{
    for (int i = 0; i < in->nv; i++) X[i] = v[i] = 0, q[i] = in->s[i];
}
static void lags_dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    for (int i = 0; i < in->nv; i++) dX[i] = dv[i] = 0, dq[i] = i == index;
}
static const sn_slot lags_slots[] = {{"at", "", "start", 0, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
                                     {.name = NULL}};
static const char *const lags_coord[] = {"z"}, *const lags_unit[] = {"1"};
static const sn_offer lags_offers[] = {{SN_SCALARS, 0, 0}, {0}};
static const sn_node_class lags = {.name = "lags",
                                   .doc = "first-order coordinates",
                                   .slots = lags_slots,
                                   .layout = lags_layout,
                                   .order = 1,
                                   .offers = lags_offers,
                                   .coord = lags_coord,
                                   .unit = lags_unit,
                                   .start = lags_start,
                                   .dstart = lags_dstart};

/* ---- pod: a mass with points on its right, 1 and 2 m away, which do not turn ---- */

static sn_status pod_eval(const sn_in *in, double *r, double *K, double *C, double *M)
{
    (void)C;
    for (int i = 0; i < 3; i++) {
        r[i] += in->s[0] * (in->a[i] - in->g[i]);
        if (K) M[4 * i] += in->s[0];
    }
    return SN_OK;
}

static sn_status pod_dparam(const sn_in *in, int index, double *dr)
{
    for (int i = 0; i < 3; i++) {
        if (index == 0) dr[i] += in->a[i] - in->g[i];
        if (index == in->ns + in->nq + i) dr[i] -= in->s[0];
    }
    return SN_OK;
}

static int pod_points(const void *block)
{
    (void)block;
    return 2;
}
static const char *pod_point(const void *block, int i)
{
    (void)block;
    return i ? "far" : "near";
}

static const sn_slot pod_slots[] = {
    {"mass", "kg", "mass", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"at", "m", "place", 3, SN_PLACED, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"velocity", "m/s", "at the start", 3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"reach", "m", "between points", 1, 0, 1, 0, SN_INFINITE, NULL},
    {.name = NULL}};
static const sn_inner pod_inner[] = {{"core", "point3d", "at", NULL}, {.suffix = NULL}};
static const sn_tied_points pod_tie = {"pod_tie", "points", pod_points, pod_point};
static const sn_element_class pod = {
    .name = "pod",
    .doc = "a mass with points",
    .args = {.what = SN_ARG_NODE, .min = 0, .max = 3, .dim = 3, .ask = SN_POSITION},
    .slots = pod_slots,
    .inner = pod_inner,
    .tie = &pod_tie,
    .flags = SN_USES_A,
    .eval = pod_eval,
    .dparam = pod_dparam};

static sn_status tie_layout(sn_layout *l, sn_err *err)
{
    static const char *const name[] = {"x", "y", "z"};
    (void)err;
    l->m = 3;
    for (int i = 0; i < 3; i++) l->component[i] = name[i], l->unit[i] = "m";
    return SN_OK;
}
static sn_status tie_eval(const sn_in *in, sn_joint_out *out)
{
    for (int i = 0; i < 3; i++) {
        out->r[i] -= in->lam[i], out->r[3 + i] += in->lam[i];
        out->phi[i] = in->q[3 + i] - in->q[i] - (i ? 0 : (1 + in->opt[0]) * in->s[0]);
        if (out->B) out->B[6 * i + i] = -1, out->B[6 * i + 3 + i] = 1;
    }
    return SN_OK;
}
static sn_status tie_rate(const sn_in *in, double *phi_t, double *gamma)
{
    (void)in;
    for (int i = 0; i < 3; i++) phi_t[i] = gamma[i] = 0;
    return SN_OK;
}
static sn_status tie_dparam(const sn_in *in, int index, double *dr, double *dphi)
{
    (void)dr;
    if (index == 0) dphi[0] -= 1 + in->opt[0];
    return SN_OK;
}
static const sn_slot tie_slots[] = {{"reach", "m", "between points", 1, 0, 1, 0, SN_INFINITE, NULL},
                                    {.name = NULL}};
static const sn_option tie_options[] = {{"point", "#", "of the pod", 0}, {.name = NULL}};
static const sn_joint_class tie = {
    .name = "pod_tie",
    .doc = "a point of a pod",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 3, .ask = SN_POSITION},
    .slots = tie_slots,
    .options = tie_options,
    .layout = tie_layout,
    .eval = tie_eval,
    .rate = tie_rate,
    .dparam = tie_dparam};

static int begin(void **state)
{
    static const sn_element_class *const elements[] = {&relax, &pod, NULL};
    static const sn_joint_class *const joints[] = {&tie, NULL};
    static const sn_node_class *const nodes[] = {&lags, NULL};
    (void)state;
    sn_plugin p = {SN_PLUGIN_HEAD, .name = "inner", .elements = elements, .joints = joints, .nodes = nodes};
    sn_err err;
    sn_err_clear(&err);
    sn_status s = sn_plugin_add(&p, &err);
    print_reports(&err);
    return s != SN_OK;
}

/* Values of sensors at the end of the run of a text, and derivatives by `wrt`, forward and adjoint. */
static void run(const char *text, int n, const char *const *of, const char *wrt, double *y, double *g)
{
    sn_model *m;
    sn_values *p;
    sn_err err;
    double back[8];
    sn_err_clear(&err);
    sn_status s = sn_model_read_text("inner.yaml", text, strlen(text), &m, &err);
    if (!s) s = sn_values_new(m, &p, &err);
    print_reports(&err);
    assert_int_equal(s, SN_OK);
    sn_gradient_options o = sn_gradient_options_default(m, p);
    o.of = of, o.n_of = n, o.wrt = &wrt, o.n_wrt = 1;
    o.method = SN_GRADIENT_FORWARD;
    s = sn_gradient(m, p, &o, &(sn_gradient_result){.value = y, .gradient = g}, NULL, &err);
    o.method = SN_GRADIENT_ADJOINT;
    if (!s) s = sn_gradient(m, p, &o, &(sn_gradient_result){.value = y, .gradient = back}, NULL, &err);
    print_reports(&err);
    assert_int_equal(s, SN_OK);
    for (int i = 0; i < n; i++) assert_true(fabs(g[i] - back[i]) <= 1e-9 * (1 + fabs(g[i])));
    sn_values_free(p);
    sn_model_free(m);
}

/* A stretch of 0.1 m that is held relaxes as sum k exp(-t k/c); steps of 1 ms are good for 1e-6. */
static void test_relaxation(void **state)
{
    static const char *const of[] = {"hold.fx@1"};
    double y[1], g[1];
    (void)state;
    run("sinew: 1\nparameters: {k1: 3 N/m}\nnodes: {a: [0, 0, 0], b: [0.1, 0, 0]}\n"
        "elements: {link: {relax: [a, b], k: [k1, 2 N/m], c: [1 N*s/m, 4 N*s/m]}, b: {mass3d: b, mass: 1}}\n"
        "joints: {a: {fixed: a}, b: {fixed: b}}\nsensors: {hold: {reaction: b}}\n"
        "run: {end: 1 s, step: 1 ms}\n",
        1, of, "k1", y, g);
    double e1 = exp(-3), e2 = exp(-0.5);
    assert_true(fabs(fabs(y[0]) - 0.1 * (3 * e1 + 2 * e2)) < 2e-6);
    assert_true(fabs(fabs(g[0]) - 0.1 * fabs(e1 - 3 * e1)) < 5e-6);
}

/* The pod swings with the springs at its points, w^2 = (k + 2 k)/m, started by its velocity. */
static void test_ties(void **state)
{
    static const char *const of[] = {"near.x@1", "far.x@1", "core.x@1"};
    double y[3], g[3], w = sqrt(12 / 2.0);
    (void)state;
    run("sinew: 1\nparameters: {L: 0.5 m}\nnodes: {a: [2, 0, 0], b: [1.5, 0, 0], p: [0, 0, 0], r: [9, 0, "
        "0]}\n"
        "elements:\n"
        "  body: {pod: [a, b], mass: 2, at: [1, 0, 0], velocity: [0.3, 0, 0], points: [far, near], reach: "
        "L}\n"
        "  left: {spring3d: [p, b], k: 4}\n  right: {spring3d: [a, r], k: 8}\n"
        "joints: {p: {fixed: p}, r: {fixed: r}, y: {fixed: body.core, only: [y, z]}}\n"
        "sensors: {near: {position: b}, far: {position: a}, core: {position: body.core}}\n"
        "run: {end: 1 s, step: 0.5 ms}\n",
        3, of, "L", y, g);
    double d = 0.3 / w * sin(w);
    assert_true(fabs(y[1] - y[0] - 0.5) < 1e-9 && fabs(y[0] - y[2] - 0.5) < 1e-9);
    assert_true(fabs(y[2] - 1 - d) < 1e-5);
    assert_true(fabs(g[1] - g[0] - 1) < 1e-9 && fabs(g[0] - g[2] - 1) < 1e-9);
}

static void refuse(const char *elements, const char *text)
{
    char model[512];
    sn_model *m = NULL;
    sn_err err;
    snprintf(model, sizeof model,
             "sinew: 1\nnodes: {a: [1, 0, 0], b: [1, 1, 0], c: [2, 2, 2]}\nelements: {%s}\n", elements);
    sn_err_clear(&err);
    assert_int_not_equal(sn_model_read_text("inner.yaml", model, strlen(model), &m, &err), SN_OK);
    print_reports(&err);
    assert_null(m);
    assert_int_equal(err.report[0].line, 3);
    assert_non_null(strstr(err.report[0].text, text));
}

static void test_refusals(void **state)
{
    (void)state;
    refuse("body: {pod: [a, b, c], mass: 1}", "it has 2 points, and 'c' would be tied to number 3");
    refuse("body: {pod: [a], mass: 1, points: [faar]}", "it has no point 'faar' (did you mean 'far'?)");
    refuse("body: {pod: [a, b], mass: 1, points: [far]}", "'points' has one name for each of its 2 nodes");
    refuse("body: {pod: [a, none], mass: 1}", "none");
    refuse("body: {pod: [a, a], mass: 1}", "connects 'a' with itself");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_relaxation), cmocka_unit_test(test_ties),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, begin, NULL);
}
