/* Is something wrong with a sensor? Faults that would explain the residuals are named, with their size and
   with what they do to the unknowns; exchanged columns and outliers as well. */
#include "identify/causes.h"
#include "identify/judge.h"
#include "identify/look.h"
#include "identify/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void name_of(const sn_study *s, int channel, char *text, size_t size)
{
    sn_channel h = sn_channel_get(s->model, channel);
    snprintf(text, size, "%s.%s", h.sensor, h.component);
}

/* Number of a cause's channel among those of the model. */
static int channel_of(const sn_study *s, const sn_cause *a, int c)
{
    return a->experiment < 0 ? c : s->experiment[a->experiment].channel[c];
}

/* The unknown that moves most, in standard errors. */
static double worst_move(const sn_fit *f, const sn_estimate *e, const double *moves, int *which)
{
    double worst = 0;
    *which = -1;
    for (int k = 0; k < f->n; k++) {
        double se = sqrt(e->covariance[(size_t)k * (size_t)f->n + (size_t)k]);
        if (!(se > 0) || !isfinite(se) || !(fabs(moves[k]) / se > fabs(worst))) continue;
        worst = moves[k] / se, *which = k;
    }
    return worst;
}

/* ---- words ---- */

/* "a gain of 1.031 +- 0.002", and what it may come from. */
static void describe(const sn_study *s, const sn_cause *a, sn_text *t)
{
    sn_channel h = sn_channel_get(s->model, channel_of(s, a, a->kind == SN_CAUSE_CLOCK ? 0 : a->channel));
    const char *unit = strcmp(h.unit, "1") ? h.unit : "", *words = NULL;
    char other[160] = "";
    double g = 1 + a->c, close = fmax(0.02, 4 * a->std_error / fabs(g));
    if (a->kind == SN_CAUSE_CROSS || a->kind == SN_CAUSE_TURN)
        name_of(s, channel_of(s, a, a->other), other, sizeof other);
    switch (a->kind) {
    case SN_CAUSE_OFFSET:
        sn_text_add(t, "an offset of %.4g +- %.2g %s", a->c, a->std_error, unit);
        break;
    case SN_CAUSE_DRIFT:
        sn_text_add(t, "a drift of %.4g +- %.2g %s/s", a->c, a->std_error, unit);
        break;
    case SN_CAUSE_DELAY:
        sn_text_add(t, "a delay of %.4g +- %.2g ms", 1e3 * a->c, 1e3 * a->std_error);
        break;
    case SN_CAUSE_CLOCK:
        sn_text_add(t, "a clock that is %s by %.4g +- %.2g ms", a->c > 0 ? "late" : "early", 1e3 * fabs(a->c),
                    1e3 * a->std_error);
        break;
    case SN_CAUSE_CROSS:
        sn_text_add(t, "cross-talk of %.4g +- %.2g times %s", a->c, a->std_error, other);
        break;
    case SN_CAUSE_TURN:
        sn_text_add(t, "a mounting angle of %.4g +- %.2g deg between it and %s", 57.29577951308232 * a->c,
                    57.29577951308232 * a->std_error, other);
        break;
    default:
        if (g > 0 && close < 0.3) words = sn_unit_factor_words(h.unit, g, close);
        if (fabs(g + 1) < fmax(0.05, 4 * a->std_error)) words = "its sign is reversed";
        sn_text_add(t, "a gain of %.5g +- %.2g", g, a->std_error);
        if (words) sn_text_add(t, " (%s%s)", g > 0 ? "unit: " : "", words);
        if (fabs(g) < fmax(0.05, 4 * a->std_error)) sn_text_add(t, " (nothing of the model's signal)");
    }
}

/* What to do. */
static void advise(const sn_study *s, const sn_cause *a, sn_text *t)
{
    static const char *const key[] = {"offset", "gain", "delay", "drift"};
    char name[160];
    name_of(s, channel_of(s, a, a->kind == SN_CAUSE_CLOCK ? 0 : a->channel), name, sizeof name);
    if (a->kind == SN_CAUSE_CLOCK)
        sn_text_add(t, "correct it ('offset: %.4g s'), or seek it ('offset: unknown')", -a->c);
    else if (a->kind <= SN_CAUSE_DRIFT)
        sn_text_add(t, "correct it, or make it an unknown ('instruments: {%s: {%s: unknown}}')", name,
                    key[a->kind]);
    else
        sn_text_add(t, "calibrate the sensor, or correct the columns");
}

/* Gross mistakes are bad whatever they move. */
static int is_gross(const sn_cause *a)
{
    int gain = a->kind == SN_CAUSE_GAIN || a->kind == SN_CAUSE_FACTOR;
    return gain && (1 + a->c < 0 || 1 + a->c > 3 || 1 + a->c < 0.3);
}

static void tell(const sn_causes *q, sn_estimate *e, const sn_cause *a, const sn_cause *rival)
{
    const sn_study *s = e->s;
    char name[160] = "";
    int which;
    double move = worst_move(q->f, e, a->moves, &which);
    sn_text t = {0};
    if (a->kind != SN_CAUSE_CLOCK) name_of(s, channel_of(s, a, a->channel), name, sizeof name);
    if (a->kind == SN_CAUSE_FACTOR) sn_text_add(&t, "all channels like ");
    sn_text_add(&t, "%s%s", name, name[0] ? "" : "all channels");
    if (s->n_fit > 1 && a->experiment >= 0) sn_text_add(&t, " of %s", s->experiment[a->experiment].name);
    sn_text_add(&t, ": probably ");
    describe(s, a, &t);
    if (rival) {
        sn_text_add(&t, ", or ");
        if (rival->kind != SN_CAUSE_CLOCK)
            name_of(s, channel_of(s, rival, rival->channel), name, sizeof name);
        if (rival->kind != a->kind || rival->kind == SN_CAUSE_CLOCK || rival->channel != a->channel)
            sn_text_add(&t, "%s: ", rival->kind == SN_CAUSE_CLOCK ? "all channels" : name);
        describe(s, rival, &t);
        if (a->kind != SN_CAUSE_CLOCK) name_of(s, channel_of(s, a, a->channel), name, sizeof name);
    }
    sn_text_add(&t, ", which would explain %sthe residuals (chi square %.3g for one number",
                q->n_cause > 1 ? "its part of " : "", a->gain);
    if (which >= 0) sn_text_add(&t, "; %s would move by %.2g standard errors", s->unknown[which].name, move);
    sn_text_add(&t, "): ");
    advise(s, a, &t);
    if (t.failed)
        e->speechless = 1;
    else {
        sn_estimate_verdict(e, fabs(move) > 1 || is_gross(a) ? 2 : 1, "data", "%s", t.text);
        if (a->kind != SN_CAUSE_CLOCK) sn_verdict_channel(e, name);
    }
    sn_free(t.text);
}

/* ---- exchanged columns ---- */

/* What the model's signal of channel m leaves of the data of channel c. */
static double left_by(const sn_experiment *x, const double *model, int c, int m)
{
    double sum = 0;
    for (int i = 0; i < x->n; i++) {
        double d = x->y[i * x->n_channel + c] - model[i * x->n_channel + m];
        if (isfinite(d)) sum += d * d;
    }
    return sum;
}

static int look_for_exchange(const sn_fit *f, sn_estimate *e)
{
    const sn_study *s = f->s;
    int found = 0;
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        const double *m = f->part[k].model;
        for (int a = 0; !x->hold_out && !x->modal && a < x->n_channel; a++)
            for (int b = a + 1; b < x->n_channel; b++) {
                char name[2][160];
                if (strcmp(sn_channel_get(s->model, x->channel[a]).unit,
                           sn_channel_get(s->model, x->channel[b]).unit))
                    continue;
                if (!(left_by(x, m, a, b) < 0.2 * left_by(x, m, a, a)) ||
                    !(left_by(x, m, b, a) < 0.2 * left_by(x, m, b, b)))
                    continue;
                name_of(s, x->channel[a], name[0], sizeof name[0]),
                    name_of(s, x->channel[b], name[1], sizeof name[1]);
                sn_estimate_verdict(
                    e, 2, "data",
                    "the columns %s and %s%s%s are probably exchanged: the model's signal of each "
                    "explains the other far better than its own",
                    name[0], name[1], s->n_fit > 1 ? " of " : "", s->n_fit > 1 ? x->name : "");
                sn_verdict_channel(e, name[0]);
                found = 1;
            }
    }
    return found;
}

/* ---- outliers ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Residuals beyond six deviations (by the median) whose neighbours are within three, of one channel. Their
   pull on the unknowns, J'r, is added to `pull`. */
static int outliers_of(const sn_fit *f, int k, int c, double *work, double *pull)
{
    const sn_experiment *x = &f->s->experiment[k];
    const sn_part *p = &f->part[k];
    size_t n = (size_t)p->n, width = (size_t)x->n_channel;
    int m = 0, count = 0;
    for (int i = 0; i < x->n; i++) {
        double r = p->r[(size_t)i * width + (size_t)c];
        if (!isnan(r)) work[m++] = fabs(r);
    }
    if (m < 20) return 0;
    qsort(work, (size_t)m, sizeof *work, ascending);
    double scale = 1.4826 * work[m / 2];
    for (int i = 1; i < x->n - 1; i++) {
        size_t at = (size_t)i * width + (size_t)c;
        double r = p->r[at];
        if (!(fabs(r) > 6 * scale) || fabs(p->r[at - width]) > 3 * scale ||
            fabs(p->r[at + width]) > 3 * scale)
            continue;
        count++;
        if (f->s->huber > 0) r = fmax(-f->s->huber, fmin(r, f->s->huber));
        for (size_t a = 0; a < n; a++) pull[p->unknown[a]] += p->J[at * n + a] * r;
    }
    return count;
}

/* Where a few samples decide: what would the unknowns be without them? */
static sn_status look_for_outliers(const sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    size_t n = (size_t)f->n, most_rows = 0;
    double *pull = NULL, *moves = NULL, *work = NULL;
    for (int k = 0; k < s->n_experiment; k++)
        if ((size_t)s->experiment[k].n > most_rows) most_rows = (size_t)s->experiment[k].n;
    sn_status status = SN_NEW(pull, n + 1) && SN_NEW(moves, n + 1) && SN_NEW(work, most_rows + 1)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    for (int k = 0; k < s->n_experiment && !status; k++)
        for (int c = 0;
             !s->experiment[k].hold_out && !s->experiment[k].modal && c < s->experiment[k].n_channel; c++) {
            char name[160];
            int which;
            memset(pull, 0, sizeof *pull * n);
            int count = outliers_of(f, k, c, work, pull);
            if (!count) continue;
            for (size_t a = 0; a < n; a++) {
                moves[a] = 0;
                for (size_t b = 0; b < n; b++)
                    if (isfinite(e->covariance[a * n + b])) moves[a] += e->covariance[a * n + b] * pull[b];
            }
            double move = worst_move(f, e, moves, &which);
            if (s->huber > 0 && fabs(move) < 1) continue; /* that is what it is for */
            name_of(s, s->experiment[k].channel[c], name, sizeof name);
            sn_estimate_verdict(
                e, fabs(move) > 1 ? 2 : 1, "data",
                "%s: %d residual%s far beyond all others (outliers)%s%s%s: look at the data there, "
                "leave them empty%s",
                name, count, count == 1 ? " is" : "s are", which >= 0 ? ", which move " : "",
                which >= 0 ? s->unknown[which].name : "",
                which < 0        ? ""
                : fabs(move) > 1 ? " by more than its standard error"
                                 : " by less than its standard error",
                s->huber > 0 ? "" : ", or use 'loss: huber'");
            sn_verdict_channel(e, name);
        }
    sn_free(pull), sn_free(moves), sn_free(work);
    return status;
}

/* Residuals of all channels far below their changes: the data are computed, and what is left is of the
 * numerics. */
static int are_exact(const sn_fit *f, const sn_estimate *e)
{
    for (int k = 0; k < f->s->n_experiment; k++) {
        const sn_experiment *x = &f->s->experiment[k];
        for (int c = 0; !x->hold_out && !x->modal && c < x->n_channel; c++)
            if (e->channel[k][c].rms > 1e-4 * sn_experiment_spread(x, x->channel[c])) return 0;
    }
    return 1;
}

sn_status sn_judge_causes(sn_fit *f, sn_estimate *e, sn_err *err)
{
    sn_causes *q = NULL;
    int before = sn_err_count(err);
    if (!e->converged || are_exact(f, e)) return SN_OK;
    SN_TRY(look_for_outliers(f, e, err));
    if (look_for_exchange(f, e)) return SN_OK;
    sn_status status = sn_causes_new(f, e, &q, err);
    if (!status) status = sn_causes_find(q, err);
    if (status == SN_ERR_NUMERIC)
        sn_err_forget(err, before), status = SN_OK;
    else if (!status && q->explains) {
        /* errors of step and mesh look like offsets and gains: where they are seen, they are the cause */
        int known = e->step.seen || e->mesh.seen;
        e->sensors.explained = q->explained, e->sensors.first = e->n_verdict;
        for (int k = 0; k < q->n_cause; k++)
            if (!known || is_gross(&q->cause[k]))
                tell(q, e, &q->cause[k], k || !(q->rival.gain > 0) ? NULL : &q->rival), e->sensors.n++;
    }
    sn_causes_free(q);
    return status;
}
