/* distance: |x2 - x1| of two planar nodes. Where they coincide the derivative does not exist and 0 is given.
 */
#include "sinew/class.h"
#include "math/plane.h"

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
    const double e[2] = {x2[0] - x1[0], x2[1] - x1[1]};
    double u[2];
    y[0] = sn_unit2(e, u);
    for (int k = 0; k < 2 && d && d->q; k++) {
        d->q[in->offv[0] + k] = -u[k];
        d->q[in->offv[1] + k] = u[k];
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
    .doc = "distance of two nodes",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .dim = 2},
    .slots = slots,
    .source = SN_FROM_NODES,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
};
