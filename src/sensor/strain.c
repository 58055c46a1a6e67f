/* strain: what an element's output of that name gives: axial strain, curvatures. Components are the
 * element's. */
#include "sinew/class.h"

extern const sn_sensor_class sn_sensor_strain;

static const sn_slot slots[] = {{.name = NULL}};
static const sn_option options[] = {
    {"piece", "#", "of a meshed element: which one, from 1 (0: the one at that end)", 0},
    {"end", "#", "of the element: 1 or 2, of a surface its corners (0: of a line the second)", 0},
    {.name = NULL},
};

const sn_sensor_class sn_sensor_strain = {
    .name = "strain",
    .doc = "axial strain and curvatures of an element",
    .args = {.what = SN_ARG_ELEMENT, .min = 1, .max = 1},
    .slots = slots,
    .options = options,
    .source = SN_FROM_ELEMENT,
    .output = "strain",
};
