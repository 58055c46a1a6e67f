/* sinew gradient: exact derivatives of numbers of a run, an equilibrium or of natural frequencies. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"of", 0, "WHAT", 1, offsetof(cli_job, of),
     "tip.x@2.0, 'rms(tip.x - 0.1)', 'integral(e.kinetic)', 'frequency(1)' ... (again for more)"},
    {"wrt", 0, "NAMES", 1, offsetof(cli_job, wrt),
     "parameters, k1,k2: any number of the model (default: all parameters)"},
    {"method", 0, "NAME", 0, offsetof(cli_job, method),
     "forward, adjoint, differences, adjoint_continuous (default: forward for few parameters, else adjoint)"},
    {"check", 0, NULL, 0, offsetof(cli_job, check), "compare forward, adjoint and extrapolated differences"},
    {"static", 0, NULL, 0, offsetof(cli_job, statics), "of the equilibrium instead of a run"},
    {"data", 0, "FILE", 0, offsetof(cli_job, data),
     "CSV file with columns t, tip.x ... for misfit() and misfit(tip.x)"},
    CLI_OPTION_SET,
    {"end", 0, "TIME", 0, offsetof(cli_job, end), "end of the run"},
    CLI_OPTIONS_STEPS,
    {"memory", 0, "SIZE", 0, offsetof(cli_job, memory),
     "for the run that the adjoint goes back through: 500M, 2G (default 1G)"},
    {"threads", 0, "N", 0, offsetof(cli_job, threads), "for the forward method (default: as many as pay)"},
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object"},
    {"quiet", 'q', NULL, 0, offsetof(cli_job, quiet), "no progress"},
    {.name = NULL},
};

static const char *const methods[] = {"auto", "forward", "adjoint", "differences", "adjoint_continuous"};

typedef struct task {
    const cli_job *job;
    cli_model m;
    sn_gradient_options o;
    sn_data *data;
    cli_watch watch;
    char **names; /* parameters */
    int n, frequencies;
    double *value, *gradient, *error;
    unsigned char *used;
    sn_gradient_info info;
} task;

static int out_of_memory(void) { return cli_report(NULL, SN_ERR_MEMORY); }

static int read_size(const char *text, double *bytes)
{
    char *end;
    double x = strtod(text, &end);
    const char *units = "kMGT", *unit = *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
    if (unit)
        for (end++; unit >= units; unit--) x *= 1024;
    if (*end == 'B') end++;
    if (!(x > 0) || *end) {
        cli_error("--memory '%s': write 500M or 2G", text);
        return CLI_USAGE;
    }
    *bytes = x;
    return 0;
}

static int read_method(const char *text, sn_gradient_method *method)
{
    char hint[128];
    cli_near n = {text, NULL, 0};
    for (int i = 0; i < 5; i++) {
        if (!strcmp(text, methods[i])) {
            *method = (sn_gradient_method)i;
            return 0;
        }
        cli_near_try(&n, methods[i]);
    }
    cli_error("unknown method '%s'%s: forward, adjoint, differences, adjoint_continuous", text,
              cli_near_text(&n, "", hint, sizeof hint));
    return CLI_USAGE;
}

/* All of --of frequency(N), or none; the largest N. */
static int find_frequencies(task *t)
{
    int most = 0, n = 0;
    for (int i = 0; i < t->job->of.n; i++) {
        const char *of = t->job->of.item[i];
        int k, begin = 0, end = 0;
        sscanf(of, " frequency (%n", &begin);
        if (!begin) continue;
        if (sscanf(of + begin, "%d ) %n", &k, &end) != 1 || !end || of[begin + end] || k < 1) {
            cli_error("'%s': frequencies are asked for one by one and counted from 1, frequency(1)", of);
            return CLI_USAGE;
        }
        n++, most = k > most ? k : most;
    }
    if (n && n < t->job->of.n) {
        cli_error("frequencies and numbers of a run cannot be asked for together");
        return CLI_USAGE;
    }
    t->frequencies = most;
    return 0;
}

static int prepare(task *t)
{
    const cli_job *job = t->job;
    sn_err err;
    sn_err_clear(&err);
    t->o = sn_gradient_options_default(t->m.model, t->m.values);
    int code = cli_run_options(job, &t->m, &t->o.run);
    if (!job->of.n) {
        cli_error("nothing to differentiate: name it with --of, for example --of 'tip.x@2.0'");
        return CLI_USAGE;
    }
    if (!code) code = cli_names(job, t->m.model, &t->names, &t->n);
    if (!code) code = find_frequencies(t);
    if (!code && job->memory) code = read_size(job->memory, &t->o.memory);
    if (!code && job->method) code = read_method(job->method, &t->o.method);
    if (!code && job->threads) {
        t->o.threads = atoi(job->threads);
        if (t->o.threads < 1) {
            cli_error("--threads '%s': write a number from 1", job->threads);
            code = CLI_USAGE;
        }
    }
    if (!code && job->data) {
        sn_status s = sn_data_read(t->m.model, job->data, &t->data, &err);
        if (s) code = cli_report(&err, s);
    }
    if (code) return code;
    t->o.of = job->of.item, t->o.n_of = job->of.n;
    t->o.wrt = (const char *const *)t->names, t->o.n_wrt = t->n;
    t->o.data = t->data;
    t->o.statics = job->statics;
    t->o.run.progress = cli_watch_progress, t->o.run.message = cli_watch_message, t->o.run.ctx = &t->watch;
    size_t n = (size_t)t->n * (size_t)(job->of.n + t->frequencies), v = (size_t)(job->of.n + t->frequencies);
    t->value = calloc(v, sizeof(double)), t->gradient = calloc(n, sizeof(double));
    t->error = calloc(n, sizeof(double)), t->used = calloc((size_t)t->n, 1);
    return t->value && t->gradient && t->error && t->used ? 0 : out_of_memory();
}

static int compute(task *t, sn_gradient_method method, double *value, double *gradient)
{
    sn_err err;
    sn_err_clear(&err);
    sn_gradient_options o = t->o;
    o.method = method;
    cli_watch_begin(&t->watch, !t->job->quiet);
    sn_status s =
        sn_gradient(t->m.model, t->m.values, &o, value, gradient, t->error, t->used, &t->info, &err);
    cli_watch_end(&t->watch);
    return s ? cli_report(&err, s) : 0;
}

static int compute_frequencies(task *t)
{
    sn_err err;
    sn_err_clear(&err);
    int n = t->frequencies;
    double *f = t->value + t->job->of.n, *g = t->gradient + (size_t)t->n * (size_t)t->job->of.n;
    sn_mode_options o = sn_mode_options_default(t->m.model, t->m.values);
    o.n = n, o.at_static = t->job->statics, o.at_time = -1, o.run = t->o.run;
    sn_status s = sn_frequency_gradient(t->m.model, t->m.values, &o, t->o.wrt, t->n, f, g, &err);
    if (s) return cli_report(&err, s);
    for (int i = 0; i < t->job->of.n; i++) {
        int k = 1;
        sscanf(t->job->of.item[i], " frequency( %d", &k);
        t->value[i] = f[k - 1];
        memcpy(t->gradient + (size_t)i * (size_t)t->n, g + (size_t)(k - 1) * (size_t)t->n,
               sizeof(double) * (size_t)t->n);
    }
    memset(t->used, 1, (size_t)t->n);
    return 0;
}

static void print_row(const task *t, const double *value, const double *gradient)
{
    for (int k = 0; k < t->n; k++) {
        if (k) printf(", ");
        cli_json_text(stdout, t->names[k]);
        printf(": ");
        cli_json_number(stdout, gradient[k]);
    }
    (void)value;
}

/* One objective: value and gradient at the top; several: a list of such objects. */
static void print_json(const task *t)
{
    int several = t->job->of.n > 1, first = 1;
    printf("{");
    if (several) printf("\"objectives\": [");
    for (int i = 0; i < t->job->of.n; i++) {
        if (several) printf("%s{", i ? ", " : "");
        printf("\"of\": ");
        cli_json_text(stdout, t->job->of.item[i]);
        printf(", \"value\": ");
        cli_json_number(stdout, t->value[i]);
        printf(", \"gradient\": {");
        print_row(t, &t->value[i], t->gradient + (size_t)i * (size_t)t->n);
        printf("}");
        if (several) printf("}");
    }
    if (several) printf("]");
    printf(", \"method\": \"%s\", \"no_influence\": [", t->frequencies ? "modes" : methods[t->info.method]);
    for (int k = 0; k < t->n; k++)
        if (!t->used[k]) {
            if (!first) printf(", ");
            cli_json_text(stdout, t->names[k]);
            first = 0;
        }
    printf(
        "], \"steps\": %ld, \"threads\": %d, \"stored\": %ld, \"repeated\": %ld, \"bytes_per_step\": %.0f, ",
        t->info.run.steps, t->info.threads, t->info.stored, t->info.repeated, t->info.bytes_per_step);
    cli_json_warnings(stdout, &t->watch);
    printf("}\n");
}

static int width_of(const task *t)
{
    int width = 9;
    for (int k = 0; k < t->n; k++)
        width = (int)strlen(t->names[k]) > width ? (int)strlen(t->names[k]) : width;
    return width;
}

static void print_table(const task *t)
{
    int width = width_of(t), differences = t->info.method == SN_GRADIENT_DIFFERENCES;
    for (int i = 0; i < t->job->of.n; i++) {
        cli_say(stdout, "%s%s = %.12g\n", i ? "\n" : "", t->job->of.item[i], t->value[i]);
        for (int k = 0; k < t->n; k++) {
            size_t at = (size_t)i * (size_t)t->n + (size_t)k;
            cli_say(stdout, "  d/d %-*s %22.14g", width, t->names[k], t->gradient[at]);
            if (differences) printf("  +- %.1e", t->error[at]);
            if (!t->used[k])
                printf("  (has no influence: nothing in the model depends on it)");
            else if (t->gradient[at] == 0)
                printf("  (no influence on this number)");
            printf("\n");
        }
    }
    if (t->frequencies || t->job->quiet) return;
    printf("\n%s method, %ld steps", methods[t->info.method], t->info.run.steps);
    if (t->info.method == SN_GRADIENT_ADJOINT && !t->job->statics)
        printf(", %ld states stored (%.0f bytes each), %ld steps repeated", t->info.stored,
               t->info.bytes_per_step, t->info.repeated);
    if (t->info.crooked) printf("; the start was differentiated by differences (see docs/sensitivities.md)");
    printf("\n");
}

/* Of two derivatives the difference, relative to them or to what is `little`; less than `nothing` counts as
 * 0. */
static double relative(double a, double b, double little, double nothing)
{
    double top = fmax(fabs(a), fabs(b));
    return top > nothing ? fabs(a - b) / fmax(top, little) : 0;
}

/* What the value changes at most when a parameter doubles. */
static double largest_change(const task *t, const double *gradient)
{
    double most = 0, x = 0;
    for (int k = 0; k < t->n; k++) {
        sn_values_get(t->m.values, t->names[k], &x, NULL);
        most = fmax(most, fabs(gradient[k] * (x != 0 ? x : 1)));
    }
    return most;
}

static const char *digits(double rel, char *out, size_t size)
{
    if (rel == 0)
        snprintf(out, size, "all digits");
    else
        snprintf(out, size, "%.1f digits", fmax(0, -log10(rel)));
    return out;
}

/* Forward, adjoint and differences side by side. Exit code 1 where they do not agree. Derivatives by
   parameters that change the value by less than a thousandth of what the strongest one does are measured by
   that. */
static int check(task *t)
{
    size_t n = (size_t)t->n * (size_t)t->job->of.n;
    double *g[3] = {calloc(n, sizeof(double)), calloc(n, sizeof(double)), calloc(n, sizeof(double))};
    double worst[2] = {0, 0};
    int code = g[0] && g[1] && g[2] ? 0 : out_of_memory(), width = width_of(t), unsure = 0;
    for (int i = 0; i < 3 && !code; i++)
        code = compute(t, (sn_gradient_method)(SN_GRADIENT_FORWARD + i), t->value, g[i]);
    for (int i = 0; i < t->job->of.n && !code; i++) {
        cli_say(stdout, "%s%s = %.12g\n  %-*s %22s %22s %22s %9s\n", i ? "\n" : "", t->job->of.item[i],
                t->value[i], width, "", "forward", "adjoint", "differences", "+-");
        double most = largest_change(t, g[0] + (size_t)i * (size_t)t->n);
        for (int k = 0; k < t->n; k++) {
            size_t at = (size_t)i * (size_t)t->n + (size_t)k;
            double x = 0, doubt = t->error[at];
            sn_values_get(t->m.values, t->names[k], &x, NULL);
            double size = x != 0 ? fabs(x) : 1, little = 1e-3 * most / size,
                   nothing = 1e-12 * fmax(1, fabs(t->value[i])) / size,
                   off = relative(g[0][at], g[2][at], little, nothing);
            cli_say(stdout, "  %-*s %22.14g %22.14g %22.14g %9.1e\n", width, t->names[k], g[0][at], g[1][at],
                    g[2][at], doubt);
            worst[0] = fmax(worst[0], relative(g[0][at], g[1][at], little, nothing));
            /* differences count for no more than they know themselves */
            if (fabs(g[0][at] - g[2][at]) <= 10 * doubt && off > 1e-6)
                unsure++;
            else
                worst[1] = fmax(worst[1], off);
        }
    }
    if (!code) {
        char a[32], b[32];
        printf("\nforward and adjoint agree to %s, with differences to %s", digits(worst[0], a, sizeof a),
               digits(worst[1], b, sizeof b));
        if (unsure) printf(" (%d where differences do not know more are left out)", unsure);
        printf("\n");
        if (worst[0] > 1e-6 || worst[1] > 1e-4) {
            cli_error("the derivatives do not agree");
            code = 1;
        }
    }
    free(g[0]), free(g[1]), free(g[2]);
    return code;
}

static int main_gradient(cli_job *job)
{
    task t = {.job = job};
    int code = cli_model_open(job, &t.m);
    if (!code) code = prepare(&t);
    if (!code && job->check && t.frequencies) {
        cli_error("--check compares methods for runs and equilibria, not for frequencies");
        code = CLI_USAGE;
    }
    if (!code && job->check) {
        code = check(&t);
    } else if (!code) {
        code = t.frequencies ? compute_frequencies(&t) : compute(&t, t.o.method, t.value, t.gradient);
        if (!code && job->json) print_json(&t);
        if (!code && !job->json) print_table(&t);
    }
    cli_watch_free(&t.watch);
    cli_names_free(t.names, t.n);
    free(t.value), free(t.gradient), free(t.error), free(t.used);
    sn_data_free(t.data);
    cli_model_close(&t.m);
    return code;
}

const cli_command cli_cmd_gradient = {
    .name = "gradient",
    .line = "exact derivatives by any numbers of the model",
    .operands = "MODEL",
    .text =
        "Prints numbers of a run (or, with --static, of the equilibrium; or natural frequencies) and their\n"
        "derivatives by parameters. 'sinew help objectives' tells what can be differentiated.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_gradient,
};
