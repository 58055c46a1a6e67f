/* The Kalman filter and smoother against batch solutions: one that is computed here, by dense normal
   equations whose Jacobian comes from runs alone (the model is linear), and that of the indirect method.

   Tolerances: both sides solve the same equations, so that only rounding is between them. Runs converged to
   rounding give the Jacobian's columns about 1e-11 of the response, the filter leaves out singular values of
   1e-8 (whose squares are the covariance's); the condition of the normal equations multiplies that by some
   hundreds. 1e-6 of a standard error, or of the largest value, is asked for. Nonlinear searches end where
   1e-8 of the cost is left to win: 1e-4 standard errors; 1e-3 is asked for. */
#include "identify_kit.h"
#include "identify/history.h"
#include "identify/search.h"

#include <lapacke.h>

#undef I

/* A mass on a damped spring along x, pushed by a force whose history is sought. */
static const char pushed_text[] = "sinew: 1\n"
                                  "parameters: {m: 2 kg, k: 80 N/m, c: 1.5 N*s/m}\n"
                                  "nodes: {b: [1, 0]}\n"
                                  "elements:\n"
                                  "  bob: {mass2d: b, mass: m}\n"
                                  "  s: {spring2d: [ground, b], k: k, c: c, l0: 1 m}\n"
                                  "  push: {force2d: b, force: [push*1 N, 0]}\n"
                                  "joints: {rail: {fixed: b, only: y}}\n"
                                  "signals: {push: {expression: 3*sin(4*t) + 2}}\n"
                                  "sensors: {at: {position: b}, fast: {velocity: b}, a: {acceleration: b}}\n"
                                  "run: {end: 2 s, step: 10 ms}\n";

/* Two rods in a row from the ground, the far end pushed sideways: constraints, and large turns. */
static const char rods_text[] = "sinew: 1\n"
                                "parameters: {m: 1 kg}\n"
                                "gravity: [0, -9.81]\n"
                                "nodes: {p: [0.6, -0.8], q: [0.6, -1.8]}\n"
                                "elements:\n"
                                "  one: {mass2d: p, mass: m}\n"
                                "  two: {mass2d: q, mass: 0.5 kg}\n"
                                "  push: {force2d: q, force: [push*1 N, 0]}\n"
                                "joints: {upper: {distance: [ground, p]}, lower: {distance: [p, q]}}\n"
                                "signals: {push: {expression: 2*sin(5*t)}}\n"
                                "sensors: {a: {acceleration: q}, at: {position: p}}\n"
                                "run: {end: 1.5 s, step: 5 ms}\n";

static int set_up(void **state)
{
    if (kit_begin(state)) return -1;
    kit_put("pushed.yaml", pushed_text);
    kit_put("rods.yaml", rods_text);
    kit_measure("a.csv", &(kit_data){.model = "pushed.yaml",
                                     .channels = "a.x at.x",
                                     .end = 2,
                                     .dt = 0.02,
                                     .sigma = 0.1,
                                     .gap = {0.7, 0.9},
                                     .seed = 7});
    kit_measure("b.csv", &(kit_data){.model = "pushed.yaml",
                                     .channels = "fast.x",
                                     .end = 2,
                                     .dt = 0.025, /* every second sample lies between two steps */
                                     .sigma = 0.01,
                                     .seed = 8});
    kit_measure(
        "rods.csv",
        &(kit_data){
            .model = "rods.yaml", .channels = "a.x a.y", .end = 1.5, .dt = 0.01, .sigma = 0.2, .seed = 9});
    return 0;
}

/* ---- dense normal equations ---- */

/* The model's channels of an experiment with coefficients c of its history; linear in them. */
static void run_with(const sn_study *s, const double *c, double *y)
{
    const sn_experiment *x = &s->experiment[0];
    const sn_history *h = &s->history[0];
    int all = sn_channel_count(s->model);
    sn_values *p;
    sn_err err;
    sn_info info;
    double *room = calloc((size_t)x->n * (size_t)all, sizeof *room);
    sn_err_clear(&err);
    kit_tell(&err, sn_values_copy(x->values, &p, &err));
    for (int i = 0; i < h->n; i++) p->x[h->id + i] = c[i], p->fixed[h->id + i] = 1;
    kit_tell(&err, sn_values_update(p, &err));
    sn_run_options o = s->run;
    o.begin = x->begin, o.end = x->t[x->n - 1], o.exact = SN_EXACT;
    kit_tell(&err, sn_sample(s->model, p, &o, &(sn_samples){x->n, x->t, room, NULL}, &info, &err));
    for (int i = 0; i < x->n; i++)
        for (int k = 0; k < x->n_channel; k++) y[i * x->n_channel + k] = room[i * all + x->channel[k]];
    free(room);
    sn_values_free(p);
}

typedef struct dense {
    int n;
    double *c, *C; /* coefficients, covariance */
    double determined, evidence;
} dense;

static dense solve_dense(const sn_study *s)
{
    const sn_experiment *x = &s->experiment[0];
    const sn_history_part *p = &s->history_part[0];
    const sn_history *h = &s->history[0];
    const double *stencil = sn_history_stencil(s, p);
    size_t n = (size_t)p->n, rows = (size_t)x->n * (size_t)x->n_channel;
    dense d = {.n = p->n, .c = calloc(n, sizeof(double)), .C = calloc(n * n, sizeof(double))};
    double *J = calloc(rows * n, sizeof *J), *y0 = calloc(rows, sizeof *J), *y = calloc(rows, sizeof *J),
           *P = calloc(n * n, sizeof *P), *b = calloc(n, sizeof *b), *zero = calloc(n, sizeof *zero), sum = 0;
    run_with(s, zero, y0);
    for (size_t k = 0; k < n; k++) {
        zero[k] = 1;
        run_with(s, zero, y);
        zero[k] = 0;
        for (size_t i = 0; i < rows; i++)
            J[i * n + k] = isnan(x->y[i]) ? 0 : (y[i] - y0[i]) / x->sigma[i % (size_t)x->n_channel];
    }
    for (size_t i = 0; i + (size_t)h->order < n; i++)
        for (size_t a = 0; a <= (size_t)h->order; a++)
            for (size_t c = 0; c <= (size_t)h->order; c++)
                P[(i + a) * n + i + c] += p->weight * stencil[a] * stencil[c];
    memcpy(d.C, P, sizeof *P * n * n);
    for (size_t i = 0; i < rows; i++) {
        double r = isnan(x->y[i]) ? 0 : (x->y[i] - y0[i]) / x->sigma[i % (size_t)x->n_channel];
        for (size_t a = 0; a < n; a++) {
            b[a] += J[i * n + a] * r;
            for (size_t c = 0; c < n; c++) d.C[a * n + c] += J[i * n + a] * J[i * n + c];
        }
    }
    assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (int)n, d.C, (int)n), 0);
    for (size_t i = 0; i < n; i++) sum += 2 * log(d.C[i * n + i]);
    memcpy(d.c, b, sizeof *b * n);
    assert_int_equal(LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', (int)n, 1, d.C, (int)n, d.c, 1), 0);
    assert_int_equal(LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', (int)n, d.C, (int)n), 0);
    d.determined = (double)n;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            if (k > i) d.C[i * n + k] = d.C[k * n + i];
            d.determined -= d.C[i * n + k] * P[i * n + k];
            sum += d.c[i] * P[i * n + k] * d.c[k];
        }
    for (size_t i = 0; i < rows; i++) {
        if (isnan(x->y[i])) continue;
        double sigma = x->sigma[i % (size_t)x->n_channel], r = (x->y[i] - y0[i]) / sigma;
        for (size_t a = 0; a < n; a++) r -= J[i * n + a] * d.c[a];
        sum += r * r + 2 * log(sigma);
    }
    sum -= (double)(p->n - h->order) * log(p->weight);
    d.evidence = -0.5 * sum;
    free(J), free(y0), free(y), free(P), free(b), free(zero);
    return d;
}

static void compare_dense(const char *text)
{
    kit_fit r = kit_solve(text);
    const sn_history_fit *q = &r.e->history[0];
    dense d = solve_dense(r.s);
    size_t n = (size_t)d.n;
    double top = 0;
    kit_converged(&r);
    assert_int_equal(r.s->n_unknown, 0);
    for (int i = 0; i < d.n; i++) top = fmax(top, fabs(d.c[i]));
    for (int i = 0; i < q->n; i++) {
        double b[4], value = 0, variance = 0;
        int first, m = sn_history_basis(r.s, &r.s->history_part[0], q->t[i], &first, b);
        for (int a = 0; a < m; a++) {
            value += b[a] * d.c[first + a];
            for (int c = 0; c < m; c++)
                variance += b[a] * b[c] * d.C[(size_t)(first + a) * n + (size_t)(first + c)];
        }
        kit_is("a value", q->value[i], value, 1e-6 * top);
        kit_is("a standard error", q->std_error[i] / sqrt(variance), 1, 1e-6);
    }
    kit_is("determined", q->determined, d.determined, 1e-5);
    kit_is("the evidence", r.e->evidence, d.evidence, 1e-5);
    /* at the end the filter knows what the smoother knows */
    kit_is("the last filtered value", q->filtered[q->n_filtered - 1], q->value[q->n - 1], 1e-6 * top);
    kit_is("its error", q->filtered_error[q->n_filtered - 1], q->std_error[q->n - 1], 1e-6 * top);
    free(d.c), free(d.C);
    kit_drop(&r);
}

#define KALMAN "study: 1\nmodel: pushed.yaml\nmethod: kalman\n"

static void test_dense(void **state)
{
    (void)state;
    const char *a = "data: a.csv\nnoise: {a.x: 0.1 m/s^2, at.x: 0.1 m}\n",
               *b = "data: b.csv\nnoise: {fast.x: 0.01 m/s}\n";
    static const char *const history[] = {
        "form: cubic, values: 43, order: 2, weight: 0.3",  "form: cubic, values: 30, order: 1, weight: 2",
        "form: linear, values: 41, order: 2, weight: 4",   "form: linear, values: 57, order: 1, weight: 1",
        "form: linear, values: 401, order: 1, weight: 20", /* two a step */
        "form: cubic, values: 5, order: 2, weight: 1e-4"};
    char text[600];
    for (size_t i = 0; i < sizeof history / sizeof *history; i++)
        for (int k = 0; k < 2; k++) {
            snprintf(text, sizeof text, KALMAN "%sunknowns: {push: {history: {%s}}}\n", k ? b : a,
                     history[i]);
            compare_dense(text);
        }
}

/* ---- the indirect method ---- */

static void compare_indirect(const char *head, const char *rest, double tolerance)
{
    char text[1000];
    snprintf(text, sizeof text, "%smethod: kalman\n%s", head, rest);
    kit_fit k = kit_solve(text);
    snprintf(text, sizeof text, "%smethod: indirect\n%s", head, rest);
    kit_fit b = kit_solve(text);
    kit_converged(&k), kit_converged(&b);
    for (int u = 0; u < k.s->n_unknown; u++) {
        double se = kit_error_of(&b, k.s->unknown[u].name);
        kit_is(k.s->unknown[u].name, k.e->value[u], kit_value_of(&b, k.s->unknown[u].name), tolerance * se);
        kit_is("its standard error", k.e->std_error[u] / se, 1, tolerance);
    }
    assert_int_equal(k.e->n_history, b.e->n_history);
    for (int h = 0; h < k.e->n_history; h++) {
        const sn_history_fit *p = &k.e->history[h], *q = &b.e->history[h];
        assert_int_equal(p->n, q->n);
        for (int i = 0; i < p->n; i++) {
            kit_is("a value", p->value[i], q->value[i], tolerance * q->std_error[i]);
            kit_is("a standard error", p->std_error[i] / q->std_error[i], 1, tolerance);
        }
        kit_is("determined", p->determined, q->determined, tolerance * q->values);
    }
    kit_is("the size of the residuals", k.e->rms, b.e->rms, tolerance);
    kit_drop(&k), kit_drop(&b);
}

/* A stiffness and a sensor's offset beside the history; the response is linear in neither. */
static void test_with_parameters(void **state)
{
    (void)state;
    compare_indirect("study: 1\nmodel: pushed.yaml\ndata: a.csv\nnoise: {a.x: 0.1 m/s^2, at.x: 0.1 m}\n",
                     "instruments: {at.x: {offset: {start: 0}}}\n"
                     "unknowns: {k: {start: 70, prior: [78, 4]}, push: {history: {form: cubic, values: 33, "
                     "weight: 0.5}}}\n",
                     1e-3);
}

static void test_with_joints(void **state)
{
    (void)state;
    compare_indirect("study: 1\nmodel: rods.yaml\ndata: rods.csv\nnoise: {a.x: 0.2 m/s^2, a.y: 0.2 m/s^2}\n",
                     "unknowns: {push: {history: {form: linear, values: 61, weight: 1}}}\n", 1e-3);
}

/* A history named by the load's component it is. */
static void test_component(void **state)
{
    (void)state;
    compare_indirect("study: 1\nmodel: pushed.yaml\ndata: a.csv\nnoise: {a.x: 0.1 m/s^2, at.x: 0.1 m}\n",
                     "unknowns: {push.force.x: {history: {form: cubic, values: 33, weight: 0.5}}}\n", 1e-3);
}

/* Two experiments with one stiffness and a history each. */
static void test_experiments(void **state)
{
    (void)state;
    compare_indirect("study: 1\nmodel: pushed.yaml\n",
                     "experiments: {one: {data: a.csv, noise: {a.x: 0.1 m/s^2, at.x: 0.1 m}}, two: {data: "
                     "b.csv, noise: {fast.x: 0.01 m/s}}}\n"
                     "unknowns: {k: {start: 78}, push: {history: {form: cubic, values: 23, weight: 0.5}}}\n",
                     1e-3);
}

/* Weights and noise that are found: each side ends where they change by a few percent no more, the indirect
   method by 20 % of a weight and 2 % of a deviation. */
static void test_weight(void **state)
{
    (void)state;
    static const char head[] = "study: 1\nmodel: pushed.yaml\ndata: b.csv\n",
                      rest[] = "unknowns: {push: {history: {form: cubic, values: 43, order: 2}}}\n";
    for (int stated = 0; stated < 2; stated++) {
        char text[400];
        const char *noise = stated ? "noise: {fast.x: 0.01 m/s}\n" : "";
        snprintf(text, sizeof text, "%s%smethod: kalman\n%s", head, noise, rest);
        kit_fit k = kit_solve(text);
        snprintf(text, sizeof text, "%s%s%s", head, noise, rest);
        kit_fit b = kit_solve(text);
        kit_converged(&k), kit_converged(&b);
        kit_is("the logarithm of the weights' ratio", log(k.e->history[0].weight / b.e->history[0].weight), 0,
               log(1.25));
        kit_is("the noise", k.s->experiment[0].sigma[0] / b.s->experiment[0].sigma[0], 1, 0.03);
        kit_must_say(&k, "innovations of the filter are white");
        kit_drop(&k), kit_drop(&b);
    }
}

/* ---- bands ---- */

enum { VALUES = 51, SEEDS = 100 };

/* Histories drawn as random walks: their bands of 95 % must hold them as often. Points 0.24 s apart are all
   but independent (what the data say of one is hardly felt beyond the next value): with 800 of them the part
   that is within scatters by 0.8 %, and 93 to 97 % are 2.4 deviations. The seeds are fixed. */
static void test_coverage(void **state)
{
    (void)state;
    static const char text[] =
        KALMAN "data: walk.csv\nnoise: {at.x: 0.002 m}\n"
               "unknowns: {push: {history: {form: linear, values: 51, order: 1, weight: 4}}}\n";
    long within = 0, count = 0;
    kit_measure("walk.csv",
                &(kit_data){.model = "pushed.yaml", .channels = "at.x", .end = 2, .dt = 0.02, .seed = 1});
    for (uint64_t k = 0; k < SEEDS; k++) {
        uint64_t seed = 1000 + k;
        sn_study *s;
        sn_err err;
        double c[VALUES], *y;
        sn_err_clear(&err);
        kit_put("study.yaml", text);
        kit_tell(&err, sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err));
        const sn_experiment *x = &s->experiment[0];
        c[0] = 3 * kit_normal(&seed);
        for (int i = 1; i < VALUES; i++) c[i] = c[i - 1] + 0.5 * kit_normal(&seed);
        y = calloc((size_t)x->n, sizeof *y);
        run_with(s, c, y);
        FILE *f = fopen(kit_path("walk.csv"), "w");
        assert_non_null(f);
        fprintf(f, "t,at.x\n");
        for (int i = 0; i < x->n; i++) fprintf(f, "%.17g,%.17g\n", x->t[i], y[i] + 0.002 * kit_normal(&seed));
        fclose(f), free(y);
        sn_study_free(s);
        kit_fit r = kit_solve(text);
        const sn_history_fit *q = &r.e->history[0];
        for (int i = 3; i < VALUES; i += 6) { /* knots */
            int at = i * (q->n - 1) / (VALUES - 1);
            kit_is("the time of a knot", q->t[at], 0.04 * i, 1e-9);
            within += fabs(q->value[at] - c[i]) <= 1.959964 * q->std_error[at], count++;
        }
        kit_drop(&r);
    }
    kit_is("coverage", (double)within / (double)count, 0.95, 0.02);
}

/* ---- many values ---- */

static void test_many(void **state)
{
    (void)state;
    kit_measure(
        "long.csv",
        &(kit_data){
            .model = "pushed.yaml", .channels = "at.x", .end = 30, .dt = 0.01, .sigma = 0.005, .seed = 3});
    kit_fit r = kit_solve("study: 1\nmodel: pushed.yaml\nrun: {end: 30 s}\ndata: long.csv\nnoise: {at.x: "
                          "0.005 m}\nunknowns: {push: {history: {form: cubic, values: 1503}}}\n");
    const sn_history_fit *q = &r.e->history[0];
    double sum = 0, expected = 0;
    kit_converged(&r);
    assert_int_equal(r.s->n_unknown, 0); /* taken over from the indirect method */
    for (int i = 0; i < q->n; i++) {
        double d = q->value[i] - (3 * sin(4 * q->t[i]) + 2);
        sum += d * d, expected += q->std_error[i] * q->std_error[i];
    }
    /* bands are right on the average over histories; of a smooth one they are rather wide */
    if (sum > 1.2 * expected) fail_msg("off by %g times the bands", sqrt(sum / expected));
    if (expected > 0.04 * q->rms * q->rms * q->n) fail_msg("seen to %g", sqrt(expected / q->n) / q->rms);
    kit_must_say(&r, "the residuals look like noise");
    kit_drop(&r);
}

/* The adjoint gradient of a batch has the smoothness in it as the normal equations have. */
static void test_gradient(void **state)
{
    (void)state;
    sn_study *s;
    sn_fit *f;
    sn_err err;
    double z[23], g[23], cost;
    sn_err_clear(&err);
    kit_put("study.yaml", "study: 1\nmodel: pushed.yaml\ndata: b.csv\nnoise: {fast.x: 0.01 m/s}\n"
                          "unknowns: {push: {history: {form: cubic, values: 23, weight: 30}}}\n");
    kit_tell(&err, sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err));
    kit_tell(&err, sn_fit_new(s, 1, &f, &err));
    for (int i = 0; i < 23; i++) z[i] = 2 + sin(i);
    kit_tell(&err, sn_fit_evaluate(f, z, INFINITY, 0, 1, &err));
    kit_tell(&err, sn_fit_gradient(f, z, &cost, g, &err));
    kit_is("the cost", cost, f->cost, 1e-8 * cost);
    for (int i = 0; i < 23; i++) kit_is("a derivative", g[i], f->g[i], 1e-8 * cost);
    sn_fit_free(f);
    sn_study_free(s);
}

/* ---- what is refused ---- */

static void refuse(const char *text, const char *words)
{
    sn_study *s;
    sn_err err;
    sn_err_clear(&err);
    kit_put("study.yaml", text);
    sn_status status = sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err);
    if (!status) sn_study_free(s);
    if (!status) fail_msg("accepted:\n%s", text);
    if (!strstr(err.report[0].text, words)) fail_msg("'%s' instead of '%s'", err.report[0].text, words);
    assert_true(err.report[0].line > 0);
}

static void test_refused(void **state)
{
    (void)state;
#define PUSH "data: b.csv\nunknowns: {push: {history: {form: linear, values: 21"
    refuse(KALMAN PUSH ", smoothing: none}}}\n", "tikhonov");
    refuse(KALMAN PUSH ", smoothing: total_variation}}}\n", "tikhonov");
    refuse(KALMAN PUSH ", weight: gcv}}}\n", "likelihood");
    refuse(KALMAN "data: b.csv\nunknowns: {push: {history: series}}\n", "series");
    refuse(KALMAN "kalman: {iteration: 3}\n" PUSH "}}}\n", "iteration");
    refuse(KALMAN "kalman: {iterations: -1}\n" PUSH "}}}\n", "whole number");
    refuse(KALMAN "optimiser: lbfgs\n" PUSH "}}}\n", "indirect method");
    refuse(KALMAN "instants: [1 s]\n" PUSH "}}}\n", "direct methods");
    refuse(KALMAN "loss: huber\n" PUSH "}}}\n", "huber");
    refuse(KALMAN "data: b.csv\n", "unknowns");
    refuse(KALMAN "offset: unknown\n" PUSH "}}}\n", "offset");
    refuse("study: 1\nmodel: pushed.yaml\nkalman: {iterations: 3}\n" PUSH "}}}\n", "method: kalman");
    kit_put("driven.yaml",
            "sinew: 1\nnodes: {b: [1, 0]}\n"
            "elements: {i: {mass2d: b, mass: 1 kg}, s: {spring2d: [ground, b], k: 10 N/m, l0: 1 m}}\n"
            "joints: {d: {drive: [b.y], value: push*1 m}}\nsignals: {push: {expression: t}}\n"
            "sensors: {fast: {velocity: b}}\nrun: {end: 2 s, step: 10 ms}\n");
    refuse("study: 1\nmodel: driven.yaml\nmethod: kalman\n" PUSH "}}}\n", "drives a joint");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),       cmocka_unit_test(test_with_parameters),
        cmocka_unit_test(test_with_joints), cmocka_unit_test(test_component),
        cmocka_unit_test(test_experiments), cmocka_unit_test(test_weight),
        cmocka_unit_test(test_coverage),    cmocka_unit_test(test_many),
        cmocka_unit_test(test_gradient),    cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, set_up, kit_end);
}
