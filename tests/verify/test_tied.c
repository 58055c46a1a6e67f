/* Starts of what has no mass: it follows the equations, so that bodies keep the velocities and places that
   they are given where the equations allow it. A share eps of a tied node's weight would change the body by
   eps of what the node lacks; without it rounding of well conditioned equations is left: 1e-12 of the largest
   number. */
#include "verify/bodies.h"

#define KEPT 1e-12

static const char *const kinds[] = {"ffr", "fncf"};

/* n channels at the start of the model's run; the change of velocities that it tells */
static void at_start(const char *yaml, int n, const char *const *channel, double *y, double *changed)
{
    static const double zero[KIT_POINTS];
    kit k;
    kit_text(&k, yaml);
    kit_points(&k, n, channel, zero, y);
    *changed = k.info.projection_v;
    kit_close(&k);
}

/* Numbers of the size at the start; told: the change of velocities of bodies, not of those that merely
 * follow. */
static void expect(const char *yaml, int n, const char *const *channel, const double *given, double size,
                   double told)
{
    double y[KIT_POINTS], changed;
    at_start(yaml, n, channel, y, &changed);
    kit_near("change of given velocities", changed, told, KEPT * size);
    for (int i = 0; i < n; i++) kit_near(channel[i], y[i], given[i], KEPT * size);
}

/* A flexible body in flight with two tied nodes whose velocities nobody wrote and which lie 1e-7 off their
   points: neither its velocities nor its place and modes change. */
static void test_flexible(void **state)
{
    static const char *const ch[] = {"v.x",  "v.y",  "v.z", "v.rx", "v.ry", "v.rz", "r.z1",
                                     "r.z2", "r.z3", "p.x", "p.y",  "p.z",  "z.z1", "z.z2"};
    static const double given[] = {1, -2, 30, 4, -5, 6, 0, 0, 0, 0, 0, 0, 0, 0};
    const sn_reduced_body *b = bodies_add("tied", random_body(3, 5, NULL));
    const double *X = b->X;
    char text[1200];
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        snprintf(text, sizeof text,
                 "sinew: 1\nnodes:\n  a: {frame3d: [%.17g, %.17g, %.17g]}\n"
                 "  b: {frame3d: [%.17g, %.17g, %.17g]}\nelements:\n"
                 "  body: {%s: [a, b], body: tied, velocity: [1, -2, 30], spin: [4, -5, 6]}\n"
                 "sensors: {v: {velocity: body.frame}, r: {velocity: body.modes}, p: {position: body.frame}, "
                 "z: {position: body.modes}}\nrun: {end: 1 ms, step: 1 ms}\n",
                 X[0] + 1e-7, X[1], X[2], X[3], X[4] - 1e-7, X[5], kinds[kind]);
        expect(text, 14, ch, given, 30, 0);
    }
}

/* Massless frames on bodies of very different size, one of them by a joint that leaves it free along an axis,
   where a spring decides: there the matrix of the projection is singular without weights. */
#define BODIES_APART                                                                                         \
    "sinew: 1\nnodes:\n  big: {frame3d: [0, 0, 0], velocity: [1, 2, 3], spin: [4, 5, 6]}\n"                  \
    "  small: {frame3d: [1, 0, 0], velocity: [7, 8, 9], spin: [10, 11, 12]}\n  a: {frame3d: [0, 1, 0]}\n"    \
    "  b: {frame3d: [1.1, 0, 0]}\nelements:\n  m1: {mass3d: big, mass: 40, inertia: [3, 4, 5]}\n"            \
    "  m2: {mass3d: small, mass: 1, inertia: [%s, %s, %s]}\n"                                                \
    "  s: {spring3d: [a, b], k: 10, c: 0.3}\n"                                                               \
    "sensors: {v: {velocity: big}, w: {velocity: small}}\nrun: {end: 1 ms, step: 1 ms}\njoints:\n"           \
    "  onto: {rigid_link: [small, b]}\n  along: {%s: [big, a]%s}\n"

static void test_bodies_apart(void **state)
{
    static const char *const ch[] = {"v.x", "v.y", "v.z", "v.rx", "v.ry", "v.rz",
                                     "w.x", "w.y", "w.z", "w.rx", "w.ry", "w.rz"};
    static const double given[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const char *const inertia[] = {"2e-3", "2e-6", "2e-8"};
    char text[1200];
    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, BODIES_APART, inertia[i], inertia[i], inertia[i], "rigid_link", "");
        expect(text, 12, ch, given, 12, 0);
        snprintf(text, sizeof text, BODIES_APART, inertia[i], inertia[i], inertia[i], "prismatic",
                 ", axis: [0, 1, 0]");
        expect(text, 12, ch, given, 12, 0);
    }
}

/* A velocity that cannot be kept is shared as the masses say, whatever massless frames lie between: two
   bodies that meet go on with their common momentum. */
static void test_shared(void **state)
{
    static const char *const ch[] = {"v.x", "w.x", "v.y"};
    static const double given[] = {(3 * 2.0 + 1 * 4.0) / 4, (3 * 2.0 + 1 * 4.0) / 4, 1};
    (void)state;
    expect("sinew: 1\nnodes:\n  a: {frame3d: [0, 0, 0], velocity: [2, 1, 0]}\n"
           "  b: {frame3d: [0, 1, 0], velocity: [4, 0, 0]}\n  c: {frame3d: [0, 0.5, 0]}\nelements:\n"
           "  m1: {mass3d: a, mass: 3, inertia: [1, 1, 1]}\n  m2: {mass3d: b, mass: 1, inertia: [1, 1, 1]}\n"
           "joints:\n  one: {rigid_link: [a, c]}\n  rail: {prismatic: [c, b], axis: [0, 1, 0]}\n"
           "  turn: {fixed: a, only: [rx, ry, rz]}\n"
           "sensors: {v: {velocity: a}, w: {velocity: b}}\nrun: {end: 1 ms, step: 1 ms}\n",
           3, ch, given, 4, 1.5);
}

/* The start that moves massless nodes, and bodies by their masses, is differentiated as equations. */
static void test_gradient(void **state)
{
    static const char *const wrt[] = {"rod.density", "speed", "m", "off", "tilt", "J"};
    (void)state;
    bodies_add("spun", random_body(3, 7, NULL));
    const double *X = bodies[n_bodies - 1].b.X;
    char text[1800];
    for (int kind = 0; kind < 2; kind++) {
        snprintf(text, sizeof text,
                 "sinew: 1\ngravity: [0.3, -9.81, 2]\n"
                 "parameters: {speed: 2, m: 0.6, off: 1e-7, tilt: 0.3, J: 0.02}\nnodes:\n"
                 "  a: {frame3d: [%.17g + off, %.17g, %.17g]}\n  b: {frame3d: [%.17g, %.17g - off, %.17g]}\n"
                 "  c: {frame3d: [2, 0, 0], velocity: [1, speed, 0], spin: [0.1, tilt, 0.7]}\nelements:\n"
                 "  rod: {%s: [a, b], body: spun, density: 1.2, velocity: [0, speed, 3], spin: [1, 2, 3]}\n"
                 "  end: {mass3d: c, mass: m, inertia: [J, 2*J, 0.03]}\n"
                 "joints:\n  hinge: {revolute: [b, c], at: [2, 0, 0], axis: [0.2, cos(tilt), sin(tilt)]}\n"
                 "sensors:\n  v: {velocity: rod.frame}\n  w: {velocity: c}\n  z: {position: rod.modes}\n"
                 "  pin: {reaction: hinge}\nrun: {end: 0.4, step: 20 ms}\n",
                 X[0], X[1], X[2], X[3], X[4], X[5], kinds[kind]);
        grad *g = grad_text(text);
        grad_wrt(g, 6, wrt);
        grad_all_sensors(g);
        grad_agree(g, kinds[kind]);
        free(grad_by(g, SN_GRADIENT_FORWARD, NULL));
        assert_int_equal(g->info.start_by_differences, 0);
        grad_close(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flexible), cmocka_unit_test(test_bodies_apart),
                                       cmocka_unit_test(test_shared), cmocka_unit_test(test_gradient)};
    return cmocka_run_group_tests(tests, bodies_begin, bodies_end);
}
