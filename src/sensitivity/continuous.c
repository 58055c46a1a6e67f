/* The continuous adjoint, for comparison with the discrete one: the adjoint of the differential equations
   (Vanpaemel, Vermaut, Naets, Desmet: bushing identification by the adjoint variable method, equations 11 to
   13), discretised on its own. With r = M a + ... = 0, phi = 0 and what the objective feels of q and v, g_q
   and g_v,

       d/dt (M'mu) = C'mu - kappa + g_v,   d/dt kappa = K'mu + B'nu + A'kappa + g_q,   B mu = 0

   backwards from 0 at the end; A v = d/dt of a variation in body axes, 0 for flat coordinates. Implicit Euler
   over the steps of the run gives

       (M + h C + h^2 K)'mu + h^2 B'nu = w + h kappa - h g_v - h^2 g_q,   w = M'mu of the step before

   dJ/dp = sum of h (mu'dr/dp + nu'dphi/dp), less w'dv + kappa'dq at the start. Of first order in h: it is the
   gradient of something else than what the run computed, which is what the comparison shows. It serves
   objectives of positions and velocities, without first-order coordinates and equations at velocity level. */
#include "sensitivity/adjoint.h"

#include <string.h>

sn_status sn_continuous_check(const sn_model *m, sn_err *err)
{
    if (m->first_order)
        return sn_fail(err, SN_ERR_INPUT, NULL, "the continuous adjoint knows no first-order coordinates");
    for (int i = 0; i < m->m; i++)
        if (m->velocity[i])
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "the continuous adjoint knows no equations at velocity level");
    return SN_OK;
}

/* kappa <- E(h v)' kappa: the axes it refers to turn with the bodies */
static void turn_axes(const sn_model *m, const sn_state *x, double h, double *kappa)
{
    enum { MAX = SN_MAX_CURVED };
    double E[MAX * MAX], T[MAX * MAX], d[MAX], y[MAX];
    for (int e = 0; e < m->n_node; e++) {
        const sn_node *node = &m->node[e];
        int n = node->nv;
        if (node->ground || !node->cls->tangent) continue;
        for (int i = 0; i < n; i++) d[i] = h * x->v[node->v + i], y[i] = 0;
        node->cls->tangent(d, E, T);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) y[j] += E[i * n + j] * kappa[node->v + i];
        memcpy(kappa + node->v, y, sizeof(double) * (size_t)n);
    }
}

sn_status sn_continuous_step(sn_adjoint *s, const sn_state *x, double h, sn_linsol *ls, double *g,
                             sn_err *err)
{
    sn_context *d = s->d;
    const sn_model *m = d->m;
    double *z = d->z, *Cx = s->Cx, *Mx = s->Mx;
    int column;
    const sn_coef coef = {d->k, d->c, d->a, d->a, 1};
    for (int i = 0; i < m->nv; i++) d->k[i] = h * h, d->c[i] = h, d->a[i] = 1;
    for (int i = 0; i < m->nv + m->m; i++)
        if ((i < m->nv ? s->b->a[i] : s->b->lam[i - m->nv]) != 0)
            return sn_fail(
                err, SN_ERR_INPUT, NULL,
                "the continuous adjoint knows objectives of positions and velocities only, but this "
                "one depends on %s",
                i < m->nv ? "accelerations" : "reactions");
    sn_system_tangent_maps(d->w, d->zero);
    d->w->Cx = Cx, d->w->Mx = Mx;
    sn_status status = sn_system_eval(d->w, x, &coef, err);
    d->w->Cx = d->w->Mx = NULL;
    /* equations are rows without factor h^2, their unknowns h^2 nu */
    if (!status) status = sn_linsol_factor(ls, d->w->Ax, &column, err);
    turn_axes(m, x, h, s->kappa);
    memset(z, 0, sizeof(double) * (size_t)m->n);
    for (int i = 0; i < m->nv; i++) z[i] = s->w[i] + h * s->kappa[i] - s->b->v[i] - h * s->b->q[i];
    if (!status) status = sn_linsol_solve(ls, 1, 1, z);
    for (int j = 0; j < m->nv && !status; j++) {
        double w = 0, c = 0;
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++)
            if (m->Ai[k] < m->nv) w += Mx[k] * z[m->Ai[k]], c += Cx[k] * z[m->Ai[k]];
        s->kappa[j] = c + (w - s->w[j] + s->b->v[j]) / h;
        s->w[j] = w;
    }
    for (int i = 0; i < m->m; i++) z[m->nv + i] /= h;
    if (!status) status = sn_system_dparam_transposed(d->w, x, s->chain, h, z, g, err);
    sn_dstate_clear(m, s->b);
    return status;
}

void sn_continuous_start(const sn_adjoint *s, double *g)
{
    const sn_model *m = s->d->m;
    size_t n = (size_t)s->n_start;
    for (int i = 0; i < m->nv; i++)
        for (size_t k = 0, at = (size_t)i * n; k < n; k++, at++)
            g[s->at_start[k]] -= s->w[i] * s->dstart->v[at] + s->kappa[i] * s->dstart->q[at];
}
