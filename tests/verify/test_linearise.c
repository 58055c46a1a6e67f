/* The exported matrices: natural frequencies from them are those of `sinew modes`, entries of small systems
   are known, and files hold what the callback gets. */
#include "verify/kit.h"

#include <lapacke.h>

#undef I

enum { MOST = 64 };

/* Dense copies of the matrices, by columns. */
typedef struct matrices {
    int nv, m;
    double M[MOST * MOST], C[MOST * MOST], K[MOST * MOST], B[MOST * MOST], D[MOST * MOST], L[MOST * MOST];
    char names[2][MOST][64];
} matrices;

static void spread(const sn_sparse *a, double *out)
{
    assert_true(a->rows <= MOST && a->cols <= MOST);
    memset(out, 0, sizeof(double) * MOST * MOST);
    for (int j = 0; j < a->cols; j++)
        for (int k = a->first[j]; k < a->first[j + 1]; k++) out[j * a->rows + a->row[k]] = a->x[k];
}

static sn_status take(void *ctx, const sn_linear *l, sn_err *err)
{
    matrices *x = ctx;
    (void)err;
    x->nv = l->nv, x->m = l->m;
    spread(&l->M, x->M), spread(&l->C, x->C), spread(&l->K, x->K);
    spread(&l->B, x->B), spread(&l->D, x->D), spread(&l->L, x->L);
    for (int i = 0; i < l->nv; i++) snprintf(x->names[0][i], 64, "%s", l->coordinate[i]);
    for (int i = 0; i < l->m; i++) snprintf(x->names[1][i], 64, "%s", l->equation[i]);
    return SN_OK;
}

static matrices linearise(kit *k, int at_static, double at_time)
{
    static matrices x;
    sn_linear_options o = sn_linear_options_default(k->m, k->p);
    o.at_static = at_static, o.at_time = at_time;
    o.run = k->o;
    o.take = take, o.ctx = &x;
    kit_good(k, sn_linearise(k->m, k->p, &o, &k->err));
    return x;
}

/* w^2 of K x + B' mu = w^2 M x, B x = 0 as a general problem of nv + m unknowns: finite ones, sorted. */
static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int frequencies(const matrices *x, double *w)
{
    static double S[MOST * MOST], P[MOST * MOST], re[MOST], im[MOST], beta[MOST], none[1];
    int n = x->nv + x->m, found = 0;
    assert_true(n <= MOST);
    memset(S, 0, sizeof S), memset(P, 0, sizeof P);
    for (int j = 0; j < x->nv; j++) {
        for (int i = 0; i < x->nv; i++)
            S[j * n + i] = x->K[j * x->nv + i], P[j * n + i] = x->M[j * x->nv + i];
        for (int i = 0; i < x->m; i++) S[j * n + x->nv + i] = x->B[j * x->m + i];
    }
    for (int j = 0; j < x->m; j++)
        for (int i = 0; i < x->nv; i++) S[(x->nv + j) * n + i] = x->L[j * x->nv + i];
    assert_int_equal(LAPACKE_dggev(LAPACK_COL_MAJOR, 'N', 'N', n, S, n, P, n, re, im, beta, none, 1, none, 1),
                     0);
    for (int i = 0; i < n; i++) {
        /* infinite ones belong to the constraints: rounding leaves them far above the others, 1e8 at most */
        if (beta[i] == 0) continue;
        double w2 = re[i] / beta[i];
        if (fabs(w2) < 1e13) w[found++] = w2 >= 0 ? sqrt(w2) : -sqrt(-w2);
    }
    qsort(w, (size_t)found, sizeof *w, by_size);
    return found;
}

typedef struct modes {
    int n;
    double w[MOST];
} modes;

static sn_status collect(void *ctx, int i, const sn_mode *mode, const sn_frame *state, sn_err *err)
{
    modes *x = ctx;
    (void)i, (void)state, (void)err;
    if (x->n < MOST) x->w[x->n++] = kit_omega(mode);
    return SN_OK;
}

static void same_frequencies(const char *text, int at_static, double at_time, int count)
{
    kit k;
    kit_text(&k, text);
    modes x = {0};
    sn_mode_options o = sn_mode_options_default(k.m, k.p);
    o.n = 0, o.at_static = at_static, o.at_time = at_time, o.mode = collect, o.ctx = &x, o.run = k.o;
    int found;
    kit_good(&k, sn_modes(k.m, k.p, &o, &found, &k.err));
    assert_true(found >= count);
    double w[MOST];
    matrices a = linearise(&k, at_static, at_time);
    assert_int_equal(frequencies(&a, w), found);
    for (int i = 0; i < count; i++) {
        print_message("  %.10g %.10g\n", w[i], x.w[i]);
        kit_near("frequency", w[i], x.w[i], 1e-6 * fabs(x.w[i]));
    }
    kit_close(&k);
}

/* A cantilever under its weight, at its equilibrium, and after a run that started there; a slider-crank held
   by a spring. Both ways solve the same eigenvalue problem, once reduced, once with the multipliers: squares
   agree to rounding times the spread of the spectrum, 1e-16 * 1e10. */
static void test_frequencies(void **state)
{
    static const char beam[] =
        "sinew: 1\n"
        "gravity: [0, -9.81]\n"
        "nodes: {root: [0, 0], tip: [1, 0]}\n"
        "elements: {beam: {beam2d_cr: [root, tip], EA: 1e4, EI: 2, rhoA: 0.5, elements: 4}}\n"
        "joints: {wall: {fixed: root}}\n"
        "run: {end: 1, step: 1 ms, start: static}\n";
    static const char loop[] = "sinew: 1\n"
                               "gravity: [0, -9.81]\n"
                               "nodes: {a: [0, 0.25], b: {frame2d: [0.4, 0.25]}, s: [0.8, 0]}\n"
                               "elements:\n"
                               "  ma: {mass2d: a, mass: 1, inertia: 0.02}\n"
                               "  mb: {mass2d: b, mass: 2, inertia: 0.1}\n"
                               "  ms: {mass2d: s, mass: 1, inertia: 0.1}\n"
                               "  k: {spring2d: [ground, s], k: 500, l0: 0.7}\n"
                               "joints:\n"
                               "  g: {revolute2d: [ground, a], at: [0, 0]}\n"
                               "  p: {revolute2d: [a, b], at: [0, 0.5]}\n"
                               "  w: {revolute2d: [b, s], at: [0.8, 0]}\n"
                               "  slide: {prismatic2d: [ground, s], axis: [1, 0]}\n";
    (void)state;
    same_frequencies(beam, 1, -1, 6);
    same_frequencies(beam, 0, 0.3, 6);
    same_frequencies(loop, 0, -1, 1);
}

/* One mass on a spring with a damper, held in y: every number is known; names as in messages. */
static void test_entries(void **state)
{
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes: {b: [2, 0]}\n"
                 "elements: {m: {mass2d: b, mass: 3}, s: {spring2d: [ground, b], k: 50, c: 4, l0: 1.5}}\n"
                 "joints: {rail: {fixed: b, only: y}}\n");
    matrices a = linearise(&k, 0, -1);
    assert_int_equal(a.nv, 2);
    assert_int_equal(a.m, 1);
    const double M[4] = {3, 0, 0, 3}, C[4] = {4, 0, 0, 0}, B[2] = {0, 1};
    /* across the spring: its tension over its length, 50 * 0.5/2 */
    const double K[4] = {50, 0, 0, 12.5};
    for (int i = 0; i < 4; i++) {
        kit_near("M", a.M[i], M[i], 1e-14);
        kit_near("C", a.C[i], C[i], 1e-14);
        kit_near("K", a.K[i], K[i], 1e-12);
    }
    for (int i = 0; i < 2; i++) kit_near("B", a.B[i], B[i], 1e-14), kit_near("L", a.L[i], B[i], 1e-14);
    assert_string_equal(a.names[0][1], "b.y");
    assert_string_equal(a.names[1][0], "rail.y");
    kit_close(&k);
}

/* A wheel that rolls: its equation at velocity level is v + R omega = 0, with nothing in D; the other holds
   its height. */
static void test_velocity_level(void **state)
{
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes: {c: {frame2d: [0, 0.3]}}\n"
                 "elements: {m: {mass2d: c, mass: 1, inertia: 0.1}}\n"
                 "joints: {roll: {rolling2d: c, radius: 0.3}}\n");
    matrices a = linearise(&k, 0, -1);
    assert_int_equal(a.m, 2);
    int along = fabs(a.B[0]) > 0 ? 0 : 1; /* the row with x in it */
    kit_near("omega over v", a.B[2 * 2 + along] / a.B[along], 0.3, 1e-14);
    for (int i = 0; i < 6; i++) kit_near("D", a.D[i], 0, 1e-14);
    kit_close(&k);
}

/* MatrixMarket files give back every bit. */
static void test_mtx(void **state)
{
    char folder[] = "/tmp/sinew-linearise-XXXXXX", path[256], line[256], name[64];
    kit k;
    (void)state;
    assert_non_null(mkdtemp(folder));
    kit_text(&k, "sinew: 1\n"
                 "nodes: {a: [0, 0], b: [0.3, 0.1]}\n"
                 "elements: {beam: {beam2d_cr: [a, b], EA: 1e4, EI: 2, rhoA: 0.7}}\n"
                 "joints: {wall: {fixed: a}}\n");
    sn_linear_options o = sn_linear_options_default(k.m, k.p);
    kit_good(&k, sn_linearise_file(k.m, k.p, &o, NULL, folder, &k.err));
    matrices a = linearise(&k, 0, -1);
    static const char *const file[] = {"M", "C", "K", "B", "D", "L"};
    const double *const want[] = {a.M, a.C, a.K, a.B, a.D, a.L};
    for (int f = 0; f < 6; f++) {
        int rows, cols, n, i, j, count = 0;
        double x;
        snprintf(path, sizeof path, "%s/%s.mtx", folder, file[f]);
        FILE *in = fopen(path, "r");
        assert_non_null(in);
        assert_non_null(fgets(line, sizeof line, in));
        assert_string_equal(line, "%%MatrixMarket matrix coordinate real general\n");
        do assert_non_null(fgets(line, sizeof line, in));
        while (line[0] == '%');
        assert_int_equal(sscanf(line, "%d %d %d", &rows, &cols, &n), 3);
        for (; fscanf(in, "%d %d %lf", &i, &j, &x) == 3; count++)
            assert_true(want[f][(j - 1) * rows + i - 1] == x);
        assert_int_equal(count, n);
        for (i = 0; i < rows * cols; i++) count -= want[f][i] != 0;
        assert_int_equal(count, 0);
        fclose(in);
        remove(path);
    }
    snprintf(path, sizeof path, "%s/coordinates.txt", folder);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    for (int i = 0; i < a.nv; i++) {
        assert_int_equal(fscanf(in, "%63s", name), 1);
        assert_string_equal(name, a.names[0][i]);
    }
    fclose(in);
    remove(path);
    snprintf(path, sizeof path, "%s/equations.txt", folder);
    assert_int_equal(remove(path), 0);
    assert_int_equal(remove(folder), 0);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frequencies), cmocka_unit_test(test_entries),
                                       cmocka_unit_test(test_velocity_level), cmocka_unit_test(test_mtx)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
