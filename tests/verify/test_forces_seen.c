/* Questions that data cannot answer: each is said by a verdict that names the unknown and what would help;
   and a question that they can answer raises none of them.

   Two masses on a spring, guided along x, and a third one that nothing connects with them. */
#include "identify_kit.h"

#include <math.h>

static const char masses_text[] =
    "sinew: 1\n"
    "nodes: {b: {point2d: [0, 0]}, d: {point2d: [1, 0]}, lone: {point2d: [5, 0]}}\n"
    "elements:\n"
    "  mb: {mass2d: b, mass: 2 kg}\n"
    "  md: {mass2d: d, mass: 1 kg}\n"
    "  ml: {mass2d: lone, mass: 1 kg}\n"
    "  s: {spring2d: [b, d], k: 80 N/m, c: 1.5 N*s/m, l0: 1 m}\n"
    "  push: {force2d: b, force: [fb*1 N, 0]}\n"
    "  pull: {force2d: b, force: [fp*1 N, 0]}\n"
    "  tug: {force2d: d, force: [fd*1 N, 0]}\n"
    "  knock: {force2d: lone, force: [fl*1 N, 0]}\n"
    "joints: {r1: {fixed: b, only: y}, r2: {fixed: d, only: y}, r3: {fixed: lone, only: y}}\n"
    "signals: {fb: {expression: 3*sin(w*t)}, fd: {constant: 0}, fl: {constant: 0}, fp: {constant: 0}}\n"
    "parameters: {w: 4}\n"
    "sensors: {ab: {acceleration: b}, ad: {acceleration: d}, xb: {position: b}, al: {acceleration: lone}}\n"
    "run: {end: 6 s, step: 10 ms}\n";

static const char *const words[] = {"no sensor feels",      "is not determined", "can hardly be told apart",
                                    "histories are sought", "is too slow",       "is not seen"};

static int begin(void **state)
{
    if (kit_begin(state)) return -1;
    kit_put("masses.yaml", masses_text);
    return 0;
}

/* The same is said of an estimate by filter and smoother, whose values are no unknowns. */
static const char *method = "";

static kit_fit solve(const char *channels, double dt, const char *set, const char *unknowns)
{
    char text[700];
    kit_measure("data.csv", &(kit_data){.model = "masses.yaml",
                                        .set = set,
                                        .channels = channels,
                                        .end = dt > 0.05 ? 6 : 2,
                                        .dt = dt,
                                        .sigma = 0.03,
                                        .seed = 5});
    snprintf(text, sizeof text, "study: 1\nmodel: masses.yaml\ndata: data.csv\n%sunknowns: {%s}\n", method,
             unknowns);
    return kit_solve(text);
}

#define CUBIC(name, n) name ": {history: {form: cubic, values: " n "}}"

static void well_posed(void **state)
{
    (void)state;
    kit_fit r = solve("ab.x ad.x", 0.01, NULL, CUBIC("fb", "23") ", " CUBIC("fd", "23"));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (kit_says(&r, words[i])) kit_must_say(&r, "nothing of the kind");
    assert_true(r.e->history[0].determined > 5);
    kit_drop(&r);
}

/* A force on what no sensor is connected with; the hint is the sensor that is. */
static void not_felt(void **state)
{
    (void)state;
    kit_fit r = solve("ab.x", 0.01, NULL, CUBIC("fl", "23"));
    kit_must_say(&r, "no sensor feels fl");
    kit_must_say(&r, "al.x would help most");
    assert_true(r.e->history[0].determined == 0);
    for (int i = 0; i < r.e->history[0].n; i++)
        assert_true(fabs(r.e->history[0].value[i]) < 1e-6 && r.e->history[0].std_error[i] > 10);
    kit_drop(&r);
    /* beside one that is felt, which is found as well as without it */
    r = solve("ab.x", 0.01, NULL, CUBIC("fb", "23") ", " CUBIC("fl", "23"));
    kit_must_say(&r, "no sensor feels fl");
    assert_false(kit_says(&r, "no sensor feels fb"));
    double worst = 0;
    for (int i = 0; i < r.e->history[0].n; i++)
        worst = fmax(worst, fabs(r.e->history[0].value[i] - 3 * sin(4 * r.e->history[0].t[i])));
    assert_true(worst < 0.5);
    kit_drop(&r);
}

/* Two forces, one channel. */
static void more_than_channels(void **state)
{
    (void)state;
    kit_fit r = solve("ab.x", 0.01, NULL, CUBIC("fb", "23") ", " CUBIC("fd", "23"));
    kit_must_say(&r, "2 histories are sought from 1 measured channel");
    kit_must_say(&r, "measure 1 channel more");
    kit_must_say(&r, "ad.x would help most");
    kit_drop(&r);
}

/* Two forces on the same node: their sum alone is seen. */
static void same_node(void **state)
{
    (void)state;
    kit_fit r = solve("ab.x ad.x", 0.01, NULL, CUBIC("fb", "23") ", " CUBIC("fp", "23"));
    kit_must_say(&r, "fb and fp can hardly be told apart");
    kit_must_say(&r, "the sensors see their sum");
    kit_drop(&r);
}

/* 3 sin(40 t), 6.4 Hz, sampled at 10 Hz, with a value for every sample: what is told is an alias. At 100 Hz
   it is seen. */
static void too_slow(void **state)
{
    (void)state;
    kit_fit r = solve("ab.x", 0.1, "w=40", CUBIC("fb", "23"));
    kit_must_say(&r, "the sampling, every 0.1 s, is too slow for fb");
    kit_must_say(&r, "sample faster");
    kit_drop(&r);
    r = solve("ab.x", 0.01, "w=40", CUBIC("fb", "103"));
    assert_false(kit_says(&r, "too slow"));
    kit_drop(&r);
}

/* The position of the other mass feels a force only by what it does to acceleration twice integrated, and
   behind the spring: its end has not arrived when the data end. */
static void end_not_seen(void **state)
{
    (void)state;
    kit_put("far.yaml", "sinew: 1\n"
                        "nodes: {b: {point2d: [0, 0]}, d: {point2d: [1, 0]}}\n"
                        "elements:\n"
                        "  mb: {mass2d: b, mass: 2 kg}\n"
                        "  md: {mass2d: d, mass: 1 kg}\n"
                        "  s: {spring2d: [b, d], k: 20 N/m, l0: 1 m}\n"
                        "  push: {force2d: b, force: [fb*1 N, 0]}\n"
                        "joints: {r1: {fixed: b, only: y}, r2: {fixed: d, only: y}}\n"
                        "signals: {fb: {expression: 30*sin(8*t)}}\n"
                        "sensors: {xd: {position: d}, ab: {acceleration: b}}\n"
                        "run: {end: 2 s, step: 10 ms}\n");
    kit_data d = {.model = "far.yaml", .channels = "xd.x", .end = 2, .dt = 0.01, .sigma = 0.02, .seed = 5};
    static const char text[] = "study: 1\nmodel: far.yaml\ndata: data.csv\n"
                               "unknowns: {fb: {history: {form: cubic, values: 43}}}\n";
    kit_measure("data.csv", &d);
    kit_fit r = kit_solve(text);
    kit_must_say(&r, "the end of fb is not determined, from 1.");
    kit_must_say(&r, "measure longer");
    kit_must_say(&r, "ab.x would help most");
    kit_drop(&r);
    d.channels = "ab.x";
    kit_measure("data.csv", &d);
    r = kit_solve(text);
    assert_false(kit_says(&r, "the end of fb"));
    kit_drop(&r);
}

static void by_filter(void **state)
{
    method = "method: kalman\n";
    well_posed(state), not_felt(state), more_than_channels(state), same_node(state);
    method = "";
}

/* Accelerometers on what a spring holds: a force that stays moves it once and is not felt any more. The band
   is wide, by the slow part of the force, and a sensor that would see this is told; signals are not compared
   with those of a model without the force, which hardly moves. With the position measured all is well. */
static void slow_part(void **state)
{
    static const char *const channels[] = {"ab.x", "ab.x xb.x"};
    (void)state;
    kit_put("held.yaml", "sinew: 1\n"
                         "nodes: {wall: {point2d: [0, 0]}, b: {point2d: [1, 0]}}\n"
                         "elements:\n"
                         "  mb: {mass2d: b, mass: 2 kg}\n"
                         "  s: {spring2d: [wall, b], k: 3000 N/m, c: 8 N*s/m, l0: 1 m}\n"
                         "  push: {force2d: b, force: [fb*1 N, 0]}\n"
                         "  hum: {force2d: b, force: [0.001*sin(90*t)*1 N, 0]}\n"
                         "joints: {r0: {fixed: wall}, r1: {fixed: b, only: y}}\n"
                         "signals: {fb: {expression: 6*sin(2*t)}}\n"
                         "sensors: {xb: {position: b}, ab: {acceleration: b}}\n"
                         "run: {end: 4 s, step: 5 ms, start: static}\n");
    for (int k = 0; k < 2; k++) {
        kit_data d = {
            .model = "held.yaml", .channels = channels[k], .end = 4, .dt = 0.02, .sigma = 0.005, .seed = 5};
        if (k) d.sigma = 1e-4;
        kit_measure("data.csv", &d);
        kit_fit r = kit_solve("study: 1\nmodel: held.yaml\ndata: data.csv\n"
                              "unknowns: {fb: {history: {form: cubic, values: 43}}}\n");
        if (!k) kit_must_say(&r, "its slow part, a constant and a straight line, while its changes are seen");
        if (!k) kit_must_say(&r, "of the model's other sensors xb.x would help most");
        assert_false(kit_says(&r, "times as much as the model's signal"));
        assert_false(k && (kit_says(&r, "its slow part") || kit_says(&r, "would help")));
        kit_drop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(well_posed), cmocka_unit_test(not_felt),  cmocka_unit_test(more_than_channels),
        cmocka_unit_test(same_node),  cmocka_unit_test(too_slow),  cmocka_unit_test(end_not_seen),
        cmocka_unit_test(by_filter),  cmocka_unit_test(slow_part),
    };
    return cmocka_run_group_tests(tests, begin, kit_end);
}
