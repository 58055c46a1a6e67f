/* x' = A x + B u, y = C x + D u about states at rest and steady motions: closed forms, the frequency response
   that identification uses, runs with a small input, equilibria. */
#include "verify/linear_kit.h"

#include "sensitivity/vibration.h"

/* Closed forms of small systems hold to rounding times a condition of some hundreds. */
#define EXACT 1e-12

static const double frequencies[] = {0.3, 2, 4.0824829, 17, 400};

/* m x'' + c x' + k x = u: position, velocity, acceleration, reaction of the wall -k x - c x', of the guide 0.
 */
static void test_oscillator(void **state)
{
    const double m = 3, c = 4, k = 50;
    kit at;
    linear y;
    (void)state;
    kit_text(&at, "sinew: 1\n"
                  "nodes: {w: [0, 0], b: [1.5, 0]}\n"
                  "signals: {push: {input: 0}}\n"
                  "elements: {m: {mass2d: b, mass: 3}, s: {spring2d: [w, b], k: 50, c: 4, l0: 1.5},\n"
                  "  f: {force2d: b, force: [push, 0]}}\n"
                  "joints: {rail: {fixed: b, only: y}, wall: {fixed: w}}\n"
                  "sensors: {x: {position: b}, v: {velocity: b}, a: {acceleration: b}, r: {reaction: wall}, "
                  "e: {energy: s}}\n");
    linear_options(&at, &y), linear_make(&at, &y);
    assert_int_equal(y.about, SN_LINEAR_AT_REST);
    assert_int_equal(y.n, 2);
    assert_int_equal(y.ni, 1);
    assert_string_equal(y.state[0], "b.x"), assert_string_equal(y.state[1], "b.x'");
    assert_string_equal(y.state_unit[0], "m"), assert_string_equal(y.state_unit[1], "m/s");
    assert_string_equal(y.input[0], "push"), assert_string_equal(y.input_unit[0], "N");
    assert_string_equal(y.output_unit[linear_index(y.output, y.no, "a.x")], "m/s^2");
    for (size_t i = 0; i < sizeof frequencies / sizeof *frequencies; i++) {
        double complex s = I * frequencies[i], h = 1 / (m * s * s + c * s + k);
        linear_near("x", linear_response(&y, "x.x", "push", s), h, EXACT);
        linear_near("v", linear_response(&y, "v.x", "push", s), s * h, EXACT);
        linear_near("a", linear_response(&y, "a.x", "push", s), s * s * h, EXACT);
        linear_near("reaction", linear_response(&y, "r.fx", "push", s), -(c * s + k) * h, EXACT);
        assert_true(cabs(linear_response(&y, "x.y", "push", s)) < 1e-15);
        assert_true(cabs(linear_response(&y, "e.total", "push", s)) < 1e-13); /* stationary at rest */
    }
    linear_free(&y), kit_close(&at);
}

/* A body on a spring and a damper from a base that is led along u: m x'' = k (u - x) + c (u' - x'), with the
   force of the drive M u'' - k (u - x) - c (u' - x'). The drive's second derivative is the input. */
static void test_base(void **state)
{
    const double m = 3, M = 5, c = 4, k = 50;
    kit at;
    linear y;
    (void)state;
    kit_text(&at,
             "sinew: 1\n"
             "nodes: {w: [0, 0], b: [1.5, 0]}\n"
             "signals: {lead: {input: 0}}\n"
             "elements: {mw: {mass2d: w, mass: 5}, m: {mass2d: b, mass: 3}, "
             "s: {spring2d: [w, b], k: 50, c: 4, l0: 1.5}}\n"
             "joints: {rail: {fixed: b, only: y}, base: {fixed: w, only: y}, "
             "go: {drive: w.x, value: lead}}\n"
             "sensors: {x: {position: b}, a: {acceleration: b}, w: {position: w}, wa: {acceleration: w}, "
             "r: {reaction: go}}\n");
    linear_options(&at, &y), linear_make(&at, &y);
    assert_int_equal(y.n, 4);
    assert_string_equal(y.input[0], "lead''");
    assert_string_equal(y.input_unit[0], "m/s^2");
    assert_int_equal(y.order[0], 2);
    linear_index(y.state, y.n, "lead"), linear_index(y.state, y.n, "lead'");
    for (size_t i = 0; i < sizeof frequencies / sizeof *frequencies; i++) {
        double complex s = I * frequencies[i], h = (c * s + k) / (m * s * s + c * s + k);
        linear_near("x", linear_response(&y, "x.x", "lead''", s), h, EXACT);
        linear_near("a", linear_response(&y, "a.x", "lead''", s), s * s * h, EXACT);
        linear_near("base", linear_response(&y, "w.x", "lead''", s), 1, EXACT);
        linear_near("base", linear_response(&y, "wa.x", "lead''", s), s * s, EXACT);
        double complex force = M * s * s + (k + c * s) * (1 - h);
        linear_near("drive", linear_response(&y, "r.fx", "lead''", s), force, EXACT * 100);
    }
    linear_free(&y), kit_close(&at);
}

/* A pendulum with a moment: J th'' + m g l th = u, at its hanging and at its upright position. */
static void test_pendulum(void **state)
{
    (void)state;
    for (int up = 0; up < 2; up++) {
        kit at;
        linear y;
        kit_text(&at, up ? "sinew: 1\ngravity: [0, 9.81]\n"
                           "nodes: {b: {frame2d: [0, -0.5]}}\nparameters: {M: 0}\n"
                           "elements: {m: {mass2d: b, mass: 2, inertia: 0.1}, t: {force2d: b, torque: M}}\n"
                           "joints: {pin: {revolute2d: [ground, b], at: [0, 0]}}\n"
                           "sensors: {th: {rotation: b}, r: {reaction: pin}}\n"
                         : "sinew: 1\ngravity: [0, -9.81]\n"
                           "nodes: {b: {frame2d: [0, -0.5]}}\nparameters: {M: 0}\n"
                           "elements: {m: {mass2d: b, mass: 2, inertia: 0.1}, t: {force2d: b, torque: M}}\n"
                           "joints: {pin: {revolute2d: [ground, b], at: [0, 0]}}\n"
                           "sensors: {th: {rotation: b}, r: {reaction: pin}}\n");
        const char *inputs[] = {"M"};
        linear_options(&at, &y);
        y.o.input = inputs, y.o.n_input = 1;
        linear_make(&at, &y);
        assert_int_equal(y.n, 2);
        const double J = 0.1 + 2 * 0.25, k = (up ? -1 : 1) * 2 * 9.81 * 0.5;
        double complex s = 1.3 * I, h = 1 / (J * s * s + k);
        linear_near("angle", linear_response(&y, "th.theta", "M", s), h, EXACT);
        /* across: m l th'' is what the pin must give, as there is no other force along x */
        linear_near("reaction", linear_response(&y, "r.fx", "M", s), 2 * 0.5 * s * s * h, EXACT);
        double root = up ? sqrt(2 * 9.81 * 0.5 / J) : 0;
        if (up) assert_true(fabs(fmax(y.poles[0], y.poles[2]) - root) < 1e-12 * root);
        linear_free(&y), kit_close(&at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oscillator),
        cmocka_unit_test(test_base),
        cmocka_unit_test(test_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
