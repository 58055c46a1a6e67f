/* Frames of nodes that have none of themselves. Where something needs a frame at a node whose kind names a
   joint for it (frame_joint), or names NODE.frame, the node gets ONE massless frame at its reference
   position, NODE.frame, and ONE joint of that kind between both, NODE.attach; whoever needs the frame is
   given that one. */
#include "model/compile.h"

#include <string.h>

int sn_wants_frame(int section, const sn_entry *e, int i, const sn_node *n)
{
    unsigned ask = sn_args_ask(sn_entry_args(section, e->cls), i);
    sn_seen seen;
    if (!n->cls->frame_joint || !(ask & SN_FRAME)) return 0;
    return !sn_node_seen(n, ask, &seen) || sn_entry_needs_frame(section, e);
}

/* Numbers of the slot of a node that a slot of its frame follows: the position, or one of that name and
 * count. */
static int followed(const sn_node *n, const sn_slot *slot, int first)
{
    int at = n->s;
    for (int k = 0; n->cls->slots[k].name; at += n->slot_n[k++])
        if ((first && !k) ||
            (!first && !strcmp(n->cls->slots[k].name, slot->name) && n->slot_n[k] == slot->n))
            return at;
    return -1;
}

/* One quantity for each number of the frame: the node's own, or the default. */
static sn_status frame_numbers(sn_compiler *c, int node, const sn_node_class *cls, int *slot_n, int *s)
{
    sn_model *m = c->m;
    *s = m->n_quantity;
    for (int k = 0; cls->slots[k].name; k++) {
        const sn_slot *slot = &cls->slots[k];
        int from = followed(&m->node[node], slot, k == 0);
        slot_n[k] = slot->n;
        for (int i = 0; i < slot->n; i++) {
            int id;
            sn_expr *expr = NULL;
            SN_TRY(sn_quantity_slot(c, SN_SEC_COUNT, m->n_node, slot, &m->node[node].mark, &id));
            if (from >= 0 &&
                sn_expr_between(&m->arena, 1, 1, (const int[]){from + i}, (const double[]){1}, &expr))
                return SN_OUT_OF_MEM(c->err);
            m->quantity[id].expr = expr;
            m->quantity[id].value = slot->def;
        }
    }
    return SN_OK;
}

static sn_status add_frame(sn_compiler *c, int node)
{
    sn_model *m = c->m;
    const sn_node_class *cls = sn_frame_class(m->node[node].cls->dim);
    int slots = 0, options = 0, index;
    while (cls && cls->slots[slots].name) slots++;
    while (cls && cls->options && cls->options[options].name) options++;
    if (!cls)
        return sn_fail(c->err, SN_ERR_INPUT, &m->node[node].mark, "there is no kind of frame for node '%s'",
                       m->node[node].name);
    sn_node f = {.cls = cls,
                 .name = sn_arena_printf(&m->arena, "%s.frame", m->node[node].name),
                 .mark = m->node[node].mark};
    int *slot_n = sn_arena_alloc(&m->arena, (size_t)slots + 1, sizeof *slot_n),
        *opt = sn_arena_alloc(&m->arena, (size_t)options + 1, sizeof *opt);
    if (!f.name || !slot_n || !opt) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < options; i++) opt[i] = cls->options[i].def;
    SN_TRY(frame_numbers(c, node, cls, slot_n, &f.s));
    f.slot_n = slot_n, f.opt = opt;
    SN_TRY(sn_node_add(c, f, &index));
    m->node[node].frame = index;
    return SN_OK;
}

/* The joint of [NODE, NODE.frame]. */
static sn_status add_joint(sn_compiler *c, int node)
{
    sn_model *m = c->m;
    const sn_node *n = &m->node[node];
    const sn_joint_class *cls = sn_joint_find(n->cls->frame_joint);
    const char *const ends[] = {n->name, m->node[n->frame].name};
    const char *name = sn_arena_printf(&m->arena, "%s.attach", n->name);
    int i;
    if (!cls)
        return sn_fail(c->err, SN_ERR_INPUT, &n->mark,
                       "%s '%s': there is no joint kind '%s' to attach a frame by", n->cls->name, n->name,
                       n->cls->frame_joint);
    if (!name) return SN_OUT_OF_MEM(c->err);
    SN_TRY(sn_entry_make(c, SN_SEC_JOINTS, name, 2, ends, &n->mark, &i));
    m->entry[SN_SEC_JOINTS][i].cls = cls;
    return sn_compile_entry(c, SN_SEC_JOINTS, i);
}

/* The node of an argument that needs a frame which is not there yet, or -1. */
static int lacking(sn_compiler *c, int section, const sn_entry *e, int i)
{
    const sn_item *item = sn_arg_item(e, i);
    const char *name = item->text, *end = ".frame";
    if (item->type != SN_ITEM_SCALAR) return -1;
    int node = sn_node_named(c, e->scope, name);
    size_t n = strlen(name), k = strlen(end);
    if (node < 0 && n > k && !strcmp(name + n - k, end)) {
        const char *stem = sn_arena_strndup(c->items, name, n - k);
        node = stem ? sn_node_named(c, e->scope, stem) : -1;
        return node >= 0 && c->m->node[node].cls->frame_joint && c->m->node[node].frame < 0 ? node : -1;
    }
    if (node < 0 || c->m->node[node].frame >= 0) return -1;
    return sn_wants_frame(section, e, i, &c->m->node[node]) ? node : -1;
}

sn_status sn_compile_frames(sn_compiler *c)
{
    static const int sections[] = {SN_SEC_ELEMENTS, SN_SEC_JOINTS, SN_SEC_SENSORS};
    sn_model *m = c->m;
    int any = 0;
    for (int i = 0; i < m->n_node && !any; i++) any = m->node[i].cls->frame_joint != NULL;
    for (int k = 0; any && k < 3; k++)
        for (int j = 0; j < m->n_entry[sections[k]]; j++) {
            const sn_entry *e = &m->entry[sections[k]][j];
            if (!e->cls || !(sn_entry_args(sections[k], e->cls)->what & SN_ARG_NODE)) continue;
            for (int i = 0; i < sn_arg_count(&m->entry[sections[k]][j]); i++) {
                /* entries move where joints are added */
                int node = lacking(c, sections[k], &m->entry[sections[k]][j], i);
                if (node < 0) continue;
                SN_TRY(add_frame(c, node));
                SN_TRY(add_joint(c, node));
            }
        }
    return SN_OK;
}
