/* Whether a study can be solved by filter and smoother, and the section `kalman` of a study. */
#include "identify/kalman.h"
#include "identify/noise.h"
#include "reduce/read.h"

#include <math.h>
#include <string.h>

enum { MANY = 500 }; /* values of histories: more of them are found so, also where it was not asked for */

/* show: [tip.x, tip.y], channels */
static sn_status read_show(sn_study *s, const sn_item *list, sn_err *err)
{
    s->kalman.show = sn_arena_alloc(&s->arena, (size_t)list->n + 1, sizeof *s->kalman.show);
    s->kalman.n_show = 0;
    if (!s->kalman.show) return SN_OUT_OF_MEM(err);
    for (const sn_item *i = list->child; i; i = i->next) {
        int before = sn_err_count(err);
        if (i->type != SN_ITEM_SCALAR)
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "a channel is expected here");
        sn_status status = sn_channel_find(s->model, i->text, &s->kalman.show[s->kalman.n_show++], err);
        sn_err_place(err, before, &i->mark);
        SN_TRY(status);
    }
    return SN_OK;
}

sn_status sn_kalman_read(sn_study *s, const sn_item *root, sn_err *err)
{
    const sn_item *map = sn_item_get(root, "kalman"), *i;
    double n = -1;
    s->kalman.iterations = -1;
    if (!map) return SN_OK;
    if (s->method != SN_KALMAN)
        return sn_fail(err, SN_ERR_INPUT, &map->key_mark, "'kalman' is a key of 'method: kalman' only");
    SN_TRY(sn_read_keys(map, sn_keys_kalman, "kalman", err));
    if ((i = sn_item_get(map, "lag"))) SN_TRY(sn_read_unit(&s->arena, i, "s", &s->kalman.lag, err));
    if (i && !(s->kalman.lag > 0 && isfinite(s->kalman.lag)))
        return sn_fail(err, SN_ERR_INPUT, &i->mark, "'lag' must be a time above 0");
    if ((i = sn_item_get(map, "show"))) SN_TRY(read_show(s, i, err));
    if (!(i = sn_item_get(map, "iterations"))) return SN_OK;
    SN_TRY(sn_read_unit(&s->arena, i, "1", &n, err));
    if (!(n >= 0 && n <= 1000) || n != floor(n))
        return sn_fail(
            err, SN_ERR_INPUT, &i->mark,
            "'iterations' must be a whole number from 0 (one pass of filter and smoother) to 1000");
    s->kalman.iterations = (int)n;
    return SN_OK;
}

sn_status sn_kalman_check_stream(const sn_study *s, const sn_item *root, sn_err *err)
{
    const sn_item *method = sn_item_get(root, "method");
    if (s->method != SN_KALMAN)
        return sn_fail(err, SN_ERR_INPUT, method ? &method->mark : &root->mark,
                       "on-line a study is solved by 'method: kalman'");
    for (int i = 0; i < s->n_history; i++)
        if (s->history[i].form != SN_FORM_SERIES && !(s->history[i].spacing > 0))
            return sn_fail(err, SN_ERR_INPUT, &s->history[i].mark,
                           "on-line nobody knows how many values '%s' will have: give their distance, "
                           "'spacing: 0.1 s'",
                           s->history[i].name);
    return SN_OK;
}

/* A history that the filter knows: its differences say how each value follows from those before. */
static const char *unknown_to_filter(const sn_history *h)
{
    if (h->form != SN_FORM_LINEAR && h->form != SN_FORM_CUBIC)
        return "a series has amplitudes and frequencies for all times at once: nothing of it follows from "
               "what was before";
    if (h->smoothing != SN_SMOOTH_TIKHONOV)
        return "the filter takes differences as normal noise: 'smoothing: tikhonov'";
    if (h->choice != SN_WEIGHT_LIKELIHOOD && h->choice != SN_WEIGHT_GIVEN)
        return "its weight is found by the likelihood of the innovations, or given: 'weight: likelihood' or "
               "a "
               "number";
    return NULL;
}

int sn_kalman_takes_over(const sn_study *s)
{
    size_t n = sn_history_most(s);
    if (s->finer.coarse) return 0;
    if (s->method == SN_KALMAN) return 1;
    if (s->method != SN_INDIRECT || n <= MANY || s->huber > 0 || sn_noise_modelled(s) || s->windows > 1 ||
        s->intervals != SN_STANDARD || s->refine || s->optimiser != SN_MARQUARDT || s->starts > 0 ||
        s->horizon > 0 || s->run.error > 0)
        return 0;
    for (int k = 0; k < s->n_history; k++)
        if (unknown_to_filter(&s->history[k])) return 0;
    return 1;
}

/* Histories must be forces: equations of joints have rates of theirs as well. */
static sn_status check_joints(const sn_study *s, sn_err *err)
{
    const sn_model *m = s->model;
    for (int k = 0; k < s->n_history; k++) {
        sn_parameter_chain *c;
        int i = 0;
        while (i < m->signal.n && strcmp(m->signal.object[i].name, s->history[k].signal) != 0) i++;
        int id = SN_VAR_SIGNAL + i;
        SN_TRY(sn_parameter_chain_new(m, s->experiment[0].values, 1, &id, &c, err));
        int moves = c->n[SN_MOVED_JOINT];
        sn_parameter_chain_free(c);
        if (moves)
            return sn_fail(err, SN_ERR_INPUT, &s->history[k].mark,
                           "'%s' drives a joint: the filter takes histories that are forces (a drive needs "
                           "their rates, too); use method: indirect with %d values at most",
                           s->history[k].name, MANY);
    }
    return SN_OK;
}

static sn_status check_times(const sn_experiment *x, const sn_mark *mark, sn_err *err)
{
    int late = x->offset_unknown >= 0;
    for (int c = 0; c < x->n_channel; c++) {
        const sn_number *d = &x->instrument[c].delay, *first = &x->instrument[0].delay;
        late |= d->unknown >= 0 || d->tie || d->value != first->value;
    }
    if (!late) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, mark,
                   "experiment '%s': the filter takes numbers in the order of time: unknown time offsets and "
                   "delays, or those of single channels, are for method: indirect",
                   x->name);
}

sn_status sn_kalman_check(const sn_study *s, const sn_mark *mark, sn_err *err)
{
    for (int k = 0; k < s->n_history; k++) {
        const char *why = unknown_to_filter(&s->history[k]);
        if (why)
            return sn_fail(err, SN_ERR_INPUT, &s->history[k].mark, "method: kalman and the history '%s': %s",
                           s->history[k].name, why);
    }
    if (s->huber > 0)
        return sn_fail(err, SN_ERR_INPUT, mark, "method: kalman knows squares only, not 'loss: huber'");
    if (s->run.error > 0)
        return sn_fail(err, SN_ERR_INPUT, mark,
                       "method: kalman needs steps of one size: give 'run: {step: ...}' and no 'error'");
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        if (x->sort || x->hold_out)
            return sn_fail(err, SN_ERR_INPUT, &x->mark,
                           "experiment '%s': method: kalman takes signals over time that are fitted, no %s",
                           x->name, x->sort ? "modes or responses" : "experiments held out");
        SN_TRY(check_times(x, &x->mark, err));
    }
    return check_joints(s, err);
}
