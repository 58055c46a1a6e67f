/* Linear solvers: every one in the registry on KKT, random and degenerate systems, against elimination in
 * long double. */
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

enum { MOST = 4000 };

/* Solutions for several right-hand sides, plain and transposed, against the reference. The matrices have a
   condition below 1e6 and factors that grow by 1e3 at most, so that 1e-16 * 1e6 * 1e3 bounds the error before
   refinement. */
static void check_solutions(sn_linsol *ls, matrix A)
{
    enum { NRHS = 7 };
    size_t n = (size_t)A.n;
    double *b = malloc(NRHS * n * 8 + 8), *x = malloc(NRHS * n * 8 + 8), *ref = malloc(n * 8 + 8);
    for (int transposed = 0; transposed < 2; transposed++) {
        for (size_t k = 0; k < NRHS * n; k++) b[k] = uniform();
        memcpy(x, b, NRHS * n * 8);
        assert_int_equal(sn_linsol_solve(ls, transposed, NRHS, x), SN_OK);
        for (size_t c = 0; c < NRHS; c++) {
            double size = 0;
            reference(A, transposed, b + c * n, ref);
            for (size_t i = 0; i < n; i++) size = fmax(size, fabs(ref[i]));
            for (size_t i = 0; i < n; i++) assert_true(fabs(x[c * n + i] - ref[i]) <= 1e-7 * size);
            /* one step of refinement brings the backward error of every row to a few roundings (Skeel) */
            memcpy(x, b + c * n, n * 8);
            assert_int_equal(sn_linsol_solve_refined(ls, transposed, 1, x), SN_OK);
            assert_true(backward_error(A, transposed, x, b + c * n) <= 20 * DBL_EPSILON);
            memcpy(x, b, NRHS * n * 8);
            assert_int_equal(sn_linsol_solve(ls, transposed, NRHS, x), SN_OK);
        }
    }
    free(b);
    free(x);
    free(ref);
}

static void accurate(void **state)
{
    (void)state;
    for (const sn_linsol_class *const *cls = sn_linsol_all(); *cls; cls++) {
        seed = 1;
        for (int turn = 0; turn < 14; turn++) {
            matrix A = turn >= 8  ? linked_nodes(5 + turn, turn % 3 ? 6 : 3, turn % 2 ? 0 : 4, turn - 6)
                       : turn % 2 ? random_sparse(11 + 6 * turn, turn)
                                  : kkt(12 + 6 * turn, 4 + 3 * turn, turn % 4 ? 1 : 1e4);
            sn_linsol *ls;
            sn_err err = {0};
            int column = 7;
            assert_int_equal(sn_linsol_new((*cls)->name, A.n, A.Ap, A.Ai, &ls, &err), SN_OK);
            assert_int_equal(sn_linsol_factor(ls, A.Ax, &column, &err), SN_OK);
            assert_int_equal(column, -1);
            check_solutions(ls, A);
            assert_true(ls->cls->nonzeros(ls->self) >= A.n);
            assert_true(ls->cls->flops(ls->self) > 0 && ls->cls->bytes(ls->self) > 0);
            /* other values, same pattern */
            for (int p = 0; p < A.Ap[A.n]; p++) A.Ax[p] *= 1 + 0.1 * uniform();
            assert_int_equal(sn_linsol_factor(ls, A.Ax, NULL, &err), SN_OK);
            check_solutions(ls, A);
            assert_int_equal(ls->factorisations, 2);
            assert_int_equal(ls->refactorisations_failed, 0);
            sn_linsol_free(ls);
            free_matrix(A);
        }
    }
}

/* Columns side by side, in any number: what each of them is alone. klu's own to the last bit, since a
   gradient must not depend on how its columns are shared out; libraries may sum in another order, and so does
   the solve of a single column. */
static void check_columns(matrix A)
{
    enum { WIDEST = 23 };
    for (const sn_linsol_class *const *cls = sn_linsol_all(); *cls; cls++) {
        sn_linsol *ls;
        sn_err err = {0};
        size_t n = (size_t)A.n;
        double *b = malloc(WIDEST * n * 8), *x = malloc(n * 8), *y = malloc(n * 8), size = 0;
        assert_int_equal(sn_linsol_new((*cls)->name, A.n, A.Ap, A.Ai, &ls, &err), SN_OK);
        assert_int_equal(sn_linsol_solve_rows(ls, 1, b), SN_ERR_BUG);
        assert_int_equal(sn_linsol_factor(ls, A.Ax, NULL, &err), SN_OK);
        for (size_t columns = 1; columns <= WIDEST; columns++) {
            for (size_t i = 0; i < columns * n; i++) b[i] = sin(1 + (double)i);
            assert_int_equal(sn_linsol_solve_rows(ls, (int)columns, b), SN_OK);
            for (size_t c = 0; c < columns; c++) {
                for (size_t i = 0; i < n; i++) x[i] = y[i] = sin(1 + (double)(i * columns + c));
                assert_int_equal(sn_linsol_solve(ls, 0, 1, x), SN_OK);
                assert_int_equal(sn_linsol_solve_rows(ls, 1, y), SN_OK);
                for (size_t i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
                for (size_t i = 0; i < n; i++) {
                    assert_true(fabs(b[i * columns + c] - x[i]) <= 1e-12 * size);
                    assert_true(b[i * columns + c] == y[i] || strcmp((*cls)->name, "klu"));
                }
            }
        }
        free(b);
        free(x);
        free(y);
        sn_linsol_free(ls);
    }
}

static void columns_side_by_side(void **state)
{
    (void)state;
    seed = 3;
    matrix A[] = {kkt(30, 9, 1), linked_nodes(9, 6, 0, 20), linked_nodes(12, 5, 3, 4)};
    for (size_t i = 0; i < sizeof A / sizeof *A; i++) {
        check_columns(A[i]);
        free_matrix(A[i]);
    }
}

/* Old pivots that became tiny must not be kept: the mass of half the bodies goes to nothing. */
static void pivots_gone_bad(void **state)
{
    (void)state;
    for (const sn_linsol_class *const *cls = sn_linsol_all(); *cls; cls++) {
        seed = 5;
        matrix A = kkt(30, 14, 1);
        sn_linsol *ls;
        assert_int_equal(sn_linsol_new((*cls)->name, A.n, A.Ap, A.Ai, &ls, NULL), SN_OK);
        assert_int_equal(sn_linsol_factor(ls, A.Ax, NULL, NULL), SN_OK);
        /* the order of the diagonal turns: what was large is 1e-13, the couplings are large */
        for (int j = 0; j < 30; j++)
            for (int p = A.Ap[j]; p < A.Ap[j + 1]; p++) {
                if (A.Ai[p] == j && j % 2) A.Ax[p] *= 1e-13;
                if (A.Ai[p] < 30 && A.Ai[p] != j) A.Ax[p] = 1;
            }
        assert_int_equal(sn_linsol_factor(ls, A.Ax, NULL, NULL), SN_OK);
        check_solutions(ls, A);
        if (ls->cls->repivoted) assert_int_equal(ls->refactorisations_failed, 1);
        /* and the new pivots hold */
        assert_int_equal(sn_linsol_factor(ls, A.Ax, NULL, NULL), SN_OK);
        if (ls->cls->repivoted) assert_int_equal(ls->refactorisations_failed, 1);
        sn_linsol_free(ls);
        free_matrix(A);
    }
}

/* A constraint stated twice, the second time a third of the first: singular but for rounding. The column
   found must carry the null vector, (0, e_a - 3 e_b): it is one of the two multipliers. */
static void redundant_constraint(void **state)
{
    (void)state;
    enum { NQ = 12, NC = 5, N = NQ + NC };
    for (const sn_linsol_class *const *cls = sn_linsol_all(); *cls; cls++) {
        for (int turn = 0; turn < 20; turn++) {
            double D[N * N];
            seed = (uint64_t)turn + 3;
            matrix G = kkt(NQ, NC, 1);
            memset(D, 0, sizeof D);
            for (int j = 0; j < N; j++)
                for (int p = G.Ap[j]; p < G.Ap[j + 1]; p++) D[G.Ai[p] + j * N] = G.Ax[p];
            for (int j = 0; j < NQ; j++) D[N - 1 + j * N] = D[j + (N - 1) * N] = D[NQ + j * N] / 3;
            matrix A = from_dense(N, D);
            sn_linsol *ls;
            sn_err err = {0};
            int column = -7;
            double b[N] = {0};
            assert_int_equal(sn_linsol_new((*cls)->name, N, A.Ap, A.Ai, &ls, &err), SN_OK);
            assert_int_equal(sn_linsol_factor(ls, A.Ax, &column, &err), SN_ERR_NUMERIC);
            assert_int_equal(err.status, SN_ERR_NUMERIC);
            assert_true(column == NQ || column == N - 1);
            assert_int_equal(sn_linsol_solve(ls, 0, 1, b), SN_ERR_BUG);
            assert_true(sn_linsol_rcond(ls) == 0);
            /* it recovers with good values */
            for (int p = 0; p < A.Ap[N]; p++)
                if (p >= A.Ap[N - 1] || A.Ai[p] == N - 1) A.Ax[p] *= 1 + 0.3 * uniform();
            assert_int_equal(sn_linsol_factor(ls, A.Ax, &column, NULL), SN_OK);
            assert_int_equal(column, -1);
            if (turn % 10 == 0) check_solutions(ls, A);
            sn_linsol_free(ls);
            free_matrix(A);
            free_matrix(G);
        }
    }
}

static void empty_column_and_not_finite(void **state)
{
    (void)state;
    for (const sn_linsol_class *const *cls = sn_linsol_all(); *cls; cls++) {
        sn_linsol *ls;
        int column;
        seed = 9;
        matrix A = kkt(10, 3, 1);
        assert_int_equal(sn_linsol_new((*cls)->name, A.n, A.Ap, A.Ai, &ls, NULL), SN_OK);
        double keep = A.Ax[A.Ap[4]];
        A.Ax[A.Ap[4]] = NAN;
        assert_int_equal(sn_linsol_factor(ls, A.Ax, &column, NULL), SN_ERR_NUMERIC);
        assert_int_equal(column, 4);
        A.Ax[A.Ap[4]] = keep;
        assert_int_equal(sn_linsol_factor(ls, A.Ax, &column, NULL), SN_OK);
        A.Ax[A.Ap[4]] = INFINITY;
        assert_int_equal(sn_linsol_factor(ls, A.Ax, &column, NULL), SN_ERR_NUMERIC);
        assert_int_equal(column, 4);
        A.Ax[A.Ap[4]] = keep;
        for (int p = A.Ap[6]; p < A.Ap[7]; p++) A.Ax[p] = 0;
        assert_int_equal(sn_linsol_factor(ls, A.Ax, &column, NULL), SN_ERR_NUMERIC);
        assert_int_equal(column, 6);
        sn_linsol_free(ls);
        /* the same as a pattern: column 1 of three has no entries at all */
        int Ap[] = {0, 1, 1, 3}, Ai[] = {0, 1, 2};
        double Ax[] = {1, 2, 3};
        assert_int_equal(sn_linsol_new((*cls)->name, 3, Ap, Ai, &ls, NULL), SN_OK);
        assert_int_equal(sn_linsol_factor(ls, Ax, &column, NULL), SN_ERR_NUMERIC);
        assert_true(column == 1 || column == -1);
        sn_linsol_free(ls);
        free_matrix(A);
    }
}

static void smallest(void **state)
{
    (void)state;
    for (const sn_linsol_class *const *cls = sn_linsol_all(); *cls; cls++) {
        int Ap[] = {0, 1}, Ai[] = {0};
        double Ax[] = {4}, b[] = {8, 2, 1, 6, 4};
        sn_linsol *ls;
        assert_int_equal(sn_linsol_new((*cls)->name, 0, Ap, Ai, &ls, NULL), SN_OK);
        assert_int_equal(sn_linsol_factor(ls, Ax, NULL, NULL), SN_OK);
        assert_int_equal(sn_linsol_solve(ls, 0, 1, b), SN_OK);
        assert_int_equal(sn_linsol_solve_refined(ls, 1, 1, b), SN_OK);
        assert_true(sn_linsol_rcond(ls) == 1);
        sn_linsol_free(ls);
        assert_int_equal(sn_linsol_new((*cls)->name, 1, Ap, Ai, &ls, NULL), SN_OK);
        assert_int_equal(sn_linsol_solve(ls, 0, 1, b), SN_ERR_BUG);
        assert_int_equal(sn_linsol_factor(ls, Ax, NULL, NULL), SN_OK);
        assert_int_equal(sn_linsol_solve(ls, 0, 5, b), SN_OK);
        assert_true(b[0] == 2 && b[1] == 0.5 && b[2] == 0.25 && b[3] == 1.5 && b[4] == 1);
        assert_int_equal(sn_linsol_solve(ls, 1, 0, b), SN_OK);
        assert_true(fabs(sn_linsol_rcond(ls) - 1) < 1e-15);
        sn_linsol_free(ls);
    }
}

/* [1 1; 1 1+e]: condition 4/e in the 1-norm, whatever the scaling of rows. */
static void condition(void **state)
{
    (void)state;
    for (const sn_linsol_class *const *cls = sn_linsol_all(); *cls; cls++) {
        int Ap[] = {0, 2, 4}, Ai[] = {0, 1, 0, 1};
        double e = 1e-8, Ax[] = {1, 1, 1, 1 + e};
        sn_linsol *ls;
        assert_int_equal(sn_linsol_new((*cls)->name, 2, Ap, Ai, &ls, NULL), SN_OK);
        assert_true(sn_linsol_rcond(ls) == 0);
        assert_int_equal(sn_linsol_factor(ls, Ax, NULL, NULL), SN_OK);
        double r = sn_linsol_rcond(ls);
        assert_true(r > e / 40 && r < 10 * e);
        sn_linsol_free(ls);
    }
}

/* Counting allocator that fails at call number fail_at. */
typedef struct counter {
    long calls, live, fail_at;
} counter;

static void *count_alloc(size_t bytes, void *user)
{
    counter *c = user;
    if (++c->calls == c->fail_at) return NULL;
    c->live++;
    return calloc(1, bytes);
}

static void count_release(void *p, void *user)
{
    ((counter *)user)->live--;
    free(p);
}

static sn_status whole_life(const char *name, matrix A, double *b, counter *c, long *in_loop)
{
    sn_linsol *ls;
    sn_err err = {0};
    *in_loop = 0;
    SN_TRY(sn_linsol_new(name, A.n, A.Ap, A.Ai, &ls, &err));
    sn_status status = sn_linsol_factor(ls, A.Ax, NULL, &err);
    long before = c->calls;
    for (int k = 0; k < 5 && status == SN_OK; k++) {
        status = sn_linsol_factor(ls, A.Ax, NULL, &err);
        for (int t = 0; t < 2 && status == SN_OK; t++) status = sn_linsol_solve(ls, t, 4, b);
        if (status == SN_OK) status = sn_linsol_solve_refined(ls, 0, 2, b);
    }
    *in_loop = c->calls - before;
    sn_linsol_free(ls);
    return status;
}

/* No allocation under old pivots, and every allocation that fails is reported and leaks nothing. */
static void check_allocations(matrix A)
{
    double *b = calloc((size_t)A.n * 4, sizeof *b);
    b[0] = 1, b[1] = 2, b[2] = 3;
    for (const sn_linsol_class *const *cls = sn_linsol_all(); *cls; cls++) {
        counter c = {0, 0, 0};
        sn_allocator hook = {count_alloc, count_release, &c};
        long in_loop, total;
        sn_set_allocator(&hook);
        assert_int_equal(whole_life((*cls)->name, A, b, &c, &in_loop), SN_OK);
        assert_int_equal(in_loop, 0);
        assert_int_equal(c.live, 0);
        total = c.calls;
        assert_true(total > 2);
        for (long k = 1; k <= total; k++) {
            c = (counter){0, 0, k};
            assert_int_equal(whole_life((*cls)->name, A, b, &c, &in_loop), SN_ERR_MEMORY);
            assert_int_equal(c.live, 0);
        }
        sn_set_allocator(NULL);
    }
    free(b);
}

static void allocations(void **state)
{
    (void)state;
    seed = 21;
    matrix A[] = {kkt(20, 8, 1), linked_nodes(5, 6, 0, 9)};
    for (size_t i = 0; i < sizeof A / sizeof *A; i++) {
        check_allocations(A[i]);
        free_matrix(A[i]);
    }
}

static void check_residual(sn_linsol *ls, matrix A)
{
    static double b[4 * MOST], x[4 * MOST];
    size_t n = (size_t)A.n;
    for (int t = 0; t < 2; t++) {
        for (size_t i = 0; i < 4 * n; i++) x[i] = b[i] = uniform();
        assert_int_equal(sn_linsol_solve(ls, t, 4, x), SN_OK);
        /* well conditioned and dominant: no growth, so roundings of the short rows of the factors only */
        for (size_t c = 0; c < 4; c++) assert_true(backward_error(A, t, x + c * n, b + c * n) < 1e-13);
    }
}

static void automatic_choice(void **state)
{
    (void)state;
    sn_linsol *ls;
    seed = 2;
    matrix wide = cube(14), narrow = chain(1000);
    assert_int_equal(sn_linsol_new(NULL, wide.n, wide.Ap, wide.Ai, &ls, NULL), SN_OK);
    assert_int_equal(sn_linsol_factor(ls, wide.Ax, NULL, NULL), SN_OK);
    assert_string_equal(ls->cls->name, "multifrontal");
    check_residual(ls, wide);
    sn_linsol_free(ls);
    assert_int_equal(sn_linsol_new("auto", narrow.n, narrow.Ap, narrow.Ai, &ls, NULL), SN_OK);
    assert_int_equal(sn_linsol_factor(ls, narrow.Ax, NULL, NULL), SN_OK);
    assert_string_equal(ls->cls->name, "klu");
    check_residual(ls, narrow);
    /* a narrow chain has factors in proportion to its length: two full blocks a node and side, with some
     * slack */
    assert_true(ls->cls->nonzeros(ls->self) < 20.0 * narrow.n);
    assert_int_equal(ls->solves, 8);
    sn_linsol_free(ls);
    /* klu on the wide one: the same answers by another way */
    matrix small = cube(7);
    assert_int_equal(sn_linsol_new("klu", small.n, small.Ap, small.Ai, &ls, NULL), SN_OK);
    assert_int_equal(sn_linsol_factor(ls, small.Ax, NULL, NULL), SN_OK);
    check_residual(ls, small);
    sn_linsol_free(ls);
    free_matrix(wide);
    free_matrix(narrow);
    free_matrix(small);
}

static void names(void **state)
{
    (void)state;
    int Ap[] = {0}, Ai[] = {0};
    sn_linsol *ls = (void *)1;
    sn_err err = {0};
    assert_int_equal(sn_linsol_new("superlu", 0, Ap, Ai, &ls, &err), SN_ERR_INPUT);
    assert_null(ls);
    assert_string_equal(err.report[0].text,
                        "no linear solver 'superlu' (known: auto, klu, multifrontal, dense, mumps)");
    assert_string_equal(sn_linsol_all()[0]->name, "klu");
    for (const sn_linsol_class *const *cls = sn_linsol_all(); *cls; cls++) {
        assert_ptr_equal(sn_linsol_find((*cls)->name), *cls);
        assert_true((*cls)->doc && *(*cls)->doc);
    }
    sn_linsol_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(accurate),
        cmocka_unit_test(columns_side_by_side),
        cmocka_unit_test(pivots_gone_bad),
        cmocka_unit_test(redundant_constraint),
        cmocka_unit_test(empty_column_and_not_finite),
        cmocka_unit_test(smallest),
        cmocka_unit_test(condition),
        cmocka_unit_test(allocations),
        cmocka_unit_test(automatic_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
