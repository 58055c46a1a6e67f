/* Expressions: gradients and jets against differences, and at the points where formulas break. */
#include "test_expr.h"

/* Every function and operation, smooth around the points used (0.2 < x, y, z < 0.9). */
static const char *const smooth[] = {
    "x + y - z",
    "x*y*z",
    "x/y",
    "z/(x*y)",
    "-x*x",
    "x^2",
    "x^3",
    "x^-2",
    "(x-0.5)^4",
    "(x-2)^3",
    "x^0.5",
    "x^y",
    "2^x",
    "(x+y)^(z*x)",
    "pow(x, y+1)",
    "sin(x*y)",
    "cos(x+2*y)",
    "tan(x)",
    "asin(x)",
    "acos(x*y)",
    "atan(2*x-y)",
    "atan2(x, y)",
    "atan2(x-2,y)",
    "atan2(x, -y-z)",
    "sinh(x)",
    "cosh(x-y)",
    "tanh(2*x)",
    "exp(x*y)",
    "log(x)",
    "log10(x+y)",
    "sqrt(x*y)",
    "abs(x-2)",
    "abs(x)*y",
    "sign(x)*x*y",
    "step(x)*y + step(-x)",
    "min(x, y+2)*z",
    "max(x, y+2)",
    "min(2, x, 3)",
    "hypot(x, y)",
    "hypot(x-2, y*z)",
    "smoothstep(x, -y, 2)",
    "smoothstep(z, 1.5, -x)",
    "smoothstep(x, 2, 3) + x",
    "smoothstep(x, -2, -1)*y",
    "x^2*sin(y)/(1+exp(-z)) + hypot(x, y)^3",
};
enum { NSMOOTH = sizeof smooth / sizeof *smooth };

/* First derivative of sixth order: error h^6 f^(7)/140 + eps f/h, about 1e-11 for h = 0.004 and these
 * functions. */
static const double w6[7] = {-1. / 60, 9. / 60, -45. / 60, 0, 45. / 60, -9. / 60, 1. / 60};
enum { MID = 3 };
static const double step_h = 0.004;

static void near(const char *text, const char *what, double got, double want, double tol)
{
    if (!(fabs(got - want) <= tol * (1 + fabs(want))))
        fail_msg("%s: %s %.15g, not %.15g", text, what, got, want);
}

static void test_gradient(void **state)
{
    unsigned seed = 1;
    (void)state;
    for (int i = 0; i < NSMOOTH; i++) {
        sn_arena a = {0};
        sn_expr *e = parse(&a, smooth[i]);
        for (int run = 0; run < 5; run++) {
            double x[3], g[3], n = sn_expr_nvar(e);
            for (int k = 0; k < 3; k++) x[k] = 0.2 + 0.7 * uniform(&seed);
            assert_true(sn_expr_gradient(e, x, g) == sn_expr_value(e, x));
            for (int k = 0; k < n; k++) {
                double keep = x[k], d = 0;
                for (int j = -3; j <= 3; j++) {
                    x[k] = keep + j * step_h;
                    d += w6[j + MID] * sn_expr_value(e, x) / step_h;
                }
                x[k] = keep;
                near(smooth[i], "gradient", g[k], d, 1e-7);
            }
        }
        sn_arena_free(&a);
    }
}

/* A motion x(t, s) with the jet as its Taylor coefficients at t = s = 0: value and rates at time t. */
static void move(const sn_jet *j, double t, double *x, double *xt, double *xs)
{
    *x = j->f[0] + t * (j->f[1] + t / 2 * j->f[2]);
    *xt = j->f[1] + t * j->f[2];
    *xs = j->d[0] + t * (j->d[1] + t / 2 * j->d[2]);
}

/* F_t and F_s at time t through the gradient, which the test before has checked. */
static void rates(const sn_expr *e, const sn_jet *j, double t, double *ft, double *fs)
{
    double x[3], xt[3], xs[3], g[3];
    *ft = *fs = 0;
    for (int k = 0; k < 3; k++) move(&j[k], t, &x[k], &xt[k], &xs[k]);
    sn_expr_gradient(e, x, g);
    for (int k = 0; k < sn_expr_nvar(e); k++) *ft += g[k] * xt[k], *fs += g[k] * xs[k];
}

static void test_jet(void **state)
{
    /* second derivative of sixth order */
    static const double w2[7] = {2. / 180,   -27. / 180, 270. / 180, -490. / 180,
                                 270. / 180, -27. / 180, 2. / 180};
    unsigned seed = 2;
    (void)state;
    for (int i = 0; i < NSMOOTH; i++) {
        sn_arena a = {0};
        sn_expr *e = parse(&a, smooth[i]);
        for (int run = 0; run < 5; run++) {
            sn_jet j[3], y;
            double x[3], ft, fs, ftt = 0, fst = 0, fstt = 0;
            for (int k = 0; k < 3; k++) {
                for (int q = 0; q < 3; q++)
                    j[k].f[q] = 2 * uniform(&seed) - 1, j[k].d[q] = 2 * uniform(&seed) - 1;
                x[k] = j[k].f[0] = 0.2 + 0.7 * uniform(&seed);
            }
            sn_expr_jet(e, j, &y);
            for (int s = -3; s <= 3; s++) {
                rates(e, j, s * step_h, &ft, &fs);
                ftt += w6[s + MID] * ft / step_h;
                fst += w6[s + MID] * fs / step_h;
                fstt += w2[s + MID] * fs / (step_h * step_h);
            }
            rates(e, j, 0, &ft, &fs);
            near(smooth[i], "f", y.f[0], sn_expr_value(e, x), 1e-14);
            near(smooth[i], "f_t", y.f[1], ft, 1e-13);
            near(smooth[i], "f_tt", y.f[2], ftt, 1e-7);
            near(smooth[i], "f_s", y.d[0], fs, 1e-13);
            near(smooth[i], "f_st", y.d[1], fst, 1e-7);
            near(smooth[i], "f_stt", y.d[2], fstt, 1e-6);
        }
        sn_arena_free(&a);
    }
}

/* Points where formulas with logarithms or quotients would break. */
static void test_exact_points(void **state)
{
    static const struct {
        const char *text;
        double x, y, gx, gy;
    } c[] = {
        {"x^2 + 0*y", 0, 0, 0, 0},     {"x^1 + y^0", 0, 0, 1, 0},     {"x^3 + y", -2, 0, 12, 1},
        {"hypot(x, y)", 0, -2, 0, -1}, {"hypot(x, y)", 0, 0, 0, 0},   {"atan2(x, y)", 0, -2, -0.5, 0},
        {"abs(x) + y", 0, 0, 0, 1},    {"min(x, y)", 1, 1, 0.5, 0.5}, {"max(x, y)", 1, 1, 0.5, 0.5},
        {"x^y", 0, 2, 0, 0},           {"0*sqrt(x) + y", 0, 3, 0, 1}, {"hypot(x, y)", 3e200, 4e200, 0.6, 0.8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        sn_arena a = {0};
        sn_expr *e = parse(&a, c[i].text);
        double x[2] = {c[i].x, c[i].y}, g[2] = {NAN, NAN};
        sn_expr_gradient(e, x, g);
        near(c[i].text, "x", g[0], c[i].gx, 1e-15);
        near(c[i].text, "y", g[1], c[i].gy, 1e-15);
        sn_arena_free(&a);
    }
    /* x = s t at 0: x^2 has d2 = 4 s ds and nothing else; sqrt of a constant 0 stays at rest; (-2)^n, n fixed
     */
    sn_arena a = {0};
    sn_jet x = {{0, 3, 0}, {0, 1, 0}}, y, zero[2] = {{{0, 0, 0}, {0, 0, 0}}},
           p[2] = {{{-2, 1, 0}, {1, 0, 0}}, {{3, 0, 0}, {0, 0, 0}}};
    sn_expr_jet(parse(&a, "x^2"), &x, &y);
    assert_true(y.f[0] == 0 && y.f[1] == 0 && y.f[2] == 18 && y.d[0] == 0 && y.d[1] == 0 && y.d[2] == 12);
    sn_expr_jet(parse(&a, "sqrt(x)"), zero, &y);
    assert_true(y.f[1] == 0 && y.f[2] == 0 && y.d[0] == 0 && y.d[2] == 0);
    sn_expr_jet(parse(&a, "x^y"), p, &y);
    assert_true(y.f[0] == -8 && y.f[1] == 12 && y.f[2] == -12 && y.d[0] == 12 && y.d[1] == -12 &&
                y.d[2] == 6);
    sn_arena_free(&a);
}

/* x = t at t = y, where branches meet. A ramp that ends at y is smooth there: its derivatives by y are those
   of both sides, -1/2, 0 for its rate; kinks are those of the time after. */
static void test_where_branches_meet(void **state)
{
    static const struct {
        const char *text;
        sn_jet y;
    } c[] = {
        {"min(x, y)^2/(2*y) + max(x - y, 0)", {{1, 1, 0}, {-0.5, 0, 0}}},
        {"x - max(x - y, 0)^2/(2*y) - abs(x - y)", {{2, 0, -0.5}, {1, 0.5, 0.25}}},
        {"max(y, x)", {{2, 1, 0}, {0, 0, 0}}},
        {"min(y, x)", {{2, 0, 0}, {1, 0, 0}}},
        {"x + max(y, 2)", {{4, 1, 0}, {0.5, 0, 0}}},
        {"max(0/0, x) + min(x, 0/0)", {{NAN, NAN, NAN}, {NAN, NAN, NAN}}},
    };
    sn_jet x[2] = {{{2, 1, 0}, {0, 0, 0}}, {{2, 0, 0}, {1, 0, 0}}}, y;
    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        sn_arena a = {0};
        sn_expr_jet(parse(&a, c[i].text), x, &y);
        for (int k = 0; k < 3; k++) {
            if (i + 1 == sizeof c / sizeof *c) {
                assert_true(k || isnan(y.f[k]));
                continue;
            }
            near(c[i].text, "f", y.f[k], c[i].y.f[k], 1e-15);
            near(c[i].text, "d", y.d[k], c[i].y.d[k], 1e-15);
        }
        sn_arena_free(&a);
    }
}

static void test_made(void **state)
{
    sn_arena a = {0};
    sn_expr *e;
    const int id[4] = {9, 4, 9, 2};
    const double c[4] = {2, 3, 0.5, -1}, x[4] = {10, 20, 30, 0.5};
    double g[4];
    sn_jet j[3] = {{{1, 2, 3}, {4, 5, 6}}, {{0}, {0}}, {{1, 1, 1}, {1, 1, 1}}}, y;
    (void)state;
    /* equal ids are one variable */
    assert_int_equal(sn_expr_linear(&a, 4, id, c, 7, &e), SN_OK);
    assert_int_equal(sn_expr_nvar(e), 3);
    assert_int_equal(sn_expr_var(e, 2), 2);
    assert_true(sn_expr_value(e, x) == 62 && sn_expr_gradient(e, x, g) == 62);
    assert_true(g[0] == 2.5 && g[1] == 3 && g[2] == -1);
    sn_expr_jet(e, j, &y);
    assert_true(y.f[0] == 8.5 && y.f[2] == 6.5 && y.d[0] == 9 && y.d[2] == 14);
    assert_int_equal(sn_expr_linear(&a, 0, NULL, NULL, 7, &e), SN_OK);
    assert_true(sn_expr_is_number(e) && sn_expr_value(e, NULL) == 7);
    for (int sine = 0; sine < 2; sine++)
        for (int origin = 0; origin < 2; origin++) {
            double v[4], w = 0.5, want = origin ? 10 : 0;
            assert_int_equal(sn_expr_rotated(&a, origin ? 0 : -1, 3, 1, 2, sine, &e), SN_OK);
            assert_int_equal(sn_expr_nvar(e), 3 + origin);
            for (int i = 0; i < sn_expr_nvar(e); i++) v[i] = x[sn_expr_var(e, i)];
            want += sine ? sin(w) * 20 + cos(w) * 30 : cos(w) * 20 - sin(w) * 30;
            near("rotated", "value", sn_expr_value(e, v), want, 1e-15);
        }
    assert_false(sn_expr_is_number(e));
    sn_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient),     cmocka_unit_test(test_jet),
        cmocka_unit_test(test_exact_points), cmocka_unit_test(test_where_branches_meet),
        cmocka_unit_test(test_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
