/* force: what acts on an element at one of its ends, so that tension points outward. Read from the element's
   output `force` (global axes) or `force_local` (the element's axes); components are the element's. */
#include "sinew/class.h"

extern const sn_sensor_class sn_sensor_force;

static const sn_slot slots[] = {{.name = NULL}};
static const sn_option options[] = {
    {"axes", "global|element", "in which the force is given", 0},
    {"end", "#", "of the element: 1 or 2, of a surface its corners (0: of a line the second)", 0},
    {"piece", "#", "of a meshed element: which one, from 1 (0: the one at that end)", 0},
    {.name = NULL},
};

const sn_sensor_class sn_sensor_force = {
    .name = "force",
    .doc = "force and moment on an element at its end",
    .args = {.what = SN_ARG_ELEMENT, .min = 1, .max = 1},
    .slots = slots,
    .options = options,
    .source = SN_FROM_ELEMENT,
    .output = "force",
    .output_local = "force_local",
};
