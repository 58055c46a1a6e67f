/* sinew identify --follow: rows of numbers from standard input as they come, estimates to standard output, a
   row for each, at once.

   A row that cannot be used is told with its line and column and left out, or ends it all (--strict). Signals
   are let in only while there is nothing to do, so that every row that was read is answered whole. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

enum { MOST_COLUMNS = 4096, LONGEST = 1 << 20 };

static const char from[] = "standard input";

typedef struct follower {
    const cli_job *job;
    cli_watch watch;
    sigset_t quiet; /* the mask while it waits */
    /* lines */
    char *text;
    size_t used, size, next; /* next: where the line that comes begins */
    long line;
    int ended;
    /* cells */
    char separator, *cell[MOST_COLUMNS];
    int n_cell, n_column;
    long n_bad, n_row;
    double *row;
    sn_filter *filter;
} follower;

/* ---- lines ---- */

/* More of the input; 0: it has ended, or a signal came. */
static int more(follower *f)
{
    if (f->next) {
        memmove(f->text, f->text + f->next, f->used - f->next);
        f->used -= f->next, f->next = 0;
    }
    if (f->used + 1 >= f->size) {
        size_t size = f->size ? 2 * f->size : 4096;
        char *text = size > LONGEST ? NULL : realloc(f->text, size);
        if (!text) {
            cli_error("%s:%ld: the line is too long", from, f->line + 1);
            return 0;
        }
        f->text = text, f->size = size;
    }
    for (;;) {
        fd_set in;
        FD_ZERO(&in);
        FD_SET(STDIN_FILENO, &in);
        if (cli_watch_progress(&f->watch, 0, 0)) return 0;
        if (pselect(STDIN_FILENO + 1, &in, NULL, NULL, NULL, &f->quiet) < 0) {
            if (errno == EINTR) continue;
            return 0;
        }
        ssize_t n = read(STDIN_FILENO, f->text + f->used, f->size - f->used - 1);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n <= 0) return 0;
        f->used += (size_t)n;
        return 1;
    }
}

/* The next line with something in it, or NULL. The last one may lack its end. */
static char *next_line(follower *f)
{
    for (;;) {
        char *begin = f->text ? f->text + f->next : NULL, *end;
        size_t left = f->used - f->next;
        while (!(end = begin ? memchr(begin, '\n', left) : NULL)) {
            if (f->ended || !more(f)) {
                f->ended = 1;
                if (!f->used || cli_watch_progress(&f->watch, 0, 0)) return NULL;
                begin = f->text + f->next, end = f->text + f->used;
                break;
            }
            begin = f->text + f->next, left = f->used - f->next;
        }
        f->next = (size_t)(end - f->text) + (end < f->text + f->used), f->line++;
        *end = 0;
        if (f->ended && f->next >= f->used) f->used = f->next = 0;
        if (end > begin && end[-1] == '\r') end[-1] = 0;
        const char *first = begin + strspn(begin, " \t");
        if (*first && *first != '#') return begin;
        if (f->ended && !f->used) return NULL;
    }
}

/* ---- cells ---- */

/* The first of these that the header has separates all cells. */
static char separator_of(const char *header)
{
    for (const char *s = ";,\t "; *s; s++)
        if (strchr(header, *s)) return *s;
    return ',';
}

static char *trim(char *cell)
{
    while (*cell == ' ' || *cell == '\t') cell++;
    size_t n = strlen(cell);
    while (n && (cell[n - 1] == ' ' || cell[n - 1] == '\t')) cell[--n] = 0;
    if (n > 1 && cell[0] == '"' && cell[n - 1] == '"') cell[n - 1] = 0, cell++;
    return cell;
}

static void split(follower *f, char *line)
{
    f->n_cell = 0;
    if (f->separator == ' ') line += strspn(line, " ");
    for (char *at = line; at && f->n_cell < MOST_COLUMNS;) {
        char *end = strchr(at, f->separator);
        if (end) *end++ = 0;
        if (end && f->separator == ' ') end += strspn(end, " ");
        if (end && f->separator == ' ' && !*end) end = NULL;
        f->cell[f->n_cell++] = trim(at);
        at = end;
    }
}

static void complain(follower *f, const char *line, const char *at, const char *what)
{
    f->n_bad++;
    fflush(stdout);
    cli_error("%s:%ld:%ld: %s%s", from, f->line, (long)(at - line) + 1, what,
              f->job->strict ? "" : "; the row is left out");
}

/* The cells as numbers; 0: they are none. */
static int numbers(follower *f, const char *line)
{
    char what[200];
    if (f->n_cell != f->n_column) {
        const char *at = f->n_cell > f->n_column ? f->cell[f->n_column] : f->cell[f->n_cell - 1];
        snprintf(what, sizeof what, "%d numbers in a row of %d", f->n_cell, f->n_column);
        complain(f, line, at, what);
        return 0;
    }
    for (int i = 0; i < f->n_column; i++) {
        char *end;
        f->row[i] = f->cell[i][0] ? strtod(f->cell[i], &end) : NAN;
        if (!f->cell[i][0] || !*end) continue;
        snprintf(what, sizeof what, "'%.60s' is no number", f->cell[i]);
        complain(f, line, f->cell[i], what);
        return 0;
    }
    return 1;
}

/* ---- estimates ---- */

/* A name as a cell: names have no separators but those that an experiment's brackets may hold. */
static void put_name(const char *name, const char *ending) { printf(",%s%s", name, ending); }

static void put_number(double x, int digits)
{
    if (isfinite(x))
        printf(",%.*g", digits, x);
    else
        putchar(',');
}

static void put_header(const follower *f, int past)
{
    printf("t");
    for (int k = 0; k <= past; k++) {
        if (k) printf(",past.t");
        for (int i = 0; i < sn_filter_count(f->filter); i++) {
            put_name(sn_filter_name(f->filter, i), k ? ".past" : "");
            put_name(sn_filter_name(f->filter, i), k ? ".past.std_error" : ".std_error");
        }
        if (!k) printf(",innovation");
    }
    putchar('\n');
}

static void put_row(const follower *f, const sn_filter_estimate *e, int past)
{
    int n = sn_filter_count(f->filter);
    printf("%.12g", e->t);
    for (int i = 0; i < n; i++) put_number(e->value[i], 9), put_number(e->std_error[i], 6);
    put_number(e->innovation, 6);
    if (past) put_number(e->past_t, 12);
    for (int i = 0; past && i < n; i++) put_number(e->past[i], 9), put_number(e->past_error[i], 6);
    putchar('\n');
}

/* ---- the whole ---- */

/* Reads the header and opens the filter for its columns. */
static int open_filter(follower *f)
{
    sn_err err;
    sn_filter_options o = {.from = from, .scheme = f->job->scheme, .solver = f->job->solver};
    char *line = next_line(f);
    if (!line) {
        if (cli_watch_progress(&f->watch, 0, 0)) return cli_exit(SN_ERR_INTERRUPTED);
        cli_error("%s: nothing came, not even a line with the names of the columns", from);
        return CLI_USAGE;
    }
    f->separator = separator_of(line);
    split(f, line);
    f->n_column = f->n_cell;
    f->row = calloc((size_t)f->n_column + 1, sizeof *f->row);
    char **set = cli_settings(f->job, &o.n_set);
    sn_err_clear(&err);
    sn_status s = SN_ERR_MEMORY;
    if (set && f->row) {
        o.set = (const char *const *)set, o.column = (const char *const *)f->cell, o.n_column = f->n_column;
        o.progress = cli_watch_progress, o.ctx = &f->watch;
        sigset_t busy;
        sigprocmask(SIG_SETMASK, &f->quiet, &busy); /* weights may have to be found first */
        s = sn_filter_open(f->job->operand[0], &o, &f->filter, &err);
        sigprocmask(SIG_SETMASK, &busy, NULL);
    }
    free(set);
    return s ? cli_report(&err, s) : 0;
}

static int follow(follower *f)
{
    int past = sn_filter_lag(f->filter) > 0;
    const char *note = sn_filter_note(f->filter);
    if (note && !f->job->quiet) cli_say(stderr, "note: %s\n", note);
    put_header(f, past);
    fflush(stdout);
    for (char *line; (line = next_line(f)) && !ferror(stdout);) {
        sn_filter_estimate e;
        sn_err err;
        sn_err_clear(&err);
        split(f, line);
        if (!numbers(f, line)) {
            if (f->job->strict) return CLI_USAGE;
            continue;
        }
        sn_status s = sn_filter_take(f->filter, f->row, &e, &err);
        if (s == SN_ERR_INPUT) {
            complain(f, line, f->cell[0], err.report[0].text);
            if (f->job->strict) return CLI_USAGE;
            continue;
        }
        if (s) return cli_report(&err, s);
        f->n_row++;
        put_row(f, &e, past);
        fflush(stdout);
    }
    return cli_watch_progress(&f->watch, 0, 0) ? cli_exit(SN_ERR_INTERRUPTED) : 0;
}

int cli_follow(const cli_job *job)
{
    static const char words[] = "--follow takes rows from standard input and writes to standard output: ";
    follower f = {.job = job};
    const char *odd = job->n_operand > 1 ? "one study at a time"
                      : job->out         ? "no -o"
                      : job->data        ? "no --data"
                      : job->end         ? "no --end"
                      : job->tried       ? "no --try"
                      : job->json        ? "no --json"
                      : job->resume      ? "no --resume"
                      : job->refine      ? "no --refine"
                      : job->start.n     ? "no --start, unknowns begin at their prior"
                                         : NULL;
    if (odd) {
        cli_error("%s%s", words, odd);
        return CLI_USAGE;
    }
    sigset_t all;
    cli_watch_begin(&f.watch, 0);
    sigemptyset(&all), sigaddset(&all, SIGINT), sigaddset(&all, SIGTERM), sigaddset(&all, SIGHUP);
    sigprocmask(SIG_BLOCK, &all, &f.quiet);
    int code = open_filter(&f);
    if (!code) code = follow(&f);
    sigprocmask(SIG_SETMASK, &f.quiet, NULL);
    cli_watch_end(&f.watch);
    cli_watch_free(&f.watch);
    if (f.n_bad && !job->quiet)
        fprintf(stderr, "note: %ld row%s left out, %ld taken\n", f.n_bad, f.n_bad == 1 ? " was" : "s were",
                f.n_row);
    sn_filter_close(f.filter);
    free(f.text), free(f.row);
    return code;
}
