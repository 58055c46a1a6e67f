/* Free histories against least squares made here: a free mass on which a force acts, whose acceleration is
   measured at the times of the steps. Newmark's step has m a = f there exactly, so that the measured numbers
   are linear in the history's values: A = B/(m sigma), B the values of the basis (Cox and de Boor's
   recursion), and

       (A'A + w D'D) c = A'y,    covariance (A'A + w D'D)^-1

   with the differences D. Solutions and bands agree to the rounding of the steps, 1e-7 of the force; weights
   are chosen on a grid of a quarter of a decade with a parabola, so that their scores are those of the best
   weight to second order: 0.2 % of the scores' range over the decades beside it. */
#include "identify_kit.h"

#include "identify/history.h"

enum { SAMPLES = 101, MOST = 60 };
static const double mass = 2, step = 0.01, sigma = 0.2;

static const char model[] = "sinew: 1\n"
                            "nodes: {b: {point2d: [0, 0]}}\n"
                            "elements: {bob: {mass2d: b, mass: 2 kg}, push: {force2d: b, force: [push, 0]}}\n"
                            "signals: {push: {expression: %s}}\n"
                            "sensors: {acc: {acceleration: b}, at: {position: b}}\n"
                            "run: {end: 1 s, step: 10 ms, scheme: newmark}\n";

static void measure(const char *force, uint64_t seed)
{
    char text[1000];
    snprintf(text, sizeof text, model, force);
    kit_put("mass.yaml", text);
    kit_measure(
        "mass.csv",
        &(kit_data){
            .model = "mass.yaml", .channels = "acc.x", .end = 1, .dt = step, .sigma = sigma, .seed = seed});
}

/* Basis function i of degree k over equally spaced knots (i, i + 1, ...), by recursion. */
static double basis(int i, int k, double u)
{
    if (k == 0) return u >= i && u < i + 1;
    return (u - i) / k * basis(i, k - 1, u) + (i + k + 1 - u) / k * basis(i + 1, k - 1, u);
}

typedef struct problem {
    int n, order;
    double y[SAMPLES], A[SAMPLES][MOST];
    double D[MOST][MOST];          /* D'D */
    double c[MOST], C[MOST][MOST]; /* solution and covariance for a weight */
    double rss, rough, freedom, log_det;
} problem;

static void read_samples(double *y)
{
    FILE *f = fopen(kit_path("mass.csv"), "r");
    char line[200];
    double t;
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    for (int i = 0; i < SAMPLES; i++) assert_int_equal(fscanf(f, "%lf,%lf", &t, &y[i]), 2);
    fclose(f);
}

static void open_problem(problem *p, int cubic, int n, int order)
{
    int degree = cubic ? 3 : 1;
    memset(p, 0, sizeof *p);
    p->n = n, p->order = order;
    read_samples(p->y);
    for (int i = 0; i < SAMPLES; i++) {
        double u = (n - degree) * (double)i / (SAMPLES - 1) + degree;
        if (i == SAMPLES - 1) u -= 1e-12; /* the last basis functions are continuous there */
        for (int j = 0; j < n; j++) p->A[i][j] = basis(j, degree, u) / (mass * sigma);
        p->y[i] /= sigma;
    }
    double d[5] = {1};
    for (int k = 0; k < order; k++) /* (-1 + shift) once more */
        for (int a = 4; a >= 0; a--) d[a] = (a > 0 ? d[a - 1] : 0) - d[a];
    for (int i = 0; i + order < n; i++)
        for (int a = 0; a <= order; a++)
            for (int b = 0; b <= order; b++) p->D[i + a][i + b] += d[a] * d[b];
}

/* c, C and what the choices of a weight look at, by Gauss and Jordan's elimination. */
static void solve(problem *p, double w)
{
    int n = p->n;
    static double H[MOST][MOST], M[MOST][2 * MOST];
    double g[MOST] = {0};
    memset(H, 0, sizeof H), memset(M, 0, sizeof M);
    for (int i = 0; i < SAMPLES; i++)
        for (int a = 0; a < n; a++) {
            g[a] += p->A[i][a] * p->y[i];
            for (int b = 0; b < n; b++) H[a][b] += p->A[i][a] * p->A[i][b];
        }
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) M[a][b] = H[a][b] + w * p->D[a][b];
        M[a][n + a] = 1;
    }
    p->log_det = 0;
    for (int k = 0; k < n; k++) { /* positive definite: no pivots are needed */
        double pivot = M[k][k];
        p->log_det += log(pivot);
        for (int b = 0; b < 2 * n; b++) M[k][b] /= pivot;
        for (int a = 0; a < n; a++) {
            double f = M[a][k];
            for (int b = 0; a != k && f != 0 && b < 2 * n; b++) M[a][b] -= f * M[k][b];
        }
    }
    p->rss = p->rough = p->freedom = 0;
    for (int a = 0; a < n; a++) {
        p->c[a] = 0;
        for (int b = 0; b < n; b++) {
            p->C[a][b] = M[a][n + b];
            p->c[a] += M[a][n + b] * g[b];
            p->freedom += M[a][n + b] * H[b][a];
        }
    }
    for (int i = 0; i < SAMPLES; i++) {
        double r = -p->y[i];
        for (int a = 0; a < n; a++) r += p->A[i][a] * p->c[a];
        p->rss += r * r;
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) p->rough += p->c[a] * p->D[a][b] * p->c[b];
}

static kit_fit fit(const char *history)
{
    char text[600];
    snprintf(text, sizeof text,
             "study: 1\nmodel: mass.yaml\ndata: mass.csv\nnoise: {acc.x: %g m/s^2}\ntry: no\n"
             "unknowns: {push: {history: {%s}}}\n",
             sigma, history);
    return kit_solve(text);
}

static void compare(const char *what, const kit_fit *r, problem *p)
{
    assert_int_equal(r->e->n_history, 1);
    const sn_history_fit *h = &r->e->history[0];
    assert_int_equal(h->n, SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
        double value = 0, variance = 0;
        for (int a = 0; a < p->n; a++) {
            value += p->A[i][a] * mass * sigma * p->c[a];
            for (int b = 0; b < p->n; b++)
                variance += p->A[i][a] * p->A[i][b] * p->C[a][b] * mass * mass * sigma * sigma;
        }
        kit_is(what, h->value[i], value, 1e-7 * 10);
        kit_is(what, h->std_error[i], sqrt(variance), 1e-6 * sqrt(variance));
    }
    kit_is("determined", h->determined, p->freedom, 1e-5 * p->n);
}

static const char *const wave = "3 + 4*sin(7*t/(1 s))";

/* The weight is given: the solution of the normal equations, and its covariance. */
static void test_given(void **state)
{
    static problem p;
    (void)state;
    measure(wave, 11);
    for (int cubic = 0; cubic < 2; cubic++)
        for (int order = 1; order <= 4; order++) {
            char text[200];
            int n = cubic ? 23 : 26;
            snprintf(text, sizeof text, "form: %s, values: %d, order: %d, weight: 0.5",
                     cubic ? "cubic" : "linear", n, order);
            kit_fit r = fit(text);
            kit_converged(&r);
            open_problem(&p, cubic, n, order);
            solve(&p, 0.5);
            compare(text, &r, &p);
            kit_drop(&r);
        }
}

/* Scores of the choices, the noise being stated. */
static double score(problem *p, const char *choice, double w)
{
    solve(p, w);
    if (!strcmp(choice, "gcv")) return SAMPLES * p->rss / pow(SAMPLES - p->freedom, 2);
    if (!strcmp(choice, "discrepancy")) return fabs(log(p->rss / SAMPLES));
    return p->rss + w * p->rough + p->log_det - (p->n - p->order) * log(w);
}

/* Each way of choosing the weight finds the best one of a fine search. */
static void test_chosen(void **state)
{
    static const char *const choices[] = {"likelihood", "gcv", "discrepancy"};
    static problem p;
    (void)state;
    measure(wave, 12);
    open_problem(&p, 1, 33, 2);
    for (int k = 0; k < 3; k++) {
        char text[200];
        double best = INFINITY;
        snprintf(text, sizeof text, "form: cubic, values: 33, order: 2, weight: %s", choices[k]);
        kit_fit r = fit(text);
        kit_converged(&r);
        double w = r.e->history[0].weight, chosen = score(&p, choices[k], w);
        for (int i = -200; i <= 200; i++) best = fmin(best, score(&p, choices[k], w * pow(10, i * 0.01)));
        double range = score(&p, choices[k], 10 * w) + score(&p, choices[k], 0.1 * w) - 2 * best;
        if (!(chosen - best <= 2e-3 * range))
            fail_msg("%s: weight %g has the score %.6g, the best one %.6g; a decade beside it %.3g more",
                     choices[k], w, chosen, best, range);
        solve(&p, w);
        compare(choices[k], &r, &p);
        kit_drop(&r);
    }
}

/* The corner of the L-curve: more curved than three points of the grid to both sides. */
static void test_l_curve(void **state)
{
    static problem p;
    (void)state;
    measure(wave, 13);
    open_problem(&p, 1, 33, 2);
    kit_fit r = fit("form: cubic, values: 33, order: 2, weight: l_curve");
    kit_converged(&r);
    double w = r.e->history[0].weight, bend[7];
    for (int i = 0; i < 7; i++) {
        double x[3], y[3];
        for (int k = 0; k < 3; k++) {
            solve(&p, w * pow(10, 0.25 * (i - 3 + k - 1)));
            x[k] = log(p.rss) / 2, y[k] = log(p.rough) / 2;
        }
        double dx = (x[2] - x[0]) / 2, dy = (y[2] - y[0]) / 2, ddx = x[2] - 2 * x[1] + x[0],
               ddy = y[2] - 2 * y[1] + y[0];
        bend[i] = (dx * ddy - ddx * dy) / pow(dx * dx + dy * dy, 1.5);
    }
    for (int i = 0; i < 7; i++)
        if (i != 3 && !(bend[i] <= bend[3] * 1.02))
            fail_msg("curvature %g at %d, %g chosen", bend[i], i, bend[3]);
    kit_drop(&r);
}

static double error_of(const kit_fit *r, double (*force)(double))
{
    const sn_history_fit *h = &r->e->history[0];
    double sum = 0, size = 0;
    for (int i = 0; i < h->n; i++)
        sum += pow(h->value[i] - force(h->t[i]), 2), size += pow(force(h->t[i]), 2);
    return sqrt(sum / size);
}

static double jump(double t) { return t < 0.355 || t > 0.755 ? 1 : 5; }

/* Jumps (between samples, which are knots) are what total variation is for: it leaves less than half of the
 * error of small bends. */
static void test_total_variation(void **state)
{
    (void)state;
    measure("1 + 4*step(t - 0.355 s)*step(0.755 s - t)", 14);
    kit_fit smooth = fit("form: linear, values: 101"),
            jumps = fit("form: linear, values: 101, smoothing: total_variation");
    double a = error_of(&smooth, jump), b = error_of(&jumps, jump);
    if (!(b < 0.5 * a)) fail_msg("error %g by total variation, %g by small bends", b, a);
    kit_drop(&smooth), kit_drop(&jumps);
}

/* A history of 26 values takes up a quarter of 101 numbers measured, and what it leaves is not white; it is
   not called model error for that. 60 right models; warned of is one in a hundred: more than 3 have a
   probability of 3e-3. */
static void test_false_alarms(void **state)
{
    int alarms = 0;
    (void)state;
    for (uint64_t seed = 100; seed < 160; seed++) {
        measure(wave, seed);
        kit_fit r = fit("form: linear, values: 26, order: 1, weight: 0.5");
        for (int i = 0; i < r.e->n_verdict; i++)
            alarms += r.e->verdict[i].level > 0 && !strcmp(r.e->verdict[i].about, "residuals");
        kit_drop(&r);
    }
    if (alarms > 3) fail_msg("%d of 60 right models are doubted", alarms);
}

/* Bands of total variation hold jumps too: 93 % at least of all times, of six seeds. */
static void test_bands_of_jumps(void **state)
{
    double held = 0, all = 0;
    (void)state;
    for (uint64_t seed = 200; seed < 206; seed++) {
        measure("1 + 4*step(t - 0.355 s)*step(0.755 s - t)", seed);
        kit_fit r = fit("form: linear, values: 101, smoothing: total_variation");
        const sn_history_fit *h = &r.e->history[0];
        for (int i = 0; i < h->n; i++, all++)
            held += fabs(h->value[i] - jump(h->t[i])) < 1.96 * h->std_error[i];
        kit_drop(&r);
    }
    if (!(held > 0.93 * all)) fail_msg("bands hold %.1f %% of the force", 100 * held / all);
}

/* Beside a history other numbers are found: here the mass, which positions of a second experiment tell. */
static void test_beside(void **state)
{
    (void)state;
    kit_put("two.yaml", "sinew: 1\nparameters: {m: 2 kg, known: 3 N}\n"
                        "nodes: {b: {point2d: [0, 0]}}\n"
                        "elements: {bob: {mass2d: b, mass: m},\n"
                        "  push: {force2d: b, force: [push, known*sin(9*t/(1 s))]}}\n"
                        "signals: {push: {expression: 3 + 4*sin(7*t/(1 s))}}\n"
                        "sensors: {acc: {acceleration: b}}\n"
                        "run: {end: 1 s, step: 10 ms, scheme: newmark}\n");
    kit_measure(
        "two.csv",
        &(kit_data){
            .model = "two.yaml", .channels = "acc.x acc.y", .end = 1, .dt = step, .sigma = 0.02, .seed = 5});
    kit_fit r =
        kit_solve("study: 1\nmodel: two.yaml\ndata: two.csv\ntry: no\n"
                  "unknowns: {m: {start: 3 kg}, push: {history: {form: cubic, values: 33, unit: N}}}\n");
    kit_converged(&r);
    double m = kit_value_of(&r, "m"), se = kit_error_of(&r, "m");
    /* a = known sin/m: se = sigma m^2 / (known sqrt(sum sin^2)) */
    kit_is("standard error of m", se, 0.02 * 4 / (3 * sqrt(50.0)), 0.15 * se);
    kit_is("m", m, 2, 4 * se);
    kit_drop(&r);
}

/* Values whose differences of some order are normal numbers, at first 0: sums of sums of them. */
static void draw_history(int order, uint64_t *seed)
{
    double c[33], sum[5] = {0};
    FILE *f = fopen(kit_path("mass.csv"), "w");
    assert_non_null(f);
    fprintf(f, "t,acc.x\n");
    for (int i = 0; i < 33; i++) {
        sum[0] = 20 * kit_normal(seed); /* those of the noise: below 2 */
        for (int k = 1; k <= order; k++) sum[k] += sum[k - 1];
        c[i] = sum[order];
    }
    for (int i = 0; i < SAMPLES; i++) {
        double u = 30 * (double)i / (SAMPLES - 1) + 3, y = 0;
        if (i == SAMPLES - 1) u -= 1e-12;
        for (int j = 0; j < 33; j++) y += basis(j, 3, u) * c[j] / mass;
        fprintf(f, "%.17g,%.17g\n", i * step, y + sigma * kit_normal(seed));
    }
    fclose(f);
}

/* Histories drawn from what smoothness of an order means: that order has the best evidence. Of two orders the
   wrong one is better by more than d with a probability below exp(-d) (Markov), so that at least 7 of 10 are
   right where they differ by a few units, as these do: 30 differences far above the noise. */
static void test_order(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (int order = 1; order <= 3; order++) {
        int right = 0;
        for (int k = 0; k < 10; k++) {
            draw_history(order, &seed);
            kit_fit r = fit("form: cubic, values: 33");
            kit_converged(&r);
            right += r.e->history[0].order == order;
            kit_drop(&r);
        }
        print_message("order %d: found in %d of 10\n", order, right);
        assert_true(right >= 7);
    }
}

static void refused(const char *unknowns, const char *words)
{
    static sn_err err;
    sn_study *s = NULL;
    char text[800];
    snprintf(text, sizeof text, "study: 1\nmodel: mass.yaml\ndata: mass.csv\nunknowns: {%s}\n", unknowns);
    kit_put("bad.yaml", text);
    sn_err_clear(&err);
    sn_status status = sn_study_read(kit_path("bad.yaml"), NULL, 0, &s, &err);
    sn_study_free(s);
    if (status != SN_ERR_INPUT) fail_msg("'%s' is taken: %d", unknowns, status);
    if (!strstr(err.report[0].text, words)) fail_msg("'%s': %s", unknowns, err.report[0].text);
    if (err.report[0].line != 4) fail_msg("'%s': line %d", unknowns, err.report[0].line);
}

static void test_bad_input(void **state)
{
    (void)state;
    measure(wave, 15);
    refused("pusch: {history: cubic}", "did you mean 'push'?");
    refused("push: {history: quintic}", "linear, cubic, series");
    refused("push: {history: [cubic]}", "a history is");
    refused("push: {history: {form: cubic, value: 12}}", "values");
    refused("push: {history: {form: cubic, values: 3}}", "at least 4");
    refused("push: {history: {form: cubic, values: 12, spacing: 0.1 s}}", "not both");
    refused("push: {history: {form: cubic, values: 1e9}}", "more than");
    refused("push: {history: {form: cubic, spacing: 0.1 m}}", "m");
    refused("push: {history: {order: 5}}", "1 (rates are small), 2 (bends are small), 3 or 4");
    refused("push: {history: {order: 1.5}}", "3 or 4");
    refused("push: {history: {form: linear, values: 3, order: 3}}", "need 4 values");
    refused("push: {history: {weight: discrepancy}}", "noise: {acc.x: ...}");
    refused("push: {history: {weight: -1}}", "'weight' must be at least 0");
    refused("push: {histroy: cubic}", "did you mean 'history'?");
    refused("push: {history: {form: cubic, values: 12.7}}", "whole number");
    refused("push: {history: {weight: best}}", "likelihood, gcv, l_curve, discrepancy");
    refused("push: {history: {smoothing: ridge}}", "none, tikhonov, total_variation");
    refused("push: {history: cubic, start: 3}", "start");
    refused("push.force.x: {history: {form: cubic, unit: s}}", "is in N, which 's' does not measure");
    refused("push.force.x: {history: {form: cubic, unit: newt}}", "'newt' is no unit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given),           cmocka_unit_test(test_chosen),
        cmocka_unit_test(test_l_curve),         cmocka_unit_test(test_order),
        cmocka_unit_test(test_total_variation), cmocka_unit_test(test_beside),
        cmocka_unit_test(test_false_alarms),    cmocka_unit_test(test_bands_of_jumps),
        cmocka_unit_test(test_bad_input)};
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
