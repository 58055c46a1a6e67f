/* Forces sought as series of sines and cosines. Models are linear in the force (a free mass, an oscillator),
   data are computed by the same scheme, so that without noise the force comes back to what Newton's
   tolerance and the search's leave: 1e-8 of its size. */
#include "identify_kit.h"

#include "identify/series.h"

static const double pi = 3.14159265358979323846;

/* A mass on a rail, on a damped spring of 3.2 Hz or free (k = c = 0), pushed by a signal. */
static const char rail_text[] = "sinew: 1\n"
                                "parameters: {m: 2 kg, k: 800 N/m, c: 6 N*s/m}\n"
                                "nodes: {b: {point2d: [1, 0]}}\n"
                                "elements:\n"
                                "  bob: {mass2d: b, mass: m}\n"
                                "  s: {spring2d: [ground, b], k: k, c: c}\n"
                                "  push: {force2d: b, force: [push*1 N, 0]}\n"
                                "joints: {rail: {fixed: b, only: y}}\n"
                                "signals: {push: {expression: %s}}\n"
                                "sensors: {at: {position: b}, acc: {acceleration: b}}\n"
                                "run: {end: 4 s, step: 10 ms, scheme: newmark}\n";
static const char two[] = "20 + 30*sin(2*pi*0.8*t) - 12*cos(2*pi*0.8*t) + 25*cos(2*pi*2.1*t)";

static double truth(double t)
{
    return 20 + 30 * sin(2 * pi * 0.8 * t) - 12 * cos(2 * pi * 0.8 * t) + 25 * cos(2 * pi * 2.1 * t);
}

static int begin(void **state)
{
    char text[1200];
    if (kit_begin(state)) return -1;
    snprintf(text, sizeof text, rail_text, two);
    kit_put("rail.yaml", text);
    return 0;
}

/* The whole of an identification, as the command has it. */
static kit_fit identify(const char *text)
{
    kit_fit r = {NULL, NULL};
    sn_identify_info info;
    sn_err err;
    sn_err_clear(&err);
    kit_put("study.yaml", text);
    kit_tell(&err, sn_identify_keep(kit_path("study.yaml"), &(sn_identify_options){.threads = 1}, &info, &r.s,
                                    &r.e, &err));
    sn_release(info.summary), sn_release(info.json);
    return r;
}

/* The largest difference to the truth over its size; *outside: part of the times out of the 95 % band. */
static double force_error(const kit_fit *r, double *outside)
{
    const sn_history_fit *h = &r->e->history[0];
    double worst = 0, size = 0;
    *outside = 0;
    assert_int_equal(r->e->n_history, 1);
    for (int i = 0; i < h->n; i++) {
        double d = fabs(h->value[i] - truth(h->t[i]));
        worst = fmax(worst, d), size = fmax(size, fabs(truth(h->t[i])));
        *outside += d > 1.96 * h->std_error[i] ? 1.0 / h->n : 0;
    }
    return worst / size;
}

#define STUDY "study: 1\nmodel: rail.yaml\ndata: rail.csv\n"

/* Of a free mass and of an oscillator, from starts that are off by a fifth of 1/T; where frequencies of pairs
   are separate, which has false minima in between, by a twelfth. */
static void test_given_start(void **state)
{
    static const char *const set[] = {NULL, "k=0 c=0"}, *const of[] = {"shared", "separate"};
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int separate = 0; separate < 2; separate++) {
            char text[800];
            double outside;
            kit_measure(
                "rail.csv",
                &(kit_data){
                    .model = "rail.yaml", .set = set[i], .channels = "at.x acc.x", .end = 4, .dt = 0.01});
            snprintf(text, sizeof text,
                     STUDY "%snoise: {at.x: 1e-6, acc.x: 1e-6}\nunknowns:\n  push: {history: {form: series, "
                           "frequencies: %s, unit: N, "
                           "start: {offset: 10, amplitude: 20, frequency: [%s]}}}\n",
                     i ? "set: {k: 0 N/m, c: 0 N*s/m}\n" : "", of[separate],
                     separate ? "0.82 Hz, 2.09 Hz" : "0.85 Hz, 2.05 Hz");
            kit_fit r = kit_solve(text);
            kit_converged(&r);
            kit_is("the force", force_error(&r, &outside), 0, 1e-8);
            kit_is("a frequency", kit_value_of(&r, "push.frequency.1"), 0.8, 1e-8);
            kit_is("an amplitude", kit_value_of(&r, "push.cosine.1"), -12, 1e-6);
            assert_int_equal(r.e->history[0].n_term, 2);
            assert_int_equal(r.s->n_unknown, separate ? 9 : 7);
            kit_drop(&r);
        }
}

/* A series is linear in its amplitudes and, with known frequencies, its band is that of linear regression:
   of a free mass whose acceleration is measured, all samples equally good, value(t) has the variance
   sigma^2 m^2 x' (X'X)^-1 x with the columns of X. Here frequencies are sought as well: X has their
   derivatives. Tolerance: the numbers of the study's covariance, 1e-6. */
static void test_band_of_regression(void **state)
{
    (void)state;
    double outside;
    kit_measure("rail.csv", &(kit_data){.model = "rail.yaml",
                                        .set = "k=0 c=0",
                                        .channels = "acc.x",
                                        .end = 4,
                                        .dt = 0.01,
                                        .sigma = 0.5,
                                        .seed = 3});
    kit_fit r = kit_solve(
        STUDY "set: {k: 0 N/m, c: 0 N*s/m}\nnoise: {acc.x: 0.5}\nunknowns:\n  push: {history: {form: "
              "series, start: {offset: 20, amplitude: 20, frequency: [0.8, 2.1]}}}\n");
    kit_converged(&r);
    force_error(&r, &outside);
    enum { N = 7, M = 401 };
    static double X[M][N];
    double A[N][N] = {{0}}, sigma = 0.5 * 2, x[N], v = 0, s[N], factor;
    for (int i = 0; i < M; i++) sn_series_at(r.s, r.s->history_part, r.e->value, 0.01 * i, X[i]);
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++)
            for (int i = 0; i < M; i++) A[a][b] += X[i][a] * X[i][b];
    /* x' A^-1 x by elimination, for the middle of the history */
    memcpy(x, X[200], sizeof x), memcpy(s, x, sizeof s);
    for (int a = 0; a < N; a++)
        for (int b = a + 1; b < N; b++) {
            factor = A[b][a] / A[a][a];
            for (int c = 0; c < N; c++) A[b][c] -= factor * A[a][c];
            s[b] -= factor * s[a];
        }
    for (int a = N - 1; a >= 0; a--) {
        for (int b = a + 1; b < N; b++) s[a] -= A[a][b] * s[b];
        s[a] /= A[a][a];
        v += s[a] * x[a];
    }
    assert_int_equal(r.e->history[0].n, M);
    kit_is("the band over that of regression", r.e->history[0].std_error[200] / (sigma * sqrt(v)), 1, 1e-6);
    kit_drop(&r);
}

/* 20 seeds with 5 % noise: of all points 95 % are within their bands. Neighbouring points are alike (a record
   has 7 numbers), so that the mean over 20 x 7 of them has a deviation of about 2 %: three of these. */
static void test_bands_cover(void **state)
{
    double sum = 0, outside;
    (void)state;
    for (int seed = 1; seed <= 20; seed++) {
        kit_measure("rail.csv", &(kit_data){.model = "rail.yaml",
                                            .channels = "acc.x",
                                            .end = 4,
                                            .dt = 0.02,
                                            .sigma = 0.8,
                                            .seed = (uint64_t)seed});
        kit_fit r =
            kit_solve(STUDY "unknowns:\n  push: {history: {form: series, start: {offset: 20, amplitude: "
                            "20, frequency: [0.8, 2.1]}}}\n");
        kit_converged(&r);
        assert_true(force_error(&r, &outside) < 0.3);
        sum += outside / 20;
        kit_drop(&r);
    }
    kit_is("the part out of the bands", sum, 0.05, 0.06);
}

/* ---- growth ---- */

/* Without noise, with nothing known: the two terms that there are, to 1e-8; then nothing is left. */
static void test_grown_exactly(void **state)
{
    double outside;
    (void)state;
    kit_measure("rail.csv",
                &(kit_data){.model = "rail.yaml", .channels = "at.x acc.x", .end = 4, .dt = 0.01});
    kit_fit r = identify(STUDY "unknowns: {push: {history: series}}\n");
    kit_converged(&r);
    assert_int_equal(r.e->history[0].n_term, 2);
    kit_is("the force", force_error(&r, &outside), 0, 1e-8);
    assert_non_null(r.e->history[0].grown);
    kit_drop(&r);
}

/* 5 % noise on the acceleration (its rms is 8.5 m/s^2): two terms of two, and no more; frequencies within
   five of their standard errors. */
static void test_grown_with_noise(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 3; seed++) {
        kit_measure("rail.csv", &(kit_data){.model = "rail.yaml",
                                            .channels = "acc.x",
                                            .end = 4,
                                            .dt = 0.02,
                                            .sigma = 0.42,
                                            .seed = (uint64_t)seed});
        kit_fit r = identify(STUDY "unknowns: {push: {history: {form: series, terms: auto, unit: N}}}\n");
        kit_converged(&r);
        if (r.e->history[0].n_term != 2) fail_msg("seed %d: %s", seed, r.e->history[0].grown);
        const sn_term *t = r.e->history[0].term;
        kit_is("the first frequency", t[0].frequency[0], 0.8, 5 * t[0].frequency_error[0]);
        kit_is("the second frequency", t[1].frequency[0], 2.1, 5 * t[1].frequency_error[0]);
        assert_true(strstr(r.e->history[0].grown, "one more, of ") != NULL);
        kit_drop(&r);
    }
}

/* A number of terms that is given is kept, whatever the data say. */
static void test_grown_to_number(void **state)
{
    (void)state;
    kit_measure(
        "rail.csv",
        &(kit_data){
            .model = "rail.yaml", .channels = "acc.x", .end = 4, .dt = 0.02, .sigma = 0.3, .seed = 1});
    kit_fit r = identify(STUDY "unknowns: {push: {history: {form: series, terms: 3}}}\n");
    assert_int_equal(r.e->history[0].n_term, 3);
    assert_null(r.e->history[0].grown);
    kit_drop(&r);
}

/* ---- bad input ---- */

static void refuse(const char *history, const char *place, const char *words)
{
    sn_study *s = NULL;
    sn_err err;
    char text[600], whole[1400];
    sn_err_clear(&err);
    snprintf(text, sizeof text, STUDY "unknowns:\n  push: {history: %s}\n", history);
    kit_put("study.yaml", text);
    sn_status status = sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err);
    if (!status) fail_msg("accepted: %s", history);
    sn_report_format(&err.report[0], whole, sizeof whole);
    if (!strstr(whole, words) || !strstr(whole, place)) fail_msg("%s\nsays: %s", history, whole);
}

static void test_bad_input(void **state)
{
    (void)state;
    kit_measure("rail.csv", &(kit_data){.model = "rail.yaml", .channels = "acc.x", .end = 1, .dt = 0.01});
    refuse("{form: series, terms: 0}", "study.yaml:5:41", "'terms' is 'auto' or a number from 1");
    refuse("{form: series, terms: 2.5}", "study.yaml:5:41", "'terms' is 'auto' or a number from 1");
    refuse("{form: series, values: 5}", "study.yaml:5:34", "has no key 'values'");
    refuse("{form: series, frequencies: both}", "study.yaml:5:47", "none of: shared, separate");
    refuse("{form: series, start: guess}", "study.yaml:5:41", "is 'fft' or {offset");
    refuse("{form: series, start: {offset: 1}}", "study.yaml:5:41", "frequencies are missing");
    refuse("{form: series, terms: 3, start: {frequency: [1, 2]}}", "study.yaml:5:41",
           "but the start has 2 frequencies");
    refuse("{form: series, start: {frequency: [1, 2], sine: [1]}}", "study.yaml:5:67",
           "'sine' has 1 numbers, there are 2 frequencies");
    refuse("{form: series, start: {frequency: [1, 80]}}", "study.yaml:5:3", "outside of its bounds");
    refuse("{form: series, start: {frequency: [1 m]}}", "study.yaml:5:54", "");
    refuse("{form: series, start: {frequency: [1], cosine_frequency: [1]}}", "study.yaml:5:58",
           "needs 'frequencies: separate'");
    refuse("{form: series, band: [3, 1]}", "study.yaml:5:40", "a band begins at 0");
    refuse("{form: series, band: [60 Hz, 70 Hz], start: {frequency: [3]}}", "study.yaml:5:3", "outside");
    refuse("{form: cubic, terms: 3}", "study.yaml:5:33", "has no key 'terms'");
}

/* Of an amplitude that is 0 the frequency cannot be known: a fit that has one says so, names it, and gives no
   standard error for it; what is there it does not doubt. Noise of 0.5 m/s^2 on 401 samples is 0.07 N of an
   amplitude: 30 N and 2 N are 400 and 28 standard errors, where 4 ln 401 = 24, or 5 ln 401 = 30 with a pair,
   are 4.9 and 5.5. By chance an amplitude is that large once in a million, times some 200 frequencies.
 */
static void test_frequency_of_nothing(void **state)
{
    static const struct {
        const char *force, *frequencies, *start, *unseen, *seen;
    } cases[] = {
        {"20 + 30*cos(2*pi*2.1*t)", "separate", "2.15 Hz", "push.frequency.1", "push.cosine_frequency.1"},
        {"20 - 30*sin(2*pi*2.1*t)", "separate", "2.15 Hz", "push.cosine_frequency.1", "push.frequency.1"},
        {"20 - 30*sin(2*pi*2.1*t) + 2*cos(2*pi*2.1*t)", "separate", "2.12 Hz", NULL, "push.frequency.1"},
        {"20 + 30*cos(2*pi*2.1*t)", "shared", "2.15 Hz", NULL, "push.frequency.1"},
        {"20 + 30*cos(2*pi*2.1*t)", "shared", "2.15 Hz, 5 Hz", "push.frequency.2", "push.frequency.1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            char text[1600], said[80];
            snprintf(text, sizeof text, rail_text, cases[i].force);
            kit_put("lone.yaml", text);
            kit_measure("rail.csv", &(kit_data){.model = "lone.yaml",
                                                .set = "k=0 c=0",
                                                .channels = "acc.x",
                                                .end = 4,
                                                .dt = 0.01,
                                                .sigma = 0.5,
                                                .seed = seed});
            snprintf(text, sizeof text,
                     STUDY
                     "set: {k: 0 N/m, c: 0 N*s/m}\nunknowns:\n  push: {history: {form: series, unit: N, "
                     "frequencies: %s, band: [0.1 Hz, 20 Hz], start: {offset: 15, amplitude: 20, frequency: "
                     "[%s]}}}\n",
                     cases[i].frequencies, cases[i].start);
            kit_fit r = kit_solve(text);
            kit_converged(&r);
            const int seen = kit_unknown(&r, cases[i].seen);
            assert_true(r.e->std_error[seen] > 0 && r.e->std_error[seen] < 0.01);
            if (cases[i].unseen) {
                const int k = kit_unknown(&r, cases[i].unseen);
                snprintf(said, sizeof said, "%s is not determined", cases[i].unseen);
                kit_must_say(&r, said);
                assert_true(isinf(r.e->std_error[k]));
                kit_is("its interval", r.e->lo[k], 0.1, 0), kit_is("its interval", r.e->hi[k], 20, 0);
            } else {
                assert_false(kit_says(&r, "not determined"));
            }
            kit_drop(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given_start),      cmocka_unit_test(test_band_of_regression),
        cmocka_unit_test(test_bands_cover),      cmocka_unit_test(test_grown_exactly),
        cmocka_unit_test(test_grown_with_noise), cmocka_unit_test(test_grown_to_number),
        cmocka_unit_test(test_bad_input),        cmocka_unit_test(test_frequency_of_nothing),
    };
    return cmocka_run_group_tests(tests, begin, kit_end);
}
