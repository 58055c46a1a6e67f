/* Damping of shell4_mitc. Only shell4_mitc.c includes this file.

   Stresses are those of e + d de/dt, and of psi + d dpsi/dt. As strains are dots of modes z, their rates are
   dots of z and dz/dt, where dz/dt comes from the velocities v and from R (om x a) for vectors a of the
   bodies. With B = de/dq, P = d(de/dt)/dq:  C = d B'C B, and K gets d B'C P. B and P have the same form: P
   has dz/dt in the place of z, and om x a in that of a. */
#ifndef SN_ELEMENT_SHELL4_MITC_DAMP_H
#define SN_ELEMENT_SHELL4_MITC_DAMP_H

#include "element/shell4_mitc_arms.h"

enum { DAMPED = ROWS + 4 }; /* rows: strains, psi */

/* Velocities of the modes; om x a of the vectors of the bodies, and R (om x a) of the drill's; rates of the
   strains, of the bending strains without the roll factor, of d_0.d_0/2 and of psi */
typedef struct rates {
    quad X[3], D[3], Dw[3], ow[3], uw[3], ww[3], U[3], W[3], psi;
    double e[STRAINS], b[6], h;
} rates;

/* w = om x a, y = R w */
static INLINE void turning(const motion *k, const quad *om, const double (*a)[4], quad *w, quad *y)
{
    quad x[3];
    load3(a, x);
    w[0] = w[1] = w[2] = all(0);
    add_cross4(om, x, w);
    mul4(k->R, w, y);
}

static INLINE void drill_rates(const constants *c, const quad *om, motion *k, rates *w)
{
    quad u[3];
    turning(k, om, c->u, w->uw, w->U), turning(k, om, c->w, w->ww, w->W);
    load3(c->u, u), mul4(k->R, u, k->U);
    load3(c->w, u), mul4(k->R, u, k->W);
    w->psi = all(0);
    for (int l = 0; l < 3; l++) {
        w->psi += all(w->X[l][0]) * k->U[l] + all(w->X[l][1]) * k->W[l];
        w->psi += all(k->X[l][0]) * w->U[l] + all(k->X[l][1]) * w->W[l];
    }
}

static INLINE void rates_of(const sn_in *in, const constants *c, motion *k, rates *w)
{
    quad y[3], d[3], o[3], om[3];
    motion p;
    gather3(in->v, 6, y), gather3(in->v + 3, 6, om);
    turning(k, om, c->D, w->Dw, d), turning(k, om, c->o, w->ow, o);
    for (int l = 0; l < 3; l++) w->X[l] = modes(y[l] + o[l]), w->D[l] = modes(d[l]);
    w->h = 0;
    for (int a = 0; a < 3; a++) {
        p.S[a] = p.T[a] = all(0);
        for (int l = 0; l < 3; l++) {
            p.S[a] += all(k->X[l][a]) * w->X[l] + all(w->X[l][a]) * k->X[l];
            p.T[a] += all(k->X[l][a]) * w->D[l] + all(w->X[l][a]) * k->D[l];
        }
        w->h += k->D[a][3] * w->D[a][3];
    }
    strains(&p);
    memcpy(w->e, p.e, sizeof p.e), memcpy(w->b, p.b, sizeof p.b);
    for (int i = 0; i < 6; i++) w->e[BEND + i] = k->f * w->b[i] + k->f1 * w->h * k->b[i];
    drill_rates(c, om, k, w);
}

/* The factor f of the bending strains, of which B is without and P has the rates without */
static INLINE void roll_rows(const motion *k, const rates *w, const levers *v, const levers *dv, quad (*B)[6],
                             quad (*P)[6])
{
    for (int i = 0; i < 6; i++, B++, P++) {
        const quad by_h = all(k->f1 * w->b[i] + k->f2 * w->h * k->b[i]), b = all(k->f1 * k->b[i]);
        for (int l = 0; l < 6; l++)
            P[0][l] = all(k->f) * P[0][l] + all(k->f1 * w->h) * B[0][l], B[0][l] *= all(k->f);
        for (int l = 0; l < 3; l++) {
            P[0][3 + l] += by_h * v->d0[l] + b * dv->d0[l];
            B[0][3 + l] += b * v->d0[l];
        }
    }
}

/* Rows of psi for x_r, x_s in X and R u, R w in U, W; own: what the turns of the own node do */
static INLINE void psi_rows(const quad *U, const quad *W, const quad *own, quad (*B)[6])
{
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < 3; l++) {
            B[i][l] = sign_of(0) * all(U[l][i]) + sign_of(1) * all(W[l][i]);
            B[i][3 + l] = all(0);
            B[i][3 + l][i] = own[l][i];
        }
}

static INLINE void drill_damping(const constants *c, const motion *k, const rates *w, quad (*B)[6],
                                 quad (*P)[6])
{
    quad x[4][3], turned[4][3], u[3], a[3], own[3], rate[3];
    for (int l = 0; l < 3; l++) {
        x[0][l] = all(k->X[l][0]), x[1][l] = all(k->X[l][1]);
        x[2][l] = all(w->X[l][0]), x[3][l] = all(w->X[l][1]);
        own[l] = rate[l] = all(0);
    }
    for (int i = 0; i < 4; i++) tmul4(k->R, x[i], turned[i]);
    load3(c->u, u), load3(c->w, a);
    add_cross4(u, turned[0], own), add_cross4(a, turned[1], own);
    add_cross4(u, turned[2], rate), add_cross4(a, turned[3], rate);
    add_cross4(w->uw, turned[0], rate), add_cross4(w->ww, turned[1], rate);
    psi_rows(k->U, k->W, own, B);
    psi_rows(w->U, w->W, rate, P);
}

/* B, P by the turns of the nodes through their arms */
static INLINE void arm_rates(const constants *c, const motion *k, const rates *w, quad (*B)[6], quad (*P)[6])
{
    quad o[3], b[3], p[3];
    load3(c->o, o);
    for (int i = 0; i < DAMPED; i++) {
        tmul4(k->R, B[i], b), tmul4(k->R, P[i], p);
        add_cross4(o, p, P[i] + 3), add_cross4(w->ow, b, P[i] + 3);
        add_cross4(o, b, B[i] + 3);
    }
}

static INLINE void damped_rows(const constants *c, const motion *k, const rates *w, quad (*B)[6],
                               quad (*P)[6])
{
    levers v, dv;
    motion rate = *k;
    quad x[3], y[3];
    memcpy(rate.X, w->X, sizeof w->X), memcpy(rate.D, w->D, sizeof w->D);
    make_levers(c, k, &v), make_levers(c, &rate, &dv);
    for (int a = 0; a < 4; a++) {
        for (int l = 0; l < 3; l++) x[l] = all(a < 3 ? k->X[l][a] : k->D[l][3]);
        tmul4(k->R, x, y);
        add_cross4(w->Dw, y, a < 3 ? dv.A[a] : dv.d0);
    }
    strain_rows_of(k, &v, B), strain_rows_of(&rate, &dv, P);
    roll_rows(k, w, &v, &dv, B + ROW_B, P + ROW_B);
    drill_damping(c, k, w, B + ROWS, P + ROWS);
    if (c->arms != 0) arm_rates(c, k, w, B, P);
}

static INLINE void in_node_order(quad (*B)[6], double (*x)[NV])
{
    for (int i = 0; i < DAMPED; i++)
        for (int l = 0; l < 6; l++)
            for (int j = 0; j < 4; j++) x[i][6 * j + l] = B[i][l][j];
}

/* W = d C B, and d Q B of psi */
static INLINE void damped_stresses(const constants *c, double d, double (*B)[NV], double (*W)[NV])
{
    double A[DAMPED][DAMPED] = {{0}};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            A[i][j] = c->Cm[i][j], A[ROW_B + i][ROW_B + j] = c->Cb[i][j];
            A[i][ROW_B + j] = A[ROW_B + j][i] = c->Cmb[i][j];
        }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) A[ROW_G + i][ROW_G + j] = c->Cg[i][j], A[ROWS + i][ROWS + j] = c->Q[i][j];
    memset(W, 0, DAMPED * sizeof *W);
    for (int i = 0; i < DAMPED; i++)
        for (int j = 0; j < DAMPED; j++)
            for (int l = 0; l < NV && A[i][j] != 0; l++) W[i][l] += d * A[i][j] * B[j][l];
}

static SN_SIMD void damping_tangent(const sn_in *in, const motion *k, const rates *w, double *K, double *C)
{
    const constants *c = (const constants *)in->c;
    quad B[DAMPED][6], P[DAMPED][6];
    double b[DAMPED][NV], p[DAMPED][NV], s[DAMPED][NV];
    damped_rows(c, k, w, B, P);
    in_node_order(B, b), in_node_order(P, p);
    damped_stresses(c, in->s[SHELL_DAMPING], b, s);
    shell_add_damping(DAMPED, NV, s[0], b[0], in->material ? NULL : p[0], K, C);
}

#endif
