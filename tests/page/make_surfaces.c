/* make_surfaces ANALYSIS FILE.h5: a result as no kind of ours writes it, for the tests in the browser: a
   plate of quadrilaterals with a thickness, a flap of triangles without, a solid of eight corners, a spring,
   something with a symbol that nobody knows. Nodes of the plate have their position behind another
   coordinate. ANALYSIS is run, static or modes. The formulas stand in test_surface.js a second time. */
#include "io/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 6, NY = 4, GRID = (NX + 1) * (NY + 1), TIP = 1 + GRID, BLOCK, HEAT = BLOCK + 8, NODES };
enum { QUADS = NX * NY, FLAPS = 2, FACES = QUADS + FLAPS, ELEMENTS = FACES + 3 };
enum { PLACES = 4 * QUADS + 3 * FLAPS + 2 + 2 + 8, JOINT_PLACES = 2, GEOMETRIES = 6 };
enum { NQ = 8 * GRID + 3 * 9 + 1, NV = 7 * GRID + 3 * 9 + 1, FRAMES = 21, MODES = 2 };

typedef struct plate {
    double X[NODES][3];
    char text[NODES][16];
    const char *name[NODES], *element_name[ELEMENTS];
    int index[NODES][9], element[ELEMENTS][3], place[PLACES + JOINT_PLACES], n_element, n_place;
    double thickness[QUADS][2];
    int moment_row[QUADS][2], heat_row[FACES][2], strain_row[FACES][2];
    double q[NQ], v[NV], moment[12 * QUADS], heat[4 * QUADS + 3 * FLAPS], strain[FACES];
} plate;

static int grid(int i, int j) { return 1 + i * (NY + 1) + j; }

/* sizes: nq, nv, dim, x_q, x_v, R_q, R_v. */
static void put_node(plate *p, int i, double x, double y, double z, const int *place, const int *sizes)
{
    p->name[i] = p->text[i];
    p->X[i][0] = x, p->X[i][1] = y, p->X[i][2] = z;
    memcpy(p->index[i], place, 2 * sizeof *place);
    memcpy(p->index[i] + 2, sizes, 7 * sizeof *sizes);
}

static void nodes(plate *p)
{
    static const int ground[7] = {7, 6, 3, 0, 0, 3, 3}, shell[7] = {8, 7, 3, 1, 1, 4, 4},
                     point[7] = {3, 3, 3, 0, 0, -1, -1}, number[7] = {1, 1, 0, -1, -1, -1, -1};
    int at[2] = {0, 0};
    strcpy(p->text[0], "ground");
    put_node(p, 0, 0, 0, 0, (const int[]){-1, -1}, ground);
    for (int i = 0; i <= NX; i++)
        for (int j = 0; j <= NY; j++, at[0] += 8, at[1] += 7) {
            int corner = (i == 0 || i == NX) && (j == 0 || j == NY), n = grid(i, j);
            snprintf(p->text[n], sizeof p->text[n], corner ? "c%d%d" : "plate.n%d_%d", i, j);
            put_node(p, n, 0.2 * i, 0.2 * j, 0, at, shell);
        }
    strcpy(p->text[TIP], "tip");
    put_node(p, TIP, 1.5, 0.4, 0.4, at, point);
    for (int k = 0; k < 8; k++) {
        at[0] += 3, at[1] += 3;
        snprintf(p->text[BLOCK + k], sizeof p->text[k], "b%d", k);
        put_node(p, BLOCK + k, k % 4 == 1 || k % 4 == 2 ? -0.3 : -0.6, k % 4 > 1 ? 0.3 : 0, 0.3 * (k / 4), at,
                 point);
    }
    at[0] += 3, at[1] += 3;
    strcpy(p->text[HEAT], "heat");
    put_node(p, HEAT, 0, 0, 0, at, number);
}

static void put_element(plate *p, const char *name, int geometry, int n, const int *node)
{
    int *row = p->element[p->n_element];
    row[0] = p->n_place, row[1] = n, row[2] = geometry;
    p->element_name[p->n_element++] = name;
    memcpy(p->place + p->n_place, node, (size_t)n * sizeof *node);
    p->n_place += n;
}

static void elements(plate *p)
{
    int block[8];
    for (int k = 0; k < 8; k++) block[k] = BLOCK + k;
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++)
            put_element(p, "slab:plate", 0, 4,
                        (const int[]){grid(i, j), grid(i + 1, j), grid(i + 1, j + 1), grid(i, j + 1)});
    for (int j = 1; j <= FLAPS; j++)
        put_element(p, "skin:flap", 1, 3, (const int[]){grid(NX, j), TIP, grid(NX, j + 1)});
    put_element(p, "coil:stay", 2, 2, (const int[]){0, TIP});
    put_element(p, "wing:wing", 3, 2, (const int[]){TIP, grid(NX, 0)});
    put_element(p, "brick:block", 4, 8, block);
    p->place[PLACES] = 0, p->place[PLACES + 1] = grid(0, 0);
    for (int e = 0; e < FACES; e++) {
        if (e < QUADS) p->thickness[e][0] = e, p->thickness[e][1] = 0.03;
        if (e < QUADS) p->moment_row[e][0] = e, p->moment_row[e][1] = 4;
        p->heat_row[e][0] = e, p->heat_row[e][1] = p->element[e][1];
        p->strain_row[e][0] = e, p->strain_row[e][1] = 1;
    }
}

/* Where a point of the reference is at t: it is bent, turned about z and flies. */
static void move(const double *x, double t, double *out)
{
    double c = cos(0.8 * t), s = sin(0.8 * t);
    out[0] = c * x[0] - s * x[1] + 0.1 * t;
    out[1] = s * x[0] + c * x[1];
    out[2] = x[2] + 0.08 * sin(6.283185307179586 * t) * x[0] * x[0] + 0.2 * t;
}

static void states(plate *p, double t)
{
    memset(p->q, 0, sizeof p->q);
    for (int i = 1; i < NODES; i++) {
        const int *row = p->index[i];
        double *q = p->q + row[0];
        if (row[5] >= 0) move(p->X[i], t, q + row[5]);
        if (row[7] >= 0) q[row[7]] = cos(0.4 * t), q[row[7] + 3] = sin(0.4 * t);
    }
}

/* Mode k: everything goes up by |x|^(k + 1). */
static void mode(plate *p, int k)
{
    states(p, 0);
    memset(p->v, 0, sizeof p->v);
    for (int i = 1; i < NODES; i++)
        if (p->index[i][6] >= 0) p->v[p->index[i][1] + p->index[i][6] + 2] = pow(fabs(p->X[i][0]), k + 1);
}

static void fields(plate *p, double t)
{
    double *moment = p->moment, *heat = p->heat;
    for (int e = 0; e < FACES; e++) {
        for (int k = 0; k < p->element[e][1]; k++) {
            const double *x = p->X[p->place[p->element[e][0] + k]];
            if (e < QUADS) *moment++ = t * (x[0] + 1), *moment++ = -t * x[1], *moment++ = t * (e + 1) / QUADS;
            *heat++ = 300 + 50 * x[0] + 20 * t * x[1];
        }
        p->strain[e] = t * (e + 1);
    }
}

static const char *const of = "elements", *const style[] = {"signed", "plain"},
                         *const part[] = {"xx", "yy", "xy"}, *const one = "",
                         *const doc[] = {"moment per length", "temperature", "strain energy density"};
static const sn_result_label labels[3][5] = {
    {{"doc", -1, doc}, {"of", -1, &of}, {"style", -1, style}, {"components", 3, part}, {NULL, 0, NULL}},
    {{"doc", -1, doc + 1},
     {"of", -1, &of},
     {"style", -1, style + 1},
     {"components", 1, &one},
     {NULL, 0, NULL}},
    {{"doc", -1, doc + 2},
     {"of", -1, &of},
     {"style", -1, style + 1},
     {"components", 1, &one},
     {NULL, 0, NULL}}};

static sn_status create(plate *p, const char *analysis, int frames, const char *path, sn_result **w,
                        sn_err *err)
{
    static const char *const symbol[GEOMETRIES] = {"", "", "spring", "wing", "", "hinge"}, *const joint_name =
                                                                                               "pivot:root";
    static const int geometry[GEOMETRIES][2] = {{4, 0}, {3, 0}, {2, 0}, {2, 0}, {5, 0}, {0, 0}},
                     joint[3] = {PLACES, JOINT_PLACES, GEOMETRIES - 1};
    static const double pin[10] = {1, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    const sn_result_array array[] = {
        {"/model/nodes/reference", NODES, 3, p->X[0], NULL, p->name, "m", NULL},
        {"/model/nodes/index", NODES, 9, NULL, p->index[0], p->name, NULL, NULL},
        {"/model/connectivity", PLACES + JOINT_PLACES, 1, NULL, p->place, NULL, NULL, NULL},
        {"/model/elements", ELEMENTS, 3, NULL, p->element[0], p->element_name, NULL, NULL},
        {"/model/joints", 1, 3, NULL, joint, &joint_name, NULL, NULL},
        {"/model/geometry", GEOMETRIES, 2, NULL, geometry[0], symbol, NULL, NULL},
        {"/model/surfaces", QUADS, 2, p->thickness[0], NULL, NULL, NULL, NULL},
        {"/model/pins", 1, 10, pin, NULL, NULL, NULL, NULL},
        {"/model/fields/moment", QUADS, 2, NULL, p->moment_row[0], NULL, "N", labels[0]},
        {"/model/fields/temperature", FACES, 2, NULL, p->heat_row[0], NULL, "K", labels[1]},
        {"/model/fields/strain", FACES, 2, NULL, p->strain_row[0], NULL, "J/m^3", labels[2]}};
    const sn_result_column column[] = {{"/states/q", NQ, NULL, NULL, "state"},
                                       {"/states/v", NV, NULL, NULL, "state"},
                                       {"/fields/moment", 12 * QUADS, NULL, NULL, "field"},
                                       {"/fields/temperature", 4 * QUADS + 3 * FLAPS, NULL, NULL, "field"},
                                       {"/fields/strain", FACES, NULL, NULL, "field"}};
    const sn_result_text text[] = {{"@title", "Surfaces"},
                                   {"@analysis", analysis},
                                   {"@version", "0"},
                                   {"@command", ""},
                                   {"@file", "plate.yaml"}};
    int modes = strcmp(analysis, "modes") == 0, n = modes ? 0 : 3;
    const sn_result_layout layout = {.n_frames = frames,
                                     .frame_name = modes ? "/frequency" : "/time",
                                     .frame_unit = modes ? "Hz" : "s",
                                     .n_columns = 2 + n,
                                     .n_texts = 5,
                                     .n_arrays = 8 + n,
                                     .column = column,
                                     .text = text,
                                     .array = array,
                                     .single_columns = n};
    return sn_result_create(path, &layout, w, err);
}

static sn_status write_result(plate *p, const char *analysis, const char *path, sn_err *err)
{
    const double *const data[] = {p->q, p->v, p->moment, p->heat, p->strain};
    int modes = strcmp(analysis, "modes") == 0, run = strcmp(analysis, "run") == 0,
        frames = modes ? MODES
                 : run ? FRAMES
                       : 1;
    sn_result *w;
    SN_TRY(create(p, analysis, frames, path, &w, err));
    sn_status s = SN_OK;
    for (int i = 0; s == SN_OK && i < frames; i++) {
        double t = run ? i / (double)(FRAMES - 1) : 0.25;
        if (modes)
            mode(p, i);
        else
            states(p, t);
        fields(p, t);
        s = sn_result_frame(w, modes ? i + 1 : t, data, err);
    }
    sn_status closed = sn_result_close(w, SN_RESULT_COMPLETE, s ? NULL : err);
    return s ? s : closed;
}

int main(int argc, char **argv)
{
    sn_err err;
    plate *p = calloc(1, sizeof *p);
    if (argc != 3 || !p) return 2;
    sn_err_clear(&err);
    nodes(p);
    elements(p);
    sn_status s = write_result(p, argv[1], argv[2], &err);
    if (s != SN_OK) fprintf(stderr, "%s\n", err.report[0].text);
    free(p);
    return sn_status_exit(s);
}
