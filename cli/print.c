/* Messages on standard error, the nearest word to a misspelt one, JSON. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- messages ---- */

static int colours(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !(no && no[0]) && term && strcmp(term, "dumb") != 0;
}

/* A text whose first "error:" or "warning:" stands out. */
static void print_message(const char *text, const char *label, const char *colour)
{
    const char *at = strstr(text, label);
    if (!at || !colours()) {
        fprintf(stderr, "%s\n", text);
        return;
    }
    fprintf(stderr, "%.*s\033[1;%sm%s\033[0m%s\n", (int)(at - text), text, colour, label, at + strlen(label));
}

void cli_error(const char *format, ...)
{
    char text[1024] = "error: ";
    va_list args;
    va_start(args, format);
    vsnprintf(text + 7, sizeof text - 7, format, args);
    va_end(args);
    fflush(stdout);
    print_message(text, "error:", "31");
}

void cli_warning(const char *text)
{
    char line[1024];
    snprintf(line, sizeof line, "warning: %s", text);
    print_message(line, "warning:", "35");
}

int cli_report(const sn_err *err, sn_status status)
{
    enum { SIZE = SN_ERR_TEXT + SN_ERR_FILE_TEXT + 3 * SN_ERR_EXCERPT + 128 };
    char text[SIZE];
    int count = err ? err->count : 0;
    fflush(stdout);
    for (int i = 0; i < count && i < SN_ERR_MAX; i++) {
        sn_report_format(&err->report[i], text, sizeof text);
        print_message(text, "error:", "31");
    }
    if (count > SN_ERR_MAX) {
        int more = count - SN_ERR_MAX;
        fprintf(stderr, "... and %d more error%s\n", more, more == 1 ? "" : "s");
    }
    if (!count) cli_error("%s", sn_status_text(status));
    return sn_status_exit(status);
}

int cli_stdout_done(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    cli_error("standard output cannot be written: %s", strerror(errno));
    return code ? code : sn_status_exit(SN_ERR_FILE);
}

/* ---- the nearest word: Damerau-Levenshtein distance, optimal alignment ---- */

enum { WORD = 48 };

static int distance(const char *a, int na, const char *b, int nb)
{
    int d[WORD + 1][WORD + 1];
    for (int i = 0; i <= na; i++)
        for (int j = 0; j <= nb; j++) {
            if (!i || !j) {
                d[i][j] = i + j;
                continue;
            }
            int c = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < c) c = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < c) c = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < c)
                c = d[i - 2][j - 2] + 1;
            d[i][j] = c;
        }
    return d[na][nb];
}

void cli_near_try(cli_near *n, const char *candidate)
{
    size_t a = strlen(n->word), b = strlen(candidate);
    if (a < 2 || a > WORD || b > WORD) return;
    int cost = distance(n->word, (int)a, candidate, (int)b), limit = a < 6 ? 1 : (int)a / 3;
    /* the beginning of a word is near as well */
    if (cost > 1 && a >= 3 && a < b && !strncmp(n->word, candidate, a)) cost = 1;
    if (cost > limit) return;
    if (!n->best || cost < n->cost) n->best = candidate, n->cost = cost;
}

const char *cli_near_text(const cli_near *n, const char *before, char *out, size_t size)
{
    out[0] = 0;
    if (n->best) snprintf(out, size, " (did you mean '%s%s'?)", before, n->best);
    return out;
}

/* ---- JSON ---- */

/* Bytes of the well-formed UTF-8 character at s (RFC 3629), 0 where there is none. */
static int utf8(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    int n = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
            : s[0] >= 0xe0 && s[0] <= 0xef ? 3
            : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                           : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return n;
}

void cli_json_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (const unsigned char *s = (const unsigned char *)(text ? text : ""); *s;) {
        int n = utf8(s);
        if (*s == '"' || *s == '\\')
            fprintf(f, "\\%c", *s);
        else if (*s == '\n')
            fputs("\\n", f);
        else if (*s < 32)
            fprintf(f, "\\u%04x", *s);
        else if (n)
            fwrite(s, 1, (size_t)n, f);
        else
            fputs("\\ufffd", f);
        s += n ? n : 1;
    }
    fputc('"', f);
}

void cli_json_number(FILE *f, double x)
{
    if (isfinite(x))
        fprintf(f, "%.17g", x);
    else
        fputs("null", f);
}
