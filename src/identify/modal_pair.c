/* Which modes of the model are the measured ones. Rows with a stated number have theirs. Where shapes are
   measured the others are paired by them: the assignment (Kuhn's Hungarian method) with the least sum of

       1 - MAC + 0.05 |ln f/f_measured|

   of which the second part only decides between shapes that are alike. Without shapes by order: the lowest
   frequency measured is the model's lowest. */
#include "identify/modal.h"

#include <math.h>
#include <string.h>

static const double turn = 6.283185307179586;
enum { FORBIDDEN = 1000000 };

typedef struct table {
    int rows, cols;
    double *cost, *mac, *off; /* rows x cols; off: |ln f/f_measured| */
    int *of;                  /* rows: columns */
} table;

/* Measured frequency of a row, damped or not. */
static double measured(const sn_experiment *x, int row)
{
    for (int c = 0; c < x->n_channel; c++)
        if (x->modal->column[c].kind <= SN_COLUMN_NATURAL) return x->y[row * x->n_channel + c];
    return NAN;
}

/* Least sum of costs, rows <= cols; u, v, way, used: scratch of cols + 1 (u: rows + 1) numbers. */
static sn_status assign(table *t, sn_err *err)
{
    int n = t->rows, m = t->cols, *p = NULL, *way = NULL;
    double *u = NULL, *v = NULL, *least = NULL;
    unsigned char *used = NULL;
    int good = SN_NEW(p, m + 1) && SN_NEW(way, m + 1) && SN_NEW(u, n + 1) && SN_NEW(v, m + 1) &&
               SN_NEW(least, m + 1) && SN_NEW(used, m + 1);
    for (int i = 1; good && i <= n; i++) {
        int j0 = 0;
        p[0] = i;
        for (int j = 0; j <= m; j++) least[j] = INFINITY, used[j] = 0;
        do {
            int i0 = p[j0], next = 0;
            double delta = INFINITY;
            used[j0] = 1;
            for (int j = 1; j <= m; j++) {
                if (used[j]) continue;
                double now = t->cost[(i0 - 1) * m + j - 1] - u[i0] - v[j];
                if (now < least[j]) least[j] = now, way[j] = j0;
                if (least[j] < delta) delta = least[j], next = j;
            }
            for (int j = 0; j <= m; j++) {
                if (used[j])
                    u[p[j]] += delta, v[j] -= delta;
                else
                    least[j] -= delta;
            }
            j0 = next;
        } while (p[j0] != 0);
        for (; j0; j0 = way[j0]) p[j0] = p[way[j0]];
    }
    for (int j = 1; good && j <= m; j++)
        if (p[j]) t->of[p[j] - 1] = j - 1;
    sn_free(p), sn_free(way), sn_free(u), sn_free(v), sn_free(least), sn_free(used);
    return good ? SN_OK : SN_OUT_OF_MEM(err);
}

/* By order of frequency, those with a stated mode apart. */
static void by_order(const sn_experiment *x, table *t)
{
    for (int i = 0; i < t->rows; i++) t->of[i] = x->modal->mode[i] - 1;
    for (int j = 0; j < t->cols; j++) {
        int taken = 0, next = -1;
        for (int i = 0; i < t->rows; i++) taken |= t->of[i] == j;
        for (int i = 0; i < t->rows; i++)
            if (t->of[i] < 0 && (next < 0 || measured(x, i) < measured(x, next))) next = i;
        if (!taken && next >= 0) t->of[next] = j;
    }
}

static void weigh(const sn_experiment *x, const sn_oscillation *list, table *t)
{
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < t->cols; j++) {
            int at = i * t->cols + j, stated = x->modal->mode[i];
            t->off[at] = fabs(log(cabs(list[j].s) / turn / measured(x, i)));
            t->mac[at] = x->modal->shapes ? sn_modal_mac(x, i, list[j].y) : NAN;
            t->cost[at] = 0.05 * fmin(t->off[at], 100) + (isnan(t->mac[at]) ? 0 : 1 - t->mac[at]);
            if (stated && stated != j + 1) t->cost[at] = FORBIDDEN;
        }
}

/* The mode besides the one that was taken that would do best: by its shape, or a free one nearer in
 * frequency. */
static void rivals(const sn_experiment *x, const table *t, sn_mode_pair *pair)
{
    for (int i = 0; i < t->rows; i++) {
        const double *mac = t->mac + i * t->cols, *off = t->off + i * t->cols;
        int own = t->of[i], best = -1;
        pair[i] = (sn_mode_pair){.mode = own + 1, .mac = mac[own], .rival_mac = NAN};
        for (int j = 0; j < t->cols && !x->modal->mode[i]; j++) {
            int taken = 0;
            for (int k = 0; k < t->rows; k++) taken |= t->of[k] == j;
            if (j == own || (isnan(mac[own]) && (taken || !(off[j] < off[own])))) continue;
            if (best < 0 || (isnan(mac[own]) ? off[j] < off[best] : mac[j] > mac[best])) best = j;
        }
        if (best >= 0)
            pair[i].rival = best + 1, pair[i].rival_mac = mac[best], pair[i].rival_near = off[best] < 0.2;
    }
}

sn_status sn_modal_pair(const sn_experiment *x, const sn_oscillation *list, int n, sn_mode_pair *pair,
                        sn_err *err)
{
    table t = {.rows = x->n, .cols = n};
    size_t size = (size_t)x->n * (size_t)n + 1;
    int most = x->n;
    for (int i = 0; i < x->n; i++) most = x->modal->mode[i] > most ? x->modal->mode[i] : most;
    if (n < most)
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "experiment '%s': %d modes are asked for, the model has %d",
                       x->name, most, n);
    sn_status status =
        SN_NEW(t.cost, size) && SN_NEW(t.mac, size) && SN_NEW(t.off, size) && SN_NEW(t.of, x->n + 1)
            ? SN_OK
            : SN_OUT_OF_MEM(err);
    if (!status) weigh(x, list, &t);
    if (!status && x->modal->shapes)
        status = assign(&t, err);
    else if (!status)
        by_order(x, &t);
    if (!status) rivals(x, &t, pair);
    sn_free(t.cost), sn_free(t.mac), sn_free(t.off), sn_free(t.of);
    return status;
}
