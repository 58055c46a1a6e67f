/* sinew check: what a model consists of, and what is wrong with it, without a run. */
#include "chromium.h"
#include "wishes.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    CLI_OPTION_SET,
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object"},
    {"view", 0, NULL, 0, offsetof(cli_job, draw),
     "write a page too that shows the model at its start, with the names of nodes, joints and what shares a "
     "node"},
    {"out", 'o', "FILE", 0, offsetof(cli_job, out), "the page (default: the model's name with -check.html)"},
    {"open", 0, NULL, 0, offsetof(cli_job, open), "with --view: open the page in the browser"},
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

/* ---- JSON ---- */

/* "key": [texts] of the report's lines with this label */
static void print_list(const sn_check_report *r, const char *key, const char *want)
{
    char text[1200];
    const char *at = r->names;
    printf("\"%s\": [", key);
    for (int i = 0; (at = next_name(at, want, text, sizeof text)); i++) {
        if (i) printf(", ");
        cli_json_text(stdout, text);
    }
    printf("]");
}

static void print_numbers(const char *key, const double *x, int n)
{
    printf("\"%s\": [", key);
    for (int i = 0; i < n; i++) {
        if (i) printf(", ");
        cli_json_number(stdout, x[i]);
    }
    printf("]");
}

static void print_moved_json(const sn_check_report *r)
{
    const char *at = r->names;
    char text[512], node[400];
    double by[2];
    printf("\"moved\": [");
    for (int i = 0; (at = next_name(at, "moved", text, sizeof text)); i++) {
        if (sscanf(text, "%399s %lf %lf", node, &by[0], &by[1]) != 3) continue;
        printf("%s{\"node\": ", i ? ", " : "");
        cli_json_text(stdout, node);
        printf(", \"length\": %.9g, \"angle\": %.9g}", by[0], by[1]);
    }
    printf("]");
}

typedef struct body {
    char kind[100], name[400];
    double mass, centre[3], inertia[6], principal[3];
} body;

/* The next body of the report's lines; returns where to go on, or NULL. */
static const char *next_body(const char *at, body *b)
{
    char text[1200];
    at = next_name(at, "body", text, sizeof text);
    if (!at) return NULL;
    double *c = b->centre, *i = b->inertia, *p = b->principal;
    if (sscanf(text, "%99s %399s %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", b->kind, b->name,
               &b->mass, &c[0], &c[1], &c[2], &i[0], &i[1], &i[2], &i[3], &i[4], &i[5], &p[0], &p[1],
               &p[2]) != 15)
        b->name[0] = 0;
    return at;
}

static void print_bodies_json(const sn_check_report *r)
{
    body b;
    const char *at = r->names;
    printf("\"bodies\": [");
    for (int i = 0; (at = next_body(at, &b)); i++) {
        printf("%s{\"name\": ", i ? ", " : "");
        cli_json_text(stdout, b.name);
        printf(", \"kind\": ");
        cli_json_text(stdout, b.kind);
        printf(", \"mass\": ");
        cli_json_number(stdout, b.mass);
        printf(", ");
        print_numbers("centre", b.centre, 3);
        printf(", ");
        print_numbers("inertia", b.inertia, 6);
        printf(", ");
        print_numbers("principal", b.principal, 3);
        printf("}");
    }
    printf("]");
}

static void print_rigid_json(const sn_check_report *r)
{
    printf("\"rigid\": {\"ways\": ");
    if (r->rigid.ways < 0)
        printf("null");
    else
        printf("%d", r->rigid.ways);
    printf(", \"driven\": %d, \"redundant\": %d, \"flexible_members\": %s, \"singular\": %d, ",
           r->rigid.driven, r->rigid.redundant, r->rigid.flexible ? "true" : "false", r->rigid.singular);
    printf("\"instantaneous\": %s, \"dead_centre\": %s, ", r->rigid.instantaneous ? "true" : "false",
           r->rigid.dead_centre ? "true" : "false");
    print_list(r, "moving", "mobile");
    printf(", ");
    print_list(r, "idle_drives", "idle");
    printf("}");
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
    printf(", ");
    print_numbers("com", r->com, 3);
    printf(", \"violation_position\": ");
    cli_json_number(stdout, r->violation_q);
    printf(", \"violation_velocity\": ");
    cli_json_number(stdout, r->violation_v);
    for (int k = 0; k < 4; k++) printf(", "), print_list(r, label[k], label[k]);
    printf(", \"locked\": ");
    if (next_name(r->names, "locked", name, sizeof name))
        cli_json_text(stdout, name);
    else
        printf("null");
    printf(", ");
    print_moved_json(r);
    printf(", \"assembles\": %s", r->n_moved < 0 ? "false" : "true");
    static const char *const list[][2] = {
        {"unmet", "unmet"},        {"meshes", "mesh"},      {"mesh_faults", "badmesh"}, {"welds", "weld"},
        {"taken_as_zero", "zero"}, {"defaults", "default"}, {"joints_apart", "apart"}};
    for (int k = 0; k < 7; k++) printf(", "), print_list(r, list[k][0], list[k][1]);
    printf(", ");
    print_rigid_json(r);
    printf(", ");
    print_bodies_json(r);
    printf("}\n");
}

/* ---- text ---- */

enum { SHOWN = 12 };

/* "a, b, c and 4 more" of the report's lines with this label, between the separators */
static void print_names_of(const sn_check_report *r, const char *want, const char *between)
{
    char text[1200];
    const char *at = r->names;
    int n = 0;
    while ((at = next_name(at, want, text, sizeof text)))
        if (++n <= SHOWN) cli_say(stdout, "%s%s", n > 1 ? between : "", text);
    if (n > SHOWN) printf(" and %d more", n - SHOWN);
}

static void print_bodies(const sn_check_report *r)
{
    body b;
    int n = 0;
    for (const char *at = r->names; (at = next_body(at, &b));) {
        if (++n > SHOWN) continue;
        cli_say(stdout, "  %s '%s': ", b.kind, b.name);
        if (!(b.mass > 0)) {
            printf("no mass\n");
            continue;
        }
        printf("%s kg at [%s, %s", cli_figure(b.mass), cli_figure(b.centre[0]), cli_figure(b.centre[1]));
        if (r->dim == 3) {
            printf(", %s] m, principal moments [%s, %s", cli_figure(b.centre[2]), cli_figure(b.principal[0]),
                   cli_figure(b.principal[1]));
            printf(", %s] kg*m^2\n", cli_figure(b.principal[2]));
        } else {
            printf("] m, inertia %s kg*m^2\n", cli_figure(b.inertia[2]));
        }
    }
    if (n > SHOWN) printf("  and %d more (all with --json)\n", n - SHOWN);
}

static void print_rigid(const sn_check_report *r)
{
    char name[1200];
    const char *members = r->rigid.flexible ? "with its flexible members taken as rigid " : "";
    if (r->rigid.ways < 0) return;
    if (r->rigid.ways == 0)
        printf("%sit does not move%s", members,
               r->rigid.flexible ? ": a structure, which can only deform" : "");
    else
        printf("%sit moves in %d way%s", members, r->rigid.ways, r->rigid.ways == 1 ? "" : "s");
    if (r->rigid.ways && r->rigid.driven)
        printf(r->rigid.driven == r->rigid.ways ? ", all driven" : ", %d of them driven", r->rigid.driven);
    if (r->rigid.ways) printf(": ");
    print_names_of(r, "mobile", ", ");
    printf("\n");
    if (r->rigid.redundant)
        printf("%s%d of the equations follow from the others: what does not fit exactly is forced together\n",
               members, r->rigid.redundant);
    if (next_name(r->names, "idle", name, sizeof name)) {
        printf("driven against rigid members, so that something has to deform: ");
        print_names_of(r, "idle", ", ");
        printf("\n");
    }
    if (r->rigid.instantaneous)
        printf("%sit is in a singular position: it moves in %s for an instant only, not further\n", members,
               r->rigid.ways == 1 ? "this way" : "these ways");
    if (r->rigid.singular)
        printf(
            "%sit is in a singular position: %d of these ways exist%s here only; begin a little beside it\n",
            members, r->rigid.singular, r->rigid.singular == 1 ? "s" : "");
    if (r->rigid.dead_centre)
        printf("%sit is at a dead centre: here the drives do not determine the motion; begin a little beside "
               "it\n",
               members);
}

static void print_start(const sn_check_report *r)
{
    char name[512], node[400];
    double by[2];
    const char *at = r->names;
    printf("constraint violation at the start: position %.3g, velocity %.3g\n", r->violation_q,
           r->violation_v);
    for (int i = 0; (at = next_name(at, "neutral", name, sizeof name)); i++)
        cli_say(stdout, "%s%s", i ? ", " : "nothing but inertia holds ", name);
    if (next_name(r->names, "neutral", name, sizeof name)) printf(": 'sinew static' leaves it where it is\n");
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

/* "head" and the lines with this label below it, if there are any */
static void print_lines(const sn_check_report *r, const char *want, const char *head)
{
    char text[1200];
    if (!next_name(r->names, want, text, sizeof text)) return;
    printf("%s\n  ", head);
    print_names_of(r, want, "\n  ");
    printf("\n");
}

static void print_table(const sn_model *model, const sn_check_report *r)
{
    const sn_sizes *s = &r->sizes;
    char mesh[1024];
    if (sn_model_title(model)[0]) cli_say(stdout, "%s\n", sn_model_title(model));
    printf("nodes %d, elements %d, joints %d, signals %d, sensors %d\n", s->nodes, s->elements, s->joints,
           s->signals, s->sensors);
    printf("coordinates %d, equations %d (%d independent), degrees of freedom %d\n", s->nv, s->m,
           r->independent, r->freedom);
    print_rigid(r);
    printf("mass %s kg", cli_figure(r->mass));
    if (r->mass > 0)
        printf(", centre of mass [%s, %s, %s] m", cli_figure(r->com[0]), cli_figure(r->com[1]),
               cli_figure(r->com[2]));
    printf("\n");
    print_bodies(r);
    print_start(r);
    print_lines(r, "weld", "fastened to each other without a joint that moves:");
    print_lines(r, "zero", "not written, and zero:");
    print_lines(r, "default", "not written, by default:");
    for (const char *at = r->names; (at = next_name(at, "mesh", mesh, sizeof mesh));)
        cli_say(stdout, "mesh %s\n", mesh);
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
    for (const char *at = r->names; (at = next_name(at, "apart", name, sizeof name));) cli_warning(name);
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

/* ---- the page ---- */

/* The start as a result of one frame, in a folder that goes again, and its page. */
static int draw(const cli_job *job, const cli_model *m)
{
    char folder[400], result[800];
    char *page = cli_out_path(job, "-check.html");
    const char *slash = strrchr(job->operand[0], '/'), *base = slash ? slash + 1 : job->operand[0];
    const sn_page_options with = {.begin = "names=parts"};
    sn_run_options o;
    sn_info info;
    sn_err err;
    int lock, code = page ? cli_run_options(job, m, &o) : CLI_USAGE;
    if (!code) code = cli_folder_make(folder, sizeof folder, &lock);
    if (code) {
        free(page);
        return code;
    }
    sn_err_clear(&err);
    snprintf(result, sizeof result, "%s/%.*s.h5", folder, (int)strcspn(base, "."), base);
    o.step = 1e-9, o.end = o.begin + o.step, o.output = o.step,
    o.error = 0; /* the start, and no way from it */
    sn_status s = sn_run_file(m->model, m->values, &o, result, &info, &err);
    const char *from[] = {result};
    if (!s) s = sn_results_page(1, from, &with, page, &err);
    if (s) code = cli_report(&err, s);
    cli_folder_remove(folder, lock);
    if (!code && !job->quiet && !job->json)
        cli_say(stdout, job->open ? "%s\n" : "%s: open it in a browser\n", page);
    if (!code && job->open) code = cli_browser_open(page, "check");
    free(page);
    return code;
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
            if (job->draw && !code) code = draw(job, &m);
        }
        sn_release(r.names);
    }
    cli_model_close(&m);
    return code;
}

const cli_command cli_cmd_check = {
    .name = "check",
    .line = "what a model is: freedom, masses, welds, redundant joints, what is missing",
    .operands = "MODEL",
    .text =
        "Reads the model and tells what it consists of: in how many ways it moves, also with its flexible\n"
        "members taken as rigid, and what moves; mass, centre and inertia of its elements; what is welded to "
        "what;\nwhat was not written and is zero. Redundant equations are warnings; what nothing "
        "holds, and constraints that\ncannot be met together, are errors.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_check,
};
