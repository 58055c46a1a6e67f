/* What one more column beside the Jacobian would do: the fit as a linear problem around the estimate.

   Residuals r = (model - measured) / sigma. If the model had one more term c phi (phi in units of the noise
   as r is), |r + J dz + c phi|^2 would be smallest at some c and dz, and chi square fall by so much. The
   column may be an offset of a channel, the derivative by a number that is not sought, an error of
   discretisation. */
#ifndef SN_IDENTIFY_PROJECTION_H
#define SN_IDENTIFY_PROJECTION_H

#include "identify/fit.h"

typedef struct sn_projection sn_projection;

typedef struct sn_addition {
    double c,
        std_error;     /* the best factor of the column; NAN: the unknowns can do all that the column does */
    double chi_square; /* by how much the sum of squares falls: chi square of one degree where nothing is
                          amiss */
    double own;        /* 0 .. 1: the part of the column's square that the unknowns cannot imitate */
} sn_addition;

/* f: evaluated at the estimate by sn_fit_rows, and it stays so while the projection is used. at_bound (n):
   unknowns that cannot move, or NULL. */
sn_status sn_projection_new(const sn_fit *f, const int *at_bound, sn_projection **out, sn_err *err);
void sn_projection_free(sn_projection *p);

/* phi[e]: samples x channels of each experiment that is fitted (NULL: zero), in units of the noise; where r
   is missing it does not count. dz (n, or NULL): how the unknowns would move with c = 1, so that c * dz is by
   how much they are wrong where the column is missing from the model, with the sign reversed. */
sn_addition sn_projection_add(const sn_projection *p, double *const *phi, double *dz);

#endif
