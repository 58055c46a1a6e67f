/* Messages on standard error, the nearest word to a misspelt one, JSON. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- messages ---- */

static int colours(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !(no && no[0]) && term && strcmp(term, "dumb") != 0;
}

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

/* What a terminal would obey and not show: the number of a control character or of one that turns the
   direction of writing (s is well-formed, n bytes); else 0. */
static int control(const unsigned char *s, int n)
{
    if (n == 1) return s[0] < 32 || s[0] == 127 ? s[0] : 0;
    if (n == 2 && s[0] == 0xc2 && s[1] < 0xa0) return s[1];
    int code = n == 3 ? (s[0] & 15) << 12 | (s[1] & 63) << 6 | (s[2] & 63) : 0;
    return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ? code : 0;
}

/* Texts may come from files of strangers: what is not shown as it is becomes \x1b or \u202e. */
static void put_visible(FILE *to, const char *text)
{
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int n = utf8(s), code = n ? control(s, n) : *s;
        if (!code || code == '\n' || code == '\t')
            fwrite(s, 1, (size_t)n, to);
        else
            fprintf(to, code < 256 ? "\\x%02x" : "\\u%04x", (unsigned)code);
        s += n ? n : 1;
    }
}

void cli_say(FILE *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = n < 0 ? NULL : malloc((size_t)n + 1);
    if (!text) return;
    va_start(args, format);
    vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    put_visible(to, text);
    free(text);
}

/* A text whose first "error:" or "warning:" stands out. */
static void print_message(const char *text, const char *label, const char *colour)
{
    const char *at = colours() ? strstr(text, label) : NULL;
    if (at) {
        cli_say(stderr, "%.*s", (int)(at - text), text);
        fprintf(stderr, "\033[1;%sm%s\033[0m", colour, label);
        text = at + strlen(label);
    }
    put_visible(stderr, text);
    fputc('\n', stderr);
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
    return cli_exit(status);
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

void cli_written(const cli_job *job, const char *path)
{
    struct stat st;
    if (job->quiet || !strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode)) return;
    cli_say(stdout, "%s: written, %.3g kB\n", path, (double)st.st_size / 1e3);
}

/* ---- numbers of tables ---- */

static int digits = 6;

int cli_digits(const char *text)
{
    char *end;
    if (!text) return 0;
    long n = strtol(text, &end, 10);
    if (end == text || *end || n < 1 || n > 17) {
        cli_error("--digits '%s': write a number from 1 to 17", text);
        return CLI_USAGE;
    }
    digits = (int)n;
    return 0;
}

const char *cli_figure(double x)
{
    enum { KEPT = 24 };
    static char text[KEPT][32];
    static int next;
    char *out = text[next++ % KEPT];
    snprintf(out, sizeof text[0], "%.*g", digits, x == 0 ? 0 : x);
    return out;
}

/* ---- JSON ---- */

void cli_json_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (const unsigned char *s = (const unsigned char *)(text ? text : ""); *s;) {
        int n = utf8(s), code = n ? control(s, n) : 0;
        if (*s == '"' || *s == '\\')
            fprintf(f, "\\%c", *s);
        else if (*s == '\n')
            fputs("\\n", f);
        else if (code)
            fprintf(f, "\\u%04x", (unsigned)code);
        else if (n)
            fwrite(s, 1, (size_t)n, f);
        else
            fputs("\\ufffd", f);
        s += n ? n : 1;
    }
    fputc('"', f);
}

void cli_json_list(FILE *f, const char *name, const char *words)
{
    fprintf(f, "\"%s\": [", name);
    for (int i = 0; *words; i++) {
        char word[256];
        size_t n = strcspn(words, ",");
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        if (i) fputs(", ", f);
        cli_json_text(f, word);
        words += n;
        while (*words == ',' || *words == ' ') words++;
    }
    fputc(']', f);
}

void cli_json_number(FILE *f, double x)
{
    if (isfinite(x))
        fprintf(f, "%.17g", x == 0 ? 0 : x);
    else
        fputs("null", f);
}
