/* Series that grow: terms are added one by one where they explain most, until the residuals ask for no more.
   Start values come from the spectra of what is measured. */
#ifndef SN_IDENTIFY_GROW_H
#define SN_IDENTIFY_GROW_H

#include "identify/series.h"

/* A history of the study is a series without a start of its own. */
int sn_series_grows(const sn_study *s);

/* *s becomes a study with as many terms as it needs, from where a search may begin. Where the user has had
   enough it is as far as it came. */
sn_status sn_series_grow(sn_study **s, const sn_identify_options *o, sn_err *err);

/* What a study that is read again takes over: scales, and why there are so many terms. */
sn_status sn_series_copy(const sn_study *from, sn_study *to, sn_err *err);

#endif
