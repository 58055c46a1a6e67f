/* pulley2d: a rope that a turning pulley drags (Euler and Eytelwein), and a node that falls onto a pulley. */
#include "verify/kit.h"

/* A rope of N straight pieces lies half around a pulley that turns under it; a weight hangs at one end, the
   other is held. A node between pieces that enclose the angle a = pi/N feels (T1 + T2) sin(a/2) = N across
   and (T2 - T1) cos(a/2) = mu N along, so that T2/T1 = (1 + mu tan(a/2))/(1 - mu tan(a/2)) at each: with more
   nodes exp(mu pi) for all. The pieces' stretch, 35/1e7/.039 = 1e-4, makes angles unequal, which counts in
   second order; the depth 1e-5 turns the last pieces by 1e-5/.1. Smoothing: tanh(5/1e-3) is 1. */
static double ratio(int n, double mu, double *torque)
{
    static const char *const name[] = {"held.fy", "motor.torque"};
    char text[6000], *at = text;
    double y[2], pi = acos(-1), a = pi / n, R = 0.1;
    kit k;
    at += sprintf(at, "sinew: 1\nparameters: {R: %g}\nnodes:\n  p: {frame2d: [0, 0], spin: -50}\n", R);
    for (int i = -1; i <= n; i++) {
        double t = pi - a / 2 - a * fmin(fmax(i, 0), n - 1);
        at += sprintf(at, "  n%d: [%.12g, %.12g]\n", i + 1, R * cos(t),
                      R * sin(t) - (i < 0 || i == n ? 0.1 : 0));
    }
    at += sprintf(
        at, "elements:\n  p: {mass2d: p, mass: 1, inertia: 1}\n  weight: {force2d: n%d, force: [0, -10]}\n",
        n + 1);
    for (int i = 0; i <= n; i++)
        at += sprintf(at, "  s%d: {spring2d: [n%d, n%d], k: 1e7, c: 100}\n", i, i, i + 1);
    for (int i = 1; i <= n + 1; i++)
        at += sprintf(at, "  m%d: {mass2d: n%d, mass: 0.01}\n  d%d: {spring2d: [ground, n%d], c: 1}\n", i, i,
                      i, i);
    for (int i = 1; i <= n; i++)
        at += sprintf(at, "  c%d: {pulley2d: [p, n%d], radius: R, k: 1e6, c: 10, mu: %g}\n", i, i, mu);
    sprintf(at, "joints:\n  held: {fixed: n0}\n  bearing: {fixed: p, only: [x, y]}\n  motor: {drive: "
                "p.theta, value: -50*t}\n"
                "sensors: {held: {reaction: held}, motor: {reaction: motor}}\n"
                "run: {end: 2, step: 1 ms, rho: 0.5}\n");
    kit_text(&k, text);
    kit_values(&k, 2, 2, name, y);
    kit_close(&k);
    *torque = fabs(y[1]) / (R * cos(a / 2)) / 10; /* the pieces' distance from the axis */
    return fabs(y[0]) / 10;
}

static void capstan(void **state)
{
    (void)state;
    for (int n = 4; n <= 16; n *= 2) {
        double mu = 0.4, torque, got = ratio(n, mu, &torque), t = mu * tan(acos(-1) / n / 2);
        double want = pow((1 + t) / (1 - t), n);
        print_message("%d nodes: T2/T1 %.7g, %.7g by equilibrium, exp(mu pi) %.5g; torque %.7g\n", n, got,
                      want, exp(mu * acos(-1)), torque);
        kit_near("tensions", got, want, 5e-4 * want);
        kit_near("torque", torque, got - 1, 5e-4 * got);
    }
}

/* From rest, h above the pulley's top, without friction: down to the depth at which k g(p) has taken m g (h +
   p), and back, without loss; the depth at the bottom solves k p^2/2 = m g (h + p) (no onset). */
static void bounce(void **state)
{
    static const char *const name[] = {"e.total", "b.y", "f.N"};
    double y[3], m = 1, g = 9.81, h = 0.1, k = 1e4, p = (m * g + sqrt(m * g * m * g + 2 * k * m * g * h)) / k;
    double w = sqrt(k / m), fall = sqrt(2 * h / g), contact = (acos(-1) - atan(sqrt(2 * g * h) * w / g)) / w;
    kit c;
    (void)state;
    kit_text(&c, "sinew: 1\ngravity: [0, -9.81]\n"
                 "nodes: {p: {frame2d: [0, 0]}, b: [0, 0.6]}\n"
                 "elements:\n  p: {mass2d: p, mass: 1, inertia: 1}\n  b: {mass2d: b, mass: 1}\n"
                 "  c: {pulley2d: [p, b], radius: 0.5, k: 1e4}\n"
                 "joints: {hold: {fixed: p}, guide: {fixed: b, only: [x]}}\n"
                 "sensors: {b: {position: b}, e: {energy: all}, f: {force: c, axes: element}}\n"
                 "run: {end: 0.5, step: 0.02 ms, scheme: newmark}\n");
    double t[3], values[3];
    (void)y;
    t[0] = t[1] = t[2] = fall + contact;
    kit_points(&c, 3, name, t, values);
    print_message("lowest %.8g, %.8g; force %.6g, %.6g\n", values[1], 0.5 - p, values[2], k * p);
    /* the step in which contact is made is known to h: v h/2 = 1.4 * 1e-5 of the depth's 0.014 */
    kit_near("lowest", values[1], 0.5 - p, 3e-5);
    kit_near("force", values[2], k * p, 3e-3 * k * p);
    kit_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(capstan), cmocka_unit_test(bounce)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
