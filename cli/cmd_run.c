/* sinew run: a time run, its result file, and single numbers of it. */
#include "cli.h"

#include <stdlib.h>

static const cli_option options[] = {
    {"out", 'o', "FILE", 0, offsetof(cli_job, out),
     "result file (default: the model's name with .h5, in the current folder)"},
    CLI_OPTION_SET,
    {"end", 0, "TIME", 0, offsetof(cli_job, end), "end of the run: 3, '3 s'"},
    {"output", 0, "TIME", 0, offsetof(cli_job, output), "time between outputs"},
    CLI_OPTIONS_STEPS,
    {"print", 0, "WHAT", 1, offsetof(cli_job, print),
     "print tip.x (at the end) or tip.x@0.69, one per line; no file without -o"},
    {"sensitivities", 0, NULL, 0, offsetof(cli_job, sensitivities),
     "also store the derivatives of all sensors with respect to --wrt"},
    {"wrt", 0, "NAMES", 1, offsetof(cli_job, wrt),
     "numbers to differentiate with respect to: k1,k2 (default: all parameters)"},
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object about the run"},
    {"timing", 0, NULL, 0, offsetof(cli_job, timing), "where the time went"},
    CLI_OPTION_THREADS,
    {.name = NULL},
};

typedef struct run {
    const cli_job *job;
    sn_run_options options;
    sn_info info;
    sn_err err;
    sn_status status;
    cli_watch watch;
    const char *path; /* or NULL */
    sn_point *points;
    char **names; /* to differentiate by */
    int n_names;
} run;

static const char *status_word(sn_status s)
{
    return !s ? "complete" : s == SN_ERR_INTERRUPTED ? "interrupted" : "failed";
}

/* Letters of the components in `which`; in the plane the only angular one is z. */
static const char *axes(unsigned which, int plane, char *text)
{
    char *to = text;
    for (int i = 0; i < 3; i++)
        if ((which >> i) & 1) *to++ = plane ? 'z' : (char)('x' + i);
    *to = 0;
    return text;
}

static void json_momentum(const char *name, const char *which, double drift, double most)
{
    printf(", \"%s\": {\"constant\": \"%s\", \"drift\": ", name, which);
    cli_json_number(stdout, drift);
    printf(", \"largest\": ");
    cli_json_number(stdout, most);
    printf("}");
}

static void json_conserved(const run *r)
{
    const sn_conserved *c = &r->info.conserved;
    char text[4];
    if (!c->states) return;
    printf("\"conserved\": {\"states\": %d, \"energy\": {\"constant\": %s, \"start\": ", c->states,
           c->energy ? "true" : "false");
    cli_json_number(stdout, c->energy_start);
    printf(", \"end\": ");
    cli_json_number(stdout, c->energy_end);
    printf(", \"drift\": ");
    cli_json_number(stdout, c->energy_drift);
    printf(", \"kinetic\": ");
    cli_json_number(stdout, c->kinetic);
    printf(", \"feeder\": ");
    cli_json_text(stdout, c->feeder);
    printf("}");
    json_momentum("linear", axes(c->linear, 0, text), c->linear_drift, c->linear_most);
    json_momentum("angular", axes(c->angular, c->dim == 2, text), c->angular_drift, c->angular_most);
    printf("}, ");
}

static void print_conserved(const run *r)
{
    const sn_conserved *c = &r->info.conserved;
    char text[4];
    if (!c->states) return;
    if (c->energy)
        printf("energy should be constant: off by at most %.2g J (largest kinetic energy %.4g J)\n",
               c->energy_drift, c->kinetic);
    else
        printf("energy %.4g J at the start, %.4g J at the end: not constant by '%s'\n", c->energy_start,
               c->energy_end, c->feeder);
    if (c->linear && c->linear_most > 0)
        printf("linear momentum %s should be constant: off by at most %.2g kg m/s (largest %.4g)\n",
               axes(c->linear, 0, text), c->linear_drift, c->linear_most);
    if (c->angular && c->angular_most > 0)
        printf("angular momentum %s should be constant: off by at most %.2g kg m^2/s (largest %.4g)\n",
               axes(c->angular, c->dim == 2, text), c->angular_drift, c->angular_most);
}

static void print_json(const run *r)
{
    const sn_info *i = &r->info;
    printf("{\"file\": ");
    if (r->path)
        cli_json_text(stdout, r->path);
    else
        printf("null");
    printf(", \"status\": \"%s\", \"t\": ", status_word(r->status));
    cli_json_number(stdout, i->t);
    printf(", \"steps\": %ld, \"iterations\": %ld, \"evaluations\": %ld, \"factorisations\": %ld, "
           "\"reductions\": %ld, \"rejections\": %ld, "
           "\"frames\": %ld, \"redundant\": %d, \"solver\": ",
           i->steps, i->iterations, i->evaluations, i->factorisations, i->reductions, i->rejections,
           i->frames, i->redundant);
    cli_json_text(stdout, i->solver);
    if (r->options.constraints) printf(", \"violation\": %.6g", i->violation);
    printf(", \"factor_nonzeros\": %.0f, \"factor_bytes\": %.0f", i->factor_nonzeros, i->factor_bytes);
    printf(", \"shortest\": %.6g, \"longest\": %.6g", i->shortest, i->longest);
    printf(", \"wall\": %.6g, \"cpu\": %.6g, ", i->wall, i->cpu);
    if (r->job->timing)
        printf("\"timing\": {\"residual\": %.6g, \"tangent\": %.6g, \"factor\": %.6g, \"solve\": %.6g, "
               "\"output\": %.6g}, ",
               i->t_residual, i->t_tangent, i->t_factor, i->t_solve, i->t_output);
    json_conserved(r);
    cli_json_points(stdout, r->job, r->points);
    printf(", ");
    cli_json_warnings(stdout, &r->watch);
    if (r->err.count) printf(", \"error\": "), cli_json_text(stdout, r->err.report[0].text);
    printf("}\n");
}

static void print_summary(const run *r)
{
    const sn_info *i = &r->info;
    if (r->path)
        cli_say(stdout, "%s: %ld frame%s, t = 0 to %.6g s\n", r->path, i->frames, i->frames == 1 ? "" : "s",
                i->t);
    printf("%ld steps, %ld iterations, %ld factorisations, %ld step reductions, %.3g s\n", i->steps,
           i->iterations, i->factorisations, i->reductions, i->wall);
    if (r->options.error > 0)
        printf("steps of %.3g to %.3g s by their error, %ld rejected\n", i->shortest, i->longest,
               i->rejections);
    if (r->options.constraints) printf("equations met within %.3g m\n", i->violation);
    print_conserved(r);
}

static void print_timing(const run *r, FILE *to)
{
    const sn_info *i = &r->info;
    fprintf(to, "residual %.3g s, tangent %.3g s, factor %.3g s, solve %.3g s, output %.3g s", i->t_residual,
            i->t_tangent, i->t_factor, i->t_solve, i->t_output);
    fprintf(to, " (solver %s, factors of %.3g numbers in %.3g MB)\n", i->solver ? i->solver : "-",
            i->factor_nonzeros, i->factor_bytes / 1e6);
}

/* Numbers first: they are what standard output is for; then what happened. */
static int tell(const run *r)
{
    const cli_job *job = r->job;
    if (job->json)
        print_json(r);
    else if (job->print.n)
        cli_print_points(job, r->points);
    else if (!r->status && !job->quiet)
        print_summary(r);
    if (job->timing && !job->json) print_timing(r, job->print.n ? stderr : stdout);
    if (!r->status) return 0;
    fflush(stdout);
    if (r->status != SN_ERR_INTERRUPTED) cli_report(&r->err, r->status);
    if (r->status == SN_ERR_INTERRUPTED) fprintf(stderr, "stopped on request at t = %.6g s\n", r->info.t);
    if (r->path && r->info.frames > 0)
        cli_say(stderr, "%s keeps what was computed: %ld frame%s\n", r->path, r->info.frames,
                r->info.frames == 1 ? "" : "s");
    return cli_exit(r->status);
}

static int run_model(const cli_job *job, const cli_model *m, run *r)
{
    int code = cli_run_options(job, m, &r->options);
    if (!code) code = cli_points(job, m, r->options.end, &r->points);
    if (!code && job->wrt.n && !job->sensitivities) {
        cli_error("--wrt needs --sensitivities");
        code = CLI_USAGE;
    }
    if (!code && job->sensitivities && !r->path) {
        cli_error("--sensitivities go into the result file: name it with -o");
        code = CLI_USAGE;
    }
    if (!code && job->sensitivities) code = cli_names(job, m->model, &r->names, &r->n_names);
    if (code) return code;
    r->options.wrt = (const char *const *)r->names;
    r->options.n_wrt = r->n_names;
    r->options.point = r->points;
    r->options.n_point = job->print.n;
    r->options.progress = cli_watch_progress;
    r->options.message = cli_watch_message;
    r->options.ctx = &r->watch;
    r->options.conserved = job->json || (!job->print.n && !job->quiet);
    cli_watch_begin(&r->watch, !job->quiet);
    if (r->path)
        r->status = sn_run_file(m->model, m->values, &r->options, r->path, &r->info, &r->err);
    else
        r->status = sn_run(m->model, m->values, &r->options, &r->info, &r->err);
    cli_watch_end(&r->watch);
    /* nothing was computed: the input was at fault */
    if (r->status == SN_ERR_INPUT || r->status == SN_ERR_FILE) return cli_report(&r->err, r->status);
    return tell(r);
}

static int main_run(cli_job *job)
{
    cli_model m = {NULL, NULL};
    run r = {.job = job};
    char *path = NULL;
    sn_err_clear(&r.err);
    if (!job->print.n || job->out) {
        path = cli_out_path(job, ".h5");
        if (!path) return CLI_USAGE;
    }
    r.path = path;
    int code = cli_model_open(job, &m);
    if (!code) code = run_model(job, &m, &r);
    cli_watch_free(&r.watch);
    cli_model_close(&m);
    cli_names_free(r.names, r.n_names);
    free(r.points);
    free(path);
    return code;
}

const cli_command cli_cmd_run = {
    .name = "run",
    .line = "motion in time, from the start to the end of the run",
    .operands = "MODEL",
    .text = "Computes the motion and writes a result file. Ctrl-C stops the run and keeps what there is.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_run,
};
