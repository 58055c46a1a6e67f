/* sinew check: what a model consists of, and what is wrong with it, without a run. */
#include "cli.h"

#include <string.h>

static const cli_option options[] = {
    CLI_OPTION_SET,
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object"},
    {.name = NULL},
};

static const char *const label[] = {"redundant", "unsupported", "massless", "neutral"};

/* The next line "label name" of the report's names; returns where to go on, or NULL. */
static const char *next_name(const char *at, const char *want, char *name, size_t size)
{
    size_t k = strlen(want);
    while (at && *at) {
        size_t n = strcspn(at, "\n");
        const char *line = at;
        at += at[n] ? n + 1 : n;
        if (n <= k || strncmp(line, want, k) != 0 || line[k] != ' ') continue;
        snprintf(name, size, "%.*s", (int)(n - k - 1), line + k + 1);
        return at;
    }
    return NULL;
}

static void print_json(const char *file, const sn_model *model, const sn_check_report *r)
{
    const sn_sizes *s = &r->sizes;
    char name[1024];
    printf("{\"file\": ");
    cli_json_text(stdout, file);
    printf(", \"title\": ");
    cli_json_text(stdout, sn_model_title(model));
    printf(", \"nodes\": %d, \"elements\": %d, \"joints\": %d, \"signals\": %d, \"sensors\": %d, ", s->nodes,
           s->elements, s->joints, s->signals, s->sensors);
    printf("\"coordinates\": %d, \"equations\": %d, \"independent\": %d, \"freedom\": %d, \"mass\": ", s->nv,
           s->m, r->independent, r->freedom);
    cli_json_number(stdout, r->mass);
    printf(", \"com\": [");
    for (int i = 0; i < 3; i++) {
        if (i) printf(", ");
        cli_json_number(stdout, r->com[i]);
    }
    printf("], \"violation_position\": ");
    cli_json_number(stdout, r->violation_q);
    printf(", \"violation_velocity\": ");
    cli_json_number(stdout, r->violation_v);
    for (int k = 0; k < 4; k++) {
        const char *at = r->names;
        printf(", \"%s\": [", label[k]);
        for (int i = 0; (at = next_name(at, label[k], name, sizeof name)); i++) {
            if (i) printf(", ");
            cli_json_text(stdout, name);
        }
        printf("]");
    }
    printf(", \"locked\": ");
    if (next_name(r->names, "locked", name, sizeof name))
        cli_json_text(stdout, name);
    else
        printf("null");
    const char *at = r->names;
    printf(", \"moved\": [");
    for (int i = 0; (at = next_name(at, "moved", name, sizeof name)); i++) {
        double by[2];
        char node[400];
        if (sscanf(name, "%399s %lf %lf", node, &by[0], &by[1]) != 3) continue;
        printf("%s{\"node\": ", i ? ", " : "");
        cli_json_text(stdout, node);
        printf(", \"length\": %.9g, \"angle\": %.9g}", by[0], by[1]);
    }
    printf("], \"assembles\": %s, \"unmet\": [", r->n_moved < 0 ? "false" : "true");
    at = r->names;
    for (int i = 0; (at = next_name(at, "unmet", name, sizeof name)); i++) {
        if (i) printf(", ");
        cli_json_text(stdout, name);
    }
    static const char *const mesh[] = {"mesh", "badmesh"};
    for (int k = 0; k < 2; k++) {
        printf("], \"%s\": [", k ? "mesh_faults" : "meshes");
        at = r->names;
        for (int i = 0; (at = next_name(at, mesh[k], name, sizeof name)); i++) {
            if (i) printf(", ");
            cli_json_text(stdout, name);
        }
    }
    printf("]}\n");
}

static void print_table(const sn_model *model, const sn_check_report *r)
{
    const sn_sizes *s = &r->sizes;
    if (sn_model_title(model)[0]) cli_say(stdout, "%s\n", sn_model_title(model));
    printf("nodes %d, elements %d, joints %d, signals %d, sensors %d\n", s->nodes, s->elements, s->joints,
           s->signals, s->sensors);
    printf("coordinates %d, equations %d (%d independent), degrees of freedom %d\n", s->nv, s->m,
           r->independent, r->freedom);
    printf("mass %s kg", cli_figure(r->mass));
    if (r->mass > 0)
        printf(", centre of mass [%s, %s, %s] m", cli_figure(r->com[0]), cli_figure(r->com[1]),
               cli_figure(r->com[2]));
    printf("\nconstraint violation at the start: position %.3g, velocity %.3g\n", r->violation_q,
           r->violation_v);
    char name[512], node[400], mesh[1024];
    double by[2];
    const char *at = r->names;
    for (int i = 0; (at = next_name(at, "neutral", name, sizeof name)); i++)
        cli_say(stdout, "%s%s", i ? ", " : "nothing but inertia holds ", name);
    if (next_name(r->names, "neutral", name, sizeof name)) printf(": 'sinew static' leaves it where it is\n");
    for (at = r->names; (at = next_name(at, "mesh", mesh, sizeof mesh));) cli_say(stdout, "mesh %s\n", mesh);
    if (r->n_moved <= 0) return;
    at = r->names;
    printf("the start moves %d node%s to meet the constraints", r->n_moved, r->n_moved == 1 ? "" : "s");
    for (int i = 0; (at = next_name(at, "moved", name, sizeof name)); i++) {
        if (sscanf(name, "%399s %lf %lf", node, &by[0], &by[1]) != 3) continue;
        cli_say(stdout, "%s %s by %.3g m", i ? "," : ":", node, by[0]);
        if (by[1] > 0) printf(" and %.3g rad", by[1]);
    }
    printf("%s\n", r->n_moved > 3 ? ", ..." : "");
}

static void print_names(const sn_check_report *r)
{
    static const char *const text[] = {"' is redundant: at the start others say the same already",
                                       "' is unsupported: no mass, no stiffness and no joint acts on it"};
    char name[1024], line[1200];
    const char *why = r->names;
    fflush(stdout);
    while ((why = next_name(why, "unmet", name, sizeof name))) cli_error("%s", name);
    if (next_name(r->names, "locked", name, sizeof name)) cli_warning(name);
    for (const char *at = r->names; (at = next_name(at, "badmesh", name, sizeof name));) cli_warning(name);
    for (int k = r->n_moved < 0; k < 2; k++) {
        const char *at = r->names;
        while ((at = next_name(at, label[k], name, sizeof name))) {
            snprintf(line, sizeof line, "'%s%s", name, text[k]);
            if (k == 1)
                cli_error("%s", line);
            else
                cli_warning(line);
        }
    }
}

static int main_check(cli_job *job)
{
    cli_model m = {NULL, NULL};
    sn_check_report r = {.names = NULL};
    sn_err err;
    sn_err_clear(&err);
    int code = cli_model_open(job, &m);
    if (!code) {
        sn_status s = sn_check(m.model, m.values, &r, &err);
        if (s) {
            code = cli_report(&err, s);
        } else {
            if (job->json)
                print_json(job->operand[0], m.model, &r);
            else if (!job->quiet)
                print_table(m.model, &r);
            print_names(&r);
            code = r.n_unsupported || r.n_moved < 0 ? sn_status_exit(SN_ERR_NUMERIC) : 0;
        }
        sn_release(r.names);
    }
    cli_model_close(&m);
    return code;
}

const cli_command cli_cmd_check = {
    .name = "check",
    .line = "sizes, degrees of freedom, mass, redundant joints, loose parts",
    .operands = "MODEL",
    .text = "Reads the model and tells what it consists of. Redundant equations are warnings; what nothing "
            "holds, and constraints that cannot be met together, are errors.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_check,
};
