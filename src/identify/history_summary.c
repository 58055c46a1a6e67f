/* Histories that were sought, as the terminal tells them: the peak with its standard error, what frequencies
   it has, how well the sensors saw it. */
#include "identify/result.h"
#include "identify/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HISTORIES = 12, FREQUENCIES = 3 };

/* Root mean square of its standard error; NAN where a part of it has none. */
static double mean_error(const sn_history_fit *h)
{
    double sum = 0;
    for (int i = 0; i < h->n; i++) sum += h->std_error[i] * h->std_error[i];
    return h->n ? sqrt(sum / h->n) : NAN;
}

static void with_unit(sn_text *t, const char *unit)
{
    if (unit[0] && strcmp(unit, "1") != 0) sn_text_add(t, " %s", unit);
}

/* To two digits. */
static void rough(sn_text *t, double x)
{
    int n = sn_estimate_decimals(x, x);
    if (n < 0)
        sn_text_add(t, "%.2g", x);
    else
        sn_text_add(t, "%.*f", n, x);
}

/* The standard error over the size. */
static double part_of(const sn_history_fit *h) { return h->rms > 0 ? mean_error(h) / h->rms : INFINITY; }

static void peak(sn_text *t, const sn_history_fit *h)
{
    char text[80];
    sn_text_add(t, "%s: ", h->name);
    if (!(fabs(h->peak) > 0)) {
        sn_text_add(t, "nothing was found, it is 0 all the time\n");
        return;
    }
    if (isfinite(h->peak_error) && h->peak_error > 0)
        sn_estimate_words(h->peak, h->peak_error, text, sizeof text);
    else
        snprintf(text, sizeof text, "%.4g", h->peak);
    sn_text_add(t, "peak %s", text);
    with_unit(t, h->unit);
    sn_text_add(t, " at %.4g s, rms %.3g", h->peak_t, h->rms);
    with_unit(t, h->unit);
    sn_text_add(t, "\n");
}

static void frequencies(sn_text *t, const sn_history_fit *h)
{
    int n = h->n_line < FREQUENCIES ? h->n_line : FREQUENCIES;
    if (part_of(h) >= 1 || !h->n_spectrum) return;
    if (!n || h->line_share < 0.7) {
        sn_text_add(t, "  no main frequency: its spectrum is broad, as of a transient\n");
        return;
    }
    sn_text_add(t, "  main frequenc%s ", n > 1 ? "ies" : "y");
    for (int i = 0; i < n; i++) {
        double f = h->line[i].frequency, places = fmin(fmax(2 - floor(log10(1.0005 * f)), 0), 9);
        sn_text_add(t, "%s%.*f Hz (%.3g", i ? ", " : "", (int)places, f, h->line[i].amplitude);
        with_unit(t, h->unit);
        sn_text_add(t, ")");
    }
    sn_text_add(t, "\n");
}

static double size_of(const sn_term *q) { return hypot(q->amplitude[0], q->amplitude[1]); }

/* Of a series: its constant and its largest terms, with what is known of their frequencies. */
static void terms(sn_text *t, const sn_history_fit *h)
{
    char text[80];
    snprintf(text, sizeof text, "%.4g", h->offset);
    if (h->offset_error > 0) sn_estimate_words(h->offset, h->offset_error, text, sizeof text);
    sn_text_add(t, "  constant %s", text);
    with_unit(t, h->unit);
    sn_text_add(t, " and %d oscillation%s", h->n_term, h->n_term > 1 ? "s" : "");
    double before = INFINITY;
    for (int k = 0, shown = 0; k < FREQUENCIES && shown < h->n_term; k++) {
        double next = -1;
        for (int i = 0; i < h->n_term; i++)
            if (size_of(&h->term[i]) < before) next = fmax(next, size_of(&h->term[i]));
        for (int i = 0; i < h->n_term; i++) {
            const sn_term *q = &h->term[i];
            if (size_of(q) != next) continue;
            int c = fabs(q->amplitude[1]) > fabs(q->amplitude[0]); /* frequencies may be separate */
            snprintf(text, sizeof text, "%.4g", q->frequency[c]);
            int known = isfinite(q->frequency_error[c]);
            if (known && q->frequency_error[c] > 0)
                sn_estimate_words(q->frequency[c], q->frequency_error[c], text, sizeof text);
            sn_text_add(t, "%s%s Hz%s (%.3g", shown++ ? ", " : ": ", text, known ? "" : ", not seen", next);
            with_unit(t, h->unit);
            sn_text_add(t, ")");
        }
        before = next;
    }
    sn_text_add(t, "%s\n", h->n_term > FREQUENCIES ? " ..." : "");
    if (h->grown) sn_text_add(t, "  %s\n", h->grown);
}

/* What smoothness has to tell of it. */
static void smoothness(sn_text *t, const sn_history_fit *h)
{
    static const char *const words[] = {"likelihood", "gcv", "l_curve", "discrepancy"},
                             *const plain[] = {"by the likelihood of the data", "by cross-validation",
                                               "at the corner of the L-curve",
                                               "by the discrepancy principle"};
    const char *how = "given by the study";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(h->choice, words[i])) how = plain[i];
    sn_text_add(t, ", its smoothness the rest (%s of order %d, weight %.3g, %s)",
                strcmp(h->smoothing, "tikhonov") ? "total variation" : "Tikhonov", h->order, h->weight, how);
}

static void seen(sn_text *t, const sn_history_fit *h)
{
    double error = mean_error(h), part = part_of(h);
    const char *how = !(h->determined >= 0.5) || part >= 1 ? "NOT SEEN"
                      : part < 0.1                         ? "well seen"
                      : part < 0.3                         ? "seen"
                                                           : "poorly seen";
    if (isfinite(error)) {
        sn_text_add(t, "  %s by the sensors: its standard error is ", how);
        rough(t, error);
        with_unit(t, h->unit);
        if (isfinite(part)) sn_text_add(t, ", %.*f %% of its rms,", part < 0.0995 ? 1 : 0, 100 * part);
        sn_text_add(t, " on average\n");
    } else {
        sn_text_add(t, "  its standard error is not known\n");
    }
    if (h->n_term) return;
    sn_text_add(t, "  the data determine %.0f of its %d values", h->determined, h->values);
    if (h->smoothing) smoothness(t, h);
    sn_text_add(t, "\n");
}

/* Where it is known what it was. */
static void truth(sn_text *t, const sn_history_fit *h)
{
    if (!h->truth || !isfinite(h->inside)) return;
    sn_text_add(t, "  compared with the truth: ");
    if (isfinite(h->off)) {
        sn_text_add(t, "off by ");
        rough(t, 100 * h->off);
        sn_text_add(t, " %% of its rms; ");
    }
    sn_text_add(t, "the 95 %% band holds it %.0f %% of the time\n", 100 * h->inside);
}

void sn_histories_summary(sn_text *t, const sn_estimate *e)
{
    int n = e->n_history < HISTORIES ? e->n_history : HISTORIES;
    for (int k = 0; k < n; k++) {
        peak(t, &e->history[k]);
        (e->history[k].n_term ? terms : frequencies)(t, &e->history[k]);
        seen(t, &e->history[k]);
        truth(t, &e->history[k]);
    }
    if (n < e->n_history)
        sn_text_add(t, "and %d more histories: study.json has them all\n", e->n_history - n);
    if (n && e->s->n_common) sn_text_add(t, "\n");
}
