/* strain_gauge: the strain of a shell at a place, on a side, along a direction, as a gauge glued there
   measures it (Green's strain: (l^2 - L^2)/(2 L^2) of a short line). */
#include "sinew/class.h"

extern const sn_sensor_class sn_sensor_strain_gauge;

static const sn_slot slots[] = {
    {"at", "1", "place in the element: -1 .. 1 from its first edge's start along it, and across", 2, 0, 0, -1,
     1, NULL},
    {"side", "1", "1: where the normal points to, -1: the other, 0: in the middle of the thickness", 1, 0, 1,
     -1, 1, NULL},
    {"angle", "rad", "of the direction from the first material axis, towards the second", 1, 0, 0,
     -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};
static const sn_option options[] = {
    {"piece", "#", "of a meshed element: which one, from 1 (0: the one at that corner)", 0},
    {"end", "#", "corner of the mesh at which the piece lies (0: the last piece)", 0},
    {.name = NULL},
};

const sn_sensor_class sn_sensor_strain_gauge = {
    .name = "strain_gauge",
    .doc = "strain of a shell at a point, on one side, along a direction",
    .args = {.what = SN_ARG_ELEMENT, .min = 1, .max = 1},
    .slots = slots,
    .options = options,
    .source = SN_FROM_ELEMENT,
    .output = "gauge",
};
