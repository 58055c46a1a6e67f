/* Histories that were sought, as they are told: peak, spectrum, JSON. For the terminal: history_summary.c; as
   files: history_files.c. */
#include "identify/result.h"
#include "identify/text.h"
#include "identify/truth.h"
#include "math/fft.h"

#include <math.h>
#include <string.h>

enum { LINES = 6 };
static const double two_pi = 6.283185307179586476925;

/* Amplitudes of the history less its mean, with Hann's window (twice its mean is the sine's amplitude). */
static sn_status find_spectrum(sn_estimate *e, sn_history_fit *h, sn_err *err)
{
    size_t n = (size_t)h->n;
    double mean = 0, *re = NULL, *im = NULL, dt = h->n > 1 ? (h->t[h->n - 1] - h->t[0]) / (h->n - 1) : 0;
    if (n < 8 || !(dt > 0)) return SN_OK;
    h->n_spectrum = (int)(n / 2);
    h->spectrum = sn_arena_alloc(&e->arena, n / 2 + 1, sizeof *h->spectrum);
    sn_status status = h->spectrum && SN_NEW(re, n) && SN_NEW(im, n) ? SN_OK : SN_OUT_OF_MEM(err);
    for (size_t i = 0; !status && i < n; i++) mean += h->value[i] / (double)n;
    for (size_t i = 0; !status && i < n; i++)
        re[i] = (h->value[i] - mean) * (1 - cos(two_pi * ((double)i + 0.5) / (double)n));
    if (!status) status = sn_fft(n, re, im, err);
    for (size_t k = 0; !status && k < n / 2; k++)
        h->spectrum[k] = (sn_line){(double)k / ((double)n * dt), 2 * hypot(re[k], im[k]) / (double)n};
    sn_free(re), sn_free(im);
    return status;
}

/* Its largest peaks, those that are at least a twentieth of the largest. A sine between bins k and k + 1, at
   k + d, has the amplitudes sin(pi d)/(pi d (1 - d^2)) and so on in the bins around it under Hann's window:
   their ratio r tells d = (2 r - 1)/(r + 1). What has less than two periods is not told from a trend. */
static void find_lines(sn_history_fit *h)
{
    const sn_line *s = h->spectrum;
    double top = 0;
    for (int k = 2; k < h->n_spectrum; k++) top = fmax(top, s[k].amplitude);
    for (int k = 2; k + 1 < h->n_spectrum; k++) {
        double a = s[k - 1].amplitude, b = s[k].amplitude, c = s[k + 1].amplitude, r = fmax(a, c) / b;
        if (!(b >= a && b > c) || b < 0.05 * top) continue;
        double d = fmin(fmax((2 * r - 1) / (r + 1), 0), 0.5), x = 0.5 * two_pi * d,
               place = k + (c > a ? d : -d);
        sn_line line = {place * s[1].frequency, d > 0 ? b * x * (1 - d * d) / sin(x) : b};
        if (place < 2) continue;
        int at = h->n_line < LINES ? h->n_line++ : LINES - 1;
        if (at == LINES - 1 && h->line[at].amplitude > line.amplitude) continue;
        while (at > 0 && h->line[at - 1].amplitude < line.amplitude) h->line[at] = h->line[at - 1], at--;
        h->line[at] = line;
    }
}

/* Which part of the spectrum's squares lies within the bins that a sine at one of the lines reaches. */
static double find_share(const sn_history_fit *h)
{
    double near = 0, all = 0;
    for (int k = 0; k < h->n_spectrum; k++) {
        double f = h->spectrum[k].frequency, square = h->spectrum[k].amplitude * h->spectrum[k].amplitude;
        int is = 0;
        for (int i = 0; i < h->n_line; i++)
            is |= fabs(f - h->line[i].frequency) < 1.51 * h->spectrum[1].frequency;
        all += square, near += is ? square : 0;
    }
    return all > 0 ? near / all : 0;
}

sn_status sn_history_fit_finish(sn_estimate *e, sn_history_fit *h, sn_err *err)
{
    double sum = 0;
    int top = 0;
    for (int i = 0; i < h->n; i++) {
        sum += h->value[i] * h->value[i];
        if (fabs(h->value[i]) > fabs(h->value[top])) top = i;
    }
    h->rms = h->n ? sqrt(sum / h->n) : 0;
    if (h->n) h->peak = h->value[top], h->peak_t = h->t[top], h->peak_error = h->std_error[top];
    SN_TRY(find_spectrum(e, h, err));
    find_lines(h);
    h->line_share = find_share(h);
    return sn_truth_compare(e, h, err);
}

/* ---- JSON ---- */

static void list(sn_text *t, const char *key, int n, const double *x)
{
    sn_text_add(t, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        if (i) sn_text_add(t, ",");
        sn_text_number(t, x[i]);
    }
    sn_text_add(t, "]");
}

static void lines(sn_text *t, const char *key, int n, const sn_line *x)
{
    sn_text_add(t, ", \"%s\": {\"frequency\": [", key);
    for (int part = 0; part < 2; part++) {
        for (int i = 0; i < n; i++) {
            if (i) sn_text_add(t, ",");
            sn_text_number(t, part ? x[i].amplitude : x[i].frequency);
        }
        sn_text_add(t, part ? "]}" : "], \"amplitude\": [");
    }
}

static void smoothing(sn_text *t, const sn_history_fit *h)
{
    const sn_weight_curve *c = &h->curve;
    sn_text_add(t, ", \"smoothing\": {\"kind\": \"%s\", \"order\": %d, \"chosen_by\": \"%s\"", h->smoothing,
                h->order, h->choice);
    sn_text_pair(t, "weight", h->weight);
    if (c->n) {
        sn_text_add(t, ", \"curve\": {\"chosen\": %d", c->chosen);
        list(t, "weight", c->n, c->weight), list(t, "misfit", c->n, c->misfit);
        list(t, "roughness", c->n, c->roughness), list(t, "score", c->n, c->score);
        sn_text_add(t, "}");
    }
    sn_text_add(t, "}");
}

static void filtered(sn_text *t, const sn_history_fit *h)
{
    sn_text_add(t, ", \"filtered\": {\"n\": %d", h->n_filtered);
    list(t, "t", h->n_filtered, h->t_filtered), list(t, "value", h->n_filtered, h->filtered);
    list(t, "std_error", h->n_filtered, h->filtered_error);
    sn_text_add(t, "}");
}

/* terms: [{"frequency": ..., "sine": ..., "cosine": ..., ...}] of a series */
static void terms(sn_text *t, const sn_history_fit *h)
{
    sn_text_pair(t, "offset", h->offset), sn_text_pair(t, "offset_std_error", h->offset_error);
    sn_text_add(t, ", \"terms\": [");
    for (int i = 0; i < h->n_term; i++) {
        const sn_term *q = &h->term[i];
        sn_text_add(t, "%s{\"frequency\": ", i ? ", " : "");
        sn_text_number(t, q->frequency[0]);
        sn_text_pair(t, "frequency_std_error", q->frequency_error[0]);
        sn_text_pair(t, "sine", q->amplitude[0]), sn_text_pair(t, "sine_std_error", q->amplitude_error[0]);
        sn_text_pair(t, "cosine", q->amplitude[1]);
        sn_text_pair(t, "cosine_std_error", q->amplitude_error[1]);
        if (h->separate) {
            sn_text_pair(t, "cosine_frequency", q->frequency[1]);
            sn_text_pair(t, "cosine_frequency_std_error", q->frequency_error[1]);
        }
        sn_text_add(t, "}");
    }
    sn_text_add(t, "]");
    if (h->grown) sn_text_add(t, ", \"terms_because\": "), sn_text_string(t, h->grown);
}

/* windows: {"n": 4, "bounds": [...], "t": [...], "value": [...], "std_error": [...]} */
static void pieces(sn_text *t, const sn_history_fit *h)
{
    sn_text_add(t, ", \"windows\": {\"n\": %d", h->pieces.windows);
    list(t, "bounds", h->pieces.windows + 1, h->pieces.begin);
    list(t, "t", h->pieces.n, h->pieces.t), list(t, "value", h->pieces.n, h->pieces.value);
    list(t, "std_error", h->pieces.n, h->pieces.std_error);
    sn_text_add(t, "}");
}

void sn_histories_json(sn_text *t, const sn_estimate *e)
{
    if (!e->n_history) return;
    sn_text_add(t, ", \"histories\": {");
    for (int k = 0; k < e->n_history; k++) {
        const sn_history_fit *h = &e->history[k];
        if (k) sn_text_add(t, ", ");
        sn_text_string(t, h->name);
        sn_text_add(t, ": {\"unit\": ");
        sn_text_string(t, h->unit);
        sn_text_add(t, ", \"form\": \"%s\", \"experiment\": ", h->form);
        sn_text_string(t, e->s->experiment[h->experiment].name);
        list(t, "t", h->n, h->t), list(t, "value", h->n, h->value), list(t, "std_error", h->n, h->std_error);
        sn_text_add(t, ", \"values\": %d", h->values);
        sn_text_pair(t, "determined", h->determined);
        sn_text_pair(t, "rms", h->rms);
        sn_text_add(t, ", \"peak\": {\"t\": ");
        sn_text_number(t, h->peak_t);
        sn_text_pair(t, "value", h->peak), sn_text_pair(t, "std_error", h->peak_error);
        sn_text_add(t, "}");
        lines(t, "lines", h->n_line, h->line), lines(t, "spectrum", h->n_spectrum, h->spectrum);
        sn_text_pair(t, "line_share", h->line_share);
        if (h->truth) {
            list(t, "truth", h->n, h->truth);
            sn_text_pair(t, "truth_error", h->off), sn_text_pair(t, "truth_inside", h->inside);
        }
        if (h->smoothing) smoothing(t, h);
        if (h->n_filtered) filtered(t, h);
        if (h->n_term) terms(t, h);
        if (h->pieces.n) pieces(t, h);
        sn_text_add(t, "}");
    }
    sn_text_add(t, "}");
}
