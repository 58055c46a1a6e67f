/* Data against the model's signals at the start values: columns in another unit, with the other sign, or
   exchanged. Start values may be far off, so that only what other parameters can hardly do is called bad.
   Where the course of a force is sought nothing of the kind is asked: without the force the model says
   neither how much its signals change nor to which side. */
#include "identify/look.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *sn_unit_factor_words(const char *unit, double factor, double tolerance)
{
    static const struct {
        const char *unit; /* NULL: any */
        double factor;
        const char *words;
    } known[] = {
        {"m", 1e3, "mm for m"},
        {"m", 1e-3, "km for m, or converted twice"},
        {"m", 100, "cm for m"},
        {"m", 1 / 0.0254, "inches for m"},
        {"m", 1 / 0.3048, "feet for m"},
        {"m/s", 1e3, "mm/s for m/s"},
        {"m/s", 3.6, "km/h for m/s"},
        {"m/s^2", 1 / 9.80665, "g for m/s^2"},
        {"m/s^2", 9.80665, "multiplied by g twice"},
        {"N", 1 / 9.80665, "kgf for N"},
        {"N", 1e-3, "kN for N"},
        {"N*m", 1e3, "N*mm for N*m"},
        {"rad", 57.29577951308232, "degrees for rad"},
        {"rad", 0.017453292519943295, "converted from degrees twice"},
        {"rad/s", 57.29577951308232, "degrees/s for rad/s"},
        {"rad/s", 0.017453292519943295, "converted from degrees twice"},
        {"rad/s", 9.549296585513721, "rpm for rad/s"},
        {NULL, 1e3, "a prefix of 1000"},
        {NULL, 1e-3, "a prefix of 1000"},
        {NULL, 1e6, "a prefix of 1e6"},
        {NULL, 1e-6, "a prefix of 1e6"},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if ((!known[k].unit || !strcmp(known[k].unit, unit)) &&
            fabs(log(factor / known[k].factor)) < tolerance)
            return known[k].words;
    return NULL;
}

/* Measured channel c and the model's signal of channel m of the same experiment, about their means. */
typedef struct comparison {
    double n, yy, mm, ym; /* sums */
    double difference;    /* sum of squares, with the means */
    double opposite;      /* the same with the other sign */
} comparison;

static comparison compare(const sn_experiment *x, const double *signal, const sn_column_look *q, int c, int m)
{
    comparison r = {.n = 0};
    double y0 = 0, m0 = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < x->n; i++) {
            double y = x->y[i * x->n_channel + c], s = signal[i * x->n_channel + m], dy = y - y0, ds = s - m0;
            if (!isfinite(y) || !isfinite(s) || !(y >= q->least && y <= q->most)) continue;
            if (!pass)
                r.n++, r.yy += y, r.mm += s;
            else
                r.yy += dy * dy, r.mm += ds * ds, r.ym += dy * ds, r.difference += (y - s) * (y - s),
                    r.opposite += (y + s) * (y + s);
        }
        if (!pass) y0 = r.yy / r.n, m0 = r.mm / r.n, r.yy = r.mm = 0;
    }
    return r;
}

/* A channel against its own signal. others: so many of the experiment have the model's size. */
static void look_at_scale(sn_look *l, const comparison *r, const sn_look_place *at, const char *unit,
                          int others)
{
    double ratio = sqrt(r->yy / r->mm), correlation = r->ym / sqrt(r->yy * r->mm);
    int alike = fabs(correlation) > 0.9, plain = ratio > 0.33 && ratio < 3;
    const char *words = alike ? sn_unit_factor_words(unit, ratio, 0.22) : NULL;
    if (ratio < 12 && ratio > 0.08 &&
        !(fabs(correlation) > 0.98 && sn_unit_factor_words(unit, ratio, 0.03) && others))
        words = NULL;
    int far = ratio > 12 || ratio < 0.08;
    if (words || (alike && far))
        sn_look_add(l, far ? 2 : 1, "unit", at,
                    "%s moves like the model's signal at the start values, but %.4g times as much: a wrong "
                    "unit%s%s%s? "
                    "'columns: {%s: {column: NAME, unit: UNIT}}' says which it is",
                    at->channel, ratio, words ? " (" : "", words ? words : "", words ? ")" : "", at->channel);
    else if (ratio > 300 || ratio < 1 / 300.0)
        sn_look_add(
            l, 1, "unit", at,
            "%s changes by %.3g times as much as the model's signal at the start values: a wrong unit, or "
            "start values that are far off?",
            at->channel, ratio);
    /* the whole signal with its mean, or its changes only, which start values may do */
    int whole = r->opposite < 0.05 * r->difference;
    if ((whole || correlation < -0.95) && plain)
        sn_look_add(l, whole ? 2 : 1, "sign", at,
                    "%s moves against the model's signal at the start values (correlation %.3f): is its sign "
                    "reversed?",
                    at->channel, correlation);
}

static void look_for_swap(sn_look *l, const sn_study *s, int k, const double *signal, int a, int b)
{
    const sn_experiment *x = &s->experiment[k];
    const sn_column_look *q = l->table[k].column;
    sn_look_place at = {.channel = q[a].name, .table = k, .count = x->n};
    if (strcmp(q[a].unit, q[b].unit) != 0) return;
    comparison aa = compare(x, signal, &q[a], a, a), ab = compare(x, signal, &q[a], a, b),
               ba = compare(x, signal, &q[b], b, a), bb = compare(x, signal, &q[b], b, b);
    /* each other's signal explains nine tenths of what the own leaves, and of the changes */
    if (ab.difference < 0.1 * aa.difference && ba.difference < 0.1 * bb.difference &&
        ab.difference < 0.1 * (ab.yy + bb.yy) && ba.difference < 0.1 * (ab.yy + bb.yy))
        sn_look_add(
            l, 2, "exchanged", &at,
            "the columns %s and %s look exchanged: each is the model's signal of the other at the start "
            "values",
            q[a].name, q[b].name);
}

static void look_at_times(sn_look *l, const sn_study *s, int k)
{
    const sn_experiment *x = &s->experiment[k];
    double span = x->n > 1 ? x->t[x->n - 1] - x->t[0] : 0, run = s->run.end - s->run.begin,
           ratio = span / run;
    sn_look_place at = {.table = k, .count = x->n};
    if (!(run > 0) || !isfinite(run)) return;
    if (ratio > 300 && ratio < 3000)
        sn_look_add(l, 1, "clock", &at,
                    "the times go on for %.4g s, where the model's run is made for %.4g s: are they in ms?",
                    span, run);
    if (x->n > 2 && s->run.step > 1.001 * l->table[k].interval)
        sn_look_add(
            l, 0, "clock", &at,
            "the model's step of %.4g s is longer than the %.4g s between samples: between steps its signals "
            "are interpolated",
            s->run.step, l->table[k].interval);
}

sn_status sn_look_at_model(const sn_study *s, double *const *signal, sn_look *l, sn_err *err)
{
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        const sn_column_look *q = l->table[k].column;
        int plain = 0;
        if (x->modal) continue;
        if (x->sort) continue;
        look_at_times(l, s, k);
        if (s->n_history) continue;
        for (int pass = 0; pass < 2; pass++)
            for (int c = 0; signal[k] && c < x->n_channel; c++) {
                sn_look_place at = {.channel = q[c].name, .table = k, .count = q[c].count};
                comparison r = compare(x, signal[k], &q[c], c, c);
                /* a signal that does not move tells no scale */
                if (r.n < 3 || !(r.mm > 1e-18 * r.yy) || !(r.yy > 0)) continue;
                double ratio = sqrt(r.yy / r.mm);
                if (pass)
                    look_at_scale(l, &r, &at, q[c].unit, plain);
                else
                    plain += ratio > 0.5 && ratio < 2;
            }
        for (int a = 0; signal[k] && a < x->n_channel; a++)
            for (int b = a + 1; b < x->n_channel; b++) look_for_swap(l, s, k, signal[k], a, b);
    }
    return l->failed ? SN_OUT_OF_MEM(err) : SN_OK;
}
