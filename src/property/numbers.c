/* numbers: a cross section given by its area and second moment of area. */
#include "sinew/class.h"

extern const sn_property_class sn_property_numbers;

static const sn_slot slots[] = {
    {"A", "m^2", "area", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"I", "m^4", "second moment of area for bending in the plane", 1, SN_POSITIVE, SN_REQUIRED, 0,
     SN_INFINITE, NULL},
    {.name = NULL},
};

const sn_property_class sn_property_numbers = {
    .name = "numbers",
    .doc = "cross section given by area and second moment of area",
    .section = 1,
    .slots = slots,
};
