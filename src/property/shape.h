/* What shapes of rigid bodies share. A shape is a homogeneous solid fixed to a node; its numbers are in the
   axes of the reference configuration, those of the body at the node:

     volume, mass = density volume, centre (from the node), and gyration, gyration_products: the entries
     xx, yy, zz and xy, xz, yz of the inertia matrix of a unit mass about the centre.

   `angles` (a, b, c) turn a shape by R = Rz(c) Ry(b) Rx(a): about x first, then y, then z, always about the
   axes of the reference configuration. */
#ifndef SN_PROPERTY_SHAPE_H
#define SN_PROPERTY_SHAPE_H

#include "sinew/class.h"

#include <math.h>

/* What draw writes: place from the node, turn, sizes. */
enum { SN_DRAW_PLACE = 0, SN_DRAW_TURN = 3, SN_DRAW_SIZE = 12 };

/* R of three angles, row-major. */
static inline void sn_shape_turn(const double *angles, double *R)
{
    double ca = cos(angles[0]), sa = sin(angles[0]), cb = cos(angles[1]), sb = sin(angles[1]),
           cc = cos(angles[2]), sc = sin(angles[2]);
    R[0] = cc * cb, R[1] = cc * sb * sa - sc * ca, R[2] = cc * sb * ca + sc * sa;
    R[3] = sc * cb, R[4] = sc * sb * sa + cc * ca, R[5] = sc * sb * ca - cc * sa;
    R[6] = -sb, R[7] = cb * sa, R[8] = cb * ca;
}

/* Entries of R as texts for formulas. */
#define SN_R11 "(cos(angles.z)*cos(angles.y))"
#define SN_R12 "(cos(angles.z)*sin(angles.y)*sin(angles.x)-sin(angles.z)*cos(angles.x))"
#define SN_R13 "(cos(angles.z)*sin(angles.y)*cos(angles.x)+sin(angles.z)*sin(angles.x))"
#define SN_R21 "(sin(angles.z)*cos(angles.y))"
#define SN_R22 "(sin(angles.z)*sin(angles.y)*sin(angles.x)+cos(angles.z)*cos(angles.x))"
#define SN_R23 "(sin(angles.z)*sin(angles.y)*cos(angles.x)-cos(angles.z)*sin(angles.x))"
#define SN_R31 "(-sin(angles.y))"
#define SN_R32 "(cos(angles.y)*sin(angles.x))"
#define SN_R33 "(cos(angles.y)*cos(angles.x))"

#define SN_SHAPE_ANGLES                                                                                      \
    {                                                                                                        \
        "angles", "rad", "turn the shape about x, then about y, then about z", 3, 0, 0, -SN_INFINITE,        \
            SN_INFINITE, NULL                                                                                \
    }
#define SN_SHAPE_CENTRE                                                                                      \
    {                                                                                                        \
        "centre", "m", "of the shape, from the node", 3, 0, 0, -SN_INFINITE, SN_INFINITE, NULL               \
    }
#define SN_SHAPE_DENSITY                                                                                     \
    {                                                                                                        \
        "density", "kg/m^3", "gives the mass", 1, 0, SN_REQUIRED, 0, SN_INFINITE, NULL                       \
    }
#define SN_SHAPE_VOLUME(formula, least)                                                                      \
    {"volume", "m^3", "volume", 1, 0, SN_REQUIRED, least, SN_INFINITE, formula},                             \
    {                                                                                                        \
        "mass", "kg", "mass", 1, 0, SN_REQUIRED, 0, SN_INFINITE, "density*volume"                            \
    }
#define SN_SHAPE_GYRATION(diagonal, products)                                                                \
    {"gyration", "m^2",       "moments of inertia xx, yy, zz of a unit mass about the centre",               \
     3,          0,           SN_REQUIRED,                                                                   \
     0,          SN_INFINITE, diagonal},                                                                     \
    {                                                                                                        \
        "gyration_products", "m^2", "entries xy, xz, yz of that inertia matrix", 3, 0, SN_REQUIRED,          \
            -SN_INFINITE, SN_INFINITE, products                                                              \
    }

#endif
