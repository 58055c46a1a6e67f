/* Noise that follows itself as a part of the fit (noise_model: ar), and a discrepancy of the model.

   Coverage: of SEEDS intervals of 95 % MOST or more are outside with a probability of 7e-4 (binomial), as in
   test_intervals.c. A wrong model must not become right by a model of its residuals. */
#include "identify_kit.h"
#include "identify/compare.h"

enum { SEEDS = 30, MOST = 7 };

static const char head[] = "study: 1\nmodel: spring.yaml\ndata: data.csv\nunknowns: {k: 60, c: 1}\n";

static void measure(kit_data d, uint64_t seed)
{
    d.model = "spring.yaml", d.end = 2, d.dt = 0.0125, d.sigma = 1e-3, d.seed = seed * 1000003;
    if (!d.channels) d.channels = "at.x";
    kit_measure("data.csv", &d);
}

static kit_fit solve(const char *rest)
{
    char text[600];
    snprintf(text, sizeof text, "%s%s", head, rest);
    kit_fit r = kit_solve(text);
    kit_converged(&r);
    return r;
}

static int level(const kit_fit *r, const char *about)
{
    int worst = 0;
    for (int i = 0; i < r->e->n_verdict; i++)
        if (!strcmp(r->e->verdict[i].about, about) && r->e->verdict[i].level > worst)
            worst = r->e->verdict[i].level;
    return worst;
}

/* Right model, coloured noise: intervals hold the truth, and nothing is called bad more often than by chance
   (two of 30 where each has 1 % is 4e-2, four 2e-4). */
static void cover(const char *name, const char *rest, kit_data d)
{
    static const char *const unknown[] = {"k", "c"};
    static const double truth[] = {80, 1.5};
    int outside[2] = {0}, bad = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        measure(d, seed);
        kit_fit r = solve(rest);
        bad += level(&r, "residuals") > 1 || level(&r, "model") > 1;
        for (int i = 0; i < 2; i++) {
            int k = kit_unknown(&r, unknown[i]);
            outside[i] += truth[i] < r.e->lo[k] || truth[i] > r.e->hi[k];
        }
        kit_drop(&r);
    }
    print_message("  %-24s %d, %d of %d outside, %d called bad\n", name, outside[0], outside[1], SEEDS, bad);
    assert_true(outside[0] < MOST && outside[1] < MOST);
    assert_true(bad < 4);
}

static void test_coverage(void **state)
{
    (void)state;
    cover("AR(1), 0.5", "noise_model: ar\n", (kit_data){.ar = {0.5}});
    cover("AR(1), 0.95", "noise_model: ar\n", (kit_data){.ar = {0.95}});
    cover("AR(2), resonant", "noise_model: ar\n", (kit_data){.ar = {1.6, -0.9}});
    cover("0.8, a gap", "noise_model: {at.x: {ar: 1}}\n", (kit_data){.ar = {0.8}, .gap = {0.5, 0.9}});
    cover("0.8 at uneven times", "noise_model: ar\n", (kit_data){.ar = {0.8}, .jitter = 0.9});
}

/* The coefficients: an autoregression of order one scatters by sqrt((1 - a^2)/n) about a; five of these and
   what the fit takes, 4/n. */
static void test_coefficients(void **state)
{
    (void)state;
    measure((kit_data){.ar = {0.8}}, 5);
    kit_fit r = solve("noise_model: ar\n");
    const sn_channel_noise *q = &r.s->experiment[0].noise[0];
    assert_int_equal(q->m.p, 1);
    kit_is("a", q->m.a[0], 0.8, 5 * sqrt(0.36 / 161) + 4.0 / 161);
    kit_is("variance in units of the deviation", sn_noise_variance(&q->m), 1, 1e-9);
    /* one of innovations that are new by 1 - a^2 */
    kit_is("share", r.e->channel[0][0].share, 1 - q->m.a[0] * q->m.a[0], 1e-9);
    kit_must_say(&r, "is taken for noise that follows itself");
    kit_drop(&r);
    r = solve("noise_model: {ar: 3}\n");
    assert_int_equal(r.s->experiment[0].noise[0].m.p, 3);
    kit_drop(&r);
}

/* Stated noise is the whole deviation of an autoregression, and the white part beside a discrepancy. */
static void test_stated(void **state)
{
    (void)state;
    measure((kit_data){.ar = {0.8}}, 6);
    kit_fit r = solve("noise_model: ar\nnoise: {at.x: 1.6667 mm}\n");
    kit_is("deviation", r.s->experiment[0].sigma[0], 1.6667e-3, 1e-15);
    kit_is("variance", sn_noise_variance(&r.s->experiment[0].noise[0].m), 1, 1e-9);
    kit_drop(&r);
    r = solve("discrepancy: yes\nnoise: {at.x: 0.5 mm}\n");
    kit_is("white part", r.s->experiment[0].noise[0].m.variance, 1, 1e-9);
    kit_drop(&r);
}

/* The gradient of the whitened cost is that of its differences: steps of 1e-5 in z leave 1e-10 of the third
   derivative and 1e-16/1e-5 of rounding, relative to a cost of about 80. */
static void test_gradient(void **state)
{
    sn_fit *f;
    sn_err err;
    double z[2], g[2], at[2];
    (void)state;
    measure((kit_data){.ar = {0.8}, .gap = {0.5, 0.7}}, 3);
    kit_fit r = solve("noise_model: {ar: 2}\n");
    sn_err_clear(&err);
    kit_tell(&err, sn_fit_new(r.s, 1, &f, &err));
    for (int k = 0; k < 2; k++) z[k] = r.e->z[k] + 0.02 * (k + 1);
    kit_tell(&err, sn_fit_evaluate(f, z, INFINITY, 0, 1, &err));
    memcpy(g, f->g, sizeof g);
    for (int k = 0; k < 2; k++) {
        double cost[2];
        for (int side = 0; side < 2; side++) {
            memcpy(at, z, sizeof at);
            at[k] += side ? 1e-5 : -1e-5;
            kit_tell(&err, sn_fit_evaluate(f, at, INFINITY, 0, 1, &err));
            cost[side] = f->cost;
        }
        kit_is("slope", (cost[1] - cost[0]) / 2e-5, g[k], 1e-5 * fabs(g[k]) + 1e-6);
    }
    sn_fit_free(f);
    kit_drop(&r);
}

/* Wrong in known ways: a free length of 20 mm more, a speed at the start, a larger force. */
static void test_wrong(void **state)
{
    static const char *const truth[] = {"l0=1.02", "v0=0.05", "f=3.4"};
    (void)state;
    for (size_t i = 0; i < sizeof truth / sizeof *truth; i++)
        for (int how = 0; how < 2; how++) {
            measure((kit_data){.set = truth[i]}, 11);
            kit_fit r = solve(how ? "discrepancy: yes\n" : "noise_model: ar\n");
            int worst = 0;
            for (int v = 0; v < r.e->n_verdict; v++)
                worst = r.e->verdict[v].level > worst ? r.e->verdict[v].level : worst;
            if (worst < 2) fail_msg("%s passes with %s", truth[i], how ? "a discrepancy" : "a noise model");
            kit_drop(&r);
        }
}

/* White noise: no discrepancy is seen. The same with an offset of five deviations: it dominates, and its mean
   is the offset within its own deviation of some parts of the noise. */
static void test_discrepancy(void **state)
{
    (void)state;
    measure((kit_data){.ar = {0}}, 4);
    kit_fit r = solve("discrepancy: yes\n");
    assert_int_equal(level(&r, "discrepancy"), 0);
    kit_must_say(&r, "no discrepancy is seen");
    kit_drop(&r);
    measure((kit_data){.set = "l0=1.005"}, 4);
    r = solve("discrepancy: yes\n");
    assert_int_equal(level(&r, "discrepancy"), 2);
    kit_must_say(&r, "the model does not explain its data");
    assert_non_null(r.e->discrepancy[0]);
    const sn_experiment *x = &r.s->experiment[0];
    double sum = 0;
    for (int i = 0; i < x->n; i++) {
        double left = x->y[i] - r.e->model[0][i] - r.e->discrepancy[0][i];
        assert_true(r.e->discrepancy[0][x->n + i] > 0);
        sum += left * left / x->n;
    }
    /* what is left is the noise of 1 mm: chi square of 161 samples, less what the process follows */
    kit_is("noise left", sqrt(sum), 1e-3, 0.25e-3);
    kit_drop(&r);
}

/* The same residuals in two experiments that repeat each other. */
static void test_repeats(void **state)
{
    static const char text[] = "study: 1\nmodel: spring.yaml\nunknowns: {k: 60, c: 1}\nnoise_model: ar\n"
                               "starts: 0\nexperiments: {a: a.csv, b: b.csv}\n";
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        for (int i = 0; i < 2; i++) {
            kit_data d = {
                .model = "spring.yaml", .set = wrong ? "v0=0.2" : NULL, .channels = "at.x", .end = 2};
            d.dt = 0.0125, d.sigma = 1e-3, d.ar[0] = 0.8, d.seed = 77 + (uint64_t)i;
            kit_measure(i ? "b.csv" : "a.csv", &d);
        }
        kit_fit r = kit_solve(text);
        if (wrong)
            kit_must_say(&r, "repeat each other");
        else
            kit_must_say(&r, "they do not have the same residuals");
        kit_drop(&r);
    }
}

/* Refits to innovations that are drawn and coloured again: the same interval as that of standard errors, to
   the scatter of 60 quantiles (a third of a standard error), where it is not widened. */
static void test_bootstrap(void **state)
{
    (void)state;
    measure((kit_data){.ar = {0.8}}, 8);
    kit_fit r = solve("noise_model: {ar: 1}\nintervals: {bootstrap: 60}\nstarts: 0\n");
    int k = kit_unknown(&r, "k");
    assert_true(r.e->bootstrap.n > 55);
    assert_int_equal(r.e->bootstrap.block[0], 1); /* innovations are white */
    double half = (r.e->hi[k] - r.e->lo[k]) / 2, want = 2.2 * r.e->std_error[k];
    kit_is("half the interval", half, want, 0.8 * r.e->std_error[k]);
    kit_drop(&r);
}

static void refuses(const char *rest, const char *words)
{
    sn_study *s;
    sn_err err;
    char text[600];
    snprintf(text, sizeof text, "%s%s", head, rest);
    kit_put("study.yaml", text);
    sn_err_clear(&err);
    assert_int_equal(sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err), SN_ERR_INPUT);
    char report[1400];
    sn_report_format(&err.report[0], report, sizeof report);
    if (!strstr(report, words) || !strstr(report, "study.yaml:")) fail_msg("%s", report);
}

static void test_refused(void **state)
{
    (void)state;
    measure((kit_data){.jitter = 0.9}, 1);
    refuses("noise_model: {ar: 2}\n", "not at equal distances");
    measure((kit_data){.ar = {0}}, 1);
    refuses("noise_model: ma\n", "a noise model is 'white', 'ar'");
    refuses("noise_model: {ar: 40}\n", "is 1 to 20");
    refuses("noise_model: {at.z: ar}\n", "at.z");
    refuses("noise_model: {fast.x: ar}\n", "not measured");
    refuses("noise_model: ar\nloss: huber\n", "cannot be combined with 'loss: huber'");
    refuses("noise_model: ar\ndiscrepancy: yes\n", "not both");
    refuses("discrepancy: perhaps\n", "'yes', 'no'");
    refuses("method: direct\nnoise_model: ar\n", "is a key of the indirect method only");
}

/* Two studies of the same data: the likelihood of white noise and of an autoregression, by dense formulas. */
static void test_compare(void **state)
{
    (void)state;
    measure((kit_data){.ar = {0.8}}, 9);
    char text[600];
    snprintf(text, sizeof text, "%sstarts: 0\n", head);
    kit_put("white.yaml", text);
    snprintf(text, sizeof text, "%sstarts: 0\nnoise_model: {ar: 1}\n", head);
    kit_put("ar.yaml", text);
    char paths[2][160];
    snprintf(paths[0], sizeof paths[0], "%s", kit_path("white.yaml"));
    snprintf(paths[1], sizeof paths[1], "%s", kit_path("ar.yaml"));
    const char *const study[] = {paths[0], paths[1]};
    sn_compare_info info;
    sn_err err;
    sn_err_clear(&err);
    sn_identify_options o = {.threads = 1};
    kit_tell(&err, sn_identify_compare(2, study, NULL, &o, &info, &err));
    assert_int_equal(info.best, 1);
    kit_fit r = solve("starts: 0\nnoise_model: {ar: 1}\n");
    /* y' S^-1 y of an AR(1): (1 - a^2) y_0^2 + sum (y_i - a y_(i-1))^2, log det S = -log(1 - a^2), times the
       variance v of e, which is profiled */
    double a = r.s->experiment[0].noise[0].m.a[0], square = 0, n = r.s->experiment[0].n;
    for (int i = 0; i < r.s->experiment[0].n; i++) {
        double y = r.e->model[0][i] - r.s->experiment[0].y[i],
               b = i ? r.e->model[0][i - 1] - r.s->experiment[0].y[i - 1] : 0;
        square += i ? (y - a * b) * (y - a * b) : (1 - a * a) * y * y;
    }
    double log_l = -n / 2 * (log(2 * acos(-1) * square / n) + 1) + log(1 - a * a) / 2;
    char key[200];
    snprintf(key, sizeof key, "\"study\": \"%s\"", paths[1]);
    const char *at = strstr(strstr(info.json, key), "\"log_likelihood\": ");
    kit_is("log likelihood", strtod(at + 18, NULL), log_l, 1e-6 * fabs(log_l));
    sn_release(info.summary), sn_release(info.json);
    kit_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_coverage), cmocka_unit_test(test_coefficients),
                                       cmocka_unit_test(test_stated),   cmocka_unit_test(test_gradient),
                                       cmocka_unit_test(test_wrong),    cmocka_unit_test(test_discrepancy),
                                       cmocka_unit_test(test_repeats),  cmocka_unit_test(test_bootstrap),
                                       cmocka_unit_test(test_refused),  cmocka_unit_test(test_compare)};
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
