/* Simple pendulum (problem A01 of the IFToMM library of computational benchmark problems): mass 1 on a
   massless rod of length 1, released at rest from the horizontal, (-1, 0), g = 9.81, 10 s. With the mass as a
   point held by a distance, and as a rigid body on a pin: one and two equations, two and three coordinates.

   The scheme needs a little numerical damping: average acceleration (rho = 1) is unstable under constraints
   (Cardona, Geradin 1989). */
#include "verify/kit.h"

static const char *const model[] = {
    "sinew: 1\n"
    "gravity: [0, -9.81]\n"
    "nodes: {b: [-1, 0]}\n"
    "elements: {bob: {mass2d: b, mass: 1}}\n"
    "joints: {rod: {distance: [ground, b]}}\n"
    "sensors: {b: {position: b}, v: {velocity: b}, all: {energy: all}, missed: {violation: rod},\n"
    "  rod: {reaction: rod}}\n"
    "run: {end: 10, step: 0.8 ms, scheme: generalized_alpha, rho: 0.9, tolerance: 1e-10}\n",
    "sinew: 1\n"
    "gravity: [0, -9.81]\n"
    "nodes: {b: [-1, 0]}\n"
    "elements: {bob: {mass2d: b, mass: 1, inertia: 0}}\n"
    "joints: {rod: {revolute2d: [ground, b], at: [0, 0]}}\n"
    "sensors: {b: {position: b}, v: {velocity: b}, all: {energy: all}, missed: {violation: rod},\n"
    "  rod: {reaction: rod}}\n"
    "run: {end: 10, step: 0.8 ms, scheme: generalized_alpha, rho: 0.9, tolerance: 1e-10}\n"};

typedef struct watch {
    int energy, missed;
    double t, drift, violation, late; /* late: largest deviation of the energy in the last quarter */
} watch;

static sn_status see(void *ctx, const sn_frame *f, sn_err *err)
{
    watch *w = ctx;
    (void)err;
    w->drift = fmax(w->drift, fabs(f->y[w->energy]));
    w->violation = fmax(w->violation, fabs(f->y[w->missed]));
    if (f->t > 7.5) w->late = fmax(w->late, fabs(f->y[w->energy]));
    return SN_OK;
}

static watch swing(const char *text, double h)
{
    kit k;
    kit_text(&k, text);
    watch w = {.energy = kit_channel(&k, "all.total"), .missed = kit_channel(&k, "missed")};
    k.o.step = k.o.output = h;
    k.o.frame = see, k.o.ctx = &w;
    kit_run(&k);
    kit_close(&k);
    return w;
}

/* The energy is 0 at the start. What other programs reach at h = 0.8 ms is 5e-5 J. It is an error of second
   order that comes and goes with each swing: four times smaller at h/2, and in the last swings no larger than
   in all (numerical damping would add up; it is of third order in h, relative (omega h)^3 = 2e-8 a second).
   The equations are met at position level: increments are solved to 1e-2 of the tolerance 1e-10, a length
   of 1. */
static void energy(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        watch a = swing(model[i], 0.8e-3), b = swing(model[i], 0.4e-3);
        print_message("energy off by %.3e, %.3e J, at the end %.3e; violation %.1e\n", a.drift, b.drift,
                      a.late, a.violation);
        kit_within("change of the energy", a.drift, 0, 5e-5);
        kit_within("its order", order_of(a.drift, b.drift), 1.95, 2.05);
        kit_within("late over all", a.late / a.drift, 0.9, 1);
        kit_within("violation", fmax(a.violation, b.violation), 0, 1e-12);
    }
}

/* Arithmetic-geometric mean: K(k) = pi/(2 agm(1, sqrt(1 - k^2))) */
static double period(double g, double angle)
{
    double a = 1, b = cos(angle / 2);
    for (int i = 0; i < 8; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b), a = mean;
    }
    return 4 / sqrt(g) * acos(-1) / (2 * a);
}

/* After 3 1/4 periods, T = 4 sqrt(L/g) K(sin 45 deg), the mass passes the lowest point with speed sqrt(2 g L)
   and the rod carries 3 m g; after 3 1/2 it is at (1, 0). Errors are a h^2 + b h^3 + O(h^4), the first a
   phase error of about (omega h)^2/12 a radian, some 1e-4 m here; two extrapolations leave less than 1e-8 of
   it. In the force of the rod rounding shows: 1e-16 of the position, times 4/h^2 for the acceleration and
   1/(1 - rho)^2 for the double root -rho with which the scheme carries such errors on, is 1e-7 for the finest
   step; the extrapolation makes a few times that of it, 1e-6. */
static void elliptic_period(void **state)
{
    (void)state;
    static const char *const name[] = {"b.x", "b.y", "v.x", "rod.fy"};
    const double g = 9.81, T = period(g, acos(0)), exact[] = {0, -1, sqrt(2 * g), 3 * g};
    kit_near("period", T, 4 / sqrt(g) * 1.8540746773013719, 1e-14);
    for (int i = 0; i < 2; i++) {
        double y[3][4], half[3];
        kit k;
        kit_text(&k, model[i]);
        kit_scheme(&k, "generalized_alpha", "rho", 0.8);
        for (int j = 0; j < 3; j++) {
            k.o.step = 3.25 * T / (5000 << j);
            k.o.tolerance = 1e-13;
            kit_values(&k, 3.25 * T, 4, name, y[j]);
            k.o.step = 3.5 * T / (5000 << j);
            half[j] = kit_value(&k, "b.x", 3.5 * T);
        }
        for (int c = 0; c < 4; c++) {
            double fine = richardson(y[1][c], y[2][c], 2),
                   limit = richardson(richardson(y[0][c], y[1][c], 2), fine, 3);
            print_message("%s: %.10f, limit off by %.1e, coarse by %.1e\n", name[c], exact[c],
                          limit - exact[c], y[0][c] - exact[c]);
            kit_near(name[c], limit, exact[c], c == 3 ? 1e-6 : 1e-8);
        }
        kit_within("order of x", order_of(y[0][0], y[1][0]), 1.95, 2.05);
        kit_near("x after half a period more", richardson(half[1], half[2], 2), 1, 1e-8);
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(energy), cmocka_unit_test(elliptic_period)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
