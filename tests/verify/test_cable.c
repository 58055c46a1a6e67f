/* cable_ancf against exact solutions and other discretisations; derivatives: test_gradient_kinds.c. */
#include "verify/kit.h"

/* A cantilever bent far by a dead tip load: the elastica of test_elastica.c. The cubic's error goes with the
   fourth power of the element's length; measured orders over n = 4, 8, 16 are 3.8 and above. EA 1e8: the
   strain is at most 1e-7, a tenth of the smallest error. Bending energy and axial one, integrated at points
   that see the same motions as free of strain, do not lock: with EA 1e4 the errors are the same but for the
   strain, which is compared with n = 32. */
static void tip_at(int n, double EA, double *y)
{
    static const char *const name[] = {"tip.x", "tip.y"};
    char text[1000];
    kit k;
    snprintf(text, sizeof text,
             "sinew: 1\n"
             "nodes: {a: {at: [0, 0], slope: [1, 0]}, b: {at: [1, 0], slope: [1, 0]}}\n"
             "elements:\n"
             "  beam: {cable_ancf: [a, b], EA: %g, EI: 1, rhoA: 1, elements: %d}\n"
             "  load: {force2d: b, force: [0, 10]}\n"
             "joints: {clamp: {fixed: a.frame}}\n"
             "sensors: {tip: {position: b}}\n"
             "run: {tolerance: 1e-12}\n",
             EA, n);
    kit_text(&k, text);
    kit_static(&k, 2, name, y);
    kit_close(&k);
}

static void elastica(void **state)
{
    double y[2], fine[2], e[3], soft[3];
    (void)state;
    tip_at(32, 1e4, fine);
    for (int i = 0; i < 3; i++) {
        tip_at(4 << i, 1e8, y);
        e[i] = fmax(fabs(y[0] - (1 - .55499560)), fabs(y[1] - .81060902));
        tip_at(4 << i, 1e4, y);
        soft[i] = fmax(fabs(y[0] - fine[0]), fabs(y[1] - fine[1]));
        print_message("%d elements: %.2e, EA 1e4 %.2e\n", 4 << i, e[i], soft[i]);
        kit_within("EA does not matter", soft[i] / e[i], 0.8, 1.25);
    }
    kit_within("order", 0.5 * order_of(e[0], e[2]), 3.8, 4.5);
    kit_within("error with 16 elements", e[2], 0, 5e-6);
}

/* Tips of the falling pendulum of Escalona, Hussien and Shabana (1998), rubber: L 1.2, A .0018, I 1.215e-8,
   E 0.7e6, rho 5540, by another program with the same strains: (1.0787, -.4414), Green (1.0743, -.4414) at
   0.3 s. They stretch by 9 %, so that the law shows. From 16 to 32 elements x moves by 7e-5 and y by 6e-4:
   the same mesh is compared, to a unit of the last digit. */
static const char pendulum[] =
    "sinew: 1\ngravity: [0, -9.81]\n"
    "nodes: {a: {at: [0, 0], slope: [1, 0]}, b: {at: [1.2, 0], slope: [1, 0]}}\n"
    "elements:\n"
    "  c: {cable_ancf: [a, b], EA: 0.7e6*.0018, EI: 0.7e6*1.215e-8, rhoA: 5540*.0018, elements: 32, strain: "
    "%s}\n"
    "joints: {pin: {revolute2d: [ground, a], at: [0, 0]}}\n"
    "sensors: {tip: {position: b}}\n"
    "run: {end: 0.3, step: 5e-4, rho: 0.8}\n";

static void falling(void **state)
{
    static const char *const law[] = {"engineering", "green"}, *const name[] = {"tip.x", "tip.y"};
    static const double x[] = {1.0787, 1.0743};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[1000];
        double y[2];
        kit k;
        snprintf(text, sizeof text, pendulum, law[i]);
        kit_text(&k, text);
        kit_values(&k, 0.3, 2, name, y);
        kit_near("x", y[0], x[i], 1e-4);
        kit_near("y", y[1], -.4414, 1e-4);
        kit_close(&k);
    }
}

/* The flexible pendulum of the benchmarks: L 2, .02 x .01, E 1e8, rho 1000, 1 s, h 1e-3. The tip of the limit
   in the mesh at this step is (-1.643489, -1.076624); a prototype of the same formulas has the distances
   9.6e-4, 9.1e-5, 1.3e-5 with 8, 16, 32 elements (two digits). The same in space, in a plane that lies
   anywhere: Newton's tolerance over 1000 steps. */
#define SOFT "EA: 1e8*2e-4, EI: 1e8*.02*.01^3/12, rhoA: 0.2"

static void swinging(void **state)
{
    static const char *const name[] = {"tip.x", "tip.y", "tip.z"};
    static const double error[] = {9.6e-4, 9.1e-5, 1.3e-5};
    (void)state;
    double y[2], z[3];
    char text[1000];
    kit k;
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text,
                 "sinew: 1\ngravity: [0, -9.81]\n"
                 "nodes: {a: {at: [0, 0], slope: [1, 0]}, b: {at: [2, 0], slope: [1, 0]}}\n"
                 "elements: {c: {cable_ancf: [a, b], " SOFT ", elements: %d}}\n"
                 "joints: {pin: {revolute2d: [ground, a], at: [0, 0]}}\n"
                 "sensors: {tip: {position: b}}\n"
                 "run: {end: 1, step: 1e-3, rho: 0.8}\n",
                 8 << i);
        kit_text(&k, text);
        kit_values(&k, 1, 2, name, y);
        kit_close(&k);
        double e = hypot(y[0] + 1.643489, y[1] + 1.076624);
        print_message("%d elements: %.3e\n", 8 << i, e);
        kit_within("error over the prototype's", e / error[i], 0.95, 1.05);
        if (i) continue;
        kit_text(
            &k,
            "sinew: 1\ngravity: [0, 0, -9.81]\n"
            "nodes: {a: {at: [0, 0, 0], slope: [.6, .8, 0]}, b: {at: [1.2, 1.6, 0], slope: [.6, .8, 0]}}\n"
            "elements: {c: {cable_ancf: [a, b], " SOFT ", elements: 8}}\n"
            "joints: {pin: {spherical: [ground, a], at: [0, 0, 0]}}\n"
            "sensors: {tip: {position: b}}\n"
            "run: {end: 1, step: 1e-3, rho: 0.8}\n");
        kit_values(&k, 1, 3, name, z);
        kit_close(&k);
        kit_near("x in space", z[0], 0.6 * y[0], 1e-7);
        kit_near("y in space", z[1], 0.8 * y[0], 1e-7);
        kit_near("z in space", z[2], y[1], 1e-7);
    }
}

/* Straight, bending and mass are those of Hermite's beam: circular frequencies of a cantilever lie above
   beta^2 by (beta h)^4/1440 relative, with a next term smaller by (beta h)^2/5 at most (test_frequencies.c).
 */
enum { MODES = 6 };

static sn_status keep(void *ctx, int i, const sn_mode *mode, const sn_frame *at, sn_err *err)
{
    (void)at, (void)err;
    if (i < MODES) ((double *)ctx)[i] = kit_omega(mode);
    return SN_OK;
}

static void frequencies(void **state)
{
    double omega[MODES], pi = acos(-1);
    int found = 0;
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\nnodes: {a: {at: [0, 0], slope: [1, 0]}, b: {at: [1, 0], slope: [1, 0]}}\n"
                 "elements: {beam: {cable_ancf: [a, b], EA: 1e6, EI: 1, rhoA: 1, elements: 10}}\n"
                 "joints: {clamp: {fixed: a.frame}}\n");
    sn_mode_options o = sn_mode_options_default(k.m, k.p);
    o.n = MODES, o.mode = keep, o.ctx = omega;
    kit_good(&k, sn_modes(k.m, k.p, &o, &found, &k.err));
    assert_int_equal(found, MODES);
    for (int i = 0; i < MODES; i++) {
        double b = (i + 0.5) * pi + (i ? 0 : 0.3);
        for (int j = 0; j < 50; j++) b -= (cos(b) + 1 / cosh(b)) / (-sin(b) - tanh(b) / cosh(b));
        double x = pow(b / 10, 4) / 1440, more = (omega[i] / (b * b) - 1) / x;
        print_message("mode %d: %.4f %% above\n", i + 1, 100 * (omega[i] / (b * b) - 1));
        /* rounding: eps omega_max^2/(2 omega^2), of axial motions 1.2e9 and 12 at the lowest: 1e-8 */
        kit_within("error over its first term", more, 1 - b * b / 500 - 1e-8 / x, 1 + b * b / 500 + 1e-8 / x);
    }
    kit_close(&k);
}

/* A cable between two points at different heights that is 30 % longer than their distance hangs in the
   elastic catenary, by statics in one go. Irvine's equations for the force (H, V) at its left end, natural
   length S: x = H S/EA + H/w (asinh((V + w S)/H) - asinh(V/H)), y = (V S + w S^2/2)/EA + (T(S) - T(0))/w; the
   bending stiffness is felt over sqrt(EI/H) = 5 mm at its ends. Slopes are directions: their length does not
   count. */
static void catenary(void **state)
{
    static const char *const name[] = {"middle.x", "middle.y", "left.fx", "left.fy", "right.fy"};
    static const double want[] = {5.55961257, -2.70529831, -37.2217321, 53.7346413, 76.3209504};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[700];
        double y[5];
        kit k;
        snprintf(
            text, sizeof text,
            "sinew: 1\ngravity: [0, -9.81]\n"
            "nodes: {a: {at: [0, 0], slope: [%s]}, b: {at: [10, 2], slope: [%s]}}\n"
            "elements: {c: {cable_ancf: [a, b], EA: 2e4, EI: 1e-3, rhoA: 1, slack: 0.3, elements: 30}}\n"
            "joints: {p: {revolute2d: [ground, a], at: [0, 0]}, q: {revolute2d: [ground, b], at: [10, 2]}}\n"
            "sensors: {middle: {position: c.n15}, left: {reaction: p}, right: {reaction: q}}\n",
            i ? "10, 2" : "5/sqrt(26), 1/sqrt(26)", i ? "1, 0.2" : "5/sqrt(26), 1/sqrt(26)");
        kit_text(&k, text);
        kit_static(&k, 5, name, y);
        for (int j = 0; j < 5; j++) kit_near(name[j], y[j], want[j], 1e-4 * fabs(want[j]));
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elastica), cmocka_unit_test(falling),
                                       cmocka_unit_test(swinging), cmocka_unit_test(frequencies),
                                       cmocka_unit_test(catenary)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
