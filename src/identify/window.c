/* How long may a first window be, and how long must it be?

   False minima come from phases: two oscillations that are apart by more than half a period look more alike
   when they get further apart. So nothing that is measured, and nothing that the model does at the start
   values, may go through more than a quarter of its oscillation. An oscillation is seen by where a signal
   turns back: half a period is the median time between two turns that are further apart than the noise and a
   twentieth of the range. Where noise hides the turns it is seen by the autocorrelation, which falls to zero
   after a quarter of a period.

   On the other hand the window must hold some more numbers than are sought, and something that depends on
   them: the information of the sensitivities at the start values must tell at least one unknown better than
   the prior of a decade does. */
#include "identify/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 512, ENOUGH = 3 /* numbers for each unknown */ };
static const double prior = 1 / (2.302585092994046 * 2.302585092994046);
static const double history_part = 0.1; /* of all data, with histories */

double sn_longest(const sn_study *s)
{
    double length = 0;
    for (int e = 0; e < s->n_experiment; e++)
        if (!s->experiment[e].hold_out) length = fmax(length, s->experiment[e].end - s->experiment[e].begin);
    return length;
}

/* ---- a quarter of an oscillation ---- */

/* A signal without gaps; `between`: scratch of as many numbers. */
typedef struct series {
    int n;
    double *t, *y, *between;
} series;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Half the median time between turns of more than `least`, the beginning counted as one; INFINITY: fewer than
   two. */
static double by_turns(const series *s, double least)
{
    int n = 0, way = 0;
    double lo = s->y[0], hi = s->y[0], t_lo = s->t[0], t_hi = s->t[0], last = s->t[0];
    for (int i = 1; i < s->n; i++) {
        double y = s->y[i], t = s->t[i];
        if (y > hi) hi = y, t_hi = t;
        if (y < lo) lo = y, t_lo = t;
        if (way >= 0 && y < hi - least) {
            if (way > 0) s->between[n++] = t_hi - last, last = t_hi;
            way = -1, lo = y, t_lo = t;
        } else if (way <= 0 && y > lo + least) {
            if (way < 0) s->between[n++] = t_lo - last, last = t_lo;
            way = 1, hi = y, t_hi = t;
        }
    }
    if (n < 1) return INFINITY;
    qsort(s->between, (size_t)n, sizeof *s->between, ascending);
    return 0.5 * s->between[n / 2];
}

/* Where the autocorrelation falls to zero first, after averaging over bins; INFINITY: not within half of it.
 */
static double by_correlation(const series *s)
{
    double sum[BINS] = {0}, mean = 0, span = s->t[s->n - 1] - s->t[0];
    int count[BINS] = {0}, n = s->n < BINS ? s->n : BINS, all = 0;
    for (int i = 0; i < s->n; i++) {
        int b = (int)((s->t[i] - s->t[0]) / span * n);
        b = b < n ? b : n - 1, sum[b] += s->y[i], count[b]++, mean += s->y[i] / s->n;
    }
    for (int b = 0; b < n; b++)
        if (count[b]) sum[b] = sum[b] / count[b] - mean, all++;
    for (int lag = 1; lag < n / 2 && all > 8; lag++) {
        double r = 0;
        for (int b = lag; b < n; b++) r += count[b] && count[b - lag] ? sum[b] * sum[b - lag] : 0;
        if (r <= 0) return lag * span / n;
    }
    return INFINITY;
}

/* A quarter of the oscillation of a signal with noise sigma; INFINITY: it does not oscillate. */
static double quarter(const series *s, double sigma)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < s->n; i++) lo = fmin(lo, s->y[i]), hi = fmax(hi, s->y[i]);
    if (s->n < 3 || !(hi - lo > 2 * sigma)) return INFINITY;
    double by = by_turns(s, fmax(6 * sigma, 0.05 * (hi - lo)));
    return isfinite(by) || sigma == 0 ? by : by_correlation(s);
}

/* The shortest of all channels of an experiment, as measured and as the model has them at the start; with
   what goes by before the first sample. */
static double fastest(const sn_fit *f, int e, int simulated, series *s)
{
    const sn_experiment *x = &f->s->experiment[e];
    double shortest = INFINITY;
    for (int c = 0; c < x->n_channel; c++)
        for (int model = 0; model < 1 + simulated; model++) {
            const double *from = model ? f->part[e].model : x->y;
            double sigma = x->sigma[c] / sqrt(x->weight);
            s->n = 0;
            for (int i = 0; i < x->n; i++) {
                double y = from[(size_t)i * (size_t)x->n_channel + (size_t)c];
                if (isfinite(y)) s->t[s->n] = x->t[i], s->y[s->n++] = y;
            }
            /* what the model does has no noise, but is not seen where it is smaller than that */
            double q = quarter(s, model ? sigma / 6 : sigma);
            if (s->n) shortest = fmin(shortest, s->t[0] - x->begin + q);
        }
    return shortest;
}

/* ---- enough to tell something ---- */

/* Numbers measured up to the window, and the diagonal of their information on the unknowns (n). */
static double told_up_to(const sn_fit *f, double window, int simulated, double *information)
{
    const sn_study *s = f->s;
    double count = 0;
    memset(information, 0, sizeof(double) * (size_t)f->n);
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        const sn_part *p = &f->part[e];
        size_t n = (size_t)p->n;
        for (int i = 0; !x->hold_out && i < x->n && x->t[i] <= x->begin + window; i++)
            for (int c = 0; c < x->n_channel; c++) {
                size_t at = (size_t)i * (size_t)x->n_channel + (size_t)c;
                if (isnan(x->y[at])) continue;
                count++;
                for (size_t a = 0; simulated && p->J && a < n; a++)
                    information[p->unknown[a]] += p->J[at * n + a] * p->J[at * n + a];
            }
    }
    return count;
}

static int is_enough(const sn_fit *f, double window, int simulated, double *information)
{
    double count = told_up_to(f, window, simulated, information), top = simulated ? 0 : INFINITY;
    for (int k = 0; k < f->n; k++)
        if (isfinite(information[k])) top = fmax(top, information[k]);
    return count >= ENOUGH * f->n && top > prior;
}

sn_status sn_first_window(const sn_fit *f, int simulated, double *window, sn_err *err)
{
    const sn_study *s = f->s;
    double length = sn_longest(s), h = length, *room = NULL, *information = NULL;
    size_t most = 1;
    for (int e = 0; e < s->n_experiment; e++)
        if ((size_t)s->experiment[e].n > most) most = (size_t)s->experiment[e].n;
    *window = 0;
    if (s->n_history) { /* at the start no force acts, and nothing is told of what it would move */
        *window = history_part * length;
        return SN_OK;
    }
    if (!SN_NEW(room, 3 * most) || !SN_NEW(information, f->n + 1)) {
        sn_free(room);
        return SN_OUT_OF_MEM(err);
    }
    series own = {.t = room, .y = room + most, .between = room + 2 * most};
    for (int e = 0; e < s->n_experiment; e++)
        if (!s->experiment[e].hold_out) h = fmin(h, fastest(f, e, simulated, &own));
    h = fmax(h, 1e-3 * length);
    while (h < length && !is_enough(f, h, simulated, information)) h *= 1.25;
    if (h * s->growth < length) *window = h;
    sn_free(room), sn_free(information);
    return SN_OK;
}
