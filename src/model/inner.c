/* What an entry brings along: nodes of its own, NAME.SUFFIX, and joints NAME.NODE that tie the nodes it is
   written with to them. Numbers of both follow the slots of the entry. */
#include "model/compile.h"

#include <string.h>

/* Number `i` of the entry's slot of this name, where that has `n` numbers and none of the flags `but`; -1:
   there is none. */
static int own_number(const sn_entry *e, const char *name, unsigned but, int n, int i)
{
    int at = e->first;
    for (int k = 0; name && e->slots[k].name; at += e->slot_n[k++])
        if (!strcmp(e->slots[k].name, name))
            return e->slot_n[k] == n && !(e->slots[k].flags & but) ? at + i : -1;
    return -1;
}

/* The quantity is that of the entry from now on. */
static sn_status follow(sn_compiler *c, int id, int from)
{
    sn_expr *expr = NULL;
    if (from < 0) return SN_OK;
    if (sn_expr_between(&c->m->arena, 1, 1, &from, (const double[]){1}, &expr)) return SN_OUT_OF_MEM(c->err);
    c->m->quantity[id].expr = expr;
    return SN_OK;
}

/* ---- nodes ---- */

/* One quantity for each number of an inner node; the first slot has `size` of them where its count is free.
 */
static sn_status node_numbers(sn_compiler *c, const sn_entry *e, const sn_inner *in, int size, sn_node *n)
{
    sn_model *m = c->m;
    int slots = 0;
    while (n->cls->slots[slots].name) slots++;
    int *slot_n = sn_arena_alloc(&m->arena, (size_t)slots + 1, sizeof *slot_n);
    if (!slot_n) return SN_OUT_OF_MEM(c->err);
    n->s = m->n_quantity, n->slot_n = slot_n;
    for (int k = 0; k < slots; k++) {
        const sn_slot *slot = &n->cls->slots[k];
        slot_n[k] = slot->n ? slot->n : k ? 0 : size;
        for (int i = 0, id; i < slot_n[k]; i++) {
            SN_TRY(sn_quantity_slot(c, SN_SEC_COUNT, m->n_node, slot, &n->mark, &id));
            m->quantity[id].value = k ? slot->def : 0;
            SN_TRY(follow(c, id, own_number(e, k ? slot->name : in->at, SN_OF_REFERENCE, slot_n[k], i)));
        }
    }
    return SN_OK;
}

static const char *inner_name(sn_compiler *c, const sn_entry *e, const sn_inner *in)
{
    return sn_arena_printf(&c->m->arena, "%s.%s", e->name, in->suffix);
}

static sn_status add_node(sn_compiler *c, const sn_entry *e, const sn_inner *in)
{
    sn_layout l = {.slot_n = e->slot_n, .ns = e->n, .opt = e->opt, .block = e->block, .dim = c->m->dim};
    int size = in->count ? in->count(&l) : 1, options = 0, index;
    sn_node n = {.cls = sn_node_find(in->kind), .name = inner_name(c, e, in), .mark = e->item->key_mark};
    if (size < 1) return SN_OK;
    if (!n.name) return SN_OUT_OF_MEM(c->err);
    if (!n.cls)
        return sn_fail(c->err, SN_ERR_INPUT, &n.mark, "%s '%s': there is no node kind '%s'",
                       sn_entry_kind(SN_SEC_ELEMENTS, e->cls), e->name, in->kind);
    if (sn_map_get(&c->node_name, n.name) >= 0)
        return sn_fail(c->err, SN_ERR_INPUT, &n.mark, "there are two nodes of the name '%s'", n.name);
    while (n.cls->options && n.cls->options[options].name) options++;
    int *opt = sn_arena_alloc(&c->m->arena, (size_t)options + 1, sizeof *opt);
    if (!opt) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < options; i++) opt[i] = n.cls->options[i].def;
    n.opt = opt;
    SN_TRY(node_numbers(c, e, in, size, &n));
    return sn_node_add(c, n, &index);
}

sn_status sn_compile_inner_nodes(sn_compiler *c)
{
    sn_model *m = c->m;
    for (int i = 0; i < m->n_entry[SN_SEC_ELEMENTS]; i++) {
        const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][i];
        const sn_element_class *cls = e->cls;
        for (const sn_inner *in = cls && !e->bad ? cls->inner : NULL; in && in->suffix; in++)
            SN_MUST(add_node(c, e, in));
    }
    return SN_OK;
}

int sn_inner_nodes(sn_compiler *c, const sn_entry *e, int *node)
{
    const sn_element_class *cls = e->cls;
    int n = 0;
    for (const sn_inner *in = cls->inner; in && in->suffix; in++) {
        const char *name = inner_name(c, e, in);
        int at = name ? sn_map_get(&c->node_name, name) : -1;
        if (at >= 0) node[n++] = at;
    }
    return n;
}

/* ---- ties ---- */

static const char *point_name(int i, const void *ctx)
{
    const sn_entry *e = ctx;
    return ((const sn_element_class *)e->cls)->tie->name(e->block, i);
}

/* The point that written node i is tied to; -1 with a report. */
static int tied_point(sn_compiler *c, const sn_entry *e, int i)
{
    const sn_element_class *cls = e->cls;
    const sn_tied_points *tie = cls->tie;
    const sn_item *key = sn_item_get(e->item, tie->key);
    int n = tie->count(e->block);
    if (!key && i >= n)
        return sn_fail(c->err, SN_ERR_INPUT, &sn_arg_item(e, i)->mark,
                       "%s '%s': it has %d point%s, and '%s' would be tied to number %d", cls->name, e->name,
                       n, n == 1 ? "" : "s", sn_arg_item(e, i)->text, i + 1),
               -1;
    if (!key) return i;
    const sn_item *word = key->child;
    while (i-- > 0) word = word->next;
    for (int k = 0; word->type == SN_ITEM_SCALAR && k < n; k++)
        if (!strcmp(tie->name(e->block, k), word->text)) return k;
    const char *near = word->type == SN_ITEM_SCALAR ? sn_nearest(word->text, n, point_name, e) : NULL;
    return sn_fail(c->err, SN_ERR_INPUT, &word->mark, "%s '%s': it has no point '%s'%s%s%s", cls->name,
                   e->name, word->type == SN_ITEM_SCALAR ? word->text : "",
                   near ? " (did you mean '" : " (the first is '", near ? near : tie->name(e->block, 0),
                   near ? "'?)" : "')"),
           -1;
}

/* Slots of a tie that the element has as well are the element's. */
static sn_status follow_element(sn_compiler *c, const sn_entry *element, const sn_entry *joint)
{
    int id = joint->first;
    for (int k = 0; joint->slots[k].name; k++)
        for (int i = 0; i < joint->slot_n[k]; i++, id++)
            SN_TRY(follow(c, id, own_number(element, joint->slots[k].name, 0, joint->slot_n[k], i)));
    return SN_OK;
}

static sn_status add_tie(sn_compiler *c, int element, int i)
{
    sn_model *m = c->m;
    const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][element];
    const sn_element_class *cls = e->cls;
    const sn_item *item = sn_arg_item(e, i);
    const char *end[SN_MAX_NODES];
    int node[SN_MAX_NODES], n = sn_inner_nodes(c, e, node), point = tied_point(c, e, i), index;
    int to = item->type == SN_ITEM_SCALAR ? sn_node_named(c, e->scope, item->text) : -1;
    if (to < 0 || point < 0) return SN_OK; /* told elsewhere */
    for (int k = 0; k < n; k++) end[k] = m->node[node[k]].name;
    end[n] = m->node[to].name;
    const char *name = sn_arena_printf(&m->arena, "%s.%s", e->name, item->text);
    if (!name) return SN_OUT_OF_MEM(c->err);
    if (sn_map_get(&m->name[SN_SEC_JOINTS], name) >= 0) return SN_OK; /* one node twice: told by resolve.c */
    SN_TRY(sn_entry_make(c, SN_SEC_JOINTS, name, n + 1, end, &item->mark, &index));
    sn_entry *tie = &m->entry[SN_SEC_JOINTS][index];
    tie->cls = sn_joint_find(cls->tie->joint);
    if (!tie->cls)
        return sn_fail(c->err, SN_ERR_INPUT, &item->mark, "%s '%s': there is no joint kind '%s'", cls->name,
                       e->name, cls->tie->joint);
    SN_TRY(sn_compile_entry(c, SN_SEC_JOINTS, index));
    tie->block = e->block;
    tie->opt[0] = point;
    return follow_element(c, e, tie);
}

/* Names of points, where there are any, are as many as nodes. */
static int well_named(sn_compiler *c, const sn_entry *e)
{
    const sn_element_class *cls = e->cls;
    const sn_item *key = sn_item_get(e->item, cls->tie->key);
    int nodes = sn_arg_count(e);
    if (!key || (key->type == SN_ITEM_LIST && key->n == nodes)) return 1;
    sn_fail(c->err, SN_ERR_INPUT, &key->mark, "%s '%s': '%s' has one name for each of its %d nodes",
            cls->name, e->name, cls->tie->key, nodes);
    return 0;
}

sn_status sn_compile_ties(sn_compiler *c)
{
    sn_model *m = c->m;
    for (int i = 0; i < m->n_entry[SN_SEC_ELEMENTS]; i++) {
        const sn_element_class *cls = m->entry[SN_SEC_ELEMENTS][i].cls;
        if (!cls || !cls->tie || m->entry[SN_SEC_ELEMENTS][i].bad) continue;
        if (!well_named(c, &m->entry[SN_SEC_ELEMENTS][i])) continue;
        for (int k = 0; k < sn_arg_count(&m->entry[SN_SEC_ELEMENTS][i]); k++) SN_MUST(add_tie(c, i, k));
    }
    return SN_OK;
}
