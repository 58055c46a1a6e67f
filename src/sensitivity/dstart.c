/* Derivatives of the consistent start (start.c) by parameters, one stage after the other.

   1. Each correction z of the positions solves [W B'; B 0] [z; mu] = [0; -phi]. Differentiated:
          [W B'; B 0] [dz; dmu] = -[ dW z + dB'mu ; dB z + B dq + dphi/dp ]
      and dq becomes E dq + T dz. dW z + dB'mu is the derivative of the residual with z for the acceleration
   and mu for the multipliers, less the one without; row k of dB z that of the reaction to a unit multiplier.
   2. The same for velocities, with d(B v + phi_t) or dpsi on the right.
   3. Accelerations and multipliers: with the matrix of the start itself,
          S [da; dlam] = -[ K dq + C dv + dr/dp ; d(B a + gamma) ]

   The derivatives of phi_t and gamma, third derivatives of the equations, are the only ones that no kind
   supplies. gamma is quadratic in v, so that central differences are exact; along coordinates and numbers
   they are taken from sixth-order central differences, which leave 1e-12 of smooth functions.

   Starts with coordinates that have neither mass nor an equation but a stiffness (their rows are solved for
   q, their velocities from the next derivative), or that equations hold in some directions only, are
   differentiated as a whole by sixth-order differences over whole starts; what is left of them is about 1e-9.
 */
#include "sensitivity/dstart_inside.h"

#include <math.h>
#include <string.h>

void sn_dstart_free(sn_dstart *s)
{
    if (!s) return;
    double *const p[] = {s->F, s->G,  s->z,   s->solution, s->Jq, s->Jv,    s->local,
                         s->s, s->sd, s->sdd, s->X,        s->cc, s->no_lam};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++) sn_free(p[i]);
    sn_state_free(s->x);
    sn_free(s);
}

sn_status sn_dstart_new(sn_context *d, sn_parameter_chain *c, sn_dstart **out, sn_err *err)
{
    const sn_model *m = d->m;
    sn_dstart *s;
    size_t n = (size_t)(m->n + 1) * (size_t)(c->np + 1);
    int ns = 1, nc = 1, mm = m->max_m + 1;
    *out = NULL;
    for (int i = 0; i < m->joint.n; i++) {
        const sn_object *o = &m->joint.object[i];
        ns = o->ns > ns ? o->ns : ns, nc = o->nc > nc ? o->nc : nc;
    }
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    s->d = d, s->c = c, s->np = c->np;
    sn_status status = sn_state_new(m, 0, &s->x, err);
    if (!status &&
        (!SN_NEW(s->F, n) || !SN_NEW(s->G, n) || !SN_NEW(s->z, n) || !SN_NEW(s->solution, m->n + 1) ||
         !SN_NEW(s->no_lam, m->m + 1) || !SN_NEW(s->Jq, 2 * mm * (m->max_v + 1)) ||
         !SN_NEW(s->Jv, 2 * mm * (m->max_v + 1)) ||
         !SN_NEW(s->local, 8 * mm + 2 * (m->max_q + m->max_v) + 4) || !SN_NEW(s->s, ns) ||
         !SN_NEW(s->sd, ns) || !SN_NEW(s->sdd, ns) || !SN_NEW(s->X, m->max_q + 1) || !SN_NEW(s->cc, nc)))
        status = SN_OUT_OF_MEM(err);
    if (status) {
        sn_dstart_free(s);
        return status;
    }
    *out = s;
    return SN_OK;
}

/* ---- pieces ---- */

/* to (np columns) += sign * (matrix in Ax) * columns, rows from `first` to before `end` */
static void add_matrix(const sn_dstart *s, double sign, int first, int end, const double *columns, double *to)
{
    const sn_model *m = s->d->m;
    size_t np = (size_t)s->np;
    for (int j = 0; j < m->nv; j++)
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++) {
            double f = sign * s->d->w->Ax[p];
            if (f == 0 || m->Ai[p] < first || m->Ai[p] >= end) continue;
            for (size_t k = 0; k < np; k++) to[(size_t)m->Ai[p] * np + k] += f * columns[(size_t)j * np + k];
        }
}

/* F += sign * (dr by q along dq, by v along dv (or NULL), by p) at state x; rows of equations stay. */
static sn_status add_residual(sn_dstart *s, const sn_state *x, double sign, const double *dq,
                              const double *dv, double *F, sn_err *err)
{
    sn_context *d = s->d;
    const sn_model *m = d->m;
    const sn_coef K = {.k = d->one, .c = d->zero, .a = d->zero, .g = d->zero, .row = 1},
                  C = {.k = d->zero, .c = d->one, .a = d->zero, .g = d->zero, .row = 1};
    size_t np = (size_t)s->np, top = (size_t)m->nv * np;
    SN_TRY(sn_system_eval(d->w, x, &K, err));
    add_matrix(s, sign, 0, m->nv, dq, F);
    if (dv) {
        SN_TRY(sn_system_eval(d->w, x, &C, err));
        add_matrix(s, sign, 0, m->nv, dv, F);
    }
    memset(s->z, 0, sizeof(double) * (size_t)m->n * np);
    SN_TRY(sn_system_dparam(d->w, x, s->c, 1, s->z, err));
    for (size_t i = 0; i < top; i++) F[i] += sign * s->z[i];
    return SN_OK;
}

/* A factor of n numbers that makes the largest of them far larger than stiffnesses; 0: they are 0. */
static double enlarged(int n, const double *z)
{
    double top = 0;
    for (int i = 0; i < n; i++) top = fmax(top, fabs(z[i]));
    return top > 0 ? 1e10 / top : 0;
}

/* F += d(W z) + d(B'mu) at positions q: the residual at rest with and without z, mu. It is linear in them: f
   z, f mu are taken, with a large f, since what the stiffness leaves of their difference by rounding is much
   for small inertias, those of a shell's directors. */
static sn_status add_metric(sn_dstart *s, const double *q, const double *z, const double *mu,
                            const double *dq, double *F, sn_err *err)
{
    const sn_model *m = s->d->m;
    const double by_z = enlarged(m->nv, z), f = by_z > 0 ? by_z : enlarged(m->m, mu);
    sn_state *x = s->x;
    if (f == 0) return SN_OK;
    x->t = s->d->x->t;
    memcpy(x->q, q, sizeof(double) * (size_t)m->nq);
    memset(x->v, 0, sizeof(double) * (size_t)m->nv);
    for (int i = 0; i < m->nv; i++) x->a[i] = f * z[i];
    for (int i = 0; i < m->m; i++) x->lam[i] = f * mu[i];
    SN_TRY(add_residual(s, x, 1 / f, dq, NULL, F, err));
    memset(x->a, 0, sizeof(double) * (size_t)m->nv);
    memset(x->lam, 0, sizeof(double) * (size_t)m->m);
    return add_residual(s, x, -1 / f, dq, NULL, F, err);
}

/* Reaction of a joint to a unit multiplier k at rest: its derivative by q in w->K. */
static sn_status unit_reaction(sn_context *d, int joint, int k, double *lam)
{
    const sn_object *o = &d->m->joint.object[joint];
    sn_work *w = d->w;
    sn_in *in = &w->joint[joint];
    sn_joint_out out = {w->r, w->phi, w->B, w->G, w->K, w->C, w->L};
    size_t nv = sizeof(double) * (size_t)o->nv;
    memset(lam, 0, sizeof(double) * (size_t)o->m);
    lam[k] = 1;
    in->lam = lam;
    memset(w->v, 0, nv), memset(w->r, 0, nv);
    memset(w->K, 0, nv * (size_t)o->nv), memset(w->C, 0, nv * (size_t)o->nv);
    memset(w->B, 0, nv * (size_t)o->m), memset(w->G, 0, nv * (size_t)o->m),
        memset(w->L, 0, nv * (size_t)o->m);
    return ((const sn_joint_class *)o->cls)->eval(in, &out);
}

/* G (rows of equations) += d(B u) along dq and p; velocity rows likewise with G, or not at all. */
static sn_status add_dB(sn_dstart *s, const sn_state *x, const double *u, const double *dq, int velocity_rows,
                        double *G, sn_err *err)
{
    sn_context *d = s->d;
    const sn_model *m = d->m;
    size_t np = (size_t)s->np;
    double *lam = s->local;
    for (int j = 0; j < m->joint.n; j++) {
        const sn_object *o = &m->joint.object[j];
        const sn_joint_class *cls = o->cls;
        for (int k = 0; k < o->m; k++) {
            if (d->w->dropped[o->eq + k] || (((o->velocity >> k) & 1) && !velocity_rows)) continue;
            double *row = G + (size_t)(m->nv + o->eq + k) * np;
            sn_work_gather(d->w, o, x->q, x->v, x->a);
            if (unit_reaction(d, j, k, lam))
                return sn_fail(err, SN_ERR_NUMERIC, &o->mark, "'%s' fails", o->name);
            for (int c = 0; c < o->nv; c++) {
                double f = 0;
                for (int r = 0; r < o->nv; r++)
                    f += (o->vi[r] < m->nv ? u[o->vi[r]] : 0) * d->w->K[r * o->nv + c];
                for (size_t i = 0; f != 0 && i < np; i++) row[i] += f * dq[(size_t)o->vi[c] * np + i];
            }
            for (int i = s->c->first[SN_MOVED_JOINT][j]; i < s->c->first[SN_MOVED_JOINT][j + 1]; i++) {
                const sn_moved_number *t = &s->c->list[SN_MOVED_JOINT][i];
                double f = 0;
                memset(d->w->r, 0, sizeof(double) * (size_t)o->nv);
                memset(d->w->phi, 0, sizeof(double) * (size_t)o->m);
                if (cls->dparam(&d->w->joint[j], t->index, d->w->r, d->w->phi)) return SN_ERR_NUMERIC;
                for (int r = 0; r < o->nv; r++) f += (o->vi[r] < m->nv ? u[o->vi[r]] : 0) * d->w->r[r];
                for (int a = 0; a < t->d->n; a++) row[t->d->which[a]] += f * t->d->w[a];
            }
        }
    }
    return SN_OK;
}

/* Rows of equations: B dq + dphi/dp (velocity rows: dpsi/dq dq + dpsi/dp) at state x, into G. */
static sn_status add_equations(sn_dstart *s, const sn_state *x, const double *dq, double *G, sn_err *err)
{
    sn_context *d = s->d;
    const sn_model *m = d->m;
    const sn_coef K = {.k = d->one, .c = d->zero, .a = d->zero, .g = d->zero, .row = 1};
    size_t np = (size_t)s->np;
    SN_TRY(sn_system_eval(d->w, x, &K, err));
    add_matrix(s, 1, m->nv, m->n, dq, G);
    memset(s->z, 0, sizeof(double) * (size_t)m->n * np);
    SN_TRY(sn_system_dparam(d->w, x, s->c, 1, s->z, err));
    for (size_t i = (size_t)m->nv * np; i < (size_t)m->n * np; i++) G[i] += s->z[i];
    return SN_OK;
}

/* ---- stages ---- */

/* z <- -(F over G) solved with the context's factors, columns side by side. */
static sn_status solve(sn_dstart *s, double *out)
{
    const sn_model *m = s->d->m;
    size_t np = (size_t)s->np, n = (size_t)m->n, top = (size_t)m->nv * np;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < np; k++) {
            size_t at = i * np + k;
            double v = at < top ? s->F[at] : s->G[at];
            if (i >= (size_t)m->nv && s->d->w->dropped[i - (size_t)m->nv]) v = 0;
            s->z[k * n + i] = -v;
        }
    SN_TRY(sn_linsol_solve_refined(s->d->ls, 0, s->np, s->z));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < np; k++) out[i * np + k] = s->z[k * n + i];
    return SN_OK;
}

static void clear(sn_dstart *s)
{
    size_t n = sizeof(double) * (size_t)(s->d->m->n + 1) * (size_t)s->np;
    memset(s->F, 0, n), memset(s->G, 0, n);
}

/* dq <- E(z) dq + T(z) dz, node by node. */
static void move(const sn_model *m, int np, const double *z, const double *dz, double *dq)
{
    double E[SN_MAX_CURVED * SN_MAX_CURVED], T[SN_MAX_CURVED * SN_MAX_CURVED], *row = NULL;
    for (int e = 0; e < m->n_node; e++) {
        const sn_node *node = &m->node[e];
        int n = node->nv;
        if (node->ground) continue;
        row = dq + (size_t)node->v * (size_t)np;
        const double *from = dz + (size_t)node->v * (size_t)np;
        if (!node->cls->tangent) {
            for (int i = 0; i < n * np; i++) row[i] += from[i];
            continue;
        }
        node->cls->tangent(z + node->v, E, T);
        for (int k = 0; k < np; k++) {
            double y[SN_MAX_CURVED] = {0};
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    y[i] += E[i * n + j] * row[j * np + k] + T[i * n + j] * from[j * np + k];
            for (int i = 0; i < n; i++) row[i * np + k] = y[i];
        }
    }
}

/* Factors of the projection at x, made as the start makes them: without reactions, which rub. */
static sn_status factor_projection(sn_dstart *s, const sn_state *x, sn_err *err)
{
    sn_context *d = s->d;
    sn_state bare = *x, *own = d->x;
    bare.lam = s->no_lam;
    d->x = &bare;
    sn_status status = sn_factor_projection(d, NULL, err);
    d->x = own;
    return status;
}

/* Positions: the corrections of project_q from q on, each differentiated; q ends on the constraints. */
static sn_status positions(sn_dstart *s, sn_state *at, double *dq, sn_err *err)
{
    sn_context *d = s->d;
    const sn_model *m = d->m;
    size_t np = (size_t)s->np;
    double tol = 1e-13 * d->p->length;
    for (int it = 0; it < 50; it++) {
        SN_TRY(factor_projection(s, at, err));
        int last = sn_projection_gap(d, s->solution) <= tol || it == 49;
        if (last)
            memset(s->solution, 0, sizeof(double) * (size_t)m->n);
        else
            SN_TRY(sn_linsol_solve_refined(d->ls, 0, 1, s->solution));
        clear(s);
        SN_TRY(add_equations(s, at, dq, s->G, err));
        for (int i = 0; i < m->m; i++) /* velocity rows only keep the correction off their directions */
            if (m->velocity[i]) memset(s->G + (size_t)(m->nv + i) * np, 0, sizeof(double) * np);
        if (!last) {
            SN_TRY(add_metric(s, at->q, s->solution, s->solution + m->nv, dq, s->F, err));
            SN_TRY(add_dB(s, at, s->solution, dq, 1, s->G, err));
        }
        SN_TRY(factor_projection(s, at, err));
        SN_TRY(solve(s, s->F));
        move(m, s->np, s->solution, s->F, dq);
        if (last) return SN_OK;
        sn_system_retract(m, at->q, s->solution, at->q);
    }
    return SN_OK;
}

/* Velocities at the start's positions, from those given (v) and their derivatives in dv. */
static sn_status velocities(sn_dstart *s, const double *given, const double *dq, double *dv, sn_err *err)
{
    sn_context *d = s->d;
    const sn_model *m = d->m;
    const sn_state *x = d->x;
    size_t np = (size_t)s->np;
    clear(s);
    if (given) {
        /* the change of velocity and its multipliers: W z + B'mu = 0 */
        SN_TRY(factor_projection(s, x, err));
        memset(s->solution, 0, sizeof(double) * (size_t)m->n);
        for (int j = 0; j < m->nv; j++)
            for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++)
                if (m->Ai[p] >= m->nv) s->solution[m->Ai[p]] += d->w->Ax[p] * (x->v[j] - given[j]);
        SN_TRY(sn_linsol_solve_refined(d->ls, 0, 1, s->solution));
        SN_TRY(add_metric(s, x->q, s->solution, s->solution + m->nv, dq, s->F, err));
    }
    SN_TRY(add_dB(s, x, x->v, dq, 0, s->G, err));
    SN_TRY(sn_dstart_rates(s, x, 0, dq, dv, s->G, err));
    /* velocity rows: dpsi by q and p; the others get theirs from phi_t */
    memset(s->z, 0, sizeof(double) * (size_t)m->n * np);
    double *all = s->z;
    const sn_coef K = {.k = d->one, .c = d->zero, .a = d->zero, .g = d->zero, .row = 1};
    SN_TRY(sn_system_dparam(d->w, x, s->c, 1, all, err));
    SN_TRY(sn_system_eval(d->w, x, &K, err));
    add_matrix(s, 1, m->nv, m->n, dq, all);
    for (int i = 0; i < m->m; i++)
        for (size_t k = 0; m->velocity[i] && k < np; k++)
            s->G[(size_t)(m->nv + i) * np + k] = all[(size_t)(m->nv + i) * np + k];
    SN_TRY(factor_projection(s, x, err));
    add_matrix(s, 1, m->nv, m->n, dv, s->G); /* B dv of those given */
    SN_TRY(solve(s, s->F));
    for (size_t i = 0; i < (size_t)m->nv * np; i++) dv[i] += s->F[i];
    return SN_OK;
}

/* Accelerations and multipliers, and velocities of coordinates of first order. */
static sn_status accelerations(sn_dstart *s, sn_dstate *out, sn_err *err)
{
    sn_context *d = s->d;
    const sn_model *m = d->m;
    const sn_coef coef = {.k = d->k, .c = d->c, .a = d->a, .g = d->a, .row = 1};
    size_t np = (size_t)s->np;
    int column;
    clear(s);
    SN_TRY(add_residual(s, d->x, 1, out->q, out->v, s->F, err));
    SN_TRY(sn_dstart_rates(s, d->x, 1, out->q, out->v, s->G, err));
    SN_TRY(add_dB(s, d->x, d->x->a, out->q, 1, s->G, err));
    SN_TRY(sn_system_eval(d->w, d->x, &coef, err));
    SN_TRY(sn_linsol_factor(d->ls, d->w->Ax, &column, err));
    SN_TRY(solve(s, s->F));
    for (int i = 0; i < m->nv; i++)
        for (size_t k = 0; k < np; k++) {
            size_t at = (size_t)i * np + k;
            out->a[at] = d->a[i] * s->F[at];
            out->v[at] += d->c[i] * s->F[at];
        }
    memcpy(out->lam, s->F + (size_t)m->nv * np, sizeof(double) * (size_t)m->m * np);
    for (int i = 0; i < m->nv; i++)
        for (size_t k = 0, at = (size_t)i * np; m->order_of[i] == 1 && k < np; k++, at++) out->a[at] = 0;
    return SN_OK;
}

sn_status sn_dstatic(sn_dstart *s, sn_dstate *out, sn_err *err)
{
    sn_context *d = s->d;
    const sn_model *m = d->m;
    const sn_coef K = {.k = d->one, .c = d->zero, .a = d->zero, .g = d->one, .row = 1};
    size_t np = (size_t)s->np;
    int column;
    clear(s);
    sn_dstate_clear(m, out);
    memset(s->z, 0, sizeof(double) * (size_t)m->n * np);
    SN_TRY(sn_system_dparam(d->w, d->x, s->c, 1, s->z, err));
    memcpy(s->F, s->z, sizeof(double) * (size_t)m->nv * np);
    memcpy(s->G + (size_t)m->nv * np, s->z + (size_t)m->nv * np, sizeof(double) * (size_t)m->m * np);
    SN_TRY(sn_system_eval(d->w, d->x, &K, err));
    SN_TRY(sn_linsol_factor(d->ls, d->w->Ax, &column, err));
    SN_TRY(solve(s, s->F));
    memcpy(out->q, s->F, sizeof(double) * (size_t)m->nv * np);
    memcpy(out->lam, s->F + (size_t)m->nv * np, sizeof(double) * (size_t)m->m * np);
    return SN_OK;
}

sn_status sn_dstatic_transposed(sn_dstart *s, const sn_dstate *b, double *g, sn_err *err)
{
    sn_context *d = s->d;
    const sn_model *m = d->m;
    const sn_coef K = {.k = d->one, .c = d->zero, .a = d->zero, .g = d->one, .row = 1};
    double *z = s->solution;
    int column;
    SN_TRY(sn_system_eval(d->w, d->x, &K, err));
    SN_TRY(sn_linsol_factor(d->ls, d->w->Ax, &column, err));
    memcpy(z, b->q, sizeof(double) * (size_t)m->nv);
    memcpy(z + m->nv, b->lam, sizeof(double) * (size_t)m->m);
    SN_TRY(sn_linsol_solve_refined(d->ls, 1, 1, z));
    for (int i = 0; i < m->n; i++) z[i] = -z[i];
    for (int i = 0; i < m->m; i++)
        if (d->w->dropped[i]) z[m->nv + i] = 0;
    return sn_system_dparam_transposed(d->w, d->x, s->c, 1, z, g, err);
}

sn_status sn_dkinematic(sn_dstart *s, const sn_state *x, sn_dstate *out, sn_err *err)
{
    sn_context *d = s->d;
    const sn_model *m = d->m;
    sn_state *own = d->x;
    sn_parameter_chain_time(s->c, d->w, x->t);
    sn_dstate_clear(m, out);
    if (!m->flat) sn_system_tangent_maps(d->w, d->zero);
    sn_state_copy(m, x, s->x);
    d->x = s->x; /* not used for anything else here: without given velocities there is no metric */
    clear(s);
    sn_status status = add_equations(s, d->x, out->q, s->G, err);
    if (!status) status = sn_factor_projection(d, NULL, err);
    if (!status) status = solve(s, s->F);
    if (!status) memcpy(out->q, s->F, sizeof(double) * (size_t)m->nv * (size_t)s->np);
    if (!status) status = velocities(s, NULL, out->q, out->v, err);
    if (!status) status = accelerations(s, out, err);
    d->x = own;
    return status;
}

static sn_status exact(sn_dstart *s, sn_dstate *out, sn_err *err)
{
    sn_context *d = s->d;
    const sn_model *m = d->m;
    size_t np = (size_t)s->np;
    sn_state *guess = NULL;
    sn_dstate_clear(m, out);
    sn_parameter_chain_time(s->c, d->w, d->x->t);
    sn_status status = sn_state_new(m, 0, &guess, err);
    if (!status) {
        sn_state_copy(m, d->x, guess);
        if (d->o->start_static) {
            /* the equilibrium: at rest, with its own reactions */
            sn_state *own = d->x;
            memcpy(guess->q, d->p->q0, sizeof(double) * (size_t)m->nq);
            d->x = guess;
            status = sn_equilibrium(d, err);
            if (!status) status = sn_dstatic(s, out, err);
            d->x = own;
            memset(out->lam, 0, sizeof(double) * (size_t)m->m * np);
        } else {
            memcpy(guess->q, d->p->q0, sizeof(double) * (size_t)m->nq);
            sn_chain_directions_expand(m->nv, s->c->q0, s->np, out->q);
        }
        sn_chain_directions_expand(m->nv, s->c->v0, s->np, out->v);
    }
    if (!status && m->m) status = positions(s, guess, out->q, err);
    if (!status && m->m) status = velocities(s, d->p->v0, out->q, out->v, err);
    if (!status) status = accelerations(s, out, err);
    sn_state_free(guess);
    return status;
}

sn_status sn_dstart_along(sn_dstart *s, sn_dstate *out, sn_err *err)
{
    sn_parameter_chain_time(s->c, s->d->w, s->d->x->t);
    if (s->d->m->m) SN_TRY(velocities(s, NULL, out->q, out->v, err));
    return accelerations(s, out, err);
}

sn_status sn_dstart_run(sn_dstart *s, sn_dstate *out, sn_err *err)
{
    return s->d->start_by_differences ? sn_dstart_whole(s, out, err) : exact(s, out, err);
}
