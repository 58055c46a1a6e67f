/* The whole of an identification: from the given start, and from random ones if asked, the data are fitted
   first up to a short horizon that then grows (a long run tells nothing when its end is far off, and a short
   one has few false minima); the noise is estimated where it was not stated; then the answer is judged. */
#include "identify/doubt.h"
#include "identify/horizon.h"
#include "identify/noise.h"
#include "identify/places.h"
#include "identify/progress.h"
#include "identify/refine.h"
#include "identify/search.h"
#include "identify/smoothing.h"
#include "identify/window.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ITERATIONS = 100, NOISE_ROUNDS = 4, MODEL_ROUNDS = 10, SMOOTHING_ROUNDS = 12, ALTERNATIVES = 8 };
static const double grace = 0.25; /* s, for what is still wanted of a search that was stopped */

/* ---- what happens on the way ---- */

void sn_tell_state(sn_estimate *e, const sn_step *step, int done, int n)
{
    double length = sn_longest(e->s);
    sn_identify_state state = {.window = fmin(step->horizon, length),
                               .length = length,
                               .iteration = step->iteration,
                               .rms = step->rms,
                               .simulations = step->simulations,
                               .starts = n,
                               .starts_done = done,
                               .places = e->ranking,
                               .places_done = e->ranked};
    if (e->state) e->state(e->ctx, &state);
}

void sn_estimate_told(void *estimate, const sn_step *step)
{
    sn_estimate *e = estimate;
    sn_progress_tell(e->progress, step);
    sn_tell_state(e, step, 0, 0);
    if (e->n_iteration == e->cap_iteration) {
        int more = e->cap_iteration ? 2 * e->cap_iteration : 64;
        sn_iteration *list = sn_arena_alloc(&e->arena, (size_t)more, sizeof *list);
        if (!list) return; /* a line of the record is lost, nothing else */
        if (e->n_iteration) memcpy(list, e->iteration, sizeof *list * (size_t)e->n_iteration);
        e->iteration = list, e->cap_iteration = more;
    }
    double *value = sn_arena_alloc(&e->arena, (size_t)e->s->n_unknown + 1, sizeof *value);
    if (!value) return;
    for (int k = 0; k < e->s->n_unknown; k++) value[k] = sn_fit_value(e->s, k, step->z[k]);
    e->iteration[e->n_iteration++] = (sn_iteration){step->iteration, step->stage,   step->cost,    step->rms,
                                                    step->change,    step->damping, step->horizon, value};
}

/* ---- one search ---- */

/* By Levenberg and Marquardt's method over all data, after so many other stages. */
static sn_status last_digits(sn_fit *f, double *z, int stage, sn_estimate *record, int *counter,
                             sn_search *last, sn_err *err)
{
    /* where the noise is still to be estimated the last digits can wait */
    *last =
        (sn_search){.horizon = INFINITY,
                    .tolerance = sn_noise_sought(f->s) ? 1e-5 : 1e-9,
                    .damping = stage > 0 ? 1e-6 : 0, /* the step is Newton's, to its last digits */
                    .most = MOST_ITERATIONS,
                    .stage = stage,
                    .ready = f->is_seen && f->is_ready && !memcmp(f->seen, z, sizeof(double) * (size_t)f->n),
                    .counter = counter,
                    .told = record ? sn_estimate_told : NULL,
                    .ctx = record};
    sn_status status = sn_marquardt(f, z, last, err);
    last->ready = 0;
    return status;
}

sn_status sn_search_from(sn_fit *f, double *z, int alternatives, sn_estimate *record, int *counter,
                         sn_search *last, sn_err *err)
{
    const sn_study *s = f->s;
    sn_search way = {.counter = counter,
                     .told = record ? sn_estimate_told : NULL,
                     .ctx = record,
                     .minima = last->minima,
                     .seed = last->seed};
    if (f->window > 0) SN_TRY(sn_horizon(f, z, alternatives, &way, err));
    int stage = way.stage;
    if (s->optimiser != SN_MARQUARDT) {
        /* the other optimiser finds the place, Levenberg and Marquardt's method the last digits */
        sn_search o = {.horizon = INFINITY,
                       .tolerance = 1e-6,
                       .most = s->optimiser == SN_CMAES ? 400 : 300,
                       .stage = stage++,
                       .counter = counter,
                       .told = record ? sn_estimate_told : NULL,
                       .ctx = record};
        int before = sn_err_count(err);
        sn_status status = s->optimiser == SN_CMAES ? sn_cma_es(f, z, 0.3 * log(s->spread), s->seed, &o, err)
                                                    : sn_lbfgs(f, z, &o, err);
        if (status && status != SN_ERR_NUMERIC) return status;
        if (status) sn_err_forget(err, before); /* cannot be simulated: the search that follows says so */
    }
    sn_status status = last_digits(f, z, stage, record, counter, last, err);
    last->undecided = way.undecided;
    return status;
}

sn_status sn_choose_window(sn_fit *f, const double *z, sn_err *err)
{
    const sn_study *s = f->s;
    f->window = fmax(0, s->horizon);
    if (s->horizon >= 0 || !s->n_fit) return SN_OK;
    int before = sn_err_count(err);
    sn_status status = sn_fit_rows(f, z, err);
    if (status && status != SN_ERR_NUMERIC) return status;
    if (status) sn_err_forget(err, before);
    return sn_first_window(f, !status, &f->window, err);
}

/* ---- all together ---- */

static void set_reason(sn_estimate *e, const sn_search *last, sn_status status)
{
    e->converged = !status && last->converged;
    snprintf(e->reason, sizeof e->reason, "%s",
             status == SN_ERR_INTERRUPTED ? "stopped on request" : last->reason);
}

/* How smooth free histories are by the data at e->z; *change: of the weights. What the unknowns take up of
   each channel's numbers then counts where its noise is estimated. */
static sn_status settle_smoothness(sn_fit *f, sn_estimate *e, double *change, sn_err *err)
{
    *change = 1;
    if (!sn_smoothing_needed(f->s)) return SN_OK;
    SN_TRY(sn_fit_rows(f, e->z, err));
    SN_TRY(sn_smoothing_choose(f, e->z, e, change, err));
    SN_TRY(sn_fit_rows(f, e->z, err));
    return sn_smoothing_levers(f, e->z, &e->evidence, err);
}

/* Deviations of noise that is not stated, weights of smoothness, and the estimate with them, by turns. */
static sn_status settle_noise(sn_fit *f, sn_estimate *e, sn_search *last, sn_err *err)
{
    const sn_study *s = f->s;
    int rounds = sn_noise_modelled(s) ? MODEL_ROUNDS : sn_noise_sought(s) ? NOISE_ROUNDS : 0;
    if (sn_smoothing_needed(s) && rounds < SMOOTHING_ROUNDS) rounds = SMOOTHING_ROUNDS;
    for (int round = 0; round < rounds && isfinite(f->cost); round++) {
        double change = 1, smoother = 1;
        f->done = fmin(0.99, fmax(f->done, 0.9) + 0.02);
        SN_TRY(settle_smoothness(f, e, &smoother, err));
        if (sn_noise_sought(s)) SN_TRY(sn_noise_estimate(f, e->z, &change, err));
        if (round && change < 1.02 && smoother < 1.2) break; /* what differs by so little moves nothing */
        if (round && e->ranking && change < 1.1 && smoother < 2) break; /* nor evidence, which has its top */
        last->tolerance = 1e-9, last->damping = 1e-6;
        sn_status status = sn_marquardt(f, e->z, last, err);
        set_reason(e, last, status);
        SN_TRY(status);
    }
    return SN_OK;
}

/* Where several places were possible up to long windows, those that were looked at by chance may have missed
   the best: once more from where it ended, with others. */
static sn_status once_more(sn_fit *f, sn_estimate *e, sn_minima *m, int *counter, sn_err *err)
{
    sn_search again = {.minima = m, .seed = 0x2545F4914F6CDD1DULL};
    double *z, best = f->cost;
    if (!SN_NEW(z, f->n + 1)) return SN_OUT_OF_MEM(err);
    memcpy(z, e->z, sizeof *z * (size_t)f->n);
    sn_status status = sn_search_from(f, z, ALTERNATIVES, e, counter, &again, err);
    if (!status && isfinite(f->cost)) status = sn_minima_add(m, z, 1, err);
    if (!status && f->cost < best) best = f->cost, memcpy(e->z, z, sizeof *z * (size_t)f->n);
    if (!status && isfinite(best)) f->cost = best;
    sn_free(z);
    return status;
}

/* The searches: from the given start, from others, and from others where the residuals are no noise. */
static sn_status find(sn_fit *f, sn_estimate *e, sn_minima *m, sn_search *last, int *counter, sn_err *err)
{
    const sn_study *s = f->s;
    double change;
    last->minima = m;
    if (sn_smoothing_needed(s)) SN_TRY(settle_smoothness(f, e, &change, err));
    sn_status status = sn_search_from(f, e->z, s->starts == 0 ? 1 : ALTERNATIVES, e, counter, last, err);
    set_reason(e, last, status);
    SN_TRY(status);
    if (!isfinite(f->cost)) return SN_OK;
    if (s->starts != 0) SN_TRY(sn_minima_add(m, e->z, 1, err));
    double first = f->cost;
    if (s->starts < 0 && last->undecided) SN_TRY(once_more(f, e, m, counter, err));
    double best = f->cost;
    if (s->starts > 0) status = sn_many_starts(f, e->z, &best, e, (sn_range){0, s->starts}, m, err);
    if (!status && s->starts > 0) status = sn_marquardt(f, e->z, last, err), set_reason(e, last, status);
    SN_TRY(status);
    SN_TRY(sn_doubt(f, e, e->z, m, err));
    if (best == first && !e->doubts.looked) return SN_OK;
    status = sn_marquardt(f, e->z, last, err);
    set_reason(e, last, status);
    return status;
}

/* near: e->z is close to the minimum already, and no other one is looked for. */
static sn_status solve(sn_fit *f, sn_estimate *e, int near, sn_err *err)
{
    const sn_study *s = f->s;
    sn_search last = {.reason = ""};
    sn_minima minima = {.dim = (size_t)f->n};
    int counter = e->n_iteration ? e->iteration[e->n_iteration - 1].iteration : 0, better = 1;
    if (!s->n_fit) {
        e->converged = 1;
        snprintf(e->reason, sizeof e->reason, "nothing to fit: all experiments are held out");
        return SN_OK;
    }
    sn_status status =
        near ? last_digits(f, e->z, 1, e, &counter, &last, err) : find(f, e, &minima, &last, &counter, err);
    if (near) set_reason(e, &last, status);
    /* with the noise as it is found another minimum may be the best */
    for (int round = 0; !status && better && round < 3; round++) {
        better = 0;
        status = settle_noise(f, e, &last, err);
        if (!status && minima.n > 1 && e->converged) status = sn_minima_weigh(f, e, &minima, &better, err);
        if (!status && better) status = sn_marquardt(f, e->z, &last, err), set_reason(e, &last, status);
    }
    sn_minima_free(&minima);
    return status;
}

static sn_status keep_start(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    for (int h = 1; h >= 0; h--) {
        if (h && s->n_fit == s->n_experiment) continue;
        int before = sn_err_count(err), look = !h && s->horizon < 0;
        sn_status status = look ? sn_choose_window(f, e->z, err) : sn_fit_signals(f, e->z, h, 0, err);
        if (status == SN_ERR_NUMERIC) sn_err_forget(err, before), status = SN_OK;
        SN_TRY(status);
        for (int k = 0; k < s->n_experiment; k++) {
            const sn_experiment *x = &s->experiment[k];
            if (x->hold_out == h)
                memcpy(e->start[k], f->part[k].model, sizeof(double) * (size_t)x->n * (size_t)x->n_channel);
        }
    }
    return SN_OK;
}

sn_status sn_estimate_new(const sn_study *s, sn_estimate **out, sn_err *err)
{
    sn_estimate *e;
    size_t n = (size_t)s->n_unknown + 1;
    if (!SN_NEW(e, 1)) return SN_OUT_OF_MEM(err);
    e->s = s;
    e->hold_out = NAN;
    double **const arrays[] = {&e->z,  &e->value,   &e->std_error, &e->lo,
                               &e->hi, &e->freedom, &e->inflation, &e->correction};
    int good = 1;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        good &= (*arrays[i] = sn_arena_alloc(&e->arena, n, sizeof(double))) != NULL;
    e->covariance = sn_arena_alloc(&e->arena, n * n, sizeof(double));
    e->correlation = sn_arena_alloc(&e->arena, n * n, sizeof(double));
    e->at_bound = sn_arena_alloc(&e->arena, n, sizeof(int));
    e->direction = sn_arena_alloc(&e->arena, n, sizeof *e->direction);
    double ***const tables[] = {&e->model, &e->start, &e->residual, &e->innovation, &e->discrepancy};
    for (int i = 0; i < 5; i++)
        good &=
            (*tables[i] = sn_arena_alloc(&e->arena, (size_t)s->n_experiment + 1, sizeof(double *))) != NULL;
    e->channel = sn_arena_alloc(&e->arena, (size_t)s->n_experiment + 1, sizeof *e->channel);
    good = good && e->covariance && e->correlation && e->at_bound && e->direction && e->channel;
    for (int k = 0; good && k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        size_t samples = (size_t)x->n * (size_t)x->n_channel + 1;
        for (int i = 0; i < 4; i++)
            good &= ((*tables[i])[k] = sn_arena_alloc(&e->arena, samples, sizeof(double))) != NULL;
        good &=
            (e->channel[k] = sn_arena_alloc(&e->arena, (size_t)x->n_channel, sizeof **e->channel)) != NULL;
    }
    if (!good) {
        sn_estimate_free(e);
        return SN_OUT_OF_MEM(err);
    }
    for (size_t k = 0; k < n; k++) e->freedom[k] = INFINITY, e->inflation[k] = 1;
    *out = e;
    return SN_OK;
}

void sn_estimate_free(sn_estimate *e)
{
    if (!e) return;
    sn_free(e->verdict);
    sn_arena_free(&e->arena);
    sn_free(e);
}

/* After a coarser discretisation: begins where that has ended if the minimum is near (sn_refine_near); what
   was found on the way there stays in the record. */
static sn_status go_on(sn_estimate *e, const sn_estimate *from, sn_err *err)
{
    const sn_study *s = e->s;
    size_t n = (size_t)from->n_iteration;
    if (sn_refine_near(from)) {
        for (int k = 0; k < s->n_unknown; k++) e->z[k] = sn_fit_z(s, k, from->value[k]);
        e->starts = from->starts, e->alike = from->alike;
    }
    e->iteration = sn_arena_alloc(&e->arena, n + 64, sizeof *e->iteration);
    if (!e->iteration) return SN_OUT_OF_MEM(err);
    e->n_iteration = from->n_iteration, e->cap_iteration = (int)n + 64;
    for (size_t i = 0; i < n; i++) {
        sn_iteration *q = &e->iteration[i];
        *q = from->iteration[i];
        q->value = sn_arena_alloc(&e->arena, (size_t)s->n_unknown + 1, sizeof *q->value);
        if (!q->value) return SN_OUT_OF_MEM(err);
        memcpy(q->value, from->iteration[i].value, sizeof *q->value * (size_t)s->n_unknown);
    }
    return SN_OK;
}

int sn_estimate_stop(void *estimate, double done, double t)
{
    const sn_estimate *e = estimate;
    if (e->deadline > 0) return sn_clock() > e->deadline;
    return e->patience ? e->patience(e->ctx, fmax(done, 0.99), t) : 0;
}

/* Stopped: what there is counts, and is judged without more searching, as far as that can be done at once;
   e->z is the best so far. Noise that was still to be estimated is what the residuals have now. */
static sn_status give_up(sn_fit *f, sn_estimate *e, sn_err *err)
{
    double change;
    int before = sn_err_count(err);
    e->deadline = f->deadline = sn_clock() + grace;
    f->stopped = 0, f->progress = NULL;
    e->converged = 0, e->stopped = SN_STOPPED_SEARCH;
    snprintf(e->reason, sizeof e->reason, "stopped on request");
    if (!f->s->n_fit || !sn_noise_sought(f->s)) return SN_OK;
    sn_status status = sn_noise_estimate(f, e->z, &change, err);
    if (status == SN_ERR_INTERRUPTED) sn_err_forget(err, before), status = SN_OK;
    return status;
}

/* Instead of judging: evidence, values and the model's signals. */
static sn_status rank(sn_fit *f, sn_estimate *e, sn_err *err)
{
    const sn_study *s = f->s;
    int before = sn_err_count(err);
    sn_status status = sn_evidence(f, e, err);
    if (status == SN_ERR_INTERRUPTED) {
        sn_err_forget(err, before);
        e->stopped = SN_STOPPED_SEARCH, status = SN_OK;
    }
    for (int k = 0; k < f->n; k++) e->value[k] = sn_fit_value(s, k, e->z[k]);
    for (int k = 0; k < s->n_experiment; k++) {
        const sn_experiment *x = &s->experiment[k];
        size_t n = (size_t)x->n * (size_t)x->n_channel;
        if (!x->hold_out) memcpy(e->model[k], f->part[k].model, sizeof(double) * n);
    }
    return status;
}

sn_status sn_study_solve(const sn_study *s, const sn_solve_options *o, sn_estimate **out, sn_err *err)
{
    sn_fit *f = NULL;
    sn_estimate *e = NULL;
    *out = NULL;
    if (s->sequential) return sn_kalman_study(s, o, out, err);
    double begin = sn_clock();
    int before = sn_err_count(err);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    sn_status status = sn_fit_new(s, o->threads > 0 ? o->threads : (int)(cores > 0 ? cores : 1), &f, err);
    if (!status) status = sn_estimate_new(s, &e, err);
    if (!status) {
        f->progress = o->progress, f->ctx = o->ctx, f->memo = o->memo, e->progress = o->file;
        e->patience = o->progress, e->state = o->state, e->ctx = o->ctx;
        f->share = s->starts > 0 ? 1.0 / (s->starts + 2) : 0.9;
        f->window = fmax(0, s->horizon);
        sn_fit_start(f, e->z);
        e->ranking = o->ranking, e->ranked = o->ranked;
        status = e->ranking ? SN_OK : keep_start(f, e, err);
        if (!status && !e->ranking) status = sn_estimate_look(e, o->from ? NULL : o->message, o->ctx, err);
        if (!status && o->from) status = go_on(e, o->from, err);
    }
    sn_status searched = status ? status : solve(f, e, o->from && sn_refine_near(o->from), err);
    if (searched == SN_ERR_INTERRUPTED) {
        sn_err_forget(err, before);
        searched = give_up(f, e, err);
    }
    if (!searched && e->ranking)
        searched = rank(f, e, err);
    else if (!searched)
        searched = sn_judge(f, e, err);
    if (!searched && s->refine == SN_REFINE_CORRECT) sn_refine_correct(e);
    if (!searched) searched = sn_estimate_whole(e, err);
    if (e) {
        e->simulations = f->simulations + (o->from ? o->from->simulations : 0);
        e->kept = f->kept + (o->from ? o->from->kept : 0);
        e->seconds = sn_clock() - begin + (o->from ? o->from->seconds : 0);
    }
    sn_fit_free(f);
    if (searched)
        sn_estimate_free(e);
    else
        *out = e;
    return searched;
}
