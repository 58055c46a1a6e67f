/* Spatial models, with rotations as unknowns, by generalized-alpha and by IDA: see ida.h. */
#include "verify/ida.h"

/* A free body turns over again and again about its middle axis (Dzhanibekov): the spin about y changes its
   sign five times in 6 s. A body close to the unstable axis makes of an error there ten times as much, the
   ratio of the spins 10 and 1, before it turns over; afterwards errors are those of a phase, which add up: 50
   in all. IDA promises 100 times its local 1e-12; the extrapolation leaves (10 rad/s h)^4/64 = 2e-10 with h =
   1e-3. Newton's matrix is that of each iterate: with an old one, what an iteration leaves over has the same
   sign in each step and adds up to 2e-15 t/h^2 = 2e-7 rad/s. Fifty times the sum is 1.5e-8; 2e-8 of 1, of 10
   rad/s and of 100 J are allowed. */
static void middle_axis(void **state)
{
    (void)state;
    static const char text[] =
        "sinew: 1\n"
        "nodes: {n: {at: [0.5, -0.2, 0.3], spin: [1, 10, 1], velocity: [-3.1, 0.1, 2.1]}}\n"
        "elements: {b: {mass3d: n, mass: 2, inertia: [1, 2, 3], com: [0.2, -0.1, 0.3]}}\n"
        "sensors: {p: {quaternion: n}, n: {position: n}, v: {velocity: n}, e: {energy: all}}\n"
        "run: {end: 6, step: 1 ms}\n";
    static const char *const name[] = {"p.w", "p.x",  "p.y",  "p.z",  "n.x",    "n.y",
                                       "n.z", "v.rx", "v.ry", "v.rz", "e.total"};
    static const double scale[] = {1, 1, 1, 1, 1, 1, 1, 10, 10, 10, 100};
    kit k;
    kit_text(&k, text);
    k.o.full_newton = 1;
    compare(&k, 6, 1e-3, 1e-12, 2e-8, 11, name, scale);
    kit_close(&k);
}

/* Two bodies with skew inertia, nodes neither at the joints nor at the centres of mass, on a ball and a hinge
   of a skew axis, thrown. As in the plane (test_ida.c): IDA's promise 1e-8 times 10 for the growth of errors
   in a second, and reactions, angular velocities and accelerations by their sizes. The extrapolation with h =
   5e-4 leaves (10 rad/s h)^4 = 6e-10 times that growth. */
static void double_pendulum(void **state)
{
    (void)state;
    static const char text[] =
        "sinew: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "nodes: {c1: {at: [0.4, 0.1, 0.2], spin: [1, -2, 3]}, c2: {at: [1.1, 0.5, -0.1]}}\n"
        "elements:\n"
        "  b1: {mass3d: c1, mass: 2, inertia: [0.1, 0.2, 0.25], products: [0.02, -0.01, 0.03],\n"
        "       com: [0.05, 0, -0.1]}\n"
        "  b2: {mass3d: c2, mass: 1, inertia: [0.05, 0.04, 0.03], com: [-0.1, 0.2, 0.1]}\n"
        "joints:\n"
        "  ball: {spherical: [ground, c1], at: [0, 0, 0]}\n"
        "  hinge: {revolute: [c1, c2], at: [0.8, 0.2, 0], axis: [1, 2, 2]}\n"
        "sensors:\n"
        "  c1: {position: c1}\n"
        "  c2: {position: c2}\n"
        "  p2: {quaternion: c2}\n"
        "  w2: {velocity: c2}\n"
        "  a2: {acceleration: c2}\n"
        "  ball: {reaction: ball}\n"
        "  hinge: {reaction: hinge}\n"
        "run: {end: 1, step: 1 ms}\n";
    static const char *const name[] = {"c1.x",  "c2.y", "c2.z",    "p2.w",    "p2.x",     "p2.y",
                                       "w2.rx", "a2.x", "ball.fx", "ball.fz", "hinge.fy", "hinge.mx"};
    static const double scale[] = {1, 1, 1, 1, 1, 1, 10, 100, 100, 100, 100, 100};
    kit k;
    kit_text(&k, text);
    compare(&k, 1, 5e-4, 1e-10, 1e-7, 12, name, scale);
    kit_close(&k);
}

/* A flexible beam on a ball joint off its node, released from the horizontal with a push to the side and a
   body at its end: it swings by more than a right angle, bends by some tenths of a radian and twists. The
   fastest motions (axial, 400 rad/s) are damped in milliseconds; what is left moves at 30 rad/s and less, so
   that the extrapolation with h = 5e-4 leaves (30 h)^4 = 5e-8 of the amplitude of that motion, 0.1 m and rad:
   5e-9. IDA's promise 1e-8; together 2e-8, forces times the size of the stiffness EI/l^2 = 20 N/m for
   bending and EA/l = 5000 N/m for the axial force. */
static void flexible_pendulum(void **state)
{
    (void)state;
    static const char text[] =
        "sinew: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "nodes: {a: {at: [0, 0, 0]}, b: {at: [1.2, 0.3, 0], velocity: [0, 0.5, 0]}}\n"
        "elements:\n"
        "  beam: {beam3d_cr: [a, b], EA: 2e3, EI_y: 2, EI_z: 3, GJ: 1.5, rhoA: 1, rhoI_y: 0.01,\n"
        "         rhoI_z: 0.02, damping: 2e-3, elements: 3}\n"
        "  end: {mass3d: b, mass: 0.3, inertia: [0.01, 0.02, 0.03], com: [0, 0, 0.1]}\n"
        "joints:\n"
        "  ball: {spherical: [ground, a], at: [-0.1, 0, 0.05]}\n"
        "sensors:\n"
        "  b: {position: b}\n"
        "  p: {quaternion: b}\n"
        "  f: {force: beam, axes: element}\n"
        "  ball: {reaction: ball}\n"
        "  e: {energy: all}\n"
        "run: {end: 0.8, step: 1 ms}\n";
    static const char *const name[] = {"b.x", "b.y", "b.z",  "p.w",     "p.x",     "p.y",
                                       "p.z", "f.T", "f.Mz", "ball.fx", "ball.fz", "e.potential"};
    static const double scale[] = {1, 1, 1, 1, 1, 1, 1, 20, 20, 5000, 5000, 20};
    kit k;
    kit_text(&k, text);
    compare(&k, 0.8, 5e-4, 1e-10, 2e-8, 12, name, scale);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(middle_axis), cmocka_unit_test(double_pendulum),
                                       cmocka_unit_test(flexible_pendulum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
