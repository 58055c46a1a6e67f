/* Numbers of which nothing is known before the data (beta of kalman.h): their normal equations. */
#include "identify/kalman.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

static const double singular = 1e-13; /* eigenvalues of a matrix with ones on its diagonal, relative */

sn_status sn_kalman_invert(int n, const double *A, double *inverse, double *log_det, double *work,
                           sn_err *err)
{
    size_t m = (size_t)n;
    double *V = work, *w = V + m * m, *scale = w + m;
    *log_det = 0;
    if (!n) return SN_OK;
    for (size_t i = 0; i < m; i++) scale[i] = A[i * m + i] > 0 ? sqrt(A[i * m + i]) : 1;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) V[i * m + j] = A[i * m + j] / (scale[i] * scale[j]);
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', n, V, n, w))
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "the covariance cannot be computed");
    double least = singular * (w[m - 1] > 0 ? w[m - 1] : 1);
    for (size_t i = 0; i < m; i++) {
        w[i] = fmax(w[i], least);
        *log_det += log(w[i]) + 2 * log(scale[i]);
    }
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            double sum = 0;
            for (size_t v = 0; v < m; v++) sum += V[v * m + i] * V[v * m + j] / w[v];
            inverse[i * m + j] = sum / (scale[i] * scale[j]);
        }
    return SN_OK;
}

int sn_kalman_prior(const sn_study *s, int u, const double *z, double *v0, double *v1)
{
    const sn_unknown *q = &s->unknown[u];
    if (isnan(q->prior)) return 0;
    double unit = q->log ? 1 : q->scale;
    *v0 = -(z[u] * unit - q->prior) / q->prior_sd, *v1 = -unit / q->prior_sd;
    return 1;
}

/* x <- A^-1 x by Cholesky's factors of A with ones on its diagonal, of which L is the lower part; scratch: n.
   0: A is singular. */
static int solve(int n, double *L, double *x, double *scale)
{
    size_t m = (size_t)n;
    for (size_t i = 0; i < m; i++) {
        if (!(L[i * m + i] > 0)) return 0;
        scale[i] = sqrt(L[i * m + i]);
    }
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) L[i * m + j] /= scale[i] * scale[j];
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, L, n)) return 0;
    for (size_t i = 0; i < m; i++)
        if (L[i * m + i] * L[i * m + i] < 1e-12) return 0;
    for (size_t i = 0; i < 2 * m; i++) x[i] /= scale[i / 2];
    if (LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', n, 2, L, n, x, 2)) return 0;
    for (size_t i = 0; i < 2 * m; i++) x[i] /= scale[i / 2];
    return 1;
}

int sn_kalman_estimate(sn_kalman *k, const double *d, double *value, double *variance)
{
    const sn_part *p = k->part;
    size_t fixed = (size_t)k->fixed, n = fixed - 1;
    double *L = k->solve, *x = L + n * n, *scale = x + 2 * n;
    *value = d[0];
    if (!n) return 1;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) L[i * n + j] = k->G[(i + 1) * fixed + j + 1];
        x[2 * i] = -k->G[(i + 1) * fixed], x[2 * i + 1] = d[i + 1];
    }
    for (int a = 0; a < p->n; a++) {
        double v0, v1;
        if (!sn_kalman_prior(k->fit->s, p->unknown[a], k->z, &v0, &v1)) continue;
        L[(size_t)a * n + (size_t)a] += v1 * v1, x[2 * a] -= v0 * v1;
    }
    if (!solve((int)n, L, x, scale)) return 0;
    for (size_t i = 0; i < n; i++) *value += d[i + 1] * x[2 * i], *variance += d[i + 1] * x[2 * i + 1];
    return 1;
}
