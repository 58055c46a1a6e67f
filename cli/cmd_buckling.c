/* sinew buckling: critical factors of the loads, linear about a fraction of them, or the first singular point
   of the path. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"number", 'n', "N", 0, offsetof(cli_job, count), "how many factors, from the lowest (default 3)"},
    {"at", 0, "X", 0, offsetof(cli_job, at), "linearise at this fraction of the load (default 0)"},
    {"nonlinear", 0, NULL, 0, offsetof(cli_job, nonlinear),
     "find the first limit point or bifurcation of the path up to the full load instead"},
    CLI_OPTION_SET,
    {"out", 'o', "FILE", 0, offsetof(cli_job, out),
     "result file (default: the model's name with -buckling.h5, in the current folder)"},
    {"solver", 0, "NAME", 0, offsetof(cli_job, solver), "linear solver: 'sinew list solvers'"},
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object"},
    CLI_OPTION_THREADS,
    {.name = NULL},
};

enum { MOST = 100 };

typedef struct found {
    double factor[MOST];
    int n, kind;
    cli_watch watch;
} found;

static sn_status collect(void *ctx, int i, double factor, const double *shape, const sn_frame *state,
                         sn_err *err)
{
    found *f = ctx;
    (void)shape, (void)state, (void)err;
    f->factor[i] = factor;
    f->n = i + 1;
    return SN_OK;
}

static sn_status special(void *ctx, const sn_path_point *x, sn_err *err)
{
    found *f = ctx;
    (void)err;
    if (x->kind && !f->n) f->factor[f->n++] = x->parameter, f->kind = x->kind;
    return SN_OK;
}

static void message(void *ctx, const char *text)
{
    found *f = ctx;
    cli_watch_message(&f->watch, text);
}

static void print_json(const found *f, const char *path)
{
    printf("{\"file\": ");
    cli_json_text(stdout, path);
    printf(", \"factors\": [");
    for (int i = 0; i < f->n; i++) {
        if (i) printf(", ");
        cli_json_number(stdout, f->factor[i]);
    }
    printf("], ");
    if (f->kind) printf("\"kind\": \"%s\", ", f->kind == SN_PATH_LIMIT ? "limit" : "bifurcation");
    cli_json_warnings(stdout, &f->watch);
    printf("}\n");
}

static void print_table(const found *f, const char *path)
{
    for (int i = 0; i < f->n; i++)
        printf("%6d  %16s%s\n", i + 1, cli_figure(f->factor[i]),
               f->kind == SN_PATH_LIMIT ? "  limit point"
               : f->kind                ? "  bifurcation"
                                        : "");
    if (!f->n)
        printf("the loads have no critical factor%s\n", f->kind ? "" : " in this direction");
    else
        cli_say(stdout, "%s: %s\n", f->kind ? "the path up to there" : "shapes", path);
}

static int linear(const cli_job *job, const cli_model *m, const char *path, found *f)
{
    sn_buckling_options o = sn_buckling_options_default(m->model, m->values);
    sn_err err;
    char *end;
    int n = 0, code = cli_run_options(job, m, &o.run);
    sn_err_clear(&err);
    if (!code && job->count) {
        o.n = (int)strtol(job->count, &end, 10);
        if (end == job->count || *end || o.n < 1 || o.n > MOST) {
            cli_error("-n '%s': how many factors, 1 to %d", job->count, MOST);
            return CLI_USAGE;
        }
    }
    if (!code && job->at) {
        o.at = strtod(job->at, &end);
        if (end == job->at || *end || !(o.at >= 0) || !isfinite(o.at)) {
            cli_error("--at '%s': a fraction of the load, from 0 on", job->at);
            return CLI_USAGE;
        }
    }
    if (code) return code;
    o.mode = collect, o.ctx = f;
    o.run.message = message, o.run.ctx = f;
    sn_status s = sn_buckling_file(m->model, m->values, &o, path, &n, &err);
    return s ? cli_report(&err, s) : 0;
}

static int nonlinear(const cli_job *job, const cli_model *m, const char *path, found *f)
{
    sn_path_options o = sn_path_options_default(m->model, m->values);
    sn_path_info info;
    sn_err err;
    int code = cli_run_options(job, m, &o.run);
    sn_err_clear(&err);
    if (code) return code;
    o.first = 1;
    o.point = special, o.ctx = f;
    o.run.message = message, o.run.ctx = f;
    sn_status s = sn_path_file(m->model, m->values, &o, path, &info, &err);
    return s ? cli_report(&err, s) : 0;
}

static int main_buckling(cli_job *job)
{
    cli_model m = {NULL, NULL};
    found f = {.n = 0};
    char *path = cli_out_path(job, "-buckling.h5");
    if (!path) return CLI_USAGE;
    int code = cli_model_open(job, &m);
    if (!code) code = job->nonlinear ? nonlinear(job, &m, path, &f) : linear(job, &m, path, &f);
    if (!code && job->json)
        print_json(&f, path);
    else if (!code && !job->quiet)
        print_table(&f, path);
    cli_watch_free(&f.watch);
    cli_model_close(&m);
    free(path);
    return code;
}

const cli_command cli_cmd_buckling = {
    .name = "buckling",
    .line = "critical load factors and buckling shapes",
    .operands = "MODEL",
    .text = "Linear buckling: extrapolates the tangent stiffness from a fraction of the loads (--at); move "
            "--at closer to\nthe factor (0.9) until the result no longer changes. --nonlinear: the first "
            "limit point or bifurcation of the\nequilibrium path.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_buckling,
};
