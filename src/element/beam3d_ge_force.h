/* Elastic and damping forces of beam3d_ge. Only beam3d_ge.c includes this file.

   Forces g = (gu, gp) on (u, psi) are those on y by G' , dy = G (du, dpsi), G = [J D(u); 0 1], D(u) the
   derivative of J u by psi. Nodes: du = L1'(dx2 - dx1) + u~ dth1, dpsi = -J dth1 + J' dth2, dth in section
   axes; in short Y dq. Damping: s += damping M^-1 d(eps)/dt. */
#ifndef SN_ELEMENT_BEAM3D_GE_FORCE_H
#define SN_ELEMENT_BEAM3D_GE_FORCE_H

#include "element/beam3d_ge_strain.h"

/* Rates of (u, psi), and what damping makes of those of y: w = M^-1 d(eps)/dt */
typedef struct rates {
    double spin[2][3], v[3], du[3], dpsi[3], w[6]; /* spins in section axes, v = L1'(v2 - v1) */
} rates;

/* An element at a state, and what was evaluated there */
typedef struct beam {
    const motion *k;
    const constants *c;
    const strain *e;
    const rates *t;
} beam;

typedef struct forces {
    double s[6], g[6]; /* section forces with damping; forces on (u, psi) */
    double f[3];       /* on end 2, global; the opposite on end 1 */
    double m[2][3];    /* moments on the sections in their axes */
    double r[12];
} forces;

/* D(u): that of turn_form(-1) */
static INLINE void slope_of(const motion *k, const double *u, double *D) { turn_form_by(k, -1, u, D); }

/* Change of u and psi by rates of the ends (global) and of the sections */
static INLINE void relative_rates(const motion *k, const double *v1, const double *v2, const double *w1,
                                  const double *w2, double *du, double *dpsi)
{
    const double d[3] = {v2[0] - v1[0], v2[1] - v1[1], v2[2] - v1[2]};
    double x[3], y[3], z[3];
    sn_tmul3(k->L[0], d, du);
    sn_cross3(k->u, w1, x);
    turn_form(k, -1, w1, y);
    turn_form(k, 1, w2, z);
    for (int i = 0; i < 3; i++) du[i] += x[i], dpsi[i] = z[i] - y[i];
}

/* dU by du, dpsi */
static INLINE void strain_rates(const motion *k, const double *D, const double *du, const double *dpsi,
                                double *dU)
{
    double x[3];
    turn_form(k, -1, du, dU);
    sn_mul3(D, dpsi, x);
    for (int i = 0; i < 3; i++) dU[i] += x[i];
}

static inline void move_rates(const sn_in *in, const motion *k, const constants *c, const strain *e, rates *t)
{
    const double *v = in->v;
    double v1[3], v2[3], x[3], D[9];
    memcpy(v1, v, sizeof v1), memcpy(v2, v + 6, sizeof v2);
    for (int i = 0; i < 2; i++) {
        sn_tmul3(c->A[i], v + 6 * i + 3, t->spin[i]);
        if (c->arms == 0) continue;
        sn_cross3(v + 6 * i + 3, c->body[i][PLACE], x);
        sn_mul3(k->R[i], x, x);
        for (int j = 0; j < 3; j++) (i ? v2 : v1)[j] += x[j];
    }
    for (int j = 0; j < 3; j++) x[j] = v2[j] - v1[j];
    sn_tmul3(k->L[0], x, t->v);
    relative_rates(k, v1, v2, t->spin[0], t->spin[1], t->du, t->dpsi);
    slope_of(k, k->u, D);
    strain_rates(k, D, t->du, t->dpsi, t->w);
    for (int i = 0; i < 3; i++) t->w[i] /= c->h, t->w[3 + i] = t->dpsi[i] / c->h;
    solve(e->F, t->w);
}

/* g of s */
static INLINE void pulled_back(const motion *k, const double *s, double *g)
{
    const double *p = k->psi, *u = k->u, pn = sn_dot3(p, s), pu = sn_dot3(p, u), nu = sn_dot3(s, u);
    double x[3], f = 2 * k->b1 * (pn * pu - k->z * nu);
    turn_form(k, 1, s, g);
    sn_cross3(u, s, x);
    for (int i = 0; i < 3; i++)
        g[3 + i] = s[3 + i] - 0.5 * x[i] + k->b * (s[i] * pu + u[i] * pn - 2 * p[i] * nu) + f * p[i];
}

/* Moments of node i: those of the section, and of the force on its end */
static INLINE void node_moment(const motion *k, const constants *c, int i, const double *m, const double *f,
                               double *r)
{
    double x[3], y[3];
    sn_mul3(c->A[i], m, x);
    if (c->arms != 0) {
        sn_tmul3(k->R[i], f, y);
        sn_cross3(c->body[i][PLACE], y, y);
        for (int j = 0; j < 3; j++) x[j] += y[j];
    }
    for (int j = 0; j < 3; j++) r[j] = x[j];
}

/* Forces of nodes for g */
static INLINE void node_forces(const motion *k, const constants *c, forces *t)
{
    double x[3], f1[3];
    sn_mul3(k->L[0], t->g, t->f);
    turn_form(k, -1, t->g + 3, t->m[1]);
    turn_form(k, 1, t->g + 3, t->m[0]);
    sn_cross3(k->u, t->g, x);
    for (int i = 0; i < 3; i++) {
        t->m[0][i] = -t->m[0][i] - x[i];
        t->r[6 + i] = t->f[i];
        t->r[i] = f1[i] = -t->f[i];
    }
    node_moment(k, c, 0, t->m[0], f1, t->r + 3);
    node_moment(k, c, 1, t->m[1], t->f, t->r + 9);
}

static INLINE sn_status elastic(const sn_in *in, const motion *k, const constants *c, strain *e, rates *t,
                                forces *f)
{
    const double damping = in->s[DAMPING];
    SN_TRY(stress(k, c, e));
    memcpy(f->s, e->s, sizeof f->s);
    if (damping != 0) {
        move_rates(in, k, c, e, t);
        for (int i = 0; i < 6; i++) f->s[i] += damping * t->w[i];
    }
    pulled_back(k, f->s, f->g);
    node_forces(k, c, f);
    return SN_OK;
}

/* G */
static INLINE void chain_matrix(const motion *k, double *G)
{
    double D[9];
    slope_of(k, k->u, D);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            G[6 * i + j] = k->Ji[3 * i + j], G[6 * i + 3 + j] = D[3 * i + j];
            G[6 * (3 + i) + j] = 0, G[6 * (3 + i) + 3 + j] = i == j;
        }
}

/* H += f G'X G, X symmetric */
static INLINE void chain_product(const double *G, double f, const double *X, double *H)
{
    double T[36];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double x = j < 3 ? 0 : X[6 * i + j];
            for (int l = 0; l < 3; l++) x += X[6 * i + l] * G[6 * l + j];
            T[6 * i + j] = f * x;
        }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double x = i < 3 ? 0 : T[6 * i + j];
            for (int l = 0; l < 3; l++) x += G[6 * l + i] * T[6 * l + j];
            H[6 * i + j] += x;
        }
}

/* H += derivative of G's by (u, psi): [0 E; E' Q], E = D_+(n), Q symmetric */
static INLINE void geometric(const motion *k, const double *n, double *H)
{
    const double *p = k->psi, *u = k->u, pn = sn_dot3(p, n), pu = sn_dot3(p, u), nu = sn_dot3(n, u);
    const double cc = pn * pu - k->z * nu, b = k->b, e = 2 * k->b1, q = 4 * k->b2 * cc;
    double E[9], w[3];
    turn_form_by(k, 1, n, E);
    for (int i = 0; i < 3; i++) w[i] = e * (n[i] * pu + u[i] * pn - 2 * p[i] * nu);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            H[6 * i + 3 + j] += E[3 * i + j];
            H[6 * (3 + j) + i] += E[3 * i + j];
            H[6 * (3 + i) + 3 + j] +=
                b * (n[i] * u[j] + u[i] * n[j]) + w[i] * p[j] + p[i] * w[j] + q * p[i] * p[j];
        }
        H[7 * (3 + i)] += e * cc - 2 * b * nu;
    }
}

/* Columns of Y: those of x1 are the opposite of those of x2. */
static INLINE void node_matrix(const motion *k, const constants *c, double *Y)
{
    double u[9], W[9], T[9];
    sn_skew3(k->u, u);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            Y[12 * i + 6 + j] = k->L[0][3 * j + i], Y[12 * i + j] = -k->L[0][3 * j + i];
            Y[12 * i + 9 + j] = Y[12 * (3 + i) + j] = Y[12 * (3 + i) + 6 + j] = 0;
            T[3 * i + j] = k->Ji[3 * j + i];
        }
    for (int i = 0; i < 2; i++) {
        double At[9];
        for (int j = 0; j < 9; j++) At[j] = c->A[i][j % 3 * 3 + j / 3];
        sn_matmul3(i ? T : k->Ji, At, W);
        for (int j = 0; j < 9; j++) Y[12 * (3 + j / 3) + 6 * i + 3 + j % 3] = i ? W[j] : -W[j];
        if (i == 0) {
            sn_matmul3(u, At, W);
            for (int j = 0; j < 9; j++) Y[12 * (j / 3) + 3 + j % 3] = W[j];
        }
        if (c->arms == 0) continue;
        sn_skew3(c->body[i][PLACE], W);
        sn_matmul3(k->R[i], W, W);
        sn_tmatmul3(k->L[0], W, W);
        for (int j = 0; j < 9; j++) Y[12 * (j / 3) + 6 * i + 3 + j % 3] += i ? -W[j] : W[j];
    }
}

/* K += f Y'X, X = H Y or so */
static INLINE void node_product(const double *Y, double f, const double *X, double *K)
{
    for (int i = 3; i < 12; i++) {
        double row[12] = {0};
        for (int l = 0; l < 6; l++)
            for (int j = 0; j < 12; j++) row[j] += Y[12 * l + i] * X[12 * l + j];
        for (int j = 0; j < 12; j++) K[12 * i + j] += f * row[j];
        for (int j = 0; j < 12 && i >= 6 && i < 9; j++) K[12 * (i - 6) + j] -= f * row[j];
    }
}

static INLINE void times_nodes(const double *H, const double *Y, double *X)
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 12; j++) X[12 * i + j] = 0;
        for (int l = 0; l < 6; l++)
            for (int j = 0; j < 12; j++) X[12 * i + j] += H[6 * i + l] * Y[12 * l + j];
    }
}

/* Change of the nodes' forces at the same g: sections turned by th (in their axes), whole: with their nodes;
   du, dpsi */
static INLINE void turned_forces(const motion *k, const constants *c, const forces *t, const double (*th)[3],
                                 const double *d, int whole, double *dr)
{
    const double *du = d, *dpsi = d + 3;
    double x[3], y[3], z[3], D[9], df[3], f[3];
    sn_cross3(th[0], t->g, x);
    sn_mul3(k->L[0], x, df);
    for (int i = 0; i < 2; i++) {
        const double sign = i ? 1 : -1;
        turn_form_by(k, i ? -1 : 1, t->g + 3, D);
        sn_mul3(D, dpsi, x);
        if (i == 0) {
            sn_cross3(t->g, du, y);
            for (int j = 0; j < 3; j++) x[j] = y[j] - x[j];
        }
        sn_mul3(c->A[i], x, x);
        if (c->arms != 0) {
            /* o x (R'df + R'f x th) */
            for (int j = 0; j < 3; j++) f[j] = sign * t->f[j], y[j] = sign * df[j];
            sn_tmul3(k->R[i], f, f);
            sn_tmul3(k->R[i], y, y);
            sn_mul3(c->A[i], th[i], z);
            sn_cross3(f, z, z);
            for (int j = 0; j < 3 && whole; j++) y[j] += z[j];
            sn_cross3(c->body[i][PLACE], y, y);
            for (int j = 0; j < 3; j++) x[j] += y[j];
        }
        for (int j = 0; j < 3; j++) dr[6 * i + j] += sign * df[j], dr[6 * i + 3 + j] += x[j];
    }
}

/* dw = M^-1 (d(eps rate) - dM w) at the velocities of sections that change by dspin and dv (L1'(v2 - v1)) */
static inline void damping_change(const beam *at, const double *du, const double *dpsi,
                                  const double (*dspin)[3], const double *dv, double *dw)
{
    const motion *k = at->k;
    const constants *c = at->c;
    const strain *e = at->e;
    const rates *t = at->t;
    const double *p = k->psi, *u = k->u, *q = t->dpsi;
    double a[9], b[9], x[3], y[3], z[3], ddu[3], ddp[3], dk[3];
    /* rates of u and psi */
    sn_cross3(du, t->spin[0], x);
    sn_cross3(u, dspin[0], y);
    for (int i = 0; i < 3; i++) ddu[i] = dv[i] + x[i] + y[i];
    turn_form_by(k, -1, t->spin[0], a);
    turn_form_by(k, 1, t->spin[1], b);
    for (int i = 0; i < 9; i++) b[i] -= a[i];
    sn_mul3(b, dpsi, ddp);
    turn_form(k, -1, dspin[0], x);
    turn_form(k, 1, dspin[1], y);
    for (int i = 0; i < 3; i++) ddp[i] += y[i] - x[i];
    /* d(J u' + D(u) psi') = J du' + D(u') dpsi + D(u) dpsi' + D(du) psi' + second derivative */
    turn_form(k, -1, ddu, dw);
    slope_of(k, t->du, a);
    sn_mul3(a, dpsi, x);
    slope_of(k, u, a);
    sn_mul3(a, ddp, y);
    slope_of(k, du, a);
    sn_mul3(a, q, z);
    const double pu = sn_dot3(p, u), qu = sn_dot3(q, u), eu = sn_dot3(dpsi, u), pq = sn_dot3(p, q),
                 pe = sn_dot3(p, dpsi), qe = sn_dot3(q, dpsi);
    for (int i = 0; i < 3; i++) {
        double first = q[i] * eu + dpsi[i] * qu - 2 * qe * u[i];
        double by_e = dpsi[i] * pu + p[i] * eu - 2 * pe * u[i], by_q = q[i] * pu + p[i] * qu - 2 * pq * u[i];
        double whole = p[i] * pu - k->z * u[i];
        dw[i] += x[i] + y[i] + z[i] + k->b * first + 2 * k->b1 * (pq * by_e + pe * by_q) +
                 (4 * k->b2 * pq * pe + 2 * k->b1 * qe) * whole;
        dw[3 + i] = ddp[i];
        dk[i] = dpsi[i] / c->h;
    }
    double m[6];
    compliance_change(c, e, dk, 0, t->w, m);
    for (int i = 0; i < 6; i++) dw[i] = dw[i] / c->h - m[i];
    solve(e->F, dw);
}

/* K of damping: by the change of w, all columns; those of x1 are the opposite of those of x2 */
static inline void damping_tangent(const sn_in *in, const beam *at, const double *Y, const double *G,
                                   double *K)
{
    const motion *k = at->k;
    const constants *c = at->c;
    double X[72] = {0};
    for (int j = 3; j < 12; j++) {
        double dspin[2][3] = {{0}}, dv[3] = {0}, dw[6], du[3], dpsi[3], x[3], y[3];
        const double d[3] = {j % 3 == 0, j % 3 == 1, j % 3 == 2};
        const int node = j / 6;
        for (int i = 0; i < 3; i++) du[i] = Y[12 * i + j], dpsi[i] = Y[12 * (3 + i) + j];
        if (j < 6) { /* axes L1 turn */
            sn_tmul3(c->A[0], d, x);
            sn_cross3(at->t->v, x, dv);
        }
        if (c->arms != 0 && j % 6 > 2) { /* R (d x (w x o)) */
            sn_cross3(in->v + 6 * node + 3, c->body[node][PLACE], x);
            sn_cross3(d, x, x);
            sn_mul3(k->R[node], x, x);
            sn_tmul3(k->L[0], x, y);
            for (int i = 0; i < 3; i++) dv[i] += node ? y[i] : -y[i];
        }
        damping_change(at, du, dpsi, (const double(*)[3])dspin, dv, dw);
        for (int i = 0; i < 6; i++)
            for (int l = 0; l < 6; l++) X[12 * l + j] += in->s[DAMPING] * G[6 * i + l] * dw[i];
    }
    for (int l = 0; l < 6; l++)
        for (int j = 0; j < 3; j++) X[12 * l + j] = -X[12 * l + 6 + j];
    node_product(Y, 1, X, K);
}

/* K at given g: columns of all coordinates */
static inline void geometric_tangent(const motion *k, const constants *c, const forces *t, const double *Y,
                                     double *K)
{
    for (int j = 3; j < 12; j++) {
        const double turn[3] = {j % 3 == 0, j % 3 == 1, j % 3 == 2};
        double th[2][3] = {{0}}, d[6], dr[12] = {0};
        const int turns = j % 6 > 2, node = j / 6;
        for (int i = 0; i < 6; i++) d[i] = Y[12 * i + j];
        if (turns) sn_tmul3(c->A[node], turn, th[node]);
        turned_forces(k, c, t, (const double(*)[3])th, d, 1, dr);
        for (int i = 0; i < 12; i++) K[12 * i + j] += dr[i];
        for (int i = 0; i < 12 && !turns; i++) K[12 * i + j - 6] -= dr[i];
    }
}

/* K and C; material: without forces in K */
static inline void elastic_tangent(const sn_in *in, const beam *at, const forces *f, double *K, double *C)
{
    const motion *k = at->k;
    const constants *c = at->c;
    const strain *e = at->e;
    const double damping = in->s[DAMPING], ih = 1 / c->h;
    double M[36], X[36], G[36], H[36] = {0}, Y[72], Z[72];
    chain_matrix(k, G);
    node_matrix(k, c, Y);
    if (in->material || damping != 0) { /* M^-1 */
        for (int i = 0; i < 6; i++) {
            double x[6] = {0};
            x[i] = 1;
            solve(e->F, x);
            for (int j = 0; j < 6; j++) M[6 * j + i] = x[j];
        }
    }
    if (in->material) {
        chain_product(G, ih, M, H);
    } else {
        stiffness(c, e, X);
        chain_product(G, ih, X, H);
        geometric(k, f->s, H);
    }
    times_nodes(H, Y, Z);
    node_product(Y, 1, Z, K);
    if (!in->material) geometric_tangent(k, c, f, Y, K);
    if (damping == 0) return;
    memset(H, 0, sizeof H);
    chain_product(G, damping * ih, M, H);
    times_nodes(H, Y, Z);
    node_product(Y, 1, Z, C);
    if (!in->material) damping_tangent(in, at, Y, G, K);
}

#endif
