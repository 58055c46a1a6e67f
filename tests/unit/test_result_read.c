/* Reading results: damaged files, CSV export. */
#include "unit/result_kit.h"

#include <hdf5.h>
#include <math.h>

#include "io/csv.h"

/* HDF5 files that are not as they should be: what `spoil` did must be noticed by sn_result_open. */
static void check_spoiled(fixture *f, void (*spoil)(hid_t file), const char *part)
{
    sn_result_reader *r;
    write_run(f, f->path, 3, 3, SN_RESULT_COMPLETE);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT);
    spoil(file);
    H5Fclose(file);
    check_fails(f, sn_result_open(f->path, &r, &f->err), SN_ERR_FILE, part);
    assert_null(r);
}

static void set_version(hid_t file, int version)
{
    hid_t a = H5Aopen(file, "format_version", H5P_DEFAULT);
    H5Awrite(a, H5T_NATIVE_INT, &version);
    H5Aclose(a);
}

static void newer(hid_t file) { set_version(file, SN_RESULT_VERSION + 1); }
static void older(hid_t file) { set_version(file, 2); }
static void oldest(hid_t file) { set_version(file, 1); }

static void no_version(hid_t file) { H5Adelete(file, "format_version"); }
static void foreign(hid_t file) { H5Adelete(file, "format"); }
static void no_frames(hid_t file) { H5Ldelete(file, "/frames", H5P_DEFAULT); }
static void no_time(hid_t file) { H5Ldelete(file, "/time", H5P_DEFAULT); }
static void no_sensors(hid_t file) { H5Ldelete(file, "/sensors", H5P_DEFAULT); }
static void other_shape(hid_t file)
{
    H5Ldelete(file, "/states/q", H5P_DEFAULT);
    H5Lcreate_hard(file, "/sensors/energy", file, "/states/q", H5P_DEFAULT, H5P_DEFAULT);
    H5Ldelete(file, "/sensors/tip", H5P_DEFAULT);
    H5Lcreate_hard(file, "/time", file, "/sensors/tip", H5P_DEFAULT, H5P_DEFAULT);
}

static void many_frames(hid_t file)
{
    int64_t n = 4;
    hid_t d = H5Dopen2(file, "/frames", H5P_DEFAULT);
    H5Dwrite(d, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &n);
    H5Dclose(d);
}

/* ---- files made to mislead ---- */

/* A dataset in the place of another. */
static void put_set(hid_t file, const char *path, hid_t type, int rank, hsize_t rows, hsize_t cols,
                    hid_t list)
{
    const hsize_t dims[2] = {rows, cols};
    H5Ldelete(file, path, H5P_DEFAULT);
    hid_t space = rank ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void external_numbers(hid_t file)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(list, "/etc/passwd", 0, 48);
    put_set(file, "/sensors/tip", H5T_NATIVE_DOUBLE, 2, 3, 2, list);
    H5Pclose(list);
}

static void virtual_numbers(hid_t file)
{
    const hsize_t dims[2] = {3, 2};
    hid_t list = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, NULL);
    H5Pset_virtual(list, space, "/etc/passwd", "/x", space);
    put_set(file, "/sensors/tip", H5T_NATIVE_DOUBLE, 2, 3, 2, list);
    H5Sclose(space);
    H5Pclose(list);
}

static void filtered_numbers(hid_t file)
{
    const hsize_t chunk[2] = {3, 2};
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 2, chunk);
    H5Pset_shuffle(list);
    put_set(file, "/sensors/tip", H5T_NATIVE_DOUBLE, 2, 3, 2, list);
    H5Pclose(list);
}

/* Nothing is stored of it: the file stays small. */
static void huge_numbers(hid_t file)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(list, H5D_ALLOC_TIME_LATE);
    put_set(file, "/sensors/tip", H5T_NATIVE_DOUBLE, 2, 3, (hsize_t)1 << 31, list);
    H5Pclose(list);
}

static void unstored_numbers(hid_t file)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(list, H5D_ALLOC_TIME_LATE);
    put_set(file, "/sensors/tip", H5T_NATIVE_DOUBLE, 2, 3, 2, list);
    H5Pclose(list);
}

static void complex_numbers(hid_t file)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(type, "re", 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "im", 8, H5T_NATIVE_DOUBLE);
    put_set(file, "/sensors/tip", type, 2, 3, 2, H5P_DEFAULT);
    H5Tclose(type);
}

static void other_rank(hid_t file)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
    put_set(file, "/sensors/tip", H5T_NATIVE_DOUBLE, 1, 3, 0, list);
    H5Pclose(list);
}

static void soft_link(hid_t file)
{
    H5Lmove(file, "/sensors/tip", file, "/tip", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/tip", file, "/sensors/tip", H5P_DEFAULT, H5P_DEFAULT);
}

static void external_link(hid_t file)
{
    H5Ldelete(file, "/sensors", H5P_DEFAULT);
    H5Lcreate_external("/dev/shm/other.h5", "/sensors", file, "/sensors", H5P_DEFAULT, H5P_DEFAULT);
}

static void group_for_set(hid_t file)
{
    H5Ldelete(file, "/time", H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "/time", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void put_paths(hid_t file, hid_t type, const void *paths)
{
    H5Adelete(file, "columns");
    hid_t space = H5Screate(H5S_SCALAR),
          attr = H5Acreate2(file, "columns", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attr, type, paths);
    H5Aclose(attr);
    H5Sclose(space);
}

static void variable_text(hid_t file)
{
    const char *text = "/sensors/tip";
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    put_paths(file, type, &text);
    H5Tclose(type);
}

static void empty_path(hid_t file) { put_paths(file, H5T_C_S1, ""); }
static void numbers_for_text(hid_t file) { put_paths(file, H5T_NATIVE_INT, (const int[]){7}); }

/* What leads out of the file, or claims more than it has, is refused by name. */
static void misleading(void **state)
{
    fixture *f = *state;
    sn_result_reader *r;
    check_spoiled(f, oldest, "older sinew (format version 1): run the model again");
    check_spoiled(f, older, "older sinew (format version 2): run the model again");
    check_spoiled(f, external_numbers, "'/sensors/tip' has its numbers in another file");
    check_spoiled(f, virtual_numbers, "'/sensors/tip' is stored in pieces, compressed or in another file");
    check_spoiled(f, filtered_numbers, "'/sensors/tip' is stored in pieces, compressed or in another file");
    check_spoiled(f, huge_numbers, "'/sensors/tip' claims to be larger than the file");
    check_spoiled(f, unstored_numbers, "'/sensors/tip' lies outside of the file");
    check_spoiled(f, complex_numbers, "'/sensors/tip' is neither numbers nor text");
    check_spoiled(f, other_rank, "'/sensors/tip' has a wrong shape");
    check_spoiled(f, soft_link, "'/sensors/tip' is a link to somewhere else");
    check_spoiled(f, external_link, "'/sensors' is a link to somewhere else");
    check_spoiled(f, group_for_set, "'/time' is not a dataset");
    check_spoiled(f, variable_text, "'columns' is not text of fixed length");
    check_spoiled(f, numbers_for_text, "'columns' is not text of fixed length");
    check_spoiled(f, empty_path, "'' is not a path");
    /* the old format, which has no checksums */
    H5Fclose(H5Fcreate(f->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    check_fails(f, sn_result_open(f->path, &r, &f->err), SN_ERR_FILE, "old format without checksums");
}

/* Text of a file elsewhere is not given out as the model's. */
static void external_text(void **state)
{
    fixture *f = *state;
    sn_result_reader *r;
    write_run(f, f->path, 3, 3, SN_RESULT_COMPLETE);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT), list = H5Pcreate(H5P_DATASET_CREATE),
          type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 40);
    H5Pset_external(list, "/etc/passwd", 0, 40);
    put_set(file, "/model/text", type, 1, 1, 0, list);
    H5Pclose(list);
    H5Tclose(type);
    H5Fclose(file);
    check_ok(f, sn_result_open(f->path, &r, &f->err));
    assert_null(sn_result_reader_text(r, "/model/text"));
    sn_result_reader_close(r);
}

static void reader_errors(void **state)
{
    fixture *f = *state;
    sn_result_reader *r;
    check_fails(f, sn_result_open("/nowhere/run.h5", &r, &f->err), SN_ERR_FILE, "No such file or directory");
    check_fails(f, sn_result_open(f->dir, &r, &f->err), SN_ERR_FILE, "is a directory");
    FILE *out = fopen(f->other, "w");
    fflush(out);
    check_fails(f, sn_result_open(f->other, &r, &f->err), SN_ERR_FILE, "is empty");
    fputs("t,x\n1,2\n", out);
    fclose(out);
    check_fails(f, sn_result_open(f->other, &r, &f->err), SN_ERR_FILE, "not HDF5");
    check_spoiled(f, newer, "newer sinew: format version 4, this one reads up to 3");
    check_spoiled(f, no_version, "no format version");
    check_spoiled(f, foreign, "not a result of sinew");
    check_spoiled(f, no_frames, "no dataset '/frames'");
    check_spoiled(f, no_time, "no dataset '/time'");
    check_spoiled(f, no_sensors, "no dataset '/sensors/tip'");
    check_spoiled(f, other_shape, "'/sensors/tip' has a wrong shape");
    check_spoiled(f, many_frames, "4 frames in room for 3");
    write_run(f, f->path, 1000, 1000, SN_RESULT_COMPLETE);
    for (long size = size_of(f->path) - 1; size > 64; size = size * 3 / 4) {
        assert_int_equal(truncate(f->path, size), 0);
        check_fails(f, sn_result_open(f->path, &r, &f->err), SN_ERR_FILE, "is truncated");
    }
}

static char *slurp(const char *path)
{
    char *text = calloc(1, 1 << 16);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_true(fread(text, 1, (1 << 16) - 1, in) > 0);
    fclose(in);
    return text;
}

static void check_export(fixture *f, sn_result_reader *r, int all, int units, const char *expected)
{
    check_ok(f, sn_result_export_csv(r, f->other, all, units, &f->err));
    char *text = slurp(f->other);
    assert_string_equal(text, expected);
    free(text);
}

static void export_csv(void **state)
{
    fixture *f = *state;
    sn_result_reader *r;
    write_run(f, f->path, 5, 2, SN_RESULT_INTERRUPTED);
    check_ok(f, sn_result_open(f->path, &r, &f->err));
    const char *sensors = "t,tip.x,tip.y,energy\n"
                          "0,0.10000000000000001,1.1000000000000001,2.1000000000000001\n"
                          "0.25,8.0999999999999996,9.0999999999999996,10.1\n";
    check_export(f, r, 0, 0, sensors);
    check_export(
        f, r, 1, 1,
        "t,tip.x,tip.y,energy,states.q.0,states.q.1,states.q.2\n"
        "# s,m,m,J,,,\n"
        "0,0.10000000000000001,1.1000000000000001,2.1000000000000001,3.1000000000000001,4.0999999999999996,"
        "5.0999999999999996\n"
        "0.25,8.0999999999999996,9.0999999999999996,10.1,11.1,12.1,13.1\n");
    /* to the standard output */
    fflush(stdout);
    int saved = dup(1);
    assert_non_null(freopen(f->other, "w", stdout));
    sn_status s = sn_result_export_csv(r, "-", 0, 0, &f->err);
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    assert_int_equal(s, SN_OK);
    char *text = slurp(f->other);
    assert_string_equal(text, sensors);
    free(text);
    /* places that cannot be written */
    check_fails(f, sn_result_export_csv(r, "/dev/full", 0, 0, &f->err), SN_ERR_FILE,
                "No space left on device");
    check_fails(f, sn_result_export_csv(r, "/nowhere/x.csv", 0, 0, &f->err), SN_ERR_FILE, "No such file");
    check_fails(f, sn_result_export_csv(r, f->dir, 0, 0, &f->err), SN_ERR_FILE, "directory");
    signal(SIGXFSZ, SIG_IGN);
    set_limit(100);
    s = sn_result_export_csv(r, f->other, 0, 0, &f->err);
    set_limit(-1);
    check_fails(f, s, SN_ERR_FILE, "File too large");
    text = slurp(f->other);
    assert_string_equal(text, sensors);
    free(text);
    sn_result_reader_close(r);
    assert_int_equal(files_in(f->dir, 0), 2);
}

/* What is exported is read back to the last bit, over several blocks; odd names are quoted; NaN stays NaN. */
static void export_and_read(void **state)
{
    fixture *f = *state;
    enum { N = 40000 };
    const char *const odd[] = {"a,b", "say \"x\"", "z"};
    const sn_result_column c[] = {{"/sensors/gauge", 3, odd, NULL, NULL}};
    sn_result_layout l = {N, "/frequency", "Hz", 1, 0, 0, c, NULL, NULL, 0, 0};
    sn_result *w;
    sn_result_reader *r;
    sn_arena arena = {0};
    sn_csv *csv;
    check_ok(f, sn_result_create(f->path, &l, &w, &f->err));
    for (int i = 0; i < N; i++) {
        const double x[] = {sin(i), exp(-i), i % 3 ? NAN : -INFINITY};
        check_ok(f, sn_result_frame(w, i / 3.0, (const double *const[]){x}, &f->err));
    }
    check_ok(f, sn_result_close(w, SN_RESULT_COMPLETE, &f->err));
    check_ok(f, sn_result_open(f->path, &r, &f->err));
    check_ok(f, sn_result_export_csv(r, f->other, 0, 1, &f->err));
    sn_result_reader_close(r);
    check_ok(f, sn_csv_read(f->other, &arena, &csv, &f->err));
    assert_int_equal(csv->rows, N);
    assert_int_equal(csv->cols, 4);
    assert_int_equal(sn_csv_column(csv, "frequency"), 0);
    assert_int_equal(sn_csv_column(csv, "gauge.a,b"), 1);
    assert_int_equal(sn_csv_column(csv, "gauge.say \"x\""), 2);
    for (int i = 0; i < N; i++) {
        assert_true(csv->data[i] == i / 3.0 && csv->data[N + i] == sin(i) && csv->data[2 * N + i] == exp(-i));
        assert_true(i % 3 ? isnan(csv->data[3 * N + i]) : csv->data[3 * N + i] == -INFINITY);
    }
    sn_arena_free(&arena);
}

static void nothing_to_export(void **state)
{
    fixture *f = *state;
    sn_result *w;
    sn_result_reader *r;
    const sn_result_column states[] = {{"/states/q", 1, NULL, NULL, NULL}};
    sn_result_layout l = {1, "/time", NULL, 1, 0, 0, states, NULL, NULL, 0, 0};
    for (int n = 1; n >= 0; n--) {
        l.n_columns = n;
        check_ok(f, sn_result_create(f->path, &l, &w, &f->err));
        check_ok(f, sn_result_frame(w, 1, (const double *const[]){reference}, &f->err));
        check_ok(f, sn_result_close(w, SN_RESULT_COMPLETE, &f->err));
        check_ok(f, sn_result_open(f->path, &r, &f->err));
        check_fails(f, sn_result_export_csv(r, f->other, 0, 0, &f->err), SN_ERR_INPUT,
                    n ? "no sensors" : "nothing");
        if (n) check_export(f, r, 1, 1, "t,states.q\n# ,\n1,0\n");
        sn_result_reader_close(r);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(reader_errors), TEST(misleading),      TEST(external_text),
        TEST(export_csv),    TEST(export_and_read), TEST(nothing_to_export),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
