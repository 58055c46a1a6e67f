/* Parts of the gradient that have a file of their own. */
#ifndef SN_ANALYSIS_GRADIENT_H
#define SN_ANALYSIS_GRADIENT_H

#include "analysis/sim.h"

/* Quantities of the parameters' names. */
sn_status sn_gradient_names(const sn_model *m, const sn_values *p, int n, const char *const *name, int *id,
                            sn_err *err);
/* sn_gradient by a simulation that is kept for the next one of the model: *sim NULL: it is made. */
sn_status sn_gradient_kept(sn_sim **sim, const sn_model *m, const sn_values *p, const sn_gradient_options *o,
                           const sn_gradient_result *result, sn_gradient_info *info, sn_err *err);
sn_status sn_gradient_differences(const sn_model *m, const sn_values *p, const sn_gradient_options *o,
                                  const int *id, const sn_gradient_result *result, sn_gradient_info *info,
                                  sn_err *err);

#endif
