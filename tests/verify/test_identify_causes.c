/* Faults of sensors are found behind the fit and named: two masses in a row on damped springs, positions of
   both and the speed of the second, noise of fixed seeds. The faults are of two to three deviations of the
   noise, so that with 201 samples chi square is above 200 for one number: none of 12 seeds may escape, and
   one may be named wrongly (measured: none). Sound data: the tests promise 1e-3 for all together, 1 % is
   allowed: of 100 data sets at most 3 (a mean of 1 gives more in 2 % of the cases). */
#include "identify_kit.h"

static const char row_text[] = "sinew: 1\n"
                               "parameters: {k1: 300 N/m, k2: 200 N/m, c: 1 N*s/m}\n"
                               "nodes: {a: [1.1, 0], b: [2.3, 0]}\n"
                               "elements:\n"
                               "  m1: {mass2d: a, mass: 2 kg}\n"
                               "  m2: {mass2d: b, mass: 1.5 kg}\n"
                               "  s1: {spring2d: [ground, a], k: k1, c: c, l0: 1 m}\n"
                               "  s2: {spring2d: [a, b], k: k2, c: c, l0: 1 m}\n"
                               "joints: {rail1: {fixed: a, only: y}, rail2: {fixed: b, only: y}}\n"
                               "sensors: {one: {position: a}, two: {position: b}, fast: {velocity: b}}\n"
                               "run: {end: 2 s, step: 5 ms}\n";

static const char study_text[] = "study: 1\nmodel: row.yaml\ndata: bad.csv\nstarts: 0\n"
                                 "unknowns: {k1: {start: 280 N/m}, k2: {start: 210 N/m}, c: {start: 0.8}}\n";

enum { N = 201, CHANNELS = 3 };
static const double sigma[CHANNELS] = {2e-3, 3e-3, 3e-2};

typedef struct table {
    double t[N], y[N][CHANNELS];
} table;

/* The model's channels without noise; shift[c]: delay of each. */
static void exact(table *d, const double *shift)
{
    for (int c = 0; c < CHANNELS; c++) {
        kit_data k = {.model = "row.yaml", .channels = "one.x two.x fast.x", .end = 2, .dt = 0.01};
        if (c && shift[c] == shift[c - 1]) continue;
        k.begin = shift[c] > 0 ? 0.01 - shift[c] : 0;
        kit_measure("exact.csv", &k);
        FILE *f = fopen(kit_path("exact.csv"), "r");
        char line[400];
        assert_non_null(f);
        assert_non_null(fgets(line, sizeof line, f));
        for (int i = shift[c] > 0 ? 1 : 0; i < N && fgets(line, sizeof line, f); i++) {
            double v[4];
            assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf", &v[0], &v[1], &v[2], &v[3]), 4);
            for (int b = c; b < CHANNELS && shift[b] == shift[c]; b++) d->y[i][b] = v[1 + b];
        }
        fclose(f);
        for (int b = c; b < CHANNELS; b++)
            if (shift[b] > 0) d->y[0][b] = d->y[1][b];
    }
    for (int i = 0; i < N; i++) d->t[i] = 0.01 * i;
}

/* With noise, correlated from sample to sample by a. */
static void add_noise(table *d, uint64_t seed, double a)
{
    for (int c = 0; c < CHANNELS; c++)
        for (int i = 0, first = 1; i < N; i++, first = 0) {
            static double e[CHANNELS];
            e[c] = (first ? 0 : a * e[c]) + sqrt(first ? 1 : 1 - a * a) * kit_normal(&seed);
            d->y[i][c] += sigma[c] * e[c];
        }
}

static void put(const table *d)
{
    FILE *f = fopen(kit_path("bad.csv"), "w");
    assert_non_null(f);
    fprintf(f, "t,one.x,two.x,fast.x\n");
    for (int i = 0; i < N; i++)
        fprintf(f, "%.10g,%.12g,%.12g,%.12g\n", d->t[i], d->y[i][0], d->y[i][1], d->y[i][2]);
    fclose(f);
}

/* The verdict about data that is more than good and has these words for this channel (NULL: none). */
static const sn_verdict *named(const kit_fit *r, const char *words, const char *channel)
{
    for (int i = 0; i < r->e->n_verdict; i++) {
        const sn_verdict *v = &r->e->verdict[i];
        const char *at = strstr(v->text, words), * or = strstr(v->text, ", or ");
        if (strcmp(v->about, "data") != 0 || !v->level || !at || (or && or < at)) continue;
        if (channel ? v->channel && !strcmp(v->channel, channel) : !v->channel) return v;
    }
    return NULL;
}

static int accused(const kit_fit *r)
{
    int n = 0;
    for (int i = 0; i < r->e->n_verdict; i++) {
        const sn_verdict *v = &r->e->verdict[i];
        n += !strcmp(v->about, "data") && v->level > 0;
        if (!strcmp(v->about, "data") && v->level > 0) print_message("%s\n", v->text);
    }
    return n;
}

static const struct fault {
    const char *name;
    int channel;
    double gain, offset, drift, delay; /* delay of the channel; channel -1: of all */
    const char *words;
    int late; /* whole samples by which the channel is late */
    const char *also;
} faults[] = {
    {"gain", 0, 1.05, 0, 0, 0, "one.x: probably a gain of 1.0", 0, NULL},
    {"gain", 2, 1.1, 0, 0, 0, "fast.x: probably a gain of 1.", 0, NULL},
    {"offset", 1, 1, 6e-3, 0, 0, "two.x: probably an offset of 0.00", 0, NULL},
    {"drift", 0, 1, 0, 4e-3, 0, "one.x: probably a drift of 0.00", 0, NULL},
    {"delay", 2, 1, 0, 0, 5e-3, "fast.x: probably a delay of ", 0, NULL},
    {"clock", -1, 1, 0, 0, 5e-3, "a clock that is late by ", 0, NULL},
    {"sign", 2, -1, 0, 0, 0, "its sign is reversed", 0, NULL},
    {"unit", 1, 1e3, 0, 0, 0, "mm for m", 0, NULL},
    /* 50 ms are half a radian of the slow vibration and one of the fast: rates alone do not explain it */
    {"long delay", 0, 1, 0, 0, 0, "one.x: probably a delay of ", 5, NULL},
    /* the channel moves about 2 m: of the two each alone explains little */
    {"gain and offset", 1, 1.03, -0.06, 0, 0, "two.x: probably a gain of 1.0", 0,
     "two.x: probably an offset of -0.0"},
};

static int is_named(const struct fault *q, uint64_t seed)
{
    static const char *const channels[] = {"one.x", "two.x", "fast.x"};
    static table d;
    double shift[CHANNELS] = {0};
    for (int c = 0; c < CHANNELS; c++)
        if (c == q->channel || q->channel < 0) shift[c] = q->delay;
    exact(&d, shift);
    for (int i = N - 1; i > 0 && q->late; i--)
        d.y[i][q->channel] = d.y[i > q->late ? i - q->late : 0][q->channel];
    add_noise(&d, seed * 7919, 0);
    for (int i = 0; i < N && q->channel >= 0; i++) {
        double *y = &d.y[i][q->channel];
        *y = q->gain * *y + q->offset + q->drift * d.t[i];
    }
    put(&d);
    kit_fit r = kit_solve(study_text);
    const sn_verdict *v = named(&r, q->words, q->channel < 0 ? NULL : channels[q->channel]);
    if (v && q->also) v = named(&r, q->also, channels[q->channel]);
    if (!v) print_message("%s, seed %d:\n", q->name, (int)seed), accused(&r);
    int good = v != NULL;
    kit_drop(&r);
    return good;
}

static void test_faults(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        int count = 0;
        for (uint64_t seed = 1; seed <= 12; seed++) count += is_named(&faults[k], seed);
        if (count < 11) fail_msg("%s (%d): named in %d of 12", faults[k].name, (int)k, count);
    }
}

/* Sizes and what they do: a gain of 5 % of a position is told within four standard errors, and is bad since
   it moves a stiffness. */
static void test_size(void **state)
{
    (void)state;
    static table d;
    exact(&d, (const double[CHANNELS]){0});
    add_noise(&d, 12345, 0);
    for (int i = 0; i < N; i++) d.y[i][1] *= 1.05;
    put(&d);
    kit_fit r = kit_solve(study_text);
    const sn_verdict *v = named(&r, "probably a gain of ", "two.x");
    assert_non_null(v);
    double gain, error;
    assert_int_equal(sscanf(strstr(v->text, "gain of "), "gain of %lf +- %lf", &gain, &error), 2);
    kit_is("gain", gain, 1.05, 4 * error);
    assert_true(error < 0.005);
    assert_non_null(strstr(v->text, "instruments: {two.x: {gain: unknown}}"));
    kit_drop(&r);
}

/* Two experiments with one sensor that is off: one fault of all, with a stated noise as well. */
static void test_two_experiments(void **state)
{
    (void)state;
    static table d;
    for (int stated = 0; stated < 2; stated++) {
        char text[600];
        for (int k = 0; k < 2; k++) {
            exact(&d, (const double[CHANNELS]){0});
            add_noise(&d, (uint64_t)(555 + k), 0);
            for (int i = 0; i < N; i++) d.y[i][2] *= 1.08;
            put(&d);
            if (!k) assert_int_equal(rename(kit_path("bad.csv"), kit_path("first.csv")), 0);
        }
        snprintf(text, sizeof text,
                 "study: 1\nmodel: row.yaml\nexperiments: {a: first.csv, b: bad.csv}\nstarts: 0\n%s"
                 "unknowns: {k1: {start: 280 N/m}, k2: {start: 210 N/m}, c: {start: 0.8}}\n",
                 stated ? "noise: {one.x: 2 mm, two.x: 3 mm, fast.x: 3 cm/s}\n" : "loss: huber\n");
        kit_fit r = kit_solve(text);
        kit_must_say(&r, "fast.x: probably a gain of 1.0");
        kit_drop(&r);
    }
}

/* Exchanged columns, and wild samples. */
static void test_exchanged(void **state)
{
    (void)state;
    static table d;
    exact(&d, (const double[CHANNELS]){0});
    add_noise(&d, 99, 0);
    for (int i = 0; i < N; i++) {
        double y = d.y[i][0];
        d.y[i][0] = d.y[i][1], d.y[i][1] = y;
    }
    put(&d);
    kit_fit r = kit_solve(study_text);
    kit_must_say(&r, "exchanged");
    kit_drop(&r);
}

static void test_outliers(void **state)
{
    (void)state;
    static table d;
    exact(&d, (const double[CHANNELS]){0});
    add_noise(&d, 77, 0);
    d.y[60][1] += 9 * sigma[1], d.y[140][1] -= 9 * sigma[1];
    put(&d);
    kit_fit r = kit_solve(study_text);
    const sn_verdict *v = named(&r, "far beyond all others (outliers)", "two.x");
    assert_non_null(v);
    assert_non_null(strstr(v->text, "two.x: 2 residuals are"));
    kit_drop(&r);
}

/* Of white noise, and of coloured noise, in which a slow fault is harder to tell from chance. */
static void test_sound(void **state)
{
    (void)state;
    static table d, clean;
    exact(&clean, (const double[CHANNELS]){0});
    for (int coloured = 0; coloured < 2; coloured++) {
        int alarms = 0;
        for (uint64_t seed = 1; seed <= 100; seed++) {
            d = clean;
            add_noise(&d, seed * 104729, coloured ? 0.7 : 0);
            put(&d);
            kit_fit r = kit_solve(study_text);
            alarms += accused(&r) > 0;
            kit_drop(&r);
        }
        if (alarms > 3)
            fail_msg("%d of 100 sound data sets with %s noise are accused", alarms,
                     coloured ? "coloured" : "white");
    }
}

/* Missing physics is no fault of a sensor: without damping in the model nobody is accused. */
static void test_missing(void **state)
{
    (void)state;
    static table d;
    int wrong = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        exact(&d, (const double[CHANNELS]){0});
        add_noise(&d, seed * 31, 0);
        put(&d);
        kit_fit r = kit_solve("study: 1\nmodel: row.yaml\ndata: bad.csv\nstarts: 0\nset: {c: 0.3}\n"
                              "unknowns: {k1: {start: 280 N/m}, k2: {start: 210 N/m}}\n");
        wrong += accused(&r) > 0;
        kit_drop(&r);
    }
    assert_in_range(wrong, 0, 1);
}

static int begin(void **state)
{
    int failed = kit_begin(state);
    if (!failed) kit_put("row.yaml", row_text);
    return failed;
}

#define CRANE(n)                                                                                             \
    "sinew: 1\n"                                                                                             \
    "gravity: [0, -9.81]\n"                                                                                  \
    "parameters: {EI: 2000 N*m^2, k: 3 kN/m, c: 15 N*s/m}\n"                                                 \
    "nodes: {root: [0, 0], tip: [2, 0], load: {at: [2, -1], velocity: [0.3, 0]}}\n"                          \
    "elements:\n"                                                                                            \
    "  boom: {beam2d_cr: [root, tip], EA: 50 MN, EI: EI, rhoA: 4 kg/m, elements: " #n ", damping: 2 ms}\n"   \
    "  cable: {spring2d: [tip, load], k: k, c: c, l0: 0.95 m}\n"                                             \
    "  load: {mass2d: load, mass: 10 kg}\n"                                                                  \
    "joints: {wall: {fixed: root}}\n"                                                                        \
    "sensors: {tip: {position: tip}, load: {position: load}}\n"                                              \
    "run: {end: 2 s, step: 1 ms}\n"

/* A load on a crane whose boom is two elements in the model and eight in the data: the tip of the coarse one
   is elsewhere, which looks like offsets and delays (nine in four seeds). The mesh is to blame, and no
   sensor. */
static void test_coarse_mesh(void **state)
{
    (void)state;
    kit_put("fine.yaml", CRANE(8)), kit_put("coarse.yaml", CRANE(2));
    for (uint64_t seed = 1; seed <= 4; seed++) {
        kit_data k = {.model = "fine.yaml",
                      .channels = "tip.y load.x load.y",
                      .end = 2,
                      .dt = 0.01,
                      .sigma = 5e-4,
                      .seed = seed};
        kit_measure("crane.csv", &k);
        kit_fit r = kit_solve("study: 1\nmodel: coarse.yaml\ndata: crane.csv\nstarts: 0\n"
                              "unknowns: {EI: {start: 1800}, k: {start: 2800}, c: {start: 20}}\n");
        assert_true(r.e->mesh.seen);
        assert_int_equal(accused(&r), 0);
        kit_drop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),          cmocka_unit_test(test_size),
        cmocka_unit_test(test_two_experiments), cmocka_unit_test(test_exchanged),
        cmocka_unit_test(test_outliers),        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_missing),         cmocka_unit_test(test_coarse_mesh)};
    return cmocka_run_group_tests(tests, begin, kit_end);
}
