/* A linear system as a MATLAB file. */
#ifndef SN_IO_LINEAR_MAT_H
#define SN_IO_LINEAR_MAT_H

#include "io/mat_value.h"

/* Variables A, B, C, D, poles, state_names, state_units, input_names ... output_units, input_order,
 * axes_spin. */
sn_status sn_linear_mat(const sn_mat_file *to, const sn_linear *l, sn_err *err);

#endif
