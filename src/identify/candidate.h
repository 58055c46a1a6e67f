/* Numbers of the model that are not sought, but could be: would one of them explain the residuals? */
#ifndef SN_IDENTIFY_CANDIDATE_H
#define SN_IDENTIFY_CANDIDATE_H

#include "identify/study.h"

/* What freeing a number would do, by the linear problem at the estimate or by a fit with it. */
typedef struct sn_gain {
    double value, std_error; /* the number would be so; NAN: nothing is known */
    double chi_square; /* by how much the sum of squares falls, in units of the noise seen in the residuals */
    double explains;   /* which part of the excess over that noise this is, 0 .. 1 */
    double log_likelihood; /* by how much it rises, with the noise of each channel free */
    double left;           /* size of the residuals then, in units of the noise seen */
    double *moves;         /* n_unknown: how the unknowns move, in their standard errors */
} sn_gain;

typedef struct sn_candidate {
    const char *name;        /* as the command line has it: "elbow.mu" */
    const char *place;       /* "joint elbow"; of a parameter "parameter m2" */
    const char *entry;       /* "elbow", or "" */
    const char *slot, *unit; /* "mu" */
    const char *doc;         /* what the number is, or "" */
    int id;                  /* quantity */
    int order;               /* the lower, the sooner it is believed where others do as well */
    int block;               /* none of a block depends on another of it */
    int lever;               /* quantity without which it has no effect and which is 0, or -1 */
    double now, lower, upper;
    sn_gain score; /* linear */
    double p;      /* how likely noise would do as well for one of all candidates */
    int fitted;    /* there is a fit with it: */
    sn_gain fit;   /* what that found */
    double bic;    /* and how the criterion changes: negative is better */
    double chance; /* that noise looks as its residuals do */
    int equal;     /* it does as well as the candidate that is named */
    float *column; /* scratch: what it would add, as far as the unknowns cannot, thinned and of unit size */
    int n_column;
} sn_candidate;

typedef struct sn_candidates {
    sn_candidate *item; /* the best first once they are judged */
    int n, left_out;    /* left_out: those that were too many */
    int named;          /* the one that explains the residuals; -1: none */
    double excess;      /* of chi square over the noise seen */
    double possible;    /* rise of the log likelihood if only the noise seen were left */
} sn_candidates;

/* A lever that is 0 (the radius of a bearing) is taken as this. */
#define SN_LEVER 0.01

/* The numbers of a study's model that come into question, as far as they match `words`: "friction" or
   "dry friction at hinge" (all words must be found in the name or in what the number is),
   "elbow.mu,hinge.ct" (one or the other); NULL: all that have a physical meaning and are no geometry. */
sn_status sn_candidates_list(const sn_study *s, const char *words, sn_arena *arena, sn_candidates *out,
                             sn_err *err);

#endif
