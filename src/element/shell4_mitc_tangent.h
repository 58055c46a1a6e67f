/* Tangent of shell4_mitc. Only shell4_mitc.c includes this file.

   Columns are those of the nodes (quads over the nodes, for x, y, z and the three turns), rows at first those
   of the modes: as forces are G v, the rows of K are dG v + G dv. dG follows from ds = C de, where de are the
   rows of strains. Then rows go to the nodes, and those of directors to their turns by L = -R D~. Of the six
   by six blocks those above the diagonal are formed. */
#ifndef SN_ELEMENT_SHELL4_MITC_TANGENT_H
#define SN_ELEMENT_SHELL4_MITC_TANGENT_H

#include "element/shell4_mitc_force.h"

/* Rows of strains or stresses: membrane, bending, shear */
enum { ROW_B = 6, ROW_G = 12, ROWS = 16 };

/* de, ds; dY of x_a, d_b; derivatives of f1 sigma (by the turns) and of Q psi; forces of modes x_a and of
   directors (by the turns); psi by the own node's turn */
typedef struct rows {
    quad e[ROWS][6], s[ROWS][6], Y[3][4][6], dd[3], sg[4][6], X[3][3][6], D[4][3][3], spin[3];
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
    for (int i = 0; i < ROWS; i++)
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

/* The factor f of the bending strains: de = f B + f1 b d0'. Returns the sum of s B by the turns. */
static INLINE void roll_strains(const motion *k, const forces *t, const levers *v, rows *w, quad *F)
{
    for (int l = 0; l < 3; l++) {
        F[l] = all(0);
        for (int i = 0; i < 6; i++) F[l] += all(t->s[BEND + i]) * w->e[ROW_B + i][3 + l];
    }
    for (int i = 0; i < 6; i++)
        for (int l = 0; l < 6; l++) {
            w->e[ROW_B + i][l] *= all(k->f);
            if (l > 2) w->e[ROW_B + i][l] += all(k->f1 * k->b[i]) * v->d0[l - 3];
        }
}

/* ds = C de */
static INLINE void stress_rows(const constants *c, rows *w)
{
    times_rows(6, c->Cm[0], 8, w->e, 3, w->s);
    times_rows(6, c->Cb[0], 8, w->e + ROW_B, 6, w->s + ROW_B);
    times_rows(4, c->Cg[0], 4, w->e + ROW_G, 6, w->s + ROW_G);
    if (c->coupled == 0) return;
    for (int i = 0; i < 6; i++)
        for (int l = 3; l < 6; l++) w->s[i][l] = all(0);
    add_times_rows(c->Cmb, w->e + ROW_B, 6, w->s);
    add_times_rows(c->Cbm, w->e, 3, w->s + ROW_B);
}

/* d(f s_b) in the place of ds_b, and d(f1 sigma) by the turns: f1 (sum b ds + F) + f2 sigma d0'; `geometric`
   0: with s held at 0 */
static INLINE void roll_stresses(const motion *k, const forces *t, const levers *v, double geometric,
                                 const quad *F, rows *w)
{
    const double f1 = geometric * k->f1, f2 = geometric * k->f2 * t->G.sigma;
    for (int l = 0; l < 3; l++) {
        quad sum = all(geometric) * F[l];
        for (int i = 0; i < 6; i++) sum += all(k->b[i]) * w->s[ROW_B + i][3 + l];
        w->dd[l] = all(k->f1) * sum + all(f2) * v->d0[l];
    }
    for (int i = 0; i < 6; i++)
        for (int l = 0; l < 6; l++) {
            w->s[ROW_B + i][l] *= all(k->f);
            if (l > 2) w->s[ROW_B + i][l] += all(f1 * t->s[BEND + i]) * v->d0[l - 3];
        }
}

/* What stands with x_a and d_b in the forces: as `weigh` */
static INLINE void weigh_rows(rows *w)
{
    quad(*b)[6] = w->s + ROW_B, (*g)[6] = w->s + ROW_G;
    for (int l = 0; l < 6; l++) {
        w->Y[0][0][l] = b[0][l], w->Y[0][1][l] = b[2][l] + g[1][l];
        w->Y[0][2][l] = b[3][l], w->Y[0][3][l] = g[0][l];
        w->Y[1][0][l] = b[2][l] + g[3][l], w->Y[1][1][l] = b[1][l];
        w->Y[1][2][l] = b[4][l], w->Y[1][3][l] = g[2][l];
        w->Y[2][0][l] = b[3][l] + g[2][l], w->Y[2][1][l] = b[4][l] + g[0][l];
        w->Y[2][2][l] = b[5][l], w->Y[2][3][l] = g[1][l] + g[3][l];
    }
}

/* Forces of x_a, component l, by the components from `from` on */
static INLINE void x_row(const motion *k, const rows *w, int a, int l, int with_m, quad *out)
{
    static const int of[3][3] = {{0, 2, 3}, {2, 1, 4}, {3, 4, 5}};
    for (int m = l; m < 6; m++) {
        quad sum = all(k->D[l][0]) * w->Y[a][0][m];
        for (int b = 1; b < 4; b++) sum += all(k->D[l][b]) * w->Y[a][b][m];
        if (m < 3 || with_m)
            for (int b = 0; b < 3; b++) sum += all(k->X[l][b]) * w->s[of[a][b]][m];
        out[m] = sum;
    }
}

static INLINE void mode_rows(const constants *c, const motion *k, rows *w)
{
    for (int a = 0; a < 3; a++) {
        if (c->coupled != 0) {
            x_row(k, w, a, 0, 1, w->X[a][0]), x_row(k, w, a, 1, 1, w->X[a][1]);
            x_row(k, w, a, 2, 1, w->X[a][2]);
        } else {
            x_row(k, w, a, 0, 0, w->X[a][0]), x_row(k, w, a, 1, 0, w->X[a][1]);
            x_row(k, w, a, 2, 0, w->X[a][2]);
        }
    }
    for (int b = 0; b < 4; b++)
        for (int l = 0; l < 3; l++)
            for (int m = 0; m < 3; m++)
                w->D[b][l][m] = all(k->X[l][0]) * w->Y[0][b][3 + m] + all(k->X[l][1]) * w->Y[1][b][3 + m] +
                                all(k->X[l][2]) * w->Y[2][b][3 + m];
    for (int l = 0; l < 3 && c->roll != 0; l++)
        for (int m = 0; m < 3; m++) w->D[3][l][m] += all(k->D[l][3]) * w->dd[m];
}

/* G dv of the modes; with the roll factor also of d_0 */
static INLINE void add_geometric(const forces *t, const levers *v, rows *w)
{
    for (int a = 0; a < 3; a++) {
        const quad g = nodes(t->G.xx[a]), h = nodes(t->G.dx[a]);
        for (int l = 0; l < 3; l++) {
            w->X[a][l][l] += g;
            for (int m = 0; m < 3; m++) w->X[a][l][3 + m] += h * v->L[3 * l + m];
        }
    }
    for (int l = 0; l < 9 && t->G.dd != 0; l++) w->D[3][l / 3][l % 3] += all(t->G.dd) * v->L[l];
}

/* d(Q psi), and forces on x_r, x_s from it */
static INLINE void drill_rows(const constants *c, const motion *k, const forces *t, rows *w)
{
    quad u[3], a[3], e[4][3];
    load3(c->u, u), load3(c->w, a);
    for (int l = 0; l < 3; l++) w->spin[l] = all(0);
    add_cross4(u, t->Xr, w->spin), add_cross4(a, t->Xs, w->spin);
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < 3; l++) e[i][l] = sign_of(0) * all(k->U[l][i]) + sign_of(1) * all(k->W[l][i]);
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < 3; l++) {
            quad sum = all(c->Q[i][0]) * e[0][l];
            for (int j = 1; j < 4; j++) sum += all(c->Q[i][j]) * e[j][l];
            w->sg[i][l] = sum;
            w->sg[i][3 + l] = get(c->Q[i]) * w->spin[l];
        }
    for (int l = 0; l < 3; l++)
        for (int m = l; m < 6; m++)
            for (int i = 0; i < 4; i++) {
                w->X[0][l][m] += all(k->U[l][i]) * w->sg[i][m];
                w->X[1][l][m] += all(k->W[l][i]) * w->sg[i][m];
            }
}

/* sg dU, sg dW in the forces on x_r, x_s */
static INLINE void add_drill_turns(const constants *c, const motion *k, const forces *t, rows *w)
{
    quad u[3], a[3];
    load3(c->u, u), load3(c->w, a);
    for (int m = 0; m < 3; m++) u[m] *= t->sg, a[m] *= t->sg;
    for (int l = 0; l < 3; l++)
        for (int m = 0; m < 3; m++) {
            const int i = (m + 1) % 3, j = (m + 2) % 3;
            const quad *R = k->R + 3 * l;
            w->X[0][l][3 + m] += R[j] * u[i] - R[i] * u[j];
            w->X[1][l][3 + m] += R[j] * a[i] - R[i] * a[j];
        }
}

/* Rows to the nodes: places by signs, directors by signs and L' */
static INLINE void to_nodes(const levers *v, const rows *w, blocks K)
{
    for (int l = 0; l < 3; l++)
        for (int m = l; m < 6; m++) {
            const quad r = w->X[0][l][m], s = w->X[1][l][m], d = w->X[2][l][m], p = r + s, q = r - s;
            K[l][0][m] = d - p, K[l][1][m] = q - d, K[l][2][m] = p + d, K[l][3][m] = -(q + d);
        }
    quad y[4][3][3];
    for (int l = 0; l < 3; l++)
        for (int m = 0; m < 3; m++) {
            const quad r = w->D[0][l][m], s = w->D[1][l][m], d = w->D[2][l][m], o = w->D[3][l][m];
            const quad a = o + d, c = o - d, p = r + s, q = r - s;
            y[0][l][m] = a - p, y[1][l][m] = c + q, y[2][l][m] = a + p, y[3][l][m] = c - q;
        }
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < 3; l++)
            for (int m = l; m < 3; m++)
                K[3 + l][i][3 + m] = all(v->L[l][i]) * y[i][0][m] + all(v->L[3 + l][i]) * y[i][1][m] +
                                     all(v->L[6 + l][i]) * y[i][2][m];
}

static INLINE void add_drill_spins(const rows *w, blocks K)
{
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < 3; l++)
            for (int m = l; m < 3; m++) K[3 + l][i][3 + m] += all(w->spin[l][i]) * w->sg[i][3 + m];
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
    const int rolls = c->roll != 0, drills = c->Q[0][0] != 0;
    rows w;
    levers v;
    blocks B;
    quad own[9], F[3];
    make_levers(c, k, &v);
    strain_rows_of(k, &v, w.e);
    if (rolls) roll_strains(k, t, &v, &w, F);
    stress_rows(c, &w);
    if (rolls) roll_stresses(k, t, &v, in->material ? 0 : 1, F, &w);
    weigh_rows(&w);
    mode_rows(c, k, &w);
    if (drills) drill_rows(c, k, t, &w);
    if (!in->material) {
        add_geometric(t, &v, &w);
        if (drills) add_drill_turns(c, k, t, &w);
    }
    to_nodes(&v, &w, B);
    if (drills) add_drill_spins(&w, B);
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
