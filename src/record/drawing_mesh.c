/* Meshes that elements are drawn as: each is stored once, however many elements have it, with the nodes that
   a line or a triangle has. What makes no sense, or is very large, is left out with a message. */
#include "record/drawing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLS = 16, MOST_CELLS = 400000, MOST_NUMBERS = 12000000 };

/* A mesh of the result, and which of its nodes are stored. */
struct sn_drawing_mesh {
    sn_drawn_mesh of;
    int n;         /* nodes that are stored */
    const int *at; /* of->n_node: their numbers, -1: not stored */
};

static const sn_element_class *class_of(const sn_object *o) { return o->cls; }

static int has_mesh(const sn_object *o) { return class_of(o)->mesh != NULL; }

int sn_drawing_mesh_count(const sn_model *m)
{
    int n = 0;
    for (int i = 0; i < m->element.n; i++) n += has_mesh(&m->element.object[i]);
    return n;
}

static int all_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

static int all_nodes(const int *k, size_t n, int nodes)
{
    for (size_t i = 0; i < n; i++)
        if (k[i] < 0 || k[i] >= nodes) return 0;
    return 1;
}

/* Why a mesh cannot be drawn; NULL: it can. */
static const char *refusal(const sn_model *m, const sn_object *o, const sn_drawn_mesh *x)
{
    size_t n = (size_t)x->n_node, lines = (size_t)x->n_line, triangles = (size_t)x->n_triangle,
           modes = (size_t)x->n_mode;
    if (x->n_mode < 0 || x->n_line < 0 || x->n_triangle < 0 || !x->X || (lines && !x->line) ||
        (triangles && !x->triangle))
        return "its kind does not say all of it";
    if (x->phi && (o->nn < 2 || m->node[o->node[1]].nq != x->n_mode))
        return "it has another number of modes than the node that deforms it";
    if (triangles > MOST_CELLS || lines > MOST_CELLS || (x->phi && 3 * n * modes > MOST_NUMBERS))
        return "it is too large: 400000 triangles, as many lines, and 12 million numbers of modes can be "
               "drawn";
    if (!all_nodes(x->line, 2 * lines, x->n_node) || !all_nodes(x->triangle, 3 * triangles, x->n_node))
        return "it has corners that there are not";
    if (!all_finite(x->X, 3 * n) || (x->phi && !all_finite(x->phi, 3 * n * modes)) ||
        !all_finite(x->place, 3) || !all_finite(x->turn, 9))
        return "it has numbers that are not finite";
    return NULL;
}

/* The mesh of an element; 0: it has none that can be drawn. */
static int mesh_of(const sn_drawing *d, const sn_object *o, sn_drawn_mesh *x)
{
    char text[SN_ERR_TEXT];
    if (!has_mesh(o)) return 0;
    *x = (sn_drawn_mesh){.turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    class_of(o)->mesh(d->p->x + o->s, o->block, x);
    if (x->n_node < 1 || (x->n_line == 0 && x->n_triangle == 0)) return 0;
    if (x->n_mode == 0) x->phi = NULL;
    if (!x->phi) x->n_mode = 0;
    const char *why = refusal(d->m, o, x);
    if (!why) return 1;
    if (d->o && d->o->message) {
        snprintf(text, sizeof text, "the mesh of '%s' will not be drawn from this result: %s", o->name, why);
        d->o->message(d->o->ctx, text);
    }
    return 0;
}

/* Numbers of the nodes that lines and triangles have, in their order. */
static sn_status number_nodes(sn_drawing *d, struct sn_drawing_mesh *m)
{
    int *at = sn_arena_alloc(d->arena, (size_t)m->of.n_node, sizeof *at);
    if (!at) return SN_ERR_MEMORY;
    for (size_t i = 0; i < 2 * (size_t)m->of.n_line; i++) at[m->of.line[i]] = 1;
    for (size_t i = 0; i < 3 * (size_t)m->of.n_triangle; i++) at[m->of.triangle[i]] = 1;
    for (int i = 0; i < m->of.n_node; i++) at[i] = at[i] ? m->n++ : -1;
    m->at = at;
    return SN_OK;
}

/* The number of a mesh: that of the same arrays, or a new one. */
static int find_mesh(sn_drawing *d, const sn_drawn_mesh *x)
{
    for (int i = 0; i < d->n_mesh; i++) {
        const sn_drawn_mesh *o = &d->mesh[i].of;
        if (o->X == x->X && o->phi == x->phi && o->line == x->line && o->triangle == x->triangle &&
            o->n_node == x->n_node && o->n_mode == x->n_mode && o->n_line == x->n_line &&
            o->n_triangle == x->n_triangle)
            return i;
    }
    d->mesh[d->n_mesh] = (struct sn_drawing_mesh){.of = *x};
    return number_nodes(d, &d->mesh[d->n_mesh]) ? -1 : d->n_mesh++;
}

/* Lines or triangles by the numbers of the nodes that are stored. */
static sn_status cells(sn_drawing *d, int mesh, const char *what, int n, int corners, const int *of)
{
    const char *path = sn_arena_printf(d->arena, "/model/mesh/%d/%s", mesh, what);
    size_t all = (size_t)n * (size_t)corners;
    int *k = sn_arena_alloc(d->arena, all + 1, sizeof *k);
    if (!path || !k) return SN_ERR_MEMORY;
    for (size_t i = 0; i < all; i++) k[i] = d->mesh[mesh].at[of[i]];
    sn_drawing_add(d, (sn_result_array){path, n, corners, NULL, k, NULL, NULL, NULL});
    return SN_OK;
}

sn_status sn_drawing_meshes(sn_drawing *d)
{
    const sn_family *f = &d->m->element;
    int most = sn_drawing_mesh_count(d->m), n = 0;
    if (!most) return SN_OK;
    double *row = sn_arena_alloc(d->arena, (size_t)most * COLS, sizeof *row);
    d->mesh = sn_arena_alloc(d->arena, (size_t)most, sizeof *d->mesh);
    if (!row || !d->mesh) return SN_ERR_MEMORY;
    for (int i = 0; i < f->n; i++) {
        const sn_object *o = &f->object[i];
        double *to = row + COLS * (size_t)n;
        sn_drawn_mesh x;
        if (!mesh_of(d, o, &x)) continue;
        int mesh = find_mesh(d, &x);
        if (mesh < 0) return SN_ERR_MEMORY;
        to[0] = i, to[1] = mesh, to[2] = o->node[0], to[3] = x.phi ? o->node[1] : -1;
        memcpy(to + 4, x.place, sizeof x.place), memcpy(to + 7, x.turn, sizeof x.turn);
        n++;
    }
    sn_drawing_add(d, (sn_result_array){"/model/meshes", n, COLS, row, NULL, NULL, NULL, NULL});
    for (int k = 0; k < d->n_mesh; k++) {
        const sn_drawn_mesh *x = &d->mesh[k].of;
        SN_TRY(cells(d, k, "lines", x->n_line, 2, x->line));
        SN_TRY(cells(d, k, "triangles", x->n_triangle, 3, x->triangle));
    }
    return SN_OK;
}

/* Places, or the modes one after the other, of the nodes that are stored. */
static sn_status numbers(sn_drawing *d, int mesh, int modes)
{
    const struct sn_drawing_mesh *m = &d->mesh[mesh];
    int rows = modes ? m->of.n_mode : m->n, cols = modes ? 3 * m->n : 3;
    const char *path = sn_arena_printf(d->arena, "/model/mesh/%d/%s", mesh, modes ? "modes" : "nodes");
    double *x = sn_arena_alloc(d->arena, (size_t)rows * (size_t)cols + 1, sizeof *x);
    if (!path || !x) return SN_ERR_MEMORY;
    for (int i = 0; i < m->of.n_node; i++)
        for (int j = 0; j < 3 && m->at[i] >= 0; j++) {
            size_t from = 3 * (size_t)i + (size_t)j, to = 3 * (size_t)m->at[i] + (size_t)j;
            if (!modes) x[to] = m->of.X[from];
            for (int k = 0; modes && k < rows; k++)
                x[(size_t)k * (size_t)cols + to] = m->of.phi[from * (size_t)rows + (size_t)k];
        }
    sn_drawing_add(d, (sn_result_array){path, rows, cols, x, NULL, NULL, modes ? NULL : "m", NULL});
    d->single++;
    return SN_OK;
}

sn_status sn_drawing_mesh_numbers(sn_drawing *d)
{
    for (int k = 0; k < d->n_mesh; k++) {
        SN_TRY(numbers(d, k, 0));
        if (d->mesh[k].of.phi) SN_TRY(numbers(d, k, 1));
    }
    return SN_OK;
}
