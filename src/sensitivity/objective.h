/* Numbers of a run that can be differentiated: expressions of functionals of the sensors.

   A functional is a sensor at a time (tip.x@2.0; tip.x alone: at the end), or, with g any expression of
   sensors and t, integral(g), mean(g), rms(g), peak(g, k), valley(g, k) over the run, by the trapezoidal rule
   over its steps; peak is the smooth maximum ln(mean(exp(k g)))/k, k times the range of g being its
   sharpness; misfit() and misfit(tip.x) are sums of squares against data. An objective is any expression of
   these. */
#ifndef SN_ANALYSIS_OBJECTIVE_H
#define SN_ANALYSIS_OBJECTIVE_H

#include "analysis/analysis.h"

/* Measured channels at times, rows of n_channel; NAN: missing. */
typedef struct sn_data sn_data;

enum { SN_F_POINT, SN_F_INTEGRAL, SN_F_MEAN, SN_F_RMS, SN_F_PEAK, SN_F_MISFIT };

typedef struct sn_functional {
    int kind, channel; /* channel of a point; of a misfit, -1: all */
    double t, sharp;   /* of a point; of a peak */
    int sign;          /* -1: valley, the negative peak of -g */
    sn_expr *g;
    double value, *d;               /* result, derivatives (np) */
    double top, last, *last_d, sum; /* sums on the way: largest g, that of the step before, weights' sum */
    double weight;                  /* of the objective asked for: its derivative by this functional */
} sn_functional;

typedef struct sn_objective {
    const char *text;
    sn_expr *e; /* of functionals, by number */
    double value, *d;
} sn_objective;

/* All objectives of one gradient. */
typedef struct sn_objectives {
    sn_arena arena;
    const sn_model *m;
    int np, n;
    sn_objective *list;
    sn_functional *f;
    int n_f, cap_f;
    const sn_data *data;
    double begin, end;
    unsigned char *wanted; /* sensors that count */
    int steps;             /* some functional looks at each step */
    double *times;         /* of all samples, ascending */
    int n_times;
} sn_objectives;

/* The options' objectives, with room for derivatives by np numbers; of statics: sensors only, without times.
 */
sn_status sn_objectives_new(const sn_model *m, const sn_gradient_options *o, int np, sn_objectives **out,
                            sn_err *err);
void sn_objectives_free(sn_objectives *s);

/* A step has been made to t (the first call: the start), dt s long; y all channels, dy with np columns or
 * NULL. */
void sn_objectives_step(sn_objectives *s, double t, double dt, const double *y, const double *dy);
/* The sample at times[i]. */
void sn_objectives_sample(sn_objectives *s, int i, const double *y, const double *dy);
/* All has been seen: values and derivatives of functionals and objectives. */
void sn_objectives_finish(sn_objectives *s, int with_derivatives);

/* Weights for objective i; then y_bar += what it feels of the channels at a step (w: the sum of half its
   neighbouring steps), at sample i. */
void sn_objectives_weigh(sn_objectives *s, int i);
void sn_objectives_seed_step(const sn_objectives *s, double t, double w, const double *y, double *y_bar);
void sn_objectives_seed_sample(const sn_objectives *s, int i, const double *y, double *y_bar);

#endif
