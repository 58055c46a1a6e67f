/* The direct methods as methods of a study: columns to coordinates, rates derived where they are not
   measured, the estimate and its files, what is refused and where, failing allocations. */
#include "identify/result.h"
#include "verify/two_bar.h"
#include "counted.h"

#include <unistd.h>

static char folder[] = "/tmp/sinew-direct-XXXXXX";

enum { POSITION = 1, ROTATION = 2, RATES = 4 };

/* Rows i = first, first + step ... of the motion as CSV; what: which columns. */
static void write_data(const char *file, int what, int first, int last)
{
    static const char *const sensor[] = {"node", "speed", "acc"}, *const part[] = {"x", "y", "theta"};
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (int i = first - 1; i <= last; i++) {
        const double *row[3] = {Q + NQ * i, V + NQ * i, A + NQ * i};
        fprintf(f, i < first ? "t" : "%.17g", i < first ? 0 : T[i]);
        for (int r = 0; r < (what & RATES ? 3 : 1); r++)
            for (int c = 3; c < NQ; c++) {
                if (!(what & (c % 3 == 2 ? ROTATION : POSITION))) continue;
                if (i < first)
                    fprintf(f, ",%s%d.%s", sensor[r], c / 3 + 1, part[c % 3]);
                else
                    fprintf(f, ",%.17g", row[r][c]);
            }
        fprintf(f, "\n");
    }
    assert_int_equal(fclose(f), 0);
}

static const char *write_study(const char *data, const char *method, const char *rest)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/study.yaml", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "study: 1\nmodel: %s/examples/two-bar/two-bar-all.yaml\ndata: %s\nmethod: %s\n"
            "unknowns: {k1: 7000, kt1: 5, k3: 40, kt3: 0.05}\n%s\nrun: {tolerance: 1e-13}\n",
            SN_SOURCE_DIR, data, method, rest);
    assert_int_equal(fclose(f), 0);
    return path;
}

/* Largest relative error of the study's estimate. */
static double found(const char *data, const char *method, const char *rest, sn_study **s, sn_estimate **e)
{
    kit k = {.m = NULL};
    double worst = 0;
    sn_err_clear(&k.err);
    kit_good(&k, sn_study_read(write_study(data, method, rest), NULL, 0, s, &k.err));
    kit_good(&k, sn_direct_study(*s, e, &k.err));
    for (int i = 0; i < NP; i++) worst = fmax(worst, fabs((*e)->value[i] / exact[i] - 1));
    print_message("  %-12s %-16s error %.2g: %s\n", data, method, worst, (*e)->reason);
    return worst;
}

/* The bounds are those of test_direct.c and test_direct_adapted.c, where they are argued: the study must not
   lose digits on the way from columns to equations. */
static void test_methods(void **state)
{
    static const struct {
        const char *data, *method, *rest;
        double most;
        int measured;
    } c[] = {
        {"all.csv", "direct", "instants: [0.69]", 1e-8, 36},
        {"all.csv", "direct", "", 1e-8, 36 * 701},
        {"one.csv", "direct", "", 1e-8, 36},
        {"positions.csv", "direct", "instants: [0.69 s]\nderivatives: differences", 4e-3, 12},
        {"positions.csv", "direct", "", 1e-3, 0},
        {"places.csv", "adapted_direct", "instants: [0.4, 0.5, 0.6]", 4e-3, 6 * 24},
        {"places.csv", "adapted_direct", "instants: [0.4, 0.5, 0.6]\nderivatives: differences", 4e-3, 6 * 24},
    };
    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        sn_study *s;
        sn_estimate *e;
        kit_within("error", found(c[i].data, c[i].method, c[i].rest, &s, &e), 0, c[i].most);
        assert_true(e->converged);
        if (c[i].measured) assert_int_equal(e->count, c[i].measured);
        for (int k = 0; k < NP; k++) {
            assert_true(e->std_error[k] > 0 && e->lo[k] < e->value[k] && e->value[k] < e->hi[k]);
            kit_near("correlation with itself", e->correlation[k * NP + k], 1, 0);
        }
        /* the run with the estimates is the run that made the data, but for the last digits of the estimates
         */
        for (int j = 0; j < s->experiment[0].n_channel && c[i].most < 1e-6; j++)
            if (sn_channel_get(s->model, s->experiment[0].channel[j]).sensor[0] == 'n')
                kit_within("misfit of the run", e->channel[0][j].rms, 0, 1e-8);
        sn_estimate_free(e), sn_study_free(s);
    }
}

/* Multipliers and rotations that are found on the way are in study.json. */
static void test_json(void **state)
{
    sn_study *s;
    sn_estimate *e;
    kit k = {.m = NULL};
    char *text;
    size_t n;
    (void)state;
    found("places.csv", "adapted_direct", "instants: [0.4, 0.5, 0.6]", &s, &e);
    sn_err_clear(&k.err);
    kit_good(&k, sn_estimate_json(e, 0, &text, &n, &k.err));
    const char *at = strstr(text, "\"n2.theta\": {\"value\": [");
    assert_non_null(at);
    kit_near("rotation of node 2", strtod(at + 23, NULL), Q[NQ * 400 + 5], 5e-4);
    assert_non_null(strstr(text, "\"ground.theta\""));
    assert_non_null(strstr(text, "\"method\": \"adapted_direct\""));
    sn_free(text);
    sn_estimate_free(e), sn_study_free(s);
}

/* A negative stiffness solves the equations and is no result. */
static void test_outside(void **state)
{
    sn_study *s;
    sn_estimate *e;
    (void)state;
    for (int j = 3; j < NQ; j++) A[NQ * 690 + j] += j % 2 ? -60 : 60;
    write_data("wrong.csv", POSITION | ROTATION | RATES, 690, 690);
    for (int j = 3; j < NQ; j++) A[NQ * 690 + j] -= j % 2 ? -60 : 60;
    found("wrong.csv", "direct", "", &s, &e);
    assert_false(e->converged);
    assert_non_null(strstr(e->reason, "cannot be negative"));
    sn_estimate_free(e), sn_study_free(s);
}

static void test_refused(void **state)
{
    static const struct {
        const char *data, *method, *rest, *text;
        int line;
    } c[] = {
        {"places.csv", "direct", "", "does not measure 'n2.theta'", 1},
        {"turns.csv", "adapted_direct", "instants: [0.4]", "does not measure 'n2.x'", 1},
        {"one.csv", "direct", "instants: [0.3]", "no data at the instant t = 0.3", 6},
        {"positions.csv", "direct", "instants: [0]\nderivatives: differences", "'n2.x' at t = 0", 6},
        {"all.csv", "direct", "instants: [0.3005]", "no sample is there", 6},
        {"all.csv", "direct", "instants: 0.3", "needs a list", 6},
        {"all.csv", "direct", "horizon: 0.1", "'horizon' is a key of the indirect method only", 6},
        {"all.csv", "indirect", "instants: [0.3]", "'instants' is a key of the direct methods only", 6},
        {"places.csv", "adapted_direct", "", "needs 'instants", 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        sn_study *s = NULL;
        sn_estimate *e = NULL;
        sn_err err;
        sn_err_clear(&err);
        sn_status status = sn_study_read(write_study(c[i].data, c[i].method, c[i].rest), NULL, 0, &s, &err);
        if (!status) status = sn_direct_study(s, &e, &err);
        print_message("  line %d: %s\n", err.report[0].line, err.report[0].text);
        assert_int_equal(status, SN_ERR_INPUT);
        assert_non_null(strstr(err.report[0].text, c[i].text));
        assert_int_equal(err.report[0].line, c[i].line);
        sn_study_free(s);
    }
}

/* ---- stopped ---- */

static int counts_down(void *left, double done, double t)
{
    (void)done, (void)t;
    return --*(long *)left <= 0;
}

/* Wherever it is stopped, while it reads, smooths, solves or simulates, there is no estimate, and nobody is
   asked again. */
static void test_stopped(void **state)
{
    enum { MANY = 1 << 24 };
    long left = MANY;
    const sn_identify_options o = {.progress = counts_down, .ctx = &left, .threads = 1};
    sn_identify_info info;
    sn_err err;
    (void)state;
    write_data("stop.csv", POSITION | ROTATION, 0, 400);
    const char *study = write_study("stop.csv", "direct", "instants: [0.1, 0.2, 0.3]");
    sn_err_clear(&err);
    assert_int_equal(sn_identify(study, &o, &info, &err), SN_OK);
    sn_release(info.summary), sn_release(info.json);
    long asked = MANY - left;
    assert_true(asked > 10);
    for (int i = 0; i <= 20; i++) {
        left = 1 + i * (asked - 1) / 20;
        sn_err_clear(&err);
        assert_int_equal(sn_identify(study, &o, &info, &err), SN_ERR_INTERRUPTED);
        if (left != 0) fail_msg("part %d of 20: asked %ld times too often, of %ld", i, -left, asked);
    }
}

/* ---- memory ---- */

static void test_memory(void **state)
{
    static const char *const rest[] = {"instants: [0.006]", "derivatives: differences\ninstants: [0.006]"};
    static sn_err err;
    (void)state;
    write_data("short.csv", POSITION, 0, 12);
    for (int j = 0; j < 2; j++) {
        counter c = {0};
        const sn_allocator allocator = {counted, released, &c};
        sn_study *s;
        sn_estimate *e = NULL;
        sn_err_clear(&err);
        assert_int_equal(
            sn_study_read(write_study("short.csv", "adapted_direct", rest[j]), NULL, 0, &s, &err), SN_OK);
        sn_set_allocator(&allocator);
        sn_status status = sn_direct_study(s, &e, &err);
        sn_estimate_free(e);
        long calls = c.calls, live = c.live, bad = status ? -1 : 0;
        for (long n = 1; n <= calls && !bad && !live; n++) {
            c = (counter){.fail = n};
            sn_err_clear(&err);
            /* steps of runs with derivatives overcome a lack of memory for new pivots */
            status = sn_direct_study(s, &e, &err);
            if (status ? status != SN_ERR_MEMORY || e : !e) bad = n;
            sn_estimate_free(e);
            e = NULL;
            if (c.live) bad = n;
        }
        sn_set_allocator(NULL);
        if (bad || live)
            fail_msg("allocation %ld of %ld: %s", bad, calls, err.count ? err.report[0].text : "left");
        sn_study_free(s);
    }
}

static int make_files(void **state)
{
    kit k;
    (void)state;
    if (!mkdtemp(folder)) return -1;
    simulate(&k, "hht", 1e-3, 0.7, 0);
    kit_close(&k);
    write_data("all.csv", POSITION | ROTATION | RATES, 0, N - 1);
    write_data("one.csv", POSITION | ROTATION | RATES, 690, 690);
    write_data("positions.csv", POSITION | ROTATION, 0, N - 1);
    write_data("places.csv", POSITION | RATES, 0, N - 1);
    write_data("turns.csv", ROTATION, 0, N - 1);
    return 0;
}

static int remove_files(void **state)
{
    static const char *const file[] = {"all.csv",   "one.csv",   "positions.csv", "places.csv",
                                       "turns.csv", "wrong.csv", "short.csv",     "study.yaml"};
    (void)state;
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", folder, file[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods), cmocka_unit_test(test_json),
                                       cmocka_unit_test(test_outside), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_stopped), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
