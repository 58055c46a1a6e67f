/* rectangle: a rectangular cross section; `height` lies in the plane of bending. */
#include "sinew/class.h"

extern const sn_property_class sn_property_rectangle;

static const sn_slot slots[] = {
    {"width", "m", "across the plane of bending", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"height", "m", "in the plane of bending", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"A", "m^2", "area", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "width*height"},
    {"I", "m^4", "second moment of area for bending in the plane", 1, SN_POSITIVE, SN_REQUIRED, 0,
     SN_INFINITE, "width*height^3/12"},
    {.name = NULL},
};

const sn_property_class sn_property_rectangle = {
    .name = "rectangle",
    .doc = "rectangular cross section",
    .section = 1,
    .slots = slots,
};
