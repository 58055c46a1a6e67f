/* beam3d_ancf and plate_ancf: published and independently computed numbers, orders in the mesh, frequencies,
   motions without force. Derivatives: test_gradient_kinds.c; objectivity: conformance. */
#include "verify/kit.h"

static const char *const place[] = {"tip.x", "tip.y", "tip.z"};

static void run_static(const char *text, int n, double *y)
{
    kit k;
    kit_text(&k, text);
    kit_static(&k, n, place, y);
    kit_close(&k);
}

/* Errors of the elastica (P 10) with L/H = 100 and 4, 8, 16 elements. */
static void elastica_of(const char *strains, double *e)
{
    double y[2];
    char text[900];
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text,
                 "sinew: 1\nparameters: {H: 0.01, GA: 12/H^2/2}\n"
                 "nodes: {a: [0, 0, 0], b: [1, 0, 0]}\n"
                 "elements:\n"
                 "  beam: {beam3d_ancf: [a, b], EA: 12/H^2, EI_y: 1, EI_z: 1, GJ: 1, kGA_y: 5/6*GA,\n"
                 "         kGA_z: 5/6*GA, GA: GA, rhoA: 1, rhoI_y: H^2/12, rhoI_z: H^2/12, strains: %s, "
                 "elements: %d}\n"
                 "  load: {force3d: b, force: [0, 10, 0]}\n"
                 "joints: {clamp: {fixed: a.frame}}\n"
                 "sensors: {tip: {position: b}}\nrun: {tolerance: 1e-10}\n",
                 strains, 4 << i);
        run_static(text, 2, y);
        e[i] = hypot(y[0] - (1 - .55499560), y[1] - .81060902);
        print_message("%s, %d elements: %.2e\n", strains, 4 << i, e[i]);
    }
}

/* Another program with these strains has the errors 1.7e-2, 4.5e-3, 1.2e-3 (two digits); order two. */
static void tied_elastica(void **state)
{
    static const double error[] = {1.7e-2, 4.5e-3, 1.2e-3};
    double e[3];
    (void)state;
    elastica_of("tied", e);
    for (int i = 0; i < 3; i++) kit_within("error over the other program's", e[i] / error[i], 0.95, 1.05);
    kit_within("order", order_of(e[0], e[1]), 1.8, 2.2);
    kit_within("order", order_of(e[1], e[2]), 1.8, 2.2);
}

/* Integrated strains lock: four elements hardly bend. Another program has the errors .41, .11, .013 with the
   curvatures integrated by Gauss's rule as well; the number of its points is not known, so a tenth is left.
 */
static void locking(void **state)
{
    static const double error[] = {.41, .11, .013};
    double e[3];
    (void)state;
    elastica_of("integrated", e);
    for (int i = 0; i < 3; i++) kit_within("error over the other program's", e[i] / error[i], 0.9, 1.1);
}

/* The Princeton beam of test_beam3d_ge.c: with 8 elements 7.3e-4 of the length away by another program. */
static void princeton(void **state)
{
    double y[3];
    (void)state;
    run_static("sinew: 1\n"
               "parameters: {h: 12.3777e-3, w: 3.2024e-3, E: 71.7e9, k: 5/6*E/2.62*h*w, rho: 2700}\n"
               "nodes: {root: [0, 0, 0], end: [0.508, 0, 0]}\n"
               "elements:\n"
               "  beam: {beam3d_ancf: [root, end], EA: E*h*w, EI_z: E*w*h^3/12, EI_y: E*h*w^3/12,\n"
               "         GJ: 3.2097, kGA_y: k, kGA_z: k, GA: E/2.62*h*w, rhoA: rho*h*w,\n"
               "         rhoI_y: rho*h*w^3/12, rhoI_z: rho*w*h^3/12, elements: 8}\n"
               "  load: {force3d: end, force: [0, 8.896*cos(45 deg), 8.896*sin(45 deg)]}\n"
               "joints: {clamp: {fixed: root.frame}}\n"
               "sensors: {tip: {displacement: end}}\nrun: {tolerance: 1e-10}\n",
               3, y);
    const double off = hypot(y[1] - .0088372, y[2] - .1089935) / .508;
    print_message("off by %.2e\n", off);
    kit_within("distance from Reissner's beam", off, 6.8e-4, 7.8e-4);
}

/* Sze, Liu and Lo (2004): strip 10 x 1 x 0.1, E 1.2e6, nu 0, end force 4. Bicubic plates by another program:
   W = 6.819, 6.7084, 6.7004, 6.69996 with 2, 4, 8, 16 along it; exact without transverse shear 6.69986. */
static void strip(void **state)
{
    static const double want[] = {6.819, 6.7084, 6.7004, 6.69996}, digit[] = {1e-3, 1e-4, 1e-4, 1e-5};
    char text[700];
    double y[3];
    (void)state;
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text,
                 "sinew: 1\n"
                 "nodes: {a: [0, 0, 0], b: [10, 0, 0], c: [10, 1, 0], d: [0, 1, 0]}\n"
                 "elements:\n"
                 "  plate: {plate_ancf: [a, b, c, d], E: 1.2e6, nu: 0, thickness: 0.1, rho: 1,\n"
                 "          elements: [%d, 1]}\n"
                 "  load: {force3d: plate.edge2, force: [0, 0, 4], spread: force}\n"
                 "joints: {clamp: {fixed: plate.edge4.frame}}\n"
                 "sensors: {tip: {displacement: b}}\nrun: {tolerance: 1e-10}\n",
                 2 << i);
        run_static(text, 3, y);
        print_message("%2d elements: %.6f\n", 2 << i, y[2]);
        kit_near("W", y[2], want[i], digit[i]);
    }
}

/* A plate 1 x 1, t .01, E 2.1e8, nu .3, rho 500, clamped at x = 0, falls for .2 s: 2 x 2 elements have the
   corner at (.96369, -.25091), 4 x 4 at (.96382, -.25094) by another program, which holds all coordinates of
   the clamped nodes, the lengths of slopes too, and has no stiffness against gradients of membrane strains;
   both matter less than the mesh, whose limit is 2e-4 away: 1e-4. */
static void falling_plate(void **state)
{
    static const double want[2][2] = {{.96369, -.25091}, {.96382, -.25094}};
    static const char *const name[] = {"tip.x", "tip.z"};
    char text[700];
    double y[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        kit k;
        snprintf(text, sizeof text,
                 "sinew: 1\ngravity: [0, 0, -9.81]\n"
                 "nodes: {a: [0, 0, 0], b: [1, 0, 0], c: [1, 1, 0], d: [0, 1, 0]}\n"
                 "elements:\n"
                 "  plate: {plate_ancf: [a, b, c, d], E: 2.1e8, nu: 0.3, thickness: 0.01, rho: 500,\n"
                 "          elements: [%d, %d]}\n"
                 "joints: {clamp: {fixed: plate.edge4.frame}}\n"
                 "sensors: {tip: {position: b}}\nrun: {end: 0.2, step: 1e-3, rho: 0.8}\n",
                 2 << i, 2 << i);
        kit_text(&k, text);
        kit_values(&k, 0.2, 2, name, y);
        kit_close(&k);
        print_message("%d x %d: %.6f %.6f\n", 2 << i, 2 << i, y[0], y[1]);
        for (int j = 0; j < 2; j++) kit_near(name[j], y[j], want[i][j], 1e-4);
    }
}

enum { MODES = 8 };

static sn_status keep(void *ctx, int i, const sn_mode *mode, const sn_frame *at, sn_err *err)
{
    (void)at, (void)err;
    if (i < MODES) ((double *)ctx)[i] = kit_omega(mode);
    return SN_OK;
}

static void frequencies_of(const char *text, double *omega)
{
    int found = 0;
    kit k;
    kit_text(&k, text);
    sn_mode_options o = sn_mode_options_default(k.m, k.p);
    o.n = MODES, o.mode = keep, o.ctx = omega, o.run.tolerance = 1e-10;
    kit_good(&k, sn_modes(k.m, k.p, &o, &found, &k.err));
    assert_int_equal(found, MODES);
    kit_close(&k);
}

/* A free square plate moves in six ways without force and in no other. Its lowest frequencies, omega a^2
   sqrt(rho t/D) with nu .3, are 13.468 and 19.596 (Leissa's table refined by others). The interpolation is
   conforming, so those of 4 x 4 elements are above, by (beta h)^4/720 at most: 1e-3 with beta h = 1. */
static void free_plate(void **state)
{
    double omega[MODES];
    (void)state;
    frequencies_of(
        "sinew: 1\nparameters: {h: 0.01}\n"
        "nodes: {a: [0, 0, 0], b: [1, 0, 0], c: [1, 1, 0], d: [0, 1, 0]}\n"
        "elements: {plate: {plate_ancf: [a, b, c, d], E: 12*(1 - 0.09)/h^3, nu: 0.3, thickness: h,\n"
        "                   rho: 1/h, elements: [4, 4]}}\n",
        omega);
    for (int i = 0; i < MODES; i++) print_message("%g\n", omega[i]);
    for (int i = 0; i < 6; i++) kit_within("rigid", fabs(omega[i]), 0, 1e-3 * omega[6]);
    kit_within("first", omega[6] / 13.468, 0.9999, 1.002);
    kit_within("second", omega[7] / 19.596, 0.9999, 1.002);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tied_elastica), cmocka_unit_test(locking),
                                       cmocka_unit_test(princeton),     cmocka_unit_test(strip),
                                       cmocka_unit_test(falling_plate), cmocka_unit_test(free_plate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
