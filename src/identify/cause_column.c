/* What faults of sensors add to the model's signals, for one unit of them. */
#include "identify/causes.h"

#include <math.h>
#include <string.h>

double sn_cause_rate(const sn_experiment *x, const double *m, int c, int i)
{
    int n = x->n_channel, a = i > 0 ? i - 1 : i, b = i < x->n - 1 ? i + 1 : i;
    double h = x->t[b] - x->t[i], g = x->t[i] - x->t[a];
    if (a == b) return 0;
    if (i > 1 && i < x->n - 2 && fabs(x->t[i + 2] - x->t[i - 2] - 2 * (h + g)) < 1e-6 * h &&
        fabs(h - g) < 1e-6 * h) {
        double y = (8 * (m[b * n + c] - m[a * n + c]) - (m[(i + 2) * n + c] - m[(i - 2) * n + c])) / (12 * h);
        if (!isnan(y)) return y;
    }
    if (!(g > 0) || !(h > 0)) return g + h > 0 ? (m[b * n + c] - m[a * n + c]) / (g + h) : 0;
    return (m[b * n + c] - m[i * n + c]) / h * g / (g + h) + (m[i * n + c] - m[a * n + c]) / g * h / (g + h);
}

/* By how much a channel changes a second of delay: its rate, or, where the delay is known roughly, the change
   by that delay over it, from cubics through values and rates of neighbouring samples. Before the first
   sample the signal goes on as it begins. */
static double shifted(const sn_causes *q, const sn_cause *a, int e, int i, int c)
{
    const sn_experiment *x = &q->f->s->experiment[e];
    size_t n = (size_t)x->n_channel, at = (size_t)c;
    const double *m = q->f->part[e].model + at, *rate = q->rate + q->at[e] + at;
    double t = x->t[i] - a->shift;
    int j = i;
    if (a->shift == 0) return -rate[(size_t)i * n];
    while (j > 0 && x->t[j] > t) j--;
    while (j < x->n - 1 && x->t[j + 1] <= t) j++;
    size_t k = (size_t)j * n;
    double h = j < x->n - 1 ? x->t[j + 1] - x->t[j] : 0, u = h > 0 ? (t - x->t[j]) / h : 0, y;
    if (t <= x->t[0] || !(h > 0))
        y = m[k] + rate[k] * (t - x->t[j]);
    else
        y = m[k] + u * u * (3 - 2 * u) * (m[k + n] - m[k]) +
            u * (1 - u) * h * ((1 - u) * rate[k] - u * rate[k + n]);
    return (y - m[(size_t)i * n]) / a->shift;
}

double sn_cause_column(const sn_causes *q, const sn_cause *a, int e, int i, int c)
{
    const sn_experiment *x = &q->f->s->experiment[e];
    const double *m = q->f->part[e].model + (size_t)i * (size_t)x->n_channel;
    int own = a->experiment < 0 ? x->channel[c] == a->channel : a->channel == c;
    int other = a->experiment < 0 ? x->channel[c] == a->other : a->other == c, b = -1;
    if (a->experiment >= 0 && a->experiment != e) return 0;
    if (a->kind == SN_CAUSE_CLOCK) return shifted(q, a, e, i, c);
    if (a->kind == SN_CAUSE_FACTOR) {
        const sn_model *model = q->f->s->model;
        const char *unit = sn_channel_get(model, x->channel[c]).unit,
                   *of = sn_channel_get(model, a->experiment < 0 ? a->channel : x->channel[a->channel]).unit;
        return strcmp(unit, of) ? 0 : m[c];
    }
    if (a->kind == SN_CAUSE_CROSS || a->kind == SN_CAUSE_TURN) {
        for (int k = 0; k < x->n_channel; k++)
            if (k != c && (a->experiment < 0 ? x->channel[k] == (own ? a->other : a->channel)
                                             : k == (own ? a->other : a->channel)))
                b = k;
        if (b < 0 || (!own && !(other && a->kind == SN_CAUSE_TURN))) return 0;
        return own ? m[b] : -m[b];
    }
    if (!own) return 0;
    switch (a->kind) {
    case SN_CAUSE_OFFSET:
        return 1;
    case SN_CAUSE_GAIN:
        return m[c];
    case SN_CAUSE_DELAY:
        return shifted(q, a, e, i, c);
    default:
        return x->t[i] - x->begin;
    }
}
