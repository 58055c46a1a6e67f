/* Measures th of a relative rotation with quaternion p = (w, v): the rotation vector (log), or the axial
   vector 2 w v of the skew part of its matrix (vect). dth = P dw, dw the variation in axes of the second
   body: P = T^-1(th) for log, w^2 + w v~ - v v' for vect. */
#ifndef SN_ELEMENT_BUSHING_TURN_H
#define SN_ELEMENT_BUSHING_TURN_H

#include "math/rot3.h"

enum { SN_MEASURE_LOG, SN_MEASURE_VECT };

/* d(beta)/d(t^2) for P = 1 + th~/2 + beta th~^2 */
static inline double sn_turn_beta_slope(double t2)
{
    double t = sqrt(t2), c, s;
    if (t < 0.3)
        return 1.0 / 720 + t2 * (1.0 / 15120 + t2 * (1.0 / 403200 + t2 * (1.0 / 11975040 + t2 * 2.642e-9)));
    c = cos(0.5 * t), s = sin(0.5 * t);
    return (-2 / (t2 * t) + c / (2 * s * t2) + 1 / (4 * s * s * t)) / (2 * t);
}

static inline void sn_turn(int measure, const double *p, double *th, double *P)
{
    const double w = p[0], *v = p + 1;
    if (measure == SN_MEASURE_LOG) {
        sn_quat_log(p, th);
        sn_rot3_Tinv(th, P);
        return;
    }
    sn_skew3(v, P);
    for (int i = 0; i < 3; i++) {
        th[i] = 2 * w * v[i];
        for (int j = 0; j < 3; j++) P[3 * i + j] = w * P[3 * i + j] + (i == j) * w * w - v[i] * v[j];
    }
}

/* W = d(P u)/dw for sign 1, d(P'u)/dw for sign -1, at a constant u */
static inline void sn_turn_tangent(int measure, const double *p, const double *th, const double *P,
                                   double sign, const double *u, double *W)
{
    double S[9], vu = sn_dot3(p + 1, u), tu = sn_dot3(th, u), t2 = sn_dot3(th, th);
    if (measure == SN_MEASURE_LOG) {
        /* d/dth of u +- th x u/2 + beta (th (th.u) - t^2 u), then P */
        double beta = sn_rot3_Tinv_b(t2), slope = 2 * sn_turn_beta_slope(t2);
        sn_skew3(u, S);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                S[3 * i + j] = -0.5 * sign * S[3 * i + j] +
                               beta * ((i == j) * tu + th[i] * u[j] - 2 * u[i] * th[j]) +
                               slope * (th[i] * tu - t2 * u[i]) * th[j];
        sn_matmul3(S, P, W);
        return;
    }
    /* w^2 u +- w v x u - v (v.u) with dw = -v.d/2, dv = (w d + v x d)/2 */
    const double w = p[0], *v = p + 1;
    double vxu[3], dv[3], d[3], x[3];
    sn_cross3(v, u, vxu);
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) d[i] = i == j;
        double dw = -0.5 * v[j], dvu;
        sn_cross3(v, d, dv);
        for (int i = 0; i < 3; i++) dv[i] = 0.5 * (w * d[i] + dv[i]);
        sn_cross3(dv, u, x);
        dvu = sn_dot3(dv, u);
        for (int i = 0; i < 3; i++)
            W[3 * i + j] = 2 * w * dw * u[i] + sign * (dw * vxu[i] + w * x[i]) - dv[i] * vu - v[i] * dvu;
    }
}

#endif
