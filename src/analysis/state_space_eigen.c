/* Eigenvalues of x' = A x. Zeros come in chains, A v2 = v1, A v1 = 0, and rounding would spread a chain of k
   over a circle of radius eps^(1/k): so the null space is found by singular values, A is turned into

       Q'AQ = [0  X ]
              [0  A2]

   and again A2, until it is regular; what is left has the eigenvalues that are not zero. */
#include "analysis/state_space.h"

#include <lapacke.h>
#include <math.h>
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

/* One stage: the null space of the last block first. *found: its dimension. */
static sn_status stage(staircase *t, double *top, int *found, sn_err *err)
{
    const int n = t->n, z = t->zeros, k = n - z;
    double *S = sn_alloc((size_t)k * (size_t)k * 3 + (size_t)k + 1, sizeof *S), *U = S + k * k,
           *Vt = U + k * k, *s = Vt + k * k;
    *found = 0;
    if (!S) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++) S[j * k + i] = t->T[(z + j) * n + z + i];
    if (LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'A', k, k, S, k, s, U, k, Vt, k)) {
        sn_free(S);
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: the eigenvalue problem could not be solved");
    }
    if (*top == 0) *top = s[0];
    while (*found < k && s[k - 1 - *found] <= ZERO * *top) ++*found;
    if (*found) {
        /* V with its last columns first, as the lower right block of an orthogonal matrix */
        memset(t->a, 0, sizeof(double) * (size_t)n * (size_t)n);
        for (int j = 0; j < z; j++) t->a[j * n + j] = 1;
        for (int j = 0; j < k; j++)
            for (int i = 0; i < k; i++)
                t->a[(z + j) * n + z + i] = Vt[i * k + (j < *found ? k - 1 - j : j - *found)];
        multiply(n, 0, t->T, t->a, n, t->b), multiply(n, 1, t->a, t->b, n, t->T);
        multiply(n, 0, t->Q, t->a, n, t->b), memcpy(t->Q, t->b, sizeof(double) * (size_t)n * (size_t)n);
        for (int j = z; j < z + *found; j++)
            for (int i = z; i < n; i++) t->T[j * n + i] = 0;
    }
    sn_free(S);
    return SN_OK;
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

static sn_status last_block(const staircase *t, sn_eigen *out, sn_err *err)
{
    const int n = t->n, z = t->zeros, k = n - z;
    size_t square = (size_t)k * (size_t)k;
    double *B = sn_alloc(2 * square + 6 * (size_t)k + 1, sizeof *B), none[1], size;
    double complex *x = sn_alloc((size_t)n + 1, sizeof *x);
    if (!B || !x) {
        sn_free(B), sn_free(x);
        return SN_OUT_OF_MEM(err);
    }
    double *V = B + square, *re = V + square, *im = re + k, *scale = im + k, *rv = scale + k, *re2 = rv + k;
    lapack_int low, high;
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++) B[j * k + i] = t->T[(z + j) * n + z + i];
    int bad = LAPACKE_dgeevx(LAPACK_COL_MAJOR, 'B', 'N', 'V', 'N', k, B, k, re, im, none, 1, V, k, &low,
                             &high, scale, &size, rv, re2) != 0;
    for (int j = 0; j < k && !bad; j++) {
        const int first = im[j] < 0 ? j - 1 : j;
        out->s[j] = re[j] + _Complex_I * im[j];
        for (int i = 0; i < k; i++)
            x[z + i] = im[j] == 0
                           ? V[j * k + i]
                           : V[first * k + i] + (im[j] > 0 ? 1 : -1) * _Complex_I * V[(first + 1) * k + i];
        whole_vector(t, out->s[j], x, out->x + (size_t)j * (size_t)n);
    }
    sn_free(B), sn_free(x);
    return bad ? sn_fail(err, SN_ERR_NUMERIC, NULL, "modes: the eigenvalue problem could not be solved")
               : SN_OK;
}

/* States of comparable size, zeros first. */
static sn_status staircase_of(const sn_state_space *s, staircase *t, sn_err *err)
{
    const size_t n = (size_t)s->n;
    for (size_t j = 0; j < n; j++) {
        t->Q[j * n + j] = 1;
        for (size_t i = 0; i < n; i++) t->T[j * n + i] = s->A[j * n + i] * s->scale[j] / s->scale[i];
    }
    return n ? split(t, err) : SN_OK;
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
    sn_status status =
        SN_NEW(t.T, square) && SN_NEW(t.Q, square) && SN_NEW(t.a, square) && SN_NEW(t.b, square)
            ? solve(s, &t, arena, out, err)
            : SN_OUT_OF_MEM(err);
    sn_free(t.T), sn_free(t.Q), sn_free(t.a), sn_free(t.b);
    return status;
}
