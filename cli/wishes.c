/* What a page of a result is to begin with, put together from the options of `sinew view` and `sinew export`;
   opening pages in a browser. */
#include "wishes.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

void cli_address_put(cli_address *a, const char *text)
{
    size_t n = strlen(text);
    if (a->n + n >= sizeof a->text) {
        a->full = 1;
        return;
    }
    memcpy(a->text + a->n, text, n + 1);
    a->n += n;
}

void cli_address_put_safe(cli_address *a, const char *text, const char *also)
{
    for (; *text; text++) {
        char one[4] = {*text, 0};
        if (!((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
              (*text >= '0' && *text <= '9') || strchr("-._~", *text) || strchr(also, *text)))
            snprintf(one, sizeof one, "%%%02X", (unsigned char)*text);
        cli_address_put(a, one);
    }
}

/* A number option: its value is checked and passed on as it was written. */
typedef struct wish {
    const char *name, *key, *value;
    double low, high;
    int whole;
} wish;

static int put_number(cli_address *a, const wish *w, const char *command)
{
    if (!w->value) return 0;
    char *end, text[40];
    double x = strtod(w->value, &end);
    if (end == w->value || *end || !isfinite(x) || x < w->low || x > w->high || (w->whole && x != floor(x))) {
        cli_error("%s: --%s %s: a%s number from %g to %g is needed", command, w->name, w->value,
                  w->whole ? " whole" : "", w->low, w->high);
        return CLI_USAGE;
    }
    snprintf(text, sizeof text, "&%s=%.17g", w->key, x);
    cli_address_put(a, text);
    return 0;
}

/* The names are those of the page (web/src/scene.ts); their places in the list are the keys of its keyboard.
 */
static int put_view(cli_address *a, const char *view, const char *command)
{
    static const char *const name[] = {"front", "back", "left", "right", "top", "oblique"};
    cli_near near = {.word = view};
    char hint[80];
    if (!view) return 0;
    for (int i = 0; i < 6; i++) {
        char number[2] = {(char)('1' + i), 0};
        cli_near_try(&near, name[i]);
        if (strcmp(view, name[i]) && strcmp(view, number)) continue;
        cli_address_put(a, "&view=");
        cli_address_put(a, name[i]);
        return 0;
    }
    cli_error("%s: --view %s: there are front, back, left, right, top and oblique, or 1 to 6%s", command,
              view, cli_near_text(&near, "", hint, sizeof hint));
    return CLI_USAGE;
}

int cli_address_put_wishes(cli_address *a, const cli_job *job, const char *command)
{
    const double any = 1e300;
    const wish list[] = {
        {"time", "t", job->time, -any, any, 0},    {"mode", "mode", job->mode, 1, 1e6, 1},
        {"fps", "fps", job->fps, 1, 50, 0},        {"speed", "speed", job->speed, 1e-9, 1e9, 0},
        {"from", "from", job->from, -any, any, 0}, {"to", "to", job->to, -any, any, 0}};
    int code = 0;
    for (size_t i = 0; !code && i < sizeof list / sizeof *list; i++) code = put_number(a, &list[i], command);
    if (!code) code = put_view(a, job->view, command);
    for (int i = 0; i < job->trace.n; i++)
        cli_address_put(a, "&trace="), cli_address_put_safe(a, job->trace.item[i], "");
    for (int i = 0; i < job->arrows.n; i++)
        cli_address_put(a, "&arrows="), cli_address_put_safe(a, job->arrows.item[i], "");
    if (job->colour) cli_address_put(a, "&colour="), cli_address_put_safe(a, job->colour, "");
    if (!code && a->full) {
        cli_error("%s: too many traces or arrows", command);
        code = CLI_USAGE;
    }
    return code;
}

/* BROWSER, or the first of the programs that desktops have for this. Its words go nowhere: the command is
 * done. */
int cli_browser_open(const char *what, const char *command)
{
    const char *own = getenv("BROWSER"), *name[] = {own, "xdg-open", "sensible-browser", "open", "wslview"};
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    for (int fd = 0; fd < 3; fd++) posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_RDWR, 0);
    int bad = ENOENT;
    for (size_t i = 0; bad && i < sizeof name / sizeof *name; i++) {
        if (!name[i] || !*name[i]) continue;
        char *program = strdup(name[i]), *target = strdup(what), *argv[] = {program, target, NULL};
        pid_t child;
        bad = program && target ? posix_spawnp(&child, program, &quiet, NULL, argv, environ) : ENOMEM;
        free(program);
        free(target);
    }
    posix_spawn_file_actions_destroy(&quiet);
    if (!bad) return 0;
    cli_error("%s: --open: no program that opens pages is found: open %s yourself, or let BROWSER name one",
              command, what);
    return CLI_USAGE;
}
