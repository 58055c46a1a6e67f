/* Identification with shells: stiffness and density of a clamped plate from accelerations and from strains,
   its thickness, which node a force acts at, and the force of examples/shell-force. Data are made with the
   same model. */
#include "identify_kit.h"

static const char plate_text[] =
    "sinew: 1\n"
    "parameters: {E: 70 GPa, nu: 0.3, rho: 2700 kg/m^3, th: 5 mm}\n"
    "materials: {alu: {E: E, nu: nu, rho: rho}}\n"
    "nodes: {a: [0, 0, 0], b: [0.6, 0, 0], c: [0.6, 0.3, 0], d: [0, 0.3, 0]}\n"
    "elements:\n"
    "  plate: {shell4_mitc: [a, b, c, d], material: alu, thickness: th, elements: [3, 2]}\n"
    "  push: {force3d: plate.n2_0, force: [0, 0, push*1 N]}\n"
    "joints: {w0: {fixed: a}, w1: {fixed: plate.n0_1}, w2: {fixed: d}}\n"
    "signals: {push: {expression: 40 + 40*sin(2*pi*9*t) - 40*cos(2*pi*23*t)}}\n"
    "sensors:\n"
    "  tip: {acceleration: c}\n"
    "  middle: {acceleration: plate.n2_1}\n"
    "  root: {strain: plate, piece: 1}\n"
    "run: {end: 0.1 s, step: 1 ms, scheme: newmark}\n";

static int begin(void **state)
{
    if (kit_begin(state)) return -1;
    kit_put("plate.yaml", plate_text);
    return 0;
}

static void measure(const char *channels, double sigma, uint64_t seed)
{
    kit_measure("plate.csv", &(kit_data){.model = "plate.yaml",
                                         .channels = channels,
                                         .end = 0.1,
                                         .dt = 0.001,
                                         .sigma = sigma,
                                         .seed = seed});
}

#define STUDY "study: 1\nmodel: plate.yaml\ndata: plate.csv\ntry: no\n"

/* What a plate is made of, from starts that are 3 % off. Without noise the data come back to what Newton's
   tolerance leaves of them, 1e-8, which the unknowns magnify by 1e3 at most where two of them are nearly
   alike. With noise of 2 m/s^2 and 2e-4 1/m within four standard errors, which are known to less than 3 %. */
static void test_numbers(void **state)
{
    static const struct {
        const char *channels, *name[2], *starts;
        double truth[2], sigma;
    } cases[] = {
        {"tip.z middle.z", {"E", "rho"}, "E: {start: 72 GPa}, rho: {start: 2620 kg/m^3}", {70e9, 2700}, 2},
        {"root.k11 root.k22 root.k12",
         {"E", "rho"},
         "E: {start: 72 GPa}, rho: {start: 2620 kg/m^3}",
         {70e9, 2700},
         2e-4},
        {"tip.z middle.z", {"th", "nu"}, "th: {start: 5.1 mm}, nu: {start: 0.29}", {0.005, 0.3}, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int noise = 0; noise < 2; noise++) {
            char text[400];
            measure(cases[i].channels, noise ? cases[i].sigma : 0, 5);
            snprintf(text, sizeof text, STUDY "unknowns: {%s}\n", cases[i].starts);
            kit_fit r = kit_solve(text);
            kit_converged(&r);
            for (int j = 0; j < 2; j++) {
                const double x = kit_value_of(&r, cases[i].name[j]),
                             error = kit_error_of(&r, cases[i].name[j]), truth = cases[i].truth[j];
                print_message("%s from %s: %.9g +- %.2g\n", cases[i].name[j], cases[i].channels, x, error);
                if (noise) assert_true(error < 0.03 * truth);
                kit_is(cases[i].name[j], x, truth, noise ? 4 * error : 1e-5 * truth);
            }
            kit_drop(&r);
        }
}

/* Where on the plate the force acts: all nodes of its mesh are tried, those that are held among them, which
   no sensor feels. By odds of more than a thousand the right one. */
static void test_place(void **state)
{
    (void)state;
    kit_fit r;
    sn_err err;
    sn_identify_info info;
    double probability = 0;
    measure("tip.z middle.z", 2, 7);
    sn_err_clear(&err);
    kit_put("study.yaml", STUDY "unknowns: {push: {history: {form: cubic, values: 17}, at: plate}}\n");
    kit_tell(&err, sn_identify_keep(kit_path("study.yaml"), &(sn_identify_options){.threads = 1}, &info, &r.s,
                                    &r.e, &err));
    sn_release(info.summary), sn_release(info.json);
    assert_int_equal(r.e->n_place, 12);
    for (int i = 0; i < 12; i++) {
        print_message("%s: %.3g\n", r.e->place[i].node, r.e->place[i].probability);
        if (!strcmp(r.e->place[i].node, "plate.n2_0")) probability = r.e->place[i].probability;
    }
    assert_true(probability > 0.999);
    kit_drop(&r);
}

/* The force of example 3.3 with its five unknowns and the paper's start: the four that its data determine
   come back, to what Newton's tolerance leaves of accelerations, 1e-8, of 200 N and 2.5 Hz; the fifth, the
   frequency of a sine that is not there, is named. One or four windows. */
static void test_example(void **state)
{
    static const char *const name[] = {"push.offset", "push.cosine.1", "push.sine.1",
                                       "push.cosine_frequency.1"},
                             *const file[] = {"series", "windows", "clamped-series"};
    static const double truth[] = {200, -200, 0, 2.5};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char path[1024];
        kit_fit r;
        sn_err err;
        sn_identify_info info;
        sn_err_clear(&err);
        snprintf(path, sizeof path, "%s/examples/shell-force/%s.yaml", SN_SOURCE_DIR, file[i]);
        kit_tell(&err, sn_identify_keep(path, &(sn_identify_options){.threads = 1}, &info, &r.s, &r.e, &err));
        sn_release(info.summary), sn_release(info.json);
        kit_converged(&r);
        for (int j = 0; j < 4; j++)
            kit_is(name[j], kit_value_of(&r, name[j]), truth[j], j < 3 ? 2e-6 : 2.5e-8);
        kit_must_say(&r, "push.frequency.1 is not determined");
        assert_true(isinf(kit_error_of(&r, "push.frequency.1")));
        kit_drop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_place),
                                       cmocka_unit_test(test_example)};
    return cmocka_run_group_tests(tests, begin, kit_end);
}
