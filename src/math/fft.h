/* Discrete Fourier transform of any length. */
#ifndef SN_MATH_FFT_H
#define SN_MATH_FFT_H

#include "base/mem.h"

/* X_k = sum over j of x_j exp(-2 pi i j k / n), in place: re and im, n numbers each. Powers of two by Cooley
   and Tukey's method, other lengths as a convolution of such a length (Bluestein 1970); n log n operations.
 */
sn_status sn_fft(size_t n, double *re, double *im, sn_err *err);

#endif
