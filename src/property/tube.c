/* tube: a circular tube of the outer radius `radius`; the wall is not thicker than the radius, else
   the formulas mean nothing. A = pi (2 r - t) t; I = A (r^2 + (r - t)^2) / 4, free of cancellation for thin
   walls. */
#include "sinew/class.h"

extern const sn_property_class sn_property_tube;

static const sn_slot slots[] = {
    {"radius", "m", "outer radius", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"thickness", "m", "of the wall", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"A", "m^2", "area", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "pi*thickness*(2*radius-thickness)"},
    {"I", "m^4", "second moment of area for bending in the plane", 1, SN_POSITIVE, SN_REQUIRED, 0,
     SN_INFINITE, "pi*thickness*(2*radius-thickness)*(radius^2+(radius-thickness)^2)/4"},
    {"I_y", "m^4", "second moment of area about local y (bending in the x-z plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, "pi*thickness*(2*radius-thickness)*(radius^2+(radius-thickness)^2)/4"},
    {"I_z", "m^4", "second moment of area about local z (bending in the x-y plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, "pi*thickness*(2*radius-thickness)*(radius^2+(radius-thickness)^2)/4"},
    {"J", "m^4", "torsion constant (St Venant)", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE,
     "pi*thickness*(2*radius-thickness)*(radius^2+(radius-thickness)^2)/2"},
    {.name = NULL},
};

static void draw(const double *s, double *out)
{
    out[0] = out[1] = 2 * s[0];
    out[2] = out[3] = 2 * (s[0] - s[1]);
}

const sn_property_class sn_property_tube = {
    .name = "tube",
    .doc = "circular tube",
    .section = 1,
    .slots = slots,
    .draw = draw,
    .outline = SN_OUTLINE_ROUND,
};
