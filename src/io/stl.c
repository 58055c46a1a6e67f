/* Solids from STL files. By the divergence theorem every integral over the body is a sum over the triangles
   (a, b, c) of those over the tetrahedra they make with one point: volume v = a.(b x c)/6, first moment
   v s/4, second moments v (a a' + b b' + c c' + s s')/20 with s = a + b + c.

   The surface must be closed: then the triangles' area vectors add up to zero, and the three ways to compute
   the volume, by the flux of (x, 0, 0), (0, y, 0) and (0, 0, z), agree. This needs no search for common
   vertices, and coordinates that are rounded do not disturb it. A surface turned inside out is taken as
   meant. Text: the numbers behind each word `vertex`; all else is skipped. Binary: 80 bytes, the number of
   triangles, 50 bytes each, little-endian. */
#include "io/stl.h"
#include "io/source.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 84, RECORD = 50 };

typedef struct surface {
    const char *path;
    double *x; /* nine numbers a triangle */
    int n, cap;
    sn_err *err;
} surface;

static sn_status fail_at(const surface *s, int line, const char *text)
{
    return sn_fail(s->err, SN_ERR_INPUT, &(sn_mark){s->path, NULL, line, line ? 1 : 0}, "%s", text);
}

static double little_float(const unsigned char *b)
{
    uint32_t u = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static double triangle_count(const unsigned char *b)
{
    return b[80] + 256.0 * b[81] + 65536.0 * b[82] + 16777216.0 * b[83];
}

static sn_status read_binary(surface *s, const unsigned char *b, size_t len)
{
    double n = len < HEAD ? 0 : triangle_count(b);
    if (len < HEAD || HEAD + RECORD * n > (double)len)
        return fail_at(s, 0, len < HEAD ? "is no STL file: it is too short" : "the file ends too early");
    if (sn_grow(&s->x, &s->cap, 9 * (int)n + 1, sizeof *s->x)) return SN_OUT_OF_MEM(s->err);
    s->n = (int)n;
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < 9; k++)
            s->x[9 * (size_t)i + (size_t)k] =
                little_float(b + HEAD + RECORD * (size_t)i + 12 + 4 * (size_t)k);
    return SN_OK;
}

/* The next word, or NULL; counts lines on the way. The text ends with a zero. */
static const char *next_word(const char **at, size_t *len, int *line)
{
    const char *p = *at;
    while (*p && isspace((unsigned char)*p)) *line += *p++ == '\n';
    const char *begin = p;
    while (*p && !isspace((unsigned char)*p)) p++;
    *at = p;
    *len = (size_t)(p - begin);
    return *len ? begin : NULL;
}

static sn_status read_text(surface *s, const char *text)
{
    const char *at = text, *word;
    size_t len;
    int line = 1, n = 0;
    while ((word = next_word(&at, &len, &line))) {
        if (len != 6 || strncmp(word, "vertex", 6) != 0) continue;
        if (sn_grow(&s->x, &s->cap, n + 3, sizeof *s->x)) return SN_OUT_OF_MEM(s->err);
        for (int k = 0; k < 3; k++) {
            char *end = NULL;
            word = next_word(&at, &len, &line);
            if (word) s->x[n++] = strtod(word, &end);
            if (!word || end != word + len) return fail_at(s, line, "'vertex' needs three numbers");
        }
    }
    s->n = n / 9;
    return n % 9 ? fail_at(s, line, "the file ends within a triangle") : SN_OK;
}

static void cross(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Integrals about a point o: volume, first and second moments; flux[i]: volume by coordinate i alone. */
typedef struct moments {
    double volume, first[3], second[3][3], area, vector[3], flux[3];
} moments;

static void add_triangle(const double *x, const double *o, moments *m)
{
    double p[3][3], u[3], w[3], n[3], s[3], bc[3], v = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) p[k][i] = x[3 * k + i] - o[i];
    for (int i = 0; i < 3; i++) {
        u[i] = p[1][i] - p[0][i], w[i] = p[2][i] - p[0][i];
        s[i] = p[0][i] + p[1][i] + p[2][i];
    }
    cross(u, w, n);
    cross(p[1], p[2], bc);
    for (int i = 0; i < 3; i++) v += p[0][i] * bc[i] / 6;
    m->volume += v;
    m->area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; i++) {
        m->vector[i] += 0.5 * n[i];
        m->flux[i] += n[i] * s[i] / 6;
        m->first[i] += v * s[i] / 4;
        for (int j = 0; j < 3; j++)
            m->second[i][j] +=
                v / 20 * (p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j] + s[i] * s[j]);
    }
}

/* The middle of the box around all vertices, and half its diagonal. */
static sn_status middle(const surface *s, double *o, double *size)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 9 * (size_t)s->n; i++) {
        if (!isfinite(s->x[i])) return fail_at(s, 0, "a coordinate is not finite");
        lo[i % 3] = fmin(lo[i % 3], s->x[i]);
        hi[i % 3] = fmax(hi[i % 3], s->x[i]);
    }
    *size = 0;
    for (int i = 0; i < 3; i++) {
        o[i] = 0.5 * (lo[i] + hi[i]);
        *size = hypot(*size, 0.5 * (hi[i] - lo[i]));
    }
    return SN_OK;
}

static sn_status integrate(const surface *s, double *out)
{
    /* single precision and the few digits of texts: 1e-5 of the area is far below any hole worth its name */
    const double close = 1e-5;
    static const int entry[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    double o[3], size = 0, c[3], trace = 0;
    moments m = {0};
    if (!s->n) return fail_at(s, 0, "has no triangles");
    SN_TRY(middle(s, o, &size));
    for (int i = 0; i < s->n; i++) add_triangle(s->x + 9 * (size_t)i, o, &m);
    for (int i = 0; i < 3; i++)
        if (fabs(m.vector[i]) > close * m.area || fabs(m.flux[i] - m.volume) > close * m.area * size)
            return fail_at(s, 0,
                           "the surface is not closed, so that it has no volume ('closed: no' draws it, "
                           "with the mass and inertia of the body by numbers)");
    if (!(fabs(m.volume) > 1e-9 * m.area * size)) return fail_at(s, 0, "the surface encloses no volume");
    out[0] = fabs(m.volume);
    for (int i = 0; i < 3; i++) {
        c[i] = m.first[i] / m.volume;
        out[1 + i] = o[i] + c[i];
        trace += m.second[i][i] / m.volume - c[i] * c[i];
    }
    for (int k = 0; k < 6; k++) {
        int i = entry[k][0], j = entry[k][1];
        out[4 + k] = (i == j ? trace : 0) - (m.second[i][j] / m.volume - c[i] * c[j]);
    }
    return SN_OK;
}

/* All triangles of a file; s->x is to be freed in any case. */
static sn_status load(surface *s)
{
    char *bytes, *text = NULL;
    size_t len;
    SN_TRY(sn_file_read(s->path, SN_STL_MAX_MB << 20, &bytes, &len, s->err));
    const unsigned char *b = (const unsigned char *)bytes;
    /* binary files may begin with "solid" too, but their length is that of their triangles */
    int binary = len < 5 || memcmp(bytes, "solid", 5) != 0 ||
                 (len >= HEAD && HEAD + RECORD * triangle_count(b) == (double)len);
    sn_status status = SN_OK;
    if (binary) {
        status = read_binary(s, b, len);
    } else if (!(text = sn_alloc(len + 1, 1))) {
        status = SN_OUT_OF_MEM(s->err);
    } else {
        memcpy(text, bytes, len);
        locale_t point = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(point);
        status = read_text(s, text);
        uselocale(before);
        if (point) freelocale(point);
    }
    sn_free(text);
    sn_free(bytes);
    return status;
}

sn_status sn_stl_read(const char *path, double out[10], sn_err *err)
{
    surface s = {.path = path, .err = err};
    sn_status status = load(&s);
    if (!status) status = integrate(&s, out);
    sn_free(s.x);
    return status;
}

sn_status sn_stl_triangles(const char *path, double **x, int *n, sn_err *err)
{
    surface s = {.path = path, .err = err};
    sn_status status = load(&s);
    *x = status ? NULL : s.x;
    *n = status ? 0 : s.n;
    if (status) sn_free(s.x);
    return status;
}
