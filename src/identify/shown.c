/* The stage of measurement: see shown.h. */
#include "identify/shown.h"
#include "identify/fit.h"
#include "math/rot3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int has(const sn_expr *e, int unknown)
{
    for (int i = 0; e && i < sn_expr_nvar(e); i++)
        if (sn_expr_var(e, i) == unknown) return 1;
    return 0;
}

int sn_shown_corrects(const sn_experiment *x)
{
    for (int c = 0; c < x->n_channel; c++) {
        const sn_instrument *i = &x->instrument[c];
        const sn_number *const all[] = {&i->gain, &i->offset, &i->delay, &i->drift};
        for (size_t n = 0; n < sizeof all / sizeof *all; n++)
            if (all[n]->unknown >= 0 || all[n]->tie || all[n]->value != (n == 0)) return 1;
        if (i->axes) return 1;
    }
    return 0;
}

int sn_shown_uses(const sn_study *s, const sn_experiment *x, int unknown)
{
    for (int k = 0; k < s->n_tie; k++)
        if (has(s->tie[k].e, unknown)) return 1;
    for (int c = 0; c < x->n_channel; c++) {
        const sn_instrument *i = &x->instrument[c];
        const sn_number *const all[] = {&i->gain,     &i->offset,   &i->delay,   &i->drift,
                                        &i->angle[0], &i->angle[1], &i->angle[2]};
        for (size_t n = 0; n < sizeof all / sizeof *all; n++)
            if (all[n]->unknown == unknown || has(all[n]->tie, unknown)) return 1;
    }
    return x->offset_unknown == unknown;
}

/* ---- numbers at z ---- */

typedef struct builder {
    const sn_study *s;
    sn_shown *w;
    const int *unknown;
    const double *z;
} builder;

/* x += f * (unknown k), with its derivative by z. */
static void depend(const builder *b, int k, double f, sn_shown_number *out)
{
    const sn_unknown *u = &b->s->unknown[k];
    for (int a = 0; a < b->w->n; a++)
        if (b->unknown[a] == k)
            out->of[out->n] = a, out->by[out->n++] = f * (u->log ? sn_fit_value(b->s, k, b->z[k]) : u->scale);
}

static sn_status room(const builder *b, int n, sn_shown_number *out, sn_err *err)
{
    *out = (sn_shown_number){.of = sn_arena_alloc(&b->w->arena, (size_t)n + 1, sizeof(int)),
                             .by = sn_arena_alloc(&b->w->arena, (size_t)n + 1, sizeof(double))};
    return out->of && out->by ? SN_OK : SN_OUT_OF_MEM(err);
}

static sn_status evaluate(const builder *b, const sn_number *from, sn_shown_number *out, sn_err *err)
{
    double v[SN_MAX_VARIABLES], g[SN_MAX_VARIABLES];
    int n = from->tie ? sn_expr_nvar(from->tie) : from->unknown >= 0;
    SN_TRY(room(b, n, out, err));
    if (!from->tie) {
        out->x = n ? sn_fit_value(b->s, from->unknown, b->z[from->unknown]) : from->value;
        if (n) depend(b, from->unknown, 1, out);
        return SN_OK;
    }
    for (int i = 0; i < n; i++) {
        int k = sn_expr_var(from->tie, i);
        v[i] = sn_fit_value(b->s, k, b->z[k]);
    }
    out->x = sn_expr_gradient(from->tie, v, g);
    for (int i = 0; i < n; i++) depend(b, sn_expr_var(from->tie, i), g[i], out);
    return SN_OK;
}

/* The clock's offset, where it is sought, less the delay. */
static sn_status find_shift(const builder *b, const sn_number *delay, sn_shown_number *out, sn_err *err)
{
    sn_shown_number d;
    int clock = b->w->x->offset_unknown;
    SN_TRY(evaluate(b, delay, &d, err));
    SN_TRY(room(b, d.n + 1, out, err));
    out->x = -d.x, out->n = d.n;
    for (int i = 0; i < d.n; i++) out->of[i] = d.of[i], out->by[i] = -d.by[i];
    if (clock >= 0) out->x += sn_fit_value(b->s, clock, b->z[clock]), depend(b, clock, 1, out);
    return SN_OK;
}

/* The row of R' that the channel is. With dR = R skew(T d): d(R' y) = (R' y) x (T d). */
static void turn(const sn_instrument *of, sn_shown_channel *c)
{
    double v[3], p[4], R[9], T[9];
    for (int k = 0; k < 3; k++) v[k] = c->angle[k].x;
    sn_quat_exp(v, p);
    sn_quat_matrix(p, R);
    sn_rot3_T(v, T);
    for (int j = 0; j < of->axes; j++) {
        const double *column = R + 3 * j; /* R' e_j, a row of R */
        c->row[j] = column[of->axis];
        for (int k = 0; k < 3; k++) {
            double by[3] = {T[k], T[3 + k], T[6 + k]}, d[3];
            sn_cross3(column, by, d);
            c->drow[k][j] = d[of->axis];
        }
    }
}

static int same(const sn_number *a, const sn_number *b)
{
    return a->unknown == b->unknown && a->tie == b->tie && a->value == b->value;
}

static sn_status build(const builder *b, sn_err *err)
{
    sn_shown *w = b->w;
    const sn_experiment *x = w->x;
    size_t n = (size_t)x->n_channel + 1;
    w->channel = sn_arena_alloc(&w->arena, n, sizeof *w->channel);
    w->shift = sn_arena_alloc(&w->arena, n, sizeof *w->shift);
    w->delta = sn_arena_alloc(&w->arena, n, sizeof *w->delta);
    if (!w->channel || !w->shift || !w->delta) return SN_OUT_OF_MEM(err);
    w->exact = 1;
    for (int c = 0; c < x->n_channel; c++) {
        const sn_instrument *of = &x->instrument[c];
        sn_shown_channel *to = &w->channel[c];
        SN_TRY(evaluate(b, &of->gain, &to->gain, err));
        SN_TRY(evaluate(b, &of->offset, &to->offset, err));
        SN_TRY(evaluate(b, &of->drift, &to->drift, err));
        for (int k = 0; k < 3; k++) SN_TRY(evaluate(b, &of->angle[k], &to->angle[k], err));
        SN_TRY(find_shift(b, &of->delay, &to->shift, err));
        if (of->axes) turn(of, to);
        w->exact &= !of->axes && to->gain.x != 0;
        to->stream = w->n_stream;
        for (int k = c - 1; k >= 0; k--)
            if (same(&x->instrument[k].delay, &of->delay)) to->stream = w->channel[k].stream;
        if (to->stream < w->n_stream) continue;
        w->shift[w->n_stream] = to->shift.x;
        w->delta[w->n_stream++] = to->shift.n ? 1e-3 * w->step : 0;
    }
    return SN_OK;
}

sn_status sn_shown_new(const sn_study *s, const sn_experiment *x, int n, const int *unknown, const double *z,
                       sn_shown **out, sn_err *err)
{
    sn_shown *w;
    *out = NULL;
    if (!SN_NEW(w, 1)) return SN_OUT_OF_MEM(err);
    w->x = x, w->m = s->model, w->n = n, w->whole = -1, w->step = s->run.step;
    sn_status status = build(&(builder){s, w, unknown, z}, err);
    if (status)
        sn_shown_free(w);
    else
        *out = w;
    return status;
}

sn_status sn_shown_renew(sn_shown *w, const sn_study *s, const int *unknown, const double *z, sn_err *err)
{
    sn_arena_empty(&w->arena);
    w->n_stream = w->n_moment = 0;
    return build(&(builder){s, w, unknown, z}, err);
}

void sn_shown_free(sn_shown *w)
{
    if (!w) return;
    sn_arena_free(&w->arena);
    sn_free(w);
}

/* ---- moments ---- */

static int earlier(const void *a, const void *b)
{
    const sn_shown_moment *x = a, *y = b;
    if (x->t != y->t) return x->t < y->t ? -1 : 1;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return x->side - y->side;
}

/* How many rows are under way at most, from the first that is not whole to the last that has begun. */
static int most_open(const sn_shown *w, int *left)
{
    int most = 1, low = 0, high = 0;
    for (int i = 0; i < w->n_moment; i++) {
        if (w->moment[i].row > high) high = w->moment[i].row;
        while (low < high && !left[low]) low++;
        if (high - low + 1 > most) most = high - low + 1;
        left[w->moment[i].row]--;
    }
    return most;
}

/* Behind the last moment; where that moves with an unknown, a whole number of steps, so that no step becomes
   another one by it. */
static double last_step(const sn_shown *w)
{
    double begin = w->x->begin, end = w->n_moment ? w->moment[w->n_moment - 1].t : begin;
    int moves = 0;
    for (int k = 0; k < w->n_stream; k++) moves |= w->delta[k] > 0;
    return moves ? begin + ceil((end - begin) / w->step * (1 - 1e-12)) * w->step : end;
}

static void forget_row(sn_shown *w, int row)
{
    size_t channels = (size_t)w->x->n_channel, at = (size_t)(row % w->ring) * channels;
    for (size_t c = 0; c < channels; c++) w->y[at + c] = NAN;
    memset(w->d + at * (size_t)w->n, 0, sizeof *w->d * channels * (size_t)w->n);
}

sn_status sn_shown_moments(sn_shown *w, double horizon, sn_err *err)
{
    const sn_experiment *x = w->x;
    size_t most = 3 * (size_t)x->n * (size_t)w->n_stream + 1;
    w->moment = sn_arena_alloc(&w->arena, most, sizeof *w->moment);
    w->t = sn_arena_alloc(&w->arena, most, sizeof *w->t);
    w->left = sn_arena_alloc(&w->arena, (size_t)x->n + 1, sizeof *w->left);
    if (!w->moment || !w->t || !w->left) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < x->n && x->t[i] <= x->begin + horizon; i++)
        for (int k = 0; k < w->n_stream; k++) {
            double t = x->t[i] + w->shift[k], delta = w->delta[k];
            if (t - delta < x->begin) continue;
            for (int side = delta > 0 ? -1 : 0; side <= (delta > 0); side++)
                w->moment[w->n_moment++] = (sn_shown_moment){t + side * delta, i, k, side};
        }
    qsort(w->moment, (size_t)w->n_moment, sizeof *w->moment, earlier);
    w->end = last_step(w);
    for (int i = 0; i < w->n_moment; i++) w->t[i] = w->moment[i].t, w->left[w->moment[i].row]++;
    w->ring = most_open(w, w->left);
    for (int i = 0; i < w->n_moment; i++) w->left[w->moment[i].row]++;
    size_t rows = (size_t)w->ring * (size_t)x->n_channel + 1;
    w->y = sn_arena_alloc(&w->arena, rows, sizeof *w->y);
    w->before = sn_arena_alloc(&w->arena, rows, sizeof *w->before);
    w->d = sn_arena_alloc(&w->arena, rows * (size_t)(w->n + 1), sizeof *w->d);
    if (!w->y || !w->before || !w->d) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < w->ring; i++) forget_row(w, i);
    return SN_OK;
}

/* ---- samples ---- */

static void move(const sn_shown_number *of, double f, double *d)
{
    for (int i = 0; i < of->n; i++) d[of->of[i]] += f * of->by[i];
}

/* What the instrument sees: the channel, or the vector's component along its own axis. */
static double seen(const sn_shown *w, int c, const double *y, const double *weight)
{
    const sn_instrument *of = &w->x->instrument[c];
    double sum = 0;
    if (!of->axes) return y[w->x->channel[c]];
    for (int j = 0; j < of->axes; j++) sum += weight[j] * y[of->source[j]];
    return sum;
}

static double since(const sn_shown *w, int row) { return w->x->t[row] - w->x->origin; }

/* Derivatives of the sample by the model's numbers. */
static void by_model(const sn_shown *w, int c, const sn_shown_model *model, double *d)
{
    const sn_instrument *of = &w->x->instrument[c];
    const sn_shown_channel *ch = &w->channel[c];
    int nx = model->nx;
    for (int j = 0; j < (of->axes ? of->axes : 1); j++) {
        const double *by = model->dy + (size_t)(of->axes ? of->source[j] : w->x->channel[c]) * (size_t)nx;
        double f = ch->gain.x * (of->axes ? ch->row[j] : 1);
        for (int a = 0; a < w->n; a++) {
            double sum = 0;
            for (int k = 0; k < nx; k++) sum += by[k] * model->dx[k * w->n + a];
            d[a] += f * sum;
        }
    }
}

/* What a channel shows where the model has y, `since` s after the origin; d (n) += by its instrument. */
static double show(const sn_shown *w, int c, double since, const double *y, double *d)
{
    const sn_shown_channel *ch = &w->channel[c];
    double now = seen(w, c, y, ch->row);
    move(&ch->gain, now, d), move(&ch->offset, 1, d), move(&ch->drift, since, d);
    for (int k = 0; w->x->instrument[c].axes && k < 3; k++)
        if (ch->angle[k].n) move(&ch->angle[k], ch->gain.x * seen(w, c, y, ch->drow[k]), d);
    return ch->gain.x * now + ch->offset.x + ch->drift.x * since;
}

int sn_shown_take(sn_shown *w, int i, const sn_shown_model *model, const double **shown, const double **by)
{
    const sn_shown_moment *m = &w->moment[i];
    size_t channels = (size_t)w->x->n_channel, at = (size_t)(m->row % w->ring) * channels;
    double middle = w->x->t[m->row] + w->shift[m->stream], delta = w->delta[m->stream],
           span = (middle + delta) - (middle - delta);
    if (w->whole >= 0) forget_row(w, w->whole);
    w->whole = -1;
    for (int c = 0; c < w->x->n_channel; c++) {
        const sn_shown_channel *ch = &w->channel[c];
        double *d = w->d + (at + (size_t)c) * (size_t)w->n;
        if (ch->stream != m->stream) continue;
        double now = seen(w, c, model->y, ch->row);
        if (m->side < 0) w->before[at + (size_t)c] = now;
        if (m->side > 0) move(&ch->shift, ch->gain.x * (now - w->before[at + (size_t)c]) / span, d);
        if (m->side) continue;
        w->broken |= !isfinite(now);
        w->y[at + (size_t)c] = show(w, c, since(w, m->row), model->y, d);
        if (model->dy) by_model(w, c, model, d);
    }
    if (--w->left[m->row]) return -1;
    w->whole = m->row;
    *shown = w->y + at, *by = w->d + at * (size_t)w->n;
    return m->row;
}

void sn_shown_now(const sn_shown *w, double t, const double *y, double *shown, double *by)
{
    memset(by, 0, sizeof *by * (size_t)w->x->n_channel * (size_t)w->n);
    for (int c = 0; c < w->x->n_channel; c++)
        shown[c] = show(w, c, t - w->x->origin, y, by + (size_t)c * (size_t)w->n);
}

void sn_shown_columns(const sn_shown *w, int c, const double *dy, size_t stride, int n, double *out)
{
    const sn_instrument *of = &w->x->instrument[c];
    const sn_shown_channel *ch = &w->channel[c];
    for (int i = 0; i < n; i++) out[i] = 0;
    for (int j = 0; j < (of->axes ? of->axes : 1); j++) {
        const double *by = dy + (size_t)(of->axes ? of->source[j] : w->x->channel[c]) * stride;
        double f = ch->gain.x * (of->axes ? ch->row[j] : 1);
        for (int i = 0; i < n; i++) out[i] += f * by[i];
    }
}

double sn_shown_back(const sn_shown *w, int row, int c, double v)
{
    const sn_shown_channel *ch = &w->channel[c];
    return (v - ch->offset.x - ch->drift.x * since(w, row)) / ch->gain.x;
}
