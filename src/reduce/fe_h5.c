/* Matrices and nodes from HDF5: datasets, and groups that hold a sparse matrix as scipy and anndata name its
   parts. Whole files are trusted to be what their programs wrote; numbers in them are not. */
#include "base/h5.h"
#include "reduce/fe_files.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Nothing that HDF5's own filters make smaller becomes smaller than by this factor: deflate's limit is 1032
 */
enum { MOST_PACKED = 1100 };

typedef struct source {
    sn_h5_file file;
    const char *object; /* its path in the file */
    sn_arena *arena;
    sn_err *err;
} source;

/* A dataset in memory: numbers, or whole ones */
typedef struct numbers {
    const char *path;
    int rank;
    hsize_t dim[2];
    int n;
    double *x;
    int64_t *whole;
} numbers;

typedef struct matrix {
    int rows, cols;
    sn_triplets t;
} matrix;

__attribute__((format(printf, 3, 4))) static sn_status wrong(const source *s, const char *path,
                                                             const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sn_fail(s->err, SN_ERR_INPUT, &(sn_mark){.file = s->file.name}, "'%s' %s", path, text);
}

/* ---- datasets ---- */

static void numbers_free(numbers *v)
{
    sn_free(v->x), sn_free(v->whole);
    v->x = NULL, v->whole = NULL;
}

static sn_status find(const source *s, const char *path, int *exists)
{
    return sn_h5_find(&s->file, path, exists, s->err);
}

/* Its numbers lie in this file. That is asked first: HDF5 looks for parts in other files when it is asked for
   sizes. */
static sn_status check_stored(const source *s, const char *path, hid_t set)
{
    hid_t list = H5Dget_create_plist(set);
    const H5D_layout_t layout = H5Pget_layout(list);
    const int outside = H5Pget_external_count(list) != 0;
    sn_h5_drop(list);
    if (outside || layout == H5D_VIRTUAL) return wrong(s, path, "has its numbers in another file");
    if (layout < 0) return sn_h5_fail(s->err, s->file.name, "'%s' cannot be read", path);
    return SN_OK;
}

/* Rank, sizes and type; memory is asked for only what the file can hold */
static sn_status check_form(const source *s, hid_t set, int whole, numbers *v)
{
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const H5T_class_t class = H5Tget_class(type);
    const size_t size = H5Tget_size(type);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank == v->rank) H5Sget_simple_extent_dims(space, v->dim, NULL);
    sn_h5_drop(space);
    sn_h5_drop(type);
    if (class != H5T_INTEGER && (whole || class != H5T_FLOAT))
        return wrong(s, v->path, "is not of %s numbers", whole ? "whole" : "real");
    if (rank != v->rank)
        return wrong(s, v->path, "has %d dimension%s, expected %s %d", rank, rank == 1 ? "" : "s",
                     v->rank == 1 ? "is" : "are", v->rank);
    hsize_t n = 1;
    for (int i = 0; i < rank; i++) {
        if (v->dim[i] >= INT_MAX || n * v->dim[i] >= INT_MAX) return wrong(s, v->path, "is too large");
        n *= v->dim[i];
    }
    if (!size || n > (hsize_t)s->file.bytes * MOST_PACKED / size)
        return wrong(s, v->path, "claims to be larger than the file");
    v->n = (int)n;
    if (n && !H5Dget_storage_size(set))
        return wrong(s, v->path, "was never written: the file has no numbers");
    return SN_OK;
}

static sn_status read_opened(const source *s, hid_t set, int whole, numbers *v)
{
    SN_TRY(check_stored(s, v->path, set));
    SN_TRY(check_form(s, set, whole, v));
    void *to = whole ? (void *)SN_NEW(v->whole, v->n + 1) : (void *)SN_NEW(v->x, v->n + 1);
    if (!to) return SN_OUT_OF_MEM(s->err);
    hid_t type = whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
    if (v->n && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) < 0)
        return sn_h5_fail(s->err, s->file.name, "'%s' cannot be read", v->path);
    for (int i = 0; !whole && i < v->n; i++)
        if (!isfinite(v->x[i])) return wrong(s, v->path, "has a number that is not finite");
    return SN_OK;
}

/* The dataset at v->path with v->rank dimensions */
static sn_status read_set(const source *s, int whole, numbers *v)
{
    int exists;
    SN_TRY(find(s, v->path, &exists));
    if (!exists)
        return sn_fail(s->err, SN_ERR_INPUT, &(sn_mark){.file = s->file.name}, "has no '%s'", v->path);
    hid_t set = H5Oopen(s->file.id, v->path, H5P_DEFAULT);
    sn_status status = set >= 0 && H5Iget_type(set) == H5I_DATASET ? read_opened(s, set, whole, v)
                                                                   : wrong(s, v->path, "is not a dataset");
    sn_h5_drop(set);
    return status;
}

/* A list that is part of a sparse matrix */
static sn_status read_part(const source *s, const char *name, int whole, numbers *v)
{
    *v = (numbers){.rank = 1, .path = sn_arena_printf(s->arena, "%s/%s", s->object, name)};
    return v->path ? read_set(s, whole, v) : SN_OUT_OF_MEM(s->err);
}

static sn_status has_part(const source *s, const char *name, int *has)
{
    const char *path = sn_arena_printf(s->arena, "%s/%s", s->object, name);
    return path ? find(s, path, has) : SN_OUT_OF_MEM(s->err);
}

/* ---- sparse matrices ---- */

/* Two whole numbers of an attribute; 0: it is not that */
static int attribute_pair(hid_t attr, int64_t *out)
{
    hid_t type = H5Aget_type(attr), space = H5Aget_space(attr);
    const int good = H5Tget_class(type) == H5T_INTEGER && H5Sget_simple_extent_npoints(space) == 2 &&
                     H5Aread(attr, H5T_NATIVE_INT64, out) >= 0;
    sn_h5_drop(space);
    sn_h5_drop(type);
    return good;
}

static sn_status read_shape(const source *s, hid_t group, matrix *m)
{
    int64_t n[2] = {0, 0};
    int has, good = 0;
    if (H5Aexists(group, "shape") > 0) {
        hid_t attr = H5Aopen(group, "shape", H5P_DEFAULT);
        good = attr >= 0 && attribute_pair(attr, n);
        sn_h5_drop(attr);
    } else {
        numbers v;
        SN_TRY(has_part(s, "shape", &has));
        if (!has) return wrong(s, s->object, "has no 'shape': the numbers of rows and columns");
        sn_status status = read_part(s, "shape", 1, &v);
        good = !status && v.n == 2;
        if (good) memcpy(n, v.whole, sizeof n);
        numbers_free(&v);
        SN_TRY(status);
    }
    if (!good || n[0] < 1 || n[1] < 1 || n[0] >= INT_MAX || n[1] >= INT_MAX)
        return wrong(s, s->object, "has a 'shape' that is not two numbers, of rows and columns");
    m->rows = (int)n[0], m->cols = (int)n[1];
    return SN_OK;
}

/* Whether the text of an attribute begins with csc: csc, csc_matrix */
static int attribute_is_csc(hid_t group, const char *name)
{
    char text[64] = "", *own = NULL;
    if (H5Aexists(group, name) <= 0) return 0;
    hid_t attr = H5Aopen(group, name, H5P_DEFAULT), type = H5Aget_type(attr), space = H5Aget_space(attr);
    if (H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1) {
        if (H5Tis_variable_str(type) > 0) {
            if (H5Aread(attr, type, &own) >= 0 && own) snprintf(text, sizeof text, "%s", own);
            if (own) H5free_memory(own);
        } else if (H5Tget_size(type) < sizeof text && H5Aread(attr, type, text) < 0) {
            text[0] = 0;
        }
    }
    sn_h5_drop(space);
    sn_h5_drop(type);
    sn_h5_drop(attr);
    return !strncmp(text, "csc", 3);
}

static sn_status same_length(const source *s, const numbers *a, const numbers *b)
{
    return a->n == b->n ? SN_OK : wrong(s, a->path, "has %d numbers, '%s' has %d", a->n, b->path, b->n);
}

static sn_status in_range(const source *s, const numbers *v, int end)
{
    for (int i = 0; i < v->n; i++)
        if (v->whole[i] < 0 || v->whole[i] >= end)
            return wrong(s, v->path, "has the index %lld: they go from 0 to %d", (long long)v->whole[i],
                         end - 1);
    return SN_OK;
}

/* Where the rows (or columns) begin and end among the entries */
static sn_status check_begins(const source *s, const numbers *begin, int lines, int entries)
{
    if (begin->n != lines + 1)
        return wrong(s, begin->path, "has %d numbers, the shape asks for %d", begin->n, lines + 1);
    for (int i = 0; i < lines; i++)
        if (begin->whole[i] > begin->whole[i + 1]) return wrong(s, begin->path, "does not ascend");
    if (begin->whole[0] != 0 || begin->whole[lines] != entries)
        return wrong(s, begin->path, "does not go from 0 to the number of entries, %d", entries);
    return SN_OK;
}

static sn_status put_compressed(const source *s, const numbers v[3], int csc, matrix *m)
{
    const numbers *x = &v[0], *index = &v[1], *begin = &v[2];
    const int lines = csc ? m->cols : m->rows;
    SN_TRY(same_length(s, index, x));
    SN_TRY(check_begins(s, begin, lines, x->n));
    SN_TRY(in_range(s, index, csc ? m->rows : m->cols));
    for (int i = 0; i < lines; i++)
        for (int64_t e = begin->whole[i]; e < begin->whole[i + 1]; e++) {
            const int j = (int)index->whole[e];
            if (sn_triplets_add(&m->t, csc ? j : i, csc ? i : j, x->x[e])) return SN_OUT_OF_MEM(s->err);
        }
    return SN_OK;
}

static sn_status put_triplets(const source *s, const numbers v[3], matrix *m)
{
    const numbers *x = &v[0], *row = &v[1], *col = &v[2];
    SN_TRY(same_length(s, row, x));
    SN_TRY(same_length(s, col, x));
    SN_TRY(in_range(s, row, m->rows));
    SN_TRY(in_range(s, col, m->cols));
    for (int e = 0; e < x->n; e++)
        if (sn_triplets_add(&m->t, (int)row->whole[e], (int)col->whole[e], x->x[e]))
            return SN_OUT_OF_MEM(s->err);
    return SN_OK;
}

/* By columns, only where it says so; of a symmetric matrix both are the same, and nobody has to ask */
static sn_status read_group(const source *s, hid_t group, int square, matrix *m)
{
    numbers v[3] = {{0}};
    int begins, rows;
    SN_TRY(has_part(s, "indptr", &begins));
    SN_TRY(has_part(s, "row", &rows));
    if (!begins && !rows)
        return wrong(s, s->object,
                     "is a group, but no sparse matrix: data, indices, indptr or row, col, data, and shape");
    SN_TRY(read_shape(s, group, m));
    const int csc =
        !square && (attribute_is_csc(group, "format") || attribute_is_csc(group, "encoding-type"));
    sn_status status = read_part(s, "data", 0, &v[0]);
    if (!status) status = read_part(s, begins ? "indices" : "row", 1, &v[1]);
    if (!status) status = read_part(s, begins ? "indptr" : "col", 1, &v[2]);
    if (!status) status = begins ? put_compressed(s, v, csc, m) : put_triplets(s, v, m);
    for (int i = 0; i < 3; i++) numbers_free(&v[i]);
    return status;
}

/* ---- dense ones ---- */

static sn_status read_dense(const source *s, matrix *m)
{
    numbers v = {.path = s->object, .rank = 2};
    sn_status status = read_set(s, 0, &v);
    m->rows = (int)v.dim[0], m->cols = (int)v.dim[1];
    for (int i = 0; !status && i < m->rows; i++)
        for (int j = 0; !status && j < m->cols; j++) {
            const double x = v.x[(size_t)i * (size_t)m->cols + (size_t)j];
            if ((x != 0 || i == j) && sn_triplets_add(&m->t, i, j, x)) status = SN_OUT_OF_MEM(s->err);
        }
    numbers_free(&v);
    return status;
}

/* ---- files ---- */

/* "body.h5:/M", "body.h5:M" or "body.h5" */
static sn_status begin(source *s, const char *text, const char *object, const char **path)
{
    const size_t n = sn_h5_name(text);
    const char *named = text[n] == ':' ? text + n + 1 : "";
    *path = s->file.name = sn_arena_strndup(s->arena, text, n);
    s->object = !named[0] ? object : named[0] == '/' ? named : sn_arena_printf(s->arena, "/%s", named);
    return *path && s->object ? sn_h5_load(s->err) : SN_OUT_OF_MEM(s->err);
}

static sn_status read_matrix(source *s, const char *path, int square, matrix *m)
{
    int exists;
    SN_TRY(sn_h5_open_any(&s->file, path, "an HDF5 file", s->err));
    SN_TRY(find(s, s->object, &exists));
    hid_t id = exists ? H5Oopen(s->file.id, s->object, H5P_DEFAULT) : -1;
    sn_status status =
        id >= 0 && H5Iget_type(id) == H5I_GROUP ? read_group(s, id, square, m) : read_dense(s, m);
    sn_h5_drop(id);
    if (!status && !m->t.n) status = wrong(s, s->object, "has no entries");
    if (!status && square && m->rows != m->cols)
        status = wrong(s, s->object, "is %d x %d: the matrix is not square", m->rows, m->cols);
    return status;
}

sn_status sn_fe_read_h5_matrix(const char *text, const char *object, int square, sn_arena *arena,
                               sn_sparse *out, sn_err *err)
{
    source s = {.file = {.id = -1}, .arena = arena, .err = err};
    matrix m = {0};
    const char *path;
    SN_TRY(begin(&s, text, object, &path));
    sn_h5_noise noise = sn_h5_enter();
    sn_status status = read_matrix(&s, path, square, &m);
    if (s.file.id >= 0) H5Fclose(s.file.id);
    sn_h5_leave(noise);
    if (!status) status = sn_triplets_compress(arena, &m.t, m.rows, m.cols, out, err);
    sn_triplets_free(&m.t);
    return status;
}

static sn_status put_nodes(const source *s, const numbers *v, sn_fe_mesh *m)
{
    const int rows = (int)v->dim[0], cols = (int)v->dim[1];
    if (cols != 3 && cols != 4)
        return wrong(s, v->path, "is %d x %d: rows x, y, z or number, x, y, z are expected", rows, cols);
    if (!rows) return wrong(s, v->path, "has no nodes");
    for (int i = 0; i < rows; i++) {
        double row[4] = {i + 1};
        memcpy(row + 4 - cols, v->x + i * cols, sizeof *row * (size_t)cols);
        SN_TRY(sn_fe_mesh_add(m, row, s->file.name, s->err));
    }
    return SN_OK;
}

sn_status sn_fe_read_h5_nodes(const char *text, const char *object, sn_arena *arena, sn_fe_mesh *m,
                              sn_err *err)
{
    source s = {.file = {.id = -1}, .arena = arena, .err = err};
    numbers v = {.rank = 2};
    const char *path;
    SN_TRY(begin(&s, text, object, &path));
    v.path = s.object;
    sn_h5_noise noise = sn_h5_enter();
    sn_status status = sn_h5_open_any(&s.file, path, "an HDF5 file", err);
    if (!status) status = read_set(&s, 0, &v);
    if (s.file.id >= 0) H5Fclose(s.file.id);
    sn_h5_leave(noise);
    if (!status) status = put_nodes(&s, &v, m);
    numbers_free(&v);
    return status;
}
