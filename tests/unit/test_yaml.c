/* The model reader: places of everything, and a report with place and text for each kind of fault. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/yaml.h"

typedef struct reading {
    sn_arena arena;
    sn_err err;
    sn_item *root;
    sn_status status;
} reading;

static void read_bytes(reading *r, const char *text, size_t len)
{
    memset(r, 0, sizeof *r);
    r->status = sn_yaml_read_text("m.yaml", text, len, &r->arena, &r->root, &r->err);
    assert_true((r->status == SN_OK) == (r->root != NULL));
    assert_int_equal(r->err.status, r->status);
}

static void read_good(reading *r, const char *text)
{
    read_bytes(r, text, strlen(text));
    if (r->status != SN_OK) fail_msg("%s", r->err.report[0].text);
    assert_int_equal(r->err.count, 0);
}

/* Child i, counted from 0. */
static const sn_item *child(const sn_item *item, int i)
{
    const sn_item *c = item->child;
    assert_in_range(i, 0, item->n - 1);
    while (i-- > 0) c = c->next;
    return c;
}

static void check_item(const sn_item *item, sn_item_type type, const char *key, int key_line, int key_col,
                       const char *text, int line, int col)
{
    assert_int_equal(item->type, type);
    if (key)
        assert_string_equal(item->key, key);
    else
        assert_null(item->key);
    assert_string_equal(item->text, text);
    int place[] = {item->key_mark.line, item->key_mark.col, item->mark.line, item->mark.col};
    int expected[] = {key_line, key_col, line, col};
    for (int i = 0; i < 4; i++)
        if (place[i] != expected[i])
            fail_msg("'%s' is at %d:%d, value %d:%d", key ? key : text, place[0], place[1], place[2],
                     place[3]);
    assert_string_equal(item->mark.file, "m.yaml");
    assert_string_equal(item->key_mark.file, "m.yaml");
    assert_non_null(item->mark.source);
}

static void check_fault_bytes(const char *text, size_t len, int line, int col, const char *message)
{
    reading r;
    read_bytes(&r, text, len);
    const sn_report *report = &r.err.report[0];
    assert_int_equal(r.status, SN_ERR_INPUT);
    assert_string_equal(report->text, message);
    assert_string_equal(report->file, "m.yaml");
    if (report->line != line || report->col != col)
        fail_msg("%s: at %d:%d, not %d:%d", message, report->line, report->col, line, col);
    sn_arena_free(&r.arena);
}

static void check_fault(const char *text, int line, int col, const char *message)
{
    check_fault_bytes(text, strlen(text), line, col, message);
}

static void places_of_block_style(void **state)
{
    (void)state;
    reading r;
    read_good(&r, "sinew: 1\n"
                  "# comment\n"
                  "nodes:\n"
                  "  n1: [0, -9.81]\n"
                  "  \"n 2\":\n"
                  "    - 0\n"
                  "    -     # nothing\n"
                  "    - 'a b'\n"
                  "empty:\n"
                  "run: {end: 3 s, list: [{x: 1}, y: 2]}\n");
    check_item(r.root, SN_ITEM_MAP, NULL, 1, 1, "", 1, 1);
    assert_int_equal(r.root->n, 4);
    check_item(child(r.root, 0), SN_ITEM_SCALAR, "sinew", 1, 1, "1", 1, 8);
    const sn_item *nodes = child(r.root, 1), *n2 = child(nodes, 1), *run = child(r.root, 3);
    check_item(nodes, SN_ITEM_MAP, "nodes", 3, 1, "", 4, 3);
    check_item(child(nodes, 0), SN_ITEM_LIST, "n1", 4, 3, "", 4, 7);
    check_item(child(child(nodes, 0), 1), SN_ITEM_SCALAR, NULL, 4, 11, "-9.81", 4, 11);
    check_item(n2, SN_ITEM_LIST, "n 2", 5, 3, "", 6, 5);
    assert_int_equal(n2->n, 3);
    check_item(child(n2, 1), SN_ITEM_SCALAR, NULL, 7, 5, "", 7, 5);
    check_item(child(n2, 2), SN_ITEM_SCALAR, NULL, 8, 7, "a b", 8, 7);
    check_item(child(r.root, 2), SN_ITEM_SCALAR, "empty", 9, 1, "", 9, 1);
    check_item(run, SN_ITEM_MAP, "run", 10, 1, "", 10, 6);
    check_item(child(run, 0), SN_ITEM_SCALAR, "end", 10, 7, "3 s", 10, 12);
    const sn_item *list = child(run, 1);
    check_item(child(list, 0), SN_ITEM_MAP, NULL, 10, 24, "", 10, 24);
    check_item(child(list, 1), SN_ITEM_MAP, NULL, 10, 32, "", 10, 32);
    check_item(child(child(list, 1), 0), SN_ITEM_SCALAR, "y", 10, 32, "2", 10, 35);
    assert_null(child(r.root, 3)->next);
    sn_arena_free(&r.arena);
}

static void texts(void **state)
{
    (void)state;
    reading r;
    read_good(&r, "a: \"tab\\t\\u00e9\"\n"
                  "b: 'it''s'\n"
                  "c: two\n  lines\n"
                  "d: |\n  x\n  y\n"
                  "e: \"\"\n"
                  "f: ~\n"
                  "g: 0.5 N*m/rad # comment\n"
                  "? h\n: 1\n"
                  "i: {}\n");
    static const char *const expected[] = {"tab\t\xc3\xa9", "it's", "two lines", "x\ny\n", "", "~",
                                           "0.5 N*m/rad",   "1",    ""};
    assert_int_equal(r.root->n, 9);
    for (int i = 0; i < 9; i++) assert_string_equal(child(r.root, i)->text, expected[i]);
    assert_int_equal(child(r.root, 8)->type, SN_ITEM_MAP);
    assert_int_equal(child(r.root, 8)->n, 0);
    sn_arena_free(&r.arena);
}

/* Columns count bytes; a byte order mark is not part of the first line; CR LF and CR are line ends. */
static void encodings(void **state)
{
    (void)state;
    reading r;
    read_good(&r, "\xef\xbb\xbf"
                  "\xc3\xa9: 1\r\nb: |\r\n  x\r\n  y\r\nc: [1,\r\n  2]\rd: 3");
    check_item(child(r.root, 0), SN_ITEM_SCALAR, "\xc3\xa9", 1, 1, "1", 1, 5);
    assert_string_equal(child(r.root, 1)->text, "x\ny\n");
    check_item(child(child(r.root, 2), 1), SN_ITEM_SCALAR, NULL, 6, 3, "2", 6, 3);
    check_item(child(r.root, 3), SN_ITEM_SCALAR, "d", 7, 1, "3", 7, 4);
    assert_string_equal(r.root->mark.source, "\xc3\xa9: 1\nb: |\n  x\n  y\nc: [1,\n  2]\nd: 3");
    sn_arena_free(&r.arena);
    read_good(&r, "--- # begin\na: 1\n...\n");
    sn_arena_free(&r.arena);
}

static void duplicate_keys(void **state)
{
    (void)state;
    reading r;
    check_fault("a: 1\nb: {c: 1,\n  d: 2, c: 3}\n", 3, 9, "duplicate key 'c' (first given at line 2)");
    const char *text = "k: 1\nl: 2\n\"k\": 3\nl: 4\nk: 5\n";
    read_bytes(&r, text, strlen(text));
    assert_int_equal(r.err.count, 3);
    assert_int_equal(r.err.report[0].line, 3);
    assert_int_equal(r.err.report[1].line, 5);
    assert_string_equal(r.err.report[1].text, "duplicate key 'k' (first given at line 1)");
    assert_string_equal(r.err.report[2].text, "duplicate key 'l' (first given at line 2)");
    assert_string_equal(r.err.report[2].excerpt, "l: 4");
    sn_arena_free(&r.arena);
    read_good(&r, "a: {x: 1}\nb: {x: 1}\n");
    sn_arena_free(&r.arena);
}

#define NO_ALIAS(name)                                                                                       \
    "'*" name "' is an alias in YAML, which model files do not use; "                                        \
    "if a text or an expression is meant, quote it: \"*" name "\""
#define EMPTY "the file is empty; a model file begins with 'sinew: 1'"
#define MAP   "a model file is a map of sections, beginning with 'sinew: 1'; this is a "

static void refused_features(void **state)
{
    (void)state;
    check_fault("a: 1\nk: *2\n", 2, 4, NO_ALIAS("2"));
    check_fault("a: [1, *x ]\n", 1, 8, NO_ALIAS("x"));
    check_fault("*k : 1\n", 1, 1, NO_ALIAS("k"));
    check_fault("a: &x 1\n", 1, 4,
                "anchors are not used in model files; give the value a name under 'parameters', "
                "or quote a text that begins with '&': \"&x\"");
    check_fault("a: !t [1]\n", 1, 4,
                "tags are not used in model files; put quotes around a text that begins with '!'");
    check_fault("a: 1\n<<: {b: 1}\n", 2, 1, "merge keys ('<<') are not used in model files");
    check_fault("%YAML 1.2\n---\na: 1\n", 1, 1, "directives ('%') are not used in model files");
    check_fault("a: {[b]: 1}\n", 1, 5, "a key must be a name, not a list or a map");
    check_fault("? {b: 1}\n: 2\n", 1, 3, "a key must be a name, not a list or a map");
    check_fault("a: 1\n: 2\n", 2, 1, "a key is missing here, before the ':'");
    check_fault("a: 1\n\"\": 2\n", 2, 1, "a key is missing here, before the ':'");
    check_fault("a: \"x\\0y\"\n", 1, 4, "a text may not hold a NUL character");
    check_fault("a: 'x''''y'\n", 1, 4, "several quotes side by side in '...'; use \"...\" here");
    check_fault("a: 1\n---\nb: 2\n", 2, 1, "a second YAML document begins here; a model file holds one");
    check_fault("", 0, 0, EMPTY);
    check_fault("\n# only a comment\n  \n", 0, 0, EMPTY);
    check_fault("---\n", 0, 0, EMPTY);
    check_fault("- a\n- b\n", 1, 1, MAP "list");
    check_fault("words\n", 1, 1, MAP "single text");
    check_fault("sinew:1\n", 1, 1, MAP "single text (is a space missing after a ':'?)");
}

static void several_faults_at_once(void **state)
{
    (void)state;
    reading r;
    const char *text = "a: *x\nb: &y 1\nc: {d: 1, d: 2}\ne: [1\n";
    read_bytes(&r, text, strlen(text));
    assert_int_equal(r.err.count, 4);
    for (int i = 0; i < 3; i++) assert_int_equal(r.err.report[i].line, i + 1);
    assert_string_equal(r.err.report[3].text,
                        "flow sequence without a closing bracket (inside the '[' of line 4)");
    sn_arena_free(&r.arena);
}

/* The words are libfyaml's, the places ours. */
static void syntax(void **state)
{
    (void)state;
    check_fault("a:\n\tb: 1\n", 2, 1, "tab character may not be used as indentation");
    check_fault("a: 1\n b: 2\n", 1, 4, "invalid multiline plain key; is the indentation of line 2 right?");
    check_fault("a: b: c\n", 1, 5,
                "invalid nested block mapping on the same line; quote a text that holds ': '");
    check_fault("a: [1, 2}\n", 1, 9, "mismatched flow mapping end");
    check_fault("a: @x\n", 1, 4, "plain scalar cannot start with '@'");
    check_fault("a: 1\nb\nc: 2\n", 2, 1, "could not find expected ':'");
    check_fault("a: {b: 1,\n c: \"x\n", 2, 6,
                "double-quoted scalar without closing quote (inside the '{' of line 1)");
}

static void not_text(void **state)
{
    (void)state;
    check_fault_bytes("a: 1\nb\0c", 8, 2, 2, "not a text file: a NUL byte stands here");
    const char *utf8 = "not a text file: a byte that is not UTF-8 stands here";
    check_fault("a: \xff\n", 1, 4, utf8);
    check_fault("a: \xc3", 1, 4, utf8);
    check_fault("\r\na: \xc0\x80\n", 2, 4, utf8);     /* overlong */
    check_fault("a: \xed\xa0\x80\n", 1, 4, utf8);     /* surrogate */
    check_fault("a: \xf4\x90\x80\x80\n", 1, 4, utf8); /* beyond U+10FFFF */
    check_fault("a: \x1b[31m\n", 1, 4, "not a text file: a control character stands here");
}

/* `n` times a unit, between two ends. */
static char *repeat(const char *before, const char *unit, int n, const char *after)
{
    size_t len = strlen(unit), total = strlen(before) + (size_t)n * len + strlen(after) + 1;
    char *text = malloc(total), *p = text;
    assert_non_null(text);
    p += sprintf(p, "%s", before);
    for (int i = 0; i < n; i++, p += len) memcpy(p, unit, len);
    memcpy(p, after, strlen(after) + 1);
    return text;
}

static void check_repeated(const char *before, const char *unit, int n, int line, int col,
                           const char *message)
{
    char *text = repeat(before, unit, n, "");
    check_fault(text, line, col, message);
    free(text);
}

static void nesting(void **state)
{
    (void)state;
    const char *deep = "lists and maps are nested deeper than 64 levels";
    check_repeated("a: ", "[", 10000, 1, 67, deep);
    check_repeated("", "{a: ", 10000, 1, 257, deep);
    check_repeated("a:\n  ", "- ", 10000, 2, 129, deep);
    reading r;
    char *open = repeat("a: ", "[", 63, ""), *text = repeat(open, "]", 63, "\n");
    read_good(&r, text);
    sn_arena_free(&r.arena);
    free(text);
    free(open);
    /* block maps, each one column deeper */
    enum { LEVELS = 500 };
    char *block = malloc((size_t)LEVELS * (LEVELS + 4)), *p = block;
    assert_non_null(block);
    for (int i = 0; i < LEVELS; i++) {
        memset(p, ' ', (size_t)i);
        memcpy(p + i, "a:\n", 3);
        p += i + 3;
    }
    check_fault_bytes(block, (size_t)(p - block), 65, 65, deep);
    free(block);
}

static void limits(void **state)
{
    (void)state;
    /* one value that libfyaml would look through: in a bracket, in lines indented deeper, as the whole file
     */
    const char *ahead =
        "more than 1000000 values in one bracket or section; give each entry a line of its own, "
        "'name: ...', all indented alike";
    check_repeated("a: [", "1,", 1000001, 1, 2000002, ahead);
    check_repeated("a: [\n", " 1,\n", 1000001, 1000000, 3, ahead);
    check_repeated("a: 1\nb:\n- [\n", "\t1,\n", 1000001, 1000002, 3, ahead);
    check_repeated("{", "a: 1,\n", 500001, 500000, 5, ahead);
    check_repeated("---\n{", "a: 1,\n", 500001, 500001, 2, ahead);
    check_repeated("--- {\n", "a: 1,\n", 500001, 500001, 2, ahead);
    check_repeated("a: 1\n--- {\n", "a: 1,\n", 500001, 500001, 5, ahead);
    /* entries in lines of their own have no such limit */
    reading r;
    char *lines = repeat("a:\n", "  - [1, 2]\n", 400000, "b: [1,\n 2]\n");
    read_good(&r, lines);
    assert_int_equal(child(r.root, 0)->n, 400000);
    assert_int_equal(child(r.root, 1)->mark.line, 400002);
    sn_arena_free(&r.arena);
    free(lines);
    check_repeated("a: |\n x", "\n", 600, 514, 1, "more than 512 blank lines in a row");
    check_repeated("a: 'x'", " ", 600, 1, 519, "more than 512 blanks in a row");
    check_repeated("a: {b:\n", " ", 600, 2, 513, "more than 512 blanks in a row");
    check_repeated("a: !<", "x", 600, 1, 516, "more than 512 letters behind '!' in a row");
    sn_arena arena = {0}; /* the length is judged before the text is looked at */
    sn_err err = {0};
    sn_item *root;
    assert_int_equal(sn_yaml_read_text("long", "a: 1", (size_t)SN_YAML_MAX_BYTES + 1, &arena, &root, &err),
                     SN_ERR_INPUT);
    assert_string_equal(err.report[0].text, "the file is too large: 1024.0 MiB, the limit is 1024 MiB");
}

static void check_file(const char *path, sn_status status, const char *message)
{
    sn_arena arena = {0};
    sn_err err = {0};
    sn_item *root;
    assert_int_equal(sn_yaml_read_file(path, &arena, &root, &err), status);
    assert_null(root);
    assert_string_equal(err.report[0].text, message);
    assert_string_equal(err.report[0].file, path);
    sn_arena_free(&arena);
}

static void files(void **state)
{
    (void)state;
    char path[] = "/tmp/sinew-yaml-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "sinew: 1\nrun: {end: 1 s}\n", 25), 25);
    sn_arena arena = {0};
    sn_err err = {0};
    sn_item *root = NULL;
    assert_int_equal(sn_yaml_read_file(path, &arena, &root, &err), SN_OK);
    assert_string_equal(child(child(root, 1), 0)->text, "1 s");
    assert_string_equal(root->mark.file, path);
    sn_arena_free(&arena);
    /* a hole costs no disk: the size alone refuses it */
    assert_int_equal(ftruncate(fd, (off_t)SN_YAML_MAX_BYTES + (1 << 20)), 0);
    check_file(path, SN_ERR_INPUT, "the file is too large: 1025.0 MiB, the limit is 1024 MiB");
    close(fd);
    assert_int_equal(unlink(path), 0);
    check_file(path, SN_ERR_FILE, "cannot open the file: No such file or directory");
    check_file("/tmp", SN_ERR_FILE, "cannot read the file: Is a directory");
    assert_int_equal(sn_yaml_read_file("/dev/null", &arena, &root, NULL), SN_ERR_INPUT);
    sn_arena_free(&arena);
}

/* libfyaml would print its diagnostics: nothing may reach stderr. */
static void silence(void **state)
{
    (void)state;
    int saved = dup(STDERR_FILENO);
    FILE *trap = tmpfile();
    assert_true(saved >= 0 && trap && dup2(fileno(trap), STDERR_FILENO) >= 0);
    static const char *const bad[] = {"a: [1\n", "a:\n\tb: 1\n", "a: \"\\q\"\n", "a: !<%zz> 1\n",
                                      "a: {b: 1\n: ]\n"};
    for (int i = 0; i < 5; i++) {
        reading r;
        read_bytes(&r, bad[i], strlen(bad[i]));
        sn_arena_free(&r.arena);
    }
    struct stat info;
    int ok = fflush(stderr) == 0 && fstat(fileno(trap), &info) == 0;
    dup2(saved, STDERR_FILENO);
    close(saved);
    fclose(trap);
    assert_true(ok);
    assert_int_equal(info.st_size, 0);
}

typedef struct meter {
    int calls, fail_at, live;
} meter;

static void *meter_alloc(size_t bytes, void *user)
{
    meter *m = user;
    if (++m->calls == m->fail_at) return NULL;
    m->live++;
    return calloc(1, bytes);
}

static void meter_release(void *p, void *user)
{
    ((meter *)user)->live--;
    free(p);
}

/* Make allocation 1, 2, ... fail until a run needs no more of them; nothing stays allocated. */
static void starve(const char *path, const char *text, sn_status last)
{
    meter m = {0, 1, 0};
    const sn_allocator failing = {meter_alloc, meter_release, &m};
    sn_set_allocator(&failing);
    for (;; m.fail_at++) {
        sn_arena arena = {0};
        sn_err err = {0};
        sn_item *root;
        m.calls = 0;
        sn_status status = path ? sn_yaml_read_file(path, &arena, &root, &err)
                                : sn_yaml_read_text("m.yaml", text, strlen(text), &arena, &root, &err);
        sn_arena_free(&arena);
        assert_int_equal(m.live, 0);
        if (m.calls < m.fail_at) {
            assert_int_equal(status, last);
            break;
        }
        assert_int_equal(status, SN_ERR_MEMORY);
        assert_null(root);
        assert_string_equal(err.report[err.count - 1].text, "out of memory");
    }
    assert_true(m.fail_at > 4);
    sn_set_allocator(NULL);
}

static void failing_allocations(void **state)
{
    (void)state;
    char *many = repeat("a: [", "'some text', {b: 1, c: 2}, ", 400, "1]\n");
    starve(NULL, many, SN_OK);
    free(many);
    starve(NULL, "a: {b: 1, c: 2}\nd: [1, 2\n", SN_ERR_INPUT);
    starve(SN_SOURCE_DIR "/tests/robust/corpus/reader/two_bars.yaml", NULL, SN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_of_block_style),
        cmocka_unit_test(texts),
        cmocka_unit_test(encodings),
        cmocka_unit_test(duplicate_keys),
        cmocka_unit_test(refused_features),
        cmocka_unit_test(several_faults_at_once),
        cmocka_unit_test(syntax),
        cmocka_unit_test(not_text),
        cmocka_unit_test(nesting),
        cmocka_unit_test(limits),
        cmocka_unit_test(files),
        cmocka_unit_test(silence),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
