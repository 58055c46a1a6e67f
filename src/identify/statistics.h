/* Statistics of residuals, profile likelihood, forces with bands. */
#ifndef SN_IDENTIFY_STATISTICS_H
#define SN_IDENTIFY_STATISTICS_H

#include "identify/result.h"

/* What a Student-distributed number of so many degrees of freedom stays within in 95 % of the cases; 2 at
   least. */
double sn_student_95(double freedom);
double sn_chi_square_tail(double x, double degrees); /* probability that chi square exceeds x */
sn_status sn_whiteness_of(sn_arena *arena, int n, const double *r, sn_whiteness *w, sn_err *err);
/* Intervals by profile likelihood into e->lo, e->hi. */
sn_status sn_profile(sn_fit *f, sn_estimate *e, sn_err *err);
/* Forces and reactions with the standard errors that the estimates leave them. */
sn_status sn_efforts(const sn_fit *f, sn_estimate *e, sn_err *err);

#endif
