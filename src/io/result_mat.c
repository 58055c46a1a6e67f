/* Exporting a result as a MATLAB file of level 5, which MATLAB, Octave and scipy read. One struct `result`:

     title, version, analysis, status    as in the result file
     t                                   frames x 1 (modes: frequency)
     sensors.NAME, states.q ...          frames x components
     names, units, paths                 the same fields, with a cell of texts for each component, and the
                                         path in the result file

   Fields are letters, digits and underscores, at most 63: what else is in a name becomes an underscore, names
   that fall together are numbered, words of the language get an underscore. Texts are stored as UTF-16, which
   all readers agree about. Limit: 2 GiB, that of the format. */
#include "io/mat_value.h"
#include "io/result.h"

#include "sinew/sinew.h"

#include <stdio.h>
#include <string.h>

enum { FIELD = 63 };

/* One group of columns, /sensors ..., with the names of its fields so far. */
typedef struct group {
    char field[FIELD + 1];
    matvar_t *data, *names, *units, *paths;
    char (*used)[FIELD + 1];
    int n_used;
    struct group *next;
} group;

typedef struct maker {
    sn_result_reader *r;
    sn_arena arena;
    matvar_t *result, *names, *units, *paths;
    group *groups;
} maker;

/* ---- structs ---- */

static matvar_t *new_struct(const char *name)
{
    size_t dims[2] = {1, 1};
    return Mat_VarCreateStruct(name, 2, dims, NULL, 0);
}

/* Give a new field its value, which the struct owns from then on; NULL: it could not be made. */
static int set(matvar_t *s, const char *field, matvar_t *value)
{
    if (!value) return 0;
    if (Mat_VarAddStructField(s, field) != 0) {
        Mat_VarFree(value);
        return 0;
    }
    Mat_VarSetStructFieldByName(s, field, 0, value);
    return 1;
}

static int is_keyword(const char *word)
{
    static const char all[] =
        " break case catch classdef continue do else elseif end endfor endfunction endif endswitch endwhile "
        "for "
        "function global if otherwise parfor persistent return spmd switch try until while ";
    char spaced[FIELD + 3];
    snprintf(spaced, sizeof spaced, " %s ", word);
    return strstr(all, spaced) != NULL;
}

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* A name as a field, different from those used before. */
static void make_field(const char *name, char (*used)[FIELD + 1], int n_used, char *out)
{
    char base[FIELD + 1];
    snprintf(base, sizeof base, "%s%.*s", is_letter(name[0]) ? "" : "x", FIELD - 1, name);
    for (char *p = base; *p; p++)
        if (!is_letter(*p) && !(*p >= '0' && *p <= '9')) *p = '_';
    if (is_keyword(base)) strcat(base, "_");
    memcpy(out, base, sizeof base);
    for (int i = 0, number = 2; i < n_used;) {
        if (strcmp(used[i++], out) != 0) continue;
        snprintf(out, FIELD + 1, "%.50s_%d", base, number++);
        i = 0;
    }
}

/* ---- columns ---- */

static group *find_group(maker *m, const char *path, const char **name)
{
    char text[FIELD + 1], field[FIELD + 1];
    const char *slash = strchr(path + 1, '/');
    snprintf(text, sizeof text, "%.*s", slash ? (int)(slash - path - 1) : 0, path + 1);
    *name = slash ? slash + 1 : path + 1;
    make_field(slash ? text : "other", NULL, 0, field);
    for (group *g = m->groups; g; g = g->next)
        if (strcmp(g->field, field) == 0) return g;
    group *g = sn_arena_alloc(&m->arena, 1, sizeof *g);
    if (!g) return NULL;
    g->used = sn_arena_alloc(&m->arena, (size_t)sn_result_reader_columns(m->r), sizeof *g->used);
    memcpy(g->field, field, sizeof field);
    if (!g->used || !set(m->result, field, g->data = new_struct(NULL)) ||
        !set(m->names, field, g->names = new_struct(NULL)) ||
        !set(m->units, field, g->units = new_struct(NULL)) ||
        !set(m->paths, field, g->paths = new_struct(NULL)))
        return NULL;
    g->next = m->groups;
    m->groups = g;
    return g;
}

/* The numbers of a column (-1: the coordinate), component after component as MATLAB has them. */
static sn_status new_numbers(maker *m, int column, int width, matvar_t **out, sn_err *err)
{
    const size_t n = (size_t)sn_result_reader_frames(m->r), w = (size_t)width;
    size_t dims[2] = {n, w};
    double *row = sn_alloc(n * w + 1, sizeof *row), *x = sn_arena_alloc(&m->arena, n * w + 1, sizeof *x);
    sn_status s = row && x ? SN_OK : SN_OUT_OF_MEM(err);
    if (s == SN_OK) s = sn_result_reader_get(m->r, column, 0, (int)n, row, err);
    for (size_t i = 0; s == SN_OK && i < n; i++)
        for (size_t k = 0; k < w; k++) x[k * n + i] = row[i * w + k];
    sn_free(row);
    SN_TRY(s);
    *out = Mat_VarCreate(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, x, MAT_F_DONT_COPY_DATA);
    return *out ? SN_OK : SN_OUT_OF_MEM(err);
}

static sn_status add_column(maker *m, int i, sn_err *err)
{
    const sn_result_column *c = sn_result_reader_column(m->r, i);
    const char *name;
    group *g = find_group(m, c->path, &name);
    matvar_t *numbers;
    if (!g) return SN_OUT_OF_MEM(err);
    char *field = g->used[g->n_used];
    make_field(name, g->used, g->n_used, field);
    g->n_used++;
    SN_TRY(new_numbers(m, i, c->width, &numbers, err));
    if (!set(g->data, field, numbers) ||
        !set(g->names, field, sn_mat_texts(&m->arena, NULL, c->width, c->components)) ||
        !set(g->units, field, sn_mat_texts(&m->arena, NULL, c->width, c->units)) ||
        !set(g->paths, field, sn_mat_text(&m->arena, NULL, c->path)))
        return SN_OUT_OF_MEM(err);
    return SN_OK;
}

static sn_status check_size(sn_result_reader *r, sn_err *err)
{
    const double limit = 2147483647, part = 1024; /* bytes; of each column's names and tags, at least */
    double row = 8, texts = 0;
    for (int i = 0; i < sn_result_reader_columns(r); i++) {
        row += 8.0 * sn_result_reader_column(r, i)->width;
        texts += part + 256.0 * sn_result_reader_column(r, i)->width;
    }
    if (row * sn_result_reader_frames(r) + texts < limit) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = sn_result_reader_path(r)},
                   "is too large for a MATLAB file (2 GiB); MATLAB's h5read reads the result itself");
}

static sn_status build(maker *m, sn_err *err)
{
    static const char *const text[] = {"title", "version", "analysis"};
    const char *unit, *path = sn_result_reader_frame_name(m->r, &unit);
    const char *axis = strcmp(path, "/time") == 0 ? "t" : "frequency";
    double status = sn_result_reader_status(m->r);
    size_t one[2] = {1, 1};
    matvar_t *t;
    if (!(m->result = new_struct("result"))) return SN_OUT_OF_MEM(err);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        char at[16];
        snprintf(at, sizeof at, "@%s", text[i]);
        const char *value = sn_result_reader_text(m->r, at);
        if (!set(m->result, text[i], sn_mat_text(&m->arena, NULL, value ? value : "")))
            return SN_OUT_OF_MEM(err);
    }
    if (!set(m->result, "status", Mat_VarCreate(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one, &status, 0)))
        return SN_OUT_OF_MEM(err);
    SN_TRY(new_numbers(m, -1, 1, &t, err));
    if (!set(m->result, axis, t) || !set(m->result, "names", m->names = new_struct(NULL)) ||
        !set(m->result, "units", m->units = new_struct(NULL)) ||
        !set(m->result, "paths", m->paths = new_struct(NULL)) ||
        !set(m->units, axis, sn_mat_text(&m->arena, NULL, unit ? unit : "")) ||
        !set(m->paths, axis, sn_mat_text(&m->arena, NULL, path)))
        return SN_OUT_OF_MEM(err);
    for (int i = 0; i < sn_result_reader_columns(m->r); i++) SN_TRY(add_column(m, i, err));
    return SN_OK;
}

sn_status sn_result_export_mat(sn_result_reader *r, const char *path, sn_err *err)
{
    maker m = {.r = r};
    SN_TRY(check_size(r, err));
    SN_TRY(sn_mat_load(err));
    sn_mat_enter();
    sn_status s = build(&m, err);
    const char *input = sn_result_reader_path(r);
    const sn_mat_file to = {path, 1, &input};
    if (s == SN_OK) s = sn_mat_write(&to, 1, &m.result, err);
    if (m.result) Mat_VarFree(m.result);
    sn_mat_leave();
    sn_arena_free(&m.arena);
    return s;
}
