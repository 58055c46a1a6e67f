/* What a pass of the filter and smoother becomes of an estimate. */
#ifndef SN_IDENTIFY_KALMAN_JUDGE_H
#define SN_IDENTIFY_KALMAN_JUDGE_H

#include "identify/kalman_pass.h"
#include "identify/result.h"

/* Signals at the start, and what is odd about the data. */
sn_status sn_kalman_look(const sn_kalman_pass *p, sn_estimate *e, const sn_solve_options *o, sn_err *err);
/* Estimates, bands, histories and verdicts of the last pass. */
sn_status sn_kalman_judge(const sn_kalman_pass *p, sn_estimate *e, sn_err *err);
/* Tests of residuals by draws, where histories take up a good part of the numbers: kalman_draws.c. */
sn_status sn_kalman_look_at_taken(const sn_kalman_pass *p, sn_estimate *e, sn_err *err);
/* What the data see of the histories: kalman_seen.c. */
sn_status sn_kalman_judge_seen(const sn_kalman_pass *p, sn_estimate *e, sn_err *err);

#endif
