/* box: a rectangular tube with walls of one thickness; `height` lies along local y, `width` along local z
   (outer sizes). J after Bredt, with the walls' own torsion: 2 t (w-t)^2 (h-t)^2/(w+h-2t) + 2/3 t^3 (w+h-2t);
   4 % above St Venant's where a square box has closed to a solid one. */
#include "sinew/class.h"

extern const sn_property_class sn_property_box;

static const sn_slot slots[] = {
    {"width", "m", "outer, along local z", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"height", "m", "outer, in the plane of bending, along local y", 1, SN_POSITIVE, SN_REQUIRED, 0,
     SN_INFINITE, NULL},
    {"thickness", "m", "of the walls", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"A", "m^2", "area", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE,
     "2*thickness*(width+height-2*thickness)"},
    {"I", "m^4", "second moment of area for bending in the plane", 1, SN_POSITIVE, SN_REQUIRED, 0,
     SN_INFINITE, "(width*height^3-(width-2*thickness)*(height-2*thickness)^3)/12"},
    {"I_y", "m^4", "second moment of area about local y (bending in the x-z plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, "(height*width^3-(height-2*thickness)*(width-2*thickness)^3)/12"},
    {"I_z", "m^4", "second moment of area about local z (bending in the x-y plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, "(width*height^3-(width-2*thickness)*(height-2*thickness)^3)/12"},
    {"J", "m^4", "torsion constant (St Venant)", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE,
     "2*thickness*(width-thickness)^2*(height-thickness)^2/(width+height-2*thickness)+2/"
     "3*thickness^3*(width+height-2*thickness)"},
    {.name = NULL},
};

static void draw(const double *s, double *out)
{
    out[0] = s[1];
    out[1] = s[0];
    out[2] = s[1] - 2 * s[2];
    out[3] = s[0] - 2 * s[2];
}

const sn_property_class sn_property_box = {
    .name = "box",
    .doc = "rectangular tube",
    .section = 1,
    .slots = slots,
    .draw = draw,
    .outline = SN_OUTLINE_RECTANGLE,
};
