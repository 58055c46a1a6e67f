/* What a model of noise that was found with the fit means for the estimates.

   Generalised least squares with the noise S(theta) have the covariance A^-1, A = J' S^-1 J, if theta is
   known. It is estimated: A^-1 scatters with it, which makes the degrees of freedom of Student's distribution
   (Satterthwaite), and the estimates move with it, which adds W_ij dz/dtheta_i dz/dtheta_j to the covariance
   (Kackar and Harville, J. Am. Stat. Assoc. 79, 1984), W the covariance of theta.

   If the model is right plain least squares tell the same, only less exactly: their difference d to the
   estimate scatters with V - A^-1, V their own covariance (Hausman, Econometrica 46, 1978). Where d is larger
   the residuals are not noise of this kind: a misfit moves the two by different amounts. */
#include "identify/colour_work.h"
#include "identify/noise.h"
#include "identify/statistics.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

typedef struct gls {
    sn_fit *f;
    sn_estimate *e;
    sn_colour *c;
    double *C, *V, *B, *d, *slope, *moved, *line; /* n x n: A^-1, V, J' S J; n: d; SN_AR_MOST x n: slopes */
} gls;

/* ---- the models ---- */

/* Those of the channels, as they are. */
static void set_models(sn_colour *c)
{
    for (int g = 0; g < c->groups; g++) {
        sn_colour_group *q = &c->group[g];
        const sn_experiment *x = &c->f->s->experiment[q->series[0].experiment];
        if (!(q->coloured = q->kind != SN_NOISE_WHITE)) continue;
        const sn_noise_model *m = &x->noise[q->series[0].channel].m;
        double k[SN_AR_MOST];
        q->model = *m;
        q->shapes = q->exponential ? 2 : m->p;
        if (q->exponential)
            q->shape[0] = log(m->time), q->shape[1] = log(m->size / m->variance);
        else
            sn_ar_partial(m->p, m->a, k);
        for (int i = 0; !q->exponential && i < m->p; i++)
            q->shape[i] = atanh(fmin(fmax(k[i], -0.99998), 0.99998));
        q->logdet = sn_colour_products(c, q, m, q->M);
    }
}

/* How much more likely it is than white noise, of each channel. */
static void weigh_models(gls *a)
{
    sn_colour *c = a->c;
    for (int g = 0; g < c->groups; g++) {
        sn_colour_group *q = &c->group[g];
        double white[SN_AR_MOST] = {0}, logdet, value;
        sn_noise_model m;
        if (!q->coloured) continue;
        value = sn_colour_try(c, g, q->shape, &m, &logdet);
        if (q->exponential) white[0] = q->shape[0], white[1] = -30;
        value = sn_colour_try(c, g, white, &m, &logdet) - value;
        for (int k = 0; k < q->n; k++)
            a->e->channel[q->series[k].experiment][q->series[k].channel].evidence = value;
    }
}

/* ---- what is not known of them ---- */

/* Slopes of the variances and of the estimate by the shape numbers of group g. */
static void slopes(gls *a, int g)
{
    sn_colour *c = a->c;
    sn_colour_group *q = &c->group[g];
    const double h = 0.02;
    int n = c->n;
    double shape[SN_AR_MOST], logdet, own[2];
    sn_noise_model m;
    memset(a->slope, 0, sizeof(double) * SN_AR_MOST * (size_t)n);
    memset(a->moved, 0, sizeof(double) * SN_AR_MOST * (size_t)n);
    memcpy(shape, q->shape, sizeof shape);
    for (int i = 0; i < q->shapes; i++)
        for (int side = -1; side < 2; side += 2) {
            shape[i] = q->shape[i] + side * h;
            sn_colour_try(c, g, shape, &m, &logdet);
            sn_colour_likelihood(c, g, c->trial, 1, own);
            for (int k = 0; k < n; k++) {
                a->slope[i * n + k] += side * c->inv[k * n + k] / (2 * h);
                a->moved[i * n + k] += side * c->d[k] / (2 * h);
            }
            shape[i] = q->shape[i];
        }
}

/* The direction of group g's shape numbers, a standard deviation long, in which variances change most. */
static void steepest(const gls *a, const double *cov, int p, double *u)
{
    int n = a->c->n;
    double sum = 0, s[SN_AR_MOST] = {0};
    for (int i = 0; i < p; i++)
        for (int k = 0; k < n; k++) s[i] += a->slope[i * n + k] / a->C[k * n + k];
    for (int i = 0; i < p; i++) {
        u[i] = 0;
        for (int j = 0; j < p; j++) u[i] += cov[i * p + j] * s[j];
        sum += u[i] * s[i];
    }
    for (int i = 0; i < p; i++) u[i] = sum > 0 ? u[i] / sqrt(sum) : 0;
}

/* What a mixture of normal numbers stays below in 97.5 % of the cases; v: variances of weights w. */
static double quantile(int n, const double *w, const double *v, int stride)
{
    double lo = 0, hi = 0, all = 0;
    for (int i = 0; i < n; i++) all += w[i], hi = fmax(hi, w[i] > 0 ? 6 * sqrt(v[i * stride]) : 0);
    for (int it = 0; it < 60; it++) {
        double x = 0.5 * (lo + hi), tail = 0;
        for (int i = 0; i < n; i++) tail += w[i] / all * 0.5 * erfc(x / sqrt(2 * v[i * stride]));
        if (tail > 0.025)
            lo = x;
        else
            hi = x;
    }
    return hi;
}

enum { NODES = 17 };

/* The likelihood of the shape is not symmetric: slow noise may be much slower than it seems. Over what is
   likely of it, on a line in the steepest direction, normal numbers of different variances make the interval;
   a->line: variances of unknowns at the nodes. */
static void add_mixture(gls *a, int g, const double *cov)
{
    sn_colour *c = a->c;
    const sn_colour_group *q = &c->group[g];
    int n = c->n, p = q->shapes;
    double u[SN_AR_MOST], shape[SN_AR_MOST], w[NODES], value[NODES], least = INFINITY, tilt = 0, logdet,
                                                                     own[2];
    sn_noise_model m;
    steepest(a, cov, p, u);
    /* estimates of an autoregression are too small, by 2 a / n of order one (Cheang and Reinsel, J. Am. Stat.
       Assoc. 95, 2000) */
    for (int k = 0; k < p && !q->exponential; k++) tilt += 2 * tanh(q->shape[k]) * u[k];
    for (int i = 0; i < NODES; i++) {
        for (int k = 0; k < p; k++) shape[k] = q->shape[k] + 0.5 * (i - NODES / 2) * u[k];
        value[i] = sn_colour_try(c, g, shape, &m, &logdet) - (i - NODES / 2) * tilt;
        least = fmin(least, value[i]);
        sn_colour_likelihood(c, g, c->trial, 1, own);
        for (int k = 0; k < n; k++) a->line[i * n + k] = c->inv[k * n + k];
    }
    for (int i = 0; i < NODES; i++) w[i] = isfinite(value[i]) ? exp((least - value[i]) / 2) : 0;
    for (int k = 0; k < n; k++) {
        double far = sn_student_95(2 / fmax(a->e->gls.scatter[c->unknown[k]], 1e-9)),
               ratio = quantile(NODES, w, a->line + k, n) / (far * sqrt(a->C[k * n + k]));
        a->e->gls.wider[c->unknown[k]] += fmax(ratio * ratio - 1, 0);
    }
}

static void add_doubt(gls *a, int g)
{
    sn_colour *c = a->c;
    const sn_colour_group *q = &c->group[g];
    sn_gls *to = &a->e->gls;
    size_t n = (size_t)c->n, all = (size_t)a->f->n, p = (size_t)q->shapes;
    double cov[SN_AR_MOST * SN_AR_MOST];
    slopes(a, g);
    sn_colour_shape_covariance(c, g, cov);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            for (size_t k = 0; k < n; k++) {
                size_t row = (size_t)c->unknown[k];
                double v = a->C[k * n + k];
                to->scatter[row] += a->slope[i * n + k] * cov[i * p + j] * a->slope[j * n + k] / (v * v);
                for (size_t l = 0; l < n; l++)
                    to->extra[row * all + (size_t)c->unknown[l]] +=
                        a->moved[i * n + k] * cov[i * p + j] * a->moved[j * n + l];
            }
    add_mixture(a, g, cov);
}

/* ---- least squares ---- */

/* V = A0^-1 B A0^-1 and d = -A0^-1 J'r with A0 = J'J. */
static sn_status least_squares(gls *a, sn_err *err)
{
    sn_colour *c = a->c;
    int n = c->n;
    size_t bytes = sizeof(double) * (size_t)n * (size_t)n;
    memcpy(a->V, c->prior, bytes);
    for (int i = 0; i < n; i++) a->d[i] = -a->f->g[c->unknown[i]];
    for (int g = 0; g < c->groups; g++) {
        SN_TRY(sn_colour_meat(c, g, &c->group[g].model, a->B, err));
        for (int i = 0; i < n * n; i++) a->V[i] += a->B[i];
    }
    sn_colour_left_side(c, a->B);
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, a->B, n)) return SN_ERR_NUMERIC;
    LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', n, 1, a->B, n, a->d, 1);
    for (int twice = 0; twice < 2; twice++) { /* rows, then columns */
        LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', n, n, a->B, n, a->V, n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) {
                double x = a->V[i * n + j];
                a->V[i * n + j] = a->V[j * n + i], a->V[j * n + i] = x;
            }
    }
    return SN_OK;
}

/* d against V - C, in the directions in which the two differ by more than 5 % of a variance: V x = l C x. */
static sn_status hausman(gls *a, sn_err *err)
{
    sn_colour *c = a->c;
    sn_gls *to = &a->e->gls;
    int n = c->n;
    double *l, freedom = INFINITY;
    for (int i = 0; i < n; i++)
        if (fabs(a->d[i]) > fabs(to->move) * sqrt(a->C[i * n + i]))
            to->unknown = c->unknown[i], to->move = a->d[i] / sqrt(a->C[i * n + i]);
    for (int i = 0; i < n; i++) {
        int k = c->unknown[i];
        to->least[k] = sqrt(a->C[i * n + i] / a->V[i * n + i]);
        freedom = fmin(freedom, 2 / fmax(to->scatter[k], 1e-12));
    }
    if (!SN_NEW(l, n + 1)) return SN_OUT_OF_MEM(err);
    memcpy(a->B, a->C, sizeof(double) * (size_t)n * (size_t)n);
    int bad = n == 0 || LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'V', 'L', n, a->V, n, a->B, n, l) != 0;
    for (int i = 0; !bad && i < n; i++) {
        double along = 0;
        for (int k = 0; k < n; k++) along += a->V[k * n + i] * a->d[k];
        if (!(l[i] > 1.05) || l[i] > 1e6) continue;
        to->chi_square += along * along / (l[i] - 1), to->degrees++;
    }
    sn_free(l);
    /* as of a variance that is known with so many degrees of freedom */
    if (to->degrees && isfinite(freedom)) to->chi_square = freedom * log1p(to->chi_square / freedom);
    to->p = to->degrees ? sn_chi_square_tail(to->chi_square, to->degrees) : 1;
    return SN_OK;
}

/* Standard errors over those without the exponential part of a discrepancy. */
static void without(gls *a)
{
    sn_colour *c = a->c;
    double own[2];
    for (int g = 0; g < c->groups; g++)
        if (c->group[g].kind == SN_NOISE_DISCREPANCY) {
            const sn_noise_model white = sn_noise_white(c->group[g].model.variance);
            sn_colour_products(c, &c->group[g], &white, c->group[g].M);
        }
    sn_colour_likelihood(c, 0, c->group[0].M, 1, own);
    for (int i = 0; i < c->n; i++)
        a->e->gls.alone[c->unknown[i]] = sqrt(a->C[i * c->n + i] / c->inv[i * c->n + i]);
}

static sn_status look(gls *a, sn_err *err)
{
    sn_colour *c = a->c;
    size_t n = (size_t)c->n + 1;
    double own[2];
    if (!SN_NEW(a->C, n * n) || !SN_NEW(a->V, n * n) || !SN_NEW(a->B, n * n) || !SN_NEW(a->d, n) ||
        !SN_NEW(a->slope, n * SN_AR_MOST) || !SN_NEW(a->moved, n * SN_AR_MOST) || !SN_NEW(a->line, n * NODES))
        return SN_OUT_OF_MEM(err);
    set_models(c);
    sn_colour_likelihood(c, 0, c->group[0].M, 1, own);
    memcpy(a->C, c->inv, sizeof(double) * (size_t)c->n * (size_t)c->n);
    for (int g = 0; g < c->groups; g++)
        if (c->group[g].coloured) add_doubt(a, g);
    weigh_models(a);
    sn_status status = least_squares(a, err);
    if (!status) status = hausman(a, err);
    if (status == SN_ERR_NUMERIC) status = SN_OK; /* unknowns that cannot be told apart: said elsewhere */
    without(a);
    a->e->gls.there = 1;
    return status;
}

static sn_status make_room(const sn_fit *f, sn_estimate *e, sn_err *err)
{
    size_t n = (size_t)f->n + 1;
    sn_gls *g = &e->gls;
    *g = (sn_gls){.p = 1, .unknown = -1};
    g->scatter = sn_arena_alloc(&e->arena, n, sizeof(double));
    g->extra = sn_arena_alloc(&e->arena, n * n, sizeof(double));
    g->least = sn_arena_alloc(&e->arena, n, sizeof(double));
    g->alone = sn_arena_alloc(&e->arena, n, sizeof(double));
    g->wider = sn_arena_alloc(&e->arena, n, sizeof(double));
    if (!g->wider || !g->scatter || !g->extra || !g->least || !g->alone) return SN_OUT_OF_MEM(err);
    for (size_t k = 0; k < n; k++) g->least[k] = g->alone[k] = 1;
    return SN_OK;
}

sn_status sn_gls_look(sn_fit *f, sn_estimate *e, sn_err *err)
{
    gls a = {.f = f, .e = e};
    if (!sn_noise_modelled(f->s)) return SN_OK;
    SN_TRY(make_room(f, e, err));
    f->plain = 1;
    sn_status status = sn_fit_rows(f, e->z, err);
    if (!status) status = sn_colour_new(f, e->at_bound, &a.c, err);
    if (!status && !a.c->heavy && a.c->groups) status = look(&a, err);
    f->plain = 0, f->is_seen = 0;
    sn_free(a.C), sn_free(a.V), sn_free(a.B), sn_free(a.d), sn_free(a.slope), sn_free(a.moved),
        sn_free(a.line);
    sn_colour_free(a.c);
    return status;
}

void sn_gls_widen(const sn_fit *f, sn_estimate *e)
{
    size_t n = (size_t)f->n;
    if (!e->gls.there) return;
    for (size_t k = 0; k < n; k++) {
        double white = e->covariance[k * n + k];
        if (isfinite(white) && white > 0) /* what profiles must rise by */
            e->inflation[k] *= (1 + e->gls.extra[k * n + k] / white) * (1 + e->gls.wider[k]);
        e->freedom[k] = 1 / (1 / e->freedom[k] + e->gls.scatter[k] / 2);
        for (size_t l = 0; l < n; l++)
            if (isfinite(e->covariance[k * n + l]))
                e->covariance[k * n + l] = (e->covariance[k * n + l] + e->gls.extra[k * n + l]) *
                                           sqrt((1 + e->gls.wider[k]) * (1 + e->gls.wider[l]));
    }
    sn_standard_errors(f, e);
}
