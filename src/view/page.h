/* What a result gives to a page, for pages of others: its mechanism beside other things. */
#ifndef SN_VIEW_PAGE_H
#define SN_VIEW_PAGE_H

#include "io/html.h"

/* The header and the states of the result at `path`, as sn_result_page writes them but without sensors, in
   script elements whose ids begin with `prefix`. */
sn_status sn_view_motion(sn_html *h, const char *path, const char *prefix, sn_err *err);

#endif
