/* The scheme adams (Adams, Bashforth, Moulton of order 4 with coordinate partitioning) and its explicit kin:
   orders, exact numbers, changes of the independent coordinates, agreement with other schemes, repeatability,
   what is refused. */
#include "verify/kit.h"

#include "analysis/sim.h"
#include "integrator/explicit.h"

static const char pendulum[] = "sinew: 1\n"
                               "gravity: [0, -9.81]\n"
                               "nodes: {a: {frame2d: [0.5, 0]}}\n"
                               "elements: {rod: {mass2d: a, mass: 1, inertia: 1/12}}\n"
                               "joints: {pin: {revolute2d: [ground, a], at: [0, 0]}}\n"
                               "sensors: {a: {position: a}, v: {velocity: a}, r: {reaction: pin}}\n"
                               "run: {end: 10, step: 10 ms, scheme: adams}\n";

/* Error of the angle at 10 s against the exact solution; released at the horizontal, from which it counts. */
static double pendulum_error(const char *scheme, double step)
{
    kit k;
    kit_text(&k, pendulum);
    k.o.step = step, k.o.scheme = scheme;
    double y = kit_value(&k, "a.theta", 10);
    kit_close(&k);
    return fabs(y + 0.7998387042);
}

/* Orders 4, 4 and 2; Adams' method converges faster than that on motions without loss. 4.4e-6 and 2.3e-9 are
   what an independent program with the same method has. */
static void test_pendulum(void **state)
{
    static const char *const scheme[] = {"adams", "runge_kutta", "central_differences"};
    static const double least[] = {3.9, 3.9, 1.95}, most[] = {6, 4.2, 2.05}, step[] = {0.02, 0.005, 0.01};
    (void)state;
    for (int i = 0; i < 3; i++) {
        double e[3];
        for (int j = 0; j < 3; j++) e[j] = pendulum_error(scheme[i], step[i] / (1 << j));
        print_message("  %s: off by %.2e %.2e %.2e, orders %.2f %.2f\n", scheme[i], e[0], e[1], e[2],
                      order_of(e[0], e[1]), order_of(e[1], e[2]));
        kit_within(scheme[i], order_of(e[0], e[1]), least[i] - (i == 1 ? 0.2 : 0), most[i]);
    }
    double fine = pendulum_error("adams", 0.0025), coarse = pendulum_error("adams", 0.01);
    print_message("  adams, 10 ms and 2.5 ms: %.2e %.2e\n", coarse, fine);
    kit_within("10 ms", coarse, 4.3e-6, 4.5e-6);
    kit_within("2.5 ms", fine, 2.0e-9, 2.6e-9);
}

/* Five equal rods, three of them cranks (IFToMM benchmark A02): when all lie in one line the equations are
   dependent. The exact state after 10 s is of an integration of minimal coordinates. */
#define CRANK(name, x) "  " name ": {frame2d: [" x ", 0.5], velocity: [0.5, 0], spin: -1}\n"
#define BAR(name, x)   "  " name ": {frame2d: [" x ", 1], velocity: [1, 0]}\n"
#define ROD(name)      "  m" name ": {mass2d: " name ", mass: 1, inertia: 1/12}\n"
static const char four_bars[] = "sinew: 1\n"
                                "gravity: [0, -9.81]\n"
                                "nodes:\n" CRANK("a", "0") BAR("b", "0.5") CRANK("c", "1") BAR("d", "1.5")
                                    CRANK("e", "2") "elements:\n" ROD("a") ROD("b") ROD("c") ROD("d")
                                        ROD("e") "joints:\n"
                                                 "  ja: {revolute2d: [ground, a], at: [0, 0]}\n"
                                                 "  jab: {revolute2d: [a, b], at: [0, 1]}\n"
                                                 "  jbc: {revolute2d: [b, c], at: [1, 1]}\n"
                                                 "  jcd: {revolute2d: [c, d], at: [1, 1]}\n"
                                                 "  jc: {revolute2d: [ground, c], at: [1, 0]}\n"
                                                 "  jde: {revolute2d: [d, e], at: [2, 1]}\n"
                                                 "  je: {revolute2d: [ground, e], at: [2, 0]}\n"
                                                 "sensors: {b0: {position: b, offset: [-0.5, 0]}, v: "
                                                 "{velocity: b, offset: [-0.5, 0]}, off: {violation: all}}\n"
                                                 "run: {end: 10, step: 10 ms, scheme: adams}\n";

static void test_four_bars(void **state)
{
    static const char *const channel[] = {"b0.x", "b0.y", "v.x", "v.y", "off.value"};
    static const double exact[] = {0.328458112, 0.944518538, 1.423051470, -0.494868845};
    static const double step[] = {0.01, 0.0025}, allowed[] = {4e-5, 4e-8};
    (void)state;
    for (int i = 0; i < 2; i++) {
        double y[5], most = 0;
        kit k;
        kit_text(&k, four_bars);
        k.o.step = step[i], k.o.conserved = 1;
        kit_values(&k, 10, 5, channel, y);
        for (int j = 0; j < 2; j++) most = fmax(most, fabs(y[j] - exact[j]));
        print_message("  step %g: off by %.2e, equations within %.1e, energy %.1e of %.3g J\n", step[i], most,
                      y[4], k.info.conserved.energy_drift, k.info.conserved.kinetic);
        kit_near("double four-bar", most, 0, allowed[i]);
        kit_near("equations", y[4], 0, 1e-13);
        kit_close(&k);
    }
}

/* A point goes round a circle with 4.9 rad/s. Another coordinate becomes the independent one as soon as it
   makes the other twice as well determined: at atan 2 = 63.43 degrees, and each quarter of a turn from there
   on; in 49 rad 31 times. */
static void test_circle(void **state)
{
    static const char text[] = "sinew: 1\n"
                               "nodes: {b: {at: [1, 0], velocity: [0, 4.9]}}\n"
                               "elements: {bob: {mass2d: b, mass: 1}}\n"
                               "joints: {rod: {distance: [ground, b]}}\n"
                               "sensors: {b: {position: b}}\n"
                               "run: {end: 10, step: 5 ms, scheme: adams}\n";
    enum { SET = 6 };
    kit k;
    sn_sim *s;
    int changes = 0;
    (void)state;
    kit_text(&k, text);
    kit_good(&k, sn_sim_open(k.m, k.p, &k.o, &s, &k.err));
    kit_good(&k, sn_sim_start(s, &k.err));
    for (int i = 1; i <= 2000; i++) {
        int before = s->d.x->own[SET][0] == SN_DEPENDENT;
        assert_true(before != (s->d.x->own[SET][1] == SN_DEPENDENT));
        kit_good(&k, sn_sim_step(s, i * 5e-3, &k.err));
        changes += before != (s->d.x->own[SET][0] == SN_DEPENDENT);
    }
    double x = s->d.x->q[0], y = s->d.x->q[1];
    double off = hypot(x - cos(49), y - sin(49));
    print_message("  %d changes, circle met within %.1e, off by %.1e\n", changes, hypot(x, y) - 1, off);
    assert_int_equal(changes, 31);
    kit_near("the circle", hypot(x, y), 1, 1e-14);
    kit_near("the place", off, 0, 1e-4);
    sn_sim_close(s);
    kit_close(&k);
}

/* The limit h -> 0 is that of generalized-alpha, whose errors are a h^2 + b h^3 + O(h^4). */
enum { CHANNELS = 8 };
static void limit_of(kit *k, double t, double h, int n, const char *const *channel, double *out)
{
    double y[3][CHANNELS];
    k->o.scheme = "generalized_alpha", k->o.tolerance = 1e-13;
    for (int j = 0; j < 3; j++) {
        k->o.step = h / (1 << j);
        kit_values(k, t, n, channel, y[j]);
    }
    for (int i = 0; i < n; i++)
        out[i] = richardson(richardson(y[0][i], y[1][i], 2), richardson(y[1][i], y[2][i], 2), 3);
}

/* Largest difference from z at t with steps h, h/2; the order they tell. */
static void converges(kit *k, const char *scheme, double t, double h, int n, const char *const *channel,
                      const double *z, double least, double allowed)
{
    double y[CHANNELS], e[2] = {0};
    k->o.scheme = scheme;
    for (int j = 0; j < 2; j++) {
        k->o.step = h / (1 << j);
        kit_values(k, t, n, channel, y);
        for (int i = 0; i < n; i++) e[j] = fmax(e[j], fabs(y[i] - z[i]));
    }
    print_message("  %s: off by %.2e %.2e, order %.2f\n", scheme, e[0], e[1], order_of(e[0], e[1]));
    assert_true(order_of(e[0], e[1]) >= least);
    kit_near(scheme, e[1], 0, allowed);
}

/* Bodies in space: a ball joint, a hinge, a spring, a body whose rotation is fast; rolling; coordinates of
   first order. */
static const char spatial[] =
    "sinew: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "nodes: {A: {at: [0, 0.6, 0.8], spin: [3, 0, 30]}, B: {at: [1, 0.6, 0.8]}}\n"
    "elements:\n"
    "  a: {mass3d: A, mass: 2, inertia: [0.1, 0.12, 0.2]}\n"
    "  b: {mass3d: B, mass: 1, inertia: [0.1, 0.2, 0.25], products: [0.01, 0, 0.02]}\n"
    "  s: {spring3d: [ground, B], k: 50, c: 2}\n"
    "joints: {ball: {spherical: [ground, A], at: [0, 0, 0]}, hinge: {revolute: [A, B], axis: [0, 0.3, 1]}}\n"
    "sensors: {p: {position: B}, q: {quaternion: A}, r: {reaction: ball}}\n"
    "run: {end: 0.5, step: 1 ms}\n";

static void test_space(void **state)
{
    static const char *const channel[] = {"p.x", "p.y", "p.z", "q.w", "q.x", "q.y", "q.z"};
    double z[CHANNELS];
    kit k;
    (void)state;
    kit_text(&k, spatial);
    limit_of(&k, 0.5, 5e-4, 7, channel, z);
    converges(&k, "adams", 0.5, 2e-3, 7, channel, z, 3.9, 1e-6);
    converges(&k, "runge_kutta", 0.5, 4e-3, 7, channel, z, 3.7, 1e-6);
    converges(&k, "central_differences", 0.5, 1e-3, 7, channel, z, 1.9, 1e-3);
    kit_close(&k);
}

/* Andrews' mechanism: the angles at 0.03 s of the Test Set for IVP Solvers (see test_andrews.c). */
static void test_andrews(void **state)
{
    static const char *const name[] = {"beta", "gamma", "delta", "epsilon"}, *const channel[] = {
                                                                                 "beta.theta", "gamma.theta",
                                                                                 "delta.theta",
                                                                                 "epsilon.theta"};
    static const double exact[] = {15.81077119629904, .04082224013073101, .5244099658805304,
                                   1.048080741042263};
    double y[4], start;
    kit k;
    (void)state;
    kit_file(&k, "examples/andrews-squeezer/andrews.yaml");
    k.o.scheme = "adams", k.o.step = 1e-5;
    kit_values(&k, 0.03, 4, channel, y);
    for (int i = 0; i < 4; i++) {
        kit_good(&k, sn_values_get(k.p, name[i], &start, &k.err));
        print_message("  %s off by %.1e\n", name[i], y[i] + start - exact[i]);
        kit_near(name[i], y[i] + start, exact[i], 1e-6);
    }
    /* by the error: 1e-8 a step */
    k.o.error = 1e-8;
    kit_values(&k, 0.03, 4, channel, y);
    kit_good(&k, sn_values_get(k.p, name[0], &start, &k.err));
    print_message("  by the error: %ld steps, off by %.1e\n", k.info.steps, y[0] + start - exact[0]);
    kit_near("by the error", y[0] + start, exact[0], 1e-4);
    assert_true(k.info.steps < 3000);
    kit_close(&k);
}

/* A disc that rolls upright and turns, a Maxwell element and a lag: velocity level and first order. */
static const char rolling[] =
    "sinew: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "nodes: {c: {at: [0, 0, 0.3], velocity: [1.2, 0, 0], spin: [0.6, 4, 0.8]}, z: {state: 0.2}}\n"
    "elements: {disc: {mass3d: c, mass: 2, inertia: [0.045, 0.09, 0.045]},\n"
    "  filter: {lag: z.z, tau: 0.1 s, input: 1}, damp: {spring3d: [ground, c], k: 3, c: 0.4}}\n"
    "joints: {contact: {rolling: c, radius: 0.3, axis: [0, 1, 0]}}\n"
    "sensors: {p: {position: c}, q: {quaternion: c}, z: {position: z}}\n"
    "run: {end: 0.6, step: 1 ms}\n";

static void test_rolling(void **state)
{
    static const char *const channel[] = {"p.x", "p.y", "p.z", "q.w", "q.y", "z.z"};
    double z[CHANNELS];
    kit k;
    (void)state;
    kit_text(&k, rolling);
    limit_of(&k, 0.6, 1e-3, 6, channel, z);
    converges(&k, "adams", 0.6, 5e-3, 6, channel, z, 3.7, 1e-7);
    converges(&k, "runge_kutta", 0.6, 0.01, 6, channel, z, 3.8, 1e-6);
    kit_close(&k);
}

/* The referee, IDA with tolerances of 1e-8 and 1e-10: its global errors are some hundred times the local
 * ones. */
static void test_bdf(void **state)
{
    static const char *const space[] = {"p.x", "p.y", "p.z", "q.w", "q.x", "q.y", "q.z", "r.fz"},
                             *const roll[] = {"p.x", "p.y", "p.z", "q.w", "q.y", "z.z"},
                             *const angle[] = {"beta.theta", "epsilon.theta"};
    double z[CHANNELS], y[CHANNELS], start;
    kit k;
    (void)state;
    for (int i = 0; i < 2; i++) {
        const int n = i ? 6 : 8;
        kit_text(&k, i ? rolling : spatial);
        limit_of(&k, 0.5, 1e-3, n, i ? roll : space, z);
        k.o.scheme = "bdf", k.o.step = 0.01;
        kit_values(&k, 0.5, n, i ? roll : space, y);
        for (int j = 0; j < n; j++) kit_near((i ? roll : space)[j], y[j], z[j], j == 7 ? 1e-2 : 2e-6);
        kit_close(&k);
    }
    kit_file(&k, "examples/andrews-squeezer/andrews.yaml");
    kit_scheme(&k, "bdf", "relative", 1e-9);
    k.o.step = 1e-3;
    kit_values(&k, 0.03, 2, angle, y);
    kit_good(&k, sn_values_get(k.p, "beta", &start, &k.err));
    kit_near("beta", y[0] + start, 15.81077119629904, 1e-5);
    kit_good(&k, sn_values_get(k.p, "epsilon", &start, &k.err));
    kit_near("epsilon", y[1] + start, 1.048080741042263, 1e-5);
    kit_close(&k);
}

/* A force that begins at 0.205 s and a stop that is met: the jump costs a step of Runge and Kutta's method,
   not the order before and behind it. In free flight the position is exact but for the step with the jump:
   a(t - t0)^2/2, off by a h^2 at most; halving the step halves the error at least. */
static void test_jump(void **state)
{
    static const char text[] = "sinew: 1\n"
                               "nodes: {b: [0, 0]}\n"
                               "signals: {on: {table: [[0, 0], [0.205, 0], [0.205001, 1], [1, 1]]}}\n"
                               "elements: {m: {mass2d: b, mass: 1}, f: {force2d: b, force: [10*on, 0]},\n"
                               "  s: {spring2d: [ground, b], k: 4}}\n"
                               "sensors: {b: {position: b}}\n"
                               "run: {end: 1, step: 10 ms, scheme: adams}\n";
    kit k;
    (void)state;
    kit_text(&k, text);
    double exact = 2.5 * (1 - cos(2 * (1 - 0.2050005)));
    for (int i = 0; i < 3; i++, k.o.step /= 2) {
        double x = kit_value(&k, "b.x", 1), allowed = 10 * k.o.step;
        print_message("  step %g: off by %.1e\n", k.o.step, x - exact);
        kit_near("behind a jump", x, exact, 0.7 * allowed); /* F h of the impulse, less in the mean */
    }
    kit_close(&k);
}

/* Runs repeat to the last bit, also from saved bytes in the middle. */
static void test_repeat(void **state)
{
    static const char *const scheme[] = {"adams", "runge_kutta", "central_differences", "bdf"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        kit k;
        sn_sim *a, *b;
        void *bytes;
        size_t size;
        kit_text(&k, spatial);
        k.o.scheme = scheme[i];
        kit_good(&k, sn_sim_open(k.m, k.p, &k.o, &a, &k.err));
        kit_good(&k, sn_sim_open(k.m, k.p, &k.o, &b, &k.err));
        kit_good(&k, sn_sim_start(a, &k.err));
        kit_good(&k, sn_sim_step(a, 0.05, &k.err));
        kit_good(&k, sn_sim_save(a, &bytes, &size, &k.err));
        kit_good(&k, sn_sim_step(a, 0.1, &k.err));
        kit_good(&k, sn_sim_start(b, &k.err));
        kit_good(&k, sn_sim_load(b, bytes, size, &k.err));
        kit_good(&k, sn_sim_step(b, 0.1, &k.err));
        assert_memory_equal(a->d.x->q, b->d.x->q, sizeof(double) * (size_t)a->d.m->nq);
        assert_memory_equal(a->d.x->v, b->d.x->v, sizeof(double) * (size_t)a->d.m->nv);
        assert_memory_equal(a->d.x->a, b->d.x->a, sizeof(double) * (size_t)a->d.m->nv);
        sn_release(bytes);
        sn_sim_close(a), sn_sim_close(b);
        kit_close(&k);
    }
}

/* Refused by name. */
static void test_refusals(void **state)
{
    static const struct {
        const char *text, *scheme, *says[2];
    } t[] = {
        {"nodes: {A: {frame2d: [0, 0]}}\nelements: {a: {mass2d: A, mass: 1, inertia: 1}}\n"
         "joints: {pin: {revolute2d: [ground, A], mu: 0.2, radius: 0.1}}\n",
         "adams",
         {"'pin'", "friction"}},
        {"nodes: {A: [0, 0], B: [1, 0]}\nelements: {a: {mass2d: A, mass: 1}, s: {spring2d: [A, B], k: 1},\n"
         "  t: {spring2d: [ground, B], point1: [1, 1], k: 1}}\n",
         "adams",
         {"B.x", "mass"}},
        {"nodes: {A: [0, 0], z: {state: 0}}\nelements: {a: {mass2d: A, mass: 1}, l: {lag: z.z, tau: 1, "
         "input: 0}}\n",
         "central_differences",
         {"'z'", "first order"}},
        {"nodes: {A: [0, 0]}\nelements: {a: {mass2d: A, mass: 1}}\n", "adams", {"derivatives", "adams"}},
        {"nodes: {A: [0, 0]}\nelements: {a: {mass2d: A, mass: 1}}\n", "bdf", {"derivatives", "bdf"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        static const char *const wrt[] = {"elements.a.mass"};
        char text[800];
        kit k;
        snprintf(text, sizeof text, "sinew: 1\n%srun: {end: 1, step: 0.1}\n", t[i].text);
        kit_text(&k, text);
        k.o.scheme = t[i].scheme;
        if (!strcmp(t[i].says[0], "derivatives")) k.o.wrt = wrt, k.o.n_wrt = 1;
        assert_int_equal(kit_try_run(&k), SN_ERR_INPUT);
        for (int j = 0; j < 2; j++)
            if (!strstr(k.err.report[0].text, t[i].says[j])) fail_msg("%s", k.err.report[0].text);
        assert_non_null(strstr(k.err.report[0].text, t[i].scheme));
        kit_close(&k);
    }
}

/* Embedding: as many coordinates as freedoms, the accelerations of all equations to rounding, and of the
   pendulum z'' = 3/2 g/L by its angle from the horizontal. */
static sn_status look(void *ctx, const sn_linear *l, sn_err *err)
{
    const sn_embedded *e = l->embedded;
    double *y = ctx;
    (void)err;
    y[0] = e->n, y[1] = e->off, y[2] = e->M[0], y[3] = e->f[0], y[4] = e->a[l->nv - 1];
    return SN_OK;
}

static void test_embedding(void **state)
{
    static const struct {
        const char *text;
        int freedoms;
    } t[] = {{pendulum, 1}, {four_bars, 1}, {spatial, 4}, {rolling, 4}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        double y[5];
        kit k;
        kit_text(&k, t[i].text);
        sn_linear_options o = sn_linear_options_default(k.m, k.p);
        o.independent = 1, o.no_system = 1, o.take = look, o.ctx = y;
        kit_good(&k, sn_linearise(k.m, k.p, &o, &k.err));
        assert_int_equal(y[0], t[i].freedoms);
        kit_near("embedding", y[1], 0, 1e-12);
        if (i == 0) kit_near("inertia", y[4], -1.5 * 9.81, 1e-13);
        kit_close(&k);
    }
}

/* Of a chain of springs the fastest vibration is known, 2 sqrt(k/m) and less: a step that is too long is told
   with the one that would do, and a run that blows up says so. */
static char told[600];
static void tell(void *ctx, const char *text)
{
    (void)ctx;
    snprintf(told, sizeof told, "%s", text);
}

static void test_stable_step(void **state)
{
    static const char text[] =
        "sinew: 1\n"
        "nodes: {a: [1, 0], b: {at: [2, 0], velocity: [0, 1]}}\n"
        "elements: {m: {mass2d: a, mass: 1}, n: {mass2d: b, mass: 1},\n"
        "  s: {spring2d: [ground, a], k: 1e4, l0: 1}, t: {spring2d: [a, b], k: 1e4, l0: 1}}\n"
        "sensors: {b: {position: b}}\n"
        "run: {end: 1, step: 20 ms, scheme: central_differences}\n";
    kit k;
    (void)state;
    kit_text(&k, text);
    k.o.message = tell;
    /* w^2 = k/m (3 + sqrt 5)/2 */
    double w = 100 * sqrt((3 + sqrt(5)) / 2), h = 0;
    told[0] = 0;
    (void)kit_try_run(&k);
    const char *at = strstr(told, "below about ");
    assert_non_null(at);
    h = strtod(at + strlen("below about "), NULL);
    kit_within("stable step", h * w, 1.98, 2.02); /* three digits are printed, power iteration to 1e-3 */
    sn_err_clear(&k.err);
    told[0] = 0;
    k.o.step = 0.8 * h;
    kit_run(&k);
    assert_true(told[0] == 0);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum), cmocka_unit_test(test_four_bars),   cmocka_unit_test(test_circle),
        cmocka_unit_test(test_space),    cmocka_unit_test(test_andrews),     cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_bdf),      cmocka_unit_test(test_jump),        cmocka_unit_test(test_repeat),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_stable_step), cmocka_unit_test(test_embedding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
