/* Line loads on cable_ancf: forces and moments a natural length, integrated at the Lobatto points, exactly
   for dead forces. A couple turns the tangent, whatever its length: C x p/|p|^2 on the slope. A load that
   turns is given along the tangent and, in the plane, across it; in space a line has no axes across, and only
   its part along the tangent acts. */
#ifndef SN_ELEMENT_CABLE_ANCF_LOAD_H
#define SN_ELEMENT_CABLE_ANCF_LOAD_H

#include "element/cable_ancf.h"

/* Force w and couple w + n at a point of tangent p, forces Fx on the place and Fp on the slope (residual:
   less). Along the tangent and across it where `turning`. Change by dp (NULL: none). */
static inline void load_at(const int n, const double *w, int turning, const double *p, double *Fx, double *Fp)
{
    const double a = dot(n, p, p), l = sqrt(a);
    for (int i = 0; i < n; i++) Fx[i] = w[i];
    if (turning) {
        if (n == 2) Fx[0] = (w[0] * p[0] - w[1] * p[1]) / l, Fx[1] = (w[0] * p[1] + w[1] * p[0]) / l;
        for (int i = 0; n == 3 && i < n; i++) Fx[i] = w[0] * p[i] / l;
    }
    if (n == 2) {
        Fp[0] = -w[2] * p[1] / a, Fp[1] = w[2] * p[0] / a;
    } else {
        for (int i = 0; i < n; i++) Fp[i] = 0;
        if (!turning) sn_cross3(w + 3, p, Fp);
        for (int i = 0; i < n; i++) Fp[i] /= a;
    }
}

/* Derivatives by p, n x n each */
static inline void load_tangent(const int n, const double *w, int turning, const double *p, double *Kx,
                                double *Kp)
{
    const double a = dot(n, p, p), l = sqrt(a);
    double Fx[3] = {0}, Fp[3] = {0};
    load_at(n, w, turning, p, Fx, Fp);
    for (int j = 0; j < n; j++) {
        double e[3] = {j == 0, j == 1, j == 2}, x[3] = {0, 0, 0}, m[3] = {0, 0, 0};
        if (turning && n == 2) x[0] = w[0] * e[0] - w[1] * e[1], x[1] = w[0] * e[1] + w[1] * e[0];
        for (int i = 0; turning && n == 3 && i < n; i++) x[i] = w[0] * e[i];
        if (n == 2) m[0] = -w[2] * e[1], m[1] = w[2] * e[0];
        if (n == 3 && !turning) sn_cross3(w + 3, e, m);
        for (int i = 0; i < n; i++) {
            Kx[i * n + j] = turning ? x[i] / l - Fx[i] * p[j] / a : 0;
            Kp[i * n + j] = m[i] / a - 2 * Fp[i] * p[j] / a;
        }
    }
}

/* Share of the coordinates in the place at Lobatto's points: of D and p as blocks, of the middle of the nodes
 */
static inline void place_at(int i, double L, double *x)
{
    const double xi = 0.5 * i, xx = xi * xi;
    x[0] = 1 - xx * (3 - 2 * xi), x[1] = L * xi * (1 - xi) * (1 - xi);
    x[2] = xx * (3 - 2 * xi), x[3] = L * xx * (xi - 1);
}

/* What the slope at a point is of each coordinate */
static inline void slope_at(const shape *s, double *x)
{
    for (int a = 0; a < 4; a++) x[a] = sign_of[a] * s->p[block_of[a]];
}

static inline void spread(const int n, const sn_in *in, const double *w, int turning, double *r, double *K)
{
    const double L = ((const constants *)in->c)->L;
    double y[MOST] = {0}, f, p[3] = {0}, Fx[3] = {0}, Fp[3] = {0}, Kx[9] = {0}, Kp[9] = {0}, X[4] = {0},
           P[4] = {0};
    blocks_of(n, in->q, y);
    for (int q = 0; q < 3; q++) {
        const shape s = lobatto(q, L, &f);
        along(n, s.p, y, p);
        load_at(n, w, turning, p, Fx, Fp);
        place_at(q, L, X), slope_at(&s, P);
        for (int a = 0; a < 4; a++)
            for (int i = 0; i < n; i++) r[a * n + i] -= f * L * (X[a] * Fx[i] + P[a] * Fp[i]);
        if (!K) continue;
        load_tangent(n, w, turning, p, Kx, Kp);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++)
                        K[(a * n + i) * 4 * n + b * n + j] -=
                            f * L * P[b] * (X[a] * Kx[i * n + j] + P[a] * Kp[i * n + j]);
    }
}

/* By the length: the weight, what the slope and the place are of the coordinates, and the slope itself. */
static inline void spread_by_length(const int n, const sn_in *in, const double *w, int turning, double dL,
                                    double *dr)
{
    const double L = ((const constants *)in->c)->L;
    double y[MOST] = {0}, f, p[3] = {0}, dp[3] = {0}, Fx[3] = {0}, Fp[3] = {0}, Kx[9] = {0}, Kp[9] = {0},
           X[4] = {0}, P[4] = {0}, dP[4] = {0};
    blocks_of(n, in->q, y);
    for (int q = 0; q < 3; q++) {
        const shape s = lobatto(q, L, &f), t = q == 1 ? shape_by_length(&s, L) : (shape){{0}, {0}};
        along(n, s.p, y, p), along(n, t.p, y, dp);
        load_at(n, w, turning, p, Fx, Fp);
        load_tangent(n, w, turning, p, Kx, Kp);
        place_at(q, L, X), slope_at(&s, P), slope_at(&t, dP);
        for (int a = 0; a < 4; a++)
            for (int i = 0; i < n; i++) {
                /* d(L X) is X + L dX/dL: twice X of slopes, which go with L */
                double x = (a & 1 ? 2 : 1) * X[a] * Fx[i] + (P[a] + L * dP[a]) * Fp[i];
                for (int j = 0; j < n; j++) x += L * (X[a] * Kx[i * n + j] + P[a] * Kp[i * n + j]) * dp[j];
                dr[a * n + i] -= f * dL * x;
            }
    }
}

#endif
