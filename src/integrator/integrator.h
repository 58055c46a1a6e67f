/* Time integrators: one table each, and their schemes (names with coefficients) that a model file may ask
 * for. */
#ifndef SN_INTEGRATOR_INTEGRATOR_H
#define SN_INTEGRATOR_INTEGRATOR_H

#include "linsol/linsol.h"
#include "system/dstate.h"

/* A named set of coefficients. */
typedef struct sn_scheme {
    const char *name, *doc;
    void (*coefficients)(const sn_run_options *o, double *out);
} sn_scheme;

/* Errors of one step in the measure of Newton's increments: lengths relative to the model's, angles as they
   are. `ahead` counts the change of the jerk over some steps to come, so that it does not vanish where the
   jerk passes through zero. smooth: the jerk was nearly that of the step before. */
typedef struct sn_local_error {
    double now, ahead;
    int smooth;
} sn_local_error;

typedef struct sn_integrator_class {
    const char *name, *doc;
    const sn_scheme *schemes; /* ends with a NULL name */
    int history;              /* vectors of nv + 1 numbers that states keep for it: sn_state.own */
    sn_status (*open)(sn_work *w, sn_linsol *ls, const sn_scheme *s, const sn_run_options *o, sn_info *info,
                      void **self, sn_err *err);
    /* Fills x->own from the rest of a consistent state: a run begins there, at the work's time. Forward:
       d->own from the rest of d. NULL, both: they begin as zeros. */
    sn_status (*begin)(void *self, sn_state *x, sn_err *err);
    sn_status (*begin_forward)(void *self, const sn_state *x, sn_parameter_chain *c, sn_dstate *d,
                               sn_err *err);
    /* From x0 to x1 = x0.t + h. SN_ERR_NUMERIC: no convergence, x1 is undefined, a smaller step may do.
     * Allocates nothing. */
    sn_status (*step)(void *self, const sn_state *x0, double h, sn_state *x1, sn_err *err);
    /* Local error of the step just made, estimated. */
    sn_local_error (*error)(void *self);
    /* Angle, rad, by which paths of points may turn in a step: beyond it energy can grow. */
    double (*turn)(void *self);
    /* The step just made is not taken: the next one begins where it began. */
    void (*reject)(void *self);
    /* Forget the steps before: what follows depends on the state alone. */
    void (*restart)(void *self);
    /* Derivatives, with options.exact. Forward: d1 of the state x1 that a step from x0 has just led to, from
       d0. Adjoint: b0 = transpose of that times b1 (of one column), g (parameters) += ...; for any two states
       that a step has joined. The work's time becomes that of x1. */
    sn_status (*step_forward)(void *self, const sn_state *x0, const sn_state *x1, sn_parameter_chain *c,
                              const sn_dstate *d0, sn_dstate *d1, sn_err *err);
    sn_status (*step_adjoint)(void *self, const sn_state *x0, const sn_state *x1, sn_parameter_chain *c,
                              const sn_dstate *b1, sn_dstate *b0, double *g, sn_err *err);
    void (*close)(void *self);
} sn_integrator_class;

const sn_integrator_class *const *sn_integrator_all(void);
/* The integrator that has this scheme; NULL when there is none. */
const sn_integrator_class *sn_integrator_find(const char *scheme, const sn_scheme **s);

double sn_clock(void); /* s, for the times in sn_info */

#endif
