/* Variations of beam3d_cr: directional derivatives of motion and local force, several directions (lanes) at
   once; for parameters, outputs and loads along the beam. Only beam3d_cr.c includes this file.

   A direction is given by its seeds: du, the change of the chord's vector in local axes, the spins phi_i of
   the sections' axes, the spins chi_i of the nodes (the same, but for a change of the reference axes), and
   what changes V, A and the arms c directly. Then (E'dE = w~) dB_i = (phi_i - w)~ B_i, dth_i = T^-1 (phi_i -
   w), and a vector of constant global components changes by -w x, one fixed to node i by (chi_i - w) x. */
#ifndef SN_ELEMENT_BEAM3D_CR_VARY_H
#define SN_ELEMENT_BEAM3D_CR_VARY_H

#include "element/beam3d_cr_ends.h"

enum { LANES = 12 };
typedef double lane[LANES];

typedef struct seeds {
    lane du[3], phi[2][3], chi[2][3], V[12], A[12], c[2][3];
    int rates, arms; /* V and A, c are used */
} seeds;

typedef struct change {
    lane w[3], om[2][3], tu[2][3], th[2][3]; /* om_i = phi_i - w, tu_i = chi_i - w */
    lane a[2], b[2], eta;                    /* one behind the other */
    lane V[12], A[12], W[3], rate[2][3], c[2][3], g[3], gm[3];
} change;

/* the number of lanes is a constant where it matters */
#define EACH(j) for (int j = 0; j < n; j++)

/* y += s u x x */
static INLINE void add_cross_lanes(int n, double s, const double *u, lane *restrict x, lane *restrict y)
{
    double u0 = s * u[0], u1 = s * u[1], u2 = s * u[2];
    EACH(j)
    {
        y[0][j] += u1 * x[2][j] - u2 * x[1][j];
        y[1][j] += u2 * x[0][j] - u0 * x[2][j];
        y[2][j] += u0 * x[1][j] - u1 * x[0][j];
    }
}

/* y += M x */
static INLINE void add_times_lanes(int n, const double *M, lane *restrict x, lane *restrict y)
{
    for (int i = 0; i < 3; i++)
        EACH(j) y[i][j] += M[3 * i] * x[0][j] + M[3 * i + 1] * x[1][j] + M[3 * i + 2] * x[2][j];
}

static INLINE void zero_lanes(int n, int rows, lane *x)
{
    for (int i = 0; i < rows; i++) EACH(j) x[i][j] = 0;
}

/* Derivative by th of (1 + s th~ + b th~^2) y */
static inline void turn_form_matrix(double s, double b, double db, const double *th, const double *y,
                                    double *D)
{
    double u[3], v[3], dot = sn_dot3(th, y), x[3], X[9];
    sn_cross3(th, y, u);
    sn_cross3(th, u, v);
    for (int i = 0; i < 3; i++) x[i] = s * y[i] + b * u[i];
    sn_skew3(x, X);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            D[3 * i + j] = -X[3 * i + j] + (db * v[i] - b * y[i]) * th[j] + (i == j ? b * dot : 0);
}

/* T^-1 as a matrix */
static inline void inverse_matrix(const motion *k, int i, double *T)
{
    sn_tangent_form(k->th[i], -0.5, k->tb[i], T);
}

/* Spin of the chord's axes, local rotations */
static INLINE void vary_place(int n, const motion *k, seeds *s, change *d)
{
    const double il = k->il, iq = k->iq;
    double T[9];
    EACH(j)
    {
        d->w[2][j] = s->du[1][j] * il;
        d->w[1][j] = -s->du[2][j] * il;
        d->w[0][j] = k->eta * d->w[1][j] + k->a[0] * s->phi[0][0][j] - k->b[0] * s->phi[0][1][j] +
                     k->a[1] * s->phi[1][0][j] - k->b[1] * s->phi[1][1][j];
    }
    for (int i = 0; i < 2; i++) {
        const double *B = k->B[i];
        for (int l = 0; l < 3; l++) EACH(j)
            {
                d->om[i][l][j] = s->phi[i][l][j] - d->w[l][j];
                d->tu[i][l][j] = s->chi[i][l][j] - d->w[l][j];
            }
        /* first dp_iy, dp_ix over 2 q_y */
        EACH(j)
        {
            d->a[i][j] = iq * (d->om[i][2][j] * B[1] - d->om[i][0][j] * B[7]);
            d->b[i][j] = iq * (d->om[i][1][j] * B[7] - d->om[i][2][j] * B[4]);
        }
        inverse_matrix(k, i, T);
        zero_lanes(n, 3, d->th[i]);
        add_times_lanes(n, T, d->om[i], d->th[i]);
    }
    EACH(j)
    {
        double y = d->a[0][j] + d->a[1][j];
        for (int i = 0; i < 2; i++) {
            d->a[i][j] -= k->a[i] * y;
            d->b[i][j] -= k->b[i] * y;
        }
        d->eta[j] = d->b[0][j] + d->b[1][j];
    }
}

static INLINE void vary_spin(int n, const motion *k, seeds *s, change *d)
{
    const double il = k->il, *V = k->V, *W = k->W;
    EACH(j)
    {
        double dl = s->du[0][j] * il;
        d->W[2][j] = (d->V[7][j] - d->V[1][j]) * il - W[2] * dl;
        d->W[1][j] = (d->V[2][j] - d->V[8][j]) * il - W[1] * dl;
        d->W[0][j] = k->eta * d->W[1][j] + d->eta[j] * W[1] + k->a[0] * d->V[3][j] - k->b[0] * d->V[4][j] +
                     k->a[1] * d->V[9][j] - k->b[1] * d->V[10][j] + d->a[0][j] * V[3] - d->b[0][j] * V[4] +
                     d->a[1][j] * V[9] - d->b[1][j] * V[10];
    }
}

/* d(T^-1 (V_r - W)) */
static INLINE void vary_strain_rate(int n, const motion *k, change *d)
{
    double x[3], T[9], D[9];
    lane y[3];
    for (int i = 0; i < 2; i++) {
        for (int l = 0; l < 3; l++) {
            x[l] = k->V[6 * i + 3 + l] - k->W[l];
            EACH(j) y[l][j] = d->V[6 * i + 3 + l][j] - d->W[l][j];
        }
        inverse_matrix(k, i, T);
        turn_form_matrix(-0.5, k->tb[i], k->dtb[i], k->th[i], x, D);
        zero_lanes(n, 3, d->rate[i]);
        add_times_lanes(n, T, y, d->rate[i]);
        add_times_lanes(n, D, d->th[i], d->rate[i]);
    }
}

static INLINE void vary_rates(int n, const motion *k, seeds *s, change *d, int damped)
{
    for (int l = 0; l < 12; l++) EACH(j)
        {
            d->V[l][j] = s->rates ? s->V[l][j] : 0;
            d->A[l][j] = s->rates ? s->A[l][j] : 0;
        }
    for (int i = 0; i < 2; i++) {
        add_cross_lanes(n, 1, k->V + 6 * i, d->w, d->V + 6 * i);
        add_cross_lanes(n, 1, k->A + 6 * i, d->w, d->A + 6 * i);
        add_cross_lanes(n, -1, k->V + 6 * i + 3, d->tu[i], d->V + 6 * i + 3);
        add_cross_lanes(n, -1, k->A + 6 * i + 3, d->tu[i], d->A + 6 * i + 3);
        if (!k->arms) continue;
        add_cross_lanes(n, -1, k->Ve[i], s->chi[i], d->V + 6 * i);
        add_cross_lanes(n, -1, k->Ae[i], s->chi[i], d->A + 6 * i);
    }
    vary_spin(n, k, s, d);
    if (damped) vary_strain_rate(n, k, d);
}

/* All of the motion; damped: rates of the deformation are needed */
static INLINE void vary_motion(int n, const motion *k, seeds *s, change *d, int damped)
{
    vary_place(n, k, s, d);
    if (k->rates) vary_rates(n, k, s, d, damped);
    zero_lanes(n, 3, d->g);
    zero_lanes(n, 3, d->gm);
    if (k->dead) {
        add_cross_lanes(n, 1, k->g, d->w, d->g);
        add_cross_lanes(n, 1, k->gm, d->w, d->gm);
    }
    for (int i = 0; i < 2 && k->arms; i++) {
        for (int l = 0; l < 3; l++) EACH(j) d->c[i][l][j] = s->arms ? s->c[i][l][j] : 0;
        add_cross_lanes(n, -1, k->c[i], d->tu[i], d->c[i]);
    }
}

/* p = Ml u */
static INLINE void mass_lanes(int n, const constants *c, lane *restrict u, lane *restrict p)
{
    const bending *z = &c->z, *y = &c->y;
    EACH(j)
    {
        p[0][j] = c->a1 * u[0][j] + c->a2 * u[6][j];
        p[6][j] = c->a2 * u[0][j] + c->a1 * u[6][j];
        p[3][j] = p[9][j] = 0;
    }
    EACH(j)
    {
        p[1][j] = z->n1 * u[1][j] + z->n2 * u[7][j] + z->r1 * u[5][j] - z->r2 * u[11][j];
        p[7][j] = z->n2 * u[1][j] + z->n1 * u[7][j] + z->r2 * u[5][j] - z->r1 * u[11][j];
        p[5][j] = z->r1 * u[1][j] + z->r2 * u[7][j] + z->s1 * u[5][j] + z->s2 * u[11][j];
        p[11][j] = z->s1 * u[11][j] + z->s2 * u[5][j] - z->r2 * u[1][j] - z->r1 * u[7][j];
    }
    EACH(j)
    {
        p[2][j] = y->n1 * u[2][j] + y->n2 * u[8][j] - y->r1 * u[4][j] + y->r2 * u[10][j];
        p[8][j] = y->n2 * u[2][j] + y->n1 * u[8][j] - y->r2 * u[4][j] + y->r1 * u[10][j];
        p[4][j] = y->s1 * u[4][j] + y->s2 * u[10][j] - y->r1 * u[2][j] - y->r2 * u[8][j];
        p[10][j] = y->s1 * u[10][j] + y->s2 * u[4][j] + y->r2 * u[2][j] + y->r1 * u[8][j];
    }
}

static INLINE void vary_inertia(int n, const motion *k, const recipe a, const forces *s, change *d, lane *f,
                                lane *kap)
{
    lane x[12], P[12];
    for (int l = 0; l < 12; l++) EACH(j) x[l][j] = d->A[l][j] + a.dm * d->V[l][j];
    for (int i = 0; i < 12; i += 3) {
        add_cross_lanes(n, -1, k->W, d->V + i, x + i);
        add_cross_lanes(n, 1, k->V + i, d->W, x + i);
    }
    mass_lanes(n, a.c, x, f);
    mass_lanes(n, a.c, d->V, P);
    for (int i = 0; i < 12; i += 3) {
        add_cross_lanes(n, 1, k->W, P + i, f + i);
        add_cross_lanes(n, -1, s->P + i, d->W, f + i);
        add_cross_lanes(n, 1, k->V + i, P + i, kap);
        add_cross_lanes(n, -1, s->P + i, d->V + i, kap);
    }
    for (int i = 3; i < 12; i += 6) {
        add_cross_lanes(n, -1, k->V + i, P + i, f + i);
        add_cross_lanes(n, 1, s->P + i, d->V + i, f + i);
    }
}

static INLINE void vary_stress(int n, const motion *k, const recipe a, seeds *s, change *d, lane *f, lane *m)
{
    const double *H = k->H;
    EACH(j)
    {
        pair e[3], my[3];
        double x = s->du[0][j];
        for (int l = 0; l < 3; l++) {
            e[l] = (pair){d->th[0][l][j], d->th[1][l][j]};
            if (a.d != 0) e[l] += a.d * (pair){d->rate[0][l][j], d->rate[1][l][j]};
        }
        if (a.d != 0) x += a.d * (d->V[6][j] - d->V[0][j]);
        stress_moments(a.c, e, my);
        x *= a.c->ea;
        if (k->shear) {
            const double dl = s->du[0][j], y = d->th[0][1][j] + d->th[1][1][j],
                         z = d->th[0][2][j] + d->th[1][2][j];
            x += H[0] * dl + H[1] * y + H[2] * z;
            my[1] += H[3] * dl + H[4] * y + H[5] * z;
            my[2] += H[6] * dl + H[7] * y + H[8] * z;
        }
        for (int l = 0; l < 3; l++) {
            m[l][j] += my[l][0];
            m[3 + l][j] += my[l][1];
        }
        f[0][j] -= x;
        f[6][j] += x;
    }
}

static INLINE void vary_load(int n, const motion *k, const load *p, change *d, lane *f, lane *m, lane *kap)
{
    const double *g = k->g, *t1 = k->th[0], *t2 = k->th[1];
    const double x[3] = {0, t1[2] - t2[2], t2[1] - t1[1]};
    lane y[3];
    EACH(j)
    {
        y[0][j] = 0;
        y[1][j] = d->th[0][2][j] - d->th[1][2][j];
        y[2][j] = d->th[1][1][j] - d->th[0][1][j];
        m[1][j] += p->B * d->g[2][j];
        m[2][j] -= p->B * d->g[1][j];
        m[4][j] -= p->B * d->g[2][j];
        m[5][j] += p->B * d->g[1][j];
        kap[1][j] -= p->F[0] * d->gm[1][j];
        kap[2][j] -= p->F[1] * d->gm[2][j];
    }
    for (int l = 0; l < 3; l++) EACH(j)
        {
            f[l][j] -= 0.5 * p->A * d->g[l][j];
            f[6 + l][j] -= 0.5 * p->A * d->g[l][j];
            f[3 + l][j] -= p->D[l] * d->gm[l][j];
            f[9 + l][j] -= p->D[l] * d->gm[l][j];
        }
    add_cross_lanes(n, p->B, g, y, kap);
    add_cross_lanes(n, -p->B, x, d->g, kap);
}

/* f += G dkap + dG kap */
static INLINE void add_spin_lanes(int n, const motion *k, const double *kap, seeds *s, change *d, lane *dk,
                                  lane *f)
{
    double il = k->il, y0 = kap[2] * il, z0 = -(kap[1] + k->eta * kap[0]) * il;
    EACH(j)
    {
        double dl = s->du[0][j] * il;
        double y = dk[2][j] * il - y0 * dl;
        double z = -(dk[1][j] + k->eta * dk[0][j] + d->eta[j] * kap[0]) * il - z0 * dl;
        f[1][j] -= y;
        f[2][j] -= z;
        f[7][j] += y;
        f[8][j] += z;
        for (int i = 0; i < 2; i++) {
            f[3 + 6 * i][j] += k->a[i] * dk[0][j] + d->a[i][j] * kap[0];
            f[4 + 6 * i][j] -= k->b[i] * dk[0][j] + d->b[i][j] * kap[0];
        }
    }
}

/* Derivative of the local force t, components in the moving axes */
static INLINE void vary_force(int n, const motion *k, const recipe a, const forces *t, seeds *s, change *d,
                              lane *f)
{
    const int parts = a.parts;
    double T[9], Tt[9], D[9];
    lane m[6], mu[3], kap[3];
    zero_lanes(n, 6, m);
    zero_lanes(n, 3, kap);
    if ((parts & INERTIA) && k->field)
        vary_inertia(n, k, a, t, d, f, kap);
    else
        zero_lanes(n, 12, f);
    if (parts & STRESS) vary_stress(n, k, a, s, d, f, m);
    if (parts & LOAD) vary_load(n, k, a.p, d, f, m, kap);
    for (int i = 0; i < 2; i++) {
        inverse_matrix(k, i, T);
        for (int l = 0; l < 9; l++) Tt[l] = T[l % 3 * 3 + l / 3];
        turn_form_matrix(0.5, k->tb[i], k->dtb[i], k->th[i], t->m[i], D);
        zero_lanes(n, 3, mu);
        add_times_lanes(n, Tt, m + 3 * i, mu);
        add_times_lanes(n, D, d->th[i], mu);
        for (int l = 0; l < 3; l++) EACH(j)
            {
                f[6 * i + 3 + l][j] += mu[l][j];
                kap[l][j] -= mu[l][j];
            }
    }
    add_spin_lanes(n, k, t->kap, s, d, kap, f);
    for (int i = 0; i < 2 && k->arms && (parts & ARMS); i++) {
        add_cross_lanes(n, 1, k->c[i], f + 6 * i, f + 6 * i + 3);
        add_cross_lanes(n, -1, t->f + 6 * i, d->c[i], f + 6 * i + 3);
    }
}

/* The same of G dkap alone */
static INLINE void add_spin_rates(int n, const motion *k, lane *dk, lane *f)
{
    EACH(j)
    {
        double y = dk[2][j] * k->il, z = -(dk[1][j] + k->eta * dk[0][j]) * k->il;
        f[1][j] -= y;
        f[2][j] -= z;
        f[7][j] += y;
        f[8][j] += z;
        for (int i = 0; i < 2; i++) {
            f[3 + 6 * i][j] += k->a[i] * dk[0][j];
            f[4 + 6 * i][j] -= k->b[i] * dk[0][j];
        }
    }
}

/* Derivatives of the local damping force by the velocities of the nodes */
static inline void velocity_columns(const motion *k, const recipe a, change *d, lane *f)
{
    enum { n = 12 };
    lane m[6], mu[3], kap[3];
    double T[9], Tt[9];
    seeds s;
    zero_lanes(n, 12, d->V);
    for (int i = 0; i < 12; i++) d->V[i][i] = 1;
    for (int i = 0; i < 2 && k->arms; i++) add_cross_lanes(n, -1, k->c[i], d->V + 6 * i + 3, d->V + 6 * i);
    zero_lanes(n, 3, kap);
    zero_lanes(n, 3, s.du);
    zero_lanes(n, 5, d->a); /* a, b, eta */
    zero_lanes(n, 12, f);
    zero_lanes(n, 6, m);
    zero_lanes(n, 6, d->th[0]);
    vary_spin(n, k, &s, d);
    vary_strain_rate(n, k, d);
    vary_stress(n, k, a, &s, d, f, m);
    for (int i = 0; i < 2; i++) {
        inverse_matrix(k, i, T);
        for (int l = 0; l < 9; l++) Tt[l] = T[l % 3 * 3 + l / 3];
        zero_lanes(n, 3, mu);
        add_times_lanes(n, Tt, m + 3 * i, mu);
        for (int l = 0; l < 3; l++) EACH(j)
            {
                f[6 * i + 3 + l][j] += mu[l][j];
                kap[l][j] -= mu[l][j];
            }
    }
    add_spin_rates(n, k, kap, f);
    for (int i = 0; i < 2 && k->arms && (a.parts & ARMS); i++)
        add_cross_lanes(n, 1, k->c[i], f + 6 * i, f + 6 * i + 3);
}

/* The axes turn: forces with E, moments with the nodes */
static INLINE void turn_nodes(int n, const double *t, change *d, lane *f)
{
    for (int i = 0; i < 2; i++) {
        add_cross_lanes(n, -1, t + 6 * i, d->w, f + 6 * i);
        add_cross_lanes(n, 1, t + 6 * i + 3, d->tu[i], f + 6 * i + 3);
    }
}

/* Unit directions of phi1, phi2, d2 - d1 */
static inline void unit_seeds(const motion *k, seeds *s)
{
    zero_lanes(10, 3, s->du);
    zero_lanes(10, 6, s->phi[0]);
    for (int i = 0; i < 3; i++) s->phi[0][i][i] = s->phi[1][i][3 + i] = s->du[i][6 + i] = 1;
    for (int i = 0; i < 2 && k->arms; i++) {
        /* du = phi_2 x c_2 - phi_1 x c_1 */
        double X[9], sign = i ? -1 : 1;
        sn_skew3(k->c[i], X);
        for (int l = 0; l < 3; l++)
            for (int m = 0; m < 3; m++) s->du[l][3 * i + m] += sign * X[3 * l + m];
    }
    memcpy(s->chi, s->phi, sizeof s->phi);
    s->rates = s->arms = 0;
}

/* y += x Q', the columns from local to node coordinates */
static inline void add_columns(const motion *k, int rows, lane *x, double *y)
{
    const double *E = k->E, *S = k->S[0], *T = k->S[1];
    for (int i = 0; i < rows; i++, y += 12)
        for (int j = 0; j < 3; j++) {
            const double *u = x[i], *e = E + 3 * j;
            y[j] += u[0] * e[0] + u[1] * e[1] + u[2] * e[2];
            y[3 + j] += u[3] * S[j] + u[4] * S[3 + j] + u[5] * S[6 + j];
            y[6 + j] += u[6] * e[0] + u[7] * e[1] + u[8] * e[2];
            y[9 + j] += u[9] * T[j] + u[10] * T[3 + j] + u[11] * T[6 + j];
        }
}

/* The same for columns by (phi1, phi2, d2 - d1) */
static inline void add_directions(const motion *k, int rows, lane *x, double *y)
{
    const double *E = k->E, *S = k->S[0], *T = k->S[1];
    for (int i = 0; i < rows; i++, y += 12)
        for (int j = 0; j < 3; j++) {
            const double *u = x[i], *e = E + 3 * j;
            double d = u[6] * e[0] + u[7] * e[1] + u[8] * e[2];
            y[j] -= d;
            y[3 + j] += u[0] * S[j] + u[1] * S[3 + j] + u[2] * S[6 + j];
            y[6 + j] += d;
            y[9 + j] += u[3] * T[j] + u[4] * T[3 + j] + u[5] * T[6 + j];
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

/* K += Q x Q' for columns by (phi1, phi2, d2 - d1) */
static inline void add_tangent(const motion *k, lane *x, double *K)
{
    lane y[12];
    node_rows(10, k, x, y);
    add_directions(k, 12, y, K);
}

#endif
