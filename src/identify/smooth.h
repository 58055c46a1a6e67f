/* Smoothing splines: value, rate and acceleration of a sampled channel, with an estimate of its noise.

   g minimises  sum (y_i - g(t_i))^2 + alpha * integral of (g^(m))^2,  m the order: a natural spline of degree
   2 m - 1 with knots at the samples. Order 2 is the cubic smoothing spline, 3 the quintic one, which is the
   one for accelerations; polynomials of degree m - 1 pass unchanged whatever the penalty, so order 4 keeps
   cubics. */
#ifndef SN_IDENTIFY_SMOOTH_H
#define SN_IDENTIFY_SMOOTH_H

#include "base/mem.h"

enum { SN_SMOOTH_ORDER = 4 }; /* highest */

typedef struct sn_smooth_options {
    int order;      /* 2, 3 or 4 */
    double noise;   /* stated standard deviation of a sample: the penalty has the least expected error; 0: the
                       penalty by generalised cross-validation */
    double penalty; /* given, in units of the mean distance of samples to the power 2 m - 1; 0: chosen */
} sn_smooth_options;

typedef struct sn_smooth {
    sn_arena arena;
    int order, n;        /* samples that count: those that are not NAN */
    double begin, unit;  /* time of the first one, mean distance */
    double *u, *g;       /* n: times in units, smoothed values */
    double *gamma;       /* n - order: coefficients of g^(m) in B-splines */
    double *slope;       /* n rows of order - 1: derivatives at the knots */
    double penalty;      /* used */
    double noise;        /* standard deviation of a sample: stated, or from the residuals */
    double rss, freedom; /* sum of squares of residuals; n less the trace of the smoother */
    double deviation[3]; /* what that noise leaves in value, rate and acceleration away from the ends */
} sn_smooth;

sn_smooth_options sn_smooth_options_default(void); /* quintic, cross-validation */
/* t ascending; y may hold NAN where a sample is missing. */
sn_status sn_smooth_new(int n, const double *t, const double *y, const sn_smooth_options *o, sn_smooth **out,
                        sn_err *err);
void sn_smooth_free(sn_smooth *s);
/* Value, first and second derivative; beyond the samples the polynomial of degree m - 1 that goes on from
   them. */
void sn_smooth_at(const sn_smooth *s, double t, double y[3]);

#endif
