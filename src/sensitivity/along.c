/* Derivatives along a parameter: see along.h. */
#include "sensitivity/along.h"
#include "sensitivity/dstart.h"
#include "sensitivity/stencil.h"

#include <math.h>
#include <string.h>

sn_status sn_along_open(sn_along *a, sn_where at, int np, const int *id, sn_err *err)
{
    sn_context *d = a->d;
    sn_dstart *start = NULL;
    a->id = id, a->at = at;
    SN_TRY(sn_parameter_chain_new(d->m, d->p, np, id, &a->chain, err));
    sn_parameter_chain_time(a->chain, d->w, d->x->t);
    SN_TRY(sn_state_new(d->m, 0, &a->x, err));
    SN_TRY(sn_dstate_new(d->m, 0, np, &a->dx, err));
    if (!SN_NEW(a->row, a->n + 1) || !SN_NEW(a->low, a->n + 1) || !SN_NEW(a->top, a->n + 1) ||
        !SN_NEW(a->best, a->n + 1))
        return SN_OUT_OF_MEM(err);
    if (at == SN_AT_STEADY) return SN_OK;
    sn_status status = sn_dstart_new(d, a->chain, &start, err);
    if (!status)
        status = at == SN_AT_STATIC ? sn_dstatic(start, a->dx, err) : sn_dstart_run(start, a->dx, err);
    sn_dstart_free(start);
    return status;
}

void sn_along_close(sn_along *a)
{
    sn_dstate_free(a->dx), sn_state_free(a->x), sn_parameter_chain_free(a->chain);
    sn_free(a->row), sn_free(a->low), sn_free(a->top), sn_free(a->best);
}

/* The state, moved by f of its derivative by parameter k. */
static void moved(const sn_along *a, int k, double f)
{
    const sn_context *d = a->d;
    const sn_model *m = d->m;
    const sn_dstate *dx = a->dx;
    size_t np = (size_t)dx->columns, c = (size_t)k;
    const sn_state *x = d->x;
    sn_state *to = a->x;
    for (int i = 0; i < m->nv; i++) {
        size_t at = (size_t)i * np + c;
        d->z[i] = f * dx->q[at];
        to->v[i] = x->v[i] + f * dx->v[at], to->a[i] = x->a[i] + f * dx->a[at];
    }
    for (int i = 0; i < m->m; i++) to->lam[i] = x->lam[i] + f * dx->lam[(size_t)i * np + c];
    sn_system_retract(m, x->q, d->z, to->q);
    to->t = x->t;
}

/* The steady motion with other values. */
static sn_status steady(const sn_along *a, const sn_values *p, sn_err *err)
{
    sn_context own;
    sn_info info = {0};
    SN_TRY(sn_context_open(a->d->m, p, a->d->o, &info, &own, err));
    if (!own.m->flat) sn_system_tangent_maps(own.w, own.zero);
    sn_status status = sn_operating_point(&own, SN_AT_STEADY, -1, err);
    if (!status) sn_state_copy(own.m, own.x, a->x);
    sn_context_close(&own);
    return status;
}

/* One point: the values are set. */
static sn_status point(sn_along *a, const sn_values *p, int k, double f, sn_err *err)
{
    const sn_context *d = a->d;
    const sn_model *m = d->m;
    sn_work *w = NULL;
    if (a->at == SN_AT_STEADY) SN_TRY(steady(a, p, err));
    SN_TRY(sn_work_new(m, p, &w, err));
    memcpy(w->dropped, d->w->dropped, (size_t)m->m);
    w->n_dropped = d->w->n_dropped;
    sn_system_time(w, d->x->t);
    if (!m->flat) sn_system_tangent_maps(w, d->zero);
    if (a->at != SN_AT_STEADY) {
        memcpy(a->x->q, p->q0, sizeof(double) * (size_t)m->nq); /* the ground's too */
        moved(a, k, f);
    }
    memset(a->row, 0, sizeof *a->row * a->n);
    sn_status status = a->fill(a->ctx, w, a->x, a->row, err);
    sn_work_free(w);
    return status;
}

/* Part of the number (or of what it may be where it is 0) that is the first step; how much smaller others
   are; how many are tried; what the two orders may differ by. */
#define FIRST 3e-3
#define FINER 8
#define GOOD  1e-7
enum { TRIES = 6 };

/* Differences with step h. *off: how far those of fourth order are from them, of each number relative to its
   change, or to itself where it hardly changes. */
static sn_status differences(sn_along *a, int k, sn_values *p, double h, double *out, double *off,
                             sn_err *err)
{
    const int id = a->id[k];
    const double was = a->d->p->x[id];
    const size_t row = sizeof *out * a->n;
    memset(out, 0, row), memset(a->low, 0, row), memset(a->top, 0, row);
    for (int j = -3; j <= 3; j++) {
        if (j == 0) continue;
        p->x[id] = was + j * h, p->fixed[id] = 1;
        SN_TRY(sn_values_update_beyond(p, err));
        SN_TRY(point(a, p, k, j * h, err));
        int at = j > 0 ? j - 1 : -j - 1;
        double f = (j > 0 ? 1 : -1) * sn_stencil[at] / h, g = (j > 0 ? 1 : -1) * sn_stencil_4[at] / h;
        for (size_t i = 0; i < a->n; i++) {
            out[i] += f * a->row[i], a->low[i] += g * a->row[i];
            a->top[i] = fmax(a->top[i], fabs(a->row[i]));
        }
    }
    *off = 0;
    for (size_t i = 0; i < a->n; i++) {
        double size = fabs(out[i]) + 1e-3 * FIRST * a->top[i] / h;
        if (size > 0) *off = fmax(*off, fabs(out[i] - a->low[i]) / size);
    }
    return SN_OK;
}

sn_status sn_along_parameter(sn_along *a, int k, double *out, sn_err *err)
{
    const sn_context *d = a->d;
    const double x = fmax(fabs(d->p->x[a->id[k]]), a->size);
    double h = FIRST * (x > 0 ? x : 1), off = INFINITY, least = INFINITY;
    sn_values *p = NULL;
    sn_status status = sn_values_copy(d->p, &p, err);
    for (int try = 0; try < TRIES && !status && least > GOOD; try++, h /= FINER) {
        status = differences(a, k, p, h, a->best, &off, err);
        /* where smaller steps do not help it is rounding */
        if (!status && !(off < least / 16)) break;
        if (!status) memcpy(out, a->best, sizeof *out * a->n), least = off;
    }
    sn_values_free(p);
    return status;
}
