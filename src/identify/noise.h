/* The noise of the data: standard deviations where none are stated, and models of what follows itself. */
#ifndef SN_IDENTIFY_NOISE_H
#define SN_IDENTIFY_NOISE_H

#include "identify/fit.h"

/* Is there a channel without a stated deviation, or one with a model of its noise? */
int sn_noise_sought(const sn_study *s);
int sn_noise_modelled(const sn_study *s); /* the latter */

/* Deviations of such channels from their residuals at z, as far as it can be simulated. *worst: the largest
   change, as a ratio. Kept in the fit's memo. */
sn_status sn_noise_estimate(sn_fit *f, const double *z, double *worst, sn_err *err);

/* The same of the channels with a model: by restricted likelihood from the rows of the fit, evaluated as if
   noise were white (f->plain). */
sn_status sn_noise_fit(sn_fit *f, const double *z, double *worst, sn_err *err);
/* What the variance of a channel's noise is in units of its deviation: 1, or more with a discrepancy. */
double sn_noise_whole(const sn_experiment *x, int c);

#endif
