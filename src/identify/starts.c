/* Searches from random starts, several at a time, each on a thread of its own. */
#include "identify/starts.h"
#include "identify/memo.h"
#include "identify/progress.h"
#include "identify/random.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct tries {
    const sn_study *s;
    sn_fit *outer;
    double *z, *cost; /* of each try */
    atomic_int next, stop, done;
    int n;
    atomic_long simulations, kept;
    pthread_t main;
    sn_estimate *e;
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
    if (pthread_equal(r->main, pthread_self()) && f->progress) {
        int ended = atomic_load(&r->done);
        double part = f->done + (0.9 - f->done) * (0.5 + ended) / (r->n + 1);
        sn_tell_state(r->e,
                      &(sn_step){.horizon = INFINITY,
                                 .rms = NAN,
                                 .done = part,
                                 .simulations = f->simulations + atomic_load(&r->simulations)},
                      ended, r->n);
        if (f->progress(f->ctx, part, t)) atomic_store(&r->stop, 1);
    }
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
    sn_search last = {.minima = NULL};
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
    sn_status status = sn_choose_window(f, z, err);
    if (!status) status = sn_search_from(f, z, 1, NULL, &counter, &last, err);
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
        long before = f->simulations;
        sn_err_clear(&err);
        f->group = i + 1;
        status = try_one(f, z, &r->cost[i], result, &err);
        if (!status) sn_progress_start(r->e->progress, r->cost[i], z);
        atomic_fetch_add(&r->simulations, f->simulations - before);
    }
    if (status && status != SN_ERR_INTERRUPTED) fail_tries(r, status, &err);
    if (f) atomic_fetch_add(&r->kept, f->kept);
    sn_free(result);
    sn_fit_free(f);
    return NULL;
}

/* Starts that were asked for spread around the given ones; those made for doubt around these and around the
   estimate by turns. */
static void draw(const sn_fit *f, const double *z, sn_range range, double *to)
{
    const sn_study *s = f->s;
    unsigned long long seed = 0x9E3779B97F4A7C15ULL ^ (s->seed * 0xD1B54A32D192ED03ULL);
    for (int i = 0; i < range.to; i++)
        for (int k = 0; k < f->n; k++) {
            const sn_unknown *u = &s->unknown[k];
            int around = s->starts < 0 && i % 2 == 0;
            double start = around ? z[k] : sn_fit_z(s, k, u->start), x = 2 * sn_uniform(&seed) - 1;
            if (i < range.from) continue;
            double at = u->log ? start + x * log(s->spread)
                        : isfinite(u->lower) && isfinite(u->upper)
                            ? (u->lower + (x + 1) / 2 * (u->upper - u->lower)) / u->scale
                            : start + x * s->spread / 10;
            to[(size_t)(i - range.from) * (size_t)f->n + (size_t)k] =
                u->experiment >= 0 ? start : fmin(fmax(at, f->lower[k]), f->upper[k]);
        }
}

static int alike(double cost, double best, double count) { return cost <= best * (1 + 1e-4) + 1e-12 * count; }

/* What the tries have found: the best, how many found it again, in how many places they ended, and which of
   these could be as likely. */
static sn_status sum_up(const tries *r, double *z, double *best, double count, sn_minima *m, sn_err *err)
{
    size_t n = (size_t)r->outer->n;
    double was = *best;
    sn_estimate *e = r->e;
    sn_status status = SN_OK;
    for (int i = 0; i < r->n; i++)
        if (r->cost[i] < *best * (1 - 1e-9))
            *best = r->cost[i], memcpy(z, r->z + (size_t)i * n, n * sizeof *z);
    if (!alike(was, *best, count)) e->alike = 0; /* earlier ones found something worse */
    for (int i = 0; i < r->n; i++) {
        int new = isfinite(r->cost[i]) && !alike(r->cost[i], *best, count);
        e->alike += alike(r->cost[i], *best, count);
        for (int j = 0; new &&j < i; j++) new = fabs(r->cost[i] - r->cost[j]) > 1e-4 * r->cost[i];
        e->doubts.places += new;
        /* by more than that no noise makes one better than the other */
        int near = r->cost[i] - *best <= 30 * fmax(2 * *best / fmax(1, count), 1e-300);
        if (!status && near) status = sn_minima_add(m, r->z + (size_t)i * n, 1, err);
    }
    return status;
}

sn_status sn_many_starts(sn_fit *f, double *z, double *best, sn_estimate *e, sn_range range, sn_minima *m,
                         sn_err *err)
{
    size_t n = (size_t)f->n;
    double count = f->count;
    tries r = {.s = f->s, .outer = f, .n = range.to - range.from, .main = pthread_self(), .e = e};
    if (!SN_NEW(r.z, n * (size_t)r.n) || !SN_NEW(r.cost, r.n)) {
        sn_free(r.z), sn_free(r.cost);
        return SN_OUT_OF_MEM(err);
    }
    sn_progress_starts(e->progress, r.n, *best, z);
    for (int i = 0; i < r.n; i++) r.cost[i] = INFINITY; /* until it is tried */
    draw(f, z, range, r.z);
    pthread_mutex_init(&r.lock, NULL);
    sn_fit_together(f, r.n, &(sn_together){try_some, &r, stop_try, &r});
    pthread_mutex_destroy(&r.lock);
    f->simulations += atomic_load(&r.simulations), f->kept += atomic_load(&r.kept);
    f->stopped = atomic_load(&r.stop);
    e->starts += r.n;
    sn_status status = sum_up(&r, z, best, count, m, err);
    sn_free(r.z), sn_free(r.cost);
    if (r.failed) {
        sn_err_join(err, &r.err);
        return r.failed;
    }
    if (status) return status;
    return f->stopped ? sn_fail(err, SN_ERR_INTERRUPTED, NULL, "stopped on request") : SN_OK;
}
