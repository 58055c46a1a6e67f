/* How the axes of a reduced body's file lie in the reference configuration: R0 = exp(rotation~) [e1 e2 e3],
   e1 along `x_axis`, e2 in the plane of both, on the side of `y_axis`. All of them turn with the placement of
   an included mechanism, and so does R0. A change of R0 is a turn de along the axes of the reference, dR0 =
   de~ R0. */
#ifndef SN_MODEL_BODY_AXES_H
#define SN_MODEL_BODY_AXES_H

#include "math/rot3.h"
#include "sinew/class.h"

/* Their places from the first of the nine numbers, in this order. */
enum { SN_BODY_ROTATION = 0, SN_BODY_X_AXIS = 3, SN_BODY_Y_AXIS = 6, SN_BODY_AXES = 9 };

#define SN_BODY_AXES_SLOTS                                                                                   \
    {"rotation",                                                                                             \
     "rad",                                                                                                  \
     "rotation vector from the axes of the file to those of the body",                                       \
     3,                                                                                                      \
     SN_ROTATES | SN_OF_REFERENCE,                                                                           \
     0,                                                                                                      \
     -SN_INFINITE,                                                                                           \
     SN_INFINITE,                                                                                            \
     NULL},                                                                                                  \
        {"x_axis",                                                                                           \
         "1",                                                                                                \
         "direction of the file's x axis before that rotation, of any length",                               \
         3,                                                                                                  \
         SN_ROTATES,                                                                                         \
         0,                                                                                                  \
         -SN_INFINITE,                                                                                       \
         SN_INFINITE,                                                                                        \
         "1;0;0"},                                                                                           \
    {                                                                                                        \
        "y_axis", "1", "direction of the file's y axis; its component along x is ignored", 3, SN_ROTATES, 0, \
            -SN_INFINITE, SN_INFINITE, "0;1;0"                                                               \
    }

static inline double sn_body_unit(const double *x, double *e)
{
    double l = sqrt(sn_dot3(x, x));
    for (int i = 0; i < 3; i++) e[i] = l > 0 ? x[i] / l : 0;
    return l;
}

/* The rows are e1, e2, e3; lengths of x and of x cross y. 0: they have no direction, or the same. */
static inline int sn_body_triad(const double *s, double *e, double *length)
{
    double n[3];
    length[0] = sn_body_unit(s + SN_BODY_X_AXIS, e);
    sn_cross3(s + SN_BODY_X_AXIS, s + SN_BODY_Y_AXIS, n);
    length[1] = sn_body_unit(n, e + 6);
    sn_cross3(e + 6, e, e + 3);
    double y = sqrt(sn_dot3(s + SN_BODY_Y_AXIS, s + SN_BODY_Y_AXIS));
    return length[1] > 1e-9 * length[0] * y;
}

/* s: the nine numbers. */
static inline sn_status sn_body_axes(const double *s, double *R0, sn_err *err)
{
    double e[9], p[4], R[9], length[2];
    if (!sn_body_triad(s, e, length))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "'x_axis' and 'y_axis' must have directions, and not the same one");
    sn_quat_exp(s + SN_BODY_ROTATION, p);
    sn_quat_matrix(p, R);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R0[3 * i + j] = R[3 * i] * e[3 * j] + R[3 * i + 1] * e[3 * j + 1] + R[3 * i + 2] * e[3 * j + 2];
    return SN_OK;
}

/* How the triad turns with component k of x_axis (y = 0) or y_axis. */
static inline void sn_body_dtriad(const double *s, int y, int k, double *turn)
{
    const double unit[3] = {k == 0, k == 1, k == 2};
    double e[9], length[2], n[3], de1[3], along = 0;
    sn_body_triad(s, e, length);
    if (y)
        sn_cross3(s + SN_BODY_X_AXIS, unit, n);
    else
        sn_cross3(unit, s + SN_BODY_Y_AXIS, n);
    for (int i = 0; i < 3; i++) {
        de1[i] = y ? 0 : (unit[i] - e[k] * e[i]) / length[0];
        along -= e[3 + i] * n[i] / length[1];
    }
    sn_cross3(e, de1, turn);
    for (int i = 0; i < 3; i++) turn[i] += along * e[i];
}

/* de by number `index` of the nine. */
static inline void sn_body_daxes(const double *s, int index, double *de)
{
    double T[9], p[4], R[9];
    sn_rot3_T(s + SN_BODY_ROTATION, T);
    if (index < SN_BODY_X_AXIS) {
        memcpy(de, T + 3 * index, 3 * sizeof *de); /* of the left: T' */
        return;
    }
    sn_body_dtriad(s, index >= SN_BODY_Y_AXIS, index % 3, de);
    sn_quat_exp(s + SN_BODY_ROTATION, p);
    sn_quat_matrix(p, R);
    sn_mul3(R, de, de);
}

/* A vector of the file, and a matrix, along the axes of the reference: R0 x, R0 A R0' */
static inline void sn_body_turn(const double *R0, const double *A, double *B)
{
    double t[9];
    sn_matmul3(R0, A, t);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) B[3 * i + j] = sn_dot3(t + 3 * i, R0 + 3 * j);
}

#endif
