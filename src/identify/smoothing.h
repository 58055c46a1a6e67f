/* How smooth histories are: the term that their differences add to the cost, and how its weight is found from
   the data. See history.h for what it means. */
#ifndef SN_IDENTIFY_SMOOTHING_H
#define SN_IDENTIFY_SMOOTHING_H

#include "identify/history.h"
#include "identify/result.h"

/* Free histories, whose values are unknowns one by one. */
int sn_smoothing_needed(const sn_study *s);

/* The term at z: its cost, added to g (n) and A (n x n), each or NULL; only != 0: of that history alone,
 * from 1.
 */
double sn_smoothing_add(const sn_study *s, const double *z, int only, double *g, double *A);

/* Weights by the data, with the fit evaluated with derivatives over all of them at z: the linearised problem
   for every weight of a grid. *change: the largest ratio of a weight to the one before. The curves become
   those of the estimate's histories (e->curve, one for each of the study's), f->freedom the effective number
   of unknowns. */
sn_status sn_smoothing_choose(sn_fit *f, const double *z, sn_estimate *e, double *change, sn_err *err);

/* What makes the evidence of histories with differences of any order, or of other places, comparable
   (smoothing_order.c); NAN where the data do not see polynomials. A: of the fit at z, n x n; only != 0: of
   that history alone, from 1. */
sn_status sn_smoothing_improper(const sn_fit *f, const double *z, int only, const double *A, double *out,
                                sn_err *err);

/* With the rows of the Jacobian at z: how many numbers of each channel the fit takes up (part->lever), and
   the logarithm of the evidence, up to a constant of the data. */
sn_status sn_smoothing_levers(sn_fit *f, const double *z, double *evidence, sn_err *err);

/* Do the data of its experiment, at the last evaluation, change with a history at all? */
int sn_smoothing_felt(const sn_fit *f, const sn_history_part *p);

/* Covariance of histories with total variation, from draws of their posterior, in place of that of the fit at
   e->z: variation_bands.c. */
sn_status sn_variation_bands(sn_fit *f, sn_estimate *e, sn_err *err);

#endif
