/* Gradients by differences: central, extrapolated to step zero by Richardson's rule with Ridders' choice of
   the best entry of the tableau and its estimate of error (Ridders, Advances in Engineering Software 4,
   1982); one-sided where a number may not be moved to one side. The steps of the run are those of the unmoved
   parameters, also where their size is chosen by error or has been reduced: otherwise the result would jump.
 */
#include "sensitivity/forward.h"
#include "sensitivity/gradient.h"
#include "sensitivity/objective.h"

#include <math.h>
#include <string.h>

enum { LEVELS = 7 };

typedef struct trail {
    sn_objectives *of;
    sn_forward f;
    sn_follow inner;
    double *h;
    unsigned char *whole;
    long n, cap, kept;
    int record;
} trail;

static void take(void *ctx, int i, double t, double dt, const double *y, const double *dy)
{
    trail *s = ctx;
    (void)dy;
    if (i < 0)
        sn_objectives_step(s->of, t, dt, y, NULL);
    else
        sn_objectives_sample(s->of, i, y, NULL);
}

static sn_status start(void *ctx, sn_desk *d, const sn_integrator_class *cls, void *integrator, sn_err *err)
{
    trail *s = ctx;
    return s->inner.start(&s->f, d, cls, integrator, err);
}

static sn_status step(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    trail *s = ctx;
    (void)x0;
    if (!s->record) return SN_OK;
    if (s->n == s->cap) {
        long more = s->cap ? 2 * s->cap : 1024;
        double *h = sn_alloc((size_t)more, sizeof *h);
        unsigned char *whole = sn_alloc((size_t)more, 1);
        if (!h || !whole) {
            sn_free(h), sn_free(whole);
            return SN_OUT_OF_MEM(err);
        }
        if (s->n) memcpy(h, s->h, sizeof *h * (size_t)s->n), memcpy(whole, s->whole, (size_t)s->n);
        sn_free(s->h), sn_free(s->whole);
        s->h = h, s->whole = whole, s->cap = more;
    }
    s->h[s->n] = x1->h, s->whole[s->n++] = 0;
    return SN_OK;
}

static void back(void *ctx)
{
    trail *s = ctx;
    s->n = s->kept;
}

static sn_status keep(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    trail *s = ctx;
    if (s->record) s->whole[s->n - 1] = 1, s->kept = s->n;
    return s->inner.keep(&s->f, x0, x1, err);
}

/* The objectives of a run with other numbers. */
static sn_status run(const sn_model *m, const sn_values *p, const sn_gradient_options *o, trail *s,
                     int record, double *value, sn_info *info, sn_err *err)
{
    sn_run_options r = o->run;
    r.exact = 1, r.frame = NULL, r.n_point = 0;
    if (!record) r.message = NULL;
    /* steps that are given cannot be divided further */
    if (!record && r.max_iterations < 50) r.max_iterations = 50;
    s->record = record;
    SN_TRY(sn_objectives_new(m, o->n_of, o->of, o->data, 0, r.begin, r.end, 0, &s->of, err));
    s->f = (sn_forward){
        .times = s->of->times, .n_times = s->of->n_times, .steps = s->of->steps, .take = take, .ctx = s};
    s->inner = sn_forward_follow(&s->f);
    sn_follow follow = {.start = start, .step = step, .back = back, .keep = keep, .ctx = s};
    if (!record) follow.steps = s->h, follow.whole = s->whole, follow.n_steps = s->n;
    sn_status status = sn_run_followed(m, p, &r, &follow, info, err);
    if (!status) sn_objectives_finish(s->of, 0);
    for (int k = 0; !status && k < o->n_of; k++) value[k] = s->of->list[k].value;
    sn_forward_free(&s->f);
    sn_objectives_free(s->of);
    s->of = NULL;
    return status;
}

static sn_status equilibrium(const sn_model *m, const sn_values *p, const sn_gradient_options *o,
                             double *value, sn_info *info, sn_err *err)
{
    sn_objectives *of;
    double *y;
    sn_run_options r = o->run;
    r.frame = NULL, r.message = NULL;
    SN_TRY(sn_objectives_new(m, o->n_of, o->of, NULL, 0, 0, 0, 1, &of, err));
    sn_status status =
        SN_NEW(y, sn_channel_count(m) + 1) ? sn_static(m, p, &r, y, info, err) : SN_OUT_OF_MEM(err);
    for (int i = 0; !status && i < of->n_times; i++) sn_objectives_sample(of, i, y, NULL);
    if (!status) sn_objectives_finish(of, 0);
    for (int k = 0; !status && k < o->n_of; k++) value[k] = of->list[k].value;
    sn_free(y);
    sn_objectives_free(of);
    return status;
}

typedef struct asker {
    const sn_model *m;
    const sn_values *p;
    const sn_gradient_options *o;
    trail s;
    sn_values *moved;
    double *plus, *minus, *base; /* n_of each */
    double *table;               /* n_of x LEVELS */
} asker;

/* With number id at x; SN_ERR_INPUT: it may not be that. */
static sn_status ask(asker *a, int id, double x, double *value, sn_err *err)
{
    sn_info info;
    double was = a->moved->x[id];
    unsigned char fixed = a->moved->fixed[id];
    a->moved->x[id] = x, a->moved->fixed[id] = 1;
    sn_status status = sn_values_update(a->moved, err);
    if (!status)
        status = a->o->statics ? equilibrium(a->m, a->moved, a->o, value, &info, err)
                               : run(a->m, a->moved, a->o, &a->s, 0, value, &info, err);
    a->moved->x[id] = was, a->moved->fixed[id] = fixed;
    return status;
}

/* One column by Ridders' tableau. */
static sn_status column(asker *a, int k, int id, double *gradient, double *error, sn_err *err)
{
    const sn_gradient_options *o = a->o;
    double x = a->p->x[id], h = 1e-2 * (x != 0 ? fabs(x) : 1);
    int one_sided = 0;
    sn_err own;
    for (int i = 0; i < o->n_of; i++) error[(size_t)i * (size_t)o->n_wrt + (size_t)k] = INFINITY;
    for (int level = 0; level < LEVELS; level++, h /= 2) {
        sn_err_clear(&own);
        sn_status plus = ask(a, id, x + (one_sided < 0 ? -h : h), a->plus, &own), minus = SN_OK;
        if (!plus && !one_sided) minus = ask(a, id, x - h, a->minus, &own);
        if (level == 0 && !one_sided && (plus == SN_ERR_INPUT || minus == SN_ERR_INPUT)) {
            one_sided = plus ? -1 : 1;
            level = -1, h *= 2;
            continue;
        }
        if (plus || minus) {
            sn_err_join(err, &own);
            return plus ? plus : minus;
        }
        for (int i = 0; i < o->n_of; i++) {
            size_t at = (size_t)i * (size_t)o->n_wrt + (size_t)k;
            double *row = a->table + (size_t)i * LEVELS, factor = one_sided ? 2 : 4;
            double next =
                one_sided ? one_sided * (a->plus[i] - a->base[i]) / h : (a->plus[i] - a->minus[i]) / (2 * h);
            for (int j = 0; j <= level; j++, factor *= one_sided ? 2 : 4) {
                double before = row[j];
                row[j] = next;
                if (j == level) break;
                next = (factor * row[j] - before) / (factor - 1);
                double e = fmax(fabs(next - row[j]), fabs(next - before));
                if (e <= error[at]) error[at] = e, gradient[at] = next;
            }
            if (level == 0) gradient[at] = row[0];
        }
    }
    return SN_OK;
}

sn_status sn_gradient_differences(const sn_model *m, const sn_values *p, const sn_gradient_options *o,
                                  const int *id, double *value, double *gradient, double *error,
                                  sn_gradient_info *info, sn_err *err)
{
    asker a = {.m = m, .p = p, .o = o};
    double *own = NULL;
    size_t n = (size_t)o->n_of;
    sn_status status = sn_values_copy(p, &a.moved, err);
    if (!status && (!SN_NEW(a.plus, n) || !SN_NEW(a.minus, n) || !SN_NEW(a.base, n) ||
                    !SN_NEW(a.table, n * LEVELS) || !SN_NEW(own, n * (size_t)o->n_wrt)))
        status = SN_OUT_OF_MEM(err);
    if (!status)
        status = o->statics ? equilibrium(m, p, o, a.base, &info->run, err)
                            : run(m, p, o, &a.s, 1, a.base, &info->run, err);
    if (!status) memcpy(value, a.base, n * sizeof *value);
    for (int k = 0; !status && k < o->n_wrt; k++)
        status = column(&a, k, id[k], gradient, error ? error : own, err);
    sn_free(a.plus), sn_free(a.minus), sn_free(a.base), sn_free(a.table), sn_free(own);
    sn_free(a.s.h), sn_free(a.s.whole);
    sn_values_free(a.moved);
    return status;
}
