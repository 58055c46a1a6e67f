/* sn_conserved: what is told to be constant in a run is what the equations keep, and the drift is that of the
   run. Mechanisms for which this is known by reasoning; the scheme is of second order, so that the drift of a
   smooth motion falls by 4 as h is halved. */
#include "verify/kit.h"

static sn_conserved look(const char *elements, const char *joints, double h)
{
    char text[2000];
    kit k;
    snprintf(text, sizeof text,
             "sinew: 1\n"
             "nodes: {A: {frame2d: [0, 0], velocity: [1, 2], spin: 3}, B: {frame2d: [1, 0.5], velocity: [1, "
             "1], spin: 1}, P: {frame2d: [3, 3]}}\n"
             "%s\n"
             "joints:\n  wall: {fixed: P}\n%s"
             "run: {end: 1, tolerance: 1e-10, scheme: generalized_alpha, rho: 1}\n",
             elements, joints);
    kit_text(&k, text);
    k.o.step = h, k.o.conserved = 1;
    kit_run(&k);
    sn_conserved c = k.info.conserved;
    kit_close(&k);
    kit_within("states", c.states, 50, 120);
    assert_int_equal(c.dim, 2);
    return c;
}

#define MASSES    "  a: {mass2d: A, mass: 1, inertia: 0.1}\n  b: {mass2d: B, mass: 2, inertia: 0.3}\n"
#define SPRING(c) "  s: {spring2d: [A, B], k: 100, c: " c "}\n"

/* Two masses and a spring: everything is constant; linear forms to rounding, by the equal and opposite forces
   of a step, 1e3 steps with an error of Newton's tolerance (1e-10 of some 1e2 N) each at worst. */
static void everything(void **state)
{
    (void)state;
    sn_conserved c = look("elements:\n" MASSES SPRING("0"), "", 1e-2),
                 half = look("elements:\n" MASSES SPRING("0"), "", 5e-3);
    assert_int_equal(c.energy, 1);
    assert_int_equal(c.linear, 3);
    assert_int_equal(c.angular, 1);
    assert_string_equal(c.feeder, "");
    kit_near("linear drift", c.linear_drift, 0, 1e-8);
    kit_near("momentum", c.linear_most, sqrt(3 * 3 + 4 * 4), 1e-7);
    kit_within("energy's order", order_of(c.energy_drift, half.energy_drift), 1.8, 2.2);
    kit_within("drift", half.energy_drift, 1e-6, 1e-1 * half.kinetic);
}

/* A damper between the two takes energy and leaves the momenta; it is named, and the loss told. */
static void damper(void **state)
{
    (void)state;
    sn_conserved c = look("elements:\n" MASSES SPRING("1"), "", 1e-3);
    assert_int_equal(c.energy, 0);
    assert_string_equal(c.feeder, "s");
    assert_int_equal(c.linear, 3);
    assert_int_equal(c.angular, 1);
    kit_within("loss", c.energy_start - c.energy_end, 1e-2, 10);
}

/* Gravity pulls along y only, and is in the energy. About the origin it has a moment. */
static void gravity(void **state)
{
    (void)state;
    sn_conserved c = look("gravity: [0, -9.81]\nelements:\n" MASSES SPRING("0"), "", 1e-3);
    assert_int_equal(c.energy, 1);
    assert_int_equal(c.linear, 1);
    assert_int_equal(c.angular, 0);
}

/* A pin at the origin takes all of the linear momentum, and none of the angular one; a spring elsewhere does
   what the pin does not. */
static void pin(void **state)
{
    (void)state;
    const char *pinned = "  pin: {revolute2d: [ground, A]}\n";
    sn_conserved c = look("elements:\n" MASSES SPRING("0"), pinned, 1e-3);
    assert_int_equal(c.energy, 1);
    assert_int_equal(c.linear, 0);
    assert_int_equal(c.angular, 1);
    c = look("elements:\n" MASSES SPRING("0") "  g: {spring2d: [P, B], k: 10}\n", pinned, 1e-3);
    assert_int_equal(c.energy, 1);
    assert_int_equal(c.angular, 0);
}

/* Friction, drives, loads, numbers that vary: each feeds the energy, and is named. */
static void feeders(void **state)
{
    (void)state;
    static const struct {
        const char *elements, *joints, *feeder;
    } t[] = {
        {"elements:\n" MASSES SPRING("0"), "  pin: {revolute2d: [ground, A], mu: 0.2, radius: 0.1}\n", "pin"},
        {"elements:\n" MASSES SPRING("0"), "  turn: {drive: A.theta, value: 3*t}\n", "turn"},
        {"elements:\n" MASSES SPRING("0") "  push: {force2d: A, force: [1, 0]}\n", "", "push"},
        {"gravity: [0, -9.81*sin(5*t)]\nelements:\n" MASSES SPRING("0"), "", "b"},
        {"elements:\n" MASSES SPRING("0") "  u: {stop2d: [A, B], lo: -50, hi: 50, k: 10, c: 1}\n", "", "u"},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        sn_conserved c = look(t[i].elements, t[i].joints, 1e-3);
        assert_int_equal(c.energy, 0);
        assert_string_equal(c.feeder, t[i].feeder);
    }
}

/* A beam in space that tumbles: momenta along all axes; with damping of all motion none. */
static void beam(void **state)
{
    (void)state;
    static const char text[] =
        "sinew: 1\n"
        "nodes: {A: {at: [0, 0, 0], velocity: [0, 1, 2]}, B: {at: [1, 0, 0]}}\n"
        "elements: {rod: {beam3d_cr: [A, B], EA: 1e5, GJ: 1, EI_y: 1, EI_z: 1, rhoA: 1, "
        "rhoI_y: 1e-3, rhoI_z: 1e-3, damping_mass: %s, elements: 2}}\n"
        "run: {end: 0.2, step: 1e-3, tolerance: 1e-10}\n";
    for (int braked = 0; braked < 2; braked++) {
        char model[600];
        kit k;
        snprintf(model, sizeof model, text, braked ? "1e-3" : "0");
        kit_text(&k, model);
        k.o.conserved = 1;
        kit_run(&k);
        const sn_conserved *c = &k.info.conserved;
        assert_int_equal(c->energy, !braked);
        assert_int_equal(c->linear, braked ? 0 : 7);
        assert_int_equal(c->angular, braked ? 0 : 7);
        if (!braked) kit_near("linear", c->linear_drift, 0, 1e-4 * c->linear_most);
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything), cmocka_unit_test(damper),
                                       cmocka_unit_test(gravity),    cmocka_unit_test(pin),
                                       cmocka_unit_test(feeders),    cmocka_unit_test(beam)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
