/* circle: a solid circular cross section. */
#include "sinew/class.h"

extern const sn_property_class sn_property_circle;

static const sn_slot slots[] = {
    {"radius", "m", "outer radius", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"A", "m^2", "area", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "pi*radius^2"},
    {"I", "m^4", "second moment of area for bending in the plane", 1, SN_POSITIVE, SN_REQUIRED, 0,
     SN_INFINITE, "pi*radius^4/4"},
    {"I_y", "m^4", "second moment of area about local y (bending in the x-z plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, "pi*radius^4/4"},
    {"I_z", "m^4", "second moment of area about local z (bending in the x-y plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, "pi*radius^4/4"},
    {"J", "m^4", "torsion constant (St Venant)", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE,
     "pi*radius^4/2"},
    {.name = NULL},
};

static void draw(const double *s, double *out)
{
    out[0] = out[1] = 2 * s[0];
    out[2] = out[3] = 0;
}

const sn_property_class sn_property_circle = {
    .name = "circle",
    .doc = "solid circular cross section",
    .section = 1,
    .slots = slots,
    .draw = draw,
    .outline = SN_OUTLINE_ROUND,
};
