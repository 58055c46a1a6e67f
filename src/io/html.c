/* Writing pages from templates, see html.h. */
#include "io/html.h"

#include <string.h>

static sn_status flush(sn_html *h, sn_err *err)
{
    if (h->sink)
        SN_TRY(h->sink(h->sink_ctx, h->buffer, h->n, err));
    else
        SN_TRY(sn_write_at(h->file.fd, h->file.path, h->buffer, h->n, h->at, err));
    h->at += (int64_t)h->n;
    h->n = 0;
    return SN_OK;
}

sn_status sn_html_put(sn_html *h, const void *bytes, size_t n, sn_err *err)
{
    const unsigned char *from = bytes;
    while (n > 0) {
        size_t part = sizeof h->buffer - h->n < n ? sizeof h->buffer - h->n : n;
        memcpy(h->buffer + h->n, from, part);
        h->n += part, from += part, n -= part;
        if (h->n == sizeof h->buffer) SN_TRY(flush(h, err));
    }
    return SN_OK;
}

sn_status sn_html_text(sn_html *h, const char *text, sn_err *err)
{
    static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    static const char special[] = "&<>\"";
    while (*text) {
        size_t plain = strcspn(text, special);
        SN_TRY(sn_html_put(h, text, plain, err));
        text += plain;
        if (!*text) break;
        const char *e = entity[strchr(special, *text++) - special];
        SN_TRY(sn_html_put(h, e, strlen(e), err));
    }
    return SN_OK;
}

/* "</" as "<\/", "<!" as "\u003c!". */
sn_status sn_html_json(sn_html *h, const char *json, size_t n, sn_err *err)
{
    const char *end = json + n, *from = json;
    for (const char *c = json; (c = memchr(c, '<', (size_t)(end - c))) != NULL; c++) {
        if (c + 1 == end || (c[1] != '/' && c[1] != '!')) continue;
        SN_TRY(sn_html_put(h, from, (size_t)(c - from), err));
        SN_TRY(c[1] == '/' ? sn_html_put(h, "<\\", 2, err) : sn_html_put(h, "\\u003c", 6, err));
        from = c + 1;
    }
    return sn_html_put(h, from, (size_t)(end - from), err);
}

/* Three bytes as four letters; of k < 3 bytes the rest is filled with '='. */
static sn_status four(sn_html *h, const unsigned char *b, size_t k, sn_err *err)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned v = (unsigned)b[0] << 16 | (k > 1 ? (unsigned)b[1] << 8 : 0) | (k > 2 ? b[2] : 0);
    char out[4] = {letter[v >> 18], letter[v >> 12 & 63], k > 1 ? letter[v >> 6 & 63] : '=',
                   k > 2 ? letter[v & 63] : '='};
    return sn_html_put(h, out, 4, err);
}

sn_status sn_html_base64(sn_html *h, const void *bytes, size_t n, sn_err *err)
{
    const unsigned char *from = bytes;
    if (n == 0 && h->held) {
        SN_TRY(four(h, h->wait, h->held, err));
        h->held = 0;
    }
    for (size_t i = 0; i < n; i++) {
        h->wait[h->held++] = from[i];
        if (h->held < 3) continue;
        SN_TRY(four(h, h->wait, 3, err));
        h->held = 0;
    }
    return SN_OK;
}

/* Number of the word that stands at c, or -1. */
static int word_at(const char *c, const char *end, const char *const *words)
{
    for (int i = 0; words[i]; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(end - c) >= n && memcmp(c, words[i], n) == 0) return i;
    }
    return -1;
}

static sn_status fill_in(sn_html *h, const sn_html_page *p, sn_err *err)
{
    const char *from = p->template, *end = from + p->n;
    for (const char *c = from; (c = memchr(c, '@', (size_t)(end - c))) != NULL; c++) {
        int word = word_at(c, end, p->words);
        if (word < 0) continue;
        SN_TRY(sn_html_put(h, from, (size_t)(c - from), err));
        SN_TRY(p->fill(h, word, p->ctx, err));
        from = c + strlen(p->words[word]);
        c = from - 1;
    }
    SN_TRY(sn_html_put(h, from, (size_t)(end - from), err));
    return flush(h, err);
}

sn_status sn_html_write(const char *path, const sn_html_page *page, sn_err *err)
{
    sn_html *h;
    if (!SN_NEW(h, 1)) return SN_OUT_OF_MEM(err);
    sn_status s = sn_atomic_begin(&h->file, path, err);
    if (s == SN_OK) {
        s = fill_in(h, page, err);
        if (s == SN_OK) s = sn_atomic_commit(&h->file, err);
        sn_atomic_end(&h->file);
    }
    sn_free(h);
    return s;
}

sn_status sn_html_send(sn_html_sink sink, void *sink_ctx, const sn_html_page *page, sn_err *err)
{
    sn_html *h;
    if (!SN_NEW(h, 1)) return SN_OUT_OF_MEM(err);
    h->sink = sink, h->sink_ctx = sink_ctx;
    sn_status s = fill_in(h, page, err);
    sn_free(h);
    return s;
}
