/* Numbers that are not finite: the error names the number, where it was written and when it happened, not the
   iteration that met it. */
#include "verify/kit.h"

#define MODEL(force, value, k)                                                                               \
    "sinew: 1\n"                                                                                             \
    "signals: {pull: {expression: log(0.5 - t)}}\n"                                                          \
    "nodes: {a: [0, 0], b: [1, 0]}\n"                                                                        \
    "elements:\n"                                                                                            \
    "  ma: {mass2d: a, mass: 1}\n"                                                                           \
    "  mb: {mass2d: b, mass: 1}\n"                                                                           \
    "  push: {force2d: a, force: [" force ", 0]}\n"                                                          \
    "  s: {spring2d: [a, b], k: " k ", l0: 3}\n"                                                             \
    "joints:\n"                                                                                              \
    "  wall: {fixed: b}\n"                                                                                   \
    "  rail: {drive: a.y, value: " value "}\n"                                                               \
    "sensors: {a: {position: a}}\n"                                                                          \
    "run: {end: 1, step: 10 ms}\n"

typedef struct example {
    const char *yaml, *says;
    int line;
    double t; /* reached before it */
} example;

static const example runs[] = {
    {MODEL("sqrt(0.3 - t)", "0", "1"), "'elements.push.force.x' is not a number at t = 0.31", 7, 0.3},
    {MODEL("2/(0.31 - t)", "0", "1"), "'elements.push.force.x' is infinite at t = 0.31", 7, 0.3},
    {MODEL("3*pull", "0", "1"), "'signals.pull.value' is infinite at t = 0.5", 2, 0.49},
    {MODEL("0", "acos(0.895 + t)", "1"), "'joints.rail.value' is not a number at t = 0.11", 11, 0.1},
    {MODEL("0", "sqrt(t)", "1"), "the time derivative of 'joints.rail.value' is infinite at t = 0", 11, 0},
    {MODEL("1/t", "0", "1"), "'elements.push.force.x' is infinite at t = 0", 7, 0},
    {MODEL("0", "0", "1e308"), "a force of spring2d 's' is not finite at t = 0", 8, 0},
};

static void test_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        kit k;
        kit_text(&k, runs[i].yaml);
        assert_int_equal(kit_try_run(&k), SN_ERR_NUMERIC);
        print_message("  %s\n", k.err.report[0].text);
        assert_non_null(strstr(k.err.report[0].text, runs[i].says));
        assert_int_equal(k.err.report[0].line, runs[i].line);
        kit_near("time reached", k.info.t, runs[i].t, 1e-9);
        kit_close(&k);
    }
}

/* With steps by their error: no attempts with ever smaller ones. */
/* The signal `pull` is infinite at 0.5 s and no number from then on, but nothing asks for it. */
static void test_unused(void **state)
{
    kit k;
    (void)state;
    kit_text(&k, MODEL("0", "0", "1"));
    kit_good(&k, sn_run(k.m, k.p, &k.o, NULL, &k.err));
    kit_close(&k);
    /* nor does it hide what is asked for: the rate of a drive */
    kit_text(&k, "sinew: 1\n"
                 "signals: {pull: {expression: log(t)}}\n"
                 "nodes: {a: [0, 0]}\n"
                 "elements: {m: {mass2d: a, mass: 1}}\n"
                 "joints: {rail: {drive: a.y, value: sqrt(t)}}\n"
                 "run: {end: 1, step: 10 ms}\n");
    assert_int_equal(sn_run(k.m, k.p, &k.o, NULL, &k.err), SN_ERR_NUMERIC);
    assert_string_equal(k.err.report[0].text,
                        "the time derivative of 'joints.rail.value' is infinite at t = 0");
    kit_close(&k);
}

static void test_paced(void **state)
{
    kit k;
    (void)state;
    kit_text(&k, runs[0].yaml);
    k.o.error = 1e-4;
    assert_int_equal(kit_try_run(&k), SN_ERR_NUMERIC);
    print_message("  %s, %ld reductions\n", k.err.report[0].text, k.info.reductions);
    assert_non_null(strstr(k.err.report[0].text, "'elements.push.force.x' is not a number at t = 0.3"));
    assert_int_equal(k.info.reductions, 0);
    kit_close(&k);
}

/* Without freedom the motion follows from the equations alone: the same. */
static void test_kinematic(void **state)
{
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes: {a: [0, 0]}\n"
                 "elements: {ma: {mass2d: a, mass: 1}}\n"
                 "joints:\n"
                 "  x: {drive: a.x, value: asin(2*t)}\n"
                 "  y: {drive: a.y, value: 0}\n"
                 "run: {end: 1, step: 30 ms}\n");
    assert_int_equal(kit_try_run(&k), SN_ERR_NUMERIC);
    assert_true(k.info.kinematic);
    assert_non_null(strstr(k.err.report[0].text, "'joints.x.value' is not a number at t = 0.51"));
    assert_int_equal(k.err.report[0].line, 5);
    kit_close(&k);
}

/* Statics, at t = 0, and the check. */
static void test_static(void **state)
{
    (void)state;
    for (size_t i = 5; i < sizeof runs / sizeof *runs; i++) {
        sn_check_report r;
        kit k;
        kit_text(&k, runs[i].yaml);
        assert_int_equal(kit_try_static(&k, 0, NULL, NULL), SN_ERR_NUMERIC);
        assert_non_null(strstr(k.err.report[0].text, runs[i].says));
        assert_int_equal(k.err.report[0].line, runs[i].line);
        sn_err_clear(&k.err);
        if (i == 5) assert_int_equal(sn_check(k.m, k.p, &r, &k.err), SN_ERR_NUMERIC);
        if (i == 5) assert_non_null(strstr(k.err.report[0].text, runs[i].says));
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs), cmocka_unit_test(test_unused),
                                       cmocka_unit_test(test_paced), cmocka_unit_test(test_kinematic),
                                       cmocka_unit_test(test_static)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
