/* Derivatives of the step of genalpha.c, forward and adjoint: of what was computed, not of the equations.

   With T, E of the increment d, S the matrix of Newton at the solution (rows h^2 r, phi; unknowns d, h^2
   lam), and e, u, w what the increment, v1 and A1 change by where a1 does not (of first order: where d does
   not):

       y = T^-1 E dq0 + e
       S [z; h^2 dlam] = -[ h^2 (K y + C u + dr/dp) ; B y + G u + dphi/dp ]
       dq1 = T (z + y),  dv1 = u + cv z,  da1 = ca z,  dA1 = w + cA z

   K and B have T in them, C and G count for velocity rows as they do in S. Seen from e nothing is lost by
   cancellation: z is what the acceleration alone makes of the increment, and the mass is in S only. With the
   increment less y as the unknown K would be too, but that loses 1/h of the digits of dv1.

   The adjoint reads the same from d = 0 backwards, S' [mu; nu] = seeds, with u, s, w what v1, a1, A1 keep
   there. Everything else is diagonal. */
#include "integrator/genalpha.h"
#include "math/rot3.h"
#include "math/simd.h"

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
    /* products take four numbers at a time */
    size_t n = (size_t)(m->n + 1) * (size_t)columns + 4, maps = 0;
    if (s->columns == columns) return SN_OK; /* of other widths the rows of the ground would not be zero */
    sn_free(s->y), sn_free(s->u), sn_free(s->s), sn_free(s->rhs), sn_free(s->left), sn_free(s->maps);
    s->columns = 0;
    s->y = s->u = s->s = s->rhs = s->left = s->maps = NULL;
    for (int i = 0; i < m->n_node; i++)
        if (s->w->T_at[i] >= 0) maps += 2 * (size_t)(m->node[i].nv * m->node[i].nv);
    if (!SN_NEW(s->y, n) || !SN_NEW(s->u, n) || !SN_NEW(s->s, n) || !SN_NEW(s->rhs, n) ||
        !SN_NEW(s->left, n) || !SN_NEW(s->maps, maps + 1))
        return SN_OUT_OF_MEM(err);
    if (s->soft) {
        sn_free(s->given);
        s->given = NULL;
        if (!SN_NEW(s->given, 2 * (size_t)s->w->m->n * (size_t)columns + 1)) return SN_OUT_OF_MEM(err);
    }
    s->columns = columns;
    return SN_OK;
}

/* ---- small matrices ---- */

enum { MAX = SN_MAX_CURVED };

/* X <- A^-1 X by cofactors: rotations in space */
static void solve3(const double *A, double *X)
{
    double I[9], f;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            I[3 * j + i] = A[3 * a + c] * A[3 * b + d] - A[3 * a + d] * A[3 * b + c];
        }
    f = 1 / (A[0] * I[0] + A[1] * I[3] + A[2] * I[6]);
    for (int j = 0; j < 3; j++) {
        double x = f * X[j], y = f * X[3 + j], z = f * X[6 + j];
        for (int i = 0; i < 3; i++) X[3 * i + j] = I[3 * i] * x + I[3 * i + 1] * y + I[3 * i + 2] * z;
    }
}

/* X <- A^-1 X for a small matrix near the identity, n columns. */
static void solve_small(int n, const double *given, double *X)
{
    if (n == 3) {
        solve3(given, X);
        return;
    }
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
    t->from = node->v + node->cls->turn, t->n = node->nv - node->cls->turn;
    t->T = s->maps + 2 * at, t->P = t->T + t->n * t->n;
    return 1;
}

/* y: the first n rows and columns of x, whose rows are ld long */
static void copy_square(int n, int ld, const double *x, double *y)
{
    for (int r = 0; n == 3 && r < 3; r++) /* rotations in space */
        for (int c = 0; c < 3; c++) y[3 * r + c] = x[r * ld + c];
    for (int r = 0; n != 3 && r < n; r++)
        for (int c = 0; c < n; c++) y[r * n + c] = x[r * ld + c];
}

/* T and P = T^-1 E, as in the matrix of the step. */
static void make_maps(genalpha *s)
{
    const sn_model *m = s->w->m;
    turning t;
    for (int i = 0; !m->flat && i < m->n_node; i++) {
        if (!is_turning(s, i, &t)) continue;
        const sn_node_class *cls = m->node[i].cls;
        int nv = m->node[i].nv, turn = cls->turn;
        const double *T = s->w->T + s->w->T_at[i], *E = s->w->E + s->w->T_at[i];
        copy_square(t.n, nv, T + turn * (nv + 1), t.T);
        copy_square(t.n, nv, E + turn * (nv + 1), t.P);
        solve_small(t.n, t.T, t.P);
    }
}

/* y <- A x, three rows of columns of both; they may be the same */
static SN_SIMD void multiply3(const double *A, size_t columns, const double *x, double *y)
{
    double B[9];
    size_t j = 0;
    memcpy(B, A, sizeof B);
    for (; j + 4 <= columns; j += 4, x += 4, y += 4) {
        const sn_quad a = *(const sn_quad *)x, b = *(const sn_quad *)(x + columns),
                      c = *(const sn_quad *)(x + 2 * columns);
        *(sn_quad *)y = B[0] * a + B[1] * b + B[2] * c;
        *(sn_quad *)(y + columns) = B[3] * a + B[4] * b + B[5] * c;
        *(sn_quad *)(y + 2 * columns) = B[6] * a + B[7] * b + B[8] * c;
    }
    for (; j < columns; j++, x++, y++) {
        const double a = x[0], b = x[columns], c = x[2 * columns];
        for (size_t i = 0; i < 3; i++) y[i * columns] = B[3 * i] * a + B[3 * i + 1] * b + B[3 * i + 2] * c;
    }
}

/* The same of n rows */
static void multiply_small(int n, const double *A, size_t columns, const double *x, double *y)
{
    double z[MAX];
    if (n == 3) {
        multiply3(A, columns, x, y);
        return;
    }
    for (size_t j = 0; j < columns; j++) {
        for (int i = 0; i < n; i++) {
            z[i] = 0;
            for (int k = 0; k < n; k++) z[i] += A[i * n + k] * x[(size_t)k * columns + j];
        }
        for (int i = 0; i < n; i++) y[(size_t)i * columns + j] = z[i];
    }
}

static void multiply_transposed(int n, const double *A, const double *x, double *y)
{
    if (n == 3) {
        sn_tmul3(A, x, y);
        return;
    }
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

/* y = T^-1 E dq0 */
static void pull(genalpha *s, size_t columns, const double *dq0)
{
    const sn_model *m = s->w->m;
    turning t;
    if (m->flat) {
        memcpy(s->y, dq0, sizeof *dq0 * (size_t)m->nv * columns);
        return;
    }
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *node = &m->node[i];
        size_t at = (size_t)node->v * columns;
        int flat = is_turning(s, i, &t) ? node->cls->turn : node->nv;
        if (!node->ground) memcpy(s->y + at, dq0 + at, sizeof *dq0 * (size_t)flat * columns);
    }
    map_nodes(s, 1, columns, dq0, s->y);
}

/* ---- forward ---- */

/* What A1, v1 and the increment change by with A0, a0 and v0 where a1 (of first order: d) does not change:
       w = wA A0 + wa a0,  u = uv v0 + uA A0 + uw w,  e = ev v0 + eA A0 + ew w */
typedef struct carried {
    double wA, wa, uv, uA, uw, ev, eA, ew;
} carried;

static carried carried_of(const genalpha *s, int first)
{
    const double *c = s->c, h = s->h;
    if (first) {
        kept k = kept_of(s, first);
        return (carried){.wA = k.AA, .uv = k.Vv, .uA = c[DM] / (1 - c[DF]), .uw = (1 - c[DM]) / (1 - c[DF])};
    }
    return (carried){.wA = -c[AM] / (1 - c[AM]),
                     .wa = c[AF] / (1 - c[AM]),
                     .uv = 1,
                     .uA = h * (1 - c[GAMMA]),
                     .uw = h * c[GAMMA],
                     .ev = h,
                     .eA = h * h * (0.5 - c[BETA]),
                     .ew = h * h * c[BETA]};
}

/* Coordinates of one order that follow each other: from i to end, n numbers of all columns from `at` on */
typedef struct run {
    int i, end, first; /* first: of first order */
    size_t at, n;
} run;

/* The run that begins with coordinate i */
static run run_from(const sn_model *m, int i, int columns)
{
    run r = {.i = i, .end = m->nv, .first = m->order_of[i] == 1};
    if (m->first_order)
        for (r.end = i; r.end < m->nv && m->order_of[r.end] == m->order_of[i];) r.end++;
    r.at = (size_t)i * (size_t)columns, r.n = (size_t)(r.end - i) * (size_t)columns;
    return r;
}

/* A of d1 <- w, y += e, and u */
static SN_SIMD void carry_run(genalpha *g, const run r, const carried *c, const sn_dstate *d0, sn_dstate *d1)
{
    const carried k = *c;
    const double *v0 = d0->v + r.at, *A0 = d0->own[OWN_A] + r.at, *a0 = d0->a + r.at;
    double *y = g->y + r.at, *u = g->u + r.at, *A = d1->own[OWN_A] + r.at;
    SN_SIMD_EACH
    for (size_t j = 0; j < r.n; j++) {
        double w = k.wA * A0[j] + k.wa * a0[j];
        A[j] = w;
        u[j] = k.uv * v0[j] + k.uA * A0[j] + k.uw * w;
        y[j] += k.ev * v0[j] + k.eA * A0[j] + k.ew * w;
    }
}

/* The same of what a change of the step adds to v0 and A0: jv and jA times the jump. */
static void add_moved(genalpha *g, const run r, const carried *k, double jA, double jv, const double *jump,
                      double *A)
{
    const double w = k->wA * jA, u = k->uv * jv + k->uA * jA + k->uw * w,
                 e = k->ev * jv + k->eA * jA + k->ew * w;
    for (size_t j = r.at; j < r.at + r.n && (jA != 0 || jv != 0); j++) {
        A[j] += w * jump[j];
        g->u[j] += u * jump[j];
        g->y[j] += e * jump[j];
    }
}

/* u, e (added to y) and (in A of d1) w from the state before. */
static void carry(genalpha *s, const sn_state *x0, const sn_dstate *d0, sn_dstate *d1)
{
    const sn_model *m = s->w->m;
    double kA, kA1, kv;
    sn_genalpha_moved(s, x0, s->h, &kA, &kA1, &kv);
    for (int i = 0; i < m->nv;) {
        const run r = run_from(m, i, d0->columns);
        const carried k = carried_of(s, r.first);
        carry_run(s, r, &k, d0, d1);
        add_moved(s, r, &k, r.first ? kA1 : kA, r.first ? 0 : kv, d0->own[OWN_JUMP], d1->own[OWN_A]);
        i = r.end;
    }
}

/* One run of the state after, q1 still without T. */
static SN_SIMD void finish_run(const genalpha *s, const run r, const double *less, sn_dstate *d1)
{
    const double cv = s->cv[r.i], ca = s->ca[r.i], cA = s->cA[r.i];
    const double *z = less + r.at, *u = s->u + r.at;
    const double *y = s->y + r.at;
    double *q1 = d1->q + r.at, *v1 = d1->v + r.at, *a1 = d1->a + r.at, *A1 = d1->own[OWN_A] + r.at;
    SN_SIMD_EACH
    for (size_t j = 0; j < r.n; j++) {
        q1[j] = y[j] - z[j];
        v1[j] = u[j] - cv * z[j];
        a1[j] = -ca * z[j];
        A1[j] -= cA * z[j];
    }
}

/* The state after, by -z. */
static void finish(const genalpha *s, const sn_state *x0, const double *less, const sn_dstate *d0,
                   sn_dstate *d1)
{
    const sn_model *m = s->w->m;
    const size_t columns = (size_t)d0->columns;
    const double *A0 = d0->own[OWN_A], *jump0 = d0->own[OWN_JUMP];
    double kA, kA1, kv, *A1 = d1->own[OWN_A], *jump1 = d1->own[OWN_JUMP];
    sn_genalpha_moved(s, x0, s->h, &kA, &kA1, &kv);
    for (int i = 0; i < m->nv;) {
        const run r = run_from(m, i, d0->columns);
        double jA = r.first ? kA1 : kA;
        finish_run(s, r, less, d1);
        i = r.end;
        if (!(s->o->error > 0)) continue; /* steps do not change: it is not used */
        for (size_t j = r.at; j < r.at + r.n; j++) jump1[j] = A1[j] - A0[j] - jA * jump0[j];
    }
    const double f = -1 / (s->h * s->h);
    map_nodes(s, 0, columns, d1->q, d1->q);
    for (size_t i = 0; i < (size_t)m->m * columns; i++) d1->lam[i] = less[(size_t)m->nv * columns + i] * f;
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

sn_status sn_genalpha_begin_forward(void *self, const sn_state *x, sn_parameter_chain *c, sn_dstate *d,
                                    sn_err *err)
{
    const sn_model *m = ((genalpha *)self)->w->m;
    size_t n = (size_t)d->columns;
    (void)x, (void)c, (void)err;
    for (int i = 0; i < m->nv; i++) {
        const double *from = m->order_of[i] == 1 ? d->v : d->a;
        memcpy(d->own[OWN_A] + (size_t)i * n, from + (size_t)i * n, sizeof *from * n);
        memset(d->own[OWN_JUMP] + (size_t)i * n, 0, sizeof *from * n);
    }
    return SN_OK;
}

/* Matrix, factors and blocks at x1 with tangents without their geometric part. */
static sn_status leave_out(genalpha *s, const sn_state *x1, sn_err *err)
{
    const int n = s->w->m->element.n;
    for (int i = 0; i < n; i++) s->w->element[i].material = 1;
    sn_status status = sn_genalpha_evaluate(s, x1, SN_GENALPHA_BLOCKS, err);
    for (int i = 0; i < n; i++) s->w->element[i].material = 0;
    return status;
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static sn_status forward(genalpha *s, const sn_state *x0, const sn_state *x1, sn_parameter_chain *c,
                         const sn_dstate *d0, sn_dstate *d1, sn_err *err)
{
    SN_TRY(scratch(s, d0->columns, err));
    if (s->o->tangent_only) SN_TRY(leave_out(s, x1, err));
    sn_parameter_chain_time(c, s->w, x1->t);
    make_maps(s);
    pull(s, (size_t)d0->columns, d0->q);
    carry(s, x0, d0, d1);
    sn_object_blocks_times(s->w, s->blocks, s->h * s->h, &(sn_changes){d0->columns, s->y, s->u}, s->rhs);
    SN_TRY(sn_system_dparam(s->w, x1, c, s->h * s->h, s->rhs, err));
    SN_TRY(sn_genalpha_follow(s, d0->columns,
                              s->soft ? largest(s->y, (size_t)s->w->m->nv * (size_t)d0->columns) : 0, s->rhs,
                              solve, err));
    finish(s, x0, s->rhs, d0, d1);
    if (s->o->tangent_only) s->factors = 0; /* they are none of the step's equations */
    return SN_OK;
}

sn_status sn_genalpha_forward(void *self, const sn_state *x0, const sn_state *x1, sn_parameter_chain *c,
                              const sn_dstate *d0, sn_dstate *d1, sn_err *err)
{
    sn_genalpha_all_equations(self);
    sn_status status = forward(self, x0, x1, c, d0, d1, err);
    sn_genalpha_own_equations(self);
    return status;
}

/* ---- adjoint ---- */

/* The matrix of the step at x1, its factors, C and M. */
static sn_status linearise(genalpha *s, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    const sn_model *m = s->w->m;
    sn_genalpha_set_step(s, x1->h);
    s->stiffer = 1;
    sn_system_time(s->w, x1->t);
    sn_system_difference(m, x0->q, x1->q, s->d);
    return sn_genalpha_evaluate(s, x1, SN_GENALPHA_BLOCKS, err);
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

/* u, s and w, and through them v0, A0 and a0; where the step's size changed, the jump through v0 and A0 */
static SN_SIMD void carry_back(const genalpha *s, const run r, double jA, double jv, sn_dstate *b)
{
    const kept k = kept_of(s, r.first);
    const double *u = s->u + r.at, *a = s->s + r.at, *w = s->rhs + r.at, *y = s->y + r.at;
    double *bA = b->own[OWN_A] + r.at, *bj = b->own[OWN_JUMP] + r.at, *bq = b->q + r.at, *bv = b->v + r.at,
           *ba = b->a + r.at;
    SN_SIMD_EACH
    for (size_t i = 0; i < r.n; i++) {
        double A0 = k.VA * u[i] + k.aA * a[i] + k.AA * w[i] - bj[i];
        double v0 = k.Vv * u[i] + k.av * a[i] + k.Av * w[i];
        bA[i] = A0, bv[i] = v0, ba[i] = k.aa * a[i];
        bj[i] = jA * A0 + jv * v0;
        bq[i] = y[i];
    }
}

/* s->b <- S'^-1 s->b */
static sn_status solve_transposed(genalpha *s, int columns)
{
    (void)columns;
    return sn_linsol_growth(s->ls) > grown ? sn_linsol_solve_refined(s->ls, 1, 1, s->b)
                                           : sn_linsol_solve(s->ls, 1, 1, s->b);
}

static sn_status adjoint(genalpha *s, const sn_state *x0, const sn_state *x1, sn_parameter_chain *c,
                         sn_dstate *b, double *g, sn_err *err)
{
    const sn_model *m = s->w->m;
    double kA, kA1, kv;
    turning t;
    SN_TRY(scratch(s, 1, err));
    SN_TRY(linearise(s, x0, x1, err));
    sn_parameter_chain_time(c, s->w, x1->t);
    double *w = s->rhs, *z = s->b, *u = s->u, *a = s->s, *y = s->y;
    double *bA = b->own[OWN_A], *bj = b->own[OWN_JUMP];
    /* the jump is A1 less the moved A0 */
    for (int i = 0; i < m->nv; i++) w[i] = bA[i] + bj[i], u[i] = b->v[i], a[i] = b->a[i];
    make_maps(s);
    seed(s, b, w, z, y);
    /* S' z = what is felt of (dd, h^2 lam) */
    SN_TRY(sn_genalpha_follow(s, 1, 0, z, solve_transposed, err));
    z[m->n] = 0; /* of the ground */
    /* seeds of y, u and s less what the rows take */
    sn_object_blocks_subtract_transposed(s->w, s->blocks, s->h * s->h, z, y, u, a);
    for (int i = 0; i < m->n; i++) z[i] = -z[i];
    SN_TRY(sn_system_dparam_transposed(s->w, x1, c, s->h * s->h, z, g, err));
    sn_genalpha_moved(s, x0, s->h, &kA, &kA1, &kv);
    for (int i = 0; i < m->nv;) {
        const run r = run_from(m, i, 1);
        carry_back(s, r, r.first ? kA1 : kA, r.first ? 0 : kv, b);
        i = r.end;
    }
    memset(b->lam, 0, sizeof(double) * (size_t)m->m);
    for (int i = 0; !m->flat && i < m->n_node; i++)
        if (is_turning(s, i, &t)) multiply_transposed(t.n, t.P, y + t.from, b->q + t.from);
    return SN_OK;
}

sn_status sn_genalpha_adjoint(void *self, const sn_state *x0, const sn_state *x1, sn_parameter_chain *c,
                              sn_dstate *b, double *g, sn_err *err)
{
    sn_genalpha_all_equations(self);
    sn_status status = adjoint(self, x0, x1, c, b, g, err);
    sn_genalpha_own_equations(self);
    return status;
}
