/* cylinder: about the z axis, u around it, w along it; normals point outwards. */
#include "property/mesh.h"

extern const sn_property_class sn_property_mesh_cylinder;

static const sn_slot slots[] = {
    SN_MESH_LENGTH("radius", "radius"),
    SN_MESH_LENGTH("length", "along the z axis"),
    SN_MESH_TURN,
    SN_MESH_PLACE,
    {.name = NULL},
};
static const sn_mesh_form form = {
    .place = {"radius*cos(start + angle*u)", "radius*sin(start + angle*u)", "length*w"},
    .closes = "angle",
};

const sn_property_class sn_property_mesh_cylinder = {
    .name = "cylinder",
    .doc = "surface of a cylinder",
    .section = 3,
    .slots = slots,
    .form = &form,
};
