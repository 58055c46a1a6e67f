/* Residuals that are not white, and what that means for the errors of the estimates.

   Least squares J'r = 0 scatter with the covariance A^-1 (J' S J) A^-1 where S is the covariance of the noise
   (White, Econometrica 48, 1980); with white noise of unit variance that is A^-1. S comes from models of the
   channels' residuals (noise_model.h), one for all experiments that measure a channel at the same rate. The
   models are fitted by restricted likelihood (Patterson and Thompson, Biometrika 58, 1971): residuals are
   smaller and less correlated than the noise was, since the unknowns have followed it. With a loss function
   residuals stand for their scores psi(r), and A for the sum of psi'(r) J'J (Huber, Robust Statistics, 7.6).
 */
#ifndef SN_IDENTIFY_COLOUR_H
#define SN_IDENTIFY_COLOUR_H

#include "identify/judge.h"
#include "identify/noise_model.h"

typedef struct sn_colour_series {
    int experiment, channel; /* of the experiment */
} sn_colour_series;

/* Residuals of a channel in all experiments that measure it at the same rate. */
typedef struct sn_colour_group {
    int channel, n; /* of the model; series */
    sn_colour_series *series;
    double dt;                /* 0: not on a grid */
    int kind, order;          /* SN_NOISE_... that the study says, and the order of an autoregression */
    int exponential;          /* white noise and an exponential part, not an autoregression */
    int held;                 /* its size is the one that was stated */
    double shortest, longest; /* logarithms of the distance of samples and of the length of the data */
    int coloured;             /* not white */
    int stated, known;        /* its deviation was stated, and is believed */
    double count, gain;       /* samples; mean of psi'(r), 1 for squares */
    int shapes;               /* numbers that the model's shape depends on */
    double shape[SN_AR_MOST]; /* these: atanh of partial autocorrelations, or logarithms of time and ratio */
    sn_noise_model model;
    double *M, logdet; /* (n + 1)^2: products of the whitened columns score, J; of their variances */
} sn_colour_group;

typedef struct sn_colour {
    const sn_fit *f;
    sn_arena arena;
    int n, *unknown, *column; /* unknowns that can move: their numbers; the column of each, or -1 */
    int groups;
    sn_colour_group *group;
    int **group_of;          /* of each experiment's channels; -1: held out */
    int heavy;               /* too many numbers for the likelihood: models are Burg's, M is not made */
    double *trial;           /* (n + 1)^2: M of a model that is tried */
    double *prior, *pull;    /* n x n, n: what priors and smoothness add to A and to J'r */
    double *y, *x, *m;       /* scratch: a sample, the states of a filter, its products */
    double *A, *b, *d, *inv; /* scratch of the likelihood: sums of M, d = A^-1 b, inverse */
} sn_colour;

/* All channels white, until they are fitted. f: evaluated by sn_fit_rows. */
sn_status sn_colour_new(const sn_fit *f, const int *at_bound, sn_colour **out, sn_err *err);
void sn_colour_free(sn_colour *c);

/* Sum over the groups of psi' J'J, with priors (n x n). */
void sn_colour_left_side(sn_colour *c, double *A);
/* psi(r) of the study's loss function. */
double sn_colour_score(const sn_fit *f, double r);

/* Models of the groups that are `coloured`; the variances of others where a loss function makes them unknown.
 */
sn_status sn_colour_fit(sn_colour *c, sn_err *err);
/* The model of group g with other shape numbers and the variance that suits them; the value is -2 times the
   logarithm of the restricted likelihood, up to a constant. M goes to `trial`. */
double sn_colour_try(sn_colour *c, int g, const double *shape, sn_noise_model *out, double *logdet);
/* Covariance of the shape numbers (shapes x shapes), as far as the series tells. */
void sn_colour_shape_covariance(sn_colour *c, int g, double *out);
/* J' S J (n x n) of group g alone with a model: sandwich.c. */
sn_status sn_colour_meat(const sn_colour *c, int g, const sn_noise_model *m, double *B, sn_err *err);
/* Degrees of freedom that are left for the variance of group g. */
double sn_colour_freedom(const sn_colour *c, int g);

#endif
