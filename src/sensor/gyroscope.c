/* gyroscope: angular velocity in the axes of the instrument, Rm'W + bias, W in body axes. In the plane the
   component z. */
#include "sensor/instrument.h"

extern const sn_sensor_class sn_sensor_gyroscope;

static const sn_slot slots[] = {
    SN_MOUNTING_SLOT,
    {"bias", "rad/s", "added to the readings about the axes of the instrument", 3, 0, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    static const char *const name[] = {"x", "y", "z"};
    (void)err;
    l->ny = l->dim == 3 ? 3 : 1;
    for (int k = 0; k < l->ny; k++) l->component[k] = l->dim == 3 ? name[k] : "z", l->unit[k] = "rad/s";
    return SN_OK;
}

static sn_status eval(const sn_in *in, double *y, sn_dout *d)
{
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int first = in->dim == 3 ? 0 : 2, ny = 3 - first;
    double Rm[9], W[3], r[3];
    sn_instrument_turn(in, in->v, W);
    sn_instrument_axes(in, Rm);
    sn_tmul3(Rm, W, r);
    for (int k = 0; k < ny; k++) y[k] = r[first + k] + in->s[SN_BIAS + first + k];
    if (d && d->v) sn_instrument_block(in, Rm, unit, 3, first, ny, d->v);
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dy)
{
    int first = in->dim == 3 ? 0 : 2;
    double W[3], r[3] = {0};
    sn_instrument_turn(in, in->v, W);
    if (index < SN_BIAS)
        sn_instrument_dmounting(in, W, index, r);
    else if (index < SN_INSTRUMENT_SLOTS)
        r[index - SN_BIAS] = 1;
    for (int k = first; k < 3; k++) dy[k - first] = r[k];
    return SN_OK;
}

const sn_sensor_class sn_sensor_gyroscope = {
    .name = "gyroscope",
    .doc = "reading of a gyroscope fixed to a node: angular velocity in its own axes, with its bias",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .ask = SN_FRAME},
    .slots = slots,
    .source = SN_FROM_NODES,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
};
