/* Other searches than Levenberg and Marquardt's. */
#ifndef SN_IDENTIFY_SEARCH_H
#define SN_IDENTIFY_SEARCH_H

#include "identify/fit.h"

/* Quasi-Newton with gradients by the adjoint: for many unknowns. Squares only. */
sn_status sn_lbfgs(sn_fit *f, double *z, sn_search *o, sn_err *err);
/* Evolution strategy with covariance adaptation; spread: of the first population, in z. */
sn_status sn_cma_es(sn_fit *f, double *z, double spread, unsigned long seed, sn_search *o, sn_err *err);

#endif
