/* Windows that hand their state over: see hand_over.h.

   Wu, Dong, Bauchau (section 2.4): the history is sought in window 1, the state at its end is where window 2
   begins, and so on. Windows end at steps of the run, so that the steps of all of them are those of the
   whole. A window is a study of its own that shares model and data with the whole; of a free history it has
   the values that matter in it, neighbouring windows share some. A series begins in a window with the numbers
   of the one before; over the whole it begins with those of the window that explain all data best. */
#include "identify/hand_over.h"
#include "integrator/integrator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A study that is one of the windows, and which unknown of the whole each of its own is. */
typedef struct window {
    sn_study s;
    int *whole;
} window;

static void close_window(window *w)
{
    sn_free(w->s.experiment), sn_free(w->s.unknown), sn_free(w->s.history_part), sn_free(w->whole);
}

/* Where window k of n of an experiment begins: a step of its run. */
static double boundary(const sn_study *s, const sn_experiment *x, int k, int n)
{
    double begin, end;
    sn_history_range(x, &begin, &end);
    if (k == n) return fmax(end, x->begin);
    return x->begin + floor((end - x->begin) * k / n / s->run.step + 0.5) * s->run.step;
}

/* The samples of window k, and its run. */
static sn_status cut_data(const sn_study *s, int e, int k, sn_experiment *x, sn_err *err)
{
    const sn_experiment *all = &s->experiment[e];
    double from = boundary(s, all, k, s->hand_over), to = boundary(s, all, k + 1, s->hand_over),
           slack = 1e-6 * s->run.step;
    int first = 0, last;
    *x = *all;
    while (k && first < all->n && all->t[first] <= from + slack) first++;
    for (last = first; last < all->n && all->t[last] <= to + slack;) last++;
    x->n = last - first, x->first += first;
    x->t += first, x->y += (size_t)first * (size_t)x->n_channel;
    if (x->relative) x->relative += (size_t)first * (size_t)x->n_channel;
    x->begin = from, x->end = k + 1 == s->hand_over ? all->end : to;
    return x->n > 1 && to > from ? SN_OK
                                 : sn_fail(err, SN_ERR_INPUT, &all->mark,
                                           "experiment '%s': window %d of %d has no data; make fewer windows",
                                           all->name, k + 1, s->hand_over);
}

/* Values of a free history that matter between two times: from which on, and how many. */
static int values_between(const sn_study *s, const sn_history_part *p, double from, double to, int *n)
{
    int cubic = s->history[p->history].form == SN_FORM_CUBIC, m = cubic ? p->n - 3 : p->n - 1;
    double u = m / (p->end - p->begin);
    int first = (int)fmin(fmax(floor((from - p->begin) * u + 1e-9), 0), m - 1),
        last = (int)fmin(fmax(ceil((to - p->begin) * u - 1e-9), first + 1), m);
    *n = last - first + (cubic ? 3 : 1);
    return first;
}

/* Unknown j of the whole becomes one of the window's. */
static void take_unknown(window *w, const sn_study *s, int j)
{
    w->whole[w->s.n_unknown] = j;
    for (int e = 0; e < s->n_experiment; e++)
        if (s->experiment[e].offset_unknown == j) w->s.experiment[e].offset_unknown = w->s.n_unknown;
    w->s.unknown[w->s.n_unknown++] = s->unknown[j];
}

static void cut_part(window *w, const sn_study *s, int i, int *taken)
{
    const sn_history_part *p = &s->history_part[i];
    const sn_experiment *x = &w->s.experiment[p->experiment];
    sn_history_part *q = &w->s.history_part[i];
    *q = *p, q->first = w->s.n_unknown;
    int first = 0, n = p->n;
    double end, begin;
    sn_history_range(x, &begin, &end);
    if (s->history[p->history].form == SN_FORM_SERIES) {
        q->begin = x->begin, q->end = fmin(x->end, end);
    } else {
        first = values_between(s, p, x->begin, fmin(x->end, end), &n);
        int m = p->n - (s->history[p->history].form == SN_FORM_CUBIC ? 3 : 1);
        q->begin = p->begin + (p->end - p->begin) * first / m;
        q->end = p->begin + (p->end - p->begin) * (first + n - (p->n - m)) / m;
        q->w = p->w + first, q->n = n;
    }
    for (int j = 0; j < p->n; j++) taken[p->first + j] = 1;
    for (int j = 0; j < n; j++) take_unknown(w, s, p->first + first + j);
}

static sn_status open_window(const sn_study *s, int k, sn_state *const *from, window *w, sn_err *err)
{
    size_t n = (size_t)s->n_unknown + 1;
    int *taken = NULL;
    *w = (window){.s = *s};
    w->s.piece = 1, w->s.hand_over = 0, w->s.trying = SN_TRY_NEVER, w->s.refine = SN_REFINE_NO,
    w->s.n_unknown = 0;
    w->s.experiment = NULL, w->s.unknown = NULL, w->s.history_part = NULL;
    sn_status status = SN_NEW(w->s.experiment, s->n_experiment) && SN_NEW(w->s.unknown, n) &&
                               SN_NEW(w->s.history_part, s->n_history_part + 1) && SN_NEW(w->whole, n) &&
                               SN_NEW(taken, n)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    for (int e = 0; !status && e < s->n_experiment; e++) {
        status = cut_data(s, e, k, &w->s.experiment[e], err);
        if (k) w->s.experiment[e].from = from[e];
    }
    /* in the order of the whole: histories where they stand there */
    for (int i = 0; !status && i < s->n_history_part; i++)
        for (int j = 0; j < s->history_part[i].n; j++) taken[s->history_part[i].first + j] = 1;
    for (int j = 0; !status && j < s->n_unknown; j++) {
        if (!taken[j]) take_unknown(w, s, j);
        for (int i = 0; i < s->n_history_part; i++)
            if (s->history_part[i].first == j) cut_part(w, s, i, taken);
    }
    sn_free(taken);
    return status;
}

/* ---- what was found ---- */

static int grow(double **x, int had, int more)
{
    double *y;
    if (!SN_NEW(y, had + more + 1)) return 0;
    if (*x) memcpy(y, *x, sizeof *y * (size_t)had);
    sn_free(*x);
    *x = y;
    return 1;
}

/* The history of a window joins those before, within its time. */
static sn_status join(sn_piece *p, const sn_history_fit *h, const sn_experiment *x, double to, sn_err *err)
{
    if (!grow(&p->t, p->n, h->n) || !grow(&p->value, p->n, h->n) || !grow(&p->std_error, p->n, h->n) ||
        !grow(&p->begin, p->windows, 2))
        return SN_OUT_OF_MEM(err);
    p->begin[p->windows++] = x->begin, p->begin[p->windows] = to;
    for (int i = 0; i < h->n; i++) {
        if (h->t[i] < x->begin - 1e-9 * (to - x->begin) || h->t[i] > to + 1e-9 * (to - x->begin)) continue;
        p->t[p->n] = h->t[i], p->value[p->n] = h->value[i], p->std_error[p->n++] = h->std_error[i];
    }
    return SN_OK;
}

void sn_pieces_free(sn_pieces *p)
{
    for (int i = 0; i < p->n; i++)
        sn_free(p->of[i].t), sn_free(p->of[i].value), sn_free(p->of[i].std_error), sn_free(p->of[i].begin);
    sn_free(p->of);
    *p = (sn_pieces){.n = 0};
}

sn_status sn_pieces_keep(const sn_pieces *p, sn_estimate *e, sn_err *err)
{
    for (int i = 0; i < p->n && i < e->n_history; i++) {
        const sn_piece *q = &p->of[i];
        sn_history_fit *h = &e->history[i];
        size_t n = (size_t)q->n;
        double *room = sn_arena_alloc(&e->arena, 3 * n + (size_t)q->windows + 1, sizeof *room);
        if (!room) return SN_OUT_OF_MEM(err);
        h->pieces.n = q->n, h->pieces.windows = q->windows;
        h->pieces.t = memcpy(room, q->t, sizeof *room * n);
        h->pieces.value = memcpy(room + n, q->value, sizeof *room * n);
        h->pieces.std_error = memcpy(room + 2 * n, q->std_error, sizeof *room * n);
        h->pieces.begin = memcpy(room + 3 * n, q->begin, sizeof *room * (size_t)(q->windows + 1));
    }
    return SN_OK;
}

/* ---- one window ---- */

/* The states at the ends of the runs at the estimate, into `to`. */
static sn_status lead_on(const window *w, const sn_estimate *e, sn_state **to, sn_err *err)
{
    sn_fit *f;
    SN_TRY(sn_fit_new(&w->s, 1, &f, err));
    sn_status status = SN_OK;
    for (int k = 0; !status && k < w->s.n_experiment; k++) {
        const sn_experiment *x = &w->s.experiment[k];
        sn_run_options o = w->s.run;
        o.begin = x->begin, o.end = x->end, o.exact = SN_EXACT;
        o.frame = NULL, o.n_point = 0, o.n_wrt = 0, o.progress = NULL, o.message = NULL;
        if (o.drop_redundant == SN_REDUNDANT_SHARE) o.drop_redundant = SN_REDUNDANT_DROP;
        sn_forward nothing = {.np = 0};
        sn_follow follow = sn_forward_follow(&nothing);
        follow.from = x->from;
        status = sn_fit_set(f, k, e->z, err);
        if (!status) status = sn_fit_run(f, 0, f->part[k].values, &o, &follow, NULL, err);
        sn_forward_free(&nothing);
        if (!status && !to[k]) status = sn_state_new(w->s.model, f->sim[0]->cls->history, &to[k], err);
        if (!status) sn_state_copy(w->s.model, f->sim[0]->d.x, to[k]);
    }
    sn_fit_free(f);
    return status;
}

/* Start values of the whole become those of the window. */
static void learn(sn_study *s, const window *w, const sn_estimate *e)
{
    for (int k = 0; k < w->s.n_unknown; k++) {
        sn_unknown *u = &s->unknown[w->whole[k]];
        u->start = fmin(fmax(e->value[k], u->lower), u->upper);
    }
    for (int i = 0; i < s->n_history_part; i++) s->history_part[i].weight = w->s.history_part[i].weight;
}

static sn_status one_window(sn_study *s, int k, sn_state **state, const sn_solve_options *o, sn_pieces *out,
                            sn_err *err)
{
    window w;
    sn_estimate *e = NULL;
    sn_solve_options own = {.threads = o->threads, .progress = o->progress, .state = o->state, .ctx = o->ctx};
    sn_status status = open_window(s, k, state, &w, err);
    if (!status) status = sn_study_solve(&w.s, &own, &e, err);
    if (!status && e->stopped) status = sn_fail(err, SN_ERR_INTERRUPTED, NULL, "stopped on request");
    if (!status) learn(s, &w, e);
    for (int i = 0; !status && i < e->n_history && i < out->n; i++) {
        const sn_experiment *x = &w.s.experiment[s->history_part[i].experiment];
        status = join(&out->of[i], &e->history[i], x,
                      boundary(s, &s->experiment[s->history_part[i].experiment], k + 1, s->hand_over), err);
    }
    if (!status && k + 1 < s->hand_over) status = lead_on(&w, e, state, err);
    sn_estimate_free(e);
    close_window(&w);
    return status;
}

/* ---- all ---- */

/* Cost of the whole with the start values; INFINITY: it cannot be run. */
static sn_status cost_of(const sn_study *s, double *cost, sn_err *err)
{
    sn_fit *f;
    double *z = NULL;
    int before = sn_err_count(err);
    SN_TRY(sn_fit_new(s, 1, &f, err));
    sn_status status = SN_NEW(z, f->n + 1) ? SN_OK : SN_OUT_OF_MEM(err);
    if (!status) sn_fit_start(f, z), status = sn_fit_evaluate(f, z, INFINITY, 0, 0, err);
    if (status == SN_ERR_NUMERIC) sn_err_forget(err, before);
    *cost = status ? INFINITY : f->cost;
    sn_free(z);
    sn_fit_free(f);
    return status == SN_ERR_NUMERIC ? SN_OK : status;
}

/* Of the numbers of series keep those with which the whole costs least. */
static sn_status keep_best(const sn_study *s, double *best, double *least, sn_err *err)
{
    double cost;
    SN_TRY(cost_of(s, &cost, err));
    if (cost < *least || isinf(*least)) {
        *least = fmin(cost, *least);
        for (int k = 0; k < s->n_unknown; k++) best[k] = s->unknown[k].start;
    }
    return SN_OK;
}

sn_status sn_hand_over(sn_study *s, const sn_solve_options *o, sn_pieces *out, sn_err *err)
{
    sn_state **state = NULL;
    double *best = NULL, least = INFINITY;
    int series = 0, before = sn_err_count(err);
    sn_status status = SN_NEW(out->of, s->n_history_part + 1) && SN_NEW(state, s->n_experiment) &&
                               SN_NEW(best, s->n_unknown + 1)
                           ? SN_OK
                           : SN_OUT_OF_MEM(err);
    if (!status) out->n = s->n_history_part;
    for (int k = 0; k < s->n_history; k++) series |= s->history[k].form == SN_FORM_SERIES;
    for (int k = 0; !status && k < s->hand_over; k++) {
        status = one_window(s, k, state, o, out, err);
        if (status == SN_ERR_NUMERIC) {
            char why[200];
            snprintf(why, sizeof why, "%s",
                     sn_err_count(err) > before ? err->report[before].text : "a run fails");
            sn_err_forget(err, before);
            status = sn_fail(err, SN_ERR_INPUT, &s->experiment[0].mark,
                             "window %d of %d: %s; make fewer windows", k + 1, s->hand_over, why);
        }
        if (!status && series) status = keep_best(s, best, &least, err);
    }
    for (int k = 0; !status && series && k < s->n_unknown; k++)
        if (s->unknown[k].of_series) s->unknown[k].start = best[k];
    /* what was found so far is a start as well */
    if (status == SN_ERR_INTERRUPTED) sn_err_forget(err, before), status = SN_OK;
    for (int e = 0; state && e < s->n_experiment; e++) sn_state_free(state[e]);
    sn_free(state), sn_free(best);
    if (status) sn_pieces_free(out);
    return status;
}
