/* Data tables from text files. Two passes over the text: the first counts lines and checks that each has as
   many cells as the first one, the second reads the numbers. */
#include "io/csv.h"

#include "io/file.h"
#include "io/iso_time.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    const char *path, *text, *end;
    const sn_patience *patience;
    char separator; /* ' ': runs of blanks */
    sn_err *err;
    const char *line; /* begin of the current line, its number, and its end */
    int number;
    const char *line_end;
} parser;

/* A cell without the blanks and quotes around it; quoted ones may hold "" for a quote. */
typedef struct cell {
    const char *begin, *end;
} cell;

static sn_mark place(const parser *p, const char *at)
{
    return (sn_mark){p->path, p->text, p->number, (int)(at - p->line) + 1};
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* The next line that is neither empty nor a comment; begins before the first one with line NULL. */
static int next_line(parser *p)
{
    for (;;) {
        const char *begin = p->line ? p->line_end + 1 : p->text;
        if (begin >= p->end) return 0;
        const char *stop = memchr(begin, '\n', (size_t)(p->end - begin));
        p->line = begin;
        p->line_end = stop ? stop : p->end;
        p->number++;
        while (begin < p->line_end && is_blank(*begin)) begin++;
        if (begin < p->line_end && *begin != '#') return 1;
    }
}

static int has(const parser *p, char c)
{
    int quoted = 0;
    for (const char *s = p->line; s < p->line_end; s++) {
        if (*s == '"') quoted = !quoted;
        if (*s == c && !quoted) return 1;
    }
    return 0;
}

static char find_separator(const parser *p)
{
    static const char candidates[] = ";,";
    for (const char *c = candidates; *c; c++)
        if (has(p, *c)) return *c;
    /* a tab at the edge of a line separates nothing */
    const char *s = p->line, *e = p->line_end;
    while (s < e && is_blank(*s)) s++;
    while (e > s && is_blank(e[-1])) e--;
    return memchr(s, '\t', (size_t)(e - s)) ? '\t' : ' ';
}

/* The cell at *at (NULL: the first of the line); *at moves on to the next one, NULL after the last. */
static sn_status take_cell(const parser *p, const char **at, cell *c)
{
    const char *s = *at ? *at : p->line, *e = p->line_end;
    while (s < e && is_blank(*s) && *s != p->separator) s++;
    if (p->separator == ' ')
        while (s < e && is_blank(*s)) s++;
    const char *stop = s;
    if (s < e && *s == '"') {
        for (stop = s + 1; stop < e && (*stop != '"' || (stop + 1 < e && stop[1] == '"')); stop++)
            if (*stop == '"') stop++;
        if (stop >= e) {
            sn_mark m = place(p, s);
            return sn_fail(p->err, SN_ERR_INPUT, &m, "the quote is not closed in this line");
        }
        *c = (cell){s + 1, stop++};
    } else {
        while (stop < e && *stop != p->separator && !(p->separator == ' ' && is_blank(*stop))) stop++;
        *c = (cell){s, stop};
        while (c->end > s && is_blank(c->end[-1])) c->end--;
    }
    while (stop < e && is_blank(*stop) && *stop != p->separator) stop++;
    if (p->separator == ' ') {
        while (stop < e && is_blank(*stop)) stop++;
        *at = stop < e ? stop : NULL;
    } else {
        if (stop < e && *stop != p->separator) {
            sn_mark m = place(p, stop);
            return sn_fail(p->err, SN_ERR_INPUT, &m, "text after a quoted cell");
        }
        *at = stop < e ? stop + 1 : NULL;
    }
    return SN_OK;
}

static sn_status count_cells(const parser *p, int *n)
{
    const char *at = NULL;
    cell c;
    *n = 0;
    do {
        SN_TRY(take_cell(p, &at, &c));
        ++*n;
    } while (at);
    return SN_OK;
}

/* 1: a number (empty: NaN), 0: something else, -1: beyond the range of double. */
static int to_number(cell c, double *x)
{
    char *stop;
    *x = NAN;
    if (c.begin == c.end) return 1;
    if (is_blank(*c.begin)) return 0;
    errno = 0;
    *x = strtod(c.begin, &stop);
    if (stop != c.end) return 0;
    return errno == ERANGE && fabs(*x) > 1 ? -1 : 1;
}

static int is_time(cell c)
{
    long long seconds;
    double fraction;
    return sn_iso_time(c.begin, c.end, &seconds, &fraction);
}

/* A cell of a column that counts from *origin where it holds times; `first`: its first one. */
static sn_status read_number(const parser *p, cell c, int first, double *origin, double *x)
{
    enum { SHOWN = 40 };
    long long seconds;
    double fraction;
    int kind = to_number(c, x), n = c.end - c.begin > SHOWN ? SHOWN : (int)(c.end - c.begin);
    sn_mark m = place(p, c.begin);
    if (kind == 0 && sn_iso_time(c.begin, c.end, &seconds, &fraction)) {
        if (first) *origin = (double)seconds;
        if (isnan(*origin))
            return sn_fail(p->err, SN_ERR_INPUT, &m, "'%.*s' is a time in a column of numbers", n, c.begin);
        *x = (double)(seconds - (long long)*origin) + fraction;
        return SN_OK;
    }
    if (kind > 0 && !isnan(*x) && !isnan(*origin))
        return sn_fail(p->err, SN_ERR_INPUT, &m, "'%.*s' is a number in a column of dates and times", n,
                       c.begin);
    if (kind < 0) return sn_fail(p->err, SN_ERR_INPUT, &m, "'%.*s' is too large for a number", n, c.begin);
    if (kind == 0)
        return sn_fail(p->err, SN_ERR_INPUT, &m, "'%.*s' is not a number%s", n, c.begin,
                       memchr(c.begin, ',', (size_t)(c.end - c.begin)) ? " (the decimal sign is a point)"
                                                                       : "");
    return SN_OK;
}

/* The first line holds names if its first cell with something in it is no number. */
static sn_status is_header(const parser *p, int *yes)
{
    const char *at = NULL;
    *yes = 0;
    do {
        cell c;
        double x;
        SN_TRY(take_cell(p, &at, &c));
        if (c.begin == c.end) continue;
        *yes = to_number(c, &x) == 0 && !is_time(c);
        return SN_OK;
    } while (at);
    return SN_OK;
}

static sn_status read_names(const parser *p, int n, sn_arena *arena, sn_csv *csv)
{
    const char **names = sn_arena_alloc(arena, (size_t)n, sizeof *names), *at = NULL;
    if (!names) return SN_OUT_OF_MEM(p->err);
    for (int i = 0; i < n; i++) {
        cell c;
        SN_TRY(take_cell(p, &at, &c));
        char *name = sn_arena_strndup(arena, c.begin, (size_t)(c.end - c.begin)), *to = name;
        if (!name) return SN_OUT_OF_MEM(p->err);
        for (const char *s = name; *s; s++) {
            *to++ = *s;
            if (s[0] == '"' && s[1] == '"') s++;
        }
        *to = 0;
        for (int k = 0; k < i && name[0]; k++)
            if (strcmp(names[k], name) == 0) {
                sn_mark m = place(p, c.begin);
                return sn_fail(p->err, SN_ERR_INPUT, &m, "the column '%s' is there twice (columns %d and %d)",
                               name, k + 1, i + 1);
            }
        names[i] = name;
    }
    csv->names = names;
    return SN_OK;
}

/* Every so many rows somebody may say that it is enough. */
static sn_status go_on(const parser *p, int row)
{
    enum { ROWS = 4096 };
    if (row % ROWS != ROWS - 1 || !p->patience->stop || !p->patience->stop(p->patience->ctx, 0, 0))
        return SN_OK;
    return sn_fail(p->err, SN_ERR_INTERRUPTED, NULL, "stopped on request");
}

/* First pass: separator, names, number of rows and columns. `first` is left before the first row of numbers.
 */
static sn_status scan(parser *p, sn_arena *arena, sn_csv *csv, parser *first)
{
    int header = 0, n;
    *first = *p;
    if (next_line(p)) {
        p->separator = first->separator = find_separator(p);
        SN_TRY(count_cells(p, &csv->cols));
        if (csv->cols > SN_CSV_MAX_COLUMNS)
            return sn_fail(p->err, SN_ERR_INPUT, &(sn_mark){.file = p->path}, "has %d columns, more than %d",
                           csv->cols, SN_CSV_MAX_COLUMNS);
        SN_TRY(is_header(p, &header));
        if (header) {
            SN_TRY(read_names(p, csv->cols, arena, csv));
            *first = *p;
        } else {
            csv->rows++;
        }
        while (next_line(p)) {
            SN_TRY(count_cells(p, &n));
            sn_mark m = place(p, p->line);
            if (n != csv->cols)
                return sn_fail(p->err, SN_ERR_INPUT, &m, "%d cell%s where the lines above have %d", n,
                               n == 1 ? "" : "s", csv->cols);
            SN_TRY(go_on(p, csv->rows++));
        }
    }
    if (csv->rows > 0) return SN_OK;
    return sn_fail(p->err, SN_ERR_INPUT, &(sn_mark){.file = p->path}, "the table has no rows of numbers%s",
                   header ? ", only names" : "");
}

/* Second pass. */
static sn_status read_rows(parser *p, const sn_csv *csv, double *data, double *origin)
{
    for (int col = 0; col < csv->cols; col++) origin[col] = NAN;
    for (int row = 0; row < csv->rows && next_line(p); row++) {
        const char *at = NULL;
        SN_TRY(go_on(p, row));
        for (int col = 0; col < csv->cols; col++) {
            cell c;
            SN_TRY(take_cell(p, &at, &c));
            double *x = &data[(size_t)col * (size_t)csv->rows + (size_t)row];
            SN_TRY(read_number(p, c, row == 0, &origin[col], x));
        }
    }
    return SN_OK;
}

static sn_status parse(parser p, size_t size, sn_arena *arena, sn_csv **out)
{
    static const char mark[] = "\xef\xbb\xbf"; /* UTF-8 byte order mark */
    const char *zero = memchr(p.text, 0, size);
    if (zero)
        return sn_fail(p.err, SN_ERR_INPUT, &(sn_mark){.file = p.path},
                       "is not a text file: a zero byte at byte %ld", (long)(zero - p.text) + 1);
    parser first;
    if (size >= 3 && memcmp(p.text, mark, 3) == 0) p.text += 3;
    sn_csv *csv = sn_arena_alloc(arena, 1, sizeof *csv);
    if (!csv) return SN_OUT_OF_MEM(p.err);
    SN_TRY(scan(&p, arena, csv, &first));
    double *data = sn_arena_alloc(arena, (size_t)csv->rows * (size_t)csv->cols, sizeof *data);
    double *origin = sn_arena_alloc(arena, (size_t)csv->cols, sizeof *origin);
    if (!data || !origin) return SN_OUT_OF_MEM(p.err);
    SN_TRY(read_rows(&first, csv, data, origin));
    csv->data = data, csv->origin = origin;
    *out = csv;
    return SN_OK;
}

sn_status sn_csv_read_patiently(const char *path, const sn_patience *patience, sn_arena *arena, sn_csv **out,
                                sn_err *err)
{
    char *text;
    size_t size;
    *out = NULL;
    SN_TRY(sn_file_read(path, SN_CSV_MAX_MB << 20, &text, &size, err));
    locale_t point = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(point);
    const parser p = {
        .path = path, .text = text, .end = text + size, .patience = patience, .separator = ' ', .err = err};
    sn_status s = parse(p, size, arena, out);
    uselocale(before);
    if (point) freelocale(point);
    sn_free(text);
    return s;
}

sn_status sn_csv_read(const char *path, sn_arena *arena, sn_csv **out, sn_err *err)
{
    return sn_csv_read_patiently(path, &(sn_patience){.stop = NULL}, arena, out, err);
}

int sn_csv_column(const sn_csv *csv, const char *name)
{
    for (int i = 0; csv->names && name[0] && i < csv->cols; i++)
        if (strcmp(csv->names[i], name) == 0) return i;
    return -1;
}
