/* Histories that were sought: their values with bands. judge_seen.c says how far to believe free ones.

   value(t) = b(t)'c with the basis b of the knots, its variance b'C b with the covariance C of the values. C
   holds what is known of the smoothness, so that on the average over time bands hold the bias of the
   smoothing as well; where the force bends much more sharply than elsewhere they are too narrow just there. A
   series has the variance that the covariance of its numbers gives it to first order (series.c).
 */
#include "identify/judge.h"
#include "identify/series.h"
#include "identify/smoothing.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

enum { MOST_POINTS = 5001 };

static const char *const form_names[] = {"linear", "cubic", "series"};
static const char *const smoothing_names[] = {NULL, "tikhonov", "total_variation"};
static const char *const choice_names[] = {"likelihood", "gcv", "l_curve", "discrepancy", "the study"};

/* Value and standard error at a time. */
static void at_time(const sn_estimate *e, const sn_history_part *p, double t, double *value, double *error)
{
    const sn_study *s = e->s;
    size_t n = (size_t)s->n_unknown;
    double b[4], v = 0, plain = 0;
    int first, m = sn_history_basis(s, p, t, &first, b);
    *value = 0;
    for (int i = 0; i < m; i++) {
        size_t k = (size_t)(p->first + first + i);
        *value += b[i] * e->value[k];
        for (int j = 0; j < m; j++) {
            size_t l = (size_t)(p->first + first + j);
            double f = b[i] * b[j] * s->unknown[k].scale * s->unknown[l].scale;
            v += f * e->covariance[k * n + l], plain += f * e->inverse[k * n + l];
        }
    }
    *error = sqrt(isfinite(v) ? v : plain); /* what nothing determines has no covariance */
}

/* A^-1. The weak pull towards the start (smoothing.c) makes A regular. */
void sn_seen_inverse(const sn_fit *f, double *C)
{
    size_t n = (size_t)f->n;
    int bad = 1;
    for (double more = 1e-13; bad && more < 1e-6; more *= 10) { /* rounding may leave it just not regular */
        memcpy(C, f->A, sizeof *C * n * n);
        for (size_t i = 0; i < n; i++) C[i * n + i] = C[i * n + i] * (1 + more) + 1e-300;
        bad = LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', f->n, C, f->n) != 0;
    }
    if (bad || LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', f->n, C, f->n)) { /* nothing is known of anything */
        for (size_t i = 0; i < n * n; i++) C[i] = NAN;
        return;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) C[j * n + i] = C[i * n + j];
}

static sn_status invert(sn_fit *f, sn_estimate *e, sn_err *err)
{
    size_t n = (size_t)f->n;
    e->inverse = sn_arena_alloc(&e->arena, n * n + 1, sizeof *e->inverse);
    if (!e->inverse) return SN_OUT_OF_MEM(err);
    SN_TRY(sn_fit_rows(f, e->z, err));
    sn_seen_inverse(f, e->inverse);
    return SN_OK;
}

/* How many of a part's values the data determine: trace of A^-1 J'J over them. */
static double determined(const sn_fit *f, const sn_estimate *e, const sn_history_part *p, double *P)
{
    size_t n = (size_t)f->n;
    double sum = p->n;
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++) {
            size_t k = (size_t)(p->first + i), l = (size_t)(p->first + j);
            if (P[k * n + l] != 0) sum -= e->inverse[k * n + l] * P[k * n + l];
        }
    return fmin(fmax(sum, 0), p->n);
}

sn_status sn_history_fit_new(sn_estimate *e, const sn_history_part *p, sn_history_fit **out, sn_err *err)
{
    const sn_study *s = e->s;
    const sn_history *h = &s->history[p->history];
    const sn_experiment *x = &s->experiment[p->experiment];
    sn_history_fit *q = &e->history[e->n_history];
    int n = x->n < p->n ? p->n : x->n;
    *q = (sn_history_fit){.name = h->name,
                          .unit = h->unit,
                          .form = form_names[h->form],
                          .experiment = p->experiment,
                          .values = p->n,
                          .order = h->order,
                          .smoothing = smoothing_names[h->smoothing],
                          .choice = choice_names[h->choice],
                          .weight = p->weight,
                          .n = n < MOST_POINTS ? n : MOST_POINTS};
    if (s->n_experiment > 1) q->name = sn_arena_printf(&e->arena, "%s[%s]", h->name, x->name);
    q->t = sn_arena_alloc(&e->arena, 3 * (size_t)q->n + 1, sizeof *q->t);
    if (!q->name || !q->t) return SN_OUT_OF_MEM(err);
    q->value = q->t + q->n, q->std_error = q->value + q->n;
    for (int i = 0; i < q->n; i++) q->t[i] = p->begin + (p->end - p->begin) * i / (q->n - 1);
    e->n_history++;
    *out = q;
    return SN_OK;
}

static sn_status make_fit(const sn_fit *f, sn_estimate *e, const sn_history_part *p, double *P, sn_err *err)
{
    const sn_history *h = &f->s->history[p->history];
    sn_history_fit *q;
    SN_TRY(sn_history_fit_new(e, p, &q, err));
    for (int i = 0; i < q->n; i++)
        if (h->form == SN_FORM_SERIES)
            sn_series_band(e, p, q->t[i], p->w, &q->value[i], &q->std_error[i]);
        else
            at_time(e, p, q->t[i], &q->value[i], &q->std_error[i]);
    if (h->form == SN_FORM_SERIES) SN_TRY(sn_series_terms(e, p, q, err));
    if (e->curves && h->smoothing && h->choice != SN_WEIGHT_GIVEN) q->curve = e->curves[p->history];
    if (h->form != SN_FORM_SERIES) q->part = (int)(p - f->s->history_part) + 1;
    q->determined = sn_smoothing_felt(f, p) ? determined(f, e, p, P) : 0;
    return sn_history_fit_finish(e, q, err);
}

/* Where the band is wider than the history is large, and at which end. */
void sn_history_fit_judge(sn_estimate *e, const sn_history_fit *q)
{
    double wide = 0, first = NAN, last = NAN;
    for (int i = 0; i < q->n; i++) {
        int lost = !(q->std_error[i] < q->rms);
        wide += lost;
        if (lost && isnan(first)) first = q->t[i];
        if (lost) last = q->t[i];
    }
    wide /= q->n;
    if (!(q->rms > 0) || wide > 0.5)
        sn_estimate_verdict(
            e, 2, "identifiability",
            "the history of %s is not determined: its standard error exceeds its size over %.0f %% "
            "of the time; the sensors hardly feel it (%.2g of %d values are determined): measure "
            "nearer to it, or more directions",
            q->name, 100 * wide, q->determined, q->values);
    else if (wide > 0.02)
        sn_estimate_verdict(
            e, 1, "identifiability",
            "the history of %s is not seen over %.2g %% of the time, between %.4g s and %.4g s: its "
            "standard error there exceeds its size; measure longer, or nearer to it",
            q->name, 100 * wide, first, last);
    if (q->determined > 0.9 * q->values && q->smoothing)
        sn_estimate_verdict(
            e, 1, "identifiability",
            "%.0f of %d values of %s are determined by the data: it may change faster than its "
            "values can follow; give it more ('values: %d')",
            q->determined, q->values, q->name, 2 * q->values);
}

sn_status sn_judge_histories(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    size_t n = (size_t)f->n;
    double *P;
    if (!s->n_history_part) return SN_OK;
    sn_history_fit *all =
        sn_arena_alloc(&e->arena, (size_t)(e->n_history + s->n_history_part) + 1, sizeof *all);
    if (!all) return SN_OUT_OF_MEM(err);
    if (sn_smoothing_needed(s)) SN_TRY(invert(f, e, err));
    if (!SN_NEW(P, n * n + 1)) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < e->n_history; i++) all[i] = e->history[i];
    e->history = all;
    sn_smoothing_add(s, e->z, 0, NULL, P);
    sn_status status = SN_OK;
    for (int k = 0; !status && k < s->n_history_part; k++)
        status = make_fit(f, e, &s->history_part[k], P, err);
    for (int k = 0; !status && k < e->n_history; k++) /* free ones: judge_seen.c */
        if (!e->history[k].part) sn_history_fit_judge(e, &e->history[k]);
    sn_free(P);
    return status;
}
