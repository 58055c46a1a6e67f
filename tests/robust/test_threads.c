/* One model, four threads, each with its own values and analyses: bit for bit the results of one after the
 * other. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "sinew/sinew.h"

enum { THREADS = 4, STEPS = 400, ROOM = 16 + 2 * 3 };

typedef struct task {
    const sn_model *m;
    int number;
    sn_status status;
    int n, filled;  /* numbers of a frame; stored so far */
    double *y;      /* all frames, then what the check says */
    char text[200]; /* of a failure */
} task;

static sn_status keep(void *ctx, const sn_frame *f, sn_err *err)
{
    task *t = ctx;
    (void)err;
    memcpy(t->y + t->filled, f->y, sizeof(double) * (size_t)t->n);
    t->filled += t->n;
    return SN_OK;
}

/* By a simulation in the hand, twice, with other numbers between. */
static sn_status hold(task *t, sn_values *p, sn_err *err)
{
    sn_run_options o = sn_run_options_default(t->m, p);
    sn_sim *s;
    sn_frame f;
    sn_status status = sn_sim_open(t->m, p, &o, &s, err);
    for (int round = 0; round < 2 && !status; round++) {
        if (round) status = sn_values_set_number(p, "k3", 300 + t->number, err);
        if (!status && round) status = sn_values_update(p, err);
        if (!status && round) status = sn_sim_values(s, p, err);
        if (!status) status = sn_sim_start(s, err);
        for (int k = 1; k <= 20 && !status; k++) status = sn_sim_step(s, 0.9 * k * o.step, err);
        if (!status) status = sn_sim_try(s, 0.1, err);
        if (!status) status = sn_sim_undo(s, err);
        if (!status) status = sn_sim_read(s, &f, err);
        if (!status) t->y[t->filled++] = f.y[0];
    }
    sn_sim_close(s);
    return status;
}

static sn_status analyse(task *t, sn_err *err)
{
    sn_values *p;
    sn_info info;
    sn_check_report report;
    char text[32];
    if (sn_values_new(t->m, &p, err)) return err->status;
    /* each its own spring */
    snprintf(text, sizeof text, "%d N/m", 400 + 100 * t->number);
    sn_status s = sn_values_set(p, "k1", text, err);
    if (!s) s = sn_values_update(p, err);
    if (!s) s = sn_check(t->m, p, &report, err);
    if (!s) {
        sn_run_options o = sn_run_options_default(t->m, p);
        sn_release(report.names);
        t->y[t->filled++] = report.mass;
        t->y[t->filled++] = report.com[0];
        o.end = STEPS * o.step;
        o.output = o.step;
        o.frame = keep;
        o.ctx = t;
        s = sn_run(t->m, p, &o, &info, err);
        t->y[t->filled++] = (double)info.iterations;
        if (!s) s = hold(t, p, err);
    }
    sn_values_free(p);
    return s;
}

static void *work(void *ctx)
{
    task *t = ctx;
    sn_err *err = calloc(1, sizeof *err);
    t->status = err ? analyse(t, err) : SN_ERR_MEMORY;
    if (err && err->count) snprintf(t->text, sizeof t->text, "%.190s", err->report[0].text);
    free(err);
    return NULL;
}

static void prepare(task *t, const sn_model *m)
{
    for (int i = 0; i < THREADS; i++) {
        t[i] = (task){.m = m, .number = i, .n = sn_channel_count(m)};
        t[i].y = calloc((size_t)t[i].n * (STEPS + 1) + ROOM, sizeof(double));
        assert_non_null(t[i].y);
    }
}

static void test_threads(void **state)
{
    (void)state;
    sn_model *m;
    sn_err err;
    task alone[THREADS], together[THREADS];
    pthread_t id[THREADS];
    sn_err_clear(&err);
    assert_int_equal(sn_model_read(SN_SOURCE_DIR "/examples/two-bar/two-bar.yaml", &m, &err), SN_OK);
    prepare(alone, m);
    for (int i = 0; i < THREADS; i++) work(&alone[i]);
    for (int round = 0; round < 3; round++) {
        prepare(together, m);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&id[i], NULL, work, &together[i]), 0);
        for (int i = 0; i < THREADS; i++) pthread_join(id[i], NULL);
        for (int i = 0; i < THREADS; i++) {
            if (together[i].status) fail_msg("thread %d: %s", i, together[i].text);
            assert_int_equal(together[i].filled, together[i].n * (STEPS + 1) + 5);
            assert_int_equal(together[i].filled, alone[i].filled);
            assert_memory_equal(together[i].y, alone[i].y, sizeof(double) * (size_t)alone[i].filled);
            free(together[i].y);
        }
    }
    /* the springs do differ: otherwise the comparison would say little */
    assert_memory_not_equal(alone[0].y, alone[1].y, sizeof(double) * (size_t)alone[0].filled);
    for (int i = 0; i < THREADS; i++) free(alone[i].y);
    sn_model_free(m);
}

/* ---- settings of the process ---- */

extern void openblas_set_num_threads(int n) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

/* The program that uses the library decides about the threads of OpenBLAS. */
static void test_settings(void **state)
{
    (void)state;
    sn_model *m;
    sn_err err;
    task t;
    if (!openblas_set_num_threads || !openblas_get_num_threads) {
        puts("skipped: the BLAS is not OpenBLAS");
        skip();
    }
    sn_err_clear(&err);
    assert_int_equal(sn_model_read(SN_SOURCE_DIR "/examples/two-bar/two-bar.yaml", &m, &err), SN_OK);
    t = (task){.m = m, .n = sn_channel_count(m)};
    t.y = calloc((size_t)t.n * (STEPS + 1) + ROOM, sizeof(double));
    int before = openblas_get_num_threads();
    openblas_set_num_threads(2);
    int given = openblas_get_num_threads();
    work(&t);
    assert_int_equal(t.status, SN_OK);
    assert_int_equal(openblas_get_num_threads(), given);
    openblas_set_num_threads(before);
    free(t.y);
    sn_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads), cmocka_unit_test(test_settings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
