/* What a reader needs to draw: nodes, their reference positions, what connects them, where joints sit and
   loads act. Bodies and shapes: drawing_body.c. */
#include "analysis/drawing.h"

#include <math.h>
#include <string.h>

enum { ARRAYS = 10, PIN_COLS = 10, LOAD_COLS = 6 };

void sn_drawing_add(sn_drawing *d, sn_result_array a) { d->array[d->n++] = a; }

static void reference(const sn_drawing *d, int node, double *X)
{
    const sn_node *n = &d->m->node[node];
    for (int k = 0; k < n->cls->dim; k++) X[k] = d->p->x[n->s + k];
}

static sn_status nodes(sn_drawing *d)
{
    const sn_model *m = d->m;
    double *ref = sn_arena_alloc(d->arena, (size_t)m->n_node * 3 + 1, sizeof *ref);
    int *at = sn_arena_alloc(d->arena, (size_t)m->n_node * 2 + 1, sizeof *at);
    const char **name = sn_arena_alloc(d->arena, (size_t)m->n_node + 1, sizeof *name);
    if (!ref || !at || !name) return SN_ERR_MEMORY;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        name[i] = n->name;
        at[2 * i] = n->q, at[2 * i + 1] = n->ground ? -1 : n->v;
        reference(d, i, ref + 3 * i);
    }
    sn_drawing_add(d, (sn_result_array){"/model/nodes/reference", m->n_node, 3, ref, NULL, name, "m"});
    sn_drawing_add(d, (sn_result_array){"/model/nodes/index", m->n_node, 2, NULL, at, name, NULL});
    return SN_OK;
}

static sn_status parameters(sn_drawing *d)
{
    int n = sn_parameter_count(d->m);
    double *value = sn_arena_alloc(d->arena, (size_t)n + 1, sizeof *value);
    const char **name = sn_arena_alloc(d->arena, (size_t)n + 1, sizeof *name);
    if (!value || !name) return SN_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        name[i] = sn_parameter_name(d->m, i);
        value[i] = d->p->x[d->m->entry[SN_SEC_PARAMETERS][i].first];
    }
    sn_drawing_add(d, (sn_result_array){"/model/parameters", n, 1, value, NULL, name, NULL});
    return SN_OK;
}

/* The first two nodes of a family's objects, and "kind:name". */
static sn_status connections(sn_drawing *d, const char *path, const sn_family *f)
{
    int *node = sn_arena_alloc(d->arena, (size_t)f->n * 2 + 1, sizeof *node);
    const char **name = sn_arena_alloc(d->arena, (size_t)f->n + 1, sizeof *name);
    if (!node || !name) return SN_ERR_MEMORY;
    for (int i = 0; i < f->n; i++) {
        const sn_object *o = &f->object[i];
        name[i] = sn_arena_printf(d->arena, "%s:%s", *(const char *const *)o->cls, o->name);
        if (!name[i]) return SN_ERR_MEMORY;
        node[2 * i] = o->nn ? o->node[0] : -1;
        node[2 * i + 1] = o->nn > 1 ? o->node[1] : -1;
    }
    sn_drawing_add(d, (sn_result_array){path, f->n, 2, NULL, node, name, NULL});
    return SN_OK;
}

/* Numbers of the slot of that name; NULL: there is none. */
static const double *slot_named(const sn_values *p, const sn_object *o, const sn_entry *e, const char *name,
                                int *n)
{
    for (int k = 0, at = 0; e->slots && e->slots[k].name; at += e->slot_n[k++])
        if (strcmp(e->slots[k].name, name) == 0) return *n = e->slot_n[k], p->x + o->s + at;
    return NULL;
}

int sn_joint_pin(const sn_model *m, const sn_values *p, const sn_object *o, double *arm)
{
    const sn_entry *e = &m->entry[SN_SEC_JOINTS][o->entry];
    int k = o->nn - 1, n = 0;
    while (k > 0 && m->node[o->node[k]].ground) k--;
    if (k < 0 || m->node[o->node[k]].ground) k = o->nn - 1;
    const double *at = slot_named(p, o, e, "at", &n);
    const sn_node *node = k < 0 ? NULL : &m->node[o->node[k]];
    for (int j = 0; j < 3; j++)
        arm[j] = at && node->cls->rot && j < n && j < node->cls->dim ? at[j] - p->x[node->s + j] : 0;
    return k;
}

static void axis_of(const sn_drawing *d, const sn_object *o, const char *name, double *out)
{
    int n = 0;
    const double *a = slot_named(d->p, o, &d->m->entry[SN_SEC_JOINTS][o->entry], name, &n);
    double size = 0;
    for (int j = 0; a && j < n && j < 3; j++) size = hypot(size, a[j]);
    for (int j = 0; size > 0 && j < n && j < 3; j++) out[j] = a[j] / size;
}

/* Joints: the node they sit at, their place from there, their axis in the axes of the first node, the second
 * one in those of the second. */
static sn_status pins(sn_drawing *d)
{
    const sn_family *f = &d->m->joint;
    double *row = sn_arena_alloc(d->arena, (size_t)f->n * PIN_COLS + 1, sizeof *row);
    if (!row) return SN_ERR_MEMORY;
    sn_drawing_add(d, (sn_result_array){"/model/pins", f->n, PIN_COLS, row, NULL, NULL, NULL});
    for (int i = 0; i < f->n; i++, row += PIN_COLS) {
        const sn_object *o = &f->object[i];
        int k = sn_joint_pin(d->m, d->p, o, row + 1);
        row[0] = k < 0 ? -1 : o->node[k];
        axis_of(d, o, "axis", row + 4);
        axis_of(d, o, "axis2", row + 7);
    }
    return SN_OK;
}

static int is_load(const sn_object *o) { return ((const sn_element_class *)o->cls)->load != NULL; }

/* Loads: the element, its nodes (the second -1 unless it is spread between both), the point from the node. */
static sn_status loads(sn_drawing *d)
{
    const sn_family *f = &d->m->element;
    int n = 0;
    for (int i = 0; i < f->n; i++) n += is_load(&f->object[i]);
    double *row = sn_arena_alloc(d->arena, (size_t)n * LOAD_COLS + 1, sizeof *row);
    if (!row) return SN_ERR_MEMORY;
    sn_drawing_add(d, (sn_result_array){"/model/loads", n, LOAD_COLS, row, NULL, NULL, NULL});
    for (int i = 0; i < f->n; i++) {
        const sn_object *o = &f->object[i];
        if (!is_load(o)) continue;
        const double *point = d->p->x + o->s + ((const sn_element_class *)o->cls)->load->point;
        row[0] = i;
        row[1] = o->node[0];
        row[2] = o->nn > 1 ? o->node[1] : -1;
        for (int j = 0; o->nn == 1 && j < o->dim; j++) row[3 + j] = point[j];
        row += LOAD_COLS;
    }
    return SN_OK;
}

sn_status sn_drawing_make(sn_drawing *d, const sn_result_array *extra, int n_extra)
{
    size_t room = ARRAYS + (size_t)n_extra + (size_t)sn_drawing_shape_count(d->m);
    d->array = sn_arena_alloc(d->arena, room, sizeof *d->array);
    if (!d->array) return SN_ERR_MEMORY;
    SN_TRY(nodes(d));
    SN_TRY(parameters(d));
    SN_TRY(connections(d, "/model/elements", &d->m->element));
    SN_TRY(connections(d, "/model/joints", &d->m->joint));
    SN_TRY(pins(d));
    SN_TRY(loads(d));
    SN_TRY(sn_drawing_bodies(d));
    SN_TRY(sn_drawing_shapes(d));
    for (int i = 0; i < n_extra; i++) sn_drawing_add(d, extra[i]);
    return sn_drawing_triangles(d);
}
