/* Elements evaluated by several threads: runs, statics, modes and gradients have the same bits for 1, 2, 3
   and 4 threads. The model has what the assembly treats apart: meshes, loads along beams, a ground, joints
   and equations at velocity level, elements without mass, numbers that vary with time, and more elements than
   one wave of matrices holds (17 x 16 x 2 beams of 3 x 12 x 12 numbers beside 2^17). */
#include "verify/kit.h"

enum { SIDE = 16, THREADS = 4, ROOM = 4096 };

typedef struct record {
    int n;
    double y[ROOM];
} record;

static void keep(record *r, const double *y, int n)
{
    assert_true(r->n + n <= ROOM);
    memcpy(r->y + r->n, y, sizeof *y * (size_t)n);
    r->n += n;
}

static void assert_same(const record *one, const record *more)
{
    assert_true(one->n > 0);
    assert_int_equal(one->n, more->n);
    for (int i = 0; i < one->n; i++) assert_true(isfinite(one->y[i]));
    assert_memory_equal(one->y, more->y, sizeof(double) * (size_t)one->n);
}

static void write_grid(char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size,
                                 "sinew: 1\ngravity: [0, 0, -9.81]\n"
                                 "parameters: {E: 2 GPa, stiff: 300 N/m, push: 40}\n"
                                 "materials: {m: {E: E, nu: 0.3, rho: 900 kg/m^3}}\n"
                                 "sections: {s: {circle: , radius: 8 mm}}\n"
                                 "run: {end: 8 ms, step: 1 ms, output: 2 ms}\nnodes:\n");
#define ADD(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
    for (int i = 0; i <= SIDE; i++)
        for (int j = 0; j <= SIDE; j++) ADD("  n%d_%d: [%g, %g, 0]\n", i, j, 0.05 * i, 0.05 * j);
    ADD("  anchor: [1, 1, 0.1]\nelements:\n");
    for (int i = 0; i <= SIDE; i++)
        for (int j = 0; j <= SIDE; j++) {
            const char *beam = "  %c%d_%d: {beam3d_cr: [n%d_%d, n%d_%d], material: m, section: s}\n";
            if (i < SIDE) ADD(beam, 'h', i, j, i, j, i + 1, j);
            if (j < SIDE) ADD(beam, 'v', i, j, i, j, i, j + 1);
        }
    ADD("  wind: {force3d: h3_4, force: [0, 0, \"push*sin(300*t)\"]}\n"
        "  rope: {spring3d: [n16_16, anchor], k: stiff}\n"
        "joints:\n  wall: {fixed: n0_0}\n  hinge: {revolute: [n0_16, ground], axis: [0, 1, 0]}\n"
        "  held: {fixed: anchor}\n"
        "sensors:\n  tip: {position: n16_0}\n  far: {acceleration: n16_16}\n  inner: {force: h0_0}\n"
        "  all: {energy: all}\n  hold: {reaction: wall}\n");
#undef ADD
    assert_true(at < size);
}

static void open_grid(kit *k)
{
    static char text[1 << 17];
    write_grid(text, sizeof text);
    kit_text(k, text);
}

static sn_status keep_frame(void *ctx, const sn_frame *f, sn_err *err)
{
    kit *k = ((void **)ctx)[0];
    (void)err;
    keep(((void **)ctx)[1], f->y, sn_channel_count(k->m));
    return SN_OK;
}

static void run(kit *k, record *r)
{
    void *ctx[] = {k, r};
    k->o.frame = keep_frame, k->o.ctx = ctx;
    kit_good(k, sn_run(k->m, k->p, &k->o, &k->info, &k->err));
    const double counts[] = {(double)k->info.iterations, (double)k->info.factorisations};
    keep(r, counts, 2);
    k->o.frame = NULL;
}

static void find_equilibrium(kit *k, record *r)
{
    const int n = sn_channel_count(k->m);
    double y[ROOM / 8];
    assert_true(n <= ROOM / 8);
    kit_good(k, sn_static(k->m, k->p, &k->o, y, &k->info, &k->err));
    keep(r, y, n);
}

static sn_status keep_mode(void *ctx, int i, const sn_mode *mode, const sn_frame *state, sn_err *err)
{
    (void)i, (void)state, (void)err;
    keep(ctx, &mode->omega, 1);
    return SN_OK;
}

static void find_modes(kit *k, record *r)
{
    sn_mode_options o = sn_mode_options_default(k->m, k->p);
    int found;
    o.n = 4, o.undamped = 1, o.mode = keep_mode, o.ctx = r, o.run.threads = k->o.threads;
    kit_good(k, sn_modes(k->m, k->p, &o, &found, &k->err));
}

static void differentiate(kit *k, record *r, sn_gradient_method method)
{
    static const char *const of[] = {"tip.z@0.005", "rms(far.z)"}, *const wrt[] = {"E", "stiff", "push"};
    double value[2], gradient[6];
    sn_gradient_options o = sn_gradient_options_default(k->m, k->p);
    sn_gradient_result to = {.value = value, .gradient = gradient};
    o.run = k->o, o.of = of, o.n_of = 2, o.wrt = wrt, o.n_wrt = 3, o.method = method;
    o.threads = k->o.threads;
    kit_good(k, sn_gradient(k->m, k->p, &o, &to, NULL, &k->err));
    keep(r, value, 2);
    keep(r, gradient, 6);
}

static void all_of_it(kit *k, record *r)
{
    run(k, r);
    find_equilibrium(k, r);
    find_modes(k, r);
    differentiate(k, r, SN_GRADIENT_FORWARD);
    differentiate(k, r, SN_GRADIENT_ADJOINT);
}

static void test_same_bits(void **state)
{
    static record one, more;
    kit k;
    (void)state;
    open_grid(&k);
    one.n = 0, k.o.threads = 1;
    all_of_it(&k, &one);
    for (k.o.threads = 2; k.o.threads <= THREADS; k.o.threads++) {
        more.n = 0;
        all_of_it(&k, &more);
        assert_same(&one, &more);
    }
    kit_close(&k);
}

/* The element that cannot be evaluated is named, the same one for any number of threads: a distance that is
   zero has no direction. */
static void test_failure(void **state)
{
    kit k;
    char alone[1200], together[1200];
    (void)state;
    for (int threads = 1; threads <= THREADS; threads++) {
        kit_text(&k, "sinew: 1\nrun: {end: 1 s, step: 0.1 s}\n"
                     "nodes: {a: [0, 0, 0], b: [1, 0, 0], c: [1, 0, 0], d: [1, 0, 0]}\n"
                     "elements:\n  m: {mass3d: a, mass: 1}\n  n: {mass3d: b, mass: 1}\n"
                     "  one: {spring3d: [a, b], k: 1, l0: 0.5}\n"
                     "  two: {spring3d: [b, c], k: 1, l0: 0.5}\n"
                     "  three: {spring3d: [c, d], k: 1, l0: 0.5}\n"
                     "joints: {hc: {fixed: c}, hd: {fixed: d}}\n");
        k.o.threads = threads;
        assert_int_not_equal(sn_run(k.m, k.p, &k.o, &k.info, &k.err), SN_OK);
        sn_report_format(&k.err.report[0], threads == 1 ? alone : together, sizeof alone);
        assert_non_null(strstr(alone, "'two'"));
        if (threads > 1) assert_string_equal(alone, together);
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits), cmocka_unit_test(test_failure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
