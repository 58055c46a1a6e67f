/* What a history is known to have been, where data were made by a run or the force was measured as well:
   drawn beside the estimate and compared with it, never used to find it. */
#ifndef SN_IDENTIFY_TRUTH_H
#define SN_IDENTIFY_TRUTH_H

#include "identify/result.h"

/* truth: FILE.csv or FILE.csv:column, beside `history`; the column is named as the history, or as the history
   of an experiment, "push[a]". */
struct sn_history;
sn_status sn_truth_read(sn_study *s, const sn_item *i, struct sn_history *h, sn_err *err);

/* Fills truth, off and inside of a history whose t, value and std_error are there. */
sn_status sn_truth_compare(sn_estimate *e, sn_history_fit *h, sn_err *err);

#endif
