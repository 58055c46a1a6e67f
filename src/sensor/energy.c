/* energy: kinetic, potential (elastic, and of the acceleration field) and total energy of an element or of
 * the model. */
#include "sinew/class.h"

extern const sn_sensor_class sn_sensor_energy;

static const sn_slot slots[] = {{.name = NULL}};

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->ny = 3;
    l->component[0] = "kinetic";
    l->component[1] = "potential";
    l->component[2] = "total";
    l->unit[0] = l->unit[1] = l->unit[2] = "J";
    return SN_OK;
}

const sn_sensor_class sn_sensor_energy = {
    .name = "energy",
    .doc = "energy of an element, or of the whole model",
    .args = {.what = SN_ARG_NONE | SN_ARG_ELEMENT, .min = 0, .max = 1},
    .slots = slots,
    .source = SN_FROM_ENERGY,
    .layout = layout,
};
