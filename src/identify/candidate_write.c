/* What was tried beside the unknowns, as JSON and as a table. */
#include "identify/result.h"
#include "identify/text.h"

#include <math.h>
#include <string.h>

enum { LINES = 12 };

static void gain(sn_text *t, const sn_study *s, const sn_gain *g)
{
    sn_text_add(t, "\"value\": ");
    sn_text_number(t, g->value);
    sn_text_pair(t, "std_error", g->std_error);
    sn_text_pair(t, "chi_square", g->chi_square);
    sn_text_pair(t, "explains", g->explains);
    sn_text_pair(t, "log_likelihood", g->log_likelihood);
    sn_text_pair(t, "left", g->left);
    sn_text_add(t, ", \"moves\": {");
    for (int k = 0; k < s->n_common; k++) {
        if (k) sn_text_add(t, ", ");
        sn_text_string(t, s->unknown[k].name);
        sn_text_add(t, ": ");
        sn_text_number(t, g->moves[k]);
    }
    sn_text_add(t, "}");
}

void sn_candidates_json(sn_text *t, const sn_estimate *e)
{
    const sn_candidates *all = &e->candidates;
    sn_text_add(t, ", \"candidates\": [");
    for (int i = 0; i < all->n; i++) {
        const sn_candidate *c = &all->item[i];
        const char *const key[] = {"name", "place", "entry", "slot", "doc", "unit"};
        const char *const text[] = {c->name, c->place, c->entry, c->slot, c->doc, c->unit};
        sn_text_add(t, "%s{", i ? ", " : "");
        for (int k = 0; k < 6; k++) {
            sn_text_add(t, "\"%s\": ", key[k]);
            sn_text_string(t, text[k]);
            sn_text_add(t, ", ");
        }
        gain(t, e->s, &c->score);
        sn_text_pair(t, "now", c->now);
        sn_text_pair(t, "p_value", c->p);
        sn_text_add(t, ", \"named\": %s, \"equal\": %s, \"radius\": ", i == all->named ? "true" : "false",
                    c->equal ? "true" : "false");
        sn_text_number(t, c->lever >= 0 ? SN_LEVER : NAN);
        sn_text_add(t, ", \"refit\": ");
        if (c->fitted) {
            sn_text_add(t, "{");
            gain(t, e->s, &c->fit);
            sn_text_pair(t, "bic", c->bic);
            sn_text_add(t, "}");
        } else {
            sn_text_add(t, "null");
        }
        sn_text_add(t, "}");
    }
    sn_text_add(t, "]");
}

void sn_candidates_table(sn_text *t, const sn_estimate *e)
{
    const sn_candidates *all = &e->candidates;
    int width = 9;
    if (e->s->trying != SN_TRY_ALWAYS || !all->n) return;
    for (int i = 0; i < all->n && i < LINES; i++) {
        int n = (int)strlen(all->item[i].name);
        width = n > width ? n : width;
    }
    sn_text_add(t, "\nnumbers that are not sought (chi square exceeds the noise by %.4g)\n", all->excess);
    sn_text_add(t, "%-*s %10s %10s %9s %9s %8s %8s   %s\n", width, "", "now", "would be", "+-", "falls by",
                "explains", "p", "refitted");
    for (int i = 0; i < all->n && i < LINES; i++) {
        const sn_candidate *c = &all->item[i];
        sn_text_add(t, "%-*s %10.4g %10.4g %9.2g %9.4g %6.0f %% %8.2g   ", width, c->name, c->now,
                    c->score.value, c->score.std_error, c->score.chi_square, 100 * c->score.explains, c->p);
        if (c->fitted)
            sn_text_add(t, "%.4g +- %.2g, falls by %.4g, BIC %+.4g", c->fit.value, c->fit.std_error,
                        c->fit.chi_square, c->bic);
        sn_text_add(t, "%s%s\n", c->unit[0] && c->fitted ? "  " : "", c->fitted ? c->unit : "");
    }
    if (all->n > LINES) sn_text_add(t, "and %d more: study.json has them all\n", all->n - LINES);
    if (all->left_out) sn_text_add(t, "%d more were not tried: name some\n", all->left_out);
}
