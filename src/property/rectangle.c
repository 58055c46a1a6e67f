/* rectangle: a rectangular cross section; `height` lies in the plane of bending, in space along local y, and
   `width` along local z. J by St Venant's series, a b^3 (1/3 - 64/pi^5 b/a sum_odd tanh(n pi a/2b)/n^5) for
   a >= b; beyond n = 3 tanh is 1 to 1e-6 and the rest of the sum 4.0853e-4. */
#include "sinew/class.h"

extern const sn_property_class sn_property_rectangle;

static const sn_slot slots[] = {
    {"width", "m", "across the plane of bending, along local z", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE,
     NULL},
    {"height", "m", "in the plane of bending, along local y", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE,
     NULL},
    {"A", "m^2", "area", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "width*height"},
    {"I", "m^4", "second moment of area for bending in the plane", 1, SN_POSITIVE, SN_REQUIRED, 0,
     SN_INFINITE, "width*height^3/12"},
    {"I_y", "m^4", "second moment of area about local y (bending in the x-z plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, "height*width^3/12"},
    {"I_z", "m^4", "second moment of area about local z (bending in the x-y plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, "width*height^3/12"},
    {"J", "m^4", "torsion constant (St Venant)", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE,
     "max(width,height)*min(width,height)^3*(1/3-64/pi^5*min(width,height)/"
     "max(width,height)*(tanh(pi*max(width,height)/(2*min(width,height)))+tanh(3*pi*max(width,height)/"
     "(2*min(width,height)))/243+4.0853e-4))"},
    {.name = NULL},
};

static void draw(const double *s, double *out)
{
    out[0] = s[1];
    out[1] = s[0];
    out[2] = out[3] = 0;
}

const sn_property_class sn_property_rectangle = {
    .name = "rectangle",
    .doc = "rectangular cross section",
    .section = 1,
    .slots = slots,
    .draw = draw,
    .outline = SN_OUTLINE_RECTANGLE,
};
