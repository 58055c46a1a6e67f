/* The noise of the data: standard deviations where none are stated. */
#ifndef SN_IDENTIFY_NOISE_H
#define SN_IDENTIFY_NOISE_H

#include "identify/fit.h"

int sn_noise_sought(const sn_study *s); /* is there a channel without a stated deviation? */

/* Deviations of such channels from their residuals at z, as far as it can be simulated. *worst: the largest
   change, as a ratio. Kept in the fit's memo. */
sn_status sn_noise_estimate(sn_fit *f, const double *z, double *worst, sn_err *err);

#endif
