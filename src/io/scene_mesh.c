/* Meshes of a result: rows of /model/meshes say which element is drawn as which mesh, the node that moves it
   and the one whose numbers deform it; /model/mesh/K has its nodes, lines, triangles and modes. A point of it
   with the place p of the undeformed mesh from the node, and u = T sum_j phi_j d_j, is at x + R (p + u). */
#include "io/scene.h"
#include "math/rot3.h"

#include <limits.h>
#include <stdio.h>

enum { COLS = 16, PLACE = 4, TURN = 7 };

typedef struct tables {
    sn_result_array node, line, triangle;
    sn_result_table mode;
} tables;

static sn_status damaged(const sn_result_reader *r, const char *path, sn_err *err)
{
    return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = sn_result_reader_path(r)},
                   "damaged: '%s' makes no sense", path);
}

/* A whole number from lo to hi - 1, or INT_MIN. */
static int whole(double x, int lo, int hi) { return x >= lo && x < hi && x == floor(x) ? (int)x : INT_MIN; }

/* Lines or triangles: all corners are nodes. */
static sn_status read_cells(sn_result_reader *r, int mesh, int corners, int nodes, sn_result_array *a,
                            sn_err *err)
{
    char path[48];
    snprintf(path, sizeof path, "/model/mesh/%d/%s", mesh, corners == 2 ? "lines" : "triangles");
    SN_TRY(sn_result_reader_array(r, path, corners, a, err));
    a->path = NULL;
    for (size_t i = 0; i < (size_t)a->rows * (size_t)corners; i++)
        if (whole(a->data[i], 0, nodes) < 0) return damaged(r, path, err);
    return SN_OK;
}

static sn_status read_tables(sn_result_reader *r, int mesh, tables *t, sn_err *err)
{
    char path[48];
    snprintf(path, sizeof path, "/model/mesh/%d/nodes", mesh);
    SN_TRY(sn_result_reader_array(r, path, 3, &t->node, err));
    t->node.path = NULL;
    if (t->node.rows < 1 || t->node.rows > INT_MAX / 3) return damaged(r, path, err);
    SN_TRY(read_cells(r, mesh, 2, t->node.rows, &t->line, err));
    SN_TRY(read_cells(r, mesh, 3, t->node.rows, &t->triangle, err));
    snprintf(path, sizeof path, "/model/mesh/%d/modes", mesh);
    SN_TRY(sn_result_reader_table(r, path, &t->mode, err));
    return t->mode.rows && t->mode.cols != 3 * t->node.rows ? damaged(r, path, err) : SN_OK;
}

/* Whether the numbers of a node are as many as there are modes. */
static int deforms(const sn_scene *s, const sn_scene_node *n, int modes)
{
    return n->v >= 0 && n->nq == modes && n->nv == modes && n->q >= 0 && n->q <= s->nq - modes &&
           n->v <= s->nv - modes;
}

static sn_status add_cells(sn_scene *s, const sn_result_array *a, int first, int index, const char *thing)
{
    for (int i = 0; i < a->rows; i++) {
        int corner[3];
        for (int k = 0; k < a->cols; k++)
            corner[k] = first + (int)a->data[(size_t)i * (size_t)a->cols + (size_t)k];
        SN_TRY(sn_scene_cell(s, a->cols == 2 ? SN_CELL_LINE : SN_CELL_TRIANGLE, a->cols, corner, index,
                             SN_GROUP_BODY, thing));
    }
    return SN_OK;
}

/* The mesh of a row whose numbers are good. */
static sn_status add_mesh(sn_scene *s, const tables *t, const double *row, const char *thing)
{
    int modes = (int)row[3], first = sn_scene_points(s, (int)row[2], -1, t->node.rows);
    sn_scene_mesh *mesh = sn_arena_alloc(&s->arena, 1, sizeof *mesh);
    if (first < 0 || !mesh) return SN_ERR_MEMORY;
    *mesh = (sn_scene_mesh){.modes = modes < 0 ? 0 : t->mode.rows, .phi = t->mode.data};
    if (modes >= 0) mesh->q = s->node[modes].q, mesh->v = s->node[modes].v;
    memcpy(mesh->turn, row + TURN, sizeof mesh->turn);
    s->part[s->n_part - 1].mesh = mesh;
    for (size_t i = 0; i < (size_t)t->node.rows; i++) {
        double *p = s->local + 3 * ((size_t)first + i);
        sn_mul3(mesh->turn, t->node.data + 3 * i, p);
        for (int k = 0; k < 3; k++) p[k] += row[PLACE + k];
    }
    SN_TRY(add_cells(s, &t->line, first, (int)row[0], thing));
    return add_cells(s, &t->triangle, first, (int)row[0], thing);
}

sn_status sn_scene_meshes(sn_scene *s, sn_result_reader *r, const sn_result_array *elements,
                          unsigned char *drawn, sn_err *err)
{
    sn_result_array a;
    SN_TRY(sn_result_reader_array(r, "/model/meshes", COLS, &a, err));
    for (int i = 0; i < a.rows; i++) {
        const double *row = a.data + COLS * (size_t)i;
        int e = whole(row[0], 0, elements->rows), mesh = whole(row[1], 0, INT_MAX),
            node = whole(row[2], 0, s->n_node), modes = whole(row[3], -1, s->n_node);
        tables t;
        if (e < 0 || mesh < 0 || node < 0 || modes == INT_MIN || !s->node[node].dim)
            return damaged(r, a.path, err);
        SN_TRY(read_tables(r, mesh, &t, err));
        if (modes >= 0 && !deforms(s, &s->node[modes], t.mode.rows)) return damaged(r, a.path, err);
        if (add_mesh(s, &t, row, elements->row_names ? elements->row_names[e] : ""))
            return SN_OUT_OF_MEM(err);
        drawn[e] = 1;
    }
    return SN_OK;
}

void sn_scene_mesh_deform(const sn_scene_mesh *m, int n, int i, const double *d, double *u)
{
    double own[3] = {0, 0, 0};
    for (int j = 0; j < m->modes; j++) {
        const double *phi = m->phi + 3 * ((size_t)j * (size_t)n + (size_t)i);
        for (int k = 0; k < 3; k++) own[k] += d[j] * phi[k];
    }
    sn_mul3(m->turn, own, u);
}
