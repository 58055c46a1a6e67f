/* The reader of data tables: separators, names, empty cells, every error with its place. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/csv.h"

typedef struct fixture {
    char path[64];
    sn_arena arena;
    sn_err err;
    sn_csv *csv;
    char message[1024]; /* first report, formatted */
} fixture;

static int begin(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    strcpy(f->path, "/tmp/sinew_csv_XXXXXX");
    int fd = mkstemp(f->path);
    if (fd < 0) return -1;
    close(fd);
    *state = f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;
    unlink(f->path);
    sn_arena_free(&f->arena);
    free(f);
    return 0;
}

static sn_status read_path(fixture *f, const char *path)
{
    sn_arena_free(&f->arena);
    sn_err_clear(&f->err);
    f->message[0] = 0;
    sn_status s = sn_csv_read(path, &f->arena, &f->csv, &f->err);
    assert_int_equal(s, f->err.status);
    if (s != SN_OK) {
        assert_null(f->csv);
        assert_int_equal(f->err.count, 1);
        sn_report_format(&f->err.report[0], f->message, sizeof f->message);
    }
    return s;
}

static sn_status read_bytes(fixture *f, const char *text, size_t size)
{
    FILE *out = fopen(f->path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    return read_path(f, f->path);
}

static sn_status read_text(fixture *f, const char *text) { return read_bytes(f, text, strlen(text)); }

/* The table [1 2 3; 4 5 6] with names t, a.x, b or none. */
static void check_table(fixture *f, const char *text, int named)
{
    if (read_text(f, text) != SN_OK) fail_msg("%s\n%s", f->message, text);
    assert_int_equal(f->csv->rows, 2);
    assert_int_equal(f->csv->cols, 3);
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 2; r++) assert_true(f->csv->data[c * 2 + r] == 3 * r + c + 1);
    assert_int_equal(f->csv->names != NULL, named);
    assert_int_equal(sn_csv_column(f->csv, "t"), named ? 0 : -1);
    assert_int_equal(sn_csv_column(f->csv, "a.x"), named ? 1 : -1);
    assert_int_equal(sn_csv_column(f->csv, "b"), named ? 2 : -1);
    assert_int_equal(sn_csv_column(f->csv, "c"), -1);
    assert_int_equal(sn_csv_column(f->csv, ""), -1);
}

static void separators(void **state)
{
    fixture *f = *state;
    check_table(f, "t,a.x,b\n1,2,3\n4,5,6\n", 1);
    check_table(f, "t;a.x;b\n1;2;3\n4;5;6", 1);
    check_table(f, "t\ta.x\tb\n1\t2\t3\n4\t5\t6\n", 1);
    check_table(f, "t a.x b\n1 2 3\n4 5 6\n", 1);
    check_table(f, "  t   a.x b  \n 1\t2   3\n4 5 6 \t\n", 1);
    check_table(f, "1,2,3\n4,5,6\n", 0);
    check_table(f, "1 2 3\n4 5 6\n", 0);
    check_table(f, "1 , 2,\t3\n4,5 ,6\n", 0);
    assert_int_equal(read_text(f, "\t2\t\t4\n"), SN_OK); /* tabs separate each */
    assert_int_equal(f->csv->cols, 4);
    assert_true(isnan(f->csv->data[0]) && f->csv->data[1] == 2 && isnan(f->csv->data[2]));
}

static void layout(void **state)
{
    fixture *f = *state;
    check_table(f, "# made by hand\n\nt,a.x,b\n# s,m,m\n1,2,3\n   \n  # half way\n4,5,6\n\n", 1);
    check_table(f, "t,a.x,b\r\n1,2,3\r\n\r\n4,5,6\r\n", 1);
    check_table(f, "\xef\xbb\xbft,a.x,b\n1,2,3\n4,5,6\n", 1);
    check_table(f, "\"t\",\"a.x\" ,\"b\"\n1,\"2\",3\n 4,5,\"6\"\n", 1);
    check_table(f, "1e0;+2;0.3e1\n4.0;5.;6\n", 0);
    assert_int_equal(read_text(f, "\"a, \"\"b\"\"\",c\n1,2\n"), SN_OK);
    assert_string_equal(f->csv->names[0], "a, \"b\"");
    assert_int_equal(sn_csv_column(f->csv, "c"), 1);
}

static void special_numbers(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_text(f, "a,b,c,d\n1,,nan,-inf\n,2,,1e-400\n,,,\n"), SN_OK);
    const double *x = f->csv->data;
    assert_int_equal(f->csv->rows, 3);
    assert_true(x[0] == 1 && isnan(x[1]) && isnan(x[2]));
    assert_true(isnan(x[3]) && x[4] == 2 && isnan(x[5]));
    assert_true(isnan(x[6]) && isnan(x[7]) && isnan(x[8]));
    assert_true(isinf(x[9]) && x[9] < 0 && x[10] == 0 && isnan(x[11]));
    assert_int_equal(read_text(f, "a\n0.1\n-1.7976931348623157e308\n"), SN_OK);
    assert_true(f->csv->cols == 1 && f->csv->data[0] == 0.1 && f->csv->data[1] == -1.7976931348623157e308);
    assert_int_equal(read_text(f, ",b\n1,2\n"), SN_OK);
    assert_string_equal(f->csv->names[0], "");
    assert_int_equal(sn_csv_column(f->csv, "b"), 1);
}

/* A wrong text, the place, and a piece of the message. */
static void check_error(fixture *f, const char *text, int line, int col, const char *part)
{
    assert_int_equal(read_text(f, text), SN_ERR_INPUT);
    if (!strstr(f->message, part)) fail_msg("'%s' lacks '%s'", f->message, part);
    assert_string_equal(f->err.report[0].file, f->path);
    assert_int_equal(f->err.report[0].line, line);
    assert_int_equal(f->err.report[0].col, col);
}

static void errors(void **state)
{
    fixture *f = *state;
    check_error(f, "t,x\n1,2\n3,abc\n", 3, 3, "'abc' is not a number");
    check_error(f, "t,x\n1,2\n3,4 m\n", 3, 3, "'4 m' is not a number");
    check_error(f, "t;x\n1,5;2\n", 2, 1, "decimal sign is a point");
    check_error(f, "t,x\n\n# c\n1,2,3\n", 4, 1, "3 cells where the lines above have 2");
    check_error(f, "t,x\n1,2\n3\n", 3, 1, "1 cell where the lines above have 2");
    check_error(f, "1 2\n3\n", 2, 1, "1 cell where");
    check_error(f, "t,x,t\n1,2,3\n", 1, 5, "'t' is there twice");
    check_error(f, "t,x\n1,1e999\n", 2, 3, "too large");
    check_error(f, "t,\"x\n1,2\n", 1, 3, "quote");
    check_error(f, "t,x\n\"1\"2,2\n", 2, 4, "after a quoted cell");
    check_error(f, "", 0, 0, "no rows");
    check_error(f, "\n \n# only this\n", 0, 0, "no rows");
    check_error(f, "t,x\n", 0, 0, "only names");
    assert_int_equal(read_bytes(f, "t,x\n1\0,2\n", 9), SN_ERR_INPUT);
    assert_non_null(strstr(f->message, "not a text file"));
}

static void bad_files(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_path(f, "/nowhere/at/all.csv"), SN_ERR_FILE);
    assert_string_equal(f->message,
                        "/nowhere/at/all.csv: error: cannot open the file: No such file or directory");
    assert_int_equal(read_path(f, "/tmp"), SN_ERR_FILE);
    assert_non_null(strstr(f->message, "directory"));
    assert_int_equal(truncate(f->path, ((off_t)SN_CSV_MAX_MB << 20) + 1), 0); /* a hole, no disk space */
    assert_int_equal(read_path(f, f->path), SN_ERR_INPUT);
    assert_non_null(strstr(f->message, "too large: 256.0 MiB, the limit is 256 MiB"));
}

/* A table that needs the buffer of a pipe to grow, and a header of too many columns. */
static void large(void **state)
{
    fixture *f = *state;
    enum { ROWS = 20000 };
    FILE *out = fopen(f->path, "w");
    for (int i = 0; i < ROWS; i++) fprintf(out, "%d,%.17g\n", i, sin(i));
    fclose(out);
    assert_int_equal(read_path(f, f->path), SN_OK);
    assert_int_equal(f->csv->rows, ROWS);
    for (int i = 0; i < ROWS; i++) assert_true(f->csv->data[i] == i && f->csv->data[ROWS + i] == sin(i));
    char command[128], pipe_path[64];
    snprintf(command, sizeof command, "cat %s", f->path);
    FILE *pipe_end = popen(command, "r");
    snprintf(pipe_path, sizeof pipe_path, "/dev/fd/%d", fileno(pipe_end));
    assert_int_equal(read_path(f, pipe_path), SN_OK);
    pclose(pipe_end);
    assert_int_equal(f->csv->rows, ROWS);
    assert_true(f->csv->data[2 * ROWS - 1] == sin(ROWS - 1));
    out = fopen(f->path, "w");
    for (int i = 0; i <= SN_CSV_MAX_COLUMNS; i++) fprintf(out, "%d,", i);
    fclose(out);
    assert_int_equal(read_path(f, f->path), SN_ERR_INPUT);
}

static int fail_at; /* number of the allocation to refuse, counted down */

static void *failing_alloc(size_t bytes, void *user)
{
    (void)user;
    return fail_at-- == 0 ? NULL : calloc(1, bytes);
}

static void plain_release(void *p, void *user)
{
    (void)user;
    free(p);
}

/* Says that it is enough when it is asked for the last time. */
static int counts_down(void *left, double done, double t)
{
    (void)done, (void)t;
    return --*(int *)left <= 0;
}

/* Wherever it is stopped, in the first pass or in the second, reading ends and asks nobody again. */
static void stopped(void **state)
{
    enum { ROWS = 20000 };
    fixture *f = *state;
    FILE *out = fopen(f->path, "wb");
    int left = 1000, asked;
    assert_non_null(out);
    for (int i = 0; i < ROWS; i++) fprintf(out, "%d,1\n", i);
    assert_int_equal(fclose(out), 0);
    const sn_patience p = {counts_down, &left};
    sn_err_clear(&f->err);
    assert_int_equal(sn_csv_read_patiently(f->path, &p, &f->arena, &f->csv, &f->err), SN_OK);
    assert_int_equal(f->csv->rows, ROWS);
    asked = 1000 - left;
    assert_true(asked > 4); /* both passes of some thousand rows each */
    for (int n = 1; n <= asked; n++) {
        left = n;
        sn_arena_free(&f->arena), sn_err_clear(&f->err);
        assert_int_equal(sn_csv_read_patiently(f->path, &p, &f->arena, &f->csv, &f->err), SN_ERR_INTERRUPTED);
        assert_int_equal(left, 0);
        assert_null(f->csv);
    }
}

static void failing_allocations(void **state)
{
    fixture *f = *state;
    assert_int_equal(read_text(f, "t,x\n1,2\n"), SN_OK);
    const sn_allocator failing = {failing_alloc, plain_release, NULL};
    sn_status s = SN_ERR_MEMORY;
    int n = 0;
    for (; s != SN_OK && n < 100; n++) {
        sn_arena_free(&f->arena);
        sn_set_allocator(&failing);
        fail_at = n;
        sn_err_clear(&f->err);
        s = sn_csv_read(f->path, &f->arena, &f->csv, &f->err);
        sn_set_allocator(NULL);
        assert_true(s == SN_OK || s == SN_ERR_MEMORY);
    }
    assert_in_range(n, 3, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(separators, begin, end),
        cmocka_unit_test_setup_teardown(layout, begin, end),
        cmocka_unit_test_setup_teardown(special_numbers, begin, end),
        cmocka_unit_test_setup_teardown(errors, begin, end),
        cmocka_unit_test_setup_teardown(bad_files, begin, end),
        cmocka_unit_test_setup_teardown(large, begin, end),
        cmocka_unit_test_setup_teardown(stopped, begin, end),
        cmocka_unit_test_setup_teardown(failing_allocations, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
