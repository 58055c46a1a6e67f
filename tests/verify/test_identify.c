/* Identification of a mass on a damped spring, m x'' = f - k (x - l0) - c x', and of a free mass under a
   constant force, whose problem is linear: estimates, their standard errors, intervals, priors, bounds, ties,
   and what is said of them. Data are made by the library itself: what is tested is the search and the
   statistics, not the model. */
#include "identify_kit.h"
#include "base/h5_load.h"

enum { SEEDS = 40 };

#define K_AND_C "unknowns: {k: {start: 60, bounds: [1, 1e4]}, c: {start: 1, bounds: [1e-3, 100]}}\n"
#define SPRING  "study: 1\nmodel: spring.yaml\ndata: data.csv\n"
#define PUSH    "study: 1\nmodel: push.yaml\ndata: data.csv\n"

static const kit_data clean = {.model = "spring.yaml", .channels = "at.x", .end = 1, .dt = 0.01};

/* The same model makes and explains the data: nothing but rounding is left, some 1e-16 of a signal whose
   relative sensitivities are of order one. */
static void test_exact(void **state)
{
    (void)state;
    kit_measure("data.csv", &clean);
    for (double from = 0.5; from < 3; from *= 4) {
        char starts[80];
        snprintf(starts, sizeof starts, "k=%g c=%g", 80 * from, 1.5 * from);
        kit_fit r = kit_solve_by(SPRING K_AND_C, starts, 1);
        kit_converged(&r);
        kit_is("k", kit_value_of(&r, "k"), 80, 80e-7);
        kit_is("c", kit_value_of(&r, "c"), 1.5, 1.5e-7);
        kit_must_say(&r, "the data are met to rounding");
        kit_drop(&r);
    }
}

/* Errors in units of the standard error are normal: the sum of 40 squares is chi square of 40 degrees,
   within 16.9 and 76.1 in 99.9 % of the cases; 2 standard errors hold 95.45 % of them: more than 7 of 40
   outside come once in 2600. The noise is estimated: 99 degrees make Student's quantiles 1 % larger, which is
   far below these bounds. The estimate of the noise itself: (N - n) s^2/sigma^2 is chi square. */
static void errors_of(const char *noise, int known)
{
    static const char *const name[] = {"k", "c"};
    static const double truth[] = {80, 1.5};
    double square[2] = {0}, noises = 0;
    int outside[2] = {0};
    char text[400];
    snprintf(text, sizeof text, SPRING K_AND_C "%s", noise);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        kit_data d = clean;
        d.sigma = 2e-3, d.seed = seed * 1000003;
        kit_measure("data.csv", &d);
        kit_fit r = kit_solve(text);
        kit_converged(&r);
        for (int i = 0; i < 2; i++) {
            double e = (kit_value_of(&r, name[i]) - truth[i]) / kit_error_of(&r, name[i]);
            square[i] += e * e, outside[i] += fabs(e) > 2;
        }
        double s = r.e->channel[0][0].sigma;
        if (known)
            kit_is("stated noise", s, 2e-3, 0);
        else /* 101 numbers, 2 unknowns: s/sigma is 1 +- 0.071, 4 deviations */
            kit_is("estimated noise", s, 2e-3, 4 * 2e-3 / sqrt(2 * 99.0));
        noises += s * s / 4e-6;
        kit_drop(&r);
    }
    for (int i = 0; i < 2; i++) {
        if (outside[i] > 7)
            fail_msg("%s: %d of %d outside of two standard errors", name[i], outside[i], SEEDS);
        if (square[i] < 16.9 || square[i] > 76.1)
            fail_msg("%s: %g is no sum of %d squares", name[i], square[i], SEEDS);
    }
    /* the mean of all, 40 * 99 degrees: deviation sqrt(2/3960) */
    if (!known) kit_is("mean estimate of the variance", noises / SEEDS, 1, 3.3 * sqrt(2 / 3960.0));
}

static void test_errors_stated(void **state)
{
    (void)state;
    errors_of("noise: {at.x: 2 mm}\n", 1);
}

static void test_errors_estimated(void **state)
{
    (void)state;
    errors_of("", 0);
}

/* The curve as study.h5 has it: rows value, cost. */
static void read_profile(const kit_fit *r, const sn_profile_curve *c)
{
    sn_err err;
    double table[80];
    sn_err_clear(&err);
    kit_tell(&err, sn_estimate_h5(r->e, kit_path("study.h5"), NULL, &err));
    sn_h5_noise noise = sn_h5_enter();
    hid_t file = H5Fopen(kit_path("study.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, "/profiles/f", H5P_DEFAULT);
    hid_t space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_npoints(space), 2 * c->n);
    assert_true(2 * c->n <= 80);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, table) >= 0);
    H5Idec_ref(space), H5Idec_ref(set), H5Fclose(file);
    sn_h5_leave(noise);
    for (int i = 0; i < c->n; i++) {
        assert_true(table[2 * i] == c->point[i].value);
        assert_true(table[2 * i + 1] == c->point[i].rise);
    }
}

/* A problem that is linear in its unknown: the profile is a parabola, and the interval that of the standard
   error. The ends are where the root of the excess is met within 2 %. */
static void test_profile(void **state)
{
    (void)state;
    kit_measure(
        "data.csv",
        &(kit_data){
            .model = "push.yaml", .channels = "at.x", .end = 1, .dt = 0.02, .sigma = 0.01, .seed = 5});
    kit_fit r =
        kit_solve(PUSH "noise: {at.x: 1 cm}\nintervals: profile\nunknowns: {f: {start: 2, scale: linear}}\n");
    kit_converged(&r);
    double f = kit_value_of(&r, "f"), se = kit_error_of(&r, "f");
    kit_is("lower end", r.e->lo[0], f - 1.96 * se, 0.03 * 1.96 * se);
    kit_is("upper end", r.e->hi[0], f + 1.96 * se, 0.03 * 1.96 * se);
    /* half of (df/se)^2 along the whole curve, to the 1e-3 of the search for the others */
    const sn_profile_curve *c = &r.e->curve[0];
    assert_true(c->n >= 8);
    for (int i = 0; i < c->n; i++) {
        double d = (c->point[i].value - r.e->value[0]) / r.e->std_error[0];
        kit_is("rise along the profile", c->point[i].rise, 0.5 * d * d, 2e-3 * (1 + d * d));
        assert_true(i == 0 || c->point[i].value >= c->point[i - 1].value);
    }
    read_profile(&r, c);
    kit_drop(&r);
    /* with two unknowns: the other one is adapted, the interval still the whole one */
    r = kit_solve(PUSH "noise: {at.x: 1 cm}\nintervals: profile\n"
                       "unknowns: {f: {start: 2, scale: linear}, v0: {start: 0.1, scale: linear}}\n");
    f = kit_value_of(&r, "f"), se = kit_error_of(&r, "f");
    kit_is("lower end of two", r.e->lo[0], f - 1.96 * se, 0.03 * 1.96 * se);
    kit_is("upper end of two", r.e->hi[0], f + 1.96 * se, 0.03 * 1.96 * se);
    kit_drop(&r);
}

/* x = f t^2/(2 m), exact for the scheme: with noise s and a prior (mu, p) the posterior is normal, of
   precision A = sum a^2/s^2 + 1/p^2 and mean (sum a y/s^2 + mu/p^2)/A. */
static void test_prior(void **state)
{
    (void)state;
    kit_measure(
        "data.csv",
        &(kit_data){
            .model = "push.yaml", .channels = "at.x", .end = 1, .dt = 0.05, .sigma = 0.1, .seed = 11});
    FILE *f = fopen(kit_path("data.csv"), "r");
    assert_non_null(f);
    double t, y, s = 0.1, p = 0.2, mu = 2, A = 1 / (p * p), b = mu / (p * p);
    assert_int_equal(fscanf(f, "t,at.x"), 0);
    while (fscanf(f, "%lf,%lf", &t, &y) == 2) {
        double a = t * t / 4;
        A += a * a / (s * s), b += a * y / (s * s);
    }
    fclose(f);
    kit_fit r =
        kit_solve(PUSH "noise: {at.x: 10 cm}\nunknowns: {f: {start: 1, scale: linear, prior: [2, 0.2]}}\n");
    kit_converged(&r);
    kit_is("posterior mean", kit_value_of(&r, "f"), b / A, 1e-9);
    kit_is("posterior deviation", kit_error_of(&r, "f"), 1 / sqrt(A), 1e-9);
    kit_drop(&r);
}

/* A prior alone decides on what the data do not see. */
static void test_prior_alone(void **state)
{
    (void)state;
    kit_measure("data.csv", &clean);
    kit_fit r = kit_solve(SPRING "noise: {at.x: 1 mm}\nunknowns: {k: {start: 60, bounds: [1, 1e4]}, "
                                 "bob.mass: {start: 2, prior: [2, 0.02]}}\n");
    kit_converged(&r);
    /* only k/m (with c and f fixed, m a little on its own) */
    kit_is("m", kit_value_of(&r, "bob.mass"), 2, 0.02);
    assert_true(kit_error_of(&r, "bob.mass") <= 0.02 * 1.001);
    kit_drop(&r);
}

/* How many verdicts about what is seen have these words. */
static int told(const kit_fit *r, const char *words)
{
    int n = 0;
    for (int i = 0; i < r->e->n_verdict; i++)
        n += !strcmp(r->e->verdict[i].about, "identifiability") && strstr(r->e->verdict[i].text, words);
    return n;
}

/* What is not seen is told once, with what to do; neither as hardly determined nor as correlated again. A
   bound that is reached is told once, and may be why the data are not explained. */
static void test_told_once(void **state)
{
    (void)state;
    kit_measure("data.csv", &clean);
    /* a tenth of a second of a second's period: force, damping and stiffness look alike */
    kit_fit r = kit_solve(SPRING "end: 0.1 s\nnoise: {at.x: 1 mm}\nunknowns: {k: 60, c: 1, f: 2 N}\n");
    assert_true(told(&r, "fix ") >= 1);
    assert_false(kit_says(&r, "hardly determined") || kit_says(&r, "told apart (correlation"));
    kit_drop(&r);
    r = kit_solve(SPRING
                  "unknowns: {k: {start: 60, bounds: [10, 70]}, c: {start: 1, bounds: [1e-3, 100]}}\n");
    assert_int_equal(told(&r, "bound"), 1);
    kit_must_say(&r, "70 N/m: the data want it beyond, and without the bound they may be explained");
    kit_must_say(&r, "it is the model, not the search, or the bound that was reached");
    kit_drop(&r);
}

static void test_bounds(void **state)
{
    (void)state;
    kit_measure("data.csv", &clean);
    kit_fit r = kit_solve(
        SPRING "noise: {at.x: 1 mm}\n"
               "unknowns: {k: {start: 60, bounds: [10, 70]}, c: {start: 1, bounds: [1e-3, 100]}}\n");
    kit_converged(&r);
    kit_is("k", kit_value_of(&r, "k"), 70, 70e-12);
    assert_int_equal(r.e->at_bound[kit_unknown(&r, "k")], 1);
    assert_int_equal(r.e->at_bound[kit_unknown(&r, "c")], 0);
    kit_must_say(&r, "k is at its upper bound, 70 N/m: the data want it beyond");
    assert_true(isnan(kit_error_of(&r, "k")));
    assert_true(isfinite(kit_error_of(&r, "c")));
    kit_drop(&r);
    r = kit_solve(SPRING "unknowns: {k: {start: 200, bounds: [100, 1e4], scale: linear}}\n");
    kit_is("k", kit_value_of(&r, "k"), 100, 1e-10);
    kit_must_say(&r, "k is at its lower bound, 100 N/m: the data want it beyond");
    kit_drop(&r);
}

static void test_ties(void **state)
{
    (void)state;
    kit_data d = clean;
    d.set = "k=50 c=0.5";
    kit_measure("data.csv", &d);
    kit_fit r =
        kit_solve(SPRING "unknowns: {k: {start: 80, bounds: [1, 1e4]}, c: {tie: k^2*0.0002 s*m/N}}\n");
    kit_converged(&r);
    assert_int_equal(r.s->n_unknown, 1);
    kit_is("k", kit_value_of(&r, "k"), 50, 50e-7);
    kit_drop(&r);
    /* a tie that changes nothing leaves the standard error; one with more influence makes it smaller */
    d.sigma = 1e-3, d.seed = 3;
    kit_measure("data.csv", &d);
    r = kit_solve(SPRING
                  "noise: {at.x: 1 mm}\nset: {c: 0.5}\nunknowns: {k: {start: 80, bounds: [1, 1e4]}}\n");
    double alone = kit_error_of(&r, "k");
    kit_drop(&r);
    r = kit_solve(SPRING "noise: {at.x: 1 mm}\nset: {c: 0.5}\n"
                         "unknowns: {k: {start: 80, bounds: [1, 1e4]}, f: {tie: 3 N + 0*k*1 m}}\n");
    kit_is("standard error", kit_error_of(&r, "k"), alone, 1e-6 * alone);
    kit_drop(&r);
}

/* m, k, c, f appear in m x'' = f - k (x - l0) - c x' up to a factor only. */
static void test_unseen(void **state)
{
    (void)state;
    kit_data d = clean;
    d.sigma = 1e-4, d.seed = 4;
    kit_measure("data.csv", &d);
    kit_fit r = kit_solve(
        SPRING "noise: {at.x: 0.1 mm}\nunknowns: {m: {start: 2, bounds: [0.1, 100]}, k: {start: 60, bounds: "
               "[1, 1e4]}, c: {start: 1, bounds: [1e-3, 100]}, f: {start: 2, bounds: [0.1, 100]}}\n");
    kit_must_say(&r, "m, k, c, f can only be scaled together");
    for (int k = 0; k < 4; k++) assert_true(isinf(r.e->std_error[k]));
    kit_is("k/m", kit_value_of(&r, "k") / kit_value_of(&r, "m"), 40, 0.1);
    kit_drop(&r);
    /* the other way: a number that nothing depends on */
    r = kit_solve("study: 1\nmodel: spring.yaml\ndata: data.csv\nnoise: {at.x: 0.1 mm}\n"
                  "unknowns: {k: {start: 60, bounds: [1, 1e4]}, rail.y: {start: 0, scale: linear}}\n");
    assert_true(isfinite(kit_error_of(&r, "k")));
    kit_drop(&r);
}

/* 5 % of the samples are off by 30 standard deviations, all to one side: squares are drawn along by about
   0.05 * 30 = 1.5 deviations of single samples, 15 standard errors; Huber's function bounds each at 1.345
   deviations, 0.07 in the mean, below one standard error of 100 samples. */
static void test_outliers(void **state)
{
    (void)state;
    int bad = 0;
    double noise = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        kit_data d = clean;
        d.sigma = 1e-3, d.wild = 0.05, d.seed = seed * 77;
        kit_measure("data.csv", &d);
        kit_fit squares = kit_solve(SPRING K_AND_C "noise: {at.x: 1 mm}\n");
        kit_fit huber = kit_solve(SPRING K_AND_C "noise: {at.x: 1 mm}\nloss: huber\n");
        kit_fit own = kit_solve(SPRING K_AND_C "loss: huber\n");
        kit_converged(&huber);
        kit_converged(&own);
        for (int i = 0; i < 2; i++) {
            double truth = i ? 1.5 : 80, se = huber.e->std_error[i];
            kit_is("with Huber's function", huber.e->value[i], truth, 4 * se);
            /* the noise found by itself is that of the good samples, up to what the outliers add to a median
             */
            kit_is("with its own noise", own.e->value[i], truth, 4.5 * se);
            bad += fabs(squares.e->value[i] - truth) > 4 * se; /* its own may allow for the outliers */
        }
        noise += own.e->channel[0][0].sigma / 5;
        kit_drop(&squares), kit_drop(&huber), kit_drop(&own);
    }
    assert_true(bad >= 5); /* of 10: else the test shows nothing */
    /* 1.4826 times the median of |r|: with 5 % outliers the median is where 0.95 (2 Phi(x) - 1) = 1/2, 6.2 %
       too far; its deviation is 1.167/sqrt(101) for one seed (efficiency 0.37). Four deviations of the mean
       of 5. */
    kit_is("robust noise", noise, 1.062e-3, 4 * 1.167e-3 / sqrt(5 * 101.0));
}

/* Bars of one element each against data of four each: small noise cannot explain what is left. */
static void test_model_error(void **state)
{
    (void)state;
    static char text[8000], fine[9000];
    FILE *f = fopen(SN_SOURCE_DIR "/examples/two-bar/two-bar.yaml", "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    kit_put("coarse.yaml", text);
    size_t used = 0;
    for (char *c = text, *hit; c; c = hit) {
        hit = strstr(c, "section: strip}");
        if (hit) *hit = 0, hit += strlen("section: strip}");
        used += (size_t)snprintf(fine + used, sizeof fine - used, "%s%s", c,
                                 hit ? "section: strip, elements: 4}" : "");
    }
    kit_put("fine.yaml", fine);
    kit_data d = {.model = "fine.yaml",
                  .channels = "node5.x node5.y node2.x node4.y",
                  .end = 0.4,
                  .dt = 4e-3,
                  .sigma = 1e-4,
                  .seed = 9};
    static const char study[] =
        "study: 1\nmodel: coarse.yaml\nrun: {step: 4 ms}\ndata: data.csv\nnoise: {node5.x: 0.1 mm, node5.y: "
        "0.1 mm, node2.x: 0.1 mm, node4.y: 0.1 mm}\n"
        "unknowns: {k1: {start: 600, bounds: [1, 1e6]}, kt1: {start: 0.4, bounds: [1e-3, 1e3]}}\n";
    kit_measure("data.csv", &d);
    kit_fit r = kit_solve(study);
    kit_must_say(&r, "model error");
    kit_must_say(&r, "times the stated noise");
    kit_drop(&r);
    d.model = "coarse.yaml", d.set = "run.step=4e-3"; /* and the right mesh is not blamed */
    kit_measure("data.csv", &d);
    r = kit_solve(study);
    assert_false(kit_says(&r, "model error"));
    kit_must_say(&r, "the residuals look like noise");
    kit_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_errors_stated),
        cmocka_unit_test(test_errors_estimated),
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_told_once),
        cmocka_unit_test(test_prior),
        cmocka_unit_test(test_prior_alone),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_unseen),
        cmocka_unit_test(test_outliers),
        cmocka_unit_test(test_model_error),
    };
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
