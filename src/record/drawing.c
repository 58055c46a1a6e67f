/* What a reader needs to draw: nodes, their reference positions, what connects them, where joints sit and
   loads act. Bodies and shapes: drawing_body.c, meshes: drawing_mesh.c. */
#include "record/drawing.h"
#include "record/section.h"

#include <math.h>
#include <string.h>

enum { ARRAYS = 19, MESH_ARRAYS = 4, PIN_COLS = 10, LOAD_COLS = 4, POINT_COLS = 6 };

void sn_drawing_add(sn_drawing *d, sn_result_array a) { d->array[d->n++] = a; }

static void reference(const sn_drawing *d, int node, double *X)
{
    const sn_node *n = &d->m->node[node];
    for (int k = 0; k < n->cls->dim; k++) X[k] = d->p->x[n->s + k];
}

static const sn_result_label *label(sn_drawing *d, const char *name, int n, const char *const *text)
{
    sn_result_label *l = sn_arena_alloc(d->arena, 2, sizeof *l);
    if (l) l[0] = (sn_result_label){name, n, text}, l[1] = (sn_result_label){.name = NULL};
    return l;
}

static sn_status nodes(sn_drawing *d)
{
    enum { COLS = 9 };
    static const char *const column[COLS] = {"q", "v", "nq", "nv", "dim", "x_q", "x_v", "R_q", "R_v"};
    const sn_model *m = d->m;
    double *ref = sn_arena_alloc(d->arena, (size_t)m->n_node * 3 + 1, sizeof *ref);
    int *at = sn_arena_alloc(d->arena, (size_t)m->n_node * COLS + 1, sizeof *at);
    const char **name = sn_arena_alloc(d->arena, (size_t)m->n_node + 1, sizeof *name);
    const sn_result_label *columns = label(d, "columns", COLS, column);
    if (!ref || !at || !name || !columns) return SN_ERR_MEMORY;
    for (int i = 0; i < m->n_node; i++) {
        const sn_node *n = &m->node[i];
        const sn_node_places p = sn_node_place(n);
        const int row[COLS] = {n->q, n->ground ? -1 : n->v, n->nq, n->nv, n->cls->dim, p.x_q, p.x_v, p.R_q,
                               p.R_v};
        memcpy(at + COLS * (size_t)i, row, sizeof row);
        name[i] = n->name;
        reference(d, i, ref + 3 * i);
    }
    sn_drawing_add(d, (sn_result_array){"/model/nodes/reference", m->n_node, 3, ref, NULL, name, "m", NULL});
    sn_drawing_add(d,
                   (sn_result_array){"/model/nodes/index", m->n_node, COLS, NULL, at, name, NULL, columns});
    return SN_OK;
}

/* What kind each node is, for people. */
static sn_status node_kinds(sn_drawing *d)
{
    const sn_model *m = d->m;
    int n = 0;
    while (sn_node_all()[n]) n++;
    int *kind = sn_arena_alloc(d->arena, (size_t)m->n_node + 1, sizeof *kind);
    const char **name = sn_arena_alloc(d->arena, (size_t)n + 1, sizeof *name);
    const sn_result_label *kinds = label(d, "kinds", n, name);
    if (!kind || !name || !kinds) return SN_ERR_MEMORY;
    for (int k = 0; k < n; k++) name[k] = sn_node_all()[k]->name;
    for (int i = 0; i < m->n_node; i++)
        while (sn_node_all()[kind[i]] && sn_node_all()[kind[i]] != m->node[i].cls) kind[i]++;
    sn_drawing_add(d, (sn_result_array){"/model/nodes/kind", m->n_node, 1, NULL, kind, NULL, NULL, kinds});
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
    sn_drawing_add(d, (sn_result_array){"/model/parameters", n, 1, value, NULL, name, NULL, NULL});
    return SN_OK;
}

/* ---- what connects nodes, and what it looks like ---- */

/* Geometries that differ in what a reader sees. */
typedef struct looks {
    const sn_geometry **of; /* room for one of each kind, and one */
    int n;
} looks;

static const char *symbol(const sn_geometry *g) { return g->symbol ? g->symbol : ""; }

/* Row of a geometry; NULL: that of what declares none. */
static int look(looks *l, const sn_geometry *g)
{
    static const sn_geometry none = {.shape = SN_SHAPE_NONE};
    if (!g) g = &none;
    for (int i = 0; i < l->n; i++)
        if (l->of[i]->shape == g->shape && l->of[i]->interpolation == g->interpolation &&
            strcmp(symbol(l->of[i]), symbol(g)) == 0)
            return i;
    l->of[l->n] = g;
    return l->n++;
}

static sn_status geometry(sn_drawing *d, const looks *l)
{
    int *row = sn_arena_alloc(d->arena, (size_t)l->n * 2 + 1, sizeof *row);
    const char **name = sn_arena_alloc(d->arena, (size_t)l->n + 1, sizeof *name);
    if (!row || !name) return SN_ERR_MEMORY;
    for (int i = 0; i < l->n; i++) {
        row[2 * i] = (int)l->of[i]->shape, row[2 * i + 1] = l->of[i]->interpolation;
        name[i] = symbol(l->of[i]);
    }
    sn_drawing_add(d, (sn_result_array){"/model/geometry", l->n, 2, NULL, row, name, NULL, NULL});
    return SN_OK;
}

/* "kind:name"; all pieces of an entry share one text. NULL: out of memory. */
static const char *name_of(sn_drawing *d, const sn_object *o, const char *before)
{
    if (before && o->piece > 0) return before;
    return sn_arena_printf(d->arena, "%s:%s", *(const char *const *)o->cls, o->name);
}

/* The nodes of a family's objects, from place *first of /model/connectivity on, and their looks. */
static sn_status connections(sn_drawing *d, int joints, int *list, int *first, looks *l)
{
    enum { COLS = 3 };
    const sn_family *f = joints ? &d->m->joint : &d->m->element;
    int *row = sn_arena_alloc(d->arena, (size_t)f->n * COLS + 1, sizeof *row);
    const char **name = sn_arena_alloc(d->arena, (size_t)f->n + 1, sizeof *name);
    if (!row || !name) return SN_ERR_MEMORY;
    for (int i = 0; i < f->n; i++) {
        const sn_object *o = &f->object[i];
        name[i] = name_of(d, o, i ? name[i - 1] : NULL);
        if (!name[i]) return SN_ERR_MEMORY;
        row[COLS * i] = *first, row[COLS * i + 1] = o->nn;
        row[COLS * i + 2] = look(l, joints ? ((const sn_joint_class *)o->cls)->geometry
                                           : ((const sn_element_class *)o->cls)->geometry);
        for (int k = 0; k < o->nn; k++) list[(*first)++] = o->node[k];
    }
    sn_drawing_add(d, (sn_result_array){joints ? "/model/joints" : "/model/elements", f->n, COLS, NULL, row,
                                        name, NULL, NULL});
    return SN_OK;
}

static sn_status all_connections(sn_drawing *d)
{
    const sn_family *all[] = {&d->m->element, &d->m->joint};
    int n = 0, at = 0, kinds = 1;
    for (int k = 0; sn_element_all()[k]; k++) kinds++;
    for (int k = 0; sn_joint_all()[k]; k++) kinds++;
    looks l = {.of = sn_arena_alloc(d->arena, (size_t)kinds, sizeof *l.of)};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < all[k]->n; i++) n += all[k]->object[i].nn;
    int *list = sn_arena_alloc(d->arena, (size_t)n + 1, sizeof *list);
    if (!list || !l.of) return SN_ERR_MEMORY;
    SN_TRY(connections(d, 0, list, &at, &l));
    SN_TRY(connections(d, 1, list, &at, &l));
    sn_drawing_add(d, (sn_result_array){"/model/connectivity", n, 1, NULL, list, NULL, NULL, NULL});
    return geometry(d, &l);
}

/* ---- joints, loads, points ---- */

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
    int n, at = sn_entry_slot(&d->m->entry[SN_SEC_JOINTS][o->entry], name, &n);
    if (at < 0) return;
    const double *a = d->p->x + o->s + at;
    double size = 0;
    for (int j = 0; j < n && j < 3; j++) size = hypot(size, a[j]);
    for (int j = 0; size > 0 && j < n && j < 3; j++) out[j] = a[j] / size;
}

/* Joints: the node they sit at, their place from there, their axis in the axes of the first node, the second
 * one in those of the second. */
static sn_status pins(sn_drawing *d)
{
    const sn_family *f = &d->m->joint;
    double *row = sn_arena_alloc(d->arena, (size_t)f->n * PIN_COLS + 1, sizeof *row);
    if (!row) return SN_ERR_MEMORY;
    sn_drawing_add(d, (sn_result_array){"/model/pins", f->n, PIN_COLS, row, NULL, NULL, NULL, NULL});
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

/* Loads: the element, the point from its node. */
static sn_status loads(sn_drawing *d)
{
    const sn_family *f = &d->m->element;
    int n = 0;
    for (int i = 0; i < f->n; i++) n += is_load(&f->object[i]);
    double *row = sn_arena_alloc(d->arena, (size_t)n * LOAD_COLS + 1, sizeof *row);
    if (!row) return SN_ERR_MEMORY;
    sn_drawing_add(d, (sn_result_array){"/model/loads", n, LOAD_COLS, row, NULL, NULL, NULL, NULL});
    for (int i = 0; i < f->n; i++) {
        const sn_object *o = &f->object[i];
        if (!is_load(o)) continue;
        row[0] = i;
        sn_object_point(d->m, d->p, SN_SEC_ELEMENTS, o, 0, row + 1);
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
    sn_drawing_add(d, (sn_result_array){"/model/points", n, POINT_COLS, row, NULL, NULL, NULL, NULL});
    return SN_OK;
}

/* Elements that say in which colour they are drawn. */
static sn_status colours(sn_drawing *d)
{
    enum { COLS = 4 };
    const sn_family *f = &d->m->element;
    int n = 0, *row = sn_arena_alloc(d->arena, (size_t)f->n * COLS + 1, sizeof *row);
    if (!row) return SN_ERR_MEMORY;
    for (int i = 0; i < f->n; i++) {
        const int rgb = d->m->entry[SN_SEC_ELEMENTS][f->object[i].entry].colour;
        if (rgb < 0) continue;
        const int own[COLS] = {i, rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255};
        memcpy(row + COLS * (size_t)n++, own, sizeof own);
    }
    if (n) sn_drawing_add(d, (sn_result_array){"/model/colours", n, COLS, NULL, row, NULL, NULL, NULL});
    return SN_OK;
}

static void gravity(sn_drawing *d)
{
    sn_drawing_add(
        d, (sn_result_array){"/model/gravity", 1, 3, d->p->x + d->m->gravity, NULL, NULL, "m/s^2", NULL});
}

sn_status sn_drawing_make(sn_drawing *d, const sn_result_array *extra, int n_extra)
{
    size_t room = ARRAYS + (size_t)n_extra + (size_t)sn_drawing_shape_count(d->m) +
                  MESH_ARRAYS * (size_t)sn_drawing_mesh_count(d->m);
    d->array = sn_arena_alloc(d->arena, room, sizeof *d->array);
    if (!d->array) return SN_ERR_MEMORY;
    SN_TRY(nodes(d));
    SN_TRY(parameters(d));
    SN_TRY(node_kinds(d));
    SN_TRY(all_connections(d));
    SN_TRY(pins(d));
    SN_TRY(loads(d));
    SN_TRY(points(d));
    SN_TRY(colours(d));
    gravity(d);
    SN_TRY(sn_drawing_sizes(d));
    SN_TRY(sn_drawing_shapes(d));
    SN_TRY(sn_drawing_meshes(d));
    for (int i = 0; i < n_extra; i++) sn_drawing_add(d, extra[i]);
    SN_TRY(sn_drawing_triangles(d));
    return sn_drawing_mesh_numbers(d);
}
