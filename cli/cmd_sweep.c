/* sinew sweep: eigenvalues over a parameter. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"parameter", 'p', "NAME", 0, offsetof(cli_job, parameter),
     "the number that is varied: any constant number of the model"},
    {"from", 0, "X", 0, offsetof(cli_job, from), "its first value: 0, '20 rad/s'"},
    {"to", 0, "X", 0, offsetof(cli_job, to), "its last value"},
    {"points", 0, "N", 0, offsetof(cli_job, points),
     "number of values (default 50); more are taken where branches come close to each other"},
    {"at", 0, "WHERE", 0, offsetof(cli_job, at),
     "linearise at: start (default; at rest or a steady motion), static (the equilibrium) or steady (a "
     "steady motion "
     "near the start)"},
    {"modes", 'n', "N", 0, offsetof(cli_job, count), "only the lowest N modes (default 20, 0: all)"},
    {"lines", 0, "LIST", 0, offsetof(cli_job, lines),
     "critical speeds: where a frequency is 1, 2 ... times the spin speed: 1,2"},
    {"spin", 0, "NAME", 0, offsetof(cli_job, spin), "the spin speed, if it is not the parameter"},
    CLI_OPTION_SET,
    {"out", 'o', "FILE", 0, offsetof(cli_job, out),
     "result file (default: the model's name with -sweep.h5, in the current folder); 'sinew view' draws it"},
    {"csv", 0, NULL, 0, offsetof(cli_job, csv), "print a table, one line for each branch and value"},
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object"},
    {.name = NULL},
};

static const char *const kinds[] = {"critical", "flutter", "divergence"};

enum { LINES = 16 };

typedef struct task {
    const cli_job *job;
    cli_model m;
    cli_watch watch;
    sn_sweep_options o;
    double line[LINES];
    sn_sweep *s;
    char *path;
} task;

/* A value of the parameter, as --set would take it. */
static int value(const task *t, const char *option, const char *text, double *x)
{
    sn_err err;
    sn_values *p = NULL;
    sn_err_clear(&err);
    if (!text) {
        cli_error("--%s is missing: the sweep goes --from X --to Y", option);
        return CLI_USAGE;
    }
    sn_status s = sn_values_copy(t->m.values, &p, &err);
    if (!s) s = sn_values_set(p, t->job->parameter, text, &err);
    if (!s) s = sn_values_get(p, t->job->parameter, x, &err);
    sn_values_free(p);
    return s ? cli_report(&err, s) : 0;
}

static int count(const char *option, const char *text, int least, int *n)
{
    char *end;
    if (!text) return 0;
    long x = strtol(text, &end, 10);
    if (*end || end == text || x < least || x > 1000000) {
        cli_error("--%s '%s': write a number from %d on", option, text, least);
        return CLI_USAGE;
    }
    *n = (int)x;
    return 0;
}

static int lines(task *t)
{
    const char *text = t->job->lines;
    char *end;
    t->o.line = t->line;
    while (text && *text) {
        double x = strtod(text, &end);
        if (end == text || (*end && *end != ',') || !(x > 0) || t->o.n_line == LINES) {
            cli_error("--lines '%s': write up to %d multiples of the spin, 1,2", t->job->lines, LINES);
            return CLI_USAGE;
        }
        t->line[t->o.n_line++] = x;
        text = *end ? end + 1 : end;
    }
    return 0;
}

static int prepare(task *t)
{
    const cli_job *job = t->job;
    if (!job->parameter) {
        cli_error("nothing to vary: name it with --parameter, for example --parameter speed");
        return CLI_USAGE;
    }
    t->o = sn_sweep_options_default(t->m.model, t->m.values);
    t->o.parameter = job->parameter, t->o.spin = job->spin, t->o.modes = 20;
    int code = cli_run_options(job, &t->m, &t->o.run);
    t->o.at_static = job->at && !strcmp(job->at, "static");
    t->o.at_steady = job->at && !strcmp(job->at, "steady");
    if (!code && job->at && strcmp(job->at, "start") != 0 && !t->o.at_static && !t->o.at_steady) {
        cli_error("--at '%s': start, static or steady", job->at);
        code = CLI_USAGE;
    }
    if (!code) code = value(t, "from", job->from, &t->o.from);
    if (!code) code = value(t, "to", job->to, &t->o.to);
    if (!code) code = count("points", job->points, 2, &t->o.points);
    if (!code) code = count("modes", job->count, 0, &t->o.modes);
    if (!code) code = lines(t);
    t->o.run.progress = cli_watch_progress, t->o.run.message = cli_watch_message, t->o.run.ctx = &t->watch;
    return code;
}

/* ---- output ---- */

static void json_numbers(const char *name, int n, const double *x, const double *y)
{
    printf("\"%s\": [", name);
    for (int i = 0; i < n; i++) {
        if (i) printf(", ");
        if (y) printf("[");
        cli_json_number(stdout, x[i]);
        if (y) printf(", "), cli_json_number(stdout, y[i]), printf("]");
    }
    printf("]");
}

static void print_json(const task *t)
{
    const sn_sweep *s = t->s;
    printf("{\"file\": ");
    cli_json_text(stdout, t->path);
    printf(", \"parameter\": ");
    cli_json_text(stdout, t->job->parameter);
    printf(", \"axes\": ");
    cli_json_text(stdout, s->axes);
    printf(", \"values\": %d, \"branches\": [", s->n_value);
    for (int k = 0; k < s->n_branch; k++) {
        const sn_sweep_branch *b = &s->branch[k];
        printf("%s{\"mode\": ", k ? ", " : "");
        cli_json_text(stdout, b->mode);
        printf(", "), json_numbers("parameter", b->n, b->parameter, NULL);
        printf(", "), json_numbers("eigenvalues", b->n, b->re, b->im);
        printf(", "), json_numbers("derivatives", b->n, b->dre, b->dim);
        printf("}");
    }
    printf("], \"points\": [");
    for (int k = 0; k < s->n_point; k++) {
        const sn_sweep_point *p = &s->point[k];
        printf("%s{\"kind\": \"%s\", \"parameter\": ", k ? ", " : "", kinds[p->kind]);
        cli_json_number(stdout, p->parameter);
        printf(", "), json_numbers("eigenvalue", 1, &p->re, &p->im);
        printf(", \"branch\": %d, ", p->branch);
        if (p->kind == SN_SWEEP_CRITICAL)
            printf("\"line\": "), cli_json_number(stdout, p->line), printf("}");
        else
            printf("\"unstable\": \"%s\"}", p->rises ? "above" : "below");
    }
    printf("], ");
    cli_json_warnings(stdout, &t->watch);
    printf("}\n");
}

static void print_csv(const task *t)
{
    printf("branch,parameter,re,im,dre,dim\n");
    for (int k = 0; k < t->s->n_branch; k++) {
        const sn_sweep_branch *b = &t->s->branch[k];
        for (int i = 0; i < b->n; i++) {
            printf("%d,%.15g,%.15g,%.15g,", k + 1, b->parameter[i], b->re[i], b->im[i]);
            if (isfinite(b->dre[i])) printf("%.15g,%.15g", b->dre[i], b->dim[i]);
            if (!isfinite(b->dre[i])) printf(",");
            printf("\n");
        }
    }
}

/* Branches at their ends, then the points. */
static void print_table(const task *t)
{
    const sn_sweep *s = t->s;
    cli_say(stdout, "%-6s  %13s %13s  %13s %13s  mode\n", "branch", t->job->parameter, "growth [1/s]",
            "omega [rad/s]", "damping");
    for (int k = 0; k < s->n_branch; k++) {
        const sn_sweep_branch *b = &s->branch[k];
        for (int side = 0; side < 2; side++) {
            int i = side ? b->n - 1 : 0;
            double size = hypot(b->re[i], b->im[i]);
            if (side && b->n == 1) continue;
            if (side)
                printf("%6s", "");
            else
                printf("%6d", k + 1);
            printf("  %13s %13s  %13s %13s", cli_figure(b->parameter[i]), cli_figure(b->re[i]),
                   cli_figure(b->im[i]), cli_figure(size > 0 ? -b->re[i] / size : 0));
            cli_say(stdout, "  %s\n", side ? "" : b->mode);
        }
    }
    if (s->n_point) printf("\n");
    for (int k = 0; k < s->n_point; k++) {
        const sn_sweep_point *p = &s->point[k];
        cli_say(stdout, "%-10s  %s = %s, ", kinds[p->kind], t->job->parameter, cli_figure(p->parameter));
        if (p->im > 0) printf("omega = %s rad/s, ", cli_figure(p->im));
        if (p->kind == SN_SWEEP_CRITICAL)
            printf("%gx, branch %d\n", p->line, p->branch + 1);
        else
            printf("unstable %s, branch %d\n", p->rises ? "above" : "below", p->branch + 1);
    }
    if (!s->n_point) printf("no critical, flutter or divergence points\n");
    cli_say(stdout, "branches: %s\n", t->path);
}

static int solve(task *t)
{
    sn_err err;
    sn_err_clear(&err);
    cli_watch_begin(&t->watch, !t->job->quiet);
    sn_status status = sn_sweep_run(t->m.model, t->m.values, &t->o, &t->s, &err);
    cli_watch_end(&t->watch);
    sn_err not_written;
    sn_err_clear(&not_written);
    sn_status written = SN_OK;
    if (t->s && t->s->n_branch)
        written = sn_sweep_file(t->m.model, &t->o, t->s, !status, t->path, &not_written);
    if (t->s && t->s->n_branch) {
        if (t->job->json)
            print_json(t);
        else if (t->job->csv)
            print_csv(t);
        else
            print_table(t);
    }
    if (status) return cli_report(&err, status);
    return written ? cli_report(&not_written, written) : 0;
}

static int main_sweep(cli_job *job)
{
    task t = {.job = job, .path = cli_out_path(job, "-sweep.h5")};
    if (!t.path) return CLI_USAGE;
    int code = cli_model_open(job, &t.m);
    if (!code) code = prepare(&t);
    if (!code) code = solve(&t);
    sn_sweep_free(t.s);
    cli_watch_free(&t.watch);
    cli_model_close(&t.m);
    free(t.path);
    return code;
}

const cli_command cli_cmd_sweep = {
    .name = "sweep",
    .line = "eigenvalues over a parameter: critical speeds, flutter, divergence",
    .operands = "MODEL",
    .text = "Follows the eigenvalues of small motions over values of a parameter by their exact derivatives, "
            "and locates\n"
            "where a frequency meets a multiple of the spin, where an oscillation begins to grow (flutter), "
            "and where\n"
            "an eigenvalue passes zero (divergence).",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_sweep,
};
