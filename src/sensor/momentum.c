/* momentum: linear momentum and angular momentum about the origin, of an element or of everything. It is
   dT/dv, which every element with kinetic energy supplies; rows of positions are momenta, rows of angles
   angular momenta (those of frames in space in body axes, turned into global ones). */
#include "sinew/class.h"

extern const sn_sensor_class sn_sensor_momentum;

static const sn_slot slots[] = {{.name = NULL}};

static sn_status layout(sn_layout *l, sn_err *err)
{
    static const char *const plane[] = {"px", "py", "L"};
    static const char *const space[] = {"px", "py", "pz", "Lx", "Ly", "Lz"};
    (void)err;
    l->ny = l->dim == 3 ? 6 : 3;
    for (int i = 0; i < l->ny; i++) {
        l->component[i] = l->dim == 3 ? space[i] : plane[i];
        l->unit[i] = l->component[i][0] == 'L' ? "kg*m^2/s" : "kg*m/s";
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
