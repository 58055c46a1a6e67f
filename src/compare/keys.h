/* Keys of a file of cases. */
#ifndef SN_COMPARE_KEYS_H
#define SN_COMPARE_KEYS_H

#include "sinew/sinew.h"

extern const sn_study_key sn_keys_cases[], sn_keys_problem[], sn_keys_variant[], sn_keys_case_reference[];

#endif
