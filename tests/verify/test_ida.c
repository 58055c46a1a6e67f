/* Planar models by generalized-alpha and by IDA: see ida.h. */
#include "verify/ida.h"

/* IDA keeps local errors below 1e-10 a step in a weighted norm; global errors come out one to two orders
   larger over the few thousand steps of a stable motion, so that 1e-8 of a metre or radian is what it
   promises. The limit of generalized-alpha is good to 1e-10 (test_two_bar.c). A spring's force is its
   stiffness, 700 N/m, times that. */
static void two_bar(void **state)
{
    (void)state;
    static const char *const name[] = {"node2.x",    "node2.y",        "node5.x",
                                       "node5.y",    "node5.theta",    "spring1.fx",
                                       "spring1.fy", "support.torque", "energy.total"};
    static const double scale[] = {1, 1, 1, 1, 1, 700, 700, 1, 1};
    kit k;
    kit_file(&k, "examples/two-bar/two-bar.yaml");
    compare(&k, 0.69, 2e-4, 1e-10, 1e-8, 9, name, scale);
    kit_close(&k);
}

/* Two rigid bodies with their nodes neither at the pins nor (the second) at the centre of mass. Released at
   rest, the second body overtakes the first within the second of this run. IDA's promise as above, 1e-8,
   times 10 for the growth of errors along this motion (its largest exponent is about sqrt(g/L) = 3 1/s, e^3 =
   20 at most). Reactions change with the accelerations, omega^2 = 100 1/s^2 times the positions' errors. */
static void double_pendulum(void **state)
{
    (void)state;
    static const char text[] = "sinew: 1\n"
                               "gravity: [0, -9.81]\n"
                               "nodes: {c1: [0.4, 0.1], c2: [1.5, 0.3]}\n"
                               "elements:\n"
                               "  b1: {mass2d: c1, mass: 2, inertia: 0.2}\n"
                               "  b2: {mass2d: c2, mass: 1, inertia: 0.05, com: [-0.1, 0.2]}\n"
                               "joints:\n"
                               "  p1: {revolute2d: [ground, c1], at: [0, 0]}\n"
                               "  p2: {revolute2d: [c1, c2], at: [1, 0.2]}\n"
                               "sensors:\n"
                               "  c1: {position: c1}\n"
                               "  c2: {position: c2}\n"
                               "  w2: {velocity: c2}\n"
                               "  pin: {reaction: p1}\n"
                               "run: {end: 1, step: 1 ms}\n";
    static const char *const name[] = {"c1.x",     "c1.y",     "c1.theta", "c2.x",  "c2.y",
                                       "c2.theta", "w2.theta", "pin.fx",   "pin.fy"};
    static const double scale[] = {1, 1, 1, 1, 1, 1, 10, 100, 100};
    kit k;
    kit_text(&k, text);
    compare(&k, 1, 1e-3, 1e-10, 1e-7, 9, name, scale);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_bar), cmocka_unit_test(double_pendulum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
