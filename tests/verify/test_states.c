/* Coordinates without inertia: first-order states, and nodes without mass, against exponential and harmonic
   closed forms. All schemes are of second order, for states (Jansen, Whiting, Hulbert 2000: second order for
   every rho) as for coordinates with mass. */
#include "verify/kit.h"

static const double pi = 3.14159265358979323846;

typedef struct scheme {
    const char *name, *setting;
    double x;
} scheme;

static const scheme schemes[] = {
    {"generalized_alpha", "rho", 0},
    {"generalized_alpha", "rho", 0.5},
    {"generalized_alpha", "rho", 0.8},
    {"generalized_alpha", "rho", 1},
    {"hht", "alpha", -0.1},
    {"hht", "alpha", -1.0 / 3},
    {"newmark", NULL, 0},
};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* Errors of a channel at t against the exact value with steps h, h/2, h/4, for every scheme: second order
   within the next term of the expansion, and the extrapolated value within `tol`. */
static void all_schemes(const char *yaml, const char *channel, double t, double h, double exact, double tol)
{
    for (int s = 0; s < SCHEMES; s++) {
        double y[3];
        kit k;
        kit_text(&k, yaml);
        kit_scheme(&k, schemes[s].name, schemes[s].setting, schemes[s].x);
        k.o.tolerance = 1e-12;
        for (int i = 0; i < 3; i++) {
            k.o.step = h / (1 << i);
            y[i] = kit_value(&k, channel, t);
        }
        double order = order_of(y[1] - exact, y[2] - exact), left = richardson(y[1], y[2], 2) - exact;
        print_message("  %-17s %5.2f  %s: error %.2e, order %.3f, extrapolated %.1e\n", schemes[s].name,
                      schemes[s].x, channel, y[2] - exact, order, left);
        kit_within("order of convergence", order, 1.9, 2.1);
        kit_near("extrapolated value", left, 0, tol);
        kit_close(&k);
    }
}

/* tau z' + z = gain u, z(0) = 0.25, u = 1: z = 2 + (0.25 - 2) exp(-t/tau). Error of the trapezoidal rule
   t/tau (h/tau)^2/12 exp(-t/tau) = 2e-5 at the finest step; the next term is (h/tau) or (h/tau)^2 of it. */
static void test_lag_step(void **state)
{
    (void)state;
    all_schemes("sinew: 1\n"
                "nodes: {z: {state: 0.25}}\n"
                "elements: {filter: {lag: z.z, tau: 0.2, gain: 2, input: 1}}\n"
                "sensors: {z: {position: z}}\n"
                "run: {end: 0.5, step: 10 ms}\n",
                "z.z", 0.5, 0.01, 2 - 1.75 * exp(-2.5), 1e-6);
}

/* u = sin(W t), z(0) = 0: z = (sin(W t) - tau W cos(W t) + tau W exp(-t/tau))/(1 + (tau W)^2). */
static void test_lag_sine(void **state)
{
    double tau = 0.2, W = 2 * pi * 1.5, t = 0.8, r = tau * W;
    (void)state;
    all_schemes("sinew: 1\n"
                "nodes: {z: {state: 0}}\n"
                "elements: {filter: {lag: z.z, tau: 0.2 s, input: u}}\n"
                "signals: {u: {sine: 1, frequency: 1.5 Hz}}\n"
                "sensors: {z: {position: z}}\n"
                "run: {end: 1, step: 10 ms}\n",
                "z.z", t, 0.008, (sin(W * t) - r * cos(W * t) + r * exp(-t / tau)) / (1 + r * r), 1e-6);
}

/* Two lags in a row behind a step: z2 = 1 - (1 + t/tau) exp(-t/tau). The rate at the start is consistent. */
static void test_lag_chain(void **state)
{
    const char *yaml =
        "sinew: 1\n"
        "nodes: {z1: {state: 0}, z2: {state: 0}}\n"
        "elements: {one: {lag: z1.z, tau: 0.2, input: 1}, two: {lag: [z2.z, z1.z], tau: 0.2}}\n"
        "sensors: {z1: {position: z1}, z2: {position: z2}, v1: {velocity: z1}}\n"
        "run: {end: 0.5, step: 10 ms}\n";
    double v;
    kit k;
    (void)state;
    all_schemes(yaml, "z2.z", 0.3, 0.01, 1 - 2.5 * exp(-1.5), 2e-6);
    kit_text(&k, yaml);
    kit_points(&k, 1, (const char *const[]){"v1.z"}, (const double[]){0}, &v);
    kit_near("rate at the start", v, 5, 1e-12);
    kit_close(&k);
}

/* Two springs in series, no mass between them, on a line: omega^2 = k1 k2/(k1 + k2)/m; released at rest 0.1 m
   from the free length, the middle node goes with k2/(k1 + k2) of it, from the very start (where its row
   decides). */
static void test_series(void **state)
{
    const char *yaml =
        "sinew: 1\n"
        "nodes: {a: [1, 0], b: {at: [2, 0], displacement: [0.1, 0]}}\n"
        "elements:\n"
        "  s1: {spring2d: [ground, a], k: 300}\n"
        "  s2: {spring2d: [a, b], k: 500}\n"
        "  body: {mass2d: b, mass: 1.2}\n"
        "joints: {ga: {fixed: a, only: y}, gb: {fixed: b, only: y}}\n"
        "sensors: {a: {displacement: a}, b: {displacement: b}, pull: {force: s1}, va: {velocity: a}}\n"
        "run: {end: 1, step: 1 ms}\n";
    double k12 = 300. * 500 / 800, w = sqrt(k12 / 1.2), t = 1, x = 0.1 * cos(w * t), y;
    kit k;
    (void)state;
    /* phase error w t (w h)^2/12 at the finest step 0.25 ms: 1e-5; what is left after extrapolation is (w h)
     * of it */
    all_schemes(yaml, "b.x", t, 0.001, x, 1e-7);
    all_schemes(yaml, "a.x", t, 0.001, x * 500 / 800, 1e-7);
    kit_text(&k, yaml);
    kit_points(&k, 1, (const char *const[]){"a.x"}, (const double[]){0}, &y);
    kit_near("middle node at the start", y, 0.0625, 1e-13);
    kit_close(&k);
}

/* The same by natural frequencies: one mode only, the massless coordinate takes no part of its own. */
static sn_status keep_omega(void *ctx, int i, const sn_mode *mode, const sn_frame *f, sn_err *err)
{
    (void)f, (void)err;
    if (i == 0) *(double *)ctx = kit_omega(mode);
    return SN_OK;
}

static void test_series_modes(void **state)
{
    double omega = 0;
    int found;
    kit k;
    (void)state;
    kit_text(&k, "sinew: 1\n"
                 "nodes: {a: [1, 0], b: [2, 0]}\n"
                 "elements:\n"
                 "  s1: {spring2d: [ground, a], k: 300}\n"
                 "  s2: {spring2d: [a, b], k: 500}\n"
                 "  body: {mass2d: b, mass: 1.2}\n"
                 "joints: {ga: {fixed: a, only: y}, gb: {fixed: b, only: y}}\n");
    sn_mode_options o = sn_mode_options_default(k.m, k.p);
    o.mode = keep_omega, o.ctx = &omega;
    kit_good(&k, sn_modes(k.m, k.p, &o, &found, &k.err));
    assert_int_equal(found, 1);
    kit_near("omega", omega, sqrt(300. * 500 / 800 / 1.2), 1e-9 * omega);
    kit_close(&k);
}

/* A mass held by a spring and a damper in a row (Maxwell): v'' + (k/c) v' + (k/m) v = 0, v(0) = 1, v'(0) = 0;
   the position is its integral, from the integrated equation. */
static void test_maxwell(void **state)
{
    double k = 200, c = 15, m = 1.5, t = 0.6, s = k / (2 * c), w = sqrt(k / m - s * s), E = exp(-s * t);
    double v = E * (cos(w * t) + s / w * sin(w * t)), dv = -E * (s * s + w * w) / w * sin(w * t);
    /* integral of the equation: v' + (k/c) v + (k/m) x = (k/c) */
    double x = (k / c * (1 - v) - dv) * m / k;
    const char *yaml = "sinew: 1\n"
                       "nodes: {a: [1, 0], b: {at: [2, 0], velocity: [1, 0]}}\n"
                       "elements:\n"
                       "  damper: {spring2d: [ground, a], c: 15}\n"
                       "  spring: {spring2d: [a, b], k: 200}\n"
                       "  body: {mass2d: b, mass: 1.5}\n"
                       "joints: {ga: {fixed: a, only: y}, gb: {fixed: b, only: y}}\n"
                       "sensors: {b: {displacement: b}, v: {velocity: b}}\n"
                       "run: {end: 1, step: 1 ms}\n";
    (void)state;
    all_schemes(yaml, "b.x", t, 0.004, x, 1e-7);
    all_schemes(yaml, "v.x", t, 0.004, v, 1e-6);
}

/* A node without mass on a spring and a damper side by side, pushed by a force: c x' + k x = F,
   x = F/k (1 - exp(-k t/c)). */
static void test_kelvin(void **state)
{
    double k = 100, c = 20, F = 3, t = 0.5;
    (void)state;
    all_schemes("sinew: 1\n"
                "nodes: {a: [1, 0]}\n"
                "elements: {leg: {spring2d: [ground, a], k: 100, c: 20}, push: {force2d: a, force: [3, 0]}}\n"
                "joints: {ga: {fixed: a, only: y}}\n"
                "sensors: {a: {displacement: a}}\n"
                "run: {end: 1, step: 10 ms}\n",
                "a.x", t, 0.01, F / k * (1 - exp(-k * t / c)), 1e-6);
}

/* A mass on a spring (and a damper beside it) that hangs on a link without mass: the node between them has
   one equation, and its own row for the direction across the link, which keeps link and spring in one line.
   So this is a pendulum on a spring of the free length of both. The start is given with the node off the
   line, in a slanting position, and finds the line. Both models then solve the same equations but for the
   coordinates: Newton's tolerance, 1e-10 here, over 300 steps. */
static void test_link_and_spring(void **state)
{
    static const char *const model[] = {"sinew: 1\n"
                                        "gravity: [0, -9.81]\n"
                                        "parameters: {c: 0, bx: 1.3, by: -1.5}\n"
                                        "nodes: {a: [0.6, -0.8], b: {at: [bx, by], velocity: [0.2, 0.4]}}\n"
                                        "elements:\n"
                                        "  spring: {spring2d: [a, b], k: 500, l0: 0.95, c: c}\n"
                                        "  body: {mass2d: b, mass: 1.2}\n"
                                        "joints: {link: {distance: [ground, a]}}\n"
                                        "sensors: {a: {position: a}, b: {position: b}, v: {velocity: b}}\n"
                                        "run: {end: 0.3, step: 1 ms, tolerance: 1e-10}\n",
                                        "sinew: 1\n"
                                        "gravity: [0, -9.81]\n"
                                        "parameters: {c: 0, bx: 1.3, by: -1.5}\n"
                                        "nodes: {b: {at: [bx, by], velocity: [0.2, 0.4]}}\n"
                                        "elements:\n"
                                        "  spring: {spring2d: [ground, b], k: 500, l0: 1.95, c: c}\n"
                                        "  body: {mass2d: b, mass: 1.2}\n"
                                        "sensors: {a: {position: b}, b: {position: b}, v: {velocity: b}}\n"
                                        "run: {end: 0.3, step: 1 ms, tolerance: 1e-10}\n"};
    static const char *const out[] = {"b.x", "b.y", "v.x", "v.y", "a.x", "a.y"};
    static const double t[] = {0.3, 0.3, 0.3, 0.3, 0, 0};
    double y[2][6];
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        double bx = damped ? 1.2 : 1.3, by = damped ? -1.6 : -1.5, length = hypot(bx, by);
        for (int i = 0; i < 2; i++) {
            kit k;
            kit_text(&k, model[i]);
            kit_set(&k, "c", damped ? 3 : 0);
            kit_set(&k, "bx", bx);
            kit_set(&k, "by", by);
            kit_update(&k);
            kit_points(&k, 6, out, t, y[i]);
            kit_close(&k);
        }
        print_message("  damped %d: differences %.1e %.1e, node off the line by %.1e\n", damped,
                      y[0][0] - y[1][0], y[0][1] - y[1][1],
                      hypot(y[0][4] - bx / length, y[0][5] - by / length));
        kit_near("node at the start, x", y[0][4], bx / length, 1e-10);
        kit_near("node at the start, y", y[0][5], by / length, 1e-10);
        for (int i = 0; i < 4; i++) kit_near(out[i], y[0][i], y[1][i], 1e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lag_step),     cmocka_unit_test(test_lag_sine),
        cmocka_unit_test(test_lag_chain),    cmocka_unit_test(test_series),
        cmocka_unit_test(test_series_modes), cmocka_unit_test(test_maxwell),
        cmocka_unit_test(test_kelvin),       cmocka_unit_test(test_link_and_spring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
