/* sinew list: names of kinds with one line each. */
#include "cli.h"

#include <string.h>

static const cli_option options[] = {
    {"plain", 0, NULL, 0, offsetof(cli_job, plain), "names only, one per line"},
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object"},
    {.name = NULL},
};

/* Lists that are not families: 'commands' and 'topics', for completion. */
static int others(const char *name)
{
    int commands = !strcmp(name, "commands"), topics = !strcmp(name, "topics");
    for (const cli_command *const *c = cli_commands(); commands && *c; c++) printf("%s\n", (*c)->name);
    for (const cli_topic *t = cli_topics(); topics && t->name; t++) printf("%s\n", t->name);
    return commands || topics;
}

static void list_json(int only)
{
    cli_kind k;
    int written = 0;
    printf("{");
    for (int f = 0; f < CLI_FAMILIES; f++) {
        if (only >= 0 && f != only) continue;
        printf("%s\"%s\": [", written++ ? ",\n " : "", cli_family_name(f));
        for (int i = 0; cli_kind_get(f, i, &k); i++) {
            printf("%s{\"name\": ", i ? ", " : "");
            cli_json_text(stdout, k.name);
            printf(", \"doc\": ");
            cli_json_text(stdout, k.doc);
            printf("}");
        }
        printf("]");
    }
    printf("}\n");
}

static void list_text(int only, int plain)
{
    cli_kind k;
    for (int f = 0; f < CLI_FAMILIES; f++) {
        if (only >= 0 && f != only) continue;
        if (!plain && only < 0) printf("%s%s\n", f ? "\n" : "", cli_family_name(f));
        for (int i = 0; cli_kind_get(f, i, &k); i++) {
            if (plain)
                printf("%s\n", k.name);
            else
                printf("  %-18s %s\n", k.name, k.doc ? k.doc : "");
        }
    }
}

static int main_list(cli_job *job)
{
    int only = -1;
    if (job->n_operand) {
        char hint[128];
        cli_near n = {job->operand[0], NULL, 0};
        for (int f = 0; f < CLI_FAMILIES; f++) {
            if (!strcmp(cli_family_name(f), job->operand[0]) ||
                !strcmp(cli_family_singular(f), job->operand[0]))
                only = f;
            cli_near_try(&n, cli_family_name(f));
        }
        if (only < 0 && others(job->operand[0])) return 0;
        if (only < 0) {
            cli_near_text(&n, "", hint, sizeof hint);
            cli_error("list: there is no family '%s'%s", job->operand[0], hint);
            return CLI_USAGE;
        }
    }
    if (job->json)
        list_json(only);
    else
        list_text(only, job->plain);
    return 0;
}

const cli_command cli_cmd_list = {
    .name = "list",
    .line = "the kinds of nodes, elements, joints, signals, sensors ...",
    .operands = "[FAMILY]",
    .text = "Lists all kinds, or those of nodes, elements, joints, signals, sensors, materials, sections, "
            "shapes, schemes, solvers.",
    .min = 0,
    .max = 1,
    .options = options,
    .run = main_list,
};
