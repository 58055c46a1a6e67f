/* What a gradient costs beside the run it belongs to; one JSON line.

   two      examples/two-bar by 1 (up to 4 parameters) or 8 beams a bar, one by one: the four springs'
            stiffnesses, then EI, rhoA, EA, rhoI, damping, damping_mass of each beam
   pendulum W2 in space of 64 beams, one by one: up to 4 parameters E, nu, rho, gravity.y, which move all
            beams; beyond, EI_z, then rhoA of each beam
   subframe examples/subframe/subframe.yaml: the 48 stiffnesses and dampings of its bushings, then the numbers
   of their full matrices Objective: rms of the tip's distance from a line, of the subframe of an
   acceleration, felt in each step.

   gradient CASE PARAMETERS METHOD [REPEAT] [STEPS] [MEMORY]
   METHOD: run (sn_run alone), forward, adjoint, forward6, adjoint6 (six digits), central (2 n + 1 runs with
   moved numbers). With REPEAT 0 it runs once, for counting instructions. MEMORY: bytes for the adjoint's
   store. One thread. */
#include "sinew/sinew.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 256, NAME = 24 };

typedef struct bench {
    char text[65536], name[MOST][NAME];
    size_t length;
    const char *wrt[MOST], *of;
    int n;
    double value, gradient[MOST];
    sn_model *model;
    sn_values *values;
    sn_gradient_info info;
} bench;

static void put(bench *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    b->length += (size_t)vsnprintf(b->text + b->length, sizeof b->text - b->length, format, args);
    va_end(args);
}

static void parameter(bench *b, const char *format, ...)
{
    va_list args;
    if (b->n == MOST) return;
    va_start(args, format);
    vsnprintf(b->name[b->n], NAME, format, args);
    va_end(args);
    b->wrt[b->n] = b->name[b->n];
    b->n++;
}

static void two_bar(bench *b, int beams)
{
    const char *const slot[] = {"EI", "rhoA", "EA", "rhoI", "damping", "damping_mass"};
    put(b, "sinew: 1\ngravity: [0, -9.81]\nparameters: {tilt: 30 deg}\n"
           "materials: {bar: {E: 21 GPa, rho: 7800}}\nsections: {strip: {A: 25e-6, I: 52.1e-12}}\nnodes:\n"
           "  n0: [0, 0]\n");
    for (int bar = 0; bar < 2; bar++)
        for (int i = 0; i <= beams; i++) {
            double at = 0.1 + bar + 0.9 * i / beams;
            put(b, "  n%d_%d: [%.17g*sin(tilt), -%.17g*cos(tilt)]\n", bar, i, at, at);
        }
    put(b,
        "elements:\n  s1: {spring2d: [n0, n0_0], k: 700, kt: 0.5}\n"
        "  s3: {spring2d: [n0_%d, n1_0], k: 400, kt: 0.5}\n",
        beams);
    for (int i = 0; i < 2 * beams; i++) {
        int bar = i / beams, k = i % beams;
        put(b, "  b%d: {beam2d_cr: [n%d_%d, n%d_%d], material: bar, section: strip}\n", i, bar, k, bar,
            k + 1);
    }
    put(b, "joints: {g: {fixed: n0}}\nsensors: {tip: {position: n1_%d}}\n", beams);
    put(b, "run: {end: 3, step: 1e-3, scheme: hht, alpha: -0.05}\n");
    parameter(b, "s1.k"), parameter(b, "s1.kt"), parameter(b, "s3.k"), parameter(b, "s3.kt");
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 2 * beams; i++) parameter(b, "b%d.%s", i, slot[k]);
    b->of = "rms(tip.x - 0.1)";
}

static void pendulum(bench *b, int beams, int global)
{
    put(b, "sinew: 1\ngravity: [0, -9.81, 0]\nmaterials: {soft: {E: 1e8, nu: 0.3, rho: 1000}}\n"
           "sections: {flat: {rectangle: , width: 0.02, height: 0.01}}\nnodes:\n");
    for (int i = 0; i <= beams; i++) put(b, "  n%d: [%.17g, 0, 0]\n", i, 2.0 * i / beams);
    put(b, "elements:\n");
    for (int i = 0; i < beams; i++)
        put(b,
            "  b%d: {beam3d_cr: [n%d, n%d], material: soft, section: flat, orientation: [0, 1, 0], rhoI_y: "
            "0, rhoI_z: 0, rhoJ: 8.3e-6}\n",
            i, i, i + 1);
    put(b, "joints: {pin: {fixed: n0, only: [x, y, z, rx, ry]}}\nsensors: {tip: {position: n%d}}\n", beams);
    put(b, "run: {end: 1, step: 1e-3, rho: 0.8}\n");
    if (global)
        parameter(b, "soft.E"), parameter(b, "soft.nu"), parameter(b, "soft.rho"), parameter(b, "gravity.y");
    for (int i = 0; i < beams; i++) parameter(b, "b%d.EI_z", i);
    for (int i = 0; i < beams; i++) parameter(b, "b%d.rhoA", i);
    b->of = "rms(tip.x - 0.1)";
}

static int subframe(bench *b)
{
    static const char *const corner[] = {"front_left", "front_right", "rear_left", "rear_right"},
                             *const slot[] = {"k", "c", "kt", "ct"};
    FILE *f = fopen("examples/subframe/subframe.yaml", "r");
    if (!f) return 0;
    b->length = fread(b->text, 1, sizeof b->text, f);
    fclose(f);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 12; i++) parameter(b, "%s.%s.%c", corner[i / 3], slot[k], "xyz"[i % 3]);
    for (int i = 0; i < 4 * 36; i++) parameter(b, "%s.K66.%d", corner[i % 4], i / 4 + 1);
    for (int i = 0; i < 4 * 36; i++) parameter(b, "%s.C66.%d", corner[i % 4], i / 4 + 1);
    b->of = "rms(a1.z)";
    return b->length > 0;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* 2 n + 1 runs; what is computed from them costs nothing. */
static sn_status central(bench *b, int np, const sn_run_options *o, sn_err *err)
{
    SN_TRY(sn_run(b->model, b->values, o, &b->info.run, err));
    for (int k = 0; k < np; k++) {
        double x;
        SN_TRY(sn_values_get(b->values, b->wrt[k], &x, err));
        for (int side = -1; side <= 1; side += 2) {
            double moved = fmax(0, x + side * (1e-5 * fabs(x) + 1e-12));
            if (x < 0) moved = x * (1 + side * 1e-5);
            SN_TRY(sn_values_set_number(b->values, b->wrt[k], moved, err));
            SN_TRY(sn_run(b->model, b->values, o, NULL, err));
        }
        SN_TRY(sn_values_set_number(b->values, b->wrt[k], x, err));
    }
    return SN_OK;
}

static sn_status once(bench *b, int np, const char *method, double end, double memory, sn_err *err)
{
    sn_gradient_options g = sn_gradient_options_default(b->model, b->values);
    if (end > 0) g.run.end = end;
    if (!strcmp(method, "run")) return sn_run(b->model, b->values, &g.run, &b->info.run, err);
    if (!strcmp(method, "central")) return central(b, np, &g.run, err);
    g.of = &b->of, g.n_of = 1, g.wrt = b->wrt, g.n_wrt = np, g.threads = 1, g.memory = memory;
    g.method = strncmp(method, "adjoint", 7) ? SN_GRADIENT_FORWARD : SN_GRADIENT_ADJOINT;
    if (method[strlen(method) - 1] == '6') g.run.exact = SN_SIX_DIGITS;
    const sn_gradient_result to = {&b->value, b->gradient, NULL, NULL};
    return sn_gradient(b->model, b->values, &g, &to, &b->info, err);
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
    static bench b;
    sn_err err;
    if (argc < 4) {
        fprintf(stderr, "gradient two|pendulum|subframe PARAMETERS METHOD [REPEAT] [STEPS] [MEMORY]\n");
        return 2;
    }
    int np = atoi(argv[2]), repeat = argc > 4 ? atoi(argv[4]) : 3;
    double best = INFINITY, sum = 0;
    if (!strcmp(argv[1], "two"))
        two_bar(&b, np > 4 ? 8 : 1);
    else if (!strcmp(argv[1], "subframe")) {
        if (!subframe(&b)) return fprintf(stderr, "run it in the root of the source tree\n"), 2;
    } else
        pendulum(&b, 64, np <= 4);
    if (np < 1 || np > b.n) return fprintf(stderr, "there are 1 to %d parameters\n", b.n), 2;
    sn_err_clear(&err);
    if (sn_model_read_text(argv[1], b.text, b.length, &b.model, &err) ||
        sn_values_new(b.model, &b.values, &err))
        return fail(&err);
    double end = argc > 5 ? 1e-3 * atoi(argv[5]) : 0, memory = argc > 6 ? atof(argv[6]) : 0;
    for (int i = 0; i < repeat || i == 0; i++) {
        double from = seconds();
        if (once(&b, np, argv[3], end, memory, &err)) return fail(&err);
        best = fmin(best, seconds() - from);
    }
    const sn_info *r = &b.info.run;
    for (int k = 0; k < np; k++) sum += fabs(b.gradient[k]);
    printf(
        "{\"case\":\"%s\",\"parameters\":%d,\"method\":\"%s\",\"wall\":%.6f,\"us_per_step\":%.3f,\"steps\":%"
        "ld,\"iterations\":%ld,\"evaluations\":%ld,\"factorisations\":%ld,\"bytes_per_step\":%.0f,\"value\":"
        "%.15g,\"first\":%.15g,\"last\":%.15g,\"sum\":%.15g}\n",
        argv[1], np, argv[3], best, 1e6 * best / (double)r->steps, r->steps, r->iterations, r->evaluations,
        r->factorisations, b.info.bytes_per_step, b.value, b.gradient[0], b.gradient[np - 1], sum);
    sn_values_free(b.values);
    sn_model_free(b.model);
    return 0;
}
