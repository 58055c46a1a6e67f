/* Reactions where equations are redundant: of all multipliers with the same effect B' lam the smallest ones.

   Equations that were left out (lam = 0) follow from the others, b_i = sum_j c_ij b_j (see consistent.c), so
   that lam may be changed by any multiple of n_i = e_i - c_i without effect. The smallest multipliers are
   lam - N y, (N' D N) y = N' D lam, D = 1 for forces and 1/L^2 for moments, L the size of the model, so that
   both compare. Only outputs see them; the motion is the same. */
#include "analysis/analysis.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#undef I

struct sn_redundant_multipliers {
    sn_linsol *ls;
    sn_state *x;
    int n;          /* redundant equations */
    int *equation;  /* n */
    double *N;      /* n columns of n unknowns each; the coordinates' part is scratch */
    double *weight; /* m: D */
    double *G, *y;  /* n x n, n */
};

void sn_redundant_multipliers_free(sn_redundant_multipliers *s)
{
    if (!s) return;
    sn_linsol_free(s->ls);
    sn_state_free(s->x);
    sn_free(s->equation), sn_free(s->N), sn_free(s->weight), sn_free(s->G), sn_free(s->y);
    sn_free(s);
}

sn_status sn_redundant_multipliers_new(sn_context *d, sn_err *err)
{
    const sn_model *m = d->m;
    size_t n = (size_t)d->w->n_dropped;
    sn_redundant_multipliers *s;
    if (!n || d->multipliers) return SN_OK;
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    d->multipliers = s;
    s->n = d->w->n_dropped;
    if (!SN_NEW(s->equation, n) || !SN_NEW(s->N, n * (size_t)m->n) || !SN_NEW(s->weight, m->m) ||
        !SN_NEW(s->G, n * n) || !SN_NEW(s->y, n))
        return SN_OUT_OF_MEM(err);
    for (int i = 0, k = 0; i < m->m; i++)
        if (d->w->dropped[i]) s->equation[k++] = i;
    for (int i = 0; i < m->m; i++) s->weight[i] = 1 / (d->w->scale[m->nv + i] * d->w->scale[m->nv + i]);
    SN_TRY(sn_state_new(m, 0, &s->x, err));
    return sn_linsol_new(d->o->solver, m->n, m->Ap, m->Ai, &s->ls, err);
}

/* x with the smallest multipliers. */
static sn_status spread(sn_context *d, const sn_state *x, sn_err *err)
{
    const sn_model *m = d->m;
    sn_redundant_multipliers *s = d->multipliers;
    int n = s->n;
    SN_TRY(sn_dependencies(d, s->ls, x, s->N, err));
    sn_state_copy(m, x, s->x);
    /* N: e_i - c_i */
    for (int k = 0; k < n; k++) {
        double *c = s->N + (size_t)k * (size_t)m->n + m->nv;
        for (int i = 0; i < m->m; i++) c[i] = -c[i];
        c[s->equation[k]] = 1;
    }
    for (int k = 0; k < n; k++) {
        const double *a = s->N + (size_t)k * (size_t)m->n + m->nv;
        s->y[k] = 0;
        for (int i = 0; i < m->m; i++) s->y[k] += a[i] * s->weight[i] * x->lam[i];
        for (int l = 0; l < n; l++) {
            const double *b = s->N + (size_t)l * (size_t)m->n + m->nv;
            double sum = 0;
            for (int i = 0; i < m->m; i++) sum += a[i] * s->weight[i] * b[i];
            s->G[k * n + l] = sum;
        }
    }
    if (LAPACKE_dposv(LAPACK_COL_MAJOR, 'U', n, 1, s->G, n, s->y, n))
        return sn_fail(err, SN_ERR_NUMERIC, NULL,
                       "the reactions of redundant equations cannot be shared at t = %.6g", x->t);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < m->m; i++)
            s->x->lam[i] -= s->y[k] * s->N[(size_t)k * (size_t)m->n + (size_t)(m->nv + i)];
    return SN_OK;
}

sn_status sn_redundant_multipliers_state(sn_context *d, const sn_state **x, sn_err *err)
{
    if (!d->multipliers) return SN_OK;
    SN_TRY(spread(d, *x, err));
    *x = d->multipliers->x;
    return SN_OK;
}
