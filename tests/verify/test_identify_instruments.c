/* Instruments that do not show what there is, and inputs that experiments bring: every correction is found
   from data that were made with it, columns of the Jacobian are those of differences, gradients of both ways
   agree, and a measured input is the same as a table in the model. */
#include "identify_kit.h"

#include "identify/fit.h"
#include "identify/search.h"

/* Two degrees of freedom: a mass on a spring that swings round. */
static const char orbit_text[] =
    "sinew: 1\n"
    "parameters: {m: 2 kg, k: 80 N/m, c: 1.5 N*s/m}\n"
    "nodes: {b: {point2d: [1.2, 0.1], velocity: [0.3, 2]}}\n"
    "elements: {bob: {mass2d: b, mass: m}, s: {spring2d: [ground, b], k: k, c: c, l0: 1 m}}\n"
    "sensors: {at: {position: b}, fast: {velocity: b}, gap: {distance: [ground, b]}}\n"
    "run: {end: 1 s, step: 5 ms}\n";

static const char space_text[] =
    "sinew: 1\n"
    "parameters: {m: 2 kg, k: 80 N/m}\n"
    "gravity: [0, 0, -9.81]\n"
    "nodes: {b: {point3d: [1.2, 0.1, 0.2], velocity: [0.3, 2, -1]}}\n"
    "elements: {bob: {mass3d: b, mass: m}, s: {spring3d: [ground, b], k: k, l0: 1 m}}\n"
    "sensors: {at: {position: b}, feel: {acceleration: b}}\n"
    "run: {end: 1 s, step: 5 ms}\n";

#define UNKNOWNS "unknowns:\n  k: {start: 70, bounds: [1, 1e4]}\n  c: {start: 1, bounds: [1e-3, 100]}\n"

/* ---- data ---- */

/* What an instrument does to a channel; gain 0 stands for 1. partner: the channel that an angle mixes in. */
typedef struct instrument {
    const char *channel, *x, *y, *z; /* z NULL: of the plane; x NULL: not turned */
    int axis;
    double gain, offset, delay, drift, angle[3];
} instrument;

typedef struct experiment {
    const char *model, *set;
    int n;
    const instrument *by;
    double end, dt, first, sigma;
    uint64_t seed;
} experiment;

/* e' exp(skew(v))' y, by Rodrigues' formula. */
static double turned(const double *v, int axis, const double *y)
{
    double t = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), a = t > 0 ? sin(t) / t : 1,
           b = t > 0 ? (1 - cos(t)) / (t * t) : 0.5, d = 0;
    int i = axis, j = (axis + 1) % 3, k = (axis + 2) % 3;
    for (int n = 0; n < 3; n++) d += v[n] * y[n];
    /* with -v: y - a v x y + b v x (v x y) */
    return y[i] - a * (v[j] * y[k] - v[k] * y[j]) + b * (v[i] * d - t * t * y[i]);
}

static void sample(const experiment *e, double delay, int n, const double *at, double *y, sn_model **m)
{
    sn_values *p;
    sn_err err;
    sn_info info;
    char words[KIT_CHANNELS][64];
    double *t = calloc((size_t)n, sizeof *t);
    sn_err_clear(&err);
    kit_tell(&err, sn_model_read(kit_path(e->model), m, &err));
    kit_tell(&err, sn_values_new(*m, &p, &err));
    for (int i = 0, sets = e->set ? kit_words(e->set, words) : 0; i < sets; i++) {
        char *equal = strchr(words[i], '=');
        *equal = 0;
        kit_tell(&err, sn_values_set(p, words[i], equal + 1, &err));
    }
    kit_tell(&err, sn_values_update(p, &err));
    sn_run_options o = sn_run_options_default(*m, p);
    for (int i = 0; i < n; i++) t[i] = at[i] - delay;
    o.end = t[n - 1];
    kit_tell(&err, sn_sample(*m, p, &o, &(sn_samples){n, t, y, NULL}, &info, &err));
    free(t);
    sn_values_free(p);
}

static double channel_at(const sn_model *m, const char *name, const double *y)
{
    int c;
    assert_int_equal(sn_channel_find(m, name, &c, NULL), SN_OK);
    return y[c];
}

/* Samples from `first` on, which must lie behind all delays. */
static void measure(const char *file, const experiment *e)
{
    int n = (int)floor((e->end - e->first) / e->dt + 1e-9) + 1;
    double *t = calloc((size_t)n, sizeof *t), *out = calloc((size_t)n * (size_t)e->n, sizeof *out);
    uint64_t seed = e->seed;
    for (int i = 0; i < n; i++) t[i] = e->first + i * e->dt;
    for (int k = 0; k < e->n; k++) {
        const instrument *by = &e->by[k];
        double *y = calloc((size_t)n * 64, sizeof *y);
        sn_model *m;
        sample(e, by->delay, n, t, y, &m);
        for (int i = 0; i < n; i++) {
            const double *row = y + i * sn_channel_count(m);
            double v = channel_at(m, by->channel, row);
            if (by->x) {
                double vector[3] = {channel_at(m, by->x, row), channel_at(m, by->y, row),
                                    by->z ? channel_at(m, by->z, row) : 0};
                v = turned(by->angle, by->axis, vector);
            }
            out[i * e->n + k] = (by->gain != 0 ? by->gain : 1) * v + by->offset + by->drift * t[i] +
                                (e->sigma > 0 ? e->sigma * kit_normal(&seed) : 0);
        }
        free(y);
        sn_model_free(m);
    }
    FILE *f = fopen(kit_path(file), "w");
    assert_non_null(f);
    fprintf(f, "t");
    for (int k = 0; k < e->n; k++) fprintf(f, ",%s", e->by[k].channel);
    for (int i = 0; i < n; i++) {
        fprintf(f, "\n%.17g", t[i]);
        for (int k = 0; k < e->n; k++) fprintf(f, ",%.17g", out[i * e->n + k]);
    }
    fprintf(f, "\n");
    fclose(f);
    free(t), free(out);
}

static int set_up(void **state)
{
    if (kit_begin(state)) return -1;
    kit_put("orbit.yaml", orbit_text);
    kit_put("space.yaml", space_text);
    return 0;
}

/* ---- what is found ---- */

/* Within three standard errors of what the data were made with: at a fixed seed, of a chance of 0.27 %. */
static void found(const kit_fit *r, const char *name, double truth)
{
    double e = kit_error_of(r, name);
    assert_true(isfinite(e) && e > 0);
    kit_is(name, kit_value_of(r, name), truth, 3 * e);
}

static const instrument wrong[] = {
    {.channel = "at.x",
     .x = "at.x",
     .y = "at.y",
     .axis = 0,
     .gain = 1.04,
     .offset = 0.02,
     .angle = {0, 0, 0.15}},
    {.channel = "at.y",
     .x = "at.x",
     .y = "at.y",
     .axis = 1,
     .gain = 1.04,
     .drift = 0.05,
     .angle = {0, 0, 0.15}},
    {.channel = "fast.x", .delay = 0.0137, .gain = 0.9},
    {.channel = "fast.y", .delay = 0.0137, .offset = -0.1},
};

#define INSTRUMENTS                                                                                          \
    "instruments:\n"                                                                                         \
    "  at: {gain: unknown, angle: {start: 2 deg, bounds: [-20 deg, 20 deg]}}\n"                              \
    "  at.x: {offset: {each: experiment}}\n"                                                                 \
    "  at.y: {drift: unknown}\n"                                                                             \
    "  fast: {delay: {start: 5 ms, prior: [10 ms, 100 ms]}}\n"                                               \
    "  fast.x: {gain: {bounds: [0.5, 2]}}\n"                                                                 \
    "  fast.y: {offset: {start: 0 m/s}}\n"

#define TWO "experiments: {a: a.csv, b: {data: b.csv, set: {b.velocity.x: -1, b.velocity.y: 1.5}}}\n"

static void two(double sigma, uint64_t seed)
{
    experiment e = {.model = "orbit.yaml",
                    .n = 4,
                    .by = wrong,
                    .end = 1,
                    .dt = 7e-3,
                    .first = 0.021,
                    .sigma = sigma,
                    .seed = seed};
    instrument other[4];
    measure("a.csv", &e);
    memcpy(other, wrong, sizeof other);
    other[0].offset = -0.03;
    e.by = other, e.set = "b.velocity.x=-1 b.velocity.y=1.5", e.dt = 9e-3, e.seed++;
    measure("b.csv", &e);
}

static void test_all(void **state)
{
    (void)state;
    two(2e-3, 1);
    kit_fit r = kit_solve("study: 1\nmodel: orbit.yaml\nstarts: 0\n" TWO UNKNOWNS INSTRUMENTS);
    kit_converged(&r);
    assert_int_equal(r.s->n_common, 2 + 6);
    assert_int_equal(r.s->n_unknown, 2 + 6 + 2);
    found(&r, "k", 80), found(&r, "c", 1.5);
    found(&r, "at.gain", 1.04), found(&r, "at.angle", 0.15), found(&r, "at.y.drift", 0.05);
    found(&r, "at.x.offset[a]", 0.02), found(&r, "at.x.offset[b]", -0.03);
    found(&r, "fast.delay", 0.0137), found(&r, "fast.x.gain", 0.9), found(&r, "fast.y.offset", -0.1);
    /* the residuals are the noise, of 572 + 444 numbers and 10 unknowns: four deviations of an rms */
    for (int c = 0; c < 4; c++) kit_is("noise", r.e->channel[0][c].sigma, 2e-3, 4 * 2e-3 / sqrt(2 * 250.0));
    assert_false(kit_says(&r, "hardly determined"));
    kit_drop(&r);
}

/* Without noise all is met to the accuracy of the rates; what is known is not sought, what is tied follows,
   and an experiment overrules the study. */
static void test_exact(void **state)
{
    (void)state;
    two(0, 1);
    kit_fit r =
        kit_solve("study: 1\nmodel: orbit.yaml\nstarts: 0\nexperiments:\n"
                  "  a: {data: a.csv, instruments: {at.x: {offset: 2 cm}}}\n"
                  "  b: {data: b.csv, set: {b.velocity.x: -1, b.velocity.y: 1.5}}\n" UNKNOWNS "instruments:\n"
                  "  at: {gain: 1.04, angle: unknown}\n"
                  "  at.x: {offset: {each: experiment}}\n"
                  "  at.y: {drift: 5 cm/s}\n"
                  "  fast: {delay: unknown}\n"
                  "  fast.x: {gain: unknown}\n"
                  "  fast.y: {offset: {tie: -0.1 m/s*fast.x.gain/0.9}}\n");
    kit_converged(&r);
    assert_int_equal(r.s->n_unknown, 2 + 3 + 1);
    kit_is("k", kit_value_of(&r, "k"), 80, 80e-6);
    kit_is("angle", kit_value_of(&r, "at.angle"), 0.15, 1e-6);
    kit_is("delay", kit_value_of(&r, "fast.delay"), 0.0137, 1e-7);
    kit_is("gain", kit_value_of(&r, "fast.x.gain"), 0.9, 1e-6);
    kit_is("offset of b", kit_value_of(&r, "at.x.offset[b]"), -0.03, 1e-6);
    kit_drop(&r);
}

/* A rotation vector, and a gain that only its bounds let be negative. */
static void test_space(void **state)
{
    (void)state;
    const instrument by[] = {
        {.channel = "feel.x",
         .x = "feel.x",
         .y = "feel.y",
         .z = "feel.z",
         .axis = 0,
         .angle = {0.1, -0.2, 0.4}},
        {.channel = "feel.z",
         .x = "feel.x",
         .y = "feel.y",
         .z = "feel.z",
         .axis = 2,
         .angle = {0.1, -0.2, 0.4}},
        {.channel = "at.y", .gain = -1.2},
    };
    measure("a.csv", &(experiment){.model = "space.yaml",
                                   .n = 3,
                                   .by = by,
                                   .end = 1,
                                   .dt = 5e-3,
                                   .first = 5e-3,
                                   .sigma = 0.01,
                                   .seed = 3});
    kit_fit r = kit_solve("study: 1\nmodel: space.yaml\nstarts: 0\ndata: a.csv\nunknowns: {k: {start: 75}}\n"
                          "instruments:\n  feel: {angle: unknown}\n"
                          "  at.y: {gain: {start: -1, bounds: [-3, 3]}}\n");
    kit_converged(&r);
    found(&r, "k", 80), found(&r, "at.y.gain", -1.2);
    found(&r, "feel.angle.x", 0.1), found(&r, "feel.angle.y", -0.2), found(&r, "feel.angle.z", 0.4);
    kit_drop(&r);
    r = kit_solve(
        "study: 1\nmodel: space.yaml\nstarts: 0\ndata: a.csv\nunknowns: {k: {start: 75}}\n"
        "instruments:\n  feel: {angle: {x: 0.1, y: {start: 0}, z: 0.4 rad}}\n  at.y: {gain: -1.2}\n");
    kit_converged(&r);
    assert_int_equal(r.s->n_unknown, 2);
    found(&r, "k", 80), found(&r, "feel.angle.y", -0.2);
    kit_drop(&r);
}

/* An experiment that is held out finds offset and delay of its own in its first moments. */
static void test_hold_out(void **state)
{
    (void)state;
    two(2e-3, 30);
    kit_fit r =
        kit_solve("study: 1\nmodel: orbit.yaml\nstarts: 0\ninitial_window: 0.4 s\n"
                  "noise: {at.x: 2 mm, at.y: 2 mm, fast.x: 2 mm/s, fast.y: 2 mm/s}\nexperiments:\n"
                  "  a: a.csv\n"
                  "  b: {data: b.csv, hold_out: yes, set: {b.velocity.x: -1, b.velocity.y: 1.5}}\n" UNKNOWNS
                      INSTRUMENTS);
    kit_converged(&r);
    found(&r, "k", 80), found(&r, "at.gain", 1.04);
    /* 44 samples of the window leave it 2 mm/sqrt(44); four of them */
    kit_is("offset of b", kit_value_of(&r, "at.x.offset[b]"), -0.03, 4 * 2e-3 / sqrt(44.0));
    /* 67 rows of four numbers behind the window, as noise: four deviations, and what the estimates add */
    kit_is("held out", r.e->hold_out, 1, 4 / sqrt(2 * 268.0) + 0.05);
    kit_drop(&r);
}

/* ---- derivatives ---- */

typedef struct problem {
    sn_study *s;
    sn_fit *f;
    double *z;
} problem;

static problem open_problem(const char *text)
{
    problem p;
    sn_err err;
    sn_err_clear(&err);
    kit_put("study.yaml", text);
    kit_tell(&err, sn_study_read(kit_path("study.yaml"), NULL, 0, &p.s, &err));
    kit_tell(&err, sn_fit_new(p.s, 1, &p.f, &err));
    p.z = calloc((size_t)p.f->n, sizeof *p.z);
    sn_fit_start(p.f, p.z);
    return p;
}

static void close_problem(problem *p)
{
    free(p->z);
    sn_fit_free(p->f), sn_study_free(p->s);
}

/* Residuals of an experiment at z with unknown k moved by h. */
static void residuals(problem *p, int e, int k, double h, double *r)
{
    const sn_experiment *x = &p->s->experiment[e];
    sn_err err;
    sn_err_clear(&err);
    p->z[k] += h;
    kit_tell(&err, sn_fit_signals(p->f, p->z, 0, 1, &err));
    p->z[k] -= h;
    memcpy(r, p->f->part[e].r, sizeof *r * (size_t)x->n * (size_t)x->n_channel);
}

/* Every column of the Jacobian against central differences, to 1e-6 of the column's largest number. */
static void check_columns(problem *p)
{
    sn_err err;
    sn_err_clear(&err);
    for (int e = 0; e < p->s->n_experiment; e++) {
        const sn_experiment *x = &p->s->experiment[e];
        const sn_part *part = &p->f->part[e];
        size_t n = (size_t)x->n * (size_t)x->n_channel, columns = (size_t)part->n;
        double *J = calloc(n * columns, sizeof *J), *r[4];
        for (int i = 0; i < 4; i++) r[i] = calloc(n, sizeof *r[i]);
        kit_tell(&err, sn_fit_rows(p->f, p->z, &err));
        memcpy(J, part->J, sizeof *J * n * columns);
        for (size_t a = 0; a < columns; a++) {
            int k = part->unknown[a];
            double top = 0, worst = 0, h = 1e-4;
            for (int i = 0; i < 4; i++) residuals(p, e, k, (i < 2 ? h : h / 2) * (i % 2 ? -1 : 1), r[i]);
            for (size_t i = 0; i < n; i++) top = fmax(top, fabs(J[i * columns + a]));
            for (size_t i = 0; i < n; i++) {
                double wide = (r[0][i] - r[1][i]) / (2 * h), narrow = (r[2][i] - r[3][i]) / h;
                double d = (4 * narrow - wide) / 3;
                if (!isnan(d)) worst = fmax(worst, fabs(d - J[i * columns + a]));
            }
            assert_true(top > 0);
            if (worst > 1e-6 * top)
                fail_msg("experiment %d, %s: off by %.3g of %.3g", e, p->s->unknown[k].name, worst, top);
        }
        for (int i = 0; i < 4; i++) free(r[i]);
        free(J);
    }
}

static void test_columns(void **state)
{
    (void)state;
    two(2e-3, 40);
    problem p = open_problem(
        "study: 1\nmodel: orbit.yaml\nexperiments:\n"
        "  a: {data: a.csv, offset: unknown}\n"
        "  b: {data: b.csv, instruments: {at.y: {delay: {start: 3 ms}}}}\n" UNKNOWNS
        "  m: {tie: 2.2 kg*at.gain}\n  b.velocity.y: {start: 1.9, each: experiment}\n"
        "instruments:\n"
        "  at: {gain: {start: 1.1}, angle: {start: 7 deg}}\n"
        "  at.x: {offset: {each: experiment}, delay: {start: -2.3 ms}}\n"
        "  at.y: {drift: unknown}\n"
        "  fast: {delay: {start: 8.7 ms}, offset: unknown, drift: unknown, angle: {start: -3 deg}}\n"
        "  fast.x: {gain: {tie: at.gain^2}}\n");
    for (int k = 0; k < p.f->n; k++)
        if (p.s->unknown[k].kind == SN_OF_CLOCK) p.z[k] = sn_fit_z(p.s, k, 1.1e-3);
    check_columns(&p);
    close_problem(&p);
}

/* The gradient by the adjoint is that of the normal equations. */
static void check_gradient(const char *text)
{
    sn_err err;
    problem p = open_problem(text);
    double cost, *g = calloc((size_t)p.f->n, sizeof *g);
    sn_err_clear(&err);
    kit_tell(&err, sn_fit_gradient(p.f, p.z, &cost, g, &err));
    double count = p.f->count;
    kit_tell(&err, sn_fit_evaluate(p.f, p.z, INFINITY, 0, 1, &err));
    kit_is("cost", cost, p.f->cost, 1e-9 * p.f->cost);
    kit_is("count", count, p.f->count, 0);
    for (int k = 0; k < p.f->n; k++)
        kit_is(p.s->unknown[k].name, g[k], p.f->g[k], 1e-7 * fabs(p.f->g[k]) + 1e-9 * cost);
    free(g);
    close_problem(&p);
}

static void test_gradient(void **state)
{
    (void)state;
    static const char *const turned[2] = {"", ", angle: {start: 3 deg}"};
    two(2e-3, 50);
    for (int i = 0; i < 4; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "study: 1\nmodel: orbit.yaml\n%s" TWO UNKNOWNS "  m: {tie: 2.2 kg*at.gain}\n"
                 "instruments:\n"
                 "  at: {gain: {start: 1.1}, offset: {start: 5 mm, prior: [0 m, 1 cm]}%s}\n"
                 "  fast: {delay: {start: 8.7 ms}, drift: {each: experiment}}\n"
                 "  fast.x: {gain: -0.9}\n",
                 i / 2 ? "loss: huber\n" : "", turned[i % 2]);
        check_gradient(text);
    }
}

/* The optimiser that goes by it finds the same. */
static void test_lbfgs(void **state)
{
    (void)state;
    two(2e-3, 60);
    kit_fit r =
        kit_solve("study: 1\nmodel: orbit.yaml\nstarts: 0\noptimiser: lbfgs\n" TWO UNKNOWNS INSTRUMENTS);
    kit_converged(&r);
    found(&r, "k", 80), found(&r, "at.gain", 1.04), found(&r, "fast.delay", 0.0137);
    kit_drop(&r);
}

/* ---- can it be told apart? ---- */

/* Positions are linear in the force: a gain of all that is measured and the force can only be scaled. */
static void test_identifiability(void **state)
{
    (void)state;
    kit_measure(
        "data.csv",
        &(kit_data){
            .model = "push.yaml", .channels = "at.x fast.x", .end = 1, .dt = 0.01, .sigma = 1e-3, .seed = 5});
    kit_fit r = kit_solve("study: 1\nmodel: push.yaml\nstarts: 0\ndata: data.csv\n"
                          "unknowns: {f: {start: 2, bounds: [0.1, 100]}}\n"
                          "instruments: {at: {gain: {prior: [1, 10]}}, fast: {gain: {tie: at.gain}}}\n");
    kit_must_say(&r, "the data do not see such a change");
    kit_drop(&r);
    /* a known gain of one of them settles it; an offset of nothing is well determined */
    r = kit_solve("study: 1\nmodel: push.yaml\nstarts: 0\ndata: data.csv\n"
                  "unknowns: {f: {start: 2, bounds: [0.1, 100]}}\n"
                  "instruments: {at.x: {gain: unknown, offset: unknown, drift: unknown}}\n");
    kit_converged(&r);
    found(&r, "f", 3), found(&r, "at.x.gain", 1), found(&r, "at.x.offset", 0), found(&r, "at.x.drift", 0);
    assert_false(kit_says(&r, "hardly determined"));
    assert_false(kit_says(&r, "do not see"));
    kit_drop(&r);
}

/* ---- inputs ---- */

static double force(double t) { return 3 + 2 * sin(9 * t) + cos(23 * t); }

/* A file of points that do not fall on steps, from before the run to behind it; a second column in other
   units. */
static void put_force(const char *file)
{
    FILE *f = fopen(kit_path(file), "w");
    assert_non_null(f);
    fprintf(f, "s,pull,pull_kN\n");
    for (int i = -3; i < 60; i++) {
        double t = 0.0317 * i;
        if (i == 20)
            fprintf(f, "%.17g,,\n", t); /* a missing value */
        else
            fprintf(f, "%.17g,%.17g,%.17g\n", t, force(t), force(t) / 1000);
    }
    fclose(f);
}

#define DRIVEN(signal)                                                                                       \
    "sinew: 1\nparameters: {m: 2 kg, k: 80 N/m, a: 1.5}\n"                                                   \
    "nodes: {b: {point2d: [1, 0]}}\n"                                                                        \
    "elements: {bob: {mass2d: b, mass: m}, s: {spring2d: [ground, b], k: k, l0: 1 m}, "                      \
    "push: {force2d: b, force: [a*road, 0]}}\njoints: {rail: {fixed: b, only: y}}\n"                         \
    "signals: {road: " signal "}\nsensors: {at: {position: b}, fast: {velocity: b}}\n"                       \
    "run: {end: 1 s, step: 5 ms}\n"

static void test_inputs(void **state)
{
    (void)state;
    static const char *const kinds[2] = {"linear", "cubic"};
    put_force("pull.csv");
    kit_put("table.csv", "");
    FILE *f = fopen(kit_path("table.csv"), "w");
    fprintf(f, "t,y\n");
    for (int i = -3; i < 60; i++)
        if (i != 20) fprintf(f, "%.17g,%.17g\n", 0.0317 * i, force(0.0317 * i));
    fclose(f);
    kit_put("given.yaml", DRIVEN("{input: 0}"));
    for (int i = 0; i < 2; i++) {
        char text[900];
        snprintf(text, sizeof text, DRIVEN("{table: table.csv, interpolation: %s}"), kinds[i]);
        kit_put("driven.yaml", text);
        kit_measure("a.csv", &(kit_data){.model = "driven.yaml",
                                         .channels = "at.x fast.x",
                                         .end = 1,
                                         .dt = 0.01,
                                         .sigma = 1e-3,
                                         .seed = 7});
        static const char tail[] = "starts: 0\nunknowns: {k: {start: 70}, a: {start: 1.2}}\n";
        snprintf(text, sizeof text, "study: 1\nmodel: driven.yaml\ndata: a.csv\n%s", tail);
        kit_fit table = kit_solve(text);
        snprintf(
            text, sizeof text,
            "study: 1\nmodel: given.yaml\ndata: a.csv\n"
            "inputs: {road: {data: pull.csv, column: pull_kN, unit: kN, time: s, interpolation: %s}}\n%s",
            kinds[i], tail);
        kit_fit given = kit_solve(text);
        kit_converged(&table), kit_converged(&given);
        kit_is("k", kit_value_of(&given, "k"), kit_value_of(&table, "k"), 1e-9 * 80);
        kit_is("a", kit_value_of(&given, "a"), kit_value_of(&table, "a"), 1e-9 * 1.5);
        kit_is("error of a", kit_error_of(&given, "a"), kit_error_of(&table, "a"), 1e-9);
        for (int k = 0; k < 2 * 101; k++) kit_is("signal", given.e->model[0][k], table.e->model[0][k], 1e-9);
        found(&given, "a", 1.5), found(&given, "k", 80);
        kit_drop(&table), kit_drop(&given);
        check_gradient(text);
        problem p = open_problem(text);
        check_columns(&p);
        close_problem(&p);
    }
}

/* Each experiment has its own; one is constant, one a column of the data, of which the others are channels.
 */
static void test_inputs_each(void **state)
{
    (void)state;
    put_force("pull.csv");
    kit_put("given.yaml", DRIVEN("{input: 3}"));
    kit_measure("b.csv", &(kit_data){.model = "given.yaml", .channels = "at.x", .end = 1, .dt = 0.01});
    kit_put("driven.yaml", DRIVEN("{table: pull.csv, columns: [s, pull]}"));
    FILE *f = fopen(kit_path("pull.csv"), "w");
    fprintf(f, "s,pull\n");
    for (int i = 0; i < 120; i++) fprintf(f, "%.17g,%.17g\n", 0.01 * i, force(0.01 * i));
    fclose(f);
    kit_measure("a.csv", &(kit_data){.model = "driven.yaml", .channels = "at.x", .end = 1, .dt = 0.01});
    /* the same with the force beside it */
    FILE *from = fopen(kit_path("a.csv"), "r"), *to = fopen(kit_path("c.csv"), "w");
    char line[200];
    for (int i = -1; fgets(line, sizeof line, from); i++) {
        line[strcspn(line, "\n")] = 0;
        if (i < 0)
            fprintf(to, "%s,pull\n", line);
        else
            fprintf(to, "%s,%.17g\n", line, force(0.01 * i));
    }
    fclose(from), fclose(to);
    kit_fit r =
        kit_solve("study: 1\nmodel: given.yaml\nstarts: 0\nunknowns: {k: {start: 70}, a: {start: 1.2}}\n"
                  "inputs: {road: {data: pull.csv, column: pull, time: s}}\n"
                  "experiments:\n  a: a.csv\n  b: {data: b.csv, inputs: {road: 3 N}}\n"
                  "  c: {data: c.csv, inputs: {road: {column: pull}}}\n"
                  "  d: {data: a.csv, hold_out: yes}\n");
    kit_converged(&r);
    kit_is("k", kit_value_of(&r, "k"), 80, 80e-7);
    kit_is("a", kit_value_of(&r, "a"), 1.5, 1.5e-7);
    kit_is("held out", r.e->channel[3][0].rms, 0, 1e-8);
    kit_drop(&r);
}

/* ---- initial conditions ---- */

/* Slots of nodes that the model says nothing of, and first measured values. */
static void test_initial(void **state)
{
    (void)state;
    kit_put("still.yaml",
            "sinew: 1\nparameters: {k: 80 N/m}\nnodes: {b: [1.2, 0]}\n"
            "elements: {bob: {mass2d: b, mass: 2 kg}, s: {spring2d: [ground, b], k: k, l0: 1 m}}\n"
            "sensors: {at: {displacement: b}, fast: {velocity: b}}\nrun: {end: 1 s, step: 5 ms}\n");
    kit_measure("a.csv", &(kit_data){.model = "still.yaml",
                                     .set = "b.velocity.y=2 b.displacement.x=0.1",
                                     .channels = "at.x at.y fast.y",
                                     .end = 1,
                                     .dt = 0.01});
    kit_fit r =
        kit_solve("study: 1\nmodel: still.yaml\nstarts: 0\nunknowns: {k: {start: 70}}\n"
                  "experiments: {a: {data: a.csv, set: {b.velocity.y: fast.y, b.displacement.x: 1*at.x}}}\n");
    kit_converged(&r);
    kit_is("k", kit_value_of(&r, "k"), 80, 80e-7);
    kit_drop(&r);
    r = kit_solve("study: 1\nmodel: still.yaml\nstarts: 0\ndata: a.csv\nunknowns:\n  k: {start: 70}\n"
                  "  b.velocity.y: {start: fast.y*1.1, each: experiment}\n"
                  "  b.displacement.x: {start: 0.05, each: experiment, scale: linear}\n");
    kit_converged(&r);
    kit_is("velocity", kit_value_of(&r, "b.velocity.y[data]"), 2, 1e-6);
    kit_is("displacement", kit_value_of(&r, "b.displacement.x[data]"), 0.1, 1e-6);
    kit_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),     cmocka_unit_test(test_exact),
        cmocka_unit_test(test_space),   cmocka_unit_test(test_hold_out),
        cmocka_unit_test(test_columns), cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_lbfgs),   cmocka_unit_test(test_identifiability),
        cmocka_unit_test(test_inputs),  cmocka_unit_test(test_inputs_each),
        cmocka_unit_test(test_initial),
    };
    return cmocka_run_group_tests(tests, set_up, kit_end);
}
