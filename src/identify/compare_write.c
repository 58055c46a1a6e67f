/* A comparison of studies as JSON and as a text for the terminal. */
#include "identify/compare.h"
#include "identify/text.h"

#include <math.h>
#include <string.h>

/* Of unknowns that one study has and another has not. */
static void add_freed(sn_text *t, const sn_study *small, const sn_study *large, int json)
{
    int n = 0;
    for (int k = 0; k < large->n_unknown; k++) {
        int has = 0;
        for (int i = 0; i < small->n_unknown; i++)
            has |= !strcmp(small->unknown[i].name, large->unknown[k].name);
        if (has) continue;
        if (!json && n == 4) sn_text_add(t, " ...");
        if (json || n < 4) sn_text_add(t, "%s", n ? ", " : "");
        if (json)
            sn_text_string(t, large->unknown[k].name);
        else if (n < 4)
            sn_text_add(t, "%s", large->unknown[k].name);
        n++;
    }
}

/* ---- JSON ---- */

static void one_study(sn_text *t, const sn_comparison *a, int i)
{
    const sn_contender *x = &a->item[i];
    int rank = 0;
    sn_text_add(t, "{\"study\": ");
    sn_text_string(t, x->file);
    sn_text_add(t, ", \"title\": ");
    sn_text_string(t, x->s ? x->s->title : "");
    sn_text_add(t, ", \"folder\": ");
    if (x->folder)
        sn_text_string(t, x->folder);
    else
        sn_text_add(t, "null");
    if (i >= a->n) {
        sn_text_add(t, ", \"rank\": null, \"converged\": false, \"stopped\": true}");
        return;
    }
    while (a->rank[rank] != i) rank++;
    sn_text_add(t, ", \"rank\": %d, \"converged\": %s, \"unknowns\": %d, \"degrees\": %d", rank + 1,
                x->e->converged ? "true" : "false", x->s->n_unknown, x->k);
    sn_text_pair(t, "log_likelihood", x->likelihood);
    sn_text_pair(t, "aic", x->aic);
    sn_text_pair(t, "aicc", x->aicc);
    sn_text_pair(t, "bic", x->bic);
    sn_text_pair(t, "weight_aic", x->weight_aic);
    sn_text_pair(t, "weight_bic", x->weight_bic);
    sn_text_pair(t, "rms", x->e->rms);
    sn_text_pair(t, "relative_rms", x->size);
    sn_text_pair(t, "hold_out_rms", x->held_out);
    sn_text_add(t, ", \"verdicts\": {\"good\": %d, \"warning\": %d, \"bad\": %d}}", x->verdicts[0],
                x->verdicts[1], x->verdicts[2]);
}

sn_status sn_comparison_json(const sn_comparison *a, char **text, sn_err *err)
{
    sn_text t = {0};
    sn_text_add(&t, "{\"best\": ");
    if (a->n)
        sn_text_string(&t, a->item[a->rank[0]].file);
    else
        sn_text_add(&t, "null");
    sn_text_add(&t, ", \"stopped\": %s", a->n < a->n_given ? "true" : "false");
    sn_text_pair(&t, "measured", a->count);
    sn_text_pair(&t, "effective", a->effective);
    sn_text_add(&t, ", \"studies\": [");
    for (int i = 0; i < a->n_given; i++) {
        if (i) sn_text_add(&t, ", ");
        one_study(&t, a, i);
    }
    sn_text_add(&t, "], \"ratios\": [");
    for (int i = 0; i < a->n_nested; i++) {
        const sn_nested *q = &a->nested[i];
        sn_text_add(&t, "%s{\"smaller\": ", i ? ", " : "");
        sn_text_string(&t, a->item[q->small].file);
        sn_text_add(&t, ", \"larger\": ");
        sn_text_string(&t, a->item[q->large].file);
        sn_text_add(&t, ", \"freed\": [");
        add_freed(&t, a->item[q->small].s, a->item[q->large].s, 1);
        sn_text_add(&t, "], \"degrees\": %d", q->degrees);
        sn_text_pair(&t, "chi_square", q->statistic);
        sn_text_pair(&t, "p_value", q->p);
        sn_text_add(&t, "}");
    }
    sn_text_add(&t, "]}\n");
    return sn_text_finish(&t, text, NULL, err);
}

/* ---- the terminal ---- */

static void table(sn_text *t, const sn_comparison *a)
{
    int width = 5, held = 0;
    for (int i = 0; i < a->n; i++) {
        int n = (int)strlen(a->item[i].file);
        width = n > width ? n : width;
        held |= !isnan(a->item[i].held_out);
    }
    sn_text_add(t, "%-*s %8s %9s %12s %10s %10s %10s %8s%s   %s\n", width, "study", "unknowns", "residual",
                "log L", "AIC", "AICc", "BIC", "weight", held ? "  held out" : "", "verdicts");
    for (int i = 0; i < a->n; i++) {
        const sn_contender *x = &a->item[a->rank[i]], *best = &a->item[a->rank[0]];
        sn_text_add(t, "%-*s %8d %9.4g %12.2f %+10.2f %+10.2f %+10.2f %8.3f", width, x->file, x->s->n_unknown,
                    x->size, x->likelihood, x->aic - best->aic, x->aicc - best->aicc, x->bic - best->bic,
                    x->weight_bic);
        if (held) sn_text_add(t, " %9.4g", x->held_out);
        sn_text_add(t, "   %d bad, %d warning%s%s\n", x->verdicts[2], x->verdicts[1],
                    x->verdicts[1] == 1 ? "" : "s", x->e->converged ? "" : ", NOT CONVERGED");
    }
}

static void ratios(sn_text *t, const sn_comparison *a)
{
    for (int i = 0; i < a->n_nested; i++) {
        const sn_nested *q = &a->nested[i];
        const sn_contender *x = &a->item[q->small], *y = &a->item[q->large];
        sn_text_add(t, "\n%s is %s with ", x->file, y->file);
        add_freed(t, x->s, y->s, 0);
        if (q->statistic < -0.1) {
            sn_text_add(t, " fixed, and yet fits better: the search of %s has missed its minimum", y->file);
            continue;
        }
        sn_text_add(t, " fixed: likelihood ratio, chi square %.4g with %d degree%s of freedom, p = %.2g: %s",
                    fmax(q->statistic, 0), q->degrees, q->degrees == 1 ? "" : "s", q->p,
                    q->p < 0.01   ? "the data want more than it has"
                    : q->p < 0.05 ? "the data hardly tell"
                                  : "the data do not need more than it has");
    }
}

static void conclusion(sn_text *t, const sn_comparison *a)
{
    if (a->n < 2) return;
    const sn_contender *x = &a->item[a->rank[0]], *y = &a->item[a->rank[1]];
    double lead = y->bic - x->bic;
    sn_text_add(t, "\n\n");
    if (lead < 2 && y->e->converged)
        sn_text_add(t, "the data hardly tell %s and %s apart: BIC differs by %.2g", x->file, y->file, lead);
    else
        sn_text_add(t, "%s is what the data support: the BIC of %s is %.4g higher%s", x->file, y->file, lead,
                    y->e->converged ? "" : ", and it has not converged");
    if (x->verdicts[2])
        sn_text_add(t, "\nBAD:     but %s is not to be trusted either: %s has what is wrong with it", x->file,
                    x->folder ? x->folder : "its own report");
    if (!isnan(x->held_out) && y->held_out < 0.9 * x->held_out)
        sn_text_add(t, "\nwarning: %s predicts the experiments held out better (%.3g against %.3g)", y->file,
                    y->held_out, x->held_out);
    sn_text_add(t, "\n");
}

sn_status sn_comparison_summary(const sn_comparison *a, char **text, sn_err *err)
{
    sn_text t = {0};
    if (a->n < a->n_given) {
        sn_text_add(&t, "STOPPED on request: %d of %d studies are finished%s\n", a->n, a->n_given,
                    a->n ? ", and ranked" : "");
        for (int i = a->n; i < a->n_given; i++)
            sn_text_add(&t, "%s %s\n", a->item[i].e ? "stopped:    " : "not begun:  ", a->item[i].file);
    }
    if (!a->n) return sn_text_finish(&t, text, NULL, err);
    sn_text_add(&t, "%d stud%s of the same %.0f measured numbers", a->n, a->n == 1 ? "y" : "ies", a->count);
    if (a->effective < 0.99 * a->count)
        sn_text_add(&t, ", worth %.0f independent ones: the residuals of the likeliest are coloured",
                    a->effective);
    sn_text_add(&t, "\nresiduals%s in units of the noise of the best; AIC, AICc and BIC above it\n\n",
                !isnan(a->item[0].held_out) ? " and those held out" : "");
    table(&t, a);
    ratios(&t, a);
    conclusion(&t, a);
    return sn_text_finish(&t, text, NULL, err);
}
