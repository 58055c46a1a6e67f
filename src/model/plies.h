/* Numbers of the plies of a laminate: a list of items, of sections and of shells alike. Axis 1 of a ply lies
   along its fibres, at `angle` from axis 1 of the laminate towards axis 2; the first ply is at the bottom,
   the side that the normal leaves. A strength of 0 is not known, and nothing fails by it. */
#ifndef SN_MODEL_PLIES_H
#define SN_MODEL_PLIES_H

#include "sinew/class.h"

enum {
    PLY_THICKNESS,
    PLY_ANGLE,
    PLY_E1,
    PLY_E2,
    PLY_NU12,
    PLY_G12,
    PLY_G13,
    PLY_G23,
    PLY_RHO,
    PLY_XT,
    PLY_XC,
    PLY_YT,
    PLY_YC,
    PLY_S12,
    PLY_NUMBERS
};

#define SN_PLY_SLOT(name, unit, doc, flags, def, lo, hi, formula)                                            \
    {                                                                                                        \
        "plies." name, unit, doc, 0, flags, def, lo, hi, formula                                             \
    }
/* clang-format off */
#define SN_PLY_MODULUS(name, doc)                                                                            \
    SN_PLY_SLOT(name, "Pa", doc, SN_POSITIVE | SN_NEEDED, SN_REQUIRED, 0, SN_INFINITE, "material." name)
#define SN_PLY_STRENGTH(name, doc)                                                                           \
    SN_PLY_SLOT(name, "Pa", doc ", 0: not known", 0, 0, 0, SN_INFINITE, "material." name)
#define SN_PLY_SLOTS                                                                                         \
    SN_PLY_SLOT("thickness", "m", "thickness of a ply; the first ply is at the bottom", SN_POSITIVE | SN_NEEDED,       \
                SN_REQUIRED, 0, SN_INFINITE, NULL),                                                          \
    SN_PLY_SLOT("angle", "rad", "fibre angle from axis 1 towards axis 2, with its unit", SN_WITH_UNIT, 0,  \
                -6.2831853071795864769, 6.2831853071795864769, NULL),                                        \
    SN_PLY_MODULUS("E1", "Young's modulus along the fibres"),                                                \
    SN_PLY_MODULUS("E2", "Young's modulus across the fibres"),                                               \
    SN_PLY_SLOT("nu12", "1", "major Poisson's ratio: strain across the fibres under stress along them", SN_NEEDED, SN_REQUIRED, -2, 2,   \
                "material.nu12"),                                                                            \
    SN_PLY_MODULUS("G12", "in-plane shear modulus"),                                          \
    SN_PLY_MODULUS("G13", "transverse shear modulus, along the fibres"),                                 \
    SN_PLY_MODULUS("G23", "transverse shear modulus, across the fibres"),                                    \
    SN_PLY_SLOT("rho", "kg/m^3", "density", SN_NEEDED, SN_REQUIRED, 0, SN_INFINITE, "material.rho"),         \
    SN_PLY_STRENGTH("Xt", "tensile strength along the fibres"),                                              \
    SN_PLY_STRENGTH("Xc", "compressive strength along the fibres"),                                          \
    SN_PLY_STRENGTH("Yt", "tensile strength across the fibres"),                                             \
    SN_PLY_STRENGTH("Yc", "compressive strength across the fibres"),                                         \
    SN_PLY_STRENGTH("S12", "shear strength in the plane of the ply")
/* clang-format on */

#endif
