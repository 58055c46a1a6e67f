/* sinew view: result files, and data measured, as a page for the browser, written or served. */
#include "wishes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"out", 'o', "FILE", 0, offsetof(cli_job, out), "the page (default: the result's name with .html)"},
    {"serve", 0, NULL, 0, offsetof(cli_job, serve),
     "no file: a server on this machine hands the page the result in pieces, for large results; Ctrl-C ends "
     "it"},
    {"port", 0, "N", 0, offsetof(cli_job, port), "port of the server (default: a free one)"},
    {"data", 0, "CSV", 1, offsetof(cli_job, measured),
     "measured data, drawn as points: a column of times, then columns named like sensors (tip.x)"},
    CLI_OPTIONS_SCENE("begin: "),
    {"open", 0, NULL, 0, offsetof(cli_job, open), "open the page in the browser (BROWSER, or the desktop's)"},
    {.name = NULL},
};

typedef struct serving {
    cli_watch watch;
    int open;
} serving;

static void ready(void *ctx, const char *address)
{
    printf("%s\nopen it in a browser of this machine; Ctrl-C ends the server\n", address);
    fflush(stdout);
    if (((serving *)ctx)->open) cli_browser_open(address, "view");
}

static int stopped(void *ctx) { return cli_watch_progress(&((serving *)ctx)->watch, 0, 0); }

static int serve(cli_job *job, const char *begin)
{
    sn_err err;
    serving s = {.open = job->open};
    sn_serve_options o = {.ready = ready, .stop = stopped, .ctx = &s, .begin = begin};
    char *end = NULL;
    long port = job->port ? strtol(job->port, &end, 10) : 0;
    if (job->port && (end == job->port || *end || port < 1 || port > 65535)) {
        cli_error("view: --port %s: a number from 1 to 65535 is needed", job->port);
        return CLI_USAGE;
    }
    if (job->n_operand > 1 || job->measured.n) {
        cli_error("view: --serve shows one result alone: several, and --data, need a page that is written");
        return CLI_USAGE;
    }
    if (job->out) {
        cli_error("view: --serve writes no file: leave -o away");
        return CLI_USAGE;
    }
    o.port = (int)port;
    sn_err_clear(&err);
    cli_watch_begin(&s.watch, 0);
    sn_status st = sn_result_serve(job->operand[0], &o, &err);
    cli_watch_end(&s.watch);
    cli_watch_free(&s.watch);
    return st ? cli_report(&err, st) : 0;
}

static int main_view(cli_job *job)
{
    sn_err err;
    cli_address wishes = {.n = 0};
    int code = cli_address_put_wishes(&wishes, job, "view");
    const char *begin = wishes.n ? wishes.text + 1 : NULL; /* without the first & */
    if (code) return code;
    sn_err_clear(&err);
    if (job->serve) return serve(job, begin);
    if (job->port) {
        cli_error("view: --port is the server's: add --serve");
        return CLI_USAGE;
    }
    char *path = cli_out_path(job, ".html");
    if (!path) return CLI_USAGE;
    char manual[PATH_MAX];
    const sn_page_options with = {job->measured.n, job->measured.item, begin, cli_manual(manual)};
    sn_status s = sn_results_page(job->n_operand, job->operand, &with, path, &err);
    code = s ? cli_report(&err, s) : 0;
    if (!code && !job->quiet) cli_say(stdout, job->open ? "%s\n" : "%s: open it in a browser\n", path);
    if (!code && job->open) code = cli_browser_open(path, "view");
    free(path);
    return code;
}

const cli_command cli_cmd_view = {
    .name = "view",
    .line = "result files as a page that shows the mechanism and the sensors",
    .operands = "RESULT ...",
    .text = "Writes one HTML page with everything in it: the mechanism moving, the sensors as plots, the "
            "modes of\n"
            "'sinew modes' swinging. Works on partial results and while a run goes on. Several results are "
            "drawn over "
            "each\nother, their sensors of the same names into the same plots. With --serve the page asks a "
            "server for "
            "what it\nshows: for one result too large for a page.",
    .min = 1,
    .max = CLI_OPERANDS,
    .options = options,
    .run = main_view,
};
