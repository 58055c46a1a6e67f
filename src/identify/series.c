/* Reading series that are sought, and what was found of them: see series.h.

   unknowns:
     push: {history: {form: series, terms: 6, frequencies: separate, band: [0.1 Hz, 20 Hz],
                      start: {offset: 60, amplitude: 110, frequency: [0.29 Hz, 0.975 Hz]}}} */
#include "identify/series.h"

#include <math.h>
#include <string.h>

enum { MOST_TERMS = 20, LARGEST = 200 };
static const double two_pi = 6.283185307179586476925;

/* ---- the declaration ---- */

/* A list of n numbers, where it is there. */
static sn_status numbers(sn_study *s, const sn_item *list, const char *unit, int n, double *x, sn_err *err)
{
    if (!list) return SN_OK;
    if (list->n != n)
        return sn_fail(err, SN_ERR_INPUT, &list->mark, "'%s' has %d numbers, there are %d frequencies",
                       list->key, list->n, n);
    for (const sn_item *i = list->child; i; i = i->next) {
        SN_TRY(sn_read_unit(&s->arena, i, unit, x, err));
        if (!isfinite(*x++)) return sn_fail(err, SN_ERR_INPUT, &i->mark, "'%s' is no number", i->text);
    }
    return SN_OK;
}

static sn_status read_start(sn_study *s, const sn_item *map, sn_series *q, sn_err *err)
{
    const sn_item *frequency = sn_item_get(map, "frequency"), *own = sn_item_get(map, "cosine_frequency");
    double amplitude = 1;
    int n = frequency ? frequency->n : 0;
    SN_TRY(sn_read_keys(map, sn_keys_series_start, "the start of a series", err));
    if (n < 1)
        return sn_fail(err, SN_ERR_INPUT, &map->mark,
                       "the start of a series is 'fft' or {offset: 60, amplitude: 110, frequency: [0.29 Hz, "
                       "...]}: frequencies are missing");
    if (n > LARGEST)
        return sn_fail(err, SN_ERR_INPUT, &frequency->mark, "a series of more than %d terms is refused",
                       LARGEST);
    if (own && !q->separate)
        return sn_fail(err, SN_ERR_INPUT, &own->key_mark, "'cosine_frequency' needs 'frequencies: separate'");
    SN_TRY(sn_history_number(s, map, "offset", "1", -INFINITY, &q->offset, err));
    SN_TRY(sn_history_number(s, map, "amplitude", "1", -INFINITY, &amplitude, err));
    q->terms = n;
    q->amplitude = sn_arena_alloc(&s->arena, 4 * (size_t)n, sizeof *q->amplitude);
    if (!q->amplitude) return SN_OUT_OF_MEM(err);
    q->frequency = q->amplitude + 2 * n;
    for (int i = 0; i < 2 * n; i++) q->amplitude[i] = amplitude;
    SN_TRY(numbers(s, sn_item_get(map, "sine"), "1", n, q->amplitude, err));
    SN_TRY(numbers(s, sn_item_get(map, "cosine"), "1", n, q->amplitude + n, err));
    SN_TRY(numbers(s, frequency, "Hz", n, q->frequency, err));
    memcpy(q->frequency + n, q->frequency, sizeof(double) * (size_t)n);
    return numbers(s, own, "Hz", n, q->frequency + n, err);
}

static sn_status read_band(sn_study *s, const sn_item *b, sn_series *q, sn_err *err)
{
    q->band[0] = 0, q->band[1] = INFINITY;
    if (!b) return SN_OK;
    if (b->n != 2) return sn_fail(err, SN_ERR_INPUT, &b->mark, "a band is two frequencies: [0.1 Hz, 20 Hz]");
    SN_TRY(sn_read_unit(&s->arena, b->child, "Hz", &q->band[0], err));
    SN_TRY(sn_read_unit(&s->arena, b->child->next, "Hz", &q->band[1], err));
    return q->band[0] >= 0 && q->band[1] > q->band[0]
               ? SN_OK
               : sn_fail(err, SN_ERR_INPUT, &b->mark, "a band begins at 0 or above, and ends above that");
}

/* Where it grows: one term of nothing, or as many as it has grown to, whose starts come later. */
static sn_status grow_to(sn_study *s, sn_history *h, sn_err *err)
{
    sn_series *q = &h->series;
    ptrdiff_t k = h - s->history;
    if (k >= SN_MOST_GROWING)
        return sn_fail(err, SN_ERR_INPUT, &h->mark,
                       "only the first %d histories can be series without a start of their own",
                       SN_MOST_GROWING);
    q->terms = s->finer.terms[k] ? s->finer.terms[k] : 1;
    q->amplitude = sn_arena_alloc(&s->arena, 4 * (size_t)q->terms, sizeof *q->amplitude);
    if (!q->amplitude) return SN_OUT_OF_MEM(err);
    q->frequency = q->amplitude + 2 * q->terms;
    return SN_OK;
}

sn_status sn_series_read(sn_study *s, const sn_item *map, sn_history *h, sn_err *err)
{
    static const char *const kinds[] = {"shared", "separate", NULL};
    const sn_item *terms = map ? sn_item_get(map, "terms") : NULL, *start, *kind;
    sn_series *q = &h->series;
    double most = MOST_TERMS;
    *q = (sn_series){.origin = NAN, .band = {0, INFINITY}};
    h->smoothing = SN_SMOOTH_NONE;
    if (map) SN_TRY(sn_read_keys(map, sn_keys_series, "a history of the form 'series'", err));
    start = map ? sn_item_get(map, "start") : NULL, kind = map ? sn_item_get(map, "frequencies") : NULL;
    if (kind) SN_TRY(sn_history_word(kind, kinds, &q->separate, err));
    if (map) SN_TRY(read_band(s, sn_item_get(map, "band"), q, err));
    if (map) SN_TRY(sn_history_number(s, map, "time_origin", "s", -INFINITY, &q->origin, err));
    if (terms && strcmp(terms->text, "auto") != 0) {
        SN_TRY(sn_read_unit(&s->arena, terms, "1", &most, err));
        if (!(most >= 1 && most <= LARGEST) || most != floor(most))
            return sn_fail(err, SN_ERR_INPUT, &terms->mark, "'terms' is 'auto' or a number from 1 to %d",
                           LARGEST);
    }
    if (start && start->type == SN_ITEM_SCALAR && strcmp(start->text, "fft") != 0)
        return sn_fail(err, SN_ERR_INPUT, &start->mark,
                       "the start of a series is 'fft' or {offset: 60, amplitude: 110, frequency: [0.29 Hz, "
                       "...]}");
    if (start && start->type == SN_ITEM_MAP) {
        SN_TRY(read_start(s, start, q, err));
        if (terms && (int)most != q->terms)
            return sn_fail(err, SN_ERR_INPUT, &terms->mark, "'terms' is %s, but the start has %d frequencies",
                           terms->text, q->terms);
        q->most = q->terms;
    } else {
        SN_TRY(grow_to(s, h, err));
        q->most = -(int)most, q->automatic = most == MOST_TERMS && (!terms || !strcmp(terms->text, "auto"));
    }
    h->n = (q->separate ? 4 : 3) * q->terms + 1;
    if (s->finer.free && q->most < 0)
        h->form = SN_FORM_CUBIC, h->smoothing = SN_SMOOTH_TIKHONOV, h->order = 2, h->n = 0;
    return SN_OK;
}

/* {series: [0, ...], sine: [...], cosine: [...], cosine_frequency: [...]}: its numbers come later */
const char *sn_series_text(sn_study *s, const sn_history *h)
{
    int n = h->series.terms;
    char *list = sn_arena_alloc(&s->arena, 2 * (size_t)n + 1, 1);
    if (!list) return NULL;
    for (int k = 0; k < n; k++) list[2 * k] = '0', list[2 * k + 1] = k < n - 1 ? ',' : 0;
    return sn_arena_printf(&s->arena, "{series: [%s], sine: [%s], cosine: [%s], cosine_frequency: [%s]}",
                           list, list, list, h->series.separate ? list : "");
}

/* ---- unknowns ---- */

enum { FREQUENCY, SINE, COSINE, COSINE_FREQUENCY, OFFSET };
static const char *const names[] = {"frequency", "sine", "cosine", "cosine_frequency", "offset"};

/* What number i of a part is, and of which term. */
static int part_of(const sn_history *h, int i, int *term)
{
    int m = h->series.terms;
    *term = i % m;
    return i == h->n - 1 ? OFFSET : i / m;
}

/* The largest amplitude of the start; 1 where there is none. */
static double size_of(const sn_series *q)
{
    double top = fabs(q->offset);
    for (int i = 0; i < 2 * q->terms; i++) top = fmax(top, fabs(q->amplitude[i]));
    return top > 0 ? top : 1;
}

static double start_of(const sn_series *q, int what, int term)
{
    if (what == OFFSET) return q->offset;
    if (what == SINE || what == COSINE) return q->amplitude[term + (what == COSINE ? q->terms : 0)];
    return q->frequency[term + (what == COSINE_FREQUENCY ? q->terms : 0)];
}

sn_status sn_series_unknowns(sn_study *s, const sn_history_part *p, sn_err *err)
{
    const sn_history *h = &s->history[p->history];
    const sn_experiment *x = &s->experiment[p->experiment];
    const sn_series *q = &h->series;
    double length = p->end - p->begin, size = size_of(q),
           nyquist = x->n > 1 ? 0.5 * (x->n - 1) / (x->t[x->n - 1] - x->t[0]) : 0,
           top = isfinite(q->band[1]) ? q->band[1] : nyquist;
    if (!(length > 0) || !(top > q->band[0]))
        return sn_fail(err, SN_ERR_INPUT, &h->mark,
                       "'%s': no frequency is possible: the band begins at %g Hz, the data of '%s' end at %g "
                       "Hz",
                       h->name, q->band[0], x->name, nyquist);
    for (int i = 0; i < h->n; i++) {
        int term, what = part_of(h, i, &term), hertz = what == FREQUENCY || what == COSINE_FREQUENCY;
        const char *name = what == OFFSET
                               ? sn_arena_printf(&s->arena, "%s.offset", h->name)
                               : sn_arena_printf(&s->arena, "%s.%s.%d", h->name, names[what], term + 1),
                   *whole = name;
        if (name && s->n_experiment > 1) whole = sn_arena_printf(&s->arena, "%s[%s]", name, x->name);
        if (!name || !whole) return SN_OUT_OF_MEM(err);
        sn_unknown *u = &s->unknown[s->n_unknown++];
        *u = (sn_unknown){.name = whole,
                          .parameter = name,
                          .unit = hertz ? "Hz" : h->unit,
                          .shown_factor = 1,
                          .id = h->id + i,
                          .experiment = p->experiment,
                          .about_zero = 1,
                          .start = start_of(q, what, term),
                          .lower = hertz ? q->band[0] : -INFINITY,
                          .upper = hertz ? top : INFINITY,
                          .scale = hertz ? 1 / length : size,
                          .prior = NAN,
                          .prior_sd = NAN,
                          .of_series = p->history + 1,
                          .mark = h->mark};
        u->shown = u->unit;
        if (q->most < 0 && hertz) u->start = fmin(fmax(u->start, u->lower), u->upper);
        SN_TRY(sn_read_start_check(u, &h->mark, err));
    }
    return SN_OK;
}

/* ---- what was found ---- */

double sn_series_at(const sn_study *s, const sn_history_part *p, const double *x, double t, double *by)
{
    const sn_history *h = &s->history[p->history];
    const sn_series *q = &h->series;
    const double *own = x + p->first;
    double since = t - p->origin, value = own[h->n - 1];
    int m = q->terms;
    for (int i = 0; i < h->n; i++) by[i] = 0;
    by[h->n - 1] = 1;
    for (int k = 0; k < 2 * m; k++) {
        int cosine = k >= m, f = k % m + (cosine && q->separate ? 3 * m : 0);
        double a = own[m + k], w = two_pi * own[f], sn = sin(w * since), cs = cos(w * since);
        value += a * (cosine ? cs : sn);
        by[m + k] = cosine ? cs : sn;
        by[f] += two_pi * since * a * (cosine ? -sn : cs);
    }
    return value;
}

void sn_series_band(const sn_estimate *e, const sn_history_part *p, double t, double *room, double *value,
                    double *error)
{
    const sn_study *s = e->s;
    size_t n = (size_t)s->n_unknown, first = (size_t)p->first;
    double v = 0;
    *value = sn_series_at(s, p, e->value, t, room);
    for (size_t i = 0; i < (size_t)p->n; i++) room[i] *= s->unknown[first + i].scale;
    for (size_t i = 0; i < (size_t)p->n; i++)
        for (size_t j = 0; j < (size_t)p->n; j++)
            if (room[i] != 0 && room[j] != 0) /* of an amplitude of 0 nothing is known of the frequency */
                v += room[i] * room[j] * e->covariance[(first + i) * n + first + j];
    *error = sqrt(fmax(v, 0));
}

sn_status sn_series_terms(sn_estimate *e, const sn_history_part *p, sn_history_fit *q, sn_err *err)
{
    const sn_series *r = &e->s->history[p->history].series;
    size_t m = (size_t)r->terms;
    const double *x = e->value + p->first, *sd = e->std_error + p->first;
    q->n_term = r->terms;
    q->term = sn_arena_alloc(&e->arena, m + 1, sizeof *q->term);
    if (!q->term) return SN_OUT_OF_MEM(err);
    for (size_t k = 0; k < m; k++) {
        size_t at = k, f = r->separate ? 3 * m + k : k;
        sn_term term = {.frequency = {x[k], x[f]},
                        .frequency_error = {sd[k], sd[f]},
                        .amplitude = {x[m + k], x[2 * m + k]},
                        .amplitude_error = {sd[m + k], sd[2 * m + k]}};
        for (; at > 0 && q->term[at - 1].frequency[0] > term.frequency[0]; at--)
            q->term[at] = q->term[at - 1];
        q->term[at] = term;
    }
    q->separate = r->separate;
    q->grown = r->because;
    q->offset = x[p->n - 1], q->offset_error = sd[p->n - 1];
    return SN_OK;
}
