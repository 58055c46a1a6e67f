/* Statistics of residuals: the tail of chi square against closed forms and tables, and Ljung and Box's test
   on series of fixed seeds; bands of forces from a given covariance. */
#include "identify_kit.h"

#include "identify/statistics.h"

/* Q(chi^2|2) = exp(-x/2), Q(chi^2|1) = erfc(sqrt(x/2)), Q(chi^2|4) = (1 + x/2) exp(-x/2): both branches of
   the computation, series and continued fraction, to rounding. */
static void test_tail_closed(void **state)
{
    (void)state;
    for (double x = 1e-3; x < 400; x *= 1.7) {
        /* the series leaves 1 - p, so that its error is absolute */
        kit_is("two degrees", sn_chi_square_tail(x, 2), exp(-x / 2), 1e-13 * exp(-x / 2) + 2e-15);
        kit_is("one degree", sn_chi_square_tail(x, 1), erfc(sqrt(x / 2)), 1e-13 * erfc(sqrt(x / 2)) + 2e-15);
        kit_is("four degrees", sn_chi_square_tail(x, 4), (1 + x / 2) * exp(-x / 2),
               1e-13 * (1 + x / 2) * exp(-x / 2) + 2e-15);
    }
    assert_true(sn_chi_square_tail(0, 5) == 1);
    assert_true(sn_chi_square_tail(-1, 5) == 1);
    assert_true(sn_chi_square_tail(1e5, 5) < 1e-300);
}

/* Quantiles as printed in Abramowitz, Stegun, table 26.8, with five digits: relative error of p below
   x * 5e-6 * density/p, a few 1e-5. */
static void test_tail_table(void **state)
{
    (void)state;
    static const double table[][3] = {{1, 3.84146, 0.05},   {5, 11.0705, 0.05},  {10, 18.3070, 0.05},
                                      {20, 31.4104, 0.05},  {20, 37.5662, 0.01}, {30, 43.7729, 0.05},
                                      {10, 2.15585, 0.995}, {20, 10.8508, 0.95}, {100, 124.342, 0.05}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        kit_is("tail", sn_chi_square_tail(table[i][1], table[i][0]), table[i][2], 5e-5 * table[i][2]);
}

static void whiteness(int n, double a, uint64_t seed, sn_arena *arena, sn_whiteness *w)
{
    double *r = calloc((size_t)n, sizeof *r);
    for (int i = 0; i < n; i++) r[i] = (i ? a * r[i - 1] : 0) + kit_normal(&seed);
    assert_int_equal(sn_whiteness_of(arena, n, r, w, NULL), SN_OK);
    free(r);
}

/* p is uniform for white noise: of 200 series k fall below 0.05, binomial with 10 +- 3.1; 99.9 %: 2 .. 22. Of
   4000 autocorrelations 5 % leave the limit, with a deviation of 13.8: 200 +- 46 at 99.9 %. */
static void test_white(void **state)
{
    (void)state;
    sn_arena arena = {0};
    int below = 0, outside = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        sn_whiteness w;
        whiteness(500, 0, seed * 7919, &arena, &w);
        assert_int_equal(w.n, 20);
        below += w.p < 0.05;
        for (int k = 0; k < w.n; k++) outside += fabs(w.r[k]) > w.limit;
    }
    sn_arena_free(&arena);
    assert_in_range(below, 2, 22);
    assert_in_range(outside, 154, 246);
}

/* A first-order process x = a x' + e: autocorrelations a^k, each within 4/sqrt(n) (Bartlett: (1 + a^2)/(1 -
   a^2)/n at most). */
static void test_coloured(void **state)
{
    (void)state;
    sn_arena arena = {0};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        sn_whiteness w;
        whiteness(1000, 0.5, seed * 104729, &arena, &w);
        assert_true(w.p < 1e-12);
        for (int k = 0; k < 4; k++)
            kit_is("autocorrelation", w.r[k], pow(0.5, k + 1), 4 * sqrt(5.0 / 3 / 1000));
    }
    sn_arena_free(&arena);
}

/* Short, constant and linear series. */
static void test_odd(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_whiteness w;
    double r[100] = {0};
    assert_int_equal(sn_whiteness_of(&arena, 0, r, &w, NULL), SN_OK);
    assert_true(w.n == 0 && w.p == 1);
    assert_int_equal(sn_whiteness_of(&arena, 4, r, &w, NULL), SN_OK);
    assert_true(w.n == 0 && w.p == 1);
    assert_int_equal(sn_whiteness_of(&arena, 100, r, &w, NULL), SN_OK);
    assert_true(w.p == 1);
    for (int i = 0; i < 100; i++) r[i] = i;
    assert_int_equal(sn_whiteness_of(&arena, 100, r, &w, NULL), SN_OK);
    assert_true(w.p < 1e-100 && w.r[0] > 0.9);
    sn_arena_free(&arena);
}

/* The efforts of a study's text at its start values and an offset of -0.2 s, where one is sought; var: the
   diagonal of the covariance of z, which has nothing else. */
static kit_fit efforts_of(const char *text, double (*var)(const sn_study *s, int k))
{
    kit_fit r = {NULL, NULL};
    static sn_err err;
    sn_fit *f;
    sn_err_clear(&err);
    kit_put("study.yaml", text);
    kit_tell(&err, sn_study_read(kit_path("study.yaml"), NULL, 0, &r.s, &err));
    kit_tell(&err, sn_fit_new(r.s, 1, &f, &err));
    kit_tell(&err, sn_estimate_new(r.s, &r.e, &err));
    sn_fit_start(f, r.e->z);
    for (int k = 0; k < f->n; k++)
        if (r.s->unknown[k].id < 0) r.e->z[k] = sn_fit_z(r.s, k, -0.2);
    kit_tell(&err, sn_fit_evaluate(f, r.e->z, INFINITY, 0, 1, &err));
    for (int k = 0; k < f->n; k++) r.e->covariance[(size_t)k * (size_t)f->n + (size_t)k] = var(r.s, k);
    kit_tell(&err, sn_efforts(f, r.e, &err));
    sn_fit_free(f);
    return r;
}

static double unit_of_value(const sn_study *s, int k) { return pow(0.1 / s->unknown[k].scale, 2); }

/* 600 forces of 1 N on a mass of 2 kg, each known to 0.1 N, independent: x = sum f t^2/4 is known to
   sqrt(600) 0.1 t^2/4. The scheme is exact for constant forces; what is left is rounding, of 600 terms and of
   Newton's iteration. */
static void test_many_unknowns(void **state)
{
    (void)state;
    enum { N = 600 };
    char *model = malloc(200 * N), *study = malloc(200 * N), *m = model, *s = study;
    m += sprintf(m, "sinew: 1\nnodes: {b: {point2d: [0, 0]}}\nsensors: {at: {position: b}}\n"
                    "run: {end: 0.1 s, step: 20 ms}\nparameters:\n");
    for (int k = 0; k < N; k++) m += sprintf(m, "  f%d: 1 N\n", k);
    m += sprintf(m, "elements:\n  bob: {mass2d: b, mass: 2}\n");
    for (int k = 0; k < N; k++) m += sprintf(m, "  p%d: {force2d: b, force: [f%d, 0]}\n", k, k);
    s += sprintf(s, "study: 1\nmodel: many.yaml\ndata: many.csv\nnoise: {at.x: 1}\nefforts: [at.x]\n"
                    "unknowns:\n");
    for (int k = 0; k < N; k++) s += sprintf(s, "  f%d: {start: 1, scale: linear, prior: [1, 0.1]}\n", k);
    kit_put("many.yaml", model);
    kit_put("many.csv", "t,at.x\n0,0\n0.05,1\n0.1,2\n");
    kit_fit r = efforts_of(study, unit_of_value);
    assert_int_equal(r.e->n_effort, 1);
    const sn_effort *e = r.e->effort;
    assert_int_equal(e->n, 3);
    for (int i = 0; i < e->n; i++) {
        double t = e->t[i];
        kit_is("x", e->y[i], N * t * t / 4, 1e-11);
        kit_is("band", e->band[i], sqrt(N) * 0.1 * t * t / 4, 1e-11);
    }
    kit_drop(&r);
    free(model), free(study);
}

static double offset_alone(const sn_study *s, int k)
{
    return s->unknown[k].id < 0 ? pow(1e-3 / s->unknown[k].scale, 2) : 0;
}

/* A clock that is early by 0.2 s, known to 1 ms: at the data's t the model is at t - 0.2, and
   x = v0 t + f t^2/(2 m) is known to 1 ms times its rate, by differences over 10 us: 1e-3 times rounding /
   1e-5. The first sample is before the run and has no effort. */
static void test_offset_efforts(void **state)
{
    (void)state;
    static const double t[] = {0.25, 0.5, 0.75};
    kit_put("early.csv", "t,at.x\n0.1,0\n0.25,0.1\n0.5,0.3\n0.75,1\n");
    kit_fit r = efforts_of("study: 1\nmodel: push.yaml\nset: {v0: 0.5}\ndata: early.csv\n"
                           "offset: unknown\nnoise: {at.x: 1}\nefforts: [at.x]\n"
                           "unknowns: {f: {start: 3, scale: linear}}\n",
                           offset_alone);
    assert_int_equal(r.e->n_effort, 1);
    const sn_effort *e = r.e->effort;
    assert_int_equal(e->n, 3);
    for (int i = 0; i < e->n; i++) {
        double u = t[i] - 0.2;
        assert_true(e->t[i] == t[i]);
        kit_is("x", e->y[i], 0.5 * u + 0.75 * u * u, 1e-12);
        kit_is("band", e->band[i], 1e-3 * (0.5 + 1.5 * u), 1e-12);
    }
    kit_drop(&r);
}

/* As many verdicts as there are, and all of each; a summary that leaves unknowns out says so. */
static void test_many_verdicts(void **state)
{
    (void)state;
    enum { N = 40, LENGTH = 900 };
    sn_unknown unknown[N];
    char name[N][16], long_text[LENGTH + 1], *text;
    static sn_err err;
    sn_estimate *e;
    for (int k = 0; k < N; k++) {
        snprintf(name[k], sizeof name[k], "p%d", k);
        unknown[k] =
            (sn_unknown){.name = name[k], .unit = "", .shown = "", .shown_factor = 1, .experiment = -1};
    }
    const sn_study s = {
        .title = "many", .file = "study.yaml", .unknown = unknown, .n_unknown = N, .n_common = N};
    memset(long_text, 'x', LENGTH), long_text[LENGTH] = 0;
    sn_err_clear(&err);
    kit_tell(&err, sn_estimate_new(&s, &e, &err));
    for (int k = 0; k < N; k++) sn_estimate_verdict(e, 1, "data", "%d %s.", k, long_text);
    assert_int_equal(sn_estimate_whole(e, &err), SN_OK);
    assert_int_equal(e->n_verdict, N);
    assert_int_equal(strlen(e->verdict[N - 1].text), LENGTH + 4);
    kit_tell(&err, sn_estimate_summary(e, &text, &err));
    assert_non_null(strstr(text, "39 xxx"));
    assert_non_null(strstr(text, "and 16 more: study.json has them all"));
    sn_release(text);
    sn_estimate_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tail_closed),   cmocka_unit_test(test_tail_table),
        cmocka_unit_test(test_white),         cmocka_unit_test(test_coloured),
        cmocka_unit_test(test_odd),           cmocka_unit_test(test_many_verdicts),
        cmocka_unit_test(test_many_unknowns), cmocka_unit_test(test_offset_efforts)};
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
