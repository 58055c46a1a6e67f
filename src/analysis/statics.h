/* Ways to an equilibrium where load steps fail: statics_other.c. The context's state becomes it, or a point
   near it; SN_ERR_NUMERIC: it is not found. */
#ifndef SN_ANALYSIS_STATICS_H
#define SN_ANALYSIS_STATICS_H

#include "analysis/analysis.h"

/* By arc length from the state, which is an equilibrium of r - (1 - s) r0 = 0. */
sn_status sn_statics_arc(sn_context *d, const double *r0, double s, sn_err *err);
/* By a damped motion under the whole load, from the state. */
sn_status sn_statics_creep(sn_context *d, sn_err *err);

#endif
