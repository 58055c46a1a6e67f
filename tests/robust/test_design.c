/* The design of an experiment with allocations that fail, each in turn, from the study's file to the written
   files: every answer is "out of memory" with one report; nothing may stay behind. */
#include "identify_kit.h"

#include "base/mem.h"
#include "counted.h"

static sn_status design(sn_err *err)
{
    sn_design_info info;
    sn_err_clear(err);
    sn_status s = sn_design(kit_path("study.yaml"),
                            &(sn_design_options){.folder = kit_path("out"), .json = 1}, &info, err);
    if (s && (info.json || info.summary)) fail_msg("texts of a failed design");
    sn_release(info.json), sn_release(info.summary);
    return s;
}

static void fail_each(const char *text, long stride)
{
    counter c = {0};
    const sn_allocator a = {counted, released, &c};
    static sn_err err;
    kit_put("study.yaml", text);
    sn_set_allocator(&a);
    sn_status s = design(&err);
    if (s) fail_msg("status %d: %s", s, err.count ? err.report[0].text : "no report");
    assert_int_equal(c.live, 0);
    long calls = c.calls;
    for (long k = 1; k <= calls; k += stride) {
        c = (counter){.fail = k};
        s = design(&err);
        if ((s != SN_ERR_MEMORY && s) || (s && err.count != 1) || c.live)
            fail_msg("allocation %ld of %ld: status %d, %d reports, %ld blocks left: %s", k, calls, s,
                     err.count, c.live, err.count ? err.report[0].text : "");
    }
    sn_set_allocator(NULL);
}

#define HEAD "study: 1\nmodel: spring.yaml\nrun: {step: 20 ms}\n"

static void test_plain(void **state)
{
    (void)state;
    fail_each(HEAD "unknowns: {k: {start: 75}}\ndesign: {sensors: {noise: {at.x: 1 mm}}, duration: 0.2 s, "
                   "rate: 50 Hz}\n",
              1);
}

static void test_all(void **state)
{
    (void)state;
    kit_measure(
        "a.csv",
        &(kit_data){.model = "spring.yaml", .channels = "at.x", .end = 0.2, .dt = 0.02, .sigma = 1e-4});
    fail_each(HEAD "data: a.csv\nset: {m: 2 kg}\n"
                   "unknowns: {k: {start: 75, goal: 1 %, prior: [80, 10]}, c: {start: 1, goal: 0.1}, x0: "
                   "{start: at.x, each: experiment}}\n"
                   "design:\n  sensors: {candidates: [at, fast.x], noise: {position: 1 mm, velocity: {sd: 1 "
                   "mm/s, correlation: 10 ms}}}\n"
                   "  excitation: {f: [1 N, 2 N]}\n  duration: [0.1 s, 0.2 s]\n  rate: [25 Hz, 50 Hz]\n  "
                   "robust: 1\n  evaluations: 4\n",
              13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
