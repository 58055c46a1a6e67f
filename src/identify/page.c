/* The report page: the template is copied, @TITLE@ and @STUDY@ replaced on the way. Nothing is held in
   memory, so a study of any size passes. In a script element of HTML the data may hold neither "</", which
   would end it, nor
   "<!", which may begin a comment; both stand inside strings of JSON only, where a character can be written
   in another way. */
#include "identify/page.h"

#include "io/atomic.h"

#include <string.h>

static const unsigned char page_template[] = {
#include "report_page.inc"
};

typedef struct pen {
    sn_atomic file;
    int64_t at;
} pen;

static sn_status put(pen *p, const void *text, size_t n, sn_err *err)
{
    SN_TRY(sn_write_at(p->file.fd, p->file.path, text, n, p->at, err));
    p->at += (int64_t)n;
    return SN_OK;
}

/* Text of HTML: the characters of mark-up become entities. */
static sn_status put_text(pen *p, const char *text, sn_err *err)
{
    static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    static const char special[] = "&<>\"";
    while (*text) {
        size_t plain = strcspn(text, special);
        SN_TRY(put(p, text, plain, err));
        text += plain;
        if (!*text) break;
        const char *e = entity[strchr(special, *text++) - special];
        SN_TRY(put(p, e, strlen(e), err));
    }
    return SN_OK;
}

/* JSON within a script element: "</" as "<\/", "<!" as "\u003c!". */
static sn_status put_json(pen *p, const char *json, size_t n, sn_err *err)
{
    const char *end = json + n, *from = json;
    for (const char *c = json; (c = memchr(c, '<', (size_t)(end - c))) != NULL; c++) {
        if (c + 1 == end || (c[1] != '/' && c[1] != '!')) continue;
        SN_TRY(put(p, from, (size_t)(c - from), err));
        SN_TRY(c[1] == '/' ? put(p, "<\\", 2, err) : put(p, "\\u003c", 6, err));
        from = c + 1;
    }
    return put(p, from, (size_t)(end - from), err);
}

static int stands_at(const char *c, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - c) >= n && memcmp(c, word, n) == 0;
}

static sn_status put_page(pen *p, const char *title, const char *json, size_t n, sn_err *err)
{
    static const char name[] = "@TITLE@", study[] = "@STUDY@";
    const char *from = (const char *)page_template, *end = from + sizeof page_template;
    for (const char *c = from; (c = memchr(c, '@', (size_t)(end - c))) != NULL; c++) {
        int is_name = stands_at(c, end, name);
        if (!is_name && !stands_at(c, end, study)) continue;
        SN_TRY(put(p, from, (size_t)(c - from), err));
        SN_TRY(is_name ? put_text(p, title, err) : put_json(p, json, n, err));
        from = c + sizeof name - 1;
    }
    return put(p, from, (size_t)(end - from), err);
}

sn_status sn_page_write(const char *path, const char *title, const char *json, size_t n, sn_err *err)
{
    pen p = {.at = 0};
    SN_TRY(sn_atomic_begin(&p.file, path, err));
    sn_status s = put_page(&p, title, json, n, err);
    if (s == SN_OK) s = sn_atomic_commit(&p.file, err);
    sn_atomic_end(&p.file);
    return s;
}
