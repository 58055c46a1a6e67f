/* Estimates, bands and verdicts of a sequential estimate: see kalman_judge.h. The innovations of the filter,
   each in its own deviation, are white and of size 1 where model, noise and smoothness are right (Kailath
   1968). */
#include "identify/kalman_judge.h"
#include "identify/judge.h"
#include "identify/statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

sn_status sn_kalman_look(const sn_kalman_pass *p, sn_estimate *e, const sn_solve_options *o, sn_err *err)
{
    sn_fit *f = p->fit;
    const sn_study *s = f->s;
    int before = sn_err_count(err);
    for (int k = 0; k < s->n_experiment; k++) sn_kalman_pass_set(p, k);
    sn_status status = sn_fit_signals(f, p->z, 0, 0, err);
    if (status == SN_ERR_NUMERIC) sn_err_forget(err, before), status = SN_OK;
    SN_TRY(status);
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        memcpy(e->start[k], f->part[k].model, sizeof(double) * (size_t)x->n * (size_t)x->n_channel);
    }
    return sn_estimate_look(e, o->message, o->ctx, err);
}

/* ---- the unknowns ---- */

static void take_unknowns(const sn_kalman_pass *p, sn_estimate *e)
{
    const sn_fit *f = p->fit;
    size_t n = (size_t)f->n;
    for (size_t i = 0; i < n; i++) {
        e->z[i] = fmin(fmax(p->z[i] + p->beta[i], f->lower[i]), f->upper[i]);
        e->at_bound[i] = e->z[i] <= f->lower[i] ? -1 : e->z[i] >= f->upper[i] ? 1 : 0;
        for (size_t j = 0; j < n; j++) e->covariance[i * n + j] = p->covariance[i * (size_t)p->n + j];
        if (e->at_bound[i]) e->covariance[i * n + i] = NAN;
    }
    sn_standard_errors(f, e);
}

/* Residuals, signals and the size of all, with what the last step still moves. */
static sn_status take_residuals(const sn_kalman_pass *p, sn_estimate *e, sn_err *err)
{
    sn_fit *f = p->fit;
    const sn_study *s = f->s;
    double sum = 0;
    e->count = 0, f->freedom = 0, f->count = p->count;
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        sn_part *part = &f->part[k];
        for (int i = 0; i < x->n * x->n_channel; i++) {
            double r = -p->residual[k][i],
                   one = x->sigma[i % x->n_channel] * (x->relative ? x->relative[i] : 1) / sqrt(x->weight);
            if (isnan(part->r[i])) continue;
            part->model[i] += (r - part->r[i]) * one, part->r[i] = r;
            sum += r * r, e->count++;
        }
        if (!part->lever && !SN_NEW(part->lever, x->n_channel + 1)) return SN_OUT_OF_MEM(err);
        for (int c = 0; c < x->n_channel; c++) f->freedom += part->lever[c] = p->lever[k][c];
    }
    e->rms = e->count > 0 ? sqrt(sum / (double)e->count) : 0;
    if (!(f->freedom > 0)) f->freedom = 0;
    return SN_OK;
}

/* ---- histories ---- */

/* How many of a history's values the data determine: what is left to their own noise, and free values that no
   number depends on, they do not. */
static double determined(const sn_kalman_pass *p, int i)
{
    const sn_history_part *h = &p->fit->s->history_part[i];
    const sn_kalman *k = p->kalman[h->experiment];
    double n = h->n - p->w_variance[i];
    for (int t = 0; t < k->n_track; t++)
        for (int j = 0; k->track[t].part == h && j < k->track[t].order; j++) {
            size_t at = (size_t)(k->track[t].diffuse + j);
            n -= !(k->G[at * (size_t)k->fixed + at] > 0);
        }
    return fmin(fmax(n, 0), h->n);
}

static sn_status take_filtered(const sn_kalman_pass *p, int i, sn_estimate *e, sn_history_fit *q, sn_err *err)
{
    const sn_history_part *h = &p->fit->s->history_part[i];
    const sn_kalman *k = p->kalman[h->experiment];
    int t = 0;
    while (k->track[t].part != h) t++;
    int knots = h->n - k->track[t].active + 1;
    double *room = sn_arena_alloc(&e->arena, 3 * (size_t)knots + 1, sizeof *room);
    if (!room) return SN_OUT_OF_MEM(err);
    q->n_filtered = knots, q->t_filtered = room, q->filtered = room + knots;
    q->filtered_error = q->filtered + knots;
    for (int j = 0; j < knots; j++) {
        q->t_filtered[j] = h->begin + (h->end - h->begin) * (j + 1) / knots;
        q->filtered[j] = k->filtered[k->offset[t] + j + 1];
        q->filtered_error[j] = k->filtered_error[k->offset[t] + j + 1];
    }
    return SN_OK;
}

static sn_status take_history(const sn_kalman_pass *p, int i, sn_estimate *e, sn_err *err)
{
    const sn_study *s = p->fit->s;
    const sn_history_part *h = &s->history_part[i];
    int id = s->history[h->history].id;
    sn_values *own = s->experiment[h->experiment].values;
    sn_history_fit *q;
    SN_TRY(sn_history_fit_new(e, h, &q, err));
    for (int j = 0; j < h->n; j++) own->x[id + j] = p->value[i][j] + p->change[i][j], own->fixed[id + j] = 1;
    SN_TRY(sn_values_update(own, err)); /* whoever runs the study's model from here on has the history */
    for (int j = 0; j < q->n; j++) {
        double b[SN_KALMAN_ACTIVE], variance = 0;
        int first, n = sn_history_basis(s, h, q->t[j], &first, b);
        const double *C = p->band[i] + (size_t)first * SN_KALMAN_ACTIVE * SN_KALMAN_ACTIVE;
        for (int a = 0; a < n; a++) {
            q->value[j] += b[a] * own->x[id + first + a];
            for (int c = 0; c < n; c++) variance += b[a] * b[c] * C[a * SN_KALMAN_ACTIVE + c];
        }
        q->std_error[j] = sqrt(fmax(variance, 0));
    }
    q->determined = determined(p, i), q->part = i + 1;
    SN_TRY(take_filtered(p, i, e, q, err));
    return sn_history_fit_finish(e, q, err);
}

/* ---- innovations ---- */

static sn_status judge_innovations(const sn_kalman_pass *p, sn_estimate *e, sn_err *err)
{
    const sn_study *s = p->fit->s;
    double least = 2, r = 0, squares = 0, count = 0;
    int channels = 0;
    char worst[300] = "";
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        double *list = sn_arena_alloc(&e->arena, (size_t)x->n + 1, sizeof *list);
        if (!list) return SN_OUT_OF_MEM(err);
        for (int i = 0; i < x->n * x->n_channel; i++) e->innovation[k][i] = -p->innovation[k][i];
        for (int c = 0; c < x->n_channel; c++) {
            sn_whiteness white;
            int n = 0;
            for (int i = 0; i < x->n; i++) {
                double v = e->innovation[k][i * x->n_channel + c];
                if (!isnan(v)) list[n++] = v, squares += v * v, count++;
            }
            SN_TRY(sn_whiteness_of(&e->arena, n, list, &white, err));
            channels++;
            if (!(white.p < least) || !white.n) continue;
            least = white.p, r = white.r[0];
            snprintf(worst, sizeof worst, "%s", sn_column_get(s, x, c).name);
        }
    }
    least = fmin(1, least * channels);
    int noise = !(sn_residuals_chance(s, e) < SN_DOUBTFUL);
    if (least < SN_DOUBTFUL)
        sn_estimate_verdict(e, noise ? 0 : 1, "residuals",
                            "the innovations of the filter are not white (%s: autocorrelation %.2f; noise "
                            "would do that with a probability of %.1g): %s",
                            worst, r, fmax(least, 1e-300),
                            noise ? "the histories are no random walks of this smoothness, as smooth forces "
                                    "are not; bands hold on the average over time"
                                  : "the histories are no random walks of this smoothness, or the model is "
                                    "not right");
    else
        sn_estimate_verdict(e, 0, "residuals", "the innovations of the filter are white, of size %.3g",
                            count > 0 ? sqrt(squares / count) : 0);
    return SN_OK;
}

sn_status sn_kalman_judge(const sn_kalman_pass *p, sn_estimate *e, sn_err *err)
{
    sn_fit *f = p->fit;
    const sn_study *s = f->s;
    double sum = p->squares + p->logs;
    take_unknowns(p, e);
    SN_TRY(take_residuals(p, e, err));
    for (int k = 0; k < s->n_experiment; k++)
        for (int i = 0; i < s->experiment[k].n * s->experiment[k].n_channel; i++)
            if (!isnan(f->part[k].r[i]))
                sum += 2 * log(s->experiment[k].sigma[i % s->experiment[k].n_channel]);
    e->evidence = -0.5 * sum;
    SN_TRY(sn_look_at_channels(f, e, 0, err));
    SN_TRY(sn_kalman_look_at_taken(p, e, err));
    SN_TRY(sn_judge_minimum(f, e, err));
    SN_TRY(sn_judge_residuals(f, e, err));
    SN_TRY(judge_innovations(p, e, err));
    SN_TRY(sn_judge_unknowns(f, e, err));
    e->history = sn_arena_alloc(&e->arena, (size_t)s->n_history_part + 1, sizeof *e->history);
    if (!e->history) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < s->n_history_part; i++) SN_TRY(take_history(p, i, e, err));
    return sn_kalman_judge_seen(p, e, err);
}
