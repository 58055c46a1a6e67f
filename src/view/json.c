/* Pieces of JSON written into a page. */
#include "view/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

sn_status sn_json_say(sn_html *h, sn_err *err, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sn_html_put(h, text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1, err);
}

sn_status sn_json_text(sn_html *h, const char *text, size_t n, sn_err *err)
{
    if (!text) return sn_html_put(h, "null", 4, err);
    SN_TRY(sn_html_put(h, "\"", 1, err));
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 32 || c == '"' || c == '\\' || c == '<')
            SN_TRY(sn_json_say(h, err, "\\u%04x", c));
        else
            SN_TRY(sn_html_put(h, &c, 1, err));
    }
    return sn_html_put(h, "\"", 1, err);
}

sn_status sn_json_texts(sn_html *h, const char *const *text, int n, sn_err *err)
{
    if (!text) return sn_html_put(h, "null", 4, err);
    for (int i = 0; i < n; i++) {
        SN_TRY(sn_html_put(h, i ? "," : "[", 1, err));
        SN_TRY(sn_json_text(h, text[i], strlen(text[i]), err));
    }
    return sn_html_put(h, n ? "]" : "[]", n ? 1 : 2, err);
}

sn_status sn_json_number(sn_html *h, double x, sn_err *err)
{
    return isfinite(x) ? sn_json_say(h, err, "%.17g", x) : sn_html_put(h, "null", 4, err);
}

sn_status sn_json_numbers(sn_html *h, const double *x, int n, sn_err *err)
{
    for (int i = 0; i < n; i++) {
        SN_TRY(sn_html_put(h, i ? "," : "[", 1, err));
        SN_TRY(sn_json_number(h, x[i], err));
    }
    return sn_html_put(h, n ? "]" : "[]", n ? 1 : 2, err);
}
