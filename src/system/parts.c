/* Products with dr/dv and dr/da, object by object. */
#include "system/parts.h"

#include "math/wide.h"

#include <stdint.h>
#include <string.h>

#define INLINE SN_WIDE_INLINE

void sn_parts_free(sn_parts *p)
{
    if (!p) return;
    sn_free(p->x), sn_free(p->element), sn_free(p->joint), sn_free(p->none), sn_free(p->sum), sn_free(p->at);
    sn_free(p);
}

sn_status sn_parts_new(const sn_model *m, sn_parts **out, sn_err *err)
{
    sn_parts *p;
    int size = 0;
    *out = NULL;
    if (!SN_NEW(p, 1)) return SN_OUT_OF_MEM(err);
    int good = SN_NEW(p->element, m->element.n + 1) && SN_NEW(p->joint, m->joint.n + 1) &&
               SN_NEW(p->none, m->max_v + 1) && SN_NEW(p->sum, 2 * m->max_v + 1) &&
               SN_NEW(p->at, m->max_v + 1);
    for (int e = 0; good && e < m->element.n; e++) {
        const sn_object *o = &m->element.object[e];
        unsigned flags = o->host >= 0 ? 0 : ((const sn_element_class *)o->cls)->flags;
        p->element[e] = flags & (SN_USES_V | SN_USES_A) ? size : -1;
        if (p->element[e] >= 0) size += 2 * o->nv * o->nv;
    }
    for (int e = 0; good && e < m->joint.n; e++) {
        const sn_object *o = &m->joint.object[e];
        unsigned flags = ((const sn_joint_class *)o->cls)->flags;
        p->joint[e] = flags & SN_USES_V || o->velocity ? size : -1;
        if (p->joint[e] >= 0) size += o->nv * (o->nv + o->m);
    }
    if (!good || !SN_NEW(p->x, size + 1)) {
        sn_parts_free(p);
        return SN_OUT_OF_MEM(err);
    }
    *out = p;
    return SN_OK;
}

/* ---- many columns ---- */

/* One row of an object's C and M, and where its columns are in u and s */
typedef struct line {
    int n;
    const int *at;
    const double *C, *M, *u, *s;
} line;

/* Both zero, of whatever sign */
static INLINE int both_zero(const double *a, const double *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x | y) << 1 == 0;
}

/* 4 `w` columns of one row: f += factor (C u + M s) */
static INLINE void add_row(const line *r, const size_t w, size_t c, int lanes, double factor, double *f)
{
    sn_quad sum[5], x;
    for (size_t k = 0; k < w; k++) sum[k] = (sn_quad){0, 0, 0, 0};
    for (int j = 0; j < r->n; j++) {
        if (both_zero(r->C + j, r->M + j)) continue;
        const sn_quad *u = (const sn_quad *)(r->u + c + r->at[j]),
                      *s = (const sn_quad *)(r->s + c + r->at[j]);
        for (size_t k = 0; k < w; k++) sum[k] += r->C[j] * u[k] + r->M[j] * s[k];
    }
    for (size_t k = 0; k < w; k++) {
        sn_quad_get(lanes, f + c + 4 * k, &x);
        x += factor * sum[k];
        sn_quad_put(lanes, &x, f + c + 4 * k);
    }
}

static INLINE void add_columns(const line *r, size_t n, double factor, double *f)
{
    size_t c = 0;
    for (; c + 20 <= n; c += 20) add_row(r, 5, c, 4, factor, f);
    for (; c + 8 <= n; c += 8) add_row(r, 2, c, 4, factor, f);
    for (; c < n; c += 4) add_row(r, 1, c, n - c < 4 ? (int)(n - c) : 4, factor, f);
}

SN_WIDE void sn_parts_times(const sn_work *w, const sn_parts *p, double factor, int columns, const double *u,
                            const double *s, double *f)
{
    const sn_model *m = w->m;
    size_t n = (size_t)columns;
    line x = {.at = p->at, .u = u, .s = s};
    for (int i = 0; i <= m->n; i++) memset(f + (size_t)i * n, 0, sizeof *f * n);
    for (int e = 0; e < m->element.n; e++) {
        const sn_object *o = &m->element.object[e];
        if (p->element[e] < 0) continue;
        const double *C = p->x + p->element[e], *M = C + o->nv * o->nv;
        x.n = o->nv;
        for (int j = 0; j < o->nv; j++) p->at[j] = o->vi[j] * columns;
        for (int i = 0; i < o->nv; i++, C += o->nv, M += o->nv) {
            x.C = C, x.M = M;
            add_columns(&x, n, factor, f + (size_t)o->zi[i] * n);
        }
    }
    for (int e = 0; e < m->joint.n; e++) {
        const sn_object *o = &m->joint.object[e];
        if (p->joint[e] < 0) continue;
        x.n = o->nv, x.C = p->x + p->joint[e], x.M = p->none;
        for (int j = 0; j < o->nv; j++) p->at[j] = o->vi[j] * columns;
        for (int i = 0; i < o->nv + o->m; i++, x.C += o->nv) {
            int to = i < o->nv ? o->zi[i] : m->nv + o->eq + i - o->nv;
            add_columns(&x, n, i < o->nv ? factor : 1, f + (size_t)to * n);
        }
    }
}

/* ---- one column, transposed ---- */

/* y += f x */
static INLINE void add(int n, double f, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++) y[i] += f * x[i];
}

SN_WIDE void sn_parts_subtract_transposed(const sn_work *w, const sn_parts *p, double row, const double *z,
                                          double *u, double *s)
{
    const sn_model *m = w->m;
    for (int e = 0; e < m->element.n; e++) {
        const sn_object *o = &m->element.object[e];
        if (p->element[e] < 0) continue;
        double *Cz = p->sum, *Mz = Cz + o->nv;
        memset(Cz, 0, sizeof *Cz * 2 * (size_t)o->nv);
        const double *C = p->x + p->element[e], *M = C + o->nv * o->nv;
        for (int i = 0; i < o->nv; i++, C += o->nv, M += o->nv) {
            double mu = row * z[o->zi[i]];
            if (o->nv == 12)
                add(12, mu, C, Cz), add(12, mu, M, Mz);
            else
                add(o->nv, mu, C, Cz), add(o->nv, mu, M, Mz);
        }
        for (int j = 0; j < o->nv; j++) u[o->vi[j]] -= Cz[j], s[o->vi[j]] -= Mz[j];
    }
    for (int e = 0; e < m->joint.n; e++) {
        const sn_object *o = &m->joint.object[e];
        if (p->joint[e] < 0) continue;
        const double *C = p->x + p->joint[e];
        for (int i = 0; i < o->nv + o->m; i++, C += o->nv) {
            double mu = i < o->nv ? row * z[o->zi[i]] : z[m->nv + o->eq + i - o->nv];
            for (int j = 0; j < o->nv; j++) u[o->vi[j]] -= mu * C[j];
        }
    }
}
