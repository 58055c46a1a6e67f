/* Single events of a column: samples that stand alone (Hampel's idea: a sample against medians of its
   neighbours) and jumps from one level to another. Both are measured against what the same numbers are
   nearby, so that a signal that begins to move, bends sharply or is hit counts as sound. */
#include "identify/look_series.h"

#include <math.h>
#include <string.h>

enum { REACH = 12, LEAST = 12 };

static double middle(double a, double b, double c) { return fmax(fmin(a, b), fmin(fmax(a, b), c)); }

/* Is sample i with three neighbours on each side free of gaps in time? */
static int is_steady(const sn_series *s, int i, int from, int to)
{
    if (i + from < 0 || i + to >= s->n) return 0;
    return s->t[i + to] - s->t[i + from] < 1.5 * (to - from) * s->interval;
}

/* ---- outliers ---- */

/* What sample i has beside the medians of the three before and the three after it, which lie at the same
   distance: nothing of a line, and another wild sample on either side does not matter. */
static double off_medians(const sn_series *s, int i)
{
    const double *y = s->y + i;
    return y[0] - 0.5 * (middle(y[-3], y[-2], y[-1]) + middle(y[1], y[2], y[3]));
}

/* A sample is an outlier where it is off by four times what all around it are and by eight deviations of the
   whole. For normal noise that has a probability below 1e-7. A corner of the signal is off by half as much on
   both sides, so that only on one a neighbour may be as far off: the second of a pair. */
static int is_outlier(const sn_series *s, const double *off, int i, double scale)
{
    double size = fabs(off[i]), around = 0;
    int n = 0, pair = 0;
    if (!(size > 8 * scale) || !(size > 6 * s->quantum) || !is_steady(s, i, -3, 3)) return 0;
    for (int j = i - REACH; j <= i + REACH; j++) {
        if (j < 3 || j >= s->n - 3 || j == i) continue;
        int beside = j == i - 1 || j == i + 1, large = fabs(off[j]) > 0.6 * size;
        if (large && beside && off[j] * off[i] > 0 && !pair++) continue;
        int alone = j > 3 && j < s->n - 4 && fabs(off[j - 1]) + fabs(off[j + 1]) < 0.25 * fabs(off[j]);
        if (large && !beside && alone && ++n <= 4) continue; /* another one */
        around = fmax(around, fabs(off[j]));
    }
    return size > 4 * around;
}

/* The value that most of them have. */
static int commonest(sn_series *s, const unsigned char *wild, double *value)
{
    int n = 0, alike = 0;
    for (int i = 0; i < s->n; i++)
        if (wild[i]) s->work[n++] = s->y[i];
    sn_sort(n, s->work);
    for (int i = 0, k = 0; i < n; i++) {
        k = i && s->work[i] == s->work[i - 1] ? k + 1 : 1;
        if (k > alike) alike = k, *value = s->work[i];
    }
    return alike;
}

static void tell_outliers(sn_series *s, const unsigned char *wild, int count, int first)
{
    double value = NAN;
    int alike = commonest(s, wild, &value);
    sn_series_place(s, first, count);
    if (alike >= 3 && alike * 2 > count)
        sn_look_add(s->l, 2, "code", &s->at,
                    "%d values of %s fall out of the line of their neighbours (first in row %d, t = %.6g s), "
                    "%d of them to %.6g%s: a code for missing values? leave these cells empty",
                    count, s->at.channel, s->at.row, s->at.t, alike, value, s->unit);
    else
        sn_look_add(s->l, 1, "outliers", &s->at,
                    "%d value%s of %s %s far out of the line of the neighbours (first in row %d, t = %.6g s: "
                    "%.5g%s): leave %s empty, or use 'loss: huber'",
                    count, count == 1 ? "" : "s", s->at.channel, count == 1 ? "is" : "are", s->at.row,
                    s->at.t, s->y[first], s->unit, count == 1 ? "it" : "them");
}

static void take_out(sn_series *s, const unsigned char *wild)
{
    int n = 0;
    for (int i = 0; i < s->n; i++)
        if (!wild[i]) s->y[n] = s->y[i], s->t[n] = s->t[i], s->row[n++] = s->row[i];
    s->n = n;
    memcpy(s->sorted, s->y, sizeof *s->y * (size_t)n);
    sn_sort(n, s->sorted);
}

void sn_series_outliers(sn_series *s)
{
    double *off = NULL;
    unsigned char *wild = NULL;
    int count = 0, first = -1;
    if (s->n < LEAST) return;
    if (!SN_NEW(off, s->n) || !SN_NEW(wild, s->n)) {
        sn_free(off);
        s->l->failed = 1;
        return;
    }
    for (int i = 3; i < s->n - 3; i++) off[i] = off_medians(s, i), s->work[i - 3] = fabs(off[i]);
    double scale = 1.4826 * sn_median(s->n - 6, s->work);
    for (int i = 3; i < s->n - 3; i++)
        if (is_outlier(s, off, i, scale)) {
            wild[i] = 1, count++;
            if (first < 0) first = i;
        }
    if (count) tell_outliers(s, wild, count, first), take_out(s, wild);
    sn_free(off), sn_free(wild);
}

/* ---- jumps ---- */

/* The step to sample i beside the slopes before and after it. */
static double off_slopes(const sn_series *s, int i)
{
    const double *y = s->y + i;
    return y[0] - y[-1] -
           0.5 * (middle(y[-1] - y[-2], y[-2] - y[-3], y[-3] - y[-4]) +
                  middle(y[1] - y[0], y[2] - y[1], y[3] - y[2]));
}

static int is_jump(const sn_series *s, const double *off, int i)
{
    double size = fabs(off[i]), around = 0;
    int n = 0;
    if (!(size > 12 * s->noise) || !(size > 8 * s->quantum) || !is_steady(s, i, -4, 3)) return 0;
    for (int j = i - REACH; j <= i + REACH; j++)
        if (j >= 4 && j < s->n - 3 && j != i) around = fmax(around, fabs(off[j])), n++;
    return n >= REACH && size > 8 * around;
}

/* Jumps of a whole turn: an angle that begins anew. */
static double turn_of(double size)
{
    static const double turns[] = {6.283185307179586, 360, 3.141592653589793, 180};
    for (size_t k = 0; k < sizeof turns / sizeof *turns; k++)
        if (fabs(size / turns[k] - 1) < 0.03) return turns[k];
    return 0;
}

void sn_series_jumps(sn_series *s)
{
    int count = 0, turns = 0, first = -1;
    double range = s->sorted[s->n - 1] - s->sorted[0], most = 0, turn = 0, *off = s->work;
    for (int i = 4; i < s->n - 3; i++) off[i] = off_slopes(s, i);
    for (int i = 4; i < s->n - 3; i++) {
        if (!is_jump(s, off, i)) continue;
        count++;
        if (first < 0) first = i;
        if (fabs(off[i]) > 0.9 * range && turn_of(fabs(off[i])) > 0) turns++, turn = turn_of(fabs(off[i]));
        most = fmax(most, fabs(off[i]));
    }
    if (!count) return;
    sn_series_place(s, first, count);
    if (turns == count)
        sn_look_add(
            s->l, 2, "turns", &s->at,
            "%s jumps by %.5g%s %d time%s (first in row %d, t = %.6g s): an angle that begins anew after a "
            "turn; it must go on instead",
            s->at.channel, turn, s->unit, count, count == 1 ? "" : "s", s->at.row, s->at.t);
    else
        sn_look_add(
            s->l, 1, "jump", &s->at,
            "%s jumps at %d place%s, by %.4g%s at most (first in row %d, t = %.6g s), far more than from "
            "sample to sample around: was it hit, moved or reset there?",
            s->at.channel, count, count == 1 ? "" : "s", most, s->unit, s->at.row, s->at.t);
}
