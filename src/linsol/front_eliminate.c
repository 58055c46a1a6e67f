/* Elimination within a front.

   Columns are taken in panels. A pivot of one row must not be smaller than its column by more than the
   threshold, a pivot of two rows must not make larger multipliers than that (Duff and Reid, ACM TOMS 9, 1983,
   for symmetric matrices; for others the same bound on L alone, that of partial pivoting with a threshold). A
   column that has no such pivot waits behind the others, and in the end goes to the parent. At a root, where
   there is none, the whole of what is left is searched, and rows are exchanged where that does not help: an
   unsymmetric matrix may have no other pivots. */
#include "linsol/front.h"
#include "math/simd.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double DOUBT = 1e-12, NOTHING = 0.1 * DBL_EPSILON;

typedef struct elimination {
    sn_front *f;
    size_t n, border; /* rows of L and of W */
    int symmetric, k; /* the next pivot */
    double *work;
    sn_front_found *found;
} elimination;

static double *column(const elimination *e, int j) { return e->f->L + (size_t)j * e->n; }

static void exchange(double *a, double *b, int count)
{
    for (int i = 0; i < count; i++) {
        double t = a[i];
        a[i] = b[i], b[i] = t;
    }
}

static void exchange_strided(double *a, size_t step_a, double *b, size_t step_b, int count)
{
    for (int i = 0; i < count; i++, a += step_a, b += step_b) {
        double t = *a;
        *a = *b, *b = t;
    }
}

static void exchange_int(int *x, int a, int b)
{
    int t = x[a];
    x[a] = x[b], x[b] = t;
}

/* Rows a and b. */
static void exchange_rows(const elimination *e, int a, int b)
{
    exchange_strided(e->f->L + a, e->n, e->f->L + b, e->n, e->f->summed);
    exchange(e->f->W + (size_t)a * e->border, e->f->W + (size_t)b * e->border, (int)e->border);
    exchange_int(e->f->row, a, b);
}

/* Rows and columns a and b, both not eliminated yet, or only rows of what is. */
static void exchange_both(const elimination *e, int a, int b)
{
    if (a == b) return;
    if (a > b) {
        int t = a;
        a = b, b = t;
    }
    double *ca = column(e, a), *cb = column(e, b), t;
    exchange_int(e->f->col, a, b);
    if (!e->symmetric) {
        exchange_rows(e, a, b);
        exchange(ca, cb, (int)e->n);
        return;
    }
    exchange_int(e->f->row, a, b);
    exchange_strided(e->f->L + a, e->n, e->f->L + b, e->n, a);
    t = ca[a], ca[a] = cb[b], cb[b] = t;
    exchange_strided(ca + a + 1, 1, column(e, a + 1) + b, e->n, b - a - 1);
    exchange(ca + b + 1, cb + b + 1, e->f->n - b - 1);
}

/* The largest of x[from] .. x[to - 1], and where, if that is asked for. */
SN_SIMD static double largest(const double *x, int from, int to, int *at)
{
    double lane[4] = {0}, top = 0;
    int i = from;
    for (; i + 4 <= to; i += 4)
        for (int l = 0; l < 4; l++) lane[l] = fabs(x[i + l]) > lane[l] ? fabs(x[i + l]) : lane[l];
    for (int l = 0; l < 4; l++) top = lane[l] > top ? lane[l] : top;
    for (; i < to; i++) top = fabs(x[i]) > top ? fabs(x[i]) : top;
    if (at) {
        *at = -1;
        for (i = from; i < to && *at < 0; i++)
            if (fabs(x[i]) == top) *at = i;
    }
    return top;
}

/* The block of a pivot of two rows: d[0] d[2]; d[1] d[3]. */
static void pair_block(const elimination *e, double *d)
{
    const double *a = column(e, e->k), *b = column(e, e->k + 1);
    d[0] = a[e->k], d[1] = a[e->k + 1], d[2] = e->symmetric ? d[1] : b[e->k], d[3] = b[e->k + 1];
}

/* Whether k and k + 1 are a pivot of two rows. */
static int is_pair(const elimination *e)
{
    double d[4];
    pair_block(e, d);
    const double det = d[0] * d[3] - d[1] * d[2], most = fabs(det) / SN_FRONT_THRESHOLD;
    const double a = largest(column(e, e->k), e->k + 2, e->f->n, NULL),
                 b = largest(column(e, e->k + 1), e->k + 2, e->f->n, NULL);
    /* a determinant that is all rounding is none */
    if (!(fabs(det) > 8 * DBL_EPSILON * fmax(fabs(d[0] * d[3]), fabs(d[1] * d[2])))) return 0;
    return a * fabs(d[3]) + b * fabs(d[1]) <= most && a * fabs(d[2]) + b * fabs(d[0]) <= most;
}

/* The size of a pivot at k, columns up to `end` being candidates; 0: there is none. */
static int find_pivot(const elimination *e, int end)
{
    const double *x = column(e, e->k);
    const double own = fabs(x[e->k]), most = largest(x, e->k + 1, e->f->n, NULL);
    int partner;
    if (own >= SN_FRONT_THRESHOLD * most && own > NOTHING) return 1;
    if (!(largest(x, e->k + 1, end, &partner) > NOTHING)) return 0;
    exchange_both(e, e->k + 1, partner);
    return is_pair(e) ? 2 : 0;
}

SN_SIMD static void scale(double *x, int from, int to, double by)
{
    for (int i = from; i < to; i++) x[i] *= by;
}

/* x -= a s */
SN_SIMD static void add_one(double *restrict x, const double *restrict a, double s, int from, int to)
{
    for (int i = from; i < to; i++) x[i] -= a[i] * s;
}

SN_SIMD static void add_two(double *restrict x, const double *restrict a, const double *restrict b,
                            const double *s, int from, int to)
{
    for (int i = from; i < to; i++) x[i] -= a[i] * s[0] + b[i] * s[1];
}

/* [a b] <- [a b] D^-1 */
SN_SIMD static void divide_two(double *restrict a, double *restrict b, const double *inverse, int from,
                               int to)
{
    for (int i = from; i < to; i++) {
        const double x = a[i], y = b[i];
        a[i] = x * inverse[0] + y * inverse[1];
        b[i] = x * inverse[2] + y * inverse[3];
    }
}

static void note_pivot(const elimination *e, int size)
{
    double d[4];
    e->f->pair[e->k] = 0;
    if (size == 1) {
        double own = column(e, e->k)[e->k];
        e->found->negative += own < 0;
        e->found->doubtful |= fabs(own) < DOUBT;
        return;
    }
    pair_block(e, d);
    const double det = d[0] * d[3] - d[1] * d[2];
    e->f->pair[e->k] = 2, e->f->pair[e->k + 1] = 1;
    e->found->negative += det < 0 ? 1 : d[0] + d[3] < 0 ? 2 : 0;
    e->found->doubtful |= fabs(det) < DOUBT * fmax(fmax(fabs(d[0]), fabs(d[3])), fabs(d[1]));
}

/* Eliminates the pivot at k from the columns before `stop`. */
static void take_pivot(elimination *e, int size, int stop)
{
    const int n = e->f->n, k = e->k;
    double *a = column(e, k), *b = column(e, k + size - 1), d[4] = {a[k]};
    note_pivot(e, size);
    if (size == 1) {
        scale(a, k + 1, n, 1 / d[0]);
        for (int c = k + 1; c < stop; c++)
            add_one(column(e, c), a, e->symmetric ? a[c] * d[0] : column(e, c)[k], e->symmetric ? c : k + 1,
                    n);
    } else {
        pair_block(e, d);
        const double det = d[0] * d[3] - d[1] * d[2];
        const double inverse[4] = {d[3] / det, -d[1] / det, -d[2] / det, d[0] / det};
        divide_two(a, b, inverse, k + 2, n);
        for (int c = k + 2; c < stop; c++) {
            double s[2] = {column(e, c)[k], column(e, c)[k + 1]};
            if (e->symmetric) s[0] = d[0] * a[c] + d[2] * b[c], s[1] = d[1] * a[c] + d[3] * b[c];
            add_two(column(e, c), a, b, s, e->symmetric ? c : k + 2, n);
        }
    }
    e->k += size;
}

/* Rows `from` to `to` of L D for the pivots k0 to k1, symmetric. */
static void times_pivots(const sn_front *f, int k0, int k1, int from, int to, double *out)
{
    const size_t n = (size_t)f->n, rows = (size_t)(to - from);
    for (int k = k0; k < k1; k++, out += rows) {
        const double *a = f->L + (size_t)k * n, *b = a + n, *before = a - n;
        if (f->pair[k] == 2)
            for (int i = from; i < to; i++) out[i - from] = a[i] * a[k] + b[i] * a[k + 1];
        else if (f->pair[k] == 1)
            for (int i = from; i < to; i++) out[i - from] = before[i] * before[k] + a[i] * a[k];
        else
            for (int i = from; i < to; i++) out[i - from] = a[i] * a[k];
    }
}

/* Rows k0 to k1 of the columns from `stop` on become those of D U; and those of W. */
static void solve_rows(const elimination *e, int k0, int k1, int stop)
{
    for (int p = k0; p < k1; p++) {
        const double *l = column(e, p);
        const int from = p + 1 + (e->f->pair[p] == 2);
        for (int c = stop; c < e->f->summed; c++) add_one(column(e, c), l, column(e, c)[p], from, k1);
        for (int i = from; i < k1; i++)
            add_one(e->f->W + (size_t)i * e->border, e->f->W + (size_t)p * e->border, l[i], 0,
                    (int)e->border);
    }
}

/* What the pivots k0 .. k do to the columns from `stop` on and to the rows of W. */
static void update_rest(const elimination *e, int k0, int stop)
{
    const sn_front *f = e->f;
    const int rest = f->summed - stop;
    size_t K = (size_t)e->k;
    const sn_part L = {column(e, k0), e->n};
    for (int p = k0, most; p < e->k; p = most) {
        most = e->k - p > SN_FRONT_PANEL ? p + SN_FRONT_PANEL : e->k;
        const sn_part panel = {column(e, p), e->n}, buffer = {e->work, (size_t)rest};
        if (e->symmetric) {
            times_pivots(f, p, most, stop, f->summed, e->work);
            sn_front_subtract_lower((sn_part){column(e, stop) + stop, e->n}, (sn_part){panel.x + stop, e->n},
                                    buffer, f->n - stop, rest, most - p);
            continue;
        }
        if (p == k0) solve_rows(e, k0, e->k, stop);
        for (int c = 0; c < rest; c++)
            for (int i = p; i < most; i++)
                e->work[(size_t)(i - p) * (size_t)rest + (size_t)c] = column(e, stop + c)[i];
        sn_front_subtract((sn_part){column(e, stop) + K, e->n}, (sn_part){panel.x + K, e->n}, buffer,
                          f->n - e->k, rest, most - p);
    }
    if (!e->symmetric)
        sn_front_subtract((sn_part){f->W + K * e->border, e->border},
                          (sn_part){f->W + (size_t)k0 * e->border, e->border}, (sn_part){L.x + K, e->n},
                          (int)e->border, f->summed - e->k, e->k - k0);
}

/* Pivots among the columns from k to `stop`; those that are none end up before `stop`. */
static void eliminate_panel(elimination *e, int stop)
{
    const int k0 = e->k;
    for (int end = stop; e->k < end;) {
        int size = find_pivot(e, end);
        if (size)
            take_pivot(e, size, stop);
        else
            exchange_both(e, e->k, --end);
    }
    if (e->k > k0) update_rest(e, k0, stop);
}

/* All columns once; returns how many were eliminated. */
static int pass(elimination *e)
{
    const int before = e->k;
    for (int rest = e->f->summed; e->k < rest;) {
        /* a pair that begins in a panel shall end in it */
        int stop = e->k + SN_FRONT_PANEL < rest ? e->k + SN_FRONT_PANEL : rest;
        eliminate_panel(e, stop);
        while (stop > e->k && rest > e->k) exchange_both(e, --stop, --rest);
    }
    return e->k - before;
}

/* What is left at a root: a search through all of it, then exchanges of rows, then nothing but rounding. */
static void finish(elimination *e)
{
    const int all = e->f->summed;
    for (int before = -1; e->k < all && e->k > before;) {
        before = e->k;
        eliminate_panel(e, all);
    }
    while (e->k < all) {
        const int k0 = e->k;
        int at;
        double *x = column(e, e->k);
        if (largest(x, e->k, e->f->n, &at) <= NOTHING || e->symmetric) {
            memset(x + e->k, 0, sizeof *x * (size_t)(e->f->n - e->k));
            x[e->k] = NOTHING;
        } else if (at != e->k) {
            exchange_rows(e, e->k, at);
        }
        take_pivot(e, 1, all);
        update_rest(e, k0, all);
    }
}

void sn_front_eliminate(sn_front *f, int root, double *work, sn_front_found *found)
{
    elimination e = {.f = f, .n = (size_t)f->n, .border = (size_t)(f->n - f->summed)};
    e.symmetric = !f->W, e.work = work, e.found = found;
    while (e.k < f->summed && pass(&e)) {}
    if (root) finish(&e);
    f->pivots = e.k;
}

void sn_front_complete(sn_front *f, int from, int to, double *work)
{
    const size_t n = (size_t)f->n, border = (size_t)(f->n - f->summed), at = (size_t)from;
    const sn_part L = {f->L + f->summed, n};
    const int wide = to - from;
    if (!f->W) {
        times_pivots(f, 0, f->pivots, f->summed + from, f->summed + to, work);
        sn_front_subtract_lower((sn_part){f->C + at * border + at, border}, (sn_part){L.x + at, n},
                                (sn_part){work, (size_t)wide}, (int)border - from, wide, f->pivots);
    } else {
        sn_front_subtract((sn_part){f->C + at * border, border}, L, (sn_part){f->W + at, border}, (int)border,
                          wide, f->pivots);
    }
}
