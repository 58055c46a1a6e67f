/* sphere: a zone of a sphere about the origin, u around the z axis, w from one latitude (0: the equator) to
   the other; normals point outwards. At the poles elements would collapse to triangles: leave a hole. */
#include "property/mesh.h"

extern const sn_property_class sn_property_mesh_sphere;

static const sn_slot slots[] = {
    SN_MESH_LENGTH("radius", "radius"),
    {"from", "rad", "latitude where it begins", 1, SN_NEEDED, SN_REQUIRED, -1.5707, 1.5707, NULL},
    {"to", "rad", "latitude where it ends", 1, SN_NEEDED, SN_REQUIRED, -1.5707, 1.5707, NULL},
    SN_MESH_TURN,
    SN_MESH_PLACE,
    {.name = NULL},
};
static const sn_mesh_form form = {
    .place = {"radius*cos(from + (to - from)*w)*cos(start + angle*u)",
              "radius*cos(from + (to - from)*w)*sin(start + angle*u)", "radius*sin(from + (to - from)*w)"},
    .closes = "angle",
};

const sn_property_class sn_property_mesh_sphere = {
    .name = "sphere",
    .doc = "zone of a sphere, without its poles",
    .section = 3,
    .slots = slots,
    .form = &form,
};
