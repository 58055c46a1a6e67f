/* Nodes, sets of nodes and outer faces: of input files of CalculiX and Abaqus (*NODE, *NSET, *ELEMENT,
 *INCLUDE; all else is passed over), or a table of nodes. */
#include "reduce/fe_files.h"

#include "io/csv.h"
#include "io/file.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void sn_fe_mesh_free(sn_fe_mesh *m)
{
    for (int i = 0; i < m->n_set; i++) sn_free(m->set[i].node);
    sn_free(m->id), sn_free(m->X), sn_free(m->number), sn_free(m->set), sn_free(m->face);
    *m = (sn_fe_mesh){0};
}

int sn_fe_mesh_find(const sn_fe_mesh *m, int id)
{
    int low = 0, high = m->n_node - 1;
    while (low <= high) {
        int mid = low + (high - low) / 2;
        if (m->id[mid] == id) return mid;
        if (m->id[mid] < id)
            low = mid + 1;
        else
            high = mid - 1;
    }
    return -1;
}

static sn_status add_node(sn_fe_mesh *m, int id, const double *x)
{
    int cap = m->cap_node;
    if (sn_grow(&m->id, &cap, m->n_node + 1, sizeof *m->id) ||
        sn_grow(&m->X, &m->cap_node, m->n_node + 1, 3 * sizeof *m->X))
        return SN_ERR_MEMORY;
    m->id[m->n_node] = id;
    memcpy(m->X + 3 * m->n_node++, x, 3 * sizeof *x);
    return SN_OK;
}

sn_status sn_fe_mesh_put(sn_fe_mesh *m, const double *row, sn_err *err)
{
    return add_node(m, (int)row[0], row + 1) ? SN_OUT_OF_MEM(err) : SN_OK;
}

typedef struct numbered {
    int id;
    double x[3];
} numbered;

static int by_id(const void *a, const void *b)
{
    const int x = ((const numbered *)a)->id, y = ((const numbered *)b)->id;
    return (x > y) - (x < y);
}

sn_status sn_fe_mesh_sort(sn_fe_mesh *m, int *twice)
{
    numbered *list = sn_alloc((size_t)m->n_node + 1, sizeof *list);
    *twice = 0;
    if (!list) return SN_ERR_MEMORY;
    for (int i = 0; i < m->n_node; i++) {
        list[i].id = m->id[i];
        memcpy(list[i].x, m->X + 3 * i, sizeof list[i].x);
    }
    qsort(list, (size_t)m->n_node, sizeof *list, by_id);
    for (int i = 0; i < m->n_node; i++) {
        if (i && list[i].id == list[i - 1].id) *twice = list[i].id;
        m->id[i] = list[i].id;
        memcpy(m->X + 3 * i, list[i].x, sizeof list[i].x);
    }
    sn_free(list);
    return SN_OK;
}

/* ---- input files ---- */

typedef struct reader {
    sn_fe_mesh *m;
    sn_arena *arena;
    sn_err *err;
    int depth;
    int (*faces)[5], n_faces,
        cap_faces; /* of all elements: corners by number, and the sorted way to compare */
} reader;

enum { NOTHING, NODES, SET, ELEMENTS };

typedef struct section {
    int what, set, generate;
    const struct element *element;
    int have, want, corner[32]; /* of an element that goes on in the next line */
} section;

/* Faces of an element by its corners, which come first */
typedef struct element {
    const char *name; /* what its type begins with */
    int nodes, n_face, face[6][4];
} element;
static const element solids[] = {
    {"C3D4", 4, 4, {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}}},
    {"C3D10", 10, 4, {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}}},
    {"C3D8", 8, 6, {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
    {"C3D20", 20, 6, {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
    {"C3D6", 6, 5, {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
    {"C3D15", 15, 5, {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
};

/* The value of KEY=VALUE in a line of keywords, in out; 0: there is none */
static int keyword(const char *line, const char *key, char *out, size_t size)
{
    for (const char *p = strchr(line, ','); p; p = strchr(p + 1, ',')) {
        const char *word = p + 1 + strspn(p + 1, " \t");
        size_t n = strlen(key);
        if (strncasecmp(word, key, n) != 0) continue;
        const char *value = word + n + strspn(word + n, " \t");
        if (*value != '=') {
            out[0] = 0;
            if (*value == 0 || *value == ',') return 1;
            continue;
        }
        value += 1 + strspn(value + 1, " \t\"");
        n = strcspn(value, ",\"\r\n");
        while (n && isspace((unsigned char)value[n - 1])) n--;
        snprintf(out, size, "%.*s", (int)n, value);
        return 1;
    }
    return 0;
}

static sn_status find_set(reader *r, const char *name, int *at)
{
    sn_fe_mesh *m = r->m;
    for (*at = 0; *at < m->n_set; ++*at)
        if (!strcasecmp(m->set[*at].name, name)) return SN_OK;
    if (sn_grow(&m->set, &m->cap_set, m->n_set + 1, sizeof *m->set)) return SN_OUT_OF_MEM(r->err);
    m->set[m->n_set] = (sn_fe_set){.name = sn_arena_strndup(r->arena, name, strlen(name))};
    return m->set[m->n_set++].name ? SN_OK : SN_OUT_OF_MEM(r->err);
}

static sn_status put_in_set(reader *r, int set, int id)
{
    sn_fe_set *s = &r->m->set[set];
    if (sn_grow(&s->node, &s->cap, s->n + 1, sizeof *s->node)) return SN_OUT_OF_MEM(r->err);
    s->node[s->n++] = id; /* becomes an index when all nodes are known */
    return SN_OK;
}

static sn_status begin_section(reader *r, const char *line, section *s)
{
    char name[200];
    *s = (section){.what = NOTHING, .set = -1};
    if (!strncasecmp(line, "*NODE", 5) && (line[5] == 0 || line[5] == ',' || isspace((unsigned char)line[5])))
        s->what = NODES;
    else if (!strncasecmp(line, "*NSET", 5))
        s->what = SET;
    else if (!strncasecmp(line, "*ELEMENT", 8) && (line[8] == ',' || line[8] == ' ')) {
        if (!keyword(line, "TYPE", name, sizeof name)) return SN_OK;
        size_t best = 0;
        for (size_t i = 0; i < sizeof solids / sizeof *solids; i++) {
            const size_t n = strlen(solids[i].name);
            if (!strncasecmp(name, solids[i].name, n) && n > best) best = n, s->element = &solids[i];
        }
        if (s->element) s->what = ELEMENTS;
        return SN_OK;
    }
    if (s->what && keyword(line, "NSET", name, sizeof name)) SN_TRY(find_set(r, name, &s->set));
    s->generate = s->what == SET && keyword(line, "GENERATE", name, sizeof name);
    return SN_OK;
}

static sn_status take_node(reader *r, sn_lines *l, const section *s, char *line)
{
    double id, x[3] = {0, 0, 0};
    if (!sn_lines_number(&line, &id) || id < 1 || id > INT_MAX || id != floor(id))
        return sn_lines_fail(l, "the number of a node is expected");
    for (int k = 0; k < 3 && *line; k++)
        if (!sn_lines_number(&line, &x[k]) || !isfinite(x[k]))
            return sn_lines_fail(l, "a coordinate is not a number");
    if (add_node(r->m, (int)id, x)) return SN_OUT_OF_MEM(r->err);
    return s->set >= 0 ? put_in_set(r, s->set, (int)id) : SN_OK;
}

static sn_status take_set(reader *r, sn_lines *l, const section *s, char *line)
{
    double x[3] = {0, 0, 1};
    int n = 0;
    while (*line) {
        double id;
        if (!sn_lines_number(&line, &id)) return SN_OK; /* a set of sets */
        if (s->generate && n < 3) x[n++] = id;
        if (!s->generate && id >= 1 && id <= INT_MAX) SN_TRY(put_in_set(r, s->set, (int)id));
    }
    if (!s->generate || n < 2) return SN_OK;
    if (!(x[2] >= 1) || !(x[0] >= 1) || !(x[1] <= INT_MAX) || (x[1] - x[0]) / x[2] > 1e8)
        return sn_lines_fail(l, "first, last and step of a set are expected");
    for (double id = x[0]; id <= x[1]; id += x[2]) SN_TRY(put_in_set(r, s->set, (int)id));
    return SN_OK;
}

static int ascending(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static sn_status take_element(reader *r, sn_lines *l, section *s, char *line)
{
    double x;
    while (*line) {
        if (!sn_lines_number(&line, &x)) return sn_lines_fail(l, "the number of a node is expected");
        if (s->have++ == 0) continue; /* its own number */
        s->corner[s->have - 2] = (int)x;
        if (s->have <= s->element->nodes) continue;
        s->have = 0;
        for (int f = 0; f < s->element->n_face; f++) {
            const int *face = s->element->face[f];
            if (sn_grow(&r->faces, &r->cap_faces, r->n_faces + 1, sizeof *r->faces))
                return SN_OUT_OF_MEM(r->err);
            int *to = r->faces[r->n_faces++];
            for (int c = 0; c < 4; c++) to[c] = face[c] < 0 ? -1 : s->corner[face[c]];
            to[4] = r->n_faces;
        }
    }
    return SN_OK;
}

static sn_status read_lines(reader *r, const char *path);

static sn_status include(reader *r, sn_lines *l, const char *line)
{
    char name[SN_PATH], path[2 * SN_PATH];
    const char *slash = strrchr(l->path, '/');
    if (!keyword(line, "INPUT", name, sizeof name)) return SN_OK;
    if (r->depth > 8) return sn_lines_fail(l, "files include each other too deeply");
    snprintf(path, sizeof path, "%.*s%s", name[0] == '/' || !slash ? 0 : (int)(slash + 1 - l->path), l->path,
             name);
    return read_lines(r, path);
}

static sn_status read_lines(reader *r, const char *path)
{
    sn_lines l;
    section s = {.what = NOTHING};
    r->depth++;
    sn_status status = sn_lines_open(&l, path, r->err);
    for (char *line; !status && (line = sn_lines_next(&l));) {
        line += strspn(line, " \t");
        if (!*line || !strncmp(line, "**", 2)) continue;
        if (!strncasecmp(line, "*INCLUDE", 8))
            status = include(r, &l, line);
        else if (*line == '*')
            status = begin_section(r, line, &s);
        else if (s.what == NODES)
            status = take_node(r, &l, &s, line);
        else if (s.what == SET && s.set >= 0)
            status = take_set(r, &l, &s, line);
        else if (s.what == ELEMENTS)
            status = take_element(r, &l, &s, line);
    }
    sn_lines_close(&l);
    r->depth--;
    return status;
}

/* Faces that one element has alone are outer ones */
typedef struct key {
    int corner[4], face;
} key;

static int by_corners(const void *a, const void *b)
{
    const key *x = a, *y = b;
    for (int c = 0; c < 4; c++)
        if (x->corner[c] != y->corner[c]) return x->corner[c] < y->corner[c] ? -1 : 1;
    return (x->face > y->face) - (x->face < y->face);
}

static int same_corners(const key *x, const key *y)
{
    return !memcmp(x->corner, y->corner, sizeof x->corner);
}

static sn_status outer_faces(reader *r)
{
    const int n = r->n_faces;
    sn_fe_mesh *m = r->m;
    key *k = sn_alloc((size_t)n + 1, sizeof *k);
    sn_status s = k ? SN_OK : SN_OUT_OF_MEM(r->err);
    for (int i = 0; i < n && !s; i++) {
        memcpy(k[i].corner, r->faces[i], sizeof k[i].corner);
        qsort(k[i].corner, 4, sizeof(int), ascending);
        k[i].face = i;
    }
    if (!s) qsort(k, (size_t)n, sizeof *k, by_corners);
    for (int i = 0; i < n && !s; i++) {
        if ((i && same_corners(&k[i], &k[i - 1])) || (i + 1 < n && same_corners(&k[i], &k[i + 1]))) continue;
        if (sn_grow(&m->face, &m->cap_face, m->n_face + 1, sizeof *m->face)) s = SN_OUT_OF_MEM(r->err);
        for (int c = 0; c < 4 && !s; c++) {
            const int id = r->faces[k[i].face][c], at = id < 0 ? -1 : sn_fe_mesh_find(m, id);
            if (id >= 0 && at < 0)
                s = sn_fail(r->err, SN_ERR_INPUT, NULL, "an element has the node %d, which there is not", id);
            m->face[m->n_face][c] = at;
        }
        m->n_face++;
    }
    sn_free(k);
    return s;
}

/* Numbers of nodes into indices, each once */
static sn_status settle_sets(reader *r)
{
    for (int i = 0; i < r->m->n_set; i++) {
        sn_fe_set *s = &r->m->set[i];
        int n = 0;
        if (s->n) qsort(s->node, (size_t)s->n, sizeof *s->node, ascending);
        for (int k = 0; k < s->n; k++) {
            const int at = sn_fe_mesh_find(r->m, s->node[k]);
            if (at < 0)
                return sn_fail(r->err, SN_ERR_INPUT, NULL, "the set '%s' has the node %d, which there is not",
                               s->name, s->node[k]);
            if (!n || s->node[n - 1] != at) s->node[n++] = at;
        }
        s->n = n;
    }
    return SN_OK;
}

sn_status sn_fe_read_inp(const char *path, sn_arena *arena, sn_fe_mesh *m, sn_err *err)
{
    reader r = {.m = m, .arena = arena, .err = err};
    int twice = 0;
    sn_status s = read_lines(&r, path);
    if (!s && !m->n_node) s = sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = path}, "has no nodes");
    if (!s && sn_fe_mesh_sort(m, &twice)) s = SN_OUT_OF_MEM(err);
    if (!s && twice) s = sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = path}, "node %d comes twice", twice);
    if (!s) s = settle_sets(&r);
    if (!s) s = outer_faces(&r);
    sn_free(r.faces);
    return s;
}

/* ---- a table ---- */

sn_status sn_fe_mesh_add(sn_fe_mesh *m, const double *row, const char *path, sn_err *err)
{
    const sn_mark mark = {.file = path};
    const int n = m->n_node;
    if (!(row[0] >= 0 && row[0] < INT_MAX) || row[0] != floor(row[0]) || !isfinite(row[1] + row[2] + row[3]))
        return sn_fail(err, SN_ERR_INPUT, &mark, "row %d has no number or place of a node", n + 1);
    if (n && row[0] <= m->id[n - 1])
        return sn_fail(err, SN_ERR_INPUT, &mark, "row %d: the numbers of nodes ascend", n + 1);
    return add_node(m, (int)row[0], row + 1) ? SN_OUT_OF_MEM(err) : SN_OK;
}

sn_status sn_fe_read_csv(const char *path, sn_arena *arena, sn_fe_mesh *m, sn_err *err)
{
    static const char *const name[5] = {"id", "x", "y", "z", "dofs"};
    const sn_mark mark = {.file = path};
    sn_csv *csv;
    int at[5], twice;
    SN_TRY(sn_csv_read(path, arena, &csv, err));
    for (int k = 0; k < 5; k++) {
        at[k] = csv->names ? sn_csv_column(csv, name[k]) : k < csv->cols ? k : -1;
        if (k < 4 && at[k] < 0)
            return sn_fail(err, SN_ERR_INPUT, &mark,
                           "has no column '%s': columns are id, x, y, z and perhaps dofs", name[k]);
    }
    for (int i = 0; i < csv->rows; i++) {
        double v[4];
        for (int k = 0; k < 4; k++) v[k] = csv->data[at[k] * csv->rows + i];
        SN_TRY(sn_fe_mesh_add(m, v, path, err));
    }
    if (!m->n_node) return sn_fail(err, SN_ERR_INPUT, &mark, "has no nodes");
    if (sn_fe_mesh_sort(m, &twice)) return SN_OUT_OF_MEM(err);
    if (at[4] < 0) return SN_OK;
    if (!SN_NEW(m->number, m->n_node)) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < m->n_node; i++) {
        const double n = csv->data[at[4] * csv->rows + i];
        if (n != 3 && n != 6)
            return sn_fail(err, SN_ERR_INPUT, &mark, "row %d: a node has 3 or 6 coordinates", i + 1);
        m->number[i] = (int)n;
    }
    return SN_OK;
}
