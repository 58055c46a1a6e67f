/* Gradients by differences: central, extrapolated to step zero by Richardson's rule with Ridders' choice of
   the best entry of the tableau and its estimate of error (Ridders, Advances in Engineering Software 4,
   1982); one-sided where a number may not be moved to one side.

   The best of many entries looks better than it is, by chance, and steps of a hundredth to a ten-thousandth
   of a number do not see what is finer: results of runs with hard contacts or dry friction have ripples, of
   the time step's length where a transition moves in time. So the estimate is not less than how far the
   tableaus of every second step differ from each other, which share no run, nor than how far the differences
   over a millionth are from the result, as far as the runs' noise (their fourth differences) does not
   explain it. The steps of the run are those of the unmoved
   parameters, also where their size is chosen by error or has been reduced: otherwise the result would jump.
 */
#include "sensitivity/forward.h"
#include "base/size.h"
#include "sensitivity/gradient.h"
#include "sensitivity/vibration.h"
#include "sensitivity/objective.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LEVELS = 7, NEARER = 4 };
static const double FIRST = 1e-2, SMALL = 2e-6; /* steps, of the number's size */

typedef struct recorded_steps {
    sn_objectives *of;
    sn_forward f;
    sn_follow inner;
    double *h;
    unsigned char *whole;
    long n, cap, kept;
    int record;
    sn_sim *sim; /* for all runs; NULL: none yet */
} recorded_steps;

/* Differences of one number by one parameter over steps h, h/2, ... */
typedef struct tableau {
    double d[LEVELS]; /* over each step */
    int one_sided;
} tableau;

/* Values at 1, 2, -1, -2 (one-sided: 1 to 4) steps of a millionth. */
typedef struct small_steps {
    double y[4], h;
} small_steps;

typedef struct evaluator {
    const sn_model *m;
    const sn_values *p;
    const sn_gradient_options *o;
    const sn_mode_options *modes; /* natural frequencies, n_of of them; or NULL */
    int damped;                   /* their eigenvalues */
    recorded_steps s;
    sn_values *moved;
    double *plus, *minus, *base; /* n_of each */
    tableau *table;              /* n_of */
    small_steps *close;
} evaluator;

static void take(void *ctx, int i, double t, double dt, const double *y, const double *dy)
{
    recorded_steps *s = ctx;
    (void)dy;
    if (i < 0)
        sn_objectives_step(s->of, t, dt, y, NULL);
    else
        sn_objectives_sample(s->of, i, y, NULL);
}

static sn_status start(void *ctx, sn_context *d, const sn_integrator_class *cls, void *integrator,
                       sn_err *err)
{
    recorded_steps *s = ctx;
    return s->inner.start(&s->f, d, cls, integrator, err);
}

static sn_status step(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    recorded_steps *s = ctx;
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
    recorded_steps *s = ctx;
    s->n = s->kept;
}

static sn_status keep(void *ctx, const sn_state *x0, const sn_state *x1, sn_err *err)
{
    recorded_steps *s = ctx;
    if (s->record) s->whole[s->n - 1] = 1, s->kept = s->n;
    return s->inner.keep(&s->f, x0, x1, err);
}

/* The objectives of a run with numbers p: recording its steps, or with those of the run that was recorded. */
static sn_status run(evaluator *a, const sn_values *p, int record, double *value, sn_info *info, sn_err *err)
{
    const sn_gradient_options *o = a->o;
    recorded_steps *s = &a->s;
    sn_run_options r = o->run;
    r.exact = 1, r.frame = NULL, r.n_point = 0;
    if (!record) r.message = NULL;
    /* steps that are given cannot be divided further */
    if (!record && r.max_iterations < 50) r.max_iterations = 50;
    s->record = record;
    SN_TRY(sn_objectives_new(a->m, o, 0, &s->of, err));
    s->f = (sn_forward){
        .times = s->of->times, .n_times = s->of->n_times, .steps = s->of->steps, .take = take, .ctx = s};
    s->inner = sn_forward_follow(&s->f);
    sn_follow follow = {.start = start, .step = step, .back = back, .keep = keep, .ctx = s};
    if (!record) follow.steps = s->h, follow.whole = s->whole, follow.n_steps = s->n;
    sn_status status = sn_run_kept(&s->sim, a->m, p, &r, &follow, info, err);
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
    SN_TRY(sn_objectives_new(m, o, 0, &of, err));
    sn_status status =
        SN_NEW(y, sn_channel_count(m) + 1) ? sn_static(m, p, &r, y, info, err) : SN_OUT_OF_MEM(err);
    for (int i = 0; !status && i < of->n_times; i++) sn_objectives_sample(of, i, y, NULL);
    if (!status) sn_objectives_finish(of, 0);
    for (int k = 0; !status && k < o->n_of; k++) value[k] = of->list[k].value;
    sn_free(y);
    sn_objectives_free(of);
    return status;
}

static sn_status keep_frequency(void *ctx, int i, const sn_mode *mode, const sn_frame *state, sn_err *err)
{
    double *value = ctx;
    (void)state, (void)err;
    value[i] = mode->omega / (8 * atan(1));
    return SN_OK;
}

static sn_status frequencies(const sn_model *m, const sn_values *p, const sn_mode_options *o, double *value,
                             sn_err *err)
{
    sn_mode_options modes = *o;
    int found = 0;
    modes.mode = keep_frequency, modes.ctx = value, modes.undamped = 1, modes.run.message = NULL;
    SN_TRY(sn_modes(m, p, &modes, &found, err));
    return found < o->n ? sn_fail(err, SN_ERR_INPUT, NULL, "the model has only %d frequencies", found)
                        : SN_OK;
}

/* With number id at x; SN_ERR_INPUT: it may not be that. */
static sn_status evaluate(evaluator *a, int id, double x, double *value, sn_err *err)
{
    sn_info info;
    double was = a->moved->x[id];
    unsigned char fixed = a->moved->fixed[id];
    a->moved->x[id] = x, a->moved->fixed[id] = 1;
    sn_status status = sn_values_update(a->moved, err);
    if (!status)
        status = a->damped       ? sn_eigenvalue_values(a->m, a->moved, a->modes, value, err)
                 : a->modes      ? frequencies(a->m, a->moved, a->modes, value, err)
                 : a->o->statics ? equilibrium(a->m, a->moved, a->o, value, &info, err)
                                 : run(a, a->moved, 0, value, &info, err);
    a->moved->x[id] = was, a->moved->fixed[id] = fixed;
    return status;
}

/* Ridders' best entry, of every `stride`th step from the `from`th on. */
static double best(const tableau *t, int from, int stride, double *error)
{
    double row[LEVELS], x = t->d[from], ratio = pow(t->one_sided ? 2 : 4, stride);
    *error = INFINITY;
    for (int level = 0; from + level * stride < LEVELS; level++) {
        double next = t->d[from + level * stride], factor = ratio;
        for (int j = 0; j <= level; j++, factor *= ratio) {
            double before = row[j];
            row[j] = next;
            if (j == level) break;
            next = (factor * row[j] - before) / (factor - 1);
            double e = fmax(fabs(next - row[j]), fabs(next - before));
            if (e <= *error) *error = e, x = next;
        }
    }
    return x;
}

/* The difference over these, of fourth order (one-sided: third), and what noise makes of it: three times the
   mean size of a fourth difference of noise, over that of the rule. */
static double near_by(const small_steps *c, double base, int one_sided, double *noise)
{
    const double *y = c->y, h = one_sided ? one_sided * c->h : c->h;
    double fourth = one_sided ? base - 4 * y[0] + 6 * y[1] - 4 * y[2] + y[3]
                              : y[1] - 4 * y[0] + 6 * base - 4 * y[2] + y[3];
    /* what is below the last digit of the value is not seen in it */
    double sigma = fmax(fabs(fourth) / sqrt(70), DBL_EPSILON * fabs(base));
    *noise = 3 * sigma * (one_sided ? 5 : 1) / c->h;
    return one_sided ? (-11 * base + 18 * y[0] - 9 * y[1] + 2 * y[2]) / (6 * h)
                     : (8 * (y[0] - y[2]) - (y[1] - y[3])) / (12 * h);
}

static double judge(const tableau *t, const small_steps *c, double base, double *error)
{
    double other, noise, x = best(t, 0, 1, error), odd = best(t, 1, 2, &other), even = best(t, 0, 2, &other);
    double gap = fabs(near_by(c, base, t->one_sided, &noise) - x);
    *error = fmax(*error, fabs(odd - even));
    /* noise that is too small to matter need not be told from ripples */
    if (gap > noise || noise < 1e-6 * fabs(x)) *error = fmax(*error, gap);
    return x;
}

/* plus and minus: values at x + h and x - h; or plus alone, at one side: x + side h. */
static sn_status evaluate_both(evaluator *a, int id, double x, double h, int side, sn_err *err)
{
    SN_TRY(evaluate(a, id, x + (side < 0 ? -h : h), a->plus, err));
    return side ? SN_OK : evaluate(a, id, x - h, a->minus, err);
}

/* One column. */
static sn_status column(evaluator *a, int k, int id, double *gradient, double *error, sn_err *err)
{
    const size_t n = (size_t)a->o->n_of, np = (size_t)a->o->n_wrt;
    double x = a->p->x[id], size = x != 0 ? fabs(x) : 1, h = FIRST * size;
    int side = 0, nearer = 0;
    sn_err above; /* why it may not be larger */
    sn_err_clear(&above);
    for (int level = 0; level < LEVELS; level++, h /= 2) {
        sn_err own;
        sn_err_clear(&own);
        sn_status status = evaluate_both(a, id, x, h, side, &own);
        if (status == SN_ERR_INPUT && level == 0 && !side) {
            sn_err_clear(&above);
            side = evaluate(a, id, x + h, a->plus, &above) ? -1 : 1;
            level = -1, h *= 2;
            continue;
        }
        if (status == SN_ERR_NUMERIC && nearer < NEARER) {
            /* the steps of the unmoved run are not good for this one: all again from nearer by */
            h = FIRST * size * pow(0.25, ++nearer) * 2, level = -1;
            continue;
        }
        if (status) sn_err_join(err, side < 0 && level == 0 ? &above : &own); /* neither side will do */
        SN_TRY(status);
        for (size_t i = 0; i < n; i++) {
            a->table[i].one_sided = side;
            a->table[i].d[level] =
                side ? side * (a->plus[i] - a->base[i]) / h : (a->plus[i] - a->minus[i]) / (2 * h);
        }
    }
    h = SMALL * size;
    for (int step = 1; step <= 4; step++) {
        double at = side ? side * step * h : step == 1 ? h : step == 2 ? 2 * h : step == 3 ? -h : -2 * h;
        SN_TRY(evaluate(a, id, x + at, a->plus, err));
        for (size_t i = 0; i < n; i++) a->close[i].y[step - 1] = a->plus[i], a->close[i].h = h;
    }
    for (size_t i = 0; i < n; i++)
        gradient[i * np + (size_t)k] =
            judge(&a->table[i], &a->close[i], a->base[i], &error[i * np + (size_t)k]);
    return SN_OK;
}

static sn_status columns(evaluator *a, const int *id, const sn_gradient_result *to, sn_info *info,
                         sn_err *err)
{
    const sn_gradient_options *o = a->o;
    double *own = NULL;
    size_t n = (size_t)o->n_of;
    sn_status status = sn_values_copy(a->p, &a->moved, err);
    if (!status && (!SN_NEW(a->plus, n) || !SN_NEW(a->minus, n) || !SN_NEW(a->base, n) ||
                    !SN_NEW(a->table, n) || !SN_NEW(a->close, n) || !SN_NEW(own, n * (size_t)o->n_wrt)))
        status = SN_OUT_OF_MEM(err);
    if (!status)
        status = a->damped    ? sn_eigenvalue_values(a->m, a->p, a->modes, a->base, err)
                 : a->modes   ? frequencies(a->m, a->p, a->modes, a->base, err)
                 : o->statics ? equilibrium(a->m, a->p, o, a->base, info, err)
                              : run(a, a->p, 1, a->base, info, err);
    if (!status) memcpy(to->value, a->base, n * sizeof *a->base);
    for (int k = 0; !status && k < o->n_wrt; k++)
        status = column(a, k, id[k], to->gradient, to->error ? to->error : own, err);
    sn_free(a->plus), sn_free(a->minus), sn_free(a->base), sn_free(a->table), sn_free(a->close), sn_free(own);
    sn_free(a->s.h), sn_free(a->s.whole);
    sn_sim_close(a->s.sim);
    sn_values_free(a->moved);
    return status;
}

sn_status sn_gradient_differences(const sn_model *m, const sn_values *p, const sn_gradient_options *o,
                                  const int *id, const sn_gradient_result *result, sn_gradient_info *info,
                                  sn_err *err)
{
    evaluator a = {.m = m, .p = p, .o = o};
    return columns(&a, id, result, &info->run, err);
}

static sn_status of_modes(evaluator *a, const sn_mode_options *options, int values,
                          const sn_gradient_result *result, sn_err *err)
{
    sn_gradient_options o = *a->o;
    int *id;
    a->o = &o, a->modes = options, o.n_of = values * options->n;
    if (options->n < 1 || o.n_wrt < 1)
        return sn_fail(err, SN_ERR_INPUT, NULL, "differences of which frequencies, by which parameters?");
    if (!SN_NEW(id, o.n_wrt)) return SN_OUT_OF_MEM(err);
    sn_status status = sn_gradient_names(a->m, a->p, o.n_wrt, o.wrt, id, err);
    if (!status && result->used) memset(result->used, 1, (size_t)o.n_wrt);
    if (!status) status = columns(a, id, result, NULL, err);
    sn_free(id);
    return status;
}

sn_status sn_frequency_differences(const sn_model *m, const sn_values *p, const sn_mode_options *options,
                                   const char *const *wrt, int n_wrt, const sn_gradient_result *result,
                                   sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_mode_options, options, err));
    const sn_gradient_options o = {.wrt = wrt, .n_wrt = n_wrt};
    evaluator a = {.m = m, .p = p, .o = &o};
    return of_modes(&a, options, 1, result, err);
}

sn_status sn_eigenvalue_differences(const sn_model *m, const sn_values *p, const sn_mode_options *options,
                                    const char *const *wrt, int n_wrt, const sn_gradient_result *result,
                                    sn_err *err)
{
    SN_TRY(SN_OPTIONS_CHECK(sn_mode_options, options, err));
    const sn_gradient_options o = {.wrt = wrt, .n_wrt = n_wrt};
    evaluator a = {.m = m, .p = p, .o = &o, .damped = 1};
    return of_modes(&a, options, 2, result, err);
}
