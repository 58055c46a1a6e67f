/* Marker files .trc: three lines about the file, a line with the markers' names over the first of their three
   columns, a line X1 Y1 Z1 ..., then frame, time and coordinates, separated by tabs. What is empty is
   missing. */
#include "io/file.h"
#include "io/table.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *path, *text, *at, *end;
    int line;                 /* number of the line at hand */
    const char *begin, *stop; /* of it, without what ends it */
    sn_err *err;
} reader;

typedef struct cell {
    const char *begin;
    size_t n;
} cell;

static sn_mark place(const reader *r, const char *at)
{
    return (sn_mark){r->path, r->text, r->line, (int)(at - r->begin) + 1};
}

static int next_line(reader *r)
{
    if (r->at >= r->end) return 0;
    const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->begin = r->at, r->stop = stop ? stop : r->end;
    r->at = stop ? stop + 1 : r->end;
    if (r->stop > r->begin && r->stop[-1] == '\r') r->stop--;
    r->line++;
    return 1;
}

/* The cell that begins at *at, without blanks around it; *at behind its tab, NULL: it was the last. */
static cell take(const reader *r, const char **at)
{
    const char *s = *at, *e = memchr(s, '\t', (size_t)(r->stop - s));
    *at = e ? e + 1 : NULL;
    if (!e) e = r->stop;
    while (s < e && *s == ' ') s++;
    while (e > s && e[-1] == ' ') e--;
    return (cell){s, (size_t)(e - s)};
}

static sn_status short_file(const reader *r, const char *what)
{
    return sn_fail(r->err, SN_ERR_INPUT, &(sn_mark){.file = r->path}, "is no marker file (TRC): %s", what);
}

/* The cell below `name` in the lines of names and values; n = 0: none. */
static cell setting(const reader *names, const reader *values, const char *name)
{
    for (const char *a = names->begin, *b = values->begin; a && b;) {
        cell x = take(names, &a), y = take(values, &b);
        if (x.n == strlen(name) && !strncmp(x.begin, name, x.n)) return y;
    }
    return (cell){"", 0};
}

static sn_status number(const reader *r, cell c, double *x)
{
    char *stop;
    *x = NAN;
    if (!c.n) return SN_OK;
    sn_mark m = place(r, c.begin);
    errno = 0;
    *x = strtod(c.begin, &stop);
    if (stop != c.begin + c.n || isinf(*x))
        return sn_fail(r->err, SN_ERR_INPUT, &m, "'%.*s' is not a number", (int)(c.n > 40 ? 40 : c.n),
                       c.begin);
    return SN_OK;
}

static int is_empty(const reader *r)
{
    for (const char *s = r->begin; s < r->stop; s++)
        if (*s != ' ' && *s != '\t') return 0;
    return 1;
}

/* Markers' names of the line at hand, behind Frame# and Time. */
static int count_markers(const reader *r)
{
    int n = 0, column = 0;
    for (const char *at = r->begin; at; column++)
        if (take(r, &at).n && column >= 2) n++;
    return n;
}

static sn_status read_rows(reader *r, sn_table *t, double factor)
{
    int cols = t->csv->cols, rows = t->csv->rows;
    for (int row = 0; row < rows;) {
        if (!next_line(r)) break;
        if (is_empty(r)) continue;
        int column = 0;
        for (const char *at = r->begin; at; column++) {
            cell c = take(r, &at);
            sn_mark m = place(r, c.begin);
            double x;
            SN_TRY(number(r, c, &x));
            if (column == 0) continue; /* the frame's number */
            if (column > cols && c.n)
                return sn_fail(r->err, SN_ERR_INPUT, &m, "a number behind the last marker's coordinates");
            if (column <= cols)
                t->data[(size_t)(column - 1) * (size_t)rows + (size_t)row] = column == 1 ? x : x * factor;
        }
        row++;
    }
    return SN_OK;
}

static sn_status parse(reader *r, sn_arena *arena, sn_csv **out)
{
    if (!next_line(r) || r->stop - r->begin < 12 || strncmp(r->begin, "PathFileType", 12) != 0)
        return short_file(r, "it does not begin with PathFileType");
    if (!next_line(r)) return short_file(r, "it has no second line");
    reader names = *r;
    if (!next_line(r)) return short_file(r, "it has no third line");
    cell unit = setting(&names, r, "Units");
    if (!next_line(r)) return short_file(r, "it has no line with the markers' names");
    reader heads = *r;
    int markers = count_markers(r), rows = 0;
    if (!markers) return short_file(r, "its fourth line names no markers");
    if (!next_line(r)) return short_file(r, "it has no line X1 Y1 Z1");
    for (reader all = *r; next_line(&all);) rows += !is_empty(&all);
    if (!rows) return short_file(r, "it has no frames");
    if (markers > SN_CSV_MAX_COLUMNS / 3 - 1) return short_file(r, "it has too many markers");
    sn_table t;
    const char *si;
    SN_TRY(sn_table_new(arena, r->path, rows, 1 + 3 * markers, &t, r->err));
    double factor = sn_table_unit(arena, unit.begin, unit.n, &si);
    int col = 1, column = 0;
    for (const char *at = heads.begin; at; column++) {
        cell c = take(&heads, &at);
        if (column < 2 || !c.n) continue;
        SN_TRY(sn_table_marker(&t, col, c.begin, c.n, r->err));
        for (int k = 0; k < 3; k++) t.units[col + k] = si;
        col += 3;
    }
    SN_TRY(read_rows(r, &t, factor));
    *out = t.csv;
    return SN_OK;
}

sn_status sn_trc_read(const char *path, sn_arena *arena, sn_csv **out, sn_err *err)
{
    char *text;
    size_t size;
    *out = NULL;
    SN_TRY(sn_file_read(path, SN_CSV_MAX_MB << 20, &text, &size, err));
    locale_t point = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(point);
    reader r = {.path = path, .text = text, .at = text, .end = text + size, .err = err};
    sn_status s = memchr(text, 0, size) ? short_file(&r, "a zero byte in it") : parse(&r, arena, out);
    if (s) *out = NULL;
    uselocale(before);
    if (point) freelocale(point);
    sn_free(text);
    return s;
}
