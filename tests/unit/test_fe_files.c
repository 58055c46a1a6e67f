/* Matrices, rows, nodes and meshes from text files: good ones, and each thing that can be wrong with one. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "reduce/fe_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], path[96];

static void put(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static double entry(const sn_sparse *A, int i, int j) { return sn_sparse_entry(A, i, j); }

static void matrices(void **state)
{
    sn_arena arena = {0};
    sn_sparse A;
    (void)state;
    put("%%MatrixMarket matrix coordinate real symmetric\n% a note\n3 3 4\n1 1 2\n2 1 -1D0\n3 3 4.5\n2 2 "
        "1e1\n");
    assert_int_equal(sn_fe_read_matrix(path, 1, &arena, &A, NULL), SN_OK);
    assert_true(A.rows == 3 && A.cols == 3 && entry(&A, 0, 1) == -1 && entry(&A, 1, 0) == -1 &&
                entry(&A, 2, 2) == 4.5 && entry(&A, 1, 1) == 10 && entry(&A, 0, 2) == 0);
    put("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n1 2 3\n2 1 3\n");
    assert_int_equal(sn_fe_read_matrix(path, 1, &arena, &A, NULL), SN_OK);
    assert_true(entry(&A, 0, 1) == 3 && entry(&A, 1, 0) == 3 && entry(&A, 1, 1) == 0);
    put("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n");
    assert_int_equal(sn_fe_read_matrix(path, 0, &arena, &A, NULL), SN_OK);
    assert_true(A.rows == 2 && A.cols == 3 && entry(&A, 1, 0) == 2 && entry(&A, 0, 2) == 5);
    put("1 1  4.0e+00\n1 2 -1.5e+00\r\n2 2  3.0e+00\n");
    assert_int_equal(sn_fe_read_matrix(path, 1, &arena, &A, NULL), SN_OK);
    assert_true(A.rows == 2 && entry(&A, 1, 0) == -1.5 && entry(&A, 0, 1) == -1.5);
    sn_arena_free(&arena);
}

typedef sn_status read_function(const char *text, sn_arena *arena, sn_err *err);

static sn_status as_matrix(const char *text, sn_arena *arena, sn_err *err)
{
    sn_sparse A;
    put(text);
    return sn_fe_read_matrix(path, 1, arena, &A, err);
}

static sn_status as_dofs(const char *text, sn_arena *arena, sn_err *err)
{
    int n, (*pair)[2];
    put(text);
    return sn_fe_read_dofs(path, arena, &n, &pair, err);
}

static sn_status as_mesh(const char *text, sn_arena *arena, sn_err *err)
{
    sn_fe_mesh m = {0};
    put(text);
    sn_status s = sn_fe_read_inp(path, arena, &m, err);
    sn_fe_mesh_free(&m);
    return s;
}

static sn_status as_table(const char *text, sn_arena *arena, sn_err *err)
{
    sn_fe_mesh m = {0};
    put(text);
    sn_status s = sn_fe_read_csv(path, arena, &m, err);
    sn_fe_mesh_free(&m);
    return s;
}

static void wrong(void **state)
{
    static const struct {
        read_function *read;
        const char *text, *says;
    } all[] = {
        {as_matrix, "%%MatrixMarket matrix\n", "is not a head of MatrixMarket"},
        {as_matrix, "%%MatrixMarket vector coordinate real general\n1 1 1\n1 1 1\n", "is no matrix"},
        {as_matrix, "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", "not real"},
        {as_matrix, "%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 0\n", "symmetric or general"},
        {as_matrix, "%%MatrixMarket matrix coordinate real general\n2\n",
         "numbers of rows, columns and entries"},
        {as_matrix, "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", "outside of the matrix"},
        {as_matrix, "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n",
         "as many entries as the head says"},
        {as_matrix, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1\n", "row, column and number"},
        {as_matrix, "%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n", "count from 1"},
        {as_matrix, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 nan\n", "not finite"},
        {as_matrix, "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n", "not square"},
        {as_matrix, "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "ends before all numbers"},
        {as_matrix, "%%MatrixMarket matrix array real general\n1 1\n1\n2\n", "more numbers than"},
        {as_matrix, "%%MatrixMarket matrix coordinate real symmetric\n2 2 4\n1 1 1\n2 1 3\n1 2 3\n2 2 1\n",
         "comes twice"},
        {as_matrix, "1 1 1\n1 2 3\n2 1 3\n2 2 1\n", "comes twice"},
        {as_matrix, "", "has no entries"},
        {as_matrix, "some words\n", "row, column and number"},
        {as_dofs, "1.1\n1.2\n1.7\n", "a direction from 1 to 6"},
        {as_dofs, "1.1 x\n", "a node and a direction"},
        {as_mesh, "*STEP\n", "has no nodes"},
        {as_mesh, "*NODE\n1, 0, 0\n1, 2, 3\n", "node 1 comes twice"},
        {as_mesh, "*NODE\nx, 0, 0\n", "the number of a node"},
        {as_mesh, "*NODE\n1, 0, y\n", "a coordinate is not a number"},
        {as_mesh, "*NODE\n1, 0, 0\n*NSET, NSET=a\n1, 7\n", "the set 'a' has the node 7"},
        {as_mesh, "*NODE\n1, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n", "an element has the node"},
        {as_mesh, "*NODE\n1, 0, 0\n*INCLUDE, INPUT=nothing-there.inp\n", "cannot open the file"},
        {as_table, "id,x,y\n1,0,0\n", "has no column 'z'"},
        {as_table, "id,x,y,z\n2,0,0,0\n1,0,0,0\n", "the numbers of nodes ascend"},
        {as_table, "id,x,y,z\n1,0,,0\n", "row 1 has no number or place"},
        {as_table, "id,x,y,z,dofs\n1,0,0,0,4\n", "3 or 6 coordinates"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sn_arena arena = {0};
        sn_err err;
        sn_err_clear(&err);
        if (!all[i].read(all[i].text, &arena, &err)) fail_msg("'%s' is not refused", all[i].text);
        if (!strstr(err.report[0].text, all[i].says))
            fail_msg("'%s': '%s' is not in '%s'", all[i].text, all[i].says, err.report[0].text);
        sn_arena_free(&arena);
    }
}

/* Two tetrahedra with a common face: six faces are outer ones; sets by numbers and by ranges; lines that go
 * on */
static void meshes(void **state)
{
    static const char text[] =
        "*HEADING\n words\n*NODE, NSET=ALL\n 10, 0, 0, 0\n2, 1., 0., 0.\n3, 0, 1, 0\n4, 0, 0, 1\n5, 1, 1, 1\n"
        "** a comment\n*ELEMENT, TYPE=C3D4, ELSET=body\n1, 10, 2, 3, 4\n2, 2, 3,\n4, 5\n"
        "*nset, nset=Left, generate\n2, 4, 2\n*NSET,NSET=right\n5, 10,\n5\n*ELEMENT,TYPE=CPS3\n7,2,3,4\n";
    sn_arena arena = {0};
    sn_fe_mesh m = {0};
    (void)state;
    put(text);
    assert_int_equal(sn_fe_read_inp(path, &arena, &m, NULL), SN_OK);
    assert_int_equal(m.n_node, 5);
    assert_int_equal(sn_fe_mesh_find(&m, 10), 4);
    assert_int_equal(sn_fe_mesh_find(&m, 9), -1);
    assert_true(m.X[0] == 1 && m.X[12] == 0);
    assert_int_equal(m.n_face, 6);
    assert_int_equal(m.n_set, 3);
    assert_string_equal(m.set[1].name, "Left");
    assert_true(m.set[1].n == 2 && m.set[1].node[0] == 0 && m.set[1].node[1] == 2);
    assert_true(m.set[2].n == 2 && m.set[2].node[0] == 3 && m.set[2].node[1] == 4);
    sn_fe_mesh_free(&m);
    put("id,x,y,z,dofs\n1,0,0,0,6\n4,1,2,3,3\n");
    assert_int_equal(sn_fe_read_csv(path, &arena, &m, NULL), SN_OK);
    assert_true(m.n_node == 2 && m.X[5] == 3 && m.number[0] == 6 && m.number[1] == 3);
    sn_fe_mesh_free(&m);
    sn_arena_free(&arena);
}

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sinew-fe-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/file.inp", folder);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(matrices), cmocka_unit_test(wrong),
                                       cmocka_unit_test(meshes)};
    return cmocka_run_group_tests(tests, begin, end);
}
