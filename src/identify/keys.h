/* Keys of study files: one table for each map a study may have. Readers check by them, help is made of them.
 */
#ifndef SN_IDENTIFY_KEYS_H
#define SN_IDENTIFY_KEYS_H

#include "sinew/sinew.h"

/* Tables end with a NULL name; sn_study_maps in keys.c lists them. */
extern const sn_study_key sn_keys_study[], sn_keys_experiment[], sn_keys_modal[], sn_keys_column[],
    sn_keys_time[], sn_keys_noise_model[], sn_keys_unknown[], sn_keys_history_entry[], sn_keys_history[],
    sn_keys_series[], sn_keys_series_start[], sn_keys_instrument[], sn_keys_rotation[], sn_keys_input[],
    sn_keys_horizon[], sn_keys_windows[], sn_keys_starts[], sn_keys_intervals[], sn_keys_kalman[],
    sn_keys_design[], sn_keys_sensors[], sn_keys_design_noise[], sn_keys_excitation[], sn_keys_criterion[],
    sn_keys_robust[];

#endif
