/* material: linear elastic, isotropic or orthotropic (plies: axis 1 along the fibres, 2 across them, 3
   through the thickness). An isotropic one is orthotropic with equal numbers. A number that is neither given
   nor follows by its formula is not available; an element that needs it says so. */
#include "sinew/class.h"

extern const sn_property_class sn_property_material;

static const sn_slot slots[] = {
    {"E", "Pa", "Young's modulus", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"nu", "1", "Poisson's ratio", 1, 0, SN_REQUIRED, -1, 0.5, NULL},
    {"G", "Pa", "shear modulus", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "E/(2*(1+nu))"},
    {"rho", "kg/m^3", "density", 1, 0, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"E1", "Pa", "Young's modulus along the fibres", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "E"},
    {"E2", "Pa", "Young's modulus across the fibres", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "E"},
    {"nu12", "1", "major Poisson's ratio: strain across the fibres under stress along them", 1, 0,
     SN_REQUIRED, -2, 2, "nu"},
    {"G12", "Pa", "in-plane shear modulus of a ply", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "G"},
    {"G13", "Pa", "transverse shear modulus of a ply, along the fibres", 1, SN_POSITIVE, SN_REQUIRED, 0,
     SN_INFINITE, "G12"},
    {"G23", "Pa", "transverse shear modulus of a ply, across the fibres", 1, SN_POSITIVE, SN_REQUIRED, 0,
     SN_INFINITE, "G"},
    {"Xt", "Pa", "tensile strength along the fibres", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"Xc", "Pa", "compressive strength along the fibres", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "Xt"},
    {"Yt", "Pa", "tensile strength across the fibres", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {"Yc", "Pa", "compressive strength across the fibres", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, "Yt"},
    {"S12", "Pa", "in-plane shear strength of a ply", 1, SN_POSITIVE, SN_REQUIRED, 0, SN_INFINITE, NULL},
    {.name = NULL},
};

const sn_property_class sn_property_material = {
    .name = "material",
    .doc = "linear elastic material, isotropic or orthotropic",
    .section = 0,
    .slots = slots,
};
