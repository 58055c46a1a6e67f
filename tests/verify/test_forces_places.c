/* Where a load is, by the evidence of the data; histories that are numbers of an element; loads of included
   files; and what is refused.

   A free bar of four beams, pushed across at its second node; accelerations of both ends with 5 % noise,
   three seeds of it. Of five nodes the right one must be found each time: where the data speak for a place
   with odds of more than a thousand, as they do here, less than one of a thousand is wrong. */
#include "identify_kit.h"

#include <math.h>

static const char bar_text[] = "sinew: 1\n"
                               "materials: {m: {E: 2 GPa, rho: 1000 kg/m^3}}\n"
                               "sections: {s: {rectangle: , width: 20 mm, height: 40 mm}}\n"
                               "nodes: {a: [0, 0], b: [2, 0]}\n"
                               "elements:\n"
                               "  bar: {beam2d_cr: [a, b], material: m, section: s, elements: 4}\n"
                               "  push: {force2d: %s, force: [0, %s]}\n"
                               "%s"
                               "sensors: {left: {acceleration: a}, right: {acceleration: b}}\n"
                               "run: {end: 0.5 s, step: 2.5 ms}\n";
static const char signal_text[] = "signals: {f: {expression: 20*sin(30*t) + 10*cos(70*t)}}\n";

static int begin(void **state)
{
    char text[1200];
    if (kit_begin(state)) return -1;
    snprintf(text, sizeof text, bar_text, "bar.n1", "f*1 N", signal_text);
    kit_put("bar.yaml", text);
    snprintf(text, sizeof text, bar_text, "bar.n1", "2 N", "");
    kit_put("plain.yaml", text);
    kit_put("whole.yaml",
            "sinew: 1\ninclude: [{file: plain.yaml, prefix: my_}]\nrun: {end: 0.5 s, step: 2.5 ms}\n");
    kit_put("turned.yaml", "sinew: 1\ninclude: [{file: plain.yaml, prefix: my_, at: [0, 0], angle: 30 deg}]\n"
                           "run: {end: 0.5 s, step: 2.5 ms}\n");
    return 0;
}

static void measure(uint64_t seed)
{
    kit_measure("data.csv", &(kit_data){.model = "bar.yaml",
                                        .channels = "left.y right.y",
                                        .end = 0.5,
                                        .dt = 0.0025,
                                        .sigma = 1.25, /* of 32 and 17 m/s^2 rms */
                                        .seed = seed});
}

/* By the whole way of sn_identify. */
static kit_fit identify(const char *text)
{
    kit_fit r;
    sn_err err;
    sn_identify_info info;
    sn_err_clear(&err);
    kit_put("study.yaml", text);
    kit_tell(&err, sn_identify_keep(kit_path("study.yaml"), &(sn_identify_options){.threads = 1}, &info, &r.s,
                                    &r.e, &err));
    assert_non_null(strstr(info.summary, "where push is"));
    sn_release(info.summary);
    return r;
}

static void found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        measure(seed);
        kit_fit r = identify("study: 1\nmodel: bar.yaml\ndata: data.csv\n"
                             "unknowns: {f: {history: {form: cubic, values: 33}, at: bar}}\n");
        static const char *const node[] = {"a", "bar.n1", "bar.n2", "bar.n3", "b"};
        double sum = 0;
        assert_int_equal(r.e->n_place, 5);
        for (int i = 0; i < 5; i++) {
            assert_string_equal(r.e->place[i].node, node[i]);
            sum += r.e->place[i].probability;
            if (i != 1) assert_true(r.e->place[i].evidence < r.e->place[1].evidence - log(1000));
        }
        kit_is("all probabilities", sum, 1, 1e-12);
        assert_true(r.e->place[1].probability > 0.999);
        kit_is("rms", r.e->place[1].rms, 1, 0.15);
        kit_must_say(&r, "push is at bar.n1 with a probability of");
        kit_drop(&r);
    }
}

/* Two nodes that do the same: the data cannot tell them apart, and that is said. */
static void not_told(void **state)
{
    (void)state;
    kit_put("pair.yaml",
            "sinew: 1\n"
            "nodes: {b: {point2d: [0, 0]}, l: {point2d: [-1, 0]}, r: {point2d: [1, 0]}}\n"
            "elements:\n"
            "  mb: {mass2d: b, mass: 2 kg}\n  ml: {mass2d: l, mass: 1 kg}\n"
            "  mr: {mass2d: r, mass: 1 kg}\n"
            "  s1: {spring2d: [l, b], k: 80 N/m, l0: 1 m}\n"
            "  s2: {spring2d: [b, r], k: 80 N/m, l0: 1 m}\n"
            "  push: {force2d: l, force: [f*1 N, 0]}\n"
            "joints: {j1: {fixed: b, only: y}, j2: {fixed: l, only: y}, j3: {fixed: r, only: y}}\n"
            "signals: {f: {expression: 3*sin(4*t)}}\n"
            "sensors: {at: {acceleration: b}}\n"
            "run: {end: 2 s, step: 10 ms}\n");
    kit_measure(
        "data.csv",
        &(kit_data){
            .model = "pair.yaml", .channels = "at.x", .end = 2, .dt = 0.01, .sigma = 0.05, .seed = 1});
    kit_fit r = identify("study: 1\nmodel: pair.yaml\ndata: data.csv\n"
                         "unknowns: {f: {history: {form: cubic, values: 23}, at: [l, r]}}\n");
    kit_is("probability of l", r.e->place[0].probability, 0.5,
           0.01); /* the motion is linear, but for rounding */
    kit_must_say(&r, "the data do not tell where push is");
    kit_drop(&r);
}

/* A number of an element, in the file itself and in one that is included; the constant that stands there is
   replaced by the history, which is in N. */
static void components(void **state)
{
    (void)state;
    measure(1);
    kit_fit a = kit_solve("study: 1\nmodel: bar.yaml\ndata: data.csv\n"
                          "unknowns: {f: {history: {form: cubic, values: 33}}}\n"),
            b = kit_solve("study: 1\nmodel: plain.yaml\ndata: data.csv\n"
                          "unknowns: {push.force.y: {history: {form: cubic, values: 33}}}\n"),
            c = kit_solve("study: 1\nmodel: whole.yaml\ndata: data.csv\n"
                          "columns: {my_left.y: left.y, my_right.y: right.y}\n"
                          "unknowns: {my_push.force.y: {history: {form: cubic, values: 33, unit: kN}}}\n");
    assert_string_equal(b.e->history[0].name, "push.force.y");
    assert_string_equal(b.e->history[0].unit, "N");
    assert_string_equal(c.e->history[0].unit, "kN");
    /* weights are found to 2 %, which moves values by a small part of their errors; kN has its own scale */
    for (int i = 0; i < a.e->history[0].n; i++) {
        double sd = a.e->history[0].std_error[i];
        kit_is("push.force.y", b.e->history[0].value[i], a.e->history[0].value[i], 1e-6 * sd);
        kit_is("my_push.force.y", 1000 * c.e->history[0].value[i], a.e->history[0].value[i], 0.1 * sd);
    }
    kit_drop(&a), kit_drop(&b), kit_drop(&c);
}

static void refused(const char *model, const char *unknowns, const char *words)
{
    char text[600], all[1400] = "";
    sn_study *s;
    sn_err err;
    sn_err_clear(&err);
    snprintf(text, sizeof text, "study: 1\nmodel: %s\ndata: data.csv\nunknowns: {%s}\n", model, unknowns);
    kit_put("study.yaml", text);
    assert_int_equal(sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err), SN_ERR_INPUT);
    sn_report_format(&err.report[0], all, sizeof all);
    if (!strstr(all, words) || !strstr(all, "study.yaml:4:")) fail_msg("'%s' is not in: %s", words, all);
}

static void errors(void **state)
{
    (void)state;
    measure(1);
    refused("plain.yaml", "push: {history: cubic}", "did you mean push.force.x, push.force.y");
    refused("plain.yaml", "push.force: {history: cubic}", "did you mean push.force.x, push.force.y");
    refused("plain.yaml", "bar.EA: {history: cubic}", "'bar.EA' cannot vary in time");
    refused("plain.yaml", "a.at.x: {history: cubic}", "'a.at.x' cannot vary in time");
    refused("plain.yaml", "gravity.y: {history: cubic}", "write a signal into it in the model");
    refused("bar.yaml", "f: {history: {form: cubic, spacing: 1e-9 s}}", "are more than 200000 over");
    refused("bar.yaml", "g: {history: cubic}", "the model has no 'g' among its signals");
    refused("plain.yaml", "push.force.y: {history: cubic}, elements.push.force.y: {history: linear}",
            "are the same");
    refused("turned.yaml", "my_push.force.y: {history: cubic}", "turns with the file that is included");
    refused("bar.yaml", "f: {history: cubic, at: [bar.n1, bar.n9]}",
            "there is no node and no element 'bar.n9'");
    refused("bar.yaml", "f: {history: cubic, at: [ground]}", "a load on the ground moves nothing");
    refused("bar.yaml", "f: {history: cubic, at: []}", "'at' names no node");
    refused("bar.yaml", "f: {history: cubic, at: {a: b}}", "a place is the name of a node");
    refused("bar.yaml", "f: {history: cubic, load: push}", "'at' with the places is missing");
    refused("bar.yaml", "f: {history: cubic, at: bar, load: bar}", "'bar' is no element that depends on 'f'");
    refused("bar.yaml", "f: {history: cubic, att: bar}", "has no key 'att'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found),
        cmocka_unit_test(not_told),
        cmocka_unit_test(components),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, begin, kit_end);
}
