/* Factors of the tangent where freedoms are neutral.

   A neutral freedom is a direction x with K x + L mu = 0, B x = 0. Factors of K + h W with a tiny h exist all
   the same; W is diagonal, of the size of K's own rows, so that h can stand just above rounding. Inverse
   iteration with these factors enlarges x by 1/h and everything that is held by much less: so neutral
   freedoms are found, a block of vectors at a time. Solutions get no part along them: what nothing holds
   stays where it is. */
#include "analysis/tangent.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

sn_status sn_tangent_open(sn_context *d, sn_tangent *t, sn_err *err)
{
    *t = (sn_tangent){.d = d};
    if (SN_NEW(t->weight, d->m->nv + 1) && SN_NEW(t->Ax, d->m->nnz + 1)) return SN_OK;
    sn_tangent_close(t);
    return SN_OUT_OF_MEM(err);
}

void sn_tangent_close(sn_tangent *t)
{
    sn_free(t->weight), sn_free(t->Ax), sn_free(t->neutral), sn_free(t->work);
    *t = (sn_tangent){.d = NULL};
}

void sn_tangent_weigh(sn_tangent *t)
{
    const sn_model *m = t->d->m;
    const double *scale = t->d->w->scale;
    double top = 0;
    /* the largest entry of each row, all as stiffnesses of lengths */
    memset(t->weight, 0, sizeof *t->weight * (size_t)m->nv);
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1] && m->Ai[k] < m->nv; k++) {
            int i = m->Ai[k];
            t->weight[i] = fmax(t->weight[i], fabs(t->Ax[k]) * scale[i] * scale[j]);
            top = fmax(top, t->weight[i]);
        }
    if (top == 0) top = t->d->w->force > 0 ? t->d->w->force / t->d->p->length : 1;
    for (int i = 0; i < m->nv; i++) t->weight[i] = fmax(t->weight[i], 1e-6 * top) / (scale[i] * scale[i]);
}

void sn_tangent_times(const sn_tangent *t, const double *x, double *y)
{
    const sn_model *m = t->d->m;
    memset(y, 0, sizeof *y * (size_t)m->nv);
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1] && m->Ai[k] < m->nv; k++) y[m->Ai[k]] += t->Ax[k] * x[j];
}

static double dot(const sn_tangent *t, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < t->d->m->nv; i++) sum += x[i] * t->weight[i] * y[i];
    return sum;
}

/* Columns of X made orthonormal in W. */
static void orthonormalise(const sn_tangent *t, int k, double *X)
{
    size_t nv = (size_t)t->d->m->nv;
    for (int c = 0; c < k; c++) {
        double *x = X + (size_t)c * nv, size = sqrt(dot(t, x, x));
        for (size_t i = 0; i < nv; i++) x[i] /= size > 0 ? size : 1;
        for (int twice = 0; twice < 2; twice++) {
            for (int b = 0; b < c; b++) {
                const double *y = X + (size_t)b * nv, part = dot(t, x, y);
                for (size_t i = 0; i < nv; i++) x[i] -= part * y[i];
            }
            size = sqrt(dot(t, x, x));
            for (size_t i = 0; i < nv; i++) x[i] /= size > 0 ? size : 1;
        }
    }
}

/* Y = (K + h W)^-1 W X under the equations, some columns at a time */
static sn_status inverse(const sn_tangent *t, int k, const double *X, double *Y, sn_err *err)
{
    enum { TOGETHER = SN_LINSOL_TOGETHER };
    const sn_model *m = t->d->m;
    size_t n = (size_t)m->nv, rows = (size_t)m->n;
    double *z = sn_alloc(TOGETHER * rows, sizeof *z);
    sn_status s = z ? SN_OK : SN_OUT_OF_MEM(err);
    for (int c = 0; c < k && !s; c += TOGETHER) {
        int some = k - c < TOGETHER ? k - c : TOGETHER;
        memset(z, 0, sizeof *z * TOGETHER * rows);
        for (int j = 0; j < some; j++)
            for (size_t i = 0; i < n; i++)
                z[(size_t)j * rows + i] = t->weight[i] * X[(size_t)(c + j) * n + i];
        s = sn_linsol_solve_together_refined(t->d->ls, some, z);
        for (int j = 0; j < some; j++) memcpy(Y + (size_t)(c + j) * n, z + (size_t)j * rows, sizeof *Y * n);
    }
    sn_free(z);
    return s;
}

sn_status sn_tangent_subspace(const sn_tangent *t, int k, int rounds, double *X, double *Y, sn_err *err)
{
    const int nv = t->d->m->nv;
    size_t n = (size_t)nv, all = n * (size_t)k;
    /* numbers without a pattern */
    for (size_t i = 0; i < all; i++)
        X[i] =
            (fmod(0.6180339887498949 * (double)(i + 1), 1) - 0.5 + 0.3 * sin(2.4 * (double)i * (double)i)) /
            sqrt(t->weight[i % n]);
    for (int round = 0; round <= rounds; round++) {
        orthonormalise(t, k, X);
        SN_TRY(inverse(t, k, X, Y, err));
        if (round < rounds) memcpy(X, Y, sizeof *X * all);
    }
    return SN_OK;
}

/* Of k vectors those that are neutral, into t->neutral. */
static sn_status sort_out(sn_tangent *t, int k, double left, const double *X, const double *Y, double *T)
{
    size_t n = (size_t)t->d->m->nv, K = (size_t)k;
    double *s = T + K * K, *V = s + K, *spare = V + K * K, unused[1];
    for (size_t a = 0; a < K; a++)
        for (size_t b = 0; b < K; b++) {
            T[b * K + a] = dot(t, X + a * n, Y + b * n);
            if (!isfinite(T[b * K + a])) return SN_ERR_NUMERIC;
        }
    if (LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', k, k, T, k, s, unused, 1, V, k, spare))
        return SN_ERR_NUMERIC;
    t->n_neutral = 0, t->slack = SN_HOLD;
    for (size_t c = 0; c < K; c++) {
        double *x = t->neutral + (size_t)t->n_neutral * n, size = 0, top = 0;
        memset(x, 0, sizeof *x * n);
        for (size_t b = 0; b < K; b++)
            for (size_t i = 0; i < n; i++) x[i] += V[b * K + c] * Y[b * n + i];
        size = sqrt(dot(t, x, x));
        for (size_t i = 0; i < n; i++) {
            x[i] /= size > 0 ? size : 1;
            double length = x[i] / t->d->w->scale[i];
            top += length * length;
        }
        /* forces out of balance turn K by about their size over the model's */
        double slack = 2 * SN_HOLD + left / t->d->p->length * top;
        if (s[c] * slack >= 1) t->n_neutral++, t->slack = fmax(t->slack, slack);
    }
    orthonormalise(t, t->n_neutral, t->neutral);
    return SN_OK;
}

/* The neutral freedoms, by the factors of K + SN_HOLD W. */
static sn_status find_neutral(sn_tangent *t, double left, sn_err *err)
{
    const int nv = t->d->m->nv;
    sn_status s = SN_OK;
    for (int k = nv < 4 ? nv : 4; !s; k = 2 * k < nv ? 2 * k : nv) {
        size_t all = (size_t)k * (size_t)nv + 1, K = (size_t)k;
        double *X, *Y = NULL, *T = NULL;
        sn_free(t->neutral), sn_free(t->work), t->n_neutral = 0;
        t->neutral = t->work = NULL;
        if (!SN_NEW(X, all) || !SN_NEW(Y, all) || !SN_NEW(T, 2 * K * K + 2 * K + 1) ||
            !SN_NEW(t->neutral, all) || !SN_NEW(t->work, k + 1))
            s = SN_OUT_OF_MEM(err);
        if (!s) s = sn_tangent_subspace(t, k, 2, X, Y, err);
        if (!s) s = sort_out(t, k, left, X, Y, T);
        sn_free(X), sn_free(Y), sn_free(T);
        if (t->n_neutral < k || k == nv) break;
    }
    return s;
}

sn_status sn_tangent_factor_held(sn_tangent *t, double left, const char *what, sn_err *err)
{
    sn_context *d = t->d;
    const sn_model *m = d->m;
    int column = -1;
    if (!t->held) memcpy(t->Ax, d->w->Ax, sizeof *t->Ax * (size_t)m->nnz);
    memcpy(d->w->Ax, t->Ax, sizeof *t->Ax * (size_t)m->nnz);
    sn_tangent_weigh(t);
    for (int i = 0; i < m->nv; i++) d->w->Ax[m->diag[i]] += SN_HOLD * t->weight[i];
    sn_status s = sn_linsol_factor(d->ls, d->w->Ax, &column, NULL);
    if (!s) s = find_neutral(t, left, NULL); /* reported below */
    if (!s) return SN_OK;
    memcpy(d->w->Ax, t->Ax, sizeof *t->Ax * (size_t)m->nnz);
    return sn_singular(d, what, s, column, err);
}

sn_status sn_tangent_factor(sn_tangent *t, const char *what, sn_err *err)
{
    sn_context *d = t->d;
    int column = -1;
    memcpy(t->Ax, d->w->Ax, sizeof *t->Ax * (size_t)d->m->nnz);
    sn_status s = t->held ? SN_ERR_NUMERIC : sn_linsol_factor(d->ls, d->w->Ax, &column, NULL);
    if (s != SN_ERR_NUMERIC) return s ? sn_singular(d, what, s, column, err) : SN_OK;
    d->w->failed = NULL;
    SN_TRY(sn_context_finite(d, what, err));
    int before = t->held;
    t->held = 1;
    SN_TRY(sn_tangent_factor_held(t, 0, what, err));
    if (t->n_neutral || before) return SN_OK;
    memcpy(d->w->Ax, t->Ax, sizeof *t->Ax * (size_t)d->m->nnz);
    return sn_singular(d, what, s, column, err);
}

sn_status sn_tangent_solve(sn_tangent *t, double *z)
{
    size_t n = (size_t)t->d->m->nv;
    for (int c = 0; c < t->n_neutral; c++) {
        t->work[c] = 0;
        for (size_t i = 0; i < n; i++) t->work[c] += z[i] * t->neutral[(size_t)c * n + i];
    }
    /* off the right-hand side too: rounding of what these factors enlarge would be a push */
    for (int c = 0; c < t->n_neutral; c++)
        for (size_t i = 0; i < n; i++) z[i] -= t->work[c] * t->weight[i] * t->neutral[(size_t)c * n + i];
    SN_TRY(sn_linsol_solve_refined(t->d->ls, 0, 1, z));
    for (int c = 0; c < t->n_neutral; c++) {
        const double *x = t->neutral + (size_t)c * n, part = dot(t, x, z);
        for (size_t i = 0; i < n; i++) z[i] -= part * x[i];
    }
    return SN_OK;
}

double sn_tangent_unheld(const sn_tangent *t, double *g)
{
    const sn_context *d = t->d;
    size_t n = (size_t)d->m->nv;
    double work = 0, top = 0;
    memset(g, 0, sizeof *g * n);
    for (int c = 0; c < t->n_neutral; c++) {
        for (size_t i = 0; i < n; i++) g[i] += t->work[c] * t->neutral[(size_t)c * n + i];
        work += t->work[c] * t->work[c];
    }
    for (size_t i = 0; i < n; i++) top = fmax(top, fabs(g[i]) / d->w->scale[i]);
    if (!(top > 0)) return 0;
    for (size_t i = 0; i < n; i++) g[i] *= d->p->length / top;
    return work / top;
}

void sn_tangent_names(const sn_tangent *t, char *out, size_t size)
{
    const sn_context *d = t->d;
    size_t n = (size_t)d->m->nv;
    out[0] = 0;
    if (!t->n_neutral) return;
    /* how much of each coordinate is neutral */
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int c = 0; c < t->n_neutral; c++) {
            double x = t->neutral[(size_t)c * n + i];
            sum += x * x * t->weight[i];
        }
        d->z[i] = sum;
    }
    sn_name_largest(d, d->z, 0, d->m->nv, out, size);
}
