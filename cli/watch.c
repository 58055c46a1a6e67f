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
static timer_t limit;
static volatile sig_atomic_t is_limited, is_patient;    /* is_patient: the signal without a limit, 0: none */
static const struct timespec patience = {.tv_sec = 10}; /* of its own time: a busy machine is no reason */

static void on_signal(int number)
{
    if (is_limited && !stop && number != is_patient)
        timer_settime(limit, 0, &(struct itimerspec){.it_value = patience}, NULL);
    if (stop) {
        signal(number, SIG_DFL);
        raise(number);
    }
    stop = number;
}

/* Whatever it is at did not end in time. Files appear whole or not at all. */
static void on_limit(int number)
{
    static const char text[] =
        "note: stopped, without the time to write all files ('sinew identify --resume' "
        "goes on)\n";
    (void)number;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(128 + stop);
}

int cli_exit(sn_status status)
{
    return status == SN_ERR_INTERRUPTED && stop ? 128 + stop : sn_status_exit(status);
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

void cli_watch_limit(int patient)
{
    struct sigaction a;
    struct sigevent e;
    memset(&a, 0, sizeof a), memset(&e, 0, sizeof e);
    a.sa_handler = on_limit;
    sigemptyset(&a.sa_mask);
    e.sigev_notify = SIGEV_SIGNAL, e.sigev_signo = SIGALRM;
    if (!sigaction(SIGALRM, &a, NULL) && !timer_create(CLOCK_PROCESS_CPUTIME_ID, &e, &limit))
        is_patient = patient, is_limited = 1;
}

void cli_watch_end(cli_watch *w)
{
    if (is_limited) timer_delete(limit);
    is_limited = 0;
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
    if (stop || !w->show) return stop != 0;
    double time = now(), gone = time - w->start;
    if (time - w->last < 0.1) return 0;
    char line[300], left[48] = "";
    w->last = time;
    /* what goes by in no time, being kept from earlier, says nothing about the rest */
    if (gone > 0.5 && w->base_time == 0) w->base = done, w->base_time = time;
    if (w->base_time > 0 && done > w->base) {
        double rest = (time - w->base_time) * (1 - done) / (done - w->base) + 0.5;
        if (rest < 3.6e8)
            snprintf(left, sizeof left, "   %d:%02d:%02d to go", (int)(rest / 3600), (int)(rest / 60) % 60,
                     (int)rest % 60);
    }
    int n = w->state[0] ? snprintf(line, sizeof line, "\r\033[K%3.0f %%   %s%s", 100 * done, w->state, left)
                        : snprintf(line, sizeof line, "\r\033[K%3.0f %%   t = %.4g s%s", 100 * done, t, left);
    put(line, n < (int)sizeof line ? n : (int)sizeof line - 1);
    w->drawn = 1;
    return 0;
}

void cli_watch_state(void *watch, const sn_identify_state *s)
{
    cli_watch *w = watch;
    char *to = w->state;
    size_t size = sizeof w->state;
    if (s->places)
        snprintf(to, size, "place %d of %d, iteration %d, residual %.3g", s->places_done + 1, s->places,
                 s->iteration, s->rms);
    else if (s->starts)
        snprintf(to, size, "start %d of %d, %ld runs", s->starts_done + 1, s->starts, s->simulations);
    else if (s->window < s->length)
        snprintf(to, size, "window %.3g s of %.3g s, iteration %d, residual %.3g, %ld runs", s->window,
                 s->length, s->iteration, s->rms, s->simulations);
    else
        snprintf(to, size, "all data, iteration %d, residual %.3g, %ld runs", s->iteration, s->rms,
                 s->simulations);
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
