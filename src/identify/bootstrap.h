/* Intervals by a block bootstrap: the fit with resampled residuals is fitted again, many times. */
#ifndef SN_IDENTIFY_BOOTSTRAP_H
#define SN_IDENTIFY_BOOTSTRAP_H

#include "identify/result.h"

/* Rows of a block for n rows of `channels` residuals r (NAN: missing): the largest that the channels ask for,
   twice that of Politis and White (Econometric Reviews 23, 2004; 28, 2009); 1: white. */
sn_status sn_block_length(int n, int channels, const double *r, int *block, sn_err *err);

/* Intervals into e->lo, e->hi, and what e->bootstrap says; f evaluated at e->z. Where too many refits fail
   intervals stay those of standard errors, and a verdict says so. */
sn_status sn_bootstrap(sn_fit *f, sn_estimate *e, sn_err *err);

#endif
