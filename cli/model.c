/* What the commands do with a model before and after an analysis: numbers set on the command line, points
   asked for by --print, the name of the output file. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

/* --set name=value */
static sn_status set_one(cli_model *m, const char *text, sn_err *err)
{
    const char *equal = strchr(text, '=');
    char name[256];
    size_t n = equal ? (size_t)(equal - text) : 0;
    if (!n || n >= sizeof name)
        return sn_fail(err, SN_ERR_INPUT, NULL, "--set '%s': write --set name=value", text);
    memcpy(name, text, n);
    name[n] = 0;
    if (sn_model_is_structural(m->model, name)) return SN_OK; /* the model was read with it */
    return sn_values_set(m->values, name, equal + 1, err);
}

char **cli_settings(const cli_job *job, int *n)
{
    const struct {
        const char *name, *text;
    } own[] = {{"run.end", job->end},
               {"run.step", job->step},
               {"run.output", job->output},
               {"run.error", job->error},
               {"run.tolerance", job->tolerance}};
    enum { OWN = sizeof own / sizeof *own };
    size_t items = (size_t)job->set.n + OWN + 1, bytes = items * sizeof(char *);
    for (int i = 0; i < OWN; i++) bytes += own[i].text ? strlen(own[i].name) + strlen(own[i].text) + 2 : 0;
    char **list = malloc(bytes);
    *n = 0;
    if (!list) return NULL;
    char *at = (char *)(list + items);
    for (int i = 0; i < job->set.n; i++) list[(*n)++] = (char *)job->set.item[i];
    for (int i = 0; i < OWN; i++)
        if (own[i].text) {
            list[(*n)++] = at;
            at += sprintf(at, "%s=%s", own[i].name, own[i].text) + 1;
        }
    list[*n] = NULL;
    return list;
}

static sn_status set_all(cli_model *m, int n, char **list, sn_err *err)
{
    sn_status first = SN_OK;
    for (int i = 0; i < n; i++) {
        sn_status s = set_one(m, list[i], err);
        if (!first) first = s;
    }
    return first ? first : sn_values_update(m->values, err);
}

int cli_model_open(const cli_job *job, cli_model *m)
{
    sn_err err;
    sn_err_clear(&err);
    *m = (cli_model){NULL, NULL};
    int n;
    char **list = cli_settings(job, &n);
    if (!list) return cli_report(NULL, SN_ERR_MEMORY);
    sn_status s = sn_model_read_set(job->operand[0], n, (const char *const *)list, &m->model, &err);
    if (!s) s = sn_values_new(m->model, &m->values, &err);
    if (!s) s = set_all(m, n, list, &err);
    free(list);
    return s ? cli_report(&err, s) : 0;
}

void cli_model_close(cli_model *m)
{
    sn_values_free(m->values);
    sn_model_free(m->model);
}

static int check_word(const char *what, const char *word, const char *(*get)(int, const char **))
{
    const char *doc, *name;
    char hint[128];
    cli_near n = {word, NULL, 0};
    for (int i = 0; (name = get(i, &doc)); i++) {
        if (!strcmp(name, word)) return 0;
        cli_near_try(&n, name);
    }
    cli_near_text(&n, "", hint, sizeof hint);
    if (hint[0])
        cli_error("unknown %s '%s'%s", what, word, hint);
    else
        cli_error("unknown %s '%s': 'sinew list %ss' shows all", what, word, what);
    return CLI_USAGE;
}

int cli_threads(const cli_job *job, int *threads)
{
    char *end;
    if (!job->threads) return 0;
    long n = strtol(job->threads, &end, 10);
    if (end == job->threads || *end || n < 1 || n > 4096) {
        cli_error("--threads '%s': write a number from 1", job->threads);
        return CLI_USAGE;
    }
    *threads = (int)n;
    return 0;
}

int cli_run_options(const cli_job *job, const cli_model *m, sn_run_options *o)
{
    *o = sn_run_options_default(m->model, m->values);
    if (job->scheme && check_word("scheme", job->scheme, sn_scheme_name)) return CLI_USAGE;
    if (job->solver && check_word("solver", job->solver, sn_solver_name)) return CLI_USAGE;
    if (job->scheme) o->scheme = job->scheme;
    if (job->solver) o->solver = job->solver;
    o->timing = job->timing;
    o->command = job->command;
    return cli_threads(job, &o->threads);
}

/* ---- times and points ---- */

/* The library reads units; run.end is a time, and keeps its value. */
int cli_time(const cli_model *m, const char *text, double *t)
{
    sn_err err;
    double end = 0;
    sn_err_clear(&err);
    sn_status s = sn_values_get(m->values, "run.end", &end, &err);
    if (!s) s = sn_values_set(m->values, "run.end", text, &err);
    if (!s) s = sn_values_get(m->values, "run.end", t, &err);
    if (!s) return sn_values_set_number(m->values, "run.end", end, &err) ? cli_report(&err, SN_ERR_BUG) : 0;
    if (s == SN_ERR_MEMORY) return cli_report(&err, s);
    cli_error("'%s' is no time: write a number, or one with a unit (0.5, '20 ms')", text);
    return CLI_USAGE;
}

int cli_at(const cli_job *job, const cli_model *m, int *at_static, int *at_steady, double *at_time)
{
    if (!job->at) return 0;
    *at_static = !strcmp(job->at, "static"), *at_steady = !strcmp(job->at, "steady");
    *at_time = -1;
    if (*at_static || *at_steady || !strcmp(job->at, "start")) return 0;
    int code = cli_time(m, job->at, at_time);
    if (!code && *at_time < 0) {
        cli_error("--at '%s': start, static, steady, or a time from 0 on", job->at);
        code = CLI_USAGE;
    }
    return code;
}

static int point(const cli_model *m, const char *text, double end, sn_point *p)
{
    const char *at = strchr(text, '@');
    char name[256];
    size_t n = at ? (size_t)(at - text) : strlen(text);
    if (!n || n >= sizeof name) {
        cli_error("--print '%s': write sensor.component or sensor.component@time", text);
        return CLI_USAGE;
    }
    memcpy(name, text, n);
    name[n] = 0;
    sn_err err;
    sn_err_clear(&err);
    sn_status s = sn_channel_find(m->model, name, &p->channel, &err);
    if (s) return cli_report(&err, s);
    p->t = end;
    if (!at) return 0;
    if (end < 0) {
        cli_error("--print '%s': an equilibrium has no times", text);
        return CLI_USAGE;
    }
    if (cli_time(m, at + 1, &p->t)) return CLI_USAGE;
    if (p->t > end && p->t <= end * (1 + 1e-12)) p->t = end;
    if (p->t < 0 || p->t > end) {
        cli_error("--print '%s': the run goes from 0 to %g s", text, end);
        return CLI_USAGE;
    }
    return 0;
}

int cli_points(const cli_job *job, const cli_model *m, double end, sn_point **points)
{
    *points = calloc((size_t)job->print.n + 1, sizeof **points);
    if (!*points) return cli_report(NULL, SN_ERR_MEMORY);
    for (int i = 0; i < job->print.n; i++) {
        (*points)[i].value = NAN; /* until the run gets there */
        int code = point(m, job->print.item[i], end, &(*points)[i]);
        if (code) return code;
    }
    return 0;
}

void cli_print_points(const cli_job *job, const sn_point *p)
{
    for (int i = 0; i < job->print.n; i++)
        if (isnan(p[i].value))
            puts("nan");
        else
            printf("%.17g\n", p[i].value == 0 ? 0 : p[i].value);
}

void cli_json_points(FILE *f, const cli_job *job, const sn_point *p)
{
    int written = 0;
    fputs("\"prints\": {", f);
    for (int i = 0; i < job->print.n; i++) {
        int again = 0;
        for (int k = 0; k < i; k++) again |= !strcmp(job->print.item[k], job->print.item[i]);
        if (again) continue;
        if (written++) fputs(", ", f);
        cli_json_text(f, job->print.item[i]);
        fputs(": ", f);
        cli_json_number(f, p[i].value);
    }
    fputc('}', f);
}

/* ---- the output file ---- */

char *cli_out_path(const cli_job *job, const char *ending)
{
    const char *from = job->operand[0], *slash = strrchr(from, '/'), *base = slash ? slash + 1 : from;
    const char *dot = strrchr(base, '.'), *use = job->out ? job->out : base;
    size_t n = job->out ? strlen(use) : dot && dot > base ? (size_t)(dot - base) : strlen(base);
    char *path = malloc(n + strlen(ending) + 1);
    if (!path) {
        cli_report(NULL, SN_ERR_MEMORY);
        return NULL;
    }
    memcpy(path, use, n);
    strcpy(path + n, job->out ? "" : ending);
    sn_err err;
    sn_err_clear(&err);
    if (!sn_output_check(path, job->n_operand, job->operand, &err)) return path;
    cli_report(&err, SN_ERR_INPUT);
    free(path);
    return NULL;
}

/* ---- parameters to differentiate by ---- */

/* One name of n letters, blanks around it taken off. */
static int add_name(const char *text, size_t length, char ***names, int *n)
{
    while (length && *text == ' ') text++, length--;
    while (length && text[length - 1] == ' ') length--;
    char **more = realloc(*names, sizeof *more * (size_t)(*n + 1)), *name = malloc(length + 1);
    if (more) *names = more;
    if (!more || !name) {
        free(name);
        return cli_report(NULL, SN_ERR_MEMORY);
    }
    memcpy(name, text, length);
    name[length] = 0;
    (*names)[(*n)++] = name;
    return 0;
}

int cli_names(const cli_job *job, const sn_model *model, char ***names, int *n)
{
    int code = 0;
    *names = NULL, *n = 0;
    for (int i = 0; i < job->wrt.n; i++)
        for (const char *c = job->wrt.item[i]; *c && !code; c += *c == ',') {
            size_t length = strcspn(c, ",");
            code = add_name(c, length, names, n);
            c += length;
        }
    for (int i = 0; !job->wrt.n && i < sn_parameter_count(model) && !code; i++)
        if (!sn_model_is_structural(model, sn_parameter_name(model, i)))
            code = add_name(sn_parameter_name(model, i), strlen(sn_parameter_name(model, i)), names, n);
    if (code || *n) return code;
    cli_error("the model has no parameters: name numbers to differentiate by with --wrt");
    return CLI_USAGE;
}

void cli_names_free(char **names, int n)
{
    for (int i = 0; i < n; i++) free(names[i]);
    free(names);
}

char *cli_out_folder(const char *file, const char *more)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    size_t n = dot && dot != base ? (size_t)(dot - base) : strlen(base), m = strlen(more),
           word = m ? m - 1 : 0;
    /* "fit.yaml" goes into "fit", not into "fit-fit"; what comes of "fit" cannot */
    int again = word && base[n] && n >= word && !memcmp(base + n - word, more + 1, word) &&
                (n == word || base[n - word - 1] == '-');
    if (again) more = "", m = 0;
    char *folder = malloc(n + m + 1);
    if (!folder) return NULL;
    memcpy(folder, base, n);
    memcpy(folder + n, more, m + 1);
    return folder;
}
