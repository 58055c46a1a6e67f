/* Numerical body of cable_ancf, of the plane (n = 2) or of space (n = 3); read the head of cable_ancf.c
   first. n is a constant wherever these are called.

   Of the coordinates (x1, p1, x2, p2) the elastic forces see D = x2 - x1 and the slopes: blocks BY_D, BY_1,
   BY_2. At x = L xi

       p = r'  = 6 xi (1 - xi)/L D + (1 - 4 xi + 3 xi^2) p1 + (3 xi^2 - 2 xi) p2
       c = r'' = (6 - 12 xi)/L^2 D + (6 xi - 4)/L p1 + (6 xi - 2)/L p2

   with rates up, uc. A point has forces Fp, Fc conjugate to p and c; all of them are linear in changes of p,
   c, up, uc and of the law, so that one function (`stretch_change`, `bend_change`) gives tangents and
   derivatives by numbers. */
#ifndef SN_ELEMENT_CABLE_ANCF_H
#define SN_ELEMENT_CABLE_ANCF_H

#include <math.h>
#include <string.h>

#include "element/hermite.h"
#include "math/rot3.h"
#include "math/simd.h"
#include "sinew/class.h"

enum { EA, EI, RHO_A, DAMPING, SLACK, NS };
enum { OPT_STRAIN };
enum { BY_D, BY_1, BY_2, BLOCKS };
enum { GAUSS = 3, MOST = 3 * BLOCKS, MOST_COORD = 12 };

typedef struct constants {
    double L, chord, e[3]; /* natural length; between the nodes of the reference, and its direction */
} constants;

typedef struct law {
    double EA, EI, tau;
    int green;
} law;

static const double gauss_at[GAUSS] = {0.11270166537925831148, 0.5, 0.88729833462074168852},
                    gauss_weight[GAUSS] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

/* What p and c are of each block at xi. */
typedef struct shape {
    double p[BLOCKS], c[BLOCKS];
} shape;

static SN_SIMD_INLINE shape shape_at(double xi, double L)
{
    const double i = 1 / L;
    return (shape){{6 * xi * (1 - xi) * i, 1 + xi * (3 * xi - 4), xi * (3 * xi - 2)},
                   {(6 - 12 * xi) * i * i, (6 * xi - 4) * i, (6 * xi - 2) * i}};
}

/* Their derivative by L: p of D goes as 1/L, c as 1/L^2, 1/L, 1/L. */
static inline shape shape_by_length(const shape *s, double L)
{
    const double i = -1 / L;
    return (shape){{s->p[BY_D] * i, 0, 0}, {2 * s->c[BY_D] * i, s->c[BY_1] * i, s->c[BY_2] * i}};
}

typedef struct point {
    double p[3], c[3], up[3], uc[3];
} point;

static SN_SIMD_INLINE double dot(const int n, const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + (n == 3 ? a[2] * b[2] : 0);
}

/* D, p1, p2 of coordinates or rates x */
static SN_SIMD_INLINE void blocks_of(const int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = x[2 * n + i] - x[i];
        y[n + i] = x[n + i];
        y[2 * n + i] = x[3 * n + i];
    }
}

static SN_SIMD_INLINE void along(const int n, const double *f, const double *y, double *p)
{
    for (int i = 0; i < n; i++) p[i] = f[BY_D] * y[i] + f[BY_1] * y[n + i] + f[BY_2] * y[2 * n + i];
}

/* The point of blocks y, u (NULL: at rest, left as it is) for shape functions s */
static SN_SIMD_INLINE void point_at(const int n, const shape *s, const double *y, const double *u, point *k)
{
    along(n, s->p, y, k->p), along(n, s->c, y, k->c);
    if (u) along(n, s->p, u, k->up), along(n, s->c, u, k->uc);
}

/* ---- along the line: Fp = S p, S = N/l ---- */

static SN_SIMD_INLINE double stretch(const int n, const law *w, const double *p, const double *up, double *a)
{
    const double rate = w->tau != 0 ? w->tau * dot(n, p, up) : 0;
    *a = dot(n, p, p);
    return w->green ? w->EA * (0.5 * (*a - 1) + rate) : w->EA * (1 - 1 / sqrt(*a) + rate / *a);
}

static inline double stretch_change(const int n, const law *w, const double *p, const double *up, double a,
                                    const double *dp, const double *dup)
{
    const double pd = dot(n, p, dp), rate = w->tau * (dot(n, dp, up) + dot(n, p, dup));
    if (w->green) return w->EA * (pd + rate);
    return w->EA * (pd / (a * sqrt(a)) + (rate - 2 * w->tau * dot(n, p, up) * pd / a) / a);
}

/* ---- bending: k = (c - y p)/l, y = p.c/a, l = |p|; moment m = EI (k + tau z), Fc = m/l, Fp = -y m/l -
   (k.m)/a p. z is the rate of k that sees no turn of the section about the tangent: (1 - t t')(uc - y up)/l -
   k p.up/a. ---- */

typedef struct bend {
    double a, ia, il, y, km, k[3], z[3], m[3];
    double w[3], pw, g; /* uc - y up, p.w/a, p.up/a */
} bend;

static inline void bend_at(const int n, const law *w, const point *q, bend *b)
{
    b->a = dot(n, q->p, q->p), b->ia = 1 / b->a, b->il = sqrt(b->ia);
    b->y = dot(n, q->p, q->c) * b->ia;
    for (int i = 0; i < n; i++) b->k[i] = (q->c[i] - b->y * q->p[i]) * b->il, b->m[i] = w->EI * b->k[i];
    if (w->tau != 0) {
        for (int i = 0; i < n; i++) b->w[i] = q->uc[i] - b->y * q->up[i];
        b->pw = dot(n, q->p, b->w) * b->ia, b->g = dot(n, q->p, q->up) * b->ia;
        for (int i = 0; i < n; i++) {
            b->z[i] = (b->w[i] - b->pw * q->p[i]) * b->il - b->g * b->k[i];
            b->m[i] += w->EI * w->tau * b->z[i];
        }
    }
    b->km = dot(n, b->k, b->m);
}

static inline void bend_force(const int n, const point *q, const bend *b, double *Fp, double *Fc)
{
    const double x = b->km * b->ia;
    for (int i = 0; i < n; i++) Fc[i] = b->m[i] * b->il, Fp[i] = -b->y * Fc[i] - x * q->p[i];
}

/* Change of the forces with p, c, up, uc by d. */
static inline void bend_change(const int n, const law *w, const point *q, const bend *b, const point *d,
                               double *dFp, double *dFc)
{
    const double pd = dot(n, q->p, d->p) * b->ia; /* dl/l */
    const double dy = (dot(n, d->p, q->c) + dot(n, q->p, d->c)) * b->ia - 2 * b->y * pd;
    double dk[3] = {0}, dm[3] = {0}, dz[3] = {0}, dkm, x;
    for (int i = 0; i < n; i++) {
        dk[i] = (d->c[i] - dy * q->p[i] - b->y * d->p[i]) * b->il - pd * b->k[i];
        dm[i] = w->EI * dk[i];
    }
    if (w->tau != 0) {
        double dw[3] = {0}, dpw, dg;
        for (int i = 0; i < n; i++) dw[i] = d->uc[i] - dy * q->up[i] - b->y * d->up[i];
        dpw = (dot(n, d->p, b->w) + dot(n, q->p, dw)) * b->ia - 2 * b->pw * pd;
        dg = (dot(n, d->p, q->up) + dot(n, q->p, d->up)) * b->ia - 2 * b->g * pd;
        for (int i = 0; i < n; i++) {
            dz[i] = (dw[i] - dpw * q->p[i] - b->pw * d->p[i]) * b->il - (b->z[i] + b->g * b->k[i]) * pd -
                    dg * b->k[i] - b->g * dk[i];
            dm[i] += w->EI * w->tau * dz[i];
        }
    }
    dkm = dot(n, dk, b->m) + dot(n, b->k, dm);
    x = (dkm - 2 * b->km * pd) * b->ia;
    for (int i = 0; i < n; i++) {
        dFc[i] = dm[i] * b->il - b->m[i] * b->il * pd;
        dFp[i] = -dy * b->m[i] * b->il - b->y * dFc[i] - x * q->p[i] - b->km * b->ia * d->p[i];
    }
}

/* ---- the element ---- */

/* r (blocks) += f (Fp by p, Fc by c of the shape functions) */
static SN_SIMD_INLINE void put(const int n, double f, const shape *s, const double *Fp, const double *Fc,
                               double *r)
{
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < n; i++) r[b * n + i] += f * (s->p[b] * Fp[i] + (Fc ? s->c[b] * Fc[i] : 0));
}

static const shape end_shape[2] = {{{0, 1, 0}, {0, 0, 0}}, {{0, 0, 1}, {0, 0, 0}}};

/* Points of Lobatto's rule, xi = 0, 1/2, 1 */
static SN_SIMD_INLINE shape lobatto(int i, double L, double *weight)
{
    *weight = i == 1 ? 4.0 / 6 : 1.0 / 6;
    return i == 1 ? shape_at(0.5, L) : end_shape[i / 2];
}

static SN_SIMD_INLINE sn_status elastic(const int n, const law *w, double L, const double *y, const double *u,
                                        double *r)
{
    double f, a, Fp[3] = {0}, Fc[3] = {0};
    point k = {{0}, {0}, {0}, {0}};
    bend b = {.a = 0};
    if (w->tau == 0) u = NULL;
    for (int i = 0; i < 3; i++) {
        const shape s = lobatto(i, L, &f);
        along(n, s.p, y, k.p);
        if (u) along(n, s.p, u, k.up);
        const double S = stretch(n, w, k.p, k.up, &a);
        if (!(a > 0)) return SN_ERR_NUMERIC;
        for (int j = 0; j < n; j++) Fp[j] = S * k.p[j];
        put(n, f * L, &s, Fp, NULL, r);
    }
    for (int i = 0; i < GAUSS; i++) {
        const shape s = shape_at(gauss_at[i], L);
        point_at(n, &s, y, u, &k);
        if (!((a = dot(n, k.p, k.p)) > 0)) return SN_ERR_NUMERIC;
        if (!u) { /* 2 W_a p + W_b c and W_b p + 2 W_d c of bend_hessian */
            const double ia = 1 / a, g = dot(n, k.p, k.c) * ia, Wb = -w->EI * ia * g;
            const double Wd = w->EI * ia, Wa = Wd * (2 * g * g - dot(n, k.c, k.c) * ia);
            for (int j = 0; j < n; j++) Fp[j] = Wa * k.p[j] + Wb * k.c[j], Fc[j] = Wb * k.p[j] + Wd * k.c[j];
        } else {
            bend_at(n, w, &k, &b);
            bend_force(n, &k, &b, Fp, Fc);
        }
        put(n, gauss_weight[i] * L, &s, Fp, Fc, r);
    }
    return SN_OK;
}

/* K (blocks) += f times what p or c (rows) is of dF by block (columns) */
static SN_SIMD_INLINE void put_matrix(const int n, double f, const shape *s, const double *H, const int c,
                                      double *K)
{
    const int m = c ? 2 * n : n;
    for (int b = 0; b < BLOCKS; b++) {
        double G[18];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                G[i * n + j] = f * (s->p[b] * H[i * m + j] + (c ? s->c[b] * H[i * m + n + j] : 0));
        for (int a = 0; a < BLOCKS; a++) {
            double *B = K + a * n * BLOCKS * n + b * n;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    B[i * BLOCKS * n + j] += s->p[a] * G[i * n + j] + (c ? s->c[a] * G[(n + i) * n + j] : 0);
        }
    }
}

/* Without damping: derivatives of the force S p by p, and of those of W = EI/2 (d/a - b^2/a^2), a = p.p, b =
   p.c, d = c.c, by p and c: sum W_ij g_i g_j' + W_a [2 0; 0 0] + W_b [0 1; 1 0] + W_d [0 0; 0 2], g_a = (2p,
   0), g_b = (c, p), g_d = (0, 2c). */
static SN_SIMD_INLINE void stretch_hessian(const int n, const law *w, const double *p, double *H)
{
    const double a = dot(n, p, p), il = 1 / sqrt(a), S = w->EA * (w->green ? 0.5 * (a - 1) : 1 - il),
                 f = w->EA * (w->green ? 1 : il * il * il);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) H[i * n + j] = f * p[i] * p[j] + (i == j ? S : 0);
}

static SN_SIMD_INLINE void bend_hessian(const int n, const law *w, const double *p, const double *c,
                                        double *H)
{
    const double ia = 1 / dot(n, p, p), b = dot(n, p, c) * ia, d = dot(n, c, c) * ia, f = w->EI * ia;
    const double Wa = f * (b * b - 0.5 * d), Wb = -f * b, Waa = f * ia * (d - 3 * b * b),
                 Wab = 2 * f * ia * b, Wad = -0.5 * f * ia, Wbb = -f * ia;
    for (int i = 0; i < n; i++) {
        const double pi = p[i], ci = c[i], *cj = c, *pj = p;
        double *pp = H + i * 2 * n, *pc = pp + n, *cp = H + (n + i) * 2 * n, *cc = cp + n;
        for (int j = 0; j < n; j++) {
            pp[j] = 4 * Waa * pi * pj[j] + 2 * Wab * (pi * cj[j] + ci * pj[j]) + Wbb * ci * cj[j];
            pc[j] = 2 * Wab * pi * pj[j] + 4 * Wad * pi * cj[j] + Wbb * ci * pj[j];
            cp[j] = 2 * Wab * pi * pj[j] + 4 * Wad * ci * pj[j] + Wbb * pi * cj[j];
            cc[j] = Wbb * pi * pj[j];
        }
        pp[i] += 2 * Wa, pc[i] += Wb, cp[i] += Wb, cc[i] += f;
    }
}

static SN_SIMD_INLINE void elastic_tangent(const int n, const law *w, double L, const double *y, double *K)
{
    double f, H[36] = {0};
    point k = {{0}, {0}, {0}, {0}};
    for (int i = 0; i < 3; i++) {
        const shape s = lobatto(i, L, &f);
        along(n, s.p, y, k.p);
        stretch_hessian(n, w, k.p, H);
        put_matrix(n, f * L, &s, H, 0, K);
    }
    for (int i = 0; i < GAUSS; i++) {
        const shape s = shape_at(gauss_at[i], L);
        point_at(n, &s, y, NULL, &k);
        bend_hessian(n, w, k.p, k.c, H);
        put_matrix(n, gauss_weight[i] * L, &s, H, 1, K);
    }
}

/* Derivatives by y (rates: by u), n BLOCKS square. */
static inline void tangent(const int n, const law *w, double L, const double *y, const double *u, int rates,
                           double *K)
{
    double f, a, H[36] = {0}, dFp[3] = {0}, dFc[3] = {0};
    point k = {{0}, {0}, {0}, {0}};
    bend b = {.a = 0};
    for (int i = 0; i < 3; i++) {
        const shape s = lobatto(i, L, &f);
        along(n, s.p, y, k.p), along(n, s.p, u, k.up);
        const double S = stretch(n, w, k.p, k.up, &a);
        for (int j = 0; j < n; j++) {
            double e[3] = {0, 0, 0}, none[3] = {0, 0, 0};
            e[j] = 1;
            double dS = stretch_change(n, w, k.p, k.up, a, rates ? none : e, rates ? e : none);
            for (int l = 0; l < n; l++) H[l * n + j] = dS * k.p[l] + (!rates && l == j ? S : 0);
        }
        put_matrix(n, f * L, &s, H, 0, K);
    }
    for (int i = 0; i < GAUSS; i++) {
        const shape s = shape_at(gauss_at[i], L);
        point_at(n, &s, y, u, &k);
        bend_at(n, w, &k, &b);
        for (int j = 0; j < 2 * n; j++) {
            point d = {{0}, {0}, {0}, {0}};
            (j < n ? rates ? d.up : d.p : rates ? d.uc : d.c)[j % n] = 1;
            bend_change(n, w, &k, &b, &d, dFp, dFc);
            for (int l = 0; l < n; l++) H[l * 2 * n + j] = dFp[l], H[(n + l) * 2 * n + j] = dFc[l];
        }
        put_matrix(n, gauss_weight[i] * L, &s, H, 1, K);
    }
}

/* Change of the forces with the length by dL. */
static inline void elastic_by_length(const int n, const law *w, double L, double dL, const double *y,
                                     const double *u, double *r)
{
    double f, a, Fp[3] = {0}, Fc[3] = {0}, dFp[3] = {0}, dFc[3] = {0};
    point k = {{0}, {0}, {0}, {0}}, d = {{0}, {0}, {0}, {0}};
    bend b = {.a = 0};
    for (int i = 0; i < 3; i++) {
        const shape s = lobatto(i, L, &f);
        const shape t = i == 1 ? shape_by_length(&s, L) : (shape){{0}, {0}};
        along(n, s.p, y, k.p), along(n, s.p, u, k.up);
        along(n, t.p, y, d.p), along(n, t.p, u, d.up);
        const double S = stretch(n, w, k.p, k.up, &a), dS = stretch_change(n, w, k.p, k.up, a, d.p, d.up);
        for (int j = 0; j < n; j++) Fp[j] = S * k.p[j], dFp[j] = dS * k.p[j] + S * d.p[j];
        put(n, f * dL, &s, Fp, NULL, r);
        put(n, f * dL * L, &t, Fp, NULL, r);
        put(n, f * dL * L, &s, dFp, NULL, r);
    }
    for (int i = 0; i < GAUSS; i++) {
        const shape s = shape_at(gauss_at[i], L), t = shape_by_length(&s, L);
        point_at(n, &s, y, u, &k), point_at(n, &t, y, u, &d);
        bend_at(n, w, &k, &b);
        bend_force(n, &k, &b, Fp, Fc);
        bend_change(n, w, &k, &b, &d, dFp, dFc);
        f = gauss_weight[i] * dL;
        put(n, f, &s, Fp, Fc, r);
        put(n, f * L, &t, Fp, Fc, r);
        put(n, f * L, &s, dFp, dFc, r);
    }
}

/* Stored energy. */
static inline double stored(const int n, const law *w, double L, const double *y)
{
    double V = 0, f, p[3] = {0};
    point k = {{0}, {0}, {0}, {0}};
    bend b = {.a = 0};
    for (int i = 0; i < 3; i++) {
        const shape s = lobatto(i, L, &f);
        along(n, s.p, y, p);
        const double a = dot(n, p, p), e = w->green ? 0.5 * (a - 1) : sqrt(a) - 1;
        V += 0.5 * w->EA * f * L * e * e;
    }
    for (int i = 0; i < GAUSS; i++) {
        const shape s = shape_at(gauss_at[i], L);
        point_at(n, &s, y, y, &k);
        bend_at(n, w, &k, &b);
        V += 0.5 * w->EI * gauss_weight[i] * L * dot(n, b.k, b.k);
    }
    return V;
}

/* Its derivative by L */
static inline double stored_by_length(const int n, const law *w, double L, const double *y)
{
    double V = stored(n, w, L, y) / L, f, a, Fp[3], Fc[3];
    const double none[MOST] = {0};
    point k = {{0}, {0}, {0}, {0}}, d = {{0}, {0}, {0}, {0}};
    bend b = {.a = 0};
    const shape mid = lobatto(1, L, &f), by = shape_by_length(&mid, L); /* only the middle sees D */
    along(n, mid.p, y, k.p), along(n, by.p, y, d.p);
    V += f * L * stretch(n, w, k.p, none, &a) * dot(n, k.p, d.p);
    for (int i = 0; i < GAUSS; i++) {
        const shape s = shape_at(gauss_at[i], L), t = shape_by_length(&s, L);
        point_at(n, &s, y, none, &k), point_at(n, &t, y, none, &d);
        bend_at(n, w, &k, &b);
        bend_force(n, &k, &b, Fp, Fc);
        V += gauss_weight[i] * L * (dot(n, Fp, d.p) + dot(n, Fc, d.c));
    }
    return V;
}

/* ---- between blocks and coordinates ---- */

static const int block_of[4] = {BY_D, BY_1, BY_D, BY_2};
static const double sign_of[4] = {-1, 1, 1, 1};

static SN_SIMD_INLINE void expand(const int n, const double *b, double *r)
{
    for (int a = 0; a < 4; a++)
        for (int i = 0; i < n; i++) r[a * n + i] += sign_of[a] * b[block_of[a] * n + i];
}

static SN_SIMD_INLINE void expand_matrix(const int n, const double *B, double *K)
{
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            const double *from = B + (block_of[a] * BLOCKS * n + block_of[b]) * n,
                         s = sign_of[a] * sign_of[b];
            double *to = K + (a * 4 * n + b) * n;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) to[i * 4 * n + j] += s * from[i * BLOCKS * n + j];
        }
}

/* ---- mass: rhoA L H (x) 1 for (x1, p1, x2, p2) ---- */

/* r += M x */
static SN_SIMD_INLINE void mass_times(const int n, double rho, double L, int dL, const double *x, double *r)
{
    const double size[2] = {1, L};
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            const double m =
                dL ? mass_entry(a, b, rho, L, 1) : rho * L / 420 * hermite[a][b] * size[a & 1] * size[b & 1];
            for (int i = 0; i < n; i++) r[a * n + i] += m * x[b * n + i];
        }
}

#endif
