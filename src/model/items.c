/* Lists of items: `plies: [{material: carbon, thickness: 1 mm}, ...]`. A slot called "plies.thickness" is the
   number `thickness` of every item of the list `plies`; in->slot_n says how many items there are. The list is
   written item by item, or as one map of columns, `plies: {thickness: 1 mm, angle: [0, 90 deg]}`, in which
   one number stands for all items. `repeat: n` repeats it, `symmetric: yes` then appends it backwards;
   numbers of repeated items follow those of the items as written.

   An item may name a material and so on of its own: formulas of its numbers look there first, then at what
   the entry names. An element that has no list itself has that of its section, shape or material, number by
   number. */
#include "model/compile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REPEATED = 1000 };

size_t sn_slot_list(const sn_slot *s)
{
    const char *dot = strchr(s->name, '.');
    return dot ? (size_t)(dot - s->name) : 0;
}

/* Whether a slot belongs to the list that slot `first` belongs to. */
static int same_list(const sn_slot *first, const sn_slot *s)
{
    size_t n = sn_slot_list(first);
    return s->name && n && sn_slot_list(s) == n && !strncmp(first->name, s->name, n);
}

/* The key within an item. */
static const char *key_of(const sn_slot *s) { return s->name + sn_slot_list(s) + 1; }

static const char *list_key(sn_compiler *c, const sn_slot *first)
{
    return sn_arena_strndup(&c->m->arena, first->name, sn_slot_list(first));
}

/* What was written of the list that slot `first` belongs to; or NULL. */
static const sn_item *written(const sn_item *entry, const sn_slot *first)
{
    size_t n = sn_slot_list(first);
    for (const sn_item *k = entry && entry->type == SN_ITEM_MAP ? entry->child : NULL; k; k = k->next)
        if (strlen(k->key) == n && !strncmp(k->key, first->name, n)) return k;
    return NULL;
}

/* The property of an entry that has numbers of this name, and which of its slots they are; -1: none. */
static int inherits(const sn_model *m, const sn_entry *e, const char *name, int *slot)
{
    for (int g = 0; g < SN_PROPERTIES; g++) {
        const sn_entry *p = e->property[g] < 0 ? NULL : &m->entry[SN_SEC_MATERIALS + g][e->property[g]];
        for (*slot = 0; p && p->slots && p->slot_n && p->slots[*slot].name; ++*slot)
            if (!strcmp(p->slots[*slot].name, name)) return g;
    }
    return -1;
}

int sn_entry_has_items(const sn_compiler *c, const sn_entry *e)
{
    int k;
    for (const sn_slot *s = e->slots; s && s->name; s++)
        if (sn_slot_list(s) && (written(e->item, s) || inherits(c->m, e, s->name, &k) >= 0)) return 1;
    return 0;
}

unsigned sn_item_groups(const sn_slot *s)
{
    unsigned mask = 0;
    for (; s && s->name; s++)
        if (sn_slot_list(s)) mask |= sn_formula_groups(s->formula);
    return mask;
}

/* ---- what is written ---- */

/* One item: its map (or that of all columns), what it names, and whether something was said of it. */
typedef struct row {
    const sn_item *map;
    int property[SN_PROPERTIES], told;
} row;

typedef struct list {
    int section, index; /* of the entry */
    const sn_slot *first;
    const sn_item *item;
    int columns; /* a map of columns */
    int n, total, symmetric;
    row *row; /* n of them */
} list;

static const char *kind_and_name(sn_compiler *c, const list *l)
{
    const sn_entry *e = &c->m->entry[l->section][l->index];
    const char *text = sn_arena_printf(c->items, "%s '%s'", sn_entry_kind(l->section, e->cls), e->name);
    return text ? text : e->name;
}

/* `repeat` and `symmetric` of an entry. */
static sn_status arrangement(sn_compiler *c, const sn_item *entry, int *repeat, int *symmetric)
{
    const sn_item *k = sn_item_get(entry, "repeat");
    *repeat = 1, *symmetric = 0;
    if (k) {
        char *end = NULL;
        long n = k->type == SN_ITEM_SCALAR ? strtol(k->text, &end, 10) : 0;
        if (!end || end == k->text || *end || n < 1 || n > MOST_REPEATED)
            return sn_fail(c->err, SN_ERR_INPUT, &k->mark, "'repeat' must be a whole number from 1 to %d",
                           MOST_REPEATED);
        *repeat = (int)n;
    }
    if ((k = sn_item_get(entry, "symmetric"))) {
        *symmetric = k->type == SN_ITEM_SCALAR ? sn_choice("no|yes", k->text) : -1;
        if (*symmetric < 0) return sn_fail(c->err, SN_ERR_INPUT, &k->mark, "'symmetric' is one of no|yes");
    }
    return SN_OK;
}

/* Keys of an item: numbers, and groups that their formulas name. */
static sn_status item_keys(sn_compiler *c, const list *l, const sn_item *map)
{
    unsigned groups = sn_item_groups(l->first);
    c->n_key = 0;
    for (const sn_slot *s = l->first; same_list(l->first, s); s++) SN_TRY(sn_key_add(c, key_of(s)));
    for (int g = 0; g < SN_PROPERTIES; g++)
        if (groups & 1u << g) SN_TRY(sn_key_add(c, sn_property_key[g]));
    SN_TRY(sn_key_add(c, "note"));
    sn_unknown_keys(c, l->section, &c->m->entry[l->section][l->index], map, NULL);
    return SN_OK;
}

/* How many items a map of columns has: as many as its lists, which agree. -1: reported. */
static int column_count(sn_compiler *c, const list *l)
{
    const sn_item *longest = NULL;
    for (const sn_item *k = l->item->child; k; k = k->next) {
        if (k->type != SN_ITEM_LIST) continue;
        if (longest && longest->n != k->n)
            return sn_fail(c->err, SN_ERR_INPUT, &k->mark, "%s: '%s' has %d numbers, '%s' has %d",
                           kind_and_name(c, l), k->key, k->n, longest->key, longest->n),
                   -1;
        longest = k;
    }
    return longest ? longest->n : 1;
}

/* What is written for item i under a key; or NULL. */
static const sn_item *cell(const list *l, int i, const char *key)
{
    const sn_item *k = sn_item_get(l->row[i].map, key);
    if (!l->columns || !k || k->type != SN_ITEM_LIST) return k;
    k = k->child;
    while (i-- > 0 && k) k = k->next;
    return k;
}

/* Where item i is written. */
static const sn_mark *place(const list *l, int i) { return &l->row[i].map->mark; }

/* Materials and so on that item i names, else those of the entry. */
static void refer(sn_compiler *c, list *l, int i)
{
    const sn_entry *e = &c->m->entry[l->section][l->index];
    for (int g = 0; g < SN_PROPERTIES; g++) {
        const sn_item *k = cell(l, i, sn_property_key[g]);
        int *to = &l->row[i].property[g];
        *to = e->property[g];
        if (!k) continue;
        if (k->type != SN_ITEM_SCALAR || !k->text[0])
            sn_fail(c->err, SN_ERR_INPUT, &k->mark, "'%s' of an item is a name from the section '%s'",
                    sn_property_key[g], sn_section_name[SN_SEC_MATERIALS + g]);
        else if ((*to = sn_entry_find(c, SN_SEC_MATERIALS + g, e->scope, k->text)) < 0)
            sn_unknown_name(c, SN_SEC_MATERIALS + g, e->scope, k, sn_property_key[g]);
        l->row[i].told |= *to < 0;
    }
}

/* The items as written; l->n 0 with a report where they are none. */
static sn_status open_list(sn_compiler *c, list *l)
{
    const sn_item *it = l->item;
    int repeat, n = it->type == SN_ITEM_LIST ? it->n : 0;
    l->n = l->total = 0;
    l->columns = it->type == SN_ITEM_MAP;
    if (l->columns) n = column_count(c, l);
    if (n < 1)
        return n < 0 ? SN_ERR_INPUT
                     : sn_fail(c->err, SN_ERR_INPUT, &it->mark,
                               "%s: '%s' is a list of maps, [{%s: ...}, ...], or a map of lists",
                               kind_and_name(c, l), it->key, key_of(l->first));
    SN_TRY(arrangement(c, c->m->entry[l->section][l->index].item, &repeat, &l->symmetric));
    l->row = sn_arena_alloc(&c->m->arena, (size_t)n, sizeof *l->row);
    if (!l->row) return SN_OUT_OF_MEM(c->err);
    const sn_item *k = l->columns ? it : it->child;
    if (l->columns) SN_TRY(item_keys(c, l, it));
    for (int i = 0; i < n; i++, k = l->columns ? k : k->next) {
        l->row[i].map = k;
        if (k->type != SN_ITEM_MAP)
            return sn_fail(c->err, SN_ERR_INPUT, &k->mark, "%s: each of '%s' is a map, {%s: ...}",
                           kind_and_name(c, l), it->key, key_of(l->first));
        if (!l->columns) SN_TRY(item_keys(c, l, k));
        refer(c, l, i);
    }
    l->n = n, l->total = n * repeat * (l->symmetric ? 2 : 1);
    return SN_OK;
}

/* ---- numbers ---- */

/* Which of the written items item i repeats. */
static int origin(const list *l, int i)
{
    int half = l->total / 2;
    return (l->symmetric && i >= half ? l->total - 1 - i : i) % l->n;
}

/* 45, where 45 deg is meant. */
static int bare(const char *text)
{
    char *end;
    double x = strtod(text, &end);
    return end != text && !end[strspn(end, " \t")] && x != 0;
}

static sn_status from_text(sn_compiler *c, const list *l, const sn_slot *slot, const sn_item *k, int id)
{
    const sn_entry *e = &c->m->entry[l->section][l->index];
    if (k->type != SN_ITEM_SCALAR || !k->text[0])
        return sn_fail(c->err, SN_ERR_INPUT, &k->mark, "%s: '%s' must be a number or an expression",
                       kind_and_name(c, l), slot->name);
    if ((slot->flags & SN_WITH_UNIT) && bare(k->text))
        return sn_fail(c->err, SN_ERR_INPUT, &k->mark, "'%s' needs a unit: %s deg, or %s rad", slot->name,
                       k->text, k->text);
    return sn_quantity_later(c, (sn_pending){.quantity = id,
                                             .text = k->text,
                                             .mark = k->mark,
                                             .section = l->section,
                                             .entry = l->index,
                                             .scope = e->scope});
}

/* The group that a slot's formula names and that item i does not have; -1: there is none. */
static int lacks(const list *l, const sn_slot *slot, int i)
{
    unsigned mask = sn_formula_groups(slot->formula);
    for (int g = 0; g < SN_PROPERTIES; g++)
        if ((mask & 1u << g) && l->row[i].property[g] < 0) return g;
    return -1;
}

/* What nobody wrote: by the formula from what the item names, else the default. */
static sn_status by_default(sn_compiler *c, const list *l, const sn_slot *slot, int i, int id)
{
    int g = slot->formula ? lacks(l, slot, i) : -1;
    sn_quantity *q = &c->m->quantity[id];
    q->value = slot->def;
    if (slot->formula && g < 0)
        return sn_quantity_later(c, (sn_pending){.quantity = id,
                                                 .text = slot->formula,
                                                 .mark = q->mark,
                                                 .section = l->section,
                                                 .entry = l->index,
                                                 .scope = c->m->entry[l->section][l->index].scope,
                                                 .formula = 1,
                                                 .property = l->row[i].property});
    if (!isnan(slot->def) || l->row[i].told) return SN_OK;
    l->row[i].told = 1;
    if (g >= 0)
        return sn_fail(c->err, SN_ERR_INPUT, place(l, i), "%s: number %d of '%s' has no '%s', and no '%s'",
                       kind_and_name(c, l), i + 1, l->item->key, sn_property_key[g], key_of(slot));
    return sn_fail(c->err, SN_ERR_INPUT, place(l, i), "%s: number %d of '%s' has no '%s' (%s%s%s)",
                   kind_and_name(c, l), i + 1, l->item->key, key_of(slot), slot->doc,
                   slot->unit[0] ? ", in " : "", slot->unit);
}

/* All numbers of one slot. */
static sn_status numbers(sn_compiler *c, const list *l, int k)
{
    sn_model *m = c->m;
    const sn_slot *slot = &m->entry[l->section][l->index].slots[k];
    const sn_item *column = l->columns ? sn_item_get(l->item, key_of(slot)) : NULL;
    int alike = column && column->type == SN_ITEM_SCALAR, first = m->n_quantity;
    if (alike) m->entry[l->section][l->index].alike |= 1ULL << k;
    for (int i = 0, id; i < l->total; i++) {
        int of = alike ? 0 : origin(l, i);
        const sn_item *text = cell(l, of, key_of(slot));
        SN_TRY(sn_quantity_slot(c, l->section, l->index, slot, text ? &text->mark : place(l, of), &id));
        if (of < i)
            SN_TRY(sn_quantity_follow(c, id, first + of));
        else if (text)
            SN_MUST(from_text(c, l, slot, text, id));
        else
            SN_MUST(by_default(c, l, slot, i, id));
    }
    return SN_OK;
}

/* The numbers of slot k are those of the property that has a slot of its name. */
static sn_status follow_property(sn_compiler *c, int section, int index, int k)
{
    sn_model *m = c->m;
    sn_entry *e = &m->entry[section][index];
    int slot, g = inherits(m, e, e->slots[k].name, &slot);
    if (g < 0) return SN_OK;
    const sn_entry *p = &m->entry[SN_SEC_MATERIALS + g][e->property[g]];
    int from = p->first;
    for (int j = 0; j < slot; j++) from += p->slot_n[j];
    e->slot_n[k] = p->slot_n[slot];
    e->bad |= p->bad;
    for (int i = 0, id; i < e->slot_n[k]; i++) {
        SN_TRY(sn_quantity_slot(c, section, index, &e->slots[k], &m->quantity[from + i].mark, &id));
        SN_TRY(sn_quantity_follow(c, id, from + i));
    }
    return SN_OK;
}

sn_status sn_item_slots(sn_compiler *c, int section, int index, int *k)
{
    const sn_entry *e = &c->m->entry[section][index];
    const sn_slot *first = &e->slots[*k];
    list l = {.section = section, .index = index, .first = first, .item = written(e->item, first)};
    if (l.item) SN_MUST(open_list(c, &l));
    for (; same_list(first, &e->slots[*k]); ++*k) {
        e->slot_n[*k] = l.total;
        if (l.item)
            SN_TRY(numbers(c, &l, *k));
        else
            SN_TRY(follow_property(c, section, index, *k));
    }
    const sn_item *r = sn_item_get(e->item, "repeat"), *s = sn_item_get(e->item, "symmetric");
    if (!l.item && (r || s))
        sn_fail(c->err, SN_ERR_INPUT, r ? &r->key_mark : &s->key_mark,
                "'%s' goes with a list '%s' in the same entry", r ? "repeat" : "symmetric",
                sn_list_name(c, e));
    else if (!l.item && section != SN_SEC_ELEMENTS) {
        const char *key = list_key(c, first);
        if (!key) return SN_OUT_OF_MEM(c->err);
        sn_fail(c->err, SN_ERR_INPUT, &e->item->key_mark, "%s '%s': '%s' is missing",
                sn_entry_kind(section, e->cls), e->name, key);
    }
    return SN_OK;
}

const char *sn_list_name(sn_compiler *c, const sn_entry *e)
{
    const sn_slot *s = e->slots;
    while (s->name && !sn_slot_list(s)) s++;
    const char *key = s->name ? list_key(c, s) : NULL;
    return key ? key : "";
}

sn_status sn_list_keys(sn_compiler *c, const sn_slot *slots)
{
    const char *key;
    int some = 0;
    for (const sn_slot *s = slots; s && s->name; s++) {
        if (!sn_slot_list(s) || (s > slots && same_list(s - 1, s))) continue;
        if (!(key = list_key(c, s))) return SN_OUT_OF_MEM(c->err);
        SN_TRY(sn_key_add(c, key));
        some = 1;
    }
    if (!some) return SN_OK;
    SN_TRY(sn_key_add(c, "repeat"));
    return sn_key_add(c, "symmetric");
}
