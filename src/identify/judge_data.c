/* The look at the data as verdicts, before the search: whoever has to wait for it is told at once. */
#include "identify/look.h"
#include "identify/result.h"

#include <stdio.h>

sn_status sn_estimate_look(sn_estimate *e, void (*message)(void *ctx, const char *text), void *ctx,
                           sn_err *err)
{
    const sn_study *s = e->s;
    sn_look l = {.n = 0};
    int odd = 0, series = 0;
    for (int k = 0; k < s->n_experiment; k++) series += !s->experiment[k].sort;
    sn_status status = sn_look_at_study(s, e->start, &l, err);
    for (int i = 0; !status && i < l.n; i++) {
        const sn_finding *f = &l.finding[i];
        const char *of = s->n_experiment > 1 ? l.table[f->table].name : "";
        if (!f->level) continue;
        odd++;
        sn_estimate_verdict(e, f->level, "data", "%s%s%s", of, of[0] ? ": " : "", f->text);
        if (f->channel) sn_verdict_channel(e, f->channel);
        if (message && !e->speechless) {
            char *text = sn_arena_printf(&l.arena, "data: %s", e->verdict[e->n_verdict - 1].text);
            if (text) message(ctx, text);
        }
    }
    if (!status && !odd && series)
        sn_estimate_verdict(e, 0, "data",
                            "the data show nothing odd: no codes, stuck or saturated values, outliers");
    sn_look_free(&l);
    return status;
}
