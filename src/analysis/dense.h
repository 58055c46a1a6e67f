/* Dense matrices by columns, in an arena: x is NULL where there was no memory. */
#ifndef SN_ANALYSIS_DENSE_H
#define SN_ANALYSIS_DENSE_H

#include "base/mem.h"

typedef struct sn_dense {
    int rows, cols;
    double *x;
} sn_dense;

static inline double *sn_dense_at(const sn_dense *A, int i, int j)
{
    return A->x + (size_t)j * (size_t)A->rows + i;
}

sn_dense sn_dense_new(sn_arena *arena, int rows, int cols); /* zeros */
/* C += f A B */
void sn_dense_add_product(double f, const sn_dense *A, const sn_dense *B, sn_dense *C);
sn_dense sn_dense_product(sn_arena *arena, double f, const sn_dense *A, const sn_dense *B);
sn_dense sn_dense_transpose(sn_arena *arena, const sn_dense *A);
double sn_dense_norm(const sn_dense *A); /* root of the sum of squares */
/* Columns `from` to `to` of U, transposed, times A. */
sn_dense sn_dense_rows_by(sn_arena *arena, const sn_dense *U, int from, int to, const sn_dense *A);
/* The columns of A, then those of B. */
sn_dense sn_dense_beside(sn_arena *arena, const sn_dense *A, const sn_dense *B);

/* x <- R^-1 x with the upper triangle of A. (LAPACK's would want a buffer of 128 MB.) */
void sn_back_substitution(const sn_dense *A, int n, double *x);

/* The null space of B by a choice of variables: x = Z x_free. kept: which are free. */
typedef struct sn_null_space {
    sn_dense Z;
    int *kept;
    int rank;
} sn_null_space;
/* weight: the greater, the rather a variable is eliminated; or NULL. small: pivots below this part of the
   first are zero. */
sn_status sn_null_space_of(sn_arena *arena, const sn_dense *B, const double *weight, double small,
                           sn_null_space *out, sn_err *err);

#endif
