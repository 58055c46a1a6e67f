/* Nodes: the kind of those written as a plain position follows from what is attached to them; meshes make
 * nodes of their own. */
#include "model/compile.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Whether a class offers something of each set of views that is asked for: bit A of `asked`, the set A. */
static int offers(const sn_node_class *cls, uint64_t asked)
{
    unsigned all = sn_class_offers(cls) | (cls->frame_joint ? SN_FRAME : 0);
    for (unsigned set = 1; set < 64; set++)
        if (asked >> set & 1 && !(set & all)) return 0;
    return 1;
}

/* The class of a dimension that offers what is asked for and has these keys (item may be NULL). */
static const sn_node_class *class_for(int dim, uint64_t asked, const sn_item *item)
{
    for (const sn_node_class *const *k = sn_node_all(); *k; k++) {
        if ((*k)->dim != dim || !offers(*k, asked)) continue;
        int fits = 1;
        for (const sn_item *key = item && item->type == SN_ITEM_MAP ? item->child : NULL; key;
             key = key->next) {
            int known = !strcmp(key->key, "note");
            for (const sn_slot *s = (*k)->slots; s->name; s++) known |= !strcmp(s->name, key->key);
            for (const sn_option *o = (*k)->options; o && o->name; o++) known |= !strcmp(o->name, key->key);
            fits &= known;
        }
        if (fits) return *k;
    }
    return NULL;
}

static int has_coord(const sn_node_class *k, const char *name)
{
    for (int i = 0; k && i < k->nv; i++)
        if (!strcmp(k->coord[i], name)) return 1;
    return 0;
}

/* How many coordinates a node's position has: told by its kind or by the numbers written; 0: neither. */
static int node_dim(const sn_entry *e)
{
    if (e->cls) return ((const sn_node_class *)e->cls)->dim;
    return e->arg && e->arg->type == SN_ITEM_LIST && e->arg->n >= 2 && e->arg->n <= 3 ? e->arg->n : 0;
}

/* Without a node in space: 3 where there is a mesh or a spatial element brings its nodes along, else 2. */
static int dim_of_elements(const sn_model *m)
{
    if (m->n_entry[SN_SEC_MESHES]) return 3;
    for (int i = 0; i < m->n_entry[SN_SEC_ELEMENTS]; i++)
        for (const sn_item *k = m->entry[SN_SEC_ELEMENTS][i].item->child; k; k = k->next) {
            const sn_element_class *cls = k->key ? sn_element_find(k->key) : NULL;
            if (cls && cls->inner && cls->args.dim == 3) return 3;
        }
    return 2;
}

/* A model is planar or spatial: its first node decides, and no other one differs. */
static void model_dim(sn_compiler *c)
{
    sn_model *m = c->m;
    const char *first = "";
    m->dim = 0;
    for (int i = 0; i < m->n_entry[SN_SEC_NODES]; i++) {
        sn_entry *e = &m->entry[SN_SEC_NODES][i];
        int dim = e->bad ? 0 : node_dim(e);
        if (!m->dim && dim) m->dim = dim, first = e->name;
        if (!dim || dim == m->dim) continue;
        sn_fail(c->err, SN_ERR_INPUT, &e->item->mark,
                "node '%s' has %d coordinates and node '%s' has %d: a model is either planar or spatial",
                e->name, dim, first, m->dim);
        e->bad = 1;
    }
    if (!m->dim) m->dim = dim_of_elements(m);
    for (int i = 0; m->dim == 2 && i < m->n_entry[SN_SEC_MESHES]; i++) {
        sn_entry *e = &m->entry[SN_SEC_MESHES][i];
        sn_fail(c->err, SN_ERR_INPUT, &e->item->key_mark, "mesh '%s' is spatial, and this is a planar model",
                e->name);
        e->bad = 1;
    }
}

/* The node entry that an argument names (a mesh node: -1), making the ground when it is first asked for. */
static sn_status node_entry(sn_compiler *c, const sn_scope *scope, const char *name, int *index)
{
    *index = sn_entry_find(c, SN_SEC_NODES, scope, name);
    if (*index < 0 && !strcmp(name, "ground")) {
        *index = sn_map_get(&c->m->name[SN_SEC_NODES], "ground");
        /* the ground is at the origin, where nobody wrote it */
        static const char *const origin[] = {"0", "0", "0"};
        const sn_mark nowhere = {.line = 0};
        if (*index < 0) return sn_entry_make(c, SN_SEC_NODES, "ground", c->m->dim, origin, &nowhere, index);
    }
    return SN_OK;
}

static const uint64_t frame = 1ULL << SN_FRAME;

const sn_node_class *sn_frame_class(int dim)
{
    for (const sn_node_class *const *k = sn_node_all(); *k; k++)
        if ((*k)->dim == dim && (sn_class_offers(*k) & SN_FRAME)) return *k;
    return NULL;
}

int sn_entry_needs_frame(int section, const sn_entry *e)
{
    const sn_slot *slots = section == SN_SEC_ELEMENTS ? ((const sn_element_class *)e->cls)->slots
                           : section == SN_SEC_JOINTS ? ((const sn_joint_class *)e->cls)->slots
                                                      : ((const sn_sensor_class *)e->cls)->slots;
    for (const sn_slot *s = slots; s && s->name; s++)
        if ((s->flags & SN_NEEDS_ROT) && (sn_item_get(e->item, s->name) || sn_slot_property(s, e->item) > 0))
            return 1;
    return 0;
}

/* Where what is asked of the nodes of a mesh is kept: before the entries of nodes. -1: it is none of a mesh.
 */
static int of_mesh(sn_compiler *c, const sn_scope *scope, const char *name)
{
    const char *rest;
    return sn_mesh_stem(c, scope, name, &rest);
}

/* What this entry asks of its nodes. */
static sn_status mark_asked(sn_compiler *c, int section, const sn_entry *e, uint64_t **asked, int *cap)
{
    const sn_args *args = sn_entry_args(section, e->cls);
    if (!(args->what & (SN_ARG_NODE | SN_ARG_COORD))) return SN_OK;
    int turns = sn_entry_needs_frame(section, e);
    for (int i = 0; i < sn_arg_count(e); i++) {
        const sn_item *item = sn_arg_item(e, i);
        if (item->type != SN_ITEM_SCALAR) continue;
        const char *name = item->text, *dot = strrchr(name, '.');
        uint64_t ask = turns ? frame : 1ULL << sn_args_ask(args, i);
        int node;
        if (dot && dot == strchr(name, '.') && of_mesh(c, e->scope, name) >= 0) dot = NULL; /* its node */
        if ((args->what & SN_ARG_COORD) && dot) {
            name = sn_arena_strndup(&c->m->arena, name, (size_t)(dot - name));
            if (!name) return SN_OUT_OF_MEM(c->err);
            ask = has_coord(class_for(c->m->dim, 0, NULL), dot + 1) ? 0 : frame;
        }
        SN_TRY(node_entry(c, e->scope, name, &node));
        node = node < 0 ? of_mesh(c, e->scope, name) : node + c->m->n_entry[SN_SEC_MESHES];
        if (node < 0) continue;
        if (sn_grow(asked, cap, node + 1, sizeof **asked)) return SN_OUT_OF_MEM(c->err);
        (*asked)[node] |= ask;
    }
    return SN_OK;
}

static void settle(sn_compiler *c, int index, uint64_t asked)
{
    sn_entry *e = &c->m->entry[SN_SEC_NODES][index];
    if (e->cls || e->bad) return;
    e->bad = 1;
    if (!e->arg || e->arg->type != SN_ITEM_LIST || e->arg->n < 2 || e->arg->n > 3) {
        sn_fail(c->err, SN_ERR_INPUT, &e->item->mark,
                "node '%s' needs a position: two numbers [x, y], or [x, y, z] in space", e->name);
        return;
    }
    const sn_item *keys = e->item->type == SN_ITEM_MAP ? e->item : NULL;
    e->cls = class_for(e->arg->n, asked, keys);
    if (!e->cls && !class_for(e->arg->n, asked, NULL)) asked = 0; /* what cannot be met is told by who asks */
    if (!e->cls)
        e->cls = class_for(e->arg->n, asked, NULL); /* its unknown keys are reported against this one */
    if (e->cls && keys && !class_for(e->arg->n, asked, keys) && class_for(e->arg->n, frame, NULL))
        e->cls = class_for(e->arg->n, frame, NULL);
    e->bad = !e->cls;
    if (!e->cls)
        sn_fail(c->err, SN_ERR_INPUT, &e->arg->mark, "node '%s': there are no nodes with %d coordinates",
                e->name, e->arg->n);
}

sn_status sn_compile_node_kinds(sn_compiler *c)
{
    sn_model *m = c->m;
    uint64_t *asked = NULL;
    int cap = 0, meshes = m->n_entry[SN_SEC_MESHES];
    model_dim(c);
    sn_status s =
        sn_grow(&asked, &cap, m->n_entry[SN_SEC_NODES] + m->n_entry[SN_SEC_MESHES] + 1, sizeof *asked);
    static const int sections[] = {SN_SEC_ELEMENTS, SN_SEC_JOINTS, SN_SEC_SENSORS};
    for (int k = 0; k < 3; k++)
        for (int i = 0; !s && i < m->n_entry[sections[k]]; i++)
            if (m->entry[sections[k]][i].cls)
                s = mark_asked(c, sections[k], &m->entry[sections[k]][i], &asked, &cap);
    /* the ground is a frame: it has no unknowns, and can carry any joint anywhere */
    for (int i = 0; !s && i < m->n_entry[SN_SEC_NODES]; i++)
        settle(c, i,
               (meshes + i < cap ? asked[meshes + i] : 0) |
                   (strcmp(m->entry[SN_SEC_NODES][i].name, "ground") ? 0 : frame));
    for (int i = 0; !s && i < m->n_entry[SN_SEC_MESHES]; i++)
        m->entry[SN_SEC_MESHES][i].node_cls = class_for(3, asked[i], NULL);
    sn_free(asked);
    return s ? SN_OUT_OF_MEM(c->err) : SN_OK;
}

/* Coordinates z1, z2 ... of a node with a size of its own. */
static sn_status number_coordinates(sn_compiler *c, sn_node *n)
{
    const char **name = sn_arena_alloc(&c->m->arena, 2 * (size_t)n->nv + 1, sizeof *name);
    if (!name) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < n->nv; i++) {
        name[i] = sn_arena_printf(&c->m->arena, "%s%d", n->cls->coord[0], i + 1);
        name[n->nv + i] = n->cls->unit[0];
        if (!name[i]) return SN_OUT_OF_MEM(c->err);
    }
    n->coord = name, n->unit = name + n->nv;
    return SN_OK;
}

/* Size and names of the coordinates. */
static sn_status lay_out(sn_compiler *c, sn_node *n)
{
    sn_node_layout l = {.slot_n = n->slot_n, .opt = n->opt};
    int before = c->err->count;
    n->nq = n->cls->nq, n->nv = n->cls->nv, n->coord = n->cls->coord, n->unit = n->cls->unit;
    if (!n->cls->layout) return SN_OK;
    sn_status s = n->cls->layout(&l, c->err);
    if (!s && l.n < 1) s = sn_fail(c->err, SN_ERR_INPUT, NULL, "has no coordinates");
    if (s && c->err->count == before) sn_fail(c->err, s, NULL, "its layout refuses it and does not say why");
    if (!s && l.n > SN_MAX_COORDINATES)
        s = sn_fail(c->err, SN_ERR_INPUT, NULL, "has %d coordinates, the most are %d", l.n,
                    SN_MAX_COORDINATES);
    if (s) { /* the kind knows neither place nor name */
        sn_err_prefix(c->err, before, "%s '%s'", n->cls->name, n->name);
        sn_err_place(c->err, before, &n->mark);
        n->nq = n->nv = 1;
        return s;
    }
    n->nq = n->nv = l.n;
    return number_coordinates(c, n);
}

sn_status sn_node_add(sn_compiler *c, sn_node n, int *index)
{
    sn_model *m = c->m;
    if (sn_grow(&m->node, &m->cap_node, m->n_node + 1, sizeof *m->node) ||
        sn_map_put(&c->node_name, n.name, m->n_node))
        return SN_OUT_OF_MEM(c->err);
    for (int k = 0; n.cls->slots[k].name; k++) n.ns += n.slot_n[k];
    n.ground = !strcmp(n.name, "ground");
    n.frame = -1;
    SN_MUST(lay_out(c, &n));
    if (n.nq > m->max_node) m->max_node = n.nq;
    *index = m->n_node;
    m->node[m->n_node++] = n;
    return SN_OK;
}

int sn_node_named(sn_compiler *c, const sn_scope *scope, const char *name)
{
    const char *full = sn_scoped(c, scope, name);
    int i = full ? sn_map_get(&c->node_name, full) : -1;
    return i < 0 && !strcmp(name, "ground") ? sn_map_get(&c->node_name, "ground") : i;
}

sn_status sn_compile_nodes(sn_compiler *c)
{
    sn_model *m = c->m;
    int index;
    for (int i = 0; i < m->n_entry[SN_SEC_NODES]; i++) {
        const sn_entry *e = &m->entry[SN_SEC_NODES][i];
        if (!e->cls) continue;
        SN_TRY(sn_node_add(c,
                           (sn_node){.cls = e->cls,
                                     .name = e->name,
                                     .s = e->first,
                                     .slot_n = e->slot_n,
                                     .opt = e->opt,
                                     .mark = e->item->key_mark},
                           &index));
    }
    SN_TRY(sn_compile_inner_nodes(c));
    SN_TRY(sn_compile_meshes(c));
    SN_TRY(sn_compile_sets(c));
    SN_TRY(sn_compile_ties(c));
    SN_TRY(sn_compile_frames(c));

    /* number the coordinates; the ground has a configuration but no unknowns, and comes last */
    m->flat = 1;
    for (int ground = 0; ground < 2; ground++)
        for (int i = 0; i < m->n_node; i++) {
            sn_node *n = &m->node[i];
            if (n->ground != ground) continue;
            n->q = m->nq;
            n->v = m->nv;
            m->nq += n->nq;
            if (!ground) m->nv += n->nv;
            if (n->cls->retract || n->nq != n->nv) m->flat = 0;
        }
    m->order_of = sn_arena_alloc(&m->arena, (size_t)m->nv + 1, 1);
    m->jointed = sn_arena_alloc(&m->arena, (size_t)m->nv + 1, 1);
    m->node_of = sn_arena_alloc(&m->arena, (size_t)m->nv + 1, sizeof(int));
    if (!m->order_of || !m->jointed || !m->node_of) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < m->n_node; i++)
        for (int k = 0; !m->node[i].ground && k < m->node[i].nv; k++) {
            m->order_of[m->node[i].v + k] = (unsigned char)m->node[i].cls->order;
            m->node_of[m->node[i].v + k] = i;
            if (m->node[i].cls->order == 1) m->first_order = 1;
        }
    return SN_OK;
}
