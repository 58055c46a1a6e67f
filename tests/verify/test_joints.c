/* Planar joints against closed forms.

   Motions with constant acceleration are integrated without error by every scheme of the family (d and v are
   exact for constant a), so that only Newton's tolerance and rounding remain: EXACT, relative. Other motions
   converge with second order; Richardson extrapolation of steps h and h/2 then leaves terms of order 3 and 4,
   estimated in each test by (omega h)^3, with omega the fastest frequency of the motion. */
#include "verify/kit.h"

static const double EXACT = 1e-9, g = 9.81, pi = 3.14159265358979323846;

/* Channel at t, extrapolated from steps h and h/2; the order is checked with a third run. */
static double converged(kit *k, const char *channel, double t, double h)
{
    double y[3];
    k->o.tolerance = 1e-11;
    for (int i = 0; i < 3; i++) {
        k->o.step = h / (1 << i);
        y[i] = kit_value(k, channel, t);
    }
    double order = order_of(y[0] - y[1], y[1] - y[2]);
    print_message("  %s: order %.3f\n", channel, order);
    /* the third-order term at these steps is a few percent of the second-order one */
    kit_within("order of convergence", order, 1.9, 2.1);
    return richardson(y[1], y[2], 2);
}

/* Complete elliptic integral of the first kind, by the arithmetic-geometric mean. */
static double elliptic_K(double modulus)
{
    double a = 1, b = sqrt(1 - modulus * modulus);
    for (int i = 0; i < 8; i++) {
        double m = 0.5 * (a + b);
        b = sqrt(a * b), a = m;
    }
    return pi / (2 * a);
}

/* A block slides down an incline, g sin(a). The pendulum on it hangs at right angles to the incline, where it
   stays: seen from the block the field is g cos(a), normal to the incline. */
static void test_prismatic2d(void **state)
{
    static const char *const out[] = {"block.x", "block.y", "bob.x",       "bob.y",
                                      "rail.fx", "rail.fy", "rail.torque", "slider.theta"};
    double y[8], a = 30 * pi / 180, t = 1.5, s = 0.5 * g * sin(a) * t * t, N = (2 + 0.5) * g * cos(a);
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "gravity: [0, -9.81]\n"
                 "parameters: {a: 30 deg}\n"
                 "nodes: {b: [1, 2], c: [1 - 0.7*sin(a), 2 - 0.7*cos(a)]}\n"
                 "elements:\n"
                 "  block: {mass2d: b, mass: 2, inertia: 0.3}\n"
                 "  bob: {mass2d: c, mass: 0.5}\n"
                 "joints:\n"
                 "  rail: {prismatic2d: [ground, b], axis: [2*cos(a), -2*sin(a)]}\n"
                 "  rod: {distance: [b, c]}\n"
                 "sensors:\n"
                 "  block: {position: b}\n"
                 "  bob: {position: c}\n"
                 "  rail: {reaction: rail}\n"
                 "  slider: {rotation: b}\n"
                 "run: {end: 1.5, step: 0.01}\n");
    kit_values(&k, t, 8, out, y);
    kit_near("block.x", y[0], 1 + s * cos(a), EXACT * s);
    kit_near("block.y", y[1], 2 - s * sin(a), EXACT * s);
    kit_near("bob.x", y[2], 1 + s * cos(a) - 0.7 * sin(a), EXACT * s);
    kit_near("bob.y", y[3], 2 - s * sin(a) - 0.7 * cos(a), EXACT * s);
    kit_near("normal force x", y[4], N * sin(a), 1e-6 * N);
    kit_near("normal force y", y[5], N * cos(a), 1e-6 * N);
    kit_near("rotation", y[7], 0, EXACT);
    print_message("  block off by %.1e, normal force %.1e\n",
                  hypot(y[0] - 1 - s * cos(a), y[1] - 2 + s * sin(a)),
                  hypot(y[4] - N * sin(a), y[5] - N * cos(a)));
    kit_close(&k);
}

/* A body on an arm that is welded to a massless, pinned node: compound pendulum with I = J + m L^2. Released
   at rest from the horizontal it passes the lowest point after a quarter of the period 4 sqrt(I/(m g L))
   K(sin(45 deg)), with omega^2 = 2 m g L/I. With omega = 4/s and h = T/6400, (omega h)^3 = 4e-9. */
static void test_rigid_link(void **state)
{
    double m = 2, L = 0.8, J = 0.1, I = J + m * L * L,
           T = 4 * sqrt(I / (m * g * L)) * elliptic_K(sin(pi / 4));
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "gravity: [0, -9.81]\n"
                 "nodes: {p: [0, 0], c: [0.8, 0]}\n"
                 "elements: {body: {mass2d: c, mass: 2, inertia: 0.1}}\n"
                 "joints: {pin: {revolute2d: [ground, p]}, arm: {rigid_link: [p, c]}}\n"
                 "sensors: {angle: {rotation: c}, rate: {velocity: p}, energy: {energy: all}}\n"
                 "run: {end: 1, step: 1 ms}\n");
    double angle = converged(&k, "angle.theta", T / 4, T / 1600),
           rate = converged(&k, "rate.theta", T / 4, T / 1600);
    double back = converged(&k, "angle.theta", 1.25 * T, T / 1600);
    print_message("  period: angle off by %.1e, %.1e, rate by %.1e\n", angle + pi / 2, back + pi / 2,
                  rate + sqrt(2 * m * g * L / I));
    kit_near("angle after T/4", angle, -pi / 2, 1e-7);
    kit_near("rate after T/4", rate, -sqrt(2 * m * g * L / I), 1e-7);
    kit_near("angle after 5T/4", back, -pi / 2, 1e-7);
    kit_close(&k);
}

/* Simple pendulum on a `distance` joint, released from the horizontal: at the lowest point the tension is 3 m
 * g. */
static void test_distance(void **state)
{
    double m = 1.5, L = 0.6, T = 4 * sqrt(L / g) * elliptic_K(sin(pi / 4));
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "gravity: [0, -9.81]\n"
                 "nodes: {b: [0.6, 0]}\n"
                 "elements: {bob: {mass2d: b, mass: 1.5}}\n"
                 "joints: {rod: {distance: [ground, b]}}\n"
                 "sensors: {b: {position: b}, rod: {reaction: rod}, length: {distance: [ground, b]}}\n"
                 "run: {end: 1, step: 1 ms}\n");
    double x = converged(&k, "b.x", T / 4, T / 1600), pull = converged(&k, "rod.fy", T / 4, T / 1600);
    double length = kit_value(&k, "length", 2 * T);
    print_message("  x off by %.1e, tension by %.1e, length by %.1e\n", x, pull - 3 * m * g, length - L);
    kit_near("x at the lowest point", x, 0, 1e-7);
    kit_near("tension at the lowest point", pull, 3 * m * g, 1e-6 * m * g);
    kit_near("length of the rod", length, L, 1e-11 * L);
    kit_close(&k);
}

/* A rod whose length grows as 1 + t, turning freely: l^2 omega is kept, theta = 1 - 1/(1 + t). The start is
   given without its radial velocity, which the program adds and reports. */
static void test_distance_driven(void **state)
{
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes: {b: {at: [1, 0], velocity: [0, 1]}}\n"
                 "elements: {bob: {mass2d: b, mass: 1.5}}\n"
                 "joints: {rod: {distance: [ground, b], length: 1 m + t*(1 m/s)}}\n"
                 "sensors: {b: {position: b}, v: {velocity: b}}\n"
                 "run: {end: 1, step: 1 ms}\n");
    double x = converged(&k, "b.x", 1, 4e-3), y = converged(&k, "b.y", 1, 4e-3);
    print_message("  off by %.1e, %.1e; velocity added at the start %.12g\n", x - 2 * cos(0.5),
                  y - 2 * sin(0.5), k.info.projection_v);
    kit_near("x", x, 2 * cos(0.5), 1e-7);
    kit_near("y", y, 2 * sin(0.5), 1e-7);
    kit_near("change of the velocity at the start", k.info.projection_v, 1, 1e-12);
    kit_close(&k);
}

/* A drive of constant angular acceleration: torque J alpha, exactly and from the start. */
static void test_drive_constant(void **state)
{
    static const char *const out[] = {"a.theta",      "motor.torque", "a.theta",
                                      "motor.torque", "r.theta",      "v.theta"};
    static const double t[] = {0, 0, 1, 1, 1, 1};
    double y[6];
    kit k;
    (void)state;
    kit_text(&k,
             "sinew: 1\n"
             "nodes: {w: {at: [0, 0], spin: 2}}\n"
             "elements: {wheel: {mass2d: w, mass: 1, inertia: 0.25}}\n"
             "joints:\n"
             "  axle: {fixed: w, only: [x, y]}\n"
             "  motor: {drive: w.theta, value: t*(2 rad/s) + t^2*(1.5 rad/s^2)}\n"
             "sensors: {r: {rotation: w}, v: {velocity: w}, a: {acceleration: w}, motor: {reaction: motor}}\n"
             "run: {end: 1, step: 10 ms}\n");
    kit_points(&k, 6, out, t, y);
    kit_near("acceleration at the start", y[0], 3, 1e-13);
    kit_near("torque at the start", y[1], 0.75, 1e-13);
    kit_near("acceleration", y[2], 3, 1e-8);
    kit_near("torque", y[3], 0.75, 1e-8);
    kit_near("rotation", y[4], 3.5, 1e-13);
    kit_near("rate", y[5], 5, 1e-11);
    kit_near("change of the velocity at the start", k.info.projection_v, 0, 1e-12);
    print_message("  torque off by %.1e, %.1e, rate by %.1e\n", y[1] - 0.75, y[3] - 0.75, y[5] - 5);
    kit_close(&k);
}

/* A drive by a sine signal between two bodies, the first on a torsional spring: theta2 - theta1 = U(t) leaves
   (J1 + J2) theta1'' + k theta1 = -J2 U'', U = A sin(W t), both at rest but for the drive's U'(0), which the
   start spreads so that J1 v1 + J2 v2 = 0 (smallest change in the mass metric). The closed form has both
   frequencies. */
static void test_drive_sine(void **state)
{
    double J1 = 0.4, J2 = 0.1, kt = 20, A = 0.3, W = 2 * pi * 1.5, w = sqrt(kt / (J1 + J2)), t = 0.8;
    double v1 = -J2 / (J1 + J2) * A * W, P = J2 * A * W * W / ((J1 + J2) * (w * w - W * W)),
           b = (v1 - P * W) / w;
    double exact = P * sin(W * t) + b * sin(w * t), a1 = -P * W * W * sin(W * t) - b * w * w * sin(w * t);
    double torque = J2 * (a1 - A * W * W * sin(W * t));
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes: {p: [0, 0], q: [1, 0]}\n"
                 "elements:\n"
                 "  one: {mass2d: p, mass: 1, inertia: 0.4}\n"
                 "  two: {mass2d: q, mass: 1, inertia: 0.1}\n"
                 "  spring: {spring2d: [ground, p], kt: 20}\n"
                 "joints:\n"
                 "  a1: {fixed: p, only: [x, y]}\n"
                 "  a2: {fixed: q, only: [x, y]}\n"
                 "  motor: {drive: [p.theta, q.theta], value: u}\n"
                 "signals: {u: {sine: 0.3, frequency: 1.5 Hz}}\n"
                 "sensors: {p: {rotation: p}, a: {acceleration: p}, motor: {reaction: motor}}\n"
                 "run: {end: 1, step: 1 ms}\n");
    double x = converged(&k, "p.theta", t, 2e-3), T = converged(&k, "motor.torque", t, 2e-3);
    print_message("  rotation off by %.1e, torque by %.1e\n", x - exact, T - torque);
    kit_near("rotation", x, exact, 1e-7);
    kit_near("torque of the drive", T, torque, 1e-5 * fabs(torque));
    kit_close(&k);
}

/* Gears: theta1 r1 + theta2 r2 = 0 with r1 = 0.05, r2 = 0.15: equivalent inertia J1 + J2/9 at the first
   shaft. Rack: x = r theta, equivalent inertia J + m r^2. */
static void test_coupling(void **state)
{
    static const char *const out[] = {"one.theta",    "two.theta", "mesh.torque",
                                      "pinion.theta", "rack.x",    "teeth.fx"};
    double y[6], a1 = 0.6 / (0.02 + 0.5 / 9), a2 = 0.6 / (0.03 + 4 * 0.01);
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes: {a: [0, 0], b: [0.2, 0], p: [1, 0], r: [1, -0.1]}\n"
                 "elements:\n"
                 "  one: {mass2d: a, mass: 1, inertia: 0.02}\n"
                 "  two: {mass2d: b, mass: 1, inertia: 0.5}\n"
                 "  pinion: {mass2d: p, mass: 1, inertia: 0.03}\n"
                 "  rack: {mass2d: r, mass: 4}\n"
                 "  M1: {force2d: a, torque: 0.6}\n"
                 "  M2: {force2d: p, torque: 0.6}\n"
                 "joints:\n"
                 "  sa: {fixed: a, only: [x, y]}\n"
                 "  sb: {fixed: b, only: [x, y]}\n"
                 "  sp: {fixed: p, only: [x, y]}\n"
                 "  sr: {fixed: r, only: y}\n"
                 "  mesh: {coupling: [a.theta, b.theta], factors: [0.05, 0.15]}\n"
                 "  teeth: {coupling: [p.theta, r.x], factors: [-0.1, 1]}\n"
                 "sensors:\n"
                 "  one: {rotation: a}\n"
                 "  two: {rotation: b}\n"
                 "  mesh: {reaction: mesh}\n"
                 "  pinion: {rotation: p}\n"
                 "  rack: {displacement: r}\n"
                 "  teeth: {reaction: teeth}\n"
                 "run: {end: 2, step: 10 ms}\n");
    kit_values(&k, 2, 6, out, y);
    kit_near("first gear", y[0], 2 * a1, EXACT * 2 * a1);
    kit_near("second gear", y[1], -2 * a1 / 3, EXACT * 2 * a1);
    kit_near("torque on the second gear", y[2], -0.5 * a1 / 3, 1e-7);
    kit_near("pinion", y[3], 2 * a2, EXACT * 2 * a2);
    kit_near("rack", y[4], 0.2 * a2, EXACT * 2 * a2);
    kit_near("force on the rack", y[5], 4 * 0.1 * a2, 1e-7);
    print_message("  gears off by %.1e, %.1e; rack by %.1e\n", y[0] - 2 * a1, y[1] + 2 * a1 / 3,
                  y[4] - 0.2 * a2);
    kit_close(&k);
}

static const char *wheel =
    "sinew: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {a: 20 deg, r: 0.25, ecc: 0}\n"
    "nodes: {c: [-r*sin(-a), r*cos(-a)]}\n"
    "elements: {wheel: {mass2d: c, mass: 3, inertia: 0.08, com: [ecc, 0]}}\n"
    "joints: {road: {rolling2d: c, radius: r, point: [0, 0], direction: [cos(-a), sin(-a)]}}\n"
    "sensors:\n"
    "  c: {displacement: c}\n"
    "  a: {acceleration: c}\n"
    "  road: {reaction: road}\n"
    "  slip: {violation: road}\n"
    "  energy: {energy: all}\n"
    "run: {end: 3, step: 5 ms}\n";

/* A wheel rolls down an incline: g sin(a)/(1 + J/(m r^2)) along it; the reaction is m g cos(a) normal to it
   and the friction m (g sin(a) - acceleration) up the incline, with the moment -r times that about the
   centre. */
static void test_rolling2d(void **state)
{
    static const char *const out[] = {"c.x",     "c.y",         "c.theta", "road.fx",
                                      "road.fy", "road.torque", "slip",    "a.x"};
    static const double t[] = {3, 3, 3, 3, 3, 3, 3, 0};
    double y[8], a = 20 * pi / 180, acc = g * sin(a) / (1 + 0.08 / (3 * 0.0625)), s = 4.5 * acc;
    double F = 3 * (g * sin(a) - acc), N = 3 * g * cos(a);
    kit k;
    (void)state;
    kit_text(&k, wheel);
    kit_points(&k, 8, out, t, y);
    kit_near("x", y[0], s * cos(a), EXACT * s);
    kit_near("y", y[1], -s * sin(a), EXACT * s);
    kit_near("rotation", y[2], -s / 0.25, EXACT * s / 0.25);
    kit_near("reaction x", y[3], N * sin(a) - F * cos(a), 1e-7 * N);
    kit_near("reaction y", y[4], N * cos(a) + F * sin(a), 1e-7 * N);
    kit_near("moment", y[5], -0.25 * F, 1e-7 * N);
    kit_near("slip", y[6], 0, 1e-11);
    kit_near("acceleration at the start", y[7], acc * cos(a), 1e-12);
    print_message("  way off by %.1e, slip %.1e, friction %.1e\n", hypot(y[0], y[1]) - s, y[6],
                  y[5] + 0.25 * F);
    kit_close(&k);
}

/* An eccentric wheel: the way rolled stays r times the rotation although only the velocities are constrained
   (the rows are linear, so that the scheme carries them over to positions: what is left is Newton's tolerance
   added up over the steps), and the energy is kept to second order. */
static void test_rolling_eccentric(void **state)
{
    static const char *const out[] = {"c.x", "c.y", "c.theta", "energy.total", "energy.total"};
    double a = 20 * pi / 180, y[5], drift[3];
    kit k;
    (void)state;
    kit_text(&k, wheel);
    kit_set(&k, "ecc", 0.1);
    kit_update(&k);
    k.o.tolerance = 1e-11;
    for (int i = 0; i < 3; i++) {
        static const double t[] = {3, 3, 3, 0, 3};
        k.o.step = 4e-3 / (1 << i);
        kit_points(&k, 5, out, t, y);
        drift[i] = y[4] - y[3];
        kit_near("way less r times rotation", y[0] * cos(a) - y[1] * sin(a) + 0.25 * y[2], 0, 1e-9);
    }
    print_message("  way less r times rotation %.1e, energy off by %.1e, order %.3f\n",
                  y[0] * cos(a) - y[1] * sin(a) + 0.25 * y[2], drift[2], order_of(drift[1], drift[2]));
    kit_within("order of the energy's error", order_of(drift[1], drift[2]), 1.8, 2.2);
    kit_near("energy", richardson(drift[1], drift[2], 2), 0, 1e-4);
    kit_close(&k);
}

/* `fixed` with `only`: what is not held moves freely, what is held does not and tells the reaction. */
static void test_fixed_only(void **state)
{
    static const char *const out[] = {"d.x", "d.y", "d.theta", "guide.fx", "guide.fy", "guide.torque"};
    double y[6];
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes: {b: [1, 1]}\n"
                 "elements:\n"
                 "  body: {mass2d: b, mass: 2, inertia: 0.1}\n"
                 "  push: {force2d: b, force: [3, 5], torque: 0.7}\n"
                 "joints: {guide: {fixed: b, only: [y, theta]}}\n"
                 "sensors: {d: {displacement: b}, guide: {reaction: guide}}\n"
                 "run: {end: 2, step: 10 ms}\n");
    kit_values(&k, 2, 6, out, y);
    kit_near("x", y[0], 3, EXACT * 3);
    kit_near("y", y[1], 0, 1e-13);
    kit_near("theta", y[2], 0, 1e-13);
    kit_near("fx", y[3], 0, 0);
    kit_near("fy", y[4], -5, 1e-8);
    kit_near("torque", y[5], -0.7, 1e-8);
    kit_close(&k);
}

/* A mass on a spring whose foot moves as U sin(W t): x = U/(1 - r^2) (sin(W t) - r sin(w t)), r = W/w. */
static void test_moving_support(void **state)
{
    double U = 0.05, W = 2 * pi * 2, w = sqrt(400 / 1.5), r = W / w, t = 1;
    double exact = U / (1 - r * r) * (sin(W * t) - r * sin(w * t));
    kit k;
    (void)state;
    kit_text(
        &k,
        "sinew: 1\n"
        "nodes: {foot: [0, 0], b: [1, 0]}\n"
        "elements: {spring: {spring2d: [foot, b], k: 400}, body: {mass2d: b, mass: 1.5}}\n"
        "joints: {table: {fixed: foot, x: u}, guide: {fixed: b, only: y}}\n"
        "signals: {u: {sine: 0.05, frequency: 2}}\n"
        "sensors: {d: {displacement: b}, foot: {position: foot}, v: {velocity: foot}, f: {reaction: table}}\n"
        "run: {end: 1, step: 1 ms}\n");
    double x = converged(&k, "d.x", t, 2e-3), f = converged(&k, "f.fx", t, 2e-3);
    double y[2];
    kit_points(&k, 2, (const char *const[]){"foot.x", "v.x"}, (const double[]){0.1, 0}, y);
    print_message("  off by %.1e, force by %.1e\n", x - exact, f + 400 * (exact - U * sin(W * t)));
    kit_near("x", x, exact, 1e-8);
    /* the foot has no mass: the support carries the spring's force */
    kit_near("force of the support", f, -400 * (exact - U * sin(W * t)), 4e-6);
    kit_near("foot", y[0], U * sin(W * 0.1), 1e-13);
    kit_near("velocity of the foot at the start", y[1], U * W, 1e-13);
    kit_close(&k);
}

static sn_status keep_omega(void *ctx, int i, const sn_mode *mode, const sn_frame *f, sn_err *err)
{
    (void)f, (void)err;
    if (i < 2) ((double *)ctx)[i] = kit_omega(mode);
    return SN_OK;
}

/* Two equal uniform rods hanging from a pin, nodes at their centres: omega^2 = (g/L) (3 -+ 6/sqrt(7)) from
   m L^2 [4/3 1/2; 1/2 1/3], m g L diag(3/2, 1/2). Linear algebra only: 1e-9. */
static void test_double_pendulum(void **state)
{
    double omega[2] = {0, 0}, L = 0.5;
    int found;
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "gravity: [0, -9.81]\n"
                 "parameters: {L: 0.5, m: 1.2}\n"
                 "nodes: {a: [0, -L/2], b: [0, -3*L/2]}\n"
                 "elements:\n"
                 "  upper: {mass2d: a, mass: m, inertia: m*L^2/12}\n"
                 "  lower: {mass2d: b, mass: m, inertia: m*L^2/12}\n"
                 "joints:\n"
                 "  top: {revolute2d: [ground, a], at: [0, 0]}\n"
                 "  elbow: {revolute2d: [a, b], at: [0, -L]}\n");
    sn_mode_options o = sn_mode_options_default(k.m, k.p);
    o.mode = keep_omega, o.ctx = omega;
    kit_good(&k, sn_modes(k.m, k.p, &o, &found, &k.err));
    assert_int_equal(found, 2);
    print_message("  omega %.12g, %.12g\n", omega[0], omega[1]);
    kit_near("omega 1", omega[0], sqrt(g / L * (3 - 6 / sqrt(7))), 1e-9 * omega[0]);
    kit_near("omega 2", omega[1], sqrt(g / L * (3 + 6 / sqrt(7))), 1e-9 * omega[1]);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prismatic2d),       cmocka_unit_test(test_rigid_link),
        cmocka_unit_test(test_distance),          cmocka_unit_test(test_distance_driven),
        cmocka_unit_test(test_drive_constant),    cmocka_unit_test(test_drive_sine),
        cmocka_unit_test(test_coupling),          cmocka_unit_test(test_rolling2d),
        cmocka_unit_test(test_rolling_eccentric), cmocka_unit_test(test_fixed_only),
        cmocka_unit_test(test_moving_support),    cmocka_unit_test(test_double_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
