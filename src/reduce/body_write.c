/* Writing a reduced body: one HDF5 file that appears whole or not at all (docs/reduced-bodies.md). Equal
   bodies give equal files. */
#include "reduce/reduce.h"

#include "base/h5.h"
#include "io/atomic.h"
#include "io/h5_disk.h"

#include <string.h>

typedef struct writer {
    hid_t file;
    const char *shown;
    sn_err *err;
} writer;

static hid_t plain(hid_t class)
{
    hid_t p = H5Pcreate(class);
    H5Pset_obj_track_times(p, 0);
    return p;
}

static sn_status put_group(const writer *w, const char *path)
{
    hid_t list = plain(H5P_GROUP_CREATE), g = H5Gcreate2(w->file, path, H5P_DEFAULT, list, H5P_DEFAULT);
    sn_status s = g < 0 ? sn_h5_fail(w->err, w->shown, "group '%s' cannot be written", path) : SN_OK;
    sn_h5_drop(g), sn_h5_drop(list);
    return s;
}

/* A dataset in one piece; rank 0: one number */
static sn_status put(const writer *w, const char *path, hid_t type, int rank, const hsize_t *n, const void *x)
{
    hid_t list = plain(H5P_DATASET_CREATE),
          space = rank ? H5Screate_simple(rank, n, NULL) : H5Screate(H5S_SCALAR), set;
    sn_status s = SN_OK;
    H5Pset_layout(list, H5D_CONTIGUOUS);
    H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
    set = H5Dcreate2(w->file, path, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (set < 0 || (H5Sget_simple_extent_npoints(space) > 0 &&
                    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0))
        s = sn_h5_fail(w->err, w->shown, "dataset '%s' cannot be written", path);
    sn_h5_drop(set), sn_h5_drop(space), sn_h5_drop(list);
    return s;
}

static sn_status put_numbers(const writer *w, const char *path, int rank, const int *n, const double *x)
{
    hsize_t dims[4] = {0};
    for (int i = 0; i < rank; i++) dims[i] = (hsize_t)n[i];
    return put(w, path, H5T_NATIVE_DOUBLE, rank, dims, x);
}

static sn_status put_indices(const writer *w, const char *path, int rows, int width, const int *x)
{
    const hsize_t dims[2] = {(hsize_t)rows, (hsize_t)width};
    return put(w, path, H5T_NATIVE_INT, 2, dims, x);
}

static sn_status put_texts(const writer *w, const char *path, int n, const char *const *text)
{
    size_t size = 1;
    const hsize_t dims[1] = {(hsize_t)n};
    for (int i = 0; i < n; i++) size = strlen(text[i]) + 1 > size ? strlen(text[i]) + 1 : size;
    char *flat = sn_alloc((size_t)n * size + 1, 1);
    if (!flat) return SN_OUT_OF_MEM(w->err);
    for (int i = 0; i < n; i++) memcpy(flat + (size_t)i * size, text[i], strlen(text[i]));
    hid_t type = sn_h5_string_type(size - 1);
    sn_status s = put(w, path, type, 1, dims, flat);
    sn_h5_drop(type);
    sn_free(flat);
    return s;
}

static sn_status put_head(const writer *w, const sn_reduced_body *b)
{
    static const char *const format = "sinew-reduced-body";
    static const char *const group[] = {"/mass", "/modes", "/points", "/mesh", "/recovery"};
    const int version = SN_REDUCED_BODY_VERSION;
    SN_TRY(sn_h5_put_texts(w->file, "format", -1, &format, w->shown, w->err));
    hid_t space = H5Screate(H5S_SCALAR),
          attr = H5Acreate2(w->file, "format_version", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    sn_status s = attr < 0 || H5Awrite(attr, H5T_NATIVE_INT, &version) < 0
                      ? sn_h5_fail(w->err, w->shown, "attribute 'format_version' cannot be written")
                      : SN_OK;
    sn_h5_drop(attr), sn_h5_drop(space);
    for (size_t i = 0; i < sizeof group / sizeof *group && !s; i++) s = put_group(w, group[i]);
    return s ? s : put_texts(w, "/recipe", 1, &b->recipe);
}

static sn_status put_mass(const writer *w, const sn_reduced_body *b)
{
    const int n = b->nd, one[1] = {n}, S[2] = {n, 3}, XP[3] = {n, 3, 3}, PP[4] = {n, n, 3, 3},
              H[3] = {n, n, 3}, three[1] = {3}, nine[2] = {3, 3};
    SN_TRY(put_numbers(w, "/mass/mass", 0, NULL, &b->mass));
    SN_TRY(put_numbers(w, "/mass/first", 1, three, b->first));
    SN_TRY(put_numbers(w, "/mass/second", 2, nine, b->second));
    SN_TRY(put_numbers(w, "/modes/stiffness", 1, one, b->w2));
    SN_TRY(put_numbers(w, "/modes/first", 2, S, b->S));
    SN_TRY(put_numbers(w, "/modes/second", 3, XP, b->XP));
    if (b->damping) SN_TRY(put_numbers(w, "/modes/damping", 2, (int[2]){n, n}, b->damping));
    if (b->axial) SN_TRY(put_numbers(w, "/modes/axial", 1, one, b->axial));
    if (b->PP) return put_numbers(w, "/modes/mass", 4, PP, b->PP);
    SN_TRY(put_numbers(w, "/modes/inertia1", 3, XP, b->J1));
    SN_TRY(put_numbers(w, "/modes/inertia2", 4, PP, b->J2));
    SN_TRY(put_numbers(w, "/modes/momentum0", 2, S, b->h0));
    return put_numbers(w, "/modes/momentum1", 3, H, b->H);
}

static sn_status put_places(const writer *w, const sn_reduced_body *b)
{
    const double interfaces = b->n_interface;
    const int X[2] = {b->n_point, 3}, phi[3] = {b->n_point, 3, b->nd}, mX[2] = {b->n_mesh_node, 3},
              mphi[3] = {b->n_mesh_node, 3, b->nd}, y[3] = {b->n_recovery, b->recovery_n, b->nd};
    SN_TRY(put_numbers(w, "/points/interfaces", 0, NULL, &interfaces));
    SN_TRY(put_texts(w, "/points/name", b->n_point, b->point));
    SN_TRY(put_numbers(w, "/points/place", 2, X, b->X));
    SN_TRY(put_numbers(w, "/points/displacement", 3, phi, b->phi));
    SN_TRY(put_numbers(w, "/points/rotation", 3, phi, b->theta));
    if (b->mesh_X) {
        SN_TRY(put_numbers(w, "/mesh/place", 2, mX, b->mesh_X));
        SN_TRY(put_numbers(w, "/mesh/displacement", 3, mphi, b->mesh_phi));
        SN_TRY(put_indices(w, "/mesh/lines", b->n_line, 2, b->line));
        SN_TRY(put_indices(w, "/mesh/triangles", b->n_triangle, 3, b->triangle));
    }
    if (!b->recover) return SN_OK;
    SN_TRY(put_numbers(w, "/recovery/matrix", 3, y, b->recover));
    SN_TRY(put_texts(w, "/recovery/name", b->n_recovery, b->recovery));
    SN_TRY(put_texts(w, "/recovery/component", b->recovery_n, b->recovery_component));
    return put_texts(w, "/recovery/unit", b->recovery_n, b->recovery_unit);
}

static sn_status fill(int fd, const char *shown, const sn_reduced_body *b, sn_err *err)
{
    sn_h5_noise noise = sn_h5_enter();
    hid_t access = sn_h5_access(), create = plain(H5P_FILE_CREATE);
    sn_h5_disk disk;
    sn_status s = SN_OK;
    writer w = {-1, shown, err};
    if (sn_h5_disk_use(access, &disk, fd) < 0 ||
        (w.file = H5Fcreate(shown, H5F_ACC_TRUNC, create, access)) < 0)
        s = sn_h5_fail(err, shown, "cannot be created");
    if (!s) s = put_head(&w, b);
    if (!s) s = put_mass(&w, b);
    if (!s) s = put_places(&w, b);
    if (w.file >= 0 && H5Fclose(w.file) < 0 && !s) s = sn_h5_fail(err, shown, "cannot be written");
    if (!s && disk.error)
        s = sn_fail(err, SN_ERR_FILE, &(sn_mark){.file = shown}, "cannot be written: %s",
                    strerror(disk.error));
    sn_h5_drop(create), sn_h5_drop(access);
    sn_h5_leave(noise);
    return s;
}

sn_status sn_reduced_body_write(const char *path, const sn_reduced_body *b, sn_err *err)
{
    sn_atomic file = {.fd = -1};
    SN_TRY(sn_h5_load(err));
    sn_status s = sn_atomic_begin(&file, path, err);
    if (!s) s = fill(file.fd, path, b, err);
    if (!s) s = sn_atomic_commit(&file, err);
    sn_atomic_end(&file);
    return s;
}
