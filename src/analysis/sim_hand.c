/* The simulation as programs use it (sinew.h): checks, steps to a time, attempts that may be taken back,
   inputs, outputs.

   An attempt begins with an integrator that has forgotten the steps before, so that it depends on the state
   that is kept and on the inputs alone: repeated it gives the same to the last bit. */
#include "analysis/sim.h"

#include <math.h>

/* ---- state of affairs ---- */

static sn_status is_started(const sn_sim *s, sn_err *err)
{
    return s->stage == SN_SIM_NEW
               ? sn_fail(err, SN_ERR_INPUT, NULL, "the simulation has no state: sn_sim_start comes first")
               : SN_OK;
}

sn_status sn_sim_is_kept(const sn_sim *s, sn_err *err)
{
    SN_TRY(is_started(s, err));
    return s->stage == SN_SIM_TRIED
               ? sn_fail(err, SN_ERR_INPUT, NULL,
                         "steps have been tried from t = %.6g s: keep or undo them first", s->kept->t)
               : SN_OK;
}

sn_status sn_sim_fresh(sn_sim *s, sn_err *err)
{
    s->taken = 0;
    s->d.w->failed = NULL;
    if (!(s->o.error > 0)) {
        sn_sim_restart(s);
        return SN_OK;
    }
    /* estimates of error look back to the steps before: with another integrator there are none */
    sn_linsol_forget(s->d.ls);
    sn_status status = sn_sim_integrate(s, err);
    if (status) s->stage = SN_SIM_NEW;
    return status;
}

/* ---- start ---- */

sn_status sn_sim_values(sn_sim *s, const sn_values *p, sn_err *err) { return sn_sim_renew(s, p, &s->o, err); }

sn_status sn_sim_start(sn_sim *s, sn_err *err)
{
    sn_err *e = err ? err : &s->own_err;
    sn_err_clear(&s->own_err);
    if (s->respond.release) s->respond.release(s->respond.self);
    s->respond = (sn_respond){0};
    s->follow = NULL;
    SN_TRY(sn_sim_prepare(s, e));
    s->info.t = s->d.x->t;
    s->info.solver = s->d.ls->cls->name;
    if (!s->kept) {
        sn_status status = sn_state_new(s->d.m, s->cls->history, &s->kept, e);
        if (status) s->stage = SN_SIM_NEW;
        SN_TRY(status);
    }
    if (s->o.exact) sn_sim_restart(s); /* no pivots of the start: steps are made again without */
    return SN_OK;
}

/* ---- steps ---- */

/* Equal steps, of the options' size where so many make up the way, else of a smaller one. */
static sn_status go_evenly(sn_sim *s, double t, sn_err *err)
{
    const double from = s->d.x->t, way = t - from;
    long steps = sn_sim_steps(way, s->o.step);
    double h = fabs((double)steps * s->o.step - way) <= 1e-6 * s->o.step ? s->o.step : way / (double)steps;
    for (long k = 0; k < steps; k++) {
        double end = k + 1 == steps ? t : from + (double)(k + 1) * h, left = end - s->d.x->t;
        /* a step that is off by rounding alone is none of another size */
        SN_TRY(sn_sim_advance(s, k + 1 < steps || fabs(left - h) <= 1e-9 * h ? h : left, err));
        s->next->t = end;
        SN_TRY(sn_sim_accept(s, k + 1 == steps, err));
        sn_sim_swap(s);
    }
    return SN_OK;
}

static sn_status go(sn_sim *s, double t, sn_err *err)
{
    s->d.w->failed = NULL;
    if (!(s->o.error > 0) || s->info.kinematic) return go_evenly(s, t, err);
    while (s->d.x->t < t) {
        SN_TRY(sn_sim_advance_controlled(s, t, err));
        SN_TRY(sn_sim_accept(s, s->next->t >= t, err));
        sn_sim_swap(s);
    }
    return SN_OK;
}

static sn_status check_time(const sn_sim *s, double from, double t, sn_err *err)
{
    if (!isfinite(t)) return sn_fail(err, SN_ERR_INPUT, NULL, "a step must lead to a time, not to %g", t);
    if (!(t > from))
        return sn_fail(err, SN_ERR_INPUT, NULL, "a simulation at t = %.9g s cannot step to %.9g s", from, t);
    if ((t - from) / s->o.step > 2e9)
        return sn_fail(err, SN_ERR_INPUT, NULL, "%g steps are too many", (t - from) / s->o.step);
    return SN_OK;
}

sn_status sn_sim_step(sn_sim *s, double t, sn_err *err)
{
    sn_err *e = err ? err : &s->own_err;
    sn_err_clear(&s->own_err);
    SN_TRY(sn_sim_is_kept(s, e));
    SN_TRY(check_time(s, s->d.x->t, t, e));
    return go(s, t, e);
}

/* Back to the state that is kept. */
static void back(sn_sim *s)
{
    sn_state_copy(s->d.m, s->kept, s->d.x);
    s->step_size = s->kept_step_size;
    s->info.t = s->d.x->t;
    s->stage = SN_SIM_STARTED;
}

sn_status sn_sim_try(sn_sim *s, double t, sn_err *err)
{
    sn_err *e = err ? err : &s->own_err;
    sn_err_clear(&s->own_err);
    SN_TRY(is_started(s, e));
    SN_TRY(check_time(s, s->stage == SN_SIM_TRIED ? s->kept->t : s->d.x->t, t, e));
    if (s->stage == SN_SIM_TRIED) back(s);
    sn_state_copy(s->d.m, s->d.x, s->kept);
    s->kept_step_size = s->step_size;
    SN_TRY(sn_sim_fresh(s, e));
    s->follow = s->respond.follow;
    sn_status status = SN_OK;
    if (s->follow) status = s->follow->start(s->follow->ctx, &s->d, s->cls, s->integrator, e);
    if (!status) status = go(s, t, e);
    s->follow = NULL;
    s->stage = SN_SIM_TRIED;
    if (status) {
        back(s);
        sn_status again = sn_sim_fresh(s, e);
        return again ? again : status;
    }
    return SN_OK;
}

sn_status sn_sim_keep(sn_sim *s, sn_err *err)
{
    if (s->stage != SN_SIM_TRIED)
        return sn_fail(err, SN_ERR_INPUT, NULL, "nothing was tried that could be kept");
    s->stage = SN_SIM_STARTED;
    return SN_OK;
}

sn_status sn_sim_undo(sn_sim *s, sn_err *err)
{
    if (s->stage != SN_SIM_TRIED)
        return sn_fail(err, SN_ERR_INPUT, NULL, "nothing was tried that could be undone");
    back(s);
    return sn_sim_fresh(s, err);
}

/* ---- inputs and outputs ---- */

sn_status sn_sim_input_of_order(const sn_sim *s, int input, int order, const sn_object **out, sn_err *err)
{
    const sn_object *o = *out = sn_input_object(s->d.m, input);
    if (!o)
        return sn_fail(err, SN_ERR_INPUT, NULL, "there is no input %d: the model has %d", input,
                       sn_input_count(s->d.m));
    int n = ((const sn_signal_class *)o->cls)->given;
    if (order < 0 || order >= n)
        return sn_fail(err, SN_ERR_INPUT, NULL, "input '%s' is of order 0 to %d, not %d", o->name, n - 1,
                       order);
    return SN_OK;
}

sn_status sn_sim_input(sn_sim *s, int input, int order, const double *c, sn_err *err)
{
    const sn_object *o;
    SN_TRY(is_started(s, err));
    SN_TRY(sn_sim_input_of_order(s, input, order, &o, err));
    int n = ((const sn_signal_class *)o->cls)->given;
    for (int k = 0; k <= order; k++)
        if (!isfinite(c[k])) return sn_fail(err, SN_ERR_INPUT, NULL, "input '%s' must be finite", o->name);
    double *x = s->d.w->x + o->s;
    for (int k = 0; k < n; k++) x[k] = k <= order ? c[k] : 0;
    x[n] = s->stage == SN_SIM_TRIED ? s->kept->t : s->d.x->t;
    return SN_OK;
}

sn_status sn_sim_read(sn_sim *s, sn_frame *frame, sn_err *err)
{
    sn_context *d = &s->d;
    const sn_state *x = d->x;
    SN_TRY(is_started(s, err));
    sn_system_time(d->w, x->t);
    SN_TRY(sn_redundant_multipliers_state(d, &x, err));
    SN_TRY(sn_system_sensors(d->w, x, d->y, err));
    *frame = (sn_frame){x->t, x->q, x->v, x->a, x->lam, d->y, NULL};
    return SN_OK;
}

const sn_info *sn_sim_info(const sn_sim *s) { return &s->info; }
