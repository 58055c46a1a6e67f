/* Writing results: round trip, runs killed at any moment, full disks, failing allocations. */
#include "unit/result_kit.h"

#include "io/atomic.h"

#include <hdf5.h>
#include <math.h>
#include <sys/wait.h>
#include <time.h>

static void round_trip(void **state)
{
    fixture *f = *state;
    write_run(f, f->path, 10000, 10000, SN_RESULT_COMPLETE);
    check_run(f, f->path, 10000, SN_RESULT_COMPLETE);
    sn_result_reader *r;
    check_ok(f, sn_result_open(f->path, &r, &f->err));
    const char *unit;
    assert_string_equal(sn_result_reader_frame_name(r, &unit), "/time");
    assert_string_equal(unit, "s");
    const sn_result_column *c = sn_result_reader_column(r, 0);
    assert_string_equal(c->path, "/sensors/tip");
    assert_string_equal(c->components[1], "y");
    assert_string_equal(c->units[0], "m");
    assert_string_equal(c->kind, "position");
    assert_string_equal(sn_result_reader_column(r, 1)->components[0], "");
    assert_null(sn_result_reader_column(r, 2)->components);
    assert_null(sn_result_reader_column(r, 2)->kind);
    assert_int_equal(sn_result_reader_column(r, 3)->width, 0);
    assert_null(sn_result_reader_column(r, 4));
    assert_null(sn_result_reader_column(r, -1));
    assert_string_equal(sn_result_reader_text(r, "@title"), texts[0].text);
    assert_string_equal(sn_result_reader_text(r, "/model/text"), texts[1].text);
    assert_ptr_equal(sn_result_reader_text(r, "@title"), sn_result_reader_text(r, "@title"));
    assert_string_equal(sn_result_reader_text(r, "@note"), "");
    assert_string_equal(sn_result_reader_text(r, "@none"), "");
    assert_null(sn_result_reader_text(r, "@author"));
    assert_null(sn_result_reader_text(r, "/model/story"));
    const char *const *label;
    int labels;
    check_ok(f, sn_result_reader_label(r, "/model/nodes/reference", "columns", &labels, &label, &f->err));
    assert_int_equal(labels, 2);
    assert_string_equal(label[1], "y");
    check_ok(f, sn_result_reader_label(r, "/model/nodes/reference", "doc", &labels, &label, &f->err));
    assert_int_equal(labels, 1);
    assert_string_equal(label[0], "m");
    check_ok(f, sn_result_reader_label(r, "/model/nodes/reference", "none", &labels, &label, &f->err));
    assert_int_equal(labels, 0);
    check_ok(f, sn_result_reader_label(r, "/model/none", "doc", &labels, &label, &f->err));
    assert_int_equal(labels, 0);
    double part[4];
    check_ok(f, sn_result_reader_get(r, 0, 9998, 2, part, &f->err));
    assert_true(part[3] == value(9999, 1));
    check_fails(f, sn_result_reader_get(r, 0, 9999, 2, part, &f->err), SN_ERR_BUG, "not in the result");
    check_fails(f, sn_result_reader_get(r, 4, 0, 1, part, &f->err), SN_ERR_BUG, "not in the result");
    sn_result_reader_close(r);
    assert_int_equal(files_in(f->dir, 0), 1);
}

/* Constant arrays, straight from HDF5. */
static void constant_arrays(void **state)
{
    fixture *f = *state;
    double x[6];
    int line[2];
    write_run(f, f->path, 1, 1, SN_RESULT_COMPLETE);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, "/model/nodes/reference", H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    assert_memory_equal(x, reference, sizeof x);
    H5Dclose(set);
    set = H5Dopen2(file, "/model/lines", H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, line) >= 0);
    assert_memory_equal(line, pairs, sizeof line);
    H5Dclose(set);
    H5Fclose(file);
}

/* Attributes beyond the 64 KiB of an object header: many components, many columns. */
static void large_layout(void **state)
{
    fixture *f = *state;
    enum { WIDE = 5000, MANY = 3500 };
    char(*names)[16] = calloc(WIDE, sizeof *names);
    const char **list = calloc(WIDE, sizeof *list);
    sn_result_column *c = calloc(MANY, sizeof *c);
    double *x = calloc(WIDE, sizeof *x);
    const double **data = calloc(MANY, sizeof *data);
    for (int i = 0; i < WIDE; i++) {
        snprintf(names[i], sizeof *names, "/s/c%d", i);
        list[i] = names[i];
        x[i] = i;
    }
    for (int i = 0; i < MANY; i++) {
        c[i] = (sn_result_column){list[i], 1, NULL, NULL, NULL};
        data[i] = &x[i];
    }
    c[0] = (sn_result_column){"/wide", WIDE, list, NULL, NULL};
    sn_result_layout l = {2, "/time", "s", MANY, 0, 0, c, NULL, NULL, 0, 0};
    sn_result *w;
    check_ok(f, sn_result_create(f->path, &l, &w, &f->err));
    check_ok(f, sn_result_frame(w, 0, data, &f->err));
    check_ok(f, sn_result_frame(w, 1, data, &f->err));
    check_ok(f, sn_result_close(w, SN_RESULT_COMPLETE, &f->err));
    sn_result_reader *r;
    check_ok(f, sn_result_open(f->path, &r, &f->err));
    assert_int_equal(sn_result_reader_columns(r), MANY);
    assert_string_equal(sn_result_reader_column(r, 0)->components[WIDE - 1], list[WIDE - 1]);
    double *back = calloc(WIDE, sizeof *back);
    check_ok(f, sn_result_reader_get(r, 0, 1, 1, back, &f->err));
    assert_memory_equal(back, x, WIDE * sizeof *x);
    check_ok(f, sn_result_reader_get(r, MANY - 1, 1, 1, back, &f->err));
    assert_true(back[0] == MANY - 1);
    sn_result_reader_close(r);
    free(back);
    free(data);
    free(x);
    free(c);
    free(list);
    free(names);
}

/* Equal runs give equal files, byte for byte. */
static void reproducible(void **state)
{
    fixture *f = *state;
    char command[256];
    write_run(f, f->path, 50, 50, SN_RESULT_COMPLETE);
    write_run(f, f->other, 50, 50, SN_RESULT_COMPLETE);
    snprintf(command, sizeof command, "cmp -s %s %s", f->path, f->other);
    assert_int_equal(system(command), 0);
}

/* A running result shows its first frame at once, later ones when flushed; unused rows are NaN. */
static void running(void **state)
{
    fixture *f = *state;
    sn_result *w;
    sn_result_layout l = layout_of(100);
    check_ok(f, sn_result_create(f->path, &l, &w, &f->err));
    check_run(f, f->path, 0, SN_RESULT_RUNNING);
    check_ok(f, write_frame(w, &f->err));
    check_run(f, f->path, 1, SN_RESULT_RUNNING);
    for (int i = 0; i < 10; i++) check_ok(f, write_frame(w, &f->err));
    check_ok(f, sn_result_flush(w, &f->err));
    check_run(f, f->path, 11, SN_RESULT_RUNNING);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT),
          set = H5Dopen2(file, "/sensors/tip", H5P_DEFAULT);
    double x[200];
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    assert_true(x[21] == value(10, 1) && isnan(x[22]) && isnan(x[199]));
    H5Dclose(set);
    H5Fclose(file);
    while (sn_result_frames(w) < 100) check_ok(f, write_frame(w, &f->err));
    sn_err_clear(&f->err);
    check_fails(f, write_frame(w, &f->err), SN_ERR_BUG, "room for 100 frames");
    check_ok(f, sn_result_close(w, SN_RESULT_COMPLETE, &f->err));
    check_run(f, f->path, 100, SN_RESULT_COMPLETE);
}

static void compacted(void **state)
{
    fixture *f = *state;
    write_run(f, f->path, 5000, 10, SN_RESULT_INTERRUPTED);
    check_run(f, f->path, 10, SN_RESULT_INTERRUPTED);
    /* 10 rows of 7 numbers instead of 5000 */
    write_run(f, f->other, 10, 10, SN_RESULT_INTERRUPTED);
    assert_int_equal(size_of(f->path), size_of(f->other));
    write_run(f, f->path, 20000, 9999, SN_RESULT_FAILED);
    check_run(f, f->path, 9999, SN_RESULT_FAILED);
    write_run(f, f->path, 100, 0, SN_RESULT_FAILED);
    check_run(f, f->path, 0, SN_RESULT_FAILED);
    write_run(f, f->path, 0, 0, SN_RESULT_COMPLETE);
    check_run(f, f->path, 0, SN_RESULT_COMPLETE);
    assert_int_equal(files_in(f->dir, 0), 2);
}

/* A result that another run has replaced meanwhile is not put back. */
static void replaced_meanwhile(void **state)
{
    fixture *f = *state;
    sn_result *w;
    sn_result_layout l = layout_of(100);
    check_ok(f, sn_result_create(f->path, &l, &w, &f->err));
    write_run(f, f->path, 20, 20, SN_RESULT_COMPLETE);
    check_ok(f, write_frame(w, &f->err));
    check_ok(f, sn_result_close(w, SN_RESULT_FAILED, &f->err));
    check_run(f, f->path, 20, SN_RESULT_COMPLETE);
    assert_int_equal(files_in(f->dir, 0), 1);
}

/* No more room at every stage of making the file: the older result survives, nothing is left behind, HDF5
   stays sane (it would crash when this program ends). */
static void full_disk(void **state)
{
    fixture *f = *state;
    signal(SIGXFSZ, SIG_IGN);
    write_run(f, f->path, 20, 20, SN_RESULT_COMPLETE);
    write_run(f, f->other, 200, 200, SN_RESULT_COMPLETE);
    const long size = size_of(f->other);
    sn_result_layout l = layout_of(200);
    for (long limit = 0; limit < size; limit += limit < 600 ? 50 : size / 30) {
        sn_result *w;
        set_limit(limit);
        sn_status s = sn_result_create(f->path, &l, &w, &f->err);
        set_limit(-1);
        check_fails(f, s, SN_ERR_FILE, "run.h5: error: cannot be written: File too large");
        assert_null(w);
    }
    check_run(f, f->path, 20, SN_RESULT_COMPLETE);
    assert_int_equal(files_in(f->dir, 0), 2);
}

/* Writing that fails later: the file keeps what it has. Rewriting that fails: it stays long. */
static void failing_writes(void **state)
{
    fixture *f = *state;
    sn_result *w;
    sn_result_layout l = layout_of(1000);
    signal(SIGXFSZ, SIG_IGN);
    check_ok(f, sn_result_create(f->path, &l, &w, &f->err));
    for (int i = 0; i < 5; i++) check_ok(f, write_frame(w, &f->err));
    set_limit(0);
    sn_status s = sn_result_flush(w, &f->err);
    set_limit(-1);
    check_fails(f, s, SN_ERR_FILE, "File too large");
    check_run(f, f->path, 1, SN_RESULT_RUNNING);
    set_limit(0);
    s = sn_result_close(w, SN_RESULT_COMPLETE, &f->err);
    set_limit(-1);
    check_fails(f, s, SN_ERR_FILE, "File too large");
    check_run(f, f->path, 1, SN_RESULT_RUNNING);

    write_run(f, f->other, 1000, 10, SN_RESULT_INTERRUPTED);
    const long compact = size_of(f->other);
    check_ok(f, sn_result_create(f->path, &l, &w, &f->err));
    for (int i = 0; i < 10; i++) check_ok(f, write_frame(w, &f->err));
    check_ok(f, sn_result_flush(w, &f->err));
    set_limit(compact - 8);
    s = sn_result_close(w, SN_RESULT_INTERRUPTED, &f->err);
    set_limit(-1);
    assert_int_equal(s, SN_OK);
    check_run(f, f->path, 10, SN_RESULT_INTERRUPTED);
    assert_true(size_of(f->path) > compact + 990 * 7 * 8 - 1);
    assert_int_equal(files_in(f->dir, 0), 2);
}

static void bad_targets(void **state)
{
    fixture *f = *state;
    sn_result *w;
    sn_result_layout l = layout_of(3);
    check_fails(f, sn_result_create("/nowhere/run.h5", &l, &w, &f->err), SN_ERR_FILE,
                "No such file or directory");
    check_fails(f, sn_result_create(f->dir, &l, &w, &f->err), SN_ERR_FILE, "Is a directory");
    check_fails(f, sn_result_create("/dev/null", &l, &w, &f->err), SN_ERR_FILE, "not a plain file");
    l.n_frames = -1;
    check_fails(f, sn_result_create(f->path, &l, &w, &f->err), SN_ERR_BUG, "layout");
    const sn_result_column twice[] = {{"/sensors/a", 1, NULL, NULL, NULL},
                                      {"/sensors/a", 1, NULL, NULL, NULL}};
    l = (sn_result_layout){3, "/time", "s", 2, 0, 0, twice, NULL, NULL, 0, 0};
    check_fails(f, sn_result_create(f->path, &l, &w, &f->err), SN_ERR_FILE,
                "'/sensors/a' cannot be written (");
    assert_int_equal(files_in(f->dir, 0), 0);
    assert_int_equal(symlink("there.h5", f->path), 0); /* a link is followed, not replaced */
    char there[96];
    snprintf(there, sizeof there, "%s/there.h5", f->dir);
    write_run(f, there, 2, 2, SN_RESULT_COMPLETE);
    write_run(f, f->path, 5, 5, SN_RESULT_COMPLETE);
    check_run(f, there, 5, SN_RESULT_COMPLETE);
}

/* The last columns in single precision: what a float holds comes back, also from a file cut short. */
static void test_single(void **state)
{
    fixture *f = *state;
    static const double third[] = {1.0 / 3, -1e-3}, other[] = {2.0 / 3, 1e30};
    const sn_result_column c[] = {{"/a", 1, NULL, NULL, NULL}, {"/b", 2, NULL, NULL, NULL}};
    const sn_result_array a = {"/model/c", 1, 2, third, NULL, NULL, NULL, NULL};
    for (int room = 2; room <= 5; room += 3) {
        sn_result_layout l = {room, "/time", "s", 2, 0, 1, c, NULL, &a, 1, 1};
        sn_result *w;
        sn_result_reader *r;
        sn_result_table t;
        double y[4];
        check_ok(f, sn_result_create(f->path, &l, &w, &f->err));
        check_ok(f, sn_result_frame(w, 0, (const double *const[]){third, third}, &f->err));
        check_ok(f, sn_result_frame(w, 1, (const double *const[]){other, other}, &f->err));
        check_ok(f, sn_result_close(w, SN_RESULT_INTERRUPTED, &f->err));
        check_ok(f, sn_result_open(f->path, &r, &f->err));
        check_ok(f, sn_result_reader_get(r, 0, 0, 2, y, &f->err));
        assert_true(y[0] == third[0] && y[1] == other[0]);
        check_ok(f, sn_result_reader_get(r, 1, 0, 2, y, &f->err));
        for (int i = 0; i < 4; i++) assert_true(y[i] == (float)(i < 2 ? third : other)[i % 2]);
        check_ok(f, sn_result_reader_table(r, "/model/c", &t, &f->err));
        assert_true(t.data[0] == (float)third[0] && t.data[1] == (float)third[1]);
        sn_result_reader_close(r);
    }
}

enum { KILL_ROOM = 30000 };

static void write_until_killed(const char *path)
{
    sn_result *w;
    sn_result_layout l = layout_of(KILL_ROOM);
    if (sn_result_create(path, &l, &w, NULL) != SN_OK) _exit(1);
    while (sn_result_frames(w) < KILL_ROOM) {
        if (write_frame(w, NULL) != SN_OK) _exit(1);
        if (sn_result_frames(w) % 7 == 0 && sn_result_flush(w, NULL) != SN_OK) _exit(1);
    }
    for (;;) pause();
}

/* Killed while it makes the file (every fourth time) or while it writes frames: always a readable file, the
   older one or the new one, and all that /frames promises is there. */
static void killed(void **state)
{
    fixture *f = *state;
    int partial = 0;
    unsigned random = 12345;
    write_run(f, f->path, 20, 20, SN_RESULT_COMPLETE);
    for (int trial = 0; trial < 20; trial++) {
        struct stat before, after;
        sn_result_reader *r;
        stat(f->path, &before);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) write_until_killed(f->path);
        for (int i = 0; i < 60000 && trial % 4; i++) {
            nanosleep(&(struct timespec){0, 1000000}, NULL);
            if (stat(f->path, &after) == 0 && after.st_ino != before.st_ino) break;
        }
        random = random * 1103515245u + 12345u;
        nanosleep(&(struct timespec){0, (long)(random >> 8) % 8000000}, NULL);
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        check_ok(f, sn_result_open(f->path, &r, &f->err));
        check_numbers(f, r);
        int n = sn_result_reader_frames(r);
        partial += sn_result_reader_status(r) == SN_RESULT_RUNNING && n > 0 && n < KILL_ROOM;
        sn_result_reader_close(r);
    }
    assert_true(partial > 0);
}

/* What a process was writing when it was killed has no name yet; skipped where the file system cannot. */
static void killed_while_writing(void **state)
{
    fixture *f = *state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sn_atomic a;
        if (sn_atomic_begin(&a, f->path, NULL)) _exit(1);
        if (a.temp) _exit(77);
        if (sn_write_at(a.fd, f->path, "half", 4, 0, NULL)) _exit(1);
        raise(SIGKILL);
    }
    int status;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        puts("skipped: the file system has no files without a name");
        skip();
    }
    assert_true(WIFSIGNALED(status));
    assert_int_equal(files_in(f->dir, 0), 0);
    /* and one that ends well has its name, its mode, and no other */
    sn_atomic a;
    struct stat st;
    mode_t mask = umask(0);
    umask(mask);
    check_ok(f, sn_atomic_begin(&a, f->path, &f->err));
    check_ok(f, sn_write_at(a.fd, f->path, "whole", 5, 0, &f->err));
    check_ok(f, sn_atomic_commit(&a, &f->err));
    sn_atomic_end(&a);
    assert_int_equal(stat(f->path, &st), 0);
    assert_int_equal(st.st_size, 5);
    assert_int_equal(st.st_mode & 0777, 0666 & ~mask);
    assert_int_equal(files_in(f->dir, 0), 1);
}

static int fail_at, calls; /* the allocation to refuse; all of them */

static void *failing_alloc(size_t bytes, void *user)
{
    (void)user;
    return calls++ == fail_at ? NULL : calloc(1, bytes);
}

static void plain_release(void *p, void *user)
{
    (void)user;
    free(p);
}

/* Write, close early (so that it is rewritten), open, read, export; stop at the first failure. */
static sn_status whole_life(fixture *f)
{
    sn_result *w;
    sn_result_reader *r;
    sn_result_layout l = layout_of(100);
    double x[2];
    SN_TRY(sn_result_create(f->path, &l, &w, &f->err));
    int before = calls;
    for (int i = 0; i < 50; i++) assert_int_equal(write_frame(w, &f->err), SN_OK);
    assert_int_equal(calls, before); /* the step loop allocates nothing */
    SN_TRY(sn_result_close(w, SN_RESULT_INTERRUPTED, &f->err));
    SN_TRY(sn_result_open(f->path, &r, &f->err));
    assert_int_equal(sn_result_reader_frames(r), 50);
    sn_status s = sn_result_reader_text(r, "@title") ? SN_OK : SN_OUT_OF_MEM(&f->err);
    if (s == SN_OK) s = sn_result_reader_get(r, 0, 49, 1, x, &f->err);
    if (s == SN_OK) s = sn_result_export_csv(r, f->other, 1, 1, &f->err);
    sn_result_reader_close(r);
    return s;
}

static void failing_allocations(void **state)
{
    fixture *f = *state;
    const sn_allocator failing = {failing_alloc, plain_release, NULL};
    sn_set_allocator(&failing);
    int n = 0, failed = 0;
    for (;; n++) {
        fail_at = n;
        calls = 0;
        sn_err_clear(&f->err);
        sn_status s = whole_life(f);
        if (calls <= n) {
            assert_int_equal(s, SN_OK);
            break;
        }
        assert_true(s == SN_OK || s == SN_ERR_MEMORY);
        if (s == SN_ERR_MEMORY) assert_int_equal(f->err.status, SN_ERR_MEMORY);
        failed += s == SN_ERR_MEMORY;
    }
    sn_set_allocator(NULL);
    assert_in_range(failed, 8, n);
    check_run(f, f->path, 50, SN_RESULT_INTERRUPTED);
    assert_int_equal(files_in(f->dir, 0), 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(test_single),         TEST(round_trip),           TEST(constant_arrays),
        TEST(large_layout),        TEST(reproducible),         TEST(running),
        TEST(compacted),           TEST(replaced_meanwhile),   TEST(full_disk),
        TEST(failing_writes),      TEST(bad_targets),          TEST(killed),
        TEST(failing_allocations), TEST(killed_while_writing),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
