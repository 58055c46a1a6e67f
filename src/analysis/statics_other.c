/* Other ways to an equilibrium, where load steps fail.

   Arc length: from the last load that was reached the path of equilibria is followed (path_curve.c), through
   limit points, until it has come to the whole load.

   Damped motion: under the whole load at once the model creeps from where it was written to rest,

       W dq/dt + r = 0,  phi = 0,     W alike for all lengths, angles at the size of the model

   by implicit steps [K + W/h, L; B 0] as long as they lead downhill and not too far: as the forces fall out
   they become Newton's (pseudo-transient continuation: Kelley and Keyes, SIAM J. Numer. Anal. 35, 1998). So
   it comes to an equilibrium that a slow motion would reach, not to all of them. */
#include "analysis/path.h"
#include "analysis/statics.h"

#include <math.h>
#include <string.h>

enum { ARC_MOST = 1000, CREEP_MOST = 600 };

static sn_status follow(sn_curve *c, sn_curve_point *x, sn_curve_point *y, sn_err *err)
{
    const double longest = 0.05, shortest = 1e-7;
    double h = longest / 4;
    int iterations;
    for (int k = 0; k < ARC_MOST; k++) {
        while (sn_curve_step(c, x, h, y, &iterations, NULL) ||
               (h > 1e-5 && sn_curve_dot(c, x->u, y->u) + x->us * y->us < 0.9)) {
            c->d->w->failed = NULL;
            h /= 2;
            if (h < shortest) return SN_ERR_NUMERIC;
        }
        if (y->s < -1) return SN_ERR_NUMERIC;
        if (y->s >= 1) {
            SN_TRY(sn_curve_step(c, x, h * (1 - x->s) / (y->s - x->s), y, &iterations, err));
            y->s = 1;
            return sn_curve_correct(c, NULL, 0, &y->s, &iterations, err);
        }
        sn_curve_point_copy(c->d->m, y, x);
        h = fmin(iterations <= 3 ? 1.5 * h : h, longest);
        if (c->d->o->progress && c->d->o->progress(c->d->o->ctx, fmin(fmax(x->s, 0), 1), 0))
            return sn_fail(err, SN_ERR_INTERRUPTED, NULL, "stopped at %.3g of the load", x->s);
    }
    return SN_ERR_NUMERIC;
}

sn_status sn_statics_arc(sn_context *d, const double *r0, double s, sn_err *err)
{
    sn_curve c;
    sn_curve_point x = {0}, y = {0};
    SN_TRY(sn_curve_open(d, NULL, NULL, &c, err));
    memcpy(c.f0, r0, sizeof(double) * (size_t)d->m->n);
    sn_status status = sn_curve_point_new(d->m, &x, err);
    if (!status) status = sn_curve_point_new(d->m, &y, err);
    if (!status) status = sn_curve_begin(&c, s, &x, NULL);
    if (!status) status = follow(&c, &x, &y, err);
    d->w->failed = NULL;
    sn_curve_point_free(&x), sn_curve_point_free(&y);
    sn_curve_close(&c);
    return status;
}

/* The largest force out of balance. */
static sn_status unbalanced(sn_context *d, const sn_coef *coef, double *left, sn_err *err)
{
    SN_TRY(sn_system_eval(d->w, d->x, coef, err));
    *left = 0;
    for (int i = 0; i < d->m->n; i++) *left = fmax(*left, fabs(d->w->f[i]) * d->w->scale[i]);
    return isfinite(*left) ? SN_OK : SN_ERR_NUMERIC;
}

/* One implicit step of the creeping motion with W/h = stiffness, into d->z; *far: how far it leads. Uphill:
   too long a step, SN_ERR_NUMERIC. */
static sn_status creep(sn_context *d, double stiffness, double *far)
{
    const sn_model *m = d->m;
    double work = 0;
    for (int i = 0; i < m->nv; i++) d->w->Ax[m->diag[i]] += stiffness / (d->w->scale[i] * d->w->scale[i]);
    SN_TRY(sn_linsol_factor(d->ls, d->w->Ax, NULL, NULL));
    for (int i = 0; i < m->n; i++) d->z[i] = -d->w->f[i];
    SN_TRY(sn_linsol_solve_refined(d->ls, 0, 1, d->z));
    *far = 0;
    for (int i = 0; i < m->nv; i++) {
        *far = fmax(*far, fabs(d->z[i]) / (d->p->length * d->w->scale[i]));
        work -= d->z[i] * d->w->f[i];
    }
    return isfinite(*far) && work >= 0 ? SN_OK : SN_ERR_NUMERIC;
}

sn_status sn_statics_creep(sn_context *d, sn_err *err)
{
    const sn_model *m = d->m;
    const sn_coef with_K = {d->one, d->zero, d->zero, d->one, 1};
    const double most = 0.05; /* of the model's size, in a step */
    double top = 0, left, first = 0, far, stiffness = 0;
    for (int it = 0; it < CREEP_MOST; it++) {
        SN_TRY(unbalanced(d, &with_K, &left, NULL));
        for (int i = 0; it == 0 && i < m->nv; i++)
            top = fmax(top, fabs(d->w->Ax[m->diag[i]]) * d->w->scale[i] * d->w->scale[i]);
        first = fmax(first, left);
        if (top == 0) top = first / d->p->length;
        if (stiffness == 0) stiffness = 1e-2 * top;
        for (int tries = 0;; tries++) {
            sn_status s = creep(d, stiffness, &far);
            if (!s && far <= 2 * most) break;
            if ((s && s != SN_ERR_NUMERIC) || tries == 40) return SN_ERR_NUMERIC;
            stiffness = fmax(4 * stiffness, 1e-12 * top);
            SN_TRY(unbalanced(d, &with_K, &left, NULL));
        }
        sn_system_retract(m, d->x->q, d->z, d->x->q);
        for (int i = 0; i < m->m; i++) d->x->lam[i] += d->z[m->nv + i];
        d->info->iterations++;
        /* at rest; a short step that is held back is no sign of it */
        if (left <= d->o->tolerance * first && far < 1e-6) return SN_OK;
        /* steps of about the same length, longer ones in time as the forces fall out */
        stiffness *= fmin(fmax(far / most, 0.1), 2);
        if (d->o->progress && d->o->progress(d->o->ctx, (double)it / CREEP_MOST, 0))
            return sn_fail(err, SN_ERR_INTERRUPTED, NULL, "stopped while the model was creeping to rest");
    }
    return SN_ERR_NUMERIC;
}
