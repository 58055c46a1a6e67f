/* One column as the looks at it see it: the numbers that are there, in the order of time. */
#ifndef SN_IDENTIFY_LOOK_SERIES_H
#define SN_IDENTIFY_LOOK_SERIES_H

#include "identify/look.h"

typedef struct sn_series {
    sn_look *l;
    sn_look_place at; /* of its findings: channel and table */
    const char *unit; /* " m", or "" */
    int n;
    double *t, *y;
    int *row;
    double *sorted, *work; /* y in ascending order; scratch of n */
    double interval;       /* median of the steps of time */
    double quantum;        /* 0: none */
    double noise;          /* NAN: too few samples */
    int white;             /* the noise is noise: differences of all orders see the same */
} sn_series;

void sn_sort(int n, double *x);
double sn_median(int n, double *x); /* x is sorted; NAN where n is 0 */

/* Noise of n samples at about equal distances: the least that medians of differences of orders 2 to 6 tell; a
   smooth signal only adds to them, and outliers hardly do. *white: orders 3 to 6 agree within a factor
   of 1.6. work: n. NAN: fewer than 12 samples. */
double sn_series_noise(int n, const double *y, double *work, int *white);
/* The step that all values are multiples of, apart from an offset; 0: there is none to be seen. */
double sn_series_quantum(int n, const double *sorted);

/* Adds a finding that begins at sample i. */
void sn_series_place(sn_series *s, int i, int count);

void sn_series_codes(sn_series *s);    /* takes out codes of missing values: look_column.c */
void sn_series_outliers(sn_series *s); /* takes out isolated outliers: look_events.c */
void sn_series_jumps(sn_series *s);
void sn_series_runs(sn_series *s); /* equal values behind each other: look_runs.c */

#endif
