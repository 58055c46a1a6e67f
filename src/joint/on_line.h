/* A point held on a line r(s), s the coordinate of a `parameter` node: phi = x - r(s), one equation for each
   direction, and friction along the line.

   The row of s has no inertia: -r'.lam + Q = 0 says that the reaction is across the line but for the
   friction. With l = |r'|, t = r'/l: Q = l F, F = c v + mu N f(v) at the sliding speed v = l s', N the part
   of the reaction across the line, N^2 = |lam|^2 - (lam.t)^2 + preload^2. What the line gives of its own
   coordinates e is r, r', r'' and the factors of e in r and r': r = sum S_i e_i for a cable, none for a fixed
   curve. Coordinates: x (n), s, then e. */
#ifndef SN_JOINT_ON_LINE_H
#define SN_JOINT_ON_LINE_H

#include "math/friction.h"
#include "math/rot3.h"
#include "sinew/class.h"

/* The friction slots, in this order, from in->s + `first` on */
enum {
    SN_LINE_C,
    SN_LINE_MU,
    SN_LINE_PRELOAD,
    SN_LINE_V0,
    SN_LINE_STRIBECK,
    SN_LINE_RATIO,
    SN_LINE_FRICTION
};

#define SN_LINE_FRICTION_SLOTS                                                                               \
    {"c", "N*s/m", "viscous friction along the line", 1, SN_FRICTION, 0, 0, SN_INFINITE, NULL},              \
        {"mu",        "",  "dry friction along the line: its kinetic coefficient", 1, SN_FRICTION, 0, 0,     \
         SN_INFINITE, NULL},                                                                                 \
        {"preload",   "N", "force besides the reaction, across the line", 1, SN_VARIES | SN_FRICTION, 0, 0,  \
         SN_INFINITE, NULL},                                                                                 \
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

static inline int sn_line_rubs(const double *f) { return f[SN_LINE_C] != 0 || f[SN_LINE_MU] != 0; }

enum { SN_LINE_SHAPES = 4 };
typedef struct sn_on_line {
    double r[3], r1[3], r2[3]; /* place and its derivatives by s */
    int n_shape, at;           /* blocks of n coordinates, from `at` on, with factors in r, r', r'' */
    double S[SN_LINE_SHAPES], S1[SN_LINE_SHAPES], S2[SN_LINE_SHAPES];
} sn_on_line;

/* Friction at a point of the line and what it changes by. */
typedef struct sn_line_rub {
    double l, t[3], N, lt, v, F, by_v, by_N;
    sn_friction y;
} sn_line_rub;

static inline void sn_line_rub_at(const sn_in *in, const double *f, const sn_on_line *k, sn_line_rub *y)
{
    const int n = in->dim;
    const double P = f[SN_LINE_PRELOAD];
    double l2 = 0, N2 = P * P;
    *y = (sn_line_rub){.l = 0};
    for (int i = 0; i < n; i++) l2 += k->r1[i] * k->r1[i];
    y->l = sqrt(l2);
    for (int i = 0; i < n && y->l > 0; i++) y->t[i] = k->r1[i] / y->l, y->lt += y->t[i] * in->lam[i];
    for (int i = 0; i < n; i++) N2 += pow(in->lam[i] - y->lt * y->t[i], 2);
    y->N = sqrt(N2);
    y->v = y->l * in->v[n];
    sn_friction_at(0, y->v, f[SN_LINE_V0], f[SN_LINE_STRIBECK], f[SN_LINE_RATIO], &y->y);
    y->F = f[SN_LINE_C] * y->v + f[SN_LINE_MU] * y->N * y->y.f;
    y->by_v = f[SN_LINE_C] + f[SN_LINE_MU] * y->N * y->y.v;
    y->by_N = f[SN_LINE_MU] * y->y.f;
}

/* Change of l F with r' by dr1 */
static inline double sn_line_rub_change(const sn_in *in, const sn_line_rub *y, const double *dr1)
{
    const int n = in->dim;
    double dl = 0, dN = 0;
    for (int i = 0; i < n; i++) dl += y->t[i] * dr1[i];
    for (int i = 0; i < n && y->N > 0; i++)
        dN -= y->lt * (in->lam[i] - y->lt * y->t[i]) * dr1[i] / (y->l * y->N);
    return dl * y->F + y->l * (y->by_v * dl * in->v[n] + y->by_N * dN);
}

/* Change of F by friction slot i */
static inline double sn_line_rub_by(const double *f, int i, const sn_line_rub *y)
{
    const double mu = f[SN_LINE_MU];
    switch (i) {
    case SN_LINE_C:
        return y->v;
    case SN_LINE_MU:
        return y->N * y->y.f;
    case SN_LINE_PRELOAD:
        return y->N > 0 ? y->by_N * f[SN_LINE_PRELOAD] / y->N : 0;
    case SN_LINE_V0:
        return mu * y->N * y->y.v0;
    case SN_LINE_STRIBECK:
        return mu * y->N * y->y.vs;
    default:
        return mu * y->N * y->y.ratio;
    }
}

static inline void sn_line_rub_add(const sn_in *in, const double *f, const sn_on_line *k, sn_joint_out *o)
{
    const int n = in->dim, nv = in->nv;
    sn_line_rub y;
    sn_line_rub_at(in, f, k, &y);
    o->r[n] += y.l * y.F;
    if (!o->K) return;
    double *K = o->K + n * nv;
    K[n] += sn_line_rub_change(in, &y, k->r2);
    for (int b = 0; b < k->n_shape; b++)
        for (int i = 0; i < n; i++) {
            double d[3] = {0, 0, 0};
            d[i] = k->S1[b];
            K[k->at + b * n + i] += sn_line_rub_change(in, &y, d);
        }
    o->C[n * nv + n] += y.l * y.l * y.by_v;
    for (int i = 0; o->L && i < n && y.N > 0; i++)
        o->L[n * in->m + i] += y.l * y.by_N * (in->lam[i] - y.lt * y.t[i]) / y.N;
}

static inline void sn_on_line_eval(const sn_in *in, const double *f, const sn_on_line *k, sn_joint_out *o)
{
    const int n = in->dim, nv = in->nv;
    double bend = 0;
    if (o->B) memset(o->B, 0, sizeof *o->B * (size_t)(n * nv));
    for (int i = 0; i < n; i++) {
        const double lam = in->lam[i];
        o->phi[i] = in->q[i] - k->r[i];
        o->r[i] += lam, o->r[n] -= k->r1[i] * lam;
        bend -= k->r2[i] * lam;
        if (o->B) o->B[i * nv + i] = 1, o->B[i * nv + n] = -k->r1[i];
        for (int b = 0; b < k->n_shape; b++) {
            const int e = k->at + b * n + i;
            o->r[e] -= k->S[b] * lam;
            if (o->B) o->B[i * nv + e] = -k->S[b];
            if (o->K) o->K[n * nv + e] -= k->S1[b] * lam, o->K[e * nv + n] -= k->S1[b] * lam;
        }
    }
    if (o->K) o->K[n * nv + n] += bend;
    for (int i = 0; o->L && i < n; i++)
        for (int j = 0; j < nv; j++) o->L[j * n + i] = o->B[i * nv + j];
    if (sn_line_rubs(f)) sn_line_rub_add(in, f, k, o);
}

/* gamma = -(r'' s'^2 + 2 sum S'_i e_i' s') */
static inline void sn_on_line_rate(const sn_in *in, const sn_on_line *k, double *phi_t, double *gamma)
{
    const int n = in->dim;
    const double w = in->v[n];
    for (int i = 0; i < n; i++) {
        phi_t[i] = 0, gamma[i] = -k->r2[i] * w * w;
        for (int b = 0; b < k->n_shape; b++) gamma[i] -= 2 * k->S1[b] * in->v[k->at + b * n + i] * w;
    }
}

/* By a number that changes r, r' and the factors by those of d: all linear in them. */
static inline void sn_on_line_by(const sn_in *in, const double *f, const sn_on_line *k, const sn_on_line *d,
                                 double *dr, double *dphi)
{
    const int n = in->dim;
    for (int i = 0; i < n; i++) {
        dphi[i] -= d->r[i], dr[n] -= d->r1[i] * in->lam[i];
        for (int b = 0; b < d->n_shape; b++) dr[d->at + b * n + i] -= d->S[b] * in->lam[i];
    }
    if (!sn_line_rubs(f)) return;
    sn_line_rub y;
    sn_line_rub_at(in, f, k, &y);
    dr[n] += sn_line_rub_change(in, &y, d->r1);
}

/* By friction slot i */
static inline void sn_on_line_by_friction(const sn_in *in, const double *f, int i, const sn_on_line *k,
                                          double *dr)
{
    sn_line_rub y;
    sn_line_rub_at(in, f, k, &y);
    dr[in->dim] += y.l * sn_line_rub_by(f, i, &y);
}

/* Names of the equations */
static inline void sn_on_line_names(sn_layout *l)
{
    static const char *const name[] = {"x", "y", "z"};
    l->vector = 1;
    for (l->m = 0; l->m < l->dim; l->m++) l->component[l->m] = name[l->m], l->unit[l->m] = "m";
}

/* Whether block i is a coordinate of second order alone */
static inline int sn_on_line_is_parameter(const sn_layout *l, int i)
{
    return l->view[i] == SN_SCALARS && l->offv[i + 1] - l->offv[i] == 1 && l->order == 2;
}

#endif
