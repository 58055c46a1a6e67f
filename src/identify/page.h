/* The report of an identification as one web page that needs nothing else: share/report.html, which is part
   of the library, with a title, the study and its mechanisms filled in. */
#ifndef SN_IDENTIFY_PAGE_H
#define SN_IDENTIFY_PAGE_H

#include "io/html.h"

/* Write the page. json[0..n) is one JSON object in UTF-8 (docs/report.md lists its members); numbers that are
   not finite must be null. The title is plain text. motion writes the script elements of the mechanisms;
   NULL: there are none. The file appears whole or not at all. */
typedef sn_status (*sn_page_motion)(sn_html *h, void *ctx, sn_err *err);
sn_status sn_page_write(const char *path, const char *title, const char *json, size_t n,
                        sn_page_motion motion, void *ctx, sn_err *err);

#endif
