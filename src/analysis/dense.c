/* Dense matrices: see dense.h. */
#include "analysis/dense.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

sn_dense sn_dense_new(sn_arena *a, int rows, int cols)
{
    return (sn_dense){rows, cols, sn_arena_alloc(a, (size_t)rows * (size_t)cols + 1, sizeof(double))};
}

void sn_dense_add_product(double f, const sn_dense *A, const sn_dense *B, sn_dense *C)
{
    for (int j = 0; j < B->cols; j++)
        for (int k = 0; k < A->cols; k++) {
            double b = f * *sn_dense_at(B, k, j);
            const double *a = sn_dense_at(A, 0, k);
            double *c = sn_dense_at(C, 0, j);
            for (int i = 0; b != 0 && i < A->rows; i++) c[i] += a[i] * b;
        }
}

sn_dense sn_dense_product(sn_arena *arena, double f, const sn_dense *A, const sn_dense *B)
{
    sn_dense C = sn_dense_new(arena, A->rows, B->cols);
    if (C.x) sn_dense_add_product(f, A, B, &C);
    return C;
}

sn_dense sn_dense_transpose(sn_arena *arena, const sn_dense *A)
{
    sn_dense T = sn_dense_new(arena, A->cols, A->rows);
    for (int j = 0; T.x && j < A->cols; j++)
        for (int i = 0; i < A->rows; i++) *sn_dense_at(&T, j, i) = *sn_dense_at(A, i, j);
    return T;
}

static void unit_rows(sn_dense *B)
{
    for (int i = 0; i < B->rows; i++) {
        double sum = 0;
        for (int j = 0; j < B->cols; j++) sum = hypot(sum, *sn_dense_at(B, i, j));
        for (int j = 0; sum > 0 && j < B->cols; j++) *sn_dense_at(B, i, j) /= sum;
    }
}

void sn_back_substitution(const sn_dense *A, int n, double *x)
{
    for (int k = n - 1; k >= 0; k--) {
        x[k] /= *sn_dense_at(A, k, k);
        for (int i = 0; i < k; i++) x[i] -= *sn_dense_at(A, i, k) * x[k];
    }
}

sn_status sn_null_space_of(sn_arena *arena, const sn_dense *given, const double *weight, double small,
                           sn_null_space *out, sn_err *err)
{
    const int m = given->rows, n = given->cols, most = m < n ? m : n;
    sn_dense B = sn_dense_new(arena, m, n);
    lapack_int *pivot = sn_arena_alloc(arena, (size_t)n + 1, sizeof *pivot);
    double *tau = sn_arena_alloc(arena, (size_t)most + 1, sizeof *tau);
    out->kept = sn_arena_alloc(arena, (size_t)n + 1, sizeof *out->kept);
    if (!B.x || !pivot || !tau || !out->kept) return SN_OUT_OF_MEM(err);
    memcpy(B.x, given->x, sizeof(double) * (size_t)m * (size_t)n);
    unit_rows(&B);
    for (int j = 0; weight && j < n; j++)
        for (int i = 0; i < m; i++) *sn_dense_at(&B, i, j) *= weight[j];
    int r = 0;
    for (int j = 0; j < n; j++) pivot[j] = 0;
    if (m && n && LAPACKE_dgeqp3(LAPACK_COL_MAJOR, m, n, B.x, m, pivot, tau)) return SN_OUT_OF_MEM(err);
    for (int j = 0; !(m && n) && j < n; j++) pivot[j] = j + 1;
    while (r < most && fabs(*sn_dense_at(&B, r, r)) > small * fabs(B.x[0])) r++;
    out->rank = r;
    out->Z = sn_dense_new(arena, n, n - r);
    if (!out->Z.x) return SN_OUT_OF_MEM(err);
    for (int j = r; j < n; j++) sn_back_substitution(&B, r, sn_dense_at(&B, 0, j));
    for (int j = 0; j < n - r; j++) {
        int to = pivot[r + j] - 1;
        out->kept[j] = to;
        *sn_dense_at(&out->Z, to, j) = 1;
        for (int i = 0; i < r; i++) {
            int from = pivot[i] - 1;
            double f = weight ? weight[from] / weight[to] : 1;
            *sn_dense_at(&out->Z, from, j) = -f * *sn_dense_at(&B, i, r + j);
        }
    }
    return SN_OK;
}

double sn_dense_norm(const sn_dense *A)
{
    double sum = 0;
    for (size_t i = 0; i < (size_t)A->rows * (size_t)A->cols; i++) sum = hypot(sum, A->x[i]);
    return sum;
}

sn_dense sn_dense_rows_by(sn_arena *arena, const sn_dense *U, int from, int to, const sn_dense *A)
{
    sn_dense R = sn_dense_new(arena, to - from, A->cols);
    for (int j = 0; R.x && j < A->cols; j++)
        for (int i = from; i < to; i++) {
            double sum = 0;
            for (int k = 0; k < A->rows; k++) sum += *sn_dense_at(U, k, i) * *sn_dense_at(A, k, j);
            *sn_dense_at(&R, i - from, j) = sum;
        }
    return R;
}

sn_dense sn_dense_beside(sn_arena *arena, const sn_dense *A, const sn_dense *B)
{
    sn_dense C = sn_dense_new(arena, A->rows, A->cols + B->cols);
    if (!C.x) return C;
    memcpy(C.x, A->x, sizeof(double) * (size_t)A->rows * (size_t)A->cols);
    memcpy(C.x + (size_t)A->rows * (size_t)A->cols, B->x, sizeof(double) * (size_t)B->rows * (size_t)B->cols);
    return C;
}
