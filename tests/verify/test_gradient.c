/* Derivatives of runs and equilibria: forward, adjoint and extrapolated differences agree (gradient.h says
   how closely) with every scheme, from every kind of start, through reduced and controlled steps. */
#include "verify/gradient.h"

#define DATA "tests/verify/data/gradient/"

static void some(const char *file, const char *what, int n, const char *const *wrt, const char *scheme)
{
    grad *g = grad_file(file);
    static const sn_scheme_setting rho = {"rho", 0.3}, alpha = {"alpha", -0.2};
    if (scheme) {
        const sn_scheme_setting *own = !strcmp(scheme, "hht")       ? &alpha
                                       : !strcmp(scheme, "newmark") ? NULL
                                                                    : &rho;
        g->o.run.scheme = scheme, g->o.run.setting = own, g->o.run.n_setting = own != NULL;
    }
    /* multipliers of Newmark's scheme have an undamped mode of alternating sign, in which the rounding of all
       steps adds up: differences of reactions over a long run see little else */
    if (scheme && !strcmp(scheme, "newmark")) g->o.run.end *= 0.6;
    grad_wrt(g, n, wrt);
    grad_all_sensors(g);
    grad_agree(g, what);
    grad_close(g);
}

static void test_schemes(void **state)
{
    static const char *const schemes[] = {"newmark", "hht", "generalized_alpha"};
    static const char *const plane[] = {"r", "o.spin", "guide.mu", "wheel.radius", "mr.com.x", "gravity.y"};
    static const char *const space[] = {"a.spin.z", "shaft.axis2.y", "nut.pitch",
                                        "p.at.x",   "mn.mass",       "gravity.z"};
    static const char *const states[] = {"lag.tau", "z.at", "w4.y.2", "a.at.x", "mb.shape.size.x", "two"};
    char what[64];
    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(what, sizeof what, "linkage, %s", schemes[i]);
        some(DATA "linkage2d.yaml", what, 6, plane, schemes[i]);
        snprintf(what, sizeof what, "guides, %s", schemes[i]);
        some(DATA "guides3d.yaml", what, 6, space, schemes[i]);
        snprintf(what, sizeof what, "states, %s", schemes[i]);
        some(DATA "bodies2d.yaml", what, 6, states, schemes[i]);
    }
}

/* A run that begins at another time than 0, with everything given at its start. */
static void test_begin(void **state)
{
    static const char *const wrt[] = {"a.velocity.x", "a.spin",   "w1.frequency",
                                      "w2.cosine.2",  "w6.start", "z.at"};
    grad *g = grad_file(DATA "bodies2d.yaml");
    (void)state;
    g->o.run.begin = 0.2, g->o.run.end = 0.9;
    grad_wrt(g, 6, wrt);
    grad_all_sensors(g);
    grad_agree(g, "begin at 0.2 s");
    assert_true(g->used[0] && g->used[5]);
    grad_close(g);
}

/* Equilibria: forward and adjoint by all numbers, differences by some. */
static void test_statics(void **state)
{
    static const char *const file[] = {DATA "beams2d.yaml", DATA "beams3d.yaml"};
    static const char *const skip[] = {"joints.wall.z", "joints.wall.theta", "elements.six.kGA", NULL};
    static const char *const wrt[] = {
        "L",      "h",           "soft.E",    "soft.nu", "b.at.y", "snow.per_length.y",
        "c.at.x", "pipe.radius", "gravity.y", "eye.web"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        grad *g = grad_file(file[i]);
        g->o.statics = 1;
        if (i) kit_set(&g->k, "gravity.z", -0.4), kit_update(&g->k); /* else it nearly buckles */
        grad_all_numbers(g, skip);
        grad_all_sensors(g);
        double *f = grad_by(g, SN_GRADIENT_FORWARD, NULL), *a = grad_by(g, SN_GRADIENT_ADJOINT, NULL);
        grad_compare(g, file[i], f, a, NULL, GRAD_SAME);
        free(f), free(a);
        grad_wrt(g, 10, wrt);
        grad_agree(g, file[i] + strlen(DATA));
        grad_close(g);
    }
}

/* Three parallel cranks carry a table: one equation follows from the others and is left out. The start is
   inconsistent by `wrong`. Lengths of all cranks move together: redundant equations stay so. The run ends
   before the cranks lie in a line with the table (0.4 s), where reactions lose as many digits as the sine of
   their angle. */
static const char *const cranks = "sinew: 1\n"
                                  "gravity: [0, -9.81]\n"
                                  "parameters: {L: 0.5, a: 60 deg, wrong: 0.02, m: 3, w: 4}\n"
                                  "nodes:\n"
                                  "  c1: {frame2d: [L/2*cos(a), L/2*sin(a)], spin: w}\n"
                                  "  c2: {frame2d: [1 + L/2*cos(a), L/2*sin(a)], angle: wrong}\n"
                                  "  c3: {frame2d: [2 + L/2*cos(a), L/2*sin(a)]}\n"
                                  "  k: [1 + L*cos(a), L*sin(a)]\n"
                                  "elements:\n"
                                  "  m1: {mass2d: c1, mass: 1, inertia: 0.02}\n"
                                  "  m2: {mass2d: c2, mass: 1, inertia: 0.02}\n"
                                  "  m3: {mass2d: c3, mass: 1, inertia: 0.02}\n"
                                  "  mk: {mass2d: k, mass: m, inertia: 1, com: [0.3, 0.1]}\n"
                                  "joints:\n"
                                  "  g1: {revolute2d: [ground, c1], at: [0, 0]}\n"
                                  "  g2: {revolute2d: [ground, c2], at: [1, 0]}\n"
                                  "  t1: {revolute2d: [c1, k], at: [L*cos(a), L*sin(a)]}\n"
                                  "  t2: {revolute2d: [c2, k], at: [1 + L*cos(a), L*sin(a)]}\n"
                                  "  g3: {revolute2d: [ground, c3], at: [2, 0]}\n"
                                  "  t3: {revolute2d: [c3, k], at: [2 + L*cos(a), L*sin(a)]}\n"
                                  "sensors: {k: {position: k}, v: {velocity: c1}, a: {acceleration: k}, e: "
                                  "{energy: all}, f: {reaction: t1}}\n"
                                  "run: {end: 0.36, step: 15 ms}\n";

static void test_redundant(void **state)
{
    static const char *const wrt[] = {"L", "a", "wrong", "m", "w", "mk.com.x"};
    static const char *const f[] = {"f.fx"};
    grad *g = grad_text(cranks);
    (void)state;
    grad_wrt(g, 6, wrt);
    grad_all_sensors(g);
    grad_agree(g, "three cranks");
    assert_int_equal(g->info.run.redundant, 1);
    /* shared reactions are not differentiated, but the motion is */
    double value, d[6];
    const sn_gradient_result to = {&value, d, NULL, NULL};
    g->o.run.drop_redundant = SN_REDUNDANT_SHARE;
    grad_of(g, 1, f);
    for (g->o.method = SN_GRADIENT_FORWARD; g->o.method <= SN_GRADIENT_ADJOINT; g->o.method++) {
        sn_err_clear(&g->k.err);
        assert_int_equal(sn_gradient(g->k.m, g->k.p, &g->o, &to, NULL, &g->k.err), SN_ERR_INPUT);
        assert_string_equal(g->k.err.report[0].text,
                            "sensor 'f': reactions that are shared between redundant equations have no "
                            "derivative here (use redundant: drop)");
    }
    grad_close(g);
}

/* SUNDIALS' example idasSlCrank_FSA_dns, as in test_slider_crank.c: G, the integral of the kinetic energy,
   and its derivatives by k and c, given to seven and six digits. The trapezoidal rule and the motion are of
   second order: extrapolation from two steps leaves terms of fourth. */
static const char *const slider_crank =
    "sinew: 1\n"
    "parameters: {q: 90 deg, p: -30 deg, k: 1 N/m, c: 1 N*s/m}\n"
    "nodes: {crank: [0, 0], rod: [cos(p), 0], a: [0.25*cos(q), 0.25*sin(q)], b: [cos(p)/2, -sin(p)/2]}\n"
    "elements:\n"
    "  crank: {mass2d: crank, mass: 0, inertia: 1}\n"
    "  rod: {mass2d: rod, mass: 1, inertia: 2}\n"
    "  spring: {spring2d: [a, b], k: k, c: c, l0: 1}\n"
    "  push: {force2d: rod, force: [1, 0], point: [cos(p), sin(p)]}\n"
    "joints:\n"
    "  pivot: {fixed: crank, only: [x, y]}\n"
    "  slider: {fixed: rod, only: y}\n"
    "  pin: {revolute2d: [crank, rod], at: [0.5*cos(q), 0.5*sin(q)]}\n"
    "  a: {rigid_link: [crank, a]}\n"
    "  b: {rigid_link: [rod, b]}\n"
    "sensors: {energy: {energy: all}}\n"
    "run: {end: 10, step: 5 ms}\n";

static void test_slider_crank(void **state)
{
    static const char *const wrt[] = {"k", "c"}, *const of[] = {"integral(energy.kinetic)"};
    double y[2][3];
    (void)state;
    for (int i = 0; i < 2; i++) {
        grad *g = grad_text(slider_crank);
        g->o.run.step = i ? 5e-3 : 10e-3;
        grad_wrt(g, 2, wrt), grad_of(g, 1, of);
        double *f = grad_by(g, SN_GRADIENT_FORWARD, NULL), *a = grad_by(g, SN_GRADIENT_ADJOINT, NULL);
        print_message("  adjoint %.1e\n", grad_compare(g, "slider-crank", f, a, NULL, GRAD_SAME));
        y[i][0] = g->value[0], y[i][1] = f[0], y[i][2] = f[1];
        free(f), free(a);
        grad_close(g);
    }
    static const double reference[] = {3.3366068, .333448, -.363754}, digit[] = {1e-7, 1e-6, 1e-6};
    for (int i = 0; i < 3; i++) {
        double x = richardson(y[0][i], y[1][i], 2);
        print_message("  %.9f, off by %.1e\n", x, x - reference[i]);
        kit_near("slider-crank", x, reference[i], digit[i]);
    }
}

/* No freedom is left: each state follows from the equations, and the adjoint is the forward method. */
static void test_kinematic(void **state)
{
    static const char *const wrt[] = {"r", "w", "m", "d"};
    grad *g = grad_text(
        "sinew: 1\n"
        "gravity: [0, -9.81]\n"
        "parameters: {r: 0.3, w: 3 rad/s, m: 2, d: 1}\n"
        "nodes: {c: {frame2d: [0, 0]}, s: {frame2d: [d, 0]}, k: {frame2d: [d/2 + r/2, 0]}}\n"
        "elements: {mc: {mass2d: c, mass: 1, inertia: 1}, ms: {mass2d: s, mass: m, inertia: 1},\n"
        "  mk: {mass2d: k, mass: 1, inertia: 0.1}}\n"
        "joints:\n"
        "  o: {fixed: c, only: [x, y]}\n"
        "  motor: {drive: c.theta, value: w*t + 0.4 rad/s^2*t^2}\n"
        "  p: {revolute2d: [c, k], at: [r, 0]}\n"
        "  q: {revolute2d: [k, s], at: [d, 0]}\n"
        "  rail: {prismatic2d: [ground, s], axis: [1, 0.1]}\n"
        "sensors: {s: {position: s}, a: {acceleration: k}, f: {reaction: motor}, q: {reaction: q}}\n"
        "run: {end: 1, step: 50 ms}\n");
    (void)state;
    grad_wrt(g, 4, wrt);
    grad_all_sensors(g);
    grad_agree(g, "kinematic");
    assert_true(g->info.run.kinematic);
    grad_close(g);
}

/* A body falls on a stop, and stays there for some steps. Few iterations make the step there fail, and it is
   divided: the derivative is that of the divided steps. */
static const char *const falling =
    "sinew: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {k: 3e5, c: 10, h: 0.2, m: 1, w: 2}\n"
    "nodes: {b: {frame2d: [0, h], velocity: [0.3, 0], spin: w}}\n"
    "elements:\n"
    "  m: {mass2d: b, mass: m, inertia: 0.02, com: [0.1, 0.02]}\n"
    "  stop: {stop2d: [ground, b], axis: [0, 1], at: [0.1, h], lo: -h, k: k, c: c, onset: 0.5 mm, side: "
    "low}\n"
    "sensors: {b: {position: b}, v: {velocity: b}, f: {force: stop}, e: {energy: all}}\n"
    "run: {end: 0.5, step: 20 ms}\n";

static void test_reduction(void **state)
{
    static const char *const wrt[] = {"k", "c", "h", "m", "w", "gravity.y"};
    grad *g = grad_text(falling);
    (void)state;
    g->o.run.max_iterations = 3, g->o.run.tolerance = 1e-8;
    grad_wrt(g, 6, wrt);
    grad_all_sensors(g);
    grad_agree(g, "divided steps");
    print_message("  %ld reductions\n", g->info.run.reductions);
    g->o.method = SN_GRADIENT_FORWARD;
    free(grad_by(g, SN_GRADIENT_FORWARD, NULL));
    assert_true(g->info.run.reductions > 0);
    /* and made again in the same parts, bit by bit, where there is no memory for the run */
    g->o.run.end = 3;
    double *a = grad_by(g, SN_GRADIENT_ADJOINT, NULL);
    g->o.memory = 1;
    double *again = grad_by(g, SN_GRADIENT_ADJOINT, NULL);
    assert_true(g->info.repeated > 0 && g->info.run.reductions > 0);
    assert_memory_equal(a, again, sizeof *a * (size_t)(g->o.n_of * g->o.n_wrt));
    free(a), free(again);
    grad_close(g);
}

/* Steps by their error: the derivative of what was computed, with the steps that were chosen, also where some
   were rejected. */
static void test_step_control(void **state)
{
    static const char *const wrt[] = {"a.velocity.x", "a.spin", "k", "s1.c", "w2.cosine.2", "lag.tau"};
    static const char *const bounce[] = {"k", "c", "m", "w", "h"};
    grad *g = grad_file(DATA "bodies2d.yaml");
    (void)state;
    g->o.run.error = 1e-4;
    grad_wrt(g, 6, wrt);
    grad_all_sensors(g);
    grad_agree(g, "controlled steps");
    assert_true(g->info.run.longest > 1.5 * g->info.run.shortest);
    grad_close(g);
    g = grad_text(falling);
    g->o.run.error = 1e-4;
    grad_wrt(g, 5, bounce);
    grad_all_sensors(g);
    grad_agree(g, "controlled steps, stop");
    free(grad_by(g, SN_GRADIENT_ADJOINT, NULL));
    print_message("  %ld rejections, steps %.1e to %.1e\n", g->info.run.rejections, g->info.run.shortest,
                  g->info.run.longest);
    assert_true(g->info.run.rejections > 0);
    grad_close(g);
}

/* From the equilibrium, with velocities on top. */
static void test_start_static(void **state)
{
    static const char *const wrt[] = {"L", "h", "soft.E", "soft.rho", "c.velocity.y", "pipe.thickness"};
    grad *g = grad_file(DATA "beams2d.yaml");
    (void)state;
    g->o.run.start_static = 1;
    grad_wrt(g, 6, wrt);
    grad_all_sensors(g);
    grad_agree(g, "start: static");
    grad_close(g);
}

/* Coordinates without mass that a spring determines: such starts are differentiated by differences, to 1e-9
   of themselves: the methods still agree with each other, and with differences as everywhere. Also by m2,
   which cannot be negative and is 0. */
static void test_massless(void **state)
{
    static const char *const wrt[] = {"k1", "k2", "c", "x0", "v0", "m2"};
    grad *g = grad_text("sinew: 1\n"
                        "gravity: [0.4, -9.81]\n"
                        "parameters: {k1: 30, k2: 50, c: 2, x0: 0.05, v0: 0.4, m2: 0}\n"
                        "nodes: {a: {point2d: [0.5, 0]}, b: {point2d: [1, 0.1], displacement: [x0, 0.02], "
                        "velocity: [0, v0]}}\n"
                        "elements:\n"
                        "  m: {mass2d: b, mass: 1}\n"
                        "  s1: {spring2d: [ground, a], k: k1, l0: 0.4}\n"
                        "  s2: {spring2d: [a, b], k: k2, l0: 0.4}\n"
                        "  s3: {spring2d: [ground, b], k: 10, c: c}\n"
                        "  more: {mass2d: b, mass: m2}\n"
                        "sensors: {a: {position: a}, b: {position: b}, f: {force: s1}, v: {velocity: b}}\n"
                        "run: {end: 0.6, step: 10 ms}\n");
    (void)state;
    grad_wrt(g, 6, wrt);
    grad_all_sensors(g);
    grad_agree(g, "without mass");
    free(grad_by(g, SN_GRADIENT_FORWARD, NULL));
    assert_true(g->info.start_by_differences);
    grad_close(g);
}

/* Newton's factors are kept from step to step, and its tolerance is loose here. The derivative is that of the
   equations at the state reached, so each step must end with a correction by factors of its own: with them
   differences see the same function; plain runs, which stop at the tolerance, are another function, whose
   differences are off by much more. */
static void test_convergence(void **state)
{
    static const char *const wrt[] = {"k"}, *const of[] = {"pa.x"};
    grad *g = grad_file(DATA "bodies2d.yaml");
    double *known, y[2];
    (void)state;
    g->o.run.tolerance = 1e-3;
    grad_wrt(g, 1, wrt), grad_of(g, 1, of);
    double *f = grad_by(g, SN_GRADIENT_FORWARD, NULL), *d = grad_by(g, SN_GRADIENT_DIFFERENCES, &known);
    double x = g->x[0], step = 1e-4 * x;
    g->k.o.tolerance = 1e-3;
    for (int i = 0; i < 2; i++) {
        kit_set(&g->k, "k", x + (i ? step : -step));
        kit_update(&g->k);
        y[i] = kit_value(&g->k, "pa.x", g->k.o.end);
    }
    double plain = (y[1] - y[0]) / (2 * step);
    print_message("  %.12g, differences %.12g, of plain runs %.12g\n", f[0], d[0], plain);
    kit_near("differences", d[0], f[0], GRAD_CLOSE * fabs(f[0]));
    assert_true(fabs(plain - f[0]) > 100 * GRAD_CLOSE * fabs(f[0]));
    free(f), free(d), free(known);
    grad_close(g);
}

/* A block pulled by a spring over dry friction: it sticks, slips and sticks again within 1.4 s. Velocities of
   a thousandth of its speed decide, so that increments which are rounding for its positions are not for the
   friction: forward and adjoint agree as elsewhere only if the steps are solved beyond that. The result is a
   rough function of the numbers, with ripples of the length of a step (transitions move in time), and
   differences over larger steps do not know the exact derivative: they must say so. By v0, which moves no
   transition, they do know it. */
static void test_stick_slip(void **state)
{
    static const char *const text = "sinew: 1\n"
                                    "parameters: {k: 100, F: 5, vb: 0.1, v0: 0.001}\n"
                                    "nodes: {b: {frame2d: [0, 0]}, p: {frame2d: [1, 0], velocity: [vb, 0]}}\n"
                                    "elements:\n"
                                    "  block: {mass2d: b, mass: 1, inertia: 1}\n"
                                    "  hand: {mass2d: p, mass: 1, inertia: 1}\n"
                                    "  rail: {friction2d: [ground, b], force: F, v0: v0, ratio: 1.5}\n"
                                    "  s: {spring2d: [b, p], k: k, c: 0.2}\n"
                                    "joints:\n"
                                    "  guide: {fixed: b, only: [y, theta]}\n"
                                    "  hold: {fixed: p, only: [y, theta]}\n"
                                    "  move: {drive: p.x, value: 1 + vb*t}\n"
                                    "sensors: {x: {position: b}, f: {force: rail}}\n"
                                    "run: {end: 1.4 s, step: 0.5 ms}\n";
    static const char *const wrt[] = {"k", "F", "vb", "v0"}, *const of[] = {"x.x", "f.fx@1.234"};
    (void)state;
    grad *g = grad_text(text);
    grad_wrt(g, 4, wrt);
    grad_of(g, 2, of);
    double *error, *f = grad_by(g, SN_GRADIENT_FORWARD, NULL), *a = grad_by(g, SN_GRADIENT_ADJOINT, NULL);
    double *d = grad_by(g, SN_GRADIENT_DIFFERENCES, &error);
    grad_compare(g, "stick-slip", f, a, NULL, GRAD_SAME);
    for (int i = 0; i < 8; i++) {
        print_message("%s by %s: off by %.1e, said %.1e of %.3e\n", of[i / 4], wrt[i % 4], fabs(f[i] - d[i]),
                      error[i], f[i]);
        /* as many times the estimate as `sinew gradient --check` allows; and one that is worth something */
        assert_true(fabs(f[i] - d[i]) <= 10 * error[i]);
        assert_true(error[i] < (i % 4 == 3 ? 1e-6 : 1e-2) * fabs(f[i]));
    }
    free(f), free(a), free(d), free(error);
    grad_close(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schemes),      cmocka_unit_test(test_begin),
        cmocka_unit_test(test_statics),      cmocka_unit_test(test_redundant),
        cmocka_unit_test(test_slider_crank), cmocka_unit_test(test_kinematic),
        cmocka_unit_test(test_reduction),    cmocka_unit_test(test_step_control),
        cmocka_unit_test(test_start_static), cmocka_unit_test(test_massless),
        cmocka_unit_test(test_convergence),  cmocka_unit_test(test_stick_slip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
