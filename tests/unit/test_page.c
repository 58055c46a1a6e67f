/* The report page: title and study stand in it so that no mark-up of theirs can take effect; it appears whole
   or not at all; each allocation may fail. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "identify/page.h"
#include "counted.h"

static char folder[64], path[96];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sinew_page_XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/report.html", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder); /* fails where something else was left behind */
}

static char *whole(const char *name)
{
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    size_t n = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(n + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, n, f), n);
    fclose(f);
    return text;
}

static sn_status write_page(const char *title, const char *json, sn_err *err)
{
    sn_err_clear(err);
    return sn_page_write(path, title, json, strlen(json), NULL, NULL, err);
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, word)) != NULL; p += strlen(word)) n++;
    return n;
}

static sn_status put_word(sn_html *h, void *ctx, sn_err *err)
{
    return sn_html_put(h, ctx, strlen(ctx), err);
}

/* The page is the template with the words replaced, everywhere, and nothing else changed. */
static void test_filled(void **state)
{
    (void)state;
    sn_err err;
    char *form = whole(SN_SOURCE_DIR "/share/report.html");
    assert_int_equal(count(form, "@STUDY@"), 1);
    int titles = count(form, "@TITLE@");
    assert_true(titles > 0);
    assert_int_equal(count(form, "@MOTION@"), 1);
    char word[] = "@MOTION@";
    sn_err_clear(&err);
    assert_int_equal(sn_page_write(path, "@TITLE@", "@STUDY@", 7, put_word, word, &err), SN_OK);
    char *page = whole(path);
    assert_string_equal(page, form);
    free(page);

    assert_int_equal(write_page("Ü 1", "{\"rms\": 1}", &err), SN_OK);
    page = whole(path);
    assert_int_equal(count(page, "Ü 1"), titles);
    assert_int_equal(count(page, "id=\"study\">{\"rms\": 1}</script>"), 1);
    assert_null(strstr(page, "@TITLE@"));
    assert_null(strstr(page, "@STUDY@"));
    assert_null(strstr(page, "@MOTION@"));
    free(page);
    free(form);
}

static void test_escaped(void **state)
{
    (void)state;
    sn_err err;
    assert_int_equal(write_page("a < b & \"c\" </title>", "[\"</script><!-- <\", \"<b\", \"</\"]", &err),
                     SN_OK);
    char *page = whole(path);
    assert_non_null(strstr(page, "<title>a &lt; b &amp; &quot;c&quot; &lt;/title&gt;</title>"));
    assert_non_null(strstr(page, ">[\"<\\/script>\\u003c!-- <\", \"<b\", \"<\\/\"]</script>"));
    free(page);

    /* the last character, and nothing at all */
    assert_int_equal(write_page("", "<", &err), SN_OK);
    page = whole(path);
    assert_non_null(strstr(page, "id=\"study\"><</script>"));
    free(page);
    assert_int_equal(sn_page_write(path, "", "", 0, NULL, NULL, NULL), SN_OK);
    page = whole(path);
    assert_non_null(strstr(page, "id=\"study\"></script>"));
    free(page);
}

/* An older page is replaced; where that cannot be, it stays as it was. */
static void test_atomic(void **state)
{
    (void)state;
    sn_err err;
    assert_int_equal(write_page("first", "1", &err), SN_OK);
    assert_int_equal(write_page("second", "2", &err), SN_OK);
    char *page = whole(path);
    assert_non_null(strstr(page, "<title>second</title>"));
    assert_null(strstr(page, "<title>first</title>"));
    free(page);

    sn_err_clear(&err);
    assert_int_equal(sn_page_write(folder, "t", "1", 1, NULL, NULL, &err), SN_ERR_FILE);
    assert_int_equal(err.count, 1);
    char other[128];
    snprintf(other, sizeof other, "%s/none/report.html", folder);
    sn_err_clear(&err);
    assert_int_equal(sn_page_write(other, "t", "1", 1, NULL, NULL, &err), SN_ERR_FILE);
}

/* ---- memory ---- */

static void test_allocation(void **state)
{
    (void)state;
    sn_err err;
    assert_int_equal(write_page("old", "1", &err), SN_OK);
    int tried = 0;
    for (;; tried++) {
        counter c = {.fail = tried + 1};
        sn_set_allocator(&(sn_allocator){counted, released, &c});
        sn_status s = write_page("new", "1", &err);
        sn_set_allocator(NULL);
        assert_int_equal(c.live, 0);
        if (s == SN_OK) break;
        assert_int_equal(s, SN_ERR_MEMORY);
        assert_int_equal(err.count, 1);
        char *page = whole(path);
        assert_non_null(strstr(page, "<title>old</title>"));
        free(page);
    }
    assert_true(tried > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_filled, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_escaped, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_atomic, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_allocation, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
