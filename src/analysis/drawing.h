/* Arrays of result files from which a model can be drawn, see docs/results.md. */
#ifndef SN_ANALYSIS_DRAWING_H
#define SN_ANALYSIS_DRAWING_H

#include "analysis/analysis.h"
#include "io/result.h"

enum { SN_DRAWING = 7 };

/* SN_DRAWING arrays, in the arena; SN_ERR_MEMORY or SN_OK. */
sn_status sn_drawing(const sn_model *m, const sn_values *p, sn_arena *arena, sn_result_array *array);

#endif
