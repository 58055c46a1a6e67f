/* numbers: a cross section given by its area and moments. `I` is for the plane and, where I_z is not given,
   for bending in the local x-y plane of space. */
#include "sinew/class.h"

extern const sn_property_class sn_property_numbers;

static const sn_slot slots[] = {
    {"A", "m^2", "area", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"I", "m^4", "second moment of area for bending in the plane", 1, SN_POSITIVE, SN_REQUIRED, 0,
     SN_INFINITE, NULL},
    {"I_y", "m^4", "second moment of area about local y (bending in the x-z plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"I_z", "m^4", "second moment of area about local z (bending in the x-y plane)", 1, SN_POSITIVE,
     SN_REQUIRED, 0, SN_INFINITE, "I"},
    {"J", "m^4", "torsion constant (St Venant)", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {.name = NULL},
};

const sn_property_class sn_property_numbers = {
    .name = "numbers",
    .doc = "cross section given by area and moments",
    .section = 1,
    .slots = slots,
};
