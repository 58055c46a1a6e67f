/* Reports that a caller has collected: they stay, whatever a function tries, overcomes or reports itself, and
   they make no function believe that something went wrong. */
#include "identify_kit.h"

/* An error with one report of the caller's. */
static void begin(sn_err *err)
{
    sn_err_clear(err);
    sn_fail(err, SN_ERR_FILE, NULL, "of the caller");
}

/* Still there; and `text` in the next one (NULL: there is no other). */
static void check(const sn_err *err, const char *text)
{
    assert_true(err->count >= 1);
    assert_string_equal(err->report[0].text, "of the caller");
    assert_int_equal(err->status, SN_ERR_FILE);
    if (!text) {
        if (err->count != 1) fail_msg("%d reports: %s", err->count, err->report[1].text);
        return;
    }
    assert_true(err->count >= 2);
    if (!strstr(err->report[1].text, text)) fail_msg("'%s' is not in: %s", text, err->report[1].text);
}

static void test_functions(void **state)
{
    (void)state;
    static sn_err a, b;
    assert_int_equal(sn_err_count(NULL), 0);
    sn_err_forget(NULL, 0);
    sn_err_join(NULL, &a);
    begin(&a), begin(&b);
    sn_fail(&a, SN_ERR_NUMERIC, NULL, "second");
    sn_err_join(&b, &a);
    assert_int_equal(sn_err_count(&b), 3);
    check(&b, "of the caller");
    assert_string_equal(b.report[2].text, "second");
    sn_err_forget(&b, 1);
    check(&b, NULL);
    sn_err_forget(&b, 0);
    assert_int_equal(b.status, SN_OK);
    sn_err_join(&b, &a);
    assert_int_equal(b.status, SN_ERR_FILE);
    /* more than there is room for is counted */
    for (int i = 0; i < 5; i++) sn_err_join(&a, &b), sn_err_join(&b, &a);
    assert_true(a.count > SN_ERR_MAX && b.count > a.count);
    sn_err_forget(&a, SN_ERR_MAX + 1);
    assert_int_equal(a.count, SN_ERR_MAX + 1);
}

/* Falls on a stop: long steps are divided there. After `last` the force is no number, and there are no steps
 * at all. */
static const char falling[] =
    "sinew: 1\n"
    "gravity: [0, -9.81]\n"
    "parameters: {k: 3e5, h: 0.2, last: 9 s}\n"
    "nodes: {b: {frame2d: [0, h], velocity: [0.3, 0], spin: 2}}\n"
    "elements:\n"
    "  m: {mass2d: b, mass: 1, inertia: 0.02, com: [0.1, 0.02]}\n"
    "  stop: {stop2d: [ground, b], axis: [0, 1], at: [0.1, h], lo: -h, k: k, c: 10,\n"
    "    onset: 0.5 mm, side: low}\n"
    "  push: {force2d: b, force: [\"1e-3 N*sqrt((last - t)/(1 s))\", 0]}\n"
    "sensors: {b: {position: b}}\n"
    "run: {end: 0.5, step: 20 ms}\n";

static void test_model(void **state)
{
    (void)state;
    static sn_err err;
    sn_model *m;
    sn_values *p;
    begin(&err);
    assert_int_equal(sn_model_read_text("push.yaml", push_text, strlen(push_text), &m, &err), SN_OK);
    check(&err, NULL);
    assert_int_equal(sn_values_new(m, &p, &err), SN_OK);
    assert_int_equal(sn_values_set(p, "m", "3 kg", &err), SN_OK);
    assert_int_equal(sn_values_update(p, &err), SN_OK);
    check(&err, NULL);
    assert_int_equal(sn_values_set(p, "mass", "3 kg", &err), SN_ERR_INPUT);
    check(&err, "mass");
    sn_values_free(p), sn_model_free(m);
    begin(&err);
    assert_int_equal(sn_model_read_text("x.yaml", "sinew: 1\nnodes: {a: [x, 0]}\n", 27, &m, &err),
                     SN_ERR_INPUT);
    check(&err, "x");
}

/* Steps that fail and are divided, or cannot be divided any more. */
static void test_run(void **state)
{
    (void)state;
    static sn_err err;
    sn_model *m;
    sn_values *p;
    sn_info info;
    begin(&err);
    assert_int_equal(sn_model_read_text("falling.yaml", falling, strlen(falling), &m, &err), SN_OK);
    assert_int_equal(sn_values_new(m, &p, &err), SN_OK);
    sn_run_options o = sn_run_options_default(m, p);
    o.max_iterations = 3, o.tolerance = 1e-8;
    assert_int_equal(sn_run(m, p, &o, &info, &err), SN_OK);
    assert_true(info.reductions > 0);
    check(&err, NULL);
    o.error = 1e-6;
    assert_int_equal(sn_run(m, p, &o, &info, &err), SN_OK);
    assert_true(info.reductions + info.rejections > 0);
    check(&err, NULL);
    o.error = 0, o.max_iterations = 1, o.tolerance = 1e-14;
    assert_int_equal(sn_run(m, p, &o, &info, &err), SN_ERR_NUMERIC);
    check(&err, "no solution at t = ");
    assert_int_equal(err.count, 2);
    begin(&err);
    o.max_iterations = 3, o.tolerance = 1e-8;
    assert_int_equal(sn_values_set(p, "last", "0.3 s", &err) || sn_values_update(p, &err), SN_OK);
    assert_int_equal(sn_run(m, p, &o, &info, &err), SN_ERR_NUMERIC);
    check(&err, "is not a number at t = ");
    assert_int_equal(err.count, 2);
    /* derivatives, by threads and by differences */
    const char *const of[] = {"b.y"}, *const wrt[] = {"k", "h"};
    const sn_gradient_method method[] = {SN_GRADIENT_FORWARD, SN_GRADIENT_ADJOINT, SN_GRADIENT_DIFFERENCES};
    double value[1], gradient[2], error[2];
    const sn_gradient_result to = {value, gradient, error, NULL};
    for (int i = 0; i < 3; i++) {
        sn_gradient_options g = sn_gradient_options_default(m, p);
        g.of = of, g.n_of = 1, g.wrt = wrt, g.n_wrt = 2, g.method = method[i], g.threads = 2;
        begin(&err);
        assert_int_equal(sn_gradient(m, p, &g, &to, NULL, &err), SN_ERR_NUMERIC);
        check(&err, "is not a number at t = ");
    }
    sn_values_free(p), sn_model_free(m);
}

/* Values at which the model cannot be simulated are part of a search. */
static void test_identify(void **state)
{
    (void)state;
    static sn_err err;
    sn_study *s;
    sn_estimate *e;
    kit_put("falling.yaml", falling);
    kit_measure(
        "y.csv",
        &(kit_data){.model = "falling.yaml", .channels = "b.y", .end = 0.1, .dt = 0.02, .sigma = 1e-5});
    kit_put("study.yaml", "study: 1\nmodel: falling.yaml\ndata: y.csv\n"
                          "unknowns: {last: {start: 0.05 s, bounds: [0.01 s, 9 s]}}\nstarts: 2\n");
    begin(&err);
    sn_status status = sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err);
    check(&err, NULL);
    assert_int_equal(status, SN_OK);
    assert_int_equal(sn_study_solve(s, &(sn_solve_options){.threads = 2}, &e, &err), SN_OK);
    assert_false(e->converged);
    check(&err, NULL);
    sn_estimate_free(e), sn_study_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions), cmocka_unit_test(test_model),
                                       cmocka_unit_test(test_run), cmocka_unit_test(test_identify)};
    return cmocka_run_group_tests(tests, kit_begin, kit_end);
}
