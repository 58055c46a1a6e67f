/* Are the residuals noise, or does the model not explain the data? Every channel is tested on its own
   (residual_tests.h), its size against a stated noise and against the noise seen from sample to sample; one
   that fails is enough. Probabilities are of all channels together (Bonferroni), so that a right model is
   called bad once in a thousand studies, and warned of once in a hundred. */
#include "identify/judge.h"
#include "identify/modal.h"
#include "identify/noise.h"
#include "identify/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double bad = 1e-3, doubtful = SN_DOUBTFUL; /* probabilities */

/* ---- what is known of a channel ---- */

/* Residuals of a channel between two times, in its unit. */
static double part_rms(const sn_fit *f, int k, int c, double from, double to)
{
    const sn_experiment *x = &f->s->experiment[k];
    double sum = 0, n = 0;
    for (int i = 0; i < x->n; i++) {
        double r = sn_part_residual(x, &f->part[k], i, c);
        if (!isnan(r) && x->t[i] > from && x->t[i] <= to) sum += r * r, n++;
    }
    return n > 0 ? sqrt(sum / n) * x->sigma[c] / sqrt(x->weight) : NAN;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* y is sorted. */
static double least_difference(int n, double *y)
{
    double least = INFINITY;
    qsort(y, (size_t)n, sizeof *y, ascending);
    for (int i = 1; i < n; i++)
        if (y[i] > y[i - 1]) least = fmin(least, y[i] - y[i - 1]);
    return isfinite(least) ? least : 0;
}

/* Noise seen, changes and resolution of what was measured; room: 2 n. */
static void look_at_data(const sn_experiment *x, int c, double *room, sn_channel_fit *q)
{
    double *t = room, *y = room + x->n, mean = 0, square = 0;
    int n = 0;
    for (int i = 0; i < x->n; i++) {
        double v = x->y[i * x->n_channel + c];
        if (!isnan(v)) t[n] = x->t[i], y[n++] = v, mean += v;
    }
    mean /= n > 0 ? n : 1;
    for (int i = 0; i < n; i++) square += (y[i] - mean) * (y[i] - mean);
    q->seen = q->kind ? sn_noise_seen_like(n, t, y, &x->noise[c].m) : sn_noise_seen(n, t, y);
    q->fit = square > 0 ? 1 - q->rms / sqrt(square / n) : NAN;
    q->quantum = least_difference(n, y);
}

/* How likely residuals r of a stated noise have so large or so small a size. Their squares may scatter more
   than those of normal numbers. */
static double size_probability(int n, const double *r, double freedom)
{
    double mean = 0, square = 0;
    if (n < 2 || freedom < 1) return 1;
    for (int i = 0; i < n; i++) mean += r[i] * r[i] / n;
    for (int i = 0; i < n; i++) square += (r[i] * r[i] - mean) * (r[i] * r[i] - mean) / n;
    if (mean > 1 && n < 50) return fmin(1, 2 * sn_chi_square_tail(n * mean, freedom));
    double z = (n * mean / freedom - 1) / sqrt(fmax(2, square) / freedom);
    return sn_normal_tail(z);
}

/* What the noise's model is. */
static void look_at_model(const sn_experiment *x, const double *r, int c, sn_channel_fit *q)
{
    const sn_noise_model *m = &x->noise[c].m;
    double room[SN_AR_MOST], last = 0;
    sn_whitener w = {.m = m, .columns = 1, .x = room};
    q->kind = x->hold_out ? SN_NOISE_WHITE : x->noise[c].kind;
    q->whole = x->sigma[c] * sqrt(sn_noise_variance(m));
    for (int i = 0; i < x->n; i++) {
        double none = 0;
        if (!isnan(r[i * x->n_channel + c])) q->log_det += last = sn_whiten(&w, x->t[i], &none);
    }
    q->share = exp(last) / sn_noise_variance(m); /* by then the filter knows what can be known */
}

static sn_status look_at_channel(const sn_fit *f, sn_estimate *e, int k, int c, sn_err *err)
{
    const sn_study *s = f->s;
    const sn_experiment *x = &s->experiment[k];
    sn_channel_fit *q = &e->channel[k][c];
    const double *lever = f->part[k].lever;
    double sum = 0, square = 0, *r, taken = f->freedom > 0 ? f->freedom : f->n;
    if (!SN_NEW(r, 3 * (size_t)x->n + 1)) return SN_OUT_OF_MEM(err);
    int n = 0;
    for (int i = 0; i < x->n; i++) {
        double v = f->part[k].r[i * x->n_channel + c];
        if (isnan(v)) continue;
        double raw = sn_part_residual(x, &f->part[k], i, c);
        sum += raw * raw, square += v * v;
        /* what a robust fit takes for outliers must not hide what the others have in common */
        r[n++] = s->huber > 0 ? fmax(-3, fmin(v, 3)) : v;
    }
    *q = (sn_channel_fit){.sigma = x->sigma[c],
                          .known = x->known[c],
                          .count = n,
                          .size_p = 1,
                          .whole = x->sigma[c],
                          .innovation = 1,
                          .share = 1,
                          .evidence = q->evidence};
    if (x->noise && x->noise[c].kind) look_at_model(x, f->part[k].r, c, q);
    if (q->kind && n) q->innovation = sqrt(square / n);
    q->rest = part_rms(f, k, c, x->begin + s->initial_window, INFINITY);
    q->second = part_rms(f, k, c, x->begin + s->initial_window, x->begin + 1);
    q->rms = n ? sqrt(sum / n) * x->sigma[c] / sqrt(x->weight) : 0;
    q->fit = q->seen = NAN;
    if (x->sort != SN_MODES) look_at_data(x, c, r + x->n, q);
    if (x->sort) { /* their rows are no sequence, and far apart where a response bends: judge_modal.c */
        q->seen = NAN, q->noise_like = 1;
        q->white = (sn_whiteness){.statistic = NAN, .p = NAN, .limit = NAN};
        q->tests.least = 1;
        for (size_t i = 0; i < sizeof q->tests.p / sizeof *q->tests.p; i++) q->tests.p[i] = 1;
        sn_free(r);
        return SN_OK;
    }
    if (x->known[c] && !(s->huber > 0))
        q->size_p = size_probability(
            n, r, lever ? n - lever[c] : n * (1 - taken / fmax((double)e->count, taken + 1)));
    sn_status status = sn_whiteness_of(&e->arena, n, r, &q->white, err);
    if (!status) status = sn_residual_tests_of(n, r, q->white.p, &q->tests, err);
    sn_free(r);
    return status;
}

sn_status sn_look_at_channels(const sn_fit *f, sn_estimate *e, int held_out, sn_err *err)
{
    const sn_study *s = f->s;
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        if (x->hold_out != held_out) continue;
        for (int c = 0; c < x->n_channel; c++) SN_TRY(look_at_channel(f, e, k, c, err));
        size_t bytes = sizeof(double) * (size_t)x->n * (size_t)x->n_channel;
        memcpy(e->model[k], f->part[k].model, bytes);
        memcpy(e->innovation[k], f->part[k].r, bytes);
        for (int i = 0; i < x->n * x->n_channel; i++)
            e->residual[k][i] = sn_part_residual(x, &f->part[k], i / x->n_channel, i % x->n_channel);
    }
    return sn_modal_keep(f, e, held_out, err);
}

/* ---- the verdict ---- */

/* Residuals far below the channel's own changes, or below the resolution of its numbers, are those of
 * rounding. */
static int is_rounding(const sn_experiment *x, int c, const sn_channel_fit *q)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < x->n; i++) {
        double y = x->y[i * x->n_channel + c];
        if (!isnan(y)) lo = fmin(lo, y), hi = fmax(hi, y);
    }
    return q->rms < fmax(1e-7 * (hi - lo), 0.6 * q->quantum);
}

/* Residuals against the noise seen: how many times, and how likely that is by chance. Differences of order 2
   and more leave an estimate of the variance that scatters by sqrt(6 / n) at most. */
static double excess(const sn_channel_fit *q, double *p)
{
    double size = q->kind ? q->whole * q->innovation : q->rms;
    double ratio = q->seen > 0 ? size / q->seen : NAN;
    *p = 1;
    if (ratio > 1) *p = sn_normal_tail((ratio * ratio - 1) / sqrt(8.0 / (double)q->count));
    return ratio;
}

/* What is to be said of all channels, and of the worst. */
typedef struct findings {
    int looked, failed, experiment, channel;
    double p, tests; /* the least probability of all; how many there were, to multiply by */
} findings;

static double worst_of(const sn_channel_fit *q)
{
    double p;
    excess(q, &p);
    return fmin(q->tests.least, 2 * fmin(q->size_p, p));
}

/* Signals that are fitted; modes and responses have a judge of their own. */
static int is_series(const sn_experiment *x) { return !x->hold_out && !x->sort; }

static findings look_at_all(const sn_study *s, sn_estimate *e)
{
    findings a = {.p = 2};
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < s->n_experiment; k++)
            for (int c = 0; is_series(&s->experiment[k]) && c < s->experiment[k].n_channel; c++) {
                sn_channel_fit *q = &e->channel[k][c];
                double p = worst_of(q);
                q->noise_like = 1;
                if (is_rounding(&s->experiment[k], c, q)) continue;
                if (pass) {
                    q->noise_like = p * a.looked >= doubtful;
                    a.failed += !q->noise_like;
                    continue;
                }
                a.looked++;
                if (p < a.p) a.p = p, a.experiment = k, a.channel = c;
            }
    a.p = fmin(1, a.p * a.looked);
    return a;
}

double sn_residuals_chance(const sn_study *s, sn_estimate *e)
{
    findings a = look_at_all(s, e);
    return a.looked ? a.p : 1;
}

/* In words, what is wrong with a channel's residuals. */
static void describe(const sn_experiment *x, const sn_channel_fit *q, const char *unit, char *text,
                     size_t size)
{
    double p, ratio = excess(q, &p), step = x->n > 1 ? (x->t[x->n - 1] - x->t[0]) / (x->n - 1) : 0;
    const sn_residual_tests *t = &q->tests;
    const char *join = "";
    size_t n = 0;
    if (t->least > 0.01 && q->kind)
        snprintf(text, size, "more than the noise model has");
    else if (t->least > 0.01)
        text[0] = 0;
    else if (t->which == SN_TEST_MEAN)
        n = (size_t)snprintf(text, size, "a mean of %.3g %s", -t->mean * q->sigma / sqrt(x->weight), unit);
    else if (t->which == SN_TEST_LINE)
        n = (size_t)snprintf(text, size, "an oscillation of %.3g s", t->period * step);
    else if (t->which == SN_TEST_PATTERN)
        n = (size_t)snprintf(text, size, "a pattern over time");
    else
        n = (size_t)snprintf(text, size, "autocorrelation %.2f", q->white.n > 0 ? q->white.r[0] : NAN);
    if (n) join = ", ";
    if (q->size_p < doubtful && n < size) {
        n += (size_t)snprintf(text + n, size - n, "%s%.3g times the stated noise", join, q->rms / q->sigma);
        join = ", ";
    }
    if (ratio > 1.2 && n < size)
        snprintf(text + n, size - n, "%s%.3g times the noise seen from sample to sample", join, ratio);
}

static void tell(const sn_study *s, sn_estimate *e, const findings *a)
{
    const sn_experiment *x = &s->experiment[a->experiment];
    const sn_channel_fit *q = &e->channel[a->experiment][a->channel];
    sn_channel h = sn_channel_get(s->model, x->channel[a->channel]);
    char name[160], what[200];
    snprintf(name, sizeof name, "%s.%s", h.sensor, h.component);
    describe(x, q, h.unit, what, sizeof what);
    if (a->p < bad)
        sn_estimate_verdict(
            e, 2, "residuals",
            "model error: the residuals are not noise in %d of %d channels (worst %s%s%s: %s; noise would do "
            "that with a probability of %.1g): the model does not explain the data, and estimates may "
            "be off by more than their intervals",
            a->failed, a->looked, name, s->n_experiment > 1 ? " of " : "", s->n_experiment > 1 ? x->name : "",
            what, fmax(a->p, 1e-300));
    else
        sn_estimate_verdict(
            e, 1, "residuals",
            "the residuals may not be noise (%s: %s; noise would do that with a probability of %.1g)", name,
            what, a->p);
    sn_verdict_channel(e, name);
}

sn_status sn_judge_residuals(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    findings a = look_at_all(s, e);
    int all_known = 1, series = 0;
    for (int k = 0; k < s->n_experiment; k++)
        for (int c = 0; is_series(&s->experiment[k]) && c < s->experiment[k].n_channel; c++)
            all_known &= s->experiment[k].known[c], series++;
    if (!series) return SN_OK;
    if (!a.looked)
        sn_estimate_verdict(e, 0, "residuals",
                            "the data are met to rounding: they seem to be computed, without noise");
    else if (a.p < doubtful)
        tell(s, e, &a);
    else
        sn_estimate_verdict(e, 0, "residuals", "the residuals look like %s in all of %d channels",
                            sn_noise_modelled(s) ? "the noise that was modelled" : "noise", a.looked);
    double above = (e->rms * e->rms - 1) * sqrt(fmax(1, (double)e->count) / 2);
    if (all_known && above < -6 && !(s->huber > 0))
        sn_estimate_verdict(
            e, 1, "residuals",
            "the residuals are only %.2g of the stated noise: it is stated too large, and so are "
            "standard errors",
            e->rms);
    (void)err;
    return SN_OK;
}
