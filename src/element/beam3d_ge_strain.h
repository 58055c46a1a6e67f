/* Section forces of beam3d_ge and their derivatives. Only beam3d_ge.c includes this file.

   With tau = (n, m) and A(kappa) = [kappa~ 0; e1~ kappa~], sigma' = -A sigma is the equilibrium of section
   forces along the element. The energy E = h max over tau of tau.eps - tau'S tau/2 - c/2 (A tau)'S A tau, c =
   h^2/12, is that of forces which vary linearly so: tau = (S + c A'S A)^-1 eps, and dE = h s.d(xi) with s =
   tau - c (0, n x b1 + m x b2), b = S A tau. */
#ifndef SN_ELEMENT_BEAM3D_GE_STRAIN_H
#define SN_ELEMENT_BEAM3D_GE_STRAIN_H

#include "element/beam3d_ge.h"

typedef struct strain {
    double kappa[3], eps[6];
    double B[36], F[36]; /* S A; S + c A'S A = F D F', F with ones, and 1/D, on its diagonal */
    double tau[6], b[6], s[6];
} strain;

/* y = A x */
static INLINE void couple(const double *kappa, const double *x, double *y)
{
    sn_cross3(kappa, x, y);
    sn_cross3(kappa, x + 3, y + 3);
    y[4] -= x[2];
    y[5] += x[1];
}

/* y = A'x */
static INLINE void couple_transposed(const double *kappa, const double *x, double *y)
{
    sn_cross3(x, kappa, y);
    sn_cross3(x + 3, kappa, y + 3);
    y[1] += x[5];
    y[2] -= x[4];
}

static INLINE void mul6(const double *A, const double *x, double *y)
{
    for (int i = 0; i < 6; i++) {
        y[i] = 0;
        for (int j = 0; j < 6; j++) y[i] += A[6 * i + j] * x[j];
    }
}

static INLINE double dot6(const double *x, const double *y) { return sn_dot3(x, y) + sn_dot3(x + 3, y + 3); }

/* y += f (0, n x b1 + m x b2) */
static INLINE void add_turned_forces(double f, const double *tau, const double *b, double *y)
{
    double x[3], z[3];
    sn_cross3(tau, b, x);
    sn_cross3(tau + 3, b + 3, z);
    for (int i = 0; i < 3; i++) y[3 + i] += f * (x[i] + z[i]);
}

/* B = S A: rows of S times A are A'(row) */
static INLINE void coupled_compliance(const constants *c, strain *e)
{
    if (c->plain != 0) { /* S diagonal */
        const double *k = e->kappa, *S = c->S;
        memset(e->B, 0, sizeof e->B);
        for (int i = 0; i < 6; i += 3) {
            double *B = e->B + 7 * i;
            B[1] = -S[7 * i] * k[2], B[2] = S[7 * i] * k[1];
            B[6] = S[7 * i + 7] * k[2], B[8] = -S[7 * i + 7] * k[0];
            B[12] = -S[7 * i + 14] * k[1], B[13] = S[7 * i + 14] * k[0];
        }
        e->B[26] = -S[28], e->B[31] = S[35];
        return;
    }
    for (int i = 0; i < 6; i++) couple_transposed(e->kappa, c->S + 6 * i, e->B + 6 * i);
}

/* F of M = S + c A'B */
static INLINE sn_status factor(const constants *c, strain *e)
{
    double column[6], y[6], *F = e->F;
    for (int j = 0; j < 6; j++) {
        for (int i = 0; i < 6; i++) column[i] = e->B[6 * i + j];
        couple_transposed(e->kappa, column, y);
        for (int i = j; i < 6; i++) F[6 * i + j] = c->S[6 * i + j] + c->c * y[i];
    }
    double D[6];
    for (int j = 0; j < 6; j++) {
        double d = F[7 * j], v[6];
        for (int l = 0; l < j; l++) v[l] = F[6 * j + l] * D[l], d -= F[6 * j + l] * v[l];
        if (!(d > 0)) return SN_ERR_NUMERIC;
        for (int l = 0; l < j; l++)
            for (int i = j + 1; i < 6; i++) F[6 * i + j] -= F[6 * i + l] * v[l];
        D[j] = d;
        F[7 * j] = d = 1 / d;
        for (int i = j + 1; i < 6; i++) F[6 * i + j] *= d;
    }
    return SN_OK;
}

/* x = M^-1 x */
static INLINE void solve(const double *F, double *x)
{
    for (int i = 1; i < 6; i++)
        for (int j = 0; j < i; j++) x[i] -= F[6 * i + j] * x[j];
    for (int i = 5; i >= 0; i--) {
        x[i] *= F[7 * i];
        for (int j = i + 1; j < 6; j++) x[i] -= F[6 * j + i] * x[j];
    }
}

/* Strain and section forces */
static INLINE sn_status stress(const motion *k, const constants *c, strain *e)
{
    const double ih = 1 / c->h;
    double y[6];
    for (int i = 0; i < 3; i++) {
        e->kappa[i] = k->psi[i] * ih;
        e->eps[i] = k->U[i] * ih - (i == 0);
        e->eps[3 + i] = e->kappa[i] - c->kappa0[i];
    }
    coupled_compliance(c, e);
    SN_TRY(factor(c, e));
    memcpy(e->tau, e->eps, sizeof e->tau);
    solve(e->F, e->tau);
    couple(e->kappa, e->tau, y);
    mul6(c->S, y, e->b);
    memcpy(e->s, e->tau, sizeof e->s);
    add_turned_forces(-c->c, e->tau, e->b, e->s);
    return SN_OK;
}

/* The lower three rows of P = 1 - c D'S A - c N; the upper ones are those of 1. ds = P M^-1 (d(eps) - c ..)
 */
static INLINE void lower_rows(const constants *c, const strain *e, double *P)
{
    const double *n = e->tau, *m = e->tau + 3, *b = e->b, *B = e->B;
    for (int j = 0; j < 6; j++) {
        P[j] = -c->c * (n[1] * B[12 + j] - n[2] * B[6 + j] + m[1] * B[30 + j] - m[2] * B[24 + j]);
        P[6 + j] = -c->c * (n[2] * B[j] - n[0] * B[12 + j] + m[2] * B[18 + j] - m[0] * B[30 + j]);
        P[12 + j] = -c->c * (n[0] * B[6 + j] - n[1] * B[j] + m[0] * B[24 + j] - m[1] * B[18 + j]);
    }
    for (int l = 0; l < 6; l += 3) { /* c b~ */
        P[l + 1] -= c->c * b[l + 2], P[l + 2] += c->c * b[l + 1];
        P[6 + l] += c->c * b[l + 2], P[6 + l + 2] -= c->c * b[l];
        P[12 + l] -= c->c * b[l + 1], P[12 + l + 1] += c->c * b[l];
    }
    for (int i = 0; i < 3; i++) P[7 * i + 3] += 1;
}

/* y = P x */
static INLINE void lower_times(const double *P, const double *x, double *y)
{
    for (int i = 0; i < 3; i++) y[i] = x[i], y[3 + i] = dot6(P + 6 * i, x);
}

/* H: derivative of s by xi, P M^-1 P' - c D'S D with D = [0 -n~; 0 -m~] */
static INLINE void stiffness(const constants *c, const strain *e, double *H)
{
    double P[18], Q[36], X[36], D[18];
    lower_rows(c, e, P);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) Q[6 * i + j] = j < 3 ? i == j : P[6 * (j - 3) + i];
    /* six right-hand sides at once */
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < i; j++)
            for (int l = 0; l < 6; l++) Q[6 * i + l] -= e->F[6 * i + j] * Q[6 * j + l];
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            X[6 * i + j] = 0;
            for (int l = 0; l < 6; l++) X[6 * i + j] += Q[6 * l + i] * e->F[7 * l] * Q[6 * l + j];
        }
    memcpy(H, X, sizeof X);
    /* D'S D of the curvatures: rows D'(S D) */
    for (int i = 0; i < 6; i++) {
        double x[3], y[3];
        sn_cross3(c->S + 6 * i, e->tau, x);
        sn_cross3(c->S + 6 * i + 3, e->tau + 3, y);
        for (int j = 0; j < 3; j++) D[3 * i + j] = -x[j] - y[j];
    }
    for (int j = 0; j < 3; j++) {
        const double a[3] = {D[j], D[3 + j], D[6 + j]}, b[3] = {D[9 + j], D[12 + j], D[15 + j]};
        double x[3], y[3];
        sn_cross3(e->tau, a, x);
        sn_cross3(e->tau + 3, b, y);
        for (int i = 0; i < 3; i++) H[6 * (3 + i) + 3 + j] -= c->c * (x[i] + y[i]);
    }
}

/* (dM) x for a change of curvature and of c */
static inline void compliance_change(const constants *c, const strain *e, const double *dkappa, double dc,
                                     const double *x, double *y)
{
    double a[6], b[6], t[6], w[6];
    /* A'S A x dc + c (dA'S A x + A'S dA x) */
    couple(e->kappa, x, a);
    mul6(c->S, a, b);
    couple_transposed(e->kappa, b, y);
    for (int i = 0; i < 6; i++) y[i] *= dc;
    sn_cross3(b, dkappa, t);
    sn_cross3(b + 3, dkappa, t + 3);
    sn_cross3(dkappa, x, a);
    sn_cross3(dkappa, x + 3, a + 3);
    mul6(c->S, a, b);
    couple_transposed(e->kappa, b, w);
    for (int i = 0; i < 6; i++) y[i] += c->c * (t[i] + w[i]);
}

/* ds by the constants' change dc at the same xi, and of reference curvature */
static inline void stress_change(const constants *c, const constants *dc, const strain *e, double *ds)
{
    const double still[3] = {0, 0, 0};
    double P[18], dtau[6], x[6], y[6], z[6], w[6];
    /* M dtau = -dkappa0 - (dS + dc A'S A + c A'dS A) tau */
    compliance_change(c, e, still, dc->c, e->tau, y);
    mul6(dc->S, e->tau, x);
    couple(e->kappa, e->tau, z);
    mul6(dc->S, z, w);
    couple_transposed(e->kappa, w, z);
    for (int i = 0; i < 6; i++) dtau[i] = -x[i] - y[i] - c->c * z[i] - (i > 2 ? dc->kappa0[i - 3] : 0);
    solve(e->F, dtau);
    lower_rows(c, e, P);
    lower_times(P, dtau, ds);
    add_turned_forces(-dc->c, e->tau, e->b, ds);
    add_turned_forces(-c->c, e->tau, w, ds);
}

#endif
