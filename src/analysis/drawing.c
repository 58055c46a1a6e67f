/* What a reader needs to draw: nodes, their reference positions, what connects them, sections, masses,
 * shapes. */
#include "analysis/drawing.h"

#include <string.h>

/* What a reader needs to draw: nodes, their reference positions, what connects them. */
static sn_status layout(const sn_model *m, const sn_values *p, sn_arena *arena, sn_result_array *a)
{
    int ne = m->element.n, nj = m->joint.n;
    double *ref = sn_arena_alloc(arena, (size_t)m->n_node * 3 + 1, sizeof *ref);
    double *par = sn_arena_alloc(arena, (size_t)sn_parameter_count(m) + 1, sizeof *par);
    int *at = sn_arena_alloc(arena, (size_t)m->n_node * 2 + 1, sizeof *at);
    int *connect = sn_arena_alloc(arena, (size_t)(ne + nj) * 2 + 2, sizeof *connect);
    const char **node = sn_arena_alloc(arena, (size_t)m->n_node + 1, sizeof *node);
    const char **param = sn_arena_alloc(arena, (size_t)sn_parameter_count(m) + 1, sizeof *param);
    const char **thing = sn_arena_alloc(arena, (size_t)(ne + nj) + 1, sizeof *thing);
    if (!ref || !par || !at || !connect || !node || !param || !thing) return SN_ERR_MEMORY;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        node[i] = n->name;
        at[2 * i] = n->q, at[2 * i + 1] = n->ground ? -1 : n->v;
        for (int k = 0; k < n->cls->dim; k++) ref[3 * i + k] = p->x[n->s + k];
    }
    for (int i = 0; i < sn_parameter_count(m); i++) {
        param[i] = sn_parameter_name(m, i);
        par[i] = p->x[m->entry[SN_SEC_PARAMETERS][i].first];
    }
    for (int i = 0; i < ne + nj; i++) {
        const sn_object *o = i < ne ? &m->element.object[i] : &m->joint.object[i - ne];
        thing[i] = sn_arena_printf(arena, "%s:%s", *(const char *const *)o->cls, o->name);
        if (!thing[i]) return SN_ERR_MEMORY;
        connect[2 * i] = o->nn ? o->node[0] : -1;
        connect[2 * i + 1] = o->nn > 1 ? o->node[1] : -1;
    }
    a[0] = (sn_result_array){"/model/nodes/reference", m->n_node, 3, ref, NULL, node, "m"};
    a[1] = (sn_result_array){"/model/nodes/index", m->n_node, 2, NULL, at, node, NULL};
    a[2] = (sn_result_array){"/model/parameters", sn_parameter_count(m), 1, par, NULL, param, NULL};
    a[3] = (sn_result_array){"/model/elements", ne, 2, NULL, connect, thing, NULL};
    a[4] = (sn_result_array){"/model/joints", nj, 2, NULL, connect + 2 * (size_t)ne, thing + ne, NULL};
    return SN_OK;
}

/* The shape of an element object, or NULL. */
static const sn_entry *shape_of(const sn_model *m, const sn_object *o)
{
    int i =
        o->piece == 0 ? m->entry[SN_SEC_ELEMENTS][o->entry].property[SN_SEC_SHAPES - SN_SEC_MATERIALS] : -1;
    const sn_entry *e = i < 0 ? NULL : &m->entry[SN_SEC_SHAPES][i];
    return e && ((const sn_property_class *)e->cls)->draw ? e : NULL;
}

/* A shape for drawing: the element's row, place from its node, turn, sizes; all turned with its file. */
static void draw_shape(const sn_model *m, const sn_values *p, const sn_entry *e, int element, double *row)
{
    double own[15] = {0}, R[9];
    const sn_scope *scope = m->entry[SN_SEC_ELEMENTS][m->element.object[element].entry].scope;
    ((const sn_property_class *)e->cls)->draw(p->x + e->first, own);
    sn_place_turn(m, scope, p->x, R);
    row[0] = element;
    for (int i = 0; i < 3; i++) {
        row[1 + i] = R[3 * i] * own[0] + R[3 * i + 1] * own[1] + R[3 * i + 2] * own[2];
        row[13 + i] = own[12 + i];
        for (int j = 0; j < 3; j++)
            row[4 + 3 * i + j] =
                R[3 * i] * own[3 + j] + R[3 * i + 1] * own[6 + j] + R[3 * i + 2] * own[9 + j];
    }
}

static sn_status shapes(const sn_model *m, const sn_values *p, sn_arena *arena, sn_result_array *a)
{
    enum { COLS = 16 };
    int n = 0;
    for (int i = 0; i < m->element.n; i++) n += shape_of(m, &m->element.object[i]) != NULL;
    double *row = sn_arena_alloc(arena, (size_t)n * COLS + 1, sizeof *row);
    const char **name = sn_arena_alloc(arena, (size_t)n + 1, sizeof *name);
    if (!row || !name) return SN_ERR_MEMORY;
    *a = (sn_result_array){"/model/shapes", n, COLS, row, NULL, name, NULL};
    for (int i = 0, k = 0; i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        const sn_entry *e = shape_of(m, o);
        if (!e) continue;
        draw_shape(m, p, e, i, row + COLS * (size_t)k);
        name[k] = sn_arena_printf(arena, "%s:%s%s%s", *(const char *const *)e->cls, o->name,
                                  e->file ? ":" : "", e->file ? e->file : "");
        if (!name[k++]) return SN_ERR_MEMORY;
    }
    return SN_OK;
}

/* Kind of the section behind a line; its outer sizes replace those of the rectangle, unless they vary along
 * it. */
static const char *section_of(const sn_model *m, const sn_values *p, const sn_object *o, double *size)
{
    const sn_entry *e = &m->entry[SN_SEC_ELEMENTS][o->entry];
    int i = e->property[SN_SEC_SECTIONS - SN_SEC_MATERIALS];
    const sn_entry *s = i < 0 ? NULL : &m->entry[SN_SEC_SECTIONS][i];
    const sn_property_class *cls = s ? s->cls : NULL;
    if (cls && cls->draw && !e->piece_n) cls->draw(p->x + s->first, size);
    return cls ? cls->name : "";
}

/* Lines and masses as their kinds draw them. */
static sn_status bodies(const sn_model *m, const sn_values *p, sn_arena *arena, sn_result_array *a)
{
    enum { COLS = 12 };
    int n = 0, k = 0;
    for (int i = 0; i < m->element.n; i++)
        n += ((const sn_element_class *)m->element.object[i].cls)->draw != NULL;
    double *row = sn_arena_alloc(arena, (size_t)n * COLS + 1, sizeof *row);
    const char **name = sn_arena_alloc(arena, (size_t)n + 1, sizeof *name);
    if (!row || !name) return SN_ERR_MEMORY;
    *a = (sn_result_array){"/model/bodies", n, COLS, row, NULL, name, NULL};
    for (int i = 0; i < m->element.n; i++) {
        const sn_object *o = &m->element.object[i];
        const sn_element_class *cls = o->cls;
        if (!cls->draw) continue;
        row[COLS * (size_t)k] = i;
        cls->draw(p->x + o->s, row + COLS * (size_t)k + 1);
        const char *what =
            cls->flags & SN_MESHES ? section_of(m, p, o, row + COLS * (size_t)k + 1) : cls->name;
        if (!(name[k++] = sn_arena_printf(arena, "%s:%s", what, o->name))) return SN_ERR_MEMORY;
    }
    return SN_OK;
}

sn_status sn_drawing(const sn_model *m, const sn_values *p, sn_arena *arena, sn_result_array *a)
{
    SN_TRY(layout(m, p, arena, a));
    SN_TRY(bodies(m, p, arena, a + SN_DRAWING - 2));
    return shapes(m, p, arena, a + SN_DRAWING - 1);
}
