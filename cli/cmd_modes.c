/* sinew modes: natural frequencies and mode shapes of the model, linearised at a state. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const double two_pi = 6.283185307179586476925;

static const cli_option options[] = {
    {"number", 'n', "N", 0, offsetof(cli_job, count), "how many, from the lowest (0: all)"},
    {"at", 0, "WHERE", 0, offsetof(cli_job, at),
     "linearise at: start (default: nothing is prestressed), static (the equilibrium), steady "
     "(a steady motion near the start), or a time of the run"},
    CLI_OPTION_SET,
    {"out", 'o', "FILE", 0, offsetof(cli_job, out),
     "result file (default: the model's name with -modes.h5, in the current folder)"},
    {"method", 0, "NAME", 0, offsetof(cli_job, method),
     "auto, dense (all modes by LAPACK) or arpack (the lowest ones)"},
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object"},
    {.name = NULL},
};

typedef struct modes {
    double *omega, *error; /* as many as the model has coordinates */
    int n;
} modes;

static sn_status collect(void *ctx, int i, double omega, const double *shape, const sn_frame *state,
                         sn_err *err)
{
    modes *m = ctx;
    (void)i, (void)shape, (void)state, (void)err;
    m->omega[m->n++] = omega;
    return SN_OK;
}

static int mode_options(const cli_job *job, const cli_model *m, sn_mode_options *o)
{
    static const char *const methods[] = {"auto", "dense", "arpack"};
    *o = sn_mode_options_default(m->model, m->values);
    if (job->count) {
        char *end;
        long n = strtol(job->count, &end, 10);
        if (end == job->count || *end || n < 0 || n > 1000000) {
            cli_error("-n '%s': how many modes, a whole number (0: all)", job->count);
            return CLI_USAGE;
        }
        o->n = (int)n;
    }
    if (job->method) {
        int known = 0;
        for (int i = 0; i < 3; i++) known |= !strcmp(job->method, methods[i]);
        if (!known) {
            cli_error("--method '%s': one of auto, dense, arpack", job->method);
            return CLI_USAGE;
        }
        o->method = job->method;
    }
    return cli_at(job, m, &o->at_static, &o->at_steady, &o->at_time);
}

static void print_json(const modes *r, const char *path, const cli_watch *w)
{
    printf("{\"file\": ");
    cli_json_text(stdout, path);
    printf(", \"modes\": [");
    for (int i = 0; i < r->n; i++) {
        printf("%s{\"frequency\": ", i ? ", " : "");
        cli_json_number(stdout, r->omega[i] / two_pi);
        printf(", \"omega\": ");
        cli_json_number(stdout, r->omega[i]);
        printf(", \"error\": ");
        cli_json_number(stdout, r->error[i] / two_pi);
        printf(", \"stable\": %s}", r->omega[i] < 0 ? "false" : "true");
    }
    printf("], ");
    cli_json_warnings(stdout, w);
    printf("}\n");
}

/* Nine digits of a frequency, and what is known of it where that is less than six of them. */
static void print_table(const modes *r, const char *path)
{
    printf("%6s  %16s  %16s\n", "mode", "frequency [Hz]", "omega [rad/s]");
    for (int i = 0; i < r->n; i++) {
        double w = r->omega[i] < 0 ? -r->omega[i] : r->omega[i], e = r->error[i];
        printf("%6d  %16.9g  %16.9g", i + 1, w / two_pi, w);
        if (w != 0 && e > 1e-6 * w) printf("  +- %.1e Hz by rounding", e / two_pi);
        printf("%s\n", r->omega[i] < 0 ? "  unstable: grows at this rate" : "");
    }
    cli_say(stdout, "mode shapes: %s\n", path);
}

static int solve(const cli_job *job, const cli_model *m, const char *path, modes *r, cli_watch *watch)
{
    sn_err err;
    sn_mode_options o;
    sn_sizes sizes;
    int found = 0, code = mode_options(job, m, &o);
    if (code) return code;
    sn_err_clear(&err);
    sn_model_sizes(m->model, &sizes);
    r->omega = calloc((size_t)sizes.nv + 1, sizeof(double));
    r->error = calloc((size_t)sizes.nv + 1, sizeof(double));
    if (!r->omega || !r->error) return cli_report(NULL, SN_ERR_MEMORY);
    o.mode = collect;
    o.ctx = r;
    o.error = r->error;
    o.run.message = cli_watch_message;
    o.run.ctx = watch;
    sn_status s = sn_modes_file(m->model, m->values, &o, path, &found, &err);
    if (s) return cli_report(&err, s);
    if (job->json)
        print_json(r, path, watch);
    else
        print_table(r, path);
    return 0;
}

static int main_modes(cli_job *job)
{
    cli_model m = {NULL, NULL};
    cli_watch watch = {0};
    modes r = {.n = 0};
    char *path = cli_out_path(job, "-modes.h5");
    if (!path) return CLI_USAGE;
    int code = cli_model_open(job, &m);
    if (!code) code = solve(job, &m, path, &r, &watch);
    cli_watch_free(&watch);
    cli_model_close(&m);
    free(r.omega), free(r.error);
    free(path);
    return code;
}

const cli_command cli_cmd_modes = {
    .name = "modes",
    .line = "natural frequencies and mode shapes",
    .operands = "MODEL",
    .text = "Linearises the model (undamped) at a state at rest and prints its natural frequencies; the "
            "shapes go to a\n"
            "result file. A frequency is 0 where it cannot be told from a motion without resistance.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_modes,
};
