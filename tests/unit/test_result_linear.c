/* The HDF5 file of linearised equations: dense and sparse matrices agree, names are there. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sinew/sinew.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char model[] = "sinew: 1\n"
                            "nodes: {a: [0, 0], b: [0.3, 0.1]}\n"
                            "elements: {beam: {beam2d_cr: [a, b], EA: 1e4, EI: 2, rhoA: 0.7, elements: 2}}\n"
                            "joints: {wall: {fixed: a}}\n"
                            "sensors: {b: {position: b}}\n";

enum { MOST = 4000 };

static int get(hid_t file, const char *path, hid_t type, void *out)
{
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space;
    assert_true(set >= 0);
    space = H5Dget_space(set);
    int n = (int)H5Sget_simple_extent_npoints(space);
    assert_true(n <= MOST);
    if (n) assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return n;
}

static void matrices(void **state)
{
    char path[] = "/tmp/sinew-linear-XXXXXX", name[64];
    static double dense[MOST], x[MOST];
    static int first[MOST], row[MOST];
    sn_model *m;
    sn_values *p;
    sn_err err;
    (void)state;
    close(mkstemp(path));
    sn_err_clear(&err);
    assert_int_equal(sn_model_read_text("model", model, sizeof model - 1, &m, &err), SN_OK);
    assert_int_equal(sn_values_new(m, &p, &err), SN_OK);
    sn_linear_options o = sn_linear_options_default(m, p);
    assert_int_equal(sn_linearise_file(m, p, &o, path, NULL, &err), SN_OK);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    static const char *const all[] = {"M", "C", "K", "B", "D", "L"};
    for (int i = 0; i < 6; i++) {
        int square = i < 3, rows = square || i == 5 ? 9 : 3, cols = i == 5 ? 3 : 9;
        snprintf(name, sizeof name, "/matrices/%s", all[i]);
        assert_int_equal(get(file, name, H5T_NATIVE_DOUBLE, dense), rows * cols);
        snprintf(name, sizeof name, "/sparse/%s/first", all[i]);
        assert_int_equal(get(file, name, H5T_NATIVE_INT, first), cols + 1);
        snprintf(name, sizeof name, "/sparse/%s/row", all[i]);
        int n = get(file, name, H5T_NATIVE_INT, row), nonzero = 0;
        assert_int_equal(n, first[cols]);
        snprintf(name, sizeof name, "/sparse/%s/value", all[i]);
        assert_int_equal(get(file, name, H5T_NATIVE_DOUBLE, x), n);
        for (int j = 0; j < cols; j++)
            for (int k = first[j]; k < first[j + 1]; k++) assert_true(dense[row[k] * cols + j] == x[k]);
        for (int k = 0; k < rows * cols; k++) nonzero += dense[k] != 0;
        assert_int_equal(nonzero, n);
        assert_true(i == 1 || i == 4 ? n == 0 : n > 0);
    }
    assert_true(H5Aexists_by_name(file, "/matrices/M", "rows", H5P_DEFAULT) > 0);
    assert_true(H5Lexists(file, "/states/q", H5P_DEFAULT) > 0);
    H5Fclose(file);
    remove(path);
    sn_values_free(p);
    sn_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(matrices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
