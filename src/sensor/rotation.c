/* rotation: of a frame from the reference configuration. In the plane theta, never wrapped; in space the
   rotation vector of R, of length at most pi. */
#include "sensor/point.h"

extern const sn_sensor_class sn_sensor_rotation;

static const sn_slot slots[] = {{.name = NULL}};

static sn_status layout(sn_layout *l, sn_err *err)
{
    static const char *const space[] = {"rx", "ry", "rz"};
    (void)err;
    l->ny = l->dim == 3 ? 3 : 1;
    for (int k = 0; k < l->ny; k++) {
        l->component[k] = l->dim == 3 ? space[k] : "theta";
        l->unit[k] = "rad";
    }
    return SN_OK;
}

static sn_status eval(const sn_in *in, double *y, sn_dout *d)
{
    double T[9];
    if (in->dim == 2) {
        y[0] = in->q[2];
        if (d && d->q) d->q[2] = 1;
        return SN_OK;
    }
    sn_quat_log(in->q + 3, y);
    if (!d || !d->q) return SN_OK;
    sn_rot3_Tinv(y, T);
    sn_block3(d->q, 6, 0, 3, 1, T);
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dy)
{
    (void)index;
    for (int k = 0; k < (in->dim == 3 ? 3 : 1); k++) dy[k] = 0;
    return SN_OK;
}

const sn_sensor_class sn_sensor_rotation = {
    .name = "rotation",
    .doc = "rotation of a node from the reference configuration: its angle, or its rotation vector in space",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .ask = SN_FRAME},
    .slots = slots,
    .source = SN_FROM_NODES,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
    .measures = SN_MEASURES_ROTATIONS,
};
