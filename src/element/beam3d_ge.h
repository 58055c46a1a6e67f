/* Kinematics of beam3d_ge. Read the head of beam3d_ge.c first; only that file includes this one.

   Rotations of nodes R, of sections L = R A, with A constant. Moments and spins of nodes are in their own
   axes. u, psi: place and rotation vector of section 2 seen from section 1; y = (U, psi) = h (gamma, kappa).
   J = 1 - psi~/2 + b psi~^2 is the inverse of the left Jacobian, J' that of the right one. */
#ifndef SN_ELEMENT_BEAM3D_GE_H
#define SN_ELEMENT_BEAM3D_GE_H

#include "element/beam_ge_field.h"
#include "math/rot3.h"
#include "math/simd.h"
#include "sinew/class.h"

enum {
    EA,
    EI_Y,
    EI_Z,
    GJ,
    KGA_Y,
    KGA_Z,
    RHO_A,
    RHO_I_Y,
    RHO_I_Z,
    RHO_J,
    DAMPING,
    DAMPING_MASS,
    ORIENTATION,
    OFFSET1 = ORIENTATION + 3,
    OFFSET2 = OFFSET1 + 3,
    CURVATURE = OFFSET2 + 3,
    STIFFNESS = CURVATURE + 3,
    RHO_I_YZ = STIFFNESS + 36,
    CENTRE,
    NS = CENTRE + 2
};
enum { OPT_MASS };

/* Slopes and arms, and the offset of a place, are body vectors. */
typedef struct constants {
    double h, A[2][9], kappa0[3]; /* length along the axis; axes of the sections in those of the nodes */
    double S[36], c;              /* compliance; h^2/12 */
    double m, J[2][9];            /* mass; half of the rotary inertia, in the nodes' axes */
    double body[2][VECTORS][3];   /* body vectors in the nodes' axes */
    double apart[4];              /* the turn A2 A1' as a quaternion */
    double arms;                  /* whether ends are eccentric; whether mass is; whether S is diagonal */
    double off_axis, plain;
} constants;

#define INLINE inline __attribute__((always_inline))

static const double one3[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Where the ends are, and the strain between them */
typedef struct motion {
    double R[2][9], L[2][9], u[3], psi[3], U[3];
    double z, b, b1, b2; /* psi.psi; b and its derivatives by z */
    double Ji[9];        /* J */
    double arm[2][3];    /* offsets along global axes */
} motion;

/* b = 1/z - cot(t/2)/(2t), t^2 = z, and two derivatives */
static inline void inverse_numbers(double z, double *b, double *b1, double *b2)
{
    static const double k[] = {1.0 / 12,
                               1.0 / 720,
                               1.0 / 30240,
                               1.0 / 1209600,
                               1.0 / 47900160,
                               691.0 / 1307674368000,
                               1.0 / 74724249600,
                               3617.0 / 10670622842880000,
                               43867.0 / 5109094217170944000,
                               174611.0 / 802857662698291200000.0};
    if (z < 0.05) {
        *b = k[0] + z * (k[1] + z * (k[2] + z * (k[3] + z * (k[4] + z * k[5]))));
        *b1 = k[1] + z * (2 * k[2] + z * (3 * k[3] + z * (4 * k[4] + z * (5 * k[5] + z * 6 * k[6]))));
        *b2 = 2 * k[2] + z * (6 * k[3] + z * (12 * k[4] + z * (20 * k[5] + z * (30 * k[6] + z * 42 * k[7]))));
        return;
    }
    if (z < 1) {
        *b = k[9], *b1 = 9 * k[9], *b2 = 72 * k[9];
        for (int i = 8; i >= 0; i--) *b = *b * z + k[i];
        for (int i = 8; i >= 1; i--) *b1 = *b1 * z + i * k[i];
        for (int i = 8; i >= 2; i--) *b2 = *b2 * z + i * (i - 1) * k[i];
        return;
    }
    double t = sqrt(z), s = sin(0.5 * t), c = cos(0.5 * t);
    *b = 1 / z - c / (2 * t * s);
    *b1 = 0.5 * (-1 / z - *b + 1 / (4 * s * s)) / z;
    *b2 = (0.5 * (1 / (z * z) - *b1 - c / (8 * t * s * s * s)) - *b1) / z;
}

/* The rotation vector of Q, shorter than pi */
static INLINE sn_status rotation_vector(const double *Q, double *psi)
{
    const double a[3] = {0.5 * (Q[7] - Q[5]), 0.5 * (Q[2] - Q[6]), 0.5 * (Q[3] - Q[1])};
    double x = sn_dot3(a, a), cosine = 0.5 * (Q[0] + Q[4] + Q[8] - 1), f;
    if (x < 0.01 && cosine > 0) { /* arcsin(sqrt x)/sqrt x */
        static const double k[] = {1,           1.0 / 6,     3.0 / 40,      5.0 / 112,
                                   35.0 / 1152, 63.0 / 2816, 231.0 / 13312, 143.0 / 10240};
        f = k[7];
        for (int i = 6; i >= 0; i--) f = k[i] + x * f;
    } else {
        double s = sqrt(x);
        if (s < 1e-8) return SN_ERR_NUMERIC;
        f = atan2(s, cosine) / s;
    }
    for (int i = 0; i < 3; i++) psi[i] = f * a[i];
    return SN_OK;
}

/* y = (1 + s psi~/2 + b psi~^2) x: J for s = -1, J' for s = 1 */
static INLINE void turn_form(const motion *k, double s, const double *x, double *y)
{
    const double *p = k->psi, d = sn_dot3(p, x), h = 0.5 * s, f = 1 - k->b * k->z, g = k->b * d;
    double c[3];
    sn_cross3(p, x, c);
    for (int i = 0; i < 3; i++) y[i] = f * x[i] + h * c[i] + g * p[i];
}

/* D: derivative of that by psi */
static INLINE void turn_form_by(const motion *k, double s, const double *w, double *D)
{
    const double *p = k->psi, d = sn_dot3(p, w), h = 0.5 * s, b = k->b, e = 2 * k->b1;
    for (int i = 0; i < 3; i++) {
        const double x = b * p[i], y = e * (p[i] * d - k->z * w[i]) - 2 * b * w[i];
        for (int j = 0; j < 3; j++) D[3 * i + j] = x * w[j] + y * p[j];
        D[4 * i] += b * d;
    }
    D[1] += h * w[2], D[2] -= h * w[1];
    D[3] -= h * w[2], D[5] += h * w[0];
    D[6] += h * w[1], D[7] -= h * w[0];
}

static INLINE void inverse_matrix(const motion *k, double *J)
{
    const double *p = k->psi, f = 1 - k->b * k->z;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) J[3 * i + j] = k->b * p[i] * p[j] + (i == j ? f : 0);
    J[1] += 0.5 * p[2], J[2] -= 0.5 * p[1];
    J[3] -= 0.5 * p[2], J[5] += 0.5 * p[0];
    J[6] += 0.5 * p[1], J[7] -= 0.5 * p[0];
}

/* A section's axes; those of a straight beam along its nodes' axes are the nodes' */
static INLINE sn_status place(const sn_in *in, motion *k)
{
    const constants *c = (const constants *)in->c;
    const double *q = in->q;
    double d[3] = {q[7] - q[0], q[8] - q[1], q[9] - q[2]}, Q[9];
    for (int i = 0; i < 2; i++) {
        sn_quat_matrix(q + 7 * i + 3, k->R[i]);
        sn_matmul3(k->R[i], c->A[i], k->L[i]);
        if (c->arms == 0) continue;
        sn_mul3(k->R[i], c->body[i][PLACE], k->arm[i]);
        for (int j = 0; j < 3; j++) d[j] += i ? k->arm[i][j] : -k->arm[i][j];
    }
    sn_tmul3(k->L[0], d, k->u);
    sn_tmatmul3(k->L[0], k->L[1], Q);
    SN_TRY(rotation_vector(Q, k->psi));
    k->z = sn_dot3(k->psi, k->psi);
    inverse_numbers(k->z, &k->b, &k->b1, &k->b2);
    turn_form(k, -1, k->u, k->U);
    inverse_matrix(k, k->Ji);
    return SN_OK;
}

#endif
