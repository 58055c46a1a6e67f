/* Derivatives by a force history of many unknown values, a table that drives a beam: each value moves one
   number, few of them at a time, and derivatives by all of them cost what they touch. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "metered.h"
#include "base/mem.h"
#include "sinew/sinew.h"

enum { NAME = 16, VALUES = 2000, SOME = 12 };

static const double end = 0.1;

typedef struct history {
    int n; /* values; behind them, as parameters, `lift` (of the first three values) and `scale` */
    sn_model *m;
    sn_values *p;
    char (*name)[NAME];
    const char **wrt;
    double *gradient;
    unsigned char *used;
} history;

/* Parameters backwards: their order is not that of the numbers they move. */
static void history_open(history *h, int n, const char *options)
{
    size_t size = 2000 + 60 * (size_t)n, at = 0;
    char *text = malloc(size);
    sn_err err;
    assert_non_null(text);
    at += (size_t)snprintf(
        text, size,
        "sinew: 1\ngravity: [0, -9.81]\nparameters: {lift: 2, scale: 3}\n"
        "materials: {m: {E: 2e11, rho: 7800}}\nsections: {s: {A: 1e-4, I: 8e-10}}\n"
        "nodes: {a: [0, 0], b: [1, 0]}\njoints: {g: {fixed: a}}\nsensors: {tip: {position: b}}\n"
        "elements:\n  bar: {beam2d_cr: [a, b], material: m, section: s, elements: 20}\n"
        "  push: {force2d: b, force: [f*t, scale*f]}\nrun: {end: %g, step: 1 ms}\nsignals:\n  f: {table: [",
        end);
    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, size - at, "%s[%.9g, %s%.9g]", i ? ", " : "", end * i / (n - 1),
                               i < 3 ? "lift + " : "", 4 * sin(0.01 * i));
    at += (size_t)snprintf(text + at, size - at, "]%s}\n", options);
    *h = (history){.n = n, .name = calloc((size_t)n, NAME), .wrt = calloc((size_t)n + 2, sizeof *h->wrt)};
    h->gradient = calloc((size_t)n + 2, sizeof *h->gradient), h->used = calloc((size_t)n + 2, 1);
    assert_true(h->name && h->wrt && h->gradient && h->used);
    for (int i = 0; i < n; i++) {
        snprintf(h->name[i], NAME, "f.y.%d", n - i);
        h->wrt[i] = h->name[i];
    }
    h->wrt[n] = "lift", h->wrt[n + 1] = "scale";
    sn_err_clear(&err);
    if (sn_model_read_text("history.yaml", text, at, &h->m, &err) || sn_values_new(h->m, &h->p, &err))
        fail_msg("%s", err.report[0].text);
    free(text);
}

static void history_close(history *h)
{
    sn_values_free(h->p);
    sn_model_free(h->m);
    free(h->name), free((void *)h->wrt), free(h->gradient), free(h->used);
}

static void differentiate(const history *h, sn_gradient_method method, int n, const char *const *wrt,
                          double *gradient, double *error, unsigned char *used)
{
    sn_gradient_options o = sn_gradient_options_default(h->m, h->p);
    const char *of = "rms(tip.y - 0.1) + tip.x";
    double value;
    sn_err err;
    sn_err_clear(&err);
    o.of = &of, o.n_of = 1, o.wrt = wrt, o.n_wrt = n, o.method = method, o.threads = 1;
    if (sn_gradient(h->m, h->p, &o, &(sn_gradient_result){&value, gradient, error, used}, NULL, &err))
        fail_msg("%s", err.report[0].text);
}

/* The adjoint by all, forward by some (the same to rounding times the condition of the run: 11 digits or so
   of the largest, and 10 are asked for), and by differences within ten times their own estimate and the
   rounding of the state, some 1e-15 of a metre, over a hundredth of the number. */
static void agree(const char *options)
{
    history h;
    const char *wrt[SOME];
    const double rounding = 1e-15 / 1e-2;
    double forward[SOME], differences[3], error[3], largest = 0, worst = 0;
    int which[SOME], n = 0, nonzero = 0;
    history_open(&h, VALUES, options);
    differentiate(&h, SN_GRADIENT_ADJOINT, h.n + 2, h.wrt, h.gradient, NULL, h.used);
    for (int k = 0; k < h.n + 2; k++) {
        assert_int_equal(h.used[k], 1);
        largest = fmax(largest, fabs(h.gradient[k]));
        nonzero += h.gradient[k] != 0;
        int wanted = k >= h.n || k % 397 == 0 || k >= h.n - 4; /* also the first ones and those of lift */
        if (wanted && n < SOME) which[n] = k, wrt[n++] = h.wrt[k];
    }
    assert_int_equal(n, SOME);
    assert_true(nonzero > 100);
    differentiate(&h, SN_GRADIENT_FORWARD, SOME, wrt, forward, NULL, NULL);
    for (int i = 0; i < SOME; i++) worst = fmax(worst, fabs(forward[i] - h.gradient[which[i]]) / largest);
    differentiate(&h, SN_GRADIENT_DIFFERENCES, 3, wrt + SOME - 3, differences, error, NULL);
    for (int i = 0; i < 3; i++) {
        double d = differences[i] - h.gradient[which[SOME - 3 + i]];
        assert_true(fabs(d) <= 10 * error[i] + rounding);
    }
    print_message("%d values%s, %d derivatives other than 0: adjoint and forward differ by %.1e\n", VALUES,
                  options, nonzero, worst);
    assert_true(worst < 1e-10);
    history_close(&h);
}

static void test_agree(void **state)
{
    (void)state;
    agree("");
    agree(", interpolation: cubic");
}

/* Bytes of a gradient beyond those of the model. */
static size_t taken(int n)
{
    meter used = {0};
    sn_allocator own = {measured, given_back, &used};
    history h;
    sn_set_allocator(&own);
    history_open(&h, n, "");
    size_t before = used.most = used.now;
    differentiate(&h, SN_GRADIENT_ADJOINT, h.n + 2, h.wrt, h.gradient, NULL, NULL);
    size_t bytes = used.most - before;
    history_close(&h);
    sn_set_allocator(NULL);
    assert_int_equal(used.now, 0);
    return bytes;
}

/* A value's own number and direction, its place in the lists of parameters and in the gradient: less than 300
   bytes a value, as linear as three sizes show. Columns of the beam's 66 unknowns would take 528 bytes each.
 */
static void test_bytes(void **state)
{
    (void)state;
    double a = (double)taken(VALUES / 4), b = (double)taken(VALUES / 2), c = (double)taken(VALUES);
    print_message("%.0f, %.0f, %.0f bytes: %.1f a value\n", a, b, c, (c - b) / (VALUES / 2));
    assert_true(c - b < 300 * VALUES / 2);
    assert_true(c - b < 2.1 * (b - a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agree), cmocka_unit_test(test_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
