/* Frequencies where residuals have lines. */
#ifndef SN_IDENTIFY_PEAKS_H
#define SN_IDENTIFY_PEAKS_H

#include "identify/fit.h"

/* Up to `most` frequencies between lo and hi, at least `apart` from each other and from the n first ones of
   the list, which stay: peaks of the spectra of the residuals that f has, of all channels, the strongest of
   each first, and where there is room some low ones. *count: how many there are, with the first. */
sn_status sn_peaks(const sn_fit *f, const double band[2], double apart, int most, double *list, int *count,
                   sn_err *err);

#endif
