/* extruded: a line of points moved along a vector, u along the line, w along the vector. */
#include "property/mesh.h"

extern const sn_property_class sn_property_mesh_extruded;

static const sn_slot slots[] = {
    {"line", "m", "points [x, y, z]", 0, SN_POINTS, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    {"by", "m", "how far it is moved", 3, 0, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    SN_MESH_PLACE,
    {.name = NULL},
};
static const sn_option options[] = {
    {"curve", "straight|spline|arc", "what the line is between its points", 0},
    {.name = NULL},
};
static const sn_mesh_form form = {
    .place = {"line.x + by.x*w", "line.y + by.y*w", "line.z + by.z*w"},
    .line = {{"line", 0, 0, 3, 0, 0}},
};

const sn_property_class sn_property_mesh_extruded = {
    .name = "extruded",
    .doc = "line moved along a vector",
    .section = 3,
    .slots = slots,
    .form = &form,
    .options = options,
};
