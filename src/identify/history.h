/* Histories that are sought: signals of the model of which nothing is known but that they are smooth (or have
   few jumps), as values at equally spaced knots, or as a series of sines and cosines.

   A history's values are unknowns of single experiments (SN_OF_MODEL, with `of_history`): the study's model
   is compiled with a signal of the kind `spline` in place of its own. What is known of a history before the
   data is a weight on the squares of its differences (Tikhonov) or on their size (total variation):

       cost += weight/2 sum_i w_i (d^order c)_i^2,   w = 1, or 1/|d c| of the iteration before

   Bayes' reading of it (Wahba 1983): the differences are normal with the variance 1/weight. Then the
   covariance of the values, (J'J + weight P)^-1, holds the noise and, on the average over the history, the
   bias that the smoothing brings. */
#ifndef SN_IDENTIFY_HISTORY_H
#define SN_IDENTIFY_HISTORY_H

#include "identify/read.h"

enum { SN_HISTORY_MOST_ORDER = 4 }; /* of differences */
enum { SN_FORM_LINEAR, SN_FORM_CUBIC, SN_FORM_SERIES };
enum { SN_SMOOTH_NONE, SN_SMOOTH_TIKHONOV, SN_SMOOTH_TOTAL_VARIATION };
enum { SN_WEIGHT_LIKELIHOOD, SN_WEIGHT_GCV, SN_WEIGHT_L_CURVE, SN_WEIGHT_DISCREPANCY, SN_WEIGHT_GIVEN };

/* A series: its terms are pairs of a sine and a cosine, of one frequency or of one each. */
typedef struct sn_series {
    int terms;           /* that there are now */
    int most;            /* negative: it has no start of its own and grows, to so many terms at most */
    int automatic;       /* how many are needed is found from the data */
    const char *because; /* of what was found; or NULL */
    int separate;        /* sines and cosines have frequencies of their own */
    double offset;       /* at the start */
    double *amplitude;   /* at the start: sines, then cosines; 0 where it grows */
    double *frequency;   /* at the start, Hz: likewise, of cosines where they are separate */
    double band[2];      /* of the frequencies, Hz; the upper one INFINITY: Nyquist's of the data */
    double origin;       /* from which phases count; NAN: where the experiment's data begin */
} sn_series;

typedef struct sn_history {
    const char *name, *unit; /* of the signal or number; of its values, a label */
    const char *signal;      /* of the compiled model; NULL: not known yet */
    struct {
        const char *section, *entry, *key, *text; /* entry NULL: the model has the signal itself */
        int component, n;                         /* of the key's numbers; -1: it is one number */
    } in;                         /* what the signal is put in place of: text stands for it there */
    int form;                     /* SN_FORM_... */
    int n;                        /* values; 0: not known yet */
    double spacing;               /* of knots, s; 0: not given */
    int smoothing, order;         /* SN_SMOOTH_..., of the differences */
    int seek_order;               /* the order is still to be found, so many times */
    int choice;                   /* of the weight: SN_WEIGHT_... */
    double given;                 /* weight, where it is given */
    double start;                 /* of all values */
    sn_series series;             /* of that form */
    int id;                       /* quantity of the first value; begin and end, or the origin, follow */
    const struct sn_truth *truth; /* what it is known to have been, for comparison; or NULL */
    const char *truth_file;
    const sn_item *item, *at, *load; /* what is written: history; nodes and load, or NULL */
    sn_mark mark;
} sn_history;

/* A history in an experiment. */
typedef struct sn_history_part {
    int history, experiment;
    int first, n;      /* unknowns */
    double begin, end; /* of the knots; of a series of its data */
    double origin;     /* of a series: from which phases count */
    double weight;     /* of its smoothness */
    double ridge;      /* of its values, about the start: decides where neither data nor smoothness do */
    double *w;         /* of each difference: 1, or by total variation */
} sn_history_part;

/* Nodes where the load of a history may be: history_place.c. */
typedef struct sn_places {
    int history;       /* whose place is sought, of the study's */
    const char *load;  /* element */
    size_t prefix;     /* characters of the names that the load's file does not write */
    int n;             /* nodes */
    const char **node; /* their names */
    sn_mark mark;
} sn_places;

/* Reading, in this order: declarations, the model with the signals that stand in their places, whether their
   numbers of values are still to be found (and are now), places of knots, unknowns. */
sn_status sn_history_read(sn_study *s, const sn_item *root, sn_err *err);
/* What of the model a history is: the signal of its name, or a number of an element or joint that may vary
   in time. plain: the model as it is written. */
sn_status sn_history_resolve(sn_study *s, const sn_model *plain, sn_history *h, sn_err *err);
/* The load of the history whose place is sought, and the nodes where it may be: s->places. */
sn_status sn_history_places(sn_study *s, const sn_model *plain, sn_err *err);
/* set: "name=value", of which those that count elements are used here. */
sn_status sn_history_model(sn_study *s, const char *path, int n_set, const char *const *set, sn_err *err);
int sn_history_unsized(sn_study *s);
sn_status sn_history_place(sn_study *s, sn_err *err);
size_t sn_history_most(const sn_study *s); /* unknowns */
sn_status sn_history_unknowns(sn_study *s, sn_err *err);

/* Differences of order k (1 to 4) of a part: how many, and the coefficients of each, k + 1 values from i on.
 */
int sn_history_differences(const sn_study *s, const sn_history_part *p);
const double *sn_history_stencil(const sn_study *s, const sn_history_part *p);
/* Words and numbers of a declaration: one of a list, a number from `lowest` on where the key is there. */
sn_status sn_history_word(const sn_item *i, const char *const *words, int *out, sn_err *err);
sn_status sn_history_number(sn_study *s, const sn_item *map, const char *key, const char *unit, double lowest,
                            double *x, sn_err *err);
/* Where the data of an experiment begin and end, on the model's clock. */
void sn_history_range(const sn_experiment *x, double *begin, double *end);
/* Weights of the values from *first on at time t; how many (4 at most). */
int sn_history_basis(const sn_study *s, const sn_history_part *p, double t, int *first, double *b);

#endif
