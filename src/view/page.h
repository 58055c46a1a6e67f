/* The page of a result that is served in pieces. */
#ifndef SN_VIEW_PAGE_H
#define SN_VIEW_PAGE_H

#include "io/html.h"
#include "io/result.h"

/* The page with its header but without numbers; it asks for them naming the edition, 1 or more. */
sn_status sn_view_served_page(sn_result_reader *in, int edition, sn_html_sink sink, void *ctx, sn_err *err);

#endif
