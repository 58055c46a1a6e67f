/* The least-squares problem of a study: unknowns in the optimiser's coordinates, residuals of all experiments
   in units of their noise, normal equations from exact sensitivities.

   z = ln(x) or x / scale of each unknown. r = (sensor - measured) / sigma, missing values left out; the cost
   is half the sum of squares (or Huber's function) and of what priors and the ridge add. */
#ifndef SN_IDENTIFY_FIT_H
#define SN_IDENTIFY_FIT_H

#include "analysis/sim.h"
#include "identify/study.h"
#include "sensitivity/forward.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct sn_memo sn_memo; /* what is kept of earlier work: memo.h */

/* One experiment's part. */
typedef struct sn_part {
    int n, *unknown;    /* local unknowns: numbers in the study; those of the model first */
    int own, clock;     /* how many of the model there are; the one of the time offset, or -1 */
    int nx, *id;        /* quantities that move: of the unknowns, then of the ties */
    double *dx;         /* nx x n: dx/dz */
    double *A, *g;      /* n x n, n: its normal equations */
    double *r, *model;  /* samples x channels: residuals (NAN: missing), sensors */
    sn_whitener *white; /* of each channel, at the last sample; NULL: residuals stay as they are */
    double *whole;      /* a residual and its derivatives: scratch */
    int plain;          /* noise is taken for white */
    double *J;          /* (samples x channels) x n: dr/dz, without the loss function's weights; or NULL */
    double cost, count; /* numbers that count */
    double *lever;      /* of each channel: how many numbers the unknowns take up of it; NULL: not known */
    int kept;           /* from earlier: r and model are not there */
    struct sn_mode_pair *pair; /* of each row of an experiment of modes: modal.h */
    sn_values *values;
    sn_status status;
    sn_err err;
    sn_info info;
} sn_part;

typedef struct sn_fit {
    const sn_study *s;
    int n;
    double *lower, *upper; /* of z */
    sn_part *part;
    double *A, *g;               /* n x n, n */
    double *ridge, ridge_weight; /* pull towards these z; weight 0: none */
    double cost, count, scale;   /* scale: of the noise, where it is one for all */
    double freedom;              /* effective number of unknowns, where histories are smooth; 0: n */
    long simulations, kept;      /* all, and those of them that were kept from earlier */
    const sn_memo *memo;         /* or NULL */
    int group;                   /* of what is kept in it: random start, from 1; 0: none */
    int rows;                    /* of the Jacobian are wanted */
    int plain;                   /* whatever the noise is like, it is taken for white */
    int signals;                 /* residuals and signals are wanted: nothing is taken from earlier */
    double *seen;                /* where `is_seen`: z of the residuals that the parts have, of all data */
    int is_seen;
    int is_ready; /* A and g are those of all data at `seen`, without the ridge */
    int threads;
    sn_sim **sim; /* of each thread, for all its runs; NULL: none yet */
    int (*progress)(void *ctx, double done, double t);
    void *ctx;
    double window;      /* the first one of a growing horizon, s; 0: all data at once */
    double done, share; /* guessed, for the progress: of all, and the part of all that the first search is */
    int stopped;        /* the user has had enough */
    double deadline;    /* of sn_clock: what is not there by then is stopped, too; 0: none */
} sn_fit;

/* A sample (row) of an experiment becomes residuals, cost and normal equations of its part: residual.c. y
   (channels): what the model would show there (NAN: nothing that counts), d (channels x p->n): its
   derivatives by z. Samples come in the order of time. Of A the lower triangle is made. */
void sn_part_add(const sn_study *s, const sn_experiment *x, sn_part *p, int row, int derivatives,
                 const double *y, const double *d);

/* Whitens a column of an experiment (samples x channels) as its residuals are, where these are not missing.
   room: SN_AR_MOST. */
void sn_part_whiten(const sn_experiment *x, const sn_part *p, double *column, double *room);

/* A residual in units of the noise as it is before that. */
double sn_part_residual(const sn_experiment *x, const sn_part *p, int row, int c);

/* Runs of a fit ask for the user's patience while they are under way. The thread that made the poll asks, ten
   times a second, also while it waits for others; `stop` is for all. */
typedef struct sn_poll {
    const sn_fit *f;
    pthread_t caller;
    double last; /* when it was asked */
    atomic_int stop;
} sn_poll;
sn_poll sn_fit_poll(const sn_fit *f);
int sn_fit_stop(void *poll, double done, double t); /* the progress of a run */

sn_status sn_fit_new(const sn_study *s, int threads, sn_fit **out, sn_err *err);
void sn_fit_free(sn_fit *f);

double sn_fit_value(const sn_study *s, int k, double z); /* the unknown's value */
double sn_fit_z(const sn_study *s, int k, double value);
void sn_fit_start(const sn_fit *f, double *z);

/* Sets the values of experiment e to those at z, and its dx. */
sn_status sn_fit_set(sn_fit *f, int e, const double *z, sn_err *err);
/* The same with scratch of n numbers. */
sn_status sn_fit_set_with(sn_fit *f, int e, const double *z, double *values, sn_err *err);

/* Calls work(ctx) in as many threads as the fit may have, n at most, this one included, and waits for all.
   Where a thread cannot be had the others do its work. While it waits it asks stop(poll, 0, 0) now and then.
 */
typedef struct sn_together {
    void *(*work)(void *ctx);
    void *ctx;
    int (*stop)(void *poll, double done, double t);
    void *poll;
} sn_together;
void sn_fit_together(const sn_fit *f, int n, const sn_together *all);

/* A run of the study's model by the simulation of a thread: 0 .. threads - 1, of work that is not shared 0.
 */
sn_status sn_fit_run(const sn_fit *f, int thread, const sn_values *p, const sn_run_options *o,
                     const sn_follow *follow, sn_info *info, sn_err *err);

/* From the data's clock to the model's; *delta: how far the moments before and after a sample are, which give
   its rate where an offset is sought. */
double sn_fit_shift(const sn_study *s, const sn_experiment *x, const double *z, double *delta);
/* Adds to g (of all unknowns) the derivatives of the cost of experiment e by what the model does not know of:
   instruments and clock. */
sn_status sn_fit_instruments(sn_fit *f, int e, const double *z, double *g, sn_err *err);
/* Adds cost and derivatives of experiment e by forward sensitivities. */
sn_status sn_fit_forward(sn_fit *f, int e, const double *z, double *cost, double *g, sn_err *err);

/* Cost at z with data up to the horizon (INFINITY: all) of the experiments that are held out or not; with
   derivatives also A = J'J and g = J'r. SN_ERR_NUMERIC: a run failed, the cost is infinite (not an error of
   the study). */
sn_status sn_fit_evaluate(sn_fit *f, const double *z, double horizon, int held_out, int derivatives,
                          sn_err *err);

/* The same with the residuals and signals of all parts, which costs a simulation even where its result is
   kept from earlier. */
sn_status sn_fit_signals(sn_fit *f, const double *z, int held_out, int derivatives, sn_err *err);
/* The same of the parts that are fitted with the rows of their Jacobian, which stay until the next
 * evaluation. */
sn_status sn_fit_rows(sn_fit *f, const double *z, sn_err *err);
/* Residuals of the parts that are fitted, at z; nothing to do where they are there. Cost, A and g may be
 * lost. */
sn_status sn_fit_residuals(sn_fit *f, const double *z, sn_err *err);

/* Levenberg and Marquardt's method. fixed (n, or NULL): unknowns that stay. */
typedef struct sn_step {
    int iteration, stage;
    double cost, rms, change, damping, horizon;
    long simulations;
    double done; /* guessed part of the whole */
    const double *z;
} sn_step;
typedef struct sn_search {
    double horizon, tolerance;
    double damping; /* at first; 0: 1e-2 */
    int most, held_out, stage;
    int ready; /* the fit was evaluated at the start last, with derivatives */
    const unsigned char *fixed;
    void (*told)(void *ctx, const sn_step *step); /* each iteration that counts; or NULL */
    void *ctx;
    int *counter;             /* of iterations, over several searches; or NULL */
    struct sn_minima *minima; /* gets the places that a growing horizon cannot tell apart; or NULL */
    unsigned long long seed;  /* of a growing horizon's alternatives; 0: the usual ones */
    int undecided;            /* out: a growing horizon had several places in its long windows */
    int converged;            /* out */
    const char *reason;       /* out */
} sn_search;
sn_status sn_marquardt(sn_fit *f, double *z, sn_search *o, sn_err *err);

#endif
