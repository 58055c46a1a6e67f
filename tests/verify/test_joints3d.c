/* Spatial joints against closed forms: one body, or few, each with one joint to the ground.

   Motions with constant acceleration, also of the angle about a fixed axis, are integrated without error by
   every scheme of the family, so that only Newton's tolerance and rounding remain: EXACT, relative. Other
   motions converge with second order; Richardson extrapolation of steps h and h/2 then leaves terms of order
   3 and 4, estimated in each test by (omega h)^3, with omega the fastest frequency of the motion. */
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

/* What a joint between the ground and a body leaves free: 6 less its equations, all of them independent, in
   the reference and in a turned position. */
static void test_freedom(void **state)
{
    static const struct {
        const char *joint;
        int equations;
    } table[] = {
        {"fixed: b", 6},
        {"fixed: b, only: [x, z, ry]", 3},
        {"fixed: b, only: [x, rx, rz]", 3},
        {"spherical: [ground, b], at: [0, 0, 1]", 3},
        {"revolute: [ground, b], at: [0, 0, 1], axis: [1, 2, 2]", 5},
        {"prismatic: [ground, b], at: [0, 0, 1], axis: [1, 2, 2]", 5},
        {"cylindrical: [ground, b], at: [0, 0, 1], axis: [0, 0, 1]", 4},
        {"universal: [ground, b], at: [0, 0, 1], axis: [1, 0, 0], axis2: [0, 1, 0]", 4},
        {"planar: [ground, b], at: [0, 0, 1], normal: [0, 1, 1]", 3},
        {"point_on_line: [ground, b], at: [0, 0, 1], axis: [0, 1, 0]", 2},
        {"point_on_plane: [ground, b], at: [0, 0, 1], normal: [0, 1, 0]", 1},
        {"constant_velocity: [ground, b], at: [0, 0, 1], axis: [0, 1, 0]", 4},
        {"screw: [ground, b], at: [0, 0, 1], axis: [0, 1, 0], pitch: 10 mm", 5},
        {"rigid_link: [ground, b]", 6},
        {"distance: [ground, b]", 1},
        {"rolling: b, radius: 0.5, axis: [0, 1, 0]", 3},
        {"rotation_drive: [ground, b], axis: [0, 1, 1], angle: t", 1},
        {"translation_drive: [ground, b], axis: [0, 1, 1], value: t*(1 m/s)", 1},
    };
    char text[1024];
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        sn_check_report report;
        kit k;
        snprintf(text, sizeof text,
                 "sinew: 1\n"
                 "nodes: {b: {frame3d: [0.3, 0.4, 0.5], rotation: [0.1, -0.2, 0.15]}}\n"
                 "elements: {body: {mass3d: b, mass: 2, inertia: [0.2, 0.3, 0.4]}}\n"
                 "joints: {j: {%s}}\n"
                 "run: {end: 1, step: 10 ms}\n",
                 table[i].joint);
        kit_text(&k, text);
        kit_good(&k, sn_check(k.m, k.p, &report, &k.err));
        if (report.sizes.m != table[i].equations || report.independent != table[i].equations ||
            report.freedom != 6 - table[i].equations)
            fail_msg("%s: %d equations, %d independent, freedom %d", table[i].joint, report.sizes.m,
                     report.independent, report.freedom);
        sn_release(report.names);
        kit_close(&k);
    }
}

/* What cannot be is refused, with the reason. */
static void test_refused(void **state)
{
    static const char *const table[][2] = {
        {"spherical: [ground, p], at: [0, 0, 1]", "node 2 has no rotation, so the joint must sit on it"},
        {"revolute: [ground, b], axis: [0, 0, 0]", "the axis has no direction"},
        {"revolute: [ground, p], axis: [0, 0, 1]", "needs spatial nodes with a rotation"},
        {"revolute2d: [ground, b]", "needs planar nodes"},
        {"universal: [ground, b], axis: [0, 0, 1], axis2: [0, 0, 0]", "the second axis has no direction"},
        {"screw: [ground, b], axis: [0, 0, 1], pitch: 0", "is a hinge: use revolute"},
        {"constant_velocity: [ground, b], axis: [1, 0, 0], axis2: [-1, 0, 0]", "point against each other"},
        {"rolling: b, radius: 0.1, edge: 0.1, axis: [0, 1, 0]", "less than the wheel's radius"},
        {"rolling: b, radius: 0.1, axis: [0, 1, 0], normal: [0, 0, 0]", "the normal has no direction"},
        {"gear: [b, c], axis: [0, 0, 0], ratio: 2", "an axis has no direction"},
        {"fixed: b, theta: 1 rad", "'theta' is a planar angle"},
    };
    char text[1024], said[1200];
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        sn_model *m = NULL;
        sn_values *p = NULL;
        sn_err err;
        sn_err_clear(&err);
        snprintf(text, sizeof text,
                 "sinew: 1\n"
                 "nodes: {b: {frame3d: [0, 0, 0.5]}, c: {frame3d: [1, 0, 0]}, p: {point3d: [0, 1, 0]}}\n"
                 "elements: {m: {mass3d: b, mass: 1}}\n"
                 "joints: {j: {%s}}\n",
                 table[i][0]);
        sn_status s = sn_model_read_text("model", text, strlen(text), &m, &err);
        if (!s) s = sn_values_new(m, &p, &err);
        if (!s || !err.count) fail_msg("%s is accepted", table[i][0]);
        sn_report_format(&err.report[0], said, sizeof said);
        if (!strstr(said, table[i][1])) fail_msg("%s: it says '%s'", table[i][0], said);
        sn_values_free(p);
        sn_model_free(m);
    }
}

/* Conical pendulum: a body with equal moments of inertia on a ball joint, its centre l from the joint at the
   angle a from the vertical, goes round at W^2 = g/(l cos a), whatever its inertia. Its angular velocity is
   constant in body axes too. The joint carries m g and the centripetal force. */
static void test_spherical(void **state)
{
    static const char *const out[] = {"pin.fx", "pin.fz", "pin.fx", "off"};
    static const double time[] = {0, 0, 1.3, 1.3};
    double l = 0.8, a = 35 * pi / 180, W = sqrt(g / (l * cos(a))), t = 1.3, y[4];
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "gravity: [0, 0, -9.81]\n"
                 "parameters: {l: 0.8, a: 35 deg, W: sqrt(9.81/(l*cos(a)))}\n"
                 "nodes: {b: {at: [l*sin(a), 0, -l*cos(a)], velocity: [0, W*l*sin(a), 0], spin: [0, 0, W]}}\n"
                 "elements: {body: {mass3d: b, mass: 1.5, inertia: [0.1, 0.1, 0.1]}}\n"
                 "joints: {pin: {spherical: [ground, b], at: [0, 0, 0]}}\n"
                 "sensors: {b: {position: b}, pin: {reaction: pin}, off: {violation: pin}}\n"
                 "run: {end: 2, step: 1 ms}\n");
    kit_points(&k, 4, out, time, y);
    kit_near("horizontal force at the start", y[0], -1.5 * W * W * l * sin(a), 1e-11);
    kit_near("vertical force at the start", y[1], 1.5 * g, 1e-11);
    kit_near("violation", y[3], 0, 1e-10);
    double x = converged(&k, "b.x", t, 4e-3), z = kit_value(&k, "b.z", t);
    print_message("  off by %.1e, height by %.1e\n", x - l * sin(a) * cos(W * t), z + l * cos(a));
    kit_near("x", x, l * sin(a) * cos(W * t), 1e-6);
    kit_near("height", z, -l * cos(a), 1e-6);
    kit_close(&k);
}

/* A point on a rod, with `distance` in space: the same motion. */
static void test_distance(void **state)
{
    double l = 0.8, a = 35 * pi / 180, W = sqrt(g / (l * cos(a))), t = 1.3;
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "gravity: [0, 0, -9.81]\n"
                 "parameters: {l: 0.8, a: 35 deg, W: sqrt(9.81/(l*cos(a)))}\n"
                 "nodes: {b: {at: [l*sin(a), 0, -l*cos(a)], velocity: [0, W*l*sin(a), 0]}}\n"
                 "elements: {bob: {mass3d: b, mass: 1.5}}\n"
                 "joints: {rod: {distance: [ground, b]}}\n"
                 "sensors: {b: {position: b}, rod: {reaction: rod}}\n"
                 "run: {end: 2, step: 1 ms}\n");
    double y = converged(&k, "b.y", t, 4e-3);
    print_message("  off by %.1e\n", y - l * sin(a) * sin(W * t));
    kit_near("y", y, l * sin(a) * sin(W * t), 1e-6);
    kit_close(&k);
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

/* A physical pendulum whose axis rises at the angle b from the horizontal: gravity acts with g cos b. From
   rest at 100 degrees it is back after 4 K(sin 50 deg)/w0, w0^2 = m g cos(b) l/(J + m l^2), J the inertia
   about the axis, here from a full tensor: J = u'I u. The start is written as a rotation from the hanging
   position. */
static void test_revolute(void **state)
{
    double b = 25 * pi / 180, l = 0.6, m = 2,
           J = 0.2 * pow(cos(b), 2) + 0.4 * pow(sin(b), 2) + 2 * 0.05 * sin(b) * cos(b);
    double w0 = sqrt(m * g * cos(b) * l / (J + m * l * l)), T = 4 * elliptic_K(sin(50 * pi / 180)) / w0;
    kit k;
    (void)state;
    /* axis u = (cos b, 0, sin b); hanging: the centre at -l (-sin b, 0, cos b) */
    kit_text(&k, "sinew: 1\n"
                 "gravity: [0, 0, -9.81]\n"
                 "parameters: {b: 25 deg, l: 0.6, a: 100 deg}\n"
                 "nodes:\n"
                 "  c: {at: [l*sin(b), 0, -l*cos(b)], rotation: [a*cos(b), 0, a*sin(b)],\n"
                 "      displacement: [l*sin(b)*(cos(a) - 1), l*sin(a), -l*cos(b)*(cos(a) - 1)]}\n"
                 "elements: {body: {mass3d: c, mass: 2, inertia: [0.2, 0.3, 0.4], products: [0, 0.05, 0]}}\n"
                 "joints: {hinge: {revolute: [ground, c], at: [0, 0, 0], axis: [2*cos(b), 0, 2*sin(b)]}}\n"
                 "sensors: {c: {position: c}, hinge: {reaction: hinge}, energy: {energy: all}}\n"
                 "run: {end: 10, step: 1 ms}\n");
    double y = converged(&k, "c.y", 0.25 * T, 4e-3);
    print_message("  at the lowest point y is %.1e (moved %.1e at the start)\n", y, k.info.projection_q);
    kit_near("change of the positions at the start", k.info.projection_q, 0, 1e-12);
    kit_near("y after a quarter of the period", y, 0, 1e-6);
    /* symmetric about half a period, where the pendulum is at -100 degrees */
    kit_near("y at 0.6 periods", converged(&k, "c.y", 0.6 * T, 4e-3), converged(&k, "c.y", 0.4 * T, 4e-3),
             2e-6);
    kit_close(&k);
}

/* Bodies that slide down an incline of 30 degrees, held in different ways: g sin 30 deg along it, exactly.
   The rail passes the centre at a distance, so that it carries a moment. The cylinder and the plate also
   spin. */
static void test_sliding(void **state)
{
    static const char *const out[] = {"p.x",   "p.z",  "p.rx", "rail.fx", "rail.fz", "rail.my",
                                      "c.x",   "c.z",  "cv.x", "cv.rx",   "f.x",     "f.z",
                                      "fv.rz", "bl.x", "bp.x", "bp.y"};
    double y[16], a = 30 * pi / 180, t = 1.4, s = 0.5 * g * sin(a) * t * t, N = 2 * g * cos(a), w = 7;
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "gravity: [0, 0, -9.81]\n"
                 "parameters: {a: 30 deg, w: 7, ux: cos(a), uz: -sin(a), nx: sin(a), nz: cos(a)}\n"
                 "nodes:\n"
                 "  p: [0, 1, 0]\n"
                 "  c: {at: [0, 2, 0], spin: [w*ux, 0, w*uz]}\n"
                 "  f: {at: [0, 3, 0], spin: [w*nx, 0, w*nz]}\n"
                 "  bl: {point3d: [0, 4, 0]}\n"
                 "  bp: {point3d: [0, 5, 0], velocity: [0, 2, 0]}\n"
                 "elements:\n"
                 "  mp: {mass3d: p, mass: 2, inertia: [0.2, 0.3, 0.4]}\n"
                 /* turning about an axis of inertia of equal moments, J = 1 J0: no wobble */
                 "  mc: {mass3d: c, mass: 2, inertia: [0.3, 0.3, 0.3]}\n"
                 "  mf: {mass3d: f, mass: 2, inertia: [0.3, 0.3, 0.3]}\n"
                 "  ml: {mass3d: bl, mass: 2}\n"
                 "  mb: {mass3d: bp, mass: 2}\n"
                 "joints:\n"
                 "  rail: {prismatic: [ground, p], axis: [ux, 0, uz], at: [-0.1*nx, 1, -0.1*nz]}\n"
                 "  tube: {cylindrical: [ground, c], axis: [ux, 0, uz]}\n"
                 "  face: {planar: [ground, f], normal: [nx, 0, nz]}\n"
                 "  wire: {point_on_line: [ground, bl], axis: [ux, 0, uz]}\n"
                 "  ice: {point_on_plane: [ground, bp], normal: [nx, 0, nz]}\n"
                 "sensors:\n"
                 "  p: {position: p}\n"
                 "  rail: {reaction: rail}\n"
                 "  c: {position: c}\n"
                 "  cv: {velocity: c}\n"
                 "  f: {position: f}\n"
                 "  fv: {velocity: f}\n"
                 "  bl: {position: bl}\n"
                 "  bp: {position: bp}\n"
                 "run: {end: 2, step: 10 ms}\n");
    k.o.tolerance = 1e-11;
    kit_values(&k, t, 16, out, y);
    kit_near("x on the rail", y[0], s * cos(a), EXACT * s);
    kit_near("z on the rail", y[1], -s * sin(a), EXACT * s);
    kit_near("rotation on the rail", y[2], 0, 1e-12);
    kit_near("force of the rail, x", y[3], N * sin(a), 1e-7 * N);
    kit_near("force of the rail, z", y[4], N * cos(a), 1e-7 * N);
    /* the normal force passes through the centre: the guide has no moment to carry */
    kit_near("moment of the rail", y[5], 0, 1e-7 * N);
    kit_near("x in the tube", y[6], s * cos(a), EXACT * s);
    kit_near("z in the tube", y[7], -s * sin(a), EXACT * s);
    kit_near("speed in the tube", y[8], g * sin(a) * t * cos(a), 1e-8);
    /* velocities: increments to 1e-2 tolerance of the model's 5 m, times 2/h, in each of 140 steps */
    kit_near("spin in the tube", y[9], w * cos(a), 2e-8);
    kit_near("x of the plate", y[10], s * cos(a), EXACT * s);
    kit_near("z of the plate", y[11], -s * sin(a), EXACT * s);
    kit_near("spin of the plate", y[12], w * cos(a), 2e-8);
    kit_near("x on the wire", y[13], s * cos(a), EXACT * s);
    kit_near("x on the ice", y[14], s * cos(a), EXACT * s);
    kit_near("y on the ice", y[15], 5 + 2 * t, EXACT * s);
    print_message("  ways off by %.1e %.1e %.1e\n", y[0] - s * cos(a), y[6] - s * cos(a), y[10] - s * cos(a));
    kit_close(&k);
}

/* A nut on a vertical screw falls with g/(1 + J (2 pi/p)^2/m) and turns; a hundred turns, exactly. A
   left-handed thread turns it the other way. */
static void test_screw(void **state)
{
    double J = 2e-5, m = 0.3, p = 0.02, kappa = 2 * pi / p, acc = g / (1 + J * kappa * kappa / m), y[4],
           t = 2;
    static const char *const out[] = {"n.z", "v.rz", "v.z", "off"};
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "gravity: [0, 0, -9.81]\n"
                 "parameters: {p: 20 mm}\n"
                 "nodes: {n: [0.5, 0, 0]}\n"
                 "elements: {nut: {mass3d: n, mass: 0.3, inertia: [2e-5, 2e-5, 2e-5]}}\n"
                 "joints: {thread: {screw: [ground, n], axis: [0, 0, 3], pitch: p}}\n"
                 "sensors: {n: {position: n}, v: {velocity: n}, off: {violation: thread}}\n"
                 "run: {end: 2, step: 2 ms}\n");
    for (int hand = 1; hand >= -1; hand -= 2) {
        kit_set(&k, "p", hand * p);
        kit_update(&k);
        kit_values(&k, t, 4, out, y);
        print_message("  %.1f turns: way off by %.1e, spin by %.1e\n", 0.5 * acc * t * t / p,
                      y[0] + 0.5 * acc * t * t, y[1] + hand * kappa * acc * t);
        kit_near("way", y[0], -0.5 * acc * t * t, EXACT * acc);
        kit_near("speed", y[2], -acc * t, 1e-8 * acc);
        kit_near("spin", y[1], -hand * kappa * acc * t, 1e-8 * kappa * acc);
        kit_near("violation", y[3], 0, 1e-9);
    }
    kit_close(&k);
}

/* Drives: a shaft through several turns with a torque J angle'', a slide by a sine with a force m value''. */
static void test_drives(void **state)
{
    static const char *const out[] = {"v.rx", "motor.mx", "motor.mz", "s.x", "ram.fx", "ram.fx", "r.rz"};
    static const double time[] = {3, 3, 3, 0.7, 0, 0.7, 3};
    double y[7], W = 2 * pi * 1.2, angle = 2 * 3 + 1.5 * 9, u = 1 / sqrt(2.0);
    kit k;
    (void)state;
    kit_text(
        &k,
        "sinew: 1\n"
        "nodes: {w: [0, 0, 0], s: [2, 0, 0]}\n"
        "elements:\n"
        "  wheel: {mass3d: w, mass: 1, inertia: [0.25, 0.25, 0.25]}\n"
        "  slide: {mass3d: s, mass: 3, inertia: [1, 1, 1]}\n"
        "joints:\n"
        "  axle: {revolute: [ground, w], axis: [1, 0, 1]}\n"
        "  motor: {rotation_drive: [ground, w], axis: [1, 0, 1], angle: t*(2 rad/s) + t^2*(1.5 rad/s^2)}\n"
        "  guide: {prismatic: [ground, s], axis: [1, 0, 0]}\n"
        "  ram: {translation_drive: [ground, s], axis: [2, 0, 0], value: u}\n"
        "signals: {u: {sine: 0.2, frequency: 1.2 Hz}}\n"
        "sensors: {v: {velocity: w}, motor: {reaction: motor}, s: {displacement: s},\n"
        "  ram: {reaction: ram}, r: {rotation: w}}\n"
        "run: {end: 3, step: 5 ms}\n");
    k.o.tolerance = 1e-11;
    kit_points(&k, 7, out, time, y);
    /* as the rotation vector within a turn */
    double turns = remainder(angle, 2 * pi);
    kit_near("rate", y[0], (2 + 3 * 3) * u, 1e-9);
    kit_near("torque, x", y[1], 0.25 * 3 * u, 1e-7);
    kit_near("torque, z", y[2], 0.25 * 3 * u, 1e-7);
    kit_near("rotation after three turns", y[6], turns * u, 1e-11);
    kit_near("way", y[3], 0.2 * sin(W * 0.7), 1e-11);
    kit_near("force at the start", y[4], 0, 1e-11);
    /* second order: (W h)^2/12 of the acceleration, and the start's transient has died out */
    kit_near("force", y[5], -3 * 0.2 * W * W * sin(W * 0.7), 3 * 0.2 * W * W * pow(W * 5e-3, 2));
    print_message("  %.2f turns: rotation off by %.1e; torque by %.1e, force by %.1e\n", angle / (2 * pi),
                  y[6] - turns * u, y[1] - 0.75 * u, y[5] + 0.6 * W * W * sin(W * 0.7));
    kit_close(&k);
}

/* A drive turns its shaft to any angle from where it was written, not to half a turn beside it, at the start
   of a run and in statics; there turns count: a disc between two equal springs, one on the shaft and one on
   the ground, is half as far. Both start at 0.4 rad as written in the second round. To the tolerance of
   Newton's iteration (1e-13 of the projection; 1e-8 and its last step, quadratic, in statics). */
static void test_far_angles(void **state)
{
    static const char *const out[] = {"a.rz", "b.rz"};
    static const double angle[] = {0.5, 1.5, pi / 2, 2, 3, 5, -2, -5, 6};
    char set[40];
    (void)state;
    for (int i = 0; i < 18; i++) {
        double y[2], to = angle[i % 9];
        kit k;
        kit_text(&k, "sinew: 1\n"
                     "parameters: {to: 0, from: 0}\n"
                     "nodes: {a: {at: [0, 0, 0], rotation: [0, 0, from]}, b: {at: [0, 0, 1], rotation: [0, "
                     "0, from/2]}}\n"
                     "elements:\n"
                     "  ma: {mass3d: a, mass: 1, inertia: [1, 1, 1]}\n"
                     "  mb: {mass3d: b, mass: 1, inertia: [1, 1, 1]}\n"
                     "  s1: {torsion_spring: [a, b], axis: [0, 0, 1], kt: 3}\n"
                     "  s2: {torsion_spring: [ground, b], axis: [0, 0, 1], kt: 3}\n"
                     "joints:\n"
                     "  pa: {revolute: [ground, a], axis: [0, 0, 1]}\n"
                     "  pb: {revolute: [ground, b], axis: [0, 0, 1]}\n"
                     "  turn: {rotation_drive: [ground, a], axis: [0, 0, 1], angle: to}\n"
                     "sensors: {a: {rotation: a}, b: {rotation: b}}\n"
                     "run: {end: 20 ms, step: 10 ms}\n");
        snprintf(set, sizeof set, "%.17g", to);
        kit_good(&k, sn_values_set(k.p, "to", set, &k.err));
        kit_good(&k, sn_values_set(k.p, "from", i < 9 ? "0" : "0.4", &k.err));
        kit_good(&k, sn_values_update(k.p, &k.err));
        kit_static(&k, 2, out, y);
        kit_near("shaft", y[0], remainder(to, 2 * pi), 1e-12);
        kit_near("disc", y[1], to / 2, 1e-12);
        kit_near("start", kit_value(&k, "a.rz", 0.01), remainder(to, 2 * pi), 1e-12);
        kit_close(&k);
    }
}

/* Gears of ratio -3 with a torque on the first: inertia J1 + J2/9 there. An epicyclic pair: the planet of a
   fixed sun of equal size turns twice while its carrier turns once. */
static void test_gear(void **state)
{
    static const char *const out[] = {"a.rz", "b.rz", "p.rx", "c.rx", "mesh.mz"};
    double y[5], acc = 0.6 / (0.02 + 0.5 / 9), t = 2;
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes:\n"
                 "  a: [0, 0, 0]\n"
                 "  b: [0.2, 0, 0]\n"
                 "  s: [0, 1, 0]\n"
                 "  c: {at: [0, 1, 0], spin: [3, 0, 0]}\n"
                 "  p: {at: [0, 1.4, 0], spin: [6, 0, 0], velocity: [0, 0, 1.2]}\n"
                 "elements:\n"
                 "  one: {mass3d: a, mass: 1, inertia: [1, 1, 0.02]}\n"
                 "  two: {mass3d: b, mass: 1, inertia: [1, 1, 0.5]}\n"
                 "  M: {force3d: a, torque: [0, 0, 0.6]}\n"
                 "  sun: {mass3d: s, mass: 1, inertia: [1, 1, 1]}\n"
                 "  arm: {mass3d: c, mass: 1, inertia: [1, 1, 1]}\n"
                 "  planet: {mass3d: p, mass: 1, inertia: [1, 1, 1]}\n"
                 "joints:\n"
                 "  ha: {revolute: [ground, a], axis: [0, 0, 1]}\n"
                 "  hb: {revolute: [ground, b], axis: [0, 0, 1]}\n"
                 "  mesh: {gear: [a, b], axis: [0, 0, 1], ratio: -3}\n"
                 "  hs: {fixed: s}\n"
                 "  hc: {revolute: [ground, c], axis: [1, 0, 0]}\n"
                 "  hp: {revolute: [c, p], axis: [1, 0, 0]}\n"
                 "  round: {gear: [s, p, c], axis: [1, 0, 0], ratio: -1}\n"
                 "sensors: {a: {velocity: a}, b: {velocity: b}, p: {velocity: p}, c: {velocity: c},\n"
                 "  mesh: {reaction: mesh}}\n"
                 "run: {end: 2, step: 10 ms}\n");
    kit_values(&k, t, 5, out, y);
    kit_near("first gear", y[0], acc * t, 1e-8 * acc);
    kit_near("second gear", y[1], -acc * t / 3, 1e-8 * acc);
    kit_near("torque on the second gear", y[4], -0.5 * acc / 3, 1e-7);
    /* the planet goes round: second order, (w h)^2 = 9e-4; the ratio is met in each step */
    kit_near("carrier", y[3], 3, 1e-3);
    kit_near("planet", y[2], 2 * y[3], 1e-9);
    kit_near("change of the velocity at the start", k.info.projection_v, 0, 1e-12);
    print_message("  spins off by %.1e %.1e %.1e\n", y[0] - acc * t, y[1] + acc * t / 3, y[2] - 2 * y[3]);
    kit_close(&k);
}

/* `fixed` in space: all of a frame with the load's reactions; x, y, z, rx, ry: what spins about z goes on
   beyond half a turn; a moving support. `rigid_link`: a mass d from the axis, welded to the hub by a node of
   its own. */
static void test_fixed_and_link(void **state)
{
    static const char *const out[] = {"h.fx",  "h.fz",   "h.mx", "h.my", "h.mz",
                                      "tv.rz", "hub.rz", "m.z",  "far.z"};
    static const double time[] = {2, 2, 2, 2, 2, 2, 0.5, 2, 2};
    double y[9], acc = 1.2 / (0.05 + 0.7 * (0.3 * 0.3 + 0.4 * 0.4) + 0.02);
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes:\n"
                 "  h: [1, 1, 1]\n"
                 "  t: {at: [0, 0, 0], spin: [0, 0, 4]}\n"
                 "  hub: [0, 3, 0]\n"
                 "  tip: {frame3d: [0.3, 3.4, 0.2]}\n"
                 "  m: [0, 5, 0]\n"
                 "  far: {point3d: [1, 5, 0]}\n"
                 "elements:\n"
                 "  body: {mass3d: h, mass: 2, inertia: [1, 1, 1]}\n"
                 "  push: {force3d: h, force: [3, 0, 5], torque: [0.7, 0.8, 0.9]}\n"
                 "  top: {mass3d: t, mass: 1, inertia: [0.3, 0.2, 0.1]}\n"
                 "  hub: {mass3d: hub, mass: 1, inertia: [1, 1, 0.05]}\n"
                 "  tip: {mass3d: tip, mass: 0.7, inertia: [0.1, 0.1, 0.02]}\n"
                 "  M: {force3d: hub, torque: [0, 0, 1.2]}\n"
                 "joints:\n"
                 "  wall: {fixed: h}\n"
                 "  pivot: {fixed: t, only: [x, y, z, rx, ry]}\n"
                 "  axle: {revolute: [ground, hub], axis: [0, 0, 1]}\n"
                 "  weld: {rigid_link: [hub, tip]}\n"
                 "  shaker: {fixed: m, z: t^2*(0.5 m/s^2)}\n"
                 "  rod: {rigid_link: [m, far]}\n"
                 "sensors: {h: {reaction: wall}, tv: {velocity: t}, hub: {position: hub}, m: {position: m},\n"
                 "  far: {position: far}}\n"
                 "run: {end: 2, step: 10 ms}\n");
    kit_points(&k, 9, out, time, y);
    kit_near("fx", y[0], -3, 1e-8);
    kit_near("fz", y[1], -5, 1e-8);
    kit_near("mx", y[2], -0.7, 1e-8);
    kit_near("my", y[3], -0.8, 1e-8);
    kit_near("mz", y[4], -0.9, 1e-8);
    kit_near("spin after more than a turn", y[5], 4, 1e-9);
    kit_near("moving support", y[7], 2, 1e-11);
    kit_near("point on the rigid rod", y[8], 2, 1e-11);
    /* the tip goes round: second order */
    double x = converged(&k, "hub.rz", 1, 1e-2);
    kit_near("angle of the hub", x, 0.5 * acc, 1e-6);
    print_message("  hub off by %.1e\n", x - 0.5 * acc);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_freedom),        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_spherical),      cmocka_unit_test(test_distance),
        cmocka_unit_test(test_revolute),       cmocka_unit_test(test_sliding),
        cmocka_unit_test(test_screw),          cmocka_unit_test(test_drives),
        cmocka_unit_test(test_far_angles),     cmocka_unit_test(test_gear),
        cmocka_unit_test(test_fixed_and_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
