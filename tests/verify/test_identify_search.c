/* The search: false minima and what helps against them (windows, horizons, random starts), other optimisers,
   stopping, resuming, and models that cannot be simulated. */
#include "identify_kit.h"

#include "identify/search.h"

#define BOUNDS "unknowns: {k: {start: %g, bounds: [1, 1e4]}, c: {start: 0.15, bounds: [1e-3, 0.3]}}\n"

/* Five periods with hardly any damping; from 250 instead of 80 N/m the phases are off by more than one of
   them at the end. */
static const kit_data lengthy = {.model = "spring.yaml",
                                 .set = "c=0.1 f=0",
                                 .channels = "at.x fast.x",
                                 .end = 5,
                                 .dt = 0.02,
                                 .sigma = 1e-3,
                                 .seed = 2};

static void study_from(char *text, size_t size, double k, const char *more)
{
    snprintf(text, size,
             "study: 1\nmodel: spring.yaml\nrun: {step: 10 ms}\nset: {f: 0}\ndata: data.csv\n" BOUNDS "%s", k,
             more);
}

static void test_false_minimum(void **state)
{
    (void)state;
    char text[600];
    kit_measure("data.csv", &lengthy);
    study_from(text, sizeof text, 250, "horizon: no\nstarts: 0\n");
    kit_fit r = kit_solve(text);
    assert_true(fabs(kit_value_of(&r, "k") - 80) > 8); /* else the others show nothing */
    kit_must_say(&r, "model error");
    kit_drop(&r);
    study_from(text, sizeof text, 250, "horizon: no\nstarts: {n: 12, spread: 8, seed: 3}\n");
    r = kit_solve(text);
    kit_converged(&r);
    kit_is("k by random starts", kit_value_of(&r, "k"), 80,
           0.5); /* the step is another one than the data's */
    assert_int_equal(r.e->starts, 12);
    assert_true(r.e->alike >= 1);
    kit_must_say(&r, "of 12 random starts found the same optimum");
    kit_drop(&r);
    study_from(text, sizeof text, 250, "horizon: 0.2 s\nstarts: 0\n");
    r = kit_solve(text);
    kit_converged(&r);
    kit_is("k by the horizon", kit_value_of(&r, "k"), 80, 0.5);
    kit_drop(&r);
    /* which is the default, its first window chosen */
    for (int i = 0; i < 2; i++) {
        study_from(text, sizeof text, 250, i ? "" : "starts: 0\n");
        r = kit_solve(text);
        kit_converged(&r);
        kit_is("k by default", kit_value_of(&r, "k"), 80, 0.5);
        kit_drop(&r);
    }
}

/* Noise of half the amplitude: the first windows tell nothing, and what they seem to tell must not lead away.
   Found is what the fit from the true values finds, to a hundredth of its standard error. */
static void test_noise(void **state)
{
    (void)state;
    static const double from[] = {80, 8, 25, 250, 800};
    char text[600];
    int left = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        kit_data d = lengthy;
        double k = 80;
        d.sigma = 0.1, d.seed = 11 * seed;
        kit_measure("data.csv", &d);
        for (int i = 0; i < 5; i++) {
            study_from(text, sizeof text, from[i], seed % 2 ? "" : "horizon: 0.1 s\n");
            kit_fit r = kit_solve(text);
            kit_converged(&r);
            double se = kit_error_of(&r, "k");
            kit_is("k", kit_value_of(&r, "k"), k, (i ? 0.01 : 4) * se);
            k = kit_value_of(&r, "k");
            kit_drop(&r);
        }
        study_from(text, sizeof text, 250, "horizon: no\nstarts: 0\n");
        kit_fit r = kit_solve(text);
        left += fabs(kit_value_of(&r, "k") / k - 1) > 0.1;
        kit_drop(&r);
    }
    assert_true(left >= 2); /* of 4: else it was no task */
}

/* A force that is a square: its root has two signs, and the data cannot tell them apart. Both have the
   probability 1/2; the interval covers both, the standard error one. */
static void test_minima(void **state)
{
    (void)state;
    kit_put("square.yaml", "sinew: 1\nparameters: {u: 1.7, m: 2 kg}\nnodes: {b: [0, 0]}\n"
                           "elements: {bob: {mass2d: b, mass: m}, push: {force2d: b, force: [u*u, 0]}}\n"
                           "sensors: {at: {position: b}}\nrun: {end: 1 s, step: 5 ms}\n");
    kit_measure(
        "data.csv",
        &(kit_data){
            .model = "square.yaml", .channels = "at.x", .end = 1, .dt = 0.01, .sigma = 0.01, .seed = 4});
    kit_fit r = kit_solve("study: 1\nmodel: square.yaml\ndata: data.csv\nnoise: {at.x: 10 mm}\nstarts: 8\n"
                          "unknowns: {u: {start: 1, bounds: [-5, 5], scale: linear}}\n");
    kit_converged(&r);
    assert_int_equal(r.e->n_minimum, 2);
    double u = kit_value_of(&r, "u"), se = kit_error_of(&r, "u");
    kit_is("size", fabs(u), 1.7, 4 * se);
    kit_is("the other", sn_fit_value(r.s, 0, r.e->minimum[1].z[0]), -u, 0.01 * se);
    for (int i = 0; i < 2; i++) {
        kit_is("weight", r.e->minimum[i].weight, 0.5, 1e-3);
        assert_true(r.e->minimum[i].starts >= 1);
    }
    /* 2.5 % of all are 5 % of one of them: 1.645 standard errors outwards */
    kit_is("upper end", r.e->hi[0], fabs(u) + 1.645 * se, 0.02 * se);
    kit_is("lower end", r.e->lo[0], -fabs(u) - 1.645 * se, 0.02 * se);
    kit_must_say(&r, "the data do not tell 2 minima apart");
    kit_drop(&r);
}

/* Residuals that are not noise: it is the model where other starts come back, a false minimum where not; with
   'starts: 0' nobody is asked. */
static void test_doubt(void **state)
{
    (void)state;
    char text[600];
    kit_data d = lengthy;
    kit_measure("data.csv", &d);
    study_from(text, sizeof text, 250, "horizon: no\nstarts: 0\n");
    kit_fit r = kit_solve(text);
    kit_must_say(&r, "it may be a false minimum: the residuals are not noise, and no other start was tried");
    kit_drop(&r);
    /* a force that the model does not have */
    d.set = "c=0.1 f=2", d.end = 2;
    kit_measure("data.csv", &d);
    study_from(text, sizeof text, 80, "");
    r = kit_solve(text);
    assert_true(r.e->starts >= 3 && r.e->doubts.looked);
    kit_must_say(&r, "random starts found the same optimum: it is the model, not the search");
    kit_drop(&r);
}

/* Without a horizon searches from far away end in different places, none of which explains the data: k = 80
   has phases that are off by periods from where all of them begin. */
static void test_probably_false(void **state)
{
    (void)state;
    char text[600];
    kit_measure("data.csv", &lengthy);
    study_from(text, sizeof text, 1500, "horizon: no\nstarts: {n: 6, spread: 2, seed: 1}\n");
    kit_fit r = kit_solve(text);
    assert_true(fabs(kit_value_of(&r, "k") - 80) > 8); /* else it is none */
    assert_int_equal(r.e->starts, 6);
    assert_true(r.e->alike < 3);
    kit_must_say(&r, "probably a false minimum: the residuals are not noise, and");
    kit_drop(&r);
}

/* A force that sets in after half of the time: the whole wants another stiffness, the first half the true
   one, within four of its standard errors and the bias by a step of 10 ms, 0.5 (test_false_minimum). */
static void test_half(void **state)
{
    (void)state;
    kit_put("later.yaml", "sinew: 1\nparameters: {k: 80 N/m, f: 0 N}\nnodes: {b: [1.2, 0]}\n"
                          "signals: {late: {step: 1, start: 1.02 s, end: 1.03 s}}\n"
                          "elements:\n  bob: {mass2d: b, mass: 2}\n"
                          "  s: {spring2d: [ground, b], k: k, c: 0.1 N*s/m, l0: 1}\n"
                          "  push: {force2d: b, force: [f*late, 0]}\n"
                          "joints: {rail: {fixed: b, only: y}}\n"
                          "sensors: {at: {position: b}}\nrun: {end: 2 s, step: 2 ms}\n");
    kit_measure("data.csv", &(kit_data){.model = "later.yaml",
                                        .set = "f=6",
                                        .channels = "at.x",
                                        .end = 2,
                                        .dt = 0.02,
                                        .sigma = 1e-3,
                                        .seed = 2});
    kit_fit r = kit_solve("study: 1\nmodel: later.yaml\ndata: data.csv\nunknowns: {k: {start: 70 N/m}}\n");
    assert_true(r.e->doubts.half);
    kit_is("k of the first half", r.e->doubts.value, 80, 0.5);
    kit_must_say(
        &r, "probably a false minimum, or something changes on the way: the first half of the data alone "
            "is explained, but with k = ");
    kit_drop(&r);
}

/* Levenberg and Marquardt's method ends within 1e-9 of the cost: 1e-4 standard errors at most, since the cost
   rises by a half for one standard error and is about 250 here. */
static void test_optimisers(void **state)
{
    (void)state;
    static const char *const other[] = {"lbfgs", "cma_es"};
    char text[600], line[60];
    kit_data d = lengthy;
    d.end = 1;
    kit_measure("data.csv", &d);
    study_from(text, sizeof text, 60, "noise: {at.x: 1 mm, fast.x: 1 mm/s}\n");
    kit_fit r = kit_solve(text);
    kit_converged(&r);
    for (int i = 0; i < 2; i++) {
        snprintf(line, sizeof line, "noise: {at.x: 1 mm, fast.x: 1 mm/s}\noptimiser: %s\n", other[i]);
        study_from(text, sizeof text, 60, line);
        kit_fit o = kit_solve(text);
        kit_converged(&o);
        for (int k = 0; k < 2; k++) {
            kit_is(other[i], o.e->value[k], r.e->value[k], 2e-3 * r.e->std_error[k]);
            kit_is("standard error", o.e->std_error[k], r.e->std_error[k], 1e-3 * r.e->std_error[k]);
        }
        kit_drop(&o);
    }
    kit_drop(&r);
}

/* ---- gradients by the adjoint ---- */

/* Outliers, a late clock, a gap; the unknowns are one of all kinds. */
static const kit_data rough = {.model = "spring.yaml",
                               .channels = "at.x fast.x",
                               .end = 1,
                               .dt = 0.02,
                               .sigma = 1e-3,
                               .shift = 0.013,
                               .wild = 0.1,
                               .gap = {0.3, 0.4},
                               .seed = 7};
#define ROUGH                                                                                                \
    "study: 1\nmodel: spring.yaml\nnoise: {at.x: 1 mm, fast.x: 1 mm/s}\nexperiments:\n"                      \
    "  a: {data: late.csv, weight: 0.5%s}\n  b: data.csv\n  c: {data: late.csv, hold_out: yes}\n"            \
    "unknowns:\n  k: {start: 78, bounds: [1, 1e4], prior: [80, 1]}\n  c: {tie: k*0.02 s}\n"                  \
    "  f: {start: 3.1, scale: linear}\n  x0: {start: 1.19, each: experiment}\n%s"

static sn_fit *rough_fit(const char *offset, const char *more, sn_study **s)
{
    char text[900];
    sn_fit *f;
    static sn_err err;
    sn_err_clear(&err);
    kit_data right = rough;
    right.shift = 0;
    kit_measure("late.csv", &rough);
    kit_measure("data.csv", &right);
    snprintf(text, sizeof text, ROUGH, offset, more);
    kit_put("study.yaml", text);
    kit_tell(&err, sn_study_read(kit_path("study.yaml"), NULL, 0, s, &err));
    kit_tell(&err, sn_fit_new(*s, 1, &f, &err));
    return f;
}

static double cost_at(sn_fit *f, const double *z)
{
    static sn_err err;
    sn_err_clear(&err);
    kit_tell(&err, sn_fit_evaluate(f, z, INFINITY, 0, 1, &err));
    return f->cost;
}

/* The adjoint's cost is that of the least squares, its gradient J'r (both exact to rounding, which Newton's
   iteration amplifies to some 1e-9), and central differences of the cost: h^2 and, with Huber's function,
   whose second derivative jumps at some samples, h times what a sample contributes. */
static void check_gradient(const char *offset, const char *more)
{
    enum { MOST = 12 };
    sn_study *s;
    sn_fit *f = rough_fit(offset, more, &s);
    double z[MOST], g[MOST], cost, top = 0, h = 1e-5;
    static sn_err err;
    sn_err_clear(&err);
    assert_true(f->n <= MOST);
    sn_fit_start(f, z);
    kit_tell(&err, sn_fit_gradient(f, z, &cost, g, &err));
    double count = f->count;
    kit_is("cost", cost, cost_at(f, z), 1e-9 * cost);
    kit_is("count", count, f->count, 0);
    for (int k = 0; k < f->n; k++) top = fmax(top, fabs(f->g[k]));
    for (int k = 0; k < f->n; k++) kit_is(s->unknown[k].name, g[k], f->g[k], 1e-8 * top);
    for (int k = 0; k < f->n; k++) {
        double at = z[k];
        z[k] = at + h;
        double more_cost = cost_at(f, z);
        z[k] = at - h;
        kit_is(s->unknown[k].name, g[k], (more_cost - cost_at(f, z)) / (2 * h), 1e-4 * top);
        z[k] = at;
    }
    sn_fit_free(f);
    sn_study_free(s);
}

static void test_gradient(void **state)
{
    (void)state;
    check_gradient("", "");
    check_gradient("", "loss: huber\n");
    check_gradient(", offset: unknown", "");
    check_gradient(", offset: unknown", "loss: huber\n");
}

/* Alone, L-BFGS finds the optimum of Levenberg and Marquardt's method, offset and all: 0.3 standard errors
   are a cost of 0.05 out of some 300, and it stops where a step wins less than 1e-8 of it. */
static void test_lbfgs_alone(void **state)
{
    (void)state;
    enum { MOST = 12 };
    double z[2][MOST];
    static sn_err err;
    sn_study *s;
    sn_fit *f = rough_fit(", offset: unknown", "loss: huber\n", &s);
    sn_err_clear(&err);
    for (int i = 0; i < 2; i++) {
        sn_search o = {.horizon = INFINITY, .tolerance = i ? 1e-8 : 1e-12, .most = 500};
        sn_fit_start(f, z[i]);
        kit_tell(&err, i ? sn_lbfgs(f, z[i], &o, &err) : sn_marquardt(f, z[i], &o, &err));
        assert_true(o.converged);
    }
    double best = cost_at(f, z[0]);
    for (int k = 0; k < f->n; k++) {
        double sd = 1 / sqrt(f->A[(size_t)k * (size_t)f->n + (size_t)k]); /* with the others fixed */
        kit_is(s->unknown[k].name, z[1][k], z[0][k], 0.3 * sd);
    }
    kit_is("cost", cost_at(f, z[1]), best, 1e-5 * best);
    for (int k = 0; k < f->n; k++)
        if (s->unknown[k].parameter == NULL) kit_is("offset", sn_fit_value(s, k, z[1][k]), 0.013, 1e-3);
    sn_fit_free(f);
    sn_study_free(s);
}

/* What the others record of their way, the first step included: rms = sqrt(2 cost/count), with all numbers
   that count, 101 rows of two; the cost of CMA-ES is that of its best. */
static void test_recorded(void **state)
{
    (void)state;
    static const char *const other[] = {"lbfgs", "cma_es"};
    char text[600], line[100];
    kit_data d = lengthy;
    d.end = 1;
    kit_measure("data.csv", &d);
    for (int i = 0; i < 2; i++) {
        snprintf(line, sizeof line, "horizon: no\nnoise: {at.x: 1 mm, fast.x: 1 mm/s}\noptimiser: %s\n",
                 other[i]);
        study_from(text, sizeof text, 60, line);
        kit_fit r = kit_solve(text);
        assert_true(r.e->n_iteration > 2);
        double count = 0;
        for (int k = 0; k < r.s->n_experiment; k++)
            count += r.s->experiment[k].n * r.s->experiment[k].n_channel;
        for (int k = 0; k < r.e->n_iteration; k++) {
            const sn_iteration *it = &r.e->iteration[k];
            kit_is("rms", it->rms, sqrt(2 * it->cost / count), 1e-12 * sqrt(it->cost));
        }
        kit_drop(&r);
    }
}

/* What starts small by chance, a millionth of its value or a measured speed near zero, does not hold up the
 * search. */
static void test_small_start(void **state)
{
    (void)state;
    kit_measure("data.csv",
                &(kit_data){.model = "spring.yaml", .channels = "at.x fast.x", .end = 1, .dt = 0.01});
    kit_fit r = kit_solve(
        "study: 1\nmodel: spring.yaml\ndata: data.csv\nunknowns:\n  f: {start: 1e-6, scale: linear}\n"
        "  k: {start: 120, bounds: [1, 1e4]}\n  v0: {start: fast.x + 1e-6, each: experiment}\n");
    kit_converged(&r);
    kit_is("f", kit_value_of(&r, "f"), 3, 3e-7);
    kit_is("v0", kit_value_of(&r, "v0[data]"), 0, 1e-7);
    assert_true(r.e->n_iteration < 60);
    kit_drop(&r);
}

/* ---- through the interface ---- */

typedef struct patience {
    int calls, most;
} patience;

static int impatient(void *ctx, double done, double t)
{
    patience *p = ctx;
    (void)t;
    assert_true(done >= 0 && done <= 1);
    return ++p->calls > p->most;
}

static double number_in(const char *json, const char *key, const char *after)
{
    const char *at = strstr(json, key);
    at = at ? strstr(at, after) : NULL;
    return at ? atof(at + strlen(after)) : NAN;
}

static sn_identify_info identify(const char *text, int resume, int most, const char *folder)
{
    sn_identify_info info;
    static sn_err err;
    patience p = {0, most};
    sn_err_clear(&err);
    kit_put("study.yaml", text);
    sn_identify_options o = {
        .folder = folder, .resume = resume, .json = 1, .threads = 2, .progress = impatient, .ctx = &p};
    kit_tell(&err, sn_identify(kit_path("study.yaml"), &o, &info, &err));
    return info;
}

/* Wherever it is stopped: a result with the reason, at least as good as the start, with its files. */
static void test_stopped(void **state)
{
    (void)state;
    char text[600], folder[120];
    kit_data d = lengthy;
    d.end = 1;
    kit_measure("data.csv", &d);
    snprintf(folder, sizeof folder, "%s", kit_path("stopped"));
    study_from(text, sizeof text, 60, "starts: {n: 2, spread: 2}\nintervals: profile\n");
    double before = INFINITY;
    int converged = 0;
    for (int most = 0; most < 400 && !converged; most += most < 15 ? 1 : 7) {
        sn_identify_info info = identify(text, 0, most, folder);
        converged = info.converged;
        if (!converged && !strstr(info.json, "\"converged\": false, \"reason\": \"stopped on request\""))
            fail_msg("stopped after %d: %.300s", most, info.json);
        assert_true(isfinite(info.rms));
        double x = number_in(info.json, "\"data_file\"", "\"rms\": ");
        /* residuals of the first channel: never worse than what an earlier stop had, but for trading with the
         * other */
        if (!(x <= before * 1.5)) fail_msg("after %d calls %g, before %g", most, x, before);
        before = fmin(before, x);
        sn_release(info.json), sn_release(info.summary);
        assert_int_equal(access(kit_path("stopped/study.json"), R_OK), 0);
        assert_int_equal(access(kit_path("stopped/study.h5"), R_OK), 0);
        assert_int_equal(access(kit_path("stopped/report.html"), R_OK), 0);
    }
    assert_true(converged);
}

/* It goes on from where it was: the same search to its end, with what was simulated of it. */
static void test_resume(void **state)
{
    (void)state;
    char text[600], folder[120];
    kit_data d = lengthy;
    d.end = 1;
    kit_measure("data.csv", &d);
    snprintf(folder, sizeof folder, "%s", kit_path("resumed"));
    study_from(text, sizeof text, 60, "starts: 0\n");
    sn_identify_info a = identify(text, 0, 5, folder), b = identify(text, 1, 1000, folder);
    assert_false(a.converged);
    assert_true(b.converged);
    kit_is("the second start", number_in(b.json, "\"k\": {", "\"start\": "), 60, 0);
    assert_true(b.kept >= 3); /* of five calls one was for the signals at the start, one stopped it */
    sn_identify_info c = identify(text, 1, 1000, folder);
    assert_int_equal(c.simulations, b.simulations);
    assert_int_equal(c.simulations - c.kept, 2); /* the signals at the start and at the end */
    for (int i = 0; i < 3; i++) {
        sn_identify_info *p = i == 0 ? &a : i == 1 ? &b : &c;
        sn_release(p->json), sn_release(p->summary);
    }
    /* nothing to go on from */
    static sn_err err;
    sn_err_clear(&err);
    sn_identify_options o = {.folder = kit_folder, .resume = 1};
    assert_int_equal(sn_identify(kit_path("study.yaml"), &o, &a, &err), SN_ERR_FILE);
    assert_null(a.json);
}

/* Windows with states of their own find the place from where the whole, started there, does not. */
static void test_windows(void **state)
{
    (void)state;
    char text[700];
    kit_measure("data.csv", &lengthy);
    static const char states[] =
        "study: 1\nmodel: spring.yaml\nrun: {step: 10 ms}\nset: {f: 0}\ndata: data.csv\nhorizon: no\nstarts: "
        "0\n%s"
        "unknowns:\n  k: {start: 250, bounds: [1, 1e4]}\n  c: {start: 0.15, bounds: [1e-3, 0.3]}\n"
        "  x0: {start: at.x, each: experiment}\n  v0: {start: fast.x, each: experiment, scale: linear}\n";
    snprintf(text, sizeof text, states, "windows: 10\n");
    sn_identify_info a = identify(text, 0, 100000, NULL);
    if (!a.converged) fail_msg("%s", a.summary);
    kit_is("k by windows", number_in(a.json, "\"k\": {", "\"estimate\": "), 80, 0.5);
    assert_non_null(strstr(a.json, "\"x0[data]\""));
    assert_null(strstr(a.json, "data/2"));
    sn_release(a.json), sn_release(a.summary);
    snprintf(text, sizeof text, states, "");
    a = identify(text, 0, 100000, NULL);
    assert_true(fabs(number_in(a.json, "\"k\": {", "\"estimate\": ") - 80) > 8);
    sn_release(a.json), sn_release(a.summary);
}

/* No run at the start: a result that says so, whatever the optimiser. */
static void test_no_run(void **state)
{
    (void)state;
    static const char *const optimiser[] = {"levenberg_marquardt", "lbfgs", "cma_es"};
    char text[600];
    kit_measure("data.csv", &(kit_data){.model = "spring.yaml", .channels = "at.x", .end = 1, .dt = 0.01});
    for (int i = 0; i < 3; i++) {
        /* a rod between fixed ends that are further apart than it is long */
        kit_put("apart.yaml",
                "sinew: 1\nparameters: {L: 1 m, h: 0.5 m}\nnodes: {b: [1, 0]}\nelements: {bob: {mass2d: b, "
                "mass: 1}}\n"
                "joints: {rod: {distance: [ground, b], length: L}, rail: {fixed: b, only: y, y: h}}\n"
                "sensors: {at: {position: b}}\nrun: {end: 1 s, step: 10 ms}\n");
        snprintf(text, sizeof text,
                 "study: 1\nmodel: apart.yaml\ndata: data.csv\noptimiser: %s\nunknowns: {h: {start: 2, "
                 "bounds: [1.5, 3]}}\n",
                 optimiser[i]);
        kit_fit r = kit_solve(text);
        assert_false(r.e->converged);
        assert_string_equal(r.e->reason, "the model cannot be simulated at the start values");
        kit_must_say(&r, "the model cannot be simulated at these values");
        assert_true(isnan(r.e->std_error[0]) && isnan(r.e->rms));
        char *json = NULL, *summary = NULL;
        size_t n;
        sn_err err;
        sn_err_clear(&err);
        kit_tell(&err, sn_estimate_json(r.e, 1, &json, &n, &err));
        kit_tell(&err, sn_estimate_summary(r.e, &summary, &err));
        assert_non_null(strstr(summary, "NOT CONVERGED: the model cannot be simulated at the start values"));
        assert_null(strstr(json, "nan"));
        sn_release(json), sn_release(summary);
        kit_drop(&r);
    }
}

/* A start at which no run is possible, further out than the rod is long, is left by the horizon's search. */
static void test_start_without_run(void **state)
{
    (void)state;
    kit_put("rod.yaml",
            "sinew: 1\nparameters: {L: 1 m, h: 0.5 m}\nnodes: {b: [0.8, 0.5]}\nelements: {bob: {mass2d: b, "
            "mass: 1}}\nsignals: {lift: {expression: h + 0.2*t}}\n"
            "joints: {rod: {distance: [ground, b], length: L}, rail: {fixed: b, only: y, y: lift}}\n"
            "sensors: {at: {position: b}}\nrun: {end: 1 s, step: 10 ms}\n");
    kit_measure("data.csv",
                &(kit_data){.model = "rod.yaml", .channels = "at.x", .end = 1, .dt = 0.02, .sigma = 1e-3});
    kit_fit r = kit_solve("study: 1\nmodel: rod.yaml\ndata: data.csv\nhorizon: 0.2 s\n"
                          "unknowns: {h: {start: 2, bounds: [0.01, 10]}}\n");
    kit_converged(&r);
    kit_is("h", kit_value_of(&r, "h"), 0.5, 4 * kit_error_of(&r, "h"));
    kit_drop(&r);
}

/* Near its end a search tries points that rounding makes no better. What it leaves behind, cost and
   residuals, is that of the point it returns, not of the last one tried. */
static void test_rejected(void **state)
{
    (void)state;
    sn_study *s;
    sn_fit *f = rough_fit("", "", &s);
    double z[12];
    static sn_err err;
    sn_err_clear(&err);
    sn_fit_start(f, z);
    for (int most = 1; most < 12; most++) {
        sn_search o = {.horizon = INFINITY, .tolerance = 0, .most = most};
        kit_tell(&err, sn_marquardt(f, z, &o, &err));
        double cost = f->cost, square = 0;
        kit_tell(&err, sn_fit_residuals(f, z, &err));
        const sn_experiment *x = &s->experiment[0];
        for (int i = 0; i < x->n * x->n_channel; i++)
            square += isnan(f->part[0].r[i]) ? 0 : f->part[0].r[i] * f->part[0].r[i];
        kit_is("the cost left behind", cost, cost_at(f, z), 0);
        /* runs without derivatives solve their steps to Newton's tolerance only */
        kit_is("that of the residuals", 0.5 * square, f->part[0].cost, 1e-6 * f->part[0].cost);
    }
    sn_fit_free(f), sn_study_free(s);
}

/* A single long simulation is stopped on its way, not at its end. */
static int first_moments(void *ctx, double done, double t)
{
    double *times = ctx;
    (void)done;
    if (!times[0]) return times[0] = t, 0; /* before the first run */
    return times[1] = t, 1;
}

static void test_stopped_inside(void **state)
{
    (void)state;
    static sn_err err;
    sn_identify_info info;
    kit_data d = lengthy;
    d.end = 1;
    kit_measure("data.csv", &d);
    kit_put("study.yaml", "study: 1\nmodel: spring.yaml\ndata: data.csv\nrun: {step: 2 us}\n"
                          "unknowns: {k: {start: 60, bounds: [1, 1e4]}}\n");
    double times[2] = {0, 0};
    sn_identify_options o = {.json = 1, .threads = 1, .progress = first_moments, .ctx = times};
    sn_err_clear(&err);
    kit_tell(&err, sn_identify(kit_path("study.yaml"), &o, &info, &err));
    assert_non_null(strstr(info.json, "stopped on request"));
    if (!(times[1] > 0 && times[1] < 0.99)) fail_msg("stopped at t = %g s of a run of 1 s", times[1]);
    sn_release(info.json), sn_release(info.summary);
}

/* The folder is looked at before anything is computed. */
static void test_folder(void **state)
{
    (void)state;
    char text[600];
    sn_identify_info info;
    static sn_err err;
    patience p = {0, 0};
    kit_put("taken", "a file");
    kit_measure("data.csv", &lengthy);
    study_from(text, sizeof text, 60, "");
    kit_put("study.yaml", text);
    const char *const wrong[] = {"taken", "no/such/place"};
    for (int i = 0; i < 2; i++) {
        sn_err_clear(&err);
        sn_identify_options o = {.folder = kit_path(wrong[i]), .progress = impatient, .ctx = &p};
        assert_int_equal(sn_identify(kit_path("study.yaml"), &o, &info, &err), SN_ERR_FILE);
        assert_int_equal(p.calls, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_false_minimum),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_optimisers),
        cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_lbfgs_alone),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_no_run),
        cmocka_unit_test(test_start_without_run),
        cmocka_unit_test(test_folder),
        cmocka_unit_test(test_small_start),
        cmocka_unit_test(test_rejected),
        cmocka_unit_test(test_stopped_inside),
        cmocka_unit_test(test_minima),
        cmocka_unit_test(test_doubt),
        cmocka_unit_test(test_probably_false),
        cmocka_unit_test(test_half),
    };
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
