/* The first window of a growing horizon, from the data and from the model at the start values. */
#ifndef SN_IDENTIFY_WINDOW_H
#define SN_IDENTIFY_WINDOW_H

#include "identify/fit.h"

/* *window: how long the first window may be, s; 0: nothing is won by one, the data are as short as it. f was
   evaluated at z with the rows of its Jacobian (`simulated`), or could not be. */
sn_status sn_first_window(const sn_fit *f, int simulated, double *window, sn_err *err);

/* Length of the longest experiment that is fitted. */
double sn_longest(const sn_study *s);

#endif
