/* angle: relative rotation theta2 - theta1 of two planar frames, never wrapped. */
#include "sinew/class.h"

extern const sn_sensor_class sn_sensor_angle;

static const sn_slot slots[] = {{.name = NULL}};

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->ny = 1;
    l->component[0] = "value";
    l->unit[0] = "rad";
    return SN_OK;
}

static sn_status eval(const sn_in *in, double *y, sn_dout *d)
{
    y[0] = in->q[5] - in->q[2];
    if (d && d->q) {
        d->q[2] = -1;
        d->q[5] = 1;
    }
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dy)
{
    (void)in;
    (void)index;
    dy[0] = 0;
    return SN_OK;
}

const sn_sensor_class sn_sensor_angle = {
    .name = "angle",
    .doc = "rotation of a second node relative to a first",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 2, .ask = SN_FRAME},
    .slots = slots,
    .source = SN_FROM_NODES,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
};
