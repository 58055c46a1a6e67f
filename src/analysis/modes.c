/* Natural frequencies and modes of the linearised, undamped, constrained system at a state:

       K x + B' mu = w^2 M x,    B x = 0

   Small models: the null space Z of B by QR (LAPACK), then Z'KZ y = w^2 Z'MZ y; symmetric where K is and M is
   positive definite, else the general problem. Large models: shift-invert Lanczos (ARPACK) with the factors
   of the constrained matrix [K - s M, B'; B, 0], whose solutions satisfy B x = 0 by themselves. */
#include "analysis/analysis.h"

#include <arpack/arpack.h>
#include <lapacke.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#undef I

sn_mode_options sn_mode_options_default(const sn_model *m, const sn_values *p)
{
    return (sn_mode_options){.n = 10, .at_time = -1, .run = sn_run_options_default(m, p), .method = "auto"};
}

enum { DENSE_MAX = 600 };

typedef struct spectrum {
    double *w2, *shape; /* eigenvalues; nv numbers each */
    int n;
    double top; /* largest K/M on the diagonal: eigenvalues at its rounding are zero */
} spectrum;

/* ---- dense ---- */

/* K or M (over the coordinates) and B from the assembled matrix, dense and column-major. */
static void spread(const sn_desk *d, double *S, double *Bt)
{
    const sn_model *m = d->m;
    size_t nv = (size_t)m->nv;
    for (size_t j = 0; j < nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            size_t i = (size_t)m->Ai[k];
            if (i < nv)
                S[j * nv + i] = d->w->Ax[k];
            else if (Bt)
                Bt[(i - nv) * nv + j] = d->w->Ax[k];
        }
}

/* Orthonormal basis of the null space of B: the last columns of Q in B' = Q R. Returns its size, -1 on
 * failure. */
static int null_space(const sn_model *m, double *Bt, double *Q)
{
    int nv = m->nv, rank = 0, k = m->m < nv ? m->m : nv;
    size_t n = (size_t)nv;
    double *tau = sn_alloc(n + 1, sizeof *tau);
    lapack_int *pivot = sn_alloc((size_t)m->m + 1, sizeof *pivot);
    int bad = !tau || !pivot;
    for (size_t i = 0; i < n; i++) Q[i * n + i] = 1;
    if (!bad && m->m) {
        bad = LAPACKE_dgeqp3(LAPACK_COL_MAJOR, nv, m->m, Bt, nv, pivot, tau) != 0;
        while (!bad && rank < k && fabs(Bt[(size_t)rank * n + (size_t)rank]) > 1e-10 * fabs(Bt[0])) rank++;
        bad = bad || LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'N', nv, nv, k, Bt, nv, tau, Q, nv) != 0;
    }
    sn_free(tau), sn_free(pivot);
    return bad ? -1 : rank;
}

/* R = Z' S Z, Z of nv x n; T is scratch of nv x n. */
static void reduce(int nv, int n, const double *S, const double *Z, double *T, double *R)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < nv; i++) {
            double s = 0;
            for (int k = 0; k < nv; k++)
                s += S[(size_t)k * (size_t)nv + (size_t)i] * Z[(size_t)j * (size_t)nv + (size_t)k];
            T[(size_t)j * (size_t)nv + (size_t)i] = s;
        }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double s = 0;
            for (int k = 0; k < nv; k++)
                s += Z[(size_t)i * (size_t)nv + (size_t)k] * T[(size_t)j * (size_t)nv + (size_t)k];
            R[(size_t)j * (size_t)n + (size_t)i] = s;
        }
}

static int symmetric(int n, const double *A)
{
    double top = 0, skew = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) {
            double a = A[(size_t)j * (size_t)n + (size_t)i], b = A[(size_t)i * (size_t)n + (size_t)j];
            top = fmax(top, fmax(fabs(a), fabs(b)));
            skew = fmax(skew, fabs(a - b));
        }
    return skew <= 1e-9 * top;
}

/* Real finite eigenvalues of A y = w B y, general: y into the columns of V, sorted later. */
static sn_status general(int n, double *A, double *B, double *w, double *V, int *found, sn_err *err)
{
    double *re = sn_alloc(3 * (size_t)n + 1, sizeof *re), left[1], top = 0;
    if (!re) return SN_OUT_OF_MEM(err);
    double *im = re + n, *beta = im + n;
    int bad = LAPACKE_dggev(LAPACK_COL_MAJOR, 'N', 'V', n, A, n, B, n, re, im, beta, left, 1, V, n);
    for (int i = 0; !bad && i < n; i++) top = fmax(top, fabs(beta[i]));
    *found = 0;
    for (int i = 0; !bad && i < n; i++) {
        if (fabs(beta[i]) <= 1e-12 * top || fabs(im[i]) > 1e-8 * fabs(re[i])) continue;
        w[*found] = re[i] / beta[i];
        memmove(V + (size_t)*found * (size_t)n, V + (size_t)i * (size_t)n, sizeof(double) * (size_t)n);
        ++*found;
    }
    sn_free(re);
    return bad ? sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: the eigenvalue problem could not be solved")
               : SN_OK;
}

/* LAPACK may never end on infinite numbers. */
static int finite_numbers(size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

static sn_status dense(sn_desk *d, spectrum *s, sn_err *err)
{
    const sn_model *m = d->m;
    size_t nv = (size_t)m->nv, sq = nv * nv + 1;
    double *K, *M, *Q, *T, *Kr, *Mr, *copy, *Bt = sn_alloc(nv * (size_t)m->m + 1, sizeof *Bt);
    double *block = sn_alloc(7 * sq, sizeof *block);
    if (!block || !Bt) {
        sn_free(block), sn_free(Bt);
        return SN_OUT_OF_MEM(err);
    }
    const sn_coef with_K = {d->one, d->zero, d->zero, d->one, 1},
                  with_M = {d->zero, d->zero, d->one, d->one, 1};
    K = block, M = K + sq, Q = M + sq, T = Q + sq, Kr = T + sq, Mr = Kr + sq, copy = Mr + sq;
    sn_status status = sn_system_eval(d->w, d->x, &with_K, err);
    if (!status) status = sn_desk_finite(d, "modes", err);
    if (!status) {
        spread(d, K, Bt);
        status = sn_system_eval(d->w, d->x, &with_M, err);
    }
    if (!status) status = sn_desk_finite(d, "modes", err);
    int rank = 0, n = 0, found = 0;
    if (!status) {
        spread(d, M, NULL);
        for (size_t i = 0; i < nv; i++)
            if (M[i * nv + i] > 0) s->top = fmax(s->top, fabs(K[i * nv + i]) / M[i * nv + i]);
        rank = null_space(m, Bt, Q);
        if (rank < 0) status = SN_OUT_OF_MEM(err);
    }
    if (!status && (n = m->nv - rank) > 0) {
        const double *Z = Q + (size_t)rank * nv;
        reduce(m->nv, n, K, Z, T, Kr);
        reduce(m->nv, n, M, Z, T, Mr);
        size_t bytes = sizeof(double) * (size_t)n * (size_t)n;
        int sym = symmetric(n, Kr), info = 1;
        if (!finite_numbers((size_t)n * (size_t)n, Kr) || !finite_numbers((size_t)n * (size_t)n, Mr)) {
            sn_free(block), sn_free(Bt);
            return sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: some number is out of range");
        }
        memcpy(T, Kr, bytes), memcpy(copy, Mr, bytes);
        if (sym) info = LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'U', n, T, n, copy, n, s->w2);
        found = n;
        if (info) status = general(n, Kr, Mr, s->w2, T, &found, err);
        /* shapes of all coordinates: x = Z y */
        for (int k = 0; !status && k < found; k++)
            for (size_t i = 0; i < nv; i++) {
                double x = 0;
                for (int j = 0; j < n; j++) x += Z[(size_t)j * nv + i] * T[(size_t)k * (size_t)n + (size_t)j];
                s->shape[(size_t)k * nv + i] = x;
            }
    }
    s->n = found;
    sn_free(block), sn_free(Bt);
    return status;
}

/* ---- ARPACK ---- */

/* y = M x over the coordinates. */
static void times(const sn_model *m, const double *Mx, const double *x, double *y)
{
    memset(y, 0, sizeof(double) * (size_t)m->nv);
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1] && m->Ai[k] < m->nv; k++) y[m->Ai[k]] += Mx[k] * x[j];
}

/* Factors of K - shift M with the constraints; M's values into Mx. */
static sn_status factor_shifted(sn_desk *d, double *shift, double *Mx, spectrum *sp, sn_err *err)
{
    const sn_model *m = d->m;
    const sn_coef with_M = {d->zero, d->zero, d->one, d->one, 1},
                  with_K = {d->one, d->zero, d->zero, d->one, 1};
    SN_TRY(sn_system_eval(d->w, d->x, &with_M, err));
    memcpy(Mx, d->w->Ax, sizeof(double) * (size_t)m->nnz);
    SN_TRY(sn_system_eval(d->w, d->x, &with_K, err));
    /* a shift a little below zero keeps free bodies regular: small against the stiffest, on the scale of the
     * softest */
    double top = 0;
    for (int i = 0; i < m->nv; i++)
        if (Mx[m->diag[i]] > 0) top = fmax(top, fabs(d->w->Ax[m->diag[i]]) / Mx[m->diag[i]]);
    *shift = -1e-9 * top;
    sp->top = top;
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1] && m->Ai[k] < m->nv; k++) d->w->Ax[k] -= *shift * Mx[k];
    int column = -1;
    sn_status s = sn_linsol_factor(d->ls, d->w->Ax, &column, NULL);
    return s ? sn_singular(d, "modes", s, column, err) : SN_OK;
}

typedef struct lanczos {
    int n, want, ncv, lworkl;
    double *resid, *V, *workd, *workl, *Mx, *d;
    a_int *select;
} lanczos;

/* ARPACK's iteration and its eigenpairs: w2 and shapes in the order it finds them. */
static sn_status iterate(sn_desk *d, const lanczos *l, double shift, spectrum *s, sn_err *err)
{
    const sn_model *m = d->m;
    const int n = l->n;
    a_int ido = 0, info = 1, iparam[11] = {1, 0, 1000, 1, 0, 0, 3, 0, 0, 0, 0}, ipntr[14] = {0};
    for (;;) {
        dsaupd_c(&ido, "G", n, "LM", l->want, 0.0, l->resid, l->ncv, l->V, n, iparam, ipntr, l->workd,
                 l->workl, l->lworkl, &info);
        if (ido != -1 && ido != 1 && ido != 2) break;
        const double *x = l->workd + ipntr[0] - 1;
        double *y = l->workd + ipntr[1] - 1;
        if (ido == 2) {
            times(m, l->Mx, x, y);
            continue;
        }
        if (ido == -1)
            times(m, l->Mx, x, d->z);
        else
            memcpy(d->z, l->workd + ipntr[2] - 1, sizeof(double) * (size_t)n);
        memset(d->z + n, 0, sizeof(double) * (size_t)m->m);
        SN_TRY(sn_linsol_solve(d->ls, 0, 1, d->z));
        memcpy(y, d->z, sizeof(double) * (size_t)n);
    }
    if (info < 0) return sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: ARPACK failed with code %d", (int)info);
    dseupd_c(1, "A", l->select, l->d, l->V, n, shift, "G", n, "LM", l->want, 0.0, l->resid, l->ncv, l->V, n,
             iparam, ipntr, l->workd, l->workl, l->lworkl, &info);
    s->n = iparam[4] < l->want ? iparam[4] : l->want;
    for (int k = 0; k < s->n; k++) {
        s->w2[k] = l->d[k];
        memcpy(s->shape + (size_t)k * (size_t)n, l->V + (size_t)k * (size_t)n, sizeof(double) * (size_t)n);
    }
    return info == 0
               ? SN_OK
               : sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: ARPACK's vectors failed with code %d", (int)info);
}

/* ARPACK keeps the state of an iteration between its calls in variables of its own: one iteration at a time
   in a process. Linear solvers are entered meanwhile; nobody waits for this lock with one of them in hand. */
static pthread_mutex_t arpack_lock = PTHREAD_MUTEX_INITIALIZER;

static sn_status arpack(sn_desk *d, int want, spectrum *s, sn_err *err)
{
    const sn_model *m = d->m;
    const int n = m->nv, most = 46000; /* vectors: ARPACK counts its room, their square, by int */
    double shift = 0, room = 2.0 * want + 20;
    lanczos l = {.n = n, .want = want, .ncv = room < n ? 2 * want + 20 : n};
    if (l.ncv > most)
        return sn_fail(err, SN_ERR_INPUT, NULL, "modes: %d modes are too many for ARPACK, which can find %d",
                       want, most / 2 - 10);
    l.lworkl = l.ncv * (l.ncv + 8);
    sn_status status = SN_NEW(l.resid, n) && SN_NEW(l.V, (size_t)n * (size_t)l.ncv) &&
                               SN_NEW(l.workd, 3 * (size_t)n) && SN_NEW(l.workl, l.lworkl) &&
                               SN_NEW(l.Mx, m->nnz + 1) && SN_NEW(l.d, l.ncv) && SN_NEW(l.select, l.ncv)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    if (!status) status = factor_shifted(d, &shift, l.Mx, s, err);
    /* a start vector that is the same each time and obeys the constraints: one solve of a fixed one */
    for (int i = 0; !status && i < n; i++) d->z[i] = sin(1.0 + 1.7 * i);
    if (!status) {
        memset(d->z + n, 0, sizeof(double) * (size_t)m->m);
        status = sn_linsol_solve(d->ls, 0, 1, d->z);
        memcpy(l.resid, d->z, sizeof(double) * (size_t)n);
    }
    if (!status) {
        pthread_mutex_lock(&arpack_lock);
        status = iterate(d, &l, shift, s, err);
        pthread_mutex_unlock(&arpack_lock);
    }
    sn_free(l.resid), sn_free(l.V), sn_free(l.workd), sn_free(l.workl), sn_free(l.Mx), sn_free(l.d),
        sn_free(l.select);
    return status;
}

/* ---- the analysis ---- */

/* Lowest first, each shape scaled to a largest entry of 1; to the callback. */
static sn_status deliver(sn_desk *d, spectrum *s, const sn_mode_options *o, int *count, sn_err *err)
{
    const sn_model *m = d->m;
    size_t nv = (size_t)m->nv;
    SN_TRY(sn_system_sensors(d->w, d->x, d->y, err));
    const sn_frame f = {d->x->t, d->x->q, d->x->v, d->x->a, d->x->lam, d->y, NULL};
    for (int k = 0; k < s->n && (o->n <= 0 || k < o->n); k++) {
        int low = k;
        for (int i = k + 1; i < s->n; i++)
            if (s->w2[i] < s->w2[low]) low = i;
        double w2 = s->w2[low], *x = s->shape + (size_t)low * nv, *y = s->shape + (size_t)k * nv, top = 0;
        s->w2[low] = s->w2[k], s->w2[k] = w2;
        for (size_t i = 0; low != k && i < nv; i++) {
            double t = x[i];
            x[i] = y[i], y[i] = t;
        }
        for (size_t i = 0; i < nv; i++)
            if (fabs(y[i]) > fabs(top)) top = y[i];
        for (size_t i = 0; top != 0 && i < nv; i++) y[i] /= top;
        if (fabs(w2) <= 1e-14 * s->top) w2 = 0; /* a rigid motion */
        double omega = w2 >= 0 ? sqrt(w2) : -sqrt(-w2);
        if (o->mode) SN_TRY(o->mode(o->ctx, k, omega, y, &f, err));
        ++*count;
    }
    return SN_OK;
}

sn_status sn_modes(const sn_model *m, const sn_values *p, const sn_mode_options *o, int *found, sn_err *err)
{
    sn_desk d;
    sn_info info = {0};
    spectrum s = {0};
    int small = !strcmp(o->method, "dense") ||
                (strcmp(o->method, "arpack") != 0 && (m->nv <= DENSE_MAX || o->n <= 0));
    int want = o->n > 0 && o->n < m->nv - 1 ? o->n : m->nv - 1;
    if (m->first_order)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "modes: models with first-order states have no undamped natural frequencies");
    if (want < 1) small = 1;
    *found = 0;
    SN_TRY(sn_desk_open(m, p, &o->run, &info, &d, err));
    sn_status status =
        SN_NEW(s.w2, m->nv + 1) && SN_NEW(s.shape, (size_t)m->nv * (size_t)(small ? m->nv : want) + 1)
            ? SN_OK
            : SN_OUT_OF_MEM(err);
    if (!status && !m->flat) sn_system_tangent_maps(d.w, d.zero);
    if (!status) status = sn_reach(&d, o->at_static, o->at_time, err);
    if (!status) status = small ? dense(&d, &s, err) : arpack(&d, want, &s, err);
    if (!status) status = deliver(&d, &s, o, found, err);
    sn_free(s.w2), sn_free(s.shape);
    sn_desk_close(&d);
    return status;
}
