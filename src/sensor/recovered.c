/* recovered: what is known at a named place of an element's block, as stresses or forces within a flexible
   body are. Components are the block's. */
#include "sinew/class.h"

extern const sn_sensor_class sn_sensor_recovered;

static const sn_slot slots[] = {{.name = NULL}};
static const sn_option options[] = {
    {"at", "@place", "which location in the element", 0},
    {.name = NULL},
};

const sn_sensor_class sn_sensor_recovered = {
    .name = "recovered",
    .doc = "stresses or forces at a location in a flexible body",
    .args = {.what = SN_ARG_ELEMENT, .min = 1, .max = 1},
    .slots = slots,
    .options = options,
    .source = SN_FROM_ELEMENT,
    .output = "recovered",
};
