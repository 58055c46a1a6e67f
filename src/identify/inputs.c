/* Measured inputs of an experiment: signals of the model that follow columns of files.

   inputs: {road: track.csv:z, push: {data: hammer.csv, column: force, unit: N, time: t}, brake: 0}
   Without `data` the column is one of the experiment's own data. Times count like those of the data, with the
   experiment's given offset. What is missing in a column is interpolated over. */
#include "identify/read.h"
#include "io/table.h"

#include <math.h>
#include <string.h>

/* The entry of a signal: of the experiment, or of the study. */
static const sn_item *entry_of(const sn_item *own, const sn_item *root, const char *name)
{
    const sn_item *map = sn_item_get(own, "inputs"), *i = map ? sn_item_get(map, name) : NULL;
    map = sn_item_get(root, "inputs");
    return i ? i : map ? sn_item_get(map, name) : NULL;
}

/* Its column, if it is one of the experiment's own data. */
static const char *own_column(const sn_item *entry)
{
    if (!entry || entry->type != SN_ITEM_MAP || sn_item_get(entry, "data")) return NULL;
    const sn_item *column = sn_item_get(entry, "column");
    return column ? column->text : entry->key;
}

int sn_read_is_input(const sn_item *own, const sn_item *root, const char *column)
{
    const sn_item *const maps[2] = {sn_item_get(own, "inputs"), sn_item_get(root, "inputs")};
    for (int k = 0; k < 2; k++)
        for (const sn_item *i = maps[k] ? maps[k]->child : NULL; i; i = i->next) {
            const char *name = own_column(entry_of(own, root, i->key));
            if (name && !strcmp(name, column)) return 1;
        }
    return 0;
}

/* What an entry says. */
typedef struct source {
    const char *file, *column, *interpolation;
    const sn_item *time;
    const sn_mark *where; /* of the column */
    double factor;
} source;

static const char *text_of(const sn_item *map, const char *key)
{
    const sn_item *i = sn_item_get(map, key);
    return i ? i->text : NULL;
}

static sn_status read_source(sn_study *s, const sn_item *i, const sn_experiment *e, const sn_item *time,
                             source *out, sn_err *err)
{
    const char *file = i->type == SN_ITEM_SCALAR ? i->text : text_of(i, "data"), *colon;
    *out = (source){.column = i->key, .time = time, .where = &i->mark, .factor = 1};
    if (i->type == SN_ITEM_LIST)
        return sn_fail(err, SN_ERR_INPUT, &i->mark,
                       "an input is FILE.csv:column, a number, or {data: FILE.csv, "
                       "column: name, unit: N, time: t}");
    if (i->type == SN_ITEM_MAP) {
        const sn_item *unit = sn_item_get(i, "unit"), *column = sn_item_get(i, "column");
        sn_dim dim;
        SN_TRY(sn_read_keys(i, sn_keys_input, "an input", err));
        if (column) out->column = column->text, out->where = &column->mark;
        if (sn_item_get(i, "time")) out->time = sn_item_get(i, "time");
        out->interpolation = text_of(i, "interpolation");
        if (unit && sn_unit_whole(unit->text, &out->factor, &dim))
            return sn_fail(err, SN_ERR_INPUT, &unit->mark, "'%s' is no unit", unit->text);
    } else if ((colon = strrchr(file, ':')) && colon[1]) {
        out->column = colon + 1;
        file = sn_arena_strndup(&s->arena, file, (size_t)(colon - file));
        if (!file) return SN_OUT_OF_MEM(err);
    }
    if (!file && !e->file)
        return sn_fail(err, SN_ERR_INPUT, &i->mark, "input '%s' needs 'data: FILE.csv' here", i->key);
    out->file = file ? sn_read_path(&s->arena, s->folder, file) : e->file;
    return out->file ? SN_OK : SN_OUT_OF_MEM(err);
}

/* Points of the column, without those that are missing. */
static sn_status read_points(sn_study *s, const sn_item *i, const source *from, const sn_experiment *e,
                             const sn_course **out, sn_err *err)
{
    sn_csv *csv;
    int before = sn_err_count(err), n = 0;
    sn_status status =
        sn_table_read(from->file, &(sn_patience){s->given.progress, s->given.ctx}, &s->arena, &csv, err);
    if (status) sn_err_place(err, before, &i->mark);
    SN_TRY(status);
    int column = csv->names ? sn_csv_column(csv, from->column) : -1;
    sn_times times = {.file = from->file};
    if (column < 0)
        return sn_fail(err, SN_ERR_INPUT, from->where, "'%s' has no column '%s'", from->file, from->column);
    SN_TRY(sn_read_time(s, csv, from->time, i, &times, err));
    if (times.from_first && from->file != e->file)
        return sn_fail(
            err, SN_ERR_INPUT, from->where,
            "'%s' has absolute times: say what they count from, time: {zero: ...}, here and for the "
            "data",
            from->file);
    double *t = sn_arena_alloc(&s->arena, (size_t)csv->rows + 1, sizeof *t);
    double *y = sn_arena_alloc(&s->arena, (size_t)csv->rows + 1, sizeof *y);
    if (!t || !y) return SN_OUT_OF_MEM(err);
    for (int r = 0; r < csv->rows; r++) {
        double at = times.t[r], v = csv->data[column * csv->rows + r];
        if (isnan(v)) continue;
        if (!isfinite(at) || !isfinite(v))
            return sn_fail(err, SN_ERR_INPUT, from->where, "'%s': row %d of '%s' is not finite", from->file,
                           r + 1, isfinite(at) ? from->column : csv->names[times.column]);
        t[n] = at + e->offset, y[n++] = v * from->factor;
    }
    status = sn_course_new(&s->arena, n, t, y, from->interpolation, out, err);
    if (status) sn_err_prefix(err, before, "input '%s' from '%s'", i->key, from->file);
    if (status) sn_err_place(err, before, &i->mark);
    return status;
}

/* A constant is a number; *is: it is one. */
static sn_status read_constant(sn_study *s, const sn_item *i, const sn_course **out, int *is, sn_err *err)
{
    const double t[2] = {0, 1};
    double y[2];
    sn_err own;
    sn_err_clear(&own);
    sn_status status = i->type == SN_ITEM_SCALAR ? sn_read_number(&s->arena, i, &y[0], &own) : SN_ERR_INPUT;
    if (status == SN_ERR_MEMORY) return SN_OUT_OF_MEM(err);
    *is = status == SN_OK;
    if (!*is) return SN_OK;
    y[1] = y[0];
    return sn_course_new(&s->arena, 2, t, y, NULL, out, err);
}

static const char *signal_name(int i, const void *ctx)
{
    return ((const sn_model *)ctx)->signal.object[i].name;
}

static sn_status read_input(sn_study *s, const sn_item *i, const sn_item *time, sn_experiment *e, sn_err *err)
{
    const sn_model *m = s->model;
    sn_experiment_input *to = &e->input[e->n_input];
    source from = {.file = NULL};
    int constant;
    for (to->signal = 0; to->signal < m->signal.n; to->signal++)
        if (!strcmp(m->signal.object[to->signal].name, i->key)) break;
    if (to->signal == m->signal.n) {
        const char *near = sn_nearest(i->key, m->signal.n, signal_name, m);
        return sn_fail(err, SN_ERR_INPUT, &i->key_mark, "the model has no signal '%s'%s%s%s", i->key,
                       near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    }
    SN_TRY(read_constant(s, i, &to->course, &constant, err));
    if (!constant) {
        SN_TRY(read_source(s, i, e, time, &from, err));
        SN_TRY(read_points(s, i, &from, e, &to->course, err));
    }
    to->file = from.file, to->mark = i->key_mark;
    e->n_input++;
    sn_values_follow(e->values, to->signal, to->course);
    return SN_OK;
}

sn_status sn_read_inputs(sn_study *s, const sn_item *own, const sn_item *root, sn_experiment *e, sn_err *err)
{
    const sn_item *maps[2] = {sn_item_get(own, "inputs"), own == root ? NULL : sn_item_get(root, "inputs")};
    const sn_item *time = sn_item_get(own, "time");
    if (!time) time = sn_item_get(root, "time");
    size_t most = (size_t)(maps[0] ? maps[0]->n : 0) + (size_t)(maps[1] ? maps[1]->n : 0);
    e->input = sn_arena_alloc(&s->arena, most + 1, sizeof *e->input);
    if (!e->input) return SN_OUT_OF_MEM(err);
    for (int k = 0; k < 2; k++)
        for (const sn_item *i = maps[k] ? maps[k]->child : NULL; i; i = i->next)
            if (entry_of(own, root, i->key) == i) SN_TRY(read_input(s, i, time, e, err));
    return SN_OK;
}

/* ---- checks ---- */

/* Until when the model is looked at, as long as nothing is sought that moves it. */
static double last_moment(const sn_study *s, const sn_experiment *x)
{
    double late = -INFINITY;
    for (int c = 0; c < x->n_channel; c++) {
        const sn_number *delay = &x->instrument[c].delay;
        late = fmax(late, delay->unknown >= 0 ? -s->unknown[delay->unknown].start : -delay->value);
    }
    return x->t[x->n - 1] + late;
}

static sn_status check_length(const sn_study *s, const sn_experiment *x, const sn_experiment_input *i,
                              sn_err *err)
{
    const double *t = i->course->in.s;
    double begin = t[0], end = t[i->course->in.ns / 2 - 1], last = last_moment(s, x);
    double slack = 1e-9 * fmax(last - x->begin, s->run.step);
    if (!i->file || (begin <= x->begin + slack && end >= last - slack)) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, &i->mark,
                   "input '%s' of experiment '%s' lasts from %g s to %g s, but the run from %g s to %g s",
                   s->model->signal.object[i->signal].name, x->name, begin, end, x->begin, last);
}

sn_status sn_read_inputs_check(const sn_study *s, sn_err *err)
{
    for (int e = 0; e < s->n_experiment; e++)
        for (int i = 0; i < s->experiment[e].n_input; i++) {
            const sn_experiment_input *in = &s->experiment[e].input[i];
            SN_TRY(check_length(s, &s->experiment[e], in, err));
            for (int k = 0; k < s->n_experiment; k++) {
                if (s->experiment[k].sort || s->experiment[k].values->course[in->signal]) continue;
                const char *name = s->model->signal.object[in->signal].name;
                return sn_fail(
                    err, SN_ERR_INPUT, &s->experiment[k].mark,
                    "experiment '%s' has no input '%s', but '%s' has: write 'inputs: {%s: 0}' where "
                    "it is constant",
                    s->experiment[k].name, name, s->experiment[e].name, name);
            }
        }
    return SN_OK;
}
