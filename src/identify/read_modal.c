/* Reading experiments of modes and frequency responses.

   modes: FILE.csv, or {frequency: [...], damping: [...], ...}; one row a mode. Columns frequency or
   natural_frequency (Hz), damping, mode (the number of the model's mode), channels with the shape at them,
   real or in parts (tip.x.re, tip.x.im; tip.x.abs, tip.x.deg), and X.std with the standard deviation of X.
   frf: FILE.csv with input: NAME; one row a frequency. Columns f (Hz) and CHANNEL.PART or CHANNEL/INPUT.PART.
 */
#include "identify/modal.h"
#include "identify/read.h"
#include "io/csv.h"

#include <math.h>
#include <string.h>

static const sn_key_kind keys[] = {
    {"modes", 'e'},  {"frf", 's'},  {"input", 's'}, {"about", 's'}, {"columns", 'm'},
    {"noise", 'e'},  {"set", 'm'},  {"from", 's'},  {"to", 's'},    {"hold_out", 's'},
    {"weight", 's'}, {"note", 's'}, {NULL, 0},
};

enum { WHOLE, RE, IM, ABS, DB, DEG, RAD, STD, PARTS };
static const struct part_word {
    const char *word;
    int part;
} words[] = {{"re", RE},         {"real", RE},       {"im", IM},  {"imag", IM}, {"abs", ABS},
             {"amplitude", ABS}, {"magnitude", ABS}, {"db", DB},  {"dB", DB},   {"deg", DEG},
             {"rad", RAD},       {"phase", RAD},     {"std", STD}};

/* A column as it was given. */
typedef struct given_column {
    const char *name;
    const double *data; /* n, in SI */
    double factor;
    const sn_mark *where;
} given_column;

/* What the columns of one name, without their parts, make up. */
typedef struct group {
    const char *name;
    int kind, sensor, input; /* kind: that of its first column, or -1: frequency of a response, mode number */
    int at[PARTS];           /* columns of its parts, from 1 */
    const sn_mark *where;
} group;

typedef struct reading {
    sn_study *s;
    sn_experiment *e;
    const sn_item *own, *source;
    given_column *column;
    group *group;
    int n_column, n_group, rows;
    double *sigma; /* rows x columns of the experiment; NAN: not stated */
    const char *input;
} reading;

int sn_read_is_modal(const sn_item *own)
{
    return own->type == SN_ITEM_MAP && (sn_item_get(own, "modes") || sn_item_get(own, "frf"));
}

static void *take(reading *r, size_t n, size_t size) { return sn_arena_alloc(&r->s->arena, n + 1, size); }

/* ---- columns as they are given ---- */

/* Factor to Hz: what is in radians or turns per time is told by its unit's name. */
static sn_status unit_of(const char *name, const char *unit, const sn_mark *where, double *factor,
                         sn_err *err)
{
    sn_dim dim;
    if (sn_unit_whole(unit, factor, &dim)) return sn_fail(err, SN_ERR_INPUT, where, "'%s' is no unit", unit);
    if ((strstr(name, "frequency") || !strcmp(name, "f")) && (strstr(unit, "rad") || strstr(unit, "rpm")))
        *factor /= 8 * atan(1);
    return SN_OK;
}

static sn_status from_file(reading *r, const char *replace, sn_err *err)
{
    const sn_item *map = sn_item_get(r->own, "columns");
    sn_csv *csv;
    r->e->file = replace ? replace : sn_read_path(&r->s->arena, r->s->folder, r->source->text);
    if (!r->e->file) return SN_OUT_OF_MEM(err);
    int before = sn_err_count(err);
    sn_status status = sn_csv_read(r->e->file, &r->s->arena, &csv, err);
    if (status && !replace) sn_err_place(err, before, &r->source->mark);
    SN_TRY(status);
    if (!csv->names)
        return sn_fail(err, SN_ERR_INPUT, &r->source->mark,
                       "'%s' needs a first line with the names of its columns", r->e->file);
    r->rows = csv->rows;
    r->column = take(r, (size_t)csv->cols + (size_t)(map ? map->n : 0), sizeof *r->column);
    if (!r->column) return SN_OUT_OF_MEM(err);
    for (int c = 0; !map && c < csv->cols; c++)
        r->column[r->n_column++] =
            (given_column){csv->names[c], csv->data + (size_t)c * (size_t)csv->rows, 1, &r->source->mark};
    for (const sn_item *i = map ? map->child : NULL; i; i = i->next) {
        static const sn_key_kind column_keys[] = {{"column", 's'}, {"unit", 's'}, {NULL, 0}};
        if (i->type == SN_ITEM_LIST)
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "a column is its name, or {column: name, unit: mm}");
        if (i->type == SN_ITEM_MAP) SN_TRY(sn_read_keys(i, column_keys, "a column", err));
        const sn_item *name = i->type == SN_ITEM_MAP ? sn_item_get(i, "column") : i,
                      *unit = i->type == SN_ITEM_MAP ? sn_item_get(i, "unit") : NULL;
        int at = name ? sn_csv_column(csv, name->text) : -1;
        if (at < 0)
            return sn_fail(err, SN_ERR_INPUT, name ? &name->mark : &i->mark, "the data have no column '%s'",
                           name ? name->text : "");
        given_column *c = &r->column[r->n_column++];
        *c = (given_column){i->key, csv->data + (size_t)at * (size_t)csv->rows, 1, &i->key_mark};
        if (unit) SN_TRY(unit_of(i->key, unit->text, &unit->mark, &c->factor, err));
    }
    return SN_OK;
}

/* modes: {frequency: [12 Hz, 40 Hz], damping: [1 %, 2 %], tip.x: [1, -0.4]} */
static sn_status from_lists(reading *r, sn_err *err)
{
    r->e->file = r->s->file;
    r->column = take(r, (size_t)r->source->n, sizeof *r->column);
    if (!r->column) return SN_OUT_OF_MEM(err);
    for (const sn_item *i = r->source->child; i; i = i->next) {
        int row = 0;
        if (!strcmp(i->key, "noise")) continue;
        if (i->type != SN_ITEM_LIST)
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' needs a list, one number for each mode",
                           i->key);
        if (r->rows && i->n != r->rows)
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' has %d numbers where others have %d", i->key,
                           i->n, r->rows);
        r->rows = i->n;
        double *x = take(r, (size_t)i->n, sizeof *x);
        if (!x) return SN_OUT_OF_MEM(err);
        int hertz = !strncmp(i->key, "frequency", 9) || !strncmp(i->key, "natural_frequency", 17);
        for (const sn_item *k = i->child; k; k = k->next, row++) {
            x[row] = NAN;
            if (k->type == SN_ITEM_SCALAR && (!k->text[0] || !strcmp(k->text, "nan"))) continue;
            if (hertz && k->type == SN_ITEM_SCALAR && (strstr(k->text, "rad") || strstr(k->text, "rpm")))
                return sn_fail(err, SN_ERR_INPUT, &k->mark, "frequencies are in Hz, cycles a second");
            if (hertz)
                SN_TRY(sn_read_unit(&r->s->arena, k, "Hz", &x[row], err));
            else
                SN_TRY(sn_read_number(&r->s->arena, k, &x[row], err));
        }
        r->column[r->n_column++] = (given_column){i->key, x, 1, &i->key_mark};
    }
    return SN_OK;
}

/* ---- what they mean ---- */

/* The part that a name ends with, which is cut off: *length. */
static int part_of(const char *name, size_t *length)
{
    const char *dot = strrchr(name, '.');
    *length = strlen(name);
    for (size_t k = 0; dot && k < sizeof words / sizeof *words; k++)
        if (!strcmp(dot + 1, words[k].word)) {
            *length = (size_t)(dot - name);
            return words[k].part;
        }
    return WHOLE;
}

static int sensor_of(sn_modal *m, int channel)
{
    for (int k = 0; k < m->n_sensor; k++)
        if (m->sensor[k] == channel) return k;
    m->sensor[m->n_sensor] = channel;
    return m->n_sensor++;
}

/* A sensor's channel; a number of the model; the value of a signal that is given from outside. */
static sn_status input_of(reading *r, const char *name, const sn_mark *where, int *out, sn_err *err)
{
    sn_modal *m = r->e->modal;
    const sn_model *model = r->s->model;
    sn_vibration_input in = {-1, -1};
    char value[256];
    for (int k = 0; k < m->n_input; k++)
        if (!strcmp(m->input_name[k], name)) return *out = k, SN_OK;
    snprintf(value, sizeof value, "%s.value", name);
    const char *const names[2] = {name, value};
    if (sn_channel_find(model, name, &in.channel, NULL)) {
        in.channel = -1;
        int which = sn_quantity_find(model, name) < 0 && sn_quantity_find(model, value) >= 0,
            before = sn_err_count(err);
        sn_status status = sn_gradient_names(model, r->s->base, 1, &names[which], &in.quantity, err);
        if (status == SN_ERR_MEMORY) return status;
        if (status) {
            sn_err_forget(err, before);
            return sn_fail(
                err, SN_ERR_INPUT, where,
                "there is no input '%s': it is a number of a force, as push.force.x, a channel of a "
                "sensor, where a force acts along it, or a signal of kind input",
                name);
        }
    }
    m->input_name[m->n_input] = name, m->input[m->n_input] = in;
    return *out = m->n_input++, SN_OK;
}

static sn_status meaning(reading *r, group *g, sn_err *err)
{
    static const char *const of_modes[] = {"frequency", "natural_frequency", "damping"};
    int frf = r->e->sort == SN_FRF, channel, before = sn_err_count(err);
    sn_modal *m = r->e->modal;
    const char *slash = frf ? strchr(g->name, '/') : NULL;
    g->kind = -1, g->sensor = g->input = -1;
    for (int k = 0; k < 3 && !frf; k++)
        if (!strcmp(g->name, of_modes[k])) return g->kind = SN_COLUMN_FREQUENCY + k, SN_OK;
    if (!frf && !strcmp(g->name, "mode")) return SN_OK;
    if (frf && (!strcmp(g->name, "f") || !strcmp(g->name, "frequency"))) return SN_OK;
    const char *name = slash ? sn_arena_strndup(&r->s->arena, g->name, (size_t)(slash - g->name)) : g->name;
    if (!name) return SN_OUT_OF_MEM(err);
    sn_status status = sn_channel_find(r->s->model, name, &channel, err);
    sn_err_place(err, before, g->where);
    SN_TRY(status);
    g->kind = frf ? SN_COLUMN_RE : SN_COLUMN_SHAPE, g->sensor = sensor_of(m, channel);
    const char *input = slash ? slash + 1 : r->input;
    if (frf && !input)
        return sn_fail(err, SN_ERR_INPUT, &r->own->mark,
                       "experiment '%s' needs 'input: NAME', the force that the response is to", r->e->name);
    return frf ? input_of(r, input, g->where, &g->input, err) : SN_OK;
}

/* Columns that differ in their part only make a group. A channel may itself be called like a part. */
static sn_status sort_columns(reading *r, sn_err *err)
{
    r->group = take(r, (size_t)r->n_column, sizeof *r->group);
    if (!r->group) return SN_OUT_OF_MEM(err);
    for (int c = 0; c < r->n_column; c++) {
        const char *name = r->column[c].name;
        size_t length;
        int part = part_of(name, &length), channel;
        if (part != STD && !strchr(name, '/') && !sn_channel_find(r->s->model, name, &channel, NULL))
            part = WHOLE, length = strlen(name);
        group *g = NULL;
        for (int k = 0; k < r->n_group && !g; k++)
            if (strlen(r->group[k].name) == length && !strncmp(r->group[k].name, name, length))
                g = &r->group[k];
        if (!g) {
            g = &r->group[r->n_group++];
            *g = (group){.name = sn_arena_strndup(&r->s->arena, name, length), .where = r->column[c].where};
            if (!g->name) return SN_OUT_OF_MEM(err);
            SN_TRY(meaning(r, g, err));
        }
        if (g->at[part]) return sn_fail(err, SN_ERR_INPUT, r->column[c].where, "two columns are '%s'", name);
        g->at[part] = c + 1;
    }
    return SN_OK;
}

static double value(const reading *r, const group *g, int part, int row)
{
    const given_column *c = &r->column[g->at[part] - 1];
    return g->at[part] ? c->data[row] * c->factor : NAN;
}

/* A complex number of a group; im NAN: it has one part only. */
static double complex number(const reading *r, const group *g, int row)
{
    if (g->at[ABS] || g->at[DB]) {
        double size = g->at[ABS] ? value(r, g, ABS, row) : pow(10, value(r, g, DB, row) / 20);
        double angle = g->at[DEG] ? value(r, g, DEG, row) * atan(1) / 45 : value(r, g, RAD, row);
        return size * cexp(_Complex_I * angle);
    }
    return value(r, g, RE, row) + _Complex_I * value(r, g, IM, row);
}

/* How many columns of residuals a group makes, and of which kind the first is. */
static sn_status width_of(const reading *r, const group *g, int *kind, int *n, sn_err *err)
{
    int polar = g->at[ABS] || g->at[DB], phase = g->at[DEG] || g->at[RAD];
    int parts = g->at[RE] || g->at[IM], frf = r->e->sort == SN_FRF;
    *kind = g->kind, *n = g->kind >= 0;
    if (g->kind < SN_COLUMN_SHAPE) {
        if (parts || polar || phase || !g->at[WHOLE])
            return sn_fail(err, SN_ERR_INPUT, g->where, "'%s' is one plain column", g->name);
        return SN_OK;
    }
    if ((parts && polar) || (g->at[ABS] && g->at[DB]) || (g->at[DEG] && g->at[RAD]) || (phase && !polar) ||
        (g->at[WHOLE] && (parts || polar)))
        return sn_fail(err, SN_ERR_INPUT, g->where,
                       "the parts of '%s' say the same twice, or a phase has no amplitude", g->name);
    if (frf && !parts && !polar)
        return sn_fail(
            err, SN_ERR_INPUT, g->where,
            "which part of the response is '%s'? Name the columns %s.re and %s.im, or .abs (.db) and "
            ".deg (.rad)",
            g->name, g->name, g->name);
    if (!frf && ((polar && !phase) || (g->at[IM] && !g->at[RE])))
        return sn_fail(err, SN_ERR_INPUT, g->where, "the shape '%s' needs both of its parts", g->name);
    int both = (g->at[RE] && g->at[IM]) || (polar && phase);
    *n = both ? 2 : 1;
    if (frf) *kind = both || g->at[RE] ? SN_COLUMN_RE : g->at[IM] ? SN_COLUMN_IM : SN_COLUMN_ABS;
    if (!frf) *kind = both ? SN_COLUMN_SHAPE_RE : SN_COLUMN_SHAPE;
    return SN_OK;
}

/* ---- into the experiment ---- */

static const char *const part_names[] = {"", "", "", "", ".re", ".im", ".re", ".im", ".abs"};

static sn_status name_column(reading *r, const group *g, int kind, sn_modal_column *c, sn_err *err)
{
    sn_arena *a = &r->s->arena;
    const sn_modal *m = r->e->modal;
    *c =
        (sn_modal_column){.kind = kind, .sensor = g->sensor, .input = g->input, .name = g->name, .unit = "1"};
    if (kind <= SN_COLUMN_NATURAL) c->unit = "Hz";
    if (kind <= SN_COLUMN_DAMPING) return SN_OK;
    sn_channel h = sn_channel_get(r->s->model, m->sensor[g->sensor]);
    int frf = g->input >= 0;
    c->name = sn_arena_printf(a, "%s.%s%s%s%s", h.sensor, h.component, frf ? "/" : "",
                              frf ? m->input_name[g->input] : "", part_names[kind]);
    if (frf) {
        const sn_vibration_input *in = &m->input[g->input];
        const sn_slot *slot = in->quantity >= 0 ? r->s->model->quantity[in->quantity].slot : NULL;
        const sn_dimension *dim = in->quantity >= 0 ? &r->s->model->quantity[in->quantity].dim : NULL;
        char si[64] = "1"; /* of a named number without a slot, "kg*m/s^2" */
        if (dim && dim->known == 1) sn_dim_text(dim->dim, si, sizeof si);
        if (strchr(si, ' ')) snprintf(si, sizeof si, "1"); /* a pure number */
        const char *unit = in->channel >= 0 ? sn_channel_get(r->s->model, in->channel).unit : NULL;
        unit = unit                                  ? (!strncmp(unit, "rad", 3) ? "N*m" : "N")
               : slot && slot->unit && slot->unit[0] ? slot->unit
                                                     : si;
        const char *of = h.unit && h.unit[0] ? h.unit : "1";
        int long_of = strpbrk(of, "*/") != NULL, long_unit = strpbrk(unit, "*/") != NULL;
        c->unit = sn_arena_printf(a, "%s%s%s/%s%s%s", long_of ? "(" : "", of, long_of ? ")" : "",
                                  long_unit ? "(" : "", unit, long_unit ? ")" : "");
    }
    return c->name && c->unit ? SN_OK : SN_OUT_OF_MEM(err);
}

static sn_status add_group(reading *r, const group *g, sn_err *err)
{
    sn_experiment *e = r->e;
    int kind, n, total = r->n_column;
    SN_TRY(width_of(r, g, &kind, &n, err));
    for (int k = 0; k < n; k++) {
        int c = e->n_channel + k;
        SN_TRY(name_column(r, g, kind + k, &e->modal->column[c], err));
        for (int row = 0; row < r->rows; row++) {
            double complex z = g->at[WHOLE] || kind < SN_COLUMN_SHAPE ? value(r, g, WHOLE, row) : 0;
            int single = kind == SN_COLUMN_ABS || kind == SN_COLUMN_SHAPE;
            if (kind == SN_COLUMN_ABS)
                z = g->at[ABS] ? value(r, g, ABS, row) : pow(10, value(r, g, DB, row) / 20);
            else if (kind == SN_COLUMN_SHAPE && g->at[RE])
                z = value(r, g, RE, row);
            else if (n == 1 && (kind == SN_COLUMN_RE || kind == SN_COLUMN_IM))
                z = value(r, g, kind == SN_COLUMN_RE ? RE : IM, row), single = 1;
            else if (n == 2)
                z = number(r, g, row);
            e->y[row * total + c] = n == 2 && k && !single ? cimag(z) : creal(z);
            r->sigma[row * total + c] = g->at[STD] ? value(r, g, STD, row) : NAN;
            if (g->at[STD] && !(r->sigma[row * total + c] > 0))
                return sn_fail(err, SN_ERR_INPUT, g->where,
                               "row %d: the standard deviation of '%s' must be positive", row + 1, g->name);
        }
    }
    e->n_channel += n;
    return SN_OK;
}

/* Rows of r->n_column numbers become rows of e->n_channel. */
static void tighten(const reading *r, double *x)
{
    for (int i = 0; i < r->rows; i++)
        memmove(x + (size_t)i * (size_t)r->e->n_channel, x + (size_t)i * (size_t)r->n_column,
                sizeof *x * (size_t)r->e->n_channel);
}

static sn_status check_modes(const reading *r, sn_err *err)
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
static sn_status take_places(reading *r, sn_err *err)
{
    sn_experiment *e = r->e;
    int frf = e->sort == SN_FRF, found = 0;
    for (int k = 0; k < r->n_group; k++) {
        const group *g = &r->group[k];
        if (g->kind >= 0) continue;
        found = 1;
        for (int i = 0; i < r->rows; i++) {
            double x = value(r, g, WHOLE, i);
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
static sn_status cut_rows(reading *r, sn_err *err)
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

/* ---- noise ---- */

/* What a percentage of noise is of: of a shape its largest number, of a response its amplitude. */
static double size_of(const sn_experiment *e, int row, int c)
{
    const sn_modal_column *q = e->modal->column;
    double top = 0, sum = 0;
    for (int k = 0; k < e->n_channel; k++) {
        double y = e->y[row * e->n_channel + k];
        if (isnan(y)) continue;
        if (sn_is_shape(q[k].kind)) top = fmax(top, fabs(y));
        if (q[k].kind >= SN_COLUMN_RE && q[k].sensor == q[c].sensor && q[k].input == q[c].input) sum += y * y;
    }
    return sn_is_shape(q[c].kind)      ? top
           : q[c].kind >= SN_COLUMN_RE ? sqrt(sum)
                                       : fabs(e->y[row * e->n_channel + c]);
}

static void set_noise(const reading *r, int c, double x, int relative)
{
    const sn_experiment *e = r->e;
    double most = 0;
    for (int i = 0; i < r->rows; i++) most = fmax(most, size_of(e, i, c));
    for (int i = 0; i < r->rows; i++)
        r->sigma[i * e->n_channel + c] = relative ? x * fmax(size_of(e, i, c), 1e-6 * most) : x;
    e->known[c] = 1;
}

/* Does a name of the noise's map mean column c? */
static int means(const reading *r, const char *name, int c)
{
    const sn_modal_column *q = &r->e->modal->column[c];
    char text[300];
    if (!strcmp(name, q->name) || (sn_is_shape(q->kind) && !strcmp(name, "shape"))) return 1;
    if (q->sensor < 0) return 0;
    sn_channel h = sn_channel_get(r->s->model, r->e->modal->sensor[q->sensor]);
    snprintf(text, sizeof text, "%s.%s", h.sensor, h.component);
    if (!strcmp(name, text)) return 1;
    if (q->input >= 0)
        snprintf(text, sizeof text, "%s.%s/%s", h.sensor, h.component, r->e->modal->input_name[q->input]);
    return !strcmp(name, text);
}

static sn_status one_noise(const reading *r, const sn_item *i, const char *name, sn_err *err)
{
    double x = 0;
    int used = 0, relative = strchr(i->text ? i->text : "", '%') != NULL, estimated = 0;
    if (i->type == SN_ITEM_SCALAR && !strcmp(i->text, "estimated")) {
        if (r->e->sort == SN_MODES)
            return sn_fail(err, SN_ERR_INPUT, &i->mark,
                           "modes are too few to estimate their noise: state it, as frequency: 0.2 %%");
        estimated = 1;
    } else
        SN_TRY(sn_read_number(&r->s->arena, i, &x, err));
    if (!estimated && !(x > 0 && isfinite(x)))
        return sn_fail(err, SN_ERR_INPUT, &i->mark, "the noise must be positive");
    for (int c = 0; c < r->e->n_channel; c++) {
        int kind = r->e->modal->column[c].kind;
        int all = !name && (r->e->sort == SN_FRF || kind <= SN_COLUMN_NATURAL);
        if (!all && !(name && means(r, name, c))) continue;
        if (!estimated) set_noise(r, c, x, relative);
        used = 1;
    }
    return used ? SN_OK
                : sn_fail(err, SN_ERR_INPUT, &i->key_mark, "'%s' is not measured in experiment '%s'",
                          name ? name : "", r->e->name);
}

/* What can be seen of it: what a line through the neighbours leaves of each number, as of time series. */
static double seen(const reading *r, int c)
{
    const sn_experiment *e = r->e;
    double sum = 0, n = 0, size = 0, all = 0;
    for (int i = 0; i < r->rows; i++) {
        double y = e->y[i * e->n_channel + c];
        if (!isnan(y)) size += y * y, all++;
        if (i < 1 || i + 1 >= r->rows) continue;
        double d = y - 0.5 * (e->y[(i - 1) * e->n_channel + c] + e->y[(i + 1) * e->n_channel + c]);
        if (!isnan(d)) sum += d * d / 1.5, n++;
    }
    return fmax(n > 0 ? sqrt(sum / n) : 0, 1e-3 * (size > 0 ? sqrt(size / all) : 1));
}

static sn_status read_noise(reading *r, sn_err *err)
{
    static const double assumed[] = {0.005, 0.005, 0.1, 0.03, 0.03, 0.03};
    sn_experiment *e = r->e;
    const sn_item *noise = sn_item_get(r->own, "noise");
    if (!noise && r->source->type == SN_ITEM_MAP) noise = sn_item_get(r->source, "noise");
    e->sigma = take(r, (size_t)e->n_channel, sizeof *e->sigma);
    e->known = take(r, (size_t)e->n_channel, 1);
    e->relative = take(r, (size_t)r->rows * (size_t)e->n_channel, sizeof *e->relative);
    e->modal->assumed = take(r, (size_t)e->n_channel, 1);
    if (!e->sigma || !e->known || !e->relative || !e->modal->assumed) return SN_OUT_OF_MEM(err);
    for (int c = 0; c < e->n_channel; c++) e->known[c] = (unsigned char)(isnan(r->sigma[c]) ? 0 : 1);
    if (noise && noise->type == SN_ITEM_SCALAR) SN_TRY(one_noise(r, noise, NULL, err));
    for (const sn_item *i = noise && noise->type == SN_ITEM_MAP ? noise->child : NULL; i; i = i->next)
        SN_TRY(one_noise(r, i, i->key, err));
    for (int c = 0; c < e->n_channel; c++) {
        int kind = e->modal->column[c].kind;
        double sum = 0;
        if (!e->known[c] && e->sort == SN_MODES)
            set_noise(r, c, assumed[kind], 1), e->modal->assumed[c] = 1;
        else if (!e->known[c])
            set_noise(r, c, seen(r, c), 0), e->known[c] = 0;
        for (int i = 0; i < r->rows; i++) sum += pow(r->sigma[i * e->n_channel + c], 2);
        e->sigma[c] = sqrt(sum / r->rows);
        for (int i = 0; i < r->rows; i++)
            e->relative[i * e->n_channel + c] = r->sigma[i * e->n_channel + c] / e->sigma[c];
    }
    return SN_OK;
}

/* ---- the whole ---- */

/* Can the model be linearised there, and has it so many modes? Where nothing is said about where, at the
   equilibrium if there is one. */
static sn_status try_model(reading *r, sn_err *err)
{
    sn_experiment *e = r->e;
    const sn_item *about = sn_item_get(r->own, "about");
    sn_vibration_request q = {.run = r->s->run, .at_static = 1};
    sn_vibration *v = NULL;
    sn_arena arena = {NULL};
    sn_oscillations all = {.n = 0};
    int before = sn_err_count(err);
    q.run.frame = NULL, q.run.progress = NULL, q.run.message = NULL, q.run.ctx = NULL, q.run.n_point = 0;
    q.run.n_wrt = 0;
    if (about && strcmp(about->text, "start") != 0 && strcmp(about->text, "static") != 0)
        return sn_fail(err, SN_ERR_INPUT, &about->mark, "about is 'start' or 'static', not '%s'",
                       about->text);
    if (about) q.at_static = !strcmp(about->text, "static");
    sn_status status = sn_vibration_new(r->s->model, e->values, &q, &v, err);
    if (status == SN_ERR_NUMERIC && !about) {
        sn_err_forget(err, before);
        q.at_static = 0;
        status = sn_vibration_new(r->s->model, e->values, &q, &v, err);
    }
    e->modal->at_static = q.at_static;
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

static sn_status read_flags(reading *r, sn_err *err)
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

static sn_status make_room(reading *r, sn_err *err)
{
    sn_experiment *e = r->e;
    sn_modal *m = e->modal = take(r, 1, sizeof *e->modal);
    size_t rows = (size_t)r->rows, columns = (size_t)r->n_column * 2;
    if (!m) return SN_OUT_OF_MEM(err);
    m->column = take(r, columns, sizeof *m->column);
    m->sensor = take(r, columns, sizeof *m->sensor);
    m->input = take(r, columns, sizeof *m->input);
    m->input_name = take(r, columns, sizeof *m->input_name);
    m->mode = take(r, rows, sizeof *m->mode);
    e->t = take(r, rows, sizeof *e->t);
    e->y = take(r, rows * columns, sizeof *e->y);
    r->sigma = take(r, rows * columns, sizeof *r->sigma);
    e->channel = take(r, columns, sizeof *e->channel);
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
    reading r = {
        .s = s, .e = e, .own = own, .source = modes ? modes : frf, .input = input ? input->text : NULL};
    if (!sn_item_get(own, "study"))
        SN_TRY(sn_read_keys(own, keys, "an experiment of modes or responses", err));
    if (s->method != SN_INDIRECT)
        return sn_fail(err, SN_ERR_INPUT, &r.source->mark,
                       "modes and responses are data of the indirect method: the direct ones need signals");
    if (modes && frf)
        return sn_fail(err, SN_ERR_INPUT, &frf->mark, "an experiment has 'modes' or 'frf': make two of them");
    e->sort = modes ? SN_MODES : SN_FRF;
    SN_TRY(read_flags(&r, err));
    SN_TRY(r.source->type == SN_ITEM_MAP ? from_lists(&r, err) : from_file(&r, given->data, err));
    if (!r.rows || !r.n_column)
        return sn_fail(err, SN_ERR_INPUT, &r.source->mark, "experiment '%s' has no rows", e->name);
    SN_TRY(make_room(&r, err));
    SN_TRY(sort_columns(&r, err));
    for (int k = 0; k < r.n_group; k++) SN_TRY(add_group(&r, &r.group[k], err));
    if (!e->n_channel)
        return sn_fail(err, SN_ERR_INPUT, &r.source->mark, "experiment '%s' measures nothing", e->name);
    tighten(&r, e->y), tighten(&r, r.sigma);
    SN_TRY(take_places(&r, err));
    SN_TRY(e->sort == SN_MODES ? check_modes(&r, err) : cut_rows(&r, err));
    e->n = r.rows;
    SN_TRY(read_noise(&r, err));
    SN_TRY(sn_read_settings(s, set, given, e, err));
    return try_model(&r, err);
}
