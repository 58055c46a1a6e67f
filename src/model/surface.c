/* Meshes of the section `meshes`: their cells and sets, and which of them elements are put on.

   A grid has (divided[0] + 1) x (divided[1] + 1) nodes, n3_4 in column 3 of row 4, or as many columns as
   cells where it closes, and the sets edge1 (w = 0), edge2 (u = 1), edge3 (w = 1), edge4 (u = 0) and all of
   them, rim; of a closed one edge1 and edge3. A file has the nodes n1, n2 ... by its numbers, and its groups.
   Every mesh has the set `all`.

   `shares: {edge1: drum.edge3}`: the nodes of this edge are those of an edge of a mesh written before, in the
   order of u or w; with a minus in front, in the opposite order. */
#include "model/surfaces.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sn_surface_find(const sn_surface *s, int id)
{
    int low = 0, high = s->n_node - 1;
    while (low <= high) {
        int mid = low + (high - low) / 2;
        if (s->id[mid] == id) return mid;
        if (s->id[mid] < id)
            low = mid + 1;
        else
            high = mid - 1;
    }
    return -1;
}

const sn_mesh_set *sn_surface_set(const sn_surface *s, const char *name)
{
    for (int i = 0; i < s->n_set; i++)
        if (!strcmp(s->set[i].name, name)) return &s->set[i];
    return NULL;
}

int sn_surface_at(const sn_surface *s, int i, int j)
{
    if (i < 0 || j < 0 || i > s->divided[0] || j > s->divided[1]) return -1;
    int columns = s->divided[0] + !s->closed;
    return j * columns + i % columns;
}

/* ---- grids ---- */

/* `elements: [n, m]`, times the refinement. */
static int divisions(sn_compiler *c, const sn_entry *e, int closed, int *n)
{
    const sn_item *k = sn_item_get(e->item, "elements");
    const double finer = c->m->refined > 1 ? c->m->refined : 1;
    const sn_item *part = k && k->type == SN_ITEM_LIST && k->n == 2 ? k->child : NULL;
    for (int i = 0; i < 2; i++, part = part ? part->next : NULL)
        n[i] = part ? sn_whole_item(c, e->scope, part) : 0;
    if (n[0] < 0 || n[1] < 0) return 0;
    if (!k)
        sn_fail(c->err, SN_ERR_INPUT, &e->item->key_mark,
                "mesh '%s': 'elements' is missing (how many along u and w, [n, m])", e->name);
    else if (!n[0] || !n[1] || n[0] * finer * n[1] * finer > SN_MAX_ELEMENTS)
        sn_fail(
            c->err, SN_ERR_INPUT, &k->mark,
            "mesh '%s': 'elements' is how many along u and w, [n, m], whole numbers from 1 on, at most %d in "
            "all",
            e->name, SN_MAX_ELEMENTS);
    else if (closed && n[0] < 3)
        sn_fail(c->err, SN_ERR_INPUT, &k->mark, "mesh '%s' closes: it needs 3 elements around at least",
                e->name);
    else
        return n[0] *= (int)finer, n[1] *= (int)finer, 1;
    return 0;
}

/* Nodes and edges of edge k (0 .. 3) of a grid: from the corner with u = w = 0 or next to it. */
static sn_status grid_edge(sn_compiler *c, const sn_surface *s, int k, sn_mesh_set *out)
{
    static const char *const name[] = {"edge1", "edge2", "edge3", "edge4"};
    const int along = k % 2, n = s->divided[along], ends = along || !s->closed;
    *out = (sn_mesh_set){.name = name[k], .n_node = n + ends, .n_edge = n};
    out->node = sn_arena_alloc(&c->m->arena, (size_t)n + 1, sizeof *out->node);
    out->edge = sn_arena_alloc(&c->m->arena, (size_t)n, sizeof *out->edge);
    if (!out->node || !out->edge) return SN_OUT_OF_MEM(c->err);
    for (int i = 0, last = -1; i <= n; i++) {
        int at = along ? sn_surface_at(s, k == 1 ? s->divided[0] : 0, i)
                       : sn_surface_at(s, i, k == 2 ? s->divided[1] : 0);
        if (i < out->n_node) out->node[i] = at;
        if (i) out->edge[i - 1][0] = last, out->edge[i - 1][1] = at;
        last = at;
    }
    return SN_OK;
}

/* The four edges as one, counterclockwise: each node once. */
static sn_status grid_rim(sn_compiler *c, const sn_surface *s, sn_mesh_set *out)
{
    const int n = s->divided[0], m = s->divided[1], all = 2 * (n + m);
    *out = (sn_mesh_set){.name = "rim", .n_node = all, .n_edge = all};
    out->node = sn_arena_alloc(&c->m->arena, (size_t)all, sizeof *out->node);
    out->edge = sn_arena_alloc(&c->m->arena, (size_t)all, sizeof *out->edge);
    if (!out->node || !out->edge) return SN_OUT_OF_MEM(c->err);
    for (int k = 0; k < all; k++)
        out->node[k] = k < n           ? sn_surface_at(s, k, 0)
                       : k < n + m     ? sn_surface_at(s, n, k - n)
                       : k < 2 * n + m ? sn_surface_at(s, 2 * n + m - k, m)
                                       : sn_surface_at(s, 0, all - k);
    for (int k = 0; k < all; k++) out->edge[k][0] = out->node[k], out->edge[k][1] = out->node[(k + 1) % all];
    return SN_OK;
}

/* All nodes and cells as a set. */
static sn_status whole_set(sn_compiler *c, const sn_surface *s, sn_mesh_set *out)
{
    *out = (sn_mesh_set){.name = "all", .n_node = s->n_node, .n_cell = s->n_cell};
    out->node = sn_arena_alloc(&c->m->arena, (size_t)s->n_node + 1, sizeof *out->node);
    out->cell = sn_arena_alloc(&c->m->arena, (size_t)s->n_cell + 1, sizeof *out->cell);
    if (!out->node || !out->cell) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < s->n_node; i++) out->node[i] = i;
    for (int i = 0; i < s->n_cell; i++) out->cell[i] = i;
    return SN_OK;
}

static sn_status grid(sn_compiler *c, sn_entry *e, sn_surface *s)
{
    const sn_property_class *cls = e->cls;
    s->closed = cls->form->closes && !sn_item_get(e->item, cls->form->closes);
    s->refined = c->m->refined > 1 ? c->m->refined : 1;
    if (!divisions(c, e, s->closed, s->divided)) return SN_ERR_INPUT;
    const int n = s->divided[0], m = s->divided[1];
    s->n_node = (n + !s->closed) * (m + 1), s->n_cell = n * m;
    s->cell = sn_arena_alloc(&c->m->arena, (size_t)s->n_cell, sizeof *s->cell);
    s->set = sn_arena_alloc(&c->m->arena, 6, sizeof *s->set);
    if (!s->cell || !s->set) return SN_OUT_OF_MEM(c->err);
    for (int j = 0, k = 0; j < m; j++)
        for (int i = 0; i < n; i++, k++) {
            s->cell[k][0] = sn_surface_at(s, i, j), s->cell[k][1] = sn_surface_at(s, i + 1, j);
            s->cell[k][2] = sn_surface_at(s, i + 1, j + 1), s->cell[k][3] = sn_surface_at(s, i, j + 1);
        }
    for (int k = 0; k < 4; k++)
        if (!s->closed || k % 2 == 0) SN_TRY(grid_edge(c, s, k, &s->set[s->n_set++]));
    if (!s->closed) SN_TRY(grid_rim(c, s, &s->set[s->n_set++]));
    return whole_set(c, s, &s->set[s->n_set++]);
}

/* ---- files ---- */

static sn_status file(sn_compiler *c, sn_entry *e, sn_surface *s)
{
    sn_mesh_set *own;
    if (e->arg->type != SN_ITEM_SCALAR || !e->arg->text[0])
        return sn_fail(c->err, SN_ERR_INPUT, &e->arg->mark, "mesh '%s': '%s:' takes the name of a file",
                       e->name, e->arg->key);
    if (!(e->file = sn_file_path(c, e, e->arg->text))) return SN_OUT_OF_MEM(c->err);
    SN_TRY(sn_model_has_read(c->m, e->file, c->err));
    SN_TRY(c->load->msh(e->file, &e->arg->mark, &c->m->arena, s, c->err));
    s->refined = 1;
    if (sn_surface_set(s, "all")) return SN_OK;
    own = sn_arena_alloc(&c->m->arena, (size_t)s->n_set + 1, sizeof *own);
    if (!own) return SN_OUT_OF_MEM(c->err);
    if (s->n_set) memcpy(own, s->set, sizeof *own * (size_t)s->n_set);
    s->set = own;
    return whole_set(c, s, &s->set[s->n_set++]);
}

static sn_status make(sn_compiler *c, sn_entry *e)
{
    sn_surface *s = sn_arena_alloc(&c->m->arena, 1, sizeof *s);
    if (!s) return SN_OUT_OF_MEM(c->err);
    sn_status status = ((const sn_property_class *)e->cls)->file ? file(c, e, s) : grid(c, e, s);
    e->bad |= status != SN_OK;
    if (status) return status;
    s->used = sn_arena_alloc(c->items, (size_t)s->n_node + 1, 1);
    s->node = sn_arena_alloc(&c->m->arena, (size_t)s->n_node + 1, sizeof *s->node);
    if (!s->used || !s->node) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < s->n_node; i++) s->node[i] = -1;
    e->surface = s;
    return SN_OK;
}

/* ---- names ---- */

static const char *set_name(int i, const void *ctx) { return ((const sn_surface *)ctx)->set[i].name; }

int sn_mesh_stem(sn_compiler *c, const sn_scope *scope, const char *name, const char **rest)
{
    const char *dot = strchr(name, '.');
    const char *stem = dot ? sn_arena_strndup(c->items, name, (size_t)(dot - name)) : name;
    *rest = dot ? dot + 1 : "";
    return stem ? sn_entry_find(c, SN_SEC_MESHES, scope, stem) : -1;
}

/* The set of a mesh with this name; what is wrong is reported. */
static const sn_mesh_set *find_set(sn_compiler *c, const sn_entry *mesh, const char *name,
                                   const sn_mark *mark)
{
    const sn_surface *s = mesh->surface;
    const sn_mesh_set *set = s ? sn_surface_set(s, name) : NULL;
    if (set || !s) return set;
    const char *near = sn_nearest(name, s->n_set, set_name, s);
    sn_fail(c->err, SN_ERR_INPUT, mark, "mesh '%s' has no set '%s'%s%s%s", mesh->name, name,
            near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    return NULL;
}

/* ---- shared edges ---- */

static sn_status share_edge(sn_compiler *c, int index, const sn_item *k, sn_sharing *to)
{
    sn_entry *mesh = c->m->entry[SN_SEC_MESHES], *e = &mesh[index];
    const char *text = k->type == SN_ITEM_SCALAR ? k->text : "", *rest;
    const int back = text[0] == '-';
    int other = sn_mesh_stem(c, e->scope, text + back, &rest);
    if (other < 0)
        return sn_fail(c->err, SN_ERR_INPUT, &k->mark,
                       "an edge is shared with that of another mesh, for example %s: drum.edge3", k->key);
    if (mesh[other].surface && mesh[other].surface->id)
        return sn_fail(c->err, SN_ERR_INPUT, &k->mark,
                       "'%s' is the mesh of a file: only edges of other meshes can be shared",
                       mesh[other].name);
    if (other >= index)
        return sn_fail(c->err, SN_ERR_INPUT, &k->mark, "the mesh '%s' must be written before '%s'",
                       mesh[other].name, e->name);
    const sn_mesh_set *own = find_set(c, e, k->key, &k->key_mark),
                      *of = own ? find_set(c, &mesh[other], rest, &k->mark) : NULL;
    if (!own || !of) return SN_ERR_INPUT;
    if (!own->n_edge || own->n_edge != of->n_edge || own->n_node != of->n_node)
        return sn_fail(c->err, SN_ERR_INPUT, &k->mark,
                       "'%s.%s' has %d nodes and %d edges, '%s' has %d and %d: they cannot be the same",
                       e->name, k->key, own->n_node, own->n_edge, text + back, of->n_node, of->n_edge);
    to->edge[to->n++] = (sn_shared){index, other, back, own, of};
    return SN_OK;
}

static sn_status share(sn_compiler *c, int index, sn_sharing *to)
{
    sn_entry *e = &c->m->entry[SN_SEC_MESHES][index];
    const sn_item *k = e->surface && !e->surface->id ? sn_item_get(e->item, "shares") : NULL;
    if (k && (k->type != SN_ITEM_MAP || to->n + k->n > to->most))
        return sn_fail(c->err, SN_ERR_INPUT, &k->mark, "'shares' is a map, for example {edge1: drum.edge3}");
    for (k = k ? k->child : NULL; k; k = k->next) SN_MUST(share_edge(c, index, k, to));
    return SN_OK;
}

/* Node i of a shared edge, in the mesh before. */
static int counterpart(const sn_shared *k, int i)
{
    const int n = k->of->n_node;
    if (!k->back) return k->of->node[i];
    return k->of->node[n == k->of->n_edge ? (n - i) % n : n - 1 - i]; /* a ring begins at the same node */
}

/* From the last mesh to the first: what one needs of another, that one has. */
static void pass_use(sn_compiler *c, const sn_sharing *s)
{
    const sn_entry *mesh = c->m->entry[SN_SEC_MESHES];
    for (const sn_shared *k = s->edge + s->n; k-- > s->edge;)
        for (int i = 0; i < k->own->n_node; i++)
            if (mesh[k->mesh].surface->used[k->own->node[i]])
                mesh[k->other].surface->used[counterpart(k, i)] = 1;
}

void sn_surface_take(sn_compiler *c, int index, const sn_sharing *s)
{
    const sn_entry *mesh = c->m->entry[SN_SEC_MESHES];
    sn_surface *to = mesh[index].surface;
    for (const sn_shared *k = s->edge; k < s->edge + s->n; k++)
        for (int i = 0; k->mesh == index && i < k->own->n_node; i++)
            if (to->used[k->own->node[i]])
                to->node[k->own->node[i]] = mesh[k->other].surface->node[counterpart(k, i)];
}

/* ---- elements ---- */

int sn_on_mesh(sn_compiler *c, const sn_entry *e)
{
    const char *rest;
    sn_shape shape = e->cls ? sn_element_mesh(e->cls) : SN_SHAPE_NONE;
    if ((shape != SN_SHAPE_TRIANGLE && shape != SN_SHAPE_QUADRILATERAL) || !e->arg ||
        e->arg->type != SN_ITEM_SCALAR)
        return -1;
    return sn_mesh_stem(c, e->scope, e->arg->text, &rest);
}

/* How many pieces a cell is of for a kind with so many corners: a grid's quadrilaterals are two triangles. */
static int parts(const sn_surface *s, int cell, int corners)
{
    int own = s->cell[cell][3] < 0 ? 3 : 4;
    return own == corners ? 1 : corners == 3 && !s->id ? 2 : 0;
}

/* Corners of part k of a cell. */
static void part(const sn_surface *s, int cell, int corners, int k, int *out)
{
    static const int half[2][3] = {{0, 1, 2}, {0, 2, 3}};
    int whole = s->cell[cell][3] < 0 || corners == 4;
    for (int i = 0; i < corners; i++) out[i] = s->cell[cell][whole ? i : half[k][i]];
}

/* The cells of an element, its corners as nodes of the mesh. */
static sn_status put_on(sn_compiler *c, sn_entry *e, sn_entry *mesh, unsigned char *taken)
{
    const char *rest;
    sn_mesh_stem(c, e->scope, e->arg->text, &rest);
    const sn_surface *s = mesh->surface;
    const sn_mesh_set *set = find_set(c, mesh, rest[0] ? rest : "all", &e->arg->mark);
    const int corners = sn_shape_corners(sn_element_mesh(e->cls));
    const sn_item *k = sn_item_get(e->item, "elements");
    double n = 0;
    if (!set) return SN_ERR_INPUT;
    if (k)
        return sn_fail(c->err, SN_ERR_INPUT, &k->key_mark, "'%s' has the elements of the mesh '%s'", e->name,
                       mesh->name);
    for (int i = 0; i < set->n_cell; i++) n += parts(s, set->cell[i], corners);
    if (n == 0)
        return sn_fail(c->err, SN_ERR_INPUT, &e->arg->mark, "'%s' has no cells with %d corners", e->arg->text,
                       corners);
    if (c->meshed + n > SN_MAX_ELEMENTS)
        return sn_fail(c->err, SN_ERR_INPUT, &e->arg->mark, "all meshes together have more than %d elements",
                       SN_MAX_ELEMENTS);
    c->meshed += (int)n;
    e->pieces = (int)n, e->surface = mesh->surface;
    e->corner = sn_arena_alloc(&c->m->arena, (size_t)n * (size_t)corners, sizeof *e->corner);
    if (!e->corner) return SN_OUT_OF_MEM(c->err);
    int *to = e->corner;
    for (int i = 0; i < set->n_cell; i++)
        for (int j = 0; j < parts(s, set->cell[i], corners); j++, to += corners) {
            part(s, set->cell[i], corners, j, to);
            for (int a = 0; a < corners; a++) s->used[to[a]] = 1;
            taken[set->cell[i]] = 1;
        }
    return SN_OK;
}

/* A set that elements are put on, but only on its triangles or its quadrilaterals. */
static void all_taken(sn_compiler *c, const sn_entry *e, const sn_surface *s, const unsigned char *taken)
{
    const char *rest;
    sn_mesh_stem(c, e->scope, e->arg->text, &rest);
    const sn_mesh_set *set = sn_surface_set(s, rest[0] ? rest : "all");
    int left = 0, corners = 0;
    for (int i = 0; i < set->n_cell; i++)
        if (!taken[set->cell[i]]) left++, corners = s->cell[set->cell[i]][3] < 0 ? 3 : 4;
    if (left)
        sn_fail(
            c->err, SN_ERR_INPUT, &e->arg->mark,
            "'%s' has %d cell%s with %d corners besides, on which no element is put: write one for them, too",
            e->arg->text, left, left == 1 ? "" : "s", corners);
}

static sn_status put_all(sn_compiler *c)
{
    sn_model *m = c->m;
    sn_status status = SN_OK;
    for (int k = 0; !status && k < m->n_entry[SN_SEC_MESHES]; k++) {
        sn_entry *mesh = &m->entry[SN_SEC_MESHES][k];
        unsigned char *taken = mesh->surface ? sn_alloc((size_t)mesh->surface->n_cell + 1, 1) : NULL;
        if (!mesh->surface) continue;
        if (!taken) return SN_OUT_OF_MEM(c->err);
        for (int i = 0; status != SN_ERR_MEMORY && i < m->n_entry[SN_SEC_ELEMENTS]; i++) {
            sn_entry *e = &m->entry[SN_SEC_ELEMENTS][i];
            if (sn_on_mesh(c, e) != k) continue;
            status = put_on(c, e, mesh, taken);
            e->bad |= status != SN_OK;
        }
        for (int i = 0; status != SN_ERR_MEMORY && i < m->n_entry[SN_SEC_ELEMENTS]; i++)
            if (m->entry[SN_SEC_ELEMENTS][i].corner && m->entry[SN_SEC_ELEMENTS][i].surface == mesh->surface)
                all_taken(c, &m->entry[SN_SEC_ELEMENTS][i], mesh->surface, taken);
        sn_free(taken);
        if (status != SN_ERR_MEMORY) status = SN_OK;
    }
    return status;
}

sn_status sn_compile_surfaces(sn_compiler *c)
{
    sn_model *m = c->m;
    const int n = m->n_entry[SN_SEC_MESHES];
    sn_sharing s = {.most = 4 * n};
    if (!n) return SN_OK;
    for (int i = 0; i < n; i++)
        if (m->entry[SN_SEC_MESHES][i].cls && !m->entry[SN_SEC_MESHES][i].bad)
            SN_MUST(make(c, &m->entry[SN_SEC_MESHES][i]));
    if (!(s.edge = sn_arena_alloc(c->items, (size_t)s.most, sizeof *s.edge))) return SN_OUT_OF_MEM(c->err);
    for (int i = 0; i < n; i++) SN_MUST(share(c, i, &s));
    SN_TRY(put_all(c));
    pass_use(c, &s);
    for (int i = 0; i < n; i++)
        if (m->entry[SN_SEC_MESHES][i].surface) SN_TRY(sn_surface_nodes(c, i, &s));
    for (int i = 0; i < m->n_entry[SN_SEC_ELEMENTS]; i++) { /* corners become nodes of the model */
        sn_entry *e = &m->entry[SN_SEC_ELEMENTS][i];
        int corners = e->corner ? e->pieces * sn_shape_corners(sn_element_mesh(e->cls)) : 0;
        for (int k = 0; k < corners; k++) e->corner[k] = e->surface->node[e->corner[k]];
    }
    return SN_OK;
}
