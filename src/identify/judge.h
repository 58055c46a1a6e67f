/* How far to believe an estimate: what the judges share. */
#ifndef SN_IDENTIFY_JUDGE_H
#define SN_IDENTIFY_JUDGE_H

#include "identify/result.h"

/* A judge looks at the fit, evaluated at e->z with the rows of its Jacobian (sn_fit_rows), and at what is
   known of the estimate by then, and adds verdicts. It leaves the fit as it was, or evaluates it again. */
typedef sn_status sn_judge_fn(sn_fit *f, sn_estimate *e, sn_err *err);

sn_judge_fn sn_judge_directions, sn_judge_unknowns; /* what the data can see: judge_unknowns.c */
sn_judge_fn sn_judge_series;                        /* and of the terms of series: judge_series.c */
sn_judge_fn sn_judge_residuals;                     /* are the residuals noise? judge_residuals.c */
sn_judge_fn sn_judge_noise;                         /* may it be believed? judge_noise.c */
sn_judge_fn sn_judge_causes;                        /* faults of sensors: judge_causes.c */
sn_judge_fn sn_judge_modal;                         /* are modes and responses met? judge_modal.c */
sn_judge_fn sn_judge_discretisation;                /* time step and mesh: judge_discretisation.c */
sn_judge_fn sn_judge_model;                         /* what the model may lack: judge_model.c */
sn_judge_fn sn_judge_intervals;                     /* what they allow for: sandwich.c */
sn_judge_fn sn_judge_histories;                     /* forces that were sought: judge_histories.c */
sn_judge_fn sn_judge_seen;                          /* and what the data see of them: judge_seen.c */
sn_judge_fn sn_judge_hold_out;                      /* judge_hold_out.c */
sn_judge_fn sn_judge_minimum, sn_judge_mixture;     /* the minimum, and the only one? judge_minimum.c */

/* The linear problem by which the histories of an estimate are judged: that of its fit, or where this has no
   values as unknowns that of a study with coarser ones (kalman_seen.c). Parts of histories and the other
   unknowns are the same in both. */
typedef struct sn_seen_problem {
    sn_fit *fit;           /* evaluated at z, with its rows */
    const double *z;       /* its unknowns */
    const double *inverse; /* covariance of its unknowns, with the smoothness */
} sn_seen_problem;
/* The inverse of f->A: n x n. */
void sn_seen_inverse(const sn_fit *f, double *inverse);
/* What the data see of all free histories; problem NULL: what can be told without. */
sn_status sn_judge_seen_by(const sn_fit *f, sn_estimate *e, const sn_seen_problem *problem, sn_err *err);
/* Whether it has to be there: there are several histories, other unknowns, or bands that are not narrow. */
int sn_seen_wanted(const sn_estimate *e);

/* Covariance of z: inverse of A (n x n) over the unknowns that are not at bounds; INFINITY on the diagonal of
   those that the data do not determine. */
sn_status sn_covariance(const sn_fit *f, const double *A, sn_estimate *e, sn_err *err);
/* The covariance, degrees of freedom and standard errors with regard to residuals that are not white, to
   channels that share noise and to the loss function: sandwich.c. After sn_look_at_channels. */
sn_status sn_sandwich(sn_fit *f, sn_estimate *e, sn_err *err);
/* Where noise has a model that was found with the fit: what it means for the estimates, before the fit is
   evaluated for the judges; and its part in standard errors and degrees of freedom, after sn_sandwich: gls.c.
 */
sn_status sn_gls_look(sn_fit *f, sn_estimate *e, sn_err *err);
void sn_gls_widen(const sn_fit *f, sn_estimate *e);
/* Are the residuals of a channel not white? By the tests of neighbours, patterns and lines, 1 % over all
   channels that are fitted; residuals that are rounding only are not looked at. */
int sn_channel_coloured(const sn_estimate *e, int experiment, int channel);
/* Values, standard errors, intervals and correlations that follow from the covariance. */
void sn_standard_errors(const sn_fit *f, sn_estimate *e);

/* Residuals, their size and colour, of every channel of the experiments that are held out or not. */
sn_status sn_look_at_channels(const sn_fit *f, sn_estimate *e, int held_out, sn_err *err);
/* After it, with the rows of the Jacobian: probabilities of the tests where the unknowns take up a good part
   of the numbers measured, judge_taken.c. */
sn_status sn_look_at_taken(const sn_fit *f, sn_estimate *e, sn_err *err);
/* Parts of it, for whoever has draws of his own: SN_TEST_COUNT normal numbers of residuals r, SN_TAKEN_DRAWS
   apart in z; p of each test of a channel by all of them (which are sorted). */
enum { SN_TAKEN_DRAWS = 200 };
#define SN_TAKEN_MUCH 0.01 /* part of the numbers measured: with less the tests are right as they are */
sn_status sn_taken_test(int n, const double *r, double *z, sn_err *err);
void sn_taken_measure(sn_channel_fit *q, double *z);

/* How likely noise alone would look as the residuals of all channels do, after sn_look_at_channels. */
double sn_residuals_chance(const sn_study *s, sn_estimate *e);
#define SN_DOUBTFUL 1e-2 /* below that they may not be noise */

/* Eigenvalues (ascending) and vectors (rows of V) of a symmetric matrix; V holds the matrix before. */
sn_status sn_eigen(int n, double *V, double *w, sn_err *err);

/* How likely noise would look as the residuals of a fit do that was evaluated by sn_fit_signals: fit_noise.c.
 */
sn_status sn_fit_noise_chance(const sn_fit *f, double *chance, sn_err *err);

#endif
