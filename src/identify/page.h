/* The report of an identification as one web page that needs nothing else: share/report.html, which is part
   of the library, with a title and the study filled in. */
#ifndef SN_IDENTIFY_PAGE_H
#define SN_IDENTIFY_PAGE_H

#include "sinew/base.h"

/* Write the page. json[0..n) is one JSON object in UTF-8 (docs/report.md lists its members); numbers that are
   not finite must be null. The title is plain text. The file appears whole or not at all. */
sn_status sn_page_write(const char *path, const char *title, const char *json, size_t n, sn_err *err);

#endif
