/* Reading results, whole or partial. The file is trusted in nothing: every type, size and place is checked
   before numbers are read into memory. What HDF5 itself needs to find its way is protected by its checksums,
   since only its newer format is let in (see docs/results.md). */
#include "io/result.h"

#include "base/h5.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

/* What has been asked for stays with the reader, and is read once. */
typedef struct cached_text {
    const char *path, *text;
    struct cached_text *next;
} cached_text;

typedef struct cached_table {
    const char *path;
    sn_result_table table;
    struct cached_table *next;
} cached_table;

typedef struct cached_label {
    const char *path, *name;
    int n;
    const char *const *text;
    struct cached_label *next;
} cached_label;

struct sn_result_reader {
    sn_h5_file file;
    sn_arena arena; /* of all names and texts */
    int frames, room, status, n_columns;
    const char *frame_name, *frame_unit;
    sn_result_column *column;
    cached_text *texts;
    cached_table *tables;
    cached_label *labels;
};

static sn_status fail(const sn_result_reader *r, sn_err *err, const char *what)
{
    return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = r->file.name}, "%s", what);
}

/* A text attribute; NULL: absent, or a list. */
static sn_status get_text(sn_result_reader *r, hid_t owner, const char *name, const char **out, sn_err *err)
{
    const char *const *text;
    int n;
    SN_TRY(sn_h5_get_texts(&r->file, owner, name, &r->arena, &n, &text, err));
    *out = n == 1 ? text[0] : NULL;
    return SN_OK;
}

static sn_status too_old(const sn_result_reader *r, int version, sn_err *err)
{
    return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = r->file.name},
                   "was written by an older sinew (format version %d): run the model again", version);
}

static sn_status check_format(sn_result_reader *r, sn_err *err)
{
    const char *format = NULL;
    if (H5Aexists(r->file.id, "format") < 0)
        return sn_h5_fail(err, r->file.name, "damaged: cannot be opened");
    int version = sn_h5_get_int(&r->file, "format_version");
    const sn_mark mark = {.file = r->file.name};
    if (version == 1) return too_old(r, version, err); /* its texts are not safe to read */
    sn_status s = get_text(r, r->file.id, "format", &format, NULL);
    if (s == SN_ERR_MEMORY) return SN_OUT_OF_MEM(err);
    if (s != SN_OK || !format || strcmp(format, "sinew-result") != 0)
        return fail(r, err, "is an HDF5 file, but not a result of sinew");
    if (version < 1) return fail(r, err, "damaged: has no format version");
    if (version < SN_RESULT_VERSION) return too_old(r, version, err);
    if (version > SN_RESULT_VERSION)
        return sn_fail(err, SN_ERR_FILE, &mark,
                       "was written by a newer sinew: format version %d, this one reads up to %d", version,
                       SN_RESULT_VERSION);
    return SN_OK;
}

/* Open a dataset of numbers of the given rank; its size goes to dims. */
static sn_status open_numbers(sn_result_reader *r, const char *path, int rank, hsize_t *dims, hid_t *set,
                              sn_err *err)
{
    SN_TRY(sn_h5_open_set(&r->file, path, set, err));
    if (*set < 0)
        return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = r->file.name},
                       "damaged: there is no dataset '%s'", path);
    hid_t type = H5Dget_type(*set), space = H5Dget_space(*set);
    H5T_class_t class = H5Tget_class(type);
    int good = (class == H5T_FLOAT || class == H5T_INTEGER) && H5Sget_simple_extent_ndims(space) == rank &&
               (rank == 0 || H5Sget_simple_extent_dims(space, dims, NULL) == rank);
    for (int i = 0; i < rank && good; i++) good = dims[i] <= INT_MAX;
    sn_h5_drop(space);
    sn_h5_drop(type);
    if (good) return SN_OK;
    sn_h5_drop(*set);
    return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = r->file.name},
                   "damaged: dataset '%s' has a wrong shape", path);
}

static sn_status read_scalar(sn_result_reader *r, const char *path, int *out, sn_err *err)
{
    hid_t set;
    int64_t value = -1;
    SN_TRY(open_numbers(r, path, 0, NULL, &set, err));
    sn_status s = SN_OK;
    if (H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) < 0)
        s = sn_h5_fail(err, r->file.name, "damaged: '%s' cannot be read", path);
    else if (value < 0 || value > INT_MAX)
        s = sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = r->file.name}, "damaged: '%s' is %lld", path,
                    (long long)value);
    *out = (int)value;
    sn_h5_drop(set);
    return s;
}

static sn_status read_frames(sn_result_reader *r, sn_err *err)
{
    hid_t set;
    hsize_t room;
    SN_TRY(read_scalar(r, "/frames", &r->frames, err));
    SN_TRY(read_scalar(r, "/status", &r->status, err));
    SN_TRY(get_text(r, r->file.id, "frame", &r->frame_name, err));
    if (!r->frame_name) return fail(r, err, "damaged: the attribute 'frame' is missing");
    SN_TRY(open_numbers(r, r->frame_name, 1, &room, &set, err));
    sn_status s = get_text(r, set, "unit", &r->frame_unit, err);
    sn_h5_drop(set);
    r->room = (int)room;
    if (s == SN_OK && r->frames > r->room)
        s = sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = r->file.name}, "damaged: %d frames in room for %d",
                    r->frames, r->room);
    return s;
}

/* Names of the components or the units: as many as the dataset is wide, or none. */
static sn_status read_names(sn_result_reader *r, hid_t set, const char *name, int width,
                            const char *const **out, sn_err *err)
{
    int n;
    SN_TRY(sn_h5_get_texts(&r->file, set, name, &r->arena, &n, out, err));
    if (n != width) *out = NULL;
    return SN_OK;
}

static sn_status read_column(sn_result_reader *r, sn_result_column *c, sn_err *err)
{
    hid_t set;
    hsize_t dims[2];
    SN_TRY(open_numbers(r, c->path, 2, dims, &set, err));
    c->width = (int)dims[1];
    sn_status s = SN_OK;
    if (dims[0] != (hsize_t)r->room)
        s = sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = r->file.name},
                    "damaged: dataset '%s' has a wrong shape", c->path);
    if (s == SN_OK) s = read_names(r, set, "components", c->width, &c->components, err);
    if (s == SN_OK) s = read_names(r, set, "units", c->width, &c->units, err);
    if (s == SN_OK) s = get_text(r, set, "kind", &c->kind, err);
    sn_h5_drop(set);
    return s;
}

static sn_status read_columns(sn_result_reader *r, sn_err *err)
{
    const char *const *paths;
    SN_TRY(sn_h5_get_texts(&r->file, r->file.id, "columns", &r->arena, &r->n_columns, &paths, err));
    r->column = sn_arena_alloc(&r->arena, (size_t)r->n_columns, sizeof *r->column);
    if (!r->column) return SN_OUT_OF_MEM(err);
    for (int i = 0; i < r->n_columns; i++) {
        r->column[i].path = paths[i];
        SN_TRY(read_column(r, &r->column[i], err));
    }
    return SN_OK;
}

sn_status sn_result_open(const char *path, sn_result_reader **out, sn_err *err)
{
    sn_result_reader *r;
    *out = NULL;
    SN_TRY(sn_h5_load(err));
    if (!SN_NEW(r, 1)) return SN_OUT_OF_MEM(err);
    r->file.id = -1;
    r->file.name = sn_arena_strndup(&r->arena, path, strlen(path));
    sn_h5_noise noise = sn_h5_enter();
    sn_status s =
        r->file.name ? sn_h5_open(&r->file, r->file.name, "a result file", err) : SN_OUT_OF_MEM(err);
    if (s == SN_OK) s = check_format(r, err);
    if (s == SN_OK) s = read_frames(r, err);
    if (s == SN_OK) s = read_columns(r, err);
    sn_h5_leave(noise);
    if (s == SN_OK)
        *out = r;
    else
        sn_result_reader_close(r);
    return s;
}

void sn_result_reader_close(sn_result_reader *r)
{
    if (!r) return;
    sn_h5_noise noise = sn_h5_enter();
    if (r->file.id >= 0) H5Fclose(r->file.id);
    sn_h5_leave(noise);
    sn_arena_free(&r->arena);
    sn_free(r);
}

int sn_result_reader_frames(const sn_result_reader *r) { return r->frames; }
int sn_result_reader_status(const sn_result_reader *r) { return r->status; }
int sn_result_reader_columns(const sn_result_reader *r) { return r->n_columns; }

const sn_result_column *sn_result_reader_column(const sn_result_reader *r, int i)
{
    return i >= 0 && i < r->n_columns ? &r->column[i] : NULL;
}

const char *sn_result_reader_frame_name(const sn_result_reader *r, const char **unit)
{
    if (unit) *unit = r->frame_unit;
    return r->frame_name;
}

const char *sn_result_reader_text(sn_result_reader *r, const char *path)
{
    for (const cached_text *t = r->texts; t; t = t->next)
        if (strcmp(t->path, path) == 0) return t->text;
    const char *text = NULL, *const * list;
    int n;
    sn_h5_noise noise = sn_h5_enter();
    sn_status s = path[0] == '@' ? get_text(r, r->file.id, path + 1, &text, NULL)
                                 : sn_h5_get_set_texts(&r->file, path, &r->arena, &n, &list, NULL);
    sn_h5_leave(noise);
    if (s == SN_OK && path[0] != '@' && n == 1) text = list[0];
    if (s != SN_OK || !text) return NULL;
    cached_text *t = sn_arena_alloc(&r->arena, 1, sizeof *t);
    const char *key = sn_arena_strndup(&r->arena, path, strlen(path));
    if (!t || !key) return NULL;
    *t = (cached_text){key, text, r->texts};
    r->texts = t;
    return text;
}

sn_status sn_result_reader_get(sn_result_reader *r, int column, int first, int count, double *out,
                               sn_err *err)
{
    if (column < -1 || column >= r->n_columns || first < 0 || count < 0 || first > r->frames - count)
        return sn_fail(err, SN_ERR_BUG, NULL, "frames %d to %d of column %d are not in the result", first,
                       first + count, column);
    const char *path = column < 0 ? r->frame_name : r->column[column].path;
    int rank = column < 0 ? 1 : 2, width = column < 0 ? 1 : r->column[column].width;
    if (count == 0 || width == 0) return SN_OK;
    hsize_t start[2] = {(hsize_t)first, 0}, size[2] = {(hsize_t)count, (hsize_t)width};
    sn_h5_noise noise = sn_h5_enter();
    hid_t set = H5Dopen2(r->file.id, path, H5P_DEFAULT), there = H5Dget_space(set);
    hid_t here = H5Screate_simple(rank, size, NULL);
    sn_status s = SN_OK;
    if (H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
        H5Dread(set, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, out) < 0)
        s = sn_h5_fail(err, r->file.name, "damaged: '%s' cannot be read", path);
    sn_h5_drop(here);
    sn_h5_drop(there);
    sn_h5_drop(set);
    sn_h5_leave(noise);
    return s;
}

static sn_status read_table(sn_result_reader *r, const char *path, sn_result_table *out, sn_err *err)
{
    hid_t set;
    hsize_t dims[2];
    SN_TRY(open_numbers(r, path, 2, dims, &set, err));
    size_t n = (size_t)dims[0] * (size_t)dims[1];
    double *data = sn_arena_alloc(&r->arena, n + 1, sizeof *data);
    sn_status s = data ? SN_OK : SN_OUT_OF_MEM(err);
    if (s == SN_OK && n > 0 && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
        s = sn_h5_fail(err, r->file.name, "damaged: '%s' cannot be read", path);
    if (s == SN_OK) s = read_names(r, set, "rows", (int)dims[0], &out->row_names, err);
    if (s == SN_OK) s = get_text(r, set, "unit", &out->unit, err);
    sn_h5_drop(set);
    if (s == SN_OK) out->rows = (int)dims[0], out->cols = (int)dims[1], out->data = data;
    return s;
}

sn_status sn_result_reader_table(sn_result_reader *r, const char *path, sn_result_table *out, sn_err *err)
{
    *out = (sn_result_table){0, 0, NULL, NULL, NULL};
    for (const cached_table *t = r->tables; t; t = t->next)
        if (strcmp(t->path, path) == 0) {
            *out = t->table;
            return SN_OK;
        }
    sn_h5_noise noise = sn_h5_enter();
    hid_t set;
    sn_status s = sn_h5_open_set(&r->file, path, &set, err);
    if (set >= 0) {
        sn_h5_drop(set);
        s = read_table(r, path, out, err);
    }
    sn_h5_leave(noise);
    if (s != SN_OK || set < 0) return s;
    cached_table *t = sn_arena_alloc(&r->arena, 1, sizeof *t);
    const char *key = sn_arena_strndup(&r->arena, path, strlen(path));
    if (!t || !key) return SN_OUT_OF_MEM(err);
    *t = (cached_table){key, *out, r->tables};
    r->tables = t;
    return SN_OK;
}

sn_status sn_result_reader_array(sn_result_reader *r, const char *path, int cols, sn_result_array *out,
                                 sn_err *err)
{
    sn_result_table t;
    *out = (sn_result_array){.path = path, .cols = cols};
    SN_TRY(sn_result_reader_table(r, path, &t, err));
    if (t.data && t.cols != cols)
        return sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = r->file.name},
                       "damaged: dataset '%s' has a wrong shape", path);
    out->rows = t.rows, out->data = t.data, out->row_names = t.row_names;
    return SN_OK;
}

sn_status sn_result_reader_label(sn_result_reader *r, const char *path, const char *name, int *n,
                                 const char *const **out, sn_err *err)
{
    hid_t set;
    for (const cached_label *l = r->labels; l; l = l->next)
        if (strcmp(l->path, path) == 0 && strcmp(l->name, name) == 0) {
            *n = l->n, *out = l->text;
            return SN_OK;
        }
    *n = 0, *out = NULL;
    sn_h5_noise noise = sn_h5_enter();
    sn_status s = sn_h5_open_set(&r->file, path, &set, err);
    if (s == SN_OK && set >= 0) s = sn_h5_get_texts(&r->file, set, name, &r->arena, n, out, err);
    if (set >= 0) sn_h5_drop(set);
    sn_h5_leave(noise);
    SN_TRY(s);
    cached_label *l = sn_arena_alloc(&r->arena, 1, sizeof *l);
    const char *key = sn_arena_strndup(&r->arena, path, strlen(path)),
               *which = sn_arena_strndup(&r->arena, name, strlen(name));
    if (!l || !key || !which) return SN_OUT_OF_MEM(err);
    *l = (cached_label){key, which, *n, *out, r->labels};
    r->labels = l;
    return SN_OK;
}

const char *sn_result_reader_path(const sn_result_reader *r) { return r->file.name; }
