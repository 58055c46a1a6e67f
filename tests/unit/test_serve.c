/* The server of a result without its sockets: which requests are refused and how, random ones among them;
   pieces have the file's numbers, bit for bit; spans are those of all frames; files that change; each
   allocation may fail. */
#include "unit/result_kit.h"

#include "base/mem.h"
#include "view/answer.h"
#include "counted.h"

enum { PORT = 8123, FRAMES = 1000 };
#define HOST "Host: 127.0.0.1:8123\r\n"

static int status_of(const char *text)
{
    sn_http_request r;
    return sn_http_read(text, strlen(text), PORT, &r);
}

static void test_requests(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *text;
    } list[] = {
        {200, "GET / HTTP/1.1\r\n" HOST "\r\n"},
        {200,
         "HEAD /data?first=1 HTTP/1.0\r\nhost:localhost:8123 \r\nAccept: */*\r\nContent-Length: 0\r\n\r\n"},
        {200,
         "GET /../../etc/passwd HTTP/1.1\r\n" HOST "\r\n"}, /* fine as a request: there is no such place */
        {0, ""},
        {0, "GET / HTTP/1.1\r\n" HOST},
        {0, "GET / HTTP/1.1\r\n" HOST "\r"},
        {400, "\x16\x03\x01\x02"}, /* TLS */
        {400, "get / HTTP/1.1\r\n" HOST "\r\n"},
        {400, "GET /\r\n\r\n"},
        {400, "GET\r\n\r\n"},
        {400, "GET  / HTTP/1.1\r\n" HOST "\r\n"},
        {505, "GET / HTTP/1.1 \r\n" HOST "\r\n"},
        {400, "GET http://127.0.0.1:8123/ HTTP/1.1\r\n" HOST "\r\n"},
        {400, "GET /\x01 HTTP/1.1\r\n" HOST "\r\n"},
        {400, "GET /\xc3\xa4 HTTP/1.1\r\n" HOST "\r\n"},
        {400, "GET / HTTP/1.1\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\n" HOST HOST "\r\n"},
        {400, "GET / HTTP/1.1\r\n" HOST "no colon\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\n" HOST " folded: line\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\n" HOST "Bare: \n line\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello"},
        {400, "GET / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"},
        {403, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"},
        {403, "GET / HTTP/1.1\r\nHost: evil.example:8123\r\n\r\n"},
        {403, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"},
        {403, "GET / HTTP/1.1\r\nHost: 127.0.0.1:81230\r\n\r\n"},
        {403, "GET / HTTP/1.1\r\nHost: 127.0.0.1:8123.evil.example\r\n\r\n"},
        {405, "POST / HTTP/1.1\r\n" HOST "\r\n"},
        {405, "OPTIONS / HTTP/1.1\r\n" HOST "\r\n"},
        {505, "GET / HTTP/2.0\r\n" HOST "\r\n"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (status_of(list[i].text) != list[i].status)
            fail_msg("'%s' is %d, not %d", list[i].text, status_of(list[i].text), list[i].status);
    char large[SN_HTTP_ROOM + 1];
    memset(large, 'A', sizeof large);
    sn_http_request r;
    assert_int_equal(sn_http_read(large, SN_HTTP_ROOM - 1, PORT, &r), 0);
    assert_int_equal(sn_http_read(large, SN_HTTP_ROOM, PORT, &r), 431);
    snprintf(large, sizeof large, "GET /%0*d HTTP/1.1\r\n" HOST "\r\n", SN_HTTP_TARGET, 0);
    assert_int_equal(status_of(large), 414);
    assert_int_equal(sn_http_read("GET /\0 HTTP/1.1\r\n" HOST "\r\n", 42, PORT, &r), 400);
    assert_int_equal(sn_http_read("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 35, 80, &r), 200);
}

static void test_query(void **state)
{
    (void)state;
    sn_http_request r;
    const char *text =
        "GET /data?a=1&bb=-20&c=&d=x&e=1.5&f=99999999999999999999&g=- HTTP/1.1\r\n" HOST "\r\n";
    int64_t x = 0;
    assert_int_equal(sn_http_read(text, strlen(text), PORT, &r), 200);
    assert_string_equal(r.path, "/data");
    assert_true(sn_http_number(&r, "a", 0, 9, &x) && x == 1);
    assert_true(sn_http_number(&r, "bb", -20, 9, &x) && x == -20);
    assert_false(sn_http_number(&r, "bb", -19, 9, &x));
    for (const char *const *key = (const char *const[]){"b", "c", "d", "e", "f", "g", "h", NULL}; *key; key++)
        assert_false(sn_http_number(&r, *key, INT64_MIN, INT64_MAX, &x));
}

static unsigned draw(unsigned *seed) { return *seed = *seed * 1664525u + 1013904223u, *seed >> 8; }

/* Good requests with random harm done to them, and what their answers are; sanitizers watch. */
static void test_random(void **state)
{
    fixture *f = *state;
    static const char good[] =
        "GET /data?edition=1&column=0&first=0&count=4&step=1 HTTP/1.1\r\n" HOST "X: y\r\n\r\n";
    write_run(f, f->path, 4, 4, SN_RESULT_COMPLETE);
    sn_served s = {.path = f->path};
    check_ok(f, sn_served_open(&s, &f->err));
    unsigned seed = 1;
    int seen[600] = {0};
    for (int i = 0; i < 20000; i++) {
        char text[sizeof good];
        sn_http_request r;
        sn_answer a;
        size_t n = sizeof good - 1;
        memcpy(text, good, sizeof good);
        for (unsigned k = draw(&seed) % 4; k > 0; k--) text[draw(&seed) % n] = (char)draw(&seed);
        if (i % 7 == 0) n = draw(&seed) % n;
        char *exact = malloc(n + 1); /* so that reading past the end is seen */
        memcpy(exact, text, n);
        exact = realloc(exact, n ? n : 1);
        int status = sn_http_read(exact, n, PORT, &r);
        free(exact);
        seen[status]++;
        if (status == 0 || i % 20) continue;
        check_ok(f, sn_answer_make(&s, status, &r, &a, &f->err));
        assert_memory_equal(a.bytes, "HTTP/1.1 ", 9);
        sn_free(a.bytes);
    }
    assert_true(seen[0] && seen[200] && seen[400] && seen[403] && seen[405]);
    sn_served_close(&s);
}

static void ask(fixture *f, sn_served *s, const char *target, int status, sn_answer *a)
{
    char text[400];
    sn_http_request r;
    snprintf(text, sizeof text, "GET %s HTTP/1.1\r\n" HOST "\r\n", target);
    int read = sn_http_read(text, strlen(text), PORT, &r);
    check_ok(f, sn_answer_make(s, read, &r, a, &f->err));
    if (a->status != status) fail_msg("%s: %d, not %d", target, a->status, status);
    char length[40];
    snprintf(length, sizeof length, "Content-Length: %d\r\n", a->n - a->body);
    assert_true((strstr((char *)a->bytes, length) != NULL) == (status != 204));
}

static void test_pieces(void **state)
{
    fixture *f = *state;
    write_run(f, f->path, FRAMES, FRAMES, SN_RESULT_COMPLETE);
    sn_served s = {.path = f->path};
    sn_answer a;
    double x[64];
    float y[64];
    check_ok(f, sn_served_open(&s, &f->err));
    ask(f, &s, "/data?edition=1&column=0&first=17&count=5&step=1", 200, &a);
    assert_int_equal(a.n - a.body, 5 * 2 * 8);
    memcpy(x, a.bytes + a.body, 80);
    for (int i = 0; i < 10; i++) assert_true(x[i] == value(17 + i / 2, i % 2));
    sn_free(a.bytes);
    /* every 400th frame, the last one for what lies beyond, in single precision */
    ask(f, &s, "/data?edition=1&column=2&first=0&count=4&step=400&single=1", 200, &a);
    assert_int_equal(a.n - a.body, 4 * 3 * 4);
    memcpy(y, a.bytes + a.body, 48);
    for (int i = 0; i < 12; i++)
        assert_true(y[i] == (float)value(i / 3 == 3 ? FRAMES - 1 : 400 * (i / 3), 3 + i % 3));
    sn_free(a.bytes);
    ask(f, &s, "/data?edition=1&column=-1&first=999&count=100&step=1", 200,
        &a); /* no further than there are */
    assert_int_equal(a.n - a.body, 8);
    memcpy(x, a.bytes + a.body, 8);
    assert_true(x[0] == 0.25 * 999);
    sn_free(a.bytes);
    /* numbers grow with the frames: bin b of 7 over 100 frames from 50 on */
    ask(f, &s, "/span?edition=1&column=0&first=50&count=100&bins=7", 200, &a);
    assert_int_equal(a.n - a.body, 7 * 4 * 8);
    memcpy(x, a.bytes + a.body, 7 * 4 * 8);
    for (int b = 0; b < 7; b++)
        for (int k = 0; k < 2; k++) {
            assert_true(x[4 * b + 2 * k] == value(50 + b * 100 / 7, k));
            assert_true(x[4 * b + 2 * k + 1] == value(50 + (b + 1) * 100 / 7 - 1, k));
        }
    sn_free(a.bytes);
    sn_served_close(&s);
}

static void test_refused(void **state)
{
    fixture *f = *state;
    write_run(f, f->path, FRAMES, FRAMES, SN_RESULT_COMPLETE);
    sn_served s = {.path = f->path};
    check_ok(f, sn_served_open(&s, &f->err));
    static const struct {
        int status;
        const char *target;
    } list[] = {
        {404, "/index.html"},
        {404, "/../../etc/passwd"},
        {404, "//"},
        {404, "/data/"},
        {204, "/favicon.ico"},
        {400, "/data"},
        {400, "/data?edition=1&column=4&first=0&count=1&step=1"},
        {400, "/data?edition=1&column=-2&first=0&count=1&step=1"},
        {400, "/data?edition=1&column=3&first=0&count=1&step=1"}, /* nothing in it */
        {400, "/data?edition=1&column=0&first=1000&count=1&step=1"},
        {400, "/data?edition=1&column=0&first=-1&count=1&step=1"},
        {400, "/data?edition=1&column=0&first=0&count=1001&step=1"},
        {400, "/data?edition=1&column=0&first=0&count=1&step=0"},
        {410, "/data?edition=2&column=0&first=0&count=1&step=1"},
        {400, "/span?edition=1&column=0&first=1&count=1000&bins=10"},
        {400, "/span?edition=1&column=0&first=0&count=10&bins=11"},
        {400, "/span?edition=1&column=0&first=0&count=10&bins=0"},
        {400, "/range"},
        {410, "/range?edition=2&column=0"},
        {400, "/range?edition=1&column=0"}, /* no field */
        {400, "/range?edition=1&column=-1"},
        {400, "/range?edition=1&column=4"},
        {400, "/triangles?edition=1"},
        {400, "/triangles?edition=1&shape=-1"},
        {410, "/triangles?edition=2&shape=0"},
        {404, "/triangles?edition=1&shape=0"},
        {400, "/mesh?edition=1&mesh=0"},
        {400, "/mesh?edition=1&mesh=0&part=4"},
        {400, "/mesh?edition=1&mesh=-1&part=0"},
        {410, "/mesh?edition=2&mesh=0&part=0"},
        {404, "/mesh?edition=1&mesh=0&part=0"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        sn_answer a;
        ask(f, &s, list[i].target, list[i].status, &a);
        sn_free(a.bytes);
    }
    sn_served_close(&s);
}

/* Nodes, modes, lines and triangles of the mesh, in single precision. */
static void check_mesh(fixture *f, sn_served *s)
{
    static const int count[] = {9, 18, 2, 3};
    float y[18] = {0};
    sn_answer a;
    for (int k = 0; k < 4; k++) {
        char target[64];
        snprintf(target, sizeof target, "/mesh?edition=1&mesh=0&part=%d", k);
        ask(f, s, target, 200, &a);
        assert_int_equal(a.n - a.body, 4 * count[k]);
        memcpy(y, a.bytes + a.body, (size_t)(4 * count[k]));
        assert_true(k != 0 || (y[3] == 1 && y[7] == 1));
        assert_true(k != 1 || (y[2] == 3 && y[17] == 4));
        assert_true(k < 2 || y[1] == 1);
        sn_free(a.bytes);
    }
    ask(f, s, "/mesh?edition=1&mesh=1&part=0", 404, &a);
    sn_free(a.bytes);
}

/* The page names fields and shapes but has neither numbers nor ranges; these are asked for. */
static void test_fields(void **state)
{
    fixture *f = *state;
    sn_served s = {.path = f->path};
    sn_answer a;
    double x[2];
    float y[9];
    write_fields(f, f->path, 2);
    check_ok(f, sn_served_open(&s, &f->err));
    ask(f, &s, "/", 200, &a);
    assert_non_null(strstr((char *)a.bytes, "\"block\":\"f0\",\"range\":[],\"rows\":[4,7],\"points\":[1,1]"));
    assert_non_null(strstr((char *)a.bytes, "\"triangles\":[0]"));
    assert_null(strstr((char *)a.bytes, "id=\"f0\""));
    assert_null(strstr((char *)a.bytes, "id=\"t0\""));
    assert_non_null(strstr((char *)a.bytes, "\"meshSizes\":[[3,2,1,1]]"));
    assert_null(strstr((char *)a.bytes, "id=\"g0.0\""));
    sn_free(a.bytes);
    static const double range[2][2] = {{-2, 3}, {5, 5}}; /* forces 3, 4 and -2, 3; moments 5 and 4 */
    for (int k = 0; k < 2; k++) {
        char target[64];
        snprintf(target, sizeof target, "/range?edition=1&column=%d", k);
        ask(f, &s, target, 200, &a);
        assert_int_equal(a.n - a.body, 16);
        memcpy(x, a.bytes + a.body, 16);
        assert_true(x[0] == range[k][0] && x[1] == range[k][1]);
        sn_free(a.bytes);
    }
    ask(f, &s, "/triangles?edition=1&shape=0", 200, &a);
    assert_int_equal(a.n - a.body, 36);
    memcpy(y, a.bytes + a.body, 36);
    assert_true(y[3] == 1 && y[7] == 1 && y[0] == 0);
    sn_free(a.bytes);
    ask(f, &s, "/triangles?edition=1&shape=1", 404, &a);
    sn_free(a.bytes);
    check_mesh(f, &s);
    sn_served_close(&s);
}

/* A run that goes on: its new frames come with the next page. Another file of the name is another edition;
   none at all is an error of the page, and of the pieces until it is back. */
static void test_changes(void **state)
{
    fixture *f = *state;
    sn_result *w;
    sn_result_layout l = layout_of(8);
    sn_answer a;
    sn_served s = {.path = f->path};
    check_ok(f, sn_result_create(f->path, &l, &w, &f->err));
    check_ok(f, write_frame(w, &f->err));
    check_ok(f, sn_served_open(&s, &f->err));
    ask(f, &s, "/data?edition=1&column=0&first=1&count=1&step=1", 400, &a);
    sn_free(a.bytes);
    check_ok(f, write_frame(w, &f->err));
    check_ok(f, sn_result_flush(w, &f->err));
    ask(f, &s, "/", 200, &a);
    assert_non_null(strstr((char *)a.bytes, "\"frames\":2,"));
    assert_non_null(strstr((char *)a.bytes, "\"served\":1,"));
    sn_free(a.bytes);
    ask(f, &s, "/data?edition=1&column=0&first=1&count=1&step=1", 200, &a);
    sn_free(a.bytes);
    check_ok(f, sn_result_close(w, SN_RESULT_INTERRUPTED, &f->err)); /* rewritten: another file */
    ask(f, &s, "/", 200, &a);
    assert_non_null(strstr((char *)a.bytes, "\"served\":2,"));
    sn_free(a.bytes);
    ask(f, &s, "/data?edition=1&column=0&first=1&count=1&step=1", 410, &a);
    sn_free(a.bytes);
    assert_int_equal(unlink(f->path), 0);
    ask(f, &s, "/", 500, &a);
    assert_non_null(strstr((char *)a.bytes, "cannot be read"));
    sn_free(a.bytes);
    ask(f, &s, "/data?edition=2&column=0&first=1&count=1&step=1", 503, &a);
    sn_free(a.bytes);
    write_run(f, f->path, 3, 3, SN_RESULT_COMPLETE);
    ask(f, &s, "/", 200, &a);
    sn_free(a.bytes);
    sn_served_close(&s);
}

/* A server that is asked again and again keeps no more than after it was asked once. */
static void test_growth(void **state)
{
    fixture *f = *state;
    static const char *const target[] = {
        "/",
        "/data?edition=1&column=0&first=0&count=2&step=1",
        "/span?edition=1&column=0&first=0&count=2&bins=2",
        "/range?edition=1&column=1",
        "/triangles?edition=1&shape=0",
        "/mesh?edition=1&mesh=0&part=1",
        "/triangles?edition=1&shape=7",
    };
    enum { TIMES = 2000 };
    sn_served s = {.path = f->path};
    counter c = {0};
    sn_answer a;
    write_fields(f, f->path, 2);
    sn_set_allocator(&(sn_allocator){counted, released, &c});
    check_ok(f, sn_served_open(&s, &f->err));
    for (int k = 0; k < 7; k++) {
        long live = 0;
        for (int i = 0; i < (k ? TIMES : 20); i++) {
            ask(f, &s, target[k], k < 6 ? 200 : 404, &a);
            sn_free(a.bytes);
            if (i == 0) live = c.live;
        }
        assert_int_equal(c.live, live);
    }
    sn_served_close(&s);
    sn_set_allocator(NULL);
    assert_int_equal(c.live, 0);
}

static void test_allocation(void **state)
{
    fixture *f = *state;
    static const char *const target[] = {"/",
                                         "/data?edition=1&column=0&first=0&count=2&step=1",
                                         "/span?edition=1&column=0&first=0&count=2&bins=2",
                                         "/range?edition=1&column=1",
                                         "/triangles?edition=1&shape=0",
                                         "/mesh?edition=1&mesh=0&part=1",
                                         "/none"};
    write_fields(f, f->path, 2);
    for (int k = 0; k < 7; k++)
        for (long fail = 1, done = 0; !done; fail++) {
            counter c = {.fail = fail};
            sn_served s = {.path = f->path};
            sn_answer a = {0};
            sn_http_request r = {.head = 0};
            const char *query = strchr(target[k], '?');
            size_t n = query ? (size_t)(query - target[k]) : strlen(target[k]);
            memcpy(r.path, target[k], n);
            if (query) strcpy(r.query, query + 1);
            sn_err_clear(&f->err);
            sn_set_allocator(&(sn_allocator){counted, released, &c});
            sn_status st = sn_served_open(&s, &f->err);
            if (st == SN_OK) st = sn_answer_make(&s, 200, &r, &a, &f->err);
            sn_served_close(&s);
            sn_free(a.bytes);
            sn_set_allocator(NULL);
            assert_int_equal(c.live, 0);
            done = c.calls < fail;
            if (done) assert_int_equal(st, SN_OK);
            if (st != SN_OK) assert_int_equal(st, SN_ERR_MEMORY);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_query),
        cmocka_unit_test_setup_teardown(test_random, begin, end),
        cmocka_unit_test_setup_teardown(test_pieces, begin, end),
        cmocka_unit_test_setup_teardown(test_refused, begin, end),
        cmocka_unit_test_setup_teardown(test_fields, begin, end),
        cmocka_unit_test_setup_teardown(test_changes, begin, end),
        cmocka_unit_test_setup_teardown(test_growth, begin, end),
        cmocka_unit_test_setup_teardown(test_allocation, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
