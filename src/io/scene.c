/* The scene of a result. A beam between nodes x1, x2 with rotations R1, R2 from the reference configuration
   is drawn as  x(s) = h00 x1 + h10 l R1 e + h01 x2 + h11 l R2 e  with e the direction of the chord in the
   reference and l = |x2 - x1|: the line of an Euler-Bernoulli beam to second order in its bending; straight
   where it only stretches. Velocities are the derivative of that. Limits: offsets of beam ends are not in the
   file, so that the line ends at the nodes; a beam that shears is drawn along its sections' normals there.

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

static sn_status add_beam(sn_scene *s, int a, int b, int index, const char *thing)
{
    int corner[SN_SCENE_PIECES + 1], first = sn_scene_points(s, a, b, SN_SCENE_PIECES + 1);
    if (first < 0) return SN_ERR_MEMORY;
    for (int i = 0; i <= SN_SCENE_PIECES; i++) corner[i] = first + i;
    return sn_scene_cell(s, SN_CELL_POLY_LINE, SN_SCENE_PIECES + 1, corner, index, SN_GROUP_BEAM, thing);
}

static sn_status add_line(sn_scene *s, int a, int b, int index, int group, const char *thing)
{
    int corner[2] = {sn_scene_points(s, a, -1, 1), -1};
    if (b >= 0) corner[1] = sn_scene_points(s, b, -1, 1);
    if (corner[0] < 0 || (b >= 0 && corner[1] < 0)) return SN_ERR_MEMORY;
    return sn_scene_cell(s, b >= 0 ? SN_CELL_LINE : SN_CELL_VERTEX, b >= 0 ? 2 : 1, corner, index, group,
                         thing);
}

/* Elements or joints; those marked in `drawn` are there already. */
static sn_status add_things(sn_scene *s, sn_result_reader *r, const sn_result_array *a,
                            const unsigned char *drawn, int joints, sn_err *err)
{
    for (int i = 0; i < a->rows; i++) {
        const char *thing = a->row_names ? a->row_names[i] : "";
        int n0 = whole(a->data[2 * i], -1, s->n_node), n1 = whole(a->data[2 * i + 1], -1, s->n_node);
        if (n0 == INT_MIN || n1 == INT_MIN) return damaged(r, a, i, err);
        if (n0 < 0 || !s->node[n0].dim || (n1 >= 0 && !s->node[n1].dim) || (drawn && drawn[i])) continue;
        int beam = !joints && n1 >= 0 && strncmp(thing, "beam", 4) == 0;
        if (beam ? add_beam(s, n0, n1, i, thing)
                 : add_line(s, n0, n1, i, joints ? SN_GROUP_JOINT : SN_GROUP_ELEMENT, thing))
            return SN_OUT_OF_MEM(err);
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
    sn_result_array elements, joints;
    *s = (sn_scene){.n_node = 0};
    SN_TRY(read_nodes(s, r, err));
    SN_TRY(sn_result_reader_array(r, "/model/elements", 2, &elements, err));
    SN_TRY(sn_result_reader_array(r, "/model/joints", 2, &joints, err));
    unsigned char *drawn = sn_arena_alloc(&s->arena, (size_t)elements.rows + 1, 1);
    if (!drawn) return SN_OUT_OF_MEM(err);
    SN_TRY(add_shapes(s, r, &elements, drawn, err));
    SN_TRY(add_things(s, r, &elements, drawn, 0, err));
    SN_TRY(add_things(s, r, &joints, NULL, 1, err));
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

static void place_beam(const sn_scene_node *const n[2], const motion m[2], double *x, double *u, double *w)
{
    double e[3], a[2][3], da[2][3], l = 0, L = 0, dl = 0;
    for (int i = 0; i < 3; i++) {
        double d = m[1].x[i] - m[0].x[i];
        e[i] = n[1]->X[i] - n[0]->X[i];
        L += e[i] * e[i], l += d * d, dl += d * (m[1].v[i] - m[0].v[i]);
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
            *x = h00 * m[0].x[i] + h01 * m[1].x[i] + h10 * a[0][i] + h11 * a[1][i];
            *u = *x - (1 - s) * n[0]->X[i] - s * n[1]->X[i];
            *w = h00 * m[0].v[i] + h01 * m[1].v[i] + h10 * da[0][i] + h11 * da[1][i];
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
        if (n[1])
            place_beam(n, m, x + at, u + at, w + at);
        else
            for (size_t i = at; i < at + 3 * (size_t)p->count; i += 3)
                place_rigid(n[0], m, s->local + i, x + i, u + i, w + i);
    }
}
