/* What is differentiated: numbers of an oscillator m x'' + c x' + k x = 0 and of a double pendulum, against
   closed forms, identities and differences; the same gradient to the last bit however it is computed; and
   what is refused, with the reason. */
#include "verify/gradient.h"

static const char *const oscillator =
    "sinew: 1\n"
    "parameters: {k: 9 N/m, m: 0.25 kg, c: 0 N*s/m, x0: 0.3 m, v0: -0.8 m/s, idle: 2}\n"
    "nodes: {wall: [-5, 0], b: {point2d: [0, 0], displacement: [x0, 0], velocity: [v0, 0]}}\n"
    "elements:\n"
    "  m: {mass2d: b, mass: m}\n"
    "  s: {spring2d: [wall, b], k: k, c: c, l0: 5}\n"
    "joints: {guide: {fixed: b, only: y}, wall: {fixed: wall}}\n"
    "sensors: {b: {position: b}, v: {velocity: b}, a: {acceleration: b}}\n"
    "run: {end: 1, step: 10 ms}\n";

static const char *const double_pendulum =
    "sinew: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {l1: 0.5, l2: 0.4, m1: 1, m2: 0.7, w: 3, c: 0.05, e1: 1e-3, e2: 2e-3, e3: 0.02}\n"
    "nodes: {a: {frame2d: [l1, 0], spin: w, velocity: [0, w*l1]}, b: {frame2d: [l1 + l2, 0.1], angle: e3}}\n"
    "elements:\n"
    "  ma: {mass2d: a, mass: m1, inertia: 0.02, com: [e1, e2]}\n"
    "  mb: {mass2d: b, mass: m2, inertia: 0.01}\n"
    "joints:\n"
    "  o: {revolute2d: [ground, a], at: [0, 0], ct: c}\n"
    "  p: {revolute2d: [a, b], at: [l1, 0]}\n"
    "sensors: {b: {position: b}, va: {velocity: a}, ab: {acceleration: b}, o: {reaction: o}, e: {energy: "
    "all}}\n"
    "run: {end: 1.5, step: 5 ms}\n";

static grad *open_oscillator(void) { return grad_text(oscillator); }

/* x = x0 cos wt + v0/w sin wt, w^2 = k/m, and its derivatives by k, m, x0, v0. */
static void exact(double t, double *d)
{
    const double k = 9, m = 0.25, x0 = 0.3, v0 = -0.8, w = sqrt(k / m);
    double dw = -x0 * t * sin(w * t) + v0 * (t * cos(w * t) / w - sin(w * t) / (w * w));
    d[0] = dw / (2 * m * w), d[1] = -dw * w / (2 * m), d[2] = cos(w * t), d[3] = sin(w * t) / w;
}

/* Of second order, as the motion itself. At w h = 0.03 terms of fourth order are 1e-3 of those of second. */
static void test_closed_form(void **state)
{
    static const char *const wrt[] = {"k", "m", "x0", "v0"}, *const of[] = {"b.x@0.93"};
    double reference[4], error[3][4];
    (void)state;
    exact(0.93, reference);
    for (int i = 0; i < 3; i++) {
        grad *g = open_oscillator();
        g->o.run.step = 0.01 / (1 << i), g->o.run.scheme = "newmark";
        grad_wrt(g, 4, wrt), grad_of(g, 1, of);
        double *a = grad_by(g, SN_GRADIENT_ADJOINT, NULL), *f = grad_by(g, SN_GRADIENT_FORWARD, NULL);
        grad_compare(g, "oscillator", f, a, NULL, GRAD_SAME);
        for (int p = 0; p < 4; p++) error[i][p] = f[p] - reference[p];
        free(a), free(f);
        grad_close(g);
    }
    for (int p = 0; p < 4; p++) {
        print_message("  by %s: %.8f, off by %.1e %.1e %.1e\n", wrt[p], reference[p], error[0][p],
                      error[1][p], error[2][p]);
        kit_within("order", order_of(error[0][p], error[1][p]), 1.98, 2.02);
        kit_within("order", order_of(error[1][p], error[2][p]), 1.98, 2.02);
    }
}

/* a = -(k x0 + c v0)/m at t = 0, exact but for rounding. */
static void test_initial_acceleration(void **state)
{
    static const char *const wrt[] = {"k", "m", "x0", "v0", "c"}, *const of[] = {"a.x@0"};
    const double k = 9, m = 0.25, x0 = 0.3, v0 = -0.8, c = 0.2;
    const double reference[] = {-x0 / m, (k * x0 + c * v0) / (m * m), -k / m, -c / m, -v0 / m};
    grad *g = open_oscillator();
    (void)state;
    kit_set(&g->k, "c", c), kit_update(&g->k);
    grad_wrt(g, 5, wrt), grad_of(g, 1, of);
    double *a = grad_by(g, SN_GRADIENT_ADJOINT, NULL), *f = grad_by(g, SN_GRADIENT_FORWARD, NULL);
    kit_near("a", g->value[0], -(k * x0 + c * v0) / m, 1e-12);
    for (int p = 0; p < 5; p++) {
        kit_near(wrt[p], f[p], reference[p], 1e-11 * fabs(reference[p]));
        kit_near(wrt[p], a[p], reference[p], 1e-11 * fabs(reference[p]));
    }
    free(a), free(f);
    grad_close(g);
}

/* All functionals, alone and in expressions. */
static void test_functionals(void **state)
{
    static const char *const wrt[] = {"k", "m", "x0", "v0"};
    static const char *const of[] = {"b.x",
                                     "integral(b.x^2)",
                                     "mean(b.x)",
                                     "rms(b.x - 0.1*t)",
                                     "peak(b.x, 1000)",
                                     "valley(b.x + v.x/10, 100)",
                                     "mean(b.x*b.x)",
                                     "rms(b.x)",
                                     "sqrt(rms(b.x)^2 + b.x@0.333^2) - exp(mean(v.x))*peak(a.x, 3)",
                                     "3 + 0*b.x"};
    enum { N = sizeof of / sizeof *of };
    grad *g = open_oscillator();
    (void)state;
    grad_wrt(g, 4, wrt), grad_of(g, N, of);
    grad_agree(g, "functionals");
    double *f = grad_by(g, SN_GRADIENT_FORWARD, NULL);
    /* rms^2 is the mean of the square; peaks are below the amplitude by ln(5)/k or so: a fifth of the time is
       near it */
    double amplitude = hypot(0.3, 0.8 / 6);
    kit_near("rms", g->value[7] * g->value[7], g->value[6], 1e-15);
    kit_within("peak", g->value[4], amplitude - 0.005, amplitude);
    assert_true(g->value[9] == 3);
    for (int p = 0; p < 4; p++) {
        kit_near("rms", 2 * g->value[7] * f[7 * 4 + p], f[6 * 4 + p], 1e-14);
        assert_true(f[9 * 4 + p] == 0);
    }
    /* at the peak the derivative by x0 is x0/amplitude; 1/sqrt(k A) = 0.06 rad around it count */
    kit_near("peak by x0", f[4 * 4 + 2], 0.3 / amplitude, 0.02);
    free(f);
    grad_close(g);
}

/* Sums of squares against data: their derivative is 2 e dy, with dy of sn_sample; without a residual it is 0.
 */
static void test_misfit(void **state)
{
    static const char *const wrt[] = {"k", "m", "x0", "v0"}, *const of[] = {"misfit()", "misfit(b.x)"};
    static const double t[] = {0, 0.123, 0.5, 0.777, 1};
    grad *g = open_oscillator();
    enum { T = 5, C = 2, P = 4 };
    int channels = sn_channel_count(g->k.m),
        channel[C] = {kit_channel(&g->k, "b.x"), kit_channel(&g->k, "v.x")};
    double *y = calloc((size_t)(T * channels), sizeof *y),
           *dy = calloc((size_t)(T * channels * P), sizeof *dy);
    double data[T * C], sum[2] = {0, 0}, d[2][P] = {{0}};
    sn_data measured = {.n = T, .n_channel = C, .t = t, .y = data, .channel = channel};
    (void)state;
    sn_run_options run = g->o.run;
    run.wrt = wrt, run.n_wrt = P;
    kit_good(&g->k, sn_sample(g->k.m, g->k.p, &run, &(sn_samples){T, t, y, dy}, NULL, &g->k.err));
    for (int i = 0; i < T; i++)
        for (int c = 0; c < C; c++) {
            double e = 0.1 + 0.03 * i - 0.05 * c;
            data[i * C + c] = i == 2 && c == 1 ? NAN : y[i * channels + channel[c]] - e;
            for (int j = 0; j < 2 && !isnan(data[i * C + c]) && (j == 0 || c == 0); j++) {
                sum[j] += e * e;
                for (int p = 0; p < P; p++) d[j][p] += 2 * e * dy[(i * channels + channel[c]) * P + p];
            }
        }
    g->o.data = &measured;
    grad_wrt(g, 4, wrt), grad_of(g, 2, of);
    grad_agree(g, "misfit");
    double *f = grad_by(g, SN_GRADIENT_ADJOINT, NULL);
    for (int j = 0; j < 2; j++) {
        kit_near("misfit", g->value[j], sum[j], 1e-13);
        for (int p = 0; p < P; p++) kit_near("misfit by ...", f[j * P + p], d[j][p], 1e-11);
    }
    free(f);
    for (int i = 0; i < T * C; i++) data[i] = y[i / C * channels + channel[i % C]];
    f = grad_by(g, SN_GRADIENT_FORWARD, NULL);
    for (int i = 0; i < 2 * P; i++) assert_true(f[i] == 0);
    free(f), free(y), free(dy);
    grad_close(g);
}

static const char *const arms[] = {"l1", "l2", "m1", "m2", "w", "c", "e1", "e2", "e3", "gravity.y"};
enum { ARMS = 10 };

/* sn_sample and sn_gradient step the same derivatives. */
static void test_samples(void **state)
{
    static const double t[] = {0, 0.4321, 1.5};
    static const char *const of[] = {"b.x@0",       "ab.y@0", "b.x@0.4321", "ab.y@0.4321",
                                     "o.fx@0.4321", "b.y",    "e.total"};
    static const struct {
        int t;
        const char *channel;
    } at[] = {{0, "b.x"}, {0, "ab.y"}, {1, "b.x"}, {1, "ab.y"}, {1, "o.fx"}, {2, "b.y"}, {2, "e.total"}};
    grad *g = grad_text(double_pendulum);
    int channels = sn_channel_count(g->k.m);
    double *y = calloc((size_t)(3 * channels), sizeof *y),
           *dy = calloc((size_t)(3 * channels * ARMS), sizeof *dy);
    (void)state;
    grad_wrt(g, ARMS, arms), grad_of(g, 7, of);
    double *f = grad_by(g, SN_GRADIENT_FORWARD, NULL);
    sn_run_options run = g->o.run;
    run.wrt = arms, run.n_wrt = ARMS;
    kit_good(&g->k, sn_sample(g->k.m, g->k.p, &run, &(sn_samples){3, t, y, dy}, NULL, &g->k.err));
    for (int i = 0; i < 7; i++) {
        int row = at[i].t * channels + kit_channel(&g->k, at[i].channel);
        assert_true(g->value[i] == y[row]);
        assert_memory_equal(f + i * ARMS, dy + row * ARMS, sizeof(double) * ARMS);
    }
    free(f), free(y), free(dy);
    grad_close(g);
}

static const char *const swings[] = {"b.x@1.2345", "rms(o.fx)/10 + e.total", "peak(va.y, 5)"};

/* Bit by bit: with any number of threads, and with memory for a few states only, where most of the run is
   made again. Forward, adjoint and differences agree, too, through swings of more than a right angle. */
static void test_same_bits(void **state)
{
    static const double memory[] = {1, 2e4, 6e4};
    grad *g = grad_text(double_pendulum);
    size_t bytes = sizeof(double) * 3 * ARMS;
    (void)state;
    grad_wrt(g, ARMS, arms), grad_of(g, 3, swings);
    double *f = grad_by(g, SN_GRADIENT_FORWARD, NULL);
    for (int n = 2; n <= 3; n++) {
        g->o.threads = n;
        double *again = grad_by(g, SN_GRADIENT_FORWARD, NULL);
        assert_int_equal(g->info.threads, n);
        assert_memory_equal(f, again, bytes);
        free(again);
    }
    double *a = grad_by(g, SN_GRADIENT_ADJOINT, NULL);
    assert_int_equal(g->info.repeated, 0);
    assert_int_equal(g->info.stored, g->info.run.steps + 1);
    for (int i = 0; i < 3; i++) {
        g->o.memory = memory[i];
        double *again = grad_by(g, SN_GRADIENT_ADJOINT, NULL);
        print_message("  %.0f bytes: %ld of %ld states stored, %ld steps repeated\n", memory[i],
                      g->info.stored, g->info.run.steps + 1, g->info.repeated);
        assert_int_equal(g->info.run.steps, 300);
        assert_true(g->info.repeated > 0 && g->info.stored < 100);
        assert_memory_equal(a, again, bytes);
        free(again);
    }
    free(f), free(a);
    g->o.memory = 0, g->o.threads = 1;
    grad_agree(g, "double pendulum");
    grad_close(g);
}

/* The same with step-size control: steps of many sizes are repeated. */
static void test_same_bits_controlled(void **state)
{
    grad *g = grad_text(double_pendulum);
    (void)state;
    g->o.run.error = 1e-5;
    grad_wrt(g, ARMS, arms), grad_of(g, 3, swings);
    double *a = grad_by(g, SN_GRADIENT_ADJOINT, NULL);
    g->o.memory = 1;
    double *again = grad_by(g, SN_GRADIENT_ADJOINT, NULL);
    print_message("  %ld steps, %ld rejections, %ld repeated\n", g->info.run.steps, g->info.run.rejections,
                  g->info.repeated);
    assert_true(g->info.repeated > 0);
    assert_memory_equal(a, again, sizeof(double) * 3 * ARMS);
    free(a), free(again);
    grad_close(g);
}

static void test_without_influence(void **state)
{
    static const char *const wrt[] = {"k", "idle", "x0"}, *const of[] = {"b.x"};
    grad *g = open_oscillator();
    (void)state;
    grad_wrt(g, 3, wrt), grad_of(g, 1, of);
    for (sn_gradient_method m = SN_GRADIENT_FORWARD; m <= SN_GRADIENT_ADJOINT; m++) {
        double *f = grad_by(g, m, NULL);
        assert_true(g->used[0] && !g->used[1] && g->used[2]);
        assert_true(f[0] != 0 && f[1] == 0 && f[2] != 0);
        free(f);
    }
    grad_close(g);
}

/* ---- what is refused ---- */

static void refused_in(const char *yaml, const char *of, const char *wrt, int statics, const char *text)
{
    grad *g = grad_text(yaml);
    const char *names[] = {wrt, "l2"};
    double value, d[2];
    const sn_gradient_result to = {&value, d, NULL, NULL};
    g->o.of = &of, g->o.n_of = 1, g->o.wrt = names, g->o.n_wrt = 2, g->o.statics = statics;
    for (g->o.method = SN_GRADIENT_AUTO; g->o.method <= SN_GRADIENT_DIFFERENCES; g->o.method++) {
        sn_err_clear(&g->k.err);
        if (sn_gradient(g->k.m, g->k.p, &g->o, &to, NULL, &g->k.err) != SN_ERR_INPUT)
            fail_msg("'%s' by '%s' is not refused", of, wrt);
        assert_string_equal(g->k.err.report[0].text, text);
    }
    grad_close(g);
}

static void refused(const char *of, const char *wrt, int statics, const char *text)
{
    refused_in(double_pendulum, of, wrt, statics, text);
}

static const char *const varying =
    "sinew: 1\n"
    "parameters: {l2: 1, tall: 20 mm}\n"
    "materials: {steel: {E: 210 GPa, rho: 7850}}\n"
    "sections: {bar: {rectangle: , width: 10 mm, height: tall*(2 - xi)}}\n"
    "nodes: {a: [0, 0], b: [l2, 0]}\n"
    "elements: {beam: {beam2d_cr: [a, b], material: steel, section: bar, elements: 2},\n"
    "  push: {force2d: b, force: [0, 1 N*sin(2*t)]}}\n"
    "joints: {wall: {fixed: a}}\n"
    "sensors: {b: {position: b}}\n"
    "run: {end: 1 ms, step: 0.1 ms}\n";

static void test_refused(void **state)
{
    (void)state;
    refused("b.x", "run.end", 0, "'run.end' is no number of the model but of its computation");
    refused("b.x", "l3", 0, "the model has no number 'l3' (did you mean 'l1'?)");
    refused_in(varying, "b.x", "push.force.y", 0,
               "'push.force.y' varies with time: differentiate by its parameters");
    refused_in(varying, "b.x", "bar.height", 0,
               "'bar.height' varies along the beam: differentiate by the parameters in its expression");
    refused("bb.x", "l1", 0, "there is no sensor 'bb.x' (did you mean 'b.x'?)");
    refused("b.q", "l1", 0, "sensor 'b' gives b.x, b.y, b.theta");
    refused("b.x +", "l1", 0, "expected a number, a name or '(', found the end");
    refused("b.x)", "l1", 0, "expected an operator or the end, found ')'");
    refused("foo(b.x)", "l1", 0, "unknown function 'foo'; write * between a name and '('");
    refused("mean()", "l1", 0, "expected a number or an expression, found nothing");
    refused("", "l1", 0, "expected a number or an expression, found nothing");
    refused("b.x", "l2", 0, "'l2' and 'l2' are the same number");
    refused("b.x", "parameters.l2", 0, "'parameters.l2' and 'l2' are the same number");
    refused("b.x", "ground.at.x", 0, "'ground.at.x' belongs to the ground, which does not move");
    refused("b.x@2", "l1", 0, "'b.x@2': the run is from 0 s to 1.5 s");
    refused("b.x@", "l1", 0, "'b.x@': a time is expected after @");
    refused("peak(b.x)", "l1", 0, "peak(g, k) needs its sharpness k, some 50 over the range of g");
    refused("peak(b.x, -1)", "l1", 0, "' -1': the sharpness must be a positive number");
    refused("misfit()", "l1", 0, "misfit(): there are no data to compare with (--data)");
    refused("mean(b.x", "l1", 0, "a ')' is missing for this '('");
    refused("b.x@1", "l1", 1, "'b.x@1': an equilibrium has no times");
    refused("mean(b.x)", "l1", 1, "mean(): an equilibrium has no course in time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_form),
        cmocka_unit_test(test_initial_acceleration),
        cmocka_unit_test(test_functionals),
        cmocka_unit_test(test_misfit),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_same_bits_controlled),
        cmocka_unit_test(test_without_influence),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
