/* An estimate as a text for the terminal. */
#include "identify/places.h"
#include "identify/refine.h"
#include "identify/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINES = 24, CHANNELS = 12 };

/* ---- unknowns ---- */

/* "230.0 +- 0.4", in the unit that is shown. */
static void write_estimate(const sn_estimate *e, int k, char *text, size_t size)
{
    double f = e->s->unknown[k].shown_factor, x = e->value[k] / f, d = e->std_error[k] / f;
    if (!isfinite(d) || d <= 0) {
        snprintf(text, size, "%.6g, %s", x, e->at_bound[k] ? "at its bound" : "not seen");
        return;
    }
    sn_estimate_words(x, d, text, size);
}

static void unknowns(sn_text *t, const sn_estimate *e)
{
    const sn_study *s = e->s;
    int width = 9, wide = 8, shown = 0, units = 0;
    char text[80];
    for (int k = 0; k < s->n_common && k < LINES; k++) {
        write_estimate(e, k, text, sizeof text);
        if ((int)strlen(s->unknown[k].name) > width) width = (int)strlen(s->unknown[k].name);
        if ((int)strlen(text) > wide) wide = (int)strlen(text);
        if ((int)strlen(s->unknown[k].shown) > units) units = (int)strlen(s->unknown[k].shown);
    }
    sn_text_add(t, "%-*s  %*s %-*s  %s\n", width, "", wide, "estimate", units, "", "95 % interval");
    for (; shown < s->n_common && shown < LINES; shown++) {
        const sn_unknown *u = &s->unknown[shown];
        double f = u->shown_factor, d = e->std_error[shown] / f;
        write_estimate(e, shown, text, sizeof text);
        sn_text_add(t, "%-*s  %*s %-*s", width, u->name, wide, text, units, u->shown);
        int n = isfinite(d) && d > 0 ? sn_estimate_decimals(e->value[shown] / f, d) : -1;
        if (isfinite(e->lo[shown]) && isfinite(e->hi[shown]) && n >= 0)
            sn_text_add(t, "  %.*f .. %.*f", n, e->lo[shown] / f, n, e->hi[shown] / f);
        else if (!isnan(e->lo[shown]) && !isnan(e->hi[shown]))
            sn_text_add(t, "  %.6g .. %.6g", e->lo[shown] / f, e->hi[shown] / f);
        sn_text_add(t, "\n");
    }
    if (shown < s->n_common) sn_text_add(t, "and %d more: study.json has them all\n", s->n_common - shown);
    int single = 0;
    for (int k = s->n_common; k < s->n_unknown; k++) single += !s->unknown[k].of_history;
    if (single) sn_text_add(t, "and %d of single experiments\n", single);
}

/* ---- channels ---- */

static void one_channel(sn_text *t, const sn_study *s, const sn_experiment *x, int c, const sn_channel_fit *q)
{
    const sn_column h = sn_column_get(s, x, c);
    char name[300], fit[16] = "", seen[16] = "-", rms[16] = "-", noise[16] = "-";
    snprintf(name, sizeof name, "%s%s%s%s", h.name, s->n_experiment > 1 ? " of " : "",
             s->n_experiment > 1 ? x->name : "", x->hold_out ? ", held out" : "");
    if (isfinite(q->fit)) snprintf(fit, sizeof fit, "%.2f %%", 100 * q->fit);
    if (isfinite(q->seen)) snprintf(seen, sizeof seen, "%.3g", q->seen);
    if (isfinite(q->rms)) snprintf(rms, sizeof rms, "%.3g", q->rms);
    if (q->known || isfinite(q->rms)) snprintf(noise, sizeof noise, "%.3g", q->sigma); /* found from it */
    sn_text_add(t, "%-34s %9s %9s %9s %-6s %9s  %s\n", name, fit, rms, noise,
                q->known           ? "stated"
                : isfinite(q->rms) ? "found"
                                   : "",
                seen, h.unit);
}

/* Those that fit worst first. */
static void channels(sn_text *t, const sn_estimate *e)
{
    const sn_study *s = e->s;
    int all = 0, shown = 0;
    for (int k = 0; k < s->n_experiment; k++) all += s->experiment[k].n_channel;
    sn_text_add(t, "\n%-34s %9s %9s %9s %-6s %9s\n", "", "fit", "residual", "noise", "", "seen");
    for (double last = -INFINITY; shown < all && shown < CHANNELS;) {
        double next = INFINITY;
        for (int k = 0; k < s->n_experiment; k++)
            for (int c = 0; c < s->experiment[k].n_channel; c++) {
                double fit = isnan(e->channel[k][c].fit) ? 2 : e->channel[k][c].fit;
                if (fit > last) next = fmin(next, fit);
            }
        if (isinf(next)) break;
        for (int k = 0; k < s->n_experiment; k++)
            for (int c = 0; c < s->experiment[k].n_channel && shown < CHANNELS; c++) {
                const sn_channel_fit *q = &e->channel[k][c];
                if ((isnan(q->fit) ? 2 : q->fit) == next) one_channel(t, s, &s->experiment[k], c, q), shown++;
            }
        last = next;
    }
    if (shown < all) sn_text_add(t, "and %d channels that fit better\n", all - shown);
}

/* ---- all ---- */

static void head(sn_text *t, const sn_estimate *e)
{
    const sn_study *s = e->s;
    char finer[200];
    int known = 0;
    for (int k = 0; k < s->n_experiment; k++)
        for (int c = 0; c < s->experiment[k].n_channel; c++) known |= s->experiment[k].known[c];
    sn_text_add(t, "%s%s\n", s->title, s->title[0] ? "" : s->file);
    sn_text_add(t, "%s: %s\n", e->converged ? "converged" : "NOT CONVERGED", e->reason);
    sn_text_add(t, "%ld measured numbers in %d experiment%s, %d unknown%s, %d iterations, %ld simulations",
                e->count, s->n_experiment, s->n_experiment == 1 ? "" : "s", s->n_unknown,
                s->n_unknown == 1 ? "" : "s", e->n_iteration, e->simulations);
    if (e->kept) sn_text_add(t, " (%ld of them made earlier)", e->kept);
    sn_text_add(t, ", %.3g s\n", e->seconds);
    if (sn_refined_text(s, finer, sizeof finer)[0]) sn_text_add(t, "refined: %s\n", finer);
    if (s->method == SN_DIRECT || s->method == SN_ADAPTED_DIRECT)
        sn_text_add(t, "residuals of the equations: %.4g times their noise\n", e->rms);
    else if (known) /* one that is found from the residuals is met by construction */
        sn_text_add(t, "residuals: %.4g times the noise\n", e->rms);
    if (!isnan(e->hold_out))
        sn_text_add(t, "residuals of experiments held out: %.4g times the noise %s\n", e->hold_out,
                    known ? "stated" : "found in the fit");
    sn_text_add(t, "\n");
}

sn_status sn_estimate_summary(const sn_estimate *e, char **text, sn_err *err)
{
    static const char *const level[] = {"ok:     ", "warning:", "BAD:    "};
    sn_text t = {0};
    head(&t, e);
    sn_histories_summary(&t, e);
    if (e->s->n_common) unknowns(&t, e);
    channels(&t, e);
    sn_places_table(&t, e);
    sn_text_add(&t, "\n");
    for (int l = 2; l >= 0; l--)
        for (int i = 0; i < e->n_verdict; i++)
            if (e->verdict[i].level == l) sn_text_add(&t, "%s %s\n", level[l], e->verdict[i].text);
    sn_candidates_table(&t, e);
    return sn_text_finish(&t, text, NULL, err);
}
