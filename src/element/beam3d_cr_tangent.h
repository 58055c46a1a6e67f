/* Tangents of beam3d_cr's inertia without offsets, by matrices (fewer operations than by variations), and the
   way of tangents to the nodes. Only beam3d_cr.c includes this file.

   With V~ the column of the skew matrices of the blocks of V, P~ likewise, Wd = diag(W~, W~, W~, W~) and
   h = Ml V~ - P~ the inertia force Ml (A - W x V) + W x P - (0, V_r x P_r) + G kap, W = G'V, changes with V
   by C = -(Ml Wd) - (Ml Wd)' + h G' - G h' + diag(0, P_r~ - V_r~ Ml)  (plus dm Ml), and with q, as dV = V~ w
   - (0, V_r~ chi), by  C dV + Ml dA + h dG'V + dG kap. */
#ifndef SN_ELEMENT_BEAM3D_CR_TANGENT_H
#define SN_ELEMENT_BEAM3D_CR_TANGENT_H

#include "element/beam3d_cr_vary.h"

typedef struct field_mass {
    lane M[12], C[12];
    double h[12][3], MA[4][12][3]; /* MA: Ml A~ by the blocks of A */
} field_mass;

/* Where Ml is not zero: columns of each row */
static const signed char field_columns[12][4] = {
    {0, 6, -1, -1}, {1, 5, 7, 11}, {2, 4, 8, 10}, {3, 9, -1, -1}, {2, 4, 8, 10}, {1, 5, 7, 11},
    {0, 6, -1, -1}, {1, 5, 7, 11}, {2, 4, 8, 10}, {3, 9, -1, -1}, {2, 4, 8, 10}, {1, 5, 7, 11}};

/* Ml as a full matrix */
static inline void field_matrix(const constants *c, lane *M)
{
    const bending *z = &c->z, *y = &c->y;
    zero_lanes(12, 12, M);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int a = 6 * i, b = 6 * j, same = i == j;
            double rz = (j ? -1 : 1) * (same ? z->r1 : z->r2), ry = (j ? -1 : 1) * (same ? y->r1 : y->r2);
            M[a][b] = same ? c->a1 : c->a2;
            M[a + 1][b + 1] = same ? z->n1 : z->n2;
            M[a + 2][b + 2] = same ? y->n1 : y->n2;
            M[a + 3][b + 3] = same ? c->t1 : c->t2;
            M[a + 4][b + 4] = same ? y->s1 : y->s2;
            M[a + 5][b + 5] = same ? z->s1 : z->s2;
            M[a + 1][b + 5] = M[b + 5][a + 1] = rz;
            M[a + 2][b + 4] = M[b + 4][a + 2] = -ry;
        }
}

/* C += h G' - G h' */
static inline void add_spin_matrix(const motion *k, double h[12][3], lane *C)
{
    for (int a = 0; a < 12; a++) {
        double y = h[a][2] * k->il, z = -(h[a][1] + k->eta * h[a][0]) * k->il;
        double x1 = k->a[0] * h[a][0], y1 = k->b[0] * h[a][0], x2 = k->a[1] * h[a][0], y2 = k->b[1] * h[a][0];
        C[a][1] -= y, C[1][a] += y;
        C[a][2] -= z, C[2][a] += z;
        C[a][7] += y, C[7][a] -= y;
        C[a][8] += z, C[8][a] -= z;
        C[a][3] += x1, C[3][a] -= x1;
        C[a][4] -= y1, C[4][a] += y1;
        C[a][9] += x2, C[9][a] -= x2;
        C[a][10] -= y2, C[10][a] += y2;
    }
}

/* Ml Wd into C, Ml V~ - P~ into h, Ml A~ */
static inline void field_products(const motion *k, const forces *t, field_mass *m)
{
    static const int next[3] = {1, 2, 0};
    memset(m->MA, 0, sizeof m->MA);
    for (int a = 0; a < 12; a++) {
        double *h = m->h[a];
        int i = a % 3, i1 = next[i], i2 = next[i1];
        h[i] = 0;
        h[i1] = t->P[a - i + i2];
        h[i2] = -t->P[a - i + i1];
        for (int l = 0; l < 4 && field_columns[a][l] >= 0; l++) {
            /* row p of a skew matrix x~ has -x[p2] at p1 and x[p1] at p2 */
            int b = field_columns[a][l], p = b % 3, p1 = next[p], p2 = next[p1], o = b - p;
            double x = m->M[a][b], u1 = x * k->W[p2], u2 = x * k->W[p1], *y = m->MA[b / 3][a];
            m->C[a][o + p1] += u1;
            m->C[o + p1][a] += u1;
            m->C[a][o + p2] -= u2;
            m->C[o + p2][a] -= u2;
            h[p1] -= x * k->V[o + p2];
            h[p2] += x * k->V[o + p1];
            y[p1] -= x * k->A[o + p2];
            y[p2] += x * k->A[o + p1];
        }
    }
}

static inline void field_velocity(const motion *k, double dm, const forces *t, field_mass *m)
{
    double X[9];
    for (int a = 0; a < 12; a++)
        for (int b = 0; b < 12; b++) m->C[a][b] = dm * m->M[a][b];
    field_products(k, t, m);
    for (int i = 3; i < 12; i += 6) {
        const double *V = k->V + i;
        sn_skew3(t->P + i, X);
        for (int l = 0; l < 9; l++) m->C[i + l / 3][i + l % 3] += X[l];
        for (int b = 0; b < 12; b++) {
            m->C[i][b] -= V[1] * m->M[i + 2][b] - V[2] * m->M[i + 1][b];
            m->C[i + 1][b] -= V[2] * m->M[i][b] - V[0] * m->M[i + 2][b];
            m->C[i + 2][b] -= V[0] * m->M[i + 1][b] - V[1] * m->M[i][b];
        }
    }
    add_spin_matrix(k, m->h, m->C);
}

/* f += C dV + Ml dA + h dG'V for the 9 unit directions, chi_1 and chi_2 being the first 6 */
static inline void add_field_turns(const motion *k, const field_mass *m, seeds *s, change *d, lane *f)
{
    enum { n = 10 };
    const double *V = k->V, *W = k->W;
    lane g[3];
    EACH(j)
    {
        double dl = s->du[0][j] * k->il;
        g[2][j] = -W[2] * dl;
        g[1][j] = -W[1] * dl;
        g[0][j] = k->eta * g[1][j] + d->eta[j] * W[1] + d->a[0][j] * V[3] - d->b[0][j] * V[4] +
                  d->a[1][j] * V[9] - d->b[1][j] * V[10];
    }
    for (int a = 0; a < 12; a++) {
        double y[4][3], x[3];
        const double *h = m->h[a];
        for (int b = 0; b < 4; b++) {
            sn_cross3(m->C[a] + 3 * b, V + 3 * b, y[b]);
            for (int l = 0; l < 3; l++) y[b][l] += m->MA[b][a][l];
        }
        for (int l = 0; l < 3; l++) x[l] = y[0][l] + y[1][l] + y[2][l] + y[3][l];
        EACH(j)
        f[a][j] += x[0] * d->w[0][j] + x[1] * d->w[1][j] + x[2] * d->w[2][j] + h[0] * g[0][j] +
                   h[1] * g[1][j] + h[2] * g[2][j];
        for (int l = 0; l < 3; l++) {
            f[a][l] -= y[1][l];
            f[a][3 + l] -= y[3][l];
        }
    }
}

/* M += Q Ml Q', by the zeros of Ml */
static inline void add_field_mass(const motion *k, const field_mass *m, double *M)
{
    const double *E = k->E;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const lane *b = m->M + 6 * i;
            int at = 6 * j;
            const double *S = k->S[j], *T = k->S[i];
            double rz = b[1][at + 5], ry = b[2][at + 4], tz = b[5][at + 1], ty = b[4][at + 2];
            for (int u = 0; u < 3; u++) {
                double e0 = b[0][at] * E[3 * u], e1 = b[1][at + 1] * E[3 * u + 1],
                       e2 = b[2][at + 2] * E[3 * u + 2];
                double s0 = b[3][at + 3] * T[u], s1 = b[4][at + 4] * T[3 + u], s2 = b[5][at + 5] * T[6 + u];
                double f1 = rz * E[3 * u + 1], f2 = ry * E[3 * u + 2], g1 = tz * T[6 + u], g2 = ty * T[3 + u];
                double *tt = M + 12 * (6 * i + u) + at, *rt = tt + 36;
                for (int v = 0; v < 3; v++) {
                    tt[v] += e0 * E[3 * v] + e1 * E[3 * v + 1] + e2 * E[3 * v + 2];
                    tt[3 + v] += f1 * S[6 + v] + f2 * S[3 + v];
                    rt[v] += g1 * E[3 * v + 1] + g2 * E[3 * v + 2];
                    rt[3 + v] += s0 * S[v] + s1 * S[3 + v] + s2 * S[6 + v];
                }
            }
        }
}

/* y = Q x */
static inline void node_rows(int n, const motion *k, lane *x, lane *y)
{
    zero_lanes(n, 12, y);
    for (int b = 0; b < 4; b++) {
        double M[9];
        for (int l = 0; l < 9; l++) M[l] = b % 2 ? k->S[b / 2][l % 3 * 3 + l / 3] : k->E[l];
        add_times_lanes(n, M, x + 3 * b, y + 3 * b);
    }
}

/* K += Q x Q' */
static inline void add_matrix(const motion *k, lane *x, double *K)
{
    lane y[12];
    node_rows(12, k, x, y);
    add_columns(k, 12, y, K);
}

/* The same for columns by (phi1, phi2, d2 - d1) */
static inline void add_tangent(const motion *k, lane *x, double *K)
{
    lane y[12];
    node_rows(10, k, x, y);
    add_directions(k, 12, y, K);
}

#endif
