/* disc: in the x-y plane, u along x and w along y at the centre; normals along z. The square of x and y is
   stretched onto the circle, x sqrt(1 - y^2/2) and y sqrt(1 - x^2/2) with both from -1 to 1: no element
   collapses at a centre, and the four in the square's corners are the flattest. */
#include "property/mesh.h"

extern const sn_property_class sn_property_mesh_disc;

static const sn_slot slots[] = {
    SN_MESH_LENGTH("radius", "radius"),
    SN_MESH_PLACE,
    {.name = NULL},
};
static const sn_mesh_form form = {
    .place = {"radius*(2*u - 1)*sqrt(1 - (2*w - 1)^2/2)", "radius*(2*w - 1)*sqrt(1 - (2*u - 1)^2/2)",
              "0*radius"},
};

const sn_property_class sn_property_mesh_disc = {
    .name = "disc",
    .doc = "full disc",
    .section = 3,
    .slots = slots,
    .form = &form,
};
