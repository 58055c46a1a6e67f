/* Derivatives along with a run: a follower that steps the derivatives of the state and hands those of the
   sensors to whoever wants them: objectives, samples at given times, frames of the output. */
#include "sensitivity/forward.h"

#include <string.h>

void sn_forward_free(sn_forward *f)
{
    sn_dstate_free(f->keep), sn_dstate_free(f->now), sn_dstate_free(f->spare), sn_dstate_free(f->mid);
    sn_state_free(f->between);
    sn_dstart_free(f->start);
    sn_parameter_chain_free(f->chain);
    sn_free(f->y), sn_free(f->dy);
}

static void set_time(sn_forward *f, double t)
{
    sn_system_time(f->d->w, t);
    if (f->np) sn_parameter_chain_time(f->chain, f->d->w, t);
}

/* Sensors and their derivatives at s between the states of the step just kept, from d0 and d1. */
static sn_status measure(sn_forward *f, const sn_state *x0, const sn_state *x1, double s, const sn_dstate *d0,
                         const sn_dstate *d1, sn_err *err)
{
    sn_context *d = f->d;
    const sn_state *x = x1;
    const sn_dstate *dx = d1;
    if (s < 1) {
        sn_state_between(d->m, x0, x1, s, f->between);
        if (f->np) sn_dstate_between(d->m, x0, x1, s, d0, d1, f->mid);
        x = f->between, dx = f->mid;
        set_time(f, x->t);
    }
    sn_status status = sn_system_sensors(d->w, x, f->y, err);
    if (!status && f->np) status = sn_system_dsensors(d->w, x, f->chain, dx, f->wanted, f->dy, err);
    if (s < 1) set_time(f, x1->t);
    return status;
}

static sn_status start_derivatives(sn_forward *f, sn_err *err)
{
    sn_context *d = f->d;
    SN_TRY(sn_parameter_chain_new(d->m, d->p, f->np, f->id, &f->chain, err));
    SN_TRY(sn_dstate_new(d->m, f->cls->history, f->np, &f->keep, err));
    SN_TRY(sn_dstate_new(d->m, f->cls->history, f->np, &f->now, err));
    SN_TRY(sn_dstate_new(d->m, f->cls->history, f->np, &f->spare, err));
    SN_TRY(sn_dstate_new(d->m, f->cls->history, f->np, &f->mid, err));
    SN_TRY(sn_dstart_new(d, f->chain, &f->start, err));
    f->fresh = 1;
    if (f->from_rest) return SN_OK;
    SN_TRY(f->begin ? f->begin(f->ctx, f, err) : sn_dstart_run(f->start, f->keep, err));
    if (f->cls->begin_forward) SN_TRY(f->cls->begin_forward(f->integrator, d->x, f->chain, f->keep, err));
    f->start_by_differences = d->start_by_differences;
    set_time(f, d->x->t);
    return SN_OK;
}

static sn_status start(void *ctx, sn_context *d, const sn_integrator_class *cls, void *integrator,
                       sn_err *err)
{
    sn_forward *f = ctx;
    size_t channels = (size_t)sn_channel_count(d->m) + 1;
    f->d = d, f->cls = cls, f->integrator = integrator;
    if (f->np && !cls->step_forward && !d->info->kinematic)
        return sn_scheme_no_derivatives(d->o->scheme, "forward", err);
    SN_TRY(sn_state_new(d->m, 0, &f->between, err));
    memcpy(f->between->q, d->p->q0, sizeof(double) * (size_t)d->m->nq);
    if (!SN_NEW(f->y, channels) || !SN_NEW(f->dy, channels * (size_t)(f->np + 1))) return SN_OUT_OF_MEM(err);
    if (f->np) SN_TRY(start_derivatives(f, err));
    if (!f->take) return SN_OK;
    /* the start itself is a step without length, and a sample */
    SN_TRY(measure(f, d->x, d->x, 1, NULL, f->keep, err));
    f->take(f->ctx, -1, d->x->t, 0, f->y, f->dy);
    while (f->at < f->n_times && f->times[f->at] <= d->x->t)
        f->take(f->ctx, f->at++, d->x->t, 0, f->y, f->dy);
    return SN_OK;
}
static sn_status step(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    sn_forward *f = ctx;
    sn_dstate *old = f->now;
    if (!f->np) return SN_OK;
    if (f->d->info->kinematic) {
        f->fresh = 0;
        return sn_dkinematic(f->start, x1, f->now, err);
    }
    if (f->fresh) {
        f->fresh = 0;
        return f->cls->step_forward(f->integrator, x0, x1, f->chain, f->keep, f->now, err);
    }
    SN_TRY(f->cls->step_forward(f->integrator, x0, x1, f->chain, f->now, f->spare, err));
    f->now = f->spare, f->spare = old;
    return SN_OK;
}

static void back(void *ctx) { ((sn_forward *)ctx)->fresh = 1; }

static sn_status keep(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    sn_forward *f = ctx;
    double h = x1->t - x0->t;
    for (double t; f->at < f->n_times && (t = f->times[f->at]) <= x1->t + 1e-9 * h; f->at++) {
        SN_TRY(measure(f, x0, x1, t < x1->t - 1e-9 * h ? (t - x0->t) / h : 1, f->keep, f->now, err));
        f->take(f->ctx, f->at, t, h, f->y, f->dy);
    }
    if (f->steps) {
        SN_TRY(measure(f, x0, x1, 1, f->keep, f->now, err));
        f->take(f->ctx, -1, x1->t, h, f->y, f->dy);
    }
    sn_dstate *old = f->keep;
    f->keep = f->now, f->now = old;
    f->fresh = 1;
    return SN_OK;
}

/* After keep the two have changed places: now is where the step began. */
static sn_status frame(void *ctx, const sn_state *x0, const sn_state *x1, double s, const sn_state *x,
                       const double **dy, sn_err *err)
{
    sn_forward *f = ctx;
    (void)x;
    SN_TRY(measure(f, x0, x1, x0 == x1 ? 1 : s, f->now, f->keep, err));
    if (s < 1 && x0 != x1) sn_system_time(f->d->w, x->t);
    *dy = f->dy;
    return SN_OK;
}

sn_follow sn_forward_follow(sn_forward *f)
{
    return (sn_follow){.start = start,
                       .step = step,
                       .back = back,
                       .keep = keep,
                       .frame = f->frames ? frame : NULL,
                       .ctx = f};
}
