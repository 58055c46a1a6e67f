/* distance: |x2 - x1| of two nodes. Where they coincide the derivative does not exist and 0 is given. */
#include "sinew/class.h"

#include <math.h>

extern const sn_sensor_class sn_sensor_distance;

static const sn_slot slots[] = {{.name = NULL}};

static sn_status layout(sn_layout *l, sn_err *err)
{
    (void)err;
    l->ny = 1;
    l->component[0] = "value";
    l->unit[0] = "m";
    return SN_OK;
}

static sn_status eval(const sn_in *in, double *y, sn_dout *d)
{
    const double *x1 = in->q + in->off[0], *x2 = in->q + in->off[1];
    double l2 = 0;
    for (int k = 0; k < in->dim; k++) l2 += (x2[k] - x1[k]) * (x2[k] - x1[k]);
    y[0] = sqrt(l2);
    for (int k = 0; k < in->dim && d && d->q && y[0] > 0; k++) {
        d->q[in->offv[0] + k] = (x1[k] - x2[k]) / y[0];
        d->q[in->offv[1] + k] = (x2[k] - x1[k]) / y[0];
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

const sn_sensor_class sn_sensor_distance = {
    .name = "distance",
    .doc = "distance between two nodes",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .ask = SN_POSITION | SN_FRAME},
    .slots = slots,
    .source = SN_FROM_NODES,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
};
