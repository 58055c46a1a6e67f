/* Memory of steady and periodic motions: each allocation is made to fail in turn. The answer must be "out of
   memory" with one report, or a good result; nothing may stay behind. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sinew/sinew.h"
#include "counted.h"

typedef sn_status job(const sn_model *m, const sn_values *p, sn_err *err);

static sn_status steady(const sn_model *m, const sn_values *p, sn_err *err)
{
    sn_linear_options o = sn_linear_options_default(m, p);
    o.at_steady = 1;
    return sn_linearise(m, p, &o, err);
}

static sn_status periodic(const sn_model *m, const sn_values *p, sn_err *err)
{
    sn_floquet_options o = sn_floquet_options_default(m, p);
    o.period = 1, o.run.step = 0.25;
    return sn_floquet_multipliers(m, p, &o, err);
}

static void fail_each(const char *text, job *f)
{
    counter c = {0};
    const sn_allocator a = {counted, released, &c};
    sn_model *m;
    sn_values *p;
    sn_err err;
    long calls = 1;
    sn_err_clear(&err);
    assert_int_equal(sn_model_read_text("x", text, strlen(text), &m, &err), SN_OK);
    assert_int_equal(sn_values_new(m, &p, &err), SN_OK);
    sn_set_allocator(&a);
    assert_int_equal(f(m, p, &err), SN_OK);
    calls = c.calls;
    assert_int_equal(c.live, 0);
    for (long k = 1; k <= calls; k++) {
        c = (counter){.fail = k};
        sn_err_clear(&err);
        sn_status s = f(m, p, &err);
        if (s != SN_OK && (s != SN_ERR_MEMORY || err.count != 1 || err.status != s))
            fail_msg("allocation %ld of %ld: status %d, %d reports: %s", k, calls, s, err.count,
                     err.count ? err.report[0].text : "");
        if (c.live) fail_msg("allocation %ld of %ld: %ld blocks left", k, calls, c.live);
    }
    sn_set_allocator(NULL);
    sn_values_free(p);
    sn_model_free(m);
}

static void test_steady(void **state)
{
    (void)state;
    fail_each("sinew: 1\ngravity: [0, 0, -9.81]\n"
              "nodes: {disc: {at: [0, 0, 0.5], displacement: [0, 0, -0.01], velocity: [3, 0, 0], "
              "rotation: [0.2, 0, 0], spin: [0, 6, -0.7]}}\n"
              "elements: {m: {mass3d: disc, mass: 4, inertia: [0.25, 0.5, 0.25]}}\n"
              "joints: {road: {rolling: disc, radius: 0.5, axis: [0, 1, 0]}}\nrun: {end: 1, step: 1 ms}\n",
              steady);
}

static void test_periodic(void **state)
{
    (void)state;
    fail_each(
        "sinew: 1\nnodes: {mass: {frame2d: [1, 0]}}\nsignals: {f: {expression: '3*cos(6.28318530718*t)'}}\n"
        "elements:\n  m: {mass2d: mass, mass: 1}\n  s: {spring2d: [ground, mass], k: 9, c: 0.6}\n"
        "  f: {force2d: mass, force: [f, 0]}\n"
        "joints: {line: {prismatic2d: [ground, mass], axis: [1, 0]}}\nrun: {end: 1, step: 1 ms}\n",
        periodic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steady),
        cmocka_unit_test(test_periodic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
