/* make_meshes WHAT FILE.h5: a result with bodies that are drawn as meshes, for the tests in the browser and
   of exports: a bar with two modes (bending, torsion) hinged to the ground, with a node tied to its end; a
   twin of the same mesh, moved and turned; a wire of lines alone. WHAT is run, static, modes, or large: one
   bar of 20000 triangles and 20 modes; with damaged-ROW-COLUMN-VALUE a number of /model/meshes is another
   one, with triangle-NODE and line-NODE a corner, with modes-missing a mode is not there. The formulas stand
   in test_mesh.js and read_export.py a second time. */
#include "io/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUND, FRAME, MODES, TIP, TWIN, TWIN_MODES, WIRE, WIRE_MODES, NODES };
enum { FRAMES = 21, WIRE_NODES = 13, MOST_MODES = 20, ROW = 16 };
enum { NQ = 4 * 7 + 2 * MOST_MODES + 1, NV = 4 * 6 + 2 * MOST_MODES + 1 };
static const double turn = 6.283185307179586;

/* nodes, modes one after the other, lines, triangles */
typedef struct mesh {
    int n, modes, n_line, n_triangle;
    double *X, *phi;
    int *line, *triangle;
} mesh;

typedef struct parts {
    mesh bar, wire;
    int index[NODES][9];
    double X[NODES][3], q[NQ], v[NV], meshes[3][ROW];
} parts;

static void *room(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p) abort();
    return p;
}

static void line(mesh *m, int a, int b) { m->line[2 * m->n_line] = a, m->line[2 * m->n_line++ + 1] = b; }
static void triangle(mesh *m, int a, int b, int c)
{
    int *k = m->triangle + 3 * m->n_triangle++;
    k[0] = a, k[1] = b, k[2] = c;
}

/* Displacement of a point of the bar by mode j: bending, torsion, then waves across it. */
static void shape(const double *x, int j, double *phi)
{
    phi[0] = j == 0 ? -2 * x[0] * x[2] : 0;
    phi[1] = j == 1 ? -x[0] * x[2] : 0;
    phi[2] = j == 0 ? x[0] * x[0] : j == 1 ? x[0] * x[1] : 0.02 * sin(0.5 * turn * (j - 1) * x[0]);
}

/* A bar 1 m long, 0.2 m wide, 0.1 m high: `along` stations, `side` pieces on each of four sides, both ends
   closed by fans. */
static void make_bar(mesh *m, int along, int side, int modes)
{
    static const double y[] = {-0.1, 0.1, 0.1, -0.1}, z[] = {-0.05, -0.05, 0.05, 0.05};
    int around = 4 * side, ends = (along + 1) * around;
    m->n = ends + 2, m->modes = modes;
    m->X = room(3 * (size_t)m->n, sizeof *m->X);
    m->phi = room(3 * (size_t)m->n * (size_t)modes, sizeof *m->phi);
    m->line = room((size_t)(4 * ends), sizeof *m->line);
    m->triangle = room((size_t)(6 * ends + 6 * around), sizeof *m->triangle);
    for (int i = 0; i <= along; i++)
        for (int k = 0; k < around; k++) {
            int a = k / side, b = (a + 1) % 4, here = i * around + k, next = i * around + (k + 1) % around;
            double s = (double)(k % side) / side, *x = m->X + 3 * here;
            x[0] = (double)i / along, x[1] = y[a] + s * (y[b] - y[a]), x[2] = z[a] + s * (z[b] - z[a]);
            line(m, here, next);
            if (i == 0 || i == along) triangle(m, here, next, ends + (i > 0));
            if (i == along) continue;
            line(m, here, here + around);
            triangle(m, here, here + around, next + around), triangle(m, here, next + around, next);
        }
    m->X[3 * (ends + 1)] = 1;
    for (int j = 0; j < modes; j++)
        for (int i = 0; i < m->n; i++)
            shape(m->X + 3 * i, j, m->phi + 3 * ((size_t)j * (size_t)m->n + (size_t)i));
}

/* Half a circle of lines of radius 0.3 m, which its mode opens. */
static void make_wire(mesh *m)
{
    m->n = WIRE_NODES, m->modes = 1;
    m->X = room(3 * WIRE_NODES, sizeof *m->X), m->phi = room(3 * WIRE_NODES, sizeof *m->phi);
    m->line = room(2 * WIRE_NODES, sizeof *m->line), m->triangle = room(3, sizeof *m->triangle);
    for (int i = 0; i < WIRE_NODES; i++) {
        double a = 0.5 * turn * i / (WIRE_NODES - 1);
        m->X[3 * i] = 0.3 * cos(a), m->X[3 * i + 2] = 0.3 * sin(a), m->phi[3 * i] = cos(a);
        if (i) line(m, i - 1, i);
    }
}

static void free_mesh(mesh *m) { free(m->X), free(m->phi), free(m->line), free(m->triangle); }

/* ---- nodes and states ---- */

static void nodes(parts *p)
{
    static const double X[NODES][3] = {[TIP] = {1, 0, 0}, [TWIN] = {0, 0.8, 0}, [WIRE] = {0.2, -0.7, 0}};
    const int size[NODES] = {0, -1, p->bar.modes, -1, -1, p->bar.modes, -1, p->wire.modes};
    int q = 0, v = 0;
    memcpy(p->X, X, sizeof X);
    for (int i = 0; i < NODES; i++) {
        int frame = size[i] < 0, numbers = i && !frame;
        const int row[9] = {i ? q : -1,      i ? v : -1,       numbers ? size[i] : 7, numbers ? size[i] : 6,
                            numbers ? 0 : 3, numbers ? -1 : 0, numbers ? -1 : 0,      numbers ? -1 : 3,
                            numbers ? -1 : 3};
        memcpy(p->index[i], row, sizeof row);
        q += i ? row[2] : 0, v += i ? row[3] : 0;
    }
}

/* Rows of /model/meshes: the twin's mesh is turned a quarter about z, and 0.1 m above its node. */
static void rows(parts *p)
{
    const double all[3][ROW] = {{0, 0, FRAME, MODES, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
                                {1, 0, TWIN, TWIN_MODES, 0, 0, 0.1, 0, -1, 0, 1, 0, 0, 0, 0, 1},
                                {2, 1, WIRE, WIRE_MODES, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}};
    memcpy(p->meshes, all, sizeof all);
}

/* A frame at x, turned by an angle about z, and their rates. */
static void put_frame(parts *p, int node, const double *x, double angle, const double *v, double spin)
{
    double *q = p->q + p->index[node][0], *to = p->v + p->index[node][1];
    memcpy(q, x, 3 * sizeof *x), memcpy(to, v, 3 * sizeof *v);
    q[3] = cos(0.5 * angle), q[6] = sin(0.5 * angle), to[5] = spin;
}

/* Bodies turn about z by 0.8 t and rise; the bar stays at its hinge. d1, d2 bend and twist it. */
static void states(parts *p, double t)
{
    double d1 = 0.15 * sin(turn * t), d2 = 0.4 * sin(2 * turn * t), a = 0.8 * t,
           v1 = 0.15 * turn * cos(turn * t), v2 = 0.8 * turn * cos(2 * turn * t);
    memset(p->q, 0, sizeof p->q), memset(p->v, 0, sizeof p->v);
    put_frame(p, FRAME, (const double[]){0, 0, 0}, a, (const double[]){0, 0, 0}, 0.8);
    put_frame(p, TIP, (const double[]){cos(a), sin(a), d1}, a,
              (const double[]){-0.8 * sin(a), 0.8 * cos(a), v1}, 0.8);
    put_frame(p, TWIN, (const double[]){0.1 * t, 0.8, 0.2 * t}, a, (const double[]){0.1, 0, 0.2}, 0.8);
    put_frame(p, WIRE, (const double[]){0.2, -0.7, 0.1 * t}, 0, (const double[]){0, 0, 0.1}, 0);
    double *d = p->q + p->index[MODES][0], *v = p->v + p->index[MODES][1];
    d[0] = d1, d[1] = d2, v[0] = v1, v[1] = v2;
    p->q[p->index[TWIN_MODES][0]] = -d1, p->v[p->index[TWIN_MODES][1]] = -v1;
    p->q[p->index[WIRE_MODES][0]] = 0.2 * t, p->v[p->index[WIRE_MODES][1]] = 0.2;
    for (int j = 2; j < p->bar.modes; j++) d[j] = sin(turn * (t + 0.1 * j)) / j;
}

/* Mode 1: the bar bends, mode 2: it twists; what is tied goes along. */
static void mode(parts *p, int k)
{
    states(p, 0);
    memset(p->v, 0, sizeof p->v);
    p->v[p->index[MODES][1] + k] = 1;
    if (k == 0) p->v[p->index[TIP][1] + 2] = 1;
}

/* ---- the file ---- */

static int add_mesh(sn_result_array *a, int i, const mesh *m, const char (*path)[32], int single)
{
    if (single) {
        a[0] = (sn_result_array){path[0], m->n, 3, m->X, NULL, NULL, "m", NULL};
        a[1] = (sn_result_array){path[1], m->modes, 3 * m->n, m->phi, NULL, NULL, NULL, NULL};
    } else {
        a[0] = (sn_result_array){path[2], m->n_line, 2, NULL, m->line, NULL, NULL, NULL};
        a[1] = (sn_result_array){path[3], m->n_triangle, 3, NULL, m->triangle, NULL, NULL, NULL};
    }
    return i + 2;
}

static sn_status create(const parts *p, const char *analysis, int frames, int bodies, const char *path,
                        sn_result **w, sn_err *err)
{
    static const char *const node_name[NODES] = {"ground",     "arm.frame",  "arm.modes",  "tip",
                                                 "twin.frame", "twin.modes", "wire.frame", "wire.modes"},
                             *const element_name[] = {"bend:arm", "bend:twin", "cord:wire"},
                             *const joint_name[] = {"pivot:pin", "tied:arm.tip"},
                             *const symbol[] = {"mass", "hinge", ""};
    static const int element[3][3] = {{0, 2, 0}, {2, 2, 0}, {4, 2, 0}}, joint[2][3] = {{6, 2, 1}, {8, 3, 2}},
                     place[] = {FRAME,  MODES, TWIN,  TWIN_MODES, WIRE, WIRE_MODES,
                                GROUND, FRAME, FRAME, MODES,      TIP},
                     geometry[3][2] = {{1, 0}, {0, 0}, {0, 0}};
    static const double pin[2][10] = {{FRAME, 0, 0, 0, 0, 0, 1, 0, 0, 0}, {TIP}};
    static const char name[2][4][32] = {
        {"/model/mesh/0/nodes", "/model/mesh/0/modes", "/model/mesh/0/lines", "/model/mesh/0/triangles"},
        {"/model/mesh/1/nodes", "/model/mesh/1/modes", "/model/mesh/1/lines", "/model/mesh/1/triangles"}};
    sn_result_array array[16] = {{"/model/nodes/reference", NODES, 3, p->X[0], NULL, node_name, "m", NULL},
                                 {"/model/nodes/index", NODES, 9, NULL, p->index[0], node_name, NULL, NULL},
                                 {"/model/connectivity", 11, 1, NULL, place, NULL, NULL, NULL},
                                 {"/model/elements", bodies, 3, NULL, element[0], element_name, NULL, NULL},
                                 {"/model/joints", 2, 3, NULL, joint[0], joint_name, NULL, NULL},
                                 {"/model/geometry", 3, 2, NULL, geometry[0], symbol, NULL, NULL},
                                 {"/model/pins", 2, 10, pin[0], NULL, NULL, NULL, NULL},
                                 {"/model/meshes", bodies, ROW, p->meshes[0], NULL, NULL, NULL, NULL}};
    const sn_result_column column[] = {{"/states/q", p->index[NODES - 1][0] + 1, NULL, NULL, "state"},
                                       {"/states/v", p->index[NODES - 1][1] + 1, NULL, NULL, "state"}};
    const sn_result_text text[] = {{"@title", "Meshes"},
                                   {"@analysis", analysis},
                                   {"@version", "0"},
                                   {"@command", ""},
                                   {"@file", "bar.yaml"}};
    int modes = strcmp(analysis, "modes") == 0, n = 8;
    for (int single = 0; single < 2; single++) {
        n = add_mesh(array + n, n, &p->bar, name[0], single);
        n = add_mesh(array + n, n, &p->wire, name[1], single);
    }
    const sn_result_layout layout = {.n_frames = frames,
                                     .frame_name = modes ? "/frequency" : "/time",
                                     .frame_unit = modes ? "Hz" : "s",
                                     .n_columns = 2,
                                     .n_texts = 5,
                                     .n_arrays = n,
                                     .column = column,
                                     .text = text,
                                     .array = array,
                                     .single_arrays = 4};
    return sn_result_create(path, &layout, w, err);
}

static sn_status write_result(parts *p, const char *what, const char *path, sn_err *err)
{
    const double *const data[] = {p->q, p->v};
    int modes = strcmp(what, "modes") == 0, still = strcmp(what, "static") == 0,
        frames = modes   ? 2
                 : still ? 1
                         : FRAMES,
        bodies = strcmp(what, "large") == 0 ? 1 : 3;
    sn_result *w;
    SN_TRY(create(p, modes || still ? what : "run", frames, bodies, path, &w, err));
    sn_status s = SN_OK;
    for (int i = 0; s == SN_OK && i < frames; i++) {
        double t = still ? 0.2 : i / (double)(FRAMES - 1);
        if (modes)
            mode(p, i);
        else
            states(p, t);
        s = sn_result_frame(w, modes ? i + 1 : t, data, err);
    }
    sn_status closed = sn_result_close(w, SN_RESULT_COMPLETE, s ? NULL : err);
    return s ? s : closed;
}

int main(int argc, char **argv)
{
    sn_err err;
    parts *p = room(1, sizeof *p);
    int row, column, cell, large = argc > 1 && strcmp(argv[1], "large") == 0;
    double value;
    if (argc != 3) return 2;
    sn_err_clear(&err);
    make_bar(&p->bar, large ? 250 : 10, large ? 10 : 2, large ? MOST_MODES : 2);
    make_wire(&p->wire);
    nodes(p);
    rows(p);
    if (sscanf(argv[1], "damaged-%d-%d-%lf", &row, &column, &value) == 3 && row >= 0 && row < 3 &&
        column >= 0 && column < ROW)
        p->meshes[row][column] = value;
    if (sscanf(argv[1], "triangle-%d", &cell) == 1) p->bar.triangle[4] = cell;
    if (sscanf(argv[1], "line-%d", &cell) == 1) p->wire.line[1] = cell;
    if (strcmp(argv[1], "modes-missing") == 0) p->bar.modes = 1;
    sn_status s = write_result(p, argv[1], argv[2], &err);
    if (s != SN_OK) fprintf(stderr, "%s\n", err.report[0].text);
    free_mesh(&p->bar), free_mesh(&p->wire);
    free(p);
    return sn_status_exit(s);
}
