/* sinew export: a result file as CSV, as VTK files for ParaView, as a MATLAB file. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const cli_option options[] = {
    {"csv", 0, NULL, 0, offsetof(cli_job, csv), "comma separated values (the default): the sensors"},
    {"vtk", 0, NULL, 0, offsetof(cli_job, vtk),
     "for ParaView: the moving mechanism, FILE.pvd and a folder FILE with one .vtu file a frame"},
    {"mat", 0, NULL, 0, offsetof(cli_job, mat), "MATLAB file: a struct of times, sensors and states"},
    {"out", 'o', "FILE", 0, offsetof(cli_job, out),
     "output file (default: the result's name with .csv, .pvd or .mat); -: CSV to standard output"},
    {"all", 0, NULL, 0, offsetof(cli_job, all), "CSV: states too, not the sensors only"},
    {"units", 0, NULL, 0, offsetof(cli_job, units), "CSV: a second line with the units, beginning with #"},
    {.name = NULL},
};

static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    return dot && dot > base ? dot : "";
}

/* Without a format the ending of -o says it; a name without an ending, a pipe or a device is CSV. */
static int choose_format(cli_job *job)
{
    static const char *const plain[] = {"", ".csv", ".txt", ".dat"};
    struct stat st;
    if (job->csv || job->vtk || job->mat) return 0;
    const char *ending = job->out ? ending_of(job->out) : "";
    job->vtk = !strcmp(ending, ".pvd");
    job->mat = !strcmp(ending, ".mat");
    job->csv = job->out && !stat(job->out, &st) && !S_ISREG(st.st_mode);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) job->csv |= !strcmp(ending, plain[i]);
    if (job->csv || job->vtk || job->mat) return 0;
    char *path = cli_out_path(job, ""); /* the input itself is the better thing to complain about */
    if (!path) return CLI_USAGE;
    free(path);
    cli_error("export: unknown ending '%s': .csv, .pvd (ParaView) and .mat (MATLAB) are known; --csv, --vtk "
              "or --mat say what is meant",
              ending);
    return CLI_USAGE;
}

static int check_out(const cli_job *job)
{
    if (!job->out) return 0;
    if (job->csv + job->vtk + job->mat > 1) {
        cli_error("export: -o names one output: ask for one format, or leave -o away");
        return CLI_USAGE;
    }
    if (job->csv) return 0;
    const char *want = job->vtk ? ".pvd" : ".mat", *format = job->vtk ? "--vtk" : "--mat";
    if (!strcmp(job->out, "-")) {
        cli_error("export: %s cannot go to standard output: -o NAME%s", format, want);
        return CLI_USAGE;
    }
    if (strcmp(ending_of(job->out), want)) {
        cli_error("export: '%s': the output of %s must end with %s", job->out, format, want);
        return CLI_USAGE;
    }
    return 0;
}

static sn_status write_csv(const cli_job *job, const char *path, sn_err *err)
{
    return sn_result_csv(job->operand[0], path, job->all, job->units, err);
}

static sn_status write_vtk(const cli_job *job, const char *path, sn_err *err)
{
    return sn_result_vtk(job->operand[0], path, err);
}

static sn_status write_mat(const cli_job *job, const char *path, sn_err *err)
{
    return sn_result_mat(job->operand[0], path, err);
}

static int write_one(const cli_job *job, const char *ending,
                     sn_status (*write)(const cli_job *, const char *, sn_err *))
{
    sn_err err;
    sn_err_clear(&err);
    char *path = cli_out_path(job, ending);
    if (!path) return CLI_USAGE;
    sn_status s = write(job, strcmp(path, "-") ? path : NULL, &err);
    free(path);
    return s ? cli_report(&err, s) : 0;
}

static int main_export(cli_job *job)
{
    int code = choose_format(job);
    if (!code) code = check_out(job);
    if (!code && job->csv) code = write_one(job, ".csv", write_csv);
    if (!code && job->vtk) code = write_one(job, ".pvd", write_vtk);
    if (!code && job->mat) code = write_one(job, ".mat", write_mat);
    return code;
}

const cli_command cli_cmd_export = {
    .name = "export",
    .line = "a result file as CSV, for ParaView or MATLAB",
    .operands = "RESULT",
    .text =
        "Writes the sensors of a result as CSV, the moving mechanism as VTK files, or sensors and states as\n"
        "a MATLAB file. Works on partial results and while a run goes on. The ending of -o is enough to "
        "say\nwhich.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_export,
};
