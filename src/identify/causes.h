/* Faults of sensors that would explain the residuals: offset, gain, delay and drift of a channel, a clock
   that is off, a common factor, cross-talk and a turned sensor, each as one more column beside the Jacobian.

   With phi orthogonal to the Jacobian, residuals r + c phi are smallest at c = -phi'r / phi'phi. How sure c
   is follows from the residuals that would be left, of each channel its own size and an autoregression of
   first order, so that neither an estimated noise that contains the fault nor coloured noise deceives. What
   is explained is counted by the likelihood with the noise of each channel free: 2 ln L rises by the sum of n
   ln(S/S'). The best is taken, the others are tried again beside it, until none is sure. Where that explains
   too little two faults of one channel are tried together: of an offset and a gain each may be nothing
   without the other. */
#ifndef SN_IDENTIFY_CAUSES_H
#define SN_IDENTIFY_CAUSES_H

#include "identify/projection.h"
#include "identify/result.h"

enum {
    SN_CAUSE_OFFSET,
    SN_CAUSE_GAIN,
    SN_CAUSE_DELAY,
    SN_CAUSE_DRIFT,
    SN_CAUSE_CLOCK,
    SN_CAUSE_FACTOR,
    SN_CAUSE_CROSS,
    SN_CAUSE_TURN
};
enum { SN_CAUSES = 3 }; /* at most */

typedef struct sn_cause {
    int kind;
    int experiment;     /* -1: all that are fitted */
    int channel, other; /* numbers in the experiment, of all experiments numbers of the model's channels */
    double c,
        std_error; /* in the unit of the channel, of gains 1, of delays s, of drifts unit/s, of turns rad */
    double gain;   /* of 2 ln L */
    double p;      /* of noise doing so in any of the tests */
    double *moves; /* n unknowns: by how much z would move */
    double shift;  /* of a delay or a clock: about which the signal is developed; 0: linear in it */
} sn_cause;

typedef struct sn_causes {
    sn_fit *f;
    sn_projection *projection;
    size_t n;                             /* residuals of all parts that are fitted */
    size_t *at;                           /* where those of each experiment begin */
    int *slot, slots;                     /* of each experiment: first of its channels, each a slot */
    double *r, *phi, *left, *rate, *made; /* residuals now; a column; what it leaves; model's rates; SN_CAUSES
                                             columns taken */
    double *first, *kept;                 /* residuals as they were, and as they were before a trial */
    double **view;                        /* phi of each experiment */
    double *count, *square, *after, *seen; /* of each slot: numbers, sums of squares before and after,
                                              variance of the noise seen */
    double *pull; /* of each slot: what smoothness makes of its signal times its residuals, cause_pull.c */
    double *dz;
    int tests;
    sn_cause cause[SN_CAUSES], rival; /* taken, and another that explains nearly as much as the first (gain 0:
                                         none) */
    int n_cause;
    double possible, explained; /* rise of 2 ln L if only the noise seen were left; by the causes */
    int noise;                  /* what the causes leave is noise */
    int pairs;                  /* two faults of one channel are tried together */
    int explains;               /* out: the causes explain the residuals; otherwise nobody is to be accused */
} sn_causes;

/* f: at the estimate, by sn_fit_rows; it stays so. */
sn_status sn_causes_new(sn_fit *f, const sn_estimate *e, sn_causes **out, sn_err *err);
void sn_causes_free(sn_causes *q);
/* q->pull of all slots, and the sum of those that a gain is of. */
sn_status sn_causes_pull(sn_causes *q, sn_err *err);
double sn_cause_pull(const sn_causes *q, const sn_cause *a);
sn_status sn_causes_find(sn_causes *q, sn_err *err);

/* Rate of a series at sample i, by a cubic through four neighbours or more where they are at equal distances,
   else by a parabola. */
double sn_cause_rate(const sn_experiment *x, const double *m, int c, int i);
/* What the model would show more of channel c at sample i, of experiment e, for a->c = 1. */
double sn_cause_column(const sn_causes *q, const sn_cause *a, int e, int i, int c);

#endif
