/* sinew view: result files, and data measured, as a page for the browser. */
#include "cli.h"

#include <stdlib.h>

static const cli_option options[] = {
    {"out", 'o', "FILE", 0, offsetof(cli_job, out), "the page (default: the result's name with .html)"},
    {"data", 0, "CSV", 1, offsetof(cli_job, measured),
     "measured data, drawn as points: the time first, then columns named as sensors (tip.x)"},
    {"quiet", 'q', NULL, 0, offsetof(cli_job, quiet), "print nothing"},
    {.name = NULL},
};

static int main_view(cli_job *job)
{
    sn_err err;
    sn_err_clear(&err);
    char *path = cli_out_path(job, ".html");
    if (!path) return CLI_USAGE;
    sn_status s =
        sn_results_page(job->n_operand, job->operand, job->measured.n, job->measured.item, path, &err);
    if (s == SN_OK && !job->quiet) printf("%s: open it in a browser\n", path);
    free(path);
    return s ? cli_report(&err, s) : 0;
}

const cli_command cli_cmd_view = {
    .name = "view",
    .line = "result files as a page that shows the mechanism and the sensors",
    .operands = "RESULT ...",
    .text = "Writes one HTML page with everything in it: the mechanism moving, the sensors as plots, the "
            "modes of\n"
            "'sinew modes' swinging. Works on partial results and while a run goes on. Several results are "
            "drawn over "
            "each\n"
            "other, their sensors of the same names into the same plots.",
    .min = 1,
    .max = CLI_OPERANDS,
    .options = options,
    .run = main_view,
};
