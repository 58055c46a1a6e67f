/* Friction of a joint by its own reaction: F = c v + mu r N f(r v) against the relative speed v = g . v, g
   the gradient of the free motion, f the smoothed fraction of math/friction.h, put into the equations as F g.

   A bearing turns: r is its radius, N^2 = |lam|^2 + preload^2 with the multipliers that are forces. A guide
   slides: r = 1; the reaction and the moment across the axis are two forces at the guide's ends, half its
   length before and behind the joint's place, (x/2 + My/length, y/2 - Mx/length) and the same with the
   moments reversed. N is the sum of their sizes, each with half of the preload across it. Length 0: the
   moment makes no friction.

   N depends on the multipliers, dr/dlam = B' + g dF/dlam. Where equations are redundant the reactions, and so
   the friction, are not known: only those that are kept count. */
#ifndef SN_JOINT_JOINT_FRICTION_H
#define SN_JOINT_JOINT_FRICTION_H

#include "math/friction.h"
#include "sinew/class.h"

/* The slots, in this order, after the joint's own */
enum {
    SN_JOINT_FRICTION_C,
    SN_JOINT_FRICTION_MU,
    SN_JOINT_FRICTION_LEVER,
    SN_JOINT_FRICTION_PRELOAD,
    SN_JOINT_FRICTION_V0,
    SN_JOINT_FRICTION_STRIBECK,
    SN_JOINT_FRICTION_RATIO
};

#define SN_JOINT_FRICTION_MORE                                                                               \
    {"preload",   "N", "transverse force that adds to the reaction", 1, SN_VARIES | SN_FRICTION, 0, 0,       \
     SN_INFINITE, NULL},                                                                                     \
        {"v0",                                                                                               \
         "m/s",                                                                                              \
         "sliding speed over which the sign change of dry friction is smoothed",                             \
         1,                                                                                                  \
         SN_POSITIVE | SN_FRICTION,                                                                          \
         1e-3,                                                                                               \
         0,                                                                                                  \
         SN_INFINITE,                                                                                        \
         NULL},                                                                                              \
        {"stribeck",                                                                                         \
         "m/s",                                                                                              \
         "sliding speed above which static friction has faded (Stribeck)",                                   \
         1,                                                                                                  \
         SN_POSITIVE | SN_FRICTION,                                                                          \
         SN_REQUIRED,                                                                                        \
         0,                                                                                                  \
         SN_INFINITE,                                                                                        \
         "10*v0"},                                                                                           \
    {                                                                                                        \
        "ratio", "", "ratio of static to kinetic friction", 1, SN_FRICTION, 1, 1, SN_INFINITE, NULL          \
    }
#define SN_JOINT_FRICTION_BEARING                                                                            \
    {"ct",        "N*m*s/rad", "viscous friction of the bearing", 1, SN_NEEDS_ROT | SN_FRICTION, 0, 0,       \
     SN_INFINITE, NULL},                                                                                     \
        {"mu",                                                                                               \
         "",                                                                                                 \
         "dry friction of the bearing: its kinetic coefficient",                                             \
         1,                                                                                                  \
         SN_NEEDS_ROT | SN_FRICTION,                                                                         \
         0,                                                                                                  \
         0,                                                                                                  \
         SN_INFINITE,                                                                                        \
         NULL},                                                                                              \
        {"radius",                                                                                           \
         "m",                                                                                                \
         "radius of the bearing, at which the reaction causes friction",                                     \
         1,                                                                                                  \
         SN_FRICTION | SN_LEVERAGE,                                                                          \
         0,                                                                                                  \
         0,                                                                                                  \
         SN_INFINITE,                                                                                        \
         NULL},                                                                                              \
        SN_JOINT_FRICTION_MORE
#define SN_JOINT_FRICTION_GUIDE                                                                              \
    {"c", "N*s/m", "viscous friction of the guide", 1, SN_FRICTION, 0, 0, SN_INFINITE, NULL},                \
        {"mu",        "",  "dry friction of the guide: its kinetic coefficient", 1, SN_FRICTION, 0, 0,       \
         SN_INFINITE, NULL},                                                                                 \
        {"length",                                                                                           \
         "m",                                                                                                \
         "length of the guide, at whose ends the transverse moment causes friction (0: none)",               \
         1,                                                                                                  \
         SN_FRICTION,                                                                                        \
         0,                                                                                                  \
         0,                                                                                                  \
         SN_INFINITE,                                                                                        \
         NULL},                                                                                              \
        SN_JOINT_FRICTION_MORE

/* The normal force and its derivatives, the friction force and its own */
typedef struct sn_joint_friction {
    double N, by_lam[6], by_length, by_preload;
    double r, v, F, by_v, by_N;
    sn_friction y;
} sn_joint_friction;

static inline int sn_joint_friction_acts(const double *p)
{
    return p[SN_JOINT_FRICTION_C] != 0 || p[SN_JOINT_FRICTION_MU] != 0;
}

/* N of a bearing: the first n multipliers are forces. p: slots from SN_JOINT_FRICTION_C on */
static inline void sn_joint_friction_bearing(const double *p, int n, const double *lam, sn_joint_friction *y)
{
    double P = p[SN_JOINT_FRICTION_PRELOAD], N2 = P * P;
    *y = (sn_joint_friction){.r = p[SN_JOINT_FRICTION_LEVER]};
    for (int k = 0; k < n; k++) N2 += lam[k] * lam[k];
    y->N = sqrt(N2);
    if (!(y->N > 0)) return;
    for (int k = 0; k < n; k++) y->by_lam[k] = lam[k] / y->N;
    y->by_preload = P / y->N;
}

/* N of a guide in n planes (1 or 2): the force lam[force[k]] with the moment sign[k] lam[moment[k]] */
static inline void sn_joint_friction_guide(const double *p, int n, const int *force, const int *moment,
                                           const double *sign, const double *lam, sn_joint_friction *y)
{
    double P = p[SN_JOINT_FRICTION_PRELOAD] / 2, l = p[SN_JOINT_FRICTION_LEVER], inv = l > 0 ? 1 / l : 0;
    *y = (sn_joint_friction){.r = 1};
    for (int end = -1; end <= 1; end += 2) {
        double x[2] = {0, 0}, N = P * P;
        for (int k = 0; k < n; k++) {
            x[k] = lam[force[k]] / 2 + end * inv * sign[k] * lam[moment[k]];
            N += x[k] * x[k];
        }
        N = sqrt(N);
        if (!(N > 0)) continue;
        y->N += N;
        y->by_preload += P / (2 * N);
        for (int k = 0; k < n; k++) {
            double d = x[k] / N, couple = end * inv * sign[k];
            y->by_lam[force[k]] += d / 2;
            y->by_lam[moment[k]] += d * couple;
            y->by_length -= d * couple * inv * lam[moment[k]];
        }
    }
}

/* The force at the relative speed v, N being known */
static inline void sn_joint_friction_at(const double *p, double v, sn_joint_friction *y)
{
    double r = y->r, mu = p[SN_JOINT_FRICTION_MU];
    sn_friction_at(0, r * v, p[SN_JOINT_FRICTION_V0], p[SN_JOINT_FRICTION_STRIBECK],
                   p[SN_JOINT_FRICTION_RATIO], &y->y);
    y->v = v;
    y->F = p[SN_JOINT_FRICTION_C] * v + mu * r * y->N * y->y.f;
    y->by_v = p[SN_JOINT_FRICTION_C] + mu * r * r * y->N * y->y.v;
    y->by_N = mu * r * y->y.f;
}

/* Change of the force by slot `index`; turns: the lever is a radius */
static inline double sn_joint_friction_by(const double *p, int turns, int index, const sn_joint_friction *y)
{
    double mu = p[SN_JOINT_FRICTION_MU], r = y->r;
    switch (index) {
    case SN_JOINT_FRICTION_C:
        return y->v;
    case SN_JOINT_FRICTION_MU:
        return r * y->N * y->y.f;
    case SN_JOINT_FRICTION_LEVER:
        return turns ? mu * y->N * (y->y.f + r * y->v * y->y.v) : y->by_N * y->by_length;
    case SN_JOINT_FRICTION_PRELOAD:
        return y->by_N * y->by_preload;
    case SN_JOINT_FRICTION_V0:
        return mu * r * y->N * y->y.v0;
    case SN_JOINT_FRICTION_STRIBECK:
        return mu * r * y->N * y->y.vs;
    case SN_JOINT_FRICTION_RATIO:
        return mu * r * y->N * y->y.ratio;
    default:
        return 0;
    }
}

/* dr/dlam of the joint without friction */
static inline void sn_joint_friction_none(const sn_in *in, sn_joint_out *out)
{
    for (int k = 0; out->L && k < in->m; k++)
        for (int j = 0; j < in->nv; j++) out->L[j * in->m + k] = out->B[k * in->nv + j];
}

static inline double sn_joint_friction_speed(const sn_in *in, const double *g)
{
    double v = 0;
    for (int i = 0; i < in->nv; i++) v += g[i] * in->v[i];
    return v;
}

/* r, C, L += those of F g; H = dg/dq where K is wanted, NULL: g is constant */
static inline void sn_joint_friction_add(const sn_in *in, const double *g, const double *H,
                                         const sn_joint_friction *y, sn_joint_out *out)
{
    int nv = in->nv, m = in->m;
    for (int i = 0; i < nv; i++) out->r[i] += y->F * g[i];
    if (!out->K) return;
    for (int j = 0; j < nv; j++) {
        double dv = 0;
        for (int i = 0; H && i < nv; i++) dv += in->v[i] * H[i * nv + j];
        for (int i = 0; i < nv; i++) {
            out->C[i * nv + j] += y->by_v * g[i] * g[j];
            if (H) out->K[i * nv + j] += y->F * H[i * nv + j] + y->by_v * g[i] * dv;
        }
    }
    for (int i = 0; i < nv; i++)
        for (int k = 0; k < m; k++) out->L[i * m + k] += y->by_N * g[i] * y->by_lam[k];
}

/* dr += change of F g, by dF and by the change dg of the gradient (NULL: none) */
static inline void sn_joint_friction_dadd(const sn_in *in, const double *g, const double *dg,
                                          const sn_joint_friction *y, double dF, double *dr)
{
    if (dg) dF += y->by_v * sn_joint_friction_speed(in, dg);
    for (int i = 0; i < in->nv; i++) dr[i] += dF * g[i] + (dg ? y->F * dg[i] : 0);
}

/* A coefficient without the radius it needs */
static inline sn_status sn_joint_friction_check_bearing(const double *p, sn_err *err)
{
    if (p[SN_JOINT_FRICTION_MU] > 0 && p[SN_JOINT_FRICTION_LEVER] == 0)
        return sn_fail(err, SN_ERR_INPUT, NULL, "friction by 'mu' needs the bearing's 'radius'");
    return SN_OK;
}

#endif
