/* Signals against closed forms. Tolerances are rounding: a few units in the last place of numbers of size one
   to ten, times the factors (2 pi f)^2 of a second rate where there are such. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "model/registry.h"

enum { ROOM = 1024 };
static const double pi = 3.14159265358979323846;

/* One signal with its numbers. */
typedef struct bench {
    const sn_signal_class *cls;
    sn_in in;
    int opt[4];
    double s[ROOM], c[ROOM], sd[1], sdd[1];
} bench;

#define assert_near(x, y, tol)                                                                               \
    do {                                                                                                     \
        double near_x = (x), near_y = (y), near_tol = (tol);                                                 \
        if (!(fabs(near_x - near_y) <= near_tol))                                                            \
            fail_msg("%s = %.17g, should be %.17g, within %g", #x, near_x, near_y, near_tol);                \
    } while (0)

/* counts: numbers in each slot of the table, one after the other in s */
static sn_status set_up(bench *b, const char *name, const int *opt, const int *counts, const double *s,
                        sn_err *err)
{
    memset(b, 0, sizeof *b);
    sn_err_clear(err);
    b->cls = sn_signal_find(name);
    assert_non_null(b->cls);
    int n = 0, ns = 0;
    for (; b->cls->slots[n].name; n++) ns += counts[n];
    assert_true(ns <= ROOM);
    memcpy(b->s, s, (size_t)ns * sizeof *s);
    if (opt) memcpy(b->opt, opt, 2 * sizeof *opt);
    sn_layout l = {.ns = ns, .slot_n = counts, .opt = b->opt};
    if (b->cls->layout) SN_TRY(b->cls->layout(&l, err));
    assert_true(l.nc <= ROOM);
    b->in = (sn_in){.s = b->s, .sd = b->sd, .sdd = b->sdd, .c = b->c, .opt = b->opt, .ns = ns, .nc = l.nc};
    if (b->cls->prepare) SN_TRY(b->cls->prepare(&b->in, b->c, err));
    return SN_OK;
}

static void expect(bench *b, double t, double y0, double y1, double y2, double tol)
{
    double y[3];
    b->in.t = t;
    b->cls->eval(&b->in, y);
    assert_near(y[0], y0, tol);
    assert_near(y[1], y1, tol);
    assert_near(y[2], y2, tol);
}

static const int ones[] = {1, 1, 1, 1};

static void test_constant_and_expression(void **state)
{
    (void)state;
    bench b;
    sn_err err;
    assert_int_equal(set_up(&b, "constant", NULL, ones, (double[]){2.5}, &err), SN_OK);
    expect(&b, 7, 2.5, 0, 0, 0);
    assert_int_equal(set_up(&b, "expression", NULL, ones, (double[]){2.5}, &err), SN_OK);
    b.sd[0] = -1;
    b.sdd[0] = 4;
    expect(&b, 7, 2.5, -1, 4, 0);
}

static void test_sine(void **state)
{
    (void)state;
    bench b;
    sn_err err;
    double w = 2 * pi * 0.5;
    assert_int_equal(set_up(&b, "sine", NULL, ones, (double[]){3, 0.5, pi / 6, 1}, &err), SN_OK);
    expect(&b, 0, 1 + 3 * 0.5, 3 * w * sqrt(0.75), -3 * w * w * 0.5, 1e-13);
    expect(&b, 2.0 / 3, 1 + 3 * 0.5, -3 * w * sqrt(0.75), -3 * w * w * 0.5, 1e-13);
}

/* 8/pi^2 (cos x + cos(3 x)/9 + cos(5 x)/25 + ...) is the triangle wave: at the crest the sum over odd k is
 * pi^2/8. */
static void test_fourier(void **state)
{
    (void)state;
    bench b;
    sn_err err;
    enum { N = 401 };
    double s[2 + N] = {0.25}, sum = 0;
    for (int k = 1; k <= N; k += 2) sum += s[k] = 8 / (pi * pi * k * k);
    assert_int_equal(set_up(&b, "fourier", NULL, (int[]){1, N, 0, 1}, s, &err), SN_OK);
    double y[3];
    b.in.t = 0.5;
    b.cls->eval(&b.in, y);
    /* the tail of sum 1/k^2 over odd k beyond N is below 1/(2 N) */
    assert_near(y[0], 1 - 0.5, 8 / (pi * pi) / N);
    b.in.t = 0;
    b.cls->eval(&b.in, y);
    assert_near(y[0], sum, 1e-13);
    assert_near(y[1], 0, 1e-13);
    /* lists of unlike lengths: cos x + 2 sin x + 3 sin 2x + 4, at x = pi/2 */
    double w = 2 * pi * 0.25;
    assert_int_equal(set_up(&b, "fourier", NULL, (int[]){1, 1, 2, 1}, (double[]){0.25, 1, 2, 3, 4}, &err),
                     SN_OK);
    expect(&b, 1, 6, w * (-1 - 6), -w * w * 2, 1e-13);
}

static void test_polynomial(void **state)
{
    (void)state;
    bench b;
    sn_err err;
    /* 1 + 2 x + 3 x^2 + 4 x^3 at x = t - 1/2 */
    assert_int_equal(set_up(&b, "polynomial", NULL, (int[]){4, 1}, (double[]){1, 2, 3, 4, 0.5}, &err), SN_OK);
    expect(&b, 0.5, 1, 2, 6, 0);
    expect(&b, 2.5, 1 + 4 + 12 + 32, 2 + 12 + 48, 6 + 48, 1e-13);
}

static void test_step(void **state)
{
    (void)state;
    bench b;
    sn_err err;
    assert_int_equal(set_up(&b, "step", NULL, ones, (double[]){4, 1, 3, -1}, &err), SN_OK);
    expect(&b, 0.9, -1, 0, 0, 0);
    expect(&b, 1, -1, 0, 0, 0);
    expect(&b, 2, 1, 4 * 15.0 / 8 / 2, 0, 1e-14);
    expect(&b, 1.5, -1 + 4 * 53.0 / 512, 4 * 30.0 / 16 * 9 / 16 / 2, 4 * 60.0 * 3 / 16 / 2 / 4, 1e-14);
    expect(&b, 3, 3, 0, 0, 0);
    expect(&b, 30, 3, 0, 0, 0);
}

static void test_table_linear(void **state)
{
    (void)state;
    bench b;
    sn_err err;
    const double s[] = {1, 2, 4, 5, 7, 3};
    assert_int_equal(set_up(&b, "table", NULL, (int[]){3, 3}, s, &err), SN_OK);
    expect(&b, 0, 5, 0, 0, 0);
    expect(&b, 1, 5, 2, 0, 0);
    expect(&b, 1.5, 6, 2, 0, 1e-14);
    expect(&b, 3, 5, -2, 0, 1e-14);
    expect(&b, 4, 3, -2, 0, 1e-14);
    expect(&b, 9, 3, 0, 0, 0);
    assert_int_equal(set_up(&b, "table", (int[]){0, 1}, (int[]){3, 3}, s, &err), SN_OK);
    expect(&b, 1.5 + 3 * 3, 6, 2, 0, 1e-13);
    expect(&b, 3 - 5 * 3, 5, -2, 0, 1e-13);
}

/* Through (0,0), (1,1), (2,0): 4 m_1 = -12, so y = 3 x/2 - x^3/2 on [0, 1]. A straight line is its own
 * spline. */
static void test_table_cubic(void **state)
{
    (void)state;
    bench b;
    sn_err err;
    const int cubic[] = {1, 0};
    assert_int_equal(set_up(&b, "table", cubic, (int[]){3, 3}, (double[]){0, 1, 2, 0, 1, 0}, &err), SN_OK);
    expect(&b, 0, 0, 1.5, 0, 1e-15);
    expect(&b, 0.5, 0.75 - 0.0625, 1.5 - 0.375, -1.5, 1e-14);
    expect(&b, 1, 1, 0, -3, 1e-14);
    expect(&b, 1.5, 0.75 - 0.0625, -1.5 + 0.375, -1.5, 1e-14);
    assert_int_equal(set_up(&b, "table", cubic, (int[]){4, 4}, (double[]){0, 1, 3, 4, 1, 3, 7, 9}, &err),
                     SN_OK);
    expect(&b, 2.3, 5.6, 2, 0, 1e-14);
    assert_int_equal(set_up(&b, "table", cubic, (int[]){2, 2}, (double[]){0, 2, 1, 5}, &err), SN_OK);
    expect(&b, 0.5, 2, 2, 0, 1e-15);
}

/* A spline is linear in its values (sum_i y_i dy/dy_i = y), keeps constants (sum_i dy/dy_i = 1, 0, 0) and
   moves with its times (sum_i dy/dt_i = -dy/dt). With the slopes and moments of a random table of a few
   hundred points errors of rounding are near 1e-13 of the second rate. */
static void test_table_derivatives(void **state)
{
    (void)state;
    static bench b;
    sn_err err;
    enum { N = 300 };
    double s[2 * N], t = 0;
    for (int i = 0; i < N; i++) {
        t += 0.6 + 0.5 * sin(7.0 * i * i);
        s[i] = t;
        s[N + i] = cos(5.0 * i * i);
    }
    for (int cubic = 0; cubic < 2; cubic++) {
        assert_int_equal(set_up(&b, "table", (int[]){cubic, 0}, (int[]){N, N}, s, &err), SN_OK);
        for (int j = 0; j < N - 1; j += 23) {
            double x = 0.7 * s[j] + 0.3 * s[j + 1], y[3], later[3], dy[3], one[3] = {0}, same[3] = {0},
                   move[3] = {0};
            double h = s[j + 1] - s[j], third = 0;
            b.in.t = x;
            b.cls->eval(&b.in, y);
            /* the third derivative is constant in an interval */
            b.in.t = x + 0.3 * h;
            b.cls->eval(&b.in, later);
            third = (later[2] - y[2]) / (0.3 * h);
            b.in.t = x;
            for (int i = 0; i < 2 * N; i++) {
                b.cls->dparam(&b.in, i, dy);
                for (int k = 0; k < 3; k++) {
                    if (i < N) {
                        move[k] += dy[k];
                    } else {
                        one[k] += dy[k];
                        same[k] += s[i] * dy[k];
                    }
                }
            }
            double tol = 1e-12 * (1 + fabs(y[2]) + fabs(third)) / (h * h);
            for (int k = 0; k < 3; k++) {
                assert_near(one[k], k == 0, tol);
                assert_near(same[k], y[k], tol);
                assert_near(move[k], k < 2 ? -y[k + 1] : -third, 10 * tol);
            }
        }
    }
}

static void test_refusals(void **state)
{
    (void)state;
    bench b;
    sn_err err;
    const double s[] = {0, 1, 1, 2, 3, 4};
    assert_int_equal(set_up(&b, "table", NULL, (int[]){3, 3}, s, &err), SN_ERR_INPUT);
    assert_non_null(strstr(err.report[0].text, "increase"));
    assert_int_equal(set_up(&b, "table", NULL, (int[]){2, 4}, s, &err), SN_ERR_INPUT);
    assert_int_equal(set_up(&b, "table", NULL, (int[]){1, 1}, s, &err), SN_ERR_INPUT);
    assert_int_equal(set_up(&b, "table", (int[]){1, 1}, (int[]){2, 2}, s, &err), SN_ERR_INPUT);
    assert_int_equal(set_up(&b, "fourier", NULL, (int[]){1, 0, 0, 1}, s, &err), SN_ERR_INPUT);
    assert_int_equal(set_up(&b, "step", NULL, ones, (double[]){1, 2, 2, 0}, &err), SN_ERR_INPUT);
}

/* A series of one pair of one frequency is what a fourier signal of one harmonic is; with an origin it is
   that, moved; with frequencies of their own sine and cosine are two signals. */
static void test_series(void **state)
{
    (void)state;
    bench b;
    sn_err err;
    double w = 2 * pi * 1.5, v = 2 * pi * 0.4, t = 0.37, u = t - 0.2;
    assert_int_equal(
        set_up(&b, "series", NULL, (int[]){1, 1, 1, 0, 1, 1}, (double[]){1.5, 2, -3, 0.5, 0.2}, &err), SN_OK);
    expect(&b, t, 0.5 + 2 * sin(w * u) - 3 * cos(w * u), w * (2 * cos(w * u) + 3 * sin(w * u)),
           -w * w * (2 * sin(w * u) - 3 * cos(w * u)), 1e-12);
    assert_int_equal(
        set_up(&b, "series", NULL, (int[]){1, 1, 1, 1, 1, 1}, (double[]){1.5, 2, -3, 0.4, 0.5, 0}, &err),
        SN_OK);
    expect(&b, t, 0.5 + 2 * sin(w * t) - 3 * cos(v * t), w * 2 * cos(w * t) + 3 * v * sin(v * t),
           -w * w * 2 * sin(w * t) + 3 * v * v * cos(v * t), 1e-12);
    assert_int_equal(set_up(&b, "series", NULL, (int[]){1, 2, 1, 0, 1, 1}, (double[7]){0}, &err),
                     SN_ERR_INPUT);
    assert_int_equal(set_up(&b, "series", NULL, (int[]){2, 2, 2, 1, 1, 1}, (double[9]){0}, &err),
                     SN_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_constant_and_expression),
        cmocka_unit_test(test_sine),
        cmocka_unit_test(test_fourier),
        cmocka_unit_test(test_polynomial),
        cmocka_unit_test(test_step),
        cmocka_unit_test(test_table_linear),
        cmocka_unit_test(test_table_cubic),
        cmocka_unit_test(test_table_derivatives),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
