/* Periodic motions and their multipliers. */
#include "verify/kit.h"

typedef struct multipliers {
    int n, corrections;
    double re[20], im[20], rate[20], omega[20], gap, q[20], v[20];
} multipliers;

static sn_status take(void *ctx, const sn_floquet *f, sn_err *err)
{
    multipliers *x = ctx;
    (void)err;
    assert_true(f->n <= 20);
    x->n = f->n, x->corrections = f->corrections, x->gap = f->gap;
    for (int i = 0; i < f->n; i++)
        x->re[i] = f->re[i], x->im[i] = f->im[i], x->rate[i] = f->rate[i], x->omega[i] = f->omega[i];
    for (int i = 0; i < 2; i++) x->q[i] = f->state->q[i], x->v[i] = f->state->v[i];
    return SN_OK;
}

static sn_status try_multipliers(kit *k, double period, double step, multipliers *x)
{
    sn_floquet_options o = sn_floquet_options_default(k->m, k->p);
    o.period = period, o.take = take, o.ctx = x;
    o.run = k->o, o.run.step = step;
    *x = (multipliers){0};
    return sn_floquet_multipliers(k->m, k->p, &o, &k->err);
}

static void find(kit *k, double period, double step, multipliers *x)
{
    kit_good(k, try_multipliers(k, period, step, x));
    print_message("  %d corrections, gap %.2g:", x->corrections, x->gap);
    for (int i = 0; i < x->n; i++) print_message(" %.9g%+.9gi", x->re[i], x->im[i]);
    print_message("\n");
}

static double trace(const multipliers *x)
{
    double sum = 0;
    for (int i = 0; i < x->n; i++) sum += x->re[i];
    return sum;
}

static const double pi = 3.14159265358979323846;

/* Mathieu's equation y'' + (a - 2 q cos 2t) y = 0: a mass between two springs that are pulled, with a tension
   that varies: across, their stiffness is the tension over the length; along, it is k. At the characteristic
   numbers a multiplier of the period pi is 1 (a0, b2) or -1 (b1, a1), so that the pair's sum is +-2. Second
   order in the step, extrapolated: what is left is of fourth order, (2 h)^4 pi = 2e-7 of 200 steps, some
   units. */
static void test_mathieu(void **state)
{
    static const struct {
        double a, sum;
    } table[] = {
        {-0.4551386041, 2}, {-0.1102488169, -2}, {1.8591080725, -2}, {3.9170247729, 2}, {4.3713009827, 2}};
    (void)state;
    kit k;
    kit_text(&k, "sinew: 1\nparameters: {a: 1, q: 1, k: 2}\n"
                 "nodes: {mass: {at: [1, 0]}, wall: {at: [2, 0]}}\n"
                 "signals: {l: {expression: '1 - (a - 2*q*cos(2*t))/(2*k)'}}\n"
                 "elements:\n  m: {mass2d: mass, mass: 1}\n  l: {spring2d: [ground, mass], k: k, l0: l}\n"
                 "  r: {spring2d: [mass, wall], k: k, l0: l}\n"
                 "joints: {wall: {fixed: wall}}\nrun: {end: 1, step: 1 ms, scheme: newmark}\n");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        multipliers x[2];
        kit_set(&k, "a", table[i].a), kit_update(&k);
        find(&k, pi, pi / 200, &x[0]), find(&k, pi, pi / 400, &x[1]);
        assert_int_equal(x[0].n, 4);
        kit_near("sum of the multipliers", richardson(trace(&x[0]), trace(&x[1]), 2),
                 table[i].sum + 2 * cos(2 * pi), 1e-6);
    }
    kit_close(&k);
}

/* A damped oscillator that is driven: from rest the periodic motion is found at once, since all is linear;
   multipliers exp(s T), their product exp(-c T/m) (Liouville). Second order, extrapolated. */
static void test_driven(void **state)
{
    (void)state;
    kit k;
    kit_text(&k, "sinew: 1\nnodes: {mass: {frame2d: [1, 0]}}\n"
                 "signals: {f: {expression: '3*cos(2*t)'}}\n"
                 "elements:\n  m: {mass2d: mass, mass: 1}\n  s: {spring2d: [ground, mass], k: 9, c: 0.6}\n"
                 "  f: {force2d: mass, force: [f, 0]}\n"
                 "joints: {line: {prismatic2d: [ground, mass], axis: [1, 0]}}\n"
                 "run: {end: 1, step: 1 ms, scheme: newmark}\n");
    multipliers x[2];
    find(&k, pi, pi / 200, &x[0]), find(&k, pi, pi / 400, &x[1]);
    assert_true(x[1].corrections == 1);
    const double w = sqrt(9 - 0.09);
    double re = richardson(x[0].re[0], x[1].re[0], 2), size = exp(-0.3 * pi);
    kit_near("multiplier", re, size * cos(w * pi), 1e-6);
    kit_near("product", richardson(hypot(x[0].re[0], x[0].im[0]), hypot(x[1].re[0], x[1].im[0]), 2), size,
             1e-6);
    /* (k - w^2) X - c w Y = F, c w X + (k - w^2) Y = 0 of X cos + Y sin */
    double D = 5 * 5 + 1.2 * 1.2, X = 3 * 5 / D, Y = 3 * 1.2 / D;
    kit_near("displacement", richardson(x[0].q[0], x[1].q[0], 2) - 1, X, 1e-6);
    kit_near("velocity", richardson(x[0].v[0], x[1].v[0], 2), 2 * Y, 1e-6);
    kit_close(&k);
}

/* A point mass on springs that turn with w and have no length unstrained: in turning axes
   (kx/m - w^2 + s^2)(ky/m - w^2 + s^2) + 4 w^2 s^2 = 0, and in a turn multipliers exp(2 pi s/w), as the axes
   come back. Here seen by the run, whose hub is driven. The tilts of the round mass have springs that are
   alike all around. Second order, extrapolated; of 200 steps a turn, 4 to 5 rad/s beside w = 1: (5 h)^4/12 5
   T = 4e-5 in phase. */
static void test_turning_springs(void **state)
{
    (void)state;
    kit k;
    kit_text(
        &k,
        "sinew: 1\nnodes: {hub: {at: [0, 0, 0], spin: [0, 0, 1]}, mass: {at: [0, 0, 0], spin: [0, 0, 1]}}\n"
        "signals: {turn: {polynomial: [0, 1]}}\n"
        "elements:\n  m: {mass3d: mass, mass: 2, inertia: [1, 1, 1]}\n"
        "  b: {bushing: [hub, mass], k: [18, 32, 50], kt: [10, 10, 10]}\n"
        "joints: {drive: {rotation_drive: [ground, hub], axis: [0, 0, 1], angle: turn},\n"
        "  axle: {revolute: [ground, hub], axis: [0, 0, 1]}}\n"
        "run: {end: 1, step: 1 ms, scheme: newmark}\n");
    multipliers x[2];
    find(&k, 2 * pi, pi / 200, &x[0]), find(&k, 2 * pi, pi / 400, &x[1]);
    assert_int_equal(x[0].n, 12);
    double b = 8 + 15 + 4, c = 8 * 15, expected = 0;
    for (int i = -1; i < 2; i += 2) expected += 2 * cos(2 * pi * sqrt((b + i * sqrt(b * b - 4 * c)) / 2));
    /* along z sqrt(50/2); about z sqrt(10); tilts, I (s^2 + 0) in axes that stand still with the springs of
       the hub: s = i(sqrt(10 + 1/4) +- 1/2) in turning axes, since the moment of momentum is that of a ball
     */
    expected += 2 * cos(2 * pi * 5) + 2 * cos(2 * pi * sqrt(10.0));
    for (int i = -1; i < 2; i += 2) expected += 2 * cos(2 * pi * (sqrt(10.25) + 0.5 * i));
    kit_near("sum of the multipliers", richardson(trace(&x[0]), trace(&x[1]), 2), expected, 1e-3);
    for (int i = 0; i < 12; i++) kit_near("size", hypot(x[1].re[i], x[1].im[i]), 1, 1e-6);
    kit_close(&k);
}

/* A pendulum that swings by 2 rad, with its own period 4 K(sin 1)/w0, K by the arithmetic-geometric mean:
   nothing is lost and nothing depends on the time, so that both multipliers are 1, and a disturbed amplitude
   has another period: a chain, of which rounding spoils the roots but not their sum. Second order in the
   step, extrapolated: (2 pi/1000)^4 and what does not come back, 1e-7, times some units. */
static void test_pendulum(void **state)
{
    (void)state;
    kit k;
    kit_text(&k, "sinew: 1\ngravity: [0, -9.81]\n"
                 "nodes: {bar: {frame2d: [sin(2), -cos(2)]}}\n"
                 "elements: {m: {mass2d: bar, mass: 1, inertia: 0.5}}\n"
                 "joints: {pin: {revolute2d: [ground, bar], at: [0, 0]}}\n"
                 "run: {end: 1, step: 1 ms, scheme: newmark}\n");
    double a = 1, g = cos(1.0), w0 = sqrt(9.81 / 1.5);
    for (int i = 0; i < 6; i++) {
        double mean = 0.5 * (a + g);
        g = sqrt(a * g), a = mean;
    }
    const double period = 2 * pi / (a * w0);
    multipliers x[2];
    find(&k, period, period / 1000, &x[0]), find(&k, period, period / 2000, &x[1]);
    assert_int_equal(x[0].n, 2);
    assert_true(x[0].gap < 1e-3);
    kit_near("sum", richardson(trace(&x[0]), trace(&x[1]), 2), 2, 1e-6);
    kit_close(&k);
}

/* Nothing brings a body back that falls. */
static void test_none(void **state)
{
    (void)state;
    kit k;
    kit_text(&k, "sinew: 1\ngravity: [0, -9.81]\nnodes: {mass: {at: [1, 0]}}\n"
                 "elements: {m: {mass2d: mass, mass: 1}}\nrun: {end: 1, step: 1 ms}\n");
    multipliers x;
    assert_int_equal(try_multipliers(&k, 1, 0.01, &x), SN_ERR_NUMERIC);
    print_message("  %s\n", k.err.report[0].text);
    assert_non_null(strstr(k.err.report[0].text, "no periodic motion found near the start"));
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mathieu),
        cmocka_unit_test(test_driven),
        cmocka_unit_test(test_turning_springs),
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
