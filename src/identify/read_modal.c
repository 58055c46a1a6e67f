/* Reading experiments of modes and frequency responses.

   modes: FILE.csv, or {frequency: [...], damping: [...], ...}; one row a mode. Columns frequency or
   natural_frequency (Hz), damping, mode (the number of the model's mode), channels with the shape at them,
   real or in parts (tip.x.re, tip.x.im; tip.x.abs, tip.x.deg), and X.std with the standard deviation of X.
   frf: FILE.csv with input: NAME; one row a frequency. Columns f (Hz) and CHANNEL.PART or CHANNEL/INPUT.PART.
 */
#include "identify/read_modal.h"

#include <math.h>
#include <string.h>

int sn_read_is_modal(const sn_item *own)
{
    return own->type == SN_ITEM_MAP && (sn_item_get(own, "modes") || sn_item_get(own, "frf"));
}

sn_status sn_read_modal_data(sn_study *s, const sn_item *own, const sn_item **out, sn_err *err)
{
    const sn_item *data = sn_item_get(own, "data");
    *out = own;
    if (!data || data->type != SN_ITEM_MAP) return SN_OK;
    if (!sn_read_is_modal(data))
        return sn_fail(err, SN_ERR_INPUT, &data->mark,
                       "'data' is a file, or {modes: FILE.csv ...} or {frf: FILE.csv, input: NAME ...}");
    SN_TRY(sn_read_keys(data, sn_keys_modal, "'data' of modes or responses", err));
    sn_item *all = sn_arena_alloc(&s->arena, (size_t)(own->n + data->n) + 1, sizeof *all), *to = all + 1;
    if (!all) return SN_OUT_OF_MEM(err);
    *all = *own;
    for (const sn_item *k = data->child; k; k = k->next) *to++ = *k;
    for (const sn_item *k = own->child; k; k = k->next) {
        if (k != data && sn_item_get(data, k->key))
            return sn_fail(err, SN_ERR_INPUT, &k->key_mark, "'%s' stands in 'data' already", k->key);
        if (k != data) *to++ = *k;
    }
    all->child = all + 1, all->n = (int)(to - all) - 1;
    for (int i = 1; i <= all->n; i++) all[i].next = i < all->n ? &all[i + 1] : NULL;
    *out = all;
    return SN_OK;
}

/* Rows of r->n_column numbers become rows of e->n_channel. */
static void tighten(const sn_modal_reading *r, double *x)
{
    for (int i = 0; i < r->rows; i++)
        memmove(x + (size_t)i * (size_t)r->e->n_channel, x + (size_t)i * (size_t)r->n_column,
                sizeof *x * (size_t)r->e->n_channel);
}

static sn_status check_modes(const sn_modal_reading *r, sn_err *err)
{
    const sn_experiment *e = r->e;
    const sn_mark *where = &r->source->mark;
    int frequency = 0, real = 0, complex_ones = 0;
    for (int c = 0; c < e->n_channel; c++) {
        int kind = e->modal->column[c].kind;
        frequency += kind <= SN_COLUMN_NATURAL;
        real += kind == SN_COLUMN_SHAPE, complex_ones += kind == SN_COLUMN_SHAPE_RE;
        for (int i = 0; i < r->rows; i++) {
            double y = e->y[i * e->n_channel + c];
            if (kind <= SN_COLUMN_NATURAL && !(y > 0 && isfinite(y)))
                return sn_fail(err, SN_ERR_INPUT, where,
                               "row %d: a frequency must be a positive number, not %g", i + 1, y);
            if (isinf(y) || (kind == SN_COLUMN_DAMPING && fabs(y) >= 1))
                return sn_fail(err, SN_ERR_INPUT, where, "row %d: '%s' cannot be %g%s", i + 1,
                               e->modal->column[c].name, y,
                               kind == SN_COLUMN_DAMPING ? ": it is a ratio, 0.01 or 1 %" : "");
        }
    }
    if (frequency != 1)
        return sn_fail(err, SN_ERR_INPUT, where,
                       "modes need one column 'frequency' (damped) or 'natural_frequency' (undamped), in Hz");
    if (real && complex_ones)
        return sn_fail(err, SN_ERR_INPUT, where, "shapes are all real or all complex in an experiment");
    if (real + complex_ones == 1)
        return sn_fail(err, SN_ERR_INPUT, where, "a shape needs two sensors at least: its scale is free");
    r->e->modal->shapes = real + complex_ones > 0;
    for (int i = 0; i < r->rows; i++)
        for (int j = 0; j < i; j++)
            if (e->modal->mode[i] && e->modal->mode[i] == e->modal->mode[j])
                return sn_fail(err, SN_ERR_INPUT, where, "rows %d and %d are the same mode, %d", j + 1, i + 1,
                               e->modal->mode[i]);
    return SN_OK;
}

/* Numbers of modes, or frequencies of responses, of the columns that are not compared. */
static sn_status take_places(sn_modal_reading *r, sn_err *err)
{
    sn_experiment *e = r->e;
    int frf = e->sort == SN_FRF, found = 0;
    for (int k = 0; k < r->n_group; k++) {
        const sn_modal_group *g = &r->group[k];
        if (g->kind >= 0) continue;
        found = 1;
        for (int i = 0; i < r->rows; i++) {
            double x = sn_modal_value(r, g, SN_PART_WHOLE, i);
            if (frf && !(x >= 0 && isfinite(x)))
                return sn_fail(err, SN_ERR_INPUT, g->where, "row %d: a frequency cannot be %g", i + 1, x);
            if (!frf && !isnan(x) && !(x >= 1 && x < 1e6 && x == floor(x)))
                return sn_fail(err, SN_ERR_INPUT, g->where, "row %d: modes are counted 1, 2, 3, not %g",
                               i + 1, x);
            if (frf)
                e->t[i] = x;
            else
                e->modal->mode[i] = isnan(x) ? 0 : (int)x;
        }
    }
    if (frf && !found)
        return sn_fail(err, SN_ERR_INPUT, &r->source->mark, "'%s' has no column 'f' of frequencies", e->file);
    return SN_OK;
}

/* Of a response the rows between `from` and `to`. */
static sn_status cut_rows(sn_modal_reading *r, sn_err *err)
{
    const sn_item *from = sn_item_get(r->own, "from"), *to = sn_item_get(r->own, "to");
    sn_experiment *e = r->e;
    double lo = 0, hi = INFINITY;
    int kept = 0;
    if (from) SN_TRY(sn_read_unit(&r->s->arena, from, "Hz", &lo, err));
    if (to) SN_TRY(sn_read_unit(&r->s->arena, to, "Hz", &hi, err));
    for (int i = 0; i < r->rows; i++) {
        if (e->t[i] < lo || e->t[i] > hi) continue;
        size_t width = sizeof *e->y * (size_t)e->n_channel;
        e->t[kept] = e->t[i];
        memmove(e->y + kept * e->n_channel, e->y + i * e->n_channel, width);
        memmove(r->sigma + kept * e->n_channel, r->sigma + i * e->n_channel, width);
        kept++;
    }
    r->rows = kept;
    return kept ? SN_OK
                : sn_fail(err, SN_ERR_INPUT, &r->source->mark, "'%s' has no frequencies between %g and %g Hz",
                          e->file, lo, hi);
}

/* ---- the whole ---- */

/* Can the model be linearised there, and has it so many modes? Where nothing is said about where, at the
   equilibrium if there is one. */
static sn_status try_model(sn_modal_reading *r, sn_err *err)
{
    sn_experiment *e = r->e;
    const sn_item *about = sn_item_get(r->own, "about");
    sn_vibration_request q = {.run = r->s->run, .at_static = 1};
    sn_vibration *v = NULL;
    sn_arena arena = {0};
    sn_oscillations all = {.n = 0};
    int before = sn_err_count(err);
    q.run.frame = NULL, q.run.progress = NULL, q.run.message = NULL, q.run.ctx = NULL, q.run.n_point = 0;
    q.run.n_wrt = 0;
    if (about && strcmp(about->text, "start") != 0 && strcmp(about->text, "static") != 0 &&
        strcmp(about->text, "steady") != 0)
        return sn_fail(err, SN_ERR_INPUT, &about->mark, "about is 'start', 'static' or 'steady', not '%s'",
                       about->text);
    if (about) q.at_static = !strcmp(about->text, "static"), q.at_steady = !strcmp(about->text, "steady");
    sn_status status = sn_vibration_new(r->s->model, e->values, &q, &v, err);
    if (status == SN_ERR_NUMERIC && !about) {
        sn_err_forget(err, before);
        q.at_static = 0;
        status = sn_vibration_new(r->s->model, e->values, &q, &v, err);
    }
    e->modal->at_static = q.at_static, e->modal->at_steady = q.at_steady;
    if (!status && e->sort == SN_MODES) status = sn_vibration_modes(v, &arena, 0, &all, err);
    sn_vibration_free(v);
    sn_arena_free(&arena);
    int most = r->rows;
    for (int i = 0; i < r->rows; i++) most = e->modal->mode[i] > most ? e->modal->mode[i] : most;
    if (!status && e->sort == SN_MODES && all.freedom < most)
        status = sn_fail(err, SN_ERR_INPUT, &r->source->mark,
                         "experiment '%s' has %d modes, but the model has only %d degrees of freedom",
                         e->name, most, all.freedom);
    else if (status && status != SN_ERR_MEMORY) {
        sn_err_place(err, before, about ? &about->mark : &r->own->mark);
        status = SN_ERR_INPUT;
    }
    return status;
}

static sn_status read_flags(sn_modal_reading *r, sn_err *err)
{
    const sn_item *hold = sn_item_get(r->own, "hold_out"), *weight = sn_item_get(r->own, "weight");
    sn_experiment *e = r->e;
    int yes = hold && (!strcmp(hold->text, "yes") || !strcmp(hold->text, "true"));
    if (hold && !yes && strcmp(hold->text, "no") != 0 && strcmp(hold->text, "false") != 0)
        return sn_fail(err, SN_ERR_INPUT, &hold->mark, "hold_out is 'yes' or 'no', not '%s'", hold->text);
    e->hold_out = yes, e->weight = 1, e->offset_unknown = -1;
    if (weight) SN_TRY(sn_read_unit(&r->s->arena, weight, "1", &e->weight, err));
    if (!(e->weight > 0)) return sn_fail(err, SN_ERR_INPUT, &weight->mark, "a weight must be positive");
    return SN_OK;
}

static sn_status make_room(sn_modal_reading *r, sn_err *err)
{
    sn_experiment *e = r->e;
    sn_modal *m = e->modal = sn_modal_take(r, 1, sizeof *e->modal);
    size_t rows = (size_t)r->rows, columns = (size_t)r->n_column * 2;
    if (!m) return SN_OUT_OF_MEM(err);
    m->column = sn_modal_take(r, columns, sizeof *m->column);
    m->sensor = sn_modal_take(r, columns, sizeof *m->sensor);
    m->input = sn_modal_take(r, columns, sizeof *m->input);
    m->input_name = sn_modal_take(r, columns, sizeof *m->input_name);
    m->mode = sn_modal_take(r, rows, sizeof *m->mode);
    e->t = sn_modal_take(r, rows, sizeof *e->t);
    e->y = sn_modal_take(r, rows * columns, sizeof *e->y);
    r->sigma = sn_modal_take(r, rows * columns, sizeof *r->sigma);
    e->channel = sn_modal_take(r, columns, sizeof *e->channel);
    if (!m->column || !m->sensor || !m->input || !m->input_name || !m->mode || !e->t || !e->y || !r->sigma ||
        !e->channel)
        return SN_OUT_OF_MEM(err);
    /* no channel of the model, and no other's: residuals of different columns are not taken together */
    for (size_t c = 0; c < columns; c++)
        e->channel[c] = -1 - (int)((size_t)(e - r->s->experiment) * 4096 + c);
    for (size_t i = 0; i < rows; i++) e->t[i] = (double)i + 1;
    return SN_OK;
}

sn_status sn_read_modal(sn_study *s, const sn_item *own, const sn_item *set, const sn_identify_options *given,
                        sn_experiment *e, sn_err *err)
{
    const sn_item *modes = sn_item_get(own, "modes"), *frf = sn_item_get(own, "frf"),
                  *input = sn_item_get(own, "input");
    sn_modal_reading r = {
        .s = s, .e = e, .own = own, .source = modes ? modes : frf, .input = input ? input->text : NULL};
    if (!sn_item_get(own, "study"))
        SN_TRY(sn_read_keys(own, sn_keys_modal, "an experiment of modes or responses", err));
    if (s->method != SN_INDIRECT)
        return sn_fail(err, SN_ERR_INPUT, &r.source->mark,
                       "modes and responses are data of the indirect method: the direct ones need signals");
    if (modes && frf)
        return sn_fail(err, SN_ERR_INPUT, &frf->mark, "an experiment has 'modes' or 'frf': make two of them");
    e->sort = modes ? SN_MODES : SN_FRF;
    SN_TRY(read_flags(&r, err));
    SN_TRY(r.source->type == SN_ITEM_MAP ? sn_modal_from_lists(&r, err)
                                         : sn_modal_from_file(&r, given->data, err));
    if (!r.rows || !r.n_column)
        return sn_fail(err, SN_ERR_INPUT, &r.source->mark, "experiment '%s' has no rows", e->name);
    SN_TRY(make_room(&r, err));
    SN_TRY(sn_modal_sort_columns(&r, err));
    for (int k = 0; k < r.n_group; k++) SN_TRY(sn_modal_add_group(&r, &r.group[k], err));
    if (!e->n_channel)
        return sn_fail(err, SN_ERR_INPUT, &r.source->mark, "experiment '%s' measures nothing", e->name);
    tighten(&r, e->y), tighten(&r, r.sigma);
    SN_TRY(take_places(&r, err));
    SN_TRY(e->sort == SN_MODES ? check_modes(&r, err) : cut_rows(&r, err));
    e->n = r.rows;
    SN_TRY(sn_modal_read_noise(&r, err));
    SN_TRY(sn_read_settings(s, set, given, e, err));
    return try_model(&r, err);
}
