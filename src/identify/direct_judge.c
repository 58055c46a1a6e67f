/* Does a run with the estimates of a direct method meet the data?

   Direct methods never simulate, so that nothing in them sees estimates that noise has drawn away. The run
   does: its residuals are compared with the noise, and a few steps of the indirect method tell by how much
   the unknowns would have to move, in standard errors. */
#include "identify/direct.h"
#include "identify/judge.h"
#include "identify/statistics.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>

#undef I

enum { STEPS = 8 };

/* Noise of the channels where none is stated: as seen from sample to sample; a two-thousandth of the signal
   at least, which is as much as derived rates leave of exact data. */
static sn_status see_noise(const sn_experiment *x, sn_err *err)
{
    double *t;
    if (!SN_NEW(t, 2 * (size_t)x->n + 2)) return SN_OUT_OF_MEM(err);
    double *y = t + x->n + 1;
    for (int c = 0; c < x->n_channel; c++) {
        int n = 0;
        for (int i = 0; i < x->n; i++)
            if (!isnan(x->y[i * x->n_channel + c])) t[n] = x->t[i], y[n++] = x->y[i * x->n_channel + c];
        double seen = sn_noise_seen(n, t, y), least = 1e-3 * sn_experiment_spread(x, x->channel[c]);
        if (!x->known[c]) x->sigma[c] = fmax(isnan(seen) ? x->sigma[c] : seen, least > 0 ? least : 1e-300);
    }
    sn_free(t);
    return SN_OK;
}

typedef struct run_fit {
    double before, after; /* rms in units of the noise: of the run, and after some steps */
    double first;         /* of the first sample */
    double worst;         /* of a channel */
    int experiment, channel;
    int comparable; /* other values of the unknowns explain the residuals */
    int widened;    /* intervals */
    int unknown; /* that would move the most, in standard errors, and by how much of them and of its value */
    double errors, part;
} run_fit;

static void look(const sn_fit *f, run_fit *q)
{
    const sn_study *s = f->s;
    double sum = 0, count = 0, first = 0, firsts = 0;
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        for (int c = 0; !x->hold_out && c < x->n_channel; c++) {
            double own = 0, n = 0;
            for (int i = 0; i < x->n; i++) {
                double r = f->part[k].r[i * x->n_channel + c];
                if (isnan(r)) continue;
                own += r * r, n++;
                if (i < 2) first += r * r, firsts++;
            }
            sum += own, count += n;
            if (n > 0 && own / n > q->worst) q->worst = own / n, q->experiment = k, q->channel = c;
        }
    }
    q->worst = sqrt(q->worst), q->first = firsts > 0 ? sqrt(first / firsts) : 0;
    q->before = q->after = count > 0 ? sqrt(sum / count) : 0;
}

/* Standard errors by the runs, from their normal equations: the roots of the diagonal of A^-1. */
static sn_status errors_of_runs(const sn_fit *f, double *se, sn_err *err)
{
    int n = f->n;
    double *A;
    if (!SN_NEW(A, (size_t)n * (size_t)n + 1)) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < n * n; i++) A[i] = f->A[i];
    for (int i = 0; i < n; i++) A[i * n + i] *= 1 + 1e-10;
    int singular =
        LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, A, n) || LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', n, A, n);
    for (int i = 0; i < n; i++) se[i] = singular ? INFINITY : sqrt(A[i * n + i]);
    sn_free(A);
    return SN_OK;
}

/* An interval that does not reach as far as the runs lead is widened, up to the end of theirs. */
static void widen(sn_estimate *e, int i, double end)
{
    int n = e->s->n_unknown;
    double by = end / (1.96 * sqrt(e->covariance[i * n + i]));
    e->std_error[i] *= by, e->inflation[i] *= by * by;
    for (int j = 0; j < n; j++) e->covariance[i * n + j] *= by, e->covariance[j * n + i] *= by;
    double far = sn_student_95(e->freedom[i]) * e->std_error[i];
    e->lo[i] = e->value[i] - far, e->hi[i] = e->value[i] + far;
}

/* A few steps of the indirect method from the estimates (z, scratch): how far the unknowns move, and what is
   left then. */
static sn_status follow(sn_fit *f, sn_estimate *e, double *z, double *se, run_fit *q, sn_err *err)
{
    int n = f->n, before = sn_err_count(err);
    sn_search o = {.horizon = INFINITY, .tolerance = 1e-3, .most = STEPS, .ready = 1};
    for (int i = 0; i < n; i++) z[i] = e->z[i];
    sn_status status = sn_marquardt(f, z, &o, err);
    if (status == SN_ERR_NUMERIC) {
        sn_err_forget(err, before);
        return SN_OK;
    }
    SN_TRY(status);
    q->after = f->count > 0 ? sqrt(2 * f->cost / f->count) : 0;
    q->comparable = q->after < 1.5 || q->after < 0.5 * q->before;
    SN_TRY(errors_of_runs(f, se, err));
    for (int i = 0; q->comparable && i < n; i++) {
        /* a five-hundredth is good enough, whatever the standard error */
        double own = sqrt(e->covariance[i * n + i]), size = f->s->unknown[i].log ? 1 : fabs(e->z[i]);
        double d = z[i] - e->z[i], by = d / hypot(hypot(own, se[i]), 2e-3 * size);
        if (!isfinite(own) || !isfinite(se[i])) continue;
        if (fabs(by) > fabs(q->errors)) {
            q->unknown = i, q->errors = by;
            q->part = sn_fit_value(f->s, i, z[i]) / e->value[i] - 1;
        }
        if (fabs(d) > 1.96 * own) widen(e, i, fabs(d) + 1.96 * se[i]), q->widened++;
    }
    return SN_OK;
}

static const char drawn[] =
    "noise and smoothing of the measured motion have drawn the estimates away, fit runs instead "
    "(method: indirect) from here";

static void tell(const sn_study *s, sn_estimate *e, const run_fit *q)
{
    const sn_experiment *x = &s->experiment[q->experiment];
    sn_channel h = sn_channel_get(s->model, x->channel[q->channel]);
    const char *noise = x->known[q->channel] ? "stated noise" : "noise seen in the data";
    double errors = fabs(q->errors);
    int far = errors > 4 || (errors > 3 && fabs(q->part) > 0.05) ? 2 : errors > 3 ? 1 : 0;
    char name[160];
    snprintf(name, sizeof name, "%s.%s", h.sensor, h.component);
    if (q->comparable && far)
        sn_estimate_verdict(
            e, far, "residuals",
            "a run with the estimates is off the data by %.2g times the %s (%s), and %s would have to "
            "be %.2g %% %s, %.1f standard errors: %s",
            q->worst, noise, name, s->unknown[q->unknown].name, 100 * fabs(q->part),
            q->part > 0 ? "higher" : "lower", fabs(q->errors), drawn);
    else if (q->comparable)
        sn_estimate_verdict(
            e, 0, "residuals",
            "a run with the estimates is off the data by %.2g times the %s at worst (%s), as their "
            "standard errors allow",
            q->worst, noise, name);
    else if (q->first > 5)
        sn_estimate_verdict(
            e, 1, "residuals",
            "a run with the estimates does not begin where the data do (%.2g times the noise), so that "
            "it cannot tell whether they are right: give the model the initial state",
            q->first);
    else
        sn_estimate_verdict(
            e, 2, "residuals",
            "a run with the estimates is off the data by %.2g times the %s (%s): model error, or %s",
            q->worst, noise, name, drawn);
    sn_verdict_channel(e, name);
    if (q->widened)
        sn_estimate_verdict(e, 0, "intervals", "%d interval%s widened to reach what the run tells",
                            q->widened, q->widened > 1 ? "s were" : " was");
}

sn_status sn_direct_judge_run(sn_fit *f, sn_estimate *e, sn_err *err)
{
    run_fit q = {.worst = 0};
    int before = sn_err_count(err);
    for (int k = 0; k < f->s->n_experiment; k++) SN_TRY(see_noise(&f->s->experiment[k], err));
    sn_status status = sn_fit_signals(f, e->z, 0, 1, err);
    if (status == SN_ERR_NUMERIC) {
        sn_err_forget(err, before);
        sn_estimate_verdict(e, 2, "residuals", "a run with the estimates fails: no model moves so");
        return SN_OK;
    }
    SN_TRY(status);
    look(f, &q);
    double *z;
    if (!SN_NEW(z, 2 * (size_t)f->n + 2)) return SN_OUT_OF_MEM(err);
    status = follow(f, e, z, z + f->n + 1, &q, err);
    sn_free(z);
    if (!status) tell(f->s, e, &q);
    return status;
}
