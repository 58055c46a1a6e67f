/* `include`: a part with a prefix, a placement and parameters of its own moves as the same part written by
   hand, its vectors turned and its positions moved in this file by plain arithmetic. Both are the same
   equations but for rounding (1e-15), magnified by the motion of half a second and 500 Newton solutions to
   1e-13: 1e-10 is asked for. */
#include "verify/kit.h"

#define FOLDER "tests/verify/data/include/"

static const double pi = 3.14159265358979323846;

typedef struct place {
    double x, y, angle;
} place;

/* "[x, y]" of a vector turned, and of a position moved as well; a ring of buffers, enough for one model. */
static const char *vector(place p, double x, double y, int moved)
{
    static char ring[64][80];
    static int next;
    char *out = ring[next++ % 64];
    double c = cos(p.angle), s = sin(p.angle);
    snprintf(out, 80, "[%.17g, %.17g]", c * x - s * y + (moved ? p.x : 0), s * x + c * y + (moved ? p.y : 0));
    return out;
}

#define AT(x, y)    vector(p, x, y, 1)
#define ALONG(x, y) vector(p, x, y, 0)

/* leg.yaml by hand, with stiffness k and mass m, at a place. */
static void leg(place p, double k, double m, char *out, size_t size)
{
    snprintf(out, size,
             "sinew: 1\n"
             "gravity: [0, -9.81]\n"
             "nodes:\n"
             "  base: %s\n"
             "  cart: {at: %s, velocity: %s}\n"
             "  bob: {at: %s, velocity: %s, spin: 1.5}\n"
             "elements:\n"
             "  body: {mass2d: cart, mass: %g, inertia: 0.1}\n"
             "  tip: {mass2d: bob, mass: %g, inertia: 0.02, com: %s}\n"
             "  spring: {spring2d: [base, cart], k: %g, l0: 0.35}\n"
             "  push: {force2d: cart, force: %s, torque: 0.2}\n"
             "  jet: {force2d: bob, force: %s, point: %s, follower: yes}\n"
             "joints:\n"
             "  foot: {fixed: base}\n"
             "  rail: {prismatic2d: [base, cart], axis: %s, at: %s}\n"
             "  pin: {revolute2d: [cart, bob], at: %s}\n"
             "sensors:\n"
             "  cart: {position: cart}\n"
             "  bob: {position: bob, offset: %s}\n"
             "  rate: {velocity: bob}\n"
             "  pin: {reaction: pin}\n"
             "run: {end: 0.5, step: 1 ms}\n",
             AT(0.1, 0.2), AT(0.5, 0.2), ALONG(0.3, 0.075), AT(0.5, -0.2), ALONG(0.9, 0.075), m, m / 4,
             ALONG(0.05, 0.03), k, ALONG(3, 1), ALONG(0.5, 0.3), ALONG(0.02, -0.01), ALONG(1, 0.25),
             AT(0.5, 0.2), AT(0.5, 0.2), ALONG(0.1, -0.05));
}

enum { CHANNELS = 12 };
static const char *const channel[CHANNELS] = {"cart.x",     "cart.y",    "cart.theta", "bob.x",
                                              "bob.y",      "bob.theta", "rate.x",     "rate.y",
                                              "rate.theta", "pin.fx",    "pin.fy",     "rate.x"};

/* All channels at 0.5 s (the last one at the start), with a prefix. */
static void measure(kit *k, const char *prefix, double *y)
{
    static char name[CHANNELS][64];
    const char *out[CHANNELS];
    double t[CHANNELS];
    for (int i = 0; i < CHANNELS; i++) {
        snprintf(name[i], sizeof name[i], "%s%s", prefix, channel[i]);
        out[i] = name[i], t[i] = i == CHANNELS - 1 ? 0 : 0.5;
    }
    k->o.tolerance = 1e-12;
    kit_points(k, CHANNELS, out, t, y);
}

static void same(const char *file, const char *prefix, place p, double stiffness, double mass)
{
    double y[CHANNELS], z[CHANNELS], worst = 0;
    char text[3000];
    kit k;
    kit_file(&k, file);
    measure(&k, prefix, y);
    kit_near("change of the velocities at the start", k.info.projection_v, 0, 1e-12);
    kit_close(&k);
    leg(p, stiffness, mass, text, sizeof text);
    kit_text(&k, text);
    measure(&k, "", z);
    kit_close(&k);
    for (int i = 0; i < CHANNELS; i++) {
        worst = fmax(worst, fabs(y[i] - z[i]));
        /* forces, of 30 N, are of the second derivative: h^-2 = 1e6 times rounding of the positions */
        kit_near(channel[i], y[i], z[i], i == 9 || i == 10 ? 1e-7 : 1e-10);
    }
    kit_near("velocity at the start", z[CHANNELS - 1], cos(p.angle) * 0.9 - sin(p.angle) * 0.075, 1e-13);
    print_message("  %s%s: largest difference %.1e\n", prefix[0] ? prefix : "(no prefix)", file, worst);
}

static void test_twice(void **state)
{
    (void)state;
    same(FOLDER "twice.yaml", "left_", (place){0.3, -0.1, 40 * pi / 180}, 100, 3);
    same(FOLDER "twice.yaml", "right_", (place){0, 0, 0}, 80, 2);
}

/* -30 degrees at (-0.5, 0.25), then the whole by 90 degrees to (1, 2). */
static void test_nested(void **state)
{
    (void)state;
    same(FOLDER "nested.yaml", "b_one_", (place){1 - 0.25, 2 - 0.5, 60 * pi / 180}, 120, 2);
}

/* The part runs by itself; inside a model its gravity and its run are not used. */
static void test_alone(void **state)
{
    kit k;
    (void)state;
    kit_file(&k, FOLDER "parts/leg.yaml");
    kit_near("end", k.o.end, 99, 0);
    kit_close(&k);
    kit_file(&k, FOLDER "twice.yaml");
    kit_near("end", k.o.end, 0.5, 0);
    assert_string_equal(sn_model_title(k.m), "The same part twice, from a folder below");
    kit_close(&k);
}

/* Numbers of a part are addressed with its prefix; parameters that `set` overrides follow those outside. */
static void test_numbers(void **state)
{
    double x;
    kit k;
    (void)state;
    kit_file(&k, FOLDER "twice.yaml");
    kit_set(&k, "k0", 70);
    kit_set(&k, "right_k", 33);
    kit_update(&k);
    kit_good(&k, sn_values_get(k.p, "left_spring.k", &x, &k.err));
    kit_near("stiffness on the left", x, 140, 0);
    kit_good(&k, sn_values_get(k.p, "right_spring.k", &x, &k.err));
    kit_near("stiffness on the right", x, 33, 0);
    kit_close(&k);
}

/* Reading fails: a report with this text, in this file and line. */
static void refused(const char *file, const char *text, const char *in, int line)
{
    char path[1024];
    sn_model *m = NULL;
    sn_err err;
    sn_err_clear(&err);
    snprintf(path, sizeof path, "%s/%s%s", SN_SOURCE_DIR, FOLDER, file);
    assert_int_not_equal(sn_model_read(path, &m, &err), SN_OK);
    assert_null(m);
    for (int i = 0; i < err.count && i < SN_ERR_MAX; i++) {
        const sn_report *r = &err.report[i];
        size_t n = strlen(r->file), tail = strlen(in);
        if (strstr(r->text, text) && r->line == line && r->col > 0 && n >= tail &&
            !strcmp(r->file + n - tail, in))
            return;
    }
    fail_msg("%s: no report '%s' at %s:%d; the first is '%s' at %s:%d", file, text, in, line,
             err.report[0].text, err.report[0].file, err.report[0].line);
}

static void test_errors(void **state)
{
    (void)state;
    refused("missing.yaml", "nowhere.yaml", "missing.yaml", 4);
    refused("cycle.yaml", "include itself?", ".yaml", 2);
    refused("duplicate.yaml", "node 'base' is already defined at ", "leg.yaml", 7);
    refused("duplicate.yaml", "joint 'rail' is already defined at ", "leg.yaml", 18);
    refused("badset.yaml", "the included file has no parameter 'K'", "badset.yaml", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twice),   cmocka_unit_test(test_nested), cmocka_unit_test(test_alone),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
