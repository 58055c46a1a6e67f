/* A simulation that one holds in the hand: made once, started, stepped, read. See sinew.h and sim.h. */
#include "analysis/sim.h"
#include "base/size.h"

#include <math.h>
#include <string.h>

/* ---- open and close ---- */

static sn_status allocate(sn_sim *s, const sn_model *m, const sn_values *p, sn_err *err)
{
    SN_TRY(sn_values_clone(p, &s->p, err));
    SN_TRY(sn_context_open(m, s->p, &s->o, &s->info, &s->d, err));
    SN_TRY(sn_state_new(m, s->cls->history, &s->next, err));
    return sn_state_new(m, s->cls->history, &s->between, err);
}

/* Where steps follow their error the last digits of a state may decide whether a step is repeated, and with
   it all that follow: however derivatives are found, states are solved in one way then. */
static void set_options(sn_sim *s, const sn_run_options *o)
{
    s->o = *o;
    if (o->error > 0 && o->exact) s->o.exact = SN_EXACT;
}

sn_status sn_sim_open(const sn_model *m, const sn_values *p, const sn_run_options *o, sn_sim **out,
                      sn_err *err)
{
    const sn_scheme *scheme;
    sn_sim *s;
    *out = NULL;
    SN_TRY(SN_OPTIONS_CHECK(sn_run_options, o, err));
    const sn_integrator_class *cls = sn_scheme_find(o->scheme, &scheme);
    if (!cls)
        return sn_fail(err, SN_ERR_INPUT, NULL, "unknown scheme '%s' ('sinew list schemes' shows all)",
                       o->scheme ? o->scheme : "");
    if (o->error > 0 && !cls->error)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "scheme '%s' does not estimate its error: steps cannot be chosen by it (error: 0)",
                       scheme->name);
    if (o->constraints != SN_CONSTRAINTS_MULTIPLIERS && !(cls->constraints >> o->constraints & 1))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "scheme '%s' meets equations in its own way (constraints: multipliers)", scheme->name);
    if (p->model != m) return sn_fail(err, SN_ERR_INPUT, NULL, "the values are those of another model");
    if (!(o->step > 0 && isfinite(o->step)) || !isfinite(o->begin))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "the step of a simulation must be positive, its begin a time");
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    s->cls = cls, s->scheme = scheme;
    set_options(s, o);
    sn_status status = allocate(s, m, p, err);
    if (status)
        sn_sim_close(s);
    else
        *out = s;
    return status;
}

static void close_integrator(sn_sim *s)
{
    sn_turning_close(&s->turning);
    if (s->integrator) s->cls->close(s->integrator);
    s->integrator = NULL;
}

void sn_sim_close(sn_sim *s)
{
    if (!s) return;
    if (s->respond.release) s->respond.release(s->respond.self);
    close_integrator(s);
    sn_state_free(s->next), sn_state_free(s->between), sn_state_free(s->kept);
    if (s->d.m) sn_context_close(&s->d);
    sn_values_free(s->p);
    sn_free(s);
}

static int same(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

sn_status sn_sim_renew(sn_sim *s, const sn_values *p, const sn_run_options *o, sn_err *err)
{
    if (!same(o->scheme, s->o.scheme) || !same(o->solver, s->o.solver))
        return sn_fail(err, SN_ERR_BUG, NULL, "a simulation cannot change its scheme or solver");
    if (p->model != s->d.m) return sn_fail(err, SN_ERR_INPUT, NULL, "the values are those of another model");
    s->stage = SN_SIM_NEW;
    set_options(s, o);
    sn_values_assign(s->p, p);
    return SN_OK;
}

/* ---- start ---- */

static sn_status prepare_step_size(sn_sim *s, sn_err *err)
{
    const sn_run_options *o = &s->o;
    sn_step_size *p = &s->step_size;
    *p = (sn_step_size){0};
    if (!(o->error > 0) || s->info.kinematic) return SN_OK;
    p->shortest = o->min_step > 0 ? o->min_step : 1e-6 * o->step;
    p->longest = o->max_step > 0 ? o->max_step : o->end > o->begin ? (o->end - o->begin) / 50 : INFINITY;
    if (p->longest < p->shortest)
        return sn_fail(err, SN_ERR_INPUT, NULL, "min_step, %g s, is larger than max_step, %g s", p->shortest,
                       p->longest);
    p->order = s->cls->order;
    p->h = fmin(fmax(o->step, p->shortest), p->longest);
    return SN_OK;
}

sn_status sn_sim_integrate(sn_sim *s, sn_err *err)
{
    const sn_integration in = {.w = s->d.w, .ls = s->d.ls, .scheme = s->scheme, .o = &s->o, .info = &s->info};
    if (s->integrator) s->cls->close(s->integrator);
    s->integrator = NULL;
    return sn_integrator_open(s->cls, &in, &s->integrator, err);
}

/* A run in which nothing will move is worth a word. */
static sn_status tell_locked(sn_context *d, sn_err *err)
{
    sn_lock lock;
    char text[600];
    if (!d->o->message) return SN_OK;
    SN_TRY(sn_find_locked(d, &lock, err));
    if (!lock.still) return SN_OK;
    sn_lock_text(&lock, text, sizeof text);
    sn_context_message(d, "%s", text);
    return SN_OK;
}

void sn_sim_restart(sn_sim *s) { sn_integrator_restart(s->cls, s->integrator, s->d.ls); }

sn_status sn_sim_prepare(sn_sim *s, sn_err *err)
{
    sn_context *d = &s->d;
    size_t bytes = sizeof(double) * (size_t)d->m->nq;
    s->stage = SN_SIM_NEW;
    close_integrator(s);
    s->info = (sn_info){0};
    s->taken = 0, s->reported = 0;
    if (s->used) SN_TRY(sn_context_renew(d, err));
    s->used = 1;
    memcpy(s->next->q, s->p->q0, bytes), memcpy(s->between->q, s->p->q0, bytes);
    SN_TRY(sn_start(d, err));
    SN_TRY(sn_sim_integrate(s, err));
    if (s->cls->begin) SN_TRY(s->cls->begin(s->integrator, d->x, err));
    if (s->cls->turn) SN_TRY(sn_turning_open(d->m, s->cls->turn(s->integrator), &s->turning, err));
    s->info.kinematic = sn_no_freedom(d);
    SN_TRY(tell_locked(d, err));
    SN_TRY(prepare_step_size(s, err));
    s->stage = SN_SIM_STARTED;
    return SN_OK;
}

/* ---- steps ---- */

sn_status sn_sim_one(sn_sim *s, double h, sn_err *err)
{
    SN_TRY(s->info.kinematic ? sn_kinematic_step(&s->d, s->d.x, h, s->next, err)
                             : s->cls->step(s->integrator, s->d.x, h, s->next, err));
    s->info.steps++;
    sn_system_turn_on(s->d.w, s->d.x, s->next);
    return s->follow ? s->follow->step(s->follow->ctx, s->d.x, s->next, err) : SN_OK;
}

/* What was tried from d.x does not count: the next attempt is made as if it were the first, so that the steps
   that do count can be made again without the others. */
static void forget(sn_sim *s)
{
    if (s->follow) s->follow->back(s->follow->ctx);
    if (s->o.exact) sn_sim_restart(s);
}

/* Whether a step failed because a number is not finite at its end: smaller steps would only pass it by. */
static int not_finite(const sn_context *d) { return sn_system_finite(d->w, 0, 0, NULL) != SN_OK; }

/* The whole step in equal parts, from `between`. */
static sn_status in_parts(sn_sim *s, double h, int parts, sn_err *err)
{
    for (int k = 0; k < parts; k++) {
        SN_TRY(sn_sim_one(s, h / parts, err));
        if (k < parts - 1) sn_sim_swap(s);
    }
    return SN_OK;
}

sn_status sn_sim_advance(sn_sim *s, double h, sn_err *err)
{
    sn_context *d = &s->d;
    int before = sn_err_count(err);
    sn_status status = sn_sim_one(s, h, err);
    if (status != SN_ERR_NUMERIC || not_finite(d)) return status;
    sn_report why = {.status = status, .text = "Newton's iteration does not converge"};
    if (before < sn_err_count(err) && before < SN_ERR_MAX) why = err->report[before];
    sn_err_forget(err, before);
    sn_state *start = s->between;
    sn_state_copy(d->m, d->x, start);
    d->info->reductions++;
    forget(s);
    for (int parts = 2; parts <= 1024; parts *= 2) {
        status = in_parts(s, h, parts, err);
        sn_state_copy(d->m, start, d->x); /* outputs lie between the ends of the whole step */
        if (!status) {
            if (s->reported++ < 5)
                sn_context_message(d, "the step at t = %.6g was divided into %d: %s", start->t, parts,
                                   why.text);
            s->next->t = start->t + h;
            return SN_OK;
        }
        if (status != SN_ERR_NUMERIC || not_finite(d)) return status;
        sn_err_forget(err, before);
        forget(s);
    }
    sn_fail(err, SN_ERR_NUMERIC, NULL, " ");
    if (err && before < SN_ERR_MAX) err->report[before] = why;
    sn_err_prefix(err, before, "no solution at t = %.6g, not even with steps of %.3g s", d->x->t, h / 1024);
    if (d->info->kinematic && !d->w->failed) SN_TRY(sn_locked(d, d->x->t + h, d->x->q, s->next, err));
    return SN_ERR_NUMERIC;
}

/* s->step_size knows the size of the next one. */
sn_status sn_sim_advance_controlled(sn_sim *s, double end, sn_err *err)
{
    sn_context *d = &s->d;
    const sn_run_options *o = &s->o;
    int before = sn_err_count(err);
    for (;;) {
        double left = end - d->x->t, h = s->step_size.h;
        h = left <= h * (1 + 1e-9) ? left : left < 2 * h ? left / 2 : h;
        int smallest = h <= s->step_size.shortest * (1 + 1e-9);
        sn_status status = s->cls->step(s->integrator, d->x, h, s->next, err);
        if (status == SN_ERR_NUMERIC && !smallest && !not_finite(d)) {
            sn_err_forget(err, before);
            d->info->reductions++;
            forget(s);
            sn_step_size_failed(&s->step_size, h);
            continue;
        }
        if (status) return status;
        s->info.steps++;
        if (s->follow) SN_TRY(s->follow->step(s->follow->ctx, d->x, s->next, err));
        sn_local_error local = s->cls->error(s->integrator);
        double e = local.now / o->error;
        if (e > 1 && !smallest) {
            if (s->cls->reject) s->cls->reject(s->integrator);
            forget(s);
            s->info.steps--;
            d->info->rejections++;
            sn_step_size_rejected(&s->step_size, h, e);
            continue;
        }
        if (e > 1 && !s->reported++)
            sn_context_message(
                d, "at t = %.6g the error is larger than asked for: %.3g with the smallest step %.3g s",
                d->x->t, e * o->error, h);
        sn_step_size_taken(&s->step_size, h, e, local.ahead / o->error, local.smooth);
        if (h == left) s->next->t = end;
        return SN_OK;
    }
}

sn_status sn_sim_accept(sn_sim *s, int last, sn_err *err)
{
    sn_context *d = &s->d;
    const sn_state *x = s->next;
    double h = x->t - d->x->t;
    if (sn_redundant_violated(d)) SN_TRY(sn_still_redundant(d, x, NULL, err));
    if ((s->taken & 3) == 3 || last) SN_TRY(sn_context_limits(d, x, 0, err));
    if (s->turning.round && !s->info.kinematic) SN_TRY(sn_turning_step(&s->turning, d, d->x, x, err));
    if (s->o.constraints != SN_CONSTRAINTS_MULTIPLIERS && !s->info.kinematic)
        s->info.violation = fmax(s->info.violation, sn_system_violation(d->w, x));
    s->info.t = x->t;
    s->info.shortest = s->info.shortest > 0 ? fmin(s->info.shortest, h) : h;
    s->info.longest = fmax(s->info.longest, h);
    if (s->follow) SN_TRY(s->follow->keep(s->follow->ctx, d->x, x, err));
    s->taken++;
    int repeatable = s->o.exact == SN_EXACT || s->o.exact == SN_EXACT_STATES;
    if (repeatable && s->taken % SN_SEGMENT == 0) sn_sim_restart(s);
    return SN_OK;
}

long sn_sim_steps(double length, double step)
{
    long steps = lround(length / step);
    if (fabs((double)steps * step - length) > 1e-6 * step) steps = (long)ceil(length / step);
    return steps < 1 ? 1 : steps;
}
