/* Laminated shells and shells of three corners: plates of plies with closed forms, by both kinds; the
   obstacle course of linear statics with triangles; both kinds side by side. */
#include "verify/shell_kit.h"

static const double pi = 3.14159265358979323846;

#define CARBON                                                                                               \
    "materials: {carbon: {E1: 140e9, E2: 10e9, nu12: 0.3, G12: 5e9, G23: 3e9, rho: 1600}, "                  \
    "steel: {E: 200e9, nu: 0.3, rho: 7850}}\n"

static void strip(double u, double w, double *x) { x[0] = u, x[1] = 0.1 * w, x[2] = 0; }

/* A strip 1 x 0.1 held so that its left end does not bend, pulled in x at the right end by 1 in all; which
   displacement of its middle right end a sensor tells */
static double pulled(const char *shell, const char *extra, int triangles, const char *sensor)
{
    sheet s = {.n = 20, .m = 2, .place = strip, .shell = shell, .extra = extra, .triangles = triangles};
    sheet_begin(&s);
    for (int j = 0; j <= 2; j++) sheet_hold(&s, 0, j, j == 1 ? "x, y, z, rx, ry, rz" : "x, ry");
    sheet_push_edge(&s, 1, 1, 0, 0);
    sheet_watch(&s, "end", 20, 1);
    sheet_add(s.sensors, s.cap, "  e: {strain: e10_1}\n");
    const double u = sheet_linear(&s, sensor);
    sheet_end(&s);
    return u;
}

/* [0/90], bottom first: N11 = 10, all else free but that the element's own membrane follows. With A, B, D of
   closed form e11, k11 follow from four equations in (e11, e22, k11, k22); the end rises by -k11/2. The stiff
   ply, below, is stretched least and lies inside of the bend: k11 > 0, and the end goes down. */
static void test_unsymmetric(void **state)
{
    (void)state;
    const double E1 = 140e9, E2 = 10e9, nu = 0.3, h = 2e-3, f = 1 / (1 - nu * nu * E2 / E1), N = 10;
    const double q1 = f * E1, q2 = f * E2, a = (q1 + q2) * h / 2, c = nu * q2 * h, b = (q2 - q1) * h * h / 8;
    double M[4][5] = {{a, c, b, 0, N},
                      {c, a, 0, -b, 0},
                      {b, 0, a * h * h / 12, c * h * h / 12, 0},
                      {0, -b, c * h * h / 12, a * h * h / 12, 0}};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 4; i++) {
            const double g = i == k ? 0 : M[i][k] / M[k][k];
            for (int j = k; j < 5; j++) M[i][j] -= g * M[k][j];
        }
    const double e11 = M[0][4] / M[0][0], k11 = M[2][4] / M[2][2];
    const char *shell = "axis: [1, 0, 0], plies: [{material: carbon, thickness: 1e-3}, {material: carbon, "
                        "thickness: 1e-3, angle: 90 deg}]";
    assert_true(k11 > 0 && e11 > 0);
    for (int triangles = 0; triangles < 2; triangles++) {
        /* far from the ends a state of constant strain, which both kinds have exactly; five widths from the
           load what differs has died out by exp(-5 pi) = 1.5e-7, with room for the mesh */
        kit_near("stretch", pulled(shell, CARBON, triangles, "e.e11"), e11, 1e-5 * e11);
        kit_near("curvature", pulled(shell, CARBON, triangles, "e.k11"), k11, 1e-5 * k11);
        assert_true(pulled(shell, CARBON, triangles, "end.z") < -0.49 * k11);
    }
}

/* Three isotropic plies, however turned, are the plain shell; plies and axis turned together change nothing;
   a section that shells share is the same as plies of their own. Rounding of the solution: 1e-9. */
static void test_same(void **state)
{
    (void)state;
    const char *plain = "material: steel, thickness: 3e-3",
               *three =
                   "plies: {material: steel, thickness: [1e-3, 0.5e-3, 1.5e-3], angle: [0, 30 deg, -70 deg]}";
    const char *along =
                   "axis: [1, 0, 0], plies: {material: carbon, thickness: 1e-3, angle: [0, 40 deg, -20 deg]}",
               *turned =
                   "axis: [0.866025403784438647, 0.5, 0], plies: {material: carbon, thickness: 1e-3, angle: "
                   "[-30 deg, 10 deg, -50 deg]}";
    const char *shared =
        CARBON "sections: {skin: {laminate: , plies: {material: carbon, thickness: 1e-3, angle: "
               "[0, 40 deg, -20 deg]}}}\n";
    for (int triangles = 0; triangles < 3; triangles++) {
        double u = pulled(plain, CARBON, triangles, "end.x"), v = pulled(along, CARBON, triangles, "end.z");
        kit_near("isotropic plies", pulled(three, CARBON, triangles, "end.x"), u, 1e-9 * fabs(u));
        kit_near("turned", pulled(turned, CARBON, triangles, "end.z"), v, 1e-9 * fabs(v));
        kit_near("shared", pulled("axis: [1, 0, 0], section: skin", shared, triangles, "end.z"), v,
                 1e-9 * fabs(v));
    }
}

/* ---- triangles in the obstacle course: computed over reference ---- */

static void cylinder(double u, double w, double *x)
{
    x[0] = 300 * sin(u * pi / 2), x[1] = 300 * w, x[2] = 300 * cos(u * pi / 2);
}

static double pinched(int n, int triangles)
{
    sheet s = {.n = n,
               .m = n,
               .place = cylinder,
               .shell = "E: 3e6, nu: 0.3, rho: 0, thickness: 3",
               .triangles = triangles};
    sheet_begin(&s);
    sheet_hold_edge(&s, 0, "x, ry, rz"), sheet_hold_edge(&s, 1, "z, rx, ry");
    sheet_hold_edge(&s, 2, "y, rx, rz"), sheet_hold_edge(&s, 3, "x, z");
    sheet_push(&s, 0, 0, 0, 0, -0.25);
    sheet_watch(&s, "top", 0, 0);
    const double u = sheet_linear(&s, "top.z");
    sheet_end(&s);
    return -u / 1.8248e-5;
}

static void roof(double u, double w, double *x)
{
    const double a = u * 40 * pi / 180;
    x[0] = 25 * sin(a), x[1] = 25 * w, x[2] = 25 * cos(a);
}

static double sagging(int n, int triangles)
{
    sheet s = {.n = n,
               .m = n,
               .place = roof,
               .shell = "E: 4.32e8, nu: 0, rho: 360, thickness: 0.25",
               .extra = "gravity: [0, 0, -P]",
               .triangles = triangles};
    sheet_begin(&s);
    sheet_hold_edge(&s, 0, "x, ry, rz"), sheet_hold_edge(&s, 2, "y, rx, rz"), sheet_hold_edge(&s, 3, "x, z");
    sheet_watch(&s, "edge", n, 0);
    const double u = sheet_linear(&s, "edge.z");
    sheet_end(&s);
    return -u / 0.3024;
}

static void dome(double u, double w, double *x)
{
    const double a = u * pi / 2, b = w * 72 * pi / 180;
    x[0] = 10 * cos(b) * cos(a), x[1] = 10 * cos(b) * sin(a), x[2] = 10 * sin(b);
}

static double opening(int n, int triangles)
{
    sheet s = {.n = n,
               .m = n,
               .place = dome,
               .shell = "E: 6.825e7, nu: 0.3, rho: 0, thickness: 0.04",
               .triangles = triangles};
    sheet_begin(&s);
    sheet_hold_edge(&s, 0, "y, rx, rz"), sheet_hold_edge(&s, 1, "x, ry, rz");
    sheet_hold(&s, n / 2, n, "z");
    sheet_push(&s, 0, 0, 1, 0, 0), sheet_push(&s, n, 0, 0, -1, 0);
    sheet_watch(&s, "a", 0, 0);
    const double u = sheet_linear(&s, "a.x");
    sheet_end(&s);
    return u / 0.0930;
}

static void panel(double u, double w, double *x)
{
    const double low = 44 * u, high = 44 + 16 * u;
    x[0] = 48 * u, x[1] = low + w * (high - low), x[2] = 0;
}

static double sheared(int n, int triangles)
{
    sheet s = {.n = n,
               .m = n,
               .place = panel,
               .shell = "E: 1, nu: 1/3, rho: 0, thickness: 1",
               .triangles = triangles};
    sheet_begin(&s);
    sheet_hold_edge(&s, 0, NULL);
    sheet_push_edge(&s, 1, 0, 1, 0);
    sheet_watch(&s, "middle", n, n / 2);
    const double u = sheet_linear(&s, "middle.y");
    sheet_end(&s);
    return u / 23.96;
}

static void quarter(double u, double w, double *x) { x[0] = 5 * u, x[1] = 5 * w, x[2] = 0; }

/* A clamped square plate 10 x 10, t 0.01 (a/t = 1000), under a force at its centre: 0.0056 P a^2/D */
static double clamped(int n, int triangles)
{
    const double D = 1e7 * 1e-6 / 12 / (1 - 0.09);
    sheet s = {.n = n,
               .m = n,
               .place = quarter,
               .shell = "E: 1e7, nu: 0.3, rho: 0, thickness: 0.01",
               .triangles = triangles};
    sheet_begin(&s);
    sheet_hold_edge(&s, 0, "x, ry, rz"), sheet_hold_edge(&s, 2, "y, rx, rz");
    sheet_hold_edge(&s, 1, NULL), sheet_hold_edge(&s, 3, NULL);
    sheet_push(&s, 0, 0, 0, 0, 0.25);
    sheet_watch(&s, "middle", 0, 0);
    const double u = sheet_linear(&s, "middle.z");
    sheet_end(&s);
    return u / (0.0056 * 100 / D);
}

/* Convergence: at 16 a side within `most` of the reference, and closer than at 8 or within the three digits
   that references have. */
static void course(const char *what, double (*run)(int, int), double most)
{
    for (int triangles = 1; triangles <= 2; triangles++) {
        const double a = run(8, triangles), b = run(16, triangles);
        print_message("%s, %s: 8: %.4f, 16: %.4f\n", what, triangles == 1 ? "triangles" : "mixed", a, b);
        if (!(fabs(b - 1) < most)) fail_msg("%s: %.4f at 16", what, b);
        if (!(fabs(b - 1) < fabs(a - 1) || fabs(b - 1) < 5e-3)) fail_msg("%s: %.4f, then %.4f", what, a, b);
    }
}

/* Published for MITC3+ at 16 a side (Ko, Lee, Lee, Bathe, Computers and Structures 193, 2017, as quoted in a
   public test of another program), with the surface's own normals: pinched cylinder 0.931, roof 0.955. */
static void test_course(void **state)
{
    (void)state;
    course("pinched cylinder", pinched, 0.12); /* facets have no common normals: 0.891 */
    course("Scordelis-Lo roof", sagging, 0.06);
    course("hemisphere", opening, 0.03);
    course("Cook's membrane", sheared, 0.12);
    course("clamped plate", clamped, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unsymmetric), cmocka_unit_test(test_same),
                                       cmocka_unit_test(test_course)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
