/* A study solved by a direct method: the motion from its data (measured.h), the equations of motion at its
   instants (direct.h), and what they give as an estimate like that of the indirect method.

   Runs are not needed to find anything; one is made with the estimates so that the report can show measured
   and simulated signals. It means nothing where the data do not begin with the model's initial state, and
   says nothing about convergence. */
#include "identify/shown.h"
#include "identify/direct.h"
#include "identify/measured.h"
#include "identify/result.h"
#include "identify/statistics.h"
#include "identify/text.h"
#include "integrator/integrator.h"

#include <math.h>
#include <stdio.h>

#include <string.h>

/* ---- what a direct method can do ---- */

static sn_status check_unknowns(const sn_study *s, sn_err *err)
{
    for (int k = 0; k < s->n_unknown; k++) {
        const sn_unknown *u = &s->unknown[k];
        if (u->experiment >= 0)
            return sn_fail(err, SN_ERR_INPUT, &u->mark,
                           "'%s': direct methods find numbers of all experiments, not of one", u->name);
        if (!isnan(u->prior))
            return sn_fail(err, SN_ERR_INPUT, &u->mark, "'%s': direct methods know no prior", u->name);
    }
    for (int e = 0; e < s->n_experiment; e++)
        if (sn_shown_corrects(&s->experiment[e]))
            return sn_fail(err, SN_ERR_INPUT, &s->experiment[e].mark,
                           "direct methods know no instruments: use method: indirect");
    if (s->n_tie)
        return sn_fail(err, SN_ERR_INPUT, NULL, "'%s': direct methods know no ties", s->tie[0].parameter);
    if (!s->n_fit) return sn_fail(err, SN_ERR_INPUT, &s->experiment[0].mark, "all experiments are held out");
    return SN_OK;
}

/* The numbers of the experiments, which must be the same for all, with the unknowns at their starts. */
static sn_status start_values(const sn_study *s, sn_values **out, sn_err *err)
{
    const sn_experiment *first = NULL;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        if (x->hold_out) continue;
        if (!first) first = x;
        for (int i = 0; i < s->model->signal.n; i++)
            if (x->values->course[i] != first->values->course[i])
                return sn_fail(err, SN_ERR_INPUT, &x->mark,
                               "experiment '%s' has other inputs than '%s': direct methods take one model "
                               "for all experiments",
                               x->name, first->name);
        for (int i = 0; i < s->model->n_quantity; i++)
            if (x->values->x[i] != first->values->x[i] && !isnan(x->values->x[i]))
                return sn_fail(err, SN_ERR_INPUT, &x->mark,
                               "experiment '%s' has other numbers than '%s': direct methods take one model "
                               "for all experiments",
                               x->name, first->name);
    }
    SN_TRY(sn_values_copy(first->values, out, err));
    for (int k = 0; k < s->n_unknown; k++) {
        (*out)->x[s->unknown[k].id] = s->unknown[k].start;
        (*out)->fixed[s->unknown[k].id] = 1;
    }
    return sn_values_update(*out, err);
}

static sn_status solve(const sn_study *s, const sn_values *p, const sn_measured *d, sn_direct_result *r,
                       sn_err *err)
{
    sn_direct_options o = sn_direct_options_default();
    o.stop = s->given.progress, o.ctx = s->given.ctx;
    size_t nv = (size_t)s->model->nv;
    int *id, before = sn_err_count(err);
    if (!SN_NEW(id, s->n_unknown + 1)) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < s->n_unknown; k++) id[k] = s->unknown[k].id;
    o.robust = s->huber > 0;
    if (d->noise) o.noise_q = d->noise, o.noise_v = d->noise + nv, o.noise_a = d->noise + 2 * nv;
    if (d->noise) o.noise_qa = d->noise + 3 * nv;
    o.id = id, o.np = s->n_unknown, o.unknown = d->unknown, o.n_unknown = d->n_unknown;
    const sn_instants at = {d->n, d->t, d->q, d->v, d->a};
    sn_status status = s->method == SN_DIRECT ? sn_direct(s->model, p, &at, &o, r, err)
                                              : sn_adapted_direct(s->model, p, &at, &o, r, err);
    if (status && status != SN_ERR_MEMORY) sn_err_place(err, before, &s->instants_mark);
    sn_free(id);
    return status;
}

/* ---- the estimate ---- */

static void take(const sn_study *s, const sn_direct_result *r, sn_estimate *e)
{
    int n = s->n_unknown;
    for (int k = 0; k < n; k++) {
        const sn_unknown *u = &s->unknown[k];
        e->value[k] = r->p[k], e->std_error[k] = r->std_error[k];
        e->lo[k] = r->p[k] - 1.96 * r->std_error[k], e->hi[k] = r->p[k] + 1.96 * r->std_error[k];
        e->z[k] = u->log && r->p[k] <= 0 ? NAN : sn_fit_z(s, k, r->p[k]);
        for (int j = 0; j < n; j++) {
            const sn_unknown *w = &s->unknown[j];
            double c = r->covariance[k * n + j],
                   d = sqrt(r->covariance[k * n + k] * r->covariance[j * n + j]);
            int known = isfinite(r->std_error[k]) && isfinite(r->std_error[j]);
            e->correlation[k * n + j] = k == j ? 1 : known && d > 0 ? c / d : NAN;
            e->covariance[k * n + j] = known
                                           ? c / (u->log ? r->p[k] : u->scale) / (w->log ? r->p[j] : w->scale)
                                       : k == j ? INFINITY
                                                : 0;
        }
    }
    e->rms = r->rms, e->converged = r->converged && !r->outside;
}

static void judge(const sn_study *s, const sn_measured *d, const sn_direct_result *r, sn_estimate *e)
{
    int n = s->method == SN_ADAPTED_DIRECT ? d->n / 2 : d->n;
    const char *what = s->method == SN_ADAPTED_DIRECT ? "pair" : "instant";
    snprintf(e->reason, sizeof e->reason, "%s%d equations at %d %s%s, %d unknowns, %d step%s%s%s",
             r->converged ? "" : "no smaller residual was found: ", r->equations, n, what, n == 1 ? "" : "s",
             r->unknowns, r->iterations, r->iterations == 1 ? "" : "s", r->outside ? "; but " : "",
             r->outside ? r->outside : "");
    if (!e->converged) sn_estimate_verdict(e, 2, "minimum", "not converged: %s", e->reason);
    for (int k = 0; k < s->n_unknown; k++) {
        const sn_unknown *u = &s->unknown[k];
        if (!isfinite(r->std_error[k]))
            sn_estimate_verdict(e, 2, "identifiability",
                                "%s is not determined by the equations at these instants", u->name);
        else if (r->p[k] < u->lower || r->p[k] > u->upper)
            sn_estimate_verdict(e, 2, "identifiability",
                                "%s = %.4g is outside of its bounds %g and %g, which direct methods do "
                                "not enforce",
                                u->name, r->p[k], u->lower, u->upper);
        else if (r->std_error[k] > 0.5 * fabs(r->p[k]))
            sn_estimate_verdict(e, 1, "identifiability",
                                "%s is hardly determined: %.3g with a standard error of %.2g", u->name,
                                r->p[k], r->std_error[k]);
    }
    if (d->noise)
        sn_estimate_verdict(
            e, r->rms > 3 ? 1 : 0, "residuals",
            "the equations of motion are met to %.3g times what the noise of the data leaves%s", r->rms,
            r->rms > 3 ? ": model error, or more noise than that" : "");
    else
        sn_estimate_verdict(e, 0, "residuals",
                            "the equations of motion are met to %.3g (N and N m, all counted alike: "
                            "no noise is stated)",
                            r->rms);
    for (int k = 0; r->corrected && k < s->n_unknown; k++)
        if (fabs(r->drawn[k]) > 0.5 * r->std_error[k])
            sn_estimate_verdict(
                e, fabs(r->drawn[k]) > 0.2 * fabs(r->p[k]) ? 1 : 0, "data",
                "noise of the measured motion had drawn %s by %.2g %%, %.1f standard errors, which is "
                "taken back%s",
                s->unknown[k].name, 100 * r->drawn[k] / r->p[k], fabs(r->drawn[k]) / r->std_error[k],
                fabs(r->drawn[k]) > 0.2 * fabs(r->p[k]) ? ": so much of it cannot be taken back exactly"
                                                        : "");
    if (r->violation > 1e-6 * fmax(s->base->length, 1))
        sn_estimate_verdict(e, 1, "data", "the measured motion breaks the joints by up to %.2g",
                            r->violation);
    if (d->unused) sn_estimate_verdict(e, 1, "data", "not used, as it measures no coordinate: %s", d->unused);
}

/* ---- multipliers and coordinates found on the way ---- */

/* The n numbers of a column of rows with `stride` numbers. */
static void column(sn_text *t, int n, int stride, const double *y)
{
    sn_text_add(t, "[");
    for (int i = 0; i < n; i++) sn_text_add(t, i ? "," : ""), sn_text_number(t, y[i * stride]);
    sn_text_add(t, "]");
}

static sn_status describe(const sn_study *s, const sn_measured *d, const sn_direct_result *r, sn_estimate *e,
                          sn_err *err)
{
    const sn_model *m = s->model;
    sn_text t = {0};
    char name[300];
    sn_text_add(&t,
                "{\"equations\": %d, \"unknowns\": %d, \"rank\": %d, \"steps\": %d, \"t\": ", r->equations,
                r->unknowns, r->rank, r->iterations);
    column(&t, r->n, 1, d->t);
    sn_text_add(&t, ", \"noise_taken_back\": {");
    for (int k = 0; r->corrected && k < s->n_unknown; k++) {
        sn_text_add(&t, k ? ", " : "");
        sn_text_string(&t, s->unknown[k].name);
        sn_text_add(&t, ": ");
        sn_text_number(&t, -r->drawn[k]);
    }
    sn_text_add(&t, "}, \"multipliers\": {");
    for (int j = 0, at = 0; j < m->joint.n; j++)
        for (int c = 0; c < m->joint.object[j].m; c++, at++) {
            const sn_object *o = &m->joint.object[j];
            snprintf(name, sizeof name, "%s.%s", o->name, o->component[c]);
            sn_text_add(&t, at ? ", " : "");
            sn_text_string(&t, name);
            sn_text_add(&t, ": {\"value\": ");
            column(&t, r->n, r->m, r->lam + o->eq + c);
            sn_text_add(&t, ", \"std_error\": ");
            column(&t, r->n, r->m, r->lam_error + o->eq + c);
            sn_text_add(&t, "}");
        }
    sn_text_add(&t, "}, \"coordinates\": {");
    for (int u = 0; u < d->n_unknown; u++) {
        sn_text_add(&t, u ? ", " : "");
        sn_text_string(&t, sn_coord_name(m, d->unknown[u], name, sizeof name));
        sn_text_add(&t, ": {\"value\": ");
        column(&t, r->n, 3 * d->n_unknown, r->unknown + 3 * u);
        sn_text_add(&t, ", \"std_error\": ");
        column(&t, r->n, d->n_unknown, r->unknown_error + u);
        sn_text_add(&t, "}");
    }
    sn_text_add(&t, "}}");
    if (!t.failed) e->direct = sn_arena_strndup(&e->arena, t.text, t.n);
    sn_free(t.text);
    return e->direct ? SN_OK : SN_OUT_OF_MEM(err);
}

/* ---- signals of a run with the estimates ---- */

static sn_status look_at(const sn_fit *f, sn_estimate *e, int k, sn_err *err)
{
    const sn_experiment *x = &f->s->experiment[k];
    for (int c = 0; c < x->n_channel; c++) {
        sn_channel_fit *q = &e->channel[k][c];
        double sum = 0, *list = sn_arena_alloc(&e->arena, (size_t)x->n + 1, sizeof *list);
        int n = 0;
        if (!list) return SN_OUT_OF_MEM(err);
        for (int i = 0; i < x->n; i++) {
            double d = e->model[k][i * x->n_channel + c] - x->y[i * x->n_channel + c];
            if (!isnan(d)) list[n++] = d, sum += d * d;
        }
        double rms = n ? sqrt(sum / n) : NAN, sigma = x->known[c] ? x->sigma[c] : rms > 0 ? rms : 1;
        *q = (sn_channel_fit){.rms = rms,
                              .rest = rms,
                              .second = NAN,
                              .seen = NAN,
                              .fit = NAN,
                              .sigma = sigma,
                              .known = x->known[c]};
        q->count = n;
        for (int i = 0; i < x->n; i++)
            e->residual[k][i * x->n_channel + c] =
                (e->model[k][i * x->n_channel + c] - x->y[i * x->n_channel + c]) / sigma;
        SN_TRY(sn_whiteness_of(&e->arena, n, list, &q->white, err));
    }
    return SN_OK;
}

/* Sensors at the samples with unknowns z, or NAN where the run fails. */
static sn_status signals(sn_fit *f, const double *z, int possible, double **to, sn_err *err)
{
    const sn_study *s = f->s;
    for (int h = 0; h < 2; h++) {
        int before = sn_err_count(err);
        sn_status status = possible ? sn_fit_evaluate(f, z, INFINITY, h, 0, err) : SN_ERR_NUMERIC;
        if (status && status != SN_ERR_NUMERIC) return status;
        if (status) sn_err_forget(err, before);
        for (int k = 0; k < s->n_experiment; k++) {
            const sn_experiment *x = &s->experiment[k];
            for (int i = 0; x->hold_out == h && i < x->n * x->n_channel; i++)
                to[k][i] = status ? NAN : f->part[k].model[i];
        }
    }
    return SN_OK;
}

static sn_status simulate(const sn_study *s, int possible, sn_estimate *e, sn_err *err)
{
    sn_fit *f = NULL;
    double *z = NULL;
    sn_status status = sn_fit_new(s, 1, &f, err);
    if (!status) f->progress = s->given.progress, f->ctx = s->given.ctx;
    if (!status && !SN_NEW(z, s->n_unknown + 1)) status = SN_OUT_OF_MEM(err);
    if (!status) sn_fit_start(f, z);
    if (!status) status = signals(f, z, 1, e->start, err);
    if (!status) status = sn_estimate_look(e, NULL, NULL, err);
    if (!status) status = signals(f, e->z, possible, e->model, err);
    for (int k = 0; !status && k < s->n_experiment; k++) status = look_at(f, e, k, err);
    if (!status && possible && s->n_unknown) status = sn_direct_judge_run(f, e, err);
    if (f) e->simulations = f->simulations;
    sn_free(z);
    sn_fit_free(f);
    return status;
}

/* ---- all together ---- */

static sn_status fill(const sn_study *s, const sn_measured *d, const sn_direct_result *r, sn_estimate *e,
                      sn_err *err)
{
    take(s, r, e);
    judge(s, d, r, e);
    e->count = d->count;
    e->iteration = sn_arena_alloc(&e->arena, 1, sizeof *e->iteration);
    if (!e->iteration) return SN_OUT_OF_MEM(err);
    int freedom = r->equations - r->rank;
    e->iteration[0] = (sn_iteration){.iteration = r->iterations,
                                     .cost = freedom > 0 ? 0.5 * r->rms * r->rms * freedom : 0,
                                     .rms = r->rms,
                                     .value = e->value};
    e->n_iteration = e->cap_iteration = 1;
    SN_TRY(describe(s, d, r, e, err));
    return simulate(s, !r->outside, e, err);
}

sn_status sn_direct_study(const sn_study *s, sn_estimate **out, sn_err *err)
{
    sn_values *p = NULL;
    sn_estimate *e = NULL;
    sn_measured d = {.n = 0};
    sn_direct_result r = {.np = 0};
    double begin = sn_clock();
    *out = NULL;
    sn_status status = check_unknowns(s, err);
    if (!status) status = start_values(s, &p, err);
    if (!status) status = sn_measured_motion(s, p, &d, err);
    if (!status) status = solve(s, p, &d, &r, err);
    if (!status) status = sn_estimate_new(s, &e, err);
    if (!status) status = fill(s, &d, &r, e, err);
    if (!status) status = sn_estimate_whole(e, err);
    if (e) e->seconds = sn_clock() - begin;
    sn_direct_result_free(&r);
    sn_measured_free(&d);
    sn_values_free(p);
    if (status)
        sn_estimate_free(e);
    else
        *out = e;
    return status;
}
