/* A pendulum of 16 beams that turns by 2 rad in 500 steps, in the plane and in space, also off the axes: its
   factors turn along and last for more than four steps (they would be made in every second one if they stayed
   behind). The motion is that of an iteration with factors of every iterate, but for what the tolerance of
   1e-10 leaves over in each step. */
#include "kit.h"

#define MATTER                                                                                               \
    "materials: {soft: {E: 1e8, nu: 0.3, rho: 1000}}\n"                                                      \
    "sections: {flat: {rectangle: , width: 0.02, height: 0.01}}\n"
#define RUN                                                                                                  \
    "sensors: {tip: {position: b}}\n"                                                                        \
    "run: {end: 0.5, step: 1e-3, tolerance: 1e-10}\n"

static const char plane[] =
    "sinew: 1\n" MATTER RUN "gravity: [0, -9.81]\n"
    "nodes: {a: [0, 0], b: [2, 0]}\n"
    "elements: {beam: {beam2d_cr: [a, b], material: soft, section: flat, elements: 16}}\n"
    "joints: {pin: {fixed: a, only: [x, y]}}\n";
static const char space[] =
    "sinew: 1\n" MATTER RUN "gravity: [0, -9.81, 3]\n"
    "nodes: {a: [0, 0, 0], b: [1.2, 0, 1.6]}\n"
    "elements: {beam: {beam3d_cr: [a, b], material: soft, section: flat, orientation: [0, "
    "1, 0], elements: 16}}\n"
    "joints: {pin: {spherical: [ground, a]}}\n";

static void check_factors_turn(const char *text)
{
    static const char *const out[] = {"tip.x", "tip.y"};
    double tip[2][2];
    kit k;
    for (int full = 0; full < 2; full++) {
        kit_text(&k, text);
        k.o.full_newton = full;
        kit_values(&k, 0.5, 2, out, tip[full]);
        print_message("  %lld factorisations in %lld steps\n", (long long)k.info.factorisations,
                      (long long)k.info.steps);
        if (!full) assert_true(k.info.factorisations < k.info.steps / 4);
        kit_close(&k);
    }
    for (int i = 0; i < 2; i++) kit_near(out[i], tip[0][i], tip[1][i], 500 * 1e-10 * 2);
}

static void test_plane(void **state)
{
    (void)state;
    check_factors_turn(plane);
}

static void test_space(void **state)
{
    (void)state;
    check_factors_turn(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plane), cmocka_unit_test(test_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
