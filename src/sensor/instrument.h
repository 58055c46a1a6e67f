/* What instruments fixed to a body share: their axes and bias. In the reference configuration the axes of an
   instrument are the global ones turned by Rm = exp(mounting~), so that it reads Rm' u + bias of a vector u
   in the axes of the body. The plane is the plane z = 0 of space. Slots in this order: mounting (3), bias
   (3), and others behind them. */
#ifndef SN_SENSOR_INSTRUMENT_H
#define SN_SENSOR_INSTRUMENT_H

#include "sensor/point.h"

#define SN_MOUNTING_SLOT                                                                                     \
    {                                                                                                        \
        "mounting", "rad",                                                                                   \
            "rotation vector from the global axes to those of the instrument, in the reference "             \
            "configuration",                                                                                 \
            3, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL                                                \
    }

enum { SN_MOUNTING, SN_BIAS = 3, SN_INSTRUMENT_SLOTS = 6 };

/* Rotation of the node, or the identity where it has none; in space R of its quaternion. */
static inline void sn_instrument_rotation(const sn_in *in, double *R)
{
    double p[4] = {1, 0, 0, 0};
    if (sn_is_frame(in->view, 0) && in->dim == 2) p[0] = cos(0.5 * in->q[2]), p[3] = sin(0.5 * in->q[2]);
    sn_quat_matrix(sn_is_frame(in->view, 0) && in->dim == 3 ? in->q + 3 : p, R);
}

static inline void sn_instrument_axes(const sn_in *in, double *Rm)
{
    double p[4];
    sn_quat_exp(in->s + SN_MOUNTING, p);
    sn_quat_matrix(p, Rm);
}

/* The part of a node's rate that turns: angular velocity, or angular acceleration, in body axes. */
static inline void sn_instrument_turn(const sn_in *in, const double *rate, double *W)
{
    for (int k = 0; k < 3; k++) W[k] = 0;
    if (!sn_is_frame(in->view, 0)) return;
    if (in->dim == 2)
        W[2] = rate[2];
    else
        for (int k = 0; k < 3; k++) W[k] = rate[3 + k];
}

/* Derivative of Rm'u by component k of mounting: y x (T e_k), y = Rm'u; into dy (3). */
static inline void sn_instrument_dmounting(const sn_in *in, const double *u, int k, double *dy)
{
    double Rm[9], T[9], y[3];
    sn_instrument_axes(in, Rm);
    sn_tmul3(Rm, u, y);
    sn_rot3_T(in->s + SN_MOUNTING, T);
    const double t[3] = {T[k], T[3 + k], T[6 + k]};
    sn_cross3(y, t, dy);
}

/* D, derivatives of u by three coordinates of the plane or space that begin at `col` of the six of a frame,
   turned into the axes of the instrument and added to rows of the sensor: components first .. first + ny - 1.
 */
static inline void sn_instrument_block(const sn_in *in, const double *Rm, const double *D, int col, int first,
                                       int ny, double *to)
{
    double E[9];
    sn_tmatmul3(Rm, D, E);
    for (int i = 0; i < ny; i++)
        for (int j = 0; j < 3; j++) {
            /* in the plane: x, y, then theta about z */
            int at = in->dim == 3 ? col + j : col == 0 ? (j < 2 ? j : -1) : j == 2 ? 2 : -1;
            if (at >= 0 && at < in->nv) to[i * in->nv + at] += E[3 * (first + i) + j];
        }
}

#endif
