/* Time runs of a simulation: start, steps to the end, outputs on their own grid, single numbers asked for. */
#include "analysis/conserved.h"
#include "analysis/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void sn_run_options_fill(const sn_model *m, const sn_values *p, size_t size, sn_run_options *out)
{
    memset(out, 0, size);
    out->size = size;
    if (size != sizeof *out) return; /* refused where they are used */
    const double *x = p->x + m->run.first;
    sn_run_options o = {.size = size,
                        .begin = x[SN_RUN_BEGIN],
                        .end = x[SN_RUN_END],
                        .step = x[SN_RUN_STEP],
                        .output = x[SN_RUN_OUTPUT],
                        .tolerance = x[SN_RUN_TOLERANCE]};
    o.max_iterations = (int)x[SN_RUN_ITERATIONS];
    o.error = x[SN_RUN_ERROR], o.min_step = x[SN_RUN_MIN_STEP], o.max_step = x[SN_RUN_MAX_STEP];
    o.scheme = m->run.scheme, o.solver = m->run.solver;
    o.start_static = !strcmp(m->run.start, "static");
    o.drop_redundant = !strcmp(m->run.redundant, "drop")    ? SN_REDUNDANT_DROP
                       : !strcmp(m->run.redundant, "share") ? SN_REDUNDANT_SHARE
                                                            : SN_REDUNDANT_ERROR;
    o.constraints = !strcmp(m->run.constraints, "penalty")     ? SN_CONSTRAINTS_PENALTY
                    : !strcmp(m->run.constraints, "augmented") ? SN_CONSTRAINTS_AUGMENTED
                                                               : SN_CONSTRAINTS_MULTIPLIERS;
    o.penalty = x[SN_RUN_PENALTY];
    o.no_fields = !strcmp(m->run.fields, "no");
    *out = o;
}

typedef struct running {
    sn_sim *s;
    long outputs;  /* written so far */
    double output; /* time between them */
    sn_conserved_watch conserved;
} running;

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* of this thread: a BLAS may keep others spinning */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Frames and points between d.x and next. */
static sn_status outputs(running *r, sn_err *err)
{
    sn_sim *s = r->s;
    sn_context *d = &s->d;
    const sn_follow *follow = s->follow;
    const sn_state *x0 = d->x, *x1 = s->next;
    double h = x1->t - x0->t;
    for (double t; r->output > 0 && (t = d->o->begin + (double)r->outputs * r->output) <= x1->t + 1e-9 * h;
         r->outputs++) {
        if (t > d->o->end * (1 + 1e-12)) break;
        const sn_state *x = x1;
        if (t < x1->t - 1e-9 * h) {
            sn_state_between(d->m, x0, x1, (t - x0->t) / h, s->between);
            sn_system_time(d->w, t);
            x = s->between;
        }
        if (follow && follow->frame)
            SN_TRY(follow->frame(follow->ctx, x0, x1, x == x1 ? 1 : (t - x0->t) / h, x, &d->dy, err));
        SN_TRY(sn_context_frame(d, x, err));
        if (x != x1) sn_system_time(d->w, x1->t);
    }
    for (int i = 0; i < d->o->n_point; i++) {
        sn_point *p = &d->o->point[i];
        if (p->t <= x0->t + 1e-9 * h || p->t > x1->t + 1e-9 * h) continue;
        const sn_state *x = x1;
        if (p->t < x1->t - 1e-9 * h) {
            sn_state_between(d->m, x0, x1, (p->t - x0->t) / h, s->between);
            x = s->between;
            sn_system_time(d->w, p->t);
        }
        SN_TRY(sn_redundant_multipliers_state(d, &x, err));
        SN_TRY(sn_system_sensors(d->w, x, d->y, err));
        p->value = d->y[p->channel];
        sn_system_time(d->w, x1->t);
    }
    return SN_OK;
}

static sn_status first_outputs(running *r, sn_err *err)
{
    sn_context *d = &r->s->d;
    const sn_follow *follow = r->s->follow;
    if (follow && follow->frame) SN_TRY(follow->frame(follow->ctx, d->x, d->x, 0, d->x, &d->dy, err));
    SN_TRY(sn_context_frame(d, d->x, err));
    r->outputs = 1;
    for (int i = 0; i < d->o->n_point; i++) {
        sn_point *p = &d->o->point[i];
        p->value = NAN;
        if (p->t > d->o->begin) continue;
        const sn_state *x = d->x;
        SN_TRY(sn_redundant_multipliers_state(d, &x, err));
        SN_TRY(sn_system_sensors(d->w, x, d->y, err));
        p->value = d->y[p->channel];
    }
    return SN_OK;
}

/* next is taken: outputs up to it, and on. */
static sn_status take(running *r, sn_err *err)
{
    sn_sim *s = r->s;
    const sn_run_options *o = &s->o;
    double t = s->next->t;
    long k = s->taken;
    SN_TRY(sn_sim_accept(s, t >= o->end, err));
    if (o->frame || o->n_point) {
        double from = o->timing ? sn_clock() : 0;
        SN_TRY(outputs(r, err));
        if (o->timing) s->info.t_output += sn_clock() - from;
    }
    SN_TRY(sn_conserved_look(&r->conserved, &s->d, s->next, t >= o->end, err));
    sn_sim_swap(s);
    if (o->progress && ((k & 15) == 15 || s->d.m->n > 1000) &&
        o->progress(o->ctx, (t - o->begin) / (o->end - o->begin), t))
        return sn_fail(err, SN_ERR_INTERRUPTED, NULL, "stopped at t = %.6g s of %.6g s", t, o->end);
    return SN_OK;
}

/* Steps of one size. */
static sn_status march(running *r, sn_err *err)
{
    sn_sim *s = r->s;
    const sn_run_options *o = &s->o;
    long steps = sn_sim_steps(o->end - o->begin, o->step);
    for (long k = 0; k < steps; k++) {
        /* times are multiples of the step, so that no rounding adds up */
        double t1 = k + 1 == steps ? o->end : o->begin + (double)(k + 1) * o->step;
        SN_TRY(sn_sim_advance(s, k + 1 == steps ? t1 - s->d.x->t : o->step, err));
        s->next->t = t1;
        SN_TRY(take(r, err));
    }
    return SN_OK;
}

/* Steps of given sizes, some in parts. */
static sn_status march_given(running *r, sn_err *err)
{
    sn_sim *s = r->s;
    const sn_follow *f = s->follow;
    for (long i = 0; i < f->n_steps; i++) {
        int parts = !f->whole[i];
        if (parts) sn_state_copy(s->d.m, s->d.x, s->between);
        for (;; i++) {
            SN_TRY(sn_sim_one(s, f->steps[i], err));
            if (f->whole[i]) break;
            sn_sim_swap(s);
        }
        if (parts) sn_state_copy(s->d.m, s->between, s->d.x);
        if (i + 1 == f->n_steps) s->next->t = s->o.end;
        SN_TRY(take(r, err));
    }
    return SN_OK;
}

static sn_status march_controlled(running *r, sn_err *err)
{
    sn_sim *s = r->s;
    while (s->d.x->t < s->o.end) {
        SN_TRY(sn_sim_advance_controlled(s, s->o.end, err));
        SN_TRY(take(r, err));
    }
    return SN_OK;
}

static sn_status loop(sn_sim *s, sn_err *err)
{
    const sn_run_options *o = &s->o;
    running r = {.s = s, .output = o->output};
    if (!(o->output > 0))
        r.output = o->step * (double)((sn_sim_steps(o->end - o->begin, o->step) + 999) / 1000);
    if (s->follow) SN_TRY(s->follow->start(s->follow->ctx, &s->d, s->cls, s->integrator, err));
    SN_TRY(first_outputs(&r, err));
    SN_TRY(sn_conserved_begin(&r.conserved, &s->d, err));
    if (o->exact) sn_sim_restart(s); /* no pivots of the start: steps are made again without them */
    if (s->follow && s->follow->steps) return march_given(&r, err);
    return o->error > 0 && !s->info.kinematic ? march_controlled(&r, err) : march(&r, err);
}

static sn_status check_options(const sn_run_options *o, sn_err *err)
{
    double length = o->end - o->begin;
    if (!(o->step > 0) || !(o->end > 0))
        return sn_fail(err, SN_ERR_INPUT, NULL, "step and end of a run must be positive");
    if (!(length > 0))
        return sn_fail(err, SN_ERR_INPUT, NULL, "a run must begin before its end, %g s", o->end);
    if (length / o->step > 2e9)
        return sn_fail(err, SN_ERR_INPUT, NULL, "%g steps are too many", length / o->step);
    if (o->output > 0 && length / o->output > 1e8)
        return sn_fail(err, SN_ERR_INPUT, NULL, "%g outputs are too many", length / o->output);
    return SN_OK;
}

/* From options.begin to options.end. */
static sn_status run(sn_sim *s, const sn_follow *follow, sn_info *info, sn_err *err)
{
    sn_err *e = err ? err : &s->own_err;
    sn_err_clear(&s->own_err);
    s->follow = follow;
    sn_status status = sn_sim_prepare(s, e);
    if (!status && follow && follow->from) {
        sn_state_copy(s->d.m, follow->from, s->d.x);
        status = sn_sim_fresh(s, e);
    }
    if (!status) {
        double wall = sn_clock(), c = cpu();
        status = loop(s, e);
        sn_turning_tell(&s->turning, &s->d);
        if (!status && follow && follow->end) status = follow->end(follow->ctx, e);
        s->info.wall = sn_clock() - wall;
        s->info.cpu = cpu() - c;
        s->info.solver = s->d.ls->cls->name;
        if (s->d.ls->self && s->d.ls->cls->nonzeros)
            s->info.factor_nonzeros = s->d.ls->cls->nonzeros(s->d.ls->self);
        if (s->d.ls->self && s->d.ls->cls->bytes) s->info.factor_bytes = s->d.ls->cls->bytes(s->d.ls->self);
    }
    s->follow = NULL;
    s->stage = SN_SIM_NEW;
    if (info) *info = s->info;
    return status;
}

sn_status sn_run_kept(sn_sim **sim, const sn_model *m, const sn_values *p, const sn_run_options *o,
                      const sn_follow *follow, sn_info *info, sn_err *err)
{
    if (info) *info = (sn_info){0};
    SN_TRY(check_options(o, err));
    SN_TRY(*sim ? sn_sim_renew(*sim, p, o, err) : sn_sim_open(m, p, o, sim, err));
    return run(*sim, follow, info, err);
}

sn_status sn_run_followed(const sn_model *m, const sn_values *p, const sn_run_options *o,
                          const sn_follow *follow, sn_info *info, sn_err *err)
{
    sn_sim *s = NULL;
    sn_status status = sn_run_kept(&s, m, p, o, follow, info, err);
    sn_sim_close(s);
    return status;
}
