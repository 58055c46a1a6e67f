/* Modes of small damped vibrations. In the null space Z of the equations (Zl of dr/dlam, which is Z but for
   friction),

       (s^2 M + s C + K) y = 0,    M = Zl'MZ ...,   z = Z y

   Where M is positive definite and K symmetric the undamped modes come first and the damped ones follow in
   their coordinates, of large models in the lowest of them; otherwise all at once as s [1 0; 0 M] = [0 1; -K
   -C]. These are first values: jets bring a mode to the last digit by Newton's method with the whole matrix,

       [ T(s)  T'(s) Z ] [ dZ ]   [ -T(s) Z ]
       [ Z^H      0    ] [ dS ] = [    0    ]

   and the same matrix gives the derivatives: -dT Z in place of -T Z. Modes that coincide are taken together,
   Z their vectors: what is differentiable is their space, and dS, of as many rows, holds how they part. */
#include "sensitivity/complex_lu.h"
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
    int n;                 /* freedom */
    double *Z, *Zl;        /* nv x n */
    double *A[3];          /* K, C, M: n x n by columns */
    double *w2, *V;        /* undamped: n, n x n */
    int undamped;          /* C is 0 */
    double complex *s, *y; /* found: n values, n rows of n */
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
    r->s = sn_arena_alloc(&r->arena, 2 * n + 1, sizeof *r->s);
    r->y = sn_arena_alloc(&r->arena, 2 * n * n + 1, sizeof *r->y);
    if (!r->w2 || !r->V || !r->s || !r->y || !SN_NEW(scratch, nv + 1)) return SN_OUT_OF_MEM(err);
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

/* Keeps s with y = V c (c of q numbers, V n x q; NULL: y = c) where it oscillates. */
static void keep(reduced *r, double complex s, double top, int q, const double *V, const double complex *c)
{
    size_t n = (size_t)r->n;
    if (!(cabs(s) > lowest * top) || !(cimag(s) > 1e-9 * cabs(s)) || !isfinite(cabs(s)) || r->found >= r->n)
        return;
    double complex *y = r->y + (size_t)r->found * n;
    for (size_t i = 0; i < n; i++) y[i] = V ? 0 : c[i];
    for (size_t k = 0; V && k < (size_t)q; k++)
        for (size_t i = 0; i < n; i++) y[i] += V[k * n + i] * c[k];
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

static double frobenius(size_t n, const double *A)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += A[i] * A[i];
    return sqrt(sum);
}

/* The general problem, with s in units that make K and M alike. */
static sn_status by_pencil(reduced *r, sn_err *err)
{
    const int n = r->n, d = 2 * n;
    size_t size = (size_t)d * (size_t)d, square = (size_t)n * (size_t)n;
    double k = frobenius(square, r->A[0]), mass = frobenius(square, r->A[2]);
    double g = k > 0 && mass > 0 ? sqrt(k / mass) : 1, f = k > 0 ? 1 / k : 1, top = 0, none[1];
    double *P = sn_arena_alloc(&r->arena, 3 * size + 3 * (size_t)d + 1, sizeof *P);
    double complex *c = sn_arena_alloc(&r->arena, (size_t)n + 1, sizeof *c);
    if (!P || !c) return SN_OUT_OF_MEM(err);
    double *Q = P + size, *V = Q + size, *re = V + size, *im = re + d, *beta = im + d;
    for (int j = 0; j < n; j++) {
        P[(n + j) * d + j] = Q[j * d + j] = 1;
        for (int i = 0; i < n; i++) {
            P[j * d + n + i] = -f * r->A[0][j * n + i], P[(n + j) * d + n + i] = -f * g * r->A[1][j * n + i];
            Q[(n + j) * d + n + i] = f * g * g * r->A[2][j * n + i];
        }
    }
    if (LAPACKE_dggev(LAPACK_COL_MAJOR, 'N', 'V', d, P, d, Q, d, re, im, beta, none, 1, V, d))
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: the eigenvalue problem could not be solved");
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < d; i++) {
            double size_of = hypot(re[i], im[i]);
            if (fabs(beta[i]) <= 1e-12 * size_of) continue; /* infinite: without mass */
            double complex s = g * (re[i] + _Complex_I * im[i]) / beta[i];
            for (int a = 0; pass && a < n; a++) c[a] = entry(V, d, i, im[i], a);
            if (!pass)
                top = fmax(top, cabs(s));
            else if (cimag(s) > 0)
                keep(r, s, top, n, NULL, c);
        }
    return SN_OK;
}

static int by_size(const void *a, const void *b)
{
    double x = cabs(((const sn_oscillation *)a)->s), y = cabs(((const sn_oscillation *)b)->s);
    return (x > y) - (x < y);
}

static void show(const sn_vibration *v, const sn_vibration_matrices *by, double complex s,
                 const double complex *z, double complex *y)
{
    size_t n = (size_t)v->n;
    for (size_t c = 0; c < (size_t)v->n_channel; c++)
        for (size_t i = 0, at = c * n; i < n; i++, at++)
            y[c] += (by->Y[0][at] + s * (by->Y[1][at] + s * by->Y[2][at])) * z[i];
}

static int finite_numbers(size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

sn_status sn_vibration_modes(const sn_vibration *v, sn_arena *arena, sn_oscillations *out, sn_err *err)
{
    reduced r = {.n = 0};
    char name[160];
    *out = (sn_oscillations){.n = 0};
    if (v->rolling >= 0)
        return sn_fail(
            err, SN_ERR_INPUT, NULL,
            "the equation %s is one between velocities (rolling): such a model has no modes of the "
            "form computed here",
            sn_equation_name(v->m, v->rolling, name, sizeof name));
    sn_status status = open_reduced(v, &r, err);
    size_t square = (size_t)r.n * (size_t)r.n;
    for (int k = 0; k < 3 && !status; k++)
        if (!finite_numbers(square, r.A[k]))
            status = sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: some number is out of range");
    if (!status && r.n > 0 && !by_undamped_modes(&r, &status, err)) status = by_pencil(&r, err);
    sn_oscillation *list = status ? NULL : sn_arena_alloc(arena, (size_t)r.found + 1, sizeof *list);
    if (!status && !list) status = SN_OUT_OF_MEM(err);
    for (int k = 0; k < r.found && !status; k++) {
        sn_oscillation *o = &list[k];
        o->s = r.s[k];
        o->z = sn_arena_alloc(arena, (size_t)v->n + 1, sizeof *o->z);
        o->y = sn_arena_alloc(arena, (size_t)v->n_channel + 1, sizeof *o->y);
        if (!o->z || !o->y) status = SN_OUT_OF_MEM(err);
        for (int j = 0; j < r.n && !status; j++)
            for (int i = 0; i < v->nv; i++)
                o->z[i] +=
                    r.Z[(size_t)j * (size_t)v->nv + (size_t)i] * r.y[(size_t)k * (size_t)r.n + (size_t)j];
        if (!status) show(v, &v->at, o->s, o->z, o->y);
    }
    if (!status)
        qsort(list, (size_t)r.found, sizeof *list, by_size), *out = (sn_oscillations){r.found, r.n, list};
    sn_arena_free(&r.arena);
    return status;
}

/* ---- jets ---- */

typedef struct newton {
    const sn_vibration *v;
    int k, size;                  /* vectors, n + k */
    double complex s, *Z, *C, *F; /* Z, C: k columns of n; F: right-hand sides, k columns of size */
    sn_complex_lu lu;
} newton;

/* y += f (dT or T or T')(s) x; order 1: the derivative by s */
static void times(const newton *q, const sn_vibration_matrices *by, int order, const double complex *x,
                  double f, double complex *y)
{
    size_t n = (size_t)q->v->n;
    double complex c1 = order ? 1 : q->s, c2 = order ? 2 * q->s : q->s * q->s;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            size_t at = j * n + i;
            y[i] += f * ((order ? 0 : by->A[0][at]) + c1 * by->A[1][at] + c2 * by->A[2][at]) * x[j];
        }
}

static sn_status factor(newton *q)
{
    const sn_vibration *v = q->v;
    size_t n = (size_t)v->n, size = (size_t)q->size;
    memset(q->lu.A, 0, sizeof *q->lu.A * size * size);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            size_t at = j * n + i;
            q->lu.A[j * size + i] = v->at.A[0][at] + q->s * (v->at.A[1][at] + q->s * v->at.A[2][at]);
        }
    for (size_t c = 0; c < (size_t)q->k; c++) {
        times(q, &v->at, 1, q->Z + c * n, 1, q->lu.A + (n + c) * size);
        for (size_t i = 0; i < n; i++) q->lu.A[i * size + n + c] = conj(q->C[c * n + i]);
    }
    return sn_complex_lu_factor(&q->lu);
}

/* Columns of length 1 in their coordinates, and as conditions C. */
static void normalise(newton *q)
{
    size_t n = (size_t)q->v->n, nv = (size_t)q->v->nv;
    memset(q->C, 0, sizeof *q->C * n * (size_t)q->k);
    for (size_t c = 0; c < (size_t)q->k; c++) {
        double sum = 0;
        for (size_t i = 0; i < nv; i++) sum += creal(q->Z[c * n + i] * conj(q->Z[c * n + i]));
        for (size_t i = 0; i < n; i++) q->Z[c * n + i] /= sqrt(sum);
        for (size_t i = 0; i < nv; i++) q->C[c * n + i] = q->Z[c * n + i];
    }
}

/* Newton's iteration; several modes that coincide only get their multipliers. */
static sn_status converge(newton *q, sn_err *err)
{
    size_t n = (size_t)q->v->n, size = (size_t)q->size;
    const double complex first = q->s;
    double change = INFINITY;
    for (int it = 0; it < 12; it++) {
        normalise(q);
        SN_TRY(factor(q));
        memset(q->F, 0, sizeof *q->F * size * (size_t)q->k);
        for (size_t c = 0; c < (size_t)q->k; c++) times(q, &q->v->at, 0, q->Z + c * n, -1, q->F + c * size);
        SN_TRY(sn_complex_lu_solve(&q->lu, 0, q->k, q->F));
        for (size_t c = 0; c < (size_t)q->k; c++)
            for (size_t i = 0; i < n; i++) q->Z[c * n + i] += q->F[c * size + i];
        double now = q->k == 1 ? cabs(q->F[n]) / cabs(q->s) : 0;
        if (q->k == 1) q->s += q->F[n];
        /* rounding ends the digits that are won */
        if (it && (now < 1e-15 || (now < 1e-9 && now >= 0.5 * change))) break;
        change = now;
    }
    if (!(cabs(q->s - first) < 0.05 * cabs(first)))
        return sn_fail(err, SN_ERR_NUMERIC, NULL,
                       "modes: the mode at %g Hz cannot be told from its neighbours",
                       cabs(first) / (8 * atan(1)));
    normalise(q);
    return factor(q);
}

/* The basis of coinciding modes in which a mean of all derivatives dS (np matrices of k x k) is diagonal;
   where they can be diagonal all at once, as with one parameter, all are. Z and C are turned into it. */
static sn_status part_ways(newton *q, const double complex *dS, int np)
{
    int k = q->k;
    size_t n = (size_t)q->v->n, kk = (size_t)k * (size_t)k;
    double complex *S = sn_alloc(2 * kk + (size_t)k + n * (size_t)k + 1, sizeof *S);
    if (!S) return SN_ERR_MEMORY;
    double complex *V = S + kk, *w = V + kk, *to = w + k;
    for (int p = 0; p < np; p++) {
        double top = 0;
        for (size_t i = 0; i < kk; i++) top = fmax(top, cabs(dS[(size_t)p * kk + i]));
        for (size_t i = 0; i < kk && top > 0; i++) S[i] += (1 + 0.37 * p) * dS[(size_t)p * kk + i] / top;
    }
    int bad = LAPACKE_zgeev(LAPACK_COL_MAJOR, 'N', 'V', k, S, k, w, NULL, 1, V, k);
    for (size_t c = 0; c < (size_t)k && !bad; c++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < (size_t)k; j++) to[c * n + i] += q->Z[j * n + i] * V[c * (size_t)k + j];
    if (!bad) memcpy(q->Z, to, sizeof *to * n * (size_t)k);
    sn_free(S);
    if (bad) return SN_OK; /* any basis will do */
    normalise(q);
    return factor(q);
}

/* dZ and dS by parameter p into F. */
static sn_status differentiate(newton *q, int p)
{
    size_t n = (size_t)q->v->n, size = (size_t)q->size;
    memset(q->F, 0, sizeof *q->F * size * (size_t)q->k);
    for (size_t c = 0; c < (size_t)q->k; c++) times(q, &q->v->by[p], 0, q->Z + c * n, -1, q->F + c * size);
    return sn_complex_lu_solve(&q->lu, 0, q->k, q->F);
}

static sn_status derivatives(newton *q, int which, sn_mode_jet *out)
{
    const sn_vibration *v = q->v;
    size_t n = (size_t)v->n, size = (size_t)q->size, k = (size_t)q->k, nc = (size_t)v->n_channel;
    for (int p = 0; p < v->np; p++) {
        double complex *dy = out->dy + (size_t)p * k * nc;
        if (!v->by[p].x) continue;
        SN_TRY(differentiate(q, p));
        out->ds[p] = q->F[(size_t)which * size + n + (size_t)which];
        for (size_t c = 0; c < k; c++) {
            const double complex *z = q->Z + c * n, ds = q->F[c * size + n + c];
            show(v, &v->by[p], q->s, z, dy + c * nc);
            show(v, &v->at, q->s, q->F + c * size, dy + c * nc);
            for (size_t a = 0; a < nc; a++)
                for (size_t i = 0, at = a * n; i < n; i++, at++)
                    dy[c * nc + a] += ds * (v->at.Y[1][at] + 2 * q->s * v->at.Y[2][at]) * z[i];
        }
    }
    return SN_OK;
}

static sn_status split(newton *q, sn_err *err)
{
    const sn_vibration *v = q->v;
    size_t k = (size_t)q->k, size = (size_t)q->size;
    double complex *dS = sn_alloc(k * k * (size_t)v->np + 1, sizeof *dS);
    sn_status status = dS ? SN_OK : SN_OUT_OF_MEM(err);
    for (int p = 0; p < v->np && !status; p++) {
        if (!v->by[p].x) continue;
        status = differentiate(q, p);
        for (size_t c = 0; c < k; c++)
            memcpy(dS + (size_t)p * k * k + c * k, q->F + c * size + v->n, sizeof *dS * k);
    }
    if (!status) status = part_ways(q, dS, v->np);
    sn_free(dS);
    return status;
}

sn_status sn_vibration_jet(const sn_vibration *v, sn_arena *arena, const sn_oscillations *all, int mode,
                           int derive, sn_mode_jet *out, sn_err *err)
{
    const sn_oscillation *list = all->mode;
    int first = mode, last = mode;
    const double near = 1e-7 * cabs(list[mode].s);
    while (first > 0 && cabs(list[first - 1].s - list[mode].s) < near) first--;
    while (last + 1 < all->n && cabs(list[last + 1].s - list[mode].s) < near) last++;
    newton q = {.v = v, .k = last - first + 1, .s = list[mode].s};
    size_t n = (size_t)v->n, k = (size_t)q.k, nc = (size_t)v->n_channel, np = (size_t)v->np;
    q.size = v->n + q.k;
    *out = (sn_mode_jet){.k = q.k, .which = mode - first};
    out->ds = sn_arena_alloc(arena, np + 1, sizeof *out->ds);
    out->y = sn_arena_alloc(arena, k * nc + 1, sizeof *out->y);
    out->dy = sn_arena_alloc(arena, np * k * nc + 1, sizeof *out->dy);
    sn_status status = out->ds && out->y && out->dy && SN_NEW(q.Z, n * k + 1) && SN_NEW(q.C, n * k + 1) &&
                               SN_NEW(q.F, (size_t)q.size * k + 1)
                           ? sn_complex_lu_new(q.size, &q.lu, err)
                           : SN_OUT_OF_MEM(err);
    for (size_t c = 0; c < k && !status; c++) memcpy(q.Z + c * n, list[first + (int)c].z, sizeof *q.Z * n);
    int before = sn_err_count(err);
    if (!status) status = converge(&q, err);
    if (!status && derive && q.k > 1 && np) status = split(&q, err);
    out->s = q.s;
    for (size_t c = 0; c < k && !status; c++) show(v, &v->at, q.s, q.Z + c * n, out->y + c * nc);
    if (!status && derive && np) status = derivatives(&q, out->which, out);
    if (status == SN_ERR_NUMERIC && sn_err_count(err) == before)
        sn_fail(err, status, NULL, "modes: the mode at %g Hz has no derivatives", cabs(q.s) / (8 * atan(1)));
    sn_complex_lu_free(&q.lu);
    sn_free(q.Z), sn_free(q.C), sn_free(q.F);
    return status;
}
