/* Sixth-order central differences: sum of sn_stencil[k] (f(x + (k+1) h) - f(x - (k+1) h)) / h. */
#ifndef SN_SENSITIVITY_STENCIL_H
#define SN_SENSITIVITY_STENCIL_H

static const double sn_stencil[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60};

#endif
