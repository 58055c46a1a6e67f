#include "identify/text.h"
#include "io/atomic.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int room(sn_text *t, size_t more)
{
    if (t->failed) return 0;
    if (t->n + more + 1 <= t->cap) return 1;
    size_t cap = t->cap ? t->cap : 4096;
    while (cap < t->n + more + 1) cap *= 2;
    char *text = sn_alloc(cap, 1);
    if (!text) {
        t->failed = 1;
        return 0;
    }
    if (t->n) memcpy(text, t->text, t->n);
    sn_free(t->text);
    t->text = text, t->cap = cap;
    return 1;
}

void sn_text_add(sn_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0 || !room(t, (size_t)n)) return;
    va_start(args, format);
    vsnprintf(t->text + t->n, (size_t)n + 1, format, args);
    va_end(args);
    t->n += (size_t)n;
}

void sn_text_string(sn_text *t, const char *s)
{
    sn_text_add(t, "\"");
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            sn_text_add(t, "\\%c", c);
        else if (c < 32 || c == 127)
            sn_text_add(t, "\\u%04x", c);
        else if (c == 0xc2 && (unsigned char)s[1] >= 0x80 && (unsigned char)s[1] < 0xa0) /* controls too */
            sn_text_add(t, "\\u%04x", (unsigned char)*++s);
        else
            sn_text_add(t, "%c", c);
    }
    sn_text_add(t, "\"");
}

void sn_text_number(sn_text *t, double x)
{
    if (isfinite(x))
        sn_text_add(t, "%.12g", x);
    else
        sn_text_add(t, "null");
}

void sn_text_pair(sn_text *t, const char *key, double x)
{
    sn_text_add(t, ", \"%s\": ", key);
    sn_text_number(t, x);
}

int sn_estimate_decimals(double value, double error)
{
    double d = fmax(1 - floor(log10(error)), 0);
    return fabs(value) < 1e7 && error < 1e7 && d <= 9 ? (int)d : -1;
}

void sn_estimate_words(double x, double error, char *text, size_t size)
{
    int n = sn_estimate_decimals(x, error), digits = (int)fmin(12, fmax(2, ceil(log10(fabs(x / error))) + 2));
    if (n < 0)
        snprintf(text, size, "%.*g +- %.2g", digits, x, error);
    else
        snprintf(text, size, "%.*f +- %.*f", n, x, n, error);
}

sn_status sn_text_finish(sn_text *t, char **text, size_t *length, sn_err *err)
{
    if (t->failed) {
        sn_free(t->text);
        return SN_OUT_OF_MEM(err);
    }
    *text = t->text;
    if (length) *length = t->n;
    return SN_OK;
}

sn_status sn_text_save(const sn_text *t, const char *path, sn_err *err)
{
    sn_atomic a = {0};
    sn_status status = sn_atomic_begin(&a, path, err);
    if (!status) status = sn_write_at(a.fd, path, t->text, t->n, 0, err);
    if (!status) status = sn_atomic_commit(&a, err);
    sn_atomic_end(&a);
    return status;
}
