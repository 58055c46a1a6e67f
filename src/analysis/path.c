/* Paths of equilibria by pseudo-arc length (path_curve.c), through limit points and bifurcations.

   Between two points something happened where the parameter turns back (ds/darc changes its sign: a limit
   point), or where the number of unstable directions changes without that (a bifurcation). Both are located
   on the arc between by false position (Illinois): of ds/darc, or of the stiffness of the direction that
   resists least, with the sign of the count. At a bifurcation other branches leave along that direction: a
   point on one is found at a fixed distance along it. */
#include "analysis/path.h"
#include "base/size.h"

#include <math.h>
#include <string.h>

enum { LOCATE_MOST = 60, SPECIAL_MOST = 4 };

typedef struct crossing {
    sn_curve_point x;
    double *phi;
} crossing;

typedef struct path {
    const sn_path_options *o;
    sn_context d;
    sn_values *p;
    sn_curve c;
    sn_info run;
    sn_path_info *info;
    sn_curve_point x, y, z; /* here, next, between */
    double *phi;            /* nv + 1 */
    crossing *crossing;     /* bifurcations of the first path */
    int n_crossing, cap, branch, ended;
    double until; /* in s */
} path;

void sn_path_options_fill(const sn_model *m, const sn_values *p, size_t size, sn_path_options *out)
{
    memset(out, 0, size);
    out->size = size;
    if (size != sizeof *out) return; /* refused where they are used */
    *out = (sn_path_options){.size = size,
                             .to = 1,
                             .until = NAN,
                             .steps = 400,
                             .max_step = 0.05,
                             .run = sn_run_options_default(m, p)};
}

/* The context at a point of the curve. */
static sn_status place(path *p, const sn_curve_point *x, sn_err *err)
{
    const sn_model *m = p->d.m;
    memcpy(p->d.x->q, x->q, sizeof(double) * (size_t)m->nq);
    memcpy(p->d.x->lam, x->lam, sizeof(double) * (size_t)m->m);
    return sn_curve_eval(&p->c, x->s, err);
}

/* A point is handed on. */
static sn_status emit(path *p, int kind, const sn_curve_point *x, sn_err *err)
{
    sn_context *d = &p->d;
    const sn_state *state = d->x;
    SN_TRY(place(p, x, err));
    SN_TRY(sn_redundant_multipliers_state(d, &state, err));
    SN_TRY(sn_system_sensors(d->w, state, d->y, err));
    const sn_frame f = {x->arc, state->q, state->v, state->a, state->lam, d->y, NULL};
    const sn_path_point point = {kind,        p->branch, sn_curve_value(&p->c, x->s), x->arc,
                                 x->negative, &f,        kind ? p->phi : NULL};
    p->info->points++;
    p->info->limits += kind == SN_PATH_LIMIT;
    p->info->bifurcations += kind == SN_PATH_BIFURCATION;
    return p->o->point ? p->o->point(p->o->ctx, &point, err) : SN_OK;
}

/* What is zero at the special point between: by_count: with the sign of the count being `negative`. */
static sn_status measure(path *p, const sn_curve_point *x, int by_count, int negative, double *f, sn_err *err)
{
    if (!by_count) {
        *f = x->us;
        return SN_OK;
    }
    SN_TRY(place(p, x, err));
    SN_TRY(sn_curve_critical(&p->c, p->phi, f, err));
    *f = fabs(*f);
    if (x->negative != negative) *f = -*f;
    return SN_OK;
}

/* p->z becomes the special point between `low` and `high` along the tangent of p->x. */
static sn_status locate(path *p, double *low, double *high, int by_count, const double ends[2], int negative,
                        sn_err *err)
{
    double f[2] = {ends[0], ends[1]}, x[2] = {*low, *high}, g = f[0];
    const double h = *high;
    int side = 0, iterations;
    for (int it = 0; it < LOCATE_MOST && x[1] - x[0] > 1e-11 * h; it++) {
        double at = (x[0] * f[1] - x[1] * f[0]) / (f[1] - f[0]), width = x[1] - x[0];
        /* not at the ends, and by halves where that does not get on */
        if (!(at > x[0] && at < x[1]) || it % 6 == 5) at = x[0] + width / 2;
        at = fmin(fmax(at, x[0] + 1e-3 * width), x[1] - 1e-3 * width);
        if (sn_curve_step(&p->c, &p->x, at, &p->z, &iterations, NULL)) {
            p->d.w->failed = NULL;
            at = x[0] + 0.382 * width;
            SN_TRY(sn_curve_step(&p->c, &p->x, at, &p->z, &iterations, err));
        }
        SN_TRY(measure(p, &p->z, by_count, negative, &g, err));
        int now = (g > 0) == (ends[0] > 0) ? 0 : 1;
        x[now] = at, f[now] = g;
        if (side == (now ? 1 : -1)) f[!now] /= 2;
        side = now ? 1 : -1;
        if (fabs(g) < (by_count ? 2 * SN_HOLD : 1e-10)) break;
    }
    *low = x[0], *high = x[1];
    return SN_OK;
}

static sn_status remember(path *p, sn_err *err)
{
    const sn_model *m = p->d.m;
    if (sn_grow(&p->crossing, &p->cap, p->n_crossing + 1, sizeof *p->crossing)) return SN_OUT_OF_MEM(err);
    crossing *c = &p->crossing[p->n_crossing];
    SN_TRY(sn_curve_point_new(m, &c->x, err));
    p->n_crossing++;
    if (!SN_NEW(c->phi, m->nv + 1)) return SN_OUT_OF_MEM(err);
    sn_curve_point_copy(m, &p->z, &c->x);
    memcpy(c->phi, p->phi, sizeof *c->phi * (size_t)m->nv);
    return SN_OK;
}

/* Special points between p->x and p->y, a step of h, are located and handed on. */
static sn_status special(path *p, double h, sn_err *err)
{
    double low = 0, us = p->x.us;
    int negative = p->x.negative, known = p->x.negative >= 0 && p->y.negative >= 0, iterations;
    for (int k = 0; k < SPECIAL_MOST && !p->ended; k++) {
        int turns = (us > 0) != (p->y.us > 0), changes = known ? p->y.negative - negative : 0;
        int by_count = known && !(turns && changes >= -1 && changes <= 1);
        double a = low, b = h, ends[2] = {us, p->y.us};
        if (!turns && !changes) return SN_OK;
        if (by_count) {
            if (low > 0)
                SN_TRY(sn_curve_step(&p->c, &p->x, low, &p->z, &iterations, err));
            else
                sn_curve_point_copy(p->d.m, &p->x, &p->z);
            SN_TRY(measure(p, &p->z, 1, negative, &ends[0], err));
            SN_TRY(measure(p, &p->y, 1, negative, &ends[1], err));
        }
        SN_TRY(locate(p, &a, &b, by_count, ends, negative, err));
        SN_TRY(place(p, &p->z, err));
        SN_TRY(sn_curve_critical(&p->c, p->phi, &ends[0], err));
        sn_curve_point_copy(p->d.m, &p->z, &p->crossing[0].x);
        /* beyond it, to see what has changed */
        low = fmin(b + 1e-3 * (h - b) + 1e-9 * h, h);
        SN_TRY(sn_curve_step(&p->c, &p->x, low, &p->z, &iterations, err));
        int turned = (us > 0) != (p->z.us > 0), before = negative;
        us = p->z.us, negative = p->z.negative;
        sn_curve_point_copy(p->d.m, &p->crossing[0].x, &p->z);
        if (known && negative == before && !turned) continue; /* it was not past it */
        p->z.negative = before;
        if (!turned && !p->branch) SN_TRY(remember(p, err));
        SN_TRY(emit(p, turned ? SN_PATH_LIMIT : SN_PATH_BIFURCATION, &p->z, err));
        if (p->o->first) p->ended = 1;
    }
    return SN_OK;
}

/* The end of the range is met exactly; 0: it is not reached. */
static sn_status land(path *p, double h, int *reached, sn_err *err)
{
    double to = p->y.s >= 1 ? 1 : p->until;
    int iterations;
    *reached = p->y.s >= 1 || p->y.s <= p->until;
    if (!*reached) return SN_OK;
    double part = (to - p->x.s) / (p->y.s - p->x.s);
    SN_TRY(sn_curve_step(&p->c, &p->x, part * h, &p->y, &iterations, err));
    p->y.s = to;
    SN_TRY(sn_curve_correct(&p->c, NULL, 0, &p->y.s, &iterations, err));
    return sn_curve_tangent(&p->c, p->x.u, p->x.us, &p->y, err);
}

/* One step, as long as it can be; *h: its length, *next that of the one to try behind it. */
static sn_status advance(path *p, double *h, double *next, sn_err *err)
{
    const double least = 1e-7;
    sn_err own;
    sn_status s = SN_OK;
    int iterations = 0;
    for (; *h >= least * p->o->max_step; *h /= 2) {
        sn_err_clear(&own);
        s = sn_curve_step(&p->c, &p->x, *h, &p->y, &iterations, &own);
        if (s && s != SN_ERR_NUMERIC) break;
        /* a tangent that has turned far: perhaps another branch */
        double along = s ? 0 : sn_curve_dot(&p->c, p->x.u, p->y.u) + p->x.us * p->y.us;
        if (!s && (along > 0.9 || *h < 1e-4 * p->o->max_step)) {
            double longer = iterations <= 3 ? 1.5 : iterations <= 6 ? 1 : 0.7;
            *next = fmin(longer * *h, p->o->max_step);
            return SN_OK;
        }
        p->d.w->failed = NULL;
    }
    sn_err_join(err, &own);
    return s ? s : SN_ERR_NUMERIC;
}

/* From p->x, which has been handed on, to the end of a branch. */
static sn_status march(path *p, double h, sn_err *err)
{
    sn_context *d = &p->d;
    int reached = 0;
    for (int k = 1; k < p->o->steps && !reached && !p->ended; k++) {
        double next = h;
        sn_err own;
        sn_err_clear(&own);
        sn_status s = advance(p, &h, &next, &own);
        if (s == SN_ERR_NUMERIC) {
            sn_context_message(d, "the path ends at %s %.6g: %s",
                               p->o->parameter ? p->o->parameter : "factor", sn_curve_value(&p->c, p->x.s),
                               own.count ? own.report[0].text : "no convergence");
            return SN_OK;
        }
        if (s) {
            sn_err_join(err, &own);
            return s;
        }
        SN_TRY(land(p, h, &reached, err));
        SN_TRY(special(p, p->y.arc - p->x.arc, err));
        if (p->ended) break;
        SN_TRY(emit(p, SN_PATH_POINT, &p->y, err));
        SN_TRY(sn_context_limits(d, d->x, 0, err));
        sn_curve_point_copy(d->m, &p->y, &p->x);
        h = next;
        if (p->o->run.progress &&
            p->o->run.progress(p->o->run.ctx, fmax((double)k / p->o->steps, fmin(p->x.s, 1)), p->x.arc))
            return sn_fail(err, SN_ERR_INTERRUPTED, NULL, "stopped at %.6g", sn_curve_value(&p->c, p->x.s));
    }
    if (!p->branch) p->info->reached = reached;
    return SN_OK;
}

/* A point on the branch that leaves the bifurcation along sign phi, into p->x: SN_ERR_NUMERIC: none found. */
static sn_status leave(path *p, const crossing *c, int sign, sn_err *err)
{
    sn_context *d = &p->d;
    const sn_model *m = d->m;
    double *u = p->y.u, along = sn_curve_dot(&p->c, c->phi, c->x.u), us = -along * c->x.us;
    memset(u, 0, sizeof *u * (size_t)m->n);
    for (int i = 0; i < m->nv; i++) u[i] = c->phi[i] - along * c->x.u[i];
    double size = sign * sqrt(sn_curve_dot(&p->c, u, u) + us * us);
    for (int i = 0; i < m->nv; i++) u[i] /= size;
    us /= size;
    for (double e = p->o->max_step; e > 1e-3 * p->o->max_step; e /= 2) {
        int iterations;
        memcpy(d->x->q, c->x.q, sizeof(double) * (size_t)m->nq);
        memcpy(d->x->lam, c->x.lam, sizeof(double) * (size_t)m->m);
        for (int i = 0; i < m->nv; i++) d->z[i] = e * u[i];
        sn_system_retract(m, d->x->q, d->z, d->x->q);
        p->x.s = c->x.s + e * us, p->x.arc = c->x.arc + e;
        if (!sn_curve_correct(&p->c, u, us, &p->x.s, &iterations, NULL))
            return sn_curve_tangent(&p->c, u, us, &p->x, err);
        d->w->failed = NULL;
    }
    sn_context_message(d, "no other branch was found at the bifurcation at %.6g",
                       sn_curve_value(&p->c, c->x.s));
    return SN_ERR_NUMERIC;
}

static sn_status follow_branches(path *p, sn_err *err)
{
    for (int k = 1; k < p->n_crossing; k++) {
        if (p->o->branches >= 0 && p->o->branches != k) continue;
        for (int sign = 1; sign >= -1; sign -= 2) {
            const crossing *c = &p->crossing[k];
            sn_err own;
            sn_err_clear(&own);
            sn_status s = leave(p, c, sign, &own);
            if (s == SN_ERR_NUMERIC) continue;
            if (s) sn_err_join(err, &own);
            SN_TRY(s);
            p->branch = ++p->info->branches;
            SN_TRY(emit(p, SN_PATH_POINT, &p->x, err));
            SN_TRY(march(p, 0.5 * p->o->max_step, err));
        }
    }
    return SN_OK;
}

/* Does anything move with the parameter? And can it? */
static sn_status check_start(path *p, sn_err *err)
{
    sn_context *d = &p->d;
    double size = 0;
    char names[300];
    for (int i = 0; i < d->m->n; i++) size = fmax(size, fabs(p->c.Fs[i]) * d->w->scale[i]);
    if (size == 0 && p->o->parameter)
        return sn_fail(err, SN_ERR_INPUT, NULL, "path: no equilibrium depends on '%s'", p->o->parameter);
    if (size == 0)
        return sn_fail(
            err, SN_ERR_INPUT, NULL,
            "path: there is no load: the model is in equilibrium as it is written; name a parameter");
    for (int i = 0; i < d->m->n; i++) p->c.b[i] = -p->c.Fs[i];
    SN_TRY(sn_tangent_solve(&p->c.t, p->c.b));
    double force = sn_tangent_unheld(&p->c.t, p->phi);
    if (!(force > d->o->tolerance * size)) return SN_OK;
    for (int i = 0; i < d->m->nv; i++) p->phi[i] /= d->w->scale[i];
    sn_name_largest(d, p->phi, 0, d->m->nv, names, sizeof names);
    return sn_fail(err, SN_ERR_NUMERIC, NULL,
                   "path: it cannot begin: nothing holds %s there, and the load acts on it; begin where "
                   "something does, with a parameter that goes from another value on",
                   names);
}

/* The equilibrium that the path begins with, in the context's state. */
static sn_status begin(path *p, sn_err *err)
{
    sn_context *d = &p->d;
    const sn_model *m = d->m;
    memcpy(d->x->q, d->p->q0, sizeof(double) * (size_t)m->nq);
    if (!m->flat) sn_system_tangent_maps(d->w, d->zero);
    sn_system_time(d->w, d->x->t);
    SN_TRY(sn_system_finite(d->w, d->x->t, 0, err));
    if (p->o->parameter) {
        SN_TRY(sn_equilibrium(d, err));
    } else {
        if (m->m && m->m <= 3000) SN_TRY(sn_drop_redundant(d, err));
        SN_TRY(sn_system_eval(d->w, d->x, NULL, err));
        memcpy(p->c.f0, d->w->f, sizeof(double) * (size_t)m->n);
    }
    if (d->o->drop_redundant == SN_REDUNDANT_SHARE) SN_TRY(sn_redundant_multipliers_new(d, err));
    SN_TRY(sn_curve_hold(&p->c, err));
    SN_TRY(check_start(p, err));
    return sn_curve_begin(&p->c, 0, &p->x, err);
}

static sn_status trace(path *p, sn_err *err)
{
    const sn_model *m = p->d.m;
    sn_curve_point *const points[] = {&p->x, &p->y, &p->z};
    for (int i = 0; i < 3; i++) SN_TRY(sn_curve_point_new(m, points[i], err));
    if (!SN_NEW(p->phi, m->nv + 1)) return SN_OUT_OF_MEM(err);
    SN_TRY(remember(p, err)); /* number 0 is scratch: bifurcations count from 1 */
    SN_TRY(sn_curve_open(&p->d, p->o->parameter, p->p, &p->c, err));
    if (p->o->parameter) p->c.from = p->o->from, p->c.to = p->o->to;
    SN_TRY(begin(p, err));
    SN_TRY(emit(p, SN_PATH_POINT, &p->x, err));
    SN_TRY(march(p, 0.25 * p->o->max_step, err));
    return p->o->branches && !p->ended ? follow_branches(p, err) : SN_OK;
}

static sn_status check_options(const sn_path_options *o, sn_err *err)
{
    if (o->steps < 2 || !(o->max_step > 0))
        return sn_fail(err, SN_ERR_INPUT, NULL, "path: steps must be 2 or more, and the longest positive");
    if (!isfinite(o->from) || !isfinite(o->to) || o->from == o->to)
        return sn_fail(err, SN_ERR_INPUT, NULL, "path: the parameter must go from one value to another");
    return SN_OK;
}

sn_status sn_path(const sn_model *m, const sn_values *values, const sn_path_options *o, sn_path_info *info,
                  sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_path_options, o, err));
    sn_path_info own;
    path p = {.o = o, .info = info ? info : &own};
    *p.info = (sn_path_info){0};
    SN_TRY(check_options(o, err));
    p.until = isnan(o->until) ? -1 : (o->until - o->from) / (o->to - o->from);
    SN_TRY(sn_values_copy(values, &p.p, err));
    sn_status s = SN_OK;
    if (o->parameter) s = sn_values_set_number(p.p, o->parameter, o->from, err);
    if (!s && o->parameter) s = sn_values_update(p.p, err);
    if (!s) s = sn_context_open(m, p.p, &o->run, &p.run, &p.d, err);
    if (!s) {
        s = trace(&p, err);
        p.info->iterations = p.run.iterations, p.info->factorisations = p.run.factorisations;
        sn_curve_close(&p.c);
        sn_context_close(&p.d);
    }
    for (int i = 0; i < p.n_crossing; i++) sn_curve_point_free(&p.crossing[i].x), sn_free(p.crossing[i].phi);
    sn_curve_point_free(&p.x), sn_curve_point_free(&p.y), sn_curve_point_free(&p.z);
    sn_free(p.phi), sn_free(p.crossing);
    sn_values_free(p.p);
    return s;
}
