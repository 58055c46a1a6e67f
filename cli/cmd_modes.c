/* sinew modes: natural frequencies and mode shapes of the model, linearised at a state. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double two_pi = 6.283185307179586476925;

static const cli_option options[] = {
    {"number", 'n', "N", 0, offsetof(cli_job, count), "how many, from the lowest (0: all)"},
    {"at", 0, "WHERE", 0, offsetof(cli_job, at),
     "linearise at: start (default; no prestress), static (the equilibrium), steady (a steady motion near "
     "the start), periodic (a periodic motion near the start), or a time of the run"},
    {"period", 0, "TIME", 0, offsetof(cli_job, period),
     "period for --at periodic, which prints Floquet multipliers instead of modes; the step is the run's, "
     "shortened to divide the period"},
    {"undamped", 0, NULL, 0, offsetof(cli_job, undamped), "natural frequencies of the undamped model"},
    CLI_OPTION_SET,
    {"out", 'o', "FILE", 0, offsetof(cli_job, out),
     "result file (default: the model's name with -modes.h5, in the current folder)"},
    {"method", 0, "NAME", 0, offsetof(cli_job, method),
     "auto, dense (all modes by LAPACK) or arpack (the lowest ones)"},
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object"},
    CLI_OPTION_THREADS,
    {.name = NULL},
};

typedef struct modes {
    sn_mode *mode;
    double *root; /* pairs */
    int n, n_root, all;
    char how[512];
    int room;
} modes;

static sn_status collect(void *ctx, int i, const sn_mode *mode, const sn_frame *state, sn_err *err)
{
    modes *m = ctx;
    (void)i, (void)state;
    if (m->n == m->room) {
        int room = 2 * m->room + 16;
        sn_mode *more = realloc(m->mode, (size_t)room * sizeof *more);
        if (!more) return sn_fail(err, SN_ERR_MEMORY, NULL, "out of memory");
        m->mode = more, m->room = room;
    }
    m->mode[m->n] = *mode;
    m->mode[m->n].shape = m->mode[m->n].imaginary = NULL;
    m->n++;
    return SN_OK;
}

static sn_status collect_roots(void *ctx, const sn_root_list *roots, sn_err *err)
{
    modes *m = ctx;
    size_t n = 2 * (size_t)roots->n;
    m->root = malloc(sizeof(double) * (n + 1));
    if (!m->root) return sn_fail(err, SN_ERR_MEMORY, NULL, "out of memory");
    memcpy(m->root, roots->s, sizeof(double) * n);
    m->n_root = roots->n, m->all = roots->all;
    snprintf(m->how, sizeof m->how, "%s", roots->how);
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
    if (cli_threads(job, &o->run.threads)) return CLI_USAGE;
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

/* Growth is what is more than rounding leaves: of stiff models a root is known to 1e-8 or so. */
static int root_grows(const double *s) { return s[0] > 1e-7 * (fabs(s[0]) + fabs(s[1])); }

static int stable(const modes *r)
{
    for (int i = 0; i < r->n_root; i++)
        if (root_grows(r->root + 2 * i)) return 0;
    return 1;
}

static int grows(const sn_mode *m) { return root_grows((const double[2]){m->growth, m->omega}); }

static double damping(const sn_mode *m)
{
    double size = hypot(m->growth, m->omega);
    return size > 0 ? -m->growth / size : 0;
}

static const char *whirl(const sn_mode *m)
{
    if (!isfinite(m->whirl)) return NULL;
    return m->whirl > 0.01 ? "forward" : m->whirl < -0.01 ? "backward" : "plane";
}

static void json_number(const char *name, double x)
{
    printf("\"%s\": ", name);
    cli_json_number(stdout, x);
    printf(", ");
}

static void print_json(const modes *r, const char *path, const cli_watch *w)
{
    printf("{\"file\": ");
    cli_json_text(stdout, path);
    printf(", \"how\": ");
    cli_json_text(stdout, r->how);
    printf(", \"eigenvalues\": [");
    for (int i = 0; i < r->n_root; i++) {
        printf("%s[", i ? ", " : "");
        cli_json_number(stdout, r->root[2 * i]), printf(", ");
        cli_json_number(stdout, r->root[2 * i + 1]), printf("]");
    }
    printf("], \"all\": %s, \"stable\": %s, \"modes\": [", r->all ? "true" : "false",
           stable(r) ? "true" : "false");
    for (int i = 0; i < r->n; i++) {
        const sn_mode *m = &r->mode[i];
        printf("%s{", i ? ", " : "");
        json_number("frequency", m->omega / two_pi), json_number("omega", m->omega);
        json_number("growth", m->growth), json_number("damping", damping(m));
        json_number("error", m->error / two_pi);
        if (whirl(m)) printf("\"whirl\": \"%s\", ", whirl(m));
        printf("\"neutral\": %s, \"stable\": %s}", m->neutral ? "true" : "false",
               grows(m) ? "false" : "true");
    }
    printf("], ");
    cli_json_warnings(stdout, w);
    printf("}\n");
}

/* A frequency, and what is known of it where that is less than six digits. */
static void print_undamped(const modes *r)
{
    printf("%6s  %16s  %16s\n", "mode", "frequency [Hz]", "omega [rad/s]");
    for (int i = 0; i < r->n; i++) {
        const sn_mode *m = &r->mode[i];
        double w = m->growth + m->omega;
        printf("%6d  %16s  %16s", i + 1, cli_figure(w / two_pi), cli_figure(w));
        if (w != 0 && m->error > 1e-6 * w) printf("  +- %.1e Hz by rounding", m->error / two_pi);
        printf("%s\n", m->neutral      ? "  rigid-body motion"
                       : m->growth > 0 ? "  unstable: grows at this rate"
                                       : "");
    }
}

static void print_complex(const modes *r)
{
    printf("%6s  %16s  %14s  %16s  %16s\n", "mode", "frequency [Hz]", "damping ratio", "growth [1/s]",
           "omega [rad/s]");
    for (int i = 0; i < r->n; i++) {
        const sn_mode *m = &r->mode[i];
        printf("%6d  %16s  %14s  %16s  %16s%s", i + 1, cli_figure(m->omega / two_pi), cli_figure(damping(m)),
               cli_figure(m->growth), cli_figure(m->omega),
               m->neutral ? "  nothing holds it"
               : grows(m) ? "  unstable"
                          : "");
        if (whirl(m) && strcmp(whirl(m), "plane") != 0) printf("  %s whirl", whirl(m));
        printf("\n");
    }
}

/* Undamped ones have bounds of their errors. */
static void print_table(const modes *r, const char *path)
{
    int undamped = 1, unstable = 0;
    for (int i = 0; i < r->n; i++) undamped &= isfinite(r->mode[i].error) != 0;
    cli_say(stdout, "%s\n", r->how);
    if (undamped)
        print_undamped(r);
    else
        print_complex(r);
    for (int i = 0; i < r->n_root; i++) unstable += root_grows(r->root + 2 * i);
    if (!undamped)
        printf("%s\n", unstable ? "unstable: small motions grow" : r->all ? "stable" : "none of these grows");
    cli_say(stdout, "mode shapes: %s\n", path);
}

static int solve(const cli_job *job, const cli_model *m, const char *path, modes *r, cli_watch *watch)
{
    sn_err err;
    sn_mode_options o;
    int found = 0, code = mode_options(job, m, &o);
    if (code) return code;
    sn_err_clear(&err);
    o.mode = collect, o.roots = collect_roots, o.undamped = job->undamped;
    o.ctx = r;
    o.run.message = cli_watch_message;
    o.run.ctx = watch;
    sn_status s = sn_modes_file(m->model, m->values, &o, path, &found, &err);
    if (s) return cli_report(&err, s);
    if (job->json)
        print_json(r, path, watch);
    else if (!job->quiet)
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
    if (!code && job->at && !strcmp(job->at, "periodic"))
        code = cli_floquet(job, &m, &watch);
    else if (!code)
        code = solve(job, &m, path, &r, &watch);
    cli_watch_free(&watch);
    cli_model_close(&m);
    free(r.mode), free(r.root);
    free(path);
    return code;
}

const cli_command cli_cmd_modes = {
    .name = "modes",
    .line = "eigenvalues, natural frequencies and modes about a state or a motion",
    .operands = "MODEL",
    .text = "Linearises the model about a state, at rest or moving, and prints frequency, damping ratio and "
            "growth of its\n"
            "modes; the shapes go to a result file. Undamped vibrations about a state at rest have real "
            "shapes and a bound\n"
            "of their errors; what cannot be told from a motion without resistance is 0.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_modes,
};
