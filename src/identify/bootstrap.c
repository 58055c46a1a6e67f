/* Block bootstrap of the residuals (Kuensch, Annals of Statistics 17, 1989), on a circle so that every
   residual is drawn as often (Politis and Romano 1992). Data are made anew: the fit less residuals in blocks
   of rows, the same rows for all channels of an experiment, so that what channels share and what follows
   itself in time is kept; then all unknowns are sought again from the estimate. What is known before is one
   more measurement, and drawn like one.

   Each refit has random numbers of its own, so that results do not depend on the number of threads. */
#include "identify/bootstrap.h"
#include "identify/random.h"
#include "identify/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- block length ---- */

static double product_at(int n, int channels, const double *r, double mean, int lag)
{
    double sum = 0;
    for (int i = lag; i < n; i++) {
        double a = r[(size_t)i * (size_t)channels], b = r[(size_t)(i - lag) * (size_t)channels];
        if (!isnan(a) && !isnan(b)) sum += (a - mean) * (b - mean);
    }
    return sum / n;
}

/* Of one channel; R: room for `most` + 1 lags. The correlation is taken to end where five lags in a row are
   within what white noise has; a flat-top window of twice that length weighs what is summed. */
static double length_of(int n, int channels, const double *r, int most, double *R)
{
    double mean = 0, count = 0, level = 2 * sqrt(log10(n) / n), around = 0, slope = 0;
    int end = 0, quiet = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(r[(size_t)i * (size_t)channels])) mean += r[(size_t)i * (size_t)channels], count++;
    mean /= fmax(count, 1);
    for (int k = 0; k <= most; k++) {
        R[k] = product_at(n, channels, r, mean, k);
        if (!(R[0] > 0)) return 1;
        if (quiet < 5) quiet = k && fabs(R[k] / R[0]) < level ? quiet + 1 : 0;
        if (!quiet) end = k;
        if (quiet == 5 && k >= 2 * end) break;
    }
    if (!end) return 1;
    int last = 2 * end < most ? 2 * end : most;
    for (int k = 0; k <= last; k++) {
        double t = (double)k / (2 * end), w = (k ? 2 : 1) * (t <= 0.5 ? 1 : 2 * (1 - t));
        around += w * R[k], slope += w * k * R[k];
    }
    if (!(around > 0)) return 1;
    return 2 * cbrt(1.5 * slope * slope / (around * around) * n);
}

sn_status sn_block_length(int n, int channels, const double *r, int *block, sn_err *err)
{
    int most = n / 4 < 2000 ? n / 4 : 2000;
    double *R, length = 1;
    *block = 1;
    if (n < 20) return SN_OK;
    if (!SN_NEW(R, most + 1)) return SN_OUT_OF_MEM(err);
    for (int c = 0; c < channels; c++) length = fmax(length, length_of(n, channels, r + c, most, R));
    sn_free(R);
    *block = (int)ceil(fmin(length, n / 5.0));
    return SN_OK;
}

/* ---- data anew ---- */

typedef struct boot {
    sn_fit *f; /* the estimate's */
    sn_estimate *e;
    double *mean;  /* of the residuals: channels of all experiments, one after the other */
    double larger; /* factor of the residuals: the fit has made them smaller */
    double *z;     /* n x unknowns: refits; a first NAN: it failed */
    int n;
    pthread_t caller;
    atomic_int next, done, stop, failed; /* failed: a status */
    atomic_long simulations;
} boot;

/* A thread's own copy of what is changed. */
typedef struct copy {
    sn_study s;
    sn_experiment *experiment;
    sn_unknown *unknown;
    double **y, *z;
    sn_whitener *white; /* of the channels of an experiment */
    double *states;     /* of these */
    sn_fit *f;
    sn_err err;
} copy;

static void close_copy(const boot *b, copy *c)
{
    for (int k = 0; c->y && k < b->f->s->n_experiment; k++) sn_free(c->y[k]);
    sn_fit_free(c->f);
    sn_free(c->experiment), sn_free(c->unknown), sn_free(c->y), sn_free(c->z);
    sn_free(c->white), sn_free(c->states);
}

/* Asked by the runs of all threads: the caller's own one asks the user. */
static int ask(void *ctx, double done, double t)
{
    boot *b = ctx;
    sn_fit *f = b->f;
    (void)done;
    if (pthread_equal(b->caller, pthread_self()) && f->progress &&
        f->progress(f->ctx, fmax(f->done, (double)atomic_load(&b->done) / b->n), t))
        atomic_store(&b->stop, 1);
    return atomic_load(&b->stop);
}

static sn_status open_copy(boot *b, copy *c)
{
    const sn_study *s = b->f->s;
    size_t experiments = (size_t)s->n_experiment, unknowns = (size_t)s->n_unknown;
    size_t channels = 1;
    for (int k = 0; k < s->n_experiment; k++)
        if ((size_t)s->experiment[k].n_channel > channels) channels = (size_t)s->experiment[k].n_channel;
    if (!SN_NEW(c->white, channels) || !SN_NEW(c->states, channels * SN_AR_MOST))
        return SN_OUT_OF_MEM(&c->err);
    if (!SN_NEW(c->experiment, experiments + 1) || !SN_NEW(c->unknown, unknowns + 1) ||
        !SN_NEW(c->y, experiments + 1) || !SN_NEW(c->z, unknowns + 1))
        return SN_OUT_OF_MEM(&c->err);
    c->s = *s;
    memcpy(c->experiment, s->experiment, sizeof *c->experiment * experiments);
    memcpy(c->unknown, s->unknown, sizeof *c->unknown * unknowns);
    c->s.experiment = c->experiment, c->s.unknown = c->unknown;
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        size_t n = (size_t)x->n * (size_t)x->n_channel;
        if (x->hold_out) continue;
        if (!SN_NEW(c->y[k], n + 1)) return SN_OUT_OF_MEM(&c->err);
        memcpy(c->y[k], x->y, sizeof(double) * n);
        c->experiment[k].y = c->y[k];
    }
    SN_TRY(sn_fit_new(&c->s, 1, &c->f, &c->err));
    c->f->progress = ask, c->f->ctx = b, c->f->deadline = b->f->deadline;
    return SN_OK;
}

/* A residual of channel c at a row, or at the next row that has one. */
static double residual_at(const sn_experiment *x, const double *r, int row, int c)
{
    for (int k = 0; k < x->n; k++) {
        double v = r[(size_t)((row + k) % x->n) * (size_t)x->n_channel + (size_t)c];
        if (!isnan(v)) return v;
    }
    return 0;
}

/* Data of experiment k. Modes are too few and too different to be drawn from: theirs is normal noise. Noise
   with a model is made of drawn innovations. */
static void draw_data(const boot *b, int k, const double *mean, const copy *own, unsigned long long *seed)
{
    const sn_experiment *x = &b->f->s->experiment[k];
    const double *r = b->e->innovation[k], *model = b->e->model[k];
    double *y = own->y[k];
    for (int c = 0; x->noise && c < x->n_channel; c++)
        own->white[c] =
            (sn_whitener){.m = &x->noise[c].m, .columns = 1, .x = own->states + (size_t)c * SN_AR_MOST};
    int from = 0, block = b->e->bootstrap.block[k];
    for (int i = 0; i < x->n; i++) {
        if (i % block == 0) from = (int)(sn_uniform(seed) * x->n) - i;
        for (int c = 0; c < x->n_channel; c++) {
            size_t at = (size_t)i * (size_t)x->n_channel + (size_t)c;
            double one = x->sigma[c] * (x->relative ? x->relative[at] : 1) / sqrt(x->weight), v;
            if (x->sort == SN_MODES)
                v = sn_normal(seed);
            else
                v = (residual_at(x, r, (from + i) % x->n, c) - mean[c]) * b->larger;
            if (isnan(r[at])) continue;
            if (x->noise && x->noise[c].kind) v = sn_colour_sample(&own->white[c], x->t[i], v);
            y[at] = model[at] - v * one;
        }
    }
}

static void draw_priors(const boot *b, sn_unknown *unknown, unsigned long long *seed)
{
    for (int k = 0; k < b->f->n; k++) {
        sn_unknown *u = &unknown[k];
        if (!isnan(u->prior)) u->prior = b->e->z[k] * (u->log ? 1 : u->scale) + u->prior_sd * sn_normal(seed);
    }
}

static unsigned long long seed_of(unsigned long given, int i)
{
    unsigned long long x = 0x9E3779B97F4A7C15ULL * (given + 1) + 0xD1B54A32D192ED03ULL * (unsigned)(i + 1);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL, x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ? x : 1;
}

/* One refit. */
static sn_status refit(boot *b, copy *c, int i)
{
    const sn_study *s = b->f->s;
    unsigned long long seed = seed_of(s->bootstrap.seed, i);
    const double *mean = b->mean;
    sn_search o = {.horizon = INFINITY, .tolerance = 1e-6, .damping = 1e-6, .most = 30};
    size_t n = (size_t)b->f->n;
    for (int k = 0; k < s->n_experiment; mean += s->experiment[k++].n_channel)
        if (!s->experiment[k].hold_out) draw_data(b, k, mean, c, &seed);
    draw_priors(b, c->unknown, &seed);
    memcpy(c->z, b->e->z, sizeof(double) * n);
    sn_err_clear(&c->err);
    sn_status status = sn_marquardt(c->f, c->z, &o, &c->err);
    if (status == SN_ERR_NUMERIC) status = SN_OK, o.converged = 0;
    memcpy(b->z + (size_t)i * n, c->z, sizeof(double) * n);
    if (!o.converged) b->z[(size_t)i * n] = NAN;
    return status;
}

static void *work(void *ctx)
{
    boot *b = ctx;
    copy *c;
    sn_status status = SN_ERR_MEMORY;
    if (SN_NEW(c, 1)) {
        sn_err_clear(&c->err);
        status = open_copy(b, c);
        for (int i; !status && !atomic_load(&b->stop) && (i = atomic_fetch_add(&b->next, 1)) < b->n;) {
            status = refit(b, c, i);
            atomic_fetch_add(&b->done, 1);
        }
        if (c->f) atomic_fetch_add(&b->simulations, c->f->simulations);
        close_copy(b, c);
    }
    sn_free(c);
    if (status) atomic_store(&b->failed, (int)status), atomic_store(&b->stop, 1);
    return NULL;
}

/* ---- intervals ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(int n, const double *x, double part)
{
    double at = fmin(fmax(part * (n + 1) - 1, 0), n - 1);
    int i = (int)at;
    return i + 1 < n ? x[i] + (at - i) * (x[i + 1] - x[i]) : x[n - 1];
}

/* Of unknown k; x: room for all refits. Where residuals are correlated a fit has taken most of the slow part
   of the noise, which is what its unknowns feel, and blocks of what is left scatter too little: then refits
   give the shape of the interval, and the standard error, which knows of it, its size where that is larger.
 */
static void interval_of(const boot *b, int k, double *x)
{
    sn_estimate *e = b->e;
    size_t n = (size_t)b->f->n;
    int m = 0;
    double mean = 0, square = 0, z = e->z[k], se = sqrt(e->covariance[(size_t)k * n + (size_t)k]);
    for (int i = 0; i < b->n; i++)
        if (!isnan(b->z[(size_t)i * n])) x[m++] = b->z[(size_t)i * n + (size_t)k];
    for (int i = 0; i < m; i++) mean += x[i] / m;
    for (int i = 0; i < m; i++) square += (x[i] - mean) * (x[i] - mean);
    double sd = sqrt(square / (m - 1)),
           unit = b->f->s->unknown[k].log ? e->value[k] : b->f->s->unknown[k].scale;
    e->bootstrap.sd[k] = sd * unit, e->bootstrap.widened[k] = 1;
    if (e->at_bound[k] || !isfinite(e->std_error[k])) return;
    if ((e->allows || e->gls.there) && sd > 0)
        e->bootstrap.widened[k] = fmax(1, se / sd * sn_student_95(e->freedom[k]) / sn_student_95(INFINITY));
    qsort(x, (size_t)m, sizeof *x, ascending);
    e->lo[k] = sn_fit_value(b->f->s, k, z + e->bootstrap.widened[k] * (quantile(m, x, 0.025) - z));
    e->hi[k] = sn_fit_value(b->f->s, k, z + e->bootstrap.widened[k] * (quantile(m, x, 0.975) - z));
}

static sn_status intervals(const boot *b, sn_err *err)
{
    sn_estimate *e = b->e;
    size_t n = (size_t)b->f->n;
    int good = 0, longest = 1;
    double *x, most = 1;
    for (int i = 0; i < b->n; i++) good += !isnan(b->z[(size_t)i * n]);
    if (10 * good < 9 * b->n) {
        sn_estimate_verdict(
            e, 1, "intervals",
            "%d of %d refits of the bootstrap did not converge: intervals from standard errors", b->n - good,
            b->n);
        return SN_OK;
    }
    e->bootstrap.n = good;
    if (!SN_NEW(x, b->n + 1)) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < b->f->n; k++) interval_of(b, k, x), most = fmax(most, e->bootstrap.widened[k]);
    sn_free(x);
    for (int k = 0; k < e->s->n_experiment; k++)
        if (e->bootstrap.block[k] > longest) longest = e->bootstrap.block[k];
    sn_estimate_verdict(e, 0, "intervals",
                        "intervals from %d refits to resampled residuals, in blocks of up to %d row%s", good,
                        longest, longest > 1 ? "s" : "");
    if (most > 1.05)
        sn_estimate_verdict(
            e, 0, "intervals",
            "refits to correlated residuals scatter too little: their intervals are widened, by up to "
            "%.2f, to what the standard errors allow for",
            most);
    return SN_OK;
}

/* Means of the residuals and block lengths. */
static sn_status prepare(boot *b, sn_err *err)
{
    const sn_study *s = b->f->s;
    sn_estimate *e = b->e;
    double *mean = b->mean;
    for (int k = 0; k < s->n_experiment; mean += s->experiment[k++].n_channel) {
        const sn_experiment *x = &s->experiment[k];
        e->bootstrap.block[k] = 1;
        if (x->hold_out || x->sort == SN_MODES) continue;
        SN_TRY(sn_block_length(x->n, x->n_channel, e->innovation[k], &e->bootstrap.block[k], err));
        for (int c = 0; c < x->n_channel; c++) {
            double sum = 0, count = 0;
            for (int i = 0; i < x->n; i++) {
                double r = e->innovation[k][(size_t)i * (size_t)x->n_channel + (size_t)c];
                if (!isnan(r)) sum += r, count++;
            }
            mean[c] = count > 0 ? sum / count : 0;
        }
    }
    b->larger = sqrt((double)e->count / fmax((double)(e->count - b->f->n), 1));
    return SN_OK;
}

sn_status sn_bootstrap(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    boot b = {.f = f, .e = e, .n = s->bootstrap.n, .caller = pthread_self()};
    size_t channels = 1, n = (size_t)f->n;
    for (int k = 0; k < s->n_experiment; k++) channels += (size_t)s->experiment[k].n_channel;
    e->bootstrap.block = sn_arena_alloc(&e->arena, (size_t)s->n_experiment + 1, sizeof *e->bootstrap.block);
    e->bootstrap.sd = sn_arena_alloc(&e->arena, n + 1, sizeof *e->bootstrap.sd);
    e->bootstrap.widened = sn_arena_alloc(&e->arena, n + 1, sizeof *e->bootstrap.widened);
    sn_status status = e->bootstrap.block && e->bootstrap.sd && e->bootstrap.widened &&
                               SN_NEW(b.mean, channels) && SN_NEW(b.z, (size_t)b.n * n + 1)
                           ? prepare(&b, err)
                           : SN_OUT_OF_MEM(err);
    if (!status) {
        sn_fit_together(f, b.n, &(sn_together){work, &b, ask, &b});
        f->simulations += atomic_load(&b.simulations);
        status = (sn_status)atomic_load(&b.failed);
        if (!status && atomic_load(&b.stop)) status = SN_ERR_INTERRUPTED;
        if (status == SN_ERR_MEMORY)
            SN_OUT_OF_MEM(err);
        else if (status)
            sn_fail(err, status, NULL, "the bootstrap was stopped");
    }
    if (!status) status = intervals(&b, err);
    sn_free(b.mean), sn_free(b.z);
    return status;
}
