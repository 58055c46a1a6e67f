/* Tangents of shell3_mitc. Only shell3_mitc.c includes this file.

   Over z the stiffness is B'C B + sum s_k H_k; a node's coordinates move its y and d by dy = dx - R o~ dth,
   dd = -R D~ dth, and the forces on y and d, turned back, by o~ (R'f_y)~ + D~ (R'f_d)~. */
#ifndef SN_ELEMENT_SHELL3_MITC_TANGENT_H
#define SN_ELEMENT_SHELL3_MITC_TANGENT_H

#include "element/shell3_mitc.h"

enum { NZ = 18 };

/* y = A a~ */
static inline void times_skew(const double *A, const double *a, double f, double *y)
{
    double S[9];
    sn_skew3(a, S);
    sn_matmul3(A, S, y);
    for (int i = 0; i < 9; i++) y[i] *= f;
}

/* Rows of strains over z */
static inline void gradients(const motion *k, double (*B)[NZ])
{
    memset(B, 0, STRAINS * sizeof *B);
    for (int i = 0; i < STRAINS; i++)
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < 6; b++) {
                const double h = form(i, a, b);
                for (int l = 0; l < 3 && h != 0; l++) B[i][3 * a + l] += h * k->z[b][l].x;
            }
}

/* dy, dd of node i by its coordinates: 18 x 6 blocks that are not 0, y (3 x 6) and d (3 x 6) */
static inline void node_map(const motion *k, int i, double (*L)[6])
{
    const constants *c = k->c;
    double y[9], d[9];
    times_skew(k->R[i], c->o[i], -1, y);
    times_skew(k->R[i], c->D[i], -1, d);
    for (int l = 0; l < 3; l++)
        for (int j = 0; j < 3; j++) {
            L[l][j] = l == j, L[l][3 + j] = y[3 * l + j];
            L[3 + l][j] = 0, L[3 + l][3 + j] = d[3 * l + j];
        }
}

/* Rows over z to rows over the coordinates */
static inline void to_nodes(const motion *k, const double *row, double *out)
{
    for (int i = 0; i < 3; i++) {
        double L[6][6];
        node_map(k, i, L);
        for (int j = 0; j < 6; j++) {
            double sum = 0;
            for (int l = 0; l < 3; l++) sum += row[3 * i + l] * L[l][j] + row[9 + 3 * i + l] * L[3 + l][j];
            out[6 * i + j] += sum;
        }
    }
}

/* K += a~ (R'f)~: the moment of a vector a of the body under the force f turns with the body */
static inline void add_lever(const double *R, const double *a, const double *f, double *K, int at)
{
    double A[9], x[3], y[9];
    sn_skew3(a, A);
    sn_tmul3(R, f, x);
    times_skew(A, x, 1, y);
    sn_block3(K, NV, at, at, 1, y);
}

static inline void values(const dual *x, double *y)
{
    for (int l = 0; l < 3; l++) y[l] = x[l].x;
}

/* B'C B + sum s H, as rows and columns of the nodes */
static inline void elastic_tangent(const motion *k, double *K)
{
    double B[STRAINS][NZ], row[STRAINS][NV] = {{0}}, L[3][6][6];
    gradients(k, B);
    for (int i = 0; i < STRAINS; i++) to_nodes(k, B[i], row[i]);
    for (int i = 0; i < STRAINS; i++) {
        double c[NV] = {0};
        for (int j = 0; j < STRAINS; j++)
            for (int l = 0; l < NV && k->c->C[i][j] != 0; l++) c[l] += k->c->C[i][j] * row[j][l];
        for (int a = 0; a < NV; a++)
            for (int b = 0; b < NV; b++) K[NV * a + b] += row[i][a] * c[b];
    }
    for (int i = 0; i < 3; i++) node_map(k, i, L[i]);
    double G[6][6] = {{0}};
    for (int i = 0; i < STRAINS; i++)
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < 6; b++) G[a][b] += k->s[i].x * form(i, a, b);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double g[2][2] = {{G[i][j], G[i][3 + j]}, {G[3 + i][j], G[3 + i][3 + j]}};
            for (int a = 0; a < 6; a++)
                for (int b = 0; b < 6; b++) {
                    double sum = 0;
                    for (int h = 0; h < 4; h++)
                        for (int l = 0; l < 3; l++)
                            sum += L[i][3 * (h / 2) + l][a] * g[h / 2][h % 2] * L[j][3 * (h % 2) + l][b];
                    K[NV * (6 * i + a) + 6 * j + b] += sum;
                }
        }
}

/* psi = x_r.U + x_s.W by the places */
static inline void psi_by_places(const dual *U, const dual *W, double *z)
{
    memset(z, 0, NZ * sizeof *z);
    for (int l = 0; l < 3; l++) {
        z[3 + l] = U[l].x, z[6 + l] = W[l].x;
        z[l] = -z[3 + l] - z[6 + l];
    }
}

static inline void add_turn(const double *a, const double *b, double *y) /* y += a x b */
{
    double t[3];
    sn_cross3(a, b, t);
    for (int l = 0; l < 3; l++) y[l] += t[l];
}

static inline void drill_tangent(const motion *k, double *K)
{
    const constants *c = k->c;
    double row[3][NV] = {{0}}, part[3][2][9] = {{{0}}};
    for (int i = 0; i < 3; i++) {
        double z[NZ], x[3], xr[3], xs[3];
        psi_by_places((const dual *)k->U[i], (const dual *)k->W[i], z);
        to_nodes(k, z, row[i]);
        values(k->xr, x), sn_tmul3(k->R[i], x, xr);
        values(k->xs, x), sn_tmul3(k->R[i], x, xs);
        add_turn(c->u[i], xr, row[i] + 6 * i + 3);
        add_turn(c->w[i], xs, row[i] + 6 * i + 3);
        /* second variations: x_r.R u by both, and on the node's own block */
        const double sg = k->sg[i].x, *uw[2] = {c->u[i], c->w[i]}, *xb[2] = {xr, xs};
        for (int h = 0; h < 2; h++) {
            times_skew(k->R[i], uw[h], -sg, part[i][h]);
            double A[9], y[9];
            sn_skew3(uw[h], A);
            times_skew(A, xb[h], sg, y);
            sn_block3(K, NV, 6 * i + 3, 6 * i + 3, 1, y);
        }
        for (int h = 0; h < 2; h++)
            for (int b = 0; b < 3; b++) { /* rows of y1 y2 y3 by the turn of node i, and transposed */
                double zz[NZ] = {0}, out[NV] = {0};
                for (int l = 0; l < 3; l++)
                    zz[3 * (1 + h) + l] = part[i][h][3 * l + b], zz[l] = -part[i][h][3 * l + b];
                to_nodes(k, zz, out);
                for (int a = 0; a < NV; a++) {
                    K[NV * a + 6 * i + 3 + b] += out[a];
                    K[NV * (6 * i + 3 + b) + a] += out[a];
                }
            }
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int a = 0; a < NV; a++)
                for (int b = 0; b < NV; b++) K[NV * a + b] += c->Q[i][j] * row[i][a] * row[j][b];
}

/* Rows of node i get the 3 x 3 block F, forces on y by three coordinates of a node from `col` on */
static inline void add_inertia(const motion *k, int i, const double *F, double m, int col, double *K)
{
    double o[9], x[9], y[9];
    sn_block3(K, NV, 6 * i, col, m, F);
    sn_skew3(k->c->o[i], o);
    sn_tmatmul3(k->R[i], F, x);
    sn_matmul3(o, x, y);
    sn_block3(K, NV, 6 * i + 3, col, m, y);
}

static inline void inertia_tangent(const sn_in *in, const motion *k, double *K, double *C, double *Mass)
{
    const constants *c = k->c;
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int j = 0; j < 3; j++) {
        const double *om = in->v + 6 * j + 3, *al = in->a + 6 * j + 3, *o = c->o[j], *D = c->D[j];
        double x[3], z[3], t[3], by_th[9], by_al[9], by_om[9], A[9], B[9], S[9], J[9], Jom[3];
        sn_cross3(om, o, x), sn_cross3(om, x, z), sn_cross3(al, o, t);
        for (int l = 0; l < 3; l++) z[l] += t[l];
        times_skew(k->R[j], z, -1, by_th);
        times_skew(k->R[j], o, -1, by_al);
        sn_skew3(x, A), sn_skew3(om, S);
        times_skew(S, o, -1, B); /* d(om x (om x o)) = -(om x o)~ dom - om~ o~ dom */
        for (int l = 0; l < 9; l++) B[l] -= A[l];
        sn_matmul3(k->R[j], B, by_om);
        for (int i = 0; i < 3; i++) {
            add_inertia(k, i, by_th, c->m[i][j], 6 * j + 3, K);
            add_inertia(k, i, by_om, c->m[i][j], 6 * j + 3, C);
            add_inertia(k, i, one, c->m[i][j], 6 * j, Mass);
            add_inertia(k, i, by_al, c->m[i][j], 6 * j + 3, Mass);
        }
        for (int l = 0; l < 9; l++) J[l] = c->j * ((l % 4 == 0) - slender * D[l / 3] * D[l % 3]);
        sn_block3(Mass, NV, 6 * j + 3, 6 * j + 3, 1, J);
        sn_mul3(J, om, Jom);
        sn_matmul3(S, J, A), sn_skew3(Jom, B);
        for (int l = 0; l < 9; l++) A[l] -= B[l];
        sn_block3(C, NV, 6 * j + 3, 6 * j + 3, 1, A);
    }
}

/* All of it; f: forces on y and d, those of inertia included */
static inline void tangent(const sn_in *in, const motion *k, const dual (*f)[3], double *K, double *C,
                           double *Mass)
{
    elastic_tangent(k, K);
    drill_tangent(k, K);
    for (int i = 0; i < 3; i++) {
        double y[3], d[3];
        values(f[i], y), values(f[3 + i], d);
        add_lever(k->R[i], k->c->D[i], d, K, 6 * i + 3);
        add_lever(k->R[i], k->c->o[i], y, K, 6 * i + 3);
    }
    inertia_tangent(in, k, K, C, Mass);
}

#endif
