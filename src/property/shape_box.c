/* box: a block. Its moments (b^2 + c^2)/12, ... are turned by R: J = R diag(g) R'. */
#include "property/shape.h"

extern const sn_property_class sn_property_shape_box;

#define G1                        "(size.y^2+size.z^2)/12*"
#define G2                        "(size.z^2+size.x^2)/12*"
#define G3                        "(size.x^2+size.y^2)/12*"
#define J(a1, a2, a3, b1, b2, b3) G1 a1 "*" b1 "+" G2 a2 "*" b2 "+" G3 a3 "*" b3
#define ROW1                      SN_R11, SN_R12, SN_R13
#define ROW2                      SN_R21, SN_R22, SN_R23
#define ROW3                      SN_R31, SN_R32, SN_R33
#define ENTRY(...)                J(__VA_ARGS__)

static const sn_slot slots[] = {
    {"size", "m", "edges along x, y and z", 3, SN_POSITIVE | SN_NEEDED, SN_REQUIRED, 0, SN_INFINITE, NULL},
    SN_SHAPE_ANGLES,
    SN_SHAPE_CENTRE,
    SN_SHAPE_DENSITY,
    SN_SHAPE_VOLUME("size.x*size.y*size.z", -SN_INFINITE),
    SN_SHAPE_GYRATION(ENTRY(ROW1, ROW1) ";" ENTRY(ROW2, ROW2) ";" ENTRY(ROW3, ROW3),
                      ENTRY(ROW1, ROW2) ";" ENTRY(ROW1, ROW3) ";" ENTRY(ROW2, ROW3)),
    {.name = NULL},
};

enum { SIZE = 0, ANGLES = 3, CENTRE = 6 };

static void draw(const double *s, double *out)
{
    for (int i = 0; i < 3; i++) out[SN_DRAW_PLACE + i] = s[CENTRE + i], out[SN_DRAW_SIZE + i] = s[SIZE + i];
    sn_shape_turn(s + ANGLES, out + SN_DRAW_TURN);
}

const sn_property_class sn_property_shape_box = {
    .name = "box",
    .doc = "block",
    .section = 2,
    .slots = slots,
    .draw = draw,
    .outline = SN_SOLID_BOX,
};
