/* Motion where no freedom is left: a four-bar linkage driven at its crank, bars without mass, against the
   closed form of its loop. Positions, velocities and accelerations follow from the equations at each time;
   they are exact to rounding with any step.

   Crank r1 at the origin, coupler r2, rocker r3 about (d, 0). With the crank's angle a its end is P = r1 (cos
   a, sin a), the distance to the rocker's pivot e = |D - P|, and the coupler lies at the angle b from D - P,
   cos b = (r2^2 + e^2 - r3^2)/(2 r2 e). */
#include "verify/kit.h"

enum { QUANTITIES = 9 };
static const double r1 = 0.3, r2 = 0.9, r3 = 0.7, d0 = 1;

/* Angles of coupler and rocker, their rates and accelerations, for a crank at a, w, u (angle, rate,
   acceleration). The loop r1 e(a) + r2 e(p) = (d, 0) + r3 e(s), differentiated twice: linear systems in p',
   s' and p'', s''. */
static void exact(double a, double w, double u, double *p, double *s)
{
    double x = d0 - r1 * cos(a), y = -r1 * sin(a), e = hypot(x, y);
    p[0] = atan2(y, x) + acos((r2 * r2 + e * e - r3 * r3) / (2 * r2 * e));
    s[0] = atan2(r1 * sin(a) + r2 * sin(p[0]), r1 * cos(a) + r2 * cos(p[0]) - d0);
    double A = -r2 * sin(p[0]), B = r3 * sin(s[0]), C = r2 * cos(p[0]), D = -r3 * cos(s[0]),
           det = A * D - B * C;
    double f = r1 * sin(a) * w, g = -r1 * cos(a) * w;
    p[1] = (f * D - B * g) / det, s[1] = (A * g - f * C) / det;
    f = r1 * (sin(a) * u + cos(a) * w * w) + r2 * cos(p[0]) * p[1] * p[1] - r3 * cos(s[0]) * s[1] * s[1];
    g = r1 * (-cos(a) * u + sin(a) * w * w) + r2 * sin(p[0]) * p[1] * p[1] - r3 * sin(s[0]) * s[1] * s[1];
    p[2] = (f * D - B * g) / det, s[2] = (A * g - f * C) / det;
}

/* The bars as frames at their middles; the crank turns by drive(t) = 3 t + t^2/2. */
static void write_model(char *text, size_t size, const char *elements)
{
    double p[3], s[3];
    exact(1, 3, 1, p, s);
    snprintf(text, size,
             "sinew: 1\n"
             "parameters: {Px: %.17g, Py: %.17g, Qx: %.17g, Qy: %.17g}\n"
             "nodes:\n"
             "  c: {frame2d: [Px/2, Py/2]}\n"
             "  k: {frame2d: [(Px + Qx)/2, (Py + Qy)/2]}\n"
             "  r: {frame2d: [(1 + Qx)/2, Qy/2]}\n"
             "%s"
             "joints:\n"
             "  o: {revolute2d: [ground, c], at: [0, 0]}\n"
             "  p: {revolute2d: [c, k], at: [Px, Py]}\n"
             "  q: {revolute2d: [k, r], at: [Qx, Qy]}\n"
             "  d: {revolute2d: [ground, r], at: [1, 0]}\n"
             "  motor: {drive: c.theta, value: 3 rad/s*t + 0.5 rad/s^2*t^2}\n"
             "sensors:\n"
             "  k: {rotation: k}\n"
             "  r: {rotation: r}\n"
             "  rp: {position: r}\n"
             "  vk: {velocity: k}\n"
             "  vr: {velocity: r}\n"
             "  ak: {acceleration: k}\n"
             "  ar: {acceleration: r}\n"
             "  motor: {reaction: motor}\n"
             "run: {end: 2, step: 10 ms}\n",
             r1 * cos(1), r1 * sin(1), r1 * cos(1) + r2 * cos(p[0]), r1 * sin(1) + r2 * sin(p[0]), elements);
}

/* Differences of angles are compared, so that turns do not matter: coupler and rocker only swing. */
static void test_four_bar(void **state)
{
    static const char *const name[QUANTITIES] = {"k.theta",  "r.theta", "vk.theta", "vr.theta", "ak.theta",
                                                 "ar.theta", "rp.x",    "vr.x",     "ar.x"};
    char text[2000];
    double p0[3], s0[3];
    kit k;
    (void)state;
    exact(1, 3, 1, p0, s0);
    write_model(text, sizeof text, "");
    kit_text(&k, text);
    for (int i = 1; i <= 4; i++) {
        double t = 0.5 * i, p[3], s[3], y[QUANTITIES], T[QUANTITIES];
        k.o.step = i % 2 ? 0.01 : 0.1;
        for (int j = 0; j < QUANTITIES; j++) T[j] = t;
        k.o.end = t;
        kit_points(&k, QUANTITIES, name, T, y);
        assert_int_equal(k.info.kinematic, 1);
        exact(1 + 3 * t + 0.5 * t * t, 3 + t, 1, p, s);
        double h = 0.5 * r3;
        const double want[QUANTITIES] = {p[0] - p0[0],
                                         s[0] - s0[0],
                                         p[1],
                                         s[1],
                                         p[2],
                                         s[2],
                                         d0 + h * cos(s[0]),
                                         -h * sin(s[0]) * s[1],
                                         -h * (sin(s[0]) * s[2] + cos(s[0]) * s[1] * s[1])};
        for (int j = 0; j < QUANTITIES; j++) kit_near(name[j], y[j], want[j], 1e-10);
    }
    print_message("  %ld steps\n", k.info.steps);
    kit_close(&k);
}

/* With inertia: the motor's power is the rate of the kinetic energy T = 1/2 J p'^2 + 1/2 Jr s'^2. */
static void test_torque(void **state)
{
    char text[2000];
    double p[3], s[3], t = 1.3, J = 0.2, Jr = 0.1;
    kit k;
    (void)state;
    write_model(text, sizeof text,
                "elements:\n"
                "  mk: {mass2d: k, mass: 0, inertia: 0.2}\n"
                "  mr: {mass2d: r, mass: 0, inertia: 0.1}\n");
    kit_text(&k, text);
    double torque = kit_value(&k, "motor.torque", t), w = 3 + t;
    exact(1 + 3 * t + 0.5 * t * t, w, 1, p, s);
    double power = J * p[1] * p[2] + Jr * s[1] * s[2];
    kit_near("torque", torque, power / w, 1e-10);
    kit_close(&k);
}

/* Freedom left, or a drive that the linkage cannot follow: it is not the kinematic way, or it ends with a
   message. */
static void test_limits(void **state)
{
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes: {b: [1, 0]}\n"
                 "elements: {m: {mass2d: b, mass: 1}}\n"
                 "joints: {rail: {fixed: b, only: y}}\n"
                 "run: {end: 0.1, step: 10 ms}\n");
    kit_run(&k);
    assert_int_equal(k.info.kinematic, 0);
    kit_close(&k);
    /* a rod of length 1 whose end is drawn away from its pivot, out of reach at 0.5 s */
    kit_text(&k, "sinew: 1\n"
                 "nodes: {b: [0.6, 0.8]}\n"
                 "joints: {rod: {distance: [ground, b]}, pull: {drive: b.x, value: 0.6 + 0.8*t}}\n"
                 "sensors: {b: {position: b}, v: {velocity: b}, a: {acceleration: b}}\n"
                 "run: {end: 0.49, step: 10 ms}\n");
    static const char *const name[] = {"b.y", "v.y", "a.y"};
    double y[3], x = 0.6 + 0.8 * 0.3, h = sqrt(1 - x * x);
    kit_values(&k, 0.3, 3, name, y);
    kit_near("y", y[0], h, 1e-12);
    kit_near("y'", y[1], -0.8 * x / h, 1e-11);
    kit_near("y''", y[2], -0.64 / (h * h * h), 1e-10);
    k.o.end = 1;
    assert_int_equal(kit_try_run(&k), SN_ERR_NUMERIC);
    print_message("  %s\n", k.err.report[0].text);
    assert_true(k.info.t > 0.48 && k.info.t < 0.51);
    assert_non_null(strstr(k.err.report[0].text, "no solution at t"));
    kit_close(&k);
}

static void remember(void *ctx, const char *text) { snprintf(ctx, 200, "%s", text); }

/* A triangle of bars stands still, and says so. */
static void test_still(void **state)
{
    kit k;
    char said[200] = "";
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "gravity: [0, -9.81]\n"
                 "nodes: {a: {point2d: [1, 0]}}\n"
                 "elements: {m: {mass2d: a, mass: 1}}\n"
                 "joints: {r1: {distance: [ground, a]}, r2: {drive: a.y, value: 0}}\n"
                 "run: {end: 0.1, step: 10 ms}\n");
    k.o.message = remember, k.o.ctx = said;
    kit_good(&k, sn_run(k.m, k.p, &k.o, &k.info, &k.err));
    assert_int_equal(k.info.kinematic, 1);
    assert_non_null(strstr(said, "nothing drives the model"));
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_four_bar), cmocka_unit_test(test_torque),
                                       cmocka_unit_test(test_limits), cmocka_unit_test(test_still)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
