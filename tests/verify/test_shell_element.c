/* One element of shell4_mitc in a random large motion against numbers of an independent program (rows of
   tests/verify/data/shell4_element.txt), written with the formulas of the same theory at its points of
   integration; its rank, the patch tests of MacNeal and Harder (1985), what does not depend on the numbering
   of nodes and on where they are in the thickness; what is refused. All numbers are of order one and agree to
   rounding: 1e-12. */
#include "verify/kit.h"

#include "math/rot3.h"
#include "sinew/class.h"

enum { NV = 24, SLOTS = 64, CONSTANTS = 1024 };
static const double tol = 1e-12;

static int row(const char *name, double *y)
{
    char path[1024], word[64];
    int n = 0;
    snprintf(path, sizeof path, "%s/tests/verify/data/shell4_element.txt", SN_SOURCE_DIR);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fscanf(f, "%63s", word) == 1) {
        if (word[0] == '#' || strcmp(word, name) != 0) {
            for (int c = 0; c != '\n' && c != EOF;) c = fgetc(f);
            continue;
        }
        assert_int_equal(fscanf(f, "%d", &n), 1);
        for (int i = 0; i < n; i++) assert_int_equal(fscanf(f, "%lf", &y[i]), 1);
    }
    fclose(f);
    assert_true(n > 0);
    return n;
}

static void near_row(const char *name, const double *y)
{
    double want[NV];
    const int n = row(name, want);
    for (int i = 0; i < n; i++) kit_near(name, y[i], want[i], tol);
}

typedef struct shell {
    const sn_element_class *cls;
    sn_in in;
    double s[SLOTS], X[28], q[28], v[NV], a[NV], g[3], c[CONSTANTS], r[NV], K[NV * NV], C[NV * NV],
        M[NV * NV];
    int opt[8], slot_n[SLOTS];
} shell;

static int slot(const shell *e, const char *name)
{
    int at = 0;
    for (const sn_slot *s = e->cls->slots; s->name; s++) {
        if (!strcmp(s->name, name)) return at;
        at += s->n;
    }
    fail_msg("no slot %s", name);
    return -1;
}

/* The default element of E 7, nu 0.3, rho 3, thickness 0.2, without a configuration */
static void open_shell(shell *e, int formulation)
{
    static const int off[] = {0, 7, 14, 21, 28}, offv[] = {0, 6, 12, 18, 24};
    static const unsigned view[] = {SN_FRAME, SN_FRAME, SN_FRAME, SN_FRAME};
    memset(e, 0, sizeof *e);
    e->cls = sn_element_find("shell4_mitc");
    int ns = 0;
    for (int i = 0; e->cls->slots[i].name; i++) {
        const sn_slot *s = &e->cls->slots[i];
        e->slot_n[i] = s->n;
        for (int k = 0; k < s->n; k++) e->s[ns++] = s->def;
    }
    for (int i = 0; e->cls->options[i].name; i++) e->opt[i] = e->cls->options[i].def;
    e->opt[0] = formulation;
    e->s[slot(e, "E")] = 7, e->s[slot(e, "nu")] = 0.3, e->s[slot(e, "thickness")] = 0.2;
    e->s[slot(e, "rho")] = 3;
    if (formulation) e->s[slot(e, "drill")] = 0;
    e->in = (sn_in){.s = e->s, .c = e->c, .X = e->X, .q = e->q, .v = e->v, .a = e->a, .g = e->g};
    e->in.opt = e->opt, e->in.slot_n = e->slot_n, e->in.off = off, e->in.offv = offv, e->in.view = view;
    e->in.nn = 4, e->in.nq = 28, e->in.nv = NV, e->in.ns = ns, e->in.dim = 3;
    sn_layout l = {.nn = 4};
    assert_int_equal(e->cls->layout(&l, NULL), SN_OK);
    assert_true(l.nc <= CONSTANTS);
    e->in.nc = l.nc;
}

static void eval(shell *e)
{
    memset(e->r, 0, sizeof e->r), memset(e->K, 0, sizeof e->K);
    memset(e->C, 0, sizeof e->C), memset(e->M, 0, sizeof e->M);
    assert_int_equal(e->cls->prepare(&e->in, e->c, NULL), SN_OK);
    assert_int_equal(e->cls->eval(&e->in, e->r, e->K, e->C, e->M), SN_OK);
}

/* Node i from place X, at x with the rotation vector w */
static void put(shell *e, int i, const double *X, const double *x, const double *w)
{
    memcpy(e->X + 7 * i, X, 3 * sizeof *X), e->X[7 * i + 3] = 1;
    memcpy(e->q + 7 * i, x, 3 * sizeof *x), sn_quat_exp(w, e->q + 7 * i + 3);
}

/* The random motion of the data, node k of it as node order[k] */
static void make_in_order(shell *e, int formulation, const int *order)
{
    double X[12], x[12], w[12];
    row("X", X), row("x", x), row("rotation", w);
    open_shell(e, formulation);
    for (int i = 0; i < 4; i++) put(e, order[i], X + 3 * i, x + 3 * i, w + 3 * i);
    eval(e);
}

static const int in_turn[4] = {0, 1, 2, 3};

static void make(shell *e, int formulation) { make_in_order(e, formulation, in_turn); }

static void check(shell *e, const char *name)
{
    char full[64];
    double y[2], trace = 0, norm = 0;
    e->cls->energy(&e->in, y, NULL);
    for (int i = 0; i < NV; i++) trace += e->K[(NV + 1) * i];
    for (int i = 0; i < NV * NV; i++) norm += e->K[i] * e->K[i];
    norm = sqrt(norm);
#define ROW(what, y) snprintf(full, sizeof full, "%s.%s", name, what), near_row(full, y)
    ROW("W", y + 1);
    ROW("r", e->r);
    ROW("K_row4", e->K + 3 * NV);
    ROW("K_trace", &trace);
    ROW("K_frobenius", &norm);
#undef ROW
}

static void test_element(void **state)
{
    (void)state;
    shell e;
    double dr[NV] = {0};
    make(&e, 0);
    check(&e, "shell");
    e.cls->dparam(&e.in, slot(&e, "thickness"), dr);
    near_row("shell.dr_dt", dr);
    memset(dr, 0, sizeof dr);
    e.cls->dparam(&e.in, e.in.ns + 7 * 2 + 2, dr);
    near_row("shell.dr_dX3z", dr);
}

static void test_plain(void **state)
{
    (void)state;
    shell e;
    make(&e, 1);
    check(&e, "mitc4");
}

/* rho t int h_i h_j */
static void test_mass(void **state)
{
    (void)state;
    shell e;
    double m[16];
    make(&e, 0);
    row("mass", m);
    for (int i = 0; i < 16; i++)
        for (int l = 0; l < 3; l++)
            kit_near("mass", e.M[NV * (6 * (i / 4) + l) + 6 * (i % 4) + l], 0.6 * m[i], tol);
}

static void test_numbering(void **state)
{
    (void)state;
    static const int order[3][4] = {{1, 2, 3, 0}, {0, 3, 2, 1}, {2, 1, 0, 3}};
    shell e, o;
    double y[2], z[2];
    make(&e, 0);
    e.cls->energy(&e.in, y, NULL);
    for (int k = 0; k < 3; k++) {
        make_in_order(&o, 0, order[k]);
        o.cls->energy(&o.in, z, NULL);
        kit_near("energy numbered otherwise", z[1], y[1], tol);
        for (int i = 0; i < NV; i++)
            kit_near("force numbered otherwise", o.r[6 * order[k][i / 6] + i % 6], e.r[i], tol);
    }
}

/* Nodes in the middle surface, or at -0.3 from it along the same directors, which move along rigidly */
static void test_offset(void **state)
{
    (void)state;
    shell e, o;
    double y[2], z[2], R[9], d[3], arm[3];
    make(&e, 0);
    double normal[12];
    row("normals", normal);
    e.cls->energy(&e.in, y, NULL);
    open_shell(&o, 0);
    o.s[slot(&o, "offset")] = 0.3;
    for (int i = 0; i < 4; i++) {
        memcpy(o.s + slot(&o, "normal1") + 3 * i, normal + 3 * i, sizeof d);
        memcpy(o.X + 7 * i, e.X + 7 * i, 7 * sizeof *d), memcpy(o.q + 7 * i, e.q + 7 * i, 7 * sizeof *d);
        sn_quat_matrix(e.q + 7 * i + 3, R);
        for (int l = 0; l < 3; l++) arm[l] = 0.3 * normal[3 * i + l];
        sn_mul3(R, arm, d);
        for (int l = 0; l < 3; l++) o.X[7 * i + l] -= arm[l], o.q[7 * i + l] -= d[l];
    }
    eval(&o);
    o.cls->energy(&o.in, z, NULL);
    kit_near("energy with an offset", z[1], y[1], tol);
    for (int i = 0; i < 4; i++) {
        double f[3], m[3];
        sn_quat_matrix(e.q + 7 * i + 3, R);
        for (int l = 0; l < 3; l++) arm[l] = 0.3 * normal[3 * i + l];
        sn_tmul3(R, e.r + 6 * i, f);
        sn_cross3(arm, f, m);
        for (int l = 0; l < 3; l++) {
            kit_near("force with an offset", o.r[6 * i + l], e.r[6 * i + l], tol);
            kit_near("moment with an offset", o.r[6 * i + 3 + l], e.r[6 * i + 3 + l] + m[l], tol);
        }
    }
}

/* Eigenvalues of a symmetric matrix by Jacobi's rotations */
static void eigenvalues(double *A, int n, double *w)
{
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                const double x = A[n * p + q];
                if (x == 0) continue;
                const double t = (A[n * q + q] - A[n * p + p]) / (2 * x),
                             s = (t < 0 ? -1 : 1) / (fabs(t) + sqrt(t * t + 1)), c = 1 / sqrt(s * s + 1),
                             d = s * c;
                for (int i = 0; i < n; i++) {
                    const double a = A[n * i + p], b = A[n * i + q];
                    A[n * i + p] = c * a - d * b, A[n * i + q] = d * a + c * b;
                }
                for (int i = 0; i < n; i++) {
                    const double a = A[n * p + i], b = A[n * q + i];
                    A[n * p + i] = c * a - d * b, A[n * q + i] = d * a + c * b;
                }
            }
    for (int i = 0; i < n; i++) w[i] = A[(n + 1) * i];
}

/* Undeformed, K knows nothing but the six rigid motions; without drill none of the spins either. The
   smallest other eigenvalue is that of a spin, eps D66/4 h.h = 2e-5 here: above 1e-6, rounding below 1e-14.
 */
static void test_rank(void **state)
{
    (void)state;
    for (int flat = 0; flat < 2; flat++)
        for (int drill = 0; drill < 2; drill++) {
            shell e;
            double w[NV];
            int none = 0;
            make(&e, 0);
            for (int i = 0; i < 4 && flat; i++) e.X[7 * i + 2] = 0;
            memcpy(e.q, e.X, sizeof e.q);
            e.s[slot(&e, "drill")] = drill;
            eval(&e);
            eigenvalues(e.K, NV, w);
            for (int i = 0; i < NV; i++) {
                none += fabs(w[i]) < 1e-13;
                assert_true(fabs(w[i]) < 1e-13 || w[i] > 1e-6);
            }
            assert_int_equal(none, drill ? 6 : 10);
        }
}

/* MacNeal and Harder's patch of five elements, of thickness t, in the linear motion of displacements u and
   rotations w: forces at the inner nodes against the largest part of their sums */
static void patch(double t, void (*motion)(double x, double y, double *u, double *w), const double *stress)
{
    static const double at[8][2] = {{0, 0},     {.24, 0},   {.24, .12}, {0, .12},
                                    {.04, .02}, {.18, .03}, {.16, .08}, {.08, .08}};
    static const int corner[5][4] = {{0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {4, 5, 6, 7}};
    double f[48] = {0}, top[48] = {0};
    for (int k = 0; k < 5; k++) {
        shell e;
        double d[NV];
        const double zero[3] = {0, 0, 0};
        open_shell(&e, 0);
        e.s[slot(&e, "E")] = 1e6, e.s[slot(&e, "nu")] = 0.25, e.s[slot(&e, "thickness")] = t;
        e.s[slot(&e, "axis")] = 1;
        for (int i = 0; i < 4; i++) {
            const double X[3] = {at[corner[k][i]][0], at[corner[k][i]][1], 0};
            put(&e, i, X, X, zero);
            motion(X[0], X[1], d + 6 * i, d + 6 * i + 3);
        }
        eval(&e);
        for (int i = 0; i < NV; i++)
            for (int j = 0; j < NV; j++) {
                double x = e.K[NV * i + j] * d[j];
                f[6 * corner[k][i / 6] + i % 6] += x;
                top[6 * corner[k][i / 6] + i % 6] = fmax(top[6 * corner[k][i / 6] + i % 6], fabs(x));
            }
        double y[8], by[8 * NV] = {0};
        assert_int_equal(e.cls->output(&e.in, 1, 0, y, &(sn_dout){.q = by}), SN_OK);
        for (int i = 0; i < 8; i++) {
            double sum = 0;
            for (int j = 0; j < NV; j++) sum += by[NV * i + j] * d[j];
            if (fabs(stress[i]) > 0)
                kit_near("resultant of a patch", sum / stress[i], 1, 1e-10);
            else
                kit_near("resultant of a patch", sum, 0, 1e-8);
        }
    }
    for (int i = 24; i < 48; i++) kit_near("force inside a patch", f[i], 0, 1e-12 * fmax(top[i], 1e-9));
}

static void membrane(double x, double y, double *u, double *w)
{
    u[0] = 1e-3 * (x + y / 2), u[1] = 1e-3 * (y + x / 2), u[2] = 0;
    w[0] = w[1] = w[2] = 0;
}

static void bent(double x, double y, double *u, double *w)
{
    u[0] = u[1] = 0, u[2] = 1e-3 * (x * x + x * y + y * y) / 2;
    w[0] = 1e-3 * (y + x / 2), w[1] = -1e-3 * (x + y / 2), w[2] = 0;
}

/* Stresses of the source: 1333, 1333, 400 in the plane; moments 1.111e-7, 1.111e-7, 3.333e-8 with t = 1e-3 */
static void test_patch(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double t = i ? 0.1 : 0.001, E = 1e6, nu = 0.25, k = E / (1 - nu * nu);
        double N[8] = {k * t * 1e-3 * (1 + nu), k * t * 1e-3 * (1 + nu), k * t * (1 - nu) / 2 * 1e-3};
        double d = -k * t * t * t / 12 * 1e-3, M[8] = {0, 0, 0, d * (1 + nu), d * (1 + nu), d * (1 - nu) / 2};
        patch(t, membrane, N);
        patch(t, bent, M);
    }
}

/* ---- what is refused ---- */

static void refused(const char *nodes, const char *numbers, const char *why)
{
    char text[1024], message[1200] = "";
    sn_model *m = NULL;
    sn_values *p = NULL;
    sn_err err;
    sn_err_clear(&err);
    snprintf(text, sizeof text,
             "sinew: 1\nnodes: %s\nelements:\n  roof: {shell4_mitc: [a, b, c, d], %s}\njoints: {wall: "
             "{fixed: a}}\n",
             nodes, numbers);
    if (sn_model_read_text("model", text, strlen(text), &m, &err) == SN_OK) sn_values_new(m, &p, &err);
    assert_true(err.count > 0);
    sn_report_format(&err.report[0], message, sizeof message);
    if (!strstr(message, why) || !strstr(message, "roof"))
        fail_msg("not told '%s' of 'roof': %s", why, message);
    sn_values_free(p);
    sn_model_free(m);
}

static void test_refused(void **state)
{
    (void)state;
    const char *good = "E: 1, nu: 0.3, rho: 1, thickness: 0.1";
    refused("{a: [0, 0, 0], b: [1, 0, 0], c: [1, 1, 0], d: [1, 1, 0]}", good, "same place");
    refused("{a: [0, 0, 0], b: [1, 1, 0], c: [1, 0, 0], d: [0, 1, 0]}", good, "no surface");
    refused("{a: [0, 0, 0], b: [1, 0, 0], c: [0.2, 0.2, 0], d: [0, 1, 0]}", good, "180 degrees");
    refused("{a: [0, 0, 0], b: [1, 0, 0], c: [0.5, 0.5, 0], d: [0, 1, 0]}", good, "180 degrees");
    refused("{a: [0, 0, 2], b: [1, 0, -2], c: [1, 1, 2], d: [0, 1, -2]}", good, "warped");
    refused("{a: [0, 0, 0], b: [1, 0, 0], c: [1, 1, 0], d: [0, 1, 0]}",
            "E: 1, nu: 0.3, rho: 1, thickness: 0.1, normal2: [0, 0, -1]", "normal at node 2");
    refused("{a: [0, 0, 0], b: [1, 0, 0], c: [1, 1, 0], d: [0, 1, 0]}",
            "E: 1, nu: 0.3, rho: 1, thickness: 0.1, axis: [0, 0, 2]", "'axis' is normal to the surface");
    refused("{a: [0, 0, 0], b: [1, 0, 0], c: [1, 1, 0], d: [0, 1, 0]}", "E: 1, nu: 0.3, rho: 1",
            "'thickness'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_element),   cmocka_unit_test(test_plain),   cmocka_unit_test(test_mass),
        cmocka_unit_test(test_numbering), cmocka_unit_test(test_offset),  cmocka_unit_test(test_rank),
        cmocka_unit_test(test_patch),     cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
