/* sinew linearise: the matrices of the equations linearised at a state, and the system of first order. */
#include "cholesky.h"
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"at", 0, "WHERE", 0, offsetof(cli_job, at),
     "linearise at: start (default), static (the equilibrium), steady (a "
     "steady motion near the start), or a time of the run"},
    {"input", 0, "NAME", 1, offsetof(cli_job, input),
     "input: a signal, or a number of the model (repeatable; default: the signals of kind 'input', or all "
     "signals)"},
    {"output", 0, "SENSOR", 1, offsetof(cli_job, channels),
     "output: tip.x, or tip with all of its components (repeatable; default: all sensors)"},
    {"reduce", 0, "N", 0, offsetof(cli_job, reduce),
     "reduce to N states by balanced truncation; modal:N keeps the slowest modes"},
    {"independent", 0, NULL, 0, offsetof(cli_job, independent),
     "also write the equations of motion in independent coordinates: M z'' = f, a = R z'' + a0"},
    {"mass", 0, "cholesky", 0, offsetof(cli_job, mass),
     "report what coordinates with an identity mass matrix (M = L L', e = L' y) would do to the equations"},
    CLI_OPTION_SET,
    {"out", 'o', "FILE", 0, offsetof(cli_job, out),
     "HDF5 file (default: the model's name with -linear.h5, in the current folder; none with --mtx or --mat "
     "alone)"},
    {"mtx", 0, "FOLDER", 0, offsetof(cli_job, mtx),
     "MatrixMarket files M.mtx, C.mtx, ... system_A.mtx ... and lists of names in this folder"},
    {"mat", 0, "FILE", 0, offsetof(cli_job, mat_file),
     "MATLAB file with A, B, C, D, state_names, input_names, output_names ..."},
    {"json", 0, NULL, 0, offsetof(cli_job, json),
     "print one JSON object, with the matrices of small systems"},
    {.name = NULL},
};

enum { SMALL = 60 }; /* states, inputs, outputs of a system that JSON prints */

typedef struct report {
    const cli_job *job;
    const char *path;
    const cli_watch *watch;
} report;

static const char *about(const sn_linear *l)
{
    static const char *const text[] = {"rest", "steady", "instant"};
    return text[l->about];
}

/* ---- JSON ---- */

static void json_path(const char *key, const char *path)
{
    printf("\"%s\": ", key);
    if (path)
        cli_json_text(stdout, path);
    else
        printf("null");
    printf(", ");
}

static void json_row(int n, const double *x)
{
    printf("[");
    for (int i = 0; i < n; i++) {
        if (i) printf(", ");
        cli_json_number(stdout, x[i]);
    }
    printf("]");
}

static void json_matrix(const char *key, int rows, int cols, const double *x)
{
    printf(", \"%s\": [", key);
    for (int i = 0; i < rows; i++) {
        if (i) printf(", ");
        json_row(cols, x + (size_t)i * (size_t)cols);
    }
    printf("]");
}

static void json_names(const char *key, int n, const char *const *name, const char *const *unit)
{
    printf(", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        printf("%s{\"name\": ", i ? ", " : "");
        cli_json_text(stdout, name[i]);
        printf(", \"unit\": ");
        cli_json_text(stdout, unit[i]);
        printf("}");
    }
    printf("]");
}

static void json_system(const sn_linear_system *s)
{
    printf("\"system\": ");
    if (!s) {
        printf("null, ");
        return;
    }
    printf("{\"n\": %d, \"full\": %d, \"exact\": %d", s->n, s->full, s->exact);
    json_names("states", s->n, s->state, s->state_unit);
    json_names("inputs", s->n_input, s->input, s->input_unit);
    json_names("outputs", s->n_output, s->output, s->output_unit);
    json_matrix("poles", s->n, 2, s->poles);
    if (s->bound) json_matrix("bound", s->n_output, s->n_input, s->bound);
    if (s->n <= SMALL && s->n_input <= SMALL && s->n_output <= SMALL) {
        json_matrix("A", s->n, s->n, s->A), json_matrix("B", s->n, s->n_input, s->B);
        json_matrix("C", s->n_output, s->n, s->C), json_matrix("D", s->n_output, s->n_input, s->D);
    }
    printf("}, ");
}

static void json_embedded(const sn_linear *l)
{
    const sn_embedded *e = l->embedded;
    if (!e) return;
    printf("\"independent\": {\"coordinates\": [");
    for (int i = 0; i < e->n; i++) {
        if (i) printf(", ");
        cli_json_text(stdout, l->coordinate[e->coordinate[i]]);
    }
    printf("]");
    if (e->n <= SMALL && l->nv <= SMALL) {
        json_matrix("M", e->n, e->n, e->M), json_matrix("R", l->nv, e->n, e->R);
        printf(", \"f\": ");
        json_row(e->n, e->f);
        printf(", \"a0\": ");
        json_row(l->nv, e->a0);
        printf(", \"a\": ");
        json_row(l->nv, e->a);
    }
    printf(", \"off\": ");
    cli_json_number(stdout, e->off);
    printf("}, ");
}

static void json_cholesky(const sn_linear *l)
{
    cli_cholesky y;
    printf("\"cholesky\": ");
    if (cli_cholesky_of(l, &y) || y.massless >= 0) {
        printf("null, ");
        return;
    }
    printf("{\"nonzeros\": {\"equations\": [%d, %d], \"K\": [%d, %d]}, \"condition\": ", y.equations[0],
           y.equations[1], y.stiffness[0], y.stiffness[1]);
    json_row(3, y.condition);
    printf(", \"omega\": ");
    cli_json_number(stdout, y.omega);
    printf("}, ");
}

static void print_json(const report *r, const sn_linear *l)
{
    static const char *const name[4] = {"M", "C", "K", "B"};
    const sn_sparse *const all[4] = {&l->M, &l->C, &l->K, &l->B};
    printf("{");
    json_path("file", r->path), json_path("mtx", r->job->mtx), json_path("mat", r->job->mat_file);
    printf("\"t\": ");
    cli_json_number(stdout, l->state->t);
    printf(", \"about\": \"%s\", \"axes\": ", about(l));
    cli_json_text(stdout, l->axes);
    printf(", \"axes_spin\": ");
    json_row(3, l->spin);
    printf(", \"coordinates\": %d, \"equations\": %d, \"nonzeros\": {", l->nv, l->m);
    for (int i = 0; i < 4; i++) printf("%s\"%s\": %d", i ? ", " : "", name[i], all[i]->first[all[i]->cols]);
    printf("}, ");
    json_system(l->system);
    json_embedded(l);
    if (r->job->mass) json_cholesky(l);
    cli_json_warnings(stdout, r->watch);
    printf("}\n");
}

/* ---- text ---- */

static void print_list(const char *what, int n, const char *const *name, const char *const *unit)
{
    enum { FEW = 12 };
    printf("%s:", what);
    for (int i = 0; i < n && i < FEW; i++)
        cli_say(stdout, "%s %s%s%s%s", i ? "," : "", name[i], *unit[i] ? " [" : "", unit[i],
                *unit[i] ? "]" : "");
    printf("%s\n", !n ? " none (--input and --output name some)" : n > FEW ? " ..." : "");
}

static void print_system(const sn_linear_system *s)
{
    double growth = -INFINITY;
    for (int i = 0; i < s->n; i++) growth = fmax(growth, s->poles[2 * i]);
    printf("system: %d states, %d inputs, %d outputs", s->n, s->n_input, s->n_output);
    if (s->n) printf("; largest real part of a pole %.6g 1/s", growth);
    printf("\n");
    print_list("states", s->n, s->state, s->state_unit);
    print_list("inputs", s->n_input, s->input, s->input_unit);
    print_list("outputs", s->n_output, s->output, s->output_unit);
    if (!s->bound) return;
    printf("reduced from %d states, %d of them kept exactly; largest error at any frequency:\n", s->full,
           s->exact);
    for (int i = 0; i < s->n_output; i++)
        for (int j = 0; j < s->n_input; j++) {
            cli_say(stdout, "  %s by %s: ", s->output[i], s->input[j]);
            if (isfinite(s->bound[i * s->n_input + j]))
                printf("%.3g\n", s->bound[i * s->n_input + j]);
            else
                printf("not known (undamped modes are left out)\n");
        }
}

static void print_embedded(const sn_linear *l)
{
    enum { FEW = 12 };
    const sn_embedded *e = l->embedded;
    printf("independent coordinates:");
    for (int i = 0; i < e->n && i < FEW; i++)
        cli_say(stdout, "%s %s", i ? "," : "", l->coordinate[e->coordinate[i]]);
    printf("%s\n", !e->n ? " none" : e->n > FEW ? " ..." : "");
    printf("their accelerations are those of all equations to %.1e\n", e->off);
}

static void print_cholesky(const sn_linear *l)
{
    cli_cholesky y;
    const int bad = cli_cholesky_of(l, &y);
    if (bad)
        printf("Cholesky coordinates: %s\n",
               bad == 1 ? "the model is too large to look at" : "out of memory");
    else if (y.massless >= 0)
        cli_say(stdout, "Cholesky coordinates: there are none, M is singular: '%s' has no mass of its own\n",
                l->coordinate[y.massless]);
    if (bad || y.massless >= 0) return;
    printf("Cholesky coordinates, M = L L': before, and with them\n");
    printf("  nonzeros of [M B'; B 0]   %10d %10d\n", y.equations[0], y.equations[1]);
    printf("  nonzeros of K             %10d %10d\n", y.stiffness[0], y.stiffness[1]);
    printf("  condition of [M B'; B 0]  %10.3g %10.3g  (scaled by the diagonal of M: %.3g)\n", y.condition[0],
           y.condition[1], y.condition[2]);
    printf("  largest frequency         %10.4g %10.4g rad/s (without the constraints)\n", y.omega, y.omega);
}

static void print_text(const report *r, const sn_linear *l)
{
    const sn_sparse *const all[4] = {&l->M, &l->C, &l->K, &l->B};
    int n[4];
    for (int i = 0; i < 4; i++) n[i] = all[i]->first[all[i]->cols];
    printf("%d coordinates, %d equations at t = %.6g s; nonzeros M %d, C %d, K %d, B %d\n", l->nv, l->m,
           l->state->t, n[0], n[1], n[2], n[3]);
    if (l->about == SN_LINEAR_STEADY)
        cli_say(stdout, "about a steady motion, in axes that %s%s\n",
                l->axes[0] ? "turn with " : "stand still", l->axes);
    if (l->system) print_system(l->system);
    if (l->embedded) print_embedded(l);
    if (r->job->mass) print_cholesky(l);
    if (r->path) cli_say(stdout, "matrices: %s\n", r->path);
    if (r->job->mtx) cli_say(stdout, "matrices: %s/M.mtx ...\n", r->job->mtx);
    if (r->job->mat_file) cli_say(stdout, "system: %s\n", r->job->mat_file);
}

static sn_status show(void *ctx, const sn_linear *l, sn_err *err)
{
    const report *r = ctx;
    (void)err;
    if (r->job->json)
        print_json(r, l);
    else if (!r->job->quiet)
        print_text(r, l);
    return SN_OK;
}

/* ---- options ---- */

static int reduction(const cli_job *job, sn_linear_options *o)
{
    const char *text = job->reduce;
    char *end;
    if (!text) return 0;
    o->modal = strncmp(text, "modal:", 6) == 0;
    const char *number = o->modal ? text + 6 : text;
    long n = strtol(number, &end, 10);
    if (end == number || *end || n < 1 || n > 1000000) {
        cli_error("linearise: '--reduce %s' is neither a number of states nor modal: and a number", text);
        return CLI_USAGE;
    }
    o->reduce = (int)n;
    return 0;
}

static int solve(const cli_job *job, const cli_model *m, const char *path, cli_watch *watch)
{
    sn_err err;
    report r = {job, path, watch};
    sn_linear_options o = sn_linear_options_default(m->model, m->values);
    int code = cli_at(job, m, &o.at_static, &o.at_steady, &o.at_time);
    if (!code) code = reduction(job, &o);
    if (!code && job->mass && strcmp(job->mass, "cholesky") != 0) {
        cli_error("linearise: '--mass %s' is not known: 'cholesky'", job->mass);
        code = CLI_USAGE;
    }
    if (code) return code;
    sn_err_clear(&err);
    o.take = show, o.ctx = &r;
    o.input = job->input.item, o.n_input = job->input.n;
    o.output = job->channels.item, o.n_output = job->channels.n;
    o.mat = job->mat_file;
    o.independent = job->independent;
    o.run.command = job->command;
    o.run.message = cli_watch_message, o.run.ctx = watch;
    sn_status status = sn_linearise_file(m->model, m->values, &o, path, job->mtx, &err);
    return status ? cli_report(&err, status) : 0;
}

static int main_linearise(cli_job *job)
{
    cli_model m = {NULL, NULL};
    cli_watch watch = {0};
    const int only_others = (job->mtx || job->mat_file) && !job->out;
    char *path = only_others ? NULL : cli_out_path(job, "-linear.h5");
    if (!path && !only_others) return CLI_USAGE;
    int code = cli_model_open(job, &m);
    if (!code) code = solve(job, &m, path, &watch);
    cli_watch_free(&watch);
    cli_model_close(&m);
    free(path);
    return code;
}

const cli_command cli_cmd_linearise = {
    .name = "linearise",
    .line = "matrices of the linearised equations, x' = A x + B u, y = C x + D u",
    .operands = "MODEL",
    .text =
        "Linearises the equations of motion at a state and writes their matrices, and the system of first "
        "order with inputs and outputs that follows from them, to an HDF5 file, MatrixMarket or MATLAB "
        "files. 'sinew view' shows its frequency responses and poles.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_linearise,
};
