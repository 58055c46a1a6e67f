/* Whiteness by Ljung and Box's test; profile likelihood; bands of forces. */
#include "identify/statistics.h"

#include <math.h>
#include <string.h>

/* Upper incomplete gamma function Q(a, x), regularised: series or continued fraction (Abramowitz,
 * Stegun 6.5.29, 31). */
static double gamma_q(double a, double x)
{
    double front = exp(-x + a * log(x) - lgamma(a));
    if (x <= 0) return 1;
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int n = 1; n < 1000 && fabs(term) > 1e-16 * fabs(sum); n++) sum += term *= x / (a + n);
        return fmax(0, 1 - sum * front);
    }
    /* Lentz */
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (int n = 1; n < 1000; n++) {
        double an = -n * (n - a);
        b += 2;
        d = an * d + b, c = b + an / c;
        d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
        if (fabs(c) < 1e-300) c = 1e-300;
        double step = d * c;
        h *= step;
        if (fabs(step - 1) < 1e-15) break;
    }
    return front * h;
}

double sn_chi_square_tail(double x, double degrees) { return x <= 0 ? 1 : gamma_q(degrees / 2, x / 2); }

/* Expansion of Cornish and Fisher (Abramowitz, Stegun 26.7.5): better than 1 % from two degrees on. */
double sn_student_95(double freedom)
{
    const double z = 1.959963984540054, z2 = z * z, n = freedom > 2 ? freedom : 2;
    double g1 = (z2 + 1) / 4, g2 = ((5 * z2 + 16) * z2 + 3) / 96,
           g3 = (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384,
           g4 = ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
    return z * (1 + (g1 + (g2 + (g3 + g4 / n) / n) / n) / n);
}

sn_status sn_whiteness_of(sn_arena *arena, int n, const double *r, sn_whiteness *w, sn_err *err)
{
    int lags = n / 5 < 20 ? n / 5 : 20;
    double mean = 0, var = 0;
    *w = (sn_whiteness){.p = 1};
    if (lags < 1) return SN_OK;
    if (!(w->r = sn_arena_alloc(arena, (size_t)lags, sizeof(double)))) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < n; i++) mean += r[i] / n;
    for (int i = 0; i < n; i++) var += (r[i] - mean) * (r[i] - mean);
    w->n = lags, w->limit = 1.96 / sqrt(n);
    for (int k = 1; k <= lags && var > 0; k++) {
        double sum = 0;
        for (int i = k; i < n; i++) sum += (r[i] - mean) * (r[i - k] - mean);
        w->r[k - 1] = sum / var;
        w->statistic += (double)n * (n + 2) * w->r[k - 1] * w->r[k - 1] / (n - k);
    }
    w->p = sn_chi_square_tail(w->statistic, lags);
    return SN_OK;
}

/* ---- profile likelihood ---- */

typedef struct profile {
    sn_fit *f;
    sn_estimate *e;
    sn_profile_curve *curve; /* of the unknown at hand */
    double best;             /* the cost at the estimate */
    unsigned char *fixed;    /* unknowns that are held */
    double *z;               /* where the search is */
} profile;

/* The point goes into the curve, where its value has its place. */
static sn_status keep_point(profile *p, double zk, int k, double cost, sn_err *err)
{
    sn_profile_curve *c = p->curve;
    size_t n = (size_t)p->f->n;
    if (!isfinite(cost) || c->n == c->cap) return SN_OK;
    sn_profile_point q = {.value = sn_fit_value(p->f->s, k, zk), .rise = fmax(cost - p->best, 0)};
    q.others = sn_arena_alloc(&p->e->arena, n + 1, sizeof *q.others);
    if (!q.others) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < p->f->n; j++) q.others[j] = sn_fit_value(p->f->s, j, p->z[j]);
    int at = c->n++;
    for (; at > 0 && c->point[at - 1].value > q.value; at--) c->point[at] = c->point[at - 1];
    c->point[at] = q;
    return SN_OK;
}

/* Cost with unknown k held at zk, all others as good as can be. */
static sn_status cost_at(profile *p, int k, double zk, double *cost, sn_err *err)
{
    sn_search o = {.horizon = INFINITY, .tolerance = 1e-6, .most = 30, .fixed = p->fixed};
    p->z[k] = zk;
    p->fixed[k] = 1;
    sn_status status = sn_marquardt(p->f, p->z, &o, err);
    p->fixed[k] = 0;
    *cost = p->f->cost;
    return status ? status : keep_point(p, zk, k, *cost, err);
}

/* Where the cost is 1.92 (half the 95 % quantile of chi square) above its minimum, on one side: by regula
   falsi in the root of the excess, which is nearly linear. Residuals that are not white raise that by what
   they add to the variance. */
static sn_status one_side(profile *p, int k, int side, double *out, sn_err *err)
{
    const sn_fit *f = p->f;
    const sn_estimate *e = p->e;
    const double far = sn_student_95(e->freedom[k]), goal = far * sqrt(0.5 * e->inflation[k]);
    double se = sqrt(e->covariance[(size_t)k * (size_t)f->n + (size_t)k]), step = far * se, at = 0, cost;
    memcpy(p->z, e->z, sizeof(double) * (size_t)f->n);
    for (int it = 0; it < 8; it++) {
        double zk = e->z[k] + side * step;
        if (zk <= f->lower[k] || zk >= f->upper[k]) {
            *out = zk <= f->lower[k] ? f->lower[k] : f->upper[k];
            return SN_OK;
        }
        SN_TRY(cost_at(p, k, zk, &cost, err));
        at = isfinite(cost) ? sqrt(fmax(cost - p->best, 0)) : 10 * goal;
        *out = zk;
        if (fabs(at - goal) < 0.02 * goal) return SN_OK;
        step *= at > 0.1 * goal ? goal / at : 5;
        if (step > 100 * se) {
            *out = side * (double)INFINITY;
            return SN_OK;
        }
    }
    return SN_OK;
}

enum { CURVE = 40 };

/* Some points more between the ends and a little beyond, so that the curve can be drawn. */
static sn_status fill_curve(profile *p, int k, const double *ends, sn_err *err)
{
    static const double part[] = {0.33, 0.67, 1.35};
    const sn_fit *f = p->f;
    double cost;
    for (int side = 0; side < 2; side++) {
        memcpy(p->z, p->e->z, sizeof(double) * (size_t)f->n);
        for (size_t i = 0; isfinite(ends[side]) && i < sizeof part / sizeof *part; i++) {
            double zk = p->e->z[k] + part[i] * (ends[side] - p->e->z[k]);
            if (zk > f->lower[k] && zk < f->upper[k]) SN_TRY(cost_at(p, k, zk, &cost, err));
        }
    }
    return SN_OK;
}

/* A curve with the estimate as its first point. */
static sn_status begin_curve(profile *p, int k, sn_err *err)
{
    const double far = sn_student_95(p->e->freedom[k]);
    p->curve = &p->e->curve[k];
    p->curve->point = sn_arena_alloc(&p->e->arena, CURVE, sizeof *p->curve->point);
    if (!p->curve->point) return SN_OUT_OF_MEM(err);
    p->curve->cap = CURVE, p->curve->limit = 0.5 * far * far * p->e->inflation[k];
    memcpy(p->z, p->e->z, sizeof(double) * (size_t)p->f->n);
    return keep_point(p, p->e->z[k], k, p->best, err);
}

sn_status sn_profile(sn_fit *f, sn_estimate *e, sn_err *err)
{
    profile p = {.f = f, .e = e, .best = f->cost};
    double ends[2];
    sn_status status = SN_NEW(p.fixed, f->n + 1) && SN_NEW(p.z, f->n + 1) ? SN_OK : SN_OUT_OF_MEM(err);
    e->curve = sn_arena_alloc(&e->arena, (size_t)f->s->n_common + 1, sizeof *e->curve);
    if (!e->curve) status = SN_OUT_OF_MEM(err);
    for (int k = 0; k < f->s->n_common && !status; k++) {
        if (e->at_bound[k] || !isfinite(e->std_error[k])) continue;
        status = begin_curve(&p, k, err);
        for (int side = 0; side < 2 && !status; side++)
            status = one_side(&p, k, side ? 1 : -1, &ends[side], err);
        if (!status) status = fill_curve(&p, k, ends, err);
        if (status) break;
        e->lo[k] = isfinite(ends[0]) ? sn_fit_value(f->s, k, ends[0]) : f->s->unknown[k].log ? 0 : -INFINITY;
        e->hi[k] = isfinite(ends[1]) ? sn_fit_value(f->s, k, ends[1]) : INFINITY;
    }
    sn_free(p.fixed), sn_free(p.z);
    /* back to the estimate, for who comes next */
    return status ? status : sn_fit_rows(f, e->z, err);
}

/* ---- efforts ---- */

enum { EFFORT_SAMPLES = 400, EFFORT_EXPERIMENTS = 6 };

typedef struct meter {
    const sn_part *p;
    const double *C; /* covariance of all n unknowns */
    size_t n;
    int n_channel, *channel;
    sn_effort **effort;
    const double *t; /* of the samples, on the data's clock */
    double *d;       /* n_channel rows of p->n: derivatives by z */
    double *before;  /* n_channel: values at the moment before the sample */
    double span;     /* from the moment before to the one after; 0: no offset is sought */
    double scale;    /* of the offset */
} meter;

static double band(const meter *q, const double *d)
{
    const sn_part *p = q->p;
    double var = 0;
    for (int a = 0; a < p->n; a++)
        for (int b = 0; b < p->n; b++) {
            double v = q->C[(size_t)p->unknown[a] * q->n + (size_t)p->unknown[b]];
            var += d[a] == 0 || d[b] == 0 || isnan(v) ? 0 : d[a] * d[b] * v;
        }
    return sqrt(fmax(var, 0));
}

/* A sample; where an offset is sought between the moments before and after it, which give its rate. */
static void take(void *ctx, int i, double t, double dt, const double *y, const double *dy)
{
    meter *q = ctx;
    const sn_part *p = q->p;
    int seek = q->span > 0, moments = seek ? 3 : 1, moment = seek ? i % 3 : 1, last = seek ? 2 : 1;
    (void)t, (void)dt;
    if (i < 0) return;
    for (int c = 0; c < q->n_channel; c++) {
        const double now = y[q->channel[c]], *by = dy + (size_t)q->channel[c] * (size_t)p->nx;
        double *d = q->d + (size_t)c * (size_t)p->n;
        sn_effort *e = q->effort[c];
        if (moment == 0) q->before[c] = now;
        if (moment == 1) {
            for (int a = 0; a < p->n; a++) {
                d[a] = 0;
                for (int k = 0; k < p->nx; k++) d[a] += by[k] * p->dx[k * p->n + a];
            }
            e->t[e->n] = q->t[i / moments], e->y[e->n] = now;
        }
        if (moment == 2) d[p->clock] = (now - q->before[c]) / q->span * q->scale;
        if (moment == last) e->band[e->n++] = band(q, d);
    }
}

static int is_effort(const sn_study *s, int channel)
{
    for (int k = 0; k < s->n_effort; k++) {
        int id;
        if (!sn_channel_find(s->model, s->effort[k], &id, NULL) && id == channel) return 1;
    }
    const char *unit = sn_channel_get(s->model, channel).unit;
    return !s->effort && (!strcmp(unit, "N") || !strcmp(unit, "N*m"));
}

/* The channels to be measured, with room for so many samples. */
static sn_status choose(const sn_study *s, sn_estimate *e, int k, int samples, meter *q, sn_err *err)
{
    int channels = sn_channel_count(s->model);
    q->channel = sn_arena_alloc(&e->arena, (size_t)channels + 1, sizeof *q->channel);
    q->effort = sn_arena_alloc(&e->arena, (size_t)channels + 1, sizeof *q->effort);
    if (!q->channel || !q->effort) return SN_OUT_OF_MEM(err);
    for (int c = 0; c < channels; c++) {
        if (!is_effort(s, c)) continue;
        sn_effort *o = &e->effort[e->n_effort++];
        *o = (sn_effort){.experiment = k, .channel = c};
        o->t = sn_arena_alloc(&e->arena, (size_t)samples + 1, sizeof(double));
        o->y = sn_arena_alloc(&e->arena, (size_t)samples + 1, sizeof(double));
        o->band = sn_arena_alloc(&e->arena, (size_t)samples + 1, sizeof(double));
        if (!o->t || !o->y || !o->band) return SN_OUT_OF_MEM(err);
        q->effort[q->n_channel] = o, q->channel[q->n_channel++] = c;
    }
    size_t n = (size_t)q->n_channel + 1;
    q->d = sn_arena_alloc(&e->arena, n * (size_t)(q->p->n + 1), sizeof *q->d);
    q->before = sn_arena_alloc(&e->arena, n, sizeof *q->before);
    return q->d && q->before ? SN_OK : SN_OUT_OF_MEM(err);
}

static sn_status of_experiment(const sn_fit *f, sn_estimate *e, int k, sn_err *err)
{
    const sn_study *s = f->s;
    const sn_experiment *x = &s->experiment[k];
    int stride = 1 + x->n / EFFORT_SAMPLES, samples = 0, n = 0, seek = x->offset_unknown >= 0;
    double delta, shift = sn_fit_shift(s, x, e->z, &delta);
    double *t = sn_arena_alloc(&e->arena, (size_t)x->n + 1, sizeof *t);
    double *times = sn_arena_alloc(&e->arena, 3 * (size_t)x->n + 1, sizeof *times);
    meter q = {.p = &f->part[k], .C = e->covariance, .n = (size_t)f->n, .t = t, .span = 2 * delta};
    if (!t || !times) return SN_OUT_OF_MEM(err);
    if (seek) q.scale = s->unknown[x->offset_unknown].scale;
    for (int i = 0; i < x->n; i += stride) {
        double at = x->t[i] + shift;
        if (at - delta < x->begin) continue; /* moved before the run begins */
        t[samples++] = x->t[i];
        if (seek) times[n++] = at - delta;
        times[n++] = at;
        if (seek) times[n++] = at + delta;
    }
    SN_TRY(choose(s, e, k, samples, &q, err));
    if (!q.n_channel || !n || times[n - 1] <= x->begin) return SN_OK;
    sn_poll poll = sn_fit_poll(f);
    sn_run_options o = s->run;
    o.begin = x->begin, o.end = times[n - 1], o.exact = 1, o.frame = NULL, o.n_point = 0, o.n_wrt = 0;
    o.progress = sn_fit_stop, o.ctx = &poll, o.message = NULL;
    if (o.drop_redundant == SN_REDUNDANT_SHARE) o.drop_redundant = SN_REDUNDANT_DROP;
    sn_forward w = {.np = q.p->nx, .id = q.p->id, .times = times, .n_times = n, .take = take, .ctx = &q};
    sn_follow follow = sn_forward_follow(&w);
    sn_info info;
    int before = sn_err_count(err);
    sn_status status = sn_fit_run(f, 0, q.p->values, &o, &follow, &info, err);
    sn_forward_free(&w);
    if (status == SN_ERR_NUMERIC) sn_err_forget(err, before), status = SN_OK;
    return status;
}

sn_status sn_efforts(const sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    int made = 0;
    e->effort = sn_arena_alloc(&e->arena, (size_t)EFFORT_EXPERIMENTS * (size_t)sn_channel_count(s->model) + 1,
                               sizeof *e->effort);
    if (!e->effort) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < s->n_experiment && made < EFFORT_EXPERIMENTS; k++)
        if (!s->experiment[k].hold_out && !s->experiment[k].sort) {
            SN_TRY(of_experiment(f, e, k, err));
            made++;
        }
    return SN_OK;
}
