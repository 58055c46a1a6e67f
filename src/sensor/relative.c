/* relative: a second node seen from the frame of a first: R1'(x2 - x1) and, where the second rotates too, the
   rotation from the first to the second: theta2 - theta1 in the plane, never wrapped; in space the rotation
   vector of R1'R2, of length at most pi, in the axes of the first. */
#include "sensor/point.h"

extern const sn_sensor_class sn_sensor_relative;

static const sn_slot slots[] = {{.name = NULL}};

static sn_status layout(sn_layout *l, sn_err *err)
{
    static const char *const plane[] = {"x", "y", "theta"}, *const space[] = {"x",  "y",  "z",
                                                                              "rx", "ry", "rz"};
    (void)err;
    l->ny = l->offv[2] - l->offv[1];
    for (int k = 0; k < l->ny; k++) {
        l->component[k] = l->dim == 3 ? space[k] : plane[k];
        l->unit[k] = k < l->dim ? "m" : "rad";
    }
    return SN_OK;
}

static void eval_plane(const sn_in *in, double *y, sn_dout *d)
{
    const double *q = in->q, *q2 = in->q + 3;
    int n = in->nv, turns = sn_is_frame(in->view, 1);
    const double e[2] = {q2[0] - q[0], q2[1] - q[1]}, unit[2][2] = {{1, 0}, {0, 1}};
    sn_rot2(-q[2], e, y);
    if (turns) y[2] = q2[2] - q[2];
    if (!d || !d->q) return;
    for (int j = 0; j < 2; j++) {
        double u[2];
        sn_rot2(-q[2], unit[j], u);
        for (int k = 0; k < 2; k++) d->q[k * n + j] = -u[k], d->q[k * n + 3 + j] = u[k];
    }
    d->q[2] = y[1];
    d->q[n + 2] = -y[0];
    if (turns) d->q[2 * n + 2] = -1, d->q[2 * n + 5] = 1;
}

/* The body variation of R1'R2 is dth2 - (R1'R2)' dth1. */
static void rotation(const sn_in *in, double *y, sn_dout *d)
{
    const double *p = in->q + 3, back[4] = {p[0], -p[1], -p[2], -p[3]};
    double r[4], R[9], Rt[9], T[9];
    sn_quat_mul(back, in->q + 10, r);
    sn_quat_log(r, y);
    if (!d || !d->q) return;
    sn_rot3_Tinv(y, T);
    sn_block3(d->q, 12, 3, 9, 1, T);
    sn_quat_matrix(r, R);
    for (int i = 0; i < 9; i++) Rt[i] = R[i % 3 * 3 + i / 3];
    sn_matmul3(T, Rt, T);
    sn_block3(d->q, 12, 3, 3, -1, T);
}

static void eval_space(const sn_in *in, double *y, sn_dout *d)
{
    const double *x1 = in->q, *x2 = in->q + 7;
    const double e[3] = {x2[0] - x1[0], x2[1] - x1[1], x2[2] - x1[2]};
    int n = in->nv;
    double R[9], Rt[9], S[9];
    sn_quat_matrix(x1 + 3, R);
    sn_tmul3(R, e, y);
    if (d && d->q) {
        for (int i = 0; i < 9; i++) Rt[i] = R[i % 3 * 3 + i / 3];
        sn_block3(d->q, n, 0, 0, -1, Rt);
        sn_block3(d->q, n, 0, 6, 1, Rt);
        sn_skew3(y, S);
        sn_block3(d->q, n, 0, 3, 1, S);
    }
    if (sn_is_frame(in->view, 1)) rotation(in, y + 3, d);
}

static sn_status eval(const sn_in *in, double *y, sn_dout *d)
{
    if (in->dim == 2)
        eval_plane(in, y, d);
    else
        eval_space(in, y, d);
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dy)
{
    (void)index;
    for (int k = 0; k < in->offv[2] - in->offv[1]; k++) dy[k] = 0;
    return SN_OK;
}

const sn_sensor_class sn_sensor_relative = {
    .name = "relative",
    .doc = "position and rotation of a second node seen from the frame of a first",
    .args = {.what = SN_ARG_NODE, .min = 2, .max = 2, .ask = SN_POSITION | SN_FRAME, .ask_first = SN_FRAME},
    .slots = slots,
    .source = SN_FROM_NODES,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
};
