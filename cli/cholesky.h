/* What Cholesky coordinates e = L' y, M = L L', would make of linearised equations. */
#ifndef CLI_CHOLESKY_H
#define CLI_CHOLESKY_H

#include "sinew/sinew.h"

enum { CLI_CHOLESKY_MOST = 320 }; /* coordinates and equations: eigenvalues are those of full matrices */

typedef struct cli_cholesky {
    int massless;               /* the coordinate at which M is not positive definite; -1: none */
    int equations[2];           /* nonzeros of [M B'; B 0], and of [1 (B L^-T)'; B L^-T 0] */
    int stiffness[2];           /* of K and of L^-1 K L^-T */
    double condition[3], omega; /* of the equations, also scaled by the diagonal of M and the rows of B;
                                   largest frequency without the constraints, the same in both */
} cli_cholesky;

/* 0: done; 1: too large, 2: no memory. */
int cli_cholesky_of(const sn_linear *l, cli_cholesky *out);

#endif
