/* The design of an experiment: after the search over excitations the best sets of sensors, what each adds,
   the shortest duration and the lowest rate that will do, and what there is to say about it. */
#include "identify/design_work.h"
#include "identify/judge.h"
#include "identify/random.h"
#include "integrator/integrator.h"

#include <math.h>
#include <string.h>

/* ---- standard errors ---- */

/* Of the study's unknowns where their information is M. */
static sn_status errors_of(sn_designer *k, const double *M, double *std_error, sn_err *err)
{
    size_t n = (size_t)k->s->n_unknown;
    sn_estimate *e = k->plan->e;
    memcpy(k->f->A, M, n * n * sizeof *M);
    memset(e->covariance, 0, n * n * sizeof *M);
    SN_TRY(sn_covariance(k->f, k->f->A, e, err));
    sn_standard_errors(k->f, e);
    if (std_error) memcpy(std_error, e->std_error, n * sizeof *std_error);
    return SN_OK;
}

/* Information of the set w up to sample `last` with every stride-th one, from the rows of the last run. */
static void partial(const sn_designer *k, const double *w, int last, int stride, double *M)
{
    size_t n2 = (size_t)k->s->n_unknown * (size_t)k->s->n_unknown;
    memcpy(M, k->best->base, n2 * sizeof *M);
    for (int i = 0; i < k->d->n_candidate; i++)
        for (int j = 0; w[i] != 0 && j < k->d->candidate[i].n; j++)
            sn_design_channel(k, k->d->candidate[i].first + j, last, stride, M);
}

/* Every goal is met by standard errors of the unknowns' values. */
static int meets(const sn_designer *k, const double *std_error)
{
    for (int i = 0; i < k->s->n_common; i++) {
        const sn_unknown *u = &k->s->unknown[i];
        double goal = k->d->goal[i] * (u->log ? u->start : u->scale);
        if (!isnan(goal) && !(std_error[i] <= goal * (1 + 1e-9))) return 0;
    }
    return 1;
}

/* The shortest duration in which the set meets the goals, at a rate; NAN: none. Information grows with every
   sample, so that bisection finds it. */
static sn_status shortest(sn_designer *k, const double *w, int stride, double *duration, sn_err *err)
{
    const sn_experiment *x = &k->s->experiment[k->d->experiment];
    double rate = k->d->rate[k->d->n_rate - 1], *M = k->now->total;
    double *se = sn_alloc((size_t)k->s->n_unknown + 1, sizeof *se);
    int lo = (int)ceil(k->d->shortest * rate * (1 - 1e-12)) + 1, hi = x->n;
    sn_status status = se ? SN_OK : SN_OUT_OF_MEM(err);
    *duration = NAN;
    if (lo > hi) lo = hi;
    if (!status) partial(k, w, hi, stride, M), status = errors_of(k, M, se, err);
    int possible = !status && meets(k, se);
    while (!status && possible && lo < hi) {
        int mid = lo + (hi - lo) / 2;
        partial(k, w, mid, stride, M);
        status = errors_of(k, M, se, err);
        if (!status && meets(k, se))
            hi = mid;
        else
            lo = mid + 1;
    }
    if (!status && possible) *duration = fmax(x->t[hi - 1] - x->begin, k->d->shortest);
    sn_free(se);
    return status;
}

/* ---- what was chosen ---- */

static void *room(sn_designer *k, size_t n, size_t size)
{
    return sn_arena_alloc(&k->plan->arena, n + 1, size);
}

/* The best sets of 1, 2 ... sensors, up to those that were asked for or are needed. */
static sn_status grow(sn_designer *k, sn_err *err)
{
    const sn_design_section *d = k->d;
    sn_plan *p = k->plan;
    int most = d->choose ? d->choose : d->n_candidate, last = p->n_size = 0;
    p->size = room(k, (size_t)most, sizeof *p->size);
    if (!p->size) return SN_OUT_OF_MEM(err);
    for (int n = 1; n <= most && !last; n++) {
        sn_set_size *z = &p->size[p->n_size++];
        z->w = room(k, (size_t)d->n_candidate, sizeof *z->w);
        z->std_error = room(k, (size_t)k->s->n_unknown, sizeof *z->std_error);
        if (!z->w || !z->std_error) return SN_OUT_OF_MEM(err);
        SN_TRY(sn_best_set(k->best, n, z->w, &z->bound, err));
        z->criterion = sn_criterion(k->best, z->w, NULL);
        sn_information_sum(k->best, 0, z->w, k->now->total);
        SN_TRY(errors_of(k, k->now->total, z->std_error, err));
        SN_TRY(shortest(k, z->w, 1, &z->duration, err));
        last = !d->choose && d->n_goal && !isnan(z->duration);
    }
    p->chosen = p->n_size;
    return SN_OK;
}

static sn_status errors_with(sn_designer *k, const double *w, double **out, sn_err *err)
{
    *out = room(k, (size_t)k->s->n_unknown, sizeof **out);
    if (!*out) return SN_OUT_OF_MEM(err);
    sn_information_sum(k->best, 0, w, k->now->total);
    return errors_of(k, k->now->total, *out, err);
}

/* What each of the chosen adds, in the order of what they add; then what each of the others would. */
static sn_status rank(sn_designer *k, sn_err *err)
{
    sn_plan *p = k->plan;
    int n = k->d->n_candidate;
    const double *chosen = p->size[p->chosen - 1].w;
    double *w = k->w, x;
    p->order = room(k, (size_t)n, sizeof *p->order), p->adds = room(k, (size_t)n, sizeof *p->adds);
    p->after = room(k, (size_t)n, sizeof *p->after), p->without = room(k, (size_t)n, sizeof *p->without);
    unsigned char *used = room(k, (size_t)n, 1);
    if (!p->order || !p->adds || !p->after || !p->without || !used) return SN_OUT_OF_MEM(err);
    memset(w, 0, sizeof *w * (size_t)n);
    x = sn_criterion(k->best, w, NULL);
    for (int i = 0; i < n; i++) {
        int best = -1, among = i < p->chosen;
        double least = INFINITY;
        for (int c = 0; c < n; c++) {
            if (used[c] || (chosen[c] != 0) != among) continue;
            w[c] = 1;
            double y = sn_criterion(k->best, w, NULL);
            w[c] = 0;
            if (best < 0 || y < least) least = y, best = c;
        }
        used[best] = 1, p->order[i] = best, p->adds[i] = x - least;
        w[best] = 1;
        SN_TRY(errors_with(k, w, &p->after[i], err));
        if (among)
            x = least;
        else
            w[best] = 0;
    }
    for (int i = 0; i < p->chosen; i++) {
        w[p->order[i]] = 0;
        SN_TRY(errors_with(k, w, &p->without[p->order[i]], err));
        w[p->order[i]] = 1;
    }
    for (int c = 0; c < n; c++) w[c] = 1;
    return errors_with(k, w, &p->all, err);
}

/* The lowest rate that reaches the goals, and how long it takes. */
static sn_status choose_rate(sn_designer *k, sn_err *err)
{
    sn_plan *p = k->plan;
    const sn_design_section *d = k->d;
    const double *w = p->size[p->chosen - 1].w;
    int stride = 1, found = 0;
    p->rate_duration = room(k, (size_t)d->n_rate, sizeof *p->rate_duration);
    if (!p->rate_duration) return SN_OUT_OF_MEM(err);
    p->rate = d->rate[d->n_rate - 1], p->duration = d->longest;
    for (int r = 0; r < d->n_rate && d->n_goal; r++) {
        int s = (int)round(d->rate[d->n_rate - 1] / d->rate[r]);
        SN_TRY(shortest(k, w, s, &p->rate_duration[r], err));
        if (found || isnan(p->rate_duration[r])) continue;
        found = 1, stride = s, p->rate = d->rate[r], p->duration = p->rate_duration[r];
    }
    p->reached = found || !d->n_goal;
    /* at last those of what was chosen */
    int last = (int)floor(p->duration * d->rate[d->n_rate - 1] * (1 + 1e-12)) + 1;
    partial(k, w, last, stride, k->now->total);
    return errors_of(k, k->now->total, NULL, err);
}

/* How the chosen set does in the draws. */
static sn_status look_at_draws(sn_designer *k, sn_err *err)
{
    sn_plan *p = k->plan;
    int n = k->s->n_unknown;
    const double *w = p->size[p->chosen - 1].w;
    double *se = sn_alloc((size_t)n + 1, sizeof *se);
    sn_status status = se && (p->worst = room(k, (size_t)n, sizeof *p->worst)) ? SN_OK : SN_OUT_OF_MEM(err);
    for (int i = 1; i <= k->d->robust && !status; i++) {
        const double *z = k->draw + (size_t)(i - 1) * (size_t)n;
        sn_information_sum(k->best, i, w, k->now->total);
        status = errors_of(k, k->now->total, se, err);
        int good = !status;
        for (int u = 0; u < n && !status; u++) {
            /* relative ones belong to the values of the draw */
            double ratio = k->s->unknown[u].log ? sn_fit_value(k->s, u, z[u]) / k->s->unknown[u].start : 1;
            p->worst[u] = fmax(p->worst[u], se[u] * ratio);
            if (u < k->s->n_common && !isnan(k->d->goal[u]))
                good &= se[u] <= k->d->goal[u] *
                                     (k->s->unknown[u].log ? k->s->unknown[u].start : k->s->unknown[u].scale);
        }
        p->draws_reaching += good;
    }
    sn_free(se);
    return status;
}

/* ---- in words ---- */

static void say_bounds(sn_designer *k)
{
    sn_plan *p = k->plan;
    for (int i = 0; i < k->d->n_excitation; i++) {
        const sn_excitation *e = &k->d->excitation[i];
        double v = p->excitation[i];
        if (!e->n && (v <= e->lower || v >= e->upper))
            sn_estimate_verdict(
                p->e, 0, "excitation",
                "%s is best at the %s end of its range, %.6g %s: more would tell more, if it can be had",
                e->name, v <= e->lower ? "lower" : "upper", v / e->shown_factor, e->shown);
    }
}

static void say_goals(sn_designer *k)
{
    sn_plan *p = k->plan;
    for (int i = 0; i < k->s->n_common; i++) {
        const sn_unknown *u = &k->s->unknown[i];
        double one = (u->log ? u->start : u->scale) / u->shown_factor, goal = k->d->goal[i] * one;
        double se = p->e->std_error[i] / u->shown_factor, all = p->all[i] / u->shown_factor;
        if (isnan(goal) || se <= goal * (1 + 1e-9)) continue;
        const char *name = u->name, *unit = u->shown;
        if (!isfinite(se))
            sn_estimate_verdict(p->e, 2, "goal", "the goal of %s is not reached: %s", name,
                                isfinite(all) ? "these sensors do not see it, others among the candidates do"
                                              : "no candidate sees it, whatever its noise");
        else if (all <= goal)
            sn_estimate_verdict(p->e, 2, "goal",
                                "the goal of %s, a standard error of %.3g %s, is not reached: %.3g; with all "
                                "candidates it would be %.3g, so choose more sensors",
                                name, goal, unit, se, all);
        else
            sn_estimate_verdict(
                p->e, 2, "goal",
                "the goal of %s, a standard error of %.3g %s, is not reached: %.3g, and %.3g with "
                "all candidates; measure longer, excite more, or with less noise",
                name, goal, unit, se, all);
    }
    if (k->d->n_goal && p->reached)
        sn_estimate_verdict(p->e, 0, "goal",
                            "the goals are reached with %d of %d sensors in %.3g s at %.6g Hz", p->chosen,
                            k->d->n_candidate, p->duration, p->rate);
    if (k->d->n_goal && k->d->robust)
        sn_estimate_verdict(p->e, p->draws_reaching * 10 >= k->d->robust * 9 ? 0 : 1, "goal",
                            "in %g s the goals are reached in %d of %d draws of the unknowns", k->d->longest,
                            p->draws_reaching, k->d->robust);
}

static sn_status judge(sn_designer *k, sn_err *err)
{
    sn_plan *p = k->plan;
    if (p->stopped)
        sn_estimate_verdict(p->e, 1, "excitation", "stopped on request: the best of %d excitations", k->done);
    say_goals(k);
    say_bounds(k);
    SN_TRY(sn_judge_directions(k->f, p->e, err));
    SN_TRY(sn_judge_unknowns(k->f, p->e, err));
    for (int i = 0; i < p->e->n_verdict; i++)
        if (!k->d->n_goal && p->e->verdict[i].level == 2) p->reached = 0;
    return sn_estimate_whole(p->e, err);
}

/* ---- all ---- */

/* Values that the unknowns may have: from priors, else within bounds, else around the start by a factor of 2.
 */
static void draw_unknowns(sn_designer *k)
{
    unsigned long long seed = 0x9E3779B97F4A7C15ULL ^ (k->d->seed + 1);
    for (int i = 0; i < 20; i++) sn_uniform(&seed);
    for (int i = 0; i < k->d->robust; i++)
        for (int u = 0; u < k->s->n_unknown; u++) {
            const sn_unknown *q = &k->s->unknown[u];
            double lo = k->f->lower[u], hi = k->f->upper[u], unit = q->log ? 1 : q->scale;
            double x = q->experiment >= 0 || q->id < 0 ? k->z[u] : 0;
            if (q->experiment < 0 && q->id >= 0 && !isnan(q->prior))
                x = (q->prior + q->prior_sd * sn_normal(&seed)) / unit;
            else if (q->experiment < 0 && q->id >= 0 && isfinite(lo) && isfinite(hi))
                x = lo + (hi - lo) * sn_uniform(&seed);
            else if (q->experiment < 0 && q->id >= 0)
                x = q->log ? k->z[u] + log(2) * (2 * sn_uniform(&seed) - 1)
                           : k->z[u] * (1 + 0.5 * (2 * sn_uniform(&seed) - 1));
            k->draw[(size_t)i * (size_t)k->s->n_unknown + (size_t)u] = fmin(fmax(x, lo), hi);
        }
}

static sn_status begin(sn_designer *k, sn_err *err)
{
    size_t n = (size_t)k->s->n_unknown + 1, m = (size_t)k->d->n_excitation + 1;
    SN_TRY(sn_fit_new(k->s, 1, &k->f, err));
    SN_TRY(sn_information_new(k->s, k->d->robust + 1, &k->now, err));
    SN_TRY(sn_information_new(k->s, k->d->robust + 1, &k->best, err));
    SN_TRY(sn_estimate_new(k->s, &k->plan->e, err));
    k->plan->excitation = room(k, m, sizeof(double));
    if (!SN_NEW(k->z, n) || !SN_NEW(k->draw, n * (size_t)(k->d->robust + 1)) || !SN_NEW(k->value, m) ||
        !SN_NEW(k->found, m) || !SN_NEW(k->w, k->d->n_candidate + 1) || !k->plan->excitation)
        return SN_OUT_OF_MEM(err);
    sn_fit_start(k->f, k->z);
    draw_unknowns(k);
    memcpy(k->plan->e->z, k->z, (n - 1) * sizeof *k->z);
    return SN_OK;
}

static void end(sn_designer *k)
{
    sn_fit_free(k->f);
    sn_information_free(k->now), sn_information_free(k->best);
    sn_free(k->z), sn_free(k->draw), sn_free(k->value), sn_free(k->found), sn_free(k->w);
}

/* The search, and the run of what it found once more, for its rows. */
static sn_status find(sn_designer *k, sn_err *err)
{
    int before = sn_err_count(err);
    SN_TRY(sn_design_before(k, err));
    sn_status status = sn_design_search(k, err);
    if (status == SN_ERR_INTERRUPTED && isfinite(k->least)) {
        sn_err_forget(err, before);
        k->plan->stopped = 1, k->f->stopped = 0, status = SN_OK;
    }
    SN_TRY(status);
    k->f->progress = NULL;
    memcpy(k->plan->excitation, k->found, sizeof *k->found * (size_t)k->d->n_excitation);
    SN_TRY(sn_design_excite(k, k->found, err));
    return sn_fit_rows(k->f, k->z, err);
}

static sn_status choose(sn_designer *k, sn_err *err)
{
    SN_TRY(grow(k, err));
    SN_TRY(rank(k, err));
    if (k->d->robust) SN_TRY(look_at_draws(k, err));
    SN_TRY(choose_rate(k, err));
    return judge(k, err);
}

sn_status sn_plan_make(sn_study *s, const sn_design_options *o, sn_plan **out, sn_err *err)
{
    double start = sn_clock();
    sn_designer k = {.s = s, .d = s->design, .least = INFINITY};
    *out = NULL;
    if (!SN_NEW(k.plan, 1)) return SN_OUT_OF_MEM(err);
    k.plan->s = s, k.plan->d = s->design;
    sn_status status = begin(&k, err);
    if (!status) k.f->progress = o->progress, k.f->ctx = o->ctx;
    if (!status) status = find(&k, err);
    if (!status) status = choose(&k, err);
    if (!status) k.plan->simulations = k.f->simulations, k.plan->seconds = sn_clock() - start;
    end(&k);
    if (status)
        sn_plan_free(k.plan);
    else
        *out = k.plan;
    return status;
}

void sn_plan_free(sn_plan *p)
{
    if (!p) return;
    sn_estimate_free(p->e);
    sn_arena_free(&p->arena);
    sn_free(p);
}
