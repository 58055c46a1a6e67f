/* The adapted direct method (rotations are not measured) on the two-bar example, the false roots of one
   instant of the indirect one, wrong input, failing allocations. */
#include "verify/two_bar.h"
#include "counted.h"

/* ---- rotations unknown ---- */

static const double instants[3][5] = {{0.5, 1.0}, {0.6, 0.9, 1.4, 2.1, 2.7}, {0.4, 1.1, 1.6, 1.9, 2.3}};
static const int count[3] = {2, 5, 5};

static void adapted(kit *k, const char *what, int set, double start, sn_direct_result *r)
{
    sn_direct_options o = sn_direct_options_default();
    double t[10], q[10 * NQ], v[10 * NQ], a[10 * NQ];
    int id[NP];
    for (int i = 0; i < 2 * count[set]; i++) {
        int at = step_at(instants[set][i / 2]) + i % 2;
        t[i] = T[at];
        memcpy(q + NQ * i, Q + NQ * at, sizeof(double) * NQ),
            memcpy(v + NQ * i, V + NQ * at, sizeof(double) * NQ);
        memcpy(a + NQ * i, A + NQ * at, sizeof(double) * NQ);
        for (int j = 0; j < 4; j++) { /* nothing of the rotations is used */
            q[NQ * i + rotation[j]] = v[NQ * i + rotation[j]] = a[NQ * i + rotation[j]] = 0;
            sn_guess_rotation(k->m, k->p, rotation[j], q + NQ * i);
        }
    }
    start_at(k, start);
    ids(k, id);
    o.id = id, o.np = NP, o.unknown = rotation, o.n_unknown = 4;
    const sn_instants at = {2 * count[set], t, q, v, a};
    kit_good(k, sn_adapted_direct(k->m, k->p, &at, &o, r, &k->err));
    print(what, r);
}

/* A cubic over a pair errs by h^2 in the acceleration against the scheme's own law, so do torsional
   stiffnesses, which rotations hide; linear ones are hardly touched. 22 n + 4 unknowns, 30 n equations. */
static void test_adapted(void **state)
{
    double e[3][2];
    sn_direct_result r;
    kit k;
    (void)state;
    for (int i = 0; i < 2; i++) {
        simulate(&k, "newmark", 1e-3 / (1 + i), 2.8, 0);
        for (int set = 0; set < 3; set++) {
            adapted(&k, "simulated, Newmark", set, 30, &r);
            assert_true(r.converged && !r.outside);
            assert_int_equal(r.unknowns, 22 * count[set] + 4), assert_int_equal(r.rank, r.unknowns);
            assert_int_equal(r.equations, 30 * count[set]);
            e[set][i] = error(&r);
            kit_within("error", e[set][i], 0, 4e-3);
            kit_near("k1", r.p[0], 700, 1e-3), kit_near("k3", r.p[2], 400, 1e-3);
            for (int j = 0; j < count[set]; j++) {
                int at = step_at(instants[set][j]);
                for (int c = 0; c < 4; c++)
                    kit_near("rotation", r.unknown[3 * (8 * j + c)], Q[NQ * at + rotation[c]],
                             5e-4 / (1 + 3 * i));
                /* the support carries exactly the torque of spring 1 */
                kit_near("torque of the support", r.lam[6 * j + 2], r.p[1] * r.unknown[24 * j], 1e-9);
            }
            sn_direct_result_free(&r);
        }
        kit_close(&k);
    }
    for (int set = 0; set < 3; set++) kit_within("order", order_of(e[set][0], e[set][1]), 1.5, 2.5);
}

/* Stored accelerations: as in the paper's table the linear stiffnesses come out and the torsional ones do
   not, with two instants not even their sign. (The paper has -0.47 for kt1 there; its errors of lam and of
   rotations at the same time are too small to belong to its stiffnesses, for lam = kt1 theta2.) */
static void test_adapted_stored(void **state)
{
    sn_direct_result r;
    kit k;
    (void)state;
    simulate(&k, "hht", 1e-3, 2.8, 1);
    for (int set = 0; set < 3; set++) {
        adapted(&k, "stored, HHT", set, 1, &r);
        kit_near("k1", r.p[0], 700, 0.5), kit_near("k3", r.p[2], 400, 0.5);
        kit_within("error", error(&r), 0.2, INFINITY);
        if (set == 0) assert_true(r.p[1] < 0 && r.outside && strstr(r.outside, "kt"));
        sn_direct_result_free(&r);
    }
    kit_close(&k);
}

/* ---- one instant of the indirect method ---- */

/* Four positions at one instant determine four parameters, but not uniquely: Newton on the run itself ends at
   another root as exact as the true one. The equations of motion at that instant are linear and have one
   solution. */
static void test_false_root(void **state)
{
    static const char *const channel[] = {"node2.x", "node4.y", "node5.x", "node5.y"};
    static const double t[] = {0.69};
    double target[4], *y, *dy, p[NP] = {373.5, 0.4657, 664.4, 0.4744}, size = 1;
    int n, at[4];
    kit k;
    (void)state;
    kit_file(&k, "examples/two-bar/two-bar.yaml");
    n = sn_channel_count(k.m);
    y = malloc(sizeof(double) * (size_t)n), dy = malloc(sizeof(double) * (size_t)(n * NP));
    for (int i = 0; i < 4; i++) at[i] = kit_channel(&k, channel[i]);
    k.o.end = 0.69, k.o.wrt = name, k.o.n_wrt = NP;
    kit_good(&k, sn_sample(k.m, k.p, &k.o, &(sn_samples){1, t, y, NULL}, &k.info, &k.err));
    for (int i = 0; i < 4; i++) target[i] = y[at[i]];
    for (int it = 0; it < 12 && size > 1e-9; it++) {
        double J[4][5];
        for (int i = 0; i < NP; i++) kit_set(&k, name[i], p[i]);
        kit_update(&k);
        kit_good(&k, sn_sample(k.m, k.p, &k.o, &(sn_samples){1, t, y, dy}, &k.info, &k.err));
        for (int i = 0; i < 4; i++) {
            for (int c = 0; c < 4; c++) J[i][c] = dy[at[i] * NP + c] * exact[c];
            J[i][4] = target[i] - y[at[i]];
        }
        for (int c = 0; c < 4; c++) { /* elimination with pivots */
            int top = c;
            for (int i = c; i < 4; i++) top = fabs(J[i][c]) > fabs(J[top][c]) ? i : top;
            for (int j = 0; j < 5; j++) {
                double s = J[c][j];
                J[c][j] = J[top][j], J[top][j] = s;
            }
            for (int i = 0; i < 4; i++) {
                double f = i == c ? 0 : J[i][c] / J[c][c];
                for (int j = c; j < 5; j++) J[i][j] -= f * J[c][j];
            }
        }
        size = 0;
        for (int c = 0; c < 4; c++) {
            double d = J[c][4] / J[c][c];
            p[c] += d * exact[c], size = fmax(size, fabs(d));
        }
    }
    print_message("  false root %.6g %.6g %.6g %.6g\n", p[0], p[1], p[2], p[3]);
    for (int i = 0; i < 4; i++) kit_near(channel[i], y[at[i]], target[i], 1e-10);
    assert_true(fabs(p[0] - 700) > 300 && fabs(p[2] - 400) > 200 && size <= 1e-9);
    free(y), free(dy);
    kit_close(&k);
}

/* ---- wrong input, memory ---- */

static void test_input(void **state)
{
    static const int none[] = {99}, spring[] = {SPRING1};
    sn_direct_options o = sn_direct_options_default();
    sn_direct_result r;
    int id[NP], bad[NP] = {-1, 0, 0, 0};
    kit k;
    (void)state;
    simulate(&k, "newmark", 1e-3, 0.01, 0);
    ids(&k, id);
    const sn_instants nothing = {0, T, Q, V, A}, first = {1, T, Q, V, A}, pair = {2, T, Q, V, A};
    o.id = id, o.np = NP;
    assert_int_equal(sn_direct(k.m, k.p, &nothing, &o, &r, &k.err), SN_ERR_INPUT);
    o.id = bad;
    assert_int_equal(sn_direct(k.m, k.p, &first, &o, &r, &k.err), SN_ERR_INPUT);
    o.id = id;
    o.axial = none, o.n_axial = 1;
    assert_int_equal(sn_direct(k.m, k.p, &first, &o, &r, &k.err), SN_ERR_INPUT);
    o.axial = spring;
    assert_int_equal(sn_direct(k.m, k.p, &first, &o, &r, &k.err), SN_OK);
    sn_direct_result_free(&r);
    o.n_axial = 0, o.unknown = none, o.n_unknown = 1;
    assert_int_equal(sn_adapted_direct(k.m, k.p, &pair, &o, &r, &k.err), SN_ERR_INPUT);
    T[1] = T[0];
    o.unknown = rotation, o.n_unknown = 4;
    assert_int_equal(sn_adapted_direct(k.m, k.p, &pair, &o, &r, &k.err), SN_ERR_INPUT);
    V[4] = NAN;
    assert_int_equal(sn_direct(k.m, k.p, &first, &o, &r, &k.err), SN_ERR_INPUT);
    kit_close(&k);
}

/* Everything at once: adapted, with noise and axial forces, then smoothing. */
static sn_status job(kit *k, const sn_direct_options *o, sn_err *err)
{
    sn_direct_result r;
    sn_smooth *f;
    const sn_smooth_options smooth = sn_smooth_options_default();
    const sn_instants pair = {2, T + 40, Q + 40 * NQ, V + 40 * NQ, A + 40 * NQ};
    SN_TRY(sn_adapted_direct(k->m, k->p, &pair, o, &r, err));
    sn_direct_result_free(&r);
    SN_TRY(sn_smooth_new(20, T, T, &smooth, &f, err));
    sn_smooth_free(f);
    return SN_OK;
}

static void test_memory(void **state)
{
    static const int bars[] = {BAR1};
    static sn_err err[1];
    counter c = {0};
    const sn_allocator allocator = {counted, released, &c};
    sn_direct_options o = sn_direct_options_default();
    double noise[NQ];
    int id[NP];
    kit k;
    (void)state;
    simulate(&k, "newmark", 1e-3, 0.05, 0);
    ids(&k, id);
    for (int i = 0; i < NQ; i++) noise[i] = 1e-6;
    o.noise_q = noise, o.axial = bars, o.n_axial = 1, o.max_iterations = 2, o.robust = 1;
    o.id = id, o.np = NP, o.unknown = rotation, o.n_unknown = 4;
    sn_set_allocator(&allocator);
    sn_err_clear(err);
    sn_status s = job(&k, &o, err);
    long calls = c.calls, live = c.live, bad = s ? -1 : 0;
    for (long n = 1; n <= calls && !bad && !live; n++) {
        c = (counter){.fail = n};
        sn_err_clear(err);
        if (job(&k, &o, err) != SN_ERR_MEMORY || err->count != 1 || c.live) bad = n;
    }
    sn_set_allocator(NULL);
    if (bad || live)
        fail_msg("allocation %ld of %ld: %s", bad, calls, err->count ? err->report[0].text : "left");
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_adapted), cmocka_unit_test(test_adapted_stored),
                                       cmocka_unit_test(test_false_root), cmocka_unit_test(test_input),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
