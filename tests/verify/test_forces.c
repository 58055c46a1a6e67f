/* The force on a free-floating beam from two accelerations with 10 % noise: the first 3 s of
   examples/free-beam with five elements. Bounds are those that were set for the whole example: a force with
   nothing known of its form to 10 %, bands of 95 % that hold the truth as often as they say, a wrong
   stiffness that is not taken for a force, and repaired where it is sought as well. */
#include "identify_kit.h"

static const char beam_text[] =
    "sinew: 1\n"
    "parameters: {E: 50 GPa}\n"
    "materials: {bar: {E: E, nu: 0.3, rho: 7860 kg/m^3}}\n"
    "sections: {bar: {rectangle: , width: 0.05 m, height: 0.1 m}}\n"
    "nodes: {n1: [0, 0, 0], n6: [10, 0, 0]}\n"
    "elements:\n"
    "  beam: {beam3d_cr: [n1, n6], material: bar, section: bar, mass: linear, elements: 5}\n"
    "  push: {force3d: beam.n1, force: [0, push*1 N, 0]}\n"
    "signals: {push: {expression: 50 + 100*sin(0.5*pi*t) + 150*cos(2*pi*t)}}\n"
    "sensors: {a2: {acceleration: beam.n1}, a6: {acceleration: n6}}\n"
    "run: {end: 3 s, step: 10 ms, scheme: newmark}\n";

static const double noise = 0.2; /* m/s^2: 10 % of the rms of the accelerations, 1.9 and 2.2 */

static double truth(double t)
{
    const double pi = acos(-1);
    return 50 + 100 * sin(0.5 * pi * t) + 150 * cos(2 * pi * t);
}

static void measure(const char *set, double sigma, uint64_t seed)
{
    kit_put("beam.yaml", beam_text);
    kit_measure("beam.csv", &(kit_data){.model = "beam.yaml",
                                        .set = set,
                                        .channels = "a2.y a6.y",
                                        .end = 3,
                                        .dt = 0.01,
                                        .sigma = sigma,
                                        .seed = seed});
}

#define STUDY "study: 1\nmodel: beam.yaml\ndata: beam.csv\ntry: no\n"
#define FREE  "push: {history: {form: cubic, values: 33}}"

/* Relative rms error; *inside: part of the times at which the band of 95 % holds the truth. */
static double force_error(const kit_fit *r, double *inside)
{
    double sum = 0, size = 0;
    assert_int_equal(r->e->n_history, 1);
    const sn_history_fit *h = &r->e->history[0];
    *inside = 0;
    for (int i = 0; i < h->n; i++) {
        double f = truth(h->t[i]), d = h->value[i] - f;
        sum += d * d, size += f * f;
        *inside += fabs(d) <= 1.96 * h->std_error[i] ? 1.0 / h->n : 0;
    }
    return sqrt(sum / size);
}

/* Over ten seeds some 20 values each are determined on their own: 200 independent numbers, of which a part of
   0.95 +- sqrt(0.95*0.05/200) = 0.015 is held; three deviations are allowed. */
static void test_free_history(void **state)
{
    double held = 0, inside, mean = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        measure(NULL, noise, seed);
        kit_fit r = kit_solve(STUDY "unknowns: {" FREE "}\n");
        kit_converged(&r);
        mean += force_error(&r, &inside) / 10, held += inside / 10;
        kit_drop(&r);
    }
    print_message("force error %.4f, held %.3f\n", mean, held);
    assert_true(mean < 0.1);
    kit_is("part held by bands of 95 %", held, 0.95, 3 * 0.015);
}

static int worst_about_model(const kit_fit *r)
{
    int worst = 0;
    for (int i = 0; i < r->e->n_verdict; i++)
        if (!strcmp(r->e->verdict[i].about, "residuals") && r->e->verdict[i].level > worst)
            worst = r->e->verdict[i].level;
    return worst;
}

/* A beam that is 1 % stiffer than the model: no force explains its accelerations. With the stiffness sought
   as well it comes back, within four standard errors, and the force as well as with the right model. */
static void test_wrong_stiffness(void **state)
{
    double inside;
    (void)state;
    measure("E=50.5e9", noise, 3);
    kit_fit r = kit_solve(STUDY "unknowns: {" FREE "}\n");
    kit_converged(&r);
    print_message("E 1 %% off: force error %.3f\n", force_error(&r, &inside));
    assert_int_equal(worst_about_model(&r), 2);
    kit_must_say(&r, "model error");
    kit_drop(&r);
    r = kit_solve(STUDY "unknowns: {E: {start: 50 GPa}, " FREE "}\n");
    kit_converged(&r);
    double E = kit_value_of(&r, "E"), error = kit_error_of(&r, "E"), off = force_error(&r, &inside);
    print_message("E sought: %.6g +- %.2g, force error %.4f, held %.3f\n", E, error, off, inside);
    kit_is("E", E, 50.5e9, 4 * error);
    assert_true(error < 0.005 * 50e9 && off < 0.1);
    assert_int_equal(worst_about_model(&r), 0);
    kit_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_free_history),
                                       cmocka_unit_test(test_wrong_stiffness)};
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
