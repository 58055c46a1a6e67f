/* sinew view: a result file as a page for the browser. */
#include "cli.h"

#include <stdlib.h>

static const cli_option options[] = {
    {"out", 'o', "FILE", 0, offsetof(cli_job, out), "the page (default: the result's name with .html)"},
    {"quiet", 'q', NULL, 0, offsetof(cli_job, quiet), "print nothing"},
    {.name = NULL},
};

static int main_view(cli_job *job)
{
    sn_err err;
    sn_err_clear(&err);
    char *path = cli_out_path(job, ".html");
    if (!path) return CLI_USAGE;
    sn_status s = sn_result_page(job->operand[0], path, &err);
    if (s == SN_OK && !job->quiet) printf("%s: open it in a browser\n", path);
    free(path);
    return s ? cli_report(&err, s) : 0;
}

const cli_command cli_cmd_view = {
    .name = "view",
    .line = "a result file as a page that shows the mechanism and the sensors",
    .operands = "RESULT",
    .text = "Writes one HTML page with everything in it: the mechanism moving, the sensors as plots, the "
            "modes of\n"
            "'sinew modes' swinging. Works on partial results and while a run goes on.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_view,
};
