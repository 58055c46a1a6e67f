/* Scouts: which term would explain most of the residuals. See grow.c for what they are. */
#include "identify/grow_inside.h"
#include "identify/peaks.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

enum { CANDIDATES = 14, AROUND = 9 };

/* Of unknowns listed: -A^-1 g into d, and g' A^-1 g; 0 where it cannot be had. */
static double explained(const sn_fit *f, int n, const int *list, double *work, double *d)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double si = sqrt(f->A[(size_t)list[i] * (size_t)f->n + (size_t)list[i]]);
        for (int j = 0; j < n; j++) {
            double sj = sqrt(f->A[(size_t)list[j] * (size_t)f->n + (size_t)list[j]]);
            work[i * n + j] =
                f->A[(size_t)list[i] * (size_t)f->n + (size_t)list[j]] / (si * sj) + (i == j ? 1e-9 : 0);
        }
        d[i] = -f->g[list[i]] / si;
    }
    if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, 1, work, n, d, 1)) return 0;
    for (int i = 0; i < n; i++) {
        d[i] /= sqrt(f->A[(size_t)list[i] * (size_t)f->n + (size_t)list[i]]);
        sum -= d[i] * f->g[list[i]];
    }
    return sum;
}

/* Unknowns of the scout that matter: all but candidates (history h, terms from `first` on), and of these the
   amplitudes of one; -1: of none. */
static int beside(const sn_fit *f, int h, int first, int candidate, int *list)
{
    const sn_study *s = f->s;
    int n = 0;
    for (int k = 0; k < f->n; k++) {
        int take = f->A[(size_t)k * (size_t)f->n + (size_t)k] > 0;
        for (int i = 0; i < s->n_history_part; i++) {
            const sn_history_part *p = &s->history_part[i];
            int m = s->history[p->history].series.terms, at = k - p->first;
            if (p->history != h || at < 0 || at >= p->n - 1 || at % m < first) continue;
            take &= at % m == candidate && (at / m == 1 || at / m == 2);
        }
        if (take) list[n++] = k;
    }
    return n;
}

/* The best of n candidates for history h beside what l has, into `best` where it is better than that. */
static sn_status scout(const sn_level *l, int h, int n, const double *frequency, const sn_identify_options *o,
                       sn_addition_term *best, sn_err *err)
{
    sn_level q = {.s = NULL};
    double *x = NULL, *work = NULL, *d = NULL, base = 0;
    int *list = NULL, first = l->terms[h], m = first + n;
    memcpy(q.terms, l->terms, sizeof q.terms);
    for (int k = 0; k < SN_MOST_GROWING; k++) q.terms[k] = k == h ? m : q.terms[k] ? q.terms[k] : 1;
    sn_status status = sn_level_values(l, &x, err);
    if (!status) status = sn_level_again(l->s, q.terms, x, &q.s, err);
    for (int i = 0; !status && i < q.s->n_history_part; i++) {
        const sn_history_part *p = &q.s->history_part[i];
        for (int c = first; p->history == h && c < m; c++)
            for (int what = 0; what < (q.s->history[h].series.separate ? 4 : 3); what++)
                q.s->unknown[sn_series_number(q.s, p, what, c)].start = what % 3 ? 0 : frequency[c - first];
    }
    if (!status) status = sn_level_open(&q, o, err);
    if (!status && !(SN_NEW(list, q.f->n + 1) && SN_NEW(d, q.f->n + 1) &&
                     SN_NEW(work, (size_t)q.f->n * (size_t)q.f->n + 1)))
        status = SN_OUT_OF_MEM(err);
    if (!status) status = sn_fit_evaluate(q.f, q.z, INFINITY, 0, 1, err);
    if (!status) base = explained(q.f, beside(q.f, h, first, -1, list), list, work, d);
    for (int c = first; !status && c < m; c++) {
        int k = beside(q.f, h, first, c, list);
        double gain = explained(q.f, k, list, work, d) - base;
        if (!(gain > best->gain)) continue;
        best->history = h, best->frequency = frequency[c - first], best->gain = gain;
        for (int i = 0; i < q.s->n_history_part; i++)
            for (int j = 0; j < k; j++)
                for (int what = 1; what < 3; what++)
                    if (list[j] == sn_series_number(q.s, &q.s->history_part[i], what, c))
                        best->amplitude[2 * i + what - 1] = d[j] * q.s->unknown[list[j]].scale;
    }
    sn_free(x), sn_free(list), sn_free(d), sn_free(work);
    sn_level_drop(&q);
    return status;
}

/* Frequencies of terms that a history has already. */
static int present(const sn_level *l, int h, double *list, int most)
{
    int n = 0;
    for (int i = 0; i < l->s->n_history_part; i++)
        for (int c = 0; l->s->history_part[i].history == h && c < l->terms[h] && n < most; c++) {
            int k = sn_series_number(l->s, &l->s->history_part[i], 0, c);
            list[n++] = sn_fit_value(l->s, k, l->z[k]);
        }
    return n;
}

sn_status sn_scout(const sn_level *l, const sn_identify_options *o, sn_addition_term *best, sn_err *err)
{
    double list[200 + CANDIDATES], around[AROUND];
    best->gain = 0;
    for (int i = 0; i < l->s->n_history_part; i++) {
        const sn_history_part *p = &l->s->history_part[i];
        const sn_history *h = &l->s->history[p->history];
        int k = p->history;
        if (h->form != SN_FORM_SERIES || p->experiment || l->terms[k] >= -h->series.most) continue;
        const sn_unknown *u = &l->s->unknown[sn_series_number(l->s, p, 0, 0)];
        const double band[2] = {u->lower, u->upper}, bin = 1 / (p->end - p->begin);
        int had = present(l, k, list, 200), n = had;
        SN_TRY(sn_peaks(l->f, band, 0.3 * bin, had + CANDIDATES, list, &n, err));
        if (n > had) SN_TRY(scout(l, k, n - had, list + had, o, best, err));
        if (best->history != k || !(best->gain > 0)) continue;
        for (int j = 0; j < AROUND; j++)
            around[j] = fmin(fmax(best->frequency + 0.15 * bin * (j - AROUND / 2), band[0]), band[1]);
        SN_TRY(scout(l, k, AROUND, around, o, best, err));
    }
    return SN_OK;
}
