/* Reduced flexible bodies against rigid bodies, beams of finite elements and each other. */
#include "verify/bodies.h"

static const char *const kinds[] = {"ffr", "fncf"};

static const char *text(const char *format, ...)
{
    static char out[6000];
    va_list list;
    va_start(list, format);
    assert_true(vsnprintf(out, sizeof out, format, list) < (int)sizeof out);
    va_end(list);
    return out;
}

/* A heavy top with an offset centre: a body without modes, and a mass3d of the same particles. Equal to
   rounding, which 200 steps of a motion without chaos raise by no more than their number. */
static void test_rigid(void **state)
{
    static const char *const ch[] = {"p.x", "p.y", "p.z", "w.x", "w.y", "w.z", "e.total"};
    double y[3][7], c[3], J[9];
    sn_reduced_body b = random_body(0, 3, NULL);
    (void)state;
    b.X = particles_zeros(6), b.phi = particles_zeros(1), b.theta = particles_zeros(1);
    bodies_add("top", b);
    for (int k = 0; k < 3; k++) c[k] = b.first[k] / b.mass;
    double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    for (int i = 0; i < 9; i++) J[i] = b.J0[i] - b.mass * ((i % 4 ? 0 : cc) - c[i / 3] * c[i % 3]);
    for (int kind = 0; kind < 3; kind++) {
        char body[400];
        if (kind < 2)
            snprintf(body, sizeof body, "{%s: [o], body: top, spin: [1, 2, 15]}", kinds[kind]);
        else
            snprintf(body, sizeof body,
                     "{mass3d: o, mass: %.17g, com: [%.17g, %.17g, %.17g], inertia: [%.17g, %.17g, %.17g], "
                     "products: [%.17g, %.17g, %.17g]}",
                     b.mass, c[0], c[1], c[2], J[0], J[4], J[8], J[1], J[2], J[5]);
        kit k;
        kit_text(
            &k,
            text("sinew: 1\ngravity: [0, 0, -9.81]\nnodes:\n  o: {frame3d: [0, 0, 0], spin: [1, 2, 15]}\n"
                 "elements:\n  top: %s\njoints:\n  tip: {fixed: o, only: [x, y, z]}\n"
                 "sensors:\n  p: {position: o, offset: [0, 0, 1]}\n  w: {gyroscope: o}\n  e: {energy: top}\n"
                 "run: {end: 0.4, step: 2e-3}\n",
                 body));
        kit_values(&k, 0.4, 7, ch, y[kind]);
        kit_close(&k);
    }
    for (int i = 0; i < 7; i++)
        for (int kind = 0; kind < 2; kind++) kit_near(ch[i], y[kind][i], y[2][i], 1e-9 * (1 + fabs(y[2][i])));
}

/* ---- beams ---- */

enum { PLANE, SPACE };

/* A beam of the given length and 2 x 3 cm; with n shapes of each sort, in the plane without those of z and
   torsion. */
static beam_spec strip(double L, int n, int space)
{
    const double b = 0.02, h = 0.03;
    return (beam_spec){.L = L,
                       .E = 7e9,
                       .G = 2.7e9,
                       .rho = 2700,
                       .A = b * h,
                       .I_y = h * b * b * b / 12,
                       .I_z = b * h * h * h / 12,
                       .J = 0.196 * b * b * b * h,
                       .y = n,
                       .z = space ? n : 0,
                       .axial = n - 1,
                       .torsion = space ? n - 1 : 0};
}

/* The same as numbers of a beam3d_cr. */
static const char *numbers(const beam_spec *s)
{
    static char out[400];
    snprintf(out, sizeof out,
             "EA: %.17g, EI_y: %.17g, EI_z: %.17g, GJ: %.17g, rhoA: %.17g, rhoI_y: %.17g, rhoI_z: %.17g, "
             "orientation: [0, 1, 0]",
             s->E * s->A, s->E * s->I_y, s->E * s->I_z, s->G * s->J, s->rho * s->A, s->rho * s->I_y,
             s->rho * s->I_z);
    return out;
}

/* ---- flight ---- */

static const char flight[] =
    "sinew: 1\nelements:\n  body: {%s: [], body: any, velocity: [1, -2, 0.5], spin: [2, -1, 3]%s}\n"
    "sensors:\n  p: {momentum: body}\n  e: {energy: body}\n  x: {position: body.frame}\n"
    "  z: {position: body.modes}\nrun: {end: 1, step: %g}\n";

/* Momenta and energy are kept in free flight, but for the error of second order of the scheme: a half of the
   step leaves a quarter of it (3.5 to 4.5). */
static void test_flight(void **state)
{
    static const char *const ch[] = {"p.px", "p.py", "p.pz", "p.Lx", "p.Ly", "p.Lz", "e.total"};
    static const char *twice[14];
    double at[14];
    (void)state;
    for (int l = 0; l < 14; l++) twice[l] = ch[l % 7], at[l] = l / 7;
    bodies_add("any", random_body(5, 11, NULL));
    for (int kind = 0; kind < 2; kind++) {
        double y[2][2][7], lost[2] = {0};
        for (int i = 0; i < 2; i++) {
            kit k;
            kit_text(&k, text(flight, kinds[kind], "", 2e-3 / (1 + i)));
            kit_points(&k, 14, twice, at, &y[i][0][0]);
            for (int l = 0; l < 7; l++) {
                double d = fabs(y[i][1][l] - y[i][0][l]);
                lost[i] = fmax(lost[i], d);
                if (d > 1e-3) fail_msg("%s: %s changes by %g", kinds[kind], ch[l], d);
            }
            kit_close(&k);
        }
        kit_within("order of what is lost", lost[0] / lost[1], 3.5, 4.5);
    }
}

/* Both formulations are the same equations: to rounding, raised by the growth over 500 steps. */
static void test_same(void **state)
{
    static const char *const ch[] = {"x.x", "x.y", "x.z", "z.z1", "z.z2", "z.z3", "z.z4", "z.z5"};
    double y[2][8];
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        kit k;
        kit_text(&k, text(flight, kinds[kind],
                          ", rotation: [0.3, -0.8, 0.4], at: [1, 2, 3], damping: 0.02, density: 1.3", 2e-3));
        kit_values(&k, 1, 8, ch, y[kind]);
        kit_close(&k);
    }
    for (int i = 0; i < 8; i++) kit_near(ch[i], y[1][i], y[0][i], 1e-10 * (1 + fabs(y[0][i])));
}

/* ---- against beams ---- */

/* A beam from the origin along x, as n bodies or elements, held at node n0. */
static const char *chain(const char *kind, int n, const beam_spec *whole, const char *element,
                         const char *joint, const char *more)
{
    static char out[30000];
    int at = snprintf(out, sizeof out, "sinew: 1\nnodes:\n");
    for (int i = 0; i <= n; i++)
        at += snprintf(out + at, sizeof out - (size_t)at, "  n%d: {frame3d: [%.17g, 0, 0]}\n", i,
                       whole->L * i / n);
    at += snprintf(out + at, sizeof out - (size_t)at, "elements:\n");
    for (int i = 0; i < n; i++) {
        if (kind)
            at += snprintf(out + at, sizeof out - (size_t)at,
                           "  b%d: {%s: [n%d, n%d], body: part%d, at: [%.17g, 0, 0]}\n", i, kind, i, i + 1, n,
                           whole->L * i / n);
        else
            at += snprintf(out + at, sizeof out - (size_t)at, "  b%d: {beam3d_cr: [n%d, n%d], %s}\n", i, i,
                           i + 1, numbers(whole));
    }
    at += snprintf(out + at, sizeof out - (size_t)at, element, n);
    snprintf(out + at, sizeof out - (size_t)at, "joints:\n  hold: %s\nsensors:\n  tip: {position: n%d}\n%s",
             joint, n, more);
    return out;
}

static void add_part(int n, int shapes, int space)
{
    char name[16];
    beam_spec s = strip(1.0 / n, shapes, space);
    snprintf(name, sizeof name, "part%d", n);
    for (int i = 0; i < n_bodies; i++)
        if (!strcmp(bodies[i].name, name)) return;
    bodies_add(name, beam_body(&s));
}

/* A motion of one body, of 12 beams and of beams that are nearly rigid: how much of what the flexibility does
   is missed by the body, and that both formulations agree. */
static double missed(const char *element, const char *joint, const char *more, double t)
{
    static const char *const ch[] = {"tip.x", "tip.y", "tip.z"};
    beam_spec s = strip(1, 4, SPACE);
    double y[4][3], off = 0, bent = 0;
    for (int i = 0; i < 4; i++) {
        kit k;
        if (i == 3) s.E *= 1e4, s.G *= 1e4;
        kit_text(&k, chain(i < 2 ? kinds[i] : NULL, i < 2 ? 1 : i == 2 ? 12 : 4, &s, element, joint, more));
        kit_values(&k, t, 3, ch, y[i]);
        kit_close(&k);
    }
    for (int l = 0; l < 3; l++) {
        print_message("%s: body %.9g, beams %.9g, rigid %.9g\n", ch[l], y[0][l], y[2][l], y[3][l]);
        kit_near(ch[l], y[1][l], y[0][l], 1e-9);
        off = hypot(off, y[0][l] - y[2][l]), bent = hypot(bent, y[3][l] - y[2][l]);
    }
    return off / bent;
}

/* A soft pendulum falls from the horizontal. One body in the axes of its end misses a share of the order of
   the slopes, 1 %, and of (w/w1)^2, the stiffening by the pull; beams of a twelfth less than a thousandth. */
static void test_pendulum(void **state)
{
    (void)state;
    add_part(1, 4, SPACE);
    kit_within("share of the bending that is missed",
               missed("", "{revolute: [ground, n0], axis: [0, 0, 1]}",
                      "gravity: [0, -9.81, 0]\nrun: {end: 0.1, step: 2e-4}\n", 0.1),
               0, 0.02);
}

/* Turned by a torque about a tilted axis through its end that rises smoothly, at the moment of the largest.
 */
static void test_spin_up(void **state)
{
    (void)state;
    add_part(1, 4, SPACE);
    kit_within("share of the bending that is missed",
               missed("  turn: {force3d: n0, torque: [0 N*m, sin(pi*t/(0.8 s))^2/2*1 N*m, sin(pi*t/(0.8 "
                      "s))^2*1 N*m]}\n",
                      "{fixed: n0, only: [x, y, z]}", "run: {end: 0.4, step: 1e-3}\n", 0.4),
               0, 0.02);
}

/* A cantilever bent by a third of its length: of n bodies the error falls as 1/n^2, to that of beams that are
   fine enough to count as exact. */
static void test_substructures(void **state)
{
    static const char *const ch[] = {"tip.x", "tip.y"};
    beam_spec s = strip(1, 3, SPACE);
    double y[5][2], off[4];
    (void)state;
    for (int i = 0; i < 5; i++) {
        int n = i < 4 ? 1 << i : 64;
        kit k;
        if (i < 4) add_part(n, n == 1 ? 4 : 3, SPACE);
        kit_text(&k, chain(i < 4 ? "ffr" : NULL, n, &s, "  f: {force3d: n%d, force: [0, -350, 0]}\n",
                           "{fixed: n0}", ""));
        kit_static(&k, 2, ch, y[i]);
        kit_close(&k);
        print_message("%d: %.9g %.9g\n", n, y[i][0], y[i][1]);
    }
    for (int i = 0; i < 4; i++) off[i] = hypot(y[i][0] - y[4][0], y[i][1] - y[4][1]);
    print_message("errors %g %g %g %g\n", off[0], off[1], off[2], off[3]);
    kit_within("order, 2 to 4 bodies", off[1] / off[2], 3, 5);
    kit_within("order, 4 to 8 bodies", off[2] / off[3], 3.4, 4.6);
}

/* ---- slider-cranks ---- */

/* Crank .15 m at 150 rad/s, rod .3 m, slider; sensors of a body's frame and modes where the rod is one. */
static const char *crank(const char *rod, const char *sensors, double mass, double end, double step)
{
    return text("sinew: 1\nnodes:\n  crank: {frame3d: [0, 0, 0], spin: [0, 0, 150]}\n"
                "  A: {frame3d: [0.15, 0, 0], velocity: [0, 22.5, 0], spin: [0, 0, -75]}\n"
                "  B: {frame3d: [0.45, 0, 0], spin: [0, 0, -75]}\nelements:\n  rod: %s\n"
                "  slider: {mass3d: B, mass: %.17g}\njoints:\n"
                "  bearing: {fixed: crank, only: [x, y, z, rx, ry]}\n"
                "  motor: {rotation_drive: [ground, crank], axis: [0, 0, 1], angle: 150*t}\n"
                "  pin: {revolute: [crank, A], axis: [0, 0, 1]}\n  guide: {fixed: B, only: [y]}\n"
                "sensors:\n  slider: {position: B}\n%srun: {end: %.17g, step: %.17g}\n",
                rod, mass, sensors, end, step);
}

/* 6 mm square steel: the place of the slider at 0.1 s is 0.16975 with beams, 0.16974 with modes (their
   difference is the geometric stiffness that a single body has not). */
static void test_slider_crank(void **state)
{
    const double b = 0.006, rho = 7870, m = 0.3 * b * b * rho;
    beam_spec s = {.L = 0.3,
                   .E = 2e11,
                   .G = 2e11 / 2.6,
                   .rho = rho,
                   .A = b * b,
                   .I_y = b * b * b * b / 12,
                   .I_z = b * b * b * b / 12,
                   .J = 0.1406 * b * b * b * b,
                   .y = 4,
                   .axial = 3};
    (void)state;
    bodies_add("rod", beam_body(&s));
    double x[3];
    for (int i = 0; i < 3; i++) {
        char rod[500];
        if (i < 2)
            snprintf(rod, sizeof rod,
                     "{%s: [A, B], body: rod, at: [0.15, 0, 0], velocity: [0, 22.5, 0], spin: [0, 0, -75]}",
                     kinds[i]);
        else
            snprintf(rod, sizeof rod, "{beam3d_cr: [A, B], %s, elements: 8}", numbers(&s));
        kit k;
        kit_text(&k, crank(rod, "", m / 2, 0.1, 1e-4));
        x[i] = kit_value(&k, "slider.x", 0.1);
        kit_close(&k);
    }
    kit_near("slider.x at 0.1 s", x[0], 0.16974, 1e-5);
    kit_near("slider.x of both", x[1], x[0], 1e-9);
    kit_near("slider.x of beams", x[2], x[0], 2e-5);
}

/* ---- derivatives ---- */

/* By factors, damping, places and axes, the nodes going along: forward = adjoint = differences. */
static void test_gradient(void **state)
{
    static const char *const wrt[] = {"rod.stiffness", "rod.density", "rod.damping.1", "x0",
                                      "turn",          "tilt",        "gravity.y",     "speed"};
    (void)state;
    beam_spec s = strip(0.5, 2, SPACE);
    bodies_add("short", beam_body(&s));
    for (int i = 0; i < 4; i++) {
        grad *g = grad_text(
            text("sinew: 1\ngravity: [0.3, -9.81, 2]\nparameters: {x0: 0.2, turn: 0.4, tilt: 0.3, speed: 2}\n"
                 "nodes:\n  a: {frame3d: [x0, 0.1, 0]}\n"
                 "  b: {frame3d: [x0 + 0.5*cos(turn), 0.1 + 0.5*sin(turn), 0]}\n"
                 "elements:\n  rod: {%s: [a, b], body: short, at: [x0, 0.1, 0], rotation: [0, 0, turn], "
                 "x_axis: [1, 0, 0], "
                 "y_axis: [0, cos(tilt), sin(tilt)], stiffness: 1e-2, density: 1.2, damping: 0.03, spin: [0, "
                 "0, speed]}\n"
                 "  end: {mass3d: b, mass: 0.1, inertia: [1e-4, 1e-4, 1e-4]}\n"
                 "joints:\n  ball: {fixed: a, only: [x, y, z, rx]}\n"
                 "sensors:\n  tip: {position: b}\n  hold: {reaction: ball}\n  v: {velocity: rod.frame}\n  z: "
                 "{position: rod.modes}\n"
                 "  e: {energy: rod}\n  p: {momentum: rod}\nrun: {end: 0.1, step: 2e-3%s}\n",
                 kinds[i % 2], i < 2 ? "" : ", start: static"));
        grad_wrt(g, 8, wrt);
        grad_all_sensors(g);
        grad_agree(g, i < 2 ? "run" : "from the equilibrium");
        grad_close(g);
    }
}

/* ---- what is wrong ---- */

static void refused(const char *yaml, const char *why)
{
    kit k = {.m = NULL};
    sn_err_clear(&k.err);
    sn_status s = sn_model_read_text("model", yaml, strlen(yaml), &k.m, &k.err);
    if (!s) s = sn_values_new(k.m, &k.p, &k.err);
    if (s != SN_ERR_INPUT || !strstr(k.err.report[0].text, why))
        fail_msg("'%s', not '%s'", s ? k.err.report[0].text : "accepted", why);
    sn_values_free(k.p), sn_model_free(k.m);
}

static void test_errors(void **state)
{
    const char *head = "sinew: 1\nnodes: {a: {frame3d: [0, 0, 0]}, b: {frame3d: [1, 0, 0]}, c: {frame3d: "
                       "[1.1, 0, 0]}}\nelements:\n";
    (void)state;
    add_part(1, 4, SPACE);
    refused(text("%s  rod: {ffr: [a, c], body: part1}\n", head),
            "the node is 0.1 m away from the body's point 'right', which is at [1, 0, 0]");
    refused(text("%s  rod: {ffr: [a, b], body: part1, points: [left, rigth]}\n", head),
            "did you mean 'right'?");
    refused(text("%s  rod: {ffr: [a, b], body: part1, damping: [0.1, 0.2]}\n", head),
            "'damping' has 2 numbers, but the body 14 modes");
    refused(text("%s  rod: {ffr: [a, b], body: part1, y_axis: [2, 0, 0]}\n", head), "must have directions");
    refused(text("%s  rod: {ffr: [a, b], body: part1}\nsensors: {s: {recovered: rod, at: x}}\n", head),
            "has no places");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigid),        cmocka_unit_test(test_flight),
        cmocka_unit_test(test_same),         cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_spin_up),      cmocka_unit_test(test_substructures),
        cmocka_unit_test(test_slider_crank), cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, bodies_begin, bodies_end);
}
