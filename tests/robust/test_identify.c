/* Identification with allocations that fail, each in turn, from the study's file to the written report: every
   answer is "out of memory" with one report, or a result where the library can do without (a line of the
   record); nothing may stay behind. */
#include "identify_kit.h"

#include "base/mem.h"
#include "counted.h"

static sn_status identify(int resume, sn_err *err)
{
    sn_identify_info info;
    sn_err_clear(err);
    sn_identify_options o = {
        .folder = kit_path("fit"), .resume = resume, .json = 1, .threads = 1, .command = "test"};
    sn_status s = sn_identify(kit_path("study.yaml"), &o, &info, err);
    if (s && (info.json || info.summary)) fail_msg("texts of a failed identification");
    sn_release(info.json), sn_release(info.summary);
    return s;
}

/* Every stride-th allocation of a study. */
static void fail_each(const char *text, int resume, long stride, sn_status good)
{
    counter c = {0};
    const sn_allocator a = {counted, released, &c};
    static sn_err err;
    kit_put("study.yaml", text);
    sn_set_allocator(&a);
    sn_status s = identify(resume, &err);
    if (s != good) fail_msg("status %d: %s", s, err.count ? err.report[0].text : "no report");
    assert_int_equal(c.live, 0);
    long calls = c.calls;
    for (long k = 1; k <= calls; k += stride) {
        c = (counter){.fail = k};
        s = identify(resume, &err);
        if (s != SN_ERR_MEMORY && s != good)
            fail_msg("allocation %ld of %ld: status %d: %s\n%s", k, calls, s,
                     err.count ? err.report[0].text : "no report", text);
        if (s && (err.count != 1 || err.status != s || err.report[0].status != s))
            fail_msg("allocation %ld of %ld: %d reports, status %d: %s; %s\n%s", k, calls, err.count,
                     err.status, err.count ? err.report[0].text : "", err.count > 1 ? err.report[1].text : "",
                     text);
        if (c.live) fail_msg("allocation %ld of %ld: %ld blocks left\n%s", k, calls, c.live, text);
    }
    sn_set_allocator(NULL);
}

#define HEAD "study: 1\nmodel: spring.yaml\nrun: {step: 20 ms}\n"
#define EACH "  x0: {start: at.x, each: experiment}\n  c: {tie: k*0.02 s}\n"

static int set_up(void **state)
{
    if (kit_begin(state)) return -1;
    kit_measure(
        "a.csv",
        &(kit_data){.model = "spring.yaml", .channels = "at.x", .end = 0.2, .dt = 0.02, .sigma = 1e-4});
    kit_measure(
        "b.csv",
        &(kit_data){
            .model = "spring.yaml", .channels = "at.x fast.x", .end = 0.2, .dt = 0.04, .sigma = 1e-4});
    kit_put("given.yaml",
            "sinew: 1\nparameters: {m: 2 kg, k: 80 N/m, c: 1.5 N*s/m}\nnodes: {b: [1.2, 0]}\nelements:\n"
            "  bob: {mass2d: b, mass: m}\n  s: {spring2d: [ground, b], k: k, c: c, l0: 1 m}\n"
            "  push: {force2d: b, force: [pull, 0]}\njoints: {rail: {fixed: b, only: y}}\n"
            "signals: {pull: {input: 3}}\nsensors: {at: {position: b}, fast: {velocity: b}}\n"
            "run: {end: 1 s, step: 5 ms}\n");
    return 0;
}

static void test_plain(void **state)
{
    (void)state;
    fail_each(HEAD "data: a.csv\nstarts: 0\nunknowns: {k: {start: 75, bounds: [1, 1e4]}}\n", 0, 1, SN_OK);
    fail_each(HEAD "data: a.csv\nstarts: 0\nunknowns: {k: {start: 75, bounds: [1, 1e4]}}\n", 1, 37, SN_OK);
}

/* All there is: several experiments, one held out, ties, priors, an offset, profiles, random starts, windows.
 */
static void test_all(void **state)
{
    (void)state;
    fail_each(HEAD
              "experiments: {a: {data: a.csv, offset: unknown}, b: b.csv, c: {data: a.csv, hold_out: yes}}\n"
              "noise: {at.x: 0.1 mm}\nhorizon: 0.1 s\nstarts: {n: 1, spread: 1.2}\n"
              "intervals: profile\nloss: huber\ninitial_window: 0.1 s\n"
              "unknowns:\n  k: {start: 75, bounds: [1, 1e4], prior: [80, 10]}\n" EACH,
              0, 1999, SN_OK);
    fail_each(HEAD "data: b.csv\nwindows: 2\nunknowns:\n  k: {start: 75, bounds: [1, 1e4]}\n" EACH, 0, 151,
              SN_OK);
}

/* Refits of several experiments, one of them held out, with a prior. */
static void test_bootstrap(void **state)
{
    (void)state;
    fail_each(HEAD
              "experiments: {a: a.csv, b: b.csv, c: {data: a.csv, hold_out: yes}}\nstarts: 0\n"
              "intervals: {bootstrap: 40}\nunknowns: {k: {start: 75, bounds: [1, 1e4], prior: [80, 10]}}\n",
              0, 499, SN_OK);
}

/* Instruments of all kinds, and an input. */
static void test_instruments(void **state)
{
    (void)state;
    kit_put("push.csv", "t,z\n0,3\n0.1,3.2\n0.3,2.9\n");
    fail_each(
        "study: 1\nmodel: given.yaml\nrun: {step: 20 ms}\nstarts: 0\noptimiser: lbfgs\n"
        "experiments: {b: {data: b.csv, inputs: {pull: push.csv:z}}, c: {data: b.csv, offset: unknown}}\n"
        "inputs: {pull: 3}\nnoise: {at.x: 0.1 mm, fast.x: 0.1 mm/s}\n"
        "unknowns: {k: {start: 75, bounds: [1, 1e4]}}\n"
        "instruments: {at.x: {gain: unknown, offset: {each: experiment}}, fast: {delay: {start: 1 ms, prior: "
        "[0, 1 ms]}, angle: {prior: [0, 0.1]}}, fast.x: {gain: {tie: at.x.gain}}}\n",
        0, 67, SN_OK);
}

/* Series of given and of found numbers of terms: many studies and fits, of which some hundred allocations. */
static void test_series(void **state)
{
    (void)state;
    kit_put("driven.yaml",
            "sinew: 1\nnodes: {b: [1, 0]}\nelements:\n  bob: {mass2d: b, mass: 2 kg}\n"
            "  push: {force2d: b, force: [pull*1 N, 0]}\njoints: {rail: {fixed: b, only: y}}\n"
            "signals: {pull: {expression: 3 + 2*sin(40*t)}}\nsensors: {acc: {acceleration: b}}\n"
            "run: {end: 0.3 s, step: 10 ms}\n");
    kit_measure(
        "driven.csv",
        &(kit_data){
            .model = "driven.yaml", .channels = "acc.x", .end = 0.4, .dt = 0.01, .sigma = 0.05, .seed = 1});
    fail_each("study: 1\nmodel: driven.yaml\ndata: driven.csv\nunknowns: {pull: {history: {form: series, "
              "frequencies: separate, start: {frequency: [6.3 Hz]}}}}\n",
              0, 61, SN_OK);
    fail_each(
        "study: 1\nmodel: driven.yaml\ndata: driven.csv\nwindows: {n: 2, hand_over: yes}\nunknowns: {pull: "
        "{history: {form: linear, values: 9}}}\n",
        0, 97, SN_OK);
    fail_each("study: 1\nmodel: driven.yaml\ndata: driven.csv\nunknowns: {pull: {history: series}}\n", 0, 499,
              SN_OK);
}

static void test_optimisers(void **state)
{
    (void)state;
    fail_each(HEAD "data: a.csv\noptimiser: lbfgs\nunknowns: {k: {start: 75, bounds: [1, 1e4]}}\n", 0, 17,
              SN_OK);
    fail_each(HEAD "data: a.csv\noptimiser: cma_es\nunknowns: {k: {start: 75, bounds: [1, 1e4]}}\n", 0, 197,
              SN_OK);
}

/* Modes with damping and shapes beside a signal, and a frequency response whose noise is estimated. */
/* Modes are differentiated by many small allocations that are alike: some hundred of 27,000. */
static void test_modal(void **state)
{
    (void)state;
    kit_put("frf.csv",
            "f,at.x.re,at.x.im,fast.x.abs\n0.5,0.017,-0.001,0.05\n1,0.08,-0.08,0.7\n2,-0.004,0,0.06\n");
    fail_each(
        HEAD
        "experiments: {a: a.csv, m: {modes: {frequency: [1.01], damping: [0.06], at.x: [1], fast.x: [6]}}}\n"
        "starts: 0\nunknowns: {k: {start: 75, bounds: [1, 1e4]}, c: 1.4}\n",
        0, 61, SN_OK);
    fail_each(HEAD "frf: frf.csv\ninput: f\nstarts: 0\nunknowns: {k: {start: 75, bounds: [1, 1e4]}}\n", 0,
              397, SN_OK);
    fail_each(HEAD "frf: frf.csv\ninput: g\nunknowns: {k: 75}\n", 0, 1, SN_ERR_INPUT);
    fail_each(HEAD "modes: {frequency: [1, 2]}\nunknowns: {k: 75}\n", 0, 1, SN_ERR_INPUT);
}

/* Random starts, on one thread, with every fifth allocation failing: where memory is lacking the answer is
   that, or all of them were made and have found the place that they find with memory. */
static void test_starts(void **state)
{
    (void)state;
    enum { STARTS = 3 };
    counter c = {0};
    const sn_allocator a = {counted, released, &c};
    static sn_err err;
    sn_study *s;
    sn_estimate *e;
    int lacking = 0;
    sn_err_clear(&err);
    kit_put("study.yaml", HEAD "data: a.csv\nnoise: {at.x: 0.1 mm}\nstarts: {n: 3, spread: 1.2}\n"
                               "unknowns: {k: {start: 75, bounds: [1, 1e4]}}\n");
    kit_tell(&err, sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err));
    for (long k = 0, calls = 1; k <= calls; k += 5) {
        sn_err_clear(&err);
        c = (counter){.fail = k};
        sn_set_allocator(&a);
        sn_status status = sn_study_solve(s, &(sn_solve_options){.threads = 1}, &e, &err);
        if (!k) calls = c.calls;
        if (status != SN_OK) {
            if (status != SN_ERR_MEMORY || err.count != 1)
                fail_msg("allocation %ld of %ld: status %d, %d reports", k, calls, status, err.count);
            lacking++;
        } else {
            if (e->starts != STARTS || e->alike != STARTS)
                fail_msg("allocation %ld of %ld: %d of %d starts alike", k, calls, e->alike, e->starts);
            sn_estimate_free(e);
        }
        sn_set_allocator(NULL);
        assert_int_equal(c.live, 0);
    }
    assert_true(lacking > 20);
    sn_study_free(s);
}

/* Finer steps and meshes: a member of one element, too coarse, read and solved again. */
static void test_refined(void **state)
{
    (void)state;
    static const char text[] =
        "sinew: 1\nparameters: {EI: 2 N*m^2}\ngravity: [0, -9.81]\nnodes: {a: [0, 0], b: [1, 0]}\n"
        "elements: {bar: {beam2d_cr: [a, b], elements: %d, EA: 1e4 N, EI: EI, rhoA: 0.2 kg/m}}\n"
        "joints: {clamp: {fixed: a}}\nsensors: {tip: {position: b}}\nrun: {end: 0.2 s, step: 10 ms}\n";
    char model[600];
    snprintf(model, sizeof model, text, 2);
    kit_put("bar.yaml", model);
    kit_measure("bar.csv", &(kit_data){.model = "bar.yaml",
                                       .set = "run.step=2e-3",
                                       .channels = "tip.y",
                                       .end = 0.2,
                                       .dt = 0.01,
                                       .sigma = 1e-4,
                                       .seed = 1});
    snprintf(model, sizeof model, text, 1);
    kit_put("bar.yaml", model);
    fail_each("study: 1\nmodel: bar.yaml\ndata: bar.csv\nstarts: 0\nhorizon: no\ntry: no\nrefine: yes\n"
              "unknowns: {EI: 1.9}\n",
              0, 23, SN_OK);
}

/* Numbers that are not sought are tried: those of a wrong damping. */
static void test_trying(void **state)
{
    (void)state;
    fail_each(
        HEAD
        "data: a.csv\nset: {c: 4}\ntry: c, f, m\nstarts: 0\nunknowns: {k: {start: 75, bounds: [1, 1e4]}}\n",
        0, 23, SN_OK);
    fail_each(HEAD "data: a.csv\ntry: 'steam'\nunknowns: {k: 75}\n", 0, 1, SN_ERR_INPUT);
}

static sn_status compare(sn_err *err)
{
    const char *const study[] = {kit_path("study.yaml"), kit_path("other.yaml")};
    sn_compare_info info;
    sn_err_clear(err);
    sn_status s = sn_identify_compare(2, study, NULL,
                                      &(sn_identify_options){.folder = kit_folder, .threads = 1}, &info, err);
    if (s && (info.json || info.summary)) fail_msg("texts of a failed comparison");
    sn_release(info.json), sn_release(info.summary);
    return s;
}

static void test_comparing(void **state)
{
    counter c = {0};
    const sn_allocator a = {counted, released, &c};
    static sn_err err;
    (void)state;
    kit_put("study.yaml", HEAD "data: a.csv\nstarts: 0\nunknowns: {k: {start: 75, bounds: [1, 1e4]}}\n");
    kit_put("other.yaml",
            HEAD "data: a.csv\nstarts: 0\nunknowns: {k: {start: 75, bounds: [1, 1e4]}, f: 3}\n");
    sn_set_allocator(&a);
    kit_tell(&err, compare(&err));
    assert_int_equal(c.live, 0);
    for (long k = 1, calls = c.calls; k <= calls; k += 41) {
        c = (counter){.fail = k};
        sn_status s = compare(&err);
        if ((s && s != SN_ERR_MEMORY) || (s && err.count != 1) || c.live)
            fail_msg("allocation %ld of %ld: status %d, %d reports, %ld blocks left", k, calls, s, err.count,
                     c.live);
    }
    sn_set_allocator(NULL);
}

/* Histories of both sorts of smoothing beside a parameter. */
static void test_histories(void **state)
{
    (void)state;
    fail_each("study: 1\nmodel: given.yaml\nrun: {step: 20 ms}\ndata: b.csv\nnoise: {at.x: 0.1 mm, fast.x: "
              "0.1 mm/s}\n"
              "unknowns: {k: {start: 75, prior: [80, 1]}, pull: {history: {form: linear, values: 4}, truth: "
              "'b.csv:at.x'}}\n",
              0, 97, SN_OK);
    fail_each(
        "study: 1\nmodel: given.yaml\nrun: {step: 20 ms}\ndata: b.csv\n"
        "unknowns: {pull: {history: {form: linear, values: 4, smoothing: total_variation, weight: gcv}}}\n",
        0, 97, SN_OK);
}

/* The same by filter and smoother; found and given weights, two experiments, a bound. */
static void test_kalman(void **state)
{
    (void)state;
    fail_each("study: 1\nmodel: given.yaml\nrun: {step: 20 ms}\nmethod: kalman\ndata: b.csv\n"
              "unknowns: {k: {start: 75, prior: [80, 1]}, pull: {history: {form: linear, values: 4}}}\n",
              0, 7, SN_OK);
    fail_each(
        "study: 1\nmodel: given.yaml\nrun: {step: 20 ms}\nmethod: kalman\nkalman: {iterations: 0}\n"
        "experiments: {a: {data: a.csv, noise: {at.x: 0.1 mm}}, b: {data: b.csv, noise: {at.x: 0.1 mm, "
        "fast.x: 0.1 mm/s}}}\n"
        "unknowns: {k: {start: 79, bounds: [78, 79]}, pull: {history: {form: cubic, values: 30, weight: "
        "1}}}\n",
        0, 7, SN_OK);
}

/* What is reported must not leak either. */
static void test_faulty(void **state)
{
    (void)state;
    fail_each(HEAD "data: a.csv\nunknowns: {kk: 3}\n", 0, 1, SN_ERR_INPUT);
    fail_each(HEAD "experiments: {a: a.csv, b: {data: a.csv, noise: {at.y: 1}}}\nunknowns: {k: 3}\n", 0, 1,
              SN_ERR_INPUT);
    fail_each(HEAD "data: a.csv\nunknowns: {k: {start: 3}, x0: {each: experiment, start: at.y}}\n", 0, 1,
              SN_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain),      cmocka_unit_test(test_instruments),
                                       cmocka_unit_test(test_all),        cmocka_unit_test(test_bootstrap),
                                       cmocka_unit_test(test_optimisers), cmocka_unit_test(test_modal),
                                       cmocka_unit_test(test_starts),     cmocka_unit_test(test_trying),
                                       cmocka_unit_test(test_comparing),  cmocka_unit_test(test_refined),
                                       cmocka_unit_test(test_histories),  cmocka_unit_test(test_kalman),
                                       cmocka_unit_test(test_series),     cmocka_unit_test(test_faulty)};
    return cmocka_run_group_tests(tests, set_up, kit_end);
}
