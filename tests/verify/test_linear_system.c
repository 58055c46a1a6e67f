/* x' = A x + B u, y = C x + D u about states at rest and steady motions: closed forms, the frequency response
   that identification uses, runs with a small input, equilibria. */
#include "verify/linear_kit.h"

/* Closed forms of small systems hold to rounding times a condition of some hundreds. */
#define EXACT 1e-12

static const double frequencies[] = {0.3, 2, 4.0824829, 17, 400};

/* m x'' + c x' + k x = u: position, velocity, acceleration, reaction of the wall -k x - c x', of the guide 0.
 */
static void test_oscillator(void **state)
{
    const double m = 3, c = 4, k = 50;
    kit at;
    linear y;
    (void)state;
    kit_text(&at, "sinew: 1\n"
                  "nodes: {w: [0, 0], b: [1.5, 0]}\n"
                  "signals: {push: {input: 0}}\n"
                  "elements: {m: {mass2d: b, mass: 3}, s: {spring2d: [w, b], k: 50, c: 4, l0: 1.5},\n"
                  "  f: {force2d: b, force: [push, 0]}}\n"
                  "joints: {rail: {fixed: b, only: y}, wall: {fixed: w}}\n"
                  "sensors: {x: {position: b}, v: {velocity: b}, a: {acceleration: b}, r: {reaction: wall}, "
                  "e: {energy: s}}\n");
    linear_options(&at, &y), linear_make(&at, &y);
    assert_int_equal(y.about, SN_LINEAR_AT_REST);
    assert_int_equal(y.n, 2);
    assert_int_equal(y.ni, 1);
    assert_string_equal(y.state[0], "b.x"), assert_string_equal(y.state[1], "b.x'");
    assert_string_equal(y.state_unit[0], "m"), assert_string_equal(y.state_unit[1], "m/s");
    assert_string_equal(y.input[0], "push"), assert_string_equal(y.input_unit[0], "N");
    assert_string_equal(y.output_unit[linear_index(y.output, y.no, "a.x")], "m/s^2");
    for (size_t i = 0; i < sizeof frequencies / sizeof *frequencies; i++) {
        double complex s = I * frequencies[i], h = 1 / (m * s * s + c * s + k);
        linear_near("x", linear_response(&y, "x.x", "push", s), h, EXACT);
        linear_near("v", linear_response(&y, "v.x", "push", s), s * h, EXACT);
        linear_near("a", linear_response(&y, "a.x", "push", s), s * s * h, EXACT);
        linear_near("reaction", linear_response(&y, "r.fx", "push", s), -(c * s + k) * h, EXACT);
        assert_true(cabs(linear_response(&y, "x.y", "push", s)) < 1e-15);
        assert_true(cabs(linear_response(&y, "e.total", "push", s)) < 1e-13); /* stationary at rest */
    }
    linear_free(&y), kit_close(&at);
}

/* A body on a spring and a damper from a base that is led along u: m x'' = k (u - x) + c (u' - x'), with the
   force of the drive M u'' - k (u - x) - c (u' - x'). The drive's second derivative is the input. */
static void test_base(void **state)
{
    const double m = 3, M = 5, c = 4, k = 50;
    kit at;
    linear y;
    (void)state;
    kit_text(&at,
             "sinew: 1\n"
             "nodes: {w: [0, 0], b: [1.5, 0]}\n"
             "signals: {lead: {input: 0}}\n"
             "elements: {mw: {mass2d: w, mass: 5}, m: {mass2d: b, mass: 3}, "
             "s: {spring2d: [w, b], k: 50, c: 4, l0: 1.5}}\n"
             "joints: {rail: {fixed: b, only: y}, base: {fixed: w, only: y}, "
             "go: {drive: w.x, value: lead}}\n"
             "sensors: {x: {position: b}, a: {acceleration: b}, w: {position: w}, wa: {acceleration: w}, "
             "r: {reaction: go}}\n");
    linear_options(&at, &y), linear_make(&at, &y);
    assert_int_equal(y.n, 4);
    assert_string_equal(y.input[0], "lead''");
    assert_string_equal(y.input_unit[0], "m/s^2");
    assert_int_equal(y.order[0], 2);
    linear_index(y.state, y.n, "lead"), linear_index(y.state, y.n, "lead'");
    for (size_t i = 0; i < sizeof frequencies / sizeof *frequencies; i++) {
        double complex s = I * frequencies[i], h = (c * s + k) / (m * s * s + c * s + k);
        linear_near("x", linear_response(&y, "x.x", "lead''", s), h, EXACT);
        linear_near("a", linear_response(&y, "a.x", "lead''", s), s * s * h, EXACT);
        linear_near("base", linear_response(&y, "w.x", "lead''", s), 1, EXACT);
        linear_near("base", linear_response(&y, "wa.x", "lead''", s), s * s, EXACT);
        double complex force = M * s * s + (k + c * s) * (1 - h);
        linear_near("drive", linear_response(&y, "r.fx", "lead''", s), force, EXACT * 100);
    }
    linear_free(&y), kit_close(&at);
}

/* A pendulum with a moment: J th'' + m g l th = u, at its hanging and at its upright position. */
static void test_pendulum(void **state)
{
    (void)state;
    for (int up = 0; up < 2; up++) {
        kit at;
        linear y;
        kit_text(&at, up ? "sinew: 1\ngravity: [0, 9.81]\n"
                           "nodes: {b: {frame2d: [0, -0.5]}}\nparameters: {M: 0}\n"
                           "elements: {m: {mass2d: b, mass: 2, inertia: 0.1}, t: {force2d: b, torque: M}}\n"
                           "joints: {pin: {revolute2d: [ground, b], at: [0, 0]}}\n"
                           "sensors: {th: {rotation: b}, r: {reaction: pin}}\n"
                         : "sinew: 1\ngravity: [0, -9.81]\n"
                           "nodes: {b: {frame2d: [0, -0.5]}}\nparameters: {M: 0}\n"
                           "elements: {m: {mass2d: b, mass: 2, inertia: 0.1}, t: {force2d: b, torque: M}}\n"
                           "joints: {pin: {revolute2d: [ground, b], at: [0, 0]}}\n"
                           "sensors: {th: {rotation: b}, r: {reaction: pin}}\n");
        const char *inputs[] = {"M"};
        linear_options(&at, &y);
        y.o.input = inputs, y.o.n_input = 1;
        linear_make(&at, &y);
        assert_int_equal(y.n, 2);
        const double J = 0.1 + 2 * 0.25, k = (up ? -1 : 1) * 2 * 9.81 * 0.5;
        double complex s = 1.3 * I, h = 1 / (J * s * s + k);
        linear_near("angle", linear_response(&y, "th.theta", "M", s), h, EXACT);
        /* across: m l th'' is what the pin must give, as there is no other force along x */
        linear_near("reaction", linear_response(&y, "r.fx", "M", s), 2 * 0.5 * s * s * h, EXACT);
        double root = up ? sqrt(2 * 9.81 * 0.5 / J) : 0;
        if (up) assert_true(fabs(fmax(y.poles[0], y.poles[2]) - root) < 1e-12 * root);
        linear_free(&y), kit_close(&at);
    }
}

/* A lag, tau z' + z = gain u. */
static void test_lag(void **state)
{
    kit at;
    linear y;
    (void)state;
    kit_text(&at, "sinew: 1\nnodes: {z: {state: 0}}\nsignals: {u: {polynomial: [0, 2]}}\n"
                  "elements: {l: {lag: [z.z], tau: 0.2, gain: 3, input: u}}\n"
                  "sensors: {z: {position: z.z}, r: {velocity: z.z}}\n");
    linear_options(&at, &y), linear_make(&at, &y);
    assert_int_equal(y.n, 1);
    assert_string_equal(y.state[0], "z.z");
    assert_string_equal(y.input[0], "u");
    double complex s = 7 * I;
    linear_near("state", linear_response(&y, y.output[0], "u", s), 3 / (1 + 0.2 * s), EXACT);
    linear_near("rate", linear_response(&y, y.output[1], "u", s), 3 * s / (1 + 0.2 * s), EXACT);
    linear_free(&y), kit_close(&at);
}

/* A point without mass between two springs, with a force u: (k1 + k2) p = u + k2 x, m x'' = k2 (p - x). Its
   velocity follows u', which is the input then; without that sensor u is. */
static void test_massless(void **state)
{
    const double m = 2, k1 = 300, k2 = 500;
    const char *places[] = {"p", "x"};
    kit at;
    (void)state;
    kit_text(&at, "sinew: 1\nnodes: {p: [1, 0], b: [2, 0]}\nsignals: {u: {input: 0}}\n"
                  "elements: {m: {mass2d: b, mass: 2}, s1: {spring2d: [ground, p], k: 300},\n"
                  "  s2: {spring2d: [p, b], k: 500}, f: {force2d: p, force: [u, 0]}}\n"
                  "joints: {a: {fixed: p, only: y}, c: {fixed: b, only: y}}\n"
                  "sensors: {p: {position: p}, x: {position: b}, v: {velocity: p}}\n");
    for (int rates = 0; rates < 2; rates++) {
        linear y;
        linear_options(&at, &y);
        if (!rates) y.o.output = places, y.o.n_output = 2;
        linear_make(&at, &y);
        assert_int_equal(y.n, 2 + rates);
        assert_int_equal(y.order[0], rates);
        assert_string_equal(y.input[0], rates ? "u'" : "u");
        assert_string_equal(y.input_unit[0], rates ? "N/s" : "N");
        double complex s = 3.7 * I, k = k1 + k2, h = (k2 / k) / (m * s * s + k2 - k2 * k2 / k),
                       p = (1 + k2 * h) / k;
        linear_near("x", linear_response(&y, "x.x", y.input[0], s), h, EXACT);
        linear_near("p", linear_response(&y, "p.x", y.input[0], s), p, EXACT);
        if (rates) linear_near("v", linear_response(&y, "v.x", "u'", s), s * p, EXACT);
        linear_free(&y);
    }
    kit_close(&at);
}

/* A wheel that rolls and is turned by a drive: x = -R u through an equation between velocities. The reaction
   of the road along it accelerates the mass, that of the drive both. */
static void test_rolling_drive(void **state)
{
    const double R = 0.3, m = 2, J = 0.1;
    kit at;
    linear y;
    (void)state;
    kit_text(&at, "sinew: 1\nnodes: {c: {frame2d: [0, 0.3]}}\nsignals: {turn: {input: 0}}\n"
                  "elements: {m: {mass2d: c, mass: 2, inertia: 0.1}}\n"
                  "joints: {roll: {rolling2d: c, radius: 0.3}, motor: {drive: c.theta, value: turn}}\n"
                  "sensors: {x: {position: c}, road: {reaction: roll}, t: {reaction: motor}}\n");
    linear_options(&at, &y), linear_make(&at, &y);
    assert_string_equal(y.input[0], "turn''");
    assert_string_equal(y.input_unit[0], "rad/s^2");
    double complex s = 2.3 * I;
    linear_near("x", linear_response(&y, "x.x", "turn''", s), -R, EXACT);
    linear_near("angle", linear_response(&y, "x.theta", "turn''", s), 1, EXACT);
    linear_near("road", linear_response(&y, "road.fx", "turn''", s), -m * R * s * s, EXACT);
    int torque = -1;
    for (int i = 0; i < y.no; i++)
        if (!strncmp(y.output[i], "t.", 2) && cabs(linear_response(&y, y.output[i], "turn''", s)) > 1e-9)
            torque = i;
    assert_true(torque >= 0);
    linear_near("motor", linear_response(&y, y.output[torque], "turn''", s), (J + m * R * R) * s * s, EXACT);
    linear_free(&y), kit_close(&at);
}

/* ---- the poles are the roots of the equations with their multipliers ---- */

typedef struct pencil {
    int n, nv;
    double *A[3];
    unsigned char *rate;
} pencil;

static void put(const sn_sparse *a, int row, int col, int n, double *out)
{
    for (int j = 0; j < a->cols; j++)
        for (int k = a->first[j]; k < a->first[j + 1]; k++) out[(col + j) * n + row + a->row[k]] = a->x[k];
}

typedef struct both {
    linear y;
    pencil p;
    int velocity; /* first equation at velocity level, or more */
} both;

static sn_status take_both(void *ctx, const sn_linear *l, sn_err *err)
{
    both *t = ctx;
    const int n = l->nv + l->m;
    t->p.n = n, t->p.nv = l->nv;
    for (int o = 0; o < 3; o++) t->p.A[o] = calloc((size_t)(n * n + 1), sizeof(double));
    put(&l->K, 0, 0, n, t->p.A[0]), put(&l->C, 0, 0, n, t->p.A[1]), put(&l->M, 0, 0, n, t->p.A[2]);
    put(&l->L, 0, l->nv, n, t->p.A[0]);
    return linear_take(&t->y, l, err);
}

/* The smallest singular value of T(s), rows and columns of size 1, over the largest. The level of an equation
   is that of its kind: B y, or B y' + D y. */
static double singular(const both *t, const double *B, const double *D, const unsigned char *rate,
                       double complex s)
{
    const int n = t->p.n, nv = t->p.nv, m = n - nv;
    double complex *T = calloc((size_t)(n * n + 1), sizeof *T);
    double *sv = calloc((size_t)n + 1, sizeof *sv), *work = calloc((size_t)n + 1, sizeof *work);
    for (int i = 0; i < n * n; i++) T[i] = t->p.A[0][i] + s * (t->p.A[1][i] + s * t->p.A[2][i]);
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < m; i++)
            T[j * n + nv + i] = rate[i] ? s * B[j * m + i] + D[j * m + i] : B[j * m + i];
    for (int pass = 0; pass < 6; pass++)
        for (int i = 0; i < n; i++) {
            double row = 0, col = 0;
            for (int j = 0; j < n; j++) row = fmax(row, cabs(T[j * n + i]));
            for (int j = 0; row > 0 && j < n; j++) T[j * n + i] /= row;
            for (int j = 0; j < n; j++) col = fmax(col, cabs(T[i * n + j]));
            for (int j = 0; col > 0 && j < n; j++) T[i * n + j] /= col;
        }
    assert_int_equal(LAPACKE_zgesvd(LAPACK_COL_MAJOR, 'N', 'N', n, n, (lapack_complex_double *)T, n, sv, NULL,
                                    1, NULL, 1, work),
                     0);
    double out = sv[n - 1] / sv[0];
    free(T), free(sv), free(work);
    return out;
}

typedef struct kept_rows {
    both *t;
    double *B, *D;
    unsigned char *rate;
} kept_rows;

static sn_status take_rows(void *ctx, const sn_linear *l, sn_err *err)
{
    kept_rows *k = ctx;
    k->B = calloc((size_t)(l->m * l->nv + 1), sizeof *k->B),
    k->D = calloc((size_t)(l->m * l->nv + 1), sizeof *k->D);
    k->rate = calloc((size_t)l->m + 1, 1);
    put(&l->B, 0, 0, l->m, k->B), put(&l->D, 0, 0, l->m, k->D);
    for (int i = 0; i < l->m; i++) {
        const char *name = l->equation[i];
        /* rolling: the wheels of the bicycle */
        k->rate[i] = strstr(name, "road") != NULL && strstr(name, "gap") == NULL;
    }
    return take_both(k->t, l, err);
}

/* Poles are known to about 1e-12 of the fastest, T(s) with them; a root off by one part in a hundred is seen.
 */
static void test_examples(void **state)
{
    static const char *const all[] = {"andrews-squeezer/andrews", "control/balance",
                                      "quarter-car/quarter-car",  "double-pendulum/double-pendulum",
                                      "heavy-top/heavy-top",      "slider-crank/slider-crank",
                                      "two-bar/two-bar",          "pendulum/pendulum",
                                      "four-bar/four-bar"};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        kit at;
        both t = {0};
        kept_rows k = {.t = &t};
        char path[200];
        double worst = 0, off = INFINITY;
        snprintf(path, sizeof path, "examples/%s.yaml", all[i]);
        kit_file(&at, path);
        linear_options(&at, &t.y);
        t.y.o.take = take_rows, t.y.o.ctx = &k;
        t.y.o.run.message = NULL;
        const char *input = "gravity.y"; /* a force: it has no states of its own, as drives have */
        t.y.o.input = &input, t.y.o.n_input = 1;
        linear_make(&at, &t.y);
        assert_true(t.y.has && t.y.n > 0);
        for (int j = 0; j < t.y.n; j++) {
            double complex s = t.y.poles[2 * j] + I * t.y.poles[2 * j + 1];
            worst = fmax(worst, singular(&t, k.B, k.D, k.rate, s));
            if (cabs(s) > 0) off = fmin(off, singular(&t, k.B, k.D, k.rate, 1.01 * s));
        }
        print_message("  %-32s %2d states: %.1e at the poles, %.1e beside them\n", all[i], t.y.n, worst, off);
        assert_true(worst < 1e-10);
        assert_true(off > 10 * worst);
        free(k.B), free(k.D), free(k.rate);
        for (int o = 0; o < 3; o++) free(t.p.A[o]);
        linear_free(&t.y), kit_close(&at);
    }
}

/* ---- what is wrong is said ---- */

static void refused(kit *at, const char *input, const char *output, const char *what)
{
    linear y;
    linear_options(at, &y);
    y.o.input = &input, y.o.n_input = input != NULL;
    y.o.output = &output, y.o.n_output = output != NULL;
    sn_err_clear(&at->err);
    assert_int_equal(sn_linearise(at->m, at->p, &y.o, &at->err), SN_ERR_INPUT);
    if (!strstr(at->err.report[0].text, what)) fail_msg("'%s' is not in '%s'", what, at->err.report[0].text);
    sn_err_clear(&at->err);
    linear_free(&y);
}

static void test_bad(void **state)
{
    kit at;
    linear y;
    const char *idle[] = {"idle"};
    (void)state;
    kit_text(
        &at,
        "sinew: 1\nparameters: {idle: 3}\nnodes: {b: {at: [1, 0], velocity: [0.3, 2]}}\n"
        "signals: {push: {input: 0}}\n"
        "elements: {m: {mass2d: b, mass: 3}, s: {spring2d: [ground, b], k: 50, c: 4, l0: 0.5},\n"
        "  f: {force2d: b, force: [push, 0]}}\nsensors: {tip: {position: b}}\nrun: {end: 1, step: 1 ms}\n");
    refused(&at, "pusch", NULL, "did you mean 'push'");
    refused(&at, NULL, "tip.z", "tip.x");
    refused(&at, NULL, "tap.x", "did you mean 'tip.x'");
    refused(&at, "run.step", NULL, "computation");
    linear_options(&at, &y);
    y.o.input = idle, y.o.n_input = 1;
    linear_make(&at, &y);
    assert_non_null(strstr(y.messages, "'idle' does nothing"));
    assert_non_null(strstr(y.messages, "not steady"));
    assert_int_equal(y.about, SN_LINEAR_INSTANT);
    linear_free(&y), kit_close(&at);
    kit_text(&at, "sinew: 1\nnodes: {b: [1, 0]}\nelements: {m: {mass2d: b, mass: 3}}\n");
    linear_options(&at, &y), linear_make(&at, &y);
    assert_int_equal(y.ni, 0);
    assert_int_equal(y.no, 0);
    linear_free(&y);
    linear_options(&at, &y);
    y.o.reduce = 1;
    assert_int_equal(sn_linearise(at.m, at.p, &y.o, &at.err), SN_ERR_INPUT);
    linear_free(&y), kit_close(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oscillator), cmocka_unit_test(test_base),
        cmocka_unit_test(test_pendulum),   cmocka_unit_test(test_lag),
        cmocka_unit_test(test_massless),   cmocka_unit_test(test_rolling_drive),
        cmocka_unit_test(test_examples),   cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
