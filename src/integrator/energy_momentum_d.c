/* Derivatives of the step of energy_momentum.c, forward and adjoint: of what was computed.

   F(d, lam; q0, v0, p) = 0 are the equations of a step, S, A0 and V0 their matrices by (d, h^2 lam), q0 and
   v0:

       S [dd; h^2 dlam] = -[A0 dq0 + V0 dv0 + dF/dp]
       dq1 = T dd + E dq0,    dv1 = 2 dd/h - dv0,    da1 = (dv1 - dv0)/h

   with T and E of Cayley's map. The adjoint is the transpose, backwards. A discrete gradient is linear in the
   forces of both ends and the gain of the potential, so its derivative by a number is the discrete gradient
   of theirs: neither the rigid motions nor the metric know of numbers. */
#include "integrator/energy_momentum.h"

#include <string.h>

static size_t bytes(size_t n) { return sizeof(double) * n; }

static sn_status scratch(sn_em *s, int columns, sn_err *err)
{
    const sn_model *m = s->w->m;
    const size_t n = (size_t)(m->n + 1) * (size_t)columns;
    if (!s->A0 &&
        (!SN_NEW(s->A0, m->nnz + 1) || !SN_NEW(s->V0, m->nnz + 1) || !SN_NEW(s->maps, 18 * m->n_node + 1)))
        return SN_OUT_OF_MEM(err);
    if (s->columns == columns) return SN_OK;
    sn_free(s->rhs), sn_free(s->column);
    s->columns = 0, s->rhs = s->column = NULL;
    if (!SN_NEW(s->rhs, n) || !SN_NEW(s->column, n)) return SN_OUT_OF_MEM(err);
    s->columns = columns;
    return SN_OK;
}

/* The matrices and their factors at the step from x0 to x1 */
static sn_status linearise(sn_em *s, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    const sn_model *m = s->w->m;
    int column;
    s->h = x1->h;
    for (int i = 0; i < m->nv; i++) s->d[i] = 0.5 * s->h * (x0->v[i] + x1->v[i]);
    SN_TRY(sn_em_probe_joints(s, x0, err));
    SN_TRY(sn_em_assemble(s, x0, x1, 2, err));
    SN_TRY(sn_linsol_factor(s->ls, s->w->Ax, &column, err));
    s->info->factorisations++;
    for (int k = 0; k < m->n_node; k++) {
        const sn_node_places at = sn_node_place(&m->node[k]);
        double *T = s->maps + 18 * k, *E = T + 9, R[9];
        const double *c = s->d + m->node[k].v + at.R_v;
        if (at.R_v < 0 || m->node[k].ground) continue;
        if (m->node[k].cls->retract) {
            sn_cayley_T(c, T);
            sn_cayley_matrix(c, R);
            for (int i = 0; i < 9; i++) E[i] = R[3 * (i % 3) + i / 3];
        } else {
            T[0] = 1 / (1 + 0.25 * c[0] * c[0]), E[0] = 1;
        }
    }
    return SN_OK;
}

/* dq1 = T dd + E dq0; the columns of dd are as long as they are, n + 1 rows behind each other */
static void map_forward(const sn_em *s, size_t np, const double *dd, const double *dq0, double *dq1)
{
    const sn_model *m = s->w->m;
    for (size_t i = 0; i < (size_t)m->nv * np; i++) dq1[i] = dd[i] + dq0[i];
    for (int k = 0; k < m->n_node; k++) {
        const sn_node_places at = sn_node_place(&m->node[k]);
        const int n = m->node[k].cls->retract ? 3 : 1;
        const double *T = s->maps + 18 * k, *E = T + 9;
        const size_t from = (size_t)(m->node[k].v + at.R_v) * np;
        if (at.R_v < 0 || m->node[k].ground) continue;
        for (int i = 0; i < n; i++)
            for (size_t c = 0; c < np; c++) {
                double sum = 0;
                for (int j = 0; j < n; j++) {
                    const size_t at_j = from + (size_t)j * np + c;
                    sum += T[n * i + j] * dd[at_j] + E[n * i + j] * dq0[at_j];
                }
                dq1[from + (size_t)i * np + c] = sum;
            }
    }
}

/* y = T'b and b <- E'b */
static void map_back(const sn_em *s, double *b, double *y)
{
    const sn_model *m = s->w->m;
    memcpy(y, b, bytes((size_t)m->nv));
    for (int k = 0; k < m->n_node; k++) {
        const sn_node_places at = sn_node_place(&m->node[k]);
        const double *T = s->maps + 18 * k, *E = T + 9;
        const int from = m->node[k].v + at.R_v;
        if (at.R_v < 0 || m->node[k].ground) continue;
        if (m->node[k].cls->retract) {
            sn_tmul3(T, b + from, y + from);
            sn_tmul3(E, b + from, b + from);
        } else {
            y[from] = T[0] * b[from];
        }
    }
}

/* ---- by numbers ---- */

/* Where derivatives go: to all columns of f, or times z into g. */
typedef struct receiver {
    double *f;
    const double *z;
    double *g;
} receiver;

static void receive(const sn_em *s, const receiver *to, const sn_chain_direction *d, int row, double x)
{
    const sn_model *m = s->w->m;
    if (x == 0 || row >= m->n) return;
    for (int k = 0; k < d->n; k++) {
        if (to->f) to->f[(size_t)row * (size_t)s->columns + (size_t)d->which[k]] += x * d->w[k];
        if (to->z) to->g[d->which[k]] += to->z[row] * x * d->w[k];
    }
}

static void open_object(sn_em *s, const sn_object *o, const sn_em_object *what, const sn_state *x0,
                        const sn_state *x1)
{
    sn_em_between(s, o, x0, x1);
    if (what->elastic) sn_em_begin_gradient(s, o, what);
}

static sn_status elements(sn_em *s, const sn_state *x0, const sn_state *x1, const sn_parameter_chain *c,
                          const receiver *to, sn_err *err)
{
    const sn_model *m = s->w->m;
    for (int i = 0, last = -1; i < c->n[SN_MOVED_ELEMENT]; i++) {
        const sn_moved_number *t = &c->list[SN_MOVED_ELEMENT][i];
        const sn_object *o = &m->element.object[t->object];
        if (!t->d->n) continue;
        if (t->object != last) open_object(s, o, &s->element[t->object], x0, x1), last = t->object;
        SN_TRY(sn_em_element_by(s, t, err));
        for (int r = 0; r < o->nv; r++) receive(s, to, t->d, o->zi[r], s->h * s->h * s->r[r]);
    }
    return SN_OK;
}

/* Forces, or at the end the equations */
static sn_status joints(sn_em *s, const sn_state *x0, const sn_state *x1, const sn_parameter_chain *c,
                        const receiver *to, int equations, sn_err *err)
{
    const sn_model *m = s->w->m;
    for (int i = 0, last = -1; i < c->n[SN_MOVED_JOINT]; i++) {
        const sn_moved_number *t = &c->list[SN_MOVED_JOINT][i];
        const sn_object *o = &m->joint.object[t->object];
        if (!t->d->n) continue;
        if (t->object != last) open_object(s, o, &s->joint[t->object], x0, x1), last = t->object;
        SN_TRY(sn_em_joint_by(s, t, x1, err));
        for (int r = 0; r < o->nv && !equations; r++) receive(s, to, t->d, o->zi[r], s->h * s->h * s->r[r]);
        for (int k = 0; k < o->m && equations; k++)
            if (!s->w->dropped[o->eq + k]) receive(s, to, t->d, m->nv + o->eq + k, s->phi[k]);
    }
    return SN_OK;
}

/* dF/dp: forces half-way through the step, equations at its end */
static sn_status by_numbers(sn_em *s, const sn_state *x0, const sn_state *x1, sn_parameter_chain *c,
                            const receiver *to, sn_err *err)
{
    const double middle = 0.5 * (x0->t + x1->t);
    sn_system_time(s->w, middle);
    sn_parameter_chain_time(c, s->w, middle);
    SN_TRY(elements(s, x0, x1, c, to, err));
    SN_TRY(joints(s, x0, x1, c, to, 0, err));
    sn_system_time(s->w, x1->t);
    sn_parameter_chain_time(c, s->w, x1->t);
    return joints(s, x0, x1, c, to, 1, err);
}

/* ---- forward ---- */

/* y (rows of np) += A x */
static void add_product(const sn_model *m, const double *A, size_t np, const double *x, double *y)
{
    for (int j = 0; j < m->nv; j++)
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++) {
            double *to = y + (size_t)m->Ai[p] * np;
            for (size_t c = 0; c < np; c++) to[c] += A[p] * x[(size_t)j * np + c];
        }
}

sn_status sn_em_forward(void *self, const sn_state *x0, const sn_state *x1, sn_parameter_chain *c,
                        const sn_dstate *d0, sn_dstate *d1, sn_err *err)
{
    sn_em *s = self;
    const sn_model *m = s->w->m;
    const size_t np = (size_t)d0->columns, n = (size_t)m->n, nv = (size_t)m->nv;
    SN_TRY(scratch(s, d0->columns, err));
    SN_TRY(linearise(s, x0, x1, err));
    const double h = s->h;
    double *f = s->rhs, *b = s->column;
    memset(f, 0, bytes((n + 1) * np));
    SN_TRY(by_numbers(s, x0, x1, c, &(receiver){.f = f}, err));
    add_product(m, s->A0, np, d0->q, f);
    add_product(m, s->V0, np, d0->v, f);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < np; k++) b[k * n + i] = -f[i * np + k];
    SN_TRY(sn_linsol_solve(s->ls, 0, d0->columns, b));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < np; k++) f[i * np + k] = b[k * n + i];
    map_forward(s, np, f, d0->q, d1->q);
    for (size_t i = 0; i < nv * np; i++) {
        d1->v[i] = 2 * f[i] / h - d0->v[i];
        d1->a[i] = (d1->v[i] - d0->v[i]) / h;
    }
    for (size_t i = 0; i < (size_t)m->m * np; i++) d1->lam[i] = f[nv * np + i] / (h * h);
    return SN_OK;
}

/* ---- adjoint ---- */

/* y -= A'z */
static void subtract_transposed(const sn_model *m, const double *A, const double *z, double *y)
{
    for (int j = 0; j < m->nv; j++)
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++) y[j] -= A[p] * z[m->Ai[p]];
}

sn_status sn_em_adjoint(void *self, const sn_state *x0, const sn_state *x1, sn_parameter_chain *c,
                        sn_dstate *b, double *g, sn_err *err)
{
    sn_em *s = self;
    const sn_model *m = s->w->m;
    SN_TRY(scratch(s, 1, err));
    SN_TRY(linearise(s, x0, x1, err));
    const double h = s->h;
    double *z = s->column;
    map_back(s, b->q, z);
    for (int i = 0; i < m->nv; i++) {
        z[i] += 2 / h * (b->v[i] + b->a[i] / h);
        b->v[i] = -b->v[i] - 2 / h * b->a[i];
        b->a[i] = 0;
    }
    for (int i = 0; i < m->m; i++) z[m->nv + i] = b->lam[i] / (h * h), b->lam[i] = 0;
    SN_TRY(sn_linsol_solve(s->ls, 1, 1, z));
    z[m->n] = 0;
    subtract_transposed(m, s->A0, z, b->q);
    subtract_transposed(m, s->V0, z, b->v);
    for (int i = 0; i < m->n; i++) z[i] = -z[i];
    return by_numbers(s, x0, x1, c, &(receiver){.z = z, .g = g}, err);
}
