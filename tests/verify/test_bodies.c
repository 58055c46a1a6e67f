/* Reduced flexible bodies against rigid bodies, beams of finite elements and each other. */
#include "verify/bodies.h"

static const char *const kinds[] = {"ffr", "fncf"};

static const char *text(const char *format, ...)
{
    static char out[6000];
    va_list list;
    va_start(list, format);
    assert_true(vsnprintf(out, sizeof out, format, list) < (int)sizeof out);
    va_end(list);
    return out;
}

/* A heavy top with an offset centre: a body without modes, and a mass3d of the same particles. Equal to
   rounding, which 200 steps of a motion without chaos raise by no more than their number. */
static void test_rigid(void **state)
{
    static const char *const ch[] = {"p.x", "p.y", "p.z", "w.x", "w.y", "w.z", "e.total"};
    double y[3][7], c[3], J[9];
    sn_reduced_body b = random_body(0, 3, NULL);
    (void)state;
    b.X = particles_zeros(6), b.phi = particles_zeros(1), b.theta = particles_zeros(1);
    bodies_add("top", b);
    for (int k = 0; k < 3; k++) c[k] = b.first[k] / b.mass;
    double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    for (int i = 0; i < 9; i++) J[i] = b.J0[i] - b.mass * ((i % 4 ? 0 : cc) - c[i / 3] * c[i % 3]);
    for (int kind = 0; kind < 3; kind++) {
        char body[400];
        if (kind < 2)
            snprintf(body, sizeof body, "{%s: [o], body: top, spin: [1, 2, 15]}", kinds[kind]);
        else
            snprintf(body, sizeof body,
                     "{mass3d: o, mass: %.17g, com: [%.17g, %.17g, %.17g], inertia: [%.17g, %.17g, %.17g], "
                     "products: [%.17g, %.17g, %.17g]}",
                     b.mass, c[0], c[1], c[2], J[0], J[4], J[8], J[1], J[2], J[5]);
        kit k;
        kit_text(
            &k,
            text("sinew: 1\ngravity: [0, 0, -9.81]\nnodes:\n  o: {frame3d: [0, 0, 0], spin: [1, 2, 15]}\n"
                 "elements:\n  top: %s\njoints:\n  tip: {fixed: o, only: [x, y, z]}\n"
                 "sensors:\n  p: {position: o, offset: [0, 0, 1]}\n  w: {gyroscope: o}\n  e: {energy: top}\n"
                 "run: {end: 0.4, step: 2e-3}\n",
                 body));
        kit_values(&k, 0.4, 7, ch, y[kind]);
        kit_close(&k);
    }
    for (int i = 0; i < 7; i++)
        for (int kind = 0; kind < 2; kind++) kit_near(ch[i], y[kind][i], y[2][i], 1e-9 * (1 + fabs(y[2][i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rigid)};
    return cmocka_run_group_tests(tests, bodies_begin, bodies_end);
}
