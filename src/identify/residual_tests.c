#include "identify/residual_tests.h"
#include "math/fft.h"

#include <math.h>
#include <string.h>

enum { FEW = 12, ORDERS = 6 };

double sn_normal_tail(double x) { return erfc(fabs(x) / sqrt(2)); }

/* How likely the largest deviation d of m ordered uniform numbers from their expectation is exceeded
   (Kolmogorov; with Stephens' correction for few of them). */
static double kolmogorov(double d, double m)
{
    double x = d * (sqrt(m) + 0.12 + 0.11 / sqrt(m)), sum = 0;
    if (x < 0.2) return 1;
    for (int j = 1; j < 100; j++) {
        double term = exp(-2.0 * j * j * x * x);
        sum += j % 2 ? term : -term;
        if (term < 1e-17 * fabs(sum)) break;
    }
    return fmin(1, fmax(0, 2 * sum));
}

/* The periodogram at frequencies 1 .. m of n, without the ends: Bartlett's and Fisher's tests. */
static sn_status look_at_lines(int n, const double *r, sn_residual_tests *t, sn_err *err)
{
    int m = (n - 1) / 2, top = 1;
    double *re, sum = 0, part = 0, far = 0;
    if (!SN_NEW(re, 2 * (size_t)n)) return SN_OUT_OF_MEM(err);
    double *im = re + n;
    for (int i = 0; i < n; i++) re[i] = r[i] - t->mean;
    sn_status status = sn_fft((size_t)n, re, im, err);
    for (int k = 1; !status && k <= m; k++) {
        re[k] = re[k] * re[k] + im[k] * im[k], sum += re[k];
        if (re[k] > re[top]) top = k;
    }
    if (!status && sum > 0) {
        for (int k = 1; k < m; k++) {
            part += re[k] / sum;
            far = fmax(far, fmax(fabs(part - (double)k / m), fabs(part - (double)(k - 1) / m)));
        }
        double g = re[top] / sum;
        t->p[SN_TEST_PATTERN] = kolmogorov(far, m - 1);
        t->p[SN_TEST_LINE] =
            fmin(1, m * exp((m - 1) * log1p(-fmin(g, 1 - 1e-15)))); /* first term of Fisher's sum */
        t->period = (double)n / top, t->line = g;
    }
    sn_free(re);
    return status;
}

sn_status sn_residual_tests_of(int n, const double *r, double neighbours, sn_residual_tests *t, sn_err *err)
{
    double square = 0;
    *t = (sn_residual_tests){.least = 1};
    for (int k = 0; k < SN_TEST_COUNT; k++) t->p[k] = 1;
    if (n < 2) return SN_OK;
    for (int i = 0; i < n; i++) t->mean += r[i] / n;
    for (int i = 0; i < n; i++) square += (r[i] - t->mean) * (r[i] - t->mean);
    t->deviation = sqrt(square / (n - 1));
    t->p[SN_TEST_NEIGHBOURS] = neighbours;
    /* Student's ratio of few samples is not normal: brought to a normal number (Wallace 1959) */
    if (t->deviation > 0) {
        double f = n - 1, x = t->mean / t->deviation * sqrt(n);
        x = sqrt(f * log1p(x * x / f)) * (1 - 1 / (4 * f)) / (1 + 1 / (8 * f * f));
        t->p[SN_TEST_MEAN] = sn_normal_tail(x);
    }
    if (n >= FEW && square > 0) SN_TRY(look_at_lines(n, r, t, err));
    for (int k = 0; k < SN_TEST_COUNT; k++)
        if (t->p[k] < t->p[t->which]) t->which = k;
    t->least = fmin(1, SN_TEST_COUNT * t->p[t->which]);
    return SN_OK;
}

/* Are the samples at about equal distances? */
static int steady(int n, const double *t)
{
    double mean = (t[n - 1] - t[0]) / (n - 1);
    int far = 0;
    for (int i = 1; i < n; i++) far += !(fabs(t[i] - t[i - 1] - mean) < 0.2 * mean);
    return mean > 0 && far * 20 < n;
}

double sn_noise_seen_like(int n, const double *t, const double *y, const sn_noise_model *like)
{
    double least = INFINITY, dt = n > 1 ? (t[n - 1] - t[0]) / (n - 1) : 0, g[ORDERS + 1];
    if (n < FEW || !steady(n, t)) return NAN;
    sn_noise_correlation(like, dt, ORDERS + 1, g);
    for (int m = 1; m <= ORDERS && n > 2 * m; m++) {
        double c[ORDERS + 1] = {1}, sum = 0, scale = 0;
        for (int k = 1; k <= m; k++) c[k] = -c[k - 1] * (m - k + 1) / k;
        for (int i = m; i < n; i++) {
            double d = 0;
            for (int k = 0; k <= m; k++) d += c[k] * y[i - k];
            sum += d * d;
        }
        /* what such noise of unit variance has */
        for (int i = 0; i <= m; i++)
            for (int k = 0; k <= m; k++) scale += c[i] * c[k] * g[i > k ? i - k : k - i];
        least = fmin(least, sum / (n - m) / scale);
    }
    return sqrt(least);
}

double sn_noise_seen(int n, const double *t, const double *y)
{
    const sn_noise_model white = sn_noise_white(1);
    return sn_noise_seen_like(n, t, y, &white);
}
