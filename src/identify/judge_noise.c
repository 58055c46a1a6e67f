/* May what a study takes for noise be believed?

   A model of noise that is found from the residuals follows a misfit as well as noise. What tells them apart:
   plain least squares, which a misfit moves by another amount (Hausman's test, gls.c); the frequency of what
   the noise is said to do, which a misfit has in common with the signal; how much of it could be foretold;
   and experiments that repeat each other: the same residuals twice are no noise. */
#include "identify/judge.h"
#include "identify/noise.h"
#include "identify/statistics.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#undef I

static const double bad = 1e-3, doubtful = 1e-2; /* probabilities */
static const double foretold = 0.01;             /* share of the variance that is new in a sample */
static const double lengths = 1.5;               /* of correlation that a record must have */
/* A discrepancy dominates where it is larger than the noise, or makes more than half of a variance. */
static const double loud = 1, felt = 1.4142135623730951;

static void name_of(const sn_study *s, const sn_experiment *x, int c, char *out, size_t size)
{
    sn_channel h = sn_channel_get(s->model, x->channel[c]);
    snprintf(out, size, "%s.%s", h.sensor, h.component);
}

/* ---- resonances ---- */

/* Part of the changes of the model's signal c that lies between two circular frequencies. */
static double part_between(const sn_experiment *x, const double *model, int c, double from, double to)
{
    double mean = 0, all = 0, sum = 0, n = 0, span = x->t[x->n - 1] - x->t[0], pi = acos(-1);
    for (int i = 0; i < x->n; i++) {
        double y = model[i * x->n_channel + c];
        if (!isnan(y)) mean += y, n++;
    }
    mean /= fmax(n, 1);
    for (int i = 0; i < x->n; i++) {
        double y = model[i * x->n_channel + c] - mean;
        if (!isnan(y)) all += y * y;
    }
    for (double w = 2 * pi / span * fmax(1, floor(from * span / (2 * pi))); w <= to; w += 2 * pi / span) {
        double re = 0, im = 0;
        for (int i = 0; i < x->n; i++) {
            double y = model[i * x->n_channel + c] - mean;
            if (!isnan(y)) re += y * cos(w * x->t[i]), im += y * sin(w * x->t[i]);
        }
        sum += 2 * (re * re + im * im) / n;
    }
    return all > 0 ? sum / all : 0;
}

/* The circular frequency of a resonance of the noise where the model's signal moves, too; 0: none. */
static double resonance(const sn_experiment *x, const double *model, int c)
{
    const sn_noise_model *m = &x->noise[c].m;
    double F[SN_AR_MOST * SN_AR_MOST] = {0}, re[SN_AR_MOST], im[SN_AR_MOST];
    int p = m->p;
    if (p < 2 || x->n < 3) return 0;
    for (int i = 0; i < p; i++) F[i] = m->a[i];
    for (int i = 1; i < p; i++) F[i * p + i - 1] = 1;
    if (LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', p, F, p, re, im, NULL, p, NULL, p)) return 0;
    for (int i = 0; i < p; i++) {
        double w = fabs(atan2(im[i], re[i])) / m->dt, rate = -log(hypot(re[i], im[i])) / m->dt,
               width = fmax(rate, 2 * acos(-1) / (x->t[x->n - 1] - x->t[0]));
        if (im[i] <= 0 || w < 2 * rate) continue;
        if (part_between(x, model, c, w - width, w + width) > 0.25) return w;
    }
    return 0;
}

/* ---- repeated experiments ---- */

/* Do two experiments show the same motion of a channel at the same times? */
static int repeats(const sn_fit *f, int a, int b, int c, int d)
{
    const sn_experiment *x = &f->s->experiment[a], *y = &f->s->experiment[b];
    double mean = 0, spread = 0, apart = 0, dt = x->n > 1 ? (x->t[x->n - 1] - x->t[0]) / (x->n - 1) : 0;
    if (x->n != y->n || x->n < 20) return 0;
    for (int i = 0; i < x->n; i++) mean += f->part[a].model[i * x->n_channel + c] / x->n;
    for (int i = 0; i < x->n; i++) {
        double u = f->part[a].model[i * x->n_channel + c], v = f->part[b].model[i * y->n_channel + d];
        if (fabs(x->t[i] - x->t[0] - (y->t[i] - y->t[0])) > 0.1 * dt) return 0;
        spread += (u - mean) * (u - mean), apart += (u - v) * (u - v);
    }
    return apart < 0.04 * spread; /* NAN: not the same */
}

typedef struct pair {
    int a, b, channel; /* experiments, channel of the first */
    double r, p;       /* correlation of their residuals, its probability */
    int n;             /* tests there are */
    double common;     /* what the largest correlation may be, within two deviations */
} pair;

/* How likely two series of n samples have a correlation r by chance; square: sum of the squares of their own
   autocorrelations, by which they repeat themselves (Bartlett). */
static double chance(double r, double n, double square)
{
    double free = n / square - 3;
    return r > 0 && free > 1 ? sn_normal_tail(atanh(fmin(r, 0.999999)) * sqrt(free)) : 1;
}

/* Sum over all lags of the squares of a channel's autocorrelations. */
static double own_squares(const sn_experiment *x, int c)
{
    enum { PARTS = 4000 };
    double sum = 0, dt = x->n > 1 ? (x->t[x->n - 1] - x->t[0]) / (x->n - 1) : 1, pi = acos(-1);
    if (!x->noise || !x->noise[c].kind) return 1;
    for (int i = 0; i < PARTS; i++) { /* Parseval */
        double s = sn_noise_spectrum(&x->noise[c].m, dt, (i + 0.5) * pi / PARTS);
        sum += s * s / PARTS;
    }
    double v = sn_noise_variance(&x->noise[c].m);
    return sum / (v * v);
}

/* Residuals as they are, and what is new in them. */
static void compare(const sn_fit *f, int a, int b, int c, int d, pair *worst)
{
    const sn_experiment *x = &f->s->experiment[a], *y = &f->s->experiment[b];
    for (int raw = 0; raw < 2; raw++) {
        double uu = 0, vv = 0, uv = 0, n = 0;
        for (int i = 0; i < x->n; i++) {
            double u = f->part[a].r[i * x->n_channel + c], v = f->part[b].r[i * y->n_channel + d];
            if (raw) u = sn_part_residual(x, &f->part[a], i, c), v = sn_part_residual(y, &f->part[b], i, d);
            if (!isnan(u) && !isnan(v)) uu += u * u, vv += v * v, uv += u * v, n++;
        }
        double r = uu > 0 && vv > 0 && n > 20 ? uv / sqrt(uu * vv) : 0;
        double square = raw ? own_squares(x, c) : 1, p = chance(r, n, square);
        worst->n++;
        if (raw) worst->common = fmax(worst->common, r + 2 / sqrt(fmax(n / square - 3, 1)));
        if (p < worst->p) *worst = (pair){a, b, c, r, p, worst->n, worst->common};
    }
}

/* The first dozen of experiments, each with all others. */
static pair find_repeats(const sn_fit *f)
{
    const sn_study *s = f->s;
    pair worst = {.p = 2};
    for (int a = 0; a < s->n_experiment && a < 12; a++)
        for (int b = a + 1; b < s->n_experiment && b < 12; b++) {
            const sn_experiment *x = &s->experiment[a], *y = &s->experiment[b];
            if (x->hold_out || y->hold_out || x->sort || y->sort) continue;
            for (int c = 0; c < x->n_channel; c++)
                for (int d = 0; d < y->n_channel; d++)
                    if (x->channel[c] == y->channel[d] && repeats(f, a, b, c, d))
                        compare(f, a, b, c, d, &worst);
        }
    worst.p = fmin(1, worst.p * worst.n);
    return worst;
}

/* ---- verdicts ---- */

static int tell_repeats(const sn_fit *f, sn_estimate *e, const pair *q)
{
    char name[160];
    if (!q->n || q->p >= bad) return 0;
    name_of(f->s, &f->s->experiment[q->a], q->channel, name, sizeof name);
    sn_estimate_verdict(
        e, 2, "residuals",
        "model error: experiments %s and %s repeat each other, and %s has the same residuals in "
        "both (correlation %.2f, by chance with a probability of %.1g): noise would differ",
        f->s->experiment[q->a].name, f->s->experiment[q->b].name, name, q->r, fmax(q->p, 1e-300));
    sn_verdict_channel(e, name);
    return 1;
}

/* How many times the record is as long as its noise is correlated: independent samples that tell its mean. */
static double record_lengths(const sn_experiment *x, int c, const sn_channel_fit *q)
{
    const sn_noise_model *m = &x->noise[c].m;
    double dt = x->n > 1 ? (x->t[x->n - 1] - x->t[0]) / (x->n - 1) : 1;
    return (double)q->count * sn_noise_variance(m) / sn_noise_spectrum(m, dt, 0);
}

/* What is new in a sample, how slow it is, and where a resonance is, of all channels with an autoregression.
 */
static int tell_shapes(const sn_fit *f, sn_estimate *e)
{
    int told = 0;
    for (int k = 0; k < f->s->n_experiment && !told; k++) {
        const sn_experiment *x = &f->s->experiment[k];
        for (int c = 0; x->noise && !x->hold_out && c < x->n_channel && !told; c++) {
            char name[160];
            if (x->noise[c].kind != SN_NOISE_AR) continue;
            double w = resonance(x, f->part[k].model, c), share = e->channel[k][c].share;
            name_of(f->s, x, c, name, sizeof name);
            if (w > 0)
                sn_estimate_verdict(e, 2, "residuals",
                                    "model error: what %s has as noise resonates at %.3g Hz, where the "
                                    "model's own signal moves: the noise model follows what the model lacks",
                                    name, w / (2 * acos(-1)));
            else if (share < foretold)
                sn_estimate_verdict(
                    e, 2, "residuals",
                    "model error: all but %.2g %% of what %s has as noise follows from its samples before: "
                    "that is no noise, as far as these data tell",
                    100 * share, name);
            else if (record_lengths(x, c, &e->channel[k][c]) < lengths)
                sn_estimate_verdict(e, 2, "residuals",
                                    "model error, or the record is too short to tell: what %s has as noise "
                                    "stays the same for "
                                    "most of it; if the sensor drifts, seek that ('instruments: {%s: "
                                    "{offset: unknown, drift: "
                                    "unknown}}')",
                                    name, name);
            told = w > 0 || share < foretold || record_lengths(x, c, &e->channel[k][c]) < lengths;
            if (told) sn_verdict_channel(e, name);
        }
    }
    return told;
}

static int tell_hausman(const sn_fit *f, sn_estimate *e)
{
    const sn_gls *g = &e->gls;
    int any = 0;
    for (int k = 0; k < f->s->n_experiment; k++)
        for (int c = 0; f->s->experiment[k].noise && c < f->s->experiment[k].n_channel; c++)
            any |= f->s->experiment[k].noise[c].kind == SN_NOISE_AR;
    if (!any || !g->there || g->p >= doubtful || g->unknown < 0) return 0;
    sn_estimate_verdict(
        e, g->p < bad ? 2 : 1, "residuals",
        "%s: without the noise model %s would be %.2g standard errors %s, more than noise of this kind does "
        "(Hausman's test, probability %.1g): residuals that are a misfit move an estimate so",
        g->p < bad ? "model error" : "perhaps a model error", f->s->unknown[g->unknown].name, fabs(g->move),
        g->move > 0 ? "larger" : "smaller", fmax(g->p, 1e-300));
    return 1;
}

/* The channel of whose residuals most is taken for noise that follows itself. */
static void tell_share(const sn_fit *f, sn_estimate *e, const pair *q)
{
    const sn_channel_fit *most = NULL;
    const sn_noise_model *m = NULL;
    char name[160] = "";
    int white = 1;
    for (int k = 0; k < f->s->n_experiment; k++) {
        const sn_experiment *x = &f->s->experiment[k];
        for (int c = 0; x->noise && !x->hold_out && c < x->n_channel; c++) {
            const sn_channel_fit *o = &e->channel[k][c];
            if (o->kind != SN_NOISE_AR) continue;
            int order = x->noise[c].m.p ? x->noise[c].m.p : 2;
            white &= sn_chi_square_tail(o->evidence, order) > doubtful;
            if (most && o->share >= most->share) continue;
            most = o, m = &x->noise[c].m;
            name_of(f->s, x, c, name, sizeof name);
        }
    }
    if (!most) return;
    if (white) {
        sn_estimate_verdict(e, 0, "noise", "the noise does not follow itself: the noise model is not needed");
        return;
    }
    char how[80];
    if (m->p)
        snprintf(how, sizeof how, "an autoregression of order %d", m->p);
    else
        snprintf(how, sizeof how, "a correlation that falls within %.3g s", m->time);
    int sure = q->n > 0 && q->p > doubtful && q->common < 0.5;
    sn_estimate_verdict(
        e, sure ? 0 : 1, "noise",
        "%.2g %% of the variance of the residuals of %s is taken for noise that follows itself "
        "(%s)%s",
        100 * (1 - most->share), name, how,
        sure ? ", and repeated experiments agree: they do not have the same residuals"
             : ": a model error may look like that, too; what is known of the instrument, or "
               "repeated experiments, can tell");
    sn_verdict_channel(e, name);
}

/* ---- discrepancy ---- */

/* The unknown whose standard error it makes larger most. */
static int felt_most(const sn_study *s, const sn_estimate *e)
{
    int which = -1;
    for (int k = 0; k < s->n_common && e->gls.there; k++)
        if (isfinite(e->gls.alone[k]) && (which < 0 || e->gls.alone[k] > e->gls.alone[which])) which = k;
    return which;
}

static void tell_discrepancy(const sn_fit *f, sn_estimate *e, int k, int c)
{
    const sn_study *s = f->s;
    const sn_experiment *x = &s->experiment[k];
    const sn_channel_fit *q = &e->channel[k][c];
    const sn_noise_model *m = &x->noise[c].m;
    sn_channel h = sn_channel_get(s->model, x->channel[c]);
    double size = sqrt(m->size / m->variance), p = sn_chi_square_tail(q->evidence, 2);
    int which = felt_most(s, e), seen = e->gls.there ? p < doubtful : size > 0.3;
    double more = which >= 0 ? e->gls.alone[which] : 1;
    int rules = (p < bad || !e->gls.there) && (size > loud || more > felt);
    char name[160], words[160] = "";
    name_of(s, x, c, name, sizeof name);
    if (which >= 0)
        snprintf(words, sizeof words, "; standard errors are up to %.2g times those without it (%s)", more,
                 s->unknown[which].name);
    if (!seen)
        sn_estimate_verdict(e, 0, "discrepancy", "%s%s%s: no discrepancy is seen beside the noise", name,
                            s->n_fit > 1 ? " of " : "", s->n_fit > 1 ? x->name : "");
    else
        sn_estimate_verdict(e, rules ? 2 : 1, "discrepancy",
                            "%s%s%s: the model has a discrepancy of %.3g %s, %.2g times the noise, that "
                            "lasts for %.2g s%s%s: "
                            "intervals allow for it as far as it is like the process that is assumed",
                            name, s->n_fit > 1 ? " of " : "", s->n_fit > 1 ? x->name : "", size * q->sigma,
                            h.unit, size, m->time, words,
                            rules ? "; it dominates: the model does not explain its data" : "");
    sn_verdict_channel(e, name);
}

/* What the model lacks: the mean of the process, and its deviation. */
static sn_status keep_discrepancy(const sn_fit *f, sn_estimate *e, int k, sn_err *err)
{
    const sn_experiment *x = &f->s->experiment[k];
    size_t all = (size_t)x->n * (size_t)x->n_channel;
    double *to = sn_arena_alloc(&e->arena, 2 * all + 1, sizeof *to);
    if (!to) return SN_OUT_OF_MEM(err);
    e->discrepancy[k] = to;
    for (int c = 0; c < x->n_channel; c++) {
        const sn_channel_noise *q = &x->noise[c];
        if (q->kind != SN_NOISE_DISCREPANCY) continue;
        sn_noise_smooth(&q->m, x->n, x->t, e->residual[k] + c, x->n_channel, to + c, to + all + c);
        for (size_t i = (size_t)c; i < all; i += (size_t)x->n_channel) {
            to[i] *= -x->sigma[c] / sqrt(x->weight); /* measured less model */
            to[all + i] *= x->sigma[c] / sqrt(x->weight);
        }
    }
    return SN_OK;
}

/* One verdict for a channel and its model, however many experiments have it. */
static int is_first(const sn_study *s, int k, int c)
{
    for (int e = 0; e < k; e++)
        for (int d = 0;
             s->experiment[e].noise && !s->experiment[e].hold_out && d < s->experiment[e].n_channel; d++)
            if (s->experiment[e].channel[d] == s->experiment[k].channel[c] &&
                s->experiment[e].noise[d].m.time == s->experiment[k].noise[c].m.time)
                return 0;
    return 1;
}

sn_status sn_judge_noise(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    pair q = find_repeats(f);
    int told = tell_repeats(f, e, &q);
    if (!sn_noise_modelled(s)) return SN_OK;
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        int any = 0;
        for (int c = 0; x->noise && !x->hold_out && c < x->n_channel; c++) {
            if (x->noise[c].kind != SN_NOISE_DISCREPANCY) continue;
            if (is_first(s, k, c)) tell_discrepancy(f, e, k, c);
            any = 1;
        }
        if (any) SN_TRY(keep_discrepancy(f, e, k, err));
    }
    told |= tell_shapes(f, e);
    told |= tell_hausman(f, e);
    if (!told) tell_share(f, e, &q);
    if (e->allows & SN_ALLOWS_CHANNELS)
        sn_estimate_verdict(
            e, 1, "noise",
            "what is new in the noise of several channels comes at the same moments: sensors of "
            "their own would not do so, a model error would");
    return SN_OK;
}
