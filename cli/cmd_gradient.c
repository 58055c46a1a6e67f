/* sinew gradient: exact derivatives of numbers of a run, an equilibrium or of natural frequencies. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"of", 0, "WHAT", 1, offsetof(cli_job, of),
     "tip.x@2.0, 'rms(tip.x - 0.1)', 'integral(e.kinetic)', 'frequency(1)', 'damping(1)' ... (repeatable)"},
    {"wrt", 0, "NAMES", 1, offsetof(cli_job, wrt),
     "parameters k1,k2, or any numbers of the model (default: all parameters)"},
    {"method", 0, "NAME", 0, offsetof(cli_job, method),
     "forward, adjoint, differences or adjoint_continuous (default: forward for few parameters, else "
     "adjoint)"},
    {"check", 0, NULL, 0, offsetof(cli_job, check),
     "compare forward with adjoint, and both with extrapolated finite differences"},
    {"static", 0, NULL, 0, offsetof(cli_job, statics), "derivatives of the equilibrium instead of a run"},
    {"data", 0, "FILE", 0, offsetof(cli_job, data),
     "CSV file with columns t, tip.x ... for misfit() and misfit(tip.x)"},
    CLI_OPTION_SET,
    {"end", 0, "TIME", 0, offsetof(cli_job, end), "end of the run"},
    CLI_OPTIONS_STEPS,
    {"memory", 0, "SIZE", 0, offsetof(cli_job, memory),
     "memory for the states that the adjoint goes back through: 500M, 2G (default 1G)"},
    {"threads", 0, "N", 0, offsetof(cli_job, threads),
     "forward: for columns (default: as many as pay); adjoint: for elements (default: one)"},
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object"},
    {.name = NULL},
};

static const char *const methods[] = {"auto", "forward", "adjoint", "differences", "adjoint_continuous"};

typedef struct task {
    const cli_job *job;
    cli_model m;
    sn_gradient_options o;
    sn_data *data;
    cli_watch watch;
    char **names;                    /* parameters */
    int n, frequencies, eigenvalues; /* eigenvalues: numbers of these, not undamped frequencies */
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

/* What can be asked of modes: undamped frequencies, or numbers of eigenvalues. */
static const char *const of_modes[] = {"frequency", "growth", "omega", "damping"};
enum { OF_MODES = 4 };

/* Which of them a text asks for (-1: none), and of which mode (0: it is not written well). */
static int mode_number(const char *of, int *k)
{
    for (int i = 0; i < OF_MODES; i++) {
        int end = 0;
        size_t n = strlen(of_modes[i]);
        of += strspn(of, " ");
        if (strncmp(of, of_modes[i], n) != 0 || of[n + strspn(of + n, " ")] != '(') continue;
        const char *inside = strchr(of, '(') + 1;
        if (sscanf(inside, "%d ) %n", k, &end) != 1 || !end || inside[end] || *k < 1) *k = 0;
        return i;
    }
    return -1;
}

/* All of --of frequency(N), or all of growth(N), omega(N), damping(N), or none; the largest N. */
static int find_frequencies(task *t)
{
    int most = 0, n[2] = {0, 0};
    for (int i = 0; i < t->job->of.n; i++) {
        int k = 0, what = mode_number(t->job->of.item[i], &k);
        if (what < 0) continue;
        if (!k) {
            cli_error("'%s': %s are asked for one by one and counted from 1, %s(1)", t->job->of.item[i],
                      what ? "eigenvalues" : "frequencies", of_modes[what]);
            return CLI_USAGE;
        }
        n[what > 0]++, most = k > most ? k : most;
    }
    if (n[0] + n[1] && n[0] + n[1] < t->job->of.n) {
        cli_error("frequencies and numbers of a run cannot be asked for together");
        return CLI_USAGE;
    }
    if (n[0] && n[1]) {
        cli_error("frequency(n) is of undamped modes and counts those: ask for omega(n) beside growth(n) or "
                  "damping(n)");
        return CLI_USAGE;
    }
    t->frequencies = most, t->eigenvalues = n[1] > 0;
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
    if (!code) code = cli_threads(job, &t->o.threads);
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
    size_t v = (size_t)job->of.n, n = (size_t)t->n * v;
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
    sn_gradient_result result = {value, gradient, t->error, t->used};
    sn_status s = sn_gradient(t->m.model, t->m.values, &o, &result, &t->info, &err);
    cli_watch_end(&t->watch);
    return s ? cli_report(&err, s) : 0;
}

/* A number of mode k from growth and circular frequency, or from the frequency, with its derivatives (or
 * errors). */
static void of_mode(int what, size_t np, const double *f, const double *g, double *value, double *gradient)
{
    double re = f[0], im = what ? f[1] : 0, size = hypot(re, im);
    *value = what == 2 ? im : what == 3 ? -re / size : re;
    for (size_t i = 0; i < np; i++) {
        double dre = g[i], dim = what ? g[np + i] : 0;
        gradient[i] = what == 2 ? dim : what == 3 ? im * (re * dim - im * dre) / (size * size * size) : dre;
    }
}

static sn_status solve_modes(task *t, int differences, const sn_mode_options *o, const sn_gradient_result *r,
                             sn_err *err)
{
    const sn_model *m = t->m.model;
    const sn_values *p = t->m.values;
    if (t->eigenvalues)
        return differences ? sn_eigenvalue_differences(m, p, o, t->o.wrt, t->n, r, err)
                           : sn_eigenvalue_gradient(m, p, o, t->o.wrt, t->n, r, err);
    return differences ? sn_frequency_differences(m, p, o, t->o.wrt, t->n, r, err)
                       : sn_frequency_gradient(m, p, o, t->o.wrt, t->n, r, err);
}

/* By the derivatives of the modes, or by differences. */
static int compute_frequencies(task *t, int differences, double *value, double *gradient)
{
    sn_err err;
    sn_err_clear(&err);
    size_t np = (size_t)t->n, each = t->eigenvalues ? 2 : 1, n = each * (size_t)t->frequencies;
    double *f = calloc(n, sizeof *f), *g = calloc(2 * n * np, sizeof *g), *e = g ? g + n * np : g;
    sn_mode_options o = sn_mode_options_default(t->m.model, t->m.values);
    o.n = t->frequencies, o.at_static = t->job->statics, o.at_time = -1, o.run = t->o.run;
    memset(t->used, 1, np);
    sn_gradient_result result = {f, g, e, t->used};
    int code = f && g ? 0 : out_of_memory();
    sn_status s = code ? SN_OK : solve_modes(t, differences, &o, &result, &err);
    if (s) code = cli_report(&err, s);
    for (size_t i = 0; i < (size_t)t->job->of.n && !code; i++) {
        int k = 1, what = mode_number(t->job->of.item[i], &k);
        size_t at = each * (size_t)(k - 1);
        double none;
        of_mode(what, np, f + at, g + at * np, &value[i], gradient + i * np);
        if (differences) of_mode(what, np, f + at, e + at * np, &none, t->error + i * np);
        for (size_t j = 0; differences && j < np; j++) t->error[i * np + j] = fabs(t->error[i * np + j]);
    }
    free(f), free(g);
    return code;
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
        cli_say(stdout, "%s%s = %s\n", i ? "\n" : "", t->job->of.item[i], cli_figure(t->value[i]));
        for (int k = 0; k < t->n; k++) {
            size_t at = (size_t)i * (size_t)t->n + (size_t)k;
            cli_say(stdout, "  d/d %-*s %16s", width, t->names[k], cli_figure(t->gradient[at]));
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
    if (t->info.start_by_differences)
        printf("; the start was differentiated by differences (see docs/sensitivities.md)");
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

/* The largest numbers of all channels in the run or equilibrium */
static sn_status take_largest(void *ctx, const sn_frame *f, sn_err *err)
{
    task *t = ((void **)ctx)[0];
    double *most = ((void **)ctx)[1];
    (void)err;
    for (int i = 0; i < sn_channel_count(t->m.model); i++) most[i] = fmax(most[i], fabs(f->y[i]));
    return SN_OK;
}

/* What objective i is small or large against: the largest number of the unit of a channel that it names. */
static double scale_of(const task *t, int i, const double *most)
{
    double scale = 0;
    int n = sn_channel_count(t->m.model);
    for (int k = 0; k < n; k++) {
        char name[300];
        sn_channel c = sn_channel_get(t->m.model, k);
        snprintf(name, sizeof name, "%s.%s", c.sensor, c.component);
        for (int j = 0; strstr(t->job->of.item[i], name) && j < n; j++)
            if (!strcmp(sn_channel_get(t->m.model, j).unit, c.unit)) scale = fmax(scale, most[j]);
    }
    return scale > 0 ? scale : 1;
}

static int find_scales(task *t, double *scale)
{
    double *most = calloc((size_t)sn_channel_count(t->m.model) + 1, sizeof *most);
    void *ctx[] = {t, most};
    sn_run_options o = t->o.run;
    sn_info info;
    sn_err err;
    sn_err_clear(&err);
    o.frame = take_largest, o.ctx = ctx, o.progress = NULL, o.message = NULL;
    sn_status s = SN_OK;
    if (!most) return out_of_memory();
    if (!t->frequencies)
        s = t->o.statics ? sn_static(t->m.model, t->m.values, &o, NULL, &info, &err)
                         : sn_run(t->m.model, t->m.values, &o, &info, &err);
    for (int i = 0; i < t->job->of.n && !s; i++) scale[i] = t->frequencies ? 0 : scale_of(t, i, most);
    free(most);
    return s ? cli_report(&err, s) : 0;
}

/* The methods that are compared: names, gradients, and how they agree */
typedef struct comparison {
    const char *name[3];
    double *g[3], *scale, worst[2];
    int n, unsure; /* methods; derivatives that differences cannot judge */
} comparison;

static void compare_row(const task *t, comparison *c, int i, int k, double most)
{
    size_t at = (size_t)i * (size_t)t->n + (size_t)k;
    double x = 0, doubt = t->error[at], exact = c->g[0][at], last = c->g[c->n - 1][at];
    sn_values_get(t->m.values, t->names[k], &x, NULL);
    double size = x != 0 ? fabs(x) : 1, little = 1e-3 * most / size,
           nothing = 1e-12 * fmax(c->scale[i], fabs(t->value[i])) / size,
           off = relative(exact, last, little, nothing);
    for (int j = 0; j < c->n; j++) printf(" %22.14g", c->g[j][at]);
    printf(" %9.1e\n", doubt);
    if (c->n > 2) c->worst[0] = fmax(c->worst[0], relative(exact, c->g[1][at], little, nothing));
    /* differences count for no more than they know themselves */
    if (fabs(exact - last) <= 10 * doubt && off > 1e-6)
        c->unsure++;
    else
        c->worst[1] = fmax(c->worst[1], off);
}

static int conclude(const comparison *c)
{
    char a[32], b[32];
    if (c->n > 2)
        printf("\nforward and adjoint agree to %s, with differences to %s", digits(c->worst[0], a, sizeof a),
               digits(c->worst[1], b, sizeof b));
    else
        printf("\nderivatives agree with differences to %s", digits(c->worst[1], b, sizeof b));
    if (c->unsure) printf(" (%d where differences do not know more are left out)", c->unsure);
    printf("\n");
    if (c->worst[0] <= 1e-6 && c->worst[1] <= 1e-4) return 0;
    cli_error("the derivatives do not agree");
    return 1;
}

/* Forward, adjoint and differences side by side; of frequencies their derivatives and differences. Exit code
   1 where they do not agree. Derivatives by parameters that change the value by less than a thousandth of
   what the strongest one does are measured by that. */
static int check(task *t)
{
    size_t n = (size_t)t->n * (size_t)t->job->of.n;
    comparison c = {.name = {"forward", "adjoint", "differences"}, .n = 3};
    if (t->frequencies) c.name[0] = "modes", c.name[1] = "differences", c.n = 2;
    for (int j = 0; j < c.n; j++) c.g[j] = calloc(n, sizeof(double));
    c.scale = calloc((size_t)t->job->of.n, sizeof(double));
    int code = c.g[0] && c.g[1] && (c.n < 3 || c.g[2]) && c.scale ? 0 : out_of_memory(), width = width_of(t);
    for (int j = 0; j < c.n && !code; j++)
        code = t->frequencies ? compute_frequencies(t, j, t->value, c.g[j])
                              : compute(t, (sn_gradient_method)(SN_GRADIENT_FORWARD + j), t->value, c.g[j]);
    if (!code) code = find_scales(t, c.scale);
    for (int i = 0; i < t->job->of.n && !code; i++) {
        cli_say(stdout, "%s%s = %.12g\n  %-*s", i ? "\n" : "", t->job->of.item[i], t->value[i], width, "");
        for (int j = 0; j < c.n; j++) printf(" %22s", c.name[j]);
        printf(" %9s\n", "+-");
        double most = largest_change(t, c.g[0] + (size_t)i * (size_t)t->n);
        for (int k = 0; k < t->n; k++) {
            cli_say(stdout, "  %-*s", width, t->names[k]);
            compare_row(t, &c, i, k, most);
        }
    }
    if (!code) code = conclude(&c);
    for (int j = 0; j < c.n; j++) free(c.g[j]);
    free(c.scale);
    return code;
}

static int main_gradient(cli_job *job)
{
    task t = {.job = job};
    int code = cli_model_open(job, &t.m);
    if (!code) code = prepare(&t);
    if (!code && job->check) {
        code = check(&t);
    } else if (!code) {
        code = t.frequencies ? compute_frequencies(&t, 0, t.value, t.gradient)
                             : compute(&t, t.o.method, t.value, t.gradient);
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
    .line = "exact derivatives with respect to any numbers of the model",
    .operands = "MODEL",
    .text = "Prints quantities of a run (or, with --static, of the equilibrium; or natural frequencies) and "
            "their\nderivatives with respect to parameters. 'sinew help objectives' says what can be "
            "differentiated.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_gradient,
};
