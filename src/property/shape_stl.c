/* stl: a surface of triangles in an STL file. `surface` holds what is read from it where it is closed, in the
   file's unit of length and its axes: volume, centre (3), and entries xx, yy, zz, xy, xz, yz of the inertia
   matrix of a unit mass about the centre. A point p of the file lies at origin + scale R p from the node. */
#include "property/shape.h"

extern const sn_property_class sn_property_shape_stl;

/* One entry of R P R' with the symmetric P in surface.5 ... surface.10. */
#define J(a1, a2, a3, b1, b2, b3)                                                                            \
    "scale^2*(surface.5*" a1 "*" b1 "+surface.6*" a2 "*" b2 "+surface.7*" a3 "*" b3 "+surface.8*(" a1 "*" b2 \
    "+" a2 "*" b1 ")+surface.9*(" a1 "*" b3 "+" a3 "*" b1 ")+surface.10*(" a2 "*" b3 "+" a3 "*" b2 "))"
#define C(o, a1, a2, a3) o "+scale*(surface.2*" a1 "+surface.3*" a2 "+surface.4*" a3 ")"
#define ROW1             SN_R11, SN_R12, SN_R13
#define ROW2             SN_R21, SN_R22, SN_R23
#define ROW3             SN_R31, SN_R32, SN_R33
#define ENTRY(...)       J(__VA_ARGS__)
#define CENTRE(...)      C(__VA_ARGS__)

static const sn_slot slots[] = {
    {"surface", "", "volume, centre and inertia of a unit mass, read from the file", 10, SN_NEEDED,
     SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"scale", "m", "unit of length of the file", 1, SN_POSITIVE, 1, 0, SN_INFINITE, NULL},
    SN_SHAPE_ANGLES,
    {"origin", "m", "of the file, from the node", 3, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},
    {"centre", "m", "of the volume, from the node", 3, 0, 0, -SN_INFINITE, SN_INFINITE,
     CENTRE("origin.x", ROW1) ";" CENTRE("origin.y", ROW2) ";" CENTRE("origin.z", ROW3)},
    SN_SHAPE_DENSITY,
    SN_SHAPE_VOLUME("scale^3*surface.1", -SN_INFINITE),
    SN_SHAPE_GYRATION(ENTRY(ROW1, ROW1) ";" ENTRY(ROW2, ROW2) ";" ENTRY(ROW3, ROW3),
                      ENTRY(ROW1, ROW2) ";" ENTRY(ROW1, ROW3) ";" ENTRY(ROW2, ROW3)),
    {.name = NULL},
};

static const sn_option options[] = {
    {"closed", "no|yes", "no: the surface is only drawn, and mass, inertia and com are the body's own", 1},
    {.name = NULL},
};

enum { SURFACE = 0, SCALE = 10, ANGLES = 11, ORIGIN = 14 };

static void draw(const double *s, double *out)
{
    for (int i = 0; i < 3; i++) out[SN_DRAW_PLACE + i] = s[ORIGIN + i];
    sn_shape_turn(s + ANGLES, out + SN_DRAW_TURN);
    out[SN_DRAW_SIZE] = s[SCALE];
}

const sn_property_class sn_property_shape_stl = {
    .name = "stl",
    .doc = "solid within the closed surface of an STL file",
    .section = 2,
    .file = 1,
    .slots = slots,
    .options = options,
    .draw = draw,
    .outline = SN_SOLID_TRIANGLES,
};
