/* Reading what is sought: see unknowns.h. */
#include "identify/unknowns.h"
#include "identify/history.h"

#include <math.h>
#include <string.h>

/* The declaration of an unknown, before it is known for which experiments. */
typedef struct declared {
    const sn_item *item;
    const char *name;
    int each;
} declared;

sn_dimension sn_unknown_dimension(const sn_study *s, const sn_unknown *u)
{
    if (u->kind == SN_OF_MODEL) return s->model->quantity[u->id].dim;
    return sn_read_unit_dimension(u->unit[0] ? u->unit : "1");
}

/* ---- one declaration ---- */

static const char *the_word(int i, const void *ctx)
{
    (void)i;
    return ctx;
}

/* What has no `history` is no history, so that its keys do not have that word either. */
static sn_status read_mistyped(const sn_item *map, sn_err *err)
{
    for (const sn_item *i = map->child; i; i = i->next)
        if (sn_nearest(i->key, 1, the_word, "history"))
            return sn_fail(err, SN_ERR_INPUT, &i->key_mark,
                           "an unknown has no key '%s' (did you mean 'history'?)", i->key);
    return SN_OK;
}

sn_status sn_read_declaration(const sn_item *i, int *each, sn_err *err)
{
    if (i->type == SN_ITEM_LIST)
        return sn_fail(err, SN_ERR_INPUT, &i->mark,
                       "an unknown is {start: ..., bounds: [...], ...} or its start");
    if (i->type == SN_ITEM_MAP) {
        SN_TRY(read_mistyped(i, err));
        SN_TRY(sn_read_keys(i, sn_keys_unknown, "an unknown", err));
    }
    const sn_item *e = sn_item_get(i, "each"), *tie = sn_item_get(i, "tie");
    if (e && strcmp(e->text, "experiment") != 0)
        return sn_fail(err, SN_ERR_INPUT, &e->mark, "'each' can be 'experiment', not '%s'", e->text);
    if (tie && i->n > 1 + (sn_item_get(i, "note") != NULL))
        return sn_fail(err, SN_ERR_INPUT, &tie->mark, "what is tied has no other keys");
    *each = e != NULL;
    return SN_OK;
}

static sn_status read_bounds(sn_study *s, const sn_item *i, const sn_subject *of, sn_unknown *u, sn_err *err)
{
    const sn_item *b = sn_item_get(i, "bounds"), *scale = sn_item_get(i, "scale");
    u->lower = of->lower, u->upper = of->upper;
    if (b) {
        if (b->type != SN_ITEM_LIST || b->n != 2)
            return sn_fail(err, SN_ERR_INPUT, &b->mark, "bounds are two numbers: [lower, upper]");
        SN_TRY(sn_read_quantity(&s->arena, b->child, &of->dim, &u->lower, err));
        SN_TRY(sn_read_quantity(&s->arena, b->child->next, &of->dim, &u->upper, err));
        if (!(u->lower < u->upper))
            return sn_fail(err, SN_ERR_INPUT, &b->mark, "the lower bound, %g, is not below the upper one, %g",
                           u->lower, u->upper);
    }
    u->log = 0;
    if (scale && strcmp(scale->text, "log") != 0 && strcmp(scale->text, "linear") != 0)
        return sn_fail(err, SN_ERR_INPUT, &scale->mark, "scale is 'log' or 'linear', not '%s'", scale->text);
    /* what must be positive is sought by its logarithm unless asked otherwise */
    u->log = scale ? !strcmp(scale->text, "log") : u->lower >= 0 && u->start > 0;
    return SN_OK;
}

sn_status sn_read_start_check(const sn_unknown *u, const sn_mark *where, sn_err *err)
{
    if (!isfinite(u->start)) return sn_fail(err, SN_ERR_INPUT, where, "'%s' has no start value", u->name);
    if (u->log && !(u->start > 0))
        return sn_fail(err, SN_ERR_INPUT, where,
                       "'%s' is sought by its logarithm: its start, %g, must be positive", u->name, u->start);
    if (u->start < u->lower || u->start > u->upper)
        return sn_fail(err, SN_ERR_INPUT, where, "the start of '%s', %g, is outside of its bounds %g and %g",
                       u->name, u->start, u->lower, u->upper);
    return SN_OK;
}

/* Names of channels in an expression: their first measured values in the experiment. */
typedef struct firsts {
    const sn_study *s;
    const sn_experiment *e;
} firsts;

static int first_name(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    const firsts *f = ctx;
    int channel;
    if (!f->e) {
        sn_fail(err, SN_ERR_INPUT, where,
                "'%s': measured values can start unknowns of 'each: experiment' only", name);
        return -1;
    }
    int before = sn_err_count(err);
    if (sn_channel_find(f->s->model, name, &channel, err)) {
        sn_err_place(err, before, where);
        return -1;
    }
    return channel;
}

sn_status sn_read_first(sn_study *s, const sn_item *i, const sn_experiment *e, const char *name,
                        const sn_dimension *want, sn_first *out, sn_err *err)
{
    firsts f = {s, e};
    sn_expr *x;
    sn_dimension d[SN_MAX_VARIABLES];
    double v[SN_MAX_VARIABLES], g[SN_MAX_VARIABLES], square = 0;
    SN_TRY(sn_expr_parse(&s->arena, i->text, &i->mark, first_name, &f, &x, err));
    for (int k = 0; k < sn_expr_nvar(x); k++)
        d[k] = sn_read_unit_dimension(sn_channel_get(s->model, sn_expr_var(x, k)).unit);
    SN_TRY(sn_read_dimension(x, d, want, i, err));
    for (int k = 0; k < sn_expr_nvar(x); k++) {
        v[k] = sn_experiment_first(e, sn_expr_var(x, k), e->begin);
        if (isnan(v[k]))
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "experiment '%s' has no value to start '%s' from",
                           e->name, name);
    }
    out->value = sn_expr_gradient(x, v, g);
    /* a first value may be near zero by chance: the size is that of the signal's changes */
    for (int k = 0; k < sn_expr_nvar(x); k++) {
        double size = g[k] * sn_experiment_spread(e, sn_expr_var(x, k));
        square += size * size;
    }
    out->size = sqrt(square);
    return SN_OK;
}

static sn_status read_prior(sn_study *s, const sn_item *i, const sn_dimension *want, sn_unknown *u,
                            sn_err *err)
{
    const sn_item *p = sn_item_get(i, "prior");
    u->prior = u->prior_sd = NAN;
    if (!p) return SN_OK;
    if (p->type != SN_ITEM_LIST || p->n != 2)
        return sn_fail(err, SN_ERR_INPUT, &p->mark, "a prior is [mean, standard deviation]");
    SN_TRY(sn_read_quantity(&s->arena, p->child, want, &u->prior, err));
    SN_TRY(sn_read_quantity(&s->arena, p->child->next, want, &u->prior_sd, err));
    if (!(u->prior_sd > 0) || (u->log && !(u->prior > 0)))
        return sn_fail(err, SN_ERR_INPUT, &p->mark, "a prior needs a positive standard deviation%s",
                       u->log ? ", and a positive mean on a log scale" : "");
    if (u->log) u->prior_sd /= u->prior, u->prior = log(u->prior); /* to first order */
    return SN_OK;
}

sn_status sn_read_unknown(sn_study *s, const sn_item *i, const sn_subject *of, const sn_experiment *e,
                          sn_unknown *u, sn_err *err)
{
    const sn_item *start = i->type == SN_ITEM_SCALAR ? i : sn_item_get(i, "start");
    int given = sn_item_get(i, "bounds") != NULL;
    u->start = of->value, u->scale = of->scale;
    if (start && start->text[0] && strcmp(start->text, "unknown") != 0) {
        sn_first first;
        SN_TRY(sn_read_first(s, start, e, u->name, &of->dim, &first, err));
        u->start = first.value, u->scale = fmax(of->scale, first.size);
    }
    SN_TRY(read_bounds(s, i, of, u, err));
    SN_TRY(read_prior(s, i, &of->dim, u, err));
    u->scale = fmax(u->scale, fabs(u->start));
    if (u->log || !(u->scale > 0)) u->scale = 1;
    if (!u->log && (given || of->range_scales) && isfinite(u->lower) && isfinite(u->upper))
        u->scale = fmax(u->scale, 0.1 * (u->upper - u->lower));
    return sn_read_start_check(u, &i->key_mark, err);
}

/* ---- numbers of the model ---- */

static sn_status add_unknown(sn_study *s, const declared *d, int experiment, sn_err *err)
{
    sn_unknown *u = &s->unknown[s->n_unknown++];
    const sn_item *i = d->item;
    const sn_experiment *e = experiment >= 0 ? &s->experiment[experiment] : NULL;
    const char *names[1] = {d->name};
    *u = (sn_unknown){.name = d->name, .parameter = d->name, .experiment = experiment, .mark = i->key_mark};
    if (e) u->name = sn_arena_printf(&s->arena, "%s[%s]", d->name, e->name);
    if (!u->name) return SN_OUT_OF_MEM(err);
    int before = sn_err_count(err);
    sn_status status = sn_gradient_names(s->model, s->base, 1, names, &u->id, err);
    sn_err_place(err, before, &i->key_mark);
    SN_TRY(status);
    SN_TRY(sn_read_shown_unit(s, i->type == SN_ITEM_SCALAR ? i : sn_item_get(i, "start"), u, err));
    const sn_quantity *q = &s->model->quantity[u->id];
    sn_subject of = {.dim = q->dim,
                     .lower = q->slot ? q->slot->lo : -INFINITY,
                     .upper = q->slot ? q->slot->hi : INFINITY,
                     .value = (e ? e->values : s->base)->x[u->id],
                     .range_scales = 1};
    if (q->slot && (q->slot->flags & SN_POSITIVE)) of.lower = 0;
    return sn_read_unknown(s, i, &of, e, u, err);
}

static int tie_name(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    const sn_study *s = ctx;
    for (int k = 0; k < s->n_common; k++)
        if (!strcmp(s->unknown[k].name, name)) return k;
    sn_fail(err, SN_ERR_INPUT, where, "'%s' is no unknown of all experiments", name);
    return -1;
}

sn_status sn_read_tie(sn_study *s, const sn_item *tie, const sn_dimension *want, const sn_expr **out,
                      sn_err *err)
{
    sn_dimension x[SN_MAX_VARIABLES];
    sn_expr *e;
    SN_TRY(sn_expr_parse(&s->arena, tie->text, &tie->mark, tie_name, s, &e, err));
    for (int k = 0; k < sn_expr_nvar(e); k++) x[k] = sn_unknown_dimension(s, &s->unknown[sn_expr_var(e, k)]);
    *out = e;
    return sn_read_dimension(e, x, want, tie, err);
}

static sn_status add_tie(sn_study *s, const declared *d, sn_err *err)
{
    const sn_item *t = sn_item_get(d->item, "tie");
    const char *names[1] = {d->name};
    sn_tie *tie = &s->tie[s->n_tie++];
    *tie = (sn_tie){.parameter = d->name, .text = t->text};
    int before = sn_err_count(err);
    sn_status status = sn_gradient_names(s->model, s->base, 1, names, &tie->id, err);
    sn_err_place(err, before, &d->item->key_mark);
    SN_TRY(status);
    return sn_read_tie(s, t, &s->model->quantity[tie->id].dim, &tie->e, err);
}

/* Numbers that a measured signal takes the place of have no effect. */
static sn_status check_inputs(const sn_study *s, sn_err *err)
{
    for (int k = 0; k < s->n_unknown; k++)
        for (int e = 0; s->unknown[k].kind == SN_OF_MODEL && e < s->n_experiment; e++)
            for (int i = 0; i < s->experiment[e].n_input; i++) {
                const sn_object *o = &s->model->signal.object[s->experiment[e].input[i].signal];
                int slot = s->unknown[k].id - o->s, of = s->unknown[k].experiment;
                if (slot >= 0 && slot < o->ns && (of < 0 || of == e))
                    return sn_fail(err, SN_ERR_INPUT, &s->unknown[k].mark,
                                   "'%s' cannot be sought: in experiment '%s' the signal is an input",
                                   s->unknown[k].parameter, s->experiment[e].name);
            }
    return SN_OK;
}

/* ---- all ---- */

static sn_status add_clocks(sn_study *s, sn_err *err)
{
    for (int e = 0; e < s->n_experiment; e++) {
        sn_experiment *x = &s->experiment[e];
        if (x->offset_unknown < 0) continue;
        x->offset_unknown = s->n_unknown;
        const char *name = sn_arena_printf(&s->arena, "offset[%s]", x->name);
        if (!name) return SN_OUT_OF_MEM(err);
        s->unknown[s->n_unknown++] = (sn_unknown){.kind = SN_OF_CLOCK,
                                                  .name = name,
                                                  .unit = "s",
                                                  .shown = "s",
                                                  .shown_factor = 1,
                                                  .id = -1,
                                                  .experiment = e,
                                                  .about_zero = 1,
                                                  .lower = -INFINITY,
                                                  .upper = INFINITY,
                                                  .scale = 0.01,
                                                  .prior = NAN,
                                                  .prior_sd = NAN,
                                                  .mark = x->mark};
    }
    return SN_OK;
}

/* Names must be clear: a parameter of the model may be called like a number of an instrument. */
static sn_status check_names(const sn_study *s, sn_err *err)
{
    for (int k = 0; k < s->n_unknown; k++)
        for (int j = 0; s->unknown[k].kind != SN_OF_MODEL && j < k; j++)
            if (!strcmp(s->unknown[j].name, s->unknown[k].name))
                return sn_fail(err, SN_ERR_INPUT, &s->unknown[k].mark, "two unknowns are called '%s'",
                               s->unknown[k].name);
    return SN_OK;
}

static sn_status declare(const sn_item *map, declared *d, int *n, int *sought, sn_err *err)
{
    for (const sn_item *i = map ? map->child : NULL; i; i = i->next) {
        int each;
        if (sn_item_get(i, "history")) continue; /* history.c */
        SN_TRY(sn_read_declaration(i, &each, err));
        d[(*n)++] = (declared){i, i->key, each};
        *sought += !sn_item_get(i, "tie");
    }
    return SN_OK;
}

sn_status sn_read_unknowns(sn_study *s, const sn_item *root, sn_err *err)
{
    const sn_item *map = sn_item_get(root, "unknowns");
    size_t most = 0;
    SN_TRY(sn_read_instruments_begin(s, root, &most, err));
    if (!s->sequential) most += sn_history_most(s);
    if ((map || !most) && (!map || map->type != SN_ITEM_MAP || !map->n))
        return sn_fail(err, SN_ERR_INPUT, map ? &map->mark : &root->mark,
                       "a study needs 'unknowns: {k1: {start: 350}, ...}'");
    size_t of_model = map ? (size_t)map->n : 0;
    most += of_model * (size_t)(s->n_experiment + 1) + (size_t)s->n_experiment + 1;
    declared *d = sn_arena_alloc(&s->arena, of_model + 1, sizeof *d);
    s->unknown = sn_arena_alloc(&s->arena, most, sizeof *s->unknown);
    s->tie = sn_arena_alloc(&s->arena, of_model + 1, sizeof *s->tie);
    if (!d || !s->unknown || !s->tie) return SN_OUT_OF_MEM(err);
    int n = 0, sought = 0;
    SN_TRY(declare(map, d, &n, &sought, err));
    /* those of all experiments first, then those of each, then the times' offsets */
    for (int k = 0; k < n; k++)
        if (!d[k].each && !sn_item_get(d[k].item, "tie")) SN_TRY(add_unknown(s, &d[k], -1, err));
    SN_TRY(sn_read_instruments(s, root, SN_PASS_COMMON, err));
    s->n_common = s->n_unknown;
    for (int k = 0; k < n; k++)
        if (sn_item_get(d[k].item, "tie")) SN_TRY(add_tie(s, &d[k], err));
    SN_TRY(sn_read_instruments(s, root, SN_PASS_TIES, err));
    /* initial states, most of all: modes and responses have none beside time series */
    int series = 0;
    for (int e = 0; e < s->n_experiment; e++) series += !s->experiment[e].sort;
    for (int e = 0; e < s->n_experiment; e++)
        for (int k = 0; k < n; k++)
            if (d[k].each && (series == 0 || !s->experiment[e].sort)) SN_TRY(add_unknown(s, &d[k], e, err));
    SN_TRY(sn_read_instruments(s, root, SN_PASS_EACH, err));
    SN_TRY(sn_history_unknowns(s, err));
    if (!sought && !s->n_unknown && !s->n_history)
        return sn_fail(err, SN_ERR_INPUT, map ? &map->mark : &root->mark, "nothing is sought%s",
                       map ? ": all unknowns are tied" : "");
    SN_TRY(add_clocks(s, err));
    SN_TRY(check_inputs(s, err));
    SN_TRY(sn_read_inputs_check(s, err));
    return check_names(s, err);
}
