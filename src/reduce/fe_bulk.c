/* Nastran's bulk data: GRID and DMIG entries in fields of 8 or 16 columns, or with commas. All other entries
   are passed over. MSC Nastran Quick Reference Guide, "Bulk Data Entries". */
#include "reduce/fe_files.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FIELD = 24, FIELDS = 8 };

/* A line: its name (empty: it continues the one before) and its fields, four of 16 columns or eight */
typedef struct card {
    char name[FIELD], field[FIELDS][FIELD];
    int n, long_line;
} card;

static void take_field(const char *from, size_t n, char *to)
{
    while (n && isspace((unsigned char)*from)) from++, n--;
    while (n && isspace((unsigned char)from[n - 1])) n--;
    snprintf(to, FIELD, "%.*s", (int)(n < FIELD - 1 ? n : FIELD - 1), from);
}

/* Tabs lead to the next of every eight columns */
static void expand(const char *line, char *out, size_t size)
{
    size_t n = 0;
    for (; *line && *line != '$' && n + 9 < size; line++)
        if (*line == '\t') do
                out[n++] = ' ';
            while (n % 8);
        else
            out[n++] = *line;
    out[n] = 0;
}

static void split_commas(const char *line, card *c)
{
    size_t n = strcspn(line, ",");
    take_field(line, n, c->name);
    c->n = FIELDS;
    for (int i = 0; i < FIELDS; i++) {
        line += n + (line[n] != 0);
        n = strcspn(line, ",");
        take_field(line, n, c->field[i]);
    }
    /* the tenth field names the line that continues this one */
    line += n + (line[n] != 0);
    c->long_line = strchr(line, ',') != NULL;
}

static void split_columns(const char *line, card *c)
{
    const size_t length = strlen(line);
    take_field(line, length < 8 ? length : 8, c->name);
    const int wide = strchr(c->name, '*') != NULL;
    const size_t width = wide ? 16 : 8;
    c->n = wide ? 4 : 8;
    for (size_t i = 0; i < (size_t)c->n; i++) {
        const size_t at = 8 + i * width;
        if (at >= length)
            c->field[i][0] = 0;
        else
            take_field(line + at, length - at < width ? length - at : width, c->field[i]);
    }
}

/* The next line with fields; 0: the end. Names lose their star, those of continuations are empty. */
static int next_card(sn_lines *l, card *c)
{
    char text[200], *line;
    *c = (card){.n = 0};
    while ((line = sn_lines_next(l))) {
        expand(line, text, sizeof text);
        if (!text[strspn(text, " ")]) continue;
        if (strchr(text, ','))
            split_commas(text, c);
        else
            split_columns(text, c);
        if (!strncasecmp(c->name, "ENDDATA", 7)) return 0;
        if (c->name[0] == '+' || c->name[0] == '*') c->name[0] = 0;
        c->name[strcspn(c->name, "*")] = 0;
        return 1;
    }
    return 0;
}

/* 1.5, 1.5E+3, 1.5D+3 or 1.5+3; an empty field is 0 */
static int real(const char *field, double *x)
{
    char text[2 * FIELD], *end;
    size_t n = 0;
    for (const char *p = field; *p; p++) {
        const int sign = *p == '+' || *p == '-';
        if (sign && p > field && !strchr("eEdD", p[-1])) text[n++] = 'e';
        text[n++] = *p == 'd' || *p == 'D' ? 'e' : *p;
    }
    text[n] = 0;
    *x = strtod(text, &end);
    return !*end && isfinite(*x);
}

static int whole(const char *field, int *i)
{
    char *end;
    const long x = strtol(field, &end, 10);
    *i = (int)x;
    return !*end && x >= 0 && x < INT_MAX;
}

/* ---- nodes ---- */

static sn_status take_grid(sn_lines *l, const card *c, int part, double *row, sn_fe_mesh *m)
{
    int id, axes;
    char text[160];
    for (int i = 0; i < c->n; i++) {
        const int f = part * 4 + i; /* ID CP X1 X2 X3 CD */
        if (f == 0 && (!whole(c->field[i], &id) || !id))
            return sn_lines_fail(l, "the number of a node is expected");
        if (f == 0) row[0] = id;
        if ((f == 1 || f == 5) && (!whole(c->field[i], &axes) || axes)) {
            snprintf(text, sizeof text,
                     "node %.0f has axes of its own (%s %.16s): nodes of a body share those of all", row[0],
                     f == 1 ? "CP" : "CD", c->field[i]);
            return sn_lines_fail(l, text);
        }
        if (f >= 2 && f <= 4 && !real(c->field[i], &row[f - 1]))
            return sn_lines_fail(l, "a coordinate is not a number");
    }
    return part == 0 ? sn_fe_mesh_put(m, row, l->err) : SN_OK;
}

sn_status sn_fe_read_grids(const char *path, sn_fe_mesh *m, sn_err *err)
{
    sn_lines l;
    card c;
    double row[4] = {0};
    int within = 0, twice;
    sn_status s = sn_lines_open(&l, path, err);
    while (!s && next_card(&l, &c)) {
        const int begins = !strcasecmp(c.name, "GRID");
        if (!begins && c.name[0]) within = 0;
        if (begins) within = 1, memset(row, 0, sizeof row);
        /* four fields and the rest in the next line: the place is complete then */
        if (begins) s = take_grid(&l, &c, 0, row, m);
        if (!begins && !c.name[0] && within == 1 && m->n_node) {
            s = take_grid(&l, &c, 1, row, m);
            memcpy(m->X + 3 * (m->n_node - 1), row + 1, 3 * sizeof *row);
            within = 0;
        }
    }
    l.line = 0;
    if (!s && !m->n_node) s = sn_lines_fail(&l, "has no GRID entries");
    if (!s && sn_fe_mesh_sort(m, &twice)) s = SN_OUT_OF_MEM(err);
    if (!s && twice) s = sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = path}, "node %d comes twice", twice);
    sn_lines_close(&l);
    return s;
}

/* ---- matrices ---- */

typedef struct dmig {
    sn_lines lines;
    const sn_fe_mesh *mesh;
    const char *wanted; /* or NULL */
    char name[FIELD], other[FIELD];
    int form, column; /* 6: one triangle; where numbers go, -1: nowhere */
    sn_triplets *t;
} dmig;

static sn_status fail(dmig *d, const char *format, int node)
{
    char text[160];
    snprintf(text, sizeof text, format, node);
    return sn_lines_fail(&d->lines, text);
}

/* 6 node + direction of two fields */
static sn_status place(dmig *d, const char *node, const char *direction, int *at)
{
    int id, c;
    if (!whole(node, &id) || !whole(direction, &c) || c > 6)
        return sn_lines_fail(&d->lines, "a node and a direction from 1 to 6 are expected");
    if (!c) return fail(d, "%d is a scalar point: bodies consist of nodes that have a place", id);
    const int i = sn_fe_mesh_find(d->mesh, id);
    if (i < 0) return fail(d, "there is no node %d", id);
    *at = 6 * i + c - 1;
    return SN_OK;
}

/* NAME 0 FORM TYPE */
static sn_status take_head(dmig *d, const card *c)
{
    int type;
    if (d->form) return sn_lines_fail(&d->lines, "the head of this matrix comes twice");
    if (!whole(c->field[2], &d->form) || !whole(c->field[3], &type))
        return sn_lines_fail(&d->lines, "the form and the type of the matrix are expected");
    if (d->form != 1 && d->form != 6)
        return sn_lines_fail(&d->lines, "the matrix is neither square (form 1) nor symmetric (6)");
    if (type != 1 && type != 2) return sn_lines_fail(&d->lines, "its numbers are not real (type 1 or 2)");
    return SN_OK;
}

/* node, direction, number, imaginary part */
static sn_status take_number(dmig *d, char (*field)[FIELD])
{
    double x, rest;
    int at;
    if (!field[0][0] && !field[1][0] && !field[2][0]) return SN_OK;
    SN_TRY(place(d, field[0], field[1], &at));
    if (!real(field[2], &x) || !real(field[3], &rest) || rest != 0)
        return sn_lines_fail(&d->lines, "a real number is expected");
    sn_status s = sn_triplets_add(d->t, at, d->column, x);
    if (!s && d->form == 6 && at != d->column) s = sn_triplets_add(d->t, d->column, at, x);
    return s ? SN_OUT_OF_MEM(d->lines.err) : SN_OK;
}

/* Whether a line belongs to the matrix that is wanted, or to the only one that there is */
static sn_status is_meant(dmig *d, const char *name, int *yes)
{
    char text[160];
    *yes = !strcasecmp(name, d->wanted ? d->wanted : d->name);
    if (*yes || d->wanted) return SN_OK;
    if (d->name[0]) {
        snprintf(text, sizeof text, "there are several matrices, '%.8s' and '%.8s': say which, FILE:%.8s",
                 d->name, name, name);
        return sn_lines_fail(&d->lines, text);
    }
    snprintf(d->name, sizeof d->name, "%s", name);
    *yes = 1;
    return SN_OK;
}

static sn_status take_dmig(dmig *d, card *c)
{
    int yes = 1, first = 0;
    if (c->long_line && (!c->name[0] ? d->column >= 0 : !strcasecmp(c->name, "DMIG")))
        return sn_lines_fail(&d->lines, "a line has more than ten fields");
    if (c->name[0]) {
        d->column = -1;
        if (strcasecmp(c->name, "DMIG")) return SN_OK;
        SN_TRY(is_meant(d, c->field[0], &yes));
        if (!yes) return SN_OK;
        if (!strcmp(c->field[1], "0")) return take_head(d, c);
        if (!d->form) return sn_lines_fail(&d->lines, "the head of the matrix, DMIG NAME 0, is missing");
        SN_TRY(place(d, c->field[1], c->field[2], &d->column));
        first = 4;
    }
    for (int i = first; d->column >= 0 && i + 4 <= c->n; i += 4) SN_TRY(take_number(d, c->field + i));
    return SN_OK;
}

sn_status sn_fe_read_dmig(const char *path, const char *name, const sn_fe_mesh *m, sn_triplets *out,
                          sn_err *err)
{
    dmig d = {.mesh = m, .wanted = name, .column = -1, .t = out};
    card c;
    sn_status s = sn_lines_open(&d.lines, path, err);
    while (!s && next_card(&d.lines, &c)) s = take_dmig(&d, &c);
    d.lines.line = 0;
    if (!s && !d.form)
        s = sn_lines_fail(&d.lines, name ? "has no matrix of that name" : "has no DMIG entries");
    if (!s && !out->n) s = sn_lines_fail(&d.lines, "the matrix has no entries");
    int row, col;
    const sn_status once = s ? SN_OK : sn_triplets_once(out, &row, &col);
    if (once == SN_ERR_MEMORY) s = SN_OUT_OF_MEM(err);
    if (once == SN_ERR_INPUT) {
        char text[160];
        snprintf(text, sizeof text, "%s %d.%d, %d.%d",
                 d.form == 6 ? "an entry comes twice, perhaps in both triangles of a symmetric matrix:"
                             : "an entry comes twice:",
                 m->id[row / 6], row % 6 + 1, m->id[col / 6], col % 6 + 1);
        s = sn_lines_fail(&d.lines, text);
    }
    sn_lines_close(&d.lines);
    return s;
}
