/* Slider-crank with a spring-damper: integral of the kinetic energy over 10 s.

   The problem of SUNDIALS' example idasSlCrank_FSA_dns (IDAS): a crank of 0.5 m turns about the origin,
   inertia 1 about its pivot; a rod of 2 m, mass 1, inertia 2 about its centre, which slides on the x axis,
   its near end on the crank pin; a spring-damper (k 1, c 1, free length 1) from the crank's midpoint to the
   rod's point halfway between pin and centre; a force 1 along +x at the rod's far end. From rest, crank at 90
   degrees, rod at -30; no gravity. Reference: G = 3.3366068, computed to that number of digits with tight
   tolerances (the example prints the same to 3e-6). */
#include "verify/kit.h"

static const char *yaml = "sinew: 1\n"
                          "parameters: {q: 90 deg, p: -30 deg, k: 1 N/m, c: 1 N*s/m}\n"
                          "nodes:\n"
                          "  crank: [0, 0]\n"
                          "  rod: [cos(p), 0]\n"
                          "  a: [0.25*cos(q), 0.25*sin(q)]\n"
                          "  b: [cos(p)/2, -sin(p)/2]\n"
                          "elements:\n"
                          "  crank: {mass2d: crank, mass: 0, inertia: 1}\n"
                          "  rod: {mass2d: rod, mass: 1, inertia: 2}\n"
                          "  spring: {spring2d: [a, b], k: k, c: c, l0: 1}\n"
                          "  push: {force2d: rod, force: [1, 0], point: [cos(p), sin(p)]}\n"
                          "joints:\n"
                          "  pivot: {fixed: crank, only: [x, y]}\n"
                          "  slider: {fixed: rod, only: y}\n"
                          "  pin: {revolute2d: [crank, rod], at: [0.5*cos(q), 0.5*sin(q)]}\n"
                          "  a: {rigid_link: [crank, a]}\n"
                          "  b: {rigid_link: [rod, b]}\n"
                          "sensors: {energy: {energy: all}, off: {violation: all}}\n"
                          "run: {end: 10, step: 2 ms}\n";

typedef struct sum {
    long n, last; /* frames seen, number of the last */
    double total; /* Simpson's weights 1 4 2 4 ... 4 1 */
    double worst; /* violation */
} sum;

static sn_status add(void *ctx, const sn_frame *f, sn_err *err)
{
    sum *s = ctx;
    (void)err;
    s->total += f->y[0] * (s->n == 0 || s->n == s->last ? 1 : s->n % 2 ? 4 : 2);
    s->worst = fmax(s->worst, fabs(f->y[3]));
    s->n++;
    return SN_OK;
}

static double integral(kit *k, double step)
{
    sum s = {.last = lround(10 / step)};
    k->o.step = k->o.output = step, k->o.tolerance = 1e-11;
    k->o.frame = add, k->o.ctx = &s;
    kit_run(k);
    assert_int_equal(s.n, s.last + 1);
    kit_near("violation", s.worst, 0, 1e-9);
    return s.total * step / 3;
}

/* Simpson's rule is of fourth order, the motion of second: extrapolation of two steps leaves less than the
   reference's own last digit; 1e-7 is asked for, twice that digit. */
static void test_kinetic_energy(void **state)
{
    double G[3];
    kit k;
    (void)state;
    kit_text(&k, yaml);
    assert_int_equal(kit_channel(&k, "energy.kinetic"), 0);
    assert_int_equal(kit_channel(&k, "off"), 3);
    for (int i = 0; i < 3; i++) G[i] = integral(&k, 4e-3 / (1 << i));
    double x = richardson(G[1], G[2], 2);
    print_message("G = %.9f %.9f %.9f, order %.4f, extrapolated %.9f, off by %.1e\n", G[0], G[1], G[2],
                  order_of(G[0] - G[1], G[1] - G[2]), x, x - 3.3366068);
    kit_within("order", order_of(G[0] - G[1], G[1] - G[2]), 1.95, 2.05);
    kit_near("G", x, 3.3366068, 1e-7);
    kit_close(&k);
}

/* dG/dk and dG/dc by central differences of the extrapolated integral, with 1e-3 of the value: their own
   error is 1e-6 of the third derivative; the references .333448 and -.363754 have six digits. */
static void test_slopes(void **state)
{
    static const char *const name[] = {"k", "c"};
    static const double reference[] = {.333448, -.363754};
    (void)state;
    for (int i = 0; i < 2; i++) {
        double G[2];
        kit k;
        kit_text(&k, yaml);
        for (int j = 0; j < 2; j++) {
            kit_set(&k, name[i], 1 + (j ? 1e-3 : -1e-3));
            kit_update(&k);
            G[j] = richardson(integral(&k, 4e-3), integral(&k, 2e-3), 2);
        }
        double slope = (G[1] - G[0]) / 2e-3;
        print_message("dG/d%s = %.7f, off by %.1e\n", name[i], slope, slope - reference[i]);
        kit_near(name[i], slope, reference[i], 3e-6);
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinetic_energy),
        cmocka_unit_test(test_slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
