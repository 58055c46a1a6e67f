/* Redundant equations and singular positions, with parallel cranks: bodies c1, c2, c3 turn about points of
   the ground 1 m apart and carry a table k. Two cranks make a mechanism with one freedom; the third adds no
   freedom and no condition, but one equation that follows from the others (12 coordinates, 12 equations, 11
   independent). */
#include "verify/kit.h"

#define HEAD                                                                                                 \
    "sinew: 1\n"                                                                                             \
    "gravity: [0, -9.81]\n"                                                                                  \
    "parameters: {L: 0.5, a: 60 deg, wrong: 0}\n"                                                            \
    "nodes:\n"                                                                                               \
    "  c1: [L/2*cos(a), L/2*sin(a)]\n"                                                                       \
    "  c2: {at: [1 + L/2*cos(a), L/2*sin(a)], angle: wrong}\n"                                               \
    "  k: [1 + L*cos(a), L*sin(a)]\n"

#define BODIES                                                                                               \
    "elements:\n"                                                                                            \
    "  m1: {mass2d: c1, mass: 1, inertia: 0.02}\n"                                                           \
    "  m2: {mass2d: c2, mass: 1, inertia: 0.02}\n"                                                           \
    "  mk: {mass2d: k, mass: 3, inertia: 1, com: [0.3, 0.1]}\n"

#define JOINTS                                                                                               \
    "joints:\n"                                                                                              \
    "  g1: {revolute2d: [ground, c1], at: [0, 0]}\n"                                                         \
    "  g2: {revolute2d: [ground, c2], at: [1, 0]}\n"                                                         \
    "  t1: {revolute2d: [c1, k], at: [L*cos(a), L*sin(a)]}\n"                                                \
    "  t2: {revolute2d: [c2, k], at: [1 + L*cos(a), L*sin(a)]}\n"

/* The third crank has no mass, so that the two mechanisms move alike. */
#define THIRD                                                                                                \
    "  g3: {revolute2d: [ground, c3], at: [2, 0]}\n"                                                         \
    "  t3: {revolute2d: [c3, k], at: [2 + L*cos(a), L*sin(a)]}\n"

#define TAIL                                                                                                 \
    "sensors:\n"                                                                                             \
    "  crank: {rotation: c1}\n"                                                                              \
    "  table: {position: k}\n"                                                                               \
    "  energy: {energy: all}\n"                                                                              \
    "  off: {violation: all}\n"                                                                              \
    "run: {end: 2, step: 1 ms}\n"

static const char *two = HEAD BODIES JOINTS TAIL;
static const char *three = HEAD "  c3: {frame2d: [2 + L/2*cos(a), L/2*sin(a)]}\n" BODIES JOINTS THIRD TAIL;

typedef struct memory {
    int messages;
    char text[8][512];
} memory;

static void remember(void *ctx, const char *text)
{
    memory *m = ctx;
    if (m->messages < 8) snprintf(m->text[m->messages], sizeof m->text[0], "%s", text);
    m->messages++;
}

static int told(const memory *m, const char *text)
{
    for (int i = 0; i < m->messages && i < 8; i++)
        if (strstr(m->text[i], text)) return 1;
    return 0;
}

/* The check counts and names what is redundant. */
static void test_check(void **state)
{
    sn_check_report r;
    kit k;
    (void)state;
    kit_text(&k, three);
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    assert_int_equal(r.sizes.m, 12);
    assert_int_equal(r.independent, 11);
    assert_int_equal(r.n_redundant, 1);
    assert_int_equal(r.freedom, 1);
    print_message("  %s", r.names);
    /* forces (1, -2, 1) along the three cranks are in balance by themselves: they have parts in all twelve
       equations, so that any of them may be the one too many */
    char joint[3], axis[2];
    assert_int_equal(sscanf(r.names, "redundant %2[gt123].%1[xy]", joint, axis), 2);
    sn_release(r.names);
    kit_close(&k);
    kit_text(&k, two);
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    assert_int_equal(r.freedom, 1);
    assert_int_equal(r.n_redundant, 0);
    assert_null(strstr(r.names, "redundant"));
    sn_release(r.names);
    kit_close(&k);
}

/* Three cranks move as two do. Both runs solve the same equations in other coordinates: they differ by
   Newton's tolerance, 1e-10 here, added up over 2000 steps. The equation left out holds as well as the
   others. */
static void test_same_motion(void **state)
{
    static const char *const out[] = {"crank.theta", "table.x", "table.y", "energy.total", "off"};
    double y[2][5];
    memory m = {0};
    kit k;
    (void)state;
    for (int i = 0; i < 2; i++) {
        kit_text(&k, i ? three : two);
        k.o.message = remember, k.o.ctx = &m, k.o.tolerance = 1e-10;
        kit_values(&k, 2, 5, out, y[i]);
        assert_int_equal(k.info.redundant, i);
        kit_close(&k);
    }
    print_message("  differences %.1e %.1e %.1e, violation %.1e; %s\n", y[1][0] - y[0][0], y[1][1] - y[0][1],
                  y[1][2] - y[0][2], y[1][4], m.text[0]);
    assert_int_equal(m.messages, 1);
    assert_true(told(&m, "is redundant and left out"));
    for (int i = 0; i < 4; i++) kit_near(out[i], y[1][i], y[0][i], 1e-7);
    kit_near("violation, with the equation left out", y[1][4], 0, 1e-10);
}

/* Energy with three cranks: kept to second order. */
static void test_energy(void **state)
{
    static const char *const out[] = {"energy.total", "energy.total"};
    static const double t[] = {0, 2};
    double y[2], drift[2];
    kit k;
    (void)state;
    kit_text(&k, three);
    k.o.tolerance = 1e-10;
    for (int i = 0; i < 2; i++) {
        k.o.step = 1e-3 / (1 << i);
        kit_points(&k, 2, out, t, y);
        drift[i] = y[1] - y[0];
    }
    print_message("  energy off by %.2e, %.2e of %.3f J\n", drift[0], drift[1], y[0]);
    kit_near("energy", drift[1], 0, 1e-4 * fabs(y[0]));
    kit_within("order", order_of(drift[0], drift[1]), 1.8, 2.2);
    kit_close(&k);
}

/* `redundant: error`: no run, and the equation is named. */
static void test_refused(void **state)
{
    kit k;
    (void)state;
    kit_text(&k, three);
    k.o.drop_redundant = 0;
    assert_int_equal(kit_try_run(&k), SN_ERR_NUMERIC);
    print_message("  %s\n", k.err.report[0].text);
    assert_non_null(strstr(k.err.report[0].text, "is redundant: it follows from the others"));
    char joint[3], axis[2];
    assert_int_equal(sscanf(k.err.report[0].text, "equation %2[gt123].%1[xy]", joint, axis), 2);
    kit_close(&k);
}

/* Statics leaves out or refuses in the same way. Cranks that hang at -70 degrees find the vertical; a run
   from there stays. The table's centre of mass is off the crank pins, which changes nothing, as it does not
   turn. */
static void test_static(void **state)
{
    static const char *const out[] = {"crank.theta", "table.theta", "table.y"};
    double y[3], degree = 3.14159265358979323846 / 180, turn = -20 * degree;
    memory m = {0};
    kit k;
    (void)state;
    kit_text(&k, three);
    kit_set(&k, "a", -70 * degree);
    kit_update(&k);
    k.o.message = remember, k.o.ctx = &m;
    kit_static(&k, 3, out, y);
    kit_near("crank", y[0], turn, 1e-8);
    kit_near("table's angle", y[1], 0, 1e-10);
    kit_near("table's height", y[2], -0.5, 1e-12);
    assert_true(told(&m, "is redundant and left out"));
    k.o.start_static = 1;
    kit_near("crank after 1 s", kit_value(&k, "crank.theta", 1), turn, 1e-7);
    k.o.drop_redundant = 0;
    assert_int_equal(kit_try_static(&k, 0, NULL, NULL), SN_ERR_NUMERIC);
    assert_non_null(strstr(k.err.report[0].text, "is redundant: it follows from the others"));
    kit_close(&k);
}

/* Two cranks swing right round, several times through the positions where cranks and table lie in one line.
   There the mechanism could turn into an anti-parallelogram; its speed carries it through as a parallelogram,
   the table not turning. At the very instant of the line the step's matrix is singular, but no step falls on
   it. */
static void test_through_singular(void **state)
{
    static const double step[] = {1e-3, 3e-3, 1e-2};
    (void)state;
    for (int i = 0; i < 3; i++) {
        static const char *const out[] = {"crank.theta", "crank.theta", "table.theta", "off"};
        static const double t[] = {1.2, 10, 10, 10};
        double y[4];
        kit k;
        kit_text(&k, two);
        k.o.step = step[i], k.o.end = 10;
        kit_points(&k, 4, out, t, y);
        print_message("  step %g: crank %.4f after 1.2 s, table turned by %.1e, violation %.1e\n", step[i],
                      y[0], y[2], y[3]);
        /* from 60 degrees to the other side, more than 240 degrees below: two collinear positions each way */
        assert_true(y[0] < -4.3);
        /* what Newton leaves over is magnified near the line, by the inverse of the small angle */
        kit_near("table", y[2], 0, 1e-6);
        kit_near("violation", y[3], 0, 1e-8);
        kit_close(&k);
    }
}

/* Started exactly in line, with cranks and table along x, an equation is redundant for this instant only, and
   the mechanism may leave in two ways. The equation is left out with a message, and as soon as the motion
   breaks it the run ends and says what happened: it does not go on with a mechanism that has come apart. */
static void test_singular_start(void **state)
{
    memory m = {0};
    sn_check_report r;
    kit k;
    (void)state;
    kit_text(&k, two);
    kit_set(&k, "a", 0);
    kit_update(&k);
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    assert_int_equal(r.freedom, 2);
    assert_int_equal(r.n_redundant, 1);
    sn_release(r.names);
    k.o.message = remember, k.o.ctx = &m;
    assert_int_equal(kit_try_run(&k), SN_ERR_NUMERIC);
    print_message("  %s\n", k.err.report[0].text);
    assert_true(told(&m, "is redundant and left out"));
    assert_non_null(strstr(k.err.report[0].text, "the start is a singular position"));
    assert_true(k.info.t > 0 && k.info.t < 0.2);
    kit_close(&k);
}

/* A crank that is given 0.05 rad off: the mechanism is assembled, the change is told and reported. The
   smallest change in the mass metric is of the size of the error; with three cranks too. */
static void test_assembly(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        static const char *const out[] = {"off", "off", "table.theta"};
        static const double t[] = {0, 0.1, 0.1};
        double y[3];
        memory m = {0};
        sn_check_report r;
        kit k;
        kit_text(&k, i ? three : two);
        kit_set(&k, "wrong", 0.05);
        kit_update(&k);
        kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
        /* the pin at the end of an arm L/2 of the turned crank misses by 0.05 L/2 */
        kit_near("violation as written", r.violation_q, 0.05 * 0.25, 0.3 * 0.05 * 0.25);
        /* the crank that is off is the first to be moved, mostly turned */
        char node[8];
        double by[2];
        const char *line = strstr(r.names, "moved ");
        assert_non_null(line);
        assert_int_equal(sscanf(line, "moved %7s %lf %lf", node, &by[0], &by[1]), 3);
        print_message("  %s", line);
        assert_string_equal(node, "c2");
        assert_true(by[1] > 0.01 && by[1] < 0.06 && by[0] < 0.02);
        assert_true(r.n_moved >= 2 && r.n_moved <= 4);
        sn_release(r.names);
        k.o.message = remember, k.o.ctx = &m, k.o.end = 0.1;
        kit_points(&k, 3, out, t, y);
        print_message("  %d cranks: %s; projection_q %.4f\n", 2 + i, m.text[m.messages - 1],
                      k.info.projection_q);
        assert_true(told(&m, "positions were moved by up to"));
        kit_within("change", k.info.projection_q, 0.01, 0.06);
        kit_near("violation at the start", y[0], 0, 1e-12);
        kit_near("violation", y[1], 0, 1e-9);
        kit_close(&k);
    }
}

/* A rod of length 1 whose end is written at a distance of 1.01: moved by exactly 0.01. */
static void test_assembly_rod(void **state)
{
    static const char *const out[] = {"b.x", "b.y"};
    double y[2];
    memory m = {0};
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes: {b: [0.606, 0.808]}\n"
                 "elements: {bob: {mass2d: b, mass: 1}}\n"
                 "joints: {rod: {distance: [ground, b], length: 1}}\n"
                 "sensors: {b: {position: b}}\n"
                 "run: {end: 0.1, step: 1 ms}\n");
    k.o.message = remember, k.o.ctx = &m;
    kit_points(&k, 2, out, (const double[]){0, 0}, y);
    kit_near("x", y[0], 0.6, 1e-13);
    kit_near("y", y[1], 0.8, 1e-13);
    kit_near("change", k.info.projection_q, 0.008, 1e-12);
    assert_true(told(&m, "positions were moved by up to 0.008"));
    kit_close(&k);
}

/* Three equal massless cranks carry a table whose centre of mass is above the middle one. With the smallest
   multipliers the middle crank and the outer ones carry a third each: forces (s, F - 2 s, s) along the cranks
   are all in balance, the sum of squares is least for s = F/3. The motion and the sum of reactions are those
   with an equation left out; all to rounding, 1e-12 of some 30 N. */
static void test_share(void **state)
{
    static const char *const text = "sinew: 1\n"
                                    "gravity: [0, -9.81]\n"
                                    "parameters: {L: 0.5, a: 60 deg}\n"
                                    "nodes:\n"
                                    "  c1: {frame2d: [-1 + L/2*cos(a), L/2*sin(a)]}\n"
                                    "  c2: {frame2d: [L/2*cos(a), L/2*sin(a)]}\n"
                                    "  c3: {frame2d: [1 + L/2*cos(a), L/2*sin(a)]}\n"
                                    "  k: [L*cos(a), L*sin(a)]\n"
                                    "elements: {mk: {mass2d: k, mass: 3, inertia: 1}}\n"
                                    "joints:\n"
                                    "  g1: {revolute2d: [ground, c1], at: [-1, 0]}\n"
                                    "  g2: {revolute2d: [ground, c2], at: [0, 0]}\n"
                                    "  g3: {revolute2d: [ground, c3], at: [1, 0]}\n"
                                    "  t1: {revolute2d: [c1, k], at: [-1 + L*cos(a), L*sin(a)]}\n"
                                    "  t2: {revolute2d: [c2, k], at: [L*cos(a), L*sin(a)]}\n"
                                    "  t3: {revolute2d: [c3, k], at: [1 + L*cos(a), L*sin(a)]}\n"
                                    "sensors:\n"
                                    "  g1: {reaction: g1}\n"
                                    "  g2: {reaction: g2}\n"
                                    "  g3: {reaction: g3}\n"
                                    "  table: {position: k}\n"
                                    "run: {end: 0.4, step: 1 ms, redundant: share, tolerance: 1e-12}\n";
    enum { N = 10 };
    static const char *const out[N] = {"g1.fx", "g2.fx", "g3.fx",   "g1.fy",   "g2.fy",
                                       "g3.fy", "g1.fy", "table.x", "table.y", "table.theta"};
    static const double t[N] = {0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.30003, 0.4, 0.4, 0.4};
    double shared[N], dropped[N];
    memory m = {0};
    kit k;
    (void)state;
    kit_text(&k, text);
    assert_int_equal(k.o.drop_redundant, SN_REDUNDANT_SHARE);
    k.o.message = remember, k.o.ctx = &m;
    kit_points(&k, N, out, t, shared);
    assert_true(told(&m, "is redundant: reactions are shared"));
    assert_int_equal(k.info.redundant, 1);
    k.o.drop_redundant = SN_REDUNDANT_DROP;
    kit_points(&k, N, out, t, dropped);
    print_message("  shared %.4f %.4f %.4f, dropped %.4f %.4f %.4f N\n", shared[3], shared[4], shared[5],
                  dropped[3], dropped[4], dropped[5]);
    for (int i = 7; i < N; i++) assert_true(shared[i] == dropped[i]);
    for (int i = 0; i < 6; i += 3) {
        double sum = dropped[i] + dropped[i + 1] + dropped[i + 2];
        kit_near("sum", shared[i] + shared[i + 1] + shared[i + 2], sum, 1e-10);
        for (int j = 0; j < 3; j++) kit_near("a third", shared[i + j], sum / 3, 1e-6);
        assert_true(fabs(dropped[i + 1] - sum / 3) > 0.1); /* it would not be so by itself */
    }
    kit_close(&k);
    /* at rest, hanging: each a third of the weight */
    kit_text(&k, text);
    kit_set(&k, "a", -80 * acos(-1) / 180);
    kit_update(&k);
    kit_static(&k, 6, out, shared);
    for (int j = 0; j < 3; j++) {
        kit_near("hanging, along", shared[3 + j], 9.81, 1e-7);
        kit_near("hanging, across", shared[j], 0, 1e-6);
    }
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check),          cmocka_unit_test(test_same_motion),
        cmocka_unit_test(test_energy),         cmocka_unit_test(test_refused),
        cmocka_unit_test(test_static),         cmocka_unit_test(test_through_singular),
        cmocka_unit_test(test_singular_start), cmocka_unit_test(test_assembly),
        cmocka_unit_test(test_assembly_rod),   cmocka_unit_test(test_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
