/* Reduced bodies on their way to a file and back, and files that are none or are wrong in one thing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "reduce/reduce.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ND = 2, POINTS = 3, NODES = 4 };

/* Numbers of a body that could be one: modes that are orthonormal, everything else of plain numbers */
typedef struct numbers {
    double w2[ND], X[3 * POINTS], phi[3 * POINTS * ND], theta[3 * POINTS * ND], S[3 * ND], XP[9 * ND],
        PP[9 * ND * ND], mesh_X[3 * NODES], mesh_phi[3 * NODES * ND], recover[2 * 2 * ND];
    int line[4], triangle[3];
    const char *point[POINTS], *recovery[2], *component[2], *unit[2];
    sn_reduced_body b;
} numbers;

static void count_up(double *x, int n, double from)
{
    for (int i = 0; i < n; i++) x[i] = from + 0.1 * i;
}

static void make(numbers *k)
{
    memset(k, 0, sizeof *k);
    k->w2[0] = 4, k->w2[1] = 9;
    count_up(k->X, 3 * POINTS, 1), count_up(k->phi, 3 * POINTS * ND, 2),
        count_up(k->theta, 3 * POINTS * ND, 3);
    count_up(k->S, 3 * ND, 0.04), count_up(k->XP, 9 * ND, 5), count_up(k->mesh_X, 3 * NODES, 6);
    count_up(k->mesh_phi, 3 * NODES * ND, 7), count_up(k->recover, 4 * ND, 8);
    for (int i = 0; i < ND; i++)
        for (int j = 0; j < ND; j++)
            for (int c = 0; c < 3; c++)
                k->PP[9 * (ND * i + j) + 4 * c] = i == j ? (c + 1) / 6.0 : 0.1 * (c - 1);
    const int line[4] = {0, 1, 1, 3}, triangle[3] = {0, 2, 3};
    memcpy(k->line, line, sizeof line), memcpy(k->triangle, triangle, sizeof triangle);
    k->point[0] = "left", k->point[1] = "right", k->point[2] = "top";
    k->recovery[0] = "bar.end1", k->recovery[1] = "bar.end2";
    k->component[0] = "N", k->component[1] = "My", k->unit[0] = "N", k->unit[1] = "N*m";
    k->b = (sn_reduced_body){.nd = ND,
                             .w2 = k->w2,
                             .n_interface = 2,
                             .n_point = POINTS,
                             .point = k->point,
                             .X = k->X,
                             .phi = k->phi,
                             .theta = k->theta,
                             .mass = 3,
                             .first = {1, 2, 3},
                             .second = {4, 1, 2, 1, 5, 3, 2, 3, 6},
                             .S = k->S,
                             .XP = k->XP,
                             .PP = k->PP,
                             .n_mesh_node = NODES,
                             .n_line = 2,
                             .n_triangle = 1,
                             .mesh_X = k->mesh_X,
                             .mesh_phi = k->mesh_phi,
                             .line = k->line,
                             .triangle = k->triangle,
                             .n_recovery = 2,
                             .recovery_n = 2,
                             .recovery = k->recovery,
                             .recovery_component = k->component,
                             .recovery_unit = k->unit,
                             .recover = k->recover,
                             .recipe = "by hand"};
}

static char folder[64], path[96];

static void *take(sn_block *b, size_t n, size_t size) { return sn_arena_alloc(b->owner, n, size); }

static sn_status read_it(sn_arena *arena, const sn_reduced_body **b, sn_err *err)
{
    sn_block block = {.alloc = take, .owner = arena};
    sn_err_clear(err);
    sn_status s = sn_reduced_body_read(path, &block, err);
    *b = block.data;
    return s;
}

static void same(const double *x, const double *y, int n)
{
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
}

static void there_and_back(void **state)
{
    numbers k;
    sn_arena arena = {0};
    sn_err err;
    const sn_reduced_body *b;
    (void)state;
    make(&k);
    sn_err_clear(&err);
    assert_int_equal(sn_reduced_body_write(path, &k.b, &err), SN_OK);
    assert_int_equal(read_it(&arena, &b, &err), SN_OK);
    assert_int_equal(b->nd, ND);
    assert_int_equal(b->n_interface, 2);
    same(b->w2, k.w2, ND), same(b->X, k.X, 9), same(b->phi, k.phi, 18), same(b->theta, k.theta, 18);
    assert_null(b->axial), assert_null(b->damping);
    same(b->S, k.S, 6), same(b->XP, k.XP, 18), same(b->PP, k.PP, 36), same(b->second, k.b.second, 9);
    same(b->mesh_X, k.mesh_X, 12), same(b->mesh_phi, k.mesh_phi, 24), same(b->recover, k.recover, 8);
    assert_memory_equal(b->line, k.line, sizeof k.line);
    assert_memory_equal(b->triangle, k.triangle, sizeof k.triangle);
    assert_string_equal(b->point[2], "top");
    assert_string_equal(b->recovery[1], "bar.end2");
    assert_string_equal(b->recovery_component[1], "My");
    assert_string_equal(b->recovery_unit[1], "N*m");
    assert_string_equal(b->recipe, "by hand");
    /* J0 = tr - second; J1 = 2 tr XP - XP - XP'; H of PP, which is diagonal here: none */
    assert_true(b->J0[0] == 11 && b->J0[1] == -1 && b->J0[8] == 9);
    assert_true(fabs(b->J1[0] - 2 * (k.XP[4] + k.XP[8])) < 1e-14 &&
                fabs(b->J1[1] + k.XP[1] + k.XP[3]) < 1e-14);
    assert_true(fabs(b->h0[0] - (k.XP[5] - k.XP[7])) < 1e-14);
    assert_true(fabs(b->J2[0] - (k.PP[4] + k.PP[8])) < 1e-14 && b->H[0] == 0);
    sn_arena_free(&arena);
}

/* Without PP the file has the invariants themselves */
static void without_products(void **state)
{
    numbers k;
    double J2[9 * ND * ND] = {0}, H[3 * ND * ND], D[ND * ND] = {2, 1, 1, 3};
    sn_arena arena = {0};
    sn_err err;
    const sn_reduced_body *b;
    (void)state;
    make(&k);
    for (int i = 0; i < ND * ND; i++)
        for (int c = 0; c < 3; c++) J2[9 * i + 4 * c] = i + c;
    count_up(H, 3 * ND * ND, 1);
    for (int i = 0; i < ND; i++)
        k.XP[9 * i + 1] = k.XP[9 * i + 3], k.XP[9 * i + 2] = k.XP[9 * i + 6],
                     k.XP[9 * i + 5] = k.XP[9 * i + 7];
    k.b.axial = k.mesh_X; /* any numbers */
    k.b.damping = D;
    k.b.PP = NULL, k.b.J1 = k.XP, k.b.J2 = J2, k.b.h0 = k.S, k.b.H = H;
    sn_err_clear(&err);
    assert_int_equal(sn_reduced_body_write(path, &k.b, &err), SN_OK);
    assert_int_equal(read_it(&arena, &b, &err), SN_OK);
    assert_null(b->PP);
    same(b->axial, k.mesh_X, ND), same(b->damping, D, ND * ND);
    same(b->J1, k.XP, 18), same(b->J2, J2, 36), same(b->h0, k.S, 6), same(b->H, H, 12);
    sn_arena_free(&arena);
}

/* Reading is refused with this text */
static void refused(const char *text)
{
    sn_arena arena = {0};
    sn_err err;
    const sn_reduced_body *b;
    sn_status s = read_it(&arena, &b, &err);
    sn_arena_free(&arena);
    assert_true(s == SN_ERR_FILE || s == SN_ERR_INPUT);
    assert_int_equal(err.count, 1);
    if (!strstr(err.report[0].text, text)) fail_msg("'%s' is not in '%s'", text, err.report[0].text);
    assert_null(strstr(err.report[0].text, path)); /* the caller tells */
}

static void write_it(const numbers *k)
{
    sn_err err;
    sn_err_clear(&err);
    assert_int_equal(sn_reduced_body_write(path, &k->b, &err), SN_OK);
}

static void wrong_numbers(void **state)
{
    numbers k;
    double skew[ND * ND] = {2, 1, -1, 3}, feeds[ND * ND] = {2, 3, 3, 3};
    (void)state;
    make(&k), k.b.damping = skew, write_it(&k), refused("'modes/damping' is not symmetric");
    make(&k), k.b.damping = feeds, write_it(&k), refused("'modes/damping' is not that of dampers");
    make(&k), k.phi[3] = NAN, write_it(&k), refused("'points/displacement' has a number that is not finite");
    make(&k), k.w2[1] = -1, write_it(&k), refused("'modes/stiffness' has a negative number");
    make(&k), k.b.mass = 0, write_it(&k), refused("'mass/mass' is not positive");
    make(&k), k.b.second[1] = 2, write_it(&k), refused("'mass/second' is not symmetric");
    make(&k), k.b.second[0] = -8, write_it(&k),
              refused("'mass/second' gives some motion of the body a negative");
    make(&k), k.b.first[2] = 8, write_it(&k),
              refused("'mass/second' gives some motion of the body a negative");
    make(&k), k.S[1] = 1.8, write_it(&k), refused("'modes/first' gives some motion of the body a negative");
    make(&k), k.PP[0] += 0.1, write_it(&k), refused("orthonormal with the mass matrix");
    make(&k), k.PP[9 + 1] += 0.1, write_it(&k), refused("'modes/mass' is not symmetric");
    make(&k), k.line[2] = NODES, write_it(&k), refused("'mesh/lines' names a node that there is not");
    make(&k), k.triangle[2] = -1, write_it(&k), refused("'mesh/triangles' names a node that there is not");
    make(&k), k.point[1] = "left", write_it(&k), refused("'points/name' has a name twice");
    make(&k), k.point[1] = "", write_it(&k), refused("'points/name' has an empty name");
    make(&k), k.b.n_interface = 4, write_it(&k), refused("'points/interfaces' is not a number of points");
}

/* Parts of a good file taken away or replaced */
static void wrong_parts(void **state)
{
    numbers k;
    const int two = 2;
    const double one = 1;
    (void)state;
    static const char *const part[] = {
        "/mass/mass",           "/mass/first",  "/modes/stiffness", "/modes/first",       "/points/place",
        "/points/displacement", "/points/name", "/recipe",          "/mesh/displacement", "/recovery/unit"};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        make(&k), write_it(&k);
        hid_t f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(H5Ldelete(f, part[i], H5P_DEFAULT) >= 0);
        H5Fclose(f);
        refused(part[i] + 1);
    }
    make(&k), write_it(&k);
    hid_t f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    H5Ldelete(f, "/modes/second", H5P_DEFAULT);
    hid_t set =
        H5Dcreate2(f, "/modes/second", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &one);
    H5Dclose(set), H5Fclose(f);
    refused("'modes/second' has another shape");
    make(&k), write_it(&k);
    f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t attr = H5Aopen(f, "format_version", H5P_DEFAULT);
    H5Awrite(attr, H5T_NATIVE_INT, &two);
    H5Aclose(attr), H5Fclose(f);
    refused("was written by a newer sinew: format version 2");
    f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Adelete(f, "format"), H5Fclose(f), H5Sclose(space);
    refused("is an HDF5 file, but not a reduced body of sinew");
}

static void no_body(void **state)
{
    numbers k;
    char bytes[4000];
    (void)state;
    unlink(path);
    refused("cannot be read: No such file");
    FILE *f = fopen(path, "w");
    fclose(f);
    refused("is empty");
    f = fopen(path, "w");
    fputs("a text of some length", f), fclose(f);
    refused("is not a reduced body (not HDF5)");
    make(&k), write_it(&k);
    f = fopen(path, "r");
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    f = fopen(path, "w");
    fwrite(bytes, 1, n / 2, f), fclose(f);
    refused("is truncated: its end is missing");
}

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sinew-reduced-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/body.h5", folder);
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back), cmocka_unit_test(without_products), cmocka_unit_test(wrong_numbers),
        cmocka_unit_test(wrong_parts),    cmocka_unit_test(no_body),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
