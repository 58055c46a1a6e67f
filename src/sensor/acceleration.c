/* acceleration: of a node or of a point fixed to it, and its angular acceleration, in global axes. In the
   plane a + alpha p' - omega^2 p, p' the quarter turn of p = R offset; in space a + R c, c = al x offset + W
   x (W x offset), and R al, with W and al in body axes. It is the acceleration of the motion: gravity is not
   part of it, as it would be in the reading of an accelerometer. The offset is fixed in the body and given in
   the axes of the reference configuration; a node without rotation has none. */
#include "sensor/point.h"

extern const sn_sensor_class sn_sensor_acceleration;

static const sn_slot slots[] = {SN_OFFSET_SLOT, {.name = NULL}};

static sn_status layout(sn_layout *l, sn_err *err) { return sn_point_layout(l, 2, err); }

/* c = al x s + W x (W x s), and Ws = W x s */
static void swing(const sn_in *in, const double *s, double *Ws, double *c)
{
    double x[3];
    sn_cross3(in->v + 3, s, Ws);
    sn_cross3(in->v + 3, Ws, c);
    sn_cross3(in->a + 3, s, x);
    for (int k = 0; k < 3; k++) c[k] += x[k];
}

static void eval_space(const sn_in *in, double *y, sn_dout *d)
{
    const double *s = sn_point_offset(in), *W = in->v + 3, *al = in->a + 3;
    double R[9], c[3], p[3], Ws[3], w[9], S[9];
    sn_quat_matrix(in->q + 3, R);
    swing(in, s, Ws, c);
    sn_mul3(R, c, p);
    for (int k = 0; k < 3; k++) y[k] += p[k];
    sn_mul3(R, al, y + 3);
    if (d && d->q) {
        sn_block3_turn(d->q, 6, 0, 3, -1, R, c);
        sn_block3_turn(d->q, 6, 3, 3, -1, R, al);
    }
    if (d && d->v) {
        sn_block3_turn(d->v, 6, 0, 3, -1, R, Ws);
        sn_skew3(W, w);
        sn_skew3(s, S);
        sn_matmul3(w, S, S);
        sn_matmul3(R, S, S);
        sn_block3(d->v, 6, 0, 3, -1, S);
    }
    if (d && d->a) {
        sn_block3_turn(d->a, 6, 0, 3, -1, R, s);
        sn_block3(d->a, 6, 3, 3, 1, R);
    }
}

static sn_status eval(const sn_in *in, double *y, sn_dout *d)
{
    int n = in->nv;
    sn_point_flat(in, in->a, y, d ? d->a : NULL);
    if (!sn_is_frame(in->view, 0)) return SN_OK;
    if (in->dim == 3) return eval_space(in, y, d), SN_OK;
    double p[2], pp[2], w = in->v[2], al = in->a[2];
    sn_rot2(in->q[2], sn_point_offset(in), p);
    sn_perp2(p, pp);
    y[2] = al;
    if (d && d->a) d->a[8] = 1;
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
    for (int k = 0; k < (in->coord[0] >= 0 ? 1 : in->nv); k++) dy[k] = 0;
    if (index >= in->ns) return SN_OK;
    const double o[3] = {index == 0, index == 1, index == 2}, w = in->v[2];
    double p[3], pp[3], R[9];
    if (in->dim == 2) {
        sn_rot2(in->q[2], o, p);
        sn_perp2(p, pp);
        for (int k = 0; k < 2; k++) dy[k] = in->a[2] * pp[k] - w * w * p[k];
    } else {
        sn_quat_matrix(in->q + 3, R);
        swing(in, o, pp, p);
        sn_mul3(R, p, dy);
    }
    return SN_OK;
}

const sn_sensor_class sn_sensor_acceleration = {
    .name = "acceleration",
    .doc = "acceleration and angular acceleration of a node or of a point fixed to it, in global axes; or of "
           "one coordinate",
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
    .rate = 2,
};
