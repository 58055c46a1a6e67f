/* Inside of the derivatives of starts: dstart.c the stages, drates.c the equations' rates, dwhole.c whole
 * starts. */
#ifndef SN_SENSITIVITY_DSTART_INSIDE_H
#define SN_SENSITIVITY_DSTART_INSIDE_H

#include "sensitivity/dstart.h"
#include "sensitivity/stencil.h"

struct sn_dstart {
    sn_context *d;
    sn_parameter_chain *c;
    int np;
    sn_state *x;                   /* of a residual with other accelerations and multipliers */
    double *F, *G, *z;             /* n rows of np: residual's derivative; equations'; right-hand sides */
    double *solution;              /* n: correction and its multipliers */
    double *no_lam;                /* m zeros */
    double *Jq, *Jv, *local;       /* a joint's derivatives of (phi_t, gamma), scratch */
    double *s, *sd, *sdd, *X, *cc; /* a joint's numbers, to be moved */
};

/* G += derivatives of phi_t (which 0) or gamma (1) of all equations along dq, dv and the parameters. */
sn_status sn_dstart_rates(sn_dstart *s, const sn_state *x, int which, const double *dq, const double *dv,
                          double *G, sn_err *err);
/* All of it by sixth-order differences over whole starts. */
sn_status sn_dstart_whole(sn_dstart *s, sn_dstate *out, sn_err *err);

#endif
