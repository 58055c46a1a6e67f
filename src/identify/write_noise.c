/* The model of a channel's noise as JSON. */
#include "identify/result.h"
#include "identify/text.h"

#include <math.h>

void sn_noise_json(sn_text *t, const sn_experiment *x, int c, const sn_channel_fit *q)
{
    const sn_channel_noise *n = x->noise ? &x->noise[c] : NULL;
    if (!n || !n->kind) return;
    double size = q->sigma * sqrt(n->m.size);
    sn_text_add(t, ", \"%s\": {\"deviation\": ", n->kind == SN_NOISE_AR ? "noise_model" : "discrepancy");
    sn_text_number(t, n->kind == SN_NOISE_AR ? q->whole : size);
    if (n->kind == SN_NOISE_AR && !(n->m.size > 0)) {
        sn_text_add(t, ", \"order\": %d, \"coefficients\": [", n->m.p);
        for (int i = 0; i < n->m.p; i++) {
            sn_text_add(t, i ? "," : "");
            sn_text_number(t, n->m.a[i]);
        }
        sn_text_add(t, "]");
    } else {
        sn_text_pair(t, "time", n->m.time);
        sn_text_pair(t, "of_noise", sqrt(n->m.size / n->m.variance));
    }
    sn_text_pair(t, "new_share", q->share);
    sn_text_pair(t, "evidence", q->evidence);
    sn_text_add(t, "}");
}
