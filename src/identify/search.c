/* Searches that need no Jacobian of all residuals: L-BFGS with bounds by projection (gradients by the
   adjoint, whose cost does not grow with the number of unknowns) and CMA-ES (no gradients at all, for costs
   with many false minima).

   Nocedal and Wright, Numerical Optimization, algorithms 7.4 and 7.5; Hansen, The CMA evolution strategy: a
   tutorial, with its default parameters. */
#include "identify/search.h"
#include "identify/memo.h"
#include "identify/random.h"
#include "identify/shown.h"
#include "identify/smoothing.h"
#include "sensitivity/gradient.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

/* ---- cost and gradient by the adjoint ---- */

/* What one experiment asks of its run: the data as the model would have to give them, on the model's clock,
   weighted, with the loss of the study. */
typedef struct weighted_data {
    sn_data data;
    double *t, *y, *weight, *bend, *by; /* by: derivatives */
    const char **names;                 /* of the quantities that move */
} weighted_data;

static void drop(weighted_data *a)
{
    sn_free(a->t), sn_free(a->y), sn_free(a->weight), sn_free(a->bend), sn_free(a->by), sn_free(a->names);
}

/* gain y + offset - v is gain times y - (v - offset)/gain. */
static sn_status weigh_data(const sn_fit *f, int e, const sn_shown *w, weighted_data *a, sn_err *err)
{
    const sn_study *s = f->s;
    const sn_experiment *x = &s->experiment[e];
    const sn_part *p = &f->part[e];
    size_t channels = (size_t)x->n_channel, n = (size_t)p->nx + 1, rows = (size_t)w->n_moment + 1;
    *a = (weighted_data){.data = {.n_channel = x->n_channel, .channel = x->channel}};
    if (!SN_NEW(a->t, rows) || !SN_NEW(a->y, rows * channels) || !SN_NEW(a->weight, channels) ||
        !SN_NEW(a->bend, channels) || !SN_NEW(a->by, n) || !SN_NEW(a->names, n))
        return SN_OUT_OF_MEM(err);
    for (int k = 0; k < p->nx; k++)
        a->names[k] = k < p->own ? s->unknown[p->unknown[k]].parameter : s->tie[k - p->own].parameter;
    for (int c = 0; c < x->n_channel; c++) {
        double gain = w->channel[c].gain.x, sigma = x->sigma[c] / fabs(gain);
        a->weight[c] = 0.5 * x->weight / (sigma * sigma);
        a->bend[c] = s->huber > 0 ? s->huber * sigma / sqrt(x->weight) : INFINITY;
    }
    for (int i = 0; i < w->n_moment; i++) {
        const sn_shown_moment *m = &w->moment[i];
        double *y = a->y + (size_t)a->data.n * channels;
        if (m->side) continue;
        a->t[a->data.n++] = m->t;
        for (size_t c = 0; c < channels; c++)
            y[c] = w->channel[c].stream == m->stream
                       ? sn_shown_back(w, m->row, (int)c, x->y[(size_t)m->row * channels + c])
                       : NAN;
    }
    a->data.t = a->t, a->data.y = a->y, a->data.weight = a->weight, a->data.bend = a->bend;
    return SN_OK;
}

/* By the adjoint, of an experiment whose values are set. */
static sn_status adjoint(sn_fit *f, int e, const sn_shown *w, const double *z, double *cost, double *g,
                         sn_err *err)
{
    const sn_study *s = f->s;
    const sn_experiment *x = &s->experiment[e];
    const sn_part *p = &f->part[e];
    static const char *const of[1] = {"misfit()"};
    const size_t n = (size_t)p->n;
    double value = 0;
    weighted_data a;
    sn_status status = weigh_data(f, e, w, &a, err);
    sn_gradient_options o = {.size = sizeof o,
                             .run = s->run,
                             .of = of,
                             .n_of = 1,
                             .wrt = a.names,
                             .n_wrt = p->nx,
                             .data = &a.data,
                             .method = SN_GRADIENT_ADJOINT};
    o.run.begin = x->begin, o.run.end = w->end, o.run.exact = SN_SIX_DIGITS;
    sn_poll poll = sn_fit_poll(f);
    o.run.progress = sn_fit_stop, o.run.ctx = &poll;
    /* the cost and its derivatives, unless they are known from earlier */
    sn_key key = sn_memo_run(f->memo, f, e, INFINITY, 2, z);
    int kept = !status && sn_memo_get(f->memo, key, (size_t)p->nx + 1, a.by);
    if (kept)
        value = a.by[p->nx];
    else if (!status)
        status = sn_gradient_kept(&f->sim[0], s->model, p->values, &o,
                                  &(sn_gradient_result){&value, a.by, NULL, NULL}, NULL, err);
    if (!status) a.by[p->nx] = value;
    if (!kept && !status) sn_memo_put(f->memo, key, f->group, (size_t)p->nx + 1, a.by);
    f->simulations++, f->kept += kept;
    *cost += value;
    for (int i = 0; !status && i < a.data.n * x->n_channel; i++) f->count += !isnan(a.data.y[i]);
    /* unknowns move their own quantity, and those tied to them */
    for (int k = 0; !status && k < p->own; k++)
        g[p->unknown[k]] += a.by[k] * p->dx[(size_t)k * n + (size_t)k];
    for (int k = p->own; !status && k < p->nx; k++)
        for (size_t i = 0; i < n; i++) g[p->unknown[i]] += a.by[k] * p->dx[(size_t)k * n + i];
    drop(&a);
    return status;
}

/* A sensor that is turned mixes channels before they are compared: what it shows is no sum over channels of
   the model, and forward sensitivities give the gradient. */
static sn_status one_gradient(sn_fit *f, int e, const double *z, double *cost, double *g, sn_err *err)
{
    const sn_experiment *x = &f->s->experiment[e];
    const sn_part *p = &f->part[e];
    sn_shown *w;
    if (x->sort) return sn_fit_forward(f, e, z, cost, g, err);
    SN_TRY(sn_fit_set(f, e, z, err));
    SN_TRY(sn_shown_new(f->s, x, p->n, p->unknown, z, &w, err));
    sn_status status = w->exact ? sn_shown_moments(w, INFINITY, err) : sn_fit_forward(f, e, z, cost, g, err);
    /* moved before the run begins no sample counts */
    if (!status && w->exact && w->n_moment && w->end > x->begin) {
        status = adjoint(f, e, w, z, cost, g, err);
        if (!status) status = sn_fit_instruments(f, e, z, g, err);
    }
    sn_shown_free(w);
    return status;
}

sn_status sn_fit_gradient(sn_fit *f, const double *z, double *cost, double *g, sn_err *err)
{
    const sn_study *s = f->s;
    *cost = f->count = 0;
    memset(g, 0, sizeof *g * (size_t)f->n);
    if (f->progress && f->progress(f->ctx, 0, 0))
        return sn_fail(err, SN_ERR_INTERRUPTED, NULL, "stopped on request");
    for (int e = 0; e < s->n_experiment; e++)
        if (!s->experiment[e].hold_out) SN_TRY(one_gradient(f, e, z, cost, g, err));
    for (int k = 0; k < f->n; k++) {
        const sn_unknown *u = &s->unknown[k];
        double unit = u->log ? 1 : u->scale;
        if (isnan(u->prior)) continue;
        double r = (z[k] * unit - u->prior) / u->prior_sd;
        *cost += 0.5 * r * r, f->count++, g[k] += r * unit / u->prior_sd;
    }
    *cost += sn_smoothing_add(s, z, 0, g, NULL);
    return SN_OK;
}

/* ---- L-BFGS with bounds ---- */

enum { MEMORY = 12 };

typedef struct lbfgs {
    double *s[MEMORY], *y[MEMORY], rho[MEMORY], *d, *next, *gn, *g;
    int n, at; /* pairs there are, where the next one goes */
} lbfgs;

static int at_bound(const sn_fit *f, const double *z, const double *g, int k)
{
    return (z[k] <= f->lower[k] && g[k] > 0) || (z[k] >= f->upper[k] && g[k] < 0);
}

/* d = -H g over the unknowns that are not pushed against a bound. */
static void direction(const sn_fit *f, const lbfgs *b, const double *z, const double *g, double *d)
{
    double alpha[MEMORY];
    for (int k = 0; k < f->n; k++) d[k] = at_bound(f, z, g, k) ? 0 : -g[k];
    for (int i = 0; i < b->n; i++) {
        int j = (b->at - 1 - i + 2 * MEMORY) % MEMORY;
        double sum = 0;
        for (int k = 0; k < f->n; k++) sum += b->s[j][k] * d[k];
        alpha[j] = b->rho[j] * sum;
        for (int k = 0; k < f->n; k++) d[k] -= alpha[j] * b->y[j][k];
    }
    if (b->n) {
        int j = (b->at - 1 + MEMORY) % MEMORY;
        double yy = 0;
        for (int k = 0; k < f->n; k++) yy += b->y[j][k] * b->y[j][k];
        for (int k = 0; k < f->n; k++) d[k] /= b->rho[j] * yy;
    }
    for (int i = b->n - 1; i >= 0; i--) {
        int j = (b->at - 1 - i + 2 * MEMORY) % MEMORY;
        double sum = 0;
        for (int k = 0; k < f->n; k++) sum += b->y[j][k] * d[k];
        for (int k = 0; k < f->n; k++) d[k] += b->s[j][k] * (alpha[j] - b->rho[j] * sum);
    }
    for (int k = 0; k < f->n; k++)
        if (at_bound(f, z, g, k)) d[k] = 0;
}

static void learn(lbfgs *b, int n, const double *z, const double *next, const double *g, const double *gn)
{
    double sy = 0, yy = 0;
    for (int k = 0; k < n; k++) {
        b->s[b->at][k] = next[k] - z[k], b->y[b->at][k] = gn[k] - g[k];
        sy += b->s[b->at][k] * b->y[b->at][k], yy += b->y[b->at][k] * b->y[b->at][k];
    }
    if (!(sy > 1e-12 * yy)) return; /* no curvature to learn from */
    b->rho[b->at] = 1 / sy;
    b->at = (b->at + 1) % MEMORY;
    if (b->n < MEMORY) b->n++;
}

static void tell(sn_search *o, double cost, double count, double change, const double *z)
{
    if (o->counter) ++*o->counter;
    sn_step step = {.iteration = o->counter ? *o->counter : 0,
                    .stage = o->stage,
                    .cost = cost,
                    .change = change,
                    .rms = count > 0 ? sqrt(2 * cost / count) : 0,
                    .horizon = INFINITY,
                    .z = z};
    if (o->told) o->told(o->ctx, &step);
}

static sn_status descend(sn_fit *f, double *z, lbfgs *b, sn_search *o, sn_err *err)
{
    double cost, was;
    size_t bytes = sizeof(double) * (size_t)f->n;
    SN_TRY(sn_fit_gradient(f, z, &cost, b->g, err));
    for (int it = 0; it < o->most; it++) {
        double slope = 0, change = 0, step = 1, next = INFINITY;
        direction(f, b, z, b->g, b->d);
        for (int k = 0; k < f->n; k++) slope += b->d[k] * b->g[k], change = fmax(change, fabs(b->d[k]));
        if (!(slope < 0)) {
            o->converged = 1, o->reason = "the gradient is zero";
            return SN_OK;
        }
        if (!b->n) step = fmin(1, 0.1 / change); /* nothing known of the scale yet */
        if (change * step > 1.5) step = 1.5 / change;
        for (int tries = 0;; tries++, step /= 3) {
            if (tries == 25) {
                o->converged = -slope < 1e-6 * cost;
                o->reason = o->converged ? "nothing more to be won within rounding"
                                         : "no step along the gradient makes it better";
                return SN_OK;
            }
            for (int k = 0; k < f->n; k++)
                b->next[k] = fmin(fmax(z[k] + step * b->d[k], f->lower[k]), f->upper[k]);
            int before = sn_err_count(err);
            sn_status status = sn_fit_gradient(f, b->next, &next, b->gn, err);
            if (status && status != SN_ERR_NUMERIC) return status;
            if (status) sn_err_forget(err, before), next = INFINITY;
            if (next <= cost + 1e-4 * step * slope) break;
        }
        was = cost, cost = next;
        learn(b, f->n, z, b->next, b->g, b->gn);
        memcpy(z, b->next, bytes), memcpy(b->g, b->gn, bytes);
        tell(o, cost, f->count, change * step, z);
        if (was - cost <= o->tolerance * was) {
            o->converged = 1, o->reason = "the cost no longer changes";
            return SN_OK;
        }
    }
    o->reason = "the limit of iterations was reached";
    return SN_OK;
}

sn_status sn_lbfgs(sn_fit *f, double *z, sn_search *o, sn_err *err)
{
    lbfgs b = {.n = 0};
    size_t n = (size_t)f->n + 1;
    int good = SN_NEW(b.d, n) && SN_NEW(b.next, n) && SN_NEW(b.gn, n) && SN_NEW(b.g, n);
    for (int i = 0; i < MEMORY && good; i++) good = SN_NEW(b.s[i], n) && SN_NEW(b.y[i], n);
    o->converged = 0, o->reason = "";
    sn_status status = good ? descend(f, z, &b, o, err) : SN_OUT_OF_MEM(err);
    for (int i = 0; i < MEMORY; i++) sn_free(b.s[i]), sn_free(b.y[i]);
    sn_free(b.d), sn_free(b.next), sn_free(b.gn), sn_free(b.g);
    return status;
}

/* ---- CMA-ES ---- */

typedef struct cma {
    int n, lambda, mu;
    double *mean, *C, *B, *D, *ps, *pc, *x, *y, *cost, *weight, *work; /* B: vectors by columns, D: roots */
    int *order;
    double sigma, mueff, cs, ds, cc, c1, cmu, chi;
    double count; /* numbers that count, of the last run that did not fail */
    unsigned long long seed;
} cma;

static void constants(cma *c)
{
    double n = c->n, sum = 0, square = 0;
    for (int i = 0; i < c->mu; i++) sum += c->weight[i] = log(0.5 * (c->lambda + 1)) - log(i + 1);
    for (int i = 0; i < c->mu; i++) c->weight[i] /= sum, square += c->weight[i] * c->weight[i];
    c->mueff = 1 / square;
    c->cs = (c->mueff + 2) / (n + c->mueff + 5);
    c->ds = 1 + 2 * fmax(0, sqrt((c->mueff - 1) / (n + 1)) - 1) + c->cs;
    c->cc = (4 + c->mueff / n) / (n + 4 + 2 * c->mueff / n);
    c->c1 = 2 / ((n + 1.3) * (n + 1.3) + c->mueff);
    c->cmu = fmin(1 - c->c1, 2 * (c->mueff - 2 + 1 / c->mueff) / ((n + 2) * (n + 2) + c->mueff));
    c->chi = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
}

static int decompose(cma *c)
{
    size_t n = (size_t)c->n;
    memcpy(c->B, c->C, n * n * sizeof *c->B);
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', c->n, c->B, c->n, c->D)) return 0;
    for (size_t i = 0; i < n; i++) c->D[i] = sqrt(fmax(c->D[i], 1e-300));
    return 1;
}

static sn_status generation(sn_fit *f, cma *c, sn_err *err)
{
    int n = c->n;
    for (int i = 0; i < c->lambda; i++) {
        double *x = c->x + (size_t)i * (size_t)n, *y = c->y + (size_t)i * (size_t)n, outside = 0;
        memset(y, 0, sizeof *y * (size_t)n);
        for (int k = 0; k < n; k++) {
            double g = c->D[k] * sn_normal(&c->seed);
            for (int r = 0; r < n; r++) y[r] += c->B[k * n + r] * g;
        }
        for (int r = 0; r < n; r++) {
            double want = c->mean[r] + c->sigma * y[r];
            x[r] = fmin(fmax(want, f->lower[r]), f->upper[r]);
            outside += (want - x[r]) * (want - x[r]);
        }
        int before = sn_err_count(err);
        sn_status status = sn_fit_evaluate(f, x, INFINITY, 0, 0, err);
        if (status && status != SN_ERR_NUMERIC) return status;
        if (status) sn_err_forget(err, before);
        c->cost[i] = status ? INFINITY : f->cost * (1 + outside);
        if (!status) c->count = f->count;
        int at = i;
        while (at > 0 && c->cost[c->order[at - 1]] > c->cost[i]) c->order[at] = c->order[at - 1], at--;
        c->order[at] = i;
    }
    return SN_OK;
}

static void adapt(cma *c, int count)
{
    int n = c->n;
    double norm = 0, *step = c->work, *turned = c->work + n;
    for (int r = 0; r < n; r++) {
        step[r] = 0;
        for (int i = 0; i < c->mu; i++)
            step[r] += c->weight[i] * c->y[(size_t)c->order[i] * (size_t)n + (size_t)r];
        c->mean[r] += c->sigma * step[r];
    }
    for (int k = 0; k < n; k++) { /* C^-1/2 step */
        double sum = 0;
        for (int r = 0; r < n; r++) sum += c->B[k * n + r] * step[r];
        turned[k] = sum / c->D[k];
    }
    for (int r = 0; r < n; r++) {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += c->B[k * n + r] * turned[k];
        c->ps[r] = (1 - c->cs) * c->ps[r] + sqrt(c->cs * (2 - c->cs) * c->mueff) * sum;
        norm += c->ps[r] * c->ps[r];
    }
    norm = sqrt(norm);
    int calm = norm / sqrt(1 - pow(1 - c->cs, 2 * (count + 1))) < (1.4 + 2.0 / (n + 1)) * c->chi;
    for (int r = 0; r < n; r++)
        c->pc[r] = (1 - c->cc) * c->pc[r] + (calm ? sqrt(c->cc * (2 - c->cc) * c->mueff) : 0) * step[r];
    for (int r = 0; r < n; r++)
        for (int s = 0; s < n; s++) {
            double rank = 0;
            for (int i = 0; i < c->mu; i++) {
                const double *y = c->y + (size_t)c->order[i] * (size_t)n;
                rank += c->weight[i] * y[r] * y[s];
            }
            c->C[r * n + s] =
                (1 - c->c1 - c->cmu) * c->C[r * n + s] +
                c->c1 * (c->pc[r] * c->pc[s] + (calm ? 0 : c->cc * (2 - c->cc) * c->C[r * n + s])) +
                c->cmu * rank;
        }
    c->sigma *= exp(fmin(1, c->cs / c->ds * (norm / c->chi - 1)));
}

static sn_status evolve(sn_fit *f, double *z, cma *c, sn_search *o, sn_err *err)
{
    double best = INFINITY;
    size_t bytes = sizeof(double) * (size_t)c->n;
    constants(c);
    memcpy(c->mean, z, bytes);
    for (int i = 0; i < c->n; i++) c->C[i * c->n + i] = 1;
    for (int it = 0; it < o->most; it++) {
        if (!decompose(c)) break;
        SN_TRY(generation(f, c, err));
        double lowest = c->cost[c->order[0]];
        if (lowest < best) best = lowest, memcpy(z, c->x + (size_t)c->order[0] * (size_t)c->n, bytes);
        adapt(c, it);
        tell(o, best, c->count, c->sigma, z);
        if (c->sigma * c->D[c->n - 1] < 1e-4) {
            o->converged = 1, o->reason = "the population has gathered";
            return SN_OK;
        }
    }
    o->reason = "the limit of generations was reached";
    return SN_OK;
}

sn_status sn_cma_es(sn_fit *f, double *z, double spread, unsigned long seed, sn_search *o, sn_err *err)
{
    cma c = {.n = f->n,
             .lambda = 4 + (int)(3 * log(f->n)),
             .sigma = spread,
             .seed = 0x9E3779B97F4A7C15ULL ^ (seed * 0xD1B54A32D192ED03ULL)};
    size_t n = (size_t)c.n, l = (size_t)c.lambda;
    c.mu = c.lambda / 2;
    o->converged = 0, o->reason = "";
    int good = SN_NEW(c.mean, n) && SN_NEW(c.C, n * n) && SN_NEW(c.B, n * n) && SN_NEW(c.D, n) &&
               SN_NEW(c.ps, n) && SN_NEW(c.pc, n) && SN_NEW(c.x, n * l) && SN_NEW(c.y, n * l) &&
               SN_NEW(c.cost, l) && SN_NEW(c.weight, l) && SN_NEW(c.work, 2 * n) && SN_NEW(c.order, l);
    sn_status status = good ? evolve(f, z, &c, o, err) : SN_OUT_OF_MEM(err);
    sn_free(c.mean), sn_free(c.C), sn_free(c.B), sn_free(c.D), sn_free(c.ps), sn_free(c.pc), sn_free(c.x),
        sn_free(c.y);
    sn_free(c.cost), sn_free(c.weight), sn_free(c.work), sn_free(c.order);
    return status;
}
