/* Pieces of beam3d_cr's tangents: mass and rows of matrices of both nodes at once, as vectors of two (pair):
   3 rows of forces, 3 of moments. Whole matrices are made and turned from the chord's axes to node
   coordinates as vectors of four: a row of forces of both nodes beside one of moments. Only beam3d_cr.c
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

/* Forces of both nodes, moments of both */
#define JOINED SN_QUAD_JOIN

/* Ml as a full matrix */
static inline void full_mass(const columns *m, sn_quad (*M)[12])
{
    const pair no = both(0);
    for (int l = 0; l < 36; l++) M[l / 12][l % 12] = JOINED(no, no);
    for (int j = 0; j < 2; j++) {
        for (int l = 0; l < 3; l++) {
            M[l][6 * j + l] = JOINED(m[j].t[l], no);
            M[l][6 * j + 3 + l] = JOINED(no, m[j].r[l]);
        }
        M[1][6 * j + 5] = JOINED(m[j].yz, no), M[2][6 * j + 4] = JOINED(m[j].zy, no);
        M[1][6 * j + 2] = JOINED(no, m[j].myz), M[2][6 * j + 1] = JOINED(no, m[j].mzy);
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

/* Turns of the rows of both nodes, and of the columns d, phi1, phi2 */
typedef struct turns {
    sn_quad row[9];
    double column[3][9];
} turns;

static INLINE void node_turns(const pair_motion *k, turns *Q)
{
    for (int l = 0; l < 9; l++) {
        pair S = k->S[l % 3 * 3 + l / 3];
        Q->row[l] = JOINED(both(k->E[l]), S);
        Q->column[0][l] = k->E[l];
        Q->column[1][l] = S[0];
        Q->column[2][l] = S[1];
    }
}

/* The turn of the three columns of block b: d1, phi1, d2, phi2 */
static INLINE const double *column_turn(const turns *Q, int b) { return Q->column[b % 2 ? (b + 1) / 2 : 0]; }

/* Columns of z = Q y */
static INLINE void turn_rows(const sn_quad *Q, sn_quad (*y)[3], int at, sn_quad (*z)[12])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            z[i][at + j] = Q[3 * i] * y[0][j] + Q[3 * i + 1] * y[1][j] + Q[3 * i + 2] * y[2][j];
}

/* y = z, whose rows are 0 to 2, 6 to 8, 3 to 5, 9 to 11 of y */
static INLINE void set_rows(sn_quad (*z)[12], double *y)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 12; j += 4) {
            sn_quad x[4] = {z[i][j], z[i][j + 1], z[i][j + 2], z[i][j + 3]};
            sn_quad_transpose(x);
            *(sn_quad *)(y + 12 * i + j) = x[0];
            *(sn_quad *)(y + 12 * (6 + i) + j) = x[1];
            *(sn_quad *)(y + 12 * (3 + i) + j) = x[2];
            *(sn_quad *)(y + 12 * (9 + i) + j) = x[3];
        }
}

/* y += s z, likewise */
static INLINE void add_rows(double s, sn_quad (*z)[12], double *y)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 12; j += 4) {
            sn_quad x[4] = {s * z[i][j], s * z[i][j + 1], s * z[i][j + 2], s * z[i][j + 3]};
            sn_quad_transpose(x);
            *(sn_quad *)(y + 12 * i + j) += x[0];
            *(sn_quad *)(y + 12 * (6 + i) + j) += x[1];
            *(sn_quad *)(y + 12 * (3 + i) + j) += x[2];
            *(sn_quad *)(y + 12 * (9 + i) + j) += x[3];
        }
}

/* y = x in node coordinates; difference: the columns of d1 are those of d2 with the other sign */
static SN_SIMD void set_turned(const turns *Q, int difference, sn_quad (*x)[12], double *y)
{
    sn_quad z[3][12], u[3][3];
    for (int b = difference; b < 4; b++) {
        const double *P = column_turn(Q, b);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                u[i][j] =
                    x[i][3 * b] * P[3 * j] + x[i][3 * b + 1] * P[3 * j + 1] + x[i][3 * b + 2] * P[3 * j + 2];
        turn_rows(Q->row, u, 3 * b, z);
    }
    if (difference)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) z[i][j] = -z[i][6 + j];
    set_rows(z, y);
}

/* z = Q Ml Q', by the zeros of Ml */
static INLINE void turn_mass(const turns *Q, const columns *m, sn_quad (*z)[12])
{
    const pair no = both(0);
    sn_quad u[3][3];
    for (int j = 0; j < 2; j++, m++) {
        const double *E = column_turn(Q, 0), *S = column_turn(Q, 2 * j + 1);
        const sn_quad t0 = JOINED(m->t[0], no), t1 = JOINED(m->t[1], no), t2 = JOINED(m->t[2], no),
                      yz = JOINED(no, m->myz), zy = JOINED(no, m->mzy);
        const sn_quad r0 = JOINED(no, m->r[0]), r1 = JOINED(no, m->r[1]), r2 = JOINED(no, m->r[2]),
                      ryz = JOINED(m->yz, no), rzy = JOINED(m->zy, no);
        for (int l = 0; l < 3; l++, E += 3) {
            u[0][l] = t0 * E[0];
            u[1][l] = t1 * E[1] + yz * E[2];
            u[2][l] = zy * E[1] + t2 * E[2];
        }
        turn_rows(Q->row, u, 6 * j, z);
        for (int l = 0; l < 3; l++, S += 3) {
            u[0][l] = r0 * S[0];
            u[1][l] = r1 * S[1] + ryz * S[2];
            u[2][l] = rzy * S[1] + r2 * S[2];
        }
        turn_rows(Q->row, u, 6 * j + 3, z);
    }
}

static SN_SIMD void set_turned_mass(const turns *Q, const columns *m, double *M)
{
    sn_quad z[3][12];
    turn_mass(Q, m, z);
    set_rows(z, M);
}

static SN_SIMD void add_turned_mass(const turns *Q, const columns *m, double s, double *M)
{
    sn_quad z[3][12];
    turn_mass(Q, m, z);
    add_rows(s, z, M);
}

#endif
