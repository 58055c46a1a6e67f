/* Are residuals noise? Tests of one channel's series, each with a known probability under white noise.

   Together they see what is left over in different shapes: neighbours that are alike (Ljung and Box), a slow
   or broad pattern (Bartlett's cumulated periodogram), one weak oscillation in a long record (Fisher's test
   of the largest line), a constant (the mean), and more than what changes from sample to sample (noise seen).
 */
#ifndef SN_IDENTIFY_RESIDUAL_TESTS_H
#define SN_IDENTIFY_RESIDUAL_TESTS_H

#include "identify/noise_model.h"

enum { SN_TEST_NEIGHBOURS, SN_TEST_PATTERN, SN_TEST_LINE, SN_TEST_MEAN, SN_TEST_COUNT };

typedef struct sn_residual_tests {
    double mean, deviation; /* of the series */
    double period;          /* of the strongest line, in samples */
    double line;            /* its part of the variance */
    double p[SN_TEST_COUNT];
    double least; /* how likely white noise would have any p so small: the least, by the number of tests */
    int which;    /* test with the least p */
} sn_residual_tests;

/* neighbours: p of Ljung and Box's test, known already. r: n residuals, nothing missing. */
sn_status sn_residual_tests_of(int n, const double *r, double neighbours, sn_residual_tests *out,
                               sn_err *err);

/* Noise of n samples y as seen from sample to sample: the least that differences of order 1 to 6 leave, since
   a smooth signal only adds to them. Times must be about equally spaced (NAN otherwise, and where there are
   too few). An upper limit where the signal changes within a sample. */
double sn_noise_seen(int n, const double *t, const double *y);
/* The same of noise that follows itself as a model says: its whole deviation. */
double sn_noise_seen_like(int n, const double *t, const double *y, const sn_noise_model *like);

/* Two-sided: how likely |x| is exceeded by a normal number of unit variance. */
double sn_normal_tail(double x);

#endif
