/* Least squares with local unknowns, against normal equations of the whole problem. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "identify/block_least_squares.h"

#include <math.h>
#include <string.h>

enum { NP = 3, NL = 2, N = 4, ROWS = 6, ALL = NP + N * NL };

static double Jp[N][ROWS * NP], Jl[N][ROWS * NL], z[N][ROWS];

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static void fill(uint64_t seed)
{
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < ROWS * NP; k++) Jp[i][k] = uniform(&seed);
        for (int k = 0; k < ROWS * NL; k++) Jl[i][k] = uniform(&seed);
        for (int k = 0; k < ROWS; k++) z[i][k] = uniform(&seed);
    }
}

static double near(double x, double expected, double allowed)
{
    if (!(fabs(x - expected) <= allowed)) fail_msg("%.15g is not %.15g", x, expected);
    return x;
}

/* Row r of block i over all unknowns. */
static void row(int i, int r, double *x)
{
    memset(x, 0, sizeof(double) * ALL);
    memcpy(x, Jp[i] + r * NP, sizeof(double) * NP);
    memcpy(x + NP + i * NL, Jl[i] + r * NL, sizeof(double) * NL);
}

/* x and the inverse C of the normal matrix, by Gauss and Jordan with pivots. */
static void reference(const double *weight, double *x, double C[ALL][ALL])
{
    double A[ALL][2 * ALL + 1] = {{0}}, v[ALL];
    for (int i = 0; i < N; i++)
        for (int r = 0; r < ROWS; r++) {
            row(i, r, v);
            for (int a = 0; a < ALL; a++) {
                for (int b = 0; b < ALL; b++) A[a][b] += weight[i] * v[a] * v[b];
                A[a][2 * ALL] -= weight[i] * v[a] * z[i][r];
            }
        }
    for (int a = 0; a < ALL; a++) A[a][ALL + a] = 1;
    for (int a = 0; a < ALL; a++) {
        int top = a;
        for (int b = a; b < ALL; b++) top = fabs(A[b][a]) > fabs(A[top][a]) ? b : top;
        for (int c = 0; c <= 2 * ALL; c++) {
            double s = A[a][c];
            A[a][c] = A[top][c], A[top][c] = s;
        }
        double d = A[a][a];
        for (int c = 0; c <= 2 * ALL; c++) A[a][c] /= d;
        for (int b = 0; b < ALL; b++) {
            double f = b == a ? 0 : A[b][a];
            for (int c = 0; c <= 2 * ALL; c++) A[b][c] -= f * A[a][c];
        }
    }
    for (int a = 0; a < ALL; a++) {
        x[a] = A[a][2 * ALL];
        for (int b = 0; b < ALL; b++) C[a][b] = A[a][ALL + b];
    }
}

static sn_block_ls *blocks(void)
{
    sn_block_ls *a;
    assert_int_equal(sn_block_ls_new(NP, NL, N, ROWS, 0, &a, NULL), SN_OK);
    for (int i = 0; i < N; i++)
        assert_int_equal(sn_block_ls_add(a, i, ROWS, Jp[i], Jl[i], z[i], NULL), SN_OK);
    return a;
}

/* Conditions are below 1e3: normal equations lose 6 digits, 1e-9 is left. */
static void test_whole(void **state)
{
    static const double weight[N] = {1, 0.3, 2, 0.7}, scale[NP] = {1, 100, 0.01};
    double x[ALL], C[ALL][ALL], dl[NL], variance[NL], cost = 0, v[ALL];
    (void)state;
    fill(4);
    sn_block_ls *a = blocks();
    memcpy(a->weight, weight, sizeof weight);
    assert_int_equal(sn_block_ls_solve(a, scale, NULL), SN_OK);
    reference(weight, x, C);
    for (int k = 0; k < NP; k++) {
        near(a->dp[k], x[k], 1e-9);
        for (int l = 0; l < NP; l++) near(a->covariance[k * NP + l], C[k][l], 1e-9);
        near(a->loose[k], 0, 0);
    }
    for (int i = 0; i < N; i++) {
        sn_block_ls_local(a, i, a->dp, dl, variance);
        for (int k = 0; k < NL; k++) {
            int at = NP + i * NL + k;
            near(dl[k], x[at], 1e-9), near(variance[k], C[at][at], 1e-9);
        }
        for (int r = 0; r < ROWS; r++) {
            double e = z[i][r];
            row(i, r, v);
            for (int k = 0; k < ALL; k++) e += v[k] * x[k];
            cost += weight[i] * e * e;
        }
        assert_int_equal(a->equations[i], ROWS), assert_int_equal(a->rank[i], NL);
    }
    near(a->cost, cost, 1e-12);
    assert_int_equal(a->rank_p, NP);
    sn_block_ls_free(a);
}

/* Twice the same local column: the shortest answer is half for each. A common column of zeros: not
   determined, not moved, and said so. A row without unknowns does not count. */
static void test_deficient(void **state)
{
    static const double scale[NP] = {1, 1, 1};
    double dl[NL];
    (void)state;
    fill(9);
    for (int i = 0; i < N; i++)
        for (int r = 0; r < ROWS; r++) Jl[i][r * NL + 1] = Jl[i][r * NL], Jp[i][r * NP + 2] = 0;
    memset(Jp[1] + 3 * NP, 0, sizeof(double) * NP), memset(Jl[1] + 3 * NL, 0, sizeof(double) * NL);
    sn_block_ls *a = blocks();
    assert_int_equal(sn_block_ls_solve(a, scale, NULL), SN_OK);
    assert_int_equal(a->rank_p, 2), near(a->dp[2], 0, 0), near(a->loose[2], 1, 1e-12),
        near(a->loose[0], 0, 1e-12);
    for (int i = 0; i < N; i++) {
        sn_block_ls_local(a, i, a->dp, dl, NULL);
        near(dl[0], dl[1], 1e-12);
        assert_int_equal(a->rank[i], 1), assert_int_equal(a->equations[i], i == 1 ? ROWS - 1 : ROWS);
    }
    z[2][0] = NAN;
    assert_int_equal(sn_block_ls_add(a, 2, ROWS, Jp[2], Jl[2], z[2], NULL), SN_ERR_NUMERIC);
    sn_block_ls_free(a);
}

/* Leverages add up to the rank, residuals are orthogonal to the local columns, by row. */
static void test_rows(void **state)
{
    double sum = 0, dot = 0;
    (void)state;
    fill(2);
    sn_block_ls *a = blocks();
    for (int r = 0; r < ROWS; r++) sum += a->leverage[r], dot += a->e[r] * Jl[N - 1][r * NL];
    near(sum, NL, 1e-12), near(dot, 0, 1e-12);
    sn_block_ls_free(a);
}

/* Matrices that int cannot count are refused in words, before memory is asked for. */
static void test_large(void **state)
{
    (void)state;
    sn_block_ls *a;
    static sn_err err;
    sn_err_clear(&err);
    assert_int_equal(sn_block_ls_new(3, 50000, 1, 50000, 1e-10, &a, &err), SN_ERR_INPUT);
    assert_null(a);
    assert_non_null(strstr(err.report[0].text, "50000 equations at a time with 50003 unknowns"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_deficient),
                                       cmocka_unit_test(test_rows), cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
