/* velocity: of a node or of a point fixed to it, and its angular velocity, in global axes. In the plane v +
   omega p', p' the quarter turn of p = R offset; in space v + R (W x offset) and R W, W in body axes. The
   rates of a node that is not in space. The offset is fixed in the body and given in the axes of the
   reference configuration; a node without rotation has none. */
#include "sensor/point.h"

extern const sn_sensor_class sn_sensor_velocity;

static const sn_slot slots[] = {SN_OFFSET_SLOT, {.name = NULL}};

static sn_status layout(sn_layout *l, sn_err *err) { return sn_point_layout(l, 1, err); }

static void eval_space(const sn_in *in, double *y, sn_dout *d)
{
    const double *s = sn_point_offset(in), *W = in->v + 3;
    double R[9], u[3], p[3];
    sn_quat_matrix(in->q + 3, R);
    sn_cross3(W, s, u);
    sn_mul3(R, u, p);
    for (int k = 0; k < 3; k++) y[k] += p[k];
    sn_mul3(R, W, y + 3);
    if (d && d->q) {
        sn_block3_turn(d->q, 6, 0, 3, -1, R, u);
        sn_block3_turn(d->q, 6, 3, 3, -1, R, W);
    }
    if (d && d->v) {
        sn_block3_turn(d->v, 6, 0, 3, -1, R, s);
        sn_block3(d->v, 6, 3, 3, 1, R);
    }
}

static sn_status eval(const sn_in *in, double *y, sn_dout *d)
{
    int n = in->nv;
    sn_point_flat(in, in->v, y, d ? d->v : NULL);
    if (!sn_is_frame(in->view, 0)) return SN_OK;
    if (in->dim == 3) return eval_space(in, y, d), SN_OK;
    double p[2], pp[2], w = in->v[2];
    sn_rot2(in->q[2], sn_point_offset(in), p);
    sn_perp2(p, pp);
    y[2] = w;
    if (d && d->v) d->v[8] = 1;
    for (int k = 0; k < 2; k++) {
        y[k] += w * pp[k];
        if (d && d->q) d->q[k * n + 2] = -w * p[k];
        if (d && d->v) d->v[k * n + 2] = pp[k];
    }
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dy)
{
    for (int k = 0; k < (in->coord[0] >= 0 ? 1 : in->nv); k++) dy[k] = 0;
    if (index >= in->ns) return SN_OK;
    const double o[3] = {index == 0, index == 1, index == 2};
    double R[9], p[3], pp[3];
    if (in->dim == 2) {
        sn_rot2(in->q[2], o, p);
        sn_perp2(p, pp);
        for (int k = 0; k < 2; k++) dy[k] = in->v[2] * pp[k];
    } else {
        sn_quat_matrix(in->q + 3, R);
        sn_cross3(in->v + 3, o, p);
        sn_mul3(R, p, dy);
    }
    return SN_OK;
}

const sn_sensor_class sn_sensor_velocity = {
    .name = "velocity",
    .doc = "velocity and angular velocity of a node or of a point fixed to it, in global axes; or of one "
           "coordinate",
    .args = {.what = SN_ARG_NODE | SN_ARG_COORD,
             .min = 1,
             .max = 1,
             .ask = SN_SCALARS | SN_POSITION | SN_FRAME},
    .slots = slots,
    .source = SN_FROM_NODES,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
    .measures = SN_MEASURES_COORDINATES,
    .rate = 1,
};
