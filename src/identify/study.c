/* Reading a study file. The grammar is small: maps whose keys are checked against lists, numbers with units
   through the expressions of model files. Everything that can be wrong with the input is found here, before
   anything is computed: names, units, columns, times, bounds, too few data. */
#include "identify/study.h"
#include "identify/candidate.h"
#include "identify/design.h"
#include "identify/read.h"
#include "identify/refine.h"

#include <math.h>
#include <string.h>

static const sn_key_kind top_keys[] = {
    {"study", 's'},     {"title", 's'},   {"model", 's'},          {"set", 'm'},      {"run", 'm'},
    {"data", 's'},      {"columns", 'm'}, {"time", 'e'},           {"noise", 'e'},    {"offset", 's'},
    {"begin", 's'},     {"end", 's'},     {"experiments", 'a'},    {"unknowns", 'a'}, {"method", 's'},
    {"optimiser", 's'}, {"horizon", 'e'}, {"windows", 's'},        {"starts", 'e'},   {"loss", 's'},
    {"intervals", 's'}, {"efforts", 'l'}, {"initial_window", 's'}, {"instants", 'l'}, {"derivatives", 's'},
    {"refine", 's'},    {"try", 's'},     {"design", 'a'},         {"note", 'a'},     {NULL, 0},
};

/* ---- unknowns ---- */

static const sn_key_kind unknown_keys[] = {
    {"start", 's'}, {"bounds", 'a'}, {"scale", 's'}, {"prior", 'a'}, {"each", 's'},
    {"tie", 's'},   {"goal", 's'},   {"note", 's'},  {NULL, 0},
};

/* The declaration of an unknown, before it is known for which experiments. */
typedef struct declared {
    const sn_item *item;
    const char *name;
    int each;
} declared;

static sn_status read_bounds(sn_study *s, const sn_item *i, sn_unknown *u, sn_err *err)
{
    const sn_item *b = sn_item_get(i, "bounds"), *scale = sn_item_get(i, "scale");
    const sn_slot *slot = s->model->quantity[u->id].slot;
    u->lower = slot ? slot->lo : -INFINITY, u->upper = slot ? slot->hi : INFINITY;
    if (slot && (slot->flags & SN_POSITIVE)) u->lower = 0;
    if (b) {
        if (b->type != SN_ITEM_LIST || b->n != 2)
            return sn_fail(err, SN_ERR_INPUT, &b->mark, "bounds are two numbers: [lower, upper]");
        const sn_dimension *want = &s->model->quantity[u->id].dim;
        SN_TRY(sn_read_quantity(&s->arena, b->child, want, &u->lower, err));
        SN_TRY(sn_read_quantity(&s->arena, b->child->next, want, &u->upper, err));
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

static sn_status check_start(const sn_unknown *u, const sn_mark *where, sn_err *err)
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

/* Names in a start value: channels measured, at the begin of the experiment. */
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

static sn_status read_start(sn_study *s, const sn_item *i, const sn_experiment *e, sn_unknown *u, sn_err *err)
{
    const sn_item *start = i->type == SN_ITEM_SCALAR ? i : sn_item_get(i, "start");
    firsts f = {s, e};
    sn_expr *x;
    sn_dimension d[SN_MAX_VARIABLES];
    double v[SN_MAX_VARIABLES], g[SN_MAX_VARIABLES], square = 0;
    if (!start || !start->text[0]) {
        u->start = (e ? e->values : s->base)->x[u->id];
        return SN_OK;
    }
    SN_TRY(sn_expr_parse(&s->arena, start->text, &start->mark, first_name, &f, &x, err));
    for (int k = 0; k < sn_expr_nvar(x); k++)
        d[k] = sn_read_unit_dimension(sn_channel_get(s->model, sn_expr_var(x, k)).unit);
    SN_TRY(sn_read_dimension(x, d, &s->model->quantity[u->id].dim, start, err));
    for (int k = 0; k < sn_expr_nvar(x); k++) {
        v[k] = sn_experiment_first(e, sn_expr_var(x, k), e->begin);
        if (isnan(v[k]))
            return sn_fail(err, SN_ERR_INPUT, &start->mark, "experiment '%s' has no value to start '%s' from",
                           e->name, u->name);
    }
    u->start = sn_expr_gradient(x, v, g);
    /* a first value may be near zero by chance: the size is that of the signal's changes */
    for (int k = 0; k < sn_expr_nvar(x); k++) {
        double size = g[k] * sn_experiment_spread(e, sn_expr_var(x, k));
        square += size * size;
    }
    u->scale = sqrt(square);
    return SN_OK;
}

static sn_status read_prior(sn_study *s, const sn_item *i, sn_unknown *u, sn_err *err)
{
    const sn_item *p = sn_item_get(i, "prior");
    u->prior = u->prior_sd = NAN;
    if (!p) return SN_OK;
    if (p->type != SN_ITEM_LIST || p->n != 2)
        return sn_fail(err, SN_ERR_INPUT, &p->mark, "a prior is [mean, standard deviation]");
    const sn_dimension *want = &s->model->quantity[u->id].dim;
    SN_TRY(sn_read_quantity(&s->arena, p->child, want, &u->prior, err));
    SN_TRY(sn_read_quantity(&s->arena, p->child->next, want, &u->prior_sd, err));
    if (!(u->prior_sd > 0) || (u->log && !(u->prior > 0)))
        return sn_fail(err, SN_ERR_INPUT, &p->mark, "a prior needs a positive standard deviation%s",
                       u->log ? ", and a positive mean on a log scale" : "");
    if (u->log) u->prior_sd /= u->prior, u->prior = log(u->prior); /* to first order */
    return SN_OK;
}

/* Of a number of the model; offsets of times are added elsewhere. */
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
    SN_TRY(read_start(s, i, e, u, err));
    SN_TRY(read_bounds(s, i, u, err));
    SN_TRY(read_prior(s, i, u, err));
    u->scale = fmax(u->scale, fabs(u->start));
    if (u->log || !(u->scale > 0)) u->scale = 1;
    if (!u->log && isfinite(u->lower) && isfinite(u->upper))
        u->scale = fmax(u->scale, 0.1 * (u->upper - u->lower));
    return check_start(u, &i->key_mark, err);
}

static int tie_name(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    const sn_study *s = ctx;
    for (int k = 0; k < s->n_common; k++)
        if (!strcmp(s->unknown[k].name, name)) return k;
    sn_fail(err, SN_ERR_INPUT, where, "'%s' is no unknown of all experiments", name);
    return -1;
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
    SN_TRY(sn_expr_parse(&s->arena, t->text, &t->mark, tie_name, s, &tie->e, err));
    sn_dimension x[SN_MAX_VARIABLES];
    for (int k = 0; k < sn_expr_nvar(tie->e); k++)
        x[k] = s->model->quantity[s->unknown[sn_expr_var(tie->e, k)].id].dim;
    return sn_read_dimension(tie->e, x, &s->model->quantity[tie->id].dim, t, err);
}

/* Common unknowns first, then those of each experiment, then the times' offsets. */
static sn_status read_unknowns(sn_study *s, const sn_item *root, sn_err *err)
{
    const sn_item *map = sn_item_get(root, "unknowns");
    if (!map || map->type != SN_ITEM_MAP || !map->n)
        return sn_fail(err, SN_ERR_INPUT, map ? &map->mark : &root->mark,
                       "a study needs 'unknowns: {k1: {start: 350}, ...}'");
    size_t most = (size_t)map->n * (size_t)(s->n_experiment + 1) + (size_t)s->n_experiment + 1;
    declared *d = sn_arena_alloc(&s->arena, (size_t)map->n, sizeof *d);
    s->unknown = sn_arena_alloc(&s->arena, most, sizeof *s->unknown);
    s->tie = sn_arena_alloc(&s->arena, (size_t)map->n, sizeof *s->tie);
    if (!d || !s->unknown || !s->tie) return SN_OUT_OF_MEM(err);
    int n = 0, sought = 0;
    for (const sn_item *i = map->child; i; i = i->next) {
        if (i->type == SN_ITEM_LIST)
            return sn_fail(err, SN_ERR_INPUT, &i->mark,
                           "an unknown is {start: ..., bounds: [...], ...} or its start");
        if (i->type == SN_ITEM_MAP) SN_TRY(sn_read_keys(i, unknown_keys, "an unknown", err));
        const sn_item *each = sn_item_get(i, "each");
        if (each && strcmp(each->text, "experiment") != 0)
            return sn_fail(err, SN_ERR_INPUT, &each->mark, "'each' can be 'experiment', not '%s'",
                           each->text);
        const sn_item *tie = sn_item_get(i, "tie");
        if (tie && i->n > 1 + (sn_item_get(i, "note") != NULL))
            return sn_fail(err, SN_ERR_INPUT, &tie->mark, "what is tied has no other keys");
        d[n++] = (declared){i, i->key, each != NULL};
        sought += !tie;
    }
    for (int k = 0; k < n; k++)
        if (!d[k].each && !sn_item_get(d[k].item, "tie")) SN_TRY(add_unknown(s, &d[k], -1, err));
    s->n_common = s->n_unknown;
    for (int k = 0; k < n; k++)
        if (sn_item_get(d[k].item, "tie")) SN_TRY(add_tie(s, &d[k], err));
    if (!sought) return sn_fail(err, SN_ERR_INPUT, &map->mark, "nothing is sought: all unknowns are tied");
    for (int e = 0; e < s->n_experiment; e++)
        for (int k = 0; k < n; k++)
            if (d[k].each) SN_TRY(add_unknown(s, &d[k], e, err));
    for (int e = 0; e < s->n_experiment; e++) {
        sn_experiment *x = &s->experiment[e];
        if (x->offset_unknown < 0) continue;
        x->offset_unknown = s->n_unknown;
        const char *name = sn_arena_printf(&s->arena, "offset[%s]", x->name);
        if (!name) return SN_OUT_OF_MEM(err);
        s->unknown[s->n_unknown++] = (sn_unknown){.name = name,
                                                  .unit = "s",
                                                  .shown = "s",
                                                  .shown_factor = 1,
                                                  .id = -1,
                                                  .experiment = e,
                                                  .lower = -INFINITY,
                                                  .upper = INFINITY,
                                                  .scale = 0.01,
                                                  .prior = NAN,
                                                  .prior_sd = NAN,
                                                  .mark = x->mark};
    }
    return SN_OK;
}

/* ---- the rest ---- */

static sn_status choice(const sn_item *i, const char *const *words, int *out, sn_err *err)
{
    char all[200] = "";
    if (!i) return SN_OK;
    for (int k = 0; words[k]; k++) {
        if (!strcmp(i->text, words[k])) {
            *out = k;
            return SN_OK;
        }
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", words[k]);
    }
    return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' is none of: %s", i->text, all);
}

/* A number of a study: its key, its unit, and what it may be. */
typedef struct number_key {
    const char *key, *unit;
    double lowest, highest;
} number_key;

static sn_status number_of(sn_study *s, const sn_item *map, const number_key *n, double *x, sn_err *err)
{
    const sn_item *i = map && map->type == SN_ITEM_MAP ? sn_item_get(map, n->key) : NULL;
    if (!i) return SN_OK;
    SN_TRY(sn_read_unit(&s->arena, i, n->unit, x, err));
    if (*x >= n->lowest && *x <= n->highest) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' must be within %g and %g", n->key, n->lowest,
                   n->highest);
}

/* Keys that mean nothing to the chosen method, and a scheme that cannot serve it. */
static sn_status check_method(const sn_study *s, const sn_item *root, sn_err *err)
{
    static const char *const of_runs[] = {"optimiser", "horizon",        "windows", "starts", "intervals",
                                          "efforts",   "initial_window", "refine",  NULL};
    static const char *const of_instants[] = {"instants", "derivatives", NULL};
    for (const char *const *key = s->method == SN_INDIRECT ? of_instants : of_runs; *key; key++) {
        const sn_item *i = sn_item_get(root, *key);
        if (i)
            return sn_fail(err, SN_ERR_INPUT, &i->key_mark, "'%s' is a key of the %s only", *key,
                           s->method == SN_INDIRECT ? "direct methods" : "indirect method");
    }
    const sn_scheme *scheme;
    const sn_integrator_class *k = sn_scheme_find(s->run.scheme, &scheme);
    if (s->method == SN_INDIRECT && k && !k->step_forward)
        return sn_scheme_no_derivatives(s->run.scheme, "forward", err);
    if (s->method == SN_ADAPTED_DIRECT && !sn_item_get(root, "instants"))
        return sn_fail(err, SN_ERR_INPUT, &sn_item_get(root, "method")->mark,
                       "adapted_direct needs 'instants: [0.5 s, ...]'");
    return SN_OK;
}

static sn_status read_search(sn_study *s, const sn_item *root, sn_err *err)
{
    static const char *const methods[] = {"indirect", "direct", "adapted_direct", NULL};
    static const char *const optimisers[] = {"levenberg_marquardt", "lbfgs", "cma_es", NULL};
    static const char *const losses[] = {"squares", "huber", NULL};
    static const char *const intervals[] = {"standard", "profile", NULL};
    static const char *const kinematics[] = {"splines", "differences", NULL};
    static const char *const answers[] = {"no", "yes", NULL};
    static const sn_key_kind horizon_keys[] = {{"from", 's'}, {"growth", 's'}, {NULL, 0}},
                             starts_keys[] = {{"n", 's'}, {"spread", 's'}, {"seed", 's'}, {NULL, 0}};
    const sn_item *h = sn_item_get(root, "horizon"), *starts = sn_item_get(root, "starts");
    double number = 1, seed = 1;
    int huber = 0;
    s->horizon = h ? 0 : -1, s->growth = 1.6, s->windows = 1, s->spread = 10, s->seed = 1,
    s->initial_window = 0.3;
    SN_TRY(choice(sn_item_get(root, "method"), methods, &s->method, err));
    SN_TRY(check_method(s, root, err));
    SN_TRY(choice(sn_item_get(root, "optimiser"), optimisers, &s->optimiser, err));
    SN_TRY(choice(sn_item_get(root, "loss"), losses, &huber, err));
    SN_TRY(choice(sn_item_get(root, "intervals"), intervals, &s->profile, err));
    SN_TRY(choice(sn_item_get(root, "derivatives"), kinematics, &s->differences, err));
    SN_TRY(choice(sn_item_get(root, "refine"), answers, &s->refine, err));
    s->refine |= s->given.refine && s->method == SN_INDIRECT;
    s->huber = huber ? 1.345 : 0;
    if (h && h->type == SN_ITEM_SCALAR && strcmp(h->text, "no") != 0)
        SN_TRY(number_of(s, root, &(number_key){"horizon", "s", 0, INFINITY}, &s->horizon, err));
    if (h && h->type == SN_ITEM_MAP) {
        SN_TRY(sn_read_keys(h, horizon_keys, "horizon", err));
        if (!sn_item_get(h, "from")) s->horizon = -1;
        SN_TRY(number_of(s, h, &(number_key){"from", "s", 0, INFINITY}, &s->horizon, err));
        SN_TRY(number_of(s, h, &(number_key){"growth", "1", 0, INFINITY}, &s->growth, err));
        if (!(s->growth > 1))
            return sn_fail(err, SN_ERR_INPUT, &h->mark, "the horizon's growth must be above 1");
    }
    SN_TRY(number_of(s, root, &(number_key){"windows", "1", 1, 1000}, &number, err));
    s->windows = (int)number;
    number = -1; /* automatic */
    if (starts && starts->type == SN_ITEM_SCALAR) SN_TRY(sn_read_unit(&s->arena, starts, "1", &number, err));
    if (starts && starts->type == SN_ITEM_MAP) {
        SN_TRY(sn_read_keys(starts, starts_keys, "starts", err));
        SN_TRY(number_of(s, starts, &(number_key){"n", "1", -INFINITY, INFINITY}, &number, err));
        SN_TRY(number_of(s, starts, &(number_key){"spread", "1", -INFINITY, INFINITY}, &s->spread, err));
        SN_TRY(number_of(s, starts, &(number_key){"seed", "1", 0, INFINITY}, &seed, err));
    }
    if ((starts && number < 0) || number > 1e6 || !(s->spread > 1))
        return sn_fail(err, SN_ERR_INPUT, &starts->mark, "starts need a number from 0 and a spread above 1");
    s->starts = (int)number, s->seed = (unsigned long)seed;
    return number_of(s, root, &(number_key){"initial_window", "s", 0, INFINITY}, &s->initial_window, err);
}

static sn_status read_lists(sn_study *s, const sn_item *root, sn_err *err)
{
    const sn_item *efforts = sn_item_get(root, "efforts"), *instants = sn_item_get(root, "instants");
    if (efforts && efforts->type == SN_ITEM_LIST) {
        s->effort = sn_arena_alloc(&s->arena, (size_t)efforts->n + 1, sizeof *s->effort);
        if (!s->effort) return SN_OUT_OF_MEM(err);
        for (const sn_item *i = efforts->child; i; i = i->next) {
            int channel, before = sn_err_count(err);
            if (i->type != SN_ITEM_SCALAR)
                return sn_fail(err, SN_ERR_INPUT, &i->mark, "a channel is expected here");
            sn_status status = sn_channel_find(s->model, i->text, &channel, err);
            sn_err_place(err, before, &i->mark);
            SN_TRY(status);
            s->effort[s->n_effort++] = sn_arena_strndup(&s->arena, i->text, strlen(i->text));
        }
    }
    s->instants_mark = instants ? instants->mark : root->mark;
    if (instants && (instants->type != SN_ITEM_LIST || !instants->n))
        return sn_fail(err, SN_ERR_INPUT, &instants->mark, "instants are a list of times: [0.69 s, 2.83 s]");
    if (instants) {
        s->instant = sn_arena_alloc(&s->arena, (size_t)instants->n + 1, sizeof *s->instant);
        if (!s->instant) return SN_OUT_OF_MEM(err);
        for (const sn_item *i = instants->child; i; i = i->next)
            SN_TRY(sn_read_unit(&s->arena, i, "s", &s->instant[s->n_instant++], err));
    }
    return SN_OK;
}

/* try: yes, no, or words that name the numbers; from outside words only, "" for yes. */
static sn_status read_trying(sn_study *s, const sn_item *root, const sn_identify_options *given, sn_err *err)
{
    const sn_item *i = sn_item_get(root, "try");
    const char *words = given->tried ? given->tried : i ? i->text : NULL;
    sn_arena arena = {NULL};
    sn_candidates c;
    s->trying = SN_TRY_WHERE_BAD;
    if (!words) return SN_OK;
    s->trying = strcmp(words, "no") != 0 && strcmp(words, "false") != 0 ? SN_TRY_ALWAYS : SN_TRY_NEVER;
    if (s->trying == SN_TRY_NEVER) return SN_OK;
    if (s->method != SN_INDIRECT)
        return sn_fail(err, SN_ERR_INPUT, i && !given->tried ? &i->mark : NULL,
                       "numbers can be tried with 'method: indirect' only");
    if (!words[0] || !strcmp(words, "yes") || !strcmp(words, "true")) return SN_OK;
    s->tried = words;
    sn_status status = sn_candidates_list(s, words, &arena, &c, err);
    sn_arena_free(&arena);
    if (status || c.n) return status;
    return sn_fail(err, SN_ERR_INPUT, i && !given->tried ? &i->mark : NULL,
                   "'%s' names no number of the model that could be tried: its name and what 'sinew help' "
                   "says of it must have all of these words",
                   words);
}

static const char *unknown_name(int i, const void *ctx) { return ((const sn_study *)ctx)->unknown[i].name; }

/* What is sought, or follows from it, cannot be set. */
static sn_status check_set(const sn_study *s, int n, const char *const *text, sn_err *err)
{
    for (int i = 0; i < n; i++) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text[i], "="), text[i]);
        int id = sn_quantity_find(s->model, name), sought = 0, tied = 0;
        for (int k = 0; k < s->n_unknown; k++) sought |= s->unknown[k].id == id;
        for (int k = 0; k < s->n_tie; k++) tied |= s->tie[k].id == id;
        if (sought || tied)
            return sn_fail(err, SN_ERR_INPUT, NULL, "--set '%s': '%s' is %s", text[i], name,
                           sought ? "sought by the study: --start gives the place where that begins"
                                  : "tied to unknowns of the study");
    }
    return SN_OK;
}

static sn_status set_starts(sn_study *s, int n, const char *const *text, sn_err *err)
{
    for (int i = 0; i < n; i++) {
        const char *equal = strchr(text[i], '=');
        int found = 0;
        double x;
        if (!equal)
            return sn_fail(err, SN_ERR_INPUT, NULL, "--start '%s': write --start name=value", text[i]);
        const sn_item value = {.text = equal + 1, .mark = {"command line", equal + 1, 1, 1}};
        SN_TRY(sn_read_number(&s->arena, &value, &x, err));
        for (int k = 0; k < s->n_unknown; k++) {
            sn_unknown *u = &s->unknown[k];
            const sn_dimension want = u->id < 0 ? sn_read_unit_dimension("s") : s->model->quantity[u->id].dim;
            size_t length = (size_t)(equal - text[i]);
            int whole = strlen(u->name) == length && !strncmp(u->name, text[i], length);
            int every =
                u->parameter && strlen(u->parameter) == length && !strncmp(u->parameter, text[i], length);
            if (!whole && !every) continue;
            SN_TRY(sn_read_quantity(&s->arena, &value, &want, &u->start, err));
            found = 1;
            SN_TRY(check_start(u, NULL, err));
        }
        if (!found) {
            char name[200];
            snprintf(name, sizeof name, "%.*s", (int)(equal - text[i]), text[i]);
            const char *near = sn_nearest(name, s->n_unknown, unknown_name, s);
            return sn_fail(err, SN_ERR_INPUT, NULL, "--start '%s': the study has no such unknown%s%s%s",
                           text[i], near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        }
    }
    return SN_OK;
}

/* Fewer numbers measured than sought? */
static sn_status check_count(const sn_study *s, sn_err *err)
{
    long data = 0;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        for (int k = 0; !x->hold_out && k < x->n * x->n_channel; k++) data += !isnan(x->y[k]);
    }
    for (int k = 0; k < s->n_unknown; k++) data += !isnan(s->unknown[k].prior);
    if (!s->n_fit && s->n_common)
        return sn_fail(err, SN_ERR_INPUT, &s->unknown[0].mark,
                       "all experiments are held out: none is left to find '%s' from", s->unknown[0].name);
    if (s->n_fit && data < s->n_unknown)
        return sn_fail(err, SN_ERR_INPUT, NULL, "%d unknowns cannot be found from %ld measured numbers",
                       s->n_unknown, data);
    return SN_OK;
}

/* What a study is read for. */
enum { FOR_FIT, FOR_WINDOWS, FOR_DESIGN };

static sn_status read_data(sn_study *s, const sn_item *root, const sn_identify_options *given, int purpose,
                           sn_err *err)
{
    if (purpose != FOR_DESIGN || sn_item_get(root, "data") || sn_item_get(root, "experiments"))
        SN_TRY(sn_read_experiments(s, root, given, err));
    if (purpose == FOR_DESIGN) return sn_design_read_experiment(s, root, err);
    return purpose == FOR_WINDOWS && s->windows > 1 ? sn_read_windows(s, err) : SN_OK;
}

static sn_status read_all(sn_study *s, const char *path, const sn_identify_options *given, int purpose,
                          sn_err *err)
{
    sn_item *root;
    s->file = sn_arena_strndup(&s->arena, path, strlen(path));
    s->folder = sn_read_folder(&s->arena, path);
    if (!s->file || !s->folder) return SN_OUT_OF_MEM(err);
    SN_TRY(sn_yaml_read_kind("a study", "study: 1", path, &s->arena, &root, err));
    if (root->type != SN_ITEM_MAP || !sn_item_get(root, "study"))
        return sn_fail(err, SN_ERR_INPUT, &root->mark,
                       "this is no study file: it must begin with 'study: 1'");
    SN_TRY(sn_read_keys(root, top_keys, "a study", err));
    const sn_item *title = sn_item_get(root, "title");
    s->title = title ? title->text : "";
    SN_TRY(sn_read_model(s, root, given, err));
    SN_TRY(read_search(s, root, err));
    SN_TRY(read_data(s, root, given, purpose, err));
    SN_TRY(read_unknowns(s, root, err));
    /* windows begin where nothing is known of the state, unless it is sought */
    if (s->windows > 1 && s->n_unknown == s->n_common)
        return sn_fail(err, SN_ERR_INPUT, &sn_item_get(root, "windows")->mark,
                       "windows need initial states of their own: unknowns of 'each: experiment'");
    SN_TRY(read_lists(s, root, err));
    SN_TRY(check_set(s, given->n_set, given->set, err));
    SN_TRY(set_starts(s, given->n_start, given->start, err));
    sn_study_halve(s, s->finer.halvings, &s->run);
    SN_TRY(read_trying(s, root, given, err));
    s->root = root;
    return purpose == FOR_DESIGN ? sn_design_read_goals(s, root, err) : check_count(s, err);
}

static sn_status keep_text(sn_arena *arena, const char **text, sn_err *err)
{
    return !*text || (*text = sn_arena_strndup(arena, *text, strlen(*text))) ? SN_OK : SN_OUT_OF_MEM(err);
}

static sn_status keep_texts(sn_arena *arena, int n, const char *const **list, sn_err *err)
{
    const char **own = sn_arena_alloc(arena, (size_t)n + 1, sizeof *own);
    if (!own) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < n; i++) {
        own[i] = (*list)[i];
        SN_TRY(keep_text(arena, &own[i], err));
    }
    *list = own;
    return SN_OK;
}

/* What is given, copied: the study may be read again. */
static sn_status keep_given(sn_study *s, const sn_identify_options *given, sn_err *err)
{
    sn_identify_options *o = &s->given;
    const char **const text[] = {&o->data,   &o->end,     &o->scheme, &o->solver,
                                 &o->folder, &o->command, &o->tried};
    *o = *given;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) SN_TRY(keep_text(&s->arena, text[i], err));
    SN_TRY(keep_texts(&s->arena, o->n_start, &o->start, err));
    return keep_texts(&s->arena, o->n_set, &o->set, err);
}

static sn_status read_for(const char *path, const sn_identify_options *given, int purpose,
                          const sn_refinement *finer, sn_study **out, sn_err *err)
{
    sn_study *s;
    *out = NULL;
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    s->divided = purpose == FOR_WINDOWS, s->finer = *finer;
    sn_status status = given ? keep_given(s, given, err) : SN_OK;
    if (!status) status = read_all(s, path, &s->given, purpose, err);
    if (status)
        sn_study_free(s);
    else
        *out = s;
    return status;
}

sn_status sn_study_read(const char *path, const sn_identify_options *given, int windows, sn_study **out,
                        sn_err *err)
{
    return sn_study_read_refined(path, given, windows, &(sn_refinement){.mesh = 1}, out, err);
}

sn_status sn_study_read_refined(const char *path, const sn_identify_options *given, int windows,
                                const sn_refinement *finer, sn_study **out, sn_err *err)
{
    return read_for(path, given, windows ? FOR_WINDOWS : FOR_FIT, finer, out, err);
}

sn_status sn_study_read_design(const char *path, const sn_identify_options *given, sn_study **out,
                               sn_err *err)
{
    return read_for(path, given, FOR_DESIGN, &(sn_refinement){.mesh = 1}, out, err);
}

void sn_study_free(sn_study *s)
{
    if (!s) return;
    for (int e = 0; e < s->n_experiment; e++) sn_values_free(s->experiment[e].values);
    sn_values_free(s->base);
    sn_model_free(s->model);
    sn_arena_free(&s->arena);
    sn_free(s);
}
