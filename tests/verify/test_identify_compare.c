/* Studies compared on the same data. The free mass under a constant force (push.yaml) is linear in its
   unknowns, x = v0 t + f t^2 / (2 m), so that likelihoods and their ratio have closed forms. */
#include "identify_kit.h"

static double number_of(const char *json, const char *study, const char *key)
{
    char text[200];
    snprintf(text, sizeof text, "/%s\", \"title\"", study);
    const char *at = strstr(json, text);
    if (!at) fail_msg("no study %s in %s", study, json);
    snprintf(text, sizeof text, "\"%s\": ", key);
    at = strstr(at, text);
    if (!at) fail_msg("no %s of %s", key, study);
    return strncmp(at + strlen(text), "null", 4) ? atof(at + strlen(text)) : NAN;
}

static double first_ratio(const char *json, const char *key)
{
    char text[200];
    const char *at = strstr(json, "\"ratios\": [{");
    if (!at) return NAN;
    snprintf(text, sizeof text, "\"%s\": ", key);
    at = strstr(at, text);
    return at ? atof(at + strlen(text)) : NAN;
}

static sn_compare_info compare(const char *a, const char *b)
{
    const char *const study[] = {kit_path("a.yaml"), kit_path("b.yaml")};
    sn_compare_info info;
    sn_err err;
    sn_err_clear(&err);
    kit_put("a.yaml", a), kit_put("b.yaml", b);
    kit_tell(&err, sn_identify_compare(2, study, NULL, &(sn_identify_options){.threads = 1}, &info, &err));
    return info;
}

static void drop(sn_compare_info *info) { sn_release(info->summary), sn_release(info->json); }

static void push_data(const char *set, double sigma, uint64_t seed)
{
    kit_measure("d.csv", &(kit_data){.model = "push.yaml",
                                     .set = set,
                                     .channels = "at.x",
                                     .end = 1,
                                     .dt = 0.01,
                                     .sigma = sigma,
                                     .seed = seed});
}

enum { ROWS = 101 };

static void read_data(double *t, double *x)
{
    char line[100];
    FILE *f = fopen(kit_path("d.csv"), "r");
    assert_true(f && fgets(line, sizeof line, f));
    for (int i = 0; i < ROWS; i++) assert_int_equal(fscanf(f, "%lf,%lf", &t[i], &x[i]), 2);
    fclose(f);
}

/* Least sums of squares with f alone, and with f and v0; m = 2. */
static void by_hand(double rss[2])
{
    double t[ROWS], x[ROWS], aa = 0, ab = 0, bb = 0, ax = 0, bx = 0;
    read_data(t, x);
    for (int i = 0; i < ROWS; i++) {
        double a = t[i] * t[i] / 4, b = t[i];
        aa += a * a, ab += a * b, bb += b * b, ax += a * x[i], bx += b * x[i];
    }
    double det = aa * bb - ab * ab, f = (bb * ax - ab * bx) / det, v = (aa * bx - ab * ax) / det;
    rss[0] = rss[1] = 0;
    for (int i = 0; i < ROWS; i++) {
        double one = x[i] - ax / aa * t[i] * t[i] / 4, two = x[i] - f * t[i] * t[i] / 4 - v * t[i];
        rss[0] += one * one, rss[1] += two * two;
    }
}

#define PUSH  "study: 1\nmodel: push.yaml\ndata: d.csv\nstarts: 0\n"
#define SMALL "unknowns: {f: 2}\n"
#define LARGE "unknowns: {f: 2, v0: 0.1}\n"

/* Log likelihoods, criteria and the ratio, with a noise that is stated and one that is not. Searches end
   where the cost changes by 1e-9 of itself or so; the steps of the run are exact for a constant force. */
static void closed_forms(void **state)
{
    double rss[2], n = ROWS, sigma = 0.01, pi = acos(-1);
    (void)state;
    push_data("v0=0.02", sigma, 4);
    by_hand(rss);
    for (int stated = 0; stated < 2; stated++) {
        const char *noise = stated ? "noise: {at.x: 10 mm}\n" : "";
        char a[300], b[300];
        snprintf(a, sizeof a, PUSH "%s" SMALL, noise), snprintf(b, sizeof b, PUSH "%s" LARGE, noise);
        sn_compare_info info = compare(a, b);
        double L[2];
        for (int i = 0; i < 2; i++) {
            int k = i + 1 + !stated;
            const char *name = i ? "b.yaml" : "a.yaml";
            L[i] = stated ? -rss[i] / (2 * sigma * sigma) - n * log(sigma * sqrt(2 * pi))
                          : -n / 2 * (log(2 * pi * rss[i] / n) + 1);
            kit_is("log L", number_of(info.json, name, "log_likelihood"), L[i], 1e-5);
            kit_is("AIC", number_of(info.json, name, "aic"), 2 * k - 2 * L[i], 1e-4);
            kit_is("AICc", number_of(info.json, name, "aicc"),
                   2 * k - 2 * L[i] + 2.0 * k * (k + 1) / (n - k - 1), 1e-4);
            kit_is("BIC", number_of(info.json, name, "bic"), k * log(n) - 2 * L[i], 1e-4);
        }
        kit_is("ratio", first_ratio(info.json, "chi_square"), 2 * (L[1] - L[0]), 1e-4);
        kit_is("p", first_ratio(info.json, "p_value"), erfc(sqrt(L[1] - L[0])), 1e-6);
        double weight = 1 / (1 + exp((log(n) - 2 * (L[1] - L[0])) / 2));
        kit_is("weight", number_of(info.json, "b.yaml", "weight_bic"), weight, 1e-4);
        assert_int_equal(info.best, 2 * (L[1] - L[0]) > log(n));
        assert_non_null(strstr(info.summary, "with v0 fixed: likelihood ratio"));
        drop(&info);
    }
}

/* Without a speed at the start 40 sets of data want one with a probability of 5 % each: 7 or more of 40 in
   0.3 % of all cases. BIC takes it where chi square exceeds log(101), in 3.2 %: 6 or more in 0.2 %. */
static void no_more_than_needed(void **state)
{
    int wanted = 0, taken = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        push_data(NULL, 0.01, seed);
        sn_compare_info info = compare(PUSH SMALL, PUSH LARGE);
        wanted += first_ratio(info.json, "p_value") < 0.05, taken += info.best;
        drop(&info);
    }
    assert_true(wanted <= 6 && taken <= 5);
}

/* Another model is no part of the other: there is no ratio, but a ranking; the one that the data were made
   with wins, predicts what was held out, and has no bad verdict. */
static void models(void **state)
{
    (void)state;
    kit_put("other.yaml", "sinew: 1\n"
                          "nodes: {b: {point2d: [1.2, 0]}}\n"
                          "elements: {bob: {mass2d: b, mass: 2}, s: {spring2d: [ground, b], k: 80, l0: 1}}\n"
                          "joints: {rail: {fixed: b, only: y}}\n"
                          "sensors: {at: {position: b}}\n"
                          "run: {end: 1 s, step: 5 ms}\n");
    for (int i = 0; i < 2; i++)
        kit_measure(i ? "held.csv" : "d.csv", &(kit_data){.model = "spring.yaml",
                                                          .set = "f=0",
                                                          .channels = "at.x",
                                                          .end = 1,
                                                          .dt = 0.01,
                                                          .sigma = 2e-3,
                                                          .seed = 7 + (uint64_t)i});
    const char *data = "experiments: {one: d.csv, two: {data: held.csv, hold_out: yes}}\nstarts: 0\n";
    char a[400], b[400];
    snprintf(a, sizeof a, "study: 1\nmodel: other.yaml\n%sunknowns: {s.k: 70}\n", data);
    snprintf(b, sizeof b, "study: 1\nmodel: spring.yaml\nset: {f: 0}\n%sunknowns: {k: 70, c: 1}\n", data);
    sn_compare_info info = compare(a, b);
    assert_int_equal(info.best, 1);
    assert_true(info.level < 2);
    assert_true(isnan(first_ratio(info.json, "p_value")));
    assert_true(number_of(info.json, "a.yaml", "bad") > 0);
    double held[2] = {number_of(info.json, "a.yaml", "hold_out_rms"),
                      number_of(info.json, "b.yaml", "hold_out_rms")};
    /* 101 numbers: a standard deviation of 7 % */
    kit_is("held out", held[1], 1, 0.3);
    assert_true(held[0] > 3 * held[1]);
    drop(&info);
    /* the other way round, the same */
    info = compare(b, a);
    assert_int_equal(info.best, 0);
    drop(&info);
}

/* Coloured noise, each number three times: 101 numbers are worth a third. A moving average of three has the
   sum of autocorrelations 1 + 2 (2/3 + 1/3) = 3; estimated from 101 values, to a factor of 2. */
static void repeated(void **state)
{
    double t[ROWS], x[ROWS];
    uint64_t seed = 11;
    (void)state;
    push_data(NULL, 0, 1);
    read_data(t, x);
    FILE *f = fopen(kit_path("d.csv"), "w");
    double e[3] = {kit_normal(&seed), kit_normal(&seed), 0};
    fprintf(f, "t,at.x\n");
    for (int i = 0; i < ROWS; i++) {
        e[(i + 2) % 3] = kit_normal(&seed);
        fprintf(f, "%.17g,%.17g\n", t[i], x[i] + 0.01 * (e[0] + e[1] + e[2]));
    }
    fclose(f);
    sn_compare_info info = compare(PUSH SMALL, PUSH LARGE);
    const char *at = strstr(info.json, "\"effective\": ");
    assert_non_null(at);
    double n = atof(at + 13);
    assert_true(n > ROWS / 6.0 && n < ROWS / 1.5);
    assert_non_null(strstr(info.summary, "independent ones"));
    drop(&info);
}

static void must_differ(const char *a, const char *b, const char *words)
{
    const char *const study[] = {kit_path("a.yaml"), kit_path("b.yaml")};
    sn_compare_info info;
    sn_err err;
    sn_err_clear(&err);
    kit_put("a.yaml", a), kit_put("b.yaml", b);
    assert_int_equal(sn_identify_compare(2, study, NULL, &(sn_identify_options){.threads = 1}, &info, &err),
                     SN_ERR_INPUT);
    if (!strstr(err.report[0].text, words)) fail_msg("'%s' does not say '%s'", err.report[0].text, words);
    assert_null(info.json);
}

static void other_data(void **state)
{
    (void)state;
    push_data(NULL, 0.01, 1);
    kit_measure(
        "e.csv",
        &(kit_data){
            .model = "push.yaml", .channels = "at.x", .end = 1, .dt = 0.01, .sigma = 0.01, .seed = 2});
    kit_measure(
        "f.csv",
        &(kit_data){
            .model = "push.yaml", .channels = "fast.x", .end = 1, .dt = 0.01, .sigma = 0.01, .seed = 2});
    must_differ(PUSH SMALL, "study: 1\nmodel: push.yaml\ndata: e.csv\n" SMALL, "values of at.x");
    must_differ(PUSH SMALL, "study: 1\nmodel: push.yaml\ndata: f.csv\n" SMALL, "measures at.x");
    must_differ(PUSH SMALL, PUSH "end: 0.5 s\n" SMALL, "101 rows in the first");
    must_differ(PUSH SMALL, PUSH "offset: 1 ms\n" SMALL, "times");
    must_differ(PUSH SMALL, PUSH "noise: {at.x: 10 mm}\n" SMALL, "stated in one");
    must_differ(PUSH "noise: {at.x: 20 mm}\n" SMALL, PUSH "noise: {at.x: 10 mm}\n" SMALL,
                "0.02 in the first");
    must_differ(PUSH SMALL, PUSH "loss: huber\n" SMALL, "loss");
    must_differ(PUSH SMALL, "study: 1\nmodel: push.yaml\nexperiments: {a: d.csv, b: d.csv}\n" SMALL,
                "1 experiments in the first");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_forms), cmocka_unit_test(no_more_than_needed),
                                       cmocka_unit_test(models), cmocka_unit_test(repeated),
                                       cmocka_unit_test(other_data)};
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
