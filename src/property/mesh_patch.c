/* patch: a surface between four edges from corner to corner, u along the first edge, w along the second:
   Coons (1 - w) e1(u) + w e3(u) + (1 - u) e4(w) + u e2(w) less the bilinear surface of the corners. */
#include "property/mesh.h"

extern const sn_property_class sn_property_mesh_patch;

static const sn_slot slots[] = {
    {"corners", "m", "four points, counterclockwise", 12, SN_POINTS | SN_NEEDED, SN_REQUIRED, -SN_INFINITE,
     SN_INFINITE, NULL},
    {"edge1", "m", "points of the edge between its corners 1 and 2", 0, SN_POINTS, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    {"edge2", "m", "points of the edge between its corners 2 and 3", 0, SN_POINTS, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    {"edge3", "m", "points of the edge between its corners 3 and 4", 0, SN_POINTS, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    {"edge4", "m", "points of the edge between its corners 4 and 1", 0, SN_POINTS, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    SN_MESH_PLACE,
    {.name = NULL},
};
static const sn_option options[] = {
    {"curve", "straight|spline|arc", "what edges are between their points", 0},
    {.name = NULL},
};
static const sn_mesh_form form = {
    .place = {"(1 - w)*edge1.x + w*edge3.x + (1 - u)*edge4.x + u*edge2.x - (1 - u)*((1 - w)*corners.1 + "
              "w*corners.10) - u*((1 - w)*corners.4 + w*corners.7)",
              "(1 - w)*edge1.y + w*edge3.y + (1 - u)*edge4.y + u*edge2.y - (1 - u)*((1 - w)*corners.2 + "
              "w*corners.11) - u*((1 - w)*corners.5 + w*corners.8)",
              "(1 - w)*edge1.z + w*edge3.z + (1 - u)*edge4.z + u*edge2.z - (1 - u)*((1 - w)*corners.3 + "
              "w*corners.12) - u*((1 - w)*corners.6 + w*corners.9)"},
    .line = {{"edge1", 0, 0, 3, 1, 2},
             {"edge2", 1, 0, 3, 2, 3},
             {"edge3", 0, 1, 3, 3, 4},
             {"edge4", 1, 1, 3, 4, 1}},
};

const sn_property_class sn_property_mesh_patch = {
    .name = "patch",
    .doc = "surface between four edges",
    .section = 3,
    .slots = slots,
    .form = &form,
    .options = options,
};
