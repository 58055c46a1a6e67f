/* Error reports: texts from one list, several reports at once, printed like a compiler's. */
#include "sinew/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *sn_status_text(sn_status s)
{
    static const char *const text[] = {
#define X(name, exit_code, text) text,
        SN_STATUS_LIST(X)
#undef X
    };
    return (unsigned)s < sizeof text / sizeof *text ? text[s] : "unknown status";
}

int sn_status_exit(sn_status s)
{
    static const int code[] = {
#define X(name, exit_code, text) exit_code,
        SN_STATUS_LIST(X)
#undef X
    };
    return (unsigned)s < sizeof code / sizeof *code ? code[s] : 3;
}

void sn_err_clear(sn_err *err)
{
    if (!err) return;
    err->status = SN_OK;
    err->count = 0;
}

int sn_err_count(const sn_err *err) { return err ? err->count : 0; }

void sn_err_forget(sn_err *err, int from)
{
    if (!err || err->count <= from) return;
    err->count = from;
    if (from == 0) err->status = SN_OK;
}

void sn_err_join(sn_err *err, const sn_err *more)
{
    if (!err || !more->count) return;
    if (err->count == 0) err->status = more->status;
    for (int i = 0; i < more->count; i++, err->count++)
        if (i < SN_ERR_MAX && err->count < SN_ERR_MAX) err->report[err->count] = more->report[i];
}

/* The source line of a mark, cut to fit around its column. */
static void excerpt(const sn_mark *m, sn_report *r)
{
    const char *s = m->source;
    for (int line = 1; s && line < m->line; line++) {
        s = strchr(s, '\n');
        if (s) s++;
    }
    if (!s || m->line < 1 || m->col < 1) return;
    size_t len = strcspn(s, "\r\n"), col = (size_t)m->col - 1, start = 0;
    if (col > len) return;
    if (col > SN_ERR_EXCERPT / 2) start = col - SN_ERR_EXCERPT / 2;
    len -= start;
    if (len > SN_ERR_EXCERPT - 1) len = SN_ERR_EXCERPT - 1;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[start + i];
        r->excerpt[i] = c < 32 || c == 127 ? ' ' : (char)c;
    }
    r->excerpt[len] = 0;
    r->caret = (int)(col - start);
}

static void set_place(sn_report *r, const sn_mark *where)
{
    snprintf(r->file, sizeof r->file, "%s", where->file);
    r->line = where->line;
    r->col = where->col;
    excerpt(where, r);
}

sn_status sn_fail(sn_err *err, sn_status status, const sn_mark *where, const char *format, ...)
{
    if (!err) return status;
    if (err->count == 0) err->status = status;
    if (err->count++ >= SN_ERR_MAX) return status;
    sn_report *r = &err->report[err->count - 1];
    memset(r, 0, sizeof *r);
    r->status = status;
    if (where && where->file) set_place(r, where);
    va_list args;
    va_start(args, format);
    vsnprintf(r->text, sizeof r->text, format, args);
    va_end(args);
    return status;
}

/* "prefix: text"; where that is too long the end is lost. */
static void put_before(sn_report *r, const char *prefix)
{
    char both[SN_ERR_TEXT / 2 + 2 + SN_ERR_TEXT];
    snprintf(both, sizeof both, "%.*s: %s", SN_ERR_TEXT / 2, prefix, r->text);
    both[sizeof r->text - 1] = 0;
    memcpy(r->text, both, sizeof r->text);
}

void sn_err_prefix(sn_err *err, int from, const char *format, ...)
{
    if (!err) return;
    char prefix[SN_ERR_TEXT / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    for (int i = from; i < err->count && i < SN_ERR_MAX; i++) put_before(&err->report[i], prefix);
}

void sn_err_place(sn_err *err, int from, const sn_mark *where)
{
    if (!err || !where || !where->file || !where->line) return;
    for (int i = from; i < err->count && i < SN_ERR_MAX; i++) {
        sn_report *r = &err->report[i];
        if (r->line) continue;
        if (r->file[0]) put_before(r, r->file);
        set_place(r, where);
    }
}

int sn_report_format(const sn_report *r, char *out, size_t size)
{
    char place[SN_ERR_FILE_TEXT + 32] = "", under[2 * SN_ERR_EXCERPT + 32] = "";
    if (r->file[0] && r->line > 0)
        snprintf(place, sizeof place, "%s:%d:%d: ", r->file, r->line, r->col);
    else if (r->file[0])
        snprintf(place, sizeof place, "%s: ", r->file);
    if (r->excerpt[0]) snprintf(under, sizeof under, "\n    %s\n    %*s^", r->excerpt, r->caret, "");
    return snprintf(out, size, "%serror: %s%s", place, r->text, under);
}
