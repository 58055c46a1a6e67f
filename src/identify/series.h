/* Histories that are sought as a series of sines and cosines whose amplitudes and frequencies are unknown:

       f(t) = P0 + sum_i Ps_i sin(2 pi fs_i (t - t0)) + Pc_i cos(2 pi fc_i (t - t0))

   with fs_i = fc_i (frequencies: shared) or not (separate, as Wu, Dong and Bauchau have it). Unknowns of an
   experiment, in this order: frequencies, sines, cosines, frequencies of cosines where they are separate, the
   constant. They are scaled by what is expected of them: amplitudes by the given ones, frequencies by 1/T, T
   the length of the data, which is what two frequencies must be apart to be told apart. */
#ifndef SN_IDENTIFY_SERIES_H
#define SN_IDENTIFY_SERIES_H

#include "identify/history.h"
#include "identify/result.h"

/* map: the declaration, or NULL where it is a word. */
sn_status sn_series_read(sn_study *s, const sn_item *map, sn_history *h, sn_err *err);
const char *sn_series_text(sn_study *s, const sn_history *h); /* its signal; NULL: no memory */
sn_status sn_series_unknowns(sn_study *s, const sn_history_part *p, sn_err *err);

/* Value at a time with the numbers x (of all unknowns), and its derivatives by those of the part. */
double sn_series_at(const sn_study *s, const sn_history_part *p, const double *x, double t, double *by);
/* The part of an estimate: value and standard error. room: p->n numbers. */
void sn_series_band(const sn_estimate *e, const sn_history_part *p, double t, double *room, double *value,
                    double *error);
/* Its terms, ascending frequencies. */
sn_status sn_series_terms(sn_estimate *e, const sn_history_part *p, sn_history_fit *q, sn_err *err);

#endif
