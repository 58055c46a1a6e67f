/* How far to believe an estimate: what the judges share. */
#ifndef SN_IDENTIFY_JUDGE_H
#define SN_IDENTIFY_JUDGE_H

#include "identify/result.h"

/* A judge looks at the fit, evaluated at e->z with the rows of its Jacobian (sn_fit_rows), and at what is
   known of the estimate by then, and adds verdicts. It leaves the fit as it was, or evaluates it again. */
typedef sn_status sn_judge_fn(sn_fit *f, sn_estimate *e, sn_err *err);

sn_judge_fn sn_judge_directions, sn_judge_unknowns; /* what the data can see: judge_unknowns.c */
sn_judge_fn sn_judge_residuals;                     /* are the residuals noise? judge_residuals.c */
sn_judge_fn sn_judge_modal;                         /* are modes and responses met? judge_modal.c */
sn_judge_fn sn_judge_model;                         /* what the model may lack: judge_model.c */
sn_judge_fn sn_judge_hold_out;                      /* judge_hold_out.c */

/* Covariance of z: inverse of A over the unknowns that are not at bounds; INFINITY on the diagonal of those
   that the data do not determine. */
sn_status sn_covariance(const sn_fit *f, sn_estimate *e, sn_err *err);
/* Values, standard errors, intervals and correlations that follow from the covariance. */
void sn_standard_errors(const sn_fit *f, sn_estimate *e);

/* Residuals, their size and colour, of every channel of the experiments that are held out or not. */
sn_status sn_look_at_channels(const sn_fit *f, sn_estimate *e, int held_out, sn_err *err);

/* Eigenvalues (ascending) and vectors (rows of V) of a symmetric matrix; V holds the matrix before. */
sn_status sn_eigen(int n, double *V, double *w, sn_err *err);

#endif
