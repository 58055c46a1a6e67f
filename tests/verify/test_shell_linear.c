/* shell4_mitc in linear statics: obstacle courses for shells (MacNeal, Harder 1985; Belytschko et al. 1985)
   and Cook's membrane. What is compared are numbers of the same element, computed by an independent program
   and printed with four digits: relative 1e-4 for the last digit and the solution of the equations; and the
   published values, which these meshes are known to reach to a few percent. */
#include "verify/shell_kit.h"

static const double pi = 3.14159265358979323846;

/* computed/reference is `ratio`: half a unit of the fourth decimal, and 5e-5 for the rest */
static void reach(const char *what, int n, double u, double reference, double ratio)
{
    char text[96];
    snprintf(text, sizeof text, "%s with %d a side, over the reference", what, n);
    kit_near(text, u / reference, ratio, 1e-4);
}

/* ---- pinched cylinder between diaphragms: an eighth ---- */

static void cylinder(double u, double w, double *x)
{
    x[0] = 300 * sin(u * pi / 2), x[1] = 300 * w, x[2] = 300 * cos(u * pi / 2);
}

static double pinched(int n, const char *shell)
{
    sheet s = {.n = n, .m = n, .place = cylinder, .shell = shell};
    sheet_begin(&s);
    sheet_hold_edge(&s, 0, "x, ry, rz");
    sheet_hold_edge(&s, 1, "z, rx, ry");
    sheet_hold_edge(&s, 2, "y, rx, rz");
    sheet_hold_edge(&s, 3, "x, z");
    sheet_push(&s, 0, 0, 0, 0, -0.25);
    sheet_watch(&s, "top", 0, 0);
    const double u = sheet_linear(&s, "top.z");
    sheet_end(&s);
    return -u;
}

static void test_cylinder(void **state)
{
    (void)state;
    static const double ratio[] = {.3877, .7538, .9320, .9894};
    const char *shell = "E: 3e6, nu: 0.3, rho: 0, thickness: 3";
    for (int i = 0; i < 4; i++)
        reach("pinched cylinder", 4 << i, pinched(4 << i, shell), 1.8248e-5, ratio[i]);
}

/* ---- Scordelis-Lo roof: a quarter, 90 a unit of area ---- */

static void roof(double u, double w, double *x)
{
    const double a = u * 40 * pi / 180;
    x[0] = 25 * sin(a), x[1] = 25 * w, x[2] = 25 * cos(a);
}

static double sagging(int n)
{
    sheet s = {.n = n,
               .m = n,
               .place = roof,
               .shell = "E: 4.32e8, nu: 0, rho: 360, thickness: 0.25",
               .extra = "gravity: [0, 0, -P]"};
    sheet_begin(&s);
    sheet_hold_edge(&s, 0, "x, ry, rz");
    sheet_hold_edge(&s, 2, "y, rx, rz");
    sheet_hold_edge(&s, 3, "x, z");
    sheet_watch(&s, "edge", n, 0);
    const double u = sheet_linear(&s, "edge.z");
    sheet_end(&s);
    return -u;
}

static void test_roof(void **state)
{
    (void)state;
    static const double ratio[] = {1.0456, 1.0057, .9979, .9967};
    for (int i = 0; i < 4; i++) reach("Scordelis-Lo roof", 4 << i, sagging(4 << i), 0.3024, ratio[i]);
}

/* ---- hemisphere with a hole of 18 degrees: a quarter ---- */

static void dome(double u, double w, double *x)
{
    const double a = u * pi / 2, b = w * 72 * pi / 180;
    x[0] = 10 * cos(b) * cos(a), x[1] = 10 * cos(b) * sin(a), x[2] = 10 * sin(b);
}

static double opening(int n)
{
    sheet s = {.n = n, .m = n, .place = dome, .shell = "E: 6.825e7, nu: 0.3, rho: 0, thickness: 0.04"};
    sheet_begin(&s);
    sheet_hold_edge(&s, 0, "y, rx, rz");
    sheet_hold_edge(&s, 1, "x, ry, rz");
    sheet_hold(&s, n / 2, n, "z");
    sheet_push(&s, 0, 0, 1, 0, 0), sheet_push(&s, n, 0, 0, -1, 0);
    sheet_watch(&s, "a", 0, 0);
    const double u = sheet_linear(&s, "a.x");
    sheet_end(&s);
    return u;
}

static void test_dome(void **state)
{
    (void)state;
    static const double ratio[] = {1.0000, .9983, 1.0010, 1.0042};
    for (int i = 0; i < 4; i++) reach("hemisphere", 4 << i, opening(4 << i), 0.0930, ratio[i]);
}

/* ---- twisted beam ---- */

static void twisted(double u, double w, double *x)
{
    const double a = u * pi / 2, b = 1.1 * (w - 0.5);
    x[0] = 12 * u, x[1] = b * cos(a), x[2] = b * sin(a);
}

/* The end's displacement in the direction of a force of 1 across the twisted end (out of its plane) or along
 * it */
static double bending(int n, int in_plane, const char *shell)
{
    sheet s = {.n = 12 * n, .m = 2 * n, .place = twisted, .shell = shell};
    sheet_begin(&s);
    sheet_hold_edge(&s, 0, NULL);
    sheet_push(&s, 12 * n, n, 0, !in_plane, in_plane);
    sheet_watch(&s, "end", 12 * n, n);
    const double u = sheet_linear(&s, in_plane ? "end.z" : "end.y");
    sheet_end(&s);
    return u;
}

static void test_twisted(void **state)
{
    (void)state;
    static const double thick[2][3] = {{.9877, .9966, .9990}, {.9954, .9975, .9983}},
                        thin[2][3] = {{.9877, .9957, .9983}, {1.0036, .9976, .9983}};
    for (int n = 0; n < 3; n++)
        for (int in_plane = 0; in_plane < 2; in_plane++) {
            double u = bending(1 << n, in_plane, "E: 29e6, nu: 0.22, rho: 0, thickness: 0.32"),
                   v = bending(1 << n, in_plane, "E: 29e6, nu: 0.22, rho: 0, thickness: 0.0032");
            reach("twisted beam", 1 << n, u, in_plane ? 5.424e-3 : 1.754e-3, thick[in_plane][n]);
            reach("thin twisted beam", 1 << n, v, in_plane ? 5256 : 1294, thin[in_plane][n]);
        }
}

/* ---- Cook's membrane ---- */

static void panel(double u, double w, double *x)
{
    const double low = 44 * u, high = 44 + 16 * u;
    x[0] = 48 * u, x[1] = low + w * (high - low), x[2] = 0;
}

static double sheared(int n, const char *shell)
{
    sheet s = {.n = n, .m = n, .place = panel, .shell = shell};
    sheet_begin(&s);
    sheet_hold_edge(&s, 0, NULL);
    sheet_push_edge(&s, 1, 0, 1, 0);
    sheet_watch(&s, "middle", n, n / 2);
    const double u = sheet_linear(&s, "middle.y");
    sheet_end(&s);
    return u;
}

static void test_cook(void **state)
{
    (void)state;
    static const double enhanced[] = {21.05, 23.02, 23.69, 23.88}, plain[] = {11.85, 18.30, 22.08, 23.43};
    for (int i = 0; i < 4; i++) {
        /* printed to two decimals */
        kit_near("Cook's membrane", sheared(2 << i, "E: 1, nu: 1/3, rho: 0, thickness: 1"), enhanced[i],
                 0.0055);
        kit_near("Cook's membrane without enhanced strains",
                 sheared(2 << i, "E: 1, nu: 1/3, rho: 0, thickness: 1, eas: no"), plain[i], 0.0055);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cylinder), cmocka_unit_test(test_roof), cmocka_unit_test(test_dome),
        cmocka_unit_test(test_twisted),  cmocka_unit_test(test_cook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
