/* Buckling of shells against closed forms: a plate (Bryan 1891), a cylinder under axial pressure (Lorenz
   1908), whose many factors lie within some percent, and a frame of thin plates that bends before it buckles.
 */
#include "verify/kit.h"

static const double pi = 3.14159265358979323846;

enum { FACTORS = 3 };
static double factor[FACTORS];

static sn_status keep(void *ctx, int i, double value, const double *shape, const sn_frame *at, sn_err *err)
{
    (void)ctx, (void)shape, (void)at, (void)err;
    if (i < FACTORS) factor[i] = value;
    return SN_OK;
}

static void buckle(kit *k)
{
    sn_buckling_options o = sn_buckling_options_default(k->m, k->p);
    int found;
    o.n = FACTORS, o.mode = keep;
    kit_good(k, sn_buckling(k->m, k->p, &o, &found, &k->err));
    assert_int_equal(found, FACTORS);
}

/* Simply supported, pressed along x by pi^2 D/a^2: (m + 1/m)^2 for m = 1, 2. Half a wave over 12 and 6
   elements: (pi/12)^2/12 = 0.6 %, (pi/6)^2/12 = 2.3 %. Shear, a/t = 100: 0.1 %. */
static void test_plate(void **state)
{
    const double D = 1e9 * 1e-6 / 12 / 0.91, P = pi * pi * D;
    static const double exact[2] = {4, 6.25}, bar[2] = {0.007, 0.024};
    char text[1500];
    kit k;
    (void)state;
    snprintf(
        text, sizeof text,
        "sinew: 1\n"
        "nodes: {a: [0, 0, 0], b: [1, 0, 0], c: [1, 1, 0], d: [0, 1, 0]}\n"
        "elements:\n"
        "  p: {shell4_mitc: [a, b, c, d], E: 1e9, nu: 0.3, rho: 1, thickness: 0.01, elements: [12, 12]}\n"
        "  r: {line_load: p.edge2, per_length: [%.15g, 0, 0]}\n"
        "  l: {line_load: p.edge4, per_length: [%.15g, 0, 0]}\n"
        "joints:\n"
        "  s1: {fixed: p.edge1, only: [z]}\n"
        "  s2: {fixed: p.edge2, only: [z]}\n"
        "  s3: {fixed: p.edge3, only: [z]}\n"
        "  s4: {fixed: p.edge4, only: [z]}\n"
        "  m: {fixed: p.n6_6, only: [x, y]}\n"
        "  n: {fixed: p.n0_6, only: [y]}\n",
        -P, P);
    kit_text(&k, text);
    buckle(&k);
    for (int i = 0; i < 2; i++) kit_near("plate", factor[i], exact[i], bar[i] * exact[i]);
    kit_close(&k);
}

/* R/t = 50, pressed by its classical load E t^2/R/sqrt(3 (1 - nu^2)) a length. Half an axisymmetric wave is
   pi sqrt(R t)/(12 (1 - nu^2))^(1/4) = 0.244 long, 3.4 elements: (pi/3.4)^2/12 = 7 % at most; shear makes it
   t/R = 2 % softer at most. Without a shift none of the factors is found. */
static void test_cylinder(void **state)
{
    const double R = 1, t = 0.02, P = 1e9 * t * t / R / sqrt(3 * 0.91) * 2 * pi * R;
    char text[1000];
    kit k;
    (void)state;
    snprintf(text, sizeof text,
             "sinew: 1\n"
             "meshes: {c: {cylinder: , radius: 1, length: 1, elements: [40, 14]}}\n"
             "elements:\n"
             "  p: {shell4_mitc: c, E: 1e9, nu: 0.3, rho: 1, thickness: 0.02}\n"
             "  top: {force3d: c.edge3, force: [0, 0, %.15g], spread: force}\n"
             "joints: {bottom: {fixed: c.edge1, only: [x, y, z]}, top: {fixed: c.edge3, only: [x, y]}}\n",
             -P);
    kit_text(&k, text);
    buckle(&k);
    print_message("  cylinder %.5f %.5f %.5f\n", factor[0], factor[1], factor[2]);
    kit_within("cylinder", factor[0], 0.98, 1.07);
    /* waves around come twice, behind the axisymmetric shape */
    kit_near("double", factor[2], factor[1], 1e-6);
    kit_close(&k);
}

/* A right angle of thin strips, bent in its plane by a force at its end: the bifurcation of the path, where
   the frame has turned by some 1e-3, is where the linear factor says, to the square of what it is slender by:
   (t/b)^2 = 4e-4 of stiffness, 1 %. */
static void test_frame(void **state)
{
    static const char text[] =
        "sinew: 1\n"
        "materials: {m: {E: 71240, nu: 0.31, rho: 1e-9}}\n"
        "nodes: {a: [0, 0, 0], b: [30, 0, 0], c: [30, 210, 0], d: [0, 210, 0], e: [0, 240, 0], f: [30, 240, "
        "0],\n"
        "        g: [240, 210, 0], h: [240, 240, 0]}\n"
        "elements:\n"
        "  p1: {shell4_mitc: [a, b, c, d], material: m, thickness: 0.6, elements: [2, 14]}\n"
        "  p2: {shell4_mitc: [d, c, f, e], material: m, thickness: 0.6, elements: [2, 2]}\n"
        "  p3: {shell4_mitc: [c, g, h, f], material: m, thickness: 0.6, elements: [14, 2]}\n"
        "  push: {force3d: p3.n14_1, force: [0, 2, 0]}\n"
        "joints: {wall: {fixed: p1.edge1}}\n";
    kit k;
    (void)state;
    kit_text(&k, text);
    buckle(&k);
    double linear = factor[0];
    sn_run_options run = sn_run_options_default(k.m, k.p);
    sn_info info;
    /* stable below, unstable above */
    kit_set(&k, "push.force.y", 2 * 0.985 * linear);
    kit_update(&k);
    kit_good(&k, sn_static(k.m, k.p, &run, NULL, &info, &k.err));
    assert_int_equal(info.unstable, 0);
    kit_set(&k, "push.force.y", 2 * 1.015 * linear);
    kit_update(&k);
    kit_good(&k, sn_static(k.m, k.p, &run, NULL, &info, &k.err));
    assert_int_equal(info.unstable, 1);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plate), cmocka_unit_test(test_cylinder),
                                       cmocka_unit_test(test_frame)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
