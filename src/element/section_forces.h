/* Fields of what has a section to look at, from an output of its forces in local axes.

   A section's force is what the part behind it does to the part before it: the output at end 2, and the
   opposite of that at end 1. Where there are two shear forces or bending moments (in space) their resultant
   is taken, so that these are not negative; in the plane they have their sign. The stress is the largest
   normal stress of a section, |N|/A + |M_z| h/(2 I_z) + |M_y| w/(2 I_y), of a round one |N|/A + |M| r/I. */
#ifndef SN_ELEMENT_SECTION_FORCES_H
#define SN_ELEMENT_SECTION_FORCES_H

#include "sinew/class.h"

#include <math.h>

#define SN_FIELD_AXIAL                                                                                       \
    {                                                                                                        \
        "axial", "N", "axial force", 1, 1, SN_FIELD_SIGNED, { 0 }                                            \
    }
#define SN_FIELD_SHEAR(sign)                                                                                 \
    {                                                                                                        \
        "shear", "N", "shear force", 1, 1, sign, { 0 }                                                       \
    }
#define SN_FIELD_TORSION                                                                                     \
    {                                                                                                        \
        "torsion", "N*m", "torsion", 1, 1, SN_FIELD_SIGNED, { 0 }                                            \
    }
#define SN_FIELD_BENDING(sign)                                                                               \
    {                                                                                                        \
        "bending", "N*m", "bending moment", 2, 1, sign, { 0 }                                                \
    }
#define SN_FIELD_STRESS                                                                                      \
    {                                                                                                        \
        "stress", "Pa", "largest normal stress", 2, 1, SN_FIELD_OF_SECTION, { 0 }                            \
    }

typedef sn_status sn_section_output(const sn_in *in, int which, int end, double *y, sn_dout *d);

/* Axial force, shear force, bending moments and, where the section is known, stresses; the output `which` is
   N, V, M. */
static inline sn_status sn_section_plane(const sn_in *in, sn_section_output *at_end, int which,
                                         const sn_section *section, double *y)
{
    double at[2][3];
    SN_TRY(at_end(in, which, 2, at[1], NULL));
    SN_TRY(at_end(in, which, 1, at[0], NULL));
    y[0] = at[1][0];
    y[1] = at[1][1];
    y[2] = -at[0][2];
    y[3] = at[1][2];
    for (int e = 0; section && e < 2; e++)
        y[4 + e] = fabs(y[0]) * (1 / section->A) + fabs(y[2 + e]) * (section->size[0] / 2 / section->I_z);
    return SN_OK;
}

/* The same of space, the torsion between shear force and moments; the output is N, V_y, V_z, T, M_y, M_z. */
static inline sn_status sn_section_space(const sn_in *in, sn_section_output *at_end, int which,
                                         const sn_section *section, double *y)
{
    double at[2][6];
    SN_TRY(at_end(in, which, 2, at[1], NULL));
    SN_TRY(at_end(in, which, 1, at[0], NULL));
    y[0] = at[1][0];
    y[1] = hypot(at[1][1], at[1][2]);
    y[2] = at[1][3];
    for (int e = 0; e < 2; e++) y[3 + e] = hypot(at[e][4], at[e][5]);
    for (int e = 0; section && e < 2; e++) {
        double N = fabs(y[0]) * (1 / section->A), z = section->size[0] / 2 / section->I_z,
               w = section->size[1] / 2 / section->I_y;
        y[5 + e] = section->outline == SN_OUTLINE_ROUND ? N + y[3 + e] * z
                                                        : N + fabs(at[e][4]) * w + fabs(at[e][5]) * z;
    }
    return SN_OK;
}

#endif
