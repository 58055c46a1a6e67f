/* A follower that stores a run and goes back through it. */
#ifndef SN_ANALYSIS_ADJOINT_H
#define SN_ANALYSIS_ADJOINT_H

#include "sensitivity/dstart.h"
#include "sensitivity/objective.h"

typedef struct sn_adjoint {
    /* given */
    int np;
    const int *id;
    sn_objectives *of; /* values and derivatives end up there */
    double memory;     /* bytes */
    int continuous;    /* the adjoint differential equation in place of the transposed steps */
    /* found */
    int start_by_differences;
    long at_end, repeated; /* states stored at the end of the run; steps made again */
    sn_parameter_chain *chain;
    /* own */
    sn_context *d;
    const sn_integrator_class *cls;
    void *integrator;
    double **x, *t, *h; /* of each step: state (NULL: not stored), time, size */
    unsigned char *flags;
    long n, cap, kept, stored, whole, stride, last;
    int thinned, at;
    sn_dstate *dstart;      /* of the start, by the parameters that matter at its time: */
    int *at_start, n_start; /* which of the np these are */
    sn_dstate *b, *pending, *at_sample;
    int is_pending; /* `pending` is not zero */
    sn_state *state[3];
    double *y, *y_bar;
    double *Cx, *Mx;   /* of the continuous adjoint: dr/dv, dr/da */
    double *w, *kappa; /* of the continuous adjoint, see continuous.c */
} sn_adjoint;

sn_follow sn_adjoint_follow(sn_adjoint *s);
double sn_adjoint_bytes(const sn_model *m, int n_own); /* a step */
void sn_adjoint_free(sn_adjoint *s);                   /* what it owns */

/* The continuous adjoint: whether it can serve the model; one step of size h back at state x with what
   the objective gets of it in s->b, which is used up; and its part of the gradient at the start. */
sn_status sn_continuous_check(const sn_model *m, sn_err *err);
sn_status sn_continuous_step(sn_adjoint *s, const sn_state *x, double h, sn_linsol *ls, double *g,
                             sn_err *err);
void sn_continuous_start(const sn_adjoint *s, double *g);

#endif
