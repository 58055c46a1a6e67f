/* Numbers, keys, paths; and experiments: a CSV file each, columns mapped to channels. */
#include "identify/read.h"
#include "identify/modal.h"
#include "io/table.h"

#include <math.h>
#include <string.h>

static int no_name(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    (void)ctx;
    sn_fail(err, SN_ERR_INPUT, where, "'%s': a plain number is expected here", name);
    return -1;
}

sn_dimension sn_read_unit_dimension(const char *unit)
{
    sn_dimension d = {.known = 0};
    double factor;
    if (unit && unit[0]) d.known = sn_unit_whole(unit, &factor, &d.dim) == SN_OK;
    return d;
}

sn_status sn_read_dimension(const sn_expr *e, const sn_dimension *x, const sn_dimension *want,
                            const sn_item *i, sn_err *err)
{
    sn_dimension d;
    char have[64], wanted[64];
    SN_TRY(sn_expr_dimension(e, x, &d, err));
    if (d.known != 1 || want->known != 1 || sn_dim_equal(d.dim, want->dim)) return SN_OK;
    sn_dim_text(d.dim, have, sizeof have);
    sn_dim_text(want->dim, wanted, sizeof wanted);
    return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' is in %s, where %s is expected", i->text, have, wanted);
}

sn_status sn_read_quantity(sn_arena *arena, const sn_item *i, const sn_dimension *want, double *x,
                           sn_err *err)
{
    sn_expr *e;
    if (i->type != SN_ITEM_SCALAR) return sn_fail(err, SN_ERR_INPUT, &i->mark, "a number is expected here");
    SN_TRY(sn_expr_parse(arena, i->text, &i->mark, no_name, NULL, &e, err));
    SN_TRY(sn_read_dimension(e, NULL, want, i, err));
    *x = sn_expr_value(e, NULL);
    return SN_OK;
}

sn_status sn_read_number(sn_arena *arena, const sn_item *i, double *x, sn_err *err)
{
    return sn_read_quantity(arena, i, &(sn_dimension){.known = 0}, x, err);
}

sn_status sn_read_unit(sn_arena *arena, const sn_item *i, const char *unit, double *x, sn_err *err)
{
    sn_dimension want = sn_read_unit_dimension(unit);
    return sn_read_quantity(arena, i, &want, x, err);
}

static const char *key_at(int i, const void *ctx) { return ((const sn_study_key *)ctx)[i].name; }

static sn_status check_kind(const sn_item *i, char kind, sn_err *err)
{
    const sn_item_type type = i->type;
    if (kind == 's' && type != SN_ITEM_SCALAR)
        return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' needs a text or a number", i->key);
    if (kind == 'm' && type != SN_ITEM_MAP)
        return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' needs a map {name: value, ...}", i->key);
    if (kind == 'l' && type != SN_ITEM_LIST)
        return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' needs a list [..., ...]", i->key);
    if (kind == 'e' && type == SN_ITEM_LIST)
        return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' cannot be a list", i->key);
    return SN_OK;
}

sn_status sn_read_keys(const sn_item *map, const sn_study_key *keys, const char *what, sn_err *err)
{
    int n = 0;
    while (keys[n].name) n++;
    for (const sn_item *i = map->child; i; i = i->next) {
        int known = 0;
        for (int k = 0; k < n; k++) {
            if (strcmp(i->key, keys[k].name) != 0) continue;
            SN_TRY(check_kind(i, keys[k].holds, err));
            known = 1;
        }
        if (known) continue;
        const char *near = sn_nearest(i->key, n, key_at, keys);
        return sn_fail(err, SN_ERR_INPUT, &i->key_mark, "%s has no key '%s'%s%s%s", what, i->key,
                       near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    }
    return SN_OK;
}

const char *sn_read_folder(sn_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return sn_arena_strndup(arena, path, slash ? (size_t)(slash - path) + 1 : 0);
}

const char *sn_read_path(sn_arena *arena, const char *folder, const char *name)
{
    return sn_arena_printf(arena, "%s%s", name[0] == '/' ? "" : folder, name);
}

sn_column sn_column_get(const sn_study *s, const sn_experiment *x, int c)
{
    sn_column out = {.unit = ""};
    if (x->sort) return sn_modal_column_get(x, c);
    sn_channel h = sn_channel_get(s->model, x->channel[c]);
    snprintf(out.name, sizeof out.name, "%s.%s", h.sensor, h.component);
    out.unit = h.unit;
    return out;
}

double sn_experiment_first(const sn_experiment *e, int channel, double t)
{
    for (int c = 0; c < e->n_channel; c++)
        for (int i = 0; e->channel[c] == channel && i < e->n; i++)
            if (e->t[i] >= t && !isnan(e->y[i * e->n_channel + c])) return e->y[i * e->n_channel + c];
    return NAN;
}

double sn_experiment_spread(const sn_experiment *e, int channel)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int c = 0; c < e->n_channel; c++)
        for (int i = 0; e->channel[c] == channel && i < e->n; i++) {
            double y = e->y[i * e->n_channel + c];
            if (!isnan(y)) lo = fmin(lo, y), hi = fmax(hi, y);
        }
    return hi > lo ? 0.5 * (hi - lo) : 0;
}

/* ---- experiments ---- */

const sn_item *sn_read_pick(const sn_item *own, const sn_item *root, const char *key)
{
    const sn_item *i = sn_item_get(own, key);
    return i ? i : sn_item_get(root, key);
}

/* What a column is measured in, as a factor to SI; it must fit the sensor. */
static sn_status unit_factor(const char *unit, const char *channel_unit, const sn_mark *where, double *factor,
                             sn_err *err)
{
    sn_dim have, want;
    double one;
    if (sn_unit_whole(unit, factor, &have)) return sn_fail(err, SN_ERR_INPUT, where, "'%s' is no unit", unit);
    if (!sn_unit_whole(channel_unit, &one, &want) && !sn_dim_equal(have, want))
        return sn_fail(err, SN_ERR_INPUT, where, "the column is in %s, but the sensor in %s", unit,
                       channel_unit);
    return SN_OK;
}

typedef struct column {
    int channel, index;
    double factor;
} column;

/* The data of an experiment: a file, which of its columns is the time, and what the others measure. */
typedef struct table {
    const sn_csv *csv;
    const sn_mark *where;      /* where the file is named */
    const sn_item *own, *root; /* what the experiment and the study say */
    int time, n;
    const double *t; /* of the rows, s */
    column *column;
} table;

/* columns: {sensor.component: name or {column: name, unit: mm}}; without it columns carry the channels'
 * names. */
static sn_status map_columns(const sn_study *s, const sn_item *map, table *d, sn_err *err)
{
    const sn_csv *csv = d->csv;
    for (int c = 0; !map && c < csv->cols; c++) {
        int before = sn_err_count(err);
        if (c == d->time || sn_read_is_input(d->own, d->root, csv->names[c])) continue;
        d->column[d->n] = (column){.index = c, .factor = 1};
        sn_status status = sn_channel_find(s->model, csv->names[c], &d->column[d->n].channel, err);
        if (status == SN_ERR_INPUT && csv->sparse) {
            sn_err_forget(err, before);
            continue;
        }
        sn_err_place(err, before, d->where);
        SN_TRY(status);
        d->n++;
    }
    for (const sn_item *i = map ? map->child : NULL; i; i = i->next) {
        if (i->type == SN_ITEM_LIST)
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "a column is its name, or {column: name, unit: mm}");
        if (i->type == SN_ITEM_MAP) SN_TRY(sn_read_keys(i, sn_keys_column, "a column", err));
        const sn_item *name = i->type == SN_ITEM_MAP ? sn_item_get(i, "column") : i;
        const sn_item *unit = i->type == SN_ITEM_MAP ? sn_item_get(i, "unit") : NULL;
        column *c = &d->column[d->n];
        int before = sn_err_count(err);
        sn_status status = sn_channel_find(s->model, i->key, &c->channel, err);
        sn_err_place(err, before, &i->key_mark);
        SN_TRY(status);
        c->index = name ? sn_csv_column(csv, name->text) : -1, c->factor = 1;
        if (c->index < 0)
            return sn_fail(err, SN_ERR_INPUT, name ? &name->mark : &i->mark, "the data have no column '%s'",
                           name ? name->text : "");
        if (unit && csv->units && csv->units[c->index])
            return sn_fail(err, SN_ERR_INPUT, &unit->mark,
                           "the file states the unit of '%s', which is read in %s", name->text,
                           csv->units[c->index]);
        if (unit)
            SN_TRY(unit_factor(unit->text, sn_channel_get(s->model, c->channel).unit, &unit->mark, &c->factor,
                               err));
        d->n++;
    }
    for (int a = 0; a < d->n; a++)
        for (int b = 0; b < a; b++)
            if (d->column[a].channel == d->column[b].channel) {
                sn_channel h = sn_channel_get(s->model, d->column[a].channel);
                return sn_fail(err, SN_ERR_INPUT, d->where, "two columns measure '%s.%s'", h.sensor,
                               h.component);
            }
    return d->n ? SN_OK
                : sn_fail(err, SN_ERR_INPUT, d->where,
                          csv->sparse ? "none of the file's columns is a channel of the model: columns: "
                                        "{tip.x: RASI.x, ...} says which measures what"
                                      : "the data measure nothing: no column but the time");
}

/* All missing, or constant: nothing can be learnt from such a column, and something is wrong with it. */
static sn_status check_column(const sn_experiment *e, int c, const char *name, const sn_mark *where,
                              sn_err *err)
{
    double lo = INFINITY, hi = -INFINITY;
    int n = 0;
    for (int i = 0; i < e->n; i++) {
        double y = e->y[i * e->n_channel + c];
        if (!isnan(y)) lo = fmin(lo, y), hi = fmax(hi, y), n++;
    }
    if (lo > hi) return sn_fail(err, SN_ERR_INPUT, where, "'%s': column '%s' has no numbers", e->file, name);
    if (!isfinite(lo) || !isfinite(hi))
        return sn_fail(err, SN_ERR_INPUT, where, "'%s': column '%s' has infinite numbers", e->file, name);
    if (lo == hi && n > 1)
        return sn_fail(err, SN_ERR_INPUT, where, "'%s': column '%s' is constant (%g): is it connected?",
                       e->file, name, lo);
    return SN_OK;
}

/* Rows within begin .. end, times with the offset. */
static sn_status take_rows(sn_study *s, const table *d, sn_experiment *e, sn_err *err)
{
    const sn_csv *csv = d->csv;
    const sn_mark *where = d->where;
    const column *map = d->column;
    e->t = sn_arena_alloc(&s->arena, (size_t)csv->rows + 1, sizeof *e->t);
    e->y = sn_arena_alloc(&s->arena, (size_t)csv->rows * (size_t)e->n_channel + 1, sizeof *e->y);
    if (!e->t || !e->y) return SN_OUT_OF_MEM(err);
    double last = -INFINITY;
    for (int r = 0; r < csv->rows; r++) {
        double t = d->t[r] + e->offset;
        if (!isfinite(t))
            return sn_fail(err, SN_ERR_INPUT, where, "'%s': row %d has no time", e->file, r + 1);
        if (t < last)
            return sn_fail(err, SN_ERR_INPUT, where,
                           "'%s': the times must ascend, but row %d has %g after %g", e->file, r + 1,
                           t - e->offset, last - e->offset);
        last = t;
        if (t < e->begin - 1e-12 || t > e->end + 1e-12) continue;
        if (!e->n) e->first = r + 1;
        int seen = !csv->sparse;
        for (int c = 0; c < e->n_channel; c++) seen |= !isnan(csv->data[map[c].index * csv->rows + r]);
        if (!seen) continue;
        e->t[e->n] = fmin(fmax(t, e->begin), e->end);
        for (int c = 0; c < e->n_channel; c++)
            e->y[e->n * e->n_channel + c] = csv->data[map[c].index * csv->rows + r] * map[c].factor;
        e->n++;
    }
    if (e->n < 1)
        return sn_fail(err, SN_ERR_INPUT, where, "'%s' has no samples between %g s and %g s", e->file,
                       e->begin, e->end);
    return SN_OK;
}

sn_status sn_read_given(sn_values *v, const sn_identify_options *given, sn_err *err)
{
    for (int i = 0; i < given->n_set; i++) {
        const char *text = given->set[i], *equal = strchr(text, '=');
        char name[256];
        if (!equal || equal == text || (size_t)(equal - text) >= sizeof name)
            return sn_fail(err, SN_ERR_INPUT, NULL, "--set '%s': write --set name=value", text);
        snprintf(name, sizeof name, "%.*s", (int)(equal - text), text);
        if (sn_model_is_structural(v->model, name)) continue; /* the model was read with it */
        SN_TRY(sn_values_set(v, name, equal + 1, err));
    }
    return SN_OK;
}

static sn_status read_times(sn_study *s, const sn_item *own, const sn_item *root, const char *until,
                            sn_experiment *e, sn_err *err)
{
    const sn_item given = {.text = until, .mark = {"command line", until, 1, 1}};
    const sn_item *offset = sn_read_pick(own, root, "offset"), *begin = sn_read_pick(own, root, "begin"),
                  *end = until ? &given : sn_read_pick(own, root, "end");
    const sn_item *hold = sn_item_get(own, "hold_out"), *weight = sn_item_get(own, "weight");
    e->begin = s->run.begin, e->end = INFINITY, e->weight = 1, e->offset_unknown = -1;
    if (offset && !strcmp(offset->text, "unknown"))
        e->offset_unknown = 0;
    else if (offset)
        SN_TRY(sn_read_unit(&s->arena, offset, "s", &e->offset, err));
    if (begin) SN_TRY(sn_read_unit(&s->arena, begin, "s", &e->begin, err));
    if (end) SN_TRY(sn_read_unit(&s->arena, end, "s", &e->end, err));
    if (weight) SN_TRY(sn_read_unit(&s->arena, weight, "1", &e->weight, err));
    int yes = hold && (!strcmp(hold->text, "yes") || !strcmp(hold->text, "true"));
    if (hold && !yes && strcmp(hold->text, "no") != 0 && strcmp(hold->text, "false") != 0)
        return sn_fail(err, SN_ERR_INPUT, &hold->mark, "hold_out is 'yes' or 'no', not '%s'", hold->text);
    e->hold_out = yes;
    if (!(e->weight > 0)) return sn_fail(err, SN_ERR_INPUT, &weight->mark, "a weight must be positive");
    return SN_OK;
}

/* Numbers of the model in this experiment; expressions of channels are those of their first measured values.
 */
static sn_status read_set(sn_study *s, const sn_item *set, sn_experiment *e, sn_err *err)
{
    for (const sn_item *i = set ? set->child : NULL; i; i = i->next) {
        int id = sn_quantity_find(s->model, i->key), before = sn_err_count(err);
        sn_first first = {0, 0};
        if (i->type != SN_ITEM_SCALAR)
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' needs a number", i->key);
        if (id >= 0) SN_TRY(sn_read_first(s, i, e, i->key, &s->model->quantity[id].dim, &first, err));
        sn_status status = sn_values_set_number(e->values, i->key, first.value, err);
        sn_err_place(err, before, &i->key_mark);
        SN_TRY(status);
    }
    return SN_OK;
}

sn_status sn_read_settings(sn_study *s, const sn_item *set, const sn_identify_options *given,
                           sn_experiment *e, sn_err *err)
{
    SN_TRY(sn_values_copy(s->base, &e->values, err));
    SN_TRY(read_set(s, set, e, err));
    SN_TRY(sn_read_given(e->values, given, err));
    return sn_values_update(e->values, err);
}

/* ---- samples that come one by one ---- */

/* A table with the names of the columns and two rows, of times 0 and 1, of which nothing else is known. */
static sn_status stream_table(sn_study *s, sn_csv **out, sn_err *err)
{
    const sn_stream *q = s->stream;
    size_t n = (size_t)q->n + 1;
    double *data = sn_arena_alloc(&s->arena, 2 * n, sizeof *data),
           *origin = sn_arena_alloc(&s->arena, n, sizeof *origin);
    *out = sn_arena_alloc(&s->arena, 1, sizeof **out);
    if (!data || !origin || !*out) return SN_OUT_OF_MEM(err);
    for (size_t i = 0; i < n; i++) origin[i] = NAN, data[2 * i + 1] = 1;
    **out = (sn_csv){.rows = 2, .cols = q->n, .names = q->name, .data = data, .origin = origin};
    return SN_OK;
}

/* Which number of a row is what; the experiment has one sample, where it begins, that measures nothing. */
static sn_status take_stream(sn_study *s, const table *d, sn_experiment *e, sn_err *err)
{
    sn_stream *q = s->stream;
    size_t n = (size_t)e->n_channel + 1;
    q->time = d->time, q->zero = d->t[0] + e->offset, q->factor = d->t[1] - d->t[0];
    q->index = sn_arena_alloc(&s->arena, n, sizeof *q->index);
    q->unit = sn_arena_alloc(&s->arena, n, sizeof *q->unit);
    e->t = sn_arena_alloc(&s->arena, 2, sizeof *e->t);
    e->y = sn_arena_alloc(&s->arena, n, sizeof *e->y);
    if (!q->index || !q->unit || !e->t || !e->y) return SN_OUT_OF_MEM(err);
    for (int c = 0; c < e->n_channel; c++)
        q->index[c] = d->column[c].index, q->unit[c] = d->column[c].factor, e->y[c] = NAN;
    e->n = 1, e->t[0] = e->begin, e->first = 1;
    if (e->offset_unknown >= 0)
        return sn_fail(err, SN_ERR_INPUT, d->where,
                       "on-line a sample counts when it comes: 'offset: unknown' is for data in a file");
    return SN_OK;
}

static sn_status read_experiment(sn_study *s, const sn_item *own, const sn_item *root, const char *name,
                                 const sn_identify_options *given, sn_experiment *e, sn_err *err)
{
    const char *replace = given->data;
    const sn_item *file = own->type == SN_ITEM_SCALAR ? own : sn_read_pick(own, root, "data"),
                  *time_name = sn_read_pick(own, root, "time"), *set = sn_item_get(own, "set");
    sn_csv *csv;
    const char *from = s->stream ? s->stream->file : "";
    const sn_item stream = {.text = from, .mark = {.file = from, .line = 1, .col = 1}};
    *e = (sn_experiment){.name = name, .mark = own->mark};
    if (s->stream) file = &stream;
    if (sn_read_is_modal(own)) return sn_read_modal(s, own, own != root ? set : NULL, given, e, err);
    e->own = own == root ? NULL : own;
    if (own->type == SN_ITEM_LIST)
        return sn_fail(err, SN_ERR_INPUT, &own->mark, "an experiment is {data: FILE.csv, ...} or its file");
    if (own->type == SN_ITEM_MAP && own != root)
        SN_TRY(sn_read_keys(own, sn_keys_experiment, "an experiment", err));
    if (!file || !file->text[0])
        return sn_fail(err, SN_ERR_INPUT, &own->mark, "experiment '%s' needs 'data: FILE.csv'", name);
    e->file = replace ? replace : sn_read_path(&s->arena, s->folder, file->text);
    if (s->stream) e->file = file->text;
    if (!e->file) return SN_OUT_OF_MEM(err);
    int before = sn_err_count(err);
    sn_status status = s->stream ? stream_table(s, &csv, err)
                                 : sn_table_read(e->file, &(sn_patience){s->given.progress, s->given.ctx},
                                                 &s->arena, &csv, err);
    if (status && !replace) sn_err_place(err, before, &file->mark);
    SN_TRY(status);
    SN_TRY(read_times(s, own, root, given->end, e, err));
    if (!csv->names)
        return sn_fail(err, SN_ERR_INPUT, &file->mark,
                       "'%s' needs a first line with the names of its columns", e->file);
    sn_times times = {.file = e->file};
    SN_TRY(sn_read_time(s, csv, time_name, file, &times, err));
    if (s->stream && times.from_first)
        return sn_fail(err, SN_ERR_INPUT, &time_name->mark,
                       "on-line absolute times need what they count from: 'zero: ...' beside 'absolute'");
    table d = {
        .csv = csv, .where = &file->mark, .own = own, .root = root, .time = times.column, .t = times.t};
    const sn_item *columns = sn_read_pick(own, root, "columns");
    d.column = sn_arena_alloc(&s->arena, (size_t)csv->cols + (size_t)(columns ? columns->n : 0) + 1,
                              sizeof *d.column);
    if (!d.column) return SN_OUT_OF_MEM(err);
    SN_TRY(map_columns(s, columns, &d, err));
    e->n_channel = d.n;
    e->channel = sn_arena_alloc(&s->arena, (size_t)d.n, sizeof *e->channel);
    if (!e->channel) return SN_OUT_OF_MEM(err);
    for (int c = 0; c < d.n; c++) e->channel[c] = d.column[c].channel;
    double last = d.t[csv->rows - 1] + e->offset;
    if (!(e->end < last) && !s->stream) e->end = last;
    SN_TRY(s->stream ? take_stream(s, &d, e, err) : take_rows(s, &d, e, err));
    for (int c = 0; c < d.n && !s->stream; c++)
        SN_TRY(check_column(e, c, csv->names[d.column[c].index], &file->mark, err));
    SN_TRY(sn_read_noise(s, own, root, e, err));
    e->origin = e->begin, e->span = s->stream ? 1 : e->t[e->n - 1] - e->t[0];
    SN_TRY(sn_read_settings(s, own != root ? set : NULL, given, e, err));
    return sn_read_inputs(s, own, root, e, err);
}

sn_status sn_read_experiments(sn_study *s, const sn_item *root, const sn_identify_options *given, sn_err *err)
{
    const sn_item *map = sn_item_get(root, "experiments");
    if (map && map->type != SN_ITEM_MAP)
        return sn_fail(err, SN_ERR_INPUT, &map->mark, "experiments are {name: {data: FILE.csv, ...}, ...}");
    if (!map) SN_TRY(sn_read_modal_data(s, root, &root, err));
    static const char *const modal[] = {"modes", "frf", "input", "about", "from", "to"};
    for (size_t k = 0; k < sizeof modal / sizeof *modal; k++) {
        const sn_item *i = sn_item_get(root, modal[k]);
        if (i && (map || !sn_read_is_modal(root)))
            return sn_fail(err, SN_ERR_INPUT, &i->key_mark,
                           "'%s' belongs to an experiment of modes or responses", modal[k]);
    }
    if (s->stream && (map || sn_read_is_modal(root)))
        return sn_fail(err, SN_ERR_INPUT, map ? &map->key_mark : &root->mark,
                       "on-line there is one experiment, of signals in time: 'columns', 'noise', 'time' and "
                       "the like stand in the study itself");
    int n = map ? map->n : 1, fit = 0;
    if (n < 1) return sn_fail(err, SN_ERR_INPUT, &map->mark, "there is no experiment");
    if (given->data && n > 1)
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "--data replaces the data of one experiment, but the study has %d", n);
    s->experiment = sn_arena_alloc(&s->arena, (size_t)n, sizeof *s->experiment);
    if (!s->experiment) return SN_OUT_OF_MEM(err);
    const sn_item *i = map ? map->child : root;
    for (int k = 0; k < n; k++, i = i->next) {
        const sn_item *own = i;
        s->n_experiment = k + 1;
        if (map) SN_TRY(sn_read_modal_data(s, i, &own, err));
        SN_TRY(read_experiment(s, own, root, map ? i->key : "data", given, &s->experiment[k], err));
        fit += !s->experiment[k].hold_out;
    }
    s->n_fit = fit;
    return SN_OK;
}

/* An experiment in parts, behind those that are made already. */
static sn_status divide(sn_study *s, const sn_experiment *x, sn_err *err)
{
    int parts = x->hold_out || x->sort ? 1 : s->windows, made = s->n_experiment;
    double length = (x->end - x->begin) / parts;
    for (int w = 0; w < parts; w++) {
        sn_experiment *to = &s->experiment[s->n_experiment];
        double from = x->begin + w * length;
        int first = 0, last = x->n;
        while (parts > 1 && first < x->n && x->t[first] < from - 1e-9 * length) first++;
        while (parts > 1 && last > first && x->t[last - 1] > from + length * (1 + 1e-9)) last--;
        if (parts > 1 && last - first < 2) continue;
        *to = *x;
        to->values = NULL;
        to->sigma = sn_arena_alloc(&s->arena, (size_t)x->n_channel, sizeof *to->sigma);
        to->known = sn_arena_alloc(&s->arena, (size_t)x->n_channel, sizeof *to->known);
        if (parts > 1) {
            to->name = sn_arena_printf(&s->arena, "%s/%d", x->name, w + 1);
            to->t += first, to->y += (size_t)first * (size_t)x->n_channel, to->n = last - first;
            to->first += first;
            to->begin = to->t[0], to->end = to->t[to->n - 1];
        }
        s->n_experiment++;
        s->n_fit += !to->hold_out;
        if (!to->name || !to->sigma || !to->known) return SN_OUT_OF_MEM(err);
        memcpy(to->sigma, x->sigma, (size_t)x->n_channel * sizeof *to->sigma);
        memcpy(to->known, x->known, (size_t)x->n_channel * sizeof *to->known);
        SN_TRY(sn_read_noise_copy(s, x, to, err));
        SN_TRY(sn_values_copy(x->values, &to->values, err));
    }
    if (s->n_experiment == made)
        return sn_fail(err, SN_ERR_INPUT, &x->mark, "experiment '%s' has too few samples for %d windows",
                       x->name, s->windows);
    return SN_OK;
}

sn_status sn_read_windows(sn_study *s, sn_err *err)
{
    int n = s->n_experiment;
    sn_experiment *old = s->experiment;
    sn_experiment *all = sn_arena_alloc(&s->arena, (size_t)n * (size_t)s->windows, sizeof *all);
    sn_status status = SN_OK;
    if (!all) return SN_OUT_OF_MEM(err);
    s->experiment = all, s->n_experiment = s->n_fit = 0;
    for (int k = 0; k < n; k++) {
        if (!status) status = divide(s, &old[k], err);
        sn_values_free(old[k].values);
    }
    return status;
}
