/* Stops on relative coordinates: a stiff one-sided spring and damper beyond a limit.

   With p the depth beyond the limit and w the width of its onset n = k g(p) + c g'(p) pdot, never pulling:
   g = p^2/(2 w) up to p = w, p - w/2 beyond; the damper comes in with g', so that the force is continuous
   where w > 0. */
#ifndef SN_ELEMENT_STOP_LAW_H
#define SN_ELEMENT_STOP_LAW_H

#include "element/relative.h"

/* For sliding, then for turning */
enum { SN_STOP_LO, SN_STOP_HI, SN_STOP_K, SN_STOP_C, SN_STOP_W, SN_STOP_N };
enum { SN_STOP_BOTH, SN_STOP_LOW, SN_STOP_HIGH };

#define SN_STOP_SLOTS                                                                                          \
    {"lo",        "m", "lower limit of the displacement along the axis", 1, SN_VARIES, 0, -SN_INFINITE,        \
     SN_INFINITE, NULL},                                                                                       \
        {"hi", "m", "upper limit", 1, SN_VARIES, 0, -SN_INFINITE, SN_INFINITE, NULL},                          \
        {"k", "N/m", "stiffness of the stops along the axis (0: none)", 1, 0, 0, 0, SN_INFINITE, NULL},        \
        {"c", "N*s/m", "damping of these stops", 1, 0, 0, 0, SN_INFINITE, NULL},                               \
        {"onset", "m", "depth over which their stiffness and damping come in", 1, 0, 0, 0, SN_INFINITE, NULL}, \
        {"lo_angle",  "rad", "lower limit of the angle about the axis", 1, SN_VARIES, 0, -SN_INFINITE,         \
         SN_INFINITE, NULL},                                                                                   \
        {"hi_angle", "rad", "upper limit", 1, SN_VARIES, 0, -SN_INFINITE, SN_INFINITE, NULL},                  \
        {"kt", "N*m/rad", "stiffness of the stops about the axis (0: none)", 1, 0, 0, 0, SN_INFINITE, NULL},   \
        {"ct", "N*m*s/rad", "damping of these stops", 1, 0, 0, 0, SN_INFINITE, NULL},                          \
    {                                                                                                          \
        "onset_angle", "rad", "angle over which their stiffness and damping come in", 1, 0, 0, 0,              \
            SN_INFINITE, NULL                                                                                  \
    }

#define SN_STOP_OPTIONS                                                                                      \
    {                                                                                                        \
        "side", "both|low|high", "which limits there are", 0                                                 \
    }

/* Depth beyond a limit and its law; side: -1 at the lower, 1 at the upper limit, 0 inside both */
typedef struct sn_stop {
    double side, p, pd, g, g1, g2, n;
} sn_stop;

static inline void sn_stop_open(const double *own, int opt, double s, double sd, sn_stop *y)
{
    double w = own[SN_STOP_W];
    *y = (sn_stop){0};
    if (opt != SN_STOP_LOW && s > own[SN_STOP_HI])
        y->side = 1, y->p = s - own[SN_STOP_HI], y->pd = sd;
    else if (opt != SN_STOP_HIGH && s < own[SN_STOP_LO])
        y->side = -1, y->p = own[SN_STOP_LO] - s, y->pd = -sd;
    else
        return;
    int full = y->p >= w;
    y->g = full ? y->p - 0.5 * w : 0.5 * y->p * y->p / w;
    y->g1 = full ? 1 : y->p / w;
    y->g2 = full ? 0 : 1 / w;
    y->n = own[SN_STOP_K] * y->g + own[SN_STOP_C] * y->g1 * y->pd;
    if (y->n < 0) *y = (sn_stop){0};
}

static inline int sn_stop_acts(const double *p, int which)
{
    return p[SN_STOP_N * which + SN_STOP_K] != 0 || p[SN_STOP_N * which + SN_STOP_C] != 0;
}

static inline void sn_stop_law(const double *p, const int *opt, int which, double s, double sd, sn_law *f)
{
    const double *own = p + SN_STOP_N * which;
    sn_stop y;
    sn_stop_open(own, opt[0], s, sd, &y);
    f->f = y.side * y.n;
    f->s = own[SN_STOP_K] * y.g1 + own[SN_STOP_C] * y.g2 * y.pd;
    f->v = own[SN_STOP_C] * y.g1;
}

static inline double sn_stop_dlaw(const double *p, const int *opt, int which, int index, double s, double sd)
{
    const double *own = p + SN_STOP_N * which;
    double w = own[SN_STOP_W], k = own[SN_STOP_K], c = own[SN_STOP_C];
    sn_stop y;
    sn_stop_open(own, opt[0], s, sd, &y);
    if (y.side == 0) return 0;
    switch (index - SN_STOP_N * which) {
    case SN_STOP_LO:
    case SN_STOP_HI:
        return (y.side > 0) == (index - SN_STOP_N * which == SN_STOP_HI) ? -k * y.g1 - c * y.g2 * y.pd : 0;
    case SN_STOP_K:
        return y.side * y.g;
    case SN_STOP_C:
        return y.side * y.g1 * y.pd;
    case SN_STOP_W:
        return y.side * (y.p >= w ? -0.5 * k : -y.p * (0.5 * k * y.p + c * y.pd) / (w * w));
    default:
        return 0;
    }
}

/* Integral of g from the limit */
static inline double sn_stop_work(const sn_stop *y, double w)
{
    return y->p >= w ? 0.5 * y->p * (y->p - w) + w * w / 6 : y->p * y->p * y->p / (6 * w);
}

/* Its derivative by w */
static inline double sn_stop_work_w(const sn_stop *y, double w)
{
    return y->p >= w ? w / 3 - 0.5 * y->p : -y->p * y->p * y->p / (6 * w * w);
}

static inline sn_status sn_stop_limits(const double *p, const int *opt, sn_err *err)
{
    for (int which = SN_SLIDE; which <= SN_TURN && opt[0] == SN_STOP_BOTH; which++) {
        const double *own = p + SN_STOP_N * which;
        if (sn_stop_acts(p, which) && own[SN_STOP_LO] > own[SN_STOP_HI])
            return sn_fail(err, SN_ERR_INPUT, NULL, "the lower limit %g is above the upper one, %g",
                           own[SN_STOP_LO], own[SN_STOP_HI]);
    }
    return SN_OK;
}

/* Potential energy of both coordinates at rest, its gradient where asked for */
static inline void sn_stop_energy(const sn_relative_kind *k, const sn_in *in, double *e, sn_dout *de)
{
    const double *p = in->s + k->base;
    e[0] = e[1] = 0;
    for (int which = SN_SLIDE; which <= SN_TURN; which++) {
        const double *own = p + SN_STOP_N * which;
        sn_relative g;
        sn_law f;
        sn_stop y;
        if (!k->acts(p, which) || sn_relative_open(k, in, which, 0, &g, &f) != SN_OK) continue;
        sn_stop_open(own, in->opt[0], g.s, 0, &y);
        e[1] += y.side == 0 ? 0 : own[SN_STOP_K] * sn_stop_work(&y, own[SN_STOP_W]);
        for (int i = 0; de && de->q && i < in->nv; i++)
            de->q[in->nv + i] += y.side * own[SN_STOP_K] * y.g * g.b[i];
    }
}

static inline void sn_stop_denergy(const sn_relative_kind *k, const sn_in *in, int index, double *de)
{
    const double *p = in->s + k->base;
    de[0] = de[1] = 0;
    for (int which = SN_SLIDE; which <= SN_TURN; which++) {
        const double *own = p + SN_STOP_N * which;
        double db[SN_RELATIVE_MAX] = {0}, ds;
        sn_relative g;
        sn_law f;
        sn_stop y;
        if (sn_relative_open(k, in, which, 0, &g, &f) != SN_OK) continue;
        sn_stop_open(own, in->opt[0], g.s, 0, &y);
        if (y.side == 0) continue;
        int i = index - k->base - SN_STOP_N * which;
        ds = k->dcoordinate(in, which, index, db);
        if (i == (y.side > 0 ? SN_STOP_HI : SN_STOP_LO)) ds -= 1;
        de[1] += y.side * own[SN_STOP_K] * y.g * ds;
        if (i == SN_STOP_K) de[1] += sn_stop_work(&y, own[SN_STOP_W]);
        if (i == SN_STOP_W) de[1] += own[SN_STOP_K] * sn_stop_work_w(&y, own[SN_STOP_W]);
    }
}

#endif
