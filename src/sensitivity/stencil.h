/* Sixth-order central differences (and those of fourth order on the same points): sum of sn_stencil[k] (f(x +
 * (k+1) h) - f(x - (k+1) h)) / h. */
#ifndef SN_SENSITIVITY_STENCIL_H
#define SN_SENSITIVITY_STENCIL_H

static const double sn_stencil[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
static const double sn_stencil_4[3] = {2.0 / 3, -1.0 / 12, 0};

#endif
