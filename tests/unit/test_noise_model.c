/* Models of coloured noise against closed forms and dense matrices: autocovariances, the innovations of
   series with gaps, Burg's method on a series of known coefficients. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "identify/noise_model.h"
#include "identify/random.h"
#include "identify/statistics.h"

#include <math.h>
#include <string.h>

static void near(const char *what, double x, double to, double tol)
{
    if (!(fabs(x - to) <= tol)) fail_msg("%s is %.15g, not %.15g", what, x, to);
}

/* AR(1): g_k = a^k / (1 - a^2). AR(2): g_0 = (1 - b) / ((1 + b) ((1 - b)^2 - a^2)), g_1 = g_0 a / (1 - b)
   (Box and Jenkins, 3.2.4). */
static void test_autocovariance(void **state)
{
    double g[5];
    (void)state;
    sn_ar_autocovariance(1, (double[]){-0.7}, 5, g);
    for (int k = 0; k < 5; k++) near("AR(1)", g[k], pow(-0.7, k) / (1 - 0.49), 1e-14);
    const double a = 1.6, b = -0.9, g0 = (1 - b) / ((1 + b) * ((1 - b) * (1 - b) - a * a));
    sn_ar_autocovariance(2, (double[]){a, b}, 5, g);
    near("AR(2), lag 0", g[0], g0, 1e-12 * g0);
    near("AR(2), lag 1", g[1], g0 * a / (1 - b), 1e-12 * g0);
    near("AR(2), lag 4", g[4], a * g[3] + b * g[2], 1e-12 * g0);
    const double k[] = {0.9, -0.5, 0.3, -0.2};
    double c[4], back[4];
    sn_ar_of_partial(4, k, c);
    sn_ar_partial(4, c, back);
    for (int i = 0; i < 4; i++) near("partial autocorrelation", back[i], k[i], 1e-14);
}

enum { N = 12 };

/* Dense: log det S and y' S^-1 y by elimination. */
static void dense(double S[N][N], const double *y, double *logdet, double *square)
{
    double b[N];
    memcpy(b, y, sizeof b);
    *logdet = *square = 0;
    for (int k = 0; k < N; k++) {
        for (int r = k + 1; r < N; r++) {
            double f = S[r][k] / S[k][k];
            for (int c = k; c < N; c++) S[r][c] -= f * S[k][c];
            b[r] -= f * b[k];
        }
        *logdet += log(S[k][k]), *square += b[k] * b[k] / S[k][k];
    }
}

static void compare(const sn_noise_model *m, const double *t, double S[N][N])
{
    double y[N], x[2 * SN_AR_MOST], logdet, square, sum = 0, det = 0;
    unsigned long long seed = 99;
    for (int i = 0; i < N; i++) y[i] = sn_normal(&seed);
    dense(S, y, &logdet, &square);
    sn_whitener w = {.m = m, .columns = 2, .x = x};
    for (int i = 0; i < N; i++) {
        double both[2] = {y[i], -3 * y[i]};
        det += sn_whiten(&w, t[i], both);
        sum += both[0] * both[0];
        near("second column", both[1], -3 * both[0], 1e-12 * fabs(both[0]) + 1e-14);
    }
    near("log det", det, logdet, 1e-10);
    near("sum of squares", sum, square, 1e-10 * square);
}

/* The filter is Cholesky's factor of the covariance matrix, also across gaps and at uneven times. */
static void test_innovations(void **state)
{
    static const double grid[N] = {0, 1, 2, 3, 6, 7, 8, 15, 16, 18, 19, 20};
    static const double times[N] = {0, 0.1, 0.11, 0.5, 0.9, 1.7, 1.75, 2.2, 4, 4.1, 4.6, 5};
    sn_noise_model m = {.p = 3, .dt = 0.1, .variance = 0.3};
    double S[N][N], t[N], g[30];
    (void)state;
    sn_ar_of_partial(3, (double[]){0.9, -0.6, 0.4}, m.a);
    sn_ar_autocovariance(3, m.a, 30, g);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) t[i] = 0.1 * grid[i], S[i][j] = 0.3 * g[(int)fabs(grid[i] - grid[j])];
    compare(&m, t, S);
    near("variance", sn_noise_variance(&m), 0.3 * g[0], 1e-12);
    sn_noise_model o = {.variance = 0.2, .size = 1.5, .time = 0.7};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) S[i][j] = 1.5 * exp(-fabs(times[i] - times[j]) / 0.7) + 0.2 * (i == j);
    compare(&o, times, S);
}

/* Solves S x = b by elimination without pivots: S is positive definite. */
static void solve(double S[N][N], double *b)
{
    for (int k = 0; k < N; k++)
        for (int r = k + 1; r < N; r++) {
            double f = S[r][k] / S[k][k];
            for (int c = k; c < N; c++) S[r][c] -= f * S[k][c];
            b[r] -= f * b[k];
        }
    for (int k = N - 1; k >= 0; k--) {
        for (int c = k + 1; c < N; c++) b[k] -= S[k][c] * b[c];
        b[k] /= S[k][k];
    }
}

/* From innovations to samples and back, across a gap; the exponential part against K (K + v I)^-1 y and the
   diagonal of K - K (K + v I)^-1 K. */
static void test_back(void **state)
{
    static const double t[N] = {0, 0.1, 0.2, 0.3, 0.6, 0.7, 0.8, 1.5, 1.6, 1.8, 1.9, 2};
    sn_noise_model m = {.p = 3, .dt = 0.1, .variance = 0.3}, o = {.variance = 0.2, .size = 1.5, .time = 0.7};
    double y[N], x[2][SN_AR_MOST], mean[N], sd[N], S[N][N], b[N];
    unsigned long long seed = 5;
    (void)state;
    sn_ar_of_partial(3, (double[]){0.9, -0.6, 0.4}, m.a);
    const sn_noise_model *const model[] = {&m, &o};
    for (int k = 0; k < 2; k++) {
        sn_whitener to = {.m = model[k], .columns = 1, .x = x[0]},
                    from = {.m = model[k], .columns = 1, .x = x[1]};
        for (int i = 0; i < N; i++) {
            double e = sn_normal(&seed), back = y[i] = sn_colour_sample(&to, t[i], e);
            sn_whiten(&from, t[i], &back);
            near("innovation", back, e, 1e-10);
        }
    }
    sn_noise_smooth(&o, N, t, y, 1, mean, sd);
    for (int k = -1; k < N; k++) { /* k < 0: the mean; then each variance */
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) S[i][j] = 1.5 * exp(-fabs(t[i] - t[j]) / 0.7) + 0.2 * (i == j);
        for (int i = 0; i < N; i++) b[i] = k < 0 ? y[i] : 1.5 * exp(-fabs(t[i] - t[k]) / 0.7);
        solve(S, b);
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += 1.5 * exp(-fabs(t[i] - t[j]) / 0.7) * b[j];
            if (k < 0) near("mean", mean[i], sum, 1e-10);
            if (k == i) near("variance", sd[i] * sd[i], 1.5 - sum, 1e-10);
        }
    }
}

/* The mean of the spectrum is the variance: by 20000 intervals, exact to rounding for smooth periodic ones.
 */
static void test_spectrum(void **state)
{
    enum { parts = 20000 };
    sn_noise_model m = {.p = 2, .a = {1.6, -0.9}, .dt = 0.1, .variance = 0.3},
                   o = {.variance = 0.2, .size = 1.5};
    double sum[2] = {0}, g[3];
    (void)state;
    o.time = 0.7;
    for (int i = 0; i < parts; i++) {
        double w = (i + 0.5) * acos(-1) / parts;
        sum[0] += sn_noise_spectrum(&m, 0.1, w) / parts, sum[1] += sn_noise_spectrum(&o, 0.1, w) / parts;
    }
    near("autoregression", sum[0], sn_noise_variance(&m), 1e-9);
    near("exponential", sum[1], 1.7, 1e-9);
    sn_noise_correlation(&o, 0.1, 3, g);
    near("correlation", g[2], 1.5 * exp(-0.2 / 0.7) / 1.7, 1e-14);
}

/* 4000 samples: estimates scatter by sqrt((1 - b^2)/n) (Box and Jenkins, A7.5.13); four of these. */
static void test_burg(void **state)
{
    enum { n = 4000 };
    static double x[n + 200];
    const double a = 1.2, b = -0.6, tol = 4 * sqrt((1 - b * b) / n);
    unsigned long long seed = 4711;
    sn_noise_model m;
    sn_err err;
    (void)state;
    for (int i = 2; i < n + 200; i++) x[i] = a * x[i - 1] + b * x[i - 2] + sn_normal(&seed);
    for (int i = 1000; i < 1100; i++) x[i] = NAN; /* a gap */
    assert_int_equal(sn_ar_burg(n, x + 200, 20, &m, &err), SN_OK);
    assert_int_equal(m.p, 2);
    near("a", m.a[0], a, tol), near("b", m.a[1], b, tol);
    near("variance", m.variance, 1, 4 * sqrt(2.0 / n));
    for (int i = 0; i < n; i++) x[i] = sn_normal(&seed);
    assert_int_equal(sn_ar_burg(n, x, 20, &m, &err), SN_OK);
    assert_int_equal(m.p, 0);
}

static void test_grid(void **state)
{
    const double even[] = {0, 0.1, 0.2, 0.3, 0.6, 0.7, 0.8}, odd[] = {0, 0.1, 0.15, 0.4, 0.43, 0.9, 1.1};
    (void)state;
    near("distance", sn_grid_of(7, even), 0.1, 1e-12);
    near("no grid", sn_grid_of(7, odd), 0, 0);
    assert_int_equal(sn_grid_steps(0.1, 0.3, 0.6), 3);
}

/* Tables: Student's t of 0.975. */
static void test_student(void **state)
{
    (void)state;
    near("2", sn_student_95(2), 4.3027, 0.05), near("5", sn_student_95(5), 2.5706, 1e-3);
    near("30", sn_student_95(30), 2.0423, 1e-4), near("normal", sn_student_95(INFINITY), 1.96, 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_autocovariance), cmocka_unit_test(test_innovations),
        cmocka_unit_test(test_burg),           cmocka_unit_test(test_back),
        cmocka_unit_test(test_spectrum),       cmocka_unit_test(test_grid),
        cmocka_unit_test(test_student)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
