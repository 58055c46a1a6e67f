/* Steps by their local error. The estimate is of order h^3 and the error of a run of order h^2: steps go as
   error^(1/3), what is off at the end as error^(2/3). */
#include "verify/kit.h"

static const char *const pendulum = "sinew: 1\n"
                                    "gravity: [0, -9.81]\n"
                                    "nodes: {b: [-1, 0]}\n"
                                    "elements: {bob: {mass2d: b, mass: 1}}\n"
                                    "joints: {rod: {distance: [ground, b]}}\n"
                                    "sensors: {b: {position: b}, rod: {reaction: rod}}\n"
                                    "run: {end: 3, step: 1 ms, tolerance: 1e-11, error: 1e-6}\n";

enum { CHANNELS = 9, RUNS = 4 };

/* Largest error of the channels for errors 1e-4 ... 1e-7, against a run with fixed steps of 1/n of the end.
 */
static void errors(kit *k, int n, const char *const *channel, const double *t, int steps, double *off,
                   long *taken)
{
    double y[CHANNELS], exact[CHANNELS];
    double step = k->o.step;
    k->o.error = 0, k->o.step = k->o.end / steps;
    kit_points(k, n, channel, t, exact);
    assert_int_equal(k->info.steps, steps);
    assert_int_equal(k->info.rejections, 0);
    k->o.step = step;
    for (int i = 0; i < RUNS; i++) {
        k->o.error = pow(10, -4 - i);
        kit_points(k, n, channel, t, y);
        off[i] = 0, taken[i] = k->info.steps;
        for (int c = 0; c < n; c++) off[i] = fmax(off[i], fabs(y[c] - exact[c]));
        print_message("  error %.0e: %ld steps of %.2e .. %.2e s, %ld rejected, off by %.2e\n", k->o.error,
                      k->info.steps, k->info.shortest, k->info.longest, k->info.rejections, off[i]);
        assert_true(k->info.rejections * 5 <= k->info.steps);
    }
}

/* Over a factor of 1000: the power of the steps is 1/3 and that of the error 2/3. The bounds are those of the
   band in which a step is kept, a factor of 1.4 in h. */
static void powers(const double *off, const long *taken)
{
    kit_within("power of steps", log10((double)taken[RUNS - 1] / (double)taken[0]) / 3, 0.28, 0.38);
    kit_within("power of errors", log10(off[0] / off[RUNS - 1]) / 3, 0.56, 0.76);
}

static void test_pendulum(void **state)
{
    static const char *const channel[] = {"b.x", "b.y", "b.x", "b.y"};
    static const double t[] = {1.5, 1.5, 3, 3};
    double off[RUNS];
    long taken[RUNS];
    kit k;
    (void)state;
    kit_text(&k, pendulum);
    assert_true(k.o.error == 1e-6);
    errors(&k, 4, channel, t, 100000, off, taken);
    powers(off, taken);
    /* asked for 1e-7 a step, about 1000 steps: their sum is the size of what is off */
    kit_within("sum of local errors over what is off", 1e-7 * (double)taken[3] / off[3], 0.1, 10);
    kit_close(&k);
}

/* Conservative motion over many periods, near the upright position as well: where steps on the way back
   differ from those on the way there energy drifts, and the phase with the square of the time. Fixed steps
   have no drift: steps by their error are at most twice as long, so that they may be off by 4 times what as
   many fixed ones are off by. (Steps that lag behind the error and are kept for a while: 15 to 200 times.) */
static void test_no_drift(void **state)
{
    static const char *const text =
        "sinew: 1\n"
        "gravity: [0, -9.81]\n"
        "parameters: {th: 3}\n"
        "nodes: {b: {frame2d: [0, 0]}}\n"
        "elements: {bob: {mass2d: b, mass: 1, inertia: 1/12, com: [0.5*sin(th), -0.5*cos(th)]}}\n"
        "joints: {pin: {fixed: b, only: [x, y]}}\n"
        "sensors: {b: {rotation: b}}\n"
        "run: {end: 10, step: 1 ms, tolerance: 1e-10}\n";
    static const double start[] = {2.5, 3, 3.1};
    static const char *const channel[] = {"b.theta", "b.theta", "b.theta"};
    static const double t[] = {8.6, 9.3, 10};
    kit k;
    (void)state;
    kit_text(&k, text);
    for (int i = 0; i < 6; i++) {
        double exact[3], y[3], same[3], off = 0, fixed = 0, allowed = i < 3 ? 1e-5 : 1e-6;
        kit_set(&k, "th", start[i % 3]), kit_update(&k);
        k.o.error = 0, k.o.step = 2e-4;
        kit_points(&k, 3, channel, t, exact);
        k.o.error = allowed, k.o.step = 1e-3;
        kit_points(&k, 3, channel, t, y);
        long rejected = k.info.rejections;
        k.o.error = 0, k.o.step = 10 / (double)k.info.steps;
        kit_points(&k, 3, channel, t, same);
        for (int j = 0; j < 3; j++) {
            off = fmax(off, fabs(y[j] - exact[j]));
            fixed = fmax(fixed, fabs(same[j] - exact[j]));
        }
        print_message("  from %.1f rad, error %.0e: %ld steps, off by %.1e, fixed ones by %.1e\n",
                      start[i % 3], allowed, k.info.steps, off, fixed);
        kit_within("off by", off, 0, 4 * fixed);
        assert_int_equal(rejected, 0);
    }
    kit_close(&k);
}

/* The force in the rod, too: changes of the step do not shake it. A fixed step of the same number of steps
   has an error of second order; with jumps of O(h) at each change it would be a hundred times that. */
static void test_forces(void **state)
{
    static const char *const channel[] = {"rod.fy"};
    static const double t[] = {3};
    double exact, y, same;
    kit k;
    (void)state;
    kit_text(&k, pendulum);
    k.o.error = 0, k.o.step = 3e-5;
    kit_points(&k, 1, channel, t, &exact);
    k.o.error = 1e-7, k.o.step = 1e-3;
    kit_points(&k, 1, channel, t, &y);
    k.o.error = 0, k.o.step = 3 / (double)k.info.steps;
    kit_points(&k, 1, channel, t, &same);
    print_message("  force off by %.2e, with fixed steps by %.2e of %.3f\n", y - exact, same - exact, exact);
    kit_within("force", fabs(y - exact), 0, 4 * fabs(same - exact));
    kit_close(&k);
}

static void test_two_bar(void **state)
{
    static const char *const channel[] = {"node5.x",     "node5.y", "node5.theta", "node5.x", "node5.y",
                                          "node5.theta", "node2.x", "node3.x",     "node3.y"};
    static const double t[] = {0.35, 0.35, 0.35, 0.69, 0.69, 0.69, 0.69, 0.69, 0.69};
    double off[RUNS];
    long taken[RUNS];
    kit k;
    (void)state;
    kit_file(&k, "examples/two-bar/two-bar.yaml");
    k.o.tolerance = 1e-10, k.o.end = 0.69;
    errors(&k, CHANNELS, channel, t, 34500, off, taken);
    powers(off, taken);
    kit_close(&k);
}

/* Duhamel's integral of an oscillator under a load s(t) that rises from 0 to F over t0 .. t1, by Simpson's
   rule. */
static double duhamel(double w, double F, double t0, double t1, double t)
{
    enum { N = 20000 };
    double x = 0, h = (t - t0) / N;
    for (int i = 0; i <= N; i++) {
        double s = t0 + i * h, u = fmin(1, (s - t0) / (t1 - t0)), f = F * u * u * (3 - 2 * u);
        x += (i == 0 || i == N ? 1 : i % 2 ? 4 : 2) * f * sin(w * (t - s)) / w;
    }
    return x * h / 3;
}

/* A mass of 1 kg on a spring, 1 Hz, swings by 1 m; at 0.8 s a force of 40 N rises within 0.1 ms. Its jerk
   asks for steps of 0.9 (error L/(C w^3))^(1/3) = 1.5 ms (L = 10 m, C = 0.086), a jump of the acceleration of
   40 m/s^2 for sqrt(error L/(40 C)) = 0.17 ms: steps get small at 0.8 s, and only there. */
static void test_sudden_load(void **state)
{
    static const char *const text = "sinew: 1\n"
                                    "parameters: {w: 2*pi}\n"
                                    "nodes: {b: {at: [10, 0], displacement: [1, 0]}}\n"
                                    "elements:\n"
                                    "  m: {mass2d: b, mass: 1}\n"
                                    "  k: {spring2d: [ground, b], k: w^2}\n"
                                    "  f: {force2d: b, force: [\"40*smoothstep(t, 0.8, 0.8001)\", 0]}\n"
                                    "sensors: {b: {displacement: b}}\n"
                                    "run: {end: 2, step: 1 ms, error: 1e-8, tolerance: 1e-10}\n";
    const double w = 2 * acos(-1);
    kit k;
    (void)state;
    kit_text(&k, text);
    double quiet = kit_value(&k, "b.x", 0.79);
    sn_info before = k.info;
    double x = kit_value(&k, "b.x", 2), exact = cos(w * 2) + duhamel(w, 40, 0.8, 0.8001, 2);
    print_message("  before: %ld steps of %.2e .. %.2e s; all: %ld of %.2e .. %.2e s, %ld rejected; off by "
                  "%.1e, %.1e\n",
                  before.steps, before.shortest, before.longest, k.info.steps, k.info.shortest,
                  k.info.longest, k.info.rejections, quiet - cos(w * 0.79), x - exact);
    assert_true(before.shortest >= 7.5e-4); /* the last two may be halves */
    assert_true(k.info.shortest < 2.5e-4);
    assert_true(k.info.rejections > 0);
    assert_true(k.info.steps < 1700);
    /* about the sum of the local errors, 1e-8 of 10 m each */
    kit_near("before the load", quiet, cos(w * 0.79), 2e-7 * (double)before.steps);
    kit_near("after the load", x, exact, 2e-7 * (double)k.info.steps);
    kit_close(&k);
}

/* Coordinates of first order count, too: a lag of 10 ms behind a smooth jump. z = 1 - exp(-s/tau) long after
   the jump of 1 ms; its middle is where s begins, to second order of 1/10. */
static void test_lag(void **state)
{
    static const char *const text =
        "sinew: 1\n"
        "nodes: {z: {state: 0}}\n"
        "elements: {lag: {lag: z.z, tau: 10 ms, input: \"smoothstep(t, 0.5, 0.501)\"}}\n"
        "sensors: {z: {position: z}}\n"
        "run: {end: 0.52, step: 1 ms, tolerance: 1e-11, max_step: 5 ms}\n";
    double off[2], exact;
    kit k;
    (void)state;
    kit_text(&k, text);
    k.o.step = 1e-5;
    exact = kit_value(&k, "z.z", 0.52);
    kit_near("lag", exact, 1 - exp(-1.95), 2e-3);
    for (int i = 0; i < 2; i++) {
        k.o.step = 1e-3, k.o.error = i ? 1e-7 : 1e-5;
        off[i] = fabs(kit_value(&k, "z.z", 0.52) - exact);
        print_message("  error %.0e: %ld steps of %.2e .. %.2e s, off by %.1e\n", k.o.error, k.info.steps,
                      k.info.shortest, k.info.longest, off[i]);
        kit_near("longest step", k.info.longest, 5e-3, 1e-12);
        assert_true(k.info.shortest < (i ? 1e-4 : 5e-4));
        assert_true(off[i] < k.o.error * (double)k.info.steps);
    }
    kit_close(&k);
}

/* Bounds are kept, and told where the error needs less. */
typedef struct memory {
    int n;
    char text[512];
} memory;

static void remember(void *ctx, const char *text)
{
    memory *m = ctx;
    if (!m->n++) snprintf(m->text, sizeof m->text, "%s", text);
}

static void test_bounds(void **state)
{
    memory m = {0};
    kit k;
    (void)state;
    kit_text(&k, pendulum);
    k.o.message = remember, k.o.ctx = &m;
    k.o.error = 1e-6, k.o.max_step = 2e-3;
    kit_run(&k);
    kit_near("largest step", k.info.longest, 2e-3, 1e-12);
    assert_int_equal(m.n, 0);
    k.o.error = 1e-9, k.o.min_step = 1e-3;
    kit_run(&k);
    assert_true(k.info.shortest >= 1e-3 * 0.5); /* the last two may be halves */
    assert_int_equal(m.n, 1);
    assert_non_null(strstr(m.text, "the error is larger than asked for"));
    k.o.min_step = 3e-3;
    assert_int_equal(kit_try_run(&k), SN_ERR_INPUT);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pendulum),    cmocka_unit_test(test_no_drift),
                                       cmocka_unit_test(test_forces),      cmocka_unit_test(test_two_bar),
                                       cmocka_unit_test(test_sudden_load), cmocka_unit_test(test_lag),
                                       cmocka_unit_test(test_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
