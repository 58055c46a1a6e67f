/* sinew identify: parameters from measured signals. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"out", 'o', "FOLDER", 0, offsetof(cli_job, out),
     "folder for study.json, study.h5 and report.html (default: the study's name, in the current folder)"},
    {"data", 0, "FILE", 0, offsetof(cli_job, data), "CSV file in place of the study's data"},
    {"start", 0, "NAME=VALUE", 1, offsetof(cli_job, start),
     "start value in place of the study's (repeatable)"},
    CLI_OPTION_SET,
    {"end", 0, "TIME", 0, offsetof(cli_job, end), "use the data up to this time: 2, '2 s'"},
    CLI_OPTIONS_STEPS,
    {"try", 0, "[WORDS]", 0, offsetof(cli_job, tried),
     "test whether another number of the model would explain the residuals: all of them, or those with these "
     "words"},
    {"resume", 0, NULL, 0, offsetof(cli_job, resume),
     "continue from what the folder keeps of an earlier search, finished or not"},
    {"refine", 0, NULL, 0, offsetof(cli_job, refine),
     "refine time step and meshes until they change no estimate by more than 0.3 standard errors"},
    {"follow", 0, NULL, 0, offsetof(cli_job, follow),
     "on-line: read CSV rows from standard input as they come, write a row of estimates for each to standard "
     "output"},
    {"threads", 0, "N", 0, offsetof(cli_job, threads), "threads to use (default: one for each core)"},
    {"strict", 0, NULL, 0, offsetof(cli_job, strict), "exit code 1 for warnings as well"},
    {"lenient", 0, NULL, 0, offsetof(cli_job, lenient),
     "exit code 0 whatever the verdicts, converged or not, if the files were written"},
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print study.json instead of the summary"},
    {.name = NULL},
};

static void note(void *watch, const char *text)
{
    const cli_watch *w = watch;
    if (!w->quiet) fprintf(stderr, "note: %s\n", text);
}

/* The exit code of an estimate that was written. */
static int verdict(const cli_job *job, const sn_identify_info *info)
{
    if (info->stopped) return cli_exit(SN_ERR_INTERRUPTED);
    if (job->lenient) return 0;
    return !info->converged || info->n_bad || (job->strict && info->n_warning);
}

static int main_identify(cli_job *job)
{
    sn_identify_options o = {.data = job->data,
                             .start = job->start.item,
                             .n_start = job->start.n,
                             .end = job->end,
                             .scheme = job->scheme,
                             .solver = job->solver,
                             .command = job->command,
                             .tried = job->tried,
                             .resume = job->resume,
                             .refine = job->refine,
                             .json = job->json};
    sn_identify_info info;
    cli_watch watch = {0};
    sn_err err;
    if (job->strict && job->lenient) {
        cli_error("--strict and --lenient contradict each other");
        return CLI_USAGE;
    }
    if (job->follow) return cli_follow(job);
    if (cli_threads(job, &o.threads)) return CLI_USAGE;
    char **set = cli_settings(job, &o.n_set);
    if (!set) return cli_report(NULL, SN_ERR_MEMORY);
    o.set = (const char *const *)set;
    if (job->n_operand > 1) {
        o.progress = cli_watch_progress, o.state = cli_watch_state, o.message = note, o.ctx = &watch;
        int code = cli_compare(job, &o, &watch);
        free(set);
        return code;
    }
    char *folder = job->out ? NULL : cli_out_folder(job->operand[0], "-fit");
    o.folder = job->out ? job->out : folder;
    if (!o.folder) return cli_report(NULL, SN_ERR_MEMORY);
    o.progress = cli_watch_progress, o.state = cli_watch_state, o.message = note, o.ctx = &watch;
    sn_err_clear(&err);
    cli_watch_begin(&watch, !job->quiet);
    cli_watch_limit(0);
    sn_status s = sn_identify(job->operand[0], &o, &info, &err);
    cli_watch_end(&watch);
    int code = s ? cli_report(&err, s) : 0;
    if (!s && job->json)
        printf("%s", info.json);
    else if (!s && !job->quiet)
        cli_say(stdout, "%s\nreport: %s/report.html\n", info.summary, o.folder);
    if (!s) code = verdict(job, &info);
    sn_release(info.summary), sn_release(info.json);
    cli_watch_free(&watch);
    free(folder), free(set);
    return code;
}

const cli_command cli_cmd_identify = {
    .name = "identify",
    .line = "parameters and forces from measured signals, with their uncertainty",
    .operands = "STUDY [OTHER ...]",
    .text =
        "Finds the unknowns of a study file from its data, says how far to believe them, and writes a "
        "report.\n"
        "Exit code 0: converged, and no verdict is bad; 1: not so (the files are there, and say why); 2: bad "
        "input; 130 after Ctrl-C, 143 after SIGTERM, which keep the best so far. --strict counts warnings as "
        "bad, --lenient nothing. Every simulation is kept in the folder at once: --resume goes on where a "
        "search was cut off, whatever ended it.\n"
        "Several studies of the same data are fitted one after the other and ranked by what the data say "
        "of them: compare.json, and a folder for each, in the folder of -o. The exit code is that of the "
        "best "
        "one; what is finished when it is stopped is ranked.\n"
        "--follow: the study is a filter on-line (method: kalman). The first line of standard input names "
        "the "
        "columns, as in a data file; every row that follows is answered by a row with time, estimates and "
        "standard errors, until the input ends (exit code 0) or a signal comes. A row that cannot be used "
        "(its number of columns, text, time that goes back) is told with line and column and left out; "
        "--strict ends there, with exit code 2.",
    .min = 1,
    .max = CLI_OPERANDS,
    .options = options,
    .run = main_identify,
};
