/* How far points may go round in a step, and that a run says so when they go too far. Closed form: the scheme
   is stable for a mass on a circle, held by a rod, while Re 1/H(-exp(i phi)) + phi^2 > 0 (genalpha_turn.c).
 */
#include "verify/kit.h"

static const double pi = 3.14159265358979323846;

typedef struct memory {
    int n; /* messages about points that go round */
    char text[512];
} memory;

static void remember(void *ctx, const char *text)
{
    memory *m = ctx;
    if (!strstr(text, "go round")) return;
    m->n++;
    snprintf(m->text, sizeof m->text, "%s", text);
}

/* Energy after so many steps, relative to the start, as far as it comes; what was told of turning. */
static double grown(kit *k, double step, int steps, memory *told)
{
    sn_point point[2] = {{kit_channel(k, "e.total"), 0, NAN}, {kit_channel(k, "e.total"), steps * step, NAN}};
    *told = (memory){0};
    k->o.message = remember, k->o.ctx = told;
    k->o.step = step, k->o.end = steps * step;
    k->o.point = point, k->o.n_point = 2;
    sn_status s = kit_try_run(k);
    k->o.point = NULL, k->o.n_point = 0;
    sn_err_clear(&k->err);
    return s ? INFINITY : point[1].value / point[0].value;
}

static const char *const dumbbell = "sinew: 1\n"
                                    "nodes: {a: {at: [0.5, 0], velocity: [0, 5]},\n"
                                    "        b: {at: [-0.5, 0], velocity: [0, -5]}}\n"
                                    "elements: {m1: {mass2d: a, mass: 1}, m2: {mass2d: b, mass: 1}}\n"
                                    "joints: {rod: {distance: [a, b]}}\n"
                                    "sensors: {e: {energy: all}}\n"
                                    "run: {tolerance: 1e-10}\n";

/* 5 percent below the limit energy does not grow and nothing is told, 10 percent above it grows and is. */
static void test_limit(void **state)
{
    static const struct {
        const char *scheme, *setting;
        double x, limit;
    } c[] = {{"generalized_alpha", "rho", 0.9, 0.0718},
             {"generalized_alpha", "rho", 0.8, 0.1513},
             {"generalized_alpha", "rho", 0.7, 0.2396},
             {"hht", "alpha", -0.1, 0.1949}};
    memory below, above;
    kit k;
    (void)state;
    kit_text(&k, dumbbell);
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        kit_scheme(&k, c[i].scheme, c[i].setting, c[i].x);
        double e0 = grown(&k, 0.95 * c[i].limit / 10, 1500, &below);
        double e1 = grown(&k, 1.1 * c[i].limit / 10, 1500, &above);
        print_message("  %s %g: energy %.4f at %.1f degrees, %.3g at %.1f\n", c[i].scheme, c[i].x, e0,
                      0.95 * c[i].limit * 180 / pi, e1, 1.1 * c[i].limit * 180 / pi);
        assert_int_equal(below.n, 0);
        kit_within("energy below the limit", e0, 0, 1.001);
        assert_int_equal(above.n, 1);
        assert_true(e1 > 1.5);
    }
    print_message("  %s\n", above.text);
    assert_true(strstr(above.text, "'a'") || strstr(above.text, "'b'"));
    assert_non_null(strstr(above.text, "this scheme bears 11,"));
    kit_close(&k);
}

/* A rotor at 3000 rpm, 18 degrees a step, with its node on the axis: exact; with the node in the centre of
   mass, 1 mm away: m e^2 is 1e-3 of its inertia, and phi^2 of that share bounds what it is off by. 100 mm
   away, half of its energy is translation. */
static void test_rotor(void **state)
{
    static const char *const text =
        "sinew: 1\n"
        "parameters: {e: 0}\n"
        "nodes: {b: {at: [0, e, 0], spin: [100*pi, 0, 0], velocity: [0, 0, e*100*pi]}}\n"
        "elements: {m: {mass3d: b, mass: 10, inertia: [0.1, 0.06, 0.06]}}\n"
        "joints: {bearing: {revolute: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
        "sensors: {e: {energy: all}, v: {velocity: b}}\n"
        "run: {end: 0.5, step: 1 ms}\n";
    static const double e[] = {0, 1e-3, 0.1};
    const double phi = 0.1 * pi;
    memory told;
    kit k;
    (void)state;
    kit_text(&k, text);
    for (int i = 0; i < 3; i++) {
        kit_set(&k, "e", e[i]), kit_update(&k);
        double x = grown(&k, 1e-3, 500, &told), share = 10 * e[i] * e[i] / 0.1;
        print_message("  node %g m from the axis: energy off by %.1e; told: %d\n", e[i], x - 1, told.n);
        if (i < 2) kit_near("energy", x, 1, share * phi * phi + 1e-12);
        assert_int_equal(told.n, i == 2);
    }
    kit_close(&k);
}

/* Bodies in free flight, the node in the centre of mass: rates are off by phi^2/12, but nothing grows. The
   node elsewhere, on the axis of a rod: it pushes itself, by phi^2/12 of the force along its circle. */
static void test_free_flight(void **state)
{
    static const char *const text =
        "sinew: 1\n"
        "parameters: {J1: 1, J2: 2, J3: 3, c: 0, s: 0.01, v: 0}\n"
        "nodes: {b: {at: [0, 0, 0], spin: [s, 10, s], velocity: [v, 10*c, 0]}}\n"
        "elements: {m: {mass3d: b, mass: 1, inertia: [J1, J2, J3], com: [c, 0, 0]}}\n"
        "sensors: {e: {energy: all}}\n"
        "run: {tolerance: 1e-10}\n";
    memory told;
    kit k;
    (void)state;
    kit_text(&k, text);
    for (int i = 0; i < 8; i++) {
        double phi = (i % 4 == 0 ? 5 : i % 4 == 1 ? 18 : i % 4 == 2 ? 40 : 57) * pi / 180;
        kit_set(&k, "J1", i < 4 ? 1 : 2), kit_set(&k, "s", i < 4 ? 0.01 : 5);
        kit_set(&k, "J3", i < 4 ? 3 : 0.5), kit_update(&k);
        double x = grown(&k, phi / 10, 400, &told);
        print_message("  %s, %.0f degrees a step: energy off by %.1e\n", i < 4 ? "Dzhanibekov" : "top",
                      phi * 180 / pi, x - 1);
        kit_within("energy", x, 1 - phi * phi / 10, 1 + phi * phi / 10);
        assert_int_equal(told.n, 0);
    }
    kit_set(&k, "J1", 0.01), kit_set(&k, "J2", 1), kit_set(&k, "J3", 1), kit_set(&k, "c", 2);
    kit_set(&k, "s", 10), kit_set(&k, "v", 30), kit_update(&k);
    double x = grown(&k, 0.3 / 10, 800, &told);
    print_message("  rod: energy %.2f; %s\n", x, told.text);
    assert_true(x > 1.5);
    assert_int_equal(told.n, 1);
    kit_close(&k);
}

/* A flexible four-bar that is started with a jerk: its members vibrate, on circles of 10 to 100 degrees a
   step, while its crank goes round by 0.7 degrees a step. No constraint turns by so much, and energy does not
   grow. */
static void test_vibration(void **state)
{
    static const char *const text =
        "sinew: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "nodes: {a: [0, 0, 0], b: [0.1, 0, 0.2], b2: [0.1, 0, 0.2], c: [0.9, 0, 0.5], c2: [0.9, 0, 0.5], d: "
        "[0.8, 0, 0]}\n"
        "materials: {steel: {E: 210 GPa, G: 80 GPa, rho: 7850}}\n"
        "sections: {rod: {circle: , radius: 8 mm}}\n"
        "elements:\n"
        "  crank: {beam3d_cr: [a, b], material: steel, section: rod, elements: 2}\n"
        "  coupler: {beam3d_cr: [b2, c], material: steel, section: rod, elements: 4}\n"
        "  rocker: {beam3d_cr: [c2, d], material: steel, section: rod, elements: 2}\n"
        "joints:\n"
        "  A: {revolute: [ground, a], axis: [0, 1, 0]}\n"
        "  B: {revolute: [b, b2], axis: [0, 1, 0]}\n"
        "  C: {revolute: [c, c2], axis: [0, 1, 0]}\n"
        "  D: {revolute: [ground, d], axis: [0, 1, 0]}\n"
        "  M: {rotation_drive: [ground, a], axis: [0, 1, 0], angle: 6 rad/s*t}\n"
        "sensors: {e: {energy: all}}\n";
    memory told;
    kit k;
    (void)state;
    kit_text(&k, text);
    grown(&k, 2e-3, 4000, &told);
    if (told.n) fail_msg("%s", told.text);
    grown(&k, 5e-4, 4000, &told);
    if (told.n) fail_msg("%s", told.text);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_limit), cmocka_unit_test(test_rotor),
                                       cmocka_unit_test(test_free_flight), cmocka_unit_test(test_vibration)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
