/* What is said of an estimate, one sentence after the other. */
#include "identify/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sn_estimate_verdict(sn_estimate *e, int level, const char *about, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = n < 0 ? NULL : sn_arena_alloc(&e->arena, (size_t)n + 1, 1);
    if (!text || sn_grow(&e->verdict, &e->cap_verdict, e->n_verdict + 1, sizeof *e->verdict)) {
        e->speechless = 1;
        return;
    }
    va_start(args, format);
    vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    e->verdict[e->n_verdict++] = (sn_verdict){.level = level, .about = about, .text = text};
}

void sn_verdict_channel(sn_estimate *e, const char *channel)
{
    if (e->speechless || !e->n_verdict) return;
    const char *own = sn_arena_strndup(&e->arena, channel, strlen(channel));
    if (!own) e->speechless = 1;
    e->verdict[e->n_verdict - 1].channel = own;
}

sn_status sn_estimate_whole(const sn_estimate *e, sn_err *err)
{
    return e->speechless ? SN_OUT_OF_MEM(err) : SN_OK;
}
