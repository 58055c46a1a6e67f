/* Matrices from text files of Nastran's OUTPUT4: of each the head "columns rows form type name 1P,3E23.16",
   then its columns, dense ones as one string of numbers, sparse ones (first row 0) as several. A line of
   numbers has a point in it, a line of whole numbers has not. Numbers are as wide as the head says. */
#include "reduce/fe_files.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct head {
    int cols, rows, large, type, width; /* large: strings name length and row apart */
    char name[9];
} head;

typedef struct reader {
    sn_lines l;
    char *line; /* the one that is looked at */
    head h;
} reader;

static void next_line(reader *r)
{
    do r->line = sn_lines_next(&r->l);
    while (r->line && !r->line[strspn(r->line, " \t")]);
}

static int is_numbers(const char *line) { return line && strchr(line, '.') && !strchr(line, ','); }

/* The whole numbers of a line: how many of up to three; 0: there is something else */
static int wholes(const char *line, int *x)
{
    int n = 0;
    for (char *end; line[strspn(line, " \t\r")]; line = end) {
        const long k = strtol(line, &end, 10);
        if (end == line || n == 3 || k > INT_MAX || k < 0) return 0;
        x[n++] = (int)k;
    }
    return n;
}

/* A number of 8 columns */
static int field(const char *line, int at, int *x)
{
    char text[9], *end;
    snprintf(text, sizeof text, "%.8s", line + 8 * at);
    const long k = strtol(text, &end, 10);
    *x = (int)k;
    return end != text && !end[strspn(end, " ")];
}

static sn_status read_head(reader *r)
{
    head *h = &r->h;
    int x[4];
    if (strlen(r->line) < 33 || !field(r->line, 0, x) || !field(r->line, 1, x + 1) ||
        !field(r->line, 2, x + 2) || !field(r->line, 3, x + 3))
        return sn_lines_fail(&r->l,
                             "is not a head of a text op4 file: columns, rows, form, type, name, format");
    *h = (head){.cols = x[0], .rows = abs(x[1]), .large = x[1] < 0, .type = x[3], .width = 16};
    snprintf(h->name, sizeof h->name, "%.8s", r->line + 32);
    h->name[strcspn(h->name, " ")] = 0;
    const char *format = strlen(r->line) > 40 ? strpbrk(r->line + 40, "eEdD") : NULL;
    if (format && isdigit((unsigned char)format[1])) h->width = atoi(format + 1);
    if (h->cols < 1 || h->rows < 1 || h->width < 8 || h->width > 60)
        return sn_lines_fail(&r->l, "the head of the matrix has no sizes or no format such as 1P,3E23.16");
    next_line(r);
    return SN_OK;
}

/* Lines of numbers into rows from `row` on; `words` says how many, words of double precision being two */
static sn_status read_string(reader *r, int col, int row, int words, sn_triplets *t)
{
    const size_t width = (size_t)r->h.width;
    int n = 0;
    for (; is_numbers(r->line); next_line(r))
        for (const char *at = r->line; at[strspn(at, " \t")];) {
            char text[64], *p = text;
            const size_t length = strlen(at) < width ? strlen(at) : width;
            snprintf(text, sizeof text, "%.*s", (int)length, at);
            double x;
            if (!sn_lines_number(&p, &x) || !isfinite(x) || p[strspn(p, " ")])
                return sn_lines_fail(&r->l, "a number is expected");
            if (n == words || row + n >= r->h.rows)
                return sn_lines_fail(&r->l, "a column has more numbers than it should");
            if (t && x != 0 && sn_triplets_add(t, row + n, col, x)) return SN_OUT_OF_MEM(r->l.err);
            n++, at += length;
        }
    if (n == words || (r->h.type == 2 && 2 * n == words)) return SN_OK;
    return sn_lines_fail(&r->l, "a column has fewer numbers than it should");
}

/* Strings of a sparse column, until the head of the next one: "length+1 row", or 65536 (length+1) + row */
static sn_status read_strings(reader *r, int col, sn_triplets *t)
{
    int x[3];
    for (int n; r->line && (n = wholes(r->line, x)) != 3;) {
        if (n == 1) x[1] = x[0] % 65536, x[0] /= 65536;
        if (!n || x[0] < 2 || x[1] < 1)
            return sn_lines_fail(&r->l, "length and row of a string of numbers are expected");
        next_line(r);
        SN_TRY(read_string(r, col, x[1] - 1, x[0] - 1, t));
    }
    return SN_OK;
}

/* All columns; t NULL: they are passed over. The one behind the last ends the matrix. */
static sn_status read_columns(reader *r, sn_triplets *t)
{
    int x[3], last = 0;
    while (r->line) {
        if (is_numbers(r->line) || wholes(r->line, x) != 3 || x[0] <= last)
            return sn_lines_fail(&r->l, "column, first row and length are expected");
        next_line(r);
        if (x[0] > r->h.cols) { /* an end that holds one number */
            while (is_numbers(r->line)) next_line(r);
            return SN_OK;
        }
        last = x[0];
        if (x[1])
            SN_TRY(read_string(r, x[0] - 1, x[1] - 1, x[2], t));
        else
            SN_TRY(read_strings(r, x[0] - 1, t));
    }
    return sn_lines_fail(&r->l, "the file ends before the matrix does");
}

static sn_status check_head(reader *r, int square)
{
    if (r->h.type != 1 && r->h.type != 2)
        return sn_lines_fail(&r->l, "its numbers are not real (type 1 or 2)");
    if (square && r->h.rows != r->h.cols) return sn_lines_fail(&r->l, "the matrix is not square");
    return SN_OK;
}

/* The matrix of that name, or the only one */
static sn_status read_all(reader *r, const char *name, int square, head *found, sn_triplets *t)
{
    char text[160];
    *found = (head){.cols = 0};
    next_line(r);
    while (r->line) {
        SN_TRY(read_head(r));
        const int meant = !name || !strcasecmp(name, r->h.name);
        if (meant && found->cols) {
            snprintf(text, sizeof text, "there are several matrices, '%s' and '%s': say which, FILE:%s",
                     found->name, r->h.name, r->h.name);
            return sn_lines_fail(&r->l, text);
        }
        if (meant) SN_TRY(check_head(r, square));
        if (meant) *found = r->h;
        SN_TRY(read_columns(r, meant ? t : NULL));
    }
    r->l.line = 0;
    if (!found->cols) return sn_lines_fail(&r->l, name ? "has no matrix of that name" : "has no matrices");
    return t->n ? SN_OK : sn_lines_fail(&r->l, "the matrix has no entries");
}

sn_status sn_fe_read_op4(const char *path, const char *name, int square, sn_arena *arena, sn_sparse *out,
                         sn_err *err)
{
    reader r = {.line = NULL};
    sn_triplets t = {0};
    head h;
    int row, col;
    sn_status s = sn_lines_open(&r.l, path, err);
    if (!s) s = read_all(&r, name, square, &h, &t);
    if (!s && (s = sn_triplets_once(&t, &row, &col)))
        s = s == SN_ERR_MEMORY ? SN_OUT_OF_MEM(err)
                               : sn_lines_fail(&r.l, "a column has two numbers in one row");
    if (!s) s = sn_triplets_compress(arena, &t, h.rows, h.cols, out, err);
    sn_triplets_free(&t);
    sn_lines_close(&r.l);
    return s;
}
