/* Reduction block by block: Jl = U S V', P = 1 - U U', R of the QR factors of P [Jp z], and Jl^+ [Jp z] for
   the local unknowns later. Dense factors by LAPACK, by columns. */
#include "identify/block_least_squares.h"

#include <float.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#undef I

void sn_block_ls_free(sn_block_ls *a)
{
    if (!a) return;
    double *const d[] = {a->weight, a->norm2,    a->dp, a->covariance, a->singular, a->loose,
                         a->e,      a->leverage, a->R,  a->X,          a->V,        a->J,
                         a->C,      a->U,        a->S,  a->W,          a->big};
    for (size_t i = 0; i < sizeof d / sizeof *d; i++) sn_free(d[i]);
    sn_free(a->equations), sn_free(a->rank), sn_free(a->kept);
    sn_free(a);
}

sn_status sn_block_ls_new(int np, int nl, int n, int rows, double tolerance, sn_block_ls **out, sn_err *err)
{
    sn_block_ls *a;
    size_t c = (size_t)np + 1, blocks = (size_t)n, r = (size_t)rows, l = (size_t)nl + 1,
           least = r < l ? r : l, big = blocks * c > c ? blocks * c : c;
    *out = NULL;
    /* dense matrices of a block, counted by int here and in LAPACK */
    if (r * (l + c) > INT_MAX || c * c > INT_MAX)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "too large for a direct method: %d equations at a time with %d unknowns", rows,
                       np + nl);
    if (!SN_NEW(a, 1)) return SN_OUT_OF_MEM(err);
    *a = (sn_block_ls){.np = np, .nl = nl, .n = n, .rows = rows, .tolerance = tolerance};
    if (!SN_NEW(a->weight, blocks) || !SN_NEW(a->norm2, blocks) || !SN_NEW(a->dp, c) ||
        !SN_NEW(a->covariance, c * c) || !SN_NEW(a->singular, c) || !SN_NEW(a->loose, c) ||
        !SN_NEW(a->e, r) || !SN_NEW(a->leverage, r) || !SN_NEW(a->R, blocks * c * c) ||
        !SN_NEW(a->X, blocks * l * c) || !SN_NEW(a->V, blocks * l) || !SN_NEW(a->J, r * l) ||
        !SN_NEW(a->C, (r + c) * c) || !SN_NEW(a->U, r * least) || !SN_NEW(a->S, l + c) ||
        !SN_NEW(a->W, least * l + 2 * c * c + r + c) || !SN_NEW(a->big, big * c) ||
        !SN_NEW(a->equations, blocks) || !SN_NEW(a->rank, blocks) || !SN_NEW(a->kept, r)) {
        sn_block_ls_free(a);
        return SN_OUT_OF_MEM(err);
    }
    for (size_t i = 0; i < blocks; i++) a->weight[i] = 1;
    *out = a;
    return SN_OK;
}

static sn_status lapack(int info, sn_err *err)
{
    if (info == 0) return SN_OK;
    if (info <= LAPACK_WORK_MEMORY_ERROR) return SN_OUT_OF_MEM(err);
    return sn_fail(err, SN_ERR_NUMERIC, NULL, "the singular values of the equations cannot be computed");
}

static int rank_of(int n, const double *s, double tolerance)
{
    int k = 0;
    while (k < n && s[k] > tolerance * s[0] && s[k] > 0) k++;
    return k;
}

/* Rows that depend on some unknown, by columns: J local ones over the norms of their columns (in S), C the
   common ones and z. Returns how many; -1: not finite. */
static int fill(sn_block_ls *a, int rows, const double *Jp, const double *Jl, const double *z)
{
    int n = 0, np = a->np, nl = a->nl;
    for (int r = 0; r < rows; r++) {
        double any = 0;
        for (int k = 0; k < np; k++) any += fabs(Jp[r * np + k]);
        for (int k = 0; k < nl; k++) any += fabs(Jl[r * nl + k]);
        if (!isfinite(any) || !isfinite(z[r])) return -1;
        if (any > 0) a->kept[n++] = r;
    }
    for (int k = 0; k < nl; k++) {
        double s = 0;
        for (int r = 0; r < n; r++) s = hypot(s, Jl[a->kept[r] * nl + k]);
        a->S[k] = s > 0 ? s : 1;
        for (int r = 0; r < n; r++) a->J[k * n + r] = Jl[a->kept[r] * nl + k] / a->S[k];
    }
    for (int k = 0; k <= np; k++)
        for (int r = 0; r < n; r++) a->C[k * n + r] = k < np ? Jp[a->kept[r] * np + k] : z[a->kept[r]];
    return n;
}

/* Local unknowns: their answer X to [Jp z], its variances V, and what is left in C. */
static sn_status project(sn_block_ls *a, int i, int n, sn_err *err)
{
    int nl = a->nl, c = a->np + 1, least = n < nl ? n : nl, k = 0;
    double *X = a->X + (size_t)i * (size_t)(nl * c), *V = a->V + (size_t)i * (size_t)nl;
    double *s = a->W, *Vt = a->W + least + 1;
    memset(X, 0, sizeof(double) * (size_t)(nl * c));
    memset(V, 0, sizeof(double) * (size_t)nl);
    if (least) {
        SN_TRY(lapack(LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', n, nl, a->J, n, s, a->U, n, Vt, least), err));
        k = rank_of(least, s, a->tolerance > 0 ? a->tolerance : (n > nl ? n : nl) * DBL_EPSILON);
    }
    a->rank[i] = k;
    for (int r = 0; r < n; r++) {
        a->leverage[r] = 0;
        for (int j = 0; j < k; j++) a->leverage[r] += a->U[j * n + r] * a->U[j * n + r];
    }
    for (int j = 0; j < k; j++) {
        for (int col = 0; col < c; col++) {
            double t = 0;
            for (int r = 0; r < n; r++) t += a->U[j * n + r] * a->C[col * n + r];
            for (int r = 0; r < n; r++) a->C[col * n + r] -= t * a->U[j * n + r];
            for (int l = 0; l < nl; l++) X[l * c + col] += Vt[l * least + j] * t / (s[j] * a->S[l]);
        }
        for (int l = 0; l < nl; l++) {
            double t = Vt[l * least + j] / (s[j] * a->S[l]);
            V[l] += t * t;
        }
    }
    return SN_OK;
}

/* R (c x c by columns, upper) of the n x c matrix A, which is destroyed. */
static sn_status triangle(int n, int c, double *A, double *tau, double *R, sn_err *err)
{
    if (n) SN_TRY(lapack(LAPACKE_dgeqrf(LAPACK_COL_MAJOR, n, c, A, n, tau), err));
    for (int k = 0; k < c; k++)
        for (int r = 0; r < c; r++) R[k * c + r] = r <= k && r < n ? A[k * n + r] : 0;
    return SN_OK;
}

sn_status sn_block_ls_add(sn_block_ls *a, int i, int rows, const double *Jp, const double *Jl,
                          const double *z, sn_err *err)
{
    int c = a->np + 1, n = fill(a, rows, Jp, Jl, z);
    if (n < 0) return sn_fail(err, SN_ERR_NUMERIC, NULL, "the equations of block %d are not finite", i + 1);
    a->equations[i] = n;
    SN_TRY(project(a, i, n, err));
    memset(a->e, 0, sizeof(double) * (size_t)a->rows);
    a->norm2[i] = 0;
    for (int r = n - 1; r >= 0; r--) {
        double e = a->C[a->np * n + r], h = a->leverage[r];
        a->norm2[i] += e * e;
        a->e[a->kept[r]] = e, a->leverage[a->kept[r]] = h;
    }
    for (int r = 0, k = 0; r < rows; r++) { /* rows that were left out: nothing to learn from */
        if (k < n && a->kept[k] == r)
            k++;
        else
            a->leverage[r] = 1;
    }
    return triangle(n, c, a->C, a->W, a->R + (size_t)i * (size_t)(c * c), err);
}

/* Pseudo-inverse of the scaled np x np triangle: step, covariance, what is not determined. */
static sn_status invert(sn_block_ls *a, const double *R, const double *scale, sn_err *err)
{
    int np = a->np, c = np + 1;
    double *A = a->C, *U = a->W, *Vt = a->W + np * np;
    memset(a->dp, 0, sizeof(double) * (size_t)np);
    memset(a->loose, 0, sizeof(double) * (size_t)np);
    memset(a->covariance, 0, sizeof(double) * (size_t)(np * np));
    a->rank_p = 0;
    if (!np) return SN_OK;
    for (int k = 0; k < np; k++)
        for (int r = 0; r < np; r++) A[k * np + r] = R[k * c + r] * scale[k];
    SN_TRY(lapack(LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'A', np, np, A, np, a->singular, U, np, Vt, np), err));
    a->cutoff = a->tolerance > 0 ? a->tolerance : a->rows * DBL_EPSILON;
    a->rank_p = rank_of(np, a->singular, a->cutoff);
    for (int j = 0; j < np; j++) {
        double t = 0;
        if (j >= a->rank_p) {
            for (int k = 0; k < np; k++) a->loose[k] += Vt[k * np + j] * Vt[k * np + j];
            continue;
        }
        for (int r = 0; r < np; r++) t += U[j * np + r] * R[np * c + r];
        for (int k = 0; k < np; k++) {
            double v = scale[k] * Vt[k * np + j] / a->singular[j];
            a->dp[k] -= v * t;
            for (int l = 0; l < np; l++)
                a->covariance[k * np + l] += v * scale[l] * Vt[l * np + j] / a->singular[j];
        }
    }
    return SN_OK;
}

sn_status sn_block_ls_solve(sn_block_ls *a, const double *scale, sn_err *err)
{
    int np = a->np, c = np + 1, rows = a->n * c;
    double *R;
    sn_status status;
    if (!(R = sn_alloc((size_t)(c * c) + (size_t)c, sizeof *R))) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < a->n; i++) {
        const double *Ri = a->R + (size_t)i * (size_t)(c * c);
        double w = sqrt(a->weight[i]);
        for (int k = 0; k < c; k++)
            for (int r = 0; r < c; r++)
                a->big[(size_t)k * (size_t)rows + (size_t)(i * c + r)] = w * Ri[k * c + r];
    }
    status = triangle(rows, c, a->big, R + c * c, R, err);
    if (!status) status = invert(a, R, scale, err);
    if (!status) {
        a->cost = R[np * c + np] * R[np * c + np];
        for (int r = 0; r < np; r++) {
            double e = R[np * c + r];
            for (int k = r; k < np; k++) e += R[k * c + r] * a->dp[k];
            a->cost += e * e;
        }
    }
    sn_free(R);
    return status;
}

/* ---- errors of rows that share noise ---- */

enum { FEW = 50 };

/* Scores of the blocks, G_i = w_i J_i' e_i with e_i what the step leaves: n rows of np, by columns. */
static void scores(const sn_block_ls *a, double *G)
{
    int np = a->np, c = np + 1;
    for (int i = 0; i < a->n; i++) {
        const double *R = a->R + (size_t)i * (size_t)(c * c);
        for (int k = 0; k < np; k++)
            G[(size_t)k * (size_t)a->n + (size_t)i] =
                a->extra ? a->extra[(size_t)i * (size_t)np + (size_t)k] : 0;
        for (int r = 0; r < c; r++) {
            double e = R[np * c + r];
            for (int k = 0; k < np; k++) e += R[k * c + r] * a->dp[k];
            for (int k = 0; k < np; k++)
                G[(size_t)k * (size_t)a->n + (size_t)i] += a->weight[i] * R[k * c + r] * e;
        }
    }
}

static double lagged(const double *x, const double *y, int n, int lag)
{
    double s = 0;
    for (int i = lag; i < n; i++) s += x[i] * y[i - lag];
    return s;
}

/* Lags that count, for Parzen's kernel, from first-order autoregressions of the scores (Andrews, 1991,
   eqs 6.2 and 6.4, each score in units of its own deviation). */
static double bandwidth(const sn_block_ls *a, const double *G)
{
    double up = 0, down = 0;
    for (int k = 0; k < a->np; k++) {
        const double *g = G + (size_t)k * (size_t)a->n;
        double v = lagged(g, g, a->n, 0), rho = v > 0 ? lagged(g, g, a->n, 1) / v : 0;
        rho = fmin(fmax(rho, -0.97), 0.97);
        double s = (1 - rho * rho) * (1 - rho * rho);
        up += 4 * rho * rho * s / pow(1 - rho, 8), down += s / pow(1 - rho, 4);
    }
    return down > 0 ? 2.6614 * pow(up / down * a->n, 0.2) : 0;
}

static double parzen(double x)
{
    return x >= 1 ? 0 : x > 0.5 ? 2 * (1 - x) * (1 - x) * (1 - x) : 1 - 6 * x * x * (1 - x);
}

/* covariance S covariance, S the long-run variance of the scores. */
sn_status sn_block_ls_sandwich(sn_block_ls *a, double scale, sn_err *err)
{
    int np = a->np, n = a->n;
    size_t square = (size_t)(np * np);
    double *G, *S = a->C, *B = a->W;
    if (n < FEW || !np) return SN_OK;
    if (!(G = sn_alloc((size_t)n * (size_t)np, sizeof *G))) return SN_OUT_OF_MEM(err);
    scores(a, G);
    double width = bandwidth(a, G);
    for (int k = 0; k < np; k++)
        for (int l = 0; l < np; l++) {
            const double *x = G + (size_t)k * (size_t)n, *y = G + (size_t)l * (size_t)n;
            double s = lagged(x, y, n, 0);
            for (int lag = 1; lag < n && lag < width; lag++)
                s += parzen(lag / width) * (lagged(x, y, n, lag) + lagged(y, x, n, lag));
            S[k * np + l] = scale * s;
        }
    for (int k = 0; k < np; k++)
        for (int l = 0; l < np; l++) {
            B[k * np + l] = 0;
            for (int j = 0; j < np; j++) B[k * np + l] += a->covariance[k * np + j] * S[j * np + l];
        }
    memcpy(S, a->covariance, sizeof(double) * square);
    for (int k = 0; k < np; k++)
        for (int l = 0; l < np; l++) {
            a->covariance[k * np + l] = 0;
            for (int j = 0; j < np; j++) a->covariance[k * np + l] += B[k * np + j] * S[j * np + l];
        }
    sn_free(G);
    return SN_OK;
}

void sn_block_ls_local(const sn_block_ls *a, int i, const double *dp, double *dl, double *variance)
{
    int nl = a->nl, np = a->np, c = np + 1;
    const double *X = a->X + (size_t)i * (size_t)(nl * c), *V = a->V + (size_t)i * (size_t)nl;
    for (int l = 0; l < nl; l++) {
        const double *x = X + l * c;
        dl[l] = -x[np];
        for (int k = 0; k < np; k++) dl[l] -= x[k] * dp[k];
        if (!variance) continue;
        variance[l] = V[l] / (a->weight[i] > 0 ? a->weight[i] : 1);
        for (int k = 0; k < np; k++)
            for (int j = 0; j < np; j++) variance[l] += x[k] * a->covariance[k * np + j] * x[j];
    }
}
