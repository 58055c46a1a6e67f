/* Reading a reduced body. The file is trusted in nothing: every type, size and place is checked before
   numbers are read into memory, and numbers that cannot be those of a body are refused by name. The layout:
   docs/reduced-bodies.md. What follows from other numbers is not in the file but computed here. */
#include "model/reduced_body.h"

#include "base/h5.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct reader {
    sn_h5_file file;
    sn_block *block;
    sn_arena arena; /* of texts on their way */
    sn_err *err;
} reader;

static sn_status wrong(reader *r, const char *path, const char *what)
{
    return sn_fail(r->err, SN_ERR_INPUT, NULL, "'%s' %s", path + 1, what);
}

/* What a dataset shall be: `rank` sizes, of which -1 is any and comes back. */
typedef struct shape {
    int rank, n[4];
} shape;

static sn_status open_numbers(reader *r, const char *path, shape *s, hid_t *set)
{
    hsize_t dims[4] = {0};
    SN_TRY(sn_h5_open_set(&r->file, path, set, r->err));
    if (*set < 0) return SN_OK;
    hid_t type = H5Dget_type(*set), space = H5Dget_space(*set);
    H5T_class_t class = H5Tget_class(type);
    int good = (class == H5T_FLOAT || class == H5T_INTEGER) && H5Sget_simple_extent_ndims(space) == s->rank &&
               (s->rank == 0 || H5Sget_simple_extent_dims(space, dims, NULL) == s->rank);
    for (int i = 0; i < s->rank && good; i++) {
        good = dims[i] <= INT_MAX && (s->n[i] < 0 || (hsize_t)s->n[i] == dims[i]);
        if (good) s->n[i] = (int)dims[i];
    }
    sn_h5_drop(space);
    sn_h5_drop(type);
    if (good) return SN_OK;
    sn_h5_drop(*set);
    return wrong(r, path, "has another shape than the other numbers of the body");
}

static size_t count(const shape *s)
{
    size_t n = 1;
    for (int i = 0; i < s->rank; i++) n *= (size_t)s->n[i];
    return n;
}

/* Numbers of a dataset; absent: *out is NULL where it may be, else an error. */
static sn_status read_numbers(reader *r, const char *path, int optional, shape *s, const double **out)
{
    hid_t set;
    *out = NULL;
    SN_TRY(open_numbers(r, path, s, &set));
    if (set < 0) return optional ? SN_OK : wrong(r, path, "is missing");
    size_t n = count(s);
    double *x = r->block->alloc(r->block, n + 1, sizeof *x);
    sn_status status = SN_OK;
    if (!x)
        status = SN_OUT_OF_MEM(r->err);
    else if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0)
        status = sn_h5_fail(r->err, NULL, "damaged: '%s' cannot be read", path + 1);
    sn_h5_drop(set);
    for (size_t i = 0; !status && i < n; i++)
        if (!isfinite(x[i])) status = wrong(r, path, "has a number that is not finite");
    *out = x;
    return status;
}

/* Indices below `most`, `width` in each row. */
static sn_status read_indices(reader *r, const char *path, int width, int most, int *rows, const int **out)
{
    hid_t set;
    shape s = {2, {-1, width}};
    *rows = 0, *out = NULL;
    SN_TRY(open_numbers(r, path, &s, &set));
    if (set < 0) return SN_OK;
    size_t n = count(&s);
    int *x = r->block->alloc(r->block, n + 1, sizeof *x);
    sn_status status = SN_OK;
    if (!x)
        status = SN_OUT_OF_MEM(r->err);
    else if (H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0)
        status = sn_h5_fail(r->err, NULL, "damaged: '%s' cannot be read", path + 1);
    sn_h5_drop(set);
    for (size_t i = 0; !status && i < n; i++)
        if (x[i] < 0 || x[i] >= most) status = wrong(r, path, "names a node that there is not");
    *rows = s.n[0], *out = x;
    return status;
}

static sn_status keep_text(reader *r, const char *text, const char **out)
{
    char *copy = r->block->alloc(r->block, strlen(text) + 1, 1);
    if (!copy) return SN_OUT_OF_MEM(r->err);
    memcpy(copy, text, strlen(text));
    *out = copy;
    return SN_OK;
}

/* Texts of a dataset; n < 0: any number, which comes back. */
static sn_status read_texts(reader *r, const char *path, int *n, const char *const **out)
{
    const char *const *text, **copy;
    int found;
    SN_TRY(sn_h5_get_set_texts(&r->file, path, &r->arena, &found, &text, r->err));
    if (*n >= 0 && found != *n) return wrong(r, path, "has another number of texts than the body needs");
    if (!(copy = r->block->alloc(r->block, (size_t)found + 1, sizeof *copy))) return SN_OUT_OF_MEM(r->err);
    for (int i = 0; i < found; i++) SN_TRY(keep_text(r, text[i], &copy[i]));
    *n = found, *out = copy;
    return SN_OK;
}

static sn_status check_format(reader *r)
{
    const char *const *text;
    int n, version = sn_h5_get_int(&r->file, "format_version"), before = sn_err_count(r->err);
    sn_status s = sn_h5_get_texts(&r->file, r->file.id, "format", &r->arena, &n, &text, r->err);
    if (s == SN_ERR_MEMORY) return s;
    if (s || n != 1 || strcmp(text[0], "sinew-reduced-body") != 0) {
        sn_err_forget(r->err, before);
        return sn_fail(r->err, SN_ERR_FILE, NULL, "is an HDF5 file, but not a reduced body of sinew");
    }
    if (version < 1) return sn_fail(r->err, SN_ERR_FILE, NULL, "damaged: has no format version");
    if (version > SN_REDUCED_BODY_VERSION)
        return sn_fail(r->err, SN_ERR_FILE, NULL,
                       "was written by a newer sinew: format version %d, this one reads up to %d", version,
                       SN_REDUCED_BODY_VERSION);
    return SN_OK;
}

static sn_status read_points(reader *r, sn_reduced_body *b)
{
    const double *n;
    shape one = {0, {0}}, X = {2, {-1, 3}};
    SN_TRY(read_numbers(r, "/points/interfaces", 0, &one, &n));
    SN_TRY(read_numbers(r, "/points/place", 0, &X, &b->X));
    b->n_point = X.n[0];
    shape phi = {3, {b->n_point, 3, b->nd}};
    SN_TRY(read_texts(r, "/points/name", &b->n_point, &b->point));
    SN_TRY(read_numbers(r, "/points/displacement", 0, &phi, &b->phi));
    SN_TRY(read_numbers(r, "/points/rotation", 0, &phi, &b->theta));
    if (!(*n >= 0 && *n <= b->n_point) || *n != floor(*n))
        return wrong(r, "/points/interfaces", "is not a number of points");
    b->n_interface = (int)*n;
    for (int i = 0; i < b->n_point; i++) {
        if (!b->point[i][0]) return wrong(r, "/points/name", "has an empty name");
        for (int j = 0; j < i; j++)
            if (!strcmp(b->point[i], b->point[j])) return wrong(r, "/points/name", "has a name twice");
    }
    return SN_OK;
}

static int symmetric3(const double *A)
{
    double top = fabs(A[0]) + fabs(A[4]) + fabs(A[8]);
    return fabs(A[1] - A[3]) <= 1e-9 * top && fabs(A[2] - A[6]) <= 1e-9 * top &&
           fabs(A[5] - A[7]) <= 1e-9 * top;
}

static sn_status read_mass(reader *r, sn_reduced_body *b)
{
    const double *x;
    shape one = {0, {0}}, three = {1, {3}}, nine = {2, {3, 3}};
    SN_TRY(read_numbers(r, "/mass/mass", 0, &one, &x));
    b->mass = *x;
    SN_TRY(read_numbers(r, "/mass/first", 0, &three, &x));
    memcpy(b->first, x, sizeof b->first);
    SN_TRY(read_numbers(r, "/mass/second", 0, &nine, &x));
    memcpy(b->second, x, sizeof b->second);
    if (!(b->mass > 0)) return wrong(r, "/mass/mass", "is not positive");
    if (!symmetric3(b->second)) return wrong(r, "/mass/second", "is not symmetric");
    return SN_OK;
}

/* PP_ji = PP_ij', of which the sums of the diagonals are those of a unit matrix */
static sn_status check_products(reader *r, const sn_reduced_body *b)
{
    const size_t n = (size_t)b->nd;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double *A = b->PP + 9 * (i * n + j), *B = b->PP + 9 * (j * n + i);
            for (int k = 0; k < 9; k++)
                if (fabs(A[k] - B[3 * (k % 3) + k / 3]) > 1e-8)
                    return wrong(r, "/modes/mass", "is not symmetric");
            if (fabs(A[0] + A[4] + A[8] - (i == j)) > 1e-6)
                return wrong(r, "/modes/mass",
                             "is not that of modes that are orthonormal with the mass matrix");
        }
    return SN_OK;
}

static sn_status check_inertia(reader *r, const sn_reduced_body *b)
{
    for (size_t i = 0; i < (size_t)b->nd; i++)
        if (!symmetric3(b->J1 + 9 * i)) return wrong(r, "/modes/inertia1", "is not symmetric");
    for (size_t i = 0; i < (size_t)b->nd * (size_t)b->nd; i++)
        if (!symmetric3(b->J2 + 9 * i)) return wrong(r, "/modes/inertia2", "is not symmetric");
    return SN_OK;
}

/* A matrix that takes energy away or none */
static sn_status check_damping(reader *r, const sn_reduced_body *b)
{
    const size_t n = (size_t)b->nd;
    for (size_t i = 0; b->damping && i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double x = b->damping[i * n + j], y = b->damping[j * n + i],
                         most = sqrt(fmax(b->damping[i * n + i] * b->damping[j * n + j], 0));
            if (fabs(x - y) > 1e-9 * most) return wrong(r, "/modes/damping", "is not symmetric");
            if (x > (1 + 1e-9) * most || x < -(1 + 1e-9) * most)
                return wrong(r, "/modes/damping", "is not that of dampers: it would feed energy");
        }
    return SN_OK;
}

/* No motion at d = 0 has a negative kinetic energy. Of the mass matrix [m, -c~, S; c~, J0, h0; S', h0', 1]
   the modes are eliminated, then the rest by Cholesky's method; a body may be without inertia about a line,
   but for rounding. */
static sn_status check_energy(reader *r, const sn_reduced_body *b)
{
    double A[36] = {0}, size[6];
    const double *c = b->first, cross[9] = {0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0};
    for (int i = 0; i < 3; i++) {
        A[7 * i] = b->mass;
        for (int j = 0; j < 3; j++)
            A[6 * (3 + i) + j] = cross[3 * i + j], A[6 * (3 + i) + 3 + j] = b->J0[3 * i + j];
    }
    for (int i = 0; i < 6; i++) size[i] = A[7 * i];
    for (int k = 0; k < b->nd; k++)
        for (int i = 0; i < 36; i++) {
            const double *const y[2] = {b->S + 3 * k, b->h0 + 3 * k};
            A[i] -= y[i / 18][i / 6 % 3] * y[i % 6 / 3][i % 3];
        }
    for (int k = 0; k < 6; k++) {
        if (!(A[7 * k] >= -1e-7 * size[k]) || !(size[k] >= 0))
            return wrong(r, k < 3 ? "/modes/first" : "/mass/second",
                         "gives some motion of the body a negative kinetic energy");
        for (int i = k + 1; i < 6 && A[7 * k] > 1e-7 * size[k]; i++)
            for (int j = k + 1; j <= i; j++) A[6 * i + j] -= A[6 * i + k] * A[6 * j + k] / A[7 * k];
    }
    return SN_OK;
}

static sn_status read_invariants(reader *r, sn_reduced_body *b)
{
    SN_TRY(sn_reduced_body_invariants(b, r->block, r->err));
    return check_energy(r, b);
}

static sn_status read_modes(reader *r, sn_reduced_body *b)
{
    const int n = b->nd;
    shape D = {2, {n, n}};
    shape S = {2, {n, 3}}, XP = {3, {n, 3, 3}}, PP = {4, {n, n, 3, 3}}, H = {3, {n, n, 3}}, one = {1, {n}};
    for (int i = 0; i < n; i++)
        if (!(b->w2[i] >= 0)) return wrong(r, "/modes/stiffness", "has a negative number");
    SN_TRY(read_numbers(r, "/modes/first", 0, &S, &b->S));
    SN_TRY(read_numbers(r, "/modes/second", 0, &XP, &b->XP));
    SN_TRY(read_numbers(r, "/modes/axial", 1, &one, &b->axial));
    SN_TRY(read_numbers(r, "/modes/damping", 1, &D, &b->damping));
    SN_TRY(check_damping(r, b));
    SN_TRY(read_numbers(r, "/modes/mass", 1, &PP, &b->PP));
    if (b->PP) {
        SN_TRY(check_products(r, b));
        return read_invariants(r, b);
    }
    SN_TRY(read_numbers(r, "/modes/inertia1", 0, &XP, &b->J1));
    SN_TRY(read_numbers(r, "/modes/inertia2", 0, &PP, &b->J2));
    SN_TRY(read_numbers(r, "/modes/momentum0", 0, &S, &b->h0));
    SN_TRY(read_numbers(r, "/modes/momentum1", 0, &H, &b->H));
    SN_TRY(check_inertia(r, b));
    return read_invariants(r, b);
}

static sn_status read_drawing(reader *r, sn_reduced_body *b)
{
    shape X = {2, {-1, 3}};
    SN_TRY(read_numbers(r, "/mesh/place", 1, &X, &b->mesh_X));
    if (!b->mesh_X) return SN_OK;
    b->n_mesh_node = X.n[0];
    shape phi = {3, {X.n[0], 3, b->nd}};
    SN_TRY(read_numbers(r, "/mesh/displacement", 0, &phi, &b->mesh_phi));
    SN_TRY(read_indices(r, "/mesh/lines", 2, X.n[0], &b->n_line, &b->line));
    return read_indices(r, "/mesh/triangles", 3, X.n[0], &b->n_triangle, &b->triangle);
}

static sn_status read_recovery(reader *r, sn_reduced_body *b)
{
    shape y = {3, {-1, -1, b->nd}};
    SN_TRY(read_numbers(r, "/recovery/matrix", 1, &y, &b->recover));
    if (!b->recover) return SN_OK;
    b->n_recovery = y.n[0], b->recovery_n = y.n[1];
    SN_TRY(read_texts(r, "/recovery/name", &b->n_recovery, &b->recovery));
    SN_TRY(read_texts(r, "/recovery/component", &b->recovery_n, &b->recovery_component));
    return read_texts(r, "/recovery/unit", &b->recovery_n, &b->recovery_unit);
}

static sn_status read_all(reader *r, sn_reduced_body *b)
{
    const char *const *recipe;
    shape w2 = {1, {-1}};
    int n = 1;
    SN_TRY(check_format(r));
    SN_TRY(read_numbers(r, "/modes/stiffness", 0, &w2, &b->w2));
    b->nd = w2.n[0];
    SN_TRY(read_texts(r, "/recipe", &n, &recipe));
    b->recipe = recipe[0];
    SN_TRY(read_mass(r, b));
    SN_TRY(read_points(r, b));
    SN_TRY(read_modes(r, b));
    SN_TRY(read_drawing(r, b));
    return read_recovery(r, b);
}

sn_status sn_reduced_body_read(const char *path, sn_block *block, sn_err *err)
{
    reader r = {.file = {.id = -1}, .block = block, .err = err};
    sn_reduced_body *b;
    SN_TRY(sn_h5_load(err));
    if (!(b = block->alloc(block, 1, sizeof *b))) return SN_OUT_OF_MEM(err);
    sn_h5_noise noise = sn_h5_enter();
    sn_status s = sn_h5_open(&r.file, path, "a reduced body", err);
    if (!s) s = read_all(&r, b);
    if (r.file.id >= 0) H5Fclose(r.file.id);
    sn_h5_leave(noise);
    sn_arena_free(&r.arena);
    if (!s) block->data = b;
    return s;
}

/* ---- what follows from other numbers ---- */

/* tr(A) I - A, symmetric part, f times */
static void inertia_of(double f, const double *A, double *J)
{
    double trace = A[0] + A[4] + A[8];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[3 * i + j] = f * ((i == j) * trace - 0.5 * (A[3 * i + j] + A[3 * j + i]));
}

/* The vector of e_ijk A_jk: of x y' the product x x y */
static void cross_of(const double *A, double *y)
{
    y[0] = A[5] - A[7];
    y[1] = A[6] - A[2];
    y[2] = A[1] - A[3];
}

sn_status sn_reduced_body_invariants(sn_reduced_body *b, sn_block *block, sn_err *err)
{
    const size_t n = (size_t)b->nd;
    inertia_of(1, b->second, b->J0);
    if (!b->PP) return SN_OK;
    double *J1 = block->alloc(block, 9 * n + 1, sizeof *J1), *h0 = block->alloc(block, 3 * n + 1, sizeof *h0),
           *J2 = block->alloc(block, 9 * n * n + 1, sizeof *J2),
           *H = block->alloc(block, 3 * n * n + 1, sizeof *H);
    if (!J1 || !h0 || !J2 || !H) return SN_OUT_OF_MEM(err);
    for (size_t i = 0; i < n; i++)
        inertia_of(2, b->XP + 9 * i, J1 + 9 * i), cross_of(b->XP + 9 * i, h0 + 3 * i);
    for (size_t i = 0; i < n * n; i++)
        inertia_of(1, b->PP + 9 * i, J2 + 9 * i), cross_of(b->PP + 9 * i, H + 3 * i);
    b->J1 = J1, b->J2 = J2, b->h0 = h0, b->H = H;
    return SN_OK;
}
