/* Laws of bushings against closed forms, energy and SUNDIALS IDA (ida.h). Derivatives of all of them:
   test_gradient_kinds.c and sinew-conformance; Kelvin-Voigt bushings: test_forces3d.c. */
#include "verify/ida.h"
#include "verify/linear_kit.h"

static const double pi = 3.14159265358979323846;

/* A body that is led along z, and one of 2 kg that is free to slide along it; F: what a sensor of the law
 * says */
#define LED                                                                                                  \
    "sinew: 1\n"                                                                                             \
    "parameters: {a: 1 mm, w: 6.283185307179586 rad/s}\n"                                                    \
    "nodes: {b: {frame3d: [0, 0, 0]}}\n"                                                                     \
    "joints: {lead: {fixed: b, z: path}}\n"                                                                  \
    "sensors: {F: {force: law, axes: element}, e: {energy: law}}\n"                                          \
    "run: {end: 1 s, step: 1 ms}\n"
#define FREE                                                                                                 \
    "sinew: 1\n"                                                                                             \
    "joints: {guide: {fixed: b, only: [x, y, rx, ry, rz]}}\n"                                                \
    "sensors: {F: {force: law, axes: element}, b: {position: b}, v: {velocity: b}, e: {energy: all}}\n"      \
    "run: {end: 1 s, step: 1 ms}\n"

/* Values of a channel at t with steps h and h/2: the error falls by four, and what is left after
   extrapolation is below tol. */
static void second_order(const char *yaml, const char *channel, double t, double h, double exact, double tol)
{
    double y[2];
    for (int i = 0; i < 2; i++) y[i] = run_value(yaml, channel, t, h / (1 << i), "newmark");
    double order = order_of(y[0] - exact, y[1] - exact), left = richardson(y[0], y[1], 2) - exact;
    print_message("  %s at %g s: %.9g, error %.1e, order %.3f, extrapolated %.1e\n", channel, t, exact,
                  y[1] - exact, order, left);
    kit_within("order", order, 1.9, 2.1);
    kit_near("extrapolated value", left, 0, tol);
}

/* ---- Maxwell branches ---- */

/* A displacement X that is there at once and stays: F = X sum k exp(-t/tau). The trapezoidal rule is of
   second order; what extrapolation leaves is (h/tau)^4/100 of the force, 40 N: 4e-8 with h = 1 ms, tau = 20
   ms. */
static void test_relaxation(void **state)
{
    const double X = 1e-3, t = 0.05;
    (void)state;
    second_order(
        "sinew: 1\n"
        "nodes: {b: {frame3d: [0, 0, 0], displacement: [0, 0, 1 mm]}}\n"
        "elements: {law: {bushing_maxwell: [ground, b], kz: [30 N/mm, 10 N/mm], tau_z: [20 ms, 100 ms]}}\n"
        "joints: {hold: {fixed: b, z: 1 mm}}\n"
        "sensors: {F: {force: law, axes: element}}\n"
        "run: {end: 0.1 s, step: 1 ms}\n",
        "F.Fz", t, 1e-3, X * (3e4 * exp(-t / 0.02) + 1e4 * exp(-t / 0.1)), 4e-6);
}

/* z = a sin(w t) from rest: F = a Re/Im of the complex stiffness k i w tau/(1 + i w tau), and what is left of
   the start, exp(-t/tau). */
static void test_harmonic(void **state)
{
    const double a = 1e-3, w = 2 * pi * 5, k = 3e4, tau = 0.03, t = 0.33, r = w * tau;
    const double complex K = k * I * r / (1 + I * r);
    (void)state;
    double steady = a * (creal(K) * sin(w * t) + cimag(K) * cos(w * t));
    second_order(LED "elements: {law: {bushing_maxwell: [ground, b], kz: 30 N/mm, tau_z: 30 ms}}\n"
                     "signals: {path: {sine: 1 mm, frequency: 5 Hz}}\n",
                 "F.Fz", t, 1e-3, steady - a * k * r / (1 + r * r) * exp(-t / tau), 2e-6);
}

/* A mass on a Zener bushing: m s^2 + k0 + k1 s tau/(1 + s tau) = 0 for its eigenvalues, and the frequency
   response 1/(k0 + k1 i w tau/(1 + i w tau) - m w^2), both to rounding: 1e-12 of the sum of moduli. */
static void test_zener(void **state)
{
    const double m = 2, k0 = 5e3, k1 = 8e3, tau = 0.02;
    double complex top = 0;
    linear s;
    kit k;
    (void)state;
    kit_text(&k, FREE "nodes: {b: {frame3d: [0, 0, 0]}}\n"
                      "elements:\n"
                      "  m: {mass3d: b, mass: 2, inertia: [1, 1, 1]}\n"
                      "  static: {bushing: [ground, b], k: 5 N/mm}\n"
                      "  law: {bushing_maxwell: [ground, b], kz: 8 N/mm, tau_z: 20 ms}\n"
                      "  push: {force3d: b, force: [0, 0, 1 N]}\n");
    linear_options(&k, &s);
    s.o.input = (const char *const[]){"push.force.z"}, s.o.n_input = 1;
    linear_make(&k, &s);
    assert_int_equal(s.n, 3);
    for (int i = 0; i < 3; i++) {
        double complex p = s.poles[2 * i] + I * s.poles[2 * i + 1],
                       term[] = {m * p * p, k0, k1 * p * tau / (1 + p * tau)};
        double size = cabs(term[0]) + cabs(term[1]) + cabs(term[2]);
        kit_near("characteristic equation", cabs(term[0] + term[1] + term[2]) / size, 0, 1e-12);
        top += p;
    }
    kit_near("sum of the roots", creal(top), -1 / tau, 1e-9);
    for (double f = 0.5; f < 200; f *= 1.7) {
        double w = 2 * pi * f;
        double complex K = k0 + k1 * I * w * tau / (1 + I * w * tau);
        linear_near("receptance", linear_response(&s, "b.z", "push.force.z", I * w), 1 / (K - m * w * w),
                    1e-11);
        linear_near("force of the branch", linear_response(&s, "F.Fz", "push.force.z", I * w),
                    (K - k0) / (K - m * w * w), 1e-10);
    }
    linear_free(&s);
    kit_close(&k);
}

/* ---- friction ---- */

/* z on the way x: first loading from 0, then back from (x1, z1), for n = 1 and beta = 1/2: straight to z = 0,
   then towards -1. */
static double loading(double x, double y) { return 1 - exp(-x / y); }
static double unloading(double back, double z1, double y)
{
    return back < z1 * y ? z1 - back / y : -loading(back - z1 * y, y);
}

/* z = a sin(w t), a = 1 mm: loading for a quarter of the period, then back. Allowed: 1e-5 of F. |z| is
   smoothed over 1e-3, which takes 5e-7 (1 + ln 1e3) = 4e-6 each time z passes 0; |xd| over 1e-6 of 6e-3 m/s;
   the scheme's error is (w h)^2/12 = 3e-8 with h = 1e-4 s, and at the turn, where the equation has a kink, (w
   h)^2 = 4e-7. */
static void test_loop(void **state)
{
    const double F = 200, half = 0.3e-3, y = half / log(2), a = 1e-3, w = 2 * pi;
    const double t[] = {asin(0.3) / w, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75}, z1 = loading(a, y);
    const char *channel[9];
    double f[9];
    kit k;
    (void)state;
    for (int i = 0; i < 9; i++) channel[i] = "F.Fz";
    kit_text(&k, LED "elements: {law: {bushing_bouc_wen: [ground, b], fz: 200 N, z_half: 0.3 mm}}\n"
                     "signals: {path: {sine: 1 mm, frequency: 1 Hz}}\n");
    k.o.step = 1e-4, k.o.scheme = "newmark";
    kit_points(&k, 9, channel, t, f);
    kit_near("half of the friction", f[0], F / 2, 1e-5 * F);
    for (int i = 0; i < 9; i++) {
        double x = a * sin(w * t[i]);
        double z = t[i] <= 0.25 ? loading(x, y) : unloading(a - x, z1, y);
        kit_near("friction", f[i], F * z, 1e-5 * F);
    }
    kit_close(&k);
}

/* The way to half of the friction is x_half for every n and beta. */
static void test_half(void **state)
{
    char yaml[1000];
    (void)state;
    for (int i = 0; i < 3; i++) {
        const double n[] = {1.4, 2, 5}, beta[] = {0.5, 0.8, 1};
        snprintf(
            yaml, sizeof yaml,
            LED
            "elements: {law: {bushing_bouc_wen: [ground, b], fz: 200 N, z_half: 0.3 mm, n: %g, beta: %g}}\n"
            "signals: {path: {expression: 1 mm*t/(1 s)}}\n",
            n[i], beta[i]);
        kit_near("half of the friction", run_value(yaml, "F.Fz", 0.3, 1e-4, "newmark"), 100, 2e-3);
    }
}

/* A body on a spring and friction, pushed, by IDA: friction smoothed over 10 mm/s, so that both integrators
   reach their order. The motion is at 60 rad/s and changes within 1/60 s of the turn by the smoothing, 10
   mm/s over 1 m/s: (600 rad/s h)^4 = 8e-6 of (10 mm, 100 N) is left by the extrapolation with h = 1e-4 s,
   times 1/64 of the finest steps. */
static void test_friction_ida(void **state)
{
    static const char *const name[] = {"b.z", "v.z", "F.Fz", "e.total"};
    static const double scale[] = {0.01, 1, 100, 1};
    kit k;
    (void)state;
    kit_text(&k, FREE "nodes: {b: {frame3d: [0, 0, 0], velocity: [0, 0, 0.5]}}\n"
                      "elements:\n"
                      "  m: {mass3d: b, mass: 2, inertia: [1, 1, 1]}\n"
                      "  static: {bushing: [ground, b], k: 5 N/mm}\n"
                      "  law: {bushing_bouc_wen: [ground, b], fz: [30 N, 20 N], z_half: [0.5 mm, 2 mm], n: "
                      "1.5, beta: 0.7,\n"
                      "        v0: 10 mm/s}\n");
    compare(&k, 0.3, 1e-4, 1e-11, 1e-6, 4, name, scale);
    kit_close(&k);
}

/* At rest friction has faded: the equilibrium is that without it. */
static void test_friction_statics(void **state)
{
    double y[2];
    kit k;
    (void)state;
    kit_text(&k, FREE "gravity: [0, 0, -10]\nnodes: {b: {frame3d: [0, 0, 0]}}\n"
                      "elements:\n"
                      "  m: {mass3d: b, mass: 2, inertia: [1, 1, 1]}\n"
                      "  static: {bushing: [ground, b], k: 5 N/mm}\n"
                      "  law: {bushing_bouc_wen: [ground, b], fz: 30 N, z_half: 0.5 mm}\n");
    kit_static(&k, 2, (const char *const[]){"b.z", "F.Fz"}, y);
    kit_near("place", y[0], -20. / 5000, 1e-12);
    kit_near("friction", y[1], 0, 1e-9);
    kit_close(&k);
}

/* ---- laws without memory ---- */

/* Force and energy of `law` where the body is held at z: at a large turn about z, which no force along z
 * feels. */
static void held(const char *law, double z, double *f, double *e)
{
    char yaml[1500];
    double y[2];
    kit k;
    snprintf(yaml, sizeof yaml,
             "sinew: 1\nnodes: {b: {frame3d: [0.2, 0.1, %.17g], rotation: [0, 0, 1.2]}}\n"
             "elements: {law: {%s, at: [0.2, 0.1, 0]}}\njoints: {hold: {fixed: b}}\n"
             "sensors: {F: {force: law, axes: element}, e: {energy: law}}\nrun: {end: 1 s, step: 1 s}\n",
             0.0, law);
    kit_text(&k, yaml);
    kit_set(&k, "hold.z", z);
    kit_update(&k);
    kit_static(&k, 2, (const char *const[]){"F.Fz", "e.potential"}, y);
    *f = y[0], *e = y[1];
    kit_close(&k);
}

static void test_polynomial(void **state)
{
    (void)state;
    for (double z = -0.012; z < 0.013; z += 0.004) {
        double f, e, x = z - 0.001;
        held("bushing: [ground, b], k: 2e4, k2: [0, 0, 3e5], k3: 5e7, preload: [0, 0, 12], offset: [0, 0, 1 "
             "mm]",
             z, &f, &e);
        kit_near("force", f, 12 + 2e4 * x + 3e5 * x * x + 5e7 * x * x * x, 1e-10);
        kit_near("energy", e, 12 * x + 1e4 * x * x + 1e5 * pow(x, 3) + 1.25e7 * pow(x, 4), 1e-12);
    }
}

/* A preload that carries the weight: the body stays where it is. */
static void test_preload(void **state)
{
    double y = NAN;
    kit k;
    (void)state;
    kit_text(&k, FREE "gravity: [0, 0, -10]\nnodes: {b: {frame3d: [0, 0, 0.3]}}\n"
                      "elements:\n"
                      "  m: {mass3d: b, mass: 2, inertia: [1, 1, 1]}\n"
                      "  law: {bushing: [ground, b], k: 5 N/mm, k3: 1e6, preload: [0, 0, -20 N]}\n");
    kit_static(&k, 1, (const char *const[]){"b.z"}, &y);
    kit_near("place", y, 0.3, 1e-14);
    kit_close(&k);
}

/* The points are met, between them the curve rises, beyond the ends it is straight; the energy is its
   integral (Simpson's rule in each piece between points is exact for cubics). */
static void test_table(void **state)
{
    static const char law[] = "bushing_table: [ground, b], z: [-10 mm, -4 mm, 0, 3 mm, 5 mm, 9 mm], "
                              "fz: [-900 N, -120 N, 0, 60 N, 65 N, 400 N]";
    static const double z[] = {-10e-3, -4e-3, 0, 3e-3, 5e-3, 9e-3}, F[] = {-900, -120, 0, 60, 65, 400};
    double f, e, last = -INFINITY, sum = 0, x;
    (void)state;
    for (int i = 0; i < 6; i++) {
        held(law, z[i], &f, &e);
        kit_near("point", f, F[i], 1e-10);
    }
    for (x = -12e-3; x < 11e-3; x += 0.5e-3, last = f) {
        held(law, x, &f, &e);
        assert_true(f > last);
    }
    held(law, -12e-3, &f, &e);
    kit_near("before the first point", f, -900 - 2e-3 * 780 / 6e-3, 1e-9);
    held(law, 10e-3, &f, &e);
    kit_near("behind the last point", f, 400 + 1e-3 * 335 / 4e-3, 1e-9);
    for (int i = 2; i < 5; i++) {
        held(law, (z[i] + z[i + 1]) / 2, &f, &e);
        sum += (z[i + 1] - z[i]) / 6 * (F[i] + 4 * f + F[i + 1]);
        held(law, z[i + 1], &f, &e);
        kit_near("energy", e, sum, 1e-12);
    }
}

/* A curve of one side, with and without the origin: odd, and alike. */
static void test_symmetric(void **state)
{
    (void)state;
    for (double x = -9e-3; x < 10e-3; x += 1.5e-3) {
        double f[3], e[3];
        held("bushing_table: [ground, b], symmetric: yes, z: [4 mm, 8 mm], fz: [100 N, 500 N]", x, &f[0],
             &e[0]);
        held("bushing_table: [ground, b], symmetric: yes, z: [0, 4 mm, 8 mm], fz: [0, 100 N, 500 N]", x,
             &f[1], &e[1]);
        held("bushing_table: [ground, b], symmetric: yes, z: [4 mm, 8 mm], fz: [100 N, 500 N]", -x, &f[2],
             &e[2]);
        kit_near("with the origin", f[0], f[1], 1e-10);
        kit_near("odd", f[0], -f[2], 1e-10);
        kit_near("energy with the origin", e[0], e[1], 1e-13);
        kit_near("even energy", e[0], e[2], 1e-13);
    }
}

/* Thrown against a stop at 1 m/s: it comes back as fast. w = sqrt(k/m) = 700 rad/s, (w h)^2/12 = 1e-5 with h
   = 1e-5 s, an eighth of an onset's way. The force within the stop is k p^2/(2 onset), then k (p - onset/2).
 */
static void test_stop(void **state)
{
    static const char bounce[] = FREE "nodes: {b: {frame3d: [0, 0, 0], velocity: [0, 0, 1]}}\n"
                                      "elements:\n"
                                      "  m: {mass3d: b, mass: 2, inertia: [1, 1, 1]}\n"
                                      "  law: {bushing_stop: [ground, b], clearance: [1 m, 1 m, 5 mm], k: "
                                      "1e6 N/m, k_lo: [0, 0, 5e5], clearance_lo: 1 mm}\n";
    static const char law[] =
        "bushing_stop: [ground, b], clearance: 5 mm, k: 1e6, k_lo: 5e5, clearance_lo: 1 mm, onset: 2 mm";
    double f, e;
    (void)state;
    kit_near("speed after the upper stop", run_value(bounce, "v.z", 0.013, 1e-5, "newmark"), -1, 1e-5);
    kit_near("speed after both stops", run_value(bounce, "v.z", 0.026, 1e-5, "newmark"), 1, 2e-5);
    held(law, 0.004, &f, &e);
    kit_near("free", f, 0, 0);
    held(law, 0.006, &f, &e);
    kit_near("within the onset", f, 1e6 * 1e-6 / 4e-3, 1e-9);
    held(law, 0.008, &f, &e);
    kit_near("beyond the onset", f, 1e6 * 2e-3, 1e-9);
    held(law, -0.004, &f, &e);
    kit_near("lower stop", f, -5e5 * 2e-3, 1e-9);
}

/* One number for all directions, in the file and set from outside. */
static void test_alike(void **state)
{
    double y = NAN;
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\nparameters: {p: 3 N/mm}\n"
                 "nodes: {b: {frame3d: [0, 0, 0]}}\n"
                 "elements: {m: {mass3d: b, mass: 1, inertia: [1, 1, 1]}, law: {bushing: [ground, b], k: "
                 "2*p, kt: 50 N*m/rad},\n"
                 "  push: {force3d: b, force: [0, 12 N, 0]}}\n"
                 "sensors: {b: {position: b}}\nrun: {end: 1 s, step: 1 ms}\n");
    kit_static(&k, 1, (const char *const[]){"b.y"}, &y);
    kit_near("displacement", y, 12. / 6000, 1e-14);
    kit_set(&k, "law.k", 3e3);
    kit_update(&k);
    kit_static(&k, 1, (const char *const[]){"b.y"}, &y);
    kit_near("displacement of another stiffness", y, 12. / 3000, 1e-14);
    kit_close(&k);
}

/* At the tip of a cantilever, between beam and ground: F L^3/(3 EI + k L^3), small. */
static void test_on_beam(void **state)
{
    double y = NAN;
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\nnodes: {a: [0, 0, 0], b: [1, 0, 0]}\n"
                 "elements:\n"
                 "  beam: {beam3d_cr: [a, b], EA: 1e6, EI_y: 100, EI_z: 100, GJ: 80, rhoA: 1}\n"
                 "  k: {bushing: [b, ground], k: 200, at: [1, 0, 0]}\n"
                 "  table: {bushing_table: [b, ground], at: [1, 0, 0], z: [-1, 1], fz: [-100, 100]}\n"
                 "  relax: {bushing_maxwell: [b, ground], at: [1, 0, 0], kz: 500, tau_z: 0.1}\n"
                 "  push: {force3d: b, force: [0, 0, 6e-4 N]}\n"
                 "joints: {wall: {fixed: a}}\nsensors: {b: {position: b}}\nrun: {end: 1 s, step: 1 ms}\n");
    kit_static(&k, 1, (const char *const[]){"b.z"}, &y);
    kit_near("deflection", y, 6e-4 / (300 + 200 + 100), 1e-12);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relaxation),
        cmocka_unit_test(test_harmonic),
        cmocka_unit_test(test_zener),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_half),
        cmocka_unit_test(test_friction_ida),
        cmocka_unit_test(test_friction_statics),
        cmocka_unit_test(test_polynomial),
        cmocka_unit_test(test_preload),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_on_beam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
