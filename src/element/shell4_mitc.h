/* Numerical body of shell4_mitc: slots, numbers made once for each element, motion. Read the head of
   shell4_mitc.c first; only that file includes this one.

   Numbers of the four nodes are treated at once, as vectors of four (quad), and so are the modes
   (r, s, d, 0): x_r = sum xi_i y_i, x_s = sum eta_i y_i, x_d = sum xi_i eta_i y_i, d_0 = sum d_i ..., without
   the 1/4, for which strains are 16 times too large: C has 1/256, e0 has 16, u and w have 1/4. */
#ifndef SN_ELEMENT_SHELL4_MITC_H
#define SN_ELEMENT_SHELL4_MITC_H

#include "element/shell_section.h"
#include "math/rot3.h"
#include "math/simd.h"

enum { DRILL = SHELL_SECTION_NS, NORMAL, NS = NORMAL + 12, NX = 28, NV = 24 };
enum { OPT_FORMULATION, OPT_EAS, OPT_ROLL };
enum { PLUS, PLAIN };

/* Strains: membrane m1 .. m6, bending b1 .. b6, transverse shear g1 .. g4 */
enum { MEM = 0, BEND = 8, SHEAR = 16, STRAINS = 20 };

#define INLINE SN_SIMD_INLINE
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wpsabi" /* all that takes or returns quads is inlined */
#endif
typedef sn_quad quad;

typedef struct constants {
    double Cm[6][8], Cb[6][8], Cg[4][4]; /* symmetric; rows padded by zeros */
    double Cmb[6][8], Cbm[6][8];         /* one the other's transpose */
    double e0[STRAINS];
    double D[3][4], o[3][4]; /* directors and arms to the middle surface, of node i in column i */
    double u[3][4], w[3][4], Q[4][4];
    double roll;                   /* 1/|sum D_i|^2; 0: no roll factor */
    double m[4][4], j[4], mass[4]; /* of translations, of directors, at the Gauss points */
    double arms, coupled;          /* whether there are any */
} constants;

static const double xi_of[4] = {-1, 1, 1, -1}, eta_of[4] = {-1, -1, 1, 1}, both_of[4] = {1, -1, 1, -1};

/* Places y and directors d of the nodes, and their modes in lanes (r, s, d, 0); of y the last is not used.
   T: x_a.(d_r, d_s, d_d, d_0), S: x_a.(x_r, x_s, x_d, .) */
typedef struct motion {
    quad R[9], y[3], d[3], X[3], D[3], T[3], S[3];
    double e[STRAINS], b[6]; /* strains less e0; bending strains without the roll factor */
    double f, f1, f2;        /* roll factor, its derivatives by d_0.d_0/2 */
    quad U[3], W[3], psi;    /* drill: R u, R w */
} motion;

static INLINE quad get(const double *x) { return *(const quad *)x; }
static INLINE quad all(double x) { return (quad){x, x, x, x}; }

/* Nodes to modes: the last lane is the sum. */
static INLINE quad modes(quad y)
{
    const quad t = y * (quad){1, -1, 1, -1} + SN_QUAD_PICK(y, 1, 0, 3, 2);
    return SN_QUAD_PICK(t, 3, 2, 3, 2) + SN_QUAD_PICK(t, 1, 0, 1, 0) * (quad){-1, -1, 1, 1};
}

/* Its transpose */
static INLINE quad nodes(quad f)
{
    const quad t = SN_QUAD_PICK(f, 3, 3, 0, 0) + SN_QUAD_PICK(f, 2, 2, 1, 1) * (quad){1, -1, 1, -1};
    return SN_QUAD_PICK(t, 0, 1, 0, 1) + SN_QUAD_PICK(t, 2, 3, 2, 3) * (quad){-1, 1, 1, -1};
}

static INLINE void mul4(const quad *A, const quad *x, quad *y) /* y = A x */
{
    for (int i = 0; i < 3; i++) y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

static INLINE void tmul4(const quad *A, const quad *x, quad *y) /* y = A'x */
{
    for (int i = 0; i < 3; i++) y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

static INLINE void add_cross4(const quad *a, const quad *b, quad *y) /* y += a x b */
{
    y[0] += a[1] * b[2] - a[2] * b[1];
    y[1] += a[2] * b[0] - a[0] * b[2];
    y[2] += a[0] * b[1] - a[1] * b[0];
}

static INLINE void load3(const double (*x)[4], quad *y)
{
    for (int i = 0; i < 3; i++) y[i] = get(x[i]);
}

/* Three numbers of each node, `stride` apart */
static INLINE void gather3(const double *x, int stride, quad *y)
{
    for (int i = 0; i < 3; i++) y[i] = (quad){x[i], x[stride + i], x[2 * stride + i], x[3 * stride + i]};
}

static INLINE void rotations(const double *q, quad *R)
{
    quad p[4];
    for (int i = 0; i < 4; i++) p[i] = get(q + 7 * i + 3);
    sn_quad_transpose(p);
    const quad w = p[0], x = p[1], y = p[2], z = p[3], x2 = x + x, y2 = y + y, z2 = z + z;
    const quad xx = x * x2, yy = y * y2, zz = z * z2, one = all(1);
    R[0] = one - (yy + zz), R[1] = x * y2 - w * z2, R[2] = x * z2 + w * y2;
    R[3] = x * y2 + w * z2, R[4] = one - (xx + zz), R[5] = y * z2 - w * x2;
    R[6] = x * z2 - w * y2, R[7] = y * z2 + w * x2, R[8] = one - (xx + yy);
}

/* Strains from the tables of dots; b without the roll factor */
static INLINE void strains(motion *k)
{
    const quad *S = k->S, *T = k->T;
    double *e = k->e, *b = k->b;
    e[0] = 0.5 * S[0][0], e[1] = 0.5 * S[1][1], e[2] = S[0][1];
    e[3] = S[0][2], e[4] = S[1][2], e[5] = 0.5 * S[2][2];
    b[0] = T[0][0], b[1] = T[1][1], b[2] = T[0][1] + T[1][0];
    b[3] = T[0][2] + T[2][0], b[4] = T[1][2] + T[2][1], b[5] = T[2][2];
    e[16] = T[0][3] + T[2][1], e[17] = T[0][1] + T[2][3];
    e[18] = T[1][3] + T[2][0], e[19] = T[1][0] + T[2][3];
    e[6] = e[7] = e[14] = e[15] = 0;
}

/* f(u), u = 1 - d0.d0/D0.D0, and its first and second derivative by d0.d0/2 */
static INLINE void roll_factor(const constants *c, double d0d0, motion *k)
{
    const double u = 1 - d0d0 * c->roll;
    k->f = 1, k->f1 = k->f2 = 0;
    if (c->roll == 0) return;
    k->f = 1 + u * (1.0 / 6 + 7.0 / 72 * u);
    k->f1 = -2 * c->roll * (1.0 / 6 + 7.0 / 36 * u);
    k->f2 = 4 * c->roll * c->roll * (7.0 / 36);
}

static INLINE void move(const sn_in *in, const constants *c, motion *k)
{
    quad x[3];
    rotations(in->q, k->R);
    gather3(in->q, 7, k->y);
    load3(c->D, x);
    mul4(k->R, x, k->d);
    if (c->arms != 0) {
        load3(c->o, x);
        quad o[3];
        mul4(k->R, x, o);
        for (int i = 0; i < 3; i++) k->y[i] += o[i];
    }
    for (int i = 0; i < 3; i++) k->X[i] = modes(k->y[i]), k->D[i] = modes(k->d[i]);
    for (int a = 0; a < 3; a++) {
        const quad x0 = all(k->X[0][a]), x1 = all(k->X[1][a]), x2 = all(k->X[2][a]);
        k->T[a] = x0 * k->D[0] + x1 * k->D[1] + x2 * k->D[2];
        k->S[a] = x0 * k->X[0] + x1 * k->X[1] + x2 * k->X[2];
    }
    strains(k);
    const double d0[3] = {k->D[0][3], k->D[1][3], k->D[2][3]};
    roll_factor(c, sn_dot3(d0, d0), k);
    for (int i = 0; i < 6; i++) k->e[BEND + i] = k->f * k->b[i];
    for (int i = 0; i < STRAINS; i++) k->e[i] -= c->e0[i];
}

#endif
