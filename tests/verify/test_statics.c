/* Static equilibria against closed forms, runs that begin at them, and what is said where there is none. */
#include "verify/kit.h"

static const double g = 9.81;

/* A report of k->err that contains the text, or the end of the test. */
static void says(const kit *k, const char *text)
{
    for (int i = 0; i < k->err.count && i < SN_ERR_MAX; i++)
        if (strstr(k->err.report[i].text, text)) return;
    fail_msg("no report says '%s'; the first of %d is '%s'", text, k->err.count, k->err.report[0].text);
}

static const char *hanging =
    "sinew: 1\n"
    "gravity: [0, -9.81]\n"
    "nodes: {b: [0, -1]}\n"
    "elements: {spring: {spring2d: [ground, b], k: 200, l0: 0.9}, body: {mass2d: b, mass: 3}}\n"
    "joints: {guide: {fixed: b, only: x}}\n"
    "sensors: {b: {position: b}, v: {velocity: b}, f: {force: spring}, e: {energy: all}}\n"
    "run: {end: 5, step: 10 ms, start: static}\n";

/* Mass on a spring: length l0 + m g/k. The problem is linear: Newton's tolerance only. */
static void test_hanging(void **state)
{
    static const char *const out[] = {"b.y", "f.fy"};
    double y[2];
    kit k;
    (void)state;
    kit_text(&k, hanging);
    kit_static(&k, 2, out, y);
    kit_near("length", y[0], -0.9 - 3 * g / 200, 1e-12);
    kit_near("force", y[1], -3 * g, 1e-10);
    kit_close(&k);
}

/* `start: static`: the run begins at the equilibrium and stays there. The residual left by statics, 1e-8 of
   the forces, moves the mass by at most twice its static deflection m g/k 1e-8 = 1.5e-9 m. Without it, it
   oscillates. */
static void test_start_static(void **state)
{
    static const char *const out[] = {"b.y", "v.y", "b.y", "v.y"};
    static const double t[] = {0, 0, 5, 5};
    double y[4];
    kit k;
    (void)state;
    kit_text(&k, hanging);
    kit_points(&k, 4, out, t, y);
    print_message("  at rest: %.2e m, %.2e m/s after 5 s\n", y[2] - y[0], y[3]);
    kit_near("position at the start", y[0], -0.9 - 3 * g / 200, 3e-9);
    kit_near("velocity at the start", y[1], 0, 0);
    kit_near("position after 5 s", y[2], y[0], 3e-9);
    kit_near("velocity after 5 s", y[3], 0, 3e-8);
    k.o.start_static = 0;
    kit_points(&k, 4, out, t, y);
    assert_true(fabs(y[2] - y[0]) > 1e-3);
    kit_close(&k);
}

/* The same with a flexible chain: a beam of 8 elements sagging under its weight between two pins, one of them
   on a spring. The sag has a closed form only for small deflections; here the run must stay where statics put
   it. */
static void test_start_static_beam(void **state)
{
    static const char *const out[] = {"mid.y", "mid.y", "v.y", "pin.fy", "end.fy"};
    static const double t[] = {0, 1, 1, 1, 1};
    double y[5], W = 2 * 3 * g;
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "gravity: [0, -9.81]\n"
                 "nodes: {a: [0, 0], b: [2, 0], c: [2.5, 0]}\n"
                 "elements:\n"
                 "  beam: {beam2d_cr: [a, b], EA: 1e5, EI: 20, rhoA: 3, elements: 8}\n"
                 "  spring: {spring2d: [b, c], k: 300}\n"
                 "joints: {pin: {fixed: a, only: [x, y]}, end: {fixed: c}, roller: {fixed: b, only: y}}\n"
                 "sensors:\n"
                 "  mid: {position: beam.n4}\n"
                 "  v: {velocity: beam.n4}\n"
                 "  pin: {reaction: pin}\n"
                 "  end: {reaction: roller}\n"
                 "run: {end: 1, step: 2 ms, start: static}\n");
    kit_points(&k, 5, out, t, y);
    print_message("  sag %.6f m, moves by %.1e m, %.1e m/s\n", -y[0], y[1] - y[0], y[2]);
    kit_within("sag", -y[0], 0.1, 0.6);
    /* 1e-8 of the forces, times the flexibility L^3/(48 EI) = 0.008 m/N of the weight of 59 N: 5e-9 m */
    kit_near("middle", y[1], y[0], 2e-8);
    kit_near("velocity", y[2], 0, 1e-6);
    kit_near("reactions", y[3] + y[4], W, 1e-5 * W);
    kit_close(&k);
}

/* A pendulum finds its lowest point although only its weight gives it stiffness: arm of 0.5 m from 53
 * degrees. */
static void test_pendulum(void **state)
{
    static const char *const out[] = {"c.x", "c.y", "pin.fy"};
    double y[3];
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "gravity: [0, -9.81]\n"
                 "nodes: {p: [0, 0], c: [0.4, -0.3]}\n"
                 "elements: {body: {mass2d: c, mass: 2, inertia: 0.1}}\n"
                 "joints: {arm: {rigid_link: [p, c]}, pin: {revolute2d: [ground, p]}}\n"
                 "sensors: {c: {position: c}, pin: {reaction: pin}}\n");
    kit_static(&k, 3, out, y);
    kit_near("x", y[0], 0, 1e-9);
    kit_near("y", y[1], -0.5, 1e-12);
    kit_near("reaction", y[2], 2 * g, 1e-7);
    kit_close(&k);
}

/* A cantilever rolled up by a tip moment: constant curvature, all elements have the same end rotations and
   their chords close circles, for any mesh. Far steps are half a radian: 2 pi takes 13 of them, each with up
   to three steps in which the flat coordinates settle, and Newton's last ones; without these thin members
   wander (hundreds of iterations and reductions). Four turns take more steps than there may be: Newton does
   not get there in one go, load steps do. */
static void test_load_steps(void **state)
{
    static const char *const out[] = {"tip.x", "tip.y", "tip.theta", "wall.torque"};
    static const double EA[] = {1e4, 1e7, 1e10};
    double y[4], pi = 3.14159265358979323846;
    (void)state;
    for (int i = 0; i < 4; i++) {
        double turn = 2 * pi * (i < 3 ? 1 : 4);
        kit k;
        kit_text(&k, "sinew: 1\n"
                     "parameters: {EA: 1e7, turn: 2*pi}\n"
                     "nodes: {a: [0, 0], b: [1, 0]}\n"
                     "elements:\n"
                     "  beam: {beam2d_cr: [a, b], EA: EA, EI: 1, rhoA: 1, elements: 32}\n"
                     "  load: {force2d: b, torque: turn}\n"
                     "joints: {wall: {fixed: a}}\n"
                     "sensors: {tip: {displacement: b}, wall: {reaction: wall}}\n");
        kit_set(&k, "EA", EA[i % 3]);
        kit_set(&k, "turn", turn);
        kit_update(&k);
        kit_static(&k, 4, out, y);
        print_message("  %ld load steps, %ld reductions, %ld iterations; tip %.1e %.1e %.1e\n", k.info.steps,
                      k.info.reductions, k.info.iterations, y[0] + 1, y[1], y[2] - turn);
        if (i < 3)
            assert_true(k.info.reductions == 0 && k.info.steps == 1 && k.info.iterations <= 4 * 13 + 8);
        else
            assert_true(k.info.reductions > 0 && k.info.steps > 1);
        kit_near("x", y[0], -1, 1e-9);
        kit_near("y", y[1], 0, 1e-9);
        kit_near("rotation", y[2], turn, 1e-9);
        kit_near("moment at the wall", y[3], -turn, 1e-7);
        kit_close(&k);
    }
}

/* A mass between two unstretched springs in a line has no stiffness across until it has moved: the sag y of
   2 k (l - 1) y/l = m g, l = sqrt(1 + y^2). Newton's tolerance only. */
static void test_rope(void **state)
{
    static const char *const out[] = {"b.x", "b.y"};
    double y[2];
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "gravity: [0, -9.81]\n"
                 "nodes: {a: [0, 0], b: [1, 0], c: [2, 0]}\n"
                 "elements:\n"
                 "  s1: {spring2d: [a, b], k: 100}\n"
                 "  s2: {spring2d: [b, c], k: 100}\n"
                 "  body: {mass2d: b, mass: 2}\n"
                 "joints: {f1: {fixed: a}, f2: {fixed: c}}\n"
                 "sensors: {b: {position: b}}\n");
    kit_static(&k, 2, out, y);
    double l = sqrt(1 + y[1] * y[1]);
    kit_near("middle", y[0], 1, 1e-12);
    kit_near("balance", 200 * (l - 1) * -y[1] / l, 2 * g, 1e-7);
    assert_int_equal(k.info.unstable, 0);
    assert_string_equal(k.info.neutral, "");
    kit_close(&k);
}

/* A node that only a sensor knows: named by the check and by the run, with its place in the file. */
static void test_unsupported(void **state)
{
    sn_check_report r;
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes:\n"
                 "  b: [1, 0]\n"
                 "  lost: [2, 0]\n"
                 "elements: {body: {mass2d: b, mass: 2}}\n"
                 "sensors: {lost: {position: lost}}\n");
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    assert_int_equal(r.n_unsupported, 2);
    assert_non_null(strstr(r.names, "unsupported lost.x\n"));
    assert_non_null(strstr(r.names, "unsupported lost.y\n"));
    sn_release(r.names);
    assert_int_equal(kit_try_run(&k), SN_ERR_NUMERIC);
    says(&k, "nothing determines lost.x");
    says(&k, "nothing determines lost.y");
    assert_int_equal(k.err.report[0].line, 4);
    kit_close(&k);
}

/* The rotation of a massless node that a pin holds in x and y only is unsupported too. */
static void test_unsupported_rotation(void **state)
{
    sn_check_report r;
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes: {p: {frame2d: [0, 0]}, b: [1, 0]}\n"
                 "elements: {spring: {spring2d: [p, b], k: 10}, body: {mass2d: b, mass: 2}}\n"
                 "joints: {pin: {revolute2d: [ground, p]}}\n");
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    assert_int_equal(r.n_unsupported, 1);
    assert_non_null(strstr(r.names, "unsupported p.theta\n"));
    sn_release(r.names);
    assert_int_equal(kit_try_run(&k), SN_ERR_NUMERIC);
    says(&k, "nothing determines p.theta");
    kit_close(&k);
}

/* An eccentric wheel rolls until its centre of mass is lowest: the centre of mass starts at -53.13 degrees,
   so that the wheel turns by -(90 - 53.13) degrees and its centre moves by r times that. */
static void test_wheel(void **state)
{
    static const char *const out[] = {"c.x", "c.y", "c.theta", "road.fy", "road.fx"};
    double y[5], turn = atan2(0.06, 0.08);
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "gravity: [0, -9.81]\n"
                 "nodes: {c: [0, 0.3]}\n"
                 "elements: {wheel: {mass2d: c, mass: 2, inertia: 0.1, com: [0.06, -0.08]}}\n"
                 "joints: {road: {rolling2d: c, radius: 0.3}}\n"
                 "sensors: {c: {position: c}, road: {reaction: road}}\n"
                 "run: {end: 2, step: 5 ms, start: static}\n");
    kit_static(&k, 5, out, y);
    kit_near("x", y[0], 0.3 * turn, 1e-8);
    kit_near("y", y[1], 0.3, 1e-13);
    kit_near("theta", y[2], -turn, 1e-8);
    kit_near("normal force", y[3], 2 * g, 1e-8);
    kit_near("friction", y[4], 0, 1e-6);
    kit_near("x after 2 s", kit_value(&k, "c.x", 2), 0.3 * turn, 1e-7);
    kit_close(&k);
}

/* An arm that a drive holds at its value for t = 0, 0.7 rad: torque m g L cos(0.7). */
static void test_drive(void **state)
{
    static const char *const out[] = {"c.theta", "motor.torque"};
    double y[2];
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "gravity: [0, -9.81]\n"
                 "nodes: {c: [0.5, 0]}\n"
                 "elements: {arm: {mass2d: c, mass: 2, inertia: 0.1}}\n"
                 "joints: {pin: {revolute2d: [ground, c], at: [0, 0]}, motor: {drive: c.theta, value: 0.7 + "
                 "t*(0.2 rad/s)}}\n"
                 "sensors: {c: {position: c}, motor: {reaction: motor}}\n");
    kit_static(&k, 2, out, y);
    kit_near("angle", y[0], 0.7, 1e-13);
    kit_near("torque", y[1], 2 * g * 0.5 * cos(0.7), 1e-8);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hanging),
        cmocka_unit_test(test_start_static),
        cmocka_unit_test(test_start_static_beam),
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_load_steps),
        cmocka_unit_test(test_rope),
        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_unsupported_rotation),
        cmocka_unit_test(test_wheel),
        cmocka_unit_test(test_drive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
