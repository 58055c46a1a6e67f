/* Terms of a series for a history whose values are known: see first_terms.h.

   One after the other the strongest line of what is left is taken (its spectrum by FFT, with Hann's window
   and four times the bins), and all amplitudes are fitted again by least squares (orthogonal matching
   pursuit). A line counts where chi square falls by more than 5 ln N, with the N numbers of the history that
   the data determine, and the median of its variances; and where more than a hundredth is left. */
#include "identify/first_terms.h"
#include "math/fft.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#undef I

static const double two_pi = 6.283185307179586476925;

typedef struct pursuit {
    const sn_history_fit *q;
    double origin, band[2];
    size_t m; /* of the transform */
    double *re, *im, *left, *A, *b;
} pursuit;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Frequency of the strongest line of what is left; NAN: there is none. */
static sn_status strongest(pursuit *p, double *frequency, sn_err *err)
{
    size_t n = (size_t)p->q->n, best = 0;
    double bin = (double)(n - 1) / ((double)p->m * (p->q->t[n - 1] - p->q->t[0]));
    memset(p->re, 0, sizeof(double) * p->m), memset(p->im, 0, sizeof(double) * p->m);
    for (size_t i = 0; i < n; i++) p->re[i] = p->left[i] * (1 - cos(two_pi * ((double)i + 0.5) / (double)n));
    SN_TRY(sn_fft(p->m, p->re, p->im, err));
    for (size_t k = 0; k < p->m / 2; k++) p->re[k] = hypot(p->re[k], p->im[k]);
    for (size_t k = 2; k + 1 < p->m / 2; k++) /* below half an oscillation it is the constant */
        if (bin * (double)k >= p->band[0] && bin * (double)k <= p->band[1] &&
            (!best || p->re[k] > p->re[best]))
            best = k;
    *frequency = NAN;
    if (!best) return SN_OK;
    double a = p->re[best - 1], b = p->re[best], c = p->re[best + 1], bent = a - 2 * b + c;
    double x = bent < 0 ? fmin(fmax(0.5 * (a - c) / bent, -0.5), 0.5) : 0;
    *frequency = fmin(fmax(bin * ((double)best + x), p->band[0]), p->band[1]);
    return SN_OK;
}

/* Row of the basis at time t: 1, then sine and cosine of each term. */
static void row_at(const double *x, int n, double since, double *row)
{
    row[0] = 1;
    for (int k = 0; k < n; k++) {
        double w = two_pi * x[1 + 3 * k] * since;
        row[1 + 2 * k] = sin(w), row[2 + 2 * k] = cos(w);
    }
}

/* Amplitudes of n terms by least squares; what is left, and the sum of its squares. 0: they are too alike. */
static int amplitudes(pursuit *p, double *x, int n, double *row, double *rss)
{
    int k = 1 + 2 * n;
    memset(p->A, 0, sizeof(double) * (size_t)k * (size_t)k), memset(p->b, 0, sizeof(double) * (size_t)k);
    for (int i = 0; i < p->q->n; i++) {
        row_at(x, n, p->q->t[i] - p->origin, row);
        for (int a = 0; a < k; a++) {
            p->b[a] += row[a] * p->q->value[i];
            for (int c = 0; c < k; c++) p->A[a * k + c] += row[a] * row[c];
        }
    }
    for (int a = 0; a < k; a++) p->A[a * k + a] *= 1 + 1e-8;
    if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', k, 1, p->A, k, p->b, 1)) return 0;
    x[0] = p->b[0];
    for (int c = 0; c < n; c++) x[2 + 3 * c] = p->b[1 + 2 * c], x[3 + 3 * c] = p->b[2 + 2 * c];
    *rss = 0;
    for (int i = 0; i < p->q->n; i++) {
        row_at(x, n, p->q->t[i] - p->origin, row);
        p->left[i] = p->q->value[i];
        for (int a = 0; a < k; a++) p->left[i] -= p->b[a] * row[a];
        *rss += p->left[i] * p->left[i];
    }
    return 1;
}

static sn_status pursue(pursuit *p, int most, double *x, int *n, double *row, sn_err *err)
{
    const sn_history_fit *q = p->q;
    double rss, next, whole, variance;
    for (int i = 0; i < q->n; i++) p->left[i] = q->std_error[i] * q->std_error[i];
    qsort(p->left, (size_t)q->n, sizeof(double), ascending);
    variance = p->left[q->n / 2];
    if (!amplitudes(p, x, 0, row, &rss)) return SN_OK;
    whole = rss;
    for (*n = 0; *n < most;) {
        double *frequency = &x[1 + 3 * *n];
        SN_TRY(strongest(p, frequency, err));
        if (isnan(*frequency) || !amplitudes(p, x, *n + 1, row, &next)) break;
        double gain = (rss - next) * fmax(q->determined, 2) / (q->n * fmax(variance, 1e-300));
        if (*n && !(gain > 5 * log(fmax(q->determined, 2)))) break;
        ++*n, rss = next;
        if (rss < 1e-4 * whole) break;
    }
    amplitudes(p, x, *n, row, &rss);
    return SN_OK;
}

sn_status sn_first_terms(const sn_history_fit *q, const double band[2], double origin, int most, double *x,
                         int *n, sn_err *err)
{
    pursuit p = {.q = q, .origin = origin, .band = {band[0], band[1]}, .m = 4 * (size_t)q->n};
    size_t k = 1 + 2 * (size_t)(most + 1);
    double *row = NULL;
    *n = 0;
    sn_status status = SN_NEW(p.re, p.m + 1) && SN_NEW(p.im, p.m + 1) && SN_NEW(p.left, q->n + 1) &&
                               SN_NEW(p.A, k * k) && SN_NEW(p.b, k) && SN_NEW(row, k)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    if (!status && q->n > 8) status = pursue(&p, most, x, n, row, err);
    sn_free(p.re), sn_free(p.im), sn_free(p.left), sn_free(p.A), sn_free(p.b), sn_free(row);
    return status;
}
