/* Linearised equations as arrays of a result file and as MatrixMarket files. */
#ifndef SN_RECORD_LINEAR_H
#define SN_RECORD_LINEAR_H

#include "base/mem.h"
#include "io/mtx.h"
#include "io/result.h"

/* The arrays of /matrices, /sparse and /linear, in the arena: how many are in *n. */
sn_status sn_linear_arrays(const sn_linear *l, sn_arena *arena, sn_result_array **out, int *n, sn_err *err);
/* M.mtx ..., and of the system A.mtx, B_input.mtx ... with lists of names. */
sn_status sn_linear_mtx(const sn_linear *l, const sn_mtx_folder *to, sn_err *err);

#endif
