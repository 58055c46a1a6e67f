/* material: linear elastic, isotropic. A number that is neither given nor follows by its formula is not
   available; an element that needs it says so. */
#include "sinew/class.h"

extern const sn_property_class sn_property_material;

static const sn_slot slots[] = {
    {"E", "Pa", "Young's modulus", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"nu", "1", "Poisson's ratio", 1, 0, SN_REQUIRED, -1, 0.5, NULL},
    {"G", "Pa", "shear modulus", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "E/(2*(1+nu))"},
    {"rho", "kg/m^3", "density", 1, 0, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {.name = NULL},
};

const sn_property_class sn_property_material = {
    .name = "material",
    .doc = "isotropic linear elastic material",
    .section = 0,
    .slots = slots,
};
