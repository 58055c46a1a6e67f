/* Tangent of shell4_mitc. Only shell4_mitc.c includes this file.

   K = B'C B + G and what the drill, the roll factor and the second variation of the directors add. Rows B of
   strains are formed by node at once (quads over the nodes, for x, y, z and the three turns), so that B'(C B)
   is a product of dense rows; of its six by six blocks those above the diagonal are formed. */
#ifndef SN_ELEMENT_SHELL4_MITC_TANGENT_H
#define SN_ELEMENT_SHELL4_MITC_TANGENT_H

#include "element/shell4_mitc_force.h"

/* Rows of P'Q: membrane, bending, shear, drill, and three of roll */
enum { ROW_B = 6, ROW_G = 12, ROW_DRILL = 16, ROW_ROLL = 20, ROW_D0 = 22, ROWS = 25 };

typedef struct rows {
    quad P[ROWS][6], Q[ROWS][6];
} rows;

typedef quad blocks[6][4][6]; /* row (c, i): component c of node i; columns: component c', quads over nodes */

static INLINE quad sign_of(int mode)
{
    return mode == 0   ? (quad){-1, 1, 1, -1}
           : mode == 1 ? (quad){-1, -1, 1, 1}
           : mode == 2 ? (quad){1, -1, 1, -1}
                       : all(1);
}

/* What the strains' derivatives consist of: D x R'x_a and D x R'd_0, in body axes; L = -R D~ */
typedef struct levers {
    quad A[3][3], d0[3], L[9];
} levers;

static INLINE void make_levers(const constants *c, const motion *k, levers *v)
{
    quad D[3], x[3];
    load3(c->D, D);
    for (int a = 0; a < 4; a++) {
        quad *y = a < 3 ? v->A[a] : v->d0;
        for (int l = 0; l < 3; l++) x[l] = all(a < 3 ? k->X[l][a] : k->D[l][3]), y[l] = all(0);
        add_moment(k, c->D, x, y);
    }
    for (int l = 0; l < 3; l++) {
        const quad *R = k->R + 3 * l;
        v->L[3 * l] = R[2] * D[1] - R[1] * D[2];
        v->L[3 * l + 1] = R[0] * D[2] - R[2] * D[0];
        v->L[3 * l + 2] = R[1] * D[0] - R[0] * D[1];
    }
}

/* P += the derivative of x_a.d_b, x_a.x_b */
static INLINE void by_xd(const motion *k, const levers *v, int a, int b, quad *P)
{
    for (int l = 0; l < 3; l++) {
        P[l] += sign_of(a) * all(k->D[l][b]);
        P[3 + l] += sign_of(b) * v->A[a][l];
    }
}
static INLINE void by_xx(const motion *k, int a, int b, quad *P)
{
    for (int l = 0; l < 3; l++) {
        P[l] += sign_of(a) * all(k->X[l][b]);
        if (a != b) P[l] += sign_of(b) * all(k->X[l][a]);
    }
}

static INLINE void strain_rows_of(const motion *k, const levers *v, quad (*P)[6])
{
    for (int i = 0; i < ROW_DRILL; i++)
        for (int l = 0; l < 6; l++) P[i][l] = all(0);
    by_xx(k, 0, 0, P[0]), by_xx(k, 1, 1, P[1]), by_xx(k, 0, 1, P[2]);
    by_xx(k, 0, 2, P[3]), by_xx(k, 1, 2, P[4]), by_xx(k, 2, 2, P[5]);
    by_xd(k, v, 0, 0, P[6]), by_xd(k, v, 1, 1, P[7]), by_xd(k, v, 2, 2, P[11]);
    by_xd(k, v, 0, 1, P[8]), by_xd(k, v, 1, 0, P[8]);
    by_xd(k, v, 0, 2, P[9]), by_xd(k, v, 2, 0, P[9]);
    by_xd(k, v, 1, 2, P[10]), by_xd(k, v, 2, 1, P[10]);
    by_xd(k, v, 0, 3, P[12]), by_xd(k, v, 2, 1, P[12]);
    by_xd(k, v, 0, 1, P[13]), by_xd(k, v, 2, 3, P[13]);
    by_xd(k, v, 1, 3, P[14]), by_xd(k, v, 2, 0, P[14]);
    by_xd(k, v, 1, 0, P[15]), by_xd(k, v, 2, 3, P[15]);
}

/* The factor f of the bending strains: f B + f1 b d0', and f1 (F d0' + d0 F') + f2 sigma d0 d0' +
   f1 sigma (dd0)'(dd0), F = sum s_b B */
static INLINE void roll_rows(const motion *k, const forces *t, const levers *v, int material, rows *w)
{
    quad F[6];
    const double geometric = material ? 0 : 1, f1 = geometric * k->f1;
    for (int l = 0; l < 6; l++) {
        F[l] = all(0);
        for (int i = 0; i < 6; i++) F[l] += all(t->s[BEND + i]) * w->P[ROW_B + i][l];
    }
    for (int i = 0; i < 6; i++)
        for (int l = 0; l < 6; l++) {
            w->P[ROW_B + i][l] *= all(k->f);
            if (l > 2) w->P[ROW_B + i][l] += all(k->f1 * k->b[i]) * v->d0[l - 3];
        }
    for (int l = 0; l < 3; l++) {
        w->P[ROW_ROLL][l] = F[l], w->P[ROW_ROLL][3 + l] = F[3 + l];
        w->P[ROW_ROLL + 1][l] = w->Q[ROW_ROLL][l] = w->Q[ROW_ROLL + 1][l] = all(0);
        w->P[ROW_ROLL + 1][3 + l] = v->d0[l];
        w->Q[ROW_ROLL][3 + l] = all(f1) * v->d0[l];
        w->Q[ROW_ROLL + 1][3 + l] = all(f1) * F[3 + l] + all(geometric * k->f2 * t->G.sigma) * v->d0[l];
        for (int c = 0; c < 3; c++) {
            w->P[ROW_D0 + c][3 + l] = v->L[3 * c + l];
            w->Q[ROW_D0 + c][3 + l] = all(f1 * t->G.sigma) * v->L[3 * c + l];
        }
    }
}

/* Q = C P, the first `to` columns */
static INLINE void times_rows(int n, const double *C, int stride, quad (*P)[6], int to, quad (*Q)[6])
{
    for (int i = 0; i < n; i++)
        for (int l = 0; l < to; l++) {
            quad sum = all(C[stride * i]) * P[0][l];
            for (int j = 1; j < n; j++) sum += all(C[stride * i + j]) * P[j][l];
            Q[i][l] = sum;
        }
}

static INLINE void add_times_rows(const double (*C)[8], quad (*P)[6], int to, quad (*Q)[6])
{
    for (int i = 0; i < 6; i++)
        for (int l = 0; l < to; l++)
            for (int j = 0; j < 6; j++) Q[i][l] += all(C[i][j]) * P[j][l];
}

static INLINE void drill_rows(const constants *c, const motion *k, const forces *t, rows *w)
{
    quad th[3] = {{0}}, u[3], a[3];
    load3(c->u, u), load3(c->w, a);
    add_cross4(u, t->Xr, th), add_cross4(a, t->Xs, th);
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < 3; l++) {
            const quad e = {i == 0, i == 1, i == 2, i == 3};
            w->P[ROW_DRILL + i][l] = sign_of(0) * all(k->U[l][i]) + sign_of(1) * all(k->W[l][i]);
            w->P[ROW_DRILL + i][3 + l] = e * th[l];
            w->Q[ROW_DRILL + i][3 + l] = get(c->Q[i]) * th[l];
        }
    times_rows(4, c->Q[0], 4, w->P + ROW_DRILL, 3, w->Q + ROW_DRILL);
}

/* Q = C P */
static INLINE void stress_rows(const constants *c, rows *w)
{
    times_rows(6, c->Cm[0], 8, w->P, 3, w->Q);
    times_rows(6, c->Cb[0], 8, w->P + ROW_B, 6, w->Q + ROW_B);
    times_rows(4, c->Cg[0], 4, w->P + ROW_G, 6, w->Q + ROW_G);
    if (c->coupled == 0) return;
    for (int i = 0; i < 6; i++)
        for (int l = 3; l < 6; l++) w->Q[i][l] = all(0);
    add_times_rows(c->Cmb, w->P + ROW_B, 6, w->Q);
    add_times_rows(c->Cbm, w->P, 3, w->Q + ROW_B);
}

/* Row i of the sum over k of P_k (x) Q_k, components `from` to `to`; p: number i of the first P_k */
static INLINE void add_row(const rows *w, int k0, int k1, const double *p, int from, int to, quad *acc)
{
    for (int k = k0; k < k1; k++) {
        const quad x = all(p[24 * k]);
        for (int l = from; l < to; l++) acc[l] += x * w->Q[k][l];
    }
}

static INLINE void products(const constants *c, const rows *w, int last, blocks K)
{
    const int first = c->coupled != 0 ? 0 : ROW_B;
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < 6; l++) {
            const double *p = (const double *)&w->P[0][l] + i;
            quad acc[6] = {{0}};
            if (l < 3) {
                add_row(w, 0, ROW_ROLL, p, l, 3, acc);
                add_row(w, first, last > ROW_ROLL ? ROW_ROLL + 1 : ROW_ROLL, p, 3, 6, acc);
            } else {
                add_row(w, ROW_B, last, p, l, 6, acc);
            }
            for (int m = l; m < 6; m++) K[l][i][m] = acc[m];
        }
}

/* Four rows of the nodes from three of the modes: H x */
static INLINE void by_nodes(const quad *x, quad *y)
{
    const quad r = nodes(x[0]), s = nodes(x[1]), d = nodes(x[2]);
    y[0] = d - r - s, y[1] = r - s - d, y[2] = r + s + d, y[3] = s - r - d;
}

/* G, and the turns of u and w with x_r and x_s */
static INLINE void geometric(const constants *c, const motion *k, const forces *t, const levers *v, blocks K)
{
    quad g[4], h[4], u[3], w[3];
    by_nodes(t->G.xx, g), by_nodes(t->G.dx, h);
    for (int l = 0; l < 3; l++)
        for (int i = 0; i < 4; i++) {
            K[l][i][l] += g[i];
            for (int m = 0; m < 3; m++) K[l][i][3 + m] += h[i] * v->L[3 * l + m];
        }
    if (c->Q[0][0] == 0) return;
    load3(c->u, u), load3(c->w, w);
    for (int m = 0; m < 3; m++) u[m] *= t->sg, w[m] *= t->sg;
    for (int l = 0; l < 3; l++)
        for (int m = 0; m < 3; m++) {
            const int a = (m + 1) % 3, b = (m + 2) % 3;
            const quad *R = k->R + 3 * l, U = R[b] * u[a] - R[a] * u[b], W = R[b] * w[a] - R[a] * w[b];
            const quad same = U + W, differ = U - W;
            K[l][0][3 + m] -= same, K[l][1][3 + m] += differ;
            K[l][2][3 + m] += same, K[l][3][3 + m] -= differ;
        }
}

/* a~ g~ = g a' - a.g 1 */
static INLINE void add_own(const quad *a, const quad *g, quad *own)
{
    const quad s = a[0] * g[0] + a[1] * g[1] + a[2] * g[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) own[3 * i + j] += i == j ? g[i] * a[j] - s : g[i] * a[j];
}

/* Second variations of what turns with one node */
static INLINE void own_blocks(const constants *c, const motion *k, const forces *t, quad *own)
{
    quad D[3], g[3], u[3], w[3];
    for (int i = 0; i < 9; i++) own[i] = all(0);
    load3(c->D, D);
    tmul4(k->R, t->d, g);
    add_own(D, g, own);
    if (c->Q[0][0] == 0) return;
    load3(c->u, u), load3(c->w, w);
    for (int l = 0; l < 3; l++) u[l] *= t->sg, w[l] *= t->sg;
    add_own(u, t->Xr, own), add_own(w, t->Xs, own);
}

static INLINE void mirror(blocks K)
{
    for (int l = 0; l < 6; l++)
        for (int m = 0; m < l; m++) {
            quad t[4] = {K[m][0][l], K[m][1][l], K[m][2][l], K[m][3][l]};
            sn_quad_transpose(t);
            for (int i = 0; i < 4; i++) K[l][i][m] = t[i];
        }
}

/* K += the blocks, in node order */
static INLINE void scatter_blocks(blocks B, double *K)
{
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < 6; l++) {
            double *row = K + NV * (6 * i + l);
            const quad *b = B[l][i];
            quad t[4] = {b[0], b[1], b[2], b[3]};
            sn_quad_transpose(t);
            for (int j = 0; j < 4; j++) {
                *(quad *)(row + 6 * j) += t[j];
                row[6 * j + 4] += b[4][j], row[6 * j + 5] += b[5][j];
            }
        }
}

static INLINE void elastic_tangent(const sn_in *in, const motion *k, const forces *t, double *K)
{
    const constants *c = (const constants *)in->c;
    const int rolls = c->roll != 0, last = rolls ? ROWS : ROW_ROLL;
    rows w;
    levers v;
    blocks B;
    quad own[9];
    make_levers(c, k, &v);
    strain_rows_of(k, &v, w.P);
    if (rolls) roll_rows(k, t, &v, in->material, &w);
    stress_rows(c, &w);
    if (c->Q[0][0] != 0)
        drill_rows(c, k, t, &w);
    else
        memset(w.P + ROW_DRILL, 0, 4 * sizeof w.P[0]), memset(w.Q + ROW_DRILL, 0, 4 * sizeof w.Q[0]);
    products(c, &w, last, B);
    if (!in->material) geometric(c, k, t, &v, B);
    mirror(B);
    scatter_blocks(B, K);
    if (in->material) return;
    own_blocks(c, k, t, own);
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < 9; l++) K[(NV + 1) * (6 * i + 3) + NV * (l / 3) + l % 3] += own[l][i];
}

/* C and M of translations and directors */
static INLINE void inertia_tangent(const sn_in *in, const constants *c, double *C, double *M)
{
    for (int i = 0; i < 4; i++) {
        const double *om = in->v + 6 * i + 3, D[3] = {c->D[0][i], c->D[1][i], c->D[2][i]};
        const double s = slender * c->j[i], p = s * sn_dot3(D, om), z[3] = {p * D[0], p * D[1], p * D[2]};
        double *Ci = C + (NV + 1) * (6 * i + 3), *Mi = M + (NV + 1) * (6 * i + 3), x[3];
        for (int j = 0; j < 4; j++)
            for (int l = 0; l < 3; l++) M[NV * (6 * i + l) + 6 * j + l] += c->m[i][j];
        /* z x om with z = s D (D.om): z~ - s (om x D) D' */
        sn_cross3(om, D, x);
        for (int l = 0; l < 3; l++)
            for (int m = 0; m < 3; m++) {
                Mi[NV * l + m] += (l == m ? c->j[i] : 0) - s * D[l] * D[m];
                Ci[NV * l + m] -= s * x[l] * D[m];
            }
        Ci[1] -= z[2], Ci[2] += z[1], Ci[NV] += z[2];
        Ci[NV + 2] -= z[0], Ci[2 * NV] -= z[1], Ci[2 * NV + 1] += z[0];
    }
}

#endif
