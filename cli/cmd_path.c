/* sinew path: equilibria over a load factor or a parameter, through limit points and bifurcations. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"parameter", 0, "NAME", 0, offsetof(cli_job, parameter),
     "the number of the model that varies (default: the factor of all loads, from 0 to 1)"},
    {"from", 0, "X", 0, offsetof(cli_job, from), "its first value: 0, '2 kN'"},
    {"to", 0, "X", 0, offsetof(cli_job, to), "its last value; the path ends once past it"},
    {"until", 0, "X", 0, offsetof(cli_job, until),
     "the path also ends here, on the other side of the first value (default: as far as --to)"},
    {"steps", 0, "N", 0, offsetof(cli_job, steps), "most points of a branch (default 400)"},
    {"max-step", 0, "X", 0, offsetof(cli_job, max_step), "largest arc length between points (default 0.05)"},
    {"branch", 0, "K", 0, offsetof(cli_job, branch), "also follow the branches at the K-th bifurcation"},
    {"branches", 0, NULL, 0, offsetof(cli_job, branches), "follow the branches at all bifurcations"},
    {"of", 0, "SENSOR", 1, offsetof(cli_job, of), "print tip.x along the path (repeatable)"},
    CLI_OPTION_SET,
    {"out", 'o', "FILE", 0, offsetof(cli_job, out),
     "result file (default: the model's name with -path.h5, in the current folder)"},
    {"tolerance", 0, "X", 0, offsetof(cli_job, tolerance), "tolerance of Newton's iteration"},
    {"solver", 0, "NAME", 0, offsetof(cli_job, solver), "linear solver: 'sinew list solvers'"},
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object"},
    CLI_OPTION_THREADS,
    {.name = NULL},
};

typedef struct point {
    int kind, branch, negative;
    double parameter, arc, *y;
} point;

typedef struct tracing {
    const cli_job *job;
    const cli_model *m;
    sn_path_options o;
    sn_path_info info;
    point *point;
    int n, cap, *channel;
    cli_watch watch;
} tracing;

static sn_status collect(void *ctx, const sn_path_point *x, sn_err *err)
{
    tracing *t = ctx;
    size_t ny = (size_t)sn_channel_count(t->m->model);
    if (t->n == t->cap) {
        int cap = t->cap ? 2 * t->cap : 256;
        point *more = realloc(t->point, sizeof *more * (size_t)cap);
        if (!more) return sn_fail(err, SN_ERR_MEMORY, NULL, "out of memory");
        t->point = more, t->cap = cap;
    }
    point *p = &t->point[t->n];
    *p = (point){x->kind, x->branch, x->negative, x->parameter, x->arc, malloc(sizeof *p->y * (ny + 1))};
    if (!p->y) return sn_fail(err, SN_ERR_MEMORY, NULL, "out of memory");
    memcpy(p->y, x->frame->y, sizeof *p->y * ny);
    t->n++;
    return SN_OK;
}

static int progress(void *ctx, double done, double arc)
{
    tracing *t = ctx;
    return cli_watch_progress(&t->watch, done, arc);
}

static void message(void *ctx, const char *text)
{
    tracing *t = ctx;
    cli_watch_message(&t->watch, text);
}

static const char *kind_word(int kind)
{
    return kind == SN_PATH_LIMIT ? "limit" : kind == SN_PATH_BIFURCATION ? "bifurcation" : "";
}

static void sensors_json(const tracing *t, const point *p)
{
    int all = !t->job->of.n, n = all ? sn_channel_count(t->m->model) : t->job->of.n;
    printf("\"sensors\": {");
    for (int i = 0; i < n; i++) {
        int channel = all ? i : t->channel[i];
        sn_channel c = sn_channel_get(t->m->model, channel);
        char name[512];
        snprintf(name, sizeof name, "%s.%s", c.sensor, c.component);
        if (i) printf(", ");
        cli_json_text(stdout, name);
        printf(": ");
        cli_json_number(stdout, p->y[channel]);
    }
    printf("}");
}

static void point_json(const tracing *t, const point *p)
{
    printf("{\"parameter\": ");
    cli_json_number(stdout, p->parameter);
    printf(", \"arc\": ");
    cli_json_number(stdout, p->arc);
    printf(", \"branch\": %d, ", p->branch);
    if (p->negative < 0)
        printf("\"stable\": null, \"negative\": null, ");
    else
        printf("\"stable\": %s, \"negative\": %d, ", p->negative ? "false" : "true", p->negative);
    sensors_json(t, p);
    printf("}");
}

static void print_json(const tracing *t, const char *path, sn_status s)
{
    printf("{\"file\": ");
    cli_json_text(stdout, path);
    printf(", \"status\": \"%s\", \"parameter\": ", s ? "interrupted" : "complete");
    cli_json_text(stdout, t->o.parameter ? t->o.parameter : "factor");
    printf(", \"reached\": %s, \"branches\": %d, \"iterations\": %ld, \"factorisations\": %ld, \"points\": [",
           t->info.reached ? "true" : "false", t->info.branches, t->info.iterations, t->info.factorisations);
    for (int i = 0; i < t->n; i++) {
        if (i) printf(", ");
        point_json(t, &t->point[i]);
    }
    printf("], \"special\": [");
    for (int i = 0, k = 0; i < t->n; i++) {
        if (!t->point[i].kind) continue;
        printf("%s{\"kind\": \"%s\", \"point\": ", k++ ? ", " : "", kind_word(t->point[i].kind));
        point_json(t, &t->point[i]);
        printf(", \"parameter\": ");
        cli_json_number(stdout, t->point[i].parameter);
        printf(", ");
        sensors_json(t, &t->point[i]);
        printf("}");
    }
    printf("], ");
    cli_json_warnings(stdout, &t->watch);
    printf("}\n");
}

/* All points with the sensors asked for; without any the special points only. */
static void print_table(const tracing *t, const char *path)
{
    printf("%6s  %16s", "branch", t->o.parameter ? t->o.parameter : "factor");
    for (int i = 0; i < t->job->of.n; i++) cli_say(stdout, "  %16s", t->job->of.item[i]);
    printf("  unstable\n");
    for (int i = 0; i < t->n; i++) {
        const point *p = &t->point[i];
        int last = i + 1 == t->n || t->point[i + 1].branch != p->branch;
        if (!t->job->of.n && !p->kind && !last) continue;
        printf("%6d  %16s", p->branch, cli_figure(p->parameter));
        for (int k = 0; k < t->job->of.n; k++) printf("  %16s", cli_figure(p->y[t->channel[k]]));
        if (p->negative >= 0)
            printf("  %8d", p->negative);
        else
            printf("  %8s", "?");
        printf("%s%s\n", p->kind ? "  " : "",
               p->kind == SN_PATH_LIMIT         ? "limit point: snaps through"
               : p->kind == SN_PATH_BIFURCATION ? "bifurcation"
                                                : "");
    }
    cli_say(stdout, "%d points, %d limit points, %d bifurcations: %s\n", t->info.points, t->info.limits,
            t->info.bifurcations, path);
}

static int whole(const char *option, const char *text, int *out)
{
    char *end;
    long n = text ? strtol(text, &end, 10) : 0;
    if (!text) return 0;
    if (end == text || *end || n < 1 || n > 1000000) {
        cli_error("%s '%s': a whole number from 1 on", option, text);
        return CLI_USAGE;
    }
    *out = (int)n;
    return 0;
}

/* A value of the parameter, with its unit; the load factor has none. */
static int value(const tracing *t, const char *option, const char *text, double *out)
{
    sn_err err;
    double was;
    char *end;
    sn_err_clear(&err);
    if (!text) return 0;
    if (!t->o.parameter) {
        *out = strtod(text, &end);
        if (end != text && !*end && isfinite(*out)) return 0;
        cli_error("%s '%s': a number", option, text);
        return CLI_USAGE;
    }
    sn_status s = sn_values_get(t->m->values, t->o.parameter, &was, &err);
    if (!s) s = sn_values_set(t->m->values, t->o.parameter, text, &err);
    if (!s) s = sn_values_get(t->m->values, t->o.parameter, out, &err);
    if (!s) s = sn_values_set_number(t->m->values, t->o.parameter, was, &err);
    return s ? cli_report(&err, s) : 0;
}

static int path_options(tracing *t)
{
    const cli_job *job = t->job;
    sn_err err;
    sn_err_clear(&err);
    t->o = sn_path_options_default(t->m->model, t->m->values);
    t->o.parameter = job->parameter;
    t->o.branches = job->branches ? -1 : 0;
    int code = cli_run_options(job, t->m, &t->o.run);
    if (!code && job->parameter && (!job->from || !job->to)) {
        cli_error("--parameter %s needs --from and --to", job->parameter);
        code = CLI_USAGE;
    }
    if (!code && !job->parameter && (job->from || job->to)) {
        cli_error("--from and --to belong to a --parameter: the load factor goes from 0 to 1");
        code = CLI_USAGE;
    }
    if (!code) code = value(t, "--from", job->from, &t->o.from);
    if (!code) code = value(t, "--to", job->to, &t->o.to);
    if (!code) code = value(t, "--until", job->until, &t->o.until);
    if (!code) code = whole("--steps", job->steps, &t->o.steps);
    if (!code) code = whole("--branch", job->branch, &t->o.branches);
    if (!code && job->max_step) {
        char *end;
        t->o.max_step = strtod(job->max_step, &end);
        if (end == job->max_step || *end || !(t->o.max_step > 0)) {
            cli_error("--max-step '%s': a positive number", job->max_step);
            code = CLI_USAGE;
        }
    }
    t->channel = calloc((size_t)job->of.n + 1, sizeof *t->channel);
    if (!t->channel) return cli_report(NULL, SN_ERR_MEMORY);
    for (int i = 0; !code && i < job->of.n; i++)
        if (sn_channel_find(t->m->model, job->of.item[i], &t->channel[i], &err))
            code = cli_report(&err, SN_ERR_INPUT);
    return code;
}

static int solve(tracing *t, const char *path)
{
    sn_err err;
    int code = path_options(t);
    if (code) return code;
    sn_err_clear(&err);
    t->o.point = collect, t->o.ctx = t;
    t->o.run.progress = progress, t->o.run.message = message, t->o.run.ctx = t;
    cli_watch_begin(&t->watch, !t->job->quiet);
    sn_status s = sn_path_file(t->m->model, t->m->values, &t->o, path, &t->info, &err);
    cli_watch_end(&t->watch);
    if (s && s != SN_ERR_INTERRUPTED && !t->n) return cli_report(&err, s);
    if (t->job->json)
        print_json(t, path, s);
    else
        print_table(t, path);
    fflush(stdout);
    if (s == SN_ERR_INTERRUPTED) fprintf(stderr, "stopped on request: the points found so far are kept\n");
    if (s && s != SN_ERR_INTERRUPTED) cli_report(&err, s);
    return s ? cli_exit(s) : 0;
}

static int main_path(cli_job *job)
{
    cli_model m = {NULL, NULL};
    tracing t = {.job = job, .m = &m};
    char *path = cli_out_path(job, "-path.h5");
    if (!path) return CLI_USAGE;
    int code = cli_model_open(job, &m);
    if (!code) code = solve(&t, path);
    cli_watch_free(&t.watch);
    cli_model_close(&m);
    for (int i = 0; i < t.n; i++) free(t.point[i].y);
    free(t.point), free(t.channel), free(path);
    return code;
}

const cli_command cli_cmd_path = {
    .name = "path",
    .line = "equilibria over a load, through limit points and bifurcations",
    .operands = "MODEL",
    .text = "Follows the equilibrium by arc length while all loads grow in proportion, or a parameter moves. "
            "Limit "
            "points\n(snap-through) and bifurcations are located, the stability of each point is judged; the "
            "points go to a result\nfile whose frames they are.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_path,
};
