/* The place of a node in the plane (n = 2) or in space (3): its first coordinates, and its first slots: at,
   displacement, velocity, n numbers each. The reference position is `at`, the motion starts at `at +
   displacement`. */
#ifndef SN_NODE_PLACE_H
#define SN_NODE_PLACE_H

#include "sinew/class.h"

#define SN_PLACE_SLOTS(n)                                                                                    \
    {"at", "m", "reference position", n, SN_PLACED, SN_REQUIRED, -SN_INFINITE, SN_INFINITE, NULL},           \
        {"displacement",                                                                                     \
         "m",                                                                                                \
         "displacement from the reference position at the start",                                            \
         n,                                                                                                  \
         SN_ROTATES,                                                                                         \
         0,                                                                                                  \
         -SN_INFINITE,                                                                                       \
         SN_INFINITE,                                                                                        \
         NULL},                                                                                              \
    {                                                                                                        \
        "velocity", "m/s", "velocity at the start", n, SN_ROTATES, 0, -SN_INFINITE, SN_INFINITE, NULL        \
    }

static inline void sn_place_start(const int n, const double *s, double *X, double *q, double *v)
{
    for (int k = 0; k < n; k++) {
        X[k] = s[k];
        q[k] = s[k] + s[n + k];
        v[k] = s[2 * n + k];
    }
}

static inline void sn_place_dstart(const int n, int index, double *dX, double *dq, double *dv)
{
    for (int k = 0; k < n; k++) {
        dX[k] = index == k;
        dq[k] = index == k || index == n + k;
        dv[k] = index == 2 * n + k;
    }
}

#endif
