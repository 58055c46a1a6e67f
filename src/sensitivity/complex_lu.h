/* Dense complex linear systems, scaled by rows and columns before they are factored. */
#ifndef SN_SENSITIVITY_COMPLEX_LU_H
#define SN_SENSITIVITY_COMPLEX_LU_H

#include "base/mem.h"

#include <complex.h>

typedef struct sn_complex_lu {
    int n;
    double complex *A; /* n x n by columns: the matrix, then its factors */
    double *row, *col; /* scales */
    int *pivot;
} sn_complex_lu;

sn_status sn_complex_lu_new(int n, sn_complex_lu *out, sn_err *err);
void sn_complex_lu_free(sn_complex_lu *f);
/* Factors what was written into A. SN_ERR_NUMERIC (nothing is reported): it is singular or not finite. */
sn_status sn_complex_lu_factor(sn_complex_lu *f);
/* x (columns of n) <- A^-1 x, or A'^-1 x (transposed, not conjugated). */
sn_status sn_complex_lu_solve(const sn_complex_lu *f, int transposed, int columns, double complex *x);

#endif
