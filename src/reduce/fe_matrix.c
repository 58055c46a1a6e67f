/* Matrices and their rows from text files: MatrixMarket (Boisvert, Pozo, Remington 1996), and triplets as
   CalculiX stores them. */
#include "reduce/fe_files.h"

#include "io/file.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = INT_MAX - 1 };

sn_status sn_lines_open(sn_lines *l, const char *path, sn_err *err)
{
    size_t length;
    *l = (sn_lines){.path = path, .err = err};
    SN_TRY(sn_file_read(path, MOST_BYTES, &l->bytes, &length, err));
    l->next = l->bytes;
    if (!(l->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0))) return SN_OUT_OF_MEM(err);
    l->before = uselocale(l->plain);
    if (strlen(l->bytes) == length) return SN_OK;
    return sn_fail(err, SN_ERR_INPUT, &(sn_mark){.file = path}, "is not a text file");
}

char *sn_lines_next(sn_lines *l)
{
    char *line = l->next, *end;
    if (!line || !*line) return NULL;
    end = line + strcspn(line, "\n");
    l->next = *end ? end + 1 : end;
    *end = 0;
    if (end > line && end[-1] == '\r') end[-1] = 0;
    l->line++;
    return line;
}

sn_status sn_lines_fail(const sn_lines *l, const char *what)
{
    return sn_fail(l->err, SN_ERR_INPUT, &(sn_mark){l->path, NULL, l->line, l->line ? 1 : 0}, "%s", what);
}

void sn_lines_close(sn_lines *l)
{
    if (l->plain) uselocale(l->before), freelocale(l->plain);
    l->plain = (locale_t)0;
    sn_free(l->bytes);
    l->bytes = l->next = NULL;
}

/* Digits with a point, D for an exponent as Fortran writes it */
int sn_lines_number(char **at, double *x)
{
    char digits[64], *end;
    size_t n;
    while (isspace((unsigned char)**at)) ++*at;
    n = strcspn(*at, ", \t\r\n");
    if (!n || n >= sizeof digits) return 0;
    for (size_t i = 0; i < n; i++) {
        digits[i] = (*at)[i];
        if (digits[i] == 'd' || digits[i] == 'D') digits[i] = 'e';
    }
    digits[n] = 0;
    *x = strtod(digits, &end);
    if (*end) return 0;
    *at += n;
    while (isspace((unsigned char)**at)) ++*at;
    if (**at == ',') ++*at;
    return 1;
}

typedef struct header {
    int market, dense, symmetric, rows, cols;
    double entries;
} header;

static sn_status read_header(sn_lines *l, header *h)
{
    char *line = sn_lines_next(l), object[32], format[32], field[32], kind[32];
    double x[3];
    int n = 0;
    if (sscanf(line, "%%%%MatrixMarket %31s %31s %31s %31s", object, format, field, kind) != 4)
        return sn_lines_fail(
            l, "is not a head of MatrixMarket: matrix, coordinate or array, real, symmetric or general");
    h->dense = !strcmp(format, "array");
    h->symmetric = !strcmp(kind, "symmetric");
    if (strcmp(object, "matrix") || (!h->dense && strcmp(format, "coordinate")))
        return sn_lines_fail(l, "is no matrix of MatrixMarket by coordinates or as an array");
    if (strcmp(field, "real") && strcmp(field, "integer") && strcmp(field, "double"))
        return sn_lines_fail(l, "its numbers are not real");
    if (!h->symmetric && strcmp(kind, "general"))
        return sn_lines_fail(l, "a mass or stiffness matrix is symmetric or general");
    do line = sn_lines_next(l);
    while (line && (line[0] == '%' || !line[strspn(line, " \t")]));
    while (line && n < 3 && sn_lines_number(&line, &x[n])) n++;
    if (n != (h->dense ? 2 : 3) || !(x[0] >= 1 && x[0] < INT_MAX && x[1] >= 1 && x[1] < INT_MAX))
        return sn_lines_fail(l, "here the numbers of rows, columns and entries are expected");
    h->rows = (int)x[0], h->cols = (int)x[1], h->entries = h->dense ? x[0] * x[1] : x[2];
    return SN_OK;
}

/* An entry, and its mirror image where only one triangle is written */
static sn_status put(const sn_lines *l, sn_triplets *t, int i, int j, double x, int mirror)
{
    if (!isfinite(x)) return sn_lines_fail(l, "the number is not finite");
    sn_status s = sn_triplets_add(t, i, j, x);
    if (!s && mirror && i != j) s = sn_triplets_add(t, j, i, x);
    return s ? SN_OUT_OF_MEM(l->err) : SN_OK;
}

static sn_status read_array(sn_lines *l, const header *h, sn_triplets *t)
{
    int i = 0, j = 0;
    for (char *line; (line = sn_lines_next(l));) {
        double x;
        if (line[0] == '%' || !line[strspn(line, " \t")]) continue;
        if (j >= h->cols) return sn_lines_fail(l, "there are more numbers than the head says");
        if (!sn_lines_number(&line, &x)) return sn_lines_fail(l, "is not a number");
        if (x != 0 || i == j) SN_TRY(put(l, t, i, j, x, h->symmetric));
        if (++i == h->rows) j++, i = h->symmetric ? j : 0;
    }
    return j == h->cols ? SN_OK : sn_lines_fail(l, "the file ends before all numbers are there");
}

static sn_status read_coordinates(sn_lines *l, header *h, sn_triplets *t)
{
    double count = 0;
    for (char *line; (line = sn_lines_next(l));) {
        double i, j, x;
        if (line[0] == '%' || !line[strspn(line, " \t")]) continue;
        if (!sn_lines_number(&line, &i) || !sn_lines_number(&line, &j) || !sn_lines_number(&line, &x))
            return sn_lines_fail(l, "row, column and number of an entry are expected");
        if (!(i >= 1 && j >= 1 && i < INT_MAX && j < INT_MAX) || i != floor(i) || j != floor(j))
            return sn_lines_fail(l, "rows and columns count from 1");
        if (h->market && (i > h->rows || j > h->cols))
            return sn_lines_fail(l, "the entry lies outside of the matrix");
        if (!h->market) h->rows = h->cols = (int)fmax(h->rows, fmax(i, j));
        SN_TRY(put(l, t, (int)i - 1, (int)j - 1, x, h->symmetric));
        count++;
    }
    if (h->market && count != h->entries)
        return sn_lines_fail(l, "there are not as many entries as the head says");
    return SN_OK;
}

/* An entry that is written in both triangles where one stands for both would count twice */
static sn_status written_once(sn_lines *l, const sn_triplets *t)
{
    int row, col;
    char text[120];
    const sn_status s = sn_triplets_once(t, &row, &col);
    if (s == SN_ERR_MEMORY) return SN_OUT_OF_MEM(l->err);
    if (!s) return SN_OK;
    snprintf(text, sizeof text, "entry %d %d comes twice: of a symmetric matrix one triangle is written",
             row + 1, col + 1);
    return sn_lines_fail(l, text);
}

sn_status sn_fe_read_matrix(const char *path, int square, sn_arena *arena, sn_sparse *out, sn_err *err)
{
    sn_lines l;
    sn_triplets t = {0};
    header h = {0};
    sn_status s = sn_lines_open(&l, path, err);
    if (!s) {
        h.market = !strncmp(l.bytes, "%%MatrixMarket", 14);
        h.symmetric = !h.market;
        if (h.market) s = read_header(&l, &h);
    }
    if (!s) s = h.dense ? read_array(&l, &h, &t) : read_coordinates(&l, &h, &t);
    l.line = 0;
    if (!s && !t.n) s = sn_lines_fail(&l, "has no entries");
    if (!s && square && h.rows != h.cols) s = sn_lines_fail(&l, "the matrix is not square");
    if (!s && h.symmetric) s = written_once(&l, &t);
    if (!s) s = sn_triplets_compress(arena, &t, h.rows, h.cols, out, err);
    sn_triplets_free(&t);
    sn_lines_close(&l);
    return s;
}

sn_status sn_fe_read_dofs(const char *path, sn_arena *arena, int *n, int (**out)[2], sn_err *err)
{
    sn_lines l;
    int(*pair)[2] = NULL, cap = 0;
    *n = 0, *out = NULL;
    sn_status s = sn_lines_open(&l, path, err);
    for (char *line; !s && (line = sn_lines_next(&l));) {
        int node, direction, used = 0;
        if (!line[strspn(line, " \t")] || line[0] == '#') continue;
        if (sscanf(line, "%d.%d%n", &node, &direction, &used) != 2 ||
            line[used + (int)strspn(line + used, " \t")] || direction < 1 || direction > 6)
            s = sn_lines_fail(&l, "a node and a direction from 1 to 6 are expected: 12.3");
        else if (sn_grow(&pair, &cap, *n + 1, sizeof *pair))
            s = SN_OUT_OF_MEM(err);
        else
            pair[*n][0] = node, pair[(*n)++][1] = direction;
    }
    if (!s && !(*out = sn_arena_alloc(arena, (size_t)*n + 1, sizeof **out))) s = SN_OUT_OF_MEM(err);
    if (!s && *n) memcpy(*out, pair, sizeof *pair * (size_t)*n);
    sn_free(pair);
    sn_lines_close(&l);
    return s;
}
