/* frame3d: a spatial point with a rotation. Tangent coordinates x, y, z (global) and rx, ry, rz: rotation
   increments and angular velocity in body axes. Configuration: x, y, z and the unit quaternion (w, x, y, z)
   of the rotation from the reference configuration. Slots at (0..2), displacement (3..5), velocity (6..8),
   rotation (9..11: rotation vector at the start), spin (12..14: angular velocity in body axes). */
#include "math/rot3.h"
#include "node/place.h"

extern const sn_node_class sn_node_frame3d;

static const sn_slot slots[] = {
    SN_PLACE_SLOTS(3),
    {"rotation", "rad", "rotation vector from the reference configuration at the start", 3, SN_ROTATES, 0,
     -SN_INFINITE, SN_INFINITE, NULL},
    {"spin", "rad/s", "angular velocity at the start, in body axes", 3, SN_ROTATES, 0, -SN_INFINITE,
     SN_INFINITE, NULL},
    {.name = NULL},
};
static const char *const coord[] = {"x", "y", "z", "rx", "ry", "rz"}, *const unit[] = {"m",   "m",   "m",
                                                                                       "rad", "rad", "rad"};

static const sn_offer offers[] = {{SN_FRAME, 0, 0}, {SN_POSITION, 0, 0}, {0}};

static void start(const sn_node_in *in, double *X, double *q, double *v)
{
    const double *s = in->s;
    sn_place_start(3, s, X, q, v);
    for (int k = 0; k < 3; k++) v[3 + k] = s[12 + k];
    X[3] = 1, X[4] = X[5] = X[6] = 0;
    sn_quat_exp(s + 9, q + 3);
}

static void dstart(const sn_node_in *in, int index, double *dX, double *dq, double *dv)
{
    const double *s = in->s;
    double T[9];
    sn_rot3_T(s + 9, T);
    sn_place_dstart(3, index, dX, dq, dv);
    for (int k = 0; k < 3; k++) {
        dq[3 + k] = index >= 9 && index < 12 ? T[3 * k + index - 9] : 0;
        dv[3 + k] = index == 12 + k;
    }
    for (int k = 3; k < 7; k++) dX[k] = 0;
}

/* d with retract(q, d) = q1, the shortest */
static void difference(const double *q, const double *q1, double *d)
{
    const double back[4] = {q[3], -q[4], -q[5], -q[6]};
    double p[4];
    for (int k = 0; k < 3; k++) d[k] = q1[k] - q[k];
    sn_quat_mul(back, q1 + 3, p);
    sn_quat_log(p, d + 3);
}

static void tangent(const double *d, double *E, double *T)
{
    double e[4], R[9], t[9];
    sn_quat_exp(d + 3, e);
    sn_quat_matrix(e, R);
    sn_rot3_T(d + 3, t);
    for (int i = 0; i < 33; i++) E[i] = T[i] = 0; /* the last three numbers are written below */
    for (int i = 0; i < 3; i++) {
        E[7 * i] = T[7 * i] = 1;
        for (int j = 0; j < 3; j++) {
            E[21 + 6 * i + j] = R[3 * j + i];
            T[21 + 6 * i + j] = t[3 * i + j];
        }
    }
}

static void dtangent(const double *d, const double *w, double *D)
{
    double t[9];
    sn_rot3_dT(d + 3, w + 3, t);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) D[6 * i + j] = i >= 3 && j >= 3 ? t[3 * (i - 3) + j - 3] : 0;
}

static void turned(const double *q0, const double *q1, double *Q)
{
    const double back[4] = {q0[3], -q0[4], -q0[5], -q0[6]};
    double p[4];
    sn_quat_mul(q1 + 3, back, p);
    sn_quat_matrix(p, Q);
}

const sn_node_class sn_node_frame3d = {
    .name = "frame3d",
    .doc = "a spatial point with a rotation",
    .slots = slots,
    .nq = 7,
    .nv = 6,
    .dim = 3,
    .offers = offers,
    .order = 2,
    .coord = coord,
    .unit = unit,
    .start = start,
    .dstart = dstart,
    .retract = sn_frame3_retract,
    .difference = difference,
    .tangent = tangent,
    .dtangent = dtangent,
    .turn = 3,
    .turned = turned,
};
