/* Inside of growing series: a study with so many terms and its fit, and who looks for the next term. */
#ifndef SN_IDENTIFY_GROW_INSIDE_H
#define SN_IDENTIFY_GROW_INSIDE_H

#include "identify/series.h"

/* A study with so many terms, fitted. */
typedef struct sn_level {
    sn_study *s;
    sn_fit *f;
    double *z;
    int terms[SN_MOST_GROWING]; /* 0: the study's first term is none yet */
    double likelihood;          /* twice its logarithm */
    double left;                /* of the data's size */
} sn_level;

/* A term to be added: its frequency, and the amplitudes of sine and cosine in each part of the study. */
typedef struct sn_addition_term {
    int history;
    double frequency, gain, *amplitude;
} sn_addition_term;

/* Number of the unknown that is the sine (1), the cosine (2) or a frequency (0, 3) of a term of a part. */
int sn_series_number(const sn_study *s, const sn_history_part *p, int what, int term);

void sn_level_drop(sn_level *l);
/* The study with other numbers of terms; unknowns that both have begin where `values` (of all) has them, and
   the noise is the same. */
sn_status sn_level_again(const sn_study *s, const int *terms, const double *values, sn_study **out,
                         sn_err *err);
/* Its fit and z, at the start values. */
sn_status sn_level_open(sn_level *l, const sn_identify_options *o, sn_err *err);
/* Values of all its unknowns: the caller's. */
sn_status sn_level_values(const sn_level *l, double **x, sn_err *err);

/* The best term to add, of all series that may still grow; gain 0: none. */
sn_status sn_scout(const sn_level *l, const sn_identify_options *o, sn_addition_term *best, sn_err *err);

#endif
