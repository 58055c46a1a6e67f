/* Constraints that cannot be met together: equations that contradict each other are told from redundant ones
   at the start, in statics and on the way; loops that cannot be closed name their joints and gaps; nodes that
   are held stay where they are held. */
#include "verify/kit.h"

#define DRIVES(first, second)                                                                                \
    "sinew: 1\n"                                                                                             \
    "nodes: {a: {frame2d: [0, 0]}}\n"                                                                        \
    "elements: {m: {mass2d: a, mass: 1, inertia: 1}}\n"                                                      \
    "joints:\n"                                                                                              \
    "  d1: {drive: a.x, value: " first "}\n"                                                                 \
    "  d2: {drive: a.x, value: " second "}\n"                                                                \
    "  y: {drive: a.y, value: 0}\n"                                                                          \
    "  turn: {drive: a.theta, value: 0}\n"                                                                   \
    "sensors: {a: {position: a}}\n"                                                                          \
    "run: {end: 1, step: 10 ms}\n"

static int says(const kit *k, const char *text)
{
    for (int i = 0; i < k->err.count && i < SN_ERR_MAX; i++)
        if (strstr(k->err.report[i].text, text)) return 1;
    return 0;
}

static double number_after(const kit *k, int report, const char *text)
{
    const char *at = strstr(k->err.report[report].text, text);
    return at ? strtod(at + strlen(text), NULL) : NAN;
}

/* x = 1 and x = 2: both are named, by place too, by how much they differ; in all analyses. */
static void test_drives(void **state)
{
    sn_check_report r;
    kit k;
    (void)state;
    kit_text(&k, DRIVES("1", "2"));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(i ? kit_try_static(&k, 0, NULL, NULL) : kit_try_run(&k), SN_ERR_NUMERIC);
        print_message("  %s\n", k.err.report[0].text);
        assert_true(says(&k, "equation d2.value contradicts d1.value ("));
        assert_int_equal(k.err.report[0].line, 6);
        kit_near("off by", number_after(&k, 0, "off by "), 1, 1e-12);
        sn_err_clear(&k.err);
    }
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    assert_int_equal(r.n_moved, -1);
    assert_non_null(strstr(r.names, "unmet "));
    assert_non_null(strstr(r.names, "equation d2.value contradicts d1.value ("));
    sn_release(r.names);
    kit_close(&k);
}

/* Drives that say the same are no contradiction, not even with another form of the same law: what rounding
   leaves is no difference. */
static void test_same(void **state)
{
    sn_check_report r;
    kit k;
    (void)state;
    kit_text(&k, DRIVES("0.3*sin(7*t)^2", "0.15 - 0.15*cos(14*t)"));
    kit_near("x", kit_value(&k, "a.x", 1), 0.3 * sin(7) * sin(7), 1e-12);
    assert_int_equal(k.info.redundant, 1);
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    assert_int_equal(r.n_moved, 0);
    sn_release(r.names);
    kit_close(&k);
}

/* Alike at the start, apart later: found out by the velocities, the accelerations, or on the way, when the
   difference t^3/2 exceeds 1e-6 of the size of the model (1 m): at t = 0.0126, the second step. */
static void test_rates(void **state)
{
    static const char *const text[] = {DRIVES("t", "2*t"), DRIVES("t", "t + t^2/2"),
                                       DRIVES("t", "t + t^3/2")},
                             *const what[] = {"not in velocities (off by ", "not in accelerations (off by ",
                                              "it is off by "};
    static const double off[] = {1, 1, 4e-6};
    (void)state;
    for (int i = 0; i < 3; i++) {
        sn_check_report r;
        kit k;
        kit_text(&k, text[i]);
        assert_int_equal(kit_try_run(&k), SN_ERR_NUMERIC);
        print_message("  %s\n", k.err.report[0].text);
        assert_true(says(&k, "equation d2.value contradicts d1.value ("));
        kit_near(what[i], number_after(&k, 0, what[i]), off[i], 1e-3 * off[i]);
        if (i == 2) kit_near("time", number_after(&k, 0, "at t = "), 0.02, 1e-12);
        sn_err_clear(&k.err);
        kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
        assert_int_equal(r.n_moved, i < 2 ? -1 : 0);
        sn_release(r.names);
        kit_static(&k, 0, NULL, NULL); /* at rest at t = 0 they agree */
        kit_close(&k);
    }
}

/* Laws that agree to the second derivative at the start: found out on the way, when the difference exceeds
   1e-6 of the size of the model, t^3/6 at t = 0.02 (1.33e-6), where a compromise would leave less than that
   of each. In a motion without freedom, and with one. */
static void test_later(void **state)
{
    static const char *const text[] = {DRIVES("sin(t)", "t"), "sinew: 1\n"
                                                              "nodes: {a: {point2d: [0, 0]}}\n"
                                                              "elements: {m: {mass2d: a, mass: 1}}\n"
                                                              "joints:\n"
                                                              "  d1: {drive: a.x, value: sin(t)}\n"
                                                              "  d2: {drive: a.x, value: t}\n"
                                                              "run: {end: 1, step: 10 ms}\n"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        kit k;
        kit_text(&k, text[i]);
        assert_int_equal(kit_try_run(&k), SN_ERR_NUMERIC);
        print_message("  %s\n", k.err.report[0].text);
        assert_int_equal(k.err.count, 1);
        assert_true(says(&k, "equation d2.value contradicts d1.value ("));
        kit_near("time", number_after(&k, 0, "at t = "), 0.02, 1e-12);
        kit_near("off by", number_after(&k, 0, "it is off by "), 0.02 - sin(0.02), 1e-8);
        kit_close(&k);
    }
}

/* The end of a rod of 1 m is driven along x beyond its reach, 1.0015 m at t = 0.5: the run ends, and names
   the joints that stay open there, along the line by 1.5 mm together, of three digits each. */
static void test_locks(void **state)
{
    double sum = 0;
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes: {a: {point2d: [0.5, 0.9]}}\n"
                 "elements: {m: {mass2d: a, mass: 1}}\n"
                 "joints:\n"
                 "  rod: {distance: [ground, a], length: 1}\n"
                 "  push: {drive: a.x, value: 0.5 + 1.003*t}\n"
                 "run: {end: 1, step: 10 ms}\n");
    assert_int_equal(kit_try_run(&k), SN_ERR_NUMERIC);
    assert_int_equal(k.info.kinematic, 1);
    for (int i = 0; i < k.err.count; i++) {
        print_message("  %s\n", k.err.report[i].text);
        double gap = number_after(&k, i, "stays open by ");
        if (gap > 0) sum += gap;
    }
    assert_true(says(&k, "no solution at t = 0.49"));
    assert_true(says(&k, "at t = 0.5 "));
    assert_true(says(&k, "distance 'rod' stays open by "));
    assert_int_equal(k.err.report[2].line, 5);
    kit_near("gaps", sum, 1.5e-3, 1e-5);
    kit_close(&k);
}

/* Three links between two held nodes 3 m apart. With lengths of 0.5 m the nearest are links along the line,
   stretched by (3 - 1.5)/3 each, as the links are alike and held nodes stay. */
#define LINKS(length, height)                                                                                \
    "sinew: 1\n"                                                                                             \
    "gravity: [0, -9.81]\n"                                                                                  \
    "nodes: {a: [0, 0], b: [1, " height "], c: [2, " height "], d: [3, 0]}\n"                                \
    "elements: {mb: {mass2d: b, mass: 1}, mc: {mass2d: c, mass: 1}}\n"                                       \
    "joints:\n"                                                                                              \
    "  A: {fixed: a}\n"                                                                                      \
    "  D: {fixed: d}\n"                                                                                      \
    "  ab: {distance: [a, b], length: " length "}\n"                                                         \
    "  bc: {distance: [b, c], length: " length "}\n"                                                         \
    "  cd: {distance: [c, d], length: " length "}\n"                                                         \
    "sensors: {a: {position: a}, d: {position: d}}\n"                                                        \
    "run: {end: 0.1, step: 10 ms}\n"

static void test_open_loop(void **state)
{
    static const char *const link[] = {"'ab'", "'bc'", "'cd'"};
    sn_check_report r;
    kit k;
    (void)state;
    kit_text(&k, LINKS("0.5", "-0.4"));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(i ? kit_try_static(&k, 0, NULL, NULL) : kit_try_run(&k), SN_ERR_NUMERIC);
        assert_true(says(&k, "the constraints cannot be met from the given positions"));
        assert_int_equal(k.err.count, 4);
        for (int j = 0; j < 3; j++) {
            assert_int_equal(k.err.report[1 + j].line, 8 + j);
            assert_non_null(strstr(k.err.report[1 + j].text, link[j]));
            /* three digits are printed */
            kit_near("gap", number_after(&k, 1 + j, "stays open by "), 0.5, 6e-4);
        }
        sn_err_clear(&k.err);
    }
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    assert_int_equal(r.n_moved, -1);
    assert_non_null(strstr(r.names, "distance 'bc' stays open by 0.5 m"));
    sn_release(r.names);
    kit_close(&k);
}

/* The same written along the line, where an equation seems redundant: once the one that holds d was left out,
   and d was pulled 1.5 m away. Links that are long enough need another start. */
static void test_open_flat(void **state)
{
    static const char *const text[] = {LINKS("0.5", "0"), LINKS("1.2", "0")};
    (void)state;
    for (int i = 0; i < 2; i++) {
        kit k;
        kit_text(&k, text[i]);
        assert_int_equal(kit_try_run(&k), SN_ERR_NUMERIC);
        print_message("  %s\n", k.err.report[0].text);
        assert_true(says(&k, i ? "the start is a singular position" : " contradicts "));
        kit_close(&k);
    }
}

/* Where the loop closes, nodes that are held are where they were written, to what the projection leaves,
   1e-13 of the model's 3 m. */
static void test_held(void **state)
{
    static const char *const out[] = {"a.x", "a.y", "d.x", "d.y"};
    static const double t[] = {0, 0, 0, 0};
    double y[4];
    kit k;
    (void)state;
    kit_text(&k, LINKS("1.1", "-0.4"));
    kit_points(&k, 4, out, t, y);
    for (int i = 0; i < 4; i++) kit_near(out[i], y[i], i == 2 ? 3 : 0, 3e-13);
    kit_close(&k);
}

/* From far away Newton's iteration first leads 1300 m off. What is told is where the nodes end up: at most
   3.6 m, the sum of the lengths, from a or d, which they were already. */
static void test_moved(void **state)
{
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes: {a: [0, 0], b: [1.5, 0.001], c: [3.5, 0], d: [3, 0]}\n"
                 "elements: {mb: {mass2d: b, mass: 1}, mc: {mass2d: c, mass: 1}}\n"
                 "joints:\n"
                 "  A: {fixed: a}\n"
                 "  D: {fixed: d}\n"
                 "  ab: {distance: [a, b], length: 1.1}\n"
                 "  bc: {distance: [b, c], length: 1.3}\n"
                 "  cd: {distance: [c, d], length: 1.2}\n"
                 "sensors: {d: {position: d}}\n"
                 "run: {end: 10 ms, step: 1 ms}\n");
    kit_near("held", kit_value(&k, "d.x", 0.01), 3, 1e-9);
    print_message("  moved by %.3g\n", k.info.projection_q);
    kit_within("moved", k.info.projection_q, 0.1, 7.2);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drives),    cmocka_unit_test(test_same),      cmocka_unit_test(test_rates),
        cmocka_unit_test(test_open_loop), cmocka_unit_test(test_open_flat), cmocka_unit_test(test_held),
        cmocka_unit_test(test_moved),     cmocka_unit_test(test_later),     cmocka_unit_test(test_locks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
