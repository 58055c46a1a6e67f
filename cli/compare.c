/* sinew identify with several studies: which one do the data support? */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static void free_folders(char **folder, int n)
{
    for (int i = 0; i < n; i++) free(folder[i]);
}

/* A folder for each study, in that of -o; studies of the same name get a number. */
static int make_folders(const cli_job *job, char **folder)
{
    for (int i = 0; i < job->n_operand; i++) {
        char *name = cli_out_folder(job->operand[i], "-fit");
        size_t size = (name ? strlen(name) : 0) + (job->out ? strlen(job->out) : 0) + 16;
        folder[i] = name ? malloc(size) : NULL;
        if (!folder[i]) {
            free(name);
            return 0;
        }
        const char *in = job->out ? job->out : "", *slash = job->out ? "/" : "";
        snprintf(folder[i], size, "%s%s%s", in, slash, name);
        for (int number = 2, k = 0; k < i; k++)
            if (!strcmp(folder[k], folder[i])) {
                snprintf(folder[i], size, "%s%s%s-%d", in, slash, name, number++);
                k = -1;
            }
        free(name);
    }
    return 1;
}

/* The exit code of a comparison that was written: that of its best study. */
static int verdict(const cli_job *job, const sn_compare_info *info)
{
    if (info->stopped) return cli_exit(SN_ERR_INTERRUPTED);
    if (job->lenient) return 0;
    return info->level > 1 || (job->strict && info->level > 0);
}

int cli_compare(const cli_job *job, sn_identify_options *o, cli_watch *watch)
{
    char *folder[CLI_OPERANDS] = {NULL};
    sn_compare_info info = {0};
    sn_err err;
    if (!make_folders(job, folder)) {
        free_folders(folder, job->n_operand);
        return cli_report(NULL, SN_ERR_MEMORY);
    }
    o->folder = job->out ? job->out : ".";
    sn_err_clear(&err);
    cli_watch_begin(watch, !job->quiet);
    cli_watch_limit(0);
    sn_status s =
        sn_identify_compare(job->n_operand, job->operand, (const char *const *)folder, o, &info, &err);
    cli_watch_end(watch);
    int code = s ? cli_report(&err, s) : 0;
    if (!s && job->json)
        printf("%s", info.json);
    else if (!s && !job->quiet)
        cli_say(stdout, "%s", info.summary);
    if (!s && !job->json && !job->quiet && info.best >= 0)
        cli_say(stdout, "\nreport of %s: %s/report.html\nall of them: %s/compare.html\n",
                job->operand[info.best], folder[info.best], o->folder);
    if (!s) code = verdict(job, &info);
    sn_release(info.summary), sn_release(info.json);
    cli_watch_free(watch);
    free_folders(folder, job->n_operand);
    return code;
}
