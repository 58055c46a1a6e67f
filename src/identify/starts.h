/* Searches: one from a place, and many from random ones. */
#ifndef SN_IDENTIFY_STARTS_H
#define SN_IDENTIFY_STARTS_H

#include "identify/minima.h"
#include "identify/result.h"

/* From z to a minimum: by a growing horizon with so many alternatives where the fit has a window, then by
   all. record: is told of each iteration, or NULL. last: the search that ended it; its `minima` get what the
   horizon could not tell apart. */
sn_status sn_search_from(sn_fit *f, double *z, int alternatives, sn_estimate *record, int *counter,
                         sn_search *last, sn_err *err);

/* The first window for a search from z, of which the fit then has signals and derivatives. */
sn_status sn_choose_window(sn_fit *f, const double *z, sn_err *err);

/* The best of the random starts from .. to - 1 of those that the study's seed gives; z becomes it where it
   beats *best. Where they end goes to m. */
typedef struct sn_range {
    int from, to;
} sn_range;
sn_status sn_many_starts(sn_fit *f, double *z, double *best, sn_estimate *e, sn_range range, sn_minima *m,
                         sn_err *err);

#endif
