/* Identification from several experiments: rates, sensors and states of their own, gaps, clocks that are off,
   experiments held out, and results that do not depend on the number of threads. */
#include "identify_kit.h"

#include "identify/fit.h"

#define UNKNOWNS "unknowns:\n  k: {start: 60, bounds: [1, 1e4]}\n  c: {start: 1, bounds: [1e-3, 100]}\n"
#define STATES                                                                                               \
    "  x0: {start: 1.1, each: experiment, scale: linear}\n  v0: {start: 0, each: experiment, scale: "        \
    "linear}\n"

/* Three experiments: one of positions at 200 Hz, one of velocities at 40 Hz, one of both at uneven steps of
 * the run. */
static void three(double sigma, uint64_t seed)
{
    kit_measure(
        "a.csv",
        &(kit_data){
            .model = "spring.yaml", .channels = "at.x", .end = 1, .dt = 5e-3, .sigma = sigma, .seed = seed});
    kit_measure("b.csv", &(kit_data){.model = "spring.yaml",
                                     .set = "x0=0.8 v0=0.5",
                                     .channels = "fast.x",
                                     .end = 1,
                                     .dt = 25e-3,
                                     .sigma = sigma,
                                     .seed = seed + 1});
    kit_measure("c.csv", &(kit_data){.model = "spring.yaml",
                                     .set = "x0=1 v0=-1",
                                     .channels = "fast.x at.x",
                                     .end = 0.8,
                                     .dt = 8e-3,
                                     .sigma = sigma,
                                     .seed = seed + 2});
}

static const char study_of_three[] =
    "study: 1\nmodel: spring.yaml\nexperiments: {a: a.csv, b: b.csv, c: c.csv}\n" UNKNOWNS STATES;

/* The same model: nothing but rounding is left. */
static void test_several(void **state)
{
    (void)state;
    three(0, 1);
    kit_fit r = kit_solve(study_of_three);
    kit_converged(&r);
    assert_int_equal(r.s->n_unknown, 8);
    assert_int_equal(r.e->count, 201 + 41 + 2 * 101);
    kit_is("k", kit_value_of(&r, "k"), 80, 80e-7);
    kit_is("c", kit_value_of(&r, "c"), 1.5, 1.5e-7);
    kit_is("x0 of b", kit_value_of(&r, "x0[b]"), 0.8, 1e-7);
    kit_is("v0 of b", kit_value_of(&r, "v0[b]"), 0.5, 1e-7);
    kit_is("x0 of c", kit_value_of(&r, "x0[c]"), 1, 1e-7);
    kit_is("v0 of c", kit_value_of(&r, "v0[c]"), -1, 1e-7);
    kit_drop(&r);
}

/* With noise: the states within 4 standard errors, and the common ones better known than from one of them. */
static void test_noisy(void **state)
{
    (void)state;
    three(2e-3, 10);
    kit_fit r = kit_solve(study_of_three), one;
    kit_converged(&r);
    kit_is("k", kit_value_of(&r, "k"), 80, 4 * kit_error_of(&r, "k"));
    kit_is("v0 of c", kit_value_of(&r, "v0[c]"), -1, 4 * kit_error_of(&r, "v0[c]"));
    kit_is("noise of velocities", r.e->channel[1][0].sigma, 2e-3, 4 * 2e-3 / sqrt(2 * 142.0));
    one = kit_solve("study: 1\nmodel: spring.yaml\nexperiments: {a: a.csv}\n" UNKNOWNS STATES);
    assert_true(kit_error_of(&r, "k") < kit_error_of(&one, "k"));
    kit_drop(&r), kit_drop(&one);
}

/* The first channel is missing for a third of the time. */
static void test_gaps(void **state)
{
    (void)state;
    kit_measure(
        "data.csv",
        &(kit_data){
            .model = "spring.yaml", .channels = "at.x fast.x", .end = 1, .dt = 0.01, .gap = {0.295, 0.605}});
    kit_fit r = kit_solve("study: 1\nmodel: spring.yaml\ndata: data.csv\n" UNKNOWNS);
    kit_converged(&r);
    assert_int_equal(r.e->count, 2 * 101 - 31);
    kit_is("k", kit_value_of(&r, "k"), 80, 80e-7);
    assert_true(isnan(r.e->residual[0][2 * 40]) && !isnan(r.e->residual[0][2 * 40 + 1]));
    kit_drop(&r);
}

/* A clock that is late or early. Without noise the offset is as good as the differences by which it is
   derived leave the search: the cost is flat to rounding within some 1e-8 of its scale. With noise: Cramer
   and Rao's bound, which the standard error is. */
static void test_offset(void **state)
{
    (void)state;
    static const char text[] = "study: 1\nmodel: spring.yaml\ndata: data.csv\noffset: unknown\n" UNKNOWNS;
    for (int side = -1; side <= 1; side += 2) {
        kit_data d = {.model = "spring.yaml",
                      .channels = "at.x fast.x",
                      .begin = 0.1,
                      .end = 0.9,
                      .dt = 0.01,
                      .shift = side * 0.0137};
        kit_measure("data.csv", &d);
        kit_fit r = kit_solve(text);
        kit_converged(&r);
        kit_is("offset", kit_value_of(&r, "offset[data]"), d.shift, 1e-7);
        kit_is("k", kit_value_of(&r, "k"), 80, 80e-6);
        kit_drop(&r);
        d.sigma = 2e-3;
        for (d.seed = 1; d.seed <= 5; d.seed++) {
            kit_measure("data.csv", &d);
            r = kit_solve(text);
            kit_converged(&r);
            double e = kit_error_of(&r, "offset[data]");
            kit_is("offset with noise", kit_value_of(&r, "offset[data]"), d.shift, 4 * e);
            assert_true(e < 2e-3); /* speeds are near 1 m/s, 162 numbers of 2 mm and 2 mm/s */
            kit_drop(&r);
        }
    }
}

/* A given offset is not sought. */
static void test_given_offset(void **state)
{
    (void)state;
    kit_measure(
        "data.csv",
        &(kit_data){.model = "spring.yaml", .channels = "at.x", .end = 1, .dt = 0.01, .shift = -0.25});
    kit_fit r = kit_solve("study: 1\nmodel: spring.yaml\ndata: data.csv\noffset: -250 ms\n" UNKNOWNS);
    kit_converged(&r);
    kit_is("k", kit_value_of(&r, "k"), 80, 80e-7);
    kit_drop(&r);
}

/* rms of n residuals of noise, when two states were found on a window of so many of them: the sum of squares
   is chi square of n degrees, which makes the rms 1 +- 1/sqrt(2 n), and the states add about 2 n/window to
   it. Four deviations. */
static void is_noise(const char *what, double rms, double n, double window)
{
    kit_is(what, rms, sqrt(1 + 2 / window), 4 / sqrt(2 * n));
}

/* Experiment c is held out: its states are found on its first moments, and the residuals of the rest are
   noise: experiment a tells k and c ten times better than c could. A wrong model is seen there. */
static void test_hold_out(void **state)
{
    (void)state;
    char text[600];
    three(2e-3, 20);
    kit_measure(
        "a.csv",
        &(kit_data){
            .model = "spring.yaml", .channels = "at.x", .end = 1, .dt = 5e-3, .sigma = 5e-5, .seed = 20});
    static const char held[] =
        "study: 1\nmodel: spring.yaml\nnoise: {at.x: 2 mm, fast.x: 2 mm/s}\ninitial_window: %s\n"
        "experiments: {a: {data: a.csv, noise: {at.x: 0.05 mm}}, c: {data: c.csv, hold_out: %s%s}}\n" UNKNOWNS
            STATES;
    snprintf(text, sizeof text, held, "0.4 s", "yes", "");
    kit_fit r = kit_solve(text);
    kit_converged(&r);
    assert_int_equal(r.e->count, 201);
    is_noise("held out", r.e->hold_out, 100, 102);
    kit_is("x0 of c", kit_value_of(&r, "x0[c]"), 1, 2e-3);
    kit_must_say(&r, "held-out experiments: residuals of");
    assert_true(isinf(kit_error_of(&r, "x0[c]")) || isnan(kit_error_of(&r, "x0[c]")));
    double k = kit_value_of(&r, "k");
    kit_drop(&r);
    /* data that are held out do not change the estimates */
    kit_fit alone = kit_solve(
        "study: 1\nmodel: spring.yaml\nnoise: {at.x: 0.05 mm}\nexperiments: {a: a.csv}\n" UNKNOWNS STATES);
    kit_is("k without c", kit_value_of(&alone, "k"), k, 1e-9 * k);
    kit_drop(&alone);
    snprintf(text, sizeof text, held, "0.4 s", "yes", ", set: {m: 2.2}");
    r = kit_solve(text);
    assert_true(r.e->hold_out > 3);
    kit_drop(&r);
    /* nothing but a check of given numbers */
    r = kit_solve("study: 1\nmodel: spring.yaml\nexperiments: {c: {data: c.csv, hold_out: yes}}\n"
                  "noise: {at.x: 2 mm, fast.x: 2 mm/s}\ninitial_window: 0.4 s\nunknowns:\n" STATES);
    kit_converged(&r);
    is_noise("held out alone", r.e->hold_out, 100, 102);
    kit_drop(&r);
}

/* Weighted experiments: the same data twice are the same as a weight of two. */
static void test_weight(void **state)
{
    (void)state;
    three(2e-3, 30);
    kit_fit twice = kit_solve(
        "study: 1\nmodel: spring.yaml\nnoise: {at.x: 2 mm}\nexperiments: {a: a.csv, b: a.csv}\n" UNKNOWNS);
    kit_fit heavy = kit_solve("study: 1\nmodel: spring.yaml\nnoise: {at.x: 2 mm}\nexperiments: {a: {data: "
                              "a.csv, weight: 2}}\n" UNKNOWNS);
    kit_is("k", kit_value_of(&twice, "k"), kit_value_of(&heavy, "k"), 1e-7 * 80);
    kit_is("its error", kit_error_of(&twice, "k"), kit_error_of(&heavy, "k"),
           1e-7 * kit_error_of(&heavy, "k"));
    kit_drop(&twice), kit_drop(&heavy);
}

/* Sums are made in the order of the experiments: every number is the same, to the bit. */
static void test_threads(void **state)
{
    (void)state;
    three(2e-3, 40);
    char text[800];
    snprintf(text, sizeof text, "%sstarts: {n: 5, spread: 2}\n", study_of_three);
    kit_fit one = kit_solve_by(text, NULL, 1), more = kit_solve_by(text, NULL, 3);
    assert_int_equal(one.e->simulations, more.e->simulations);
    assert_int_equal(one.e->n_iteration, more.e->n_iteration);
    assert_int_equal(one.e->alike, more.e->alike);
    for (int k = 0; k < one.s->n_unknown; k++) {
        assert_memory_equal(&one.e->value[k], &more.e->value[k], sizeof(double));
        assert_memory_equal(&one.e->std_error[k], &more.e->std_error[k], sizeof(double));
    }
    for (int e = 0; e < 3; e++)
        assert_memory_equal(one.e->residual[e], more.e->residual[e],
                            sizeof(double) * (size_t)one.s->experiment[e].n *
                                (size_t)one.s->experiment[e].n_channel);
    kit_drop(&one), kit_drop(&more);
}

static void *count_one(void *ctx)
{
    atomic_fetch_add((atomic_int *)ctx, 1);
    return NULL;
}

/* As many threads as are asked for, whatever their number, and no more than there is work for. */
static void test_many_threads(void **state)
{
    (void)state;
    static const int work[] = {1, 7, 100, 150};
    const sn_fit f = {.threads = 100};
    for (int i = 0; i < 4; i++) {
        atomic_int n = 0;
        sn_fit_together(&f, work[i], &(sn_together){count_one, &n, NULL, NULL});
        assert_int_equal(atomic_load(&n), work[i] < 100 ? work[i] : 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_several),      cmocka_unit_test(test_noisy),
        cmocka_unit_test(test_gaps),         cmocka_unit_test(test_offset),
        cmocka_unit_test(test_given_offset), cmocka_unit_test(test_hold_out),
        cmocka_unit_test(test_weight),       cmocka_unit_test(test_threads),
        cmocka_unit_test(test_many_threads),
    };
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
