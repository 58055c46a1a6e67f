/* Friction on relative coordinates: along the axis c v + force f(v), about it ct w + torque f(w), with the
   smoothed fraction f of math/friction.h. */
#ifndef SN_ELEMENT_FRICTION_LAW_H
#define SN_ELEMENT_FRICTION_LAW_H

#include "element/relative.h"
#include "math/friction.h"

/* For sliding, then for turning: viscous coefficient, kinetic friction, width, Stribeck's speed */
enum { SN_FRICTION_C, SN_FRICTION_F, SN_FRICTION_V0, SN_FRICTION_VS, SN_FRICTION_N, SN_FRICTION_RATIO = 8 };

#define SN_FRICTION_SLOTS                                                                                    \
    {"c", "N*s/m", "viscous friction along the axis", 1, 0, 0, 0, SN_INFINITE, NULL},                        \
        {"force",     "N", "kinetic friction along the axis: mu times the normal force", 1, SN_VARIES, 0, 0, \
         SN_INFINITE, NULL},                                                                                 \
        {"v0", "m/s",       "speed over which the sign change of dry friction is smoothed",                  \
         1,    SN_POSITIVE, 1e-3,                                                                            \
         0,    SN_INFINITE, NULL},                                                                           \
        {"stribeck", "m/s",       "speed above which static friction has faded (Stribeck)",                  \
         1,          SN_POSITIVE, SN_REQUIRED,                                                               \
         0,          SN_INFINITE, "10*v0"},                                                                  \
        {"ct", "N*m*s/rad", "viscous friction about the axis", 1, 0, 0, 0, SN_INFINITE, NULL},               \
        {"torque", "N*m", "kinetic friction about the axis", 1, SN_VARIES, 0, 0, SN_INFINITE, NULL},         \
        {"w0", "rad/s", "the same as v0 about the axis", 1, SN_POSITIVE, 1e-3, 0, SN_INFINITE, NULL},        \
        {"stribeck_spin", "rad/s", "the same as stribeck about the axis", 1, SN_POSITIVE, SN_REQUIRED, 0,    \
         SN_INFINITE,     "10*w0"},                                                                          \
    {                                                                                                        \
        "ratio", "", "ratio of static to kinetic friction", 1, 0, 1, 1, SN_INFINITE, NULL                    \
    }

#define SN_FRICTION_OPTIONS                                                                                  \
    {                                                                                                        \
        "smoothing", "tanh|root", "smoothing of the sign change: tanh(v/v0), or v/sqrt(v^2 + v0^2)", 0       \
    }

static inline int sn_friction_acts(const double *p, int which)
{
    return p[SN_FRICTION_N * which + SN_FRICTION_C] != 0 || p[SN_FRICTION_N * which + SN_FRICTION_F] != 0;
}

static inline void sn_friction_law(const double *p, const int *opt, int which, double s, double sd, sn_law *f)
{
    const double *own = p + SN_FRICTION_N * which;
    sn_friction y;
    (void)s;
    sn_friction_at(opt[0], sd, own[SN_FRICTION_V0], own[SN_FRICTION_VS], p[SN_FRICTION_RATIO], &y);
    f->f = own[SN_FRICTION_C] * sd + own[SN_FRICTION_F] * y.f;
    f->s = 0;
    f->v = own[SN_FRICTION_C] + own[SN_FRICTION_F] * y.v;
}

static inline double sn_friction_dlaw(const double *p, const int *opt, int which, int index, double s,
                                      double sd)
{
    const double *own = p + SN_FRICTION_N * which;
    sn_friction y;
    (void)s;
    sn_friction_at(opt[0], sd, own[SN_FRICTION_V0], own[SN_FRICTION_VS], p[SN_FRICTION_RATIO], &y);
    if (index == SN_FRICTION_RATIO) return own[SN_FRICTION_F] * y.ratio;
    switch (index - SN_FRICTION_N * which) {
    case SN_FRICTION_C:
        return sd;
    case SN_FRICTION_F:
        return y.f;
    case SN_FRICTION_V0:
        return own[SN_FRICTION_F] * y.v0;
    case SN_FRICTION_VS:
        return own[SN_FRICTION_F] * y.vs;
    default:
        return 0;
    }
}

#endif
