/* sinew export: a result file as CSV. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"csv", 0, NULL, 0, offsetof(cli_job, csv), "comma separated values (the default)"},
    {"out", 'o', "FILE", 0, offsetof(cli_job, out),
     "output file (default: the result's name with .csv); -: standard output"},
    {"all", 0, NULL, 0, offsetof(cli_job, all), "states too, not the sensors only"},
    {"units", 0, NULL, 0, offsetof(cli_job, units), "a second line with the units, beginning with #"},
    {.name = NULL},
};

static int main_export(cli_job *job)
{
    sn_err err;
    sn_err_clear(&err);
    if (job->out && !strcmp(job->out, "-")) {
        sn_status s = sn_result_csv(job->operand[0], NULL, job->all, job->units, &err);
        return s ? cli_report(&err, s) : 0;
    }
    char *path = cli_out_path(job, ".csv");
    if (!path) return CLI_USAGE;
    sn_status s = sn_result_csv(job->operand[0], path, job->all, job->units, &err);
    free(path);
    return s ? cli_report(&err, s) : 0;
}

const cli_command cli_cmd_export = {
    .name = "export",
    .line = "a result file as CSV",
    .operands = "RESULT",
    .text = "Writes the sensors of a result as CSV. Works on partial results and while a run goes on.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_export,
};
