/* Accelerometers and gyroscopes against closed forms: at rest, in free fall, on an arm that turns, mounted
   askew, in a field that shakes; derivatives of runs by gravity, mounting and bias against differences. */
#include "identify_kit.h"

static const double g = 9.81, pi = 3.14159265358979323846;

/* All channels of a model at a time. */
static int channels_at(const char *text, double t, double *y, sn_model **model)
{
    sn_model *m;
    sn_values *p;
    sn_info info;
    sn_err err;
    sn_err_clear(&err);
    kit_put("m.yaml", text);
    kit_tell(&err, sn_model_read(kit_path("m.yaml"), &m, &err));
    kit_tell(&err, sn_values_new(m, &p, &err));
    kit_tell(&err, sn_values_update(p, &err));
    sn_run_options o = sn_run_options_default(m, p);
    kit_tell(&err, sn_sample(m, p, &o, &(sn_samples){1, &t, y, NULL}, &info, &err));
    int n = sn_channel_count(m);
    sn_values_free(p);
    if (model)
        *model = m;
    else
        sn_model_free(m);
    return n;
}

static void compare(const char *what, const double *y, const double *want, int n, double tol)
{
    for (int i = 0; i < n; i++) {
        char name[80];
        snprintf(name, sizeof name, "%s, component %d", what, i);
        kit_is(name, y[i], want[i], tol);
    }
}

/* Rounding times g. */
static const double rounding = 1e-9;

static void test_rest(void **state)
{
    (void)state;
    double y[20];
    /* upright, upside down by the mounting, of a point, and with a bias */
    channels_at("sinew: 1\ngravity: [0, -9.81]\nnodes: {b: {frame2d: [0, 0]}, p: {point2d: [1, 0]}}\n"
                "elements: {m: {mass2d: b, mass: 1, inertia: 1}, n: {mass2d: p, mass: 1}}\njoints: {f: "
                "{fixed: b}, h: {fixed: p}}\n"
                "sensors:\n  a: {accelerometer: b}\n  u: {accelerometer: b, mounting: [0, 0, 30 deg], bias: "
                "[0.1, 0.2, 7]}\n"
                "  p: {accelerometer: p, mounting: [0, 0, 180 deg]}\n  r: {gyroscope: b, bias: [5, 6, "
                "0.3]}\nrun: {end: 1 s, step: 0.1 s}\n",
                0.5, y, NULL);
    const double want[] = {0, g, 0.1 + g * 0.5, 0.2 + g * cos(pi / 6), 0, -g, 0.3};
    compare("at rest", y, want, 7, rounding);
}

static void test_fall(void **state)
{
    (void)state;
    double y[20];
    /* a free body that tumbles about its centre: nothing in the centre, whatever it does */
    channels_at(
        "sinew: 1\ngravity: [0, 0, -9.81]\n"
        "nodes: {b: {frame3d: [0, 0, 1], velocity: [1, 2, 3], spin: [1, 2, 3]}}\n"
        "elements: {m: {mass3d: b, mass: 2, inertia: [1, 2, 3]}}\n"
        "sensors: {a: {accelerometer: b, mounting: [0.1, 0.2, 0.3]}}\nrun: {end: 0.5 s, step: 1 ms}\n",
        0.4, y, NULL);
    const double want[] = {0, 0, 0};
    compare("free fall", y, want, 3, 1e-7);
}

/* An arm that turns by w t: a point at r from the axis feels -w^2 r along the arm and, in the plane, gravity
   that turns the other way. */
static void test_arm(void **state)
{
    (void)state;
    double y[20], t = 0.3, w = 2, th = w * t;
    channels_at("sinew: 1\ngravity: [0, -9.81]\nnodes: {b: {frame2d: [0, 0], spin: 2}}\n"
                "elements: {m: {mass2d: b, mass: 1, inertia: 1}}\n"
                "joints: {pin: {fixed: b, only: [x, y]}, turn: {drive: b.theta, value: 2 rad/s*t}}\n"
                "sensors: {a: {accelerometer: b, offset: [0.5, 0]}, r: {gyroscope: b}, s: {gyroscope: b, "
                "mounting: [60 deg, 0, 0]}}\n"
                "run: {end: 1 s, step: 1 ms}\n",
                t, y, NULL);
    const double want[] = {-w * w * 0.5 + g * sin(th), g * cos(th), w, w * 0.5};
    compare("arm in the plane", y, want, 4, 1e-6); /* the scheme's accelerations: order h^2 */
    /* in space about z, gravity along z; instrument turned by 90 deg about z: its x is the arm's y */
    channels_at("sinew: 1\ngravity: [0, 0, -9.81]\nnodes: {b: {frame3d: [0, 0, 0], spin: [0, 0, 2]}}\n"
                "elements: {m: {mass3d: b, mass: 1, inertia: [1, 1, 1]}}\n"
                "joints: {pin: {revolute: [ground, b], axis: [0, 0, 1]}}\n"
                "sensors: {a: {accelerometer: b, offset: [0.5, 0, 0], mounting: [0, 0, 90 deg]}, r: "
                "{gyroscope: b, mounting: [0, 90 deg, 0], bias: [0, 0, 0.1]}}\n"
                "run: {end: 1 s, step: 1 ms}\n",
                t, y, NULL);
    /* a: arm's x is minus the instrument's y; r: exp(90 deg y) maps x to -z, so that x reads -z of the body
     */
    const double space[] = {0, w * w * 0.5, g, -w, 0, 0.1};
    compare("arm in space", y, space, 6, 1e-6);
}

/* A field that varies: what is fixed feels it, what is free does not. */
static void test_field(void **state)
{
    (void)state;
    double y[20], t = 0.37;
    channels_at("sinew: 1\ngravity: ['3 m/s^2*sin(5 rad/s*t)', -9.81]\nnodes: {b: {point2d: [0, 0]}, c: "
                "{point2d: [1, 0]}}\n"
                "elements: {m: {mass2d: b, mass: 1}, n: {mass2d: c, mass: 1}}\njoints: {f: {fixed: b}}\n"
                "sensors: {a: {accelerometer: b}, f: {accelerometer: c}}\nrun: {end: 1 s, step: 1 ms}\n",
                t, y, NULL);
    const double want[] = {-3 * sin(5 * t), g, 0, 0};
    compare("varying field", y, want, 4, 1e-6);
}

/* Exact derivatives against differences, of a double pendulum in space by gravity and the numbers of the
   instruments. */
static void test_derivatives(void **state)
{
    (void)state;
    static const char *const names[] = {"gravity.x", "gravity.z",  "a.mounting.x", "a.mounting.y",
                                        "a.bias.z",  "a.offset.2", "r.mounting.z"};
    enum { N = sizeof names / sizeof *names, Y = 6 };
    sn_model *m;
    sn_values *p;
    sn_info info;
    sn_err err;
    double t = 0.4, y[Y], up[Y], down[Y], dy[Y * N];
    sn_err_clear(&err);
    kit_put("m.yaml",
            "sinew: 1\ngravity: [0.3, 0.2, -9.81]\nnodes: {b: {frame3d: [0, 0, 0], spin: [0.3, 1, 0.2]}}\n"
            "elements: {m: {mass3d: b, mass: 1, com: [0.4, 0, 0], inertia: [0.2, 0.3, 0.1]}}\n"
            "joints: {pin: {spherical: [ground, b]}}\n"
            "sensors: {a: {accelerometer: b, offset: [0.5, 0.1, 0.2], mounting: [0.4, -0.2, 0.3], bias: "
            "[0.1, 0, 0]}, r: {gyroscope: b, mounting: [0.1, 0.7, 0.2]}}\n"
            "run: {end: 1 s, step: 2 ms}\n");
    kit_tell(&err, sn_model_read(kit_path("m.yaml"), &m, &err));
    assert_int_equal(sn_channel_count(m), Y);
    kit_tell(&err, sn_values_new(m, &p, &err));
    kit_tell(&err, sn_values_update(p, &err));
    sn_run_options o = sn_run_options_default(m, p);
    o.wrt = names, o.n_wrt = N;
    kit_tell(&err, sn_sample(m, p, &o, &(sn_samples){1, &t, y, dy}, &info, &err));
    o.n_wrt = 0, o.exact = 1;
    for (int k = 0; k < N; k++) {
        double h = 1e-5, x = k == 0   ? 0.3
                             : k == 1 ? -9.81
                             : k == 2 ? 0.4
                             : k == 3 ? -0.2
                             : k == 4 ? 0
                             : k == 5 ? 0.1
                                      : 0.2;
        for (int side = 0; side < 2; side++) {
            kit_tell(&err, sn_values_set_number(p, names[k], x + (side ? -h : h), &err));
            kit_tell(&err, sn_values_update(p, &err));
            kit_tell(&err, sn_sample(m, p, &o, &(sn_samples){1, &t, side ? down : up, NULL}, &info, &err));
        }
        kit_tell(&err, sn_values_set_number(p, names[k], x, &err));
        kit_tell(&err, sn_values_update(p, &err));
        for (int i = 0; i < Y; i++) /* differences: h^2 and rounding over h */
            kit_is(names[k], dy[i * N + k], (up[i] - down[i]) / (2 * h), 1e-6);
    }
    sn_values_free(p), sn_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),  cmocka_unit_test(test_fall),        cmocka_unit_test(test_arm),
        cmocka_unit_test(test_field), cmocka_unit_test(test_derivatives),
    };
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
