/* Friction and stops, in the plane and in space, against closed forms.

   Newmark's average acceleration: errors of smooth motions are of second order without odd terms; what is
   left after Richardson extrapolation is estimated by (omega h)^4. */
#include "verify/kit.h"

#include "math/friction.h"

static const double pi = 3.14159265358979323846;

/* n channels at t with steps h, h/2, h/4 by Newmark's scheme: extrapolated to y, with the order of the first
   checked. */
static void converged(const char *yaml, double t, double h, int n, const char *const *channel, double *y)
{
    double x[3][8];
    assert_true(n <= 8);
    for (int i = 0; i < 3; i++) {
        kit k;
        kit_text(&k, yaml);
        k.o.scheme = "newmark", k.o.tolerance = 1e-11, k.o.step = h / (1 << i);
        kit_values(&k, t, n, channel, x[i]);
        kit_close(&k);
    }
    double order = order_of(x[0][0] - x[1][0], x[1][0] - x[2][0]);
    print_message("  %s: order %.3f\n", channel[0], order);
    kit_within("order of convergence", order, 1.9, 2.1);
    for (int i = 0; i < n; i++) y[i] = richardson(x[1][i], x[2][i], 2);
}

/* A block of 2 kg with V = 2 m/s against dry friction, deceleration a = 2.943 m/s^2. With tanh the way is
   V^2/(2a) + pi^2 v0^2/(12 a), so that it comes to V^2/(2a) with second order in v0; the neglected term is
   exp(-2 V/v0). With the root it is the integral of sqrt(v^2 + v0^2)/a. Time step: the end of the sliding is
   left after exp(-a t/v0), 2 s are enough. */
static double slide(int dim, const char *smoothing, double v0)
{
    char yaml[1200];
    snprintf(yaml, sizeof yaml,
             dim == 2
                 ? "sinew: 1\n"
                   "nodes: {b: {frame2d: [0, 0], velocity: [1.2, 1.6]}}\n"
                   "elements:\n"
                   "  m: {mass2d: b, mass: 2, inertia: 1}\n"
                   "  f: {friction2d: [ground, b], axis: [3, 4], force: 2*2.943, v0: %g, smoothing: %s}\n"
                   "sensors: {p: {position: b}}\n"
                   "run: {end: 2, step: 1 ms, scheme: newmark}\n"
                 : "sinew: 1\n"
                   "nodes: {b: {frame3d: [0, 0, 0], velocity: [2/3, 4/3, 4/3]}}\n"
                   "elements:\n"
                   "  m: {mass3d: b, mass: 2, inertia: [1, 1, 1]}\n"
                   "  f: {friction3d: [ground, b], axis: [1, 2, 2], force: 2*2.943, v0: %g, smoothing: %s}\n"
                   "sensors: {p: {position: b}}\n"
                   "run: {end: 2, step: 1 ms, scheme: newmark}\n",
             v0, smoothing);
    return dim == 2 ? run_value(yaml, "p.x", 2, 1e-3, NULL) / 0.6
                    : run_value(yaml, "p.z", 2, 1e-3, NULL) * 1.5;
}

static void test_coulomb(void **state)
{
    double V = 2, a = 2.943, plain = V * V / (2 * a);
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        double s[2], v0[2] = {0.1, 0.05};
        for (int i = 0; i < 2; i++) {
            s[i] = slide(dim, "tanh", v0[i]);
            /* second order in the step: (a h/v0)^2 v0^2/a = a h^2 = 3e-6 where the speed ends */
            kit_near("way", s[i], plain + pi * pi * v0[i] * v0[i] / (12 * a), 3e-6);
        }
        double order = order_of(s[0] - plain, s[1] - plain);
        print_message("  way %.7f %.7f m, without smoothing %.7f: order %.3f in v0\n", s[0], s[1], plain,
                      order);
        kit_within("order in v0", order, 1.95, 2.05);
        kit_near("root", slide(dim, "root", 0.05),
                 (V * sqrt(V * V + 0.0025) + 0.0025 * asinh(V / 0.05)) / (2 * a), 3e-6);
    }
}

/* Stribeck's curve at the start, turning, by the sensor; and the derivatives of the law, which conformance
   tests see only where the jump is over. */
static void test_stribeck(void **state)
{
    static const char *const out = "f.M";
    static const double start = 0, speed[] = {-0.3, -0.02, 0.004, 0.05, 1};
    (void)state;
    for (int i = 0; i < 5; i++) {
        char yaml[1000];
        double y, w = speed[i], want;
        kit k;
        snprintf(
            yaml, sizeof yaml,
            "sinew: 1\n"
            "nodes: {b: {frame2d: [0, 0], spin: %g}}\n"
            "elements:\n"
            "  m: {mass2d: b, mass: 2, inertia: 1}\n"
            "  f: {friction2d: [ground, b], torque: 3, w0: 0.01, stribeck_spin: 0.1, ratio: 1.5, ct: 0.2}\n"
            "sensors: {f: {force: f, axes: element}}\n"
            "run: {end: 1 ms, step: 1 ms}\n",
            w);
        kit_text(&k, yaml);
        kit_points(&k, 1, &out, &start, &y);
        kit_close(&k);
        want = 0.2 * w + 3 * (1 + 0.5 * exp(-w * w / 0.01)) * tanh(w / 0.01);
        kit_near("friction", y, want, 1e-12);
    }
    for (int root = 0; root < 2; root++)
        for (int i = 0; i < 20; i++) {
            double x[4] = {0.3 * i - 3, 0.8, 1.3, 1.7}, d[4], h = 1e-4;
            sn_friction y, up, down;
            sn_friction_at(root, x[0], x[1], x[2], x[3], &y);
            for (int k = 0; k < 4; k++) {
                double a[4] = {x[0], x[1], x[2], x[3]}, b[4] = {x[0], x[1], x[2], x[3]};
                a[k] += h, b[k] -= h;
                sn_friction_at(root, a[0], a[1], a[2], a[3], &up);
                sn_friction_at(root, b[0], b[1], b[2], b[3], &down);
                d[k] = (up.f - down.f) / (2 * h);
            }
            /* h^2/6 times third derivatives of size 10 */
            kit_near("by v", y.v, d[0], 1e-7);
            kit_near("by v0", y.v0, d[1], 1e-7);
            kit_near("by vs", y.vs, d[2], 1e-7);
            kit_near("by ratio", y.ratio, d[3], 1e-7);
        }
}

/* Viscous friction in a hinge, plane and space: a torsional pendulum e^(-dt) with d = ct/(2J). */
static void test_viscous(void **state)
{
    static const char *const yaml[] = {"sinew: 1\n"
                                       "nodes: {b: {frame2d: [0, 0], angle: 1.5}}\n"
                                       "elements:\n"
                                       "  m: {mass2d: b, mass: 2, inertia: 0.5}\n"
                                       "  s: {spring2d: [ground, b], kt: 8}\n"
                                       "  f: {friction2d: [ground, b], ct: 0.6}\n"
                                       "joints: {pin: {revolute2d: [ground, b]}}\n"
                                       "sensors: {r: {rotation: b}}\n"
                                       "run: {end: 2, step: 10 ms}\n",
                                       "sinew: 1\n"
                                       "nodes: {b: {frame3d: [1, 2, 3], rotation: [0, 0.9, 1.2]}}\n"
                                       "elements:\n"
                                       "  m: {mass3d: b, mass: 2, inertia: [0.5, 0.5, 0.5]}\n"
                                       "  s: {torsion_spring: [ground, b], axis: [0, 3, 4], kt: 8}\n"
                                       "  f: {friction3d: [ground, b], axis: [0, 3, 4], ct: 0.6}\n"
                                       "joints: {pin: {revolute: [ground, b], axis: [0, 3, 4]}}\n"
                                       "sensors: {r: {rotation: b}}\n"
                                       "run: {end: 2, step: 10 ms}\n"};
    static const char *const out[] = {"r.theta", "r.ry"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        double y, d = 0.6, w = sqrt(16 - d * d), t = 1.9;
        double want = 1.5 * exp(-d * t) * (cos(w * t) + d / w * sin(w * t));
        converged(yaml[i], t, 0.01, 1, out + i, &y);
        kit_near("angle", i ? y / 0.6 : y, want, 1e-6);
    }
}

/* A mass of 2 kg at 1 m/s, 0.1 m before its stop, k = 2e4 N/m. Without onset the contact is half a period,
   pi sqrt(m/k) = pi/100 s, and the mass comes back with its speed; with an onset its energy comes back as
   well. The step's error at the two kinks is of second order: (omega h)^2 of the speed. */
static void test_stop(void **state)
{
    static const char *const form[] = {
        "sinew: 1\n"
        "nodes: {b: {frame2d: [0, 0], velocity: [0.6, 0.8]}}\n"
        "elements:\n"
        "  m: {mass2d: b, mass: 2, inertia: 1}\n"
        "  f: {stop2d: [ground, b], axis: [3, 4], lo: -0.2, hi: 0.1, k: 2e4, %s}\n"
        "sensors: {v: {velocity: b}, p: {position: b}, e: {energy: all}}\n"
        "run: {end: 0.25, step: 1 ms, scheme: newmark}\n",
        "sinew: 1\n"
        "nodes: {b: {frame3d: [0, 0, 0], velocity: [0, 0.6, 0.8]}}\n"
        "elements:\n"
        "  m: {mass3d: b, mass: 2, inertia: [1, 1, 1]}\n"
        "  f: {stop3d: [ground, b], axis: [0, 3, 4], lo: -0.2, hi: 0.1, k: 2e4, %s}\n"
        "sensors: {v: {velocity: b}, p: {position: b}, e: {energy: all}}\n"
        "run: {end: 0.25, step: 1 ms, scheme: newmark}\n"};
    static const char *const law[] = {"side: both", "onset: 2 mm", "onset: 2 mm, c: 40"};
    (void)state;
    for (int dim = 0; dim < 2; dim++)
        for (int i = 0; i < 3; i++) {
            char yaml[1200];
            const char *v = dim ? "v.z" : "v.y", *p = dim ? "p.z" : "p.y";
            snprintf(yaml, sizeof yaml, form[dim], law[i]);
            double h = 2e-5, speed = run_value(yaml, v, 0.25, h, NULL) / 0.8,
                   at = run_value(yaml, p, 0.25, h, NULL) / 0.8;
            double energy = run_value(yaml, "e.total", 0.25, h, NULL);
            print_message("  %s: speed %.8f, energy %.8f\n", law[i], speed, energy);
            /* (omega h)^2 = 4e-6 */
            if (i < 2) kit_near("speed", speed, -1, 1e-5), kit_near("energy", energy, 1, 1e-5);
            /* half a millisecond of the step's kinks: the contact ends at 0.1 + pi/100 s */
            if (i == 0) kit_near("place", at, 0.1 - (0.25 - 0.1 - pi / 100), 1e-5);
            /* a loss of pi zeta in the speed and a bit less by the onset: zeta = 40/(2 sqrt(2e4*2)) = 0.1 */
            if (i == 2) kit_within("speed after a loss", speed, -exp(-pi * 0.1 * 0.9), -exp(-pi * 0.1 * 1.1));
        }
}

/* A wheel on a tilted hinge between two stops of its angle, in and against the sense of turning: 5 rad/s,
   limits -0.5 and 1 rad. A flight takes 1.5/5 s, a contact half a period pi sqrt(J/kt). */
static void test_angle_stop(void **state)
{
    static const char *const yaml[] = {
        "sinew: 1\n"
        "nodes: {b: {frame3d: [1, 2, 3], spin: [0, 3, 4]}}\n"
        "elements:\n"
        "  m: {mass3d: b, mass: 2, inertia: [0.5, 0.5, 0.5]}\n"
        "  f: {stop3d: [ground, b], axis: [0, 3, 4], lo_angle: -0.5, hi_angle: 1, kt: 5000}\n"
        "joints: {pin: {revolute: [ground, b], axis: [0, 3, 4]}}\n"
        "sensors: {r: {rotation: b}}\n"
        "run: {end: 1, step: 1 ms, scheme: newmark}\n",
        "sinew: 1\n"
        "nodes: {b: {frame2d: [1, 2], spin: 5}}\n"
        "elements:\n"
        "  m: {mass2d: b, mass: 2, inertia: 0.5}\n"
        "  f: {stop2d: [ground, b], lo_angle: -0.5, hi_angle: 1, kt: 5000}\n"
        "joints: {pin: {revolute2d: [ground, b]}}\n"
        "sensors: {r: {rotation: b}}\n"
        "run: {end: 1, step: 1 ms, scheme: newmark}\n"};
    double touch = pi / 100, t = 0.75, want = -0.5 + 5 * (t - 0.2 - 0.3 - 2 * touch);
    (void)state;
    /* four kinks with an error of a fraction of (omega h)^2 = 2.5e-5 each, over 0.2 s at 5 rad/s */
    kit_near("angle in space", run_value(yaml[0], "r.rz", t, 5e-5, NULL) / 0.8, want, 5e-5);
    kit_near("angle in the plane", run_value(yaml[1], "r.theta", t, 5e-5, NULL), want, 5e-5);
}

/* A rotor of 4 kg and 0.5 kg m^2 in a bearing of radius 20 mm under its own weight: friction by the joint's
   own reaction, which is the weight, so that it slows down by mu r N/J. A preload adds across, N^2 = (m g)^2
   + P^2. Two rotors in a row: the torque on the carrying body is the opposite. */
static void test_bearing(void **state)
{
    static const char *const out[] = {"v.theta", "bearing.torque", "bearing.fy", "bearing.torque"};
    static const double t[] = {2, 2, 2, 0};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char yaml[1000];
        double y[4], P = i ? 30 : 0, N = hypot(4 * 9.81, P), tau = 0.1 * 0.02 * N;
        kit k;
        snprintf(yaml, sizeof yaml,
                 "sinew: 1\n"
                 "gravity: [0, -9.81]\n"
                 "nodes: {b: {frame2d: [1, 2], spin: 10}}\n"
                 "elements: {m: {mass2d: b, mass: 4, inertia: 0.5}}\n"
                 "joints: {pin: {revolute2d: [ground, b], mu: 0.1, radius: 20 mm, v0: 1e-4, preload: %g}}\n"
                 "sensors: {v: {velocity: b}, bearing: {reaction: pin}}\n"
                 "run: {end: 2, step: 10 ms, tolerance: 1e-12}\n",
                 P);
        kit_text(&k, yaml);
        kit_points(&k, 4, out, t, y);
        /* a constant torque is integrated without error */
        kit_near("spin", y[0], 10 - 2 * tau / 0.5, 1e-9);
        kit_near("torque", y[1], -tau, 1e-9);
        kit_near("weight", y[2], 4 * 9.81, 1e-9);
        kit_near("torque at the start", y[3], -tau, 1e-9);
        kit_close(&k);
    }
}

/* Pendulum of 0.6 m in a rubbing bearing: energy lost in a swing from rest at 1 rad is the friction's work,
   mu r times the integral of N |dtheta|, with N from the motion without friction to first order in mu. There
   N(theta) = m g sqrt((sin a)^2 ...) is the force of a point mass on its rod, 3 cos a - 2 cos a0 along it. */
static void test_pendulum_loss(void **state)
{
    double loss[2], L = 0.6, m = 2, g = 9.81, r = 0.03, a0 = 1, work = 0;
    int n = 2000;
    (void)state;
    for (int i = 0; i < 2; i++) {
        char yaml[1000];
        double mu = i ? 0.001 : 0.002;
        snprintf(yaml, sizeof yaml,
                 "sinew: 1\n"
                 "gravity: [0, -9.81]\n"
                 "nodes: {b: {frame2d: [0, -0.6], angle: 1, displacement: [0.6*sin(1), 0.6 - 0.6*cos(1)]}}\n"
                 "elements: {m: {mass2d: b, mass: 2, inertia: 1e-9}}\n"
                 "joints: {pin: {revolute2d: [ground, b], at: [0, 0], mu: %g, radius: 0.03, v0: 1e-5}}\n"
                 "sensors: {e: {energy: all}, r: {rotation: b}}\n"
                 "run: {end: 0.75, step: 0.5 ms, tolerance: 1e-11}\n",
                 mu);
        /* half a swing takes 0.8 s: at 0.75 s the angle is still moving */
        kit k;
        static const char *const out[] = {"e.total", "e.total", "r.theta"};
        static const double t[] = {0, 0.75, 0.75};
        double y[3];
        kit_text(&k, yaml);
        kit_points(&k, 3, out, t, y);
        kit_close(&k);
        work = 0;
        for (int j = 0; j < n; j++) {
            double a = a0 + (y[2] - a0) * (j + 0.5) / n;
            work += m * g * fabs(3 * cos(a) - 2 * cos(a0)) * (a0 - y[2]) / n;
        }
        loss[i] = (y[0] - y[1]) / (mu * r * work) - 1;
    }
    print_message("  loss off by %.2e %.2e at first order (length %g m)\n", loss[0], loss[1], L);
    /* the rest is of first order in mu */
    kit_near("loss", loss[1], 0, 1e-3);
    kit_near("loss extrapolated", 2 * loss[1] - loss[0], 0, 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coulomb),       cmocka_unit_test(test_stribeck),
        cmocka_unit_test(test_viscous),       cmocka_unit_test(test_stop),
        cmocka_unit_test(test_angle_stop),    cmocka_unit_test(test_bearing),
        cmocka_unit_test(test_pendulum_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
