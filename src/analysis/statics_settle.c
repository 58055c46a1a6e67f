/* Newton's method and thin members.

   Where rotations move far, their ends move along tangents instead of arcs: a thin member is stretched, by
   the square of the turn times its axial stiffness, and the next step is led astray by forces that are none
   of the load's. So after a far step the flat coordinates settle between the rotations as they are: one more
   step with these held. For given rotations most members are linear in them. */
#include "analysis/statics.h"

#include <math.h>
#include <string.h>

/* A stiffness that holds a rotation, relative to that of its own row */
#define HOLD 1e6

/* Steps at most, and how small forces shall be by them */
enum { STEPS = 4 };
static const double ENOUGH = 1e-2;

int sn_statics_settles(const sn_model *m)
{
    int angles = 0;
    for (int i = 0; i < m->nv; i++) angles += sn_coord_is_angle(m, i);
    return angles > 0 && angles < m->nv;
}

/* One step; 0 in *good: it is far, or nothing but rotations holds */
static sn_status settle(sn_tangent *t, const double *r0, double s, int *good, sn_err *err)
{
    sn_context *d = t->d;
    const sn_model *m = d->m;
    int column = -1;
    double change = 0;
    *good = 0;
    memcpy(t->Ax, d->w->Ax, sizeof *t->Ax * (size_t)m->nnz);
    sn_tangent_weigh(t);
    for (int i = 0; i < m->nv; i++)
        if (sn_coord_is_angle(m, i)) d->w->Ax[m->diag[i]] += HOLD * t->weight[i];
    sn_status status = sn_linsol_factor(d->ls, d->w->Ax, &column, err);
    d->info->factorisations++;
    d->info->iterations++;
    for (int i = 0; i < m->n; i++) d->z[i] = -(d->w->f[i] - (1 - s) * r0[i]);
    if (!status) status = sn_linsol_solve_refined(d->ls, 0, 1, d->z);
    if (status) {
        d->w->failed = NULL;
        return status == SN_ERR_NUMERIC ? SN_OK : status;
    }
    for (int i = 0; i < m->nv; i++) change = fmax(change, fabs(d->z[i]) / (d->p->length * d->w->scale[i]));
    if (!isfinite(change) || change > 0.5) return SN_OK;
    sn_system_retract(m, d->x->q, d->z, d->x->q);
    for (int i = 0; i < m->m; i++) d->x->lam[i] += d->z[m->nv + i];
    *good = 1;
    return SN_OK;
}

sn_status sn_statics_settle(sn_tangent *t, const double *r0, double s, sn_err *err)
{
    sn_context *d = t->d;
    const sn_model *m = d->m;
    const sn_coef coef = {d->one, d->zero, d->zero, d->one, 1};
    double first = 0;
    for (int k = 0, good = 1; good && k < STEPS; k++) {
        double top = 0;
        SN_TRY(sn_system_eval(d->w, d->x, &coef, err));
        for (int i = 0; i < m->nv; i++)
            if (!sn_coord_is_angle(m, i)) top = fmax(top, fabs(d->w->f[i] - (1 - s) * r0[i]));
        if (top <= ENOUGH * first) break;
        first = fmax(first, top);
        SN_TRY(settle(t, r0, s, &good, NULL));
    }
    return SN_OK;
}
