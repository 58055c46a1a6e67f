/* Surfaces of the shapes of rigid bodies, in the axes of the body: box, cylinder (hollow where it has an
   inner radius), sphere, and the triangles of STL files. Faces are polygons whose corners go
   counter-clockwise seen from outside. */
#include "io/scene.h"
#include "io/stl.h"
#include "sinew/class.h"

#include <math.h>
#include <string.h>

enum { SIDES = 32, RINGS = 15 };                   /* around an axis; circles of latitude between the poles */
enum { FORM = 1, PLACE = 2, TURN = 5, SIZE = 14 }; /* columns of /model/shapes */
static const double turn = 6.283185307179586;

typedef struct solid {
    sn_scene *s;
    const double *row;
    int first, index;
    const char *thing;
} solid;

/* Corner k at (x, y, z) in the shape's own axes. */
static void put(const solid *o, int k, double x, double y, double z)
{
    const double *R = o->row + TURN;
    double *p = o->s->local + 3 * ((size_t)o->first + (size_t)k);
    for (int i = 0; i < 3; i++) p[i] = o->row[PLACE + i] + R[3 * i] * x + R[3 * i + 1] * y + R[3 * i + 2] * z;
}

static sn_status face(const solid *o, int n, const int *k)
{
    int corner[SIDES];
    for (int i = 0; i < n; i++) corner[i] = o->first + k[i];
    return sn_scene_cell(o->s, SN_CELL_POLYGON, n, corner, o->index, SN_GROUP_BODY, o->thing);
}

static sn_status box(const solid *o)
{
    static const int quad[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    const double *h = o->row + SIZE;
    for (int k = 0; k < 8; k++)
        put(o, k, (k & 1 ? 0.5 : -0.5) * h[0], (k & 2 ? 0.5 : -0.5) * h[1], (k & 4 ? 0.5 : -0.5) * h[2]);
    for (int i = 0; i < 6; i++) SN_TRY(face(o, 4, quad[i]));
    return SN_OK;
}

/* A circle of corners from number k on. */
static void circle(const solid *o, int k, double radius, double z)
{
    for (int i = 0; i < SIDES; i++)
        put(o, k + i, radius * cos(turn * i / SIDES), radius * sin(turn * i / SIDES), z);
}

/* The band between circles that begin at a and b; outward when b is the upper one of an outer surface. */
static sn_status band(const solid *o, int a, int b)
{
    for (int i = 0; i < SIDES; i++) {
        int j = (i + 1) % SIDES;
        SN_TRY(face(o, 4, (const int[]){a + i, a + j, b + j, b + i}));
    }
    return SN_OK;
}

static sn_status disc(const solid *o, int a, int up)
{
    int k[SIDES];
    for (int i = 0; i < SIDES; i++) k[i] = a + (up ? i : SIDES - 1 - i);
    return face(o, SIDES, k);
}

static sn_status cylinder(const solid *o)
{
    const double *size = o->row + SIZE, z = 0.5 * size[1];
    circle(o, 0, size[0], -z);
    circle(o, SIDES, size[0], z);
    SN_TRY(band(o, 0, SIDES));
    if (!(size[2] > 0)) {
        SN_TRY(disc(o, 0, 0));
        return disc(o, SIDES, 1);
    }
    circle(o, 2 * SIDES, size[2], -z);
    circle(o, 3 * SIDES, size[2], z);
    SN_TRY(band(o, 3 * SIDES, 2 * SIDES));
    SN_TRY(band(o, 2 * SIDES, 0));
    return band(o, SIDES, 3 * SIDES);
}

static sn_status sphere(const solid *o)
{
    const int south = RINGS * SIDES, north = south + 1, last = (RINGS - 1) * SIDES;
    double r = o->row[SIZE];
    for (int i = 0; i < RINGS; i++) {
        double angle = 0.5 * turn * ((i + 1.0) / (RINGS + 1) - 0.5);
        circle(o, i * SIDES, r * cos(angle), r * sin(angle));
    }
    put(o, south, 0, 0, -r);
    put(o, north, 0, 0, r);
    for (int i = 0; i + 1 < RINGS; i++) SN_TRY(band(o, i * SIDES, (i + 1) * SIDES));
    for (int i = 0; i < SIDES; i++) {
        int j = (i + 1) % SIDES;
        SN_TRY(face(o, 3, (const int[]){south, j, i}));
        SN_TRY(face(o, 3, (const int[]){north, last + i, last + j}));
    }
    return SN_OK;
}

/* The triangles of a file; one that cannot be read any more adds nothing. */
static sn_status triangles(solid *o, int node, const char *file)
{
    enum { MOST = 1 << 24 };
    double *x, scale = o->row[SIZE];
    int n;
    sn_status status = sn_stl_triangles(file, &x, &n, NULL);
    if (status) return status == SN_ERR_MEMORY ? status : SN_OK;
    o->first = n && n < MOST ? sn_scene_points(o->s, node, -1, 3 * n) : -1;
    if (o->first < 0) status = n ? SN_ERR_MEMORY : SN_OK;
    for (int k = 0; k < 3 * n && o->first >= 0; k++)
        put(o, k, scale * x[3 * (size_t)k], scale * x[3 * (size_t)k + 1], scale * x[3 * (size_t)k + 2]);
    for (int k = 0; k < n && o->first >= 0 && !status; k++)
        status = face(o, 3, (const int[]){3 * k, 3 * k + 1, 3 * k + 2});
    sn_free(x);
    return status;
}

sn_status sn_scene_shape(sn_scene *s, const char *name, int node, const double *row, int index,
                         const char *thing)
{
    static const struct {
        int form;
        sn_status (*make)(const solid *o);
        int solid, hollow; /* corners */
    } maker[] = {{SN_SOLID_BOX, box, 8, 8},
                 {SN_SOLID_CYLINDER, cylinder, 2 * SIDES, 4 * SIDES},
                 {SN_SOLID_SPHERE, sphere, RINGS * SIDES + 2, RINGS * SIDES + 2}};
    solid o = {s, row, 0, index, thing};
    const char *colon = strchr(name, ':'), *file = colon ? strchr(colon + 1, ':') : NULL;
    if (row[FORM] == SN_SOLID_TRIANGLES && file) return triangles(&o, node, file + 1);
    for (size_t i = 0; i < sizeof maker / sizeof *maker; i++) {
        if (row[FORM] != maker[i].form) continue;
        o.first = sn_scene_points(s, node, -1, row[SIZE + 2] > 0 ? maker[i].hollow : maker[i].solid);
        return o.first < 0 ? SN_ERR_MEMORY : maker[i].make(&o);
    }
    return SN_OK;
}
