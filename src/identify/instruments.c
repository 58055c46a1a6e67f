/* Reading the instruments of a study: {tip.x: {gain: unknown, offset: 2 mm}, acc: {delay: unknown}}.

   An entry names a channel, or a sensor: then gain, delay and angle are one for all its channels, offset and
   drift one for each. Entries of the study are for all experiments, those of an experiment go before them. */
#include "identify/unknowns.h"

#include <math.h>
#include <string.h>

enum { GAIN, OFFSET, DELAY, DRIFT, ANGLE, NUMBERS };
static const char *const number_name[NUMBERS] = {"gain", "offset", "delay", "drift", "angle"};
/* What an entry is about: channels first .. first + n - 1, in one experiment or (-1) in all. */
typedef struct target {
    const sn_item *map, *entry;
    const char *name;
    int first, n, experiment, whole; /* whole: a sensor of several components */
} target;

/* One number of it: what, of which component of a rotation vector, for which of its channels (-1: all). */
typedef struct choice {
    int what, component, channel;
    const sn_item *item;
} choice;

/* ---- names ---- */

static sn_status find_target(const sn_study *s, const sn_item *map, const sn_item *entry, int experiment,
                             target *t, sn_err *err)
{
    const sn_model *m = s->model;
    *t = (target){.map = map, .entry = entry, .name = entry->key, .n = 1, .experiment = experiment};
    for (int i = 0, at = 0; i < m->sensor.n; at += m->sensor.object[i++].ny)
        if (!strcmp(m->sensor.object[i].name, entry->key)) {
            t->first = at, t->n = m->sensor.object[i].ny, t->whole = t->n > 1;
            return SN_OK;
        }
    int before = sn_err_count(err);
    sn_status status = sn_channel_find(m, entry->key, &t->first, err);
    sn_err_place(err, before, &entry->key_mark);
    return status;
}

/* Does the map say this number of the sensor, or of a channel of it? */
static int says(const sn_item *map, sn_channel h, int channel, const char *number)
{
    for (const sn_item *i = map ? map->child : NULL; i; i = i->next) {
        size_t n = strlen(h.sensor);
        int fits = !strncmp(i->key, h.sensor, n) &&
                   (channel ? i->key[n] == '.' && !strcmp(i->key + n + 1, h.component) : !i->key[n]);
        if (fits && i->type == SN_ITEM_MAP && sn_item_get(i, number)) return 1;
    }
    return 0;
}

/* What an experiment says of its own goes before what the study says, channels before sensors. */
static int overruled(const sn_study *s, const sn_experiment *x, const target *t, const choice *of,
                     int channel)
{
    const sn_item *own = t->experiment < 0 && x->own ? sn_item_get(x->own, "instruments") : NULL;
    sn_channel h = sn_channel_get(s->model, channel);
    const char *number = number_name[of->what];
    return says(own, h, 0, number) || says(own, h, 1, number) ||
           (!strcmp(t->name, h.sensor) && says(t->map, h, 1, number));
}

/* The column of an experiment, from c on, for which the number counts; -1: none. */
static int measured(const sn_study *s, const sn_experiment *x, const target *t, const choice *of, int c)
{
    for (; c < x->n_channel; c++) {
        int at = x->channel[c] - t->first;
        if (at >= 0 && at < t->n && (of->channel < 0 || of->channel == at) &&
            !overruled(s, x, t, of, x->channel[c]))
            return c;
    }
    return -1;
}

/* Does the number count in experiment e? */
static int counts(const sn_study *s, int e, const target *t, const choice *of)
{
    return (t->experiment < 0 || t->experiment == e) && measured(s, &s->experiment[e], t, of, 0) >= 0;
}

static sn_status check_measured(const sn_study *s, const target *t, sn_err *err)
{
    for (int e = 0; e < s->n_experiment; e++)
        for (int c = 0; (t->experiment < 0 || t->experiment == e) && c < s->experiment[e].n_channel; c++) {
            int at = s->experiment[e].channel[c] - t->first;
            if (at >= 0 && at < t->n) return SN_OK;
        }
    return sn_fail(err, SN_ERR_INPUT, &t->entry->key_mark, "'%s' is not measured in %s%s%s", t->name,
                   t->experiment < 0 ? "any experiment" : "experiment '",
                   t->experiment < 0 ? "" : s->experiment[t->experiment].name, t->experiment < 0 ? "" : "'");
}

/* ---- vectors ---- */

/* The vector that component k of a sensor belongs to: names that differ in a last x, y, z only. axes 0: none.
 */
static void vector_of(const sn_model *m, int sensor, int first, int k, sn_instrument *out)
{
    static const char letters[] = "xyz";
    const sn_object *o = &m->sensor.object[sensor];
    size_t length = strlen(o->component[k]);
    const char *letter = length ? strchr(letters, o->component[k][length - 1]) : NULL;
    int found = 0;
    out->axes = 0;
    if (!letter || letter - letters >= m->dim) return;
    for (int a = 0; a < m->dim; a++)
        for (int i = 0; i < o->ny; i++) {
            const char *name = o->component[i];
            if (strlen(name) != length || strncmp(name, o->component[k], length - 1) != 0 ||
                name[length - 1] != letters[a])
                continue;
            out->source[a] = first + i, found++;
            break;
        }
    if (found == m->dim) out->axes = m->dim, out->axis = (int)(letter - letters);
}

static int sensor_of(const sn_model *m, int channel, int *first)
{
    int i = 0;
    for (*first = 0; channel >= *first + m->sensor.object[i].ny; i++) *first += m->sensor.object[i].ny;
    return i;
}

static sn_status check_vector(const sn_study *s, const target *t, const sn_item *angle, sn_err *err)
{
    int first, sensor = sensor_of(s->model, t->first, &first);
    sn_instrument vector;
    const char *of = s->model->sensor.object[sensor].name;
    if (strcmp(of, t->name) != 0)
        return sn_fail(err, SN_ERR_INPUT, &angle->key_mark,
                       "an angle belongs to the whole sensor, which shows a vector: write it under '%s'", of);
    for (int k = 0; k < t->n; k++) {
        vector_of(s->model, sensor, first, k, &vector);
        if (vector.axes) return SN_OK;
    }
    return sn_fail(err, SN_ERR_INPUT, &angle->key_mark,
                   "'%s' has no angle: it does not measure a vector with components x%s", t->name,
                   s->model->dim == 3 ? ", y and z" : " and y");
}

/* ---- numbers ---- */

/* "m/s" becomes "m/s^2". */
static const char *per_second(sn_arena *arena, const char *unit)
{
    size_t n = strlen(unit);
    if (!n || !strcmp(unit, "1")) return "1/s";
    if (n > 2 && !strcmp(unit + n - 2, "/s")) return sn_arena_printf(arena, "%s^2", unit);
    if (n > 4 && !strncmp(unit + n - 4, "/s^", 3) && unit[n - 1] >= '1' && unit[n - 1] < '9')
        return sn_arena_printf(arena, "%.*s%c", (int)n - 1, unit, unit[n - 1] + 1);
    return sn_arena_printf(arena, "%s/s", unit);
}

/* The shortest of the experiments where the number counts, and the largest of the signal's changes. */
static double look(const sn_study *s, const target *t, const choice *of, double *spread)
{
    double length = INFINITY;
    *spread = 0;
    for (int e = 0; e < s->n_experiment; e++) {
        const sn_experiment *x = &s->experiment[e];
        if (!counts(s, e, t, of)) continue;
        length = fmin(length, x->span);
        for (int c = 0; (c = measured(s, x, t, of, c)) >= 0; c++)
            *spread = fmax(*spread, sn_experiment_spread(x, x->channel[c]));
    }
    return length;
}

static sn_status subject_of(sn_study *s, const target *t, const choice *of, const char **unit,
                            sn_subject *out, sn_err *err)
{
    int channel = t->first + (of->channel < 0 ? 0 : of->channel);
    const char *own = sn_channel_get(s->model, channel).unit;
    double spread, length = look(s, t, of, &spread);
    if (!(spread > 0)) spread = 1;
    *out = (sn_subject){.lower = -INFINITY, .upper = INFINITY};
    *unit = of->what == GAIN     ? "1"
            : of->what == DELAY  ? "s"
            : of->what == ANGLE  ? "rad"
            : of->what == OFFSET ? (own[0] ? own : "1")
                                 : per_second(&s->arena, own);
    if (!*unit) return SN_OUT_OF_MEM(err);
    out->dim = sn_read_unit_dimension(*unit);
    if (of->what == GAIN) out->lower = 0, out->value = 1;
    if (of->what == OFFSET) out->scale = spread;
    if (of->what == DRIFT) out->scale = spread / (length > 0 && isfinite(length) ? length : 1);
    if (of->what == ANGLE) out->lower = -acos(-1), out->upper = acos(-1), out->scale = 0.1;
    if (of->what == DELAY) {
        out->scale = 0.01;
        if (length > 0 && isfinite(length))
            out->upper = 0.25 * length, out->lower = -out->upper, out->scale = fmin(0.01, 0.5 * out->upper);
    }
    return SN_OK;
}

/* What no instrument can have. */
static sn_status check_value(const sn_study *s, const target *t, const choice *of, double x, sn_err *err)
{
    double spread, length = look(s, t, of, &spread);
    if (!isfinite(x)) return sn_fail(err, SN_ERR_INPUT, &of->item->mark, "this number is not finite");
    if (of->what == GAIN && x == 0)
        return sn_fail(err, SN_ERR_INPUT, &of->item->mark,
                       "the gain of '%s' is 0: such an instrument shows nothing", t->name);
    if (of->what == DELAY && length > 0 && fabs(x) >= length)
        return sn_fail(err, SN_ERR_INPUT, &of->item->mark,
                       "a delay of %g s is longer than the data, which last %g s", x, length);
    return SN_OK;
}

static sn_number *place(sn_instrument *i, const choice *of)
{
    sn_number *const at[NUMBERS] = {&i->gain, &i->offset, &i->delay, &i->drift, &i->angle[of->component]};
    return at[of->what];
}

static void assign_to(sn_study *s, int e, const target *t, const choice *of, const sn_number *x)
{
    sn_experiment *to = &s->experiment[e];
    for (int c = 0; counts(s, e, t, of) && (c = measured(s, to, t, of, c)) >= 0; c++) {
        *place(&to->instrument[c], of) = *x;
        if (of->what != ANGLE) continue;
        int first, sensor = sensor_of(s->model, to->channel[c], &first);
        vector_of(s->model, sensor, first, to->channel[c] - first, &to->instrument[c]);
    }
}

static void assign(sn_study *s, const target *t, const choice *of, const sn_number *x)
{
    for (int e = 0; e < s->n_experiment; e++) assign_to(s, e, t, of, x);
}

static const char *name_of(sn_study *s, const target *t, const choice *of)
{
    const char *component = of->what == ANGLE && s->model->dim == 3 ? &".x\0.y\0.z\0"[3 * of->component] : "";
    if (of->channel < 0 || !t->whole)
        return sn_arena_printf(&s->arena, "%s.%s%s", t->name, number_name[of->what], component);
    sn_channel h = sn_channel_get(s->model, t->first + of->channel);
    return sn_arena_printf(&s->arena, "%s.%s.%s", t->name, h.component, number_name[of->what]);
}

/* One more unknown; experiment -1: of all. */
static sn_status seek(sn_study *s, const target *t, const choice *of, int experiment, sn_err *err)
{
    const sn_experiment *x = experiment >= 0 ? &s->experiment[experiment] : NULL;
    sn_unknown *u = &s->unknown[s->n_unknown];
    target here = *t;
    const char *unit;
    sn_subject subject;
    if (x) here.experiment = experiment;
    *u = (sn_unknown){.kind = SN_OF_INSTRUMENT,
                      .parameter = name_of(s, t, of),
                      .id = -1,
                      .experiment = experiment,
                      .about_zero = of->what != GAIN,
                      .mark = of->item->key_mark};
    if (!u->parameter) return SN_OUT_OF_MEM(err);
    u->name = x ? sn_arena_printf(&s->arena, "%s[%s]", u->parameter, x->name) : u->parameter;
    if (!u->name) return SN_OUT_OF_MEM(err);
    SN_TRY(subject_of(s, &here, of, &unit, &subject, err));
    SN_TRY(sn_read_unit_as(s, sn_item_get(of->item, "start"), unit, u, err));
    SN_TRY(sn_read_unknown(s, of->item, &subject, x, u, err));
    SN_TRY(check_value(s, &here, of, u->start, err));
    if (of->what == DELAY && isfinite(u->lower)) SN_TRY(check_value(s, &here, of, u->lower, err));
    if (of->what == DELAY && isfinite(u->upper)) SN_TRY(check_value(s, &here, of, u->upper, err));
    const sn_number number = {.unknown = s->n_unknown++};
    if (x)
        assign_to(s, experiment, t, of, &number);
    else
        assign(s, t, of, &number);
    return SN_OK;
}

/* A number that is not sought: given, or tied to others. */
static sn_status set(sn_study *s, const target *t, const choice *of, sn_err *err)
{
    const sn_item *tie = sn_item_get(of->item, "tie");
    sn_number number = {.unknown = -1, .text = tie ? tie->text : NULL};
    sn_subject subject;
    const char *unit;
    SN_TRY(subject_of(s, t, of, &unit, &subject, err));
    if (tie) {
        SN_TRY(sn_read_tie(s, tie, &subject.dim, &number.tie, err));
    } else {
        SN_TRY(sn_read_quantity(&s->arena, of->item, &subject.dim, &number.value, err));
        SN_TRY(check_value(s, t, of, number.value, err));
    }
    assign(s, t, of, &number);
    return SN_OK;
}

/* One number, if its turn has come. */
static sn_status read_number(sn_study *s, const target *t, const choice *of, sn_pass pass, sn_err *err)
{
    const sn_item *i = of->item;
    int each = 0, known = i->type == SN_ITEM_SCALAR && strcmp(i->text, "unknown") != 0, any = 0;
    int tied = sn_item_get(i, "tie") != NULL, own = t->experiment >= 0;
    if (!known) SN_TRY(sn_read_declaration(i, &each, err));
    for (int e = 0; e < s->n_experiment; e++) any |= counts(s, e, t, of);
    sn_pass turn = own || each ? SN_PASS_EACH : tied ? SN_PASS_TIES : SN_PASS_COMMON;
    if (!any || turn != pass) return SN_OK;
    if (known || tied) return set(s, t, of, err);
    if (!each || own) return seek(s, t, of, t->experiment, err);
    for (int e = 0; e < s->n_experiment; e++)
        if (counts(s, e, t, of)) SN_TRY(seek(s, t, of, e, err));
    return SN_OK;
}

/* In space a rotation vector: one declaration for all three components, or {x: ..., y: ..., z: ...}. */
static sn_status read_angle(sn_study *s, const target *t, const sn_item *i, sn_pass pass, sn_err *err)
{
    choice of = {.what = ANGLE, .component = 2, .channel = -1, .item = i};
    SN_TRY(check_vector(s, t, i, err));
    if (s->model->dim != 3) return read_number(s, t, &of, pass, err);
    int by_axis = sn_item_get(i, "x") || sn_item_get(i, "y") || sn_item_get(i, "z");
    if (i->type == SN_ITEM_SCALAR && strcmp(i->text, "unknown") != 0)
        return sn_fail(err, SN_ERR_INPUT, &i->mark,
                       "in space an angle is 'unknown' or a rotation vector {x: ..., y: ..., z: ...}");
    if (by_axis) SN_TRY(sn_read_keys(i, sn_keys_rotation, "a rotation vector", err));
    for (of.component = 0; of.component < 3; of.component++) {
        of.item = by_axis ? sn_item_get(i, sn_keys_rotation[of.component].name) : i;
        if (of.item) SN_TRY(read_number(s, t, &of, pass, err));
    }
    return SN_OK;
}

static sn_status read_entry(sn_study *s, const target *t, sn_pass pass, sn_err *err)
{
    const sn_item *entry = t->entry;
    if (entry->type != SN_ITEM_MAP)
        return sn_fail(err, SN_ERR_INPUT, &entry->mark,
                       "an instrument is {gain: ..., offset: ..., delay: ..., drift: ..., angle: ...}");
    SN_TRY(sn_read_keys(entry, sn_keys_instrument, "an instrument", err));
    for (int what = 0; what < NUMBERS; what++) {
        const sn_item *i = sn_item_get(entry, number_name[what]);
        choice of = {.what = what, .channel = -1, .item = i};
        int single = t->whole && (what == OFFSET || what == DRIFT);
        if (!i) continue;
        if (what == ANGLE) SN_TRY(read_angle(s, t, i, pass, err));
        for (of.channel = single ? 0 : -1; what != ANGLE && of.channel < (single ? t->n : 0); of.channel++)
            SN_TRY(read_number(s, t, &of, pass, err));
    }
    return SN_OK;
}

/* ---- all ---- */

static sn_status read_map(sn_study *s, const sn_item *map, int experiment, sn_pass pass, sn_err *err)
{
    for (const sn_item *i = map ? map->child : NULL; i; i = i->next) {
        target t;
        SN_TRY(find_target(s, map, i, experiment, &t, err));
        SN_TRY(check_measured(s, &t, err));
        SN_TRY(read_entry(s, &t, pass, err));
    }
    return SN_OK;
}

sn_status sn_read_instruments(sn_study *s, const sn_item *root, sn_pass pass, sn_err *err)
{
    SN_TRY(read_map(s, sn_item_get(root, "instruments"), -1, pass, err));
    for (int e = 0; pass == SN_PASS_EACH && e < s->n_experiment; e++) {
        const sn_item *own = s->experiment[e].own;
        if (own) SN_TRY(read_map(s, sn_item_get(own, "instruments"), e, pass, err));
    }
    return SN_OK;
}

sn_status sn_read_instruments_begin(sn_study *s, const sn_item *root, size_t *most, sn_err *err)
{
    const sn_item *all = sn_item_get(root, "instruments");
    size_t entries = all ? (size_t)all->n * (size_t)(s->n_experiment + 1) : 0;
    for (int e = 0; e < s->n_experiment; e++) {
        sn_experiment *x = &s->experiment[e];
        const sn_item *own = x->own ? sn_item_get(x->own, "instruments") : NULL;
        const sn_number zero = {.unknown = -1}, one = {.value = 1, .unknown = -1};
        entries += own ? (size_t)own->n : 0;
        x->instrument = sn_arena_alloc(&s->arena, (size_t)x->n_channel + 1, sizeof *x->instrument);
        if (!x->instrument) return SN_OUT_OF_MEM(err);
        for (int c = 0; c < x->n_channel; c++)
            x->instrument[c] = (sn_instrument){
                .gain = one, .offset = zero, .delay = zero, .drift = zero, .angle = {zero, zero, zero}};
    }
    int widest = 1;
    for (int i = 0; i < s->model->sensor.n; i++)
        if (s->model->sensor.object[i].ny > widest) widest = s->model->sensor.object[i].ny;
    *most = entries * (size_t)(2 * widest + 5);
    return SN_OK;
}
