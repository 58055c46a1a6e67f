/* What tests of shells share: models of curved surfaces written node by node, and linear statics.

       sheet s = {.n = 8, .m = 8, .place = cylinder, .shell = "E: 1, nu: 0.3, rho: 0, thickness: 0.1"};
       sheet_begin(&s);  sheet_hold(&s, i, j, "x, ry, rz");  sheet_push(&s, i, j, 0, 0, -0.25);
       double u = sheet_linear(&s, i, j, "z");       d u_z/dP at P = 0, the forces are multiples of P
       sheet_end(&s);

   Nodes are n0_0 ... nN_M, i along the first direction. */
#ifndef SN_TESTS_VERIFY_SHELL_KIT_H
#define SN_TESTS_VERIFY_SHELL_KIT_H

#include "verify/gradient.h"

typedef struct sheet {
    int n, m;                                               /* shells each way */
    void (*place)(double u, double w, double *x);           /* u, w in 0 .. 1 */
    double (*spread)(int n, int i, double across, int way); /* u, w of a line of nodes; NULL: even */
    const char *shell;                                      /* numbers and options of the elements */
    const char *extra;                                      /* of the model: gravity, parameters; or NULL */
    char *elements, *joints, *sensors, *nodes;
    size_t cap;
    void (*normal)(double u, double w, double *x); /* given to triangles; or NULL */
    int pushes, holds;
    int triangles; /* two shell3_mitc in place of each shell4_mitc; 2: in every other place only */
} sheet;

static inline void sheet_add(char *to, size_t cap, const char *format, ...)
{
    const size_t used = strlen(to);
    va_list list;
    va_start(list, format);
    vsnprintf(to + used, cap - used, format, list);
    va_end(list);
    assert_true(strlen(to) + 1 < cap);
}

/* A writer that does not look for the end of the text again and again */
typedef struct pen {
    char *at, *end;
} pen;
static inline void pen_write(pen *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(p->at, (size_t)(p->end - p->at), format, list);
    va_end(list);
    assert_true(n < p->end - p->at);
    p->at += n;
}

static inline void sheet_begin(sheet *s)
{
    s->cap =
        (size_t)(s->n + 1) * (size_t)(s->m + 1) * 256 + 2 * strlen(s->shell) * (size_t)(s->n * s->m) + 65536;
    s->nodes = calloc(4, s->cap);
    assert_non_null(s->nodes);
    s->elements = s->nodes + s->cap, s->joints = s->elements + s->cap, s->sensors = s->joints + s->cap;
    pen p = {s->nodes, s->nodes + s->cap}, e = {s->elements, s->elements + s->cap};
    for (int j = 0; j <= s->m; j++)
        for (int i = 0; i <= s->n; i++) {
            double u = (double)i / s->n, w = (double)j / s->m, x[3];
            if (s->spread) {
                const double u0 = u, w0 = w;
                u = s->spread(s->n, i, w0, 0), w = s->spread(s->m, j, u0, 1);
            }
            s->place(u, w, x);
            pen_write(&p, "  n%d_%d: [%.17g, %.17g, %.17g]\n", i, j, x[0], x[1], x[2]);
            if (i < s->n && j < s->m && (s->triangles == 1 || (s->triangles == 2 && (i + j) % 2)))
                pen_write(&e,
                          "  e%d_%d: {shell3_mitc: [n%d_%d, n%d_%d, n%d_%d], %s}\n"
                          "  g%d_%d: {shell3_mitc: [n%d_%d, n%d_%d, n%d_%d], %s}\n",
                          i, j, i, j, i + 1, j, i + 1, j + 1, s->shell, i, j, i, j, i + 1, j + 1, i, j + 1,
                          s->shell);
            else if (i < s->n && j < s->m)
                pen_write(&e, "  e%d_%d: {shell4_mitc: [n%d_%d, n%d_%d, n%d_%d, n%d_%d], %s}\n", i, j, i, j,
                          i + 1, j, i + 1, j + 1, i, j + 1, s->shell);
        }
}

static inline void sheet_hold(sheet *s, int i, int j, const char *only)
{
    sheet_add(s->joints, s->cap, "  h%d: {fixed: n%d_%d%s%s%s}\n", s->holds++, i, j, only ? ", only: [" : "",
              only ? only : "", only ? "]" : "");
}

/* A dead force P (x, y, z) */
static inline void sheet_push(sheet *s, int i, int j, double x, double y, double z)
{
    sheet_add(s->elements, s->cap, "  f%d: {force3d: n%d_%d, force: [%.17g*P, %.17g*P, %.17g*P]}\n",
              s->pushes++, i, j, x, y, z);
}

/* All nodes of an edge: 0: i = 0, 1: i = n, 2: j = 0, 3: j = m */
static inline void sheet_hold_edge(sheet *s, int edge, const char *only)
{
    const int along = edge < 2 ? s->m : s->n;
    for (int k = 0; k <= along; k++)
        sheet_hold(s, edge < 2 ? edge * s->n : k, edge < 2 ? k : (edge - 2) * s->m, only);
}

/* A force P (x, y, z) spread evenly along an edge */
static inline void sheet_push_edge(sheet *s, int edge, double x, double y, double z)
{
    const int along = edge < 2 ? s->m : s->n;
    for (int k = 0; k <= along; k++) {
        const double part = (k == 0 || k == along ? 0.5 : 1) / along;
        sheet_push(s, edge < 2 ? edge * s->n : k, edge < 2 ? k : (edge - 2) * s->m, x * part, y * part,
                   z * part);
    }
}

static inline void sheet_watch(sheet *s, const char *name, int i, int j)
{
    sheet_add(s->sensors, s->cap, "  %s: {displacement: n%d_%d}\n", name, i, j);
}

/* The model's text; freed by the caller */
static inline char *sheet_text(const sheet *s, double P)
{
    char *text = malloc(4 * s->cap);
    assert_non_null(text);
    pen p = {text, text + 4 * s->cap};
    pen_write(&p, "sinew: 1\n%s%sparameters: {P: %.17g}\nnodes:\n%selements:\n%s", s->extra ? s->extra : "",
              s->extra ? "\n" : "", P, s->nodes, s->elements);
    if (*s->joints) pen_write(&p, "joints:\n%s", s->joints);
    if (*s->sensors) pen_write(&p, "sensors:\n%s", s->sensors);
    return text;
}

static inline void sheet_end(sheet *s)
{
    free(s->nodes);
    s->nodes = NULL;
}

/* d(sensor)/dP at P = 0: linear statics */
static inline double sheet_linear(const sheet *s, const char *sensor)
{
    char *text = sheet_text(s, 0);
    const char *P = "P";
    grad *g = grad_text(text);
    g->o.statics = 1;
    grad_wrt(g, 1, &P), grad_of(g, 1, &sensor);
    double *d = grad_by(g, SN_GRADIENT_FORWARD, NULL), y = d[0];
    free(d);
    kit_close(&g->k);
    free(g), free(text);
    return y;
}

#endif
