/* Meshed lines that are bent in the reference (sn_line_axis of class.h), or whose ends are off their nodes.

   Nodes of a mesh lie on the axis of the whole line, and the vector that turns along it is another for each
   piece. Slots of a point off a node (SN_ON_NODE1, SN_ON_NODE2) belong to the ends of the whole line; between
   them they change in proportion, so that the pieces of a straight line are one line. These numbers are
   expressions of those of the entry, in the sets of its pieces (taper.c). What is written with xi is written
   for each piece and stays as it is; an axis cannot vary so. */
#include "model/compile.h"

#include <string.h>

enum { VARIABLES_MOST = 64 };

/* Slot of a name in the table of an entry, and its place among the entry's numbers; -1: there is none. */
static int slot_named(const sn_entry *e, const char *name, int *at)
{
    *at = 0;
    for (int k = 0; e->slots[k].name; *at += e->slot_n[k++])
        if (!strcmp(e->slots[k].name, name)) return k;
    return -1;
}

static int written(const sn_entry *e, const char *slot) { return sn_item_get(e->item, slot) != NULL; }

static int tapers(const sn_model *m, const sn_entry *e, const char *slot)
{
    int at, k = slot_named(e, slot, &at), any = 0;
    for (int i = 0; k >= 0 && i < e->slot_n[k]; i++) any |= m->quantity[e->first + at + i].tapers;
    return any;
}

static int is_mesh(const sn_entry *e)
{
    return e->cls && !e->bad && !e->corner && e->mesh >= 0 && e->pieces > 1 &&
           sn_element_mesh(e->cls) == SN_SHAPE_LINE;
}

static const sn_line_axis *axis_of(const sn_entry *e)
{
    const sn_line_axis *axis = ((const sn_element_class *)e->cls)->axis;
    return axis && written(e, axis->bends) ? axis : NULL;
}

/* Slots of the points at both ends, where one of them is written. */
static int off_nodes(const sn_entry *e, const sn_slot *s[2])
{
    s[0] = s[1] = NULL;
    for (int k = 0; e->slots[k].name; k++) {
        if ((e->slots[k].flags & SN_ON_NODE1) && !s[0]) s[0] = &e->slots[k];
        if ((e->slots[k].flags & SN_ON_NODE2) && !s[1]) s[1] = &e->slots[k];
    }
    return s[0] && s[1] && s[0] != s[1] && s[0]->n == s[1]->n &&
           (written(e, s[0]->name) || written(e, s[1]->name));
}

int sn_bent(const sn_entry *e)
{
    const sn_slot *s[2];
    return is_mesh(e) && (axis_of(e) || off_nodes(e, s));
}

/* The quantity i of slot `name` of piece k. */
static int of_piece(const sn_entry *e, int k, const char *name, int i)
{
    int at;
    slot_named(e, name, &at);
    return e->piece_first + k * e->piece_n + at + i;
}

/* A number of a piece that follows others of its own: what is set of the entry moves it by them. */
static void follow(sn_model *m, int id, sn_expr *x)
{
    m->quantity[id].expr = x;
    m->quantity[id].tapers = 0;
    m->piece_number[id - m->first_piece].of = -1;
}

/* ---- ends off their nodes ---- */

static sn_status shift(sn_compiler *c, const sn_entry *e, const sn_slot *const s[2])
{
    sn_model *m = c->m;
    int at[2];
    for (int j = 0; j < 2; j++) slot_named(e, s[j]->name, &at[j]);
    for (int k = 0; k < e->pieces; k++)
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < s[j]->n; i++) {
                const double w = (double)(k + j) / e->pieces;
                sn_expr *x;
                if (tapers(m, e, s[0]->name) || tapers(m, e, s[1]->name)) return SN_OK;
                if (sn_expr_linear(&m->arena, 2, (const int[]){e->first + at[0] + i, e->first + at[1] + i},
                                   (const double[]){1 - w, w}, 0, &x))
                    return SN_OUT_OF_MEM(c->err);
                follow(m, of_piece(e, k, s[j]->name, i), x);
            }
    return SN_OK;
}

/* ---- bent lines ---- */

/* What a axis depends on: places of both ends, slots. Returns how many; 0: the ends are not known. */
static int variables(sn_compiler *c, const sn_entry *e, const sn_line_axis *axis, int *id)
{
    const sn_model *m = c->m;
    int n = 0, at;
    for (int j = 0; j < 2; j++) {
        const int node = sn_mesh_corner(c, e, j);
        if (node < 0) return 0;
        for (int i = 0; i < m->node[node].slot_n[0]; i++) id[n++] = m->node[node].s + i;
    }
    for (const char *const *s = axis->slots; *s; s++) {
        const int k = slot_named(e, *s, &at);
        for (int i = 0; i < e->slot_n[k]; i++) id[n++] = e->first + at + i;
    }
    return n;
}

static sn_status bend(sn_compiler *c, const sn_entry *e, const sn_line_axis *axis)
{
    sn_model *m = c->m;
    int id[VARIABLES_MOST], n = variables(c, e, axis, id), at;
    const int turned = axis->turned ? slot_named(e, axis->turned, &at) : -1;
    const int dim = e->mesh < m->n_node ? m->node[e->mesh].slot_n[0] : 0;
    sn_expr *x;
    for (int k = 1; n && k < e->pieces; k++)
        for (int i = 0; i < dim; i++) {
            if (sn_expr_axis(&m->arena, axis, i, (double)k / e->pieces, n, id, &x))
                return SN_OUT_OF_MEM(c->err);
            m->quantity[m->node[e->mesh + k - 1].s + i].expr = x;
        }
    for (int k = 0; n && turned >= 0 && k < e->pieces && !tapers(m, e, axis->turned); k++)
        for (int i = 0; i < e->slot_n[turned]; i++) {
            if (sn_expr_axis(&m->arena, axis, dim + i, (k + 0.5) / e->pieces, n, id, &x))
                return SN_OUT_OF_MEM(c->err);
            follow(m, of_piece(e, k, axis->turned, i), x);
        }
    return SN_OK;
}

/* Whether something the axis depends on varies along the line, but for what turns along it. */
static int varies(const sn_model *m, const sn_entry *e, const sn_line_axis *axis)
{
    for (const char *const *s = axis->slots; *s; s++)
        if ((!axis->turned || strcmp(*s, axis->turned)) && tapers(m, e, *s)) return 1;
    return 0;
}

sn_status sn_bend(sn_compiler *c, sn_entry *e)
{
    const sn_line_axis *axis = axis_of(e);
    const sn_slot *s[2];
    if (axis && varies(c->m, e, axis)) {
        e->bad = 1;
        return sn_fail(c->err, SN_ERR_INPUT, &sn_item_get(e->item, axis->bends)->mark,
                       "'%s' of a line that is divided cannot vary along it ('xi'): write the nodes between",
                       axis->bends);
    }
    if (off_nodes(e, s)) SN_TRY(shift(c, e, s));
    return axis ? bend(c, e, axis) : SN_OK;
}
