/* Simulations held in the hand: stepped they are runs, to the last bit; other values are those of a new one;
   inputs act as signals of the same form do; attempts and bytes repeat to the last bit; the response is the
   derivative. */
#include "kit.h"

/* Beams, joints, a massless coordinate of first order, a redundant equation, two inputs: a force and a drive.
 */
static const char mechanism[] =
    "sinew: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {r: 0.1 m, L: 4*r, EI: 3 N*m^2}\n"
    "nodes: {o: [0, 0], c: [r, 0], p: [r + L, 0], z: {state: 0}}\n"
    "elements:\n"
    "  crank: {beam2d_cr: [o, c], EA: 1e4, EI: EI, rhoA: 0.5}\n"
    "  rod: {beam2d_cr: [c, p], EA: 1e4, EI: EI, rhoA: 0.5, elements: 3}\n"
    "  piston: {mass2d: p, mass: 0.3, inertia: 1e-4}\n"
    "  push: {force2d: p, force: [push, 0]}\n"
    "  filter: {lag: [z.z, p.x], tau: 0.05 s}\n"
    "joints:\n"
    "  base: {fixed: o, only: [x, y]}\n"
    "  again: {fixed: o, only: x}\n"
    "  motor: {drive: o.theta, value: turn}\n"
    "  guide: {prismatic2d: [ground, p], axis: [1, 0]}\n"
    "signals: {push: {input: 0.3}, turn: {input: 0}}\n"
    "sensors: {a: {position: p}, v: {velocity: p}, b: {force: rod}, c: {reaction: base}, z: {position: z}}\n"
    "run: {end: 0.1, step: 1 ms}\n";

/* Friction that numbers turn on and off, bodies in space, closed loops of redundant joints. */
static const char spatial[] =
    "sinew: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {mu: 0.1, l: 0.7 m}\n"
    "nodes: {a: [0, 0, 0], b: {at: [l, 0, 0], spin: [0, 0, 3]}, c: {at: [l, 0.5, 0]}}\n"
    "elements:\n"
    "  a: {mass3d: a, mass: 1, inertia: [0.02, 0.03, 0.04]}\n"
    "  b: {mass3d: b, mass: 2, inertia: [0.02, 0.03, 0.04]}\n"
    "  c: {mass3d: c, mass: 1, inertia: [0.02, 0.03, 0.04]}\n"
    "  push: {force3d: c, force: [0, push, 0]}\n"
    "joints:\n"
    "  h: {revolute: [ground, a], axis: [0, 1, 0], mu: mu, radius: 0.02}\n"
    "  w: {rigid_link: [a, b]}\n"
    "  w2: {rigid_link: [a, b]}\n"
    "  s: {spherical: [b, c], at: [l, 0.2, 0]}\n"
    "signals: {push: {input: 0}}\n"
    "sensors: {c: {position: c}, r: {rotation: c}, e: {energy: all}, h: {reaction: h}}\n"
    "run: {end: 0.05, step: 1 ms}\n";

/* No freedom: every state follows from the drive. */
static const char driven[] =
    "sinew: 1\nparameters: {r: 0.3 m}\n"
    "nodes: {a: [0, 0], b: [r, 0]}\n"
    "elements: {m: {mass2d: b, mass: 2, inertia: 0.1}, n: {mass2d: a, mass: 1, inertia: 0.1}}\n"
    "joints: {pin: {fixed: a, only: [x, y]}, motor: {drive: a.theta, value: 0.2 + turn}, w: {rigid_link: [a, "
    "b]}}\n"
    "signals: {turn: {input: 0}}\n"
    "sensors: {b: {position: b}, v: {velocity: b}, m: {reaction: motor}}\n"
    "run: {end: 0.05, step: 1 ms}\n";

enum { MOST = 64 };

typedef struct row {
    double t, y[MOST];
} row;

static sn_sim *opened(kit *k)
{
    sn_sim *s;
    kit_good(k, sn_sim_open(k->m, k->p, &k->o, &s, &k->err));
    assert_true(sn_channel_count(k->m) <= MOST);
    return s;
}

static sn_sim *started(kit *k)
{
    sn_sim *s = opened(k);
    kit_good(k, sn_sim_start(s, &k->err));
    return s;
}

static row now(kit *k, sn_sim *s)
{
    sn_frame f;
    row r = {0};
    kit_good(k, sn_sim_read(s, &f, &k->err));
    r.t = f.t;
    memcpy(r.y, f.y, sizeof(double) * (size_t)sn_channel_count(k->m));
    return r;
}

static void same(const char *what, const row *a, const row *b)
{
    for (int i = 0; i < MOST; i++)
        if (memcmp(&a->y[i], &b->y[i], sizeof(double)))
            fail_msg("%s: channel %d is %.17g, not %.17g", what, i, b->y[i], a->y[i]);
    if (a->t != b->t) fail_msg("%s: t is %.17g, not %.17g", what, b->t, a->t);
}

static int differ(const row *a, const row *b) { return memcmp(a->y, b->y, sizeof a->y) != 0; }

static row to(kit *k, sn_sim *s, double t)
{
    kit_good(k, sn_sim_step(s, t, &k->err));
    return now(k, s);
}

/* ---- runs ---- */

typedef struct keeper {
    row last;
    int n;
} keeper;

static sn_status keep_last(void *ctx, const sn_frame *f, sn_err *err)
{
    keeper *c = ctx;
    (void)err;
    c->last.t = f->t;
    memcpy(c->last.y, f->y, sizeof(double) * (size_t)c->n);
    return SN_OK;
}

static row run(kit *k)
{
    keeper c = {.n = sn_channel_count(k->m)};
    sn_run_options o = k->o;
    o.frame = keep_last, o.ctx = &c, o.output = o.end - o.begin;
    kit_good(k, sn_run(k->m, k->p, &o, &k->info, &k->err));
    return c.last;
}

/* In one go, and step by step, whatever the integrator, with error control in one go. */
static void test_steps_are_a_run(void **state)
{
    (void)state;
    const char *const text[] = {mechanism, spatial, driven};
    for (int i = 0; i < 3; i++)
        for (int way = 0; way < 4; way++) {
            kit k;
            kit_text(&k, text[i]);
            if (way == 2) k.o.exact = SN_EXACT;
            if (way == 3) k.o.error = 1e-6;
            row a = run(&k), b;
            sn_sim *s = started(&k);
            if (way == 1)
                for (int n = 1; n * k.o.step < k.o.end * (1 + 1e-9); n++)
                    b = to(&k, s, n * k.o.step < k.o.end * (1 - 1e-9) ? n * k.o.step : k.o.end);
            else
                b = to(&k, s, k.o.end);
            /* the last of single steps is not taken from its own end to the run's: off by rounding of t */
            same("stepped", &a, &b);
            assert_int_equal(sn_sim_info(s)->steps, k.info.steps);
            sn_sim_close(s);
            kit_close(&k);
        }
}

/* ---- values ---- */

typedef struct change {
    const char *text, *name;
    double b;
} change;

/* A, B, A by one simulation are as by three. */
static void test_values(void **state)
{
    (void)state;
    const change all[] = {{mechanism, "r", 0.13}, {mechanism, "EI", 0.5}, {mechanism, "push.value", 2},
                          {spatial, "mu", 0},     {spatial, "l", 0.4},    {driven, "r", 0.1}};
    for (int i = 0; i < 6; i++)
        for (int exact = 0; exact < 2; exact++) {
            kit k;
            kit_text(&k, all[i].text);
            k.o.exact = exact ? SN_EXACT : 0;
            sn_values *b;
            row first, second, again, fresh;
            kit_good(&k, sn_values_copy(k.p, &b, &k.err));
            kit_good(&k, sn_values_set_number(b, all[i].name, all[i].b, &k.err));
            kit_good(&k, sn_values_update(b, &k.err));
            sn_sim *s = started(&k);
            first = to(&k, s, k.o.end);
            kit_good(&k, sn_sim_values(s, b, &k.err));
            kit_good(&k, sn_sim_start(s, &k.err));
            second = to(&k, s, k.o.end);
            kit_good(&k, sn_sim_values(s, k.p, &k.err));
            kit_good(&k, sn_sim_start(s, &k.err));
            again = to(&k, s, k.o.end);
            sn_sim_close(s);
            same(all[i].name, &first, &again);
            kit_good(&k, sn_sim_open(k.m, b, &k.o, &s, &k.err));
            kit_good(&k, sn_sim_start(s, &k.err));
            fresh = to(&k, s, k.o.end);
            sn_sim_close(s);
            same(all[i].name, &fresh, &second);
            assert_true(differ(&first, &second));
            sn_values_free(b);
            kit_close(&k);
        }
}

/* ---- inputs ---- */

/* An input of second order is the polynomial that it is; steps that are not the options' come out equal. */
static void test_input(void **state)
{
    (void)state;
    const double c[] = {0.3, 1.5, -20}, d[] = {0.05, -0.5};
    char text[2000], *at;
    kit k, p;
    kit_text(&k, mechanism);
    snprintf(text, sizeof text, "%s", mechanism);
    at = strstr(text, "signals: {push: {input: 0.3}, turn: {input: 0}}");
    assert_non_null(at);
    char *rest = strdup(strchr(at, '\n'));
    sprintf(at, "signals: {push: {polynomial: [0.3, 1.5, -20]}, turn: {input: 0}}%s", rest);
    free(rest);
    kit_text(&p, text);
    sn_sim *s = started(&k), *q = started(&p);
    kit_good(&k, sn_sim_input(s, 0, 2, c, &k.err));
    row a = to(&k, s, 0.05), b = to(&p, q, 0.05);
    /* two ways to sum three numbers, through fifty steps */
    for (int i = 0; i < sn_channel_count(k.m); i++)
        kit_near("input", a.y[i], b.y[i], 1e-9 * (1 + fabs(b.y[i])));
    /* and from a later time: value, rate and square of the polynomial there */
    const double later[] = {0.3 + 1.5 * 0.05 - 20 * 0.0025, 1.5 - 40 * 0.05, -20};
    kit_good(&k, sn_sim_input(s, 0, 2, later, &k.err));
    int turn;
    kit_good(&k, sn_input_find(k.m, "turn", &turn, &k.err));
    assert_int_equal(turn, 1);
    assert_int_equal(sn_input_count(k.m), 2);
    assert_int_equal(sn_input_count(p.m), 1);
    assert_string_equal(sn_input_name(k.m, 1), "turn");
    assert_null(sn_input_name(k.m, 2));
    kit_good(&k, sn_sim_input(s, 1, 1, d, &k.err));
    kit_good(&p, sn_sim_input(q, 0, 1, d, &p.err));
    a = to(&k, s, 0.0907), b = to(&p, q, 0.0907);
    for (int i = 0; i < sn_channel_count(k.m); i++)
        kit_near("input", a.y[i], b.y[i], 1e-8 * (1 + fabs(b.y[i])));
    assert_true(a.t == 0.0907);
    /* the start forgets inputs */
    kit_good(&k, sn_sim_start(s, &k.err));
    sn_sim *n = started(&k);
    a = to(&k, s, 0.05), b = to(&k, n, 0.05);
    same("start again", &a, &b);
    sn_sim_close(s), sn_sim_close(q), sn_sim_close(n);
    kit_close(&k), kit_close(&p);
}

/* ---- attempts ---- */

static row attempt(kit *k, sn_sim *s, double t, double u)
{
    kit_good(k, sn_sim_input(s, 0, 0, &u, &k->err));
    kit_good(k, sn_sim_try(s, t, &k->err));
    return now(k, s);
}

static void test_try(void **state)
{
    (void)state;
    const char *const text[] = {mechanism, spatial, driven};
    for (int i = 0; i < 3; i++)
        for (int way = 0; way < 3; way++) {
            kit k;
            kit_text(&k, text[i]);
            if (way == 1) k.o.exact = SN_EXACT;
            if (way == 2) k.o.error = 1e-6;
            sn_sim *s = started(&k);
            row before = to(&k, s, 0.0105), a, b, c;
            a = attempt(&k, s, 0.0135, 0.4);
            b = attempt(&k, s, 0.0135, 0.1);
            assert_true(differ(&a, &b));
            c = attempt(&k, s, 0.0135, 0.4);
            same("tried again", &a, &c);
            kit_good(&k, sn_sim_undo(s, &k.err));
            b = now(&k, s);
            same("undone", &before, &b);
            b = attempt(&k, s, 0.02, 0.2);
            b = attempt(&k, s, 0.0135, 0.4);
            same("tried after undoing", &a, &b);
            kit_good(&k, sn_sim_keep(s, &k.err));
            b = now(&k, s);
            same("kept", &a, &b);
            b = to(&k, s, 0.02);
            assert_true(b.t == 0.02);
            sn_sim_close(s);
            kit_close(&k);
        }
}

/* ---- bytes ---- */

static void test_save(void **state)
{
    (void)state;
    const char *const text[] = {mechanism, spatial, driven};
    for (int i = 0; i < 3; i++)
        for (int way = 0; way < 3; way++) {
            kit k;
            const double c[] = {0.4, 3};
            void *bytes;
            size_t n;
            kit_text(&k, text[i]);
            if (way == 1) k.o.exact = SN_EXACT;
            if (way == 2) k.o.error = 1e-6;
            sn_sim *s = started(&k), *other = started(&k);
            to(&k, s, 0.0105);
            kit_good(&k, sn_sim_input(s, 0, 1, c, &k.err));
            to(&k, s, 0.015);
            kit_good(&k, sn_sim_save(s, &bytes, &n, &k.err));
            row at = now(&k, s), on = to(&k, s, 0.03), a;
            kit_good(&k, sn_sim_load(s, bytes, n, &k.err));
            a = now(&k, s);
            same("loaded", &at, &a);
            a = to(&k, s, 0.03);
            same("on from there", &on, &a);
            /* in a simulation that was never there, from bytes that lie oddly */
            char *odd = malloc(n + 1);
            memcpy(odd + 1, bytes, n);
            to(&k, other, 0.007);
            kit_good(&k, sn_sim_load(other, odd + 1, n, &k.err));
            a = to(&k, other, 0.03);
            same("in another one", &on, &a);
            free(odd), sn_release(bytes);
            sn_sim_close(s), sn_sim_close(other);
            kit_close(&k);
        }
}

/* ---- response ---- */

static const double base[] = {0.3, 2, 5}; /* coefficients of all inputs */

/* Slopes of all channels by coefficient c of an input: central differences over tries with h and h/2,
 * extrapolated. */
static double slopes(kit *k, sn_sim *s, double t, int input, int c, double h, double *slope)
{
    row y[2];
    double largest = 0;
    for (int half = 0; half < 2; half++, h /= 2)
        for (int side = 0; side < 2; side++) {
            double by[] = {base[0], base[1], base[2]};
            by[c] += side ? -h : h;
            kit_good(k, sn_sim_input(s, input, 2, by, &k->err));
            kit_good(k, sn_sim_try(s, t, &k->err));
            y[side] = now(k, s);
            for (int r = 0; side && r < sn_channel_count(k->m); r++) {
                double d = (y[0].y[r] - y[1].y[r]) / (2 * h);
                slope[r] = half ? (4 * d - slope[r]) / 3 : d;
                largest = fmax(largest, fabs(y[0].y[r]));
            }
        }
    kit_good(k, sn_sim_input(s, input, 2, base, &k->err));
    return largest;
}

/* Steps are solved to rounding, multipliers to 1e-12 of the largest force, with friction to 1e-8
   (genalpha_exact.c), which over the change makes the error of the differences, without it ten times that;
   and a millionth for the fourth power of the change. */
static void test_response(void **state)
{
    (void)state;
    const char *const text[] = {mechanism, spatial, driven};
    for (int i = 0; i < 3; i++)
        for (int long_way = 0; long_way < 2; long_way++) {
            kit k;
            kit_text(&k, text[i]);
            k.o.exact = SN_EXACT;
            int ny = sn_channel_count(k.m), nu = sn_input_count(k.m), columns = 3 * nu, input[] = {0, 1};
            double *G = calloc((size_t)(ny * columns), sizeof *G), t = long_way ? 0.0178 : 0.0115;
            sn_sim *s = started(&k);
            to(&k, s, 0.0105);
            for (int u = 0; u < nu; u++) kit_good(&k, sn_sim_input(s, u, 2, base, &k.err));
            kit_good(&k, sn_sim_try(s, t, &k.err));
            row before = now(&k, s), after;
            kit_good(&k, sn_sim_response(s, nu, input, 2, G, &k.err));
            after = now(&k, s);
            same("the response leaves the try", &before, &after);
            int moved = 0;
            for (int c = 0; c < columns; c++) {
                /* forces can be changed by far more than angles */
                double h = (const double[]){1e-3, 1, 1e3}[c % 3] * (i == 1 ? 10 : 1), slope[MOST];
                double largest = slopes(&k, s, t, c / 3, c % 3, h, slope);
                for (int r = 0; r < ny; r++) {
                    double tol = 1e-6 * fabs(slope[r]) + (i == 1 ? 1e-8 : 1e-11) * largest / h;
                    kit_near("response", G[r * columns + c], slope[r], tol);
                    moved += fabs(slope[r]) > 100 * tol;
                }
            }
            assert_true(moved >= columns);
            /* one of them, by order 0: the same number; along with the next try */
            double *one = calloc((size_t)ny, sizeof *one);
            kit_good(&k, sn_sim_try(s, t, &k.err));
            kit_good(&k, sn_sim_response(s, 1, input, 0, one, &k.err));
            kit_good(&k, sn_sim_try(s, t, &k.err));
            kit_good(&k, sn_sim_response(s, 1, input, 0, one, &k.err));
            for (int r = 0; r < ny; r++)
                kit_near("one input", one[r], G[r * columns], 1e-12 * (1 + fabs(G[r * columns])));
            free(one), free(G);
            sn_sim_close(s);
            kit_close(&k);
        }
}

/* The start value of an input is a number like any other. */
static void test_gradient_of_input(void **state)
{
    (void)state;
    kit k;
    const char *const of[] = {"a.x@0.02"}, *const wrt[] = {"push.value", "push.rate"};
    double value, g[3][2];
    const sn_gradient_method by[] = {SN_GRADIENT_FORWARD, SN_GRADIENT_ADJOINT, SN_GRADIENT_DIFFERENCES};
    kit_text(&k, mechanism);
    for (int i = 0; i < 3; i++) {
        sn_gradient_options o = sn_gradient_options_default(k.m, k.p);
        o.of = of, o.n_of = 1, o.wrt = wrt, o.n_wrt = 2, o.method = by[i];
        o.run.end = 0.02;
        sn_gradient_result to = {.value = &value, .gradient = g[i]};
        kit_good(&k, sn_gradient(k.m, k.p, &o, &to, NULL, &k.err));
    }
    for (int j = 0; j < 2; j++) {
        assert_true(fabs(g[0][j]) > 1e-9);
        kit_near("adjoint", g[1][j], g[0][j], 1e-9 * fabs(g[0][j]));
        kit_near("differences", g[2][j], g[0][j], 1e-6 * fabs(g[0][j]));
    }
    kit_close(&k);
}

/* ---- misuse ---- */

static void refused(kit *k, sn_status s, const char *text)
{
    assert_int_equal(s, SN_ERR_INPUT);
    assert_true(k->err.count > 0);
    if (!strstr(k->err.report[0].text, text)) fail_msg("it says: %s", k->err.report[0].text);
    sn_err_clear(&k->err);
}

static void test_misuse(void **state)
{
    (void)state;
    kit k, other;
    sn_frame f;
    sn_sim *s, *none;
    void *bytes;
    size_t n;
    const double u[] = {1, 2, 3, 4}, bad[] = {NAN};
    double G[3 * MOST];
    int input[] = {0, 0}, no = 7, at;
    kit_text(&k, mechanism);
    kit_text(&other, spatial);
    refused(&k, sn_sim_open(k.m, other.p, &k.o, &none, &k.err), "another model");
    assert_null(none);
    k.o.scheme = "no_such";
    refused(&k, sn_sim_open(k.m, k.p, &k.o, &none, &k.err), "unknown scheme");
    k.o.scheme = "hht", k.o.step = 0;
    refused(&k, sn_sim_open(k.m, k.p, &k.o, &none, &k.err), "must be positive");
    k.o.step = 1e-3;
    s = opened(&k);
    refused(&k, sn_sim_step(s, 1, &k.err), "sn_sim_start");
    refused(&k, sn_sim_try(s, 1, &k.err), "sn_sim_start");
    refused(&k, sn_sim_read(s, &f, &k.err), "sn_sim_start");
    refused(&k, sn_sim_input(s, 0, 0, u, &k.err), "sn_sim_start");
    refused(&k, sn_sim_save(s, &bytes, &n, &k.err), "sn_sim_start");
    refused(&k, sn_sim_load(s, u, sizeof u, &k.err), "sn_sim_start");
    refused(&k, sn_sim_keep(s, &k.err), "nothing was tried");
    refused(&k, sn_sim_undo(s, &k.err), "nothing was tried");
    kit_good(&k, sn_sim_start(s, &k.err));
    row a = to(&k, s, 0.01), b;
    refused(&k, sn_sim_step(s, 0.01, &k.err), "cannot step");
    refused(&k, sn_sim_step(s, 0.005, &k.err), "cannot step");
    refused(&k, sn_sim_step(s, NAN, &k.err), "a time");
    refused(&k, sn_sim_step(s, INFINITY, &k.err), "a time");
    refused(&k, sn_sim_step(s, 1e8, &k.err), "too many");
    refused(&k, sn_sim_input(s, 2, 0, u, &k.err), "no input 2");
    refused(&k, sn_sim_input(s, -1, 0, u, &k.err), "no input -1");
    refused(&k, sn_sim_input(s, 0, 3, u, &k.err), "order 0 to 2");
    refused(&k, sn_sim_input(s, 0, -1, u, &k.err), "order 0 to 2");
    refused(&k, sn_sim_input(s, 0, 0, bad, &k.err), "finite");
    refused(&k, sn_input_find(k.m, "pusch", &at, &k.err), "did you mean 'push'");
    refused(&k, sn_sim_values(s, other.p, &k.err), "another model");
    refused(&k, sn_sim_undo(s, &k.err), "nothing was tried");
    refused(&k, sn_sim_response(s, 1, input, 0, G, &k.err), "nothing was tried");
    kit_good(&k, sn_sim_try(s, 0.012, &k.err));
    refused(&k, sn_sim_step(s, 0.02, &k.err), "keep or undo");
    refused(&k, sn_sim_save(s, &bytes, &n, &k.err), "keep or undo");
    refused(&k, sn_sim_try(s, 0.01, &k.err), "cannot step");
    refused(&k, sn_sim_response(s, 1, input, 0, G, &k.err), "SN_EXACT");
    kit_good(&k, sn_sim_undo(s, &k.err));
    b = now(&k, s);
    same("after all of this", &a, &b);
    sn_sim_close(s);
    k.o.exact = SN_EXACT;
    s = started(&k);
    kit_good(&k, sn_sim_try(s, 0.012, &k.err));
    refused(&k, sn_sim_response(s, 2, input, 0, G, &k.err), "twice");
    refused(&k, sn_sim_response(s, 1, &no, 0, G, &k.err), "no input 7");
    refused(&k, sn_sim_response(s, 1, input, 5, G, &k.err), "order 0 to 2");
    refused(&k, sn_sim_response(s, 0, input, 0, G, &k.err), "which input");
    kit_good(&k, sn_sim_response(s, 1, input, 0, G, &k.err));
    sn_sim_close(s);
    sn_sim_close(NULL);
    kit_close(&k), kit_close(&other);
}

static void test_bad_bytes(void **state)
{
    (void)state;
    kit k, other;
    void *bytes;
    size_t n;
    kit_text(&k, mechanism);
    kit_text(&other, spatial);
    sn_sim *s = started(&k), *o = started(&other);
    row a = to(&k, s, 0.01), b;
    kit_good(&k, sn_sim_save(s, &bytes, &n, &k.err));
    char *copy = malloc(n + 8);
    refused(&other, sn_sim_load(o, bytes, n, &other.err), "another model");
    refused(&k, sn_sim_load(s, NULL, 0, &k.err), "no state");
    refused(&k, sn_sim_load(s, "garbage", 7, &k.err), "no state");
    memset(copy, 'x', n);
    refused(&k, sn_sim_load(s, copy, n, &k.err), "no state");
    memcpy(copy, bytes, n);
    refused(&k, sn_sim_load(s, copy, n - 8, &k.err), "damaged");
    refused(&k, sn_sim_load(s, copy, n + 8, &k.err), "damaged");
    refused(&k, sn_sim_load(s, copy, 20, &k.err), "no state");
    copy[8] ^= 1; /* the version is behind the eight letters */
    refused(&k, sn_sim_load(s, copy, n, &k.err), "version");
    copy[8] ^= 1, copy[n - 9] ^= 1;
    refused(&k, sn_sim_load(s, copy, n, &k.err), "damaged");
    copy[n - 9] ^= 1;
    sn_sim_close(o);
    k.o.scheme = "newmark";
    o = started(&k);
    refused(&k, sn_sim_load(o, copy, n, &k.err), "another scheme");
    b = now(&k, s);
    same("after all of this", &a, &b);
    kit_good(&k, sn_sim_load(s, copy, n, &k.err));
    free(copy), sn_release(bytes);
    sn_sim_close(s), sn_sim_close(o);
    kit_close(&k), kit_close(&other);
}

/* A drive that jumps further than anything converges: the simulation stands where it got to, and goes on with
   another input. */
static void test_after_failure(void **state)
{
    (void)state;
    kit k;
    kit_text(&k, mechanism);
    sn_sim *s = started(&k);
    row a = to(&k, s, 0.01), b;
    const double far = 1e9, back = 0;
    kit_good(&k, sn_sim_input(s, 0, 0, &far, &k.err));
    assert_int_equal(sn_sim_try(s, 0.011, &k.err), SN_ERR_NUMERIC);
    sn_err_clear(&k.err);
    b = now(&k, s);
    same("after a try that failed", &a, &b);
    assert_int_equal(sn_sim_step(s, 0.011, &k.err), SN_ERR_NUMERIC);
    sn_err_clear(&k.err);
    b = now(&k, s);
    same("after a step that failed", &a, &b);
    assert_int_equal(sn_sim_step(s, 0.011, NULL), SN_ERR_NUMERIC);
    kit_good(&k, sn_sim_input(s, 0, 0, &back, &k.err));
    b = to(&k, s, 0.02);
    assert_true(b.t == 0.02 && isfinite(b.y[0]));
    /* a start that fails leaves one that can be started again */
    sn_values *p;
    kit_good(&k, sn_values_copy(k.p, &p, &k.err));
    kit_good(&k, sn_values_set_number(p, "guide.at.y", 3, &k.err));
    sn_sim_close(s);
    sn_values_free(p);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_are_a_run),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_input),
        cmocka_unit_test(test_try),
        cmocka_unit_test(test_save),
        cmocka_unit_test(test_response),
        cmocka_unit_test(test_gradient_of_input),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_after_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
