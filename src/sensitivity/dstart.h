/* Derivatives of starts, equilibria and states without freedom. */
#ifndef SN_ANALYSIS_DSTART_H
#define SN_ANALYSIS_DSTART_H

#include "analysis/analysis.h"

typedef struct sn_dstart sn_dstart;

sn_status sn_dstart_new(sn_context *d, sn_parameter_chain *c, sn_dstart **out, sn_err *err);
void sn_dstart_free(sn_dstart *s);
/* Of the context's state right after sn_start, by the derivatives of its equations or
   (d->start_by_differences) by differences over whole starts. */
sn_status sn_dstart_run(sn_dstart *s, sn_dstate *out, sn_err *err);
/* Along increments of positions and velocities in out, of which positions meet the equations already: their
   velocities become those that do, accelerations and multipliers follow. */
sn_status sn_dstart_along(sn_dstart *s, sn_dstate *out, sn_err *err);
/* Of the context's state, an equilibrium. */
sn_status sn_dstatic(sn_dstart *s, sn_dstate *out, sn_err *err);
/* g (parameters) -= z' times the derivatives of the equations of an equilibrium, S' z = (b->q, b->lam). */
sn_status sn_dstatic_transposed(sn_dstart *s, const sn_dstate *b, double *g, sn_err *err);
/* Of a state that follows from the equations alone (sn_kinematic_step). */
sn_status sn_dkinematic(sn_dstart *s, const sn_state *x, sn_dstate *out, sn_err *err);

#endif
