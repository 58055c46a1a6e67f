/* Orders of convergence of a flexible closed spatial loop: a crank, a hinge, an elastic coupler on a ball
   joint, an elastic rocker hinged to the ground about a skew axis; gravity and the spin of the crank move it.

   In the step: q, v, a and reactions of second order, by h, h/2, h/4 of one mesh. In the mesh: the pieces
   are straight and their field of motion is cubic about the chord, the chord itself a polygon: errors in even
   powers of the length of a piece, the first with the square. */
#include "verify/kit.h"

static const char *const name[] = {"c.x", "c.z",     "p.ry",    "q.rx",   "v.x",    "v.ry",
                                   "a.z", "ball.fx", "ball.fz", "pin.fy", "pin.mx", "hinge.fz"};
enum { CHANNELS = sizeof name / sizeof *name };

static void loop_values(int pieces, double h, double t, double *y)
{
    char text[2500];
    kit k;
    snprintf(text, sizeof text,
             "sinew: 1\n"
             "gravity: [0, 0, -9.81]\n"
             "nodes: {crank: {at: [0, 0, 0.15], spin: [0, 6, 0]}, b: [0, 0, 0.3], c: [0.9, 0.5, 0.4],\n"
             "        d: [0.9, 0.5, 0.4], e: [1, 0.6, -0.2]}\n"
             "elements:\n"
             "  wheel: {mass3d: crank, mass: 2, inertia: [0.05, 0.06, 0.07]}\n"
             "  coupler: {beam3d_cr: [b, c], EA: 3e3, EI_y: 2, EI_z: 4, GJ: 2, rhoA: 1, rhoI_y: 0.01,\n"
             "    rhoI_z: 0.01, damping: 2e-3, elements: %d}\n"
             "  rocker: {beam3d_cr: [d, e], EA: 3e3, EI_y: 3, EI_z: 2, GJ: 2, rhoA: 1, rhoI_y: 0.01,\n"
             "    rhoI_z: 0.01, damping: 2e-3, elements: %d}\n"
             "joints:\n"
             "  pin: {revolute: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0]}\n"
             "  hinge: {revolute: [crank, b], axis: [0.2, 1, 0]}\n"
             "  ball: {spherical: [c, d]}\n"
             "  foot: {revolute: [ground, e], axis: [0.3, 1, 0.1]}\n"
             "sensors: {c: {position: c}, p: {rotation: d}, q: {rotation: c}, v: {velocity: c},\n"
             "  a: {acceleration: c}, ball: {reaction: ball}, pin: {reaction: pin}, hinge: {reaction: "
             "hinge}}\n"
             "run: {end: 1, step: 1 ms, tolerance: 1e-12}\n",
             pieces, pieces);
    kit_text(&k, text);
    k.o.step = h;
    kit_values(&k, t, CHANNELS, name, y);
    assert_int_equal(k.info.redundant, 0);
    kit_close(&k);
}

/* The orders of all channels together (the norm of the differences, each channel by its size): one number may
   by chance have a small error. From h = 1 ms on, with motions of 400 rad/s that are damped within
   milliseconds and 60 rad/s that last, the next term is 6 percent. */
static void orders(double y[3][CHANNELS], int from, int to, double lo, double hi, const char *what)
{
    double coarse = 0, fine = 0;
    for (int i = from; i < to; i++) {
        double size = fmax(fabs(y[2][i]), 0.1), x = y[0][i] - y[1][i], z = y[1][i] - y[2][i];
        print_message("%s %s %.8g, differences %.1e %.1e\n", what, name[i], y[2][i], x, z);
        coarse += x * x / (size * size), fine += z * z / (size * size);
    }
    print_message("order %.3f\n", order_of(sqrt(coarse), sqrt(fine)));
    kit_within(what, order_of(sqrt(coarse), sqrt(fine)), lo, hi);
}

static void in_the_step(void **state)
{
    double y[3][CHANNELS];
    (void)state;
    for (int i = 0; i < 3; i++) loop_values(3, 1e-3 / (1 << i), 0.5, y[i]);
    orders(y, 0, 4, 1.9, 2.1, "positions");
    orders(y, 4, 6, 1.9, 2.1, "velocities");
    orders(y, 6, 7, 1.9, 2.1, "accelerations");
    orders(y, 7, CHANNELS, 1.9, 2.1, "reactions");
}

/* The next term of the mesh's error is (1/8)^2 of the first from 8 pieces on, times a factor of some units:
   the sections' radius of gyration, 0.1, is longer than a piece. */
static void in_the_mesh(void **state)
{
    double y[3][CHANNELS];
    (void)state;
    for (int i = 0; i < 3; i++) loop_values(8 << i, 1e-3, 0.5, y[i]);
    orders(y, 0, 4, 1.8, 2.2, "positions, mesh");
    orders(y, 4, 6, 1.8, 2.2, "velocities, mesh");
    orders(y, 7, CHANNELS, 1.8, 2.2, "reactions, mesh");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_the_step), cmocka_unit_test(in_the_mesh)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
