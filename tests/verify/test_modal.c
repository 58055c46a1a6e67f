/* Second-order coordinates that are not in space: a chain of n unit masses between walls, tied by springs k,
   as one node with n coordinates and one element that sees them as plain numbers. Closed forms: shapes sin(i
   j pi/(n + 1)), frequencies w_j = 2 sqrt(k/m) sin(j pi/(2 (n + 1))). n is larger than any block of the nodes
   in space. */
#include "verify/gradient.h"

#include "sinew/plugin.h"

#include <unistd.h>

enum { N = 20, MODE = 2, MASS = 0, K, C, FORCE };
static const double pi = 3.14159265358979323846;

/* ---- the element: m a + c v + k (2 z_i - z_(i-1) - z_(i+1)), less the force on the first ---- */

static const sn_slot slots[] = {
    {"m", "", "mass of each", 1, SN_POSITIVE, 1, 0, SN_INFINITE, NULL},
    {"k", "", "stiffness of each spring", 1, 0, 1, 0, SN_INFINITE, NULL},
    {"c", "", "damping of each mass", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"force", "", "on the first", 1, SN_VARIES, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL}};

static double spring(const sn_in *in, int i)
{
    return 2 * in->q[i] - (i ? in->q[i - 1] : 0) - (i + 1 < in->nv ? in->q[i + 1] : 0);
}

static sn_status chain_eval(const sn_in *in, double *r, double *k, double *c, double *m)
{
    const double *s = in->s;
    int n = in->nv;
    for (int i = 0; i < n; i++) {
        r[i] += s[MASS] * in->a[i] + s[C] * in->v[i] + s[K] * spring(in, i);
        if (!k) continue;
        m[i * n + i] += s[MASS], c[i * n + i] += s[C], k[i * n + i] += 2 * s[K];
        if (i) k[i * n + i - 1] -= s[K];
        if (i + 1 < n) k[i * n + i + 1] -= s[K];
    }
    r[0] -= s[FORCE];
    return SN_OK;
}

static sn_status chain_dparam(const sn_in *in, int index, double *dr)
{
    for (int i = 0; i < in->nv; i++)
        dr[i] += index == MASS ? in->a[i] : index == K ? spring(in, i) : index == C ? in->v[i] : 0;
    if (index == FORCE) dr[0] -= 1;
    return SN_OK;
}

static void chain_energy(const sn_in *in, double *e, sn_dout *de)
{
    int n = in->nv;
    e[0] = e[1] = 0;
    for (int i = 0; i < n; i++) {
        double g = in->s[K] * spring(in, i);
        e[0] += 0.5 * in->s[MASS] * in->v[i] * in->v[i];
        e[1] += 0.5 * g * in->q[i];
        if (de && de->v) de->v[i] += in->s[MASS] * in->v[i];
        if (de && de->q) de->q[n + i] += g;
    }
}

static void chain_denergy(const sn_in *in, int index, double *de)
{
    de[0] = de[1] = 0;
    for (int i = 0; i < in->nv; i++) {
        if (index == MASS) de[0] += 0.5 * in->v[i] * in->v[i];
        if (index == K) de[1] += 0.5 * spring(in, i) * in->q[i];
    }
}

static const sn_element_class chain = {.name = "chain",
                                       .doc = "masses in a row between walls",
                                       .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .ask = SN_SCALARS},
                                       .slots = slots,
                                       .flags = SN_USES_V | SN_USES_A | SN_SYMMETRIC,
                                       .eval = chain_eval,
                                       .dparam = chain_dparam,
                                       .energy = chain_energy,
                                       .denergy = chain_denergy};

static int add_chain(void **state)
{
    static const sn_element_class *const elements[] = {&chain, NULL};
    static sn_err err;
    (void)state;
    return sn_plugin_add(&(sn_plugin){SN_PLUGIN_HEAD, .name = "chain", .elements = elements}, &err) != SN_OK;
}

/* ---- models ---- */

static double shape(int i) { return sin((i + 1) * MODE * pi / (N + 1)); }

static double omega(int j, double k) { return 2 * sqrt(k) * sin(j * pi / (2 * (N + 1))); }

/* Started in the shape of one mode; more: other entries. */
static const char *text(const char *slots_of_chain, const char *more)
{
    static char out[4000];
    int at = snprintf(out, sizeof out, "sinew: 1\nparameters: {k: 900}\nnodes:\n  z: {modal: [");
    for (int i = 0; i < N; i++)
        at += snprintf(out + at, sizeof out - (size_t)at, "%s%.17g", i ? ", " : "", shape(i));
    snprintf(out + at, sizeof out - (size_t)at,
             "]}\nelements:\n  row: {chain: z, k: k%s}\n"
             "sensors:\n  p: {position: z.z3}\n  v: {velocity: z.z3}\n  a: {acceleration: z.z3}\n  e: "
             "{energy: row}\n%s"
             "run: {end: 0.5, step: 1e-3, scheme: newmark}\n",
             slots_of_chain, more);
    return out;
}

/* Newmark's period is longer by (w h)^2/12 relative: z = cos(w t) is off by w t (w h)^2/12 at most, v by w
   times and a by w^2 times as much and their own share of the frequency; twice that is allowed. */
static void test_run(void **state)
{
    static const char *const of[] = {"p.z3@0.5"}, *const wrt[] = {"k"},
                             *const ch[] = {"p.z3", "v.z3", "a.z3"};
    const double w = omega(MODE, 900), t = 0.5, h = 1e-3, off = 2 * w * t * w * w * h * h / 12;
    double y[3], phase = w * t, dw = w / (2 * 900);
    kit k;
    (void)state;
    kit_text(&k, text("", ""));
    assert_string_equal(sn_channel_get(k.m, kit_channel(&k, "v.z3")).unit, "1/s");
    kit_values(&k, t, 3, ch, y);
    kit_near("z3", y[0], shape(2) * cos(phase), off);
    kit_near("its velocity", y[1], -shape(2) * w * sin(phase), 2 * w * off);
    kit_near("its acceleration", y[2], -shape(2) * w * w * cos(phase), 3 * w * w * off);
    /* dz/dk = -shape t dw/dk sin(w t) */
    sn_gradient_options o = sn_gradient_options_default(k.m, k.p);
    o.of = of, o.n_of = 1, o.wrt = wrt, o.n_wrt = 1;
    for (int method = SN_GRADIENT_FORWARD; method <= SN_GRADIENT_ADJOINT; method++) {
        double x, dx;
        o.method = (sn_gradient_method)method;
        kit_good(
            &k, sn_gradient(k.m, k.p, &o, &(sn_gradient_result){.value = &x, .gradient = &dx}, NULL, &k.err));
        kit_near("dz3/dk", dx, -shape(2) * t * dw * sin(phase), 4 * t * dw * off);
    }
    kit_close(&k);
}

static sn_status keep(void *ctx, int i, const sn_mode *mode, const sn_frame *at, sn_err *err)
{
    (void)at, (void)err;
    ((double *)ctx)[i] = kit_omega(mode);
    return SN_OK;
}

static sn_status take(void *ctx, const sn_linear *l, sn_err *err)
{
    int *entries = ctx;
    (void)err;
    assert_int_equal(l->nv, N);
    assert_string_equal(l->coordinate[2], "z.z3");
    for (int i = 0; i < l->K.first[N]; i++) {
        int diagonal = l->K.x[i] == 1800, beside = l->K.x[i] == -900;
        assert_true(diagonal || beside || l->K.x[i] == 0);
        entries[0] += diagonal, entries[1] += beside;
    }
    return SN_OK;
}

/* To rounding of the eigenvalues: eps times the largest, w_N^2, in w^2 */
static void test_modes(void **state)
{
    static const char *const method[] = {"dense", "arpack"};
    int found, entries[2] = {0, 0};
    kit k;
    (void)state;
    kit_text(&k, text("", ""));
    for (int i = 0; i < 2; i++) {
        double w[N + 1];
        sn_mode_options o = sn_mode_options_default(k.m, k.p);
        o.n = i ? 5 : N, o.method = method[i], o.mode = keep, o.ctx = w;
        kit_good(&k, sn_modes(k.m, k.p, &o, &found, &k.err));
        assert_int_equal(found, o.n);
        for (int j = 0; j < found; j++) kit_near("frequency", w[j], omega(j + 1, 900), 1e-9);
    }
    sn_linear_options l = sn_linear_options_default(k.m, k.p);
    l.take = take, l.ctx = entries;
    kit_good(&k, sn_linearise(k.m, k.p, &l, &k.err));
    assert_int_equal(entries[0], N);
    assert_int_equal(entries[1], 2 * (N - 1));
    sn_check_report r;
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    assert_int_equal(r.freedom, N);
    assert_int_equal(r.n_massless + r.n_unsupported + r.n_redundant, 0);
    assert_true(r.mass == 0);
    sn_release(r.names);
    kit_close(&k);
}

/* A force on the first: z_i = f/k (n + 1 - i)/(n + 1). To rounding times the condition of K, (n + 1)^2. */
static void test_statics(void **state)
{
    static const char *const ch[] = {"p.z3", "h.z20"};
    double y[2];
    kit k;
    (void)state;
    kit_text(&k, text(", force: 5", "  h: {position: z.z20}\n"));
    kit_static(&k, 2, ch, y);
    kit_near("z3", y[0], 5 / 900.0 * (N + 1 - 3) / (N + 1), 1e-13);
    kit_near("z20", y[1], 5 / 900.0 / (N + 1), 1e-13);
    kit_close(&k);
}

/* All numbers, start values and velocities among them, in runs and equilibria, with joints on coordinates. */
static void test_gradient(void **state)
{
    static const char model[] =
        "sinew: 1\n"
        "signals: {s: {sine: 0.3, frequency: 2}}\n"
        "nodes:\n"
        "  z: {modal: [0.3, -0.2, 0.1, 0.4, 0.05], velocity: [1, 0.5, -2, 0.3, 0.1]}\n"
        "  y: {modal: 0.1}\n"
        "  x: {state: 0.2}\n"
        "elements:\n"
        "  row: {chain: z, k: 90, c: 0.4, m: 1.5, force: 2 + 3*s}\n"
        "  one: {chain: y, k: 40}\n"
        "  lag: {lag: [x.z, z.z4], tau: 0.1}\n"
        "joints:\n"
        "  move: {drive: z.z2, value: s}\n"
        "  tie: {coupling: [z.z5, y.z1], factors: [1, -1.3]}\n"
        "sensors:\n"
        "  all: {position: z}\n  v: {velocity: z}\n  a: {acceleration: z.z4}\n"
        "  y: {position: y}\n  x: {position: x}\n  force: {reaction: move}\n  e: {energy: row}\n"
        "run: {end: 0.4, step: 5e-3}\n";
    (void)state;
    for (int statics = 0; statics < 2; statics++) {
        grad *g = grad_text(model);
        g->o.statics = statics;
        grad_all_numbers(g, NULL);
        grad_all_sensors(g);
        grad_agree(g, statics ? "equilibrium" : "run");
        grad_close(g);
    }
}

/* A result file, exported: a column for each coordinate, by name. */
static void test_file(void **state)
{
    char head[4000], h5[64], csv[64];
    kit k;
    (void)state;
    snprintf(h5, sizeof h5, "modal-%d.h5", (int)getpid()),
        snprintf(csv, sizeof csv, "modal-%d.csv", (int)getpid());
    kit_text(&k, text("", ""));
    k.o.end = 0.01;
    kit_good(&k, sn_run_file(k.m, k.p, &k.o, h5, &k.info, &k.err));
    kit_good(&k, sn_result_csv(h5, csv, 1, 0, &k.err));
    FILE *f = fopen(csv, "r");
    assert_non_null(f);
    assert_non_null(fgets(head, sizeof head, f));
    fclose(f);
    unlink(h5), unlink(csv);
    assert_non_null(strstr(head, "p.z3"));
    assert_non_null(strstr(head, "z.z20"));
    kit_close(&k);
}

static void refused(const char *yaml, const char *why)
{
    sn_model *m = NULL;
    sn_err err;
    sn_err_clear(&err);
    assert_int_equal(sn_model_read_text("model", yaml, strlen(yaml), &m, &err), SN_ERR_INPUT);
    if (!strstr(err.report[0].text, why)) fail_msg("'%s', not '%s'", err.report[0].text, why);
    sn_model_free(m);
}

static void test_errors(void **state)
{
    (void)state;
    refused("sinew: 1\nnodes: {z: {modal: [0, 0], velocity: [1, 2, 3]}}\n",
            "modal 'z': 'velocity' has 3 numbers, but there are 2 coordinates");
    refused("sinew: 1\nnodes: {z: {modal: [0, 0]}}\nsensors: {s: {position: z.z3}}\n",
            "'z3' is no coordinate of the modal node 'z'");
    refused("sinew: 1\nnodes: {z: {modal: []}}\n", "modal 'z'");
    refused("sinew: 1\nnodes: {z: {modal: [0, 0]}}\nelements: {m: {mass2d: z, mass: 1}}\n",
            "mass2d 'm' needs planar nodes; 'z' is a modal");
    refused("sinew: 1\nnodes: {z: {state: 0}}\nsensors: {s: {acceleration: z}}\n",
            "a first-order coordinate has no acceleration");
    refused("sinew: 1\nnodes: {a: [0, 0]}\nelements: {c: {chain: a}}\n",
            "chain 'c' needs nodes with numbers of no place; 'a' is a point2d");
    char many[1000] = "sinew: 1\nnodes:\n  z: {modal: [0";
    for (int i = 1; i < 65; i++) strcat(many, ", 0");
    strcat(many, "]}\nsensors: {all: {position: z}}\n");
    refused(many, "position 'all': has 65 components or equations, the most are 64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_run),     cmocka_unit_test(test_modes),
                                       cmocka_unit_test(test_statics), cmocka_unit_test(test_gradient),
                                       cmocka_unit_test(test_file),    cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, add_chain, NULL);
}
