/* Shapes of the models of noise, by restricted likelihood: see colour.h. */
#include "identify/colour_work.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

enum { MOST_STEPS = 12 };
static const double outermost = 6; /* of a partial autocorrelation's atanh */

/* Bounds of a shape number. Of an exponential part: a time from a tenth of the distance of samples to ten
   times the length of the data, a ratio of variances that is nothing on both sides. */
static double within(const sn_colour_group *q, int i, double x)
{
    if (!q->exponential) return fmin(fmax(x, -outermost), outermost);
    return i == 0 ? fmin(fmax(x, q->shortest - 2.3), q->longest + 2.3) : fmin(fmax(x, -12), 14);
}

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
            for (int i = 0; i < n; i++) to[i] = within(q, i, x[i] + f * step[i]);
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
    int most = (int)(q->count / 10), high = q->kind ? SN_AR_OF_NOISE : SN_AR_MOST;
    sn_status status = q->order ? sn_ar_burg_order(n, x, q->order, &m, err)
                                : sn_ar_burg(n, x, most < high ? most : high, &m, err);
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
    q->shapes = 2, q->shortest = log(span / fmax(n, 1)), q->longest = log(fmax(span, 1e-300));
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
    q->exponential = 0;
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
    q->model.variance *= q->count / sn_colour_freedom_of_all(c, q->count);
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
        if (q->coloured && !q->exponential)
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
    if (c->groups && !c->heavy) sn_colour_likelihood(c, 0, c->group[0].M, 1, own); /* leaves the inverse */
    return SN_OK;
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
        sn_noise_model up = sn_colour_model(q, shape);
        shape[j] = q->shape[j] - h;
        sn_noise_model down = sn_colour_model(q, shape);
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
    if (!q->exponential)
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
