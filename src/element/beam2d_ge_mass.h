/* Inertia, field and line loads of beam2d_ge: beam3d_ge_mass.h of the plane. Only beam2d_ge.c includes this
   file. A vector p = R(theta) b of a node moves by J p dtheta, J the quarter turn. */
#ifndef SN_ELEMENT_BEAM2D_GE_MASS_H
#define SN_ELEMENT_BEAM2D_GE_MASS_H

#include "element/beam2d_ge.h"

/* Which vectors count, and where they are: those of 6 in global axes, for body vectors `body` */
typedef struct field_vectors {
    int used[VECTORS];
    double p[6][2];
} field_vectors;

static inline void vectors_at(const sn_in *in, const double (*body)[VECTORS][2], int slopes, int arms,
                              field_vectors *f)
{
    f->used[PLACE] = 1, f->used[SLOPE] = slopes, f->used[ARM] = arms;
    for (int i = 0; i < 2; i++) {
        const double c = cos(in->q[3 * i + 2]), s = sin(in->q[3 * i + 2]);
        for (int b = 0; b < VECTORS; b++) {
            const double *x = body[i][b];
            f->p[3 * i + b][0] = c * x[0] - s * x[1], f->p[3 * i + b][1] = s * x[0] + c * x[1];
        }
    }
}

static inline void mass_vectors(const sn_in *in, const constants *c, const double (*body)[VECTORS][2],
                                field_vectors *f)
{
    vectors_at(in, body, in->opt[OPT_MASS] == CONSISTENT, c->off_axis != 0, f);
}

/* Second rates y at the nodes' v, a, or velocities with v = 0 and a = v. alone: places do not move. */
static inline void vector_rates(const field_vectors *f, const double *v, const double *a, int alone,
                                double (*y)[2])
{
    for (int k = 0; k < 6; k++) {
        const int i = k / 3;
        const double *p = f->p[k], w = v ? v[3 * i + 2] : 0, al = a[3 * i + 2];
        y[k][0] = y[k][1] = 0;
        if (k % 3 == PLACE && !alone) y[k][0] = a[3 * i], y[k][1] = a[3 * i + 1];
        if (k % 3 == PLACE || !f->used[k % 3]) continue;
        y[k][0] = -al * p[1] - w * w * p[0], y[k][1] = al * p[0] - w * w * p[1];
    }
}

/* F = m D y */
static inline void vector_forces(const double *D, const field_vectors *f, double m, double (*y)[2],
                                 double (*F)[2])
{
    for (int a = 0; a < 6; a++) {
        F[a][0] = F[a][1] = 0;
        for (int b = 0; b < 6 && f->used[a % 3]; b++)
            for (int j = 0; j < 2 && f->used[b % 3]; j++) F[a][j] += m * D[6 * a + b] * y[b][j];
    }
}

static inline void add_vector_forces(const field_vectors *f, int places, double (*F)[2], double *r)
{
    for (int a = 0; a < 6; a++) {
        const int i = a / 3;
        if (a % 3 == PLACE && places) r[3 * i] += F[a][0], r[3 * i + 1] += F[a][1];
        if (a % 3 != PLACE && f->used[a % 3]) r[3 * i + 2] += f->p[a][0] * F[a][1] - f->p[a][1] * F[a][0];
    }
}

/* Accelerations of the nodes with damping of mass, less the field */
static inline void effective(const sn_in *in, double *a)
{
    for (int i = 0; i < 6; i++) a[i] = in->a[i] + in->s[DAMPING_MASS] * in->v[i];
    for (int i = 0; i < 2; i++) a[i] -= in->g[i], a[3 + i] -= in->g[i];
}

static inline void add_inertia(const sn_in *in, const constants *c, field_vectors *f, double (*F)[2],
                               double *r)
{
    double a[6], y[6][2];
    effective(in, a);
    mass_vectors(in, c, c->body, f);
    vector_rates(f, in->v, a, 0, y);
    vector_forces(mass_matrix[in->opt[OPT_MASS]], f, c->m, y, F);
    add_vector_forces(f, 1, F, r);
    r[2] += c->J * a[2], r[5] += c->J * a[5];
}

/* K of the turn of moments p x F */
static inline void turned_moments(const field_vectors *f, double (*F)[2], double *K)
{
    for (int a = 0; a < 6; a++)
        if (a % 3 != PLACE && f->used[a % 3])
            K[7 * (a / 3 * 3 + 2)] -= f->p[a][0] * F[a][0] + f->p[a][1] * F[a][1];
}

/* X += forces on the nodes by vector b that changes by dy, in column col */
static inline void vector_column(const double *D, const field_vectors *f, double m, int b, const double *dy,
                                 int col, double *X)
{
    for (int a = 0; a < 6; a++) {
        const double x = m * D[6 * a + b];
        const int i = a / 3 * 3;
        if (!f->used[a % 3] || x == 0) continue;
        if (a % 3 == PLACE)
            X[6 * i + col] += x * dy[0], X[6 * (i + 1) + col] += x * dy[1];
        else
            X[6 * (i + 2) + col] += x * (f->p[a][0] * dy[1] - f->p[a][1] * dy[0]);
    }
}

static inline void inertia_tangent(const sn_in *in, const constants *c, const field_vectors *f,
                                   double (*F)[2], double *K, double *C, double *M)
{
    const double *D = mass_matrix[in->opt[OPT_MASS]], dm = in->s[DAMPING_MASS];
    turned_moments(f, F, K);
    for (int b = 0; b < 6; b++) {
        const int i = b / 3 * 3;
        if (!f->used[b % 3]) continue;
        if (b % 3 == PLACE) {
            for (int j = 0; j < 2; j++) {
                const double e[2] = {j == 0, j == 1}, d[2] = {dm * e[0], dm * e[1]};
                vector_column(D, f, c->m, b, e, i + j, M);
                if (dm != 0) vector_column(D, f, c->m, b, d, i + j, C);
            }
            continue;
        }
        const double *p = f->p[b], w = in->v[i + 2], al = in->a[i + 2] + dm * w, t[2] = {-p[1], p[0]};
        const double k[2] = {-al * p[0] - w * w * t[0], -al * p[1] - w * w * t[1]};
        const double v[2] = {dm * t[0] - 2 * w * p[0], dm * t[1] - 2 * w * p[1]};
        vector_column(D, f, c->m, b, k, i + 2, K);
        vector_column(D, f, c->m, b, v, i + 2, C);
        vector_column(D, f, c->m, b, t, i + 2, M);
    }
    for (int i = 2; i < 6; i += 3) C[7 * i] += dm * c->J, M[7 * i] += c->J;
}

/* -g.(sum of mass and place), for any mass and body vectors; alone: without the nodes' places */
static inline double field_potential(const sn_in *in, const constants *c, double m,
                                     const double (*body)[VECTORS][2], const double *g, int alone)
{
    const double *D = mass_matrix[in->opt[OPT_MASS]];
    field_vectors f;
    double V = 0;
    mass_vectors(in, c, body, &f);
    for (int a = 0; a < 6; a++) {
        const double *p = a % 3 == PLACE ? in->q + a : f.p[a];
        if (!f.used[a % 3] || (a % 3 == PLACE && alone)) continue;
        V -= m * (D[6 * a] + D[6 * a + 3]) * (g[0] * p[0] + g[1] * p[1]);
    }
    return V;
}

/* ---- line loads: on places and slopes of the cubic, linear between both ends where they turn ---- */

static inline void load_ends(const motion *k, const double *w, int turning, double (*l)[2])
{
    for (int i = 0; i < 2; i++) {
        const double *a = k->axis[i];
        l[i][0] = turning ? a[0] * w[0] - a[1] * w[1] : w[0];
        l[i][1] = turning ? a[1] * w[0] + a[0] * w[1] : w[1];
    }
}

static inline void load_forces(double h, double (*l)[2], double (*F)[2])
{
    const double *D = mass_matrix[CONSISTENT];
    for (int a = 0; a < 6; a++)
        for (int j = 0; j < 2; j++)
            F[a][j] = a % 3 == ARM ? 0 : h * (D[6 * a + ARM] * l[0][j] + D[6 * a + 3 + ARM] * l[1][j]);
}

#endif
