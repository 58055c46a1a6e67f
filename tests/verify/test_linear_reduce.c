/* Reduced systems: the error stays below its bound at all frequencies, what must be kept is kept. */
#include "verify/linear_kit.h"

/* A cantilever with damping and a mass on a rail that nothing holds, beside a column that falls over. */
static const char model[] =
    "sinew: 1\ngravity: [0, -9.81]\nsignals: {push: {input: 0}, pull: {input: 0}}\n"
    "nodes: {root: [0, 0], tip: [1, 0], cart: [0, 2], rod: {frame2d: [0, 2.5]}}\n"
    "elements:\n"
    "  beam: {beam2d_cr: [root, tip], EA: 1e4, EI: 2, rhoA: 0.5, elements: 6, damping: 0.2 ms, damping_mass: "
    "0.5}\n"
    "  f: {force2d: tip, force: [0, push]}\n  g: {force2d: cart, force: [pull, 0]}\n"
    "  mc: {mass2d: cart, mass: 3, inertia: 0.1}\n  mr: {mass2d: rod, mass: 1, inertia: 0.02}\n"
    "joints:\n  wall: {fixed: root}\n  rail: {prismatic2d: [ground, cart], axis: [1, 0]}\n"
    "  hinge: {revolute2d: [cart, rod], at: [0, 2]}\n"
    "sensors: {tip: {position: tip}, v: {velocity: tip}, wall: {reaction: wall}, cart: {position: cart}, "
    "rod: {rotation: rod}}\n";

/* Largest error over its bound, of all pairs that are coupled and frequencies, but for rounding: that of H
   itself, which the places of poles at 0 multiply, and of the largest of the output. sum: of all bounds, each
   over the largest |H|. */
static double most(const linear *full, const linear *small, double *sum)
{
    double worst = 0;
    *sum = 0;
    for (int i = 0; i < full->no; i++) {
        /* of all components of the sensor: some are nearly uncoupled */
        double size = 0;
        for (int k = 0; k < full->no; k++)
            for (double w = 0.1; w < 1e4; w *= 1.13)
                if (!strncmp(full->output[k], full->output[i], strcspn(full->output[i], ".") + 1))
                    size = fmax(size, cabs(linear_response(full, full->output[k], full->input[0], I * w)));
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < full->ni; j++) {
                double top = 0, off = 0, bound = small->bound[i * full->ni + j];
                for (double w = 0.1; w < 1e6; w *= 1.13) {
                    double complex h = linear_response(full, full->output[i], full->input[j], I * w);
                    double d = cabs(h - linear_response(small, full->output[i], full->input[j], I * w));
                    off = fmax(off, d - 1e-9 * cabs(h)), top = fmax(top, cabs(h));
                }
                size = fmax(size, top);
                if (!pass) continue;
                if (top > 0) worst = fmax(worst, off / (bound + 1e-8 * size));
                if (top > 1e-6 * size) *sum += bound / top;
            }
    }
    return worst;
}

static int has_pole(const linear *y, double re, double im, double tolerance)
{
    for (int i = 0; i < y->n; i++)
        if (hypot(y->poles[2 * i] - re, y->poles[2 * i + 1] - im) <= tolerance) return 1;
    return 0;
}

static double reduced(int n, int modal)
{
    kit at;
    linear full, small;
    double sum;
    kit_text(&at, model);
    linear_options(&at, &full), linear_make(&at, &full);
    assert_int_equal(full.n, 40);
    linear_options(&at, &small);
    small.o.reduce = n, small.o.modal = modal;
    linear_make(&at, &small);
    assert_true(small.n <= n && small.n >= n - 1);
    assert_int_equal(small.full, 40);
    double worst = most(&full, &small, &sum);
    print_message("  %s %d: error %.3g of the bound, bounds %.2g of the largest amplitudes\n",
                  modal ? "modal" : "balanced", n, worst, sum);
    assert_true(worst <= 1 + 1e-9);
    assert_true(worst > 1e-3); /* the bound is no idle one */
    int exact = 0;
    for (int i = 0; i < full.n; i++)
        if (full.poles[2 * i] > -1e-9) {
            exact++;
            assert_true(has_pole(&small, full.poles[2 * i], full.poles[2 * i + 1], 1e-9));
        }
    assert_true(exact >= 3); /* the cart twice at 0, the rod falls */
    assert_string_equal(small.state[0], "z1");
    linear_free(&full), linear_free(&small), kit_close(&at);
    return sum;
}

static void test_balanced(void **state)
{
    (void)state;
    double few = reduced(16, 0), many = reduced(30, 0);
    assert_true(many < few / 10);
}

static void test_modal(void **state)
{
    (void)state;
    reduced(12, 1);
}

/* Modal truncation keeps the slowest poles as they are; without damping there is no bound. */
static void test_undamped(void **state)
{
    kit at;
    linear full, small;
    (void)state;
    kit_text(&at, "sinew: 1\nsignals: {push: {input: 0}}\nnodes: {root: [0, 0], tip: [1, 0]}\n"
                  "elements: {beam: {beam2d_cr: [root, tip], EA: 1e4, EI: 2, rhoA: 0.5, elements: 3},\n"
                  "  f: {force2d: tip, force: [0, push]}}\njoints: {wall: {fixed: root}}\n"
                  "sensors: {tip: {position: tip}}\n");
    linear_options(&at, &full), linear_make(&at, &full);
    linear_options(&at, &small);
    small.o.reduce = 5, small.o.modal = 1;
    linear_make(&at, &small);
    assert_int_equal(small.n, 4); /* pairs stay together */
    assert_true(isinf(small.bound[1]));
    double w[2] = {INFINITY, INFINITY};
    for (int i = 0; i < full.n; i++) {
        double x = full.poles[2 * i + 1];
        if (x <= 0) continue;
        if (x < w[0])
            w[1] = w[0], w[0] = x;
        else if (x < w[1])
            w[1] = x;
    }
    for (int i = 0; i < 2; i++) assert_true(has_pole(&small, 0, w[i], 1e-7 * w[i]));
    linear_free(&small);
    linear_options(&at, &small);
    small.o.reduce = 5;
    assert_int_equal(sn_linearise(at.m, at.p, &small.o, &at.err), SN_ERR_INPUT);
    assert_non_null(strstr(at.err.report[0].text, "undamped"));
    linear_free(&full), linear_free(&small), kit_close(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balanced),
        cmocka_unit_test(test_modal),
        cmocka_unit_test(test_undamped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
