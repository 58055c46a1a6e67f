/* Steps of changing size, by the integrator itself: the pendulum of length 1 from the horizontal, as a point
   held by a distance; and a lag driven by a sine, of first order. The sizes go up and down by a fixed
   pattern. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/analysis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char pendulum[] = "sinew: 1\n"
                               "gravity: [0, -9.81]\n"
                               "nodes: {b: [-1, 0]}\n"
                               "elements: {bob: {mass2d: b, mass: 1}}\n"
                               "joints: {rod: {distance: [ground, b]}}\n"
                               "run: {end: 1, tolerance: 1e-12}\n";

/* Sizes of steps in units of the smallest. */
static const int pattern[] = {4, 4, 4, 4, 5, 5, 5, 5, 5, 7, 7, 7, 7, 5, 5, 5, 3, 3, 3, 3, 4, 4};

typedef struct end {
    double q[2], v[2], a[2], lam;
} end;

/* To 1 s by n patterns, or by steps of the mean size. */
static end go(const char *text, int n, int uniform)
{
    sn_model *m;
    sn_values *p;
    sn_err err;
    sn_context d;
    sn_info info = {0};
    const sn_scheme *scheme;
    void *self;
    sn_state *next;
    sn_err_clear(&err);
    assert_int_equal(sn_model_read_text("model", text, strlen(text), &m, &err), SN_OK);
    assert_int_equal(sn_values_new(m, &p, &err), SN_OK);
    sn_run_options o = sn_run_options_default(m, p);
    o.error = 1; /* steps may change: A and v follow */
    assert_int_equal(sn_context_open(m, p, &o, &info, &d, &err), SN_OK);
    const sn_integrator_class *k = sn_scheme_find(o.scheme, &scheme);
    assert_int_equal(sn_state_new(m, k->history, &next, &err), SN_OK);
    assert_int_equal(sn_start(&d, &err), SN_OK);
    const sn_integration in = {.w = d.w, .ls = d.ls, .scheme = scheme, .o = &o, .info = &info};
    assert_int_equal(sn_integrator_open(k, &in, &self, &err), SN_OK);
    assert_int_equal(k->begin(self, d.x, &err), SN_OK);
    int count = (int)(sizeof pattern / sizeof *pattern), all = 0, small = 0;
    for (int i = 0; i < count; i++) all += pattern[i];
    for (int i = 0; small < all * n; i++) {
        int size = uniform ? 5 : pattern[i % count];
        if (small + size > all * n) size = all * n - small;
        assert_int_equal(k->step(self, d.x, (double)size / (all * n), next, &err), SN_OK);
        small += size;
        sn_state *t = d.x;
        d.x = next, next = t;
    }
    end e = {{d.x->q[0], d.x->q[1]}, {d.x->v[0], d.x->v[1]}, {d.x->a[0], d.x->a[1]}, d.x->lam[0]};
    k->close(self);
    sn_state_free(next);
    sn_context_close(&d);
    sn_values_free(p);
    sn_model_free(m);
    return e;
}

static double log_ratio(double coarse, double fine) { return log2(fabs(coarse / fine)); }

/* Positions and velocities of second order. Multipliers and accelerations, too: a change of the step that
   left A and v as they are would cost them O(h), here 2e-2 with the finest steps. */
static void pendulum_order(void **state)
{
    (void)state;
    end limit = go(pendulum, 400, 1), e[3];
    for (int i = 0; i < 3; i++) {
        int n = 10 << i;
        e[i] = go(pendulum, n, 0);
        end u = go(pendulum, n, 1);
        print_message("  n %d: q %.2e v %.2e a %.2e lam %.2e; uniform %.2e %.2e %.2e %.2e\n", n,
                      e[i].q[0] - limit.q[0], e[i].v[0] - limit.v[0], e[i].a[0] - limit.a[0],
                      e[i].lam - limit.lam, u.q[0] - limit.q[0], u.v[0] - limit.v[0], u.a[0] - limit.a[0],
                      u.lam - limit.lam);
        assert_true(fabs(e[i].q[0] - limit.q[0]) < 2 * fabs(u.q[0] - limit.q[0]));
        assert_true(fabs(e[i].lam - limit.lam) < 2 * fabs(u.lam - limit.lam));
        assert_true(fabs(e[i].a[0] - limit.a[0]) < 2 * fabs(u.a[0] - limit.a[0]));
    }
    for (int i = 0; i < 2; i++) {
        double q = log_ratio(e[i].q[0] - limit.q[0], e[i + 1].q[0] - limit.q[0]),
               v = log_ratio(e[i].v[0] - limit.v[0], e[i + 1].v[0] - limit.v[0]);
        assert_true(q > 1.9 && q < 2.1 && v > 1.9 && v < 2.1);
    }
}

/* z' = (sin(W t) - z)/tau: second order with the rate w moved along, first without. */
static void lag_order(void **state)
{
    static const char *const text = "sinew: 1\n"
                                    "nodes: {z: {state: 0}}\n"
                                    "elements: {filter: {lag: z.z, tau: 0.2 s, input: sin(9*t)}}\n"
                                    "run: {end: 1, tolerance: 1e-12}\n";
    double r = 0.2 * 9, off[3], exact = (sin(9) - r * cos(9) + r * exp(-5)) / (1 + r * r);
    (void)state;
    for (int i = 0; i < 3; i++) off[i] = go(text, 2 << i, 0).q[0] - exact;
    print_message("  lag off by %.2e %.2e %.2e\n", off[0], off[1], off[2]);
    for (int i = 0; i < 2; i++)
        assert_true(log_ratio(off[i], off[i + 1]) > 1.8 && log_ratio(off[i], off[i + 1]) < 2.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pendulum_order), cmocka_unit_test(lag_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
