/* Columns of modes and frequency responses: as they are given, what those of one name make up, and what they
   become in the experiment. */
#include "identify/read_modal.h"
#include "io/csv.h"

#include <math.h>
#include <string.h>

static const struct part_word {
    const char *word;
    int part;
} words[] = {{"re", SN_PART_RE},         {"real", SN_PART_RE}, {"im", SN_PART_IM},
             {"imag", SN_PART_IM},       {"abs", SN_PART_ABS}, {"amplitude", SN_PART_ABS},
             {"magnitude", SN_PART_ABS}, {"db", SN_PART_DB},   {"dB", SN_PART_DB},
             {"deg", SN_PART_DEG},       {"rad", SN_PART_RAD}, {"phase", SN_PART_RAD},
             {"std", SN_PART_STD}};

void *sn_modal_take(sn_modal_reading *r, size_t n, size_t size)
{
    return sn_arena_alloc(&r->s->arena, n + 1, size);
}

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

sn_status sn_modal_from_file(sn_modal_reading *r, const char *replace, sn_err *err)
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
    r->column = sn_modal_take(r, (size_t)csv->cols + (size_t)(map ? map->n : 0), sizeof *r->column);
    if (!r->column) return SN_OUT_OF_MEM(err);
    for (int c = 0; !map && c < csv->cols; c++)
        r->column[r->n_column++] =
            (sn_modal_given){csv->names[c], csv->data + (size_t)c * (size_t)csv->rows, 1, &r->source->mark};
    for (const sn_item *i = map ? map->child : NULL; i; i = i->next) {
        if (i->type == SN_ITEM_LIST)
            return sn_fail(err, SN_ERR_INPUT, &i->mark, "a column is its name, or {column: name, unit: mm}");
        if (i->type == SN_ITEM_MAP) SN_TRY(sn_read_keys(i, sn_keys_column, "a column", err));
        const sn_item *name = i->type == SN_ITEM_MAP ? sn_item_get(i, "column") : i,
                      *unit = i->type == SN_ITEM_MAP ? sn_item_get(i, "unit") : NULL;
        int at = name ? sn_csv_column(csv, name->text) : -1;
        if (at < 0)
            return sn_fail(err, SN_ERR_INPUT, name ? &name->mark : &i->mark, "the data have no column '%s'",
                           name ? name->text : "");
        sn_modal_given *c = &r->column[r->n_column++];
        *c = (sn_modal_given){i->key, csv->data + (size_t)at * (size_t)csv->rows, 1, &i->key_mark};
        if (unit) SN_TRY(unit_of(i->key, unit->text, &unit->mark, &c->factor, err));
    }
    return SN_OK;
}

/* modes: {frequency: [12 Hz, 40 Hz], damping: [1 %, 2 %], tip.x: [1, -0.4]} */
sn_status sn_modal_from_lists(sn_modal_reading *r, sn_err *err)
{
    r->e->file = r->s->file;
    r->column = sn_modal_take(r, (size_t)r->source->n, sizeof *r->column);
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
        double *x = sn_modal_take(r, (size_t)i->n, sizeof *x);
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
        r->column[r->n_column++] = (sn_modal_given){i->key, x, 1, &i->key_mark};
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
    return SN_PART_WHOLE;
}

static int sensor_of(sn_modal *m, int channel)
{
    for (int k = 0; k < m->n_sensor; k++)
        if (m->sensor[k] == channel) return k;
    m->sensor[m->n_sensor] = channel;
    return m->n_sensor++;
}

/* A sensor's channel; a number of the model; the value of a signal that is given from outside. */
static sn_status input_of(sn_modal_reading *r, const char *name, const sn_mark *where, int *out, sn_err *err)
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

static sn_status meaning(sn_modal_reading *r, sn_modal_group *g, sn_err *err)
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
sn_status sn_modal_sort_columns(sn_modal_reading *r, sn_err *err)
{
    r->group = sn_modal_take(r, (size_t)r->n_column, sizeof *r->group);
    if (!r->group) return SN_OUT_OF_MEM(err);
    for (int c = 0; c < r->n_column; c++) {
        const char *name = r->column[c].name;
        size_t length;
        int part = part_of(name, &length), channel;
        if (part != SN_PART_STD && !strchr(name, '/') && !sn_channel_find(r->s->model, name, &channel, NULL))
            part = SN_PART_WHOLE, length = strlen(name);
        sn_modal_group *g = NULL;
        for (int k = 0; k < r->n_group && !g; k++)
            if (strlen(r->group[k].name) == length && !strncmp(r->group[k].name, name, length))
                g = &r->group[k];
        if (!g) {
            g = &r->group[r->n_group++];
            *g = (sn_modal_group){.name = sn_arena_strndup(&r->s->arena, name, length),
                                  .where = r->column[c].where};
            if (!g->name) return SN_OUT_OF_MEM(err);
            SN_TRY(meaning(r, g, err));
        }
        if (g->at[part]) return sn_fail(err, SN_ERR_INPUT, r->column[c].where, "two columns are '%s'", name);
        g->at[part] = c + 1;
    }
    return SN_OK;
}

double sn_modal_value(const sn_modal_reading *r, const sn_modal_group *g, int part, int row)
{
    const sn_modal_given *c = &r->column[g->at[part] - 1];
    return g->at[part] ? c->data[row] * c->factor : NAN;
}

/* A complex number of a group; im NAN: it has one part only. */
static double complex number(const sn_modal_reading *r, const sn_modal_group *g, int row)
{
    if (g->at[SN_PART_ABS] || g->at[SN_PART_DB]) {
        double size = g->at[SN_PART_ABS] ? sn_modal_value(r, g, SN_PART_ABS, row)
                                         : pow(10, sn_modal_value(r, g, SN_PART_DB, row) / 20);
        double angle = g->at[SN_PART_DEG] ? sn_modal_value(r, g, SN_PART_DEG, row) * atan(1) / 45
                                          : sn_modal_value(r, g, SN_PART_RAD, row);
        return size * cexp(_Complex_I * angle);
    }
    return sn_modal_value(r, g, SN_PART_RE, row) + _Complex_I * sn_modal_value(r, g, SN_PART_IM, row);
}

/* How many columns of residuals a group makes, and of which kind the first is. */
static sn_status width_of(const sn_modal_reading *r, const sn_modal_group *g, int *kind, int *n, sn_err *err)
{
    int polar = g->at[SN_PART_ABS] || g->at[SN_PART_DB], phase = g->at[SN_PART_DEG] || g->at[SN_PART_RAD];
    int parts = g->at[SN_PART_RE] || g->at[SN_PART_IM], frf = r->e->sort == SN_FRF;
    *kind = g->kind, *n = g->kind >= 0;
    if (g->kind < SN_COLUMN_SHAPE) {
        if (parts || polar || phase || !g->at[SN_PART_WHOLE])
            return sn_fail(err, SN_ERR_INPUT, g->where, "'%s' is one plain column", g->name);
        return SN_OK;
    }
    if ((parts && polar) || (g->at[SN_PART_ABS] && g->at[SN_PART_DB]) ||
        (g->at[SN_PART_DEG] && g->at[SN_PART_RAD]) || (phase && !polar) ||
        (g->at[SN_PART_WHOLE] && (parts || polar)))
        return sn_fail(err, SN_ERR_INPUT, g->where,
                       "the parts of '%s' say the same twice, or a phase has no amplitude", g->name);
    if (frf && !parts && !polar)
        return sn_fail(
            err, SN_ERR_INPUT, g->where,
            "which part of the response is '%s'? Name the columns %s.re and %s.im, or .abs (.db) and "
            ".deg (.rad)",
            g->name, g->name, g->name);
    if (!frf && ((polar && !phase) || (g->at[SN_PART_IM] && !g->at[SN_PART_RE])))
        return sn_fail(err, SN_ERR_INPUT, g->where, "the shape '%s' needs both of its parts", g->name);
    int both = (g->at[SN_PART_RE] && g->at[SN_PART_IM]) || (polar && phase);
    *n = both ? 2 : 1;
    if (frf)
        *kind = both || g->at[SN_PART_RE] ? SN_COLUMN_RE : g->at[SN_PART_IM] ? SN_COLUMN_IM : SN_COLUMN_ABS;
    if (!frf) *kind = both ? SN_COLUMN_SHAPE_RE : SN_COLUMN_SHAPE;
    return SN_OK;
}

/* ---- into the experiment ---- */

static const char *const part_names[] = {"", "", "", "", ".re", ".im", ".re", ".im", ".abs"};

static sn_status name_column(sn_modal_reading *r, const sn_modal_group *g, int kind, sn_modal_column *c,
                             sn_err *err)
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

sn_status sn_modal_add_group(sn_modal_reading *r, const sn_modal_group *g, sn_err *err)
{
    sn_experiment *e = r->e;
    int kind, n, total = r->n_column;
    SN_TRY(width_of(r, g, &kind, &n, err));
    for (int k = 0; k < n; k++) {
        int c = e->n_channel + k;
        SN_TRY(name_column(r, g, kind + k, &e->modal->column[c], err));
        for (int row = 0; row < r->rows; row++) {
            double complex z =
                g->at[SN_PART_WHOLE] || kind < SN_COLUMN_SHAPE ? sn_modal_value(r, g, SN_PART_WHOLE, row) : 0;
            int single = kind == SN_COLUMN_ABS || kind == SN_COLUMN_SHAPE;
            if (kind == SN_COLUMN_ABS)
                z = g->at[SN_PART_ABS] ? sn_modal_value(r, g, SN_PART_ABS, row)
                                       : pow(10, sn_modal_value(r, g, SN_PART_DB, row) / 20);
            else if (kind == SN_COLUMN_SHAPE && g->at[SN_PART_RE])
                z = sn_modal_value(r, g, SN_PART_RE, row);
            else if (n == 1 && (kind == SN_COLUMN_RE || kind == SN_COLUMN_IM))
                z = sn_modal_value(r, g, kind == SN_COLUMN_RE ? SN_PART_RE : SN_PART_IM, row), single = 1;
            else if (n == 2)
                z = number(r, g, row);
            e->y[row * total + c] = n == 2 && k && !single ? cimag(z) : creal(z);
            r->sigma[row * total + c] = g->at[SN_PART_STD] ? sn_modal_value(r, g, SN_PART_STD, row) : NAN;
            if (g->at[SN_PART_STD] && !(r->sigma[row * total + c] > 0))
                return sn_fail(err, SN_ERR_INPUT, g->where,
                               "row %d: the standard deviation of '%s' must be positive", row + 1, g->name);
        }
    }
    e->n_channel += n;
    return SN_OK;
}
