/* A follower that stores a run and goes back through it. */
#ifndef SN_ANALYSIS_ADJOINT_H
#define SN_ANALYSIS_ADJOINT_H

#include "analysis/dstart.h"
#include "analysis/objective.h"

typedef struct sn_adjoint {
    /* given */
    int np;
    const int *id;
    sn_objectives *of; /* values and derivatives end up there */
    double memory;     /* bytes */
    /* found */
    int crooked;
    long at_end, repeated; /* states stored at the end of the run; steps made again */
    sn_touch *touch;
    /* own */
    sn_desk *d;
    const sn_integrator_class *cls;
    void *integrator;
    double **x, *t, *h; /* of each step: state (NULL: not stored), time, size */
    unsigned char *flags;
    long n, cap, kept, stored, whole, stride, last;
    int thinned, at;
    sn_dstate *dstart, *b, *b0, *pending, *at_sample;
    sn_state *state[3];
    double *y, *y_bar;
} sn_adjoint;

sn_follow sn_adjoint_follow(sn_adjoint *s);
double sn_adjoint_bytes(const sn_model *m); /* a step */
void sn_adjoint_free(sn_adjoint *s);        /* what it owns */

#endif
