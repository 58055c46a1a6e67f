/* quaternion: unit quaternion p = (w, x, y, z) of a frame's rotation from the reference configuration. Its
   sign is the one that continues the motion. dp = p (0, dth) / 2 for a rotation dth in body axes. */
#include "sensor/point.h"

extern const sn_sensor_class sn_sensor_quaternion;

static const sn_slot slots[] = {{.name = NULL}};

static sn_status layout(sn_layout *l, sn_err *err)
{
    static const char *const name[] = {"w", "x", "y", "z"};
    (void)err;
    l->ny = 4;
    for (int k = 0; k < 4; k++) {
        l->component[k] = name[k];
        l->unit[k] = "1";
    }
    return SN_OK;
}

static sn_status eval(const sn_in *in, double *y, sn_dout *d)
{
    memcpy(y, in->q + 3, 4 * sizeof *y);
    for (int j = 0; j < 3 && d && d->q; j++) {
        const double e[4] = {0, 0.5 * (j == 0), 0.5 * (j == 1), 0.5 * (j == 2)};
        double dp[4];
        sn_quat_mul(y, e, dp);
        for (int k = 0; k < 4; k++) d->q[k * 6 + 3 + j] = dp[k];
    }
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dy)
{
    (void)in;
    (void)index;
    for (int k = 0; k < 4; k++) dy[k] = 0;
    return SN_OK;
}

const sn_sensor_class sn_sensor_quaternion = {
    .name = "quaternion",
    .doc = "rotation of a spatial node from the reference configuration as a unit quaternion",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .source = SN_FROM_NODES,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
};
