/* Modes of small vibrations. In the null space Z of the equations (Zl of dr/dlam, which is Z but for
   friction),

       (s^2 M + s C + K) y = 0,    M = Zl'MZ ...,   z = Z y

   Where M is positive definite and K symmetric the undamped modes come first and the damped ones follow in
   their coordinates, of large models in the lowest of them; otherwise, and where equations are between
   velocities, all at once in minimal coordinates (analysis/state_space.h). These are first values: jets
   bring a mode to the last digit. */
#include "analysis/state_space.h"
#include "sensitivity/vibration.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#undef I

enum { ALL = 80 }; /* coordinates up to which all modes are coupled by the damping */

/* What is below this part of the highest circular frequency is a motion without resistance, or lost in
 * rounding. */
static const double lowest = 2e-7;

typedef struct reduced {
    sn_arena arena;
    int n, nv, freedom;    /* n: basis Z */
    double *Z, *Zl;        /* nv x n */
    double *A[3];          /* K, C, M: n x n by columns */
    double *w2, *V;        /* undamped: n, n x n */
    int undamped;          /* C is 0 */
    double complex *s, *z; /* found: values, rows of nv */
    int found;
} reduced;

/* Orthonormal basis of the null space of the rows of equations (transposed: columns of dr/dlam): nv x (nv -
   rank). Returns the rank, -1 on failure. */
static int null_space(const sn_vibration *v, int transposed, double *Q)
{
    const int nv = v->nv, m = v->n - nv, k = m < nv ? m : nv;
    const double *A = v->at.A[0];
    size_t n = (size_t)nv, whole = (size_t)v->n;
    double *tau = sn_alloc(n + 1, sizeof *tau), *B = sn_alloc(n * (size_t)m + 1, sizeof *B);
    lapack_int *pivot = sn_alloc((size_t)m + 1, sizeof *pivot);
    int bad = !tau || !B || !pivot, rank = 0;
    for (size_t i = 0; i < n; i++) Q[i * n + i] = 1;
    for (size_t e = 0; e < (size_t)m && !bad; e++) {
        double top = 0, *b = B + e * n;
        for (size_t i = 0; i < n; i++) {
            b[i] = transposed ? A[(n + e) * whole + i] : A[i * whole + n + e];
            top = fmax(top, fabs(b[i]));
        }
        for (size_t i = 0; i < n && top > 0; i++) b[i] /= top;
    }
    if (!bad && m) {
        bad = LAPACKE_dgeqp3(LAPACK_COL_MAJOR, nv, m, B, nv, pivot, tau) != 0;
        while (!bad && rank < k && fabs(B[(size_t)rank * n + (size_t)rank]) > 1e-10 * fabs(B[0])) rank++;
        bad = bad || LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'N', nv, nv, k, B, nv, tau, Q, nv) != 0;
    }
    sn_free(tau), sn_free(pivot), sn_free(B);
    return bad ? -1 : rank;
}

/* R = Zl' A Z */
static void reduce(const sn_vibration *v, const reduced *r, const double *A, double *scratch, double *R)
{
    size_t nv = (size_t)v->nv, n = (size_t)r->n, whole = (size_t)v->n;
    for (size_t c = 0; c < n; c++) {
        memset(scratch, 0, sizeof *scratch * nv);
        for (size_t j = 0; j < nv; j++) {
            double f = r->Z[c * nv + j];
            for (size_t i = 0; f != 0 && i < nv; i++) scratch[i] += A[j * whole + i] * f;
        }
        for (size_t k = 0; k < n; k++) {
            double sum = 0;
            for (size_t i = 0; i < nv; i++) sum += r->Zl[k * nv + i] * scratch[i];
            R[c * n + k] = sum;
        }
    }
}

static sn_status open_reduced(const sn_vibration *v, reduced *r, sn_err *err)
{
    size_t nv = (size_t)v->nv;
    double *Q = sn_arena_alloc(&r->arena, nv * nv + 1, sizeof *Q), *scratch = NULL;
    double *Ql = sn_arena_alloc(&r->arena, nv * nv + 1, sizeof *Ql);
    if (!Q || !Ql) return SN_OUT_OF_MEM(err);
    int rank = null_space(v, 0, Q), left = null_space(v, 1, Ql);
    if (rank < 0 || left < 0) return SN_OUT_OF_MEM(err);
    if (rank != left)
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: the reactions do not balance the equations");
    r->n = v->nv - rank;
    r->Z = Q + (size_t)rank * nv, r->Zl = Ql + (size_t)rank * nv;
    size_t n = (size_t)r->n;
    for (int k = 0; k < 3; k++)
        if (!(r->A[k] = sn_arena_alloc(&r->arena, n * n + 1, sizeof *r->A[k]))) return SN_OUT_OF_MEM(err);
    r->w2 = sn_arena_alloc(&r->arena, n + 1, sizeof *r->w2);
    r->V = sn_arena_alloc(&r->arena, n * n + 1, sizeof *r->V);
    r->s = sn_arena_alloc(&r->arena, n + 1, sizeof *r->s);
    r->z = sn_arena_alloc(&r->arena, n * nv + 1, sizeof *r->z);
    if (!r->w2 || !r->V || !r->s || !r->z || !SN_NEW(scratch, nv + 1)) return SN_OUT_OF_MEM(err);
    /* where nothing rubs both spaces are one, and so shall their bases be */
    double apart = 0, top = 0;
    for (size_t j = 0; j < nv; j++)
        for (size_t e = nv; e < (size_t)v->n; e++) {
            double a = v->at.A[0][j * (size_t)v->n + e], b = v->at.A[0][e * (size_t)v->n + j];
            apart = fmax(apart, fabs(a - b)), top = fmax(top, fabs(a));
        }
    if (apart <= 1e-14 * top) r->Zl = r->Z;
    for (int k = 0; k < 3; k++) reduce(v, r, v->at.A[k], scratch, r->A[k]);
    sn_free(scratch);
    r->undamped = 1;
    for (size_t i = 0; i < n * n; i++) r->undamped &= r->A[1][i] == 0;
    return SN_OK;
}

static int is_symmetric(int n, const double *A)
{
    double top = 0, apart = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) {
            double a = A[(size_t)j * (size_t)n + (size_t)i], b = A[(size_t)i * (size_t)n + (size_t)j];
            top = fmax(top, fmax(fabs(a), fabs(b))), apart = fmax(apart, fabs(a - b));
        }
    return apart <= 1e-9 * top;
}

/* Keeps s with z = Z V c (c of q numbers, V n x q) where it oscillates. */
static void keep(reduced *r, double complex s, double top, int q, const double *V, const double complex *c)
{
    size_t n = (size_t)r->n, nv = (size_t)r->nv;
    if (!(cabs(s) > lowest * top) || !(cimag(s) > 1e-9 * cabs(s)) || !isfinite(cabs(s)) || r->found >= r->n)
        return;
    double complex *z = r->z + (size_t)r->found * nv;
    for (size_t j = 0; j < n; j++) {
        double complex y = 0;
        for (size_t k = 0; k < (size_t)q; k++) y += V[k * n + j] * c[k];
        for (size_t i = 0; i < nv; i++) z[i] += r->Z[j * nv + i] * y;
    }
    r->s[r->found++] = s;
}

/* Eigenpairs of a real matrix, or of a pencil, as LAPACK tells them: pairs in neighbouring columns. */
static double complex entry(const double *V, int ld, int column, double imaginary, int i)
{
    if (imaginary == 0) return V[column * ld + i];
    int first = imaginary > 0 ? column : column - 1;
    return V[first * ld + i] + (imaginary > 0 ? 1 : -1) * _Complex_I * V[(first + 1) * ld + i];
}

/* Undamped modes V (V'MV = 1), then the damped ones in the lowest q of them. 0: M is not positive definite.
 */
static int by_undamped_modes(reduced *r, sn_status *status, sn_err *err)
{
    const int n = r->n, q = n <= ALL ? n : ALL, d = 2 * q;
    size_t size = (size_t)n * (size_t)n;
    *status = SN_OK;
    if (!is_symmetric(n, r->A[0]) || !is_symmetric(n, r->A[2])) return 0;
    double *M = sn_arena_alloc(&r->arena, size + 1, sizeof *M);
    double *S = sn_arena_alloc(&r->arena, 2 * (size_t)d * (size_t)d + 2 * (size_t)d + 1, sizeof *S);
    double complex *c = sn_arena_alloc(&r->arena, (size_t)d + 1, sizeof *c);
    if (!M || !S || !c) return *status = SN_OUT_OF_MEM(err), 1;
    memcpy(r->V, r->A[0], size * sizeof *M), memcpy(M, r->A[2], size * sizeof *M);
    if (LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'U', n, r->V, n, M, n, r->w2)) return 0;
    double top = sqrt(fmax(fabs(r->w2[0]), fabs(r->w2[n - 1])));
    for (int k = 0; r->undamped && k < n; k++) {
        memset(c, 0, sizeof *c * (size_t)d);
        if (r->w2[k] > 0) c[0] = 1, keep(r, _Complex_I * sqrt(r->w2[k]), top, 1, r->V + k * n, c);
    }
    if (r->undamped) return 1;
    /* d/dt (c, c') = S (c, c') */
    double *vectors = S + d * d, *re = vectors + d * d, *im = re + d, none[1];
    for (int k = 0; k < q; k++) {
        S[(q + k) * d + k] = 1, S[k * d + q + k] = -r->w2[k];
        for (int j = 0; j < n; j++) { /* column k of C V */
            double sum = 0;
            for (int i = 0; i < n; i++) sum += r->A[1][i * n + j] * r->V[k * n + i];
            for (int i = 0; i < q; i++) S[(q + k) * d + q + i] -= r->V[i * n + j] * sum;
        }
    }
    if (LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', d, S, d, re, im, none, 1, vectors, d))
        return *status =
                   sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: the eigenvalue problem could not be solved"),
               1;
    for (int k = 0; k < d; k++) {
        for (int i = 0; i < q; i++) c[i] = entry(vectors, d, k, im[k], i);
        if (im[k] > 0) keep(r, re[k] + _Complex_I * im[k], top, q, r->V, c);
    }
    return 1;
}

/* The general problem, in minimal coordinates. */
static sn_status by_state_space(const sn_vibration *v, int all, reduced *r, sn_err *err)
{
    sn_state_space *space = NULL;
    sn_eigen e;
    const size_t nv = (size_t)v->nv;
    SN_TRY(sn_state_space_new(v->motion, &space, err));
    const size_t n = (size_t)space->n;
    sn_status status = sn_state_space_eigen(space, &r->arena, &e, err);
    if (!status) {
        r->s = sn_arena_alloc(&r->arena, (size_t)e.n + 1, sizeof *r->s);
        r->z = sn_arena_alloc(&r->arena, (size_t)e.n * nv + 1, sizeof *r->z);
        if (!r->s || !r->z) status = SN_OUT_OF_MEM(err);
        r->freedom = (space->n + 1) / 2;
    }
    for (int k = 0; !status && k < e.n; k++) {
        double complex s = e.s[k], *z = r->z + (size_t)r->found * nv;
        if (cimag(s) < 0 || (!all && !(cimag(s) > 1e-9 * cabs(s)))) continue;
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < nv; i++) z[i] += space->Y[j * nv + i] * e.x[(size_t)k * n + j];
        r->s[r->found++] = s;
    }
    sn_state_space_free(space);
    return status;
}

static int by_size(const void *a, const void *b)
{
    double x = cabs(((const sn_oscillation *)a)->s), y = cabs(((const sn_oscillation *)b)->s);
    return (x > y) - (x < y);
}

static int finite_numbers(size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

/* Found modes into the list. */
static sn_status deliver(const sn_vibration *v, const reduced *r, sn_arena *arena, sn_oscillations *out,
                         sn_err *err)
{
    sn_oscillation *list = sn_arena_alloc(arena, (size_t)r->found + 1, sizeof *list);
    if (!list) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < r->found; k++) {
        sn_oscillation *o = &list[k];
        o->s = r->s[k];
        o->z = sn_arena_alloc(arena, (size_t)v->n + 1, sizeof *o->z);
        o->y = sn_arena_alloc(arena, (size_t)v->n_channel + 1, sizeof *o->y);
        if (!o->z || !o->y) return SN_OUT_OF_MEM(err);
        memcpy(o->z, r->z + (size_t)k * (size_t)v->nv, sizeof *o->z * (size_t)v->nv);
        sn_vibration_show(v, &v->at, o->s, o->z, o->y);
    }
    qsort(list, (size_t)r->found, sizeof *list, by_size);
    *out = (sn_oscillations){r->found, r->freedom, list};
    return SN_OK;
}

/* By undamped modes where that is exact; *done: whether it was. */
static sn_status quick(const sn_vibration *v, reduced *r, int *done, sn_err *err)
{
    sn_status status = open_reduced(v, r, err);
    size_t square = (size_t)r->n * (size_t)r->n;
    for (int k = 0; k < 3 && !status; k++)
        if (!finite_numbers(square, r->A[k]))
            status = sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: some number is out of range");
    r->freedom = r->n;
    *done = 1;
    if (!status && r->n > 0) *done = by_undamped_modes(r, &status, err);
    return status;
}

sn_status sn_vibration_modes(const sn_vibration *v, sn_arena *arena, int all, sn_oscillations *out,
                             sn_err *err)
{
    reduced r = {.nv = v->nv};
    int done = 0;
    *out = (sn_oscillations){.n = 0};
    sn_status status = all || v->rolling ? SN_OK : quick(v, &r, &done, err);
    if (!status && !done) status = by_state_space(v, all, &r, err);
    if (!status) status = deliver(v, &r, arena, out, err);
    sn_arena_free(&r.arena);
    return status;
}
