/* The scene of a result. A beam between nodes x1, x2 with rotations R1, R2 from the reference configuration
   is drawn as  x(s) = h00 x1 + h10 l R1 e + h01 x2 + h11 l R2 e  with e the direction of the chord in the
   reference and l = |x2 - x1|: the line of an Euler-Bernoulli beam to second order in its bending; straight
   where it only stretches; x1, x2 are its ends, the nodes or eccentric to them. Velocities are the derivative
   of that. Limit: a beam that shears is drawn along its sections' normals at the ends.

   The file is trusted in nothing: every number of a row is checked here. */
#include "io/scene.h"
#include "math/rot3.h"

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
    s->part[s->n_part++] = (sn_scene_part){{node0, node1}, first, n};
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

/* What a node is follows from its room in v and the name of its third coordinate: x, y, theta or x, y, z. */
static sn_status classify(sn_scene_node *n, int room, const sn_result_column *v, int nq)
{
    const char *third = room == 3 && v->components ? v->components[n->v + 2] : "";
    size_t len = strlen(third);
    int angle = len >= 6 && strcmp(third + len - 6, ".theta") == 0;
    n->turns = room == 6 || angle;
    n->dim = room == 1 ? 0 : room == 2 || angle ? 2 : 3;
    return room < 1 || room == 4 || room == 5 || room > 6 || n->q > nq - room - (room == 6) ? SN_ERR_FILE
                                                                                            : SN_OK;
}

static sn_status read_nodes(sn_scene *s, sn_result_reader *r, sn_err *err)
{
    sn_result_array ref, at;
    const sn_result_column *q = find_column(r, "/states/q"), *v = find_column(r, "/states/v");
    SN_TRY(sn_result_reader_array(r, "/model/nodes/reference", 3, &ref, err));
    SN_TRY(sn_result_reader_array(r, "/model/nodes/index", 2, &at, err));
    if (!q || !v || !ref.data || !at.data || ref.rows != at.rows)
        return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = sn_result_reader_path(r)},
                       "has no states of nodes: there is nothing to draw");
    s->nq = q->width, s->nv = v->width, s->n_node = ref.rows;
    s->node = sn_arena_alloc(&s->arena, (size_t)s->n_node + 1, sizeof *s->node);
    unsigned char *begins = sn_arena_alloc(&s->arena, (size_t)s->nv + 1, 1);
    if (!s->node || !begins) return SN_OUT_OF_MEM(err);
    begins[s->nv] = 1;
    for (int i = 0; i < s->n_node; i++) {
        sn_scene_node *n = &s->node[i];
        n->q = whole(at.data[2 * i], 0, s->nq);
        n->v = whole(at.data[2 * i + 1], -1, s->nv);
        memcpy(n->X, ref.data + 3 * (size_t)i, sizeof n->X);
        n->dim = 3;
        if (n->v == INT_MIN || (n->v >= 0 && n->q < 0)) return damaged(r, &at, i, err);
        if (n->v >= 0) begins[n->v] = 1;
    }
    for (int i = 0; i < s->n_node; i++) {
        sn_scene_node *n = &s->node[i];
        int room = 1;
        if (n->v < 0) continue;
        while (!begins[n->v + room]) room++;
        if (classify(n, room, v, s->nq)) return damaged(r, &at, i, err);
    }
    return SN_OK;
}

/* ---- elements and joints ---- */

/* Elements or joints of a result, with the points where they are fastened: 6 numbers each, from the first and
   from the second node. */
typedef struct things {
    sn_result_array of;
    double *point;
    int joints;
} things;

static sn_status read_things(sn_scene *s, sn_result_reader *r, int joints, things *t, sn_err *err)
{
    t->joints = joints;
    SN_TRY(sn_result_reader_array(r, joints ? "/model/joints" : "/model/elements", 2, &t->of, err));
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

static sn_status add_beam(sn_scene *s, int a, int b, const double *point, int index, const char *thing)
{
    int corner[SN_SCENE_PIECES + 1], first = sn_scene_points(s, a, b, SN_SCENE_PIECES + 1);
    if (first < 0) return SN_ERR_MEMORY;
    memcpy(s->local + 3 * (size_t)first, point, 3 * sizeof *point);
    memcpy(s->local + 3 * (size_t)(first + SN_SCENE_PIECES), point + 3, 3 * sizeof *point);
    for (int i = 0; i <= SN_SCENE_PIECES; i++) corner[i] = first + i;
    return sn_scene_cell(s, SN_CELL_POLY_LINE, SN_SCENE_PIECES + 1, corner, index, SN_GROUP_BEAM, thing);
}

/* A point of a node; its number, or -1. */
static int add_point(sn_scene *s, int node, const double *x)
{
    int at = sn_scene_points(s, node, -1, 1);
    if (at >= 0) memcpy(s->local + 3 * (size_t)at, x, 3 * sizeof *x);
    return at;
}

/* From a point of node a to one of node b; b -1: only the first. */
static sn_status add_line(sn_scene *s, int a, int b, const double *point, int index, int group,
                          const char *thing)
{
    int corner[2] = {add_point(s, a, point), -1};
    if (b >= 0) corner[1] = add_point(s, b, point + 3);
    if (corner[0] < 0 || (b >= 0 && corner[1] < 0)) return SN_ERR_MEMORY;
    return sn_scene_cell(s, b >= 0 ? SN_CELL_LINE : SN_CELL_VERTEX, b >= 0 ? 2 : 1, corner, index, group,
                         thing);
}

/* Lines from the nodes that move to the points of thing i. */
static sn_status add_arms(sn_scene *s, const int *node, const double *point, int joint, int i,
                          const char *thing)
{
    for (int k = 0; k < 2; k++) {
        const double arm[6] = {0, 0, 0, point[3 * k], point[3 * k + 1], point[3 * k + 2]};
        if (node[k] < 0 || s->node[node[k]].v < 0 || (arm[3] == 0 && arm[4] == 0 && arm[5] == 0)) continue;
        SN_TRY(
            add_line(s, node[k], node[k], arm, i, joint ? SN_GROUP_JOINT_ARM : SN_GROUP_ELEMENT_ARM, thing));
    }
    return SN_OK;
}

/* Elements or joints; those marked in `drawn` are there already. */
static sn_status add_things(sn_scene *s, sn_result_reader *r, const things *t, const unsigned char *drawn,
                            sn_err *err)
{
    const sn_result_array *a = &t->of;
    for (int i = 0; i < a->rows; i++) {
        const double *point = t->point + 6 * (size_t)i;
        const char *thing = a->row_names ? a->row_names[i] : "";
        const int n[2] = {whole(a->data[2 * i], -1, s->n_node), whole(a->data[2 * i + 1], -1, s->n_node)};
        if (n[0] == INT_MIN || n[1] == INT_MIN) return damaged(r, a, i, err);
        if (n[0] < 0 || !s->node[n[0]].dim || (n[1] >= 0 && !s->node[n[1]].dim) || (drawn && drawn[i]))
            continue;
        int beam = !t->joints && n[1] >= 0 && strncmp(thing, "beam", 4) == 0;
        if (beam ? add_beam(s, n[0], n[1], point, i, thing)
                 : add_line(s, n[0], n[1], point, i, t->joints ? SN_GROUP_JOINT : SN_GROUP_ELEMENT, thing))
            return SN_OUT_OF_MEM(err);
        if (add_arms(s, n, point, t->joints, i, thing)) return SN_OUT_OF_MEM(err);
    }
    return SN_OK;
}

/* Bodies by their shapes; their elements are marked. */
static sn_status add_shapes(sn_scene *s, sn_result_reader *r, const sn_result_array *elements,
                            unsigned char *drawn, sn_err *err)
{
    enum { COLS = 16 };
    sn_result_array a;
    SN_TRY(sn_result_reader_array(r, "/model/shapes", COLS, &a, err));
    for (int i = 0; i < a.rows; i++) {
        const double *row = a.data + COLS * (size_t)i;
        const char *name = a.row_names ? a.row_names[i] : "";
        int e = whole(row[0], 0, elements->rows);
        int node = e < 0 ? INT_MIN : whole(elements->data[2 * (size_t)e], 0, s->n_node);
        if (node < 0 || !s->node[node].dim) return damaged(r, &a, i, err);
        int before = s->n_cell;
        if (sn_scene_shape(s, name, node, row, e, elements->row_names ? elements->row_names[e] : ""))
            return SN_OUT_OF_MEM(err);
        drawn[e] = s->n_cell > before;
    }
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
    SN_TRY(add_shapes(s, r, &elements.of, drawn, err));
    SN_TRY(add_things(s, r, &elements, drawn, err));
    SN_TRY(add_things(s, r, &joints, NULL, err));
    if (s->n_cell) return SN_OK;
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
    if (n->v < 0) return;
    q += n->q, v += n->v;
    for (int i = 0; i < n->dim; i++) m->x[i] = q[i], m->v[i] = v[i];
    if (n->turns && n->dim == 2) {
        m->R[0] = m->R[4] = cos(q[2]);
        m->R[3] = sin(q[2]), m->R[1] = -m->R[3];
        m->w[2] = v[2];
    } else if (n->turns) {
        sn_quat_matrix(q + 3, m->R);
        sn_mul3(m->R, v + 3, m->w);
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

/* p: from the nodes to the beam's ends */
static void place_beam(const sn_scene_node *const n[2], const motion m[2], const double *const p[2],
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
            place_beam(n, m, ends, x + at, u + at, w + at);
        else
            for (size_t i = at; i < at + 3 * (size_t)p->count; i += 3)
                place_rigid(n[0], m, s->local + i, x + i, u + i, w + i);
    }
}
