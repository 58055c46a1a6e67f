/* One pass of the sequential estimate over all experiments: filters, the numbers beta, smoothers. */
#ifndef SN_IDENTIFY_KALMAN_PASS_H
#define SN_IDENTIFY_KALMAN_PASS_H

#include "identify/kalman.h"

typedef struct sn_kalman_pass {
    sn_fit *fit;
    double *z;             /* unknowns where it was linearised */
    double **value;        /* of each part of a history: its coefficients there */
    double **rest;         /* of each experiment and channel: squares of residuals in the channel's unit */
    unsigned char *frozen; /* unknowns that stay at a bound */
    sn_kalman **kalman;
    int n;        /* numbers beta of all: unknowns, then free coefficients of each part */
    int *free_at; /* of each part: where its own begin */
    double *beta, *covariance;
    double squares, logs; /* least squares of the innovations, in units of the noise; log det of it all */
    double count;
    double **change, **band;                  /* of each part, by the smoother */
    double **residual, **innovation, **lever; /* of each experiment */
    double *w_squares, *w_variance;           /* of each part */
    int largest;                              /* columns, at most */
} sn_kalman_pass;

sn_status sn_kalman_pass_new(sn_fit *f, sn_kalman_pass **out, sn_err *err);
void sn_kalman_pass_free(sn_kalman_pass *p);
/* Filters at p->z and p->value; beta; with smooth, the rest. */
sn_status sn_kalman_pass_run(sn_kalman_pass *p, int smooth, sn_err *err);
/* The coefficients of the pass as numbers of the model, in the fit's values of experiment e. */
void sn_kalman_pass_set(const sn_kalman_pass *p, int e);
/* Where the numbers beta of an experiment's filter stand among all; -1: one that is frozen. */
void sn_kalman_places(const sn_kalman_pass *p, int e, int *at);
/* The cost of a place with the weights and the noise as they are now. */
double sn_kalman_pass_cost(const sn_kalman_pass *p);

#endif
