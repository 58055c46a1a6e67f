/* How far to believe an estimate. Judges look at the fit one after the other, each from its own side, and say
   what they see. One more: a file and a line in the list. */
#include "identify/judge.h"
#include "identify/statistics.h"

#include <math.h>
#include <string.h>

static sn_status judge_search(sn_fit *f, sn_estimate *e, sn_err *err)
{
    if (!e->converged) sn_estimate_verdict(e, 2, "minimum", "not converged: %s", e->reason);
    if (e->starts > 0)
        sn_estimate_verdict(e, e->alike * 2 >= e->starts ? 0 : 1, "minimum",
                            "%d of %d random starts found the same optimum", e->alike, e->starts);
    (void)f, (void)err;
    return SN_OK;
}

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
    return f->s->profile && e->converged ? sn_profile(f, e, err) : SN_OK;
}

static sn_status judge_efforts(sn_fit *f, sn_estimate *e, sn_err *err) { return sn_efforts(f, e, err); }

static const struct judge {
    sn_judge_fn *look;
    const char *about; /* and what is to be said where it is stopped; NULL: it cannot be */
    const char *stopped;
} judges[] = {
    {judge_search, NULL, NULL},
    {sn_judge_directions, NULL, NULL},
    {sn_judge_residuals, NULL, NULL},
    {sn_judge_modal, NULL, NULL},
    {sn_judge_intervals, NULL, NULL},
    {sn_judge_discretisation, "step", "stopped: what time step and mesh do to the estimates is not known"},
    {sn_judge_unknowns, NULL, NULL},
    {judge_profiles, "intervals", "the profiles were stopped: intervals from standard errors"},
    {sn_judge_model, "model", "the search for what the model lacks was stopped"},
    {judge_efforts, NULL, NULL},
    {sn_judge_hold_out, NULL, NULL},
};

/* One judge. Those that take long may be stopped; from there on nobody loses what was found by stopping. */
static sn_status ask(const struct judge *j, sn_fit *f, sn_estimate *e, sn_err *err)
{
    int before = sn_err_count(err), (*progress)(void *, double, double) = f->progress;
    if (!j->stopped) f->progress = NULL;
    sn_status status = j->look(f, e, err);
    f->progress = progress;
    if (!j->stopped || status != SN_ERR_INTERRUPTED) return status;
    sn_err_forget(err, before);
    f->stopped = 0, f->progress = NULL;
    sn_estimate_verdict(e, 1, j->about, "%s", j->stopped);
    return sn_fit_rows(f, e->z, err);
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
}

sn_status sn_judge(sn_fit *f, sn_estimate *e, sn_err *err)
{
    int before = sn_err_count(err), (*progress)(void *, double, double) = f->progress;
    f->progress = NULL;
    if (!f->s->n_fit) {
        know_nothing(f, e);
        SN_TRY(judge_search(f, e, err));
        return sn_judge_hold_out(f, e, err);
    }
    sn_status status = sn_fit_rows(f, e->z, err);
    if (status == SN_ERR_NUMERIC) {
        sn_err_forget(err, before);
        know_nothing(f, e);
        e->converged = 0;
        SN_TRY(judge_search(f, e, err));
        sn_estimate_verdict(e, 2, "minimum", "the model cannot be simulated at these values");
        return SN_OK;
    }
    SN_TRY(status);
    whole_rms(f, e);
    for (int k = 0; k < f->n; k++)
        e->at_bound[k] = e->z[k] <= f->lower[k] ? -1 : e->z[k] >= f->upper[k] ? 1 : 0;
    SN_TRY(sn_look_at_channels(f, e, 0, err));
    SN_TRY(sn_sandwich(f, e, err));
    f->progress = progress;
    for (size_t k = 0; k < sizeof judges / sizeof *judges; k++) SN_TRY(ask(&judges[k], f, e, err));
    f->progress = NULL;
    return SN_OK;
}
