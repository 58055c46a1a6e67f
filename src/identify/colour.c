/* Groups of series, their products after whitening, and models by restricted likelihood: see colour.h.

   -2 log L = sum of log det S_g + log det A + |r|^2, with A = sum J' S_g^-1 J and r what the unknowns leave
   in generalised least squares. A group's variance is found for each shape by its fixed point, the sum of
   squares over the freedom that is left; its shape by a quasi-Newton method. */
#include "identify/colour_work.h"
#include "identify/smoothing.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

double sn_colour_score(const sn_fit *f, double r)
{
    double h = f->s->huber;
    return h > 0 ? fmin(fmax(r, -h), h) : r;
}

/* ---- set up ---- */

void sn_colour_free(sn_colour *c)
{
    if (!c) return;
    sn_arena_free(&c->arena);
    sn_free(c);
}

static double distance(const sn_experiment *x) { return x->n > 1 ? sn_grid_of(x->n, x->t) : 0; }

/* The group of a channel with samples dt apart, which there may be already. */
static int find_group(const sn_colour *c, int channel, double dt, int known, int kind)
{
    for (int g = 0; g < c->groups; g++) {
        const sn_colour_group *q = &c->group[g];
        if (q->channel == channel && fabs(q->dt - dt) <= 0.01 * dt && q->stated == known && q->kind == kind)
            return g;
    }
    return -1;
}

/* Given, or the one that was found: from turn to turn it must not change for ever. */
static int order_of(const sn_experiment *x, int c, int kind)
{
    if (kind != SN_NOISE_AR) return 0;
    return x->noise[c].order ? x->noise[c].order : x->noise[c].rounds > 2 ? x->noise[c].m.p : 0;
}

static sn_status make_groups(sn_colour *c, sn_err *err)
{
    const sn_study *s = c->f->s;
    size_t all = 0, m = (size_t)c->n + 1;
    for (int e = 0; e < s->n_experiment; e++) all += (size_t)s->experiment[e].n_channel;
    c->group = sn_arena_alloc(&c->arena, all + 1, sizeof *c->group);
    c->group_of = sn_arena_alloc(&c->arena, (size_t)s->n_experiment + 1, sizeof *c->group_of);
    if (!c->group || !c->group_of) return SN_OUT_OF_MEM(err);
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        c->group_of[e] = sn_arena_alloc(&c->arena, (size_t)x->n_channel + 1, sizeof(int));
        if (!c->group_of[e]) return SN_OUT_OF_MEM(err);
        double dt = distance(x);
        for (int i = 0; i < x->n_channel; i++) {
            int kind = c->f->plain && x->noise ? x->noise[i].kind : SN_NOISE_WHITE;
            int g = x->hold_out ? -1 : find_group(c, x->channel[i], dt, x->known[i], kind);
            c->group_of[e][i] = g;
            if (x->hold_out) continue;
            if (g < 0) {
                g = c->group_of[e][i] = c->groups++;
                sn_colour_group *q = &c->group[g];
                *q = (sn_colour_group){.channel = x->channel[i],
                                       .dt = dt,
                                       .kind = kind,
                                       .order = order_of(x, i, kind),
                                       .exponential = dt <= 0 || kind == SN_NOISE_DISCREPANCY,
                                       .held = kind && x->known[i],
                                       .known = x->known[i],
                                       .stated = x->known[i],
                                       .gain = 1};
                q->model = sn_noise_white(1);
                q->series = sn_arena_alloc(&c->arena, (size_t)s->n_experiment, sizeof *q->series);
                q->M = sn_arena_alloc(&c->arena, c->heavy ? 1 : m * m, sizeof(double));
                if (!q->series || !q->M) return SN_OUT_OF_MEM(err);
            }
            sn_colour_group *q = &c->group[g];
            q->series[q->n++] = (sn_colour_series){e, i};
        }
    }
    return SN_OK;
}

/* Samples of each group, and the mean of psi'. */
static void count(sn_colour *c)
{
    for (int g = 0; g < c->groups; g++) {
        sn_colour_group *q = &c->group[g];
        double within = 0;
        for (int k = 0; k < q->n; k++) {
            const sn_experiment *x = &c->f->s->experiment[q->series[k].experiment];
            const double *r = c->f->part[q->series[k].experiment].r + q->series[k].channel;
            for (int i = 0; i < x->n; i++) {
                double v = r[(size_t)i * (size_t)x->n_channel];
                if (!isnan(v)) q->count++, within += sn_colour_score(c->f, v) == v;
            }
        }
        if (q->count > 0) q->gain = fmax(within / q->count, 0.05);
    }
}

static const double budget = 4e9; /* multiplications for the likelihood */

/* About as many as two sweeps of five steps with models of order three need. */
static double work_of(const sn_colour *c)
{
    const sn_study *s = c->f->s;
    double n = c->n, work = 0;
    for (int e = 0; e < s->n_experiment; e++) {
        double own = n > 0 ? c->f->part[e].n + 1 : 1;
        for (int i = 0; !s->experiment[e].hold_out && i < s->experiment[e].n_channel; i++)
            work += 70 * (s->experiment[e].n * own * (own / 2 + 3) + 4 * n * n * n);
    }
    return work;
}

static void add_priors(sn_colour *c, const double *z)
{
    for (int i = 0; i < c->n; i++) {
        const sn_unknown *u = &c->f->s->unknown[c->unknown[i]];
        double unit = (u->log ? 1 : u->scale) / u->prior_sd;
        if (isnan(u->prior)) continue;
        c->prior[i * c->n + i] = unit * unit;
        c->pull[i] = unit * (z[c->unknown[i]] * unit - u->prior / u->prior_sd);
    }
}

/* The same of histories that are smooth. */
static sn_status add_smoothness(sn_colour *c, const double *z, sn_err *err)
{
    size_t all = (size_t)c->f->n, n = (size_t)c->n;
    double *P = NULL, *g = NULL;
    if (!sn_smoothing_needed(c->f->s)) return SN_OK;
    sn_status status = SN_NEW(P, all * all + 1) && SN_NEW(g, all + 1) ? SN_OK : SN_OUT_OF_MEM(err);
    if (!status) sn_smoothing_add(c->f->s, z, 0, g, P);
    for (size_t i = 0; !status && i < n; i++) {
        c->pull[i] += g[c->unknown[i]];
        for (size_t j = 0; j < n; j++)
            c->prior[i * n + j] += P[(size_t)c->unknown[i] * all + (size_t)c->unknown[j]];
    }
    sn_free(P), sn_free(g);
    return status;
}

sn_status sn_colour_new(const sn_fit *f, const int *at_bound, sn_colour **out, sn_err *err)
{
    sn_colour *c;
    *out = NULL;
    if (!SN_NEW(c, 1)) return SN_OUT_OF_MEM(err);
    c->f = f;
    size_t all = (size_t)f->n + 1, m = all + 1;
    int **const lists[] = {&c->unknown, &c->column};
    struct {
        double **p;
        size_t n;
    } const arrays[] = {{&c->prior, m * m}, {&c->pull, all},   {&c->y, m},   {&c->x, m * SN_AR_MOST},
                        {&c->m, m * m},     {&c->A, m * m},    {&c->b, all}, {&c->d, all},
                        {&c->inv, m * m},   {&c->trial, m * m}};
    int good = 1;
    for (size_t i = 0; i < 2; i++) good &= (*lists[i] = sn_arena_alloc(&c->arena, all, sizeof(int))) != NULL;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        good &= (*arrays[i].p = sn_arena_alloc(&c->arena, arrays[i].n, sizeof(double))) != NULL;
    for (int k = 0; good && k < f->n; k++) {
        int moves = !(at_bound && at_bound[k]) && f->A[(size_t)k * (size_t)f->n + (size_t)k] > 0;
        c->column[k] = moves ? c->n : -1;
        if (moves) c->unknown[c->n++] = k;
    }
    c->heavy = good && work_of(c) > budget;
    sn_status status = good ? make_groups(c, err) : SN_OUT_OF_MEM(err);
    if (status) {
        sn_colour_free(c);
        return status;
    }
    count(c);
    add_priors(c, f->seen);
    status = add_smoothness(c, f->seen, err);
    if (status) {
        sn_colour_free(c);
        return status;
    }
    for (int g = 0; !c->heavy && g < c->groups; g++)
        c->group[g].logdet = sn_colour_products(c, &c->group[g], &c->group[g].model, c->group[g].M);
    *out = c;
    return SN_OK;
}

/* ---- products ---- */

/* Adds the products of one whitened series; returns the sum of the logarithms of variances. */
static double add_series(const sn_colour *c, const sn_colour_group *q, const sn_colour_series *at,
                         const sn_noise_model *model, double *M)
{
    const sn_experiment *x = &c->f->s->experiment[at->experiment];
    const sn_part *p = &c->f->part[at->experiment];
    size_t n = c->n ? (size_t)p->n : 0, m = n + 1;
    sn_whitener w = {.m = model, .columns = (int)m, .x = c->x};
    double sum = 0, *y = c->y;
    memset(c->m, 0, sizeof(double) * m * m);
    for (int i = 0; i < x->n; i++) {
        size_t row = (size_t)i * (size_t)x->n_channel + (size_t)at->channel;
        if (isnan(p->r[row])) continue;
        y[0] = sn_colour_score(c->f, p->r[row]);
        for (size_t a = 0; a < n; a++) y[1 + a] = q->gain * p->J[row * n + a];
        sum += sn_whiten(&w, x->t[i], y);
        for (size_t a = 0; a < m; a++)
            for (size_t b = 0; b <= a; b++) c->m[a * m + b] += y[a] * y[b];
    }
    size_t all = (size_t)c->n + 1;
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) {
            int ka = a ? c->column[p->unknown[a - 1]] : -1, kb = b ? c->column[p->unknown[b - 1]] : -1;
            if ((a && ka < 0) || (b && kb < 0)) continue;
            M[(size_t)(ka + 1) * all + (size_t)(kb + 1)] += a >= b ? c->m[a * m + b] : c->m[b * m + a];
        }
    return sum;
}

double sn_colour_products(const sn_colour *c, const sn_colour_group *q, const sn_noise_model *model,
                          double *M)
{
    double sum = 0;
    memset(M, 0, sizeof(double) * ((size_t)c->n + 1) * ((size_t)c->n + 1));
    for (int k = 0; k < q->n; k++) sum += add_series(c, q, &q->series[k], model, M);
    return sum;
}

/* ---- the likelihood ---- */

/* With group g's products replaced by M / v: log det A + the sum of squares that the unknowns leave; *own:
   sum of squares of M itself and its part of the freedom. */
double sn_colour_likelihood(sn_colour *c, int g, const double *M, double v, double own[2])
{
    int n = c->n;
    size_t all = (size_t)n + 1;
    double rr = 0, value = 0, scale;
    memcpy(c->A, c->prior, sizeof(double) * (size_t)n * (size_t)n);
    memcpy(c->b, c->pull, sizeof(double) * (size_t)n);
    for (int h = 0; h < c->groups; h++) {
        const double *m = h == g ? M : c->group[h].M, f = h == g ? 1 / v : 1;
        rr += f * m[0];
        for (size_t i = 0; i < (size_t)n; i++) {
            c->b[i] += f * m[(i + 1) * all];
            for (size_t j = 0; j <= i; j++) c->A[i * (size_t)n + j] += f * m[(i + 1) * all + j + 1];
        }
    }
    /* unit diagonal; what nobody sees must not count */
    for (int i = 0; i < n; i++) c->d[i] = 1 / sqrt(fmax(c->A[i * n + i], 1e-300));
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) c->A[i * n + j] *= c->d[i] * c->d[j];
    for (int i = 0; i < n; i++) value -= 2 * log(c->d[i]), c->A[i * n + i] += 1e-11;
    own[0] = M[0], own[1] = 0;
    if (!n) return rr;
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, c->A, n)) return INFINITY;
    memset(c->inv, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) value += 2 * log(c->A[i * n + i]), c->inv[i * n + i] = 1;
    LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', n, n, c->A, n, c->inv, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) c->inv[i * n + j] *= c->d[i] * c->d[j];
    for (int i = 0; i < n; i++) {
        c->d[i] = 0;
        for (int j = 0; j < n; j++) c->d[i] -= c->inv[i * n + j] * c->b[j];
        rr += c->d[i] * c->b[i];
    }
    for (size_t i = 0; i < (size_t)n; i++) {
        own[0] += 2 * c->d[i] * M[(i + 1) * all];
        for (size_t j = 0; j < (size_t)n; j++) {
            scale = M[(i + 1) * all + j + 1];
            own[0] += c->d[i] * scale * c->d[j], own[1] += scale * c->inv[i * (size_t)n + j] / v;
        }
    }
    return value + rr;
}

sn_noise_model sn_colour_model(const sn_colour_group *q, const double *shape)
{
    sn_noise_model m = sn_noise_white(1);
    m.dt = q->dt;
    if (!q->exponential) {
        double k[SN_AR_MOST];
        m.p = q->shapes;
        for (int i = 0; i < m.p; i++) k[i] = tanh(shape[i]);
        sn_ar_of_partial(m.p, k, m.a);
    } else if (q->shapes) {
        m.time = exp(shape[0]), m.size = exp(shape[1]);
    }
    return m;
}

double sn_colour_try(sn_colour *c, int g, const double *shape, sn_noise_model *out, double *logdet)
{
    sn_colour_group *q = &c->group[g];
    double own[2], v = fmax(sn_noise_variance(&q->model), 1e-300), value = INFINITY;
    *out = sn_colour_model(q, shape);
    double sum = sn_colour_products(c, q, out, c->trial);
    v /= sn_noise_variance(out);
    /* the size that was stated: of all noise, or of what is beside a discrepancy */
    if (q->held) v = 1 / (q->kind == SN_NOISE_DISCREPANCY ? out->variance : sn_noise_variance(out));
    for (int it = 0; it < (q->held ? 1 : 30); it++) {
        value = sn_colour_likelihood(c, g, c->trial, v, own) + sum + q->count * log(v);
        double to = fmax(own[0], 1e-300) / fmax(q->count - own[1], 0.05 * q->count), ratio = to / v;
        if (!isfinite(value) || q->held) break;
        v = to;
        if (fabs(ratio - 1) < 1e-7) break;
    }
    *logdet = sum + q->count * log(v);
    out->variance *= v, out->size *= v;
    for (size_t i = 0; i < ((size_t)c->n + 1) * ((size_t)c->n + 1); i++) c->trial[i] /= v;
    return value;
}

/* Where the likelihood is not made all samples have the same part in the unknowns. */
double sn_colour_freedom_of_all(const sn_colour *c, double count)
{
    double all = 0;
    for (int g = 0; g < c->groups; g++) all += c->group[g].count;
    return count * fmax(1 - c->n / all, 0.05);
}

double sn_colour_freedom(const sn_colour *c, int g)
{
    const sn_colour_group *q = &c->group[g];
    size_t all = (size_t)c->n + 1;
    double used = 0;
    if (c->heavy) return sn_colour_freedom_of_all(c, q->count);
    for (size_t i = 0; i < (size_t)c->n; i++)
        for (size_t j = 0; j < (size_t)c->n; j++)
            used += q->M[(i + 1) * all + j + 1] * c->inv[i * (size_t)c->n + j];
    return fmax(q->count - used, 1);
}

void sn_colour_left_side(sn_colour *c, double *A)
{
    size_t n = (size_t)c->n, m = n + 1;
    const sn_noise_model white = sn_noise_white(1);
    memcpy(A, c->prior, sizeof(double) * n * n);
    for (int g = 0; g < c->groups; g++) {
        sn_colour_products(c, &c->group[g], &white, c->trial);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) A[i * n + j] += c->trial[(i + 1) * m + j + 1] / c->group[g].gain;
    }
}
