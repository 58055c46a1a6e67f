/* A study by the filter and smoother: passes over the data (kalman_pass.h), each linearised where the one
   before has led, until nothing changes. What they end at is the minimum of the batch estimate's cost, with
   the same weights of smoothness; steps that do not lower the cost are halved.

   Weights by the likelihood of the innovations: its derivative by the logarithm of a weight is half of

       n - sum (mean(w_i)^2 / s + var(w_i)),   w_i: the smoother's own noise of coefficient i, in its
   deviation

   (Fisher's identity; s = 1 where all noise is stated, else squares/(N - k): its size is profiled, as in
   smoothing.c). Noise that is not stated: squares of a channel's residuals over their number less what the
   unknowns take up. Weights and noise change from pass to pass along with the histories. */
#include "identify/kalman_judge.h"
#include "identify/noise.h"
#include "identify/result.h"
#include "identify/smoothing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PASSES = 60, HALVINGS = 12 };
static const double enough = 1e-8; /* of the cost that a step would still win, relative or in chi square */
static const double same_weight = 0.03; /* of the logarithm of a weight that is found */
static const double grace = 0.25;       /* s, for what is still wanted of a search that was stopped */
static const double same_noise = 2e-3;  /* of deviations */
static const double longest = 1.5;      /* step of an unknown, in scales or factors of e */
static const double nothing = 1e6;      /* deviation of an unknown, likewise, of which nothing is known */

/* The search for one history's weight: the last two places. */
typedef struct seeking {
    int n;
    double log[2], slope[2]; /* of the weight in units of the noise; log (sum of w^2 / n) there */
    double next;             /* by how much the logarithm is to change */
} seeking;

typedef struct sequence {
    sn_fit *f;
    sn_estimate *e;
    sn_kalman_pass *now, *best; /* best: the place before, from which steps are halved */
    seeking *seek;
    double unit;   /* logarithm of the noise's variance, all channels changing alike */
    double change; /* of deviations, the largest, as a ratio */
    int passes;
} sequence;

/* ---- weights ---- */

/* Where it is not known how large a history is: a tenth of the constant that would explain the data is the
   deviation of its differences, at first. */
static sn_status first_weights(sequence *q, sn_err *err)
{
    const sn_study *s = q->f->s;
    int open = 0;
    for (int i = 0; i < s->n_history_part; i++) {
        sn_history_part *h = &s->history_part[i];
        if (s->history[h->history].choice == SN_WEIGHT_GIVEN) continue;
        h->weight = INFINITY, open = 1; /* straight lines, for this pass */
    }
    if (!open) return SN_OK;
    SN_TRY(sn_kalman_pass_run(q->now, 0, err));
    for (int k = 0; k < s->n_history; k++) {
        double level = 0, squares = 0;
        if (s->history[k].choice == SN_WEIGHT_GIVEN) continue;
        for (int i = 0; i < s->n_history_part; i++) {
            const sn_kalman *f = q->now->kalman[s->history_part[i].experiment];
            size_t fixed = (size_t)f->fixed;
            for (int t = 0; t < f->n_track; t++) {
                const sn_kalman_track *r = &f->track[t];
                if (r->part != &s->history_part[i] || r->part->history != k) continue;
                squares += f->G[0];
                for (int a = 0; a < r->order; a++)
                    for (int b = 0; b < r->order; b++)
                        level += f->G[(size_t)(r->diffuse + a) * fixed + (size_t)(r->diffuse + b)];
            }
        }
        double size = level > 0 && squares > 0 ? sqrt(squares / level) : 1;
        for (int i = 0; i < s->n_history_part; i++)
            if (s->history_part[i].history == k) s->history_part[i].weight = 100 / (size * size);
    }
    return SN_OK;
}

static int all_stated(const sn_study *s)
{
    for (int e = 0; e < s->n_experiment; e++)
        for (int c = 0; c < s->experiment[e].n_channel; c++)
            if (!s->experiment[e].known[c]) return 0;
    return 1;
}

/* A step towards the root of slope over the logarithm of the weight, which it grows with: by the secant, not
   further than four decades, and never beyond what is known to be too far. */
static double next_step(const seeking *k)
{
    const double most = 9.2;
    double rate = 0.3;
    if (k->n > 1 && k->log[1] != k->log[0]) {
        double d = (k->slope[1] - k->slope[0]) / (k->log[1] - k->log[0]);
        rate = fmin(fmax(d, 0.02), 2);
    }
    return fmin(fmax(-k->slope[1] / rate, -most), most);
}

static void seek_weights(sequence *q, const sn_kalman_pass *p)
{
    const sn_study *s = q->f->s;
    double others = p->count - p->n, size = all_stated(s) ? 1 : p->squares / fmax(others, 1);
    for (int k = 0; k < s->n_history; k++) {
        seeking *w = &q->seek[k];
        double sum = 0, n = 0, weight = 1;
        if (s->history[k].choice == SN_WEIGHT_GIVEN) continue;
        for (int i = 0; i < s->n_history_part; i++) {
            if (s->history_part[i].history != k) continue;
            sum += p->w_squares[i] / size + p->w_variance[i];
            n += sn_history_differences(s, &s->history_part[i]), weight = s->history_part[i].weight;
        }
        w->log[0] = w->log[1], w->slope[0] = w->slope[1];
        w->log[1] = log(weight) + q->unit, w->slope[1] = log(fmax(sum, 1e-300) / fmax(n, 1));
        w->n++;
        w->next = n > 0 ? next_step(w) : 0;
    }
}

static int weights_found(const sequence *q)
{
    for (int k = 0; k < q->f->s->n_history; k++)
        if (fabs(q->seek[k].next) > same_weight) return 0;
    return 1;
}

/* ---- noise ---- */

/* Squares of the residuals of a channel, in its unit, over the numbers that the unknowns leave; 0: its noise
   is stated everywhere. */
static double noise_of(const sn_study *s, const sn_kalman_pass *p, int channel)
{
    double sum = 0, n = 0, taken = 0;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        for (int c = 0; c < x->n_channel; c++) {
            if (x->channel[c] != channel || x->known[c]) continue;
            taken += p->lever[e][c];
            for (int i = 0; i < x->n; i++) {
                double r = p->residual[e][(size_t)i * (size_t)x->n_channel + (size_t)c];
                if (!isnan(r)) sum += r * r * x->sigma[c] * x->sigma[c] / x->weight, n++;
            }
        }
    }
    return n > 0 ? sqrt(sum / fmax(n - taken, 0.01 * n)) : 0;
}

/* Deviations that are not stated, by the residuals of the linearised problem; without set only their change.
 */
static void seek_noise(sequence *q, const sn_kalman_pass *p, int set)
{
    const sn_study *s = q->f->s;
    double shift = 0, shifted = 0;
    q->change = 1;
    for (int channel = 0; channel < sn_channel_count(s->model); channel++) {
        double to = noise_of(s, p, channel);
        if (!(to > 0)) continue;
        for (int e = 0; e < s->n_experiment; e++) {
            const sn_experiment *x = &s->experiment[e];
            for (int c = 0; c < x->n_channel; c++) {
                if (x->channel[c] != channel || x->known[c]) continue;
                double now = fmax(to, 1e-13 * fmax(x->sigma[c], 1e-300));
                q->change = fmax(q->change, fmax(now / x->sigma[c], x->sigma[c] / now));
                shift += 2 * log(now / x->sigma[c]), shifted++;
                if (set) x->sigma[c] = now;
            }
        }
    }
    if (set && shifted > 0 && !all_stated(s)) q->unit += shift / shifted;
}

/* What the pass says of weights and noise becomes that of the next. */
static void adopt(sequence *q, const sn_kalman_pass *p)
{
    const sn_study *s = q->f->s;
    double unit = q->unit;
    seek_noise(q, p, 1);
    for (int i = 0; i < s->n_history_part; i++) {
        sn_history_part *h = &s->history_part[i];
        if (s->history[h->history].choice == SN_WEIGHT_GIVEN) continue;
        h->weight *= exp(q->seek[h->history].next - (q->unit - unit));
    }
}

/* ---- steps ---- */

/* The step of an unknown: none where nothing is known of it at this place (the gain of a sensor, as long as
   the force that it shall feel is 0), and no longer than one and a half of its scale, or of itself. */
static double step_of(const sn_kalman_pass *p, int u)
{
    double deviation = sqrt(p->covariance[(size_t)u * (size_t)p->n + (size_t)u]),
           most = longest * (p->fit->s->unknown[u].log ? 1 : fmax(1, fabs(p->z[u])));
    return deviation < nothing ? fmin(fmax(p->beta[u], -most), most) : 0;
}

/* The place a part of the step behind p, within the bounds. */
static void step_from(const sn_kalman_pass *p, double part, sn_kalman_pass *to)
{
    const sn_fit *f = p->fit;
    const sn_study *s = f->s;
    for (int u = 0; u < f->n; u++)
        to->z[u] = fmin(fmax(p->z[u] + part * step_of(p, u), f->lower[u]), f->upper[u]);
    for (int i = 0; i < s->n_history_part; i++)
        for (int j = 0; j < s->history_part[i].n; j++)
            to->value[i][j] = p->value[i][j] + part * p->change[i][j];
}

static void tell(sequence *q, double cost, double change)
{
    const sn_kalman_pass *p = q->now;
    sn_step step = {.iteration = q->passes,
                    .cost = cost,
                    .rms = p->count > 0 ? sqrt(2 * cost / p->count) : 0,
                    .change = change,
                    .horizon = INFINITY,
                    .simulations = q->f->simulations,
                    .z = p->z};
    sn_estimate_told(q->e, &step);
}

/* A pass at a place; where the model cannot be simulated, or the cost rose, nearer to the best place. The
   weights of total variation are those of the place before. */
static sn_status try_place(sequence *q, double *cost, sn_err *err)
{
    double part = 1;
    for (int tries = 0;; tries++, part /= 2) {
        int before = sn_err_count(err), first = q->passes == 0;
        sn_status status = sn_kalman_pass_run(q->now, 1, err);
        if (status && (status != SN_ERR_NUMERIC || first)) return status;
        if (status) sn_err_forget(err, before);
        *cost = status ? INFINITY : sn_kalman_pass_cost(q->now);
        q->passes++;
        if (first) return SN_OK;
        double was = sn_kalman_pass_cost(q->best);
        if (*cost <= was * (1 + 1e-9) + 1e-9) return SN_OK;
        if (tries == HALVINGS) return SN_ERR_NUMERIC;
        step_from(q->best, part / 2, q->now);
    }
}

/* An unknown at a bound that would be left outwards stays there from now on; one that would come back is
   free. */
static int freeze(sequence *q)
{
    const sn_fit *f = q->f;
    sn_kalman_pass *p = q->now;
    int changed = 0;
    for (int u = 0; u < f->n; u++) {
        int out = (p->z[u] <= f->lower[u] && p->beta[u] < 0) || (p->z[u] >= f->upper[u] && p->beta[u] > 0);
        if (!out || p->frozen[u]) continue;
        p->frozen[u] = q->best->frozen[u] = 1, changed = 1;
    }
    return changed;
}

static sn_status iterate(sequence *q, sn_err *err)
{
    const sn_study *s = q->f->s;
    sn_estimate *e = q->e;
    int most = s->kalman.iterations < 0 ? MOST_PASSES : s->kalman.iterations;
    snprintf(e->reason, sizeof e->reason, "the limit of passes was reached");
    for (int it = 0;; it++) {
        double cost;
        int before = sn_err_count(err);
        q->f->done = fmin(0.98, 0.1 * it);
        sn_status status = try_place(q, &cost, err);
        if (status == SN_ERR_NUMERIC && q->passes > 1) {
            sn_err_forget(err, before);
            step_from(q->best, 0, q->now);
            snprintf(e->reason, sizeof e->reason, "no step along the gradient makes it better");
            return sn_kalman_pass_run(q->now, 1, err);
        }
        SN_TRY(status);
        if (freeze(q)) SN_TRY(sn_kalman_pass_run(q->now, 1, err));
        double gain = cost - 0.5 * q->now->squares;
        seek_weights(q, q->now), seek_noise(q, q->now, 0);
        tell(q, cost, gain);
        int settled = weights_found(q) && q->change < 1 + same_noise;
        if (gain <= enough * fmax(1, cost) && settled) {
            e->converged = 1;
            snprintf(e->reason, sizeof e->reason, "the cost no longer changes, after %d passes over the data",
                     q->passes);
            return SN_OK;
        }
        if (it >= most) {
            e->converged = s->kalman.iterations >= 0 && settled;
            return SN_OK;
        }
        sn_kalman_pass *was = q->best;
        q->best = q->now, q->now = was;
        memcpy(q->now->frozen, q->best->frozen, (size_t)q->f->n);
        step_from(q->best, 1, q->now);
        adopt(q, q->best);
    }
}

/* ---- the study ---- */

static void start_values(sequence *q)
{
    const sn_study *s = q->f->s;
    sn_fit_start(q->f, q->now->z);
    for (int i = 0; i < s->n_history_part; i++)
        for (int j = 0; j < s->history_part[i].n; j++)
            q->now->value[i][j] = s->history[s->history_part[i].history].start;
}

static sn_status solve(sequence *q, sn_err *err)
{
    SN_TRY(first_weights(q, err));
    return iterate(q, err);
}

/* Stopped on request: the place before counts, if a pass was made there. */
static sn_status give_up(sequence *q, sn_err *err)
{
    const sn_study *s = q->f->s;
    sn_kalman_pass *p = q->best;
    if (!q->e->n_iteration)
        return sn_fail(err, SN_ERR_INTERRUPTED, NULL,
                       "stopped on request, before a pass over the data was made");
    q->best = q->now, q->now = p;
    q->f->progress = NULL, q->f->stopped = 0;
    q->e->converged = 0, q->e->stopped = SN_STOPPED_SEARCH, q->e->deadline = sn_clock() + grace;
    snprintf(q->e->reason, sizeof q->e->reason, "stopped on request");
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        sn_part *part = &q->f->part[e];
        for (int i = 0; i < x->n * x->n_channel; i++) {
            double one = x->sigma[i % x->n_channel] * (x->relative ? x->relative[i] : 1) / sqrt(x->weight);
            part->r[i] = -p->residual[e][i], part->model[i] = x->y[i] + part->r[i] * one;
        }
    }
    return SN_OK;
}

sn_status sn_kalman_study(const sn_study *s, const sn_solve_options *o, sn_estimate **out, sn_err *err)
{
    sequence q = {.passes = 0};
    double begin = sn_clock();
    int before = sn_err_count(err);
    *out = NULL;
    sn_status status = sn_fit_new(s, 1, &q.f, err);
    if (!status) status = sn_estimate_new(s, &q.e, err);
    if (!status) status = sn_kalman_pass_new(q.f, &q.now, err);
    if (!status) status = sn_kalman_pass_new(q.f, &q.best, err);
    if (!status && !SN_NEW(q.seek, s->n_history + 1)) status = SN_OUT_OF_MEM(err);
    if (!status) {
        q.f->progress = o->progress, q.f->ctx = o->ctx, q.e->progress = o->file;
        q.e->patience = o->progress, q.e->state = o->state, q.e->ctx = o->ctx;
        start_values(&q);
        status = sn_kalman_look(q.now, q.e, o, err);
    }
    if (!status) status = solve(&q, err);
    if (status == SN_ERR_INTERRUPTED && q.e) {
        sn_err_forget(err, before);
        status = give_up(&q, err);
    }
    if (!status) status = sn_kalman_judge(q.now, q.e, err);
    if (!status) status = sn_estimate_whole(q.e, err);
    if (!status) q.e->simulations = q.f->simulations, q.e->seconds = sn_clock() - begin;
    sn_kalman_pass_free(q.now), sn_kalman_pass_free(q.best);
    sn_free(q.seek);
    sn_fit_free(q.f);
    if (status)
        sn_estimate_free(q.e);
    else
        *out = q.e;
    return status;
}
