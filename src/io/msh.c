/* MSH files of Gmsh, as its manual describes them ("MSH file format"): sections from $Name to $EndName, of
   which $MeshFormat, $PhysicalNames, $Entities, $Nodes and $Elements are read and all others passed over.
   Version 4.1 has nodes and elements in blocks of an entity, which knows its physical groups; 2.2 has one
   element a line, with its group. Elements of types 1, 2, 3, 15 are edges, triangles, quadrilaterals and
   points; solids are passed over; those of higher order are refused. */
#include "io/msh.h"
#include "io/file.h"
#include "io/msh_words.h"
#include "sinew/limits.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MB = 1000, MAX_GROUPS = 10000 };
enum { LINE = 1, TRIANGLE, QUADRILATERAL, POINT = 15 };

/* A physical group: what belongs to it, nodes by their numbers. */
typedef struct group {
    int dim, tag;
    const char *name; /* NULL: it has none */
    int *cell, n_cell, cap_cell, (*edge)[2], n_edge, cap_edge, *point, n_point, cap_point;
} group;

typedef struct member { /* an entity's group */
    int dim, tag, group;
} member;

typedef struct numbered {
    int id;
    double x[3];
} numbered;

typedef struct reader {
    sn_msh_words w;
    sn_arena *arena;
    double version;
    int seen_nodes, seen_elements;
    numbered *node;
    int n_node, cap_node;
    int (*cell)[5], n_cell, cap_cell; /* its number, corners by number, -1 behind a triangle's */
    group *group;
    int n_group, cap_group;
    member *member;
    int n_member, cap_member;
} reader;

static sn_status no_memory(reader *r) { return SN_OUT_OF_MEM(r->w.err); }

/* The group of a dimension with this tag, made when it is first asked for; -1: told. */
static int group_of(reader *r, int dim, int tag)
{
    for (int i = 0; i < r->n_group; i++)
        if (r->group[i].dim == dim && r->group[i].tag == tag) return i;
    if (r->n_group >= MAX_GROUPS)
        return sn_msh_fail(&r->w, "there are more than %d physical groups", MAX_GROUPS), -1;
    if (sn_grow(&r->group, &r->cap_group, r->n_group + 1, sizeof *r->group)) return no_memory(r), -1;
    r->group[r->n_group] = (group){.dim = dim, .tag = tag};
    return r->n_group++;
}

/* ---- sections before nodes and elements ---- */

static sn_status format(reader *r)
{
    double version, binary, size;
    int one;
    SN_TRY(sn_msh_plain(&r->w, "the version of the format", &version));
    SN_TRY(sn_msh_plain(&r->w, "0 (text) or 1 (binary)", &binary));
    SN_TRY(sn_msh_plain(&r->w, "the size of numbers", &size));
    if (version != 4.1 && version != 2.2)
        return sn_msh_fail(&r->w,
                           "this is version %g of the MSH format; versions 4.1 and 2.2 can be read: save it "
                           "again with 'gmsh FILE -save -format msh41 -o NEW.msh'",
                           version);
    r->version = version;
    if (binary == 0) return SN_OK;
    if (version != 4.1 || size != 8)
        return sn_msh_fail(&r->w,
                           "a binary file of version %g with numbers of %g bytes cannot be read: save "
                           "it as a text, or binary in version 4.1",
                           version, size);
    sn_msh_end_line(&r->w);
    r->w.binary = 1;
    SN_TRY(sn_msh_int(&r->w, "the number 1 that tells the order of bytes", &one));
    if (one != 1) return sn_msh_fail(&r->w, "the bytes are in another order than on this machine");
    return SN_OK;
}

/* Lines `dimension tag "name"`, which are text in binary files too. */
static sn_status names(reader *r)
{
    double n, dim, tag;
    SN_TRY(sn_msh_plain(&r->w, "the number of names", &n));
    for (double i = 0; i < n; i++) {
        SN_TRY(sn_msh_plain(&r->w, "the dimension of a group", &dim));
        SN_TRY(sn_msh_plain(&r->w, "the tag of a group", &tag));
        if (!(dim >= 0 && dim <= 3 && fabs(tag) < INT_MAX))
            return sn_msh_fail(&r->w, "a group has dimension %g and tag %g", dim, tag);
        size_t length;
        const char *line = sn_msh_line(&r->w, &length);
        if (!line || length < 2 || line[0] != '"' || line[length - 1] != '"')
            return sn_msh_fail(&r->w, "a name in quotes is expected here");
        int g = group_of(r, (int)dim, abs((int)tag));
        if (g < 0) return SN_ERR_INPUT;
        if (!(r->group[g].name = sn_arena_strndup(r->arena, line + 1, length - 2))) return no_memory(r);
    }
    return SN_OK;
}

/* One entity: its groups count, its place and boundary do not. */
static sn_status entity(reader *r, int dim)
{
    int tag, n, k;
    double x;
    SN_TRY(sn_msh_int(&r->w, "the tag of an entity", &tag));
    for (int i = 0; i < (dim ? 6 : 3); i++) SN_TRY(sn_msh_real(&r->w, "a coordinate of an entity", &x));
    SN_TRY(sn_msh_size(&r->w, "the number of its groups", &n));
    for (int i = 0; i < n; i++) {
        SN_TRY(sn_msh_int(&r->w, "the tag of a group", &k));
        if (k == INT_MIN) return sn_msh_fail(&r->w, "a group has the tag %d", k);
        int g = group_of(r, dim, abs(k));
        if (g < 0) return SN_ERR_INPUT;
        if (sn_grow(&r->member, &r->cap_member, r->n_member + 1, sizeof *r->member)) return no_memory(r);
        r->member[r->n_member++] = (member){dim, tag, g};
    }
    if (!dim) return SN_OK;
    SN_TRY(sn_msh_size(&r->w, "the number of its boundaries", &n));
    for (int i = 0; i < n; i++) SN_TRY(sn_msh_int(&r->w, "the tag of a boundary", &k));
    return SN_OK;
}

static sn_status entities(reader *r)
{
    int n[4];
    for (int dim = 0; dim < 4; dim++) SN_TRY(sn_msh_size(&r->w, "the number of entities", &n[dim]));
    for (int dim = 0; dim < 4; dim++)
        for (int i = 0; i < n[dim]; i++) SN_TRY(entity(r, dim));
    return SN_OK;
}

/* ---- nodes ---- */

static sn_status add_node(reader *r, int id)
{
    if (r->n_node >= SN_MAX_ELEMENTS)
        return sn_msh_fail(&r->w, "there are more than %d nodes", SN_MAX_ELEMENTS);
    if (sn_grow(&r->node, &r->cap_node, r->n_node + 1, sizeof *r->node)) return no_memory(r);
    r->node[r->n_node++].id = id;
    return SN_OK;
}

static sn_status place(reader *r, int i)
{
    for (int k = 0; k < 3; k++) SN_TRY(sn_msh_real(&r->w, "a coordinate of a node", &r->node[i].x[k]));
    return SN_OK;
}

/* A block of version 4.1: numbers, then places, and perhaps parameters. */
static sn_status node_block(reader *r)
{
    int dim, tag, parametric, n, id, first = r->n_node;
    double x;
    SN_TRY(sn_msh_int(&r->w, "the dimension of a block", &dim));
    SN_TRY(sn_msh_int(&r->w, "the tag of a block", &tag));
    SN_TRY(sn_msh_int(&r->w, "0 or 1 (with parameters)", &parametric));
    SN_TRY(sn_msh_size(&r->w, "the number of nodes of a block", &n));
    if (dim < 0 || dim > 3) return sn_msh_fail(&r->w, "a block of nodes has dimension %d", dim);
    for (int i = 0; i < n; i++) {
        SN_TRY(sn_msh_size(&r->w, "the number of a node", &id));
        SN_TRY(add_node(r, id));
    }
    for (int i = 0; i < n; i++) {
        SN_TRY(place(r, first + i));
        for (int k = 0; parametric && k < dim; k++) SN_TRY(sn_msh_real(&r->w, "a parameter of a node", &x));
    }
    return SN_OK;
}

static sn_status nodes(reader *r)
{
    int n, skipped, id;
    r->seen_nodes = 1;
    SN_TRY(sn_msh_size(&r->w, r->version > 4 ? "the number of blocks" : "the number of nodes", &n));
    for (int i = 0; r->version > 4 && i < 3; i++) SN_TRY(sn_msh_size(&r->w, "a count", &skipped));
    for (int i = 0; i < n; i++) {
        if (r->version > 4) {
            SN_TRY(node_block(r));
            continue;
        }
        SN_TRY(sn_msh_size(&r->w, "the number of a node", &id));
        SN_TRY(add_node(r, id));
        SN_TRY(place(r, r->n_node - 1));
    }
    return SN_OK;
}

/* ---- elements ---- */

/* Nodes of an element type; 0: it cannot be read, which is told. */
static int type_nodes(reader *r, int type)
{
    static const struct {
        int type, nodes;
    } known[] = {{LINE, 2}, {TRIANGLE, 3}, {QUADRILATERAL, 4}, {4, 4}, {5, 8}, {6, 6}, {7, 5}, {POINT, 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].type == type) return known[i].nodes;
    sn_msh_fail(&r->w,
                "elements of type %d cannot be read: surfaces are of 3-node triangles (2) and 4-node "
                "quadrilaterals (3); mesh with Mesh.ElementOrder = 1",
                type);
    return 0;
}

/* An element into a group; g < 0: it is in none. */
static sn_status into_group(reader *r, int g, int type, int cell, const int *node)
{
    if (g < 0) return SN_OK;
    group *to = &r->group[g];
    if (type == POINT) {
        if (sn_grow(&to->point, &to->cap_point, to->n_point + 1, sizeof *to->point)) return no_memory(r);
        to->point[to->n_point++] = node[0];
    } else if (type == LINE) {
        if (sn_grow(&to->edge, &to->cap_edge, to->n_edge + 1, sizeof *to->edge)) return no_memory(r);
        memcpy(to->edge[to->n_edge++], node, sizeof *to->edge);
    } else if (cell >= 0) {
        if (sn_grow(&to->cell, &to->cap_cell, to->n_cell + 1, sizeof *to->cell)) return no_memory(r);
        to->cell[to->n_cell++] = cell;
    }
    return SN_OK;
}

/* The nodes of one element; *cell: its index where it is a part of a surface. */
static sn_status corners(reader *r, int id, int type, int n, int *node, int *cell)
{
    *cell = -1;
    for (int i = 0; i < n; i++) SN_TRY(sn_msh_size(&r->w, "the number of an element's node", &node[i]));
    if (type != TRIANGLE && type != QUADRILATERAL) return SN_OK;
    if (r->n_cell >= SN_MAX_ELEMENTS)
        return sn_msh_fail(&r->w, "there are more than %d elements", SN_MAX_ELEMENTS);
    if (sn_grow(&r->cell, &r->cap_cell, r->n_cell + 1, sizeof *r->cell)) return no_memory(r);
    const int all[5] = {id, node[0], node[1], node[2], type == TRIANGLE ? -1 : node[3]};
    *cell = r->n_cell;
    memcpy(r->cell[r->n_cell++], all, sizeof all);
    return SN_OK;
}

static sn_status element_block(reader *r)
{
    int dim, tag, type, n, id, node[8], cell;
    SN_TRY(sn_msh_int(&r->w, "the dimension of a block", &dim));
    SN_TRY(sn_msh_int(&r->w, "the tag of a block", &tag));
    SN_TRY(sn_msh_int(&r->w, "the type of elements", &type));
    SN_TRY(sn_msh_size(&r->w, "the number of elements of a block", &n));
    int nodes = type_nodes(r, type);
    if (!nodes) return SN_ERR_INPUT;
    for (int i = 0; i < n; i++) {
        SN_TRY(sn_msh_size(&r->w, "the number of an element", &id));
        SN_TRY(corners(r, id, type, nodes, node, &cell));
        for (int k = 0; k < r->n_member; k++)
            if (r->member[k].dim == dim && r->member[k].tag == tag)
                SN_TRY(into_group(r, r->member[k].group, type, cell, node));
    }
    return SN_OK;
}

/* A line of version 2.2: number, type, tags (the first is the group), nodes. */
static sn_status element_line(reader *r)
{
    static const int dim_of[16] = {[LINE] = 1, [TRIANGLE] = 2, [QUADRILATERAL] = 2, [4] = 3, 3, 3, 3};
    int id, type, tags, tag, in = 0, node[8], cell;
    SN_TRY(sn_msh_size(&r->w, "the number of an element", &id));
    SN_TRY(sn_msh_int(&r->w, "the type of an element", &type));
    SN_TRY(sn_msh_size(&r->w, "the number of its tags", &tags));
    for (int i = 0; i < tags; i++) {
        SN_TRY(sn_msh_int(&r->w, "a tag of an element", &tag));
        if (!i) in = tag;
    }
    int nodes = type_nodes(r, type);
    if (!nodes) return SN_ERR_INPUT;
    SN_TRY(corners(r, id, type, nodes, node, &cell));
    if (!in || in == INT_MIN) return SN_OK;
    int g = group_of(r, dim_of[type], abs(in));
    return g < 0 ? SN_ERR_INPUT : into_group(r, g, type, cell, node);
}

static sn_status elements(reader *r)
{
    int n, skipped;
    r->seen_elements = 1;
    SN_TRY(sn_msh_size(&r->w, r->version > 4 ? "the number of blocks" : "the number of elements", &n));
    for (int i = 0; r->version > 4 && i < 3; i++) SN_TRY(sn_msh_size(&r->w, "a count", &skipped));
    for (int i = 0; i < n; i++) SN_TRY(r->version > 4 ? element_block(r) : element_line(r));
    return SN_OK;
}

/* ---- sections ---- */

/* To the line "$EndNAME" behind what a section was read for, or without reading it. */
static sn_status to_end(reader *r, const char *name, size_t length, int passing)
{
    size_t n = 0;
    const char *line;
    char want[80];
    snprintf(want, sizeof want, "$End%.*s", (int)(length < 60 ? length : 60), name);
    while ((line = sn_msh_line(&r->w, &n))) {
        if (n == strlen(want) && !strncmp(line, want, n)) return SN_OK;
        if (!passing) break;
        sn_msh_end_line(&r->w);
    }
    return sn_msh_fail(&r->w,
                       line ? "'%s' is expected here: more is written than was announced"
                            : "the file ends before '%s'",
                       want);
}

static sn_status sections(reader *r)
{
    static const struct {
        const char *name;
        sn_status (*read)(reader *);
    } known[] = {{"MeshFormat", format},
                 {"PhysicalNames", names},
                 {"Entities", entities},
                 {"Nodes", nodes},
                 {"Elements", elements}};
    enum { KNOWN = sizeof known / sizeof *known };
    const char *line;
    size_t n;
    while ((line = sn_msh_line(&r->w, &n))) {
        size_t k = 0;
        if (line[0] != '$' || n < 2) return sn_msh_fail(&r->w, "a section like '$Nodes' is expected here");
        if (r->version == 0 && (n != 11 || strncmp(line, "$MeshFormat", n) != 0))
            return sn_msh_fail(&r->w, "an MSH file begins with '$MeshFormat'");
        while (k < KNOWN && (strlen(known[k].name) != n - 1 || strncmp(known[k].name, line + 1, n - 1) != 0))
            k++;
        sn_msh_end_line(&r->w);
        if (k < KNOWN) SN_TRY(known[k].read(r));
        SN_TRY(to_end(r, line + 1, n - 1, k == KNOWN));
    }
    if (r->version == 0) return sn_msh_fail(&r->w, "an MSH file begins with '$MeshFormat'");
    if (!r->seen_nodes || !r->seen_elements)
        return sn_msh_fail(&r->w, "the file has no '%s'", r->seen_nodes ? "$Elements" : "$Nodes");
    return SN_OK;
}

/* ---- into a mesh ---- */

static int by_id(const void *a, const void *b)
{
    const int x = ((const numbered *)a)->id, y = ((const numbered *)b)->id;
    return (x > y) - (x < y);
}

static int ascending(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static sn_status wrong(const reader *r, const char *format, int a, int b)
{
    return sn_fail(r->w.err, SN_ERR_INPUT, &(sn_mark){.file = r->w.path}, format, a, b);
}

static sn_status mesh_nodes(reader *r, sn_surface *s)
{
    if (r->n_node) qsort(r->node, (size_t)r->n_node, sizeof *r->node, by_id);
    s->id = sn_arena_alloc(r->arena, (size_t)r->n_node + 1, sizeof *s->id);
    s->X = sn_arena_alloc(r->arena, (size_t)r->n_node + 1, 3 * sizeof *s->X);
    if (!s->id || !s->X) return no_memory(r);
    for (int i = 0; i < r->n_node; i++) {
        if (i && r->node[i].id == s->id[i - 1])
            return wrong(r, "two nodes have the number %d", s->id[i - 1], 0);
        s->id[i] = r->node[i].id;
        memcpy(s->X + 3 * (size_t)i, r->node[i].x, sizeof r->node[i].x);
    }
    s->n_node = r->n_node;
    return SN_OK;
}

static sn_status mesh_cells(reader *r, sn_surface *s)
{
    s->cell = sn_arena_alloc(r->arena, (size_t)r->n_cell + 1, sizeof *s->cell);
    s->cell_id = sn_arena_alloc(r->arena, (size_t)r->n_cell + 1, sizeof *s->cell_id);
    if (!s->cell || !s->cell_id) return no_memory(r);
    for (int i = 0; i < r->n_cell; i++) {
        const int *from = r->cell[i];
        s->cell_id[i] = from[0];
        for (int k = 0; k < 4; k++) {
            s->cell[i][k] = from[1 + k] < 0 ? -1 : sn_surface_find(s, from[1 + k]);
            if (from[1 + k] >= 0 && s->cell[i][k] < 0)
                return wrong(r, "element %d has the node %d, which is not there", from[0], from[1 + k]);
            for (int j = 0; j < k && s->cell[i][k] >= 0; j++)
                if (s->cell[i][j] == s->cell[i][k])
                    return wrong(r, "element %d has the node %d twice", from[0], from[1 + k]);
        }
    }
    s->n_cell = r->n_cell;
    return SN_OK;
}

static const char *group_name(reader *r, const group *g)
{
    static const char *const what[] = {"point", "curve", "surface"};
    return g->name ? g->name : sn_arena_printf(r->arena, "%s%d", what[g->dim], g->tag);
}

/* All groups of one name, from number `first` on, are one set. */
static sn_status mesh_set(reader *r, const sn_surface *s, int first, const char *name, sn_mesh_set *out)
{
    size_t edges = 0, cells = 0, points = 0;
    unsigned char *in = r->n_group > first ? sn_arena_alloc(r->arena, (size_t)r->n_group, 1) : NULL;
    if (!in) return no_memory(r);
    for (int i = first; i < r->n_group; i++) {
        const group *g = &r->group[i];
        const char *other = g->dim < 3 ? group_name(r, g) : NULL;
        in[i] = other && !strcmp(other, name);
        if (in[i]) edges += (size_t)g->n_edge, cells += (size_t)g->n_cell, points += (size_t)g->n_point;
    }
    size_t most = points + 2 * edges + 4 * cells + 1;
    *out = (sn_mesh_set){.name = name,
                         .node = sn_arena_alloc(r->arena, most, sizeof(int)),
                         .edge = sn_arena_alloc(r->arena, edges + 1, sizeof *out->edge),
                         .cell = sn_arena_alloc(r->arena, cells + 1, sizeof(int))};
    if (!out->node || !out->edge || !out->cell) return no_memory(r);
    int *node = out->node, n = 0;
    for (int i = first; i < r->n_group; i++) {
        const group *g = &r->group[i];
        for (int k = 0; in[i] && k < g->n_point; k++) node[n++] = sn_surface_find(s, g->point[k]);
        for (int k = 0; in[i] && k < g->n_edge; k++)
            for (int j = 0; j < 2; j++)
                out->edge[out->n_edge + k][j] = node[n++] = sn_surface_find(s, g->edge[k][j]);
        for (int k = 0; in[i] && k < g->n_cell; k++) {
            out->cell[out->n_cell + k] = g->cell[k];
            for (int j = 0; j < 4; j++)
                if (s->cell[g->cell[k]][j] >= 0) node[n++] = s->cell[g->cell[k]][j];
        }
        if (in[i]) out->n_edge += g->n_edge, out->n_cell += g->n_cell;
    }
    qsort(node, (size_t)n, sizeof *node, ascending);
    if (n && node[0] < 0)
        return sn_fail(r->w.err, SN_ERR_INPUT, &(sn_mark){.file = r->w.path},
                       "the group '%s' has a node that is not there", name);
    for (int i = 0; i < n; i++)
        if (!out->n_node || node[out->n_node - 1] != node[i]) node[out->n_node++] = node[i];
    return SN_OK;
}

static sn_status mesh_sets(reader *r, sn_surface *s)
{
    s->set = sn_arena_alloc(r->arena, (size_t)r->n_group + 1, sizeof *s->set);
    if (!s->set) return no_memory(r);
    for (int i = 0; i < r->n_group; i++) {
        const char *name = r->group[i].dim < 3 && r->group[i].dim >= 0 ? group_name(r, &r->group[i]) : "";
        if (!name) return no_memory(r);
        if (!name[0] || sn_surface_set(s, name)) continue;
        SN_TRY(mesh_set(r, s, i, name, &s->set[s->n_set]));
        s->n_set++;
    }
    return SN_OK;
}

sn_status sn_msh_read(const char *path, sn_arena *arena, sn_surface *out, sn_err *err)
{
    char *bytes;
    size_t length;
    reader r = {.arena = arena};
    *out = (sn_surface){0};
    SN_TRY(sn_file_read(path, MAX_MB << 20, &bytes, &length, err));
    r.w = (sn_msh_words){
        .path = path, .begin = bytes, .at = bytes, .end = bytes + length, .line = 1, .err = err};
    locale_t point = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(point);
    sn_status s = sections(&r);
    uselocale(before);
    if (point) freelocale(point);
    if (!s) s = mesh_nodes(&r, out);
    if (!s) s = mesh_cells(&r, out);
    if (!s) s = mesh_sets(&r, out);
    for (int i = 0; i < r.n_group; i++)
        sn_free(r.group[i].cell), sn_free(r.group[i].edge), sn_free(r.group[i].point);
    sn_free(r.group), sn_free(r.member), sn_free(r.node), sn_free(r.cell);
    sn_free(bytes);
    return s;
}
