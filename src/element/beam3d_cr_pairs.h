/* Pieces of beam3d_cr's tangents: mass and rows of matrices of both nodes at once, as vectors of two (pair):
   3 rows of forces, 3 of moments; and their turn from the chord's axes to node coordinates. Only beam3d_cr.c
   includes this file. */
#ifndef SN_ELEMENT_BEAM3D_CR_PAIRS_H
#define SN_ELEMENT_BEAM3D_CR_PAIRS_H

#include "element/beam3d_cr_force.h"
#include "math/simd.h"

/* Rows of Ml by one node: diagonals of forces by translations and moments by spins; forces y, z by spins z,
   y; moments y, z by translations z, y */
typedef struct columns {
    pair t[3], r[3], yz, zy, myz, mzy;
} columns;

static INLINE void mass_columns(const constants *c, columns *m)
{
    const bending *y = &c->y, *z = &c->z;
    m[0].t[0] = (pair){c->a1, c->a2}, m[1].t[0] = (pair){c->a2, c->a1};
    m[0].t[1] = (pair){z->n1, z->n2}, m[1].t[1] = (pair){z->n2, z->n1};
    m[0].t[2] = (pair){y->n1, y->n2}, m[1].t[2] = (pair){y->n2, y->n1};
    m[0].r[0] = m[1].r[0] = both(0);
    m[0].r[1] = (pair){y->s1, y->s2}, m[1].r[1] = (pair){y->s2, y->s1};
    m[0].r[2] = (pair){z->s1, z->s2}, m[1].r[2] = (pair){z->s2, z->s1};
    m[0].yz = (pair){z->r1, z->r2}, m[1].yz = (pair){-z->r2, -z->r1};
    m[0].zy = (pair){-y->r1, -y->r2}, m[1].zy = (pair){y->r2, y->r1};
    m[0].mzy = (pair){z->r1, -z->r2}, m[1].mzy = (pair){z->r2, -z->r1};
    m[0].myz = (pair){-y->r1, y->r2}, m[1].myz = (pair){-y->r2, y->r1};
}

/* Ml as a full matrix */
static inline void full_mass(const columns *m, pair (*M)[12])
{
    for (int l = 0; l < 72; l++) M[l / 12][l % 12] = both(0);
    for (int j = 0; j < 2; j++) {
        for (int l = 0; l < 3; l++) {
            M[l][6 * j + l] = m[j].t[l];
            M[3 + l][6 * j + 3 + l] = m[j].r[l];
        }
        M[1][6 * j + 5] = m[j].yz, M[2][6 * j + 4] = m[j].zy;
        M[4][6 * j + 2] = m[j].myz, M[5][6 * j + 1] = m[j].mzy;
    }
}

/* y += diag(d) u~ */
static INLINE void add_diagonal_cross(const pair *d, const pair *u, pair (*y)[3])
{
    y[0][1] -= d[0] * u[2];
    y[0][2] += d[0] * u[1];
    y[1][0] += d[1] * u[2];
    y[1][2] -= d[1] * u[0];
    y[2][0] -= d[2] * u[1];
    y[2][1] += d[2] * u[0];
}

/* y += b u~, b having only the entries (1, 2): p and (2, 1): q */
static INLINE void add_twist_cross(pair p, pair q, const pair *u, pair (*y)[3])
{
    y[1][0] -= p * u[1];
    y[1][1] += p * u[0];
    y[2][0] += q * u[2];
    y[2][2] -= q * u[0];
}

/* y = u~ */
static INLINE void skew_rows(const pair *u, pair (*y)[3])
{
    y[0][0] = y[1][1] = y[2][2] = both(0);
    y[0][1] = -u[2], y[1][0] = u[2];
    y[0][2] = u[1], y[2][0] = -u[1];
    y[1][2] = -u[0], y[2][1] = u[0];
}

/* t += Ml u~ of the translations of node j, r += Ml u~ of its spin */
static INLINE void add_mass_cross(const columns *m, const pair *u, int j, pair (*t)[3], pair (*r)[3])
{
    pair x[6];
    for (int l = 0; l < 6; l++) x[l] = both(u[l][j]);
    add_diagonal_cross(m->t, x, t);
    add_twist_cross(m->myz, m->mzy, x, t + 3);
    add_twist_cross(m->yz, m->zy, x + 3, r);
    add_diagonal_cross(m->r, x + 3, r + 3);
}

/* z = Q x P' of a block */
static INLINE void turn_block(const pair *Q, const pair *P, pair (*x)[12], pair (*z)[3])
{
    pair y[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            y[i][j] = x[i][0] * P[3 * j] + x[i][1] * P[3 * j + 1] + x[i][2] * P[3 * j + 2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            z[i][j] = Q[3 * i] * y[0][j] + Q[3 * i + 1] * y[1][j] + Q[3 * i + 2] * y[2][j];
}

/* Turns of forces and moments of both nodes, and of the columns d, phi1, phi2 */
typedef struct turns {
    pair row[2][9], column[3][9];
} turns;

static INLINE void node_turns(const pair_motion *k, turns *Q)
{
    for (int l = 0; l < 9; l++) {
        pair S = k->S[l % 3 * 3 + l / 3];
        Q->row[0][l] = Q->column[0][l] = both(k->E[l]);
        Q->row[1][l] = S;
        Q->column[1][l] = both(S[0]);
        Q->column[2][l] = both(S[1]);
    }
}

/* y += x in node coordinates; difference: the columns of d1 are those of d2 with the other sign */
static SN_SIMD void add_turned(const turns *Q, int difference, pair (*x)[12], double *y)
{
    pair z[3][3];
    for (int a = 0; a < 2; a++)
        for (int b = difference; b < 4; b++) {
            turn_block(Q->row[a], Q->column[b % 2 ? (b + 1) / 2 : 0], (pair(*)[12]) & x[3 * a][3 * b], z);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double *u = y + 12 * (3 * a + i) + 3 * b + j;
                    u[0] += z[i][j][0];
                    u[72] += z[i][j][1];
                }
            for (int i = 0; i < 3 && difference && b == 2; i++)
                for (int j = 0; j < 3; j++) {
                    double *u = y + 12 * (3 * a + i) + j;
                    u[0] -= z[i][j][0];
                    u[72] -= z[i][j][1];
                }
        }
}

/* M += s Q Ml Q', by the zeros of Ml */
static SN_SIMD void add_turned_mass(const turns *Q, const columns *m, double s, double *M)
{
    const pair *E = Q->row[0], *S = Q->row[1];
    for (int u = 0; u < 3; u++) {
        const pair e[3] = {s * m->t[0] * E[3 * u], s * m->t[1] * E[3 * u + 1], s * m->t[2] * E[3 * u + 2]};
        for (int v = 0; v < 3; v++) {
            pair x = e[0] * E[3 * v] + e[1] * E[3 * v + 1] + e[2] * E[3 * v + 2];
            double *y = M + 12 * u + v;
            y[0] += x[0], y[78] += x[0];
            y[6] += x[1], y[72] += x[1];
        }
    }
    for (int j = 0; j < 2; j++) {
        const pair *P = Q->column[1 + j];
        for (int u = 0; u < 3; u++) {
            pair f1 = s * m[j].yz * E[3 * u + 1], f2 = s * m[j].zy * E[3 * u + 2];
            pair r0 = s * m[j].r[0] * S[3 * u], r1 = s * m[j].r[1] * S[3 * u + 1],
                 r2 = s * m[j].r[2] * S[3 * u + 2];
            for (int v = 0; v < 3; v++) {
                pair x = f1 * P[3 * v + 2] + f2 * P[3 * v + 1];
                pair z = r0 * P[3 * v] + r1 * P[3 * v + 1] + r2 * P[3 * v + 2];
                double *y = M + 12 * u + 6 * j + 3 + v, *yt = M + 12 * (6 * j + 3 + v) + u;
                y[0] += x[0], y[72] += x[1];
                yt[0] += x[0], yt[6] += x[1];
                y[36] += z[0], y[108] += z[1];
            }
        }
    }
}

#endif
