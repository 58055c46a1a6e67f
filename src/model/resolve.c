/* What entries name: nodes and coordinates behind the first key, elements and joints that sensors and loads
 * ask for. */
#include "model/compile.h"

#include <stdio.h>
#include <string.h>

static sn_status unturned(sn_compiler *c, const sn_entry *e, const sn_item *item)
{
    return sn_fail(c->err, SN_ERR_INPUT, &item->mark,
                   "%s '%s': single global directions cannot turn with the angle of an include; use a joint "
                   "with an axis",
                   sn_entry_kind(0, e->cls), e->name);
}

/* Coordinates along single global axes: of the place, of vectors. */
static int turns_with_place(const sn_node *n, int coord)
{
    const sn_node_places p = sn_node_place(n);
    int dim = n->cls->dim;
    return (p.x_v >= 0 && coord >= p.x_v && coord < p.x_v + dim) ||
           (p.vectors && coord >= p.d_v && coord < p.d_v + p.vectors * dim);
}

/* What nodes are needed: "spatial nodes with a rotation" */
static void say_needed(const sn_args *a, unsigned ask, char *out, size_t size)
{
    static const struct {
        unsigned what;
        const char *text;
    } part[] = {{SN_SCALARS, " with numbers of no place"},
                {SN_POSITION, ""},
                {SN_DIRECTOR, " with a director"},
                {SN_SLOPES, " with slopes"},
                {SN_SURFACE, " on a surface"},
                {SN_FRAME, " with a rotation"}};
    const char * or = "";
    snprintf(out, size, "%s",
             a->dim == 2                                ? "planar nodes"
             : a->dim == 3                              ? "spatial nodes"
             : ask & SN_POSITION && !(ask & SN_SCALARS) ? "planar or spatial nodes"
                                                        : "nodes");
    /* a plain place is the least: who understands it needs nothing more */
    for (size_t i = 0; !(ask & SN_POSITION) && i < sizeof part / sizeof *part; i++) {
        if (!(ask & part[i].what)) continue;
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%s%s", or, part[i].text);
        or = " or";
    }
}

/* A node of an entry's first key, and its coordinate or -1. Reports what is wrong and returns -1. */
static int resolve_node(sn_compiler *c, int section, const sn_entry *e, const sn_item *item, int *coord)
{
    const sn_args *a = sn_entry_args(section, e->cls);
    const char *kind = sn_entry_kind(section, e->cls), *name = item->text, *dot = strrchr(name, '.');
    *coord = -1;
    if (item->type != SN_ITEM_SCALAR)
        return sn_fail(c->err, SN_ERR_INPUT, &item->mark, "%s '%s': the name of a node is expected here",
                       kind, e->name),
               -1;
    int node = (a->what & SN_ARG_NODE) ? sn_node_named(c, e->scope, name) : -1;
    if (node < 0 && !(a->what & SN_ARG_NODE) && !dot)
        return sn_fail(c->err, SN_ERR_INPUT, &item->mark, "%s '%s' takes coordinates, like %s.theta", kind,
                       e->name, name),
               -1;
    if (node < 0 && (a->what & SN_ARG_COORD) && dot) {
        sn_item stem = *item;
        if (!(stem.text = sn_arena_strndup(&c->m->arena, name, (size_t)(dot - name))))
            return SN_OUT_OF_MEM(c->err), -1;
        node = sn_node_named(c, e->scope, stem.text);
        const sn_node *k = node < 0 ? NULL : &c->m->node[node];
        for (int j = 0; k && j < k->nv; j++)
            if (!strcmp(k->coord[j], dot + 1)) *coord = j;
        if (k && (*coord < 0 || k->cls->retract))
            return sn_fail(c->err, SN_ERR_INPUT, &item->mark, "'%s' is no coordinate of the %s node '%s'",
                           dot + 1, k->cls->name, stem.text),
                   -1;
        if (node < 0) sn_unknown_node(c, e->scope, a->what & SN_ARG_NODE ? item : &stem);
        if (k && turns_with_place(k, *coord) && e->scope->turned) return unturned(c, e, item), -1;
    } else if (node < 0) {
        sn_unknown_node(c, e->scope, item);
    }
    int first = item == sn_arg_item(e, 0);
    const sn_node *k = node < 0 ? NULL : &c->m->node[node];
    if (k && *coord < 0 && k->frame >= 0 && sn_wants_frame(section, e, !first, k))
        node = k->frame, k = &c->m->node[node];
    unsigned ask = *coord >= 0 ? 0 : sn_args_ask(a, !first);
    sn_seen seen;
    if (k && ((a->dim && k->cls->dim != a->dim) || !sn_node_seen(k, ask, &seen))) {
        char needed[160];
        say_needed(a, ask, needed, sizeof needed);
        return sn_fail(c->err, SN_ERR_INPUT, &item->mark, "%s '%s' needs %s; '%s' is a %s", kind, e->name,
                       needed, name, k->cls->name),
               -1;
    }
    return node;
}

static int wrong_count(sn_compiler *c, int section, const sn_entry *e, const char *what)
{
    const sn_args *a = sn_entry_args(section, e->cls);
    const char *kind = sn_entry_kind(section, e->cls);
    int n = sn_arg_count(e);
    if (n >= a->min && n <= a->max && n <= SN_MAX_NODES && e->arg->type != SN_ITEM_MAP) return 0;
    int ground = 0;
    for (int i = 0; i < n; i++) ground += !strcmp(sn_arg_item(e, i)->text, "ground");
    if (a->min == a->max)
        sn_fail(c->err, SN_ERR_INPUT, &e->arg->mark, "%s '%s' takes %d %s%s%s", kind, e->name, a->min, what,
                a->min == 1 ? "" : "s", ground && n == a->max + 1 ? ": the ground is not written" : "");
    else
        sn_fail(c->err, SN_ERR_INPUT, &e->arg->mark, "%s '%s' takes %d to %d %ss", kind, e->name, a->min,
                a->max, what);
    return 1;
}

int sn_resolve_nodes(sn_compiler *c, int section, const sn_entry *e, int *node, int *coord)
{
    int n = sn_arg_count(e), bad = 0;
    if (wrong_count(c, section, e,
                    sn_entry_args(section, e->cls)->what & SN_ARG_NODE ? "node" : "coordinate"))
        return -1;
    for (int i = 0; i < n; i++) {
        const sn_item *item = sn_arg_item(e, i);
        node[i] = resolve_node(c, section, e, item, &coord[i]);
        bad |= node[i] < 0;
        for (int j = 0; j < i && !bad; j++)
            if (node[j] == node[i] && coord[i] == coord[j]) {
                sn_fail(c->err, SN_ERR_INPUT, &item->mark, "%s '%s' connects '%s' with itself",
                        sn_entry_kind(section, e->cls), e->name, item->text);
                bad = 1;
            }
    }
    return bad ? -1 : n;
}

sn_status sn_choose_coords(sn_compiler *c, int section, const sn_entry *e, int node)
{
    const sn_option *o = sn_entry_options(section, e->cls);
    const sn_node *n = &c->m->node[node];
    const sn_node_class *cls = n->cls;
    sn_seen seen;
    sn_node_seen(n, sn_args_ask(sn_entry_args(section, e->cls), 0), &seen);
    const char *const *coord = n->coord + seen.v;
    for (int k = 0; o && o[k].name; k++) {
        const sn_item *item = strcmp(o[k].choices, "@coords") ? NULL : sn_item_get(e->item, o[k].name);
        if (!item) continue;
        e->opt[k] = 0;
        const sn_item *word = item->type == SN_ITEM_LIST ? item->child : item;
        for (; word; word = item->type == SN_ITEM_LIST ? word->next : NULL) {
            int i = 0;
            while (i < seen.nv && strcmp(coord[i], word->text) != 0) i++;
            if (i == seen.nv)
                return sn_fail(c->err, SN_ERR_INPUT, &word->mark, "'%s' is no coordinate of a %s node",
                               word->text, cls->name);
            if (i >= SN_MAX_CHOSEN)
                return sn_fail(c->err, SN_ERR_INPUT, &word->mark,
                               "'%s' is coordinate %d of its node; the first %d can be chosen", word->text,
                               i + 1, SN_MAX_CHOSEN);
            e->opt[k] |= 1 << i;
        }
        /* some of the directions of space, but not all: they would have to turn with the file */
        int all = (1 << cls->dim) - 1, some = e->opt[k] & all;
        if (e->scope->turned && some && some != all) return unturned(c, e, item);
    }
    return SN_OK;
}

/* Sensors of nodes that name a joint have its nodes. */
sn_status sn_compile_sensor_joints(sn_compiler *c)
{
    sn_model *m = c->m;
    for (int i = 0; i < m->n_entry[SN_SEC_SENSORS]; i++) {
        sn_entry *e = &m->entry[SN_SEC_SENSORS][i];
        const sn_sensor_class *cls = e->cls;
        const unsigned both = SN_ARG_NODE | SN_ARG_JOINT;
        if (!cls || (cls->args.what & both) != both || !e->arg || e->arg->type != SN_ITEM_SCALAR) continue;
        const int j = sn_entry_find(c, SN_SEC_JOINTS, e->scope, e->arg->text);
        if (j < 0) {
            SN_MUST(sn_unknown_name(c, SN_SEC_JOINTS, e->scope, e->arg, "joint"));
            continue;
        }
        const sn_entry *joint = &m->entry[SN_SEC_JOINTS][j];
        if (!joint->cls || !joint->arg) continue; /* reported */
        e->arg = joint->arg, e->scope = joint->scope, e->of_joint = (unsigned)(j + 1) & 0x7fffffff;
    }
    return SN_OK;
}

int sn_element_named(sn_compiler *c, const sn_entry *e, const sn_item *item)
{
    return item->type == SN_ITEM_SCALAR ? sn_entry_find(c, SN_SEC_ELEMENTS, e->scope, item->text) : -1;
}

int sn_is_load(sn_compiler *c, const sn_entry *e)
{
    const sn_args *a = sn_entry_args(SN_SEC_ELEMENTS, e->cls);
    if (!(a->what & SN_ARG_ELEMENT) || sn_arg_count(e) != 1) return 0;
    const sn_item *item = sn_arg_item(e, 0);
    if (sn_element_named(c, e, item) < 0) return 0;
    if (sn_node_named(c, e->scope, item->text) < 0) return 1;
    /* a node and an element of that name: a load along the length means the element */
    const sn_element_class *cls = e->cls;
    const sn_slot *slot = cls->slots;
    if (!cls->load || cls->load->slot == SN_LOAD_OF_NODES) return cls->load != NULL;
    for (int at = 0; slot->name && at < cls->load->slot; slot++) at += slot->n;
    return slot->name && sn_item_get(e->item, slot->name);
}

sn_status sn_sensor_target(sn_compiler *c, const sn_entry *e, int *node, int *coord, int *nn, int *target)
{
    const sn_sensor_class *cls = e->cls;
    int s = cls->args.what & SN_ARG_JOINT ? SN_SEC_JOINTS : SN_SEC_ELEMENTS;
    const char *what = s == SN_SEC_JOINTS ? "joint" : "element";
    *nn = 0;
    *target = -1;
    if (cls->source == SN_FROM_NODES) {
        *nn = sn_resolve_nodes(c, SN_SEC_SENSORS, e, node, coord);
        return *nn < 0 ? SN_ERR_INPUT : SN_OK;
    }
    if (wrong_count(c, SN_SEC_SENSORS, e, what)) return SN_ERR_INPUT;
    const sn_item *item = sn_arg_count(e) ? sn_arg_item(e, 0) : NULL;
    if ((cls->args.what & SN_ARG_NONE) && (!item || !strcmp(item->text, "all"))) return SN_OK;
    *target = item->type == SN_ITEM_SCALAR ? sn_entry_find(c, s, e->scope, item->text) : -1;
    if (*target < 0) return sn_unknown_name(c, s, e->scope, item, what);
    const sn_entry *of = &c->m->entry[s][*target];
    if (of->set_n > 0 && cls->source != SN_FROM_REACTION)
        return sn_fail(c->err, SN_ERR_INPUT, &item->mark,
                       "'%s' stands for %d %ss, the first is '%s': name one", of->name, of->set_n, what,
                       c->m->entry[s][of->set_first].name);
    return SN_OK;
}

sn_status sn_compile_names(sn_compiler *c)
{
    static const int sections[] = {SN_SEC_ELEMENTS, SN_SEC_JOINTS, SN_SEC_SENSORS};
    int node[SN_MAX_NODES], coord[SN_MAX_NODES], nn, target;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < c->m->n_entry[sections[k]]; i++) {
            const sn_entry *e = &c->m->entry[sections[k]][i];
            if (!e->cls || e->set_n ||
                (sections[k] == SN_SEC_ELEMENTS && (sn_is_load(c, e) || sn_on_mesh(c, e) >= 0)))
                continue;
            if (sections[k] == SN_SEC_SENSORS)
                SN_MUST(sn_sensor_target(c, e, node, coord, &nn, &target));
            else if (sn_resolve_nodes(c, sections[k], e, node, coord) > 0 && e->opt)
                SN_MUST(sn_choose_coords(c, sections[k], e, node[0]));
        }
    return SN_ERR_INPUT;
}
