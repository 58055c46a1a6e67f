/* The equations of motion at a state in independent coordinates alone: see sn_embedded in sinew.h. */
#ifndef SN_ANALYSIS_EMBEDDING_H
#define SN_ANALYSIS_EMBEDDING_H

#include "analysis/analysis.h"

/* At the context's state; in the arena. */
sn_status sn_embed(sn_context *d, sn_arena *arena, sn_embedded *out, sn_err *err);

#endif
