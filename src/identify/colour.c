/* Groups of series, their products after whitening, and models by restricted likelihood: see colour.h.

   -2 log L = sum of log det S_g + log det A + |r|^2, with A = sum J' S_g^-1 J and r what the unknowns leave
   in generalised least squares. A group's variance is found for each shape by its fixed point, the sum of
   squares over the freedom that is left; its shape by a quasi-Newton method. */
#include "identify/colour.h"

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
static int find_group(const sn_colour *c, int channel, double dt, int known)
{
    for (int g = 0; g < c->groups; g++) {
        const sn_colour_group *q = &c->group[g];
        if (q->channel == channel && fabs(q->dt - dt) <= 0.01 * dt && q->stated == known) return g;
    }
    return -1;
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
            int g = x->hold_out ? -1 : find_group(c, x->channel[i], dt, x->known[i]);
            c->group_of[e][i] = g;
            if (x->hold_out) continue;
            if (g < 0) {
                g = c->group_of[e][i] = c->groups++;
                sn_colour_group *q = &c->group[g];
                *q = (sn_colour_group){.channel = x->channel[i],
                                       .dt = dt,
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
        double own = c->f->part[e].n + 1;
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
        c->prior[i] = unit * unit;
        c->pull[i] = unit * (z[c->unknown[i]] * unit - u->prior / u->prior_sd);
    }
}

static double products(const sn_colour *c, const sn_colour_group *q, const sn_noise_model *model, double *M);

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
    } const arrays[] = {{&c->prior, all}, {&c->pull, all},   {&c->y, m},   {&c->x, m * SN_AR_MOST},
                        {&c->m, m * m},   {&c->A, m * m},    {&c->b, all}, {&c->d, all},
                        {&c->inv, m * m}, {&c->trial, m * m}};
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
    for (int g = 0; !c->heavy && g < c->groups; g++)
        c->group[g].logdet = products(c, &c->group[g], &c->group[g].model, c->group[g].M);
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
    size_t n = (size_t)p->n, m = n + 1;
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

static double products(const sn_colour *c, const sn_colour_group *q, const sn_noise_model *model, double *M)
{
    double sum = 0;
    memset(M, 0, sizeof(double) * ((size_t)c->n + 1) * ((size_t)c->n + 1));
    for (int k = 0; k < q->n; k++) sum += add_series(c, q, &q->series[k], model, M);
    return sum;
}

/* ---- the likelihood ---- */

/* With group g's products replaced by M / v: log det A + the sum of squares that the unknowns leave; *own:
   sum of squares of M itself and its part of the freedom. */
static double likelihood(sn_colour *c, int g, const double *M, double v, double own[2])
{
    int n = c->n;
    size_t all = (size_t)n + 1;
    double rr = 0, value = 0, scale;
    memset(c->A, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) c->A[i * n + i] = c->prior[i], c->b[i] = c->pull[i];
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

static sn_noise_model model_of(const sn_colour_group *q, const double *shape)
{
    sn_noise_model m = sn_noise_white(1);
    m.dt = q->dt;
    if (q->dt > 0) {
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
    *out = model_of(q, shape);
    double sum = products(c, q, out, c->trial);
    v /= sn_noise_variance(out);
    for (int it = 0; it < 30; it++) {
        value = likelihood(c, g, c->trial, v, own) + sum + q->count * log(v);
        double to = fmax(own[0], 1e-300) / fmax(q->count - own[1], 0.05 * q->count), ratio = to / v;
        if (!isfinite(value)) break;
        v = to;
        if (fabs(ratio - 1) < 1e-7) break;
    }
    *logdet = sum + q->count * log(v);
    out->variance *= v, out->size *= v;
    for (size_t i = 0; i < ((size_t)c->n + 1) * ((size_t)c->n + 1); i++) c->trial[i] /= v;
    return value;
}

/* Where the likelihood is not made all samples have the same part in the unknowns. */
static double freedom_of_all(const sn_colour *c, double count)
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
    if (c->heavy) return freedom_of_all(c, q->count);
    for (size_t i = 0; i < (size_t)c->n; i++)
        for (size_t j = 0; j < (size_t)c->n; j++)
            used += q->M[(i + 1) * all + j + 1] * c->inv[i * (size_t)c->n + j];
    return fmax(q->count - used, 1);
}

/* ---- shapes ---- */

enum { MOST_STEPS = 12 };
static const double outermost = 6;

/* Slopes by the shape numbers, by central differences. */
static void gradient(sn_colour *c, int g, double *shape, double *slope)
{
    const double h = 1e-3;
    double logdet;
    sn_noise_model m;
    for (int i = 0; i < c->group[g].shapes; i++) {
        double x = shape[i];
        shape[i] = x + h;
        double up = sn_colour_try(c, g, shape, &m, &logdet);
        shape[i] = x - h;
        slope[i] = (up - sn_colour_try(c, g, shape, &m, &logdet)) / (2 * h);
        shape[i] = x;
    }
}

static void accept(sn_colour *c, int g, const double *shape)
{
    sn_colour_group *q = &c->group[g];
    sn_colour_try(c, g, shape, &q->model, &q->logdet);
    memcpy(q->shape, shape, sizeof *shape * (size_t)q->shapes);
    memcpy(q->M, c->trial, sizeof(double) * ((size_t)c->n + 1) * ((size_t)c->n + 1));
}

/* Broyden, Fletcher, Goldfarb and Shanno's update of the inverse H. */
static void update(int n, double *H, const double *s, const double *y)
{
    double sy = 0, yHy = 0, Hy[SN_AR_MOST];
    for (int i = 0; i < n; i++) {
        Hy[i] = 0;
        for (int j = 0; j < n; j++) Hy[i] += H[i * n + j] * y[j];
        sy += s[i] * y[i], yHy += y[i] * Hy[i];
    }
    if (!(sy > 1e-12)) return;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            H[i * n + j] += (1 + yHy / sy) * s[i] * s[j] / sy - (Hy[i] * s[j] + s[i] * Hy[j]) / sy;
}

/* From the group's shape to the most likely one. */
static void improve(sn_colour *c, int g)
{
    sn_colour_group *q = &c->group[g];
    int n = q->shapes;
    double H[SN_AR_MOST * SN_AR_MOST] = {0}, x[SN_AR_MOST], to[SN_AR_MOST], slope[SN_AR_MOST],
                          next[SN_AR_MOST], step[SN_AR_MOST], logdet;
    sn_noise_model m;
    memcpy(x, q->shape, sizeof *x * (size_t)n);
    double value = sn_colour_try(c, g, x, &m, &logdet);
    gradient(c, g, x, slope);
    for (int i = 0; i < n; i++) H[i * n + i] = 1 / q->count;
    for (int it = 0; it < MOST_STEPS; it++) {
        double promise = 0, f = 1, then = INFINITY;
        for (int i = 0; i < n; i++) {
            step[i] = 0;
            for (int j = 0; j < n; j++) step[i] -= H[i * n + j] * slope[j];
            step[i] = fmin(fmax(step[i], -0.7), 0.7), promise -= step[i] * slope[i];
        }
        if (!(promise > 1e-4)) break;
        for (int half = 0; half < 8; half++, f *= 0.4) {
            for (int i = 0; i < n; i++)
                to[i] =
                    q->dt > 0 ? fmin(fmax(x[i] + f * step[i], -outermost), outermost) : x[i] + f * step[i];
            then = sn_colour_try(c, g, to, &m, &logdet);
            if (then < value) break;
        }
        if (!(then < value)) break;
        gradient(c, g, to, next);
        for (int i = 0; i < n; i++) step[i] = to[i] - x[i], slope[i] = next[i] - slope[i];
        update(n, H, step, slope);
        memcpy(x, to, sizeof *x * (size_t)n), memcpy(slope, next, sizeof *x * (size_t)n);
        value = then;
    }
    accept(c, g, x);
}

/* Scores of the group one after the other, on their grid, with gaps between experiments. */
static sn_status line_up(const sn_colour *c, const sn_colour_group *q, double **out, size_t *n, sn_err *err)
{
    *out = NULL;
    for (int fill = 0; fill < 2; fill++) {
        *n = 0;
        for (int k = 0; k < q->n; k++) {
            const sn_experiment *x = &c->f->s->experiment[q->series[k].experiment];
            const double *r = c->f->part[q->series[k].experiment].r + q->series[k].channel;
            for (int i = 0; i < x->n; i++) {
                double v = r[(size_t)i * (size_t)x->n_channel];
                int steps = i ? sn_grid_steps(q->dt, x->t[i - 1], x->t[i]) : SN_AR_MOST + 1;
                for (int j = 1; j < steps && j <= SN_AR_MOST; j++, ++*n)
                    if (fill) (*out)[*n] = NAN;
                if (fill) (*out)[*n] = isnan(v) ? NAN : sn_colour_score(c->f, v);
                ++*n;
            }
        }
        if (!fill && !SN_NEW(*out, *n + 1)) return SN_OUT_OF_MEM(err);
    }
    return SN_OK;
}

/* A first model: Burg's. */
static sn_status guess_grid(sn_colour *c, int g, sn_err *err)
{
    sn_colour_group *q = &c->group[g];
    double *x, k[SN_AR_MOST];
    size_t n;
    sn_noise_model m;
    SN_TRY(line_up(c, q, &x, &n, err));
    int most = (int)(q->count / 10);
    sn_status status = sn_ar_burg(n, x, most < SN_AR_MOST ? most : SN_AR_MOST, &m, err);
    sn_free(x);
    if (status) return status;
    q->shapes = m.p ? m.p : 1;
    sn_ar_partial(m.p, m.a, k);
    if (!m.p) k[0] = 0;
    for (int i = 0; i < q->shapes; i++) q->shape[i] = atanh(fmin(fmax(k[i], -0.99998), 0.99998));
    m.dt = q->dt, q->model = m;
    return SN_OK;
}

/* The best of a few times and ratios. */
static void guess_times(sn_colour *c, int g)
{
    sn_colour_group *q = &c->group[g];
    double best = INFINITY, span = 0, n = 0;
    sn_noise_model m;
    for (int k = 0; k < q->n; k++) {
        const sn_experiment *x = &c->f->s->experiment[q->series[k].experiment];
        span += x->t[x->n - 1] - x->t[0], n += x->n;
    }
    q->shapes = 2;
    for (double time = span / n; time < 0.3 * span && n > 1; time *= 3)
        for (double ratio = 0.1; ratio < 300; ratio *= 5) {
            double logdet, shape[2] = {log(time), log(ratio)};
            double value = sn_colour_try(c, g, shape, &m, &logdet);
            if (value < best) best = value, memcpy(q->shape, shape, sizeof shape);
        }
}

/* Without the likelihood. */
static sn_status fit_heavy(sn_colour *c, int g, sn_err *err)
{
    sn_colour_group *q = &c->group[g];
    if (q->coloured && q->dt <= 0) { /* by the number of the sample */
        const sn_experiment *x = &c->f->s->experiment[q->series[0].experiment];
        q->dt = x->n > 1 ? fmax((x->t[x->n - 1] - x->t[0]) / (x->n - 1), 1e-300) : 1;
    }
    if (q->coloured) {
        SN_TRY(guess_grid(c, g, err));
    } else {
        double sum = 0;
        for (int k = 0; k < q->n; k++) {
            const sn_experiment *x = &c->f->s->experiment[q->series[k].experiment];
            const double *r = c->f->part[q->series[k].experiment].r + q->series[k].channel;
            for (int i = 0; i < x->n; i++) {
                double v = r[(size_t)i * (size_t)x->n_channel], y = sn_colour_score(c->f, v);
                if (!isnan(v)) sum += y * y;
            }
        }
        q->model = sn_noise_white(q->count > 0 ? sum / q->count : 1);
    }
    q->model.variance *= q->count / freedom_of_all(c, q->count);
    return SN_OK;
}

sn_status sn_colour_fit(sn_colour *c, sn_err *err)
{
    int any = 0, robust = c->f->s->huber > 0;
    for (int g = 0; g < c->groups; g++) {
        sn_colour_group *q = &c->group[g];
        any += q->coloured;
        if (!q->coloured && !robust && q->stated == q->known) continue;
        if (c->heavy) {
            SN_TRY(fit_heavy(c, g, err));
            continue;
        }
        if (q->coloured && q->dt > 0)
            SN_TRY(guess_grid(c, g, err));
        else if (q->coloured)
            guess_times(c, g);
        accept(c, g, q->shape);
    }
    /* where there are several, each sees what the others have become */
    for (int sweep = 0; sweep < (any > 1 ? 2 : 1) && !c->heavy; sweep++)
        for (int g = 0; g < c->groups; g++)
            if (c->group[g].coloured) improve(c, g);
    double own[2];
    if (c->groups && !c->heavy) likelihood(c, 0, c->group[0].M, 1, own); /* leaves the inverse */
    return SN_OK;
}

void sn_colour_left_side(sn_colour *c, double *A)
{
    size_t n = (size_t)c->n, m = n + 1;
    const sn_noise_model white = sn_noise_white(1);
    memset(A, 0, sizeof(double) * n * n);
    for (size_t i = 0; i < n; i++) A[i * n + i] = c->prior[i];
    for (int g = 0; g < c->groups; g++) {
        products(c, &c->group[g], &white, c->trial);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) A[i * n + j] += c->trial[(i + 1) * m + j + 1] / c->group[g].gain;
    }
}

/* ---- how well the shape is known ---- */

/* Autoregressions: information count * D'G D, D = da/dshape, G the autocovariances (Box and Jenkins, A7.5).
 */
static void information(const sn_colour_group *q, double *I)
{
    int p = q->shapes;
    double D[SN_AR_MOST * SN_AR_MOST], G[SN_AR_MOST], shape[SN_AR_MOST];
    const double h = 1e-5;
    sn_ar_autocovariance(p, q->model.a, p, G);
    memcpy(shape, q->shape, sizeof *shape * (size_t)p);
    for (int j = 0; j < p; j++) {
        shape[j] = q->shape[j] + h;
        sn_noise_model up = model_of(q, shape);
        shape[j] = q->shape[j] - h;
        sn_noise_model down = model_of(q, shape);
        shape[j] = q->shape[j];
        for (int i = 0; i < p; i++) D[i * p + j] = (up.a[i] - down.a[i]) / (2 * h);
    }
    for (int i = 0; i < p; i++)
        for (int j = 0; j < p; j++) {
            double sum = 0;
            for (int k = 0; k < p; k++)
                for (int l = 0; l < p; l++) sum += D[k * p + i] * G[k > l ? k - l : l - k] * D[l * p + j];
            I[i * p + j] = q->count * sum;
        }
}

/* Others by half the second differences of -2 log L. */
static void curvature(sn_colour *c, int g, double *I)
{
    const sn_colour_group *q = &c->group[g];
    const double h = 0.1;
    double x[2], logdet, v[3][3];
    sn_noise_model m;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            x[0] = q->shape[0] + (i - 1) * h, x[1] = q->shape[1] + (j - 1) * h;
            v[i][j] = sn_colour_try(c, g, x, &m, &logdet);
        }
    I[0] = (v[2][1] - 2 * v[1][1] + v[0][1]) / (2 * h * h);
    I[3] = (v[1][2] - 2 * v[1][1] + v[1][0]) / (2 * h * h);
    I[1] = I[2] = (v[2][2] - v[2][0] - v[0][2] + v[0][0]) / (8 * h * h);
    I[0] = fmax(I[0], 0.05), I[3] = fmax(I[3], 0.05);
    double most = 0.99 * sqrt(I[0] * I[3]);
    I[1] = I[2] = fmin(fmax(I[1], -most), most);
}

void sn_colour_shape_covariance(sn_colour *c, int g, double *out)
{
    const sn_colour_group *q = &c->group[g];
    int p = q->shapes;
    double I[SN_AR_MOST * SN_AR_MOST] = {0};
    if (q->dt > 0)
        information(q, I);
    else
        curvature(c, g, I);
    memset(out, 0, sizeof(double) * (size_t)(p * p));
    for (int i = 0; i < p; i++) out[i * p + i] = 1;
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', p, I, p)) {
        for (int i = 0; i < p; i++) out[i * p + i] = 1 / q->count;
        return;
    }
    LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', p, p, I, p, out, p);
}
