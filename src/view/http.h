/* Requests a browser sends to the server of a result: HTTP/1.1, GET and HEAD, without bodies. Nothing of a
   request is believed: its size is bounded, its host must be this machine by its own name (a page of another
   origin that gives its name our address, DNS rebinding, is refused), its numbers must lie in a range. */
#ifndef SN_VIEW_HTTP_H
#define SN_VIEW_HTTP_H

#include <stddef.h>
#include <stdint.h>

enum { SN_HTTP_ROOM = 8192, SN_HTTP_TARGET = 256 };

typedef struct sn_http_request {
    int head;                   /* HEAD: no body is sent */
    char path[SN_HTTP_TARGET];  /* "/data" */
    char query[SN_HTTP_TARGET]; /* "first=0&count=10", or "" */
} sn_http_request;

/* What the first n bytes are: 0 the beginning of a request, 200 a whole one, else the status that refuses
 * them. */
int sn_http_read(const char *bytes, size_t n, int port, sn_http_request *out);

/* The whole number of a query's key into `out`; 0 where it is missing, no number, or outside low to high. */
int sn_http_number(const sn_http_request *r, const char *key, int64_t low, int64_t high, int64_t *out);

const char *sn_http_reason(int status); /* "Not Found" */

#endif
