/* The scene of a result. A cubic line between nodes x1, x2 with rotations R1, R2 from the reference
   configuration is drawn as  x(s) = h00 x1 + h10 l R1 e + h01 x2 + h11 l R2 e  with e the direction of the
   chord in the reference and l = |x2 - x1|: the line of an Euler-Bernoulli beam to second order in its
   bending; straight where it only stretches; x1, x2 are its ends, the nodes or eccentric to them. Velocities
   are the derivative of that. Limit: a beam that shears is drawn along its sections' normals at the ends.

   The file is trusted in nothing: every number of a row is checked here. */
#include "io/scene.h"
#include "math/rot3.h"
#include "sinew/class.h"

#include <limits.h>

typedef struct motion {
    double x[3], v[3], w[3], R[9]; /* w: angular velocity, global axes */
} motion;

static sn_status damaged(const sn_result_reader *r, const sn_result_array *a, int row, sn_err *err)
{
    return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = sn_result_reader_path(r)},
                   "damaged: row %d of '%s' makes no sense", row, a->path);
}

/* A whole number from lo to hi - 1, or INT_MIN. */
static int whole(double x, int lo, int hi) { return x >= lo && x < hi && x == floor(x) ? (int)x : INT_MIN; }

int sn_scene_points(sn_scene *s, int node0, int node1, int n)
{
    int first = s->n_point;
    if (n > INT_MAX / 3 - first || sn_grow(&s->part, &s->cap_part, s->n_part + 1, sizeof *s->part) ||
        sn_grow(&s->local, &s->cap_local, 3 * (first + n), sizeof *s->local))
        return -1;
    s->part[s->n_part++] = (sn_scene_part){{node0, node1}, first, n, NULL};
    s->n_point += n;
    return first;
}

sn_status sn_scene_cell(sn_scene *s, int type, int n, const int *corner, int index, int group,
                        const char *thing)
{
    int k = s->n_cell;
    if (n > INT_MAX - s->n_corner ||
        sn_grow(&s->corner, &s->cap_corner, s->n_corner + n, sizeof *s->corner) ||
        sn_grow(&s->end, &s->cap_end, k + 1, sizeof *s->end) ||
        sn_grow(&s->type, &s->cap_type, k + 1, sizeof *s->type) ||
        sn_grow(&s->index, &s->cap_index, k + 1, sizeof *s->index) ||
        sn_grow(&s->group, &s->cap_group, k + 1, sizeof *s->group) ||
        sn_grow(&s->thing, &s->cap_thing, k + 1, sizeof *s->thing))
        return SN_ERR_MEMORY;
    for (int i = 0; i < n; i++) s->corner[s->n_corner + i] = corner[i];
    s->n_corner += n;
    s->end[k] = s->n_corner;
    s->type[k] = (unsigned char)type;
    s->index[k] = index;
    s->group[k] = group;
    s->thing[k] = thing;
    s->n_cell++;
    return SN_OK;
}

/* ---- nodes ---- */

static const sn_result_column *find_column(const sn_result_reader *r, const char *path)
{
    for (int i = 0; i < sn_result_reader_columns(r); i++)
        if (strcmp(sn_result_reader_column(r, i)->path, path) == 0) return sn_result_reader_column(r, i);
    return NULL;
}

enum { NODE_COLS = 9 };

/* Numbers of a rotation, in q and in v. */
static int turn_size(int dim, int in_v) { return dim == 2 ? 1 : in_v ? 3 : 4; }

/* Whether `size` numbers lie at place `at` of a node's n numbers, which begin at `first` of all. */
static int within(int at, int size, int first, int n, int all)
{
    return first >= 0 && n >= 0 && n <= all && first <= all - n && at >= 0 && size <= n && at <= n - size;
}

/* A row of /model/nodes/index: q, v, nq, nv, dim, x_q, x_v, R_q, R_v. */
static sn_status read_node(const sn_scene *s, const double *row, sn_scene_node *n)
{
    int k[NODE_COLS];
    for (int i = 0; i < NODE_COLS; i++) k[i] = whole(row[i], -1, INT_MAX);
    n->moves = k[1] >= 0;
    n->q = k[0], n->v = k[1], n->nq = k[2], n->nv = k[3];
    n->dim = k[4];
    n->turns = k[7] >= 0;
    n->x_q = k[0] + k[5], n->x_v = k[1] + k[6];
    n->R_q = k[0] + k[7], n->R_v = k[1] + k[8];
    if (k[1] == INT_MIN || (n->dim != 0 && n->dim != 2 && n->dim != 3)) return SN_ERR_FILE;
    if (!n->moves || n->dim == 0) return SN_OK;
    if (!within(k[5], n->dim, k[0], k[2], s->nq) || !within(k[6], n->dim, k[1], k[3], s->nv))
        return SN_ERR_FILE;
    if (n->turns && (!within(k[7], turn_size(n->dim, 0), k[0], k[2], s->nq) ||
                     !within(k[8], turn_size(n->dim, 1), k[1], k[3], s->nv)))
        return SN_ERR_FILE;
    return SN_OK;
}

static sn_status read_nodes(sn_scene *s, sn_result_reader *r, sn_err *err)
{
    sn_result_array ref, at;
    const sn_result_column *q = find_column(r, "/states/q"), *v = find_column(r, "/states/v");
    SN_TRY(sn_result_reader_array(r, "/model/nodes/reference", 3, &ref, err));
    SN_TRY(sn_result_reader_array(r, "/model/nodes/index", NODE_COLS, &at, err));
    if (!q || !v || !ref.data || !at.data || ref.rows != at.rows)
        return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = sn_result_reader_path(r)},
                       "has no states of nodes: there is nothing to draw");
    s->nq = q->width, s->nv = v->width, s->n_node = ref.rows;
    s->node = sn_arena_alloc(&s->arena, (size_t)s->n_node + 1, sizeof *s->node);
    if (!s->node) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < s->n_node; i++) {
        if (read_node(s, at.data + NODE_COLS * (size_t)i, &s->node[i])) return damaged(r, &at, i, err);
        memcpy(s->node[i].X, ref.data + 3 * (size_t)i, sizeof s->node[i].X);
    }
    return SN_OK;
}

/* ---- elements and joints ---- */

enum { THING_COLS = 3, MOST_CORNERS = 8 };

/* Elements or joints of a result: their nodes and looks, and the points where they are fastened, 6 numbers
   each, from the first and from the second node. */
typedef struct things {
    sn_result_array of, node, geometry;
    double *point;
    int joints;
} things;

/* One of them, checked. */
typedef struct thing {
    int index, joint;
    int n, node[MOST_CORNERS]; /* how many of its nodes are here: the corners, or at most two */
    int shape, cubic, symbol;
    const double *point;
    const char *name;
} thing;

static sn_status read_things(sn_scene *s, sn_result_reader *r, int joints, things *t, sn_err *err)
{
    t->joints = joints;
    SN_TRY(sn_result_reader_array(r, joints ? "/model/joints" : "/model/elements", THING_COLS, &t->of, err));
    SN_TRY(sn_result_reader_array(r, "/model/connectivity", 1, &t->node, err));
    SN_TRY(sn_result_reader_array(r, "/model/geometry", 2, &t->geometry, err));
    t->point = sn_arena_alloc(&s->arena, 6 * (size_t)t->of.rows + 1, sizeof *t->point);
    return t->point ? SN_OK : SN_OUT_OF_MEM(err);
}

static sn_status read_points(sn_result_reader *r, things *elements, things *joints, sn_err *err)
{
    enum { COLS = 6 };
    sn_result_array a;
    SN_TRY(sn_result_reader_array(r, "/model/points", COLS, &a, err));
    for (int i = 0; i < a.rows; i++) {
        const double *row = a.data + COLS * (size_t)i;
        const things *t = row[0] != 0 ? joints : elements;
        int k = whole(row[1], 0, t->of.rows), end = whole(row[2], 0, 2);
        if (k < 0 || end < 0) return damaged(r, &a, i, err);
        memcpy(t->point + 6 * (size_t)k + 3 * end, row + 3, 3 * sizeof *row);
    }
    return SN_OK;
}

/* Thing i; its row makes no sense: SN_ERR_FILE. */
static sn_status get_thing(const sn_scene *s, const things *t, int i, thing *out)
{
    const double *row = t->of.data + THING_COLS * (size_t)i;
    int first = whole(row[0], 0, t->node.rows + 1), n = whole(row[1], 0, t->node.rows + 1),
        look = whole(row[2], 0, t->geometry.rows);
    if (first < 0 || n < 0 || n > t->node.rows - first || look < 0) return SN_ERR_FILE;
    const double *geometry = t->geometry.data + 2 * (size_t)look;
    int shape = whole(geometry[0], SN_SHAPE_NONE, SN_SHAPE_SOLID + 1);
    if (shape < 0) return SN_ERR_FILE;
    const char *symbol = t->geometry.row_names ? t->geometry.row_names[look] : "";
    *out = (thing){.index = i,
                   .joint = t->joints,
                   .shape = shape,
                   .cubic = geometry[1] == SN_CUBIC,
                   .symbol = symbol[0] != 0,
                   .point = t->point + 6 * (size_t)i,
                   .name = t->of.row_names ? t->of.row_names[i] : ""};
    int corners = shape == SN_SHAPE_SOLID ? (n >= 8 ? 8 : 4) : sn_shape_corners((sn_shape)shape);
    out->n = shape == SN_SHAPE_NONE ? (n < 2 ? n : 2) : corners;
    if (out->n > n) return SN_ERR_FILE;
    for (int k = 0; k < out->n; k++) {
        out->node[k] = whole(t->node.data[first + k], 0, s->n_node);
        if (out->node[k] < 0) return SN_ERR_FILE;
    }
    return SN_OK;
}

static int group_of(const thing *t)
{
    return t->joint                                                ? SN_GROUP_JOINT
           : t->shape >= SN_SHAPE_TRIANGLE                         ? SN_GROUP_SURFACE
           : t->shape == SN_SHAPE_LINE && (t->cubic || !t->symbol) ? SN_GROUP_LINE
                                                                   : SN_GROUP_ELEMENT;
}

static sn_status add_cubic(sn_scene *s, const thing *t)
{
    int corner[SN_SCENE_PIECES + 1], first = sn_scene_points(s, t->node[0], t->node[1], SN_SCENE_PIECES + 1);
    if (first < 0) return SN_ERR_MEMORY;
    memcpy(s->local + 3 * (size_t)first, t->point, 3 * sizeof *t->point);
    memcpy(s->local + 3 * (size_t)(first + SN_SCENE_PIECES), t->point + 3, 3 * sizeof *t->point);
    for (int i = 0; i <= SN_SCENE_PIECES; i++) corner[i] = first + i;
    return sn_scene_cell(s, SN_CELL_POLY_LINE, SN_SCENE_PIECES + 1, corner, t->index, group_of(t), t->name);
}

/* A point of a node; its number, or -1. */
static int add_point(sn_scene *s, int node, const double *x)
{
    int at = sn_scene_points(s, node, -1, 1);
    if (at >= 0) memcpy(s->local + 3 * (size_t)at, x, 3 * sizeof *x);
    return at;
}

/* A cell between points of the thing's nodes. */
static sn_status add_flat(sn_scene *s, const thing *t)
{
    static const double none[3] = {0, 0, 0};
    static const int type[] = {0, SN_CELL_VERTEX,    SN_CELL_LINE, SN_CELL_TRIANGLE, SN_CELL_QUAD, 0, 0,
                               0, SN_CELL_HEXAHEDRON};
    int corner[MOST_CORNERS];
    for (int k = 0; k < t->n; k++)
        if ((corner[k] = add_point(s, t->node[k], k < 2 && t->n <= 2 ? t->point + 3 * k : none)) < 0)
            return SN_ERR_MEMORY;
    return sn_scene_cell(s, t->shape == SN_SHAPE_SOLID && t->n == 4 ? SN_CELL_TETRA : type[t->n], t->n,
                         corner, t->index, group_of(t), t->name);
}

/* Lines from the nodes that move to the points of a thing. */
static sn_status add_arms(sn_scene *s, const thing *t)
{
    static const double none[3] = {0, 0, 0};
    for (int k = 0; k < t->n && t->n <= 2; k++) {
        const double *to = t->point + 3 * k;
        if (!s->node[t->node[k]].moves || (to[0] == 0 && to[1] == 0 && to[2] == 0)) continue;
        int a = add_point(s, t->node[k], none), b = add_point(s, t->node[k], to);
        if (a < 0 || b < 0) return SN_ERR_MEMORY;
        SN_TRY(sn_scene_cell(s, SN_CELL_LINE, 2, (const int[]){a, b}, t->index,
                             t->joint ? SN_GROUP_JOINT_ARM : SN_GROUP_ELEMENT_ARM, t->name));
    }
    return SN_OK;
}

/* Whether a cubic line can be bent: its nodes turn, or do not move. */
static int bends(const sn_scene *s, const thing *t)
{
    for (int k = 0; k < t->n; k++)
        if (s->node[t->node[k]].moves && !s->node[t->node[k]].turns) return 0;
    return t->cubic;
}

/* Elements or joints; those marked in `drawn` are there already. */
static sn_status add_things(sn_scene *s, sn_result_reader *r, const things *all, const unsigned char *drawn,
                            sn_err *err)
{
    for (int i = 0; i < all->of.rows; i++) {
        thing t;
        if (get_thing(s, all, i, &t)) return damaged(r, &all->of, i, err);
        int there = t.n > 0 && !(drawn && drawn[i]);
        for (int k = 0; k < t.n; k++) there &= s->node[t.node[k]].dim > 0;
        if (!there) continue;
        if (t.shape == SN_SHAPE_LINE && bends(s, &t) ? add_cubic(s, &t) : add_flat(s, &t))
            return SN_OUT_OF_MEM(err);
        if (add_arms(s, &t)) return SN_OUT_OF_MEM(err);
    }
    return SN_OK;
}

/* Bodies by their shapes; their elements are marked. */
static sn_status add_shapes(sn_scene *s, sn_result_reader *r, const things *elements, unsigned char *drawn,
                            sn_err *err)
{
    enum { COLS = 17 };
    sn_result_array a;
    SN_TRY(sn_result_reader_array(r, "/model/shapes", COLS, &a, err));
    for (int i = 0; i < a.rows; i++) {
        const double *row = a.data + COLS * (size_t)i;
        const char *name = a.row_names ? a.row_names[i] : "";
        int e = whole(row[0], 0, elements->of.rows), before = s->n_cell;
        thing t = {.n = 0};
        if (e < 0 || get_thing(s, elements, e, &t) || !t.n || !s->node[t.node[0]].dim)
            return damaged(r, &a, i, err);
        if (sn_scene_shape(s, name, t.node[0], row, e, t.name)) return SN_OUT_OF_MEM(err);
        drawn[e] = s->n_cell > before;
    }
    return SN_OK;
}

/* Thicknesses of the surfaces, cell by cell. */
static sn_status add_thickness(sn_scene *s, sn_result_reader *r, int elements, sn_err *err)
{
    sn_result_array a;
    SN_TRY(sn_result_reader_array(r, "/model/surfaces", 2, &a, err));
    if (!a.rows) return SN_OK;
    float *of = sn_arena_alloc(&s->arena, (size_t)elements + 1, sizeof *of);
    s->thickness = sn_arena_alloc(&s->arena, (size_t)s->n_cell + 1, sizeof *s->thickness);
    if (!of || !s->thickness) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < elements; i++) of[i] = NAN;
    for (int i = 0; i < a.rows; i++) {
        int e = whole(a.data[2 * i], 0, elements);
        if (e < 0) return damaged(r, &a, i, err);
        of[e] = (float)a.data[2 * i + 1];
    }
    for (int i = 0; i < s->n_cell; i++)
        s->thickness[i] = s->group[i] == SN_GROUP_SURFACE ? of[s->index[i]] : NAN;
    return SN_OK;
}

sn_status sn_scene_make(sn_scene *s, sn_result_reader *r, sn_err *err)
{
    things elements, joints;
    *s = (sn_scene){.n_node = 0};
    SN_TRY(read_nodes(s, r, err));
    SN_TRY(read_things(s, r, 0, &elements, err));
    SN_TRY(read_things(s, r, 1, &joints, err));
    SN_TRY(read_points(r, &elements, &joints, err));
    unsigned char *drawn = sn_arena_alloc(&s->arena, (size_t)elements.of.rows + 1, 1);
    if (!drawn) return SN_OUT_OF_MEM(err);
    SN_TRY(add_shapes(s, r, &elements, drawn, err));
    SN_TRY(sn_scene_meshes(s, r, &elements.of, drawn, err));
    SN_TRY(add_things(s, r, &elements, drawn, err));
    SN_TRY(add_things(s, r, &joints, NULL, err));
    if (s->n_cell) {
        SN_TRY(add_thickness(s, r, elements.of.rows, err));
        return sn_scene_fields(s, r, err);
    }
    return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = sn_result_reader_path(r)},
                   "has no elements and no joints with a place: there is nothing to draw");
}

void sn_scene_free(sn_scene *s)
{
    sn_arena_free(&s->arena);
    void *all[] = {s->part, s->local, s->corner, s->end, s->type, s->index, s->group, s->thing};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sn_free(all[i]);
    *s = (sn_scene){.n_node = 0};
}

/* ---- motion ---- */

static void move_node(const sn_scene_node *n, const double *q, const double *v, motion *m)
{
    *m = (motion){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    memcpy(m->x, n->X, sizeof m->x);
    if (!n->moves) return;
    for (int i = 0; i < n->dim; i++) m->x[i] = q[n->x_q + i], m->v[i] = v[n->x_v + i];
    if (n->turns && n->dim == 2) {
        m->R[0] = m->R[4] = cos(q[n->R_q]);
        m->R[3] = sin(q[n->R_q]), m->R[1] = -m->R[3];
        m->w[2] = v[n->R_v];
    } else if (n->turns) {
        sn_quat_matrix(q + n->R_q, m->R);
        sn_mul3(m->R, v + n->R_v, m->w);
    }
}

static void place_rigid(const sn_scene_node *n, const motion *m, const double *p, double *x, double *u,
                        double *w)
{
    double arm[3], spin[3];
    sn_mul3(m->R, p, arm);
    sn_cross3(m->w, arm, spin);
    for (int i = 0; i < 3; i++) {
        x[i] = m->x[i] + arm[i];
        u[i] = x[i] - n->X[i] - p[i];
        w[i] = m->v[i] + spin[i];
    }
}

/* p: from the nodes to the line's ends */
static void place_cubic(const sn_scene_node *const n[2], const motion m[2], const double *const p[2],
                        double *x, double *u, double *w)
{
    double X[2][3], y[2][3], v[2][3], e[3], a[2][3], da[2][3], l = 0, L = 0, dl = 0;
    for (int k = 0; k < 2; k++) {
        double shift[3];
        place_rigid(n[k], &m[k], p[k], y[k], shift, v[k]);
        for (int i = 0; i < 3; i++) X[k][i] = n[k]->X[i] + p[k][i];
    }
    for (int i = 0; i < 3; i++) {
        double d = y[1][i] - y[0][i];
        e[i] = X[1][i] - X[0][i];
        L += e[i] * e[i], l += d * d, dl += d * (v[1][i] - v[0][i]);
    }
    l = sqrt(l), dl = l > 0 ? dl / l : 0;
    for (int i = 0; i < 3; i++) e[i] = L > 0 ? e[i] / sqrt(L) : 0;
    /* tangents a = l R e and their rates l' R e + w x a */
    for (int k = 0; k < 2; k++) {
        double t[3], spin[3];
        sn_mul3(m[k].R, e, t);
        sn_cross3(m[k].w, t, spin);
        for (int i = 0; i < 3; i++) a[k][i] = l * t[i], da[k][i] = dl * t[i] + l * spin[i];
    }
    for (int j = 0; j <= SN_SCENE_PIECES; j++) {
        double s = (double)j / SN_SCENE_PIECES, h01 = s * s * (3 - 2 * s), h00 = 1 - h01,
               h10 = s * (1 - s) * (1 - s), h11 = s * s * (s - 1);
        for (int i = 0; i < 3; i++, x++, u++, w++) {
            *x = h00 * y[0][i] + h01 * y[1][i] + h10 * a[0][i] + h11 * a[1][i];
            *u = *x - (1 - s) * X[0][i] - s * X[1][i];
            *w = h00 * v[0][i] + h01 * v[1][i] + h10 * da[0][i] + h11 * da[1][i];
        }
    }
}

typedef struct places {
    double *x, *u, *w; /* places, displacements, velocities */
} places;

/* Points of a mesh on a node that moves so. */
static void place_mesh(const sn_scene *s, const sn_scene_part *p, const motion *m, const double *q,
                       const double *v, places to)
{
    const sn_scene_node *n = &s->node[p->node[0]];
    const double *local = s->local + 3 * (size_t)p->first;
    for (int i = 0; i < p->count; i++, local += 3, to.x += 3, to.u += 3, to.w += 3) {
        double own[3], rate[3], at[3];
        sn_scene_mesh_deform(p->mesh, p->count, i, q + p->mesh->q, own);
        sn_scene_mesh_deform(p->mesh, p->count, i, v + p->mesh->v, rate);
        for (int k = 0; k < 3; k++) at[k] = local[k] + own[k];
        place_rigid(n, m, at, to.x, to.u, to.w);
        sn_mul3(m->R, rate, rate);
        for (int k = 0; k < 3; k++) to.u[k] += own[k], to.w[k] += rate[k];
    }
}

void sn_scene_place(const sn_scene *s, const double *q, const double *v, double *x, double *u, double *w)
{
    for (int k = 0; k < s->n_part; k++) {
        const sn_scene_part *p = &s->part[k];
        const sn_scene_node *n[2] = {&s->node[p->node[0]], p->node[1] >= 0 ? &s->node[p->node[1]] : NULL};
        size_t at = 3 * (size_t)p->first;
        motion m[2];
        for (int i = 0; i < 2 && n[i]; i++) move_node(n[i], q, v, &m[i]);
        const double *const ends[2] = {s->local + at, s->local + at + 3 * (size_t)(p->count - 1)};
        if (n[1])
            place_cubic(n, m, ends, x + at, u + at, w + at);
        else if (p->mesh)
            place_mesh(s, p, m, q, v, (places){x + at, u + at, w + at});
        else
            for (size_t i = at; i < at + 3 * (size_t)p->count; i += 3)
                place_rigid(n[0], m, s->local + i, x + i, u + i, w + i);
    }
}
