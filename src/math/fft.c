#include "math/fft.h"

#include <math.h>

static const double turn = 6.283185307179586;

/* n: a power of two. sign: -1 forward, 1 backward (without the factor 1/n). */
static void power_of_two(size_t n, double *re, double *im, int sign)
{
    for (size_t i = 1, j = 0; i < n; i++) { /* numbers in the order of their reversed bits */
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i >= j) continue;
        double x = re[i], y = im[i];
        re[i] = re[j], im[i] = im[j], re[j] = x, im[j] = y;
    }
    for (size_t half = 1; half < n; half *= 2)
        for (size_t k = 0; k < half; k++) {
            double a = sign * turn * (double)k / (double)(2 * half), c = cos(a), s = sin(a);
            for (size_t i = k; i < n; i += 2 * half) {
                size_t j = i + half;
                double x = c * re[j] - s * im[j], y = s * re[j] + c * im[j];
                re[j] = re[i] - x, im[j] = im[i] - y, re[i] += x, im[i] += y;
            }
        }
}

/* exp(-i pi j^2 / n); j^2 is reduced first, where its digits would be lost */
static void chirp(size_t n, size_t j, double *c, double *s)
{
    double a = 0.5 * turn * (double)((j * j) % (2 * n)) / (double)n;
    *c = cos(a), *s = -sin(a);
}

/* jk = (j^2 + k^2 - (k - j)^2) / 2 makes a convolution with a chirp of the transform. */
static sn_status any_length(size_t n, double *re, double *im, sn_err *err)
{
    size_t m = 1;
    while (m < 2 * n - 1) m *= 2;
    double *work, c, s;
    if (!SN_NEW(work, 4 * m)) return SN_OUT_OF_MEM(err);
    double *x = work, *y = x + m, *u = y + m, *v = u + m;
    for (size_t j = 0; j < n; j++) {
        chirp(n, j, &c, &s);
        x[j] = c * re[j] - s * im[j], y[j] = s * re[j] + c * im[j];
        u[j] = c, v[j] = -s;
        if (j) u[m - j] = c, v[m - j] = -s;
    }
    power_of_two(m, x, y, -1), power_of_two(m, u, v, -1);
    for (size_t j = 0; j < m; j++) {
        double p = x[j] * u[j] - y[j] * v[j];
        y[j] = x[j] * v[j] + y[j] * u[j], x[j] = p;
    }
    power_of_two(m, x, y, 1);
    for (size_t k = 0; k < n; k++) {
        chirp(n, k, &c, &s);
        re[k] = (c * x[k] - s * y[k]) / (double)m, im[k] = (s * x[k] + c * y[k]) / (double)m;
    }
    sn_free(work);
    return SN_OK;
}

sn_status sn_fft(size_t n, double *re, double *im, sn_err *err)
{
    if (n & (n - 1)) return any_length(n, re, im, err);
    power_of_two(n, re, im, -1);
    return SN_OK;
}
