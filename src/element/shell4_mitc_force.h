/* Residual of shell4_mitc, all nodes at once. Only shell4_mitc.c includes this file.

   With the stresses s = C e collected as G_xx, G_xd (symmetric 7 x 7 in the modes, W = v'G v/2 where s is
   held), forces of the modes are G v; nodes get them by signs, and their moments are D x R'f_d. */
#ifndef SN_ELEMENT_SHELL4_MITC_FORCE_H
#define SN_ELEMENT_SHELL4_MITC_FORCE_H

#include "element/shell4_mitc.h"

/* Share of its inertia that a director has not about itself */
static const double slender = 0.99;

/* G: xx[b] lanes a of x_a, x_b; dx[a] lanes b of x_a, d_b; xd[b] its transpose; dd: d_0, d_0 */
typedef struct weights {
    quad xx[3], xd[4], dx[3];
    double dd, sigma;
} weights;

/* Forces on the middle surface and the directors, moments in body axes */
typedef struct forces {
    double s[STRAINS];
    weights G;
    quad X[3], D[3]; /* of the modes */
    quad y[3], d[3], m[3];
    quad sg, Xr[3], Xs[3]; /* drill: Q psi, R'x_r, R'x_s */
} forces;

/* y = A x for a symmetric A of six rows padded to eight */
static INLINE void times6(const double (*A)[8], const double *x, quad *y)
{
    for (int j = 0; j < 6; j++)
        for (int h = 0; h < 2; h++) y[h] += get(A[j] + 4 * h) * all(x[j]);
}

/* s = C e */
static INLINE void stress(const constants *c, const double *e, double *s)
{
    quad m[2] = {{0}}, b[2] = {{0}}, g = {0};
    times6(c->Cm, e + MEM, m);
    times6(c->Cb, e + BEND, b);
    if (c->coupled != 0) {
        times6(c->Cbm, e + BEND, m);
        times6(c->Cmb, e + MEM, b);
    }
    for (int j = 0; j < 4; j++) g += get(c->Cg[j]) * all(e[SHEAR + j]);
    for (int h = 0; h < 2; h++) *(quad *)(s + MEM + 4 * h) = m[h], *(quad *)(s + BEND + 4 * h) = b[h];
    *(quad *)(s + SHEAR) = g;
}

static INLINE void weigh(const motion *k, const double *s, weights *G)
{
    const double *m = s + MEM, *g = s + SHEAR, f = k->f;
    double b[6], sum = 0;
    for (int i = 0; i < 6; i++) b[i] = f * s[BEND + i], sum += s[BEND + i] * k->b[i];
    G->xx[0] = (quad){m[0], m[2], m[3], 0};
    G->xx[1] = (quad){m[2], m[1], m[4], 0};
    G->xx[2] = (quad){m[3], m[4], m[5], 0};
    G->dx[0] = (quad){b[0], b[2] + g[1], b[3], g[0]};
    G->dx[1] = (quad){b[2] + g[3], b[1], b[4], g[2]};
    G->dx[2] = (quad){b[3] + g[2], b[4] + g[0], b[5], g[1] + g[3]};
    quad t[4] = {G->dx[0], G->dx[1], G->dx[2], {0}};
    sn_quad_transpose(t);
    for (int i = 0; i < 4; i++) G->xd[i] = t[i];
    G->sigma = sum;
    G->dd = k->f1 * sum;
}

/* Forces of the modes: G v */
static INLINE void mode_forces(const motion *k, const weights *G, quad *X, quad *D)
{
    for (int l = 0; l < 3; l++) {
        const quad x = k->X[l], d = k->D[l];
        X[l] = G->xx[0] * all(x[0]) + G->xx[1] * all(x[1]) + G->xx[2] * all(x[2]);
        X[l] += G->xd[0] * all(d[0]) + G->xd[1] * all(d[1]) + G->xd[2] * all(d[2]) + G->xd[3] * all(d[3]);
        D[l] = G->dx[0] * all(x[0]) + G->dx[1] * all(x[1]) + G->dx[2] * all(x[2]);
        D[l] += (quad){0, 0, 0, G->dd} * d;
    }
}

static INLINE double sum4(quad x) { return (x[0] + x[1]) + (x[2] + x[3]); }

/* psi_i = x_r.R u + x_s.R w, forces Q (psi + more) on x_r, x_s, moments on the nodes */
static INLINE void drill(const constants *c, motion *k, const quad *more, forces *t)
{
    quad u[3], w[3], xr[3], xs[3], su[3], sw[3];
    load3(c->u, u), load3(c->w, w);
    mul4(k->R, u, k->U), mul4(k->R, w, k->W);
    k->psi = all(0), t->sg = all(0);
    for (int l = 0; l < 3; l++) {
        xr[l] = all(k->X[l][0]), xs[l] = all(k->X[l][1]);
        k->psi += xr[l] * k->U[l] + xs[l] * k->W[l];
    }
    if (more) k->psi += *more;
    for (int i = 0; i < 4; i++) t->sg += get(c->Q[i]) * all(k->psi[i]);
    for (int l = 0; l < 3; l++) {
        t->X[l] += (quad){sum4(t->sg * k->U[l]), sum4(t->sg * k->W[l]), 0, 0};
        su[l] = t->sg * u[l], sw[l] = t->sg * w[l];
    }
    tmul4(k->R, xr, t->Xr), tmul4(k->R, xs, t->Xs);
    add_cross4(su, t->Xr, t->m);
    add_cross4(sw, t->Xs, t->m);
}

/* m += a x R'f for vectors a of the bodies */
static INLINE void add_moment(const motion *k, const double (*a)[4], const quad *f, quad *m)
{
    quad x[3], g[3];
    load3(a, x);
    tmul4(k->R, f, g);
    add_cross4(x, g, m);
}

/* Forces of the strains k->e; more: what is added to psi, or NULL */
static INLINE void elastic(const constants *c, motion *k, const quad *more, forces *t)
{
    stress(c, k->e, t->s);
    weigh(k, t->s, &t->G);
    mode_forces(k, &t->G, t->X, t->D);
    for (int l = 0; l < 3; l++) t->m[l] = all(0);
    if (c->Q[0][0] != 0) drill(c, k, more, t);
    for (int l = 0; l < 3; l++) t->y[l] = nodes(t->X[l]), t->d[l] = nodes(t->D[l]);
    add_moment(k, c->D, t->d, t->m);
}

/* What the arms add to the acceleration of the middle surface: al x o + om x (om x o), in body axes */
static INLINE void arm_acceleration(const constants *c, const quad *om, const quad *al, quad *z)
{
    quad o[3], v[3] = {{0}};
    load3(c->o, o);
    z[0] = z[1] = z[2] = all(0);
    add_cross4(om, o, v);
    add_cross4(om, v, z);
    add_cross4(al, o, z);
}

/* f += m (a - g); m += J al + om x J om, J = j (1 - 0.99 D D') */
static INLINE void inertia(const sn_in *in, const constants *c, const motion *k, quad *f, quad *m)
{
    quad a[3], al[3], om[3], D[3], z[3];
    gather3(in->a, 6, a), gather3(in->a + 3, 6, al), gather3(in->v + 3, 6, om);
    load3(c->D, D);
    for (int l = 0; l < 3; l++) a[l] -= all(in->g[l]);
    if (c->arms != 0) {
        quad Z[3];
        arm_acceleration(c, om, al, z);
        mul4(k->R, z, Z);
        for (int l = 0; l < 3; l++) a[l] += Z[l];
    }
    for (int l = 0; l < 3; l++)
        for (int i = 0; i < 4; i++) f[l] += get(c->m[i]) * all(a[l][i]);
    const quad j = get(c->j), da = D[0] * al[0] + D[1] * al[1] + D[2] * al[2],
               dw = D[0] * om[0] + D[1] * om[1] + D[2] * om[2], s = j * dw * all(slender);
    for (int l = 0; l < 3; l++) m[l] += j * (al[l] - all(slender) * da * D[l]), z[l] = s * D[l];
    add_cross4(z, om, m);
}

/* r += y, m in node order */
static INLINE void scatter(const quad *y, const quad *m, double *r)
{
    quad t[4] = {y[0], y[1], y[2], m[0]};
    sn_quad_transpose(t);
    for (int i = 0; i < 4; i++, r += 6) {
        *(quad *)r += t[i];
        r[4] += m[1][i], r[5] += m[2][i];
    }
}

/* The residual of the strains k->e */
static INLINE void forces_of(const sn_in *in, motion *k, const quad *more, forces *t, double *r)
{
    const constants *c = (const constants *)in->c;
    quad f[3], m[3];
    elastic(c, k, more, t);
    for (int l = 0; l < 3; l++) f[l] = t->y[l], m[l] = t->m[l];
    inertia(in, c, k, f, m);
    if (c->arms != 0) add_moment(k, c->o, f, m);
    scatter(f, m, r);
}

static INLINE void residual(const sn_in *in, motion *k, forces *t, double *r)
{
    move(in, (const constants *)in->c, k);
    forces_of(in, k, NULL, t, r);
}

#endif
