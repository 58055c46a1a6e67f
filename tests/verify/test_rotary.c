/* Beams whose rotary inertia is large: the flying beam of Simo and Vu-Quoc (1988) has one limit, whatever
   the mass of its translations, and the same in the plane and in space; Rayleigh's and Timoshenko's
   frequencies; the whirl of a spinning shaft.

   Half of the sections' rotary inertia is at each node: errors are in even powers of the length of an
   element. */
#include "verify/kit.h"

enum { MESHES = 3, CHANNELS = 6 };
static const char *const name[CHANNELS] = {"a.x", "a.y", "a.z", "b.x", "b.y", "b.z"};

static const char space[] =
    "sinew: 1\n"
    "signals: {T: {table: [[0, 0], [2.5, 200], [5, 0], [20, 0]]}}\n"
    "nodes: {a: [6, 0, 0], b: [0, 8, 0]}\n"
    "elements:\n"
    "  beam: {beam3d_cr: [a, b], EA: 1e4, EI_y: 500, EI_z: 500, GJ: 500, kGA_y: %g, kGA_z: %g,\n"
    "         rhoA: 1, rhoI_y: 10, rhoI_z: 10, elements: %d, mass: %s}\n"
    "  load: {force3d: a, force: [0.1*T, 0, 0], torque: [0, %g*T, -T]}\n"
    "sensors: {a: {position: a}, b: {position: b}}\n"
    "run: {end: 10, step: 0.02, scheme: newmark, tolerance: 1e-9}\n";

static const char plane[] = "sinew: 1\n"
                            "signals: {T: {table: [[0, 0], [2.5, 200], [5, 0], [20, 0]]}}\n"
                            "nodes: {a: [6, 0], b: [0, 8]}\n"
                            "elements:\n"
                            "  beam: {beam2d_cr: [a, b], EA: 1e4, EI: 500, rhoA: 1, rhoI: 10, elements: %d}\n"
                            "  load: {force2d: a, force: [0.1*T, 0], torque: -T}\n"
                            "sensors: {a: {position: a}, b: {position: b}}\n"
                            "run: {end: 10, step: 0.02, scheme: newmark, tolerance: 1e-9}\n";

/* The positions extrapolated from the meshes of 16 and 32 elements, and from those of 32 and 64 */
static void limits(const char *mass, double kGA, double about_y, double y[2][CHANNELS])
{
    double x[MESHES][CHANNELS] = {{0}};
    for (int i = 0; i < MESHES; i++) {
        char text[1500];
        kit k;
        if (mass) {
            snprintf(text, sizeof text, space, kGA, kGA, 16 << i, mass, about_y);
            kit_text(&k, text);
            kit_values(&k, 10, CHANNELS, name, x[i]);
        } else {
            static const char *const flat[4] = {"a.x", "a.y", "b.x", "b.y"};
            double z[4];
            snprintf(text, sizeof text, plane, 16 << i);
            kit_text(&k, text);
            kit_values(&k, 10, 4, flat, z);
            x[i][0] = z[0], x[i][1] = z[1], x[i][3] = z[2], x[i][4] = z[3];
        }
        kit_close(&k);
    }
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < CHANNELS; c++) y[i][c] = richardson(x[i][c], x[i + 1][c], 2);
}

/* The next term of the error falls by 16, so that the last extrapolation is off by a fifteenth of the
   difference to the one before: the sum of both differences is room enough for all the terms behind it. */
static void same_limit(double y[2][CHANNELS], double z[2][CHANNELS])
{
    for (int c = 0; c < CHANNELS; c++) {
        double off = fabs(y[1][c] - y[0][c]) + fabs(z[1][c] - z[0][c]);
        print_message("%s %.6f %.6f, differ by %.1e, extrapolations moved by %.1e\n", name[c], y[1][c],
                      z[1][c], y[1][c] - z[1][c], off);
        assert_true(off < 5e-3);
        kit_near(name[c], y[1][c], z[1][c], off + 1e-7);
    }
}

static void one_limit_in_space(void **state)
{
    static const char *const mass[] = {"consistent", "lumped"};
    static const double kGA[] = {1e4, 0};
    (void)state;
    for (int s = 0; s < 2; s++) {
        double y[2][CHANNELS], z[2][CHANNELS];
        limits("linear", kGA[s], -0.5, z);
        for (int i = 0; i < 2; i++) {
            print_message("kGA %g, %s and linear\n", kGA[s], mass[i]);
            limits(mass[i], kGA[s], -0.5, y);
            same_limit(y, z);
        }
    }
}

static void one_limit_in_the_plane(void **state)
{
    double y[2][CHANNELS], z[2][CHANNELS];
    (void)state;
    limits("linear", 0, 0, z);
    limits(NULL, 0, 0, y);
    same_limit(y, z);
}

enum { MODES = 3 };

static sn_status keep(void *ctx, int i, const sn_mode *mode, const sn_frame *at, sn_err *err)
{
    (void)at, (void)err;
    if (i < MODES) ((double *)ctx)[i] = kit_omega(mode);
    return SN_OK;
}

/* Simply supported, L = 1, wave number k = i pi: rhoI/kGA w^4 - (1 + rhoI k^2 + EI/kGA k^2) w^2 + EI k^4 = 0
   with rhoA = 1; rigid in shear w^2 = EI k^4/(1 + rhoI k^2) (Timoshenko 1921, Rayleigh 1877). The smaller
   root of each is bending. rhoI 0.02: the section's radius of gyration is 0.14, of an element's size. */
static void supported_frequencies(int space_beam, double EI, double kGA, double rhoI)
{
    const double pi = acos(-1);
    double omega[3][MODES];
    for (int m = 0; m < 3; m++) {
        char text[1000];
        kit k;
        int found = 0;
        if (space_beam)
            snprintf(text, sizeof text,
                     "sinew: 1\n"
                     "nodes: {a: [0, 0, 0], b: [1, 0, 0]}\n"
                     "elements:\n"
                     "  beam: {beam3d_cr: [a, b], EA: 1e4, EI_y: 40, EI_z: %g, GJ: 40, kGA_y: %g, rhoA: 1,\n"
                     "         rhoI_z: %g, rhoI_y: 0, rhoJ: 0.01, orientation: [0, 1, 0], elements: %d}\n"
                     "joints: {a: {fixed: a, only: [x, y, z, rx]}, b: {fixed: b, only: [y, z]}}\n",
                     EI, kGA, rhoI, 16 << m);
        else
            snprintf(
                text, sizeof text,
                "sinew: 1\n"
                "nodes: {a: [0, 0], b: [1, 0]}\n"
                "elements: {beam: {beam2d_cr: [a, b], EA: 1e4, EI: %g, rhoA: 1, rhoI: %g, elements: %d}}\n"
                "joints: {a: {fixed: a, only: [x, y]}, b: {fixed: b, only: [y]}}\n",
                EI, rhoI, 16 << m);
        kit_text(&k, text);
        sn_mode_options o = sn_mode_options_default(k.m, k.p);
        o.n = MODES, o.mode = keep, o.ctx = omega[m], o.run.tolerance = 1e-12;
        kit_good(&k, sn_modes(k.m, k.p, &o, &found, &k.err));
        assert_int_equal(found, MODES);
        kit_close(&k);
    }
    for (int i = 0; i < MODES; i++) {
        double k2 = pow((i + 1) * pi, 2), s = kGA > 0 ? 1 / kGA : 0;
        double b = 1 + rhoI * k2 + EI * s * k2, root = b + sqrt(b * b - 4 * rhoI * s * EI * k2 * k2);
        double exact = sqrt(2 * EI * k2 * k2 / root), e[3], limit[2];
        for (int m = 0; m < 3; m++) e[m] = omega[m][i] / exact - 1;
        for (int m = 0; m < 2; m++) limit[m] = richardson(e[m], e[m + 1], 2);
        print_message("mode %d: %.8f, errors %.2e %.2e %.2e, extrapolated %.1e %.1e\n", i + 1, exact, e[0],
                      e[1], e[2], limit[0], limit[1]);
        /* The extrapolation is of fourth order: a sixteenth of the one before, twice that for what follows.
           The stiffest vibration of the finest mesh has omega^2 = 1e12: rounding leaves some 1e-16 of it. */
        kit_near("extrapolated frequency, relative", limit[1], 0,
                 fabs(limit[0]) / 8 + 1e-4 / (exact * exact));
        assert_true(fabs(limit[0]) < 1e-3);
    }
}

static void rayleigh_in_the_plane(void **state)
{
    (void)state;
    supported_frequencies(0, 1, 0, 0.02);
}

static void rayleigh_in_space(void **state)
{
    (void)state;
    supported_frequencies(1, 1, 0, 0.02);
}

static void timoshenko(void **state)
{
    (void)state;
    supported_frequencies(1, 1, 60, 0.02);
}

/* A shaft that spins at W in two bearings gets the load f sin(pi x/L) at once. In its first mode shape, with
   k = pi/L and the deflection z = y + i z, (rhoA + rhoI k^2) z'' - i W rhoJ k^2 z' + EI k^4 z = f: two whirls
   w1 > 0 > w2, z = z0 (1 - (w1 e^(i w2 t) - w2 e^(i w1 t))/(w1 - w2)). Errors fall with the square of the
   element's length and of the step, both halved together. The deflection of 1e-5 L changes stiffness and spin
   by its square. */
static void spinning_shaft(void **state)
{
    static const char *const channel[] = {"m.y", "m.z"};
    const double pi = acos(-1), k2 = pi * pi, m = 1 + 0.02 * k2, W = 40, f = 1e-3, t = 0.5;
    double g = 0.04 * W * k2 / (2 * m), d = sqrt(g * g + k2 * k2 / m), w1 = g + d, w2 = g - d,
           z0 = f / (k2 * k2);
    double exact[2] = {z0 * (1 - (w1 * cos(w2 * t) - w2 * cos(w1 * t)) / (w1 - w2)),
                       -z0 * (w1 * sin(w2 * t) - w2 * sin(w1 * t)) / (w1 - w2)};
    double y[3][2];
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[1200];
        kit k;
        snprintf(text, sizeof text,
                 "sinew: 1\n"
                 "nodes: {a: {at: [0, 0, 0], spin: [%g, 0, 0]}, b: {at: [1, 0, 0], spin: [%g, 0, 0]}}\n"
                 "elements:\n"
                 "  shaft: {beam3d_cr: [a, b], EA: 1e4, EI_y: 1, EI_z: 1, GJ: 1, rhoA: 1, rhoI_y: 0.02,\n"
                 "          rhoI_z: 0.02, elements: %d}\n"
                 "  load: {force3d: shaft, per_length: [0, %g*sin(pi*xi), 0]}\n"
                 "joints: {a: {fixed: a, only: [x, y, z]}, b: {fixed: b, only: [y, z]}}\n"
                 "sensors: {m: {displacement: shaft.n%d}}\n"
                 "run: {end: 0.5, step: 1, scheme: newmark, tolerance: 1e-10}\n",
                 W, W, 4 << i, f, 2 << i);
        kit_text(&k, text);
        k.o.step = 4e-3 / (1 << i);
        kit_values(&k, t, 2, channel, y[i]);
        kit_close(&k);
    }
    for (int c = 0; c < 2; c++) {
        double coarse = richardson(y[0][c], y[1][c], 2) - exact[c],
               fine = richardson(y[1][c], y[2][c], 2) - exact[c];
        print_message("%s %.6e, errors %.1e %.1e %.1e, extrapolated %.1e %.1e\n", channel[c], exact[c],
                      y[0][c] - exact[c], y[1][c] - exact[c], y[2][c] - exact[c], coarse, fine);
        kit_near(channel[c], fine, 0, fabs(coarse) / 4 + 1e-6 * z0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_limit_in_space),
                                       cmocka_unit_test(one_limit_in_the_plane),
                                       cmocka_unit_test(rayleigh_in_the_plane),
                                       cmocka_unit_test(rayleigh_in_space),
                                       cmocka_unit_test(timoshenko),
                                       cmocka_unit_test(spinning_shaft)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
