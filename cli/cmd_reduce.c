/* sinew reduce: a finite-element body, of own members or from another program, into a reduced one. */
#include "cli.h"

#include <unistd.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"interfaces", 0, "LIST", 0, offsetof(cli_job, interfaces),
     "where the body is attached: left,right by names of nodes or sets, left=1+2+7-12 by node numbers"},
    {"points", 0, "LIST", 0, offsetof(cli_job, points),
     "other points for sensors, given likewise; one node each"},
    {"place", 0, "NAME=X,Y,Z", 1, offsetof(cli_job, place),
     "position of an interface of several nodes (default: the middle of their bounding box; repeatable)"},
    {"modes", 0, "N", 0, offsetof(cli_job, count),
     "number of fixed-interface modes (default: 8, with --up-to 0)"},
    {"up-to", 0, "FREQUENCY", 0, offsetof(cli_job, until),
     "and all fixed-interface modes up to this frequency: 500, '2 kHz'"},
    {"free", 0, NULL, 0, offsetof(cli_job, free_modes),
     "free-free modes instead of constraint and fixed-interface modes"},
    {"at", 0, "WHERE", 0, offsetof(cli_job, at),
     "for a model: static, about its equilibrium (default: as written)"},
    CLI_OPTION_SET,
    {"mass", 0, "FILE", 0, offsetof(cli_job, mass),
     "mass matrix: MatrixMarket, lines 'row column number', HDF5 (body.h5:/M), Nastran op4 text "
     "(body.op4:MAA) or DMIG (body.pch:MAAX)"},
    {"stiffness", 0, "FILE", 0, offsetof(cli_job, stiffness), "stiffness matrix, in the same formats"},
    {"nodes", 0, "FILE", 0, offsetof(cli_job, nodes),
     "nodes of the matrices: a table id,x,y,z[,dofs], a mesh (.inp), GRID entries (.bdf), or HDF5 "
     "(body.h5:/nodes)"},
    {"dofs", 0, "FILE", 0, offsetof(cli_job, dofs),
     "lines 'node.direction' for the rows (default: node by node)"},
    {"units", 0, "LENGTH,MASS", 0, offsetof(cli_job, fe_units),
     "units of files with matrices: mm,t for N, mm and s (default: m,kg)"},
    {"recovery", 0, "FILE", 0, offsetof(cli_job, recovery),
     "recovery matrix, for instance of stresses: MatrixMarket or HDF5 (body.h5:/R)"},
    {"out", 'o', "FILE", 0, offsetof(cli_job, out),
     "HDF5 file (default: the input's name with .h5, or -reduced.h5 for HDF5 input, in the current folder)"},
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object"},
    {.name = NULL},
};

typedef struct output {
    const cli_job *job;
    const char *path;
} output;

static void tell(void *ctx, const char *text)
{
    const output *o = ctx;
    if (!o->job->quiet && !o->job->json && isatty(STDERR_FILENO)) cli_say(stderr, "sinew reduce: %s\n", text);
}

static void json_numbers(const char *key, int n, const double *x)
{
    printf(", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        if (i) printf(", ");
        cli_json_number(stdout, x[i]);
    }
    printf("]");
}

static void print_json(const output *o, const sn_reduce_report *r)
{
    printf("{\"file\": ");
    cli_json_text(stdout, o->path);
    printf(", \"coordinates\": %d, \"nodes\": %d, \"modes\": %d, \"mass\": ", r->coordinates, r->nodes,
           r->modes);
    cli_json_number(stdout, r->mass);
    json_numbers("centre", 3, r->centre), json_numbers("inertia", 9, r->inertia);
    json_numbers("frequency", r->modes, r->frequency);
    printf(", \"interfaces\": [");
    for (int i = 0; i < r->interfaces; i++) {
        if (i) printf(", ");
        cli_json_text(stdout, r->point[i]);
    }
    printf("], \"recovered\": %d, \"products\": %s, \"buckling\": ", r->recovered,
           r->products ? "true" : "false");
    cli_json_number(stdout, r->buckling > 0 ? r->buckling : NAN);
    printf(", \"recipe\": ");
    cli_json_text(stdout, r->recipe);
    printf("}\n");
}

static void print_table(const output *o, const sn_reduce_report *r)
{
    printf("%d coordinates of %d nodes, %d interface%s:", r->coordinates, r->nodes, r->interfaces,
           r->interfaces == 1 ? "" : "s");
    for (int i = 0; i < r->interfaces; i++) cli_say(stdout, "%s %s", i ? "," : "", r->point[i]);
    printf("\nmass %s kg, centre [%s, %s, %s] m\n", cli_figure(r->mass), cli_figure(r->centre[0]),
           cli_figure(r->centre[1]), cli_figure(r->centre[2]));
    printf("inertia about it %s %s %s, products %s %s %s kg*m^2\n", cli_figure(r->inertia[0]),
           cli_figure(r->inertia[4]), cli_figure(r->inertia[8]), cli_figure(r->inertia[1]),
           cli_figure(r->inertia[2]), cli_figure(r->inertia[5]));
    printf("%d modes, all that are left without the six rigid-body motions; frequencies with nothing held "
           "(Hz):\n",
           r->modes);
    for (int i = 0; i < r->modes; i++) printf("%s%11.5g", i && i % 8 == 0 ? "\n" : "", r->frequency[i]);
    printf("\n");
    if (r->buckling > 0) {
        printf("buckling load %.6g N ", r->buckling);
        cli_say(stdout, "between %s and %s\n", r->point[0], r->point[1]);
    }
    if (r->recovered) printf("forces or stresses are recovered at %d places\n", r->recovered);
    if (!r->products)
        printf("the mass matrix does not tell the integrals of products of modes: body_fncf cannot use it\n");
    cli_say(stdout, "%s\n", o->path);
}

static void report(void *ctx, const sn_reduce_report *r)
{
    const output *o = ctx;
    if (o->job->json)
        print_json(o, r);
    else if (!o->job->quiet)
        print_table(o, r);
}

/* A number, and of a frequency its unit */
static int number(const char *text, const char *what, int whole, double *x)
{
    char *end;
    *x = strtod(text, &end);
    while (*end == ' ') end++;
    if (!whole && !strcmp(end, "kHz")) *x *= 1000, end += 3;
    if (!whole && !strcmp(end, "Hz")) end += 2;
    if (end != text && !*end && isfinite(*x) && *x >= 0 && (!whole || (*x == floor(*x) && *x < 1e6)))
        return 0;
    cli_error("'%s' is not a %s", text, what);
    return CLI_USAGE;
}

static int fill(const cli_job *job, sn_reduce_options *o)
{
    double x;
    o->model = job->n_operand ? job->operand[0] : NULL;
    o->mass = job->mass, o->stiffness = job->stiffness, o->nodes = job->nodes, o->dofs = job->dofs;
    o->units = job->fe_units, o->recovery = job->recovery, o->interfaces = job->interfaces,
    o->points = job->points;
    o->n_place = job->place.n, o->place = job->place.item, o->n_set = job->set.n, o->set = job->set.item;
    o->free = job->free_modes;
    if (job->count) {
        if (number(job->count, "number of modes", 1, &x)) return CLI_USAGE;
        o->modes = (int)x;
    }
    if (job->until && number(job->until, "frequency: 500, '500 Hz' or '2 kHz'", 0, &o->up_to))
        return CLI_USAGE;
    if (job->at && strcmp(job->at, "static") != 0) {
        cli_error("--at %s: a body is reduced as written, or at 'static'", job->at);
        return CLI_USAGE;
    }
    o->at_static = job->at != NULL;
    if (!job->n_operand && !job->mass) {
        cli_error("a model is missing, or --mass, --stiffness and --nodes (try 'sinew reduce --help')");
        return CLI_USAGE;
    }
    return 0;
}

/* The default name of the output comes from the model or from the mass matrix: body-reduced.h5 of
   body.h5:/M */
static char *output_path(const cli_job *job)
{
    cli_job named = *job;
    if (job->n_operand) return cli_out_path(job, ".h5");
    char *input = strdup(job->mass);
    if (!input) {
        cli_report(NULL, SN_ERR_MEMORY);
        return NULL;
    }
    char *h5 = strstr(input, ".h5");
    if (!h5) h5 = strstr(input, ".hdf5");
    char *object = h5 ? strchr(h5, ':') : NULL;
    if (object) *object = 0;
    named.operand[0] = input, named.n_operand = 1;
    char *path = cli_out_path(&named, h5 ? "-reduced.h5" : ".h5");
    free(input);
    return path;
}

static int main_reduce(cli_job *job)
{
    sn_reduce_options o = sn_reduce_options_default();
    sn_err err;
    output to = {job, NULL};
    sn_err_clear(&err);
    int code = fill(job, &o);
    if (code) return code;
    char *path = output_path(job);
    if (!path) return CLI_USAGE;
    to.path = path;
    o.tell = tell, o.report = report, o.ctx = &to;
    sn_status s = sn_reduce(&o, path, &err);
    if (s) code = cli_report(&err, s);
    free(path);
    return code;
}

const cli_command cli_cmd_reduce = {
    .name = "reduce",
    .line = "a finite-element body into a reduced one for body_ffr and body_fncf",
    .operands = "[MODEL]",
    .text =
        "Reduces a body to its static modes by the interfaces and the lowest modes with them held (Craig and "
        "Bampton), orthonormal, without rigid-body motions; none of the rest is left out. MODEL is a model "
        "of "
        "beams, shells, rigid bodies, springs and rigid joints; or NAME.inp, a mesh of CalculiX with the "
        "matrices "
        "NAME.mas, NAME.sti, NAME.dof that *FREQUENCY, SOLVER=MATRIXSTORAGE stores. Without it matrices and "
        "nodes are given.",
    .min = 0,
    .max = 1,
    .options = options,
    .run = main_reduce,
};
