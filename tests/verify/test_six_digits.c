/* Derivatives of SN_SIX_DIGITS against those of steps solved to rounding, forward and adjoint.

   The bound, for each objective and each number p: the error of the derivative times |p| (times 1 where p is
   0) is at most 1e-6 of the largest such change of the objective by any of the numbers. It was chosen before
   the errors were known: six digits, counted from the number that matters most. */
#include "verify/gradient_models.h"

static const double SIX = 1e-6;

/* The worst error of b in the measure above. */
static double error_of(const grad *g, const double *exact, const double *b)
{
    double worst = 0;
    for (int j = 0; j < g->o.n_of; j++)
        for (int k = 0; k < g->o.n_wrt; k++) {
            int at = j * g->o.n_wrt + k;
            double s = g->x[k] != 0 ? fabs(g->x[k]) : 1, off = fabs(exact[at] - b[at]) * s;
            if (!isfinite(b[at])) return INFINITY;
            if (off > 0) worst = fmax(worst, off / g->most[j]);
        }
    return worst;
}

/* ... and closes it. */
static void check(grad *g, const char *what)
{
    g->o.run.tolerance = 1e-8; /* the usual one; it does not matter */
    double *exact = grad_by(g, SN_GRADIENT_FORWARD, NULL);
    long evaluations = g->info.run.evaluations, steps = g->info.run.steps;
    g->o.run.exact = SN_SIX_DIGITS;
    double *a = grad_by(g, SN_GRADIENT_ADJOINT, NULL), of_adjoint = error_of(g, exact, a);
    double *f = grad_by(g, SN_GRADIENT_FORWARD, NULL), of_forward = error_of(g, exact, f);
    print_message("  %-23s %3d numbers, %5ld steps: forward %.1e, adjoint %.1e; %.2f evaluations a step "
                  "(to rounding %.2f)\n",
                  what, g->o.n_wrt, steps, of_forward, of_adjoint,
                  (double)g->info.run.evaluations / (double)steps, (double)evaluations / (double)steps);
    if (!(of_forward <= SIX)) fail_msg("%s: forward derivatives are off by %.1e", what, of_forward);
    if (!(of_adjoint <= SIX)) fail_msg("%s: adjoint derivatives are off by %.1e", what, of_adjoint);
    free(exact), free(a), free(f);
    grad_close(g);
}

static grad *grad_example(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "examples/%s.yaml", name);
    return grad_file(path);
}

static void test_kinds(void **state)
{
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        grad *g = open_model(&models[i]);
        grad_all_numbers(g, models[i].skip);
        grad_all_sensors(g);
        check(g, models[i].file);
    }
}

/* All numbers of elements and parameters, all sensors, over the whole runs: thousands of steps. */
static void test_long_runs(void **state)
{
    static const char *const file[] =
        {"two-bar/two-bar",          "heavy-top/heavy-top",       "double-pendulum/double-pendulum",
         "andrews-squeezer/andrews", "slider-crank/slider-crank", "four-bar/four-bar",
         "pendulum/pendulum",        "free-beam/free-beam"},
                             *const skip[] = {"joints.", "nodes.", NULL};
    (void)state;
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        grad *g = grad_example(file[i]);
        grad_all_numbers(g, skip);
        grad_all_sensors(g);
        check(g, strchr(file[i], '/') + 1);
    }
}

/* Bushings, rubber with memory, a modal body, rolling wheels, shells with contacts, by numbers that many
   others follow from. */
static void test_bodies(void **state)
{
    static const struct {
        const char *file, *scheme;
        int elements; /* by their numbers too */
        double end;   /* 0: the whole run */
    } run[] = {{"subframe/subframe", NULL, 0, 0}, {"subframe/rubber", NULL, 0, 0},
               {"bracket/bracket", NULL, 0, 0},   {"bicycle/bicycle", NULL, 1, 0},
               {"bushing/engine", NULL, 0, 0},    {"shell-force/shell", "generalized_alpha", 0, 0},
               {"shells/door", NULL, 0, 0.15}};
    static const char *const skip[] = {"joints.", "nodes.", NULL}, *const numerous[] = {"joints.", "nodes.",
                                                                                        "elements.", NULL};
    (void)state;
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        grad *g = grad_example(run[i].file);
        if (run[i].scheme) g->o.run.scheme = run[i].scheme;
        if (run[i].end > 0) g->o.run.end = run[i].end;
        grad_all_numbers(g, run[i].elements ? skip : numerous);
        grad_all_sensors(g);
        check(g, strchr(run[i].file, '/') + 1);
    }
}

/* Equations met by penalty or augmented Lagrangian; steps that follow their error, which must then be the
   same for all: to the last bit forward, to the rounding of two orders of summation by adjoint. */
static void test_ways(void **state)
{
    static const char *const file[] = {"four-bar/four-bar", "slider-crank/slider-crank",
                                       "andrews-squeezer/andrews"},
                             *const skip[] = {"joints.", "nodes.", NULL};
    static const char *const name[] = {"penalty", "augmented", "error"};
    (void)state;
    for (int way = 0; way < 3; way++)
        for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
            char what[64];
            grad *g = grad_example(file[i]);
            if (way == 0) g->o.run.constraints = SN_CONSTRAINTS_PENALTY;
            if (way == 1) g->o.run.constraints = SN_CONSTRAINTS_AUGMENTED;
            if (way == 2) g->o.run.error = 1e-5, g->o.run.max_step = 0.02;
            grad_all_numbers(g, skip);
            grad_all_sensors(g);
            snprintf(what, sizeof what, "%s, %s", strchr(file[i], '/') + 1, name[way]);
            check(g, what);
        }
}

/* A block pulled by a spring over dry friction, which sticks and slips, and one that falls on a hard stop
   and jumps: forces that change within a small part of a step. */
static void test_kinks(void **state)
{
    static const char
        *const slip = "sinew: 1\n"
                      "parameters: {k: 100, F: 5, vb: 0.1, v0: 0.001}\n"
                      "nodes: {b: {frame2d: [0, 0]}, p: {frame2d: [1, 0], velocity: [vb, 0]}}\n"
                      "elements:\n"
                      "  block: {mass2d: b, mass: 1, inertia: 1}\n"
                      "  hand: {mass2d: p, mass: 1, inertia: 1}\n"
                      "  rail: {friction2d: [ground, b], force: F, v0: v0, ratio: 1.5}\n"
                      "  s: {spring2d: [b, p], k: k, c: 0.2}\n"
                      "joints:\n"
                      "  guide: {fixed: b, only: [y, theta]}\n"
                      "  hold: {fixed: p, only: [y, theta]}\n"
                      "  move: {drive: p.x, value: 1 + vb*t}\n"
                      "sensors: {x: {position: b}, v: {velocity: b}, f: {force: rail}}\n"
                      "run: {end: 1.4 s, step: 0.5 ms}\n",
               *const jump = "sinew: 1\n"
                             "parameters: {k: 2e4, c: 3, g: 9.81, m: 1}\n"
                             "gravity: [0, -g]\n"
                             "nodes: {b: {frame2d: [0, 0.2]}}\n"
                             "elements:\n"
                             "  block: {mass2d: b, mass: m, inertia: 1}\n"
                             "  floor: {stop2d: [ground, b], k: k, c: c, axis: [0, 1], lo: -0.2, side: low}\n"
                             "sensors: {x: {position: b}, v: {velocity: b}}\n"
                             "run: {end: 1.4 s, step: 0.5 ms}\n",
               *const of_slip[] = {"k", "F", "vb", "v0"}, *const of_jump[] = {"k", "c", "g", "m"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        grad *g = grad_text(i ? jump : slip);
        grad_wrt(g, 4, i ? of_jump : of_slip);
        grad_all_sensors(g);
        check(g, i ? "jumps" : "sticks, slips");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds), cmocka_unit_test(test_long_runs), cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_ways),  cmocka_unit_test(test_kinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
