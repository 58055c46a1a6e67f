/* The first terms of a series, from a free history of the same force. */
#ifndef SN_IDENTIFY_FIRST_TERMS_H
#define SN_IDENTIFY_FIRST_TERMS_H

#include "identify/result.h"

/* Constant, then frequency, sine and cosine of *n terms (`most` at most), phases counted from `origin`; band:
   of the frequencies. x: 1 + 3 most numbers. */
sn_status sn_first_terms(const sn_history_fit *q, const double band[2], double origin, int most, double *x,
                         int *n, sn_err *err);

#endif
