/* Tests of residuals: transforms against the sum itself, false alarms under white noise against the binomial
   distribution, what is left over in different shapes, noise seen beneath a signal. */
#include "identify_kit.h"

#include "identify/residual_tests.h"
#include "identify/statistics.h"
#include "math/fft.h"

/* Every length from 1 to 40, a prime and a power of two: within rounding of a sum of n terms. */
static void test_fft(void **state)
{
    (void)state;
    static const int more[] = {64, 97, 120, 128};
    for (int l = 1; l <= 44; l++) {
        int n = l <= 40 ? l : more[l - 41];
        double re[128], im[128], x[128], y[128];
        uint64_t seed = 77;
        for (int i = 0; i < n; i++) re[i] = x[i] = kit_normal(&seed), im[i] = y[i] = kit_normal(&seed);
        kit_tell(NULL, sn_fft((size_t)n, re, im, NULL));
        for (int k = 0; k < n; k++) {
            double a = 0, b = 0;
            for (int j = 0; j < n; j++) {
                double w = -2 * acos(-1) * ((j * k) % n) / n;
                a += x[j] * cos(w) - y[j] * sin(w), b += x[j] * sin(w) + y[j] * cos(w);
            }
            kit_is("real part", re[k], a, 1e-13 * n);
            kit_is("imaginary part", im[k], b, 1e-13 * n);
        }
    }
}

/* Residuals of white noise plus a pattern. */
static sn_residual_tests tested(int n, double mean, double wave, double period, uint64_t seed)
{
    sn_arena arena = {0};
    sn_whiteness w;
    sn_residual_tests t;
    double *r = calloc((size_t)n, sizeof *r);
    for (int i = 0; i < n; i++) r[i] = mean + wave * sin(2 * acos(-1) * i / period) + kit_normal(&seed);
    assert_int_equal(sn_whiteness_of(&arena, n, r, &w, NULL), SN_OK);
    assert_int_equal(sn_residual_tests_of(n, r, w.p, &t, NULL), SN_OK);
    sn_arena_free(&arena);
    free(r);
    return t;
}

/* Each p, and the least of them by their number, are below 0.05 in 5 % of 400 series at most: binomial, 20
   +- 4.4, 99.99 % below 38; the single ones are uniform: 99.99 % above 5 (but Fisher's bound, and the chi
   square of few lags). */
static void test_false_alarms(void **state)
{
    (void)state;
    static const int size[] = {30, 200, 1000};
    for (int s = 0; s < 3; s++) {
        int below[SN_TEST_COUNT + 1] = {0};
        for (uint64_t seed = 1; seed <= 400; seed++) {
            sn_residual_tests t = tested(size[s], 0, 0, 1, seed * 7919 + (uint64_t)s);
            for (int k = 0; k < SN_TEST_COUNT; k++) below[k] += t.p[k] < 0.05;
            below[SN_TEST_COUNT] += t.least < 0.05;
        }
        for (int k = 0; k <= SN_TEST_COUNT; k++) assert_in_range(below[k], k == SN_TEST_COUNT ? 0 : 5, 38);
    }
}

/* What each test is for, at 1e-4: a constant of 0.3 in 400 samples (z = 6); a line of 0.3 in 2000 (power 45
   of 1, and exp(-45) * 1000); a slow wave of a fifth of the variance (Kolmogorov's distance 0.2 of 500 lines:
   1e-17). */
static void test_seen(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        assert_true(tested(400, 0.3, 0, 1, seed).p[SN_TEST_MEAN] < 1e-3);
        sn_residual_tests t = tested(2000, 0, 0.3, 23, seed);
        assert_true(t.p[SN_TEST_LINE] < 1e-6);
        kit_is("period", t.period, 23, 0.5);
        assert_true(tested(1000, 0, 0.7, 700, seed).p[SN_TEST_PATTERN] < 1e-4);
        assert_true(tested(1000, 0, 0.7, 700, seed).least < 1e-4);
    }
}

/* A wave of 40 samples with noise of a hundredth of it; one that is sampled too coarsely is an upper limit;
   few samples and uneven ones tell nothing. Deviation of the estimate: below sqrt(6/n) relative. */
static void test_noise_seen(void **state)
{
    (void)state;
    uint64_t seed = 5;
    double t[500], y[500], sigma = 0.01;
    for (int i = 0; i < 500; i++)
        t[i] = 0.01 * i, y[i] = sin(2 * acos(-1) * i / 40.0) + sigma * kit_normal(&seed);
    kit_is("noise seen", sn_noise_seen(500, t, y), sigma, 4 * sigma * 0.5 * sqrt(6.0 / 500));
    assert_true(isnan(sn_noise_seen(5, t, y)));
    for (int i = 0; i < 500; i++) y[i] = sin(2.1 * i) + sigma * kit_normal(&seed);
    assert_true(sn_noise_seen(500, t, y) > sigma);
    for (int i = 0; i < 500; i++) t[i] = i * i;
    assert_true(isnan(sn_noise_seen(500, t, y)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fft),
        cmocka_unit_test(test_false_alarms),
        cmocka_unit_test(test_seen),
        cmocka_unit_test(test_noise_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
