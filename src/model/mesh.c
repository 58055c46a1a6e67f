/* Meshes: `elements: n` divides a line into n pieces, `elements: [n, m]` a quadrilateral into n x m, along
   its first and its second edge, `elements: n` a triangle into n^2.

   The nodes in between are linear expressions of the corners, in all their slots: the mesh stays right when a
   parameter moves a corner. Those of a line are bar.n1, bar.n2 ... from its first end; those of a surface
   plate.nI_J, I along the first edge and J towards the opposite one, corners and edges included. Surfaces
   that have an edge in common (the same two corners, divided into as many parts) share its nodes; lines share
   none: two beams between the same nodes are two.

   A model may be compiled with finer meshes than are written (sn_model.refined): every mesh gets so many
   times the divisions, each way, and so does what is written as one piece. Names keep their places: bar.n3 of
   a mesh that is refined twice is its sixth node, and the nodes between are called bar.n3+1/2; `piece: 3` of
   a sensor is the part of that piece that has the end in question.

   Node (i, j) of a quadrilateral has the weights (1-u)(1-w), u(1-w), uw, (1-u)w of its corners with u = i/n,
   w = j/m; of a triangle 1-u-w, u, w with w = j/n. */
#include "model/surfaces.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CORNERS = 4 };

/* ---- how many ---- */

/* Divisions and how many pieces they make; 0: not understood, -1: reported. */
static double divisions(sn_compiler *c, const sn_entry *e, const sn_item *k, sn_shape shape, int *n)
{
    int list = shape == SN_SHAPE_QUADRILATERAL;
    if (list != (k->type == SN_ITEM_LIST) || (list && k->n != 2)) return 0;
    n[0] = sn_whole_item(c, e->scope, list ? k->child : k);
    n[1] = list ? sn_whole_item(c, e->scope, k->child->next) : 0;
    if (n[0] < 0 || n[1] < 0) return -1;
    return shape == SN_SHAPE_LINE ? n[0] : (double)n[0] * (list ? n[1] : n[0]);
}

/* Into how many pieces an entry is divided; what is not sensible is reported. */
static void count(sn_compiler *c, sn_entry *e)
{
    sn_shape shape = e->cls ? sn_element_mesh(e->cls) : SN_SHAPE_NONE;
    const sn_item *k = shape ? sn_item_get(e->item, "elements") : NULL;
    const int finer = c->m->refined;
    if (!shape || e->corner || (!k && finer < 2)) return;
    e->divided[0] = 1, e->divided[1] = shape == SN_SHAPE_QUADRILATERAL;
    double n = k ? divisions(c, e, k, shape, e->divided) : 1;
    int good = n >= 1 && n <= SN_MAX_ELEMENTS;
    if (finer > 1) n *= shape == SN_SHAPE_LINE ? finer : (double)finer * finer;
    if (good && c->meshed + n <= SN_MAX_ELEMENTS) {
        c->meshed += (int)n;
        e->pieces = (int)n;
        e->refined = finer;
        for (int i = 0; i < 2 && finer > 1; i++) e->divided[i] *= finer;
        return;
    }
    e->divided[0] = e->divided[1] = 0;
    e->bad = 1;
    if (n < 0) return;
    sn_fail(c->err, SN_ERR_INPUT, k ? &k->mark : &e->item->key_mark,
            good || n > SN_MAX_ELEMENTS ? "all meshes together have more than %d elements"
            : shape == SN_SHAPE_QUADRILATERAL
                ? "'elements' is how many along the first two edges, [n, m], whole "
                  "numbers from 1 on, at most %d in all"
                : "'elements' is how many, a whole number from 1 to %d",
            SN_MAX_ELEMENTS);
}

/* ---- nodes ---- */

/* A node between others: all its slots are theirs by weights, which are 1 together. */
static sn_status add_between(sn_compiler *c, const char *name, int n, const int *node, const double *weight,
                             const sn_mark *mark, int *index)
{
    sn_model *m = c->m;
    const sn_node corner = m->node[node[0]];
    int first = m->n_quantity, from[CORNERS], q;
    sn_expr *expr;
    for (int s = 0; corner.cls->slots[s].name; s++)
        for (int i = 0; i < corner.slot_n[s]; i++)
            SN_TRY(sn_quantity_slot(c, SN_SEC_COUNT, m->n_node, &corner.cls->slots[s], mark, &q));
    for (int i = 0; i < n; i++) from[i] = m->node[node[i]].s;
    if (sn_expr_between(&m->arena, corner.ns, n, from, weight, &expr)) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < corner.ns; i++) m->quantity[first + i].expr = sn_expr_at(expr, i);
    return sn_node_add(c,
                       (sn_node){.cls = corner.cls,
                                 .name = name,
                                 .s = first,
                                 .slot_n = corner.slot_n,
                                 .opt = corner.opt,
                                 .mark = *mark},
                       index);
}

const char *sn_place_name(int refined, int i, char *out, size_t size)
{
    const int finer = refined > 1 ? refined : 1;
    if (i % finer)
        snprintf(out, size, "%d+%d/%d", i / finer, i % finer, finer);
    else
        snprintf(out, size, "%d", i / finer);
    return out;
}

static sn_status mesh_line(sn_compiler *c, sn_entry *e, const int *end)
{
    char at[48];
    int node;
    e->mesh = c->m->n_node;
    for (int i = 1; i < e->pieces; i++) {
        const double w = (double)i / e->pieces, weight[2] = {1 - w, w};
        const char *name =
            sn_arena_printf(&c->m->arena, "%s.n%s", e->name, sn_place_name(e->refined, i, at, sizeof at));
        if (!name) return SN_OUT_OF_MEM(c->err);
        SN_TRY(add_between(c, name, 2, end, weight, &e->item->key_mark, &node));
    }
    return SN_OK;
}

/* ---- surfaces ---- */

/* An edge from corner a to corner b: how many parts, where it begins in the grid, and its direction there. */
typedef struct edge {
    int a, b, n, i, j, di, dj;
} edge;

static int is_triangle(const sn_entry *e) { return e->divided[1] == 0; }

/* The edges from each corner to the next; how many. */
static int edges(const sn_entry *e, edge *out)
{
    const int n = e->divided[0], m = e->divided[1];
    const edge four[] = {{0, 1, n, 0, 0, 1, 0},
                         {1, 2, m, n, 0, 0, 1},
                         {2, 3, n, n, m, -1, 0},
                         {3, 0, m, 0, m, 0, -1}},
               three[] = {{0, 1, n, 0, 0, 1, 0}, {1, 2, n, n, 0, -1, 1}, {2, 0, n, 0, n, 0, -1}};
    memcpy(out, is_triangle(e) ? three : four, is_triangle(e) ? sizeof three : sizeof four);
    return is_triangle(e) ? 3 : 4;
}

/* Rows of the grid and the length of row j. */
static int grid_rows(const sn_entry *e) { return (is_triangle(e) ? e->divided[0] : e->divided[1]) + 1; }
static int grid_row(const sn_entry *e, int j) { return e->divided[0] + 1 - (is_triangle(e) ? j : 0); }

/* Place of node (i, j) in the grid. */
static size_t grid_at(const sn_entry *e, int i, int j)
{
    size_t row = (size_t)e->divided[0] + 1, k = (size_t)j;
    return (is_triangle(e) ? k * row - k * (k - 1) / 2 : k * row) + (size_t)i;
}

int sn_mesh_node(const sn_entry *e, int i, int j)
{
    return e->grid && i >= 0 && j >= 0 && j < grid_rows(e) && i < grid_row(e, j) ? e->grid[grid_at(e, i, j)]
                                                                                 : -1;
}

static const char *grid_name(sn_compiler *c, const sn_entry *e, int i, int j)
{
    char a[48], b[48];
    return sn_arena_printf(&c->m->arena, "%s.n%s_%s", e->name, sn_place_name(e->refined, i, a, sizeof a),
                           sn_place_name(e->refined, j, b, sizeof b));
}

/* The inner nodes of an edge: those of a surface before that has it too, or new ones. They are made from the
   corner with the lower number on, so that both sides agree about them to the last bit. */
static sn_status mesh_edge(sn_compiler *c, const sn_entry *e, const int *corner, const edge *d)
{
    const int low = corner[d->a] < corner[d->b],
              end[2] = {corner[low ? d->a : d->b], corner[low ? d->b : d->a]};
    const char *key = sn_arena_printf(c->items, "%d %d %d", end[0], end[1], d->n);
    if (!key) return SN_OUT_OF_MEM(c->err);
    int first = sn_map_get(&c->edge, key), node;
    if (first < 0 && d->n > 1 && sn_map_put(&c->edge, key, c->m->n_node)) return SN_OUT_OF_MEM(c->err);
    for (int k = 1; k < d->n; k++) {
        int step = low ? k : d->n - k, i = d->i + step * d->di, j = d->j + step * d->dj;
        const double w = (double)k / d->n, weight[2] = {1 - w, w};
        const char *name = grid_name(c, e, i, j);
        if (!name) return SN_OUT_OF_MEM(c->err);
        if (first < 0)
            SN_TRY(add_between(c, name, 2, end, weight, &e->item->key_mark, &node));
        else if (sn_map_put(&c->node_name, name, node = first + k - 1))
            return SN_OUT_OF_MEM(c->err);
        e->grid[grid_at(e, i, j)] = node;
    }
    return SN_OK;
}

static sn_status mesh_inside(sn_compiler *c, const sn_entry *e, const int *corner)
{
    for (int j = 0; j < grid_rows(e); j++)
        for (int i = 0; i < grid_row(e, j); i++) {
            int *node = &e->grid[grid_at(e, i, j)];
            if (*node >= 0) continue;
            double u = (double)i / e->divided[0], w = (double)j / (grid_rows(e) - 1);
            const double four[] = {(1 - u) * (1 - w), u * (1 - w), u * w, (1 - u) * w},
                         three[] = {1 - u - w, u, w};
            const char *name = grid_name(c, e, i, j);
            if (!name) return SN_OUT_OF_MEM(c->err);
            SN_TRY(add_between(c, name, is_triangle(e) ? 3 : 4, corner, is_triangle(e) ? three : four,
                               &e->item->key_mark, node));
        }
    return SN_OK;
}

static sn_status mesh_surface(sn_compiler *c, sn_entry *e, const int *corner)
{
    edge d[CORNERS];
    int n = edges(e, d);
    size_t size = grid_at(e, 0, grid_rows(e) - 1) + (size_t)grid_row(e, grid_rows(e) - 1);
    e->mesh = c->m->n_node;
    e->grid = sn_arena_alloc(&c->m->arena, size, sizeof *e->grid);
    if (!e->grid) return SN_OUT_OF_MEM(c->err);
    for (size_t k = 0; k < size; k++) e->grid[k] = -1;
    for (int k = 0; k < n; k++) {
        const char *name = grid_name(c, e, d[k].i, d[k].j);
        if (!name || sn_map_put(&c->node_name, name, corner[k])) return SN_OUT_OF_MEM(c->err);
        e->grid[grid_at(e, d[k].i, d[k].j)] = corner[k];
    }
    for (int k = 0; k < n; k++) SN_TRY(mesh_edge(c, e, corner, &d[k]));
    return mesh_inside(c, e, corner);
}

/* ---- all of them ---- */

/* Whether there can be a mesh between these corners. A corner named twice is reported where the nodes of the
   element are resolved. */
static int corners_fit(sn_compiler *c, sn_entry *e, int n, const int *corner)
{
    const sn_node *node = c->m->node;
    for (int i = 1; i < n; i++) {
        for (int j = 0; n > 2 && j < i; j++)
            if (corner[i] == corner[j]) return 0;
        if (node[corner[i]].cls == node[corner[0]].cls && node[corner[i]].ns == node[corner[0]].ns) continue;
        if (!sn_item_get(e->item, "elements")) { /* nobody asked for a mesh here: it stays one piece */
            e->pieces = 1, e->refined = e->divided[0] = e->divided[1] = 0;
            return 0;
        }
        e->bad = 1;
        sn_fail(c->err, SN_ERR_INPUT, &e->arg->mark, "'%s' cannot be meshed between a %s and a %s node",
                e->name, node[corner[0]].cls->name, node[corner[i]].cls->name);
        return 0;
    }
    return 1;
}

int sn_mesh_corner(sn_compiler *c, const sn_entry *e, int i)
{
    int node = sn_node_named(c, e->scope, sn_arg_item(e, i)->text);
    if (node < 0 || !sn_wants_frame(SN_SEC_ELEMENTS, e, i, &c->m->node[node])) return node;
    return c->m->node[node].frame;
}

/* The nodes of a mesh, as soon as its corners are known: they may be nodes of another mesh. Sets *progress.
 */
static sn_status mesh(sn_compiler *c, sn_entry *e, int *progress)
{
    int n = e->pieces < 2 || e->mesh >= 0 || e->corner ? 0 : sn_shape_corners(sn_element_mesh(e->cls)),
        corner[CORNERS];
    if (!n || sn_arg_count(e) != n) return SN_OK;
    for (int i = 0; i < n; i++)
        if ((corner[i] = sn_mesh_corner(c, e, i)) < 0) return SN_OK;
    *progress = 1;
    if (!corners_fit(c, e, n, corner)) {
        e->mesh = c->m->n_node; /* it is done with */
        return SN_OK;
    }
    return n == 2 ? mesh_line(c, e, corner) : mesh_surface(c, e, corner);
}

sn_status sn_compile_meshes(sn_compiler *c)
{
    sn_model *m = c->m;
    SN_TRY(sn_compile_surfaces(c));
    for (int i = 0; i < m->n_entry[SN_SEC_ELEMENTS]; i++) count(c, &m->entry[SN_SEC_ELEMENTS][i]);
    for (int progress = 1; progress;) {
        progress = 0;
        SN_MUST(sn_compile_frames(c)); /* what is between frames is meshed by frames */
        for (int i = 0; i < m->n_entry[SN_SEC_ELEMENTS]; i++)
            SN_MUST(mesh(c, &m->entry[SN_SEC_ELEMENTS][i], &progress));
    }
    return SN_OK;
}

/* ---- pieces ---- */

/* Row of a triangle's piece k and its place there: row j has 2 (n - j) - 1 of them, and n^2 - (n - j)^2 lie
   before it. */
static int triangle_row(int n, int k, int *place)
{
    int64_t left = (int64_t)n * n - 1 - k;
    int r = (int)sqrt((double)left);
    while ((int64_t)r * r > left) r--;
    while ((int64_t)(r + 1) * (r + 1) <= left) r++;
    *place = k - (int)((int64_t)n * n - (int64_t)(r + 1) * (r + 1));
    return n - 1 - r;
}

void sn_mesh_piece(const sn_entry *e, int k, const int *end, int *node)
{
    if (e->corner) {
        const int n = sn_shape_corners(sn_element_mesh(e->cls));
        memcpy(node, e->corner + (size_t)k * (size_t)n, sizeof *node * (size_t)n);
        return;
    }
    if (!e->grid) {
        node[0] = k ? e->mesh + k - 1 : end[0];
        node[1] = k + 1 < e->pieces ? e->mesh + k : end[1];
        return;
    }
    int t, n = e->divided[0], j = is_triangle(e) ? triangle_row(n, k, &t) : k / n,
           i = is_triangle(e) ? t / 2 : k % n;
    if (!is_triangle(e)) {
        node[0] = sn_mesh_node(e, i, j), node[1] = sn_mesh_node(e, i + 1, j);
        node[2] = sn_mesh_node(e, i + 1, j + 1), node[3] = sn_mesh_node(e, i, j + 1);
    } else if (t % 2 == 0) { /* as the whole, or turned by half a turn */
        node[0] = sn_mesh_node(e, i, j), node[1] = sn_mesh_node(e, i + 1, j),
        node[2] = sn_mesh_node(e, i, j + 1);
    } else {
        node[0] = sn_mesh_node(e, i + 1, j + 1), node[1] = sn_mesh_node(e, i, j + 1);
        node[2] = sn_mesh_node(e, i + 1, j);
    }
}

int sn_mesh_written(const sn_entry *e)
{
    const int finer = e->refined > 1 ? e->refined : 1;
    return e->pieces / (e->divided[1] || e->grid ? finer * finer : finer);
}

int sn_mesh_part(const sn_entry *e, int piece, int end)
{
    const int finer = e->corner ? e->surface->refined : e->refined, last = finer - 1, n = e->divided[0];
    if (finer < 2) return piece;
    if (e->corner) return -1;
    if (!e->grid) return piece * finer + (end == 1 ? 0 : last);
    if (is_triangle(e) || end < 1) return -1;
    int i = piece % (n / finer) * finer + (end == 2 || end == 3 ? last : 0),
        j = piece / (n / finer) * finer + (end > 2 ? last : 0);
    return j * n + i;
}

int sn_mesh_end(const sn_entry *e, int end)
{
    const int n = e->divided[0], last = e->pieces - 1;
    if (end == 1) return 0;
    if (!e->grid) return last;
    if (is_triangle(e)) return end == 2 ? 2 * (n - 1) : last;
    return end == 2 ? n - 1 : end == 3 ? last : last - (n - 1);
}
