/* cone: about the z axis, u around it, w along it from one radius to the other; normals point outwards. Where
   a radius is 0 the elements would collapse to triangles: leave a hole. */
#include "property/mesh.h"

extern const sn_property_class sn_property_mesh_cone;

static const sn_slot slots[] = {
    SN_MESH_LENGTH("radius1", "radius at z = 0"),
    SN_MESH_LENGTH("radius2", "radius at z = length"),
    SN_MESH_LENGTH("length", "along the z axis"),
    SN_MESH_TURN,
    SN_MESH_PLACE,
    {.name = NULL},
};
static const sn_mesh_form form = {
    .place = {"(radius1 + (radius2 - radius1)*w)*cos(start + angle*u)",
              "(radius1 + (radius2 - radius1)*w)*sin(start + angle*u)", "length*w"},
    .closes = "angle",
};

const sn_property_class sn_property_mesh_cone = {
    .name = "cone",
    .doc = "surface of a truncated cone",
    .section = 3,
    .slots = slots,
    .form = &form,
};
