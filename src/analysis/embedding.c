/* Embedding: the equations of motion without multipliers, in independent coordinates z.

       B a = -gamma   =>   a = R z'' + a0,   R_i = I,  R_d = -B_d^-1 B_i,  a0_d = -B_d^-1 gamma
       R'M R z'' = -R'(r(q, v, 0, 0) + M a0)

   Dependent coordinates d are those of a QR decomposition of B with column pivoting, rows and columns scaled.
   Coordinates of first order have their rates in place of accelerations. R and R'M R are full, where all
   equations together are sparse: this is for small models and for checks. The accelerations are compared
   with those of [M B'; B 0] by sparse factors. */
#include "analysis/embedding.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { MOST = 2000 }; /* coordinates: matrices are dense */

typedef struct embedding {
    sn_context *d;
    sn_arena *arena;
    sn_embedded *out;
    int rows, n, *pivot, *eq; /* equations; independent coordinates; columns, dependent ones first; rows */
    double *B, *tau, *gamma, *unit;
    double *R, *a0, *M, *f, *a, *x;
} embedding;

static void *room(embedding *e, size_t n) { return sn_arena_alloc(e->arena, n + 1, sizeof(double)); }

/* Residual and matrix without accelerations and multipliers, and gamma. */
static sn_status evaluate(embedding *e, sn_err *err)
{
    sn_context *d = e->d;
    const sn_model *m = d->m;
    sn_state *x;
    SN_TRY(sn_state_new(m, 0, &x, err));
    sn_state_copy(m, d->x, x);
    for (int i = 0; i < m->nv; i++) {
        const int first = m->order_of[i] == 1;
        d->c[i] = first, d->a[i] = !first, x->a[i] = 0;
        if (first) x->v[i] = 0;
    }
    memset(x->lam, 0, sizeof *x->lam * (size_t)m->m);
    if (!m->flat) sn_system_tangent_maps(d->w, d->zero);
    const sn_coef coef = {d->zero, d->c, d->a, d->a, 1};
    sn_status s = sn_system_eval(d->w, x, &coef, err);
    if (!s) s = sn_system_rate(d->w, x, e->gamma + m->m, e->gamma, err);
    sn_state_free(x);
    return s;
}

static sn_status check(const embedding *e, sn_err *err)
{
    const sn_model *m = e->d->m;
    if (m->nv > MOST)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "%d coordinates are more than %d: matrices of independent coordinates are full", m->nv,
                       MOST);
    for (int j = 0; j < m->joint.n; j++) {
        const sn_object *o = &m->joint.object[j];
        if (e->d->w->joint_flags[j] & SN_REACTION_DIFFERS)
            return sn_fail(err, SN_ERR_INPUT, &o->mark,
                           "%s '%s': its friction depends on its own reaction, which independent coordinates "
                           "do not have",
                           *(const char *const *)o->cls, o->name);
    }
    return SN_OK;
}

/* Equations that follow from others are left out here, whatever the start has found. */
static sn_status choose(embedding *e, sn_err *err)
{
    const sn_work *w = e->d->w;
    const sn_model *m = e->d->m;
    int *column = sn_arena_alloc(e->arena, (size_t)m->m + 1, sizeof *column);
    if (!column) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < m->m; i++)
        if (!w->dropped[i]) column[i] = e->rows, e->eq[e->rows++] = i;
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            const int i = m->Ai[k] - m->nv;
            if (i >= 0 && !w->dropped[i])
                e->B[(size_t)j * (size_t)e->rows + (size_t)column[i]] =
                    w->scale[m->nv + i] * w->Ax[k] * e->unit[j];
        }
    e->n = m->nv - e->rows;
    for (int j = 0; j < m->nv; j++) e->pivot[j] = 0;
    if (e->rows && LAPACKE_dgeqp3(LAPACK_COL_MAJOR, e->rows, m->nv, e->B, e->rows, e->pivot, e->tau))
        return SN_OUT_OF_MEM(err);
    for (int j = 0; !e->rows && j < m->nv; j++) e->pivot[j] = j + 1;
    for (int k = 0; k < e->rows; k++)
        if (!(fabs(e->B[(size_t)k * (size_t)(e->rows + 1)]) > 1e-12 * fabs(e->B[0])))
            return sn_fail(
                err, SN_ERR_NUMERIC, NULL,
                "the equations are dependent here, in a singular position: there are no independent "
                "coordinates");
    return SN_OK;
}

/* R (nv x n) and a0 from the factors of B. */
static sn_status relate(embedding *e, sn_err *err)
{
    const sn_work *w = e->d->w;
    const sn_model *m = e->d->m;
    const int rows = e->rows, n = e->n, cols = n + 1;
    double *X = room(e, (size_t)rows * (size_t)cols);
    if (!X) return SN_OUT_OF_MEM(err);
    /* the last column: -Q' gamma, the others -R_12 */
    for (int k = 0; k < n; k++)
        for (int i = 0; i < rows; i++)
            X[(size_t)k * (size_t)rows + (size_t)i] = -e->B[(size_t)(rows + k) * (size_t)rows + (size_t)i];
    for (int i = 0; i < rows; i++)
        X[(size_t)n * (size_t)rows + (size_t)i] = -w->scale[m->nv + e->eq[i]] * e->gamma[e->eq[i]];
    if (rows && (LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', rows, 1, rows, e->B, rows, e->tau,
                                X + (size_t)n * (size_t)rows, rows) ||
                 LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', 'N', 'N', rows, cols, e->B, rows, X, rows)))
        return SN_OUT_OF_MEM(err);
    for (int i = 0; i < rows; i++) {
        const int at = e->pivot[i] - 1;
        for (int k = 0; k < n; k++)
            e->R[(size_t)at * (size_t)n + (size_t)k] =
                X[(size_t)k * (size_t)rows + (size_t)i] * e->unit[at] / e->unit[e->pivot[rows + k] - 1];
        e->a0[at] = X[(size_t)n * (size_t)rows + (size_t)i] * e->unit[at];
    }
    for (int k = 0; k < n; k++) e->R[(size_t)(e->pivot[rows + k] - 1) * (size_t)n + (size_t)k] = 1;
    return SN_OK;
}

/* y (nv) += M x, of a column of X with `step` numbers a row */
static void add_mass(const embedding *e, const double *x, int step, double *y)
{
    const sn_model *m = e->d->m;
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++)
            if (m->Ai[k] < m->nv) y[m->Ai[k]] += e->d->w->Ax[k] * x[(size_t)j * (size_t)step];
}

/* R'M R z'' = f */
static sn_status solve(embedding *e, sn_err *err)
{
    const sn_work *w = e->d->w;
    const sn_model *m = e->d->m;
    const int n = e->n;
    double *A = room(e, (size_t)n * (size_t)n), *z = room(e, (size_t)n);
    int *swaps = sn_arena_alloc(e->arena, (size_t)n + 1, sizeof *swaps);
    if (!A || !z || !swaps) return SN_OUT_OF_MEM(err);
    for (int k = 0; k <= n; k++) { /* the last one: M a0 + r */
        memset(e->x, 0, sizeof *e->x * (size_t)m->nv);
        for (int j = 0; k == n && j < m->nv; j++) e->x[j] = w->f[j];
        if (k < n)
            add_mass(e, e->R + k, n, e->x);
        else
            add_mass(e, e->a0, 1, e->x);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < m->nv; j++) sum += e->R[(size_t)j * (size_t)n + (size_t)i] * e->x[j];
            if (k < n)
                e->M[(size_t)i * (size_t)n + (size_t)k] = sum;
            else
                e->f[i] = z[i] = -sum;
        }
    }
    memcpy(A, e->M, sizeof *A * (size_t)n * (size_t)n);
    int bad = n ? LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 1, A, n, swaps, z, 1) : 0;
    if (bad > 0) {
        char name[160];
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "the mass matrix of the independent coordinates is singular: %s has no mass",
                       sn_coord_name(m, e->pivot[e->rows + bad - 1] - 1, name, sizeof name));
    }
    if (bad) return SN_OUT_OF_MEM(err);
    for (int j = 0; j < m->nv; j++) {
        e->a[j] = e->a0[j];
        for (int k = 0; k < n; k++) e->a[j] += e->R[(size_t)j * (size_t)n + (size_t)k] * z[k];
    }
    return SN_OK;
}

/* Accelerations of all equations, by sparse factors: by how much those at hand are off, relative to the
   largest. */
static sn_status compare(embedding *e, sn_err *err)
{
    sn_context *d = e->d;
    const sn_model *m = d->m;
    double most = 0, off = 0;
    int column;
    if (sn_linsol_factor(d->ls, d->w->Ax, &column, NULL))
        return sn_fail(err, SN_ERR_NUMERIC, NULL, "the accelerations are not determined");
    for (int i = 0; i < m->nv; i++) d->z[i] = -d->w->f[i];
    for (int i = 0; i < m->m; i++) d->z[m->nv + i] = d->w->dropped[i] ? 0 : -e->gamma[i];
    SN_TRY(sn_linsol_solve_refined(d->ls, 0, 1, d->z));
    for (int i = 0; i < m->nv; i++) {
        /* in steady motion there may be none: what there would be without equations counts as well */
        const double mass = d->w->Ax[m->diag[i]];
        if (mass > 0) most = fmax(most, fabs(d->w->f[i]) / mass / e->unit[i]);
        most = fmax(most, fabs(d->z[i]) / e->unit[i]);
        off = fmax(off, fabs(d->z[i] - e->a[i]) / e->unit[i]);
    }
    e->out->off = most > 0 ? off / most : 0;
    return SN_OK;
}

sn_status sn_embed(sn_context *d, sn_arena *arena, sn_embedded *out, sn_err *err)
{
    const sn_model *m = d->m;
    const size_t nv = (size_t)m->nv, rows = (size_t)m->m;
    embedding e = {.d = d, .arena = arena, .out = out};
    SN_TRY(check(&e, err));
    e.eq = sn_arena_alloc(arena, rows + 1, sizeof *e.eq),
    e.pivot = sn_arena_alloc(arena, nv + 1, sizeof *e.pivot);
    e.B = room(&e, rows * nv), e.tau = room(&e, nv), e.gamma = room(&e, 2 * rows), e.unit = room(&e, nv);
    e.x = room(&e, nv), e.a0 = room(&e, nv), e.a = room(&e, nv);
    if (!e.eq || !e.pivot || !e.B || !e.tau || !e.gamma || !e.unit || !e.x || !e.a0 || !e.a)
        return SN_OUT_OF_MEM(err);
    for (int i = 0; i < m->nv; i++) e.unit[i] = m->order_of[i] == 1 ? 1 : d->p->length * d->w->scale[i];
    SN_TRY(evaluate(&e, err));
    SN_TRY(choose(&e, err));
    const size_t n = (size_t)e.n;
    e.R = room(&e, nv * n), e.M = room(&e, n * n), e.f = room(&e, n);
    if (!e.R || !e.M || !e.f) return SN_OUT_OF_MEM(err);
    SN_TRY(relate(&e, err));
    SN_TRY(solve(&e, err));
    SN_TRY(compare(&e, err));
    for (int k = 0; k < e.n; k++) e.pivot[k] = e.pivot[e.rows + k] - 1;
    *out = (sn_embedded){e.n, e.pivot, e.R, e.a0, e.M, e.f, e.a, out->off};
    return SN_OK;
}
