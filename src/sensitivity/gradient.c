/* Gradients: which method, and the methods one after the other. */
#include "sensitivity/gradient.h"
#include "base/size.h"
#include "sensitivity/adjoint.h"
#include "sensitivity/forward.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

void sn_gradient_options_fill(const sn_model *m, const sn_values *p, size_t size, sn_gradient_options *out)
{
    memset(out, 0, size);
    out->size = size;
    if (size != sizeof *out) return; /* refused where they are used */
    out->run = sn_run_options_default(m, p);
}

/* first: of each quantity 1 + the place of its first name. */
static sn_status find_names(const sn_model *m, const sn_values *p, int n, const char *const *name, int *first,
                            int *id, sn_err *err)
{
    for (int i = 0; i < n; i++) {
        double x;
        SN_TRY(sn_values_get(p, name[i], &x, err)); /* reports unknown names */
        id[i] = sn_quantity_find(m, name[i]);
        const sn_quantity *q = &m->quantity[id[i]];
        if (q->varies)
            return sn_fail(err, SN_ERR_INPUT, NULL, "'%s' varies with time: differentiate by its parameters",
                           name[i]);
        SN_TRY(sn_structure_refuse(m, id[i], name[i], NULL, err));
        if (id[i] >= m->run.first && id[i] < m->run.first + m->run.n)
            return sn_fail(err, SN_ERR_INPUT, NULL, "'%s' is no number of the model but of its computation",
                           name[i]);
        for (int k = 0; k < m->n_node; k++)
            if (m->node[k].ground && id[i] >= m->node[k].s && id[i] < m->node[k].s + m->node[k].ns)
                return sn_fail(err, SN_ERR_INPUT, NULL, "'%s' belongs to the ground, which does not move",
                               name[i]);
        if (!isfinite(x)) return sn_fail(err, SN_ERR_INPUT, NULL, "'%s' has no value", name[i]);
        if (!p->fixed[id[i]] && q->tapers)
            return sn_fail(err, SN_ERR_INPUT, NULL,
                           "'%s' varies along the beam: differentiate by the parameters in its expression",
                           name[i]);
        if (first[id[i]])
            return sn_fail(err, SN_ERR_INPUT, NULL, "'%s' and '%s' are the same number",
                           name[first[id[i]] - 1], name[i]);
        first[id[i]] = i + 1;
    }
    return SN_OK;
}

sn_status sn_gradient_names(const sn_model *m, const sn_values *p, int n, const char *const *name, int *id,
                            sn_err *err)
{
    int *first;
    if (!SN_NEW(first, m->n_quantity + 1)) return SN_OUT_OF_MEM(err);
    sn_status status = find_names(m, p, n, name, first, id, err);
    sn_free(first);
    return status;
}

/* Options of a run whose derivatives are asked for. */
static sn_run_options exact_options(const sn_run_options *o)
{
    sn_run_options r = *o;
    r.exact = o->exact == SN_SIX_DIGITS ? SN_SIX_DIGITS : SN_EXACT;
    r.frame = NULL, r.n_point = 0;
    if (r.drop_redundant == SN_REDUNDANT_SHARE) r.drop_redundant = SN_REDUNDANT_DROP; /* the same motion */
    return r;
}

static int is_reaction(const sn_object *sensor)
{
    const sn_source source = ((const sn_sensor_class *)sensor->cls)->source;
    return source == SN_FROM_REACTION || source == SN_FROM_MULTIPLIER;
}

/* Reactions shared between redundant equations are not differentiated; nor are those that follow from the
   steps before, as with constraints: augmented. */
static sn_status refuse_reactions(const sn_model *m, const sn_objectives *of, const char *which, sn_err *err)
{
    for (int i = 0; i < m->sensor.n; i++) {
        const sn_object *s = &m->sensor.object[i];
        if (of->wanted[i] && is_reaction(s))
            return sn_fail(err, SN_ERR_INPUT, &s->mark,
                           "sensor '%s': reactions that are shared between redundant equations have no "
                           "derivative here (use %s)",
                           s->name, which);
    }
    return SN_OK;
}

static sn_status check_sharing(const sn_model *m, const sn_run_options *o, const sn_objectives *of,
                               sn_err *err)
{
    return o->drop_redundant == SN_REDUNDANT_SHARE ? refuse_reactions(m, of, "redundant: drop", err) : SN_OK;
}

/* After the run, which knows what is redundant. */
static int reactions_follow(const sn_run_options *o, const sn_info *info)
{
    return info->redundant > 0 && !info->kinematic && o->constraints == SN_CONSTRAINTS_AUGMENTED;
}

/* status: of the run, which may have failed for it; before: reports then. */
static sn_status check_following(const sn_model *m, const sn_run_options *o, const sn_info *info,
                                 const sn_objectives *of, sn_status status, int before, sn_err *err)
{
    if (!reactions_follow(o, info) || (status && status != SN_ERR_NUMERIC)) return status;
    if (!refuse_reactions(m, of, "", NULL)) return status;
    sn_err_forget(err, before);
    return refuse_reactions(m, of, "constraints: multipliers", err);
}

/* ---- forward ---- */

typedef struct team {
    const sn_model *m;
    const sn_values *p;
    const sn_gradient_options *o;
    const int *id;
    sn_sim **sim; /* of the calling thread */
    int size;
    atomic_int stop;
} team;

/* One thread's share of the parameters, with a run of its own. */
typedef struct member {
    team *team;
    int from, n, first;
    sn_objectives *of;
    sn_info info;
    sn_err err;
    sn_status status;
    int start_by_differences;
    unsigned char *used; /* n */
    pthread_t thread;
    int started;
} member;

static int watch(void *ctx, double done, double t)
{
    member *w = ctx;
    const sn_run_options *o = &w->team->o->run;
    if (w->first && o->progress && o->progress(o->ctx, done, t)) atomic_store(&w->team->stop, 1);
    return atomic_load(&w->team->stop);
}

static void tell(void *ctx, const char *text)
{
    member *w = ctx;
    const sn_run_options *o = &w->team->o->run;
    if (w->first && o->message) o->message(o->ctx, text);
}

static void take(void *ctx, int i, double t, double dt, const double *y, const double *dy)
{
    member *w = ctx;
    if (i < 0)
        sn_objectives_step(w->of, t, dt, y, dy);
    else
        sn_objectives_sample(w->of, i, y, dy);
}

static void *work(void *ctx)
{
    member *w = ctx;
    team *t = w->team;
    sn_run_options o = exact_options(&t->o->run);
    if (t->size > 1) o.threads = 1;
    sn_forward f = {.np = w->n,
                    .id = t->id + w->from,
                    .wanted = w->of->wanted,
                    .times = w->of->times,
                    .n_times = w->of->n_times,
                    .steps = w->of->steps,
                    .take = take,
                    .ctx = w};
    sn_follow follow = sn_forward_follow(&f);
    o.progress = watch, o.message = tell, o.ctx = w;
    w->status = w->first ? sn_run_kept(t->sim, t->m, t->p, &o, &follow, &w->info, &w->err)
                         : sn_run_followed(t->m, t->p, &o, &follow, &w->info, &w->err);
    if (!w->status) {
        sn_objectives_finish(w->of, 1);
        if (w->used) memcpy(w->used, f.chain->used, (size_t)w->n);
    }
    w->start_by_differences = f.start_by_differences;
    sn_forward_free(&f);
    return NULL;
}

enum { SHARE = 8, MOST = 64 }; /* parameters that are worth a thread of their own */

static int thread_count(const sn_gradient_options *o)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int n = o->threads > 0 ? o->threads : (int)(cores < 1 ? 1 : cores), pay = (o->n_wrt + SHARE - 1) / SHARE;
    if (o->threads == 0 && n > pay) n = pay;
    if (n > o->n_wrt) n = o->n_wrt;
    return n < 1 ? 1 : n > MOST ? MOST : n;
}

/* The parameters in nearly equal shares; each column is the same whoever computes it. */
static sn_status forward(team *t, const sn_gradient_result *to, sn_gradient_info *info, sn_err *err)
{
    const sn_gradient_options *o = t->o;
    int n = t->size = thread_count(o), before = sn_err_count(err);
    member *w;
    sn_status status = SN_OK;
    if (!SN_NEW(w, n)) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < n && !status; i++) {
        w[i] = (member){.team = t, .from = (int)((long)o->n_wrt * i / n), .first = i == 0};
        w[i].n = (int)((long)o->n_wrt * (i + 1) / n) - w[i].from;
        w[i].used = to->used ? to->used + w[i].from : NULL;
        sn_err_clear(&w[i].err);
        status = sn_objectives_new(t->m, o, w[i].n, &w[i].of, err);
        if (!status && i == 0) status = check_sharing(t->m, &o->run, w[i].of, err);
    }
    for (int i = 1; i < n && !status; i++) w[i].started = !pthread_create(&w[i].thread, NULL, work, &w[i]);
    for (int i = 0; i < n && !status; i++)
        if (!w[i].started) work(&w[i]);
    for (int i = 1; i < n; i++)
        if (w[i].started) pthread_join(w[i].thread, NULL);
    for (int i = 0; i < n && !status; i++) {
        status = w[i].status;
        if (status) sn_err_join(err, &w[i].err);
        info->start_by_differences |= w[i].start_by_differences;
    }
    if (w[0].of) status = check_following(t->m, &o->run, &w[0].info, w[0].of, status, before, err);
    for (int k = 0; k < o->n_of && !status; k++) {
        to->value[k] = w[0].of->list[k].value;
        for (int i = 0; i < n; i++)
            memcpy(to->gradient + (size_t)k * (size_t)o->n_wrt + w[i].from, w[i].of->list[k].d,
                   sizeof(double) * (size_t)w[i].n);
    }
    info->run = w[0].info, info->threads = n;
    for (int i = 0; i < n; i++) sn_objectives_free(w[i].of);
    sn_free(w);
    return status;
}

/* ---- adjoint ---- */

/* Whether the adjoint's store has room for all steps, and as many again where some must be reduced: parts of
   a run to six digits are not repeated bit for bit. */
static int is_stored_whole(const sn_model *m, const sn_run_options *r, double memory)
{
    const sn_scheme *scheme;
    const sn_integrator_class *k = sn_scheme_find(r->scheme, &scheme);
    double steps = r->step > 0 ? (r->end - r->begin) / r->step : INFINITY;
    return k && !(r->error > 0) && 2 * steps * sn_adjoint_bytes(m, k->history) <= memory;
}

static sn_status adjoint(team *t, int continuous, const sn_gradient_result *to, sn_gradient_info *info,
                         sn_err *err)
{
    const sn_gradient_options *o = t->o;
    sn_adjoint a = {.np = o->n_wrt, .id = t->id, .memory = o->memory > 0 ? o->memory : 1073741824.0};
    sn_run_options r = exact_options(&o->run);
    int before = sn_err_count(err);
    /* backwards the matrices are made again */
    r.exact = r.exact == SN_SIX_DIGITS && is_stored_whole(t->m, &r, a.memory) ? SN_SIX_DIGITS_STATES
                                                                              : SN_EXACT_STATES;
    SN_TRY(sn_objectives_new(t->m, o, o->n_wrt, &a.of, err));
    sn_status status = check_sharing(t->m, &o->run, a.of, err);
    if (!status && continuous) status = sn_continuous_check(t->m, err);
    a.continuous = continuous;
    sn_follow follow = sn_adjoint_follow(&a);
    if (!status) status = sn_run_kept(t->sim, t->m, t->p, &r, &follow, &info->run, err);
    status = check_following(t->m, &o->run, &info->run, a.of, status, before, err);
    for (int k = 0; k < o->n_of && !status; k++) {
        to->value[k] = a.of->list[k].value;
        memcpy(to->gradient + (size_t)k * (size_t)o->n_wrt, a.of->list[k].d,
               sizeof(double) * (size_t)o->n_wrt);
    }
    if (!status && to->used) memcpy(to->used, a.chain->used, (size_t)o->n_wrt);
    info->start_by_differences = a.start_by_differences, info->stored = a.at_end, info->repeated = a.repeated;
    info->bytes_per_step = sn_adjoint_bytes(t->m, a.cls ? a.cls->history : 0);
    sn_adjoint_free(&a);
    sn_objectives_free(a.of);
    return status;
}

/* ---- statics ---- */

static sn_status statics(team *t, int transposed, const sn_gradient_result *to, sn_gradient_info *info,
                         sn_err *err)
{
    const sn_gradient_options *o = t->o;
    const sn_model *m = t->m;
    int np = o->n_wrt, channels = sn_channel_count(m);
    sn_objectives *of = NULL;
    sn_context d = {.m = NULL};
    sn_parameter_chain *c = NULL;
    sn_dstart *s = NULL;
    sn_dstate *dx = NULL;
    double *dy = NULL, *g = NULL;
    sn_run_options r = exact_options(&o->run);
    r.progress = o->run.progress, r.message = o->run.message;
    SN_TRY(sn_objectives_new(m, o, np, &of, err));
    sn_status status = check_sharing(m, &o->run, of, err);
    if (!status) status = sn_context_open(m, t->p, &r, &info->run, &d, err);
    if (!status) {
        memcpy(d.x->q, t->p->q0, sizeof(double) * (size_t)m->nq);
        if (!m->flat) sn_system_tangent_maps(d.w, d.zero);
        status = sn_equilibrium(&d, err);
    }
    if (!status) status = sn_parameter_chain_new(m, t->p, np, t->id, &c, err);
    if (!status) sn_parameter_chain_time(c, d.w, 0);
    if (!status) status = sn_system_sensors(d.w, d.x, d.y, err);
    if (!status) status = sn_dstart_new(&d, c, &s, err);
    if (!status) status = sn_dstate_new(m, 0, transposed ? 1 : np, &dx, err);
    if (!status && (!SN_NEW(dy, (size_t)(channels + 1) * (size_t)(np + 1)) || !SN_NEW(g, np + 1)))
        status = SN_OUT_OF_MEM(err);
    if (!status && !transposed) status = sn_dstatic(s, dx, err);
    if (!status && !transposed) status = sn_system_dsensors(d.w, d.x, c, dx, of->wanted, dy, err);
    for (int i = 0; !status && i < of->n_times; i++) sn_objectives_sample(of, i, d.y, transposed ? NULL : dy);
    if (!status) sn_objectives_finish(of, !transposed);
    for (int k = 0; !status && k < o->n_of; k++) {
        double *row = to->gradient + (size_t)k * (size_t)np;
        to->value[k] = of->list[k].value;
        memcpy(row, of->list[k].d, sizeof(double) * (size_t)np);
        if (!transposed) continue;
        /* S' z = what is felt of (q, lam); less z' times the derivatives of the equations */
        memset(row, 0, sizeof(double) * (size_t)np);
        memset(dy, 0, sizeof(double) * (size_t)channels);
        sn_dstate_clear(m, dx);
        sn_objectives_weigh(of, k);
        for (int i = 0; i < of->n_times; i++) sn_objectives_seed_sample(of, i, d.y, dy);
        status = sn_system_dsensors_transposed(d.w, d.x, c, dy, dx, row, err);
        if (!status) status = sn_dstatic_transposed(s, dx, row, err);
    }
    if (!status && to->used) memcpy(to->used, c->used, (size_t)np);
    sn_free(dy), sn_free(g);
    sn_dstate_free(dx), sn_dstart_free(s), sn_parameter_chain_free(c), sn_objectives_free(of);
    if (d.m) sn_context_close(&d);
    return status;
}

/* ---- all together ---- */

enum { FEW = 8 }; /* parameters up to which forward is preferred for one objective */

static sn_gradient_method choose(const sn_gradient_options *o)
{
    const sn_scheme *scheme;
    const sn_integrator_class *k = sn_scheme_find(o->run.scheme, &scheme);
    if (o->method != SN_GRADIENT_AUTO) return o->method;
    if (k && !o->statics && !k->step_adjoint != !k->step_forward) /* what there is */
        return k->step_forward ? SN_GRADIENT_FORWARD : SN_GRADIENT_ADJOINT;
    return o->n_wrt <= FEW * o->n_of ? SN_GRADIENT_FORWARD : SN_GRADIENT_ADJOINT;
}

static sn_status with_ids(team *t, const sn_gradient_result *to, sn_gradient_info *info, sn_err *err)
{
    const sn_gradient_options *o = t->o;
    int before = sn_err_count(err);
    info->method = choose(o);
    info->threads = 1;
    if (to->used) memset(to->used, 1, (size_t)o->n_wrt);
    if (info->method == SN_GRADIENT_DIFFERENCES)
        return sn_gradient_differences(t->m, t->p, o, t->id, to, info, err);
    if (o->statics) return statics(t, info->method == SN_GRADIENT_ADJOINT, to, info, err);
    if (info->method == SN_GRADIENT_ADJOINT || info->method == SN_GRADIENT_CONTINUOUS) {
        sn_status status = adjoint(t, info->method == SN_GRADIENT_CONTINUOUS, to, info, err);
        if (!info->run.kinematic) return status;
        /* without freedom no state depends on the one before, and there is nothing to go back through */
        sn_err_forget(err, before);
        info->method = SN_GRADIENT_FORWARD;
    }
    return forward(t, to, info, err);
}

/* A value that is no number (a logarithm of something negative) has no derivative. */
static sn_status check_finite(const sn_gradient_options *o, const sn_gradient_result *r, sn_err *err)
{
    for (int k = 0; k < o->n_of; k++) {
        if (!isfinite(r->value[k]))
            return sn_fail(err, SN_ERR_NUMERIC, NULL, "'%s' is %s", o->of[k],
                           isnan(r->value[k]) ? "not a number" : "infinite");
        for (int i = 0; i < o->n_wrt; i++)
            if (!isfinite(r->gradient[(size_t)k * (size_t)o->n_wrt + (size_t)i]))
                return sn_fail(err, SN_ERR_NUMERIC, NULL, "the derivative of '%s' by '%s' is not finite",
                               o->of[k], o->wrt[i]);
    }
    return SN_OK;
}

sn_status sn_gradient_kept(sn_sim **sim, const sn_model *m, const sn_values *p, const sn_gradient_options *o,
                           const sn_gradient_result *result, sn_gradient_info *info, sn_err *err)
{
    sn_gradient_info own;
    int *id;
    if (!info) info = &own;
    *info = (sn_gradient_info){.threads = 1};
    if (o->n_of < 1)
        return sn_fail(err, SN_ERR_INPUT, NULL, "nothing to differentiate: no objective is given");
    if (o->n_wrt < 1) return sn_fail(err, SN_ERR_INPUT, NULL, "no parameter is given to differentiate by");
    if (!SN_NEW(id, o->n_wrt)) return SN_OUT_OF_MEM(err);
    sn_status status = sn_gradient_names(m, p, o->n_wrt, o->wrt, id, err);
    team t = {.m = m, .p = p, .o = o, .id = id, .sim = sim};
    if (!status) status = with_ids(&t, result, info, err);
    if (!status) status = check_finite(o, result, err);
    sn_free(id);
    return status;
}

sn_status sn_gradient(const sn_model *m, const sn_values *p, const sn_gradient_options *o,
                      const sn_gradient_result *result, sn_gradient_info *info, sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_gradient_options, o, err));
    sn_sim *sim = NULL;
    sn_status status = sn_gradient_kept(&sim, m, p, o, result, info, err);
    sn_sim_close(sim);
    return status;
}

/* ---- frames and samples ---- */

sn_status sn_run(const sn_model *m, const sn_values *p, const sn_run_options *o, sn_info *info, sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_run_options, o, err));
    if (o->n_wrt <= 0) return sn_run_followed(m, p, o, NULL, info, err);
    sn_run_options r = exact_options(o);
    int *id;
    r.frame = o->frame, r.n_point = o->n_point;
    if (!SN_NEW(id, o->n_wrt)) return SN_OUT_OF_MEM(err);
    sn_status status = sn_gradient_names(m, p, o->n_wrt, o->wrt, id, err);
    if (!status && o->drop_redundant == SN_REDUNDANT_SHARE)
        status =
            sn_fail(err, SN_ERR_INPUT, NULL,
                    "derivatives of a run whose reactions are shared between redundant equations are not "
                    "available (use redundant: drop)");
    sn_forward f = {.np = o->n_wrt, .id = id, .frames = 1};
    sn_follow follow = sn_forward_follow(&f);
    sn_info own;
    if (!status) status = sn_run_followed(m, p, &r, &follow, &own, err);
    if (!status && info) *info = own;
    if (!status && reactions_follow(o, &own))
        for (int i = 0; i < m->sensor.n && !status; i++)
            if (is_reaction(&m->sensor.object[i]))
                status = sn_fail(err, SN_ERR_INPUT, &m->sensor.object[i].mark,
                                 "sensor '%s': reactions of redundant equations have no derivative with "
                                 "constraints: augmented (use constraints: multipliers)",
                                 m->sensor.object[i].name);
    sn_forward_free(&f);
    sn_free(id);
    return status;
}

typedef struct sampler {
    const sn_samples *to;
    int channels, np;
} sampler;

static void keep_sample(void *ctx, int i, double t, double dt, const double *y, const double *dy)
{
    sampler *s = ctx;
    size_t c = (size_t)s->channels, np = (size_t)s->np;
    (void)t, (void)dt;
    if (i < 0) return;
    memcpy(s->to->y + (size_t)i * c, y, sizeof(double) * c);
    if (s->to->dy) memcpy(s->to->dy + (size_t)i * c * np, dy, sizeof(double) * c * np);
}

sn_status sn_sample(const sn_model *m, const sn_values *p, const sn_run_options *options,
                    const sn_samples *samples, sn_info *info, sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_run_options, options, err));
    sampler s = {samples, sn_channel_count(m), samples->dy ? options->n_wrt : 0};
    sn_run_options o = exact_options(options);
    sn_info own;
    const double *t = samples->t;
    int *id;
    for (int i = 0; i < samples->n; i++)
        if (!(t[i] >= o.begin && t[i] <= o.end * (1 + 1e-12)) || (i && t[i] < t[i - 1]))
            return sn_fail(err, SN_ERR_INPUT, NULL, "times of samples must ascend, from %g s to %g s",
                           o.begin, o.end);
    if (!SN_NEW(id, s.np + 1)) return SN_OUT_OF_MEM(err);
    sn_status status = sn_gradient_names(m, p, s.np, options->wrt, id, err);
    sn_forward f = {.np = s.np, .id = id, .times = t, .n_times = samples->n, .take = keep_sample, .ctx = &s};
    sn_follow follow = sn_forward_follow(&f);
    if (!status) status = sn_run_followed(m, p, &o, &follow, info ? info : &own, err);
    sn_forward_free(&f);
    sn_free(id);
    return status;
}
