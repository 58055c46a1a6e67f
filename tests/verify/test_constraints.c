/* How equations are met: `constraints: penalty` and `augmented` against multipliers, against closed forms,
   and their derivatives. */
#include "verify/gradient.h"

static const char pendulum[] = "sinew: 1\n"
                               "gravity: [0, -9.81]\n"
                               "parameters: {m: 1, L: 1, g: 9.81}\n"
                               "nodes: {a: {frame2d: [L/2, 0]}}\n"
                               "elements: {rod: {mass2d: a, mass: m, inertia: m*L^2/12}}\n"
                               "joints: {pin: {revolute2d: [ground, a], at: [0, 0]}}\n"
                               "sensors: {a: {position: a}, r: {reaction: pin}, off: {violation: all}}\n"
                               "run: {end: 10, step: 10 ms, tolerance: 1e-12}\n";

/* Five equal rods, three of them cranks (IFToMM benchmark A02): when all lie in one line the equations are
   dependent, which happens twice a turn. */
#define CRANK(name, x)  "  " name ": {frame2d: [" x ", 0.5], velocity: [0.5, 0], spin: -1}\n"
#define BAR(name, x)    "  " name ": {frame2d: [" x ", 1], velocity: [1, 0]}\n"
#define ROD(name, mass) "  m" name ": {mass2d: " name ", mass: " mass ", inertia: " mass "/12}\n"
static const char four_bars[] =
    "sinew: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {m: 1}\n"
    "nodes:\n" CRANK("a", "0") BAR("b", "0.5") CRANK("c", "1") BAR("d", "1.5")
        CRANK("e", "2") "elements:\n" ROD("a", "m") ROD("b", "1") ROD("c", "1") ROD("d", "1")
            ROD("e", "1") "joints:\n"
                          "  ja: {revolute2d: [ground, a], at: [0, 0]}\n"
                          "  jab: {revolute2d: [a, b], at: [0, 1]}\n"
                          "  jbc: {revolute2d: [b, c], at: [1, 1]}\n"
                          "  jcd: {revolute2d: [c, d], at: [1, 1]}\n"
                          "  jc: {revolute2d: [ground, c], at: [1, 0]}\n"
                          "  jde: {revolute2d: [d, e], at: [2, 1]}\n"
                          "  je: {revolute2d: [ground, e], at: [2, 0]}\n"
                          "sensors: {b0: {position: b, offset: [-0.5, 0]}, v: "
                          "{velocity: b, offset: [-0.5, 0]}, r: {reaction: ja}}\n"
                          "run: {end: 10, step: 10 ms, tolerance: 1e-12}\n";

/* Bricard's mechanism: 30 equations for 30 coordinates, and yet it moves. */
#define ARM(name, axes) "  m" name ": {mass3d: " name ", mass: m, inertia: " axes "}\n"
static const char bricard[] =
    "sinew: 1\n"
    "gravity: [0, -g, 0]\n"
    "parameters: {m: 1, g: 9.81}\n"
    "nodes: {a: [0.5, 0, 0], b: [1, -0.5, 0], c: [1, -1, 0.5], d: [0.5, -1, 1], e: [0, -0.5, 1]}\n"
    "elements:\n" ARM("a", "[1/600, 1.01/12, 1.01/12]") ARM("b", "[1.01/12, 1/600, 1.01/12]")
        ARM("c", "[1.01/12, 1.01/12, 1/600]") ARM("d", "[1/600, 1.01/12, 1.01/12]") ARM(
            "e",
            "[1.01/12, 1/600, 1.01/12]") "joints:\n"
                                         "  j1: {revolute: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                                         "  j2: {revolute: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
                                         "  j3: {revolute: [b, c], at: [1, -1, 0], axis: [1, 0, 0]}\n"
                                         "  j4: {revolute: [c, d], at: [1, -1, 1], axis: [0, 1, 0]}\n"
                                         "  j5: {revolute: [d, e], at: [0, -1, 1], axis: [0, 0, 1]}\n"
                                         "  j6: {revolute: [e, ground], at: [0, 0, 1], axis: [1, 0, 0]}\n"
                                         "sensors: {c: {position: c}, v: {velocity: c}, r: {reaction: j3}}\n"
                                         "run: {end: 2, step: 4 ms, tolerance: 1e-12}\n";

static double largest(int n, const double *x, const double *y)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

/* By all three methods, at the end; kappa of the latter two. */
static void by_methods(const char *text, double end, double step, double kappa, int n,
                       const char *const *channel, double y[3][8], double violation[3])
{
    kit k;
    kit_text(&k, text);
    k.o.step = step;
    for (int i = 0; i < 3; i++) {
        k.o.constraints = i, k.o.penalty = kappa;
        kit_values(&k, end, n, channel, y[i]);
        violation[i] = k.info.violation;
    }
    kit_close(&k);
}

/* Augmented closes the gaps: the same equations, so the same numbers to what 1000 steps make of rounding. The
   gap that penalty leaves is lam/alpha: it goes with 1/kappa, and with it all that differs. */
static void same_motion(void **state)
{
    static const char *const channel[] = {"a.x", "a.y", "a.theta", "r.fx", "r.fy"};
    double y[3][8], z[3][8], gap[3], small[3];
    (void)state;
    by_methods(pendulum, 10, 0.01, 1e3, 5, channel, y, gap);
    by_methods(pendulum, 10, 0.01, 1e4, 5, channel, z, small);
    print_message("  augmented is off by %.1e and %.1e, gap %.1e; penalty by %.1e, %.1e, gaps %.1e %.1e\n",
                  largest(5, y[0], y[2]), largest(5, z[0], z[2]), gap[2], largest(5, y[0], y[1]),
                  largest(5, z[0], z[1]), gap[1], small[1]);
    kit_near("augmented, 1e3", largest(3, y[0], y[2]), 0, 1e-9);
    kit_near("augmented, 1e4", largest(3, z[0], z[2]), 0, 1e-9);
    kit_near("its reactions", largest(2, z[0] + 3, z[2] + 3), 0, 1e-8); /* some 25 N */
    kit_near("its gap", fmax(gap[2], small[2]), 0, 1e-13);
    kit_within("gaps of penalty", gap[1] / small[1], 9.9, 10.1);
    kit_within("what penalty changes", largest(3, y[0], y[1]) / largest(3, z[0], z[1]), 9, 11);
    assert_true(gap[0] == 0); /* not measured */
}

/* Past the positions in which all rods are in line. The exact state after 10 s is of an integration of
   minimal coordinates; errors are of second order, so that two runs give the limit to third. */
static void singular_positions(void **state)
{
    static const char *const channel[] = {"b0.x", "b0.y", "v.x", "v.y"};
    static const double exact[] = {0.328458112, 0.944518538, 1.423051470, -0.494868845};
    double y[3][8], z[3][8], limit[4], gap[3];
    (void)state;
    by_methods(four_bars, 10, 5e-3, 1e4, 4, channel, y, gap);
    by_methods(four_bars, 10, 2.5e-3, 1e4, 4, channel, z, gap);
    for (int i = 1; i < 3; i++) {
        for (int j = 0; j < 4; j++) limit[j] = richardson(y[i][j], z[i][j], 2);
        print_message("  %s: off by %.1e, %.1e, limit %.1e, gap %.1e\n", i == 1 ? "penalty" : "augmented",
                      largest(4, y[i], exact), largest(4, z[i], exact), largest(4, limit, exact), gap[i]);
        kit_within("order", order_of(largest(4, y[i], exact), largest(4, z[i], exact)), 1.5, 2.5);
    }
    kit_near("limit", largest(4, limit, exact), 0, 0.2 * largest(4, z[2], exact));
    kit_near("gap of augmented", gap[2], 0, 1e-9);
}

/* One equation follows from the others, and none is left out. */
static void redundant_loop(void **state)
{
    static const char *const channel[] = {"c.x", "c.y", "c.z", "v.x", "v.y", "v.z"};
    double y[3][8], gap[3];
    (void)state;
    by_methods(bricard, 2, 4e-3, 1e4, 6, channel, y, gap);
    print_message("  augmented is off by %.1e, gap %.1e, penalty %.1e, gap %.1e\n", largest(6, y[0], y[2]),
                  gap[2], largest(6, y[0], y[1]), gap[1]);
    kit_near("augmented", largest(6, y[0], y[2]), 0, 1e-9);
    kit_near("its gap", gap[2], 0, 1e-12);
    kit_near("penalty", largest(6, y[0], y[1]), 0, 1e-3);
}

static void derivatives(void **state)
{
    static const char *const all[] = {"m", "L", "nodes.a.spin"}, *const mass[] = {"m"};
    static const char *const of[] = {"a.x@0.413", "a.theta@0.7", "r.fx@0.613 + r.fy@0.3"},
                             *const bars[] = {"b0.x@0.413", "integral(v.x)", "r.fx@0.4"};
    static const char *const word[] = {"", "penalty", "augmented"};
    (void)state;
    for (int i = 1; i < 3; i++) {
        grad *g = grad_text(pendulum);
        g->o.run.end = 0.8, g->o.run.constraints = i, g->o.run.penalty = 100;
        grad_wrt(g, 3, all), grad_of(g, 3, of);
        grad_agree(g, word[i]);
        grad_close(g);
        g = grad_text(four_bars);
        g->o.run.end = 0.5, g->o.run.constraints = i, g->o.run.penalty = 100;
        grad_wrt(g, 1, mass), grad_of(g, 3, bars);
        grad_agree(g, word[i]);
        grad_close(g);
    }
}

/* Of a redundant loop: the motion has derivatives, reactions depend on the steps before. */
static void derivatives_of_redundant(void **state)
{
    static const char *const wrt[] = {"g", "nodes.a.spin_y", "m"};
    static const char *const of[] = {"c.x@0.413", "c.y@0.7", "integral(v.z)"}, *const reaction[] = {
                                                                                   "r.fx@0.4"};
    (void)state;
    grad *g = grad_text(bricard);
    g->o.run.end = 0.8, g->o.run.constraints = SN_CONSTRAINTS_AUGMENTED;
    grad_wrt(g, 1, wrt), grad_of(g, 3, of);
    grad_agree(g, "redundant");
    grad_of(g, 1, reaction);
    for (int i = 0; i < 2; i++) {
        double value, d;
        sn_gradient_result to = {.value = &value, .gradient = &d};
        g->o.method = i ? SN_GRADIENT_ADJOINT : SN_GRADIENT_FORWARD;
        sn_err_clear(&g->k.err);
        assert_int_equal(sn_gradient(g->k.m, g->k.p, &g->o, &to, &g->info, &g->k.err), SN_ERR_INPUT);
        assert_non_null(strstr(g->k.err.report[0].text, "constraints: multipliers"));
    }
    grad_close(g);
}

static void words(void **state)
{
    static const char massless[] = "sinew: 1\n"
                                   "nodes: {y: {state: 1}, z: {state: 1}}\n"
                                   "elements: {l: {lag: z.z, tau: 1, input: 1}}\n"
                                   "joints: {pin: {coupling: [y.z, z.z], factors: [1, 2]}}\n"
                                   "run: {end: 1, step: 0.1, constraints: penalty, penalty: 100}\n";
    sn_model *m;
    sn_err err;
    kit k;
    (void)state;
    kit_text(&k, massless);
    assert_int_equal(k.o.constraints, SN_CONSTRAINTS_PENALTY);
    assert_true(k.o.penalty == 100);
    assert_int_equal(kit_try_run(&k), SN_ERR_INPUT);
    assert_non_null(strstr(k.err.report[0].text, "the model has none"));
    kit_close(&k);
    static const char wrong[] = "sinew: 1\nnodes: {a: [1, 0]}\nelements: {m: {mass2d: a, mass: 1}}\n"
                                "run: {constraints: exact}\n";
    sn_err_clear(&err);
    assert_int_equal(sn_model_read_text("wrong", wrong, strlen(wrong), &m, &err), SN_ERR_INPUT);
    assert_non_null(strstr(err.report[0].text, "multipliers|penalty|augmented"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_motion),
        cmocka_unit_test(singular_positions),
        cmocka_unit_test(redundant_loop),
        cmocka_unit_test(derivatives),
        cmocka_unit_test(derivatives_of_redundant),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
