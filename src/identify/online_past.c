/* What was estimated at earlier samples, and is moved by those that follow: see online.h. */
#include "identify/online.h"

#include <math.h>
#include <string.h>

enum { MOST = 1000000 }; /* samples */

sn_status sn_online_past_new(sn_filter *f, sn_err *err)
{
    const sn_study *s = f->s;
    sn_online_past *p = &f->past;
    sn_kalman_rows *rows = &f->k->own[SN_KALMAN_PAST];
    double lag = s->kalman.lag, n = ceil(lag / s->run.step - 1e-9) + 2;
    if (!(lag > 0)) return SN_OK;
    if (n > MOST)
        return sn_fail(err, SN_ERR_INPUT, NULL, "a lag of %g s is more than %d steps of %g s", lag, MOST,
                       s->run.step);
    p->room = (int)n, p->rows = s->n_history + s->kalman.n_show;
    p->apart = lag / (p->room - 2) * (1 - 1e-6);
    rows->n = p->room * p->rows;
    size_t all = (size_t)rows->n + 1;
    if (!SN_NEW(p->t, p->room + 1) || !SN_NEW(p->about, all) || !SN_NEW(rows->rest, all) ||
        !SN_NEW(rows->row, all * (size_t)(f->k->room + f->k->fixed)))
        return SN_OUT_OF_MEM(err);
    return SN_OK;
}

static int place(const sn_online_past *p, int i) { return (p->first + i) % p->room; }

static double *row_at(const sn_filter *f, int at, int i)
{
    size_t row = (size_t)at * (size_t)f->past.rows + (size_t)i;
    return f->k->own[SN_KALMAN_PAST].row + row * (size_t)(f->k->room + f->k->fixed);
}

double sn_online_history(const sn_filter *f, int i)
{
    const sn_history_part *p = f->k->track[i].part;
    const double *x = f->k->part->values->x + f->s->history[p->history].id;
    double b[SN_KALMAN_ACTIVE], sum = 0;
    int first, n = sn_history_basis(f->s, p, f->sim->d.x->t, &first, b);
    for (int a = 0; a < n; a++) sum += b[a] * x[first + a];
    return sum;
}

void sn_online_past_add(sn_filter *f, double t)
{
    sn_online_past *p = &f->past;
    const sn_kalman *k = f->k;
    const sn_forward *w = &k->forward;
    size_t bytes = sizeof(double) * (size_t)(k->room + k->fixed);
    if (!p->room || (p->n && t - p->t[place(p, p->n - 1)] < p->apart)) return;
    if (p->n == p->room) p->first = place(p, 1), p->n--;
    int at = place(p, p->n++);
    double *about = p->about + (size_t)at * (size_t)p->rows;
    p->t[at] = t;
    memset(k->own[SN_KALMAN_PAST].rest + (size_t)at * (size_t)p->rows, 0, sizeof(double) * (size_t)p->rows);
    for (int i = 0; i < k->n_track; i++) {
        memcpy(row_at(f, at, i), k->track[i].along, bytes);
        about[i] = sn_online_history(f, i);
    }
    for (int i = 0; i < f->s->kalman.n_show; i++) {
        int c = f->s->kalman.show[i];
        memcpy(row_at(f, at, k->n_track + i), w->dy + (size_t)c * (size_t)k->np, bytes);
        about[k->n_track + i] = w->y[c];
    }
}

void sn_online_row(const sn_filter *f, const double *row, double about, double rest, double *value,
                   double *error)
{
    const sn_kalman *k = f->k;
    double sum = rest;
    for (int c = 0; c < k->r; c++) sum += row[c] * row[c];
    *value = f->known ? about + row[k->room] : NAN, *error = f->known ? sqrt(sum) : NAN;
}

void sn_online_past_get(const sn_filter *f, int i, double *value, double *error)
{
    const sn_online_past *p = &f->past;
    int at = place(p, i);
    for (int j = 0; j < p->rows; j++) {
        size_t row = (size_t)at * (size_t)p->rows + (size_t)j;
        sn_online_row(f, row_at(f, at, j), p->about[row], f->k->own[SN_KALMAN_PAST].rest[row], &value[j],
                      &error[j]);
    }
}

int sn_online_past_find(const sn_filter *f, double t)
{
    const sn_online_past *p = &f->past;
    int i = 0;
    while (i < p->n && p->t[place(p, i)] <= t) i++;
    return i - 1;
}
