/* What was judged, as JSON: verdicts, and what the data see of the unknowns. */
#include "identify/result.h"
#include "identify/text.h"

void sn_verdicts_json(sn_text *t, const sn_estimate *e)
{
    static const char *const levels[] = {"good", "warning", "bad"};
    sn_text_add(t, ", \"verdicts\": [");
    for (int i = 0; i < e->n_verdict; i++) {
        const sn_verdict *v = &e->verdict[i];
        sn_text_add(t, "%s{\"level\": \"%s\", \"about\": \"%s\", \"channel\": ", i ? ", " : "",
                    levels[v->level], v->about);
        if (v->channel)
            sn_text_string(t, v->channel);
        else
            sn_text_add(t, "null");
        sn_text_add(t, ", \"text\": ");
        sn_text_string(t, v->text);
        sn_text_add(t, "}");
    }
    sn_text_add(t, "]");
}

void sn_seen_json(sn_text *t, const sn_estimate *e)
{
    int n = e->s->n_common; /* those of single experiments would fill the page */
    sn_text_add(t, ", \"correlation\": [");
    for (int i = 0; i < n; i++) {
        sn_text_add(t, "%s[", i ? "," : "");
        for (int j = 0; j < n; j++) {
            if (j) sn_text_add(t, ",");
            sn_text_number(t, e->correlation[(size_t)i * (size_t)e->s->n_unknown + (size_t)j]);
        }
        sn_text_add(t, "]");
    }
    sn_text_add(t, "], \"identifiability\": [");
    for (int i = 0; i < n && e->direction[i].weight; i++) {
        const sn_direction *d = &e->direction[i];
        sn_text_add(t, "%s{\"singular\": ", i ? ", " : "");
        sn_text_number(t, d->singular);
        sn_text_add(t, ", \"words\": ");
        sn_text_string(t, d->words);
        sn_text_add(t, ", \"weights\": {");
        for (int k = 0; k < n; k++) {
            if (k) sn_text_add(t, ", ");
            sn_text_string(t, e->s->unknown[k].name);
            sn_text_add(t, ": ");
            sn_text_number(t, d->weight[k]);
        }
        sn_text_add(t, "}}");
    }
    sn_text_add(t, "]");
}
