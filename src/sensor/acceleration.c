/* acceleration: a + alpha p' - omega^2 p, and alpha, of a planar node in global axes; p = R(theta) offset, p'
   its quarter turn. It is the acceleration of the motion: gravity is not part of it, as it would be in the
   reading of an accelerometer. The offset is fixed in the body and given in the axes of the reference
   configuration; a node without rotation has none. */
#include "sinew/class.h"
#include "math/plane.h"

extern const sn_sensor_class sn_sensor_acceleration;

static const sn_slot slots[] = {
    {"offset", "m", "of the measured point from the node, fixed in the body", 2, SN_ROTATES | SN_NEEDS_ROT, 0,
     -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    static const char *const name[] = {"x", "y", "theta"}, *const unit[] = {"m/s^2", "m/s^2", "rad/s^2"};
    (void)err;
    l->ny = l->nv;
    for (int k = 0; k < l->ny && k < 3; k++) {
        l->component[k] = name[k];
        l->unit[k] = unit[k];
    }
    return SN_OK;
}

static sn_status eval(const sn_in *in, double *y, sn_dout *d)
{
    int n = in->nv;
    for (int k = 0; k < n; k++) {
        y[k] = in->a[k];
        if (d && d->a) d->a[k * n + k] = 1;
    }
    if (n < 3) return SN_OK;
    double p[2], pp[2], w = in->v[2], al = in->a[2];
    sn_rot2(in->q[2], in->s, p);
    sn_perp2(p, pp);
    for (int k = 0; k < 2; k++) {
        y[k] += al * pp[k] - w * w * p[k];
        if (d && d->q) d->q[k * n + 2] = -al * p[k] - w * w * pp[k];
        if (d && d->v) d->v[k * n + 2] = -2 * w * p[k];
        if (d && d->a) d->a[k * n + 2] = pp[k];
    }
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dy)
{
    for (int k = 0; k < in->nv; k++) dy[k] = 0;
    if (index >= 2 || in->nv < 3) return SN_OK;
    const double o[2] = {index == 0, index == 1}, w = in->v[2];
    double p[2], pp[2];
    sn_rot2(in->q[2], o, p);
    sn_perp2(p, pp);
    for (int k = 0; k < 2; k++) dy[k] = in->a[2] * pp[k] - w * w * p[k];
    return SN_OK;
}

const sn_sensor_class sn_sensor_acceleration = {
    .name = "acceleration",
    .doc = "acceleration and angular acceleration of a node, or of a point fixed to it, in global axes",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 2},
    .slots = slots,
    .source = SN_FROM_NODES,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
};
