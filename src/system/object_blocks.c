/* Products with the blocks K, C, M of the objects, neither assembled nor scattered. */
#include "system/object_blocks.h"

#include "math/simd.h"

#include <stdint.h>
#include <string.h>

#define INLINE SN_SIMD_INLINE

void sn_object_blocks_free(sn_object_blocks *p)
{
    if (!p) return;
    sn_free(p->x), sn_free(p->element), sn_free(p->joint), sn_free(p->sum), sn_free(p->at);
    sn_free(p);
}

sn_status sn_object_blocks_new(const sn_model *m, sn_object_blocks **out, sn_err *err)
{
    sn_object_blocks *p;
    size_t size = 0;
    *out = NULL;
    if (!SN_NEW(p, 1)) return SN_OUT_OF_MEM(err);
    int good = SN_NEW(p->element, m->element.n + 1) && SN_NEW(p->joint, m->joint.n + 1) &&
               SN_NEW(p->sum, 3 * m->max_v + 1) && SN_NEW(p->at, m->max_v + 1);
    for (int e = 0; good && e < m->element.n; e++) {
        const sn_object *o = &m->element.object[e];
        p->element[e] = size;
        size += 3 * (size_t)o->nv * (size_t)o->nv;
    }
    for (int e = 0; good && e < m->joint.n; e++) {
        const sn_object *o = &m->joint.object[e];
        p->joint[e] = size;
        size += 2 * (size_t)o->nv * (size_t)(o->nv + o->m);
    }
    if (!good || !SN_NEW(p->x, size + 1)) {
        sn_object_blocks_free(p);
        return SN_OUT_OF_MEM(err);
    }
    *out = p;
    return SN_OK;
}

/* ---- many columns ---- */

/* One row of an object's K and C, and where its columns are in y and u */
typedef struct line {
    const size_t *at;
    const double *K, *C, *y, *u;
} line;

/* Both zero, of whatever sign */
static INLINE int both_zero(const double *a, const double *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x | y) << 1 == 0;
}

/* 4 `w` columns of one row: f += factor (K y + C u) */
static INLINE void add_row(const line *r, const int n, const size_t w, size_t c, int lanes, double factor,
                           double *f)
{
    sn_quad sum[5], x;
    for (size_t k = 0; k < w; k++) sum[k] = (sn_quad){0, 0, 0, 0};
    SN_SIMD_UNROLL
    for (int j = 0; j < n; j++) {
        if (both_zero(r->K + j, r->C + j)) continue;
        size_t at = c + r->at[j];
        const sn_quad *y = (const sn_quad *)(r->y + at), *u = (const sn_quad *)(r->u + at);
        for (size_t k = 0; k < w; k++) sum[k] += r->K[j] * y[k] + r->C[j] * u[k];
    }
    for (size_t k = 0; k < w; k++) {
        sn_quad_get(lanes, f + c + 4 * k, &x);
        x += factor * sum[k];
        sn_quad_put(lanes, &x, f + c + 4 * k);
    }
}

static INLINE void add_columns(const line *r, const int m, size_t n, double factor, double *f)
{
    size_t c = 0;
    for (; c + 20 <= n; c += 20) add_row(r, m, 5, c, 4, factor, f);
    for (; c + 8 <= n; c += 8) add_row(r, m, 2, c, 4, factor, f);
    for (; c < n; c += 4) add_row(r, m, 1, c, n - c < 4 ? (int)(n - c) : 4, factor, f);
}

/* The same of a whole object of 12 rows and at most four columns: f += factor (K y + C u) */
static INLINE void add_12(const line *r, int columns, const int *to, double factor, double *f)
{
    sn_quad y[12], u[12], x;
    for (int j = 0; j < 12; j++) {
        y[j] = *(const sn_quad *)(r->y + r->at[j]);
        u[j] = *(const sn_quad *)(r->u + r->at[j]);
    }
    for (int i = 0; i < 12; i++) {
        const double *K = r->K + 12 * i, *C = r->C + 12 * i;
        double *z = f + (size_t)to[i] * (size_t)columns;
        sn_quad sum = {0, 0, 0, 0};
        for (int j = 0; j < 12; j++) sum += K[j] * y[j] + C[j] * u[j];
        sn_quad_get(columns, z, &x);
        x += factor * sum;
        sn_quad_put(columns, &x, z);
    }
}

/* Of one column: four rows in a register, the sums in the same order */
static INLINE void add_12_to_one(const line *r, const int *to, double factor, double *f)
{
    for (int i = 0; i < 12; i += 4) {
        sn_quad K[4], C[4], sum = {0, 0, 0, 0};
        for (int j = 0; j < 12; j += 4) {
            for (int k = 0; k < 4; k++) {
                K[k] = *(const sn_quad *)(r->K + 12 * (i + k) + j);
                C[k] = *(const sn_quad *)(r->C + 12 * (i + k) + j);
            }
            sn_quad_transpose(K), sn_quad_transpose(C);
            for (int k = 0; k < 4; k++) sum += r->y[r->at[j + k]] * K[k] + r->u[r->at[j + k]] * C[k];
        }
        sum *= factor;
        for (int k = 0; k < 4; k++) f[to[i + k]] += sum[k];
    }
}

static SN_SIMD void multiply(const sn_work *w, const sn_object_blocks *p, double factor, const sn_changes *d,
                             double *f)
{
    const sn_model *m = w->m;
    size_t n = (size_t)d->columns;
    line x = {.at = p->at, .y = d->y, .u = d->u};
    const size_t rows = n < 200 ? 200 / n : 1; /* at a time: see sn_clear */
    for (size_t i = 0, all = (size_t)m->n + 1; i < all; i += rows)
        memset(f + i * n, 0, sizeof *f * n * (all - i < rows ? all - i : rows));
    for (int e = 0; e < m->element.n; e++) {
        const sn_object *o = &m->element.object[e];
        const int nv = o->nv;
        x.K = p->x + p->element[e], x.C = x.K + nv * nv;
        for (int j = 0; j < nv; j++) p->at[j] = (size_t)o->vi[j] * n;
        if (nv == 12 && n <= 4) {
            if (n == 1)
                add_12_to_one(&x, o->zi, factor, f);
            else
                add_12(&x, (int)n, o->zi, factor, f);
            continue;
        }
        for (int i = 0; i < nv; i++, x.K += nv, x.C += nv)
            if (nv == 12)
                add_columns(&x, 12, n, factor, f + (size_t)o->zi[i] * n);
            else
                add_columns(&x, nv, n, factor, f + (size_t)o->zi[i] * n);
    }
    for (int e = 0; e < m->joint.n; e++) {
        const sn_object *o = &m->joint.object[e];
        const int nv = o->nv;
        x.K = p->x + p->joint[e], x.C = x.K + nv * (nv + o->m);
        for (int j = 0; j < nv; j++) p->at[j] = (size_t)o->vi[j] * n;
        for (int i = 0; i < nv + o->m; i++, x.K += nv, x.C += nv) {
            int to = i < nv ? o->zi[i] : m->nv + o->eq + i - nv;
            add_columns(&x, nv, n, i < nv ? factor : 1, f + (size_t)to * n);
        }
    }
}

void sn_object_blocks_times(const sn_work *w, const sn_object_blocks *p, double row, const sn_changes *x,
                            double *f)
{
    multiply(w, p, row, x, f);
}

/* ---- one column, transposed ---- */

/* y += f x */
static INLINE void add(int n, double f, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++) y[i] += f * x[i];
}

/* y = A'mu for a matrix of 12 rows and columns */
static INLINE void times12(const double *A, const double *mu, double *y)
{
    sn_quad a = {0, 0, 0, 0}, b = a, c = a;
    for (int i = 0; i < 12; i++, A += 12) {
        a += mu[i] * *(const sn_quad *)A;
        b += mu[i] * *(const sn_quad *)(A + 4);
        c += mu[i] * *(const sn_quad *)(A + 8);
    }
    *(sn_quad *)y = a, *(sn_quad *)(y + 4) = b, *(sn_quad *)(y + 8) = c;
}

static SN_SIMD void subtract_transposed(const sn_work *w, const sn_object_blocks *p, double row,
                                        const double *z, double *y, double *u, double *s)
{
    const sn_model *m = w->m;
    for (int e = 0; e < m->element.n; e++) {
        const sn_object *o = &m->element.object[e];
        const int nv = o->nv;
        double *Kz = p->sum, *Cz = Kz + nv, *Mz = Cz + nv, mu[12];
        const double *K = p->x + p->element[e], *C = K + nv * nv, *M = C + nv * nv;
        if (nv == 12) {
            for (int i = 0; i < 12; i++) mu[i] = row * z[o->zi[i]];
            times12(K, mu, Kz), times12(C, mu, Cz), times12(M, mu, Mz);
        } else {
            memset(Kz, 0, sizeof *Kz * 3 * (size_t)nv);
        }
        for (int i = 0; nv != 12 && i < nv; i++, K += nv, C += nv, M += nv) {
            double f = row * z[o->zi[i]];
            add(nv, f, K, Kz), add(nv, f, C, Cz), add(nv, f, M, Mz);
        }
        for (int j = 0; j < nv; j++) {
            int at = o->vi[j];
            y[at] -= Kz[j], u[at] -= Cz[j], s[at] -= Mz[j];
        }
    }
    for (int e = 0; e < m->joint.n; e++) {
        const sn_object *o = &m->joint.object[e];
        const int nv = o->nv;
        const double *K = p->x + p->joint[e], *C = K + nv * (nv + o->m);
        for (int i = 0; i < nv + o->m; i++, K += nv, C += nv) {
            double mu = i < nv ? row * z[o->zi[i]] : z[m->nv + o->eq + i - nv];
            for (int j = 0; j < nv; j++) y[o->vi[j]] -= mu * K[j], u[o->vi[j]] -= mu * C[j];
        }
    }
}

void sn_object_blocks_subtract_transposed(const sn_work *w, const sn_object_blocks *p, double row,
                                          const double *z, double *y, double *u, double *s)
{
    subtract_transposed(w, p, row, z, y, u, s);
}
