/* What is done where the residuals at the end of a search are not noise. */
#ifndef SN_IDENTIFY_DOUBT_H
#define SN_IDENTIFY_DOUBT_H

#include "identify/starts.h"

/* Are the residuals at z, up to the horizon (INFINITY: of all data), anything but noise? By the judges' own
   tests. */
sn_status sn_is_odd(sn_fit *f, sn_estimate *e, const double *z, double horizon, int *odd, sn_err *err);

/* From z, the end of a search with the cost f has, to a better minimum where other starts or a shorter window
   know one; the estimate's doubts keep what they said. */
sn_status sn_doubt(sn_fit *f, sn_estimate *e, double *z, sn_minima *m, sn_err *err);

#endif
