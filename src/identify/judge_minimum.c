/* Is it the minimum, and the only one? */
#include "identify/judge.h"
#include "identify/minima.h"
#include "identify/noise.h"
#include "identify/text.h"

#include <math.h>

/* ---- several minima ---- */

static double cumulated(const sn_estimate *e, int k, double z)
{
    double sum = 0;
    for (int i = 0; i < e->n_minimum; i++) {
        const sn_minimum *m = &e->minimum[i];
        sum += m->weight * 0.5 * erfc((m->z[k] - z) / (m->sd[k] * sqrt(2)));
    }
    return sum;
}

/* Quantile of unknown k's mixture, by bisection. */
static double quantile(const sn_estimate *e, int k, double part)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < e->n_minimum; i++) {
        const sn_minimum *m = &e->minimum[i];
        lo = fmin(lo, m->z[k] - 9 * m->sd[k]), hi = fmax(hi, m->z[k] + 9 * m->sd[k]);
    }
    for (int i = 0; i < 200 && hi - lo > 1e-12 * fmax(fabs(lo), fabs(hi)); i++) {
        double z = 0.5 * (lo + hi);
        if (cumulated(e, k, z) < part)
            lo = z;
        else
            hi = z;
    }
    return 0.5 * (lo + hi);
}

/* Intervals that cover all minima with 95 %. What else makes standard errors larger, or profiles, holds for
   each of them. */
static void mix(const sn_fit *f, sn_estimate *e)
{
    size_t n = (size_t)f->n;
    for (int k = 0; k < f->n; k++) {
        double own = e->minimum[0].sd[k], now = sqrt(e->covariance[(size_t)k * n + (size_t)k]);
        if (!isfinite(own) || !isfinite(now) || e->at_bound[k]) continue;
        for (int i = 0; i < e->n_minimum; i++) e->minimum[i].sd[k] *= now / own;
        double lo = sn_fit_value(f->s, k, quantile(e, k, 0.025)),
               hi = sn_fit_value(f->s, k, quantile(e, k, 0.975));
        if (f->s->intervals != SN_STANDARD && (e->bootstrap.n || k < f->s->n_common))
            lo = fmin(lo, e->lo[k]), hi = fmax(hi, e->hi[k]);
        e->lo[k] = lo, e->hi[k] = hi;
    }
}

/* The unknown by which the minima differ most, in standard deviations of the best. */
static int telling(const sn_estimate *e)
{
    double most = -1;
    int which = 0;
    for (int i = 1; i < e->n_minimum; i++)
        for (int k = 0; k < e->s->n_common; k++) {
            double d = fabs(e->minimum[i].z[k] - e->minimum[0].z[k]) / e->minimum[0].sd[k];
            if (d > most) most = d, which = k;
        }
    return which;
}

static void tell_minima(const sn_fit *f, sn_estimate *e)
{
    const sn_study *s = f->s;
    int k = telling(e);
    sn_text t = {0};
    for (int i = 0; i < e->n_minimum && i < 4; i++)
        sn_text_add(&t, "%s%.4g%s%s with %.2g %%", i ? ", " : "",
                    sn_fit_value(s, k, e->minimum[i].z[k]) / s->unknown[k].shown_factor,
                    s->unknown[k].shown[0] ? " " : "", s->unknown[k].shown, 100 * e->minimum[i].weight);
    if (t.failed)
        e->speechless = 1;
    else
        sn_estimate_verdict(e, 1, "minimum",
                            "the data do not tell %d minima apart: %s = %s; intervals cover all of them, the "
                            "standard errors only the first: more data, less noise or a 'prior' would decide",
                            e->n_minimum, s->unknown[k].name, t.text);
    sn_free(t.text);
}

/* ---- false ones ---- */

static void judge_starts(const sn_study *s, sn_estimate *e, int odd)
{
    const sn_doubts *d = &e->doubts;
    int bound = 0;
    for (int k = 0; k < s->n_unknown; k++) bound |= e->at_bound[k];
    if (odd && d->half) {
        const sn_unknown *u = &s->unknown[d->unknown];
        sn_estimate_verdict(
            e, 2, "minimum",
            "probably a false minimum, or something changes on the way: the first half of the "
            "data alone is explained, but with %s = %.4g%s%s instead of %.4g: give it as start "
            "value, or look at what happens later",
            u->name, d->value / u->shown_factor, u->shown[0] ? " " : "", u->shown,
            e->value[d->unknown] / u->shown_factor);
    }
    if (odd && !e->starts && e->converged)
        sn_estimate_verdict(
            e, 1, "minimum",
            "it may be a false minimum: the residuals are not noise, and no other start was "
            "tried (%s)",
            s->n_history ? "a history is sought from one; 'horizon: 0.3 s' or 'windows: {n: 4, hand_over: "
                           "yes}' lead it from short times to long ones"
            : s->starts == 0 ? "'starts: 0'"
                             : "all experiments are short");
    if (!e->starts) return;
    int most = e->alike * 2 >= e->starts;
    /* a model of noise follows also what a false minimum leaves */
    if ((odd || (d->looked && sn_noise_modelled(s))) && !most)
        sn_estimate_verdict(
            e, 2, "minimum",
            "probably a false minimum: the residuals are not noise, and %d of %d random starts "
            "found the same optimum, the others %d worse ones: try 'starts: %d' or better start "
            "values",
            e->alike, e->starts, d->places, 4 * e->starts);
    else
        sn_estimate_verdict(e, 0, "minimum", "%d of %d random starts found the same optimum%s", e->alike,
                            e->starts,
                            !odd    ? ""
                            : bound ? ": it is the model, not the search, or the bound that was reached"
                                    : ": it is the model, not the search");
}

/* Several, of which the others have some weight. */
static int several(const sn_estimate *e) { return e->n_minimum > 1 && 1 - e->minimum[0].weight > 0.01; }

sn_status sn_judge_minimum(sn_fit *f, sn_estimate *e, sn_err *err)
{
    (void)err;
    if (e->stopped == SN_STOPPED_SEARCH) {
        sn_estimate_verdict(
            e, 2, "minimum",
            "stopped on request: the values are the best so far; residuals, standard errors and "
            "intervals are those of an unfinished search");
        return SN_OK;
    }
    if (!e->converged) sn_estimate_verdict(e, 2, "minimum", "not converged: %s", e->reason);
    judge_starts(f->s, e, f->s->n_fit && isfinite(e->rms) && sn_residuals_chance(f->s, e) < SN_DOUBTFUL);
    if (several(e)) tell_minima(f, e);
    return SN_OK;
}

sn_status sn_judge_mixture(sn_fit *f, sn_estimate *e, sn_err *err)
{
    if (several(e)) mix(f, e);
    (void)err;
    return SN_OK;
}
