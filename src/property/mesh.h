/* What meshes of the section `meshes` share: where they lie. A point p of the mesh's own axes is at
   at + [x_axis y_axis z_axis] p; `angles` turn the axes about x first, then y, then z. */
#ifndef SN_PROPERTY_MESH_H
#define SN_PROPERTY_MESH_H

#include "property/shape.h"

#define SN_MESH_PLACE                                                                                        \
    {"at", "m", "origin of its own axes", 3, SN_PLACED, 0, -SN_INFINITE, SN_INFINITE, NULL},                 \
        {"angles",    "rad", "turn it about x, then about y, then about z", 3, 0, 0, -SN_INFINITE,           \
         SN_INFINITE, NULL},                                                                                 \
        {"x_axis",     "1",         "its own x axis, by the angles", 3, SN_ROTATES, 0,                       \
         -SN_INFINITE, SN_INFINITE, SN_R11 ";" SN_R21 ";" SN_R31},                                           \
        {"y_axis",                                                                                           \
         "1",                                                                                                \
         "its own y axis",                                                                                   \
         3,                                                                                                  \
         SN_ROTATES,                                                                                         \
         0,                                                                                                  \
         -SN_INFINITE,                                                                                       \
         SN_INFINITE,                                                                                        \
         SN_R12 ";" SN_R22 ";" SN_R32},                                                                      \
    {                                                                                                        \
        "z_axis", "1", "its own z axis", 3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE,                        \
            SN_R13 ";" SN_R23 ";" SN_R33                                                                     \
    }
/* Of what is turned about the z axis. */
#define SN_MESH_TURN                                                                                         \
    {"start", "rad", "angle where it begins, from the x axis", 1, 0, 0, -SN_INFINITE, SN_INFINITE, NULL},    \
    {                                                                                                        \
        "angle", "rad", "how far it goes around; not written: it closes", 1, SN_POSITIVE,                    \
            2 * 3.14159265358979323846, 0, 2 * 3.14159265358979323846, NULL                                  \
    }

#define SN_MESH_LENGTH(name, text)                                                                           \
    {                                                                                                        \
        name, "m", text, 1, SN_POSITIVE | SN_NEEDED, SN_REQUIRED, 0, SN_INFINITE, NULL                       \
    }

#endif
