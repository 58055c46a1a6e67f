/* Other searches than Levenberg and Marquardt's. */
#ifndef SN_IDENTIFY_SEARCH_H
#define SN_IDENTIFY_SEARCH_H

#include "identify/fit.h"

/* Cost and gradient (n) at z over all data, by the adjoint; time offsets by a run of their own. As
   sn_fit_evaluate, but without the ridge. */
sn_status sn_fit_gradient(sn_fit *f, const double *z, double *cost, double *g, sn_err *err);
/* Quasi-Newton with these gradients: for many unknowns. */
sn_status sn_lbfgs(sn_fit *f, double *z, sn_search *o, sn_err *err);
/* Evolution strategy with covariance adaptation; spread: of the first population, in z. */
sn_status sn_cma_es(sn_fit *f, double *z, double spread, unsigned long seed, sn_search *o, sn_err *err);

#endif
