/* annulus: in the x-y plane, u around the z axis, w from the outer to the inner circle; normals along z. */
#include "property/mesh.h"

extern const sn_property_class sn_property_mesh_annulus;

static const sn_slot slots[] = {
    SN_MESH_LENGTH("outer", "outer radius"),
    SN_MESH_LENGTH("inner", "radius of the hole"),
    SN_MESH_TURN,
    SN_MESH_PLACE,
    {.name = NULL},
};
static const sn_mesh_form form = {
    .place = {"(outer + (inner - outer)*w)*cos(start + angle*u)",
              "(outer + (inner - outer)*w)*sin(start + angle*u)", "0*outer"},
    .closes = "angle",
};

const sn_property_class sn_property_mesh_annulus = {
    .name = "annulus",
    .doc = "flat ring, or a sector of it",
    .section = 3,
    .slots = slots,
    .form = &form,
};
