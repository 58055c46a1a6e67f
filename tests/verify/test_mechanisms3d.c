/* Mechanisms and wheels in space: shafts joined at an angle, a rolling disc, closed loops with redundant
   equations, and a planar loop built in space.

   Where nothing is free the positions follow from the joints alone and are exact to Newton's tolerance;
   velocities and motions converge with second order. */
#include "verify/kit.h"

static const double g = 9.81, pi = 3.14159265358979323846;

#define SHAFTS(joint)                                                                                        \
    "sinew: 1\n"                                                                                             \
    "parameters: {b: 40 deg, w: 2 rad/s}\n"                                                                  \
    "nodes: {in: [-0.5, 0, 0], out: [0.5*cos(b), 0.5*sin(b), 0]}\n"                                          \
    "elements:\n"                                                                                            \
    "  m1: {mass3d: in, mass: 1, inertia: [0.1, 0.2, 0.2]}\n"                                                \
    "  m2: {mass3d: out, mass: 1, inertia: [0.1, 0.1, 0.2]}\n"                                               \
    "joints:\n"                                                                                              \
    "  bearing: {revolute: [ground, in], axis: [1, 0, 0]}\n"                                                 \
    "  motor: {rotation_drive: [ground, in], axis: [1, 0, 0], angle: t*w}\n"                                 \
    "  cross: {" joint "}\n"                                                                                 \
    "  end: {point_on_line: [ground, out], at: [cos(b), sin(b), 0], axis: [cos(b), sin(b), 0]}\n"            \
    "sensors: {out: {rotation: out}, v: {velocity: out}}\n"                                                  \
    "run: {end: 3, step: 5 ms, tolerance: 1e-11}\n"

/* Turn of the driven shaft about its axis, and its rate at two steps. */
static void driven(const char *text, double t, double *angle, double *rate, double *coarse)
{
    static const char *const out[] = {"out.rx", "out.ry", "v.rx", "v.ry"};
    double y[4], b = 40 * pi / 180;
    sn_check_report report;
    kit k;
    kit_text(&k, text);
    kit_good(&k, sn_check(k.m, k.p, &report, &k.err));
    assert_int_equal(report.sizes.m, 12);
    assert_int_equal(report.freedom, 0);
    sn_release(report.names);
    kit_values(&k, t, 4, out, y);
    *coarse = y[2] * cos(b) + y[3] * sin(b);
    k.o.step /= 2;
    kit_values(&k, t, 4, out, y);
    *angle = y[0] * cos(b) + y[1] * sin(b);
    *rate = y[2] * cos(b) + y[3] * sin(b);
    kit_close(&k);
}

/* Hooke's joint at 40 degrees, its arm on the driving shaft in the plane of both at the start: tan(out) =
   tan(in)/cos(b), rates as cos(b)/(1 - sin^2(b) cos^2(in)). */
static void test_universal(void **state)
{
    static const double at[] = {0.3, 0.6, 2.3};
    double b = 40 * pi / 180, angle, rate, coarse;
    (void)state;
    for (int i = 0; i < 3; i++) {
        double in = 2 * at[i], exact = atan2(sin(in) / cos(b), cos(in)),
               ratio = cos(b) / (1 - pow(sin(b) * cos(in), 2));
        driven(SHAFTS("universal: [in, out], at: [0, 0, 0], axis: [0, 1, 0], axis2: [0, 0, 1]"), at[i],
               &angle, &rate, &coarse);
        print_message("  angle off by %.1e; ratio %.9f off by %.1e, %.1e with twice the step\n",
                      remainder(angle - exact, 2 * pi), ratio, rate / 2 - ratio, coarse / 2 - ratio);
        kit_near("angle", remainder(angle - exact, 2 * pi), 0, 1e-10);
        kit_near("ratio", richardson(coarse, rate, 2) / 2, ratio, 1e-6);
    }
}

/* The joint of constant velocity: equal angles and rates. */
static void test_constant_velocity(void **state)
{
    double angle, rate, coarse;
    (void)state;
    driven(SHAFTS("constant_velocity: [in, out], at: [0, 0, 0], axis: [1, 0, 0], axis2: [cos(b), sin(b), 0]"),
           2.3, &angle, &rate, &coarse);
    print_message("  angle off by %.1e, rate by %.1e\n", remainder(angle - 4.6, 2 * pi), rate - 2);
    kit_near("angle", remainder(angle - 4.6, 2 * pi), 0, 1e-10);
    kit_near("rate", rate, 2, 1e-6);
}

/* The same disc pushed aside: it wobbles, and the contact takes no energy; the scheme errs by second order.
 */
static void wobble(kit *k)
{
    static const char *const out[] = {"energy.total", "energy.total", "c.z"};
    static const double t[] = {0, 2, 2};
    double y[3], drift[2], spin;
    kit_good(k, sn_values_get(k->p, "c.spin.y", &spin, &k->err));
    kit_set(k, "c.spin.y", spin + 1);
    kit_update(k);
    for (int i = 0; i < 2; i++) {
        k->o.step = 4e-3 / (1 << i), k->o.end = 2;
        kit_points(k, 3, out, t, y);
        drift[i] = y[1] - y[0];
    }
    print_message("  pushed: energy off by %.1e J of %.1f, order %.3f\n", drift[1], y[0],
                  order_of(drift[0], drift[1]));
    kit_within("order of the energy's error", order_of(drift[0], drift[1]), 1.7, 2.3);
    kit_near("energy", richardson(drift[0], drift[1], 2), 0, 1e-4);
}

/* Steady turn of a disc of rim radius a with a rounded edge of radius e: axis u at the angle q from the
   vertical n, rate W about n, spin s about u, w3 = W cos q + s. With h the horizontal part of u and t = n x h
   the rim's lowest point is at c = -a (sin q n - cos q h) - e n, the centre has the velocity -(a w3 + e s sin
   q) t and the acceleration W (a w3 + e s sin q) h, and the moments about it give W sin q (C w3 - A W cos q)
   = -m W (a sin q + e) (a w3 + e s sin q) - m g a cos q. */
static void turning_disc(double e)
{
    double m = 2, a = 0.5, C = 0.25, A = 0.125, q = 70 * pi / 180, W = 1.5, S = sin(q), c = cos(q), t = 2;
    double w3 = (A * W * W * S * c - m * g * a * c + m * W * W * (a * S + e) * e * S * c) /
                (W * (C * S + m * (a * S + e) * (a + e * S)));
    double s = w3 - W * c, speed = a * w3 + e * s * S, r = -speed / W, y[3][5];
    static const char *const out[] = {"c.x", "c.y", "c.z", "road.fz", "slip"};
    char text[1500];
    kit k;
    snprintf(text, sizeof text,
             "sinew: 1\n"
             "gravity: [0, 0, -9.81]\n"
             "nodes:\n"
             "  c: {at: [%.17g, 0, %.17g], velocity: [0, %.17g, 0], spin: [%.17g, 0, %.17g]}\n"
             "elements:\n"
             "  disc: {mass3d: c, mass: 2, inertia: [%.17g, %.17g, %.17g], products: [0, %.17g, 0]}\n"
             "joints: {road: {rolling: c, radius: %.17g, edge: %.17g, axis: [%.17g, 0, %.17g]}}\n"
             "sensors: {c: {position: c}, road: {reaction: road}, slip: {violation: road}, energy: {energy: "
             "all}}\n"
             "run: {end: 2, step: 2 ms, tolerance: 1e-11}\n",
             r, a * S + e, -speed, s * S, W + s * c, A + (C - A) * S * S, A, A + (C - A) * c * c,
             (C - A) * S * c, a + e, e, S, c);
    kit_text(&k, text);
    kit_values(&k, 0.002, 5, out, y[0]);
    kit_near("change of the positions at the start", k.info.projection_q, 0, 1e-12);
    kit_near("change of the velocities at the start", k.info.projection_v, 0, 1e-12);
    for (int i = 0; i < 3; i++) {
        k.o.step = 8e-3 / (1 << i);
        kit_values(&k, t, 5, out, y[i]);
    }
    double x = richardson(y[1][0], y[2][0], 2), z = richardson(y[1][2], y[2][2], 2);
    print_message("  edge %.2f: circle of %.4f m, off by %.1e, height by %.1e, order %.3f, slip %.1e\n", e, r,
                  x - r * cos(W * t), z - a * S - e, order_of(y[0][0] - y[1][0], y[1][0] - y[2][0]), y[2][4]);
    kit_within("order", order_of(y[0][0] - y[1][0], y[1][0] - y[2][0]), 1.9, 2.1);
    kit_near("x", x, r * cos(W * t), 1e-6);
    kit_near("y", richardson(y[1][1], y[2][1], 2), r * sin(W * t), 1e-6);
    kit_near("height", z, a * S + e, 1e-6);
    kit_near("normal force", y[2][3], m * g, 1e-3);
    kit_near("slip", y[2][4], 0, 1e-9);
    wobble(&k);
    kit_close(&k);
}

static void test_rolling(void **state)
{
    (void)state;
    turning_disc(0);
    turning_disc(0.1);
}

typedef struct memory {
    int messages;
    char text[8][512];
    double lo, hi, off; /* of the total energy; largest violation */
    int energy, violation;
} memory;

static void remember(void *ctx, const char *text)
{
    memory *m = ctx;
    if (m->messages < 8) snprintf(m->text[m->messages], sizeof m->text[0], "%s", text);
    m->messages++;
}

static sn_status look(void *ctx, const sn_frame *f, sn_err *err)
{
    memory *m = ctx;
    (void)err;
    m->lo = fmin(m->lo, f->y[m->energy]);
    m->hi = fmax(m->hi, f->y[m->energy]);
    m->off = fmax(m->off, f->y[m->violation]);
    return SN_OK;
}

#define ROD(name, joint) "  " name ": {mass3d: " joint ", mass: 1, inertia: "
#define AX               "[1/600, 1.01/12, 1.01/12]}\n"
#define AY               "[1.01/12, 1/600, 1.01/12]}\n"
#define AZ               "[1.01/12, 1.01/12, 1/600]}\n"

/* Bricard's mechanism: five rods and the ground in a loop of six hinges, each square to the two sides it
   joins. It moves although 30 equations face 30 coordinates: one of them follows from the others and is
   named. The energy is kept to second order. */
static void test_bricard(void **state)
{
    double width[2];
    sn_check_report report;
    kit k;
    (void)state;
    kit_text(&k,
             "sinew: 1\n"
             "gravity: [0, -9.81, 0]\n"
             "nodes: {a: [0.5, 0, 0], b: [1, -0.5, 0], c: [1, -1, 0.5], d: [0.5, -1, 1], e: [0, -0.5, 1]}\n"
             "elements:\n" ROD("ma", "a") AX ROD("mb", "b") AY ROD("mc", "c") AZ ROD("md", "d")
                 AX ROD("me", "e") AY
             "joints:\n"
             "  j1: {revolute: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
             "  j2: {revolute: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
             "  j3: {revolute: [b, c], at: [1, -1, 0], axis: [1, 0, 0]}\n"
             "  j4: {revolute: [c, d], at: [1, -1, 1], axis: [0, 1, 0]}\n"
             "  j5: {revolute: [d, e], at: [0, -1, 1], axis: [0, 0, 1]}\n"
             "  j6: {revolute: [e, ground], at: [0, 0, 1], axis: [1, 0, 0]}\n"
             "sensors: {energy: {energy: all}, c: {position: c}, off: {violation: all}}\n"
             "run: {end: 5, step: 4 ms, output: 20 ms, tolerance: 1e-10}\n");
    kit_good(&k, sn_check(k.m, k.p, &report, &k.err));
    assert_int_equal(report.sizes.m, 30);
    assert_int_equal(report.independent, 29);
    assert_int_equal(report.freedom, 1);
    assert_non_null(strstr(report.names, "redundant j"));
    print_message("  %.*s\n", (int)strcspn(report.names, "\n"), report.names);
    sn_release(report.names);
    for (int i = 0; i < 2; i++) {
        memory seen = {.lo = INFINITY,
                       .hi = -INFINITY,
                       .energy = kit_channel(&k, "energy.total"),
                       .violation = kit_channel(&k, "off")};
        k.o.step = 4e-3 / (1 << i);
        k.o.frame = look, k.o.message = remember, k.o.ctx = &seen;
        kit_run(&k);
        assert_int_equal(k.info.redundant, 1);
        assert_true(seen.messages >= 1);
        assert_non_null(strstr(seen.text[0], "redundant"));
        width[i] = seen.hi - seen.lo;
        kit_near("violation", seen.off, 0, 1e-6);
        print_message("  step %g ms: energy within %.2e J, violation %.1e; %s\n", 1e3 * k.o.step, width[i],
                      seen.off, seen.text[0]);
    }
    /* 5 rods fall by up to a metre: some 20 J are exchanged */
    kit_within("order of the energy's error", order_of(width[0], width[1]), 1.6, 2.4);
    kit_within("energy", width[1], 0, 1e-2);
    kit_close(&k);
}

static const char *const flat_bars =
    "sinew: 1\n"
    "gravity: [0, -9.81]\n"
    "nodes: {a: {at: [0, 0.15], spin: -4}, b: [0.35, 0.4], c: [0.75, 0.25]}\n"
    "elements:\n"
    "  ma: {mass2d: a, mass: 1, inertia: 0.01}\n"
    "  mb: {mass2d: b, mass: 2, inertia: 0.08}\n"
    "  mc: {mass2d: c, mass: 1.5, inertia: 0.05}\n"
    "joints:\n"
    "  j1: {revolute2d: [ground, a], at: [0, 0]}\n"
    "  j2: {revolute2d: [a, b], at: [0, 0.3]}\n"
    "  j3: {revolute2d: [b, c], at: [0.7, 0.5]}\n"
    "  j4: {revolute2d: [c, ground], at: [0.8, 0]}\n"
    "sensors: {b: {position: b}, v: {velocity: b}}\n"
    "run: {end: 2, step: 2 ms, tolerance: 1e-12}\n";

/* The same in space. Moments of inertia are equal about all axes: only the one about the normal counts. */
static const char *const tilted_bars =
    "sinew: 1\n"
    "parameters: {xx: 0.36, xy: 0.48, xz: -0.8, yx: -0.8, yy: 0.6, zx: 0.48, zy: 0.64, zz: 0.6}\n"
    "gravity: [-9.81*yx, -9.81*yy, 0]\n"
    "nodes:\n"
    "  a: {at: [0.15*yx, 0.15*yy, 0], spin: [-4*zx, -4*zy, -4*zz]}\n"
    "  b: [0.35*xx + 0.4*yx, 0.35*xy + 0.4*yy, 0.35*xz]\n"
    "  c: [0.75*xx + 0.25*yx, 0.75*xy + 0.25*yy, 0.75*xz]\n"
    "elements:\n"
    "  ma: {mass3d: a, mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
    "  mb: {mass3d: b, mass: 2, inertia: [0.08, 0.08, 0.08]}\n"
    "  mc: {mass3d: c, mass: 1.5, inertia: [0.05, 0.05, 0.05]}\n"
    "joints:\n"
    "  j1: {revolute: [ground, a], axis: [zx, zy, zz], at: [0, 0, 0]}\n"
    "  j2: {revolute: [a, b], axis: [zx, zy, zz], at: [0.3*yx, 0.3*yy, 0]}\n"
    "  j3: {revolute: [b, c], axis: [zx, zy, zz], at: [0.7*xx + 0.5*yx, 0.7*xy + 0.5*yy, 0.7*xz]}\n"
    "  j4: {revolute: [c, ground], axis: [zx, zy, zz], at: [0.8*xx, 0.8*xy, 0.8*xz]}\n"
    "sensors: {b: {position: b}, v: {velocity: b}}\n"
    "run: {end: 2, step: 2 ms, tolerance: 1e-12}\n";

/* A planar four-bar linkage, and the same one in a tilted plane of space with the axes X, Y and the
   normal Z; gravity along -Y in both. Four hinges leave three redundant equations in space. Both run the same
   steps: in the plane of the motion the increments of space are those of the plane, so that the positions
   agree to Newton's tolerance, added up over 1000 steps. */
static void test_four_bar(void **state)
{
    static const double X[3] = {0.36, 0.48, -0.8}, Y[3] = {-0.8, 0.6, 0}, Z[3] = {0.48, 0.64, 0.6};
    static const char *const out2[] = {"b.x", "b.y", "v.theta"};
    static const char *const out3[] = {"b.x", "b.y", "b.z", "v.rx", "v.ry", "v.rz"};
    double y2[3], y3[6], off = 0, spin = 0;
    kit k;
    (void)state;
    kit_text(&k, flat_bars);
    kit_values(&k, 2, 3, out2, y2);
    kit_close(&k);
    kit_text(&k, tilted_bars);
    kit_values(&k, 2, 6, out3, y3);
    assert_int_equal(k.info.redundant, 3);
    kit_close(&k);
    for (int j = 0; j < 3; j++) {
        off = fmax(off, fabs(y3[j] - y2[0] * X[j] - y2[1] * Y[j]));
        spin += y3[3 + j] * Z[j];
    }
    print_message("  positions differ by %.1e, spins by %.1e\n", off, spin - y2[2]);
    kit_near("position in space", off, 0, 1e-8);
    kit_near("spin in space", spin, y2[2], 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_universal), cmocka_unit_test(test_constant_velocity),
        cmocka_unit_test(test_rolling),   cmocka_unit_test(test_bricard),
        cmocka_unit_test(test_four_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
