/* Histories that were sought, as they are told: lines of their spectrum, the words for the terminal, the
   table histories.csv, the arrays of study.h5. */
#include "identify_kit.h"

#include "identify/result.h"
#include "identify/text.h"
#include "io/csv.h"
#include "io/result.h"

#include <unistd.h>

typedef double course(double t);

static const double pi = 3.14159265358979323846;

/* A history of n points over [begin, end]; standard errors are `error` everywhere. */
static sn_history_fit make(sn_estimate *e, const char *name, course *f, double error, double end)
{
    enum { N = 1001 };
    sn_history_fit h = {.name = name, .unit = "N", .form = "cubic", .n = N, .values = 40, .determined = 33.3};
    h.t = sn_arena_alloc(&e->arena, 3 * N, sizeof *h.t);
    assert_non_null(h.t);
    h.value = h.t + N, h.std_error = h.value + N;
    for (int i = 0; i < N; i++) h.t[i] = end * i / (N - 1), h.value[i] = f(h.t[i]), h.std_error[i] = error;
    assert_int_equal(sn_history_fit_finish(e, &h, NULL), SN_OK);
    return h;
}

static char *told(sn_estimate *e, sn_history_fit *h, int n)
{
    static const sn_study study;
    sn_text t = {0};
    char *text;
    e->s = &study, e->history = h, e->n_history = n;
    sn_histories_summary(&t, e);
    assert_int_equal(sn_text_finish(&t, &text, NULL, NULL), SN_OK);
    return text;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("no '%s' in\n%s", part, text);
}

static double two_sines(double t) { return 50 + 100 * sin(0.5 * pi * t) + 150 * cos(2 * pi * t); }
static double gust(double t) { return t > 4 && t < 6 ? 3 * (1 - cos(pi * (t - 4))) : 0; }
static double zero(double t) { return 0 * t; }
static double knock(double t) { return t > 5 && t < 5.05; }
static double ramp(double t) { return t; }

/* The lower one has 2.5 periods, between two bins. What the formula neglects, over its amplitude: its image
   of negative frequency, 5 bins away, 1/(pi 5 (5^2 - 1)) = 0.3 %; the constant that is left when the mean of
   all is taken off, 0.127 of the sine, twice at 2.5 bins, 0.127 2/(pi 2.5 (2.5^2 - 1)) = 0.6 %. */
static void test_lines(void **state)
{
    (void)state;
    sn_estimate e = {.n_history = 0};
    sn_history_fit h = make(&e, "push", two_sines, 7, 10);
    assert_int_equal(h.n_line, 2);
    kit_is("frequency", h.line[0].frequency, 1, 0.01 * 0.1);
    kit_is("amplitude", h.line[0].amplitude, 150, 1.5);
    kit_is("frequency", h.line[1].frequency, 0.25, 0.01 * 0.1);
    kit_is("amplitude", h.line[1].amplitude, 100, 1);
    assert_true(h.line_share > 0.9 && h.line_share <= 1);
    kit_is("peak", h.peak, 300, 1e-9);
    assert_true(make(&e, "gust", gust, 1, 10).line_share < 0.7);
    assert_true(make(&e, "knock", knock, 1, 10).line_share < 0.7);
    assert_int_equal(make(&e, "ramp", ramp, 1, 10).n_line, 0);
    sn_arena_free(&e.arena);
}

static void test_words(void **state)
{
    (void)state;
    sn_estimate e = {.n_history = 0};
    sn_history_fit h[5] = {make(&e, "push", two_sines, 7, 10), make(&e, "gust[long]", gust, 0.4, 10),
                           make(&e, "nothing", zero, 3, 10), make(&e, "blind", two_sines, 400, 10),
                           make(&e, "no_unit", ramp, NAN, 10)};
    h[0].smoothing = "tikhonov", h[0].choice = "l_curve", h[0].order = 2, h[0].weight = 1e-3;
    h[2].determined = 0, h[4].unit = "1";
    char *text = told(&e, h, 5);
    has(text, "push: peak 300.0 +- 7.0 N at 1 s, rms 141 N\n  main frequencies 1.00 Hz (150 N), 0.25");
    has(text,
        "  well seen by the sensors: its standard error is 7.0 N, 5.0 % of its rms, on average\n"
        "  the data determine 33 of its 40 values, its smoothness the rest (Tikhonov of order 2, weight "
        "0.001, at the corner of the L-curve)\n");
    has(text, "gust[long]: peak 6.00 +- 0.40 N at 5 s, rms 1.64 N\n  no main frequency");
    has(text, "  seen by the sensors: its standard error is 0.40 N, 24 % of its rms");
    has(text, "nothing: nothing was found, it is 0 all the time\n  NOT SEEN by the sensors");
    has(text, "blind: peak 300 +- 400 N at 1 s, rms 141 N\n"
              "  NOT SEEN by the sensors: its standard error is 400 N, 284 % of its rms");
    has(text, "no_unit: peak 10 at 10 s, rms 5.77\n");
    has(text, "  its standard error is not known\n  the data determine 33 of its 40 values\n");
    assert_null(strstr(text, "nan"));
    sn_free(text);
    sn_history_fit many[20];
    for (int i = 0; i < 20; i++) many[i] = h[0];
    text = told(&e, many, 20);
    has(text, "and 8 more histories");
    sn_free(text);
    sn_arena_free(&e.arena);
}

static void test_series_words(void **state)
{
    (void)state;
    sn_estimate e = {.n_history = 0};
    sn_history_fit h = make(&e, "push", two_sines, 2, 10);
    sn_term term[4] = {
        {{0.25, 0.25}, {0.0012, 0.0012}, {100, 0}, {1, 1}},
        {{1, 1}, {0.0004, 0.0004}, {0, 150}, {1, 1}},
        {{3, 3}, {NAN, NAN}, {3, 4}, {1, 1}},
        {{7, 7}, {0.1, 0.1}, {0.1, 0}, {1, 1}},
    };
    h.term = term, h.n_term = 4, h.offset = 50, h.offset_error = 0.35, h.grown = "a fifth would be noise";
    char *text = told(&e, &h, 1);
    has(text,
        "  constant 50.00 +- 0.35 N and 4 oscillations: 1.00000 +- 0.00040 Hz (150 N), 0.2500 +- 0.0012 Hz "
        "(100 N), 3 Hz, not seen (5 N) ...\n  a fifth would be noise\n");
    assert_null(strstr(text, "determine"));
    sn_free(text);
    for (int i = 0; i < 4; i++) term[i] = term[0]; /* equal amplitudes */
    text = told(&e, &h, 1);
    has(text, "0.2500 +- 0.0012 Hz (100 N), 0.2500");
    sn_free(text);
    sn_arena_free(&e.arena);
}

/* Two histories share a row where their times agree; names that need it are quoted; what is not finite is an
   empty cell. */
static void test_csv(void **state)
{
    (void)state;
    static const sn_study study;
    const char *path = kit_path("histories.csv");
    double ta[] = {0, 1, 2}, ya[] = {10, 11, 12}, ea[] = {1, NAN, 3};
    double tb[] = {0, 0.5, 1 + 1e-13, 3}, yb[] = {20, 21, 22, 23}, eb[] = {4, 5, 6, 7};
    sn_history_fit h[2] = {
        {.name = "a", .unit = "N", .n = 3, .t = ta, .value = ya, .std_error = ea},
        {.name = "b[x, \"y\"]", .unit = "", .n = 4, .t = tb, .value = yb, .std_error = eb}};
    sn_estimate e = {.s = &study, .history = h, .n_history = 2};
    sn_arena arena = {0};
    sn_csv *csv;
    assert_int_equal(sn_histories_csv(&e, path, NULL), SN_OK);
    assert_int_equal(sn_csv_read(path, &arena, &csv, NULL), SN_OK);
    assert_int_equal(csv->rows, 5);
    assert_int_equal(csv->cols, 5);
    assert_string_equal(csv->names[0], "t");
    assert_string_equal(csv->names[2], "a.std_error");
    assert_string_equal(csv->names[3], "b[x, \"y\"]");
    static const double want[5][5] = {{0, 10, 1, 20, 4},
                                      {0.5, NAN, NAN, 21, 5},
                                      {1, 11, NAN, 22, 6},
                                      {2, 12, 3, NAN, NAN},
                                      {3, NAN, NAN, 23, 7}};
    for (int c = 0; c < 5; c++)
        for (int r = 0; r < 5; r++) {
            double x = csv->data[c * 5 + r];
            if (isnan(want[r][c]))
                assert_true(isnan(x));
            else
                assert_true(x == want[r][c]);
        }
    unlink(path);
    e.n_history = 0;
    assert_int_equal(sn_histories_csv(&e, path, NULL), SN_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    e.n_history = 2;
    sn_result_array array[6];
    int n = 0;
    assert_int_equal(sn_histories_h5(&e, &arena, array, &n, NULL), SN_OK);
    assert_int_equal(n, 6);
    assert_string_equal(array[0].path, "/histories/a/t");
    assert_string_equal(array[0].unit, "s");
    assert_string_equal(array[2].path, "/histories/a/std_error");
    assert_string_equal(array[2].unit, "N");
    assert_int_equal(array[4].rows, 4);
    assert_ptr_equal(array[4].data, yb);
    assert_null(array[4].unit);
    sn_arena_free(&arena);
}

static const char mass_text[] =
    "sinew: 1\n"
    "nodes: {b: {point2d: [0, 0]}}\n"
    "elements: {bob: {mass2d: b, mass: 2}, push: {force2d: b, force: [push*1 N, 0]}}\n"
    "signals: {push: {constant: 0}}\n"
    "sensors: {acc: {acceleration: b}}\n"
    "run: {end: 1 s, step: 20 ms}\n";

/* Accelerations of a force 4 + sin(2 pi t) N on 2 kg, with noise. */
static void measure(const char *file)
{
    FILE *f = fopen(kit_path(file), "w");
    uint64_t seed = 7;
    assert_non_null(f);
    fprintf(f, "t,acc.x\n");
    for (int i = 0; i <= 50; i++)
        fprintf(f, "%g,%.12g\n", 0.02 * i, 2 + 0.5 * sin(2 * pi * 0.02 * i) + 0.05 * kit_normal(&seed));
    fclose(f);
}

/* A truth with a gap and without the ends: straight lines between what there is. The column of the experiment
   goes before that of all. */
static void test_truth(void **state)
{
    (void)state;
    kit_put("mass.yaml", mass_text);
    measure("a.csv"), measure("b.csv");
    kit_put("truth.csv", "t,push,other,push[b]\n0.2,4,1,0\n0.4,5,1,0\n0.5,,1,0\n0.8,3,1,0\n");
    kit_fit r = kit_solve("study: 1\nmodel: mass.yaml\nexperiments: {a: a.csv, b: b.csv}\ntry: no\n"
                          "unknowns: {push: {history: {form: linear, values: 11}, truth: truth.csv}}\n");
    assert_int_equal(r.e->n_history, 2);
    const sn_history_fit *h = r.e->history;
    double off = 0, size = 0, inside = 0;
    int n = 0;
    assert_int_equal(h->n, 51);
    for (int i = 0; i < h->n; i++) {
        double t = 0.02 * i, x = i <= 20 ? 4 + (t - 0.2) / 0.2 : 5 - 2 * (t - 0.4) / 0.4;
        if (i < 10 || i > 40) {
            assert_true(isnan(h->truth[i]));
            continue;
        }
        kit_is("truth", h->truth[i], x, 1e-12);
        off += (h->value[i] - x) * (h->value[i] - x), size += x * x, n++;
        inside += fabs(h->value[i] - x) <= 1.96 * h->std_error[i];
    }
    kit_is("off", h->off, sqrt(off / size), 1e-12);
    kit_is("inside", h->inside, inside / n, 1e-12);
    assert_true(h->inside < 1); /* it is no such force */
    for (int i = 10; i <= 40; i++) assert_true(h[1].truth[i] == 0);
    assert_true(isnan(h[1].off) && h[1].inside == 0);
    sn_text t = {0};
    char *text;
    sn_histories_summary(&t, r.e);
    assert_int_equal(sn_text_finish(&t, &text, NULL, NULL), SN_OK);
    has(text, "  compared with the truth: off by ");
    has(text, "  compared with the truth: the 95 % band holds it 0 % of the time\n");
    sn_free(text);
    kit_drop(&r);
}

static void refused(const char *truth, const char *words)
{
    static sn_err err;
    sn_study *s = NULL;
    char text[400];
    snprintf(text, sizeof text,
             "study: 1\nmodel: mass.yaml\ndata: a.csv\nunknowns: {push: {history: cubic, truth: %s}}\n",
             truth);
    kit_put("bad.yaml", text);
    sn_err_clear(&err);
    sn_status status = sn_study_read(kit_path("bad.yaml"), NULL, 0, &s, &err);
    sn_study_free(s);
    if (!status) fail_msg("'%s' is taken", truth);
    if (!strstr(err.report[0].text, words)) fail_msg("'%s': %s", truth, err.report[0].text);
    if (err.report[0].line != 4) fail_msg("'%s': line %d", truth, err.report[0].line);
}

static void test_bad_truth(void **state)
{
    (void)state;
    kit_put("mass.yaml", mass_text);
    measure("a.csv");
    kit_put("back.csv", "t,push\n0,1\n2,1\n1,1\n");
    kit_put("bare.csv", "0,1\n2,1\n");
    kit_put("timeless.csv", "time,push\n0,1\n");
    refused("none.csv", "cannot open");
    refused("back.csv", "times must increase, row 3");
    refused("bare.csv", "has no column 'push'");
    refused("'back.csv:pull'", "has no column 'pull'");
    refused("timeless.csv", "no column 't' of times");
    refused("[1, 2]", "needs a text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines),        cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_series_words), cmocka_unit_test(test_csv),
                                       cmocka_unit_test(test_truth),        cmocka_unit_test(test_bad_truth)};
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
