/* Fits up to a horizon that grows, with alternatives kept while the data cannot tell them apart. */
#ifndef SN_IDENTIFY_HORIZON_H
#define SN_IDENTIFY_HORIZON_H

#include "identify/fit.h"

/* From z, by windows from the study's horizon to all data, to the neighbourhood of the best minimum. most:
   alternatives at a time, 1: none. o: told, ctx and counter of the leading one's iterations; its stage goes
   on. Where it is stopped z is the leading one so far. */
sn_status sn_horizon(sn_fit *f, double *z, int most, sn_search *o, sn_err *err);

#endif
