/* What time step and mesh do to estimates: the bias that is predicted by finer runs at the estimate against
   fits with a fine discretisation, the verdicts, refinement on request, and finer meshes in which names keep
   their places.

   Expected accuracy of a prediction: it is linear in the error of the signals. The stiffness moves by some
   1e-3 of itself, so that terms of second order are 1e-3 of the bias, times a factor of order 10 for a
   hundred radians of vibration; one per cent is allowed. */
#include "identify_kit.h"

#include "identify/refine.h"
#include "reduce/read.h"
#include "model/compile.h"

/* A cantilever under a force that begins softly, with accelerations; and the same as a pendulum of one bar.
 */
static const char beam_text[] =
    "sinew: 1\n"
    "parameters: {EI: 2 N*m^2, d: 2 ms}\n"
    "signals: {f: {expression: '0.4 N * sin(2*pi*t*1.5)^2'}}\n"
    "nodes: {a: [0, 0], b: [1, 0]}\n"
    "elements:\n"
    "  beam: {beam2d_cr: [a, b], elements: %d, EA: 1e4 N, EI: EI, rhoA: 0.2 kg/m, damping: d}\n"
    "  push: {force2d: b, force: [0, f]}\n"
    "joints: {clamp: {fixed: a}}\n"
    "sensors: {tip: {acceleration: b}, at: {position: b}, cut: {force: beam, end: 1}}\n"
    "run: {end: 0.6 s, step: 1 ms}\n";

static void put_beam(const char *name, int elements)
{
    char text[1200];
    snprintf(text, sizeof text, beam_text, elements);
    kit_put(name, text);
}

static int set_up(void **state)
{
    if (kit_begin(state)) return -1;
    put_beam("one.yaml", 1);
    put_beam("two.yaml", 2);
    put_beam("four.yaml", 4);
    put_beam("sixteen.yaml", 16);
    kit_measure("fine.csv", &(kit_data){.model = "two.yaml",
                                        .set = "run.step=0.1e-3",
                                        .channels = "tip.y",
                                        .end = 0.6,
                                        .dt = 4e-3,
                                        .sigma = 0.01,
                                        .seed = 1});
    kit_measure("coarse.csv", &(kit_data){.model = "two.yaml",
                                          .set = "run.step=4e-3",
                                          .channels = "tip.y",
                                          .end = 0.6,
                                          .dt = 4e-3,
                                          .sigma = 0.01,
                                          .seed = 1});
    kit_measure(
        "many.csv",
        &(kit_data){
            .model = "sixteen.yaml", .channels = "tip.y", .end = 0.6, .dt = 4e-3, .sigma = 0.01, .seed = 1});
    kit_measure(
        "few.csv",
        &(kit_data){
            .model = "one.yaml", .channels = "tip.y", .end = 0.6, .dt = 4e-3, .sigma = 0.01, .seed = 1});
    return 0;
}

/* A study of the beam's stiffness and damping. */
static kit_fit fit(const char *model, const char *data, const char *run, const char *more)
{
    char text[600];
    snprintf(text, sizeof text,
             "study: 1\nmodel: %s\ndata: %s\nrun: {%s}\nnoise: {tip.y: 0.01 m/s^2}\nstarts: 0\n"
             "unknowns: {EI: {start: 1.9}, d: {start: 2.2 ms}}\n%s",
             model, data, run, more);
    return kit_solve(text);
}

static const sn_verdict *about(const kit_fit *r, const char *what)
{
    const sn_verdict *found = NULL;
    for (int i = 0; i < r->e->n_verdict; i++)
        if (!strcmp(r->e->verdict[i].about, what)) {
            if (found) fail_msg("two verdicts about %s: %s; %s", what, found->text, r->e->verdict[i].text);
            found = &r->e->verdict[i];
        }
    return found;
}

static void is_level(const kit_fit *r, const char *what, int level)
{
    const sn_verdict *v = about(r, what);
    if (!v) fail_msg("no verdict about %s", what);
    if (v->level != level) fail_msg("level %d, not %d: %s", v->level, level, v->text);
}

/* The biases of both unknowns are what the fit with a fine discretisation has less, which has some too. A
   search stops within some thousandths of a standard error. */
static void is_bias(const kit_fit *coarse, const kit_fit *fine, int mesh, double part)
{
    const char *const name[] = {"EI", "d"};
    const double *more = mesh ? coarse->e->mesh.bias : coarse->e->step.bias,
                 *less = mesh ? fine->e->mesh.bias : fine->e->step.bias;
    assert_non_null(more), assert_non_null(less);
    for (int i = 0; i < 2; i++) {
        double truth = kit_value_of(coarse, name[i]) - kit_value_of(fine, name[i]);
        int k = kit_unknown(coarse, name[i]);
        kit_is(name[i], more[k] - less[k], truth, part * fabs(truth) + 2e-3 * kit_error_of(fine, name[i]));
    }
}

static void test_step_predicted(void **state)
{
    (void)state;
    const char *const step[] = {"step: 1 ms", "step: 2 ms"};
    kit_fit fine = fit("two.yaml", "fine.csv", "step: 0.1 ms", "");
    is_level(&fine, "step", 0);
    for (int i = 0; i < 2; i++) {
        kit_fit r = fit("two.yaml", "fine.csv", step[i], "");
        kit_converged(&r);
        is_bias(&r, &fine, 0, 0.005);
        kit_drop(&r);
    }
    kit_drop(&fine);
}

/* Without solving again: the corrected estimates are those of the fit with fine steps less what these have
   left, as near as predictions are (test_step_predicted: 0.5 %), and a second-order term of the correction on
   the logarithmic scale. Intervals go along and keep their widths. */
static void test_corrected(void **state)
{
    (void)state;
    const char *const step[] = {"step: 1 ms", "step: 2 ms"}, *const name[] = {"EI", "d"};
    kit_fit fine = fit("two.yaml", "fine.csv", "step: 0.1 ms", "");
    for (int i = 0; i < 2; i++) {
        kit_fit plain = fit("two.yaml", "fine.csv", step[i], ""),
                r = fit("two.yaml", "fine.csv", step[i], "refine: correct\n");
        assert_true(r.e->step.taken && !plain.e->step.taken);
        assert_true(about(&plain, "step")->level > 0 && about(&r, "step")->level < 2);
        for (int k = 0; k < 2; k++) {
            int u = kit_unknown(&r, name[k]), v = kit_unknown(&fine, name[k]);
            double truth = kit_value_of(&fine, name[k]) - fine.e->step.bias[v],
                   bias = kit_value_of(&plain, name[k]) - truth,
                   room = 0.005 + fabs(bias / truth); /* of the bias */
            kit_is(name[k], kit_value_of(&r, name[k]), truth,
                   room * fabs(bias) + 2e-3 * kit_error_of(&fine, name[k]));
            kit_is("correction", r.e->correction[u],
                   kit_value_of(&r, name[k]) - kit_value_of(&plain, name[k]), 1e-9 * truth);
            kit_is("width", (r.e->hi[u] - r.e->lo[u]) / (plain.e->hi[u] - plain.e->lo[u]), 1,
                   1.01 * fabs(bias / truth) + 1e-9);
            kit_is("lower end", r.e->lo[u] - plain.e->lo[u], r.e->correction[u],
                   0.1 * fabs(r.e->correction[u]));
        }
        kit_drop(&plain), kit_drop(&r);
    }
    kit_drop(&fine);
}

/* One element for a beam of sixteen is no small error, and data of the same discretisation have none. */
static void test_not_corrected(void **state)
{
    (void)state;
    kit_fit plain = fit("one.yaml", "many.csv", "step: 1 ms", ""),
            r = fit("one.yaml", "many.csv", "step: 1 ms", "refine: correct\n");
    is_level(&r, "mesh", 2);
    kit_must_say(&r, "too much for 'refine: correct' to predict: nothing is taken back");
    assert_false(r.e->mesh.taken);
    kit_drop(&plain), kit_drop(&r);
    r = fit("two.yaml", "coarse.csv", "step: 4 ms", "refine: correct\n");
    is_level(&r, "step", 0);
    kit_must_say(&r, "the data follow the model as it is discretised");
    assert_false(r.e->step.taken);
    assert_true(r.e->correction[0] == 0 || r.e->mesh.taken);
    kit_drop(&r);
}

/* The same where outliers are weighed less: their weights move with the estimate, by terms of second order.
 */
static void test_step_huber(void **state)
{
    (void)state;
    kit_fit fine = fit("two.yaml", "fine.csv", "step: 0.1 ms", "loss: huber\n"),
            r = fit("two.yaml", "fine.csv", "step: 2 ms", "loss: huber\n");
    is_bias(&r, &fine, 0, 0.1);
    kit_drop(&fine), kit_drop(&r);
}

/* 4 ms is far too long for the second bending mode; data that are exact show it, those of this very step do
 * not. */
static void test_step_verdicts(void **state)
{
    (void)state;
    kit_fit r = fit("two.yaml", "fine.csv", "step: 4 ms", "");
    is_level(&r, "step", 2);
    kit_must_say(&r, "the time step of 4 ms is too coarse: its error is seen in the residuals");
    kit_must_say(&r, "'refine: yes'");
    kit_drop(&r);
    r = fit("two.yaml", "coarse.csv", "step: 4 ms", "");
    is_level(&r, "step", 0);
    kit_must_say(&r, "the data follow the model as it is discretised");
    if (r.e->step.worst > 0) fail_msg("a bias that does not count is to be refined");
    kit_drop(&r);
    r = fit("two.yaml", "fine.csv", "step: 0.2 ms", "");
    is_level(&r, "step", 0);
    kit_must_say(&r, "time step: bias at most 0.");
    kit_drop(&r);
}

/* Steps by their error: they are not halved exactly, and the order is only nearly 2. */
static void test_step_by_error(void **state)
{
    (void)state;
    kit_fit fine = fit("two.yaml", "fine.csv", "step: 0.1 ms", ""),
            r = fit("two.yaml", "fine.csv", "step: 1 ms, error: 1e-6, max_step: 4 ms", "");
    kit_converged(&r);
    is_bias(&r, &fine, 0, 0.1);
    kit_drop(&fine), kit_drop(&r);
}

/* Sixteen elements instead of infinitely many leave 1/64 and less of the error of four. */
static void test_mesh_predicted(void **state)
{
    (void)state;
    kit_fit fine = fit("sixteen.yaml", "many.csv", "step: 1 ms", ""),
            r = fit("four.yaml", "many.csv", "step: 1 ms", "");
    kit_converged(&r);
    is_bias(&r, &fine, 1, 0.02);
    is_level(&fine, "mesh", 0);
    kit_drop(&fine), kit_drop(&r);
}

static void test_mesh_verdicts(void **state)
{
    (void)state;
    kit_fit r = fit("one.yaml", "many.csv", "step: 1 ms", "");
    is_level(&r, "mesh", 2);
    kit_must_say(&r, "the mesh ");
    kit_drop(&r);
    r = fit("one.yaml", "few.csv", "step: 1 ms", "");
    is_level(&r, "mesh", 0);
    kit_must_say(&r, "they seem to be computed with this mesh");
    kit_drop(&r);
    kit_measure(
        "spring.csv",
        &(kit_data){
            .model = "spring.yaml", .channels = "at.x", .end = 1, .dt = 0.02, .sigma = 1e-3, .seed = 1});
    r = kit_solve("study: 1\nmodel: spring.yaml\ndata: spring.csv\nunknowns: {k: 75}\n");
    if (about(&r, "mesh")) fail_msg("a verdict about a mesh where there is none");
    is_level(&r, "step", 0);
    kit_drop(&r);
}

/* Two more runs of each experiment where there is nothing to say: of half the step, of the finer mesh. */
static void test_cost(void **state)
{
    (void)state;
    kit_fit r = fit("sixteen.yaml", "many.csv", "step: 0.5 ms", "");
    const sn_study *s = r.s;
    sn_fit *f;
    sn_err err;
    sn_err_clear(&err);
    is_level(&r, "step", 0), is_level(&r, "mesh", 0);
    kit_tell(&err, sn_fit_new(s, 1, &f, &err));
    kit_tell(&err, sn_fit_rows(f, r.e->z, &err));
    sn_estimate *e;
    kit_tell(&err, sn_estimate_new(s, &e, &err));
    memcpy(e->z, r.e->z, sizeof(double) * 2);
    e->converged = 1;
    long before = f->simulations;
    kit_tell(&err, sn_judge(f, e, &err));
    assert_int_equal(f->simulations - before, 3); /* one with rows for all judges, then two */
    sn_estimate_free(e);
    sn_fit_free(f);
    kit_drop(&r);
}

/* ---- refinement on request ---- */

static char *identify(const char *study, int resume, sn_identify_info *info)
{
    sn_err err;
    sn_err_clear(&err);
    kit_put("study.yaml", study);
    sn_identify_options o = {.folder = kit_path("fit"), .resume = resume, .json = 1, .threads = 1};
    kit_tell(&err, sn_identify(kit_path("study.yaml"), &o, info, &err));
    return info->json;
}

static double number(const char *json, const char *after, const char *key)
{
    const char *at = strstr(json, after);
    at = at ? strstr(at, key) : NULL;
    if (!at) fail_msg("no %s %s in %s", after, key, json);
    return strtod(at + strlen(key), NULL);
}

#define STUDY                                                                                                \
    "study: 1\nmodel: one.yaml\nrun: {step: 4 ms}\ndata: many.csv\nnoise: {tip.y: 0.01 m/s^2}\n"             \
    "starts: 0\nunknowns: {EI: {start: 1.9}, d: {start: 2.2 ms}}\n"

static void test_refine(void **state)
{
    (void)state;
    sn_identify_info info, again;
    const char *json = identify(STUDY "refine: yes\n", 0, &info);
    double EI = number(json, "\"EI\": {", "\"estimate\": "),
           se = number(json, "\"EI\": {", "\"std_error\": ");
    assert_true(info.converged);
    kit_is("EI", EI, 2, 4 * se);
    if (strstr(json, "\"level\": \"warning\"") || strstr(json, "\"level\": \"bad\"")) fail_msg("%s", json);
    assert_true(number(json, "\"refined\": {", "\"mesh\": ") >= 2);
    assert_true(number(json, "\"refined\": {", "\"halvings\": ") >= 1);
    kit_is("step", number(json, "\"refined\": {", "\"step\": "),
           4e-3 * exp2(-number(json, "\"refined\": {", "\"halvings\": ")), 1e-12);
    assert_non_null(strstr(info.summary, "refined: step 4 ms -> "));
    assert_non_null(strstr(info.summary, "mesh x "));
    kit_is("start", number(json, "\"EI\": {", "\"start\": "), 1.9, 0);
    /* the same again from what is kept, whatever was refined */
    json = identify(STUDY "refine: yes\n", 1, &again);
    kit_is("EI", number(json, "\"EI\": {", "\"estimate\": "), EI, 0);
    assert_true(again.kept > 0 && again.simulations == info.simulations);
    sn_release(info.json), sn_release(info.summary), sn_release(again.json), sn_release(again.summary);
    json = identify(STUDY, 0, &info);
    assert_null(strstr(json, "\"refined\""));
    sn_release(info.json), sn_release(info.summary);
}

/* What cannot be read again is told, and takes nothing away. */
static void test_gone(void **state)
{
    (void)state;
    sn_study *s;
    sn_estimate *e;
    sn_err err;
    sn_err_clear(&err);
    put_beam("gone.yaml", 2);
    kit_put("study.yaml", "study: 1\nmodel: gone.yaml\ndata: fine.csv\nstarts: 0\nunknowns: {EI: 1.9}\n");
    kit_tell(&err, sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err));
    remove(kit_path("gone.yaml"));
    kit_tell(&err, sn_study_solve(s, &(sn_solve_options){.threads = 1}, &e, &err));
    kit_fit r = {s, e};
    is_level(&r, "mesh", 1);
    kit_must_say(&r, "the mesh could not be refined: ");
    assert_null(e->mesh.bias);
    kit_drop(&r);
}

/* ---- finer meshes ---- */

/* Names of mesh nodes and of pieces are places: they stay where they were. */
static void test_names(void **state)
{
    (void)state;
    static const char text[] =
        "sinew: 1\n"
        "nodes: {a: [0, 0], b: [1, 0.5], c: [2, 0]}\n"
        "elements:\n"
        "  beam: {beam2d_cr: [a, b], elements: 4, EA: 100 N, EI: 2 N*m^2, rhoA: 0.2 kg/m}\n"
        "  side: {beam2d_cr: [beam.n3, c], EA: 100 N, EI: 1 N*m^2, rhoA: 0.2 kg/m}\n"
        "  push: {force2d: beam.n1, force: [0, 0.1 N]}\n"
        "joints: {clamp: {fixed: a}}\n"
        "sensors:\n"
        "  n1: {position: beam.n1}\n"
        "  p2: {force: beam, piece: 2, end: 2}\n"
        "  p3: {force: beam, piece: 3, end: 1}\n"
        "  tip: {position: c}\n"
        "run: {end: 0.1 s, step: 1 ms}\n";
    const char *const channel[] = {"n1.x", "n1.y", "p2.fy", "p3.fy", "p3.torque", "tip.x", "tip.y"};
    enum { N = sizeof channel / sizeof *channel };
    double y[2][N];
    sn_err err;
    sn_err_clear(&err);
    kit_put("names.yaml", text);
    for (int i = 0; i < 2; i++) {
        sn_model *m;
        sn_values *p;
        double all[64];
        sn_info info;
        kit_tell(&err, sn_model_read_refined(kit_path("names.yaml"), i ? 2 : 1, &m, &err));
        kit_tell(&err, sn_values_new(m, &p, &err));
        assert_int_equal(m->element.n, i ? 11 : 6); /* with the force */
        int at = sn_quantity_find(m, "beam.n3.at.x");
        assert_true(at >= 0);
        kit_is("beam.n3.at.x", p->x[at], 0.75, 0);
        assert_int_equal(sn_quantity_find(m, "beam.n4.at.x"), -1);
        sn_run_options o = sn_run_options_default(m, p);
        kit_tell(&err, sn_static(m, p, &o, all, &info, &err));
        for (int k = 0, c; k < N; k++) {
            kit_tell(&err, sn_channel_find(m, channel[k], &c, &err));
            y[i][k] = all[c];
        }
        sn_values_free(p), sn_model_free(m);
    }
    /* a beam of cubics is exact in statics but for large displacements, here some per cent */
    for (int k = 0; k < N; k++) kit_is(channel[k], y[1][k], y[0][k], 0.01 * fabs(y[0][k]) + 1e-9);
}

/* ---- the run of a study ---- */

static void refused(const char *run, const char *why)
{
    char text[300];
    sn_study *s;
    sn_err err;
    sn_err_clear(&err);
    snprintf(text, sizeof text, "study: 1\nmodel: two.yaml\ndata: fine.csv\nrun: {%s}\nunknowns: {EI: 1.9}\n",
             run);
    kit_put("study.yaml", text);
    assert_int_equal(sn_study_read(kit_path("study.yaml"), NULL, 0, &s, &err), SN_ERR_INPUT);
    if (!strstr(err.report[0].text, why)) fail_msg("'%s' does not say '%s'", err.report[0].text, why);
    assert_int_equal(err.report[0].line, 4);
}

static void test_run_words(void **state)
{
    (void)state;
    kit_fit r =
        fit("two.yaml", "fine.csv",
            "scheme: hht, alpha: -0.05, solver: dense, start: static, redundant: error, step: 1 ms", "");
    assert_string_equal(r.s->run.scheme, "hht");
    assert_string_equal(r.s->run.solver, "dense");
    assert_int_equal(r.s->run.start_static, 1);
    assert_int_equal(r.s->run.drop_redundant, SN_REDUNDANT_ERROR);
    kit_converged(&r);
    kit_drop(&r);
    refused("scheme: hhd", "unknown scheme 'hhd': it is one of ");
    refused("solver: lu", "unknown solver 'lu': it is one of ");
    refused("start: now", "unknown start 'now': it is one of given, static");
    refused("redundant: no", "unknown redundant 'no': it is one of error, drop, share");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_predicted), cmocka_unit_test(test_corrected),
        cmocka_unit_test(test_not_corrected),  cmocka_unit_test(test_step_huber),
        cmocka_unit_test(test_step_verdicts),  cmocka_unit_test(test_step_by_error),
        cmocka_unit_test(test_mesh_predicted), cmocka_unit_test(test_mesh_verdicts),
        cmocka_unit_test(test_cost),           cmocka_unit_test(test_refine),
        cmocka_unit_test(test_gone),           cmocka_unit_test(test_names),
        cmocka_unit_test(test_run_words)};
    return cmocka_run_group_tests(tests, set_up, kit_end);
}
