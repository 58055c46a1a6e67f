/* The step loop allocates nothing: neither through the library's allocator, counted from the first frame to
   the last, nor in the libraries underneath (malloc itself is watched), once the solver has had its first
   factorisations. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sinew/sinew.h"

/* ---- all of malloc ---- */

static volatile long mallocs; /* a compiler knows that malloc changes no variable of the program */

#if defined(__SANITIZE_ADDRESS__)
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));

static void on_malloc(const volatile void *p, size_t n)
{
    (void)p;
    (void)n;
    mallocs++;
}

static void on_free(const volatile void *p) { (void)p; }

static int watch(void) { return __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) > 0; }

#elif defined(__GLIBC__)
/* The program's malloc goes before that of the C library, whose own stays reachable by this name. */
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

void *malloc(size_t n)
{
    mallocs++;
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    mallocs++;
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    mallocs++;
    return __libc_realloc(p, n);
}

static int watch(void) { return 1; }
#else
static int watch(void) { return 0; }
#endif

/* ---- the library's allocator ---- */

static volatile long allocations;

static void *counted(size_t bytes, void *user)
{
    (void)user;
    allocations++;
    return calloc(1, bytes);
}

static void released(void *p, void *user)
{
    (void)user;
    free(p);
}

/* ---- runs ---- */

enum { STEPS = 300, SETTLED = 30 };

typedef struct tally {
    int frames, busy;          /* frames with an allocation since the one before */
    long first, last;          /* allocations at the first and at the last frame */
    long settled, last_malloc; /* mallocs at frame SETTLED and at the last */
} tally;

static sn_status tell(void *ctx, const sn_frame *f, sn_err *err)
{
    tally *t = ctx;
    (void)f;
    (void)err;
    if (t->frames == 0) t->first = allocations;
    t->busy += t->frames > 0 && allocations > t->last;
    if (t->frames == SETTLED) t->settled = mallocs;
    t->last = allocations;
    t->last_malloc = mallocs;
    t->frames++;
    return SN_OK;
}

static tally measure(const char *path, const char *text, const char *solver, const char *file)
{
    const sn_allocator a = {counted, released, NULL};
    tally t = {0};
    sn_model *m = NULL;
    sn_values *p = NULL;
    sn_info info;
    sn_err err;
    sn_err_clear(&err);
    sn_set_allocator(&a);
    sn_status s =
        path ? sn_model_read(path, &m, &err) : sn_model_read_text("model.yaml", text, strlen(text), &m, &err);
    if (!s) s = sn_values_new(m, &p, &err);
    if (!s) {
        sn_run_options o = sn_run_options_default(m, p);
        sn_point point = {.channel = 0, .t = 3.3 * o.step};
        o.end = STEPS * o.step;
        o.output = o.step;
        o.solver = solver;
        o.frame = tell;
        o.ctx = &t;
        o.point = &point;
        o.n_point = 1;
        o.timing = 1;
        s = file ? sn_run_file(m, p, &o, file, &info, &err) : sn_run(m, p, &o, &info, &err);
    }
    if (s) fprintf(stderr, "%s\n", err.report[0].text);
    sn_values_free(p);
    sn_model_free(m);
    sn_set_allocator(NULL);
    assert_int_equal(s, SN_OK);
    assert_int_equal(t.frames, STEPS + 1);
    return t;
}

static void expect_none(const char *path, const char *text, const char *solver)
{
    tally t = measure(path, text, solver, NULL);
    assert_int_equal(t.last - t.first, 0);
    assert_int_equal(t.last_malloc - t.settled, 0);
}

static const char two_bar[] = SN_SOURCE_DIR "/examples/two-bar/two-bar.yaml";

static void test_two_bar(void **state)
{
    (void)state;
    expect_none(two_bar, NULL, NULL);
}

static void test_dense(void **state)
{
    (void)state;
    expect_none(two_bar, NULL, "dense");
}

static const char mechanism[] =
    "sinew: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {r: 0.1 m, L: 4*r, w: 5  rad/s}\n"
    "nodes: {o: [0, 0], c: {at: [r, 0], velocity: [0, r*w], spin: w}, p: [r + L, 0], b: [0.5, 0.3]}\n"
    "elements:\n"
    "  crank: {beam2d_cr: [o, c], EA: 1e5, EI: 30, rhoA: 0.5}\n"
    "  rod: {beam2d_cr: [c, p], EA: 1e5, EI: 30, rhoA: 0.5, elements: 4, damping: 1e-4}\n"
    "  piston: {mass2d: p, mass: 0.3, inertia: 1e-4}\n"
    "  bob: {mass2d: b, mass: 0.1}\n"
    "joints:\n"
    "  base: {fixed: o, only: [x, y]}\n"
    "  again: {fixed: o, only: x}\n"
    "  motor: {drive: o.theta, value: w*t}\n"
    "  guide: {prismatic2d: [ground, p], axis: [1, 0]}\n"
    "  stick: {distance: [p, b]}\n"
    "sensors: {a: {position: p}, b: {force: rod}, c: {reaction: base}, d: {energy: all}, e: {violation: "
    "all}}\n"
    "run: {step: 1 ms}\n";

static const char signals[] =
    "sinew: 1\n"
    "parameters: {A: 2 N, f: 3 Hz}\n"
    "nodes: {a: [0, 0], b: [1, 0], z: {state: 1}, y: {state: 0}}\n"
    "elements:\n"
    "  s: {spring2d: [a, b], k: 1 kN/m, c: 1, l0: 1 m + 0.01 m*wave}\n"
    "  m: {mass2d: b, mass: 1}\n"
    "  push: {force2d: b, force: [A*sin(2*pi*f*t) + pull, mix]}\n"
    "  filter: {lag: [z.z, b.x], tau: 0.05 s}\n"
    "  follow: {lag: y.z, tau: 0.01 s, input: wave}\n"
    "joints: {base: {fixed: a, y: 0.01*ramp}}\n"
    "signals:\n"
    "  wave: {sine: 0.5, frequency: f}\n"
    "  pull: {table: [[0, 0], [0.1, 1], [0.5, 0.4]], interpolation: cubic}\n"
    "  ramp: {step: 2, end: 0.2 s}\n"
    "  mix: {expression: ramp*wave + exp(-t*1 Hz)}\n"
    "sensors: {b: {position: b}, v: {velocity: b}, f: {force: s}, e: {energy: all}}\n"
    "run: {step: 1 ms, scheme: generalized_alpha}\n";

static void test_mechanism(void **state)
{
    (void)state;
    expect_none(NULL, mechanism, NULL);
}

/* Over a whole turn the solver may have to choose its pivots anew, which allocates: seldom. */
static void test_whole_turn(void **state)
{
    (void)state;
    char text[4096];
    strcpy(text, mechanism);
    char *w = strstr(text, "w: 5 ");
    assert_non_null(w);
    memcpy(w, "w: 22", 5); /* 6.6 rad in 0.3 s */
    tally t = measure(NULL, text, NULL, NULL);
    assert_in_range(t.busy, 0, STEPS / 50);
}

static void test_signals(void **state)
{
    (void)state;
    expect_none(NULL, signals, NULL);
}

/* Into a file, which is made before the first frame is told: still nothing. */
static void test_file(void **state)
{
    (void)state;
    char path[] = "/tmp/sinew-loop-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    tally t = measure(NULL, mechanism, NULL, path);
    unlink(path);
    assert_int_equal(t.last - t.first, 0);
    assert_int_equal(t.last_malloc - t.settled, 0);
}

/* A simulation in the hand, with a controller in the loop. */
static void test_hand(void **state)
{
    (void)state;
    const sn_allocator a = {counted, released, NULL};
    char text[4096];
    sn_model *m;
    sn_values *p;
    sn_sim *s;
    sn_frame f;
    sn_err err;
    long first = 0, settled = 0;
    strcpy(text, signals);
    char *wave = strstr(text, "{sine: 0.5, frequency: f}");
    assert_non_null(wave);
    memcpy(wave, "{input: 0}               ", 25);
    sn_err_clear(&err);
    sn_set_allocator(&a);
    assert_int_equal(sn_model_read_text("model.yaml", text, strlen(text), &m, &err), SN_OK);
    assert_int_equal(sn_values_new(m, &p, &err), SN_OK);
    sn_run_options o = sn_run_options_default(m, p);
    assert_int_equal(sn_sim_open(m, p, &o, &s, &err), SN_OK);
    assert_int_equal(sn_sim_start(s, &err), SN_OK);
    for (int k = 1; k <= STEPS; k++) {
        if (k == 1) first = allocations;
        if (k == SETTLED) settled = mallocs;
        assert_int_equal(sn_sim_read(s, &f, &err), SN_OK);
        double u[2] = {-3 * (f.y[0] - 1), 0.1};
        assert_int_equal(sn_sim_input(s, 0, 1, u, &err), SN_OK);
        assert_int_equal(sn_sim_step(s, k * o.step, &err), SN_OK);
    }
    long last = allocations, last_malloc = mallocs;
    sn_sim_close(s), sn_values_free(p), sn_model_free(m);
    sn_set_allocator(NULL);
    assert_int_equal(last - first, 0);
    assert_int_equal(last_malloc - settled, 0);
}

/* A filter on-line: with joints, a stiffness that is sought beside the force, earlier samples that are kept.
   Once its covariance has its columns a sample allocates nothing; where equations of joints are met again the
   solver may choose its pivots anew, seldom. */
static void test_filter(void **state)
{
    (void)state;
    const sn_allocator a = {counted, released, NULL};
    static const char *const column[] = {"t", "a.x", "at.x"};
    char folder[] = "/tmp/sinew-loop-XXXXXX", model[80], study[80];
    enum { SAMPLES = 600, QUIET = 200 };
    long settled = 0, settled_malloc = 0;
    sn_filter *f;
    sn_err err;
    sn_err_clear(&err);
    assert_non_null(mkdtemp(folder));
    snprintf(model, sizeof model, "%s/model.yaml", folder),
        snprintf(study, sizeof study, "%s/study.yaml", folder);
    FILE *to = fopen(model, "w");
    assert_non_null(to);
    fputs("sinew: 1\nparameters: {k: 80 N/m}\nnodes: {b: [1, 0], c: [1, -1]}\n"
          "elements: {bob: {mass2d: b, mass: 2}, low: {mass2d: c, mass: 0.5}, s: {spring2d: [ground, b], k: "
          "k, l0: 1, c: 1},\n"
          "  push: {force2d: c, force: [push*1 N, 0]}}\n"
          "joints: {rail: {fixed: b, only: y}, rod: {distance: [b, c]}}\nsignals: {push: {constant: 0}}\n"
          "sensors: {a: {acceleration: c}, at: {position: b}}\ngravity: [0, -9.81]\nrun: {end: 1 s, step: 5 "
          "ms}\n",
          to);
    fclose(to);
    to = fopen(study, "w");
    assert_non_null(to);
    fputs("study: 1\nmodel: model.yaml\nmethod: kalman\nnoise: {a.x: 0.1, at.x: 1e-3}\n"
          "kalman: {lag: 0.1 s, show: [at.x]}\n"
          "unknowns: {k: {start: 80, prior: [80, 2]}, push: {history: {form: cubic, spacing: 50 ms, weight: "
          "10}}}\n",
          to);
    fclose(to);
    sn_set_allocator(&a);
    sn_status s = sn_filter_open(study, &(sn_filter_options){.column = column, .n_column = 3}, &f, &err);
    if (s) fprintf(stderr, "%s\n", err.report[0].text);
    assert_int_equal(s, SN_OK);
    for (int i = 0; i < SAMPLES; i++) {
        sn_filter_estimate e;
        double row[3] = {0.01 * i, 0.3 * ((i * 7919) % 13 - 6) / 6.0,
                         1 + 1e-3 * ((i * 104729) % 11 - 5) / 5.0};
        if (i == QUIET) settled = allocations, settled_malloc = mallocs;
        assert_int_equal(sn_filter_take(f, row, &e, &err), SN_OK);
    }
    long last = allocations, last_malloc = mallocs;
    sn_filter_close(f);
    sn_set_allocator(NULL);
    unlink(model), unlink(study), rmdir(folder);
    assert_int_equal(last - settled, 0);
    assert_int_equal(last_malloc - settled_malloc, 0);
}

/* The watch works: otherwise it could not fail. */
static void test_watch(void **state)
{
    (void)state;
    if (!watch()) {
        puts("skipped: malloc cannot be watched with this C library");
        skip();
    }
    long before = mallocs;
    void *volatile p = malloc(100);
    free(p);
    assert_int_equal(mallocs - before, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watch),     cmocka_unit_test(test_two_bar),    cmocka_unit_test(test_dense),
        cmocka_unit_test(test_mechanism), cmocka_unit_test(test_whole_turn), cmocka_unit_test(test_signals),
        cmocka_unit_test(test_file),      cmocka_unit_test(test_hand),       cmocka_unit_test(test_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
