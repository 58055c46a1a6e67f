/* revolved: a line of points [r, z] turned about the z axis, u around it, w along the line; normals point
   outwards where the line goes along z. */
#include "property/mesh.h"

extern const sn_property_class sn_property_mesh_revolved;

static const sn_slot slots[] = {
    {"line", "m", "points [r, z]", 0, SN_POINTS, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},
    SN_MESH_TURN,
    SN_MESH_PLACE,
    {.name = NULL},
};
static const sn_option options[] = {
    {"curve", "straight|spline|arc", "what the line is between its points", 0},
    {.name = NULL},
};
static const sn_mesh_form form = {
    .place = {"line.x*cos(start + angle*u)", "line.x*sin(start + angle*u)", "line.y"},
    .line = {{"line", 1, 0, 2, 0, 0}},
    .closes = "angle",
};

const sn_property_class sn_property_mesh_revolved = {
    .name = "revolved",
    .doc = "line turned about the z axis",
    .section = 3,
    .slots = slots,
    .form = &form,
    .options = options,
};
