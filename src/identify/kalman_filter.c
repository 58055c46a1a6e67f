/* The filter over one experiment: a follower of its run, see kalman.h. */
#include "identify/kalman.h"

#include <math.h>
#include <string.h>

enum { ROOM = 24, SPARE = 12 };

static const sn_experiment *of(const sn_kalman *k) { return &k->fit->s->experiment[k->experiment]; }

/* ---- coefficients ---- */

/* The history at the knot up to which its coefficients reach, as it is known by now. */
static void keep_filtered(sn_kalman *k, int i)
{
    sn_kalman_track *q = &k->track[i];
    const sn_history_part *p = q->part;
    double b[SN_KALMAN_ACTIVE];
    int first, knot = q->pushed - q->active + 1, intervals = p->n - q->active + 1;
    if (knot < 1 || k->online) return;
    double *out = k->filtered + k->offset[i], *error = k->filtered_error + k->offset[i];
    double t = p->begin + (p->end - p->begin) * knot / intervals;
    int n = sn_history_basis(k->fit->s, p, t, &first, b);
    if (first == knot) { /* the knot belongs to the interval behind it: weights move on by one */
        for (int a = n - 1; a > 0; a--) b[a] = b[a - 1];
        b[0] = 0, first--;
    }
    memset(k->number, 0, sizeof(double) * (size_t)k->fixed);
    double value = 0, variance = 0, nominal = 0;
    for (int c = 0; c < k->r; c++) {
        double sum = 0;
        for (int a = 0; a < n; a++) sum += b[a] * sn_kalman_coefficient(k, q, first + a)[c];
        variance += sum * sum;
    }
    for (int a = 0; a < n; a++) {
        nominal += b[a] * k->part->values->x[k->fit->s->history[p->history].id + first + a];
        for (int c = 0; c < k->fixed; c++)
            k->number[c] += b[a] * sn_kalman_coefficient(k, q, first + a)[k->room + c];
    }
    if (!sn_kalman_estimate(k, k->number, &value, &variance)) value = variance = NAN;
    out[knot] = nominal + value, error[knot] = sqrt(variance);
}

/* What was done, for the smoother: the rows of the coefficients that are felt from now on. */
static sn_status note_value(sn_kalman *k, int i, int before, double sd, sn_err *err)
{
    const sn_kalman_track *q = &k->track[i];
    size_t r = (size_t)k->r, size = r + (size_t)k->fixed;
    int j = q->pushed - 1, active = j + 1 < q->active ? j + 1 : q->active;
    sn_kalman_op op = {.kind = SN_KALMAN_VALUE, .r = before, .a = i, .b = j, .scale = sd};
    double *x = sn_kalman_note(&k->record, &op, size * (size_t)active);
    for (int a = 0; x && a < active; a++) {
        const double *from = sn_kalman_coefficient(k, q, j - active + 1 + a);
        memcpy(x + (size_t)a * size, from, sizeof *x * r);
        memcpy(x + (size_t)a * size + r, from + k->room, sizeof *x * (size_t)k->fixed);
    }
    return x ? SN_OK : SN_OUT_OF_MEM(err);
}

/* The next coefficient of a history: nothing is known of the first ones, the others follow from those before
   but for their own noise. The run has coefficients of its own, from which x is told; on-line that is the
   one that follows from those before. */
static sn_status push(sn_kalman *k, int i, sn_err *err)
{
    sn_kalman_track *q = &k->track[i];
    const sn_study *s = k->fit->s;
    const sn_history_part *p = q->part;
    const double *c = sn_history_stencil(s, p);
    double *now = k->part->values->x + s->history[p->history].id;
    size_t width = (size_t)(k->room + k->fixed);
    int j = q->pushed, free = j < q->order, before = k->r;
    double *row = sn_kalman_coefficient(k, q, j), sd = 0;
    keep_filtered(k, i);
    memset(row, 0, sizeof *row * width);
    if (free) {
        row[k->room + q->diffuse + j] = 1;
    } else {
        double w = k->online ? p->weight : p->weight * p->w[j - q->order];
        sd = w > 0 ? 1 / sqrt(w) : 0;
        int at = j - q->base, from = at - q->order;
        if (k->online) {
            now[at] = 0;
            for (int a = 0; a < q->order; a++) now[at] -= c[a] * now[from + a];
        }
        row[k->room] = -c[q->order] * now[at];
        for (int a = 0; a < q->order; a++) {
            const double *old = sn_kalman_coefficient(k, q, j - q->order + a);
            row[k->room] -= c[a] * now[from + a];
            for (size_t l = 0; l < width; l++) row[l] -= c[a] * old[l];
        }
        if (sd > 0) row[k->r++] = sd;
    }
    q->pushed++;
    if (k->r > k->largest) k->largest = k->r;
    return k->online ? SN_OK : note_value(k, i, before, sd, err);
}

sn_status sn_kalman_push_to(sn_kalman *k, double t, sn_err *err)
{
    double b[SN_KALMAN_ACTIVE];
    for (int i = 0; i < k->n_track; i++) {
        sn_kalman_track *q = &k->track[i];
        int first, n = sn_history_basis(k->fit->s, q->part, t, &first, b);
        while (q->pushed < q->base + first + n) SN_TRY(push(k, i, err));
    }
    return SN_OK;
}

/* ---- measured numbers ---- */

/* One number, whose row of k->by is c; the rows of the channels behind it are moved along. */
static sn_status measure(sn_kalman *k, int row, int c, double residual, int both)
{
    const sn_experiment *x = of(k);
    size_t width = (size_t)(k->room + k->fixed), r = (size_t)k->r, fixed = (size_t)k->fixed;
    double *phi = k->by + (size_t)c * width, *v = phi + k->room, F = 1;
    /* v = residual - psi'b: first what is left with beta = 0, then how that moves */
    for (size_t i = 0; i < fixed; i++) v[i] = -v[i];
    v[0] += residual;
    for (size_t i = 0; i < r; i++) F += phi[i] * phi[i];
    sn_kalman_op op = {.kind = SN_KALMAN_NUMBER, .r = k->r, .a = row, .b = c, .scale = F};
    double *to = sn_kalman_note(&k->record, &op, r + fixed);
    if (!to) return SN_ERR_MEMORY;
    memcpy(to, phi, sizeof *to * r), memcpy(to + r, v, sizeof *to * fixed);
    k->logs += log(F), k->rss += residual * residual, k->count++;
    for (size_t i = 0; i < fixed; i++)
        for (size_t j = 0; j < fixed; j++) k->G[i * fixed + j] += v[i] * v[j] / F;
    sn_kalman_update(k, to, to + r, F, both);
    sn_kalman_update_rows(k, to, to + r, F, x->n_channel - c - 1, phi + width);
    return SN_OK;
}

/* A sample: residuals in units of the noise and how they move with everything. */
static void take(void *ctx, int i, double t, double dt, const double *y, const double *dy)
{
    sn_kalman *k = ctx;
    const sn_experiment *x = of(k);
    sn_part *p = k->part;
    const double *shown, *instruments;
    size_t width = (size_t)(k->room + k->fixed);
    (void)dt;
    if (i < 0 || k->status) return;
    const sn_shown_model model = {.y = y};
    int row = sn_shown_take(k->shown, i, &model, &shown, &instruments);
    if (row < 0) return;
    sn_kalman_combine_sensors(k, t, k->forward.dy);
    const sn_forward *f = &k->forward;
    int both = k->started && f->at + 1 < f->n_times && f->times[f->at + 1] <= k->step_end;
    for (int c = 0; c < x->n_channel; c++) {
        size_t at = (size_t)row * (size_t)x->n_channel + (size_t)c;
        double one = x->sigma[c] * (x->relative ? x->relative[at] : 1), *by = k->by + (size_t)c * width;
        k->scale[c] = sqrt(x->weight) / one;
        sn_shown_columns(k->shown, c, dy, (size_t)k->np, k->room + k->fixed, by);
        for (int a = 0; a < p->n; a++)
            by[k->room + 1 + a] += instruments[(size_t)c * (size_t)p->n + (size_t)a];
        for (size_t a = 0; a < width; a++) by[a] *= k->scale[c];
        p->model[at] = shown[c], p->r[at] = (shown[c] - x->y[at]) * k->scale[c];
    }
    for (int c = 0; !k->status && c < x->n_channel; c++) {
        double r = p->r[(size_t)row * (size_t)x->n_channel + (size_t)c];
        if (!isnan(r)) k->status = measure(k, row, c, -r, both);
    }
}

/* ---- the follower ---- */

static sn_status begin(void *ctx, sn_forward *f, sn_err *err)
{
    sn_kalman *k = ctx;
    if (f->d->start_by_differences)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "the start of this model has no exact derivatives by a history: use method: indirect");
    SN_TRY(sn_kalman_push_to(k, f->d->x->t, err));
    SN_TRY(sn_dstart_run(f->start, f->keep, err));
    sn_kalman_combine(k, f->keep, f->d->x->t);
    return SN_OK;
}

static sn_status start(void *ctx, sn_context *d, const sn_integrator_class *cls, void *integrator,
                       sn_err *err)
{
    sn_kalman *k = ctx;
    if (d->info->kinematic)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "the model has no freedom: its motion does not follow from forces, and method: kalman "
                       "has nothing to filter");
    SN_TRY(k->inner.start(&k->forward, d, cls, integrator, err));
    k->started = !k->online;
    return k->status ? SN_OUT_OF_MEM(err) : SN_OK;
}

static sn_status step(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    sn_kalman *k = ctx;
    SN_TRY(sn_kalman_push_to(k, x1->t, err));
    SN_TRY(k->inner.step(&k->forward, x0, x1, err));
    sn_kalman_combine(k, k->forward.now, x1->t);
    return SN_OK;
}

static void back(void *ctx)
{
    sn_kalman *k = ctx;
    k->inner.back(&k->forward);
}

static sn_status keep(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    sn_kalman *k = ctx;
    k->step_end = x1->t + 1e-9 * (x1->t - x0->t);
    SN_TRY(k->inner.keep(&k->forward, x0, x1, err));
    if (k->status) return SN_OUT_OF_MEM(err);
    if (k->r + k->margin <= k->room) return SN_OK;
    SN_TRY(sn_kalman_compress(k, err));
    /* room for some coefficients more, so that the next compression is a while off */
    int need = k->r + k->margin + SPARE;
    return need <= k->room ? SN_OK : sn_kalman_grow(k, need + need / 8, err);
}

/* ---- one filter ---- */

static int signal_of(const sn_model *m, const char *name)
{
    int i = 0;
    while (i < m->signal.n && strcmp(m->signal.object[i].name, name) != 0) i++;
    return SN_VAR_SIGNAL + i;
}

static sn_status new_tracks(sn_kalman *k, sn_err *err)
{
    const sn_study *s = k->fit->s;
    int values = 0;
    if (!SN_NEW(k->track, s->n_history_part + 1) || !SN_NEW(k->offset, s->n_history_part + 1))
        return SN_OUT_OF_MEM(err);
    k->fixed = 1 + (k->online ? 0 : k->part->n);
    for (int i = 0; i < s->n_history_part; i++) {
        sn_history_part *p = &s->history_part[i];
        const sn_history *h = &s->history[p->history];
        if (p->experiment != k->experiment) continue;
        int active = h->form == SN_FORM_CUBIC ? 4 : 2, in_step;
        double knots = s->run.step / (p->end - p->begin) * (p->n - active + 1);
        in_step = (int)fmin(ceil(knots) + 1, p->n);
        k->offset[k->n_track] = values, values += k->online ? 0 : p->n;
        k->track[k->n_track++] = (sn_kalman_track){.part = p,
                                                   .signal = signal_of(s->model, h->signal),
                                                   .active = active,
                                                   .order = h->order,
                                                   .diffuse = k->fixed,
                                                   .window = active + 2 * in_step + 2};
        k->fixed += h->order, k->margin += in_step;
    }
    size_t fixed = (size_t)k->fixed;
    if (!SN_NEW(k->filtered, 2 * (size_t)values + 1) || !SN_NEW(k->G, fixed * fixed + 1) ||
        !SN_NEW(k->number, fixed + 1) || !SN_NEW(k->scale, of(k)->n_channel + 1) ||
        !SN_NEW(k->solve, 3 * fixed * (fixed + 3) + 1))
        return SN_OUT_OF_MEM(err);
    k->filtered_error = k->filtered + values;
    for (int i = 0; i < 2 * values; i++) k->filtered[i] = NAN;
    return sn_kalman_grow(k, ROOM + k->margin + (k->online ? k->part->n + k->fixed : 0), err);
}

static sn_status mark_wanted(sn_kalman *k, sn_err *err)
{
    const sn_model *m = k->fit->s->model;
    const sn_experiment *x = of(k);
    if (!SN_NEW(k->wanted, m->sensor.n + 1)) return SN_OUT_OF_MEM(err);
    for (int i = 0, at = 0; i < m->sensor.n; at += m->sensor.object[i++].ny)
        for (int c = 0; c < x->n_channel; c++) {
            const sn_instrument *q = &x->instrument[c];
            for (int j = 0; j < (q->axes ? q->axes : 1); j++) {
                int channel = q->axes ? q->source[j] : x->channel[c];
                if (channel >= at && channel < at + m->sensor.object[i].ny) k->wanted[i] = 1;
            }
        }
    const int *show = k->fit->s->kalman.show;
    for (int i = 0, at = 0; k->online && i < m->sensor.n; at += m->sensor.object[i++].ny)
        for (int j = 0; j < k->fit->s->kalman.n_show; j++)
            if (show[j] >= at && show[j] < at + m->sensor.object[i].ny) k->wanted[i] = 1;
    return SN_OK;
}

static sn_status open_with(sn_kalman *k, sn_kalman **out, sn_err *err)
{
    sn_status status = sn_shown_new(k->fit->s, of(k), k->part->n, k->part->unknown, k->z, &k->shown, err);
    if (!status && !k->online) status = sn_shown_moments(k->shown, INFINITY, err);
    if (!status) status = new_tracks(k, err);
    if (!status) status = mark_wanted(k, err);
    if (status)
        sn_kalman_close(k);
    else
        *out = k;
    return status;
}

sn_status sn_kalman_open(sn_fit *f, int experiment, const double *z, sn_kalman **out, sn_err *err)
{
    sn_kalman *k;
    *out = NULL;
    if (!SN_NEW(k, 1)) return SN_OUT_OF_MEM(err);
    k->fit = f, k->experiment = experiment, k->z = z, k->part = &f->part[experiment];
    return open_with(k, out, err);
}

sn_status sn_kalman_open_online(sn_fit *f, const double *z, sn_kalman **out, sn_err *err)
{
    sn_kalman *k;
    *out = NULL;
    if (!SN_NEW(k, 1)) return SN_OUT_OF_MEM(err);
    k->fit = f, k->z = z, k->part = &f->part[0], k->online = 1;
    k->own[SN_KALMAN_UNKNOWNS].n = k->part->n;
    return open_with(k, out, err);
}

sn_follow sn_kalman_follow(sn_kalman *k)
{
    sn_forward *f = &k->forward;
    f->wanted = k->wanted, f->begin = begin, f->ctx = k;
    if (!k->online) f->times = k->shown->t, f->n_times = k->shown->n_moment, f->take = take;
    k->inner = sn_forward_follow(f);
    return (sn_follow){.start = start, .step = step, .back = back, .keep = keep, .ctx = k};
}

void sn_kalman_close(sn_kalman *k)
{
    if (!k) return;
    for (int i = 0; k->track && i < k->n_track; i++) sn_free(k->track[i].row), sn_free(k->track[i].along);
    sn_free(k->track), sn_free(k->offset), sn_free(k->id), sn_free(k->by), sn_free(k->phi),
        sn_free(k->number), sn_free(k->G);
    for (int i = 0; i < SN_KALMAN_ROWS; i++) sn_free(k->own[i].row), sn_free(k->own[i].rest);
    sn_free(k->filtered), sn_free(k->work), sn_free(k->scale), sn_free(k->wanted), sn_free(k->solve);
    sn_shown_free(k->shown);
    sn_forward_free(&k->forward);
    sn_kalman_record_free(&k->record);
    sn_free(k);
}

sn_status sn_kalman_filter(sn_kalman *k, sn_err *err)
{
    const sn_study *s = k->fit->s;
    const sn_experiment *x = of(k);
    sn_part *p = k->part;
    sn_run_options o = s->run;
    for (size_t i = 0; i < (size_t)x->n * (size_t)x->n_channel; i++) p->r[i] = p->model[i] = NAN;
    if (!k->shown->n_moment || !(k->shown->end > x->begin)) return SN_OK;
    k->poll = sn_fit_poll(k->fit);
    o.begin = x->begin, o.end = k->shown->end, o.exact = SN_EXACT;
    o.frame = NULL, o.n_point = 0, o.n_wrt = 0, o.message = NULL;
    o.progress = sn_fit_stop, o.ctx = &k->poll;
    if (o.drop_redundant == SN_REDUNDANT_SHARE) o.drop_redundant = SN_REDUNDANT_DROP;
    const sn_follow follow = sn_kalman_follow(k);
    sn_status status = sn_fit_run(k->fit, 0, p->values, &o, &follow, &p->info, err);
    k->fit->simulations++;
    if (!status && k->shown->broken) return sn_fail(err, SN_ERR_NUMERIC, NULL, "a sensor shows no number");
    for (int i = 0; !status && i < k->n_track; i++) keep_filtered(k, i); /* the last knot */
    return status;
}
