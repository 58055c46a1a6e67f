/* Modes to the last digit, and their derivatives. Newton's method with the whole matrix,

       [ T(s)  T'(s) Z ] [ dZ ]   [ -T(s) Z ]
       [ Z^H      0    ] [ dS ] = [    0    ]

   and the same matrix gives the derivatives: -dT Z in place of -T Z. Modes that coincide are taken together,
   Z their vectors: what is differentiable is their space, and dS, of as many rows, holds how they part. Where
   they have not as many vectors (defective) there is no derivative: the left vector w, w'T = 0, then has
   w'T'(s) z = 0. */
#include "sensitivity/complex_lu.h"
#include "sensitivity/vibration.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

void sn_vibration_show(const sn_vibration *v, const sn_vibration_matrices *by, double complex s,
                       const double complex *z, double complex *y)
{
    size_t n = (size_t)v->n;
    for (size_t c = 0; c < (size_t)v->n_channel; c++)
        for (size_t i = 0, at = c * n; i < n; i++, at++)
            y[c] += (by->Y[0][at] + s * (by->Y[1][at] + s * by->Y[2][at])) * z[i];
}

typedef struct newton {
    const sn_vibration *v;
    int k, size;                  /* vectors, n + k */
    double little;                /* |s| below which only absolute errors count */
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
        double now = q->k == 1 ? cabs(q->F[n]) / fmax(cabs(q->s), q->little) : 0;
        if (q->k == 1) q->s += q->F[n];
        /* rounding ends the digits that are won */
        if (it && (now < 1e-15 || (now < 1e-9 && now >= 0.5 * change))) break;
        change = now;
    }
    if (!(cabs(q->s - first) < 0.05 * fmax(cabs(first), q->little)))
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
            sn_vibration_show(v, &v->by[p], q->s, z, dy + c * nc);
            sn_vibration_show(v, &v->at, q->s, q->F + c * size, dy + c * nc);
            for (size_t a = 0; a < nc; a++)
                for (size_t i = 0, at = a * n; i < n; i++, at++)
                    dy[c * nc + a] += ds * (v->at.Y[1][at] + 2 * q->s * v->at.Y[2][at]) * z[i];
        }
    }
    return SN_OK;
}

/* How far eigenvalue and left vector are from a defective one: |w'T'z| over the sum of the sizes of its
   products, 1 at best. By [T T'Z; Z^H 0]' (w, .) = (0, e_c), which makes w'T'z = 1. */
static double well_posed(newton *q, size_t c)
{
    size_t n = (size_t)q->v->n, size = (size_t)q->size;
    double complex *Tz = q->F + size;
    double sum = 0;
    memset(q->F, 0, sizeof *q->F * 2 * size);
    q->F[n + c] = 1;
    times(q, &q->v->at, 1, q->Z + c * n, 1, Tz);
    if (sn_complex_lu_solve(&q->lu, 1, 1, q->F)) return 0;
    for (size_t i = 0; i < n; i++) sum += cabs(q->F[i]) * cabs(Tz[i]);
    return isfinite(sum) ? 1 / sum : 0;
}

/* A defective eigenvalue of multiplicity k is known to eps^(1/k) of itself only, and w'T'z is of that size.
 */
#define DEFECTIVE 3e-6

static sn_status defective(newton *q, int number, sn_err *err)
{
    for (size_t c = 0; c < (size_t)q->k; c++)
        if (well_posed(q, c) < DEFECTIVE)
            return sn_fail(err, SN_ERR_NUMERIC, NULL,
                           "eigenvalue %d (%.9g %+.9gi) is defective: its derivative does not exist", number,
                           creal(q->s), cimag(q->s));
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
    q.little = 1e-6 * cabs(list[all->n - 1].s);
    size_t n = (size_t)v->n, k = (size_t)q.k, nc = (size_t)v->n_channel, np = (size_t)v->np;
    q.size = v->n + q.k;
    *out = (sn_mode_jet){.k = q.k, .which = mode - first};
    out->ds = sn_arena_alloc(arena, np + 1, sizeof *out->ds);
    out->y = sn_arena_alloc(arena, k * nc + 1, sizeof *out->y);
    out->dy = sn_arena_alloc(arena, np * k * nc + 1, sizeof *out->dy);
    sn_status status = out->ds && out->y && out->dy && SN_NEW(q.Z, n * k + 1) && SN_NEW(q.C, n * k + 1) &&
                               SN_NEW(q.F, (size_t)q.size * (k + 1) + 1)
                           ? sn_complex_lu_new(q.size, &q.lu, err)
                           : SN_OUT_OF_MEM(err);
    for (size_t c = 0; c < k && !status; c++) memcpy(q.Z + c * n, list[first + (int)c].z, sizeof *q.Z * n);
    int before = sn_err_count(err);
    if (!status) status = converge(&q, err);
    if (!status && derive && np) status = defective(&q, mode + 1, err);
    if (!status && derive && q.k > 1 && np) status = split(&q, err);
    out->s = q.s;
    for (size_t c = 0; c < k && !status; c++) sn_vibration_show(v, &v->at, q.s, q.Z + c * n, out->y + c * nc);
    if (!status && derive && np) status = derivatives(&q, out->which, out);
    if (status == SN_ERR_NUMERIC && sn_err_count(err) == before)
        sn_fail(err, status, NULL, "eigenvalue %d (%.9g %+.9gi) is defective: its derivative does not exist",
                mode + 1, creal(q.s), cimag(q.s));
    out->z = sn_arena_alloc(arena, n * k + 1, sizeof *out->z);
    if (!out->z && !status) status = SN_OUT_OF_MEM(err);
    if (!status) memcpy(out->z, q.Z, sizeof *q.Z * n * k);
    sn_complex_lu_free(&q.lu);
    sn_free(q.Z), sn_free(q.C), sn_free(q.F);
    return status;
}
