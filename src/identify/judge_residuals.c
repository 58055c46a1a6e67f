/* Are the residuals noise, or does the model not explain the data? */
#include "identify/judge.h"
#include "identify/modal.h"
#include "identify/statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Residuals of a channel between two times, in its unit. */
static double part_rms(const sn_fit *f, int k, int c, double from, double to)
{
    const sn_experiment *x = &f->s->experiment[k];
    double sum = 0, n = 0;
    for (int i = 0; i < x->n; i++) {
        double r = f->part[k].r[i * x->n_channel + c];
        if (!isnan(r) && x->t[i] > from && x->t[i] <= to) sum += r * r, n++;
    }
    return n > 0 ? sqrt(sum / n) * x->sigma[c] / sqrt(x->weight) : NAN;
}

sn_status sn_look_at_channels(const sn_fit *f, sn_estimate *e, int held_out, sn_err *err)
{
    const sn_study *s = f->s;
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        if (x->hold_out != held_out) continue;
        for (int c = 0; c < x->n_channel; c++) {
            sn_channel_fit *q = &e->channel[k][c];
            double sum = 0, *r = sn_arena_alloc(&e->arena, (size_t)x->n + 1, sizeof *r);
            if (!r) return SN_OUT_OF_MEM(err);
            int n = 0;
            for (int i = 0; i < x->n; i++) {
                double v = f->part[k].r[i * x->n_channel + c];
                if (!isnan(v)) r[n++] = v, sum += v * v;
            }
            *q = (sn_channel_fit){.sigma = x->sigma[c], .known = x->known[c], .count = n};
            q->rest = part_rms(f, k, c, x->begin + s->initial_window, INFINITY);
            q->second = part_rms(f, k, c, x->begin + s->initial_window, x->begin + 1);
            q->rms = n ? sqrt(sum / n) * x->sigma[c] / sqrt(x->weight) : 0;
            q->white = (sn_whiteness){.statistic = NAN, .p = NAN, .limit = NAN};
            if (!x->sort) SN_TRY(sn_whiteness_of(&e->arena, n, r, &q->white, err)); /* rows are no sequence */
        }
        size_t bytes = sizeof(double) * (size_t)x->n * (size_t)x->n_channel;
        memcpy(e->model[k], f->part[k].model, bytes);
        memcpy(e->residual[k], f->part[k].r, bytes);
    }
    return sn_modal_keep(f, e, held_out, err);
}

/* The size of the channel's own changes: residuals far below it are not noise but rounding. */
static double spread_of(const sn_experiment *x, int c)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < x->n; i++) {
        double y = x->y[i * x->n_channel + c];
        if (!isnan(y)) lo = fmin(lo, y), hi = fmax(hi, y);
    }
    return hi - lo;
}

sn_status sn_judge_residuals(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    int coloured = 0, looked = 0, series = 0, all_known = 1, exact = 1;
    double worst = 1, first = 0;
    char where[160] = "";
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        for (int c = 0; !x->hold_out && !x->sort && c < x->n_channel; c++) {
            const sn_channel_fit *q = &e->channel[k][c];
            series++, all_known &= q->known;
            if (q->rms < 1e-7 * spread_of(x, c)) continue;
            exact = 0, looked++;
            if (q->white.n > 0 && q->white.p < 1e-4 && fabs(q->white.r[0]) > 0.15) {
                coloured++;
                if (q->white.p < worst || fabs(q->white.r[0]) > first) {
                    sn_channel h = sn_channel_get(s->model, x->channel[c]);
                    worst = q->white.p, first = fabs(q->white.r[0]);
                    snprintf(where, sizeof where, "%s.%s", h.sensor, h.component);
                }
            }
        }
    }
    if (!series) return SN_OK;
    double excess = (e->rms * e->rms - 1) * sqrt(fmax(1, (double)e->count) / 2);
    if (exact)
        sn_estimate_verdict(e, 0, "residuals",
                            "the data are met to rounding: they seem to be computed, without noise");
    else if (coloured * 4 > looked) {
        sn_estimate_verdict(
            e, 1, "residuals",
            "model error: the residuals are not noise (%d of %d channels, worst %s with autocorrelation "
            "%.2f): the model does not explain all of the data, and standard errors are too small",
            coloured, looked, where, first);
        sn_verdict_channel(e, where);
    } else
        sn_estimate_verdict(e, 0, "residuals", "the residuals look like noise (%d of %d channels are white)",
                            looked - coloured, looked);
    if (all_known && !exact && excess > 4)
        sn_estimate_verdict(
            e, 1, "residuals",
            "the residuals are %.2f times the stated noise: model error, or more noise than stated", e->rms);
    if (all_known && excess < -6)
        sn_estimate_verdict(e, 1, "residuals",
                            "the residuals are only %.2g of the stated noise: it is stated too large",
                            e->rms);
    (void)err;
    return SN_OK;
}
