/* The whole of an identification: from the given start, and from random ones if asked, the data are fitted
   first up to a short horizon that then grows (a long run tells nothing when its end is far off, and a short
   one has few false minima); the noise is estimated where it was not stated; then the answer is judged. */
#include "identify/horizon.h"
#include "identify/memo.h"
#include "identify/noise.h"
#include "identify/progress.h"
#include "identify/random.h"
#include "identify/refine.h"
#include "identify/search.h"
#include "identify/window.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ITERATIONS = 100, NOISE_ROUNDS = 4, AUTOMATIC_STARTS = 8, ALTERNATIVES = 8 };

/* ---- what happens on the way ---- */

static void told(void *ctx, const sn_step *step)
{
    sn_estimate *e = ctx;
    sn_progress_tell(e->progress, step);
    if (e->n_iteration == e->cap_iteration) {
        int more = e->cap_iteration ? 2 * e->cap_iteration : 64;
        sn_iteration *list = sn_arena_alloc(&e->arena, (size_t)more, sizeof *list);
        if (!list) return; /* a line of the record is lost, nothing else */
        if (e->n_iteration) memcpy(list, e->iteration, sizeof *list * (size_t)e->n_iteration);
        e->iteration = list, e->cap_iteration = more;
    }
    double *value = sn_arena_alloc(&e->arena, (size_t)e->s->n_unknown + 1, sizeof *value);
    if (!value) return;
    for (int k = 0; k < e->s->n_unknown; k++) value[k] = sn_fit_value(e->s, k, step->z[k]);
    e->iteration[e->n_iteration++] = (sn_iteration){step->iteration, step->stage,   step->cost,    step->rms,
                                                    step->change,    step->damping, step->horizon, value};
}

/* ---- one search ---- */

/* By Levenberg and Marquardt's method over all data, after so many other stages. */
static sn_status last_digits(sn_fit *f, double *z, int stage, sn_estimate *record, int *counter,
                             sn_search *last, sn_err *err)
{
    /* where the noise is still to be estimated the last digits can wait */
    *last =
        (sn_search){.horizon = INFINITY,
                    .tolerance = sn_noise_sought(f->s) ? 1e-5 : 1e-9,
                    .damping = stage > 0 ? 1e-6 : 0, /* the step is Newton's, to its last digits */
                    .most = MOST_ITERATIONS,
                    .stage = stage,
                    .ready = f->is_seen && f->is_ready && !memcmp(f->seen, z, sizeof(double) * (size_t)f->n),
                    .counter = counter,
                    .told = record ? told : NULL,
                    .ctx = record};
    sn_status status = sn_marquardt(f, z, last, err);
    last->ready = 0;
    return status;
}

/* From z to a minimum: by a growing horizon with so many alternatives where the study wants one, then by all.
 */
static sn_status search(sn_fit *f, double *z, int alternatives, sn_estimate *record, int *counter,
                        sn_search *last, sn_err *err)
{
    const sn_study *s = f->s;
    sn_search way = {.counter = counter, .told = record ? told : NULL, .ctx = record};
    if (f->window > 0) SN_TRY(sn_horizon(f, z, alternatives, &way, err));
    int stage = way.stage;
    if (s->optimiser != SN_MARQUARDT) {
        /* the other optimiser finds the place, Levenberg and Marquardt's method the last digits */
        sn_search o = {.horizon = INFINITY,
                       .tolerance = 1e-6,
                       .most = s->optimiser == SN_CMAES ? 400 : 300,
                       .stage = stage++,
                       .counter = counter,
                       .told = record ? told : NULL,
                       .ctx = record};
        int before = sn_err_count(err);
        sn_status status = s->optimiser == SN_CMAES ? sn_cma_es(f, z, 0.3 * log(s->spread), s->seed, &o, err)
                                                    : sn_lbfgs(f, z, &o, err);
        if (status && status != SN_ERR_NUMERIC) return status;
        if (status) sn_err_forget(err, before); /* cannot be simulated: the search that follows says so */
    }
    return last_digits(f, z, stage, record, counter, last, err);
}

/* The first window for a search from z, of which the fit then has signals and derivatives. */
static sn_status choose_window(sn_fit *f, const double *z, sn_err *err)
{
    const sn_study *s = f->s;
    f->window = fmax(0, s->horizon);
    if (s->horizon >= 0 || !s->n_fit) return SN_OK;
    int before = sn_err_count(err);
    sn_status status = sn_fit_rows(f, z, err);
    if (status && status != SN_ERR_NUMERIC) return status;
    if (status) sn_err_forget(err, before);
    return sn_first_window(f, !status, &f->window, err);
}

/* ---- random starts ---- */

typedef struct tries {
    const sn_study *s;
    sn_fit *outer;
    double *z, *cost; /* of each try */
    atomic_int next, stop, done;
    int n;
    atomic_long simulations, kept;
    pthread_t main;
    sn_progress *progress;
    pthread_mutex_t lock;
    sn_status failed; /* the first that was more than a run that fails, and what it said */
    sn_err err;
} tries;

/* The first thread watches over the user's patience. */
static int stop_try(void *ctx, double done, double t)
{
    tries *r = ctx;
    const sn_fit *f = r->outer;
    (void)done;
    if (pthread_equal(r->main, pthread_self()) && f->progress &&
        f->progress(f->ctx, (1.0 + atomic_load(&r->done)) / (r->n + 2), t))
        atomic_store(&r->stop, 1);
    return atomic_load(&r->stop);
}

/* Key of a search from z. */
static sn_key search_key(const sn_memo *m, const sn_study *s, const double *z)
{
    const double settings[] = {s->horizon, s->growth, s->optimiser, s->spread, (double)s->seed};
    sn_key k = sn_memo_at(m, s, "search", z);
    sn_key_exact(&k, sizeof settings / sizeof *settings, settings);
    return k;
}

static void fail_tries(tries *r, sn_status why, const sn_err *err)
{
    pthread_mutex_lock(&r->lock);
    if (!r->failed) r->failed = why, r->err = *err;
    pthread_mutex_unlock(&r->lock);
    atomic_store(&r->stop, 1);
}

/* One try from z, which becomes where it ends; cost INFINITY: nowhere. A search that was finished is not
   repeated. result: n + 2 numbers, scratch. */
static sn_status try_one(sn_fit *f, double *z, double *cost, double *result, sn_err *err)
{
    sn_search last;
    int counter = 0;
    size_t n = (size_t)f->n;
    sn_key key = search_key(f->memo, f->s, z);
    if (sn_memo_get(f->memo, key, n + 2, result)) {
        memcpy(z, result + 2, n * sizeof *z);
        f->simulations += (long)result[1], f->kept += (long)result[1];
        sn_memo_done(f->memo, f->group);
        *cost = result[0];
        return SN_OK;
    }
    long before = f->simulations;
    sn_status status = choose_window(f, z, err);
    if (!status) status = search(f, z, 1, NULL, &counter, &last, err);
    *cost = result[0] = !status && isfinite(f->cost) ? f->cost : INFINITY;
    result[1] = (double)(f->simulations - before);
    memcpy(result + 2, z, n * sizeof *z);
    if (status && status != SN_ERR_NUMERIC) return status;
    sn_memo_put(f->memo, key, 0, n + 2, result);
    sn_memo_done(f->memo, f->group); /* its simulations are not needed any more */
    return SN_OK;
}

static void *try_some(void *ctx)
{
    tries *r = ctx;
    double *result = NULL;
    sn_fit *f;
    sn_err err;
    sn_err_clear(&err);
    sn_status status = sn_fit_new(r->s, 1, &f, &err);
    if (!status && !SN_NEW(result, f->n + 2)) status = SN_OUT_OF_MEM(&err);
    if (!status) f->progress = stop_try, f->ctx = r, f->memo = r->outer->memo;
    for (int i; !status && (i = atomic_fetch_add(&r->next, 1)) < r->n; atomic_fetch_add(&r->done, 1)) {
        double *z = r->z + (size_t)i * (size_t)f->n;
        sn_err_clear(&err);
        f->group = i + 1;
        status = try_one(f, z, &r->cost[i], result, &err);
        if (!status) sn_progress_start(r->progress, r->cost[i], z);
    }
    if (status && status != SN_ERR_INTERRUPTED) fail_tries(r, status, &err);
    if (f) atomic_fetch_add(&r->simulations, f->simulations), atomic_fetch_add(&r->kept, f->kept);
    sn_free(result);
    sn_fit_free(f);
    return NULL;
}

/* The best of many; z becomes it where it beats the given start. */
static sn_status many_starts(sn_fit *f, double *z, double *best, sn_estimate *e, int n_tries, sn_err *err)
{
    const sn_study *s = f->s;
    size_t n = (size_t)f->n;
    unsigned long long seed = 0x9E3779B97F4A7C15ULL ^ (s->seed * 0xD1B54A32D192ED03ULL);
    tries r = {.s = s, .outer = f, .n = n_tries, .main = pthread_self(), .progress = e->progress};
    if (!SN_NEW(r.z, n * (size_t)r.n) || !SN_NEW(r.cost, r.n)) {
        sn_free(r.z), sn_free(r.cost);
        return SN_OUT_OF_MEM(err);
    }
    sn_progress_starts(e->progress, r.n, *best, z);
    for (int i = 0; i < r.n; i++) r.cost[i] = INFINITY; /* until it is tried */
    for (int i = 0; i < r.n; i++)
        for (size_t k = 0; k < n; k++) {
            const sn_unknown *u = &s->unknown[k];
            double start = s->starts >= 0 ? sn_fit_z(s, (int)k, u->start) : z[k],
                   x = 2 * sn_uniform(&seed) - 1;
            double to = u->log ? start + x * log(s->spread)
                        : isfinite(u->lower) && isfinite(u->upper)
                            ? (u->lower + (x + 1) / 2 * (u->upper - u->lower)) / u->scale
                            : start + x * s->spread / 10;
            r.z[(size_t)i * n + k] = u->experiment >= 0 ? start : fmin(fmax(to, f->lower[k]), f->upper[k]);
        }
    pthread_mutex_init(&r.lock, NULL);
    sn_fit_together(f, r.n, try_some, &r);
    pthread_mutex_destroy(&r.lock);
    f->simulations += atomic_load(&r.simulations), f->kept += atomic_load(&r.kept);
    f->stopped = atomic_load(&r.stop);
    e->starts = r.n;
    for (int i = 0; i < r.n; i++)
        if (r.cost[i] < *best * (1 - 1e-9)) *best = r.cost[i], memcpy(z, r.z + (size_t)i * n, n * sizeof *z);
    for (int i = 0; i < r.n; i++) e->alike += r.cost[i] <= *best * (1 + 1e-4) + 1e-300;
    sn_free(r.z), sn_free(r.cost);
    if (r.failed) {
        sn_err_join(err, &r.err);
        return r.failed;
    }
    return f->stopped ? sn_fail(err, SN_ERR_INTERRUPTED, NULL, "stopped on request") : SN_OK;
}

/* ---- all together ---- */

static void set_reason(sn_estimate *e, const sn_search *last, sn_status status)
{
    e->converged = !status && last->converged;
    snprintf(e->reason, sizeof e->reason, "%s",
             status == SN_ERR_INTERRUPTED ? "stopped on request" : last->reason);
}

/* near: e->z is close to the minimum already, and no other one is looked for. */
static sn_status solve(sn_fit *f, sn_estimate *e, int near, sn_err *err)
{
    const sn_study *s = f->s;
    sn_search last = {.reason = ""};
    int counter = e->n_iteration ? e->iteration[e->n_iteration - 1].iteration : 0;
    double best;
    if (!s->n_fit) {
        e->converged = 1;
        snprintf(e->reason, sizeof e->reason, "nothing to fit: all experiments are held out");
        return SN_OK;
    }
    sn_status status = near ? last_digits(f, e->z, 1, e, &counter, &last, err)
                            : search(f, e->z, s->starts == 0 ? 1 : ALTERNATIVES, e, &counter, &last, err);
    set_reason(e, &last, status);
    SN_TRY(status);
    best = f->cost;
    /* residuals that are no noise may be those of a false minimum */
    int more = near ? 0 : s->starts, odd = 0;
    if (!near && s->starts < 0 && s->horizon != 0 && isfinite(best))
        SN_TRY(sn_noise_coloured(f, e->z, &odd, err));
    if (!near && s->starts < 0) more = odd ? AUTOMATIC_STARTS : 0;
    if (more > 0) {
        status = many_starts(f, e->z, &best, e, more, err);
        if (!status) status = sn_marquardt(f, e->z, &last, err);
        set_reason(e, &last, status);
        SN_TRY(status);
    }
    for (int round = 0; sn_noise_sought(s) && round < NOISE_ROUNDS && isfinite(f->cost); round++) {
        double change = 1;
        f->done = fmin(0.99, fmax(f->done, 0.9) + 0.02);
        SN_TRY(sn_noise_estimate(f, e->z, &change, err));
        if (round && change < 1.02) break; /* weights that differ by so little move nothing */
        last.tolerance = 1e-9, last.damping = 1e-6;
        status = sn_marquardt(f, e->z, &last, err);
        set_reason(e, &last, status);
        SN_TRY(status);
    }
    return SN_OK;
}

static sn_status keep_start(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    for (int h = 1; h >= 0; h--) {
        if (h && s->n_fit == s->n_experiment) continue;
        int before = sn_err_count(err), look = !h && s->horizon < 0;
        sn_status status = look ? choose_window(f, e->z, err) : sn_fit_signals(f, e->z, h, 0, err);
        if (status == SN_ERR_NUMERIC) sn_err_forget(err, before), status = SN_OK;
        SN_TRY(status);
        for (int k = 0; k < s->n_experiment; k++) {
            const sn_experiment *x = &s->experiment[k];
            if (x->hold_out == h)
                memcpy(e->start[k], f->part[k].model, sizeof(double) * (size_t)x->n * (size_t)x->n_channel);
        }
    }
    return SN_OK;
}

sn_status sn_estimate_new(const sn_study *s, sn_estimate **out, sn_err *err)
{
    sn_estimate *e;
    size_t n = (size_t)s->n_unknown + 1;
    if (!SN_NEW(e, 1)) return SN_OUT_OF_MEM(err);
    e->s = s;
    e->hold_out = NAN;
    double **const arrays[] = {&e->z, &e->value, &e->std_error, &e->lo, &e->hi, &e->freedom, &e->inflation};
    int good = 1;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        good &= (*arrays[i] = sn_arena_alloc(&e->arena, n, sizeof(double))) != NULL;
    e->covariance = sn_arena_alloc(&e->arena, n * n, sizeof(double));
    e->correlation = sn_arena_alloc(&e->arena, n * n, sizeof(double));
    e->at_bound = sn_arena_alloc(&e->arena, n, sizeof(int));
    e->direction = sn_arena_alloc(&e->arena, n, sizeof *e->direction);
    double ***const tables[] = {&e->model, &e->start, &e->residual};
    for (int i = 0; i < 3; i++)
        good &=
            (*tables[i] = sn_arena_alloc(&e->arena, (size_t)s->n_experiment + 1, sizeof(double *))) != NULL;
    e->channel = sn_arena_alloc(&e->arena, (size_t)s->n_experiment + 1, sizeof *e->channel);
    good = good && e->covariance && e->correlation && e->at_bound && e->direction && e->channel;
    for (int k = 0; good && k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        size_t samples = (size_t)x->n * (size_t)x->n_channel + 1;
        for (int i = 0; i < 3; i++)
            good &= ((*tables[i])[k] = sn_arena_alloc(&e->arena, samples, sizeof(double))) != NULL;
        good &=
            (e->channel[k] = sn_arena_alloc(&e->arena, (size_t)x->n_channel, sizeof **e->channel)) != NULL;
    }
    if (!good) {
        sn_estimate_free(e);
        return SN_OUT_OF_MEM(err);
    }
    for (size_t k = 0; k < n; k++) e->freedom[k] = INFINITY, e->inflation[k] = 1;
    *out = e;
    return SN_OK;
}

void sn_estimate_free(sn_estimate *e)
{
    if (!e) return;
    sn_free(e->verdict);
    sn_arena_free(&e->arena);
    sn_free(e);
}

/* After a coarser discretisation: begins where that has ended if the minimum is near (sn_refine_near); what
   was found on the way there stays in the record. */
static sn_status go_on(sn_estimate *e, const sn_estimate *from, sn_err *err)
{
    const sn_study *s = e->s;
    size_t n = (size_t)from->n_iteration;
    if (sn_refine_near(from)) {
        for (int k = 0; k < s->n_unknown; k++) e->z[k] = sn_fit_z(s, k, from->value[k]);
        e->starts = from->starts, e->alike = from->alike;
    }
    e->iteration = sn_arena_alloc(&e->arena, n + 64, sizeof *e->iteration);
    if (!e->iteration) return SN_OUT_OF_MEM(err);
    e->n_iteration = from->n_iteration, e->cap_iteration = (int)n + 64;
    for (size_t i = 0; i < n; i++) {
        sn_iteration *q = &e->iteration[i];
        *q = from->iteration[i];
        q->value = sn_arena_alloc(&e->arena, (size_t)s->n_unknown + 1, sizeof *q->value);
        if (!q->value) return SN_OUT_OF_MEM(err);
        memcpy(q->value, from->iteration[i].value, sizeof *q->value * (size_t)s->n_unknown);
    }
    return SN_OK;
}

/* Stopped: what there is counts, and is judged without more searching; e->z is the best so far. Noise that
   was still to be estimated is what the residuals have now. */
static sn_status give_up(sn_fit *f, sn_estimate *e, sn_err *err)
{
    double change;
    f->stopped = 0, f->progress = NULL;
    e->converged = 0, e->stopped = 1;
    snprintf(e->reason, sizeof e->reason, "stopped on request");
    if (!f->s->n_fit || !sn_noise_sought(f->s)) return SN_OK;
    return sn_noise_estimate(f, e->z, &change, err);
}

sn_status sn_study_solve(const sn_study *s, const sn_solve_options *o, sn_estimate **out, sn_err *err)
{
    sn_fit *f = NULL;
    sn_estimate *e = NULL;
    *out = NULL;
    double begin = sn_clock();
    int before = sn_err_count(err);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    sn_status status = sn_fit_new(s, o->threads > 0 ? o->threads : (int)(cores > 0 ? cores : 1), &f, err);
    if (!status) status = sn_estimate_new(s, &e, err);
    if (!status) {
        f->progress = o->progress, f->ctx = o->ctx, f->memo = o->memo, e->progress = o->file;
        f->share = s->starts > 0 ? 1.0 / (s->starts + 2) : 0.9;
        f->window = fmax(0, s->horizon);
        sn_fit_start(f, e->z);
        status = keep_start(f, e, err);
        if (!status) status = sn_estimate_look(e, o->from ? NULL : o->message, o->ctx, err);
        if (!status && o->from) status = go_on(e, o->from, err);
    }
    sn_status searched = status ? status : solve(f, e, o->from && sn_refine_near(o->from), err);
    if (searched == SN_ERR_INTERRUPTED) {
        sn_err_forget(err, before);
        searched = give_up(f, e, err);
    }
    if (!searched) searched = sn_judge(f, e, err);
    if (!searched) searched = sn_estimate_whole(e, err);
    if (e) {
        e->simulations = f->simulations + (o->from ? o->from->simulations : 0);
        e->kept = f->kept + (o->from ? o->from->kept : 0);
        e->seconds = sn_clock() - begin + (o->from ? o->from->seconds : 0);
    }
    sn_fit_free(f);
    if (searched)
        sn_estimate_free(e);
    else
        *out = e;
    return searched;
}
