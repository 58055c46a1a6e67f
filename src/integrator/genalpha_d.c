/* Derivatives of the step of genalpha.c, forward and adjoint: of what was computed, not of the equations.

   With T, E of the increment d and S the matrix of Newton at the solution (rows h^2 r, phi; unknowns d, h^2
   lam), y = T^-1 E dq0 gives K E dq0 = K T y, which is in S already: with e = dd + y

       S [e; h^2 dlam] = -[ h^2 (C u + M s + dr/dp) ; G u + dphi/dp ]
       dq1 = T e,  dv1 = u + cv e,  da1 = s + ca e,  dA1 = w + cA e

   where u, s, w are what v1, a1, A1 keep of the state before at d = 0, less cv, ca, cA times y; C and G count
   for velocity rows as they do in S. So the stiffness is never multiplied, and the adjoint is this read
   backwards: S' [mu; nu] = seeds, and so on. Everything else is diagonal. */
#include "integrator/genalpha.h"

#include <math.h>
#include <string.h>

/* What A1, v1, a1 keep at d = 0 of v0, A0, a0 (as moved for the step's size) of one coordinate. */
typedef struct kept {
    double Av, AA, Vv, VA, av, aA, aa;
} kept;

static kept kept_of(const genalpha *s, int first)
{
    const double *c = s->c, h = s->h;
    kept k;
    if (first) {
        k.Av = 0, k.AA = -(1 - c[EPS]) / c[EPS];
        k.Vv = -c[DF] / (1 - c[DF]), k.VA = ((1 - c[DM]) * k.AA + c[DM]) / (1 - c[DF]);
        k.av = k.aA = k.aa = 0;
    } else {
        k.Av = -1 / (c[BETA] * h), k.AA = -(0.5 - c[BETA]) / c[BETA];
        k.Vv = 1 + h * c[GAMMA] * k.Av, k.VA = h * (1 - c[GAMMA]) + h * c[GAMMA] * k.AA;
        k.av = (1 - c[AM]) / (1 - c[AF]) * k.Av;
        k.aA = ((1 - c[AM]) * k.AA + c[AM]) / (1 - c[AF]);
        k.aa = -c[AF] / (1 - c[AF]);
    }
    return k;
}

static sn_status scratch(genalpha *s, int columns, sn_err *err)
{
    const sn_model *m = s->w->m;
    size_t n = (size_t)(m->n + 1) * (size_t)columns;
    if (s->columns >= columns) return SN_OK;
    sn_free(s->y), sn_free(s->u), sn_free(s->s), sn_free(s->rhs);
    s->columns = 0;
    s->y = s->u = s->s = s->rhs = NULL;
    if (!SN_NEW(s->y, n) || !SN_NEW(s->u, n) || !SN_NEW(s->s, n) || !SN_NEW(s->rhs, n))
        return SN_OUT_OF_MEM(err);
    s->columns = columns;
    return SN_OK;
}

enum { MAX = 12 };

/* X <- A^-1 X or A^-T X for a small matrix near the identity, columns of X side by side. */
static void solve_small(int n, int transposed, const double *given, int columns, double *X)
{
    double A[MAX * MAX];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[i * n + j] = transposed ? given[j * n + i] : given[i * n + j];
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            for (int j = k; f != 0 && j < n; j++) A[i * n + j] -= f * A[k * n + j];
            for (int j = 0; f != 0 && j < columns; j++) X[i * columns + j] -= f * X[k * columns + j];
        }
    for (int k = n - 1; k >= 0; k--)
        for (int j = 0; j < columns; j++) {
            double x = X[k * columns + j];
            for (int i = k + 1; i < n; i++) x -= A[k * n + i] * X[i * columns + j];
            X[k * columns + j] = x / A[k * n + k];
        }
}

/* Y (n rows) = A X or A' X; not in place. */
static void multiply_small(int n, int transposed, const double *A, int columns, const double *X, double *Y)
{
    memset(Y, 0, sizeof(double) * (size_t)(n * columns));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double f = transposed ? A[k * n + i] : A[i * n + k];
            for (int j = 0; f != 0 && j < columns; j++) Y[i * columns + j] += f * X[k * columns + j];
        }
}

/* The increment of a node that is not flat, and its maps. */
static void node_maps(const sn_node *node, const sn_state *x0, const sn_state *x1, double *E, double *T)
{
    double d[MAX];
    node->cls->difference(x0->q + node->q, x1->q + node->q, d);
    node->cls->tangent(d, E, T);
}

static int is_flat(const sn_node *node) { return node->ground || !node->cls->tangent; }

/* y = T^-1 E dq0 */
static void pull(const sn_model *m, const sn_state *x0, const sn_state *x1, int columns, const double *q0,
                 double *y)
{
    double E[MAX * MAX], T[MAX * MAX];
    memcpy(y, q0, sizeof(double) * (size_t)m->nv * (size_t)columns);
    for (int i = 0; !m->flat && i < m->n_node; i++) {
        const sn_node *node = &m->node[i];
        if (is_flat(node)) continue;
        size_t at = (size_t)node->v * (size_t)columns;
        node_maps(node, x0, x1, E, T);
        multiply_small(node->cls->nv, 0, E, columns, q0 + at, y + at);
        solve_small(node->cls->nv, 0, T, columns, y + at);
    }
}

/* dq1 = T e */
static void push(const sn_model *m, const sn_state *x0, const sn_state *x1, int columns, const double *e,
                 double *q1)
{
    double E[MAX * MAX], T[MAX * MAX];
    memcpy(q1, e, sizeof(double) * (size_t)m->nv * (size_t)columns);
    for (int i = 0; !m->flat && i < m->n_node; i++) {
        const sn_node *node = &m->node[i];
        if (is_flat(node)) continue;
        size_t at = (size_t)node->v * (size_t)columns;
        node_maps(node, x0, x1, E, T);
        multiply_small(node->cls->nv, 0, T, columns, e + at, q1 + at);
    }
}

/* u, s and (in d1->A) w from the state before. */
static void carry(genalpha *s, const sn_state *x0, const sn_dstate *d0, sn_dstate *d1)
{
    const sn_model *m = s->w->m;
    size_t n = (size_t)d0->columns;
    double kA, kA1, kv;
    sn_genalpha_moved(s, x0, s->h, &kA, &kA1, &kv);
    kept of[2] = {kept_of(s, 1), kept_of(s, 0)};
    for (int i = 0; i < m->nv; i++) {
        int first = m->order_of[i] == 1;
        const kept *k = &of[!first];
        double jA = first ? kA1 : kA, jv = first ? 0 : kv, cv = s->cv[i], ca = s->ca[i], cA = s->cA[i];
        for (size_t j = (size_t)i * n, end = j + n; j < end; j++) {
            double A0 = d0->A[j] + jA * d0->jump[j], v0 = d0->v[j] + jv * d0->jump[j], y = s->y[j];
            s->u[j] = k->Vv * v0 + k->VA * A0 - cv * y;
            s->s[j] = k->av * v0 + k->aA * A0 + k->aa * d0->a[j] - ca * y;
            d1->A[j] = k->Av * v0 + k->AA * A0 - cA * y;
        }
    }
}

/* rhs (rows of n, columns side by side) -= [h^2 (C u + M s); G u] */
static void subtract_products(const genalpha *s, int columns, double *rhs)
{
    const sn_model *m = s->w->m;
    const double h2 = s->h * s->h;
    size_t n = (size_t)columns;
    for (int j = 0; j < m->nv; j++) {
        const double *u = s->u + (size_t)j * n, *a = s->s + (size_t)j * n;
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++) {
            double row = m->Ai[p] < m->nv ? h2 : 1, fc = row * s->C[p], fm = row * s->M[p];
            double *to = rhs + (size_t)m->Ai[p] * n;
            if (fc != 0 && fm != 0)
                for (size_t k = 0; k < n; k++) to[k] -= fc * u[k] + fm * a[k];
            else if (fc != 0)
                for (size_t k = 0; k < n; k++) to[k] -= fc * u[k];
            else if (fm != 0)
                for (size_t k = 0; k < n; k++) to[k] -= fm * a[k];
        }
    }
}

/* Columns side by side to one behind the other, and back. */
static void turn(int rows, int columns, const double *from, double *to, int back)
{
    for (int k = 0; k < columns; k++)
        for (int i = 0; i < rows; i++) {
            size_t side = (size_t)i * (size_t)columns + (size_t)k,
                   behind = (size_t)k * (size_t)rows + (size_t)i;
            to[back ? side : behind] = from[back ? behind : side];
        }
}

sn_status sn_genalpha_forward(void *self, const sn_state *x0, const sn_state *x1, sn_touch *c,
                              const sn_dstate *d0, sn_dstate *d1, sn_err *err)
{
    genalpha *s = self;
    const sn_model *m = s->w->m;
    int columns = d0->columns;
    size_t n = (size_t)columns, all = (size_t)m->n * n;
    const double h2 = s->h * s->h;
    double kA, kA1, kv;
    SN_TRY(scratch(s, columns, err));
    sn_touch_time(c, s->w, x1->t);
    pull(m, x0, x1, columns, d0->q, s->y);
    carry(s, x0, d0, d1);
    memset(s->rhs, 0, sizeof(double) * all);
    SN_TRY(sn_system_dparam(s->w, x1, c, h2, s->rhs, err));
    for (size_t i = 0; i < all; i++) s->rhs[i] = -s->rhs[i];
    subtract_products(s, columns, s->rhs);
    turn(m->n, columns, s->rhs, s->y, 0);
    SN_TRY(sn_linsol_solve_refined(s->ls, 0, columns, s->y));
    turn(m->n, columns, s->y, s->rhs, 1);
    const double *e = s->rhs;
    push(m, x0, x1, columns, e, d1->q);
    sn_genalpha_moved(s, x0, s->h, &kA, &kA1, &kv);
    for (int i = 0; i < m->nv; i++) {
        double cv = s->cv[i], ca = s->ca[i], cA = s->cA[i], jA = m->order_of[i] == 1 ? kA1 : kA;
        for (size_t j = (size_t)i * n, end = j + n; j < end; j++) {
            d1->v[j] = s->u[j] + cv * e[j];
            d1->a[j] = s->s[j] + ca * e[j];
            d1->A[j] += cA * e[j];
            d1->jump[j] = d1->A[j] - d0->A[j] - jA * d0->jump[j];
        }
    }
    for (size_t i = 0; i < (size_t)m->m * n; i++) d1->lam[i] = e[(size_t)m->nv * n + i] / h2;
    return SN_OK;
}

/* The matrix of the step at x1, its factors, C and M. */
static sn_status linearise(genalpha *s, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    const sn_model *m = s->w->m;
    sn_genalpha_set_step(s, x1->h);
    sn_system_time(s->w, x1->t);
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *node = &m->node[i];
        if (node->ground) continue;
        if (node->cls->difference)
            node->cls->difference(x0->q + node->q, x1->q + node->q, s->d + node->v);
        else
            for (int k = 0; k < node->cls->nv; k++)
                s->d[node->v + k] = x1->q[node->q + k] - x0->q[node->q + k];
    }
    return sn_genalpha_evaluate(s, x1, 1, err);
}

/* seeds of (e, h^2 lam) from those of the state after */
static void seed(genalpha *s, const sn_state *x0, const sn_state *x1, const sn_dstate *b, const double *A,
                 double *z)
{
    const sn_model *m = s->w->m;
    double E[MAX * MAX], T[MAX * MAX];
    memcpy(z, b->q, sizeof(double) * (size_t)m->nv);
    for (int i = 0; !m->flat && i < m->n_node; i++) {
        const sn_node *node = &m->node[i];
        if (is_flat(node)) continue;
        node_maps(node, x0, x1, E, T);
        multiply_small(node->cls->nv, 1, T, 1, b->q + node->v, z + node->v);
    }
    for (int i = 0; i < m->nv; i++) z[i] += s->cv[i] * b->v[i] + s->ca[i] * b->a[i] + s->cA[i] * A[i];
    for (int i = 0; i < m->m; i++) z[m->nv + i] = b->lam[i] / (s->h * s->h);
}

/* u, s: seeds of u and s less what the rows take: [h^2 C'mu + G'nu; h^2 M'mu] */
static void subtract_transposed(const genalpha *s, const double *z, double *u, double *a)
{
    const sn_model *m = s->w->m;
    const double h2 = s->h * s->h;
    for (int j = 0; j < m->nv; j++) {
        double su = 0, sa = 0;
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++) {
            double mu = z[m->Ai[p]] * (m->Ai[p] < m->nv ? h2 : 1);
            su += s->C[p] * mu;
            sa += s->M[p] * mu;
        }
        u[j] -= su;
        a[j] -= sa;
    }
}

sn_status sn_genalpha_adjoint(void *self, const sn_state *x0, const sn_state *x1, sn_touch *c,
                              const sn_dstate *b1, sn_dstate *b0, double *g, sn_err *err)
{
    genalpha *s = self;
    const sn_model *m = s->w->m;
    double kA, kA1, kv, E[MAX * MAX], T[MAX * MAX];
    SN_TRY(scratch(s, c->np > 0 ? c->np : 1, err));
    SN_TRY(linearise(s, x0, x1, err));
    sn_touch_time(c, s->w, x1->t);
    double *w = s->rhs, *z = s->b, *u = s->u, *a = s->s, *y = s->y;
    /* the jump is A1 less the moved A0 */
    for (int i = 0; i < m->nv; i++) w[i] = b1->A[i] + b1->jump[i], u[i] = b1->v[i], a[i] = b1->a[i];
    seed(s, x0, x1, b1, w, z);
    SN_TRY(sn_linsol_solve_refined(s->ls, 1, 1, z));
    subtract_transposed(s, z, u, a);
    for (int i = 0; i < m->n; i++) z[i] = -z[i];
    SN_TRY(sn_system_dparam_transposed(s->w, x1, c, s->h * s->h, z, g, err));
    sn_genalpha_moved(s, x0, s->h, &kA, &kA1, &kv);
    kept of[2] = {kept_of(s, 1), kept_of(s, 0)};
    for (int i = 0; i < m->nv; i++) {
        int first = m->order_of[i] == 1;
        const kept *k = &of[!first];
        double A0 = k->VA * u[i] + k->aA * a[i] + k->AA * w[i] - b1->jump[i];
        double v0 = k->Vv * u[i] + k->av * a[i] + k->Av * w[i];
        y[i] = -(s->cv[i] * u[i] + s->ca[i] * a[i] + s->cA[i] * w[i]);
        b0->A[i] = A0, b0->v[i] = v0, b0->a[i] = k->aa * a[i];
        b0->jump[i] = (first ? kA1 : kA) * A0 + (first ? 0 : kv) * v0;
        b0->q[i] = y[i];
    }
    memset(b0->lam, 0, sizeof(double) * (size_t)m->m);
    for (int i = 0; !m->flat && i < m->n_node; i++) {
        const sn_node *node = &m->node[i];
        if (is_flat(node)) continue;
        node_maps(node, x0, x1, E, T);
        solve_small(node->cls->nv, 1, T, 1, y + node->v);
        multiply_small(node->cls->nv, 1, E, 1, y + node->v, b0->q + node->v);
    }
    return SN_OK;
}
