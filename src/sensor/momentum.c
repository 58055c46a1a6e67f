/* momentum: linear momentum and angular momentum about the origin, of an element or of everything. It is
   dT/dv, which every element with kinetic energy supplies; rows of positions are momenta, rows of angles
   angular momenta. */
#include "sinew/class.h"

extern const sn_sensor_class sn_sensor_momentum;

static const sn_slot slots[] = {{.name = NULL}};

static sn_status layout(sn_layout *l, sn_err *err)
{
    static const char *const name[] = {"px", "py", "L"}, *const unit[] = {"kg*m/s", "kg*m/s", "kg*m^2/s"};
    (void)err;
    l->ny = 3;
    for (int i = 0; i < 3; i++) {
        l->component[i] = name[i];
        l->unit[i] = unit[i];
    }
    return SN_OK;
}

const sn_sensor_class sn_sensor_momentum = {
    .name = "momentum",
    .doc = "linear momentum, and angular momentum about the origin, of an element or of everything",
    .args = {.what = SN_ARG_NONE | SN_ARG_ELEMENT, .min = 0, .max = 1},
    .slots = slots,
    .source = SN_FROM_MOMENTUM,
    .layout = layout,
};
