/* Sets of nodes in place of nodes. An element or joint with a set among its nodes, {fixed: plate.edge4} or
   {rigid_link: [hub, drum.edge1]}, stands for one of its kind at each node of the set: entries ENTRY.NODE,
   whose numbers follow those of the entry that is written, but for defaults that follow from nodes. One that
   takes two nodes and is given a curve in their place, {beam3d_cr: drum.edge3}, stands for one on each edge
   of the curve: ENTRY.e1, ENTRY.e2 ...

   `spread: force` shares numbers out, of which the entry has the total: each edge gets its part of the
   length; each node its part of the set's length (half of each edge at it), of its area (of a cell, as many
   parts as it has corners), or, of single points, of their number. Lengths and areas are those of the
   reference configuration, as expressions. */
#include "model/surfaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nodes of the model, and what is measured between them. */
typedef struct set {
    int n, *node;
    int parts, corners, *part; /* edges or cells; corners: most of one, -1 behind a triangle's */
    int frames;                /* its nodes' frames are meant: plate.edge4.frame */
} set;

/* ---- which ---- */

static sn_status mesh_set(sn_compiler *c, const sn_entry *mesh, const sn_mesh_set *from, const sn_item *item,
                          set *to)
{
    const sn_surface *s = mesh->surface;
    to->n = from->n_node;
    to->corners = from->n_cell ? 4 : from->n_edge ? 2 : 0;
    to->parts = from->n_cell ? from->n_cell : from->n_edge;
    to->node = sn_arena_alloc(c->items, (size_t)to->n + 1, sizeof *to->node);
    to->part = sn_arena_alloc(c->items, (size_t)to->parts * (size_t)to->corners + 1, sizeof *to->part);
    if (!to->node || !to->part) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < to->n; i++)
        if ((to->node[i] = s->node[from->node[i]]) < 0)
            return sn_fail(c->err, SN_ERR_INPUT, &item->mark, "'%s' has nodes that belong to no element",
                           item->text);
    for (int k = 0; k < to->parts; k++)
        for (int i = 0; i < to->corners; i++) {
            int at = from->n_cell ? s->cell[from->cell[k]][i] : from->edge[k][i];
            to->part[k * to->corners + i] = at < 0 ? -1 : s->node[at];
        }
    return SN_OK;
}

/* Edge k of an element that is divided: its nodes one after the other. */
static sn_status element_edge(sn_compiler *c, const sn_entry *e, int k, set *to)
{
    const int n = e->divided[0], m = e->divided[1];
    const int triangle = m == 0, along = triangle || k % 2 == 0 ? n : m;
    to->n = along + 1, to->parts = along, to->corners = 2;
    to->node = sn_arena_alloc(c->items, (size_t)along + 1, sizeof *to->node);
    to->part = sn_arena_alloc(c->items, 2 * (size_t)along, sizeof *to->part);
    if (!to->node || !to->part) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i <= along; i++) {
        const int four[4][2] = {{i, 0}, {n, i}, {n - i, m}, {0, m - i}},
                  three[3][2] = {{i, 0}, {n - i, i}, {0, n - i}};
        const int *at = triangle ? three[k % 3] : four[k];
        to->node[i] = sn_mesh_node(e, at[0], at[1]);
        if (i < along) to->part[2 * i] = to->node[i];
        if (i) to->part[2 * i - 1] = to->node[i];
    }
    return SN_OK;
}

/* The set that an argument names: *found; what is wrong is told. */
static sn_status named_set(sn_compiler *c, const sn_scope *scope, const sn_item *item, set *out, int *found)
{
    const char *rest;
    *found = 0;
    if (item->type != SN_ITEM_SCALAR || !strchr(item->text, '.') || sn_node_named(c, scope, item->text) >= 0)
        return SN_OK;
    int mesh = sn_mesh_stem(c, scope, item->text, &rest);
    const sn_entry *e = mesh < 0 ? NULL : &c->m->entry[SN_SEC_MESHES][mesh];
    if (e && !e->surface) return SN_ERR_INPUT; /* it is reported */
    const sn_mesh_set *s = e && e->surface ? sn_surface_set(e->surface, rest) : NULL;
    if (s) {
        *found = 1;
        return mesh_set(c, e, s, item, out);
    }
    const char *dot = strchr(item->text, '.');
    const char *stem = sn_arena_strndup(c->items, item->text, (size_t)(dot - item->text));
    if (!stem) return SN_OUT_OF_MEM(c->err);
    int element = sn_entry_find(c, SN_SEC_ELEMENTS, scope, stem);
    if (element < 0 || strncmp(dot, ".edge", 5) != 0 || !dot[5] || dot[6]) return SN_OK;
    e = &c->m->entry[SN_SEC_ELEMENTS][element];
    int k = dot[5] - '1';
    if (!e->grid || k < 0 || k >= (e->divided[1] ? 4 : 3)) return SN_OK;
    *found = 1;
    return element_edge(c, e, k, out);
}

/* The same, or of the frames of a set's nodes. */
static sn_status find_set(sn_compiler *c, const sn_scope *scope, const sn_item *item, set *out, int *found)
{
    static const char end[] = ".frame";
    const size_t n = item->type == SN_ITEM_SCALAR ? strlen(item->text) : 0, k = sizeof end - 1;
    out->frames = 0;
    SN_TRY(named_set(c, scope, item, out, found));
    if (*found || n <= k || strcmp(item->text + n - k, end) != 0) return SN_OK;
    sn_item stem = *item;
    if (!(stem.text = sn_arena_strndup(c->items, item->text, n - k))) return SN_OUT_OF_MEM(c->err);
    SN_TRY(named_set(c, scope, &stem, out, found));
    out->frames = *found;
    return SN_OK;
}

/* ---- shares ---- */

/* Corners of one part: a, b, c, d by the first quantity of their places. */
static int corner_name(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    (void)ctx, (void)where, (void)err;
    return 3 * (name[0] - 'a') + name[2] - 'x';
}

#define LENGTH(p, q) "sqrt((" q ".x-" p ".x)^2+(" q ".y-" p ".y)^2+(" q ".z-" p ".z)^2)"
#define MINOR(p, q, r, s, i, j)                                                                              \
    "((" q "." i "-" p "." i ")*(" s "." j "-" r "." j ")-(" q "." j "-" p "." j ")*(" s "." i "-" r "." i   \
    "))^2"
#define AREA(p, q, r, s)                                                                                     \
    "sqrt(" MINOR(p, q, r, s, "y", "z") "+" MINOR(p, q, r, s, "z", "x") "+" MINOR(p, q, r, s, "x", "y") ")/" \
                                                                                                        "2"

/* Whose shares they are: the set, and the entry. */
typedef struct portions {
    sn_compiler *c;
    const set *s;
    const char *name; /* of the quantities */
    sn_mark mark;
} portions;

static sn_status hidden(const portions *o, int *id)
{
    SN_TRY(sn_quantity_slot(o->c, -1, -1, NULL, &o->mark, id));
    o->c->m->quantity[*id].name = o->name;
    return SN_OK;
}

/* Length or area of each part, in quantities from *first on. */
static sn_status measure(const portions *o, int *first)
{
    const set *s = o->s;
    sn_compiler *c = o->c;
    static const char *const text[3] = {LENGTH("a", "b"), AREA("a", "b", "a", "c"), AREA("a", "c", "b", "d")},
                             *const plane = "sqrt((b.x-a.x)^2+(b.y-a.y)^2)";
    sn_expr *form[3];
    const int flat = c->m->dim == 2;
    for (int k = 0; k < 3; k++)
        SN_TRY(sn_expr_parse(&c->m->arena, flat ? plane : text[k], &o->mark, corner_name, NULL, &form[k],
                             c->err));
    for (int k = 0; k < s->parts; k++) {
        const int *at = s->part + (size_t)k * (size_t)s->corners;
        const sn_expr *of = form[s->corners == 2 ? 0 : at[3] < 0 ? 1 : 2];
        int id, var[12];
        for (int i = 0; i < sn_expr_nvar(of); i++)
            var[i] = c->m->node[at[sn_expr_var(of, i) / 3]].s + sn_expr_var(of, i) % 3;
        SN_TRY(hidden(o, &id));
        if (!k) *first = id;
        if (sn_expr_renamed(&c->m->arena, of, var, &c->m->quantity[id].expr)) return SN_OUT_OF_MEM(c->err);
    }
    return SN_OK;
}

/* The sum of n quantities with these factors (NULL: 1), a few at a time. */
static sn_status sum(const portions *o, int n, const int *of, const double *factor, int *id)
{
    sn_compiler *c = o->c;
    enum { FEW = 64 };
    int before = -1;
    for (int k = 0; k < n || before < 0; k += FEW - 1) {
        int var[FEW], count = 0;
        double f[FEW];
        if (before >= 0) var[count] = before, f[count++] = 1;
        for (int i = k; i < n && i < k + FEW - 1; i++)
            var[count] = of[i], f[count++] = factor ? factor[i] : 1;
        SN_TRY(hidden(o, id));
        if (count && sn_expr_linear(&c->m->arena, count, var, f, 0, &c->m->quantity[*id].expr))
            return SN_OUT_OF_MEM(c->err);
        before = *id;
    }
    return SN_OK;
}

typedef struct piece { /* of a part, at a node */
    int node, of;
    double share;
} piece;

static int by_node(const void *a, const void *b)
{
    const int x = ((const piece *)a)->node, y = ((const piece *)b)->node;
    return (x > y) - (x < y);
}

static int ratio_name(void *ctx, const char *name, const sn_mark *where, sn_err *err)
{
    (void)where, (void)err;
    return ((const int *)ctx)[name[0] - 'a'];
}

/* Of each node what it has of all parts, over the whole. */
static sn_status ratios(const portions *o, piece *p, int n, int first, int *share)
{
    const set *s = o->s;
    sn_compiler *c = o->c;
    int *of = sn_arena_alloc(c->items, (size_t)n + (size_t)s->parts + 1, sizeof *of), total, id[2];
    double *factor = sn_arena_alloc(c->items, (size_t)n + 1, sizeof *factor);
    if (!of || !factor) return SN_OUT_OF_MEM(c->err);
    for (int k = 0; k < s->parts; k++) of[k] = first + k;
    SN_TRY(sum(o, s->parts, of, NULL, &total));
    qsort(p, (size_t)n, sizeof *p, by_node);
    for (int i = 0; i < s->n; i++) {
        int low = 0, high = n, count = 0;
        while (low < high) {
            int mid = low + (high - low) / 2;
            if (p[mid].node < s->node[i])
                low = mid + 1;
            else
                high = mid;
        }
        for (; low < n && p[low].node == s->node[i]; low++)
            of[count] = p[low].of, factor[count++] = p[low].share;
        SN_TRY(sum(o, count, of, factor, &id[0]));
        id[1] = total;
        SN_TRY(hidden(o, &share[i]));
        SN_TRY(sn_expr_parse(&c->m->arena, "a/b", &o->mark, ratio_name, id, &c->m->quantity[share[i]].expr,
                             c->err));
    }
    return SN_OK;
}

/* The quantities of the nodes' shares, 1 together. */
static sn_status shares(const portions *o, int *share)
{
    const set *s = o->s;
    sn_compiler *c = o->c;
    int n = 0, first = 0;
    piece *p = sn_arena_alloc(c->items, (size_t)s->parts * (size_t)s->corners + 1, sizeof *p);
    if (!p) return SN_OUT_OF_MEM(c->err);
    if (s->parts && !(s->corners == 4 && c->m->dim == 2)) {
        SN_TRY(measure(o, &first));
        for (int k = 0; k < s->parts; k++) {
            const int *at = s->part + (size_t)k * (size_t)s->corners;
            int corners = s->corners == 4 && at[3] < 0 ? 3 : s->corners;
            for (int i = 0; i < corners; i++) p[n++] = (piece){at[i], first + k, 1. / corners};
        }
        return ratios(o, p, n, first, share);
    }
    for (int i = 0; i < s->n; i++) {
        SN_TRY(hidden(o, &share[i]));
        c->m->quantity[share[i]].value = 1. / s->n;
    }
    return SN_OK;
}

/* Of each edge its length over the whole. */
static sn_status edge_shares(const portions *o, int *share)
{
    sn_compiler *c = o->c;
    int first, id[2], *of = sn_arena_alloc(c->items, (size_t)o->s->parts, sizeof *of);
    if (!of) return SN_OUT_OF_MEM(c->err);
    SN_TRY(measure(o, &first));
    for (int k = 0; k < o->s->parts; k++) of[k] = first + k;
    SN_TRY(sum(o, o->s->parts, of, NULL, &id[1]));
    for (int k = 0; k < o->s->parts; k++) {
        id[0] = first + k;
        SN_TRY(hidden(o, &share[k]));
        SN_TRY(sn_expr_parse(&c->m->arena, "a/b", &o->mark, ratio_name, id, &c->m->quantity[share[k]].expr,
                             c->err));
    }
    return SN_OK;
}

/* ---- entries ---- */

/* Whether `spread` names this slot. */
static int is_spread(const sn_item *item, const char *slot)
{
    const sn_item *k = sn_item_get(item, "spread");
    if (!k || k->type == SN_ITEM_MAP) return 0;
    for (const sn_item *word = k->type == SN_ITEM_LIST ? k->child : k; word;
         word = k->type == SN_ITEM_LIST ? word->next : NULL)
        if (word->text && !strcmp(word->text, slot)) return 1;
    return 0;
}

static int known_slot(const sn_entry *e, const char *name)
{
    for (const sn_slot *s = e->slots; s->name; s++)
        if (!strcmp(s->name, name)) return 1;
    return 0;
}

static sn_status check_spread(sn_compiler *c, const sn_entry *e, int has_set)
{
    const sn_item *k = e->item ? sn_item_get(e->item, "spread") : NULL;
    if (!k) return SN_OK;
    if (!has_set)
        return sn_fail(c->err, SN_ERR_INPUT, &k->key_mark,
                       "%s '%s': 'spread' shares numbers out over a set of nodes, and there is none here",
                       sn_entry_kind(0, e->cls), e->name);
    for (const sn_item *word = k->type == SN_ITEM_LIST ? k->child : k; word;
         word = k->type == SN_ITEM_LIST ? word->next : NULL)
        if (word->type != SN_ITEM_SCALAR || !known_slot(e, word->text))
            return sn_fail(c->err, SN_ERR_INPUT, &word->mark,
                           "%s '%s': 'spread' names what is shared out over the nodes, one of its numbers",
                           sn_entry_kind(0, e->cls), e->name);
    return SN_OK;
}

/* Numbers of a copy: those of what is written, in full or by the node's share. */
static sn_status follow(sn_compiler *c, int section, const sn_entry *from, const sn_entry *to, int share)
{
    sn_model *m = c->m;
    int id = to->first, at = from->first;
    for (int k = 0; to->slots[k].name; at += from->slot_n[k], k++)
        for (int i = 0; i < to->slot_n[k]; i++, id++) {
            if (to->slots[k].formula && strchr(to->slots[k].formula, '@') &&
                !sn_slot_item(section, from, &to->slots[k]))
                continue;
            if (is_spread(from->item, to->slots[k].name)) {
                const int both[2] = {at + i, share};
                if (sn_expr_products(&m->arena, -1, 1, 2, both, &m->quantity[id].expr))
                    return SN_OUT_OF_MEM(c->err);
            } else {
                SN_TRY(sn_quantity_follow(c, id, at + i));
            }
        }
    return SN_OK;
}

/* The name of a node as it is written in this scope. */
static const char *local_name(const sn_compiler *c, const sn_scope *scope, int node)
{
    const char *name = c->m->node[node].name;
    size_t n = strlen(scope->prefix);
    return strncmp(name, scope->prefix, n) ? name : name + n;
}

/* Where a copy stands: n nodes in place of argument `arg`. */
typedef struct spot {
    int arg, n, frames;
    const int *node;
    const char *name; /* behind that of the entry */
} spot;

static sn_status add_copy(sn_compiler *c, int section, int index, const spot *p, int share)
{
    sn_model *m = c->m;
    const sn_entry *from = &m->entry[section][index];
    const int n = sn_arg_count(from);
    const char *text[SN_MAX_NODES + 1];
    int count = 0, at;
    for (int i = 0; i < n; i++)
        if (i != p->arg)
            text[count++] = sn_arg_item(from, i)->text;
        else
            for (int k = 0; k < p->n; k++) {
                const char *node = local_name(c, from->scope, p->node[k]);
                if (p->frames && !(node = sn_arena_printf(c->items, "%s.frame", node)))
                    return SN_OUT_OF_MEM(c->err);
                text[count++] = node;
            }
    const char *name = sn_arena_printf(&m->arena, "%s.%s", from->name, p->name);
    if (!name) return SN_OUT_OF_MEM(c->err);
    SN_TRY(sn_entry_make(c, section, name, count, text, &from->item->key_mark, &at));
    from = &m->entry[section][index]; /* the array may have moved */
    sn_entry *to = &m->entry[section][at];
    to->cls = from->cls, to->scope = from->scope, to->item = from->item, to->set_of = index;
    memcpy(to->property, from->property, sizeof to->property);
    SN_TRY(sn_compile_entry(c, section, at));
    to->block = m->entry[section][index].block;
    return follow(c, section, &m->entry[section][index], &m->entry[section][at], share);
}

/* Copies at each node, or on each edge of a curve. */
static sn_status expand(sn_compiler *c, int section, int index, int arg, const set *s, int edges)
{
    sn_model *m = c->m;
    const sn_entry *e = &m->entry[section][index];
    const int n = edges ? s->parts : s->n;
    int *share = sn_arena_alloc(c->items, (size_t)n + 1, sizeof *share);
    const char *name = sn_arena_printf(&m->arena, "%s.%s.share", sn_section_name[section], e->name);
    if (!share || !name) return SN_OUT_OF_MEM(c->err);
    const portions o = {c, s, name, e->item->key_mark};
    if (sn_item_get(e->item, "spread")) SN_TRY(edges ? edge_shares(&o, share) : shares(&o, share));
    const int first = m->n_entry[section];
    for (int i = 0; i < n; i++) {
        char number[16];
        spot p = {arg, 1 + edges, s->frames, edges ? s->part + 2 * i : s->node + i, number};
        snprintf(number, sizeof number, "e%d", i + 1);
        if (!edges) p.name = local_name(c, m->entry[section][index].scope, s->node[i]);
        SN_TRY(add_copy(c, section, index, &p, share[i]));
    }
    m->entry[section][index].set_first = first;
    m->entry[section][index].set_n = n;
    return SN_OK;
}

/* Whether an entry is put on the edges of a curve: it takes two nodes, and has the curve alone. */
static sn_status on_edges(sn_compiler *c, const sn_entry *e, int section, const set *s, int *edges)
{
    const sn_args *args = sn_entry_args(section, e->cls);
    *edges = section == SN_SEC_ELEMENTS && sn_arg_count(e) == 1 && args->min == 2 && args->max == 2;
    if (!*edges) return SN_OK;
    const sn_item *divided = sn_item_get(e->item, "elements");
    if (s->corners != 2)
        return sn_fail(
            c->err, SN_ERR_INPUT, &e->arg->mark,
            "%s '%s' takes two nodes, or a curve, on each edge of which there will be one: this is none",
            sn_entry_kind(0, e->cls), e->name);
    if (divided)
        return sn_fail(c->err, SN_ERR_INPUT, &divided->key_mark,
                       "%s '%s' has one element on each edge of the curve: 'elements' goes with two nodes",
                       sn_entry_kind(0, e->cls), e->name);
    return SN_OK;
}

static sn_status expand_entry(sn_compiler *c, int section, int index)
{
    const sn_entry *e = &c->m->entry[section][index];
    int arg = -1;
    set found = {0}, s;
    if (!e->cls || e->bad || !(sn_entry_args(section, e->cls)->what & SN_ARG_NODE)) return SN_OK;
    if (section == SN_SEC_ELEMENTS && sn_on_mesh(c, e) >= 0) return check_spread(c, e, 0);
    for (int i = 0, is; i < sn_arg_count(e); i++) {
        SN_TRY(find_set(c, e->scope, sn_arg_item(e, i), &s, &is));
        if (is && arg >= 0)
            return sn_fail(c->err, SN_ERR_INPUT, &sn_arg_item(e, i)->mark,
                           "%s '%s': only one of its nodes can be a set", sn_entry_kind(0, e->cls), e->name);
        if (is) arg = i, found = s;
    }
    SN_TRY(check_spread(c, e, arg >= 0));
    if (arg < 0) return SN_OK;
    const sn_element_class *cls = section == SN_SEC_ELEMENTS ? e->cls : NULL;
    if (cls && (cls->inner || cls->tie || cls->file))
        return sn_fail(c->err, SN_ERR_INPUT, &e->arg->mark, "%s '%s' cannot be put on a set of nodes",
                       cls->name, e->name);
    int edges;
    SN_TRY(on_edges(c, e, section, &found, &edges));
    return expand(c, section, index, arg, &found, edges);
}

sn_status sn_compile_sets(sn_compiler *c)
{
    static const int sections[] = {SN_SEC_ELEMENTS, SN_SEC_JOINTS};
    for (int k = 0; k < 2; k++)
        for (int i = 0, n = c->m->n_entry[sections[k]]; i < n; i++) {
            int before = c->err->count;
            sn_status s = expand_entry(c, sections[k], i);
            if (s == SN_ERR_MEMORY) return s;
            if (s || c->err->count > before) c->m->entry[sections[k]][i].set_n = -1;
        }
    return SN_OK;
}
