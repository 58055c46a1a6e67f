/* Ways to an equilibrium where load steps fail: statics_other.c. The context's state becomes it, or a point
   near it; SN_ERR_NUMERIC: it is not found. */
#ifndef SN_ANALYSIS_STATICS_H
#define SN_ANALYSIS_STATICS_H

#include "analysis/tangent.h"

/* By arc length from the state, which is an equilibrium of r - (1 - s) r0 = 0. */
sn_status sn_statics_arc(sn_context *d, const double *r0, double s, sn_err *err);
/* By a damped motion under the whole load, from the state. */
sn_status sn_statics_creep(sn_context *d, sn_err *err);

/* Whether a model has rotations and coordinates that settle between them: statics_settle.c. */
int sn_statics_settles(const sn_model *m);
/* One Newton step of r - (1 - s) r0 = 0 with the rotations held, unless it is far or singular. The factors
   are no longer those of the tangent. */
sn_status sn_statics_settle(sn_tangent *t, const double *r0, double s, sn_err *err);

#endif
