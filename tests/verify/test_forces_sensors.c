/* A force is found from whatever was measured of its effect, by itself and beside faults of the instruments,
   parameters and known loads.

   A cantilever of four beams under gravity, loaded across at its tip; the truth is a cubic B-spline of eight
   values, which the history that is sought has as well, without smoothing, and the data have no noise: the
   minimum is the truth. What remains is what the search leaves: its cost changes by less than 1e-9 of itself,
   and the noise is stated as a thousandth of the signals, so that the force is off by no more than about 1e-5
   of its size where its worst direction is seen a thousand times worse than its best. */
#include "identify_kit.h"

#include <math.h>

static const double truth[8] = {0, 2, 5, -3, -6, 1, 4, 2};

static const char bar_text[] =
    "sinew: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {E: 2 GPa, heavy: 3 N}\n"
    "materials: {m: {E: E, rho: 1000 kg/m^3}}\n"
    "sections: {s: {rectangle: , width: 20 mm, height: 20 mm}}\n"
    "nodes: {a: [0, 0], b: [1, 0]}\n"
    "elements:\n"
    "  bar: {beam2d_cr: [a, b], material: m, section: s, elements: 4}\n"
    "  pull: {force2d: b, force: [heavy, 0]}\n"
    "  push: {force2d: b, force: [0, f*1 N]}\n"
    "joints: {clamp: {fixed: a}}\n"
    "signals: {f: {spline: [0, 2, 5, -3, -6, 1, 4, 2], begin: 0, end: 1, degree: cubic}}\n"
    "sensors:\n"
    "  acc: {acceleration: b}\n"
    "  speed: {velocity: b}\n"
    "  place: {position: b}\n"
    "  turn: {rotation: b}\n"
    "  gyro: {gyroscope: b}\n"
    "  feel: {accelerometer: b}\n"
    "  bend: {strain: bar, piece: 1}\n"
    "  hold: {reaction: clamp}\n"
    "run: {end: 1 s, step: 5 ms}\n";

static int begin(void **state)
{
    if (kit_begin(state)) return -1;
    kit_put("bar.yaml", bar_text);
    return 0;
}

/* noise: of each channel, "acc.y: 0.01 m/s^2" */
static kit_fit solve(const char *channels, const char *noise, const char *more)
{
    char text[1200];
    kit_measure("data.csv", &(kit_data){.model = "bar.yaml", .channels = channels, .end = 1, .dt = 0.005});
    snprintf(text, sizeof text, "study: 1\nmodel: bar.yaml\ndata: data.csv\nnoise: {%s}\n%s", noise, more);
    kit_fit r = kit_solve(text);
    kit_converged(&r);
    return r;
}

static void must_be_truth(const kit_fit *r, const char *name, double tol)
{
    for (int i = 0; i < 8; i++) {
        char one[80];
        snprintf(one, sizeof one, "%s.values.%d", name, i + 1);
        kit_is(one, kit_value_of(r, one), truth[i], tol * 6);
    }
}

static const char alone[] = "unknowns: {f: {history: {form: cubic, values: 8, smoothing: none}}}\n";

static void one(const char *channels, const char *noise)
{
    kit_fit r = solve(channels, noise, alone);
    must_be_truth(&r, "f", 1e-5);
    kit_drop(&r);
}

static void accelerations(void **state) { (void)state, one("acc.y", "acc.y: 0.01 m/s^2"); }
static void velocities(void **state) { (void)state, one("speed.y", "speed.y: 1 mm/s"); }
static void positions(void **state) { (void)state, one("place.y", "place.y: 0.1 mm"); }
static void rotations(void **state) { (void)state, one("turn.theta", "turn.theta: 1e-4"); }
static void rotation_rates(void **state) { (void)state, one("gyro.z", "gyro.z: 1e-3 rad/s"); }
static void strains(void **state) { (void)state, one("bend.kappa1", "bend.kappa1: 1e-3 1/m"); }
static void reactions(void **state) { (void)state, one("hold.torque", "hold.torque: 10 mN*m"); }
/* turns with the tip, and has gravity in it */
static void felt(void **state) { (void)state, one("feel.x feel.y", "feel.x: 0.1 m/s^2, feel.y: 0.1 m/s^2"); }

/* A known load beside it: as it is pulled the bar is stiffer; without that load the force is another. */
static void known_load(void **state)
{
    (void)state;
    kit_fit r = solve("acc.y place.y", "acc.y: 0.1 m/s^2, place.y: 0.1 mm", alone);
    must_be_truth(&r, "f", 1e-5);
    kit_drop(&r);
    char text[400];
    snprintf(text, sizeof text, "set: {heavy: 300 N}\n%s", alone);
    r = solve("place.y", "place.y: 0.1 mm", text);
    double off = 0;
    for (int i = 0; i < 8; i++) {
        char name[40];
        snprintf(name, sizeof name, "f.values.%d", i + 1);
        off = fmax(off, fabs(kit_value_of(&r, name) - truth[i]));
    }
    assert_true(off > 0.1);
    kit_drop(&r);
}

/* A stiffness, and two unknown forces at once: what two sensors see. */
static void parameter(void **state)
{
    (void)state;
    kit_fit r = solve("acc.y place.y hold.torque", "acc.y: 0.1 m/s^2, place.y: 0.1 mm, hold.torque: 10 mN*m",
                      "unknowns:\n  E: {start: 2.02 GPa}\n"
                      "  f: {history: {form: cubic, values: 8, smoothing: none}}\n");
    kit_is("E", kit_value_of(&r, "E"), 2e9, 1e-5 * 2e9);
    must_be_truth(&r, "f", 1e-5);
    kit_drop(&r);
}

static void two_forces(void **state)
{
    (void)state;
    kit_fit r = solve("acc.x acc.y place.y", "acc.x: 0.1 m/s^2, acc.y: 0.1 m/s^2, place.y: 0.1 mm",
                      "unknowns:\n  pull.force.x: {history: {form: linear, values: 3, smoothing: none}}\n"
                      "  f: {history: {form: cubic, values: 8, smoothing: none}}\n");
    /* the model's own pull is a constant, which a straight line can be */
    for (int i = 1; i <= 3; i++) {
        char name[60];
        snprintf(name, sizeof name, "pull.force.x.values.%d", i);
        kit_is(name, kit_value_of(&r, name), 3, 1e-4 * 6);
    }
    assert_string_equal(r.e->history[0].unit, "N");
    must_be_truth(&r, "f", 1e-4);
    kit_drop(&r);
}

/* Instruments with faults: the clean data are read with an offset, a drift, a gain, a turned axis that are
   sought as well, and are found not to be there. Two channels without faults hold the force. */
static void instruments(void **state)
{
    (void)state;
    kit_fit r = solve("acc.y place.y feel.x feel.y",
                      "acc.y: 0.1 m/s^2, place.y: 0.1 mm, feel.x: 0.1 m/s^2, feel.y: 0.1 m/s^2",
                      "instruments:\n"
                      "  acc.y: {offset: unknown, drift: unknown, gain: unknown}\n"
                      "  feel: {angle: unknown}\n"
                      "unknowns: {f: {history: {form: cubic, values: 8, smoothing: none}}}\n");
    kit_is("offset", kit_value_of(&r, "acc.y.offset"), 0, 1e-4);
    kit_is("drift", kit_value_of(&r, "acc.y.drift"), 0, 1e-4);
    kit_is("gain", kit_value_of(&r, "acc.y.gain"), 1, 1e-5);
    kit_is("angle", kit_value_of(&r, "feel.angle"), 0, 1e-5);
    must_be_truth(&r, "f", 1e-5);
    kit_drop(&r);
}

/* Where a history begins, at 0, a mass on a spring hangs still, and the gain of its accelerometer does
   nothing but multiply rounding: that alone says which way it should go, by any factor. It has to wait for
   the force. */
static void nothing_yet(void **state)
{
    static const char *const methods[] = {"", "method: kalman\n"};
    char text[600];
    (void)state;
    kit_put("hung.yaml", "sinew: 1\n"
                         "gravity: [0, -9.81]\n"
                         "nodes: {top: {point2d: [0, 1]}, b: {point2d: [0, 0]}}\n"
                         "elements:\n"
                         "  bob: {mass2d: b, mass: 2 kg}\n"
                         "  spring: {spring2d: [top, b], k: 300 N/m, c: 1 N*s/m, l0: 1 m}\n"
                         "  push: {force2d: b, force: [0, f*1 N]}\n"
                         "joints: {wall: {fixed: top}, rail: {fixed: b, only: x}}\n"
                         "signals: {f: {expression: 3*sin(5*t)}}\n"
                         "sensors: {acc: {acceleration: b}, at: {position: b}}\n"
                         "run: {end: 2 s, step: 10 ms, start: static}\n");
    kit_measure(
        "data.csv",
        &(kit_data){
            .model = "hung.yaml", .channels = "acc.y at.y", .end = 2, .dt = 0.01, .sigma = 0.001, .seed = 3});
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text,
                 "study: 1\nmodel: hung.yaml\ndata: data.csv\n%s"
                 "instruments: {acc.y: {gain: {start: 1, scale: linear}}}\n"
                 "unknowns: {f: {history: {form: cubic, values: 23}}}\n",
                 methods[k]);
        kit_fit r = kit_solve(text);
        kit_is("gain", kit_value_of(&r, "acc.y.gain"), 1, 4 * kit_error_of(&r, "acc.y.gain"));
        assert_true(kit_error_of(&r, "acc.y.gain") < 0.01);
        kit_drop(&r);
    }
}

/* The offset of the only accelerometer of a free mass, and a constant force: a = (f + m offset)/m. */
static void not_separable(void **state)
{
    (void)state;
    kit_put("free.yaml", "sinew: 1\n"
                         "nodes: {b: {point2d: [0, 0]}}\n"
                         "elements: {bob: {mass2d: b, mass: 2 kg}, push: {force2d: b, force: [f*1 N, 0]}}\n"
                         "signals: {f: {expression: 3*sin(5*t)}}\n"
                         "sensors: {acc: {acceleration: b}, at: {position: b}}\n"
                         "run: {end: 2 s, step: 10 ms}\n");
    static const char study[] = "study: 1\nmodel: free.yaml\ndata: data.csv\n%s"
                                "instruments: {acc.x: {offset: unknown}}\n"
                                "unknowns: {f: {history: {form: cubic, values: 23}}}\n";
    char text[400];
    kit_data d = {.model = "free.yaml", .channels = "acc.x", .end = 2, .dt = 0.01, .sigma = 0.05, .seed = 3};
    kit_measure("data.csv", &d);
    snprintf(text, sizeof text, study, "");
    kit_fit r = kit_solve(text);
    kit_must_say(&r, "acc.x.offset and the history of f can hardly be told apart");
    kit_drop(&r);
    /* positions know nothing of the offset: then it is told */
    d.channels = "acc.x at.x";
    kit_measure("data.csv", &d);
    snprintf(text, sizeof text, study, "noise: {acc.x: 0.05 m/s^2, at.x: 0.05 m}\n");
    r = kit_solve(text);
    assert_false(kit_says(&r, "can hardly be told apart"));
    kit_is("offset", kit_value_of(&r, "acc.x.offset"), 0, 4 * kit_error_of(&r, "acc.x.offset"));
    kit_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations), cmocka_unit_test(velocities),     cmocka_unit_test(positions),
        cmocka_unit_test(rotations),     cmocka_unit_test(rotation_rates), cmocka_unit_test(strains),
        cmocka_unit_test(reactions),     cmocka_unit_test(felt),           cmocka_unit_test(known_load),
        cmocka_unit_test(parameter),     cmocka_unit_test(two_forces),     cmocka_unit_test(instruments),
        cmocka_unit_test(nothing_yet),   cmocka_unit_test(not_separable),
    };
    return cmocka_run_group_tests(tests, begin, kit_end);
}
