/* Integrators from outside: implicit Euler against the public headers (implicit_euler.h) does what every
   scheme does, with derivatives where it has them; and what an integrator lacks is refused clearly, whatever
   it lacks. */
#include "verify/gradient.h"
#include "verify/implicit_euler.h"

#include "sinew/plugin.h"

#include <unistd.h>

static const char pendulum[] = "sinew: 1\n"
                               "gravity: [0, -9.81]\n"
                               "parameters: {l: 1 m, m: 2 kg}\n"
                               "nodes: {b: [-l, 0]}\n"
                               "elements: {bob: {mass2d: b, mass: m}}\n"
                               "joints: {rod: {distance: [ground, b]}}\n"
                               "sensors: {b: {position: b}, v: {velocity: b}}\n"
                               "run: {end: 0.4, step: 2 ms}\n";

static const char lag[] = "sinew: 1\n"
                          "nodes: {z: {state: 1}, b: [0, 0]}\n"
                          "elements: {m: {mass2d: b, mass: 1}, lag: {lag: z.z, tau: 0.3 s, input: 0}}\n"
                          "sensors: {b: {position: z}}\n"
                          "run: {end: 0.4, step: 2 ms}\n";

static const char top[] = "sinew: 1\n"
                          "gravity: [0, 0, -9.81]\n"
                          "nodes: {c: {at: [0, 0.6, 0.8], spin: [0, 0, 40]}}\n"
                          "elements: {body: {mass3d: c, mass: 2, inertia: [0.1, 0.1, 0.2]}}\n"
                          "joints: {ball: {spherical: [ground, c], at: [0, 0, 0]}}\n"
                          "sensors: {b: {position: c}}\n"
                          "run: {end: 0.2, step: 1 ms}\n";

/* No freedom: a rod that is turned. */
static const char driven[] = "sinew: 1\n"
                             "parameters: {w: 2}\n"
                             "nodes: {o: {frame2d: [0, 0]}}\n"
                             "elements: {m: {mass2d: o, mass: 1, inertia: 1, com: [0.3, 0]}}\n"
                             "joints: {pin: {revolute2d: [ground, o], at: [0, 0]},\n"
                             "         motor: {drive: o.theta, value: w*t/(1 s)}}\n"
                             "sensors: {b: {position: o, offset: [1, 0]}}\n"
                             "run: {end: 0.4, step: 10 ms}\n";

/* A plug-in with one integrator. */
static sn_status add_one(const sn_integrator_class *k, sn_err *err)
{
    const sn_integrator_class *const list[] = {k, NULL};
    const sn_plugin plugin = {SN_PLUGIN_HEAD, .name = "euler", .integrators = list};
    return sn_plugin_add(&plugin, err);
}

static int add_all(void **state)
{
    sn_err err;
    (void)state;
    sn_err_clear(&err);
    return add_one(&bare_euler, &err) || add_one(&full_euler, &err);
}

static void says(kit *k, sn_status s, const char *text)
{
    assert_int_equal(s, SN_ERR_INPUT);
    assert_int_equal(k->err.count, 1);
    if (!strstr(k->err.report[0].text, text)) fail_msg("'%s' is not in: %s", text, k->err.report[0].text);
    sn_err_clear(&k->err);
}

/* ---- it runs ---- */

/* Errors halve with the step: order 1, within the h^2 that follows (w h is below 0.02). The limit is the fine
   run of a scheme of second order with the same start. */
static void converges(const char *yaml, const char *channel)
{
    kit k;
    double y[3], t, limit;
    kit_text(&k, yaml);
    t = k.o.end;
    k.o.step /= 4;
    limit = kit_value(&k, channel, t);
    k.o.step *= 4;
    for (int i = 0; i < 2; i++) {
        static const char *const scheme[] = {"bare_euler", "full_euler"};
        kit_scheme(&k, scheme[i], NULL, 0);
        for (int j = 0; j < 3; j++, k.o.step /= 2) y[j] = kit_value(&k, channel, t);
        k.o.step *= 8;
        double order = order_of(y[1] - limit, y[2] - limit);
        print_message("  %s %s: off by %.2e, order %.3f, %ld steps\n", scheme[i], channel, y[2] - limit,
                      order, k.info.steps);
        assert_true(fabs(y[2] - limit) > 1e-6); /* it is another scheme */
        kit_within("order of convergence", order, 0.9, 1.1);
        assert_int_equal(k.info.steps, lround(t / (k.o.step / 4)));
    }
    kit_close(&k);
}

static void test_runs(void **state)
{
    (void)state;
    converges(pendulum, "b.x");
    converges(lag, "b.z");
    converges(top, "b.x");
}

/* The setting is a number of the run like that of any scheme: inertia twice as large is a bob of twice the
   mass that is drawn by a spring. */
static void test_setting(void **state)
{
    static const char spring[] =
        "sinew: 1\n"
        "nodes: {b: [1.2, 0]}\n"
        "elements: {m: {mass2d: b, mass: 1}, s: {spring2d: [ground, b], k: 80, l0: 1}}\n"
        "joints: {rail: {fixed: b, only: y}}\n"
        "sensors: {b: {position: b}}\n"
        "run: {end: 0.3, step: 1 ms, scheme: full_euler}\n";
    kit k;
    (void)state;
    kit_text(&k, spring);
    k.o.tolerance = 1e-12;
    double one = kit_value(&k, "b.x", 0.3);
    kit_scheme(&k, "full_euler", "inertia", 2);
    double two = kit_value(&k, "b.x", 0.3);
    kit_scheme(&k, "full_euler", NULL, 0);
    kit_set(&k, "run.inertia", 2);
    kit_update(&k);
    kit_near("set by name, and as a number of the run", kit_value(&k, "b.x", 0.3), two, 0);
    kit_set(&k, "run.inertia", 1);
    kit_set(&k, "m.mass", 2);
    kit_update(&k);
    kit_near("as twice the mass", kit_value(&k, "b.x", 0.3), two, 1e-12);
    assert_true(fabs(one - two) > 1e-2);
    kit_set(&k, "run.rho", 0.5);
    kit_update(&k);
    says(&k, sn_run(k.m, k.p, &k.o, &k.info, &k.err),
         "scheme 'full_euler' has no setting 'rho': it has 'inertia'");
    kit_close(&k);
}

/* ---- what it has not ---- */

static void test_refusals(void **state)
{
    static const char *const wrt[] = {"l", "m"}, *const of[] = {"b.x@0.4"};
    double value[1], d[2], e[2], y[4], dy[8], times[] = {0.4};
    const sn_gradient_result result = {.value = value, .gradient = d, .error = e};
    const sn_samples plain = {1, times, y, NULL}, both = {1, times, y, dy};
    kit k;
    (void)state;
    kit_text(&k, pendulum);
    k.o.scheme = "bare_euler";
    sn_gradient_options o = sn_gradient_options_default(k.m, k.p);
    o.run.scheme = "bare_euler", o.of = of, o.n_of = 1, o.wrt = wrt, o.n_wrt = 2;
    static const struct {
        sn_gradient_method method;
        const char *text;
    } c[] = {{SN_GRADIENT_AUTO, "scheme 'bare_euler' has no derivatives (forward)"},
             {SN_GRADIENT_FORWARD, "scheme 'bare_euler' has no derivatives (forward)"},
             {SN_GRADIENT_ADJOINT, "scheme 'bare_euler' has no derivatives (adjoint)"}};
    for (int i = 0; i < 3; i++) {
        o.method = c[i].method;
        says(&k, sn_gradient(k.m, k.p, &o, &result, NULL, &k.err), c[i].text);
    }
    o.method = SN_GRADIENT_DIFFERENCES; /* of any run */
    kit_good(&k, sn_gradient(k.m, k.p, &o, &result, NULL, &k.err));
    kit_near("nothing depends on the mass", d[1], 0, 1e-9);
    assert_true(fabs(d[0]) > 0.1);
    k.o.wrt = wrt, k.o.n_wrt = 2;
    says(&k, sn_sample(k.m, k.p, &k.o, &both, NULL, &k.err), c[0].text);
    kit_good(&k, sn_sample(k.m, k.p, &k.o, &plain, NULL, &k.err));
    says(&k, sn_run(k.m, k.p, &k.o, &k.info, &k.err), c[0].text);
    k.o.n_wrt = 0, k.o.error = 1e-4;
    says(&k, sn_run(k.m, k.p, &k.o, &k.info, &k.err), "scheme 'bare_euler' does not estimate its error");
    kit_close(&k);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* By runs it needs derivatives; the equations of motion themselves need no scheme. */
static void test_identify(void **state)
{
    char folder[] = "/tmp/sinew-integrator-XXXXXX", path[3][64];
    static const char *const name[] = {"model.yaml", "data.csv", "study.yaml"};
    static const char *const text[] = {
        pendulum, "t,b.x\n0,-1\n0.1,-0.95\n0.2,-0.8\n0.3,-0.5\n",
        "study: 1\nmodel: model.yaml\ndata: data.csv\nunknowns: {l: {start: 1 m}}\n"};
    kit k = {.m = NULL};
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 3; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", folder, name[i]);
        write_text(path[i], text[i]);
    }
    sn_identify_options o = {.scheme = "bare_euler", .threads = 1};
    sn_identify_info info = {0};
    sn_err_clear(&k.err);
    says(&k, sn_identify(path[2], &o, &info, &k.err), "scheme 'bare_euler' has no derivatives (forward)");
    for (int i = 0; i < 3; i++) unlink(path[i]);
    rmdir(folder);
}

/* Where nothing is left to integrate no scheme is asked for derivatives. */
static void test_kinematic(void **state)
{
    static const char *const wrt[] = {"w"}, *const of[] = {"b.y@0.4"};
    (void)state;
    kit k;
    kit_text(&k, driven);
    k.o.scheme = "bare_euler";
    kit_near("angle", kit_value(&k, "b.y", 0.4), sin(0.8), 1e-9);
    assert_true(k.info.kinematic);
    sn_gradient_options o = sn_gradient_options_default(k.m, k.p);
    o.run.scheme = "bare_euler", o.of = of, o.n_of = 1, o.wrt = wrt, o.n_wrt = 1;
    for (int i = SN_GRADIENT_AUTO; i <= SN_GRADIENT_DIFFERENCES; i++) {
        double value, d, e;
        const sn_gradient_result result = {.value = &value, .gradient = &d, .error = &e};
        o.method = (sn_gradient_method)i;
        kit_good(&k, sn_gradient(k.m, k.p, &o, &result, NULL, &k.err));
        kit_near("derivative", d, 0.4 * cos(0.8), 1e-6);
    }
    kit_close(&k);
}

/* ---- what it has ---- */

/* gradient.h says how closely: forward, adjoint and differences, with steps of one size and of many. */
static void test_derivatives(void **state)
{
    static const char *const linkage[] = {"r", "o.spin", "guide.mu", "wheel.radius", "mr.com.x", "gravity.y"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        grad *g = grad_file("tests/verify/data/gradient/linkage2d.yaml");
        g->o.run.scheme = "full_euler", g->o.run.error = i ? 1e-3 : 0;
        g->o.run.end = g->o.run.begin + 0.5 * (g->o.run.end - g->o.run.begin);
        grad_wrt(g, 6, linkage);
        grad_all_sensors(g);
        grad_agree(g, i ? "implicit Euler, steps by their error" : "implicit Euler");
        assert_true(g->info.run.steps > 3);
        grad_close(g);
    }
    grad *g = grad_text(lag);
    static const char *const of[] = {"b.z@0.31"}, *const tau[] = {"lag.tau"};
    g->o.run.scheme = "full_euler";
    grad_wrt(g, 1, tau);
    grad_of(g, 1, of);
    grad_agree(g, "a state of first order");
    grad_close(g);
}

/* ---- tables ---- */

static void test_tables(void **state)
{
    static const sn_slot taken[] = {{"step", "s", "x", 1, 0, 1, 0, 2, NULL}, {.name = NULL}},
                         wide[] = {{"g", "1", "x", 3, 0, 1, 0, 2, NULL}, {.name = NULL}},
                         other[] = {{"rho", "m", "x", 1, 0, 1, 0, 2, NULL}, {.name = NULL}},
                         off[] = {{"g", "1", "x", 1, 0, 3, 0, 2, NULL}, {.name = NULL}};
    static const sn_scheme good[] = {{"new", "x", NULL, NULL}, {.name = NULL}},
                           again[] = {{"hht", "x", NULL, NULL}, {.name = NULL}},
                           settings[][2] = {{{"new", "x", taken, NULL}, {.name = NULL}},
                                            {{"new", "x", wide, NULL}, {.name = NULL}},
                                            {{"new", "x", other, NULL}, {.name = NULL}},
                                            {{"new", "x", off, NULL}, {.name = NULL}}};
    static const char *const why[] = {"every run has a key with the name of setting 'step'",
                                      "not one constant number with a default: setting 'g'",
                                      "another scheme has it in another unit: setting 'rho'",
                                      "default outside the range of slot 'g'"};
    sn_integrator_class x = full_euler, y;
    kit k = {.m = NULL};
    (void)state;
    sn_err_clear(&k.err);
#define REFUSED(text) says(&k, add_one(&x, &k.err), text)
    x.name = NULL;
    REFUSED("a kind without a name");
    x.name = "genalpha", x.schemes = good;
    REFUSED("integrator 'genalpha': there is already a kind of this name");
    x.name = "mine", x.schemes = again;
    REFUSED("integrator 'mine': there is already a scheme 'hht'");
    for (int i = 0; i < 4; i++) {
        x.schemes = settings[i];
        REFUSED(why[i]);
    }
    x.schemes = NULL;
    REFUSED("integrator 'mine': no schemes");
    x.schemes = good, x.step = NULL;
    REFUSED("open, step or close is missing");
    x.step = euler_step, x.order = 0;
    REFUSED("error without the order of it");
    x.order = 1, x.begin_forward = NULL;
    REFUSED("begin_forward is missing");
    x.begin_forward = euler_begin_forward, y = x, y.name = "other";
    const sn_integrator_class *const both[] = {&x, &y, NULL};
    const sn_plugin plugin = {SN_PLUGIN_HEAD, .name = "twice", .integrators = both};
    says(&k, sn_plugin_add(&plugin, &k.err), "integrator 'other': there is already a scheme 'new'");
    assert_null(sn_integrator_find("mine"));
    assert_ptr_equal(sn_integrator_find("full"), &full_euler);
}

/* Any of the functions that may be missing: what can be done is, the rest is refused; nothing crashes. */
static void test_combinations(void **state)
{
    enum { ERROR = 1, AGAIN = 2, FORWARD = 4, ADJOINT = 8, ALL = 16 };
    static sn_integrator_class table[ALL];
    static sn_scheme scheme[ALL][2];
    static char name[ALL][16];
    static const char *const wrt[] = {"l"}, *const of[] = {"b.x@0.1"};
    const sn_integrator_class *whole = sn_integrator_find("genalpha");
    kit k;
    (void)state;
    sn_err_clear(&k.err);
    for (int i = 0; i < ALL; i++) {
        snprintf(name[i], sizeof name[i], "part%d", i);
        table[i] = *whole, scheme[i][0] = whole->schemes[0];
        table[i].name = scheme[i][0].name = name[i], table[i].schemes = scheme[i], table[i].turn = NULL;
        if (!(i & ERROR)) table[i].error = NULL;
        if (!(i & AGAIN)) table[i].reject = table[i].restart = NULL;
        if (!(i & FORWARD)) table[i].step_forward = NULL;
        if (!(i & ADJOINT)) table[i].step_adjoint = NULL;
        if (!(i & (FORWARD | ADJOINT))) table[i].begin_forward = NULL;
        kit_good(&k, add_one(&table[i], &k.err));
    }
    kit_text(&k, pendulum);
    k.o.end = 0.1;
    for (int i = 0; i < ALL; i++) {
        sn_gradient_options o = sn_gradient_options_default(k.m, k.p);
        o.run.scheme = k.o.scheme = name[i], o.run.end = 0.1;
        o.of = of, o.n_of = 1, o.wrt = wrt, o.n_wrt = 1, o.threads = 1;
        k.o.error = 0, k.o.n_wrt = 0;
        kit_good(&k, sn_run(k.m, k.p, &k.o, &k.info, &k.err));
        k.o.error = 1e-5;
        assert_int_equal(sn_run(k.m, k.p, &k.o, &k.info, &k.err), i & ERROR ? SN_OK : SN_ERR_INPUT);
        k.o.error = 0, k.o.wrt = wrt, k.o.n_wrt = 1;
        assert_int_equal(sn_run(k.m, k.p, &k.o, &k.info, &k.err), i & FORWARD ? SN_OK : SN_ERR_INPUT);
        for (int j = SN_GRADIENT_AUTO; j <= SN_GRADIENT_CONTINUOUS; j++) {
            double value, d, e;
            int can = j == SN_GRADIENT_AUTO      ? i & (FORWARD | ADJOINT)
                      : j == SN_GRADIENT_FORWARD ? i & FORWARD
                      : j == SN_GRADIENT_ADJOINT ? i & ADJOINT
                                                 : 1;
            const sn_gradient_result result = {.value = &value, .gradient = &d, .error = &e};
            o.method = (sn_gradient_method)j;
            assert_int_equal(sn_gradient(k.m, k.p, &o, &result, NULL, &k.err), can ? SN_OK : SN_ERR_INPUT);
        }
    }
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),      cmocka_unit_test(test_setting),
        cmocka_unit_test(test_refusals),  cmocka_unit_test(test_identify),
        cmocka_unit_test(test_kinematic), cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_tables),    cmocka_unit_test(test_combinations),
    };
    return cmocka_run_group_tests(tests, add_all, NULL);
}
