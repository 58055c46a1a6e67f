/* Identifications that are killed (SIGKILL, at random moments of a fixed seed) and resumed: they end at the
   same answer, digit for digit, and no simulation that was finished is made again. Resuming what is
   finished, what was changed, and what is damaged. */
#include "identify_kit.h"

#include "identify/journal.h"
#include "sinew/sinew.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

typedef struct session {
    sn_identify_info info;
    sn_status status;
    sn_err err;
    int calls, kill_at; /* of the progress callback */
    char said[600];
} session;

static int progress(void *ctx, double done, double t)
{
    session *s = ctx;
    (void)t;
    if (!(done >= 0 && done <= 1)) abort();
    if (++s->calls == s->kill_at) kill(getpid(), SIGKILL);
    return 0;
}

static void message(void *ctx, const char *text)
{
    session *s = ctx;
    snprintf(s->said, sizeof s->said, "%s", text);
}

static void identify(session *s, const char *folder, int resume, int kill_at)
{
    *s = (session){.kill_at = kill_at};
    const sn_identify_options o = {.folder = kit_path(folder),
                                   .resume = resume,
                                   .json = 1,
                                   .threads = 2,
                                   .progress = progress,
                                   .message = message,
                                   .ctx = s};
    s->status = sn_identify(kit_path("study.yaml"), &o, &s->info, &s->err);
}

static void drop(session *s) { sn_release(s->info.json), sn_release(s->info.summary); }

/* In a process of its own, killed at a call of the callback. Returns whether it was. */
static int killed(const char *folder, int resume, int kill_at)
{
    int how;
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        session s;
        identify(&s, folder, resume, kill_at);
        _exit(s.status ? 1 : 0);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0) return 0;
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
    return 1;
}

static long bytes_of(const char *folder, const char *name)
{
    char path[300];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", kit_path(folder), name);
    return stat(path, &st) ? -1 : (long)st.st_size;
}

/* The JSON without what may differ: seconds, and how many simulations were kept. */
static void same_answer(const char *a, const char *b)
{
    static const char *const differs[] = {"\"simulations_kept\": ", "\"seconds\": "};
    for (; *a && *b; a++, b++) {
        for (int i = 0; i < 2; i++)
            if (!strncmp(a, differs[i], strlen(differs[i]))) a = strchr(a, ','), b = strchr(b, ',');
        if (*a != *b) fail_msg("the answers differ: %.60s ... and %.60s ...", a, b);
    }
    assert_int_equal(*a, *b);
}

/* A record of resume.bin is 32 bytes and its numbers; each session puts down 2 + 3 n at its beginning, and
   again where it ends. */
enum { RECORD = 32, KILLS = 4 };

/* How many records of a folder's resume.bin have so many numbers: a head of 32 bytes, then words key, key,
 * size, sum. */
static long records_of(const char *folder, uint64_t size)
{
    char path[300];
    long n = 0;
    uint64_t r[4];
    snprintf(path, sizeof path, "%s/resume.bin", kit_path(folder));
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 32, SEEK_SET);
    while (fread(r, sizeof r, 1, f) == 1) {
        uint64_t numbers = r[2] & UINT32_MAX;
        n += numbers == size;
        if (fseek(f, (long)(8 * numbers), SEEK_CUR)) break;
    }
    fclose(f);
    return n;
}

static void cut_and_go_on(const char *text, int unknowns, uint64_t seed)
{
    session whole, last;
    int at = 0, n = 0, ended = 0;
    kit_put("study.yaml", text);
    kit_clear(kit_path("whole")), kit_clear(kit_path("cut"));
    identify(&whole, "whole", 0, 0);
    kit_tell(&whole.err, whole.status);
    assert_true(whole.info.converged);
    assert_int_equal(whole.info.kept, 0);
    for (int i = 0; i < KILLS && !ended; i++) {
        at += 1 + (int)(kit_uniform(&seed) * 2 * (whole.calls - at) / (KILLS + 1 - i));
        ended =
            !killed("cut", i > 0, at); /* the threads may share the work so that it is not called so often */
        if (!ended) assert_int_equal(bytes_of("cut", "study.json"), -1);
        n++;
    }
    identify(&last, "cut", n > 0, 0);
    kit_tell(&last.err, last.status);
    same_answer(whole.info.json, last.info.json);
    assert_int_equal(last.info.simulations, whole.info.simulations);
    /* one that was killed while its files were written had ended, too */
    uint64_t numbers = (uint64_t)(2 + 3 * unknowns);
    long sessions = records_of("cut", numbers) - records_of("whole", numbers);
    long extra = sessions * (RECORD + 8 * (2 + 3 * unknowns));
    assert_true(sessions <= 2 * n);
    long made = bytes_of("cut", "resume.bin"), want = bytes_of("whole", "resume.bin") + extra;
    /* fewer, where the search comes to a point twice, which is found in the journal the second time */
    if (made > want) fail_msg("simulations were made again: %ld bytes of results, not %ld", made, want);
    if (n - ended < 2) fail_msg("killed only %d times", n);
    assert_true(last.info.kept > 0);
    drop(&whole), drop(&last);
}

#define HEAD "study: 1\nmodel: spring.yaml\nrun: {step: 20 ms}\n"
#define KC   "unknowns: {k: {start: 300, bounds: [1, 1e4]}, c: {start: 0.3, bounds: [0.01, 100]}}\n"

static int set_up(void **state)
{
    if (kit_begin(state)) return -1;
    kit_measure(
        "a.csv",
        &(kit_data){
            .model = "spring.yaml", .channels = "at.x", .end = 4, .dt = 0.04, .sigma = 5e-3, .seed = 1});
    kit_measure("b.csv", &(kit_data){.model = "spring.yaml",
                                     .channels = "at.x",
                                     .set = "c=1",
                                     .end = 2,
                                     .dt = 0.04,
                                     .sigma = 1e-3,
                                     .seed = 2});
    return 0;
}

static void test_killed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        cut_and_go_on(HEAD "data: a.csv\nhorizon: 0.2 s\n" KC, 2, seed);
    /* a model that does not fit: automatic starts; then those that are asked for */
    cut_and_go_on(HEAD "data: a.csv\nhorizon: 0.2 s\nset: {m: 3 kg}\n"
                       "unknowns: {k: {start: 300, bounds: [1, 1e4]}}\n",
                  1, 4);
    cut_and_go_on(HEAD "data: a.csv\nstarts: {n: 6, spread: 3}\n" KC, 2, 5);
    cut_and_go_on(HEAD "experiments: {a: {data: a.csv, offset: unknown}, b: {data: b.csv, hold_out: yes}}\n"
                       "intervals: profile\nloss: huber\n" KC,
                  3, 6);
    cut_and_go_on(HEAD
                  "data: a.csv\nwindows: 3\n"
                  "unknowns:\n  k: {start: 100, bounds: [1, 1e4]}\n  x0: {start: at.x, each: experiment}\n"
                  "  v0: {start: 0, each: experiment}\n  c: {tie: k*0.02 s}\n",
                  3, 7);
}

static void test_optimisers(void **state)
{
    (void)state;
    cut_and_go_on(HEAD "data: a.csv\noptimiser: cma_es\n" KC, 2, 8);
    cut_and_go_on(HEAD "data: a.csv\noptimiser: lbfgs\n" KC, 2, 9);
}

/* A number of an unknown in the answer. */
static double number(const session *s, const char *name, const char *key)
{
    char text[80];
    snprintf(text, sizeof text, "\"%s\": {\"unit\"", name);
    const char *at = strstr(s->info.json, text);
    assert_non_null(at);
    snprintf(text, sizeof text, "\"%s\": ", key);
    at = strstr(at, text);
    assert_non_null(at);
    return atof(at + strlen(text));
}

/* From another start: the search ends where the cost, half the number of samples, is within 1e-9 of itself,
   2.5e-8 for 50, which is sqrt(2 * 2.5e-8) = 2e-4 standard errors from the minimum. */
static void same_estimate(const session *s, const session *whole)
{
    kit_is("k", number(s, "k", "estimate"), number(whole, "k", "estimate"),
           1e-3 * number(whole, "k", "std_error"));
}

static void good(session *s, int resume)
{
    identify(s, "fit", resume, 0);
    kit_tell(&s->err, s->status);
    assert_true(s->info.converged);
    assert_int_equal(bytes_of("fit", "progress.json"), -1);
}

static void test_finished(void **state)
{
    (void)state;
    session a, b;
    kit_put("study.yaml", HEAD "data: a.csv\nhorizon: 0.2 s\n" KC);
    good(&a, 0), good(&b, 1);
    same_answer(a.info.json, b.info.json);
    /* signals at the start and at the estimate are the only ones made */
    assert_int_equal(b.info.simulations - b.info.kept, 2);
    assert_non_null(strstr(b.said, "goes on with"));
    drop(&b);
    /* more is asked for: what there is serves */
    kit_put("study.yaml", HEAD "data: a.csv\nhorizon: 0.2 s\nintervals: profile\n" KC);
    good(&b, 1);
    assert_true(b.info.kept >= a.info.simulations - 2);
    assert_true(b.info.simulations > a.info.simulations);
    drop(&a), drop(&b);
}

static void test_changed(void **state)
{
    (void)state;
    static const char *const to[] = {HEAD "data: b.csv\n" KC,                    /* data */
                                     HEAD "data: a.csv\nset: {m: 2.01 kg}\n" KC, /* a number */
                                     HEAD "data: a.csv\nunknowns: {k: 300}\n",   /* fewer unknowns */
                                     ("study: 1\nmodel: spring.yaml\ndata: a.csv\n" KC) /* the step */};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
        session s;
        kit_clear(kit_path("fit"));
        kit_put("study.yaml", HEAD "data: a.csv\n" KC);
        good(&s, 0);
        double k = number(&s, "k", "estimate");
        drop(&s);
        kit_put("study.yaml", to[i]);
        good(&s, 1);
        assert_non_null(strstr(s.said, "are not those of the earlier search"));
        assert_int_equal(s.info.kept, 0);
        kit_is("start", number(&s, "k", "start"), k, 1e-10 * k); /* 12 digits in study.json */
        drop(&s);
    }
    /* nothing in common */
    session s;
    kit_put("study.yaml", HEAD "data: a.csv\nunknowns: {m: 3}\n");
    identify(&s, "fit", 1, 0);
    assert_int_equal(s.status, SN_ERR_INPUT);
    assert_non_null(strstr(s.err.report[0].text, "has no estimates to go on from"));
}

static void put_bytes(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

/* Cut anywhere, or with a wrong byte anywhere, the file gives its whole records or a message. */
static void test_damaged(void **state)
{
    (void)state;
    session whole, s;
    char path[300], *bytes;
    kit_clear(kit_path("fit"));
    kit_put("study.yaml", HEAD "data: b.csv\nunknowns: {k: {start: 90, bounds: [1, 1e4]}}\n");
    good(&whole, 0);
    snprintf(path, sizeof path, "%s/resume.bin", kit_path("fit"));
    long n = bytes_of("fit", "resume.bin");
    assert_true(n > 500);
    bytes = malloc((size_t)n);
    FILE *f = fopen(path, "rb");
    assert_true(bytes && f && fread(bytes, 1, (size_t)n, f) == (size_t)n);
    fclose(f);
    for (long cut = 0; cut < n; cut += cut < 40 ? 13 : 97) {
        put_bytes(path, bytes, (size_t)cut);
        identify(&s, "fit", 1, 0);
        if (cut > 0 && cut < 32) {
            assert_int_equal(s.status, SN_ERR_INPUT);
            assert_non_null(strstr(s.err.report[0].text, "damaged"));
            assert_int_equal(bytes_of("fit", "resume.bin"), cut); /* left as it is */
            continue;
        }
        kit_tell(&s.err, s.status);
        same_estimate(&s, &whole);
        drop(&s);
    }
    for (long at = 33; at < n; at += 131) {
        bytes[at] ^= 16;
        put_bytes(path, bytes, (size_t)n);
        bytes[at] ^= 16;
        identify(&s, "fit", 1, 0);
        kit_tell(&s.err, s.status);
        same_estimate(&s, &whole);
        drop(&s);
    }
    /* estimates that are cut off */
    remove(path);
    put_bytes(kit_path("fit/study.json"), whole.info.json, strlen(whole.info.json) / 2);
    identify(&s, "fit", 1, 0);
    assert_int_equal(s.status, SN_ERR_INPUT);
    assert_non_null(strstr(s.err.report[0].text, "the file is cut off"));
    drop(&whole);
    free(bytes);
}

static void test_ended_badly(void **state)
{
    (void)state;
    session s;
    kit_put("apart.yaml",
            "sinew: 1\nparameters: {h: 0.5 m}\nnodes: {b: [1, 0]}\n"
            "elements: {bob: {mass2d: b, mass: 1}}\n"
            "joints: {rod: {distance: [ground, b], length: 1}, rail: {fixed: b, only: y, y: h}}\n"
            "sensors: {at: {position: b}}\nrun: {end: 1 s, step: 10 ms}\n");
    kit_put("study.yaml",
            "study: 1\nmodel: apart.yaml\ndata: b.csv\nunknowns: {h: {start: 2, bounds: [1.5, 3]}}\n");
    kit_clear(kit_path("fit"));
    for (int resume = 0; resume < 2; resume++) {
        identify(&s, "fit", resume, 0);
        kit_tell(&s.err, s.status);
        assert_false(s.info.converged);
        if (resume) assert_non_null(strstr(s.said, "without having converged"));
        drop(&s);
    }
}

static void test_folder(void **state)
{
    (void)state;
    session s;
    sn_journal *j;
    sn_err err;
    sn_err_clear(&err);
    kit_clear(kit_path("fit"));
    kit_put("study.yaml", HEAD "data: b.csv\nunknowns: {k: {start: 90, bounds: [1, 1e4]}}\n");
    identify(&s, "fit", 1, 0);
    assert_int_equal(s.status, SN_ERR_FILE);
    assert_non_null(strstr(s.err.report[0].text, "nothing to go on from"));
    good(&s, 0);
    drop(&s);
    /* somebody else is at work there */
    kit_tell(&err, sn_journal_open(kit_path("fit/resume.bin"), 1, &j, &err));
    for (int resume = 0; resume < 2; resume++) {
        identify(&s, "fit", resume, 0);
        assert_int_equal(s.status, SN_ERR_INPUT);
        assert_non_null(strstr(s.err.report[0].text, "another identification is at work"));
    }
    sn_journal_close(j);
    /* the file cannot be written */
    assert_int_equal(remove(kit_path("fit/resume.bin")), 0);
    assert_int_equal(mkdir(kit_path("fit/resume.bin"), 0777), 0);
    identify(&s, "fit", 0, 0);
    assert_int_equal(s.status, SN_ERR_FILE);
    assert_non_null(strstr(s.err.report[0].text, "cannot be written"));
}

/* A full disk: what fits is kept, the rest is lost, and nothing else happens. */
static void test_full(void **state)
{
    (void)state;
    sn_journal *j;
    sn_err err;
    double x[10] = {0};
    struct rlimit was, small;
    sn_err_clear(&err);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    small = was, small.rlim_cur = 32 + 5 * (RECORD + 80) + 50;
    signal(SIGXFSZ, SIG_IGN);
    kit_tell(&err, sn_journal_open(kit_path("full.bin"), 0, &j, &err));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (uint64_t i = 0; i < 9; i++) {
        x[0] = (double)i;
        sn_journal_put(j, (sn_key){i, i}, 0, 10, x);
    }
    assert_int_not_equal(sn_journal_failed(j), 0);
    sn_journal_close(j);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    kit_tell(&err, sn_journal_open(kit_path("full.bin"), 1, &j, &err));
    assert_int_equal(sn_journal_count(j), 5);
    assert_int_equal(sn_journal_cut(j), 50);
    for (uint64_t i = 0; i < 9; i++) {
        assert_int_equal(sn_journal_get(j, (sn_key){i, i}, 10, x), i < 5);
        if (i < 5) assert_true(x[0] == (double)i);
    }
    sn_journal_close(j);
}

/* A file that grows is written anew without the groups that are done: 400 records of 100 kB, of which 40 are
   of use, never take more than twice the 16 MB at which that begins. */
static void test_shrunk(void **state)
{
    (void)state;
    enum { N = 400, NUMBERS = 12500 };
    sn_journal *j;
    sn_err err;
    static double x[NUMBERS];
    sn_err_clear(&err);
    kit_tell(&err, sn_journal_open(kit_path("shrunk.bin"), 0, &j, &err));
    for (uint64_t i = 0; i < N; i++) {
        x[NUMBERS - 1] = (double)i;
        sn_journal_put(j, (sn_key){i, 7 * i}, i % 10 ? (int)i : 0, NUMBERS, x);
        if (i % 10) sn_journal_done(j, (int)i);
        assert_true(sn_journal_bytes(j) <= 2 * (16 << 20));
    }
    assert_int_equal(sn_journal_failed(j), 0);
    /* nobody else may write the new file either */
    sn_journal *other;
    assert_int_equal(sn_journal_open(kit_path("shrunk.bin"), 1, &other, NULL), SN_ERR_INPUT);
    sn_journal_close(j);
    kit_tell(&err, sn_journal_open(kit_path("shrunk.bin"), 1, &j, &err));
    assert_int_equal(sn_journal_cut(j), 0);
    assert_true(sn_journal_count(j) < N / 2);
    for (uint64_t i = 0; i < N; i += 10) {
        assert_true(sn_journal_get(j, (sn_key){i, 7 * i}, NUMBERS, x));
        assert_true(x[NUMBERS - 1] == (double)i);
    }
    sn_journal_close(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed),  cmocka_unit_test(test_optimisers), cmocka_unit_test(test_finished),
        cmocka_unit_test(test_changed), cmocka_unit_test(test_damaged),    cmocka_unit_test(test_ended_badly),
        cmocka_unit_test(test_folder),  cmocka_unit_test(test_full),       cmocka_unit_test(test_shrunk)};
    return cmocka_run_group_tests(tests, set_up, kit_end);
}
