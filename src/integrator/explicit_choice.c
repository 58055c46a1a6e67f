/* Independent coordinates by QR decomposition of the equations' matrix with column pivoting. */
#include "integrator/explicit.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

int sn_explicit_choice_open(sn_explicit *s)
{
    const sn_model *m = s->w->m;
    const int rows = m->m, cols = m->nv;
    s->n_work = 3 * cols + 1 > 64 * (cols + 1) ? 3 * cols + 1 : 64 * (cols + 1);
    return SN_NEW(s->B, (size_t)rows * (size_t)cols + 1) &&
           SN_NEW(s->dense, (size_t)rows * (size_t)cols + 1) && SN_NEW(s->tau, cols + rows + 1) &&
           SN_NEW(s->work, s->n_work + 2 * rows) && SN_NEW(s->pivot, cols + 1);
}

/* s->B: the matrix of the equations by columns, rows and columns scaled: those at position level first.
   Returns its rows; *position: how many of them are at position level. */
static int scaled_equations(sn_explicit *s, int *position)
{
    const sn_work *w = s->w;
    const sn_model *m = w->m;
    int rows = 0, at = 0;
    for (int i = 0; i < m->m; i++) rows += !w->dropped[i];
    memset(s->B, 0, sizeof *s->B * (size_t)rows * (size_t)m->nv);
    double *row = s->work; /* of each equation */
    for (int level = 0; level < 2; level++) {
        for (int i = 0; i < m->m; i++)
            if (!w->dropped[i] && (m->velocity[i] != 0) == level) row[i] = (double)at++;
        if (level == 0) *position = at;
    }
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            const int i = m->Ai[k] - m->nv;
            if (i < 0 || w->dropped[i]) continue;
            s->B[(size_t)j * (size_t)rows + (size_t)row[i]] = w->scale[m->nv + i] * w->Ax[k] / s->size[j];
        }
    return rows;
}

/* Smallest singular value of the upper triangle R (n x n of ld rows), by inverse iteration; 0: singular. */
static double smallest(int n, int ld, const double *R, double *x)
{
    double size = 0;
    for (int i = 0; i < n; i++) x[i] = 1 + 0.1 * (i % 7);
    for (int it = 0; it < 8; it++) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += x[i] * x[i];
        for (int i = 0; i < n; i++) x[i] /= sqrt(sum);
        for (int i = 0; i < n; i++) {
            const double *col = R + (size_t)i * (size_t)ld;
            for (int k = 0; k < i; k++) x[i] -= col[k] * x[k];
            if (col[i] == 0) return 0;
            x[i] /= col[i];
        }
        size = 0;
        for (int i = 0; i < n; i++) size += x[i] * x[i];
        for (int i = n - 1; i >= 0; i--) {
            const double *col = R + (size_t)i * (size_t)ld;
            x[i] /= col[i];
            for (int k = 0; k < i; k++) x[k] -= col[k] * x[i];
        }
    }
    return 1 / sqrt(size);
}

/* QR with pivoting of the first `use` rows of the columns in `pivot`-th place marked 1 first, then others;
   n columns of s->dense. */
static int decompose(sn_explicit *s, int use, int rows, int n)
{
    return LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, use, n, s->dense, rows, s->pivot, s->tau, s->work,
                               s->n_work) == 0;
}

/* The smallest singular value of a new choice, marked in s->z as set would be; -1: rank is lacking. */
static double fresh(sn_explicit *s, int rows, int position)
{
    const int nv = s->w->m->nv;
    const size_t all = sizeof *s->B * (size_t)rows * (size_t)nv;
    double *mark = s->z;
    for (int i = 0; i < nv; i++) mark[i] = SN_INDEPENDENT, s->pivot[i] = 0;
    for (int level = position == rows; level < 2; level++) {
        const int use = level ? rows : position;
        if (!use) continue;
        memcpy(s->dense, s->B, all);
        if (level == 1 && position < rows)
            for (int i = 0; i < nv; i++) s->pivot[i] = mark[i] == SN_DEPENDENT;
        if (!decompose(s, use, rows, nv)) return -1;
        for (int k = 0; k < use; k++) {
            if (!(fabs(s->dense[(size_t)k * (size_t)(rows + 1)]) > 1e-13 * fabs(s->dense[0]))) return -1;
            double *to = &mark[s->pivot[k] - 1];
            if (*to == SN_INDEPENDENT) *to = level && k >= position ? SN_DEPENDENT_RATE : SN_DEPENDENT;
        }
    }
    return smallest(rows, rows, s->dense, s->tau);
}

/* Of the present choice. */
static double present(sn_explicit *s, const double *set, int rows)
{
    const int nv = s->w->m->nv;
    int n = 0;
    for (int j = 0; j < nv; j++)
        if (set[j] <= SN_DEPENDENT_RATE && n < rows)
            memcpy(s->dense + (size_t)n++ * (size_t)rows, s->B + (size_t)j * (size_t)rows,
                   sizeof *s->B * (size_t)rows);
    for (int k = 0; k < n; k++) s->pivot[k] = 0;
    if (n < rows || !decompose(s, rows, rows, n)) return 0;
    return smallest(rows, rows, s->dense, s->tau);
}

/* By how much dependent coordinates change with the independent ones, at most: the norm of B_dep^-1 B_ind, by
   the factors of the fit at hand. The smallest singular value of no choice is more than sqrt(1 + norm^2)
   times that of this one, since it is none of B itself. */
static double dependence(sn_explicit *s, const double *set)
{
    const sn_model *m = s->w->m;
    double *x = s->b, *z = s->z, norm = 0;
    int n = 0;
    for (int i = 0; i < m->nv; i++)
        if (set[i] > SN_DEPENDENT_RATE) x[i] = 1 + 0.1 * (i % 7), n++;
    for (int it = 0; it < 3 && it < n; it++) {
        double sum = 0, there = 0;
        for (int i = 0; i < m->nv; i++)
            if (set[i] > SN_DEPENDENT_RATE) sum += x[i] * x[i];
        memset(z, 0, sizeof *z * (size_t)m->n);
        for (int i = 0; i < m->nv && sum > 0; i++)
            if (set[i] > SN_DEPENDENT_RATE) z[i] = x[i] / sqrt(sum) / s->size[i];
        if (sn_linsol_solve(s->fit, 0, 1, z)) return INFINITY;
        for (int i = 0; i < m->nv; i++) {
            z[i] = set[i] > SN_DEPENDENT_RATE ? 0 : z[i] * s->size[i];
            there += z[i] * z[i];
            z[i] *= s->size[i];
        }
        norm = fmax(norm, sqrt(there));
        if (n == 1 || it == 2) break;
        memset(z + m->nv, 0, sizeof *z * (size_t)m->m);
        if (sn_linsol_solve(s->fit, 0, 1, z)) return INFINITY;
        for (int i = 0; i < m->nv; i++) x[i] = z[i] / s->size[i];
    }
    return isfinite(norm) ? norm : INFINITY;
}

static const double cheap = 1e5; /* flops of a decomposition that need not be saved */

sn_status sn_explicit_choose(sn_explicit *s, const sn_state *x, int first, double *set, sn_err *err)
{
    sn_work *w = s->w;
    const sn_model *m = w->m;
    const sn_coef coef = {s->zero, s->zero, s->zero, s->one, 1};
    double now = 0, limit = SN_INDEPENDENT;
    int position = 0;
    for (int i = 0; i < m->nv && (first || !m->m); i++) set[i] = SN_INDEPENDENT;
    if (!m->m) return SN_OK;
    if (!first) {
        for (int i = 0; i < m->nv; i++) limit = fmax(limit, set[i]);
        now = dependence(s, set);
        if (now < limit) return SN_OK;
    } else {
        if (!m->flat) sn_system_tangent_maps(w, s->zero);
        SN_TRY(sn_system_equations(w, x, &coef, err));
    }
    const int rows = scaled_equations(s, &position);
    if (!rows) return SN_OK;
    double best = fresh(s, rows, position);
    if (best < 0 && first)
        return sn_fail(err, SN_ERR_NUMERIC, NULL,
                       "scheme %s: the equations are dependent at t = %.6g, in a singular position",
                       s->scheme, x->t);
    if (first || (best > 0 && 2 * present(s, set, rows) < best)) {
        if (best < 0) return SN_OK;
        memcpy(set, s->z, sizeof *set * (size_t)m->nv);
        s->choices += !first;
        return SN_OK;
    }
    /* what is large need not be compared again until it has grown */
    double again = (double)rows * rows * m->nv > cheap && isfinite(now) ? 1.2 * now : SN_INDEPENDENT;
    for (int i = 0; i < m->nv; i++)
        if (set[i] > SN_DEPENDENT_RATE) set[i] = again;
    return SN_OK;
}
