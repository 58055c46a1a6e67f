/* Residuals and normal equations: each experiment is a run of its own with its own values, all of them in
   parallel; sums are made in the order of the experiments, so that they do not depend on the number of
   threads. */
#include "identify/fit.h"
#include "identify/memo.h"
#include "identify/shown.h"
#include "identify/modal.h"
#include "identify/smoothing.h"
#include "integrator/integrator.h"

#include <math.h>
#include <string.h>
#include <time.h>

double sn_fit_value(const sn_study *s, int k, double z)
{
    const sn_unknown *u = &s->unknown[k];
    return u->log ? exp(z) : z * u->scale;
}

double sn_fit_z(const sn_study *s, int k, double value)
{
    const sn_unknown *u = &s->unknown[k];
    return u->log ? log(value) : value / u->scale;
}

void sn_fit_start(const sn_fit *f, double *z)
{
    for (int k = 0; k < f->n; k++) z[k] = sn_fit_z(f->s, k, f->s->unknown[k].start);
}

/* ---- set up ---- */

/* Where noise follows itself. */
static sn_status new_filters(const sn_experiment *x, sn_part *p, sn_err *err)
{
    size_t n = (size_t)p->n + 1, states = n * SN_AR_MOST;
    if (!x->noise) return SN_OK;
    if (!SN_NEW(p->white, x->n_channel) || !SN_NEW(p->whole, n)) return SN_OUT_OF_MEM(err);
    for (int c = 0; c < x->n_channel; c++) {
        p->white[c].m = &x->noise[c].m;
        if (x->noise[c].kind && !SN_NEW(p->white[c].x, states)) return SN_OUT_OF_MEM(err);
    }
    return SN_OK;
}

static sn_status new_part(sn_fit *f, int e, sn_err *err)
{
    const sn_study *s = f->s;
    const sn_experiment *x = &s->experiment[e];
    sn_part *p = &f->part[e];
    size_t samples = (size_t)x->n * (size_t)x->n_channel + 1;
    if (!SN_NEW(p->unknown, s->n_unknown + 1) || !SN_NEW(p->id, s->n_unknown + s->n_tie + 1))
        return SN_OUT_OF_MEM(err);
    for (int k = 0; k < s->n_unknown; k++) {
        const sn_unknown *u = &s->unknown[k];
        if (u->kind != SN_OF_MODEL || (u->experiment >= 0 && u->experiment != e)) continue;
        p->unknown[p->n++] = k;
        p->id[p->nx++] = u->id;
    }
    for (int k = 0; k < s->n_tie; k++) p->id[p->nx++] = s->tie[k].id;
    p->own = p->n, p->clock = -1;
    for (int k = 0; k < s->n_unknown; k++) {
        const sn_unknown *u = &s->unknown[k];
        if (u->kind == SN_OF_MODEL || (u->experiment >= 0 && u->experiment != e) || !sn_shown_uses(s, x, k))
            continue;
        if (u->kind == SN_OF_CLOCK) p->clock = p->n;
        p->unknown[p->n++] = k;
    }
    size_t n = (size_t)p->n + 1;
    if (!SN_NEW(p->dx, n * (size_t)(p->nx + 1)) || !SN_NEW(p->A, n * n) || !SN_NEW(p->g, n) ||
        !SN_NEW(p->r, samples) || !SN_NEW(p->model, samples) || (x->sort && !SN_NEW(p->pair, x->n + 1)))
        return SN_OUT_OF_MEM(err);
    SN_TRY(new_filters(x, p, err));
    return sn_values_copy(x->values, &p->values, err);
}

sn_status sn_fit_new(const sn_study *s, int threads, sn_fit **out, sn_err *err)
{
    sn_fit *f;
    *out = NULL;
    if (!SN_NEW(f, 1)) return SN_OUT_OF_MEM(err);
    f->s = s, f->n = s->n_unknown, f->threads = threads < 1 ? 1 : threads;
    size_t n = (size_t)f->n + 1;
    sn_status status = SN_NEW(f->lower, n) && SN_NEW(f->upper, n) && SN_NEW(f->A, n * n) && SN_NEW(f->g, n) &&
                               SN_NEW(f->ridge, n) && SN_NEW(f->seen, n) &&
                               SN_NEW(f->part, s->n_experiment) && SN_NEW(f->sim, f->threads)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    for (int k = 0; !status && k < f->n; k++) {
        const sn_unknown *u = &s->unknown[k];
        f->lower[k] = u->log ? (u->lower > 0 ? log(u->lower) : -INFINITY) : u->lower / u->scale;
        f->upper[k] = u->log ? log(u->upper) : u->upper / u->scale;
    }
    for (int e = 0; !status && e < s->n_experiment; e++) status = new_part(f, e, err);
    if (status)
        sn_fit_free(f);
    else
        *out = f;
    return status;
}

void sn_fit_free(sn_fit *f)
{
    if (!f) return;
    for (int e = 0; f->part && e < f->s->n_experiment; e++) {
        sn_part *p = &f->part[e];
        sn_free(p->unknown), sn_free(p->id), sn_free(p->dx), sn_free(p->A), sn_free(p->g), sn_free(p->r);
        sn_free(p->model), sn_free(p->J), sn_free(p->pair), sn_free(p->whole), sn_free(p->lever);
        for (int c = 0; p->white && c < f->s->experiment[e].n_channel; c++) sn_free(p->white[c].x);
        sn_free(p->white);
        sn_values_free(p->values);
    }
    sn_free(f->lower), sn_free(f->upper), sn_free(f->A), sn_free(f->g), sn_free(f->ridge), sn_free(f->part);
    for (int k = 0; f->sim && k < f->threads; k++) sn_sim_close(f->sim[k]);
    sn_free(f->seen), sn_free(f->sim);
    sn_free(f);
}

/* ---- one experiment ---- */

typedef struct job {
    const sn_fit *f;
    int e, thread, derivatives;
    double horizon;
    const double *z;
    sn_shown *shown;
    sn_poll *poll;
} job;

/* Derivative of an unknown of value x by its z. */
static double slope_of(const sn_study *s, int k, double x)
{
    return s->unknown[k].log ? x : s->unknown[k].scale;
}

/* Values of the quantities at z, and their derivatives. */
static sn_status set_values(const sn_study *s, sn_part *p, const double *z, double *values)
{
    const int own = p->own;
    const size_t n = (size_t)p->n;
    /* unknowns move their own quantity only: the rest of their rows stays 0 */
    memset(p->dx + (size_t)own * n, 0, sizeof(double) * (size_t)(p->nx - own) * n);
    for (int k = 0; k < p->n; k++) {
        double x = values[p->unknown[k]] = sn_fit_value(s, p->unknown[k], z[p->unknown[k]]);
        if (k >= own) continue;
        p->values->x[p->id[k]] = x, p->values->fixed[p->id[k]] = 1;
        p->dx[(size_t)k * n + (size_t)k] = slope_of(s, p->unknown[k], x);
    }
    for (int k = 0; k < s->n_tie; k++) {
        const sn_expr *e = s->tie[k].e;
        double v[SN_MAX_VARIABLES], g[SN_MAX_VARIABLES];
        int id = p->id[own + k];
        for (int i = 0; i < sn_expr_nvar(e); i++) v[i] = values[sn_expr_var(e, i)];
        p->values->x[id] = sn_expr_gradient(e, v, g), p->values->fixed[id] = 1;
        for (int i = 0; i < sn_expr_nvar(e); i++)
            for (int c = 0; c < p->n; c++)
                if (p->unknown[c] == sn_expr_var(e, i))
                    p->dx[(size_t)(own + k) * n + (size_t)c] += g[i] * slope_of(s, p->unknown[c], v[i]);
    }
    return sn_values_update(p->values, &p->err);
}

sn_status sn_fit_set(sn_fit *f, int e, const double *z, sn_err *err)
{
    double *values;
    if (!SN_NEW(values, f->n + 1)) return SN_OUT_OF_MEM(err);
    sn_status status = sn_fit_set_with(f, e, z, values, err);
    sn_free(values);
    return status;
}

sn_status sn_fit_set_with(sn_fit *f, int e, const double *z, double *values, sn_err *err)
{
    sn_part *p = &f->part[e];
    sn_err_clear(&p->err);
    sn_status status = set_values(f->s, p, z, values);
    if (status && status != SN_ERR_INPUT) sn_err_join(err, &p->err);
    return status == SN_ERR_INPUT ? SN_ERR_NUMERIC : status;
}

/* What the run gives at a moment; a sample that is whole by it becomes residuals. */
static void take(void *ctx, int i, double t, double dt, const double *y, const double *dy)
{
    job *j = ctx;
    sn_part *p = &j->f->part[j->e];
    const double *shown, *by;
    (void)t, (void)dt;
    if (i < 0) return;
    const sn_shown_model model = {.y = y, .dy = j->derivatives ? dy : NULL, .dx = p->dx, .nx = p->nx};
    int row = sn_shown_take(j->shown, i, &model, &shown, &by);
    if (row < 0) return;
    sn_part_add(j->f->s, &j->f->s->experiment[j->e], p, row, j->derivatives || p->n > p->own, shown, by);
}

sn_poll sn_fit_poll(const sn_fit *f)
{
    return (sn_poll){.f = f, .caller = pthread_self(), .last = sn_clock()};
}

int sn_fit_stop(void *poll, double done, double t)
{
    sn_poll *p = poll;
    (void)done;
    if (p->f->deadline > 0 && sn_clock() > p->f->deadline) atomic_store(&p->stop, 1);
    if (p->f->progress && pthread_equal(p->caller, pthread_self()) && sn_clock() - p->last > 0.1) {
        p->last = sn_clock();
        if (p->f->progress(p->f->ctx, p->f->done, t)) atomic_store(&p->stop, 1);
    }
    return atomic_load(&p->stop);
}

double sn_fit_shift(const sn_study *s, const sn_experiment *x, const double *z, double *delta)
{
    int seek = x->offset_unknown >= 0;
    *delta = seek ? 1e-3 * s->run.step : 0;
    return seek ? sn_fit_value(s, x->offset_unknown, z[x->offset_unknown]) : 0;
}

sn_status sn_fit_run(const sn_fit *f, int thread, const sn_values *p, const sn_run_options *o,
                     const sn_follow *follow, sn_info *info, sn_err *err)
{
    return sn_run_kept(&f->sim[thread], f->s->model, p, o, follow, info, err);
}

/* The run itself, of a part whose values are set. */
static void simulate(const sn_fit *f, job *j, const unsigned char *wanted)
{
    const sn_study *s = f->s;
    sn_part *p = &f->part[j->e];
    sn_run_options o = s->run;
    o.begin = s->experiment[j->e].begin, o.end = j->shown->end;
    if (j->derivatives) o.exact = SN_SIX_DIGITS;
    o.frame = NULL, o.n_point = 0, o.n_wrt = 0;
    o.progress = sn_fit_stop, o.message = NULL, o.ctx = j->poll;
    if (o.drop_redundant == SN_REDUNDANT_SHARE) o.drop_redundant = SN_REDUNDANT_DROP;
    sn_forward w = {.np = j->derivatives ? p->nx : 0,
                    .id = p->id,
                    .wanted = wanted,
                    .times = j->shown->t,
                    .n_times = j->shown->n_moment,
                    .from_rest = s->experiment[j->e].from != NULL,
                    .take = take,
                    .ctx = j};
    sn_follow follow = sn_forward_follow(&w);
    follow.from = s->experiment[j->e].from;
    p->status = sn_fit_run(f, j->thread, p->values, &o, &follow, &p->info, &p->err);
    sn_forward_free(&w);
    if (j->shown->broken) p->cost = NAN;
    for (int a = 0; a < p->n; a++)
        for (int b = a + 1; b < p->n; b++) p->A[a * p->n + b] = p->A[b * p->n + a];
}

/* Nothing of an earlier evaluation is left. */
static void clear_part(const sn_experiment *x, sn_part *p)
{
    size_t n = (size_t)p->n;
    sn_err_clear(&p->err);
    p->cost = p->count = 0, p->kept = 0;
    memset(p->A, 0, sizeof(double) * n * n), memset(p->g, 0, sizeof(double) * n);
    for (size_t i = 0; i < (size_t)x->n * (size_t)x->n_channel; i++) p->r[i] = p->model[i] = NAN;
    sn_free(p->J), p->J = NULL;
    for (int c = 0; p->white && c < x->n_channel; c++) p->white[c].begun = 0;
}

static void run_part(job j)
{
    const sn_fit *f = j.f;
    const sn_study *s = f->s;
    const sn_experiment *x = &s->experiment[j.e];
    sn_part *p = &f->part[j.e];
    unsigned char *wanted = NULL;
    double *values = NULL;
    clear_part(x, p);
    p->plain = f->plain;
    p->status = SN_NEW(values, s->n_unknown + 1) && SN_NEW(wanted, s->model->sensor.n + 1) &&
                        (!f->rows || SN_NEW(p->J, ((size_t)p->n + 1) * (size_t)x->n * (size_t)x->n_channel))
                    ? SN_OK
                    : SN_OUT_OF_MEM(&p->err);
    if (!p->status) p->status = set_values(s, p, j.z, values);
    if (!p->status && !x->sort) p->status = sn_shown_new(s, x, p->n, p->unknown, j.z, &j.shown, &p->err);
    if (!p->status && !x->sort) p->status = sn_shown_moments(j.shown, j.horizon, &p->err);
    for (int k = 0, at = 0; !p->status && !x->sort && k < s->model->sensor.n;
         at += s->model->sensor.object[k++].ny)
        for (int c = 0; c < x->n_channel; c++)
            if (x->channel[c] >= at && x->channel[c] < at + s->model->sensor.object[k].ny) wanted[k] = 1;
    if (!p->status && (x->sort || (j.shown->n_moment && j.shown->end > x->begin))) {
        int whole = j.derivatives || p->n > p->own;
        sn_key key = sn_memo_run(f->memo, f, j.e, j.horizon, j.derivatives, j.z);
        if (!f->signals) p->kept = sn_memo_get_part(f->memo, key, whole, p);
        if (!p->kept) {
            if (x->sort)
                p->status = sn_modal_evaluate(s, x, p, j.derivatives, &p->err);
            else
                simulate(f, &j, wanted);
            if (!f->signals) sn_memo_put_part(f->memo, key, f->group, whole, p);
        }
    }
    sn_shown_free(j.shown);
    sn_free(values), sn_free(wanted);
}

/* One part alone. */
static sn_status run_one(sn_fit *f, int e, int derivatives, const double *z, sn_err *err)
{
    const sn_part *p = &f->part[e];
    sn_poll poll = sn_fit_poll(f);
    run_part((job){.f = f, .e = e, .derivatives = derivatives, .horizon = INFINITY, .z = z, .poll = &poll});
    f->simulations++, f->kept += p->kept, f->is_seen = 0;
    if (p->status == SN_ERR_INPUT) return SN_ERR_NUMERIC;
    if (p->status) sn_err_join(err, &p->err);
    return p->status;
}

sn_status sn_fit_instruments(sn_fit *f, int e, const double *z, double *g, sn_err *err)
{
    const sn_part *p = &f->part[e];
    if (p->n == p->own) return SN_OK;
    SN_TRY(run_one(f, e, 0, z, err));
    for (int a = p->own; a < p->n; a++) g[p->unknown[a]] += p->g[a];
    return SN_OK;
}

sn_status sn_fit_forward(sn_fit *f, int e, const double *z, double *cost, double *g, sn_err *err)
{
    const sn_part *p = &f->part[e];
    SN_TRY(run_one(f, e, 1, z, err));
    *cost += p->cost, f->count += p->count;
    for (int a = 0; a < p->n; a++) g[p->unknown[a]] += p->g[a];
    return isfinite(p->cost) ? SN_OK : SN_ERR_NUMERIC;
}

/* ---- all ---- */

typedef struct evaluation {
    const sn_fit *f;
    const double *z;
    double horizon;
    int derivatives, held_out;
    atomic_int next, thread;
    sn_poll *poll;
} evaluation;

static void *run_parts(void *ctx)
{
    evaluation *c = ctx;
    job j = {.f = c->f,
             .thread = atomic_fetch_add(&c->thread, 1),
             .derivatives = c->derivatives,
             .horizon = c->horizon,
             .z = c->z,
             .poll = c->poll};
    for (; (j.e = atomic_fetch_add(&c->next, 1)) < c->f->s->n_experiment;)
        if (c->f->s->experiment[j.e].hold_out == c->held_out) run_part(j);
    return NULL;
}

typedef struct crew {
    const sn_together *all;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    int running; /* threads besides the first */
} crew;

static void *one_of_crew(void *ctx)
{
    crew *c = ctx;
    c->all->work(c->all->ctx);
    pthread_mutex_lock(&c->lock);
    c->running--;
    pthread_cond_signal(&c->ended);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* Until no other thread is at work, with an eye on the user's patience ten times a second. */
static void wait_for(crew *c)
{
    struct timespec until;
    pthread_mutex_lock(&c->lock);
    while (c->running > 0) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        int late = pthread_cond_timedwait(&c->ended, &c->lock, &until) != 0;
        if (!late) continue;
        pthread_mutex_unlock(&c->lock);
        if (c->all->stop) c->all->stop(c->all->poll, 0, 0);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
}

void sn_fit_together(const sn_fit *f, int n, const sn_together *all)
{
    int more = (f->threads < n ? f->threads : n) - 1, started = 0;
    pthread_t *thread = NULL;
    crew c = {.all = all};
    if (more > 0 && !SN_NEW(thread, more)) more = 0;
    pthread_mutex_init(&c.lock, NULL), pthread_cond_init(&c.ended, NULL);
    c.running = more > 0 ? more : 0;
    while (started < more && !pthread_create(&thread[started], NULL, one_of_crew, &c)) started++;
    pthread_mutex_lock(&c.lock);
    if (more > started) c.running -= more - started;
    pthread_mutex_unlock(&c.lock);
    all->work(all->ctx);
    if (started) wait_for(&c);
    for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
    pthread_mutex_destroy(&c.lock), pthread_cond_destroy(&c.ended);
    sn_free(thread);
}

static void run_all(sn_fit *f, const double *z, double horizon, int held_out, int derivatives, sn_poll *poll)
{
    int n = 0;
    evaluation c = {
        .f = f, .z = z, .horizon = horizon, .derivatives = derivatives, .held_out = held_out, .poll = poll};
    for (int e = 0; e < f->s->n_experiment; e++) n += f->s->experiment[e].hold_out == held_out;
    sn_fit_together(f, n, &(sn_together){run_parts, &c, sn_fit_stop, poll});
}

static void add_priors(sn_fit *f, const double *z)
{
    for (int k = 0; k < f->n; k++) {
        const sn_unknown *u = &f->s->unknown[k];
        if (!isnan(u->prior)) {
            double unit = u->log ? 1 : u->scale, r = (z[k] * unit - u->prior) / u->prior_sd,
                   d = unit / u->prior_sd;
            f->cost += 0.5 * r * r, f->count++;
            f->g[k] += d * r, f->A[(size_t)k * (size_t)f->n + (size_t)k] += d * d;
        }
        if (f->ridge_weight > 0) {
            double r = z[k] - f->ridge[k];
            f->cost += 0.5 * f->ridge_weight * r * r;
            f->g[k] += f->ridge_weight * r, f->A[(size_t)k * (size_t)f->n + (size_t)k] += f->ridge_weight;
        }
    }
}

sn_status sn_fit_evaluate(sn_fit *f, const double *z, double horizon, int held_out, int derivatives,
                          sn_err *err)
{
    const sn_study *s = f->s;
    sn_poll poll = sn_fit_poll(f);
    size_t n = (size_t)f->n;
    sn_status failed = SN_OK;
    long kept = f->kept;
    if (f->progress && f->progress(f->ctx, f->done, isfinite(horizon) ? horizon : s->experiment[0].end))
        f->stopped = 1;
    if (f->deadline > 0 && sn_clock() > f->deadline) f->stopped = 1;
    if (f->stopped) return sn_fail(err, SN_ERR_INTERRUPTED, NULL, "stopped on request");
    if (!held_out) f->is_seen = 0;
    f->is_ready = 0;
    run_all(f, z, horizon, held_out, derivatives, &poll);
    f->stopped = atomic_load(&poll.stop);
    f->cost = f->count = 0;
    memset(f->A, 0, sizeof(double) * n * n), memset(f->g, 0, sizeof(double) * n);
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_part *p = &f->part[e];
        if (s->experiment[e].hold_out != held_out) continue;
        f->simulations++, f->kept += p->kept;
        if (p->status == SN_ERR_NUMERIC || p->status == SN_ERR_INPUT || !isfinite(p->cost))
            failed = SN_ERR_NUMERIC;
        else if (p->status) {
            sn_err_join(err, &p->err);
            return p->status;
        }
        f->cost += p->cost, f->count += p->count;
        for (int a = 0; a < p->n; a++) {
            f->g[p->unknown[a]] += p->g[a];
            for (int b = 0; b < p->n; b++)
                f->A[(size_t)p->unknown[a] * n + (size_t)p->unknown[b]] += p->A[a * p->n + b];
        }
    }
    add_priors(f, z);
    f->cost += sn_smoothing_add(s, z, 0, f->g, f->A);
    if (failed) f->cost = INFINITY;
    if (!held_out && !failed && isinf(horizon) && f->kept == kept) {
        memcpy(f->seen, z, sizeof(double) * n);
        f->is_seen = 1, f->is_ready = derivatives && f->ridge_weight == 0;
    }
    return failed;
}

sn_status sn_fit_signals(sn_fit *f, const double *z, int held_out, int derivatives, sn_err *err)
{
    f->signals = 1;
    sn_status status = sn_fit_evaluate(f, z, INFINITY, held_out, derivatives, err);
    f->signals = 0;
    return status;
}

sn_status sn_fit_rows(sn_fit *f, const double *z, sn_err *err)
{
    f->rows = 1;
    sn_status status = sn_fit_signals(f, z, 0, 1, err);
    f->rows = 0;
    return status;
}

sn_status sn_fit_residuals(sn_fit *f, const double *z, sn_err *err)
{
    if (f->is_seen && !memcmp(f->seen, z, sizeof(double) * (size_t)f->n)) return SN_OK;
    /* with derivatives, as the search had it: their steps are solved further, and the last digits differ */
    return sn_fit_signals(f, z, 0, 1, err);
}
