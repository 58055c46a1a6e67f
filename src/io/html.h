/* Writing pages: a template with @WORDS@ in it is copied, and what stands for the words is written on the
   way. The file appears whole or not at all, and nothing but a small buffer is held in memory. */
#ifndef SN_IO_HTML_H
#define SN_IO_HTML_H

#include "io/atomic.h"

/* Takes the bytes of a page that is no file. */
typedef sn_status (*sn_html_sink)(void *ctx, const void *bytes, size_t n, sn_err *err);

typedef struct sn_html {
    sn_atomic file;
    int64_t at;
    sn_html_sink sink; /* or NULL: into the file */
    void *sink_ctx;
    size_t n, held; /* bytes in the buffer; bytes of base64 that wait for company */
    unsigned char buffer[1 << 14], wait[3];
} sn_html;

/* Writes what stands for word number `word`. */
typedef sn_status (*sn_html_fill)(sn_html *h, int word, void *ctx, sn_err *err);

/* What a page is made of. */
typedef struct sn_html_page {
    const void *template; /* n bytes */
    size_t n;
    const char *const *words; /* end with NULL */
    sn_html_fill fill;
    void *ctx;
} sn_html_page;

sn_status sn_html_write(const char *path, const sn_html_page *page, sn_err *err);
/* The same, but its bytes go to the sink, some thousand at a time. */
sn_status sn_html_send(sn_html_sink sink, void *sink_ctx, const sn_html_page *page, sn_err *err);

sn_status sn_html_put(sn_html *h, const void *bytes, size_t n, sn_err *err);
sn_status sn_html_text(sn_html *h, const char *text, sn_err *err); /* mark-up becomes entities */
/* JSON within a script element, which "</" would end and "<!" disturb: written in another way, they stand in
   strings only. */
sn_status sn_html_json(sn_html *h, const char *json, size_t n, sn_err *err);
/* Bytes as base64, in as many calls as one likes; the last one has n 0. */
sn_status sn_html_base64(sn_html *h, const void *bytes, size_t n, sn_err *err);

#endif
