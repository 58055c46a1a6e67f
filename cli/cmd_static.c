/* sinew static: the equilibrium at t = 0. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"out", 'o', "FILE", 0, offsetof(cli_job, out), "write a result file too"},
    CLI_OPTION_SET,
    {"print", 0, "WHAT", 1, offsetof(cli_job, print), "print only tip.x, one number per line (repeatable)"},
    {"tolerance", 0, "X", 0, offsetof(cli_job, tolerance), "tolerance of Newton's iteration"},
    {"solver", 0, "NAME", 0, offsetof(cli_job, solver), "linear solver: 'sinew list solvers'"},
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object"},
    CLI_OPTION_THREADS,
    {.name = NULL},
};

static const char *channel_name(const sn_model *model, int i, char *out, size_t size)
{
    sn_channel c = sn_channel_get(model, i);
    snprintf(out, size, "%s.%s", c.sensor, c.component);
    return out;
}

static void print_table(const sn_model *model, const double *y)
{
    int width = 0, n = sn_channel_count(model);
    char name[512];
    if (!n) printf("the model is in equilibrium; it has no sensors to show\n");
    for (int i = 0; i < n; i++) {
        int k = (int)strlen(channel_name(model, i, name, sizeof name));
        if (k > width) width = k;
    }
    for (int i = 0; i < n; i++)
        cli_say(stdout, "%-*s  %14s  %s\n", width, channel_name(model, i, name, sizeof name),
                cli_figure(y[i]), sn_channel_get(model, i).unit);
}

static void print_json(const cli_job *job, const sn_model *model, const sn_info *info, const double *y,
                       const sn_point *p, const cli_watch *w)
{
    char name[512];
    printf("{\"file\": ");
    if (job->out)
        cli_json_text(stdout, job->out);
    else
        printf("null");
    printf(", \"status\": \"complete\", \"iterations\": %ld, \"redundant\": %d, ", info->iterations,
           info->redundant);
    printf("\"stable\": %s, \"negative\": ", info->unstable < 0   ? "null"
                                             : info->unstable > 0 ? "false"
                                                                  : "true");
    if (info->unstable < 0)
        printf("null, ");
    else
        printf("%d, ", info->unstable);
    cli_json_list(stdout, "neutral", info->neutral);
    printf(", ");
    if (job->print.n) {
        cli_json_points(stdout, job, p);
    } else {
        printf("\"prints\": {");
        for (int i = 0; i < sn_channel_count(model); i++) {
            if (i) printf(", ");
            cli_json_text(stdout, channel_name(model, i, name, sizeof name));
            printf(": ");
            cli_json_number(stdout, y[i]);
        }
        printf("}");
    }
    printf(", ");
    cli_json_warnings(stdout, w);
    printf("}\n");
}

static int solve(const cli_job *job, const cli_model *m, sn_point *points, double *y, cli_watch *watch)
{
    sn_err err;
    sn_info info = {0};
    sn_run_options o;
    int code = cli_run_options(job, m, &o);
    if (code) return code;
    sn_err_clear(&err);
    o.message = cli_watch_message;
    o.ctx = watch;
    sn_status s = job->out ? sn_static_file(m->model, m->values, &o, job->out, y, &info, &err)
                           : sn_static(m->model, m->values, &o, y, &info, &err);
    if (s) return cli_report(&err, s);
    for (int i = 0; i < job->print.n; i++) points[i].value = y[points[i].channel];
    if (job->json)
        print_json(job, m->model, &info, y, points, watch);
    else if (job->print.n)
        cli_print_points(job, points);
    else if (!job->quiet)
        print_table(m->model, y);
    return 0;
}

static int main_static(cli_job *job)
{
    cli_model m = {NULL, NULL};
    cli_watch watch = {0};
    sn_point *points = NULL;
    double *y = NULL;
    char *path = job->out ? cli_out_path(job, "") : NULL;
    if (job->out && !path) return CLI_USAGE;
    int code = cli_model_open(job, &m);
    if (!code) code = cli_points(job, &m, -1, &points);
    if (!code) {
        y = calloc((size_t)sn_channel_count(m.model) + 1, sizeof *y);
        code = y ? solve(job, &m, points, y, &watch) : cli_report(NULL, SN_ERR_MEMORY);
    }
    cli_watch_free(&watch);
    cli_model_close(&m);
    free(points);
    free(y);
    free(path);
    return code;
}

const cli_command cli_cmd_static = {
    .name = "static",
    .line = "equilibrium at t = 0",
    .operands = "MODEL",
    .text = "Computes the equilibrium under the loads at t = 0 and prints all sensors, or those asked for.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_static,
};
