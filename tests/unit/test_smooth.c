/* Smoothing splines against closed forms: what passes unchanged, the natural spline's own equations, noise
   and its effect on derivatives against theory. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "identify/smooth.h"
#include "counted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979324;
enum { MOST = 2001 };
static double t[MOST], y[MOST];

/* Normal numbers by Box and Muller from a congruential generator: the same everywhere. */
static double normal(uint64_t *seed)
{
    double u[2];
    for (int i = 0; i < 2; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        u[i] = ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
    }
    return sqrt(-2 * log(u[0])) * cos(2 * pi * u[1]);
}

static sn_smooth *smooth(int n, sn_smooth_options o)
{
    sn_err err;
    sn_smooth *s;
    sn_err_clear(&err);
    sn_status status = sn_smooth_new(n, t, y, &o, &s, &err);
    if (status) fail_msg("%s", err.report[0].text);
    return s;
}

static void near(const char *what, double x, double expected, double allowed)
{
    if (!(fabs(x - expected) <= allowed))
        fail_msg("%s: %.15g, not %.15g: off by %.3g, allowed %.3g", what, x, expected, x - expected, allowed);
}

/* Uneven samples: distances between 0.5 and 1.5 hundredths. */
static void uneven(int n)
{
    for (int i = 0; i < n; i++) t[i] = 1 + 0.01 * i + 0.0025 * sin(7.0 * i);
}

/* Polynomials of degree m - 1 have no penalty: they pass whatever it is, values and derivatives, also beyond
   the samples. Order 4: cubics. Rounding of second derivatives is about eps |y|/h^2 = 2e-16/1e-4, times the
   condition of three-point formulas and of the system (1e3). */
static void test_polynomials(void **state)
{
    (void)state;
    uneven(60);
    const double penalty[] = {0, 1e-6, 1, 1e6};
    for (int m = 2; m <= 4; m++)
        for (int k = 0; k < 4; k++) {
            const double c[4] = {0.3, -1.2, m > 2 ? 0.8 : 0, m > 3 ? -2.5 : 0};
            for (int i = 0; i < 60; i++) y[i] = c[0] + t[i] * (c[1] + t[i] * (c[2] + t[i] * c[3]));
            sn_smooth *s = smooth(60, (sn_smooth_options){.order = m, .penalty = penalty[k]});
            for (double x = 0.95; x < 1.65; x += 0.0137) {
                double z[3];
                sn_smooth_at(s, x, z);
                near("value", z[0], c[0] + x * (c[1] + x * (c[2] + x * c[3])), 1e-11);
                near("rate", z[1], c[1] + x * (2 * c[2] + x * 3 * c[3]), 1e-9);
                near("acceleration", z[2], 2 * c[2] + 6 * c[3] * x, 1e-6);
            }
            assert_true(s->noise < 1e-12);
            sn_smooth_free(s);
        }
}

/* A cubic between natural ends is not natural, but far from the ends, where their influence has decayed (by
   2 - sqrt 3 a sample), the cubic spline without penalty is the cubic itself: 40 samples, 1e-22. */
static void test_cubic_inside(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) t[i] = 0.01 * i, y[i] = t[i] * t[i] * t[i] - t[i];
    sn_smooth *s = smooth(100, (sn_smooth_options){.order = 2, .penalty = 1e-30});
    for (double x = 0.45; x < 0.55; x += 0.0031) {
        double z[3];
        sn_smooth_at(s, x, z);
        near("value", z[0], x * x * x - x, 1e-14);
        near("rate", z[1], 3 * x * x - 1, 1e-12);
        near("acceleration", z[2], 6 * x, 1e-10);
    }
    sn_smooth_free(s);
}

/* The spline's own optimality: the residual is alpha Q gamma, so that (order 2, unit distance) its sum and
   first moment vanish, and second derivatives at the ends are zero. Between knots value and derivatives
   agree. */
static void test_natural(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int m = 2; m <= 4; m++) {
        uneven(80);
        for (int i = 0; i < 80; i++) y[i] = sin(9 * t[i]) + 0.1 * normal(&seed);
        sn_smooth *s = smooth(80, (sn_smooth_options){.order = m, .penalty = 3});
        double sum = 0, moment = 0, z[3], a[3], b[3];
        for (int i = 0; i < 80; i++) sum += y[i] - s->g[i], moment += (y[i] - s->g[i]) * t[i];
        near("sum of residuals", sum, 0, 1e-11);
        near("moment of residuals", moment, 0, 1e-11);
        for (double x = 1.003; x < 1.78; x += 0.0171) {
            const double h = 1e-5;
            sn_smooth_at(s, x, z), sn_smooth_at(s, x - h, a), sn_smooth_at(s, x + h, b);
            near("rate is the slope", z[1], (b[0] - a[0]) / (2 * h), 1e-5);
            near("acceleration is the slope of the rate", z[2], (b[1] - a[1]) / (2 * h), 1e-2);
        }
        for (int i = 0; i < 80; i++) {
            sn_smooth_at(s, t[i], z);
            near("value at a knot", z[0], s->g[i], 1e-13);
        }
        if (m == 2) sn_smooth_at(s, t[79], z), near("natural end", z[2], 0, 1e-8);
        sn_smooth_free(s);
    }
}

/* White noise on a sine: its deviation is found within 3.5 standard errors, 1/sqrt(2 freedom), and the
   derivatives err by what the filter leaves of noise (bias is of the same size where the penalty is best,
   hence the factor 2). */
static void noisy(int order, int stated)
{
    uint64_t seed = 77 + (uint64_t)order;
    const double sigma = 1e-3, w = 6;
    const int n = 1000;
    double e[3] = {0};
    for (int i = 0; i < n; i++) t[i] = 0.003 * i, y[i] = sin(w * t[i]) + sigma * normal(&seed);
    sn_smooth *s = smooth(n, (sn_smooth_options){.order = order, .noise = stated ? sigma : 0});
    double found = sqrt(s->rss / s->freedom);
    near("noise", found / sigma, 1, 3.5 / sqrt(2 * s->freedom));
    for (int i = 100; i < 900; i++) {
        double z[3], x = t[i];
        sn_smooth_at(s, x, z);
        const double exact[3] = {sin(w * x), w * cos(w * x), -w * w * sin(w * x)};
        for (int k = 0; k < 3; k++) e[k] += (z[k] - exact[k]) * (z[k] - exact[k]) / 800;
    }
    for (int k = 0; k < 3; k++) {
        double ratio = sqrt(e[k]) / s->deviation[k];
        if (!(ratio > 0.4 && ratio < 2))
            fail_msg("order %d: error %.3g of derivative %d, theory %.3g", order, sqrt(e[k]), k,
                     s->deviation[k]);
    }
    /* central differences of raw samples would have sigma sqrt(6)/h^2 */
    assert_true(sqrt(e[2]) < 0.01 * sigma * sqrt(6) / (0.003 * 0.003));
    sn_smooth_free(s);
}

static void test_noise(void **state)
{
    (void)state;
    for (int order = 2; order <= 4; order++) noisy(order, 0), noisy(order, 1);
}

/* Without noise: derivative errors of an interpolating spline of degree 2m - 1 away from the ends fall as
   h^(2m - k); cubic, k = 2: h^2/12 y'''' at the knots. */
static void test_no_noise(void **state)
{
    (void)state;
    for (int order = 2; order <= 4; order++) {
        double z[3], w = 4, h = 0.005;
        for (int i = 0; i < 400; i++) t[i] = h * i, y[i] = sin(w * t[i]);
        sn_smooth *s = smooth(400, (sn_smooth_options){.order = order});
        sn_smooth_at(s, 1.0, z);
        double bound = order == 2 ? h * h / 12 * w * w * w * w : 1e-6;
        near("acceleration", z[2], -w * w * sin(w), 1.5 * bound);
        near("rate", z[1], w * cos(w), order == 2 ? 1e-6 : 1e-8);
        assert_true(s->noise < 1e-8);
        sn_smooth_free(s);
    }
}

/* Missing samples do not count; wrong input is refused. */
static void test_input(void **state)
{
    (void)state;
    sn_err err;
    sn_smooth *s;
    sn_smooth_options o = sn_smooth_options_default();
    for (int i = 0; i < 50; i++) t[i] = 0.1 * i, y[i] = i % 7 == 3 ? NAN : 2 - t[i] + t[i] * t[i];
    s = smooth(50, o);
    assert_int_equal(s->n, 43);
    double z[3];
    sn_smooth_at(s, 1.0, z);
    near("value at a gap", z[0], 2, 1e-11);
    sn_smooth_free(s);
    sn_err_clear(&err);
    assert_int_equal(sn_smooth_new(3, t, y, &o, &s, &err), SN_ERR_INPUT);
    o.order = 5;
    assert_int_equal(sn_smooth_new(50, t, y, &o, &s, &err), SN_ERR_INPUT);
    o.order = 2, t[5] = t[4];
    assert_int_equal(sn_smooth_new(50, t, y, &o, &s, &err), SN_ERR_INPUT);
    t[5] = 0.5, y[5] = INFINITY;
    assert_int_equal(sn_smooth_new(50, t, y, &o, &s, &err), SN_ERR_INPUT);
    assert_null(s);
}

static void test_allocations(void **state)
{
    (void)state;
    counter c = {0};
    const sn_allocator a = {counted, released, &c};
    const sn_smooth_options o = sn_smooth_options_default();
    sn_err err;
    sn_smooth *s;
    for (int i = 0; i < 20; i++) t[i] = i, y[i] = sin(i);
    sn_set_allocator(&a);
    sn_err_clear(&err);
    sn_status status = sn_smooth_new(20, t, y, &o, &s, &err);
    long calls = c.calls;
    sn_smooth_free(s);
    for (long k = 1; k <= calls && !status; k++) {
        c = (counter){.fail = k};
        sn_err_clear(&err);
        if (sn_smooth_new(20, t, y, &o, &s, &err) != SN_ERR_MEMORY || s || c.live) status = SN_ERR_BUG;
    }
    sn_set_allocator(NULL);
    assert_int_equal(status, SN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polynomials), cmocka_unit_test(test_cubic_inside),
        cmocka_unit_test(test_natural),     cmocka_unit_test(test_noise),
        cmocka_unit_test(test_no_noise),    cmocka_unit_test(test_input),
        cmocka_unit_test(test_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
