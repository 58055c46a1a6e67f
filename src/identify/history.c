/* Reading histories that are sought: see history.h.

   unknowns:
     push: {history: cubic}
     gust: {history: {form: linear, values: 101, smoothing: total_variation, order: 1, weight: gcv, unit: N}}
     tug.force.x: {history: cubic}
     knock: {history: cubic, at: beam} */
#include "identify/history.h"
#include "identify/series.h"
#include "identify/truth.h"
#include "reduce/read.h"

#include <math.h>
#include <string.h>

enum { MOST_VALUES = 200, LARGEST = 200000, ORDER_ROUNDS = 4 };

static const char *const forms[] = {"linear", "cubic", "series", NULL};
static const char *const smoothings[] = {"none", "tikhonov", "total_variation", NULL};
static const char *const choices[] = {"likelihood", "gcv", "l_curve", "discrepancy", NULL};

sn_status sn_history_word(const sn_item *i, const char *const *words, int *out, sn_err *err)
{
    char all[200] = "";
    for (int k = 0; words[k]; k++) {
        if (!strcmp(i->text, words[k])) {
            *out = k;
            return SN_OK;
        }
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", words[k]);
    }
    return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' is none of: %s", i->text, all);
}

sn_status sn_history_number(sn_study *s, const sn_item *map, const char *key, const char *unit, double lowest,
                            double *x, sn_err *err)
{
    const sn_item *i = sn_item_get(map, key);
    if (!i) return SN_OK;
    SN_TRY(sn_read_unit(&s->arena, i, unit, x, err));
    return *x >= lowest && isfinite(*x)
               ? SN_OK
               : sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' must be at least %g", key, lowest);
}

/* As many values as are wanted, or fewer: of the coarse study by which a long one is judged. */
static int few(const sn_study *s, double n)
{
    return s->finer.coarse ? (int)fmin(n, s->finer.coarse) : (int)n;
}

static sn_status read_smoothing(sn_study *s, const sn_item *map, sn_history *h, sn_err *err)
{
    const sn_item *smoothing = sn_item_get(map, "smoothing"), *weight = sn_item_get(map, "weight"),
                  *given = sn_item_get(map, "order");
    double order = 2;
    if (smoothing) SN_TRY(sn_history_word(smoothing, smoothings, &h->smoothing, err));
    if (h->smoothing == SN_SMOOTH_TOTAL_VARIATION) order = 1;
    SN_TRY(sn_history_number(s, map, "order", "1", 1, &order, err));
    if (order > SN_HISTORY_MOST_ORDER || order != floor(order))
        return sn_fail(err, SN_ERR_INPUT, &given->mark,
                       "'order' is 1 (rates are small), 2 (bends are small), 3 or 4");
    h->order = !given && h->n == 2 ? 1 : (int)order;
    if (h->n && h->smoothing && h->n <= h->order)
        return sn_fail(err, SN_ERR_INPUT, &given->mark, "differences of order %d need %d values at least",
                       h->order, h->order + 1);
    if (given || h->smoothing != SN_SMOOTH_TIKHONOV) h->seek_order = 0;
    if (weight && weight->text[0] && strchr("0123456789.+-", weight->text[0])) {
        h->choice = SN_WEIGHT_GIVEN, h->seek_order = 0;
        return sn_history_number(s, map, "weight", "1", 0, &h->given, err);
    }
    return weight ? sn_history_word(weight, choices, &h->choice, err) : SN_OK;
}

static sn_status read_one(sn_study *s, const sn_item *entry, sn_history *h, sn_err *err)
{
    const sn_item *i = sn_item_get(entry, "history"), *form, *unit;
    double n = 0;
    *h = (sn_history){.name = entry->key,
                      .unit = "",
                      .mark = entry->key_mark,
                      .item = i,
                      .at = sn_item_get(entry, "at"),
                      .load = sn_item_get(entry, "load"),
                      .form = SN_FORM_CUBIC,
                      .smoothing = SN_SMOOTH_TIKHONOV,
                      .order = 2,
                      .seek_order = ORDER_ROUNDS};
    SN_TRY(sn_read_keys(entry, sn_keys_history_entry, "an unknown that is a history", err));
    if (i->type == SN_ITEM_SCALAR) {
        SN_TRY(sn_history_word(i, forms, &h->form, err));
        return h->form == SN_FORM_SERIES ? sn_series_read(s, NULL, h, err) : SN_OK;
    }
    if (i->type != SN_ITEM_MAP)
        return sn_fail(err, SN_ERR_INPUT, &i->mark,
                       "a history is 'linear', 'cubic', 'series' or {form: cubic, values: 101, ...}");
    form = sn_item_get(i, "form"), unit = sn_item_get(i, "unit");
    if (form && form->type == SN_ITEM_SCALAR) SN_TRY(sn_history_word(form, forms, &h->form, err));
    if (unit && unit->type == SN_ITEM_SCALAR) h->unit = unit->text;
    if (h->form == SN_FORM_SERIES) return sn_series_read(s, i, h, err);
    SN_TRY(sn_read_keys(i, sn_keys_history, "a history", err));
    SN_TRY(sn_history_number(s, i, "values", "1", h->form == SN_FORM_CUBIC ? 4 : 2, &n, err));
    SN_TRY(sn_history_number(s, i, "spacing", "s", 1e-12, &h->spacing, err));
    SN_TRY(sn_history_number(s, i, "start", "1", -INFINITY, &h->start, err));
    if (n > LARGEST || (n > 0 && h->spacing > 0))
        return sn_fail(err, SN_ERR_INPUT, &i->mark,
                       n > LARGEST ? "a history of more than %d values is refused"
                                   : "give 'values' or 'spacing', not both",
                       LARGEST);
    if (n != floor(n))
        return sn_fail(err, SN_ERR_INPUT, &sn_item_get(i, "values")->mark, "'values' is a whole number");
    h->n = few(s, n);
    return read_smoothing(s, i, h, err);
}

sn_status sn_history_read(sn_study *s, const sn_item *root, sn_err *err)
{
    const sn_item *map = sn_item_get(root, "unknowns");
    if (!map || map->type != SN_ITEM_MAP) return SN_OK;
    s->history = sn_arena_alloc(&s->arena, (size_t)map->n + 1, sizeof *s->history);
    if (!s->history) return SN_OUT_OF_MEM(err);
    for (const sn_item *i = map->child; i; i = i->next)
        if (i->type == SN_ITEM_MAP && sn_item_get(i, "history"))
            SN_TRY(read_one(s, i, &s->history[s->n_history++], err));
    for (int k = 0; k < s->n_history; k++) {
        const sn_item *truth = sn_item_get(sn_item_get(map, s->history[k].name), "truth");
        if (truth) SN_TRY(sn_truth_read(s, truth, &s->history[k], err));
    }
    return SN_OK;
}

/* {spline: [0, 0, ...], begin: 0, end: 1, degree: cubic}: its numbers come later */
static const char *signal_text(sn_study *s, const sn_history *h)
{
    if (h->form == SN_FORM_SERIES) return sn_series_text(s, h);
    int n = h->n ? h->n : 4;
    char *list = sn_arena_alloc(&s->arena, 2 * (size_t)n + 1, 1);
    if (!list) return NULL;
    for (int k = 0; k < n; k++) list[2 * k] = '0', list[2 * k + 1] = k < n - 1 ? ',' : 0;
    return sn_arena_printf(&s->arena, "{spline: [%s], begin: 0, end: 1, degree: %s}", list, forms[h->form]);
}

/* What the names of the study mean, in the model as it is written. */
static sn_status resolve(sn_study *s, const char *path, sn_err *err)
{
    sn_model *plain;
    SN_TRY(sn_model_read(path, &plain, err));
    sn_status status = SN_OK;
    for (int k = 0; !status && k < s->n_history; k++)
        status = sn_history_resolve(s, plain, &s->history[k], err);
    if (!status) status = sn_history_places(s, plain, err);
    sn_model_free(plain);
    return status;
}

sn_status sn_history_model(sn_study *s, const char *path, int n_set, const char *const *set, sn_err *err)
{
    sn_replacement *r = sn_arena_alloc(&s->arena, 2 * (size_t)s->n_history + 2 + (size_t)n_set, sizeof *r);
    int n = 0;
    if (!r) return SN_OUT_OF_MEM(err);
    if (s->n_history && !s->history[0].signal) SN_TRY(resolve(s, path, err));
    for (int k = 0; k < s->n_history; k++) {
        const sn_history *h = &s->history[k];
        const char *text = signal_text(s, h);
        if (!text) return SN_OUT_OF_MEM(err);
        r[n++] = (sn_replacement){.section = "signals",
                                  .name = h->signal,
                                  .component = -1,
                                  .added = h->in.entry != NULL,
                                  .text = text,
                                  .where = &h->mark};
        if (h->in.entry)
            r[n++] = (sn_replacement){.section = h->in.section,
                                      .name = h->in.entry,
                                      .key = h->in.key,
                                      .component = h->in.component,
                                      .n = h->in.n,
                                      .text = h->in.text,
                                      .where = &h->mark};
    }
    if (s->places)
        r[n++] = (sn_replacement){.section = "elements",
                                  .name = s->places->load,
                                  .key = "",
                                  .component = -1,
                                  .text = s->places->node[s->finer.place] + s->places->prefix,
                                  .where = &s->places->mark};
    SN_TRY(sn_model_read_replaced(path, s->finer.mesh, n, r, &s->model, err));
    sn_model *first = s->model;
    int more = sn_structure_replaced(first, n_set, set, r + n);
    if (!more) return SN_OK;
    s->model = NULL;
    sn_status status = sn_model_read_replaced(path, s->finer.mesh, n + more, r, &s->model, err);
    sn_model_free(first); /* it has the names */
    return status;
}

void sn_history_range(const sn_experiment *x, double *begin, double *end)
{
    *begin = x->begin, *end = x->n ? x->t[x->n - 1] : x->begin;
    if (isfinite(x->end)) *end = fmin(*end, x->end);
}

/* On-line: so many values as a step may reach, and those that the next follow from. */
static int values_online(const sn_study *s, const sn_history *h)
{
    int active = h->form == SN_FORM_CUBIC ? 4 : 2;
    double knots = h->spacing > 0 ? ceil(s->run.step / h->spacing) : 1;
    return active + h->order + (int)fmin(knots, 1000) + 3;
}

/* Where the knots of a history begin and end. */
static void knots(const sn_study *s, const sn_history *h, const sn_experiment *x, double *begin, double *end)
{
    sn_history_range(x, begin, end);
    if (s->stream) *end = *begin + h->spacing * (h->n - (h->form == SN_FORM_CUBIC ? 3 : 1));
}

int sn_history_unsized(sn_study *s)
{
    int unsized = 0;
    for (int k = 0; k < s->n_history; k++) {
        sn_history *h = &s->history[k];
        double longest = 0, begin, end;
        int most = 0;
        if (h->n) continue;
        if (s->stream) {
            h->n = values_online(s, h), unsized = 1;
            continue;
        }
        for (int e = 0; e < s->n_experiment; e++) {
            const sn_experiment *x = &s->experiment[e];
            sn_history_range(x, &begin, &end);
            if (!x->hold_out && !x->sort)
                longest = fmax(longest, end - begin), most = most > x->n ? most : x->n;
        }
        double n = h->spacing > 0 ? ceil(longest / h->spacing - 1e-9) : fmin(most / 4, MOST_VALUES);
        h->n = few(s, fmin(fmax(n, 3), LARGEST)) + (h->form == SN_FORM_CUBIC ? 3 : 1);
        unsized = 1;
    }
    return unsized;
}

sn_status sn_history_place(sn_study *s, sn_err *err)
{
    if (!s->n_history) return SN_OK;
    for (int e = 0; e < s->n_experiment; e++) {
        sn_experiment *x = &s->experiment[e];
        if (x->hold_out || x->sort)
            return sn_fail(
                err, SN_ERR_INPUT, &x->mark,
                "experiment '%s': a history is sought in what is measured over time and fitted, it "
                "says nothing of %s",
                x->name, x->sort ? "modes and responses" : "experiments held out");
        for (int k = 0; k < s->n_history; k++) {
            sn_history *h = &s->history[k];
            char name[256];
            double begin, end;
            knots(s, h, x, &begin, &end);
            if (!(end > begin))
                return sn_fail(err, SN_ERR_INPUT, &x->mark,
                               "'%s' is sought from the first row of the data to the last, which are at one "
                               "time, %g s",
                               h->name, begin);
            if (h->spacing > 0 && (end - begin) / h->spacing > LARGEST)
                return sn_fail(err, SN_ERR_INPUT, &h->mark,
                               "values of '%s' every %g s are more than %d over %g s", h->name, h->spacing,
                               LARGEST, end - begin);
            snprintf(name, sizeof name, "signals.%s.%s.1", h->signal,
                     h->form == SN_FORM_SERIES ? "frequency" : "values");
            h->id = sn_quantity_find(s->model, name);
            if (h->id < 0) return sn_fail(err, SN_ERR_BUG, &h->mark, "'%s' has no values", h->name);
            x->values->x[h->id + h->n] = begin, x->values->fixed[h->id + h->n] = 1;
            if (h->form == SN_FORM_SERIES) {
                if (!isnan(h->series.origin)) x->values->x[h->id + h->n] = h->series.origin;
                continue;
            }
            x->values->x[h->id + h->n + 1] = end, x->values->fixed[h->id + h->n + 1] = 1;
        }
        SN_TRY(sn_values_update(x->values, err));
    }
    return SN_OK;
}

size_t sn_history_most(const sn_study *s)
{
    size_t n = 0;
    for (int k = 0; k < s->n_history; k++) n += (size_t)s->history[k].n * (size_t)s->n_experiment;
    return n;
}

static sn_status add_values(sn_study *s, int k, int e, sn_history_part *p, sn_err *err)
{
    const sn_history *h = &s->history[k];
    *p = (sn_history_part){
        .history = k, .experiment = e, .first = s->n_unknown, .n = h->n, .weight = h->given};
    knots(s, h, &s->experiment[e], &p->begin, &p->end);
    p->origin = isnan(h->series.origin) ? p->begin : h->series.origin;
    p->w = sn_arena_alloc(&s->arena, (size_t)h->n + 1, sizeof *p->w);
    if (!p->w) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < h->n; i++) p->w[i] = 1;
    if (h->form == SN_FORM_SERIES) return sn_series_unknowns(s, p, err);
    for (int i = 0; i < h->n && !s->sequential; i++) {
        const char *name = sn_arena_printf(&s->arena, "%s.values.%d", h->name, i + 1), *whole = name;
        if (s->n_experiment > 1) whole = sn_arena_printf(&s->arena, "%s[%s]", name, s->experiment[e].name);
        if (!name || !whole) return SN_OUT_OF_MEM(err);
        s->unknown[s->n_unknown++] = (sn_unknown){.name = whole,
                                                  .parameter = name,
                                                  .unit = h->unit,
                                                  .shown = h->unit,
                                                  .shown_factor = 1,
                                                  .id = h->id + i,
                                                  .experiment = e,
                                                  .about_zero = 1,
                                                  .start = h->start,
                                                  .lower = -INFINITY,
                                                  .upper = INFINITY,
                                                  .scale = fmax(1, fabs(h->start)),
                                                  .prior = NAN,
                                                  .prior_sd = NAN,
                                                  .of_history = k + 1,
                                                  .mark = h->mark};
    }
    return SN_OK;
}

/* The discrepancy principle compares residuals with the noise: found from these residuals it would follow
 * them. */
static sn_status check_discrepancy(const sn_study *s, sn_err *err)
{
    for (int k = 0; k < s->n_history; k++) {
        const sn_history *h = &s->history[k];
        if (h->form == SN_FORM_SERIES || !h->smoothing || h->choice != SN_WEIGHT_DISCREPANCY) continue;
        for (int e = 0; e < s->n_experiment; e++)
            for (int c = 0; c < s->experiment[e].n_channel; c++)
                if (!s->experiment[e].known[c])
                    return sn_fail(err, SN_ERR_INPUT, &h->mark,
                                   "'weight: discrepancy' compares residuals with the noise, which must be "
                                   "stated for it: "
                                   "'noise: {%s: ...}'",
                                   sn_column_get(s, &s->experiment[e], c).name);
    }
    return SN_OK;
}

sn_status sn_history_unknowns(sn_study *s, sn_err *err)
{
    SN_TRY(check_discrepancy(s, err));
    size_t n = (size_t)s->n_history * (size_t)s->n_experiment;
    s->history_part = sn_arena_alloc(&s->arena, n + 1, sizeof *s->history_part);
    if (!s->history_part) return SN_OUT_OF_MEM(err);
    for (int e = 0; e < s->n_experiment; e++)
        for (int k = 0; k < s->n_history; k++)
            SN_TRY(add_values(s, k, e, &s->history_part[s->n_history_part++], err));
    return SN_OK;
}

int sn_history_differences(const sn_study *s, const sn_history_part *p)
{
    const sn_history *h = &s->history[p->history];
    return h->smoothing ? p->n - h->order : 0;
}

const double *sn_history_stencil(const sn_study *s, const sn_history_part *p)
{
    static const double stencil[][5] = {{-1, 1}, {1, -2, 1}, {-1, 3, -3, 1}, {1, -4, 6, -4, 1}};
    return stencil[s->history[p->history].order - 1];
}

int sn_history_basis(const sn_study *s, const sn_history_part *p, double t, int *first, double *b)
{
    int cubic = s->history[p->history].form == SN_FORM_CUBIC, m = cubic ? p->n - 3 : p->n - 1;
    double u = fmin(fmax(m * (t - p->begin) / (p->end - p->begin), 0), m), x, y;
    *first = (int)fmin(floor(u), m - 1);
    x = u - *first, y = 1 - x;
    if (!cubic) {
        b[0] = y, b[1] = x;
        return 2;
    }
    b[0] = y * y * y / 6, b[1] = (4 - 6 * x * x + 3 * x * x * x) / 6;
    b[2] = (4 - 6 * y * y + 3 * y * y * y) / 6, b[3] = x * x * x / 6;
    return 4;
}
