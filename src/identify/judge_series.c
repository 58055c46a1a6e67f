/* What the data do not see of a series.

   Where an amplitude is 0 its frequency can be anything, and linearised standard errors say nothing of it: at
   an amplitude of the size of its own error they are some tenths of 1/T. So a frequency is determined only
   where its amplitude, or those of sine and cosine together, a'V^-1 a with their covariance V, is more than
   chance makes at the best of all frequencies: ln N for each amplitude and 3 ln N for the frequency, as in
   grow.c. Nor is it where the amplitude is no more than Newton's tolerance of the largest one: data without
   noise have standard errors below what the iteration leaves. Else it gets no standard error, and all of its
   band as interval. */
#include "identify/judge.h"
#include "identify/series.h"
#include "identify/text.h"

#include <math.h>

enum { NAMED = 4 };

/* The square of n (1 or 2) amplitudes from unknown k on, `apart` apart, in standard errors. */
static double size_of(const sn_estimate *e, int k, int n, int apart)
{
    size_t all = (size_t)e->s->n_unknown, a = (size_t)k, b = (size_t)(k + apart);
    double x = e->value[a] / e->s->unknown[a].scale, V = e->covariance[a * all + a];
    if (n == 1) return x * x / V;
    double y = e->value[b] / e->s->unknown[b].scale, W = e->covariance[b * all + b],
           C = e->covariance[a * all + b];
    return (x * x * W - 2 * x * y * C + y * y * V) / (V * W - C * C);
}

/* What Newton's iteration leaves of the amplitudes of a part: its tolerance of the largest one. */
static double left_over(const sn_estimate *e, const sn_history_part *p)
{
    const sn_series *q = &e->s->history[p->history].series;
    double most = 0;
    for (int i = 0; i < 2 * q->terms; i++) most = fmax(most, fabs(e->value[p->first + q->terms + i]));
    return e->s->run.tolerance * most;
}

/* The frequencies of a part that are not determined, and one of the amplitudes of each; how many. */
static int unseen(const sn_estimate *e, const sn_history_part *p, int *frequency, int *amplitude)
{
    const sn_series *q = &e->s->history[p->history].series;
    const int m = q->terms, each = q->separate ? 1 : 2;
    const double least = (each + 3) * log(fmax((double)e->count, 2));
    const double nothing = left_over(e, p);
    int n = 0;
    for (int i = 0; i < (q->separate ? 2 * m : m); i++) {
        int k = p->first + m + i; /* frequencies, sines, cosines, frequencies of cosines */
        const double size = each == 1 ? fabs(e->value[k]) : hypot(e->value[k], e->value[k + m]);
        if (size > nothing && size_of(e, k, each, m) > least) continue;
        if (!q->separate && fabs(e->value[k + m]) > fabs(e->value[k])) k += m;
        frequency[n] = p->first + i + (i < m ? 0 : 2 * m), amplitude[n] = k;
        n++;
    }
    return n;
}

/* "push.sine.1, 0.35 +- 0.33 N" */
static void write_amplitude(sn_text *t, const sn_estimate *e, int k)
{
    const sn_unknown *u = &e->s->unknown[k];
    sn_text_add(t, "%s, %.2g", u->name, e->value[k]);
    if (isfinite(e->std_error[k])) sn_text_add(t, " +- %.2g", e->std_error[k]);
    sn_text_add(t, "%s%s", u->unit[0] ? " " : "", u->unit);
}

static sn_status tell(sn_estimate *e, const sn_history_part *p, int n, const int *frequency,
                      const int *amplitude, sn_err *err)
{
    const sn_series *q = &e->s->history[p->history].series;
    sn_text t = {0};
    for (int i = 0; i < n && i < NAMED; i++)
        sn_text_add(&t, "%s%s", i ? ", " : "", e->s->unknown[frequency[i]].name);
    if (n > NAMED) sn_text_add(&t, " and %d more", n - NAMED);
    sn_text_add(&t, n > 1 ? " are not determined: the amplitudes that go with them ("
                          : " is not determined: the amplitude that goes with it (");
    for (int i = 0; i < n && i < NAMED; i++) {
        if (i) sn_text_add(&t, "; ");
        write_amplitude(&t, e, amplitude[i]);
    }
    sn_text_add(&t, n > NAMED ? "; ...) " : ") ");
    sn_text_add(&t, "cannot be told from 0, where %s frequenc%s may be anything; %s", n > 1 ? "their" : "its",
                n > 1 ? "ies" : "y",
                q->separate ? "'frequencies: shared' has one for sine and cosine, and fewer terms may do"
                            : "fewer terms do");
    if (!t.failed) sn_estimate_verdict(e, 1, "identifiability", "%s", t.text);
    sn_status status = t.failed ? SN_OUT_OF_MEM(err) : SN_OK;
    sn_free(t.text);
    return status;
}

sn_status sn_judge_series(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    for (int i = 0; i < s->n_history_part; i++) {
        const sn_history_part *p = &s->history_part[i];
        int *list, n;
        if (s->history[p->history].form != SN_FORM_SERIES) continue;
        if (!SN_NEW(list, 2 * p->n)) return SN_OUT_OF_MEM(err);
        n = unseen(e, p, list, list + p->n);
        sn_status status = n ? tell(e, p, n, list, list + p->n, err) : SN_OK;
        for (int j = 0; j < n; j++) {
            const sn_unknown *u = &s->unknown[list[j]];
            e->std_error[list[j]] = INFINITY, e->lo[list[j]] = u->lower, e->hi[list[j]] = u->upper;
        }
        sn_free(list);
        SN_TRY(status);
    }
    return SN_OK;
}
