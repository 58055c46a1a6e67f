/* The mechanism of the report page: each experiment run once more with the estimate. */
#ifndef SN_IDENTIFY_MOTION_H
#define SN_IDENTIFY_MOTION_H

#include "identify/result.h"
#include "io/html.h"

/* For experiment k of the study script elements whose ids begin with "m<k>-": what sn_view_motion writes, and
   "marks": {"offset": time from the data's clock to the model's, "channels": for each channel null or what it
   measures, "sought": where histories are sought, the elements that are loads made by them}; or "why" alone,
   a text: why there is no motion. scratch: a file that is made and removed. */
sn_status sn_motion_put(sn_html *h, const sn_estimate *e, const char *scratch, sn_err *err);

#endif
