/* Finer discretisations of a study: see refine.h. */
#include "identify/refine.h"
#include "identify/grow.h"
#include "model/scheme.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double near = 5; /* standard errors: the linear problem still tells the way */

int sn_study_order(const sn_study *s)
{
    const sn_scheme *scheme;
    const sn_integrator_class *k = sn_scheme_find(s->run.scheme, &scheme);
    return k && k->order > 0 ? k->order : 2;
}

/* The shortest experiment: where nothing else is said steps are at most a fiftieth of a run. */
static double shortest(const sn_study *s)
{
    double span = INFINITY;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        if (x->end > x->begin) span = fmin(span, x->end - x->begin);
    }
    return span;
}

void sn_study_halve(const sn_study *s, int times, sn_run_options *run)
{
    double shorter = ldexp(1, -times);
    if (times < 1) return;
    run->step *= shorter;
    if (!(run->error > 0)) return;
    /* the local error is as h to the power order + 1 */
    run->error *= pow(shorter, sn_study_order(s) + 1);
    if (!(run->max_step > 0) && isfinite(shortest(s))) run->max_step = shortest(s) / 50;
    run->max_step *= shorter, run->min_step *= shorter;
}

int sn_study_meshes(const sn_study *s)
{
    const sn_model *m = s->model;
    for (int i = 0; i < m->n_entry[SN_SEC_ELEMENTS]; i++) {
        const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][i];
        if (e->cls && sn_element_mesh(e->cls)) return 1;
    }
    return 0;
}

/* ---- the study again ---- */

static int same_numbers(size_t n, const double *a, const double *b)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i]))) return 0;
    return 1;
}

/* Two readings of one study: the same unknowns and data, whatever the mesh. */
static int same_study(const sn_study *a, const sn_study *b)
{
    if (a->n_unknown != b->n_unknown || a->n_common != b->n_common || a->n_experiment != b->n_experiment)
        return 0;
    for (int k = 0; k < a->n_unknown; k++)
        if (strcmp(a->unknown[k].name, b->unknown[k].name) != 0) return 0;
    for (int e = 0; e < a->n_experiment; e++) {
        const sn_experiment *x = &a->experiment[e], *y = &b->experiment[e];
        if (x->n != y->n || x->n_channel != y->n_channel) return 0;
        size_t n = (size_t)x->n, all = n * (size_t)x->n_channel;
        if (!same_numbers(n, x->t, y->t) || !same_numbers(all, x->y, y->y)) return 0;
    }
    return 1;
}

sn_status sn_study_refined(const sn_study *s, int halvings, int mesh, sn_study **out, sn_err *err)
{
    sn_refinement finer = s->finer;
    sn_study *again;
    finer.halvings = halvings, finer.mesh = mesh;
    *out = NULL;
    SN_TRY(sn_study_read_refined(s->file, &s->given, s->divided, &finer, &again, err));
    if (!same_study(s, again)) {
        sn_study_free(again);
        return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = s->file},
                       "the files of the study have changed since it was read");
    }
    for (int k = 0; k < s->n_unknown; k++) again->unknown[k].start = s->unknown[k].start;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        size_t n = (size_t)x->n_channel;
        memcpy(again->experiment[e].sigma, x->sigma, sizeof *x->sigma * n);
        if (x->noise) memcpy(again->experiment[e].noise, x->noise, sizeof *x->noise * n);
    }
    sn_status status = sn_series_copy(s, again, err);
    if (status)
        sn_study_free(again);
    else
        *out = again;
    return status;
}

/* ---- how far ---- */

/* Halvings that bring a bias below the limit, if it is as h to a power. */
static int wanted(double bias, double order)
{
    if (!(bias > SN_BIAS_LIMIT)) return 0;
    double n = ceil(log2(bias / SN_BIAS_LIMIT) / order);
    return n < 1 ? 1 : n > 30 ? 30 : (int)n;
}

int sn_refine_next(const sn_estimate *e, int *halvings, int *mesh)
{
    const sn_refinement was = e->s->finer;
    int more = wanted(e->step.worst, e->step.order), twice = wanted(e->mesh.worst, e->mesh.order);
    *halvings = was.halvings + more > SN_MOST_HALVINGS ? SN_MOST_HALVINGS : was.halvings + more;
    *mesh = was.mesh;
    for (; twice > 0 && *mesh < 1 << SN_MOST_DOUBLINGS; twice--) *mesh *= 2;
    return e->converged && (*halvings > was.halvings || *mesh > was.mesh);
}

/* What is added to unknown k by its corrections, and the factor of its deviations. */
typedef struct shift {
    double by, factor, lower, upper;
} shift;

static double moved(double x, const shift *a)
{
    return fmin(fmax(x * a->factor + a->by, a->lower), a->upper);
}

void sn_refine_correct(sn_estimate *e)
{
    const sn_study *s = e->s;
    const sn_discretised *const both[] = {&e->step, &e->mesh};
    for (int k = 0; k < s->n_unknown; k++) {
        const sn_unknown *u = &s->unknown[k];
        double bias = 0;
        for (int i = 0; i < 2; i++)
            if (both[i]->taken && both[i]->bias) bias += both[i]->bias[k];
        if (bias == 0 || e->at_bound[k]) continue;
        /* on the scale on which it was predicted */
        const shift a = {.by = u->log ? 0 : -bias,
                         .factor = u->log ? exp(-bias / e->value[k]) : 1,
                         .lower = u->lower,
                         .upper = u->upper};
        e->correction[k] = moved(e->value[k], &a) - e->value[k];
        e->value[k] = moved(e->value[k], &a);
        e->lo[k] = moved(e->lo[k], &a), e->hi[k] = moved(e->hi[k], &a);
        e->std_error[k] *= a.factor;
        for (int i = 0; e->curve && k < s->n_common && i < e->curve[k].n; i++)
            e->curve[k].point[i].value = moved(e->curve[k].point[i].value, &a);
    }
}

int sn_refine_near(const sn_estimate *e) { return e->step.worst < near && e->mesh.worst < near; }

/* ---- words ---- */

const char *sn_time_text(double t, char *out, size_t size)
{
    double a = fabs(t);
    if (a >= 1)
        snprintf(out, size, "%.4g s", t);
    else if (a >= 1e-3)
        snprintf(out, size, "%.4g ms", t * 1e3);
    else
        snprintf(out, size, "%.4g us", t * 1e6);
    return out;
}

const char *sn_refined_text(const sn_study *s, char *out, size_t size)
{
    char from[40], to[40];
    const double times = ldexp(1, s->finer.halvings);
    size_t n = 0;
    out[0] = 0;
    if (s->finer.halvings && s->run.error > 0)
        snprintf(out, size, "allowed error of a step %.3g -> %.3g",
                 s->run.error * pow(times, sn_study_order(s) + 1), s->run.error);
    else if (s->finer.halvings)
        snprintf(out, size, "step %s -> %s", sn_time_text(s->run.step * times, from, sizeof from),
                 sn_time_text(s->run.step, to, sizeof to));
    n = strlen(out);
    if (s->finer.mesh > 1) snprintf(out + n, size - n, "%smesh x %d", n ? ", " : "", s->finer.mesh);
    return out;
}
