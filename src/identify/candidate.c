/* Which numbers of a model could be unknowns that nobody has asked for. */
#include "identify/candidate.h"
#include "model/values.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 96, MOST_ASKED = 400, LONG_SLOT = 6 };
/* Where several do equally well, what is believed first. */
enum { MISSING, PARAMETER, NUMBER, FOLLOWS, INITIAL, GEOMETRY };

static const char *const singular[SN_SEC_COUNT] = {"parameter", "material", "section", "shape",  "mesh",
                                                   "node",      "element",  "joint",   "signal", "sensor"};

/* ---- words ---- */

static int is_filler(const char *word)
{
    static const char *const filler[] = {"at", "in", "of", "the", "a", "an", "on", "for", "to", "and"};
    for (size_t i = 0; i < sizeof filler / sizeof *filler; i++)
        if (!strcmp(word, filler[i])) return 1;
    return 0;
}

/* Is the word in the text, whatever the case? */
static int has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (; *text; text++) {
        size_t i = 0;
        while (i < n && tolower((unsigned char)text[i]) == word[i]) i++;
        if (i == n) return 1;
    }
    return n == 0;
}

/* All words of text up to the next comma. */
static int matches_all(const char *words, const char *const *texts)
{
    while (*words && *words != ',') {
        char word[128];
        size_t n = 0;
        for (; *words && *words != ',' && !isspace((unsigned char)*words); words++)
            if (n + 1 < sizeof word) word[n++] = (char)tolower((unsigned char)*words);
        word[n] = 0;
        while (isspace((unsigned char)*words)) words++;
        int found = !n || is_filler(word);
        for (const char *const *t = texts; *t && !found; t++) found = has_word(*t, word);
        if (!found) return 0;
    }
    return 1;
}

static int matches(const char *words, const char *const *texts)
{
    for (const char *w = words; w; w = strchr(w, ',')) {
        if (*w == ',') w++;
        while (isspace((unsigned char)*w)) w++;
        if (*w && matches_all(w, texts)) return 1;
    }
    return !words[strspn(words, " ,")]; /* no words at all: everything */
}

/* ---- one number ---- */

static int is_taken(const sn_study *s, int id)
{
    const sn_model *m = s->model;
    for (int k = 0; k < s->n_unknown; k++)
        if (s->unknown[k].id == id) return 1;
    for (int k = 0; k < s->n_tie; k++)
        if (s->tie[k].id == id) return 1;
    for (int k = 0; k < m->n_node; k++)
        if (m->node[k].ground && id >= m->node[k].s && id < m->node[k].s + m->node[k].ns) return 1;
    return id >= m->run.first && id < m->run.first + m->run.n;
}

/* A slot that only repeats a parameter that nobody else uses is that parameter. */
static int is_alias(const sn_model *m, const sn_values *v, const int *users, int id)
{
    const sn_expr *e = v->fixed[id] ? NULL : m->quantity[id].expr;
    return e && sn_expr_nvar(e) == 1 && sn_expr_var(e, 0) < SN_VAR_SIGNAL && users[sn_expr_var(e, 0)] == 1;
}

/* How soon it is believed; -1: it is no candidate. */
static int order_of(const sn_model *m, const sn_values *v, int id, int asked)
{
    const sn_quantity *q = &m->quantity[id];
    const sn_slot *slot = q->slot;
    int follows = q->expr && !v->fixed[id];
    if (id >= m->gravity && id < m->gravity + 3) return id - m->gravity < m->dim ? NUMBER : -1;
    if (q->name || q->section < 0 || q->section >= SN_SEC_COUNT) return -1;
    if (q->section == SN_SEC_PARAMETERS) return follows ? -1 : PARAMETER;
    if (!slot) return -1;
    int offset = slot->flags & (SN_ON_NODE1 | SN_ON_NODE2) ? 1 : 0,
        direction = (slot->flags & SN_ROTATES) && (!slot->unit[0] || !strcmp(slot->unit, "1"));
    int geometry = (slot->flags & (SN_PLACED | SN_WINDS)) || direction || q->section == SN_SEC_SENSORS ||
                   q->section == SN_SEC_SHAPES || q->section == SN_SEC_MESHES || slot->n == 0 ||
                   slot->n > LONG_SLOT || (q->section == SN_SEC_JOINTS && !(slot->flags & SN_FRICTION));
    if ((slot->flags & SN_LEVERAGE) && v->x[id] == 0) return -1; /* it is lifted for what it makes act */
    if (geometry) return asked ? GEOMETRY : -1;
    if (q->section == SN_SEC_NODES || offset) return INITIAL;
    if (follows) return FOLLOWS;
    return v->x[id] == 0 && slot->lo == 0 ? MISSING : NUMBER;
}

/* The lever of a joint's friction where it is 0: without it there is none. */
static int lever_of(const sn_model *m, const sn_values *v, int id)
{
    const sn_quantity *q = &m->quantity[id];
    if (q->section != SN_SEC_JOINTS || !q->slot || !(q->slot->flags & SN_FRICTION) || q->slot->unit[0])
        return -1;
    const sn_entry *e = &m->entry[q->section][q->owner];
    for (int k = 0, at = e->first; e->slots[k].name; at += e->slot_n[k++])
        if ((e->slots[k].flags & SN_LEVERAGE) && at != id && v->x[at] == 0) return at;
    return -1;
}

static sn_status describe(const sn_study *s, const sn_values *v, int id, sn_arena *arena, sn_candidate *c)
{
    const sn_model *m = s->model;
    const sn_quantity *q = &m->quantity[id];
    char room[600];
    const char *full = sn_quantity_name(m, id, room, sizeof room), *dot = strchr(full, '.');
    const char *name = sn_quantity_short(m, id, full);
    const char *entry = q->name ? "" : m->entry[q->section][q->owner].name;
    const char *slot = q->slot ? q->slot->name : "", *part = strrchr(name, '.');
    *c = (sn_candidate){.id = id, .now = v->x[id], .lower = -INFINITY, .upper = INFINITY, .lever = -1};
    if (q->slot) {
        c->lower = q->slot->lo, c->upper = q->slot->hi;
        if (q->slot->flags & SN_POSITIVE) c->lower = fmax(c->lower, 1e-6 * fabs(c->now));
        if (q->slot->n == 0 && strchr(slot, '.')) /* "plies.angle" of an item: plies.3.angle */
            slot = name + strlen(entry) + (name == full ? (size_t)(dot - full) + 2 : 1);
        else if (q->slot->n != 1 && part && strcmp(part + 1, slot) != 0)
            slot = sn_arena_printf(arena, "%s.%s", slot, part + 1);
    } else if (q->name) {
        slot = q->name;
    }
    c->lever = lever_of(m, v, id);
    c->name = sn_arena_strndup(arena, name, strlen(name));
    c->place = q->name ? "the model" : sn_arena_printf(arena, "%s %s", singular[q->section], entry);
    c->entry = entry, c->slot = slot;
    c->unit = q->slot && q->slot->unit && strcmp(q->slot->unit, "1") != 0 ? q->slot->unit : "";
    if (q->name) c->unit = "m/s^2";
    c->doc = q->slot && q->slot->doc ? q->slot->doc : q->name ? "acceleration of gravity" : "";
    return c->name && c->place && c->slot ? SN_OK : SN_ERR_MEMORY;
}

/* ---- all ---- */

/* Does the number a follow from b? */
static int follows_from(const sn_model *m, const sn_values *v, int a, int b)
{
    const sn_expr *e = v->fixed[a] ? NULL : m->quantity[a].expr;
    for (int i = 0; e && i < sn_expr_nvar(e); i++) {
        int id = sn_expr_var(e, i);
        if (id == b || (id < SN_VAR_SIGNAL && follows_from(m, v, id, b))) return 1;
    }
    return 0;
}

static int sooner(const void *a, const void *b)
{
    const sn_candidate *x = a, *y = b;
    return x->order != y->order ? x->order - y->order : x->id - y->id;
}

static void make_blocks(const sn_study *s, const sn_values *v, sn_candidates *c)
{
    const sn_model *m = s->model;
    for (int i = 0; i < c->n; i++) {
        sn_candidate *x = &c->item[i];
        int taken = 1;
        for (x->block = -1; taken;) {
            x->block++, taken = 0;
            for (int k = 0; k < i && !taken; k++)
                taken = c->item[k].block == x->block && (follows_from(m, v, x->id, c->item[k].id) ||
                                                         follows_from(m, v, c->item[k].id, x->id));
        }
    }
}

static void count_users(const sn_model *m, const sn_values *v, int *users)
{
    for (int id = 0; id < m->n_quantity; id++) {
        const sn_expr *e = v->fixed[id] ? NULL : m->quantity[id].expr;
        for (int i = 0; e && i < sn_expr_nvar(e); i++)
            if (sn_expr_var(e, i) < SN_VAR_SIGNAL) users[sn_expr_var(e, i)]++;
    }
}

static sn_status collect(const sn_study *s, const sn_values *v, const char *words, const int *users,
                         sn_arena *arena, sn_candidates *out, sn_err *err)
{
    const sn_model *m = s->model;
    int last = m->first_piece > 0 && m->first_piece < m->n_quantity ? m->first_piece : m->n_quantity;
    for (int id = 0; id < last; id++) {
        const sn_quantity *q = &m->quantity[id];
        sn_candidate *c = &out->item[out->n];
        int order = order_of(m, v, id, words != NULL);
        if (order < 0 || q->varies || q->structural || (q->tapers && !v->fixed[id]) || !isfinite(v->x[id]) ||
            is_taken(s, id) || is_alias(m, v, users, id))
            continue;
        if (describe(s, v, id, arena, c)) return SN_OUT_OF_MEM(err);
        const char *const texts[] = {c->name, c->place, c->doc, NULL};
        c->order = order;
        if (!words || matches(words, texts)) out->n++;
    }
    return SN_OK;
}

sn_status sn_candidates_list(const sn_study *s, const char *words, sn_arena *arena, sn_candidates *out,
                             sn_err *err)
{
    const sn_model *m = s->model;
    const sn_values *v = s->experiment[0].values;
    int most = s->trying == SN_TRY_ALWAYS ? MOST_ASKED : MOST, *users;
    for (int e = s->n_experiment - 1; e >= 0; e--)
        if (!s->experiment[e].hold_out) v = s->experiment[e].values;
    *out = (sn_candidates){.named = -1};
    out->item = sn_arena_alloc(arena, (size_t)m->n_quantity + 1, sizeof *out->item);
    if (!out->item || !SN_NEW(users, m->n_quantity + 1)) return SN_OUT_OF_MEM(err);
    count_users(m, v, users);
    sn_status status = collect(s, v, words, users, arena, out, err);
    sn_free(users);
    SN_TRY(status);
    qsort(out->item, (size_t)out->n, sizeof *out->item, sooner);
    if (out->n > most) out->left_out = out->n - most, out->n = most;
    make_blocks(s, v, out);
    return SN_OK;
}
