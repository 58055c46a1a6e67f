#include "identify/projection.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

struct sn_projection {
    const sn_fit *f;
    int n, *free; /* unknowns that can move */
    double *L;    /* Cholesky factor of A over them, rows and columns scaled to a unit diagonal */
    double *scale;
    double *u, *w; /* scratch: J' phi, and what solves A w = u */
};

void sn_projection_free(sn_projection *p)
{
    if (!p) return;
    sn_free(p->free), sn_free(p->L), sn_free(p->scale), sn_free(p->u), sn_free(p->w);
    sn_free(p);
}

static sn_status factorise(sn_projection *p, const int *at_bound, sn_err *err)
{
    const sn_fit *f = p->f;
    size_t all = (size_t)f->n;
    for (int k = 0; k < f->n; k++)
        if (!(at_bound && at_bound[k]) && f->A[(size_t)k * all + (size_t)k] > 0) p->free[p->n++] = k;
    for (int i = 0; i < p->n; i++)
        p->scale[i] = 1 / sqrt(f->A[(size_t)p->free[i] * all + (size_t)p->free[i]]);
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++)
            p->L[i * p->n + j] =
                f->A[(size_t)p->free[i] * all + (size_t)p->free[j]] * p->scale[i] * p->scale[j];
    /* what the data do not see must not be taken for an explanation */
    for (int i = 0; i < p->n; i++) p->L[i * p->n + i] += 1e-12;
    if (p->n && LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', p->n, p->L, p->n))
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "the normal equations are singular");
    return SN_OK;
}

sn_status sn_projection_new(const sn_fit *f, const int *at_bound, sn_projection **out, sn_err *err)
{
    sn_projection *p;
    size_t n = (size_t)f->n;
    *out = NULL;
    if (!SN_NEW(p, 1)) return SN_OUT_OF_MEM(err);
    p->f = f;
    sn_status status = SN_NEW(p->free, n + 1) && SN_NEW(p->L, n * n + 1) && SN_NEW(p->scale, n + 1) &&
                               SN_NEW(p->u, n + 1) && SN_NEW(p->w, n + 1)
                           ? factorise(p, at_bound, err)
                           : SN_OUT_OF_MEM(err);
    if (status)
        sn_projection_free(p);
    else
        *out = p;
    return status;
}

sn_addition sn_projection_add(const sn_projection *p, double *const *phi, double *dz)
{
    const sn_fit *f = p->f;
    double square = 0, product = 0, *u = p->u, *w = p->w;
    memset(u, 0, sizeof *u * (size_t)f->n);
    for (int e = 0; e < f->s->n_experiment; e++) {
        const sn_experiment *x = &f->s->experiment[e];
        const sn_part *q = &f->part[e];
        for (size_t i = 0; !x->hold_out && phi[e] && i < (size_t)x->n * (size_t)x->n_channel; i++) {
            if (isnan(q->r[i]) || isnan(phi[e][i])) continue;
            /* as the loss function weighs the normal equations */
            double huber = f->s->huber, size = fabs(q->r[i]);
            double part = phi[e][i] * (huber > 0 && size > huber ? huber / size : 1);
            square += part * phi[e][i], product += part * q->r[i];
            for (int a = 0; a < q->n; a++) u[q->unknown[a]] += q->J[i * (size_t)q->n + (size_t)a] * part;
        }
    }
    for (int i = 0; i < p->n; i++) w[i] = u[p->free[i]] * p->scale[i];
    if (p->n) LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', p->n, 1, p->L, p->n, w, 1);
    double own = square;
    for (int i = 0; i < p->n; i++) {
        own -= w[i] * p->scale[i] * u[p->free[i]];
        product -= w[i] * p->scale[i] * f->g[p->free[i]];
    }
    if (dz) memset(dz, 0, sizeof *dz * (size_t)f->n);
    for (int i = 0; dz && i < p->n; i++) dz[p->free[i]] = -w[i] * p->scale[i];
    sn_addition a = {.c = NAN, .std_error = NAN, .own = square > 0 ? fmax(own / square, 0) : 0};
    if (a.own > 1e-9)
        a.c = -product / own, a.std_error = 1 / sqrt(own), a.chi_square = product * product / own;
    return a;
}
