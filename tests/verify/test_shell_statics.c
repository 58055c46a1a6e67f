/* shell4_mitc in large displacements: problems of Sze, Liu, Lo (Finite Elements in Analysis and Design 40,
   2004), whose published values the element meets to 1 to 3 percent with these meshes, as it should. What is
   compared are numbers of the same element by an independent program, which are printed to four decimals:
   5e-4 of them, as equilibria were solved to 1e-6 there. */
#include "verify/shell_kit.h"

static const double pi = 3.14159265358979323846;

/* Equilibrium under the factor f of all loads, n channels */
static void equilibrium(const sheet *s, double f, int n, const char *const *channel, double *y)
{
    kit k;
    char *text = sheet_text(s, f);
    kit_text(&k, text);
    kit_static(&k, n, channel, y);
    kit_close(&k);
    free(text);
}

static void meets(const char *what, double f, double y, double reference)
{
    char text[96];
    snprintf(text, sizeof text, "%s at %g of the load", what, f);
    kit_near(text, y, reference, 5e-4 * fmax(fabs(reference), 0.1));
}

/* ---- cantilever plates of 16 x 1 shells ---- */

static void strip10(double u, double w, double *x) { x[0] = 10 * u, x[1] = w, x[2] = 0; }
static void strip12(double u, double w, double *x) { x[0] = 12 * u, x[1] = w, x[2] = 0; }

static void test_end_shear(void **state)
{
    (void)state;
    static const double f[] = {.05, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1},
                        w[] = {.6630,  1.3086, 2.4926, 3.4879, 4.2919, 4.9325,
                               5.4436, 5.8550, 6.1903, 6.4670, 6.6984};
    static const char *const tip[] = {"tip.z", "tip.x"};
    sheet s = {.n = 16, .m = 1, .place = strip10, .shell = "E: 1.2e6, nu: 0, rho: 0, thickness: 0.1"};
    double y[2];
    sheet_begin(&s);
    sheet_hold_edge(&s, 0, NULL);
    sheet_push_edge(&s, 1, 0, 0, 4);
    sheet_watch(&s, "tip", 16, 0);
    for (int i = 0; i < 11; i++) {
        equilibrium(&s, f[i], 2, tip, y);
        meets("end shear, W", f[i], y[0], w[i]);
    }
    meets("end shear, U", 1, y[1], -3.2864);
    sheet_end(&s);
}

/* An end moment, to a full circle with M = 2 pi EI/L */
static void test_roll_up(void **state)
{
    (void)state;
    static const double f[] = {.1, .25, .5, .75, 1}, u[] = {.7734, 4.3578, 12.0012, 14.5549, 11.9965},
                        w[] = {3.6477, 7.6425, 7.6505, 2.5525, 0};
    static const char *const tip[] = {"tip.x", "tip.z"};
    double y[2];
    for (int n = 8; n <= 16; n += 8) {
        sheet s = {.n = n, .m = 1, .place = strip12, .shell = "E: 1.2e6, nu: 0, rho: 0, thickness: 0.1"};
        sheet_begin(&s);
        sheet_hold_edge(&s, 0, NULL);
        for (int j = 0; j < 2; j++)
            sheet_add(s.elements, s.cap, "  m%d: {force3d: n%d_%d, torque: [0, -P*25*pi/3, 0]}\n", j, n, j);
        sheet_watch(&s, "tip", n, 0);
        for (int i = n == 8 ? 4 : 0; i < 5; i++) {
            equilibrium(&s, f[i], 2, tip, y);
            meets("roll-up, U", f[i], -y[0], n == 8 ? 12.0125 : u[i]);
            meets("roll-up, W", f[i], y[1], n == 8 ? 0 : w[i]);
        }
        sheet_end(&s);
    }
}

/* ---- slit annulus, lifted along one side of the slit ---- */

static void annulus(double u, double w, double *x)
{
    const double r = 6 + 4 * u, a = 2 * pi * w;
    x[0] = r * cos(a), x[1] = r * sin(a), x[2] = 0;
}

static void test_annulus(void **state)
{
    (void)state;
    static const double f[] = {.1, .2, .4, .6, .8, 1},
                        a[] = {4.2368, 6.6524, 9.3982, 11.0695, 12.3782, 13.5379},
                        b[] = {5.8350, 9.0867, 12.5303, 14.4858, 15.9390, 17.1780};
    static const char *const ends[] = {"a.z", "b.z"};
    double y[2];
    sheet s = {.n = 6, .m = 30, .place = annulus, .shell = "E: 21e6, nu: 0, rho: 0, thickness: 0.03"};
    sheet_begin(&s);
    sheet_hold_edge(&s, 3, NULL);
    sheet_push_edge(&s, 2, 0, 0, 0.8 * 4);
    sheet_watch(&s, "a", 0, 0);
    sheet_watch(&s, "b", 6, 0);
    for (int i = 0; i < 6; i++) {
        equilibrium(&s, f[i], 2, ends, y);
        meets("annulus, inside", f[i], y[0], a[i]);
        meets("annulus, outside", f[i], y[1], b[i]);
    }
    sheet_end(&s);
}

/* ---- hemisphere with a hole, pulled and pushed at the equator: a quarter ---- */

static void dome(double u, double w, double *x)
{
    const double a = u * pi / 2, b = w * 72 * pi / 180;
    x[0] = 10 * cos(b) * cos(a), x[1] = 10 * cos(b) * sin(a), x[2] = 10 * sin(b);
}

static void test_dome(void **state)
{
    (void)state;
    static const double f[] = {.1, .25, .5, .75, 1}, v[] = {1.4886, 2.5759, 3.3808, 3.7896, 4.0410},
                        u[] = {1.8144, 3.7768, 5.8362, 7.1806, 8.1426};
    static const char *const ends[] = {"a.x", "b.y"};
    double y[2];
    sheet s = {.n = 16, .m = 16, .place = dome, .shell = "E: 6.825e7, nu: 0.3, rho: 0, thickness: 0.04"};
    sheet_begin(&s);
    sheet_hold_edge(&s, 0, "y, rx, rz");
    sheet_hold_edge(&s, 1, "x, ry, rz");
    sheet_hold(&s, 8, 16, "z");
    sheet_push(&s, 0, 0, 200, 0, 0), sheet_push(&s, 16, 0, 0, -200, 0);
    sheet_watch(&s, "a", 0, 0);
    sheet_watch(&s, "b", 16, 0);
    for (int i = 0; i < 5; i++) {
        equilibrium(&s, f[i], 2, ends, y);
        meets("hemisphere, pulled", f[i], y[0], v[i]);
        meets("hemisphere, pushed", f[i], -y[1], u[i]);
    }
    sheet_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end_shear),
        cmocka_unit_test(test_roll_up),
        cmocka_unit_test(test_annulus),
        cmocka_unit_test(test_dome),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
