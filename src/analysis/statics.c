/* Equilibrium by Newton with load steps. The load is raised by a homotopy that needs no notion of load:

       r(q, lam) - (1 - s) r(q_0, lam_0) = 0,   phi(q) - (1 - s) phi(q_0) = 0,    s: 0 -> 1

   so that dead loads, gravity and prescribed motions all grow in proportion from an equilibrium at s = 0;
   angles that wind (winding.c) grow themselves, so that turns count.
   Velocity-level equations hold their coordinates: G dq = 0. */
#include "analysis/statics.h"
#include "base/size.h"

#include <math.h>
#include <string.h>

static const char analysis[] = "static analysis";

typedef struct homotopy {
    double *r0;      /* n: residual at the start */
    double *q, *lam; /* last converged */
    double *start;   /* nq: positions at the start */
    double *g;       /* nv: a direction that nothing holds */
    double s;
    sn_winding winding;
    sn_tangent t;
    int settles;    /* there are rotations, and coordinates between them */
    int pushes;     /* steps along such a direction in one solution, one after the other */
    double held;    /* the last step where it was held, relative to the model; INFINITY: nowhere */
    double unheld;  /* the force along it */
    sn_status past; /* an element was loaded past its limits */
} homotopy;

enum { PUSHES_MOST = 12 };

/* Steps, in radians or sizes of the model, behind which flat coordinates settle: the tangent is made anew
 * then. */
static const double FAR = 0.02;

/* Pushes in a row after which there are no more to come. */
static int pushed_enough(const homotopy *p) { return p->pushes > (isfinite(p->held) ? 2 : 1) * PUSHES_MOST; }

/* The increment in d->z moves on along a direction that nothing holds now and in which forces do work: where
   a load stiffens what it pulls at (a rope) or closes a gap, they are held further on. Farther each time; but
   first halves of the way that a Newton step has led off what held, which is in between. */
static void push(sn_context *d, homotopy *p, double most)
{
    double force = sn_tangent_unheld(&p->t, p->g), far;
    p->unheld = force > d->o->tolerance * most ? force : 0;
    p->pushes = p->unheld > 0 ? p->pushes + 1 : 0;
    if (isfinite(p->held) && p->pushes <= PUSHES_MOST)
        far = ldexp(p->held, -p->pushes);
    else
        far = fmin(0.1 * pow(1.5, (p->pushes - 1) % PUSHES_MOST), 0.5);
    for (int i = 0; p->unheld > 0 && i < d->m->nv; i++) d->z[i] += far * p->g[i];
}

/* One Newton step for load s, with a new tangent or the last one: size of the increment in *change, residual
   relative to the forces in *left. */
static sn_status correct(sn_context *d, homotopy *p, double s, int fresh, double *change, double *left,
                         sn_err *err)
{
    const sn_model *m = d->m;
    const sn_coef coef = {d->one, d->zero, d->zero, d->one, 1};
    double top = 0, most = 0;
    SN_TRY(sn_system_eval(d->w, d->x, fresh ? &coef : NULL, err));
    for (int i = 0; i < m->nv; i++) {
        top = fmax(top, fabs(d->w->f[i] - (1 - s) * p->r0[i]) * d->w->scale[i]);
        most = fmax(most, fabs(p->r0[i]) * d->w->scale[i]);
    }
    most = fmax(most, d->w->force);
    *left = most > 0 ? top / most : 0;
    *change = INFINITY;
    if (fresh) SN_TRY(sn_tangent_factor(&p->t, analysis, err));
    for (int i = 0; i < m->n; i++) d->z[i] = -(d->w->f[i] - (1 - s) * p->r0[i]);
    d->info->factorisations += fresh;
    d->info->iterations++;
    SN_TRY(sn_tangent_solve(&p->t, d->z));
    push(d, p, most);
    *change = 0;
    for (int i = 0; i < m->nv; i++) *change = fmax(*change, fabs(d->z[i]) / (d->p->length * d->w->scale[i]));
    /* far steps are shortened: half a radian, half the model */
    double cut = *change > 0.5 ? 0.5 / *change : 1;
    for (int i = 0; i < m->n; i++) d->z[i] *= cut;
    sn_system_retract(m, d->x->q, d->z, d->x->q);
    for (int i = 0; i < m->m; i++) d->x->lam[i] += d->z[m->nv + i];
    if (!isfinite(*change)) return SN_ERR_NUMERIC;
    return p->settles && *change > FAR && !p->pushes ? sn_statics_settle(&p->t, p->r0, s, err) : SN_OK;
}

/* A force that nothing holds, however far it pushes. */
static sn_status unheld(const sn_context *d, const homotopy *p, sn_err *err)
{
    char names[300];
    for (int i = 0; i < d->m->nv; i++) d->z[i] = p->g[i] / d->w->scale[i];
    sn_name_largest(d, d->z, 0, d->m->nv, names, sizeof names);
    return sn_fail(err, SN_ERR_NUMERIC, NULL,
                   "%s: there is no equilibrium: nothing holds %s against a force of %.4g N", analysis, names,
                   p->unheld);
}

/* Whether the next step may have the tangent of the last one: where steps are so small that it hardly
   changes, and as long as they shrink by ten or are all rounding. Never where something is neutral. */
static int may_keep(const homotopy *p, double change, double last)
{
    const double small = 1e-3, rounding = 1e-11;
    return change < small && (change < 0.1 * last || change < rounding) && !p->t.held;
}

static sn_status solve(sn_context *d, homotopy *p, double s, sn_err *err)
{
    double tol = d->o->tolerance, change = INFINITY, left, last = INFINITY;
    int fresh = 1;
    sn_winding_set(&p->winding, d, s);
    p->pushes = 0, p->held = INFINITY;
    for (int it = 0; it < d->o->max_iterations + 10; it++) {
        SN_TRY(correct(d, p, s, fresh, &change, &left, err));
        if (pushed_enough(p)) return unheld(d, p, err);
        if (p->pushes)
            it--;
        else
            p->held = change;
        if (change <= 4e-15 || (change <= 1e-2 * tol && left <= tol) || (change < 1e-11 && change >= last) ||
            (change < 1e-13 && change >= 0.1 * last))
            return SN_OK;
        fresh = !may_keep(p, change, last);
        last = change;
    }
    return sn_fail(err, SN_ERR_NUMERIC, NULL, "%s: no convergence at %.4g of the load", analysis, s);
}

static sn_status march(sn_context *d, homotopy *p, sn_err *err)
{
    const sn_model *m = d->m;
    const double most = fmin(1, SN_WINDING_STEP / p->winding.most);
    double ds = most;
    sn_err own;
    while (p->s < 1) {
        double s = fmin(1, p->s + ds);
        sn_err_clear(&own);
        sn_status status = solve(d, p, s, &own);
        if (!status) {
            memcpy(p->q, d->x->q, sizeof(double) * (size_t)m->nq);
            memcpy(p->lam, d->x->lam, sizeof(double) * (size_t)m->m);
            p->s = s;
            ds = fmin(1.6 * ds, most);
            d->info->steps++;
            p->past = sn_context_limits(d, d->x, 0, err);
            if (p->past) return p->past;
            continue;
        }
        memcpy(d->x->q, p->q, sizeof(double) * (size_t)m->nq);
        memcpy(d->x->lam, p->lam, sizeof(double) * (size_t)m->m);
        ds /= 2;
        d->info->reductions++;
        if (ds < 1e-4 * most || status != SN_ERR_NUMERIC || d->w->failed || pushed_enough(p)) {
            sn_err_join(err, &own);
            if (p->s > 0)
                sn_fail(err, SN_ERR_NUMERIC, NULL, "static analysis: reached %.4g of the load", p->s);
            return status;
        }
        if (d->o->progress && d->o->progress(d->o->ctx, p->s, 0))
            return sn_fail(err, SN_ERR_INTERRUPTED, NULL, "stopped at %.3g of the load", p->s);
    }
    return SN_OK;
}

/* Load steps have failed: by arc length from where they got to, else by a damped motion from the start. */
static sn_status other_ways(sn_context *d, homotopy *p, sn_err *err)
{
    static const char *const way[] = {"arc length, through limit points", "a damped motion to rest"};
    const sn_model *m = d->m;
    double reached = p->s;
    sn_status s = SN_ERR_NUMERIC;
    for (int k = p->winding.n ? 1 : 0; k < 2 && s == SN_ERR_NUMERIC; k++) {
        memcpy(d->x->q, k ? p->start : p->q, sizeof(double) * (size_t)m->nq);
        memcpy(d->x->lam, p->lam, sizeof(double) * (size_t)m->m);
        if (k) memset(d->x->lam, 0, sizeof(double) * (size_t)m->m);
        sn_winding_set(&p->winding, d, 1);
        s = k ? sn_statics_creep(d, err) : sn_statics_arc(d, p->r0, p->s, err);
        d->w->failed = NULL;
        if (!s) s = solve(d, p, 1, NULL);
        if (!s)
            sn_context_message(
                d,
                "load steps failed at %.4g of the load; the equilibrium was found by %s, and may "
                "be one of several",
                reached, way[k]);
    }
    return s;
}

/* Why there is no equilibrium: no wonder where the constraints cannot be met at all. */
static sn_status blame(sn_context *d, sn_status why, const sn_err *own, sn_err *err)
{
    if (why == SN_ERR_NUMERIC && !d->w->failed) SN_TRY(sn_system_blame(d->w, d->x, err));
    if (why == SN_ERR_NUMERIC && !d->w->failed && d->m->m) SN_TRY(sn_meet_all(d, "static analysis", err));
    sn_err_join(err, own);
    return why;
}

/* Where load steps begin: p's residual, positions and multipliers. */
static sn_status begin(sn_context *d, homotopy *p, sn_err *err)
{
    const sn_model *m = d->m;
    size_t nq = sizeof(double) * (size_t)m->nq, lam = sizeof(double) * (size_t)m->m;
    if (!SN_NEW(p->r0, m->n + 1) || !SN_NEW(p->q, m->nq + 1) || !SN_NEW(p->lam, m->m + 1) ||
        !SN_NEW(p->g, m->nv + 1) || !SN_NEW(p->start, m->nq + 1))
        return SN_OUT_OF_MEM(err);
    p->settles = sn_statics_settles(m);
    SN_TRY(sn_tangent_open(d, &p->t, err));
    SN_TRY(sn_winding_new(d, 0, &p->winding, err));
    sn_winding_set(&p->winding, d, 0);
    /* redundant equations would make the tangent singular */
    if (m->m && m->m <= 3000 && !d->w->n_dropped) SN_TRY(sn_drop_redundant(d, err));
    /* with reactions from the start, bodies that hang have the stiffness of their weight; where joints only
       hold what does not move their stiffness is nobody's */
    if (m->m && !d->pinned && sn_reactions(d, NULL)) memset(d->x->lam, 0, lam), d->w->failed = NULL;
    SN_TRY(sn_system_eval(d->w, d->x, NULL, err));
    memcpy(p->lam, d->x->lam, lam);
    memcpy(p->r0, d->w->f, sizeof(double) * (size_t)m->n);
    memcpy(p->q, d->x->q, nq);
    memcpy(p->start, d->x->q, nq);
    return SN_OK;
}

sn_status sn_equilibrium(sn_context *d, sn_err *err)
{
    const sn_model *m = d->m;
    homotopy p = {0};
    sn_err own;
    sn_err_clear(&own);
    memset(d->x->v, 0, sizeof(double) * (size_t)m->nv);
    memset(d->x->a, 0, sizeof(double) * (size_t)m->nv);
    memset(d->x->lam, 0, sizeof(double) * (size_t)m->m);
    sn_system_time(d->w, d->x->t);
    SN_TRY(sn_system_finite(d->w, d->x->t, 0, err));
    SN_TRY(sn_need_mass(d, 1, err));
    SN_TRY(sn_context_limits(d, d->x, 1, err));
    sn_status s = begin(d, &p, err);
    if (!s) {
        s = march(d, &p, &own);
        int known = pushed_enough(&p) || p.past; /* why it failed: no other way would help */
        if (s == SN_ERR_NUMERIC && !d->w->failed && !known) s = other_ways(d, &p, err);
        sn_winding_set(&p.winding, d, 1);
        if (s == SN_ERR_NUMERIC && known)
            sn_err_join(err, &own);
        else if (s)
            s = blame(d, s, &own, err);
        if (!s) s = sn_still_redundant(d, d->x, NULL, err);
        if (!s) sn_tell_redundant(d), sn_tell_apart(d);
    }
    sn_winding_set(&p.winding, d, 1);
    sn_winding_free(&p.winding);
    sn_tangent_close(&p.t);
    sn_free(p.r0), sn_free(p.q), sn_free(p.lam), sn_free(p.g), sn_free(p.start);
    return s;
}

sn_status sn_static(const sn_model *m, const sn_values *p, const sn_run_options *o, double *y, sn_info *info,
                    sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_run_options, o, err));
    sn_context d;
    sn_info own;
    if (!info) info = &own;
    *info = (sn_info){0};
    SN_TRY(sn_context_open(m, p, o, info, &d, err));
    memcpy(d.x->q, p->q0, sizeof(double) * (size_t)m->nq);
    if (!m->flat) sn_system_tangent_maps(d.w, d.zero);
    sn_status s = sn_equilibrium(&d, err);
    const sn_state *x = d.x;
    sn_stability judged;
    if (!s) s = sn_stability_judge(&d, &judged, err);
    if (!s) {
        sn_stability_tell(&d, &judged);
        info->unstable = judged.judged ? judged.negative : -1;
        memcpy(info->neutral, judged.neutral, sizeof info->neutral);
    }
    if (!s && o->drop_redundant == SN_REDUNDANT_SHARE) s = sn_redundant_multipliers_new(&d, err);
    if (!s) s = sn_redundant_multipliers_state(&d, &x, err);
    if (!s && y) s = sn_system_sensors(d.w, x, y, err);
    if (!s) s = sn_context_frame(&d, d.x, err);
    if (!s && d.ls && d.ls->self && d.ls->cls->nonzeros)
        info->factor_nonzeros = d.ls->cls->nonzeros(d.ls->self);
    sn_context_close(&d);
    return s;
}
