/* The page of a result: its numbers are those of the file, bit for bit where they are sensors; names cannot
   act as mark-up; bad files leave no page; each allocation may fail. */
#include "unit/result_kit.h"

#include "base/mem.h"
#include "sinew/sinew.h"
#include "counted.h"

static char *whole(const char *name)
{
    FILE *in = fopen(name, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    size_t n = (size_t)ftell(in);
    rewind(in);
    char *text = calloc(n + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, n, in), n);
    fclose(in);
    return text;
}

/* Bytes of the block with that id; how many. */
static int decode(const char *page, const char *id, unsigned char *out, int room)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char open[64];
    snprintf(open, sizeof open, "<script id=\"%s\" type=\"application/octet-stream\">", id);
    const char *c = strstr(page, open);
    assert_non_null(c);
    unsigned bits = 0;
    int n = 0, have = 0;
    for (c += strlen(open); *c != '<' && *c != '='; c++) {
        const char *at = strchr(letters, *c);
        assert_non_null(at);
        bits = bits << 6 | (unsigned)(at - letters);
        if ((have += 6) < 8) continue;
        have -= 8;
        assert_true(n < room);
        out[n++] = (unsigned char)(bits >> have);
    }
    return n;
}

static void test_numbers(void **state)
{
    fixture *f = *state;
    double x[64];
    float y[64];
    for (int frames = 1; frames <= 7; frames += 3) { /* bytes over after groups of three: 2, 1, 2 */
        write_run(f, f->path, 9, frames, SN_RESULT_COMPLETE);
        check_ok(f, sn_result_page(f->path, f->other, &f->err));
        char *page = whole(f->other);
        assert_int_equal(decode(page, "axis", (unsigned char *)x, sizeof x), 8 * frames);
        for (int i = 0; i < frames; i++) assert_true(x[i] == 0.25 * i);
        assert_int_equal(decode(page, "c0", (unsigned char *)x, sizeof x), 16 * frames);
        for (int i = 0; i < 2 * frames; i++) assert_true(x[i] == value(i / 2, i % 2));
        assert_int_equal(decode(page, "sq", (unsigned char *)y, sizeof y), 12 * frames);
        for (int i = 0; i < 3 * frames; i++) assert_true(y[i] == (float)value(i / 3, 3 + i % 3));
        assert_non_null(strstr(page, "<title>Gr\xc3\xb6\xc3\x9f</title>"));
        free(page);
    }
}

static void test_marks(void **state)
{
    fixture *f = *state;
    const char *const evil[] = {"</script><b>\"\\\n", "<!--"};
    const sn_result_column column = {"/sensors/a&b", 2, evil, metre, NULL};
    const sn_result_text text = {"@title", "</title><script>@DATA@"};
    const sn_result_layout l = {1, "/time", "s", 1, 1, 0, &column, &text, NULL, 0, 0};
    const double y[2] = {1, 2};
    sn_result *w;
    check_ok(f, sn_result_create(f->path, &l, &w, &f->err));
    check_ok(f, sn_result_frame(w, 0, (const double *const[]){y}, &f->err));
    check_ok(f, sn_result_close(w, SN_RESULT_INTERRUPTED, &f->err));
    check_ok(f, sn_result_page(f->path, f->other, &f->err));
    char *page = whole(f->other);
    assert_non_null(strstr(page, "<title>&lt;/title&gt;&lt;script&gt;@DATA@</title>"));
    assert_non_null(strstr(page, "\"\\u003c/script>\\u003cb>\\u0022\\u005c\\u000a\",\"\\u003c!--\""));
    assert_non_null(strstr(page, "\"status\":2"));
    assert_non_null(strstr(page, "\"nq\":0"));
    free(page);
}

static void test_bad(void **state)
{
    fixture *f = *state;
    write_run(f, f->path, 4, 4, SN_RESULT_COMPLETE);
    assert_int_equal(truncate(f->path, 3000), 0);
    check_fails(f, sn_result_page(f->path, f->other, &f->err), SN_ERR_FILE, "truncated");
    check_fails(f, sn_result_page(f->dir, f->other, &f->err), SN_ERR_FILE, "is a directory");
    assert_int_equal(access(f->other, F_OK), -1);
    write_run(f, f->path, 4, 0, SN_RESULT_FAILED);
    check_ok(f, sn_result_page(f->path, f->other, &f->err)); /* no frames: a page that says so */
    check_fails(f, sn_result_page(f->path, "/nowhere/page.html", &f->err), SN_ERR_FILE, "/nowhere");
    assert_int_equal(files_in(f->dir, 0), 2);
}

static void write_text(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

/* Fields with their ranges, and what belongs to the second result begins with r1., to the data with r2. */
static void test_several(void **state)
{
    fixture *f = *state;
    char second[96], csv[96];
    double x[8];
    float y[16], z[18];
    snprintf(second, sizeof second, "%s/b.h5", f->dir);
    snprintf(csv, sizeof csv, "%s/c.csv", f->dir);
    write_run(f, f->path, 3, 3, SN_RESULT_COMPLETE);
    write_fields(f, second, 2);
    write_text(csv, "t,tip.x\n0.5,7\n1.5,\n");
    const char *const path[] = {f->path, second}, *const data[] = {csv};
    const sn_page_options with = {.n_data = 1, .data = data, .begin = "view=top&trace=\"</tip>"};
    check_ok(f, sn_results_page(2, path, &with, f->other, &f->err));
    char *page = whole(f->other);
    const char *begin = strstr(page, "\"begin\":\"view=top&trace=");
    assert_non_null(begin);
    assert_null(strstr(begin + 1, "\"begin\":")); /* of the first result alone */
    assert_int_equal(decode(page, "axis", (unsigned char *)x, sizeof x), 24);
    assert_int_equal(decode(page, "r1.axis", (unsigned char *)x, sizeof x), 16);
    assert_int_equal(decode(page, "r1.f0", (unsigned char *)y, sizeof y), 16);
    assert_true(y[0] == 1 && y[1] == -2 && y[2] == -2 && y[3] == 3);
    assert_int_equal(decode(page, "r1.t0", (unsigned char *)y, sizeof y), 36);
    assert_true(y[3] == 1 && y[7] == 1);
    assert_int_equal(decode(page, "r2.c1", (unsigned char *)x, sizeof x), 16);
    assert_true(x[0] == 7 && x[1] != x[1]);
    assert_non_null(strstr(page,
                           "\"name\":\"axial\",\"unit\":\"N\",\"doc\":\"axial force\",\"of\":\"elements\","
                           "\"style\":\"signed\",\"components\":[\"\"],\"block\":\"f0\",\"range\":[-2,3],"
                           "\"rows\":[4,7],\"points\":[1,1]"));
    /* forces 3, 4 and -2, 3; moments 5 and 4 */
    assert_non_null(strstr(page, "\"of\":\"joints\",\"style\":\"force\",\"components\":[\"fx\",\"fy\",\"m\"],"
                                 "\"block\":\"f1\",\"range\":[5,5],\"rows\":[0],\"points\":[1]"));
    assert_non_null(strstr(page, "\"triangles\":[0]"));
    assert_non_null(strstr(page, "\"meshSizes\":[[3,2,1,1]]"));
    assert_int_equal(decode(page, "r1.g0.1", (unsigned char *)z, sizeof z), 72);
    assert_true(z[2] == 3 && z[17] == 4);
    assert_int_equal(decode(page, "r1.g0.3", (unsigned char *)z, sizeof z), 12);
    assert_true(z[0] == 0 && z[1] == 1 && z[2] == 2);
    assert_non_null(strstr(page, "\"source\":\"b.h5\""));
    free(page);
    unlink(f->other);
    write_text(csv, "1,2\n3,4\n");
    check_fails(f, sn_results_page(2, path, &with, f->other, &f->err), SN_ERR_INPUT, "line of names");
    write_fields(f, second, 3);
    check_fails(f, sn_results_page(2, path, NULL, f->other, &f->err), SN_ERR_FILE, "does not fit");
    assert_int_equal(access(f->other, F_OK), -1);
}

static void test_allocation(void **state)
{
    fixture *f = *state;
    char second[96], csv[96];
    snprintf(second, sizeof second, "%s/b.h5", f->dir);
    snprintf(csv, sizeof csv, "%s/c.csv", f->dir);
    write_run(f, f->path, 4, 4, SN_RESULT_COMPLETE);
    write_fields(f, second, 2);
    write_text(csv, "t,tip.x\n0.5,7\n");
    const char *const path[] = {f->path, second}, *const data[] = {csv};
    const sn_page_options with = {.n_data = 1, .data = data, .begin = "view=top&trace=\"</tip>"};
    for (long fail = 1, done = 0; !done; fail++) {
        counter c = {.fail = fail};
        sn_err_clear(&f->err);
        sn_set_allocator(&(sn_allocator){counted, released, &c});
        sn_status s = sn_results_page(2, path, &with, f->other, &f->err);
        sn_set_allocator(NULL);
        assert_int_equal(c.live, 0);
        done = c.calls < fail;
        if (done) assert_int_equal(s, SN_OK);
        if (s != SN_OK) assert_int_equal(s, SN_ERR_MEMORY);
        assert_int_equal(access(f->other, F_OK), s == SN_OK ? 0 : -1);
        unlink(f->other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_numbers, begin, end),
        cmocka_unit_test_setup_teardown(test_marks, begin, end),
        cmocka_unit_test_setup_teardown(test_bad, begin, end),
        cmocka_unit_test_setup_teardown(test_several, begin, end),
        cmocka_unit_test_setup_teardown(test_allocation, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
