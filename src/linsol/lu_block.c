/* LU factors for a fixed order of pivots, in panels: the numbers. What is computed, growth and doubt are
   those of lu.c; blocks are found in lu_block_plan.c.

   A panel holds n rows [L | the block's own columns | U]. The rows of A are put into it; earlier blocks are
   taken off, one after the other: X <- X U_tt^-1 for the columns X of their pivots, then the others less X
   U_t, a product of small dense matrices; the block's own pivots follow row by row. */
#include "linsol/lu_block.h"
#include "math/simd.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Two doubles in one register, which every 64-bit machine has. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

/* ---- factors ---- */

/* y <- y - f x */
static INLINE void take_off(int n, double f, const double *restrict x, double *restrict y)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) *(sn_quad *)(y + i) -= f * *(const sn_quad *)(x + i);
    for (; i + 2 <= n; i += 2) *(pair *)(y + i) -= f * *(const pair *)(x + i);
    if (i < n) y[i] -= f * x[i];
}

/* c - x u of one panel and rows of another: x has n columns, u n rows; rows of x and c begin ld numbers
   apart, those of u ldu. */
typedef struct product {
    int n, ld, ldu;
    double *x, *c;
    const double *u;
} product;

static INLINE product from(product p, int row, int column)
{
    return (product){p.n, p.ld, p.ldu, p.x + row * p.ld, p.c + row * p.ld + column, p.u + column};
}

/* `rows` rows of 4 `quads` + 2 `pairs` columns (one of either at most) of c <- c - x u */
static INLINE void take_tile(const int rows, const int quads, const int pairs, const product p)
{
    const double *restrict x = p.x, *restrict u = p.u;
    double *restrict c = p.c;
    sn_quad s[2];
    pair t[2];
    for (int r = 0; r < rows; r++) {
        if (quads) s[r] = *(const sn_quad *)(c + r * p.ld);
        if (pairs) t[r] = *(const pair *)(c + r * p.ld + 4 * quads);
    }
    for (int j = 0; j < p.n; j++, u += p.ldu)
        for (int r = 0; r < rows; r++) {
            if (quads) s[r] -= x[r * p.ld + j] * *(const sn_quad *)u;
            if (pairs) t[r] -= x[r * p.ld + j] * *(const pair *)(u + 4 * quads);
        }
    for (int r = 0; r < rows; r++) {
        if (quads) *(sn_quad *)(c + r * p.ld) = s[r];
        if (pairs) *(pair *)(c + r * p.ld + 4 * quads) = t[r];
    }
}

static INLINE void take_strip(int rows, const int quads, const int pairs, const product p)
{
    int r = 0;
    for (; r + 2 <= rows; r += 2) take_tile(2, quads, pairs, from(p, r, 0));
    if (r < rows) take_tile(1, quads, pairs, from(p, r, 0));
}

/* c <- c - x u */
static INLINE void take_product(int rows, int cols, const product p)
{
    int k = 0;
    for (; k + 6 <= cols; k += 6) take_strip(rows, 1, 1, from(p, 0, k));
    for (; k + 4 <= cols; k += 4) take_strip(rows, 1, 0, from(p, 0, k));
    for (; k + 2 <= cols; k += 2) take_strip(rows, 0, 1, from(p, 0, k));
    for (int r = 0; k < cols && r < rows; r++)
        for (int j = 0; j < p.n; j++) p.c[r * p.ld + k] -= p.x[r * p.ld + j] * p.u[j * p.ldu + k];
}

/* What the n pivots of a block, which stand before u, take off `rows` rows: x <- x U_tt^-1, c <- c - x u. */
static INLINE void take_pivots(const int rows, const int cols, const product p)
{
    const double *restrict D = p.u - p.n;
    for (int k = 0; k < rows; k++) {
        double *x = p.x + k * p.ld;
        EACH_ROW(p.n, j, take_off(p.n - 1 - j, x[j], D + j * p.ldu + j + 1, x + j + 1));
    }
    take_product(rows, cols, p);
}

/* What the block of u takes off the panel of b. */
static INLINE void take_block(sn_lu *lu, const sn_lu_block *b, const sn_lu_update *u)
{
    const sn_lu_block *t = &lu->b.block[u->from];
    const int n = t->n - u->row, *map = lu->b.map + u->map;
    const double *U = lu->b.panel + t->at + u->row * t->ld + t->nl + u->row + n;
    double *panel = lu->b.panel + b->at, *X = panel + u->place;
    if (u->to >= 0 && b->n == CHAIN && n == CHAIN && t->nu == CHAIN) {
        take_pivots(CHAIN, CHAIN, (product){CHAIN, b->ld, t->ld, X, panel + u->to, U});
        return;
    }
    if (u->to >= 0) {
        take_pivots(b->n, t->nu, (product){n, b->ld, t->ld, X, panel + u->to, U});
        return;
    }
    take_pivots(b->n, 0, (product){n, b->ld, t->ld, X, panel, U});
    for (int k = 0; k < b->n; k++)
        for (int j = 0; j < n; j++)
            for (int c = 0; c < t->nu; c++) panel[k * b->ld + map[c]] -= X[k * b->ld + j] * U[j * t->ld + c];
}

/* All but the sign of four numbers, of two */
typedef int64_t bits4 __attribute__((vector_size(32))), bits2 __attribute__((vector_size(16)));
#define ABSOLUTE4(x) ((sn_quad)((bits4)(x) & (bits4){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}))
#define ABSOLUTE2(x) ((pair)((bits2)(x) & (bits2){INT64_MAX, INT64_MAX}))

/* sum |x_i| w_i, or of |x_i| where w is NULL */
static INLINE double weighed_sum(int n, const double *x, const double *w)
{
    sn_quad s = {0, 0, 0, 0}, a;
    pair t = {0, 0}, b;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        a = ABSOLUTE4(*(const sn_quad *)(x + i));
        if (w) a *= *(const sn_quad *)(w + i);
        s += a;
    }
    if (i + 2 <= n) {
        b = ABSOLUTE2(*(const pair *)(x + i));
        if (w) b *= *(const pair *)(w + i);
        t += b;
        i += 2;
    }
    t += (pair){s[0], s[1]} + (pair){s[2], s[3]};
    if (i < n) t[0] += fabs(x[i]) * (w ? w[i] : 1);
    return t[0] + t[1];
}

static INLINE void multiply(int n, const double *restrict f, double *restrict x)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) *(sn_quad *)(x + i) *= *(const sn_quad *)(f + i);
    for (; i + 2 <= n; i += 2) *(pair *)(x + i) *= *(const pair *)(f + i);
    if (i < n) x[i] *= f[i];
}

static INLINE void scale(int n, double f, double *x)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) *(sn_quad *)(x + i) *= f;
    for (; i + 2 <= n; i += 2) *(pair *)(x + i) *= f;
    if (i < n) x[i] *= f;
}

/* Pivot k of block b, its rows of L and U; returns a bound of the 1-norm of its row of |L||DU|. */
static INLINE double factor_row(sn_lu *lu, const sn_lu_block *b, const size z, const int k)
{
    const double small = 1e-12;
    const int *cols = lu->b.cols + b->cols, i = b->first + k;
    double *panel = lu->b.panel + b->at, *row = panel + k * b->ld, *restrict own = row + z.nl;
    const double *di = lu->di, *unorm = lu->unorm, norm = lu->norm[i];
    double bound = 0;
    if (b->run_l >= 0) {
        bound = weighed_sum(z.nl, row, unorm + b->run_l);
        multiply(z.nl, di + b->run_l, row);
    }
    for (int c = 0; b->run_l < 0 && c < z.nl; c++) {
        bound += fabs(row[c]) * unorm[cols[c]];
        row[c] *= di[cols[c]];
    }
    for (int j = 0; j < k; j++)
        take_off(z.n - 1 - j + z.nu, own[j], panel + j * b->ld + z.nl + j + 1, own + j + 1);
    bound += weighed_sum(k, own, unorm + b->first);
    multiply(k, di + b->first, own);
    double d = own[k];
    if (fabs(d) <= small * (bound + norm)) {
        lu->doubtful = 1;
        if (d == 0) d = 0.1 * DBL_EPSILON * norm;
    }
    double f = 1 / d, *restrict u = own + k + 1;
    lu->d[i] = d;
    lu->di[i] = f;
    scale(z.n - 1 - k + z.nu, f, u);
    lu->unorm[i] = 1 + weighed_sum(z.n - 1 - k + z.nu, u, NULL);
    return bound + fabs(d) * lu->unorm[i];
}

/* The block's own pivots; 0: growth. */
static INLINE int factor_rows(sn_lu *lu, const sn_lu_block *b, const size z, double limit)
{
    double growth = 0;
    int good = 1;
    /* written so that what is not a number fails */
    EACH_ROW(z.n, k, {
        double bound = factor_row(lu, b, z, k), norm = lu->norm[b->first + k];
        good &= bound <= limit * norm;
        if (bound > growth * norm) growth = bound / norm;
    });
    if (growth > lu->growth) lu->growth = growth;
    return good;
}

/* The rows of A of a block, and their 1-norms. */
static INLINE void scatter_rows(sn_lu *lu, const sn_lu_block *b, const double *restrict Ax)
{
    const int *restrict place = lu->b.place, *restrict Ra = lu->Ra, end = lu->Rp[b->first + b->n];
    double *restrict panel = lu->b.panel, *row = panel + b->at;
    int p = lu->Rp[b->first];
    if (end - p < b->n * b->ld) memset(row, 0, sizeof(double) * (size_t)(b->n * b->ld));
    for (; p + 8 <= end; p += 8)
        for (int k = 0; k < 8; k++) panel[place[p + k]] = Ax[Ra[p + k]];
    for (; p < end; p++) panel[place[p]] = Ax[Ra[p]];
    for (int k = 0; k < b->n; k++, row += b->ld) lu->norm[b->first + k] = weighed_sum(b->ld, row, NULL);
}

/* The same of a block whose columns are runs in Ax: they are turned into rows in registers. */
static INLINE void scatter_tile(sn_lu *lu, const sn_lu_block *b, const double *restrict Ax)
{
    enum { LD = 3 * CHAIN };
    const int *restrict from = lu->b.tile + b->tile - 1, *restrict to = from + LD;
    double *row[CHAIN], *norm = lu->norm + b->first;
    sn_quad sum = {0, 0, 0, 0}, x[4];
    pair last = {0, 0};
    for (int k = 0; k < CHAIN; k++) row[k] = lu->b.panel + b->at + to[k] * LD;
    for (int c = 0; c + 4 <= LD; c += 4) {
        for (int k = 0; k < 4; k++) {
            x[k] = *(const sn_quad *)(Ax + from[c + k]);
            sum += ABSOLUTE4(x[k]);
        }
        sn_quad_transpose(x);
        for (int k = 0; k < 4; k++) *(sn_quad *)(row[k] + c) = x[k];
    }
    x[0] = *(const sn_quad *)(Ax + from[LD - 2]), x[1] = *(const sn_quad *)(Ax + from[LD - 1]);
    sum += ABSOLUTE4(x[0]) + ABSOLUTE4(x[1]);
    for (int k = 0; k < 4; k++) *(pair *)(row[k] + LD - 2) = (pair){x[0][k], x[1][k]};
    for (int c = 0; c < LD; c += 2) {
        const pair y = *(const pair *)(Ax + from[c] + 4), z = *(const pair *)(Ax + from[c + 1] + 4);
        last += ABSOLUTE2(y) + ABSOLUTE2(z);
        *(pair *)(row[4] + c) = (pair){y[0], z[0]};
        *(pair *)(row[5] + c) = (pair){y[1], z[1]};
    }
    for (int k = 0; k < 4; k++) norm[to[k]] = sum[k];
    norm[to[4]] = last[0], norm[to[5]] = last[1];
}

static SN_SIMD int factor_blocks(sn_lu *lu, const double *Ax, double limit)
{
    for (int i = 0; i < lu->b.n; i++) {
        const sn_lu_block *b = &lu->b.block[i];
        if (b->tile)
            scatter_tile(lu, b, Ax);
        else
            scatter_rows(lu, b, Ax);
        for (int u = 0; u < b->n_update; u++) take_block(lu, b, &lu->b.update[b->update + u]);
        if (b->chain ? !factor_rows(lu, b, CHAIN_SIZE, limit) : !factor_rows(lu, b, size_of(b), limit))
            return 0;
    }
    return 1;
}

int sn_lu_block_factor(sn_lu *lu, const double *Ax, double limit) { return factor_blocks(lu, Ax, limit); }

/* ---- solves ---- */

static INLINE double dot(int n, const double *restrict x, const double *restrict y)
{
    pair s = {0, 0};
    int i = 0;
    for (; i + 2 <= n; i += 2) s += *(const pair *)(x + i) * *(const pair *)(y + i);
    if (i < n) s[0] += x[i] * y[i];
    return s[0] + s[1];
}

/* Unknowns of n outer columns side by side: where they are, or copied together. */
static INLINE const double *outer(const sn_lu *lu, int run, int n, const int *cols)
{
    if (run >= 0) return lu->y + run;
    for (int c = 0; c < n; c++) lu->b.z[c] = lu->y[cols[c]];
    return lu->b.z;
}

static INLINE void forward(sn_lu *lu, const sn_lu_block *t, const size z, const double *b)
{
    const double *row = lu->b.panel + t->at, *x = outer(lu, t->run_l, z.nl, lu->b.cols + t->cols);
    const int *from = lu->row + t->first;
    double *own = lu->y + t->first;
    EACH_ROW(z.n, k, {
        double s = b[from[k]] - dot(z.nl, row, x);
        for (int j = 0; j < k; j++) s -= row[z.nl + j] * own[j];
        own[k] = s;
        row += t->ld;
    });
}

static INLINE void backward(sn_lu *lu, const sn_lu_block *t, const size z, double *restrict b)
{
    const double *row = lu->b.panel + t->at + z.n * t->ld + z.nl, *di = lu->di + t->first,
                 *x = outer(lu, t->run_u, z.nu, lu->b.cols + t->cols + z.nl);
    const int *to = lu->col + t->first;
    double *own = lu->y + t->first;
    EACH_ROW_BACK(z.n, k, {
        row -= t->ld;
        double s = own[k] * di[k] - dot(z.nu, row + z.n, x);
        for (int j = z.n - 1; j > k; j--) s -= row[j] * own[j];
        b[to[k]] = own[k] = s;
    });
}

static SN_SIMD void solve_blocks(sn_lu *lu, double *b)
{
    for (int i = 0; i < lu->b.n; i++) {
        const sn_lu_block *t = &lu->b.block[i];
        if (t->chain)
            forward(lu, t, CHAIN_SIZE, b);
        else
            forward(lu, t, size_of(t), b);
    }
    for (int i = lu->b.n - 1; i >= 0; i--) {
        const sn_lu_block *t = &lu->b.block[i];
        if (t->chain)
            backward(lu, t, CHAIN_SIZE, b);
        else
            backward(lu, t, size_of(t), b);
    }
}

void sn_lu_block_solve(sn_lu *lu, double *b) { solve_blocks(lu, b); }

/* y_c <- y_c - s x_c for outer columns */
static INLINE void spread(sn_lu *lu, int run, int n, const int *cols, double s, const double *restrict x)
{
    if (run >= 0)
        take_off(n, s, x, lu->y + run);
    else
        for (int c = 0; c < n; c++) lu->y[cols[c]] -= s * x[c];
}

static INLINE void forward_transposed(sn_lu *lu, const sn_lu_block *t, const size z)
{
    const double *row = lu->b.panel + t->at + z.nl, *di = lu->di + t->first;
    double *own = lu->y + t->first;
    EACH_ROW(z.n, k, {
        double s = own[k];
        take_off(z.n - 1 - k, s, row + k + 1, own + k + 1);
        spread(lu, t->run_u, z.nu, lu->b.cols + t->cols + z.nl, s, row + z.n);
        own[k] = s * di[k];
        row += t->ld;
    });
}

static INLINE void backward_transposed(sn_lu *lu, const sn_lu_block *t, const size z, double *b)
{
    const int *to = lu->row + t->first;
    double *own = lu->y + t->first;
    EACH_ROW_BACK(z.n, k, {
        const double *row = lu->b.panel + t->at + k * t->ld;
        double s = own[k];
        take_off(k, s, row + z.nl, own);
        spread(lu, t->run_l, z.nl, lu->b.cols + t->cols, s, row);
        b[to[k]] = s;
    });
}

static SN_SIMD void solve_transposed(sn_lu *lu, double *b)
{
    for (int i = 0; i < lu->n; i++) lu->y[i] = b[lu->col[i]];
    for (int i = 0; i < lu->b.n; i++) {
        const sn_lu_block *t = &lu->b.block[i];
        if (t->chain)
            forward_transposed(lu, t, CHAIN_SIZE);
        else
            forward_transposed(lu, t, size_of(t));
    }
    for (int i = lu->b.n - 1; i >= 0; i--) {
        const sn_lu_block *t = &lu->b.block[i];
        if (t->chain)
            backward_transposed(lu, t, CHAIN_SIZE, b);
        else
            backward_transposed(lu, t, size_of(t), b);
    }
}

void sn_lu_block_solve_transposed(sn_lu *lu, double *b) { solve_transposed(lu, b); }
