/* How far to believe an estimate: covariance from the normal equations, what the data cannot see, whether the
   residuals are noise, forces with their bands, and all of it in words. */
#include "identify/result.h"
#include "identify/statistics.h"
#include "identify/text.h"

#include <lapacke.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef I

void sn_estimate_verdict(sn_estimate *e, int level, const char *about, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = n < 0 ? NULL : sn_arena_alloc(&e->arena, (size_t)n + 1, 1);
    if (!text || sn_grow(&e->verdict, &e->cap_verdict, e->n_verdict + 1, sizeof *e->verdict)) {
        e->speechless = 1;
        return;
    }
    va_start(args, format);
    vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    e->verdict[e->n_verdict++] = (sn_verdict){.level = level, .about = about, .text = text};
}

void sn_verdict_channel(sn_estimate *e, const char *channel)
{
    if (e->speechless || !e->n_verdict) return;
    const char *own = sn_arena_strndup(&e->arena, channel, strlen(channel));
    if (!own) e->speechless = 1;
    e->verdict[e->n_verdict - 1].channel = own;
}

sn_status sn_estimate_whole(const sn_estimate *e, sn_err *err)
{
    return e->speechless ? SN_OUT_OF_MEM(err) : SN_OK;
}

/* ---- uncertainty ---- */

/* Eigenvalues (ascending) and vectors (rows of V) of a symmetric matrix; V holds the matrix before. */
static sn_status eigen(int n, double *V, double *w, sn_err *err)
{
    if (n == 0) return SN_OK;
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', n, V, n, w))
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "the covariance cannot be computed");
    return SN_OK;
}

/* Covariance of z: inverse of A over the unknowns that are not at bounds; INFINITY on the diagonal of those
   that the data do not determine. */
static sn_status covariance(const sn_fit *f, sn_estimate *e, sn_err *err)
{
    int n = 0, *list = NULL;
    size_t all = (size_t)f->n;
    double *V = NULL, *w = NULL;
    sn_status status =
        SN_NEW(list, all + 1) && SN_NEW(V, all * all + 1) && SN_NEW(w, all + 1) ? SN_OK : SN_OUT_OF_MEM(err);
    for (int k = 0; !status && k < f->n; k++) {
        double a = f->A[(size_t)k * all + (size_t)k];
        e->covariance[(size_t)k * all + (size_t)k] = e->at_bound[k] ? NAN : INFINITY;
        if (!e->at_bound[k] && a > 0) list[n++] = k;
    }
    for (int i = 0; !status && i < n; i++)
        for (int j = 0; j < n; j++)
            V[i * n + j] = f->A[(size_t)list[i] * all + (size_t)list[j]] /
                           sqrt(f->A[(size_t)list[i] * all + (size_t)list[i]] *
                                f->A[(size_t)list[j] * all + (size_t)list[j]]);
    if (!status) status = eigen(n, V, w, err);
    for (int i = 0; !status && i < n; i++) {
        int lost = 0;
        for (int v = 0; v < n; v++) lost |= w[v] < 1e-11 * w[n - 1] && fabs(V[v * n + i]) > 1e-3;
        for (int j = 0; j < n; j++) {
            double sum = 0, s = sqrt(f->A[(size_t)list[i] * all + (size_t)list[i]] *
                                     f->A[(size_t)list[j] * all + (size_t)list[j]]);
            for (int v = 0; v < n; v++)
                if (w[v] >= 1e-11 * w[n - 1]) sum += V[v * n + i] * V[v * n + j] / w[v];
            e->covariance[(size_t)list[i] * all + (size_t)list[j]] = i == j && lost ? INFINITY : sum / s;
        }
    }
    sn_free(list), sn_free(V), sn_free(w);
    return status;
}

static void errors(const sn_fit *f, sn_estimate *e)
{
    size_t n = (size_t)f->n;
    for (size_t k = 0; k < n; k++) {
        const sn_unknown *u = &f->s->unknown[k];
        double se = sqrt(e->covariance[k * n + k]), x = e->value[k] = sn_fit_value(f->s, (int)k, e->z[k]);
        e->std_error[k] = se * (u->log ? x : u->scale);
        e->lo[k] = u->log ? x * exp(-1.96 * se) : x - 1.96 * e->std_error[k];
        e->hi[k] = u->log ? x * exp(1.96 * se) : x + 1.96 * e->std_error[k];
        for (size_t j = 0; j < n; j++) {
            double s = sqrt(e->covariance[k * n + k] * e->covariance[j * n + j]);
            e->correlation[k * n + j] = k == j                 ? 1
                                        : isfinite(s) && s > 0 ? e->covariance[k * n + j] / s
                                                               : NAN;
        }
    }
}

/* ---- what the data can see ---- */

/* A over the common unknowns with those of single experiments eliminated, in relative changes. */
static sn_status common_part(const sn_fit *f, const sn_estimate *e, double *C, sn_err *err)
{
    int n = f->s->n_common, m = f->n - n;
    size_t all = (size_t)f->n;
    double *L = NULL, *B = NULL;
    if (!SN_NEW(L, (size_t)m * (size_t)m + 1) || !SN_NEW(B, (size_t)m * (size_t)n + 1)) {
        sn_free(L);
        return SN_OUT_OF_MEM(err);
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) L[i * m + j] = f->A[(size_t)(n + i) * all + (size_t)(n + j)];
        for (int j = 0; j < n; j++) B[i * n + j] = f->A[(size_t)(n + i) * all + (size_t)j];
        L[i * m + i] = L[i * m + i] > 0 ? L[i * m + i] * (1 + 1e-12) : 1;
    }
    int bad = m > 0 && LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', m, n, L, m, B, n) != 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = f->A[(size_t)i * all + (size_t)j];
            for (int k = 0; k < m && !bad; k++) sum -= f->A[(size_t)i * all + (size_t)(n + k)] * B[k * n + j];
            double ci = f->s->unknown[i].log || e->z[i] == 0 ? 1 : fabs(e->z[i]);
            double cj = f->s->unknown[j].log || e->z[j] == 0 ? 1 : fabs(e->z[j]);
            C[j * n + i] = sum * ci * cj;
        }
    sn_free(L), sn_free(B);
    return SN_OK;
}

/* "m1, m2, I1 can only be scaled together", or what may change at once without a trace. */
static sn_status put_in_words(sn_estimate *e, sn_direction *d, int unseen, sn_err *err)
{
    const sn_study *s = e->s;
    double top = 0;
    int n = 0, alike = 1;
    sn_text t = {0};
    for (int k = 0; k < s->n_common; k++)
        if (fabs(d->weight[k]) > fabs(top)) top = d->weight[k];
    for (int k = 0; k < s->n_common; k++) {
        double w = d->weight[k] / top;
        if (fabs(w) < 0.05) continue;
        n++;
        alike &= fabs(w - 1) < 0.05;
    }
    for (int k = 0, i = 0; k < s->n_common; k++) {
        double w = d->weight[k] / top;
        if (fabs(w) < 0.05) continue;
        sn_text_add(&t, "%s%s", i++ ? ", " : "", s->unknown[k].name);
        if (!alike && n > 1) sn_text_add(&t, " %+.2g %%", w);
    }
    if (!unseen)
        sn_text_add(&t, n > 1 ? " at once: seen to %.2g %%" : ": seen to %.2g %%", 100 / d->singular);
    else if (n == 1)
        sn_text_add(&t, " has no visible influence on what was measured");
    else
        sn_text_add(&t, "%s",
                    alike ? " can only be scaled together: the data do not see it"
                          : " at once: the data do not see such a change");
    d->words = t.failed ? NULL : sn_arena_strndup(&e->arena, t.text, t.n);
    sn_free(t.text);
    return d->words ? SN_OK : SN_OUT_OF_MEM(err);
}

static sn_status directions(const sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    int n = s->n_common;
    double *C = NULL, *w = NULL;
    sn_status status = SN_NEW(C, (size_t)n * (size_t)n + 1) && SN_NEW(w, n + 1) ? SN_OK : SN_OUT_OF_MEM(err);
    if (!status) status = common_part(f, e, C, err);
    if (!status) status = eigen(n, C, w, err);
    for (int i = 0; i < n && !status; i++) {
        sn_direction *d = &e->direction[n - 1 - i];
        d->singular = sqrt(fmax(w[i], 0));
        d->weight = sn_arena_alloc(&e->arena, (size_t)n, sizeof *d->weight);
        if (!d->weight) status = SN_OUT_OF_MEM(err);
        for (int k = 0; !status && k < n; k++) d->weight[k] = C[i * n + k];
        /* a change by 100 % within the noise, or lost in rounding */
        int unseen = d->singular < 1 || w[i] < 1e-10 * w[n - 1];
        if (!status) status = put_in_words(e, d, unseen, err);
        if (!status && unseen) sn_estimate_verdict(e, 2, "identifiability", "%s", d->words);
    }
    sn_free(C), sn_free(w);
    return status;
}

/* ---- residuals ---- */

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

static sn_status look_at_channels(const sn_fit *f, sn_estimate *e, int held_out, sn_err *err)
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
            SN_TRY(sn_whiteness_of(&e->arena, n, r, &q->white, err));
        }
        size_t bytes = sizeof(double) * (size_t)x->n * (size_t)x->n_channel;
        memcpy(e->model[k], f->part[k].model, bytes);
        memcpy(e->residual[k], f->part[k].r, bytes);
    }
    return SN_OK;
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

static void judge_residuals(const sn_fit *f, sn_estimate *e)
{
    const sn_study *s = f->s;
    int coloured = 0, looked = 0, all_known = 1, exact = 1;
    double worst = 1, first = 0;
    char where[160] = "";
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        for (int c = 0; !x->hold_out && c < x->n_channel; c++) {
            const sn_channel_fit *q = &e->channel[k][c];
            all_known &= q->known;
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
}

/* ---- verdicts on unknowns ---- */

static void judge_unknowns(const sn_fit *f, sn_estimate *e)
{
    const sn_study *s = f->s;
    size_t n = (size_t)f->n;
    for (int k = 0; k < s->n_common; k++) {
        const sn_unknown *u = &s->unknown[k];
        double relative = fabs(e->std_error[k] / e->value[k]);
        if (e->at_bound[k])
            sn_estimate_verdict(e, 1, "identifiability", "%s is at its %s bound, %g: the data want it beyond",
                                u->name, e->at_bound[k] < 0 ? "lower" : "upper", e->value[k]);
        else if (isfinite(relative) && relative > 0.5)
            sn_estimate_verdict(e, 1, "identifiability",
                                "%s is hardly determined: %.3g with a standard error of %.2g", u->name,
                                e->value[k], e->std_error[k]);
        for (int j = 0; j < k; j++) {
            double r = e->correlation[(size_t)k * n + (size_t)j];
            if (fabs(r) > 0.99)
                sn_estimate_verdict(e, 1, "identifiability",
                                    "%s and %s can hardly be told apart (correlation %.4f)",
                                    s->unknown[j].name, u->name, r);
        }
    }
}

static void judge_search(const sn_fit *f, sn_estimate *e)
{
    if (!e->converged) sn_estimate_verdict(e, 2, "minimum", "not converged: %s", e->reason);
    if (e->starts > 0)
        sn_estimate_verdict(e, e->alike * 2 >= e->starts ? 0 : 1, "minimum",
                            "%d of %d random starts found the same optimum", e->alike, e->starts);
    (void)f;
}

/* Experiments held out: their own unknowns are fitted on their first moments, everything else is frozen. */
static sn_status judge_held_out(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    int any = 0, own = 0, before = sn_err_count(err);
    unsigned char *fixed;
    for (int k = 0; k < s->n_experiment; k++) any |= s->experiment[k].hold_out;
    if (!any) return SN_OK;
    if (!SN_NEW(fixed, f->n + 1)) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < f->n; k++) {
        int of = s->unknown[k].experiment;
        fixed[k] = of < 0 || !s->experiment[of].hold_out;
        own |= !fixed[k];
    }
    sn_search o = {
        .horizon = s->initial_window, .tolerance = 1e-6, .most = 50, .held_out = 1, .fixed = fixed};
    sn_status status = own ? sn_marquardt(f, e->z, &o, err) : SN_OK;
    if (!status) status = sn_fit_signals(f, e->z, 1, 0, err);
    if (status == SN_ERR_NUMERIC) {
        sn_err_forget(err, before);
        sn_estimate_verdict(e, 2, "hold_out",
                            "the experiments held out cannot be simulated with these estimates");
        status = SN_OK;
    } else if (!status) {
        double sum = 0, n = 0;
        for (int k = 0; k < s->n_experiment; k++) {
            const sn_experiment *x = &s->experiment[k];
            for (int i = 0; x->hold_out && i < x->n * x->n_channel; i++) {
                double r = f->part[k].r[i];
                if (isnan(r) || (own && x->t[i / x->n_channel] <= x->begin + s->initial_window)) continue;
                sum += r * r, n++;
            }
        }
        e->hold_out = n > 0 ? sqrt(sum / n) : NAN;
        status = look_at_channels(f, e, 1, err);
        for (int k = 0; k < f->n; k++) e->value[k] = sn_fit_value(s, k, e->z[k]);
        if (s->n_fit)
            sn_estimate_verdict(e, e->hold_out > 2 * e->rms ? 1 : 0, "hold_out",
                                "held-out experiments: residuals of %.3g times the noise, %.3g in the fit",
                                e->hold_out, e->rms);
    }
    sn_free(fixed);
    return status;
}

/* Of what was measured: no priors, no loss function. */
static void whole_rms(const sn_fit *f, sn_estimate *e)
{
    double sum = 0;
    e->count = 0;
    for (int k = 0; k < f->s->n_experiment; k++) {
        const sn_experiment *x = &f->s->experiment[k];
        for (int i = 0; !x->hold_out && i < x->n * x->n_channel; i++) {
            double r = f->part[k].r[i];
            if (!isnan(r)) sum += r * r, e->count++;
        }
    }
    e->rms = e->count > 0 ? sqrt(sum / (double)e->count) : 0;
}

/* They take long and may be stopped; the intervals are then those of the standard errors where they are not
 * found yet. */
static sn_status profiles(sn_fit *f, sn_estimate *e, int (*progress)(void *, double, double), sn_err *err)
{
    int before = sn_err_count(err);
    f->progress = progress;
    sn_status status = sn_profile(f, e, err);
    f->progress = NULL;
    if (status != SN_ERR_INTERRUPTED) return status;
    sn_err_forget(err, before);
    f->stopped = 0;
    sn_estimate_verdict(e, 1, "intervals", "the profiles were stopped: intervals from standard errors");
    return sn_fit_evaluate(f, e->z, INFINITY, 0, 1, err);
}

sn_status sn_judge(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    int before = sn_err_count(err), (*progress)(void *, double, double) = f->progress;
    f->progress = NULL; /* from here on nobody loses what was found by stopping */
    judge_search(f, e);
    if (!s->n_fit) {
        e->rms = NAN;
        for (int k = 0; k < f->n; k++) e->std_error[k] = e->lo[k] = e->hi[k] = NAN;
        return judge_held_out(f, e, err);
    }
    sn_status status = sn_fit_signals(f, e->z, 0, 1, err);
    for (int k = 0; k < f->n; k++) e->value[k] = sn_fit_value(s, k, e->z[k]);
    if (status == SN_ERR_NUMERIC) {
        sn_err_forget(err, before);
        e->converged = 0, e->rms = NAN;
        for (int k = 0; k < f->n; k++) e->std_error[k] = e->lo[k] = e->hi[k] = NAN;
        for (size_t k = 0; k < (size_t)f->n * (size_t)f->n; k++) e->correlation[k] = NAN;
        sn_estimate_verdict(e, 2, "minimum", "the model cannot be simulated at these values");
        return SN_OK;
    }
    SN_TRY(status);
    whole_rms(f, e);
    for (int k = 0; k < f->n; k++)
        e->at_bound[k] = e->z[k] <= f->lower[k] ? -1 : e->z[k] >= f->upper[k] ? 1 : 0;
    SN_TRY(covariance(f, e, err));
    errors(f, e);
    SN_TRY(directions(f, e, err));
    SN_TRY(look_at_channels(f, e, 0, err));
    judge_residuals(f, e);
    judge_unknowns(f, e);
    if (s->profile && e->converged) SN_TRY(profiles(f, e, progress, err));
    SN_TRY(sn_efforts(f, e, err));
    return judge_held_out(f, e, err);
}
