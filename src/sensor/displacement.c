/* displacement: from the reference configuration, x - X + (R - 1) offset, and the rotation of a node: theta
   in the plane, the rotation vector of R in space (of length at most pi). The offset is fixed in the body and
   given in the axes of the reference configuration; a node without rotation has none. */
#include "sensor/point.h"

extern const sn_sensor_class sn_sensor_displacement;

static const sn_slot slots[] = {SN_OFFSET_SLOT, {.name = NULL}};

static sn_status layout(sn_layout *l, sn_err *err) { return sn_point_layout(l, 0, err); }

static void eval_space(const sn_in *in, double *y, sn_dout *d)
{
    const double *s = sn_point_offset(in);
    double R[9], p[3], T[9];
    sn_quat_matrix(in->q + 3, R);
    sn_mul3(R, s, p);
    for (int k = 0; k < 3; k++) y[k] += p[k] - s[k];
    sn_quat_log(in->q + 3, y + 3);
    if (!d || !d->q) return;
    sn_block3_turn(d->q, 6, 0, 3, -1, R, s);
    sn_rot3_Tinv(y + 3, T);
    sn_block3(d->q, 6, 3, 3, 1, T);
}

static sn_status eval(const sn_in *in, double *y, sn_dout *d)
{
    int n = in->nv;
    const double *s = sn_point_offset(in);
    sn_point_flat(in, in->q, y, d ? d->q : NULL);
    for (int k = 0; k < in->dim; k++) y[k] -= in->X[k];
    if (!sn_is_frame(in->view, 0)) return SN_OK;
    if (in->dim == 3) return eval_space(in, y, d), SN_OK;
    double p[2], pp[2];
    sn_rot2(in->q[2], s, p);
    sn_perp2(p, pp);
    y[2] = in->q[2] - in->X[2];
    if (d && d->q) d->q[8] = 1;
    for (int k = 0; k < 2; k++) {
        y[k] += p[k] - s[k];
        if (d && d->q) d->q[k * n + 2] = pp[k];
    }
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dy)
{
    int x = index - in->ns, last = in->dim == 3 ? 3 : in->nv;
    for (int k = 0; k < in->nv; k++) dy[k] = x == k && k < last ? -1 : 0;
    if (x >= 0) return SN_OK;
    const double o[3] = {index == 0, index == 1, index == 2};
    double R[9];
    if (in->dim == 2) {
        sn_rot2(in->q[2], o, dy);
    } else {
        sn_quat_matrix(in->q + 3, R);
        sn_mul3(R, o, dy);
    }
    dy[index] -= 1;
    return SN_OK;
}

const sn_sensor_class sn_sensor_displacement = {
    .name = "displacement",
    .doc = "displacement and rotation of a node, or of a point fixed to it, from the reference configuration",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .ask = SN_POSITION | SN_FRAME},
    .slots = slots,
    .source = SN_FROM_NODES,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
    .measures = SN_MEASURES_DISPLACEMENTS,
};
