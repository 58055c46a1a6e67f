/* Derivatives of the step of genalpha.c, forward and adjoint: of what was computed, not of the equations.

   With T, E of the increment d and S the matrix of Newton at the solution (rows h^2 r, phi; unknowns d, h^2
   lam), and y = T^-1 E dq0, so that dq1 = T (dd + y):

       S [dd; h^2 dlam] = -[ h^2 (K y + C u + M s + dr/dp) ; B y + G u + dphi/dp ]
       dv1 = u + cv dd,  da1 = s + ca dd,  dA1 = w + cA dd

   where u, s, w are what v1, a1, A1 keep of the state before at d = 0; K and B have T in them, C and G count
   for velocity rows as they do in S. K y is in S already, but dd + y as the unknown would lose 1/h of the
   digits of dv1, where dd is that much smaller than y. The adjoint is this read backwards:
   S' [mu; nu] = seeds, and so on. Everything else is diagonal. */
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

/* The pattern is symmetric: row i has its columns where column i has its rows. */
static void find_places(const sn_model *m, int *next, int *place)
{
    memcpy(next, m->Ap, sizeof(int) * (size_t)m->n);
    for (int j = 0; j < m->n; j++)
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++) place[next[m->Ai[p]]++] = p;
}

static sn_status scratch(genalpha *s, int columns, sn_err *err)
{
    const sn_model *m = s->w->m;
    size_t n = (size_t)(m->n + 1) * (size_t)columns, maps = 0;
    if (s->columns >= columns) return SN_OK;
    sn_free(s->y), sn_free(s->u), sn_free(s->s), sn_free(s->rhs), sn_free(s->left), sn_free(s->maps);
    sn_free(s->entry), sn_free(s->row), sn_free(s->place);
    s->columns = 0;
    s->y = s->u = s->s = s->rhs = s->left = s->maps = NULL, s->entry = NULL, s->row = s->place = NULL;
    for (int i = 0; i < m->n_node; i++)
        if (s->w->T_at[i] >= 0) maps += 2 * (size_t)(m->node[i].cls->nv * m->node[i].cls->nv);
    if (!SN_NEW(s->y, n) || !SN_NEW(s->u, n) || !SN_NEW(s->s, n) || !SN_NEW(s->rhs, n) ||
        !SN_NEW(s->left, n) || !SN_NEW(s->maps, maps + 1) || !SN_NEW(s->entry, m->nnz + 1) ||
        !SN_NEW(s->row, m->n + 1) || !SN_NEW(s->place, m->nnz + 1))
        return SN_OUT_OF_MEM(err);
    find_places(m, s->row, s->place);
    s->columns = columns;
    return SN_OK;
}

/* ---- small matrices ---- */

enum { MAX = 12 };

/* X <- A^-1 X for a small matrix near the identity, n columns. */
static void solve_small(int n, const double *given, double *X)
{
    double A[MAX * MAX];
    memcpy(A, given, sizeof(double) * (size_t)(n * n));
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
            for (int j = 0; j < n; j++) X[i * n + j] -= f * X[k * n + j];
        }
    for (int k = n - 1; k >= 0; k--)
        for (int j = 0; j < n; j++) {
            double x = X[k * n + j];
            for (int i = k + 1; i < n; i++) x -= A[k * n + i] * X[i * n + j];
            X[k * n + j] = x / A[k * n + k];
        }
}

/* What is not flat of a node: from, n its coordinates that turn, and its two maps. */
typedef struct turning {
    int from, n;
    double *T, *P;
} turning;

static int is_turning(const genalpha *s, int i, turning *t)
{
    const sn_node *node = &s->w->m->node[i];
    int at = s->w->T_at[i];
    if (at < 0) return 0;
    t->from = node->v + node->cls->turn, t->n = node->cls->nv - node->cls->turn;
    t->T = s->maps + 2 * at, t->P = t->T + t->n * t->n;
    return 1;
}

/* T and P = T^-1 E of the increments in s->d. */
static void make_maps(genalpha *s)
{
    const sn_model *m = s->w->m;
    double E[MAX * MAX], T[MAX * MAX];
    turning t;
    for (int i = 0; !m->flat && i < m->n_node; i++) {
        if (!is_turning(s, i, &t)) continue;
        const sn_node_class *cls = m->node[i].cls;
        int nv = cls->nv, turn = cls->turn;
        cls->tangent(s->d + m->node[i].v, E, T);
        for (int r = 0; r < t.n; r++)
            for (int c = 0; c < t.n; c++) {
                t.T[r * t.n + c] = T[(turn + r) * nv + turn + c];
                t.P[r * t.n + c] = E[(turn + r) * nv + turn + c];
            }
        solve_small(t.n, t.T, t.P);
    }
}

/* Y (n rows of columns) = A X; not in place. */
static void multiply_small(int n, const double *A, size_t columns, const double *restrict X,
                           double *restrict Y)
{
    if (n == 3) { /* rotations in space */
        const double *x = X, *y = X + columns, *z = X + 2 * columns;
        for (int i = 0; i < 3; i++, A += 3, Y += columns)
            for (size_t j = 0; j < columns; j++) Y[j] = A[0] * x[j] + A[1] * y[j] + A[2] * z[j];
        return;
    }
    for (int i = 0; i < n; i++)
        for (size_t j = 0; j < columns; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += A[i * n + k] * X[(size_t)k * columns + j];
            Y[(size_t)i * columns + j] = sum;
        }
}

static void multiply_transposed(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int k = 0; k < n; k++) y[i] += A[k * n + i] * x[k];
    }
}

/* Rows that turn: y = P x, or T x. The others are not written. */
static void map_nodes(const genalpha *s, int pull, size_t columns, const double *x, double *y)
{
    const sn_model *m = s->w->m;
    turning t;
    for (int i = 0; !m->flat && i < m->n_node; i++) {
        if (!is_turning(s, i, &t)) continue;
        size_t at = (size_t)t.from * columns;
        multiply_small(t.n, pull ? t.P : t.T, columns, x + at, y + at);
    }
}

/* ---- forward ---- */

/* u, s and (in d1->A) w from the state before. */
static void carry(genalpha *s, const sn_state *x0, const sn_dstate *d0, sn_dstate *d1)
{
    const sn_model *m = s->w->m;
    size_t n = (size_t)d0->columns;
    double kA, kA1, kv;
    sn_genalpha_moved(s, x0, s->h, &kA, &kA1, &kv);
    int moved = kA != 0 || kA1 != 0 || kv != 0;
    kept of[2] = {kept_of(s, 1), kept_of(s, 0)};
    for (int i = 0; i < m->nv; i++) {
        int first = m->order_of[i] == 1;
        const kept k = of[!first];
        size_t at = (size_t)i * n;
        const double *restrict A0 = d0->A + at, *restrict v0 = d0->v + at, *restrict a0 = d0->a + at,
                               *restrict jump = d0->jump + at;
        double *restrict u = s->u + at, *restrict a = s->s + at, *restrict A = d1->A + at;
        for (size_t j = 0; j < n; j++) {
            u[j] = k.Vv * v0[j] + k.VA * A0[j];
            a[j] = k.av * v0[j] + k.aA * A0[j] + k.aa * a0[j];
            A[j] = k.Av * v0[j] + k.AA * A0[j];
        }
        double jA = first ? kA1 : kA, jv = first ? 0 : kv;
        for (size_t j = 0; moved && j < n; j++) {
            u[j] += (k.Vv * jv + k.VA * jA) * jump[j];
            a[j] += (k.av * jv + k.aA * jA) * jump[j];
            A[j] += (k.Av * jv + k.AA * jA) * jump[j];
        }
    }
}

/* Two doubles in one register, which every 64-bit machine has. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

/* What is other than zero in K, C and M, row by row. */
static void compress(genalpha *s)
{
    const sn_model *m = s->w->m;
    entry *to = s->entry;
    for (int i = 0; i < m->n; i++) {
        for (int p = m->Ap[i], end = m->Ap[i + 1]; p < end; p++) {
            int at = s->place[p];
            to->column = m->Ai[p], to->K = s->K[at], to->C = s->C[at], to->M = s->M[at];
            to += (to->K != 0) | (to->C != 0) | (to->M != 0);
        }
        s->row[i] = (int)(to - s->entry);
    }
}

/* 2 `pairs` columns of one row: f <- factor (K y + C u + M s). */
static inline __attribute__((always_inline)) void row_products(const entry *e, const entry *end,
                                                               const int pairs, double factor, size_t n,
                                                               const double *y, const double *u,
                                                               const double *a, double *f)
{
    pair sum[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}}, *to = (pair *)f;
    for (; e < end; e++) {
        size_t at = (size_t)e->column * n;
        const pair *q = (const pair *)(y + at), *v = (const pair *)(u + at), *w = (const pair *)(a + at);
        for (int k = 0; k < pairs; k++) sum[k] += e->K * q[k] + (e->C * v[k] + e->M * w[k]);
    }
    for (int k = 0; k < pairs; k++) to[k] = factor * sum[k];
}

/* f (rows of n, columns side by side) = [h^2 (K y + C u + M s); B y + G u] */
static void products(genalpha *s, size_t n, double *f)
{
    const sn_model *m = s->w->m;
    const entry *e = s->entry, *end;
    compress(s);
    for (int i = 0; i < m->n; i++, e = end, f += n) {
        const double factor = i < m->nv ? s->h * s->h : 1;
        size_t c = 0;
        end = s->entry + s->row[i];
        for (; c + 8 <= n; c += 8) row_products(e, end, 4, factor, n, s->y + c, s->u + c, s->s + c, f + c);
        for (; c + 4 <= n; c += 4) row_products(e, end, 2, factor, n, s->y + c, s->u + c, s->s + c, f + c);
        for (; c + 2 <= n; c += 2) row_products(e, end, 1, factor, n, s->y + c, s->u + c, s->s + c, f + c);
        if (c == n) continue;
        double sum = 0;
        for (const entry *k = e; k < end; k++) {
            size_t at = (size_t)k->column * n + c;
            sum += k->K * s->y[at] + (k->C * s->u[at] + k->M * s->s[at]);
        }
        f[c] = factor * sum;
    }
}

/* The state after, by -dd. */
static void finish(const genalpha *s, const sn_state *x0, const double *less, const sn_dstate *d0,
                   sn_dstate *d1)
{
    const sn_model *m = s->w->m;
    size_t n = (size_t)d0->columns;
    double kA, kA1, kv;
    sn_genalpha_moved(s, x0, s->h, &kA, &kA1, &kv);
    for (int i = 0; i < m->nv; i++) {
        double cv = s->cv[i], ca = s->ca[i], cA = s->cA[i], jA = m->order_of[i] == 1 ? kA1 : kA;
        size_t at = (size_t)i * n;
        const double *restrict z = less + at, *restrict u = s->u + at, *restrict a = s->s + at;
        double *restrict y = s->y + at, *restrict q1 = d1->q + at, *restrict v1 = d1->v + at,
                         *restrict a1 = d1->a + at, *restrict A1 = d1->A + at;
        for (size_t j = 0; j < n; j++) {
            q1[j] = y[j] -= z[j];
            v1[j] = u[j] - cv * z[j];
            a1[j] = a[j] - ca * z[j];
            A1[j] -= cA * z[j];
        }
        if (!(s->o->error > 0)) continue; /* steps do not change: it is not used */
        for (size_t j = at; j < at + n; j++) d1->jump[j] = d1->A[j] - d0->A[j] - jA * d0->jump[j];
    }
    const double f = -1 / (s->h * s->h);
    map_nodes(s, 0, n, s->y, d1->q);
    for (size_t i = 0; i < (size_t)m->m * n; i++) d1->lam[i] = less[(size_t)m->nv * n + i] * f;
}

/* Pivots that let the error grow leave derivatives of reactions fewer digits than they should have. */
static const double grown = 100;

/* s->rhs <- S^-1 s->rhs, refined once where the pivots ask for it. */
static sn_status solve(genalpha *s, int columns)
{
    const sn_model *m = s->w->m;
    const double *Ax = s->ls->Ax;
    size_t n = (size_t)columns, all = (size_t)m->n * n;
    if (!(sn_linsol_growth(s->ls) > grown) || !Ax) return sn_linsol_solve_rows(s->ls, columns, s->rhs);
    double *left = s->left; /* the right-hand side, then what is left of it */
    memcpy(left, s->rhs, sizeof(double) * all);
    SN_TRY(sn_linsol_solve_rows(s->ls, columns, s->rhs));
    for (int j = 0; j < m->n; j++)
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++) {
            double *to = left + (size_t)m->Ai[p] * n;
            const double *from = s->rhs + (size_t)j * n;
            for (size_t k = 0; k < n; k++) to[k] -= Ax[p] * from[k];
        }
    SN_TRY(sn_linsol_solve_rows(s->ls, columns, left));
    for (size_t i = 0; i < all; i++) s->rhs[i] += left[i];
    return SN_OK;
}

sn_status sn_genalpha_forward(void *self, const sn_state *x0, const sn_state *x1, sn_touch *c,
                              const sn_dstate *d0, sn_dstate *d1, sn_err *err)
{
    genalpha *s = self;
    size_t columns = (size_t)d0->columns;
    SN_TRY(scratch(s, d0->columns, err));
    sn_touch_time(c, s->w, x1->t);
    make_maps(s);
    memcpy(s->y, d0->q, sizeof(double) * (size_t)s->w->m->nv * columns);
    map_nodes(s, 1, columns, d0->q, s->y);
    carry(s, x0, d0, d1);
    products(s, columns, s->rhs);
    SN_TRY(sn_system_dparam(s->w, x1, c, s->h * s->h, s->rhs, err));
    SN_TRY(solve(s, d0->columns));
    finish(s, x0, s->rhs, d0, d1);
    return SN_OK;
}

/* ---- adjoint ---- */

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
    return sn_genalpha_evaluate(s, x1, SN_GENALPHA_PARTS, err);
}

/* seeds of (dd, h^2 lam) and of y from those of the state after */
static void seed(const genalpha *s, const sn_dstate *b, const double *A, double *z, double *y)
{
    const sn_model *m = s->w->m;
    turning t;
    memcpy(y, b->q, sizeof(double) * (size_t)m->nv);
    for (int i = 0; !m->flat && i < m->n_node; i++)
        if (is_turning(s, i, &t)) multiply_transposed(t.n, t.T, b->q + t.from, y + t.from);
    for (int i = 0; i < m->nv; i++) z[i] = y[i] + (s->cv[i] * b->v[i] + s->ca[i] * b->a[i] + s->cA[i] * A[i]);
    for (int i = 0; i < m->m; i++) z[m->nv + i] = b->lam[i] / (s->h * s->h);
}

/* Seeds of y, u and s less what the rows take: [h^2 K'mu + B'nu; h^2 C'mu + G'nu; h^2 M'mu] */
static void subtract_transposed(const genalpha *s, const double *z, double *restrict y, double *restrict u,
                                double *restrict a)
{
    const sn_model *m = s->w->m;
    const double h2 = s->h * s->h;
    for (int j = 0; j < m->nv; j++) {
        double sy = 0, su = 0, sa = 0;
        for (int p = m->Ap[j]; p < m->Ap[j + 1]; p++) {
            double mu = z[m->Ai[p]] * (m->Ai[p] < m->nv ? h2 : 1);
            sy += s->K[p] * mu;
            su += s->C[p] * mu;
            sa += s->M[p] * mu;
        }
        y[j] -= sy;
        u[j] -= su;
        a[j] -= sa;
    }
}

sn_status sn_genalpha_adjoint(void *self, const sn_state *x0, const sn_state *x1, sn_touch *c,
                              const sn_dstate *b1, sn_dstate *b0, double *g, sn_err *err)
{
    genalpha *s = self;
    const sn_model *m = s->w->m;
    double kA, kA1, kv;
    turning t;
    SN_TRY(scratch(s, 1, err));
    SN_TRY(linearise(s, x0, x1, err));
    sn_touch_time(c, s->w, x1->t);
    double *w = s->rhs, *z = s->b, *u = s->u, *a = s->s, *y = s->y;
    /* the jump is A1 less the moved A0 */
    for (int i = 0; i < m->nv; i++) w[i] = b1->A[i] + b1->jump[i], u[i] = b1->v[i], a[i] = b1->a[i];
    make_maps(s);
    seed(s, b1, w, z, y);
    SN_TRY(sn_linsol_solve_refined(s->ls, 1, 1, z));
    subtract_transposed(s, z, y, u, a);
    for (int i = 0; i < m->n; i++) z[i] = -z[i];
    SN_TRY(sn_system_dparam_transposed(s->w, x1, c, s->h * s->h, z, g, err));
    sn_genalpha_moved(s, x0, s->h, &kA, &kA1, &kv);
    kept of[2] = {kept_of(s, 1), kept_of(s, 0)};
    for (int i = 0; i < m->nv; i++) {
        int first = m->order_of[i] == 1;
        const kept *k = &of[!first];
        double A0 = k->VA * u[i] + k->aA * a[i] + k->AA * w[i] - b1->jump[i];
        double v0 = k->Vv * u[i] + k->av * a[i] + k->Av * w[i];
        b0->A[i] = A0, b0->v[i] = v0, b0->a[i] = k->aa * a[i];
        b0->jump[i] = (first ? kA1 : kA) * A0 + (first ? 0 : kv) * v0;
        b0->q[i] = y[i];
    }
    memset(b0->lam, 0, sizeof(double) * (size_t)m->m);
    for (int i = 0; !m->flat && i < m->n_node; i++)
        if (is_turning(s, i, &t)) multiply_transposed(t.n, t.P, y + t.from, b0->q + t.from);
    return SN_OK;
}
