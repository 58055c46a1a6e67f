/* A sample: its numbers one after the other (kalman.h), at the state where the run is.

   Where sensors are so far from linear that what they show at the new mean differs from what was expected of
   it by more than a tenth of the noise, the sample is taken again, linearised there: the iterated filter
   (Bell and Cathey 1993, Gauss and Newton's method for the mean of the posterior). For that all rows are kept
   as they were before it; their mean is told from the new place. */
#include "identify/online.h"

#include <math.h>
#include <string.h>

enum { AGAIN = 2 };               /* times a sample is taken again, at most */
static const double enough = 0.1; /* of the noise */

/* ---- rows as they were ---- */

static size_t state_size(const sn_kalman *k, int rows) { return (size_t)(rows + 1) * (size_t)k->np; }

/* The matrices of a state; how many. */
static int matrices(const sn_model *m, const sn_dstate *d, double **x, int *rows)
{
    int n = 0;
    x[n] = d->q, rows[n++] = m->nv, x[n] = d->v, rows[n++] = m->nv, x[n] = d->a, rows[n++] = m->nv;
    x[n] = d->lam, rows[n++] = m->m;
    for (int i = 0; i < d->n_own && n < 8; i++) x[n] = d->own[i], rows[n++] = m->nv;
    return n;
}

/* All other rows: lists of rows, and how many numbers they have. */
typedef struct rows {
    double *x;
    size_t n;
} rows;

static int others(const sn_filter *f, int i, rows *out)
{
    const sn_kalman *k = f->k;
    size_t width = (size_t)(k->room + k->fixed);
    if (i < k->n_track) {
        *out = (rows){k->track[i].row, (size_t)k->track[i].window * width};
        return 1;
    }
    if ((i -= k->n_track) >= SN_KALMAN_ROWS) return 0;
    *out = (rows){k->own[i].row, (size_t)k->own[i].n * width};
    return 1;
}

static sn_status save(sn_filter *f, sn_err *err)
{
    sn_kalman *k = f->k;
    double *from[8], *to[8], *at;
    int r[8], n = matrices(f->s->model, k->forward.keep, from, r);
    size_t need = 0;
    rows q;
    matrices(f->s->model, k->forward.now, to, r);
    for (int i = 0; i < n; i++) memcpy(to[i], from[i], sizeof(double) * state_size(k, r[i]));
    for (int i = 0; others(f, i, &q); i++) need += q.n;
    if (need > f->n_saved) {
        sn_free(f->saved), f->n_saved = 0;
        if (!SN_NEW(f->saved, need)) return SN_OUT_OF_MEM(err);
        f->n_saved = need;
    }
    at = f->saved;
    for (int i = 0; others(f, i, &q); at += q.n, i++)
        if (q.n) memcpy(at, q.x, sizeof *at * q.n);
    return SN_OK;
}

/* What is saved is told from where the run will be: less the mean by which it moves. */
static void tell_from_mean(sn_filter *f)
{
    sn_kalman *k = f->k;
    double *now[8], *old[8], *at = f->saved;
    int r[8], n = matrices(f->s->model, k->forward.keep, now, r);
    size_t width = (size_t)(k->room + k->fixed), room = (size_t)k->room;
    rows q;
    matrices(f->s->model, k->forward.now, old, r);
    for (int i = 0; i < n; i++)
        for (size_t j = room; j < state_size(k, r[i]); j += (size_t)k->np) old[i][j] -= now[i][j];
    for (int i = 0; others(f, i, &q); at += q.n, i++)
        for (size_t j = room; i != k->n_track + SN_KALMAN_PAST && j < q.n; j += width) at[j] -= q.x[j];
}

static void restore(sn_filter *f)
{
    sn_forward *w = &f->k->forward;
    sn_dstate *d = w->keep;
    double *at = f->saved;
    rows q;
    w->keep = w->now, w->now = d;
    for (int i = 0; others(f, i, &q); at += q.n, i++)
        if (q.n) memcpy(q.x, at, sizeof *at * q.n);
}

/* ---- numbers ---- */

sn_status sn_online_sensors(sn_filter *f, int derivatives, sn_err *err)
{
    sn_forward *w = &f->k->forward;
    const sn_state *x = f->sim->d.x;
    sn_system_time(f->sim->d.w, x->t);
    SN_TRY(sn_system_sensors(f->sim->d.w, x, w->y, err));
    if (!derivatives) return SN_OK;
    sn_parameter_chain_time(w->chain, f->sim->d.w, x->t);
    SN_TRY(sn_system_dsensors(f->sim->d.w, x, w->chain, w->keep, f->k->wanted, w->dy, err));
    sn_kalman_combine_sensors(f->k, x->t, w->dy);
    return SN_OK;
}

/* Rows of what the instruments show, in units of the noise. */
static void observe(sn_filter *f)
{
    sn_kalman *k = f->k;
    const sn_experiment *x = &f->s->experiment[0];
    const sn_part *p = k->part;
    size_t width = (size_t)(k->room + k->fixed);
    sn_shown_now(k->shown, f->last, k->forward.y, f->shown, f->by);
    for (int c = 0; c < x->n_channel; c++) {
        double *by = k->by + (size_t)c * width;
        k->scale[c] = sqrt(x->weight) / x->sigma[c];
        sn_shown_columns(k->shown, c, k->forward.dy, (size_t)k->np, k->room + k->fixed, by);
        for (int a = 0; a < p->n; a++) {
            const double g = f->by[(size_t)c * (size_t)p->n + (size_t)a],
                         *row = k->own[SN_KALMAN_UNKNOWNS].row + (size_t)a * width;
            for (size_t i = 0; g != 0 && i < width; i++) by[i] += g * row[i];
        }
        for (size_t i = 0; i < width; i++) by[i] *= k->scale[c];
    }
}

/* One number, of channel c; rows of all channels are moved along. */
static void measure(sn_filter *f, int c, double residual)
{
    sn_kalman *k = f->k;
    size_t width = (size_t)(k->room + k->fixed), fixed = (size_t)k->fixed;
    double *phi = k->phi, *v = k->number, F = 1;
    memcpy(phi, k->by + (size_t)c * width, sizeof *phi * width);
    for (size_t i = 0; i < fixed; i++) v[i] = -phi[(size_t)k->room + i];
    v[0] += residual;
    for (int i = 0; i < k->r; i++) F += phi[i] * phi[i];
    for (size_t i = 0; !f->known && i < fixed; i++)
        for (size_t j = 0; j < fixed; j++) k->G[i * fixed + j] += v[i] * v[j] / F;
    f->squares += v[0] * v[0] / F, f->count++;
    sn_kalman_update(k, phi, v, F, 0);
    sn_kalman_update_rows(k, phi, v, F, f->s->experiment[0].n_channel, k->by);
}

static sn_status take_once(sn_filter *f, sn_err *err)
{
    const sn_experiment *x = &f->s->experiment[0];
    SN_TRY(sn_online_sensors(f, 1, err));
    observe(f);
    f->squares = f->count = 0;
    for (int c = 0; c < x->n_channel; c++) {
        if (isnan(f->y[c])) continue;
        if (!isfinite(f->shown[c]))
            return sn_fail(err, SN_ERR_NUMERIC, NULL, "at t = %.6g s sensor '%s' shows no number", f->last,
                           sn_column_get(f->s, x, c).name);
        measure(f, c, (f->y[c] - f->shown[c]) * f->k->scale[c]);
    }
    return SN_OK;
}

/* How far what is shown at the mean, where the run is now, is from what was expected of it: in units of the
   noise. before: what was expected. */
static sn_status bent(sn_filter *f, const double *before, double *most, sn_err *err)
{
    const sn_experiment *x = &f->s->experiment[0];
    SN_TRY(sn_online_sensors(f, 0, err));
    sn_shown_now(f->k->shown, f->last, f->k->forward.y, f->shown, f->by);
    *most = 0;
    for (int c = 0; c < x->n_channel; c++)
        if (!isnan(f->y[c])) *most = fmax(*most, fabs(f->shown[c] - before[c]) * f->k->scale[c]);
    return SN_OK;
}

sn_status sn_online_sample(sn_filter *f, sn_err *err)
{
    sn_kalman *k = f->k;
    int channels = f->s->experiment[0].n_channel;
    size_t width = (size_t)(k->room + k->fixed);
    double squares = 0, count = 0, off;
    if (!f->known) {
        SN_TRY(take_once(f, err));
        SN_TRY(sn_online_collapse(f, err));
        f->count = 0;
        return f->known ? sn_online_move(f, err) : SN_OK;
    }
    for (int again = 0;; again++) {
        SN_TRY(save(f, err));
        SN_TRY(take_once(f, err));
        if (!again) squares = f->squares, count = f->count;
        /* D's first column of a row is by now how its mean has moved */
        for (int c = 0; c < channels; c++)
            f->expected[c] = f->shown[c] + k->by[(size_t)c * width + (size_t)k->room] / k->scale[c];
        tell_from_mean(f);
        SN_TRY(sn_online_move(f, err));
        f->squares = squares, f->count = count;
        if (again == AGAIN) return SN_OK;
        SN_TRY(bent(f, f->expected, &off, err));
        if (!(off > enough)) return SN_OK;
        restore(f);
    }
}
