/* Inertia, field and line loads of beam3d_ge. Only beam3d_ge.c includes this file.

   The field is made of vectors p_a of both nodes: places x of the ends, slopes h L e1, and arms from the axis
   to the mass centre. Cubic in places and slopes, linear in the arms, T = m/2 sum D_ab p_a'.p_b' with
   constant D; so the forces on them are F_a = m sum D_ab p_b'', and a node with p = x + R beta gets the force
   F and the moment beta x R'F. Without the cubic, places are linear or points. Rotary inertia about the mass
   centre is a body of half of it at each node. */
#ifndef SN_ELEMENT_BEAM3D_GE_MASS_H
#define SN_ELEMENT_BEAM3D_GE_MASS_H

#include "element/beam3d_ge_force.h"

/* What counts: slopes of the cubic, arms of eccentric mass */
static INLINE void vectors_used(const sn_in *in, const constants *c, int *used)
{
    used[PLACE] = 1;
    used[SLOPE] = in->opt[OPT_MASS] == CONSISTENT;
    used[ARM] = c->off_axis != 0;
}

/* Second rate of R beta in the node's axes: al x beta + w x (w x beta) */
static INLINE void turning(const double *w, const double *al, const double *beta, double *a)
{
    double x[3], y[3];
    sn_cross3(w, beta, x);
    sn_cross3(w, x, y);
    sn_cross3(al, beta, a);
    for (int i = 0; i < 3; i++) a[i] += y[i];
}

/* The vectors of both nodes in their axes, which of them count, whether places have offsets */
typedef struct vectors {
    const double (*body)[VECTORS][3];
    const int *used;
    int arms;
} vectors;

/* Accelerations y (global) of the vectors at the nodes' v, a; of rest, velocities at velocities. Turning
   alone: places do not move but by their offsets. */
static INLINE void vector_rates(const motion *k, const double *v, const double *a, const vectors *of,
                                int alone, double (*y)[3])
{
    for (int i = 0; i < 2; i++, v += 6, a += 6)
        for (int b = 0; b < VECTORS; b++) {
            double A[3], *z = y[3 * i + b];
            z[0] = z[1] = z[2] = 0;
            if (!of->used[b]) continue;
            if (b != PLACE || of->arms) {
                turning(v + 3, a + 3, of->body[i][b], A);
                sn_mul3(k->R[i], A, z);
            }
            for (int j = 0; j < 3 && b == PLACE && !alone; j++) z[j] += a[j];
        }
}

/* Accelerations of the nodes with damping of mass, less the field */
static INLINE void effective(const sn_in *in, double *a)
{
    const double dm = in->s[DAMPING_MASS];
    for (int i = 0; i < 12; i++) a[i] = in->a[i] + dm * in->v[i];
    for (int i = 0; i < 3; i++) a[i] -= in->g[i], a[6 + i] -= in->g[i];
}

/* F = m D y */
static INLINE void vector_forces(const sn_in *in, const int *used, double m, double (*y)[3], double (*F)[3])
{
    const double *D = mass_matrix[in->opt[OPT_MASS]];
    for (int a = 0; a < 6; a++) {
        double x[3] = {0, 0, 0};
        for (int b = 0; b < 6 && used[a % 3]; b++)
            for (int j = 0; j < 3 && used[b % 3]; j++) x[j] += D[6 * a + b] * y[b][j];
        for (int j = 0; j < 3; j++) F[a][j] = m * x[j];
    }
}

/* r += forces of nodes for F */
static INLINE void add_vector_forces(const motion *k, const double (*body)[VECTORS][3], const int *used,
                                     int arms, double (*F)[3], double *r)
{
    for (int i = 0; i < 2; i++) {
        const double *f = F[3 * i];
        for (int j = 0; j < 3; j++) r[6 * i + j] += f[j];
        for (int b = 0; b < VECTORS; b++, f += 3) {
            double x[3], y[3];
            if (!used[b] || (b == PLACE && !arms)) continue;
            sn_tmul3(k->R[i], f, x);
            sn_cross3(body[i][b], x, y);
            for (int j = 0; j < 3; j++) r[6 * i + 3 + j] += y[j];
        }
    }
}

/* Bodies at the nodes: J al + w x J w */
static INLINE void add_bodies(const double (*J)[9], const double *v, const double *a, double *r)
{
    for (int i = 3; i < 12; i += 6) {
        double p[3], y[3], z[3];
        sn_mul3(J[i / 6], v + i, p);
        sn_mul3(J[i / 6], a + i, y);
        sn_cross3(v + i, p, z);
        for (int j = 0; j < 3; j++) r[i + j] += y[j] + z[j];
    }
}

static INLINE void add_inertia(const sn_in *in, const motion *k, const constants *c, double (*F)[3],
                               double *r)
{
    double y[6][3], a[12];
    int used[VECTORS];
    vectors_used(in, c, used);
    effective(in, a);
    if (!used[SLOPE] && !used[ARM] && c->arms == 0) { /* places alone */
        const double *D = mass_matrix[in->opt[OPT_MASS]];
        for (int j = 0; j < 3; j++) {
            r[j] += F[0][j] = c->m * (D[0] * a[j] + D[3] * a[6 + j]);
            r[6 + j] += F[3][j] = c->m * (D[18] * a[j] + D[21] * a[6 + j]);
        }
        add_bodies(c->J, in->v, a, r);
        return;
    }
    vector_rates(k, in->v, a, &(vectors){c->body, used, c->arms != 0}, 0, y);
    vector_forces(in, used, c->m, y, F);
    add_vector_forces(k, c->body, used, c->arms != 0, F, r);
    add_bodies(c->J, in->v, a, r);
}

static INLINE void body_tangent(const sn_in *in, const constants *c, double dm, double *C, double *M)
{
    for (int i = 3; i < 12; i += 6) {
        /* d(w x J w) = w~ J - (J w)~ */
        const double *w = in->v + i, *J = c->J[i / 6];
        double p[3], *Ci = C + 13 * i, *Mi = M + 13 * i;
        sn_mul3(J, w, p);
        for (int b = 0; b < 3; b++) {
            Ci[b] += w[1] * J[6 + b] - w[2] * J[3 + b] + dm * J[b];
            Ci[12 + b] += w[2] * J[b] - w[0] * J[6 + b] + dm * J[3 + b];
            Ci[24 + b] += w[0] * J[3 + b] - w[1] * J[b] + dm * J[6 + b];
            Mi[b] += J[b], Mi[12 + b] += J[3 + b], Mi[24 + b] += J[6 + b];
        }
        Ci[1] += p[2], Ci[12] -= p[2];
        Ci[24] += p[1], Ci[2] -= p[1];
        Ci[14] += p[0], Ci[25] -= p[0];
    }
}

/* Derivatives of R (al x beta + w x (w x beta)), al with dm w in it, by rotation, w and al, in the node's
   axes */
static INLINE void turning_tangent(const double *w, const double *al, const double *beta, double dm,
                                   double *K, double *C, double *M)
{
    double v[3], a[3], x[3], y[9], z[9];
    sn_cross3(w, beta, v);
    turning(w, al, beta, a);
    for (int j = 0; j < 3; j++) x[j] = -a[j];
    sn_skew3(x, K);
    for (int j = 0; j < 3; j++) x[j] = -beta[j];
    sn_skew3(x, M);
    /* -(w x beta)~ - w~ beta~ - dm beta~ */
    sn_skew3(v, y);
    sn_skew3(w, z);
    sn_matmul3(z, M, z);
    for (int j = 0; j < 9; j++) C[j] = z[j] - y[j] + dm * M[j];
}

/* K, C, M of the field; F: its forces */
static inline void inertia_tangent(const sn_in *in, const motion *k, const constants *c, double (*F)[3],
                                   double *K, double *C, double *M)
{
    const double *D = mass_matrix[in->opt[OPT_MASS]], dm = in->s[DAMPING_MASS];
    double ae[12];
    int used[VECTORS];
    vectors_used(in, c, used);
    effective(in, ae);
    body_tangent(in, c, dm, C, M);
    for (int i = 0; i < 12; i++) {
        if (i % 6 > 2) continue;
        const int j = (i + 6) % 12;
        M[13 * i] += c->m * D[0], M[12 * i + j] += c->m * D[3];
        C[13 * i] += dm * c->m * D[0], C[12 * i + j] += dm * c->m * D[3];
    }
    for (int b = 0; b < 6; b++) {
        const int j = b / 3, col = 6 * j + 3;
        double t[3][9], x[9], y[9], z[9];
        if (!used[b % 3] || (b % 3 == PLACE && c->arms == 0)) continue;
        turning_tangent(in->v + col, ae + col, c->body[j][b % 3], dm, t[0], t[1], t[2]);
        for (int l = 0; l < 3; l++) sn_matmul3(k->R[j], t[l], t[l]);
        for (int a = 0; a < 6; a++) {
            const int i = a / 3;
            const double f = c->m * D[6 * a + b];
            double *const X[3] = {K, C, M};
            if (!used[a % 3] || f == 0) continue;
            for (int l = 0; l < 3; l++) {
                if (a % 3 == PLACE) sn_block3(X[l], 12, 6 * i, col, f, t[l]);
                if (a % 3 == PLACE && c->arms == 0) continue;
                sn_skew3(c->body[i][a % 3], x);
                sn_tmatmul3(k->R[i], t[l], y);
                sn_matmul3(x, y, z);
                sn_block3(X[l], 12, 6 * i + 3, col, f, z);
            }
        }
    }
    for (int a = 0; a < 6; a++) { /* moments by places, and by the turn of R'F */
        const int i = a / 3;
        double x[9], y[3], z[9], Rt[9];
        if (!used[a % 3] || (a % 3 == PLACE && c->arms == 0)) continue;
        sn_skew3(c->body[i][a % 3], x);
        sn_tmul3(k->R[i], F[a], y);
        sn_skew3(y, z);
        sn_matmul3(x, z, z);
        sn_block3(K, 12, 6 * i + 3, 6 * i + 3, 1, z);
        for (int j = 0; j < 9; j++) Rt[j] = k->R[i][j % 3 * 3 + j / 3];
        sn_matmul3(x, Rt, z);
        for (int j = 0; j < 2; j++) {
            const double f = c->m * D[6 * a + 3 * j];
            sn_block3(M, 12, 6 * i + 3, 6 * j, f, z);
            sn_block3(C, 12, 6 * i + 3, 6 * j, dm * f, z);
        }
    }
}

/* Forces of a load w a length, whose field is linear between both ends: as those of arms on the cubic. l:
   at both ends, along global axes. */
static INLINE void load_forces(double h, const double (*l)[3], double (*F)[3])
{
    const double *D = mass_matrix[CONSISTENT];
    for (int a = 0; a < 6; a++)
        for (int j = 0; j < 3; j++)
            F[a][j] = a % 3 == ARM ? 0 : h * (D[6 * a + ARM] * l[0][j] + D[6 * a + 3 + ARM] * l[1][j]);
}

/* Potential of the field */
static inline double field_potential(const sn_in *in, const motion *k, const constants *c, double m,
                                     const double (*body)[VECTORS][3], const double *g, int alone)
{
    const double *D = mass_matrix[in->opt[OPT_MASS]];
    double V = 0, x[3];
    int used[VECTORS];
    vectors_used(in, c, used);
    for (int a = 0; a < 6; a++) {
        const int i = a / 3;
        if (!used[a % 3]) continue;
        sn_mul3(k->R[i], body[i][a % 3], x);
        for (int j = 0; j < 3 && a % 3 == PLACE && !alone; j++) x[j] += in->q[7 * i + j];
        V -= m * (D[6 * a] + D[6 * a + 3]) * sn_dot3(g, x);
    }
    return V;
}

/* Velocities of the vectors */
static inline void velocities(const motion *k, const constants *c, const double (*body)[VECTORS][3],
                              const int *used, const double *v, int alone, double (*y)[3])
{
    const double still[12] = {0};
    vector_rates(k, still, v, &(vectors){body, used, c->arms != 0}, alone, y);
}

static inline double bodies_energy(const double (*J)[9], const double *v)
{
    double T = 0, x[3];
    for (int i = 3; i < 12; i += 6) {
        sn_mul3(J[i / 6], v + i, x);
        T += 0.5 * sn_dot3(x, v + i);
    }
    return T;
}

#endif
