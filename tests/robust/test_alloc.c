/* Memory. Each allocation is made to fail in turn, over the whole way from a file to a result: every answer
   must be "out of memory" with a report, or a good result where the library can do without; nothing may stay
   behind. And the step loop of a run allocates nothing, neither here nor in the libraries underneath. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sinew/sinew.h"
#include "counted.h"

/* ---- the allocator ---- */

/* ---- what is run ---- */

typedef sn_status job(const sn_model *m, const sn_values *p, sn_err *err);

static sn_status count_frame(void *ctx, const sn_frame *f, sn_err *err)
{
    (void)f;
    (void)err;
    if (ctx) ++*(int *)ctx;
    return SN_OK;
}

static sn_run_options short_run(const sn_model *m, const sn_values *p, int *frames)
{
    sn_run_options o = sn_run_options_default(m, p);
    o.end = 4 * o.step;
    o.output = 0.7 * o.step;
    o.frame = count_frame;
    o.ctx = frames;
    return o;
}

static sn_status run(const sn_model *m, const sn_values *p, sn_err *err)
{
    sn_run_options o = short_run(m, p, NULL);
    sn_info info;
    return sn_run(m, p, &o, &info, err);
}

static sn_status run_together(const sn_model *m, const sn_values *p, sn_err *err)
{
    sn_run_options o = short_run(m, p, NULL);
    sn_info info;
    o.threads = 3;
    return sn_run(m, p, &o, &info, err);
}

static sn_status statics(const sn_model *m, const sn_values *p, sn_err *err)
{
    sn_run_options o = short_run(m, p, NULL);
    sn_info info;
    return sn_static(m, p, &o, NULL, &info, err);
}

static sn_status check(const sn_model *m, const sn_values *p, sn_err *err)
{
    sn_check_report r;
    sn_status s = sn_check(m, p, &r, err);
    if (s == SN_OK) sn_release(r.names);
    return s;
}

static sn_status modes_by(const sn_model *m, const sn_values *p, const char *method, sn_err *err)
{
    sn_mode_options o = sn_mode_options_default(m, p);
    int found;
    o.n = 3;
    o.method = method;
    o.at_time = -1;
    return sn_modes(m, p, &o, &found, err);
}

static sn_status modes_dense(const sn_model *m, const sn_values *p, sn_err *err)
{
    return modes_by(m, p, "dense", err);
}
static sn_status modes_arpack(const sn_model *m, const sn_values *p, sn_err *err)
{
    return modes_by(m, p, "arpack", err);
}

static char folder[64];

static sn_status run_file(const sn_model *m, const sn_values *p, sn_err *err)
{
    sn_run_options o = short_run(m, p, NULL);
    sn_info info;
    char path[128];
    snprintf(path, sizeof path, "%s/result.h5", folder);
    sn_status s = sn_run_file(m, p, &o, path, &info, err);
    unlink(path);
    return s;
}

static sn_status static_file(const sn_model *m, const sn_values *p, sn_err *err)
{
    sn_run_options o = short_run(m, p, NULL);
    sn_info info;
    char path[128];
    snprintf(path, sizeof path, "%s/result.h5", folder);
    sn_status s = sn_static_file(m, p, &o, path, NULL, &info, err);
    unlink(path);
    return s;
}

/* Past a bifurcation, with the first points of the branches there. */
static sn_status path_file(const sn_model *m, const sn_values *p, sn_err *err)
{
    sn_path_options o = sn_path_options_default(m, p);
    char path[128];
    snprintf(path, sizeof path, "%s/result.h5", folder);
    o.branches = -1, o.max_step = 0.5, o.steps = 5;
    sn_status s = sn_path_file(m, p, &o, path, NULL, err);
    unlink(path);
    return s;
}

static sn_status path_parameter(const sn_model *m, const sn_values *p, sn_err *err)
{
    sn_path_options o = sn_path_options_default(m, p);
    o.parameter = "P", o.from = 1, o.to = 12, o.max_step = 0.5, o.steps = 5;
    return sn_path(m, p, &o, NULL, err);
}

static sn_status buckling_file(const sn_model *m, const sn_values *p, sn_err *err)
{
    sn_buckling_options o = sn_buckling_options_default(m, p);
    int found;
    char path[128];
    snprintf(path, sizeof path, "%s/result.h5", folder);
    o.n = 1, o.at = 0.3;
    sn_status s = sn_buckling_file(m, p, &o, path, &found, err);
    unlink(path);
    return s;
}

static sn_status linearise_file(const sn_model *m, const sn_values *p, sn_err *err)
{
    static const char *const made[] = {"M.mtx",
                                       "C.mtx",
                                       "K.mtx",
                                       "B.mtx",
                                       "D.mtx",
                                       "L.mtx",
                                       "coordinates.txt",
                                       "equations.txt",
                                       "l.h5",
                                       "system_A.mtx",
                                       "system_B.mtx",
                                       "system_C.mtx",
                                       "system_D.mtx",
                                       "system_states.txt",
                                       "system_inputs.txt",
                                       "system_outputs.txt"};
    sn_linear_options o = sn_linear_options_default(m, p);
    char path[128];
    snprintf(path, sizeof path, "%s/l.h5", folder);
    sn_status s = sn_linearise_file(m, p, &o, path, folder, err);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        unlink(path);
    }
    return s;
}

/* Steps by their error. */
static sn_status paced(const sn_model *m, const sn_values *p, sn_err *err)
{
    sn_run_options o = short_run(m, p, NULL);
    sn_info info;
    o.error = 1e-9;
    return sn_run(m, p, &o, &info, err);
}

/* Derivatives of a run longer than a segment of the adjoint's store, by the first few parameters or others.
 */
static sn_status derivatives(const sn_model *m, const sn_values *p, sn_gradient_method method,
                             int equilibrium, sn_err *err)
{
    static const char *const mechanism_of[] = {"a.x@0.0023 + rms(b.fx)", "peak(d.kinetic, 3)"};
    static const char *const portal_of[] = {"mid.x", "2*mid.y"};
    static const char *const mechanism_wrt[] = {"r"};
    static const char *const portal_wrt[] = {"left.EI", "b.at.x", "right.EA"};
    int is_mechanism = sn_parameter_count(m) > 0;
    double value[2], gradient[6], error[6];
    unsigned char used[3];
    sn_gradient_options o = sn_gradient_options_default(m, p);
    o.of = is_mechanism ? mechanism_of : portal_of, o.n_of = 2;
    o.wrt = is_mechanism ? mechanism_wrt : portal_wrt, o.n_wrt = is_mechanism ? 1 : 3;
    o.run.end = (is_mechanism ? 4 : 66) * o.run.step;
    o.method = method, o.memory = 1, o.threads = 1, o.statics = equilibrium;
    return sn_gradient(m, p, &o, &(sn_gradient_result){value, gradient, error, used}, NULL, err);
}

static sn_status forward(const sn_model *m, const sn_values *p, sn_err *err)
{
    return derivatives(m, p, SN_GRADIENT_FORWARD, 0, err);
}
static sn_status adjoint(const sn_model *m, const sn_values *p, sn_err *err)
{
    return derivatives(m, p, SN_GRADIENT_ADJOINT, 0, err);
}
static sn_status static_forward(const sn_model *m, const sn_values *p, sn_err *err)
{
    return derivatives(m, p, SN_GRADIENT_FORWARD, 1, err);
}
static sn_status static_adjoint(const sn_model *m, const sn_values *p, sn_err *err)
{
    return derivatives(m, p, SN_GRADIENT_ADJOINT, 1, err);
}
static sn_status sample(const sn_model *m, const sn_values *p, sn_err *err)
{
    static const double t[] = {0, 1.5e-3, 4e-3};
    static const char *const wrt[] = {"left.EI"};
    double y[3 * 32], dy[3 * 32];
    sn_run_options o = short_run(m, p, NULL);
    if (sn_channel_count(m) > 32) return SN_ERR_BUG;
    o.wrt = wrt, o.n_wrt = 1;
    return sn_sample(m, p, &o, &(sn_samples){3, t, y, dy}, NULL, err);
}

static sn_status modes_file(const sn_model *m, const sn_values *p, sn_err *err)
{
    sn_mode_options o = sn_mode_options_default(m, p);
    int found;
    char path[128];
    snprintf(path, sizeof path, "%s/result.h5", folder);
    o.n = 3;
    sn_status s = sn_modes_file(m, p, &o, path, &found, err);
    unlink(path);
    return s;
}

/* A simulation in the hand: everything that one does with it, twice. */
static sn_status use(sn_sim *s, const sn_values *p, int exact, sn_err *err)
{
    const double u[] = {1, 2};
    const int input = 0;
    double G[32];
    void *bytes = NULL;
    size_t n;
    sn_frame f;
    sn_status status = sn_sim_start(s, err);
    if (!status) status = sn_sim_step(s, 2e-3, err);
    if (!status) status = sn_sim_input(s, 0, 1, u, err);
    if (!status) status = sn_sim_try(s, 4e-3, err);
    if (!status && exact) status = sn_sim_response(s, 1, &input, 1, G, err);
    if (!status) status = sn_sim_undo(s, err);
    if (!status) status = sn_sim_try(s, 4e-3, err);
    if (!status) status = sn_sim_keep(s, err);
    if (!status) status = sn_sim_save(s, &bytes, &n, err);
    if (!status) status = sn_sim_load(s, bytes, n, err);
    if (!status) status = sn_sim_step(s, 6e-3, err);
    if (!status) status = sn_sim_read(s, &f, err);
    if (!status) status = sn_sim_values(s, p, err);
    sn_release(bytes);
    return status;
}

static sn_status held_by(const sn_model *m, const sn_values *p, int exact, double error, sn_err *err)
{
    sn_run_options o = sn_run_options_default(m, p);
    sn_sim *s;
    o.exact = exact ? SN_EXACT : 0, o.error = error;
    sn_status status = sn_sim_open(m, p, &o, &s, err);
    if (!status) status = use(s, p, exact, err);
    if (!status) status = use(s, p, exact, err);
    sn_sim_close(s);
    return status;
}

static sn_status held(const sn_model *m, const sn_values *p, sn_err *err) { return held_by(m, p, 0, 0, err); }
static sn_status held_exact(const sn_model *m, const sn_values *p, sn_err *err)
{
    return held_by(m, p, 1, 0, err);
}
static sn_status held_paced(const sn_model *m, const sn_values *p, sn_err *err)
{
    return held_by(m, p, 0, 1e-6, err);
}

/* ---- models ---- */

static const char mechanism[] = "sinew: 1\n"
                                "gravity: [0, -9.81]\n"
                                "parameters: {r: 0.1 m, L: 4*r, EI: 3 N*m^2}\n"
                                "nodes: {o: [0, 0], c: [r, 0], p: [r + L, 0], z: {state: 0}}\n"
                                "elements:\n"
                                "  crank: {beam2d_cr: [o, c], EA: 1e4, EI: EI, rhoA: 0.5}\n"
                                "  rod: {beam2d_cr: [c, p], EA: 1e4, EI: EI, rhoA: 0.5, elements: 3}\n"
                                "  piston: {mass2d: p, mass: 0.3, inertia: 1e-4}\n"
                                "  push: {force2d: p, force: [-2*pull, ramp]}\n"
                                "  filter: {lag: [z.z, p.x], tau: 0.05 s}\n"
                                "joints:\n"
                                "  base: {fixed: o, only: [x, y]}\n"
                                "  again: {fixed: o, only: x}\n"
                                "  motor: {drive: o.theta, value: turn}\n"
                                "  guide: {prismatic2d: [ground, p], axis: [1, 0]}\n"
                                "signals:\n"
                                "  turn: {table: [[0, 0], [0.5, 0.1], [1, 0.4]], interpolation: cubic}\n"
                                "  pull: {expression: 1 + sin(t*3 rad/s)}\n"
                                "  ramp: {step: 2 N, start: 0.1 s, end: 0.2 s}\n"
                                "sensors: {a: {position: p}, b: {force: rod}, c: {reaction: base}, d: "
                                "{energy: all}, e: {violation: all}}\n"
                                "run: {end: 1, step: 1 ms}\n";

static const char portal[] = "sinew: 1\n"
                             "gravity: [0, -9.81]\n"
                             "nodes: {a: [0, 0], b: [0, 1], c: [1, 1], d: [1, 0]}\n"
                             "elements:\n"
                             "  left: {beam2d_cr: [a, b], EA: 1e6, EI: 100, rhoA: 1, elements: 3}\n"
                             "  top: {beam2d_cr: [b, c], EA: 1e6, EI: 100 - 50*xi, rhoA: 1, elements: 3}\n"
                             "  right: {beam2d_cr: [c, d], EA: 1e6, EI: 100, rhoA: 1, elements: 3}\n"
                             "joints: {foot: {fixed: a}, hinge: {fixed: d, only: [x, y]}}\n"
                             "sensors: {mid: {displacement: top.n1}}\n"
                             "run: {step: 1 ms}\n";

static const char strut[] = "sinew: 1\n"
                            "parameters: {P: 12 N}\n"
                            "nodes: {a: [0, 0], b: [0, 1], f: [3, 0]}\n"
                            "elements:\n"
                            "  beam: {beam2d_cr: [a, b], EA: 1e4, EI: 1, rhoA: 1, elements: 3}\n"
                            "  load: {force2d: b, force: [0, -P]}\n"
                            "  free: {mass2d: f, mass: 1}\n"
                            "joints: {foot: {fixed: a, only: [x, y]}, top: {fixed: b, only: x}}\n"
                            "sensors: {b: {displacement: b}}\n";

static const char part[] =
    "sinew: 1\nparameters: {k: 5 N/m}\nnodes: {hip: [0, 0], foot: [0, -1]}\n"
    "elements: {s: {spring2d: [hip, foot], k: k, l0: 1 + 0*w}, m: {mass2d: foot, mass: 1}}\n"
    "joints: {j: {fixed: hip}}\nsignals: {w: {table: push.csv, columns: [time, force]}}\n";

static const char whole[] =
    "sinew: 1\nparameters: {k0: 7 N/m}\ninclude:\n"
    "  - {file: part.yaml, prefix: left_, at: [3, 1], angle: 90 deg, set: {k: 2*k0}}\n"
    "  - {file: part.yaml, prefix: right_}\nrun: {step: 1 ms}\n";

/* A tetrahedron, a box and a sphere; a body in a file of its own, placed. */
static const char body[] =
    "sinew: 1\nnodes: {a: [0, 0, 0], b: [1, 0, 0]}\nshapes: {ball: {sphere: , radius: 1, density: 1}}\n"
    "elements: {box: {mass3d: a, shape: {box: , size: [1, 2, 3], density: 5}}, ball: {mass3d: b, shape: "
    "ball},\n"
    "  part: {mass3d: b, shape: {stl: part.stl, density: 1}}}\n";
static const char bodies[] =
    "sinew: 1\ninclude: {file: body.yaml, prefix: b_, at: [3, 1, 2], angles: [90 deg, 1, 2]}\nrun: {step: 1 "
    "ms}\n";
static const char stl[] =
    "solid\nvertex 0 0 0 vertex 0 1 0 vertex 1 0 0\nvertex 0 0 0 vertex 1 0 0 vertex 0 0 1\n"
    "vertex 0 0 0 vertex 0 0 1 vertex 0 1 0\nvertex 1 0 0 vertex 0 1 0 vertex 0 0 1\n";

static const char pushed[] =
    "sinew: 1\n"
    "gravity: [0, -9.81]\n"
    "nodes: {a: [0, 0], b: [1, 0], c: [2, 0]}\n"
    "elements:\n"
    "  rod: {beam2d_cr: [a, b], EA: 1e5, EI: 20, rhoA: 1, elements: 2}\n"
    "  bob: {mass2d: c, mass: 1}\n"
    "  push: {force2d: b, force: [0, push]}\n"
    "joints: {pin: {fixed: a, only: [x, y]}, again: {fixed: a, only: x}, rod: {distance: [b, c]}}\n"
    "signals: {push: {input: 0}}\n"
    "sensors: {b: {position: b}, r: {reaction: pin}}\n"
    "run: {step: 1 ms}\n";

static const char csv[] = "time,force\n0,1\n1,2\n2,4\n";

static void put_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/sinew-alloc-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    put_file("mechanism.yaml", mechanism);
    put_file("portal.yaml", portal);
    put_file("strut.yaml", strut);
    put_file("part.yaml", part);
    put_file("whole.yaml", whole);
    put_file("push.csv", csv);
    put_file("body.yaml", body);
    put_file("bodies.yaml", bodies);
    put_file("part.stl", stl);
    put_file("pushed.yaml", pushed);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    const char *const name[] = {"mechanism.yaml", "portal.yaml", "strut.yaml",  "part.yaml", "whole.yaml",
                                "push.csv",       "body.yaml",   "bodies.yaml", "part.stl",  "pushed.yaml"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        unlink(path);
    }
    return rmdir(folder);
}

/* ---- each allocation fails in turn ---- */

static char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, name[0] == '/' ? "%s" : "%2$s/%1$s", name, folder);
    return path;
}

/* What came of allocation k, which failed. */
static void judge(const char *name, long k, const counter *of, sn_status s, const sn_err *err)
{
    const char *text = err->count ? err->report[0].text : "no report";
    if (s != SN_ERR_MEMORY && s != SN_OK)
        fail_msg("%s, allocation %ld of %ld: status %d: %s", name, k, of->calls, s, text);
    if (s != SN_OK && (err->count != 1 || err->status != s || err->report[0].status != s))
        fail_msg("%s, allocation %ld of %ld: %d reports, status %d: %s", name, k, of->calls, err->count,
                 err->status, text);
}

static sn_status read_model(const char *path, sn_model **m, sn_values **p, sn_err *err)
{
    *m = NULL, *p = NULL;
    sn_err_clear(err);
    sn_status s = sn_model_read(path, m, err);
    if (s == SN_OK) s = sn_values_new(*m, p, err);
    if (s == SN_OK) return s;
    sn_model_free(*m);
    *m = NULL;
    return s;
}

static void fail_reading(const char *name)
{
    counter c = {0}, good;
    const sn_allocator a = {counted, released, &c};
    static sn_err err;
    sn_model *m;
    sn_values *p;
    sn_set_allocator(&a);
    sn_status s = read_model(path_of(name), &m, &p, &err);
    if (s) fail_msg("%s: %s", name, err.report[0].text);
    good = c;
    for (long k = 0; k <= good.calls; k++) {
        if (k) c = (counter){.fail = k}, s = read_model(path_of(name), &m, &p, &err);
        judge(name, k, &good, s, &err);
        sn_values_free(p), sn_model_free(m);
        if (c.live) fail_msg("%s, allocation %ld of %ld: %ld blocks left", name, k, good.calls, c.live);
    }
    sn_set_allocator(NULL);
}

/* A job on a model that was read once: what one leaves behind the next would find. All have the same
   allocations, so that none is left out. */
static void fail_each(const char *name, job *f)
{
    counter c = {0}, good;
    const sn_allocator a = {counted, released, &c};
    static sn_err err;
    sn_model *m;
    sn_values *p;
    sn_set_allocator(&a);
    sn_status s = read_model(path_of(name), &m, &p, &err);
    assert_int_equal(s, SN_OK);
    const long live = c.live;
    for (long k = 0; k == 0 || k <= good.calls + 1; k++) { /* first and last none fails */
        c.calls = 0, c.fail = k;
        sn_err_clear(&err);
        s = f(m, p, &err);
        if (k == 0) good = c;
        if ((k == 0 || k > good.calls) && (s || c.calls != good.calls))
            fail_msg("%s: status %d, %ld allocations instead of %ld", name, s, c.calls, good.calls);
        judge(name, k, &good, s, &err);
        if (c.live != live)
            fail_msg("%s, allocation %ld of %ld: %ld blocks left", name, k, good.calls, c.live - live);
    }
    sn_values_free(p), sn_model_free(m);
    assert_int_equal(c.live, 0);
    sn_set_allocator(NULL);
}

static void fail_all(const char *name, int n, job *const *jobs)
{
    fail_reading(name);
    for (int i = 0; i < n; i++) fail_each(name, jobs[i]);
}

static void test_two_bar(void **state)
{
    (void)state;
    static job *const jobs[] = {run, run_together, check, run_file, modes_dense};
    fail_all(SN_SOURCE_DIR "/examples/two-bar/two-bar.yaml", 5, jobs);
}

static void test_mechanism(void **state)
{
    (void)state;
    static job *const jobs[] = {run, check, run_file};
    fail_all("mechanism.yaml", 3, jobs);
}

static void test_portal(void **state)
{
    (void)state;
    static job *const jobs[] = {statics,     modes_dense, modes_arpack,   run,
                                static_file, modes_file,  linearise_file, paced};
    fail_all("portal.yaml", 8, jobs);
}

static void test_includes(void **state)
{
    (void)state;
    static job *const jobs[] = {run};
    fail_all("whole.yaml", 1, jobs);
}

static void test_shapes(void **state)
{
    (void)state;
    static job *const jobs[] = {run, run_file};
    fail_all("bodies.yaml", 2, jobs);
}

static void test_derivatives(void **state)
{
    (void)state;
    static job *const moving[] = {forward};
    static job *const at_rest[] = {static_forward, static_adjoint, sample, adjoint};
    fail_all("mechanism.yaml", 1, moving);
    fail_all("portal.yaml", 4, at_rest);
}

static void test_strut(void **state)
{
    (void)state;
    static job *const jobs[] = {statics, check, path_file, path_parameter, buckling_file};
    fail_all("strut.yaml", 5, jobs);
}

static void test_held(void **state)
{
    (void)state;
    static job *const jobs[] = {held, held_exact, held_paced};
    fail_all("pushed.yaml", 3, jobs);
}

/* Faulty texts as well: what is reported must not leak either. */
static void test_faulty(void **state)
{
    (void)state;
    const char *text = "sinew: 1\nnodes: {a: [0, 0], b: [x, 0]}\nelements: {s: {beam2d_cr: [a, b], elements: "
                       "3}, m: {mass2d: c, mass: 1 +}}\n"
                       "parameters: {p: q, q: p}\nsensors: {z: {force: none}}\n";
    counter c = {0};
    const sn_allocator a = {counted, released, &c};
    sn_model *m;
    sn_set_allocator(&a);
    assert_int_equal(sn_model_read_text("x", text, strlen(text), &m, NULL), SN_ERR_INPUT);
    long calls = c.calls;
    for (long k = 1; k <= calls; k++) {
        c = (counter){.fail = k};
        assert_int_equal(sn_model_read_text("x", text, strlen(text), &m, NULL), SN_ERR_MEMORY);
        assert_null(m);
        assert_int_equal(c.live, 0);
    }
    sn_set_allocator(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_bar),  cmocka_unit_test(test_mechanism), cmocka_unit_test(test_portal),
        cmocka_unit_test(test_includes), cmocka_unit_test(test_shapes),    cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_held),     cmocka_unit_test(test_strut),     cmocka_unit_test(test_faulty),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
