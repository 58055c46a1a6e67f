/* Large models. Memory grows in proportion to the number of beams and stays below a bound for each, as the
   library's allocator counts it, over reading, start and steps; the number of allocations, which a pass that
   is quadratic in small pieces would raise, as well. Models beyond 100,000 elements are read. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "model/model.h"
#include "sinew/sinew.h"
#include "metered.h"

static sn_status skip_frame(void *ctx, const sn_frame *f, sn_err *err)
{
    (void)ctx, (void)f, (void)err;
    return SN_OK;
}

/* ---- models: a beam of n pieces, and n beams written one by one ---- */

static const char *const head[2] = {
    "sinew: 1\ngravity: [0, -9.81]\nmaterials: {m: {E: 2e11, rho: 7800}}\nsections: {s: {A: 1e-4, I: "
    "8e-10}}\n"
    "run: {end: 2 ms, step: 1 ms}\n",
    "sinew: 1\ngravity: [0, 0, -9.81]\nmaterials: {m: {E: 2e11, nu: 0.3, rho: 7800}}\n"
    "sections: {s: {circle: , radius: 5 mm}}\nrun: {end: 2 ms, step: 1 ms}\n"};

static char *meshed(int space, int n)
{
    char *text = malloc(1000);
    assert_non_null(text);
    const char *z = space ? ", 0" : "";
    snprintf(text, 1000,
             "%snodes: {a: [0, 0%s], b: [%g, 0%s]}\n"
             "elements: {bar: {beam%dd_cr: [a, b], material: m, section: s, elements: %d}}\n"
             "joints: {g: {fixed: a}}\nsensors: {tip: {position: b}}\n",
             head[space], z, 0.01 * n, z, space ? 3 : 2, n);
    return text;
}

static char *written(int space, int n)
{
    size_t size = 1000 + 120 * (size_t)n, at = 0;
    char *text = malloc(size);
    assert_non_null(text);
    const char *z = space ? ", 0" : "";
    at += (size_t)snprintf(text + at, size - at, "%snodes:\n", head[space]);
    for (int i = 0; i <= n; i++)
        at += (size_t)snprintf(text + at, size - at, "  n%d: [%g, 0%s]\n", i, 0.01 * i, z);
    at += (size_t)snprintf(text + at, size - at, "elements:\n");
    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, size - at,
                               "  b%d: {beam%dd_cr: [n%d, n%d], material: m, section: s}\n", i, space ? 3 : 2,
                               i, i + 1);
    snprintf(text + at, size - at, "joints: {g: {fixed: n0}}\n");
    return text;
}

/* Read and run two steps; what that took. */
static meter take(char *text, int redundant)
{
    meter used = {0};
    sn_allocator own = {measured, given_back, &used};
    sn_err err;
    sn_err_clear(&err);
    sn_set_allocator(&own);
    sn_model *m = NULL;
    sn_values *p = NULL;
    sn_info info = {0};
    sn_status s = sn_model_read_text("size.yaml", text, strlen(text), &m, &err);
    if (!s) s = sn_values_new(m, &p, &err);
    if (!s) {
        sn_run_options o = sn_run_options_default(m, p);
        o.frame = skip_frame;
        s = sn_run(m, p, &o, &info, &err);
    }
    sn_values_free(p);
    sn_model_free(m);
    sn_set_allocator(NULL);
    free(text);
    if (s) fail_msg("%s", err.report[0].text);
    assert_int_equal(info.steps, 2);
    assert_int_equal(info.redundant, redundant);
    assert_int_equal(used.now, 0);
    return used;
}

/* Four times the beams need four times the memory: arrays that grow by doubling end up four times as long,
   and a hundredth is left for what does not depend on the size. Bounds for each beam are a tenth above what
   was measured when they were set. */
static void check(char *(*make)(int, int), int space, int n, double most_bytes, double most_calls)
{
    meter small = take(make(space, n), 0), large = take(make(space, 4 * n), 0);
    double bytes = (double)large.most / (4.0 * n), calls = (double)large.calls / (4.0 * n);
    print_message("%s %s: %.0f bytes, %.2f allocations a beam; %.3f, %.3f times those of a quarter\n",
                  make == meshed ? "meshed" : "written", space ? "space" : "plane", bytes, calls,
                  (double)large.most / (double)small.most, (double)large.calls / (double)small.calls);
    assert_true((double)large.most <= 4.04 * (double)small.most);
    assert_true((double)large.calls <= 4.04 * (double)small.calls);
    assert_true(bytes <= most_bytes);
    assert_true(calls <= most_calls);
}

static void test_growth(void **state)
{
    (void)state;
    check(meshed, 0, 2500, 5850, 0.1);
    check(meshed, 1, 2500, 16700, 0.2);
    check(written, 0, 2500, 8500, 24.5);
    check(written, 1, 1250, 22400, 67);
}

/* 400 clamped beams of 50 pieces, one of the clamps twice: what is redundant is found in the equations that
   meet there. All of B as a dense matrix would take 577 MB, and all the rest together takes 5.9 kB a beam. */
static void test_redundant(void **state)
{
    (void)state;
    enum { BEAMS = 400, PIECES = 50 };
    size_t size = 1000 + 300 * (size_t)BEAMS, at = 0;
    char *text = malloc(size);
    assert_non_null(text);
    at += (size_t)snprintf(text, size, "%snodes:\n", head[0]);
    for (int i = 0; i <= BEAMS; i++)
        at += (size_t)snprintf(text + at, size - at, "  n%d: [%g, 0]\n", i, 0.5 * i);
    at += (size_t)snprintf(text + at, size - at, "elements:\n");
    for (int i = 0; i < BEAMS; i++)
        at += (size_t)snprintf(text + at, size - at,
                               "  b%d: {beam2d_cr: [n%d, n%d], material: m, section: s, elements: %d}\n", i,
                               i, i + 1, PIECES);
    at += (size_t)snprintf(text + at, size - at, "joints:\n  again: {fixed: n7}\n");
    for (int i = 0; i <= BEAMS; i++)
        at += (size_t)snprintf(text + at, size - at, "  g%d: {fixed: n%d}\n", i, i);
    assert_true(take(text, 3).most < (size_t)BEAMS * PIECES * 8000);
}

static void test_many(void **state)
{
    (void)state;
    sn_err err;
    sn_model *m = NULL;
    char *text = meshed(0, 100001);
    sn_err_clear(&err);
    if (sn_model_read_text("size.yaml", text, strlen(text), &m, &err)) fail_msg("%s", err.report[0].text);
    assert_int_equal(m->element.n, 100001);
    assert_int_equal(m->n, 3 * 100002 + 3);
    /* two nodes of three coordinates share an element: 9 places in a column, 6 at the ends, those of the
     * joint, a diagonal */
    assert_int_equal(m->nnz, 27 * 100002 - 18 + 2 * 9 + 3);
    sn_model_free(m);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_growth), cmocka_unit_test(test_redundant),
                                       cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
