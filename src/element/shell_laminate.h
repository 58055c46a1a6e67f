/* A laminate: stiffness, mass and stresses of plies, with derivatives (classical laminate theory, e.g. Jones,
   Mechanics of Composite Materials, 2nd ed., 1999, ch. 2 and 4).

   Ply axes 1, 2 lie at the angle a from the axes of the laminate; strains (11, 22, 2 12) turn by
   T = [cc ss cs; ss cc -cs; -2cs 2cs cc-ss], shears (13, 23) by [c s; -s c]. Plies follow each other from
   z = -h/2 along the normal:

       Qbar = T'Q T,   A = sum Qbar t,   B = sum Qbar (z1^2 - z0^2)/2,   D = sum Qbar (z1^3 - z0^3)/3

   Transverse shear by the energy of the stresses that bending needs for its balance (as Vlachoutsis, Int. J.
   Numer. Meth. Engng 33, 1992, 537-556, but with the mean of the stiffness over all directions, so that S is
   a tensor): with E(z) = (3 Q11 + 3 Q22 + 2 Q12 + 4 Q66)/8, the neutral plane zn, g(z) = int E (z - zn) dz
   from the bottom, R = int E (z - zn)^2 dz and the tensor G(z) of G13, G23

       S = R^2 (int g^2 G^-1 dz)^-1

   which is 5/6 G t of a homogeneous plate, and far less of a sandwich. `shear_factor` multiplies: 5/6 stands
   for 1.

   The first moment of the mass about the middle surface is left out. */
#ifndef SN_ELEMENT_SHELL_LAMINATE_H
#define SN_ELEMENT_SHELL_LAMINATE_H

#include <string.h>

#include "math/dual.h"
#include "model/plies.h"

/* The numbers of the plies among the slots */
typedef struct shell_plies {
    const double *s;
    int n, index; /* plies; the number that derivatives are by, counted from s */
} shell_plies;

/* A ply between z0 and z1 */
typedef struct shell_ply {
    dual Q[9], T[9]; /* stiffness in its axes, turn of strains to them */
    dual G[4];       /* transverse shear stiffness in the axes of the laminate */
    dual z0, z1, rho;
} shell_ply;

static inline dual ply_number(const shell_plies *p, int i, int k)
{
    return (dual){p->s[k * p->n + i], p->index == k * p->n + i};
}

static inline dual plies_thickness(const shell_plies *p)
{
    dual h = {0, 0};
    for (int i = 0; i < p->n; i++) h = add(h, ply_number(p, i, PLY_THICKNESS));
    return h;
}

/* 1 - nu12 nu21, which must be positive */
static inline dual ply_coupling(const shell_plies *p, int i)
{
    const dual nu = ply_number(p, i, PLY_NU12);
    return sub(constant(1), over(mul(mul(nu, nu), ply_number(p, i, PLY_E2)), ply_number(p, i, PLY_E1)));
}

static inline void ply_stiffness(const shell_plies *p, int i, dual *Q)
{
    const dual f = over(constant(1), ply_coupling(p, i)), E2 = mul(f, ply_number(p, i, PLY_E2));
    for (int k = 0; k < 9; k++) Q[k] = constant(0);
    Q[0] = mul(f, ply_number(p, i, PLY_E1));
    Q[4] = E2;
    Q[1] = Q[3] = mul(ply_number(p, i, PLY_NU12), E2);
    Q[8] = ply_number(p, i, PLY_G12);
}

/* Ply i, which begins at z0 */
static inline void ply_at(const shell_plies *p, int i, dual z0, shell_ply *y)
{
    const dual a = ply_number(p, i, PLY_ANGLE), c = cosine(a), s = sine(a);
    const dual cc = mul(c, c), ss = mul(s, s), cs = mul(c, s);
    const dual G1 = ply_number(p, i, PLY_G13), G2 = ply_number(p, i, PLY_G23);
    const dual T[9] = {cc, ss, cs, ss, cc, times(-1, cs), times(-2, cs), times(2, cs), sub(cc, ss)};
    for (int k = 0; k < 9; k++) y->T[k] = T[k];
    ply_stiffness(p, i, y->Q);
    y->G[0] = add(mul(cc, G1), mul(ss, G2));
    y->G[3] = add(mul(ss, G1), mul(cc, G2));
    y->G[1] = y->G[2] = mul(cs, sub(G1, G2));
    y->z0 = z0;
    y->z1 = add(z0, ply_number(p, i, PLY_THICKNESS));
    y->rho = ply_number(p, i, PLY_RHO);
}

static inline void multiply3(const dual *A, const dual *B, dual *C) /* C = A B */
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            C[3 * i + j] = mul(A[3 * i], B[j]);
            for (int k = 1; k < 3; k++) C[3 * i + j] = add(C[3 * i + j], mul(A[3 * i + k], B[3 * k + j]));
        }
}

/* Stress of a ply in its own axes by strains in those of the laminate: Q T */
static inline void ply_stress(const shell_ply *y, dual *QT) { multiply3(y->Q, y->T, QT); }

/* Qbar = T'Q T */
static inline void ply_turned(const shell_ply *y, dual *Qbar)
{
    dual Tt[9], QT[9];
    for (int k = 0; k < 9; k++) Tt[k] = y->T[k % 3 * 3 + k / 3];
    ply_stress(y, QT);
    multiply3(Tt, QT, Qbar);
}

/* Integrals over a laminate, and its thickness */
typedef struct shell_laminate {
    dual A[9], B[9], D[9], S[4], m, j, h;
} shell_laminate;

/* int g^2 dz over one ply, g0 at its bottom (moved to its top); g is quadratic: three Gauss points */
static inline dual ply_shear(dual E, dual zn, const shell_ply *y, dual *g0)
{
    static const double at[3] = {0.11270166537925831148, 0.5, 0.88729833462074168852},
                        weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    const dual t = sub(y->z1, y->z0), arm = sub(y->z0, zn);
    dual sum = {0, 0};
    for (int i = 0; i < 3; i++) {
        const dual u = times(at[i], t), g = add(*g0, mul(E, mul(u, add(arm, times(0.5, u)))));
        sum = add(sum, times(weight[i], mul(g, g)));
    }
    *g0 = add(*g0, mul(E, mul(t, add(arm, times(0.5, t)))));
    return mul(sum, t);
}

static inline void inverse2(const dual *A, dual *y)
{
    const dual d = sub(mul(A[0], A[3]), mul(A[1], A[2]));
    const dual t[4] = {over(A[3], d), times(-1, over(A[1], d)), times(-1, over(A[2], d)), over(A[0], d)};
    memcpy(y, t, sizeof t);
}

/* (3 Q11 + 3 Q22 + 2 Q12 + 4 Q66)/8: the mean over all directions, the same in all axes */
static inline dual mean_stiffness(const dual *Q)
{
    return times(0.125, add(times(3, add(Q[0], Q[4])), add(times(2, Q[1]), times(4, Q[8]))));
}

static inline void laminate_shear(const shell_plies *p, shell_laminate *l)
{
    const dual B = mean_stiffness(l->B), zn = over(B, mean_stiffness(l->A)),
               R = sub(mean_stiffness(l->D), mul(zn, B));
    dual g = {0, 0}, z = times(-0.5, l->h), I[4] = {{0, 0}};
    for (int i = 0; i < p->n; i++) {
        shell_ply y;
        dual f, G[4];
        ply_at(p, i, z, &y);
        f = ply_shear(mean_stiffness(y.Q), zn, &y, &g);
        inverse2(y.G, G);
        for (int k = 0; k < 4; k++) I[k] = add(I[k], mul(f, G[k]));
        z = y.z1;
    }
    inverse2(I, l->S);
    for (int k = 0; k < 4; k++) l->S[k] = mul(mul(R, R), l->S[k]);
}

/* All integrals; factor: `shear_factor` */
static inline void laminate_of(const shell_plies *p, dual factor, shell_laminate *l)
{
    *l = (shell_laminate){.h = plies_thickness(p)};
    dual z = times(-0.5, l->h);
    for (int i = 0; i < p->n; i++) {
        shell_ply y;
        dual Q[9];
        ply_at(p, i, z, &y);
        ply_turned(&y, Q);
        const dual t = ply_number(p, i, PLY_THICKNESS), mid = times(0.5, add(y.z0, y.z1)), t1 = mul(t, mid),
                   t2 = mul(t, add(mul(mid, mid), times(1.0 / 12, mul(t, t))));
        for (int k = 0; k < 9; k++) {
            l->A[k] = add(l->A[k], mul(Q[k], t));
            l->B[k] = add(l->B[k], mul(Q[k], t1));
            l->D[k] = add(l->D[k], mul(Q[k], t2));
        }
        l->m = add(l->m, mul(y.rho, t));
        l->j = add(l->j, mul(y.rho, t2));
        z = y.z1;
    }
    for (int k = 0; k < 9; k++) /* what rounding leaves of a symmetric one */
        if (fabs(l->B[k].x) < 1e-14 * l->A[0].x * l->h.x) l->B[k].x = 0;
    laminate_shear(p, l);
    for (int k = 0; k < 4; k++) l->S[k] = mul(times(1.2, factor), l->S[k]);
}

/* Ply i, from 0, of the laminate */
static inline void laminate_ply(const shell_plies *p, int i, shell_ply *y)
{
    dual z = times(-0.5, plies_thickness(p));
    for (int k = 0; k < i; k++) z = add(z, ply_number(p, k, PLY_THICKNESS));
    ply_at(p, i, z, y);
}

/* Tsai and Hill's index (s1/X)^2 - s1 s2/X^2 + (s2/Y)^2 + (s12/S)^2: 1 at failure. X and Y by the signs of s1
   and s2; what is not known (0) is left out. strength: Xt, Xc, Yt, Yc, S12 */
static inline dual tsai_hill(const dual *s, const dual *strength)
{
    const dual one = {1, 0}, zero = {0, 0}, *X = &strength[s[0].x < 0], *Y = &strength[2 + (s[1].x < 0)],
               *S = &strength[4];
    const dual x = X->x > 0 ? over(one, mul(*X, *X)) : zero, y = Y->x > 0 ? over(one, mul(*Y, *Y)) : zero,
               w = S->x > 0 ? over(one, mul(*S, *S)) : zero;
    return add(add(mul(x, mul(s[0], sub(s[0], s[1]))), mul(y, mul(s[1], s[1]))), mul(w, mul(s[2], s[2])));
}

#endif
