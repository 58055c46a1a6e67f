/* The discrete adjoint: a follower stores the run, and at its end goes back through it, once for each
   objective.

   Backwards each step asks for its own matrix, made again from the stored states. Where the states would need
   more memory than allowed only those after each SN_SEGMENT steps, later each second of them, and so on, are
   kept, and what lies between is made again when it is needed: the integrator has started afresh there, so
   that the states are the same to the last bit, and so is the gradient. */
#include "sensitivity/adjoint.h"

#include <math.h>
#include <string.h>

/* ---- the store ---- */

/* AGAIN: a step from here failed first; STORED: when the run ended */
enum { KEPT = 1, RESTART = 2, STORED = 4, AGAIN = 8 };

static sn_status grow(sn_adjoint *s, sn_err *err)
{
    if (s->n < s->cap) return SN_OK;
    long more = s->cap ? 2 * s->cap : 256;
    double **x = sn_alloc((size_t)more, sizeof *x), *t = sn_alloc((size_t)more, sizeof *t),
           *h = sn_alloc((size_t)more, sizeof *h);
    unsigned char *flags = sn_alloc((size_t)more, 1);
    if (!x || !t || !h || !flags) {
        sn_free(x), sn_free(t), sn_free(h), sn_free(flags);
        return SN_OUT_OF_MEM(err);
    }
    if (s->n) {
        memcpy(x, s->x, sizeof *x * (size_t)s->n), memcpy(t, s->t, sizeof *t * (size_t)s->n);
        memcpy(h, s->h, sizeof *h * (size_t)s->n), memcpy(flags, s->flags, (size_t)s->n);
    }
    sn_free(s->x), sn_free(s->t), sn_free(s->h), sn_free(s->flags);
    s->x = x, s->t = t, s->h = h, s->flags = flags, s->cap = more;
    return SN_OK;
}

static void drop(sn_adjoint *s, long j)
{
    if (!s->x[j]) return;
    sn_free(s->x[j]);
    s->x[j] = NULL;
    s->stored--;
}

/* From state `from` (the point-th where the integrator started afresh) to `to`: only each stride-th of these.
 */
static void thin(sn_adjoint *s, long from, long to, long point)
{
    for (long j = from; j < to; j++) {
        int fresh = j == 0 || (s->flags[j] & RESTART);
        if (!fresh || point % s->stride) drop(s, j);
        point += fresh;
    }
}

static sn_status put(sn_adjoint *s, long j, const sn_state *x, sn_err *err)
{
    const sn_model *m = s->d->m;
    double *to = s->x[j];
    if (!to) {
        to = s->x[j] = sn_alloc(sn_state_size(m, x->n_own) + 1, sizeof *to);
        if (!to) return SN_OUT_OF_MEM(err);
        s->stored++;
    }
    sn_state_pack(m, x, to);
    return SN_OK;
}

static void get(const sn_adjoint *s, long j, sn_state *x)
{
    sn_state_unpack(s->d->m, s->x[j], x);
    x->t = s->t[j], x->h = s->h[j];
}

static sn_status append(sn_adjoint *s, const sn_state *x, sn_err *err)
{
    SN_TRY(grow(s, err));
    s->x[s->n] = NULL, s->t[s->n] = x->t, s->h[s->n] = x->h, s->flags[s->n] = 0;
    SN_TRY(put(s, s->n, x, err));
    s->n++;
    return SN_OK;
}

/* ---- following ---- */

/* Derivatives of the start, by those parameters that something moves with at its time: of a long history of
   unknown values few. */
static sn_status differentiate_start(sn_adjoint *s, sn_err *err)
{
    sn_context *d = s->d;
    sn_parameter_chain *few = NULL;
    sn_dstart *ds = NULL;
    sn_status status = SN_OK;
    int *id = NULL;
    if (!SN_NEW(s->at_start, s->np + 1)) return SN_OUT_OF_MEM(err);
    sn_system_time(d->w, d->x->t);
    sn_parameter_chain_time(s->chain, d->w, d->x->t);
    s->n_start = sn_parameter_chain_active(s->chain, s->at_start);
    if (s->n_start < s->np) {
        if (!SN_NEW(id, s->n_start + 1)) return SN_OUT_OF_MEM(err);
        for (int k = 0; k < s->n_start; k++) id[k] = s->id[s->at_start[k]];
        status = sn_parameter_chain_new(d->m, d->p, s->n_start, id, &few, err);
    }
    if (!status) status = sn_dstate_new(d->m, s->cls->history, s->n_start, &s->dstart, err);
    if (!status) status = sn_dstart_new(d, few ? few : s->chain, &ds, err);
    if (!status && s->n_start) status = sn_dstart_run(ds, s->dstart, err);
    if (!status && s->n_start && s->cls->begin_forward)
        status = s->cls->begin_forward(s->integrator, d->x, few ? few : s->chain, s->dstart, err);
    sn_dstart_free(ds), sn_parameter_chain_free(few), sn_free(id);
    return status;
}

static sn_status start(void *ctx, sn_context *d, const sn_integrator_class *cls, void *integrator,
                       sn_err *err)
{
    sn_adjoint *s = ctx;
    size_t channels = (size_t)sn_channel_count(d->m) + 1;
    s->d = d, s->cls = cls, s->integrator = integrator, s->stride = 1;
    if (d->info->kinematic) return sn_fail(err, SN_ERR_BUG, NULL, "a run without freedom has no adjoint");
    if (!s->continuous && !cls->step_adjoint) return sn_scheme_no_derivatives(d->o->scheme, "adjoint", err);
    SN_TRY(sn_parameter_chain_new(d->m, d->p, s->np, s->id, &s->chain, err));
    SN_TRY(sn_dstate_new(d->m, cls->history, 1, &s->b, err));
    SN_TRY(sn_dstate_new(d->m, cls->history, 1, &s->pending, err));
    SN_TRY(sn_dstate_new(d->m, cls->history, 1, &s->at_sample, err));
    for (int k = 0; k < 3; k++) {
        SN_TRY(sn_state_new(d->m, cls->history, &s->state[k], err));
        memcpy(s->state[k]->q, d->p->q0, sizeof(double) * (size_t)d->m->nq);
    }
    if (!SN_NEW(s->y, channels) || !SN_NEW(s->y_bar, channels) || !SN_NEW(s->w, d->m->nv + 1) ||
        !SN_NEW(s->kappa, d->m->nv + 1) ||
        (s->continuous && (!SN_NEW(s->Cx, d->m->nnz + 1) || !SN_NEW(s->Mx, d->m->nnz + 1))))
        return SN_OUT_OF_MEM(err);
    SN_TRY(differentiate_start(s, err));
    s->start_by_differences = d->start_by_differences;
    sn_system_time(d->w, d->x->t);
    SN_TRY(append(s, d->x, err));
    s->flags[0] = KEPT;
    s->kept = 1;
    SN_TRY(sn_system_sensors(d->w, d->x, s->y, err));
    sn_objectives_step(s->of, d->x->t, 0, s->y, NULL);
    while (s->at < s->of->n_times && s->of->times[s->at] <= d->x->t)
        sn_objectives_sample(s->of, s->at++, s->y, NULL);
    return SN_OK;
}

static sn_status step(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    (void)x0;
    return append(ctx, x1, err);
}

static void back(void *ctx)
{
    sn_adjoint *s = ctx;
    while (s->n > s->kept) drop(s, --s->n);
    s->flags[s->n - 1] |= AGAIN;
}

/* Sensors at a fraction of the way; s->state[2] is then the state between. */
static sn_status measure(sn_adjoint *s, const sn_state *x0, const sn_state *x1, double at, sn_err *err)
{
    sn_context *d = s->d;
    if (at >= 1) return sn_system_sensors(d->w, x1, s->y, err);
    sn_state_between(d->m, x0, x1, at, s->state[2]);
    sn_system_time(d->w, s->state[2]->t);
    SN_TRY(sn_system_sensors(d->w, s->state[2], s->y, err));
    return SN_OK;
}

static double fraction(double t, const sn_state *x0, const sn_state *x1)
{
    double h = x1->t - x0->t;
    return t < x1->t - 1e-9 * h ? (t - x0->t) / h : 1;
}

static sn_status keep(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    sn_adjoint *s = ctx;
    double h = x1->t - x0->t;
    for (double t; s->at < s->of->n_times && (t = s->of->times[s->at]) <= x1->t + 1e-9 * h; s->at++) {
        SN_TRY(measure(s, x0, x1, fraction(t, x0, x1), err));
        sn_objectives_sample(s->of, s->at, s->y, NULL);
        sn_system_time(s->d->w, x1->t);
    }
    if (s->of->steps) {
        SN_TRY(measure(s, x0, x1, 1, err));
        sn_objectives_step(s->of, x1->t, h, s->y, NULL);
    }
    s->t[s->n - 1] = x1->t; /* the run has set it to a round number */
    s->flags[s->n - 1] |= KEPT;
    s->kept = s->n;
    if (++s->whole % SN_SEGMENT) return SN_OK;
    long end = s->n - 1, segment = s->whole / SN_SEGMENT;
    s->flags[end] |= RESTART;
    if (s->thinned) thin(s, s->last, end, segment - 1);
    while ((double)s->stored * sn_adjoint_bytes(s->d->m, s->cls->history) > s->memory &&
           s->stride <= segment) {
        if (s->thinned) s->stride *= 2;
        s->thinned = 1;
        thin(s, 0, end, 0);
    }
    s->last = end;
    return SN_OK;
}

/* ---- backwards ---- */

/* State j and those before it again, where it is not stored: from the last one that is and can be. */
static sn_status repeat(sn_adjoint *s, long j, sn_err *err)
{
    long from = j;
    if (s->x[j]) return SN_OK;
    while (!s->x[from] || !(from == 0 || (s->flags[from] & RESTART))) from--;
    sn_integrator_restart(s->cls, s->integrator, s->d->ls);
    get(s, from, s->state[0]);
    for (long k = from + 1; k <= j; k++) {
        SN_TRY(s->cls->step(s->integrator, s->state[0], s->h[k], s->state[1], err));
        s->state[1]->t = s->t[k];
        SN_TRY(put(s, k, s->state[1], err));
        s->repeated++;
        sn_state *old = s->state[0];
        s->state[0] = s->state[1], s->state[1] = old;
        if (s->flags[k] & (RESTART | AGAIN)) sn_integrator_restart(s->cls, s->integrator, s->d->ls);
    }
    return SN_OK;
}

/* What the objective feels of the channels at a state, by s->y_bar, added to b and g. */
static sn_status add_channels(sn_adjoint *s, const sn_state *x, sn_dstate *b, double *g, sn_err *err)
{
    return sn_system_dsensors_transposed(s->d->w, x, s->chain, s->y_bar, b, g, err);
}

static void set_time(sn_adjoint *s, double t)
{
    sn_system_time(s->d->w, t);
    sn_parameter_chain_time(s->chain, s->d->w, t);
}

/* The whole step j0..j1: its end as a step (of weight w) and the samples within. */
static sn_status seeds(sn_adjoint *s, const sn_state *x0, const sn_state *x1, double w, double *g,
                       sn_err *err)
{
    size_t bytes = sizeof(double) * (size_t)sn_channel_count(s->d->m);
    double h = x1->t - x0->t;
    set_time(s, x1->t);
    if (s->of->steps) {
        SN_TRY(measure(s, x0, x1, 1, err));
        memset(s->y_bar, 0, bytes);
        sn_objectives_seed_step(s->of, x1->t, w, s->y, s->y_bar);
        SN_TRY(add_channels(s, x1, s->b, g, err));
    }
    for (; s->at > 0 && s->of->times[s->at - 1] > x0->t + 1e-9 * h; s->at--) {
        double f = fraction(s->of->times[s->at - 1], x0, x1);
        SN_TRY(measure(s, x0, x1, f, err));
        memset(s->y_bar, 0, bytes);
        sn_objectives_seed_sample(s->of, s->at - 1, s->y, s->y_bar);
        if (f >= 1) {
            SN_TRY(add_channels(s, x1, s->b, g, err));
            continue;
        }
        sn_dstate_clear(s->d->m, s->at_sample);
        set_time(s, s->state[2]->t);
        SN_TRY(add_channels(s, s->state[2], s->at_sample, g, err));
        sn_dstate_between_transposed(s->d->m, x0, x1, f, s->at_sample, s->pending, s->b);
        s->is_pending = 1;
        set_time(s, x1->t);
    }
    return SN_OK;
}

/* What samples between states feel of one: nothing of what the integrator keeps. */
static void add(const sn_model *m, const sn_dstate *from, sn_dstate *to)
{
    for (int i = 0; i < m->nv; i++) to->q[i] += from->q[i], to->v[i] += from->v[i], to->a[i] += from->a[i];
    for (int i = 0; i < m->m; i++) to->lam[i] += from->lam[i];
}

static long kept_before(const sn_adjoint *s, long j)
{
    while (j > 0 && !(s->flags[--j] & KEPT)) continue;
    return j;
}

/* Steps j0 + 1 .. j1 backwards; the states between must be there. */
static sn_status whole_step(sn_adjoint *s, long j0, long j1, void *backward, sn_linsol *ls, double *g,
                            sn_err *err)
{
    const sn_model *m = s->d->m;
    double after = j1 + 1 < s->n ? s->t[j1 + 1] - s->t[j1] : 0;
    long next = j1;
    while (after > 0 && ++next < s->n && !(s->flags[next] & KEPT)) continue;
    if (after > 0) after = s->t[next] - s->t[j1];
    SN_TRY(repeat(s, j1, err));
    SN_TRY(repeat(s, j0, err));
    get(s, j0, s->state[0]), get(s, j1, s->state[1]);
    SN_TRY(seeds(s, s->state[0], s->state[1], 0.5 * (s->t[j1] - s->t[j0] + after), g, err));
    if (s->continuous) SN_TRY(sn_continuous_step(s, s->state[1], s->t[j1] - s->t[j0], ls, g, err));
    for (long j = j1; j > j0 && !s->continuous; j--) {
        get(s, j - 1, s->state[0]), get(s, j, s->state[1]);
        SN_TRY(s->cls->step_adjoint(backward, s->state[0], s->state[1], s->chain, s->b, g, err));
    }
    if (s->is_pending) add(m, s->pending, s->b), sn_dstate_clear(m, s->pending);
    s->is_pending = 0;
    return SN_OK;
}

static sn_status one_objective(sn_adjoint *s, int i, void *backward, sn_linsol *ls, double *g, sn_err *err)
{
    const sn_model *m = s->d->m;
    size_t n = (size_t)s->n_start, bytes = sizeof(double) * (size_t)sn_channel_count(m);
    sn_objectives_weigh(s->of, i);
    sn_dstate_clear(m, s->b);
    memset(s->w, 0, sizeof(double) * (size_t)m->nv), memset(s->kappa, 0, sizeof(double) * (size_t)m->nv);
    s->at = s->of->n_times;
    for (long j1 = s->n - 1, j0; j1 > 0; j1 = j0) {
        j0 = kept_before(s, j1);
        SN_TRY(whole_step(s, j0, j1, backward, ls, g, err));
        for (long j = j0 + 1; j <= j1; j++)
            if (!(s->flags[j] & STORED)) drop(s, j);
        if (s->d->o->progress && (j1 & 15) == 15 && s->d->o->progress(s->d->o->ctx, 1, s->t[j1]))
            return sn_fail(err, SN_ERR_INTERRUPTED, NULL, "stopped on the way back, at t = %.6g s", s->t[j1]);
    }
    /* the start: as a step, as a sample, and by its own derivatives */
    get(s, 0, s->state[0]);
    set_time(s, s->state[0]->t);
    SN_TRY(sn_system_sensors(s->d->w, s->state[0], s->y, err));
    memset(s->y_bar, 0, bytes);
    long first = 1;
    while (first < s->n && !(s->flags[first] & KEPT)) first++;
    if (s->of->steps && s->n > 1)
        sn_objectives_seed_step(s->of, s->t[0], 0.5 * (s->t[first] - s->t[0]), s->y, s->y_bar);
    while (s->at > 0) sn_objectives_seed_sample(s->of, --s->at, s->y, s->y_bar);
    SN_TRY(add_channels(s, s->state[0], s->b, g, err));
    if (s->continuous) sn_continuous_start(s, g);
    const sn_dstate *d = s->dstart, *b = s->b;
    for (int r = 0; r < m->nv; r++)
        for (size_t k = 0, at = (size_t)r * n; k < n; k++, at++) {
            double sum = d->q[at] * b->q[r] + d->v[at] * b->v[r] + d->a[at] * b->a[r];
            for (int j = 0; j < d->n_own; j++) sum += d->own[j][at] * b->own[j][r];
            g[s->at_start[k]] += sum;
        }
    for (int r = 0; r < m->m; r++)
        for (size_t k = 0; k < n; k++) g[s->at_start[k]] += d->lam[(size_t)r * n + k] * b->lam[r];
    return SN_OK;
}

/* All objectives, one after the other, with factors of their own: those of repeated steps are the run's. */
static sn_status end(void *ctx, sn_err *err)
{
    sn_adjoint *s = ctx;
    sn_context *d = s->d;
    const sn_scheme *scheme;
    sn_linsol *ls = NULL;
    void *backward = NULL;
    s->at_end = s->stored;
    for (long j = 0; j < s->n; j++)
        if (s->x[j]) s->flags[j] |= STORED;
    sn_objectives_finish(s->of, 0);
    sn_scheme_find(d->o->scheme, &scheme);
    sn_status status = sn_linsol_new(d->o->solver, d->m->n, d->m->Ap, d->m->Ai, &ls, err);
    sn_info info = {0}, run = *d->info; /* steps made again do not count */
    const sn_integration in = {.w = d->w, .ls = ls, .scheme = scheme, .o = d->o, .info = &info};
    if (!status) status = sn_integrator_open(s->cls, &in, &backward, err);
    for (int i = 0; !status && i < s->of->n; i++) {
        memset(s->of->list[i].d, 0, sizeof(double) * (size_t)s->np);
        status = one_objective(s, i, backward, ls, s->of->list[i].d, err);
    }
    *d->info = run;
    if (backward) s->cls->close(backward);
    sn_linsol_free(ls);
    return status;
}

sn_follow sn_adjoint_follow(sn_adjoint *s)
{
    return (sn_follow){.start = start, .step = step, .back = back, .keep = keep, .end = end, .ctx = s};
}

double sn_adjoint_bytes(const sn_model *m, int n_own)
{
    return (double)(sn_state_size(m, n_own) * sizeof(double) + 25);
}

void sn_adjoint_free(sn_adjoint *s)
{
    for (long j = 0; j < s->n; j++) sn_free(s->x[j]);
    sn_free(s->x), sn_free(s->t), sn_free(s->h), sn_free(s->flags), sn_free(s->y), sn_free(s->y_bar);
    sn_free(s->w), sn_free(s->kappa), sn_free(s->Cx), sn_free(s->Mx);
    for (int k = 0; k < 3; k++) sn_state_free(s->state[k]);
    sn_dstate_free(s->dstart), sn_dstate_free(s->b), sn_dstate_free(s->pending);
    sn_dstate_free(s->at_sample), sn_free(s->at_start);
    sn_parameter_chain_free(s->chain);
}
