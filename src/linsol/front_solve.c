/* Solutions by multifrontal factors: up the tree with L, down with D U, or the other way round transposed.

   A column takes the same operations in the same order whatever stands beside it. */
#include "linsol/front.h"
#include "math/simd.h"

#include <string.h>

/* y -= a s, four columns of a at a time: y -= ((a0 s0 + a1 s1) + a2 s2) + a3 s3 */
SN_SIMD static void subtract_columns(double *restrict y, const double *restrict a, size_t ld,
                                     const double *restrict s, int rows, int columns)
{
    int k = 0;
    for (; k + 4 <= columns; k += 4, a += 4 * ld, s += 4) {
        const double *b = a + ld, *c = b + ld, *d = c + ld;
        for (int i = 0; i < rows; i++) y[i] -= a[i] * s[0] + b[i] * s[1] + c[i] * s[2] + d[i] * s[3];
    }
    for (; k < columns; k++, a += ld, s++)
        for (int i = 0; i < rows; i++) y[i] -= a[i] * s[0];
}

/* s -= a' y */
SN_SIMD static void subtract_products(double *restrict s, const double *restrict a, size_t ld,
                                      const double *restrict y, int rows, int columns)
{
    for (int k = 0; k < columns; k++, a += ld) {
        sn_quad sum = {0}, more = {0};
        int i = 0;
        for (; i + 8 <= rows; i += 8) {
            sum += *(const sn_quad *)(a + i) * *(const sn_quad *)(y + i);
            more += *(const sn_quad *)(a + i + 4) * *(const sn_quad *)(y + i + 4);
        }
        sum += more;
        double all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        for (; i < rows; i++) all += a[i] * y[i];
        s[k] -= all;
    }
}

static double *col(const sn_front *f, int k) { return f->L + (size_t)k * (size_t)f->n; }

/* x <- L^-1 x or L'^-1 x of the pivots */
static void lower(const sn_front *f, double *x)
{
    for (int k = 0; k < f->pivots; k++) {
        const int from = k + 1 + (f->pair[k] == 2);
        subtract_columns(x + from, col(f, k) + from, 0, x + k, f->pivots - from, 1);
    }
}

static void lower_transposed(const sn_front *f, double *x)
{
    for (int k = f->pivots - 1; k >= 0; k--) {
        const int from = k + 1 + (f->pair[k] == 2);
        subtract_products(x + k, col(f, k) + from, 0, x + from, f->pivots - from, 1);
    }
}

/* x <- D^-1 x or D'^-1 x at pivot k, that ends there if it has two rows; returns where it begins */
static int divide(const sn_front *f, int symmetric, int transposed, int k, double *x)
{
    if (f->pair[k] != 1) {
        x[k] /= col(f, k)[k];
        return k;
    }
    const double *a = col(f, k - 1), *b = col(f, k), y = x[k - 1], z = x[k];
    double d1 = a[k], d2 = symmetric ? a[k] : b[k - 1];
    const double det = a[k - 1] * b[k] - d1 * d2;
    if (transposed) {
        double t = d1;
        d1 = d2, d2 = t;
    }
    x[k - 1] = (b[k] * y - d2 * z) / det;
    x[k] = (a[k - 1] * z - d1 * y) / det;
    return k - 1;
}

/* x <- (D U)^-1 x or (D U)'^-1 x of the pivots, not symmetric */
static void upper(const sn_front *f, double *x)
{
    for (int k = f->pivots - 1; k >= 0; k--) {
        const int end = k, begin = divide(f, 0, 0, k, x);
        for (k = end; k >= begin; k--) subtract_columns(x, col(f, k), 0, x + k, begin, 1);
        k = begin;
    }
}

static void upper_transposed(const sn_front *f, double *x)
{
    for (int k = 0; k < f->pivots; k++) {
        const int begin = k, end = k + (f->pair[k] == 2);
        for (; k <= end; k++) subtract_products(x + k, col(f, k), 0, x, begin, 1);
        k = end;
        divide(f, 0, 1, k, x);
    }
}

typedef struct solution {
    const sn_fronts *s;
    int transposed;
    double *x, *own, *border; /* all unknowns; those of a front */
} solution;

static void gather(const double *x, const int *at, int n, double *out)
{
    for (int i = 0; i < n; i++) out[i] = x[at[i]];
}

static void scatter(const double *in, const int *at, int n, double *x)
{
    for (int i = 0; i < n; i++) x[at[i]] = in[i];
}

/* With rows put off the border begins where the pivots end; their part of D U lies in L. */
static void forward(const solution *v, const sn_front *f)
{
    const int late = f->summed - f->pivots, border = f->n - f->summed;
    const int *at = v->transposed ? f->col : f->row;
    double *x = v->own, *y = v->border;
    gather(v->x, at, f->pivots, x);
    gather(v->x, at + f->pivots, late + border, y);
    if (v->transposed && f->W) {
        upper_transposed(f, x);
        for (int k = 0; k < late; k++) subtract_products(y + k, col(f, f->pivots + k), 0, x, f->pivots, 1);
        subtract_columns(y + late, f->W, (size_t)border, x, border, f->pivots);
    } else {
        lower(f, x);
        subtract_columns(y, f->L + f->pivots, (size_t)f->n, x, late + border, f->pivots);
    }
    scatter(x, v->transposed ? f->row : f->col, f->pivots, v->x);
    scatter(y, at + f->pivots, late + border, v->x);
}

static void backward(const solution *v, const sn_front *f)
{
    const int late = f->summed - f->pivots, border = f->n - f->summed;
    const int *at = v->transposed ? f->row : f->col;
    double *x = v->own, *y = v->border;
    gather(v->x, at, f->pivots, x);
    gather(v->x, at + f->pivots, late + border, y);
    if (v->transposed || !f->W) {
        for (int k = f->W ? -1 : f->pivots - 1; k >= 0; k--) k = divide(f, 1, 0, k, x);
        subtract_products(x, f->L + f->pivots, (size_t)f->n, y, late + border, f->pivots);
        lower_transposed(f, x);
    } else {
        subtract_columns(x, col(f, f->pivots), (size_t)f->n, y, f->pivots, late);
        subtract_products(x, f->W, (size_t)border, y + late, border, f->pivots);
        upper(f, x);
    }
    scatter(x, at, f->pivots, v->x);
}

void sn_fronts_solve(const sn_fronts *s, int transposed, int nrhs, double *b, double *work)
{
    const sn_front_plan *p = &s->plan;
    const size_t n = (size_t)p->n;
    const double *before = transposed ? s->c : s->r, *after = transposed ? s->r : s->c;
    solution v = {.s = s, .transposed = transposed, .x = work, .own = work + n, .border = work + 2 * n};
    for (int c = 0; c < nrhs; c++, b += n) {
        for (size_t i = 0; i < n; i++) v.x[p->position[i]] = before[i] * b[i];
        for (int f = 0; f < p->fronts; f++) forward(&v, &s->front[f]);
        for (int f = p->fronts - 1; f >= 0; f--) backward(&v, &s->front[f]);
        for (size_t i = 0; i < n; i++) b[i] = after[i] * v.x[p->position[i]];
    }
}
