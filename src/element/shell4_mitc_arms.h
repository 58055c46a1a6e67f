/* Tangent of shell4_mitc with an offset: the middle surface is y = x + R o. Only shell4_mitc.c includes this
   file.

   With dy_i = dx_i + L_i dth_i, L = -R o~, all of K that is made for y is multiplied by these on both sides;
   forces f on y do o x R'f on the node, whose turn with the node is o~ (R'f)~. */
#ifndef SN_ELEMENT_SHELL4_MITC_ARMS_H
#define SN_ELEMENT_SHELL4_MITC_ARMS_H

#include "element/shell4_mitc_tangent.h"

/* What one arm does: L, the turns of what it adds to the acceleration */
typedef struct arm {
    double L[9], by_q[9], by_v[9], o[3], R[9];
} arm;

static inline void make_arm(const sn_in *in, const constants *c, const motion *k, int i, arm *a)
{
    const double *om = in->v + 6 * i + 3, *al = in->a + 6 * i + 3;
    double S[9], W[9], P[9], v[3], z[3], x[3];
    for (int l = 0; l < 9; l++) a->R[l] = k->R[l][i];
    for (int l = 0; l < 3; l++) a->o[l] = c->o[l][i];
    sn_skew3(a->o, S);
    sn_matmul3(a->R, S, a->L);
    for (int l = 0; l < 9; l++) a->L[l] = -a->L[l];
    sn_cross3(om, a->o, v);
    sn_cross3(om, v, z);
    sn_cross3(al, a->o, x);
    for (int l = 0; l < 3; l++) z[l] += x[l];
    sn_skew3(z, W);
    sn_matmul3(a->R, W, a->by_q);
    for (int l = 0; l < 9; l++) a->by_q[l] = -a->by_q[l];
    /* d(om x (om x o)) = -(om x o)~ - om~ o~ */
    sn_skew3(om, W);
    sn_matmul3(W, S, P);
    sn_skew3(v, W);
    for (int l = 0; l < 9; l++) P[l] = -P[l] - W[l];
    sn_matmul3(a->R, P, a->by_v);
}

/* Columns: A_(.)(th j) += A_(.)(y j) L_j */
static inline void arm_columns(const arm *a, double *A)
{
    for (int i = 0; i < NV; i++)
        for (int j = 0; j < 4; j++) {
            double *x = A + NV * i + 6 * j, y[3];
            sn_tmul3(a[j].L, x, y);
            for (int l = 0; l < 3; l++) x[3 + l] += y[l];
        }
}

/* Rows: A_(th i)(.) += L_i'A_(y i)(.) */
static inline void arm_rows(const arm *a, double *A)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < NV; j++) {
            double *x = A + NV * 6 * i + j, col[3] = {x[0], x[NV], x[2 * NV]}, y[3];
            sn_tmul3(a[i].L, col, y);
            for (int l = 0; l < 3; l++) x[NV * (3 + l)] += y[l];
        }
}

static inline void add_local(const double *A, double *K)
{
    for (int i = 0; i < NV * NV; i++) K[i] += A[i];
}

/* K, C, M of an element with arms; f: the forces on y, of all kinds */
static void arms_tangent(const sn_in *in, const motion *k, const forces *t, const quad *f, double **out)
{
    const constants *c = (const constants *)in->c;
    double A[3][NV * NV] = {{0}};
    arm a[4];
    for (int i = 0; i < 4; i++) make_arm(in, c, k, i, &a[i]);
    elastic_tangent(in, k, t, A[0]);
    arm_columns(a, A[0]);
    inertia_tangent(in, c, A[1], A[2]);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const int at = 6 * i, to = 6 * j + 3;
            if (!in->material) sn_block3(A[0], NV, at, to, c->m[i][j], a[j].by_q);
            sn_block3(A[1], NV, at, to, c->m[i][j], a[j].by_v);
            sn_block3(A[2], NV, at, to, c->m[i][j], a[j].L);
        }
    for (int l = 0; l < 3; l++) arm_rows(a, A[l]);
    for (int i = 0; i < 4 && !in->material; i++) {
        double x[3] = {f[0][i], f[1][i], f[2][i]}, S[9], G[9], P[9];
        sn_tmul3(a[i].R, x, x);
        sn_skew3(x, G);
        sn_skew3(a[i].o, S);
        sn_matmul3(S, G, P);
        sn_block3(A[0], NV, 6 * i + 3, 6 * i + 3, 1, P);
    }
    for (int l = 0; l < 3; l++) add_local(A[l], out[l]);
}

#endif
