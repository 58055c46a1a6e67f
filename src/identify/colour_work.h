/* What makes the likelihood of models of noise, and what seeks the best, share. */
#ifndef SN_IDENTIFY_COLOUR_WORK_H
#define SN_IDENTIFY_COLOUR_WORK_H

#include "identify/colour.h"

/* The model of unit variance (of e, or of the white part) with these shape numbers. */
sn_noise_model sn_colour_model(const sn_colour_group *q, const double *shape);
/* M of group q with a model; returns the sum of the logarithms of variances. */
double sn_colour_products(const sn_colour *c, const sn_colour_group *q, const sn_noise_model *model,
                          double *M);
/* With group g's products replaced by M / v: log det A + the sum of squares that the unknowns leave; own: sum
   of squares of M itself and its part of the freedom. Leaves d and the inverse of A. */
double sn_colour_likelihood(sn_colour *c, int g, const double *M, double v, double own[2]);
/* Where the likelihood is not made all samples have the same part in the unknowns. */
double sn_colour_freedom_of_all(const sn_colour *c, double count);

#endif
