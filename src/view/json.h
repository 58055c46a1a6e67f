/* Pieces of JSON written into a page. */
#ifndef SN_VIEW_JSON_H
#define SN_VIEW_JSON_H

#include "io/html.h"

/* Written as it is; short. */
sn_status sn_json_say(sn_html *h, sn_err *err, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A string (NULL: null), safe within a script element. */
sn_status sn_json_text(sn_html *h, const char *text, size_t n, sn_err *err);
sn_status sn_json_texts(sn_html *h, const char *const *text, int n, sn_err *err);
/* A list of numbers, exact; what is not finite becomes null. */
sn_status sn_json_number(sn_html *h, double x, sn_err *err); /* null where it is none */
sn_status sn_json_numbers(sn_html *h, const double *x, int n, sn_err *err);

#endif
