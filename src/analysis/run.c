/* Time runs: start, steps, outputs on their own grid, single numbers asked for, smaller steps where one
 * fails. */
#include "analysis/analysis.h"
#include "analysis/step_size.h"
#include "analysis/turning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

sn_run_options sn_run_options_default(const sn_model *m, const sn_values *p)
{
    const double *x = p->x + m->run.first;
    sn_run_options o = {.begin = x[SN_RUN_BEGIN],
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
    o.no_fields = !strcmp(m->run.fields, "no");
    return o;
}

typedef struct runner {
    sn_context d;
    const sn_integrator_class *cls;
    void *integrator;
    sn_state *next, *between;
    long outputs;            /* written so far */
    double output;           /* time between them */
    int reported;            /* step reductions told */
    sn_step_size step_size;  /* with step-size control */
    const sn_follow *follow; /* or NULL */
    sn_turning turning;
    int watched; /* how far paths turn */
} runner;

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* of this thread: a BLAS may keep others spinning */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static sn_status step(runner *r, double h, sn_err *err)
{
    SN_TRY(r->d.info->kinematic ? sn_kinematic_step(&r->d, r->d.x, h, r->next, err)
                                : r->cls->step(r->integrator, r->d.x, h, r->next, err));
    r->d.info->steps++;
    return r->follow ? r->follow->step(r->follow->ctx, r->d.x, r->next, err) : SN_OK;
}

/* What was tried from d.x does not count: the next attempt is made as if it were the first, so that the steps
   that do count can be made again without the others. */
static void forget(runner *r)
{
    if (r->follow) r->follow->back(r->follow->ctx);
    if (r->d.o->exact) sn_integrator_restart(r->cls, r->integrator, r->d.ls);
}

/* Whether a step failed because a number is not finite at its end: smaller steps would only pass it by. */
static int not_finite(const sn_context *d) { return sn_system_finite(d->w, 0, 0, NULL) != SN_OK; }

/* One step of size h from d.x into next; where it fails, two halves and so on. */
static sn_status advance(runner *r, double h, sn_err *err)
{
    sn_context *d = &r->d;
    int before = sn_err_count(err);
    sn_status s = step(r, h, err);
    if (s != SN_ERR_NUMERIC || not_finite(d)) return s;
    sn_report why = {.status = s, .text = "Newton's iteration does not converge"};
    if (before < sn_err_count(err) && before < SN_ERR_MAX) why = err->report[before];
    sn_err_forget(err, before);
    sn_state *start = r->between;
    sn_state_copy(d->m, d->x, start);
    d->info->reductions++;
    forget(r);
    for (int parts = 2; parts <= 1024; parts *= 2) {
        int k = 0;
        for (s = SN_OK; k < parts && !s; k++) {
            s = step(r, h / parts, err);
            if (!s && k < parts - 1) {
                sn_state *t = d->x;
                d->x = r->next, r->next = t;
            }
        }
        if (!s) {
            if (r->reported++ < 5)
                sn_context_message(d, "the step at t = %.6g was divided into %d: %s", start->t, parts,
                                   why.text);
            r->next->t = start->t + h;
            sn_state_copy(d->m, start, d->x); /* outputs lie between the ends of the whole step */
            return SN_OK;
        }
        if (s != SN_ERR_NUMERIC || not_finite(d)) return s;
        sn_err_forget(err, before);
        sn_state_copy(d->m, start, d->x);
        forget(r);
    }
    sn_fail(err, SN_ERR_NUMERIC, NULL, " ");
    if (err && before < SN_ERR_MAX) err->report[before] = why;
    sn_err_prefix(err, before, "no solution at t = %.6g, not even with steps of %.3g s", d->x->t, h / 1024);
    if (d->info->kinematic && !d->w->failed) SN_TRY(sn_locked(d, d->x->t + h, d->x->q, r->next, err));
    return SN_ERR_NUMERIC;
}

/* Frames and points between d.x and next. */
static sn_status outputs(runner *r, sn_err *err)
{
    sn_context *d = &r->d;
    const sn_state *x0 = d->x, *x1 = r->next;
    double h = x1->t - x0->t;
    for (double t; r->output > 0 && (t = d->o->begin + (double)r->outputs * r->output) <= x1->t + 1e-9 * h;
         r->outputs++) {
        if (t > d->o->end * (1 + 1e-12)) break;
        const sn_state *x = x1;
        if (t < x1->t - 1e-9 * h) {
            sn_state_between(d->m, x0, x1, (t - x0->t) / h, r->between);
            sn_system_time(d->w, t);
            x = r->between;
        }
        if (r->follow && r->follow->frame)
            SN_TRY(r->follow->frame(r->follow->ctx, x0, x1, x == x1 ? 1 : (t - x0->t) / h, x, &d->dy, err));
        SN_TRY(sn_context_frame(d, x, err));
        if (x != x1) sn_system_time(d->w, x1->t);
    }
    for (int i = 0; i < d->o->n_point; i++) {
        sn_point *p = &d->o->point[i];
        if (p->t <= x0->t + 1e-9 * h || p->t > x1->t + 1e-9 * h) continue;
        const sn_state *x = x1;
        if (p->t < x1->t - 1e-9 * h) {
            sn_state_between(d->m, x0, x1, (p->t - x0->t) / h, r->between);
            x = r->between;
            sn_system_time(d->w, p->t);
        }
        SN_TRY(sn_redundant_multipliers_state(d, &x, err));
        SN_TRY(sn_system_sensors(d->w, x, d->y, err));
        p->value = d->y[p->channel];
        sn_system_time(d->w, x1->t);
    }
    return SN_OK;
}

static sn_status first_outputs(runner *r, sn_err *err)
{
    sn_context *d = &r->d;
    if (r->follow && r->follow->frame)
        SN_TRY(r->follow->frame(r->follow->ctx, d->x, d->x, 0, d->x, &d->dy, err));
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
static sn_status take(runner *r, long k, sn_err *err)
{
    sn_context *d = &r->d;
    const sn_run_options *o = d->o;
    sn_state *x = r->next;
    double t = x->t, h = t - d->x->t;
    if (sn_redundant_violated(d)) SN_TRY(sn_still_redundant(d, x, NULL, err));
    if ((k & 3) == 3 || t >= o->end) SN_TRY(sn_context_limits(d, x, 0, err));
    if (r->watched && !d->info->kinematic) SN_TRY(sn_turning_step(&r->turning, d, d->x, x, err));
    d->info->t = t;
    d->info->shortest = d->info->shortest > 0 ? fmin(d->info->shortest, h) : h;
    d->info->longest = fmax(d->info->longest, h);
    if (r->follow) SN_TRY(r->follow->keep(r->follow->ctx, d->x, x, err));
    if (o->exact && (k + 1) % SN_SEGMENT == 0) sn_integrator_restart(r->cls, r->integrator, r->d.ls);
    if (o->frame || o->n_point) {
        double from = o->timing ? sn_clock() : 0;
        SN_TRY(outputs(r, err));
        if (o->timing) d->info->t_output += sn_clock() - from;
    }
    r->next = d->x, d->x = x;
    if (o->progress && ((k & 15) == 15 || d->m->n > 1000) &&
        o->progress(o->ctx, (t - o->begin) / (o->end - o->begin), t))
        return sn_fail(err, SN_ERR_INTERRUPTED, NULL, "stopped at t = %.6g s of %.6g s", t, o->end);
    return SN_OK;
}

static long steps_of(const sn_run_options *o)
{
    double length = o->end - o->begin;
    long steps = lround(length / o->step);
    if (fabs((double)steps * o->step - length) > 1e-6 * o->step) steps = (long)ceil(length / o->step);
    return steps < 1 ? 1 : steps;
}

/* Steps of one size. */
static sn_status march(runner *r, sn_err *err)
{
    const sn_run_options *o = r->d.o;
    long steps = steps_of(o);
    for (long k = 0; k < steps; k++) {
        /* times are multiples of the step, so that no rounding adds up */
        double t1 = k + 1 == steps ? o->end : o->begin + (double)(k + 1) * o->step;
        SN_TRY(advance(r, k + 1 == steps ? t1 - r->d.x->t : o->step, err));
        r->next->t = t1;
        SN_TRY(take(r, k, err));
    }
    return SN_OK;
}

/* Steps of given sizes, some in parts. */
static sn_status march_given(runner *r, sn_err *err)
{
    const sn_follow *f = r->follow;
    sn_context *d = &r->d;
    for (long i = 0, k = 0; i < f->n_steps; i++, k++) {
        int parts = !f->whole[i];
        if (parts) sn_state_copy(d->m, d->x, r->between);
        for (;; i++) {
            SN_TRY(step(r, f->steps[i], err));
            if (f->whole[i]) break;
            sn_state *t = d->x;
            d->x = r->next, r->next = t;
        }
        if (parts) sn_state_copy(d->m, r->between, d->x);
        if (i + 1 == f->n_steps) r->next->t = d->o->end;
        SN_TRY(take(r, k, err));
    }
    return SN_OK;
}

/* One step into next whose local error, of order h^3, is allowed; r->step_size knows the size of the next
 * one. */
static sn_status controlled_step(runner *r, sn_err *err)
{
    sn_context *d = &r->d;
    const sn_run_options *o = d->o;
    int before = sn_err_count(err);
    for (;;) {
        double left = o->end - d->x->t, h = r->step_size.h;
        h = left <= h * (1 + 1e-9) ? left : left < 2 * h ? left / 2 : h;
        int smallest = h <= r->step_size.shortest * (1 + 1e-9);
        sn_status s = r->cls->step(r->integrator, d->x, h, r->next, err);
        if (s == SN_ERR_NUMERIC && !smallest && !not_finite(d)) {
            sn_err_forget(err, before);
            d->info->reductions++;
            forget(r);
            sn_step_size_failed(&r->step_size, h);
            continue;
        }
        if (s) return s;
        d->info->steps++;
        if (r->follow) SN_TRY(r->follow->step(r->follow->ctx, d->x, r->next, err));
        sn_local_error local = r->cls->error(r->integrator);
        double e = local.now / o->error;
        if (e > 1 && !smallest) {
            if (r->cls->reject) r->cls->reject(r->integrator);
            forget(r);
            d->info->steps--;
            d->info->rejections++;
            sn_step_size_rejected(&r->step_size, h, e);
            continue;
        }
        if (e > 1 && !r->reported++)
            sn_context_message(
                d, "at t = %.6g the error is larger than asked for: %.3g with the smallest step %.3g s",
                d->x->t, e * o->error, h);
        sn_step_size_taken(&r->step_size, h, e, local.ahead / o->error, local.smooth);
        if (h == left) r->next->t = o->end;
        return SN_OK;
    }
}

static sn_status march_controlled(runner *r, sn_err *err)
{
    const sn_run_options *o = r->d.o;
    sn_step_size *p = &r->step_size;
    p->shortest = o->min_step > 0 ? o->min_step : 1e-6 * o->step;
    p->longest = o->max_step > 0 ? o->max_step : (o->end - o->begin) / 50;
    if (p->longest < p->shortest)
        return sn_fail(err, SN_ERR_INPUT, NULL, "min_step, %g s, is larger than max_step, %g s", p->shortest,
                       p->longest);
    p->order = r->cls->order;
    p->h = fmin(fmax(o->step, p->shortest), p->longest);
    for (long k = 0; r->d.x->t < o->end; k++) {
        SN_TRY(controlled_step(r, err));
        SN_TRY(take(r, k, err));
    }
    return SN_OK;
}

static sn_status loop(runner *r, sn_err *err)
{
    const sn_run_options *o = r->d.o;
    r->output = o->output > 0 ? o->output : o->step * (double)((steps_of(o) + 999) / 1000);
    r->d.info->kinematic = sn_no_freedom(&r->d);
    if (r->d.info->kinematic && r->d.m->nv > 0 && !r->d.m->n_varying)
        sn_context_message(
            &r->d, "the equations leave no freedom and nothing drives the model: it stands still; if it "
                   "should move, its joints do not fit together (rounded positions?)");
    if (r->follow) SN_TRY(r->follow->start(r->follow->ctx, &r->d, r->cls, r->integrator, err));
    SN_TRY(first_outputs(r, err));
    if (o->exact)
        sn_integrator_restart(r->cls, r->integrator,
                              r->d.ls); /* no pivots of the start: steps are made again without them */
    if (r->follow && r->follow->steps) return march_given(r, err);
    return o->error > 0 && !r->d.info->kinematic ? march_controlled(r, err) : march(r, err);
}

sn_status sn_run_followed(const sn_model *m, const sn_values *p, const sn_run_options *o,
                          const sn_follow *follow, sn_info *info, sn_err *err)
{
    runner r = {.follow = follow};
    sn_info own;
    const sn_scheme *scheme;
    if (!info) info = &own;
    *info = (sn_info){0};
    sn_err *e = err, *mine = NULL;
    r.cls = sn_scheme_find(o->scheme, &scheme);
    if (!r.cls)
        return sn_fail(err, SN_ERR_INPUT, NULL, "unknown scheme '%s' ('sinew list schemes' shows all)",
                       o->scheme ? o->scheme : "");
    double length = o->end - o->begin;
    if (!(o->step > 0) || !(o->end > 0))
        return sn_fail(err, SN_ERR_INPUT, NULL, "step and end of a run must be positive");
    if (!(length > 0))
        return sn_fail(err, SN_ERR_INPUT, NULL, "a run must begin before its end, %g s", o->end);
    if (length / o->step > 2e9)
        return sn_fail(err, SN_ERR_INPUT, NULL, "%g steps are too many", length / o->step);
    if (o->output > 0 && length / o->output > 1e8)
        return sn_fail(err, SN_ERR_INPUT, NULL, "%g outputs are too many", length / o->output);
    if (o->error > 0 && !r.cls->error)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "scheme '%s' does not estimate its error: steps cannot be chosen by it (error: 0)",
                       scheme->name);
    if (!e && !SN_NEW(mine, 1)) return SN_ERR_MEMORY;
    if (!e) e = mine;
    sn_status s = sn_context_open(m, p, o, info, &r.d, e);
    if (!s) s = sn_state_new(m, r.cls->history, &r.next, e);
    if (!s) s = sn_state_new(m, r.cls->history, &r.between, e);
    if (!s) {
        memcpy(r.next->q, p->q0, sizeof(double) * (size_t)m->nq);
        memcpy(r.between->q, p->q0, sizeof(double) * (size_t)m->nq);
        s = sn_start(&r.d, e);
    }
    const sn_integration in = {.w = r.d.w, .ls = r.d.ls, .scheme = scheme, .o = o, .info = info};
    if (!s) s = sn_integrator_open(r.cls, &in, &r.integrator, e);
    if (!s && r.cls->begin) s = r.cls->begin(r.integrator, r.d.x, e);
    r.watched = r.cls->turn != NULL;
    if (!s && r.watched) s = sn_turning_open(m, r.cls->turn(r.integrator), &r.turning, e);
    if (!s) {
        double wall = sn_clock(), c = cpu();
        s = loop(&r, e);
        sn_turning_tell(&r.turning, &r.d);
        if (!s && follow && follow->end) s = follow->end(follow->ctx, e);
        info->wall = sn_clock() - wall;
        info->cpu = cpu() - c;
        info->solver = r.d.ls->cls->name;
        if (r.d.ls->self && r.d.ls->cls->nonzeros)
            info->factor_nonzeros = r.d.ls->cls->nonzeros(r.d.ls->self);
    }
    sn_turning_close(&r.turning);
    if (r.integrator) r.cls->close(r.integrator);
    sn_state_free(r.next);
    sn_state_free(r.between);
    sn_context_close(&r.d);
    sn_free(mine);
    return s;
}
