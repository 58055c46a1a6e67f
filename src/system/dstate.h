/* Derivatives of a state by parameters, and the same transposed: what an objective feels of a state. */
#ifndef SN_SYSTEM_DSTATE_H
#define SN_SYSTEM_DSTATE_H

#include "system/parameter_chain.h"

sn_status sn_dstate_new(const sn_model *m, int n_own, int columns, sn_dstate **out, sn_err *err);
void sn_dstate_free(sn_dstate *d);
void sn_dstate_clear(const sn_model *m, sn_dstate *d);

/* Derivative of sn_state_between, and its transpose: y = J0 d0 + J1 d1; b0 += J0' y, b1 += J1' y. */
void sn_dstate_between(const sn_model *m, const sn_state *x0, const sn_state *x1, double s,
                       const sn_dstate *d0, const sn_dstate *d1, sn_dstate *y);
void sn_dstate_between_transposed(const sn_model *m, const sn_state *x0, const sn_state *x1, double s,
                                  const sn_dstate *y, sn_dstate *b0, sn_dstate *b1);

/* Sensors: wanted (one flag each, or NULL: all). dy: channels x columns, written. */
sn_status sn_system_dsensors(sn_work *w, const sn_state *x, const sn_parameter_chain *c, const sn_dstate *d,
                             const unsigned char *wanted, double *dy, sn_err *err);
/* b += J' y, g (parameters) += (dy/dp)' y; y: all channels, those that do not count are zero. */
sn_status sn_system_dsensors_transposed(sn_work *w, const sn_state *x, const sn_parameter_chain *c,
                                        const double *y, sn_dstate *b, double *g, sn_err *err);

#endif
