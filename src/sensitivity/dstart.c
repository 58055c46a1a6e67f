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
#include "sensitivity/dstart.h"

#include <math.h>
#include <string.h>

struct sn_dstart {
    sn_desk *d;
    sn_touch *c;
    int np;
    sn_state *x;                   /* of a residual with other accelerations and multipliers */
    double *F, *G, *z;             /* n rows of np: residual's derivative; equations'; right-hand sides */
    double *solution;              /* n: correction and its multipliers */
    double *Jq, *Jv, *local;       /* a joint's derivatives of (phi_t, gamma), scratch */
    double *s, *sd, *sdd, *X, *cc; /* a joint's numbers, to be moved */
};

void sn_dstart_free(sn_dstart *s)
{
    if (!s) return;
    double *const p[] = {s->F,     s->G, s->z,  s->solution, s->Jq, s->Jv,
                         s->local, s->s, s->sd, s->sdd,      s->X,  s->cc};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++) sn_free(p[i]);
    sn_state_free(s->x);
    sn_free(s);
}

sn_status sn_dstart_new(sn_desk *d, sn_touch *c, sn_dstart **out, sn_err *err)
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
    if (sn_state_new(m, &s->x, NULL) || !SN_NEW(s->F, n) || !SN_NEW(s->G, n) || !SN_NEW(s->z, n) ||
        !SN_NEW(s->solution, m->n + 1) || !SN_NEW(s->Jq, 2 * mm * (m->max_v + 1)) ||
        !SN_NEW(s->Jv, 2 * mm * (m->max_v + 1)) ||
        !SN_NEW(s->local, 8 * mm + 2 * (m->max_q + m->max_v) + 4) || !SN_NEW(s->s, ns) ||
        !SN_NEW(s->sd, ns) || !SN_NEW(s->sdd, ns) || !SN_NEW(s->X, m->max_q + 1) || !SN_NEW(s->cc, nc)) {
        sn_dstart_free(s);
        return SN_OUT_OF_MEM(err);
    }
    *out = s;
    return SN_OK;
}

/* ---- pieces ---- */

/* to (rows of r only, np columns) += sign * (matrix in Ax) * columns */
static void add_matrix(const sn_dstart *s, double sign, int all_rows, const double *columns, double *to)
{
    const sn_model *m = s->d->m;
    size_t np = (size_t)s->np;
    for (int j = 0; j < m->nv; j++)
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++) {
            double f = sign * s->d->w->Ax[p];
            if (f == 0 || (!all_rows && m->Ai[p] >= m->nv)) continue;
            for (size_t k = 0; k < np; k++) to[(size_t)m->Ai[p] * np + k] += f * columns[(size_t)j * np + k];
        }
}

/* F += sign * (dr by q along dq, by v along dv (or NULL), by p) at state x; rows of equations stay. */
static sn_status add_residual(sn_dstart *s, const sn_state *x, double sign, const double *dq,
                              const double *dv, double *F, sn_err *err)
{
    sn_desk *d = s->d;
    const sn_model *m = d->m;
    const sn_coef K = {.k = d->one, .c = d->zero, .a = d->zero, .g = d->zero, .row = 1},
                  C = {.k = d->zero, .c = d->one, .a = d->zero, .g = d->zero, .row = 1};
    size_t np = (size_t)s->np, top = (size_t)m->nv * np;
    SN_TRY(sn_system_eval(d->w, x, &K, err));
    add_matrix(s, sign, 0, dq, F);
    if (dv) {
        SN_TRY(sn_system_eval(d->w, x, &C, err));
        add_matrix(s, sign, 0, dv, F);
    }
    memset(s->z, 0, sizeof(double) * (size_t)m->n * np);
    SN_TRY(sn_system_dparam(d->w, x, s->c, 1, s->z, err));
    for (size_t i = 0; i < top; i++) F[i] += sign * s->z[i];
    return SN_OK;
}

/* F += d(W z) + d(B'mu) at positions q: the residual at rest with and without z, mu. */
static sn_status add_metric(sn_dstart *s, const double *q, const double *z, const double *mu,
                            const double *dq, double *F, sn_err *err)
{
    const sn_model *m = s->d->m;
    sn_state *x = s->x;
    x->t = s->d->x->t;
    memcpy(x->q, q, sizeof(double) * (size_t)m->nq);
    memset(x->v, 0, sizeof(double) * (size_t)m->nv);
    memcpy(x->a, z, sizeof(double) * (size_t)m->nv);
    memcpy(x->lam, mu, sizeof(double) * (size_t)m->m);
    SN_TRY(add_residual(s, x, 1, dq, NULL, F, err));
    memset(x->a, 0, sizeof(double) * (size_t)m->nv);
    memset(x->lam, 0, sizeof(double) * (size_t)m->m);
    return add_residual(s, x, -1, dq, NULL, F, err);
}

static void gather(sn_desk *d, const sn_state *x, const sn_object *o)
{
    for (int i = 0; i < o->nq; i++) d->w->q[i] = x->q[o->qi[i]];
    for (int i = 0; i < o->nv; i++) d->w->v[i] = x->v[o->vi[i]];
}

/* Reaction of a joint to a unit multiplier k at rest: its derivative by q in w->K. */
static sn_status unit_reaction(sn_desk *d, int joint, int k, double *lam)
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
    sn_desk *d = s->d;
    const sn_model *m = d->m;
    size_t np = (size_t)s->np;
    double *lam = s->local;
    for (int j = 0; j < m->joint.n; j++) {
        const sn_object *o = &m->joint.object[j];
        const sn_joint_class *cls = o->cls;
        for (int k = 0; k < o->m; k++) {
            if (d->w->dropped[o->eq + k] || (((o->velocity >> k) & 1) && !velocity_rows)) continue;
            double *row = G + (size_t)(m->nv + o->eq + k) * np;
            gather(d, x, o);
            if (unit_reaction(d, j, k, lam))
                return sn_fail(err, SN_ERR_NUMERIC, &o->mark, "'%s' fails", o->name);
            for (int c = 0; c < o->nv; c++) {
                double f = 0;
                for (int r = 0; r < o->nv; r++)
                    f += (o->vi[r] < m->nv ? u[o->vi[r]] : 0) * d->w->K[r * o->nv + c];
                for (size_t i = 0; f != 0 && i < np; i++) row[i] += f * dq[(size_t)o->vi[c] * np + i];
            }
            for (int i = s->c->first[SN_TOUCH_JOINT][j]; i < s->c->first[SN_TOUCH_JOINT][j + 1]; i++) {
                const sn_touched *t = &s->c->list[SN_TOUCH_JOINT][i];
                double f = 0;
                memset(d->w->r, 0, sizeof(double) * (size_t)o->nv);
                memset(d->w->phi, 0, sizeof(double) * (size_t)o->m);
                if (cls->dparam(&d->w->joint[j], t->index, d->w->r, d->w->phi)) return SN_ERR_NUMERIC;
                for (int r = 0; r < o->nv; r++) f += (o->vi[r] < m->nv ? u[o->vi[r]] : 0) * d->w->r[r];
                for (int a = 0; a < t->n; a++) row[t->which[a]] += f * t->row[t->which[a]];
            }
        }
    }
    return SN_OK;
}

/* Rows of equations: B dq + dphi/dp (velocity rows: dpsi/dq dq + dpsi/dp) at state x, into G. */
static sn_status add_equations(sn_dstart *s, const sn_state *x, const double *dq, double *G, sn_err *err)
{
    sn_desk *d = s->d;
    const sn_model *m = d->m;
    const sn_coef K = {.k = d->one, .c = d->zero, .a = d->zero, .g = d->zero, .row = 1};
    size_t np = (size_t)s->np;
    SN_TRY(sn_system_eval(d->w, x, &K, err));
    for (int j = 0; j < m->nv; j++)
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++) {
            double f = d->w->Ax[p];
            if (f == 0 || m->Ai[p] < m->nv) continue;
            for (size_t k = 0; k < np; k++) G[(size_t)m->Ai[p] * np + k] += f * dq[(size_t)j * np + k];
        }
    memset(s->z, 0, sizeof(double) * (size_t)m->n * np);
    SN_TRY(sn_system_dparam(d->w, x, s->c, 1, s->z, err));
    for (size_t i = (size_t)m->nv * np; i < (size_t)m->n * np; i++) G[i] += s->z[i];
    return SN_OK;
}

/* ---- phi_t and gamma ---- */

/* (phi_t, gamma) of a joint with its own copies of numbers. */
static sn_status rates(sn_dstart *s, int joint, const sn_in *in, double *y)
{
    const sn_object *o = &s->d->m->joint.object[joint];
    memset(y, 0, sizeof(double) * 2 * (size_t)o->m);
    return ((const sn_joint_class *)o->cls)->rate(in, y, y + o->m);
}

static const double stencil[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60};

/* Along coordinate i, through each node's retraction. */
static sn_status rates_by_q(sn_dstart *s, int joint, sn_in *in, int i, double h, double *J)
{
    const sn_model *m = s->d->m;
    const sn_object *o = &m->joint.object[joint];
    double *q = s->local, *step = q + o->nq, *y = step + o->nv;
    const double *q0 = s->d->w->q;
    memset(J, 0, sizeof(double) * 2 * (size_t)o->m);
    for (int k = -3; k <= 3; k++) {
        if (k == 0) continue;
        memset(step, 0, sizeof(double) * (size_t)o->nv);
        step[i] = k * h;
        for (int n = 0; n < o->nn; n++) {
            const sn_node_class *node = m->node[o->node[n]].cls;
            if (node->retract)
                node->retract(q0 + o->off[n], step + o->offv[n], q + o->off[n]);
            else
                for (int c = 0; c < node->nv; c++)
                    q[o->off[n] + c] = q0[o->off[n] + c] + step[o->offv[n] + c];
        }
        in->q = q;
        SN_TRY(rates(s, joint, in, y));
        for (int r = 0; r < 2 * o->m; r++)
            J[r] += (k > 0 ? 1 : -1) * stencil[k > 0 ? k - 1 : -k - 1] * y[r] / h;
    }
    in->q = q0;
    return SN_OK;
}

/* Along one number of the joint: its value (order 0) or a time derivative of it (1, 2). */
static sn_status rates_by_number(sn_dstart *s, int joint, sn_in *in, int index, int order, double *J)
{
    const sn_object *o = &s->d->m->joint.object[joint];
    const sn_joint_class *cls = o->cls;
    double *x = index >= o->ns ? s->X + index - o->ns
                               : (order == 0   ? s->s
                                  : order == 1 ? s->sd
                                               : s->sdd) +
                                     index;
    double was = *x,
           h = 0.02 * (was != 0 && order == 0 ? fabs(was)
                       : order == 0           ? s->d->p->length
                                              : 1),
           *y = s->local;
    memset(J, 0, sizeof(double) * 2 * (size_t)o->m);
    for (int k = -3; k <= 3; k++) {
        if (k == 0) continue;
        *x = was + k * h;
        if (cls->prepare) SN_TRY(cls->prepare(in, s->cc, NULL));
        SN_TRY(rates(s, joint, in, y));
        for (int r = 0; r < 2 * o->m; r++)
            J[r] += (k > 0 ? 1 : -1) * stencil[k > 0 ? k - 1 : -k - 1] * y[r] / h;
    }
    *x = was;
    if (cls->prepare) SN_TRY(cls->prepare(in, s->cc, NULL));
    return SN_OK;
}

/* One joint: rows `which` (0: phi_t, 1: gamma) of all its equations. */
static sn_status joint_rates(sn_dstart *s, const sn_state *x, int joint, int which, const double *dq,
                             const double *dv, double *G)
{
    sn_desk *d = s->d;
    const sn_model *m = d->m;
    const sn_object *o = &m->joint.object[joint];
    size_t np = (size_t)s->np;
    sn_in in = d->w->joint[joint];
    double *J = s->Jq, *J2 = s->Jv, length = d->p->length;
    gather(d, x, o);
    in.lam = x->lam + o->eq;
    for (int c = 0; c < o->nv; c++) {
        double h = 0.02 * (d->w->scale[o->vi[c] < m->nv ? o->vi[c] : 0] == 1 ? length : 1);
        SN_TRY(rates_by_q(s, joint, &in, c, h, J));
        memset(J2, 0, sizeof(double) * 2 * (size_t)o->m);
        for (int side = 1; which && side >= -1; side -= 2) { /* quadratic in v: exact */
            double was = d->w->v[c], e = 1 + fabs(was);
            d->w->v[c] = was + side * e;
            SN_TRY(rates(s, joint, &in, s->local));
            d->w->v[c] = was;
            for (int r = 0; r < 2 * o->m; r++) J2[r] += side * s->local[r] / (2 * e);
        }
        for (int k = 0; k < o->m; k++) {
            double *row = G + (size_t)(m->nv + o->eq + k) * np, fq = J[which * o->m + k],
                   fv = J2[which * o->m + k];
            if (d->w->dropped[o->eq + k]) continue;
            for (size_t i = 0; i < np; i++)
                row[i] += fq * dq[(size_t)o->vi[c] * np + i] + fv * dv[(size_t)o->vi[c] * np + i];
        }
    }
    memcpy(s->s, in.s, sizeof(double) * (size_t)o->ns), memcpy(s->sd, in.sd, sizeof(double) * (size_t)o->ns);
    memcpy(s->sdd, in.sdd, sizeof(double) * (size_t)o->ns),
        memcpy(s->X, in.X, sizeof(double) * (size_t)o->nq);
    memcpy(s->cc, in.c, sizeof(double) * (size_t)o->nc);
    in.s = s->s, in.sd = s->sd, in.sdd = s->sdd, in.X = s->X, in.c = s->cc;
    for (int i = s->c->first[SN_TOUCH_JOINT][joint]; i < s->c->first[SN_TOUCH_JOINT][joint + 1]; i++) {
        const sn_touched *t = &s->c->list[SN_TOUCH_JOINT][i];
        const double *rows[3] = {t->row, t->row1, t->row2};
        for (int order = 0; order < 3; order++) {
            if (!rows[order]) continue;
            SN_TRY(rates_by_number(s, joint, &in, t->index, order, J));
            for (int k = 0; k < o->m; k++)
                for (int a = 0; !d->w->dropped[o->eq + k] && a < t->n; a++)
                    G[(size_t)(m->nv + o->eq + k) * np + (size_t)t->which[a]] +=
                        J[which * o->m + k] * rows[order][t->which[a]];
        }
    }
    return SN_OK;
}

static sn_status add_rates(sn_dstart *s, const sn_state *x, int which, const double *dq, const double *dv,
                           double *G, sn_err *err)
{
    for (int j = 0; j < s->d->m->joint.n; j++)
        if (joint_rates(s, x, j, which, dq, dv, G))
            return sn_fail(err, SN_ERR_NUMERIC, &s->d->m->joint.object[j].mark,
                           "'%s' cannot be differentiated", s->d->m->joint.object[j].name);
    return SN_OK;
}

/* ---- stages ---- */

/* z <- -(F over G) solved with the desk's factors, columns side by side. */
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
    double E[144], T[144], *row = NULL;
    for (int e = 0; e < m->n_node; e++) {
        const sn_node *node = &m->node[e];
        int n = node->cls->nv;
        if (node->ground) continue;
        row = dq + (size_t)node->v * (size_t)np;
        const double *from = dz + (size_t)node->v * (size_t)np;
        if (!node->cls->tangent) {
            for (int i = 0; i < n * np; i++) row[i] += from[i];
            continue;
        }
        node->cls->tangent(z + node->v, E, T);
        for (int k = 0; k < np; k++) {
            double y[12] = {0};
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    y[i] += E[i * n + j] * row[j * np + k] + T[i * n + j] * from[j * np + k];
            for (int i = 0; i < n; i++) row[i * np + k] = y[i];
        }
    }
}

/* Positions: the corrections of project_q from q on, each differentiated; q ends on the constraints. */
static sn_status positions(sn_dstart *s, sn_state *at, double *dq, sn_err *err)
{
    sn_desk *d = s->d;
    const sn_model *m = d->m;
    sn_state *own = d->x;
    size_t np = (size_t)s->np;
    double tol = 1e-13 * d->p->length;
    for (int it = 0; it < 50; it++) {
        double worst = 0;
        d->x = at;
        sn_status status = sn_factor_projection(d, NULL, err);
        d->x = own;
        SN_TRY(status);
        memset(s->solution, 0, sizeof(double) * (size_t)m->n);
        for (int i = 0; i < m->m; i++) {
            if (m->velocity[i]) continue;
            s->solution[m->nv + i] = -d->w->f[m->nv + i];
            worst = fmax(worst, fabs(d->w->f[m->nv + i]));
        }
        int last = worst <= tol || it == 49;
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
        d->x = at;
        status = sn_factor_projection(d, NULL, err);
        d->x = own;
        SN_TRY(status);
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
    sn_desk *d = s->d;
    const sn_model *m = d->m;
    const sn_state *x = d->x;
    size_t np = (size_t)s->np;
    clear(s);
    if (given) {
        /* the change of velocity and its multipliers: W z + B'mu = 0 */
        SN_TRY(sn_factor_projection(d, NULL, err));
        memset(s->solution, 0, sizeof(double) * (size_t)m->n);
        for (int j = 0; j < m->nv; j++)
            for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++)
                if (m->Ai[p] >= m->nv) s->solution[m->Ai[p]] += d->w->Ax[p] * (x->v[j] - given[j]);
        SN_TRY(sn_linsol_solve_refined(d->ls, 0, 1, s->solution));
        SN_TRY(add_metric(s, x->q, s->solution, s->solution + m->nv, dq, s->F, err));
    }
    SN_TRY(add_dB(s, x, x->v, dq, 0, s->G, err));
    SN_TRY(add_rates(s, x, 0, dq, dv, s->G, err));
    /* velocity rows: dpsi by q and p; the others get theirs from phi_t */
    memset(s->z, 0, sizeof(double) * (size_t)m->n * np);
    double *all = s->z;
    const sn_coef K = {.k = d->one, .c = d->zero, .a = d->zero, .g = d->zero, .row = 1};
    SN_TRY(sn_system_dparam(d->w, x, s->c, 1, all, err));
    SN_TRY(sn_system_eval(d->w, x, &K, err));
    for (int j = 0; j < m->nv; j++)
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++)
            for (size_t k = 0; m->Ai[p] >= m->nv && m->velocity[m->Ai[p] - m->nv] && k < np; k++)
                all[(size_t)m->Ai[p] * np + k] += d->w->Ax[p] * dq[(size_t)j * np + k];
    for (int i = 0; i < m->m; i++)
        for (size_t k = 0; m->velocity[i] && k < np; k++)
            s->G[(size_t)(m->nv + i) * np + k] = all[(size_t)(m->nv + i) * np + k];
    SN_TRY(sn_factor_projection(d, NULL, err));
    add_matrix(s, 1, 1, dv, s->G); /* B dv of those given; the rows of r in G are not used */
    SN_TRY(solve(s, s->F));
    for (size_t i = 0; i < (size_t)m->nv * np; i++) dv[i] += s->F[i];
    return SN_OK;
}

/* Accelerations and multipliers, and velocities of coordinates of first order. */
static sn_status accelerations(sn_dstart *s, sn_dstate *out, sn_err *err)
{
    sn_desk *d = s->d;
    const sn_model *m = d->m;
    const sn_coef coef = {.k = d->k, .c = d->c, .a = d->a, .g = d->a, .row = 1};
    size_t np = (size_t)s->np;
    int column;
    clear(s);
    SN_TRY(add_residual(s, d->x, 1, out->q, out->v, s->F, err));
    SN_TRY(add_rates(s, d->x, 1, out->q, out->v, s->G, err));
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
    memcpy(out->A, out->a, sizeof(double) * (size_t)m->nv * np);
    for (int i = 0; i < m->nv; i++)
        for (size_t k = 0, at = (size_t)i * np; m->order_of[i] == 1 && k < np; k++, at++)
            out->A[at] = out->v[at], out->a[at] = 0;
    return SN_OK;
}

sn_status sn_dstatic(sn_dstart *s, sn_dstate *out, sn_err *err)
{
    sn_desk *d = s->d;
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
    sn_desk *d = s->d;
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
    sn_desk *d = s->d;
    const sn_model *m = d->m;
    sn_state *own = d->x;
    sn_touch_time(s->c, d->w, x->t);
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
    sn_desk *d = s->d;
    const sn_model *m = d->m;
    size_t np = (size_t)s->np;
    sn_state *guess = NULL;
    sn_dstate_clear(m, out);
    sn_touch_time(s->c, d->w, d->x->t);
    sn_status status = sn_state_new(m, &guess, err);
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
            memcpy(out->q, s->c->dq0, sizeof(double) * (size_t)m->nv * np);
        }
        memcpy(out->v, s->c->dv0, sizeof(double) * (size_t)m->nv * np);
    }
    if (!status && m->m) status = positions(s, guess, out->q, err);
    if (!status && m->m) status = velocities(s, d->p->v0, out->q, out->v, err);
    if (!status) status = accelerations(s, out, err);
    sn_state_free(guess);
    return status;
}

/* ---- differences over whole starts ---- */

/* The start with parameter k at `value`. */
static sn_status start_at(const sn_dstart *s, int k, double value, sn_state *x, sn_err *err)
{
    const sn_desk *d = s->d;
    sn_values *p = NULL;
    sn_desk own = {.m = NULL};
    sn_info info = {0};
    sn_run_options o = *d->o;
    o.message = NULL, o.frame = NULL, o.progress = NULL;
    sn_status status = sn_values_copy(d->p, &p, err);
    if (!status) {
        p->x[s->c->id[k]] = value, p->fixed[s->c->id[k]] = 1;
        status = sn_values_update(p, err);
    }
    if (!status) status = sn_desk_open(d->m, p, &o, &info, &own, err);
    if (!status) status = sn_start(&own, err);
    if (!status) sn_state_copy(d->m, own.x, x);
    if (own.m) sn_desk_close(&own);
    sn_values_free(p);
    return status;
}

static void add_difference(const sn_model *m, double f, const sn_state *base, const sn_state *x, int k,
                           sn_dstate *out)
{
    size_t np = (size_t)out->columns, c = (size_t)k;
    for (int e = 0; e < m->n_node; e++) {
        const sn_node *node = &m->node[e];
        double dq[12];
        if (node->ground) continue;
        if (node->cls->difference)
            node->cls->difference(base->q + node->q, x->q + node->q, dq);
        else
            for (int i = 0; i < node->cls->nv; i++) dq[i] = x->q[node->q + i] - base->q[node->q + i];
        for (int i = 0; i < node->cls->nv; i++) out->q[(size_t)(node->v + i) * np + c] += f * dq[i];
    }
    for (int i = 0; i < m->nv; i++) {
        size_t at = (size_t)i * np + c;
        out->v[at] += f * x->v[i], out->a[at] += f * x->a[i], out->A[at] += f * x->A[i];
    }
    for (int i = 0; i < m->m; i++) out->lam[(size_t)i * np + c] += f * x->lam[i];
}

static sn_status by_differences(sn_dstart *s, sn_dstate *out, sn_err *err)
{
    const sn_model *m = s->d->m;
    sn_state *x = NULL;
    sn_status status = sn_state_new(m, &x, err);
    sn_dstate_clear(m, out);
    for (int k = 0; !status && k < s->np; k++) {
        double was = s->d->p->x[s->c->id[k]], h = 3e-3 * (was != 0 ? fabs(was) : 1);
        for (int j = -3; !status && j <= 3; j++) {
            if (j == 0) continue;
            status = start_at(s, k, was + j * h, x, err);
            if (!status)
                add_difference(m, (j > 0 ? 1 : -1) * stencil[j > 0 ? j - 1 : -j - 1] / h, s->d->x, x, k, out);
        }
    }
    sn_state_free(x);
    return status;
}

sn_status sn_dstart_run(sn_dstart *s, sn_dstate *out, sn_err *err)
{
    return s->d->crooked ? by_differences(s, out, err) : exact(s, out, err);
}
