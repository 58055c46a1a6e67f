/* Small motions about motions: the matrices in axes that stand still or turn, which axes have constant ones,
   and the states that are left in minimal coordinates. */
#include "verify/kit.h"

#include "analysis/state_space.h"

#include <complex.h>

typedef struct near_motion {
    kit k;
    sn_context d;
    sn_info info;
    sn_motion *p;
    sn_steadiness what;
    char by[SN_NAME_SIZE];
    sn_state_space *s;
    sn_arena arena;
    sn_eigen e;
} near_motion;

/* About the start of the model in y->k. */
static void find(near_motion *y)
{
    kit *k = &y->k;
    kit_good(k, sn_context_open(k->m, k->p, &k->o, &y->info, &y->d, &k->err));
    kit_good(k, sn_operating_point(&y->d, SN_AT_START, 0, &k->err));
    kit_good(k, sn_motion_new(&y->d, &y->p, &k->err));
    kit_good(k, sn_motion_axes(y->p, &y->what, y->by, &k->err));
    kit_good(k, sn_state_space_new(y->p, &y->s, &k->err));
    kit_good(k, sn_state_space_eigen(y->s, &y->arena, &y->e, &k->err));
    print_message("  %s%s: %d states, %d zeros:", y->what == SN_STEADY ? "steady" : "not steady", y->by,
                  y->s->n, y->e.zeros);
    for (int i = 0; i < y->e.n; i++) print_message(" %.10g%+.10gi", creal(y->e.s[i]), cimag(y->e.s[i]));
    print_message("\n");
}

static void forget(near_motion *y)
{
    sn_arena_free(&y->arena);
    sn_state_space_free(y->s);
    sn_motion_free(y->p);
    sn_context_close(&y->d);
}

/* Whether s is among the eigenvalues, to a relative error. */
static void has(const near_motion *y, double complex s, double tolerance)
{
    double apart = INFINITY;
    for (int i = 0; i < y->e.n; i++) apart = fmin(apart, cabs(y->e.s[i] - s));
    if (!(apart <= tolerance * cabs(s)))
        fail_msg("no eigenvalue %.15g %+.15gi, the nearest is %.3g off", creal(s), cimag(s), apart);
}

/* Table 2 of Meijaard et al. (2007) has 16 digits; the matrices have a condition of 1e3 or so. */
static void test_bicycle(void **state)
{
    static const struct {
        double speed;
        double complex s[3];
    } table[] = {
        {0, {3.131643247906656, 5.530943717651393, -3.131643247906656}},
        {2, {-8.673879848317350, 2.682345175127722 + 1.680662965906750 * I, -3.071586456415140}},
        {5, {-14.07838969279822, -0.775341882195845 + 4.464867713788231 * I, -0.322866429004087}},
        {8, {-20.27940894394569, -2.693486835810907 + 8.460379713969310 * I, 0.143278797657130}},
    };
    (void)state;
    near_motion y = {0};
    kit_file(&y.k, "examples/bicycle/bicycle.yaml");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kit_set(&y.k, "speed", table[i].speed), kit_update(&y.k);
        near_motion at = {.k = y.k};
        find(&at);
        assert_int_equal(at.what, table[i].speed > 0 ? SN_STEADY : SN_AT_REST);
        assert_string_equal(at.by, "");
        /* places, heading and the turn of each wheel change nothing; nor does the speed */
        assert_int_equal(at.s->n, 10);
        for (int j = 0; j < 3; j++) has(&at, table[i].s[j], 1e-12);
        forget(&at);
    }
    kit_close(&y.k);
}

/* A symmetric top that spins upright with n: I s^2 - i C n s - m g l = 0 for the tilt as a complex number,
   stable where C^2 n^2 > 4 I m g l. */
static void test_sleeping_top(void **state)
{
    static const double spins[] = {0, 5, 9, 60};
    (void)state;
    for (size_t i = 0; i < sizeof spins / sizeof *spins; i++) {
        near_motion y = {0};
        kit_text(&y.k,
                 "sinew: 1\ngravity: [0, 0, -9.81]\nparameters: {n: 0}\n"
                 "nodes: {tip: {at: [0, 0, 0], spin: [0, 0, n]}}\n"
                 "elements: {top: {mass3d: tip, mass: 2, inertia: [0.03, 0.03, 0.05], com: [0, 0, 0.2]}}\n"
                 "joints: {pivot: {spherical: [ground, tip]}}\nrun: {end: 1, step: 1 ms}\n");
        kit_set(&y.k, "n", spins[i]), kit_update(&y.k);
        find(&y);
        const double J = 0.03 + 2 * 0.04, H = 0.05 * spins[i], mgl = 2 * 9.81 * 0.2;
        double complex root = csqrt(-H * H + 4 * J * mgl);
        has(&y, (I * H + root) / (2 * J), 1e-10), has(&y, (I * H - root) / (2 * J), 1e-10);
        forget(&y);
        kit_close(&y.k);
    }
}

/* A point mass on springs kx, ky that turn with it and have no length unstrained: in turning axes
   (kx/m - w^2 + s^2)(ky/m - w^2 + s^2) + 4 w^2 s^2 = 0. In the plane and in space; the axes that stand still
   do not do. */
static void turning_springs(near_motion *y, double w)
{
    const double kx = 9, ky = 16; /* over the mass */
    find(y);
    assert_int_equal(y->what, SN_STEADY);
    assert_string_not_equal(y->by, "");
    double b = (kx - w * w) + (ky - w * w) + 4 * w * w, c = (kx - w * w) * (ky - w * w);
    double complex root = csqrt(b * b - 4 * c);
    has(y, csqrt((-b + root) / 2), 1e-9), has(y, csqrt((-b - root) / 2), 1e-9);
    forget(y);
    kit_close(&y->k);
}

static void test_turning_springs(void **state)
{
    (void)state;
    for (double w = 1; w < 4; w += 2.5) {
        near_motion y = {0};
        kit_text(&y.k,
                 "sinew: 1\nparameters: {w: 1}\n"
                 "nodes: {hub: {at: [0, 0, 0], spin: [0, 0, w]}, mass: {at: [0, 0, 0], spin: [0, 0, w]}}\n"
                 "signals: {turn: {polynomial: [0, w]}}\n"
                 "elements:\n  m: {mass3d: mass, mass: 2, inertia: [1, 1, 1]}\n"
                 "  b: {bushing: [hub, mass], k: [18, 32, 50], kt: [10, 10, 10]}\n"
                 "joints: {drive: {rotation_drive: [ground, hub], axis: [0, 0, 1], angle: turn},\n"
                 "  axle: {revolute: [ground, hub], axis: [0, 0, 1]}}\n"
                 "run: {end: 1, step: 1 ms}\n");
        kit_set(&y.k, "w", w), kit_update(&y.k);
        turning_springs(&y, w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bicycle),
        cmocka_unit_test(test_sleeping_top),
        cmocka_unit_test(test_turning_springs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
