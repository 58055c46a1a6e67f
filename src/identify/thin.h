/* Fewer rows of long records, for pictures. */
#ifndef SN_IDENTIFY_THIN_H
#define SN_IDENTIFY_THIN_H

#include "identify/study.h"

/* Rows of an experiment that are shown; row NULL: none. */
typedef struct sn_rows_shown {
    int n, *row;
} sn_rows_shown;

/* Rows of experiment x that show what all of them would: the smallest and largest value and the largest
   residual of each channel in each of many equal parts. About `most` of them, all where there are no more.
   row: room for x->n. */
sn_status sn_thin(const sn_experiment *x, const double *residual, int most, int *row, int *n, sn_err *err);

/* These rows of a column with their key: , "key": [1,2]. */
struct sn_text;
void sn_thin_list(struct sn_text *t, const sn_rows_shown *v, const double *x, int stride); /* 1,2 */
void sn_thin_put(struct sn_text *t, const char *key, const sn_rows_shown *v, const double *x, int stride);

#endif
