/* LU factors for a fixed order of pivots: the numbers. The pattern is in lu_plan.c.

   P A Q = L D U, L and U unit triangular, computed row by row: row i of A is scattered into x; for every j in
   the pattern of row i of L, ascending, x -= x_j U_j; then L_ij = x_j / d_j, d_i = x_i, U_i = x / d_i. Rows
   serve the plain solve best: both substitutions are dot products, and the newest unknown enters last, so
   that a narrow chain waits for one product and one sum a row.

   Growth. The computed factors are exact for A + E with |E| <= 2 n eps |L||DU| (Higham, Accuracy and
   Stability of Numerical Algorithms, th. 9.3), so the 1-norm of row i of |L||DU|, bounded by sum_j |x_j|
   |U_j|_1, over that of A is the growth of the backward error in that row. It does not depend on the scaling
   of rows, so none is applied.

   Doubt. A pivot far below the magnitudes in its row may be all rounding, and the matrix singular. A zero
   pivot is replaced by a tenth of eps times its row of A, no more than what rounding does. */
#include "linsol/lu.h"

#include <float.h>
#include <math.h>

/* Two doubles in one register, which every 64-bit machine has. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

/* Row i of A into x; returns its 1-norm. */
static inline double scatter_row(sn_lu *lu, const double *Ax, int i)
{
    double norm = 0;
    for (int p = lu->Rp[i]; p < lu->Rp[i + 1]; p++) {
        double a = Ax[lu->Ra[p]];
        lu->x[lu->Rj[p]] = a;
        norm += fabs(a);
    }
    lu->norm[i] = norm;
    return norm;
}

/* Row i of L, its pivot and row i of U; returns a bound of the 1-norm of row i of |L||DU|. */
static inline double factor_row(sn_lu *lu, const double *Ax, int i)
{
    const double small = 1e-12;
    const int *restrict Up = lu->Up, *restrict Ui = lu->Ui;
    double *restrict x = lu->x, *restrict Ux = lu->Ux;
    double norm = scatter_row(lu, Ax, i), bound = 0;
    for (int q = lu->Lp[i]; q < lu->Lp[i + 1]; q++) {
        int j = lu->Li[q];
        double xj = x[j];
        x[j] = 0;
        for (int p = Up[j], end = Up[j + 1]; p < end; p++) x[Ui[p]] -= xj * Ux[p];
        lu->Lx[q] = xj * lu->di[j];
        bound += fabs(xj) * lu->unorm[j];
    }
    double d = x[i];
    x[i] = 0;
    if (fabs(d) <= small * (bound + norm)) {
        lu->doubtful = 1;
        if (d == 0) d = 0.1 * DBL_EPSILON * norm;
    }
    double di = 1 / d, unorm = 1;
    lu->d[i] = d;
    lu->di[i] = di;
    for (int p = Up[i], end = Up[i + 1]; p < end; p++) {
        double u = x[Ui[p]] * di;
        x[Ui[p]] = 0;
        Ux[p] = u;
        unorm += fabs(u);
    }
    lu->unorm[i] = unorm;
    return bound + fabs(d) * unorm;
}

int sn_lu_factor(sn_lu *lu, const double *Ax, double limit)
{
    lu->growth = 0;
    lu->doubtful = 0;
    if (lu->b.n) return sn_lu_block_factor(lu, Ax, limit);
    for (int i = 0; i < lu->n; i++) {
        double bound = factor_row(lu, Ax, i), norm = lu->norm[i];
        /* written so that what is not a number fails */
        if (!(bound <= limit * norm)) return 0;
        if (bound > lu->growth * norm) lu->growth = bound / norm;
    }
    return 1;
}

static void solve1(sn_lu *lu, double *restrict b)
{
    int n = lu->n;
    double *restrict y = lu->y;
    const int *restrict Lp = lu->Lp, *restrict Li = lu->Li, *restrict Up = lu->Up, *restrict Ui = lu->Ui;
    const double *restrict Lx = lu->Lx, *restrict Ux = lu->Ux;
    for (int i = 0, p = 0; i < n; i++) {
        double s = b[lu->row[i]];
        for (int end = Lp[i + 1]; p < end; p++) s -= Lx[p] * y[Li[p]];
        y[i] = s;
    }
    for (int i = n - 1, p = Up[n] - 1; i >= 0; i--) {
        double s = y[i] * lu->di[i];
        for (int end = Up[i]; p >= end; p--) s -= Ux[p] * y[Ui[p]];
        y[i] = s;
        b[lu->col[i]] = s;
    }
}

/* Four right-hand sides side by side in y, two pairs a row, so that a factor entry is read once for all. */
static inline void gather(const double *b, size_t n, pair *s)
{
    s[0] = (pair){b[0], b[n]};
    s[1] = (pair){b[2 * n], b[3 * n]};
}

static inline void spread(pair s, pair t, double *b, size_t n)
{
    b[0] = s[0];
    b[n] = s[1];
    b[2 * n] = t[0];
    b[3 * n] = t[1];
}

static void solve4(sn_lu *lu, double *restrict b)
{
    int n = lu->n;
    pair *restrict y = (pair *)lu->y;
    for (int i = 0, p = 0; i < n; i++) {
        pair s[2];
        gather(b + lu->row[i], (size_t)n, s);
        for (int end = lu->Lp[i + 1]; p < end; p++) {
            const pair *z = y + 2 * (size_t)lu->Li[p];
            s[0] -= lu->Lx[p] * z[0];
            s[1] -= lu->Lx[p] * z[1];
        }
        y[2 * (size_t)i] = s[0];
        y[2 * (size_t)i + 1] = s[1];
    }
    for (int i = n - 1, p = lu->Up[n] - 1; i >= 0; i--) {
        pair *yi = y + 2 * (size_t)i, s = yi[0] * lu->di[i], t = yi[1] * lu->di[i];
        for (int end = lu->Up[i]; p >= end; p--) {
            const pair *z = y + 2 * (size_t)lu->Ui[p];
            s -= lu->Ux[p] * z[0];
            t -= lu->Ux[p] * z[1];
        }
        yi[0] = s;
        yi[1] = t;
        spread(s, t, b + lu->col[i], (size_t)n);
    }
}

void sn_lu_solve(sn_lu *lu, int nrhs, double *b)
{
    int c = 0;
    for (; lu->b.n && c < nrhs; c++) sn_lu_block_solve(lu, b + (size_t)c * (size_t)lu->n);
    for (; c + 4 <= nrhs; c += 4) solve4(lu, b + (size_t)c * (size_t)lu->n);
    for (; c < nrhs; c++) solve1(lu, b + (size_t)c * (size_t)lu->n);
}

/* 2 `pairs` columns of b, whose rows are ld long. */
static inline __attribute__((always_inline)) void solve_pairs(sn_lu *lu, const int pairs, size_t ld,
                                                              double *restrict b)
{
    const size_t w = (size_t)pairs;
    const int *restrict Lp = lu->Lp, *restrict Li = lu->Li, *restrict Up = lu->Up, *restrict Ui = lu->Ui;
    const double *restrict Lx = lu->Lx, *restrict Ux = lu->Ux;
    pair *restrict y = (pair *)lu->y, s[4];
    for (int i = 0, p = 0; i < lu->n; i++) {
        const pair *from = (const pair *)(b + (size_t)lu->row[i] * ld);
        for (size_t k = 0; k < w; k++) s[k] = from[k];
        for (int end = Lp[i + 1]; p < end; p++) {
            const pair *z = y + w * (size_t)Li[p];
            for (size_t k = 0; k < w; k++) s[k] -= Lx[p] * z[k];
        }
        for (size_t k = 0; k < w; k++) y[w * (size_t)i + k] = s[k];
    }
    for (int i = lu->n - 1, p = Up[lu->n] - 1; i >= 0; i--) {
        pair *yi = y + w * (size_t)i, *to = (pair *)(b + (size_t)lu->col[i] * ld);
        for (size_t k = 0; k < w; k++) s[k] = yi[k] * lu->di[i];
        for (int end = Up[i]; p >= end; p--) {
            const pair *z = y + w * (size_t)Ui[p];
            for (size_t k = 0; k < w; k++) s[k] -= Ux[p] * z[k];
        }
        for (size_t k = 0; k < w; k++) yi[k] = to[k] = s[k];
    }
}

/* One column of rows that are ld long. */
static void solve_column(sn_lu *lu, size_t ld, double *restrict b)
{
    double *restrict y = lu->y;
    for (int i = 0, p = 0; i < lu->n; i++) {
        double s = b[(size_t)lu->row[i] * ld];
        for (int end = lu->Lp[i + 1]; p < end; p++) s -= lu->Lx[p] * y[lu->Li[p]];
        y[i] = s;
    }
    for (int i = lu->n - 1, p = lu->Up[lu->n] - 1; i >= 0; i--) {
        double s = y[i] * lu->di[i];
        for (int end = lu->Up[i]; p >= end; p--) s -= lu->Ux[p] * y[lu->Ui[p]];
        y[i] = b[(size_t)lu->col[i] * ld] = s;
    }
}

void sn_lu_solve_rows(sn_lu *lu, int nrhs, double *b)
{
    size_t n = (size_t)nrhs, c = 0;
    if (lu->b.n) {
        sn_lu_block_solve_rows(lu, nrhs, b);
        return;
    }
    for (; c + 8 <= n; c += 8) solve_pairs(lu, 4, n, b + c);
    for (; c + 4 <= n; c += 4) solve_pairs(lu, 2, n, b + c);
    for (; c + 2 <= n; c += 2) solve_pairs(lu, 1, n, b + c);
    if (c < n) solve_column(lu, n, b + c);
}

/* A' = Q U' D L' P: the rows of U and L are the columns of their transposes. */
static void solve1_transposed(sn_lu *lu, double *restrict b)
{
    int n = lu->n;
    double *restrict y = lu->y;
    for (int i = 0; i < n; i++) y[i] = b[lu->col[i]];
    for (int i = 0, p = 0; i < n; i++) {
        double s = y[i];
        for (int end = lu->Up[i + 1]; p < end; p++) y[lu->Ui[p]] -= lu->Ux[p] * s;
        y[i] = s * lu->di[i];
    }
    for (int i = n - 1, p = lu->Lp[n] - 1; i >= 0; i--) {
        double s = y[i];
        for (int end = lu->Lp[i]; p >= end; p--) y[lu->Li[p]] -= lu->Lx[p] * s;
        b[lu->row[i]] = s;
    }
}

static void solve4_transposed(sn_lu *lu, double *restrict b)
{
    int n = lu->n;
    pair *restrict y = (pair *)lu->y;
    for (int i = 0; i < n; i++) gather(b + lu->col[i], (size_t)n, y + 2 * (size_t)i);
    for (int i = 0, p = 0; i < n; i++) {
        pair *yi = y + 2 * (size_t)i, s = yi[0], t = yi[1];
        for (int end = lu->Up[i + 1]; p < end; p++) {
            pair *z = y + 2 * (size_t)lu->Ui[p];
            z[0] -= lu->Ux[p] * s;
            z[1] -= lu->Ux[p] * t;
        }
        yi[0] = s * lu->di[i];
        yi[1] = t * lu->di[i];
    }
    for (int i = n - 1, p = lu->Lp[n] - 1; i >= 0; i--) {
        pair s = y[2 * (size_t)i], t = y[2 * (size_t)i + 1];
        for (int end = lu->Lp[i]; p >= end; p--) {
            pair *z = y + 2 * (size_t)lu->Li[p];
            z[0] -= lu->Lx[p] * s;
            z[1] -= lu->Lx[p] * t;
        }
        spread(s, t, b + lu->row[i], (size_t)n);
    }
}

void sn_lu_solve_transposed(sn_lu *lu, int nrhs, double *b)
{
    int c = 0;
    for (; lu->b.n && c < nrhs; c++) sn_lu_block_solve_transposed(lu, b + (size_t)c * (size_t)lu->n);
    for (; c + 4 <= nrhs; c += 4) solve4_transposed(lu, b + (size_t)c * (size_t)lu->n);
    for (; c < nrhs; c++) solve1_transposed(lu, b + (size_t)c * (size_t)lu->n);
}

double sn_lu_rcond(const sn_lu *lu)
{
    double lo = INFINITY, hi = 0;
    for (int i = 0; i < lu->n; i++) {
        double d = fabs(lu->d[i]) / lu->norm[i];
        lo = fmin(lo, d);
        hi = fmax(hi, d);
    }
    return lu->n ? lo / hi : 1;
}

double sn_lu_bytes(const sn_lu *lu)
{
    const double n = lu->n, nz = lu->n ? lu->Rp[lu->n] : 0;
    double factors = lu->n ? (double)lu->Lp[lu->n] + lu->Up[lu->n] : 0;
    if (lu->b.n) factors = lu->b.size * 2 / 3.0; /* panels */
    return 8 * nz + 12 * factors + (13 * 8 + 5 * 4) * n;
}
