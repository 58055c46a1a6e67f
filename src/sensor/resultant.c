/* resultant: membrane forces, moments and transverse shear forces per unit length of a shell, in its material
   axes. Components are the element's. */
#include "sinew/class.h"

extern const sn_sensor_class sn_sensor_resultant;

static const sn_slot slots[] = {{.name = NULL}};
static const sn_option options[] = {
    {"piece", "#", "of a meshed element: which one, from 1 (0: the one at that corner)", 0},
    {"end", "#", "corner of the element, from 1 (0: in the middle)", 0},
    {.name = NULL},
};

const sn_sensor_class sn_sensor_resultant = {
    .name = "resultant",
    .doc = "membrane forces, moments and shear forces of a shell, per unit length",
    .args = {.what = SN_ARG_ELEMENT, .min = 1, .max = 1},
    .slots = slots,
    .options = options,
    .source = SN_FROM_ELEMENT,
    .output = "resultant",
};
