/* The filter on-line with allocations that fail, each in turn, from the study's file to the last sample:
   every answer is "out of memory" with one report, or the result where the library can do without (pivots are
   not chosen anew); nothing may stay behind. */
#include "identify_kit.h"

#include "base/mem.h"
#include "counted.h"

static const char model_text[] = "sinew: 1\nparameters: {k: 80 N/m}\nnodes: {b: [1, 0], c: [1, -1]}\n"
                                 "elements: {bob: {mass2d: b, mass: 2}, low: {mass2d: c, mass: 0.5}, "
                                 "s: {spring2d: [ground, b], k: k, l0: 1, c: 1},\n"
                                 "  push: {force2d: c, force: [push*1 N, 0]}}\n"
                                 "joints: {rail: {fixed: b, only: y}, rod: {distance: [b, c]}}\n"
                                 "signals: {push: {constant: 0}}\n"
                                 "sensors: {a: {acceleration: c}, at: {position: b}}\n"
                                 "gravity: [0, -9.81]\nrun: {end: 1 s, step: 20 ms}\n";
static const char study_text[] =
    "study: 1\nmodel: model.yaml\nmethod: kalman\nnoise: {a.x: 0.1, at.x: 1e-3}\n"
    "kalman: {lag: 0.1 s, show: [at.x]}\n"
    "instruments: {at.x: {offset: {start: 0, prior: [0, 0.01]}}}\n"
    "unknowns: {k: {start: 80, prior: [80, 2]}, push: {history: {form: cubic, spacing: 50 ms, weight: "
    "10}}}\n";

static sn_status follow(sn_err *err)
{
    static const char *const column[] = {"t", "a.x", "at.x"};
    sn_filter *f;
    sn_err_clear(err);
    sn_status s = sn_filter_open(kit_path("study.yaml"),
                                 &(sn_filter_options){.column = column, .n_column = 3}, &f, err);
    for (int i = 0; !s && i < 60; i++) {
        sn_filter_estimate e;
        double row[3] = {0.02 * i, 0.3 * ((i * 7919) % 13 - 6) / 6.0,
                         1 + 1e-3 * ((i * 104729) % 11 - 5) / 5.0};
        s = sn_filter_take(f, row, &e, err);
    }
    sn_filter_close(f);
    return s;
}

static void test_each(void **state)
{
    (void)state;
    counter c = {0};
    const sn_allocator a = {counted, released, &c};
    static sn_err err;
    kit_put("model.yaml", model_text);
    kit_put("study.yaml", study_text);
    sn_set_allocator(&a);
    sn_status s = follow(&err);
    if (s) fail_msg("status %d: %s", s, err.count ? err.report[0].text : "no report");
    assert_int_equal(c.live, 0);
    long calls = c.calls, done = 0;
    for (long k = 1; k <= calls; k++) {
        c = (counter){.fail = k};
        s = follow(&err);
        if (s == SN_OK ? err.count != 0 : s != SN_ERR_MEMORY || err.count != 1 || err.report[0].status != s)
            fail_msg("allocation %ld of %ld: status %d, %d reports: %s", k, calls, s, err.count,
                     err.count ? err.report[0].text : "");
        if (c.live) fail_msg("allocation %ld of %ld: %ld blocks left", k, calls, c.live);
        done += s == SN_OK;
    }
    sn_set_allocator(NULL);
    assert_in_range(done, 0, calls / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each)};
    return cmocka_run_group_tests_name("online", tests, kit_begin, kit_end);
}
