/* Modes about any motion: A2 y'' + A1 y' + A0 y + L mu = 0 with the rows of equations, y = Re(x exp(s t)).
   Small models: all of them, in minimal coordinates (state_space.h). Large ones: those nearest to zero by
   ARPACK, with (y, u = y') as the unknowns and a real shift g (0 where the matrix is regular there),

       (g^2 A2 + g A1 + A0) y + L mu = A2 u0 + (g A2 + A1) y0,    u = g y - y0

   whose solutions meet the equations of both levels by themselves; then s = g - 1/theta. */
#include "analysis/modes.h"
#include "analysis/state_space.h"

#include <arpack/arpack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- small models ---- */

static sn_status collect(const sn_model *m, const sn_state_space *s, const sn_eigen *e, sn_roots *out,
                         sn_err *err)
{
    const size_t nv = (size_t)m->nv, n = (size_t)s->n;
    int pairs = 0;
    for (int k = 0; k < e->n; k++) pairs += cimag(e->s[k]) >= 0;
    SN_TRY(sn_roots_room(m, e->neutral + pairs, out, err));
    out->zeros = e->zeros;
    out->all = 1;
    for (size_t k = 0; k < (size_t)e->neutral; k++, out->n++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < nv; i++)
                out->y[(size_t)out->n * nv + i] += s->Y[j * nv + i] * e->still[k * n + j];
    for (size_t k = 0; k < (size_t)e->n; k++) {
        if (cimag(e->s[k]) < 0) continue;
        out->s[out->n] = e->s[k];
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < nv; i++)
                out->y[(size_t)out->n * nv + i] += s->Y[j * nv + i] * e->x[k * n + j];
        out->n++;
    }
    return SN_OK;
}

sn_status sn_roots_dense(const sn_motion *p, sn_roots *out, sn_err *err)
{
    sn_state_space *s = NULL;
    sn_arena arena = {0};
    sn_eigen e;
    sn_status status = sn_state_space_new(p, &s, err);
    if (!status) status = sn_state_space_eigen(s, &arena, &e, err);
    if (!status) status = collect(p->d->m, s, &e, out, err);
    sn_arena_free(&arena);
    sn_state_space_free(s);
    return status;
}

/* ---- large models ---- */

typedef struct arnoldi {
    const sn_motion *p;
    double shift, unit; /* unit: of rates, so that both halves compare */
    double *f;          /* n */
    double *resid, *V, *workd, *workl, *re, *im, *Z, *workev;
    a_int *select;
    int n, want, ncv, lworkl; /* n = 2 nv */
    a_int iparam[11], ipntr[14];
} arnoldi;

static void arnoldi_free(arnoldi *l)
{
    sn_free(l->f), sn_free(l->resid), sn_free(l->V), sn_free(l->workd), sn_free(l->workl), sn_free(l->re);
    sn_free(l->im), sn_free(l->Z), sn_free(l->workev), sn_free(l->select);
}

/* f += c A x over all rows, x of the coordinates */
static void add_times(const sn_model *m, double c, const double *A, const double *x, double *f)
{
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1] && x[j] != 0; k++) f[m->Ai[k]] += c * A[k] * x[j];
}

static sn_status factor(arnoldi *l, double shift, sn_err *err)
{
    sn_context *d = l->p->d;
    int column = -1;
    double *const *A = l->p->A;
    l->shift = shift;
    for (int k = 0; k <= d->m->nnz; k++) d->w->Ax[k] = A[0][k] + shift * (A[1][k] + shift * A[2][k]);
    sn_status s = sn_linsol_factor(d->ls, d->w->Ax, &column, NULL);
    return s ? sn_singular(d, "modes", s, column, err) : SN_OK;
}

/* y = the operator times x, both (y, u/unit). */
static sn_status apply(const arnoldi *l, const double *x, double *y)
{
    const sn_context *d = l->p->d;
    const sn_model *m = d->m;
    double *const *A = l->p->A, g = l->shift;
    const int nv = m->nv;
    memset(l->f, 0, sizeof(double) * (size_t)(m->n + 1));
    add_times(m, l->unit, A[2], x + nv, l->f);
    add_times(m, g, A[2], x, l->f), add_times(m, 1, A[1], x, l->f);
    SN_TRY(sn_linsol_solve(d->ls, 0, 1, l->f));
    for (int i = 0; i < nv; i++) y[i] = l->f[i], y[nv + i] = (g * l->f[i] - x[i]) / l->unit;
    return SN_OK;
}

#define TOLERANCE 1e-12

static sn_status iterate(arnoldi *l, sn_err *err)
{
    a_int ido = 0, info = 1;
    double *start = l->workd;
    for (int i = 0; i < l->n; i++) start[i] = sin(1.0 + 1.7 * i);
    SN_TRY(apply(l, start, l->resid));
    for (;;) {
        dnaupd_c(&ido, "I", l->n, "LM", l->want, TOLERANCE, l->resid, l->ncv, l->V, l->n, l->iparam, l->ipntr,
                 l->workd, l->workl, l->lworkl, &info);
        if (ido != -1 && ido != 1) break;
        SN_TRY(apply(l, l->workd + l->ipntr[0] - 1, l->workd + l->ipntr[1] - 1));
    }
    if (info < 0) return sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: ARPACK failed with code %d", (int)info);
    if (l->iparam[4] < l->want)
        return sn_fail(err, SN_ERR_NUMERIC, NULL,
                       "modes: only %d of the %d modes converged; ask for fewer, or for all (-n 0)",
                       (int)l->iparam[4], l->want);
    dneupd_c(1, "A", l->select, l->re, l->im, l->Z, l->n, 0, 0, l->workev, "I", l->n, "LM", l->want,
             TOLERANCE, l->resid, l->ncv, l->V, l->n, l->iparam, l->ipntr, l->workd, l->workl, l->lworkl,
             &info);
    return info ? sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: ARPACK's vectors failed with code %d", (int)info)
                : SN_OK;
}

/* The operator's eigenvalues are 1/(g - s). */
static double complex root_of(const arnoldi *l, int k)
{
    return l->shift - 1 / (l->re[k] + _Complex_I * l->im[k]);
}

static int found(const arnoldi *l) { return (int)l->iparam[4]; }

/* The smallest |s| that is not zero but for rounding: chains of two zeros are spread to the root of it. */
static double lowest(const arnoldi *l)
{
    double low = INFINITY;
    for (int k = 0; k < found(l); k++) {
        double size = cabs(root_of(l, k));
        if (size > 1e-5 * l->shift) low = fmin(low, size);
    }
    return low;
}

static sn_status keep(const arnoldi *l, sn_roots *out, sn_err *err)
{
    const sn_model *m = l->p->d->m;
    const size_t nv = (size_t)m->nv, n = (size_t)l->n;
    SN_TRY(sn_roots_room(m, found(l), out, err));
    for (int k = 0; k < found(l); k++) {
        double complex s = root_of(l, k), *y = out->y + (size_t)out->n * nv;
        int zero = cabs(s) <= 1e-5 * l->shift, first = l->im[k] < 0 ? k - 1 : k;
        out->zeros += zero;
        if (cimag(s) < 0 && !zero) continue;
        if (zero && (out->zeros % 2 == 0)) continue; /* the other end of a chain */
        if (first < 0 || (l->im[k] > 0 && k + 1 >= found(l))) continue;
        out->s[out->n++] = zero ? 0 : s;
        for (size_t i = 0; i < nv; i++) {
            double re = l->Z[(size_t)first * n + i],
                   im = l->im[k] == 0 ? 0 : l->Z[((size_t)first + 1) * n + i];
            y[i] = re + (l->im[k] < 0 ? -1 : 1) * _Complex_I * im;
        }
    }
    return SN_OK;
}

/* Without a shift where that is possible: then nothing is zero. Otherwise one on the scale of the lowest
   roots, which one far below them finds. */
static sn_status with_shift(arnoldi *l, sn_err *err)
{
    static const a_int iparam[11] = {1, 0, 300, 1, 0, 0, 1};
    double shift = 1e-4 * l->unit;
    if (!factor(l, 0, NULL)) return iterate(l, err);
    for (int pass = 0; pass < 6; pass++) {
        memcpy(l->iparam, iparam, sizeof iparam);
        SN_TRY(factor(l, shift, err));
        SN_TRY(iterate(l, err));
        double low = lowest(l);
        if (isfinite(low) && low < 20 * shift && low > 0.05 * shift) break;
        shift = isfinite(low) ? 0.7 * low : 30 * shift;
    }
    return SN_OK;
}

sn_status sn_roots_arnoldi(const sn_motion *p, int modes, double unit, sn_roots *out, sn_err *err)
{
    const sn_model *m = p->d->m;
    const int n = 2 * m->nv, want = 2 * modes + 6, ncv = 2 * want + 20;
    size_t rows = (size_t)n;
    arnoldi l = {.p = p,
                 .unit = unit,
                 .n = n,
                 .want = want,
                 .ncv = ncv < n ? ncv : n,
                 .iparam = {1, 0, 300, 1, 0, 0, 1}};
    l.lworkl = 3 * l.ncv * (l.ncv + 2);
    sn_status status = SN_NEW(l.f, m->n + 1) && SN_NEW(l.resid, n) && SN_NEW(l.V, rows * (size_t)l.ncv) &&
                               SN_NEW(l.workd, 3 * rows) && SN_NEW(l.workl, l.lworkl) &&
                               SN_NEW(l.re, want + 2) && SN_NEW(l.im, want + 2) &&
                               SN_NEW(l.Z, rows * (size_t)(want + 2)) && SN_NEW(l.workev, 3 * l.ncv) &&
                               SN_NEW(l.select, l.ncv)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    sn_arpack_lock();
    if (!status) status = with_shift(&l, err);
    sn_arpack_unlock();
    if (!status) status = keep(&l, out, err);
    arnoldi_free(&l);
    return status;
}

/* ---- both ---- */

sn_status sn_roots_room(const sn_model *m, int n, sn_roots *out, sn_err *err)
{
    *out = (sn_roots){0};
    if (SN_NEW(out->s, n + 1) && SN_NEW(out->y, (size_t)(n + 1) * (size_t)m->nv + 1)) return SN_OK;
    sn_free(out->s);
    *out = (sn_roots){0};
    return SN_OUT_OF_MEM(err);
}

void sn_roots_free(sn_roots *r) { sn_free(r->s), sn_free(r->y); }

typedef struct order {
    double size, growth, frequency;
    int k;
} order;

static int by_size(const void *a, const void *b)
{
    const order *x = a, *y = b;
    if (fabs(x->size - y->size) > 1e-12 * (x->size + y->size)) return x->size < y->size ? -1 : 1;
    return x->growth != y->growth ? (x->growth < y->growth ? -1 : 1) : x->k - y->k;
}

sn_status sn_roots_sort(const sn_model *m, sn_roots *r, sn_err *err)
{
    const size_t nv = (size_t)m->nv;
    order *o = sn_alloc((size_t)r->n + 1, sizeof *o);
    sn_roots to;
    sn_status status = o ? sn_roots_room(m, r->n, &to, err) : SN_OUT_OF_MEM(err);
    if (status) {
        sn_free(o);
        return status;
    }
    for (int k = 0; k < r->n; k++) o[k] = (order){cabs(r->s[k]), creal(r->s[k]), cimag(r->s[k]), k};
    qsort(o, (size_t)r->n, sizeof *o, by_size);
    for (int k = 0; k < r->n; k++) {
        to.s[k] = r->s[o[k].k];
        memcpy(to.y + (size_t)k * nv, r->y + (size_t)o[k].k * nv, sizeof *to.y * nv);
    }
    to.n = r->n, to.zeros = r->zeros, to.all = r->all;
    sn_roots_free(r), sn_free(o);
    *r = to;
    return SN_OK;
}
