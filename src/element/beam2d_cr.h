/* Numerical body of beam2d_cr: kinematics of the chord, local forces, columns of their tangents. Read the
   head of beam2d_cr.c first; only that file includes this one.

   All is in chord axes (t, n): local vectors are (t1, n1, theta1, t2, n2, theta2), J = dR/dbeta R' maps
   (t, n) to (n, -t). A change of q enters only by dl, dbeta, dtheta1, dtheta2, so a tangent is four columns
   (BY_L ... BY_T2). */
#ifndef SN_ELEMENT_BEAM2D_CR_H
#define SN_ELEMENT_BEAM2D_CR_H

#include <math.h>

#include "sinew/class.h"

enum { EA, EI, RHO_A, RHO_I, DAMPING, DAMPING_MASS, NS };
enum { OPT_INERTIA, OPT_GRAVITY };
enum { BY_L, BY_BETA, BY_T1, BY_T2 };
static const double two_pi = 6.283185307179586476925;

/* Entries of the local mass: axial (same node, other node), lateral, lateral with rotation, rotation. */
typedef struct mass {
    double a1, a2, n1, n2, r1, r2, t1, t2;
} mass;

typedef struct constants {
    double L, c0, s0, ea, ei; /* reference chord; EA/L, 2 EI/L */
    mass m;
} constants;

/* Chord, deformation and rates; velocity and acceleration in chord axes; field there (0 where lumped) */
typedef struct motion {
    double l, il, c, s, tb1, tb2, w, ld;
    double u[6], a[6], gt, gn;
    double dm; /* mass-proportional damping */
    int full;  /* all of the Lagrangian inertia forces */
} motion;

typedef struct stress {
    double N, M1, M2;
} stress;

/* Mass entries from rhoA L, rhoA L^2, rhoA L^3, rhoI L, or from the derivatives of these. */
static inline mass mass_entries(double A1, double A2, double A3, double I)
{
    return (mass){.a1 = A1 / 3,
                  .a2 = A1 / 6,
                  .n1 = 13.0 / 35 * A1,
                  .n2 = 9.0 / 70 * A1,
                  .r1 = 11.0 / 210 * A2,
                  .r2 = 13.0 / 420 * A2,
                  .t1 = A3 / 105 + 0.5 * I,
                  .t2 = -A3 / 140};
}

static inline void mass_times(const mass *m, const double *u, double *p)
{
    p[0] = m->a1 * u[0] + m->a2 * u[3];
    p[3] = m->a2 * u[0] + m->a1 * u[3];
    p[1] = m->n1 * u[1] + m->n2 * u[4] + m->r1 * u[2] - m->r2 * u[5];
    p[4] = m->n2 * u[1] + m->n1 * u[4] + m->r2 * u[2] - m->r1 * u[5];
    p[2] = m->r1 * u[1] + m->r2 * u[4] + m->t1 * u[2] + m->t2 * u[5];
    p[5] = m->t1 * u[5] + m->t2 * u[2] - m->r2 * u[1] - m->r1 * u[4];
}

static inline void to_local(double c, double s, const double *x, double *y)
{
    y[0] = c * x[0] + s * x[1];
    y[1] = c * x[1] - s * x[0];
    y[2] = x[2];
    y[3] = c * x[3] + s * x[4];
    y[4] = c * x[4] - s * x[3];
    y[5] = x[5];
}

static inline void to_global(double c, double s, const double *y, double *x)
{
    x[0] = c * y[0] - s * y[1];
    x[1] = s * y[0] + c * y[1];
    x[2] = y[2];
    x[3] = c * y[3] - s * y[4];
    x[4] = s * y[3] + c * y[4];
    x[5] = y[5];
}

static inline double wrap(double x)
{
    return fabs(x) <= 0.5 * two_pi ? x : x - two_pi * round(x * (1 / two_pi));
}

static inline sn_status move(const sn_in *in, motion *k)
{
    const constants *cst = (const constants *)in->c;
    const double *q = in->q;
    double dx = q[3] - q[0], dy = q[4] - q[1], l2 = dx * dx + dy * dy, beta;
    if (!(l2 > 0)) return SN_ERR_NUMERIC;
    beta = atan2(cst->c0 * dy - cst->s0 * dx, cst->c0 * dx + cst->s0 * dy);
    k->l = sqrt(l2);
    k->il = 1 / k->l;
    k->c = dx * k->il;
    k->s = dy * k->il;
    k->tb1 = wrap(q[2] - beta);
    k->tb2 = wrap(q[5] - beta);
    to_local(k->c, k->s, in->v, k->u);
    to_local(k->c, k->s, in->a, k->a);
    k->w = (k->u[4] - k->u[1]) * k->il;
    k->ld = k->u[3] - k->u[0];
    k->gt = k->gn = 0;
    if (in->opt[OPT_GRAVITY] == 0) {
        k->gt = k->c * in->g[0] + k->s * in->g[1];
        k->gn = k->c * in->g[1] - k->s * in->g[0];
    }
    k->dm = in->s[DAMPING_MASS];
    k->full = in->opt[OPT_INERTIA] == 0;
    return SN_OK;
}

/* N, M1, M2 of deformations e (elongation, tb1, tb2) */
static inline stress stress_of(double ea, double ei, double e, double e1, double e2)
{
    return (stress){ea * e, ei * (2 * e1 + e2), ei * (e1 + 2 * e2)};
}

static inline stress member_stress(const sn_in *in, const motion *k)
{
    const constants *cst = (const constants *)in->c;
    double d = in->s[DAMPING];
    return stress_of(cst->ea, cst->ei, k->l - cst->L + d * k->ld, k->tb1 + d * (k->u[2] - k->w),
                     k->tb2 + d * (k->u[5] - k->w));
}

/* f = N r + M1 (e3 - b) + M2 (e6 - b) in chord axes */
static inline void stress_force(stress n, double il, double *f)
{
    double V = (n.M1 + n.M2) * il;
    f[0] = -n.N;
    f[1] = V;
    f[2] = n.M1;
    f[3] = n.N;
    f[4] = -V;
    f[5] = n.M2;
}

/* p = Ml u and (J u).p = 1/2 v'M'v */
static inline double momentum(const motion *k, const mass *m, double *p)
{
    const double *u = k->u;
    mass_times(m, u, p);
    return u[1] * p[0] - u[0] * p[1] + u[4] * p[3] - u[3] * p[4];
}

/* Residual in chord axes: Ml (a - g + w J u + dm u) + w J'p + N r + M1 e3 + M2 e6 + E b, p = Ml u, with
   E = m L/12 (tb1 - tb2) g.t - (J u).p - M1 - M2. Returns E.
   Linear in (mass, stress): put in their derivatives, and out comes the derivative of the residual. */
static inline double local_force(const motion *k, const mass *m, stress n, double *f)
{
    const double *u = k->u, *a = k->a;
    double p[6], x[6], w = k->w, dm = k->dm, kappa = momentum(k, m, p), E, V;
    x[0] = a[0] - k->gt + w * u[1] + dm * u[0];
    x[1] = a[1] - k->gn - w * u[0] + dm * u[1];
    x[2] = a[2] + dm * u[2];
    x[3] = a[3] - k->gt + w * u[4] + dm * u[3];
    x[4] = a[4] - k->gn - w * u[3] + dm * u[4];
    x[5] = a[5] + dm * u[5];
    mass_times(m, x, f);
    E = (m->r1 + m->r2) * (k->tb1 - k->tb2) * k->gt - n.M1 - n.M2;
    if (k->full) E -= kappa;
    V = E * k->il;
    f[0] -= w * p[1] + n.N;
    f[1] += w * p[0] - V;
    f[2] += n.M1;
    f[3] += n.N - w * p[4];
    f[4] += w * p[3] + V;
    f[5] += n.M2;
    return E;
}

/* A load without moments: half of the weight at each node */
static inline void lumped_weight(const sn_in *in, const mass *m, double *r)
{
    double half = m->a1 + m->a2;
    r[0] -= half * in->g[0];
    r[1] -= half * in->g[1];
    r[3] -= half * in->g[0];
    r[4] -= half * in->g[1];
}

static inline void add_global(const motion *k, const double *f, double *r)
{
    double x[6];
    to_global(k->c, k->s, f, x);
    for (int i = 0; i < 6; i++) r[i] += x[i];
}

/* Row of dy = yl dl + yb dbeta + y1 dtheta1 + y2 dtheta2 */
static inline void chain_row(const motion *k, double yl, double yb, double y1, double y2, double *row)
{
    double yn = yb * k->il, x = k->c * yl - k->s * yn, y = k->s * yl + k->c * yn;
    row[0] -= x;
    row[1] -= y;
    row[2] += y1;
    row[3] += x;
    row[4] += y;
    row[5] += y2;
}

/* Elastic and damping forces: derivatives of the local force by l, beta, theta1, theta2, chord axes held */
static inline void stress_columns(const sn_in *in, const motion *k, double E, double col[4][6])
{
    const constants *cst = (const constants *)in->c;
    double d = in->s[DAMPING], ea = cst->ea, ei = cst->ei, il = k->il;
    double ml = 3 * ei * d * k->w * il, mb = 3 * ei * (d * k->ld * il - 1);
    stress_force((stress){ea, ml, ml}, il, col[BY_L]);
    stress_force((stress){ea * d * k->l * k->w, mb, mb}, il, col[BY_BETA]);
    stress_force((stress){0, 2 * ei, ei}, il, col[BY_T1]);
    stress_force((stress){0, ei, 2 * ei}, il, col[BY_T2]);
    col[BY_L][1] += E * il * il;
    col[BY_L][4] -= E * il * il;
}

/* Damping forces: derivatives by the rates of l, beta, theta1, theta2 */
static inline void rate_columns(const sn_in *in, const motion *k, double col[4][6])
{
    const constants *cst = (const constants *)in->c;
    double ea = in->s[DAMPING] * cst->ea, ei = in->s[DAMPING] * cst->ei, il = k->il;
    stress_force((stress){ea, 0, 0}, il, col[BY_L]);
    stress_force((stress){0, -3 * ei, -3 * ei}, il, col[BY_BETA]);
    stress_force((stress){0, 2 * ei, ei}, il, col[BY_T1]);
    stress_force((stress){0, ei, 2 * ei}, il, col[BY_T2]);
}

/* The chord axes turn: J'f dbeta */
static inline void turn_column(const double *f, double *col)
{
    col[0] -= f[1];
    col[1] += f[0];
    col[3] -= f[4];
    col[4] += f[3];
}

static inline void chain_matrix(const motion *k, double col[4][6], double *K)
{
    double g[4][6];
    for (int i = 0; i < 4; i++) to_global(k->c, k->s, col[i], g[i]);
    for (int i = 0; i < 6; i++) chain_row(k, g[BY_L][i], g[BY_BETA][i], g[BY_T1][i], g[BY_T2][i], K + 6 * i);
}

/* K += wm M + wd dM/dbeta, block (i, j) of nodes by block */
static inline void mass_matrix(const motion *k, const mass *m, double wm, double wd, double *K)
{
    double c = k->c, s = k->s, cc = c * c, ss = s * s, cs = c * s;
    const double ax[2] = {m->a1, m->a2}, la[2] = {m->n1, m->n2}, rt[2] = {m->t1, m->t2};
    const double co[2][2] = {{m->r1, -m->r2}, {m->r2, -m->r1}};
    double dx = -wm * s - wd * c, dy = wm * c - wd * s;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double a = ax[i != j], n = la[i != j], d = a - n, *B = K + 18 * i + 3 * j;
            double xy = wm * d * cs + wd * d * (cc - ss), xx = 2 * wd * d * cs;
            B[0] += wm * (a * cc + n * ss) - xx;
            B[1] += xy;
            B[2] += co[i][j] * dx;
            B[6] += xy;
            B[7] += wm * (a * ss + n * cc) + xx;
            B[8] += co[i][j] * dy;
            B[12] += co[j][i] * dx;
            B[13] += co[j][i] * dy;
            B[14] += wm * rt[i != j];
        }
}

/* The same of inertia and field, added; h = Ml J u + J'p is the derivative by w */
static inline void inertia_columns(const motion *k, const mass *m, double *h, double col[4][6])
{
    const double *u = k->u, *a = k->a, ju[6] = {u[1], -u[0], 0, u[4], -u[3], 0};
    double w = k->w, dm = k->dm, il = k->il, hermite = m->r1 + m->r2, p[6], pj[6], x[6], y[6], eb, V;
    mass_times(m, u, p);
    mass_times(m, ju, pj);
    h[0] = pj[0] - p[1];
    h[1] = pj[1] + p[0];
    h[2] = pj[2];
    h[3] = pj[3] - p[4];
    h[4] = pj[4] + p[3];
    h[5] = pj[5];

    /* by beta: da = J a, dg = J g, du = J u, dJu = -u, dw = -ldot/l; by l: dw = -w/l */
    x[0] = a[1] - k->gn - w * u[0] + dm * u[1];
    x[1] = k->gt - a[0] - w * u[1] - dm * u[0];
    x[3] = a[4] - k->gn - w * u[3] + dm * u[4];
    x[4] = k->gt - a[3] - w * u[4] - dm * u[3];
    x[2] = x[5] = 0;
    mass_times(m, x, y);
    y[0] -= w * pj[1];
    y[1] += w * pj[0];
    y[3] -= w * pj[4];
    y[4] += w * pj[3];
    for (int i = 0; i < 6; i++) {
        col[BY_L][i] -= w * il * h[i];
        col[BY_BETA][i] += y[i] - k->ld * il * h[i];
    }
    eb = hermite * (k->tb1 - k->tb2) * k->gn;
    if (k->full) {
        eb += u[0] * p[0] + u[1] * p[1] + u[3] * p[3] + u[4] * p[4];
        eb -= ju[0] * pj[0] + ju[1] * pj[1] + ju[3] * pj[3] + ju[4] * pj[4];
    }
    col[BY_BETA][1] -= eb * il;
    col[BY_BETA][4] += eb * il;
    V = hermite * k->gt * il;
    col[BY_T1][1] -= V;
    col[BY_T1][4] += V;
    col[BY_T2][1] += V;
    col[BY_T2][4] -= V;
}

#endif
