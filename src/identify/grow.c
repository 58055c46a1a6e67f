/* Growing series: see grow.h.

   The first terms come from a free history of the same force (first_terms.c): its cost is nearly quadratic,
   so that it is found from nothing also where the force turns the mechanism by whole angles and spectra of
   the sensors are no spectra of the force.

   Further ones come from scouts. A scout is the study with more terms, of amplitude zero, at candidate
   frequencies: peaks of the spectra of the residuals (peaks.c). Its normal equations tell what each candidate
   would explain beside all that is sought already, since the response is linear in a small amplitude: with u
   the unknowns and the candidate's amplitudes chi square falls by g_u' A_uu^-1 g_u. So a resonance of the
   structure is a peak like others, but explains little where nothing drives it. A second scout looks around
   the best. Then the study with this term is fitted.

   A term counts where it raises twice the logarithm of the likelihood, with the noise of each channel free
   where it is not stated, by more than 5 ln N (N numbers measured): ln N for each amplitude and 3 ln N for
   the frequency, whose information grows as N^3 (Djuric, A model selection rule for sinusoids in white
   Gaussian noise, IEEE Trans. Signal Processing 44, 1996). Terms that the others have made superfluous, with
   an amplitude below two standard errors, are dropped. */
#include "identify/grow.h"
#include "identify/first_terms.h"
#include "identify/grow_inside.h"
#include "identify/noise.h"
#include "identify/starts.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#undef I

static const double rounding = 1e-8; /* residuals over data: nothing is left */

int sn_series_grows(const sn_study *s)
{
    for (int k = 0; k < s->n_history; k++)
        if (s->history[k].form == SN_FORM_SERIES && s->history[k].series.most < 0) return 1;
    return 0;
}

void sn_level_drop(sn_level *l)
{
    sn_fit_free(l->f), sn_study_free(l->s), sn_free(l->z);
    *l = (sn_level){.s = NULL};
}

int sn_series_number(const sn_study *s, const sn_history_part *p, int what, int term)
{
    return p->first + what * s->history[p->history].series.terms + term;
}

sn_status sn_series_copy(const sn_study *from, sn_study *to, sn_err *err)
{
    for (int k = 0; k < to->n_unknown && k < from->n_unknown; k++)
        if (to->unknown[k].of_series) to->unknown[k].scale = from->unknown[k].scale;
    for (int k = 0; k < to->n_history; k++) {
        const char *why = from->history[k].series.because;
        if (!why) continue;
        if (!(to->history[k].series.because = sn_arena_strndup(&to->arena, why, strlen(why))))
            return SN_OUT_OF_MEM(err);
    }
    return SN_OK;
}

sn_status sn_level_again(const sn_study *s, const int *terms, const double *values, sn_study **out,
                         sn_err *err)
{
    sn_refinement finer = s->finer;
    sn_study *n;
    *out = NULL;
    for (int k = 0; k < SN_MOST_GROWING; k++) finer.terms[k] = terms[k];
    SN_TRY(sn_study_read_refined(s->file, &s->given, s->divided, &finer, &n, err));
    if (n->n_experiment != s->n_experiment) {
        sn_study_free(n);
        return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = s->file},
                       "the files of the study have changed since it was read");
    }
    for (int k = 0; k < n->n_unknown; k++)
        for (int j = 0; j < s->n_unknown; j++)
            if (!strcmp(n->unknown[k].name, s->unknown[j].name))
                n->unknown[k].start = values[j], n->unknown[k].scale = s->unknown[j].scale;
    for (int e = 0; e < s->n_experiment; e++)
        if (s->experiment[e].n_channel == n->experiment[e].n_channel)
            memcpy(n->experiment[e].sigma, s->experiment[e].sigma,
                   sizeof(double) * (size_t)s->experiment[e].n_channel);
    *out = n;
    return SN_OK;
}

sn_status sn_level_open(sn_level *l, const sn_identify_options *o, sn_err *err)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    SN_TRY(sn_fit_new(l->s, o->threads > 0 ? o->threads : (int)(cores > 0 ? cores : 1), &l->f, err));
    l->f->progress = o->progress, l->f->ctx = o->ctx, l->f->plain = 1;
    l->f->window = fmax(0, l->s->horizon), l->f->share = 0.1;
    if (!SN_NEW(l->z, l->f->n + 1)) return SN_OUT_OF_MEM(err);
    sn_fit_start(l->f, l->z);
    return SN_OK;
}

sn_status sn_level_values(const sn_level *l, double **x, sn_err *err)
{
    if (!SN_NEW(*x, l->s->n_unknown + 1)) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < l->s->n_unknown; k++) (*x)[k] = sn_fit_value(l->s, k, l->z[k]);
    return SN_OK;
}

/* ---- how good it is ---- */

/* Sums of squares of a channel of the model over all experiments, in its unit: residuals, data about their
   mean; how many, and whether the noise is stated (chi: in its units). */
typedef struct squares {
    double residual, data, count, chi;
    int stated;
} squares;

static squares squares_of(const sn_level *l, int channel)
{
    squares q = {.stated = 1};
    double sum = 0;
    for (int e = 0; e < l->s->n_experiment; e++) {
        const sn_experiment *x = &l->s->experiment[e];
        for (int c = 0; !x->hold_out && c < x->n_channel; c++)
            for (int i = 0; x->channel[c] == channel && i < x->n; i++) {
                double r = l->f->part[e].r[i * x->n_channel + c], y = x->y[i * x->n_channel + c],
                       s = x->sigma[c] / sqrt(x->weight);
                if (isnan(r)) continue;
                q.residual += r * r * s * s, q.chi += r * r, q.data += y * y, sum += y, q.count++;
                q.stated &= x->known[c];
            }
    }
    if (q.count > 0) q.data -= sum * sum / q.count;
    return q;
}

static void rate(sn_level *l)
{
    l->likelihood = 0, l->left = 0;
    for (int channel = 0; channel < sn_channel_count(l->s->model); channel++) {
        squares q = squares_of(l, channel);
        if (!(q.count > 0)) continue;
        l->likelihood -= q.stated ? q.chi : q.count * log(fmax(q.residual / q.count, 1e-300));
        if (q.data > 0) l->left = fmax(l->left, sqrt(q.residual / q.data));
    }
}

static sn_status fit(sn_level *l, const sn_identify_options *o, sn_err *err)
{
    sn_search last = {.reason = ""};
    int counter = 0;
    double change;
    SN_TRY(sn_level_open(l, o, err));
    SN_TRY(sn_search_from(l->f, l->z, 1, NULL, &counter, &last, err));
    if (sn_noise_sought(l->s) && isfinite(l->f->cost)) {
        SN_TRY(sn_noise_estimate(l->f, l->z, &change, err));
        l->f->plain = 1;
        last.tolerance = 1e-6, last.damping = 1e-4;
        SN_TRY(sn_marquardt(l->f, l->z, &last, err));
    }
    if (!isfinite(l->f->cost)) return SN_ERR_NUMERIC;
    SN_TRY(sn_fit_residuals(l->f, l->z, err));
    rate(l);
    return SN_OK;
}

/* ---- steps ---- */

/* Amplitudes are scaled by the largest of their history. */
static void scale(sn_study *s)
{
    for (int i = 0; i < s->n_history_part; i++) {
        const sn_history_part *p = &s->history_part[i];
        double size = 0;
        for (int k = p->first; k < p->first + p->n; k++)
            if (isinf(s->unknown[k].upper)) size = fmax(size, fabs(s->unknown[k].start));
        for (int k = p->first; size > 0 && k < p->first + p->n; k++)
            if (isinf(s->unknown[k].upper)) s->unknown[k].scale = size;
    }
}

/* l with one term more, fitted. */
static sn_status extend(const sn_level *l, const sn_addition_term *a, const sn_identify_options *o,
                        sn_level *out, sn_err *err)
{
    double *x;
    *out = (sn_level){.s = NULL};
    memcpy(out->terms, l->terms, sizeof out->terms);
    int term = out->terms[a->history]++;
    int terms[SN_MOST_GROWING];
    for (int k = 0; k < SN_MOST_GROWING; k++) terms[k] = out->terms[k] ? out->terms[k] : 1;
    SN_TRY(sn_level_values(l, &x, err));
    sn_status status = sn_level_again(l->s, terms, x, &out->s, err);
    sn_free(x);
    SN_TRY(status);
    sn_study *s = out->s;
    for (int i = 0; i < s->n_history_part; i++) {
        const sn_history_part *p = &s->history_part[i];
        if (p->history != a->history) continue;
        for (int what = 0; what < (s->history[p->history].series.separate ? 4 : 3); what++)
            s->unknown[sn_series_number(s, p, what, term)].start =
                what % 3 ? a->amplitude[2 * i + what - 1] : a->frequency;
    }
    scale(s);
    return fit(out, o, err);
}

static double numbers(const sn_level *l)
{
    double n = 0;
    for (int e = 0; e < l->s->n_experiment; e++)
        for (int i = 0;
             !l->s->experiment[e].hold_out && i < l->s->experiment[e].n * l->s->experiment[e].n_channel; i++)
            n += !isnan(l->s->experiment[e].y[i]);
    return fmax(n, 2);
}

/* What a term must raise twice the log likelihood by. */
static double price(const sn_level *l, int h)
{
    int each = l->s->history[h].series.separate ? 8 : 5, parts = 0;
    for (int i = 0; i < l->s->n_history_part; i++) parts += l->s->history_part[i].history == h;
    return each * parts * log(numbers(l));
}

/* The term of a series whose amplitude is least in units of its standard error, over all experiments; *size:
   that. C: inverse of the normal equations. */
static int weakest(const sn_level *l, int h, const double *C, double *size)
{
    int worst = -1;
    size_t n = (size_t)l->f->n;
    *size = INFINITY;
    for (int c = 0; c < l->terms[h]; c++) {
        double most = 0;
        for (int i = 0; i < l->s->n_history_part; i++) {
            const sn_history_part *p = &l->s->history_part[i];
            if (p->history != h) continue;
            size_t a = (size_t)sn_series_number(l->s, p, 1, c), b = (size_t)sn_series_number(l->s, p, 2, c);
            double x = l->z[a], y = l->z[b], square = x * x + y * y,
                   v = x * x * C[a * n + a] + y * y * C[b * n + b] + 2 * x * y * C[a * n + b];
            most = fmax(most, v > 0 ? square / sqrt(v) : 0);
        }
        if (most < *size) *size = most, worst = c;
    }
    return worst;
}

/* Drops the weakest term that is not worth its price (the likelihood falls by the square of its size in
   standard errors without it), and fits again; *dropped: one was. */
static sn_status shrink(sn_level *l, const sn_identify_options *o, int *dropped, sn_err *err)
{
    size_t n = (size_t)l->f->n;
    double *C, *x = NULL, size = INFINITY;
    int before = sn_err_count(err);
    *dropped = 0;
    if (!SN_NEW(C, n * n + 1)) return SN_OUT_OF_MEM(err);
    sn_status status = sn_fit_evaluate(l->f, l->z, INFINITY, 0, 1, err);
    if (!status) memcpy(C, l->f->A, sizeof(double) * n * n);
    for (size_t i = 0; i < n; i++) C[i * n + i] += 1e-12 * C[i * n + i] + 1e-300;
    int good = !status && !LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', l->f->n, C, l->f->n) &&
               !LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', l->f->n, C, l->f->n);
    for (size_t i = 0; good && i < n; i++)
        for (size_t j = i + 1; j < n; j++) C[i * n + j] = C[j * n + i];
    for (int h = 0; good && !*dropped && h < l->s->n_history && h < SN_MOST_GROWING; h++) {
        int worst = l->s->history[h].series.automatic && l->terms[h] > 1 ? weakest(l, h, C, &size) : -1;
        if (worst < 0 || !(size * size < price(l, h))) continue;
        sn_level next = {.s = NULL};
        memcpy(next.terms, l->terms, sizeof next.terms);
        status = sn_level_values(l, &x, err);
        for (int i = 0; !status && i < l->s->n_history_part; i++) /* the last takes its place */
            for (int what = 0; what < (l->s->history[h].series.separate ? 4 : 3); what++)
                if (l->s->history_part[i].history == h)
                    x[sn_series_number(l->s, &l->s->history_part[i], what, worst)] =
                        x[sn_series_number(l->s, &l->s->history_part[i], what, l->terms[h] - 1)];
        next.terms[h]--;
        if (!status) status = sn_level_again(l->s, next.terms, x, &next.s, err);
        if (!status) status = fit(&next, o, err);
        if (status)
            sn_level_drop(&next);
        else
            sn_level_drop(l), *l = next, *dropped = 1;
        if (status == SN_ERR_NUMERIC) sn_err_forget(err, before), status = SN_OK; /* it stays */
        sn_free(x);
        break;
    }
    sn_free(C);
    return status;
}

/* ---- all ---- */

static sn_status tell_why(sn_level *l, const char *why, sn_err *err)
{
    for (int k = 0; k < l->s->n_history; k++) {
        sn_series *q = &l->s->history[k].series;
        if (l->s->history[k].form != SN_FORM_SERIES || q->most >= 0) continue;
        q->because = q->automatic ? sn_arena_strndup(&l->s->arena, why, strlen(why)) : NULL;
        if (q->automatic && !q->because) return SN_OUT_OF_MEM(err);
    }
    for (int k = 0; k < l->s->n_unknown; k++)
        l->s->unknown[k].start =
            fmin(fmax(sn_fit_value(l->s, k, l->z[k]), l->s->unknown[k].lower), l->s->unknown[k].upper);
    return SN_OK;
}

/* ---- the first terms ---- */

/* The terms of a part as starts of its unknowns; what it has none for gets no amplitude. */
static void set_part(sn_study *s, const sn_history_part *p, const double *x, int n)
{
    const sn_series *q = &s->history[p->history].series;
    for (int c = 0; c < q->terms; c++) {
        const double *term = x + 1 + 3 * (c < n ? c : 0);
        for (int what = 0; what < (q->separate ? 4 : 3); what++)
            s->unknown[sn_series_number(s, p, what, c)].start = what % 3 == 0 ? term[0]
                                                                : c < n       ? term[what]
                                                                              : 0;
    }
    s->unknown[p->first + p->n - 1].start = x[0];
}

/* From the estimate of the study with free histories to the study with the terms of each. */
static sn_status terms_of(const sn_level *l, const sn_estimate *e, sn_level *out, sn_err *err)
{
    const sn_study *s = l->s;
    size_t parts = (size_t)s->n_history_part, each = 1;
    double *x, *values = NULL;
    int *n, terms[SN_MOST_GROWING];
    for (int k = 0; k < s->n_history; k++)
        if ((size_t)(1 - 3 * s->history[k].series.most) > each && s->history[k].series.most < 0)
            each = (size_t)(1 - 3 * s->history[k].series.most);
    if (!SN_NEW(x, parts * each + 1)) return SN_OUT_OF_MEM(err);
    if (!SN_NEW(n, parts + 1)) {
        sn_free(x);
        return SN_OUT_OF_MEM(err);
    }
    memcpy(terms, l->terms, sizeof terms);
    sn_status status = sn_level_values(l, &values, err);
    for (size_t i = 0; !status && i < parts; i++) {
        const sn_history_part *p = &s->history_part[i];
        const sn_series *q = &s->history[p->history].series;
        const sn_unknown *u = &s->unknown[p->first];
        if (q->most >= 0) continue;
        status = sn_first_terms(&e->history[i], (double[]){u->lower, u->upper}, p->origin, -q->most,
                                x + i * each, &n[i], err);
        if (n[i] > terms[p->history]) terms[p->history] = n[i];
    }
    for (int k = 0; k < SN_MOST_GROWING; k++) out->terms[k] = terms[k] = terms[k] ? terms[k] : 1;
    if (!status) status = sn_level_again(s, terms, values, &out->s, err);
    for (size_t i = 0; !status && i < parts; i++)
        if (n[i]) set_part(out->s, &out->s->history_part[i], x + i * each, n[i]);
    if (!status) scale(out->s);
    sn_free(x), sn_free(n), sn_free(values);
    return status;
}

/* *l becomes the fit with the first terms, if that can be had. */
static sn_status first_terms(sn_level *l, const sn_identify_options *o, sn_err *err)
{
    sn_refinement finer = l->s->finer;
    sn_study *s = NULL;
    sn_estimate *e = NULL;
    sn_level next = {.s = NULL};
    int before = sn_err_count(err);
    finer.free = 1;
    sn_status status = sn_study_read_refined(l->s->file, &l->s->given, l->s->divided, &finer, &s, err);
    if (!status) s->trying = SN_TRY_NEVER, s->refine = SN_REFINE_NO, s->intervals = SN_STANDARD;
    const sn_solve_options so = {.threads = o->threads, .progress = o->progress, .ctx = o->ctx};
    if (!status) status = sn_study_solve(s, &so, &e, err);
    if (!status && e->stopped) status = sn_fail(err, SN_ERR_INTERRUPTED, NULL, "stopped on request");
    if (!status && e->n_history == l->s->n_history_part) status = terms_of(l, e, &next, err);
    if (!status && next.s) status = fit(&next, o, err);
    if (!status && next.s && next.likelihood > l->likelihood)
        sn_level_drop(l), *l = next;
    else
        sn_level_drop(&next);
    sn_estimate_free(e);
    sn_study_free(s);
    if (status == SN_ERR_NUMERIC) sn_err_forget(err, before), status = SN_OK;
    return status;
}

/* Terms are added to *l until none is worth it; why: room for the reason, of `size`. */
static sn_status add_terms(sn_level *l, const sn_identify_options *o, sn_addition_term *best, char *why,
                           size_t size, sn_err *err)
{
    snprintf(why, size, "the most that are tried");
    for (;;) {
        sn_level next;
        int before = sn_err_count(err);
        SN_TRY(sn_scout(l, o, best, err));
        int h = best->history, automatic = l->s->history[h].series.automatic && l->terms[h] > 0;
        if (!(best->gain > 0)) return SN_OK;
        sn_status status = extend(l, best, o, &next, err);
        double rise = status ? 0 : next.likelihood - l->likelihood, least = price(l, h);
        if (status || (automatic && !(rise > least))) {
            snprintf(why, size,
                     "one more, of %.3g Hz, would raise twice the log likelihood by %.3g, less than the %.3g "
                     "that chance may",
                     best->frequency, rise, least);
            sn_level_drop(&next);
            if (status == SN_ERR_NUMERIC) sn_err_forget(err, before), status = SN_OK;
            return status;
        }
        sn_level_drop(l), *l = next;
        if (l->left < rounding) {
            snprintf(why, size, "nothing is left of the residuals");
            return SN_OK;
        }
    }
}

static sn_status check(const sn_study *s, sn_err *err)
{
    for (int k = 0; k < s->n_history; k++)
        if (s->history[k].form != SN_FORM_SERIES)
            return sn_fail(
                err, SN_ERR_INPUT, &s->history[k].mark,
                "beside the free history '%s' a series needs a start of its own: start: {frequency: "
                "[0.29 Hz, ...]}",
                s->history[k].name);
    return s->n_fit ? SN_OK
                    : sn_fail(err, SN_ERR_INPUT, NULL, "there are no data that a series could grow by");
}

sn_status sn_series_grow(sn_study **s, const sn_identify_options *o, sn_err *err)
{
    sn_level l = {.s = *s};
    sn_addition_term best = {.history = 0};
    char why[240];
    int before = sn_err_count(err), dropped = 1;
    SN_TRY(check(*s, err));
    for (int k = 0; k < (*s)->n_history && k < SN_MOST_GROWING; k++)
        if ((*s)->history[k].series.most > 0) l.terms[k] = (*s)->history[k].series.terms;
    *s = NULL; /* it goes with the first sn_level */
    sn_status status = sn_level_open(&l, o, err);
    if (!status && !SN_NEW(best.amplitude, 2 * l.s->n_history_part + 1)) status = SN_OUT_OF_MEM(err);
    if (!status) status = sn_fit_signals(l.f, l.z, 0, 0, err);
    if (!status) rate(&l), status = first_terms(&l, o, err);
    while (!status && dropped && l.terms[0]) status = shrink(&l, o, &dropped, err);
    dropped = 1;
    if (!status) status = add_terms(&l, o, &best, why, sizeof why, err);
    while (!status && dropped) status = shrink(&l, o, &dropped, err);
    if (status == SN_ERR_INTERRUPTED)
        sn_err_forget(err, before), status = SN_OK, snprintf(why, sizeof why, "stopped on request");
    if (!status) status = tell_why(&l, why, err);
    sn_free(best.amplitude);
    if (!status) *s = l.s, l.s = NULL;
    sn_level_drop(&l);
    return status;
}
