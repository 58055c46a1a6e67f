/* sinew compare: problems solved in several formulations, constraint methods and integrators. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"out", 'o', "FOLDER", 0, offsetof(cli_job, out),
     "folder for compare.html, .csv, .md and .json (default: the file's name with -compare, in the current "
     "folder)"},
    {"only", 0, "NAME", 1, offsetof(cli_job, only), "only this problem, or PROBLEM/VARIANT (repeatable)"},
    {"repeat", 0, "N", 0, offsetof(cli_job, count),
     "how often each case is timed, within one second (default: as the file says)"},
    {"resume", 0, NULL, 0, offsetof(cli_job, resume),
     "reuse the cases that the folder keeps of an earlier comparison"},
    {"strict", 0, NULL, 0, offsetof(cli_job, strict), "exit code 1 if a case failed"},
    {"json", 0, NULL, 0, offsetof(cli_job, json), "print compare.json instead of the tables"},
    {.name = NULL},
};

static void state(void *ctx, const char *text)
{
    cli_watch *w = ctx;
    snprintf(w->state, sizeof w->state, "%s", text);
}

static int repeat(const cli_job *job, int *n)
{
    char *end;
    *n = 0;
    if (!job->count) return 0;
    long x = strtol(job->count, &end, 10);
    if (end == job->count || *end || x < 1 || x > 1000) {
        cli_error("--repeat '%s': write a number from 1 to 1000", job->count);
        return CLI_USAGE;
    }
    *n = (int)x;
    return 0;
}

static int solve(const cli_job *job, sn_cases_options *o)
{
    cli_watch watch = {0};
    sn_cases_info info;
    sn_err err;
    sn_err_clear(&err);
    o->progress = cli_watch_progress, o->state = state, o->ctx = &watch;
    cli_watch_begin(&watch, !job->quiet);
    sn_status s = sn_compare_cases(job->operand[0], o, &info, &err);
    cli_watch_end(&watch);
    int code = s ? cli_report(&err, s) : 0;
    if (!s && job->json)
        printf("%s", info.json);
    else if (!s && !job->quiet)
        cli_say(stdout, "%s", info.summary), cli_say(stdout, "page: %s/compare.html\n", o->folder);
    if (!s && info.stopped) {
        fprintf(stderr, "stopped on request: what was finished is written, and --resume goes on\n");
        code = cli_exit(SN_ERR_INTERRUPTED);
    } else if (!s && job->strict && info.failed) {
        code = 1;
    }
    sn_release(info.summary), sn_release(info.json);
    cli_watch_free(&watch);
    return code;
}

static int main_compare(cli_job *job)
{
    sn_cases_options o = {.only = job->only.item, .n_only = job->only.n, .resume = job->resume};
    if (repeat(job, &o.repeat)) return CLI_USAGE;
    char *folder = job->out ? NULL : cli_out_folder(job->operand[0], "-compare");
    o.folder = job->out ? job->out : folder;
    int code = o.folder ? solve(job, &o) : cli_report(NULL, SN_ERR_MEMORY);
    free(folder);
    return code;
}

const cli_command cli_cmd_compare = {
    .name = "compare",
    .line = "formulations, constraint methods and integrators side by side: error against cost",
    .operands = "CASES",
    .text = "Solves the problems of a case file ('sinew help cases') with all their variants, on several "
            "meshes and with\nseveral steps, and writes one page and one table: errors, orders, CPU time, "
            "iterations, factors, conservation.\nA variant that fails is listed with the reason. Ctrl-C "
            "keeps what is finished, --resume continues.",
    .min = 1,
    .max = 1,
    .options = options,
    .run = main_compare,
};
