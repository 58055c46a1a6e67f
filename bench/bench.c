/* Workloads for speed, run through the public interface; one JSON line a case.

   W1  two-bar case, 1 and 8 elements a bar, 3 s, h = 1 ms
   W2  planar flexible pendulum of N beams, 1 s, h = 1 ms
   W3  flying beam of Simo and Vu-Quoc in space, N shear-deformable beams, 10 s, h = 10 ms
   W4  planar chain of N rigid links, 1 s, h = 1 ms
   W5  slider-crank in space, crank driven at 150 rad/s, rod of N beams, 0.1 s, h = 0.1 ms
   W6  plate 1 x 1 x 0.01 m of N shells (20: 5 x 4, else square), clamped at x = 0, falls, 0.2 s, h = 1 ms
   w2a the pendulum of W2 by cables in absolute nodal coordinates, w2g by geometrically exact beams; w3g: W3
   by these w2s the pendulum of W2 in space; w4r, w4s: the chain of W4 in space with hinges and with balls
   generalized_alpha with rho 0.8 (W1: hht, alpha -0.05), tolerance 1e-8, no output, smallest of `repeat`
   runs.

   bench CASE N [REPEAT] [STEPS]    CASE: w1 w2 w2a w2g w2s w3 w3g w4 w4r w4s w5
   w6. With REPEAT 0 the case runs once, for
   counting instructions. */
#include "sinew/sinew.h"

#include <malloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *s;
    size_t n, cap;
} text;

static void put(text *t, const char *format, ...)
{
    va_list args;
    if (t->cap - t->n < 512) t->s = realloc(t->s, t->cap = 2 * t->cap + 4096);
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->s + t->n, t->cap - t->n, format, args);
    va_end(args);
}

static void two_bar(text *t, int n)
{
    put(t, "sinew: 1\ngravity: [0, -9.81]\nparameters: {tilt: 30 deg}\n");
    put(t, "materials: {bar: {E: 21 GPa, rho: 7800}}\nsections: {strip: {A: 25e-6, I: 52.1e-12}}\nnodes:\n",
        0);
    const double at[5] = {0, 0.1, 1, 1.1, 2};
    for (int i = 0; i < 5; i++) put(t, "  n%d: [%.1f*sin(tilt), -%.1f*cos(tilt)]\n", i + 1, at[i], at[i]);
    put(t,
        "elements:\n  s1: {spring2d: [n1, n2], k: 700, kt: 0.5}\n  s3: {spring2d: [n3, n4], k: 400, kt: "
        "0.5}\n",
        0);
    put(t, "  b1: {beam2d_cr: [n2, n3], material: bar, section: strip, elements: %d}\n", n);
    put(t, "  b2: {beam2d_cr: [n4, n5], material: bar, section: strip, elements: %d}\n", n);
    put(t,
        "joints: {g: {fixed: n1}}\nsensors: {tip: {position: n5}}\nrun: {end: 3, step: 1e-3, scheme: hht, "
        "alpha: -0.05}\n",
        0);
}

static void pendulum(text *t, int n, const char *kind)
{
    put(t, "sinew: 1\ngravity: [0, -9.81]\nmaterials: {soft: {E: 1e8, rho: 1000}}\n");
    put(t, "sections: {flat: {rectangle: , width: 0.02, height: 0.01}}\nnodes:\n", 0);
    for (int i = 0; i < 2; i++) /* cables want the direction of the line */
        put(t, "  %c: {at: [%d, 0]%s}\n", 'a' + i, 2 * i,
            strcmp(kind, "cable_ancf") ? "" : ", slope: [1, 0]");
    put(t, "elements:\n  beam: {%s: [a, b], material: soft, section: flat, elements: %d}\n", kind, n);
    put(t,
        "joints: {pin: {fixed: a, only: [x, y]}}\nsensors: {tip: {position: b}}\nrun: {end: 1, step: 1e-3, "
        "rho: 0.8}\n",
        0);
}

static void chain(text *t, int n)
{
    double l = 0.2, w = 0.02, m = 1000 * l * w * w, J = m * (l * l + w * w) / 12;
    put(t, "sinew: 1\ngravity: [0, -9.81]\nnodes:\n");
    for (int i = 0; i < n; i++) put(t, "  n%d: [%.17g, 0]\n", i, l * (i + 0.5));
    put(t, "elements:\n");
    for (int i = 0; i < n; i++) put(t, "  m%d: {mass2d: n%d, mass: %.17g, inertia: %.17g}\n", i, i, m, J);
    put(t, "joints:\n  j0: {revolute2d: [ground, n0], at: [0, 0]}\n");
    for (int i = 1; i < n; i++)
        put(t, "  j%d: {revolute2d: [n%d, n%d], at: [%.17g, 0]}\n", i, i - 1, i, l * i);
    put(t, "sensors: {tip: {position: n%d}}\nrun: {end: 1, step: 1e-3, rho: 0.8}\n", n - 1);
}

static void pendulum3(text *t, int n)
{
    put(t, "sinew: 1\ngravity: [0, -9.81, 0]\nmaterials: {soft: {E: 1e8, nu: 0.3, rho: 1000}}\n");
    put(t,
        "sections: {flat: {rectangle: , width: 0.02, height: 0.01}}\nnodes: {a: [0, 0, 0], b: [2, 0, 0]}\n");
    put(t, "elements:\n  beam: {beam3d_cr: [a, b], material: soft, section: flat, orientation: [0, 1, 0], ");
    put(t, "rhoI_y: 0, rhoI_z: 0, rhoJ: 8.3e-6, elements: %d}\n", n);
    put(t, "joints: {pin: {fixed: a, only: [x, y, z, rx, ry]}}\nsensors: {tip: {position: b}}\n");
    put(t, "run: {end: 1, step: 1e-3, rho: 0.8}\n");
}

static void spaghetti(text *t, int n, const char *kind)
{
    put(t, "sinew: 1\nnodes: {A: [6, 0, 0], B: [0, 8, 0]}\nsignals: {T: {table: [[0, 0], [2.5, 200], [5, "
           "0]]}}\nelements:\n");
    put(t, "  beam: {%s: [A, B], EA: 1e4, EI_y: 500, EI_z: 500, GJ: 500, kGA_y: 1e4, kGA_z: 1e4, ", kind);
    put(t, "rhoA: 1, rhoI_y: 10, rhoI_z: 10, mass: linear, elements: %d}\n", n);
    put(t, "  push: {force3d: A, force: [T/10, 0, 0], torque: [0, -T/2, -T], torque_axes: global}\n");
    put(t, "sensors: {tip: {position: A}}\nrun: {end: 10, step: 0.01, rho: 0.8}\n");
}

static void chain3(text *t, int n, const char *joint)
{
    double l = 0.2, w = 0.02, m = 1000 * l * w * w, J = m * (l * l + w * w) / 12;
    put(t, "sinew: 1\ngravity: [0, -9.81, 0]\nnodes:\n");
    for (int i = 0; i < n; i++) put(t, "  n%d: [%.17g, 0, 0]\n", i, l * (i + 0.5));
    put(t, "elements:\n");
    for (int i = 0; i < n; i++) {
        put(t, "  m%d: {mass3d: n%d, mass: %.17g, ", i, i, m);
        put(t, "inertia: [%.17g, %.17g, %.17g]}\n", m * w * w / 6, J, J);
    }
    put(t, "joints:\n");
    const char *axis = strcmp(joint, "revolute") ? "" : ", axis: [0, 0, 1]";
    for (int i = 0; i < n; i++) {
        put(t, i ? "  j%d: {%s: [n%d, " : "  j%d: {%s: [ground, ", i, joint, i - 1);
        put(t, "n%d], at: [%.17g, 0, 0]%s}\n", i, l * i, axis);
    }
    put(t, "sensors: {tip: {position: n%d}}\nrun: {end: 1, step: 1e-3, rho: 0.8}\n", n - 1);
}

/* n shells, 5 x 4 or square; the corner (1, 0) is watched. */
static void plate(text *t, int n)
{
    int wide = n == 20 ? 5 : (int)(sqrt(n) + 0.5), deep = n / wide;
    put(t, "sinew: 1\ngravity: [0, 0, -9.81]\nmaterials: {m: {E: 2.1e8, nu: 0.3, rho: 500}}\nnodes:\n");
    for (int i = 0; i <= wide; i++)
        for (int j = 0; j <= deep; j++)
            put(t, "  n%d_%d: [%.17g, %.17g, 0]\n", i, j, (double)i / wide, (double)j / deep);
    put(t, "elements:\n");
    for (int i = 0; i < wide; i++)
        for (int j = 0; j < deep; j++)
            put(t,
                "  e%d_%d: {shell4_mitc: [n%d_%d, n%d_%d, n%d_%d, n%d_%d], material: m, thickness: 0.01}\n",
                i, j, i, j, i + 1, j, i + 1, j + 1, i, j + 1);
    put(t, "joints:\n");
    for (int j = 0; j <= deep; j++) put(t, "  wall%d: {fixed: n0_%d}\n", j, j);
    put(t, "sensors: {tip: {position: n%d_0}}\nrun: {end: 0.2, step: 1e-3, rho: 0.8}\n", wide);
}

static void slider_crank(text *t, int n)
{
    put(t, "sinew: 1\nmaterials: {steel: {E: 2e11, nu: 0.3, rho: 7870}}\nsections: {bar: {rectangle: , "
           "width: 6e-3, height: 6e-3}}\n");
    put(t, "nodes:\n  pin: {at: [0.15, 0, 0], velocity: [0, 22.5, 0], spin: [0, 0, -75]}\n");
    put(t, "  slider: {at: [0.45, 0, 0], spin: [0, 0, -75]}\nelements:\n");
    put(t,
        "  rod: {beam3d_cr: [pin, slider], material: steel, section: bar, orientation: [0, 1, 0], elements: "
        "%d}\n",
        n);
    put(t, "  block: {mass3d: slider, mass: 0.5*7870*36e-6*0.3}\njoints:\n");
    put(t, "  crank: {fixed: pin, only: [x, y, z, rx, ry], x: 0.15*cos(150*t), y: 0.15*sin(150*t)}\n");
    put(t, "  guide: {fixed: slider, only: [y, z]}\nsensors: {tip: {position: slider}}\nrun: {end: 0.1, "
           "step: 1e-4, rho: 0.8}\n");
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
        pendulum(&t, n, "beam2d_cr");
    else if (!strcmp(name, "w2a"))
        pendulum(&t, n, "cable_ancf");
    else if (!strcmp(name, "w2g"))
        pendulum(&t, n, "beam2d_ge");
    else if (!strcmp(name, "w4"))
        chain(&t, n);
    else if (!strcmp(name, "w2s"))
        pendulum3(&t, n);
    else if (!strcmp(name, "w3"))
        spaghetti(&t, n, "beam3d_cr");
    else if (!strcmp(name, "w3g"))
        spaghetti(&t, n, "beam3d_ge");
    else if (!strcmp(name, "w4r"))
        chain3(&t, n, "revolute");
    else if (!strcmp(name, "w4s"))
        chain3(&t, n, "spherical");
    else if (!strcmp(name, "w5"))
        slider_crank(&t, n);
    else if (!strcmp(name, "w6"))
        plate(&t, n);
    else
        return fprintf(stderr, "bench w1|w2|w2a|w2g|w2s|w3|w3g|w4|w4r|w4s|w5|w6 N [REPEAT] [STEPS]\n"), 2;
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
    sn_point point[2] = {{0, o.end, 0}, {name[1] == '6' ? 2 : 1, o.end, 0}}; /* W6 moves in x and z */
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
