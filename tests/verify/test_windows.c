/* Windows that hand their state over, on a pendulum on a spring, which swings by whole angles. Data are
   computed by the same scheme and windows end at its steps: without noise every window finds the force, and
   so the state at its end, to what the search leaves, and the pieces are the force as well as the whole is.
 */
#include "identify_kit.h"

#include "identify/history.h"

static const double pi = 3.14159265358979323846;

static const char swing_text[] = "sinew: 1\n"
                                 "gravity: [0, -9.81]\n"
                                 "nodes: {b: {point2d: [1, 0]}}\n"
                                 "elements:\n"
                                 "  bob: {mass2d: b, mass: 2 kg}\n"
                                 "  s: {spring2d: [ground, b], k: 800 N/m, c: 4 N*s/m}\n"
                                 "  push: {force2d: b, force: [push*1 N, 0]}\n"
                                 "signals: {push: %s}\n"
                                 "sensors: {acc: {acceleration: b}, at: {position: b}}\n"
                                 "run: {end: 4 s, step: 10 ms, scheme: newmark}\n";

static kit_fit identify(const char *text)
{
    kit_fit r = {NULL, NULL};
    sn_identify_info info;
    sn_err err;
    sn_err_clear(&err);
    kit_put("study.yaml", text);
    kit_tell(&err, sn_identify_keep(kit_path("study.yaml"), &(sn_identify_options){.threads = 1, .json = 1},
                                    &info, &r.s, &r.e, &err));
    assert_non_null(strstr(info.json, "\"windows\": {\"n\": 4"));
    sn_release(info.summary), sn_release(info.json);
    return r;
}

static void measure(const char *signal, double sigma)
{
    char text[900];
    snprintf(text, sizeof text, swing_text, signal);
    kit_put("swing.yaml", text);
    kit_measure("swing.csv", &(kit_data){.model = "swing.yaml",
                                         .channels = "acc.x acc.y",
                                         .end = 4,
                                         .dt = 0.01,
                                         .sigma = sigma,
                                         .seed = 5});
}

#define STUDY "study: 1\nmodel: swing.yaml\ndata: swing.csv\nwindows: {n: 4, hand_over: yes}\n"

static double series(double t) { return 5 + 12 * sin(2 * pi * 0.7 * t) + 6 * cos(2 * pi * 0.7 * t); }

/* The values at knots 0.1 s apart, with straight lines between. */
static const double knot[41] = {0, 2, 5, 7, 4, 1,  -3, -6, -5, -2, 1, 4, 8, 9, 6,  2,  -1, -4, -7, -3, 0,
                                3, 6, 4, 2, 0, -2, -5, -8, -4, 0,  3, 5, 7, 3, -1, -3, -2, 0,  1,  2};
static double lines(double t)
{
    int i = (int)fmin(fmax(floor(10 * t), 0), 39);
    return knot[i] + (10 * t - i) * (knot[i + 1] - knot[i]);
}

static double worst(int n, const double *t, const double *value, double (*truth)(double))
{
    double off = 0;
    for (int i = 0; i < n; i++) off = fmax(off, fabs(value[i] - truth(t[i])));
    return off;
}

/* 1e-8 of the size for the whole; for pieces 1e-6, since errors of a state grow in what follows. */
static void check(const kit_fit *r, double (*truth)(double))
{
    const sn_history_fit *h = &r->e->history[0];
    kit_converged(r);
    assert_int_equal(h->pieces.windows, 4);
    assert_true(h->pieces.n >= 400);
    for (int k = 0; k <= 4; k++) kit_is("a boundary", h->pieces.begin[k], k, 1e-9);
    kit_is("the history", worst(h->n, h->t, h->value, truth), 0, 1e-7);
    kit_is("its pieces", worst(h->pieces.n, h->pieces.t, h->pieces.value, truth), 0, 1e-5);
}

static void test_series(void **state)
{
    (void)state;
    measure("{expression: 5 + 12*sin(2*pi*0.7*t) + 6*cos(2*pi*0.7*t)}", 0);
    kit_fit r = identify(STUDY "unknowns: {push: {history: {form: series, start: {offset: 1, amplitude: 10, "
                               "frequency: [0.65 Hz]}}}}\n");
    check(&r, series);
    kit_drop(&r);
}

static void test_free_history(void **state)
{
    char list[400] = "{spline: [";
    (void)state;
    for (int i = 0; i < 41; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%g", i ? ", " : "", knot[i]);
    snprintf(list + strlen(list), sizeof list - strlen(list), "], begin: 0, end: 4}");
    measure(list, 0);
    kit_fit r = identify(STUDY "unknowns: {push: {history: {form: linear, values: 41, smoothing: none}}}\n");
    check(&r, lines);
    kit_drop(&r);
}

/* With noise the whole is better than its windows, of which each has the errors of all before. */
static void test_noise(void **state)
{
    (void)state;
    measure("{expression: 5 + 12*sin(2*pi*0.7*t) + 6*cos(2*pi*0.7*t)}", 0.3);
    kit_fit r = identify(STUDY "unknowns: {push: {history: {form: cubic, values: 43}}}\n");
    const sn_history_fit *h = &r.e->history[0];
    kit_converged(&r);
    double whole = 0, pieces = 0;
    for (int i = 0; i < h->n; i++) whole += pow(h->value[i] - series(h->t[i]), 2) / h->n;
    for (int i = 0; i < h->pieces.n; i++)
        pieces += pow(h->pieces.value[i] - series(h->pieces.t[i]), 2) / h->pieces.n;
    if (!(whole < pieces))
        fail_msg("rms errors %g of the whole, %g of the windows", sqrt(whole), sqrt(pieces));
    kit_drop(&r);
}

static void refuse(const char *text, const char *words)
{
    sn_study *s = NULL;
    sn_err err;
    char whole[1400];
    sn_err_clear(&err);
    kit_put("study.yaml", text);
    if (!sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err)) fail_msg("accepted: %s", text);
    sn_report_format(&err.report[0], whole, sizeof whole);
    if (!strstr(whole, words) || !strstr(whole, "study.yaml:")) fail_msg("%s\nsays: %s", text, whole);
}

static void test_bad_input(void **state)
{
    (void)state;
    static const char history[] = "unknowns: {push: {history: linear}}\n";
    char text[600];
    measure("{constant: 1}", 0);
#define TRY(windows, words)                                                                                  \
    snprintf(text, sizeof text, "study: 1\nmodel: swing.yaml\ndata: swing.csv\nwindows: %s\n%s", windows,    \
             history),                                                                                       \
        refuse(text, words)
    TRY("{hand_over: yes}", "'n: 4', the number of windows, is missing");
    TRY("{n: 4, hand_over: perhaps}", "'perhaps' is none of: no, yes");
    TRY("{n: 0}", "'n' must be within 1 and 1000");
    TRY("{n: 2.5}", "whole number");
    TRY("{n: 4, over: yes}", "windows has no key 'over'");
    TRY("{n: 4}\noptimiser: lbfgs", "levenberg_marquardt");
    refuse("study: 1\nmodel: swing.yaml\ndata: swing.csv\nwindows: {n: 4}\nunknowns: {bob.mass: 1 kg}\n",
           "are for histories, and none is sought");
    TRY("1\ntangent_only: maybe", "'maybe' is none of: no, yes, false, true");
    TRY("1\noptimiser: lbfgs\ntangent_only: yes", "takes those of the adjoint");
    TRY("1\nmethod: direct\ntangent_only: yes", "a key of the indirect method only");
    /* 300 windows of 400 steps: some have no two samples */
    sn_err err;
    sn_identify_info info;
    sn_err_clear(&err);
    snprintf(text, sizeof text, "study: 1\nmodel: swing.yaml\ndata: swing.csv\nwindows: {n: 300}\n%s",
             history);
    kit_put("study.yaml", text);
    sn_status st = sn_identify(kit_path("study.yaml"), &(sn_identify_options){.threads = 1}, &info, &err);
    assert_int_equal(st, SN_ERR_INPUT);
    assert_non_null(strstr(err.report[0].text, "make fewer windows"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_free_history),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
