/* Watching a run: the progress line on a terminal, warnings, and stopping by SIGINT, SIGTERM or SIGHUP. The
   first signal asks the run to stop at its next step, the second ends the program as if nobody had caught it.
 */
#include "cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
    if (stop) {
        signal(number, SIG_DFL);
        raise(number);
    }
    stop = 1;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One write, so that lines of others cannot come in between. */
static void put(const char *text, int length)
{
    ssize_t written = write(STDERR_FILENO, text, (size_t)length);
    (void)written; /* a line that cannot be shown is no reason to stop */
}

static void erase(cli_watch *w)
{
    if (w->drawn) put("\r\033[K", 4);
    w->drawn = 0;
}

void cli_watch_begin(cli_watch *w, int progress)
{
    const char *term = getenv("TERM");
    *w = (cli_watch){.show = progress && isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0,
                     .quiet = !progress};
    w->start = w->last = now();
    struct sigaction a, hup;
    memset(&a, 0, sizeof a);
    a.sa_handler = on_signal;
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    /* nohup has it ignored, and so it stays */
    if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler != SIG_IGN) sigaction(SIGHUP, &a, NULL);
}

void cli_watch_end(cli_watch *w)
{
    erase(w);
    w->show = 0;
}

void cli_watch_free(cli_watch *w)
{
    for (int i = 0; i < w->n_warning; i++) free(w->warning[i]);
    free(w->warning);
}

int cli_watch_progress(void *watch, double done, double t)
{
    cli_watch *w = watch;
    if (stop || !w->show) return stop;
    double time = now(), gone = time - w->start;
    if (time - w->last < 0.1) return 0;
    char line[128], left[48] = "";
    w->last = time;
    /* what goes by in no time, being kept from earlier, says nothing about the rest */
    if (gone > 0.5 && w->base_time == 0) w->base = done, w->base_time = time;
    if (w->base_time > 0 && done > w->base) {
        double rest = (time - w->base_time) * (1 - done) / (done - w->base) + 0.5;
        if (rest < 3.6e8)
            snprintf(left, sizeof left, "   %d:%02d:%02d to go", (int)(rest / 3600), (int)(rest / 60) % 60,
                     (int)rest % 60);
    }
    int n = snprintf(line, sizeof line, "\r\033[K%3.0f %%   t = %.4g s%s", 100 * done, t, left);
    put(line, n < (int)sizeof line ? n : (int)sizeof line - 1);
    w->drawn = 1;
    return 0;
}

void cli_watch_message(void *watch, const char *text)
{
    cli_watch *w = watch;
    erase(w);
    cli_warning(text);
    char **more = realloc(w->warning, sizeof *more * (size_t)(w->n_warning + 1)), *copy = NULL;
    if (!more) return;
    w->warning = more;
    copy = malloc(strlen(text) + 1);
    if (copy) w->warning[w->n_warning++] = strcpy(copy, text);
}

void cli_json_warnings(FILE *f, const cli_watch *w)
{
    fputs("\"warnings\": [", f);
    for (int i = 0; i < w->n_warning; i++) {
        if (i) fputs(", ", f);
        cli_json_text(f, w->warning[i]);
    }
    fputc(']', f);
}
