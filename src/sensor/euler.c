/* euler: angles of a frame's rotation from the reference configuration, R = Ri(alpha) Rj(beta) Rk(gamma),
   turns about the body's own axes in the order i, j, k. zyx are yaw, pitch and roll; zxz precession, nutation
   and spin. alpha and gamma lie between -pi and pi; beta between -pi/2 and pi/2, or 0 and pi where i = k.
   Where beta ends only the sum or difference of alpha and gamma is determined; their derivatives do not exist
   and 0 is given. */
#include "sensor/point.h"

extern const sn_sensor_class sn_sensor_euler;

static const char *const orders = "zyx|zxz|xyz|xzy|yxz|yzx|zxy|xyx|xzx|yxy|yzy|zyz";
static const sn_slot slots[] = {{.name = NULL}};
static const sn_option options[] = {
    {"order", "zyx|zxz|xyz|xzy|yxz|yzx|zxy|xyx|xzx|yxy|yzy|zyz", "of the axes turned about", 0},
    {.name = NULL},
};

static sn_status layout(sn_layout *l, sn_err *err)
{
    static const char *const name[] = {"alpha", "beta", "gamma"};
    (void)err;
    l->ny = 3;
    for (int k = 0; k < 3; k++) {
        l->component[k] = name[k];
        l->unit[k] = "rad";
    }
    return SN_OK;
}

/* Each sine and cosine is read from the entries of R; sign is that of the permutation. */
static void angles(const double *R, const int *axis, double *y)
{
    int i = axis[0], j = axis[1], k = 3 - i - j;
    double sign = (j - i + 3) % 3 == 1 ? 1 : -1;
    if (axis[2] == i) {
        y[0] = atan2(R[3 * j + i], -sign * R[3 * k + i]);
        y[1] = atan2(hypot(R[3 * i + j], R[3 * i + k]), R[4 * i]);
        y[2] = atan2(R[3 * i + j], sign * R[3 * i + k]);
    } else {
        y[0] = atan2(-sign * R[3 * j + k], R[4 * k]);
        y[1] = atan2(sign * R[3 * i + k], hypot(R[4 * i], R[3 * i + j]));
        y[2] = atan2(-sign * R[3 * i + j], R[4 * i]);
    }
}

/* Turn of a vector by -angle about an axis: into the axes after that rotation. */
static void turn_back(int axis, double angle, double *x)
{
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    double c = cos(angle), s = sin(angle), xj = x[j];
    x[j] = c * xj + s * x[k];
    x[k] = -s * xj + c * x[k];
}

/* dth = A (dalpha, dbeta, dgamma), the columns of A being the axes in the body; rows of its inverse. */
static void derivatives(const int *axis, const double *y, double *dq)
{
    double A[3][3] = {{0}}, inv[3][3], det;
    A[0][axis[0]] = A[1][axis[1]] = A[2][axis[2]] = 1;
    turn_back(axis[1], y[1], A[0]);
    turn_back(axis[2], y[2], A[0]);
    turn_back(axis[2], y[2], A[1]);
    for (int i = 0; i < 3; i++) sn_cross3(A[(i + 1) % 3], A[(i + 2) % 3], inv[i]);
    det = sn_dot3(A[0], inv[0]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) dq[i * 6 + 3 + j] = fabs(det) > 1e-12 ? inv[i][j] / det : 0;
}

static sn_status eval(const sn_in *in, double *y, sn_dout *d)
{
    double R[9];
    int axis[3];
    for (int i = 0; i < 3; i++) axis[i] = orders[4 * in->opt[0] + i] - 'x';
    sn_quat_matrix(in->q + 3, R);
    angles(R, axis, y);
    if (d && d->q) derivatives(axis, y, d->q);
    return SN_OK;
}

static sn_status dparam(const sn_in *in, int index, double *dy)
{
    (void)in;
    (void)index;
    dy[0] = dy[1] = dy[2] = 0;
    return SN_OK;
}

const sn_sensor_class sn_sensor_euler = {
    .name = "euler",
    .doc = "rotation of a spatial node from the reference configuration as three angles",
    .args = {.what = SN_ARG_NODE, .min = 1, .max = 1, .dim = 3, .ask = SN_FRAME},
    .slots = slots,
    .options = options,
    .source = SN_FROM_NODES,
    .layout = layout,
    .eval = eval,
    .dparam = dparam,
};
