/* Runs that do not reach their end: stopped on request, by a failing callback, by numbers, by a full disk.
   What was computed until then is in the file, readable and marked as what it is; an older result survives
   what never began. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/result.h"
#include "sinew/sinew.h"

typedef struct fixture {
    sn_model *m;
    sn_values *p;
    sn_err err;
    sn_info info;
    sn_run_options o;
    char folder[64], path[96];
    double stop_at; /* progress stops the run from this time on */
    int frames, fail_frame;
} fixture;

static int progress(void *ctx, double done, double t)
{
    fixture *f = ctx;
    assert_true(done >= 0 && done <= 1);
    return t >= f->stop_at;
}

static sn_status frame(void *ctx, const sn_frame *y, sn_err *err)
{
    fixture *f = ctx;
    (void)y;
    if (f->frames++ == f->fail_frame) return sn_fail(err, SN_ERR_FILE, NULL, "no more");
    return SN_OK;
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/sinew-stopped-XXXXXX");
    if (!mkdtemp(f->folder)) return -1;
    snprintf(f->path, sizeof f->path, "%s/run.h5", f->folder);
    if (sn_model_read(SN_SOURCE_DIR "/examples/two-bar/two-bar.yaml", &f->m, &f->err)) return -1;
    if (sn_values_new(f->m, &f->p, &f->err)) return -1;
    f->o = sn_run_options_default(f->m, f->p);
    f->o.end = 0.5;
    f->o.output = 1e-3;
    f->o.progress = progress;
    f->o.frame = frame;
    f->o.ctx = f;
    f->stop_at = 100;
    f->fail_frame = -1;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    unlink(f->path);
    sn_values_free(f->p);
    sn_model_free(f->m);
    int left = rmdir(f->folder); /* fails when a temporary file is left over */
    free(f);
    return left;
}

static sn_status run(fixture *f)
{
    sn_err_clear(&f->err);
    f->frames = 0;
    return sn_run_file(f->m, f->p, &f->o, f->path, &f->info, &f->err);
}

/* A readable result of this status whose frames are those of the time grid, none of them empty. */
static int check_file(fixture *f, int status)
{
    sn_result_reader *r;
    assert_int_equal(sn_result_open(f->path, &r, NULL), SN_OK);
    assert_int_equal(sn_result_reader_status(r), status);
    int n = sn_result_reader_frames(r);
    double *t = calloc((size_t)n + 1, sizeof *t), y[16];
    assert_int_equal(sn_result_reader_get(r, -1, 0, n, t, NULL), SN_OK);
    for (int i = 0; i < n; i++) {
        /* multiples of the output step, rounded once */
        assert_true(t[i] >= i * f->o.output * (1 - 1e-14) && t[i] <= i * f->o.output * (1 + 1e-14));
        assert_int_equal(sn_result_reader_get(r, 0, i, 1, y, NULL), SN_OK);
        assert_true(y[0] == y[0]);
    }
    free(t);
    sn_result_reader_close(r);
    return n;
}

static void test_complete(void **state)
{
    fixture *f = *state;
    assert_int_equal(run(f), SN_OK);
    assert_int_equal(check_file(f, SN_RESULT_COMPLETE), 501);
}

static void test_interrupted(void **state)
{
    fixture *f = *state;
    f->stop_at = 0.2;
    assert_int_equal(run(f), SN_ERR_INTERRUPTED);
    assert_int_equal(f->err.count, 1);
    assert_non_null(strstr(f->err.report[0].text, "stopped at t = 0.2"));
    assert_true(f->info.t >= 0.2 && f->info.t < 0.25);
    int n = check_file(f, SN_RESULT_INTERRUPTED);
    assert_int_equal(n, f->frames); /* what was told is in the file */
    assert_in_range(n, 201, 250);
    /* without a file too, and stopped at the first question */
    f->stop_at = 0;
    sn_err_clear(&f->err);
    assert_int_equal(sn_run(f->m, f->p, &f->o, NULL, &f->err), SN_ERR_INTERRUPTED);
}

static void test_failing_callback(void **state)
{
    fixture *f = *state;
    f->fail_frame = 100;
    assert_int_equal(run(f), SN_ERR_FILE);
    assert_int_equal(f->err.count, 1);
    assert_string_equal(f->err.report[0].text, "no more");
    assert_in_range(check_file(f, SN_RESULT_FAILED), 100, 101);
}

/* A step that has no solution: a load that is not a number from t = 0.1 on. */
static void test_failing_numbers(void **state)
{
    fixture *f = *state;
    const char *text = "sinew: 1\nparameters: {T: 1 s}\nnodes: {a: [0, 0]}\nelements: {m: {mass2d: a, mass: "
                       "1}, g: {force2d: a, force: [f, 0]}}\n"
                       "signals: {f: {expression: sqrt(0.1 - t/T)}}\nsensors: {a: {position: a}}\nrun: {end: "
                       "0.5, step: 1 ms}\n";
    sn_values_free(f->p);
    sn_model_free(f->m);
    sn_err_clear(&f->err);
    assert_int_equal(sn_model_read_text("x", text, strlen(text), &f->m, &f->err), SN_OK);
    assert_int_equal(sn_values_new(f->m, &f->p, &f->err), SN_OK);
    f->o.scheme = "newmark"; /* the one before lived in the other model */
    assert_int_equal(run(f), SN_ERR_NUMERIC);
    assert_int_equal(f->err.count, 1);
    assert_non_null(strstr(f->err.report[0].text, "t = 0.1"));
    assert_in_range(check_file(f, SN_RESULT_FAILED), 99, 102);
}

/* Numbers that overflow: LAPACK may never end on infinite ones, so it must not see them. */
static void test_out_of_range(void **state)
{
    fixture *f = *state;
    int found;
    sn_values_free(f->p);
    sn_model_free(f->m);
    sn_err_clear(&f->err);
    assert_int_equal(
        sn_model_read(SN_SOURCE_DIR "/tests/robust/corpus/reader/slider_crank.yaml", &f->m, &f->err), SN_OK);
    assert_int_equal(sn_values_new(f->m, &f->p, &f->err), SN_OK);
    assert_int_equal(sn_values_set(f->p, "bob.com.x", "1e300", &f->err), SN_OK);
    assert_int_equal(sn_values_update(f->p, &f->err), SN_OK);
    f->o.scheme = "newmark";
    f->o.solver = NULL;
    for (int analysis = 0; analysis < 3; analysis++) {
        sn_mode_options modes = sn_mode_options_default(f->m, f->p);
        sn_err_clear(&f->err);
        sn_status s = analysis == 0   ? run(f)
                      : analysis == 1 ? sn_static(f->m, f->p, &f->o, NULL, NULL, &f->err)
                                      : sn_modes(f->m, f->p, &modes, &found, &f->err);
        assert_true(s == SN_ERR_NUMERIC || s == SN_ERR_INPUT);
        assert_true(f->err.count > 0);
    }
    assert_int_not_equal(access(f->path, F_OK), 0); /* it never began */
}

static void limit_files(rlim_t bytes)
{
    struct rlimit l;
    getrlimit(RLIMIT_FSIZE, &l);
    l.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &l);
}

/* Files may not grow beyond a limit, as on a full disk: a clear failure, nothing left behind, the older
 * result intact. */
static void test_full_disk(void **state)
{
    fixture *f = *state;
    signal(SIGXFSZ, SIG_IGN);
    f->o.end = 0.1;
    assert_int_equal(run(f), SN_OK);
    assert_int_equal(check_file(f, SN_RESULT_COMPLETE), 101);
    f->o.end = 0.5;
    for (rlim_t limit = 1000; limit <= 64000; limit *= 4) {
        limit_files(limit);
        sn_status s = run(f);
        limit_files(RLIM_INFINITY);
        assert_int_equal(s, SN_ERR_FILE);
        assert_true(f->err.count >= 1 && f->err.report[0].text[0]);
        assert_int_equal(check_file(f, SN_RESULT_COMPLETE), 101);
    }
}

/* A run that is refused leaves an older result alone. */
static void test_refused(void **state)
{
    fixture *f = *state;
    f->o.end = 0.1;
    assert_int_equal(run(f), SN_OK);
    const sn_run_options good = f->o;
    f->o.scheme = "euler";
    assert_int_equal(run(f), SN_ERR_INPUT);
    f->o = good, f->o.solver = "magic";
    assert_int_equal(run(f), SN_ERR_INPUT);
    f->o = good, f->o.step = -1;
    assert_int_equal(run(f), SN_ERR_INPUT);
    f->o = good, f->o.output = 1e-12; /* 1e11 frames */
    assert_int_equal(run(f), SN_ERR_INPUT);
    sn_err_clear(&f->err);
    assert_int_equal(sn_run(f->m, f->p, &f->o, NULL, &f->err), SN_ERR_INPUT);
    f->o = good;
    assert_int_equal(check_file(f, SN_RESULT_COMPLETE), 101);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_complete),        TEST(test_interrupted),  TEST(test_failing_callback),
        TEST(test_failing_numbers), TEST(test_out_of_range), TEST(test_full_disk),
        TEST(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
