/* The basis without the rigid-body motions, orthonormal with the mass and the stiffness: all of it, whatever
   the frequency; what a static mode adds to the flexibility of a body belongs to high ones. */
#include "math/rot3.h"
#include "reduce/reduce.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

typedef struct reduced {
    int nr, nd;
    double *K, *M; /* nr x nr, scaled to a unit diagonal of M */
    double *f;     /* scales */
    double *c, *Q; /* nr x 6; nr x nr, its last nd columns orthogonal to M c */
    double *A, *G, *w2, *T;
} reduced;

/* W = V'S V with S sparse */
static sn_status project(const sn_basis *b, const sn_sparse *S, double *W, sn_err *err)
{
    const size_t z = (size_t)b->T.z;
    const int n = b->nr;
    double *y = sn_alloc(z + 1, sizeof *y);
    if (!y) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < n; j++) {
        sn_sparse_times(S, 1, b->V + (size_t)j * z, y);
        for (int i = 0; i <= j; i++) {
            const double *v = b->V + (size_t)i * z;
            double sum = 0;
            for (size_t k = 0; k < z; k++) sum += v[k] * y[k];
            W[j * n + i] = W[i * n + j] = sum;
        }
    }
    sn_free(y);
    return SN_OK;
}

/* C = A'B, n x a and n x b */
static void cross_product(int n, const double *A, int a, const double *B, int b, double *C)
{
    for (int j = 0; j < b; j++)
        for (int i = 0; i < a; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += A[(size_t)i * (size_t)n + (size_t)k] * B[(size_t)j * (size_t)n + (size_t)k];
            C[(size_t)j * (size_t)a + (size_t)i] = sum;
        }
}

/* C = Q2'S Q2, T scratch */
static void inside(const reduced *r, const double *S, double *C)
{
    const int n = r->nr, rest = r->nd;
    const double *Q = r->Q + (size_t)(n - rest) * (size_t)n;
    cross_product(n, S, n, Q, rest, r->T);
    cross_product(n, Q, rest, r->T, rest, C);
}

static sn_status scale(reduced *r, sn_err *err)
{
    const int n = r->nr;
    for (int i = 0; i < n; i++) {
        if (!(r->M[i * n + i] > 0))
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "some deformation of the body has no mass: its mass matrix is not positive");
        r->f[i] = 1 / sqrt(r->M[i * n + i]);
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            r->M[j * n + i] *= r->f[i] * r->f[j], r->K[j * n + i] *= r->f[i] * r->f[j];
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < n; i++) r->c[k * n + i] /= r->f[i];
    return SN_OK;
}

/* Largest w2 of a rigid-body motion: rounding, unless the body is held. mass: R'M R */
static sn_status rigid_stiffness(const sn_basis *b, double *top, double *mass, sn_err *err)
{
    const int z = b->T.z;
    double k[36], m[36], e[6], *y = sn_alloc(6 * (size_t)z + 1, sizeof *y);
    if (!y) return SN_OUT_OF_MEM(err);
    sn_sparse_times(&b->K, 6, b->R, y);
    cross_product(z, b->R, 6, y, 6, k);
    sn_sparse_times(&b->M, 6, b->R, y);
    cross_product(z, b->R, 6, y, 6, mass);
    sn_free(y);
    memcpy(m, mass, sizeof m);
    if (LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'N', 'U', 6, k, 6, m, 6, e))
        return sn_fail(err, SN_ERR_INPUT, NULL, "the body has no mass in one of its six rigid-body motions");
    *top = fmax(fabs(e[0]), fabs(e[5]));
    return SN_OK;
}

/* A rigid body's: the same mass along each axis, which its forces know as one */
static sn_status check_mass(const double *m, sn_err *err)
{
    const double mean = (m[0] + m[7] + m[14]) / 3;
    for (int k = 0; k < 3; k++)
        if (!(fabs(m[7 * k] - mean) <= 1e-6 * mean) || fabs(m[6 * k + (k + 1) % 3]) > 1e-6 * mean)
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "the mass matrix is not that of a free body: its mass is %.6g along x, %.6g along "
                           "y, %.6g along z",
                           m[0], m[7], m[14]);
    return SN_OK;
}

static sn_status judge(const reduced *r, double rigid, sn_err *err)
{
    const double pi = 3.14159265358979323846, most = r->nd ? r->w2[r->nd - 1] : 0,
                 noise = 1e-13 * r->nr * most;
    int loose = 0;
    for (int k = 0; k < r->nd; k++) loose += r->w2[k] <= fmax(noise, fmin(10 * rigid, 1e-11 * most));
    if (r->nd && r->w2[0] < -noise)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "the body is not stable: a deformation has a negative stiffness");
    if (r->nd && rigid > 1e-6 * fabs(r->w2[loose < r->nd ? loose : 0]) && rigid > noise)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "the body resists rigid-body motions (%.3g Hz, its first mode is %.3g Hz): it is held "
                       "somewhere, or under forces that are not in equilibrium; reduce it without supports",
                       sqrt(rigid) / (2 * pi), sqrt(fabs(r->w2[0])) / (2 * pi));
    if (loose)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "the body is a mechanism: besides rigid-body motions %d motion%s no resistance", loose,
                       loose > 1 ? "s meet" : " meets");
    return SN_OK;
}

/* Q: an orthonormal basis that begins with the span of M c */
static sn_status complement(reduced *r, sn_err *err)
{
    const int n = r->nr;
    double tau[6];
    cross_product(n, r->M, n, r->c, 6, r->Q);
    if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, n, 6, r->Q, n, tau) ||
        LAPACKE_dorgqr(LAPACK_COL_MAJOR, n, n, 6, r->Q, n, tau))
        return SN_OUT_OF_MEM(err);
    return SN_OK;
}

static sn_status solve(sn_basis *b, reduced *r, sn_err *err)
{
    double rigid = 0, mass[36];
    SN_TRY(project(b, &b->K, r->K, err));
    SN_TRY(project(b, &b->M, r->M, err));
    memcpy(r->c, b->c, sizeof *r->c * 6 * (size_t)r->nr);
    for (int i = 0; i < r->nr * r->nr; i++)
        if (!isfinite(r->K[i]) || !isfinite(r->M[i]))
            return sn_fail(err, SN_ERR_NUMERIC, NULL, "the reduced matrices are not finite");
    SN_TRY(scale(r, err));
    SN_TRY(rigid_stiffness(b, &rigid, mass, err));
    SN_TRY(check_mass(mass, err));
    SN_TRY(complement(r, err));
    inside(r, r->K, r->A);
    inside(r, r->M, r->G);
    if (r->nd && LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'U', r->nd, r->A, r->nd, r->G, r->nd, r->w2))
        return sn_fail(err, SN_ERR_NUMERIC, NULL,
                       "the modes are not independent of each other, or some deformation has no mass");
    return judge(r, rigid, err);
}

/* Z = V f Q2 A */
static void shapes(sn_basis *b, const reduced *r)
{
    const size_t z = (size_t)b->T.z;
    const int n = r->nr;
    const double *Q = r->Q + 6 * (size_t)n;
    for (int k = 0; k < r->nd; k++) {
        double *x = b->Z + (size_t)k * z;
        for (int i = 0; i < n; i++) {
            double y = 0;
            for (int j = 0; j < r->nd; j++) y += Q[j * n + i] * r->A[k * r->nd + j];
            y *= r->f[i];
            for (size_t l = 0; l < z; l++) x[l] += y * b->V[(size_t)i * z + l];
        }
        b->w2[k] = fmax(r->w2[k], 0);
    }
}

sn_status sn_basis_orthogonalise(sn_basis *b, sn_err *err)
{
    const int n = b->nr;
    const size_t square = (size_t)n * (size_t)n + 1;
    reduced r = {.nr = n, .nd = n - 6};
    b->nd = r.nd;
    b->Z = sn_arena_alloc(b->arena, (size_t)b->T.z * (size_t)b->nd + 1, sizeof *b->Z);
    b->w2 = sn_arena_alloc(b->arena, (size_t)b->nd + 1, sizeof *b->w2);
    double *block = sn_alloc(6 * square + 9 * (size_t)n, sizeof *block);
    sn_status s = b->Z && b->w2 && block ? SN_OK : SN_OUT_OF_MEM(err);
    if (!s) {
        r.K = block, r.M = r.K + square, r.Q = r.M + square, r.A = r.Q + square, r.G = r.A + square;
        r.T = r.G + square, r.f = r.T + square, r.w2 = r.f + n, r.c = r.w2 + n;
        s = solve(b, &r, err);
    }
    if (!s) shapes(b, &r);
    sn_free(block);
    return s;
}
