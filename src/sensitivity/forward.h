/* A follower that carries derivatives along with a run. */
#ifndef SN_ANALYSIS_FORWARD_H
#define SN_ANALYSIS_FORWARD_H

#include "sensitivity/dstart.h"

typedef struct sn_forward sn_forward;
struct sn_forward {
    /* given */
    int np;
    const int *id;               /* quantities */
    const unsigned char *wanted; /* sensors, or NULL: all */
    const double *times;         /* samples, ascending */
    int n_times;
    int steps;     /* call take after each step as well */
    int frames;    /* derivatives for the output's frames */
    int from_rest; /* the start does not depend on the parameters: derivatives begin as zeros */
    /* or as this says, in f->keep by f->start; or NULL */
    sn_status (*begin)(void *ctx, sn_forward *f, sn_err *err);
    /* i: number of the sample, or -1: a step of length dt has led to t (0: the start) */
    void (*take)(void *ctx, int i, double t, double dt, const double *y, const double *dy);
    void *ctx;
    /* found */
    int start_by_differences;
    sn_parameter_chain *chain;
    /* own */
    sn_context *d;
    const sn_integrator_class *cls;
    void *integrator;
    sn_dstart *start;
    sn_dstate *keep, *now, *spare, *mid; /* at the last step that counts, after the steps since, scratch */
    sn_state *between;
    double *y, *dy;
    int fresh, at; /* no step since `keep`; next sample */
};

sn_follow sn_forward_follow(sn_forward *f);
void sn_forward_free(sn_forward *f); /* what it owns */

#endif
