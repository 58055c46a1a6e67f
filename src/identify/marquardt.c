/* Bounded nonlinear least squares by Levenberg and Marquardt's method on the normal equations: columns scaled
   by their own size, damping by the gain ratio (Nielsen, Damping parameter in Marquardt's method, 1999),
   unknowns at a bound that the gradient pushes outwards are left out of the step (projected search), singular
   directions stay where they are. */
#include "identify/fit.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

static const double longest = 1.5;  /* step, in scales or factors of e */
static const double nothing = 1e-6; /* of the noise of all numbers: what a step cannot do */

/* How far unknown k may go in a step: responses are nearly linear in values of histories, and those of series
   are damped by what is expected of them. */
static double reach(const sn_fit *f, const double *z, int k)
{
    const sn_unknown *u = &f->s->unknown[k];
    return u->of_history || u->of_series ? INFINITY : longest * (u->log ? 1 : fmax(1, fabs(z[k])));
}

/* Unknowns that may move: not fixed, not pushed against a bound, and not without any effect where the others
   are now (the gain of a sensor, as long as the force that it shall feel is 0): rounding would send these
   anywhere, and all others would hardly move beside. Returns their number. */
static int free_ones(const sn_fit *f, const double *z, const unsigned char *fixed, int *list)
{
    double least = nothing * sqrt(fmax(1, f->count));
    int n = 0;
    for (int k = 0; k < f->n; k++) {
        int out = (z[k] <= f->lower[k] && f->g[k] > 0) || (z[k] >= f->upper[k] && f->g[k] < 0);
        double effect = sqrt(f->A[(size_t)k * (size_t)f->n + (size_t)k]) * reach(f, z, k);
        if (!out && !(fixed && fixed[k]) && effect > least) list[n++] = k;
    }
    return n;
}

/* The largest diagonal of the numbers of a history that is a series, of one experiment. */
static double largest_of(const sn_fit *f, const sn_unknown *u)
{
    double top = 0;
    for (int k = 0; k < f->n; k++)
        if (f->s->unknown[k].of_series == u->of_series && f->s->unknown[k].experiment == u->experiment)
            top = fmax(top, f->A[(size_t)k * (size_t)f->n + (size_t)k]);
    return top;
}

/* Solve (A + damping D) d = -g over the list; 0: not positive definite. D = diag(A), but for series: with
   their own diagonals the frequency of a term of hardly any amplitude would go anywhere, so all of its
   numbers, scaled by what is expected of them, are damped alike. */
static int solve(const sn_fit *f, int n, const int *list, double damping, double *work, double *d)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double a = f->A[(size_t)list[i] * (size_t)f->n + (size_t)list[j]];
            double si = sqrt(f->A[(size_t)list[i] * (size_t)f->n + (size_t)list[i]]);
            double sj = sqrt(f->A[(size_t)list[j] * (size_t)f->n + (size_t)list[j]]);
            work[i * n + j] = a / (si * sj) + (i == j ? damping : 0);
        }
        const sn_unknown *u = &f->s->unknown[list[i]];
        if (u->of_series)
            work[i * n + i] +=
                damping * (largest_of(f, u) / f->A[(size_t)list[i] * (size_t)f->n + (size_t)list[i]] - 1);
        d[i] = -f->g[list[i]] / sqrt(f->A[(size_t)list[i] * (size_t)f->n + (size_t)list[i]]);
    }
    if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, 1, work, n, d, 1)) return 0;
    for (int i = 0; i < n; i++) d[i] /= sqrt(f->A[(size_t)list[i] * (size_t)f->n + (size_t)list[i]]);
    return 1;
}

/* A step is no longer than a factor of 4.5, or one and a half of the scale, or of the value where that is
   more: what starts small by chance grows by factors, too. */
static void shorten(const sn_fit *f, const double *z, int n, const int *list, double *d)
{
    double top = 0;
    for (int i = 0; i < n; i++) top = fmax(top, fabs(d[i]) / reach(f, z, list[i]));
    for (int i = 0; top > 1 && i < n; i++) d[i] /= top;
}

/* The largest change of an unknown; of values of histories in parts of the largest. */
static double changed(const sn_fit *f, const double *z, const double *next)
{
    double change = 0, most = 0, top = 0;
    for (int k = 0; k < f->n; k++) {
        double d = fabs(next[k] - z[k]);
        if (f->s->unknown[k].of_history)
            most = fmax(most, d), top = fmax(top, fabs(next[k]));
        else
            change = fmax(change, d);
    }
    return top > 0 ? fmax(change, most / top) : change;
}

typedef struct room {
    int *list;
    double *work, *d, *next;
    double *A, *g, cost, count; /* of f at the last point that counts */
} room;

static void close_room(room *r)
{
    sn_free(r->list), sn_free(r->work), sn_free(r->d), sn_free(r->next), sn_free(r->A), sn_free(r->g);
}

/* The reduction that the linear model promises for a step from z to next. */
static double promised(const sn_fit *f, const double *A, const double *g, const double *z, const double *next)
{
    double sum = 0;
    size_t n = (size_t)f->n;
    for (size_t i = 0; i < n; i++) {
        double d = next[i] - z[i], Ad = 0;
        for (size_t j = 0; j < n; j++) Ad += A[i * n + j] * (next[j] - z[j]);
        sum -= d * (g[i] + 0.5 * Ad);
    }
    return sum;
}

/* What f had at the last point that counts, after one that does not. */
static void go_back(sn_fit *f, const room *r)
{
    size_t n = (size_t)f->n;
    memcpy(f->A, r->A, sizeof(double) * n * n), memcpy(f->g, r->g, sizeof(double) * n);
    f->cost = r->cost, f->count = r->count;
}

static void tell(const sn_fit *f, const sn_search *o, const double *z, double change, double damping)
{
    if (o->counter) ++*o->counter;
    if (!o->told) return;
    sn_step step = {.iteration = o->counter ? *o->counter : 0,
                    .stage = o->stage,
                    .cost = f->cost,
                    .change = change,
                    .rms = f->count > 0 ? sqrt(2 * f->cost / f->count) : 0,
                    .damping = damping,
                    .horizon = o->horizon,
                    .simulations = f->simulations,
                    .done = f->done,
                    .z = z};
    o->told(o->ctx, &step);
}

static sn_status iterate(sn_fit *f, double *z, sn_search *o, room *r, sn_err *err)
{
    const double xtol = 1e-10;
    double damping = o->damping > 0 ? o->damping : 1e-2, rise = 2;
    size_t n = (size_t)f->n;
    int before = sn_err_count(err);
    sn_status status = o->ready ? SN_OK : sn_fit_evaluate(f, z, o->horizon, o->held_out, 1, err);
    if (status == SN_ERR_NUMERIC) {
        sn_err_forget(err, before);
        o->reason = "the model cannot be simulated at the start values";
        return SN_OK;
    }
    SN_TRY(status);
    tell(f, o, z, 0, damping);
    double cost = f->cost;
    for (int it = 0; it < o->most; it++) {
        int m = free_ones(f, z, o->fixed, r->list);
        if (m == 0) {
            o->converged = 1, o->reason = "all unknowns are at their bounds";
            return SN_OK;
        }
        memcpy(r->A, f->A, sizeof(double) * n * n), memcpy(r->g, f->g, sizeof(double) * n);
        r->cost = cost, r->count = f->count;
        double change = 0, gain = -1, promise = 0;
        while (gain <= 0) {
            if (damping > 1e12) {
                o->converged = 0,
                o->reason = "no step makes it better, though the gradient says so: the model is not smooth "
                            "here, or its derivatives have little accuracy left";
                /* where what could still be won is nothing compared to the cost, that is the end of it */
                if (promise <= 1e-6 * cost)
                    o->converged = 1, o->reason = "nothing more to be won within rounding";
                return SN_OK;
            }
            if (!solve(f, m, r->list, damping, r->work, r->d)) {
                damping = damping * rise, rise *= 2;
                continue;
            }
            shorten(f, z, m, r->list, r->d);
            memcpy(r->next, z, sizeof(double) * n);
            for (int i = 0; i < m; i++) {
                int k = r->list[i];
                r->next[k] = fmin(fmax(z[k] + r->d[i], f->lower[k]), f->upper[k]);
            }
            change = changed(f, z, r->next);
            promise = promised(f, r->A, r->g, z, r->next);
            if (change <= xtol || promise <= 1e-16 * cost) {
                o->converged = 1,
                o->reason = change <= xtol ? "the unknowns no longer change" : "the cost no longer changes";
                return SN_OK;
            }
            status = sn_fit_evaluate(f, r->next, o->horizon, o->held_out, 1, err);
            gain = status ? -1 : (cost - f->cost) / promise;
            if (gain > 0) break;
            go_back(f, r);
            if (status && status != SN_ERR_NUMERIC) return status;
            if (status) sn_err_forget(err, before);
            damping *= rise, rise *= 2;
        }
        double was = cost;
        cost = f->cost;
        memcpy(z, r->next, sizeof(double) * n);
        damping = fmax(1e-12, damping * fmax(1.0 / 3, 1 - pow(2 * gain - 1, 3))), rise = 2;
        tell(f, o, z, change, damping);
        if (was - cost <= o->tolerance * was && promise <= o->tolerance * was) {
            o->converged = 1, o->reason = "the cost no longer changes";
            return SN_OK;
        }
    }
    o->reason = "the limit of iterations was reached";
    return SN_OK;
}

sn_status sn_marquardt(sn_fit *f, double *z, sn_search *o, sn_err *err)
{
    room r = {0};
    size_t n = (size_t)f->n + 1;
    sn_err own;
    sn_err *e = err ? err : &own;
    if (!err) sn_err_clear(&own);
    o->converged = 0, o->reason = "";
    sn_status status = SN_NEW(r.list, n) && SN_NEW(r.work, n * n) && SN_NEW(r.d, n) && SN_NEW(r.next, n) &&
                               SN_NEW(r.A, n * n) && SN_NEW(r.g, n)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    if (!status) status = iterate(f, z, o, &r, e);
    close_room(&r);
    return status;
}
