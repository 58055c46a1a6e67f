/* sinew design: the experiment before it is made. */
#include "cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"out", 'o', "FOLDER", 0, offsetof(cli_job, out),
     "folder for design.json, design.yaml and design.html (default: the study's name, in the current "
     "folder)"},
    {"start", 0, "NAME=VALUE", 1, offsetof(cli_job, start),
     "expected value in place of the study's (repeatable)"},
    CLI_OPTION_SET,
    CLI_OPTIONS_STEPS,
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print design.json instead of the summary"},
    {.name = NULL},
};

static int main_design(cli_job *job)
{
    sn_design_options o = {.start = job->start.item,
                           .n_start = job->start.n,
                           .scheme = job->scheme,
                           .solver = job->solver,
                           .json = job->json};
    sn_design_info info;
    cli_watch watch = {0};
    sn_err err;
    char **set = cli_settings(job, &o.n_set);
    if (!set) return cli_report(NULL, SN_ERR_MEMORY);
    o.set = (const char *const *)set;
    char *folder = job->out ? NULL : cli_out_folder(job->operand[0], "-design");
    o.folder = job->out ? job->out : folder;
    if (!o.folder) return cli_report(NULL, SN_ERR_MEMORY);
    o.progress = cli_watch_progress, o.ctx = &watch;
    sn_err_clear(&err);
    cli_watch_begin(&watch, !job->quiet);
    cli_watch_limit(SIGINT); /* the best so far takes another run */
    sn_status s = sn_design(job->operand[0], &o, &info, &err);
    cli_watch_end(&watch);
    int code = s ? cli_report(&err, s) : info.stopped ? cli_exit(SN_ERR_INTERRUPTED) : info.reached ? 0 : 1;
    if (!s && job->json)
        printf("%s", info.json);
    else if (!s && !job->quiet)
        cli_say(stdout, "%s\nstudy for the data: %s/design.yaml\nreport: %s/design.html\n", info.summary,
                o.folder, o.folder);
    sn_release(info.summary), sn_release(info.json);
    cli_watch_free(&watch);
    free(folder), free(set);
    return code;
}

const cli_command cli_cmd_design = {
    .name = "design",
    .line = "which sensors, excitation and duration would determine the unknowns",
    .operands = "STUDY",
    .text = "Plans an experiment: chooses sensors, excitation, duration and sampling rate for the unknowns "
            "of a study file, as its section 'design' asks; shows what each sensor adds and the standard "
            "errors to expect, and writes a study that is ready for the data.\nExit code 1: the goals cannot "
            "be reached (without goals: an unknown cannot be determined). Ctrl-C (130) and SIGTERM (143) "
            "keep the best design so far.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_design,
};
