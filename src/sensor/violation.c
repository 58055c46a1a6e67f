/* violation: by how much the equations of a joint, or of all joints, are missed. */
#include "sinew/class.h"

extern const sn_sensor_class sn_sensor_violation;

static const sn_slot slots[] = {{.name = NULL}};

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->ny = 1;
    l->component[0] = "value";
    l->unit[0] = "1";
    return SN_OK;
}

const sn_sensor_class sn_sensor_violation = {
    .name = "violation",
    .doc = "violation of the equations of a joint, or of all joints",
    .args = {.what = SN_ARG_NONE | SN_ARG_JOINT, .min = 0, .max = 1},
    .slots = slots,
    .source = SN_FROM_VIOLATION,
    .layout = layout,
};
