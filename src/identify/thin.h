/* Fewer rows of long records, for pictures. */
#ifndef SN_IDENTIFY_THIN_H
#define SN_IDENTIFY_THIN_H

#include "identify/study.h"

/* Rows of experiment x that show what all of them would: the smallest and largest value and the largest
   residual of each channel in each of many equal parts. About `most` of them, all where there are no more.
   row: room for x->n. */
sn_status sn_thin(const sn_experiment *x, const double *residual, int most, int *row, int *n, sn_err *err);

#endif
