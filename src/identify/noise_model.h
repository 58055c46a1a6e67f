/* Noise that is not white: an autoregression on the grid of the samples,

       r_t = a_1 r_(t-1) + ... + a_p r_(t-p) + e_t

   or white noise beside a part whose correlation falls exponentially in time, for samples at any times. Both
   are state-space models, and Kalman's filter makes of a series with missing values the white one of its
   innovations: each sample less what the ones before it tell, over the deviation of that. The same filter
   applied to the columns of a Jacobian turns least squares into generalised least squares (Harvey,
   Forecasting, Structural Time Series Models and the Kalman Filter, 1989, ch. 3). */
#ifndef SN_IDENTIFY_NOISE_MODEL_H
#define SN_IDENTIFY_NOISE_MODEL_H

#include "base/mem.h"

/* The highest order, and that of a noise model that a study asks for: noise of instruments needs few numbers,
   and many follow any misfit. */
enum { SN_AR_MOST = 20, SN_AR_OF_NOISE = 6 };

typedef struct sn_noise_model {
    int p;                /* order of the autoregression; 0: none */
    double a[SN_AR_MOST]; /* its coefficients */
    double dt;            /* distance of the samples it is for */
    double variance;      /* of e, or of the white part */
    double size, time;    /* variance and correlation time of the exponential part; size 0: none */
} sn_noise_model;

sn_noise_model sn_noise_white(double variance);

/* From partial autocorrelations k (|k| < 1) to the coefficients of a stationary autoregression (Levinson and
   Durbin), and back. */
void sn_ar_of_partial(int p, const double *k, double *a);
void sn_ar_partial(int p, const double *a, double *k);
/* Autocovariances of lags 0 .. n - 1 of an autoregression whose e has unit variance. */
void sn_ar_autocovariance(int p, const double *a, int n, double *g);

/* Variance of a sample by itself. */
double sn_noise_variance(const sn_noise_model *m);

/* Correlations of samples 0 .. n - 1 distances dt apart. */
void sn_noise_correlation(const sn_noise_model *m, double dt, int n, double *g);

/* Variance by frequency of samples dt apart, w in radians a sample: its mean over 0 .. pi is the variance. */
double sn_noise_spectrum(const sn_noise_model *m, double dt, double w);

/* The innovations of several series that share their times and what is missing: the first of them is the
   noise, others are columns of its derivatives. Begin with run = 0. */
typedef struct sn_whitener {
    const sn_noise_model *m;
    int columns;
    double *x;                         /* columns rows of SN_AR_MOST: what is expected, given by the user */
    double P[SN_AR_MOST * SN_AR_MOST]; /* its covariance */
    double t;                          /* of the last sample */
    int begun, run;                    /* samples without a gap up to it */
} sn_whitener;

/* The next sample y (columns), which becomes its innovation in units of its deviation. Returns the logarithm
   of its variance. */
double sn_whiten(sn_whitener *w, double t, double *y);

/* The other way: from an innovation in units of its deviation to the sample; w of one column. */
double sn_colour_sample(sn_whitener *w, double t, double e);

/* What is expected of the exponential part at n times, given all samples y (NAN: missing), and its standard
   deviation. Distance of neighbours in the arrays: stride. */
void sn_noise_smooth(const sn_noise_model *m, int n, const double *t, const double *y, int stride,
                     double *mean, double *deviation);

/* Grid of n ascending times: their usual distance, or 0 where they are not on a grid. */
double sn_grid_of(int n, const double *t);
/* Steps of the grid between two samples. */
int sn_grid_steps(double dt, double from, double to);

/* Autoregression of series x (n, NAN: missing; a gap of the grid is one) by Burg's method with the order of
   Schwarz' criterion, most at most. */
sn_status sn_ar_burg(size_t n, const double *x, int most, sn_noise_model *out, sn_err *err);
/* The same of a given order. */
sn_status sn_ar_burg_order(size_t n, const double *x, int order, sn_noise_model *out, sn_err *err);

#endif
