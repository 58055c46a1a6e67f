/* Keys, options and slots of the entries: one quantity for each number. The grammar is in the tables of the
   kinds; this file only applies it. */
#include "model/compile.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const sn_slot *class_slots(int section, const void *cls)
{
    switch (section) {
    case SN_SEC_MATERIALS:
    case SN_SEC_SECTIONS:
    case SN_SEC_SHAPES:
    case SN_SEC_MESHES:
        return ((const sn_property_class *)cls)->slots;
    case SN_SEC_NODES:
        return ((const sn_node_class *)cls)->slots;
    case SN_SEC_ELEMENTS:
        return ((const sn_element_class *)cls)->slots;
    case SN_SEC_JOINTS:
        return ((const sn_joint_class *)cls)->slots;
    case SN_SEC_SIGNALS:
        return ((const sn_signal_class *)cls)->slots;
    case SN_SEC_SENSORS:
        return ((const sn_sensor_class *)cls)->slots;
    default:
        return NULL;
    }
}

/* ---- options ---- */

int sn_choice(const char *choices, const char *text)
{
    if (!strcmp(choices, "no|yes")) {
        if (!strcmp(text, "true") || !strcmp(text, "on")) return 1;
        if (!strcmp(text, "false") || !strcmp(text, "off")) return 0;
    }
    size_t n = strlen(text);
    for (int i = 0; choices; i++) {
        size_t k = strcspn(choices, "|");
        if (k == n && !strncmp(choices, text, n)) return i;
        choices = choices[k] ? choices + k + 1 : NULL;
    }
    return -1;
}

static sn_status entry_options(sn_compiler *c, int section, sn_entry *e)
{
    const sn_option *o = sn_entry_options(section, e->cls);
    int n = 0;
    while (o && o[n].name) n++;
    e->opt = sn_arena_alloc(&c->m->arena, (size_t)n + 1, sizeof *e->opt);
    if (!e->opt) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < n; i++) {
        const sn_item *k = sn_item_get(e->item, o[i].name);
        e->opt[i] = o[i].def;
        if (!k || o[i].choices[0] == '@') continue; /* coordinates, places: when they are known */
        if (!strcmp(o[i].choices, "#")) {
            char *end = NULL;
            long v = k->type == SN_ITEM_SCALAR ? strtol(k->text, &end, 10) : 0;
            if (!end || end == k->text || *end || labs(v) > INT_MAX)
                sn_fail(c->err, SN_ERR_INPUT, &k->mark, "'%s' must be a whole number", o[i].name);
            else
                e->opt[i] = (int)v;
        } else if (k->type != SN_ITEM_SCALAR || (e->opt[i] = sn_choice(o[i].choices, k->text)) < 0) {
            e->opt[i] = o[i].def;
            sn_fail(c->err, SN_ERR_INPUT, &k->mark, "'%s' is one of %s", o[i].name, o[i].choices);
        }
    }
    return SN_OK;
}

/* ---- keys ---- */

static const char *key_at(int i, const void *ctx) { return ((const sn_compiler *)ctx)->key[i]; }

sn_status sn_key_add(sn_compiler *c, const char *name)
{
    if (sn_grow(&c->key, &c->cap_key, c->n_key + 1, sizeof *c->key)) return SN_OUT_OF_MEM(c->err);
    c->key[c->n_key++] = name;
    return SN_OK;
}

static sn_status slot_keys(sn_compiler *c, const sn_slot *s)
{
    for (; s && s->name; s++)
        if (!sn_slot_list(s)) SN_TRY(sn_key_add(c, s->name));
    return SN_OK;
}

/* All keys that an entry may have besides its kind. */
static sn_status known_keys(sn_compiler *c, int section, const sn_entry *e)
{
    c->n_key = 0;
    unsigned plain = 0, groups = sn_entry_groups(section, e, &plain);
    SN_TRY(sn_key_add(c, "note"));
    SN_TRY(slot_keys(c, e->slots));
    SN_TRY(sn_list_keys(c, e->slots));
    for (int g = 0; g < SN_PROPERTIES; g++)
        if (groups & 1u << g) SN_TRY(sn_key_add(c, sn_property_key[g]));
    for (const sn_option *o = sn_entry_options(section, e->cls); o && o->name; o++)
        SN_TRY(sn_key_add(c, o->name));
    if (section == SN_SEC_ELEMENTS) {
        const sn_element_class *cls = e->cls;
        if (cls->geometry) SN_TRY(sn_key_add(c, "colour"));
        if (sn_element_mesh(cls)) SN_TRY(sn_key_add(c, "elements"));
        if (cls->file) SN_TRY(sn_key_add(c, cls->file->key));
        if (sn_reduces_in_place(cls)) SN_TRY(sn_key_add(c, "reduce"));
        if (cls->tie) SN_TRY(sn_key_add(c, cls->tie->key));
        for (const sn_property_class *const *p = sn_property_all(); *p; p++)
            if (plain & 1u << (*p)->section) SN_TRY(slot_keys(c, (*p)->slots));
    }
    if (section == SN_SEC_SIGNALS && (sn_entry_args(section, e->cls)->what & SN_ARG_FILE))
        SN_TRY(sn_key_add(c, "columns"));
    if ((section == SN_SEC_ELEMENTS || section == SN_SEC_JOINTS) &&
        (sn_entry_args(section, e->cls)->what & SN_ARG_NODE))
        SN_TRY(sn_key_add(c, "spread"));
    if (section == SN_SEC_MESHES && ((const sn_property_class *)e->cls)->form) {
        SN_TRY(sn_key_add(c, "elements"));
        SN_TRY(sn_key_add(c, "shares"));
    }
    return SN_OK;
}

static sn_status entry_keys(sn_compiler *c, int section, sn_entry *e)
{
    if (!e->item || e->item->type != SN_ITEM_MAP || e->set_of >= 0) return SN_OK;
    SN_TRY(known_keys(c, section, e));
    if (e->arg && sn_entry_args(section, e->cls)->what == SN_ARG_NONE &&
        (e->arg->type != SN_ITEM_SCALAR || e->arg->text[0]))
        sn_fail(c->err, SN_ERR_INPUT, &e->arg->mark,
                "'%s:' takes no value here: its numbers are keys of their own, {%s: , %s: ...}", e->arg->key,
                e->arg->key, e->slots->name);
    sn_unknown_keys(c, section, e, e->item, e->of_joint || e->arg == e->item->child ? e->item->child : NULL);
    return SN_OK;
}

void sn_unknown_keys(sn_compiler *c, int section, const sn_entry *e, const sn_item *map, const sn_item *but)
{
    for (const sn_item *k = map->child; k; k = k->next) {
        int known = k == but;
        for (int i = 0; i < c->n_key && !known; i++) known = !strcmp(k->key, c->key[i]);
        if (known) continue;
        const char *near = sn_nearest(k->key, c->n_key, key_at, c);
        sn_fail(c->err, SN_ERR_INPUT, &k->key_mark, "%s '%s': unknown key '%s'%s%s%s",
                sn_entry_kind(section, e->cls), e->name, k->key, near ? " (did you mean '" : "",
                near ? near : "", near ? "'?)" : "");
    }
}

/* ---- slots ---- */

static const char *formula_part(sn_compiler *c, const char *formula, int i)
{
    for (; i > 0 && formula; i--) {
        formula = strchr(formula, ';');
        if (formula) formula++;
    }
    return formula ? sn_arena_strndup(&c->m->arena, formula + strspn(formula, " "),
                                      strcspn(formula + strspn(formula, " "), ";"))
                   : "0";
}

sn_status sn_slot_value(sn_compiler *c, int section, int index, const sn_slot *slot, const sn_item *k, int i,
                        int id)
{
    sn_entry *e = &c->m->entry[section][index];
    sn_quantity *q = &c->m->quantity[id];
    if (k) {
        if (k->type != SN_ITEM_SCALAR || !k->text[0])
            return sn_fail(c->err, SN_ERR_INPUT, &k->mark, "%s '%s': '%s' must be a number or an expression",
                           sn_entry_kind(section, e->cls), e->name, slot->name);
        return sn_quantity_later(c, (sn_pending){.quantity = id,
                                                 .text = k->text,
                                                 .mark = k->mark,
                                                 .section = section,
                                                 .entry = index,
                                                 .scope = e->scope,
                                                 .varies = slot->flags & SN_VARIES});
    }
    if (slot->formula && (section != SN_SEC_ELEMENTS || sn_slot_property(slot, e->item) >= 0)) {
        const char *text = formula_part(c, slot->formula, i);
        if (!text) return SN_OUT_OF_MEM(c->err);
        return sn_quantity_later(c, (sn_pending){.quantity = id,
                                                 .text = text,
                                                 .mark = q->mark,
                                                 .section = section,
                                                 .entry = index,
                                                 .scope = e->scope,
                                                 .formula = 1});
    }
    q->value = slot->def;
    if (isnan(slot->def) && (!sn_is_property(section) || slot->flags & SN_NEEDED))
        return i ? SN_OK
                 : sn_fail(c->err, SN_ERR_INPUT, &q->mark, "%s '%s': '%s' is missing (%s%s%s%s)",
                           sn_entry_kind(section, e->cls), e->name, slot->name, slot->doc,
                           slot->unit[0] ? ", in " : "", slot->unit, "");
    return SN_OK;
}

/* Numbers given to a slot, or 0 with a report when their count is wrong. */
static int slot_count(sn_compiler *c, int section, const sn_entry *e, const sn_slot *slot,
                      const sn_item *item)
{
    if (!item) return slot->n;
    int n = item->type == SN_ITEM_LIST ? item->n : 1;
    if ((slot->flags & SN_ALIKE) && item->type == SN_ITEM_SCALAR) return slot->n;
    if (item->type == SN_ITEM_MAP || (slot->n && n != slot->n)) {
        if (slot->n == 1)
            sn_fail(c->err, SN_ERR_INPUT, &item->mark, "%s '%s': '%s' is one number",
                    sn_entry_kind(section, e->cls), e->name, slot->name);
        else
            sn_fail(c->err, SN_ERR_INPUT, &item->mark, "%s '%s': '%s' needs %s%.0d numbers, [..., ...]%s",
                    sn_entry_kind(section, e->cls), e->name, slot->name, slot->n ? "" : "a list of ", slot->n,
                    slot->flags & SN_ALIKE ? ", or one for all" : "");
        return -1;
    }
    return n;
}

const sn_item *sn_slot_item(int section, const sn_entry *e, const sn_slot *slot)
{
    if (slot == e->slots && (sn_entry_args(section, e->cls)->what & SN_ARG_SLOT) && e->arg) return e->arg;
    return e->item ? sn_item_get(e->item, slot->name) : NULL;
}

/* Pairs [[t, y], ...] of a table, or the columns of a CSV file: both fill slots 0 and 1. */
static sn_status table_slots(sn_compiler *c, int section, int index)
{
    sn_model *m = c->m;
    sn_entry *e = &m->entry[section][index];
    const sn_item *arg = e->arg;
    const double *x[2] = {NULL, NULL};
    int rows = 0;
    if (arg->type == SN_ITEM_LIST) {
        rows = arg->n;
        for (const sn_item *k = arg->child; k; k = k->next)
            if (k->type != SN_ITEM_LIST || k->n != 2)
                return sn_fail(c->err, SN_ERR_INPUT, &k->mark, "%s '%s': each row is a pair [t, y]",
                               sn_entry_kind(section, e->cls), e->name);
    } else {
        const char *column[2] = {NULL, NULL};
        const sn_item *names = sn_item_get(e->item, "columns");
        if (names && (names->type != SN_ITEM_LIST || names->n != 2))
            return sn_fail(c->err, SN_ERR_INPUT, &names->mark, "'columns' are two names: [time, value]");
        if (names) column[0] = names->child->text, column[1] = names->child->next->text;
        const char *path = sn_file_path(c, e, e->arg->text);
        if (!path) return SN_OUT_OF_MEM(c->err);
        SN_TRY(c->load->csv(path, column, &arg->mark, c->items, &rows, x, c->err));
        SN_TRY(sn_model_has_read(m, path, c->err));
    }
    for (int k = 0; k < 2; k++) {
        e->slot_n[k] = rows;
        const sn_item *row = arg->child;
        for (int i = 0; i < rows; i++, row = row ? row->next : NULL) {
            int id;
            SN_TRY(sn_quantity_slot(c, section, index, &e->slots[k], row ? &row->mark : &arg->mark, &id));
            if (x[k]) {
                m->quantity[id].value = x[k][i];
            } else {
                const sn_item *cell = k ? row->child->next : row->child;
                if (cell->type != SN_ITEM_SCALAR)
                    return sn_fail(c->err, SN_ERR_INPUT, &cell->mark, "a table holds numbers");
                SN_TRY(sn_quantity_later(c, (sn_pending){.quantity = id,
                                                         .text = cell->text,
                                                         .mark = cell->mark,
                                                         .section = section,
                                                         .entry = index,
                                                         .scope = e->scope}));
            }
        }
    }
    return SN_OK;
}

/* The numbers of an STL file fill slot 0. */
static sn_status file_slot(sn_compiler *c, int section, int index)
{
    sn_model *m = c->m;
    sn_entry *e = &m->entry[section][index];
    double x[10] = {0};
    e->slot_n[0] = e->slots[0].n;
    if (e->arg->type != SN_ITEM_SCALAR || !e->arg->text[0])
        sn_fail(c->err, SN_ERR_INPUT, &e->arg->mark, "%s '%s': '%s:' takes the name of a file",
                sn_entry_kind(section, e->cls), e->name, e->arg->key);
    else if (!(e->file = sn_file_path(c, e, e->arg->text)))
        return SN_OUT_OF_MEM(c->err);
    else {
        SN_TRY(sn_model_has_read(m, e->file, c->err));
        /* option `closed`: what an open surface does not enclose is not known */
        const int open = ((const sn_property_class *)e->cls)->options && !e->opt[0];
        for (int i = 0; open && i < 10; i++) x[i] = NAN;
        SN_MUST(c->load->stl(e->file, open ? NULL : x, &e->arg->mark, c->err));
    }
    for (int i = 0, id; i < e->slots[0].n; i++) {
        SN_TRY(sn_quantity_slot(c, section, index, &e->slots[0], &e->arg->mark, &id));
        m->quantity[id].value = x[i];
    }
    return SN_OK;
}

/* Of one of a set: whether its number is that of the entry as it is written. */
static int copied(int section, const sn_entry *e, const sn_slot *slot)
{
    return e->set_of >= 0 &&
           (sn_slot_item(section, e, slot) || !slot->formula || !strchr(slot->formula, '@'));
}

/* Of a sensor of a joint's nodes: the joint's number of the same name and count; -1. */
static int number_of_joint(const sn_model *m, const sn_entry *e, const sn_slot *slot)
{
    const sn_entry *j = e->of_joint ? &m->entry[SN_SEC_JOINTS][e->of_joint - 1] : NULL;
    if (!j || !j->cls || j->bad) return -1;
    for (int k = 0, id = j->first; j->slots[k].name; id += j->slot_n[k++])
        if (!strcmp(j->slots[k].name, slot->name) && j->slot_n[k] == slot->n) return id;
    return -1;
}

/* The numbers of slot k: of the items, or of one for all, which those behind the first follow. */
static sn_status slot_numbers(sn_compiler *c, int section, int index, int k, const sn_item *item, int good)
{
    sn_model *m = c->m;
    sn_entry *e = &m->entry[section][index];
    const sn_slot *slot = &e->slots[k];
    int turn = sn_slot_turns(c, section, e, k), id;
    const int joint = item ? -1 : number_of_joint(m, e, slot);
    int alike = (slot->flags & SN_ALIKE) && item && item->type == SN_ITEM_SCALAR;
    const sn_item *part = item && item->type == SN_ITEM_LIST && good ? item->child : item;
    if (alike) e->alike |= 1ULL << k;
    for (int i = 0, first = 0; i < e->slot_n[k]; i++, part = part && !alike ? part->next : part) {
        SN_TRY(sn_quantity_slot(c, section, index, slot, part ? &part->mark : &e->item->key_mark, &id));
        if (i == 0) first = id;
        m->quantity[id].written = item != NULL;
        if (alike && i > 0)
            SN_TRY(sn_quantity_follow(c, id, first));
        else if (joint >= 0)
            SN_TRY(sn_quantity_follow(c, id, joint + i));
        else if (good && !turn && !copied(section, e, slot))
            SN_MUST(sn_slot_value(c, section, index, slot, part, i, id));
    }
    return SN_OK;
}

/* Coordinates of each point of a slot. */
static int point_size(const sn_entry *e, const sn_slot *slot)
{
    const sn_mesh_form *f = ((const sn_property_class *)e->cls)->form;
    for (const sn_mesh_line *l = f ? f->line : NULL; l && l->slot; l++)
        if (!strcmp(l->slot, slot->name)) return l->dim;
    return 3;
}

/* A list of points as a list of their coordinates. */
static sn_status flat_points(sn_compiler *c, const sn_entry *e, const sn_slot *slot, const sn_item *item,
                             const sn_item **out)
{
    const int dim = point_size(e, slot), points = item->type == SN_ITEM_LIST ? item->n : 0;
    sn_item *flat = sn_arena_alloc(c->items, (size_t)points * (size_t)dim + 1, sizeof *flat), *to = flat;
    if (!flat) return SN_OUT_OF_MEM(c->err);
    *flat = *item, flat->n = points * dim, flat->type = SN_ITEM_LIST, flat->child = NULL;
    int good = item->type == SN_ITEM_LIST;
    const sn_mark *bad = &item->mark;
    for (const sn_item *p = good ? item->child : NULL; p && good; p = p->next) {
        good = p->type == SN_ITEM_LIST && p->n == dim, bad = &p->mark;
        for (const sn_item *k = good ? p->child : NULL; k; k = k->next) {
            if (to == flat) flat->child = flat + 1;
            *++to = *k, to->next = to + 1;
        }
    }
    to->next = to == flat ? item->next : NULL;
    *out = flat;
    if (good && (!slot->n || flat->n == slot->n)) return SN_OK;
    flat->n = slot->n, flat->child = NULL;
    sn_fail(c->err, SN_ERR_INPUT, bad, "mesh '%s': '%s' is a list of%s%.0d points, %s", e->name, slot->name,
            slot->n ? " " : "", slot->n / dim, dim == 2 ? "[[..., ...], ...]" : "[[x, y, z], ...]");
    *out = NULL;
    return SN_OK;
}

/* A number that an entry with a list of items does not have. */
static sn_status no_number(sn_compiler *c, int section, int index, int k)
{
    const sn_entry *e = &c->m->entry[section][index];
    const sn_slot *slot = &e->slots[k];
    const sn_item *item = sn_slot_item(section, e, slot);
    e->slot_n[k] = slot->n;
    if (item)
        sn_fail(c->err, SN_ERR_INPUT, &item->mark, "%s '%s': '%s' goes without '%s'",
                sn_entry_kind(section, e->cls), e->name, slot->name, sn_list_name(c, e));
    for (int i = 0, id; i < slot->n; i++) {
        SN_TRY(sn_quantity_slot(c, section, index, slot, &e->item->key_mark, &id));
        c->m->quantity[id].value = NAN;
    }
    return SN_OK;
}

/* "z" and "-x" where a direction is expected become lists, [0, 0, 1] and [-1, 0, 0]. */
static sn_status letter_direction(sn_compiler *c, const sn_slot *slot, sn_item *item)
{
    if (!item || item->type != SN_ITEM_SCALAR || !(slot->flags & SN_ROTATES) || slot->n < 2 || slot->n > 3 ||
        (slot->unit[0] && strcmp(slot->unit, "1") != 0))
        return SN_OK;
    const char *text = item->text, *one = text[0] == '-' ? "-1" : "1";
    text += text[0] == '-' || text[0] == '+';
    const int axis = text[0] - 'x';
    if (axis < 0 || axis >= slot->n || text[1]) return SN_OK;
    sn_item *part = sn_arena_alloc(c->items, (size_t)slot->n, sizeof *part);
    if (!part) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < slot->n; i++)
        part[i] = (sn_item){.type = SN_ITEM_SCALAR,
                            .text = i == axis ? one : "0",
                            .mark = item->mark,
                            .key_mark = item->mark,
                            .next = i + 1 < slot->n ? &part[i + 1] : NULL};
    item->type = SN_ITEM_LIST, item->n = slot->n, item->text = "", item->child = part;
    return SN_OK;
}

/* A square matrix as a list of rows becomes one list, row by row. */
static sn_status flat_matrix(sn_compiler *c, const sn_slot *slot, const sn_item *item, const sn_item **out)
{
    int side = 2;
    while (side * side < slot->n) side++;
    if (slot->n != side * side || item->type != SN_ITEM_LIST || item->n != side) return SN_OK;
    for (const sn_item *p = item->child; p; p = p->next)
        if (p->type != SN_ITEM_LIST || p->n != side) return SN_OK;
    sn_item *flat = sn_arena_alloc(c->items, (size_t)slot->n + 1, sizeof *flat), *to = flat;
    if (!flat) return SN_OUT_OF_MEM(c->err);
    *flat = *item, flat->n = slot->n, flat->child = flat + 1;
    for (const sn_item *p = item->child; p; p = p->next)
        for (const sn_item *k = p->child; k; k = k->next) *++to = *k, to->next = to + 1;
    to->next = NULL;
    *out = flat;
    return SN_OK;
}

static sn_status entry_slots(sn_compiler *c, int section, int index)
{
    sn_model *m = c->m;
    sn_entry *e = &m->entry[section][index];
    int n = 0, from_table = 0;
    while (e->slots[n].name) n++;
    e->slot_n = sn_arena_alloc(&m->arena, (size_t)n + 1, sizeof *e->slot_n);
    if (!e->slot_n) return SN_OUT_OF_MEM(c->err);
    e->first = m->n_quantity;
    if (section == SN_SEC_SIGNALS && (sn_entry_args(section, e->cls)->what & SN_ARG_FILE) && e->arg &&
        (e->arg->type == SN_ITEM_LIST || e->arg->text[0])) {
        SN_MUST(table_slots(c, section, index));
        from_table = 2;
    }
    if (section == SN_SEC_SHAPES && ((const sn_property_class *)e->cls)->file) {
        SN_MUST(file_slot(c, section, index));
        from_table = 1;
    }
    for (int k = from_table, items = sn_entry_has_items(c, e); k < n; k++) {
        const sn_slot *slot = &e->slots[k];
        if (sn_slot_list(slot)) {
            SN_TRY(sn_item_slots(c, section, index, &k));
            k--;
            continue;
        }
        if (items && (slot->flags & SN_WITHOUT_ITEMS)) {
            SN_TRY(no_number(c, section, index, k));
            continue;
        }
        const sn_item *written = sn_slot_item(section, e, slot), *item = written;
        SN_TRY(letter_direction(c, slot, (sn_item *)written));
        if (item && (slot->flags & SN_POINTS)) SN_TRY(flat_points(c, e, slot, item, &item));
        if (item && slot->n > 3) SN_TRY(flat_matrix(c, slot, item, &item));
        int nk = slot_count(c, section, e, slot, item);
        e->slot_n[k] = nk < 0 ? slot->n : nk;
        if (!slot->n && !written && isnan(slot->def))
            sn_fail(c->err, SN_ERR_INPUT, &e->item->key_mark, "%s '%s': '%s' is missing (%s)",
                    sn_entry_kind(section, e->cls), e->name, slot->name, slot->doc);
        SN_TRY(slot_numbers(c, section, index, k, item, nk >= 0 && (item || !written)));
    }
    e->n = m->n_quantity - e->first;
    return SN_OK;
}

static sn_status parameter(sn_compiler *c, int index)
{
    sn_entry *e = &c->m->entry[SN_SEC_PARAMETERS][index];
    if (!strcmp(e->item->key, "t") || !strcmp(e->item->key, "pi"))
        return sn_fail(c->err, SN_ERR_INPUT, &e->item->key_mark,
                       "'%s' has a meaning of its own: choose another name", e->item->key);
    SN_TRY(sn_quantity_slot(c, SN_SEC_PARAMETERS, index, NULL, &e->item->mark, &e->first));
    e->n = 1;
    if (e->item->type != SN_ITEM_SCALAR || !e->item->text[0])
        return sn_fail(c->err, SN_ERR_INPUT, &e->item->mark,
                       "parameter '%s' must be a number or an expression", e->name);
    return sn_quantity_later(c, (sn_pending){.quantity = e->first,
                                             .text = e->item->text,
                                             .mark = e->item->mark,
                                             .section = SN_SEC_PARAMETERS,
                                             .entry = index,
                                             .scope = e->scope});
}

sn_status sn_compile_entry(sn_compiler *c, int section, int index)
{
    sn_entry *e = &c->m->entry[section][index];
    int before = c->err->count;
    e->slots = class_slots(section, e->cls);
    SN_MUST(entry_keys(c, section, e));
    SN_MUST(entry_options(c, section, e));
    if (e->set_of < 0) SN_MUST(sn_entry_properties(c, section, index));
    SN_MUST(entry_slots(c, section, index));
    SN_MUST(sn_place_slots(c, section, index));
    if (section == SN_SEC_ELEMENTS) SN_MUST(sn_entry_colour(c, e));
    if (section == SN_SEC_ELEMENTS) SN_MUST(sn_entry_block(c, e));
    e->bad |= c->err->count > before;
    return SN_OK;
}

sn_status sn_compile_slots(sn_compiler *c)
{
    sn_model *m = c->m;
    SN_TRY(sn_place_check(c));
    for (int i = 0; i < m->n_entry[SN_SEC_PARAMETERS]; i++) SN_MUST(parameter(c, i));
    for (int s = SN_SEC_MATERIALS; s < SN_SEC_COUNT; s++)
        for (int i = 0; i < m->n_entry[s]; i++)
            if (m->entry[s][i].cls) SN_MUST(sn_compile_entry(c, s, i));
    return SN_OK;
}
