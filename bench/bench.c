/* Workloads for speed, run through the public interface; one JSON line a case.

   W1  two-bar case, 1 and 8 elements a bar, 3 s, h = 1 ms
   W2  planar flexible pendulum of N beams, 1 s, h = 1 ms
   W4  planar chain of N rigid links, 1 s, h = 1 ms
   generalized_alpha with rho 0.8 (W1: hht, alpha -0.05), tolerance 1e-8, no output, smallest of `repeat`
   runs.

   bench CASE N [REPEAT] [STEPS]    CASE: w1 w2 w4. With REPEAT 0 the case runs once, for counting
   instructions. */
#include "sinew/sinew.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *s;
    size_t n, cap;
} text;

static void put(text *t, const char *format, double a, double b, double c, double d)
{
    if (t->cap - t->n < 512) t->s = realloc(t->s, t->cap = 2 * t->cap + 4096);
    t->n += (size_t)snprintf(t->s + t->n, t->cap - t->n, format, a, b, c, d);
}

static void two_bar(text *t, int n)
{
    put(t, "sinew: 1\ngravity: [0, -9.81]\nparameters: {tilt: 30 deg}\n", 0, 0, 0, 0);
    put(t, "materials: {bar: {E: 21 GPa, rho: 7800}}\nsections: {strip: {A: 25e-6, I: 52.1e-12}}\nnodes:\n",
        0, 0, 0, 0);
    const double at[5] = {0, 0.1, 1, 1.1, 2};
    for (int i = 0; i < 5; i++)
        put(t, "  n%.0f: [%.1f*sin(tilt), -%.1f*cos(tilt)]\n", i + 1, at[i], at[i], 0);
    put(t,
        "elements:\n  s1: {spring2d: [n1, n2], k: 700, kt: 0.5}\n  s3: {spring2d: [n3, n4], k: 400, kt: "
        "0.5}\n",
        0, 0, 0, 0);
    put(t, "  b1: {beam2d_cr: [n2, n3], material: bar, section: strip, elements: %.0f}\n", n, 0, 0, 0);
    put(t, "  b2: {beam2d_cr: [n4, n5], material: bar, section: strip, elements: %.0f}\n", n, 0, 0, 0);
    put(t,
        "joints: {g: {fixed: n1}}\nsensors: {tip: {position: n5}}\nrun: {end: 3, step: 1e-3, scheme: hht, "
        "alpha: -0.05}\n",
        0, 0, 0, 0);
}

static void pendulum(text *t, int n)
{
    put(t, "sinew: 1\ngravity: [0, -9.81]\nmaterials: {soft: {E: 1e8, rho: 1000}}\n", 0, 0, 0, 0);
    put(t, "sections: {flat: {rectangle: , width: 0.02, height: 0.01}}\nnodes: {a: [0, 0], b: [2, 0]}\n", 0,
        0, 0, 0);
    put(t, "elements:\n  beam: {beam2d_cr: [a, b], material: soft, section: flat, elements: %.0f}\n", n, 0, 0,
        0);
    put(t,
        "joints: {pin: {fixed: a, only: [x, y]}}\nsensors: {tip: {position: b}}\nrun: {end: 1, step: 1e-3, "
        "rho: 0.8}\n",
        0, 0, 0, 0);
}

static void chain(text *t, int n)
{
    double l = 0.2, w = 0.02, m = 1000 * l * w * w, J = m * (l * l + w * w) / 12;
    put(t, "sinew: 1\ngravity: [0, -9.81]\nnodes:\n", 0, 0, 0, 0);
    for (int i = 0; i < n; i++) put(t, "  n%.0f: [%.17g, 0]\n", i, l * (i + 0.5), 0, 0);
    put(t, "elements:\n", 0, 0, 0, 0);
    for (int i = 0; i < n; i++) put(t, "  m%.0f: {mass2d: n%.0f, mass: %.17g, inertia: %.17g}\n", i, i, m, J);
    put(t, "joints:\n  j0: {revolute2d: [ground, n0], at: [0, 0]}\n", 0, 0, 0, 0);
    for (int i = 1; i < n; i++)
        put(t, "  j%.0f: {revolute2d: [n%.0f, n%.0f], at: [%.17g, 0]}\n", i, i - 1, i, l * i);
    put(t, "sensors: {tip: {position: n%.0f}}\nrun: {end: 1, step: 1e-3, rho: 0.8}\n", n - 1, 0, 0, 0);
}

static double heap(void)
{
    struct mallinfo2 m = mallinfo2();
    return (double)m.uordblks + (double)m.hblkhd;
}

/* Heap at the first output of a run: model, values, state, work, factors are all there. */
static sn_status weigh(void *ctx, const sn_frame *frame, sn_err *err)
{
    double *most = ctx;
    (void)frame, (void)err;
    *most = fmax(*most, heap());
    return SN_OK;
}

static int fail(const sn_err *err)
{
    char line[1024];
    for (int i = 0; i < err->count && i < SN_ERR_MAX; i++) {
        sn_report_format(&err->report[i], line, sizeof line);
        fprintf(stderr, "%s\n", line);
    }
    return 1;
}

int main(int argc, char **argv)
{
    text t = {NULL, 0, 0};
    const char *name = argc > 1 ? argv[1] : "w1";
    int n = argc > 2 ? atoi(argv[2]) : 1, repeat = argc > 3 ? atoi(argv[3]) : 3;
    if (!strcmp(name, "w1"))
        two_bar(&t, n);
    else if (!strcmp(name, "w2"))
        pendulum(&t, n);
    else if (!strcmp(name, "w4"))
        chain(&t, n);
    else
        return fprintf(stderr, "bench w1|w2|w4 N [REPEAT] [STEPS]\n"), 2;
    sn_err err;
    sn_model *model;
    sn_values *values;
    sn_err_clear(&err);
    double before = heap(), most = 0;
    if (sn_model_read_text(name, t.s, t.n, &model, &err) || sn_values_new(model, &values, &err))
        return fail(&err);
    sn_run_options o = sn_run_options_default(model, values);
    if (argc > 4) o.end = o.step * atoi(argv[4]);
    if (getenv("BENCH_FULL_NEWTON")) o.full_newton = 1;
    sn_point point[2] = {{0, o.end, 0}, {1, o.end, 0}};
    sn_info info, best = {.cpu = INFINITY}, split;
    sn_sizes size;
    sn_model_sizes(model, &size);
    o.point = point;
    o.n_point = 2;
    for (int i = 0; i < repeat || i == 0; i++) {
        if (sn_run(model, values, &o, &info, &err)) return fail(&err);
        if (info.cpu < best.cpu) best = info;
    }
    if (repeat == 0) return 0;
    o.timing = 1, o.frame = weigh, o.ctx = &most, o.output = o.end;
    if (sn_run(model, values, &o, &split, &err)) return fail(&err);
    double sum = split.t_residual + split.t_tangent + split.t_factor + split.t_solve + split.t_output,
           c = split.wall / 100;
    printf("{\"program\":\"sinew\",\"case\":\"%s\",\"n\":%d,\"coordinates\":%d,\"unknowns\":%d,\"cpu\":%.6f,"
           "\"wall\":%.6f,\"steps\":%ld,"
           "\"steps_per_s\":%.0f,\"us_per_step\":%.3f,\"iterations\":%ld,\"factorisations\":%ld,\"final\":[%."
           "9g,%.9g],"
           "\"percent\":{\"residual\":%.1f,\"tangent\":%.1f,\"factor\":%.1f,\"solve\":%.1f,\"output\":%.1f,"
           "\"rest\":%.1f},"
           "\"bytes_per_coordinate\":%.0f,\"solver\":\"%s\",\"factor_nonzeros\":%.0f}\n",
           name, n, size.nv, size.nv + size.m, best.cpu, best.wall, best.steps, (double)best.steps / best.cpu,
           1e6 * best.cpu / (double)best.steps, best.iterations, best.factorisations, point[0].value,
           point[1].value, split.t_residual / c, split.t_tangent / c, split.t_factor / c, split.t_solve / c,
           split.t_output / c, (split.wall - sum) / c, (most - before) / size.nv, best.solver,
           best.factor_nonzeros);
    sn_values_free(values);
    sn_model_free(model);
    free(t.s);
    return 0;
}
