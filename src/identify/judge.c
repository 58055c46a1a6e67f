/* How far to believe an estimate. Judges look at the fit one after the other, each from its own side, and say
   what they see. One more: a file and a line in the list. */
#include "identify/judge.h"
#include "identify/bootstrap.h"
#include "identify/smoothing.h"
#include "identify/statistics.h"
#include "integrator/integrator.h"

#include <math.h>
#include <string.h>

/* Of what was measured: no priors, no loss function. */
static void whole_rms(const sn_fit *f, sn_estimate *e)
{
    double sum = 0;
    e->count = 0;
    for (int k = 0; k < f->s->n_experiment; k++) {
        const sn_experiment *x = &f->s->experiment[k];
        for (int i = 0; !x->hold_out && i < x->n * x->n_channel; i++) {
            double r = f->part[k].r[i];
            if (!isnan(r)) sum += r * r, e->count++;
        }
    }
    e->rms = e->count > 0 ? sqrt(sum / (double)e->count) : 0;
}

/* Intervals by profile likelihood, where they are wanted. */
static sn_status judge_profiles(sn_fit *f, sn_estimate *e, sn_err *err)
{
    return f->s->intervals == SN_PROFILE && e->converged ? sn_profile(f, e, err) : SN_OK;
}

/* Intervals by refits to resampled residuals, where they are wanted. */
static sn_status judge_bootstrap(sn_fit *f, sn_estimate *e, sn_err *err)
{
    return f->s->intervals == SN_BOOTSTRAP && e->converged ? sn_bootstrap(f, e, err) : SN_OK;
}

static sn_status judge_efforts(sn_fit *f, sn_estimate *e, sn_err *err) { return sn_efforts(f, e, err); }

/* From here on there is only what can be had at once. */
static void stop_judging(sn_fit *f, sn_estimate *e)
{
    if (!e->stopped) {
        e->stopped = SN_STOPPED_JUDGING;
        e->deadline = f->deadline = sn_clock() + 0.25;
        sn_estimate_verdict(e, 2, "minimum", "stopped on request, before all was judged");
    }
    f->progress = NULL, f->stopped = 0;
    e->judged = 1;
}

/* What is good about an unfinished search is good by construction. */
static void drop_praise(sn_estimate *e)
{
    int n = 0;
    for (int i = 0; i < e->n_verdict; i++)
        if (e->verdict[i].level > 0) e->verdict[n++] = e->verdict[i];
    e->n_verdict = n;
}

static const struct judge {
    sn_judge_fn *look;
    const char *about; /* and what is to be said where it is stopped; or NULL */
    const char *stopped;
    int whole; /* of no use for a window that hands its state over */
} judges[] = {
    {sn_judge_minimum, NULL, NULL, 0},
    {sn_judge_directions, NULL, NULL, 0},
    {sn_judge_residuals, NULL, NULL, 0},
    {sn_judge_noise, NULL, NULL, 0},
    {sn_judge_modal, NULL, NULL, 0},
    {sn_judge_intervals, NULL, NULL, 0},
    {sn_judge_series, NULL, NULL, 0},
    {sn_judge_discretisation, "step", "stopped: what time step and mesh do to the estimates is not known", 1},
    {sn_judge_causes, NULL, NULL, 1}, /* after step and mesh, whose errors look like faults of sensors */
    {sn_judge_unknowns, NULL, NULL, 0},
    {judge_profiles, "intervals", "the profiles were stopped: intervals from standard errors", 1},
    {judge_bootstrap, "intervals", "the bootstrap was stopped: intervals from standard errors", 1},
    {sn_judge_mixture, NULL, NULL, 1},
    {sn_judge_model, "model", "the search for what the model lacks was stopped", 1},
    {sn_judge_histories, NULL, NULL, 0},
    {sn_judge_seen, NULL, NULL, 1},
    {judge_efforts, NULL, NULL, 1},
    {sn_judge_hold_out, NULL, NULL, 1},
};

/* One judge. Where it is stopped nobody is asked any more: what was found stays. */
static sn_status ask(const struct judge *j, sn_fit *f, sn_estimate *e, sn_err *err)
{
    int before = sn_err_count(err);
    int enough = f->progress && f->progress(f->ctx, fmax(f->done, 0.99), 0);
    sn_status status = enough ? SN_ERR_INTERRUPTED : j->look(f, e, err);
    if (status == SN_ERR_NUMERIC) {
        /* no good word may stand for what could not be looked at */
        sn_err_forget(err, before);
        sn_estimate_verdict(e, 2, j->about ? j->about : "identifiability",
                            "the equations of the estimate cannot be solved: not all of it could be judged, "
                            "and its standard errors mean nothing");
        return SN_OK;
    }
    if (status != SN_ERR_INTERRUPTED) return status;
    sn_err_forget(err, before);
    if (j->stopped) sn_estimate_verdict(e, 1, j->about, "%s", j->stopped);
    stop_judging(f, e);
    return SN_OK;
}

/* There is nothing to look at: no fit, or no run. */
static void know_nothing(const sn_fit *f, sn_estimate *e)
{
    e->rms = NAN;
    for (int k = 0; k < f->n; k++) {
        e->value[k] = sn_fit_value(f->s, k, e->z[k]);
        e->std_error[k] = e->lo[k] = e->hi[k] = NAN;
    }
    for (size_t k = 0; k < (size_t)f->n * (size_t)f->n; k++) e->correlation[k] = NAN;
    for (int k = 0; k < f->s->n_experiment; k++)
        for (int c = 0; c < f->s->experiment[k].n_channel; c++) {
            sn_channel_fit *q = &e->channel[k][c];
            q->rms = q->rest = q->second = q->seen = q->fit = NAN, q->sigma = f->s->experiment[k].sigma[c];
        }
}

/* The fit at the estimate with its rows. 0: there is none, and the verdicts say why. */
static sn_status look_at_estimate(sn_fit *f, sn_estimate *e, int *there, sn_err *err)
{
    int before = sn_err_count(err);
    sn_status status = sn_gls_look(f, e, err);
    if (status == SN_ERR_NUMERIC) sn_err_forget(err, before), status = SN_OK;
    if (!status) status = sn_fit_rows(f, e->z, err);
    if (status == SN_ERR_INTERRUPTED && !e->stopped) {
        sn_err_forget(err, before);
        stop_judging(f, e);
        status = sn_fit_rows(f, e->z, err);
    }
    *there = !status;
    if (status != SN_ERR_NUMERIC && status != SN_ERR_INTERRUPTED) return status;
    sn_err_forget(err, before);
    know_nothing(f, e);
    if (status == SN_ERR_NUMERIC) e->converged = 0;
    SN_TRY(sn_judge_minimum(f, e, err));
    if (status == SN_ERR_NUMERIC)
        sn_estimate_verdict(e, 2, "minimum", "the model cannot be simulated at these values");
    else
        sn_estimate_verdict(e, 2, "residuals",
                            "there was no time to look at the residuals: a run takes long");
    return SN_OK;
}

sn_status sn_judge(sn_fit *f, sn_estimate *e, sn_err *err)
{
    int there;
    if (!f->s->n_fit) {
        know_nothing(f, e);
        SN_TRY(sn_judge_minimum(f, e, err));
        return sn_judge_hold_out(f, e, err);
    }
    for (int k = 0; k < f->n; k++)
        e->at_bound[k] = e->z[k] <= f->lower[k] ? -1 : e->z[k] >= f->upper[k] ? 1 : 0;
    SN_TRY(look_at_estimate(f, e, &there, err));
    if (there) {
        whole_rms(f, e);
        SN_TRY(sn_look_at_channels(f, e, 0, err));
        SN_TRY(sn_look_at_taken(f, e, err));
        SN_TRY(sn_sandwich(f, e, err));
        sn_gls_widen(f, e);
        SN_TRY(sn_variation_bands(f, e, err));
        e->judged = 0;
        for (size_t k = 0; !e->judged && k < sizeof judges / sizeof *judges; k++)
            if (!f->s->piece || !judges[k].whole) SN_TRY(ask(&judges[k], f, e, err));
    }
    if (f->s->run.tangent_only)
        sn_estimate_verdict(
            e, 1, "derivatives",
            "'tangent_only': derivatives leave out the geometric part of the beams' tangents, so that the "
            "search may end beside the minimum, or nowhere, and standard errors are not right");
    if (e->stopped == SN_STOPPED_SEARCH) drop_praise(e);
    f->progress = NULL;
    return SN_OK;
}
