/* The scheme energy_momentum: energy and momenta stay, whatever the step; its order; what it refuses. */
#include "verify/gradient.h"

static sn_conserved conserved(kit *k)
{
    k->o.conserved = 1;
    kit_run(k);
    return k->info.conserved;
}

/* A free beam is bent, sheared, twisted and stretched by its start velocities: that of Simo and Vu-Quoc
   (1986) without its load. Five seconds of it are some 30 steps for each turn, far too few for
   generalized-alpha to keep the energy. What is left of Newton is 1e-12 (tolerance 1e-10) of increments of
   some m, rounding less; in 450 steps 1e-10 of each. */
static const char spaghetti[] =
    "sinew: 1\n"
    "nodes: {A: {at: [6, 0, 0], velocity: [8, -3, 5], spin: [0.5, 1, -2]}, "
    "B: {at: [0, 8, 0], velocity: [-3, 1, 0]}}\n"
    "elements:\n"
    "  beam: {beam3d_cr: [A, B], EA: 1e4, kGA_y: 1e4, kGA_z: 1e4, GJ: 500, "
    "EI_y: 500, EI_z: 500, rhoA: 1, rhoI_y: 10, rhoI_z: 10, rhoJ: 20, elements: 8, "
    "mass: %s}\n"
    "sensors: {A: {position: A}, e: {energy: all}}\n"
    "run: {end: 45, step: 0.1, scheme: energy_momentum, tolerance: 1e-10}\n";

static void free_beam(void **state)
{
    (void)state;
    for (int lumped = 0; lumped < 2; lumped++) {
        char text[1000];
        kit k;
        snprintf(text, sizeof text, spaghetti, lumped ? "lumped" : "linear");
        kit_text(&k, text);
        if (lumped) k.o.end = 10;
        sn_conserved c = conserved(&k);
        assert_true(c.energy && c.linear == 7 && c.angular == 7);
        kit_near("energy", c.energy_drift / c.kinetic, 0, 1e-10);
        kit_near("linear momentum", c.linear_drift / c.linear_most, 0, 1e-10);
        kit_near("angular momentum", c.angular_drift / c.angular_most, 0, 1e-10);
        kit_within("kinetic energy", c.kinetic, 50, 1e4);
        assert_int_equal(k.info.reductions, 0);
        kit_close(&k);
    }
}

/* Three bodies in space, a hinge, a ball joint and a spring: nothing is lost in 40 steps with 20 of them a
 * turn. */
static const char bodies[] =
    "sinew: 1\n"
    "gravity: %s\n"
    "nodes: {A: {at: [0, 0, 0], velocity: [0, 1, 2], spin: [1, 2, 7]}, B: {at: [1, 0, 0]}, C: {at: [1.2, 1, "
    "0.1]}}\n"
    "elements:\n"
    "  a: {mass3d: A, mass: 1, inertia: [0.1, 0.2, 0.25]}\n"
    "  b: {mass3d: B, mass: 2, inertia: [0.1, 0.2, 0.25], products: [0.01, 0, 0.02]}\n"
    "  c: {mass3d: C, mass: 1.5, inertia: [0.1, 0.2, 0.25]}\n"
    "  s: {spring3d: [A, C], k: 100, c: %s}\n"
    "joints: {r: {revolute: [A, B], axis: [0, 0.3, 1]}, p: {spherical: [B, C], at: [1.1, 0.5, 0]}}\n"
    "sensors: {p: {position: C}}\n"
    "run: {end: 2, step: 0.05, scheme: energy_momentum, tolerance: 1e-10}\n";

static void bodies_in_space(void **state)
{
    (void)state;
    for (int falls = 0; falls < 2; falls++) {
        char text[1200];
        kit k;
        snprintf(text, sizeof text, bodies, falls ? "[0, 0, -9.81]" : "[0, 0, 0]", "0");
        kit_text(&k, text);
        sn_conserved c = conserved(&k);
        assert_true(c.energy && c.linear == (falls ? 3 : 7) && c.angular == (falls ? 4 : 7));
        kit_near("energy", c.energy_drift, 0, 1e-11 * c.kinetic);
        kit_near("linear momentum", c.linear_drift, 0, 1e-11 * c.linear_most);
        kit_near("angular momentum", c.angular_drift, 0, 1e-11 * c.angular_most);
        kit_close(&k);
    }
}

/* Both schemes are of second order: their limits are the same, to the h^4 terms that extrapolation leaves,
   and the differences fall by 4. With a damper, too. */
static void order(void **state)
{
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        double y[4][3];
        for (int i = 0; i < 4; i++) {
            char text[1200];
            kit k;
            snprintf(text, sizeof text, bodies, "[0, 0, -9.81]", damped ? "20" : "0");
            kit_text(&k, text);
            k.o.step = i == 3 ? 1e-3 : 1e-2 / (1 << i);
            if (i == 3) k.o.scheme = "generalized_alpha";
            kit_values(&k, 0.5, 3, (const char *const[]){"p.x", "p.y", "p.z"}, y[i]);
            kit_close(&k);
        }
        double a = 0, b = 0, limit = 0;
        for (int j = 0; j < 3; j++) {
            a = hypot(a, y[0][j] - y[1][j]), b = hypot(b, y[1][j] - y[2][j]);
            limit = hypot(limit, richardson(y[1][j], y[2][j], 2) - y[3][j]);
        }
        kit_within("order", order_of(a, b), 1.9, 2.1);
        /* generalized-alpha's own error at 1 ms: of the size of this scheme's at 2.5 ms over 6 */
        kit_near("limit", limit, 0, 0.3 * b);
    }
}

/* In the plane: pendulums on the ground, springs between bodies, to the ground and about a hinge. */
static void plane(void **state)
{
    (void)state;
    static const char text[] = "sinew: 1\n"
                               "gravity: [0, -9.81]\n"
                               "nodes: {A: {frame2d: [1, 0]}, B: {at: [2, 0.5], spin: 4}, C: [2, 1.5]}\n"
                               "elements:\n"
                               "  a: {mass2d: A, mass: 1, inertia: 0.1}\n"
                               "  b: {mass2d: B, mass: 2, inertia: 0.3}\n"
                               "  c: {mass2d: C, mass: 0.5}\n"
                               "  s: {spring2d: [A, C], k: 300}\n"
                               "  t: {spring2d: [ground, B], k: 30}\n"
                               "  u: {spring2d: [A, B], kt: 5}\n"
                               "joints:\n"
                               "  pin: {revolute2d: [ground, A], at: [0, 0]}\n"
                               "  hinge: {revolute2d: [A, B], at: [1.5, 0.2]}\n"
                               "  rod: {distance: [B, C]}\n"
                               "run: {end: 3, step: 0.02, scheme: energy_momentum, tolerance: 1e-10}\n";
    kit k;
    kit_text(&k, text);
    sn_conserved c = conserved(&k);
    assert_true(c.energy && !c.linear && !c.angular);
    kit_near("energy", c.energy_drift, 0, 1e-10 * c.kinetic);
    kit_close(&k);
}

/* A body driven along x = t^2/2 on a plane: its velocity is that of the drive half-way, its energy that of a
   mass with v = t, to second order. */
static void drive(void **state)
{
    (void)state;
    static const char text[] = "sinew: 1\n"
                               "nodes: {A: {frame2d: [0, 0], spin: 2}}\n"
                               "elements: {a: {mass2d: A, mass: 3, inertia: 0.1}}\n"
                               "joints: {d: {drive: A.x, value: 0.5*t^2}}\n"
                               "sensors: {A: {position: A}, e: {energy: all}, f: {reaction: d}}\n"
                               "run: {end: 2, step: 0.01, scheme: energy_momentum}\n";
    kit k;
    double y[3];
    kit_text(&k, text);
    kit_values(&k, 2, 3, (const char *const[]){"A.x", "e.kinetic", "f.fx"}, y);
    kit_near("x", y[0], 2, 1e-9);
    kit_near("energy", y[1], 0.5 * 3 * 4 + 0.5 * 0.1 * 4, 1e-6);
    kit_near("force", y[2], 3, 1e-6);
    kit_close(&k);
}

/* The decaying variant keeps momenta; of the convex energies of a beam that is bent little in a step each
   step loses; without dissipation it is the scheme itself, bit for bit. */
static void decaying(void **state)
{
    (void)state;
    enum { STEPS = 20 };
    static const char *const of[] = {"e.total"};
    double last = INFINITY, y[2];
    for (int i = 0; i < 2; i++) {
        char text[1000];
        kit k;
        snprintf(text, sizeof text, spaghetti, "linear");
        kit_text(&k, text);
        k.o.scheme = i ? "energy_momentum" : "energy_decaying";
        if (!i) kit_set(&k, "run.dissipation", 0);
        kit_values(&k, 1, 1, (const char *const[]){"A.x"}, &y[i]);
        kit_close(&k);
    }
    assert_true(memcmp(&y[0], &y[1], sizeof y[0]) == 0);
    for (int i = 1; i <= STEPS; i++) {
        char text[1000];
        kit k;
        double e;
        snprintf(text, sizeof text, spaghetti, "linear");
        kit_text(&k, text);
        k.o.scheme = "energy_decaying";
        kit_values(&k, 0.1 * i, 1, of, &e);
        assert_true(e < last);
        last = e;
        if (i == STEPS) {
            sn_conserved c = conserved(&k);
            kit_near("linear momentum", c.linear_drift / c.linear_most, 0, 1e-10);
            kit_near("angular momentum", c.angular_drift / c.angular_most, 0, 1e-10);
            assert_true(c.energy_drift > 0.01 * c.kinetic);
        }
        kit_close(&k);
    }
}

/* A mass on a spring: the share is lost that theory says, beta/2 k d^2 a step. q1 - q0 = d = h (v0 + v1)/2,
   m (v1 - v0)/h = -k (q0 (1 - beta)/2 + q1 (1 + beta)/2). */
static void spring_decays(void **state)
{
    (void)state;
    static const char text[] =
        "sinew: 1\n"
        "nodes: {A: {point2d: [1, 0], velocity: [0.4, 0]}, O: {point2d: [0, 0]}}\n"
        "elements: {a: {mass2d: A, mass: 2}, s: {spring2d: [ground, A], k: 8, l0: 0}}\n"
        "joints: {o: {fixed: O}, y: {fixed: A, only: [y]}}\n"
        "sensors: {A: {position: A}, v: {velocity: A}}\n"
        "run: {end: 1, step: 0.1, scheme: energy_decaying, dissipation: 0.3}\n";
    kit k;
    double y[2], q = 1, v = 0.4, m = 2, stiff = 8, h = 0.1, beta = 0.3;
    kit_text(&k, text);
    kit_values(&k, 1, 2, (const char *const[]){"A.x", "v.x"}, y);
    for (int i = 0; i < 10; i++) {
        /* with q1 = q + h v + h^2 a/2, v1 = v + h a */
        double a = -stiff * (q + 0.5 * (1 + beta) * h * v) / (m + 0.25 * stiff * (1 + beta) * h * h);
        q += h * v + 0.5 * h * h * a, v += h * a;
    }
    kit_near("position", y[0], q, 1e-9);
    kit_near("velocity", y[1], v, 1e-8);
    kit_close(&k);
}

/* Forward = adjoint = differences, by all numbers: bodies with joints, springs, dampers, a load that varies,
   a drive; beams. */
static void derivatives(void **state)
{
    (void)state;
    static const char space[] =
        "sinew: 1\n"
        "gravity: [0.5, 0, -9.81]\n"
        "nodes: {A: {at: [0, 0, 0], velocity: [0, 1, 2], spin: [1, 2, 7]}, B: {at: [1, 0, 0]}, C: {at: [1.2, "
        "1, 0.1]}}\n"
        "elements:\n"
        "  a: {mass3d: A, mass: 1, inertia: [0.1, 0.2, 0.25]}\n"
        "  b: {mass3d: B, mass: 2, inertia: [0.1, 0.2, 0.25], products: [0.01, 0, 0.02]}\n"
        "  c: {mass3d: C, mass: 1.5, inertia: [0.1, 0.2, 0.25]}\n"
        "  s: {spring3d: [A, C], k: 100, c: 2, point1: [0.1, 0.05, 0.02], point2: [0.03, 0.1, 0.2]}\n"
        "  f: {force3d: B, force: [sin(3*t), 0.2, 1]}\n"
        "joints: {r: {revolute: [A, B], axis: [0, 0.3, 1], at: [0.9, 0.1, 0.1]}, p: {spherical: [B, C], at: "
        "[1.1, 0.5, 0]}}\n"
        "sensors: {p: {position: C}, v: {velocity: A}, a: {acceleration: B}, r: {reaction: r}}\n"
        "run: {end: 0.2, step: 0.02, scheme: energy_momentum}\n";
    static const char flat[] =
        "sinew: 1\n"
        "gravity: [0.3, -9.81]\n"
        "nodes: {A: {frame2d: [1, 0], spin: 3}, B: {at: [2, 0.5], spin: 4}, C: [2, 1.5]}\n"
        "elements:\n"
        "  a: {mass2d: A, mass: 1, inertia: 0.1}\n"
        "  b: {mass2d: B, mass: 2, inertia: 0.3}\n"
        "  c: {mass2d: C, mass: 0.5}\n"
        "  s: {spring2d: [A, B], k: 300, kt: 5, ct: 0.1, point1: [0.1, 0.2], point2: [0, 0.1]}\n"
        "joints:\n"
        "  pin: {drive: A.theta, value: 2*t + 0.3*sin(4*t)}\n"
        "  hinge: {revolute2d: [A, B], at: [1.5, 0.2]}\n"
        "  rod: {distance: [B, C]}\n"
        "sensors: {p: {position: C}, r: {reaction: hinge}, e: {energy: all}}\n"
        "run: {end: 0.5, step: 0.02, scheme: energy_momentum}\n";
    static const char *const skip[] = {"elements.a.products",  "elements.c.products",
                                       "elements.a.com",       "elements.b.com",
                                       "elements.c.com",       "elements.f.point",
                                       "joints.r.ct",          "joints.r.mu",
                                       "joints.r.radius",      "joints.hinge.ct",
                                       "joints.hinge.mu",      "joints.hinge.radius",
                                       "elements.beam.offset", NULL};
    char beam[1000];
    snprintf(beam, sizeof beam, spaghetti, "linear");
    strstr(beam, "elements: 8")[10] = '2';
    const char *const text[] = {space, flat, beam, space};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        grad *g = grad_text(text[i]);
        if (i % 3 == 2) g->o.run.end = 0.2, g->o.run.step = 0.05;
        if (i > 2) g->o.run.scheme = "energy_decaying";
        grad_all_numbers(g, skip);
        grad_all_sensors(g);
        grad_agree(g, i % 3 == 0 ? "space" : i % 3 == 1 ? "plane" : "beam");
        grad_close(g);
    }
}

/* A spring without arms touches no rotations; with one it would. */
static void no_derivative(void **state)
{
    (void)state;
    grad *g = grad_text(
        "sinew: 1\n"
        "nodes: {A: {frame3d: [0, 0, 0]}, B: {frame3d: [1, 0, 0], spin: [1, 2, 3], velocity: [1, 0, 0]}}\n"
        "elements: {a: {mass3d: A, mass: 1, inertia: [1, 1, 1]}, b: {mass3d: B, mass: 1, inertia: [1, 1, "
        "1]}, "
        "s: {spring3d: [A, B], k: 3}}\n"
        "sensors: {p: {position: A}}\n"
        "run: {end: 0.2, step: 0.1, scheme: energy_momentum}\n");
    static const char *const wrt[] = {"s.point1.y"}, *const of[] = {"p.x@0.2"};
    double value[1], d[1];
    grad_wrt(g, 1, wrt);
    grad_of(g, 1, of);
    sn_gradient_result to = {value, d, NULL, NULL};
    assert_int_equal(sn_gradient(g->k.m, g->k.p, &g->o, &to, &g->info, &g->k.err), SN_ERR_INPUT);
    assert_non_null(strstr(g->k.err.report[0].text, "'s'"));
    grad_close(g);
}

/* Refused by name, before anything moves. */
static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *nodes, *elements, *joints, *says;
    } t[] = {
        {"A: {frame3d: [0, 0, 0]}", "a: {mass3d: A, mass: 1, inertia: [1, 1, 1], com: [0.1, 0, 0]}", "",
         "'a'"},
        {"A: [0, 0, 0], B: [1, 0, 0]",
         "rod: {beam3d_cr: [A, B], EA: 1, GJ: 1, EI_y: 1, EI_z: 1, rhoA: 1, rhoI_y: 1, rhoI_z: 1}", "",
         "'rod'"},
        {"A: {frame2d: [0, 0]}", "a: {mass2d: A, mass: 1, inertia: 1}",
         "joints: {pin: {revolute2d: [ground, A], mu: 0.2, radius: 0.1}}\n", "'pin'"},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char text[800];
        kit k;
        snprintf(
            text, sizeof text,
            "sinew: 1\nnodes: {%s}\nelements: {%s}\n%srun: {end: 1, step: 0.1, scheme: energy_momentum}\n",
            t[i].nodes, t[i].elements, t[i].joints);
        kit_text(&k, text);
        assert_int_equal(kit_try_run(&k), SN_ERR_INPUT);
        assert_non_null(strstr(k.err.report[0].text, t[i].says));
        assert_non_null(strstr(k.err.report[0].text, "energy_momentum"));
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(free_beam),   cmocka_unit_test(bodies_in_space),
                                       cmocka_unit_test(order),       cmocka_unit_test(plane),
                                       cmocka_unit_test(drive),       cmocka_unit_test(refusals),
                                       cmocka_unit_test(decaying),    cmocka_unit_test(spring_decays),
                                       cmocka_unit_test(derivatives), cmocka_unit_test(no_derivative)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
