/* sinew linearise: the matrices of the equations linearised at a state. */
#include "cli.h"

#include <stdlib.h>

static const cli_option options[] = {
    {"at", 0, "WHERE", 0, offsetof(cli_job, at),
     "linearise at: start (default), static (the equilibrium), steady (a "
     "steady motion near the start), or a time of the run"},
    CLI_OPTION_SET,
    {"out", 'o', "FILE", 0, offsetof(cli_job, out),
     "HDF5 file (default: the model's name with -linear.h5, in the current folder; none with --mtx alone)"},
    {"mtx", 0, "FOLDER", 0, offsetof(cli_job, mtx),
     "MatrixMarket files M.mtx, C.mtx, K.mtx, B.mtx ... and lists of names in this folder"},
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print one JSON object"},
    {.name = NULL},
};

typedef struct sizes {
    int nv, m, nonzeros[4];
    double t;
} sizes;

static sn_status measure(void *ctx, const sn_linear *l, sn_err *err)
{
    sizes *s = ctx;
    const sn_sparse *const all[4] = {&l->M, &l->C, &l->K, &l->B};
    (void)err;
    s->nv = l->nv, s->m = l->m, s->t = l->state->t;
    for (int i = 0; i < 4; i++) s->nonzeros[i] = all[i]->first[all[i]->cols];
    return SN_OK;
}

static void print_json(const cli_job *job, const char *path, const sizes *s, const cli_watch *w)
{
    static const char *const name[4] = {"M", "C", "K", "B"};
    printf("{\"file\": ");
    if (path)
        cli_json_text(stdout, path);
    else
        printf("null");
    printf(", \"mtx\": ");
    if (job->mtx)
        cli_json_text(stdout, job->mtx);
    else
        printf("null");
    printf(", \"t\": ");
    cli_json_number(stdout, s->t);
    printf(", \"coordinates\": %d, \"equations\": %d, \"nonzeros\": {", s->nv, s->m);
    for (int i = 0; i < 4; i++) printf("%s\"%s\": %d", i ? ", " : "", name[i], s->nonzeros[i]);
    printf("}, ");
    cli_json_warnings(stdout, w);
    printf("}\n");
}

static int solve(const cli_job *job, const cli_model *m, const char *path, cli_watch *watch)
{
    sn_err err;
    sizes s = {0};
    sn_linear_options o = sn_linear_options_default(m->model, m->values);
    int code = cli_at(job, m, &o.at_static, &o.at_steady, &o.at_time);
    if (code) return code;
    sn_err_clear(&err);
    o.take = measure, o.ctx = &s;
    o.run.message = cli_watch_message, o.run.ctx = watch;
    sn_status status = sn_linearise_file(m->model, m->values, &o, path, job->mtx, &err);
    if (status) return cli_report(&err, status);
    if (job->json) {
        print_json(job, path, &s, watch);
        return 0;
    }
    printf("%d coordinates, %d equations at t = %.6g s; nonzeros M %d, C %d, K %d, B %d\n", s.nv, s.m, s.t,
           s.nonzeros[0], s.nonzeros[1], s.nonzeros[2], s.nonzeros[3]);
    if (path) cli_say(stdout, "matrices: %s\n", path);
    if (job->mtx) cli_say(stdout, "matrices: %s/M.mtx ...\n", job->mtx);
    return 0;
}

static int main_linearise(cli_job *job)
{
    cli_model m = {NULL, NULL};
    cli_watch watch = {0};
    char *path = job->mtx && !job->out ? NULL : cli_out_path(job, "-linear.h5");
    if (!path && !(job->mtx && !job->out)) return CLI_USAGE;
    int code = cli_model_open(job, &m);
    if (!code) code = solve(job, &m, path, &watch);
    cli_watch_free(&watch);
    cli_model_close(&m);
    free(path);
    return code;
}

const cli_command cli_cmd_linearise = {
    .name = "linearise",
    .line = "matrices M, C, K, B of the linearised equations",
    .operands = "MODEL",
    .text = "Linearises the equations of motion at a state and writes their matrices to an HDF5 file, or to "
            "MatrixMarket files.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_linearise,
};
