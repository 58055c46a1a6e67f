/* Multifrontal factors: matrices without good pivots on the diagonal, wild scales, counts of negative
 * eigenvalues, and the same bits for any number of threads. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linsol/linsol.h"
#include "linsol_matrices.h"

/* One step of refinement brings the backward error of every row to a few roundings, plain and transposed. */
static void check_backward(sn_linsol *ls, matrix A)
{
    size_t n = (size_t)A.n;
    double *b = malloc(n * 8), *x = malloc(n * 8);
    for (int transposed = 0; transposed < 2; transposed++) {
        double *ref = malloc(n * 8), size = 0;
        for (size_t i = 0; i < n; i++) x[i] = b[i] = uniform();
        reference(A, transposed, b, ref);
        assert_int_equal(sn_linsol_solve_refined(ls, transposed, 1, x), SN_OK);
        for (size_t i = 0; i < n; i++) size = fmax(size, fabs(ref[i]));
        for (size_t i = 0; i < n; i++) assert_true(fabs(x[i] - ref[i]) <= 1e-9 * size);
        free(ref);
        assert_true(backward_error(A, transposed, x, b) <= 20 * DBL_EPSILON);
    }
    free(b);
    free(x);
}

static void factor_and_check(matrix A)
{
    sn_linsol *ls;
    int column;
    assert_int_equal(sn_linsol_new("multifrontal", A.n, A.Ap, A.Ai, &ls, NULL), SN_OK);
    assert_int_equal(sn_linsol_factor(ls, A.Ax, &column, NULL), SN_OK);
    assert_int_equal(column, -1);
    check_backward(ls, A);
    sn_linsol_free(ls);
}

/* A permutation in cycles of `length`: no pivot of one or two rows is on the diagonal where they are longer
 * than two. */
static void no_pivot_on_the_diagonal(void **state)
{
    (void)state;
    enum { N = 60 };
    for (int length = 2; length <= 20; length++) {
        double D[N * N] = {0};
        seed = (uint64_t)length;
        for (int i = 0; i < N; i++) {
            int from = i - i % length, in = i % length, next = from + (in + 1) % length;
            if (next >= N) next = from;
            D[next + N * i] = 1 + uniform() / 2;
            if (i >= length) D[i + N * (i - length)] = 0.1 * uniform();
        }
        matrix A = from_dense(N, D);
        factor_and_check(A);
        free_matrix(A);
    }
}

/* [0 B; B' 0], B lower triangular: every pivot has two rows. */
static void pairs_alone(void **state)
{
    (void)state;
    enum { M = 25, N = 2 * M };
    double D[N * N] = {0};
    seed = 8;
    for (int i = 0; i < M; i++)
        for (int j = 0; j <= i; j++)
            if (i == j || (i + j) % 3 == 0)
                D[i + N * (M + j)] = D[M + j + N * i] = (i == j) + 0.3 * uniform();
    matrix A = from_dense(N, D);
    sn_linsol *ls;
    int negative;
    factor_and_check(A);
    assert_int_equal(sn_linsol_inertia(A.n, A.Ap, A.Ai, A.Ax, &negative, NULL), SN_OK);
    assert_int_equal(negative, M);
    assert_int_equal(sn_linsol_new("multifrontal", A.n, A.Ap, A.Ai, &ls, NULL), SN_OK);
    assert_int_equal(sn_linsol_count_negative(ls, A.Ax, &negative, NULL), SN_OK);
    assert_int_equal(negative, M);
    double b[N] = {0};
    assert_int_equal(sn_linsol_solve(ls, 0, 1, b), SN_ERR_BUG); /* there are no factors */
    assert_int_equal(sn_linsol_factor(ls, A.Ax, NULL, NULL), SN_OK);
    check_backward(ls, A);
    sn_linsol_free(ls);
    free_matrix(A);
}

/* Equations of motion in other units: rows and columns scaled by up to 1e8, symmetrically and not. */
static void wild_scales(void **state)
{
    (void)state;
    for (int turn = 0; turn < 20; turn++) {
        seed = (uint64_t)turn + 40;
        matrix A = kkt(40 + 5 * turn, 13 + turn, turn % 2 ? 1 : 1e3);
        double *r = malloc((size_t)A.n * 8), *c = malloc((size_t)A.n * 8);
        for (int i = 0; i < A.n; i++)
            r[i] = pow(10, 8 * uniform()), c[i] = turn % 3 ? r[i] : pow(10, 8 * uniform());
        for (int j = 0; j < A.n; j++)
            for (int p = A.Ap[j]; p < A.Ap[j + 1]; p++) A.Ax[p] *= r[A.Ai[p]] * c[j];
        factor_and_check(A);
        free(r);
        free(c);
        free_matrix(A);
    }
}

/* Against LAPACK's factors of the whole matrix. */
static void negative_eigenvalues(void **state)
{
    (void)state;
    for (int turn = 0; turn < 20; turn++) {
        seed = (uint64_t)turn + 70;
        matrix A = kkt(60, 10 + turn, 1);
        int negative[2];
        const char *const name[] = {"dense", "multifrontal"};
        /* symmetric, with a diagonal of both signs */
        for (int j = 0; j < A.n; j++)
            for (int p = A.Ap[j]; p < A.Ap[j + 1]; p++) {
                const int i = A.Ai[p];
                for (int q = A.Ap[i]; i > j && q < A.Ap[i + 1]; q++)
                    if (A.Ai[q] == j) A.Ax[q] = A.Ax[p];
                if (i == j && j % (turn + 2) == 0) A.Ax[p] *= -1;
            }
        for (int k = 0; k < 2; k++) {
            sn_linsol *ls;
            assert_int_equal(sn_linsol_new(name[k], A.n, A.Ap, A.Ai, &ls, NULL), SN_OK);
            assert_int_equal(sn_linsol_count_negative(ls, A.Ax, &negative[k], NULL), SN_OK);
            sn_linsol_free(ls);
        }
        assert_int_equal(negative[0], negative[1]);
        assert_true(negative[0] >= 10 + turn / 2);
        free_matrix(A);
    }
}

/* Solutions by teams of 1 to 4, bit by bit, with columns alone and side by side. */
static void same_bits(void **state)
{
    (void)state;
    enum { NRHS = 6 };
    matrix A[] = {cube(13), chain(900), linked_nodes(50, 6, 4, 5), random_sparse(300, 3)};
    for (size_t k = 0; k < sizeof A / sizeof *A; k++) {
        size_t numbers = NRHS * (size_t)A[k].n;
        double *one = malloc(numbers * 8), *x = malloc(numbers * 8);
        for (int symmetric = 0; symmetric < 2; symmetric++) {
            for (int threads = 1; threads <= 4; threads++) {
                sn_linsol *ls;
                sn_team *team;
                assert_int_equal(sn_team_new(threads, &team, NULL), SN_OK);
                assert_int_equal(sn_linsol_new("multifrontal", A[k].n, A[k].Ap, A[k].Ai, &ls, NULL), SN_OK);
                if (threads > 1) sn_linsol_share(ls, team);
                assert_int_equal(sn_linsol_factor(ls, A[k].Ax, NULL, NULL), SN_OK);
                for (size_t i = 0; i < numbers; i++) x[i] = sin((double)i);
                assert_int_equal(sn_linsol_solve(ls, 0, NRHS / 2, x), SN_OK);
                for (size_t c = NRHS / 2; c < NRHS; c++)
                    assert_int_equal(sn_linsol_solve(ls, 1, 1, x + c * (size_t)A[k].n), SN_OK);
                if (threads == 1) memcpy(one, x, numbers * 8);
                assert_memory_equal(one, x, numbers * 8);
                sn_linsol_free(ls);
                sn_team_free(team);
            }
            /* once more with a matrix that is its own transposed */
            for (int j = 0; j < A[k].n; j++)
                for (int p = A[k].Ap[j]; p < A[k].Ap[j + 1]; p++)
                    A[k].Ax[p] = A[k].Ai[p] == j ? 30 : sin((double)(A[k].Ai[p] + j));
        }
        free(one);
        free(x);
        free_matrix(A[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_pivot_on_the_diagonal),
        cmocka_unit_test(pairs_alone),
        cmocka_unit_test(wild_scales),
        cmocka_unit_test(negative_eigenvalues),
        cmocka_unit_test(same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
