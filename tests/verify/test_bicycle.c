/* The bicycle of Meijaard, Papadopoulos, Ruina and Schwab, "Linearized dynamics equations for the balance and
   steer of a bicycle: a benchmark and review", Proc. R. Soc. A 463 (2007): four rigid bodies, three hinges,
   two wheels that roll. Their table 2 has the eigenvalues of the linearised upright motion. Here the bicycle
   is pushed a little sideways and the weave is read from its motion in time, with the default tolerance: what
   Newton's iteration leaves over must not look like damping. */
#include "verify/kit.h"

#include <complex.h>

/* x forward, z up: the paper has z down, so that products of inertia change sign */
static const char *const bicycle =
    "sinew: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {speed: 5, push: 0, w: 1.02, trail: 0.08, tilt: 18 deg}\n"
    "nodes:\n"
    "  rear:  {at: [0, 0, 0.3], velocity: [speed, -0.3*push, 0], spin: [push, speed/0.3, 0]}\n"
    "  body:  {at: [0.3, 0, 0.9], velocity: [speed, -0.9*push, 0], spin: [push, 0, 0]}\n"
    "  fork:  {at: [0.9, 0, 0.7], velocity: [speed, -0.7*push, 0], spin: [push, 0, 0]}\n"
    "  front: {at: [w, 0, 0.35], velocity: [speed, -0.35*push, 0], spin: [push, speed/0.35, 0]}\n"
    "elements:\n"
    "  m1: {mass3d: rear, mass: 2, inertia: [0.0603, 0.12, 0.0603]}\n"
    "  m2: {mass3d: body, mass: 85, inertia: [9.2, 11, 2.8], products: [0, -2.4, 0]}\n"
    "  m3: {mass3d: fork, mass: 4, inertia: [0.05892, 0.06, 0.00708], products: [0, 0.00756, 0]}\n"
    "  m4: {mass3d: front, mass: 3, inertia: [0.1405, 0.28, 0.1405]}\n"
    "joints:\n"
    "  rear_hub: {revolute: [body, rear], axis: [0, 1, 0], at: [0, 0, 0.3]}\n"
    "  head: {revolute: [body, fork], axis: [-sin(tilt), 0, cos(tilt)],\n"
    "         at: [w + trail - 0.9*tan(tilt), 0, 0.9]}\n"
    "  front_hub: {revolute: [fork, front], axis: [0, 1, 0], at: [w, 0, 0.35]}\n"
    "  rear_road: {rolling: rear, radius: 0.3, axis: [0, 1, 0]}\n"
    "  front_road: {rolling: front, radius: 0.35, axis: [0, 1, 0]}\n"
    "sensors: {v: {velocity: body}}\n"
    "run: {end: 5, step: 4 ms}\n";

enum { N = 46 };
static const double dt = 0.1, after = 0.5; /* the castering mode, exp(-14 t), has gone by then */

/* The sequence y obeys y[k+3] + c2 y[k+2] + c1 y[k+1] + c0 y[k] = 0, the polynomial of its three modes: c by
   least squares (Prony), in normal equations. */
static void recurrence(const double *y, double *c)
{
    double S[3][4] = {{0}};
    for (int k = 0; k + 3 < N; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 4; j++) S[i][j] += (j < 3 ? 1 : -1) * y[k + i] * y[k + j];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            double f = S[i][k] / S[k][k];
            for (int j = k; i != k && j < 4; j++) S[i][j] -= f * S[k][j];
        }
    for (int k = 0; k < 3; k++) c[k] = S[k][3] / S[k][k];
}

/* The weave, a pair of complex roots; the third, capsize, is real: its z = exp(s dt) by bisection. */
static double complex weave(const double *y)
{
    double c[3], lo = 0, hi = 2;
    recurrence(y, c);
    for (int i = 0; i < 60; i++) {
        double z = 0.5 * (lo + hi);
        *(((z + c[2]) * z + c[1]) * z + c[0] > 0 ? &hi : &lo) = z;
    }
    double b = 0.5 * (c[2] + lo), d = b * b - (c[1] + lo * (c[2] + lo)); /* z^2 + 2 b z + ... */
    assert_true(d < 0);
    return clog(-b + I * sqrt(-d)) / dt;
}

/* In body axes the quantities of a wheel turn with it, by w h a step, and schemes of this family have errors
   of (w h)^2/12 in what turns so: a root s is off by |s| (w h)^2/12. Besides, Newton's iteration may leave
   tolerance/100 in an increment and so 2 tolerance/(100 h) in a rate, which over the 5 s of the fit is a
   change of the root by that over the push, over 5 s. */
static void check(kit *k, double speed, double push, double complex published)
{
    const char *channel[N];
    double t[N], y[N];
    kit_set(k, "speed", speed), kit_set(k, "push", push), kit_update(k);
    for (int i = 0; i < N; i++) channel[i] = "v.rx", t[i] = after + dt * i;
    for (int i = 0; i < 2; i++) {
        double h = k->o.step = i ? 1e-3 : 4e-3, w = speed / 0.3;
        kit_points(k, N, channel, t, y);
        double complex s = weave(y);
        double bound = cabs(s) * w * h * w * h / 12 + 0.02 * k->o.tolerance / h / push / k->o.end;
        print_message("  %.1f m/s, h = %.0e: weave %.5f %+.5fi, published %.5f %+.5fi, bound %.5f; %ld "
                      "iterations, %ld factors\n",
                      speed, h, creal(s), cimag(s), creal(published), cimag(published), bound,
                      k->info.iterations, k->info.factorisations);
        kit_near("growth", creal(s), creal(published), bound);
        kit_near("frequency", cimag(s), cimag(published), bound);
    }
}

static void test_weave(void **state)
{
    kit k;
    (void)state;
    kit_text(&k, bicycle);
    /* the growing motion stays small so, errors of second order in it are below 1e-5 */
    check(&k, 4, 5e-4, 0.413253315211239 + 3.079108186032e0 * I);
    check(&k, 5, 5e-3, -0.775341882195845 + 4.464867713788229 * I);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_weave)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
