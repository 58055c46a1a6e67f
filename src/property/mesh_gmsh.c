/* gmsh: nodes, triangles and quadrilaterals of an MSH file of Gmsh (4.1, or 2.2 as a text), and its physical
   groups of surfaces, curves and points as sets. */
#include "property/mesh.h"

extern const sn_property_class sn_property_mesh_gmsh;

static const sn_slot slots[] = {
    {"scale", "m", "unit of length of the file", 1, SN_POSITIVE, 1, 0, SN_INFINITE, NULL},
    SN_MESH_PLACE,
    {.name = NULL},
};

const sn_property_class sn_property_mesh_gmsh = {
    .name = "gmsh",
    .doc = "mesh of Gmsh (an MSH file), its physical groups as sets",
    .section = 3,
    .slots = slots,
    .file = 1,
};
