/* What a reader needs to draw: nodes, their reference positions, what connects them, where joints sit and
   loads act. Bodies and shapes: drawing_body.c. */
#include "record/drawing.h"

#include <math.h>
#include <string.h>

enum { ARRAYS = 11, PIN_COLS = 10, LOAD_COLS = 6, POINT_COLS = 6 };

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

const char *sn_drawing_name(sn_drawing *d, const sn_family *f, int i, const char *before, const char *kind)
{
    const sn_object *o = &f->object[i];
    if (before && o->piece > 0) return before;
    return sn_arena_printf(d->arena, "%s:%s", kind, o->name);
}

/* The first two nodes of a family's objects, and "kind:name". */
static sn_status connections(sn_drawing *d, const char *path, const sn_family *f)
{
    int *node = sn_arena_alloc(d->arena, (size_t)f->n * 2 + 1, sizeof *node);
    const char **name = sn_arena_alloc(d->arena, (size_t)f->n + 1, sizeof *name);
    if (!node || !name) return SN_ERR_MEMORY;
    for (int i = 0; i < f->n; i++) {
        const sn_object *o = &f->object[i];
        name[i] = sn_drawing_name(d, f, i, i ? name[i - 1] : NULL, *(const char *const *)o->cls);
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

void sn_object_point(const sn_model *m, const sn_values *p, int section, const sn_object *o, int k,
                     double *arm)
{
    const sn_entry *e = &m->entry[section][o->entry];
    const sn_slot *slot = e->slots;
    const unsigned on = k == 0 ? SN_ON_NODE1 : k == 1 ? SN_ON_NODE2 : 0;
    arm[0] = arm[1] = arm[2] = 0;
    if (k >= o->nn || o->host >= 0 || !sn_node_view(&m->node[o->node[k]], SN_FRAME)) return;
    const sn_node *node = &m->node[o->node[k]];
    for (int at = o->s; slot && slot->name; at += e->slot_n[slot++ - e->slots])
        for (int j = 0; (slot->flags & on) && j < node->cls->dim; j++)
            arm[j] = p->x[at + j] - (slot->flags & SN_PLACED ? p->x[node->s + j] : 0);
}

int sn_joint_pin(const sn_model *m, const sn_values *p, const sn_object *o, double *arm)
{
    int k = o->nn - 1;
    while (k > 0 && m->node[o->node[k]].ground) k--;
    if (k < 0 || m->node[o->node[k]].ground) k = o->nn - 1;
    arm[0] = arm[1] = arm[2] = 0;
    if (k >= 0) sn_object_point(m, p, SN_SEC_JOINTS, o, k, arm);
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
        row[0] = i;
        row[1] = o->node[0];
        row[2] = o->nn > 1 ? o->node[1] : -1;
        sn_object_point(d->m, d->p, SN_SEC_ELEMENTS, o, 0, row + 3);
        row += LOAD_COLS;
    }
    return SN_OK;
}

/* Rows of the points of a family's objects that are not at their nodes: the family, the object, which of its
   nodes, the point. Returns how many; row NULL: only counts. */
static int points_of(const sn_drawing *d, const sn_family *f, int section, double *row)
{
    int n = 0;
    for (int i = 0; i < f->n; i++)
        for (int k = 0; k < f->object[i].nn && k < 2; k++) {
            double x[3];
            sn_object_point(d->m, d->p, section, &f->object[i], k, x);
            if (x[0] == 0 && x[1] == 0 && x[2] == 0) continue;
            const double own[POINT_COLS] = {section == SN_SEC_JOINTS, i, k, x[0], x[1], x[2]};
            if (row) memcpy(row + POINT_COLS * (size_t)n, own, sizeof own);
            n++;
        }
    return n;
}

static sn_status points(sn_drawing *d)
{
    const sn_model *m = d->m;
    int e = points_of(d, &m->element, SN_SEC_ELEMENTS, NULL),
        n = e + points_of(d, &m->joint, SN_SEC_JOINTS, NULL);
    double *row = sn_arena_alloc(d->arena, (size_t)n * POINT_COLS + 1, sizeof *row);
    if (!row) return SN_ERR_MEMORY;
    points_of(d, &m->element, SN_SEC_ELEMENTS, row);
    points_of(d, &m->joint, SN_SEC_JOINTS, row + POINT_COLS * (size_t)e);
    sn_drawing_add(d, (sn_result_array){"/model/points", n, POINT_COLS, row, NULL, NULL, NULL});
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
    SN_TRY(points(d));
    SN_TRY(sn_drawing_bodies(d));
    SN_TRY(sn_drawing_shapes(d));
    for (int i = 0; i < n_extra; i++) sn_drawing_add(d, extra[i]);
    return sn_drawing_triangles(d);
}
