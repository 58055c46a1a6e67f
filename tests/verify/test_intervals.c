/* Do intervals of 95 % hold the truth in 95 % of the cases? With noise that follows itself, that channels
   share, with outliers, at uneven times. Where the truth is outside more often than by chance the test fails:
   of SEEDS normal cases MOST or more are outside with a probability of 7e-4 (binomial). Errors of white noise
   would miss it in 15 to 45 % of these cases. */
#include "identify_kit.h"

enum { SEEDS = 30, MOST = 7 };

typedef struct noise_case {
    const char *name, *rest;
    kit_data d;
    const char *allows; /* what is said of it */
} noise_case;

static void cover(const noise_case *q)
{
    static const char *const name[] = {"k", "c"};
    static const double truth[] = {80, 1.5};
    int outside[2] = {0}, said = 0;
    double square[2] = {0};
    char text[400];
    snprintf(text, sizeof text, "study: 1\nmodel: spring.yaml\ndata: data.csv\nunknowns: {k: 60, c: 1}\n%s",
             q->rest);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        kit_data d = q->d;
        d.model = "spring.yaml", d.end = 2, d.dt = 0.0125, d.sigma = 1e-3, d.seed = seed * 1000003;
        if (!d.channels) d.channels = "at.x";
        kit_measure("data.csv", &d);
        kit_fit r = kit_solve(text);
        kit_converged(&r);
        said += !q->allows || kit_says(&r, q->allows);
        for (int i = 0; i < 2; i++) {
            int k = kit_unknown(&r, name[i]);
            double e = (r.e->value[k] - truth[i]) / r.e->std_error[k];
            outside[i] += truth[i] < r.e->lo[k] || truth[i] > r.e->hi[k], square[i] += e * e / SEEDS;
        }
        kit_drop(&r);
    }
    for (int i = 0; i < 2; i++) {
        print_message("  %-28s %s: %d of %d outside, mean square %.2f\n", q->name, name[i], outside[i], SEEDS,
                      square[i]);
        if (outside[i] >= MOST) fail_msg("%s, %s: %d of %d outside", q->name, name[i], outside[i], SEEDS);
        /* not by being too wide: chi square of 30 degrees is below 12 with a probability of 1e-3 */
        if (square[i] < 0.4) fail_msg("%s, %s: mean square %g", q->name, name[i], square[i]);
    }
    if (said < SEEDS - 2) fail_msg("%s: said in %d of %d", q->name, said, SEEDS);
}

static void test_coverage(void **state)
{
    static const noise_case list[] = {
        {"white", "", {.ar = {0}}, NULL},
        {"AR(1), 0.8", "", {.ar = {0.8}}, "correlated in time"},
        {"AR(2), resonant", "", {.ar = {1.6, -0.9}}, "correlated in time"},
        {"0.8 at uneven times", "", {.ar = {0.8}, .jitter = 0.9}, "correlated in time"},
        {"channels that share noise",
         "",
         {.channels = "at.x fast.x", .shared = 0.7},
         "correlated between channels"},
        {"Huber, 10 % outliers", "loss: huber\n", {.wild = 0.1, .both = 1}, NULL},
        {"less noise stated", "noise: {at.x: 0.4 mm}\n", {.ar = {0}}, "larger than stated"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) cover(&list[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_coverage)};
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
