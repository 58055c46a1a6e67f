/* The mass of beam3d_cr as particles on the chord: those of the translations at Gauss points, where the
   squares of the interpolation are exact, and a body without mass for the sections' rotary inertia at each
   end. Only beam3d_cr.c includes this file. */
#ifndef SN_ELEMENT_BEAM3D_CR_PARTICLE_H
#define SN_ELEMENT_BEAM3D_CR_PARTICLE_H

#include "element/beam3d_cr.h"
#include "element/particle.h"

/* Places in 0 .. 1 and weights: ends, two and four points. */
static const double line_points[3][4][2] = {
    [CONSISTENT] = {{0.06943184420297371239, 0.17392742256872692869},
                    {0.33000947820757186760, 0.32607257743127307131},
                    {0.66999052179242813240, 0.32607257743127307131},
                    {0.93056815579702628761, 0.17392742256872692869}},
    [LINEAR] = {{0.21132486540518711775, 0.5}, {0.78867513459481288225, 0.5}},
    [LUMPED] = {{0, 0.5}, {1, 0.5}},
};

/* Lateral displacement at s by the ends' displacements (0, 2) and rotations (1, 3), share: Phi/(1 + Phi) */
static inline void lateral_shape(double s, double L, double share, double *N)
{
    const double g = 1 - share, f = share, t = 1 - s;
    N[0] = g * t * t * (1 + 2 * s) + f * t;
    N[1] = L * (g * s * t * t + 0.5 * f * s * t);
    N[2] = g * s * s * (3 - 2 * s) + f * s;
    N[3] = -L * (g * s * s * t + 0.5 * f * s * t);
}

/* N of an end: E diag(a) E' and E (turn - diag(a) arm~) S, turn: local displacements y by the rotation about
   z, z by that about y */
static inline void end_map(const pair_motion *k, int end, const double *a, const double *turn, double *N)
{
    double S[9], arm[3], A[9], B[9], skew[9], C[9];
    for (int i = 0; i < 9; i++) S[i] = k->S[i][end];
    for (int i = 0; i < 3; i++) arm[i] = k->arms ? k->c[i][end] : 0;
    sn_skew3(arm, skew);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[3 * i + j] = k->E[3 * i + j] * a[j], B[3 * i + j] = -a[i] * skew[3 * i + j];
    B[5] += turn[0];
    B[7] += turn[1];
    sn_matmul3(B, S, C);
    sn_matmul3(k->E, C, B);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double x = 0;
            for (int l = 0; l < 3; l++) x += A[3 * i + l] * k->E[3 * j + l];
            N[12 * i + 6 * end + j] = x;
            N[12 * i + 6 * end + 3 + j] = B[3 * i + j];
        }
}

/* The chord's end in global axes */
static inline void chord_end(const sn_in *in, const pair_motion *k, int end, double *x)
{
    double arm[3] = {0, 0, 0}, y[3];
    for (int i = 0; i < 3 && k->arms; i++) arm[i] = k->c[i][end];
    sn_mul3(k->E, arm, y);
    for (int i = 0; i < 3; i++) x[i] = in->q[7 * end + i] + y[i];
}

static inline void line_particle(const sn_in *in, const pair_motion *k, double s, double *x, double *N)
{
    const constants *c = (const constants *)in->c;
    const int cubic = in->opt[OPT_MASS] == CONSISTENT;
    double x1[3], x2[3], y[4] = {1 - s, 0, s, 0}, z[4] = {1 - s, 0, s, 0};
    chord_end(in, k, 0, x1);
    chord_end(in, k, 1, x2);
    for (int i = 0; i < 3; i++) x[i] = (1 - s) * x1[i] + s * x2[i];
    if (cubic) lateral_shape(s, c->L, c->bz, y), lateral_shape(s, c->L, c->by, z);
    for (int end = 0; end < 2; end++) {
        const double a[3] = {end ? s : 1 - s, y[2 * end], z[2 * end]},
                     turn[2] = {y[2 * end + 1], -z[2 * end + 1]};
        end_map(k, end, a, turn, N);
    }
}

static int particle(const sn_in *in, int k, double *m, double *x, double *N)
{
    const constants *c = (const constants *)in->c;
    const int kind = in->opt[OPT_MASS], line = kind == CONSISTENT ? 4 : 2;
    double R[9], y[3];
    pair_motion chord;
    if (k >= line + 2 * SN_BODY_PARTICLES || place(in, &chord)) return 0;
    memset(N, 0, 36 * sizeof *N);
    if (k < line) {
        *m = line_points[kind][k][1] * in->s[RHO_A] * c->L;
        line_particle(in, &chord, line_points[kind][k][0], x, N);
        return 1;
    }
    const int end = (k - line) / SN_BODY_PARTICLES;
    *m = sn_body_particle((k - line) % SN_BODY_PARTICLES, 0, c->J, in->s + (end ? OFFSET2 : OFFSET1), y);
    sn_quat_matrix(in->q + 7 * end + 3, R);
    sn_mul3(R, y, x);
    for (int i = 0; i < 3; i++) x[i] += in->q[7 * end + i];
    sn_body_particle_map(R, y, 12, N + 6 * end);
    return 1;
}

#endif
