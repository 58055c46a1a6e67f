/* Direct identification of the two-bar example: what must hold by theory, and what the paper's tables say of
 * it. */
#include "verify/two_bar.h"

static const double pi = 3.14159265358979323846;

/* One instant; speeds and accelerations from central differences over `span` steps where asked for. */
static void one(kit *k, const char *what, double t, int v_span, int a_span, sn_direct_result *r)
{
    sn_direct_options o = sn_direct_options_default();
    int id[NP], i = step_at(t);
    double v[NQ], a[NQ], other[NQ], h = T[1] - T[0];
    char text[80];
    const double *q = Q + NQ * i;
    memcpy(v, V + NQ * i, sizeof v), memcpy(a, A + NQ * i, sizeof a);
    if (v_span) sn_central_differences(k->m, v_span * h, q - NQ * v_span, q, q + NQ * v_span, v, other);
    if (a_span) sn_central_differences(k->m, a_span * h, q - NQ * a_span, q, q + NQ * a_span, other, a);
    ids(k, id), o.id = id, o.np = NP;
    kit_good(k, sn_direct(k->m, k->p, &(sn_instants){1, T + i, q, v, a}, &o, r, &k->err));
    snprintf(text, sizeof text, "%s, t = %g", what, t);
    print(text, r);
}

/* Rounding of the beams' forces, a few eps EA = 1e-10 N, over the smallest singular value of the equations,
   0.08 N a relative change, leaves 1e-9; ten times that is allowed. Linear: one step from anywhere, also from
   what no mechanism has. */
static void test_exact(void **state)
{
    static const char *const scheme[] = {"newmark", "hht"};
    static const double start[] = {30, 0.01}, t[] = {0.69, 2.83};
    (void)state;
    for (int s = 0; s < 2; s++) {
        kit k;
        simulate(&k, scheme[s], 1e-3, 3, 0);
        for (int i = 0; i < 4; i++) {
            sn_direct_result r;
            start_at(&k, start[i % 2]);
            one(&k, "simulated", t[i / 2], 0, 0, &r);
            assert_int_equal(r.iterations, 1);
            assert_true(r.converged && !r.outside);
            kit_near("error", error(&r), 0, 1e-8);
            for (int j = 0; j < 3; j++)
                kit_near("multiplier", r.lam[j], lam[3 * step_at(t[i / 2]) + j], 1e-8);
            /* 15 rows less 3 of node 5, which no unknown touches; 4 parameters and 3 multipliers */
            assert_int_equal(r.equations, 12), assert_int_equal(r.unknowns, 7), assert_int_equal(r.rank, 7);
            sn_direct_result_free(&r);
        }
        kit_close(&k);
    }
}

/* Stored accelerations belong to t + alpha h: errors fall with h. Central differences: with h^2; of Newmark's
   motion they are exactly (x_before + 2 x + x_after)/4 of its velocities and accelerations. The paper calls
   what comes out of measured sets bad; with positions to all digits it is good to 3 digits, see test_noise
   for others. Steps are such that 268 rad/s, the faster bending of a bar, is resolved: next terms are (268
   h)^2 = 0.02. */
static void newmark_differences(const kit *k)
{
    int i = step_at(0.69) * NQ;
    double v[NQ], a[NQ], h = T[1] - T[0];
    sn_central_differences(k->m, h, Q + i - NQ, Q + i, Q + i + NQ, v, a);
    for (int j = i; j < i + NQ; j++) {
        kit_near("velocity", v[j - i], (V[j - NQ] + 2 * V[j] + V[j + NQ]) / 4, 1e-15 / h);
        kit_near("acceleration", a[j - i], (A[j - NQ] + 2 * A[j] + A[j + NQ]) / 4, 4e-15 / (h * h));
    }
}

static void test_orders(void **state)
{
    double e[2], c[2], v[2];
    sn_direct_result r;
    kit k;
    (void)state;
    for (int i = 0; i < 2; i++) {
        simulate(&k, "hht", 1e-3 / (1 + i), 0.7, 1);
        one(&k, "stored", 0.69, 0, 0, &r), e[i] = error(&r);
        sn_direct_result_free(&r);
        kit_close(&k);
    }
    for (int i = 0; i < 2; i++) {
        simulate(&k, "newmark", 2.5e-4 / (1 + i), 0.7, 0);
        newmark_differences(&k);
        one(&k, "speeds by differences", 0.69, 1, 0, &r), v[i] = error(&r);
        sn_direct_result_free(&r);
        one(&k, "all by differences", 0.69, 1, 1, &r), c[i] = error(&r);
        sn_direct_result_free(&r);
        kit_close(&k);
    }
    kit_within("order, stored", order_of(e[0], e[1]), 0.9, 1.1);
    kit_within("order, speeds by differences", order_of(v[0], v[1]), 1.9, 2.1);
    kit_within("order, all by differences", order_of(c[0], c[1]), 1.9, 2.1);
    kit_within("error, all by differences", c[0], 0, 1e-3);
}

/* ---- noise ---- */

static double normal(uint64_t *seed)
{
    double u[2];
    for (int i = 0; i < 2; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        u[i] = ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
    }
    return sqrt(-2 * log(u[0])) * cos(2 * pi * u[1]);
}

/* Smoothing splines of all coordinates (node 1 is held) at n times t: rows of q, v, a, and the noise left in
   them. */
static void smooth_all(kit *k, int n, const double *t, double *q, double *v, double *a, double *noise)
{
    const sn_smooth_options o = sn_smooth_options_default();
    static double y[MOST];
    for (int j = 3; j < NQ; j++) {
        sn_smooth *f;
        for (int i = 0; i < N; i++) y[i] = Q[NQ * i + j];
        kit_good(k, sn_smooth_new(N, T, y, &o, &f, &k->err));
        for (int i = 0; i < n; i++) {
            double z[3];
            sn_smooth_at(f, t[i], z);
            q[NQ * i + j] = z[0], v[NQ * i + j] = z[1], a[NQ * i + j] = z[2];
        }
        for (int c = 0; c < 3; c++) noise[NQ * c + j] = f->deviation[c];
        sn_smooth_free(f);
    }
}

/* A hundredth of a millimetre on each sample. Differences over 1 ms make 24 m/s^2 of it, and the bars' axial
   stiffness 6 N: "bad convergence even starting from the solution". With smoothing splines, all instants at
   once and their covariance as weights the same samples give all four to a percent. */
static void test_noise(void **state)
{
    enum { AT = 270 };
    static double q[AT * NQ], v[AT * NQ], a[AT * NQ], t[AT], noise[3 * NQ];
    sn_direct_options o = sn_direct_options_default();
    sn_direct_result r;
    uint64_t seed = 12;
    int id[NP];
    kit k;
    (void)state;
    simulate(&k, "newmark", 1e-3, 3, 0);
    for (int i = 0; i < N; i++)
        for (int j = 3; j < NQ; j++) Q[NQ * i + j] += 1e-5 * normal(&seed);
    double worst = 0;
    for (int i = 0; i < 2; i++) {
        one(&k, "0.01 mm, differences", i ? 2.83 : 0.69, 1, 1, &r);
        worst = fmax(worst, error(&r));
        sn_direct_result_free(&r);
    }
    kit_within("error of one noisy instant", worst, 0.5, INFINITY);
    ids(&k, id), o.id = id, o.np = NP;
    for (int i = 0; i < AT; i++) t[i] = 0.15 + 0.01 * i;
    smooth_all(&k, AT, t, q, v, a, noise);
    for (int j = 3; j < NQ; j++) kit_within("noise left in a coordinate", noise[j], 1e-7, 1e-5);
    o.noise_q = noise, o.noise_v = noise + NQ, o.noise_a = noise + 2 * NQ;
    kit_good(&k, sn_direct(k.m, k.p, &(sn_instants){AT, t, q, v, a}, &o, &r, &k.err));
    print("0.01 mm, splines, all instants", &r);
    print_message("  rms %.3g\n", r.rms);
    kit_within("error of all instants", error(&r), 0, 0.01);
    sn_direct_result_free(&r);
    kit_close(&k);
}

/* Noise in accelerations only enters the equations linearly: estimates are then unbiased, their errors those
   of linear least squares. 100 samples of 4 parameters: the mean square of errors over standard errors is 1
   within 3.5 sqrt(2/400) = 0.25 (the parameters are hardly correlated), likewise rms. */
static void test_errors(void **state)
{
    enum { AT = 8, TIMES = 100 };
    double q[AT * NQ], v[AT * NQ], a[AT * NQ], t[AT], sa[NQ], z2 = 0, rms2 = 0;
    sn_direct_options o = sn_direct_options_default();
    sn_direct_result r;
    uint64_t seed = 3;
    int id[NP];
    kit k;
    (void)state;
    simulate(&k, "newmark", 1e-3, 0.7, 0);
    ids(&k, id), o.id = id, o.np = NP;
    for (int j = 0; j < NQ; j++) sa[j] = j < 3 ? 0 : 0.02;
    o.noise_a = sa;
    for (int n = 0; n < TIMES; n++) {
        for (int i = 0; i < AT; i++) {
            int at = 60 + 80 * i;
            t[i] = T[at];
            memcpy(q + NQ * i, Q + NQ * at, sizeof(double) * NQ);
            memcpy(v + NQ * i, V + NQ * at, sizeof(double) * NQ);
            for (int j = 0; j < NQ; j++) a[NQ * i + j] = A[NQ * at + j] + sa[j] * normal(&seed);
        }
        kit_good(&k, sn_direct(k.m, k.p, &(sn_instants){AT, t, q, v, a}, &o, &r, &k.err));
        for (int i = 0; i < NP; i++) z2 += pow((r.p[i] - exact[i]) / r.std_error[i], 2) / (NP * TIMES);
        rms2 += r.rms * r.rms / TIMES;
        sn_direct_result_free(&r);
    }
    print_message("  mean square of error/standard error %.3f, of residuals %.3f\n", z2, rms2);
    kit_within("mean square of scaled errors", z2, 0.75, 1.25);
    kit_within("mean square of residuals", rms2, 0.9, 1.1);
    kit_close(&k);
}

/* Estimated deviations of forces and moments: here noise of 0.05 N and 0.002 N m is put into the equations
   through the accelerations that make it, M da; and one instant of 20 with a gross error hardly counts when
   robust. */
static void test_weights(void **state)
{
    enum { AT = 20 };
    double q[AT * NQ], v[AT * NQ], a[AT * NQ], t[AT], plain, robust;
    sn_direct_options o = sn_direct_options_default();
    sn_direct_result r;
    uint64_t seed = 8;
    int id[NP];
    kit k;
    (void)state;
    simulate(&k, "newmark", 1e-3, 0.7, 0);
    ids(&k, id), o.id = id, o.np = NP;
    for (int i = 0; i < AT; i++) {
        int at = 60 + 30 * i;
        t[i] = T[at];
        memcpy(q + NQ * i, Q + NQ * at, sizeof(double) * NQ),
            memcpy(v + NQ * i, V + NQ * at, sizeof(double) * NQ);
        for (int j = 0; j < NQ; j++) a[NQ * i + j] = A[NQ * at + j] + (j < 3 ? 0 : 0.05 * normal(&seed));
    }
    o.estimate = 1;
    kit_good(&k, sn_direct(k.m, k.p, &(sn_instants){AT, t, q, v, a}, &o, &r, &k.err));
    print("estimated deviations", &r);
    print_message("  forces %.3g N, moments %.3g N m, rms %.3f\n", r.force, r.moment, r.rms);
    assert_true(r.converged);
    /* a bar's entries of M: 0.066 kg in x and y, 0.0083 kg m between them and rotations, 0.0014 kg m^2 */
    kit_within("forces", r.force, 0.05 * 0.04, 0.05 * 0.1);
    kit_within("moments", r.moment, 0.05 * 0.004, 0.05 * 0.02);
    kit_near("rms", r.rms, 1, 0.1);
    for (int i = 0; i < NP; i++) kit_near(name[i], r.p[i], exact[i], 4 * r.std_error[i]);
    sn_direct_result_free(&r);
    for (int j = 3; j < NQ; j++) a[NQ * 11 + j] += 20;
    kit_good(&k, sn_direct(k.m, k.p, &(sn_instants){AT, t, q, v, a}, &o, &r, &k.err));
    print("with a gross error", &r), plain = error(&r);
    sn_direct_result_free(&r);
    o.robust = 1;
    kit_good(&k, sn_direct(k.m, k.p, &(sn_instants){AT, t, q, v, a}, &o, &r, &k.err));
    print("robust", &r), robust = error(&r);
    assert_true(r.weight[11] < 0.05 && r.weight[3] > 0.3);
    kit_within("error, robust over plain", robust / plain, 0, 0.2);
    sn_direct_result_free(&r);
    kit_close(&k);
}

/* Axial forces as unknowns: with a wrong axial stiffness of the bars everything else is exact all the same,
   and the forces found are those of the run (EA times its strains); without them the springs come out wrong.
 */
static void test_axial(void **state)
{
    static const int bars[] = {BAR1, BAR2};
    sn_direct_options o = sn_direct_options_default();
    sn_direct_result r;
    int id[NP];
    kit k;
    (void)state;
    simulate(&k, "newmark", 1e-3, 0.7, 0);
    ids(&k, id), o.id = id, o.np = NP;
    kit_set(&k, "bar1.EA", 5.25e4), kit_set(&k, "bar2.EA", 5.25e4);
    kit_update(&k);
    const int i = 690;
    kit_good(&k, sn_direct(k.m, k.p, &(sn_instants){1, T + i, Q + NQ * i, V + NQ * i, A + NQ * i}, &o, &r,
                           &k.err));
    print("EA ten times too small", &r);
    assert_true(error(&r) > 0.1);
    sn_direct_result_free(&r);
    o.axial = bars, o.n_axial = 2;
    kit_good(&k, sn_direct(k.m, k.p, &(sn_instants){1, T + i, Q + NQ * i, V + NQ * i, A + NQ * i}, &o, &r,
                           &k.err));
    print("with axial forces as unknowns", &r);
    kit_near("error", error(&r), 0, 1e-8);
    for (int b = 0; b < 2; b++) {
        const double *x = Q + NQ * i + 3 + 6 * b;
        double force = 525000 * (hypot(x[3] - x[0], x[4] - x[1]) / 0.9 - 1);
        kit_near("axial force", r.axial[b], force, 1e-7);
    }
    sn_direct_result_free(&r);
    kit_close(&k);
}

/* At the start the springs are not stretched: nothing is known of them, and that is what is said. */
static void test_rank(void **state)
{
    sn_direct_options o = sn_direct_options_default();
    sn_direct_result r;
    int id[NP];
    kit k;
    (void)state;
    simulate(&k, "newmark", 1e-3, 0.01, 0);
    ids(&k, id), o.id = id, o.np = NP;
    kit_good(&k, sn_direct(k.m, k.p, &(sn_instants){1, T, Q, V, A}, &o, &r, &k.err));
    for (int i = 0; i < NP; i++) {
        assert_true(isinf(r.std_error[i]));
        kit_near(name[i], r.p[i], exact[i], 0);
    }
    assert_int_equal(r.rank_p, 0), assert_int_equal(r.rank, 3);
    sn_direct_result_free(&r);
    kit_close(&k);
}

/* ---- space ---- */

/* A top on a spherical joint: moments of inertia from its motion, exact, and central differences of its
   rotations. */
static double SQ[64][16], SV[64][6], SA[64][6], ST[64];
static int SN;

static sn_status keep_space(void *ctx, const sn_frame *f, sn_err *err)
{
    const int *nq = ctx;
    (void)err;
    if (SN >= 64) return SN_OK;
    ST[SN] = f->t;
    memcpy(SQ[SN], f->q, sizeof(double) * (size_t)*nq);
    memcpy(SV[SN], f->v, sizeof SV[0]), memcpy(SA[SN], f->a, sizeof SA[0]);
    SN++;
    return SN_OK;
}

static void test_space(void **state)
{
    static const char *const wanted[] = {"top.mass", "top.inertia.x", "top.inertia.y", "top.inertia.z"};
    static const double truth[] = {15, 0.4, 0.46875, 0.234375};
    static const char *const yaml =
        "sinew: 1\ngravity: [0, 0, -9.81]\nnodes: {tip: {at: [0, 0, 0], spin: [1, 9, -5]}}\n"
        "elements: {top: {mass3d: tip, mass: 15, inertia: [0.4, 0.46875, 0.234375], com: [0, 0.2, 0]}}\n"
        "joints: {pivot: {spherical: [ground, tip]}}\nrun: {end: 0.06, step: 1 ms, output: 1 ms, scheme: "
        "newmark}\n";
    sn_direct_options o = sn_direct_options_default();
    double q[6 * 16], v[6 * 6], a[6 * 6], t[6], dv[16], da[16];
    sn_direct_result r;
    int id[4];
    kit k;
    (void)state;
    kit_text(&k, yaml);
    int nq = k.m->nq;
    assert_true(k.m->nv == 6 && nq <= 16);
    k.o.frame = keep_space, k.o.tolerance = 1e-13, k.o.ctx = &nq;
    SN = 0;
    kit_run(&k);
    for (int i = 0; i < 4; i++) id[i] = sn_quantity_find(k.m, wanted[i]);
    for (int i = 0; i < 6; i++) {
        int s = 5 + 10 * i;
        memcpy(q + i * nq, SQ[s], sizeof(double) * (size_t)nq);
        memcpy(v + 6 * i, SV[s], sizeof SV[0]), memcpy(a + 6 * i, SA[s], sizeof SA[0]);
        t[i] = ST[s];
    }
    for (int i = 0; i < 4; i++) kit_set(&k, wanted[i], i ? 1 : 2);
    kit_update(&k);
    o.rank = 1e-9, o.id = id, o.np = 4;
    kit_good(&k, sn_direct(k.m, k.p, &(sn_instants){6, t, q, v, a}, &o, &r, &k.err));
    /* all terms are proportional to mass and inertia together: their scale cannot be found */
    assert_int_equal(r.rank_p, 3);
    for (int i = 0; i < 4; i++) {
        assert_true(isinf(r.std_error[i]));
        kit_near("ratio to the mass", r.p[i] / r.p[0], truth[i] / truth[0], 1e-9);
    }
    sn_direct_result_free(&r);
    kit_set(&k, wanted[0], truth[0]);
    kit_update(&k);
    o.id = id + 1, o.np = 3;
    kit_good(&k, sn_direct(k.m, k.p, &(sn_instants){6, t, q, v, a}, &o, &r, &k.err));
    for (int i = 0; i < 3; i++) kit_near(wanted[i + 1], r.p[i], truth[i + 1], 1e-9);
    assert_int_equal(r.iterations, 1);
    sn_direct_result_free(&r);
    /* the step's own law, d = h v0 + h^2 (a0 + a1)/4 in the chart of its start, makes the same mean as in the
     * plane */
    sn_central_differences(k.m, 1e-3, SQ[29], SQ[30], SQ[31], dv, da);
    for (int c = 0; c < 6; c++) {
        double mean = (SA[29][c] + 2 * SA[30][c] + SA[31][c]) / 4;
        kit_near("acceleration", da[c], mean, 4e-15 / 1e-6);
        kit_near("velocity", dv[c], (SV[29][c] + SV[30][c]) / 2 + 1e-3 * mean / 2, 4e-15 / 1e-3);
    }
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact),   cmocka_unit_test(test_orders),
                                       cmocka_unit_test(test_noise),   cmocka_unit_test(test_errors),
                                       cmocka_unit_test(test_weights), cmocka_unit_test(test_axial),
                                       cmocka_unit_test(test_rank),    cmocka_unit_test(test_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
