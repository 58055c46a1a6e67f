/* i_section: two equal flanges and a web along local y. J of the thin open profile, the sum of t^3 b/3 of its
   parts; fillets and warping are left out. */
#include "sinew/class.h"

extern const sn_property_class sn_property_i_section;

static const sn_slot slots[] = {
    {"width", "m", "of the flanges, along local z", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"height", "m", "over all, in the plane of bending, along local y", 1, SN_POSITIVE, SN_REQUIRED, 0,
     SN_INFINITE, NULL},
    {"flange", "m", "thickness of the flanges", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"web", "m", "thickness of the web", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"A", "m^2", "area", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "2*width*flange+(height-2*flange)*web"},
    {"I", "m^4", "second moment of area for bending in the plane", 1, SN_POSITIVE, SN_REQUIRED, 0,
     SN_INFINITE, "(width*height^3-(width-web)*(height-2*flange)^3)/12"},
    {"I_y", "m^4", "second moment of area about local y (bending in the x-z plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, "(2*flange*width^3+(height-2*flange)*web^3)/12"},
    {"I_z", "m^4", "second moment of area about local z (bending in the x-y plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, "(width*height^3-(width-web)*(height-2*flange)^3)/12"},
    {"J", "m^4", "torsion constant (St Venant)", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE,
     "(2*width*flange^3+(height-flange)*web^3)/3"},
    {.name = NULL},
};

static void draw(const double *s, double *out)
{
    out[0] = s[1];
    out[1] = s[0];
    out[2] = s[1] - 2 * s[2];
    out[3] = s[0] - s[3];
}

const sn_property_class sn_property_i_section = {
    .name = "i_section",
    .doc = "I-shaped cross section",
    .section = 1,
    .slots = slots,
    .draw = draw,
    .outline = SN_OUTLINE_I,
};
