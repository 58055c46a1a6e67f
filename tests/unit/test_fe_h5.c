/* Matrices and nodes from HDF5 in each form, against MatrixMarket; each thing that can be wrong with one.
   Files are written by HDF5 itself, in its older form as h5py does. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "counted.h"
#include "model/model.h"
#include "reduce/fe_files.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NODES = 8, N = 3 * NODES, MODES = 12 };

static char folder[64], body[96], mtx[2][96], csv[96], out[96];
static double M[N * N], K[N * N], X[NODES][3];

/* ---- writing ---- */

/* x NULL: nothing is written; packed: in pieces, by deflate */
static void put(hid_t at, const char *name, hid_t type, int rank, const hsize_t *dim, const void *x,
                int packed)
{
    hid_t space = H5Screate_simple(rank, dim, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t piece[2] = {5, 7};
    if (packed) H5Pset_chunk(list, rank, piece), H5Pset_deflate(list, 4);
    hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    assert_true(set >= 0);
    if (x) assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Dclose(set), H5Pclose(list), H5Sclose(space);
}

static void put_list(hid_t at, const char *name, hid_t type, int n, const void *x)
{
    put(at, name, type, 1, &(hsize_t){(hsize_t)n}, x, 0);
}

static void put_table(hid_t at, const char *name, int rows, int cols, const double *x)
{
    put(at, name, H5T_NATIVE_DOUBLE, 2, (hsize_t[2]){(hsize_t)rows, (hsize_t)cols}, x, 0);
}

static void put_shape(hid_t at, int rows, int cols)
{
    const int64_t shape[2] = {rows, cols};
    hid_t space = H5Screate_simple(1, &(hsize_t){2}, NULL);
    hid_t a = H5Acreate2(at, "shape", H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(a >= 0 && H5Awrite(a, H5T_NATIVE_INT64, shape) >= 0);
    H5Aclose(a), H5Sclose(space);
}

/* of variable length, as h5py writes texts, or fixed */
static void put_text(hid_t at, const char *name, const char *text, int fixed)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, fixed ? strlen(text) : H5T_VARIABLE);
    hid_t a = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(a >= 0 && H5Awrite(a, type, fixed ? (const void *)text : (const void *)&text) >= 0);
    H5Aclose(a), H5Sclose(space), H5Tclose(type);
}

static hid_t group(hid_t at, const char *name)
{
    hid_t g = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(g >= 0);
    return g;
}

/* Rows after each other (csr), or entries one by one (coo), 32-bit indices as scipy has them */
static void put_sparse(hid_t at, const char *name, int rows, int cols, const double *A, int coo)
{
    double x[N * N];
    int32_t row[N * N], col[N * N], begin[N + 1] = {0};
    int n = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++)
            if (A[i * cols + j] != 0) x[n] = A[i * cols + j], row[n] = i, col[n++] = j;
        begin[i + 1] = n;
    }
    hid_t g = group(at, name);
    put_list(g, "data", H5T_NATIVE_DOUBLE, n, x);
    if (coo) put_list(g, "row", H5T_NATIVE_INT32, n, row);
    put_list(g, coo ? "col" : "indices", H5T_NATIVE_INT32, n, col);
    if (!coo) put_list(g, "indptr", H5T_NATIVE_INT32, rows + 1, begin);
    if (coo)
        put_list(g, "shape", H5T_NATIVE_INT, 2, (int[2]){rows, cols});
    else
        put_shape(g, rows, cols);
    H5Gclose(g);
}

static hid_t new_file(void)
{
    hid_t f = H5Fcreate(body, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(f >= 0);
    return f;
}

static void write_market(const char *path, const double *A)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%%%%MatrixMarket matrix array real general\n%d %d\n", N, N);
    for (int i = 0; i < N * N; i++) fprintf(f, "%.17g\n", A[i]);
    fclose(f);
}

/* A box with a mass in each corner and a bar between any two */
static void make_box(void)
{
    for (int i = 0; i < NODES; i++) {
        X[i][0] = 0.9 * (i / 4), X[i][1] = 0.4 * (i / 2 % 2), X[i][2] = 0.3 * (i % 2);
        for (int c = 0; c < 3; c++) M[(3 * i + c) * (N + 1)] = 1 + 0.1 * i;
    }
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < i; j++) {
            double d[3], l = 0;
            for (int c = 0; c < 3; c++) d[c] = X[i][c] - X[j][c], l += d[c] * d[c];
            for (int a = 0; a < 9; a++) {
                const double k = 1e6 * d[a / 3] * d[a % 3] / (l * sqrt(l));
                const int p = 3 * i + a / 3, q = 3 * j + a / 3, r = 3 * i + a % 3, s = 3 * j + a % 3;
                K[p * N + r] += k, K[q * N + s] += k, K[p * N + s] -= k, K[q * N + r] -= k;
            }
        }
}

/* ---- the same body ---- */

typedef struct answer {
    int modes;
    double f[MODES + 6];
} answer;

static void keep(void *ctx, const sn_reduce_report *r)
{
    answer *a = ctx;
    a->modes = r->modes;
    for (int i = 0; i < r->modes && i < MODES + 6; i++) a->f[i] = r->frequency[i];
}

static answer reduced(const char *mass, const char *stiffness, const char *nodes)
{
    answer a = {0};
    sn_err err;
    sn_reduce_options o = sn_reduce_options_default();
    sn_err_clear(&err);
    o.mass = mass, o.stiffness = stiffness, o.nodes = nodes, o.interfaces = "left=1-4,right=5-8";
    o.report = keep, o.ctx = &a;
    if (sn_reduce(&o, out, &err)) fail_msg("%s: %s", mass, err.report[0].text);
    assert_true(a.modes > 0 && a.modes <= MODES + 6);
    return a;
}

static const char *in_body(const char *object)
{
    static char text[4][128];
    static int at;
    at = (at + 1) % 4;
    snprintf(text[at], sizeof text[at], "%s%s", body, object);
    return text[at];
}

static void same(const answer *a, const answer *b, const char *what)
{
    assert_int_equal(a->modes, b->modes);
    for (int i = 0; i < a->modes; i++)
        if (!(fabs(a->f[i] - b->f[i]) <= 1e-12 * fabs(b->f[i])))
            fail_msg("%s: frequency %d is %.17g, not %.17g", what, i, a->f[i], b->f[i]);
}

static void write_forms(void)
{
    double numbered[NODES][4];
    hid_t f = new_file(), g = group(f, "packed");
    const hsize_t dim[2] = {N, N};
    for (int i = 0; i < NODES; i++) {
        numbered[i][0] = i + 1;
        memcpy(numbered[i] + 1, X[i], sizeof X[i]);
    }
    put_table(f, "M", N, N, M), put_table(f, "K", N, N, K);
    put(g, "K", H5T_NATIVE_DOUBLE, 2, dim, K, 1);
    put_sparse(f, "M_csr", N, N, M, 0), put_sparse(f, "K_csr", N, N, K, 0);
    put_sparse(f, "M_coo", N, N, M, 1), put_sparse(f, "K_coo", N, N, K, 1);
    put_table(f, "nodes", NODES, 3, X[0]), put_table(f, "numbered", NODES, 4, numbered[0]);
    H5Gclose(g), H5Fclose(f);
}

static void forms(void **state)
{
    (void)state;
    write_forms();
    const answer market = reduced(mtx[0], mtx[1], csv);
    const answer all[] = {
        reduced(body, body, body),
        reduced(in_body(":/M"), in_body(":/packed/K"), in_body(":/nodes")),
        reduced(in_body(":M_csr"), in_body(":/K_csr"), in_body(":/numbered")),
        reduced(in_body(":/M_coo"), in_body(":/K_coo"), csv),
        reduced(mtx[0], in_body(":/K_csr"), in_body(":")),
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char what[20];
        snprintf(what, sizeof what, "form %d", (int)i);
        same(&all[i], &market, what);
    }
    assert_true(market.f[0] > 1); /* no rigid-body motion is among them */
}

/* The entry of a model; what was read are files, without the objects in them */
static void in_place(void **state)
{
    static const char head[] = "sinew: 1\nnodes:\n  a: [0, 0.2, 0.15]\n  b: [0.9, 0.2, 0.15]\nelements:\n";
    sn_model *m;
    sn_err err;
    char path[96], found[2] = {0};
    (void)state;
    sn_err_clear(&err);
    write_forms();
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "%s  box: {body_ffr: [a, b], reduce: {mass: body.h5:/M_csr, stiffness: body.h5:/K, nodes: "
            "body.h5, interfaces: [left=1-4, right=5-8]}}\n",
            head);
    fclose(f);
    if (sn_model_read(path, &m, &err)) fail_msg("%s", err.report[0].text);
    for (int i = 0; i < m->n_read; i++) {
        if (!strcmp(m->read[i], body)) found[0] = 1;
        if (strchr(m->read[i], ':')) found[1] = 1;
    }
    sn_model_free(m);
    unlink(path);
    assert_true(found[0] && !found[1]);
}

/* Rows to be recovered are not square: by rows and by columns are two things */
static void columns(void **state)
{
    static const double R[6] = {1, 0, 2, 0, 3, 0}, T[6] = {1, 0, 0, 3, 2, 0}; /* 2 x 3, 3 x 2 */
    static const char *const key[] = {"format", "encoding-type", "format"}, *const word[] = {"csc",
                                                                                             "csc_matrix"};
    sn_arena arena = {0};
    (void)state;
    for (int k = 0; k < 4; k++) {
        sn_sparse A;
        hid_t f = new_file();
        put_sparse(f, "R", k ? 3 : 2, k ? 2 : 3, k ? T : R, 0);
        if (k) {
            hid_t g = H5Gopen2(f, "R", H5P_DEFAULT);
            H5Adelete(g, "shape"), put_shape(g, 2, 3);
            put_text(g, key[k - 1], word[k == 2], k == 3);
            H5Gclose(g);
        }
        H5Fclose(f);
        assert_int_equal(sn_fe_read_h5_matrix(body, "/R", 0, &arena, &A, NULL), SN_OK);
        assert_true(A.rows == 2 && A.cols == 3);
        for (int i = 0; i < 6; i++) assert_true(sn_sparse_entry(&A, i / 3, i % 3) == R[i]);
    }
    sn_arena_free(&arena);
}

/* ---- what is wrong ---- */

static void a_vector(hid_t f) { put_list(f, "M", H5T_NATIVE_DOUBLE, N, M); }
static void not_square(hid_t f) { put_table(f, "M", 2, 3, K); }
static void nothing(hid_t f) { (void)f; }
static void elsewhere(hid_t f) { H5Lcreate_external("other.h5", "/M", f, "M", H5P_DEFAULT, H5P_DEFAULT); }
static void a_plain_group(hid_t f) { H5Gclose(group(f, "M")); }
static void unwritten(hid_t f) { put(f, "M", H5T_NATIVE_DOUBLE, 2, (hsize_t[2]){9, 9}, NULL, 1); }
static void huge(hid_t f) { put(f, "M", H5T_NATIVE_DOUBLE, 2, (hsize_t[2]){40000, 40000}, NULL, 1); }
static void larger(hid_t f) { put(f, "M", H5T_NATIVE_DOUBLE, 2, (hsize_t[2]){80000, 80000}, NULL, 1); }
static void infinite(hid_t f) { put_table(f, "M", 1, 1, (double[1]){INFINITY}); }
static void no_rows(hid_t f) { put(f, "M", H5T_NATIVE_DOUBLE, 2, (hsize_t[2]){0, 0}, NULL, 0); }

static void texts(hid_t f)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 2);
    put(f, "M", type, 2, (hsize_t[2]){2, 2}, "a\0b\0c\0d", 0);
    H5Tclose(type);
}

/* A sparse matrix 2 x 2 with three entries, of which one part is another; shape[0] 0: none */
typedef struct parts {
    int n_data, n_index, n_begin;
    double data[3];
    int32_t index[3], begin[3], shape[2];
} parts;
static const parts good = {3, 3, 3, {2, 1, 2}, {0, 1, 1}, {0, 2, 3}, {2, 2}};

static void put_parts(hid_t f, const parts *p, int coo)
{
    hid_t g = group(f, "M");
    put_list(g, "data", H5T_NATIVE_DOUBLE, p->n_data, p->data);
    put_list(g, coo ? "row" : "indices", H5T_NATIVE_INT32, p->n_index, p->index);
    put_list(g, coo ? "col" : "indptr", H5T_NATIVE_INT32, p->n_begin, p->begin);
    if (p->shape[0]) put_shape(g, p->shape[0], p->shape[1]);
    H5Gclose(g);
}

#define CSR(name, ...)                                                                                       \
    static void name(hid_t f)                                                                                \
    {                                                                                                        \
        parts p = good;                                                                                      \
        __VA_ARGS__;                                                                                         \
        put_parts(f, &p, 0);                                                                                 \
    }
CSR(no_shape, p.shape[0] = 0)
CSR(empty_shape, p.shape[1] = -2)
CSR(oblong, p.shape[1] = 3)
CSR(more_rows, p.shape[0] = p.shape[1] = 3)
CSR(few_indices, p.n_index = 2)
CSR(index_out, p.index[2] = 2)
CSR(index_negative, p.index[0] = -1)
CSR(descends, p.begin[1] = 4)
CSR(begins_late, p.begin[0] = 1)
CSR(ends_early, p.begin[2] = 2)
CSR(no_number, p.data[1] = NAN)
CSR(no_entries, p.n_data = p.n_index = 0; memset(p.begin, 0, sizeof p.begin))

static void row_out(hid_t f)
{
    parts p = good;
    p.begin[1] = 1, p.begin[2] = 0, p.index[1] = 2;
    put_parts(f, &p, 1);
}

static void col_missing(hid_t f)
{
    hid_t g = group(f, "M");
    put_list(g, "row", H5T_NATIVE_INT, 1, (int[1]){0}), put_list(g, "data", H5T_NATIVE_DOUBLE, 1, M);
    put_shape(g, 1, 1);
    H5Gclose(g);
}

static void real_indices(hid_t f)
{
    hid_t g = group(f, "M");
    put_list(g, "data", H5T_NATIVE_DOUBLE, 1, M), put_list(g, "indices", H5T_NATIVE_DOUBLE, 1, K);
    put_list(g, "indptr", H5T_NATIVE_INT, 2, (int[2]){0, 1}), put_shape(g, 1, 1);
    H5Gclose(g);
}

static void refused(const char *what, const char *says, int nodes)
{
    sn_arena arena = {0};
    sn_sparse A;
    sn_fe_mesh m = {0};
    sn_err err;
    sn_err_clear(&err);
    sn_status s = nodes ? sn_fe_read_h5_nodes(body, "/nodes", &arena, &m, &err)
                        : sn_fe_read_h5_matrix(body, "/M", 1, &arena, &A, &err);
    sn_fe_mesh_free(&m);
    sn_arena_free(&arena);
    if (!s) fail_msg("%s: is not refused", what);
    if (!strstr(err.report[0].text, says))
        fail_msg("%s: '%s' is not in '%s'", what, says, err.report[0].text);
    if (strcmp(err.report[0].file, body) != 0) fail_msg("%s: the file is '%s'", what, err.report[0].file);
}

static void wrong_matrices(void **state)
{
    static const struct {
        void (*write)(hid_t f);
        const char *says;
    } all[] = {
        {nothing, "has no '/M'"},
        {a_vector, "'/M' has 1 dimension, expected are 2"},
        {not_square, "'/M' is 2 x 3: the matrix is not square"},
        {texts, "'/M' is not of real numbers"},
        {elsewhere, "'/M' is a link to somewhere else"},
        {a_plain_group, "'/M' is a group, but no sparse matrix"},
        {unwritten, "'/M' was never written"},
        {huge, "'/M' claims to be larger than the file"},
        {larger, "'/M' is too large"},
        {infinite, "'/M' has a number that is not finite"},
        {no_rows, "'/M' has no entries"},
        {no_shape, "'/M' has no 'shape'"},
        {empty_shape, "'/M' has a 'shape' that is not two numbers"},
        {oblong, "'/M' is 2 x 3: the matrix is not square"},
        {more_rows, "'/M/indptr' has 3 numbers, the shape asks for 4"},
        {few_indices, "'/M/indices' has 2 numbers, '/M/data' has 3"},
        {index_out, "'/M/indices' has the index 2: they go from 0 to 1"},
        {index_negative, "'/M/indices' has the index -1"},
        {descends, "'/M/indptr' does not ascend"},
        {begins_late, "'/M/indptr' does not go from 0 to the number of entries, 3"},
        {ends_early, "'/M/indptr' does not go from 0 to the number of entries, 3"},
        {no_number, "'/M/data' has a number that is not finite"},
        {no_entries, "'/M' has no entries"},
        {row_out, "'/M/row' has the index 2"},
        {col_missing, "has no '/M/col'"},
        {real_indices, "'/M/indices' is not of whole numbers"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hid_t f = new_file();
        all[i].write(f);
        H5Fclose(f);
        refused(all[i].says, all[i].says, 0);
    }
}

static void wrong_nodes(void **state)
{
    static const double falling[8] = {2, 0, 0, 0, 1, 0, 0, 1}, half[4] = {1.5, 0, 0, 0};
    static const struct {
        int rows, cols;
        const double *x;
        const char *says;
    } all[] = {
        {3, 2, K, "'/nodes' is 3 x 2: rows x, y, z or number, x, y, z are expected"},
        {2, 4, falling, "row 2: the numbers of nodes ascend"},
        {1, 4, half, "row 1 has no number or place of a node"},
        {0, 3, NULL, "'/nodes' has no nodes"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hid_t f = new_file();
        put_table(f, "nodes", all[i].rows, all[i].cols, all[i].x);
        H5Fclose(f);
        refused(all[i].says, all[i].says, 1);
    }
}

/* Files that are none, and cut at each of some lengths: refused, whatever is missing */
static void wrong_files(void **state)
{
    (void)state;
    unlink(body);
    refused("missing", "cannot be read", 0);
    FILE *f = fopen(body, "w");
    fputs("1 1 2.0\n", f);
    fclose(f);
    refused("text", "is not an HDF5 file (not HDF5)", 0);
    write_forms();
    f = fopen(body, "r");
    fseek(f, 0, SEEK_END);
    const long size = ftell(f);
    fclose(f);
    for (long n = size - 1; n > 100; n = n * 3 / 4) {
        assert_int_equal(truncate(body, n), 0);
        refused("cut", "is truncated: its end is missing", 0);
    }
    assert_int_equal(truncate(body, 0), 0);
    refused("empty", "is empty", 1);
}

/* Each allocation fails in turn: out of memory, one report, nothing left behind */
static void memory(void **state)
{
    static const char *const object[] = {"/M", "/packed/K", "/K_csr", "/K_coo", "/nodes"};
    (void)state;
    write_forms();
    for (int i = 0; i < 5; i++) {
        sn_status s = SN_ERR_MEMORY;
        for (long k = 1; s; k++) {
            counter c = {.fail = k};
            const sn_allocator a = {counted, released, &c};
            sn_arena arena = {0};
            sn_fe_mesh m = {0};
            sn_sparse A;
            sn_err err;
            sn_err_clear(&err);
            sn_set_allocator(&a);
            s = i == 4 ? sn_fe_read_h5_nodes(body, object[i], &arena, &m, &err)
                       : sn_fe_read_h5_matrix(body, object[i], 1, &arena, &A, &err);
            sn_fe_mesh_free(&m);
            sn_arena_free(&arena);
            sn_set_allocator(NULL);
            if (c.live || (s && (s != SN_ERR_MEMORY || err.count != 1)))
                fail_msg("%s, allocation %ld: status %d, %d reports, %ld blocks left", object[i], k, s,
                         err.count, c.live);
            assert_true(k > 2 || s); /* some fail */
        }
    }
}

/* The output cannot be the file that is read */
static void over_itself(void **state)
{
    sn_err err;
    sn_reduce_options o = sn_reduce_options_default();
    (void)state;
    sn_err_clear(&err);
    write_forms();
    o.mass = in_body(":/M"), o.stiffness = in_body(":/K"), o.nodes = csv, o.interfaces = "left=1-4";
    assert_int_not_equal(sn_reduce(&o, body, &err), SN_OK);
    assert_non_null(strstr(err.report[0].text, "the output would replace its own input"));
}

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sinew-fe-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    snprintf(body, sizeof body, "%s/body.h5", folder), snprintf(csv, sizeof csv, "%s/nodes.csv", folder);
    snprintf(out, sizeof out, "%s/out.h5", folder);
    snprintf(mtx[0], sizeof mtx[0], "%s/M.mtx", folder), snprintf(mtx[1], sizeof mtx[1], "%s/K.mtx", folder);
    make_box();
    write_market(mtx[0], M), write_market(mtx[1], K);
    FILE *f = fopen(csv, "w");
    if (!f) return 1;
    fputs("id,x,y,z\n", f);
    for (int i = 0; i < NODES; i++) fprintf(f, "%d,%.17g,%.17g,%.17g\n", i + 1, X[i][0], X[i][1], X[i][2]);
    return fclose(f);
}

static int end(void **state)
{
    (void)state;
    unlink(body), unlink(csv), unlink(out), unlink(mtx[0]), unlink(mtx[1]);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),          cmocka_unit_test(in_place),    cmocka_unit_test(columns),
        cmocka_unit_test(wrong_matrices), cmocka_unit_test(wrong_nodes), cmocka_unit_test(wrong_files),
        cmocka_unit_test(memory),         cmocka_unit_test(over_itself),
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return cmocka_run_group_tests(tests, begin, end);
}
