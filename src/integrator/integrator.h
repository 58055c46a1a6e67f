/* Time integrators, for those that run them. The table and what it may call: sinew/integrator.h. */
#ifndef SN_INTEGRATOR_INTEGRATOR_H
#define SN_INTEGRATOR_INTEGRATOR_H

#include "linsol/linsol.h"
#include "model/scheme.h"
#include "system/dstate.h"

/* Opens an integrator with the settings of its scheme (in->s is not used). */
sn_status sn_integrator_open(const sn_integrator_class *k, const sn_integration *in, void **self,
                             sn_err *err);

/* What follows depends on the state alone. ls: the solver it was opened with. */
void sn_integrator_restart(const sn_integrator_class *k, void *self, sn_linsol *ls);
/* The error of who asks a scheme for derivatives that it has not; how: "forward", "adjoint". */
sn_status sn_scheme_no_derivatives(const char *scheme, const char *how, sn_err *err);

double sn_clock(void); /* s, for the times in sn_info */

#endif
