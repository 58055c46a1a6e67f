/* Derivatives of a state: storage, and the interpolation between two states.

   Between (see sn_state_between) a node moves along c(s) = p d + p0 v0 + p1 u, d from q0 to q1 and u =
   T(d)^-1 v1, with v = T(c) c'. With dd = T(d)^-1 (dq1 - E(d) dq0), du = T(d)^-1 (dv1 - D(d, u) dd), where
   D(c, w) is the derivative of T(c) w by c, everything follows: dq = E(c) dq0 + T(c) dc, dv = T(c) dc' + D(c,
   c') dc. */
#include "system/dstate.h"

#include <string.h>

sn_status sn_dstate_new(const sn_model *m, int n_own, int columns, sn_dstate **out, sn_err *err)
{
    sn_dstate *d;
    size_t n = (size_t)(m->nv + 1) * (size_t)(columns + 1);
    *out = NULL;
    if (!SN_NEW(d, 1)) return SN_OUT_OF_MEM(err);
    d->columns = columns;
    int good = SN_NEW(d->q, n) && SN_NEW(d->v, n) && SN_NEW(d->a, n) &&
               SN_NEW(d->lam, (size_t)(m->m + 1) * (size_t)(columns + 1)) && SN_NEW(d->own, n_own + 1);
    for (; good && d->n_own < n_own; d->n_own++) good = SN_NEW(d->own[d->n_own], n) != NULL;
    if (!good) {
        sn_dstate_free(d);
        return SN_OUT_OF_MEM(err);
    }
    *out = d;
    return SN_OK;
}

void sn_dstate_free(sn_dstate *d)
{
    if (!d) return;
    for (int k = 0; k < d->n_own; k++) sn_free(d->own[k]);
    sn_free(d->q), sn_free(d->v), sn_free(d->a), sn_free(d->lam), sn_free(d->own);
    sn_free(d);
}

void sn_dstate_clear(const sn_model *m, sn_dstate *d)
{
    size_t n = sizeof(double) * (size_t)(m->nv + 1) * (size_t)d->columns;
    memset(d->q, 0, n), memset(d->v, 0, n), memset(d->a, 0, n);
    for (int k = 0; k < d->n_own; k++) memset(d->own[k], 0, n);
    memset(d->lam, 0, sizeof(double) * (size_t)(m->m + 1) * (size_t)d->columns);
}

enum { MAX = SN_CURVED_MAX };

/* How (q, v) between follows from (q0, v0, q1, v1) of one node: 2 nv rows, 4 nv columns. */
typedef struct between {
    int n;
    double J[2 * MAX * 4 * MAX];
} between;

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

/* Weights of d, v0, u in c and in c'. */
typedef struct weights {
    double p, p0, p1, r, r0, r1;
} weights;

static weights weights_at(const sn_node_class *k, double h, double s)
{
    double s2 = s * s, s3 = s2 * s;
    weights w = {3 * s2 - 2 * s3,      h * (s - 2 * s2 + s3), h * (s3 - s2),
                 (6 * s - 6 * s2) / h, 1 - 4 * s + 3 * s2,    3 * s2 - 2 * s};
    if (k->order == 1) w.r = 0, w.r0 = 1 - s, w.r1 = s;
    return w;
}

/* Flat coordinates stand each alone: a block of one. */
static void flat_between(const sn_node_class *k, double h, double s, between *b)
{
    weights w = weights_at(k, h, s);
    const double J[8] = {1 - w.p, w.p0, w.p, w.p1, -w.r, w.r0, w.r, w.r1};
    memcpy(b->J, J, sizeof J);
}

static void node_between(const sn_node *node, const sn_state *x0, const sn_state *x1, double s, between *b)
{
    const sn_node_class *k = node->cls;
    int n = k->tangent ? node->nv : 1, cols = 4 * n;
    double h = x1->t - x0->t;
    b->n = n;
    memset(b->J, 0, sizeof(double) * (size_t)(2 * n * cols));
    if (!k->tangent) {
        flat_between(k, h, s, b);
        return;
    }
    weights w = weights_at(k, h, s);
    const double *v0 = x0->v + node->v, *v1 = x1->v + node->v;
    double d[MAX], u[MAX], c[MAX], slope[MAX], E[MAX * MAX], T[MAX * MAX], U[MAX * MAX], D[MAX * MAX];
    double dd[MAX * 4 * MAX] = {0}, du[MAX * 4 * MAX] = {0}, dc[MAX * 4 * MAX], ds[MAX * 4 * MAX];
    k->difference(x0->q + node->q, x1->q + node->q, d);
    k->tangent(d, E, T);
    memcpy(U, T, sizeof U);
    memcpy(u, v1, sizeof(double) * (size_t)n);
    solve(n, U, 1, u);
    /* dd, du */
    for (int i = 0; i < n; i++) {
        dd[i * cols + 2 * n + i] = 1;
        du[i * cols + 3 * n + i] = 1;
        for (int j = 0; j < n; j++) dd[i * cols + j] = -E[i * n + j];
    }
    memcpy(U, T, sizeof U);
    solve(n, U, cols, dd);
    k->dtangent(d, u, D);
    for (int i = 0; i < n * n; i++) D[i] = -D[i];
    add_product(n, D, cols, dd, du);
    memcpy(U, T, sizeof U);
    solve(n, U, cols, du);
    for (int i = 0; i < n; i++) {
        c[i] = w.p * d[i] + w.p0 * v0[i] + w.p1 * u[i];
        slope[i] = w.r * d[i] + w.r0 * v0[i] + w.r1 * u[i];
        for (int j = 0; j < cols; j++) {
            dc[i * cols + j] = w.p * dd[i * cols + j] + w.p1 * du[i * cols + j] + w.p0 * (j == n + i);
            ds[i * cols + j] = w.r * dd[i * cols + j] + w.r1 * du[i * cols + j] + w.r0 * (j == n + i);
        }
    }
    k->tangent(c, E, T);
    k->dtangent(c, slope, D);
    add_product(n, T, cols, dc, b->J);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) b->J[i * cols + j] += E[i * n + j];
    add_product(n, T, cols, ds, b->J + n * cols);
    add_product(n, D, cols, dc, b->J + n * cols);
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
