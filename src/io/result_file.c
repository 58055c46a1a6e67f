/* The complete HDF5 file of a result layout: every dataset contiguous, allocated and filled with NaN, and its
   offset.

   The format is that of HDF5 1.8 (attributes beyond 64 KiB need it); object times are not stored, so that
   equal runs give equal files. Everything is aligned to 8 bytes: no number crosses a page, and none is ever
   seen half written. */
#include "io/result_file.h"

#include "base/h5.h"
#include "io/h5_disk.h"

#include <math.h>
#include <string.h>

typedef struct maker {
    hid_t file;
    const sn_result_layout *l;
    const char *shown;
    const sn_h5_disk *disk;
    sn_err *err;
} maker;

/* An attribute of more bytes than this does not fit into an object header (64 KiB with all that belongs to
   it) and needs another storage. */
enum { HEADER_BYTES = 60000 };

static void allow_large_attributes(hid_t plist, size_t bytes)
{
    if (bytes > HEADER_BYTES) H5Pset_attr_phase_change(plist, 0, 0);
}

static hid_t dataset_plist(size_t attribute_bytes)
{
    hid_t p = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_layout(p, H5D_CONTIGUOUS);
    H5Pset_alloc_time(p, H5D_ALLOC_TIME_EARLY);
    H5Pset_obj_track_times(p, 0);
    allow_large_attributes(p, attribute_bytes);
    return p;
}

static sn_status check_disk(const maker *m)
{
    if (!m->disk->error) return SN_OK;
    return sn_fail(m->err, SN_ERR_FILE, &(sn_mark){.file = m->shown}, "cannot be written: %s",
                   strerror(m->disk->error));
}

/* The groups above a path. */
static sn_status make_groups(const maker *m, const char *path)
{
    char *part = sn_strdup(path);
    if (!part) return SN_OUT_OF_MEM(m->err);
    sn_status s = SN_OK;
    hid_t plist = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(plist, 0);
    for (char *p = strchr(part + 1, '/'); p && s == SN_OK; p = strchr(p + 1, '/')) {
        *p = 0;
        if (H5Lexists(m->file, part, H5P_DEFAULT) <= 0) {
            hid_t g = H5Gcreate2(m->file, part, H5P_DEFAULT, plist, H5P_DEFAULT);
            if (g < 0) s = sn_h5_fail(m->err, m->shown, "group '%s' cannot be written", part);
            sn_h5_drop(g);
        }
        *p = '/';
    }
    sn_h5_drop(plist);
    sn_free(part);
    return s;
}

/* A new dataset; takes over and closes the space and the list. */
static sn_status make_set(const maker *m, const char *path, hid_t type, hid_t space, hid_t plist, hid_t *set)
{
    *set = -1;
    sn_status s = make_groups(m, path);
    if (s == SN_OK) {
        *set = H5Dcreate2(m->file, path, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
        if (*set < 0) s = sn_h5_fail(m->err, m->shown, "dataset '%s' cannot be written", path);
    }
    if (s == SN_OK) s = check_disk(m);
    sn_h5_drop(plist);
    sn_h5_drop(space);
    return s;
}

/* Where the numbers of a dataset lie; -1 for an empty one. */
static int64_t place_of(hid_t set)
{
    haddr_t at = H5Dget_offset(set);
    return at == HADDR_UNDEF ? -1 : (int64_t)at;
}

static sn_status put_text(const maker *m, hid_t owner, const char *name, const char *text)
{
    return text ? sn_h5_put_texts(owner, name, -1, &text, m->shown, m->err) : SN_OK;
}

static sn_status put_names(const maker *m, hid_t owner, const char *name, int n, const char *const *text)
{
    return text && n > 0 ? sn_h5_put_texts(owner, name, n, text, m->shown, m->err) : SN_OK;
}

static sn_status make_scalar(const maker *m, const char *path, hid_t type, int64_t *at)
{
    hid_t set;
    int64_t zero = 0;
    sn_status s = make_set(m, path, type, H5Screate(H5S_SCALAR), dataset_plist(0), &set);
    if (s == SN_OK && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &zero) < 0)
        s = sn_h5_fail(m->err, m->shown, "dataset '%s' cannot be written", path);
    if (s == SN_OK) *at = place_of(set);
    sn_h5_drop(set);
    return s;
}

/* A dataset with one row a frame, all NaN. */
static sn_status make_frames(const maker *m, const sn_result_column *c, int rank, int single, hid_t *set,
                             int64_t *at)
{
    const double nan = NAN;
    hsize_t dims[2] = {(hsize_t)m->l->n_frames, (hsize_t)c->width};
    size_t names = sn_h5_text_bytes(c->width, c->components), units = sn_h5_text_bytes(c->width, c->units);
    hid_t plist = dataset_plist(names > units ? names : units),
          type = single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    H5Pset_fill_value(plist, H5T_NATIVE_DOUBLE, &nan);
    H5Pset_fill_time(plist, H5D_FILL_TIME_ALLOC);
    SN_TRY(make_set(m, c->path, type, H5Screate_simple(rank, dims, NULL), plist, set));
    *at = place_of(*set);
    if (*at < 0 && m->l->n_frames > 0 && c->width > 0)
        return sn_h5_fail(m->err, m->shown, "dataset '%s' has no place in the file", c->path);
    return SN_OK;
}

static sn_status make_coordinate(const maker *m, int64_t *at)
{
    const sn_result_column c = {.path = m->l->frame_name, .width = 1};
    hid_t set;
    sn_status s = make_frames(m, &c, 1, 0, &set, at);
    if (s == SN_OK) s = put_text(m, set, "unit", m->l->frame_unit);
    sn_h5_drop(set);
    return s;
}

static sn_status make_column(const maker *m, int i, int64_t *at)
{
    const sn_result_column *c = &m->l->column[i];
    hid_t set;
    sn_status s = make_frames(m, c, 2, sn_result_single(m->l, i), &set, at);
    if (s == SN_OK) s = put_names(m, set, "components", c->width, c->components);
    if (s == SN_OK) s = put_names(m, set, "units", c->width, c->units);
    if (s == SN_OK) s = put_text(m, set, "kind", c->kind);
    sn_h5_drop(set);
    return s;
}

static sn_status make_array(const maker *m, const sn_result_array *a, int single)
{
    hsize_t dims[2] = {(hsize_t)a->rows, (hsize_t)a->cols};
    hid_t set, type = a->idata ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE;
    const void *data = a->idata ? (const void *)a->idata : a->data;
    sn_status s = make_set(m, a->path, single ? H5T_NATIVE_FLOAT : type, H5Screate_simple(2, dims, NULL),
                           dataset_plist(sn_h5_text_bytes(a->rows, a->row_names)), &set);
    if (s == SN_OK && data && a->rows > 0 && a->cols > 0 &&
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
        s = sn_h5_fail(m->err, m->shown, "dataset '%s' cannot be written", a->path);
    if (s == SN_OK) s = put_names(m, set, "rows", a->rows, a->row_names);
    if (s == SN_OK) s = put_text(m, set, "unit", a->unit);
    for (const sn_result_label *l = a->label; l && l->name && s == SN_OK; l++)
        s = sn_h5_put_texts(set, l->name, l->n, l->text, m->shown, m->err);
    sn_h5_drop(set);
    return s;
}

static sn_status make_text(const maker *m, const sn_result_text *t)
{
    const char *text = t->text ? t->text : "";
    if (t->path[0] == '@') return put_text(m, m->file, t->path + 1, text);
    hid_t set, type = sn_h5_string_type(strlen(text));
    sn_status s = make_set(m, t->path, type, H5Screate(H5S_SCALAR), dataset_plist(0), &set);
    if (s == SN_OK && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)
        s = sn_h5_fail(m->err, m->shown, "dataset '%s' cannot be written", t->path);
    sn_h5_drop(set);
    sn_h5_drop(type);
    return s;
}

/* The largest attribute of the root: the paths of the columns, or a text. */
static size_t root_bytes(const sn_result_layout *l)
{
    size_t path = 0, most = 0;
    for (int i = 0; i < l->n_columns; i++) {
        size_t length = strlen(l->column[i].path);
        if (length > path) path = length;
    }
    most = (path + 1) * (size_t)l->n_columns;
    for (int i = 0; i < l->n_texts; i++) {
        size_t length = l->text[i].path[0] == '@' && l->text[i].text ? strlen(l->text[i].text) : 0;
        if (length > most) most = length;
    }
    return most;
}

/* What tells our files from others, and which datasets go with the frames. */
static sn_status make_root(const maker *m)
{
    const sn_result_layout *l = m->l;
    int version = SN_RESULT_VERSION;
    SN_TRY(put_text(m, m->file, "format", "sinew-result"));
    SN_TRY(put_text(m, m->file, "frame", l->frame_name));
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attr = H5Acreate2(m->file, "format_version", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    sn_status s = SN_OK;
    if (attr < 0 || H5Awrite(attr, H5T_NATIVE_INT, &version) < 0)
        s = sn_h5_fail(m->err, m->shown, "attribute 'format_version' cannot be written");
    sn_h5_drop(attr);
    sn_h5_drop(space);
    if (s != SN_OK || l->n_columns == 0) return s;
    const char **paths = sn_alloc((size_t)l->n_columns, sizeof *paths);
    if (!paths) return SN_OUT_OF_MEM(m->err);
    for (int i = 0; i < l->n_columns; i++) paths[i] = l->column[i].path;
    s = put_names(m, m->file, "columns", l->n_columns, paths);
    sn_free(paths);
    return s;
}

/* What is small comes first: a file cut short by a full disk is noticed at the large ones anyhow. */
static sn_status fill_file(const maker *m, sn_result_places *places)
{
    const sn_result_layout *l = m->l;
    SN_TRY(make_root(m));
    SN_TRY(make_scalar(m, "/frames", H5T_NATIVE_INT64, &places->frames));
    SN_TRY(make_scalar(m, "/status", H5T_NATIVE_INT32, &places->status));
    for (int i = 0; i < l->n_texts; i++) SN_TRY(make_text(m, &l->text[i]));
    for (int i = 0; i < l->n_arrays; i++)
        SN_TRY(make_array(m, &l->array[i], i >= l->n_arrays - l->single_arrays));
    SN_TRY(make_coordinate(m, &places->coordinate));
    for (int i = 0; i < l->n_columns; i++) SN_TRY(make_column(m, i, &places->column[i]));
    if (places->frames < 0 || places->frames % 8 || places->status < 0)
        return sn_fail(m->err, SN_ERR_BUG, NULL, "the counters of a result are not aligned");
    return SN_OK;
}

sn_status sn_result_file_make(int fd, const char *name, const sn_result_layout *layout,
                              sn_result_places *places, sn_err *err)
{
    SN_TRY(sn_h5_load(err));
    sn_h5_noise noise = sn_h5_enter();
    hid_t access = sn_h5_access(), create = H5Pcreate(H5P_FILE_CREATE);
    sn_h5_disk disk;
    sn_status s = SN_OK;
    H5Pset_alignment(access, 4, 8);
    H5Pset_obj_track_times(create, 0);
    allow_large_attributes(create, root_bytes(layout));
    maker m = {-1, layout, name, &disk, err};
    if (sn_h5_disk_use(access, &disk, fd) < 0 ||
        (m.file = H5Fcreate(name, H5F_ACC_TRUNC, create, access)) < 0)
        s = sn_h5_fail(err, name, "cannot be created");
    else
        s = fill_file(&m, places);
    /* closing writes what HDF5 still holds */
    if (m.file >= 0 && H5Fclose(m.file) < 0 && s == SN_OK) s = sn_h5_fail(err, name, "cannot be written");
    if (s == SN_OK) s = check_disk(&m);
    sn_h5_drop(create);
    sn_h5_drop(access);
    sn_h5_leave(noise);
    return s;
}
