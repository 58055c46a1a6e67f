/* sinew names: what of a model can be set, differentiated by and printed, by its name. */
#include "cli.h"

#include <math.h>
#include <string.h>

static const cli_option options[] = {
    CLI_OPTION_SET,
    {"plain", 0, NULL, 0, offsetof(cli_job, plain), "names only, one a line"},
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object"},
    {.name = NULL},
};

/* What the operand behind the model asks for: both without one. */
static const char *const words[] = {"numbers", "sensors"};
enum { NUMBERS = 1, SENSORS = 2 };

static int wanted(const cli_job *job, int *which)
{
    char hint[128];
    *which = NUMBERS | SENSORS;
    if (job->n_operand < 2) return 0;
    cli_near near = {job->operand[1], NULL, 0};
    for (int i = 0; i < 2; i++) {
        cli_near_try(&near, words[i]);
        if (!strcmp(job->operand[1], words[i])) return *which = 1 << i, 0;
    }
    cli_near_text(&near, "", hint, sizeof hint);
    cli_error("names: '%s' is none of numbers, sensors%s", job->operand[1], hint);
    return CLI_USAGE;
}

static double value_of(const cli_model *m, const char *name)
{
    sn_err err;
    double x = 0;
    sn_err_clear(&err);
    sn_values_get(m->values, name, &x, &err);
    return x;
}

static void numbers_text(const cli_model *m)
{
    sn_number_info k;
    printf("numbers (--set, --wrt, unknowns of a study)\n");
    for (int at = 0; sn_number_next(m->model, &at, &k);) {
        printf("  ");
        cli_columns(k.name, 22);
        double x = value_of(m, k.name);
        cli_columns(isnan(x) ? "not given" : cli_figure(x), 13);
        cli_columns(k.unit, 12);
        printf("%s\n", k.doc);
    }
}

static void sensors_text(const cli_model *m)
{
    char name[400];
    printf("sensors (--print, --of, columns of data)\n");
    for (int i = 0; i < sn_channel_count(m->model); i++) {
        sn_channel c = sn_channel_get(m->model, i);
        snprintf(name, sizeof name, "%s.%s", c.sensor, c.component);
        printf("  ");
        cli_columns(name, 35);
        printf("%s\n", c.unit);
    }
}

static void names_only(const cli_model *m, int which)
{
    sn_number_info k;
    for (int at = 0; which & NUMBERS && sn_number_next(m->model, &at, &k);) cli_say(stdout, "%s\n", k.name);
    for (int i = 0; which & SENSORS && i < sn_channel_count(m->model); i++) {
        sn_channel c = sn_channel_get(m->model, i);
        cli_say(stdout, "%s.%s\n", c.sensor, c.component);
    }
}

static void print_json(const cli_model *m, int which)
{
    sn_number_info k;
    int n = 0;
    char name[400];
    printf("{");
    if (which & NUMBERS) printf("\"numbers\": [");
    for (int at = 0; which & NUMBERS && sn_number_next(m->model, &at, &k);) {
        printf("%s{\"name\": ", n++ ? ",\n " : "");
        cli_json_text(stdout, k.name);
        printf(", \"value\": ");
        cli_json_number(stdout, value_of(m, k.name));
        printf(", \"unit\": ");
        cli_json_text(stdout, k.unit);
        printf(", \"doc\": ");
        cli_json_text(stdout, k.doc);
        printf("}");
    }
    if (which & NUMBERS) printf("]%s", which & SENSORS ? ",\n" : "");
    if (which & SENSORS) printf("\"sensors\": [");
    for (int i = 0; which & SENSORS && i < sn_channel_count(m->model); i++) {
        sn_channel c = sn_channel_get(m->model, i);
        snprintf(name, sizeof name, "%s.%s", c.sensor, c.component);
        printf("%s{\"name\": ", i ? ",\n " : "");
        cli_json_text(stdout, name);
        printf(", \"unit\": ");
        cli_json_text(stdout, c.unit);
        printf("}");
    }
    printf("%s}\n", which & SENSORS ? "]" : "");
}

static int main_names(cli_job *job)
{
    cli_model m = {NULL, NULL};
    int which, code = wanted(job, &which);
    if (code) return code;
    job->n_operand = 1;
    code = cli_model_open(job, &m);
    if (!code && job->json)
        print_json(&m, which);
    else if (!code && job->plain)
        names_only(&m, which);
    else if (!code && !job->quiet) {
        if (which & NUMBERS) numbers_text(&m);
        if (which == (NUMBERS | SENSORS)) printf("\n");
        if (which & SENSORS) sensors_text(&m);
    }
    cli_model_close(&m);
    return code;
}

const cli_command cli_cmd_names = {
    .name = "names",
    .line = "names of a model: what --set, --wrt and --print take",
    .operands = "MODEL [numbers|sensors]",
    .text = "Lists the numbers of a model with their values and units, and its sensors. Numbers of nodes "
            "inside of meshes (bar.n3.at.x) can be set as well and are not listed.",
    .min = 1,
    .max = 2,
    .options = options,
    .run = main_names,
};
