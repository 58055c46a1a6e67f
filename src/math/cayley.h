/* Cayley's map of rotations: cay(c) turns by 2 atan(|c|/2) about c, R1 = R0 cay(c).

   c is the same vector in the axes of R0, of R1 and of R_m = R0 H half-way between, H^2 = cay(c). With a = 1
   + c.c/4 the variations are, in body axes of R1 and of R_m,

       dth1 = T(c) dc + cay(c)' dth0,    dth_m = P dc + H' dth0,    T(c) = (1 - c~/2)/a

   P = T(u) du/dc, where u = c/(1 + sqrt a) is the vector of H: H = cay(u). */
#ifndef SN_MATH_CAYLEY_H
#define SN_MATH_CAYLEY_H

#include "math/rot3.h"

static inline double sn_cayley_a(const double *c) { return 1 + 0.25 * sn_dot3(c, c); }

/* The rotation vector of cay(c) */
static inline void sn_cayley_vector(const double *c, double *d)
{
    double t = sqrt(sn_dot3(c, c)),
           f = t > 1e-4 ? 2 * atan(0.5 * t) / t : 1 - t * t / 12 + t * t * t * t / 80;
    for (int i = 0; i < 3; i++) d[i] = f * c[i];
}

static inline void sn_cayley_matrix(const double *c, double *R)
{
    double n = 1 / sqrt(sn_cayley_a(c));
    const double p[4] = {n, 0.5 * n * c[0], 0.5 * n * c[1], 0.5 * n * c[2]};
    sn_quat_matrix(p, R);
}

static inline void sn_cayley_T(const double *c, double *T)
{
    double f = 1 / sn_cayley_a(c);
    const double t[9] = {f, 0.5 * f * c[2], -0.5 * f * c[1], -0.5 * f * c[2],
                         f, 0.5 * f * c[0], 0.5 * f * c[1],  -0.5 * f * c[0],
                         f};
    memcpy(T, t, sizeof t);
}

/* y = derivative of T(c)'f along dc; sign -1: of T(-c)'f */
static inline void sn_cayley_dTt(const double *c, double sign, const double *f, const double *dc, double *y)
{
    double n = 1 / sn_cayley_a(c), x[3], z[3], along = 0.5 * n * sn_dot3(c, dc);
    sn_cross3(c, f, x);
    sn_cross3(dc, f, z);
    for (int i = 0; i < 3; i++) y[i] = n * (0.5 * sign * z[i] - along * (f[i] + 0.5 * sign * x[i]));
}

/* u, the vector of half the rotation, and P */
static inline void sn_cayley_half(const double *c, double *u, double *P)
{
    double s = sqrt(sn_cayley_a(c)), f = 1 / (1 + s), T[9], D[9];
    for (int i = 0; i < 3; i++) u[i] = f * c[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) D[3 * i + j] = f * (i == j) - 0.25 * f * f / s * c[i] * c[j];
    sn_cayley_T(u, T);
    sn_matmul3(T, D, P);
}

#endif
