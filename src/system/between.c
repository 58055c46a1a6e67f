/* The state between two states, its derivative and the transpose of that.

   A node moves along a cubic c(s) in the tangent space at x0, c = p d + p0 v0 + p1 u, with d from q0 to q1
   and u = T(d)^-1 v1, so that its slopes at the ends are h v0 and h u; q = retract(q0, c) and v = T(c) c'.
   The accelerations and multipliers are linear in s. With dd = T(d)^-1 (dq1 - E(d) dq0), du = T(d)^-1 (dv1 -
   D(d, u) dd), where D(c, w) is the derivative of T(c) w by c, everything follows: dq = E(c) dq0 + T(c) dc,
   dv = T(c) dc' + D(c, c') dc. */
#include "system/dstate.h"

#include <string.h>

enum { MAX = SN_MAX_CURVED };

/* X <- T^-1 X, X with `cols` columns, by elimination; T is near the identity and is lost */
static void solve(int n, double *T, int cols, double *X)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double f = T[i * n + k] / T[k * n + k];
            for (int j = k; j < n; j++) T[i * n + j] -= f * T[k * n + j];
            for (int j = 0; j < cols; j++) X[i * cols + j] -= f * X[k * cols + j];
        }
    for (int k = n - 1; k >= 0; k--)
        for (int j = 0; j < cols; j++) {
            double s = X[k * cols + j];
            for (int i = k + 1; i < n; i++) s -= T[k * n + i] * X[i * cols + j];
            X[k * cols + j] = s / T[k * n + k];
        }
}

/* Y += A X, A n x n, X and Y with `cols` columns */
static void add_product(int n, const double *A, int cols, const double *X, double *Y)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double f = A[i * n + k];
            for (int j = 0; f != 0 && j < cols; j++) Y[i * cols + j] += f * X[k * cols + j];
        }
}

/* Weights of d, v0, u in c and in c'; of first order: c' is linear between v0 and v1. */
typedef struct weights {
    double p, p0, p1, r, r0, r1;
} weights;

static weights weights_at(int order, double h, double s)
{
    double s2 = s * s, s3 = s2 * s;
    weights w = {3 * s2 - 2 * s3,      h * (s - 2 * s2 + s3), h * (s3 - s2),
                 (6 * s - 6 * s2) / h, 1 - 4 * s + 3 * s2,    3 * s2 - 2 * s};
    if (order == 1) w.r = 0, w.r0 = 1 - s, w.r1 = s;
    return w;
}

/* The cubic of a node that is not flat, and E, T at d */
typedef struct curve {
    double d[MAX], u[MAX], c[MAX], slope[MAX], E[MAX * MAX], T[MAX * MAX];
} curve;

static void curve_at(const sn_node *node, const sn_state *x0, const sn_state *x1, const weights *w, curve *y)
{
    const double *v0 = x0->v + node->v;
    double U[MAX * MAX];
    int n = node->nv;
    node->cls->difference(x0->q + node->q, x1->q + node->q, y->d);
    node->cls->tangent(y->d, y->E, y->T);
    memcpy(U, y->T, sizeof(double) * (size_t)(n * n));
    memcpy(y->u, x1->v + node->v, sizeof(double) * (size_t)n);
    solve(n, U, 1, y->u);
    for (int i = 0; i < n; i++) {
        y->c[i] = w->p * y->d[i] + w->p0 * v0[i] + w->p1 * y->u[i];
        y->slope[i] = w->r * y->d[i] + w->r0 * v0[i] + w->r1 * y->u[i];
    }
}

/* ---- the state ---- */

static void curved_node(const sn_node *node, const sn_state *x0, const sn_state *x1, const weights *w,
                        sn_state *y)
{
    double E[MAX * MAX], T[MAX * MAX], *v = y->v + node->v;
    int n = node->nv;
    curve k;
    curve_at(node, x0, x1, w, &k);
    /* v = T(c) c' */
    node->cls->tangent(k.c, E, T);
    memset(v, 0, sizeof *v * (size_t)n);
    add_product(n, T, 1, k.slope, v);
    node->cls->retract(x0->q + node->q, k.c, y->q + node->q);
}

static void flat_node(const sn_node *node, const sn_state *x0, const sn_state *x1, const weights *w,
                      sn_state *y)
{
    const double *q0 = x0->q + node->q, *q1 = x1->q + node->q, *v0 = x0->v + node->v, *v1 = x1->v + node->v;
    double *q = y->q + node->q, *v = y->v + node->v;
    for (int i = 0; i < node->nv; i++) {
        double d = q1[i] - q0[i];
        q[i] = q0[i] + (w->p * d + w->p0 * v0[i] + w->p1 * v1[i]);
        v[i] = w->r * d + w->r0 * v0[i] + w->r1 * v1[i];
    }
}

void sn_state_between(const sn_model *m, const sn_state *x0, const sn_state *x1, double s, sn_state *y)
{
    const double h = x1->t - x0->t;
    const weights of[2] = {weights_at(1, h, s), weights_at(2, h, s)};
    y->t = x0->t + s * h;
    memcpy(y->q, x0->q, sizeof *y->q * (size_t)m->nq);
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *node = &m->node[i];
        const weights *w = &of[node->cls->order != 1];
        if (node->ground) continue;
        if (node->cls->tangent)
            curved_node(node, x0, x1, w, y);
        else
            flat_node(node, x0, x1, w, y);
    }
    for (int i = 0; i < m->nv; i++) y->a[i] = (1 - s) * x0->a[i] + s * x1->a[i];
    memcpy(y->turned, x0->turned, sizeof *y->turned * (size_t)m->n_turning);
    for (int i = 0; i < m->m; i++) y->lam[i] = (1 - s) * x0->lam[i] + s * x1->lam[i];
}

/* ---- its derivative ---- */

/* How (q, v) between follows from (q0, v0, q1, v1) of n coordinates: 2 n rows, 4 n columns. */
typedef struct between {
    int n;
    double J[2 * MAX * 4 * MAX];
} between;

static void curved_between(const sn_node *node, const sn_state *x0, const sn_state *x1, const weights *w,
                           between *b)
{
    const sn_node_class *cls = node->cls;
    const int n = node->nv, cols = 4 * n;
    double E[MAX * MAX], T[MAX * MAX], U[MAX * MAX], D[MAX * MAX];
    double dd[MAX * 4 * MAX] = {0}, du[MAX * 4 * MAX] = {0}, dc[MAX * 4 * MAX], ds[MAX * 4 * MAX];
    curve k;
    curve_at(node, x0, x1, w, &k);
    /* dd = T^-1 (dq1 - E dq0), du = T^-1 (dv1 - D dd) */
    for (int i = 0; i < n; i++) {
        dd[i * cols + 2 * n + i] = 1;
        du[i * cols + 3 * n + i] = 1;
        for (int j = 0; j < n; j++) dd[i * cols + j] = -k.E[i * n + j];
    }
    memcpy(U, k.T, sizeof U);
    solve(n, U, cols, dd);
    cls->dtangent(k.d, k.u, D);
    for (int i = 0; i < n * n; i++) D[i] = -D[i];
    add_product(n, D, cols, dd, du);
    memcpy(U, k.T, sizeof U);
    solve(n, U, cols, du);
    /* the cubic and its slope are linear in d, v0 and u */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < cols; j++) {
            dc[i * cols + j] = w->p * dd[i * cols + j] + w->p1 * du[i * cols + j] + w->p0 * (j == n + i);
            ds[i * cols + j] = w->r * dd[i * cols + j] + w->r1 * du[i * cols + j] + w->r0 * (j == n + i);
        }
    /* dq = E dq0 + T dc, dv = T dc' + D dc */
    cls->tangent(k.c, E, T);
    cls->dtangent(k.c, k.slope, D);
    memset(b->J, 0, sizeof *b->J * (size_t)(2 * n * cols));
    add_product(n, T, cols, dc, b->J);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) b->J[i * cols + j] += E[i * n + j];
    add_product(n, T, cols, ds, b->J + n * cols);
    add_product(n, D, cols, dc, b->J + n * cols);
}

static void node_between(const sn_node *node, const sn_state *x0, const sn_state *x1, double s, between *b)
{
    const weights w = weights_at(node->cls->order, x1->t - x0->t, s);
    /* flat coordinates stand each alone: a block of one */
    const double flat[8] = {1 - w.p, w.p0, w.p, w.p1, -w.r, w.r0, w.r, w.r1};
    b->n = node->cls->tangent ? node->nv : 1;
    if (node->cls->tangent)
        curved_between(node, x0, x1, &w, b);
    else
        memcpy(b->J, flat, sizeof flat);
}

void sn_dstate_between(const sn_model *m, const sn_state *x0, const sn_state *x1, double s,
                       const sn_dstate *d0, const sn_dstate *d1, sn_dstate *y)
{
    size_t np = (size_t)y->columns;
    between b;
    sn_dstate_clear(m, y);
    for (int e = 0; e < m->n_node; e++) {
        const sn_node *node = &m->node[e];
        if (node->ground) continue;
        node_between(node, x0, x1, s, &b);
        for (int at = node->v; at < node->v + node->nv; at += b.n)
            for (int r = 0; r < 2 * b.n; r++)
                for (int j = 0; j < 4 * b.n; j++) {
                    double f = b.J[r * 4 * b.n + j];
                    const sn_dstate *d = j < 2 * b.n ? d0 : d1;
                    const double *from = (j / b.n % 2 ? d->v : d->q) + (size_t)(at + j % b.n) * np;
                    double *to = (r < b.n ? y->q : y->v) + (size_t)(at + r % b.n) * np;
                    for (size_t k = 0; f != 0 && k < np; k++) to[k] += f * from[k];
                }
    }
    for (size_t i = 0; i < (size_t)m->nv * np; i++) y->a[i] = (1 - s) * d0->a[i] + s * d1->a[i];
    for (size_t i = 0; i < (size_t)m->m * np; i++) y->lam[i] = (1 - s) * d0->lam[i] + s * d1->lam[i];
}

void sn_dstate_between_transposed(const sn_model *m, const sn_state *x0, const sn_state *x1, double s,
                                  const sn_dstate *y, sn_dstate *b0, sn_dstate *b1)
{
    between b;
    for (int e = 0; e < m->n_node; e++) {
        const sn_node *node = &m->node[e];
        if (node->ground) continue;
        node_between(node, x0, x1, s, &b);
        for (int at = node->v; at < node->v + node->nv; at += b.n)
            for (int r = 0; r < 2 * b.n; r++)
                for (int j = 0; j < 4 * b.n; j++) {
                    sn_dstate *d = j < 2 * b.n ? b0 : b1;
                    (j / b.n % 2 ? d->v : d->q)[at + j % b.n] +=
                        b.J[r * 4 * b.n + j] * (r < b.n ? y->q : y->v)[at + r % b.n];
                }
    }
    for (int i = 0; i < m->nv; i++) b0->a[i] += (1 - s) * y->a[i], b1->a[i] += s * y->a[i];
    for (int i = 0; i < m->m; i++) b0->lam[i] += (1 - s) * y->lam[i], b1->lam[i] += s * y->lam[i];
}
