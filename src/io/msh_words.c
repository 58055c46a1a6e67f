/* Numbers and lines of an MSH file. Binary ones are little-endian here: the reader of the header has looked.
 */
#include "io/msh_words.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sn_status sn_msh_fail(const sn_msh_words *w, const char *format, ...)
{
    char text[SN_ERR_TEXT];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (w->binary)
        return sn_fail(w->err, SN_ERR_INPUT, &(sn_mark){.file = w->path}, "byte %zu: %s",
                       (size_t)(w->at - w->begin), text);
    return sn_fail(w->err, SN_ERR_INPUT, &(sn_mark){w->path, NULL, w->line, 1}, "%s", text);
}

/* Passes over blanks and ends of lines. */
static void skip(sn_msh_words *w)
{
    while (w->at < w->end && isspace((unsigned char)*w->at)) w->line += *w->at++ == '\n';
}

sn_status sn_msh_plain(sn_msh_words *w, const char *what, double *x)
{
    char *end;
    skip(w);
    if (w->at == w->end) return sn_msh_fail(w, "the file ends where %s is expected", what);
    *x = strtod(w->at, &end);
    if (end == w->at || (end < w->end && !isspace((unsigned char)*end)))
        return sn_msh_fail(w, "%s is expected here, not '%.*s'", what,
                           (int)strcspn(w->at, " \t\r\n") < 40 ? (int)strcspn(w->at, " \t\r\n") : 40, w->at);
    w->at = end;
    return SN_OK;
}

/* A whole number of a text from `least` on. */
static sn_status whole(sn_msh_words *w, const char *what, double least, int *x)
{
    double value;
    SN_TRY(sn_msh_plain(w, what, &value));
    if (!(value >= least && value <= INT_MAX) || value != floor(value))
        return sn_msh_fail(w, "%s is %g: not a whole number that can be", what, value);
    *x = (int)value;
    return SN_OK;
}

static sn_status bytes(sn_msh_words *w, const char *what, size_t n, void *to)
{
    if ((size_t)(w->end - w->at) < n) return sn_msh_fail(w, "the file ends where %s is expected", what);
    memcpy(to, w->at, n);
    w->at += n;
    return SN_OK;
}

sn_status sn_msh_int(sn_msh_words *w, const char *what, int *x)
{
    int32_t value = 0;
    if (!w->binary) return whole(w, what, INT_MIN, x);
    SN_TRY(bytes(w, what, sizeof value, &value));
    *x = value;
    return SN_OK;
}

sn_status sn_msh_size(sn_msh_words *w, const char *what, int *x)
{
    uint64_t value = 0;
    if (!w->binary) return whole(w, what, 0, x);
    SN_TRY(bytes(w, what, sizeof value, &value));
    if (value > INT_MAX) return sn_msh_fail(w, "%s is larger than can be", what);
    *x = (int)value;
    return SN_OK;
}

sn_status sn_msh_real(sn_msh_words *w, const char *what, double *x)
{
    if (w->binary)
        SN_TRY(bytes(w, what, sizeof *x, x));
    else
        SN_TRY(sn_msh_plain(w, what, x));
    return isfinite(*x) ? SN_OK : sn_msh_fail(w, "%s is not finite", what);
}

void sn_msh_end_line(sn_msh_words *w)
{
    while (w->at < w->end && *w->at != '\n') w->at++;
    if (w->at < w->end) w->at++, w->line++;
}

const char *sn_msh_line(sn_msh_words *w, size_t *length)
{
    skip(w);
    if (w->at == w->end) return NULL;
    const char *line = w->at, *end = memchr(line, '\n', (size_t)(w->end - line));
    if (!end) end = w->end;
    *length = (size_t)(end - line);
    while (*length && isspace((unsigned char)line[*length - 1])) --*length;
    w->at = end; /* the line's end is passed over by whoever reads on */
    return line;
}
