/* Loads: dead and follower forces, line loads, gravity, and signals of all kinds in a load.

   Signals push a free mass m along x from rest: v(t) = 1/m int_0^t F, x its integral, both in closed form.
   The schemes are of second order for smooth F. Loads with corners at multiples of the step keep second
   order. */
#include "verify/kit.h"

static const double pi = 3.14159265358979323846;

/* A cantilever along x of 8 elements, EI = 100, EA = 1e6, L = 2; loads at its tip or along it. */
#define CANTILEVER(elements, more)                                                                           \
    "sinew: 1\n"                                                                                             \
    "parameters: {q: 0.01, f: 0}\n"                                                                          \
    "nodes: {root: [0, 0], tip: [2, 0]}\n"                                                                   \
    "elements:\n"                                                                                            \
    "  beam: {beam2d_cr: [root, tip], EA: 1e6, EI: 100, rhoA: 3, elements: " elements "}\n" more             \
    "joints: {wall: {fixed: root}}\n"                                                                        \
    "sensors: {tip: {displacement: tip}, wall: {reaction: wall}, at: {position: tip}}\n"

/* Uniform dead load q: tip deflection q L^4/(8 EI), slope q L^3/(6 EI), with cubic elements exact at the
   nodes for a linear beam; what differs is the geometry, of relative order slope^2 = (1.3e-4)^2. Reaction: q
   L and q L^2/2 (the arm shortens by the same order). */
static void test_line_load(void **state)
{
    static const char *const out[] = {"tip.y", "tip.theta", "wall.fx", "wall.fy", "wall.torque"};
    double y[5], q = 0.01, L = 2, EI = 100;
    kit k;
    (void)state;
    kit_text(&k, CANTILEVER("8", "  load: {force2d: beam, per_length: [0, -q]}\n"));
    kit_static(&k, 5, out, y);
    print_message("  deflection off by %.1e relative, reaction by %.1e\n",
                  y[0] / (-q * pow(L, 4) / (8 * EI)) - 1, y[3] / (q * L) - 1);
    kit_near("deflection", y[0], -q * pow(L, 4) / (8 * EI), 1e-7 * q * pow(L, 4) / (8 * EI));
    kit_near("slope", y[1], -q * pow(L, 3) / (6 * EI), 1e-7 * q * pow(L, 3) / (6 * EI));
    kit_near("reaction x", y[2], 0, 1e-10);
    kit_near("reaction y", y[3], q * L, 1e-10);
    kit_near("reaction moment", y[4], q * L * L / 2, 1e-7 * q * L * L / 2);
    kit_close(&k);
}

/* A line moment m a length bends like a force at the tip: M(x) = m (L - x), deflection m L^3/(3 EI). */
static void test_line_moment(void **state)
{
    static const char *const out[] = {"tip.y", "tip.theta", "wall.torque"};
    double y[3];
    kit k;
    (void)state;
    kit_text(&k, CANTILEVER("8", "  load: {force2d: beam, torque_per_length: q}\n"));
    kit_static(&k, 3, out, y);
    kit_near("deflection", y[0], 0.01 * 8 / 300, 1e-7 * 0.01 * 8 / 300);
    kit_near("slope", y[1], 0.01 * 4 / 200, 1e-7 * 0.01 * 4 / 200);
    kit_near("reaction moment", y[2], -0.02, 1e-10);
    kit_close(&k);
}

/* Gravity on the meshed beam: the wall carries its weight, 3 kg/m over 2 m, and the moment of the bent beam.
 */
static void test_weight(void **state)
{
    static const char *const out[] = {"wall.fx", "wall.fy", "wall.torque", "at.x"};
    double y[4], W = 3 * 2 * 9.81;
    kit k;
    (void)state;
    kit_text(&k, CANTILEVER("10", "") "gravity: [0, -9.81]\n");
    kit_static(&k, 4, out, y);
    print_message("  weight off by %.1e, moment %.6g\n", y[1] - W, y[2]);
    kit_near("reaction x", y[0], 0, 1e-9);
    kit_near("weight", y[1], W, 1e-9 * W);
    /* the moment is the weight times the arm of the bent beam: less than at rest, more than at the tip's x */
    kit_within("moment", y[2], 0.5 * W * y[3], 0.5 * W * 2);
    kit_close(&k);
}

/* A follower force at the tip that stays normal to it, F L^2/EI = 4: the mesh converges with 1/n^2 (the curve
   is a polygon of chords), the root carries minus the turned load, and a dead load of the same size bends
   otherwise. */
static void test_follower(void **state)
{
    static const char *const out[] = {"tip.x", "tip.y", "tip.theta", "wall.fx", "wall.fy"};
    static const char *const mesh[] = {
        CANTILEVER("8", "  load: {force2d: tip, force: [0, f], follower: yes}\n"),
        CANTILEVER("16", "  load: {force2d: tip, force: [0, f], follower: yes}\n"),
        CANTILEVER("32", "  load: {force2d: tip, force: [0, f], follower: yes}\n"),
        CANTILEVER("16", "  load: {force2d: tip, force: [0, f]}\n")};
    double y[4][5], F = 100;
    (void)state;
    for (int i = 0; i < 4; i++) {
        kit k;
        kit_text(&k, mesh[i]);
        kit_set(&k, "f", F);
        kit_update(&k);
        kit_static(&k, 5, out, y[i]);
        kit_close(&k);
    }
    double order = order_of(y[0][1] - y[1][1], y[1][1] - y[2][1]);
    print_message("  tip %.9g %.9g %.9g, order in the mesh %.3f\n", y[2][0], y[2][1], y[2][2], order);
    kit_within("order in the mesh", order, 1.9, 2.1);
    kit_near("reaction x", y[2][3], F * sin(y[2][2]), 1e-6 * F);
    kit_near("reaction y", y[2][4], -F * cos(y[2][2]), 1e-6 * F);
    /* moment balance of the shape itself: elastica with a normal follower force, EI th'' = -F cos(th_L - th)
     */
    assert_true(fabs(y[3][1] - y[1][1]) > 0.1);
}

/* Elastica under a normal follower force, integrated from the tip (moment 0, angle thL) by the midpoint rule
   in 2000 steps: error 1e-6. thL is found so that the angle at the root is 0. Inextensible, where EA = 1e6
   changes lengths by F/EA = 1e-4; 64 elements leave 1e-4 of the deflection: 6e-4 in all. */
static void elastica(double F, double EI, double L, double thL, double *s)
{
    int n = 2000;
    double h = L / n, th = thL, m = 0, x = 0, y = 0;
    for (int i = 0; i < n; i++) {
        /* along the beam from the tip: dth/ds = -m/EI, dm/ds = F cos(thL - th), midpoint rule */
        double thm = th - 0.5 * h * m / EI, mm = m + 0.5 * h * F * cos(thL - th);
        x += h * cos(thm), y += h * sin(thm);
        th -= h * mm / EI;
        m += h * F * cos(thL - thm);
    }
    s[0] = x, s[1] = y, s[2] = th;
}

static void test_follower_elastica(void **state)
{
    static const char *const out[] = {"tip.x", "tip.y", "tip.theta"};
    double y[3], s[3], lo = 0, hi = 3, F = 100;
    kit k;
    (void)state;
    for (int i = 0; i < 60; i++) {
        double mid = 0.5 * (lo + hi);
        elastica(F, 100, 2, mid, s);
        *(s[2] > 0 ? &hi : &lo) = mid;
    }
    kit_text(&k, CANTILEVER("64", "  load: {force2d: tip, force: [0, f], follower: yes}\n"));
    kit_set(&k, "f", F);
    kit_update(&k);
    kit_static(&k, 3, out, y);
    print_message("  tip %.6f %.6f %.6f, elastica %.6f %.6f %.6f\n", y[0], y[1], y[2], s[0] - 2, s[1], lo);
    kit_near("x", y[0], s[0] - 2, 6e-4);
    kit_near("y", y[1], s[1], 6e-4);
    kit_near("angle", y[2], lo, 6e-4);
    kit_close(&k);
}

/* Torque and a force at a point off the node: the same motion as a force and the equivalent torque, for a
   dead force only at the start; a follower's moment stays point x force, so that the spin is exactly linear
   in time. */
static void test_offset_force(void **state)
{
    static const char *const out[] = {"w.theta", "a.theta", "a.x"};
    static const double t[] = {2, 0, 0};
    double y[3];
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes: {b: [1, 1]}\n"
                 "elements:\n"
                 "  body: {mass2d: b, mass: 2, inertia: 0.5}\n"
                 "  jet: {force2d: b, force: [3, 1], point: [0.2, -0.4], follower: yes}\n"
                 "sensors: {w: {velocity: b}, a: {acceleration: b}}\n"
                 "run: {end: 2, step: 10 ms}\n");
    kit_points(&k, 3, out, t, y);
    double alpha = (0.2 * 1 + 0.4 * 3) / 0.5;
    kit_near("spin", y[0], 2 * alpha, 1e-8);
    kit_near("angular acceleration", y[1], alpha, 1e-12);
    kit_near("acceleration", y[2], 1.5, 1e-12);
    kit_close(&k);
}

/* x(1) and v(1) of a mass of 2 kg pushed along x by `force` (a slot's text, with `signals`), against the
   closed forms: second order, or exact where the error is rounding. */
static void pushed(const char *what, const char *force, const char *signals, double impulse, double moment,
                   double tol)
{
    char yaml[2000];
    static const char *const out[] = {"v.x", "x.x"};
    double y[2][2], exact[2] = {impulse / 2, moment / 2};
    snprintf(yaml, sizeof yaml,
             "sinew: 1\n"
             "nodes: {b: [0, 0]}\n"
             "elements: {body: {mass2d: b, mass: 2}, push: {force2d: b, force: [%s, 0]}}\n"
             "%s"
             "sensors: {x: {position: b}, v: {velocity: b}}\n"
             "run: {end: 1, step: 5 ms, scheme: newmark, tolerance: 1e-12}\n",
             force, signals);
    for (int i = 0; i < 2; i++) {
        kit k;
        kit_text(&k, yaml);
        k.o.step = 0.005 / (1 << i);
        kit_values(&k, 1, 2, out, y[i]);
        kit_close(&k);
    }
    for (int i = 0; i < 2; i++) {
        double x = richardson(y[0][i], y[1][i], 2);
        print_message("  %-10s %s %.3e, extrapolated %.1e\n", what, out[i], y[1][i] - exact[i], x - exact[i]);
        kit_near(what, x, exact[i], tol);
    }
}

/* The integrals of F and of (1 - t) F over 0..1. Average acceleration is the trapezoidal rule for v: error
   h^2/12 [F'], next term h^4/720 [F''']; after extrapolation below 1e-8 of the amplitude for these. */
static void test_signals(void **state)
{
    double w = 2 * pi * 1.3, p = 0.4, c = cos(p), s = sin(p);
    (void)state;
    /* sine: offset 1, amplitude 3 */
    double I = 1 + 3 / w * (c - cos(w + p)), J = 0.5 + 3 * (c / w - (sin(w + p) - s) / (w * w));
    pushed("sine", "u", "signals: {u: {sine: 3, frequency: 1.3, phase: 0.4, offset: 1}}\n", I, J, 1e-7);
    pushed("expression", "(1 + 3*sin(2*pi*1.3 Hz*t + 0.4))*1 N", "", I, J, 1e-7);
    pushed("signal", "f0*(1 + u)",
           "parameters: {f0: 1 N}\nsignals: {u: {expression: 3*sin(2*pi*1.3 Hz*t + 0.4)}}\n", I, J, 1e-7);
    /* fourier: 2 cos(v t) + 0.5 sin(2 v t) - 1 over one period v = 2 pi: impulse -1, moment -1/2 + 0.5/(4 pi)
     */
    pushed("fourier", "u", "signals: {u: {fourier: 1, cosine: [2], sine: [0, 0.5], offset: -1}}\n", -1,
           -0.5 + 0.5 / (4 * pi), 1e-7);
    /* 1 - 2 t + 3 t^2 */
    pushed("polynomial", "u", "signals: {u: {polynomial: [1, -2, 3]}}\n", 1, 0.5 - 2. / 6 + 3. / 12, 1e-9);
    /* step of height 4 between 0.2 and 0.6: mean at 0.4, then 4; int s = 1/2, int int s = 1/7 of the interval
     * squared */
    pushed("step", "u", "signals: {u: {step: 4, start: 0.2, end: 0.6}}\n", 4 * (0.2 + 0.4),
           4 * (0.4 * 0.4 / 7 + 0.4 * 0.2 + 0.08), 1e-7);
}

/* Straight lines between (0,0) (.25,2) (.5,1) (.75,-1) (1,3), corners at steps: impulse 0.25 (2 + 1 - 1 +
   3/2), and the moment by Simpson's rule, exact for (1 - t) times a line. The same from a CSV file. Their
   Newmark motions are exact in v (trapezoidal rule of a polygon) and of second order in x. */
static void test_tables(void **state)
{
    static const double u[] = {0, 2, 1, -1, 3};
    double I = 0, J = 0;
    char signals[1200];
    (void)state;
    for (int i = 0; i < 4; i++) {
        double t0 = 0.25 * i, a = u[i] * (1 - t0), b = u[i + 1] * (0.75 - t0),
               m = 0.5 * (u[i] + u[i + 1]) * (0.875 - t0);
        I += 0.125 * (u[i] + u[i + 1]);
        J += 0.25 / 6 * (a + 4 * m + b);
    }
    pushed("table", "u", "signals: {u: {table: [[0, 0], [0.25, 2], [0.5, 1], [0.75, -1], [1, 3]]}}\n", I, J,
           1e-9);
    snprintf(signals, sizeof signals,
             "signals: {u: {table: '%s/tests/verify/data/load.csv', columns: [time, push]}}\n",
             SN_SOURCE_DIR);
    pushed("csv", "u", signals, I, J, 1e-9);
    /* natural cubic spline through the same points: moments m1..m3 from [4 1 0; 1 4 1; 0 1 4] m = 6 d2u/h^2,
       h = 1/4; its integral is the polygon's less h^3/24 (m_i + m_{i+1}) an interval */
    double h = 0.25, d[3], m[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 3; i++) d[i] = 6 * (u[i] - 2 * u[i + 1] + u[i + 2]) / (h * h);
    m[2] = (4 * d[1] - d[0] - d[2]) / 14, m[1] = (d[0] - m[2]) / 4, m[3] = (d[2] - m[2]) / 4;
    for (int i = 0; i < 4; i++) {
        /* int (A^3 - A) A = -2/15, int (A^3 - A) B = -7/60: weights of (1 - t) at the ends of the interval */
        double r0 = 1 - h * i, r1 = r0 - h, c = h * h * h / 6;
        I -= h * h * h / 24 * (m[i] + m[i + 1]);
        J -= c * (m[i] * (2. / 15 * r0 + 7. / 60 * r1) + m[i + 1] * (7. / 60 * r0 + 2. / 15 * r1));
    }
    snprintf(signals, sizeof signals,
             "signals: {u: {table: '%s/tests/verify/data/load.csv', columns: [time, push], interpolation: "
             "cubic}}\n",
             SN_SOURCE_DIR);
    pushed("cubic csv", "u", signals, I, J, 1e-9);
    pushed("cubic table", "u",
           "signals: {u: {table: [[0, 0], [0.25, 2], [0.5, 1], [0.75, -1], [1, 3]], interpolation: cubic}}\n",
           I, J, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line_load),
        cmocka_unit_test(test_line_moment),
        cmocka_unit_test(test_weight),
        cmocka_unit_test(test_follower),
        cmocka_unit_test(test_follower_elastica),
        cmocka_unit_test(test_offset_force),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
