/* Models without freedom: structures and driven mechanisms have none by intention; others are mechanisms that
   numbers with few digits lock.

   In a loop that could move, an equation follows from the others: B has a singular value of zero. Where the
   loop is written with rounded numbers it is small instead, of the size of the rounding, and the loop stands
   still. The right singular vector is the motion that it would have; B times it is how far the joints would
   open, per unit of motion. */
#include "analysis/analysis.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#undef I

/* Singular values below this share of the largest are taken for rounding of what was written: four digits. */
static const double suspicious = 1e-4;
enum { DENSE_MOST = 1500 };

static int is_driven(const sn_model *m)
{
    for (int i = 0; i < m->joint.n; i++)
        for (int k = 0; k < m->joint.object[i].ns; k++)
            if (m->quantity[m->joint.object[i].s + k].varies) return 1;
    return 0;
}

/* B of the equations that count, in lengths a length: rows m, columns nv. */
static void fill(const sn_context *d, double *B)
{
    const sn_model *m = d->m;
    for (int j = 0; j < m->nv; j++)
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++) {
            int i = m->Ai[k] - m->nv;
            if (i >= 0 && !d->w->dropped[i])
                B[(size_t)j * (size_t)m->m + (size_t)i] =
                    d->w->Ax[k] * d->w->scale[m->nv + i] * d->w->scale[j];
        }
}

/* The smallest singular value of the r equations that count, relative to the largest; x (nv): the motion. */
static sn_status smallest(const sn_context *d, int r, double *relative, double *x, sn_err *err)
{
    const sn_model *m = d->m;
    int most = m->m > m->nv ? m->m : m->nv, least = m->m < m->nv ? m->m : m->nv;
    size_t nv = (size_t)m->nv;
    double *B, *s = NULL, *V = NULL, *spare = NULL, unused[1];
    sn_status status = SN_NEW(B, (size_t)m->m * nv + 1) && SN_NEW(s, least + 1) && SN_NEW(V, nv * nv + 1) &&
                               SN_NEW(spare, most + 1)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    *relative = 1;
    if (!status) fill(d, B);
    if (!status && LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', m->m, m->nv, B, m->m, s, unused, 1, V, m->nv,
                                  spare) == 0) {
        *relative = s[r - 1] / s[0];
        for (size_t i = 0; i < nv; i++) x[i] = V[i * nv + (size_t)r - 1] * d->w->scale[i];
    }
    sn_free(B), sn_free(s), sn_free(V), sn_free(spare);
    return status;
}

/* The joint that the motion x opens most, and by how much of a length where the model moves by its own size.
 */
static double opens(const sn_context *d, const double *x, char *name, size_t size)
{
    const sn_model *m = d->m;
    double top = 0, *gap = d->rate;
    int at = 0;
    memset(gap, 0, sizeof *gap * (size_t)m->m);
    for (int j = 0; j < m->nv; j++) {
        top = fmax(top, fabs(x[j]) / (d->p->length * d->w->scale[j]));
        for (int k = m->Ap[j]; k < m->Ap[j + 1]; k++)
            if (m->Ai[k] >= m->nv && !d->w->dropped[m->Ai[k] - m->nv])
                gap[m->Ai[k] - m->nv] += d->w->Ax[k] * x[j];
    }
    for (int i = 0; i < m->m; i++) {
        gap[i] = fabs(gap[i]) * d->w->scale[m->nv + i];
        if (gap[i] > gap[at]) at = i;
    }
    sn_equation_name(m, at, name, size);
    return top > 0 ? gap[at] / top : 0;
}

sn_status sn_find_locked(sn_context *d, sn_lock *lock, sn_err *err)
{
    const sn_model *m = d->m;
    const sn_coef with_M = {d->zero, d->zero, d->one, d->one, 1};
    double *x;
    *lock = (sn_lock){0};
    if (!sn_no_freedom(d) || is_driven(m)) return SN_OK;
    lock->still = 1;
    if (m->nv > DENSE_MOST) return SN_OK;
    SN_TRY(sn_system_eval(d->w, d->x, &with_M, err));
    if (!SN_NEW(x, m->nv + 1)) return SN_OUT_OF_MEM(err);
    sn_status s = smallest(d, m->m - d->w->n_dropped, &lock->relative, x, err);
    lock->rounded = !s && lock->relative < suspicious;
    if (lock->rounded) lock->gap = opens(d, x, lock->equation, sizeof lock->equation);
    sn_free(x);
    return s;
}

void sn_lock_text(const sn_lock *lock, char *out, size_t size)
{
    if (!lock->rounded)
        snprintf(out, size,
                 "nothing can move: the equations leave no degree of freedom and nothing drives the model");
    else
        snprintf(
            out, size,
            "nothing can move: the equations leave no degree of freedom and nothing drives the model, but "
            "one equation nearly follows "
            "from the others (up to %.1g): a mechanism locked by rounded numbers. Its loop misses closing "
            "by %.2g m for a radian of motion, most at %s: write its joints with more digits, or as "
            "formulas, until it closes to 1e-9; or free one joint of the loop (spherical for revolute, a "
            "bushing)",
            lock->relative, lock->gap, lock->equation);
}
