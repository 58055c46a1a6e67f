/* The design of an experiment: which sensors, which excitation, how long and at which rate, so that a fit of
   what will be measured leaves the unknowns with given standard errors.

   Residuals are in units of their noise, so that J'J is Fisher's information of a sample. It adds up over
   samples and channels: one run with sensitivities of all candidates tells what every set of sensors and
   every shorter duration would tell. M(w) = M0 + sum w_i M_i, M0 from priors and experiments that were made.
   With C = M^-1 the criteria are logarithms of standard errors, all convex in the weights w (Pukelsheim,
   Optimal Design of Experiments, 1993, ch. 5 and 6):

       D   ln det C_ss / 2p      the geometric mean of the p semi-axes of the confidence region
       A   ln tr(W C) / 2        the root of the mean square of standard errors in units of their goals
       c   ln (c'C c) / 2        the standard error of one unknown, or of a function of unknowns

   What is sought but not asked for (initial states, offsets) stays in M and is so eliminated: C_ss is the
   inverse of its Schur complement. */
#ifndef SN_IDENTIFY_DESIGN_H
#define SN_IDENTIFY_DESIGN_H

#include "identify/read.h"
#include "identify/result.h"
#include "identify/text.h"

/* A sensor that could be had: one channel, or all channels of a sensor. */
typedef struct sn_sensor_choice {
    const char *name;
    int first, n; /* among the channels of the designed experiment */
} sn_sensor_choice;

/* A number of the model that the experimenter sets. */
typedef struct sn_excitation {
    const char *name, *unit, *shown; /* unit in SI, and the one that it is shown in */
    double shown_factor;
    int id;
    double lower, upper;
    int log; /* searched by its logarithm */
    int n;   /* values of a list; 0: a range */
    const double *list;
    sn_mark mark;
} sn_excitation;

enum { SN_CRITERION_D, SN_CRITERION_A, SN_CRITERION_C };

typedef struct sn_design_section {
    int experiment; /* the designed one: the last of the study */
    sn_sensor_choice *candidate;
    int n_candidate, choose; /* 0: as many as the goals need */
    double *memory;          /* of each channel: s after which its noise has forgotten itself; 0: white */
    sn_excitation *excitation;
    int n_excitation;
    double shortest, longest; /* s, from the beginning of the run */
    double *rate;             /* Hz, ascending: each divides the last */
    int n_rate;
    int criterion;
    const char *function; /* of criterion c: its text */
    double *c;            /* n_unknown: its gradient by z */
    double *goal;         /* n_unknown: standard errors of z; NAN: none */
    int n_goal;
    unsigned char *asked; /* n_unknown: whose standard errors count */
    int robust, evaluations;
    unsigned long seed;
} sn_design_section;

/* Reading, in two parts: the experiment before the unknowns, the rest behind them. */
sn_status sn_design_read_experiment(sn_study *s, const sn_item *root, sn_err *err);
sn_status sn_design_read_goals(sn_study *s, const sn_item *root, sn_err *err);

/* ---- sets of sensors ---- */

/* Information at the start values and at draws of the unknowns, one behind the other. */
typedef struct sn_information {
    const sn_study *s;
    int n, n_candidate, draws;
    double *base;              /* n x n: priors, experiments that were made */
    double *M;                 /* draws x candidates x n x n */
    double *total, *C, *V, *B; /* scratch: n x n each */
} sn_information;

sn_status sn_information_new(const sn_study *s, int draws, sn_information **out, sn_err *err);
void sn_information_free(sn_information *f);
/* Of a draw with weights w of the candidates; into total. */
void sn_information_sum(const sn_information *f, int draw, const double *w, double *total);
/* The criterion with weights w, in the mean over the draws; fall (or NULL): by how much it falls with each
   weight. A wide prior (ten times the value) keeps it finite where something is not seen. */
double sn_criterion(const sn_information *f, const double *w, double *fall);
/* The best set of k sensors into w (0 or 1 each): all are tried where there are few sets, otherwise one after
   the other and by exchange. bound (or NULL): no set of k can have a lower criterion. */
sn_status sn_best_set(const sn_information *f, int k, double *w, double *bound, sn_err *err);

/* ---- the whole ---- */

/* The best set of a number of sensors. */
typedef struct sn_set_size {
    double *w; /* candidates */
    double criterion, bound;
    double *std_error; /* n_unknown, at the longest duration and the highest rate */
    double duration;   /* that reaches the goals; NAN: none does */
} sn_set_size;

typedef struct sn_plan {
    sn_arena arena;
    const sn_study *s;
    const sn_design_section *d;
    double *excitation; /* values chosen */
    sn_set_size *size;  /* of 1 .. n_size sensors */
    int n_size, chosen; /* number of sensors chosen */
    int *order;         /* all candidates: those chosen first, each by what it adds */
    double *adds;       /* by how much each in this order lowers the criterion: the chosen one after the
                           other, the others each by itself to the chosen */
    double **after, **without; /* n_unknown each: standard errors with it and those before it; without it */
    double duration, rate;
    double *rate_duration; /* of each rate: what reaches the goals; NAN: none does */
    double *all;           /* n_unknown: standard errors with all candidates */
    double *worst;         /* n_unknown: the largest over the draws, at the longest duration */
    int draws_reaching;    /* of d->robust: those in which the goals are reached at the longest duration */
    int reached, stopped;
    long simulations;
    double seconds;
    sn_estimate *e; /* standard errors, correlations, directions and verdicts of what was chosen */
} sn_plan;

sn_status sn_plan_make(sn_study *s, const sn_design_options *o, sn_plan **out, sn_err *err);
void sn_plan_free(sn_plan *p);

sn_status sn_plan_json(const sn_plan *p, char **text, size_t *length, sn_err *err);
sn_status sn_plan_summary(const sn_plan *p, char **text, sn_err *err);
/* A study for what will be measured; folder: where it will lie, root: the study that was read. */
sn_status sn_plan_study(const sn_plan *p, const char *folder, sn_text *t, sn_err *err);

#endif
