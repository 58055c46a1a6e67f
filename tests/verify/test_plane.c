/* The plane with flexible wings of examples/plane: its mass, its frequencies, the impulse of the gust, and
   the large roll under a force at a wing tip, where an independent program of the same beams (linear
   translational mass, Newmark) gives the numbers. */
#include "verify/kit.h"

enum { MODES = 10, RIGID = 6 };

/* 7860 kg/m^3 times body, two tails, and wings of ten pieces: the tapered section has 0.11 m^2 in the mean,
   and the rule of midpoints gives f''/(24 n^2) = 2*1.3*0.15/2400 less. */
static void mass(void **state)
{
    (void)state;
    const double volume = 12 * 1.2 * 1.5 + 2 * 3.6 * 0.8 * 0.12 + 2 * 10 * (0.11 - 1.3 * 0.15 / 1200);
    sn_check_report r;
    kit k;
    kit_file(&k, "examples/plane/plane.yaml");
    kit_good(&k, sn_check(k.m, k.p, &r, &k.err));
    kit_near("mass", r.mass / (7860 * volume), 1, 1e-12);
    kit_near("mass", r.mass, 192475, 0.5);
    kit_near("centre of mass", r.com[1], 0, 1e-12);
    assert_int_equal(r.freedom, 29 * 6);
    sn_release(r.names);
    kit_close(&k);
}

static sn_status keep(void *ctx, int i, const sn_mode *mode, const sn_frame *at, sn_err *err)
{
    (void)at, (void)err;
    if (i < MODES) ((double *)ctx)[i] = kit_omega(mode);
    return SN_OK;
}

/* Six rigid modes: rounding of the stiffest number, EI/L of the body, 1e14 N m, leaves omega^2 of 1e14*1e-16
   over the inertia of a tail, 1 kg m^2: 0.1 rad/s. Then the wings' first bending, known to 3 digits.
 */
static void frequencies(void **state)
{
    (void)state;
    double omega[MODES];
    int found = 0;
    kit k;
    kit_file(&k, "examples/plane/plane.yaml");
    sn_mode_options o = sn_mode_options_default(k.m, k.p);
    o.n = MODES, o.mode = keep, o.ctx = omega;
    kit_good(&k, sn_modes(k.m, k.p, &o, &found, &k.err));
    assert_int_equal(found, MODES);
    for (int i = 0; i < RIGID; i++) kit_near("rigid mode", omega[i], 0, 0.1);
    print_message("first frequency %.9g Hz\n", omega[RIGID] / (2 * acos(-1)));
    kit_near("first frequency", omega[RIGID] / (2 * acos(-1)), 3.23, 0.005);
    kit_close(&k);
}

/* The momentum is the impulse of the pressure on all of the bottom, 14.4 + 15 + 5.76 m^2. Newmark adds the
   forces by trapezoids, exact for whole periods: -2e3*3 + 5e3*2 Pa s. What Newton leaves of the forces, 1e-8
   of the stresses of its predictor (1e9 N), is 10 N or 0.1 N s a step, a random walk to 2 N s in 300 steps.
   Plane and load are symmetric: the tips differ by what is left in the increments, 1e-10 of 12 m a step, some
   1e-8. */
static void gust(void **state)
{
    (void)state;
    static const char *const name[] = {"momentum.px", "momentum.py", "momentum.pz", "left_tip.z",
                                       "right_tip.z"};
    double y[5];
    kit k;
    kit_file(&k, "examples/plane/plane.yaml");
    k.o.scheme = "newmark", k.o.full_newton = 1;
    kit_values(&k, 3, 5, name, y);
    print_message("momentum %.9g %.3g %.9g, tips %.9g %.9g\n", y[0], y[1], y[2], y[3], y[4]);
    kit_near("momentum up", y[2], 4e3 * 35.16, 3);
    kit_near("momentum sideways", y[1], 0, 3);
    kit_near("momentum forward", y[0], 192475.287 * 100, 3);
    kit_near("tips", y[3], y[4], 1e-8);
    kit_close(&k);
}

/* To the digits that the other program prints. Roll is where the wings point: atan2(R32, R22). */
static void roll(void **state)
{
    (void)state;
    static const char *const name[] = {"left_tip_acc.z", "attitude.alpha"};
    double y[2];
    kit k;
    kit_file(&k, "examples/plane/plane-roll.yaml");
    k.o.full_newton = 1;
    kit_values(&k, 1, 2, name, y);
    print_message("tip %.10g m/s^2, roll %.10g rad\n", y[0], y[1]);
    kit_near("acceleration of the tip", y[0], -115.702948, 5e-7);
    kit_near("roll", y[1], 1.58844956, 5e-9);
    assert_int_equal(k.info.reductions, 0);
    kit_close(&k);
}

/* No load at all: every force is rounding. The body's stiffness, 1.2e14 N/m, makes 2 N of the last digit of a
   position of 100 m, 1.4e-14 m, and Newton's corrections do not get smaller than that digit over the length
   of an element. Steps must be taken all the same. Inner forces come in pairs and corrections keep them so:
   the momentum is rounded in each of 1000 steps, by 4e-9 N s of 1.9e7, and so are the positions. */
static void free_flight(void **state)
{
    (void)state;
    static const char *const name[] = {"momentum.px", "momentum.py", "momentum.pz", "left_tip.x",
                                       "left_tip.y",  "left_tip.z",  "right_tip.z", "attitude.alpha"};
    static const char *const scheme[] = {"generalized_alpha", "newmark"};
    double y[8], all = 192475.287 * 100;
    kit k;
    kit_file(&k, "examples/plane/plane.yaml");
    kit_set(&k, "preload", 0), kit_set(&k, "preload_sine", 0), kit_set(&k, "gust", 0);
    kit_update(&k);
    k.o.step = 1e-3;
    for (int i = 0; i < 2; i++) {
        k.o.scheme = scheme[i];
        kit_values(&k, 1, 8, name, y);
        print_message("%s: %ld iterations, %ld factorisations; momentum off by %.1e %.1e %.1e, tip by %.1e "
                      "%.1e %.1e, roll %.1e\n",
                      scheme[i], k.info.iterations, k.info.factorisations, y[0] - all, y[1], y[2], y[3] - 100,
                      y[4], y[5], y[7]);
        assert_int_equal(k.info.reductions, 0);
        assert_true(k.info.iterations <= 3 * k.info.steps);
        for (int j = 0; j < 3; j++) kit_near(name[j], y[j], j ? 0 : all, 4e-6);
        for (int j = 3; j < 8; j++) kit_near(name[j], y[j], j == 3 ? 100 : 0, 1.4e-11);
    }
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mass), cmocka_unit_test(frequencies),
                                       cmocka_unit_test(gust), cmocka_unit_test(roll),
                                       cmocka_unit_test(free_flight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
