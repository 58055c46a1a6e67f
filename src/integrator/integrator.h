/* Time integrators, for those that run them. The table and what it may call: sinew/integrator.h. */
#ifndef SN_INTEGRATOR_INTEGRATOR_H
#define SN_INTEGRATOR_INTEGRATOR_H

#include "linsol/linsol.h"
#include "model/scheme.h"
#include "system/dstate.h"

/* Opens an integrator with the settings of its scheme (in->s is not used). */
sn_status sn_integrator_open(const sn_integrator_class *k, const sn_integration *in, void **self,
                             sn_err *err);

double sn_clock(void); /* s, for the times in sn_info */

#endif
