/* Tapered beams: numbers that vary with xi along a meshed beam, each piece with those of its middle.

   A cantilever of length L under a force F at its tip, rectangle of width b and of a height that falls from
   h0 to r h0, bends by (Euler-Bernoulli, c = 1 - r, u = h/h0)

       F/E int (L - x)^2/I dx = F L^3/(E I0 c^3) int_r^1 (u - r)^2/u^p du,   p = 3 or 1

   in the plane of the height (I = b h^3/12) or across it (I = h b^3/12). Elements are exact for forces at
   their nodes and a constant section; the middle value makes an error in even powers of the pieces' length.
 */
#include "verify/kit.h"

static const double L = 2, E = 1e9, b = 0.05, h0 = 0.1, r = 0.4, F = 1e-3;

static double bent_with_height(void)
{
    double c = 1 - r, I = b * h0 * h0 * h0 / 12;
    return F * L * L * L / (E * I * c * c * c) * (-log(r) - 2 * c + (1 - r * r) / 2);
}

static double bent_with_width(void)
{
    double c = 1 - r, I = h0 * b * b * b / 12;
    return F * L * L * L / (E * I * c * c * c) * ((1 - r * r) / 2 - 2 * r * c - r * r * log(r));
}

static const char plane[] =
    "sinew: 1\nparameters: {h0: 0.1 m, h1: 0.04 m}\nnodes: {root: [0, 0], tip: [2, 0]}\n"
    "elements:\n  beam: {beam2d_cr: [root, tip], E: 1e9, rho: 1000, elements: %d,\n"
    "         section: {rectangle: , width: 5 cm, height: h0 + (h1 - h0)*xi}}\n"
    "  push: {force2d: tip, force: [0, 1e-3]}\n"
    "joints: {wall: {fixed: root}}\nsensors: {tip: {displacement: tip}}\n";

static const char space[] =
    "sinew: 1\nparameters: {h0: 0.1 m, h1: 0.04 m}\n"
    "materials: {stuff: {E: 1e9, nu: 0.3, rho: 1000}}\n"
    "sections: {thin: {rectangle: , width: 5 cm, height: h0 + (h1 - h0)*xi}}\n"
    "nodes: {root: [0, 0, 0], tip: [2, 0, 0]}\n"
    "elements:\n  beam: {beam3d_cr: [root, tip], material: stuff, section: thin, elements: %d}\n"
    "  push: {force3d: tip, force: [0, 1e-3, 1e-3]}\n"
    "joints: {wall: {fixed: root}}\nsensors: {tip: {displacement: tip}}\n";

/* Errors of the tip's deflection with 16, 32, 64 pieces and twice extrapolated. */
static void converges(const char *text, const char *channel, double exact)
{
    double y[3], once[2];
    for (int k = 0; k < 3; k++) {
        char model[1024];
        kit m;
        snprintf(model, sizeof model, text, 16 << k);
        kit_text(&m, model);
        kit_static(&m, 1, &channel, &y[k]);
        kit_close(&m);
    }
    for (int k = 0; k < 2; k++) once[k] = richardson(y[k], y[k + 1], 2);
    double twice = richardson(once[0], once[1], 4);
    print_message("  %s: relative errors %.2e %.2e %.2e, extrapolated %.1e\n", channel, y[0] / exact - 1,
                  y[1] / exact - 1, y[2] / exact - 1, twice / exact - 1);
    /* of second order: the fourth power changes the order by some of the error itself, 6e-4 at 64 pieces */
    kit_within("order", order_of(y[1] - exact, y[2] - exact), 1.998, 2.002);
    /* left over: the sixth power of the change of height in a piece at the tip, (1 - r)/(16 r) = 0.094, so
       7e-7 of which the extrapolation takes most; and the geometry, slope^2 = 1e-10 */
    kit_near("deflection", twice / exact, 1, 2e-8);
}

static void test_deflection(void **state)
{
    (void)state;
    converges(plane, "tip.y", bent_with_height());
    converges(space, "tip.z", bent_with_height());
    converges(space, "tip.y", bent_with_width());
}

/* ---- the same beams one by one ---- */

static const char frame_of[] =
    "sinew: 1\nparameters: {w0: 0.2 m, w1: 0.1 m, p: 400 Pa}\n"
    "materials: {stuff: {E: 1e8, nu: 0.3, rho: 1000}}\n"
    "nodes: {a: [0, 0, 0], e: [2, 0.5, 0]%s}\n"
    "%s"
    "joints: {wall: {fixed: a}}\n"
    "sensors: {tip: {displacement: e}, acc: {acceleration: e}, wall: {reaction: wall}}\n"
    "run: {end: 0.1, step: 5 ms}\n";

static const char tapered[] = "elements:\n  beam: {beam3d_cr: [a, e], material: stuff, elements: 4,\n"
                              "         section: {rectangle: , width: w0 + (w1 - w0)*xi, height: 2 cm*(1 - "
                              "xi/2)}, EA: 1e7*(1 - xi^2)}\n"
                              "  wind: {force3d: beam, per_length: [0, 0, p*beam.width*sin(20*t)]}\n";

/* xi = 1/8, 3/8, 5/8, 7/8 */
#define SECTION(i, xi)                                                                                       \
    "  s" #i ": {rectangle: , width: w0 + (w1 - w0)*" #xi ", height: 2 cm*(1 - " #xi "/2)}\n"
#define BEAM(i, a, b, xi)                                                                                    \
    "  beam" #i ": {beam3d_cr: [" #a ", " #b "], material: stuff, section: s" #i ", EA: 1e7*(1 - " #xi       \
    "^2)}\n"
#define WIND(i) "  wind" #i ": {force3d: beam" #i ", per_length: [0, 0, p*s" #i ".width*sin(20*t)]}\n"
static const char written[] = "sections:\n" SECTION(1, 0.125) SECTION(2, 0.375) SECTION(3, 0.625)
    SECTION(4, 0.875) "elements:\n" BEAM(1, a, b, 0.125) BEAM(2, b, c, 0.375) BEAM(3, c, d, 0.625)
        BEAM(4, d, e, 0.875) WIND(1) WIND(2) WIND(3) WIND(4);

/* A large motion under a line load that grows with the width. All numbers of the two models are the same, to
   the last digit but for the order of operations. */
static void test_one_by_one(void **state)
{
    (void)state;
    static const char *const name[] = {"tip.z", "tip.x", "acc.z", "wall.fz", "wall.mx", "wall.my"};
    double y[2][6];
    for (int i = 0; i < 2; i++) {
        char text[4096];
        kit k;
        snprintf(text, sizeof text, frame_of,
                 i ? ", b: [0.5, 0.125, 0], c: [1, 0.25, 0], d: [1.5, 0.375, 0]" : "", i ? written : tapered);
        kit_text(&k, text);
        k.o.full_newton = 1;
        kit_values(&k, 0.1, 6, name, y[i]);
        kit_close(&k);
    }
    print_message("  tip %.6g, differs by %.1e\n", y[0][0], y[0][0] - y[1][0]);
    assert_true(fabs(y[0][0]) > 0.05);
    for (int j = 0; j < 6; j++) kit_near(name[j], y[0][j], y[1][j], 1e-12 * fmax(fabs(y[1][j]), 1));
}

/* Width and height both fall linearly: rho L (w h at the middle + dw dh/12), of which n pieces leave out
   dw dh/(12 n^2). The first moment too: the pieces' centres are where their middles are. */
static void test_mass(void **state)
{
    (void)state;
    sn_check_report c;
    kit k;
    kit_text(
        &k,
        "sinew: 1\nnodes: {a: [0, 0, 0], b: [3, 0, 0]}\n"
        "elements: {w: {beam3d_cr: [a, b], E: 1e9, G: 1e9, rho: 1000, elements: 5,\n"
        "  section: {rectangle: , width: 0.4 - 0.2*xi, height: 0.3 - 0.2*xi}}}\njoints: {r: {fixed: a}}\n");
    kit_good(&k, sn_check(k.m, k.p, &c, &k.err));
    double mass = 1000 * 3 * (0.3 * 0.2 + 0.2 * 0.2 / 12 * (1 - 1 / 25.)), moment = 0;
    for (int i = 0; i < 5; i++) {
        double xi = (i + 0.5) / 5;
        moment += 1000 * 0.6 * (0.4 - 0.2 * xi) * (0.3 - 0.2 * xi) * 3 * xi;
    }
    kit_near("mass", c.mass / mass, 1, 1e-13);
    kit_near("centre", c.com[0], moment / mass, 1e-12);
    sn_release(c.names);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_deflection), cmocka_unit_test(test_one_by_one),
                                       cmocka_unit_test(test_mass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
