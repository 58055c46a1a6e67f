/* Rayleigh quotients and Ritz vectors of modes, with bounds of their errors.

   Rounding spoils every entry of K by some eps |K|, and the low end of a spectrum is small against that: of a
   cantilever of n elements w2 is some 12 EI and the entries are 12 n^3 EI, so that assembled they make an
   error of eps n^4. But an object resists no shift of all its nodes. Taken from

       x'Kx = sum over the objects of xi'K xi,    xi: what is left of x after such a shift

   that error is eps n^2. The Ritz values of a subspace depend on its error only in the square: vectors
   of the assembled matrix are good enough, and steps of inverse iteration with the residual taken in the same
   way, x - (K - s M)^-1 (K x - w2 M x), make them better where its factors are not exact.

   The error of w2 is bounded by first-order perturbation, |dw2| <= eps (sum xi'|K| xi + |mu|'|B||x|)/x'Mx,
   and by what the next step would still gain, r'(K - s M)^-1 r/x'Mx for the residual r. A mode whose |w2| is
   less than that cannot be told from a motion without resistance.

   Ritz vectors come from Jacobi's method, which keeps small eigenvalues beside large ones (Demmel and
   Veselic, SIAM J. Matrix Anal. Appl. 13, 1992). */
#include "analysis/modes.h"
#include "math/simd.h"

#include <math.h>
#include <string.h>

typedef struct block {
    sn_pencil *p;
    int n;             /* vectors */
    double *X, *Y, *W; /* vectors, K X, M X: nv each */
    double *G, *C;     /* X'KX, the rotation: n x n */
    double *w2, *error;
    double *rounding; /* of each vector: the error of x'Kx by rounding */
    double *z;        /* right-hand sides, TOGETHER columns */
} block;

enum { TOGETHER = SN_LINSOL_TOGETHER };

static void block_free(block *b)
{
    sn_free(b->Y), sn_free(b->W), sn_free(b->G), sn_free(b->C), sn_free(b->rounding), sn_free(b->z);
}

static sn_status block_new(sn_pencil *p, sn_spectrum *s, int n, block *b, sn_err *err)
{
    size_t nv = (size_t)p->d->m->nv, k = (size_t)n;
    *b = (block){.p = p, .n = n, .X = s->shape, .w2 = s->w2, .error = s->error};
    if (SN_NEW(b->Y, nv * k + 1) && SN_NEW(b->W, nv * k + 1) && SN_NEW(b->G, k * k + 1) &&
        SN_NEW(b->C, k * k + 1) && SN_NEW(b->rounding, k + 1) &&
        SN_NEW(b->z, (size_t)(p->d->m->n + 1) * TOGETHER))
        return SN_OK;
    block_free(b);
    return SN_OUT_OF_MEM(err);
}

static SN_SIMD_INLINE double dot_inline(int n, const double *x, const double *y)
{
    sn_quad sum = {0, 0, 0, 0};
    double s = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) sum += *(const sn_quad *)(x + i) * *(const sn_quad *)(y + i);
    for (; i < n; i++) s += x[i] * y[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]) + s;
}

static SN_SIMD double dot(int n, const double *x, const double *y) { return dot_inline(n, x, y); }

/* Y = K X and G = X'KX, object by object, and what rounding does to its diagonal. */
static SN_SIMD void products(block *b)
{
    sn_pencil *p = b->p;
    const sn_model *m = p->d->m;
    size_t nv = (size_t)m->nv, n = (size_t)b->n;
    memset(b->Y, 0, sizeof(double) * nv * n);
    memset(b->G, 0, sizeof(double) * n * n);
    memset(b->rounding, 0, sizeof(double) * n);
    for (int e = 0; e < m->element.n + m->joint.n; e++) {
        const sn_object *o;
        const double *K = sn_pencil_object(p, e, &o);
        const int w = o->nv;
        int any = 0;
        for (int i = 0; i < w * w && !any; i++) any = K[i] != 0;
        if (!any) continue;
        sn_pencil_gather(p, p->free[e], o, b->n, b->X, p->xi);
        for (int c = 0; c < b->n; c++) {
            double *y = p->eta + c * w, *Y = b->Y + (size_t)c * nv;
            for (int i = 0; i < w; i++) {
                y[i] = dot_inline(w, K + i * w, p->xi + c * w);
                if (o->vi[i] < m->nv) Y[o->vi[i]] += y[i];
            }
            for (int r = 0; r < b->n; r++) b->G[(size_t)c * n + (size_t)r] += dot_inline(w, p->xi + r * w, y);
            /* the numbers of x are rounded too: of its stiff part the square counts */
            for (int i = 0; i < w; i++) y[i] = o->vi[i] < m->nv ? b->X[(size_t)c * nv + (size_t)o->vi[i]] : 0;
        }
        sn_pencil_rounding(o, K, b->n, p->xi, SN_MODES_ROUNDING, b->rounding);
        sn_pencil_rounding(o, K, b->n, p->eta, DBL_EPSILON * DBL_EPSILON, b->rounding);
    }
}

/* Makes the vectors orthonormal in the masses, W = M X with them, by Gram and Schmidt, twice. Vectors that
   depend on others are left out. */
static void orthonormalise(block *b)
{
    int nv = b->p->d->m->nv, kept = 0;
    size_t width = (size_t)nv;
    for (int c = 0; c < b->n; c++) {
        double *x = b->X + (size_t)kept * width, *y = b->W + (size_t)kept * width, mass = 0, before = 0;
        if (kept < c) memcpy(x, b->X + (size_t)c * width, sizeof *x * width);
        for (int pass = 0; pass < 2; pass++) {
            sn_pencil_mass(b->p, x, y);
            before = fmax(before, dot(nv, x, y));
            for (int r = 0; r < kept; r++) {
                double part = dot(nv, b->W + (size_t)r * width, x);
                for (size_t i = 0; i < width; i++) x[i] -= part * b->X[(size_t)r * width + i];
            }
        }
        sn_pencil_mass(b->p, x, y);
        mass = dot(nv, x, y);
        if (!(mass > DBL_EPSILON * DBL_EPSILON * before)) continue;
        double f = 1 / sqrt(mass);
        for (size_t i = 0; i < width; i++) x[i] *= f, y[i] *= f;
        kept++;
    }
    b->n = kept;
}

/* Vectors r and c of A turned by t, and its rows. */
static void combine(double *A, size_t n, size_t r, size_t c, double cosine, double sine, int rows)
{
    for (size_t i = 0; i < n; i++) {
        double x = A[r * n + i], y = A[c * n + i];
        A[r * n + i] = cosine * x - sine * y, A[c * n + i] = sine * x + cosine * y;
    }
    for (size_t i = 0; i < n && rows; i++) {
        double x = A[i * n + r], y = A[i * n + c];
        A[i * n + r] = cosine * x - sine * y, A[i * n + c] = sine * x + cosine * y;
    }
}

/* One rotation of Jacobi's method; 0: there is nothing to do. */
static int turn(block *b, size_t r, size_t c)
{
    size_t n = (size_t)b->n;
    double *G = b->G, g = (G[c * n + r] + G[r * n + c]) / 2;
    double size = (fabs(G[r * n + r]) + b->rounding[r]) * (fabs(G[c * n + c]) + b->rounding[c]);
    double tau = (G[c * n + c] - G[r * n + r]) / (2 * g);
    if (fabs(g) <= DBL_EPSILON * sqrt(size) || !isfinite(tau)) return 0;
    double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau)), cosine = 1 / sqrt(1 + t * t);
    combine(G, n, r, c, cosine, t * cosine, 1);
    combine(b->C, n, r, c, cosine, t * cosine, 0);
    return 1;
}

/* x <- x C for vectors of nv */
static void mix(const block *b, double *X, double *row)
{
    size_t nv = (size_t)b->p->d->m->nv, n = (size_t)b->n;
    for (size_t i = 0; i < nv; i++) {
        for (size_t c = 0; c < n; c++) {
            row[c] = 0;
            for (size_t r = 0; r < n; r++) row[c] += X[r * nv + i] * b->C[c * n + r];
        }
        for (size_t c = 0; c < n; c++) X[c * nv + i] = row[c];
    }
}

/* What the unsymmetric part of K does to w2, to second order (to first it does nothing): into the errors.
   Returns whether that is more than can be mentioned as an error. */
static int is_unsymmetric(block *b)
{
    size_t n = (size_t)b->n;
    double low = INFINITY, *sum = b->rounding;
    for (size_t c = 0; c < n; c++) {
        double all = 0;
        for (size_t r = 0; r < n; r++) {
            double a = fabs(b->G[c * n + r] - b->G[r * n + c]) / 2, apart = fabs(b->w2[c] - b->w2[r]);
            a -= sqrt(b->error[c] * b->error[r]);
            if (r != c && a > 0) all += a < apart ? a * (a / apart) : a;
        }
        sum[c] = all;
    }
    for (size_t c = 0; c < n; c++) {
        b->error[c] += sum[c];
        if (fabs(b->w2[c]) > b->error[c]) low = fmin(low, fabs(b->w2[c]));
    }
    for (size_t c = 0; c < n; c++)
        if (sum[c] > SN_MODES_UNSURE * fmax(fabs(b->w2[c]), isfinite(low) ? low : 0)) return 1;
    return 0;
}

enum { SWEEPS = 30 };

/* Ritz values and vectors of the span of X. 0: there are none, or K is not symmetric. */
static int ritz(block *b, int *unsymmetric)
{
    orthonormalise(b);
    size_t n = (size_t)b->n, nv = (size_t)b->p->d->m->nv;
    if (!n) return 0;
    products(b);
    memset(b->C, 0, sizeof(double) * n * n);
    for (size_t c = 0; c < n; c++) b->C[c * n + c] = 1;
    for (int sweep = 0, busy = 1; busy && sweep < SWEEPS; sweep++) {
        busy = 0;
        for (size_t c = 1; c < n; c++)
            for (size_t r = 0; r < c; r++) busy |= turn(b, r, c);
    }
    mix(b, b->X, b->rounding);
    products(b);
    for (size_t c = 0; c < n; c++) {
        sn_pencil_mass(b->p, b->X + c * nv, b->W + c * nv);
        double mass = dot((int)nv, b->X + c * nv, b->W + c * nv);
        b->w2[c] = b->G[c * n + c] / mass;
        b->error[c] = b->rounding[c] / mass + DBL_EPSILON * fabs(b->w2[c]);
    }
    *unsymmetric = is_unsymmetric(b);
    return !*unsymmetric;
}

/* What rounding of the equations does to w2: their forces over the step x makes across them. */
static double rounding_of_equations(const sn_pencil *p, const double *x, const double *mu)
{
    const sn_model *m = p->d->m;
    double sum = 0;
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++)
            if (m->Ai[k] >= m->nv) sum += fabs(p->K[k] * x[j] * mu[m->Ai[k] - m->nv]);
    return 2 * SN_MODES_ROUNDING * sum;
}

/* What a Ritz value may be off, if inverse iteration from there gains `gain` = r'(K - s M)^-1 r: some w2 is
   within its root times that of w2 - s; and, as there are no others in the block, within gain enlarged by how
   much nearer than the shift the next one may be, the block's highest or beyond. */
static double remaining(double gain, double w2, double shift, double next)
{
    double root = sqrt(fabs(gain) * (fabs(w2) + fabs(shift)));
    return next > w2 ? fmin(root, fabs(gain) * (next - shift) / (next - w2)) : root;
}

/* Y -= W w2 and the solutions with it, of some vectors from c on. */
static sn_status solve_residuals(block *b, size_t c)
{
    sn_context *d = b->p->d;
    size_t nv = (size_t)d->m->nv, n = (size_t)d->m->n;
    int some = b->n - (int)c < TOGETHER ? b->n - (int)c : TOGETHER;
    memset(b->z, 0, sizeof(double) * (n + 1) * TOGETHER);
    for (size_t k = 0; k < (size_t)some; k++) {
        double *y = b->Y + (c + k) * nv, *W = b->W + (c + k) * nv;
        for (size_t i = 0; i < nv; i++) b->z[k * n + i] = y[i] -= b->w2[c + k] * W[i];
    }
    return sn_linsol_solve_together(d->ls, some, b->z);
}

/* The step of inverse iteration of all vectors, into Y, and the errors of w2: by rounding and by what is left
   to do. *more: whether the step is worth it. */
static sn_status next_step(block *b, int *more)
{
    sn_context *d = b->p->d;
    size_t nv = (size_t)d->m->nv;
    double top = 0;
    *more = 0;
    for (int c = 0; c < b->n; c++) top = fmax(top, b->w2[c]);
    for (size_t c = 0; c < (size_t)b->n; c++) {
        double *y = b->Y + c * nv, *z = b->z + c % TOGETHER * (size_t)d->m->n, gain = 0;
        if (c % TOGETHER == 0) SN_TRY(solve_residuals(b, c));
        for (size_t i = 0; i < nv; i++) gain += y[i] * z[i];
        b->error[c] += rounding_of_equations(b->p, b->X + c * nv, z + nv);
        double left = remaining(gain, b->w2[c], b->p->shift, top);
        *more |= (b->w2[c] < top ? left : fabs(gain)) > fmax(b->error[c] / 10, 1e-13 * fabs(b->w2[c]));
        b->error[c] += left;
        memcpy(y, z, sizeof(double) * nv);
    }
    return SN_OK;
}

void sn_spectrum_sort(sn_spectrum *s, int width)
{
    size_t nv = (size_t)width;
    for (int k = 0; k < s->n; k++) {
        int low = k;
        for (int i = k + 1; i < s->n; i++)
            if (s->w2[i] < s->w2[low]) low = i;
        if (low == k) continue;
        double *x = s->shape + (size_t)low * nv, *y = s->shape + (size_t)k * nv, w2 = s->w2[low],
               e = s->error[low];
        s->w2[low] = s->w2[k], s->w2[k] = w2;
        s->error[low] = s->error[k], s->error[k] = e;
        for (size_t i = 0; i < nv; i++) {
            double t = x[i];
            x[i] = y[i], y[i] = t;
        }
    }
}

/* A shift a little below zero, on the scale of the softest mode that is known to be elastic, and above the
   noise of the assembled matrix in the modes up to it. 0: none is known. */
static double shift_for(const sn_pencil *p, const sn_spectrum *s)
{
    double low = 0, noise = 0;
    for (int k = 0; k < s->n; k++) {
        double w2 = fabs(s->w2[k]);
        if (w2 > 2 * s->error[k] && (low == 0 || w2 < low)) low = w2;
    }
    for (int k = 0; k < s->n; k++)
        if (fabs(s->w2[k]) <= low)
            noise = fmax(noise, sn_pencil_noise(p, s->shape + (size_t)k * (size_t)p->d->m->nv));
    return low > 0 ? -fmax(0.37 * low, 4 * noise) : 0;
}

/* Whether a shift is so far from that of the factors that others are worth their cost */
static int far(const sn_pencil *p, double shift)
{
    return shift != 0 && (shift < 10 * p->shift || shift > p->shift / 10);
}

enum { ROUNDS = 12 };

/* Factors at a shift just above the noise of the stiffest: further away where free bodies need it. */
static sn_status first_factors(sn_pencil *p, sn_err *err)
{
    double shift = -4 * DBL_EPSILON * p->top;
    for (; shift > -1e-9 * p->top; shift *= 100)
        if (!sn_pencil_factor(p, shift, NULL)) return SN_OK;
    return sn_pencil_factor(p, shift, err);
}

/* Factors at another shift; those there are if it is not good. */
static sn_status change_shift(sn_pencil *p, double shift, sn_err *err)
{
    double was = p->shift;
    if (!sn_pencil_factor(p, shift, NULL)) return SN_OK;
    return sn_pencil_factor(p, was, err);
}

/* The lowest modes, by inverse iteration. Without factors Ritz values must do. */
static sn_status improve(block *b, sn_spectrum *s)
{
    sn_pencil *p = b->p;
    size_t nv = (size_t)p->d->m->nv;
    if (p->shift == 0 && first_factors(p, NULL)) {
        if (ritz(b, &s->unsymmetric)) s->n = b->n;
        return SN_OK;
    }
    for (int round = 0, more = 1; round < ROUNDS && more; round++) {
        if (!ritz(b, &s->unsymmetric)) return SN_OK;
        s->n = b->n;
        SN_TRY(next_step(b, &more));
        if (round + 1 == ROUNDS) break;
        for (size_t i = 0; i < nv * (size_t)b->n && more; i++) b->X[i] -= b->Y[i];
        double shift = shift_for(p, s);
        if (more && far(p, shift)) SN_TRY(change_shift(p, shift, NULL));
    }
    return SN_OK;
}

sn_status sn_modes_refine(sn_pencil *p, sn_spectrum *s, int n, sn_err *err)
{
    int nv = p->d->m->nv;
    for (int from = 0; from < n && !s->unsymmetric; from += SN_MODES_CHUNK) {
        int size = n - from < SN_MODES_CHUNK ? n - from : SN_MODES_CHUNK;
        sn_spectrum part = {.w2 = s->w2 + from,
                            .shape = s->shape + (size_t)from * (size_t)nv,
                            .error = s->error + from,
                            .n = size};
        block b;
        SN_TRY(block_new(p, &part, size, &b, err));
        sn_status status = from == 0 ? improve(&b, &part) : SN_OK;
        if (from > 0 && ritz(&b, &part.unsymmetric)) part.n = b.n;
        s->unsymmetric = part.unsymmetric;
        if (part.n < size) s->n = n = from + part.n; /* some depend on others */
        block_free(&b);
        SN_TRY(status);
    }
    return SN_OK;
}

sn_status sn_modes_find_shift(sn_pencil *p, sn_spectrum *s, sn_err *err)
{
    size_t nv = (size_t)p->d->m->nv;
    block b;
    SN_TRY(block_new(p, s, s->n, &b, err));
    sn_status status = first_factors(p, err);
    /* vectors without a pattern that obey the equations: solutions */
    for (size_t c = 0; c < (size_t)s->n && !status; c++) {
        memset(b.z, 0, sizeof(double) * (size_t)(p->d->m->n + 1));
        for (size_t i = 0; i < nv; i++) b.W[i] = sin(1.0 + 1.7 * (double)i + 0.9 * (double)(c * (i % 7 + 1)));
        sn_pencil_mass(p, b.W, b.z);
        status = sn_linsol_solve(p->d->ls, 0, 1, b.z);
        memcpy(b.X + c * nv, b.z, sizeof(double) * nv);
    }
    for (int round = 0; round < ROUNDS && !status; round++) {
        int more;
        if (!ritz(&b, &s->unsymmetric)) break;
        s->n = b.n;
        status = next_step(&b, &more);
        if (status) break;
        double next = shift_for(p, s);
        if (next != 0 && !far(p, next)) break;
        for (size_t i = 0; i < nv * (size_t)b.n; i++) b.X[i] -= b.Y[i];
        if (next != 0) status = change_shift(p, next, err);
    }
    block_free(&b);
    return status;
}
