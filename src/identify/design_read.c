/* The section `design` of a study: the experiment that is to be designed becomes one of the study, with all
   candidates for channels and samples at the highest rate up to the longest duration. */
#include "identify/design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 10000000, MOST_EVALUATIONS = 1000000, MOST_DRAWS = 10000 };

/* A whole number within limits. */
static sn_status whole(sn_study *s, const sn_item *i, int lowest, int highest, int *x, sn_err *err)
{
    double number;
    if (!i) return SN_OK;
    SN_TRY(sn_read_unit(&s->arena, i, "1", &number, err));
    if (!(number >= lowest && number <= highest) || number != floor(number))
        return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' must be a whole number from %d to %d", i->key,
                       lowest, highest);
    *x = (int)number;
    return SN_OK;
}

/* ---- sensors ---- */

/* A statement about noise: of a channel, of a sensor, or of all sensors of a kind. */
typedef struct stated {
    double sd, memory;
    int rank; /* 3 channel, 2 sensor, 1 kind, 0 none */
} stated;

typedef struct reader {
    sn_study *s;
    sn_design_section *d;
    const sn_item *section, *noise;
    stated *of; /* of all channels of the model */
} reader;

static sn_status read_deviation(reader *r, const sn_item *i, const char *unit, stated *out, sn_err *err)
{
    const sn_item *sd = i, *memory = NULL;
    if (i->type == SN_ITEM_MAP) {
        SN_TRY(sn_read_keys(i, sn_keys_design_noise, "a noise", err));
        sd = sn_item_get(i, "sd"), memory = sn_item_get(i, "correlation");
    }
    if (!sd || sd->type != SN_ITEM_SCALAR)
        return sn_fail(err, SN_ERR_INPUT, &i->mark,
                       "a noise is its standard deviation, or {sd: 1 mm, correlation: 20 ms}");
    SN_TRY(sn_read_unit(&r->s->arena, sd, unit, &out->sd, err));
    if (memory) SN_TRY(sn_read_unit(&r->s->arena, memory, "s", &out->memory, err));
    if (!(out->sd > 0) || !isfinite(out->sd) || !(out->memory >= 0) || !isfinite(out->memory))
        return sn_fail(err, SN_ERR_INPUT, &i->mark, "the noise of '%s' must be positive", i->key);
    return SN_OK;
}

/* Whether a statement about several channels can be about one in this unit: an angle has no millimetres. */
static sn_status fits(reader *r, const sn_item *i, const char *unit, int *yes, sn_err *err)
{
    sn_err own;
    stated x = {0};
    sn_err_clear(&own);
    sn_status status = read_deviation(r, i, unit, &x, &own);
    *yes = status == SN_OK;
    if (status == SN_ERR_MEMORY) sn_err_join(err, &own);
    return status == SN_ERR_MEMORY ? status : SN_OK;
}

static sn_status one_noise(reader *r, const sn_item *i, sn_err *err)
{
    const sn_model *m = r->s->model;
    int found = 0, used = 0, at = 0, before = sn_err_count(err), one, yes, last = 0;
    for (int k = 0; k < m->sensor.n; at += m->sensor.object[k++].ny) {
        const sn_object *o = &m->sensor.object[k];
        int rank = !strcmp(o->name, i->key) ? 2 : !strcmp(((const sn_sensor_class *)o->cls)->name, i->key);
        for (int c = at; rank && c < at + o->ny; c++) {
            const char *unit = sn_channel_get(m, c).unit;
            found++, last = c;
            SN_TRY(fits(r, i, unit, &yes, err));
            if (!yes) continue;
            used++;
            if (r->of[c].rank > rank) continue;
            r->of[c] = (stated){.rank = rank};
            SN_TRY(read_deviation(r, i, unit, &r->of[c], err));
        }
    }
    if (used) return SN_OK;
    if (found) /* none of them: say why */
        return read_deviation(r, i, sn_channel_get(m, last).unit, &(stated){0}, err);
    sn_status status = sn_channel_find(m, i->key, &one, err);
    sn_err_place(err, before, &i->key_mark);
    SN_TRY(status);
    r->of[one] = (stated){.rank = 3};
    return read_deviation(r, i, sn_channel_get(m, one).unit, &r->of[one], err);
}

static const char *channel_name(sn_study *s, int channel)
{
    sn_channel h = sn_channel_get(s->model, channel);
    return sn_arena_printf(&s->arena, "%s.%s", h.sensor, h.component);
}

static sn_status add_channel(reader *r, int channel, const sn_mark *where, sn_err *err)
{
    sn_experiment *x = &r->s->experiment[r->d->experiment];
    for (int c = 0; c < x->n_channel; c++)
        if (x->channel[c] == channel)
            return sn_fail(err, SN_ERR_INPUT, where, "'%s.%s' is a candidate twice",
                           sn_channel_get(r->s->model, channel).sensor,
                           sn_channel_get(r->s->model, channel).component);
    if (!r->of[channel].rank)
        return sn_fail(
            err, SN_ERR_INPUT, where,
            "the noise of '%s.%s' is not stated: noise: {%s.%s: standard deviation}",
            sn_channel_get(r->s->model, channel).sensor, sn_channel_get(r->s->model, channel).component,
            sn_channel_get(r->s->model, channel).sensor, sn_channel_get(r->s->model, channel).component);
    x->sigma[x->n_channel] = r->of[channel].sd, x->known[x->n_channel] = 1;
    r->d->memory[x->n_channel] = r->of[channel].memory;
    x->channel[x->n_channel++] = channel;
    return SN_OK;
}

/* A candidate by name: a sensor with all of its channels, or a channel. */
static sn_status add_named(reader *r, const sn_item *i, sn_err *err)
{
    const sn_model *m = r->s->model;
    const sn_experiment *x = &r->s->experiment[r->d->experiment];
    sn_sensor_choice *c = &r->d->candidate[r->d->n_candidate++];
    int channel, at = 0, before = sn_err_count(err);
    if (i->type != SN_ITEM_SCALAR)
        return sn_fail(err, SN_ERR_INPUT, &i->mark, "a sensor, or a channel of one, is expected here");
    *c = (sn_sensor_choice){.name = i->text, .first = x->n_channel};
    for (int k = 0; k < m->sensor.n; at += m->sensor.object[k++].ny)
        if (!strcmp(m->sensor.object[k].name, i->text)) {
            /* those whose noise is stated */
            for (int y = at; y < at + m->sensor.object[k].ny; y++)
                if (r->of[y].rank) SN_TRY(add_channel(r, y, &i->mark, err));
            if (x->n_channel == c->first) return add_channel(r, at, &i->mark, err);
            c->n = x->n_channel - c->first;
            return SN_OK;
        }
    sn_status status = sn_channel_find(m, i->text, &channel, err);
    sn_err_place(err, before, &i->mark);
    SN_TRY(status);
    c->n = 1;
    return add_channel(r, channel, &i->mark, err);
}

/* Without a list: every channel whose noise is stated. */
static sn_status add_all(reader *r, sn_err *err)
{
    for (int c = 0; c < sn_channel_count(r->s->model); c++) {
        const sn_experiment *x = &r->s->experiment[r->d->experiment];
        if (!r->of[c].rank) continue;
        sn_sensor_choice *k = &r->d->candidate[r->d->n_candidate++];
        *k = (sn_sensor_choice){.name = channel_name(r->s, c), .first = x->n_channel, .n = 1};
        if (!k->name) return SN_OUT_OF_MEM(err);
        SN_TRY(add_channel(r, c, &r->noise->mark, err));
    }
    return SN_OK;
}

static sn_status read_sensors(reader *r, const sn_item *map, sn_err *err)
{
    sn_study *s = r->s;
    sn_design_section *d = r->d;
    sn_experiment *x = &s->experiment[d->experiment];
    if (!map)
        return sn_fail(
            err, SN_ERR_INPUT, &r->section->mark,
            "a design needs 'sensors: {noise: {tip.x: 1 mm, ...}}': what could be measured, and how well");
    SN_TRY(sn_read_keys(map, sn_keys_sensors, "sensors", err));
    const sn_item *list = sn_item_get(map, "candidates");
    r->noise = sn_item_get(map, "noise");
    if (!r->noise)
        return sn_fail(
            err, SN_ERR_INPUT, &map->mark,
            "sensors need 'noise: {tip.x: 1 mm, position: 1 mm}': standard deviations of channels, "
            "sensors or kinds of sensors");
    size_t channels = (size_t)sn_channel_count(s->model) + 1, most = channels + (size_t)(list ? list->n : 0);
    r->of = sn_arena_alloc(&s->arena, channels, sizeof *r->of);
    x->channel = sn_arena_alloc(&s->arena, channels, sizeof *x->channel);
    x->sigma = sn_arena_alloc(&s->arena, channels, sizeof *x->sigma);
    x->known = sn_arena_alloc(&s->arena, channels, sizeof *x->known);
    d->memory = sn_arena_alloc(&s->arena, channels, sizeof *d->memory);
    d->candidate = sn_arena_alloc(&s->arena, most, sizeof *d->candidate);
    if (!r->of || !x->channel || !x->sigma || !x->known || !d->memory || !d->candidate)
        return SN_OUT_OF_MEM(err);
    for (const sn_item *i = r->noise->child; i; i = i->next) SN_TRY(one_noise(r, i, err));
    for (const sn_item *i = list ? list->child : NULL; i; i = i->next) SN_TRY(add_named(r, i, err));
    if (!list) SN_TRY(add_all(r, err));
    if (!d->n_candidate)
        return sn_fail(err, SN_ERR_INPUT, list ? &list->mark : &r->noise->mark,
                       "there is no sensor to choose from");
    const sn_item *choose = sn_item_get(map, "choose");
    if (choose && !strcmp(choose->text, "all")) {
        d->choose = d->n_candidate;
        return SN_OK;
    }
    return whole(s, choose, 1, d->n_candidate, &d->choose, err);
}

/* ---- excitation, times ---- */

static sn_status read_values(reader *r, const sn_item *i, sn_excitation *e, sn_err *err)
{
    sn_study *s = r->s;
    const sn_dimension *want = &s->model->quantity[e->id].dim;
    const sn_item *list = i, *scale = NULL;
    int discrete = i->type == SN_ITEM_LIST && i->n != 2;
    if (i->type == SN_ITEM_MAP) {
        SN_TRY(sn_read_keys(i, sn_keys_excitation, "an excitation", err));
        const sn_item *range = sn_item_get(i, "range"), *values = sn_item_get(i, "values");
        list = values ? values : range, discrete = values != NULL, scale = sn_item_get(i, "scale");
        if (values && range)
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "an excitation has a range or values, not both");
    }
    if (!list || list->type != SN_ITEM_LIST || !list->n || (!discrete && list->n != 2))
        return sn_fail(
            err, SN_ERR_INPUT, &i->mark,
            "'%s' needs a range [lower, upper], a list of three values or more, or {values: [...]}", i->key);
    double *x = sn_arena_alloc(&s->arena, (size_t)list->n, sizeof *x);
    if (!x) return SN_OUT_OF_MEM(err);
    int n = 0;
    for (const sn_item *k = list->child; k; k = k->next) {
        SN_TRY(sn_read_quantity(&s->arena, k, want, &x[n], err));
        if (!isfinite(x[n++]))
            return sn_fail(err, SN_ERR_INPUT, &k->mark, "a finite number is expected here");
    }
    e->lower = x[0], e->upper = x[n - 1];
    if (discrete) {
        e->n = n, e->list = x;
        return SN_OK;
    }
    if (!(e->lower < e->upper))
        return sn_fail(err, SN_ERR_INPUT, &list->mark, "the lower end, %g, is not below the upper one, %g",
                       e->lower, e->upper);
    if (scale && strcmp(scale->text, "log") != 0 && strcmp(scale->text, "linear") != 0)
        return sn_fail(err, SN_ERR_INPUT, &scale->mark, "scale is 'log' or 'linear', not '%s'", scale->text);
    e->log = scale ? !strcmp(scale->text, "log") : e->lower > 0 && e->upper / e->lower >= 5;
    if (e->log && !(e->lower > 0))
        return sn_fail(err, SN_ERR_INPUT, &scale->mark, "on a log scale the range must be positive");
    return SN_OK;
}

/* In the unit that it was written with. */
static sn_status read_shown(sn_study *s, const sn_item *i, sn_excitation *e, sn_err *err)
{
    sn_unknown u = {.id = e->id};
    const sn_item *list = i->type == SN_ITEM_LIST ? i : sn_item_get(i, e->n ? "values" : "range");
    SN_TRY(sn_read_shown_unit(s, list->child, &u, err));
    e->unit = u.unit, e->shown = u.shown, e->shown_factor = u.shown_factor;
    return SN_OK;
}

static sn_status read_excitation(reader *r, const sn_item *map, sn_err *err)
{
    sn_study *s = r->s;
    sn_design_section *d = r->d;
    d->excitation = sn_arena_alloc(&s->arena, (size_t)(map ? map->n : 0) + 1, sizeof *d->excitation);
    if (!d->excitation) return SN_OUT_OF_MEM(err);
    for (const sn_item *i = map ? map->child : NULL; i; i = i->next) {
        sn_excitation *e = &d->excitation[d->n_excitation++];
        const char *names[1] = {i->key};
        int before = sn_err_count(err);
        *e = (sn_excitation){.name = i->key, .mark = i->key_mark};
        sn_status status = sn_gradient_names(s->model, s->base, 1, names, &e->id, err);
        sn_err_place(err, before, &i->key_mark);
        SN_TRY(status);
        SN_TRY(read_values(r, i, e, err));
        SN_TRY(read_shown(s, i, e, err));
    }
    return SN_OK;
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static sn_status read_rates(reader *r, const sn_item *i, sn_err *err)
{
    sn_study *s = r->s;
    sn_design_section *d = r->d;
    d->rate = sn_arena_alloc(&s->arena, i && i->type == SN_ITEM_LIST ? (size_t)i->n + 1 : 1, sizeof *d->rate);
    if (!d->rate) return SN_OUT_OF_MEM(err);
    if (!i || (i->type != SN_ITEM_SCALAR && (i->type != SN_ITEM_LIST || !i->n)))
        return sn_fail(err, SN_ERR_INPUT, i ? &i->mark : &r->section->mark,
                       "a design needs 'rate: 100 Hz', or a list of rates");
    for (const sn_item *k = i->type == SN_ITEM_LIST ? i->child : i; k;
         k = i->type == SN_ITEM_LIST ? k->next : NULL) {
        SN_TRY(sn_read_unit(&s->arena, k, "Hz", &d->rate[d->n_rate], err));
        if (!(d->rate[d->n_rate] > 0) || !isfinite(d->rate[d->n_rate]))
            return sn_fail(err, SN_ERR_INPUT, &k->mark, "a rate must be positive");
        d->n_rate++;
    }
    qsort(d->rate, (size_t)d->n_rate, sizeof *d->rate, rising);
    double top = d->rate[d->n_rate - 1];
    for (int k = 0; k < d->n_rate; k++) {
        double parts = top / d->rate[k];
        if (fabs(parts - round(parts)) > 1e-9 * parts)
            return sn_fail(err, SN_ERR_INPUT, &i->mark,
                           "every rate must divide the highest one: %g Hz does not divide %g Hz", d->rate[k],
                           top);
    }
    return SN_OK;
}

static sn_status read_duration(reader *r, const sn_item *i, sn_err *err)
{
    sn_study *s = r->s;
    sn_design_section *d = r->d;
    d->longest = s->run.end - s->run.begin;
    const sn_item *at = i ? i : r->section;
    if (i && i->type == SN_ITEM_LIST) {
        if (i->n != 2)
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "a duration is a time, or [shortest, longest]");
        SN_TRY(sn_read_unit(&s->arena, i->child, "s", &d->shortest, err));
        SN_TRY(sn_read_unit(&s->arena, i->child->next, "s", &d->longest, err));
    } else if (i) {
        SN_TRY(sn_read_unit(&s->arena, i, "s", &d->longest, err));
        d->shortest = d->longest;
    } else {
        d->shortest = d->longest;
    }
    if (!(d->shortest > 0) || !(d->longest >= d->shortest) || !isfinite(d->longest))
        return sn_fail(err, SN_ERR_INPUT, &at->mark,
                       "a duration must be positive, and the longest not below the shortest");
    if (!(d->longest * d->rate[d->n_rate - 1] <= MOST_SAMPLES))
        return sn_fail(err, SN_ERR_INPUT, &at->mark, "%g s at %g Hz are more than %d samples", d->longest,
                       d->rate[d->n_rate - 1], MOST_SAMPLES);
    return SN_OK;
}

/* ---- the experiment ---- */

/* Some unknown begins at what is measured first. */
static int has_own(const sn_item *root)
{
    const sn_item *map = sn_item_get(root, "unknowns");
    for (const sn_item *i = map && map->type == SN_ITEM_MAP ? map->child : NULL; i; i = i->next)
        if (i->type == SN_ITEM_MAP && sn_item_get(i, "each")) return 1;
    return 0;
}

/* Where unknowns of the experiment begin at measured values: what the model as it is shows first. */
static sn_status fill(sn_study *s, sn_experiment *x, sn_err *err)
{
    sn_run_options o = s->run;
    sn_info info;
    double *y;
    if (!SN_NEW(y, sn_channel_count(s->model) + 1)) return SN_OUT_OF_MEM(err);
    o.begin = x->begin, o.end = x->begin + o.step, o.frame = NULL, o.progress = NULL, o.message = NULL;
    sn_status status = sn_sample(s->model, x->values, &o, &(sn_samples){1, x->t, y, NULL}, &info, err);
    for (int c = 0; !status && c < x->n_channel; c++) x->y[c] = y[x->channel[c]];
    sn_free(y);
    return status;
}

static sn_status make_samples(reader *r, const sn_item *root, sn_err *err)
{
    sn_study *s = r->s;
    const sn_design_section *d = r->d;
    sn_experiment *x = &s->experiment[d->experiment];
    const sn_item *offset = sn_item_get(root, "offset");
    double rate = d->rate[d->n_rate - 1];
    x->begin = s->run.begin, x->end = x->begin + d->longest, x->weight = 1;
    x->origin = x->begin, x->span = d->longest;
    x->offset_unknown = offset && !strcmp(offset->text, "unknown") ? 0 : -1;
    x->n = (int)floor(d->longest * rate * (1 + 1e-12)) + 1;
    x->t = sn_arena_alloc(&s->arena, (size_t)x->n, sizeof *x->t);
    x->y = sn_arena_alloc(&s->arena, (size_t)x->n * (size_t)x->n_channel + 1, sizeof *x->y);
    if (!x->t || !x->y) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < x->n; i++) x->t[i] = fmin(x->begin + i / rate, x->end);
    SN_TRY(sn_values_copy(s->base, &x->values, err));
    SN_TRY(sn_read_inputs(s, root, root, x, err));
    return has_own(root) ? fill(s, x, err) : SN_OK;
}

/* Room for one more experiment. */
static sn_status add_experiment(sn_study *s, sn_design_section *d, const sn_item *section, sn_err *err)
{
    sn_experiment *all = sn_arena_alloc(&s->arena, (size_t)s->n_experiment + 1, sizeof *all);
    if (!all) return SN_OUT_OF_MEM(err);
    if (s->n_experiment) memcpy(all, s->experiment, (size_t)s->n_experiment * sizeof *all);
    d->experiment = s->n_experiment;
    s->experiment = all, s->n_experiment++, s->n_fit++;
    all[d->experiment] = (sn_experiment){.name = "design", .file = "", .mark = section->mark};
    return SN_OK;
}

sn_status sn_design_read_experiment(sn_study *s, const sn_item *root, sn_err *err)
{
    const sn_item *section = sn_item_get(root, "design");
    if (!section || section->type != SN_ITEM_MAP)
        return sn_fail(
            err, SN_ERR_INPUT, section ? &section->mark : &root->mark,
            "there is nothing to design: 'design: {sensors: {noise: ...}, duration: ..., rate: ...}'");
    SN_TRY(sn_read_keys(section, sn_keys_design, "a design", err));
    sn_design_section *d = sn_arena_alloc(&s->arena, 1, sizeof *d);
    if (!d) return SN_OUT_OF_MEM(err);
    reader r = {.s = s, .d = d, .section = section};
    SN_TRY(add_experiment(s, d, section, err));
    SN_TRY(read_sensors(&r, sn_item_get(section, "sensors"), err));
    SN_TRY(read_excitation(&r, sn_item_get(section, "excitation"), err));
    SN_TRY(read_rates(&r, sn_item_get(section, "rate"), err));
    SN_TRY(read_duration(&r, sn_item_get(section, "duration"), err));
    SN_TRY(make_samples(&r, root, err));
    s->design = d;
    return SN_OK;
}

/* ---- goals, criterion ---- */

static sn_status read_goal(sn_study *s, const sn_item *i, sn_design_section *d, sn_err *err)
{
    double x;
    for (int k = 0; k < s->n_common; k++) {
        const sn_unknown *u = &s->unknown[k];
        if (u->id < 0 || strcmp(u->name, i->key) != 0) continue;
        const sn_item *g = sn_item_get(i, "goal");
        if (strchr(g->text, '%')) {
            SN_TRY(sn_read_unit(&s->arena, g, "1", &x, err));
            if (!(u->start != 0))
                return sn_fail(err, SN_ERR_INPUT, &g->mark,
                               "'%s' is 0: its goal needs to be a number, not %s", u->name, g->text);
            x *= fabs(u->start);
        } else {
            SN_TRY(sn_read_quantity(&s->arena, g, &s->model->quantity[u->id].dim, &x, err));
        }
        if (!(x > 0) || !isfinite(x))
            return sn_fail(err, SN_ERR_INPUT, &g->mark,
                           "a goal is a positive standard error: 1 %%, or 5 N/m");
        d->goal[k] = x / (u->log ? u->start : u->scale);
        d->n_goal++;
        return SN_OK;
    }
    return sn_fail(err, SN_ERR_INPUT, &sn_item_get(i, "goal")->mark,
                   "goals are of unknowns of all experiments");
}

static int function_name(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    const sn_study *s = ctx;
    for (int k = 0; k < s->n_common; k++)
        if (s->unknown[k].id >= 0 && !strcmp(s->unknown[k].name, name)) return k;
    sn_fail(err, SN_ERR_INPUT, where, "'%s' is no unknown of all experiments", name);
    return -1;
}

static sn_status read_function(sn_study *s, sn_design_section *d, const sn_item *i, sn_err *err)
{
    sn_expr *e;
    double v[SN_MAX_VARIABLES], g[SN_MAX_VARIABLES], size = 0;
    SN_TRY(sn_expr_parse(&s->arena, i->text, &i->mark, function_name, s, &e, err));
    for (int k = 0; k < sn_expr_nvar(e); k++) v[k] = s->unknown[sn_expr_var(e, k)].start;
    sn_expr_gradient(e, v, g);
    for (int k = 0; k < sn_expr_nvar(e); k++) {
        const sn_unknown *u = &s->unknown[sn_expr_var(e, k)];
        d->c[sn_expr_var(e, k)] += g[k] * (u->log ? u->start : u->scale);
        size += fabs(g[k]);
    }
    if (!(size > 0) || !isfinite(size))
        return sn_fail(err, SN_ERR_INPUT, &i->mark,
                       "'%s' does not depend on the unknowns at their start values", i->text);
    d->criterion = SN_CRITERION_C, d->function = i->text;
    return SN_OK;
}

static sn_status read_criterion(sn_study *s, sn_design_section *d, const sn_item *i, sn_err *err)
{
    if (!i || (i->type == SN_ITEM_SCALAR && !strcmp(i->text, "D"))) return SN_OK;
    if (i->type == SN_ITEM_SCALAR && !strcmp(i->text, "A")) {
        d->criterion = SN_CRITERION_A;
        return SN_OK;
    }
    if (i->type == SN_ITEM_SCALAR)
        return sn_fail(err, SN_ERR_INPUT, &i->mark, "a criterion is D, A or {c: k1}, not '%s'", i->text);
    SN_TRY(sn_read_keys(i, sn_keys_criterion, "a criterion", err));
    const sn_item *c = sn_item_get(i, "c");
    if (!c) return sn_fail(err, SN_ERR_INPUT, &i->mark, "a criterion is D, A or {c: k1}");
    return read_function(s, d, c, err);
}

static sn_status read_robust(sn_study *s, sn_design_section *d, const sn_item *i, sn_err *err)
{
    int seed = 1;
    if (i && i->type == SN_ITEM_MAP) {
        SN_TRY(sn_read_keys(i, sn_keys_robust, "robust", err));
        SN_TRY(whole(s, sn_item_get(i, "seed"), 0, 1000000000, &seed, err));
        SN_TRY(whole(s, sn_item_get(i, "n"), 0, MOST_DRAWS, &d->robust, err));
    } else {
        SN_TRY(whole(s, i, 0, MOST_DRAWS, &d->robust, err));
    }
    d->seed = (unsigned long)seed;
    return SN_OK;
}

/* What the experimenter sets cannot be what is sought. */
static sn_status check_excitation(const sn_study *s, const sn_design_section *d, sn_err *err)
{
    for (int i = 0; i < d->n_excitation; i++) {
        for (int k = 0; k < s->n_unknown; k++)
            if (s->unknown[k].id == d->excitation[i].id)
                return sn_fail(err, SN_ERR_INPUT, &d->excitation[i].mark,
                               "'%s' is an unknown: it cannot be set", d->excitation[i].name);
        for (int k = 0; k < s->n_tie; k++)
            if (s->tie[k].id == d->excitation[i].id)
                return sn_fail(err, SN_ERR_INPUT, &d->excitation[i].mark,
                               "'%s' is tied to unknowns: it cannot be set", d->excitation[i].name);
        for (int k = 0; k < i; k++)
            if (d->excitation[k].id == d->excitation[i].id)
                return sn_fail(err, SN_ERR_INPUT, &d->excitation[i].mark, "'%s' is the same number as '%s'",
                               d->excitation[i].name, d->excitation[k].name);
    }
    return SN_OK;
}

sn_status sn_design_read_goals(sn_study *s, const sn_item *root, sn_err *err)
{
    sn_design_section *d = s->design;
    const sn_item *section = sn_item_get(root, "design"), *map = sn_item_get(root, "unknowns");
    size_t n = (size_t)s->n_unknown + 1;
    d->goal = sn_arena_alloc(&s->arena, n, sizeof *d->goal);
    d->c = sn_arena_alloc(&s->arena, n, sizeof *d->c);
    d->asked = sn_arena_alloc(&s->arena, n, 1);
    if (!d->goal || !d->c || !d->asked) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < s->n_unknown; k++) d->goal[k] = NAN;
    for (const sn_item *i = map->child; i; i = i->next)
        if (i->type == SN_ITEM_MAP && sn_item_get(i, "goal")) SN_TRY(read_goal(s, i, d, err));
    for (int k = 0; k < s->n_common; k++)
        d->asked[k] = s->unknown[k].id >= 0 && (!d->n_goal || !isnan(d->goal[k]));
    SN_TRY(read_criterion(s, d, sn_item_get(section, "criterion"), err));
    SN_TRY(read_robust(s, d, sn_item_get(section, "robust"), err));
    d->evaluations = d->n_excitation ? 20 + 40 * d->n_excitation : 1;
    SN_TRY(whole(s, sn_item_get(section, "evaluations"), 1, MOST_EVALUATIONS, &d->evaluations, err));
    if (s->method != SN_INDIRECT)
        return sn_fail(err, SN_ERR_INPUT, &section->key_mark, "a design is for the indirect method");
    if (!s->n_common)
        return sn_fail(err, SN_ERR_INPUT, &map->mark, "a design needs unknowns of all experiments");
    return check_excitation(s, d, err);
}
