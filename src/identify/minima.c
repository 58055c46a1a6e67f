/* Several minima. With little information the likelihood can have several maxima of about the same height; a
   standard error knows one of them. Around each the likelihood is about a normal distribution with the
   covariance of its own normal equations, so its probability is about

       w ~ exp(-cost) sqrt(det covariance)

   (Laplace's method, with a wide prior), and all together are a mixture of normal distributions, whose
   quantiles are honest intervals: judge_minimum.c. */
#include "identify/minima.h"
#include "identify/result.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

enum { MOST = 8 };
static const double doubt = 7 /* costs */, prior = 1 / (2.302585092994046 * 2.302585092994046);

sn_status sn_minima_add(sn_minima *m, const double *z, int starts, sn_err *err)
{
    if (m->n == m->cap) {
        int more = m->cap ? 2 * m->cap : 8;
        double *places = NULL;
        int *counts = NULL;
        if (!SN_NEW(places, (size_t)more * m->dim + 1) || !SN_NEW(counts, more)) {
            sn_free(places);
            return SN_OUT_OF_MEM(err);
        }
        if (m->n) memcpy(places, m->z, sizeof *places * (size_t)m->n * m->dim);
        if (m->n) memcpy(counts, m->starts, sizeof *counts * (size_t)m->n);
        sn_free(m->z), sn_free(m->starts);
        m->z = places, m->starts = counts, m->cap = more;
    }
    memcpy(m->z + (size_t)m->n * m->dim, z, sizeof *z * m->dim);
    m->starts[m->n++] = starts;
    return SN_OK;
}

void sn_minima_free(sn_minima *m)
{
    sn_free(m->z), sn_free(m->starts);
    *m = (sn_minima){.dim = m->dim};
}

double sn_deviations(int n, const double *A, double *work, double *sd)
{
    double log_det = 0;
    memcpy(work, A, sizeof(double) * (size_t)n * (size_t)n);
    for (int k = 0; k < n; k++) work[k * n + k] += prior;
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, work, n) != 0) {
        for (int k = 0; k < n; k++) sd[k] = NAN;
        return NAN;
    }
    for (int k = 0; k < n; k++) log_det -= 2 * log(work[k * n + k]);
    LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', n, work, n);
    for (int k = 0; k < n; k++) sd[k] = sqrt(work[k * n + k]);
    return log_det;
}

/* ---- weighing ---- */

typedef struct scales {
    sn_fit *f;
    sn_estimate *e;
    double *work;             /* n x n */
    double *A, best, log_det; /* of the estimate */
    double variance;          /* of the residuals in units of the noise, 1 at least */
    double log_dets[MOST];    /* of the other minima */
} scales;

static double distance(const scales *c, const double *A, const double *x, const double *y)
{
    int n = c->f->n;
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += A[(size_t)i * (size_t)n + (size_t)j] * (x[i] - y[i]) * (x[j] - y[j]);
    return sum / c->variance;
}

/* Room for one more minimum of the estimate. */
static sn_minimum *one_more(const scales *c, sn_err *err)
{
    sn_estimate *e = c->e;
    size_t n = (size_t)c->f->n;
    sn_minimum *m = &e->minimum[e->n_minimum];
    *m = (sn_minimum){.z = sn_arena_alloc(&e->arena, n + 1, sizeof(double)),
                      .sd = sn_arena_alloc(&e->arena, n + 1, sizeof(double))};
    if (m->z && m->sd) return m;
    (void)SN_OUT_OF_MEM(err);
    return NULL;
}

/* The estimate itself is the first. */
static sn_status weigh_estimate(scales *c, sn_err *err)
{
    sn_fit *f = c->f;
    sn_estimate *e = c->e;
    size_t n = (size_t)f->n;
    e->n_minimum = 0;
    SN_TRY(sn_fit_evaluate(f, e->z, INFINITY, 0, 1, err));
    c->best = f->cost, c->variance = f->count > f->n ? fmax(1, 2 * f->cost / (f->count - f->n)) : 1;
    memcpy(c->A, f->A, sizeof(double) * n * n);
    sn_minimum *m = one_more(c, err);
    if (!m) return SN_ERR_MEMORY;
    memcpy(m->z, e->z, sizeof(double) * n);
    c->log_det = sn_deviations(f->n, f->A, c->work, m->sd);
    m->cost = c->best, e->n_minimum = 1;
    return SN_OK;
}

/* One place: to its minimum, and among those of the estimate where it is likely and new. */
static sn_status weigh_one(scales *c, double *z, int starts, int *better, sn_err *err)
{
    sn_fit *f = c->f;
    sn_estimate *e = c->e;
    size_t bytes = sizeof(double) * (size_t)f->n;
    if (distance(c, c->A, z, e->z) < 1) {
        e->minimum[0].starts += starts;
        return SN_OK;
    }
    sn_search o = {.horizon = INFINITY, .tolerance = 1e-6, .most = 30, .damping = 1e-3};
    SN_TRY(sn_marquardt(f, z, &o, err));
    if (!isfinite(f->cost)) return SN_OK;
    if (o.converged && f->cost < c->best - 0.01 * c->variance) {
        memcpy(e->z, z, bytes);
        *better = 1;
        return SN_OK;
    }
    if (!o.converged || (f->cost - c->best) / c->variance > doubt) return SN_OK;
    for (int i = 0; i < e->n_minimum; i++)
        if (distance(c, f->A, z, e->minimum[i].z) < 1) {
            e->minimum[i].starts += starts;
            return SN_OK;
        }
    if (e->n_minimum == MOST) return SN_OK;
    sn_minimum *m = one_more(c, err);
    if (!m) return SN_ERR_MEMORY;
    memcpy(m->z, z, bytes);
    c->log_dets[e->n_minimum] = sn_deviations(f->n, f->A, c->work, m->sd);
    m->cost = f->cost, m->starts = starts, e->n_minimum++;
    return SN_OK;
}

/* Weights of all, best first, which sum up to one. */
static void share(scales *c)
{
    sn_estimate *e = c->e;
    double sum = 0;
    c->log_dets[0] = c->log_det;
    for (int i = 0; i < e->n_minimum; i++) {
        sn_minimum *m = &e->minimum[i];
        double log_weight = (c->best - m->cost) / c->variance + 0.5 * (c->log_dets[i] - c->log_det);
        m->weight = isnan(log_weight) ? i == 0 : exp(log_weight);
        sum += m->weight;
    }
    for (int i = 0; i < e->n_minimum; i++) e->minimum[i].weight /= sum;
    for (int i = 2; i < e->n_minimum; i++) /* the others by their weights */
        for (int j = i; j > 1 && e->minimum[j].weight > e->minimum[j - 1].weight; j--) {
            sn_minimum t = e->minimum[j];
            e->minimum[j] = e->minimum[j - 1], e->minimum[j - 1] = t;
        }
}

sn_status sn_minima_weigh(sn_fit *f, sn_estimate *e, sn_minima *m, int *better, sn_err *err)
{
    size_t n = (size_t)f->n + 1;
    scales c = {.f = f, .e = e};
    *better = 0;
    if (!m->n) return SN_OK;
    if (!e->minimum && !(e->minimum = sn_arena_alloc(&e->arena, MOST, sizeof *e->minimum)))
        return SN_OUT_OF_MEM(err);
    sn_status status = SN_NEW(c.work, n * n) && SN_NEW(c.A, n * n) ? SN_OK : SN_OUT_OF_MEM(err);
    if (!status) status = weigh_estimate(&c, err);
    for (int i = 0; !status && !*better && i < m->n; i++)
        status = weigh_one(&c, m->z + (size_t)i * m->dim, m->starts[i], better, err);
    if (!status) share(&c);
    if (status || *better || e->n_minimum < 2) e->n_minimum = 0;
    sn_free(c.work), sn_free(c.A);
    return status;
}
