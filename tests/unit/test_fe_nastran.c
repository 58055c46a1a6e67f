/* Matrices and nodes from text files of Nastran: DMIG and GRID entries, OUTPUT4; good ones, and each thing
   that can be wrong with one. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/part.h"
#include "reduce/fe_files.h"

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

/* Nodes 1, 5 and 9 */
static sn_fe_mesh three(void)
{
    sn_fe_mesh m = {0};
    int twice;
    for (int i = 0; i < 3; i++)
        assert_int_equal(sn_fe_mesh_put(&m, (const double[4]){1 + 4 * i, i, 0, 0}, NULL), SN_OK);
    assert_int_equal(sn_fe_mesh_sort(&m, &twice), SN_OK);
    return m;
}

static double of(const sn_triplets *t, int row, int col)
{
    double sum = 0;
    for (int k = 0; k < t->n; k++)
        if (t->row[k] == row && t->col[k] == col) sum += t->x[k];
    return sum;
}

static void dmig_is(const char *text, const char *name)
{
    sn_fe_mesh m = three();
    sn_triplets t = {0};
    sn_err err;
    sn_err_clear(&err);
    put(text);
    if (sn_fe_read_dmig(path, name, &m, &t, &err)) fail_msg("%s", err.report[0].text);
    assert_true(of(&t, 0, 0) == 1e5 && of(&t, 0, 6) == -2.5 && of(&t, 6, 0) == -2.5 && of(&t, 6, 6) == 4);
    assert_true(of(&t, 17, 0) == 1.5e-3 && of(&t, 0, 17) == 1.5e-3 && of(&t, 17, 17) == 7);
    sn_triplets_free(&t);
    sn_fe_mesh_free(&m);
}

/* Fields of 8 and of 16 columns, and with commas; symmetric by one triangle, square by both */
static void dmig(void **state)
{
    (void)state;
    dmig_is("$ a comment\nDMIG    KAAX           0       6       2       0                      18\n"
            "DMIG*   KAAX                           1               1\n"
            "*                      1               1 1.000000000D+05\n"
            "*                      5               1-2.500000000D+00\n"
            "*                      9               6 1.500000000D-03\n"
            "DMIG*   KAAX                           5               1\n"
            "*                      5               1 4.000000000D+00\n"
            "DMIG*   KAAX                           9               6\n"
            "*                      9               6 7.000000000D+00\n",
            NULL);
    dmig_is("BEGIN BULK\nDMIG,MAAX,0,6,1,0\nDMIG,MAAX,1,1,,1,1,3.\n"
            "DMIG,KAAX,0,6,1,0\nDMIG,KAAX,1,1,,1,1,1.+5\n,5,1,-2.5,,9,6,1.5-3\nDMIG,KAAX,5,1,,5,1,4.\n"
            "DMIG,KAAX,9,6,,9,6,7.\nENDDATA\nDMIG,KAAX,9,6,,9,6,8.\n",
            "kaax");
    dmig_is("DMIG    K       0       1       1       0                       3\n"
            "DMIG    K       1       1               1       1       1.E5\n"
            "+       5       1       -2.5            9       6       1.5-3\n"
            "DMIG    K       5       1               1       1       -2.5\n"
            "        5       1       4.\n"
            "DMIG    K       9       6               1       1       .0015\n"
            "+       9       6       7.0\n",
            "K");
}

static void grids(void **state)
{
    sn_fe_mesh m = {0};
    (void)state;
    put("GRID    7               1.0     2.0     3.0\nGRID*                  3               0        "
        "1.50D+00"
        "       -2.5\n*       4.\nGRID,5,,1.,0.,-1.-1\nCBAR,1,2,3\n");
    assert_int_equal(sn_fe_read_grids(path, &m, NULL), SN_OK);
    assert_int_equal(m.n_node, 3);
    assert_true(m.id[0] == 3 && m.X[0] == 1.5 && m.X[1] == -2.5 && m.X[2] == 4);
    assert_true(m.id[1] == 5 && m.X[3] == 1 && m.X[5] == -0.1);
    assert_true(m.id[2] == 7 && m.X[6] == 1 && m.X[7] == 2 && m.X[8] == 3);
    sn_fe_mesh_free(&m);
}

static void op4_is(const char *text, const char *name)
{
    sn_arena arena = {0};
    sn_sparse A;
    sn_err err;
    sn_err_clear(&err);
    put(text);
    if (sn_fe_read_op4(path, name, 1, &arena, &A, &err)) fail_msg("%s", err.report[0].text);
    assert_true(A.rows == 4 && A.cols == 4 && A.first[4] == 7);
    assert_true(sn_sparse_entry(&A, 0, 0) == 2 && sn_sparse_entry(&A, 1, 0) == -1 &&
                sn_sparse_entry(&A, 0, 1) == -1 && sn_sparse_entry(&A, 1, 1) == 3 &&
                sn_sparse_entry(&A, 3, 0) == 0.5 && sn_sparse_entry(&A, 0, 3) == 0.5 &&
                sn_sparse_entry(&A, 3, 3) == 1e-3);
    sn_arena_free(&arena);
}

/* Dense, sparse in both forms; lengths as words of double precision, or as numbers */
static void op4(void **state)
{
    static const char end[] = "       5       1       1\n 1.0000000000000000E+00\n";
    char text[2000];
    (void)state;
    snprintf(
        text, sizeof text,
        "       4       4       6       2KAA     1P,3E23.16\n       1       1       8\n"
        " 2.0000000000000000E+00-1.0000000000000000E+00 0.0000000000000000E+00\n 5.0000000000000000E-01\n"
        "       2       1       4\n-1.0000000000000000E+00 3.0000000000000000E+00\n"
        "       4       1       8\n 5.0000000000000000E-01 0.0000000000000000E+00 0.0000000000000000E+00\n"
        " 1.0000000000000000E-03\n%s",
        end);
    op4_is(text, NULL);
    snprintf(
        text, sizeof text,
        "       4      -4       6       1KAA     1P,5E16.9\n       1       0       7\n       3       1\n"
        " 2.000000000E+00-1.000000000E+00\n       2       4\n 5.000000000E-01\n"
        "       2       0       4\n       3       1\n-1.000000000E+00 3.000000000E+00\n"
        "       4       0       6\n       2       1\n 5.000000000E-01\n       2       4\n 1.000000000E-03\n"
        "       5       1       1\n 1.000000000E+00\n");
    op4_is(text, "KAA");
    snprintf(text, sizeof text,
             "       1       1       2       2B       1P,3E23.16\n       1       1       2\n"
             " 9.0000000000000000E+00\n       2       1       1\n 1.0000000000000000E+00\n"
             "       4       4       6       2KAA     1P,3E23.16\n       1       0       8\n      327681\n"
             " 2.0000000000000000E+00-1.0000000000000000E+00\n      196612\n 5.0000000000000000E-01\n"
             "       2       0       5\n      327681\n-1.0000000000000000E+00 3.0000000000000000E+00\n"
             "       4       0       6\n      196609\n 5.0000000000000000E-01\n      196612\n"
             " 1.0000000000000000E-03\n%s",
             end);
    op4_is(text, "kaa");
}

typedef sn_status read_function(const char *text, sn_err *err);

static sn_status as_dmig(const char *text, sn_err *err)
{
    sn_fe_mesh m = three();
    sn_triplets t = {0};
    put(text);
    sn_status s = sn_fe_read_dmig(path, NULL, &m, &t, err);
    sn_triplets_free(&t);
    sn_fe_mesh_free(&m);
    return s;
}

static sn_status as_grids(const char *text, sn_err *err)
{
    sn_fe_mesh m = {0};
    put(text);
    sn_status s = sn_fe_read_grids(path, &m, err);
    sn_fe_mesh_free(&m);
    return s;
}

static sn_status as_op4(const char *text, sn_err *err)
{
    sn_arena arena = {0};
    sn_sparse A;
    put(text);
    sn_status s = sn_fe_read_op4(path, NULL, 1, &arena, &A, err);
    sn_arena_free(&arena);
    return s;
}

#define OP4 "       2       2       6       2KAA     1P,3E23.16\n"
#define ONE " 1.0000000000000000E+00\n"

static void mistakes(void **state)
{
    static const struct {
        read_function *read;
        const char *text, *says;
    } all[] = {
        {as_dmig, "GRID,1\n", "has no DMIG entries"},
        {as_dmig, "DMIG,K,0,6,1\n", "has no entries"},
        {as_dmig, "DMIG,K,0,6,1\nDMIG,K,0,6,1\n", "comes twice"},
        {as_dmig, "DMIG,K,1,1,,1,1,2.\n", "DMIG NAME 0, is missing"},
        {as_dmig, "DMIG,K,0,2,1\n", "neither square"},
        {as_dmig, "DMIG,K,0,6,3\n", "not real"},
        {as_dmig, "DMIG,K,0,6,1\nDMIG,K,1,1,,1,1,2.,3.\n", "a real number is expected"},
        {as_dmig, "DMIG,K,0,6,1\nDMIG,K,1,1,,1,1,2x\n", "a real number is expected"},
        {as_dmig, "DMIG,K,0,6,1\nDMIG,K,1,1,,1,1,1.+999\n", "a real number is expected"},
        {as_dmig, "DMIG,K,0,6,1\nDMIG,K,1,1,,2,1,1.\n", "there is no node 2"},
        {as_dmig, "DMIG,K,0,6,1\nDMIG,K,1,0,,1,1,1.\n", "1 is a scalar point"},
        {as_dmig, "DMIG,K,0,6,1\nDMIG,K,1,7,,1,1,1.\n", "a direction from 1 to 6"},
        {as_dmig, "DMIG,K,0,6,1\nDMIG,K,1,1,,5,1,1.\nDMIG,K,5,1,,1,1,1.\n", "both triangles"},
        {as_dmig, "DMIG,K,0,1,1\nDMIG,K,1,1,,1,1,1.\n,1,1,1.\n", "comes twice: 1.1, 1.1"},
        {as_dmig, "DMIG,K,0,1,1\nDMIG,K,1,1,,1,1,1.,,5,1,1.\n", "more than ten fields"},
        {as_dmig, "DMIG,K,0,6,1\nDMIG,M,0,6,1\n", "several matrices, 'K' and 'M'"},
        {as_grids, "CBAR,1\n", "has no GRID entries"},
        {as_grids, "GRID,1,2,0.,0.,0.\n", "node 1 has axes of its own (CP 2)"},
        {as_grids, "GRID,4,,0.,0.,0.,3\n", "node 4 has axes of its own (CD 3)"},
        {as_grids, "GRID,x,,0.,0.,0.\n", "the number of a node"},
        {as_grids, "GRID,1,,0.,y,0.\n", "a coordinate is not a number"},
        {as_grids, "GRID,1,,0.,0.,0.\nGRID,1,,1.,0.,0.\n", "node 1 comes twice"},
        {as_op4, "", "has no matrices"},
        {as_op4, "words\n", "is not a head"},
        {as_op4, "       2       2       6       4KAA     1P,3E23.16\n", "not real"},
        {as_op4, "       2       3       6       2KAA     1P,3E23.16\n", "not square"},
        {as_op4, "       0       0       6       2KAA     1P,3E23.16\n", "has no sizes"},
        {as_op4, OP4 "       1       1       2\n" ONE, "ends before the matrix does"},
        {as_op4, OP4 "       1       1       1\n" ONE ONE, "more numbers than"},
        {as_op4, OP4 "       1       2       2\n" ONE ONE, "more numbers than"},
        {as_op4, OP4 "       1       1       4\n" ONE "       3       1       1\n" ONE, "fewer numbers than"},
        {as_op4, OP4 "       1       0       4\n       1       1       1       1\n" ONE, "length and row"},
        {as_op4, OP4 "       2       1       2\n" ONE "       1       1       2\n" ONE, "column, first row"},
        {as_op4, OP4 "       1       1       2\n x.0000000000000000E+00\n", "a number is expected"},
        {as_op4, OP4 "       3       1       1\n" ONE OP4, "several matrices"},
        {as_op4, OP4 "       3       1       1\n" ONE, "has no entries"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sn_err err;
        sn_err_clear(&err);
        if (!all[i].read(all[i].text, &err)) fail_msg("'%s' is not refused", all[i].text);
        if (!strstr(err.report[0].text, all[i].says))
            fail_msg("'%s': '%s' is not in '%s'", all[i].text, all[i].says, err.report[0].text);
    }
}

static void names(void **state)
{
    size_t n;
    (void)state;
    assert_int_equal(sn_part_of("a.op4:KAA", &n), SN_PART_OP4);
    assert_int_equal(n, 5);
    assert_int_equal(sn_part_of("c:/x.PCH", &n), SN_PART_BULK);
    assert_int_equal(n, 8);
    assert_int_equal(sn_part_of("x.h5:/M", &n), SN_PART_H5);
    assert_int_equal(sn_part_of("x.mtx", &n), SN_PART_NONE);
    assert_int_equal(n, 5);
}

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sinew-nastran-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/file", folder);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(dmig), cmocka_unit_test(grids), cmocka_unit_test(op4),
                                       cmocka_unit_test(mistakes), cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, begin, end);
}
