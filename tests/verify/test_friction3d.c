/* Friction of guides and bearings by the joint's own reaction, in the plane and in space: closed forms, and
   the two models of one mechanism against each other.

   While the sliding speed stays above 20 v0 the smoothed jump is over to rounding (1 - tanh 20 = 8e-18), and
   a constant force is integrated without error: tolerances of 1e-9 are those of the iteration. */
#include "verify/kit.h"

static const double g = 9.81;

/* A block of 3 kg on an incline, axis (4, -3)/5 or (1, 2, -2)/3, with the start speed V: acceleration
   g (sin - mu cos); force of the guide on the ground along the axis: mu N. */
static void test_incline(void **state)
{
    static const char *const yaml[] = {
        "sinew: 1\n"
        "gravity: [0, -9.81]\n"
        "nodes: {b: {frame2d: [1, 2], velocity: [0.4, -0.3]}}\n"
        "elements: {m: {mass2d: b, mass: 3, inertia: 0.2}}\n"
        "joints: {guide: {prismatic2d: [ground, b], axis: [4, -3], mu: 0.2}}\n"
        "sensors: {v: {velocity: b}, p: {displacement: b}, a: {acceleration: b}, r: {reaction: guide}}\n"
        "run: {end: 0.5, step: 10 ms, tolerance: 1e-12}\n",
        "sinew: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "nodes: {b: {frame3d: [1, 2, 3], velocity: [0.5/3, 1/3, -1/3]}}\n"
        "elements: {m: {mass3d: b, mass: 3, inertia: [0.2, 0.3, 0.4]}}\n"
        "joints: {guide: {prismatic: [ground, b], axis: [1, 2, -2], mu: 0.2}}\n"
        "sensors: {v: {velocity: b}, p: {displacement: b}, a: {acceleration: b}, r: {reaction: guide}}\n"
        "run: {end: 0.5, step: 10 ms, tolerance: 1e-12}\n"};
    static const char *const out[][4] = {{"a.y", "p.y", "v.y", "r.fx"}, {"a.z", "p.z", "v.z", "r.fx"}};
    static const double t[] = {0, 0.5, 0.5, 0.5}, sine[] = {0.6, 2. / 3}, first[] = {0.8, 1. / 3};
    (void)state;
    for (int i = 0; i < 2; i++) {
        double y[4], s = sine[i], c = sqrt(1 - s * s), a = g * (s - 0.2 * c);
        kit k;
        kit_text(&k, yaml[i]);
        kit_points(&k, 4, out[i], t, y);
        kit_close(&k);
        print_message("  acceleration %.12f, exact %.12f m/s^2\n", -y[0] / s, a);
        kit_near("acceleration at the start", -y[0] / s, a, 1e-9);
        kit_near("way", -y[1] / s, 0.5 * 0.5 + a * 0.125, 1e-9);
        kit_near("speed", -y[2] / s, 0.5 + a * 0.5, 1e-9);
        /* weight and reaction make m a: along x, where gravity has no part */
        kit_near("reaction", y[3], 3 * a * first[i], 1e-8);
    }
}

/* The same incline from rest. With T = tanh(v/v0), v' = g (sin - k T), k = mu cos, the speed runs ahead of
   g (sin - k) t by g k times the integral of (1 - T) dt = k v0 ln(2 sin/(sin - k))/(sin + k). With steps of a
   tenth of v0/g, where the jump is, what is left is the scheme's (1/10)^2 of that in the time of the jump. */
static void test_from_rest(void **state)
{
    double ahead[2], v0[2] = {0.02, 0.01}, s = 0.6, k = 0.16;
    (void)state;
    for (int i = 0; i < 2; i++) {
        char yaml[800];
        snprintf(yaml, sizeof yaml,
                 "sinew: 1\n"
                 "gravity: [0, -9.81]\n"
                 "nodes: {b: {frame2d: [1, 2]}}\n"
                 "elements: {m: {mass2d: b, mass: 3, inertia: 0.2}}\n"
                 "joints: {guide: {prismatic2d: [ground, b], axis: [4, -3], mu: 0.2, v0: %g}}\n"
                 "sensors: {v: {velocity: b}}\n"
                 "run: {end: 0.2, step: 1 ms, scheme: newmark, tolerance: 1e-12}\n",
                 v0[i]);
        ahead[i] = run_value(yaml, "v.y", 0.2, v0[i] / 100, NULL) / -s - g * (s - k) * 0.2;
        double want = k * v0[i] * log(2 * s / (s - k)) / (s + k);
        print_message("  v0 %g: ahead by %.9f, exact %.9f m/s\n", v0[i], ahead[i], want);
        kit_near("ahead", ahead[i], want, 1e-2 * want);
    }
    kit_within("order in v0", order_of(ahead[0], ahead[1]), 0.999, 1.001);
}

/* A drawer: the mass centre is b before and h above the guide's middle, length l, so that the moment is
   m (g b + a h) at the deceleration a. While both ends press from the same side N = m g; with the couple in
   charge N = 2 m (g b + a h)/l, a = 2 mu g b/(l - 2 mu h). A preload P across: N is the sum of two roots,
   without h. In space the weight is askew to both of the joint's axes. */
static double drawer(int dim, double b, double h, double l, double P)
{
    char yaml[1000];
    snprintf(yaml, sizeof yaml,
             dim == 2 ? "sinew: 1\n"
                        "gravity: [0, -9.81]\n"
                        "nodes: {b: {frame2d: [%g, %g], velocity: [2, 0]}}\n"
                        "elements: {m: {mass2d: b, mass: 3, inertia: 0.2}}\n"
                        "joints: {guide: {prismatic2d: [ground, b], at: [0, 0], axis: [-2, 0], mu: 0.2, "
                        "length: %g, preload: %g}}\n"
                        "sensors: {v: {velocity: b}}\n"
                        "run: {end: 0.25, step: 10 ms, tolerance: 1e-12}\n"
                      : "sinew: 1\n"
                        "gravity: [0, -0.6*9.81, -0.8*9.81]\n"
                        "parameters: {b: %g, h: %g}\n"
                        "nodes: {b: {frame3d: [b, 0.6*h, 0.8*h], velocity: [2, 0, 0]}}\n"
                        "elements: {m: {mass3d: b, mass: 3, inertia: [0.2, 0.3, 0.4]}}\n"
                        "joints: {guide: {prismatic: [ground, b], at: [0, 0, 0], axis: [1, 0, 0], mu: 0.2, "
                        "length: %g, preload: %g}}\n"
                        "sensors: {v: {velocity: b}}\n"
                        "run: {end: 0.25, step: 10 ms, tolerance: 1e-12}\n",
             b, h, l, P);
    return (2 - run_value(yaml, "v.x", 0.25, 0.01, NULL)) / 0.25;
}

static void test_drawer(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        kit_near("both ends below", drawer(dim, 0.05, 0.1, 0.3, 0), 0.2 * g, 1e-8);
        kit_near("moment without length", drawer(dim, 0.5, 0.1, 0, 0), 0.2 * g, 1e-8);
        kit_near("couple", drawer(dim, 0.25, 0.1, 0.3, 0), 2 * 0.2 * g * 0.25 / (0.3 - 2 * 0.2 * 0.1), 1e-8);
        double W = 3 * g, N = hypot(W / 2 + W * 0.25 / 0.3, 10) + hypot(W / 2 - W * 0.25 / 0.3, 10);
        kit_near("preload", drawer(dim, 0.25, 0, 0.3, 20), 0.2 * N / 3, 1e-8);
    }
}

/* A rotor of 4 kg in a tilted hinge of radius 20 mm: its weight is the reaction, N^2 = (m g)^2 + P^2, and the
   spin falls by mu r N/J t. Along the axis: across it the iteration leaves its tolerance over the step. */
static void test_rotor(void **state)
{
    static const char *const out[] = {"v.ry", "v.rz", "pin.my", "pin.mz", "pin.fz"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char yaml[1000];
        double y[5], P = i ? 30 : 0, tau = 0.1 * 0.02 * hypot(4 * g, P);
        kit k;
        snprintf(yaml, sizeof yaml,
                 "sinew: 1\n"
                 "gravity: [0, 0, -9.81]\n"
                 "nodes: {b: {frame3d: [1, 2, 3], spin: [0, 6, 8]}}\n"
                 "elements: {m: {mass3d: b, mass: 4, inertia: [0.5, 0.5, 0.5]}}\n"
                 "joints: {pin: {revolute: [ground, b], axis: [0, 3, 4], mu: 0.1, radius: 20 mm, v0: 1e-4, "
                 "preload: %g}}\n"
                 "sensors: {v: {velocity: b}, pin: {reaction: pin, axes: global}}\n"
                 "run: {end: 2, step: 10 ms, tolerance: 1e-12}\n",
                 P);
        kit_text(&k, yaml);
        kit_values(&k, 2, 5, out, y);
        kit_close(&k);
        double spin = 0.6 * y[0] + 0.8 * y[1];
        print_message("  spin %.12f, exact %.12f rad/s\n", spin, 10 - 2 * tau / 0.5);
        kit_near("spin", spin, 10 - 2 * tau / 0.5, 1e-9);
        kit_near("torque", 0.6 * y[2] + 0.8 * y[3], -tau, 1e-9);
        kit_near("weight", y[4], 4 * g, 1e-9);
    }
}

/* A cart with friction, a pendulum on it in a rubbing bearing, and a slider in a guide that turns with the
   pendulum: the plane's model and the one of space in the plane x y are the same equations, to the tolerance
   of the iteration times the number of steps. Plain friction would be seen to 1e-3 and more. */
static const char cart2[] =
    "sinew: 1\n"
    "gravity: [0, -9.81]\n"
    "nodes: {c: {frame2d: [0, 0], velocity: [1, 0]}, p: {frame2d: [0.3, -0.4]}, s: {frame2d: [0.4, -0.3]}}\n"
    "elements:\n"
    "  mc: {mass2d: c, mass: 3, inertia: 0.2}\n"
    "  mp: {mass2d: p, mass: 2, inertia: 0.1}\n"
    "  ms: {mass2d: s, mass: 0.5, inertia: 0.01}\n"
    "  hold: {spring2d: [p, s], k: 200, l0: 0.12}\n"
    "joints:\n"
    "  rail: {prismatic2d: [ground, c], axis: [1, 0], mu: 0.1, length: 0.2, c: 0.5, v0: 0.05, ratio: 1.3}\n"
    "  pin: {revolute2d: [c, p], at: [0, 0], mu: 0.2, radius: 0.03, ct: 0.01, v0: 0.01, preload: 5}\n"
    "  slot: {prismatic2d: [p, s], axis: [1, 1], mu: 0.15, length: 0.1, v0: 0.02, preload: 2}\n"
    "sensors: {c: {position: c}, s: {position: s}, e: {energy: all}, pin: {reaction: pin}}\n"
    "run: {end: 1, step: 2 ms, tolerance: 1e-12}\n";
static const char cart3[] =
    "sinew: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "nodes: {c: {frame3d: [0, 0, 0], velocity: [1, 0, 0]}, p: {frame3d: [0.3, -0.4, 0]}, s: {frame3d: [0.4, "
    "-0.3, 0]}}\n"
    "elements:\n"
    "  mc: {mass3d: c, mass: 3, inertia: [0.2, 0.2, 0.2]}\n"
    "  mp: {mass3d: p, mass: 2, inertia: [0.2, 0.3, 0.1]}\n"
    "  ms: {mass3d: s, mass: 0.5, inertia: [0.01, 0.02, 0.01]}\n"
    "  hold: {spring3d: [p, s], k: 200, l0: 0.12}\n"
    "joints:\n"
    "  rail: {prismatic: [ground, c], axis: [1, 0, 0], mu: 0.1, length: 0.2, c: 0.5, v0: 0.05, ratio: 1.3}\n"
    "  pin: {revolute: [c, p], at: [0, 0, 0], axis: [0, 0, 1], mu: 0.2, radius: 0.03, ct: 0.01, v0: 0.01, "
    "preload: 5}\n"
    "  slot: {prismatic: [p, s], axis: [1, 1, 0], mu: 0.15, length: 0.1, v0: 0.02, preload: 2}\n"
    "sensors: {c: {position: c}, s: {position: s}, e: {energy: all}, pin: {reaction: pin}}\n"
    "run: {end: 1, step: 2 ms, tolerance: 1e-12}\n";

static void test_plane_and_space(void **state)
{
    static const char *const out[] = {"c.x", "s.x", "s.y", "e.total", "pin.fx", "pin.fy"};
    double y[2][6];
    (void)state;
    for (int i = 0; i < 2; i++) {
        kit k;
        kit_text(&k, i ? cart3 : cart2);
        kit_values(&k, 1, 6, out, y[i]);
        print_message("  %s: cart %.9f, slider %.9f %.9f m, energy %.9f J; %ld iterations in %ld steps\n",
                      i ? "space" : "plane", y[i][0], y[i][1], y[i][2], y[i][3], k.info.iterations,
                      k.info.steps);
        kit_close(&k);
    }
    for (int j = 0; j < 6; j++) kit_near(out[j], y[1][j], y[0][j], 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_incline), cmocka_unit_test(test_from_rest),       cmocka_unit_test(test_drawer),
        cmocka_unit_test(test_rotor),   cmocka_unit_test(test_plane_and_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
