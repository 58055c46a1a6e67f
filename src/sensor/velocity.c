/* velocity: v + omega p', and omega, of a planar node in global axes; p = R(theta) offset, p' its quarter
   turn. The rate of z of a state. The offset is fixed in the body and given in the axes of the reference
   configuration; a node without rotation has none. */
#include "sinew/class.h"
#include "math/plane.h"

extern const sn_sensor_class sn_sensor_velocity;

static const sn_slot slots[] = {
    {"offset", "m", "of the measured point from the node, fixed in the body", 2, SN_ROTATES | SN_NEEDS_ROT, 0,
     -SN_INFINITE, SN_INFINITE, NULL},
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    static const char *const name[] = {"x", "y", "theta"}, *const unit[] = {"m/s", "m/s", "rad/s"};
    (void)err;
    l->ny = l->nv;
    for (int k = 0; k < l->ny && k < 3; k++) {
        l->component[k] = l->nv == 1 ? "z" : name[k];
        l->unit[k] = l->nv == 1 ? "1/s" : unit[k];
    }
    return SN_OK;
}

static sn_status eval(const sn_in *in, double *y, sn_dout *d)
{
    int n = in->nv;
    for (int k = 0; k < n; k++) {
        y[k] = in->v[k];
        if (d && d->v) d->v[k * n + k] = 1;
    }
    if (n < 3) return SN_OK;
    double p[2], pp[2], w = in->v[2];
    sn_rot2(in->q[2], in->s, p);
    sn_perp2(p, pp);
    for (int k = 0; k < 2; k++) {
        y[k] += w * pp[k];
        if (d && d->q) d->q[k * n + 2] = -w * p[k];
        if (d && d->v) d->v[k * n + 2] = pp[k];
    }
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dy)
{
    for (int k = 0; k < in->nv; k++) dy[k] = 0;
    if (index >= 2 || in->nv < 3) return SN_OK;
    const double o[2] = {index == 0, index == 1};
    double p[2], pp[2];
    sn_rot2(in->q[2], o, p);
    sn_perp2(p, pp);
    for (int k = 0; k < 2; k++) dy[k] = in->v[2] * pp[k];
    return SN_OK;
}

const sn_sensor_class sn_sensor_velocity = {
    .name = "velocity",
    .doc = "velocity and angular velocity of a node, or of a point fixed to it, in global axes",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1},
    .slots = slots,
    .source = SN_FROM_NODES,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
};
