/* One column: its numbers, its noise and quantum, and codes that stand for missing values. */
#include "identify/look_series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sn_sort(int n, double *x) { qsort(x, (size_t)n, sizeof *x, ascending); }

double sn_median(int n, double *x)
{
    if (n < 1) return NAN;
    sn_sort(n, x);
    return 0.5 * (x[(n - 1) / 2] + x[n / 2]);
}

/* ---- noise and quantum ---- */

enum { FEW = 12, LEAST_ORDER = 2, MOST_ORDER = 6 };

double sn_series_noise(int n, const double *y, double *work, int *white)
{
    double least = INFINITY, low = INFINITY, high = 0, square = 2;
    *white = 0;
    if (n < FEW) return NAN;
    for (int m = 2; m <= MOST_ORDER; m++) {
        double c[MOST_ORDER + 1] = {1};
        for (int k = 1; k <= m; k++) c[k] = -c[k - 1] * (m - k + 1) / k;
        for (int i = m; i < n; i++) {
            double d = 0;
            for (int k = 0; k <= m; k++) d += c[k] * y[i - k];
            work[i - m] = fabs(d);
        }
        /* variance of a difference of order m: (2m)!/(m!)^2; deviation from the median of sizes: 1.4826 */
        square *= (double)(2 * m) * (2 * m - 1) / ((double)m * m);
        double seen = 1.4826 * sn_median(n - m, work) / sqrt(square);
        least = fmin(least, seen);
        if (m > LEAST_ORDER) low = fmin(low, seen), high = fmax(high, seen);
    }
    *white = low > 0 && high < 1.6 * low;
    return least;
}

double sn_series_quantum(int n, const double *sorted)
{
    double range = n ? sorted[n - 1] - sorted[0] : 0,
           most = n ? fmax(fabs(sorted[0]), fabs(sorted[n - 1])) : 0;
    double same = 1e-9 * range + 1e-14 * most, q = INFINITY;
    int steps = 0;
    for (int i = 1; i < n; i++) {
        double d = sorted[i] - sorted[i - 1];
        if (d > same) q = fmin(q, d), steps++;
    }
    /* eight gaps between values are all multiples of the least by chance with a probability of 0.04^7 */
    if (steps < 8) return 0;
    for (int i = 1; i < n; i++) {
        double d = (sorted[i] - sorted[i - 1]) / q;
        if (d * q > same && fabs(d - floor(d + 0.5)) > 0.02 + 2 * same / q) return 0;
    }
    return q;
}

/* ---- codes of missing values ---- */

enum { CODES = 4 }; /* different ones at each end of the range */

static int is_code(double v)
{
    static const double codes[] = {999,          999.9,        999.99,  999.999, 9999,  9999.9,
                                   9999.99,      99999,        32767,   32768,   65535, 2147483647,
                                   2147483648.0, 4294967295.0, 8388607, 8388608, 999999};
    double a = fabs(v);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (a == codes[i]) return 1;
    return a >= 1e30;
}

/* How many of the sorted values are equal to the one at the end, from i inwards. */
static int equal_at(const sn_series *s, int i, int step, int left)
{
    int k = 1;
    while (k < left && s->sorted[i + step * k] == s->sorted[i]) k++;
    return k;
}

/* Ends of the values (low, high: numbers of sorted ones) that are codes: few different values, each repeated
   or well known, and further from all the others than three times the range of these. */
static int find_codes(const sn_series *s, int *low, int *high)
{
    int at[2][CODES + 1] = {{0}}, n[2] = {0, 0};
    double best = INFINITY;
    for (int end = 0; end < 2; end++)
        while (n[end] < CODES) {
            int from = at[end][n[end]], i = end ? s->n - 1 - from : from, left = s->n - from;
            if (left < 3) break;
            int k = equal_at(s, i, end ? -1 : 1, left);
            if (k >= left || (k < 2 && !is_code(s->sorted[i]))) break;
            at[end][n[end] + 1] = from + k, n[end]++;
        }
    for (int a = 0; a <= n[0]; a++)
        for (int b = 0; b <= n[1]; b++) {
            int lo = at[0][a], hi = at[1][b];
            if (lo + hi == 0 || 5 * (lo + hi) > 3 * s->n || s->n - lo - hi < 3) continue;
            double first = s->sorted[lo], last = s->sorted[s->n - 1 - hi], range = last - first;
            int different = 1;
            for (int i = lo + 1; i < s->n - hi && different < 4; i++)
                different += s->sorted[i] > s->sorted[i - 1];
            if (different < 4 || (lo && first - s->sorted[lo - 1] <= 3 * range) ||
                (hi && s->sorted[s->n - hi] - last <= 3 * range) || range >= best)
                continue;
            best = range, *low = lo, *high = hi;
        }
    return best < INFINITY;
}

static void drop_outside(sn_series *s, double least, double most)
{
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        if (s->y[i] < least || s->y[i] > most) continue;
        s->y[n] = s->y[i], s->t[n] = s->t[i], s->row[n++] = s->row[i];
    }
    s->n = n;
    memcpy(s->sorted, s->y, sizeof *s->y * (size_t)n);
    sn_sort(n, s->sorted);
}

void sn_series_codes(sn_series *s)
{
    int low = 0, high = 0;
    if (s->n < 6 || !find_codes(s, &low, &high)) return;
    double least = s->sorted[low], most = s->sorted[s->n - 1 - high];
    for (int end = 0; end < 2; end++)
        for (int from = 0, k; from < (end ? high : low); from += k) {
            int i = end ? s->n - 1 - from : from, first = 0;
            double v = s->sorted[i];
            k = equal_at(s, i, end ? -1 : 1, s->n - from);
            while (s->y[first] != v) first++;
            sn_series_place(s, first, k);
            sn_look_add(
                s->l, 2, "code", &s->at,
                "%d of %d values of %s are %.7g (first in row %d, t = %.6g s), all others between %.4g "
                "and %.4g%s: a code for missing values? leave these cells empty",
                k, s->n, s->at.channel, v, s->at.row, s->at.t, least, most, s->unit);
        }
    drop_outside(s, least, most);
}

/* ---- all ---- */

void sn_series_place(sn_series *s, int i, int count)
{
    s->at.row = s->row[i], s->at.t = s->t[i], s->at.count = count;
}

static void look_at_steps(sn_series *s)
{
    double range = s->sorted[s->n - 1] - s->sorted[0];
    if (s->quantum > 0 && range < 29.5 * s->quantum && !(s->noise > 0.5 * s->quantum)) {
        sn_series_place(s, 0, s->n);
        sn_look_add(s->l, 1, "steps", &s->at,
                    "%s has steps of %.4g%s, %d of them between its smallest and largest value, and no noise "
                    "that would blur them: rounding is its error, and standard errors are uncertain",
                    s->at.channel, s->quantum, s->unit, (int)floor(range / s->quantum + 0.5));
    }
}

/* The numbers that are there; infinite ones are told. */
static void take_numbers(sn_series *s, const sn_look_rows *r, int c, sn_column_look *q)
{
    int infinite = 0, missing = 0;
    for (int i = 0; i < r->n; i++) {
        double y = r->y[(size_t)i * (size_t)r->stride + (size_t)c * (size_t)r->next];
        if (isfinite(y) && isfinite(r->t[i])) {
            s->t[s->n] = r->t[i], s->y[s->n] = s->sorted[s->n] = y, s->row[s->n++] = r->first + i;
            continue;
        }
        missing++;
        if (isinf(y) && !infinite++) s->at.row = r->first + i, s->at.t = r->t[i];
    }
    s->at.count = infinite;
    q->count = s->n, q->missing = missing;
    if (infinite)
        sn_look_add(s->l, 2, "infinite", &s->at, "%d values of %s are infinite (first in row %d)", infinite,
                    s->at.channel, s->at.row);
    sn_sort(s->n, s->sorted);
}

static void describe(sn_series *s, sn_column_look *q)
{
    double mean = 0, square = 0;
    for (int i = 0; i < s->n; i++) mean += s->y[i] / s->n;
    for (int i = 0; i < s->n; i++) square += (s->y[i] - mean) * (s->y[i] - mean);
    q->least = s->sorted[0], q->most = s->sorted[s->n - 1], q->mean = mean;
    q->deviation = s->n > 1 ? sqrt(square / (s->n - 1)) : 0;
}

/* Whether there is anything to learn from. */
static int has_signal(sn_series *s, const sn_look_rows *r, const sn_column_look *q)
{
    sn_look_place at = {.channel = s->at.channel, .table = s->at.table, .count = s->n};
    if (s->n == 0)
        sn_look_add(s->l, 2, "empty", &at, "%s has no numbers", s->at.channel);
    else if (s->n > 1 && s->sorted[0] == s->sorted[s->n - 1])
        sn_look_add(s->l, 2, "constant", &at, "%s is constant (%.6g%s): is it connected?", s->at.channel,
                    s->sorted[0], s->unit);
    else if (2 * q->missing > r->n && s->n > 1)
        sn_look_add(s->l, 1, "missing", &at, "%d of %d values of %s are missing", q->missing, r->n,
                    s->at.channel);
    return s->n > 1 && s->sorted[0] < s->sorted[s->n - 1];
}

sn_status sn_look_at_column(sn_look *l, const sn_look_rows *r, int c, sn_column_look *q, sn_err *err)
{
    size_t n = (size_t)r->n + 1;
    char unit[40] = "";
    sn_series s = {.l = l, .at = {.channel = q->name, .table = l->n_table - 1}, .unit = unit, .noise = NAN};
    if (q->unit[0] && strcmp(q->unit, "1") != 0) snprintf(unit, sizeof unit, " %s", q->unit);
    *q = (sn_column_look){.name = q->name, .unit = q->unit, .noise = NAN};
    q->least = q->most = q->mean = q->deviation = NAN;
    s.interval = l->table[l->n_table - 1].interval;
    sn_status status =
        SN_NEW(s.t, n) && SN_NEW(s.y, n) && SN_NEW(s.row, n) && SN_NEW(s.sorted, n) && SN_NEW(s.work, n)
            ? SN_OK
            : SN_OUT_OF_MEM(err);
    if (!status) take_numbers(&s, r, c, q);
    if (!status && has_signal(&s, r, q)) {
        sn_series_codes(&s);
        s.quantum = sn_series_quantum(s.n, s.sorted);
        sn_series_outliers(&s);
        s.noise = sn_series_noise(s.n, s.y, s.work, &s.white);
        look_at_steps(&s);
        sn_series_runs(&s);
        sn_series_jumps(&s);
    }
    if (!status && s.n) describe(&s, q);
    q->noise = s.noise, q->quantum = s.quantum;
    sn_free(s.t), sn_free(s.y), sn_free(s.row), sn_free(s.sorted), sn_free(s.work);
    return status;
}
