/* Andrews' squeezing mechanism, seven bodies with one degree of freedom: the seven angles at t = 0.03 s.

   Reference: Test Set for IVP Solvers, "Andrews' squeezing mechanism" (Mazzia, Magherini), solution at 0.03 s
   to 16 digits; the problem is that of Schiehlen (ed.), Multibody Systems Handbook, 1990. */
#include "verify/kit.h"

enum { ANGLES = 7, STEPS = 3 };

static const char *const name[ANGLES] = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};
static const char *const channel[ANGLES] = {"beta.theta",  "Theta.value", "gamma.theta",  "Phi.value",
                                            "delta.theta", "Omega.value", "epsilon.theta"};
static const double reference[ANGLES] = {15.81077119629904,  -15.75637105984298, .04082224013073101,
                                         -.5347301163226948, .5244099658805304,  .5347301163226948,
                                         1.048080741042263};

/* The angles at 0.03 s: start and turn since then. */
static void angles(kit *k, double step, double *y)
{
    k->o.step = step, k->o.tolerance = 1e-10;
    kit_values(k, 0.03, ANGLES, channel, y);
    for (int i = 0; i < ANGLES; i++) {
        double start;
        kit_good(k, sn_values_get(k->p, name[i], &start, &k->err));
        y[i] += start;
    }
}

/* Second order: the errors against the reference fall by 4 when the step is halved, within what the next term
   of the expansion leaves (measured 2.000 to 2.001). After extrapolation what is left is of higher order: it
   was 6e-6 before at the finest step, and 1e-8 of the larger of the angle and one radian is asked for
   (measured 3e-9). */
static void test_angles(void **state)
{
    kit k;
    double y[STEPS][ANGLES];
    (void)state;
    kit_file(&k, "examples/andrews-squeezer/andrews.yaml");
    for (int s = 0; s < STEPS; s++) angles(&k, 1e-5 / (1 << s), y[s]);
    for (int i = 0; i < ANGLES; i++) {
        double e1 = y[1][i] - reference[i], e2 = y[2][i] - reference[i], x = richardson(y[1][i], y[2][i], 2);
        print_message("%-8s order %.4f, extrapolated %.12f, off by %.2e\n", name[i], order_of(e1, e2), x,
                      x - reference[i]);
        kit_within(name[i], order_of(e1, e2), 1.95, 2.05);
        kit_near(name[i], x, reference[i], 1e-8 * fmax(1, fabs(reference[i])));
    }
    kit_close(&k);
}

/* One torque, no loss: the work of the drive is the energy gained. Second order too, so that extrapolation of
   the balance leaves less than 1e-6 of the energy; constraints hold to the solver's tolerance, 1e-10 of the
   size. */
static void test_energy(void **state)
{
    static const char *const out[] = {"energy.total", "energy.total", "beta.theta", "energy.kinetic"};
    static const double t[] = {0, 0.03, 0.03, 0.03};
    double y[4], balance[2];
    kit k;
    (void)state;
    kit_file(&k, "examples/andrews-squeezer/andrews.yaml");
    for (int s = 0; s < 2; s++) {
        k.o.step = 1e-5 / (1 << s);
        kit_points(&k, 4, out, t, y);
        balance[s] = (y[1] - y[0] - 0.033 * y[2]) / (0.033 * y[2]);
    }
    print_message("energy gained less work done, relative: %.2e, %.2e, extrapolated %.2e\n", balance[0],
                  balance[1], richardson(balance[0], balance[1], 2));
    kit_near("balance of energy", richardson(balance[0], balance[1], 2), 0, 1e-6);
    kit_close(&k);
}

/* 25 coordinates, 24 equations, none redundant: one freedom; the start as written meets its constraints. */
static void test_freedom(void **state)
{
    sn_check_report r;
    kit k;
    (void)state;
    kit_file(&k, "examples/andrews-squeezer/andrews.yaml");
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    assert_int_equal(r.freedom, 1);
    assert_int_equal(r.n_redundant, 0);
    /* the start angles are printed with 15 digits, the lengths are below 0.1 m */
    kit_near("violation", r.violation_q, 0, 1e-15);
    kit_near("mass", r.mass, .04325 + .00365 + .02373 + .00706 + .07050 + .00706 + .05498, 1e-15);
    sn_release(r.names);
    kit_close(&k);
}

/* A step that is much too long is divided until it converges, and told; what is asked for within it comes
   from the whole step and is there: between its ends, as the crank only turns forward. */
static void test_divided_steps(void **state)
{
    enum { N = 41 };
    const char *out[N];
    double t[N], y[N];
    kit k;
    (void)state;
    kit_file(&k, "examples/andrews-squeezer/andrews.yaml");
    for (int i = 0; i < N; i++) out[i] = "beta.theta", t[i] = 0.02 * i / (N - 1);
    k.o.step = 5e-3, k.o.end = 0.02;
    kit_points(&k, N, out, t, y);
    print_message("%ld of %ld steps divided\n", k.info.reductions, lround(0.02 / 5e-3));
    assert_true(k.info.reductions > 0);
    for (int i = 0; i < N; i++) {
        int from = i / 10 * 10, to = from + 10 < N ? from + 10 : from;
        assert_true(isfinite(y[i]));
        kit_within("crank", y[i], y[from], y[to]);
    }
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_angles),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_freedom),
        cmocka_unit_test(test_divided_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
