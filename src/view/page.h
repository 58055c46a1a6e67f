/* What a result gives to pages: the one that is served in pieces, and pages of others that show its
 * mechanism. */
#ifndef SN_VIEW_PAGE_H
#define SN_VIEW_PAGE_H

#include "io/html.h"
#include "io/result.h"

/* The page with its header but without numbers; it asks for them naming the edition, 1 or more. begin: how it
   begins, or NULL. */
typedef struct sn_view_served {
    sn_result_reader *in;
    int edition;
    const char *begin;
} sn_view_served;
sn_status sn_view_served_page(const sn_view_served *of, sn_html_sink sink, void *ctx, sn_err *err);

/* The header and the states of the result at `path`, as sn_result_page writes them but without sensors and
   fields (loads: but for the loads), in script elements whose ids begin with `prefix`. */
sn_status sn_view_motion(sn_html *h, const char *path, const char *prefix, int loads, sn_err *err);

#endif
