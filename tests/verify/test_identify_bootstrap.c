/* Intervals by a block bootstrap, on a model that is linear in its unknown: x = f t^2/(2 m), so that
   variances are known in closed form. */
#include "identify_kit.h"
#include "identify/bootstrap.h"

#define PUSH                                                                                                 \
    "study: 1\nmodel: push.yaml\ndata: data.csv\nstarts: 0\nrun: {step: 20 ms}\n"                            \
    "unknowns: {f: {start: 2, scale: linear}}\n"

static double correlated(int n, double dt, double a)
{
    double sum = 0, square = 0, last = 0;
    for (int i = 0; i < n; i++) {
        double j = 0.25 * (i * dt) * (i * dt); /* dx/df, m = 2 */
        sum += j * j + 2 * j * a * last, last = a * last + j, square += j * j;
    }
    return sqrt(sum) / square; /* of f, over the noise's standard deviation */
}

/* White noise: the interval is that of the standard error. Its width scatters by chance: the ends, 2.5 %
   quantiles of 500 refits, by sqrt(0.025 0.975/500)/0.0584 = 0.12 standard errors each, the width by 4.3 %;
   four deviations are allowed. The blocks are single rows, or a few by chance. */
static void test_white(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        kit_measure(
            "data.csv",
            &(kit_data){
                .model = "push.yaml", .channels = "at.x", .end = 1, .dt = 2e-3, .sigma = 0.01, .seed = seed});
        kit_fit r = kit_solve(PUSH "intervals: {bootstrap: 500}\n");
        kit_converged(&r);
        double se = kit_error_of(&r, "f"), f = kit_value_of(&r, "f");
        assert_int_equal(r.e->bootstrap.n, 500);
        assert_true(r.e->bootstrap.block[0] <= 5);
        kit_is("width", (r.e->hi[0] - r.e->lo[0]) / (2 * 1.96 * se), 1, 0.17);
        kit_is("middle", 0.5 * (r.e->hi[0] + r.e->lo[0]) - f, 0, 4 * 0.12 * se);
        kit_is("standard deviation", r.e->bootstrap.sd[0] / se, 1, 4 / sqrt(2 * 500));
        kit_must_say(&r, "intervals from 500 refits");
        kit_drop(&r);
    }
}

/* Noise with a correlation of 0.8 from sample to sample: 3 times the standard error of white noise. Blocks of
   b rows leave out 4.4/b of the variance; with some 80 of 2001 rows the standard deviation is 3 % too small
   and scatters by 11 %, with 4 % of 300 refits by 12 %, the mean of four by 6 %, of which four are allowed.
 */
static void test_correlated(void **state)
{
    (void)state;
    double ratio = 0, sigma = 0.01, exact = correlated(2001, 5e-4, 0.8) * sigma / sqrt(1 - 0.64);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        kit_measure("data.csv", &(kit_data){.model = "push.yaml",
                                            .channels = "at.x",
                                            .end = 1,
                                            .dt = 5e-4,
                                            .sigma = sigma,
                                            .ar = {0.8, 0},
                                            .seed = 10 + seed});
        kit_fit r = kit_solve(PUSH "intervals: {bootstrap: 300, seed: 2}\n");
        kit_converged(&r);
        assert_true(r.e->bootstrap.block[0] > 30 && r.e->bootstrap.block[0] < 200);
        ratio += r.e->bootstrap.sd[0] / exact / 4;
        /* never narrower than the standard error says, but for the ends' own scatter of 0.15 each */
        assert_true(r.e->hi[0] - r.e->lo[0] >
                    2 * 1.96 * kit_error_of(&r, "f") * (1 - 4 * 0.15 * sqrt(2) / 3.92));
        kit_drop(&r);
    }
    kit_is("standard deviation over that of the true noise", ratio, 0.97, 0.24);
    kit_is("standard error over that of white noise", exact * sqrt(0.36) / sigma / correlated(2001, 5e-4, 0),
           3, 0.1);
}

/* The same numbers from any number of threads, others from another seed; a prior counts as a measurement: the
   standard deviation is that of both together. */
static void test_same(void **state)
{
    (void)state;
    kit_measure(
        "data.csv",
        &(kit_data){
            .model = "push.yaml", .channels = "at.x", .end = 1, .dt = 0.01, .sigma = 0.01, .seed = 4});
    kit_fit a = kit_solve_by(PUSH "intervals: bootstrap\n", NULL, 1),
            b = kit_solve_by(PUSH "intervals: bootstrap\n", NULL, 3),
            c = kit_solve_by(PUSH "intervals: {bootstrap: 200, seed: 5}\n", NULL, 1);
    assert_int_equal(a.e->bootstrap.n, 200);
    assert_true(a.e->lo[0] == b.e->lo[0] && a.e->hi[0] == b.e->hi[0]);
    assert_true(a.e->lo[0] != c.e->lo[0]);
    kit_drop(&a), kit_drop(&b), kit_drop(&c);
    a = kit_solve("study: 1\nmodel: push.yaml\ndata: data.csv\nstarts: 0\nintervals: {bootstrap: 500}\n"
                  "unknowns: {f: {start: 2, scale: linear, prior: [3, 0.01]}}\n");
    kit_is("with a prior", a.e->bootstrap.sd[0] / a.e->std_error[0], 1, 4 / sqrt(2 * 500));
    kit_drop(&a);
}

/* A first-order autoregression of 0.8: twice (3/2 (2 a/(1 - a^2))^2 n)^(1/3), within what its estimate from
   4000 numbers scatters by; missing numbers are no harm. */
static void test_block(void **state)
{
    enum { N = 4000 };
    static double r[N * 2];
    uint64_t seed = 7;
    int block;
    sn_err err;
    (void)state;
    sn_err_clear(&err);
    for (int i = 0; i < N; i++) {
        r[2 * i] = kit_normal(&seed);
        r[2 * i + 1] = (i ? 0.8 * r[2 * i - 1] : 0) + kit_normal(&seed);
    }
    kit_tell(&err, sn_block_length(N, 2, r, &block, &err));
    double exact = 2 * cbrt(1.5 * pow(1.6 / 0.36, 2) * N);
    kit_is("block", block, exact, 0.5 * exact);
    for (int i = 0; i < N; i++) r[2 * i + 1] = i % 7 ? kit_normal(&seed) : NAN;
    kit_tell(&err, sn_block_length(N, 2, r, &block, &err));
    assert_in_range(block, 1, 10);
}

typedef struct patience {
    int calls, most;
} patience;

static int stop_after(void *ctx, double done, double t)
{
    patience *p = ctx;
    (void)done, (void)t;
    return ++p->calls > p->most;
}

static kit_fit solve_until(int most, int threads, int *calls)
{
    kit_fit r = {NULL, NULL};
    patience p = {.most = most};
    sn_err err;
    sn_err_clear(&err);
    kit_put("study.yaml", PUSH "intervals: {bootstrap: 400}\n");
    kit_tell(&err, sn_study_read(kit_path("study.yaml"), NULL, 0, &r.s, &err));
    kit_tell(&err,
             sn_study_solve(r.s, &(sn_solve_options){.threads = threads, .progress = stop_after, .ctx = &p},
                            &r.e, &err));
    *calls = p.calls;
    return r;
}

/* Stopped half way, which is among the refits, as they take most of the calls: intervals of standard errors,
   and a word about it. */
static void test_stopped(void **state)
{
    (void)state;
    int all, some;
    kit_measure(
        "data.csv",
        &(kit_data){
            .model = "push.yaml", .channels = "at.x", .end = 1, .dt = 0.01, .sigma = 0.01, .seed = 4});
    kit_fit r = solve_until(1000000, 1, &all);
    assert_int_equal(r.e->bootstrap.n, 400);
    assert_true(all > 800);
    kit_drop(&r);
    for (int threads = 1; threads < 4; threads += 2) {
        r = solve_until(all / 2 / threads, threads, &some);
        assert_int_equal(r.e->bootstrap.n, 0);
        kit_must_say(&r, "the bootstrap was stopped: intervals from standard errors");
        double far = 0.5 * (r.e->hi[0] - r.e->lo[0]) / r.e->std_error[0];
        kit_is("half the interval", far, 1.98, 0.03); /* Student's, 100 degrees of freedom */
        kit_drop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_white), cmocka_unit_test(test_correlated), cmocka_unit_test(test_same),
        cmocka_unit_test(test_block), cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
