/* Numerical body of beam3d_cr: numbers made once for each element, kinematics. Read the head of beam3d_cr.c
   first; only that file includes this one. Forces are in beam3d_cr_force.h, variations in beam3d_cr_vary.h.

   Both ends are treated at once, as vectors of two (pair): what differs in sign is `opposite`, what belongs
   to the other end `other`.

   Local vectors of 12 are (d1, phi1, d2, phi2): translations and spins (or forces and moments) of the two
   beam ends in the axes E of the chord. With B_i = E'R_i R0 the local rotation of end i, p_i its second
   column, q = (p_1 + p_2)/2, the spin of E is (Nour-Omid, Rankin 1991) w3 = (d2y - d1y)/l,  w2 = -(d2z -
   d1z)/l,  w1 = eta w2 + sum a_i phi_ix - b_i phi_iy, a_i = p_iy/(2 q_y), b_i = p_ix/(2 q_y), eta = q_x/q_y;
   in short w = G'd. */
#ifndef SN_ELEMENT_BEAM3D_CR_H
#define SN_ELEMENT_BEAM3D_CR_H

#include "math/dual.h"
#include "math/rot3.h"
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
    NS = OFFSET2 + 3
};
enum { OPT_MASS };
enum { CONSISTENT, LINEAR, LUMPED };
/* parts of the force; ARMS: moments about the nodes, not the eccentric ends; SHEAR: what finite shear adds */
enum { STRESS = 1, INERTIA = 2, LOAD = 4, ARMS = 8, SHEAR = 16, ALL = 31 };

/* Bending about one axis: stiffness (same end, other end); mass: lateral, lateral with rotation, rotation */
typedef struct bending {
    double k1, k2, n1, n2, r1, r2, s1, s2;
} bending;

/* What a force a length (A: its sum, B: its end moments) and a moment a length (F: by the chord's spin, D: by
   that of the ends) do */
typedef struct load {
    double A, B, F[2], D[3];
} load;

typedef struct constants {
    double by, bz;                   /* share of the ends' mean rotation that is shear */
    double L, R0[9], ea, gj, a1, a2; /* EA/L, GJ/L; axial mass */
    bending y, z;                    /* about y, about z */
    double J[9];                     /* half of the sections' rotary inertia, in a node's axes */
    load weight, line;
} constants;

/* Numbers of end 1 and of end 2 */
typedef double pair __attribute__((vector_size(16)));

#define INLINE inline __attribute__((always_inline))

static const pair opposite = {-1, 1}, only[2] = {{1, 0}, {0, 1}};

static INLINE pair both(double x) { return (pair){x, x}; }
static INLINE pair other(pair x) { return (pair){x[1], x[0]}; }
static INLINE double sum(pair x) { return x[0] + x[1]; }

/* Motion of both ends in the axes E; S = E'R */
typedef struct pair_motion {
    pair S[9], B[9], a, b;               /* a, b of w */
    pair th[3], tb, dtb;                 /* log B; T^-1 = 1 - th~/2 + tb th~^2, dtb = 2 dtb/d(th^2) */
    pair V[6], A[6], rate[3];            /* velocity, acceleration, rate of th */
    pair c[3], Ve[3], Ae[3];             /* arms to the eccentric ends, what they add to V and A */
    double l, il, E[9], eta, iq;         /* iq = 1/(2 q_y) */
    double W[3], g[3], gm[3];            /* spin of E; load: force, moment */
    double u[3], H[9];                   /* finite shear: forces, stiffness */
    int shear, dead, arms, field, rates; /* field: inertia is that of V, A; rates: V is needed */
} pair_motion;

/* y += u x v */
static INLINE void add_cross2(const pair *u, const pair *v, pair *y)
{
    y[0] += u[1] * v[2] - u[2] * v[1];
    y[1] += u[2] * v[0] - u[0] * v[2];
    y[2] += u[0] * v[1] - u[1] * v[0];
}

/* y = u x v */
static INLINE void cross2(const pair *u, const pair *v, pair *y)
{
    pair x[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    y[0] = x[0], y[1] = x[1], y[2] = x[2];
}

/* y = A x */
static INLINE void mul2(const pair *A, const pair *x, pair *y)
{
    for (int i = 0; i < 3; i++) y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

/* y = A'x */
static INLINE void tmul2(const pair *A, const pair *x, pair *y)
{
    for (int i = 0; i < 3; i++) y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

/* y += s u x v */
static inline void add_cross(double s, const double *u, const double *v, double *y)
{
    y[0] += s * (u[1] * v[2] - u[2] * v[1]);
    y[1] += s * (u[2] * v[0] - u[0] * v[2]);
    y[2] += s * (u[0] * v[1] - u[1] * v[0]);
}

/* Series of b = (1/t^2 - cot(t/2)/(2t)) in t^2 */
static const double inverse_series[] = {1.0 / 12,
                                        1.0 / 720,
                                        1.0 / 30240,
                                        1.0 / 1209600,
                                        1.0 / 47900160,
                                        691.0 / 1307674368000,
                                        1.0 / 74724249600,
                                        3617.0 / 10670622842880000,
                                        43867.0 / 5109094217170944000,
                                        174611.0 / 802857662698291200000.0};

/* b of T^-1 and 2 db/d(t^2) */
static inline void inverse_tangent(double t2, double *b, double *db)
{
    const double *k = inverse_series;
    if (t2 < 1) {
        double x = k[9], y = 9 * k[9];
        for (int i = 8; i >= 0; i--) x = x * t2 + k[i];
        for (int i = 8; i >= 1; i--) y = y * t2 + i * k[i];
        *b = x;
        *db = 2 * y;
        return;
    }
    double t = sqrt(t2), s = sin(0.5 * t), cot = cos(0.5 * t) / s;
    *b = 1 / t2 - cot / (2 * t);
    *db = (-2 / t2 + cot / (2 * t) + 1 / (4 * s * s)) / t2;
}

/* The same of both ends; the terms left out are below rounding */
static INLINE pair inverse_form(const pair *th, pair *db)
{
    const double *k = inverse_series;
    pair t2 = th[0] * th[0] + th[1] * th[1] + th[2] * th[2], b;
    if (t2[0] < 0.01 && t2[1] < 0.01) {
        *db = 2 * (k[1] + t2 * (2 * k[2] + t2 * (3 * k[3] + t2 * (4 * k[4] + t2 * (5 * k[5])))));
        return k[0] + t2 * (k[1] + t2 * (k[2] + t2 * (k[3] + t2 * k[4])));
    }
    for (int i = 0; i < 2; i++) {
        double x, y;
        inverse_tangent(t2[i], &x, &y);
        b[i] = x;
        (*db)[i] = y;
    }
    return b;
}

/* arcsin(sqrt x)/sqrt x */
static const double arc_series[] = {1,           1.0 / 6,     3.0 / 40,      5.0 / 112,
                                    35.0 / 1152, 63.0 / 2816, 231.0 / 13312, 143.0 / 10240};

/* th of the rotations B; their lengths below pi */
static INLINE sn_status local_rotations(const pair *B, pair *th)
{
    const double *k = arc_series;
    const pair a[3] = {0.5 * (B[7] - B[5]), 0.5 * (B[2] - B[6]), 0.5 * (B[3] - B[1])};
    pair x = a[0] * a[0] + a[1] * a[1] + a[2] * a[2], c = 0.5 * (B[0] + B[4] + B[8] - 1), f;
    if (x[0] < 0.01 && x[1] < 0.01 && c[0] > 0 && c[1] > 0) {
        f = both(k[7]);
        for (int i = 6; i >= 0; i--) f = k[i] + x * f;
    } else {
        for (int i = 0; i < 2; i++) {
            double s = sqrt(x[i]);
            if (s < 1e-8 && c[i] < 0) return SN_ERR_NUMERIC;
            f[i] = s < 1e-8 ? 1 : atan2(s, c[i]) / s;
        }
    }
    for (int i = 0; i < 3; i++) th[i] = f * a[i];
    return SN_OK;
}

/* (1 + s th~ + b th~^2) x: T^-1 for s = -1/2, its transpose for s = 1/2 */
static INLINE void turn_form(double s, pair b, const pair *th, const pair *x, pair *y)
{
    pair u[3], v[3];
    cross2(th, x, u);
    cross2(th, u, v);
    for (int i = 0; i < 3; i++) y[i] = x[i] + s * u[i] + b * v[i];
}

/* w = G'd */
static INLINE void frame_spin(const pair_motion *k, const pair *d, double *w)
{
    w[2] = (d[1][1] - d[1][0]) * k->il;
    w[1] = (d[2][0] - d[2][1]) * k->il;
    w[0] = k->eta * w[1] + sum(k->a * d[3] - k->b * d[4]);
}

/* f += G kap */
static INLINE void add_spin_force(const pair_motion *k, const double *kap, pair *f)
{
    f[1] += opposite * (kap[2] * k->il);
    f[2] -= opposite * ((kap[1] + k->eta * kap[0]) * k->il);
    f[3] += k->a * kap[0];
    f[4] -= k->b * kap[0];
}

/* Matrices of the nodes' rotations */
static INLINE void node_matrices(const double *q, pair *R)
{
    pair w = {q[3], q[10]}, x = {q[4], q[11]}, y = {q[5], q[12]}, z = {q[6], q[13]};
    pair x2 = x + x, y2 = y + y, z2 = z + z, xx = x * x2, yy = y * y2, zz = z * z2;
    R[0] = 1 - (yy + zz), R[1] = x * y2 - w * z2, R[2] = x * z2 + w * y2;
    R[3] = x * y2 + w * z2, R[4] = 1 - (xx + zz), R[5] = y * z2 - w * x2;
    R[6] = x * z2 - w * y2, R[7] = y * z2 + w * x2, R[8] = 1 - (xx + yy);
}

/* Chord x, and the sum u of the sections' y axes, to the axes E */
static INLINE sn_status chord_axes(double *x, double *u, pair_motion *k)
{
    double v[3], n, l2 = sn_dot3(x, x);
    if (!(l2 > 0)) return SN_ERR_NUMERIC;
    k->l = sqrt(l2);
    k->il = 1 / k->l;
    for (int i = 0; i < 3; i++) x[i] *= k->il;
    sn_cross3(x, u, v);
    n = sqrt(sn_dot3(v, v)); /* 2 q_y */
    if (!(n > 1e-9)) return SN_ERR_NUMERIC;
    k->iq = 1 / n;
    for (int i = 0; i < 3; i++) v[i] *= k->iq;
    sn_cross3(v, x, u);
    for (int i = 0; i < 3; i++) {
        k->E[3 * i] = x[i];
        k->E[3 * i + 1] = u[i];
        k->E[3 * i + 2] = v[i];
    }
    return SN_OK;
}

/* Chord, its axes, local rotations */
static INLINE sn_status place(const sn_in *in, pair_motion *k)
{
    const constants *c = (const constants *)in->c;
    const double *q = in->q, *o = in->s + OFFSET1;
    const pair e2[3] = {both(c->R0[1]), both(c->R0[4]), both(c->R0[7])};
    const pair arm[3] = {{o[0], o[3]}, {o[1], o[4]}, {o[2], o[5]}};
    double x[3] = {q[7] - q[0], q[8] - q[1], q[9] - q[2]}, u[3];
    pair R[9], y[3];
    k->arms = k->shear = 0;
    for (int i = 0; i < 6; i++) k->arms |= o[i] != 0;
    node_matrices(q, R);
    if (k->arms) {
        mul2(R, arm, y);
        for (int i = 0; i < 3; i++) x[i] += y[i][1] - y[i][0];
    }
    mul2(R, e2, y);
    for (int i = 0; i < 3; i++) u[i] = sum(y[i]);
    SN_TRY(chord_axes(x, u, k));
    for (int i = 0; i < 3; i++) {
        const pair e0 = both(k->E[i]), e1 = both(k->E[3 + i]), e2i = both(k->E[6 + i]);
        for (int j = 0; j < 3; j++) k->S[3 * i + j] = e0 * R[j] + e1 * R[3 + j] + e2i * R[6 + j];
    }
    for (int j = 0; j < 3; j++) {
        const pair r0 = both(c->R0[j]), r1 = both(c->R0[3 + j]), r2 = both(c->R0[6 + j]);
        for (int i = 0; i < 3; i++)
            k->B[3 * i + j] = k->S[3 * i] * r0 + k->S[3 * i + 1] * r1 + k->S[3 * i + 2] * r2;
    }
    k->a = k->B[4] * k->iq;
    k->b = k->B[1] * k->iq;
    k->eta = sum(k->b);
    SN_TRY(local_rotations(k->B, k->th));
    k->tb = inverse_form(k->th, &k->dtb);
    if (k->arms) mul2(k->S, arm, k->c);
    return SN_OK;
}

/* What the arms add: V x c, and A x c + V x (V x c) */
static INLINE void arm_rates(const pair *V, const pair *A, const pair *c, pair *Ve, pair *Ae)
{
    cross2(V, c, Ve);
    cross2(A, c, Ae);
    add_cross2(V, Ve, Ae);
}

/* Translations and rotations of both nodes in the axes E */
static INLINE void local_rates(const pair_motion *k, const double *v, pair *V)
{
    const pair x[6] = {{v[0], v[6]}, {v[1], v[7]}, {v[2], v[8]}, {v[3], v[9]}, {v[4], v[10]}, {v[5], v[11]}};
    for (int i = 0; i < 3; i++) V[i] = k->E[i] * x[0] + k->E[3 + i] * x[1] + k->E[6 + i] * x[2];
    mul2(k->S, x + 3, V + 3);
}

static INLINE void move_rates(const sn_in *in, pair_motion *k)
{
    local_rates(k, in->v, k->V);
    local_rates(k, in->a, k->A);
    if (k->arms) {
        arm_rates(k->V + 3, k->A + 3, k->c, k->Ve, k->Ae);
        for (int i = 0; i < 3; i++) k->V[i] += k->Ve[i], k->A[i] += k->Ae[i];
    }
    frame_spin(k, k->V, k->W);
}

/* T^-1 (V_r - W) */
static INLINE void strain_rates(pair_motion *k)
{
    pair x[3];
    for (int i = 0; i < 3; i++) x[i] = k->V[3 + i] - k->W[i];
    turn_form(-0.5, k->tb, k->th, x, k->rate);
}

#endif
