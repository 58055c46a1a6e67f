/* Eigenvalues of x' = A x. Zeros come in chains, A v2 = v1, A v1 = 0, and rounding would spread a chain of k
   over a circle of radius eps^(1/k): so the null space is found by an orthogonal decomposition, A is turned
   into

       Q'AQ = [0  X ]
              [0  A2]

   and again A2, until it is regular; what is left has the eigenvalues that are not zero. */
#include "analysis/state_space.h"
#include "base/room.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#undef I

/* Singular values below this part of the largest are zero: the matrix is right to about a hundred roundings.
 */
#define ZERO 1e-12

typedef struct staircase {
    int n, zeros, neutral;
    double *T, *Q; /* n x n by columns: Q'AQ */
    double *a, *b; /* n x n: scratch */
} staircase;

/* C (rows x cols) = op(A) B, A and B with leading dimension n. */
static void multiply(int n, int transposed, const double *A, const double *B, int cols, double *C)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += (transposed ? A[i * n + k] : A[k * n + i]) * B[j * n + k];
            C[j * n + i] = sum;
        }
}

sn_status sn_range(int n, double *A, double small, double *top, double *Q, int *rank, sn_err *err)
{
    lapack_int *pivot = sn_alloc((size_t)n + 1, sizeof *pivot);
    double *tau = sn_alloc((size_t)n + 1, sizeof *tau);
    int bad = !pivot || !tau;
    *rank = 0;
    bad = bad || LAPACKE_dgeqp3(LAPACK_COL_MAJOR, n, n, A, n, pivot, tau) != 0;
    if (!bad && !(*top > 0)) *top = fabs(A[0]);
    while (!bad && *rank < n && fabs(A[*rank * (n + 1)]) > small * *top) ++*rank;
    if (!bad) memcpy(Q, A, sizeof *Q * (size_t)n * (size_t)n);
    bad = bad || LAPACKE_dorgqr(LAPACK_COL_MAJOR, n, n, n, Q, n, tau) != 0;
    sn_free(pivot), sn_free(tau);
    return bad ? SN_OUT_OF_MEM(err) : SN_OK;
}

/* One stage: the null space of the last block, that is what its rows do not span, first. *found: its
 * dimension. */
static sn_status stage(staircase *t, double *top, int *found, sn_err *err)
{
    const int n = t->n, z = t->zeros, k = n - z;
    double *S = sn_alloc(2 * (size_t)k * (size_t)k + 1, sizeof *S), *Q = S + k * k;
    int rank = 0;
    if (!S) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++) S[i * k + j] = t->T[(z + j) * n + z + i];
    sn_status status = sn_range(k, S, ZERO, top, Q, &rank, err);
    *found = status ? 0 : k - rank;
    if (*found) {
        /* the last columns first, as the lower right block of an orthogonal matrix */
        memset(t->a, 0, sizeof(double) * (size_t)n * (size_t)n);
        for (int j = 0; j < z; j++) t->a[j * n + j] = 1;
        for (int j = 0; j < k; j++)
            for (int i = 0; i < k; i++)
                t->a[(z + j) * n + z + i] = Q[(j < *found ? rank + j : j - *found) * k + i];
        multiply(n, 0, t->T, t->a, n, t->b), multiply(n, 1, t->a, t->b, n, t->T);
        multiply(n, 0, t->Q, t->a, n, t->b), memcpy(t->Q, t->b, sizeof(double) * (size_t)n * (size_t)n);
        for (int j = z; j < z + *found; j++)
            for (int i = z; i < n; i++) t->T[j * n + i] = 0;
    }
    sn_free(S);
    return status;
}

static sn_status split(staircase *t, sn_err *err)
{
    double top = 0;
    int found = 1, first = 1;
    while (found && t->zeros < t->n) {
        SN_TRY(stage(t, &top, &found, err));
        if (first) t->neutral = found;
        first = 0, t->zeros += found;
    }
    return SN_OK;
}

/* A vector of the last block, completed by the part that the zeros have: (s - T11) x1 = T12 x2, T11 strictly
   upper triangular; then turned back. */
static void whole_vector(const staircase *t, double complex s, double complex *x, double complex *out)
{
    const int n = t->n;
    for (int i = t->zeros - 1; i >= 0; i--) {
        double complex sum = 0;
        for (int j = i + 1; j < n; j++) sum += t->T[j * n + i] * x[j];
        x[i] = sum / s;
    }
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int j = 0; j < n; j++) out[i] += t->Q[j * n + i] * x[j];
    }
}

/* Eigenvalues and vectors (rows of x) of B, k x k, which is overwritten. */
static sn_status plain(int k, double *B, double complex *s, double complex *x, sn_err *err)
{
    const size_t square = (size_t)k * (size_t)k;
    double *V = sn_alloc(square + 5 * (size_t)k + 1, sizeof *V), none[1], size;
    lapack_int low, high;
    if (!V) return SN_OUT_OF_MEM(err);
    double *re = V + square, *im = re + k, *scale = im + k, *rv = scale + k, *re2 = rv + k;
    int bad = LAPACKE_dgeevx(LAPACK_COL_MAJOR, 'B', 'N', 'V', 'N', k, B, k, re, im, none, 1, V, k, &low,
                             &high, scale, &size, rv, re2) != 0;
    for (int j = 0; j < k && !bad; j++) {
        const int first = im[j] < 0 ? j - 1 : j;
        s[j] = re[j] + _Complex_I * im[j];
        for (int i = 0; i < k; i++)
            x[j * k + i] =
                im[j] == 0 ? V[j * k + i]
                           : V[first * k + i] + (im[j] > 0 ? 1 : -1) * _Complex_I * V[(first + 1) * k + i];
    }
    sn_free(V);
    return bad ? sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: the eigenvalue problem could not be solved")
               : SN_OK;
}

/* B <- B^-1 by orthogonal factors; 0: it is singular. scratch: k x k. */
static int invert(int k, double *B, double *scratch)
{
    lapack_int *pivot = sn_alloc((size_t)k + 1, sizeof *pivot);
    double *tau = sn_alloc((size_t)k + 1, sizeof *tau);
    int good = pivot && tau;
    memcpy(scratch, B, sizeof *B * (size_t)k * (size_t)k);
    memset(B, 0, sizeof *B * (size_t)k * (size_t)k);
    for (int i = 0; i < k; i++) B[i * k + i] = 1;
    good = good && !LAPACKE_dgeqp3(LAPACK_COL_MAJOR, k, k, scratch, k, pivot, tau);
    good = good && !LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', k, k, k, scratch, k, tau, B, k);
    for (int i = 0; good && i < k; i++) good = scratch[i * (k + 1)] != 0;
    for (int j = 0; good && j < k; j++) {
        double *x = B + (size_t)j * (size_t)k;
        for (int c = k - 1; c >= 0; c--) {
            x[c] /= scratch[c * (k + 1)];
            for (int i = 0; i < c; i++) x[i] -= scratch[c * k + i] * x[c];
        }
        for (int i = 0; i < k; i++) tau[pivot[i] - 1] = x[i];
        memcpy(x, tau, sizeof *x * (size_t)k);
    }
    sn_free(pivot), sn_free(tau);
    return good;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where sizes lie far apart: within the widest gap of those that are neither among the smallest nor the
   largest; NAN: they do not. */
static double middle_gap(int k, double *size)
{
    double widest = 1.01, border = NAN;
    qsort(size, (size_t)k, sizeof *size, ascending);
    for (int j = 1; j < k; j++) {
        if (size[j] < 30 * size[0] || size[j - 1] > size[k - 1] / 30 || size[j] < widest * size[j - 1])
            continue;
        widest = size[j] / size[j - 1], border = sqrt(size[j] * size[j - 1]);
    }
    return border;
}

/* Rounding has the size of the largest numbers: small roots are those of the inverse, the others those of the
   matrix, where both agree on how many there are of each. */
static sn_status both_ends(int k, double *B, double complex *s, double complex *x, sn_err *err)
{
    const size_t square = (size_t)k * (size_t)k;
    double *A = sn_alloc(2 * square + 1, sizeof *A);
    double complex *t = sn_alloc(square + (size_t)k + 1, sizeof *t), *y = t + k;
    sn_status status = A && t ? SN_OK : SN_OUT_OF_MEM(err);
    if (!status) memcpy(A, B, sizeof *A * square);
    if (!status) status = plain(k, B, s, x, err);
    if (!status && invert(k, A, A + square)) status = plain(k, A, t, y, err);
    for (int j = 0; j < k && !status; j++) A[j] = cabs(s[j]), t[j] = 1 / t[j];
    const double border = status ? NAN : middle_gap(k, A);
    int small = 0, large = 0;
    for (int j = 0; j < k && !status; j++) small += cabs(t[j]) < border, large += cabs(s[j]) >= border;
    for (int j = 0, from = 0; j < k && !status && small + large == k && isfinite(border); j++) {
        if (cabs(s[j]) >= border) continue;
        while (!(cabs(t[from]) < border)) from++;
        s[j] = t[from];
        memcpy(x + j * k, y + from * k, sizeof *x * (size_t)k);
        from++;
    }
    sn_free(A), sn_free(t);
    return status;
}

static sn_status last_block(const staircase *t, sn_eigen *out, sn_err *err)
{
    const int n = t->n, z = t->zeros, k = n - z;
    const size_t square = (size_t)k * (size_t)k;
    double *B = sn_alloc(square + 1, sizeof *B);
    double complex *x = sn_alloc(square + (size_t)n + 1, sizeof *x), *one = x + square;
    sn_status status = B && x ? SN_OK : SN_OUT_OF_MEM(err);
    for (int j = 0; j < k && !status; j++)
        for (int i = 0; i < k; i++) B[j * k + i] = t->T[(z + j) * n + z + i];
    if (!status) status = both_ends(k, B, out->s, x, err);
    for (int j = 0; j < k && !status; j++) {
        memcpy(one + z, x + (size_t)j * (size_t)k, sizeof *x * (size_t)k);
        whole_vector(t, out->s[j], one, out->x + (size_t)j * (size_t)n);
    }
    sn_free(B), sn_free(x);
    return status;
}

/* States of comparable size, zeros first. */
static sn_status staircase_of(const sn_state_space *s, staircase *t, sn_err *err)
{
    const size_t n = (size_t)s->n;
    for (size_t j = 0; j < n; j++) {
        t->Q[j * n + j] = 1;
        for (size_t i = 0; i < n; i++) t->T[j * n + i] = s->A[j * n + i] * s->scale[j] / s->scale[i];
    }
    return n && !s->regular ? split(t, err) : SN_OK;
}

sn_status sn_state_space_split(const sn_state_space *s, sn_arena *arena, double **T, double **Q, int *zeros,
                               sn_err *err)
{
    size_t square = (size_t)s->n * (size_t)s->n + 1;
    staircase t = {.n = s->n};
    t.T = *T = sn_arena_alloc(arena, square, sizeof **T);
    t.Q = *Q = sn_arena_alloc(arena, square, sizeof **Q);
    t.a = sn_arena_alloc(arena, square, sizeof *t.a), t.b = sn_arena_alloc(arena, square, sizeof *t.b);
    if (!t.T || !t.Q || !t.a || !t.b) return SN_OUT_OF_MEM(err);
    SN_TRY(staircase_of(s, &t, err));
    *zeros = t.zeros;
    return SN_OK;
}

static sn_status solve(const sn_state_space *s, staircase *t, sn_arena *arena, sn_eigen *out, sn_err *err)
{
    const size_t n = (size_t)s->n;
    SN_TRY(staircase_of(s, t, err));
    out->zeros = t->zeros, out->neutral = t->neutral, out->n = s->n - t->zeros;
    out->s = sn_arena_alloc(arena, n + 1, sizeof *out->s);
    out->x = sn_arena_alloc(arena, n * (size_t)out->n + 1, sizeof *out->x);
    out->still = sn_arena_alloc(arena, n * (size_t)out->neutral + 1, sizeof *out->still);
    if (!out->s || !out->x || !out->still) return SN_OUT_OF_MEM(err);
    for (size_t k = 0; k < (size_t)out->neutral; k++)
        for (size_t i = 0; i < n; i++) out->still[k * n + i] = t->Q[k * n + i] * s->scale[i];
    if (out->n) SN_TRY(last_block(t, out, err));
    for (size_t k = 0; k < (size_t)out->n; k++)
        for (size_t i = 0; i < n; i++) out->x[k * n + i] *= s->scale[i];
    return SN_OK;
}

sn_status sn_state_space_eigen(const sn_state_space *s, sn_arena *arena, sn_eigen *out, sn_err *err)
{
    size_t square = (size_t)s->n * (size_t)s->n + 1;
    staircase t = {.n = s->n};
    *out = (sn_eigen){0};
    sn_status status = sn_has_room(0) && SN_NEW(t.T, square) && SN_NEW(t.Q, square) && SN_NEW(t.a, square) &&
                               SN_NEW(t.b, square)
                           ? solve(s, &t, arena, out, err)
                           : SN_OUT_OF_MEM(err);
    sn_free(t.T), sn_free(t.Q), sn_free(t.a), sn_free(t.b);
    return status;
}
