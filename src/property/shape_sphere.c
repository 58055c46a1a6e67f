/* sphere: solid; 2/5 r^2 about every axis. */
#include "property/shape.h"

extern const sn_property_class sn_property_shape_sphere;

static const sn_slot slots[] = {
    {"radius", "m", "radius", 1, SN_POSITIVE | SN_NEEDED, SN_REQUIRED, 0, SN_INFINITE, NULL},
    SN_SHAPE_CENTRE,
    SN_SHAPE_DENSITY,
    SN_SHAPE_VOLUME("4/3*pi*radius^3", -SN_INFINITE),
    SN_SHAPE_GYRATION("2/5*radius^2;2/5*radius^2;2/5*radius^2", "0;0;0"),
    {.name = NULL},
};

enum { RADIUS = 0, CENTRE = 1 };

static void draw(const double *s, double *out)
{
    const double none[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) out[SN_DRAW_PLACE + i] = s[CENTRE + i];
    sn_shape_turn(none, out + SN_DRAW_TURN);
    out[SN_DRAW_SIZE] = s[RADIUS];
}

const sn_property_class sn_property_shape_sphere = {
    .name = "sphere",
    .doc = "solid sphere",
    .section = 2,
    .slots = slots,
    .draw = draw,
    .outline = SN_SOLID_SPHERE,
};
