/* What all bushings share: the relative motion x of two frames in the bushing's axes, and how loads h that
   act on it come to the frames.

   y = (relative position, relative rotation) of frame 2 seen in body 1; the rotation by its vector, th = log
   Q (measure log: for one stiffness about all axes the torque is exactly kt th), or by the axial vector of (Q
   - Q')/2 (measure vect: torque kt sin cos). In the bushing's axes A = (axis, normal made orthogonal, their
   product), fixed in body 1, x = A'y, in both blocks, and r = X'h with X = dx/dq: the force acts at the
   connection of body 2, body 1 gets what keeps the balance; so loads with a potential of x are conservative,
   and no common motion of both bodies makes a force. dr/dq = X' dh/dq + (dX/dq)'h. The rotation must stay
   below pi, and below pi/2 for vect, where the torque falls again before.

   The slots at, axis, normal are the last of every bushing. Constants: arms p1, p2 (0..5), A (6..14), and
   from SN_BUSHING_OWN on those of the kind. */
#ifndef SN_ELEMENT_BUSHING_PAIR_H
#define SN_ELEMENT_BUSHING_PAIR_H

#include "element/bushing_turn.h"
#include "element/pair3d.h"

enum { SN_BUSHING_ARM1, SN_BUSHING_ARM2 = 3, SN_BUSHING_AXES = 6, SN_BUSHING_OWN = 15 };
enum { SN_BUSHING_AT, SN_BUSHING_AXIS = 3, SN_BUSHING_NORMAL = 6, SN_BUSHING_PLACE = 9 };
enum { SN_BUSHING_MEASURE }; /* the first option */

#define SN_BUSHING_PLACE_SLOTS                                                                               \
    {"at",                                                                                                   \
     "m",                                                                                                    \
     "place of the bushing in the reference configuration",                                                  \
     3,                                                                                                      \
     SN_PLACED | SN_ON_NODE1 | SN_ON_NODE2,                                                                  \
     SN_REQUIRED,                                                                                            \
     -SN_INFINITE,                                                                                           \
     SN_INFINITE,                                                                                            \
     "@2.x;@2.y;@2.z"},                                                                                      \
        {"axis",                                                                                             \
         "",                                                                                                 \
         "first axis in the reference configuration, of any length; fixed in body 1",                        \
         3,                                                                                                  \
         SN_ROTATES,                                                                                         \
         SN_REQUIRED,                                                                                        \
         -SN_INFINITE,                                                                                       \
         SN_INFINITE,                                                                                        \
         "1;0;0"},                                                                                           \
    {                                                                                                        \
        "normal", "", "second axis; its component along the first is ignored", 3, SN_ROTATES, SN_REQUIRED,   \
            -SN_INFINITE, SN_INFINITE, "0;1;0"                                                               \
    }

#define SN_BUSHING_OPTIONS                                                                                   \
    {                                                                                                        \
        "measure", "log|vect",                                                                               \
            "measure of the relative rotation: rotation vector, or axial vector of its skew part", 0         \
    }

/* The relative motion */
typedef struct sn_bushing {
    sn_pair3 g;
    int rates;                /* whether velocities count */
    double x[6], xd[6];       /* in the bushing's axes */
    double th[3], P[9], u[3]; /* rotation, its map and the relative spin, in the axes of bodies 1, 2 */
    double X[6 * SN_PAIR];    /* dx/dq */
    double D[6 * SN_PAIR];    /* d(X v)/dq at a constant v, or 0 */
} sn_bushing;

/* x = A'y in both blocks, of n columns each; y may be x for one column */
static inline void sn_bushing_to_axes(const double *A, const double *y, int n, double *x)
{
    for (int b = 0; b < 6; b += 3)
        for (int j = 0; j < n; j++) {
            double a0 = y[n * b + j], a1 = y[n * (b + 1) + j], a2 = y[n * (b + 2) + j];
            for (int i = 0; i < 3; i++) x[n * (b + i) + j] = A[i] * a0 + A[3 + i] * a1 + A[6 + i] * a2;
        }
}

static inline void sn_bushing_open(const sn_in *in, int rates, sn_bushing *s)
{
    const double *A = in->c + SN_BUSHING_AXES, *p2 = in->c + SN_BUSHING_ARM2;
    double B[9], Qt[9], y[6], Y[6 * SN_PAIR] = {0};
    sn_pair3_open(in->q, p2, &s->g);
    for (int k = 0; k < 3; k++) y[k] = s->g.e[k] - in->c[SN_BUSHING_ARM1 + k];
    sn_turn(in->opt[SN_BUSHING_MEASURE], s->g.p, s->th, s->P);
    memcpy(y + 3, s->th, sizeof s->th);
    sn_bushing_to_axes(A, y, 1, s->x);
    sn_pair3_dy(&s->g, p2, Y);
    sn_transpose3(s->g.Q, Qt);
    sn_matmul3(s->P, Qt, B);
    sn_block3(Y, SN_PAIR, 3, SN_TH1, -1, B);
    sn_block3(Y, SN_PAIR, 3, SN_TH2, 1, s->P);
    sn_bushing_to_axes(A, Y, SN_PAIR, s->X);
    memset(s->xd, 0, sizeof s->xd);
    s->rates = rates;
    if (!rates) return;
    sn_pair3_spin(&s->g, in->v, s->u);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < SN_PAIR; j++) s->xd[i] += s->X[SN_PAIR * i + j] * in->v[j];
}

/* D = d(X v)/dq at a constant v */
static inline void sn_bushing_rate_tangent(const sn_in *in, sn_bushing *s)
{
    const double *v = in->v, *p2 = in->c + SN_BUSHING_ARM2;
    double dv[3], z[3], S[9], A[9], Qt[9], Y[3 * SN_PAIR] = {0}, D[6 * SN_PAIR] = {0};
    memset(s->D, 0, sizeof s->D);
    if (!s->rates) return;
    sn_transpose3(s->g.Q, Qt);
    /* R1'(v2 - v1) - Q (p2 x w2) ... */
    for (int k = 0; k < 3; k++) dv[k] = v[SN_X2 + k] - v[SN_X1 + k];
    sn_tmul3(s->g.R1, dv, dv);
    sn_skew3(dv, S);
    sn_block3(D, SN_PAIR, 0, SN_TH1, 1, S);
    sn_cross3(p2, v + SN_TH2, z);
    sn_skew3(z, S);
    sn_matmul3(s->g.Q, S, A);
    sn_block3(D, SN_PAIR, 0, SN_TH2, 1, A);
    sn_matmul3(A, Qt, A);
    sn_block3(D, SN_PAIR, 0, SN_TH1, -1, A);
    /* ... + e x w1 */
    sn_pair3_dy(&s->g, p2, Y);
    sn_skew3(v + SN_TH1, S);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < SN_PAIR; j++)
            for (int k = 0; k < 3; k++) D[SN_PAIR * i + j] -= S[3 * i + k] * Y[SN_PAIR * k + j];
    /* P u, where u = w2 - Q'w1 moves by -(Q'w1)~ dw */
    sn_tmul3(s->g.Q, v + SN_TH1, z);
    sn_skew3(z, S);
    sn_matmul3(s->P, S, S);
    sn_turn_tangent(in->opt[SN_BUSHING_MEASURE], s->g.p, s->th, s->P, 1, s->u, A);
    for (int i = 0; i < 9; i++) A[i] -= S[i];
    sn_block3(D, SN_PAIR, 3, SN_TH2, 1, A);
    sn_matmul3(A, Qt, A);
    sn_block3(D, SN_PAIR, 3, SN_TH1, -1, A);
    sn_bushing_to_axes(in->c + SN_BUSHING_AXES, D, SN_PAIR, s->D);
}

/* Loads in the axes of body 1 */
static inline void sn_bushing_body_loads(const sn_in *in, const double *h, double *f)
{
    sn_mul3(in->c + SN_BUSHING_AXES, h, f);
    sn_mul3(in->c + SN_BUSHING_AXES, h + 3, f + 3);
}

/* M (12 x 12) += d(X'h)/dq at constant loads h */
static inline void sn_bushing_geometric(const sn_in *in, const sn_bushing *s, const double *h, double *M)
{
    double f[6], g[3], G[9];
    sn_bushing_body_loads(in, h, f);
    sn_pair3_slide_tangent(&s->g, in->c + SN_BUSHING_ARM2, f, M);
    sn_tmul3(s->P, f + 3, g);
    sn_turn_tangent(in->opt[SN_BUSHING_MEASURE], s->g.p, s->th, s->P, -1, f + 3, G);
    sn_pair3_turn_tangent(&s->g, g, G, M);
}

/* M (12 x 12) += X'N */
static inline void sn_bushing_project(const double *X, const double *N, double *M)
{
    for (int i = 0; i < SN_PAIR; i++)
        for (int k = 0; k < 6; k++) {
            double y = X[SN_PAIR * k + i];
            for (int j = 0; y != 0 && j < SN_PAIR; j++) M[SN_PAIR * i + j] += y * N[SN_PAIR * k + j];
        }
}

/* r += X'h */
static inline void sn_bushing_ends(const double *X, const double *h, double *r)
{
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < SN_PAIR; i++) r[i] += X[SN_PAIR * k + i] * h[k];
}

/* ---- constants ---- */

/* Axes of the bushing as columns of A (row-major), and their change by number `index` of axis and normal
   where dA is not NULL; p: axis and normal */
static inline int sn_bushing_orient(const double *p, int index, double *A, double *dA)
{
    const double *normal = p + 3;
    double e[3][3], de[3][3], n[3], dn[3], da[3], ln, la = sn_pair3_unit(p, e[0]);
    double c = sn_dot3(normal, e[0]);
    for (int k = 0; k < 3; k++) n[k] = normal[k] - c * e[0][k];
    ln = sn_pair3_unit(n, e[1]);
    if (!(la > 0) || !(ln > 1e-9 * sqrt(sn_dot3(normal, normal)))) return 0;
    sn_cross3(e[0], e[1], e[2]);
    for (int i = 0; i < 9; i++) A[i] = e[i % 3][i / 3];
    if (!dA) return 1;
    for (int k = 0; k < 3; k++) da[k] = index == k;
    sn_pair3_dunit(e[0], la, da, de[0]);
    double dc = sn_dot3(normal, de[0]) + (index >= 3 ? e[0][index - 3] : 0);
    for (int k = 0; k < 3; k++) dn[k] = (index == 3 + k) - dc * e[0][k] - c * de[0][k];
    sn_pair3_dunit(e[1], ln, dn, de[1]);
    sn_cross3(de[0], e[1], de[2]);
    sn_cross3(e[0], de[1], dn);
    for (int k = 0; k < 3; k++) de[2][k] += dn[k];
    for (int i = 0; i < 9; i++) dA[i] = de[i % 3][i / 3];
    return 1;
}

static inline sn_status sn_bushing_prepare(const sn_in *in, double *c, sn_err *err)
{
    const double *p = in->s + in->ns - SN_BUSHING_PLACE;
    if (!sn_bushing_orient(p + SN_BUSHING_AXIS, 0, c + SN_BUSHING_AXES, NULL))
        return sn_fail(err, SN_ERR_INPUT, NULL,
                       "'axis' and 'normal' must not be zero or parallel: normal is the second axis, made "
                       "orthogonal to the first");
    for (int k = 0; k < 3; k++) {
        c[SN_BUSHING_ARM1 + k] = p[SN_BUSHING_AT + k] - in->X[k];
        c[SN_BUSHING_ARM2 + k] = p[SN_BUSHING_AT + k] - in->X[in->off[1] + k];
    }
    return SN_OK;
}

/* ---- derivatives by place, axes and reference ---- */

/* Changes of the arms by `at` and the reference; 0 when there are none */
static inline int sn_bushing_darms(const sn_in *in, int index, double *dp1, double *dp2)
{
    int x = index - in->ns, at = index - in->ns + SN_BUSHING_PLACE;
    memset(dp1, 0, 3 * sizeof *dp1);
    memset(dp2, 0, 3 * sizeof *dp2);
    if (at >= SN_BUSHING_AT && at < SN_BUSHING_AXIS)
        dp1[at] = dp2[at] = 1;
    else if (x >= 0 && x < 3)
        dp1[x] = -1;
    else if (x >= in->off[1] && x < in->off[1] + 3)
        dp2[x - in->off[1]] = -1;
    else
        return 0;
    return 1;
}

/* Changes of x and xd by `index`, and dr += (dX)'h; 0 when there are none */
static inline int sn_bushing_vary(const sn_in *in, const sn_bushing *s, int index, const double *h,
                                  double *dx, double *dxd, double *dr)
{
    const double *A = in->c + SN_BUSHING_AXES;
    double dp1[3], dp2[3], z[3], m[3], f[6], W[9], B[9], dA[9], Wh[6];
    int axes = index - in->ns + SN_BUSHING_PLACE - SN_BUSHING_AXIS;
    memset(dx, 0, 6 * sizeof *dx);
    memset(dxd, 0, 6 * sizeof *dxd);
    if (axes >= 0 && axes < 6) {
        /* W = A'dA: dx = -W x, d(X'h) = X'W h */
        sn_bushing_orient(in->s + in->ns - SN_BUSHING_PLACE + SN_BUSHING_AXIS, axes, B, dA);
        sn_tmatmul3(A, dA, W);
        for (int b = 0; b < 6; b += 3) {
            sn_tmul3(W, s->x + b, dx + b);
            sn_tmul3(W, s->xd + b, dxd + b);
            sn_mul3(W, h + b, Wh + b);
        }
        sn_bushing_ends(s->X, Wh, dr);
        return 1;
    }
    if (!sn_bushing_darms(in, index, dp1, dp2)) return 0;
    /* dy = Q dp2 - dp1, dydot = (Q dp2) x w1 - Q (dp2 x w2) */
    sn_bushing_body_loads(in, h, f);
    sn_mul3(s->g.Q, dp2, dx);
    sn_cross3(f, dx, m);
    for (int k = 0; k < 3; k++) dr[SN_TH1 + k] += m[k];
    sn_tmul3(s->g.Q, f, m);
    sn_cross3(dp2, m, m);
    for (int k = 0; k < 3; k++) dr[SN_TH2 + k] += m[k];
    if (s->rates) {
        sn_cross3(dx, in->v + SN_TH1, dxd);
        sn_cross3(dp2, in->v + SN_TH2, z);
        sn_mul3(s->g.Q, z, z);
        for (int k = 0; k < 3; k++) dxd[k] -= z[k];
        sn_bushing_to_axes(A, dxd, 1, dxd);
    }
    for (int k = 0; k < 3; k++) dx[k] -= dp1[k];
    sn_bushing_to_axes(A, dx, 1, dx);
    return 1;
}

#endif
