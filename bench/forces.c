/* What a force history of many unknown values costs: CPU seconds of a run, of a gradient by all values
   (forward, adjoint), of a whole identification. One JSON line.

   The model: ten beams in space clamped at one end, 10 m long, pushed sideways in the middle; a value of the
   history each 0.1 s, ten steps of 10 ms between two of them, so that the run grows with their number.
   Measured: the acceleration in the middle and the displacement of the end, each step, with noise.

     sinew_bench_forces VALUES run|forward|adjoint|dense|lbfgs|kalman */
#include "identify/result.h"
#include "identify/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double spacing = 0.1, step = 0.01, noise[2] = {0.05, 0.001};

static double force_at(double t) { return 10 + 20 * sin(1.5 * t) + 30 * cos(6.3 * t); }

static double cpu(void) { return (double)clock() / CLOCKS_PER_SEC; }

static int fail(const sn_err *err)
{
    char line[1024];
    for (int i = 0; i < err->count && i < SN_ERR_MAX; i++)
        sn_report_format(&err->report[i], line, sizeof line), fprintf(stderr, "%s\n", line);
    return 1;
}

/* signal: NULL: the force as it was; else values of a spline */
static int write_model(const char *path, int n, int spline)
{
    FILE *f = fopen(path, "w");
    if (!f) return 1;
    fprintf(f,
            "sinew: 1\nmaterials: {bar: {E: 50 GPa, nu: 0.3, rho: 7860 kg/m^3}}\n"
            "sections: {bar: {rectangle: , width: 0.05 m, height: 0.1 m}}\n"
            "nodes: {n1: [0, 0, 0], n11: [10, 0, 0]}\n"
            "elements:\n  beam: {beam3d_cr: [n1, n11], material: bar, section: bar, elements: 10}\n"
            "  push: {force3d: beam.n5, force: [0, push*1 N, 0]}\njoints: {clamp: {fixed: n1}}\n"
            "sensors: {a: {acceleration: beam.n5}, end: {displacement: n11}}\n"
            "run: {end: %g s, step: %g s, rho: 0.9}\nsignals:\n  push: ",
            spacing * n, step);
    if (spline) {
        fprintf(f, "{spline: [");
        for (int i = 0; i < n + 3; i++) fprintf(f, "%s%.9g", i ? ", " : "", force_at(spacing * (i - 1)));
        fprintf(f, "], begin: 0, end: %g, degree: cubic}\n", spacing * n);
    } else {
        fprintf(f, "{expression: 10 + 20*sin(1.5*t) + 30*cos(6.3*t)}\n");
    }
    return fclose(f);
}

static sn_status write_data(const char *path, const sn_model *m, const sn_values *p, int n, sn_err *err)
{
    int samples = (int)lround(spacing * n / step) + 1, all = sn_channel_count(m), a, end;
    sn_run_options o = sn_run_options_default(m, p);
    double *t = calloc((size_t)samples, sizeof *t), *y = calloc((size_t)samples * (size_t)all, sizeof *y);
    unsigned long long seed = 1;
    sn_info info;
    sn_status s = t && y ? SN_OK : SN_ERR_MEMORY;
    for (int i = 0; !s && i < samples; i++) t[i] = step * i;
    if (!s) s = sn_sample(m, p, &o, &(sn_samples){samples, t, y, NULL}, &info, err);
    if (!s) s = sn_channel_find(m, "a.y", &a, err);
    if (!s) s = sn_channel_find(m, "end.y", &end, err);
    FILE *f = s ? NULL : fopen(path, "w");
    if (f) {
        fprintf(f, "t,a.y,end.y\n");
        for (int i = 0; i < samples; i++)
            fprintf(f, "%.12g,%.17g,%.17g\n", t[i], y[i * all + a] + noise[0] * sn_normal(&seed),
                    y[i * all + end] + noise[1] * sn_normal(&seed));
        fclose(f);
    }
    free(t), free(y);
    return s;
}

static int write_study(const char *path, int n, const char *how)
{
    FILE *f = fopen(path, "w");
    if (!f) return 1;
    fprintf(f, "study: 1\nmodel: model.yaml\ndata: data.csv\nnoise: {a.y: %g m/s^2, end.y: %g m}\n", noise[0],
            noise[1]);
    if (!strcmp(how, "kalman")) fprintf(f, "method: kalman\n");
    if (!strcmp(how, "lbfgs")) fprintf(f, "optimiser: lbfgs\n");
    fprintf(f, "unknowns: {push: {history: {form: cubic, values: %d}}}\n", n + 3);
    return fclose(f);
}

static sn_status gradient(const sn_model *m, const sn_values *p, int n, int adjoint, sn_err *err)
{
    char(*name)[32] = calloc((size_t)n + 3, sizeof *name);
    const char **wrt = calloc((size_t)n + 3, sizeof *wrt), *of = "rms(end.y - 0.1)";
    double value, *g = calloc((size_t)n + 3, sizeof *g);
    if (!name || !wrt || !g) return SN_ERR_MEMORY;
    for (int i = 0; i < n + 3; i++) {
        snprintf(name[i], sizeof name[i], "signals.push.values.%d", i + 1);
        wrt[i] = name[i];
    }
    sn_gradient_options o = sn_gradient_options_default(m, p);
    o.of = &of, o.n_of = 1, o.wrt = wrt, o.n_wrt = n + 3, o.threads = 1;
    o.method = adjoint ? SN_GRADIENT_ADJOINT : SN_GRADIENT_FORWARD;
    sn_status s = sn_gradient(m, p, &o, &(sn_gradient_result){&value, g, NULL, NULL}, NULL, err);
    free(name), free(wrt), free(g);
    return s;
}

/* The relative error of the force, rms over time, and the part of it that the bands of 95 % hold. */
static void judge(const sn_estimate *e, double *error, double *within)
{
    const sn_history_fit *q = &e->history[0];
    double d2 = 0, f2 = 0;
    *within = 0;
    for (int i = 0; i < q->n; i++) {
        double f = force_at(q->t[i]), d = q->value[i] - f;
        d2 += d * d, f2 += f * f, *within += (fabs(d) <= 1.959964 * q->std_error[i]) / (double)q->n;
    }
    *error = sqrt(d2 / f2);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/sinew-forces-XXXXXX", path[3][80];
    static const char *const names[] = {"model.yaml", "data.csv", "study.yaml"};
    static sn_err err;
    sn_model *m = NULL;
    sn_values *p = NULL;
    sn_study *study = NULL;
    sn_estimate *e = NULL;
    if (argc != 3 || !mkdtemp(folder)) return fprintf(stderr, "usage: VALUES METHOD\n"), 2;
    int n = atoi(argv[1]) - 3, whole = strchr("dlk", argv[2][0]) != NULL;
    for (int i = 0; i < 3; i++) snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
    sn_err_clear(&err);
    if (write_model(path[0], n, !whole) || sn_model_read(path[0], &m, &err) || sn_values_new(m, &p, &err))
        return fail(&err);
    if (whole && (write_data(path[1], m, p, n, &err) || write_study(path[2], n, argv[2]))) return fail(&err);
    double begin = cpu(), error = NAN, within = NAN;
    sn_run_options o = sn_run_options_default(m, p);
    sn_status s = SN_OK;
    if (whole) {
        s = sn_study_read(path[2], NULL, 0, &study, &err);
        if (!s) s = sn_study_solve(study, &(sn_solve_options){.threads = 1}, &e, &err);
        if (!s) judge(e, &error, &within);
    } else if (!strcmp(argv[2], "run")) {
        s = sn_run(m, p, &o, NULL, &err);
    } else {
        s = gradient(m, p, n, !strcmp(argv[2], "adjoint"), &err);
    }
    if (s) return fail(&err);
    printf(
        "{\"values\":%d,\"method\":\"%s\",\"cpu\":%.4f,\"converged\":%d,\"simulations\":%ld,\"error\":%.4f,"
        "\"within\":%.4f}\n",
        n + 3, argv[2], cpu() - begin, e ? e->converged : 1, e ? e->simulations : 1, error, within);
    sn_estimate_free(e), sn_study_free(study);
    sn_values_free(p), sn_model_free(m);
    for (int i = 0; i < 3; i++) remove(path[i]);
    rmdir(folder);
    return 0;
}
